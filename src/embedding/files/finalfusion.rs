//! The one place that knows the finalfusion crate and its ndarray 0.15.
//!
//! finalfusion allocates what a header asks for and panics on a word that comes twice, so each file is walked before it
//! is handed over: every size against the bytes that are there, every word against the words before it. It keeps unit
//! vectors and their lengths apart; we multiply them back.

use std::collections::HashSet;
use std::io::{BufRead, Cursor, Write};
use std::path::Path;

use finalfusion::compat::fasttext::ReadFastText;
use finalfusion::io::WriteEmbeddings;
use finalfusion::metadata::Metadata;
use finalfusion::norms::NdNorms;
use finalfusion::prelude::{Embeddings, ReadEmbeddings};
use finalfusion::storage::{NdArray, StorageWrap};
use finalfusion::vocab::{SimpleVocab, Vocab, VocabWrap};

use super::RowsRead;
use crate::embedding::{Embedding, EmbeddingError, Provenance};
use crate::error::FileError;

/// Bytes with a place, which says what is missing where they end.
struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Walk<'a> {
    fn take(&mut self, count: u64, what: &str) -> Result<&'a [u8], String> {
        let left = (self.bytes.len() - self.at) as u64;
        if count > left {
            return Err(format!("{what} wants {count} bytes, {left} are left: cut short, or a header that lies"));
        }
        let taken = &self.bytes[self.at..self.at + count as usize];
        self.at += count as usize;
        Ok(taken)
    }

    fn u32(&mut self, what: &str) -> Result<u32, String> {
        Ok(u32::from_le_bytes(self.take(4, what)?.try_into().expect("four bytes")))
    }

    fn u64(&mut self, what: &str) -> Result<u64, String> {
        Ok(u64::from_le_bytes(self.take(8, what)?.try_into().expect("eight bytes")))
    }
}

/// Checks every size of a fifu file and that no word comes twice.
fn check_fifu(bytes: &[u8]) -> Result<(), String> {
    let mut walk = Walk { bytes, at: 0 };
    walk.take(4, "the magic")?;
    let version = walk.u32("the version")?;
    if version != 0 {
        return Err(format!("finalfusion version {version}; version 0 can be read"));
    }
    let chunks = walk.u32("the number of chunks")?;
    walk.take(u64::from(chunks) * 4, "the list of chunks")?;
    let (mut words, mut rows) = (None, None);
    for _ in 0..chunks {
        let kind = walk.u32("a chunk's kind")?;
        let length = walk.u64("a chunk's length")?;
        let start = walk.at;
        walk.take(length, "a chunk")?;
        let mut chunk = Walk { bytes: &bytes[..walk.at], at: start };
        match kind {
            1 | 3 | 7 => {
                let count = chunk.u64("the number of words")?;
                if kind != 1 {
                    chunk.take(12, "the subword sizes")?;
                }
                if count > (chunk.bytes.len() - chunk.at) as u64 / 4 {
                    return Err(format!("the vocabulary announces {count} words in {length} bytes"));
                }
                let mut seen = HashSet::new();
                for number in 0..count {
                    let size = chunk.u32("a word's length")?;
                    let word = chunk.take(size.into(), "a word")?;
                    let word = std::str::from_utf8(word).map_err(|e| format!("word {number} is not UTF-8: {e}"))?;
                    if !seen.insert(word) {
                        return Err(format!("the word {word:?} comes twice"));
                    }
                }
                words = Some(count);
            }
            2 => {
                let count = chunk.u64("the number of rows")?;
                let dims = chunk.u32("the number of dimensions")?;
                if count.checked_mul(u64::from(dims) * 4).is_none_or(|bytes| bytes > length) || dims == 0 {
                    return Err(format!("the matrix announces {count} x {dims} numbers in {length} bytes"));
                }
                rows = Some(count);
            }
            6 => {
                let count = chunk.u64("the number of lengths")?;
                if count > length / 4 {
                    return Err(format!("{count} vector lengths are announced in {length} bytes"));
                }
                if words.is_some_and(|words| words > count) {
                    return Err(format!("{count} vector lengths for more words"));
                }
            }
            5 => {}
            4 => return Err("its vectors are quantized, which this program does not read".into()),
            other => return Err(format!("it holds a chunk of kind {other}, which this program does not read")),
        }
    }
    match (words, rows) {
        (Some(words), Some(rows)) if words <= rows => Ok(()),
        (Some(words), Some(rows)) => Err(format!("{words} words, but only {rows} vectors")),
        _ => Err("no words or no vectors are in it".into()),
    }
}

pub(super) fn read_fifu(reader: &mut impl BufRead, rows: &mut RowsRead) -> Result<Option<Provenance>, EmbeddingError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|e| rows.failed(e))?;
    check_fifu(&bytes).map_err(|what| rows.broken(what))?;
    let mut cursor = Cursor::new(bytes);
    let embeddings: Embeddings<VocabWrap, StorageWrap> =
        Embeddings::read_embeddings(&mut cursor).map_err(|e| rows.broken(e.to_string()))?;
    drop(cursor);
    rows.dims = embeddings.dims();
    take_rows(embeddings.iter_with_norms().map(|(word, e)| (word.to_owned(), e.into_unnormalized().to_vec())), rows)?;
    Ok(embeddings.metadata().and_then(|metadata| {
        let text = toml08::to_string(&**metadata).ok()?;
        toml::from_str::<Provenance>(&text).ok()
    }))
}

