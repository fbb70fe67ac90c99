//! Record matching: the fields of bibliographic records, compared one by one as people do it.
//!
//! 1. [`normal`]: each field in one spelling (versioned, [`normal::VERSION`]). Columns of junk are emptied.
//! 2. Blocking: pairs that share a key are candidates (identifiers; titles; two rare words of the title; the place in the
//!    journal; authors and year; the least hashes of the abstract). A block that is too large is parted by further keys
//!    and walked with a window, so the work grows with the number of records, never with its square.
//! 3. [`compare`]: what each field says.
//! 4. [`decide`]: the evidence is summed as logarithms of odds (Fellegi and Sunter, 1969, with levels of agreement),
//!    vetoes override it: *same*, *review* or *different*.
//!
//! The score of a pair is the probability that the sum stands for, below one half under a veto.

mod block;
pub mod compare;
pub mod decide;
mod explain;
mod fold;
mod identifiers;
mod junk;
mod names;
pub mod normal;
mod pages;
mod words;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{Guarantee, Input, Matcher, Method, MethodError};
use crate::corpus::{Corpus, Pair, Paper, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};

pub use compare::{Agreement, Comparison, TitleLevel};
pub use decide::{Decision, Relation, Verdict, Veto};
pub use explain::{FieldEvidence, evidence_line, explain};
use fold::is_compactly_equal;
pub use junk::{Junk, JunkField};
use normal::Record;

/// Record matching, with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Records {
    /// No two records of one source (the `source` field, else the file) are one paper.
    pub unique_within_source: bool,
}

impl Method for Records {
    fn name(&self) -> &'static str {
        "records"
    }

    fn prepare<'c>(&self, input: Input<'c>, _run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        Ok(Box::new(RecordMatcher::new(input.corpus, self)))
    }
}

/// Records in their normal form, ready to be compared.
pub struct RecordMatcher {
    records: Vec<Record>,
    /// Whether many different papers of the corpus have the record's title.
    headings: Vec<bool>,
    /// The source of each record as a number, where sources are unique.
    sources: Option<Vec<u32>>,
    /// The records in an order that depends on their contents alone.
    order: Vec<u32>,
    /// The record that stands for each record: the first, in the order of contents, that has the same normal form.
    standing: Vec<u32>,
    junk: Vec<Junk>,
    blank: Vec<PaperId>,
    candidates: Vec<Pair>,
    /// Pairs of venue names that the corpus itself uses for one venue, as hashes, the smaller first.
    aliases: FxHashSet<(u64, u64)>,
}

/// A pair of records that stand for their kind, and what was decided about them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The records.
    pub pair: Pair,
    /// What each field says.
    pub comparison: Comparison,
    /// The decision.
    pub decision: Decision,
}

impl RecordMatcher {
    /// Brings all records into their normal form.
    pub fn new(corpus: &Corpus, params: &Records) -> RecordMatcher {
        let papers = corpus.papers();
        let mut records: Vec<Record> = papers.par_iter().map(normal::record).collect();
        let junk = junk::clear(papers, &mut records);
        let headings = headings(&records);
        set_serials(papers, &headings, &mut records);
        let order = order_of_contents(papers, &records);
        let mut standing: Vec<u32> = (0..records.len() as u32).collect();
        let mut first: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for &place in &order {
            let record = &records[place as usize];
            if record.is_blank() {
                continue;
            }
            let mut hasher = FxHasher::default();
            record.hash(&mut hasher);
            let like = first.entry(hasher.finish()).or_default();
            match like.iter().find(|&&other| records[other as usize] == *record) {
                Some(&other) => standing[place as usize] = other,
                None => like.push(place),
            }
        }
        let sources = params.unique_within_source.then(|| source_numbers(papers));
        if sources.is_some() {
            // Twins of one source are two papers then: every record stands for itself.
            standing = (0..records.len() as u32).collect();
        }
        let blank =
            records.iter().enumerate().filter(|(_, r)| r.is_blank()).map(|(place, _)| PaperId(place as u32)).collect();
        let standing_alone: Vec<u32> = (0..records.len() as u32).filter(|&r| standing[r as usize] == r).collect();
        let candidates: Vec<Pair> = block::candidates(&records, &standing_alone, &order)
            .into_iter()
            .filter_map(|(x, y)| Pair::new(PaperId(x), PaperId(y)))
            .collect();
        let aliases = venue_aliases(&records, &candidates);
        RecordMatcher { records, headings, sources, order, standing, junk, blank, candidates, aliases }
    }

