//! One vector a paper.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::common::Common;
use crate::corpus::PaperId;
use crate::embedding::Embedding;
use crate::keywords::{DocumentFrequencies, Keywording, Keywords};
use crate::matrix::Matrix;
use crate::text::Tokens;

/// How keywords become a portrait. The default is the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PortraitParams {
    /// What each keyword counts in the mean.
    pub weighting: Weighting,
    /// What happens to a keyword without a vector.
    pub oov: Oov,
    /// Whether word vectors are scaled to length 1 first, so that frequent words, whose vectors are longer, do not lead.
    /// A zero vector stays zero.
    pub unit: bool,
    /// Whether the mean of all portraits is taken from each.
    pub centre: bool,
    /// How many of the strongest directions of the portraits are removed, after the mean where that is; 0 by default.
    pub directions: u32,
}

/// What each keyword counts in the mean of the word vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All alike: the sum of the vectors over their number (step 6 of the paper).
    #[default]
    Mean,
    /// Their tf-idf weights: the weighted sum over the sum of the weights (formula 5). A paper whose known keywords all
    /// weigh 0 has no portrait.
    TfIdf,
}

/// What happens to a keyword without a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Oov {
    /// It is left out: the mean is over those of the k keywords that have one.
    #[default]
    Skip,
    /// The next best word that has one takes its place: the keywords are the k best of the known words.
    Next,
}

/// Why portraits could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PortraitError {
    /// Nothing would be left.
    #[error("{directions} directions cannot be removed from vectors of {dims} dimensions; wanted fewer than {dims}")]
    Directions {
        /// How many were to go.
        directions: u32,
        /// How many there are.
        dims: usize,
    },
}

/// Portrait parameters that were checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Portraying {
    params: PortraitParams,
}

impl PortraitParams {
    /// Checks the parameters; all of them go together.
    pub fn check(self) -> Portraying {
        Portraying { params: self }
    }
}

impl Portraying {
    /// What it was made from.
    pub fn params(&self) -> PortraitParams {
        self.params
    }
}

/// A vector for every paper that has a known keyword.
#[derive(Clone, Debug, PartialEq)]
pub struct Portraits {
    /// One row a paper; a zero row is no portrait.
    rows: Matrix,
    missing: Vec<PaperId>,
}

impl Portraits {
    /// Chooses the keywords of each paper and averages their vectors.
    ///
    /// # Errors
    /// If as many directions are to be removed as there are dimensions.
    pub fn paint(
        tokens: &Tokens,
        frequencies: &DocumentFrequencies,
        keywording: &Keywording,
        embedding: &Embedding,
        portraying: &Portraying,
    ) -> Result<Portraits, PortraitError> {
        let known = |word: &str| embedding.vector(word).is_some();
        let keywords = match portraying.params.oov {
            Oov::Skip => Keywords::extract(tokens, frequencies, keywording, None),
            Oov::Next => Keywords::extract(tokens, frequencies, keywording, Some(&known)),
        };
        Portraits::of_keywords(tokens, &keywords, embedding, portraying)
    }

    /// Averages the vectors of keywords that were chosen already. A keyword without a vector is left out. Sums run in
    /// f64, in the order of the keywords, so papers with the same keywords have the same portrait, bit for bit.
    ///
    /// Time O(m k N), memory 4 m N bytes, on all cores.
    ///
    /// # Errors
    /// If as many directions are to be removed as there are dimensions.
    pub fn of_keywords(
        tokens: &Tokens,
        keywords: &Keywords,
        embedding: &Embedding,
        portraying: &Portraying,
    ) -> Result<Portraits, PortraitError> {
        let params = portraying.params;
        let dims = embedding.dims();
        if params.directions > 0 && params.directions as usize >= dims {
            return Err(PortraitError::Directions { directions: params.directions, dims });
        }
        let vectors: Vec<Option<&[f32]>> = tokens.words().iter().map(|word| embedding.vector(word)).collect();
        let scales: Vec<f64> =
            if params.unit { vectors.par_iter().map(|v| v.map_or(0.0, to_unit)).collect() } else { vec![] };
        let mut rows = Matrix::zeros((keywords.papers(), dims));
        if dims > 0 {
            let all = rows.as_slice_mut().expect("a matrix made in standard layout is in one piece");
            all.par_chunks_mut(dims).enumerate().for_each(|(paper, row)| {
                let mut sum = vec![0.0; dims];
                let mut whole = 0.0;
                for keyword in keywords.of(PaperId(paper as u32)) {
                    let Some(vector) = vectors[keyword.word as usize] else { continue };
                    let weight = match params.weighting {
                        Weighting::Mean => 1.0,
                        Weighting::TfIdf => keyword.weight,
                    };
                    whole += weight;
                    let factor = if params.unit { weight * scales[keyword.word as usize] } else { weight };
                    sum.iter_mut().zip(vector).for_each(|(sum, &x)| *sum += factor * f64::from(x));
                }
                if whole > 0.0 {
                    row.iter_mut().zip(sum).for_each(|(x, sum)| *x = (sum / whole) as f32);
                }
            });
            if params.centre || params.directions > 0 {
                let common = Common::of(&rows, params.centre, params.directions as usize);
                let all = rows.as_slice_mut().expect("a matrix made in standard layout is in one piece");
                all.par_chunks_mut(dims).filter(|row| !is_zero(row)).for_each(|row| common.remove(row));
            }
        }
        Ok(Portraits::from_rows(rows))
    }

