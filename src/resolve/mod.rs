//! Room 11: pairs become clusters, survivors and merged records, each with its reason.
//!
//! ```
//! use papertwin::corpus::{Corpus, Paper};
//! use papertwin::progress::Run;
//! use papertwin::resolve::{Options, resolve};
//! let paper = |id: &str, title: &str| Paper { id: id.into(), title: title.into(), year: "1999".into(), ..Paper::default() };
//! let corpus = Corpus::new(vec![paper("1", "Tin whistles"), paper("2", "tin whistles."), paper("3", "Brass whistles")]);
//! let resolution = resolve(&corpus, &Options::default(), &Run::default()).unwrap();
//! assert_eq!(resolution.rows.iter().filter(|row| row.kept).count(), 2);
//! assert_eq!(resolution.clusters.groups(), [vec![0, 1], vec![2]]);
//! ```

mod cluster;
mod counts;
mod decisions;
mod evidence;
mod report;
mod survivor;

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

pub use cluster::{Clusters, Decided, Judge, Judgement, Link, Linkage, Tightness, cluster, tightness};
pub use counts::{SourceCount, overlaps, source_counts};
pub use decisions::{Decisions, DecisionsError, content_key, read_decisions};
pub use evidence::{Combine, Evidence, OtherMethod};
pub use report::{write_report, write_review};
pub use survivor::{Survivor, conflicts, is_of, merge, unheld};

use crate::corpus::{Corpus, Pair, Paper, PaperId};
use crate::embedding::Embedding;
use crate::methods::records::{Junk, Relation, Verdict};
use crate::methods::{MethodError, MethodSpec};
use crate::partition::Partition;
use crate::progress::Run;
use crate::similarity::Score;

/// What becomes of a preprint and the article that it became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Versions {
    /// Both stay and name each other.
    #[default]
    Link,
    /// They are one paper; the article stays.
    Merge,
    /// Both stay and nothing is said.
    Ignore,
}

/// How duplicates are resolved.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// No two records of one source are one paper.
    pub unique_within_source: bool,
    /// Preprints and articles.
    pub versions: Versions,
    /// When clusters are joined.
    pub linkage: Linkage,
    /// Which record stays.
    pub survivor: Survivor,
    /// What people decided.
    pub decided: Decided,
    /// Other methods, each with its least score; empty for record matching alone.
    pub methods: Vec<(MethodSpec, Score)>,
    /// Whether record matching takes part beside [`Options::methods`].
    pub without_records: bool,
    /// How several methods are combined.
    pub combine: Combine,
    /// The word vectors of those of [`Options::methods`] that want some.
    pub embedding: Option<Arc<Embedding>>,
    /// So many papers at the front are a clean base: they stay as they are, are not compared among each other, and are
    /// not written again.
    pub base: usize,
}

/// What became of one input record.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The cluster, from 1, numbered by first appearance.
    pub cluster: u32,
    /// Whether the record stays.
    pub kept: bool,
    /// The record that stays for the cluster; itself, if it is kept.
    pub survivor: PaperId,
    /// How alike the record and the one that stays are; `None` for a record without duplicates.
    pub score: Option<Score>,
    /// Why it was removed, or stays.
    pub reason: String,
    /// How firmly its cluster holds together; `None` for a cluster of one.
    pub tightness: Option<Tightness>,
    /// Records that are not the same paper but belong to it.
    pub related: Vec<(PaperId, Relation)>,
}

/// A pair that a person should look at.
#[derive(Clone, Debug, PartialEq)]
pub struct Review {
    /// The pair.
    pub pair: Pair,
    /// How alike they are.
    pub score: Score,
    /// Why a person should look.
    pub reason: String,
}

/// The outcome: what became of every record.
#[derive(Clone, Debug, Default)]
pub struct Resolution {
    /// Which cluster each record is in.
    pub clusters: Partition,
    /// One row a record, in input order.
    pub rows: Vec<Row>,
    /// The pairs to look at, the most alike first.
    pub review: Vec<Review>,
    /// Columns that were ignored because they hold a running counter.
    pub junk: Vec<Junk>,
}

