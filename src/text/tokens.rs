//! The tokens of every paper, as numbers into one list of words.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::analyzer::Analyzer;
use super::language::Language;
use crate::corpus::{Corpus, Field, Paper, PaperId};
use crate::progress::Run;

/// So many papers are cut by one thread at a time. Results do not depend on it: within a block and across blocks words
/// are numbered by first appearance.
const BLOCK: usize = 512;

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
        let mut builder = TokensBuilder::default();
        for text in texts {
            for word in text {
                builder.word(word.as_ref());
            }
            builder.end_text();
        }
        builder.finish()
    }

    /// The tokens of these fields of all papers, cut on all cores. A paper without a text has no tokens. Papers in a
    /// script that cannot be cut into words are counted, and warned about.
    ///
    /// Time: about linear in the bytes of text; beside the tokens (4 bytes each) only one block of papers a thread is
    /// held in folded form.
    pub fn of_corpus(corpus: &Corpus, fields: &[Field], analyzer: &Analyzer, run: &Run) -> Tokens {
        let task = run.progress.start("cutting words", Some(corpus.len() as u64), "papers");
        let blocks: Vec<Block> = corpus
            .papers()
            .par_chunks(BLOCK)
            .map(|papers| {
                let block = Block::of(papers, fields, analyzer);
                task.advance(papers.len() as u64);
                block
            })
            .collect();
        let unsegmented: usize = blocks.iter().map(|block| block.unsegmented).sum();
        if unsegmented > 0 {
            run.progress.warn(&format!(
                "{unsegmented} of {} papers hold a script that is written without blanks and that cannot be cut into \
                 words here (Tibetan, Javanese, Yi ...); their tokens are syllables or clauses",
                corpus.len()
            ));
        }
        Tokens::joined(blocks)
    }

    fn joined(blocks: Vec<Block>) -> Tokens {
        let mut tokens = Tokens { starts: vec![0], ..Tokens::default() };
        tokens.ids.reserve(blocks.iter().map(|block| block.ids.len()).sum());
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        for block in blocks {
            let numbers: Vec<u32> = block
                .words
                .into_iter()
                .map(|word| match places.get(&word) {
                    Some(&id) => id,
                    None => {
                        let id = tokens.words.len() as u32;
                        tokens.words.push(word.clone());
                        places.insert(word, id);
                        id
                    }
                })
                .collect();
            tokens.ids.extend(block.ids.into_iter().map(|id| numbers[id as usize]));
            for length in block.lengths {
                tokens.starts.push(tokens.starts[tokens.starts.len() - 1] + length);
            }
        }
        tokens
    }

    /// The same papers in smaller pieces: each token gives way to the pieces that `cut` makes of its word, in order.
    ///
    /// ```
    /// use papertwin::corpus::PaperId;
    /// use papertwin::text::{Tokens, letter_grams};
    /// let words = Tokens::from_texts([["fog"]]);
    /// let grams = words.pieces(|word, visit| letter_grams(word, 3, visit));
    /// assert_eq!(grams.words(), [" fo", "fog", "og "]);
    /// assert_eq!(grams.of(PaperId(0)), [0, 1, 2]);
    /// ```
    pub fn pieces(&self, cut: impl Fn(&str, &mut dyn FnMut(&str))) -> Tokens {
        let mut pieces = Tokens { starts: vec![0], ..Tokens::default() };
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        let mut of_word: Vec<u32> = Vec::new();
        let mut ends: Vec<usize> = vec![0];
        for word in &self.words {
            cut(word, &mut |piece| {
                let id = match places.get(piece) {
                    Some(&id) => id,
                    None => {
                        let id = pieces.words.len() as u32;
                        pieces.words.push(piece.to_owned());
                        places.insert(piece.to_owned(), id);
                        id
                    }
                };
                of_word.push(id);
            });
            ends.push(of_word.len());
        }
        let range = |&id: &u32| ends[id as usize]..ends[id as usize + 1];
        pieces.ids.reserve_exact(self.ids.iter().map(|id| range(id).len()).sum());
        for text in self.starts.windows(2) {
            for id in &self.ids[text[0]..text[1]] {
                pieces.ids.extend_from_slice(&of_word[range(id)]);
            }
            pieces.starts.push(pieces.ids.len());
        }
        pieces
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

/// Numbers words as they come, for texts that are never held whole.
#[derive(Clone, Debug, Default)]
pub struct TokensBuilder {
    tokens: Tokens,
    places: FxHashMap<String, u32>,
}

impl TokensBuilder {
    /// The next word of the text at hand.
    pub fn word(&mut self, word: &str) {
        let id = match self.places.get(word) {
            Some(&id) => id,
            None => {
                let id = self.tokens.words.len() as u32;
                self.places.insert(word.to_owned(), id);
                self.tokens.words.push(word.to_owned());
                id
            }
        };
        self.tokens.ids.push(id);
    }

    /// The text at hand ends.
    pub fn end_text(&mut self) {
        if self.tokens.starts.is_empty() {
            self.tokens.starts.push(0);
        }
        self.tokens.starts.push(self.tokens.ids.len());
    }

    /// All texts that have ended.
    pub fn finish(mut self) -> Tokens {
        if self.tokens.starts.is_empty() {
            self.tokens.starts.push(0);
        }
        self.tokens.ids.truncate(self.tokens.starts[self.tokens.starts.len() - 1]);
        self.tokens
    }
}

/// Visits the letter n-grams of a word in order, the word with a blank at either end: `fog` has " fo", "fog", "og " for
/// n = 3. A word that is shorter with its blanks is one piece.
pub fn letter_grams(word: &str, n: usize, visit: &mut dyn FnMut(&str)) {
    let padded = format!(" {word} ");
    let edges: Vec<usize> = padded.char_indices().map(|(at, _)| at).chain([padded.len()]).collect();
    if edges.len() <= n + 1 || n == 0 {
        return visit(&padded);
    }
    edges.windows(n + 1).for_each(|gram| visit(&padded[gram[0]..gram[n]]));
}

/// The tokens of some papers, words numbered by first appearance among them.
#[derive(Default)]
struct Block {
    words: Vec<String>,
    ids: Vec<u32>,
    lengths: Vec<usize>,
    unsegmented: usize,
}

impl Block {
    fn of(papers: &[Paper], fields: &[Field], analyzer: &Analyzer) -> Block {
        let mut block = Block::default();
        let mut places: FxHashMap<String, u32> = FxHashMap::default();
        // What became of a word is asked once a block and language: `None` for a stop word.
        let mut known: Vec<FxHashMap<String, Option<u32>>> = vec![FxHashMap::default(); Language::COUNT + 1];
        for paper in papers {
            let text = paper.text(fields);
            let readied = analyzer.ready(&text);
            block.unsegmented += usize::from(readied.unsegmented);
            let terms = analyzer.terms(readied.language());
            let known = &mut known[readied.language().map_or(Language::COUNT, Language::place)];
            let before = block.ids.len();
            analyzer.words(&readied, &mut |word| {
                let id = match known.get(word) {
                    Some(&id) => id,
                    None => {
                        let id = terms.term(word).map(|term| match places.get(term.as_ref()) {
                            Some(&id) => id,
                            None => {
                                let id = block.words.len() as u32;
                                block.words.push(term.to_string());
                                places.insert(term.into_owned(), id);
                                id
                            }
                        });
                        known.insert(word.to_owned(), id);
                        id
                    }
                };
                block.ids.extend(id);
            });
            block.lengths.push(block.ids.len() - before);
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::AnalyzerParams;
    use std::sync::{Arc, Mutex};

    /// Keeps the warnings.
    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl crate::progress::Progress for Heard {
        fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn crate::progress::Task> {
            Box::new(crate::progress::Silent)
        }
        fn warn(&self, message: &str) {
            self.0.lock().unwrap().push(message.into());
        }
    }

    fn corpus(texts: &[&str]) -> Corpus {
        Corpus::new(texts.iter().map(|t| Paper { abstract_text: (*t).into(), ..Paper::default() }).collect())
    }

    #[test]
    fn a_corpus_is_cut_alike_on_any_number_of_threads() {
        let texts =
            ["fog horns of the ferry", "", "Fog of the horn\u{2019}s lamps", "雾中的船", "die Nebelhörner der Fähren"];
        let many: Vec<&str> = texts.iter().copied().cycle().take(3 * BLOCK + 7).collect();
        let corpus = corpus(&many);
        let analyzer = AnalyzerParams { stem: true, ..AnalyzerParams::default() }.check().unwrap();
        let plain = Tokens::from_texts(many.iter().map(|text| analyzer.tokens(text)));
        for threads in [1, 2, 7] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let tokens = pool
                .install(|| Tokens::of_corpus(&corpus, &[Field::Title, Field::Abstract], &analyzer, &Run::default()));
            assert_eq!(tokens, plain, "{threads} threads");
        }
        assert_eq!(plain.of(PaperId(0)).len(), 3);
    }

    #[test]
    fn o_060_papers_in_a_script_without_a_segmenter_are_counted() {
        let heard = Arc::new(Heard::default());
        let run = Run { progress: heard.clone(), ..Run::default() };
        let corpus = corpus(&["ꦧꦱꦗꦮ", "fog", "བོད་སྐད"]);
        Tokens::of_corpus(&corpus, &[Field::Abstract], &Analyzer::default(), &run);
        let warnings = heard.0.lock().unwrap();
        assert!(warnings.len() == 1 && warnings[0].starts_with("2 of 3 papers"), "{warnings:?}");
    }

    #[test]
    fn letter_grams_keep_the_ends_of_words() {
        let grams = |word, n| {
            let mut found = Vec::new();
            letter_grams(word, n, &mut |gram| found.push(gram.to_owned()));
            found
        };
        assert_eq!(grams("größe", 4), [" grö", "größ", "röße", "öße "]);
        assert_eq!(grams("ab", 4), [" ab "]);
        assert_eq!(grams("a", 4), [" a "]);
        let tokens = Tokens::from_texts([vec!["fog", "a"], vec![], vec!["a"]]);
        let pieces = tokens.pieces(|word, visit| letter_grams(word, 4, visit));
        assert_eq!(pieces.words(), [" fog", "fog ", " a "]);
        assert_eq!((pieces.of(PaperId(0)), pieces.of(PaperId(2))), (&[0, 1, 2][..], &[2][..]));
        assert!(pieces.of(PaperId(1)).is_empty());
    }

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
