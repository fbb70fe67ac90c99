//! Bloom filters: papers are compared by the bits that their shingles set.

use serde::{Deserialize, Serialize};

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::sets::{check_share, parameter, shingle_sets, warn_boilerplate_of_some};
use super::{Guarantee, Input, Matcher, Measure, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::sketch::Threshold;
use crate::sketch::bloom::BloomFilters;
use crate::text::ShingleParams;

/// The Jaccard similarity of two papers' Bloom filters: bits set in both over bits set in either. It estimates that of
/// their shingles from above. Scans are complete; every pair of filters whose sizes allow λ is compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Bloom {
    /// How texts are cut.
    pub shingle: ShingleParams,
    /// Bits of a filter, 64 to 1,048,576, rounded up to whole words of 64.
    pub bits: u32,
    /// Bits that a shingle sets, 1 to 64.
    pub hashes: u32,
    /// Shingles in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Default for Bloom {
    /// 256 bytes a paper: an abstract of 150 shingles fills 14 % of them.
    fn default() -> Bloom {
        Bloom { shingle: ShingleParams::default(), bits: 2048, hashes: 2, max_share: None }
    }
}

impl Method for Bloom {
    fn name(&self) -> &'static str {
        "bloom"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let method = self.name();
        for (name, found, from, to) in [("bits", self.bits, 64, 1 << 20), ("hashes", self.hashes, 1, 64)] {
            if !(from..=to).contains(&found) {
                return Err(MethodError::Parameter {
                    method,
                    reason: format!("{name} is {found}; wanted {from} to {to}"),
                });
            }
        }
        check_share(method, self.max_share)?;
        let shingling = self.shingle.check().map_err(parameter(method))?;
        let sets = shingle_sets(input, &shingling, self.max_share);
        let empty = sets.empty();
        warn_unmatchable(&run, method, &empty, "enough shingles");
        warn_boilerplate_of_some(&run, method, &sets);
        Ok(Box::new(Filters { filters: BloomFilters::new(&sets, self.bits as usize, self.hashes, run.seed), empty }))
    }
}

struct Filters {
    filters: BloomFilters,
    empty: Vec<PaperId>,
}

impl Filters {
    fn ratio(&self, x: u32, y: u32, common: u32) -> Score {
        Measure::Jaccard.score(common.into(), self.filters.ones(x).into(), self.filters.ones(y).into())
    }
}

impl Matcher for Filters {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        let (x, y) = (pair.first().0, pair.second().0);
        self.ratio(x, y, self.filters.common(x, y))
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let papers = self.filters.len();
        let Some(threshold) = Threshold::at(lambda) else {
            return Ok(stream_all(papers, &self.empty, lambda, sink, |pair| self.score(pair)));
        };
        Ok(stream(papers, sink, Vec::new, |paper: PaperId, common: &mut Vec<u32>, row: &mut Row| {
            let own = self.filters.ones(paper.0);
            if own == 0 {
                return;
            }
            self.filters.common_with_later(paper.0, common);
            row.verified = common.len() as u64;
            for (other, &common) in (paper.0 + 1..).zip(common.iter()) {
                let all = u64::from(own + self.filters.ones(other) - common);
                if threshold.reached(common.into(), all) {
                    row.found.push((PaperId(other), self.ratio(paper.0, other, common)));
                }
            }
        }))
    }
}
