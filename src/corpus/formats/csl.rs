//! CSL JSON, as Zotero and citation processors exchange it; read and written.
//!
//! What papers have no field for is kept under the names that CSL gives it and is written back; the order of members is
//! that of this writer.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::crossref::{people, plain};
use super::dates::{iso_parts, year_in};
use super::extra::{add_extra, body, extras, is_form};
use super::json::reply;
use super::tagged::whole;
use super::values::{date, text};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper};

/// The format.
pub(super) struct Csl;

/// Values with other names here and there.
const EXTRAS: &[(&str, &str)] = &[
    ("issn", "ISSN"),
    ("isbn", "ISBN"),
    ("pmid", "PMID"),
    ("pmcid", "PMCID"),
    ("publisher", "publisher"),
    ("place", "publisher-place"),
    ("edition", "edition"),
    ("series", "collection-title"),
    ("venue_short", "container-title-short"),
];

/// The types of items.
const TYPES: &[&str] = &[
    "article",
    "article-journal",
    "article-magazine",
    "article-newspaper",
    "bill",
    "book",
    "broadcast",
    "chapter",
    "classic",
    "collection",
    "dataset",
    "document",
    "entry",
    "entry-dictionary",
    "entry-encyclopedia",
    "event",
    "figure",
    "graphic",
    "hearing",
    "interview",
    "legal_case",
    "legislation",
    "manuscript",
    "map",
    "motion_picture",
    "musical_score",
    "pamphlet",
    "paper-conference",
    "patent",
    "performance",
    "periodical",
    "personal_communication",
    "post",
    "post-weblog",
    "regulation",
    "report",
    "review",
    "review-book",
    "software",
    "song",
    "speech",
    "standard",
    "thesis",
    "treaty",
    "webpage",
];

impl FormatReader for Csl {
    fn format(&self) -> Format {
        Format::Csl
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.text;
        if !text.trim_start().starts_with(['{', '[']) {
            return Confidence::No;
        }
        let has = |name: &str| text.contains(&format!("\"{name}\""));
        // Other formats of JSON have types and titles too; their own names tell them.
        let foreign = ["is-referenced-by-count", "message-type", "authors", "year", "venue", "pages", "authorships"];
        if foreign.iter().any(|name| has(name)) || !has("type") || !TYPES.iter().any(|kind| has(kind)) {
            return Confidence::No;
        }
        let marks = ["issued", "container-title", "family", "literal", "citation-key", "DOI", "page"];
        match marks.iter().filter(|mark| has(mark)).count() {
            0 if text.trim_start().starts_with('[') && has("title") => Confidence::Likely,
            0 => Confidence::No,
            1 => Confidence::Likely,
            _ => Confidence::Certain,
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        reply(source, "items", paper)
    }
}

fn paper(mut item: Map<String, Value>) -> Result<Paper, String> {
    let mut paper = Paper::default();
    let mut take = |name: &str| item.shift_remove(name);
    paper.id = text(take("id").as_ref());
    paper.kind = text(take("type").as_ref());
    paper.title = plain(&text(take("title").as_ref()));
    paper.abstract_text = plain(&text(take("abstract").as_ref()));
    paper.authors = people(take("author").as_ref());
    let issued = take("issued");
    let published = date(issued.as_ref());
    paper.year = year_in(&published).unwrap_or(&published).to_owned();
    if published != paper.year {
        paper.published = published;
    }
    paper.venue = plain(&text(take("container-title").as_ref()));
    paper.volume = text(take("volume").as_ref());
    paper.number = text(take("issue").as_ref());
    paper.pages = text(take("page").as_ref());
    paper.doi = text(take("DOI").as_ref());
    paper.url = text(take("URL").as_ref());
    paper.language = text(take("language").as_ref());
    paper.source = text(take("source").as_ref());
    let words = text(take("keyword").as_ref());
    let separator = if words.contains(';') { ';' } else { ',' };
    paper.keywords = words.split(separator).map(str::trim).filter(|w| !w.is_empty()).map(str::to_owned).collect();
    for (name, member) in EXTRAS {
        let value = text(take(member).as_ref());
        let list = matches!(*name, "issn" | "isbn");
        let values = value.split(|c| list && c == ',').map(str::trim);
        values.for_each(|value| add_extra(&mut paper, name, value));
    }
    for editor in people(take("editor").as_ref()) {
        add_extra(&mut paper, "editors", editor);
    }
    let accessed = date(take("accessed").as_ref());
    add_extra(&mut paper, "accessed", accessed);
    for (name, value) in item {
        paper.extra.entry(name).or_insert(value);
    }
    if paper.title.is_empty() && paper.doi.is_empty() && paper.authors.is_empty() {
        return Err("the object is no item: no title, no DOI, no author".to_owned());
    }
    Ok(paper)
}

impl FormatWriter for Csl {
    fn extensions(&self) -> &'static [&'static str] {
        &["json"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "[")?;
        for (number, paper) in papers.iter().enumerate() {
            writeln!(out, "{}", if number > 0 { "," } else { "" })?;
            serde_json::to_writer(&mut *out, &item(&whole(paper)))?;
        }
        writeln!(out, "\n]")
    }
}

