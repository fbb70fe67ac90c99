//! Records in XML: the elements of one kind are cut out of the stream, and each is read on its own as a small tree.
//!
//! So memory does not grow with the file, and what is broken costs one record: where an element does not end before the
//! next one begins, it is rejected, and reading goes on with the next. No document type is read, no file or network is
//! asked: the named characters of HTML are known (`&ouml;`), others stay as they are written.

use std::io;

use quick_xml::events::{BytesStart, Event};

use crate::corpus::lines::Text;

/// A record longer than this is none.
const LONGEST: usize = 64 << 20;

/// One piece of the stream.
pub(super) struct Piece {
    /// The element with its tags.
    pub(super) text: String,
    /// The line on which it begins.
    pub(super) line: u64,
    /// Whether it ends; if not, what there is up to the next one.
    pub(super) whole: bool,
}

/// The elements of these names in a stream, in its order. Elements inside of them are not looked at.
pub(super) struct Elements {
    text: Text,
    names: &'static [&'static str],
    buffer: Vec<u8>,
    at: usize,
    line: u64,
    ended: bool,
}

impl Elements {
    pub(super) fn new(text: Text, names: &'static [&'static str]) -> Elements {
        Elements { text, names, buffer: Vec::new(), at: 0, line: 1, ended: false }
    }

    /// The line that is being read.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Reads more; false at the end.
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

    /// The next element; `None` at the end.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Piece>> {
        let name = loop {
            match self.buffer[self.at..].iter().position(|&b| b == b'<') {
                None => {
                    self.advance(self.buffer.len());
                    if !self.more()? {
                        return Ok(None);
                    }
                }
                Some(place) => {
                    self.advance(self.at + place);
                    match starts(&self.buffer[self.at..], self.names) {
                        Start::Name(name) => break name,
                        Start::Other => self.advance(self.at + 1),
                        Start::TooShort if self.ended => self.advance(self.buffer.len()),
                        Start::TooShort => {
                            self.more()?;
                        }
                    }
                }
            }
        };
        let line = self.line;
        let close = format!("</{name}");
        let mut seen = 1;
        loop {
            let rest = &self.buffer[self.at..];
            match end_of(rest, seen, &close, self.names) {
                End::At(end) => return Ok(Some(self.piece(end, line, true))),
                End::Another(start) => return Ok(Some(self.piece(start, line, false))),
                End::Unknown(from) => seen = from,
            }
            if self.buffer.len() - self.at > LONGEST || self.ended || !self.more()? {
                let end = self.buffer.len() - self.at;
                return Ok(Some(self.piece(end, line, false)));
            }
        }
    }

    fn piece(&mut self, length: usize, line: u64, whole: bool) -> Piece {
        let text = String::from_utf8_lossy(&self.buffer[self.at..self.at + length]).into_owned();
        self.advance(self.at + length);
        Piece { text, line, whole }
    }
}

enum Start {
    Name(&'static str),
    Other,
    TooShort,
}

/// Which of these elements begins here, where a `<` stands.
fn starts(bytes: &[u8], names: &'static [&'static str]) -> Start {
    let mut short = false;
    for name in names {
        let known = bytes.len().saturating_sub(1).min(name.len());
        if bytes[1..1 + known] != name.as_bytes()[..known] {
            continue;
        }
        match bytes.get(1 + name.len()) {
            Some(b'>' | b' ' | b'\t' | b'\n' | b'\r') => return Start::Name(name),
            Some(_) => {}
            None => short = true,
        }
    }
    if short { Start::TooShort } else { Start::Other }
}

enum End {
    At(usize),
    Another(usize),
    /// Not yet; all before this place was looked at.
    Unknown(usize),
}

