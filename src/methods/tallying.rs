//! Counting the scores of all pairs through a method's scan, for every method that has no faster way.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{Guarantee, Matcher, MethodError};
use crate::corpus::{Pair, PaperId};
use crate::similarity::{Score, Tally};

/// The smallest score above 0.
fn smallest() -> Score {
    Score::from_millionths(1).expect("within the range")
}

/// Scans as low as the method can and gives every pair to `take`. `false` if the scan did not reach down to the smallest
/// positive score.
fn scan_low(matcher: &(impl Matcher + ?Sized), mut take: impl FnMut(Pair, Score) + Send) -> Result<bool, MethodError> {
    // Methods refuse a λ before they begin, so a refused scan gave nothing.
    let mut lambdas = (1..=100).map(|percent| Score::from_millionths(percent * 10_000).expect("within the range"));
    let mut lambda = smallest();
    loop {
        let mut give = |pair: Pair, score: Score| {
            take(pair, score);
            ControlFlow::Continue(())
        };
        match matcher.scan(lambda, &mut give) {
            Ok(_) => return Ok(lambda == smallest()),
            Err(MethodError::Lambda { method, lambda: refused, reason }) => match lambdas.next() {
                Some(next) if matcher.guarantee() == Guarantee::Probable => lambda = next,
                Some(_) => return Ok(false),
                None => return Err(MethodError::Lambda { method, lambda: refused, reason }),
            },
            Err(error) => return Err(error),
        }
    }
}

/// Papers that can match, as a mark for each.
fn matchable(matcher: &(impl Matcher + ?Sized), papers: usize) -> Vec<bool> {
    let mut matchable = vec![true; papers];
    matcher.unmatchable().iter().for_each(|id| matchable[id.index()] = false);
    matchable
}

/// Every score of the pairs of one paper with later ones, by the definition.
fn each_later(matcher: &(impl Matcher + ?Sized), matchable: &[bool], first: usize, mut take: impl FnMut(Pair, Score)) {
    if matchable[first] {
        for second in (first + 1..matchable.len()).filter(|&s| matchable[s]) {
            let pair = Pair::new(PaperId(first as u32), PaperId(second as u32)).expect("first < second");
            take(pair, matcher.score(pair));
        }
    }
}

/// A count for each interval between edges.
struct Intervals<'e> {
    edges: &'e [Score],
    between: Vec<u64>,
}

