//! Room 4: words become vectors.
//!
//! ```
//! use papertwin::embedding::{Word2VecParams, train};
//! use papertwin::progress::Run;
//! use papertwin::text::Tokens;
//!
//! let tokens = Tokens::from_texts(vec!["fog horn sounds over the harbour".split(' '); 50]);
//! let word2vec = Word2VecParams { dims: 8, min_count: 1, ..Default::default() }.check()?;
//! let trained = train(&tokens, &word2vec, &Run::default())?;
//! assert_eq!(trained.embedding.vector("horn").map(|vector| vector.len()), Some(8));
//! # Ok::<(), papertwin::embedding::EmbeddingError>(())
//! ```

mod checkpoint;
mod error;
mod files;
mod hogwild;
mod kernels;
mod params;
mod pieces;
mod rows;
mod schedule;
mod token_file;
mod training;
mod vocabulary;
mod vocabulary_vectors;
mod windows;

pub use error::EmbeddingError;
pub use files::{FileFormat, Loaded, ModelOutput, ReadOptions, read, write};
pub use params::{Architecture, Loss, Word2Vec, Word2VecParams};
pub use token_file::read_tokens;
pub use training::{
    CorpusFingerprint, Provenance, TrainOptions, TrainReport, Trained, checkpoint_dims, train, train_from,
};
pub use vocabulary_vectors::Embedding;