    /// The normal form of a record.
    ///
    /// # Panics
    /// If there is no such record.
    pub fn record(&self, id: PaperId) -> &Record {
        &self.records[id.index()]
    }

    /// The fields that were ignored because they hold a running counter.
    pub fn junk(&self) -> &[Junk] {
        &self.junk
    }

    /// The record that stands for this one: the first with the same normal form, in an order of contents.
    pub fn standing(&self, id: PaperId) -> PaperId {
        PaperId(self.standing[id.index()])
    }

    /// The records in an order that depends on their contents alone, not on their order in the input.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// What each field says about a pair.
    pub fn compare(&self, pair: Pair) -> Comparison {
        let (a, b) = (self.record(pair.first()), self.record(pair.second()));
        self.with_aliases(compare::compare(a, b), a, b)
    }

    fn with_aliases(&self, mut comparison: Comparison, a: &Record, b: &Record) -> Comparison {
        if comparison.venue == Agreement::Different
            && !self.aliases.is_empty()
            && self.aliases.contains(&venue_key(a, b))
        {
            comparison.venue = Agreement::Compatible;
        }
        comparison
    }

    /// Whether many different papers of the corpus have the title that these two share.
    pub fn is_heading(&self, pair: Pair) -> bool {
        self.headings[pair.first().index()] || self.headings[pair.second().index()]
    }

    /// Whether both are of one source that holds no duplicates.
    pub fn of_one_source(&self, pair: Pair) -> bool {
        self.sources.as_ref().is_some_and(|s| s[pair.first().index()] == s[pair.second().index()])
    }

    /// Compares two records and decides.
    pub fn decide(&self, pair: Pair) -> Decision {
        self.decide_by(pair, || self.compare(pair))
    }

    /// Decides about two records with the comparison that `compare` makes of them, if one is needed.
    fn decide_by(&self, pair: Pair, compare: impl FnOnce() -> Comparison) -> Decision {
        let (first, second) = (self.record(pair.first()), self.record(pair.second()));
        let nothing = Decision {
            verdict: Verdict::Different,
            points: 0.0,
            score: Score::ZERO,
            veto: Some(Veto::NoTitle),
            relation: None,
        };
        if first.is_blank() || second.is_blank() {
            return nothing;
        }
        if self.of_one_source(pair) {
            return Decision { veto: Some(Veto::OneSource), ..nothing };
        }
        let twins = match self.sources {
            Some(_) => first == second,
            None => self.standing(pair.first()) == self.standing(pair.second()),
        };
        if twins {
            return Decision {
                verdict: Verdict::Same,
                points: f64::INFINITY,
                score: Score::MAX,
                veto: None,
                relation: None,
            };
        }
        decide::decide(&compare(), self.is_heading(pair))
    }

    /// The candidate pairs among the records that stand for their kind, ascending.
    pub fn candidates(&self) -> &[Pair] {
        &self.candidates
    }

    /// Decides about every candidate pair and keeps those that are not different, or that are related; ascending.
    pub fn edges(&self) -> Vec<Edge> {
        self.candidates
            .par_iter()
            .filter_map(|&pair| {
                let (a, b) = (self.record(pair.first()), self.record(pair.second()));
                if compare::have_nothing_in_common(a, b) {
                    return None;
                }
                let comparison = self.with_aliases(compare::compare_related(a, b), a, b);
                let decision = self.decide_by(pair, || comparison);
                let tells = decision.verdict != Verdict::Different || decision.relation.is_some();
                tells.then_some(Edge { pair, comparison, decision })
            })
            .collect()
    }
}

