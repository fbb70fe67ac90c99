//! EndNote tagged text (also Refer): a per cent sign, a letter, a blank, a value.
//!
//! `%0` begins a record; in a file without `%0`, a blank line does. Lines without a sign go on with the value above them;
//! keywords stand one a line. Files of this kind are often named `.ris`, so they are told by their content.

use std::io::{self, Write};

use super::dates::year_in;
use super::extra::{add_extra, add_serial, body, extras, is_missing};
use super::ris::one_line;
use super::tagged::{Ignored, Part, Tag, Tagged, lead, own_id, paper_of, tags_of};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper, Rejected};

/// The format.
pub(super) struct Endnote;

const EXTRAS: &[(&str, &str)] = &[
    ("publisher", "%I"),
    ("place", "%C"),
    ("edition", "%7"),
    ("editors", "%E"),
    ("accession", "%M"),
    ("accessed", "%["),
    ("affiliations", "%+"),
    ("pmcid", "%2"),
];

impl Tagged for Endnote {
    const FORM: &'static str = "record.enw";

    fn is_name(name: &str) -> bool {
        matches!(name.as_bytes(), [b'%', sign] if sign.is_ascii_graphic())
    }

    fn part(name: &str, _: Option<&str>) -> Part {
        match name {
            "%0" => Part::Kind,
            "%F" => Part::Id,
            "%T" => Part::Title,
            "%A" => Part::Authors,
            "%D" | "%8" => Part::Date,
            "%J" | "%B" => Part::Venue,
            "%V" => Part::Volume,
            "%N" => Part::Number,
            "%P" => Part::Pages,
            "%R" => Part::Doi,
            "%X" => Part::Abstract,
            "%K" => Part::Keywords,
            "%W" | "%~" => Part::Source,
            "%U" => Part::Url,
            "%G" => Part::Language,
            "%@" => Part::Extra(&["issn", "isbn"]),
            "%S" => Part::Extra(&["series"]),
            "%I" => Part::Extra(&["publisher"]),
            "%C" => Part::Extra(&["place"]),
            "%7" => Part::Extra(&["edition"]),
            "%E" => Part::Extra(&["editors"]),
            "%M" => Part::Extra(&["accession"]),
            "%[" => Part::Extra(&["accessed"]),
            "%+" => Part::Extra(&["affiliations"]),
            "%2" => Part::Extra(&["pmcid"]),
            _ => Part::Other,
        }
    }

    fn interpret(tags: &[Tag]) -> Paper {
        let mut paper = Paper::default();
        let all = |name: &'static str| {
            tags.iter()
                .filter(move |tag| tag.name == name)
                .map(|tag| tag.value.trim())
                .filter(|value| !is_missing(value))
        };
        let first = |names: &[&'static str]| names.iter().find_map(|name| all(name).next()).unwrap_or("").to_owned();
        paper.kind = first(&["%0"]);
        paper.id = first(&["%F"]);
        paper.title = first(&["%T"]);
        for value in all("%A") {
            for name in value.split([';', '\n']).map(str::trim).filter(|name| !name.is_empty()) {
                paper.authors.push(match name.strip_suffix(',') {
                    Some(body) if !body.is_empty() && !body.contains([',', '{', '}']) => format!("{{{body}}}"),
                    _ => name.to_owned(),
                });
            }
        }
        let (date, day) = (first(&["%D"]), first(&["%8"]));
        paper.year = year_in(&date).or(year_in(&day)).unwrap_or(&date).to_owned();
        paper.published = day;
        paper.venue = first(&["%J", "%B"]);
        paper.volume = first(&["%V"]);
        paper.number = first(&["%N"]);
        paper.pages = first(&["%P"]);
        paper.doi = first(&["%R"]);
        paper.abstract_text = first(&["%X"]);
        for value in all("%K") {
            let alone = all("%K").count() == 1;
            let words = value.split(|c| c == '\n' || (alone && c == ';')).map(str::trim);
            paper.keywords.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        paper.source = first(&["%W", "%~"]);
        paper.url = first(&["%U"]);
        paper.language = first(&["%G"]);
        for value in all("%@") {
            add_serial(&mut paper, value);
        }
        // The series of a chapter stands in %S; the one of a journal article has no such thing.
        for value in all("%S") {
            add_extra(&mut paper, "series", value);
        }
        for (name, tag) in EXTRAS {
            for value in all(tag) {
                add_extra(&mut paper, name, value);
            }
        }
        paper
    }

    fn canonical(paper: &Paper) -> Vec<Tag> {
        let mut tags = Vec::with_capacity(16 + paper.authors.len());
        let mut push = |name: &'static str, value: &str| {
            let value = one_line(value);
            if !value.is_empty() {
                tags.push(Tag::new(name, value));
            }
        };
        let kind = Kind::of(&paper.kind);
        let own = paper.kind.contains(' ') && !paper.kind.contains(';');
        push("%0", if own { &paper.kind } else { kind.endnote().0 });
        push("%F", own_id(paper));
        push("%T", &paper.title);
        for name in &paper.authors {
            match body(name) {
                Some(body) => push("%A", &format!("{body},")),
                None => push("%A", name),
            }
        }
        push("%D", &paper.year);
        push("%8", &paper.published);
        let part_of = matches!(kind, Kind::ConferencePaper | Kind::Chapter);
        push(if part_of { "%B" } else { "%J" }, &paper.venue);
        push("%V", &paper.volume);
        push("%N", &paper.number);
        push("%P", &paper.pages);
        push("%R", &paper.doi);
        push("%X", &paper.abstract_text);
        for word in &paper.keywords {
            push("%K", word);
        }
        push("%W", &paper.source);
        push("%U", &paper.url);
        push("%G", &paper.language);
        for name in ["issn", "isbn"] {
            for value in extras(paper, name) {
                push("%@", value);
            }
        }
        for value in extras(paper, "series") {
            push("%S", value);
        }
        for (name, tag) in EXTRAS {
            for value in extras(paper, name) {
                push(tag, value);
            }
        }
        tags
    }
}

