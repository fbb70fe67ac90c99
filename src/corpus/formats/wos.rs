//! Web of Science: tagged text (`PT`, `AU`, ... `ER`, `EF`) and the same tags as the columns of a tab-delimited table.
//!
//! Lines that begin with blanks go on with the tag above: in lists of people each is one of them, elsewhere the value
//! goes on. Full names (`AF`) are taken before short ones. Tags that papers have no field for are kept under
//! `record.wos`, one line a tag; the format is not written.

use super::dates::{iso, year_in};
use super::extra::{add_extra, is_missing};
use super::tagged::{Lines, Open, Outcome, Records, Tag};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::{Paper, Rejected};

/// The format.
pub(super) struct Wos;

fn interpret(tags: &[Tag]) -> Paper {
    let mut paper = Paper::default();
    let first = |names: &[&str]| {
        let of = |name: &&str| tags.iter().find(|tag| tag.name == *name && !is_missing(&tag.value));
        names.iter().find_map(of).map(|tag| tag.value.replace('\n', " ")).unwrap_or_default()
    };
    let list = |names: &[&str]| {
        let value = names.iter().find_map(|name| tags.iter().find(|tag| tag.name == *name && !is_missing(&tag.value)));
        let value = value.map_or("", |tag| &tag.value);
        value.split(['\n', ';']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    paper.id = first(&["UT"]);
    paper.kind = first(&["DT", "PT"]);
    paper.title = first(&["TI"]);
    paper.authors = list(&["AF", "AU", "BF", "BA"]);
    paper.authors.extend(list(&["CA"]).into_iter().map(|body| format!("{{{}}}", body.replace(['{', '}'], ""))));
    paper.year = first(&["PY"]);
    let date = first(&["PD"]);
    if paper.year.is_empty() {
        paper.year = year_in(&first(&["EA"])).unwrap_or("").to_owned();
    }
    let mut words = date.split_whitespace();
    let (month, day) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    paper.published = match iso(&paper.year, month, day) {
        Some(iso) if iso.len() > 4 => iso,
        _ if date.is_empty() => String::new(),
        _ => format!("{} {date}", paper.year).trim().to_owned(),
    };
    paper.venue = first(&["SO"]);
    paper.volume = first(&["VL"]);
    paper.number = first(&["IS"]);
    let (start, end) = (first(&["BP"]), first(&["EP"]));
    paper.pages = match (start.is_empty(), end.is_empty() || start == end) {
        (true, _) => first(&["AR"]),
        (false, true) => start,
        (false, false) => format!("{start}-{end}"),
    };
    paper.doi = first(&["DI", "D2"]);
    paper.abstract_text = first(&["AB"]);
    for name in ["DE", "ID"] {
        let words = tags.iter().filter(|tag| tag.name == name).flat_map(|tag| tag.value.split(';'));
        let words = words.map(|word| word.split_whitespace().collect::<Vec<_>>().join(" "));
        paper.keywords.extend(words.filter(|word| !word.is_empty()));
    }
    paper.language = first(&["LA"]);
    paper.url = first(&["DL"]);
    for (name, tag) in [
        ("pmid", "PM"),
        ("issn", "SN"),
        ("issn", "EI"),
        ("isbn", "BN"),
        ("venue_short", "JI"),
        ("publisher", "PU"),
        ("place", "PI"),
        ("series", "SE"),
    ] {
        add_extra(&mut paper, name, first(&[tag]));
    }
    for editor in list(&["BE", "ED"]) {
        add_extra(&mut paper, "editors", editor);
    }
    const READ: &[&str] = &[
        "UT", "DT", "TI", "AF", "PY", "PD", "SO", "VL", "IS", "BP", "EP", "DI", "AB", "DE", "ID", "LA", "PM", "SN",
        "EI", "BN", "JI", "PU", "PI", "SE", "DL",
    ];
    let mut rest = String::new();
    for tag in tags.iter().filter(|tag| !READ.contains(&&*tag.name) && !tag.value.is_empty()) {
        rest.push_str(&tag.name);
        for line in tag.value.split('\n') {
            rest.push(' ');
            rest.push_str(line);
            rest.push('\n');
        }
    }
    add_extra(&mut paper, "record.wos", rest);
    paper
}

/// The tag that begins a line, and its value.
fn tag_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['\u{FEFF}', '\r']);
    let name = line.get(..2)?;
    let rest = &line[2..];
    let bytes = name.as_bytes();
    let fits = bytes[0].is_ascii_uppercase() && (bytes[1].is_ascii_uppercase() || bytes[1].is_ascii_digit());
    (fits && (rest.is_empty() || rest.starts_with(' '))).then(|| (name, rest.trim()))
}

