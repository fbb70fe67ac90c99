//! The methods of a run as one judge: record matching, others beside it or in its place.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use rayon::prelude::*;

use super::cluster::{Decided, Judge, Judgement, Link};
use super::{Options, Versions, identical, is_same};
use crate::corpus::{Corpus, Pair, PaperId};
use crate::methods::records::{self, Decision, Edge, Junk, RecordMatcher, Records, Relation, Verdict, Veto};
use crate::methods::{Input, Matcher, Method, MethodError};
use crate::progress::Run;
use crate::similarity::Score;

/// How several methods are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Combine {
    /// One paper if any method says so.
    #[default]
    Union,
    /// One paper if all methods say so.
    Intersection,
}

/// Another method, prepared, with its least score.
pub struct OtherMethod<'c> {
    /// Its name.
    pub name: &'static str,
    /// The method on this corpus.
    pub matcher: Box<dyn Matcher + 'c>,
    /// The least score of a duplicate.
    pub lambda: Score,
}

/// Everything that is known about pairs in a run.
pub struct Evidence<'c> {
    corpus: &'c Corpus,
    records: RecordMatcher,
    /// The pairs of records that are not simply different, ascending.
    edges: Vec<Edge>,
    with_records: bool,
    others: Vec<OtherMethod<'c>>,
    combine: Combine,
    versions: Versions,
    base: usize,
}

/// What the methods found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub links: Vec<Link>,
    pub review: Vec<Pair>,
    pub related: Vec<(Pair, Relation)>,
}

impl<'c> Evidence<'c> {
    /// Prepares the methods.
    ///
    /// # Errors
    /// If a method cannot be prepared.
    pub fn new(corpus: &'c Corpus, options: &'c Options, run: &Run) -> Result<Evidence<'c>, MethodError> {
        let records = RecordMatcher::new(corpus, &Records { unique_within_source: options.unique_within_source });
        let mut others = Vec::new();
        for (spec, lambda) in &options.methods {
            let method: Box<dyn Method> = spec.method();
            let input = Input { embedding: options.embedding.as_deref(), ..Input::of(corpus) };
            let matcher = method.prepare(input, run.clone())?;
            others.push(OtherMethod { name: method.name(), matcher, lambda: *lambda });
        }
        let with_records = !options.without_records || others.is_empty();
        let edges = if with_records { records.edges() } else { Vec::new() };
        Ok(Evidence {
            corpus,
            records,
            edges,
            with_records,
            others,
            combine: options.combine,
            versions: options.versions,
            base: options.base,
        })
    }

    /// The columns that record matching ignored.
    pub fn junk(&self) -> &[Junk] {
        self.records.junk()
    }

    /// An order of the papers by their contents.
    pub fn order(&self) -> &[u32] {
        self.records.order()
    }

    /// For each paper the one that stands for it: its twin in record matching, itself for other methods.
    pub(super) fn standing(&self) -> Vec<u32> {
        if self.with_records && (self.others.is_empty() || self.combine == Combine::Union) {
            self.corpus
                .ids()
                .map(|id| self.records.standing(id))
                .enumerate()
                .map(
                    |(place, twin)| {
                        if self.in_base(place) && self.in_base(twin.index()) { place as u32 } else { twin.0 }
                    },
                )
                .collect()
        } else {
            (0..self.corpus.len() as u32).collect()
        }
    }

    fn in_base(&self, place: usize) -> bool {
        place < self.base
    }

    /// What record matching found about the two records that stand for these, if it is more than that they differ.
    fn edge(&self, pair: Pair) -> Option<&Edge> {
        let standing = Pair::new(self.records.standing(pair.first()), self.records.standing(pair.second()))?;
        let place = self.edges.binary_search_by(|edge| edge.pair.cmp(&standing)).ok()?;
        Some(&self.edges[place])
    }

    fn decide(&self, pair: Pair) -> Decision {
        let mut decision = self.edge(pair).map_or_else(|| self.records.decide(pair), |edge| edge.decision);
        if self.versions == Versions::Merge
            && decision.relation == Some(Relation::Version)
            && !self.records.of_one_source(pair)
        {
            decision.verdict = Verdict::Same;
            decision.veto = None;
        }
        decision
    }

    /// The pairs that the methods speak for, those to review, and those that are related.
    pub(super) fn links(&self) -> Result<Found, MethodError> {
        let mut found = Found::default();
        let mut pairs: BTreeSet<Pair> = BTreeSet::new();
        if self.with_records {
            for edge in &self.edges {
                let pair = edge.pair;
                if self.in_base(pair.first().index()) && self.in_base(pair.second().index()) {
                    continue;
                }
                let decision = self.decide(pair);
                if let Some(relation) = decision.relation.filter(|_| !is_same(decision.verdict)) {
                    found.related.push((pair, relation));
                } else if decision.verdict == Verdict::Review {
                    found.review.push(pair);
                }
                if is_same(decision.verdict) {
                    if self.others.is_empty() {
                        found.links.push(Link { pair, strength: decision.points });
                    } else {
                        pairs.insert(pair);
                    }
                }
            }
        }
        for other in &self.others {
            other.matcher.scan(other.lambda, &mut |pair: Pair, _: Score| {
                if !(self.in_base(pair.first().index()) && self.in_base(pair.second().index())) {
                    pairs.insert(pair);
                }
                ControlFlow::Continue(())
            })?;
        }
        let pairs: Vec<Pair> = pairs.into_iter().collect();
        let judged: Vec<(Pair, Judgement)> = pairs.into_par_iter().map(|pair| (pair, self.judge(pair))).collect();
        for (pair, judgement) in judged {
            if is_same(judgement.verdict) {
                found.links.push(Link { pair, strength: judgement.score.value() });
            } else if judgement.verdict == Verdict::Review {
                found.review.push(pair);
            }
        }
        found.review.sort_unstable();
        found.review.dedup();
        Ok(found)
    }

    /// The evidence of a pair in one line.
    pub fn line(&self, pair: Pair) -> String {
        let mut parts = Vec::new();
        if self.with_records {
            let comparison = self.edge(pair).map_or_else(|| self.records.compare(pair), |edge| edge.comparison);
            parts.push(records::evidence_line(&comparison, &self.decide(pair)));
        }
        parts.extend(self.others.iter().map(|other| format!("{} {}", other.name, other.matcher.score(pair))));
        parts.join("; ")
    }

    /// Why a record is a duplicate of the one that stays, and how alike they are.
    pub(super) fn reason(&self, removed: u32, kept: u32, decided: &Decided) -> (Option<Score>, String) {
        let Some(pair) = Pair::new(PaperId(removed), PaperId(kept)) else { return (None, String::new()) };
        let judgement = self.judge(pair);
        let (a, b) = (self.corpus.paper(pair.first()), self.corpus.paper(pair.second()));
        let reason = if decided.same.contains(&pair) {
            "decided: same".to_owned()
        } else if identical(a, b) {
            "exact".to_owned()
        } else if self.with_records && self.records.record(pair.first()) == self.records.record(pair.second()) {
            "exact after normalisation".to_owned()
        } else if is_same(judgement.verdict) {
            self.line(pair)
        } else {
            format!("through other records of the cluster; {}", self.line(pair))
        };
        (Some(judgement.score), reason)
    }
}

