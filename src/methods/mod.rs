//! Room 8: each way of finding duplicates, behind two traits.
//!
//! A [`Method`] prepares everything that does not depend on λ; the [`Matcher`] that comes out scans at any λ. One
//! conformance suite ([`conformance`]) holds for every method.

pub mod conformance;
mod features;
mod hashed;
mod list;
mod portrait;
mod blocks;
mod bloom;
mod minhash;
#[cfg(feature = "hnsw")]
mod nearest_matcher;
mod pattern;
pub mod records;
mod row_matcher;
mod rows;
mod sets;
mod shingles;
mod simhash;
mod tallying;
mod tfidf;
#[cfg(test)]
mod tests;
mod traits;
mod whole_file;

pub use blocks::{Chunks, FixedBlocks};
pub use bloom::Bloom;
pub use features::Units;
pub use hashed::HashedPortrait;
pub use list::{MethodSpec, NAMES};
pub use minhash::MinHashLsh;
#[cfg(feature = "hnsw")]
pub use nearest_matcher::NearestMatcher;
pub use pattern::Pattern;
pub use portrait::Portrait;
pub use records::Records;
pub use row_matcher::RowMatcher;
pub use sets::Measure;
pub use shingles::{Shingles, StopWordShingles};
pub use simhash::SimHash;
pub use tfidf::TfIdf;
pub use traits::{Guarantee, Input, Matcher, Method, MethodError};
pub use whole_file::WholeFile;
