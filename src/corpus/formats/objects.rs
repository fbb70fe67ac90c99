//! JSON objects cut out of a stream: those of an array, of lines, one after the other, or of the array that a reply of a
//! server has somewhere inside (`{"message": {"items": [...]}}`). So memory does not grow with the file, and an object
//! that is no JSON costs one record.

use std::io;

use serde_json::{Map, Value};

use super::{RecordReader, Source};
use crate::corpus::lines::Text;
use crate::corpus::{Paper, Rejected};

/// An object longer than this is none.
const LONGEST: usize = 64 << 20;

/// One object of the stream.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) line: u64,
    pub(super) whole: bool,
}

/// The objects of a stream.
pub(super) struct Objects {
    text: Text,
    buffer: Vec<u8>,
    at: usize,
    line: u64,
    /// The member whose array holds the records, as long as it has not been met.
    inside: Option<&'static str>,
    ended: bool,
}

impl Objects {
    /// `lists`: members that hold the records where the whole is one object.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(super) fn new(mut text: Text, lists: &'static [&'static str]) -> io::Result<Objects> {
        let head = String::from_utf8_lossy(text.fill()?).into_owned();
        let inside = if head.trim_start().starts_with('{') {
            lists.iter().copied().find(|list| list_at(head.as_bytes(), list).is_some())
        } else {
            None
        };
        Ok(Objects { text, buffer: Vec::new(), at: 0, line: 1, inside, ended: false })
    }

    /// The line that is being read.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    fn more(&mut self) -> io::Result<bool> {
        if self.at > 0 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        let chunk = self.text.fill()?;
        let read = chunk.len();
        self.buffer.extend_from_slice(chunk);
        self.text.consume(read, 0);
        self.ended = read == 0;
        Ok(read > 0)
    }

    fn advance(&mut self, to: usize) {
        self.line += self.buffer[self.at..to].iter().filter(|&&b| b == b'\n').count() as u64;
        self.at = to;
    }

    /// The next object; `None` at the end.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        while let Some(list) = self.inside {
            match list_at(&self.buffer[self.at..], list) {
                Some(place) => {
                    self.advance(self.at + place);
                    self.inside = None;
                }
                None => {
                    if !self.more()? {
                        self.inside = None;
                    }
                }
            }
        }
        loop {
            match self.buffer[self.at..].iter().position(|&b| b == b'{') {
                Some(place) => {
                    self.advance(self.at + place);
                    break;
                }
                None => {
                    self.advance(self.buffer.len());
                    if !self.more()? {
                        return Ok(None);
                    }
                }
            }
        }
        let line = self.line;
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        let mut length = 0;
        loop {
            while let Some(&byte) = self.buffer.get(self.at + length) {
                length += 1;
                match byte {
                    _ if escaped => escaped = false,
                    b'\\' if quoted => escaped = true,
                    b'"' => quoted = !quoted,
                    // A line feed cannot stand inside of a string: a quotation mark is missing.
                    b'\n' if quoted => quoted = false,
                    b'{' if !quoted => depth += 1,
                    b'}' if !quoted => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return Ok(Some(self.piece(length, line, true)));
                }
            }
            if length > LONGEST || !self.more()? {
                return Ok(Some(self.piece(length, line, false)));
            }
        }
    }

    fn piece(&mut self, length: usize, line: u64, whole: bool) -> Piece {
        let text = String::from_utf8_lossy(&self.buffer[self.at..self.at + length]).into_owned();
        self.advance(self.at + length);
        Piece { text, line, whole }
    }
}

/// The place behind `"name": [`.
fn list_at(bytes: &[u8], name: &str) -> Option<usize> {
    let quoted = format!("\"{name}\"");
    let mut from = 0;
    while let Some(place) = bytes[from..].windows(quoted.len()).position(|part| part == quoted.as_bytes()) {
        let mut at = from + place + quoted.len();
        let mut colon = false;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match byte {
                b':' if !colon => colon = true,
                b'[' if colon => return Some(at),
                _ if byte.is_ascii_whitespace() => {}
                _ => break,
            }
        }
        from += place + quoted.len();
    }
    None
}

/// The records of a JSON file.
pub(super) struct JsonRecords {
    source: Source,
    objects: Objects,
    read: fn(Map<String, Value>) -> Result<Paper, String>,
    records: u64,
    done: bool,
}

