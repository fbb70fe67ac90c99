//! What all methods do that compare papers as sets: exact scores from integer counts, complete scans by an exact join.

use serde::{Deserialize, Serialize};

use super::rows::{Row, stream, stream_all, warn_unmatchable};
use super::{Guarantee, Matcher, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;
use crate::similarity::{PairSink, Scan, Score};
use crate::sketch::Threshold;
use crate::sketch::joins::{Join, JoinIndex};
use crate::sketch::sets::{RankedSets, without_common};
use crate::text::{ShingleSets, Shingling};

/// How the common elements of two sets become a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Common elements over all elements of both: the same text, as a whole.
    #[default]
    Jaccard,
    /// Common elements over the elements of the smaller set: one text inside the other.
    Containment,
}

impl Measure {
    /// The score of two sets that are not empty.
    pub(super) fn score(self, common: u64, x: u64, y: u64) -> Score {
        let of = match self {
            Measure::Jaccard => x + y - common,
            Measure::Containment => x.min(y),
        };
        Score::ratio(common, of).unwrap_or(Score::ZERO)
    }
}

/// The sets of a corpus, without shingles that are in more than `max_share` of the papers.
pub(super) fn shingle_sets(input: super::Input<'_>, shingling: &Shingling, max_share: Option<Score>) -> ShingleSets {
    let sets = ShingleSets::of_corpus(input.corpus, input.fields, shingling);
    match max_share {
        Some(share) => without_common(&sets, share.value()),
        None => sets,
    }
}

/// What blocks and chunks of texts are called.
pub(super) const PIECES: &str = "pieces";

/// Tells the user that most papers share much of what they are made of: forms, banners, footers.
/// What the sets are made of is named by `elements`; of pieces of texts none can be left out.
pub(super) fn warn_boilerplate(run: &Run, method: &str, elements: &str, sets: &RankedSets) {
    const WORTH_TELLING: f64 = 0.1;
    if let Some(found) = sets.boilerplate().filter(|b| b.share >= WORTH_TELLING) {
        run.progress.warn(&format!(
            "{method}: {} {elements} are each in more than half of the {} papers, the commonest in {:.1} %; they are {:.1} % of \
             an average paper. Papers may match by such boilerplate alone{}",
            found.shingles,
            found.sets,
            100.0 * found.top as f64 / found.sets as f64,
            100.0 * found.share,
            if elements == PIECES { "" } else { "; max-share = \"0.5\" leaves it out" }
        ));
    }
}

/// The same for sets that nothing numbers: a thousand papers from all over the corpus show what most of them share.
pub(super) fn warn_boilerplate_of_some(run: &Run, method: &str, sets: &ShingleSets) {
    let step = sets.papers().div_ceil(1000).max(1);
    let some = sets.papers().div_ceil(step);
    let sample = ShingleSets::make(some, |paper| sets.of(PaperId((paper * step) as u32)).to_vec());
    warn_boilerplate(run, method, "shingles", &RankedSets::new(&sample));
}

/// Papers as sets, compared by an exact join.
pub(super) struct SetMatcher {
    sets: RankedSets,
    empty: Vec<PaperId>,
    measure: Measure,
    join: Join,
}

impl SetMatcher {
    /// `elements` names what the sets are made of, `want` what the papers with an empty set lack.
    pub(super) fn new(
        method: &'static str,
        elements: &str,
        sets: &ShingleSets,
        measure: Measure,
        join: Join,
        run: &Run,
        want: &str,
    ) -> SetMatcher {
        let empty = sets.empty();
        warn_unmatchable(run, method, &empty, want);
        let sets = RankedSets::new(sets);
        warn_boilerplate(run, method, elements, &sets);
        SetMatcher { sets, empty, measure, join }
    }
}

impl Matcher for SetMatcher {
    fn guarantee(&self) -> Guarantee {
        if self.join.is_complete() { Guarantee::Complete } else { Guarantee::Probable }
    }

    fn score(&self, pair: Pair) -> Score {
        let (x, y) = (pair.first().0, pair.second().0);
        let common = self.sets.common(x, y).into();
        self.measure.score(common, self.sets.size(x) as u64, self.sets.size(y) as u64)
    }

    fn unmatchable(&self) -> &[PaperId] {
        &self.empty
    }

    fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
        let Some(threshold) = Threshold::at(lambda) else {
            return Ok(stream_all(self.sets.len(), &self.empty, lambda, sink, |pair| self.score(pair)));
        };
        let index = match self.measure {
            Measure::Jaccard => JoinIndex::new(&self.sets, threshold, self.join),
            Measure::Containment => JoinIndex::contained(&self.sets, threshold),
        };
        let space = || (index.space(), Vec::new());
        Ok(stream(self.sets.len(), sink, space, |paper: PaperId, (space, found), row: &mut Row| {
            row.verified = index.later(paper.0, space, found).candidates;
            let size = |set: u32| self.sets.size(set) as u64;
            let score = |&(other, common): &(u32, u32)| {
                (PaperId(other), self.measure.score(common.into(), size(paper.0), size(other)))
            };
            row.found.extend(found.iter().map(score));
        }))
    }
}

/// Checks a share in (0, 1].
pub(super) fn check_share(method: &'static str, share: Option<Score>) -> Result<(), MethodError> {
    match share {
        Some(share) if share <= Score::ZERO => Err(MethodError::Parameter {
            method,
            reason: format!("max-share is {share}; wanted more than 0, at most 1"),
        }),
        _ => Ok(()),
    }
}

/// Makes an error of the parameters an error of the method.
pub(super) fn parameter(method: &'static str) -> impl Fn(crate::text::ShingleError) -> MethodError {
    move |error| MethodError::Parameter { method, reason: error.to_string() }
}
