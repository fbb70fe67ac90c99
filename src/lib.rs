//! papertwin finds duplicate scientific papers and news stories, and measures how well each way of finding them works.
//!
//! # The architecture, in the order of the data
//!
//! Ground files that every room stands on: [`error`], [`seed`], [`progress`], [`output`], [`matrix`], [`partition`], [`table`].
//!
//! 1. [`corpus`]: records of any format become a [`corpus::Corpus`] of [`corpus::Paper`]s; a [`corpus::Pair`] is two of
//!    them, a [`corpus::Truth`] says which pairs are duplicates.
//! 2. [`text`]: a paper's text becomes normal forms, tokens, shingles.
//! 3. [`keywords`]: tokens become the k words of greatest tf-idf weight.
//! 4. [`embedding`]: words become vectors, trained here (word2vec) or loaded from a file.
//! 5. [`portrait`]: a paper's keywords and their vectors become one vector.
//! 6. [`similarity`]: every pair of the upper triangle gets a [`similarity::Score`]; those at or above λ go to a
//!    [`similarity::PairSink`].
//! 7. [`sketch`]: hashes, signatures and indexes that find similar sets without comparing all pairs.
//! 8. [`methods`]: each way of finding duplicates behind [`methods::Method`] and [`methods::Matcher`].
//! 9. [`inject`]: copies of papers with dosed edits, and the truth that follows.
//! 10. [`evaluation`]: curves, areas and intervals of what a method found against the truth.
//! 11. [`resolve`]: pairs become clusters, survivors and merged records, each with its reason.
//! 12. [`graph`]: directed graphs, strongly connected components, triangle-based communities.
//! 13. [`news`]: articles become story groups, in daily batches.
//! 14. [`figures`]: a [`table::Table`] becomes a figure.
//! 15. [`experiment`]: a TOML file conducts all of the above and compares the outcome with `results/`.
//!
//! A room imports only rooms above it in this list; `tests/layers.rs` enforces that. The command line is part of the
//! binary, so no room can import it.

#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod error;
pub mod seed;
pub mod progress;
pub mod output;
pub mod matrix;
pub mod partition;
pub mod table;

pub mod corpus;
pub mod text;
pub mod keywords;
pub mod embedding;
pub mod portrait;
pub mod similarity;
pub mod sketch;
pub mod methods;
pub mod inject;
pub mod evaluation;
pub mod resolve;
pub mod graph;
pub mod news;
#[cfg(feature = "figures")]
pub mod figures;
pub mod experiment;

/// The examples of README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
