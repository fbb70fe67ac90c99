//! The formats that records are read from and written in: one file a format, all behind [`FormatReader`] and
//! [`FormatWriter`], listed in [`readers`] and [`writers`].
//!
//! A format is recognised by its content: every reader looks at the beginning of the decoded text ([`Head`]) and says
//! how sure it is. The surest wins, the earlier in the list where two are equally sure.
//!
//! # What a record keeps, and how it comes back
//!
//! A record that is written in the format that it was read from has its own tags in its own order: unknown ones, repeated
//! ones, and those whose value a field has in another spelling. For that it carries its *form* in
//! [`Paper::extra`], under `record.ris`, `record.bib`, `record.nbib`, `record.enw` or `record.endnote-xml`: one line a tag,
//! a bare `TI` for a value that is the paper's, `ZZ my shelf 4` for one that is kept. A field that was changed since then
//! (a gap that a merge filled) replaces its old tags at their place. A record of another format is written by what the
//! fields mean. Files are UTF-8 with line feeds; layout inside of a record (indents, wrapped lines, case of `@ARTICLE` apart)
//! is ours.
//!
//! | format | read | written | not kept |
//! |---|---|---|---|
//! | RIS, EndNote tagged, PubMed nbib | yes | yes | text between records (a warning counts its lines) |
//! | BibTeX, biblatex | yes | yes | `@comment`, `@preamble`; `@string` names are resolved |
//! | EndNote XML | yes | yes | fonts inside of texts |
//! | CSL JSON | yes | yes | the order of members |
//! | Web of Science, tagged and tab-delimited | yes | | |
//! | PubMed XML, DBLP XML | yes | | elements that no paper has a field for (affiliations, grants, chemicals) |
//! | Crossref, OpenAlex JSON | yes | | |
//! | RSS, Atom, JSON Feed | yes | | markup, pictures, media |
//! | WARC, WET | yes | | what is no page or text; menus, headers and footers of pages |
//!
//! Beyond the common fields, all formats use the same names in [`Paper::extra`]: `pmid`, `pmcid`, `arxiv`, `issn`, `isbn`,
//! `publisher`, `place`, `editors`, `edition`, `series`, `institution`, `accession`, `accessed`, `affiliations`, `pii`,
//! `venue_short`, `original_title`, `corrections`. One value is a string, several are an array.
//!
//! A body (a group, an institution) among the authors stands in braces, as in BibTeX: `{Guild of Riders}`; every writer
//! says it in the way of its format. [`Paper::kind`] keeps the word of the source, [`Kind`](super::Kind) says what it means.
//! BibTeX keys are made unique on writing: `key`, `key-2`, `key-3`. `NA`, `N/A`, `null` and the like are no values.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use super::lines::Text;
use super::names::ColumnMap;
use super::{Layout, Paper, Rejected};
use crate::error::Place;
use crate::progress::Run;

mod aminer;
mod arxiv;
mod bibtex;
mod citeulike;
mod cord19;
mod crossref;
mod csl;
mod dates;
mod dblp_xml;
mod endnote;
mod endnote_xml;
mod extra;
mod feed;
mod html;
mod json;
mod jsonl;
mod latex;
mod nbib;
mod objects;
mod openalex;
mod pubmed_xml;
mod ris;
mod scopus;
mod table;
mod tagged;
mod values;
mod warc;
mod wos;
mod xml;

