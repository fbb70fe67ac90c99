//! The list of methods: the one place where a name becomes a method.

use serde::{Deserialize, Serialize};

use super::{Method, WholeFile};

/// A method with its parameters, as an experiment writes it: `[method.portrait]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MethodSpec {
    /// Equal normalised texts.
    WholeFile(WholeFile),
}

/// The names of all methods, in the order of the documentation.
pub const NAMES: &[&str] = &["whole-file"];

impl MethodSpec {
    /// The method itself.
    pub fn method(&self) -> Box<dyn Method> {
        match self {
            MethodSpec::WholeFile(method) => Box::new(method.clone()),
        }
    }
}
