//! The cosine of whole tf-idf vectors: the honest rival of the portrait, which keeps k words of each.
//!
//! Every word of a paper (or every letter n-gram, or both) is a dimension, its tf-idf weight the entry; the cosine of two
//! papers is the sum of the products over what they share (Salton and McGill, 1983, chapter 4). All pairs at or above λ come
//! from [`crate::similarity::SparseRows`], exactly.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::features::{FeatureParams, Features, Units};
use super::{Guarantee, Input, Matcher, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::keywords::{InverseFrequency, TermFrequency};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score, SparseRows, Tally};
use crate::text::AnalyzerParams;

/// Sparse tf-idf cosine over all words. A paper without a word of weight above 0 matches nothing; with the plain idf that
/// is also a paper all of whose words stand in every paper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TfIdf {
    /// How texts become tokens.
    pub text: AnalyzerParams,
    /// Words, letter grams or both.
    pub units: Units,
    /// Letters in a gram.
    pub gram: u32,
    /// The part that letter grams make of the cosine where both are used, from 0 to 1: the cosine is this much of the
    /// cosine over grams, and the rest of the one over words.
    pub letter_share: f64,
    /// What the number of times that a word stands in the paper makes.
    pub tf: TermFrequency,
    /// What the number of papers that hold a word makes.
    pub idf: InverseFrequency,
    /// How much the title counts by itself: its own vector, of this length, is added to that of the whole text, of
    /// length 1. Without effect where the text is the title alone.
    pub title_weight: f64,
    /// What the weight of a word that no other paper has is multiplied by, from 0 to 1.
    pub lone: f64,
}

impl Default for TfIdf {
    fn default() -> TfIdf {
        TfIdf {
            text: AnalyzerParams::default(),
            units: Units::Words,
            gram: 4,
            letter_share: 0.5,
            tf: TermFrequency::Relative,
            idf: InverseFrequency::Plain,
            title_weight: 0.0,
            lone: 1.0,
        }
    }
}

impl TfIdf {
    /// The rows that the method compares, and the name of each dimension: for explanations.
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn rows(&self, input: Input<'_>, run: &Run) -> Result<(SparseRows, Vec<String>), MethodError> {
        let params = FeatureParams {
            text: &self.text,
            units: self.units,
            gram: self.gram,
            letter_share: self.letter_share,
            tf: self.tf,
            idf: self.idf,
            title_weight: self.title_weight,
            lone: self.lone,
        };
        let features = params.features(self.name(), input, run)?;
        let order = Order::of(&features);
        let weighers = features.weighers();
        let rows = SparseRows::build(input.corpus.len(), order.names.len(), |paper, entries| {
            features.visit(&weighers, paper, |kind, word, weight| {
                entries.push((order.places[kind][word as usize], weight));
            });
        });
        Ok((
            rows,
            order.names.into_iter().map(|(kind, word)| features.parts[kind].tokens.word(word).to_owned()).collect(),
        ))
    }
}

/// The order of the dimensions: rare ones first, which makes bounds sharp, then by kind and word, so that it does not
/// depend on the order of the papers.
struct Order {
    /// The dimension of each word of each kind.
    places: Vec<Vec<u32>>,
    /// Kind and word of each dimension.
    names: Vec<(usize, u32)>,
}

impl Order {
    fn of(features: &Features) -> Order {
        let mut all: Vec<(u64, usize, &str, u32)> = Vec::new();
        for (kind, part) in features.parts.iter().enumerate() {
            let counts = part.frequencies.aligned(&part.tokens);
            let words = part.tokens.words().iter().zip(counts).enumerate();
            all.extend(
                words.map(|(id, (word, count))| (count.map_or(0, |c| c.papers), kind, word.as_str(), id as u32)),
            );
        }
        all.par_sort_unstable();
        let mut places: Vec<Vec<u32>> = features.parts.iter().map(|part| vec![0; part.tokens.words().len()]).collect();
        for (place, &(_, kind, _, word)) in all.iter().enumerate() {
            places[kind][word as usize] = place as u32;
        }
        Order { places, names: all.into_iter().map(|(_, kind, _, word)| (kind, word)).collect() }
    }
}

