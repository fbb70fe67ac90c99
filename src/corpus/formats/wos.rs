//! Web of Science: tagged text (`PT`, `AU`, ... `ER`, `EF`) and the same tags as the columns of a tab-delimited table.
//!
//! Lines that begin with blanks go on with the tag above: in lists of people each is one of them, elsewhere the value
//! goes on. Full names (`AF`) are taken before short ones. Tags that papers have no field for are kept under
//! `record.wos`, one line a tag; the format is not written.

use super::dates::{iso, year_in};
use super::extra::{add_extra, is_missing};
use super::tagged::{Ignored, Tag};
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
        Ok(Box::new(Records {
            source,
            tags: Vec::new(),
            start: 0,
            columns: None,
            begun: false,
            records: 0,
            ignored: Ignored::default(),
            done: false,
        }))
    }
}

/// The records of a text.
struct Records {
    source: Source,
    tags: Vec<Tag>,
    start: u64,
    /// The tags of the columns, if the text is a table.
    columns: Option<Vec<String>>,
    begun: bool,
    records: u64,
    ignored: Ignored,
    done: bool,
}

impl Records {
    fn finish(&mut self) -> Option<Result<Paper, Rejected>> {
        let tags = std::mem::take(&mut self.tags);
        if tags.is_empty() {
            return None;
        }
        self.records += 1;
        let place = self.source.place(self.records, self.start);
        if tags.iter().all(|tag| tag.name == "PT" || tag.value.is_empty()) {
            return Some(Err(Rejected::new(&place, "the record has a type and nothing else")));
        }
        let mut paper = interpret(&tags);
        paper.place = place;
        Some(Ok(paper))
    }

    fn row(&mut self, line: &str, number: u64) -> Option<Result<Paper, Rejected>> {
        let columns = self.columns.as_ref()?;
        let values: Vec<&str> = line.split('\t').collect();
        if values[columns.len().min(values.len())..].iter().any(|value| !value.trim().is_empty()) {
            self.records += 1;
            let reason = format!("{} values, but the table has {} columns", values.len(), columns.len());
            return Some(Err(Rejected::new(&self.source.place(self.records, number), reason)));
        }
        let tags = columns.iter().zip(values).filter(|(_, value)| !value.trim().is_empty());
        self.tags = tags.map(|(name, value)| Tag::new(name.clone(), value.trim())).collect();
        self.start = number;
        self.finish()
    }

    fn end(&mut self) -> Option<Result<Paper, Rejected>> {
        self.done = true;
        let last = self.finish();
        if let Some(message) = self.ignored.message(&self.source.file, "outside of the records") {
            self.source.run.progress.warn(&message);
        }
        if self.records == 0 && self.columns.is_none() {
            let reason = "no record: no line begins with a tag such as \"PT J\"";
            return Some(Err(Rejected::new(&self.source.place(0, 1), reason)));
        }
        last
    }
}

impl Iterator for Records {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.done {
            let number = self.source.text.line() + 1;
            let line = match self.source.text.next_line() {
                Ok(Some(line)) => line.to_owned(),
                Ok(None) => return self.end(),
                Err(error) => {
                    self.done = true;
                    return Some(Err(Rejected::cut(&self.source.place(self.records + 1, number), &error)));
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            if !self.begun {
                self.begun = true;
                self.columns = header(&line);
                if self.columns.is_some() {
                    continue;
                }
            }
            if self.columns.is_some() {
                if let Some(record) = self.row(&line, number) {
                    return Some(record);
                }
                continue;
            }
            match tag_of(&line) {
                Some(("FN" | "VR" | "EF", _)) => {}
                Some(("ER", _)) => {
                    if let Some(record) = self.finish() {
                        return Some(record);
                    }
                }
                Some((name, value)) => {
                    // A record without an end: the next one begins with its type.
                    let complete = if name == "PT" { self.finish() } else { None };
                    if self.tags.is_empty() {
                        self.start = number;
                    }
                    self.tags.push(Tag::new(name.to_owned(), value));
                    if complete.is_some() {
                        return complete;
                    }
                }
                None => match self.tags.last_mut() {
                    Some(last) => {
                        last.value.push('\n');
                        last.value.push_str(line.trim());
                    }
                    None => self.ignored.line(number),
                },
            }
        }
        None
    }
}

impl RecordReader for Records {}
