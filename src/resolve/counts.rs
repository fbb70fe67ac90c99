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

fn source(paper: &Paper) -> &str {
    if !paper.source.trim().is_empty() { paper.source.trim() } else { "unknown" }
}

/// The papers (clusters) of each source, and the sources of each paper.
fn by_cluster<'c>(corpus: &'c Corpus, resolution: &Resolution) -> BTreeMap<u32, BTreeSet<&'c str>> {
    let mut sources: BTreeMap<u32, BTreeSet<&str>> = BTreeMap::new();
    for (paper, row) in corpus.papers().iter().zip(&resolution.rows) {
        sources.entry(row.cluster).or_default().insert(source(paper));
    }
    sources
}

/// The counts of each source, by name. The sum of `records` is the sum of `kept` and `duplicates`.
pub fn source_counts(corpus: &Corpus, resolution: &Resolution) -> Vec<SourceCount> {
    let mut counts: BTreeMap<&str, SourceCount> = BTreeMap::new();
    for (paper, row) in corpus.papers().iter().zip(&resolution.rows) {
        let name = source(paper);
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