impl Method for TfIdf {
    fn name(&self) -> &'static str {
        "tf-idf"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let (rows, _) = self.rows(input, &run)?;
        super::rows::warn_unmatchable(&run, self.name(), rows.missing(), "a word of weight above 0");
        Ok(Box::new(SparseMatcher { rows, run }))
    }
}

struct SparseMatcher {
    rows: SparseRows,
    run: Run,
}

impl Matcher for SparseMatcher {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        self.rows.score(pair)
    }

    fn unmatchable(&self) -> &[PaperId] {
        self.rows.missing()
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        Ok(self.rows.scan(lambda, sink, &self.run))
    }

    fn tally(&self, _: usize, watched: &[Pair], grid: &[Score]) -> Result<Tally, MethodError> {
        Ok(self.rows.tally(watched, grid, &self.run))
    }

    fn best(&self, _: usize, left_out: &[Pair]) -> Result<Vec<Option<Score>>, MethodError> {
        Ok(self.rows.best(left_out, &self.run))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Paper};
    use crate::methods::conformance::conforms;

    fn corpus(texts: &[&str]) -> Corpus {
        let paper = |text: &&str| Paper { id: (*text).into(), abstract_text: (*text).into(), ..Paper::default() };
        Corpus::new(texts.iter().map(paper).collect())
    }

    const TEXTS: [&str; 12] = [
        "fog horn on the ferry",
        "the ferry has a fog horn",
        "lamp bell bell",
        "tram lines",
        "tram line bees",
        "",
        "the of",
        "bell lamp bell",
        "bees near tram lines",
        "fog",
        "horn ferry fog",
        "harbour dust prices in winter",
    ];

    #[test]
    fn it_conforms() {
        let corpus = corpus(&TEXTS);
        conforms(&TfIdf::default(), &corpus, None, &["1", "0.7", "0.2", "0.000001", "0", "-1"]);
        for (units, tf, idf) in [
            (Units::Letters, TermFrequency::Log, InverseFrequency::Smooth),
            (Units::Both, TermFrequency::Bm25, InverseFrequency::Bm25),
            (Units::Words, TermFrequency::Binary, InverseFrequency::None),
        ] {
            let method = TfIdf { units, tf, idf, gram: 3, letter_share: 0.25, ..TfIdf::default() };
            conforms(&method, &corpus, None, &["0.9", "0.4", "0"]);
        }
    }

    #[test]
    fn cosines_are_worked_by_hand() {
        let corpus = corpus(&["fog horn", "fog lamp", "bell"]);
        let score = |method: &TfIdf| {
            let matcher = method.prepare(Input::of(&corpus), Run::default()).unwrap();
            matcher.score(Pair::new(PaperId(0), PaperId(1)).unwrap()).value()
        };
        // fog ln 3/2, the others ln 3.
        let (fog, other) = (1.5f64.ln(), 3f64.ln());
        let words = fog * fog / (fog * fog + other * other);
        assert!((score(&TfIdf::default()) - words).abs() < 1e-6);
        // " fo", "fog", "og " against the grams of horn and lamp; all tf 1, idf 1: 3 of 7 shared, n = 3.
        let letters = TfIdf { units: Units::Letters, gram: 3, idf: InverseFrequency::None, ..TfIdf::default() };
        assert!((score(&letters) - 3.0 / 7.0).abs() < 1e-6);
        let both = TfIdf { units: Units::Both, letter_share: 0.25, ..letters };
        assert!((score(&both) - (0.75 * 0.5 + 0.25 * 3.0 / 7.0)).abs() < 1e-6);
    }

    #[test]
    fn parameters_are_written_and_checked() {
        let method: TfIdf = toml::from_str("units = 'both'\ngram = 5\nidf = 'smooth'\n[text]\nstem = true").unwrap();
        assert_eq!((method.units, method.gram, method.text.stem), (Units::Both, 5, true));
        let error = |method: TfIdf| {
            let corpus = corpus(&["fog"]);
            method.prepare(Input::of(&corpus), Run::default()).err().unwrap().to_string()
        };
        assert!(error(TfIdf { gram: 0, ..TfIdf::default() }).contains("gram = 0"));
        assert!(error(TfIdf { letter_share: 1.5, ..TfIdf::default() }).contains("letter-share = 1.5"));
    }
}