impl JsonRecords {
    /// `read` makes the paper of one object.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub(super) fn new(
        mut source: Source,
        lists: &'static [&'static str],
        read: fn(Map<String, Value>) -> Result<Paper, String>,
    ) -> Result<JsonRecords, String> {
        let text = std::mem::replace(&mut source.text, Text::new(Box::new(io::empty())));
        let objects = Objects::new(text, lists).map_err(|error| error.to_string())?;
        Ok(JsonRecords { source, objects, read, records: 0, done: false })
    }
}

impl Iterator for JsonRecords {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let piece = match self.objects.next() {
            Ok(Some(piece)) => piece,
            Ok(None) => {
                self.done = true;
                return None;
            }
            Err(error) => {
                self.done = true;
                let place = self.source.place(self.records + 1, self.objects.line());
                return Some(Err(Rejected::cut(&place, &error)));
            }
        };
        self.records += 1;
        let place = self.source.place(self.records, piece.line);
        if !piece.whole {
            self.done = true;
            return Some(Err(Rejected::new(&place, "the object does not end")));
        }
        let parsed = serde_json::from_str::<Map<String, Value>>(&piece.text);
        Some(match parsed.map_err(|error| format!("no JSON object: {error}")).and_then(self.read) {
            Ok(mut paper) => {
                paper.place = place;
                Ok(paper)
            }
            Err(reason) => Err(Rejected::new(&place, reason)),
        })
    }
}

impl RecordReader for JsonRecords {}

/// The text of a value that can be one: a string, a number, or the first of a list. Empty for what has none.
pub(super) fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Array(items)) => text(items.first()),
        _ => String::new(),
    }
}

/// The texts of a value: those of a list, or the one.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => {
            items.iter().map(|item| text(Some(item))).filter(|text| !text.is_empty()).collect()
        }
        other => Some(text(other)).filter(|text| !text.is_empty()).into_iter().collect(),
    }
}

/// `{"date-parts": [[2016, 3, 5]]}` as ISO writes it; whatever else a date may be, as it is.
pub(super) fn date(value: Option<&Value>) -> String {
    let Some(value) = value else { return String::new() };
    if let Some(parts) = value.get("date-parts").and_then(|parts| parts.get(0)).and_then(Value::as_array) {
        let part = |n: usize| text(parts.get(n));
        if let Some(date) = super::dates::iso(&part(0), &part(1), &part(2)) {
            return date;
        }
        return part(0);
    }
    let free = ["raw", "literal", "date-time"].iter().map(|name| text(value.get(name))).find(|text| !text.is_empty());
    free.unwrap_or_else(|| text(Some(value)))
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    fn pieces(text: &str, capacity: usize) -> Vec<(String, u64, bool)> {
        let input = BufReader::with_capacity(capacity, Cursor::new(text.as_bytes().to_vec()));
        let mut objects = Objects::new(Text::new(Box::new(input)), &["items"]).unwrap();
        let mut all = Vec::new();
        while let Some(piece) = objects.next().unwrap() {
            all.push((piece.text, piece.line, piece.whole));
        }
        all
    }

    #[test]
    fn objects_are_cut_out_whatever_the_size_of_the_chunks() {
        let text = "[\n{\"a\": \"}{\\\"\"}, {\"b\":\n{\"c\": []}}\n{\"d\": \"open\n}, {\"e\": {";
        let wanted = [
            ("{\"a\": \"}{\\\"\"}", 2, true),
            ("{\"b\":\n{\"c\": []}}", 2, true),
            ("{\"d\": \"open\n}", 4, true),
            ("{\"e\": {", 5, false),
        ]
        .map(|(text, line, whole)| (text.to_owned(), line, whole));
        for capacity in 1..30 {
            assert_eq!(pieces(text, capacity), wanted, "{capacity}");
        }
    }

    #[test]
    fn the_list_of_a_reply_is_found() {
        let text = "{\"message\": {\"x\": \"items\", \"items\" : [{\"a\": 1}, {\"b\": 2}]}}";
        assert_eq!(pieces(text, 4096).iter().map(|p| p.0.as_str()).collect::<Vec<_>>(), ["{\"a\": 1}", "{\"b\": 2}"]);
    }
}
