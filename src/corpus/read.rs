//! Reading: from paths to records, and from records to a corpus.

use std::collections::VecDeque;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::formats::{Confidence, Format, FormatReader, Head, RecordReader, Source, readers};
use super::input::{Input, WINDOW, open_bytes, open_path};
use super::json::records_inside;
use super::lines::Text;
use super::names::{Column, ColumnMap};
use super::{Corpus, Paper};
use crate::error::{FileError, Place};
use crate::progress::Run;

/// A record that could not be read: where it stands and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Where the record stands.
    pub place: Place,
    /// What was found and what was wanted.
    pub reason: String,
}

impl Rejected {
    /// A record that is bad for this reason.
    pub fn new(place: &Place, reason: impl Into<String>) -> Rejected {
        Rejected { place: place.clone(), reason: reason.into() }
    }

    /// The rest of an input that cannot be read any further.
    pub fn cut(place: &Place, error: &std::io::Error) -> Rejected {
        Rejected::new(place, format!("the input cannot be read any further: {error}"))
    }
}

/// Why an input could not be read at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It could not be opened or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// It is something that records cannot be read from.
    #[error("{file}: {reason}")]
    Unusable {
        /// The file.
        file: String,
        /// What it is, and the way on.
        reason: String,
    },
    /// No reader knows it.
    #[error(
        "{file}: no known format of records; it begins {begins:?}; say --format NAME, or --map title=COLUMN for a table without known column names"
    )]
    UnknownFormat {
        /// The file.
        file: String,
        /// Its first characters.
        begins: String,
    },
    /// Columns that the mapping names are in no input.
    #[error("no input has a column {columns}, which the mapping names; upper and lower case count")]
    Unmapped {
        /// The columns, and what they were to be.
        columns: String,
    },
    /// There are more papers than a corpus can hold.
    #[error("more than {} papers; a corpus holds no more", u32::MAX)]
    TooMany,
}

/// Which fields of the records are kept where several sources are laid into one corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fields {
    /// All of them.
    #[default]
    All,
    /// Those that every source has in at least one record; a value of another field moves to `extra`.
    Common,
    /// These and the id; a value of another field moves to `extra`.
    Named(Vec<Column>),
}

impl std::str::FromStr for Fields {
    type Err = String;
    fn from_str(text: &str) -> Result<Fields, String> {
        match text {
            "all" => Ok(Fields::All),
            "common" => Ok(Fields::Common),
            names => names
                .split(',')
                .map(|name| name.trim().parse())
                .collect::<Result<_, _>>()
                .map(Fields::Named)
                .map_err(|error| format!("{error}; or all, or common")),
        }
    }
}

/// How inputs are read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` finds it from the content.
    pub format: Option<Format>,
    /// What the columns mean where their names do not say it.
    pub map: ColumnMap,
    /// What is kept in its place when several sources become one corpus.
    pub fields: Fields,
}

/// One input, recognised and ready to be read record by record.
pub struct Opened {
    /// The file as the user named it, `archive.zip:member` for a member.
    pub file: Arc<str>,
    /// What it was taken for.
    pub format: Format,
    records: Box<dyn RecordReader>,
    map: ColumnMap,
    /// Records that stood together in one wrapping object.
    unwrapped: VecDeque<Result<Paper, Rejected>>,
}

impl Opened {
    /// The columns of a table under their names in a record; see [`RecordReader::columns`].
    pub fn columns(&self) -> Vec<String> {
        self.records.columns()
    }
}

impl Iterator for Opened {
    type Item = Result<Paper, Rejected>;
    fn next(&mut self) -> Option<Self::Item> {
        let mut record = match self.unwrapped.pop_front() {
            Some(record) => record,
            None => self.records.next()?,
        };
        if let (Ok(paper), Format::Json | Format::Jsonl) = (&mut record, self.format)
            && let Some(mut inside) = records_inside(paper, &self.map)
        {
            record = inside.pop_front()?;
            self.unwrapped = inside;
        }
        if let Ok(paper) = &mut record {
            drop_controls(paper);
        }
        Some(record)
    }
}

