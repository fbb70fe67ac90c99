//! The list of methods: the one place where a name becomes a method.

use serde::{Deserialize, Serialize};

use super::Method;

/// A method with its parameters, as an experiment writes it: `[method.portrait]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MethodSpec {}

/// The names of all methods, in the order of the documentation.
pub const NAMES: &[&str] = &[];

impl MethodSpec {
    /// The method itself.
    pub fn method(&self) -> Box<dyn Method> {
        match *self {}
    }
}
