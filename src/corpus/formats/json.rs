//! JSON objects as papers: the reader of our own records in an array, or one after the other, each over one line or many,
//! and what every reader of JSON objects shares.

use serde_json::{Map, Value};

use super::super::json::{mend, parse_paper};
use super::super::names::{Column, ColumnMap};
use super::super::{Paper, Rejected};
use super::objects::Objects;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};

/// Our own records in an array, or pretty-printed one after the other.
pub(super) struct Json;

impl FormatReader for Json {
    fn format(&self) -> Format {
        Format::Json
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.text.trim_start();
        let array = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', ',']));
        let empty = head.whole && text.trim_end() == "[]";
        // An object that ends on its first line is a JSON line.
        let lines =
            !array && Objects::of(text).next_object().is_some_and(|(_, first)| first.is_ok_and(|o| !o.contains('\n')));
        if !empty && (lines || !(array || text.starts_with('{'))) {
            return Confidence::No;
        }
        let mut objects = Objects::of(text);
        let titled = std::iter::from_fn(|| objects.next_object())
            .take(5)
            .filter_map(|(_, object)| parse_paper(&object.ok()?, head.map).ok())
            .any(|paper| [Column::Title, Column::Abstract, Column::Body].iter().any(|column| !paper.lacks(*column)));
        if titled { Confidence::Likely } else { Confidence::Possible }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Records::open(source, |text: &str, map: &ColumnMap| {
            parse_paper(text, map).map_err(|error| no_object(&error))
        }))
    }
}

/// Objects as papers, by a function that knows what their members mean.
pub(super) struct Records<F> {
    objects: Objects,
    map: ColumnMap,
    paper: F,
}

impl<F> Records<F>
where
    F: FnMut(&str, &ColumnMap) -> Result<Paper, String> + Send + 'static,
{
    /// The records of a source in which objects stand in an array or one after the other.
    pub(super) fn open(source: Source, paper: F) -> Box<dyn RecordReader> {
        let place = source.place(0, 0);
        Records::of(Objects::new(source.text, place), source.map, paper)
    }

    /// The records of a source that has one object a line.
    pub(super) fn open_lines(source: Source, paper: F) -> Box<dyn RecordReader> {
        let place = source.place(0, 0);
        Records::of(Objects::new(source.text, place).one_a_line(), source.map, paper)
    }

    fn of(objects: Objects, map: ColumnMap, paper: F) -> Box<dyn RecordReader> {
        Box::new(Records { objects, map, paper })
    }
}

/// The records of a reply: the objects of the array that this member of the whole has, or all objects where the source
/// has no such array.
///
/// # Errors
/// If the source cannot be read.
pub(super) fn reply(
    source: Source,
    list: &'static str,
    paper: fn(Map<String, Value>) -> Result<Paper, String>,
) -> Result<Box<dyn RecordReader>, String> {
    let place = source.place(0, 0);
    let objects = Objects::new(source.text, place).in_list(list).map_err(|error| error.to_string())?;
    Ok(Records::of(objects, source.map, move |text: &str, _: &ColumnMap| object_of(text).and_then(paper)))
}

impl<F> Iterator for Records<F>
where
    F: FnMut(&str, &ColumnMap) -> Result<Paper, String> + Send,
{
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        let (place, object) = self.objects.next_object()?;
        Some(match object.and_then(|text| (self.paper)(&text, &self.map)) {
            Ok(paper) => Ok(Paper { place, ..paper }),
            Err(reason) => Err(Rejected::new(&place, reason)),
        })
    }
}

impl<F> RecordReader for Records<F> where F: FnMut(&str, &ColumnMap) -> Result<Paper, String> + Send {}

/// The value of an object, mended where that is safe.
///
/// # Errors
/// Why it is none.
pub(super) fn object_of(text: &str) -> Result<Map<String, Value>, String> {
    let value = serde_json::from_str(text).or_else(|error| match mend(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    });
    value.map_err(|error| no_object(&error))
}

/// Why a text is no JSON object; without serde's line number, which counts inside the record.
pub(super) fn no_object(error: &serde_json::Error) -> String {
    let told = error.to_string();
    let what = told.split(" at line ").next().unwrap_or(&told);
    format!("no JSON object: {what} (column {})", error.column())
}