pub use extra::is_form;
pub use jsonl::write_json_line;
pub use objects::Objects;
pub use table::guarded;
pub(super) use warc::MARK as WARC_MARK;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// One JSON object a line: our own records, and whatever has titles.
    Jsonl,
    /// A JSON array of objects, or objects one after the other over several lines.
    Json,
    /// Values separated by commas.
    Csv,
    /// Values separated by tabs.
    Tsv,
    /// Values separated by semicolons, as spreadsheets write where the comma is the decimal sign.
    Semicolon,
    /// arXiv metadata, JSON lines.
    Arxiv,
    /// CORD-19 `metadata.csv`, old columns or new.
    Cord19,
    /// The citation network V1 to V9: `#*` title, `#@` authors, ...
    AminerText,
    /// The citation network V10 to V14: JSON lines or an array, abstracts plain or inverted.
    Aminer,
    /// CiteULike: `raw-data.csv` or `titles.txt`, with the tag files beside it.
    Citeulike,
    /// RIS.
    Ris,
    /// BibTeX and biblatex.
    Bibtex,
    /// PubMed / MEDLINE tagged text.
    Nbib,
    /// PubMed XML.
    PubmedXml,
    /// EndNote tagged text (`%A`).
    Endnote,
    /// EndNote XML.
    EndnoteXml,
    /// Web of Science tagged text or tab-delimited.
    Wos,
    /// Scopus CSV.
    Scopus,
    /// CSL JSON.
    Csl,
    /// Crossref JSON.
    Crossref,
    /// OpenAlex JSON.
    Openalex,
    /// DBLP XML.
    DblpXml,
    /// RSS, Atom or JSON Feed.
    Feed,
    /// A web archive: WARC, or WET with plain text.
    Warc,
}

impl Format {
    /// Every format and the name that `--format` takes.
    pub const NAMES: &[(Format, &str)] = &[
        (Format::Jsonl, "jsonl"),
        (Format::Json, "json"),
        (Format::Csv, "csv"),
        (Format::Tsv, "tsv"),
        (Format::Semicolon, "semicolon"),
        (Format::Arxiv, "arxiv"),
        (Format::Cord19, "cord19"),
        (Format::AminerText, "aminer-text"),
        (Format::Aminer, "aminer"),
        (Format::Citeulike, "citeulike"),
        (Format::Ris, "ris"),
        (Format::Bibtex, "bib"),
        (Format::Nbib, "nbib"),
        (Format::PubmedXml, "pubmed-xml"),
        (Format::Endnote, "endnote"),
        (Format::EndnoteXml, "endnote-xml"),
        (Format::Wos, "wos"),
        (Format::Scopus, "scopus"),
        (Format::Csl, "csl"),
        (Format::Crossref, "crossref"),
        (Format::Openalex, "openalex"),
        (Format::DblpXml, "dblp-xml"),
        (Format::Feed, "feed"),
        (Format::Warc, "warc"),
    ];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Format::NAMES.iter().find(|(format, _)| format == self).map_or("?", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for Format {
    type Err = String;
    fn from_str(name: &str) -> Result<Format, String> {
        Format::NAMES.iter().find(|(_, known)| *known == name).map(|(format, _)| *format).ok_or_else(|| {
            let names: Vec<&str> = Format::NAMES.iter().map(|(_, name)| *name).collect();
            format!("{name:?} is no format; known are {}", names.join(", "))
        })
    }
}

/// How sure a reader is that a text is in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It is something else.
    No,
    /// It could be read, but nothing in it is special to the format.
    Possible,
    /// It looks like the format, as a general format would (a header with known columns, JSON with a title).
    Likely,
    /// It has marks that only this format has.
    Certain,
}

/// The beginning of a text, for recognising its format.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// The first characters, decoded, without a byte order mark; up to 64 KiB, and at the end perhaps half a line.
    pub text: &'a str,
    /// Whether this is the whole text.
    pub whole: bool,
    /// The name of the file (the last part of its path, without `.gz` and the like), for formats whose files have fixed
    /// names; content goes first.
    pub name: &'a str,
    /// The folder that the file lies in, for formats that consist of several files.
    pub folder: Option<&'a Path>,
    /// The user's column mapping.
    pub map: &'a ColumnMap,
}

impl<'a> Head<'a> {
    /// The lines that are not blank.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        // Without a line feed anywhere, a carriage return ends a line.
        let feeds = self.text.contains('\n');
        let end = if feeds { '\n' } else { '\r' };
        self.text.split(end).map(|line| line.strip_suffix('\r').unwrap_or(line)).filter(|line| !line.trim().is_empty())
    }

    /// Whether the text begins as a table does, with a header that names at least two known columns.
    pub fn begins_as_table(&self) -> bool {
        !self.text.trim_start().starts_with(['{', '[', '<']) && table::known_columns(self) >= 2
    }
}

