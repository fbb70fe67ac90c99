//! The list of methods: the one place where a name becomes a method.

use serde::{Deserialize, Serialize};

use super::{
    Bloom, Chunks, FixedBlocks, HashedPortrait, Method, MinHashLsh, Pattern, Portrait, Records, Shingles, SimHash,
    StopWordShingles, TfIdf, WholeFile,
};
use crate::text::AnalyzerParams;

/// A method with its parameters, as an experiment writes it: `[method.portrait]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MethodSpec {
    /// The mean of the word vectors of the keywords: the method that is reproduced.
    Portrait(Portrait),
    /// The cosine of whole tf-idf vectors.
    TfIdf(TfIdf),
    /// Tf-idf weights times random word vectors.
    HashedPortrait(HashedPortrait),
    /// The fields of bibliographic records, one by one.
    Records(Records),
    /// Equal normalised texts.
    WholeFile(WholeFile),
    /// Equal blocks of a fixed number of letters.
    FixedBlocks(FixedBlocks),
    /// Equal content-defined chunks.
    Chunks(Chunks),
    /// Common word or letter shingles, exactly.
    Shingles(Shingles),
    /// Common stop-word shingles, exactly.
    StopWordShingles(StopWordShingles),
    /// Common shingles by MinHash and bands, verified.
    Minhash(MinHashLsh),
    /// Equal bits of 64.
    Simhash(SimHash),
    /// Common bits of Bloom filters.
    Bloom(Bloom),
    /// Passages of one found word for word in the other.
    Pattern(Pattern),
}

/// The names of all methods, in the order of the documentation.
pub const NAMES: &[&str] = &[
    "portrait",
    "tf-idf",
    "hashed-portrait",
    "records",
    "whole-file",
    "fixed-blocks",
    "chunks",
    "shingles",
    "stop-word-shingles",
    "minhash",
    "simhash",
    "bloom",
    "pattern",
];

impl MethodSpec {
    /// How texts become tokens, if the method needs word vectors: the vectors must be trained on tokens made alike.
    pub fn embedding_text(&self) -> Option<&AnalyzerParams> {
        match self {
            MethodSpec::Portrait(portrait) => Some(&portrait.text),
            _ => None,
        }
    }

    /// In one line, what makes two papers alike.
    pub fn about(&self) -> &'static str {
        match self {
            MethodSpec::Portrait(_) => "the cosine of the means of their keywords' word vectors: the paper portrait",
            MethodSpec::TfIdf(_) => "the cosine of their whole tf-idf vectors",
            MethodSpec::HashedPortrait(_) => "the cosine of their tf-idf weights times random word vectors",
            MethodSpec::Records(_) => "their bibliographic fields, one by one, with vetoes",
            MethodSpec::WholeFile(_) => "equal normalised texts",
            MethodSpec::FixedBlocks(_) => "equal blocks of a fixed number of letters",
            MethodSpec::Chunks(_) => "equal content-defined chunks",
            MethodSpec::Shingles(_) => "common word or letter shingles: Jaccard or containment, exactly",
            MethodSpec::StopWordShingles(_) => "common shingles that begin with a stop word, exactly",
            MethodSpec::Minhash(_) => "common shingles, found by MinHash and bands and verified",
            MethodSpec::Simhash(_) => "equal bits of 64-bit SimHash fingerprints",
            MethodSpec::Bloom(_) => "common bits of Bloom filters of their shingles",
            MethodSpec::Pattern(_) => "passages of one that stand word for word in the other",
        }
    }

    /// The method itself.
    pub fn method(&self) -> Box<dyn Method> {
        match self {
            MethodSpec::Portrait(method) => Box::new(method.clone()),
            MethodSpec::TfIdf(method) => Box::new(method.clone()),
            MethodSpec::HashedPortrait(method) => Box::new(method.clone()),
            MethodSpec::Records(method) => Box::new(method.clone()),
            MethodSpec::WholeFile(method) => Box::new(method.clone()),
            MethodSpec::FixedBlocks(method) => Box::new(method.clone()),
            MethodSpec::Chunks(method) => Box::new(method.clone()),
            MethodSpec::Shingles(method) => Box::new(method.clone()),
            MethodSpec::StopWordShingles(method) => Box::new(method.clone()),
            MethodSpec::Minhash(method) => Box::new(method.clone()),
            MethodSpec::Simhash(method) => Box::new(method.clone()),
            MethodSpec::Bloom(method) => Box::new(method.clone()),
            MethodSpec::Pattern(method) => Box::new(method.clone()),
        }
    }
}