/// The tags that a table's first line names.
fn header(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> =
        line.trim_start_matches(['\u{FEFF}', '\r']).split('\t').map(|name| name.trim().to_owned()).collect();
    let fits = |name: &&String| name.len() == 2 && tag_of(name).is_some();
    let known = ["TI", "AU", "SO"].iter().filter(|tag| names.iter().any(|name| name == *tag)).count();
    (known == 3 && names.iter().filter(fits).count() + 2 > names.len()).then_some(names)
}

impl FormatReader for Wos {
    fn format(&self) -> Format {
        Format::Wos
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let Some(first) = head.lines().next() else { return Confidence::No };
        if header(first).is_some() {
            return Confidence::Certain;
        }
        let tag = |name: &str| head.lines().filter_map(tag_of).any(|(tag, _)| tag == name);
        match tag_of(first) {
            Some(("FN", _)) if tag("VR") => Confidence::Certain,
            Some(("PT", _)) if tag("AU") && (tag("SO") || tag("TI")) => Confidence::Certain,
            _ => Confidence::No,
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Records::new(source, WosLines::default())))
    }
}

/// Where a text of this format stands.
#[derive(Default)]
struct WosLines {
    /// The tags of the columns, if the text is a table.
    columns: Option<Vec<String>>,
    begun: bool,
}

impl WosLines {
    fn row(&self, columns: &[String], line: &str, number: u64, open: &mut Open) -> Option<Outcome> {
        let values: Vec<&str> = line.split('\t').collect();
        if values[columns.len().min(values.len())..].iter().any(|value| !value.trim().is_empty()) {
            open.records += 1;
            let reason = format!("{} values, but the table has {} columns", values.len(), columns.len());
            return Some(Err(Rejected::new(&open.source.place(open.records, number), reason)));
        }
        for (name, value) in columns.iter().zip(values).filter(|(_, value)| !value.trim().is_empty()) {
            open.push(Tag::new(name.clone(), value.trim()), number);
        }
        open.finish::<WosLines>()
    }
}

impl Lines for WosLines {
    const IGNORED: &'static str = "outside of the records";
    const NO_RECORD: &'static str = "no record: no line begins with a tag such as \"PT J\"";
    const EMPTY: &'static str = "the record has a type and nothing else";

    fn is_frame(name: &str) -> bool {
        name == "PT"
    }

    fn paper(tags: &[Tag]) -> Paper {
        interpret(tags)
    }

    fn line(&mut self, line: &str, number: u64, open: &mut Open) -> Option<Outcome> {
        if line.trim().is_empty() {
            return None;
        }
        if !self.begun {
            self.begun = true;
            self.columns = header(line);
            if self.columns.is_some() {
                return None;
            }
        }
        if let Some(columns) = &self.columns {
            return self.row(columns, line, number, open);
        }
        match tag_of(line) {
            Some(("FN" | "VR" | "EF", _)) => None,
            Some(("ER", _)) => open.finish::<WosLines>(),
            Some((name, value)) => {
                // A record without an end: the next one begins with its type.
                let complete = if name == "PT" { open.finish::<WosLines>() } else { None };
                open.push(Tag::new(name.to_owned(), value), number);
                complete
            }
            None => {
                match open.tags.last_mut() {
                    Some(last) => {
                        last.value.push('\n');
                        last.value.push_str(line.trim());
                    }
                    None => open.ignored.line(number),
                }
                None
            }
        }
    }

    fn may_be_empty(&self) -> bool {
        self.columns.is_some()
    }
}
