//! SimHash: 64 bits a paper, compared by how many are equal.

use serde::{Deserialize, Serialize};

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::sets::{check_share, parameter, shingle_sets, warn_boilerplate_of_some};
use super::{Guarantee, Input, Matcher, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::sketch::simhash::{BITS, HammingIndex, simhashes};
use crate::text::ShingleParams;

/// The share of equal bits of two SimHashes (Charikar 2002): `(64 - Hamming distance) / 64`. Unrelated texts have about half
/// of their bits in common, so λ = .9 (six bits differ) is low here. Scans are complete.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SimHash {
    /// How texts are cut.
    pub shingle: ShingleParams,
    /// Shingles in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Method for SimHash {
    fn name(&self) -> &'static str {
        "simhash"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        check_share(self.name(), self.max_share)?;
        let shingling = self.shingle.check().map_err(parameter(self.name()))?;
        let sets = shingle_sets(input, &shingling, self.max_share);
        let empty = sets.empty();
        warn_unmatchable(&run, self.name(), &empty, "enough shingles");
        warn_boilerplate_of_some(&run, self.name(), &sets);
        Ok(Box::new(Hashes { hashes: simhashes(&sets), empty }))
    }
}

struct Hashes {
    hashes: Vec<Option<u64>>,
    empty: Vec<PaperId>,
}

fn score(distance: u32) -> Score {
    Score::ratio((BITS - distance).into(), BITS.into()).expect("a hash has bits")
}

impl Matcher for Hashes {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Complete
    }

    fn score(&self, pair: Pair) -> Score {
        match (self.hashes[pair.first().index()], self.hashes[pair.second().index()]) {
            (Some(x), Some(y)) => score((x ^ y).count_ones()),
            _ => Score::ZERO,
        }
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let Some(distance) = (0..=BITS).rev().find(|&d| score(d) >= lambda).filter(|_| lambda > Score::ZERO) else {
            return Ok(stream_all(self.hashes.len(), &self.empty, lambda, sink, |pair| self.score(pair)));
        };
        let index = HammingIndex::new(&self.hashes, distance);
        Ok(stream(self.hashes.len(), sink, Vec::new, |paper: PaperId, found, row: &mut Row| {
            row.verified = index.later(paper.0, found);
            row.found.extend(found.iter().map(|&(other, distance)| (PaperId(other), score(distance))));
        }))
    }
}
