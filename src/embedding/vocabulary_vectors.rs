//! Words with their vectors.

use rustc_hash::FxHashMap;

use crate::matrix::Matrix;

/// Words and one vector each. Words are exact: neither trimmed nor folded.
#[derive(Clone, Debug)]
pub struct Embedding {
    words: Vec<String>,
    vectors: Matrix,
    places: FxHashMap<String, u32>,
}

impl Embedding {
    /// Pairs words with the rows of a matrix. A word that comes again keeps its first vector.
    ///
    /// # Panics
    /// If there are not as many words as rows.
    pub fn new(words: Vec<String>, vectors: Matrix) -> Embedding {
        assert_eq!(words.len(), vectors.nrows(), "one row a word");
        let mut places = FxHashMap::default();
        for (place, word) in words.iter().enumerate() {
            places.entry(word.clone()).or_insert(place as u32);
        }
        Embedding { words, vectors, places }
    }

    /// The vector of a word: `dims` numbers as they were trained, not normalised.
    pub fn vector(&self, word: &str) -> Option<&[f32]> {
        let &place = self.places.get(word)?;
        self.vectors.row(place as usize).to_slice()
    }

    /// The `count` words whose vectors have the greatest cosine with this word's, the word itself left out; ties by place.
    /// `None` if the word has no vector. Zero vectors are near to nothing.
    pub fn neighbours(&self, word: &str, count: usize) -> Option<Vec<(&str, f64)>> {
        let wanted = self.vector(word)?;
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
        let length = dot(wanted, wanted).sqrt();
        let mut near: Vec<(usize, f64)> = Vec::new();
        for (place, row) in self.vectors.rows().into_iter().enumerate() {
            let row = row.to_slice().expect("rows are in standard layout");
            let lengths = length * dot(row, row).sqrt();
            if self.words[place] != word && lengths > 0.0 {
                near.push((place, dot(wanted, row) / lengths));
            }
        }
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(count);
        Some(near.into_iter().map(|(place, cosine)| (self.words[place].as_str(), cosine)).collect())
    }

    /// The words in the order of the rows.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// One row a word, V x N.
    pub fn vectors(&self) -> &Matrix {
        &self.vectors
    }

    /// N.
    pub fn dims(&self) -> usize {
        self.vectors.ncols()
    }

    /// V.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}