fn item(paper: &Paper) -> Map<String, Value> {
    let mut item = Map::new();
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            item.insert(name.to_owned(), value.into());
        }
    };
    let kind = paper.kind.as_str();
    put("id", &paper.id);
    let kind = if TYPES.contains(&kind) { kind } else { Kind::of(kind).csl() };
    put("type", kind);
    put("title", &paper.title);
    put("abstract", &paper.abstract_text);
    put("container-title", &paper.venue);
    put("volume", &paper.volume);
    put("issue", &paper.number);
    put("page", &paper.pages);
    put("DOI", &paper.doi);
    put("URL", &paper.url);
    put("language", &paper.language);
    put("source", &paper.source);
    // A semicolon anywhere says that commas separate nothing.
    let comma = paper.keywords.iter().any(|word| word.contains(','));
    let end = if comma && paper.keywords.len() == 1 { ";" } else { "" };
    put("keyword", &format!("{}{end}", paper.keywords.join(if comma { "; " } else { ", " })));
    for (name, member) in EXTRAS {
        put(member, &extras(paper, name).join(", "));
    }
    if !paper.authors.is_empty() {
        item.insert("author".to_owned(), names(paper.authors.iter().map(String::as_str)));
    }
    let editors = extras(paper, "editors");
    if !editors.is_empty() {
        item.insert("editor".to_owned(), names(editors.into_iter()));
    }
    let issued = if paper.published.is_empty() { &paper.year } else { &paper.published };
    if let Some(date) = date_value(issued) {
        item.insert("issued".to_owned(), date);
    }
    if let Some(date) = extras(paper, "accessed").first().and_then(|date| date_value(date)) {
        item.insert("accessed".to_owned(), date);
    }
    let own = |name: &str| {
        EXTRAS.iter().any(|(known, _)| *known == name) || matches!(name, "editors" | "accessed") || is_form(name)
    };
    for (name, value) in paper.extra.iter().filter(|(name, _)| !own(name)) {
        item.entry(name.clone()).or_insert_with(|| value.clone());
    }
    item
}

fn date_value(date: &str) -> Option<Value> {
    if date.is_empty() {
        return None;
    }
    Some(match iso_parts(date) {
        Some(parts) => {
            let numbers: Vec<u32> = parts.iter().filter_map(|part| part.parse().ok()).collect();
            json!({ "date-parts": [numbers] })
        }
        None => json!({ "raw": date }),
    })
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> Value {
    names
        .map(|name| {
            if let Some(body) = body(name) {
                return json!({ "literal": body });
            }
            let parts: Vec<&str> = name.split(", ").collect();
            match parts.as_slice() {
                [family, given] => json!({ "family": family, "given": given }),
                [family, suffix, given] => json!({ "family": family, "suffix": suffix, "given": given }),
                _ => json!({ "family": name }),
            }
        })
        .collect()
}
