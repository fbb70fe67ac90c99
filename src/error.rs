//! Where something went wrong: the place inside an input, and a file that could not be used at all.
//!
//! Each room has its own error enum; these are the parts that they share.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The place of a record in the input that it came from.
///
/// Records and lines count from 1; 0 means that the format has no such thing (a JSON array has no lines of its own).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The file as the user named it, `-` for standard input; a member of an archive is `archive.zip:member`.
    pub file: Arc<str>,
    /// The record's number in the file, from 1.
    pub record: u64,
    /// The line on which the record starts, from 1.
    pub line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ", line {}", self.line)?;
        }
        if self.record > 0 {
            write!(f, ", record {}", self.record)?;
        }
        Ok(())
    }
}

/// A file that could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

impl FileError {
    /// Names the file in an error of the system.
    pub fn new(path: impl AsRef<Path>, source: std::io::Error) -> FileError {
        FileError { path: path.as_ref().to_owned(), source }
    }

    /// For `map_err`: names the file in an error of the system.
    pub fn at(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> FileError {
        move |source| FileError::new(path, source)
    }
}
