//! Tables with a header: values separated by commas, tabs or semicolons.
//!
//! # How a broken quote is kept from swallowing the file
//!
//! A quote opens a value only at its beginning and closes it only before a separator or the end of the line. Any other
//! quote inside a quoted value is taken as it stands if the record is a single line or a backslash is before it. A record of several lines must be
//! beyond doubt: no such quote in it, as many values as the header has columns, at most 64 MiB, and a closing quote
//! before the end of the file. Else its first line is rejected and reading goes on with its second. In a table
//! separated by tabs, where a quote is often just a quote, that first line is read without quotes instead, if it has the
//! right number of values then.
//!
//! # Cells that a spreadsheet would execute
//!
//! Cells that begin with `=`, `+`, `-`, `@`, a tab or a carriage return are written with an apostrophe before them, and
//! so are cells that begin with apostrophes before one of these. Reading takes one apostrophe away again, so what is
//! written comes back as it was.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{self, Write};

use super::super::lines::Text;
use super::super::names::{Column, ColumnMap, plain_name};
use super::super::{Layout, Paper, Rejected};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::error::Place;

/// The longest record of several lines, in bytes.
const LONGEST_RECORD: usize = 64 << 20;
/// The same where a record was just rejected, so that a file full of open quotes is not searched to its end each time.
const LONGEST_AFTER_REJECTION: usize = 16 << 10;

/// Tables with one kind of separator.
pub(super) struct Table {
    pub format: Format,
    pub separator: u8,
    pub extensions: &'static [&'static str],
}

/// Values separated by commas.
pub(super) const CSV: Table = Table { format: Format::Csv, separator: b',', extensions: &["csv"] };
/// Values separated by tabs.
pub(super) const TSV: Table = Table { format: Format::Tsv, separator: b'\t', extensions: &["tsv", "tab"] };
/// Values separated by semicolons.
pub(super) const SEMICOLON: Table = Table { format: Format::Semicolon, separator: b';', extensions: &[] };

impl FormatReader for Table {
    fn format(&self) -> Format {
        self.format
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines();
        let Some(first) = lines.next() else { return Confidence::No };
        let announced = separator_line(first);
        let first = match announced {
            Some(separator) if separator == self.separator => lines.next().unwrap_or_default(),
            Some(_) => return Confidence::No,
            None => first,
        };
        if first.starts_with(['{', '[', '<', '@', '%', '#']) || first.starts_with("TY  -") {
            return Confidence::No;
        }
        let names = header_of(first, self.separator);
        let mapped = names.iter().any(|name| head.map.field_of(name).is_some());
        let text = names.iter().any(|name| {
            matches!(Column::of_synonym(name), Some((Column::Title | Column::Abstract | Column::Body | Column::Doi, _)))
        });
        match names.len() {
            // One column: the separator does not show, so only one of the three may claim it.
            1 if self.separator == b',' && (mapped || text) => Confidence::Likely,
            0 | 1 => Confidence::No,
            _ if mapped || text => Confidence::Likely,
            count => {
                let same = |line: &&str| header_of(line, self.separator).len() == count;
                let mut others = lines.take(5).peekable();
                if others.peek().is_some() && others.all(|line| same(&line)) {
                    Confidence::Possible
                } else {
                    Confidence::No
                }
            }
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Rows::open(source, self.separator, |_| {})?))
    }
}

/// How many columns of a header, whatever its separator, have a known name.
pub(super) fn known_columns(head: &Head<'_>) -> usize {
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let first = if separator_line(first).is_some() { lines.next().unwrap_or_default() } else { first };
    let known = |name: &String| Column::of_synonym(name).is_some() || head.map.field_of(name).is_some();
    [b',', b';', b'\t']
        .map(|separator| header_of(first, separator).iter().filter(|n| known(n)).count())
        .into_iter()
        .max()
        .unwrap_or(0)
}

