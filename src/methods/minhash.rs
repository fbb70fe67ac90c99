//! MinHash-LSH: signatures propose pairs, exact sets decide.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::sets::{check_share, parameter, shingle_sets, warn_boilerplate_of_some};
use super::{Guarantee, Input, Matcher, Measure, Method, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::sketch::Threshold;
use crate::sketch::bands::{BandIndex, Bands};
use crate::sketch::joins::{Join, JoinIndex, merge};
use crate::sketch::minhash::{Family, MinHash, Signatures};
use crate::sketch::sets::RankedSets;
use crate::text::{ShingleParams, ShingleSets};

/// Locality-sensitive hashing of shingle sets (Broder 1997; Indyk and Motwani 1998). Every pair that it gives has been
/// verified: its score is the exact Jaccard similarity. Some pairs are missed; [`Matcher::expected_miss_rate`] says how many.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MinHashLsh {
    /// How texts are cut.
    pub shingle: ShingleParams,
    /// Components of a signature, 1 to 65,536.
    pub components: u32,
    /// How they are made.
    pub family: Family,
    /// Bands; with `rows`, instead of those that follow from λ and `recall`.
    pub bands: Option<u32>,
    /// Components in a band.
    pub rows: Option<u32>,
    /// The probability with which a pair at λ shall be found; bands are as wide as it allows.
    pub recall: Score,
    /// Shingles in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Default for MinHashLsh {
    fn default() -> MinHashLsh {
        MinHashLsh {
            shingle: ShingleParams::default(),
            components: 128,
            family: Family::Rounds,
            bands: None,
            rows: None,
            recall: Score::from_millionths(990_000).expect("it is within 0 and 1"),
            max_share: None,
        }
    }
}

impl MinHashLsh {
    fn fixed_bands(&self) -> Result<Option<Bands>, MethodError> {
        let method = self.name();
        let error = |reason: String| Err(MethodError::Parameter { method, reason });
        if !(1..=1 << 16).contains(&self.components) {
            return error(format!("components is {}; wanted 1 to 65536", self.components));
        }
        if self.recall <= Score::ZERO {
            return error(format!("recall is {}; wanted more than 0, at most 1", self.recall));
        }
        let (bands, rows) = match (self.bands, self.rows) {
            (None, None) => return Ok(None),
            (Some(0), _) | (_, Some(0)) => return error("bands and rows count from 1".into()),
            (Some(bands), None) => (bands, self.components / bands),
            (None, Some(rows)) => (self.components / rows, rows),
            (Some(bands), Some(rows)) => (bands, rows),
        };
        if bands == 0 || rows == 0 || u64::from(bands) * u64::from(rows) > u64::from(self.components) {
            return error(format!(
                "{bands} bands of {rows} rows do not fit into {} components; wanted bands x rows <= components",
                self.components
            ));
        }
        Ok(Some(Bands { bands: bands as usize, rows: rows as usize }))
    }
}

impl Method for MinHashLsh {
    fn name(&self) -> &'static str {
        "minhash"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let fixed = self.fixed_bands()?;
        check_share(self.name(), self.max_share)?;
        let shingling = self.shingle.check().map_err(parameter(self.name()))?;
        let sets = shingle_sets(input, &shingling, self.max_share);
        let empty = sets.empty();
        warn_unmatchable(&run, self.name(), &empty, "enough shingles");
        warn_boilerplate_of_some(&run, self.name(), &sets);
        let signatures = MinHash::new(self.family, self.components as usize, run.seed).signatures(&sets);
        Ok(Box::new(Lsh {
            fixed,
            recall: self.recall.value(),
            components: self.components as usize,
            sets,
            ranked: OnceLock::new(),
            signatures,
            empty,
            run,
        }))
    }
}

struct Lsh {
    fixed: Option<Bands>,
    recall: f64,
    components: usize,
    sets: ShingleSets,
    /// For scans whose buckets are too full.
    ranked: OnceLock<RankedSets>,
    signatures: Signatures,
    empty: Vec<PaperId>,
    run: Run,
}

