//! PubMed XML: `PubmedArticle` and `PubmedBookArticle`.
//!
//! Headings of a structured abstract stand before their part, as PubMed shows them. What a paper corrects, retracts or
//! comments on is kept under `corrections`, as the kind of the reference and its PMID: `ErratumFor 123`.

use super::dates::{iso, year_in};
use super::extra::add_extra;
use super::xml::{Elements, Node};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::{Paper, Rejected};

/// The format.
pub(super) struct PubmedXml;

impl FormatReader for PubmedXml {
    fn format(&self) -> Format {
        Format::PubmedXml
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let marks = ["<PubmedArticle", "<PubmedBookArticle", "<MedlineCitation"];
        let xml = head.text.trim_start().starts_with('<');
        if xml && marks.iter().any(|mark| head.text.contains(mark)) { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(XmlRecords::new(source, &["PubmedArticle", "PubmedBookArticle"], paper)))
    }
}

fn paper(record: &Node) -> Result<Paper, String> {
    let mut paper = Paper::default();
    let citation = record.find("MedlineCitation").or(record.find("BookDocument")).ok_or("no MedlineCitation in it")?;
    let article = citation.find("Article").unwrap_or(citation);
    paper.id = citation.text_of("PMID");
    let number = paper.id.clone();
    add_extra(&mut paper, "pmid", number);
    paper.title = article.text_of("ArticleTitle");
    let original = article.text_of("VernacularTitle");
    if paper.title.is_empty() || paper.title == "[Not Available]." {
        paper.title.clone_from(&original);
    }
    add_extra(&mut paper, "original_title", original);
    if let Some(text) = article.find("Abstract") {
        let part = |node: &Node| {
            let (label, text) = (node.attribute("Label"), node.text());
            if label.is_empty() || text.is_empty() { text } else { format!("{label}: {text}") }
        };
        let parts: Vec<String> = text.all("AbstractText").map(part).filter(|text| !text.is_empty()).collect();
        paper.abstract_text = parts.join(" ");
    }
    for list in article.all("AuthorList").filter(|list| list.attribute("Type") != "editors") {
        paper.authors.extend(list.all("Author").filter_map(name));
    }
    for list in article.all("AuthorList").filter(|list| list.attribute("Type") == "editors") {
        for editor in list.all("Author").filter_map(name) {
            add_extra(&mut paper, "editors", editor);
        }
    }
    let journal = article.find("Journal");
    let book = citation.find("Book");
    let date = journal.and_then(|j| j.find("JournalIssue/PubDate")).or(book.and_then(|b| b.find("PubDate")));
    if let Some(date) = date {
        let (year, month, day) = (date.text_of("Year"), date.text_of("Month"), date.text_of("Day"));
        let free = date.text_of("MedlineDate");
        paper.year = if year.is_empty() { year_in(&free).unwrap_or("").to_owned() } else { year };
        paper.published = match iso(&paper.year, &month, &day) {
            Some(iso) if iso.len() > 4 => iso,
            _ => free,
        };
    }
    if let Some(journal) = journal {
        let short = journal.text_of("ISOAbbreviation");
        paper.venue = journal.text_of("Title");
        if paper.venue.is_empty() {
            paper.venue.clone_from(&short);
        }
        add_extra(&mut paper, "venue_short", short);
        for number in journal.all("ISSN") {
            add_extra(&mut paper, "issn", number.text());
        }
        paper.volume = journal.text_of("JournalIssue/Volume");
        paper.number = journal.text_of("JournalIssue/Issue");
    }
    if let Some(book) = book {
        paper.venue = book.text_of("BookTitle");
        if paper.title.is_empty() {
            paper.title = std::mem::take(&mut paper.venue);
        }
        add_extra(&mut paper, "publisher", book.text_of("Publisher/PublisherName"));
        for number in book.all("Isbn") {
            add_extra(&mut paper, "isbn", number.text());
        }
    }
    paper.pages = article.text_of("Pagination/MedlinePgn");
    if paper.pages.is_empty() {
        let (start, end) = (article.text_of("Pagination/StartPage"), article.text_of("Pagination/EndPage"));
        paper.pages = if end.is_empty() || end == start { start } else { format!("{start}-{end}") };
    }
    let places = article.all("ELocationID").map(|node| (node.attribute("EIdType"), node.text()));
    let lists = [
        record.find("PubmedData/ArticleIdList"),
        record.find("PubmedBookData/ArticleIdList"),
        citation.find("ArticleIdList"),
    ];
    let numbers = lists.into_iter().flatten().flat_map(|list| list.all("ArticleId"));
    for (kind, number) in places.chain(numbers.map(|node| (node.attribute("IdType"), node.text()))) {
        match kind {
            "doi" if paper.doi.is_empty() => paper.doi = number,
            "pii" => add_extra(&mut paper, "pii", number),
            "pmc" => add_extra(&mut paper, "pmcid", number),
            _ => {}
        }
    }
    paper.language = article.text_of("Language");
    let kinds = article.find("PublicationTypeList").into_iter().flat_map(|list| list.all("PublicationType"));
    paper.kind = kinds.chain(citation.all("PublicationType")).map(Node::text).collect::<Vec<_>>().join("; ");
    let headings = citation.find("MeshHeadingList").into_iter().flat_map(|list| list.all("MeshHeading"));
    let headings = headings.map(|heading| heading.text_of("DescriptorName"));
    let words = citation.all("KeywordList").flat_map(|list| list.all("Keyword")).map(Node::text);
    paper.keywords = words.chain(headings).filter(|word| !word.is_empty()).collect();
    for node in citation.find("CommentsCorrectionsList").into_iter().flat_map(|list| list.all("CommentsCorrections")) {
        let kind = node.attribute("RefType");
        if kind != "Cites" {
            let what = format!("{kind} {}", node.text_of("PMID"));
            add_extra(&mut paper, "corrections", what.trim_end());
        }
    }
    Ok(paper)
}