/// `sep=;`, which spreadsheets write before the header.
fn separator_line(line: &str) -> Option<u8> {
    match line.trim().strip_prefix("sep=")?.as_bytes() {
        [separator] => Some(*separator),
        [] => Some(b'\t'),
        _ => None,
    }
}

fn header_of(line: &str, separator: u8) -> Vec<String> {
    let mut split = Split::new(separator, true);
    split.feed(line);
    split.finish();
    split.cells.into_iter().map(|name| name.trim().to_owned()).collect()
}

/// What a column of the table is in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Field(Column),
    Extra(String),
}

/// Gives every column its place in a record: the user's mapping first, then the best known name of each field; every
/// other column goes to `extra` under its own name, made unique.
fn targets(header: &[String], map: &ColumnMap) -> Vec<Target> {
    let mut best: BTreeMap<Column, (usize, usize)> = BTreeMap::new();
    for (place, name) in header.iter().enumerate() {
        let known = match map.field_of(name) {
            Some(column) => Some((column, 0)),
            None => Column::of_synonym(name).map(|(column, rank)| (column, rank + 1)),
        };
        if let Some((column, rank)) = known {
            let candidate = (rank, place);
            best.entry(column).and_modify(|old| *old = candidate.min(*old)).or_insert(candidate);
        }
    }
    let fields: BTreeMap<usize, Column> = best.into_iter().map(|(column, (_, place))| (place, column)).collect();
    let mut used: BTreeSet<String> = fields.values().map(|column| column.name().to_owned()).collect();
    (0..header.len())
        .map(|place| match fields.get(&place) {
            Some(column) => Target::Field(*column),
            None => {
                let own = &header[place];
                let stem = if own.is_empty() { format!("column-{}", place + 1) } else { own.clone() };
                let mut name = stem.clone();
                let mut count = 1;
                while !used.insert(name.clone()) {
                    count += 1;
                    name = format!("{stem}_{count}");
                }
                Target::Extra(name)
            }
        })
        .collect()
}

/// Cuts lines into cells; a record may need several lines.
struct Split {
    separator: u8,
    quotes: bool,
    cells: Vec<String>,
    cell: String,
    inside: bool,
    lines: u32,
    stray: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fed {
    Done,
    More,
    Doubtful,
}

impl Split {
    fn new(separator: u8, quotes: bool) -> Split {
        Split { separator, quotes, cells: Vec::new(), cell: String::new(), inside: false, lines: 0, stray: false }
    }

    fn reset(&mut self) {
        self.cells.clear();
        self.cell.clear();
        (self.inside, self.lines, self.stray) = (false, 0, false);
    }

    fn end_cell(&mut self) {
        self.cells.push(std::mem::take(&mut self.cell));
        self.inside = false;
    }

    /// Takes an open last cell as it is.
    fn finish(&mut self) {
        if self.inside {
            self.end_cell();
        }
    }

