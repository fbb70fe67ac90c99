//! A decoded text, line by line, with line numbers.

use std::io::{self, BufRead, Read};

/// The longest line or record that is read, 256 MiB: more is no record but a file that is something else.
pub const LONGEST: usize = 256 << 20;

/// A stream of UTF-8 text that counts its lines.
///
/// Lines end with LF, CR LF or, in a text that has no LF at its beginning, CR.
pub struct Text {
    input: Box<dyn BufRead + Send>,
    line: u64,
    buffer: Vec<u8>,
    end: Option<u8>,
}

impl Text {
    /// A text of bytes that are UTF-8.
    pub fn new(input: Box<dyn BufRead + Send>) -> Text {
        Text { input, line: 0, buffer: Vec::new(), end: None }
    }

    /// The bytes that were not read yet, for formats that are no text.
    pub fn into_bytes(self) -> Box<dyn BufRead + Send> {
        self.input
    }

    /// The number of the line that was read last, from 1; 0 before the first.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next line without its end; `None` at the end of the text.
    ///
    /// # Errors
    /// If the input cannot be read, or the line is longer than [`LONGEST`].
    pub fn next_line(&mut self) -> io::Result<Option<&str>> {
        self.buffer.clear();
        if !self.read_line()? {
            return Ok(None);
        }
        let end = self.end.unwrap_or(b'\n');
        if self.buffer.last() == Some(&end) {
            self.buffer.pop();
        }
        if end == b'\n' && self.buffer.last() == Some(&b'\r') {
            self.buffer.pop();
        }
        text_of(&self.buffer).map(Some)
    }

    /// The next line with its end appended to `record`; false at the end of the text.
    ///
    /// # Errors
    /// As [`Text::next_line`].
    pub fn append_line(&mut self, record: &mut String) -> io::Result<bool> {
        self.buffer.clear();
        let more = self.read_line()?;
        record.push_str(text_of(&self.buffer)?);
        Ok(more)
    }

    /// The rest of the text. For formats whose files are small.
    ///
    /// # Errors
    /// If the input cannot be read, or the rest is longer than `limit` bytes.
    pub fn rest(&mut self, limit: usize) -> io::Result<String> {
        let mut rest = String::new();
        while self.append_line(&mut rest)? {
            if rest.len() > limit {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("more than {limit} bytes in one piece; split the file"),
                ));
            }
        }
        Ok(rest)
    }

    /// The bytes that are buffered, for scanners that look for the ends of records themselves; then
    /// [`Text::consume`] as many as were used.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn fill(&mut self) -> io::Result<&[u8]> {
        self.input.fill_buf()
    }

    /// So many bytes of [`Text::fill`] were used, among them so many line ends.
    pub fn consume(&mut self, bytes: usize, lines: u64) {
        self.line += lines;
        self.input.consume(bytes);
    }

    fn read_line(&mut self) -> io::Result<bool> {
        let end = match self.end {
            Some(end) => end,
            None => {
                let head = self.input.fill_buf()?;
                let old = !head.contains(&b'\n') && head.contains(&b'\r');
                *self.end.insert(if old { b'\r' } else { b'\n' })
            }
        };
        let limit = LONGEST as u64 + 1;
        (&mut self.input).take(limit).read_until(end, &mut self.buffer)?;
        if self.buffer.len() > LONGEST {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("line {} is longer than {} MiB; this is no file of records", self.line + 1, LONGEST >> 20),
            ));
        }
        if self.buffer.is_empty() {
            return Ok(false);
        }
        self.line += 1;
        Ok(true)
    }
}

fn text_of(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