/// Control characters are no text: a form feed becomes a blank, every other one but tab, line feed and carriage return
/// becomes U+FFFD, so that none reaches an output, a terminal, or a program that stops at NUL.
fn drop_controls(paper: &mut Paper) {
    let clean = |text: &mut String| {
        let control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r');
        if text.bytes().any(|b| (b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r')) || b == 0x7f) {
            *text = text
                .chars()
                .map(|c| {
                    if c == '\u{c}' {
                        ' '
                    } else if control(c) {
                        '\u{fffd}'
                    } else {
                        c
                    }
                })
                .collect();
        }
    };
    for column in Column::all() {
        match column {
            Column::Authors => paper.authors.iter_mut().for_each(clean),
            Column::Keywords => paper.keywords.iter_mut().for_each(clean),
            _ => clean(paper.single_mut(column)),
        }
    }
    for value in paper.extra.values_mut() {
        if let serde_json::Value::String(text) = value {
            clean(text);
        }
    }
}

/// Opens a file (`-` is standard input): one input, or one for each member of a zip archive.
///
/// # Errors
/// If it cannot be opened, holds no text, or is in no known format.
pub fn open(path: impl AsRef<Path>, options: &ReadOptions, run: &Run) -> Result<Vec<Opened>, ReadError> {
    crate::output::check_input(&path)?;
    open_path(path.as_ref(), run)?.into_iter().map(|input| recognise(input, options, run)).collect()
}

/// Opens bytes under a name, as if they stood in a file.
///
/// # Errors
/// As [`open`].
pub fn open_reader(
    name: &str,
    bytes: impl Read + Send + 'static,
    options: &ReadOptions,
    run: &Run,
) -> Result<Vec<Opened>, ReadError> {
    open_bytes(name, Box::new(bytes), None, run)?.into_iter().map(|input| recognise(input, options, run)).collect()
}

fn recognise(mut input: Input, options: &ReadOptions, run: &Run) -> Result<Opened, ReadError> {
    let mut head = Vec::with_capacity(WINDOW);
    (&mut input.bytes)
        .take(WINDOW as u64)
        .read_to_end(&mut head)
        .map_err(|source| FileError::new(&*input.file, source))?;
    let whole = head.len() < WINDOW;
    let cut = std::str::from_utf8(&head).err().map_or(head.len(), |e| e.valid_up_to());
    let text = String::from_utf8_lossy(&head[..cut]);
    if whole && text.trim().is_empty() && cut == head.len() {
        let (file, format) = (input.file, options.format.unwrap_or(Format::Jsonl));
        let (map, unwrapped) = (ColumnMap::default(), VecDeque::new());
        return Ok(Opened { file, format, records: Box::new(Nothing), map, unwrapped });
    }
    let reader: &dyn FormatReader = match options.format {
        Some(format) => *readers().iter().find(|reader| reader.format() == format).ok_or_else(|| {
            ReadError::Unusable { file: input.file.to_string(), reason: format!("the format {format} cannot be read") }
        })?,
        None => {
            let folder = input.path.as_deref().and_then(Path::parent);
            let look = Head { text: &text, whole, name: &input.name, folder, map: &options.map };
            // The first of the surest: `max_by_key` would take the last.
            let mut best: (Confidence, Option<&dyn FormatReader>) = (Confidence::No, None);
            let table = look.begins_as_table();
            for reader in readers().iter().filter(|reader| !table || reader.reads_tables()) {
                let sure = reader.sniff(&look);
                if sure > best.0 {
                    best = (sure, Some(*reader));
                }
            }
            match best.1 {
                Some(reader) => reader,
                None => {
                    let begins = text.trim_start().chars().take(60).collect();
                    return Err(ReadError::UnknownFormat { file: input.file.to_string(), begins });
                }
            }
        }
    };
    let source = Source {
        text: Text::new(Box::new(std::io::BufReader::with_capacity(
            WINDOW,
            std::io::Cursor::new(head).chain(input.bytes),
        ))),
        file: input.file.clone(),
        path: input.path,
        map: options.map.clone(),
        run: run.clone(),
    };
    let records = reader.open(source).map_err(|reason| ReadError::Unusable { file: input.file.to_string(), reason })?;
    let (map, unwrapped) = (options.map.clone(), VecDeque::new());
    Ok(Opened { file: input.file, format: reader.format(), records, map, unwrapped })
}

/// The records of an empty file.
struct Nothing;

impl Iterator for Nothing {
    type Item = Result<Paper, Rejected>;
    fn next(&mut self) -> Option<Self::Item> {
        None
    }
}

impl RecordReader for Nothing {}

/// How many records of one file were seen and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCount {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// What it was taken for.
    pub format: Format,
    /// Records that became papers.
    pub kept: u64,
    /// Records that did not.
    pub rejected: u64,
}

/// How the records of a corpus are laid out in a table: the columns that its sources had, so that a user's own come back
/// in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The columns of all tables among the sources, in order, under their names in a record. Empty where no source is a
    /// table.
    pub columns: Vec<String>,
    /// Whether every id was made here because no source had one.
    pub made_ids: bool,
}

/// A corpus, and what became of every record on the way.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The papers, in the order of the files and of the records in them.
    pub corpus: Corpus,
    /// The records that could not be read.
    pub rejected: Vec<Rejected>,
    /// The counts of each file.
    pub files: Vec<FileCount>,
    /// The columns of the sources.
    pub layout: Layout,
    /// The fields that every file has in at least one record, when there are several files; the id not counted.
    pub common: Vec<Column>,
    /// The fields that some files have and others do not.
    pub uncommon: Vec<Column>,
}

impl Loaded {
    /// How many records were seen: kept and rejected.
    pub fn seen(&self) -> u64 {
        self.files.iter().map(|file| file.kept + file.rejected).sum()
    }

    /// How many became papers.
    pub fn kept(&self) -> u64 {
        self.files.iter().map(|file| file.kept).sum()
    }
}

