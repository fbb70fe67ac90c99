//! Two papers, in the order of the corpus.

use super::PaperId;

/// Two different papers; `first < second` always. Pairs ascend by first, then second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    first: PaperId,
    second: PaperId,
}

impl Pair {
    /// The pair of two papers, given in either order; `None` if they are one.
    pub fn new(x: PaperId, y: PaperId) -> Option<Pair> {
        match x.cmp(&y) {
            std::cmp::Ordering::Less => Some(Pair { first: x, second: y }),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Pair { first: y, second: x }),
        }
    }

    /// The one that comes first in the corpus.
    pub fn first(self) -> PaperId {
        self.first
    }

    /// The one that comes later.
    pub fn second(self) -> PaperId {
        self.second
    }

    /// How many pairs m papers have: m (m - 1) / 2.
    pub fn count(papers: usize) -> u64 {
        let m = papers as u64;
        m * m.saturating_sub(1) / 2
    }
}
