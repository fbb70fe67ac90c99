//! Crossref JSON: a reply about one work or about many, an array, or works one after the other.
//!
//! What papers have no field for is kept under the names that Crossref gives it (`reference`, `funder`, ...).

use serde_json::{Map, Value};

use super::extra::add_extra;
use super::json::reply;
use super::values::{date, text, texts};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::Paper;

/// The format.
pub(super) struct Crossref;

impl FormatReader for Crossref {
    fn format(&self) -> Format {
        Format::Crossref
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let start = head.text.trim_start();
        if !start.starts_with(['{', '[']) {
            return Confidence::No;
        }
        let has = |name: &str| head.text.contains(&format!("\"{name}\""));
        let work = has("DOI") || has("title");
        let marks = ["message-type", "is-referenced-by-count", "references-count", "reference-count", "indexed"];
        if work && marks.iter().filter(|mark| has(mark)).count() >= if has("message") { 1 } else { 2 } {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        reply(source, "items", paper)
    }
}

fn paper(mut work: Map<String, Value>) -> Result<Paper, String> {
    if let Some(Value::Object(message)) = work.shift_remove("message") {
        work = message;
    }
    let mut paper = Paper::default();
    paper.doi = text(work.get("DOI"));
    paper.id.clone_from(&paper.doi);
    paper.title = plain(&text(work.get("title")));
    let subtitle = plain(&text(work.get("subtitle")));
    if !subtitle.is_empty() && !paper.title.to_lowercase().contains(&subtitle.to_lowercase()) {
        paper.title = if paper.title.is_empty() { subtitle } else { format!("{}: {subtitle}", paper.title) };
    }
    paper.abstract_text = plain(&text(work.get("abstract")));
    paper.authors = people(work.get("author"));
    let dates = ["published", "issued", "published-print", "published-online", "posted", "created"];
    let published = dates.iter().map(|name| date(work.get(*name))).find(|date| !date.is_empty()).unwrap_or_default();
    paper.year = super::dates::year_in(&published).unwrap_or("").to_owned();
    if published.len() > 4 {
        paper.published = published;
    }
    paper.venue = plain(&text(work.get("container-title")));
    paper.volume = text(work.get("volume"));
    paper.number = text(work.get("issue"));
    paper.pages = text(work.get("page"));
    if paper.pages.is_empty() {
        paper.pages = text(work.get("article-number"));
    }
    paper.keywords = texts(work.get("subject"));
    paper.kind = text(work.get("type"));
    paper.url = text(work.get("URL"));
    paper.language = text(work.get("language"));
    for (name, member) in [
        ("issn", "ISSN"),
        ("isbn", "ISBN"),
        ("publisher", "publisher"),
        ("place", "publisher-location"),
        ("venue_short", "short-container-title"),
    ] {
        for value in texts(work.get(member)) {
            add_extra(&mut paper, name, value);
        }
    }
    for editor in people(work.get("editor")) {
        add_extra(&mut paper, "editors", editor);
    }
    const READ: &[&str] = &[
        "DOI",
        "title",
        "subtitle",
        "abstract",
        "author",
        "container-title",
        "volume",
        "issue",
        "page",
        "subject",
        "type",
        "URL",
        "language",
        "ISSN",
        "ISBN",
        "publisher",
        "publisher-location",
        "short-container-title",
        "editor",
    ];
    for (name, value) in work.into_iter().filter(|(name, _)| !READ.contains(&name.as_str())) {
        paper.extra.entry(name).or_insert(value);
    }
    if paper.title.is_empty() && paper.doi.is_empty() && paper.authors.is_empty() {
        return Err("the object is no work: no title, no DOI, no author".to_owned());
    }
    Ok(paper)
}

/// `Family, Given Suffix`; a body in braces.
pub(super) fn people(list: Option<&Value>) -> Vec<String> {
    let Some(Value::Array(list)) = list else { return Vec::new() };
    list.iter().filter_map(person).collect()
}

fn person(person: &Value) -> Option<String> {
    let part = |names: &[&str]| names.iter().map(|name| text(person.get(name))).find(|text| !text.is_empty());
    if let Some(body) = part(&["name", "literal"]) {
        return Some(format!("{{{}}}", body.replace(['{', '}'], "")));
    }
    let particle = part(&["non-dropping-particle", "dropping-particle"]);
    let family = [particle, part(&["family"])].into_iter().flatten().collect::<Vec<_>>().join(" ");
    let given = part(&["given"]).unwrap_or_default();
    let suffix = part(&["suffix"]);
    let mut name = family;
    for more in suffix.into_iter().chain(Some(given)).filter(|more| !more.is_empty()) {
        if !name.is_empty() {
            name.push_str(", ");
        }
        name.push_str(&more);
    }
    (!name.is_empty()).then_some(name)
}

/// A text without the elements of JATS and HTML, and without the blanks around them.
pub(super) fn plain(markup: &str) -> String {
    if !markup.contains(['<', '&']) {
        return markup.to_owned();
    }
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(open) = rest.find('<') {
        let (before, tag) = rest.split_at(open);
        out.push_str(before);
        let name = tag[1..].trim_start_matches('/');
        let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic());
        match tag.find('>') {
            Some(close) if is_tag && !tag[1..close].contains('<') => {
                // Paragraphs and headings are words of their own; marks inside of a word are not.
                let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
                let local = name.split(['>', ' ', '/']).next().map_or(local, |n| n.rsplit(':').next().unwrap_or(n));
                if matches!(local, "p" | "title" | "sec" | "br" | "div" | "list-item" | "li") {
                    out.push(' ');
                }
                rest = &tag[close + 1..];
            }
            _ => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out.push_str(rest);
    let text = html_escape::decode_html_entities(&out);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_taken_away() {
        assert_eq!(
            plain("<jats:title>Aim</jats:title><jats:p>H<sub>2</sub>O &lt; 5 &amp; p < .05</jats:p>"),
            "Aim H2O < 5 & p < .05"
        );
        assert_eq!(plain("no markup  here"), "no markup  here");
    }
}
