//! Room 4: words become vectors.

mod vocabulary_vectors;

pub use vocabulary_vectors::Embedding;
