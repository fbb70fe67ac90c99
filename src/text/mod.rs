//! Room 2: a paper's text becomes normal forms, tokens and shingles.

mod shingles;
mod tokens;

pub use shingles::{ShingleError, ShingleKind, ShingleParams, ShingleSets, Shingling, ShortText, WordRule};
pub use tokens::Tokens;
