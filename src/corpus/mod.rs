//! Room 1: records of any source become one corpus of papers.
//!
//! ```
//! use papertwin::corpus::{Corpus, Pair, Paper, PaperId};
//! let mut corpus = Corpus::default();
//! corpus.push(Paper { id: "a".into(), title: "Fog signals".into(), ..Paper::default() });
//! corpus.push(Paper { id: "b".into(), title: "Fog signals".into(), ..Paper::default() });
//! let pair = Pair::new(PaperId(1), PaperId(0)).unwrap();
//! assert_eq!((pair.first(), pair.second()), (PaperId(0), PaperId(1)));
//! assert!(Pair::new(PaperId(1), PaperId(1)).is_none());
//! ```

pub mod dataset;
pub mod formats;
pub mod generate;
mod input;
mod json;
mod kind;
pub mod lines;
pub mod markup;
pub mod names;
mod pair;
mod paper;
mod read;
mod truth;
mod write;

#[cfg(test)]
mod tests;

pub use kind::Kind;
pub use pair::Pair;
pub use paper::{Corpus, Field, Paper, PaperId};
pub use read::{
    Fields, FileCount, Layout, Loaded, Opened, ReadError, ReadOptions, Rejected, load, load_opened, open, open_reader,
};
pub use truth::{Truth, TruthError};
pub use write::{WriteError, write, writer_for};