/// `Lind, Mara T`, a suffix at the end as PubMed's text format has it; a body in braces.
fn name(author: &Node) -> Option<String> {
    let body = author.text_of("CollectiveName");
    if !body.is_empty() {
        return Some(format!("{{{}}}", body.replace(['{', '}'], "")));
    }
    let last = author.text_of("LastName");
    let given = Some(author.text_of("ForeName")).filter(|name| !name.is_empty());
    let given = given.unwrap_or_else(|| author.text_of("Initials"));
    let suffix = author.text_of("Suffix");
    let rest = [given, suffix].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    match (last.is_empty(), rest.is_empty()) {
        (true, true) => None,
        (true, false) => Some(rest),
        (false, true) => Some(last),
        (false, false) => Some(format!("{last}, {rest}")),
    }
}

/// The records of an XML file whose records are elements.
pub(super) struct XmlRecords {
    source_file: Source,
    elements: Elements,
    read: fn(&Node) -> Result<Paper, String>,
    records: u64,
    done: bool,
}

impl XmlRecords {
    /// `read` makes the paper of one element with one of these names.
    pub(super) fn new(
        mut source: Source,
        names: &'static [&'static str],
        read: fn(&Node) -> Result<Paper, String>,
    ) -> XmlRecords {
        let nothing = crate::corpus::lines::Text::new(Box::new(std::io::empty()));
        let text = std::mem::replace(&mut source.text, nothing);
        XmlRecords { source_file: source, elements: Elements::new(text, names), read, records: 0, done: false }
    }
}

impl Iterator for XmlRecords {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let piece = match self.elements.next() {
            Ok(Some(piece)) => piece,
            Ok(None) => {
                self.done = true;
                let reason = "no record: none of the elements that this format has";
                let place = self.source_file.place(0, 1);
                return (self.records == 0).then(|| Err(Rejected::new(&place, reason)));
            }
            Err(error) => {
                self.done = true;
                let place = self.source_file.place(self.records + 1, self.elements.line());
                return Some(Err(Rejected::cut(&place, &error)));
            }
        };
        self.records += 1;
        let place = self.source_file.place(self.records, piece.line);
        if !piece.whole {
            let reason = "the element does not end before the next one begins";
            return Some(Err(Rejected::new(&place, reason)));
        }
        Some(match Node::parse(&piece.text).and_then(|node| (self.read)(&node)) {
            Ok(mut paper) => {
                paper.place = place;
                Ok(paper)
            }
            Err(error) => Err(Rejected::new(&place, error)),
        })
    }
}

impl RecordReader for XmlRecords {}
