//! PubMed nbib (MEDLINE): a tag of up to four letters, a dash, a value; lines that go on begin with six blanks.
//!
//! There is no mark at the end of a record. A `PMID` begins one; in a file whose records have none, a blank line does.
//! `FAU` and the `AU` that follows it are one person, `CN` is a body, and they stay in their order. The DOI is the value
//! of `LID` or `AID` that is marked `[doi]`; one marked `[pii]` is none; one marked `[id]` is ours, the identifier of a
//! record that has no number of PubMed. `DP` is free text ("Summer 2018"): the year is
//! what looks like one. Keywords are `OT` and `MH`. Every other tag stays in the form of the record.
//!
//! Long lines are written whole, as PubMed's own readers and reference managers accept them.

use std::io::{self, Write};

use super::dates::{iso, year_in};
use super::extra::{add_extra, body, extras, is_missing};
use super::ris::one_line;
use super::tagged::{Lines, Open, Outcome, Part, Records, Tag, Tagged, lead, own_id, paper_of, tags_of};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper};

/// The format.
pub(super) struct Nbib;

impl Tagged for Nbib {
    const FORM: &'static str = "record.nbib";

    fn is_name(name: &str) -> bool {
        (2..=4).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    }

    fn part(name: &str, value: Option<&str>) -> Part {
        match name {
            "PMID" => Part::Extra(&["pmid"]),
            "STAT" | "OWN" => Part::Other,
            "TI" | "BTI" => Part::Title,
            "FAU" | "AU" | "CN" => Part::Authors,
            "DP" => Part::Date,
            "JT" => Part::Venue,
            "TA" => Part::Extra(&["venue_short"]),
            "VI" => Part::Volume,
            "IP" => Part::Number,
            "PG" => Part::Pages,
            "LID" | "AID" => match value {
                Some(value) if value.ends_with("[doi]") => Part::Doi,
                Some(value) if value.ends_with("[pii]") => Part::Extra(&["pii"]),
                Some(value) if value.ends_with("[id]") => Part::Id,
                _ => Part::Other,
            },
            "AB" => Part::Abstract,
            "OT" | "MH" => Part::Keywords,
            "LA" => Part::Language,
            "PT" => Part::Kind,
            "IS" => Part::Extra(&["issn"]),
            "ISBN" => Part::Extra(&["isbn"]),
            "PB" => Part::Extra(&["publisher"]),
            "PL" => Part::Extra(&["place"]),
            "PMC" => Part::Extra(&["pmcid"]),
            "TT" => Part::Extra(&["original_title"]),
            "FED" => Part::Extra(&["editors"]),
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
        let first = |name: &'static str| all(name).next().unwrap_or("").to_owned();
        paper.id = first("PMID");
        paper.title = if all("TI").next().is_some() { first("TI") } else { first("BTI") };
        paper.authors = authors(tags);
        let date = first("DP");
        paper.year = year_in(&date).unwrap_or(&date).to_owned();
        paper.published = published(&date);
        paper.venue = first("JT");
        if paper.venue.is_empty() {
            paper.venue = if paper.title == first("BTI") { String::new() } else { first("BTI") };
        }
        if paper.venue.is_empty() {
            paper.venue = first("TA");
        }
        paper.volume = first("VI");
        paper.number = first("IP");
        paper.pages = first("PG");
        for value in all("LID").chain(all("AID")) {
            if let Some(doi) = value.strip_suffix("[doi]") {
                if paper.doi.is_empty() {
                    paper.doi = doi.trim().to_owned();
                }
            } else if let Some(pii) = value.strip_suffix("[pii]") {
                add_extra(&mut paper, "pii", pii.trim());
            } else if let Some(id) = value.strip_suffix("[id]") {
                paper.id = id.trim().to_owned();
            }
        }
        paper.abstract_text = first("AB");
        paper.keywords = tags
            .iter()
            .filter(|tag| matches!(&*tag.name, "OT" | "MH") && !is_missing(&tag.value))
            .map(|tag| tag.value.trim().to_owned())
            .collect();
        paper.language = first("LA");
        paper.kind = all("PT").collect::<Vec<_>>().join("; ");
        for (name, tag) in EXTRAS {
            for value in all(tag) {
                add_extra(&mut paper, name, value);
            }
        }
        paper
    }

    fn canonical(paper: &Paper) -> Vec<Tag> {
        let mut tags = Vec::with_capacity(16 + 2 * paper.authors.len() + paper.keywords.len());
        let mut push = |name: &'static str, value: &str| {
            let value = one_line(value);
            if !value.is_empty() || name == "PMID" {
                tags.push(Tag::new(name, value));
            }
        };
        let extra = |name: &str| extras(paper, name).into_iter();
        // The record begins with its number, an empty one for a paper that PubMed does not know.
        let pmid = extra("pmid").next().unwrap_or("");
        push("PMID", pmid);
        push("TI", &paper.title);
        push("PG", &paper.pages);
        let id = own_id(paper);
        if !id.is_empty() && id != pmid {
            push("LID", &format!("{id} [id]"));
        }
        for pii in extra("pii") {
            push("LID", &format!("{pii} [pii]"));
        }
        if !paper.doi.is_empty() {
            push("LID", &format!("{} [doi]", paper.doi));
        }
        push("AB", &paper.abstract_text);
        for name in &paper.authors {
            match body(name) {
                Some(body) => push("CN", body),
                None => {
                    push("FAU", name);
                    push("AU", &short(name));
                }
            }
        }
        push("LA", &paper.language);
        let word = Kind::of(&paper.kind).medline();
        // Words of PubMed have capitals; those of other formats are translated.
        let own = paper.kind.split(';').all(|kind| kind.trim().starts_with(|c: char| c.is_ascii_uppercase()))
            && !paper.kind.bytes().all(|b| b.is_ascii_uppercase());
        for kind in if own || word.is_empty() { &paper.kind } else { word }.split(';') {
            push("PT", kind);
        }
        if paper.published.is_empty() || paper.published.len() < paper.year.len() {
            push("DP", &paper.year);
        } else {
            push("DP", &pubmed_date(&paper.published));
        }
        let short_venue = extra("venue_short").next() == Some(paper.venue.as_str());
        if !short_venue {
            push("JT", &paper.venue);
        }
        push("VI", &paper.volume);
        push("IP", &paper.number);
        for word in &paper.keywords {
            push("OT", word);
        }
        for (name, tag) in EXTRAS.iter().filter(|(name, _)| *name != "pmid") {
            for value in extra(name) {
                push(tag, value);
            }
        }
        tags
    }
}