impl Judge for Evidence<'_> {
    fn judge(&self, pair: Pair) -> Judgement {
        let by_records = self.with_records.then(|| self.decide(pair));
        let contradicts = by_records.is_some_and(|d| {
            d.verdict != Verdict::Same
                && matches!(
                    d.veto,
                    Some(
                        Veto::Doi
                            | Veto::Identifier
                            | Veto::Notice
                            | Veto::OneSource
                            | Veto::Chapters
                            | Veto::TitleOfDoi
                    )
                )
        });
        let titleless = |id: PaperId| self.records.record(id).title.words.is_empty();
        let thin = self.with_records && (titleless(pair.first()) || titleless(pair.second()));
        if self.others.is_empty() {
            let decision = by_records.unwrap_or_else(|| self.decide(pair));
            return Judgement { verdict: decision.verdict, score: decision.score, contradicts, thin };
        }
        let mut verdicts: Vec<(Verdict, Score)> = by_records.iter().map(|d| (d.verdict, d.score)).collect();
        for other in &self.others {
            let score = other.matcher.score(pair);
            verdicts.push((if score >= other.lambda { Verdict::Same } else { Verdict::Different }, score));
        }
        let combined = match self.combine {
            Combine::Union if contradicts => verdicts.iter().map(|v| (v.0.min(Verdict::Review), v.1)).max(),
            Combine::Union => verdicts.iter().copied().max(),
            Combine::Intersection => verdicts.iter().copied().min(),
        };
        let (verdict, score) = combined.unwrap_or((Verdict::Different, Score::ZERO));
        Judgement { verdict, score, contradicts, thin }
    }
}
