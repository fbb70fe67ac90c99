//! EndNote XML.
//!
//! Every leaf of a record is a tag whose name is its path (`titles/title`; `ref-type@name` for an attribute), so that the
//! elements that papers have no field for come back in their order. Fonts and other marks inside of texts are dropped.

use std::io::{self, Write};

use super::dates::year_in;
use super::extra::{add_extra, add_serial, body, extras, is_missing};
use super::pubmed_xml::XmlRecords;
use super::ris::one_line;
use super::tagged::{Part, Tag, Tagged, own_id, paper_of, tags_of};
use super::xml::{Node, escape};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper};

/// The format.
pub(super) struct EndnoteXml;

const AUTHORS: &str = "contributors/authors/author";
const TYPE: &str = "ref-type";
const TYPE_NAME: &str = "ref-type@name";
const URL: &str = "urls/related-urls/url";

const EXTRAS: &[(&str, &str)] = &[
    ("publisher", "publisher"),
    ("place", "pub-location"),
    ("edition", "edition"),
    ("editors", "contributors/secondary-authors/author"),
    ("series", "titles/tertiary-title"),
    ("venue_short", "periodical/abbr-1"),
    ("accession", "accession-num"),
    ("accessed", "access-date"),
    ("affiliations", "auth-address"),
    ("pmcid", "custom2"),
];

impl Tagged for EndnoteXml {
    const FORM: &'static str = "record.endnote-xml";

