//! RIS: two letters, two blanks, a dash, a blank, a value.
//!
//! Read by own rules, because real files break those of the format, and because every tag must come back. What is
//! tolerated: text between records, records without `ER` or with tags before `TY`, one blank instead of two, small
//! letters, empty tags without the last blank, values over several lines, a byte order mark.
//!
//! | field | tags, the first that has something wins |
//! |---|---|
//! | title | `TI T1 CT`, then `BT` |
//! | authors | `AU` and `A1` together, each name once |
//! | year, published | `PY Y1 DA`; never `Y2`, the day of access |
//! | venue | `JF T2 JO BT C3 JA J1 J2 JI J9` |
//! | volume, number | `VL VO`; `IS` |
//! | pages | `SP`-`EP`; `C7` (article number) |
//! | abstract | `AB N2` |
//! | doi | `DO DI`, then `M3 L3 UR` if a DOI is in it |
//! | url, source | `UR L2 LK`; `DB DP` |
//!
//! Serial numbers, publisher, editors and the like are extra values; everything else stays in the form of the record.

use std::io::{self, Write};

use super::dates::{iso_parts, year_in};
use super::extra::{add_extra, add_serial, body, extras, is_missing};
use super::tagged::{Lines, Open, Outcome, Part, Records, Tag, Tagged, lead, own_id, paper_of, tags_of};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper};

/// The format.
pub(super) struct Ris;

impl Tagged for Ris {
    const FORM: &'static str = "record.ris";

    fn is_name(name: &str) -> bool {
        matches!(name.as_bytes(), [one, two] if one.is_ascii_uppercase() && (two.is_ascii_uppercase() || two.is_ascii_digit()))
    }

    fn part(name: &str, value: Option<&str>) -> Part {
        match name {
            "TY" => Part::Kind,
            "ID" => Part::Id,
            "TI" | "T1" | "CT" => Part::Title,
            "AU" | "A1" => Part::Authors,
            "PY" | "Y1" | "DA" => Part::Date,
            "JF" | "T2" | "JO" | "BT" | "C3" | "JA" | "J1" | "J2" | "JI" | "J9" => Part::Venue,
            "VL" | "VO" => Part::Volume,
            "IS" => Part::Number,
            "SP" | "EP" | "C7" => Part::Pages,
            "DO" | "DI" => Part::Doi,
            "AB" | "N2" => Part::Abstract,
            "KW" => Part::Keywords,
            "LA" => Part::Language,
            "DB" => Part::Source,
            "UR" => Part::Url,
            "SN" => Part::Extra(&["issn", "isbn"]),
            "PB" => Part::Extra(&["publisher"]),
            "CY" => Part::Extra(&["place"]),
            "ET" => Part::Extra(&["edition"]),
            "T3" => Part::Extra(&["series"]),
            "ED" => Part::Extra(&["editors"]),
            "AN" => Part::Extra(&["accession"]),
            "Y2" => Part::Extra(&["accessed"]),
            "AD" => Part::Extra(&["affiliations"]),
            "N1" => match value.and_then(identifier) {
                Some((name, _)) => Part::Extra(name),
                None => Part::Other,
            },
            _ => Part::Other,
        }
    }