/// The name and the value of a line that begins with a tag.
fn tag_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['\u{FEFF}', '\r']);
    let name = line.get(..2)?;
    let rest = &line[2..];
    (Endnote::is_name(name) && (rest.is_empty() || rest.starts_with([' ', '\t']))).then(|| (name, rest.trim()))
}

impl FormatReader for Endnote {
    fn format(&self) -> Format {
        Format::Endnote
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines();
        match lines.next().and_then(tag_of) {
            Some(("%0", _)) => Confidence::Certain,
            Some(_) if lines.filter(|line| tag_of(line).is_some()).count() > 1 => Confidence::Likely,
            _ if head.text.contains("\n%0 ") && head.text.contains("\n%T ") => Confidence::Likely,
            _ => Confidence::No,
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Records {
            source,
            tags: Vec::new(),
            start: 0,
            blank: false,
            typed: None,
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
    blank: bool,
    /// Whether records begin with `%0`, as the first one does.
    typed: Option<bool>,
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
        if tags.iter().all(|tag| tag.name == "%0" || tag.value.is_empty()) {
            return Some(Err(Rejected::new(&place, "the record has a type and nothing else")));
        }
        let mut paper = paper_of::<Endnote>(&tags);
        paper.place = place;
        Some(Ok(paper))
    }

    fn end(&mut self) -> Option<Result<Paper, Rejected>> {
        self.done = true;
        let last = self.finish();
        if let Some(message) = self.ignored.message(&self.source.file, "outside of the records") {
            self.source.run.progress.warn(&message);
        }
        if self.records == 0 {
            let reason = "no record: no line begins with a tag such as \"%0 Journal Article\"";
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
                Ok(Some(line)) => line,
                Ok(None) => return self.end(),
                Err(error) => {
                    self.done = true;
                    return Some(Err(Rejected::cut(&self.source.place(self.records + 1, number), &error)));
                }
            };
            if line.trim().is_empty() {
                self.blank = true;
            } else if let Some((name, value)) = tag_of(line) {
                let typed = *self.typed.get_or_insert(name == "%0");
                let begins = if typed { name == "%0" } else { self.blank || name == "%0" };
                let tag = Tag::new(name.to_owned(), value);
                self.blank = false;
                let complete = if begins { self.finish() } else { None };
                if self.tags.is_empty() {
                    self.start = number;
                }
                self.tags.push(tag);
                if complete.is_some() {
                    return complete;
                }
            } else if let Some(last) = self.tags.last_mut() {
                if !last.value.is_empty() {
                    last.value.push(if last.name == "%K" { '\n' } else { ' ' });
                }
                last.value.push_str(line.trim());
            } else {
                self.ignored.line(number);
            }
        }
        None
    }
}

impl RecordReader for Records {}

impl FormatWriter for Endnote {
    fn extensions(&self) -> &'static [&'static str] {
        &["enw"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        for paper in papers {
            let mut tags = tags_of::<Endnote>(paper);
            lead(&mut tags, "%0", "Generic");
            for tag in tags {
                // A line that looks like a tag is none behind a blank.
                writeln!(out, "{} {}", tag.name, tag.value.replace("\n%", "\n %"))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}