/// Headings without place, abstract or identifier ("Editor's notes" of one year) cannot be told apart by their fields. Where
/// a source lists several under different ids, it means several: they get different serials and are no twins.
fn set_serials(papers: &[Paper], headings: &[bool], records: &mut [Record]) {
    for ((paper, record), &heading) in papers.iter().zip(records).zip(headings) {
        let placeless = record.volume.is_empty() && record.number.is_empty() && record.pages.is_none();
        let nameless = record.doi.is_none() && record.pmid.is_none() && record.sketch.is_empty();
        if !paper.source.is_empty() && placeless && nameless && (heading || compare::is_heading(&record.title)) {
            record.serial = xxh3_64(format!("{}\0{}", paper.source, paper.id).as_bytes());
        }
    }
}

fn venue_key(a: &Record, b: &Record) -> (u64, u64) {
    let (x, y) = (xxh3_64(a.venue.words.as_bytes()), xxh3_64(b.venue.words.as_bytes()));
    (x.min(y), x.max(y))
}

/// Venue names that stand for one venue in this corpus: pairs of the same long title, the same several authors and the same
/// year use the two names at least four times, and at least a third of such pairs with a venue of either name do. That is
/// how `Conference of X` and the official name of its proceedings are learnt without a list.
fn venue_aliases(records: &[Record], candidates: &[Pair]) -> FxHashSet<(u64, u64)> {
    let sure: Vec<(u64, u64)> = candidates
        .par_iter()
        .filter_map(|pair| {
            let (a, b) = (&records[pair.first().index()], &records[pair.second().index()]);
            if a.venue.words.is_empty() || b.venue.words.is_empty() || a.year.is_none() || a.year != b.year {
                return None;
            }
            // Titles that are the same have the same letters, or a translation, and hardly other lengths.
            let (x, y) = (&a.title, &b.title);
            let translated = !(x.translation.is_empty() && y.translation.is_empty());
            if x.words.len().abs_diff(y.words.len()) > 8
                || !translated && !is_compactly_equal(&x.words, &y.words)
                || compare::have_nothing_in_common(a, b)
            {
                return None;
            }
            let comparison = compare::compare(a, b);
            let sure = comparison.title.level == TitleLevel::Same
                && comparison.title.words >= 4
                && comparison.names.agreement == Agreement::Same
                && comparison.names.common >= 2
                && comparison.names.counts.0 == comparison.names.counts.1
                && a.kind != normal::Kind::Preprint
                && b.kind != normal::Kind::Preprint;
            sure.then(|| venue_key(a, b))
        })
        .collect();
    let mut together: FxHashMap<(u64, u64), u32> = FxHashMap::default();
    let mut each: FxHashMap<u64, u32> = FxHashMap::default();
    for key in sure {
        *together.entry(key).or_insert(0) += 1;
        *each.entry(key.0).or_insert(0) += 1;
        if key.0 != key.1 {
            *each.entry(key.1).or_insert(0) += 1;
        }
    }
    together
        .into_iter()
        .filter(|((x, y), count)| x != y && *count >= 4 && count * 3 >= each[x] && count * 3 >= each[y])
        .map(|(key, _)| key)
        .collect()
}

/// Sources as numbers: the source that a record names, else its file.
fn source_numbers(papers: &[Paper]) -> Vec<u32> {
    let name = |paper: &'_ Paper| -> (bool, String) {
        if paper.source.is_empty() { (false, paper.place.file.to_string()) } else { (true, paper.source.clone()) }
    };
    let names: BTreeSet<(bool, String)> = papers.iter().map(name).collect();
    let numbers: FxHashMap<(bool, String), u32> = names.into_iter().zip(0..).collect();
    papers.iter().map(|paper| numbers[&name(paper)]).collect()
}

