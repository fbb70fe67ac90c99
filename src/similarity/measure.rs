//! What similarity between two rows of numbers means: four measures, each with a score from -1 to 1.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Score;

/// How similar two rows are. All sums run in f64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// The cosine of the angle between the rows, from -1 to 1.
    #[default]
    Cosine,
    /// 1 / (1 + d) of the Euclidean distance d: 1 for equal rows, falling to 0.
    Euclidean,
    /// 1 / (1 + d) of the Manhattan distance d, the sum of absolute differences.
    Manhattan,
    /// Pearson's correlation of the two rows: the cosine after each row's mean was taken from it. A row of equal
    /// numbers has none.
    Pearson,
}

impl Measure {
    /// All measures, in the order of the documentation.
    pub const ALL: [Measure; 4] = [Measure::Cosine, Measure::Euclidean, Measure::Manhattan, Measure::Pearson];

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Cosine => "cosine",
            Measure::Euclidean => "euclidean",
            Measure::Manhattan => "manhattan",
            Measure::Pearson => "pearson",
        }
    }

    /// Whether the score is 1 / (1 + distance).
    pub fn is_distance(self) -> bool {
        matches!(self, Measure::Euclidean | Measure::Manhattan)
    }

    /// The greatest distance whose score reaches λ; infinite for λ = 0 and below.
    ///
    /// ```
    /// use papertwin::similarity::Measure;
    /// // 1 / (1 + d) rounds to 0.5 up to a little above d = 1.
    /// assert!((Measure::farthest("0.5".parse().unwrap()) - 1.000_002).abs() < 1e-9);
    /// ```
    pub fn farthest(lambda: Score) -> f64 {
        let edge = lambda.lower_edge();
        if edge > 0.0 { 1.0 / edge - 1.0 } else { f64::INFINITY }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no measure; wanted cosine, euclidean, manhattan or pearson")]
pub struct ParseMeasureError(String);

impl FromStr for Measure {
    type Err = ParseMeasureError;
    fn from_str(text: &str) -> Result<Measure, ParseMeasureError> {
        Measure::ALL.into_iter().find(|m| m.name() == text).ok_or_else(|| ParseMeasureError(text.to_owned()))
    }
}
