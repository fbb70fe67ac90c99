//! Room 10: how well a method finds duplicates.
//!
//! [`evaluate`] takes any [`crate::methods::Matcher`] and the truth and gives counts, areas and curves by pair, by paper or
//! by cluster; [`Ranking`] does the same for a ready list of scores and writes down the conventions. [`Agreement`] compares
//! groups with groups, [`Interval`] sums up several seeds, [`natural_duplicates`] finds what a corpus repeats by itself,
//! [`recommend`] gives λ for a wanted precision.
//!
//! ```
//! use ndarray::array;
//! use papertwin::corpus::{Pair, PaperId, Truth};
//! use papertwin::evaluation::{EvaluationParams, evaluate};
//! use papertwin::methods::RowMatcher;
//! use papertwin::progress::Run;
//! use papertwin::similarity::{AllPairs, Measure};
//! let rows = array![[1.0f32, 0.0], [0.9, 0.1], [0.0, 1.0], [0.5, 0.6]];
//! let matcher = RowMatcher::new(AllPairs::of(&rows, Measure::Cosine), Run::default());
//! let truth = Truth::from_pairs(4, Pair::new(PaperId(0), PaperId(1)));
//! let found = evaluate(&matcher, &truth, &Truth::from_pairs(4, []), &EvaluationParams::default()).unwrap();
//! let ranking = found.ranking.unwrap();
//! assert_eq!(ranking.auc().unwrap().value(), 1.0);
//! assert_eq!(ranking.best().unwrap().lambda.to_string(), "0.993884");
//! ```

mod counts;
mod evaluate;
mod grid;
mod intervals;
mod natural;
mod partitions;
mod ranking;
mod recommend;

pub use counts::Confusion;
pub use evaluate::{
    ClusterPoint, Evaluation, EvaluationParams, Natural, ParseNaturalError, ParseUnitError, Unit, evaluate,
};
pub use grid::{ParseLambdasError, parse_lambdas};
pub use intervals::Interval;
pub use natural::natural_duplicates;
pub use partitions::{Agreement, BCubed};
pub use ranking::{Area, Curve, Point, Ranking};
pub use recommend::{RecommendError, RecommendParams, Recommendation, recommend};
