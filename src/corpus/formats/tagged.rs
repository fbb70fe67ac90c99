//! Records that are named values in an order: RIS, EndNote tagged text, PubMed nbib, BibTeX.
//!
//! Such a record must come back as the user had it: its own tags, unknown and repeated ones too, in its own order. So
//! a paper carries, beside the fields that all formats share, the *form* of its record, a text under one name of
//! [`Paper::extra`] (`record.ris`, `record.bib`, ...), one line a tag:
//!
//! * `TI` alone: the value is the paper's (its title), nothing is stored twice;
//! * `ZZ my shelf 4`: the tag has this value, which no field holds or which the field holds in another spelling;
//! * a line that begins with a blank goes on with the value of the line before.
//!
//! A record that is written exactly as we would write it ourselves has no form. To write a record, its form is filled
//! from the fields, read as its reader would, and compared with the paper: where a field has been changed since (a gap
//! filled by a merge), the tags of that field give way to new ones at their place. So a form can never bring back an old
//! value.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::extra::extras;
use super::{RecordReader, Source};
use crate::corpus::names::Column;
use crate::corpus::{Paper, Rejected};

/// One named value of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: Cow<'static, str>,
    pub(super) value: String,
}

impl Tag {
    pub(super) fn new(name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Tag {
        Tag { name: name.into(), value: value.into() }
    }
}

/// What of a paper a tag is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Id,
    Kind,
    Title,
    Abstract,
    Authors,
    Date,
    Venue,
    Volume,
    Number,
    Pages,
    Doi,
    Keywords,
    Source,
    Url,
    Language,
    /// Values under these names of [`Paper::extra`].
    Extra(&'static [&'static str]),
    /// Nothing that the paper has: kept as it is.
    Other,
}

impl Part {
    fn same(self, one: &Paper, two: &Paper) -> bool {
        match self {
            Part::Id => own_id(one) == own_id(two),
            Part::Kind => one.kind == two.kind,
            Part::Title => one.title == two.title,
            Part::Abstract => one.abstract_text == two.abstract_text,
            Part::Authors => one.authors == two.authors,
            Part::Date => (&one.year, &one.published) == (&two.year, &two.published),
            Part::Venue => one.venue == two.venue,
            Part::Volume => one.volume == two.volume,
            Part::Number => one.number == two.number,
            Part::Pages => one.pages == two.pages,
            Part::Doi => one.doi == two.doi,
            Part::Keywords => one.keywords == two.keywords,
            Part::Source => one.source == two.source,
            Part::Url => one.url == two.url,
            Part::Language => one.language == two.language,
            Part::Extra(names) => names.iter().all(|name| extras(one, name) == extras(two, name)),
            Part::Other => true,
        }
    }
}

/// The identifier that the source gave. One that was made when the record was read (`record-5`) is not written, where a
/// format can do without.
pub(super) fn own_id(paper: &Paper) -> &str {
    let made = paper.id.strip_prefix("record-").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if made { "" } else { &paper.id }
}

/// The paper with all its fields in their places: values that were set aside, because other sources of the corpus do not
/// have the field, are written where they came from.
pub(super) fn whole(paper: &Paper) -> Cow<'_, Paper> {
    let aside = |column: &Column| paper.lacks(*column) && paper.extra.contains_key(column.name());
    let columns: Vec<Column> = Column::all().filter(aside).collect();
    if columns.is_empty() {
        return Cow::Borrowed(paper);
    }
    let mut paper = paper.clone();
    for column in columns {
        let values: Vec<String> = extras(&paper, column.name()).into_iter().map(str::to_owned).collect();
        match column {
            Column::Authors => paper.authors = values,
            Column::Keywords => paper.keywords = values,
            _ => {
                if let [value] = values.as_slice() {
                    paper.set_value(column, value.as_str());
                }
            }
        }
        if !paper.lacks(column) {
            paper.extra.shift_remove(column.name());
        }
    }
    Cow::Owned(paper)
}

/// A format whose records are named values.
pub(super) trait Tagged {
    /// The name under which the form is kept in [`Paper::extra`].
    const FORM: &'static str;
    /// The paper that these tags describe; without form, place and number.
    fn interpret(tags: &[Tag]) -> Paper;
    /// The tags that we would write for this paper.
    fn canonical(paper: &Paper) -> Vec<Tag>;
    /// What a tag is about. `value` is `None` where it is not known; a tag whose meaning depends on its value is
    /// [`Part::Other`] then.
    fn part(name: &str, value: Option<&str>) -> Part;
    /// Whether this can be the name of a tag.
    fn is_name(name: &str) -> bool;
}