    /// Takes one line, with its end.
    fn feed(&mut self, line: &str) -> Fed {
        self.lines += 1;
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let separator = char::from(self.separator);
        let mut rest = content;
        loop {
            if self.inside {
                let Some(quote) = rest.find('"') else {
                    self.cell.push_str(rest);
                    self.cell.push('\n');
                    return if self.stray { Fed::Doubtful } else { Fed::More };
                };
                self.cell.push_str(&rest[..quote]);
                rest = &rest[quote + 1..];
                if let Some(after) = rest.strip_prefix('"') {
                    self.cell.push('"');
                    rest = after;
                    continue;
                }
                let after = rest.trim_start_matches(' ');
                if after.is_empty() {
                    self.end_cell();
                    return Fed::Done;
                }
                if let Some(next) = after.strip_prefix(separator) {
                    self.end_cell();
                    rest = next;
                } else if self.cell.ends_with('\\') {
                    // A database's way to write a quote inside a value; the backslash stays, as the source wrote it.
                    self.cell.push('"');
                    continue;
                } else if self.lines > 1 {
                    return Fed::Doubtful;
                } else {
                    self.stray = true;
                    self.cell.push('"');
                    continue;
                }
            }
            match rest.strip_prefix('"') {
                Some(quoted) if self.quotes => {
                    self.inside = true;
                    rest = quoted;
                }
                _ => match rest.find(separator) {
                    Some(end) => {
                        self.cells.push(rest[..end].to_owned());
                        rest = &rest[end + 1..];
                    }
                    None => {
                        self.cells.push(rest.to_owned());
                        return Fed::Done;
                    }
                },
            }
        }
    }
}

/// The rows of a table as papers.
pub(super) struct Rows<F> {
    place: Place,
    text: Text,
    split: Split,
    /// Lines that were read ahead, with their numbers.
    ahead: VecDeque<(u64, String)>,
    line: String,
    targets: Vec<Target>,
    polish: F,
    literal: u64,
    run: crate::progress::Run,
    ended: bool,
}

impl<F: FnMut(&mut Paper) + Send> Rows<F> {
    /// Reads the header; `polish` is done to every paper.
    pub(super) fn open(mut source: Source, separator: u8, polish: F) -> Result<Rows<F>, String> {
        let mut split = Split::new(separator, true);
        let mut line = String::new();
        let mut separator_seen = false;
        loop {
            line.clear();
            match source.text.append_line(&mut line) {
                Ok(true) => {}
                Ok(false) => return Err("is an empty table".into()),
                Err(error) => return Err(error.to_string()),
            }
            if split.lines == 0 && line.trim().is_empty() {
                continue;
            }
            if split.lines == 0 && !separator_seen && separator_line(&line).is_some() {
                separator_seen = true;
                continue;
            }
            match split.feed(&line) {
                Fed::Done => break,
                Fed::More if split.lines < 100 => {}
                _ => return Err("the header has a quote that is not closed".into()),
            }
        }
        let header: Vec<String> = split.cells.iter().map(|name| name.trim().to_owned()).collect();
        split.reset();
        let found = targets(&header, &source.map);
        let told = |column: Column| found.contains(&Target::Field(column));
        if ![Column::Title, Column::Abstract, Column::Body, Column::Doi].into_iter().any(told) {
            return Err(format!(
                "no column is known as the title; the columns are {}; say which is which with --map title=COLUMN",
                header.join(", ")
            ));
        }
        for (field, name) in source.map.entries().filter(|(_, name)| !header.iter().any(|own| own == name)) {
            source.run.progress.warn(&format!("{}: has no column {name:?} to map to {field}", source.file));
        }
        Ok(Rows {
            place: source.place(0, 0),
            text: source.text,
            split,
            ahead: VecDeque::new(),
            line,
            targets: found,
            polish,
            literal: 0,
            run: source.run,
            ended: false,
        })
    }

    /// Puts the next line into `self.line` and says its number; 0 at the end.
    fn next_line(&mut self) -> io::Result<u64> {
        if let Some((number, line)) = self.ahead.pop_front() {
            self.line = line;
            return Ok(number);
        }
        self.line.clear();
        let more = self.text.append_line(&mut self.line)?;
        Ok(if more { self.text.line() } else { 0 })
    }

