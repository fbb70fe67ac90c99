//! Rows in a graph of neighbours as a matcher: probable, with its recall measured and told.

use super::{Guarantee, Matcher, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{AllPairs, Nearest, NearestParams, PairSink, Scan, Score};

/// The rows of a matrix, one row a paper in corpus order, as a [`Matcher`] that asks a graph for neighbours instead of
/// comparing all pairs. Every scan tells the recall that it measured on a sample of the rows.
pub struct NearestMatcher<'m> {
    nearest: Nearest<'m>,
    run: Run,
}

impl<'m> NearestMatcher<'m> {
    /// Puts the rows into a graph.
    ///
    /// # Panics
    /// As [`Nearest::of`].
    pub fn new(pairs: AllPairs<'m>, params: NearestParams, run: Run) -> NearestMatcher<'m> {
        NearestMatcher { nearest: Nearest::of(pairs, params, &run), run }
    }
}

impl Matcher for NearestMatcher<'_> {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Probable
    }

    fn score(&self, pair: Pair) -> Score {
        self.nearest.pairs().score(pair)
    }

    fn unmatchable(&self) -> &[PaperId] {
        self.nearest.pairs().missing()
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let (scan, recall) = self.nearest.scan(lambda, sink, &self.run);
        self.run.progress.warn(&format!("neighbours are approximate at λ = {lambda}: {recall}"));
        Ok(scan)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::{Corpus, Paper};
    use crate::matrix::Matrix;
    use crate::methods::conformance::conforms;
    use crate::methods::tests::{Warnings, story};
    use crate::methods::{Input, Method};
    use crate::seed::Seed;
    use crate::similarity::{Collect, Measure};

    /// Papers by how often they have each letter.
    struct Letters;

    impl Method for Letters {
        fn name(&self) -> &'static str {
            "letters"
        }

        fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
            let papers = input.corpus.papers();
            let mut rows = Matrix::zeros((papers.len(), 26));
            for (mut row, paper) in rows.outer_iter_mut().zip(papers) {
                let letters = paper.abstract_text.bytes().filter(u8::is_ascii_lowercase);
                letters.for_each(|letter| row[usize::from(letter - b'a')] += 1.0);
            }
            let pairs = AllPairs::owning(rows, Measure::Cosine);
            Ok(Box::new(NearestMatcher::new(pairs, NearestParams::default(), run)))
        }
    }

    #[test]
    fn it_conforms_and_tells_its_recall() {
        let mut texts: Vec<String> = (0..30).map(|i| story(i % 20, 30)).collect();
        texts.extend(["", "12 34"].map(String::from));
        let paper = |abstract_text: String| Paper { abstract_text, ..Paper::default() };
        let corpus = Corpus::new(texts.into_iter().map(paper).collect());
        conforms(&Letters, &corpus, None, &["0.9", "1", "0.5"]);

        let warnings = Warnings::default();
        let run = Run { seed: Seed(1), progress: Arc::new(warnings.clone()) };
        let matcher = Letters.prepare(Input::of(&corpus), run).unwrap();
        assert_eq!(matcher.unmatchable().len(), 2);
        matcher.scan(Score::MAX, &mut Collect::default()).unwrap();
        let told = warnings.take();
        assert!(told[0].contains("approximate at λ = 1.000000: recall 1.000000: 10 of the 10 pairs of 30"), "{told:?}");
    }
}
