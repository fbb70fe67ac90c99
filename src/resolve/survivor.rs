//! Which record of a cluster stays, and what it takes from the others.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::corpus::Paper;
use crate::corpus::formats::is_form;
use crate::corpus::names::Column;
use crate::methods::records::normal::{self, Kind};

/// Which record of a cluster stays. Published records go before preprints in every policy; ties fall to the earlier record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Survivor {
    /// The one with most fields, the longer abstract among equals.
    #[default]
    MostComplete,
    /// The one of the source or file that comes first in the list ([`is_of`]); what is not listed comes last, by
    /// completeness.
    SourcePriority(Vec<String>),
    /// The earliest year, then by completeness.
    PublishedFirst,
    /// The first in the input.
    First,
}

impl Survivor {
    /// The place, in the list, of the record that stays.
    ///
    /// # Panics
    /// If there are no records.
    pub fn choose(&self, papers: &[&Paper]) -> usize {
        assert!(!papers.is_empty(), "a cluster has members");
        if papers.len() == 1 {
            return 0;
        }
        (0..papers.len()).min_by_key(|&place| self.key(papers[place], place)).unwrap_or(0)
    }

    fn key(&self, paper: &Paper, place: usize) -> (bool, usize, Reverse<(usize, usize)>, usize) {
        let preprint = normal::record_kind(paper) == Kind::Preprint;
        let complete = Reverse(completeness(paper));
        match self {
            Survivor::MostComplete => (preprint, 0, complete, place),
            Survivor::SourcePriority(sources) => {
                let priority = sources.iter().position(|name| is_of(paper, name)).unwrap_or(sources.len());
                (preprint, priority, complete, place)
            }
            Survivor::PublishedFirst => {
                (preprint, normal::year(&paper.year).map_or(usize::MAX, usize::from), complete, place)
            }
            Survivor::First => (preprint, 0, Reverse((0, 0)), place),
        }
    }
}

/// Whether a record is of this source: the source that it names, or its file, as it was named or without its folder.
/// Small and capital letters are the same.
pub fn is_of(paper: &Paper, name: &str) -> bool {
    let file: &str = &paper.place.file;
    let base = file.rsplit(['/', '\\']).next().unwrap_or(file);
    [paper.source.as_str(), file, base].iter().any(|known| !known.is_empty() && known.eq_ignore_ascii_case(name))
}

/// The fields that describe a paper: all but its id and its source.
fn described() -> impl Iterator<Item = Column> {
    Column::all().filter(|column| !matches!(column, Column::Id | Column::Source))
}

/// How many fields have a value, and how long the abstract is.
fn completeness(paper: &Paper) -> (usize, usize) {
    let filled = described().filter(|column| has(paper, *column)).count();
    let extra = paper.extra.iter().filter(|(key, value)| !is_empty(value) && !is_form(key)).count();
    (filled + extra, paper.abstract_text.len())
}

fn has(paper: &Paper, column: Column) -> bool {
    match column {
        Column::Authors | Column::Keywords => !paper.lacks(column),
        _ => !normal::is_placeholder(&paper.value(column)),
    }
}

