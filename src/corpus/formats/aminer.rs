//! The AMiner citation network: V1 to V9 as text, V10 as JSON lines, V12 as an array whose abstracts are inverted
//! indexes, V13 with `NumberInt(..)`, V14.
//!
//! What becomes of the members of V10 to V14: the names of `authors` (and the whole list to `extra` where it says more),
//! the name of `venue`, `keywords` or else the names of `fos`, `page_start` and `page_end` as pages, `issue` as number,
//! `doc_type` as type, `lang` as language. An inverted abstract is written out; positions without a word are skipped, and
//! escapes that lost their backslash (`Webu0027s`) are decoded.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::lines::Text;
use super::super::names::ColumnMap;
use super::super::{Paper, Rejected};
use super::json::{Records, object_of};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::error::Place;

/// V10 to V14.
pub(super) struct AminerJson;

impl FormatReader for AminerJson {
    fn format(&self) -> Format {
        Format::Aminer
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if !head.text.trim_start().starts_with(['{', '[']) {
            return Confidence::No;
        }
        let has = |name: &str| head.text.contains(&format!("\"{name}\""));
        let special =
            has("indexed_abstract") || (has("n_citation") && (has("references") || has("fos") || has("venue")));
        if special && has("title") { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Records::open(source, paper))
    }
}

fn paper(text: &str, map: &ColumnMap) -> Result<Paper, String> {
    let mut object = object_of(text)?;
    if let Some(index) = object.shift_remove("indexed_abstract") {
        let written = written_out(&index);
        let missing = object.get("abstract").is_none_or(|own| own.as_str().is_none_or(str::is_empty));
        match written {
            Some(text) if missing => {
                object.insert("abstract".into(), text.into());
            }
            None if !index.is_null() => {
                object.insert("indexed_abstract".into(), index);
            }
            _ => {}
        }
    }
    rename(&mut object, "_id", "id");
    rename(&mut object, "issue", "number");
    rename(&mut object, "doc_type", "type");
    rename(&mut object, "lang", "language");
    let name_of = |value: &Value| {
        ["raw", "name", "name_d", "name_s"].iter().find_map(|key| Some(value.get(key)?.as_str()?.to_owned()))
    };
    let mut kept = Map::new();
    if let Some(venue) = object.get("venue").filter(|venue| venue.is_object()).cloned() {
        let name = name_of(&venue).unwrap_or_default();
        if venue.as_object().is_some_and(|members| members.len() > 1) {
            kept.insert("venue".into(), venue);
        }
        object.insert("venue".into(), name.into());
    }
    let listed = object.get("keywords").and_then(Value::as_array).is_some_and(|words| !words.is_empty());
    if !listed && let Some(Value::Array(fields)) = object.get("fos") {
        let name = |field: &Value| field.as_str().map(str::to_owned).or_else(|| name_of(field)).map(Value::String);
        let names: Vec<Value> = fields.iter().filter_map(name).collect();
        if fields.iter().all(Value::is_string) {
            object.shift_remove("fos");
        }
        object.insert("keywords".into(), names.into());
    }
    let page = |object: &Map<String, Value>, name: &str| match object.get(name) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let (first, last) = (page(&object, "page_start"), page(&object, "page_end"));
    if !object.contains_key("pages") && !first.is_empty() {
        object.shift_remove("page_start");
        object.shift_remove("page_end");
        let pages = if last.is_empty() || last == first { first } else { format!("{first}-{last}") };
        object.insert("pages".into(), pages.into());
    }
    object.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
    let mut paper = Paper::from_json(object, map);
    for (name, value) in kept {
        paper.extra.entry(name).or_insert(value);
    }
    Ok(paper)
}

fn rename(object: &mut Map<String, Value>, from: &str, to: &str) {
    if !object.contains_key(to)
        && let Some(value) = object.shift_remove(from)
    {
        object.insert(to.into(), value);
    }
}

/// The text of an inverted index: `{"IndexLength": n, "InvertedIndex": {word: [positions]}}`. The length is not
/// believed: only positions that have a word count.
fn written_out(index: &Value) -> Option<String> {
    let index = index.get("InvertedIndex").unwrap_or(index).as_object()?;
    let mut words: BTreeMap<u64, &str> = BTreeMap::new();
    for (word, places) in index {
        for place in places.as_array()?.iter().filter_map(Value::as_u64) {
            words.entry(place).or_insert(word);
        }
    }
    let words: Vec<&str> = words.into_values().filter(|word| !word.is_empty()).collect();
    Some(with_lost_escapes(&words.join(" ")))
}