/// An input ready to be read by the reader of its format.
pub struct Source {
    /// The text: UTF-8, no byte order mark, line ends as they were.
    pub text: Text,
    /// The file as the user named it; goes into every [`Place`].
    pub file: Arc<str>,
    /// Where the file lies, if it is one, for formats that consist of several files.
    pub path: Option<PathBuf>,
    /// The user's column mapping.
    pub map: ColumnMap,
    /// Whom to warn of what was mended.
    pub run: Run,
}

impl Source {
    /// A place in this file.
    pub fn place(&self, record: u64, line: u64) -> Place {
        Place { file: self.file.clone(), record, line }
    }

    /// A source of a text in memory, for tests and for formats inside formats.
    pub fn of_text(file: &str, text: impl Into<String>) -> Source {
        Source {
            text: Text::new(Box::new(io::Cursor::new(text.into().into_bytes()))),
            file: file.into(),
            path: None,
            map: ColumnMap::default(),
            run: Run::default(),
        }
    }
}

/// The records of one input, one after the other. A record that is bad is one `Err` among many: the reader goes on with
/// the next one. After an input that cannot be read any further there is one last `Err`, then `None`.
///
/// Every paper has its [`Place`]. A paper without an identifier of its own has an empty `id`; [`load`](super::load) gives
/// it one.
pub trait RecordReader: Iterator<Item = Result<Paper, Rejected>> + Send {
    /// The columns of a table in the order of the file, under the names that they have in a record (`title`, `doi`, or
    /// the name of an extra value). Empty for what is no table. They are known at least after the first record.
    fn columns(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A format that can be read.
pub trait FormatReader: Send + Sync {
    /// Which format it is.
    fn format(&self) -> Format;
    /// Whether its records can stand in the rows of a table. Others are not asked about a text that begins as a table
    /// does: their marks may stand in a cell.
    fn reads_tables(&self) -> bool {
        false
    }
    /// Whether a text that begins so is in this format.
    fn sniff(&self, head: &Head<'_>) -> Confidence;
    /// Reads the records of a text that is taken to be in this format.
    ///
    /// # Errors
    /// What makes the whole input useless (a table without one known column): what was found, what was wanted. A text
    /// that cannot be read on later is an `Err` of the iterator.
    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String>;
}

/// The readers, in the order in which they are asked.
pub fn readers() -> &'static [&'static dyn FormatReader] {
    &[
        &ris::Ris,
        &nbib::Nbib,
        &endnote::Endnote,
        &wos::Wos,
        &bibtex::Bibtex,
        &pubmed_xml::PubmedXml,
        &endnote_xml::EndnoteXml,
        &dblp_xml::DblpXml,
        &feed::Feed,
        &warc::Warc,
        &crossref::Crossref,
        &openalex::Openalex,
        &csl::Csl,
        &scopus::Scopus,
        &arxiv::Arxiv,
        &cord19::Cord19,
        &aminer::AminerJson,
        &aminer::AminerText,
        &citeulike::Citeulike,
        &jsonl::Jsonl,
        &json::Json,
        &table::CSV,
        &table::TSV,
        &table::SEMICOLON,
    ]
}

/// A format that can be written.
pub trait FormatWriter: Send + Sync {
    /// The endings of the file names that choose it, lower case, without the dot.
    fn extensions(&self) -> &'static [&'static str];
    /// Writes the papers.
    ///
    /// # Errors
    /// If the output cannot be written to.
    fn write(&self, papers: &[Paper], layout: &Layout, out: &mut dyn Write) -> io::Result<()>;
}

/// The writers.
pub fn writers() -> &'static [&'static dyn FormatWriter] {
    &[
        &jsonl::Jsonl,
        &table::CSV,
        &table::TSV,
        &ris::Ris,
        &bibtex::Bibtex,
        &nbib::Nbib,
        &endnote::Endnote,
        &endnote_xml::EndnoteXml,
        &csl::Csl,
    ]
}
