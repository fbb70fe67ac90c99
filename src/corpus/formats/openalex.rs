//! OpenAlex JSON: a page of results, works of the snapshot one a line, or an array.
//!
//! Abstracts come as an index from words to positions and are put together again; a position without a word is left
//! out. What papers have no field for is kept under the names that OpenAlex gives it.

use serde_json::{Map, Value};

use super::crossref::plain;
use super::extra::add_extra;
use super::json::reply;
use super::values::text;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::Paper;

/// The format.
pub(super) struct Openalex;

impl FormatReader for Openalex {
    fn format(&self) -> Format {
        Format::Openalex
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let json = head.text.trim_start().starts_with(['{', '[']);
        let mark = head.text.contains("://openalex.org/") && head.text.contains("\"authorships\"");
        let inverted = head.text.contains("\"abstract_inverted_index\"") && head.text.contains("\"display_name\"");
        if json && (mark || inverted) { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        reply(source, "results", paper)
    }
}

fn paper(mut work: Map<String, Value>) -> Result<Paper, String> {
    let mut paper = Paper::default();
    let at = |path: &[&str]| {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(work.get(*first)?, |value, name| value.get(name))
    };
    paper.id = text(at(&["id"]));
    paper.title = plain(&text(at(&["title"])));
    if paper.title.is_empty() {
        paper.title = plain(&text(at(&["display_name"])));
    }
    if let Some(Value::Object(index)) = at(&["abstract_inverted_index"]) {
        paper.abstract_text = inverted(index);
    }
    if let Some(Value::Array(list)) = at(&["authorships"]) {
        let name = |one: &Value| {
            let raw = text(one.get("raw_author_name"));
            let name = text(one.get("author").and_then(|author| author.get("display_name")));
            Some(if name.is_empty() { raw } else { name }).filter(|name| !name.is_empty())
        };
        paper.authors = list.iter().filter_map(name).collect();
    }
    paper.year = text(at(&["publication_year"]));
    paper.published = text(at(&["publication_date"]));
    paper.venue = text(at(&["primary_location", "source", "display_name"]));
    if paper.venue.is_empty() {
        paper.venue = text(at(&["host_venue", "display_name"]));
    }
    paper.volume = text(at(&["biblio", "volume"]));
    paper.number = text(at(&["biblio", "issue"]));
    let (first, last) = (text(at(&["biblio", "first_page"])), text(at(&["biblio", "last_page"])));
    paper.pages = if last.is_empty() || last == first { first } else { format!("{first}-{last}") };
    paper.doi = text(at(&["doi"]));
    if let Some(Value::Array(list)) = at(&["keywords"]) {
        let word = |one: &Value| match one {
            Value::Object(_) => Some(text(one.get("display_name").or(one.get("keyword")))),
            other => Some(text(Some(other))),
        };
        paper.keywords = list.iter().filter_map(word).filter(|word| !word.is_empty()).collect();
    }
    paper.kind = text(at(&["type"]));
    paper.language = text(at(&["language"]));
    paper.url = text(at(&["primary_location", "landing_page_url"]));
    let number = |name: &str| {
        let address = text(at(&["ids", name]));
        address.trim_end_matches('/').rsplit('/').next().unwrap_or("").to_owned()
    };
    let (pmid, pmcid) = (number("pmid"), number("pmcid"));
    add_extra(&mut paper, "pmid", pmid);
    add_extra(&mut paper, "pmcid", pmcid);
    if let Some(Value::Array(list)) = work.get("primary_location").and_then(|place| place.pointer("/source/issn")) {
        for number in list {
            add_extra(&mut paper, "issn", text(Some(number)));
        }
    }
    const READ: &[&str] = &[
        "id",
        "title",
        "display_name",
        "abstract_inverted_index",
        "publication_year",
        "publication_date",
        "biblio",
        "doi",
        "keywords",
        "type",
        "language",
        "ids",
    ];
    work.retain(|name, value| !READ.contains(&name.as_str()) && !value.is_null());
    for (name, value) in work {
        paper.extra.entry(name).or_insert(value);
    }
    if paper.title.is_empty() && paper.doi.is_empty() && paper.authors.is_empty() {
        return Err("the object is no work: no title, no DOI, no author".to_owned());
    }
    Ok(paper)
}

/// The text of an index from words to positions.
fn inverted(index: &Map<String, Value>) -> String {
    let mut words: Vec<(u64, &str)> = Vec::new();
    for (word, places) in index {
        let places = places.as_array().into_iter().flatten().filter_map(Value::as_u64);
        words.extend(places.map(|place| (place, word.as_str())));
    }
    words.sort_unstable();
    let mut text = String::new();
    for (_, word) in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}
