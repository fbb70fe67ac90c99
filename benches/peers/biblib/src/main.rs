//! Reads a labelled set (`SET.jsonl.gz`), runs the deduplicator of `biblib` on it, writes `id,cluster` for each record.
//!
//! Usage: biblib-dedup SET.jsonl.gz OUT.csv

use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};

use biblib::dedupe::Deduplicator;
use biblib::{Author, Citation, Date};
use serde_json::Value;

fn text(record: &Value, name: &str) -> Option<String> {
    match record.get(name)? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn authors(record: &Value) -> Vec<Author> {
    let names: Vec<String> = match record.get("authors") {
        Some(Value::Array(names)) => names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        Some(Value::String(names)) => names.split(" and ").flat_map(|name| name.split(';')).map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let author = |name: String| {
        let (family, given) = match name.split_once(',') {
            Some((family, given)) => (family.trim().to_owned(), Some(given.trim().to_owned())),
            None => (name.trim().to_owned(), None),
        };
        Author { name: family, given_name: given, middle_name: None, affiliations: Vec::new() }
    };
    names.into_iter().filter(|name| !name.trim().is_empty()).map(author).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [set, out] = paths.as_slice() else { return Err("usage: biblib-dedup SET.jsonl.gz OUT.csv".into()) };
    let (mut ids, mut citations) = (Vec::new(), Vec::new());
    for line in BufReader::new(flate2::read::MultiGzDecoder::new(File::open(set)?)).lines() {
        let record: Value = serde_json::from_str(&line?)?;
        let mut citation = Citation::new();
        citation.title = text(&record, "title").unwrap_or_default();
        citation.authors = authors(&record);
        citation.journal = text(&record, "venue");
        let year = text(&record, "year").and_then(|year| year.trim().parse().ok());
        citation.date = year.map(|year| Date { year, month: None, day: None });
        citation.volume = text(&record, "volume");
        citation.issue = text(&record, "number");
        citation.pages = text(&record, "pages");
        citation.doi = text(&record, "doi");
        citation.abstract_text = text(&record, "abstract");
        ids.push(text(&record, "id").unwrap_or_default());
        citations.push(citation);
    }
    let mut kept = vec![usize::MAX; ids.len()];
    for (number, group) in Deduplicator::new().find_duplicates(&citations).iter().enumerate() {
        for &place in std::iter::once(&group.unique).chain(&group.duplicates) {
            kept[place] = number;
        }
    }
    let mut file = BufWriter::new(File::create(out)?);
    writeln!(file, "id,cluster")?;
    for (place, id) in ids.iter().enumerate() {
        let own = ids.len() + place;
        let number = if kept[place] == usize::MAX { own } else { kept[place] };
        writeln!(file, "\"{}\",{number}", id.replace('"', "\"\""))?;
    }
    Ok(())
}