    /// Portraits from ready rows; a zero row is a paper without one.
    pub fn from_rows(rows: Matrix) -> Portraits {
        let rows = if rows.is_standard_layout() { rows } else { rows.as_standard_layout().into_owned() };
        let missing = (0..rows.nrows() as u32)
            .map(PaperId)
            .filter(|paper| rows.row(paper.index()).iter().all(|&x| x == 0.0))
            .collect();
        Portraits { rows, missing }
    }

    /// A paper's portrait, not scaled; `None` if it has none.
    ///
    /// # Panics
    /// If there is no such paper.
    pub fn of(&self, paper: PaperId) -> Option<&[f32]> {
        let row = self.rows.row(paper.index()).to_slice()?;
        (!is_zero(row)).then_some(row)
    }

    /// The papers without a portrait, ascending.
    pub fn missing(&self) -> &[PaperId] {
        &self.missing
    }

    /// One row a paper, in the order of the corpus; zeros where there is no portrait.
    pub fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// The rows, taken out.
    pub fn into_rows(self) -> Matrix {
        self.rows
    }
}

fn is_zero(row: &[f32]) -> bool {
    row.iter().all(|&x| x == 0.0)
}

/// What a vector is multiplied by to have length 1; 0 for a zero vector.
fn to_unit(vector: &[f32]) -> f64 {
    let square: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keywords::{K, KeywordParams};
    use ndarray::array;

    fn embedding(words: &[&str], vectors: Matrix) -> Embedding {
        Embedding::new(words.iter().map(|w| (*w).to_owned()).collect(), vectors)
    }

    fn paint(texts: &[&str], k: u32, embedding: &Embedding, params: PortraitParams) -> Portraits {
        let tokens = Tokens::from_texts(texts.iter().map(|text| text.split_whitespace()));
        let keywording = KeywordParams { k: K::Best(k), ..KeywordParams::default() }.check().unwrap();
        Portraits::paint(&tokens, &DocumentFrequencies::of(&tokens), &keywording, embedding, &params.check()).unwrap()
    }

    /// In whole millionths.
    fn cosine(x: &[f32], y: &[f32]) -> i32 {
        let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>();
        (dot(x, y) / (dot(x, x) * dot(y, y)).sqrt() * 1e6).round() as i32
    }

    #[test]
    fn o_065_the_mean_is_over_the_words_found_not_over_k() {
        let embedding = embedding(&["fog", "horn"], array![[2.0, 0.0], [0.0, 2.0]]);
        let portraits = paint(&["fog horn fog", "fog", "lamp"], 5, &embedding, PortraitParams::default());
        assert_eq!(portraits.of(PaperId(0)), Some(&[1.0, 1.0][..]));
        assert_eq!(portraits.of(PaperId(1)), Some(&[2.0, 0.0][..]));
        assert_eq!(portraits.missing(), [PaperId(2)]);
        assert_eq!(cosine(portraits.of(PaperId(0)).unwrap(), portraits.of(PaperId(1)).unwrap()), 707_107);
    }

    #[test]
    fn o_076_papers_without_a_known_word_have_no_portrait() {
        let embedding = embedding(&["fog", "horn"], array![[1.0, 0.0], [0.0, 1.0]]);
        let texts = ["fog horn", "zeppelin quux", "quux zeppelin", "", "horn fog"];
        let portraits = paint(&texts, 10, &embedding, PortraitParams::default());
        assert_eq!(portraits.missing(), [1, 2, 3].map(PaperId));
        assert_eq!(portraits.of(PaperId(0)), portraits.of(PaperId(4)));
        assert_eq!(portraits.of(PaperId(3)), None);
    }

    #[test]
    fn o_077_a_zero_word_vector_takes_part_in_the_mean_and_harms_nothing() {
        let embedding = embedding(&["tram", "pad", "bus"], array![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]);
        for unit in [false, true] {
            let params = PortraitParams { unit, ..PortraitParams::default() };
            let portraits = paint(&["tram pad", "tram", "pad"], 10, &embedding, params);
            assert_eq!(portraits.of(PaperId(0)), Some(&[0.5, 0.0][..]));
            assert_eq!(portraits.of(PaperId(1)), Some(&[1.0, 0.0][..]));
            assert_eq!(portraits.missing(), [PaperId(2)]);
        }
    }

    #[test]
    fn o_078_portraits_of_equal_keywords_are_equal_to_the_bit() {
        let embedding = embedding(&["fog", "horn", "lamp"], array![[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.5, 0.7, 0.8]]);
        let texts = ["fog horn lamp", "lamp fog horn", "horn", "horn", "lamp lamp", "lamp"];
        for weighting in [Weighting::Mean, Weighting::TfIdf] {
            let params = PortraitParams { weighting, ..PortraitParams::default() };
            let portraits = paint(&texts, 10, &embedding, params);
            for pair in [0, 2, 4] {
                let (x, y) = (portraits.of(PaperId(pair)).unwrap(), portraits.of(PaperId(pair + 1)).unwrap());
                assert_eq!(x, y);
                assert_eq!(cosine(x, y), 1_000_000);
            }
        }
    }

    #[test]
    fn weights_and_replacement_of_unknown_words() {
        let embedding = embedding(&["bell", "lamp"], array![[4.0, 0.0], [0.0, 4.0]]);
        // horn weighs most (2/4 ln 3), then lamp (1/4 ln 3), then bell (1/4 ln 3/2).
        let texts = ["horn horn lamp bell", "bell", "tram"];
        let paint = |k, oov, weighting| {
            let params = PortraitParams { weighting, oov, ..PortraitParams::default() };
            paint(&texts, k, &embedding, params).of(PaperId(0)).map(<[f32]>::to_vec)
        };
        assert_eq!(paint(1, Oov::Skip, Weighting::Mean), None);
        assert_eq!(paint(1, Oov::Next, Weighting::Mean), Some(vec![0.0, 4.0]));
        assert_eq!(paint(3, Oov::Skip, Weighting::Mean), Some(vec![2.0, 2.0]));
        let (bell, lamp) = (1.5f64.ln(), 3f64.ln());
        let weighted = paint(3, Oov::Skip, Weighting::TfIdf).unwrap();
        assert!((f64::from(weighted[0]) - 4.0 * bell / (bell + lamp)).abs() < 1e-6, "{weighted:?}");
        assert!((f64::from(weighted[1]) - 4.0 * lamp / (bell + lamp)).abs() < 1e-6, "{weighted:?}");
    }

    #[test]
    fn long_vectors_do_not_lead_when_all_are_scaled_to_length_1() {
        let embedding = embedding(&["fog", "horn"], array![[30.0, 0.0], [0.0, 0.1]]);
        let params = PortraitParams { unit: true, ..PortraitParams::default() };
        let portraits = paint(&["fog horn", "x"], 10, &embedding, params);
        assert_eq!(portraits.of(PaperId(0)), Some(&[0.5, 0.5][..]));
    }

    #[test]
    fn the_common_part_is_removed_on_request_and_never_all() {
        let embedding = embedding(&["a", "b", "c"], array![[9.0, 1.0], [9.0, -1.0], [9.0, 0.0]]);
        let texts = ["a", "b", "c", "d"];
        let params = PortraitParams { centre: true, ..PortraitParams::default() };
        let portraits = paint(&texts, 10, &embedding, params);
        assert_eq!(portraits.of(PaperId(0)), Some(&[0.0, 1.0][..]));
        // c is the mean itself: nothing of it is left.
        assert_eq!(portraits.missing(), [PaperId(2), PaperId(3)]);
        let params = PortraitParams { directions: 1, ..PortraitParams::default() };
        let portraits = paint(&texts, 10, &embedding, params);
        let row = portraits.of(PaperId(1)).unwrap();
        assert!(row[0].abs() < 1e-5 && row[1] < -0.99, "{row:?}");
        let tokens = Tokens::from_texts([["a"]]);
        let params = PortraitParams { directions: 2, ..PortraitParams::default() };
        let none = Portraits::paint(
            &tokens,
            &DocumentFrequencies::of(&tokens),
            &Keywording::default(),
            &embedding,
            &params.check(),
        );
        assert_eq!(none.unwrap_err(), PortraitError::Directions { directions: 2, dims: 2 });
    }

    #[test]
    fn threads_do_not_matter() {
        let words: Vec<String> = (0..50).map(|n| format!("w{n}")).collect();
        let vectors = Matrix::from_shape_fn((50, 7), |(x, y)| ((x * 31 + y * 17) % 23) as f32 / 7.0 - 1.0);
        let embedding = Embedding::new(words, vectors);
        let texts: Vec<String> = (0..900).map(|n| format!("w{} w{} w{} w{}", n % 50, n % 7, n % 11, n % 3)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let params =
            PortraitParams { weighting: Weighting::TfIdf, centre: true, directions: 2, ..PortraitParams::default() };
        let once = paint(&texts, 3, &embedding, params);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| paint(&texts, 3, &embedding, params)), once);
        }
    }
}
