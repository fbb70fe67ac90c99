//! The whole state of a training after an epoch: what is needed to go on as if nothing had happened.
//!
//! The file: 8 bytes of magic, the length of a JSON head, the head, the words with their counts, both matrices (f32,
//! row after row), and XXH3 of all that, little-endian throughout.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::{EmbeddingError, Provenance, TrainReport};
use crate::error::FileError;
use crate::output::Output;

const MAGIC: &[u8; 8] = b"PTW2VCK1";

/// What a checkpoint says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    /// Epochs done.
    pub epochs: usize,
    pub words: usize,
    pub dims: usize,
    /// Rows of the output matrix.
    pub outputs: usize,
    pub about: Provenance,
    pub report: TrainReport,
}

/// A checkpoint in memory.
pub(super) struct Checkpoint {
    pub head: Head,
    pub words: Vec<(String, u64)>,
    pub input: Vec<f32>,
    pub output: Vec<f32>,
}

struct Hashed<W> {
    out: W,
    hash: Xxh3,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// Calls its argument with each row of a matrix, in order.
pub(super) type EachRow<'a> = &'a dyn Fn(&mut dyn FnMut(&[f32]));

pub(super) fn write(
    path: &Path,
    head: &Head,
    words: &[String],
    counts: &[u64],
    matrices: [EachRow<'_>; 2],
) -> Result<(), EmbeddingError> {
    let mut out = Hashed { out: Output::create(path)?, hash: Xxh3::new() };
    let mut all = || -> std::io::Result<()> {
        let head = serde_json::to_vec(head).map_err(std::io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(&head)?;
        for (word, count) in words.iter().zip(counts) {
            out.write_all(&(word.len() as u32).to_le_bytes())?;
            out.write_all(word.as_bytes())?;
            out.write_all(&count.to_le_bytes())?;
        }
        for matrix in matrices {
            let mut result = Ok(());
            let mut bytes = Vec::new();
            matrix(&mut |row| {
                if result.is_ok() {
                    bytes.clear();
                    bytes.extend(row.iter().flat_map(|x| x.to_le_bytes()));
                    result = out.write_all(&bytes);
                }
            });
            result?;
        }
        let sum = out.hash.digest();
        out.out.write_all(&sum.to_le_bytes())
    };
    all().map_err(FileError::at(path))?;
    Ok(out.out.commit()?)
}

/// Whether a file begins as a checkpoint does.
pub(super) fn is_checkpoint(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0u8; 8];
    std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok()) && &magic == MAGIC
}

pub(super) fn read(path: &Path) -> Result<Checkpoint, EmbeddingError> {
    let bytes = std::fs::read(path).map_err(FileError::at(path))?;
    let broken = |what: &str| EmbeddingError::Broken { path: path.to_owned(), what: what.to_owned() };
    if !bytes.starts_with(MAGIC) {
        return Err(EmbeddingError::OtherKind { path: path.to_owned(), what: "no checkpoint of a training".into() });
    }
    let (body, sum) = bytes.split_at(bytes.len().saturating_sub(8).max(8));
    let mut hash = Xxh3::new();
    hash.update(body);
    if sum != hash.digest().to_le_bytes() {
        return Err(broken("the checkpoint is cut short or damaged (its checksum differs)"));
    }
    parse(&body[8..]).ok_or_else(|| broken("the checkpoint is of another version of the program"))
}

/// The sum was right, so the sizes are; they are looked at all the same.
fn parse(mut rest: &[u8]) -> Option<Checkpoint> {
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at_checked(count)?;
        rest = left;
        Some(taken)
    };
    let length = u64::from_le_bytes(take(8)?.try_into().ok()?);
    let head: Head = serde_json::from_slice(take(usize::try_from(length).ok()?)?).ok()?;
    let mut words = Vec::new();
    for _ in 0..head.words {
        let length = u32::from_le_bytes(take(4)?.try_into().ok()?);
        let word = std::str::from_utf8(take(length as usize)?).ok()?.to_owned();
        words.push((word, u64::from_le_bytes(take(8)?.try_into().ok()?)));
    }
    let mut matrix = |rows: usize| {
        let bytes = take(rows.checked_mul(head.dims)?.checked_mul(4)?)?;
        Some(
            bytes.chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().expect("chunks of 4"))).collect::<Vec<f32>>(),
        )
    };
    let (input, output) = (matrix(head.words)?, matrix(head.outputs)?);
    rest.is_empty().then_some(Checkpoint { head, words, input, output })
}
