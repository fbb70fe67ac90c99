//! Scopus CSV: a table, with Scopus' own ways to write pages and authors.

use super::extra::is_missing;
use super::table::Rows;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::Paper;

/// The format.
pub(super) struct Scopus;

impl FormatReader for Scopus {
    fn format(&self) -> Format {
        Format::Scopus
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let Some(header) = head.lines().next() else { return Confidence::No };
        let has = |name: &str| header.split(',').any(|column| column.trim().trim_matches('"') == name);
        let marks = ["Source title", "EID", "Cited by", "Art. No.", "Author(s) ID", "Publication Stage"];
        let found = marks.iter().filter(|mark| has(mark)).count();
        if has("Title") && found >= 3 { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Rows::open(source, b',', polish)?))
    }
}

/// The pages of their three columns; the authors of older exports, which separates commas; no words for nothing.
fn polish(paper: &mut Paper) {
    let column = |name: &str| paper.extra.get(name).and_then(|value| value.as_str()).unwrap_or("").trim();
    if paper.pages.is_empty() {
        let (start, end, article) = (column("Page start"), column("Page end"), column("Art. No."));
        paper.pages = match (start.is_empty(), end.is_empty() || end == start) {
            (true, _) => article.to_owned(),
            (false, true) => start.to_owned(),
            (false, false) => format!("{start}-{end}"),
        };
    }
    if let [row] = paper.authors.as_slice()
        && row.contains("., ")
    {
        let row = row.replace("., ", ".\n");
        paper.authors = row.lines().map(str::to_owned).collect();
    }
    paper.authors.retain(|name| !is_missing(name) && name != "[No author name available]");
    if is_missing(&paper.abstract_text) {
        paper.abstract_text.clear();
    }
}
