//! How many records each source brought, kept and shares with others: the numbers of a PRISMA flow diagram.

use std::collections::{BTreeMap, BTreeSet};

use super::Resolution;
use crate::corpus::{Corpus, Paper};
use crate::table::Table;

/// The counts of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceCount {
    /// The source that the records name, else their file, else `unknown`.
    pub source: String,
    /// Records read.
    pub records: u64,
    /// Records that stay.
    pub kept: u64,
    /// Records that are duplicates of others.
    pub duplicates: u64,
    /// Papers (clusters) that the source has.
    pub papers: u64,
    /// Papers that no other source has.
    pub only_here: u64,
}

/// The source that each record is counted under: the one that it names; its file, if no record of the file names one;
/// else `unknown`.
fn sources(corpus: &Corpus) -> Vec<&str> {
    let named: BTreeSet<&str> =
        corpus.papers().iter().filter(|p| !p.source.trim().is_empty()).map(|p| &*p.place.file).collect();
    let source = |paper: &'_ Paper| -> (bool, bool) {
        (!paper.source.trim().is_empty(), named.contains(&*paper.place.file) || paper.place.file.is_empty())
    };
    corpus
        .papers()
        .iter()
        .map(|paper| match source(paper) {
            (true, _) => paper.source.trim(),
            (false, true) => "unknown",
            (false, false) => &paper.place.file,
        })
        .collect()
}

/// The papers (clusters) of each source, and the sources of each paper.
fn by_cluster<'c>(corpus: &'c Corpus, resolution: &Resolution) -> BTreeMap<u32, BTreeSet<&'c str>> {
    let mut sources: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (source, row) in self::sources(corpus).into_iter().zip(&resolution.rows) {
        sources.entry(row.cluster).or_default().insert(source);
    }
    sources
}

/// The counts of each source, by name. The sum of `records` is the sum of `kept` and `duplicates`.
pub fn source_counts(corpus: &Corpus, resolution: &Resolution) -> Vec<SourceCount> {
    let mut counts: BTreeMap<&str, SourceCount> = BTreeMap::new();
    for (name, row) in sources(corpus).into_iter().zip(&resolution.rows) {
        let count =
            counts.entry(name).or_insert_with(|| SourceCount { source: name.to_owned(), ..SourceCount::default() });
        count.records += 1;
        if row.kept { count.kept += 1 } else { count.duplicates += 1 }
    }
    for sources in by_cluster(corpus, resolution).values() {
        for name in sources {
            if let Some(count) = counts.get_mut(name) {
                count.papers += 1;
                count.only_here += u64::from(sources.len() == 1);
            }
        }
    }
    counts.into_values().collect()
}

/// The counts as a table for `plot`: one row a source, then one row a pair of sources with the papers that both have.
/// Columns: source, with, records, kept, duplicates, papers, only_here.
pub fn overlaps(corpus: &Corpus, resolution: &Resolution) -> Table {
    let mut table = Table::new(["source", "with", "records", "kept", "duplicates", "papers", "only_here"]);
    for count in source_counts(corpus, resolution) {
        table.push(vec![
            count.source.into(),
            "".into(),
            count.records.into(),
            count.kept.into(),
            count.duplicates.into(),
            count.papers.into(),
            count.only_here.into(),
        ]);
    }
    let mut shared: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let clusters = by_cluster(corpus, resolution);
    for sources in clusters.values() {
        for (at, x) in sources.iter().enumerate() {
            for y in sources.iter().skip(at + 1) {
                *shared.entry((x, y)).or_insert(0) += 1;
            }
        }
    }
    for ((x, y), papers) in shared {
        let empty = || crate::table::Cell::Empty;
        table.push(vec![x.into(), y.into(), empty(), empty(), empty(), papers.into(), empty()]);
    }
    table
}
