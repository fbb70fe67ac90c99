//! The tokens of every paper, as numbers into one list of words.

use rustc_hash::FxHashMap;

use crate::corpus::PaperId;

/// The words of a corpus and, for each paper, its tokens in the order of the text. Words are numbered by first
/// appearance in the corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    words: Vec<String>,
    ids: Vec<u32>,
    /// The tokens of paper p are `ids[starts[p] .. starts[p + 1]]`.
    starts: Vec<usize>,
}

impl Tokens {
    /// Numbers the words of texts that are tokens already.
    pub fn from_texts<T, W>(texts: impl IntoIterator<Item = T>) -> Tokens
    where
        T: IntoIterator<Item = W>,
        W: AsRef<str>,
    {
        let mut tokens = Tokens { starts: vec![0], ..Tokens::default() };
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        for text in texts {
            for word in text {
                let word = word.as_ref();
                let id = match places.get(word) {
                    Some(&id) => id,
                    None => {
                        let id = tokens.words.len() as u32;
                        places.insert(word.to_owned(), id);
                        tokens.words.push(word.to_owned());
                        id
                    }
                };
                tokens.ids.push(id);
            }
            tokens.starts.push(tokens.ids.len());
        }
        tokens
    }

    /// How many papers there are.
    pub fn papers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// A paper's tokens, as places in [`Tokens::words`].
    ///
    /// # Panics
    /// If there is no such paper.
    pub fn of(&self, paper: PaperId) -> &[u32] {
        &self.ids[self.starts[paper.index()]..self.starts[paper.index() + 1]]
    }

    /// The distinct words, by number.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// The word of this number.
    ///
    /// # Panics
    /// If there is no such word.
    pub fn word(&self, id: u32) -> &str {
        &self.words[id as usize]
    }

    /// How many tokens all papers have together.
    pub fn total(&self) -> usize {
        self.ids.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbered_by_first_appearance() {
        let tokens = Tokens::from_texts([vec!["fog", "horn", "fog"], vec![], vec!["horn", "lamp"]]);
        assert_eq!(tokens.words(), ["fog", "horn", "lamp"]);
        assert_eq!(tokens.of(PaperId(0)), [0, 1, 0]);
        assert!(tokens.of(PaperId(1)).is_empty());
        assert_eq!(tokens.of(PaperId(2)), [1, 2]);
        assert_eq!((tokens.papers(), tokens.total()), (3, 5));
    }
}
