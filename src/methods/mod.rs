//! Room 8: each way of finding duplicates, behind two traits.
//!
//! A [`Method`] prepares everything that does not depend on λ; the [`Matcher`] that comes out scans at any λ. One
//! conformance suite ([`conformance`]) holds for every method.

pub mod conformance;
mod list;
mod rows;
mod traits;
mod whole_file;

pub use list::{MethodSpec, NAMES};
pub use traits::{Guarantee, Input, Matcher, Method, MethodError};
pub use whole_file::WholeFile;
