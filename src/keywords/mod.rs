//! Room 3: tokens become the k words of greatest tf-idf weight.
//!
//! weight = tf * idf; by default tf = times the word stands in the paper / words of the paper, and
//! idf = ln (papers / papers with the word), without smoothing, as in the portrait paper. Other schemes:
//! [`TermFrequency`], [`InverseFrequency`]. Of words of equal weight the more frequent one comes first, then the one that
//! comes first in the order of code points.
//!
//! ```
//! use papertwin::corpus::PaperId;
//! use papertwin::keywords::{DocumentFrequencies, K, KeywordParams, Keywords};
//! use papertwin::text::Tokens;
//! let tokens = Tokens::from_texts([vec!["fog", "horn"], vec!["fog", "lamp"]]);
//! let table = DocumentFrequencies::of(&tokens);
//! let keywording = KeywordParams { k: K::Best(1), ..KeywordParams::default() }.check()?;
//! let keywords = Keywords::extract(&tokens, &table, &keywording, None);
//! assert_eq!(tokens.word(keywords.of(PaperId(1))[0].word), "lamp");
//! # Ok::<(), papertwin::keywords::KeywordError>(())
//! ```

mod document_frequencies;
mod extract;
mod weighting;

pub use document_frequencies::{DocumentFrequencies, TableError, WordCount};
pub use extract::{Keyword, Keywording, Keywords, Weigher};
pub use weighting::{InverseFrequency, K, KeywordError, KeywordParams, TermFrequency};