const EXTRAS: &[(&str, &str)] = &[
    ("pmid", "PMID"),
    ("venue_short", "TA"),
    ("issn", "IS"),
    ("isbn", "ISBN"),
    ("publisher", "PB"),
    ("place", "PL"),
    ("pmcid", "PMC"),
    ("original_title", "TT"),
    ("editors", "FED"),
];

/// Persons and bodies in their order; an `AU` right after its `FAU` (other tags of the person may stand between) is the
/// same person.
fn authors(tags: &[Tag]) -> Vec<String> {
    let mut authors = Vec::new();
    let mut full = false;
    for tag in tags.iter().filter(|tag| !is_missing(&tag.value)) {
        match &*tag.name {
            "FAU" => {
                authors.push(tag.value.clone());
                full = true;
            }
            "AU" => {
                if !full {
                    authors.push(tag.value.clone());
                }
                full = false;
            }
            "CN" => authors.push(format!("{{{}}}", tag.value.replace(['{', '}'], ""))),
            _ => {}
        }
    }
    authors
}

/// `Lind, Mara T` as `Lind MT`.
fn short(name: &str) -> String {
    let Some((last, rest)) = name.split_once(',') else { return name.to_owned() };
    let (given, suffix) = rest.split_once(',').unwrap_or((rest, ""));
    let initials: String = given
        .split([' ', '-', '.'])
        .filter_map(|part| part.chars().next())
        .filter(|c| c.is_uppercase() || !c.is_ascii())
        .collect();
    [last.trim(), &initials, suffix.trim()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// `2016 Mar 3` as ISO writes it; a season or a range as it is; a year alone is no more than the year.
fn published(date: &str) -> String {
    let parts: Vec<&str> = date.split_whitespace().collect();
    match parts.as_slice() {
        [year] if year.len() == 4 && year_in(year).is_some() => String::new(),
        [year, month] if super::dates::month(month).is_some() && !month.starts_with(|c: char| c.is_ascii_digit()) => {
            iso(year, month, "").unwrap_or_else(|| date.to_owned())
        }
        [year, month, day]
            if super::dates::month(month).is_some() && !month.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            match iso(year, month, day) {
                Some(iso) if iso.len() == 10 => iso,
                _ => date.to_owned(),
            }
        }
        _ => date.to_owned(),
    }
}

fn pubmed_date(published: &str) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let Some(parts) = super::dates::iso_parts(published) else { return published.to_owned() };
    let month = parts.get(1).and_then(|month| month.parse::<usize>().ok());
    let Some(name) = month.and_then(|month| MONTHS.get(month.wrapping_sub(1))) else { return published.to_owned() };
    match parts.get(2).and_then(|day| day.parse::<u32>().ok()) {
        Some(day) => format!("{} {name} {day}", parts[0]),
        None => format!("{} {name}", parts[0]),
    }
}

