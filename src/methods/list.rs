//! The list of methods: the one place where a name becomes a method.

use serde::{Deserialize, Serialize};

use super::{Method, Portrait, TfIdf, WholeFile};

/// A method with its parameters, as an experiment writes it: `[method.portrait]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MethodSpec {
    /// The mean of the word vectors of the keywords: the method that is reproduced.
    Portrait(Portrait),
    /// The cosine of whole tf-idf vectors.
    TfIdf(TfIdf),
    /// Equal normalised texts.
    WholeFile(WholeFile),
}

/// The names of all methods, in the order of the documentation.
pub const NAMES: &[&str] = &["portrait", "tf-idf", "whole-file"];

impl MethodSpec {
    /// The method itself.
    pub fn method(&self) -> Box<dyn Method> {
        match self {
            MethodSpec::Portrait(method) => Box::new(method.clone()),
            MethodSpec::TfIdf(method) => Box::new(method.clone()),
            MethodSpec::WholeFile(method) => Box::new(method.clone()),
        }
    }
}
