//! How many pairs reach which score: all that curves and areas need of the m (m - 1) / 2 scores.

use super::Score;

/// Counts of pairs at or above a set of scores, and the scores of some pairs that were watched.
///
/// With the watched pairs being the positives, the edges hold every positive's score and the next one after it: how many
/// negatives are above, equal to and below each positive follows exactly, and with it every point of a curve and its
/// area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    pairs: u64,
    findable: u64,
    edges: Vec<Score>,
    at_or_above: Vec<u64>,
    watched: Vec<Option<Score>>,
}

impl Tally {
    /// A tally of `pairs` pairs, of which `findable` have a score that a scan can find at λ = -1 (the others have a paper
    /// that matches nothing, or were not found). `at_or_above[i]` findable pairs have a score of at least `edges[i]`;
    /// `watched` holds a score for each watched pair, in the order asked for, `None` if it is not findable.
    ///
    /// # Panics
    /// If the edges do not ascend or the counts do not fit.
    pub fn new(
        pairs: u64,
        findable: u64,
        edges: Vec<Score>,
        at_or_above: Vec<u64>,
        watched: Vec<Option<Score>>,
    ) -> Tally {
        assert!(edges.windows(2).all(|w| w[0] < w[1]), "edges ascend");
        assert!(edges.len() == at_or_above.len() && findable <= pairs, "one count an edge");
        assert!(at_or_above.windows(2).all(|w| w[0] >= w[1]), "counts descend");
        assert!(at_or_above.first().is_none_or(|&most| most <= findable), "no more pairs than there are");
        Tally { pairs, findable, edges, at_or_above, watched }
    }

    /// The edges that a tally has: each watched score, the next score after it, and the grid; ascending, each once.
    pub fn edges(watched: &[Option<Score>], grid: &[Score]) -> Vec<Score> {
        let after = |score: Score| Score::from_millionths(score.millionths() + 1);
        let mut edges: Vec<Score> =
            watched.iter().flatten().flat_map(|&s| [Some(s), after(s)]).flatten().chain(grid.iter().copied()).collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Every pair of the upper triangle.
    pub fn pairs(&self) -> u64 {
        self.pairs
    }

    /// The pairs that a scan finds at λ = -1.
    pub fn findable(&self) -> u64 {
        self.findable
    }

    /// The scores of the watched pairs, in the order asked for; `None` for a pair that no scan finds.
    pub fn watched(&self) -> &[Option<Score>] {
        &self.watched
    }

    /// How many pairs have a score of at least this: known for the edges and above 1.
    ///
    /// # Panics
    /// If the score is no edge.
    pub fn at_or_above(&self, score: Score) -> u64 {
        let place = self.edges.binary_search(&score).expect("a score that was asked for");
        self.at_or_above[place]
    }

    /// How many pairs have a greater score than this watched one.
    ///
    /// # Panics
    /// If the score is no watched pair's.
    pub fn above(&self, score: Score) -> u64 {
        Score::from_millionths(score.millionths() + 1).map_or(0, |next| self.at_or_above(next))
    }
}