    fn interpret(tags: &[Tag]) -> Paper {
        let mut paper = Paper::default();
        let all = |names: &'static [&'static str]| {
            tags.iter().filter(move |tag| names.contains(&&*tag.name)).map(|tag| tag.value.as_str())
        };
        let first = |names: &'static [&'static str]| {
            let of = |name: &'static &'static str| all(std::slice::from_ref(name)).find(|value| !is_missing(value));
            names.iter().find_map(of).unwrap_or("").trim()
        };
        paper.kind = first(&["TY"]).to_owned();
        paper.id = first(&["ID"]).to_owned();
        paper.title = first(&["TI", "T1", "CT", "BT"]).to_owned();
        for value in all(&["AU", "A1"]).filter(|value| !is_missing(value)) {
            for name in split_names(value) {
                let name = corporate(name);
                if !paper.authors.contains(&name) {
                    paper.authors.push(name);
                }
            }
        }
        let (py, y1, da) = (first(&["PY"]), first(&["Y1"]), first(&["DA"]));
        let year = [py, y1, da].into_iter().find_map(year_in);
        paper.year = year.or([py, y1].into_iter().find(|v| !v.is_empty())).unwrap_or("").to_owned();
        paper.published = match [da, py, y1].into_iter().find(|value| has_month(value)) {
            Some(value) => published(value),
            None => published(da),
        };
        let venue = first(&["JF", "T2", "JO", "BT", "C3", "JA", "J1", "J2", "JI", "J9"]);
        paper.venue =
            if venue.is_empty() || venue == paper.title { first(&["T2", "JO", "JA"]) } else { venue }.to_owned();
        paper.volume = first(&["VL", "VO"]).to_owned();
        paper.number = first(&["IS"]).to_owned();
        let (start, end, article) = (first(&["SP"]), first(&["EP"]), first(&["C7"]));
        paper.pages = pages(start, end, article);
        paper.abstract_text = first(&["AB", "N2"]).to_owned();
        paper.doi = first(&["DO", "DI"]).to_owned();
        if paper.doi.is_empty() {
            let elsewhere = ["M3", "L3", "UR"]
                .into_iter()
                .find_map(|name| tags.iter().filter(|tag| tag.name == name).find_map(|tag| doi_in(&tag.value)));
            paper.doi = elsewhere.unwrap_or("").to_owned();
        }
        for value in all(&["KW"]).filter(|value| !is_missing(value)) {
            let alone = all(&["KW"]).count() == 1;
            let words = value.split(|c| c == '\n' || (alone && c == ';')).map(str::trim);
            paper.keywords.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
        paper.language = first(&["LA"]).to_owned();
        paper.source = first(&["DB", "DP"]).to_owned();
        paper.url = first(&["UR", "L2", "LK"]).to_owned();
        for value in all(&["SN"]).filter(|value| !is_missing(value)) {
            add_serial(&mut paper, value.trim());
        }
        for (name, tag) in [
            ("publisher", "PB"),
            ("place", "CY"),
            ("edition", "ET"),
            ("series", "T3"),
            ("editors", "ED"),
            ("accession", "AN"),
            ("accessed", "Y2"),
            ("affiliations", "AD"),
        ] {
            for value in tags.iter().filter(|t| t.name == tag && !is_missing(&t.value)) {
                add_extra(&mut paper, name, value.value.trim());
            }
        }
        for value in all(&["N1"]) {
            if let Some((name, number)) = identifier(value) {
                add_extra(&mut paper, name[0], number);
            }
        }
        let base = paper.source.to_ascii_lowercase();
        let from = if base.contains("medline") || base.contains("pubmed") {
            first(&["AN"])
        } else if base.contains("scopus") {
            first(&["C2"])
        } else {
            ""
        };
        if !from.is_empty() && from.bytes().all(|b| b.is_ascii_digit()) && extras(&paper, "pmid").is_empty() {
            add_extra(&mut paper, "pmid", from);
        }
        paper
    }

    fn canonical(paper: &Paper) -> Vec<Tag> {
        let mut tags = Vec::with_capacity(16 + paper.authors.len() + paper.keywords.len());
        let kind = paper.kind.trim();
        // A type that RIS has is written as it is.
        let known = (2..=6).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_uppercase());
        let kind = match Kind::of(kind) {
            _ if known => kind,
            Kind::Unknown if !paper.venue.is_empty() => "JOUR",
            kind => kind.ris(),
        };
        let mut push = |name: &'static str, value: &str| {
            let value = one_line(value);
            if !value.is_empty() {
                tags.push(Tag::new(name, value));
            }
        };
        push("TY", kind);
        push("ID", own_id(paper));
        push("TI", &paper.title);
        for name in &paper.authors {
            match body(name) {
                Some(body) => push("AU", &format!("{body},")),
                None => push("AU", name),
            }
        }
        push("PY", &paper.year);
        push("DA", &ris_date(&paper.published));
        push("T2", &paper.venue);
        push("VL", &paper.volume);
        push("IS", &paper.number);
        match clean_range(&paper.pages) {
            Some((start, end)) => {
                push("SP", start);
                push("EP", end);
            }
            None => push("SP", &paper.pages),
        }
        push("DO", &paper.doi);
        push("AB", &paper.abstract_text);
        for word in &paper.keywords {
            push("KW", word);
        }
        push("LA", &paper.language);
        push("DB", &paper.source);
        push("UR", &paper.url);
        for (name, tag) in [
            ("issn", "SN"),
            ("isbn", "SN"),
            ("publisher", "PB"),
            ("place", "CY"),
            ("edition", "ET"),
            ("series", "T3"),
            ("editors", "ED"),
            ("accession", "AN"),
            ("accessed", "Y2"),
            ("affiliations", "AD"),
        ] {
            for value in extras(paper, name) {
                push(tag, value);
            }
        }
        for (label, names) in IDENTIFIERS {
            for value in extras(paper, names[0]) {
                push("N1", &format!("{label}: {value}"));
            }
        }
        tags
    }
}

/// Identifiers that RIS has no tag for, written into notes.
const IDENTIFIERS: &[(&str, &[&str])] = &[("PMID", &["pmid"]), ("PMCID", &["pmcid"]), ("arXiv", &["arxiv"])];