    fn is_name(name: &str) -> bool {
        let plain = |part: &str| {
            part != "record"
                && part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        let (path, attribute) = name.split_once('@').unwrap_or((name, "a"));
        plain(attribute) && path.split('/').all(plain)
    }

    fn part(name: &str, _: Option<&str>) -> Part {
        match name {
            TYPE | TYPE_NAME => Part::Kind,
            "label" => Part::Id,
            "titles/title" => Part::Title,
            AUTHORS => Part::Authors,
            "dates/year" | "dates/pub-dates/date" => Part::Date,
            "titles/secondary-title" | "periodical/full-title" => Part::Venue,
            "volume" => Part::Volume,
            "number" => Part::Number,
            "pages" => Part::Pages,
            "electronic-resource-num" => Part::Doi,
            "abstract" => Part::Abstract,
            "keywords/keyword" => Part::Keywords,
            "remote-database-name" => Part::Source,
            URL => Part::Url,
            "language" => Part::Language,
            "isbn" => Part::Extra(&["issn", "isbn"]),
            "publisher" => Part::Extra(&["publisher"]),
            "pub-location" => Part::Extra(&["place"]),
            "edition" => Part::Extra(&["edition"]),
            "contributors/secondary-authors/author" => Part::Extra(&["editors"]),
            "titles/tertiary-title" => Part::Extra(&["series"]),
            "periodical/abbr-1" => Part::Extra(&["venue_short"]),
            "accession-num" => Part::Extra(&["accession"]),
            "access-date" => Part::Extra(&["accessed"]),
            "auth-address" => Part::Extra(&["affiliations"]),
            "custom2" => Part::Extra(&["pmcid"]),
            _ => Part::Other,
        }
    }

    fn interpret(tags: &[Tag]) -> Paper {
        let mut paper = Paper::default();
        let all = |name: &'static str| {
            tags.iter().filter(move |tag| tag.name == name).map(|tag| tag.value.as_str()).filter(|v| !is_missing(v))
        };
        let first =
            |names: &[&'static str]| names.iter().find_map(|name| all(name).next()).map(one_line).unwrap_or_default();
        paper.kind = first(&[TYPE_NAME, TYPE]);
        paper.id = first(&["label"]);
        paper.title = first(&["titles/title"]);
        for value in all(AUTHORS) {
            for name in value.split(['\n', ';']).map(str::trim).filter(|name| !name.is_empty()) {
                paper.authors.push(match name.strip_suffix(',') {
                    Some(body) if !body.is_empty() && !body.contains([',', '{', '}']) => format!("{{{body}}}"),
                    _ => name.to_owned(),
                });
            }
        }
        let (year, day) = (first(&["dates/year"]), first(&["dates/pub-dates/date"]));
        paper.year = year_in(&year).or(year_in(&day)).unwrap_or(&year).to_owned();
        paper.published = day;
        paper.venue = first(&["periodical/full-title", "titles/secondary-title", "periodical/abbr-1"]);
        paper.volume = first(&["volume"]);
        paper.number = first(&["number"]);
        paper.pages = first(&["pages"]);
        paper.doi = first(&["electronic-resource-num"]);
        paper.abstract_text = first(&["abstract"]);
        for value in all("keywords/keyword") {
            let words = value.split('\n').map(str::trim).filter(|word| !word.is_empty());
            paper.keywords.extend(words.map(str::to_owned));
        }
        paper.source = first(&["remote-database-name"]);
        paper.url = first(&[URL]);
        paper.language = first(&["language"]);
        for value in all("isbn") {
            for number in value.split('\n') {
                add_serial(&mut paper, number.trim());
            }
        }
        for (name, tag) in EXTRAS {
            for value in all(tag) {
                add_extra(&mut paper, name, one_line(value));
            }
        }
        let base = paper.source.to_ascii_lowercase();
        let number = first(&["accession-num"]);
        if (base.contains("medline") || base.contains("pubmed") || base == "nlm")
            && !number.is_empty()
            && number.bytes().all(|b| b.is_ascii_digit())
        {
            add_extra(&mut paper, "pmid", number);
        }
        paper
    }

    fn canonical(paper: &Paper) -> Vec<Tag> {
        let mut tags = Vec::with_capacity(16 + paper.authors.len() + paper.keywords.len());
        let mut push = |name: &'static str, value: &str| {
            let value = one_line(value);
            if !value.is_empty() {
                tags.push(Tag::new(name, value));
            }
        };
        let kind = Kind::of(&paper.kind);
        let (name, number) = kind.endnote();
        let own = paper.kind.contains(' ') && !paper.kind.contains(';');
        push(TYPE_NAME, if own { &paper.kind } else { name });
        push(TYPE, &number.to_string());
        for name in &paper.authors {
            match body(name) {
                Some(body) => push(AUTHORS, &format!("{body},")),
                None => push(AUTHORS, name),
            }
        }
        for editor in extras(paper, "editors") {
            push("contributors/secondary-authors/author", editor);
        }
        push("titles/title", &paper.title);
        push("titles/secondary-title", &paper.venue);
        for series in extras(paper, "series") {
            push("titles/tertiary-title", series);
        }
        push("pages", &paper.pages);
        push("volume", &paper.volume);
        push("number", &paper.number);
        for word in &paper.keywords {
            push("keywords/keyword", word);
        }
        push("dates/year", &paper.year);
        push("dates/pub-dates/date", &paper.published);
        for (name, tag) in EXTRAS.iter().filter(|(name, _)| !matches!(*name, "editors" | "series")) {
            for value in extras(paper, name) {
                push(tag, value);
            }
        }
        for name in ["issn", "isbn"] {
            for value in extras(paper, name) {
                push("isbn", value);
            }
        }
        push("abstract", &paper.abstract_text);
        push("label", own_id(paper));
        push(URL, &paper.url);
        push("electronic-resource-num", &paper.doi);
        push("remote-database-name", &paper.source);
        push("language", &paper.language);
        tags
    }
}

/// The leaves of a record, attributes before the text of their element.
fn leaves(node: &Node, path: &str, tags: &mut Vec<Tag>) {
    for child in node.nodes() {
        if child.name == "style" {
            continue;
        }
        let path = if path.is_empty() { child.name.clone() } else { format!("{path}/{}", child.name) };
        for (name, value) in &child.attributes {
            tags.push(Tag::new(format!("{path}@{name}"), one_line(value)));
        }
        if child.nodes().any(|inside| inside.name != "style") {
            leaves(child, &path, tags);
        } else {
            tags.push(Tag::new(path, child.lines()));
        }
    }
}

