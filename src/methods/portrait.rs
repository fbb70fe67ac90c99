//! Paper portraits, the method that is reproduced: the k words of greatest tf-idf weight, the mean of their word vectors,
//! and the similarity of every pair.
//!
//! Bai, Chang, Guo, Liu, Gan: a deduplication algorithm for scientific literature based on paper portraits. The steps:
//! tokens ([`crate::text`]), keywords ([`crate::keywords`]), the mean of their vectors ([`crate::portrait`]), all pairs of
//! the upper triangle ([`crate::similarity`]). Where we differ: λ applies to the similarity in whole millionths, and a
//! paper without a known keyword matches nothing.

use serde::{Deserialize, Serialize};

use super::{Input, Matcher, Method, MethodError, RowMatcher};
use crate::keywords::{DocumentFrequencies, KeywordParams};
use crate::portrait::{PortraitParams, Portraits};
use crate::progress::Run;
use crate::similarity::{AllPairs, Measure};
use crate::text::{AnalyzerParams, Tokens};

/// Paper portraits over loaded or trained word vectors. The defaults are the paper's: k = 10, tf-idf without smoothing, the
/// plain mean, cosine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Portrait {
    /// How texts become tokens; must be as in the training of the word vectors.
    pub text: AnalyzerParams,
    /// Which words are the keywords, and their weights.
    pub keywords: KeywordParams,
    /// How their vectors become one.
    pub portrait: PortraitParams,
    /// How similar two portraits are.
    pub measure: Measure,
}