fn is_empty(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::String(text) => text.trim().is_empty(),
        serde_json::Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The record that stays, with its gaps filled from the others in their order; nothing that it has is changed.
pub fn merge(kept: &Paper, others: &[&Paper]) -> Paper {
    let mut merged = kept.clone();
    for other in others {
        for column in described().filter(|column| has(other, *column)) {
            if has(&merged, column) {
                continue;
            }
            match column {
                Column::Authors => merged.authors.clone_from(&other.authors),
                Column::Keywords => merged.keywords.clone_from(&other.keywords),
                _ => merged.set_value(column, other.value(column)),
            }
        }
        for (key, value) in &other.extra {
            if !is_empty(value) && merged.extra.get(key).is_none_or(is_empty) {
                merged.extra.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

/// The tags of a record's own format that no field is made of, and whose values do not stand anywhere in the other paper:
/// the format with the tag, and the value, in the order of the record.
pub fn unheld(paper: &Paper, other: &Paper) -> Vec<(String, String)> {
    let forms: Vec<(&str, &str)> = paper
        .extra
        .iter()
        .filter(|(key, value)| is_form(key) && other.extra.get(*key) != Some(value))
        .filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
        .collect();
    if forms.is_empty() {
        return Vec::new();
    }
    let mut held: BTreeSet<String> = ["http", "https", "doi", "dx", "org"].map(str::to_owned).into();
    let mut hold = |text: &str| held.extend(normal::fold(text).split(' ').map(str::to_owned));
    for column in Column::all().filter(|column| *column != Column::Body) {
        hold(&other.value(column));
    }
    other.extra.values().for_each(|value| match value.as_str() {
        Some(text) => hold(text),
        None => hold(&value.to_string()),
    });
    let mut found = Vec::new();
    for (form, text) in forms {
        let format = form.strip_prefix("record.").unwrap_or(form);
        for (tag, value) in text.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| line.split_once(' ')) {
            if normal::fold(value).split(' ').any(|word| !word.is_empty() && !held.contains(word)) {
                found.push((format!("{format} {tag}"), value.trim().to_owned()));
            }
        }
    }
    found
}

/// The fields of a record whose values the merged record does not have: name and value, in the order of fields. Values
/// that are equal in their normal form are no conflict.
pub fn conflicts(merged: &Paper, other: &Paper) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut single = |name: &str, mine: &str, theirs: &str, equal: &dyn Fn(&str, &str) -> bool| {
        let same = mine == theirs || equal(mine, theirs) || normal::fold(mine) == normal::fold(theirs);
        if !same && !normal::is_placeholder(theirs) {
            found.push((name.to_owned(), theirs.to_owned()));
        }
    };
    let by_words = |_: &str, _: &str| false;
    single("title", &merged.title, &other.title, &|a, b| normal::title(a) == normal::title(b));
    single("abstract", &merged.abstract_text, &other.abstract_text, &by_words);
    single("authors", &merged.authors.join("; "), &other.authors.join("; "), &|_, _| {
        normal::authors(&merged.authors) == normal::authors(&other.authors)
    });
    single("year", &merged.year, &other.year, &|a, b| normal::year(a) == normal::year(b));
    single("venue", &merged.venue, &other.venue, &by_words);
    single("volume", &merged.volume, &other.volume, &|a, b| normal::counted(a) == normal::counted(b));
    single("number", &merged.number, &other.number, &|a, b| normal::counted(a) == normal::counted(b));
    single("pages", &merged.pages, &other.pages, &|a, b| normal::pages(a) == normal::pages(b));
    single("doi", &merged.doi, &other.doi, &|a, b| normal::doi(a) == normal::doi(b));
    single("type", &merged.kind, &other.kind, &by_words);
    single("url", &merged.url, &other.url, &by_words);
    single("keywords", &merged.keywords.join("; "), &other.keywords.join("; "), &by_words);
    found.extend(unheld(other, merged));
    for (key, value) in &other.extra {
        if !is_empty(value) && !is_form(key) && merged.extra.get(key) != Some(value) {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            found.push((key.clone(), text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paper(source: &str, year: &str, pages: &str, doi: &str) -> Paper {
        Paper {
            title: "Kite tails".into(),
            source: source.into(),
            year: year.into(),
            pages: pages.into(),
            doi: doi.into(),
            ..Paper::default()
        }
    }

    #[test]
    fn policies_choose_different_records() {
        let (a, b, c) = (
            paper("wos", "2002", "", ""),
            paper("scopus", "2001", "1-9", ""),
            paper("embase", "2003", "1-9", "10.5555/k"),
        );
        let all = [&a, &b, &c];
        assert_eq!(Survivor::MostComplete.choose(&all), 2);
        assert_eq!(Survivor::SourcePriority(vec!["SCOPUS".into()]).choose(&all), 1);
        let mut filed = c.clone();
        filed.place.file = "exports/old.ris".into();
        assert_eq!(Survivor::SourcePriority(vec!["Old.ris".into()]).choose(&[&a, &b, &filed]), 2);
        assert_eq!(Survivor::PublishedFirst.choose(&all), 1);
        assert_eq!(Survivor::First.choose(&all), 0);
        let preprint = Paper { venue: "medRxiv".into(), abstract_text: "long".into(), ..c.clone() };
        assert_eq!(Survivor::MostComplete.choose(&[&preprint, &a]), 1);
    }

    #[test]
    fn gaps_are_filled_and_conflicts_are_named() {
        let kept = paper("wos", "2002", "", "10.5555/K");
        let other = Paper { authors: vec!["Ode, P.".into()], ..paper("scopus", "2001", "101-9", "doi:10.5555/k") };
        let merged = merge(&kept, &[&other]);
        assert_eq!((&*merged.pages, &*merged.year, merged.authors.len()), ("101-9", "2002", 1));
        assert_eq!(conflicts(&merged, &other), [("year".to_owned(), "2001".to_owned())]);
        let mut noted = other.clone();
        noted.extra.insert("record.ris".into(), "TI\nPY 2002/\nZZ my shelf\n".into());
        let lost = conflicts(&merged, &noted);
        assert_eq!(lost[1..], [("ris ZZ".to_owned(), "my shelf".to_owned())]);
        assert_eq!(conflicts(&merge(&kept, &[&noted]), &noted).len(), 1);
    }
}
