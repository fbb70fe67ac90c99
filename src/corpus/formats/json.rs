//! JSON objects in an array, or one after the other, each over one line or many: the scanner that cuts them out of a
//! stream without ever holding the array, and the reader of our own records in that form.

use std::io;

use super::super::json::{mend, parse_paper};
use super::super::lines::{LONGEST, Text};
use super::super::names::{Column, ColumnMap};
use super::super::{Paper, Rejected};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::error::Place;

/// Cuts objects out of a stream: whatever stands between them (brackets, commas at either end of a line) is skipped.
///
/// An object that is broken (a string that runs over its line, an end of file inside it, the next object beginning at
/// the left edge where all before had a line each) is one error; scanning goes on at the next line that begins with an
/// object no further to the right than the broken one.
pub struct Objects {
    text: Text,
    place: Place,
    one_line: bool,
    ended: bool,
    /// Elements between objects that are none, not yet told.
    strays: u64,
    /// Where the object after them stands, found already.
    held: Option<Option<usize>>,
    /// Whether what comes next is the rest of a broken object.
    after_broken: bool,
}

/// Where the scanner is in an object.
struct Scan {
    bytes: Vec<u8>,
    depth: u32,
    inside: bool,
    escaped: bool,
    lines: u64,
    /// At the left edge of a line: nothing but blanks and a comma so far, this many of them.
    edge: Option<usize>,
}

enum Step {
    Going,
    Whole,
    Broken(&'static str),
}

impl Scan {
    /// Takes bytes until the object ends or breaks; says how many and how many line ends among them.
    fn take(&mut self, chunk: &[u8], indent: usize, one_line: bool) -> (usize, u64, Step) {
        let mut lines = 0;
        let mut at = 0;
        let mut step = Step::Going;
        while at < chunk.len() {
            let byte = chunk[at];
            at += 1;
            if self.inside {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.inside = false,
                    b'\n' => {
                        at -= 1;
                        step = Step::Broken("a string is not closed on its line");
                        break;
                    }
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => (self.inside, self.edge) = (true, None),
                b'{' => {
                    if self.depth > 0 && one_line && self.edge.is_some_and(|edge| edge <= indent) {
                        at -= 1;
                        step = Step::Broken("the next object begins before this one ends");
                        break;
                    }
                    self.depth += 1;
                    self.edge = None;
                }
                b'}' => {
                    self.depth -= 1;
                    self.edge = None;
                    if self.depth == 0 {
                        step = Step::Whole;
                        break;
                    }
                }
                b'\n' => {
                    lines += 1;
                    self.edge = Some(0);
                }
                b' ' | b'\t' | b',' | b'\r' => self.edge = self.edge.map(|edge| edge + 1),
                _ => self.edge = None,
            }
        }
        self.bytes.extend_from_slice(&chunk[..at]);
        self.lines += lines;
        (at, lines, step)
    }
}

impl Objects {
    /// The objects of a text.
    pub fn new(text: Text, place: Place) -> Objects {
        Objects { text, place, one_line: false, ended: false, strays: 0, held: None, after_broken: false }
    }

    /// Says that the format has one object a line, so that even the first may be broken.
    pub fn one_a_line(self) -> Objects {
        Objects { one_line: true, ..self }
    }