fn end_of(bytes: &[u8], from: usize, close: &str, names: &'static [&'static str]) -> End {
    let mut at = from;
    while let Some(place) = bytes[at..].iter().position(|&b| b == b'<') {
        at += place;
        let rest = &bytes[at..];
        if rest.starts_with(close.as_bytes()) {
            match rest[close.len()..].iter().position(|b| !b.is_ascii_whitespace()) {
                Some(end) if rest[close.len() + end] == b'>' => return End::At(at + close.len() + end + 1),
                Some(_) => {}
                None => return End::Unknown(at),
            }
        } else if rest.len() < close.len() && close.as_bytes().starts_with(rest) {
            return End::Unknown(at);
        } else {
            match starts(rest, names) {
                Start::Name(_) => return End::Another(at),
                Start::TooShort => return End::Unknown(at),
                Start::Other => {}
            }
        }
        at += 1;
    }
    End::Unknown(bytes.len())
}

/// An element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    children: Vec<Child>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Child {
    Text(String),
    Node(Node),
}

/// The deepest nesting that is read; elements deeper inside lie flat.
const DEEPEST: usize = 100;

impl Node {
    /// The element that a text is.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Node, String> {
        let mut reader = quick_xml::Reader::from_str(text);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut open: Vec<Node> = vec![Node::default()];
        loop {
            let event = reader.read_event().map_err(|error| error.to_string())?;
            match event {
                Event::Start(start) if open.len() < DEEPEST => open.push(Node::of(&start)),
                Event::Empty(start) => push(&mut open, Child::Node(Node::of(&start))),
                Event::End(end) => {
                    let name = String::from_utf8_lossy(end.local_name().as_ref()).into_owned();
                    // An end tag closes its element and what was left open inside of it.
                    if let Some(place) = open.iter().rposition(|node| node.name == name).filter(|place| *place > 0) {
                        while open.len() > place {
                            let node = open.pop().unwrap_or_default();
                            push(&mut open, Child::Node(node));
                        }
                    }
                }
                Event::Text(text) => push_text(&mut open, &text.decode().map_err(|error| error.to_string())?),
                Event::CData(text) => push_text(&mut open, &text.decode().map_err(|error| error.to_string())?),
                Event::GeneralRef(name) => {
                    let name = name.decode().map_err(|error| error.to_string())?;
                    push_text(&mut open, &character(&name));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        while open.len() > 1 {
            let node = open.pop().unwrap_or_default();
            push(&mut open, Child::Node(node));
        }
        let root = open.pop().unwrap_or_default();
        let first = root.children.into_iter().find_map(|child| match child {
            Child::Node(node) => Some(node),
            Child::Text(_) => None,
        });
        first.ok_or_else(|| "no element".to_owned())
    }

    fn of(start: &BytesStart<'_>) -> Node {
        let name = String::from_utf8_lossy(start.local_name().as_ref()).into_owned();
        let attributes = start
            .attributes()
            .with_checks(false)
            .filter_map(Result::ok)
            .map(|attribute| {
                let value = String::from_utf8_lossy(&attribute.value).into_owned();
                let name = String::from_utf8_lossy(attribute.key.local_name().as_ref()).into_owned();
                (name, html_escape::decode_html_entities(&value).into_owned())
            })
            .collect();
        Node { name, attributes, children: Vec::new() }
    }

    /// The elements directly inside.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.children.iter().filter_map(|child| match child {
            Child::Node(node) => Some(node),
            Child::Text(_) => None,
        })
    }

    /// The elements of this name directly inside.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.nodes().filter(move |node| node.name == name)
    }

    /// The first element at the end of this path, `A/B/C`.
    pub(super) fn find(&self, path: &str) -> Option<&Node> {
        path.split('/').try_fold(self, |node, name| node.nodes().find(|child| child.name == name))
    }

    /// The text of the first element at the end of this path; empty without one.
    pub(super) fn text_of(&self, path: &str) -> String {
        self.find(path).map(Node::text).unwrap_or_default()
    }

    /// The value of an attribute; empty without one.
    pub(super) fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// All text inside, markup taken away, blanks single.
    pub(super) fn text(&self) -> String {
        let mut all = String::new();
        self.collect(&mut all);
        if all.trim().len() == all.len() && !all.contains("  ") && !all.contains(['\n', '\r', '\t']) {
            return all;
        }
        all.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// All text inside, its lines kept, blanks at their ends taken away.
    pub(super) fn lines(&self) -> String {
        let mut all = String::new();
        self.collect(&mut all);
        let lines = all.split(['\n', '\r']).map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    }

    fn collect(&self, all: &mut String) {
        for child in &self.children {
            match child {
                Child::Text(text) => all.push_str(text),
                Child::Node(node) => node.collect(all),
            }
        }
    }
}

