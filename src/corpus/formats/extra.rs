//! What records have beyond the fields that all share: the names of these values, and how they are kept.
//!
//! One value is a string, several are an array of strings, so that they look in JSON as a person would write them.
//! Readers of all formats use the same names: `pmid`, `pmcid`, `arxiv`, `issn`, `isbn`, `publisher`, `place`, `editors`,
//! `edition`, `series`, `accession`, `accessed`, `institution`, `affiliations`, `pii`, `venue_short`, `original_title`,
//! `notes`. `record.ris`, `record.bib` and the like hold the form of a record, see [`super::tagged`].

use serde_json::Value;

use crate::corpus::Paper;

/// The values under a name, in their order; none if there is nothing or nothing that is a text. Tables have their own
/// spellings of a name (`ISSN`, `PubMed ID`).
pub(super) fn extras<'a>(paper: &'a Paper, name: &str) -> Vec<&'a str> {
    let found = paper.extra.get(name).or_else(|| {
        let other = if name == "pmid" { "PubMed ID" } else { name };
        let same = |key: &str| key.eq_ignore_ascii_case(name) || key.eq_ignore_ascii_case(other);
        paper.extra.iter().find(|(key, _)| same(key)).map(|(_, value)| value)
    });
    match found {
        Some(Value::String(value)) if !value.is_empty() => vec![value],
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).filter(|v| !v.is_empty()).collect(),
        _ => Vec::new(),
    }
}

/// Puts a value under a name, after those that are there; an empty one and one that is there already add nothing.
pub(super) fn add_extra(paper: &mut Paper, name: &str, value: impl Into<String>) {
    let value: String = value.into();
    if value.is_empty() || extras(paper, name).contains(&value.as_str()) {
        return;
    }
    let value = Value::String(value);
    match paper.extra.get_mut(name) {
        Some(Value::Array(values)) => values.push(value),
        Some(first) => {
            let first_value = first.take();
            *first = Value::Array(vec![first_value, value]);
        }
        None => {
            paper.extra.insert(name.to_owned(), value);
        }
    }
}

/// Whether a text says that there is nothing: databases and spreadsheets write such words into empty fields.
pub(super) fn is_missing(text: &str) -> bool {
    matches!(
        text.trim(),
        "" | "NA"
            | "N/A"
            | "n/a"
            | "#N/A"
            | "null"
            | "NULL"
            | "nan"
            | "NaN"
            | "-"
            | "[No abstract available]"
            | "No abstract available"
            | "No abstract available."
    )
}

/// Whether a name of [`Paper::extra`] is that of a record's form, which no reader of reports wants to see.
pub fn is_form(name: &str) -> bool {
    name.starts_with("record.")
}

/// Adds a serial number to `isbn` or `issn`, whichever its digits make it.
pub(super) fn add_serial(paper: &mut Paper, value: &str) {
    let first = value.split([',', ';', '(', ' ']).find(|part| !part.is_empty()).unwrap_or("");
    let digits = value.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).count();
    let of_first = first.chars().filter(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X')).count();
    let isbn = matches!(of_first, 10 | 13) || (of_first < 8 && matches!(digits, 10 | 13));
    add_extra(paper, if isbn { "isbn" } else { "issn" }, value);
}

/// The name of a body that stands in braces, as BibTeX writes it: `{Guild of Riders}`. Readers of other formats that
/// tell bodies from persons put the braces there, writers take them away.
pub(super) fn body(name: &str) -> Option<&str> {
    let inner = name.strip_prefix('{')?.strip_suffix('}')?;
    (!inner.contains(['{', '}'])).then_some(inner)
}