/// Finds duplicates, joins them into clusters and chooses what stays.
///
/// # Errors
/// If another method cannot be prepared or cannot scan.
pub fn resolve(corpus: &Corpus, options: &Options, run: &Run) -> Result<Resolution, MethodError> {
    let evidence = Evidence::new(corpus, options, run)?;
    let found = evidence.links()?;
    let standing = evidence.standing();
    let clusters = cluster(&standing, evidence.order(), &found.links, &options.decided, options.linkage, &evidence);
    let groups = clusters.partition.groups();
    let papers = corpus.papers();
    let settled: Vec<(usize, Vec<(u32, Option<Score>, String)>, Option<Tightness>)> = groups
        .par_iter()
        .map(|group| {
            let members: Vec<&Paper> = group.iter().map(|&m| &papers[m as usize]).collect();
            // A base record stays whatever the policy says.
            let kept = group
                .iter()
                .position(|&m| (m as usize) < options.base)
                .unwrap_or_else(|| options.survivor.choose(&members));
            let reasons = group
                .iter()
                .enumerate()
                .map(|(at, &m)| {
                    let (score, reason) = if at == kept {
                        (None, if group.len() == 1 { "unique".to_owned() } else { format!("kept of {}", group.len()) })
                    } else {
                        evidence.reason(m, group[kept], &options.decided)
                    };
                    (m, score, reason)
                })
                .collect();
            let tight = if group.len() > 1 { tightness(group, &evidence) } else { None };
            (kept, reasons, tight)
        })
        .collect();
    let mut rows: Vec<Option<Row>> = vec![None; papers.len()];
    for (number, (group, (kept, reasons, tight))) in groups.iter().zip(settled).enumerate() {
        for (at, (member, score, reason)) in reasons.into_iter().enumerate() {
            rows[member as usize] = Some(Row {
                cluster: number as u32 + 1,
                kept: at == kept,
                survivor: PaperId(group[kept]),
                score,
                reason,
                tightness: tight,
                related: Vec::new(),
            });
        }
    }
    let mut rows: Vec<Row> = rows.into_iter().map(|row| row.expect("a partition has every paper in a group")).collect();
    let mut related: BTreeMap<Pair, Relation> = BTreeMap::new();
    if options.versions != Versions::Ignore {
        for &(pair, relation) in &found.related {
            let (x, y) = (rows[pair.first().index()].survivor, rows[pair.second().index()].survivor);
            if let Some(pair) = Pair::new(x, y) {
                related.entry(pair).or_insert(relation);
            }
        }
    }
    for (pair, relation) in related {
        rows[pair.first().index()].related.push((pair.second(), relation));
        rows[pair.second().index()].related.push((pair.first(), relation));
    }
    let same_cluster =
        |pair: Pair| clusters.partition.group_of(pair.first().0) == clusters.partition.group_of(pair.second().0);
    let mut review: Vec<Review> = found
        .review
        .iter()
        .map(|&pair| (pair, ""))
        .chain(
            clusters.refused.iter().map(|&pair| (pair, "same paper by itself, but the records around them disagree; ")),
        )
        .filter(|(pair, _)| !same_cluster(*pair) && !options.decided.different.contains(pair))
        .map(|(pair, before)| {
            let judgement = evidence.judge(pair);
            Review { pair, score: judgement.score, reason: format!("{before}{}", evidence.line(pair)) }
        })
        .collect();
    review.sort_by(|a, b| b.score.cmp(&a.score).then(a.pair.cmp(&b.pair)));
    Ok(Resolution { clusters: clusters.partition, rows, review, junk: evidence.junk().to_vec() })
}

impl Resolution {
    /// The clean records, in input order, without those of the base: each survivor with its gaps filled from the records
    /// that it stands for, the most alike first.
    pub fn clean(&self, corpus: &Corpus, base: usize) -> Vec<Paper> {
        let mut others: BTreeMap<PaperId, Vec<(std::cmp::Reverse<Option<Score>>, PaperId)>> = BTreeMap::new();
        for (place, row) in corpus.ids().zip(&self.rows) {
            if !row.kept {
                others.entry(row.survivor).or_default().push((std::cmp::Reverse(row.score), place));
            }
        }
        corpus
            .ids()
            .zip(&self.rows)
            .skip(base)
            .filter(|(_, row)| row.kept)
            .map(|(place, _)| match others.get_mut(&place) {
                Some(list) => {
                    list.sort_unstable();
                    let papers: Vec<&Paper> = list.iter().map(|(_, other)| corpus.paper(*other)).collect();
                    merge(corpus.paper(place), &papers)
                }
                None => corpus.paper(place).clone(),
            })
            .collect()
    }

    /// How many records stay, the base not counted.
    pub fn kept(&self, base: usize) -> u64 {
        self.rows.iter().skip(base).filter(|row| row.kept).count() as u64
    }

    /// How many records are duplicates.
    pub fn duplicates(&self) -> u64 {
        self.rows.iter().filter(|row| !row.kept).count() as u64
    }
}

/// Whether two papers are the same in all fields but their id, source and place.
fn identical(a: &Paper, b: &Paper) -> bool {
    a.title == b.title
        && a.authors == b.authors
        && a.abstract_text == b.abstract_text
        && (&a.year, &a.venue, &a.volume, &a.number, &a.pages, &a.doi)
            == (&b.year, &b.venue, &b.volume, &b.number, &b.pages, &b.doi)
        && (&a.kind, &a.body, &a.published) == (&b.kind, &b.body, &b.published)
}

/// Whether this verdict makes two records one.
fn is_same(verdict: Verdict) -> bool {
    verdict == Verdict::Same
}
