//! The names of a record's fields: our own, the common synonyms of other programs, and the user's mapping.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Paper;

/// A field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// [`Paper::id`]
    Id,
    /// [`Paper::title`]
    Title,
    /// [`Paper::abstract_text`]
    Abstract,
    /// [`Paper::authors`]
    Authors,
    /// [`Paper::year`]
    Year,
    /// [`Paper::venue`]
    Venue,
    /// [`Paper::volume`]
    Volume,
    /// [`Paper::number`]
    Number,
    /// [`Paper::pages`]
    Pages,
    /// [`Paper::doi`]
    Doi,
    /// [`Paper::keywords`]
    Keywords,
    /// [`Paper::kind`]
    Type,
    /// [`Paper::source`]
    Source,
    /// [`Paper::url`]
    Url,
    /// [`Paper::body`]
    Body,
    /// [`Paper::published`]
    Published,
    /// [`Paper::language`]
    Language,
}

/// Our name of each field, then the names that other programs give it, compared by [`plain_name`]. Where a table has
/// several, the one that stands first here is taken; the others stay under `extra`.
const NAMES: [(Column, &str, &[&str]); 17] = [
    (
        Column::Id,
        "id",
        &["corduid", "recordid", "paperid", "docid", "recordnumber", "uid", "ut", "eid", "key", "accessionnumber"],
    ),
    (Column::Title, "title", &["articletitle", "documenttitle", "papertitle", "primarytitle", "ti", "t1", "headline"]),
    (Column::Abstract, "abstract", &["abstracttext", "abstractnote", "paperabstract", "ab", "n2", "summary"]),
    (
        Column::Authors,
        "authors",
        &["author", "authorfullnames", "authornames", "authorlist", "creators", "au", "byline"],
    ),
    (Column::Year, "year", &["publicationyear", "pubyear", "yearpublished", "yearofpublication", "py", "y1"]),
    (
        Column::Venue,
        "venue",
        &[
            "journal",
            "sourcetitle",
            "publicationtitle",
            "journaltitle",
            "journalname",
            "journalbook",
            "booktitle",
            "containertitle",
            "secondarytitle",
            "conference",
            "so",
            "jo",
            "t2",
            "jf",
        ],
    ),
    (Column::Volume, "volume", &["vol", "vl"]),
    (Column::Number, "number", &["issue", "issuenumber", "is"]),
    (Column::Pages, "pages", &["page", "pagerange", "articlepages"]),
    (Column::Doi, "doi", &["digitalobjectidentifier", "articledoi", "di", "do"]),
    (
        Column::Keywords,
        "keywords",
        &["keyword", "authorkeywords", "indexkeywords", "manualtags", "tags", "categories", "subjects", "kw", "de"],
    ),
    (Column::Type, "type", &["documenttype", "publicationtype", "itemtype", "doctype", "articletype", "dt", "ty"]),
    (Column::Source, "source", &["database", "sourcedatabase", "sourcex", "outlet", "db"]),
    (Column::Url, "url", &["link", "uri", "href", "ur"]),
    (Column::Body, "body", &["fulltext", "articlebody", "bodytext", "text", "content"]),
    (
        Column::Published,
        "published",
        &["publishedat", "publishtime", "publicationdate", "datepublished", "pubdate", "publisheddate", "date"],
    ),
    (Column::Language, "language", &["lang", "la"]),
];