/// Reads files into one corpus.
///
/// An id is what the source says, and need not be unique: nothing is dropped or joined because of an id, and papers are
/// told apart by their places. How many papers share an id is warned about. A paper whose source gives no id gets
/// `record-N`, N its number in the corpus from 1.
///
/// # Errors
/// If a file cannot be opened, holds no text, or is in no known format. Bad records are no error; they are in
/// [`Loaded::rejected`].
pub fn load(paths: &[PathBuf], options: &ReadOptions, run: &Run) -> Result<Loaded, ReadError> {
    let mut inputs = Vec::new();
    for path in paths {
        inputs.extend(open(path, options, run)?);
    }
    load_opened(inputs, options, run)
}

/// Reads inputs that are open already into one corpus; see [`load`].
///
/// # Errors
/// If there are more papers than a corpus holds, or no input has a column that the mapping names.
pub fn load_opened(inputs: Vec<Opened>, options: &ReadOptions, run: &Run) -> Result<Loaded, ReadError> {
    let mut papers: Vec<Paper> = Vec::new();
    let mut loaded = Loaded::default();
    let mut had: Vec<Vec<bool>> = Vec::new();
    let columns: Vec<Column> = Column::all().collect();
    let mut ids = false;
    for mut input in inputs {
        let mut count = FileCount { file: input.file.clone(), format: input.format, kept: 0, rejected: 0 };
        let mut present = vec![false; columns.len()];
        for record in &mut input {
            match record {
                Ok(mut paper) => {
                    for (seen, column) in present.iter_mut().zip(&columns) {
                        *seen = *seen || !paper.lacks(*column);
                    }
                    ids |= !paper.id.is_empty();
                    if u32::try_from(papers.len() + 1).is_err() {
                        return Err(ReadError::TooMany);
                    }
                    if paper.id.is_empty() {
                        paper.id = format!("record-{}", papers.len() + 1);
                    }
                    count.kept += 1;
                    papers.push(paper);
                }
                Err(rejected) => {
                    count.rejected += 1;
                    loaded.rejected.push(rejected);
                }
            }
        }
        for column in input.columns() {
            if !loaded.layout.columns.contains(&column) {
                loaded.layout.columns.push(column);
            }
        }
        if count.kept > 0 {
            had.push(present);
        } else if count.rejected == 0 {
            run.progress.warn(&format!("{}: has no records", input.file));
        }
        loaded.files.push(count);
    }
    let unmet: Vec<String> = options.map.unmet().map(|(field, column)| format!("{column:?} ({field})")).collect();
    if !unmet.is_empty() {
        return Err(ReadError::Unmapped { columns: unmet.join(", ") });
    }
    papers.shrink_to_fit();
    loaded.layout.made_ids = !ids;
    for (place, column) in columns.iter().enumerate().filter(|(_, column)| **column != Column::Id) {
        let files = had.iter().filter(|present| present[place]).count();
        if files == had.len() && files > 0 {
            loaded.common.push(*column);
        } else if files > 0 {
            loaded.uncommon.push(*column);
        }
    }
    let kept: Option<&[Column]> = match &options.fields {
        Fields::All => None,
        Fields::Common => Some(&loaded.common),
        Fields::Named(names) => Some(names),
    };
    if let Some(kept) = kept {
        let moved: Vec<Column> = columns.iter().copied().filter(|c| *c != Column::Id && !kept.contains(c)).collect();
        for paper in &mut papers {
            set_aside(paper, &moved);
        }
    }
    warn_of_shared_ids(&papers, run);
    loaded.corpus = Corpus::new(papers);
    Ok(loaded)
}

/// Moves the values of these fields to `extra`, where an own value of that name is not overwritten.
fn set_aside(paper: &mut Paper, moved: &[Column]) {
    use serde_json::Value;
    for &column in moved {
        if paper.lacks(column) {
            continue;
        }
        let list = |texts: Vec<String>| Value::Array(texts.into_iter().map(Value::String).collect());
        let value = match column {
            Column::Authors => list(std::mem::take(&mut paper.authors)),
            Column::Keywords => list(std::mem::take(&mut paper.keywords)),
            _ => Value::String(std::mem::take(paper.single_mut(column))),
        };
        let mut name = column.name().to_owned();
        while paper.extra.contains_key(&name) {
            name.push('_');
        }
        paper.extra.insert(name, value);
    }
}

fn warn_of_shared_ids(papers: &[Paper], run: &Run) {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for paper in papers {
        *counts.entry(&paper.id).or_default() += 1;
    }
    let shared = counts.values().filter(|count| **count > 1).count();
    // The first in the order of the corpus, whatever the order of the map.
    let first = papers.iter().find_map(|paper| Some((&paper.id, counts[&*paper.id])).filter(|(_, count)| *count > 1));
    if let Some((id, count)) = first {
        let others = match shared {
            1 => String::new(),
            more => format!(", and {} more ids are shared", more - 1),
        };
        run.progress.warn(&format!(
            "the id is not unique: {count} papers have {id:?}{others}; all are kept, and told apart by their places"
        ));
    }
}
