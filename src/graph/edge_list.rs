//! Edge lists with names: text in, numbered edges out, whatever the order of the lines.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::io::Read;

use crate::partition::Partition;

/// A list of edges between named nodes. Nodes are numbered by first appearance in the *sorted* list of edges, so the same
/// edges in another order give the same numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeList {
    /// The names, by node.
    pub names: Vec<String>,
    /// The edges `(from, to)`, ascending by name, each once, without loops.
    pub edges: Vec<(u32, u32)>,
    /// Lines that name one node twice; the node is there, the loop is not.
    pub loops: u64,
    /// Lines that repeat an edge.
    pub repeats: u64,
    /// Lines with a third column; weights are not used.
    pub weighted: u64,
    /// Lines with an edge, the loops and repeats included.
    pub lines: u64,
    /// Whether the first line names the columns; it is no edge and not counted.
    pub header: bool,
    /// Lines that are no edge.
    pub bad: Vec<BadLine>,
}

/// A line that is no edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Why an edge list could not be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EdgeListError {
    /// The file could not be read.
    #[error("{0}")]
    Read(#[from] std::io::Error),
    /// It is no text.
    #[error("is no text: byte {at} is {byte:#04x}; wanted lines of two names")]
    NoText {
        /// The place of the byte, from 0.
        at: usize,
        /// The byte.
        byte: u8,
    },
    /// It is text, but no list of edges.
    #[error(
        "is no list of edges: {bad} of {lines} lines do not hold two names and a weight at most (line {line}: {text:?}); wanted two names a line with a tab, comma, semicolon or blanks between them"
    )]
    NoEdges {
        /// Lines without two names.
        bad: u64,
        /// Lines that are neither empty nor comments.
        lines: u64,
        /// The first of the bad lines.
        line: u64,
        /// How it begins.
        text: String,
    },
    /// More than 2^32 - 2 nodes.
    #[error("more than {0} different nodes")]
    TooMany(u32),
}

/// Names that are whole numbers first, by value; then the others by their bytes.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    match (a.parse::<u64>(), b.parse::<u64>()) {
        (Ok(x), Ok(y)) => x.cmp(&y).then_with(|| a.cmp(b)),
        (Ok(_), Err(_)) => Ordering::Less,
        (Err(_), Ok(_)) => Ordering::Greater,
        (Err(_), Err(_)) => a.cmp(b),
    }
}

/// Numbers the groups of a partition from 1 and gives the number of each thing's group: the largest group first, groups of
/// one size by their first member in the order `place`.
///
/// # Panics
/// If there is not one place for each thing.
pub fn number_by_size(partition: &Partition, place: &[u32]) -> Vec<u32> {
    assert_eq!(partition.len(), place.len(), "one place for each thing");
    let mut groups: Vec<(Reverse<u32>, u32, usize)> =
        partition.sizes().into_iter().enumerate().map(|(label, size)| (Reverse(size), u32::MAX, label)).collect();
    for (&label, &place) in partition.labels().iter().zip(place) {
        let first = &mut groups[label as usize].1;
        *first = (*first).min(place);
    }
    groups.sort_unstable();
    let mut numbers = vec![0; groups.len()];
    for (number, (_, _, label)) in (1..).zip(groups) {
        numbers[label] = number;
    }
    partition.labels().iter().map(|&label| numbers[label as usize]).collect()
}

/// First lines that name the columns.
const HEADERS: &[(&str, &str)] = &[
    ("from", "to"),
    ("source", "target"),
    ("src", "dst"),
    ("first", "second"),
    ("first_id", "second_id"),
    ("id_a", "id_b"),
    ("a", "b"),
    ("u", "v"),
    ("x", "y"),
];