/// The paper that these tags describe, with its form.
pub(super) fn paper_of<F: Tagged>(tags: &[Tag]) -> Paper {
    let mut paper = F::interpret(tags);
    let canonical = F::canonical(&paper);
    if canonical != tags {
        let form = form_of::<F>(tags, &canonical);
        paper.extra.insert(F::FORM.to_owned(), form.into());
    }
    paper
}

/// The tags of this paper: those of its form where it has one, with what has changed since.
pub(super) fn tags_of<F: Tagged>(paper: &Paper) -> Vec<Tag> {
    let paper = &*whole(paper);
    let canonical = F::canonical(paper);
    let Some(form) = paper.extra.get(F::FORM).and_then(|form| form.as_str()) else { return canonical };
    let mut tags = fill::<F>(form, &canonical);
    let read = F::interpret(&tags);
    let part = |tag: &Tag| F::part(&tag.name, Some(&tag.value));
    let mut parts: Vec<Part> = tags.iter().chain(&canonical).map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    parts.retain(|part| !part.same(&read, paper));
    for changed in parts {
        let place = tags.iter().position(|tag| part(tag) == changed).unwrap_or(tags.len());
        tags.retain(|tag| part(tag) != changed);
        let new = canonical.iter().filter(|tag| part(tag) == changed).cloned();
        let place = place.min(tags.len());
        tags.splice(place..place, new);
    }
    tags
}

/// Puts the first tag of this name in front, as other programs want it; makes one if there is none.
pub(super) fn lead(tags: &mut Vec<Tag>, name: &'static str, otherwise: &str) {
    match tags.iter().position(|tag| tag.name == name) {
        Some(place) => tags[..=place].rotate_right(1),
        None => tags.insert(0, Tag::new(name, otherwise)),
    }
}

/// The values that we would write, each kind of them in its order.
struct Values<'a> {
    of: BTreeMap<Part, Vec<&'a str>>,
    used: BTreeMap<Part, usize>,
}

impl<'a> Values<'a> {
    fn new<F: Tagged>(canonical: &'a [Tag]) -> Values<'a> {
        let mut of: BTreeMap<Part, Vec<&str>> = BTreeMap::new();
        for tag in canonical {
            of.entry(F::part(&tag.name, Some(&tag.value))).or_default().push(&tag.value);
        }
        Values { of, used: BTreeMap::new() }
    }

    fn peek(&self, part: Part) -> Option<&'a str> {
        let used = self.used.get(&part).copied().unwrap_or(0);
        self.of.get(&part)?.get(used).copied()
    }

    fn next(&mut self, part: Part) -> Option<&'a str> {
        let value = self.peek(part)?;
        *self.used.entry(part).or_default() += 1;
        Some(value)
    }
}

fn form_of<F: Tagged>(tags: &[Tag], canonical: &[Tag]) -> String {
    let mut values = Values::new::<F>(canonical);
    let mut form = String::new();
    for tag in tags {
        form.push_str(&tag.name);
        let part = F::part(&tag.name, None);
        if part != Part::Other && values.peek(part) == Some(&tag.value) {
            values.next(part);
        } else {
            for line in tag.value.split('\n') {
                form.push(' ');
                form.push_str(line);
                form.push('\n');
            }
            continue;
        }
        form.push('\n');
    }
    form
}

fn fill<F: Tagged>(form: &str, canonical: &[Tag]) -> Vec<Tag> {
    let mut values = Values::new::<F>(canonical);
    let mut tags: Vec<Tag> = Vec::new();
    // A line that goes on belongs to a tag only if that tag was taken.
    let mut taken = false;
    for line in form.lines() {
        if let Some(more) = line.strip_prefix(' ') {
            if let Some(tag) = tags.last_mut().filter(|_| taken) {
                tag.value.push('\n');
                tag.value.push_str(more);
            }
            continue;
        }
        let (name, value) = match line.split_once(' ') {
            Some((name, value)) => (name, Some(value)),
            None => (line, values.next(F::part(line, None))),
        };
        taken = value.is_some() && F::is_name(name);
        if let Some(value) = value.filter(|_| taken) {
            tags.push(Tag::new(name.to_owned(), value));
        }
    }
    tags
}

/// Lines that were passed over, for one warning a file.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    lines: u64,
    first: Vec<u64>,
}

impl Ignored {
    pub(super) fn line(&mut self, line: u64) {
        self.lines += 1;
        if self.first.len() < 10 {
            self.first.push(line);
        }
    }

