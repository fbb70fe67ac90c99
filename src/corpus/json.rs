//! A paper as a JSON object, and back.
//!
//! Reading is generous: numbers and booleans where text is wanted, `null`, one string where a list is wanted, a list of
//! objects with a `name`. What a field cannot hold is kept whole under `extra`, and so is every member that is no field.
//! Writing leaves out what is empty.

use std::collections::VecDeque;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value};

use super::names::{Column, ColumnMap, split_authors, split_keywords};
use super::{Paper, Rejected};

/// One member's value: text moves into the paper without a detour.
enum Member {
    Nothing,
    Text(String),
    Texts(Vec<String>),
    Other(Value),
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Member, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Member;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Member, E> {
                Ok(Member::Nothing)
            }
            fn visit_str<E>(self, text: &str) -> Result<Member, E> {
                Ok(Member::Text(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<Member, E> {
                Ok(Member::Text(text))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Member, E> {
                Ok(Member::Other(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Member, E> {
                Ok(Member::Other(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Member, E> {
                Ok(Member::Other(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Member, E> {
                Ok(Member::Other(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Member, A::Error> {
                let mut texts = Vec::new();
                while let Some(item) = items.next_element::<Value>()? {
                    match item {
                        Value::String(text) => texts.push(text),
                        first => {
                            let mut all: Vec<Value> = texts.into_iter().map(Value::String).collect();
                            all.push(first);
                            while let Some(item) = items.next_element()? {
                                all.push(item);
                            }
                            return Ok(Member::Other(Value::Array(all)));
                        }
                    }
                }
                Ok(Member::Texts(texts))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Member, A::Error> {
                let mut map = Map::new();
                while let Some((key, value)) = members.next_entry::<String, Value>()? {
                    map.insert(key, value);
                }
                Ok(Member::Other(Value::Object(map)))
            }
        }
        input.deserialize_any(Any)
    }
}

impl Member {
    fn of(value: Value) -> Member {
        match value {
            Value::Null => Member::Nothing,
            Value::String(text) => Member::Text(text),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                Member::Texts(items.into_iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
            }
            other => Member::Other(other),
        }
    }

    fn into_value(self) -> Value {
        match self {
            Member::Nothing => Value::Null,
            Member::Text(text) => Value::String(text),
            Member::Texts(texts) => Value::Array(texts.into_iter().map(Value::String).collect()),
            Member::Other(value) => value,
        }
    }
}

impl Paper {
    /// Puts a value into a field as far as it fits; returns what must be kept under `extra` besides.
    fn take(&mut self, column: Column, value: Member) -> Option<Value> {
        if matches!(column, Column::Authors | Column::Keywords) {
            let (list, rest) = match value {
                Member::Nothing => (Vec::new(), None),
                Member::Text(text) if column == Column::Authors => (split_authors(&text), None),
                Member::Text(text) => (split_keywords(&text), None),
                Member::Texts(texts) => (texts, None),
                Member::Other(value) => names_in(value),
            };
            let field = if column == Column::Authors { &mut self.authors } else { &mut self.keywords };
            *field = list;
            return rest;
        }
        let field = self.single_mut(column);
        let text = match value {
            Member::Nothing => return None,
            Member::Text(text) => text,
            Member::Texts(mut texts) if texts.len() <= 1 => texts.pop().unwrap_or_default(),
            Member::Texts(texts) => {
                *field = texts.join("; ");
                return Some(Value::Array(texts.into_iter().map(Value::String).collect()));
            }
            Member::Other(Value::Bool(value)) => value.to_string(),
            Member::Other(Value::Number(value)) => value.to_string(),
            Member::Other(value) => return Some(value),
        };
        *field = text;
        None
    }

    /// The paper that a JSON object describes. Members that are no field, under our name or by the mapping, and that are
    /// no common synonym of a field that would else be empty, go to `extra`; an object called `extra` is unpacked.
    pub fn from_json(object: Map<String, Value>, map: &ColumnMap) -> Paper {
        let mut paper = Paper::default();
        for (key, value) in object {
            paper.take_member(key, Member::of(value), map);
        }
        paper.settle();
        paper
    }

    /// The same from the text of one object.
    ///
    /// # Errors
    /// If the text is no JSON object.
    pub fn from_json_text(text: &str, map: &ColumnMap) -> Result<Paper, serde_json::Error> {
        struct Object<'m>(&'m ColumnMap);
        impl<'de> Visitor<'de> for Object<'_> {
            type Value = Paper;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Paper, A::Error> {
                let mut paper = Paper::default();
                while let Some(key) = members.next_key::<String>()? {
                    paper.take_member(key, members.next_value()?, self.0);
                }
                paper.settle();
                Ok(paper)
            }
        }
        let mut input = serde_json::Deserializer::from_str(text);
        let paper = input.deserialize_map(Object(map))?;
        input.end()?;
        Ok(paper)
    }

    fn take_member(&mut self, key: String, value: Member, map: &ColumnMap) {
        let column = map.field_of(&key).or_else(|| Column::of_name(&key));
        match column {
            Some(column) => {
                if let Some(rest) = self.take(column, value) {
                    self.extra.insert(key, rest);
                }
            }
            None if key == "extra" => match value {
                Member::Other(Value::Object(members)) => self.extra.extend(members),
                Member::Nothing => {}
                other => {
                    self.extra.insert(key, other.into_value());
                }
            },
            None => {
                self.extra.insert(key, value.into_value());
            }
        }
    }

    /// Moves synonyms out of `extra` into fields that are still empty; the best name of each field first.
    fn settle(&mut self) {
        if self.extra.is_empty() {
            return;
        }
        let mut found: Vec<(Column, usize, String)> = self
            .extra
            .iter()
            .filter(|(_, value)| !value.is_null())
            .filter_map(|(key, _)| Column::of_synonym(key).map(|(column, rank)| (column, rank, key.clone())))
            .filter(|(column, _, _)| self.lacks(*column))
            .collect();
        found.sort_by_key(|(column, rank, _)| (*column, *rank));
        for (column, _, key) in found {
            if self.lacks(column)
                && let Some(value) = self.extra.get(&key).cloned()
                && self.take(column, Member::of(value)).is_none()
                && !self.lacks(column)
            {
                self.extra.shift_remove(&key);
            }
        }
    }

    /// The paper as a JSON object: what is not empty, in the order of a record, `extra` last. A year of digits is a
    /// number.
    pub fn to_json(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(object)) => object,
            _ => Map::new(),
        }
    }
}

/// The names in a list of objects (`{"name": ...}`) or of mixed scalars, and the value itself where they are not all
/// that it says.
fn names_in(value: Value) -> (Vec<String>, Option<Value>) {
    let Value::Array(items) = &value else {
        return match value {
            Value::Number(number) => (vec![number.to_string()], None),
            other => (Vec::new(), Some(other)),
        };
    };
    let mut complete = true;
    let names = items
        .iter()
        .filter_map(|item| match item {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Object(object) => {
                complete &= object.len() == 1;
                object.get("name").and_then(Value::as_str).map(str::to_owned)
            }
            _ => {
                complete &= item.is_null();
                None
            }
        })
        .filter(|name| !name.trim().is_empty())
        .collect();
    (names, (!complete).then_some(value))
}

impl Serialize for Paper {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(None)?;
        for column in Column::all().filter(|column| !self.lacks(*column)) {
            match column {
                Column::Authors => map.serialize_entry(column.name(), &self.authors)?,
                Column::Keywords => map.serialize_entry(column.name(), &self.keywords)?,
                Column::Year => match plain_number(&self.year) {
                    Some(year) => map.serialize_entry(column.name(), &year)?,
                    None => map.serialize_entry(column.name(), &self.year)?,
                },
                _ => map.serialize_entry(column.name(), &*self.value(column))?,
            }
        }
        if !self.extra.is_empty() {
            map.serialize_entry("extra", &self.extra)?;
        }
        map.end()
    }
}

/// A year that a number can stand for without loss.
fn plain_number(year: &str) -> Option<u16> {
    let number: u16 = year.parse().ok()?;
    (number.to_string() == year && number < 10_000).then_some(number)
}

/// The paper of the text of one object; what is not quite JSON is mended where that is safe.
pub(super) fn parse_paper(text: &str, map: &ColumnMap) -> Result<Paper, serde_json::Error> {
    Paper::from_json_text(text, map).or_else(|error| match mend(text) {
        Some(mended) => Paper::from_json_text(&mended, map),
        None => Err(error),
    })
}

/// The records in an object that is only their wrapping (`{"status": "ok", "articles": [...]}`): it has no text of its
/// own, and one of its members is a list of objects of which some have a title. An element that is no object is rejected.
/// `None` for every other object.
pub(super) fn records_inside(paper: &mut Paper, map: &ColumnMap) -> Option<VecDeque<Result<Paper, Rejected>>> {
    let text = [Column::Title, Column::Abstract, Column::Body, Column::Doi];
    if text.iter().any(|column| !paper.lacks(*column)) {
        return None;
    }
    let titled =
        |value: &Value| value.as_object().is_some_and(|o| !Paper::from_json(o.clone(), map).lacks(Column::Title));
    let holds = |value: &Value| {
        value.as_array().is_some_and(|all| all.iter().filter(|one| one.is_object()).take(5).any(titled))
    };
    let name = paper.extra.iter().find(|(_, value)| holds(value)).map(|(name, _)| name.clone())?;
    let Some(Value::Array(members)) = paper.extra.shift_remove(&name) else { return None };
    let records = members.into_iter().enumerate().map(|(n, value)| match value {
        Value::Object(object) => Ok(Paper { place: paper.place.clone(), ..Paper::from_json(object, map) }),
        _ => Err(Rejected::new(&paper.place, format!("element {} of {name:?} is no object", n + 1))),
    });
    Some(records.collect())
}

/// Mends what JSON parsers refuse and what real files hold nevertheless: halves of surrogate pairs (they become
/// U+FFFD), control characters inside strings, `NaN` and `Infinity` (they become `null`), and `NumberInt(7)` and its
/// kin of MongoDB. `None` if there was nothing to mend.
pub(super) fn mend(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut mended = false;
    let mut inside = false;
    let mut at = 0;
    let mut done = 0;
    while at < bytes.len() {
        let Some(rest) = text.get(at..) else {
            // Inside of a character.
            at += 1;
            continue;
        };
        let (skip, put): (usize, String) = if inside {
            match bytes[at] {
                b'"' => {
                    inside = false;
                    at += 1;
                    continue;
                }
                b'\\' => match surrogate(rest) {
                    Some(0xd800..=0xdbff) if matches!(surrogate(&rest[6..]), Some(0xdc00..=0xdfff)) => {
                        at += 12;
                        continue;
                    }
                    Some(0xd800..=0xdfff) => (6, "\\ufffd".into()),
                    _ => {
                        at += 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                        continue;
                    }
                },
                control @ 0..0x20 => (1, format!("\\u{control:04x}")),
                _ => {
                    at += 1;
                    continue;
                }
            }
        } else {
            match bytes[at] {
                b'"' => {
                    inside = true;
                    at += 1;
                    continue;
                }
                b'N' | b'I' | b'-' | b'O' => {
                    if let Some((skip, put)) = constant(rest) {
                        (skip, put)
                    } else {
                        at += 1;
                        continue;
                    }
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
        };
        out.push_str(&text[done..at]);
        out.push_str(&put);
        at += skip;
        done = at;
        mended = true;
    }
    out.push_str(&text[done..]);
    mended.then_some(out)
}

/// The code of a `\uXXXX` escape.
fn surrogate(rest: &str) -> Option<u32> {
    let digits = rest.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

/// A constant that is no JSON: its length and what stands for it.
fn constant(rest: &str) -> Option<(usize, String)> {
    for name in ["NaN", "Infinity", "-Infinity"] {
        if rest.starts_with(name) {
            return Some((name.len(), "null".into()));
        }
    }
    for name in ["NumberInt(", "NumberLong(", "NumberDecimal(", "ObjectId("] {
        if let Some(inner) = rest.strip_prefix(name) {
            let end = inner.find(')')?;
            let value = inner[..end].trim();
            let value = if name == "ObjectId(" { value } else { value.trim_matches('"') };
            return Some((name.len() + end + 1, if value.is_empty() { "null".into() } else { value.to_owned() }));
        }
    }
    None
}
