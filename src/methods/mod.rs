//! Room 8: each way of finding duplicates, behind two traits.
//!
//! A [`Method`] prepares everything that does not depend on λ; the [`Matcher`] that comes out scans at any λ. One
//! conformance suite ([`conformance`]) holds for every method.

pub mod conformance;
mod list;
mod row_matcher;
mod rows;
mod tallying;
mod traits;
mod whole_file;

pub use list::{MethodSpec, NAMES};
pub use row_matcher::RowMatcher;
pub use traits::{Guarantee, Input, Matcher, Method, MethodError};
pub use whole_file::WholeFile;