    /// `FILE: 3 lines … were ignored: 1, 8, 10`, if there are any; afterwards there are none.
    pub(super) fn message(&mut self, file: &str, what: &str) -> Option<String> {
        let Ignored { lines, mut first } = std::mem::take(self);
        first.sort_unstable();
        let numbers: Vec<String> = first.iter().map(u64::to_string).collect();
        let more = if lines > first.len() as u64 { ", ..." } else { "" };
        match lines {
            0 => None,
            1 => Some(format!("{file}: 1 line {what} was ignored: {}", numbers.join(", "))),
            _ => Some(format!("{file}: {lines} lines {what} were ignored: {}{more}", numbers.join(", "))),
        }
    }
}

/// A paper, or why there is none.
pub(super) type Outcome = Result<Paper, Rejected>;

/// What a format knows of its lines; [`Records`] does the rest.
pub(super) trait Lines: Send {
    /// What the lines that were passed over are: `outside of the records`.
    const IGNORED: &'static str;
    /// Why a text has no record.
    const NO_RECORD: &'static str;
    /// Why a record is none that says nothing but what [`Lines::is_frame`] passes.
    const EMPTY: &'static str;

    /// Whether a tag of this name alone makes no record.
    fn is_frame(name: &str) -> bool;
    /// The paper that these tags describe.
    fn paper(tags: &[Tag]) -> Paper;
    /// Takes the next line. A record that it completes is given back.
    fn line(&mut self, line: &str, number: u64, open: &mut Open) -> Option<Outcome>;
    /// The text is at its end; what is open becomes the last record.
    fn end(&mut self, _open: &mut Open) {}
    /// Whether a text without a record is well formed.
    fn may_be_empty(&self) -> bool {
        false
    }
}

/// The record that is being read, and what was read so far.
pub(super) struct Open {
    pub(super) source: Source,
    pub(super) tags: Vec<Tag>,
    /// The line of its first tag.
    pub(super) start: u64,
    pub(super) records: u64,
    pub(super) ignored: Ignored,
}

impl Open {
    /// Adds a tag that stands on this line.
    pub(super) fn push(&mut self, tag: Tag, line: u64) {
        if self.tags.is_empty() {
            self.start = line;
        }
        self.tags.push(tag);
    }

    /// Adds a line of text to the last tag, behind this mark; whether there is a tag.
    pub(super) fn append(&mut self, mark: impl Fn(&Tag) -> char, text: &str) -> bool {
        let Some(last) = self.tags.last_mut() else { return false };
        if !last.value.is_empty() {
            let mark = mark(last);
            last.value.push(mark);
        }
        last.value.push_str(text);
        true
    }

    /// Completes the open record, if there is one.
    pub(super) fn finish<L: Lines>(&mut self) -> Option<Outcome> {
        let tags = std::mem::take(&mut self.tags);
        if tags.is_empty() {
            return None;
        }
        self.records += 1;
        let place = self.source.place(self.records, self.start);
        if tags.iter().all(|tag| L::is_frame(&tag.name) || tag.value.is_empty()) {
            return Some(Err(Rejected::new(&place, L::EMPTY)));
        }
        let mut paper = L::paper(&tags);
        paper.place = place;
        Some(Ok(paper))
    }
}

/// The records of a text of tagged lines.
pub(super) struct Records<L> {
    open: Open,
    lines: L,
    line: String,
    done: bool,
}

impl<L: Lines> Records<L> {
    pub(super) fn new(source: Source, lines: L) -> Records<L> {
        let open = Open { source, tags: Vec::new(), start: 0, records: 0, ignored: Ignored::default() };
        Records { open, lines, line: String::new(), done: false }
    }

    fn end(&mut self) -> Option<Outcome> {
        self.done = true;
        self.lines.end(&mut self.open);
        let last = self.open.finish::<L>();
        let Open { source, records, ignored, .. } = &mut self.open;
        if let Some(message) = ignored.message(&source.file, L::IGNORED) {
            source.run.progress.warn(&message);
        }
        if *records == 0 && !self.lines.may_be_empty() {
            return Some(Err(Rejected::new(&source.place(0, 1), L::NO_RECORD)));
        }
        last
    }
}

impl<L: Lines> Iterator for Records<L> {
    type Item = Outcome;

    fn next(&mut self) -> Option<Outcome> {
        while !self.done {
            let number = self.open.source.text.line() + 1;
            self.line.clear();
            match self.open.source.text.next_line() {
                Ok(Some(line)) => self.line.push_str(line),
                Ok(None) => return self.end(),
                Err(error) => {
                    self.done = true;
                    return Some(Err(Rejected::cut(&self.open.source.place(self.open.records + 1, number), &error)));
                }
            }
            let record = self.lines.line(&self.line, number, &mut self.open);
            if record.is_some() {
                return record;
            }
        }
        None
    }
}

impl<L: Lines> RecordReader for Records<L> {}
