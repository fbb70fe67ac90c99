//! Pattern matching: passages of one paper are searched word for word in the text of the other.
//!
//! All passages of all papers are laid into automata (Aho and Corasick 1975) that read every text once. An automaton holds a
//! few megabytes of passages; there are as many as it takes, so memory is bounded and time is (texts) x (automata).

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::sets::{check_share, warn_boilerplate};
use super::{Guarantee, Input, Matcher, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::sketch::Threshold;
use crate::sketch::joins::merge;
use crate::sketch::sets::RankedSets;
use crate::text::{ShingleSets, plain_words};

/// The share of passages found in the other paper: passages of the first that occur in the second and passages of the second
/// that occur in the first, over all passages of both. A passage is a run of words, the next one begins where it ends; a last
/// one that would be shorter is joined to the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Pattern {
    /// Words of a passage; at least 1.
    pub words: u32,
    /// Passages that occur in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern { words: 8, max_share: None }
    }
}

/// Bytes of passages in one automaton.
const AUTOMATON: usize = 1 << 21;

impl Method for Pattern {
    fn name(&self) -> &'static str {
        "pattern"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let method = self.name();
        if self.words == 0 {
            return Err(MethodError::Parameter { method, reason: "words is 0; wanted at least 1".into() });
        }
        check_share(method, self.max_share)?;
        // A blank at both ends: a passage is found as whole words only.
        let texts: Vec<String> = input
            .corpus
            .papers()
            .par_iter()
            .map(|paper| format!(" {} ", plain_words(&paper.text(input.fields))))
            .collect();
        let mut passages: Vec<(&str, u32)> = Vec::new();
        for (text, paper) in texts.iter().zip(0..) {
            passages.extend(cut(text, self.words as usize).into_iter().map(|passage| (passage, paper)));
        }
        passages.par_sort_unstable();
        passages.dedup();
        let mut found = Passages::new(texts.len());
        let mut batch: Vec<&str> = Vec::new();
        let mut first = 0;
        let mut number = 0;
        let mut bytes = 0;
        for same in passages.chunk_by(|x, y| x.0 == y.0) {
            for &(_, paper) in same {
                found.own[paper as usize].push(number);
            }
            batch.push(same[0].0);
            bytes += same[0].0.len();
            number += 1;
            if bytes >= AUTOMATON {
                found.search(&batch, first, &texts, method)?;
                (first, bytes) = (number, 0);
                batch.clear();
            }
        }
        found.search(&batch, first, &texts, method)?;
        if let Some(share) = self.max_share {
            found.leave_out(number as usize, share.value());
        }
        let own = |paper: usize| found.own[paper].iter().map(|n| xxh3_64(&n.to_le_bytes())).collect();
        warn_boilerplate(&run, method, "passages", &RankedSets::new(&ShingleSets::make(texts.len(), own)));
        found.post(number as usize);
        let empty: Vec<PaperId> = input.corpus.ids().filter(|p| found.own[p.index()].is_empty()).collect();
        warn_unmatchable(&run, method, &empty, "a text");
        found.empty = empty;
        Ok(Box::new(found))
    }
}

/// The passages of a text that begins and ends with a blank, each with a blank at both ends.
fn cut(text: &str, words: usize) -> Vec<&str> {
    let blanks: Vec<usize> = text.bytes().enumerate().filter(|(_, b)| *b == b' ').map(|(at, _)| at).collect();
    let count = blanks.len() - 1;
    if text.len() <= 2 {
        return Vec::new();
    }
    let passages = (count / words).max(1);
    (0..passages)
        .map(|p| {
            let end = if p + 1 == passages { count } else { (p + 1) * words };
            &text[blanks[p * words]..=blanks[end]]
        })
        .collect()
}

/// Which passages each paper has and which occur in it, and the reverse.
struct Passages {
    /// Passages cut from each paper, ascending.
    own: Vec<Vec<u32>>,
    /// Passages that occur in each paper, ascending; its own are among them.
    inside: Vec<Vec<u32>>,
    /// Papers that each passage was cut from, ascending.
    cut_from: Vec<Vec<u32>>,
    /// Papers that each passage occurs in, ascending.
    occurs_in: Vec<Vec<u32>>,
    empty: Vec<PaperId>,
}

impl Passages {
    fn new(papers: usize) -> Passages {
        Passages {
            own: vec![Vec::new(); papers],
            inside: vec![Vec::new(); papers],
            cut_from: Vec::new(),
            occurs_in: Vec::new(),
            empty: Vec::new(),
        }
    }