fn take_rows(found: impl Iterator<Item = (String, Vec<f32>)>, rows: &mut RowsRead) -> Result<(), EmbeddingError> {
    for (number, (word, vector)) in found.enumerate() {
        rows.push(word.as_bytes(), &vector, || format!("vector {}", number + 1))?;
    }
    Ok(())
}

/// Checks the sizes in the head of a fastText file and that no word comes twice.
fn check_fasttext(bytes: &[u8]) -> Result<(), String> {
    let mut walk = Walk { bytes, at: 8 };
    walk.take(0, "the head")?;
    let dims = walk.u32("the number of dimensions")?;
    walk.take(4 * 7, "the parameters")?;
    let buckets = walk.u32("the number of buckets")?;
    walk.take(4 * 3 + 8, "the parameters")?;
    let size = walk.u32("the number of entries")?;
    let words = walk.u32("the number of words")?;
    let labels = walk.u32("the number of labels")?;
    walk.take(8, "the number of tokens")?;
    let pruned = walk.u64("the size of the pruning table")?;
    if pruned as i64 > 0 {
        return Err("it is a pruned model, which cannot be read".into());
    }
    if labels > 0 || size != words {
        return Err(format!(
            "it is a classifier ({labels} labels, {words} of {size} entries are words), not an embedding"
        ));
    }
    let mut seen = HashSet::new();
    for number in 0..words {
        let rest = &bytes[walk.at..];
        let length = rest.iter().take(1 << 16).position(|&b| b == 0);
        let length = length.ok_or_else(|| format!("word {} of {words} does not end", number + 1))?;
        let word = walk.take(length as u64, "a word")?;
        if !seen.insert(String::from_utf8_lossy(word)) {
            return Err(format!("the word {:?} comes twice", String::from_utf8_lossy(word)));
        }
        walk.take(1 + 8 + 1, "a word's count")?;
    }
    if walk.take(1, "the mark of quantization")? != [0] {
        return Err("its vectors are quantized, which this program does not read".into());
    }
    let rows = walk.u64("the number of rows")?;
    let columns = walk.u64("the number of columns")?;
    if columns != u64::from(dims) || dims == 0 {
        return Err(format!("the matrix has {columns} columns, the parameters say {dims}"));
    }
    if rows != u64::from(words) + u64::from(buckets) {
        return Err(format!("the matrix has {rows} rows for {words} words and {buckets} buckets"));
    }
    let numbers = rows.checked_mul(columns).and_then(|n| n.checked_mul(4)).ok_or("a matrix of impossible size")?;
    walk.take(numbers, "the matrix").map(drop)
}

pub(super) fn read_fasttext(reader: &mut impl BufRead, rows: &mut RowsRead) -> Result<(), EmbeddingError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).map_err(|e| rows.failed(e))?;
    if bytes.len() < 8 {
        return Err(rows.broken("the file is cut short after its first bytes"));
    }
    check_fasttext(&bytes).map_err(|what| rows.broken(what))?;
    let mut cursor = Cursor::new(bytes);
    let embeddings = match rows.lossy {
        true => Embeddings::read_fasttext_lossy(&mut cursor),
        false => Embeddings::read_fasttext(&mut cursor),
    }
    .map_err(|e| rows.broken(e.to_string()))?;
    drop(cursor);
    rows.dims = embeddings.dims();
    take_rows(embeddings.iter_with_norms().map(|(word, e)| (word.to_owned(), e.into_unnormalized().to_vec())), rows)
}

pub(super) fn write_fifu(
    path: &Path,
    out: &mut impl Write,
    embedding: &Embedding,
    about: Option<&Provenance>,
) -> Result<(), EmbeddingError> {
    let failed = |what: String| FileError::new(path, std::io::Error::other(what));
    let mut norms = Vec::with_capacity(embedding.len());
    let mut numbers = Vec::with_capacity(embedding.len() * embedding.dims());
    for row in embedding.vectors().rows() {
        // f64 so that neither the square nor the sum overflows.
        let norm = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt();
        let factor = if norm == 0.0 { 0.0 } else { 1.0 / norm };
        numbers.extend(row.iter().map(|&x| (f64::from(x) * factor) as f32));
        norms.push(norm as f32);
    }
    let storage =
        ndarray015::Array2::from_shape_vec((embedding.len(), embedding.dims()), numbers).expect("one row a word");
    let metadata = match about {
        None => None,
        Some(about) => {
            let text = toml::to_string(about).map_err(|e| failed(e.to_string()))?;
            Some(Metadata::new(text.parse::<toml08::Table>().map_err(|e| failed(e.to_string()))?))
        }
    };
    let embeddings = Embeddings::new(
        metadata,
        SimpleVocab::new(embedding.words().to_vec()),
        NdArray::new(storage),
        NdNorms::new(ndarray015::Array1::from(norms)),
    );
    debug_assert_eq!(embeddings.vocab().words_len(), embedding.len());
    // The crate wants to seek: the file is made in memory.
    let mut bytes = Cursor::new(Vec::new());
    embeddings.write_embeddings(&mut bytes).map_err(|e| failed(e.to_string()))?;
    out.write_all(bytes.get_ref()).map_err(FileError::at(path))?;
    Ok(())
}