    /// Cuts the next record into cells. `Ok(None)` at the end.
    fn next_cells(&mut self) -> io::Result<Option<Result<(), String>>> {
        self.split.reset();
        let start = loop {
            let number = self.next_line()?;
            if number == 0 {
                return Ok(None);
            }
            if !self.line.trim_matches(['\n', '\r', ' ']).is_empty() {
                break number;
            }
        };
        self.place.line = start;
        let mut fed = self.split.feed(&self.line);
        if fed == Fed::Done {
            return Ok(Some(self.checked()));
        }
        // From here on lines are kept until the record is beyond doubt.
        let limit = if self.ahead.is_empty() { LONGEST_RECORD } else { LONGEST_AFTER_REJECTION };
        let mut taken = vec![(start, std::mem::take(&mut self.line))];
        let mut length = taken[0].1.len();
        let mut reason = "a quote inside a quoted value is neither doubled nor before a separator";
        while fed == Fed::More {
            let number = self.next_line()?;
            if number == 0 {
                (fed, reason) = (Fed::Doubtful, "the quote that opens in this line is never closed");
                break;
            }
            length += self.line.len();
            fed = self.split.feed(&self.line);
            if fed == Fed::Doubtful {
                reason = "the quote that opens in this line is not closed before the next one opens";
            }
            taken.push((number, std::mem::take(&mut self.line)));
            if fed == Fed::More && length > limit {
                (fed, reason) = (Fed::Doubtful, "the quote that opens in this line is not closed for a long while");
            }
        }
        if fed == Fed::Done && self.checked().is_ok() {
            return Ok(Some(Ok(())));
        }
        if fed == Fed::Done {
            reason = "the value over several lines that begins here leaves the wrong number of values";
        }
        let mut taken = taken.into_iter();
        let first = taken.next().map(|(_, line)| line).unwrap_or_default();
        for line in taken.rev() {
            self.ahead.push_front(line);
        }
        if self.split.separator == b'\t' {
            self.split.reset();
            self.split.quotes = false;
            self.split.feed(&first);
            self.split.quotes = true;
            if self.checked().is_ok() {
                self.literal += 1;
                return Ok(Some(Ok(())));
            }
        }
        Ok(Some(Err(format!("{reason}; this line was left out and reading went on with the next"))))
    }

    /// Whether there are as many values as columns; empty ones too many at the end are cut.
    fn checked(&mut self) -> Result<(), String> {
        let (found, wanted) = (self.split.cells.len(), self.targets.len());
        if found > wanted && self.split.cells[wanted..].iter().all(|cell| cell.trim().is_empty()) {
            self.split.cells.truncate(wanted);
        } else if found != wanted {
            return Err(format!("{found} values where the header has {wanted} columns"));
        }
        Ok(())
    }

    fn paper(&mut self) -> Paper {
        let mut paper = Paper { place: self.place.clone(), ..Paper::default() };
        for (cell, target) in self.split.cells.drain(..).zip(&self.targets) {
            let cell = unguarded(cell);
            match target {
                _ if cell.is_empty() => {}
                Target::Field(column) => {
                    let value = if cell.trim().len() == cell.len() { cell } else { cell.trim().to_owned() };
                    if !stands_for_nothing(*column, &value) {
                        paper.set_value(*column, value);
                    }
                }
                Target::Extra(name) => {
                    paper.extra.insert(name.clone(), cell.into());
                }
            }
        }
        (self.polish)(&mut paper);
        paper
    }
}

/// Words that programs write where they have no value. Equal missing values must not look like equal values. A title
/// and an id may be any word.
fn stands_for_nothing(column: Column, value: &str) -> bool {
    const WORDS: &[&str] = &["NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "\\N", "<NA>"];
    !matches!(column, Column::Id | Column::Title) && WORDS.contains(&value)
}

impl<F: FnMut(&mut Paper) + Send> Iterator for Rows<F> {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            match self.next_cells() {
                // Rows of nothing but separators are what spreadsheets write below a table.
                Ok(Some(Ok(()))) if self.split.cells.iter().all(|cell| cell.trim().is_empty()) => {}
                Ok(Some(Ok(()))) => {
                    self.place.record += 1;
                    return Some(Ok(self.paper()));
                }
                Ok(Some(Err(reason))) => {
                    self.place.record += 1;
                    return Some(Err(Rejected::new(&self.place, reason)));
                }
                Ok(None) => {
                    self.ended = true;
                    if self.literal > 0 {
                        let (file, count) = (&self.place.file, self.literal);
                        self.run.progress.warn(&format!("{file}: {count} lines with a lone quote were read literally"));
                    }
                }
                Err(error) => {
                    self.ended = true;
                    self.place.record += 1;
                    return Some(Err(Rejected::cut(&self.place, &error)));
                }
            }
        }
        None
    }
}

