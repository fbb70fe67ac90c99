//! What every way of finding duplicates is.

use crate::corpus::{Corpus, Field, Pair};
use crate::embedding::Embedding;
use crate::progress::Run;
use crate::similarity::{Estimate, PairSink, Scan, Score, Tally};

/// What a method is given.
#[derive(Clone, Copy)]
pub struct Input<'c> {
    /// The papers.
    pub corpus: &'c Corpus,
    /// Word vectors, for the methods that need some.
    pub embedding: Option<&'c Embedding>,
    /// The fields that a paper's text is made of.
    pub fields: &'c [Field],
}

impl<'c> Input<'c> {
    /// Title and abstract of these papers, no word vectors.
    pub fn of(corpus: &'c Corpus) -> Input<'c> {
        Input { corpus, embedding: None, fields: &[Field::Title, Field::Abstract] }
    }
}

/// Why a method could not be prepared or could not scan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MethodError {
    /// A parameter out of its range.
    #[error("{method}: {reason}")]
    Parameter {
        /// The method.
        method: &'static str,
        /// What was found and what was wanted.
        reason: String,
    },
    /// The method needs word vectors.
    #[error("{method} needs word vectors; give some with --embedding, or train them with `papertwin train`")]
    NoEmbedding {
        /// The method.
        method: &'static str,
    },
    /// The method cannot work at this λ.
    #[error("{method}: λ = {lambda} is too low; {reason}")]
    Lambda {
        /// The method.
        method: &'static str,
        /// The λ asked for.
        lambda: Score,
        /// What is possible and why.
        reason: String,
    },
    /// Something below failed.
    #[error("{method}: {source}")]
    Below {
        /// The method.
        method: &'static str,
        /// What failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Whether a scan finds every pair at or above λ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Every pair.
    Complete,
    /// Some may be missed; what is found has its true score.
    Probable,
}

/// A way of finding duplicates, with its parameters.
pub trait Method: Send + Sync {
    /// Its name on the command line and in tables.
    fn name(&self) -> &'static str;

    /// Does all the work that does not depend on λ.
    ///
    /// # Errors
    /// If a parameter is out of range or something that the method needs is missing.
    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError>;
}

/// A method made ready for one corpus.
pub trait Matcher: Send + Sync {
    /// Whether scans are complete.
    fn guarantee(&self) -> Guarantee;

    /// The score of a pair by its definition: plain f64 or integer arithmetic. Decides.
    fn score(&self, pair: Pair) -> Score;

    /// The number of papers that match nothing, for want of a text, a known word, a shingle.
    fn unmatchable(&self) -> &[crate::corpus::PaperId] {
        &[]
    }

    /// The expected share of pairs that a scan at λ misses, among those whose score is exactly λ; pairs above it are missed
    /// less often. `None` for methods that miss none or cannot say.
    fn expected_miss_rate(&self, _lambda: Score) -> Option<f64> {
        None
    }

    /// Gives the sink every pair whose score is at or above λ, ascending, each once, with the score of [`Matcher::score`].
    ///
    /// # Errors
    /// If the method cannot work at this λ.
    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError>;

    /// What a scan at λ will take, for methods that can tell before they begin.
    fn estimate(&self, _lambda: Score) -> Option<Estimate> {
        None
    }

    /// Counts the pairs at or above every score that a curve over all pairs needs: see [`Tally`]. `papers` is the number
    /// of papers of the corpus, `watched` are ascending pairs.
    ///
    /// The provided method serves every matcher whose scores are never negative: it scans at the smallest score above
    /// 0 and counts what comes; what a complete scan does not bring is tied at 0. Where a complete method cannot scan so
    /// low, every pair is scored by the definition. What a [`Guarantee::Probable`] scan does not bring was not found, and
    /// is found at no λ; it scans at the lowest λ that the method allows. Memory: O(watched) and a count for each score.
    ///
    /// # Errors
    /// If the method cannot scan.
    fn tally(&self, papers: usize, watched: &[Pair], grid: &[Score]) -> Result<Tally, MethodError> {
        super::tallying::tally(self, papers, watched, grid)
    }

    /// The greatest score of each of `papers` papers to any other, the ascending pairs of `left_out` not counted; `None`
    /// for a paper that matches nothing or has no other. As provided, like [`Matcher::tally`].
    ///
    /// # Errors
    /// If the method cannot scan.
    fn best(&self, papers: usize, left_out: &[Pair]) -> Result<Vec<Option<Score>>, MethodError> {
        super::tallying::best(self, papers, left_out)
    }
}
