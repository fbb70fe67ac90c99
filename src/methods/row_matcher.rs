//! Rows of numbers as a matcher: what every method that makes a vector of each paper hands over.

use super::{Guarantee, Matcher, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{AllPairs, Estimate, PairSink, Scan, Score, Tally};

/// All pairs of the rows of a matrix, one row a paper in corpus order, as a [`Matcher`]. Complete.
pub struct RowMatcher<'m> {
    pairs: AllPairs<'m>,
    run: Run,
}

impl<'m> RowMatcher<'m> {
    /// A matcher over these rows.
    ///
    /// ```
    /// use ndarray::array;
    /// use papertwin::methods::{Matcher, RowMatcher};
    /// use papertwin::progress::Run;
    /// use papertwin::similarity::{AllPairs, Collect, Measure};
    /// let matcher = RowMatcher::new(AllPairs::owning(array![[1.0, 2.0], [2.0, 4.0]], Measure::Cosine), Run::default());
    /// let mut found = Collect::default();
    /// matcher.scan("0.9".parse().unwrap(), &mut found).unwrap();
    /// assert_eq!(found.pairs.len(), 1);
    /// ```
    pub fn new(pairs: AllPairs<'m>, run: Run) -> RowMatcher<'m> {
        RowMatcher { pairs, run }
    }

    /// Only these rows, ascending: see [`AllPairs::only`].
    ///
    /// # Panics
    /// If they do not ascend.
    pub fn only(self, rows: &[u32]) -> RowMatcher<'m> {
        RowMatcher { pairs: self.pairs.only(rows), run: self.run }
    }

    /// The pairs below, to keep.
    pub fn into_pairs(self) -> AllPairs<'m> {
        self.pairs
    }

    /// The pairs below.
    pub fn pairs(&self) -> &AllPairs<'m> {
        &self.pairs
    }
}

impl Matcher for RowMatcher<'_> {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        self.pairs.score(pair)
    }

    fn unmatchable(&self) -> &[PaperId] {
        self.pairs.missing()
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        Ok(self.pairs.scan(lambda, sink, &self.run))
    }

    fn estimate(&self, lambda: Score) -> Option<Estimate> {
        Some(self.pairs.estimate(lambda))
    }

    fn tally(&self, _: usize, watched: &[Pair], grid: &[Score]) -> Result<Tally, MethodError> {
        Ok(self.pairs.tally(watched, grid, &self.run))
    }

    fn best(&self, _: usize, left_out: &[Pair]) -> Result<Vec<Option<Score>>, MethodError> {
        Ok(self.pairs.best(left_out, &self.run))
    }
}