impl Method for Portrait {
    fn name(&self) -> &'static str {
        "portrait"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let method = self.name();
        let embedding = input.embedding.ok_or(MethodError::NoEmbedding { method })?;
        let parameter = |reason: String| MethodError::Parameter { method, reason };
        let analyzer = self.text.clone().check().map_err(|error| parameter(error.to_string()))?;
        let keywording = self.keywords.check().map_err(|error| parameter(error.to_string()))?;
        let tokens = Tokens::of_corpus(input.corpus, input.fields, &analyzer, &run);
        let frequencies = DocumentFrequencies::of(&tokens);
        let portraits = Portraits::paint(&tokens, &frequencies, &keywording, embedding, &self.portrait.check())
            .map_err(|error| parameter(error.to_string()))?;
        super::rows::warn_unmatchable(&run, method, portraits.missing(), "a known keyword");
        Ok(Box::new(RowMatcher::new(AllPairs::owning(portraits.into_rows(), self.measure), run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Pair, Paper, PaperId};
    use crate::embedding::Embedding;
    use crate::keywords::K;
    use crate::matrix::Matrix;
    use crate::methods::conformance::conforms;
    use crate::portrait::{Oov, Weighting};
    use crate::similarity::{Collect, Score};
    use ndarray::array;

    fn corpus(texts: &[&str]) -> Corpus {
        let paper = |text: &&str| Paper { id: (*text).into(), abstract_text: (*text).into(), ..Paper::default() };
        Corpus::new(texts.iter().map(paper).collect())
    }

    fn embedding(words: &[&str], vectors: Matrix) -> Embedding {
        Embedding::new(words.iter().map(|w| (*w).to_owned()).collect(), vectors)
    }

    fn found(method: &Portrait, texts: &[&str], embedding: &Embedding, lambda: &str) -> Vec<(u32, u32, String)> {
        let corpus = corpus(texts);
        let input = Input { embedding: Some(embedding), ..Input::of(&corpus) };
        let matcher = method.prepare(input, Run::default()).unwrap();
        let mut sink = Collect::default();
        matcher.scan(lambda.parse().unwrap(), &mut sink).unwrap();
        sink.pairs.iter().map(|(pair, score)| (pair.first().0, pair.second().0, score.to_string())).collect()
    }

    #[test]
    fn it_conforms() {
        let words = ["fog", "horn", "lamp", "bell", "tram", "ferry"];
        let vectors = Matrix::from_shape_fn((6, 5), |(x, y)| ((x * 7 + y * 5) % 11) as f32 / 4.0 - 1.0);
        let embedding = embedding(&words, vectors);
        let texts = [
            "fog horn",
            "horn fog",
            "lamp bell bell",
            "tram",
            "tram ferry",
            "",
            "unknown",
            "lamp and bell",
            "fog fog horn ferry",
            "the tram",
            "ferry bell lamp horn",
            "fog lamp",
            "horn of fog",
        ];
        let corpus = corpus(&texts);
        conforms(&Portrait::default(), &corpus, Some(&embedding), &["1", "0.9", "0.3", "0", "-1"]);
        let other = Portrait {
            keywords: KeywordParams { k: K::Best(2), ..KeywordParams::default() },
            portrait: PortraitParams {
                weighting: Weighting::TfIdf,
                oov: Oov::Next,
                unit: true,
                ..PortraitParams::default()
            },
            measure: Measure::Euclidean,
            ..Portrait::default()
        };
        conforms(&other, &corpus, Some(&embedding), &["0.9", "0.4"]);
    }

    #[test]
    fn o_076_papers_without_a_portrait_are_never_paired() {
        let embedding = embedding(&["fog", "horn"], array![[1.0, 0.0], [0.0, 1.0]]);
        let texts = ["fog horn", "zeppelin quux", "quux zeppelin", "", "horn fog"];
        for lambda in ["0", "1", "-1"] {
            let pairs = found(&Portrait::default(), &texts, &embedding, lambda);
            assert_eq!(pairs, [(0, 4, "1.000000".to_owned())], "λ = {lambda}");
        }
    }

    #[test]
    fn o_077_o_065_pairs_of_means() {
        let zero = embedding(&["tram", "pad", "bus"], array![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]);
        let pairs = found(&Portrait::default(), &["tram pad", "tram", "pad"], &zero, "0.9");
        assert_eq!(pairs, [(0, 1, "1.000000".to_owned())]);
        let two = embedding(&["fog", "horn"], array![[2.0, 0.0], [0.0, 2.0]]);
        let method =
            Portrait { keywords: KeywordParams { k: K::Best(5), ..KeywordParams::default() }, ..Portrait::default() };
        assert_eq!(found(&method, &["fog horn fog", "fog", "lamp"], &two, "0"), [(0, 1, "0.707107".to_owned())]);
    }

    #[test]
    fn o_078_equal_papers_score_1_exactly() {
        let embedding = embedding(&["fog", "horn", "lamp"], array![[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.5, 0.7, 0.8]]);
        let texts = ["fog", "fog", "horn", "horn", "lamp", "lamp"];
        let pairs = found(&Portrait::default(), &texts, &embedding, "1.0");
        assert_eq!(pairs, [(0, 1), (2, 3), (4, 5)].map(|(x, y)| (x, y, "1.000000".to_owned())));
    }

    #[test]
    fn o_063_three_identical_papers_are_three_pairs() {
        let embedding = embedding(&["ferry", "fog", "horn"], array![[0.3, 0.2], [0.7, 0.1], [0.0, 0.9]]);
        let text = "ferry ferry ferry fog fog horn";
        assert_eq!(found(&Portrait::default(), &[text; 3], &embedding, "1").len(), 3);
    }

    #[test]
    fn what_is_missing_or_wrong_is_said() {
        let corpus = corpus(&["fog"]);
        let error = Portrait::default().prepare(Input::of(&corpus), Run::default()).err().unwrap();
        assert!(error.to_string().contains("--embedding"), "{error}");
        let embedding = embedding(&["fog"], array![[1.0, 0.0]]);
        let method =
            Portrait { portrait: PortraitParams { directions: 2, ..PortraitParams::default() }, ..Portrait::default() };
        let input = Input { embedding: Some(&embedding), ..Input::of(&corpus) };
        let error = method.prepare(input, Run::default()).err().unwrap();
        assert!(error.to_string().contains("2 directions cannot be removed"), "{error}");
        let method =
            Portrait { keywords: KeywordParams { k: K::Best(0), ..KeywordParams::default() }, ..Portrait::default() };
        assert!(method.prepare(input, Run::default()).err().unwrap().to_string().contains("k = 0"));
    }

    #[test]
    fn pearson_and_written_parameters() {
        let embedding = embedding(&["fog", "horn"], array![[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]);
        let method: Portrait =
            toml::from_str("measure = 'pearson'\n[keywords]\nk = 3\n[portrait]\nweighting = 'tf-idf'").unwrap();
        let corpus = corpus(&["fog", "horn", "fog"]);
        let input = Input { embedding: Some(&embedding), ..Input::of(&corpus) };
        let matcher = method.prepare(input, Run::default()).unwrap();
        let score = |x, y| matcher.score(Pair::new(PaperId(x), PaperId(y)).unwrap());
        assert_eq!((score(0, 1), score(0, 2)), (Score::MIN, Score::MAX));
    }
}