impl<'e> Intervals<'e> {
    fn new(edges: &'e [Score]) -> Intervals<'e> {
        Intervals { edges, between: vec![0; edges.len() + 1] }
    }

    fn add(&mut self, score: Score, pairs: u64) {
        self.between[self.edges.partition_point(|&edge| edge <= score)] += pairs;
    }

    fn at_or_above(&self) -> Vec<u64> {
        let mut sum = 0;
        let mut counts: Vec<u64> = self.between[1..]
            .iter()
            .rev()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        counts.reverse();
        counts
    }
}

/// See [`Matcher::tally`].
pub(super) fn tally(
    matcher: &(impl Matcher + ?Sized),
    papers: usize,
    watched: &[Pair],
    grid: &[Score],
) -> Result<Tally, MethodError> {
    let all = Pair::count(papers);
    let matchable = matchable(matcher, papers);
    let can_match = |pair: Pair| matchable[pair.first().index()] && matchable[pair.second().index()];
    let mut scores: Vec<Option<Score>> = vec![None; watched.len()];
    if matcher.guarantee() == Guarantee::Complete {
        scores = watched.par_iter().map(|&pair| can_match(pair).then(|| matcher.score(pair))).collect();
    }
    // One count for each score: which edges there will be is not known before a probable scan has ended.
    let mut histogram = vec![0u64; 2 * Score::UNIT as usize + 1];
    let mut found = 0;
    let reached = scan_low(matcher, |pair, score| {
        histogram[(score.millionths() + Score::UNIT) as usize] += 1;
        found += 1;
        if let Ok(place) = watched.binary_search(&pair) {
            scores[place] = Some(score);
        }
    })?;
    let edges = Tally::edges(&scores, grid);
    let mut intervals = Intervals::new(&edges);
    let count = matchable.iter().filter(|&&m| m).count();
    let findable = match matcher.guarantee() {
        Guarantee::Probable => found,
        Guarantee::Complete => Pair::count(count),
    };
    if reached || matcher.guarantee() == Guarantee::Probable {
        for (place, &pairs) in histogram.iter().enumerate().filter(|&(_, &pairs)| pairs > 0) {
            intervals.add(Score::from_millionths(place as i32 - Score::UNIT).expect("a bin a score"), pairs);
        }
        intervals.add(Score::ZERO, findable - found);
    } else {
        drop(histogram);
        let rows = (0..papers).into_par_iter().with_min_len(16);
        let counts = rows.fold(
            || vec![0u64; edges.len() + 1],
            |between, first| {
                let mut row = Intervals { edges: &edges, between };
                each_later(matcher, &matchable, first, |_, score| row.add(score, 1));
                row.between
            },
        );
        intervals.between = counts.reduce(
            || vec![0u64; edges.len() + 1],
            |mut sum, more| {
                sum.iter_mut().zip(more).for_each(|(s, m)| *s += m);
                sum
            },
        );
    }
    let at_or_above = intervals.at_or_above();
    Ok(Tally::new(all, findable, edges, at_or_above, scores))
}

/// See [`Matcher::best`].
pub(super) fn best(
    matcher: &(impl Matcher + ?Sized),
    papers: usize,
    left_out: &[Pair],
) -> Result<Vec<Option<Score>>, MethodError> {
    let matchable = matchable(matcher, papers);
    let mut best: Vec<Option<Score>> = vec![None; papers];
    let raise = |best: &mut Vec<Option<Score>>, pair: Pair, score: Score| {
        for paper in [pair.first(), pair.second()] {
            best[paper.index()] = best[paper.index()].max(Some(score));
        }
    };
    let reached = scan_low(matcher, |pair, score| {
        if left_out.binary_search(&pair).is_err() {
            raise(&mut best, pair, score);
        }
    })?;
    match matcher.guarantee() {
        Guarantee::Probable => Ok(best),
        Guarantee::Complete if reached => {
            // Every other pair of two papers that can match scores 0.
            let count = matchable.iter().filter(|&&m| m).count();
            let mut others: Vec<usize> = matchable.iter().map(|_| count.saturating_sub(1)).collect();
            for pair in left_out.iter().filter(|p| matchable[p.first().index()] && matchable[p.second().index()]) {
                others[pair.first().index()] -= 1;
                others[pair.second().index()] -= 1;
            }
            for paper in (0..papers).filter(|&p| matchable[p] && others[p] > 0) {
                best[paper] = best[paper].max(Some(Score::ZERO));
            }
            Ok(best)
        }
        Guarantee::Complete => {
            let rows: Vec<Vec<Option<Score>>> = (0..papers)
                .into_par_iter()
                .with_min_len(64)
                .fold(
                    || vec![None; papers],
                    |mut best, first| {
                        each_later(matcher, &matchable, first, |pair, score| {
                            if left_out.binary_search(&pair).is_err() {
                                raise(&mut best, pair, score);
                            }
                        });
                        best
                    },
                )
                .collect();
            Ok((0..papers).map(|paper| rows.iter().filter_map(|row| row[paper]).max()).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::{PairSink, Scan};

    /// Papers are numbers; the score of two is how many low bits they share, in sixteenths.
    struct Bits {
        numbers: Vec<u32>,
        lost: Vec<PaperId>,
        guarantee: Guarantee,
        lowest: Score,
    }

    impl Matcher for Bits {
        fn guarantee(&self) -> Guarantee {
            self.guarantee
        }
        fn score(&self, pair: Pair) -> Score {
            let (a, b) = (self.numbers[pair.first().index()], self.numbers[pair.second().index()]);
            Score::ratio(u64::from((a ^ b).trailing_zeros().min(16)), 16).unwrap()
        }
        fn unmatchable(&self) -> &[PaperId] {
            &self.lost
        }
        fn scan(&self, lambda: Score, sink: &mut dyn PairSink) -> Result<Scan, MethodError> {
            if lambda < self.lowest {
                return Err(MethodError::Lambda { method: "bits", lambda, reason: "a test".into() });
            }
            let marks = matchable(self, self.numbers.len());
            for first in 0..self.numbers.len() {
                each_later(self, &marks, first, |pair, score| {
                    let missed = self.guarantee == Guarantee::Probable && pair.second().0 % 5 == 0;
                    if score >= lambda && !missed {
                        let _ = sink.pair(pair, score);
                    }
                });
            }
            Ok(Scan::default())
        }
    }

    fn bits(guarantee: Guarantee, lowest: &str) -> Bits {
        let numbers = (0..60u32).map(|i| i * i % 97 + (i % 3) * 256).collect();
        Bits { numbers, lost: vec![PaperId(4), PaperId(59)], guarantee, lowest: lowest.parse().unwrap() }
    }

    fn pair(x: u32, y: u32) -> Pair {
        Pair::new(PaperId(x), PaperId(y)).unwrap()
    }

    #[test]
    fn scans_and_definitions_give_the_same_tally() {
        let watched = [pair(0, 3), pair(1, 4), pair(2, 40), pair(7, 9)];
        let grid = ["0".parse().unwrap(), "0.25".parse().unwrap()];
        let low = tally(&bits(Guarantee::Complete, "0"), 60, &watched, &grid).unwrap();
        let refused = tally(&bits(Guarantee::Complete, "0.5"), 60, &watched, &grid).unwrap();
        assert_eq!(low, refused);
        assert_eq!((low.pairs(), low.findable(), low.watched()[1]), (60 * 59 / 2, 58 * 57 / 2, None));
        assert_eq!(low.at_or_above(Score::ZERO), 58 * 57 / 2);
        let matcher = bits(Guarantee::Complete, "0");
        let marks = matchable(&matcher, 60);
        let mut quarter = 0;
        (0..60).for_each(|first| each_later(&matcher, &marks, first, |_, s| quarter += u64::from(s >= grid[1])));
        assert!(quarter > 20 && low.at_or_above(grid[1]) == quarter);
    }

    #[test]
    fn what_a_probable_scan_misses_is_found_at_no_lambda() {
        let matcher = bits(Guarantee::Probable, "0.25");
        let watched = [pair(0, 5), pair(7, 9)];
        let tally = tally(&matcher, 60, &watched, &[Score::ZERO]).unwrap();
        assert_eq!(tally.watched()[0], None);
        assert!(tally.watched()[1].is_some(), "{:?}", matcher.score(watched[1]));
        assert_eq!(tally.at_or_above(Score::ZERO), tally.findable());
        assert!(tally.findable() > 10 && tally.findable() < 58 * 57 / 2);
    }

    #[test]
    fn best_matches_agree_too() {
        let left_out = [pair(0, 48), pair(2, 40)];
        let low = best(&bits(Guarantee::Complete, "0"), 60, &left_out).unwrap();
        let refused = best(&bits(Guarantee::Complete, "0.5"), 60, &left_out).unwrap();
        assert_eq!(low, refused);
        assert_eq!((low[4], low[59]), (None, None));
        let matcher = bits(Guarantee::Complete, "0");
        let naive =
            (0..60u32).filter(|&y| y != 0 && y != 48 && y != 4 && y != 59).map(|y| matcher.score(pair(0, y))).max();
        assert_eq!(low[0], naive);
    }
}
