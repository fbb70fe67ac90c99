//! Whole-file detection: two papers are duplicates if their normalised texts are the same, byte for byte.
//!
//! The oldest rival: precise, and lost after the first changed letter.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::{Guarantee, Input, Matcher, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::text::plain_words;

/// Compares hashes of whole texts. The score is 1 for equal texts and 0 for others; a text without a letter or digit
/// matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct WholeFile {
    /// Whether texts are compared as their words in the comparison form (case, blanks, punctuation, ligatures and kinds of
    /// dash do not count) or as they are.
    pub normalise: bool,
}

impl Default for WholeFile {
    fn default() -> WholeFile {
        WholeFile { normalise: true }
    }
}

impl Method for WholeFile {
    fn name(&self) -> &'static str {
        "whole-file"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        use rayon::prelude::*;
        let digests: Vec<Option<[u8; 32]>> = input
            .corpus
            .papers()
            .par_iter()
            .map(|paper| {
                let text = paper.text(input.fields);
                let plain = plain_words(&text);
                let compared = if self.normalise { &plain } else { &*text };
                (!plain.is_empty()).then(|| Sha256::digest(compared.as_bytes()).into())
            })
            .collect();
        let mut order: Vec<u32> = (0..digests.len() as u32).filter(|&p| digests[p as usize].is_some()).collect();
        order.sort_by_key(|&p| (digests[p as usize], p));
        let mut next = vec![None; digests.len()];
        for two in order.windows(2).filter(|w| digests[w[0] as usize] == digests[w[1] as usize]) {
            next[two[0] as usize] = Some(two[1]);
        }
        let empty: Vec<PaperId> = input.corpus.ids().filter(|p| digests[p.index()].is_none()).collect();
        warn_unmatchable(&run, self.name(), &empty, "a text");
        Ok(Box::new(Digests { digests, next, empty }))
    }
}

struct Digests {
    digests: Vec<Option<[u8; 32]>>,
    /// The next paper with the same text.
    next: Vec<Option<u32>>,
    empty: Vec<PaperId>,
}

impl Matcher for Digests {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        match (self.digests[pair.first().index()], self.digests[pair.second().index()]) {
            (Some(x), Some(y)) if x == y => Score::MAX,
            _ => Score::ZERO,
        }
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let papers = self.digests.len();
        if lambda <= Score::ZERO {
            return Ok(stream_all(papers, &self.empty, lambda, sink, |pair| self.score(pair)));
        }
        Ok(stream(
            papers,
            sink,
            || (),
            |paper: PaperId, _, row: &mut Row| {
                let mut at = paper.0;
                while let Some(other) = self.next[at as usize] {
                    row.found.push((PaperId(other), Score::MAX));
                    row.verified += 1;
                    at = other;
                }
            },
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Paper};
    use crate::methods::conformance::conforms;
    use crate::similarity::Collect;

    fn corpus(titles: &[&str]) -> Corpus {
        let paper = |title: &&str| Paper { id: (*title).into(), title: (*title).into(), ..Paper::default() };
        Corpus::new(titles.iter().map(paper).collect())
    }

    #[test]
    fn it_conforms() {
        let titles = ["Fog horns", "A lamp", "fog  HORNS!", "", "a lamp", "Fog-horns", "Fog horns at sea", "..."];
        conforms(&WholeFile::default(), &corpus(&titles), None, &["1", "0.5", "0", "-1"]);
        conforms(&WholeFile { normalise: false }, &corpus(&["a b", "a b", "c", "c", "c", "A b"]), None, &["1", "0.5"]);
    }

    #[test]
    fn spelling_counts_and_looks_do_not() {
        let pairs = |normalise, titles: &[&str]| {
            let corpus = corpus(titles);
            let matcher = WholeFile { normalise }.prepare(Input::of(&corpus), Run::default()).unwrap();
            let mut sink = Collect::default();
            matcher.scan(Score::MAX, &mut sink).unwrap();
            sink.pairs.len()
        };
        let titles = ["E\u{fb03}cient – lamps", "EFFICIENT - LAMPS", "Efficient lamp s", "", "", "?!", "?!"];
        assert_eq!(pairs(true, &titles), 1);
        assert_eq!(pairs(false, &titles), 0);
    }
}
