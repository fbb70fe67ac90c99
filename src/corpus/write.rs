//! Writing a corpus in the format that the ending of the file's name says.

use std::io::{self, Write};
use std::path::Path;

use super::formats::{FormatWriter, writers};
use super::{Layout, Paper};

/// Why a corpus could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// No writer has this ending.
    #[error("{path}: the ending says no format that can be written; wanted one of {known}")]
    Ending {
        /// The path.
        path: String,
        /// The endings that are known.
        known: String,
    },
    /// The output failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The writer that the ending of a path chooses. `-`, standard output, is JSON lines.
///
/// # Errors
/// If there is none; ask before the work starts.
pub fn writer_for(path: impl AsRef<Path>) -> Result<&'static dyn FormatWriter, WriteError> {
    let path = path.as_ref();
    let ending = match path.to_str() {
        Some("-") => "jsonl".to_owned(),
        _ => path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default(),
    };
    writers().iter().copied().find(|writer| writer.extensions().contains(&ending.as_str())).ok_or_else(|| {
        let known: Vec<String> =
            writers().iter().flat_map(|writer| writer.extensions()).map(|ending| format!(".{ending}")).collect();
        WriteError::Ending { path: path.display().to_string(), known: known.join(", ") }
    })
}

/// Writes papers in the format that the ending of the path says.
///
/// # Errors
/// If no writer has the ending, or the output fails.
pub fn write(path: impl AsRef<Path>, papers: &[Paper], layout: &Layout, out: &mut dyn Write) -> Result<(), WriteError> {
    Ok(writer_for(path)?.write(papers, layout, out)?)
}