/// The name and the value of a line that begins with a tag.
fn tag_of(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start_matches(['\u{FEFF}', '\r']);
    let (name, value) = line.split_once('-')?;
    let tag = name.trim_end_matches(' ');
    let fits = name.len() == 4 || (name.len() > tag.len() && name.len() <= 5);
    let open = value.is_empty() || value.starts_with([' ', '\t']);
    (fits && open && Nbib::is_name(tag)).then(|| (tag, value.trim()))
}

impl FormatReader for Nbib {
    fn format(&self) -> Format {
        Format::Nbib
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut tags = 0;
        for line in head.lines() {
            match tag_of(line) {
                Some(("PMID", _)) => return Confidence::Certain,
                Some(("TY", _)) => return Confidence::No,
                Some(("FAU" | "STAT" | "OWN" | "DP" | "TI" | "AB" | "JT" | "TA", _)) => tags += 1,
                _ => {}
            }
        }
        if tags >= 3 { Confidence::Likely } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Records::new(source, NbibLines::default())))
    }
}

/// Where a text of this format stands.
#[derive(Default)]
struct NbibLines {
    blank: bool,
    /// Whether records begin with `PMID`, as the first one does.
    numbered: Option<bool>,
}

impl Lines for NbibLines {
    const IGNORED: &'static str = "without a tag";
    const NO_RECORD: &'static str = "no record: no line begins with a tag such as \"PMID- 123\"";
    const EMPTY: &'static str = "the record has a number and nothing else";

    fn is_frame(name: &str) -> bool {
        matches!(name, "PMID" | "OWN" | "STAT")
    }

    fn paper(tags: &[Tag]) -> Paper {
        paper_of::<Nbib>(tags)
    }

    fn line(&mut self, line: &str, number: u64, open: &mut Open) -> Option<Outcome> {
        if line.trim().is_empty() {
            self.blank = true;
            return None;
        }
        let Some((name, value)) = tag_of(line) else {
            if line.starts_with([' ', '\t']) && open.append(|_| ' ', line.trim()) {
                self.blank = false;
            } else {
                open.ignored.line(number);
            }
            return None;
        };
        let numbered = *self.numbered.get_or_insert(name == "PMID");
        // A record without a number among numbered ones is not told from the rest of the one before, unless it begins as
        // records do.
        let begins = name == "PMID" || (self.blank && (!numbered || matches!(name, "OWN" | "STAT")));
        self.blank = false;
        let complete = if begins { open.finish::<NbibLines>() } else { None };
        open.push(Tag::new(name.to_owned(), value), number);
        complete
    }
}

impl FormatWriter for Nbib {
    fn extensions(&self) -> &'static [&'static str] {
        &["nbib"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        for (number, paper) in papers.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            let mut tags = tags_of::<Nbib>(paper);
            lead(&mut tags, "PMID", "");
            for tag in tags {
                writeln!(out, "{:<4}- {}", tag.name, tag.value.replace('\n', " "))?;
            }
        }
        Ok(())
    }
}