fn push(open: &mut [Node], child: Child) {
    if let Some(last) = open.last_mut() {
        last.children.push(child);
    }
}

fn push_text(open: &mut [Node], text: &str) {
    let Some(last) = open.last_mut() else { return };
    match last.children.last_mut() {
        Some(Child::Text(before)) => before.push_str(text),
        _ => last.children.push(Child::Text(text.to_owned())),
    }
}

/// The character that a reference names; one that is not known stays as it is.
fn character(name: &str) -> String {
    let reference = format!("&{name};");
    match name {
        "#13" | "#xD" | "#xd" => "\n".to_owned(),
        _ => html_escape::decode_html_entities(&reference).into_owned(),
    }
}

/// A text as it can stand in XML: what means something is escaped, characters that cannot be there become blanks.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#xD;"),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;

    fn pieces(text: &str, capacity: usize) -> Vec<(String, u64, bool)> {
        let input = BufReader::with_capacity(capacity, Cursor::new(text.as_bytes().to_vec()));
        let mut elements = Elements::new(Text::new(Box::new(input)), &["rec", "r"]);
        let mut all = Vec::new();
        while let Some(piece) = elements.next().unwrap() {
            all.push((piece.text, piece.line, piece.whole));
        }
        all
    }

    #[test]
    fn elements_are_cut_out_whatever_the_size_of_the_chunks() {
        let text = "<x>\n<rec a='1'>one<b/></rec ><records/><r>\ntwo</r><rec>open\n<rec>three</rec><r>cut";
        let wanted = [
            ("<rec a='1'>one<b/></rec >", 2, true),
            ("<r>\ntwo</r>", 2, true),
            ("<rec>open\n", 3, false),
            ("<rec>three</rec>", 4, true),
            ("<r>cut", 4, false),
        ]
        .map(|(text, line, whole)| (text.to_owned(), line, whole));
        for capacity in 1..40 {
            assert_eq!(pieces(text, capacity), wanted, "{capacity}");
        }
    }

    #[test]
    fn a_tree_has_its_text() {
        let node = Node::parse("<a k=\"v&amp;w\">On <i>n</i>-way  H<sub>2</sub>O &ouml;&#228;&nope;<b/></a>").unwrap();
        assert_eq!(node.text(), "On n-way H2O öä&nope;");
        assert_eq!(node.attribute("k"), "v&w");
        assert_eq!(node.find("b").map(|node| node.name.as_str()), Some("b"));
        assert_eq!(node.find("b/c"), None);
    }

    #[test]
    fn what_is_left_open_is_closed() {
        let node = Node::parse("<a><b>one<c>two</b>three</a>").unwrap();
        assert_eq!((node.text_of("b"), node.text_of("b/c")), ("onetwo".to_owned(), "two".to_owned()));
        let deep = format!("{}x", "<a>".repeat(100_000));
        assert_eq!(Node::parse(&deep).unwrap().text(), "x");
    }

    #[test]
    fn escaped_text_comes_back() {
        let text = "a < b & \"c\" > d";
        let node = Node::parse(&format!("<a>{}</a>", escape(text))).unwrap();
        assert_eq!(node.text(), text);
    }
}
