//! Room 2: a paper's text becomes normal forms, tokens and shingles.

mod tokens;

pub use tokens::Tokens;