impl Lsh {
    fn bands(&self, lambda: Score) -> Bands {
        self.fixed.unwrap_or_else(|| Bands::choose(self.components, lambda.value(), self.recall))
    }

    fn sizes(&self, x: u32, y: u32) -> (usize, usize) {
        (self.sets.of(PaperId(x)).len(), self.sets.of(PaperId(y)).len())
    }

    /// Buckets so full that comparing within them would be nearly all pairs: the exact join is quicker and misses none.
    fn scan_exactly(&self, threshold: Threshold, sink: &mut dyn PairSink) -> Scan {
        let ranked = self.ranked.get_or_init(|| RankedSets::new(&self.sets));
        let index = JoinIndex::new(ranked, threshold, Join::Best);
        stream(
            self.sets.papers(),
            sink,
            || (index.space(), Vec::new()),
            |paper, (space, found), row| {
                row.verified = index.later(paper.0, space, found).candidates;
                for &(other, common) in found.iter() {
                    let (x, y) = self.sizes(paper.0, other);
                    row.found.push((PaperId(other), Measure::Jaccard.score(common.into(), x as u64, y as u64)));
                }
            },
        )
    }
}

impl Matcher for Lsh {
    fn guarantee(&self) -> Guarantee {
        Guarantee::Probable
    }