impl<F: FnMut(&mut Paper) + Send> RecordReader for Rows<F> {
    fn columns(&self) -> Vec<String> {
        self.targets
            .iter()
            .map(|target| match target {
                Target::Field(column) => column.name().to_owned(),
                Target::Extra(name) => name.clone(),
            })
            .collect()
    }
}

/// Whether a spreadsheet might execute the cell, or the cell looks like one that was guarded.
fn needs_guard(cell: &str) -> bool {
    cell.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// The cell with an apostrophe before it if a spreadsheet might execute it.
pub fn guarded(cell: &str) -> std::borrow::Cow<'_, str> {
    if needs_guard(cell) { format!("'{cell}").into() } else { cell.into() }
}

fn unguarded(cell: String) -> String {
    match cell.strip_prefix('\'') {
        Some(rest) if needs_guard(rest) => rest.to_owned(),
        _ => cell,
    }
}

/// One column of a table that is written.
enum Cell<'p> {
    Field(Column),
    Extra(&'p str),
}

/// The columns of a table of these papers: those that the sources had, in their order, then every other field and every
/// other extra value that some paper has. Without tables among the sources: the fields in the order of a record. Ids that
/// were made here are left out of a table whose source had none.
fn columns_of<'p>(papers: &'p [Paper], layout: &'p Layout) -> Vec<(String, Cell<'p>)> {
    let mut extras: Vec<&str> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut fields: BTreeSet<Column> = BTreeSet::new();
    let all: Vec<Column> = Column::all().collect();
    for paper in papers {
        for column in &all {
            if !fields.contains(column) && !paper.lacks(*column) {
                fields.insert(*column);
            }
        }
        for (name, value) in &paper.extra {
            if !value.is_null() && known.insert(name) {
                extras.push(name);
            }
        }
    }
    if layout.made_ids && !layout.columns.is_empty() {
        fields.remove(&Column::Id);
    }
    let mut columns: Vec<(String, Cell<'p>)> = Vec::new();
    for name in &layout.columns {
        match Column::of_name(name) {
            Some(column) if fields.remove(&column) || !known.contains(name.as_str()) => {
                columns.push((name.clone(), Cell::Field(column)));
            }
            _ => {
                extras.retain(|extra| extra != name);
                columns.push((name.clone(), Cell::Extra(name)));
            }
        }
    }
    columns.extend(fields.into_iter().map(|column| (column.name().to_owned(), Cell::Field(column))));
    for extra in extras {
        let mut name = extra.to_owned();
        while columns.iter().any(|(other, _)| plain_name(other) == plain_name(&name) && *other == name) {
            name.push('_');
        }
        columns.push((name, Cell::Extra(extra)));
    }
    columns
}

impl FormatWriter for Table {
    fn extensions(&self) -> &'static [&'static str] {
        self.extensions
    }

    fn write(&self, papers: &[Paper], layout: &Layout, out: &mut dyn Write) -> io::Result<()> {
        let columns = columns_of(papers, layout);
        let mut writer = csv::WriterBuilder::new().delimiter(self.separator).from_writer(out);
        if columns.is_empty() {
            return writer.flush();
        }
        writer.write_record(columns.iter().map(|(name, _)| name))?;
        for paper in papers {
            for (_, cell) in &columns {
                let value = match cell {
                    Cell::Field(column) => paper.value(*column),
                    Cell::Extra(name) => match paper.extra.get(*name) {
                        None | Some(serde_json::Value::Null) => "".into(),
                        Some(serde_json::Value::String(text)) => text.as_str().into(),
                        Some(other) => other.to_string().into(),
                    },
                };
                writer.write_field(guarded(&value).as_bytes())?;
            }
            writer.write_record(None::<&[u8]>)?;
        }
        writer.flush()
    }
}
