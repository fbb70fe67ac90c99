//! Room 6: the score of a pair, and every pair at or above λ.
//!
//! [`AllPairs`] holds rows under a [`Measure`]: it scores one pair by the definition, scans all pairs at or above λ, and
//! counts all scores in one pass ([`Tally`]) for curves and areas. Nothing ever holds the m x m matrix.

mod counting;
mod kernel;
mod kernels;
mod measure;
#[cfg(feature = "hnsw")]
mod nearest;
mod panels;
mod rows;
mod score;
mod screen;
mod sink;
mod sparse;
mod sweep;
mod tally;

pub use kernel::{Kernel, ParseKernelError};
pub use measure::{Measure, ParseMeasureError};
#[cfg(feature = "hnsw")]
pub use nearest::{Nearest, NearestParams, Recall};
pub use rows::{AllPairs, identical_rows};
pub use score::{ParseScoreError, Score};
pub use sink::{Collect, PairSink, Scan};
pub use sparse::SparseRows;
pub use sweep::Estimate;
pub use tally::Tally;

#[cfg(test)]
mod tests;