/// `Webu0027s` is `Web's`: the escapes of `"`, `&`, `'`, `<`, `=` and `>` that lost their backslash.
fn with_lost_escapes(text: &str) -> String {
    if !text.contains("u00") {
        return text.to_owned();
    }
    const LOST: [(&str, &str); 9] = [
        ("u0022", "\""),
        ("u0026", "&"),
        ("u0027", "'"),
        ("u003c", "<"),
        ("u003C", "<"),
        ("u003d", "="),
        ("u003D", "="),
        ("u003e", ">"),
        ("u003E", ">"),
    ];
    LOST.iter().fold(text.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
}

/// V1 to V9.
pub(super) struct AminerText;

impl FormatReader for AminerText {
    fn format(&self) -> Format {
        Format::AminerText
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let has = |tag: &str| head.lines().any(|line| line.starts_with(tag));
        if has("#*") && (has("#index") || has("#@")) { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Blocks { place: source.place(0, 0), text: source.text, paper: None, begun: None, ended: false }))
    }
}

/// Blocks of tagged lines. A block begins with `#*` and ends with a blank line or the next `#*`; lines outside (the
/// count on the first line of a file, a description) are skipped.
struct Blocks {
    place: Place,
    text: Text,
    paper: Option<Paper>,
    /// A block whose first line was read while the one before it was finished.
    begun: Option<Paper>,
    ended: bool,
}

impl Blocks {
    fn finished(&self, paper: Paper) -> Result<Paper, Rejected> {
        match paper.id.is_empty() {
            true => Err(Rejected::new(&paper.place, "no #index line; wanted #*, #@, #t, #c, #index, #%, #!")),
            false => Ok(paper),
        }
    }
}

impl Iterator for Blocks {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(paper) = self.begun.take() {
            self.paper = Some(paper);
        }
        while !self.ended {
            let read = self.text.next_line().map(|line| line.map(str::to_owned));
            let number = self.text.line();
            let line = match read {
                Ok(Some(line)) => line,
                Ok(None) => {
                    self.ended = true;
                    break;
                }
                Err(error) => {
                    self.ended = true;
                    self.place.line = number;
                    self.place.record += 1;
                    return Some(Err(Rejected::cut(&self.place, &error)));
                }
            };
            if let Some(title) = line.strip_prefix("#*") {
                self.place.line = number;
                self.place.record += 1;
                let paper = Paper { title: title.trim().to_owned(), place: self.place.clone(), ..Paper::default() };
                if let Some(done) = self.paper.take() {
                    self.begun = Some(paper);
                    return Some(self.finished(done));
                }
                self.paper = Some(paper);
            } else if line.trim().is_empty() {
                if let Some(done) = self.paper.take() {
                    return Some(self.finished(done));
                }
            } else if let Some(paper) = &mut self.paper {
                tagged(paper, &line);
            }
        }
        self.paper.take().map(|done| self.finished(done))
    }
}

impl RecordReader for Blocks {}

fn tagged(paper: &mut Paper, line: &str) {
    let value = |tag: &str| line.strip_prefix(tag).map(|rest| rest.trim().to_owned());
    if let Some(id) = value("#index") {
        paper.id = id;
    } else if let Some(names) = value("#@") {
        let separator = if names.contains(';') { ';' } else { ',' };
        paper.authors = names.split(separator).map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect();
    } else if let Some(text) = value("#!") {
        paper.abstract_text = text;
    } else if let Some(reference) = value("#%") {
        if !reference.is_empty()
            && let Value::Array(all) = paper.extra.entry("references").or_insert_with(|| Value::Array(Vec::new()))
        {
            all.push(reference.into());
        }
    } else if let Some(count) = value("#citation") {
        paper.extra.insert("n_citation".into(), count.into());
    } else if let Some(venue) = value("#conf").or_else(|| value("#c")) {
        paper.venue = venue;
    } else if let Some(year) = value("#year").or_else(|| value("#t")) {
        paper.year = year;
    } else if let Some(tag) = line.strip_prefix('#') {
        let name: String = tag.chars().take_while(|c| c.is_alphanumeric()).collect();
        let rest = tag[name.len()..].trim().to_owned();
        if !name.is_empty() {
            paper.extra.insert(name, rest.into());
        }
    } else {
        // An abstract that wraps.
        let wrapped = if paper.abstract_text.is_empty() { &mut paper.title } else { &mut paper.abstract_text };
        wrapped.push(' ');
        wrapped.push_str(line.trim());
    }
}
