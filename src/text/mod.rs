//! Room 2: a paper's text becomes normal forms, sentences, tokens and shingles.
//!
//! Texts are folded ([`normal::fold`]), cut into words by Unicode's rules and, for scripts without blanks, by
//! dictionaries; function words of the text's language are left out and words may be stemmed ([`AnalyzerParams`]).
//!
//! **Stems are off by default**, as in the paper, whose text does not mention them; stop words are NLTK's list of the
//! language, because the longer lists in use hold content words (computer, system, novel, result).
//!
//! ```
//! use papertwin::corpus::{Corpus, Field, Paper, PaperId};
//! use papertwin::progress::Run;
//! use papertwin::text::{Analyzer, Tokens};
//! let corpus = Corpus::new(vec![Paper { title: "The Fog-Horn".into(), ..Paper::default() }]);
//! let tokens = Tokens::of_corpus(&corpus, &[Field::Title], &Analyzer::default(), &Run::default());
//! let words: Vec<&str> = tokens.of(PaperId(0)).iter().map(|&id| tokens.word(id)).collect();
//! assert_eq!(words, ["fog", "horn"]);
//! ```

mod analyzer;
mod language;
pub mod normal;
mod segment;
mod sentences;
mod shingles;
mod tokens;

pub use analyzer::{Analyzer, AnalyzerError, AnalyzerParams, Digits, Hyphens, Marks, StopList, StopWords};
pub use language::{Language, LanguageChoice, UnknownLanguage};
pub use sentences::sentences;
pub use shingles::{
    ShingleError, ShingleKind, ShingleParams, ShingleSets, Shingling, ShortText, WordRule, Words, plain_words,
};
pub use tokens::{Tokens, TokensBuilder, letter_grams};