fn paper(record: &Node) -> Result<Paper, String> {
    let mut tags = Vec::new();
    leaves(record, "", &mut tags);
    tags.retain(|tag| EndnoteXml::is_name(&tag.name));
    if tags.iter().all(|tag| tag.value.is_empty() || Part::Kind == EndnoteXml::part(&tag.name, None)) {
        return Err("the record has a type and nothing else".to_owned());
    }
    Ok(paper_of::<EndnoteXml>(&tags))
}

impl FormatReader for EndnoteXml {
    fn format(&self) -> Format {
        Format::EndnoteXml
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.text;
        if !text.trim_start().starts_with('<') || !(text.contains("<record>") || text.contains("<record ")) {
            return Confidence::No;
        }
        let marks = ["<ref-type", "<source-app", "<contributors>", "<rec-number>"];
        if marks.iter().any(|mark| text.contains(mark)) { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(XmlRecords::new(source, &["record"], paper)))
    }
}

impl FormatWriter for EndnoteXml {
    fn extensions(&self) -> &'static [&'static str] {
        &["xml"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xml><records>")?;
        for paper in papers {
            write_record(&tags_of::<EndnoteXml>(paper), out)?;
        }
        writeln!(out, "</records></xml>")
    }
}

fn write_record(tags: &[Tag], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "<record>")?;
    let mut open: Vec<&str> = Vec::new();
    let mut attributes: Vec<(&str, &str, &str)> = Vec::new();
    for tag in tags {
        match tag.name.split_once('@') {
            Some((path, name)) => {
                if attributes.last().is_some_and(|(of, _, _)| *of != path && !is_inside(path, of)) {
                    let alone = attributes[0].0;
                    write_leaf(alone, "", &mut attributes, &mut open, out)?;
                }
                attributes.retain(|(of, known, _)| *of != path || *known != name);
                attributes.push((path, name, &tag.value));
            }
            None => {
                // An element of which only attributes are known.
                if let Some((alone, _, _)) =
                    attributes.iter().find(|(of, _, _)| *of != tag.name && !is_inside(&tag.name, of))
                {
                    write_leaf(alone, "", &mut attributes, &mut open, out)?;
                }
                write_leaf(&tag.name, &tag.value, &mut attributes, &mut open, out)?;
            }
        }
    }
    if let Some((alone, _, _)) = attributes.last() {
        write_leaf(alone, "", &mut attributes, &mut open, out)?;
    }
    while let Some(name) = open.pop() {
        write!(out, "</{name}>")?;
    }
    writeln!(out, "</record>")
}

/// Whether an element lies inside of another one.
fn is_inside(path: &str, outer: &str) -> bool {
    path.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// Writes an element and opens what it lies in; the attributes are used up.
fn write_leaf<'a>(
    leaf: &'a str,
    value: &str,
    attributes: &mut Vec<(&str, &str, &str)>,
    open: &mut Vec<&'a str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut path: Vec<&str> = leaf.split('/').collect();
    let name = path.pop().unwrap_or("");
    let shared = open.iter().zip(&path).take_while(|(one, two)| one == two).count();
    while open.len() > shared {
        write!(out, "</{}>", open.pop().unwrap_or(""))?;
    }
    for (depth, name) in path.iter().enumerate().skip(shared) {
        write!(out, "<{name}")?;
        write_attributes(&path[..=depth].join("/"), attributes, out)?;
        write!(out, ">")?;
        open.push(name);
    }
    write!(out, "<{name}")?;
    write_attributes(leaf, attributes, out)?;
    attributes.clear();
    write!(out, ">{}</{name}>", escape(value))
}

fn write_attributes(path: &str, attributes: &[(&str, &str, &str)], out: &mut dyn Write) -> io::Result<()> {
    for (_, name, value) in attributes.iter().filter(|(of, _, _)| *of == path) {
        write!(out, " {name}=\"{}\"", escape(value))?;
    }
    Ok(())
}
