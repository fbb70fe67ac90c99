//! What can go wrong with embeddings.

use std::path::PathBuf;

use crate::error::FileError;

/// Why an embedding could not be trained, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// A parameter outside its range.
    #[error("--{name} is {found}; wanted {wanted}")]
    Parameter {
        /// The parameter, as the flag is called.
        name: &'static str,
        /// Its value.
        found: String,
        /// What is possible.
        wanted: &'static str,
    },
    /// No word passes min-count.
    #[error(
        "{distinct} distinct words in {texts} texts ({total} in all), none occurs {min_count} times or more; lower --min-count or give more text"
    )]
    NoVocabulary {
        /// Distinct words seen.
        distinct: usize,
        /// Texts seen.
        texts: usize,
        /// Words seen.
        total: usize,
        /// The threshold.
        min_count: u64,
    },
    /// The numbers ran away.
    #[error(
        "training diverged in epoch {epoch} after {words} words: {what} at learning rate {learning_rate}; lower --learning-rate"
    )]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
        /// Words of the text gone through, over all epochs.
        words: u64,
        /// What is no number any more.
        what: String,
        /// The learning rate at the beginning.
        learning_rate: f64,
    },
    /// A file could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of some other kind.
    #[error("{}: this is {what}; wanted an embedding: .fifu, word2vec .bin, text with one word a line, or fastText .bin", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it looks like.
        what: String,
    },
    /// A model file whose name asks for no known format.
    #[error("{}: the format is told by the extension; wanted .fifu, .bin (word2vec), .txt or .vec (with a header) or .glove (without)", path.display())]
    Extension {
        /// The file.
        path: PathBuf,
    },
    /// The file is of the right kind, and broken.
    #[error("{}: {what}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where and what.
        what: String,
    },
    /// A word that the wanted format cannot hold.
    #[error("{}: the word {word:?} cannot be written in this format ({why}); write .fifu instead", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The word.
        word: String,
        /// Why not.
        why: &'static str,
    },
    /// A checkpoint or model that does not belong to this text and these parameters.
    #[error("{}: {what}", path.display())]
    Mismatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
    },
}