    fn score(&self, pair: Pair) -> Score {
        let (x, y) = (self.sets.of(pair.first()), self.sets.of(pair.second()));
        let common = merge(x, y, 0).unwrap_or(0);
        Measure::Jaccard.score(common.into(), x.len() as u64, y.len() as u64)
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn expected_miss_rate(&self, lambda: Score) -> Option<f64> {
        Some(if lambda <= Score::ZERO { 0.0 } else { self.bands(lambda).miss_rate(lambda.value()) })
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let papers = self.sets.papers();
        let Some(threshold) = Threshold::at(lambda) else {
            return Ok(stream_all(papers, &self.empty, lambda, sink, |pair| self.score(pair)));
        };
        let index = BandIndex::new(&self.signatures, self.bands(lambda));
        let largest = index.largest_bucket();
        if largest >= 50 && largest * 10 >= papers {
            self.run.progress.warn(&format!(
                "minhash: one bucket holds {largest} of {papers} papers: they are copies of one text, or share boilerplate \
                 (max-share leaves it out)"
            ));
        }
        if index.bucket_pairs() > 1_000_000 + 1000 * papers as u64 {
            self.run.progress.warn(&format!(
                "minhash: the buckets hold {} pairs, more than 1000 a paper; this scan is done by the exact join instead, and \
                 misses nothing",
                index.bucket_pairs()
            ));
            return Ok(self.scan_exactly(threshold, sink));
        }
        Ok(stream(papers, sink, Vec::new, |paper: PaperId, candidates: &mut Vec<u32>, row: &mut Row| {
            index.later(paper.0, candidates);
            let own = self.sets.of(paper);
            for &other in candidates.iter() {
                let set = self.sets.of(PaperId(other));
                let needed = threshold.overlap(own.len(), set.len());
                if needed > own.len().min(set.len()) {
                    continue;
                }
                row.verified += 1;
                if let Some(common) = merge(own, set, needed as u32) {
                    let score = Measure::Jaccard.score(common.into(), own.len() as u64, set.len() as u64);
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
    use crate::seed::Seed;
    use crate::similarity::Collect;

    fn corpus(texts: &[&str]) -> Corpus {
        let paper = |text: &&str| Paper { abstract_text: (*text).into(), ..Paper::default() };
        Corpus::new(texts.iter().map(paper).collect())
    }

    fn scan(method: &MinHashLsh, corpus: &Corpus, lambda: &str, seed: u64) -> Vec<(u32, u32, String)> {
        let matcher = method.prepare(Input::of(corpus), Run::silent(Seed(seed))).unwrap();
        let mut sink = Collect::default();
        matcher.scan(lambda.parse().unwrap(), &mut sink).unwrap();
        sink.pairs.iter().map(|(p, s)| (p.first().0, p.second().0, s.to_string())).collect()
    }

    #[test]
    fn o_089_candidates_are_verified() {
        let corpus = corpus(&["elm oak ash", "elm oak ash fir yew box bay", "elm oak ash fir yew"]);
        let shingle = ShingleParams { size: 1, ..ShingleParams::default() };
        for family in [Family::Universal, Family::OnePermutation, Family::Rounds] {
            let method = MinHashLsh { shingle: shingle.clone(), family, ..MinHashLsh::default() };
            let (mut first, mut second) = (0, 0);
            for seed in 1..=100 {
                let pairs = scan(&method, &corpus, "0.5", seed);
                assert!(pairs.iter().all(|p| [(0, 2, "0.600000".into()), (1, 2, "0.714286".into())].contains(p)));
                first += usize::from(pairs.iter().any(|p| p.1 == 2 && p.0 == 0));
                second += usize::from(pairs.iter().any(|p| p.1 == 2 && p.0 == 1));
            }
            assert!(first >= 95 && second >= 95, "{family:?}: found {first} and {second} of 100");
        }
        let matcher = MinHashLsh::default().prepare(Input::of(&corpus), Run::default()).unwrap();
        let miss = matcher.expected_miss_rate("0.5".parse().unwrap()).unwrap();
        assert!(miss > 0.0 && miss <= 0.01, "{miss}");
    }

    #[test]
    fn o_090_threshold_1_and_extreme_parameters() {
        let corpus =
            corpus(&["the fog horn sounds at night", "the fog horn sounds at night", "the fog horn sounds at dawn"]);
        let method = MinHashLsh::default();
        assert_eq!(scan(&method, &corpus, "1", 1), [(0, 1, "1.000000".into())]);
        assert_eq!(scan(&method, &corpus, "0", 1).len(), 3, "λ = 0 is all pairs");
        let one = MinHashLsh { components: 1, ..MinHashLsh::default() };
        assert_eq!(scan(&one, &corpus, "1", 1), [(0, 1, "1.000000".into())]);
        let refuse = |method: MinHashLsh| method.prepare(Input::of(&corpus), Run::default()).err().unwrap().to_string();
        let wide = MinHashLsh { bands: Some(3), rows: Some(50), ..MinHashLsh::default() };
        assert!(refuse(wide).contains("3 bands of 50 rows do not fit into 128 components"));
        let many = MinHashLsh { bands: Some(200), ..MinHashLsh::default() };
        assert!(refuse(many).contains("200 bands of 0 rows"));
        assert!(refuse(MinHashLsh { components: 0, ..MinHashLsh::default() }).contains("components is 0"));
        let given = MinHashLsh { bands: Some(128), rows: Some(1), ..MinHashLsh::default() };
        assert_eq!(scan(&given, &corpus, "0.5", 1).len(), 3);
    }

    #[test]
    fn full_buckets_are_joined_exactly() {
        // 1,600 papers of one form with a word of their own: every pair is above .8 and in one bucket of nearly every band.
        let form = "we use cookies to make this site work and to show you the news that you like please accept all";
        let texts: Vec<String> = (0..1600).map(|i| format!("{form} w{i}")).collect();
        let corpus = corpus(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let warnings = crate::methods::tests::Warnings::default();
        let run = Run { seed: Seed(1), progress: std::sync::Arc::new(warnings.clone()) };
        let matcher = MinHashLsh::default().prepare(Input::of(&corpus), run).unwrap();
        let mut found = 0u64;
        let mut count = |_: Pair, _: Score| {
            found += 1;
            std::ops::ControlFlow::Continue(())
        };
        matcher.scan("0.8".parse().unwrap(), &mut count).unwrap();
        assert_eq!(found, Pair::count(1600));
        let told = warnings.take();
        assert!(told.iter().any(|w| w.contains("boilerplate") && w.contains("max-share")), "{told:?}");
        assert!(told.iter().any(|w| w.contains("exact join")), "{told:?}");
    }
}
