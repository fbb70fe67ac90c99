//! Room 8: each way of finding duplicates, behind two traits.
//!
//! A [`Method`] prepares everything that does not depend on λ; the [`Matcher`] that comes out scans at any λ. One
//! conformance suite ([`conformance`]) holds for every method.

pub mod conformance;
mod features;
mod list;
mod portrait;
mod row_matcher;
mod rows;
mod tallying;
mod tfidf;
mod traits;
mod whole_file;

pub use features::Units;
pub use list::{MethodSpec, NAMES};
pub use portrait::Portrait;
pub use row_matcher::RowMatcher;
pub use tfidf::TfIdf;
pub use traits::{Guarantee, Input, Matcher, Method, MethodError};
pub use whole_file::WholeFile;