impl EdgeList {
    /// Reads lines of two names with a tab, a comma, a semicolon or blanks between them (the first edge decides which); a
    /// third column is a weight and counted. Lines that start with `#` or `%` and empty lines are skipped, and so is a first line that
    /// names the columns (`from,to`, `source,target`, `first_id,second_id` and the like). Names may stand in double quotes.
    /// Names in another encoding than UTF-8 or UTF-16 have their foreign bytes replaced.
    ///
    /// # Errors
    /// If the input cannot be read, is no text (control characters), or fewer than half of its lines hold two names and nothing but numbers
    /// behind them: that is some other file, not an edge list with bad lines. With a header that names the columns, anything may stand behind.
    pub fn read(mut input: impl Read) -> Result<EdgeList, EdgeListError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes)?;
        // A mark of UTF-16 is followed; everything else is taken for UTF-8.
        let (text, _, _) = encoding_rs::UTF_8.decode(&bytes);
        let control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}');
        if let Some((at, letter)) = text.char_indices().find(|(_, c)| control(*c)) {
            return Err(EdgeListError::NoText { at, byte: letter as u8 });
        }
        let text = &*text;
        let mut list = EdgeList::default();
        let mut named: Vec<(&str, &str)> = Vec::new();
        let mut owned: Vec<(String, String)> = Vec::new();
        let mut delimiter = None;
        let mut first = true;
        let mut has_header = false;
        for (number, line) in text.lines().enumerate() {
            let line_number = number as u64 + 1;
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') || line.starts_with('%') {
                continue;
            }
            let delimiter = *delimiter.get_or_insert_with(|| ['\t', ',', ';'].into_iter().find(|d| line.contains(*d)));
            if line.contains('"') {
                let fields = quoted(line, delimiter);
                first = false;
                match fields.as_slice() {
                    [from, to, rest @ ..] if !from.is_empty() && !to.is_empty() => {
                        list.weighted += u64::from(!rest.is_empty());
                        owned.push((from.clone(), to.clone()));
                    }
                    _ => list.bad.push(bad(line_number, fields.len())),
                }
                continue;
            }
            let mut fields: [&str; 3] = [""; 3];
            let mut count = 0;
            let mut note = |field| {
                if let Some(place) = fields.get_mut(count) {
                    *place = field;
                }
                count += 1;
            };
            match delimiter {
                Some(d) => line.split(d).map(str::trim).for_each(&mut note),
                None => line.split_whitespace().for_each(&mut note),
            }
            if std::mem::take(&mut first) {
                let lower = (fields[0].to_lowercase(), fields[1].to_lowercase());
                // One letter each may be a node; with a third column that is called something it is a header.
                let letters = lower.0.len() == 1;
                let is_header = HEADERS.iter().any(|h| (h.0, h.1) == (lower.0.as_str(), lower.1.as_str()));
                if is_header && (!letters || fields[2].parse::<f64>().is_err() && count == 3) {
                    has_header = true;
                    continue;
                }
            }
            if count < 2 || fields[0].is_empty() || fields[1].is_empty() {
                list.bad.push(bad(line_number, count));
                continue;
            }
            let is_weight = fields[2].is_empty() || fields[2].parse::<f64>().is_ok() || fields[2].starts_with('{');
            if !has_header && !is_weight {
                let reason = format!("the third column is {:?}, which is no weight", fields[2]);
                list.bad.push(BadLine { line: line_number, reason });
                continue;
            }
            list.weighted += u64::from(count > 2);
            named.push((fields[0], fields[1]));
        }
        named.extend(owned.iter().map(|(a, b)| (a.as_str(), b.as_str())));
        list.lines = named.len() as u64;
        let lines = list.lines + list.bad.len() as u64;
        let first_bad =
            list.bad.first().map(|bad| (bad.line, text.lines().nth(bad.line as usize - 1).unwrap_or_default()));
        if let Some((line, text)) = first_bad.filter(|_| list.bad.len() > named.len()) {
            let bad = list.bad.len() as u64;
            return Err(EdgeListError::NoEdges { bad, lines, line, text: text.trim().chars().take(40).collect() });
        }
        list.header = has_header;
        list.number(&named)?;
        Ok(list)
    }

    /// The list of these edges.
    ///
    /// # Errors
    /// If there are more than 2^32 - 2 nodes.
    pub fn from_names(named: &[(&str, &str)]) -> Result<EdgeList, EdgeListError> {
        let mut list = EdgeList { lines: named.len() as u64, ..EdgeList::default() };
        list.number(named)?;
        Ok(list)
    }

    fn number(&mut self, named: &[(&str, &str)]) -> Result<(), EdgeListError> {
        // Names to places in natural order, edges sorted by them as (lower, higher), then numbers by first appearance.
        let mut sorted: Vec<&str> = named.iter().flat_map(|&(a, b)| [a, b]).collect();
        sorted.sort_unstable_by(|a, b| natural_order(a, b));
        sorted.dedup();
        if sorted.len() >= u32::MAX as usize {
            return Err(EdgeListError::TooMany(u32::MAX - 1));
        }
        let places: rustc_hash::FxHashMap<&str, u32> = sorted.iter().copied().zip(0..).collect();
        let mut edges: Vec<(u32, u32, bool)> = named
            .iter()
            .map(|(a, b)| {
                let (a, b) = (places[a], places[b]);
                (a.min(b), a.max(b), a > b)
            })
            .collect();
        edges.sort_unstable();
        let before = edges.len();
        edges.dedup();
        self.repeats = (before - edges.len()) as u64;
        let mut numbers = vec![u32::MAX; sorted.len()];
        for (low, high, turned) in edges {
            let mut number = |place: u32| {
                let number = &mut numbers[place as usize];
                if *number == u32::MAX {
                    *number = self.names.len() as u32;
                    self.names.push(sorted[place as usize].to_owned());
                }
                *number
            };
            let (low, high) = (number(low), number(high));
            if low == high {
                self.loops += 1;
            } else {
                self.edges.push(if turned { (high, low) } else { (low, high) });
            }
        }
        Ok(())
    }

    /// The nodes in the natural order of their names.
    pub fn by_name(&self) -> Vec<u32> {
        let mut nodes: Vec<u32> = (0..self.names.len() as u32).collect();
        nodes.sort_by(|&a, &b| natural_order(&self.names[a as usize], &self.names[b as usize]));
        nodes
    }

    /// The number of each group of a partition of the nodes, from 1: by size, largest first, then by the smallest name.
    ///
    /// # Panics
    /// If the partition is not over the nodes of the list.
    pub fn numbered(&self, partition: &Partition) -> Vec<u32> {
        let mut place = vec![0; self.names.len()];
        for (order, node) in self.by_name().into_iter().enumerate() {
            place[node as usize] = order as u32;
        }
        number_by_size(partition, &place)
    }

    /// The number of each name.
    pub fn numbers(&self) -> BTreeMap<&str, u32> {
        self.names.iter().map(String::as_str).zip(0..).collect()
    }
}