    /// Skips to the next `{`; how far from the left edge it is, `None` at the end of the text. A missing edge (text
    /// before it on the line) counts as far to the right.
    fn seek(&mut self, only_edge: Option<usize>) -> io::Result<Option<usize>> {
        let mut edge = if only_edge.is_some() { None } else { Some(0) };
        let counting = only_edge.is_none() && !self.after_broken;
        let (mut stray, mut quoted) = (false, false);
        loop {
            let chunk = self.text.fill()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let (mut used, mut lines, mut found) = (0, 0, None);
            for &byte in chunk {
                quoted ^= byte == b'"' && counting;
                match byte {
                    b',' if !quoted => stray = false,
                    b' ' | b'\t' | b'\r' | b'\n' | b'[' | b']' | b'{' => {}
                    _ if counting && !stray => {
                        self.strays += 1;
                        stray = true;
                    }
                    _ => {}
                }
                match byte {
                    b'{' => {
                        let column = edge.unwrap_or(usize::MAX);
                        if only_edge.is_none_or(|most| column <= most) {
                            found = Some(column);
                            break;
                        }
                        edge = None;
                    }
                    b'\n' => {
                        lines += 1;
                        edge = Some(0);
                    }
                    b' ' | b'\t' | b',' | b'\r' => edge = edge.map(|edge| edge + 1),
                    b'[' if only_edge.is_none() => edge = edge.map(|edge| edge + 1),
                    _ => edge = None,
                }
                used += 1;
            }
            self.text.consume(used, lines);
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// The text of the next object and its place; `Err` for a broken one; `None` at the end.
    pub fn next_object(&mut self) -> Option<(Place, Result<String, String>)> {
        if self.ended {
            return None;
        }
        let object = self.scan().unwrap_or_else(|error| {
            self.ended = true;
            self.place.record += 1;
            Some(Err(format!("the input cannot be read any further: {error}")))
        });
        match object {
            Some(object) => Some((self.place.clone(), object)),
            None => {
                self.ended = true;
                None
            }
        }
    }

    fn scan(&mut self) -> io::Result<Option<Result<String, String>>> {
        let found = match self.held.take() {
            Some(found) => found,
            None => self.seek(None)?,
        };
        self.after_broken = false;
        if self.strays > 0 {
            self.strays -= 1;
            self.held = Some(found);
            self.place.record += 1;
            self.place.line = self.text.line() + 1;
            return Ok(Some(Err("an element before here is no object".into())));
        }
        let Some(indent) = found else { return Ok(None) };
        self.place.record += 1;
        self.place.line = self.text.line() + 1;
        let mut scan = Scan { bytes: Vec::new(), depth: 0, inside: false, escaped: false, lines: 0, edge: None };
        loop {
            let chunk = self.text.fill()?;
            if chunk.is_empty() {
                return Ok(Some(Err("the text ends inside this object".into())));
            }
            let (used, lines, step) = scan.take(chunk, indent, self.one_line);
            self.text.consume(used, lines);
            match step {
                Step::Going if scan.bytes.len() > LONGEST => {
                    let message = format!("an object of more than {} MiB", LONGEST >> 20);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                Step::Going => {}
                Step::Whole => {
                    self.one_line = scan.lines == 0;
                    let text = String::from_utf8(scan.bytes)
                        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
                    return Ok(Some(Ok(text)));
                }
                Step::Broken(reason) => {
                    self.after_broken = true;
                    // `{` at the left edge is where the next one begins; from inside a string, the next line is.
                    if scan.inside && self.seek_line(indent)?.is_none() {
                        return Ok(Some(Err(format!("{reason}; nothing that follows can be told apart"))));
                    }
                    return Ok(Some(Err(reason.into())));
                }
            }
        }
    }

    fn seek_line(&mut self, indent: usize) -> io::Result<Option<usize>> {
        self.seek(Some(if indent == usize::MAX { 0 } else { indent }))
    }
}

/// Our own records in an array, or pretty-printed one after the other.
pub(super) struct Json;

impl FormatReader for Json {
    fn format(&self) -> Format {
        Format::Json
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.text.trim_start();
        let array = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', ',']));
        let empty = head.whole && text.trim_end() == "[]";
        // An object that ends on its first line is a JSON line.
        let lines =
            !array && Objects::of(text).next_object().is_some_and(|(_, first)| first.is_ok_and(|o| !o.contains('\n')));
        if !empty && (lines || !(array || text.starts_with('{'))) {
            return Confidence::No;
        }
        let mut objects = Objects::of(text);
        let titled = std::iter::from_fn(|| objects.next_object())
            .take(5)
            .filter_map(|(_, object)| parse_paper(&object.ok()?, head.map).ok())
            .any(|paper| [Column::Title, Column::Abstract, Column::Body].iter().any(|column| !paper.lacks(*column)));
        if titled { Confidence::Likely } else { Confidence::Possible }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        let place = source.place(0, 0);
        Ok(Box::new(Records { objects: Objects::new(source.text, place), map: source.map, paper: parse_paper }))
    }
}

impl Objects {
    /// The objects at the beginning of a text in memory.
    pub fn of(text: &str) -> Objects {
        Objects::new(Text::new(Box::new(io::Cursor::new(text.as_bytes().to_vec()))), Place::default())
    }
}

/// Objects as papers, by a function that knows what their members mean.
pub(super) struct Records<F> {
    pub objects: Objects,
    pub map: ColumnMap,
    pub paper: F,
}

impl<F> Iterator for Records<F>
where
    F: FnMut(&str, &ColumnMap) -> Result<Paper, serde_json::Error> + Send,
{
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        let (place, object) = self.objects.next_object()?;
        let read = object.and_then(|text| {
            (self.paper)(&text, &self.map).map_err(|error| format!("no JSON object: {}", plain_error(&error)))
        });
        Some(match read {
            Ok(paper) => Ok(Paper { place, ..paper }),
            Err(reason) => Err(Rejected::new(&place, reason)),
        })
    }
}

impl<F> RecordReader for Records<F> where F: FnMut(&str, &ColumnMap) -> Result<Paper, serde_json::Error> + Send {}

/// The value of an object, mended where that is safe.
pub(super) fn object_of(text: &str) -> Result<serde_json::Map<String, serde_json::Value>, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match mend(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// What serde says without its line number, which counts inside the record.
pub(super) fn plain_error(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or(&told);
    format!("{what} (column {})", error.column())
}
