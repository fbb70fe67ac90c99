//! JSON objects cut out of a stream without ever holding it: those of an array, of lines, one after the other, or of the
//! array that a reply of a server has somewhere inside (`{"message": {"items": [...]}}`).

use std::io;

use super::super::lines::{LONGEST, Text};
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
    /// How many arrays are open inside of the one whose objects these are, where that one ends before the text does.
    list: Option<u32>,
}

/// Looks for the place behind `"name": [` byte by byte.
struct ListStart {
    quoted: Vec<u8>,
    matched: usize,
    colon: bool,
}

impl ListStart {
    fn new(name: &str) -> ListStart {
        ListStart { quoted: format!("\"{name}\"").into_bytes(), matched: 0, colon: false }
    }

    /// Whether the list begins after this byte.
    fn take(&mut self, byte: u8) -> bool {
        if self.matched < self.quoted.len() {
            // A quotation mark stands only at the ends of the name, so that nothing but the first can have begun again.
            let next = self.quoted[self.matched] == byte;
            self.matched = if next { self.matched + 1 } else { usize::from(byte == b'"') };
            return false;
        }
        match byte {
            b'[' if self.colon => return true,
            b':' if !self.colon => self.colon = true,
            _ if byte.is_ascii_whitespace() => {}
            _ => (self.matched, self.colon) = (usize::from(byte == b'"'), false),
        }
        false
    }
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
    /// The objects at the beginning of a text in memory.
    pub fn of(text: &str) -> Objects {
        Objects::new(Text::new(Box::new(io::Cursor::new(text.as_bytes().to_vec()))), Place::default())
    }

    /// The objects of a text.
    pub fn new(text: Text, place: Place) -> Objects {
        Objects { text, place, one_line: false, ended: false, strays: 0, held: None, after_broken: false, list: None }
    }

    /// Says that the format has one object a line, so that even the first may be broken.
    pub fn one_a_line(self) -> Objects {
        Objects { one_line: true, ..self }
    }

    /// The objects of the array that is the value of this member, wherever it stands, if the text begins with an object
    /// and its beginning has such an array; else the objects of the whole text.
    ///
    /// # Errors
    /// If the text cannot be read.
    pub fn in_list(mut self, name: &str) -> io::Result<Objects> {
        let head = self.text.fill()?;
        if head.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Ok(self);
        }
        let mut start = ListStart::new(name);
        if let Some(before) = head.iter().position(|&byte| start.take(byte)) {
            let lines = head[..before].iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.text.consume(before + 1, lines);
            self.list = Some(0);
        }
        Ok(self)
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
                    b']' if !quoted && self.list == Some(0) => return Ok(None),
                    b']' if !quoted => self.list = self.list.map(|open| open - 1),
                    b'[' if !quoted => self.list = self.list.map(|open| open + 1),
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

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    fn objects(text: &str, capacity: usize) -> Objects {
        let input = BufReader::with_capacity(capacity, Cursor::new(text.as_bytes().to_vec()));
        Objects::new(Text::new(Box::new(input)), Place::default())
    }

    fn all(mut objects: Objects) -> Vec<(u64, Result<String, String>)> {
        std::iter::from_fn(|| objects.next_object()).map(|(place, object)| (place.line, object)).collect()
    }

    #[test]
    fn objects_are_cut_out_whatever_the_size_of_the_chunks() {
        let text = "[\n{\"a\": \"}{\\\"\"},\n{\"b\":\n {\"c\": []}}\n,{\"d\": \"open\n},\n{\"e\": 1},\n {\"f\": {";
        let wanted = [
            (2, Ok("{\"a\": \"}{\\\"\"}".to_owned())),
            (3, Ok("{\"b\":\n {\"c\": []}}".to_owned())),
            (5, Err("a string is not closed on its line".to_owned())),
            (7, Ok("{\"e\": 1}".to_owned())),
            (8, Err("the text ends inside this object".to_owned())),
        ];
        for capacity in 1..30 {
            assert_eq!(all(objects(text, capacity)), wanted, "{capacity}");
        }
    }

    #[test]
    fn the_list_of_a_reply_is_found_and_ends() {
        let text = "{\"message\": {\"x\": \"items\", \"items\" : [{\"a\": 1}, 7, [\"]\"],\n{\"b\": 2}], \"facets\": {\"c\": [3]}}}";
        let stray = || (2, Err("an element before here is no object".to_owned()));
        let wanted = [(1, Ok("{\"a\": 1}".to_owned())), stray(), stray(), (2, Ok("{\"b\": 2}".to_owned()))];
        assert_eq!(all(objects(text, 4096).in_list("items").unwrap()), wanted);
        assert_eq!(all(objects(text, 4096).in_list("rows").unwrap()), [(1, Ok(text.to_owned()))]);
    }
}
