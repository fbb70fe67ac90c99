//! Texts that are tokens already: one text a line, tokens parted by ASCII blanks.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use super::EmbeddingError;
use crate::error::FileError;
use crate::text::{Tokens, TokensBuilder};

/// Reads files of tokens, one text a line, plain or gzip; `-` is standard input. A line may be of any length: what is
/// held is the numbers of the tokens, never the text. Lines without a token are no texts. Blanks are ASCII's: a no-break
/// space is part of a token.
///
/// # Errors
/// If a file cannot be read, or a token is not UTF-8 (file and line are named).
pub fn read_tokens<P: AsRef<Path>>(paths: &[P]) -> Result<Tokens, EmbeddingError> {
    let mut builder = TokensBuilder::default();
    for path in paths {
        let path = path.as_ref();
        let mut reader: Box<dyn BufRead> = match path.to_str() {
            Some("-") => Box::new(BufReader::new(io::stdin())),
            _ => Box::new(BufReader::with_capacity(1 << 18, File::open(path).map_err(FileError::at(path))?)),
        };
        if reader.fill_buf().map_err(FileError::at(path))?.starts_with(b"\x1f\x8b") {
            reader = Box::new(BufReader::with_capacity(1 << 18, flate2::bufread::MultiGzDecoder::new(reader)));
        }
        read_into(path, &mut *reader, &mut builder)?;
    }
    Ok(builder.finish())
}

fn read_into(path: &Path, reader: &mut dyn BufRead, builder: &mut TokensBuilder) -> Result<(), EmbeddingError> {
    let mut line = 1u64;
    let mut any = false;
    // The beginning of a token whose end the buffer did not hold.
    let mut carried: Vec<u8> = Vec::new();
    loop {
        let buffer = reader.fill_buf().map_err(FileError::at(path))?;
        if buffer.is_empty() {
            any |= add(path, &carried, line, builder)?;
            if any {
                builder.end_text();
            }
            return Ok(());
        }
        let mut start = 0;
        for (at, &byte) in buffer.iter().enumerate() {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                continue;
            }
            if carried.is_empty() {
                any |= add(path, &buffer[start..at], line, builder)?;
            } else {
                carried.extend_from_slice(&buffer[start..at]);
                any |= add(path, &carried, line, builder)?;
                carried.clear();
            }
            start = at + 1;
            if byte == b'\n' {
                line += 1;
                if any {
                    builder.end_text();
                }
                any = false;
            }
        }
        carried.extend_from_slice(&buffer[start..]);
        let length = buffer.len();
        reader.consume(length);
    }
}

/// Adds a token; false if it is none.
fn add(path: &Path, bytes: &[u8], line: u64, builder: &mut TokensBuilder) -> Result<bool, EmbeddingError> {
    if bytes.is_empty() {
        return Ok(false);
    }
    let word = std::str::from_utf8(bytes).map_err(|_| EmbeddingError::Broken {
        path: path.to_owned(),
        what: format!("line {line}: the token {:?} is not UTF-8", String::from_utf8_lossy(bytes)),
    })?;
    builder.word(word);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::PaperId;

    #[test]
    fn tokens_are_parted_by_ascii_blanks_wherever_the_buffer_ends() {
        let text = "fog  horn\r\n\n \t\nlamp\u{a0}post fog\nlast";
        for capacity in 1..9 {
            let mut builder = TokensBuilder::default();
            let mut reader = BufReader::with_capacity(capacity, text.as_bytes());
            read_into(Path::new("x"), &mut reader, &mut builder).unwrap();
            let tokens = builder.finish();
            assert_eq!(tokens.words(), ["fog", "horn", "lamp\u{a0}post", "last"]);
            assert_eq!(tokens.papers(), 3);
            assert_eq!(tokens.of(PaperId(1)), [2, 0]);
        }
        let mut reader = BufReader::new(&b"a b\nc \xff\xfe d"[..]);
        let error = read_into(Path::new("x"), &mut reader, &mut TokensBuilder::default()).unwrap_err();
        assert_eq!(error.to_string(), "x: line 2: the token \"\u{fffd}\u{fffd}\" is not UTF-8");
    }
}
