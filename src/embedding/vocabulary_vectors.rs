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