/// The places of the papers by their contents: title, authors, year, then everything else; id, source and place decide
/// only between papers that are equal otherwise.
fn order_of_contents(papers: &[Paper], records: &[Record]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..papers.len() as u32).collect();
    let key = |place: u32| {
        let record = &records[place as usize];
        (&record.title.words, compare::first_surname(record), record.year, &record.doi, &record.volume, &record.number)
    };
    order.par_sort_by(|&x, &y| {
        let (a, b) = (&papers[x as usize], &papers[y as usize]);
        let authors = || {
            if a.authors == b.authors { Ordering::Equal } else { a.authors.join(";").cmp(&b.authors.join(";")) }
        };
        key(x)
            .cmp(&key(y))
            .then_with(|| a.title.cmp(&b.title))
            .then_with(authors)
            .then_with(|| (&a.year, &a.venue, &a.pages, &a.doi).cmp(&(&b.year, &b.venue, &b.pages, &b.doi)))
            .then_with(|| (&a.abstract_text, &a.source, &a.id).cmp(&(&b.abstract_text, &b.source, &b.id)))
            .then_with(|| (&a.kind, &a.url).cmp(&(&b.kind, &b.url)))
            .then(x.cmp(&y))
    });
    order
}

/// Titles that many different papers have: at least four (three where the title has no more than three words that say
/// something), and most of the records with the title differ in their authors or year; a long title is a heading only
/// where the authors differ. Sources list authors in different orders, so the authors are known by the first of their
/// surnames in the alphabet.
fn headings(records: &[Record]) -> Vec<bool> {
    let mut groups: FxHashMap<&str, BTreeSet<(&str, u16)>> = FxHashMap::default();
    let mut sizes: FxHashMap<&str, usize> = FxHashMap::default();
    for record in records.iter().filter(|r| !r.title.words.is_empty()) {
        let surname = record.names.list.iter().map(|name| &*name.surname).min().unwrap_or("");
        let year = if record.title.saying >= 5 { 0 } else { record.year.unwrap_or(0) };
        groups.entry(&record.title.words).or_default().insert((surname, year));
        *sizes.entry(&record.title.words).or_insert(0) += 1;
    }
    records
        .iter()
        .map(|record| {
            let least = if record.title.saying <= 3 { 3 } else { 4 };
            groups
                .get(&*record.title.words)
                .is_some_and(|kinds| kinds.len() >= least && kinds.len() * 2 >= sizes[&*record.title.words])
        })
        .collect()
}

impl Matcher for RecordMatcher {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Probable
    }

    fn score(&self, pair: Pair) -> Score {
        self.decide(pair).score
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.blank
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let candidates = &self.candidates;
        let mut scan =
            Scan { pairs: Pair::count(self.records.len()), verified: candidates.len() as u64, ..Scan::default() };
        let mut twins: Vec<Vec<u32>> = vec![Vec::new(); self.records.len()];
        for (place, &first) in self.standing.iter().enumerate() {
            twins[first as usize].push(place as u32);
        }
        let scored: Vec<(Pair, Score)> =
            candidates.par_iter().map(|&pair| (pair, self.score(pair))).filter(|(_, score)| *score >= lambda).collect();
        let mut found: Vec<(Pair, Score)> = Vec::new();
        for (pair, score) in scored {
            for &x in &twins[pair.first().index()] {
                found.extend(
                    twins[pair.second().index()]
                        .iter()
                        .filter_map(|&y| Some((Pair::new(PaperId(x), PaperId(y))?, score))),
                );
            }
        }
        for group in &twins {
            for (at, &x) in group.iter().enumerate() {
                found.extend(
                    group[at + 1..].iter().filter_map(|&y| Some((Pair::new(PaperId(x), PaperId(y))?, Score::MAX))),
                );
            }
        }
        found.sort_unstable();
        for (pair, score) in found {
            scan.found += 1;
            if sink.pair(pair, score).is_break() {
                scan.stopped = true;
                break;
            }
        }
        Ok(scan)
    }
}
