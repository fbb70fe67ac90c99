//! CiteULike: `raw-data.csv` (`doc.id, title, citeulike.id, raw.title, raw.abstract`) or a bare `titles.txt`, with the
//! tags of the articles in the files beside it.
//!
//! `item-tag.dat` has a line an article (`COUNT tag tag ...`), `tag-item.dat` a line a tag (`COUNT article article ...`),
//! both counting from 0; `tags.dat` has the names of the tags. The title and the abstract are the raw ones, as the users
//! entered them, LaTeX and all. Without tag files the records have no keywords, and a warning says so.

use std::path::{Path, PathBuf};

use super::super::input::open_path;
use super::super::lines::Text;
use super::super::names::ColumnMap;
use super::super::{Paper, Rejected};
use super::table::Rows;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::error::Place;
use crate::progress::Run;

/// CiteULike.
pub(super) struct Citeulike;

impl FormatReader for Citeulike {
    fn format(&self) -> Format {
        Format::Citeulike
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let first = head.lines().next().unwrap_or_default();
        if first.contains("citeulike.id") && first.contains("raw.title") {
            return Confidence::Certain;
        }
        let bare = head.name == "titles.txt" && head.folder.is_some_and(|folder| beside(folder, "tags.dat").is_some());
        if bare { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, mut source: Source) -> Result<Box<dyn RecordReader>, String> {
        let tags = match source.path.as_deref().and_then(Path::parent) {
            Some(folder) => {
                Tags::find(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }, &source.run)?
            }
            None => Tags::default(),
        };
        if tags.of_item.is_empty() {
            let file = &source.file;
            source.run.progress.warn(&format!(
                "{file}: no item-tag.dat or tag-item.dat with tags.dat beside it; the articles have no keywords"
            ));
        }
        let mut item = 0;
        let mut give = move |paper: &mut Paper| {
            // doc.id counts from 1; a row that was rejected must not shift the tags of the others.
            let place = paper.id.parse::<usize>().ok().and_then(|id| id.checked_sub(1)).unwrap_or(item);
            item += 1;
            paper.keywords = tags.names_of(place);
        };
        let head = source.text.fill().map_err(|error| error.to_string())?;
        let first = head.split(|b| *b == b'\n').next().unwrap_or_default();
        if String::from_utf8_lossy(first).contains("citeulike.id") {
            let mut map: ColumnMap = "id=doc.id,title=raw.title,abstract=raw.abstract".parse()?;
            std::mem::swap(&mut map, &mut source.map);
            source.map.extend(map);
            return Ok(Box::new(Rows::open(source, b',', give)?));
        }
        Ok(Box::new(Titles {
            place: source.place(0, 0),
            text: source.text,
            give: Box::new(move |paper| give(paper)),
            ended: false,
        }))
    }
}

/// A file of a folder, plain or compressed.
fn beside(folder: &Path, name: &str) -> Option<PathBuf> {
    ["", ".gz", ".zst"].iter().map(|ending| folder.join(format!("{name}{ending}"))).find(|path| path.is_file())
}

/// The tags of all articles.
#[derive(Default)]
struct Tags {
    names: Vec<String>,
    of_item: Vec<Vec<u32>>,
}

impl Tags {
    fn find(folder: &Path, run: &Run) -> Result<Tags, String> {
        let Some(names) = beside(folder, "tags.dat") else { return Ok(Tags::default()) };
        let mut tags = Tags { names: Vec::new(), of_item: Vec::new() };
        each_line(&names, run, |line, _| {
            tags.names.push(line.trim().to_owned());
            Ok(())
        })?;
        let known = tags.names.len();
        let of_item = &mut tags.of_item;
        if let Some(path) = beside(folder, "item-tag.dat") {
            each_line(&path, run, |line, number| {
                of_item.push(numbers(line, known).map_err(|reason| format!("line {number}: {reason}"))?);
                Ok(())
            })?;
        } else if let Some(path) = beside(folder, "tag-item.dat") {
            each_line(&path, run, |line, number| {
                // The number of articles is not known here; a data set has fewer than this.
                let items = numbers(line, 100_000_000).map_err(|reason| format!("line {number}: {reason}"))?;
                for item in items {
                    let item = item as usize;
                    if item >= of_item.len() {
                        of_item.resize_with(item + 1, Vec::new);
                    }
                    of_item[item].push(number as u32 - 1);
                }
                Ok(())
            })?;
        }
        Ok(tags)
    }

    fn names_of(&self, item: usize) -> Vec<String> {
        let tags = self.of_item.get(item).map_or(&[][..], Vec::as_slice);
        tags.iter().filter_map(|tag| self.names.get(*tag as usize)).filter(|name| !name.is_empty()).cloned().collect()
    }
}

/// `COUNT n n n`, each below a limit.
fn numbers(line: &str, below: usize) -> Result<Vec<u32>, String> {
    let mut all = line.split_whitespace().map(|word| word.parse::<u32>().map_err(|_| format!("{word:?} is no number")));
    let count = all.next().unwrap_or(Ok(0))?;
    let values: Vec<u32> = all.collect::<Result<_, _>>()?;
    if values.len() != count as usize {
        return Err(format!("{} numbers where the first says {count}", values.len()));
    }
    match values.iter().find(|value| **value as usize >= below) {
        Some(value) => Err(format!("{value} is out of range, there are {below}")),
        None => Ok(values),
    }
}

fn each_line(path: &Path, run: &Run, mut each: impl FnMut(&str, u64) -> Result<(), String>) -> Result<(), String> {
    let told = |reason: String| format!("{}: {reason}", path.display());
    let inputs = open_path(path, run).map_err(|error| error.to_string())?;
    for input in inputs {
        let mut text = Text::new(input.bytes);
        let mut number = 0;
        while let Some(line) = text.next_line().map_err(|error| told(error.to_string()))? {
            number += 1;
            each(line, number).map_err(told)?;
        }
    }
    Ok(())
}

/// One title a line; its number is the id.
struct Titles {
    place: Place,
    text: Text,
    give: Box<dyn FnMut(&mut Paper) + Send>,
    ended: bool,
}

impl Iterator for Titles {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let read = self.text.next_line().map(|line| line.map(|line| unquoted(line.trim())));
        self.place.record += 1;
        self.place.line = self.text.line();
        match read {
            Ok(Some(title)) => {
                let id = self.place.line.to_string();
                let mut paper = Paper { id, title, place: self.place.clone(), ..Paper::default() };
                (self.give)(&mut paper);
                Some(Ok(paper))
            }
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                Some(Err(Rejected::cut(&self.place, &error)))
            }
        }
    }
}

impl RecordReader for Titles {}

/// A title as the set writes it: in quotes where it holds quotes, which are doubled then.
fn unquoted(title: &str) -> String {
    match title.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => inside.replace("\"\"", "\""),
        None => title.to_owned(),
    }
}