    /// Reads all texts for some passages, which are numbered from `first`.
    fn search(
        &mut self,
        batch: &[&str],
        first: u32,
        texts: &[String],
        method: &'static str,
    ) -> Result<(), MethodError> {
        if batch.is_empty() {
            return Ok(());
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .match_kind(MatchKind::Standard)
            .build(batch)
            .map_err(|error| MethodError::Below { method, source: Box::new(error) })?;
        self.inside.par_iter_mut().zip(texts).for_each(|(inside, text)| {
            let start = inside.len();
            inside.extend(automaton.find_overlapping_iter(text).map(|m| first + m.pattern().as_u32()));
            inside[start..].sort_unstable();
            inside.dedup();
        });
        Ok(())
    }

    /// Forgets the passages that occur in more than this share of the papers that have any.
    fn leave_out(&mut self, passages: usize, share: f64) {
        let mut papers = vec![0usize; passages];
        self.inside.iter().flatten().for_each(|&passage| papers[passage as usize] += 1);
        let filled = self.own.iter().filter(|own| !own.is_empty()).count();
        let most = (share * filled as f64).floor() as usize;
        for passages in self.own.iter_mut().chain(&mut self.inside) {
            passages.retain(|&passage| papers[passage as usize] <= most);
        }
    }

    fn post(&mut self, passages: usize) {
        let reverse = |of: &[Vec<u32>]| {
            let mut lists = vec![Vec::new(); passages];
            for (one, paper) in of.iter().zip(0..) {
                for &passage in one {
                    lists[passage as usize].push(paper);
                }
            }
            lists
        };
        self.cut_from = reverse(&self.own);
        self.occurs_in = reverse(&self.inside);
    }

    fn ratio(&self, x: u32, y: u32, found: u32) -> Option<(u64, u64)> {
        let all = (self.own[x as usize].len() + self.own[y as usize].len()) as u64;
        (!self.own[x as usize].is_empty() && !self.own[y as usize].is_empty()).then_some((found.into(), all))
    }
}

impl Matcher for Passages {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        let (x, y) = (pair.first().index(), pair.second().index());
        let found =
            merge(&self.own[x], &self.inside[y], 0).unwrap_or(0) + merge(&self.own[y], &self.inside[x], 0).unwrap_or(0);
        let ratio = self.ratio(x as u32, y as u32, found);
        ratio.and_then(|(found, all)| Score::ratio(found, all)).unwrap_or(Score::ZERO)
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let papers = self.own.len();
        let Some(threshold) = Threshold::at(lambda) else {
            return Ok(stream_all(papers, &self.empty, lambda, sink, |pair| self.score(pair)));
        };
        let space = || (vec![0u32; papers], Vec::new());
        Ok(stream(papers, sink, space, |paper: PaperId, (counts, met): &mut (Vec<u32>, Vec<u32>), row: &mut Row| {
            met.clear();
            let lists = [(&self.own, &self.occurs_in), (&self.inside, &self.cut_from)];
            for (passages, papers) in lists {
                for &passage in &passages[paper.index()] {
                    let list = &papers[passage as usize];
                    for &other in &list[list.partition_point(|&p| p <= paper.0)..] {
                        if counts[other as usize] == 0 {
                            met.push(other);
                        }
                        counts[other as usize] += 1;
                    }
                }
            }
            met.sort_unstable();
            row.verified = met.len() as u64;
            for &other in met.iter() {
                let found = std::mem::take(&mut counts[other as usize]);
                if let Some((found, all)) = self.ratio(paper.0, other, found).filter(|&(f, a)| threshold.reached(f, a))
                {
                    let score = Score::ratio(found, all).expect("both have passages");
                    row.found.push((PaperId(other), score));
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Paper};

    #[test]
    fn passages_are_whole_words_and_the_last_takes_the_rest() {
        assert_eq!(cut(" a b c d e ", 2), [" a b ", " c d e "]);
        assert_eq!(cut(" a ", 2), [" a "]);
        assert!(cut("  ", 2).is_empty());
    }

    #[test]
    fn scores_are_those_of_a_plain_search() {
        let texts = [
            "the fog horn sounds at night over the harbour",
            "at night over the harbour the fog horn sounds",
            "the fog horn sounds",
            "the fog horn soundsat night",
        ];
        let paper = |t: &&str| Paper { title: (*t).into(), ..Paper::default() };
        let corpus = Corpus::new(texts.iter().map(paper).collect());
        let matcher = Pattern { words: 2, max_share: None }.prepare(Input::of(&corpus), Run::default()).unwrap();
        for x in 0..4u32 {
            for y in x + 1..4 {
                let (one, other) = (format!(" {} ", texts[x as usize]), format!(" {} ", texts[y as usize]));
                let count = |of: &str, within: &str| cut(of, 2).iter().filter(|p| within.contains(**p)).count() as u64;
                let all = (cut(&one, 2).len() + cut(&other, 2).len()) as u64;
                let truth = Score::ratio(count(&one, &other) + count(&other, &one), all).unwrap();
                let pair = Pair::new(PaperId(x), PaperId(y)).unwrap();
                assert_eq!(matcher.score(pair), truth, "{x} {y}");
            }
        }
    }
}
