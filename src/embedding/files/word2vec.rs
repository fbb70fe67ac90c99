//! word2vec's binary form: a line `V N`, then for each word its bytes, a blank, N little-endian f32, and perhaps a line
//! end (word2vec.c writes one, gensim does not).

use std::io::{self, BufRead, Read, Write};

use super::{RowsRead, text};
use crate::embedding::{Embedding, EmbeddingError};

/// A word longer than this is no word.
const LONGEST_WORD: u64 = 1 << 16;

pub(super) fn read(reader: &mut impl BufRead, size: Option<u64>, rows: &mut RowsRead) -> Result<(), EmbeddingError> {
    let mut word = Vec::new();
    reader.by_ref().take(LONGEST_WORD).read_until(b'\n', &mut word).map_err(|e| rows.failed(e))?;
    let header = text::fields(word.strip_suffix(b"\n").unwrap_or(&word));
    let wanted = match header[..] {
        [count, dims] => text::count(count).zip(text::count(dims)),
        _ => None,
    };
    let Some((announced, dims)) = wanted.filter(|&(_, dims)| (1..=65_536).contains(&dims)) else {
        return Err(rows.broken("the first line announces no possible \"COUNT DIMS\""));
    };
    // The shortest row is a blank and the numbers.
    if let Some(size) = size
        && announced.checked_mul(4 * dims + 1).is_none_or(|bytes| bytes > size)
    {
        return Err(rows.broken(format!(
            "the header announces {announced} vectors of {dims} numbers, the file has {size} bytes: cut short, or a header that lies"
        )));
    }
    rows.dims = dims as usize;
    let mut bytes = vec![0u8; 4 * dims as usize];
    let mut vector = vec![0f32; dims as usize];
    for row in 1..=announced {
        word.clear();
        reader.by_ref().take(LONGEST_WORD).read_until(b' ', &mut word).map_err(|e| rows.failed(e))?;
        if word.pop() != Some(b' ') {
            return Err(rows.broken(if word.len() as u64 + 1 >= LONGEST_WORD {
                format!("vector {row} of {announced}: no word ends within {LONGEST_WORD} bytes")
            } else {
                format!("the header announces {announced} vectors, the file ends after {}", row - 1)
            }));
        }
        reader.read_exact(&mut bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => {
                rows.broken(format!("the file ends within vector {row} of {announced}: it is cut short"))
            }
            _ => rows.failed(e),
        })?;
        for (x, bytes) in vector.iter_mut().zip(bytes.chunks_exact(4)) {
            *x = f32::from_le_bytes(bytes.try_into().expect("chunks of 4"));
        }
        let word = word.strip_prefix(b"\n").unwrap_or(&word);
        rows.push(word, &vector, || format!("vector {row}"))?;
    }
    let mut rest = Vec::new();
    reader.by_ref().take(64).read_to_end(&mut rest).map_err(|e| rows.failed(e))?;
    if !rest.trim_ascii().is_empty() {
        return Err(rows.broken(format!("more bytes follow after the {announced} announced vectors")));
    }
    Ok(())
}

pub(super) fn write(out: &mut impl Write, embedding: &Embedding) -> io::Result<()> {
    writeln!(out, "{} {}", embedding.len(), embedding.dims())?;
    for (word, row) in embedding.words().iter().zip(embedding.vectors().rows()) {
        out.write_all(word.as_bytes())?;
        out.write_all(b" ")?;
        for x in row {
            out.write_all(&x.to_le_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