fn bad(line: u64, fields: usize) -> BadLine {
    BadLine { line, reason: format!("wanted two names, found {}", if fields < 2 { "one" } else { "an empty one" }) }
}

/// The fields of a line with quotes in it.
fn quoted(line: &str, delimiter: Option<char>) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut inside = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let ends = match delimiter {
            Some(d) => letter == d,
            None => letter.is_whitespace(),
        };
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                fields.last_mut().expect("one at least").push('"');
            }
            '"' => inside = !inside,
            _ if ends && !inside => {
                if delimiter.is_some() || !fields.last().expect("one at least").is_empty() {
                    fields.push(String::new());
                }
            }
            _ => fields.last_mut().expect("one at least").push(letter),
        }
    }
    fields.into_iter().map(|f| f.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    #[test]
    fn every_usual_form_is_read_and_bad_lines_are_named() {
        let read = |text: &str| EdgeList::read(text.as_bytes()).unwrap();
        let blanks = read("# made by hand\n0 1\n1   2\n\n");
        assert_eq!((blanks.names.join(" "), blanks.edges), ("0 1 2".to_owned(), vec![(0, 1), (1, 2)]));
        let csv = read("from,to,score\nb,\"a, x\",0.5\nb,c,0.25\nb,,1\n");
        assert_eq!(csv.names, ["a, x", "b", "c"]);
        assert_eq!((csv.edges, csv.weighted), (vec![(1, 0), (1, 2)], 2));
        assert_eq!(csv.bad, [BadLine { line: 4, reason: "wanted two names, found an empty one".into() }]);
        let tabs = read("new york\tparis\r\nparis\tnew york\nparis\tparis\nparis\tnew york\nlonely\n");
        assert_eq!(tabs.names, ["new york", "paris"]);
        assert_eq!((tabs.edges, tabs.loops, tabs.repeats), (vec![(0, 1), (1, 0)], 1, 1));
        assert_eq!((tabs.bad[0].line, tabs.bad[0].reason.as_str()), (5, "wanted two names, found one"));
        assert_eq!(read("a\tb\nb\ta\n").edges, [(0, 1), (1, 0)], "a and b are nodes here, no header");
        assert_eq!(read("").names.len(), 0);
    }

    #[test]
    fn what_is_no_list_of_edges_is_refused_in_words() {
        let refused = |bytes: &[u8]| EdgeList::read(bytes).unwrap_err().to_string();
        assert_eq!(refused(b"\x7fELF\x02\x01"), "is no text: byte 0 is 0x7f; wanted lines of two names");
        assert_eq!(refused(b"a b\nc\0d\n"), "is no text: byte 5 is 0x00; wanted lines of two names");
        let prose = refused(b"{\n\"nodes\":[]\n}\n");
        assert!(
            prose.starts_with(
                "is no list of edges: 3 of 3 lines do not hold two names and a weight at most (line 1: \"{\")"
            ),
            "{prose}"
        );
        let prose = refused(b"Ferry strike halts island crossings\nSalt price doubles\n");
        assert!(prose.contains("2 of 2 lines do not hold two names") && prose.contains("Ferry strike"), "{prose}");
        // One bad line of three is a bad line.
        assert_eq!(EdgeList::read(&b"a b\nb c\nlonely\n"[..]).unwrap().bad.len(), 1);
        let wide: Vec<u8> = "\u{feff}a\tb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(EdgeList::read(wide.as_slice()).unwrap().names, ["a", "b"]);
    }

    #[test]
    fn o_100_the_order_of_the_lines_does_not_matter() {
        let mut lines = vec!["a b", "b a", "b c", "c b", "10 9", "c d", "9 a", "100 20", "x x"];
        let first = EdgeList::read(lines.join("\n").as_bytes()).unwrap();
        assert_eq!(first.names, ["9", "10", "a", "20", "100", "b", "c", "d", "x"]);
        let by_name: Vec<&str> = first.by_name().iter().map(|&v| first.names[v as usize].as_str()).collect();
        assert_eq!(by_name, ["9", "10", "20", "100", "a", "b", "c", "d", "x"]);
        for _ in 0..20 {
            Seed(3).stream("lines").shuffle(&mut lines);
            assert_eq!(EdgeList::read(lines.join("\n").as_bytes()).unwrap(), first);
        }
    }
}
