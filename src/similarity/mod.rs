//! Room 6: the score of a pair, and every pair at or above λ.

mod score;
mod sink;

pub use score::{ParseScoreError, Score};
pub use sink::{Collect, PairSink, Scan};
