//! EndNote tagged text (also Refer): a per cent sign, a letter, a blank, a value.
//!
//! `%0` begins a record; in a file without `%0`, a blank line does. Lines without a sign go on with the value above them;
//! keywords stand one a line. Files of this kind are often named `.ris`, so they are told by their content.

use std::io::{self, Write};

use super::dates::year_in;
use super::extra::{add_extra, add_serial, body, extras, is_missing};
use super::ris::one_line;
use super::tagged::{Lines, Open, Outcome, Part, Records, Tag, Tagged, lead, own_id, paper_of, tags_of};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper};

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
        Ok(Box::new(Records::new(source, EndnoteLines::default())))
    }
}

/// Where a text of this format stands.
#[derive(Default)]
struct EndnoteLines {
    blank: bool,
    /// Whether records begin with `%0`, as the first one does.
    typed: Option<bool>,
}

impl Lines for EndnoteLines {
    const IGNORED: &'static str = "outside of the records";
    const NO_RECORD: &'static str = "no record: no line begins with a tag such as \"%0 Journal Article\"";
    const EMPTY: &'static str = "the record has a type and nothing else";

    fn is_frame(name: &str) -> bool {
        name == "%0"
    }

    fn paper(tags: &[Tag]) -> Paper {
        paper_of::<Endnote>(tags)
    }

    fn line(&mut self, line: &str, number: u64, open: &mut Open) -> Option<Outcome> {
        if line.trim().is_empty() {
            self.blank = true;
            return None;
        }
        let Some((name, value)) = tag_of(line) else {
            if !open.append(|last| if last.name == "%K" { '\n' } else { ' ' }, line.trim()) {
                open.ignored.line(number);
            }
            return None;
        };
        let typed = *self.typed.get_or_insert(name == "%0");
        let begins = if typed { name == "%0" } else { self.blank || name == "%0" };
        self.blank = false;
        let complete = if begins { open.finish::<EndnoteLines>() } else { None };
        open.push(Tag::new(name.to_owned(), value), number);
        complete
    }
}

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
