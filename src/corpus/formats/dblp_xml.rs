//! DBLP XML. The document type with its named characters is not needed, see [`super::xml`].
//!
//! The number behind a name that several people have (`Ana Bo 0002`) is no part of the name; it is kept with it under
//! `author_numbers`.

use super::extra::add_extra;
use super::pubmed_xml::XmlRecords;
use super::xml::Node;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::Paper;

/// The format.
pub(super) struct DblpXml;

const RECORDS: &[&str] =
    &["article", "inproceedings", "proceedings", "book", "incollection", "phdthesis", "mastersthesis", "data"];

impl FormatReader for DblpXml {
    fn format(&self) -> Format {
        Format::DblpXml
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if head.text.contains("<dblp>") || head.text.contains("<dblp ") { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(XmlRecords::new(source, RECORDS, paper)))
    }
}

fn paper(record: &Node) -> Result<Paper, String> {
    let mut paper = Paper { id: record.attribute("key").to_owned(), kind: record.name.clone(), ..Paper::default() };
    for node in record.nodes() {
        let text = node.text();
        let free = |field: &String| field.is_empty();
        match node.name.as_str() {
            "author" => {
                let (name, number) = numbered(&text);
                if number {
                    add_extra(&mut paper, "author_numbers", text.as_str());
                }
                paper.authors.push(name.to_owned());
            }
            "editor" => add_extra(&mut paper, "editors", numbered(&text).0),
            "title" if free(&paper.title) => paper.title = text,
            "year" if free(&paper.year) => paper.year = text,
            "journal" | "booktitle" if free(&paper.venue) => paper.venue = text,
            "volume" if free(&paper.volume) => paper.volume = text,
            "number" if free(&paper.number) => paper.number = text,
            "pages" if free(&paper.pages) => paper.pages = text,
            "ee" | "url" => {
                let address = text.starts_with("http");
                let doi = super::ris::doi_in(&text).filter(|_| text.contains("doi.org/"));
                match doi {
                    Some(doi) if paper.doi.is_empty() => paper.doi = doi.to_owned(),
                    _ if address && paper.url.is_empty() => paper.url = text,
                    _ => add_extra(&mut paper, &node.name, text),
                }
            }
            "school" => add_extra(&mut paper, "institution", text),
            name => add_extra(&mut paper, name, text),
        }
    }
    Ok(paper)
}

/// A name without the four digits behind it.
fn numbered(name: &str) -> (&str, bool) {
    match name.rsplit_once(' ') {
        Some((name, number)) if number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit()) => (name, true),
        _ => (name, false),
    }
}