fn identifier(note: &str) -> Option<(&'static [&'static str], &str)> {
    IDENTIFIERS.iter().find_map(|(label, names)| {
        let number = note.strip_prefix(label)?.strip_prefix(':')?.trim();
        (!number.is_empty() && !number.contains(char::is_whitespace)).then_some((*names, number))
    })
}

/// Names in one value: `Lowe, Kit; Berg, Tove`.
fn split_names(value: &str) -> impl Iterator<Item = &str> {
    value.split([';', '\n']).map(str::trim).filter(|name| !name.is_empty())
}

/// A comma at the end and none before marks a body.
fn corporate(name: &str) -> String {
    match name.strip_suffix(',').map(str::trim_end) {
        Some(body) if !body.is_empty() && !body.contains([',', '{', '}']) => format!("{{{body}}}"),
        _ => name.to_owned(),
    }
}

fn has_month(value: &str) -> bool {
    let mut parts = value.split('/');
    let year = parts.next().unwrap_or("");
    let slashes = parts.next().is_some_and(|month| !month.trim().is_empty());
    slashes || iso_parts(year).is_some_and(|parts| parts.len() > 1)
}

/// `2016/03/05/` as ISO writes it; a date in another form as it is.
fn published(value: &str) -> String {
    let parts: Vec<&str> = value.split('/').collect();
    if let [year, month, rest @ ..] = parts.as_slice()
        && rest.len() <= 2
        && rest.get(1).is_none_or(|other| other.trim().is_empty())
        && month.trim().len() <= 2
        && let Some(date) = super::dates::iso(year, month, rest.first().unwrap_or(&""))
    {
        return date;
    }
    value.to_owned()
}

fn ris_date(published: &str) -> String {
    match iso_parts(published) {
        Some(parts) => {
            let part = |n: usize| parts.get(n).copied().unwrap_or("");
            format!("{}/{}/{}/", part(0), part(1), part(2))
        }
        None => published.to_owned(),
    }
}

/// `SP` and `EP` as one text. `SP` may hold the whole range, whatever `EP` says then.
fn pages(start: &str, end: &str, article: &str) -> String {
    if start.is_empty() {
        return if end.is_empty() { article } else { end }.to_owned();
    }
    if end.is_empty() || start == end || start.contains(['-', '–', '—', '−', ',']) {
        return start.to_owned();
    }
    format!("{start}-{end}")
}

/// The two ends of a range that `SP` and `EP` can hold so that it comes back the same.
pub(super) fn clean_range(pages: &str) -> Option<(&str, &str)> {
    let (start, end) = pages.split_once('-')?;
    let plain = |part: &str| {
        !part.is_empty()
            && !part.contains(|c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '−' | ','))
            && !is_missing(part)
    };
    (plain(start) && plain(end) && start != end).then_some((start, end))
}

/// A DOI somewhere in a value, without the address before it.
pub(super) fn doi_in(value: &str) -> Option<&str> {
    let at = value.find("10.")?;
    let doi = value[at..].split(char::is_whitespace).next().unwrap_or("");
    let (prefix, rest) = doi.split_once('/')?;
    let before = value[..at].trim_end();
    let introduced = before.is_empty() || before.ends_with("doi.org/") || before.ends_with([':', ' ']);
    let digits = prefix[3..].len() >= 4 && prefix[3..].bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (introduced && digits && !rest.is_empty()).then_some(doi)
}

