//! Text, a word a line: with a first line `V N` (word2vec, fastText .vec) or without (GloVe).
//!
//! Fields are parted by ASCII blanks and tabs only: a no-break space or an ideographic blank is a word. The N last
//! fields are the numbers, what stands before them is the word, so a word may hold blanks where N is announced.

use std::io::{self, BufRead, Read, Write};

use super::RowsRead;
use crate::embedding::{Embedding, EmbeddingError};

/// A line longer than this is no line of an embedding.
const LONGEST_LINE: u64 = 1 << 24;

pub(super) fn fields(line: &[u8]) -> Vec<&[u8]> {
    line.split(|b| matches!(b, b' ' | b'\t' | b'\r')).filter(|field| !field.is_empty()).collect()
}

/// A whole number without a sign.
pub(super) fn count(field: &[u8]) -> Option<u64> {
    if field.iter().all(u8::is_ascii_digit) { std::str::from_utf8(field).ok()?.parse().ok() } else { None }
}

/// A number as C, Python and Rust print them; what C prints for no number is a NaN.
pub(super) fn number(field: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(field).ok()?;
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let bare = text.trim_start_matches(['-', '+']).to_ascii_lowercase();
    (bare.starts_with("nan") || bare.starts_with("inf") || bare.starts_with("1.#")).then_some(f32::NAN)
}

pub(super) fn read(reader: &mut impl BufRead, header: bool, rows: &mut RowsRead) -> Result<(), EmbeddingError> {
    let mut line = Vec::new();
    let mut number_of_line = 0u64;
    let mut announced = None;
    let mut vector = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(|e| rows.failed(e))?;
        if read == 0 {
            break;
        }
        number_of_line += 1;
        if line.last() != Some(&b'\n') && read as u64 == LONGEST_LINE {
            return Err(rows.broken(format!("line {number_of_line} is longer than {LONGEST_LINE} bytes")));
        }
        while matches!(line.last(), Some(b'\n' | b'\r' | b' ' | b'\t')) {
            line.pop();
        }
        if line.is_empty() {
            continue;
        }
        let fields = fields(&line);
        if header && announced.is_none() {
            let dims = count(fields[1]).filter(|dims| (1..=65_536).contains(dims));
            let dims =
                dims.ok_or_else(|| rows.broken("line 1: the header announces no possible number of dimensions"))?;
            rows.dims = dims as usize;
            announced = count(fields[0]);
            continue;
        }
        if rows.dims == 0 {
            let numbers = fields.iter().rev().take_while(|field| number(field).is_some()).count();
            rows.dims = numbers.min(fields.len() - 1);
        }
        let dims = rows.dims;
        // A row may have an empty word: then it is all numbers, and begins with a blank.
        let wordless = fields.len() == dims && matches!(line[0], b' ' | b'\t');
        if fields.len() <= dims && !wordless {
            return Err(rows.broken(format!(
                "line {number_of_line}: {} numbers after the word, wanted {dims} ({})",
                fields.len() - 1,
                if header { "the header says so" } else { "the first line has so many" }
            )));
        }
        vector.clear();
        for field in &fields[fields.len() - dims..] {
            vector.push(number(field).ok_or_else(|| {
                rows.broken(format!("line {number_of_line}: {:?} is no number", String::from_utf8_lossy(field)))
            })?);
        }
        let word = if wordless {
            &[][..]
        } else {
            let first_number = fields[fields.len() - dims].as_ptr() as usize - line.as_ptr() as usize;
            &line[..first_number - 1]
        };
        if !header && fields.len() > dims + 1 && number(fields[fields.len() - dims - 1]).is_some() {
            return Err(rows.broken(format!(
                "line {number_of_line}: {} numbers, wanted {dims} (the first line has so many)",
                fields.iter().rev().take_while(|field| number(field).is_some()).count()
            )));
        }
        rows.push(word, &vector, || format!("line {number_of_line}"))?;
    }
    match announced {
        Some(announced) if announced != rows.rows => {
            Err(rows.broken(format!("the header announces {announced} vectors, the file holds {}", rows.rows)))
        }
        _ => Ok(()),
    }
}

pub(super) fn write(out: &mut impl Write, embedding: &Embedding, header: bool) -> io::Result<()> {
    if header {
        writeln!(out, "{} {}", embedding.len(), embedding.dims())?;
    }
    for (word, row) in embedding.words().iter().zip(embedding.vectors().rows()) {
        out.write_all(word.as_bytes())?;
        for x in row {
            write!(out, " {x}")?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