/// A name without case, blanks and punctuation: `Source Title`, `source_title` and `SOURCE-TITLE` are one.
pub fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Column {
    /// All fields, in the order of a record.
    pub fn all() -> impl ExactSizeIterator<Item = Column> {
        NAMES.iter().map(|(column, _, _)| *column)
    }

    /// Our name of the field.
    pub fn name(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// The field of exactly this name.
    pub fn of_name(name: &str) -> Option<Column> {
        NAMES.iter().find(|(_, own, _)| *own == name).map(|(column, _, _)| *column)
    }

    /// The field that a name of some other program means, and how good a name it is: 0 for our own, then by the order
    /// of preference.
    pub fn of_synonym(name: &str) -> Option<(Column, usize)> {
        let name = plain_name(name);
        NAMES.iter().find_map(|(column, own, others)| {
            if *own == name {
                return Some((*column, 0));
            }
            others.iter().position(|other| *other == name).map(|place| (*column, place + 1))
        })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Column {
    type Err = String;
    fn from_str(name: &str) -> Result<Column, String> {
        Column::of_name(name).ok_or_else(|| {
            let names: Vec<&str> = Column::all().map(Column::name).collect();
            format!("{name:?} is no field; known are {}", names.join(", "))
        })
    }
}

/// Which columns (or members of JSON objects) the user says are which fields: `title=TI,abstract=AB`. Copies of a mapping
/// know together which of its columns were met.
#[derive(Clone, Debug, Default)]
pub struct ColumnMap {
    entries: Vec<Mapped>,
}

#[derive(Clone, Debug)]
struct Mapped {
    field: Column,
    column: String,
    met: Arc<AtomicBool>,
}

impl ColumnMap {
    /// The field that the user mapped this column to. Case counts; blanks around do not.
    pub fn field_of(&self, column: &str) -> Option<Column> {
        let entry = self.entries.iter().find(|entry| entry.column == column.trim())?;
        entry.met.store(true, Ordering::Relaxed);
        Some(entry.field)
    }

    /// The mapping, in the order given.
    pub fn entries(&self) -> impl Iterator<Item = (Column, &str)> {
        self.entries.iter().map(|entry| (entry.field, &*entry.column))
    }

    /// The columns that [`ColumnMap::field_of`] was never asked about, and the fields that they were to be.
    pub fn unmet(&self) -> impl Iterator<Item = (Column, &str)> {
        let unmet = |entry: &&Mapped| !entry.met.load(Ordering::Relaxed);
        self.entries.iter().filter(unmet).map(|entry| (entry.field, &*entry.column))
    }

    /// Whether nothing is mapped.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds what another mapping says.
    pub fn extend(&mut self, other: ColumnMap) {
        self.entries.extend(other.entries);
    }
}

impl FromStr for ColumnMap {
    type Err = String;
    fn from_str(text: &str) -> Result<ColumnMap, String> {
        let mut entries = Vec::new();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (field, column) =
                part.split_once('=').ok_or_else(|| format!("{part:?}: wanted FIELD=COLUMN, for example title=TI"))?;
            let (field, column) = (field.trim().parse()?, column.trim().to_owned());
            entries.push(Mapped { field, column, met: Arc::default() });
        }
        Ok(ColumnMap { entries })
    }
}

impl Paper {
    /// The value of a field as one string; lists are joined by `"; "`. Empty where there is none.
    pub fn value(&self, column: Column) -> Cow<'_, str> {
        match column {
            Column::Authors => Cow::Owned(self.authors.join("; ")),
            Column::Keywords => Cow::Owned(self.keywords.join("; ")),
            _ => Cow::Borrowed(self.single(column)),
        }
    }

    /// Sets a field from one string; lists are split as [`split_authors`] and [`split_keywords`] say.
    pub fn set_value(&mut self, column: Column, value: impl Into<String>) {
        let value = value.into();
        match column {
            Column::Authors => self.authors = split_authors(&value),
            Column::Keywords => self.keywords = split_keywords(&value),
            _ => *self.single_mut(column) = value,
        }
    }

    /// Whether the source has no value of this field.
    pub fn lacks(&self, column: Column) -> bool {
        match column {
            Column::Authors => self.authors.is_empty(),
            Column::Keywords => self.keywords.is_empty(),
            _ => self.single(column).is_empty(),
        }
    }

    fn single(&self, column: Column) -> &str {
        match column {
            Column::Id => &self.id,
            Column::Title => &self.title,
            Column::Abstract => &self.abstract_text,
            Column::Year => &self.year,
            Column::Venue => &self.venue,
            Column::Volume => &self.volume,
            Column::Number => &self.number,
            Column::Pages => &self.pages,
            Column::Doi => &self.doi,
            Column::Type => &self.kind,
            Column::Source => &self.source,
            Column::Url => &self.url,
            Column::Body => &self.body,
            Column::Published => &self.published,
            Column::Language => &self.language,
            Column::Authors | Column::Keywords => "",
        }
    }

    pub(super) fn single_mut(&mut self, column: Column) -> &mut String {
        match column {
            Column::Id => &mut self.id,
            Column::Title => &mut self.title,
            Column::Abstract => &mut self.abstract_text,
            Column::Year => &mut self.year,
            Column::Venue => &mut self.venue,
            Column::Volume => &mut self.volume,
            Column::Number => &mut self.number,
            Column::Pages => &mut self.pages,
            Column::Doi => &mut self.doi,
            Column::Type => &mut self.kind,
            Column::Source => &mut self.source,
            Column::Url => &mut self.url,
            Column::Body => &mut self.body,
            Column::Published => &mut self.published,
            Column::Language => &mut self.language,
            Column::Authors | Column::Keywords => unreachable!("lists are not single values"),
        }
    }
}

/// The authors in one string: at semicolons; else at ` and `, ` & ` and line feeds; then, where a piece is a row of
/// names in natural order (`A. Bee, C. D. Eff, G. Aitch`), at its commas. `Bee, A.` stays one author.
pub fn split_authors(text: &str) -> Vec<String> {
    // The semicolon of an entity (H&#228;rder) parts no names.
    let decoded = if text.contains('&') { html_escape::decode_html_entities(text) } else { text.into() };
    let text = &*decoded;
    let pieces: Vec<&str> = if text.contains(';') {
        text.split(';').collect()
    } else {
        text.split('\n').flat_map(|line| line.split(" and ")).flat_map(|part| part.split(" & ")).collect()
    };
    let several = pieces.len() > 1;
    let mut names = Vec::new();
    for piece in pieces {
        // What semicolons separate is as the source wants it; elsewhere commas and conjunctions are separators too.
        let piece = match text.contains(';') {
            true => piece.trim(),
            false => piece.trim().trim_end_matches(',').trim_start_matches("and ").trim(),
        };
        let parts: Vec<&str> = piece.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        let full = |part: &&str| part.split_whitespace().count() > 1;
        let begins_with_initial = |part: &&str| {
            let mut words = part.split_whitespace();
            let initial = words.next().is_some_and(|word| word.ends_with('.') && word.chars().count() <= 3);
            initial && words.next_back().is_some_and(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 2)
        };
        let natural = !text.contains(';')
            && match parts.len() {
                0 | 1 => false,
                2 => !several && parts.iter().all(full) && parts.iter().skip(1).all(begins_with_initial),
                _ => parts.iter().all(full),
            };
        if natural {
            names.extend(parts.into_iter().map(str::to_owned));
        } else if !piece.is_empty() {
            names.push(piece.to_owned());
        }
    }
    names
}

/// The keywords in one string: at semicolons; else at bars; else at commas and line feeds.
pub fn split_keywords(text: &str) -> Vec<String> {
    let separator: &[char] = if text.contains(';') {
        &[';']
    } else if text.contains('|') {
        &['|']
    } else {
        &[',', '\n']
    };
    text.split(separator).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
