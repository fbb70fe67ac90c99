//! Where pairs go as they are found: nothing holds them all unless it wants to.

use std::ops::ControlFlow;

use super::Score;
use crate::corpus::Pair;

/// Receives pairs as a scan finds them, ascending, each once. It may be given them on another thread than the scan was begun
/// on, never on two at a time.
pub trait PairSink: Send {
    /// One pair at or above λ. `Break` ends the scan.
    fn pair(&mut self, pair: Pair, score: Score) -> ControlFlow<()>;

    /// The next pairs, for a sink that works on many at a time. Returns how many it took: fewer than all of them end the scan.
    fn pairs(&mut self, pairs: &[(Pair, Score)]) -> usize {
        let refused = pairs.iter().position(|&(pair, score)| self.pair(pair, score).is_break());
        refused.unwrap_or(pairs.len())
    }
}

impl<F: FnMut(Pair, Score) -> ControlFlow<()> + Send> PairSink for F {
    fn pair(&mut self, pair: Pair, score: Score) -> ControlFlow<()> {
        self(pair, score)
    }
}

/// Keeps every pair, up to a limit.
#[derive(Clone, Debug, Default)]
pub struct Collect {
    /// What was found so far.
    pub pairs: Vec<(Pair, Score)>,
    /// At most so many pairs are kept, then the scan is ended; `None` is no limit.
    pub limit: Option<usize>,
}

impl PairSink for Collect {
    fn pair(&mut self, pair: Pair, score: Score) -> ControlFlow<()> {
        if self.limit.is_some_and(|limit| self.pairs.len() >= limit) {
            return ControlFlow::Break(());
        }
        self.pairs.push((pair, score));
        ControlFlow::Continue(())
    }
}

/// What a scan did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scan {
    /// Pairs of the upper triangle.
    pub pairs: u64,
    /// Pairs whose score was computed by its definition.
    pub verified: u64,
    /// Pairs given to the sink.
    pub found: u64,
    /// Whether the sink ended the scan.
    pub stopped: bool,
}
