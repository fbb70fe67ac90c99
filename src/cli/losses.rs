//! What a written file does not hold of the records that went into it.

use std::collections::BTreeMap;
use std::path::Path;

use papertwin::corpus::formats::is_form;
use papertwin::corpus::names::Column;
use papertwin::corpus::{self, Fields, Paper, ReadOptions};
use papertwin::progress::Run;
use papertwin::resolve;

use super::Context;

/// Reads a file back and names the fields that its format has no place for. JSON lines hold everything.
pub fn tell_losses(path: &Path, written: &[Paper], context: &Context) {
    let holds_all = path.extension().is_none_or(|ending| ending.eq_ignore_ascii_case("jsonl"));
    if holds_all || path.as_os_str() == "-" {
        return;
    }
    let options = ReadOptions { fields: Fields::All, ..ReadOptions::default() };
    let path = path.to_path_buf();
    let Ok(again) = corpus::load(std::slice::from_ref(&path), &options, &Run::default()) else { return };
    let lost = losses(written, again.corpus.papers());
    if !lost.is_empty() {
        let fields: Vec<String> = lost.iter().map(|(field, records)| format!("{field} ({records})")).collect();
        context.progress.warn(&format!(
            "{}: the format has no place for these fields (of so many records): {}; -o FILE.jsonl or -o FILE.csv keeps them",
            path.display(),
            fields.join(", ")
        ));
    }
}

/// The fields that papers lost on the way through a file, and in how many records, by name.
fn losses(before: &[Paper], after: &[Paper]) -> BTreeMap<String, u64> {
    let mut lost = BTreeMap::new();
    if before.len() != after.len() {
        return lost;
    }
    for (paper, again) in before.iter().zip(after) {
        for (tag, _) in resolve::unheld(paper, again) {
            *lost.entry(tag).or_insert(0) += 1;
        }
        for column in Column::all().filter(|column| !matches!(column.name(), "id")) {
            if !paper.lacks(column) && again.lacks(column) && !again.extra.contains_key(column.name()) {
                *lost.entry(column.name().to_owned()).or_insert(0) += 1;
            }
        }
        for (name, value) in paper.extra.iter().filter(|(name, value)| !is_form(name) && !is_nothing(value)) {
            // A value that another field or the form of the record holds is not lost.
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let kept = again.extra.contains_key(name)
                || again.extra.values().any(|other| other.as_str().is_some_and(|other| other.contains(&text)));
            if !kept {
                *lost.entry(name.clone()).or_insert(0) += 1;
            }
        }
    }
    lost
}

fn is_nothing(value: &serde_json::Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}