/// A text without line ends and other control characters, its blanks single.
pub(super) fn one_line(text: &str) -> String {
    let clean = |c: char| c.is_control() || c == '\u{FEFF}';
    if !text.contains(clean) && !text.contains("  ") && text.trim().len() == text.len() {
        return text.to_owned();
    }
    let text = text.replace(clean, " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The name and the value of a line that begins with a tag. `narrow`: one blank before the dash is enough.
fn tag_of(line: &str, narrow: bool) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    let bytes = line.as_bytes();
    let [one, two, ..] = *bytes else { return None };
    if !one.is_ascii_alphabetic() || !two.is_ascii_alphanumeric() {
        return None;
    }
    let blanks = bytes[2..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let dash = 2 + blanks;
    if bytes.get(dash) != Some(&b'-') {
        return None;
    }
    let capital = !one.is_ascii_lowercase() && !two.is_ascii_lowercase();
    let open = bytes.get(dash + 1).is_none_or(u8::is_ascii_whitespace);
    let is_tag = match blanks {
        0 => false,
        1 => capital && open && (narrow || matches!(&line[..2], "TY" | "ER")),
        _ => capital || open,
    };
    is_tag.then(|| (&line[..2], line[dash + 1..].trim()))
}

/// Whether the line begins a record.
pub(super) fn is_type(line: &str) -> bool {
    tag_of(line, true).is_some_and(|(name, value)| {
        name.eq_ignore_ascii_case("TY") && !value.is_empty() && !value.contains(char::is_whitespace)
    })
}

impl FormatReader for Ris {
    fn format(&self) -> Format {
        Format::Ris
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if head.lines().next().is_some_and(|line| line.starts_with('@') && line.contains('{')) {
            return Confidence::No;
        }
        if head.lines().any(is_type) {
            return Confidence::Certain;
        }
        let tags = head.lines().filter(|line| tag_of(line, false).is_some()).count();
        match tags {
            0 if head.name.ends_with(".ris") => Confidence::Possible,
            0 | 1 => Confidence::No,
            _ => Confidence::Likely,
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Records::new(source, RisLines::default())))
    }
}

/// Where a text of this format stands.
#[derive(Default)]
struct RisLines {
    /// The lines of the tags of the open record.
    lines: Vec<u64>,
    /// Whether its `TY` was seen.
    typed: bool,
    /// Text after a blank line: of the last tag if another tag follows, else of nobody.
    held: Vec<(u64, String)>,
    /// Whether the last tag is behind a blank line.
    blank: bool,
    narrow: bool,
}

/// Adds a line of text to the last tag. Keywords stand one a line, everything else is wrapped text.
fn append(open: &mut Open, text: &str) -> bool {
    open.append(|last| if last.name == "KW" { '\n' } else { ' ' }, text)
}

impl RisLines {
    fn keep_held(&mut self, open: &mut Open) {
        for (_, text) in self.held.drain(..) {
            append(open, &text);
        }
    }

    fn drop_held(&mut self, open: &mut Open) {
        for (line, _) in self.held.drain(..) {
            open.ignored.line(line);
        }
    }

    fn drop_tags(&mut self, open: &mut Open) {
        open.tags.clear();
        for line in self.lines.drain(..) {
            open.ignored.line(line);
        }
    }

    fn finish(&mut self, open: &mut Open) -> Option<Outcome> {
        self.lines.clear();
        self.typed = false;
        open.finish::<RisLines>()
    }

    /// A line that begins with a tag; perhaps the record before it, or this one, is complete.
    fn tag(&mut self, name: &str, value: &str, line: u64, open: &mut Open) -> Option<Outcome> {
        let mut complete = None;
        match name {
            "ER" => {
                self.keep_held(open);
                if open.tags.is_empty() {
                    open.ignored.line(line);
                }
                self.blank = false;
                return self.finish(open);
            }
            "TY" if self.typed => {
                self.drop_held(open);
                complete = self.finish(open);
            }
            _ if self.typed => self.keep_held(open),
            _ if !self.held.is_empty() => {
                // Tags, a blank line, text, and then something new: search strategies between the records.
                self.drop_tags(open);
                self.drop_held(open);
            }
            _ => {}
        }
        self.typed |= name == "TY";
        self.blank = false;
        open.push(Tag::new(name.to_owned(), value), line);
        self.lines.push(line);
        complete
    }
}

impl Lines for RisLines {
    const IGNORED: &'static str = "outside of the records";
    const NO_RECORD: &'static str = "no record: no line begins with a tag such as \"TY  - JOUR\"";
    const EMPTY: &'static str = "the record has a type and nothing else";

    fn is_frame(name: &str) -> bool {
        name == "TY"
    }

    fn paper(tags: &[Tag]) -> Paper {
        paper_of::<Ris>(tags)
    }

    fn line(&mut self, line: &str, number: u64, open: &mut Open) -> Option<Outcome> {
        let text = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
        if text.is_empty() {
            self.blank = true;
        } else if let Some((name, value)) = tag_of(line, self.narrow) {
            let name = name.to_ascii_uppercase();
            if name == "TY" {
                self.narrow = !line.contains("  -");
            }
            return self.tag(&name, value, number, open);
        } else if self.blank && !open.tags.is_empty() {
            self.held.push((number, text.to_owned()));
        } else if !append(open, text) {
            open.ignored.line(number);
        }
        None
    }

    fn end(&mut self, open: &mut Open) {
        self.drop_held(open);
        let titled = open.tags.iter().any(|tag| matches!(&*tag.name, "TI" | "T1") && !tag.value.is_empty());
        if !self.typed && !titled {
            self.drop_tags(open);
        }
    }
}

impl FormatWriter for Ris {
    fn extensions(&self) -> &'static [&'static str] {
        &["ris"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        for paper in papers {
            let mut tags = tags_of::<Ris>(paper);
            // Other programs want the type first.
            lead(&mut tags, "TY", "GEN");
            for tag in tags {
                let mut lines = tag.value.split('\n');
                writeln!(out, "{}  - {}", tag.name, lines.next().unwrap_or(""))?;
                for line in lines {
                    writeln!(out, "{line}")?;
                }
            }
            writeln!(out, "ER  - \n")?;
        }
        Ok(())
    }
}
