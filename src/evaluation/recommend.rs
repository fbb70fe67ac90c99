//! λ for people who don't know λ: copies with known edits are laid into the user's own corpus, and λ is read off them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::ControlFlow;

use super::{EvaluationParams, Interval, Natural, Ranking, Unit, evaluate, natural_duplicates};
use crate::corpus::{Corpus, Field, Pair};
use crate::embedding::Embedding;
use crate::inject::{Edit, InjectParams, Mix, Share, inject};
use crate::methods::{Input, Matcher, Method, MethodError};
use crate::partition::UnionFind;
use crate::progress::Run;
use crate::seed::Seed;
use crate::similarity::Score;

/// How λ is found.
#[derive(Clone, Debug, PartialEq)]
pub struct RecommendParams {
    /// The precision that is wanted, above 0 and at most 1.
    pub precision: f64,
    /// Each copy gets one of these, drawn at random.
    pub edits: Vec<Edit>,
    /// Copies as a share of the papers.
    pub rate: Share,
    /// How many times copies are drawn, at least 2.
    pub draws: u32,
    /// How many pairs next to λ are shown on either side.
    pub shown: usize,
}

impl Default for RecommendParams {
    fn default() -> RecommendParams {
        let edits = ["garble=0.1", "drop-words=0.3", "truncate=0.5", "keep-fields=title", "keep-fields=abstract"];
        RecommendParams {
            precision: 0.99,
            edits: edits.iter().map(|edit| edit.parse().expect("an edit")).collect(),
            rate: "0.2".parse().expect("a share"),
            draws: 5,
            shown: 10,
        }
    }
}

/// What to take for λ, and how sure that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// The middle one of the draws' λ; of two middle ones the higher.
    pub lambda: Score,
    /// The least and the greatest λ of a draw.
    pub range: (Score, Score),
    /// Draws in which no λ reached the precision.
    pub without: u32,
    /// Precision on each draw at the λ that the other draws give.
    pub precision: Option<Interval>,
    /// Recall of the copies, likewise.
    pub recall: Option<Interval>,
    /// Pairs of the corpus itself, without copies, at or above λ.
    pub pairs: u64,
    /// Papers that λ would remove from the corpus itself: all but one of each group that its pairs connect.
    pub removed: usize,
    /// The size of the largest such group; 1 if there is none.
    pub largest: usize,
    /// Papers of the corpus.
    pub papers: usize,
    /// Pairs of the corpus at or just above λ, the nearest first.
    pub above: Vec<(Pair, Score)>,
    /// Pairs of the corpus just below λ, the nearest first.
    pub below: Vec<(Pair, Score)>,
}

impl Recommendation {
    /// What is unusual about the papers that λ would remove, if anything is: more than half of all, or one group of more
    /// than 20 papers and a hundredth of all.
    pub fn warning(&self) -> Option<String> {
        let (removed, papers, largest) = (self.removed, self.papers, self.largest);
        if 2 * removed > papers {
            return Some(format!(
                "λ = {} would remove {removed} of {papers} papers, more than half: look at the pairs just above it, and \
                 at the fields that the text is made of",
                self.lambda
            ));
        }
        (largest > 20 && largest * 100 > papers).then(|| {
            format!(
                "λ = {} connects {largest} papers into one group: records without an abstract of their own, or a λ too low",
                self.lambda
            )
        })
    }
}

/// Why no λ can be recommended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecommendError {
    /// A parameter out of its range.
    #[error("{0}")]
    Parameter(String),
    /// No copies could be made.
    #[error("no copy can be made of {papers} papers under these edits; wanted papers with a text that an edit keeps")]
    NoCopies {
        /// The papers.
        papers: usize,
    },
    /// The precision is out of reach.
    #[error("no λ reaches a precision of {precision} with this method on this corpus; the best is {best:.6}")]
    OutOfReach {
        /// What was wanted.
        precision: f64,
        /// The greatest precision seen.
        best: f64,
    },
    /// The method failed.
    #[error(transparent)]
    Method(#[from] MethodError),
}

/// Recommends λ: the lowest one at which the wanted precision is reached, which finds the most.
///
/// Copies of a share of the papers, each with one edit drawn at random, are laid into the corpus; precision at λ is the
/// share of copies among the pairs at or above it. Duplicates that the corpus holds by itself and that are known by equal
/// texts or DOIs are left out; those that only look different count as errors, so the λ is on the safe side. It holds for
/// duplicates as frequent and as different from their originals as the copies are. This is done for several draws; the
/// middle λ is recommended, and judged on each draw by the λ of the others.
///
/// Time: `draws` + 1 times that of preparing the method and comparing all pairs.
///
/// # Errors
/// If a parameter is out of its range, no copy can be made, no λ reaches the precision, or the method fails.
pub fn recommend(
    corpus: &Corpus,
    method: &dyn Method,
    embedding: Option<&Embedding>,
    fields: &[Field],
    params: &RecommendParams,
    run: &Run,
) -> Result<Recommendation, RecommendError> {
    if !(params.precision > 0.0 && params.precision <= 1.0) {
        return Err(RecommendError::Parameter(format!(
            "precision {}: wanted a number above 0 and at most 1",
            params.precision
        )));
    }
    if params.draws < 2 {
        return Err(RecommendError::Parameter("draws: wanted at least 2, to judge one by the others".into()));
    }
    let injection =
        InjectParams { rate: params.rate, edits: params.edits.clone(), mix: Mix::One, ..InjectParams::default() };
    let injection = injection.check().map_err(|error| RecommendError::Parameter(error.to_string()))?;
    let mut rankings = Vec::new();
    for draw in 0..params.draws {
        let seed = Seed(run.seed.derive("evaluation/recommend").stream(&draw.to_string()).below(u64::MAX));
        let injected = inject(corpus, &injection, seed);
        if injected.truth.pairs().is_empty() {
            return Err(RecommendError::NoCopies { papers: corpus.len() });
        }
        let matcher = method.prepare(Input { corpus: &injected.corpus, embedding, fields }, run.clone())?;
        let natural = natural_duplicates(&injected.corpus);
        let settings = EvaluationParams { unit: Unit::Pair, natural: Natural::Ignore, lambdas: Vec::new() };
        let found = evaluate(matcher.as_ref(), &injected.truth, &natural, &settings)?;
        rankings.push(found.ranking.expect("pairs have a ranking"));
    }
    let lambdas: Vec<Option<Score>> = rankings.iter().map(|ranking| lowest(ranking, params.precision)).collect();
    let Some((lambda, range)) = middle(lambdas.iter().copied().flatten()) else {
        let of = |ranking: &Ranking| ranking.precision_at_recall(0.0);
        let best = rankings.iter().filter_map(of).reduce(f64::max).unwrap_or(0.0);
        return Err(RecommendError::OutOfReach { precision: params.precision, best });
    };
    let judged: Vec<_> = rankings
        .iter()
        .enumerate()
        .map(|(draw, ranking)| {
            let others = lambdas.iter().enumerate().filter(|&(other, _)| other != draw).filter_map(|(_, &l)| l);
            middle(others).and_then(|(lambda, _)| ranking.curve([lambda]).at(lambda).map(|point| point.counts))
        })
        .collect();
    let matcher = method.prepare(Input { corpus, embedding, fields }, run.clone())?;
    let neighbours = Neighbours::of(matcher.as_ref(), corpus.len(), lambda, params.shown)?;
    Ok(Recommendation {
        lambda,
        range,
        without: lambdas.iter().filter(|lambda| lambda.is_none()).count() as u32,
        precision: Interval::of(judged.iter().map(|counts| counts.and_then(|c| c.precision()))),
        recall: Interval::of(judged.iter().map(|counts| counts.and_then(|c| c.recall()))),
        pairs: neighbours.pairs,
        removed: neighbours.removed,
        largest: neighbours.largest,
        papers: corpus.len(),
        above: neighbours.above,
        below: neighbours.below,
    })
}

/// The lowest λ at which the precision is reached.
fn lowest(ranking: &Ranking, precision: f64) -> Option<Score> {
    let reached = |c: super::Confusion| c.tp > 0 && c.precision().is_some_and(|p| p >= precision);
    ranking.points().iter().rev().find(|point| reached(point.counts)).map(|point| point.lambda)
}

/// The middle one, and the least and the greatest.
fn middle(lambdas: impl Iterator<Item = Score>) -> Option<(Score, (Score, Score))> {
    let mut lambdas: Vec<Score> = lambdas.collect();
    lambdas.sort_unstable();
    Some((*lambdas.get(lambdas.len() / 2)?, (*lambdas.first()?, *lambdas.last()?)))
}

/// What lies around λ in the corpus itself.
struct Neighbours {
    pairs: u64,
    removed: usize,
    largest: usize,
    above: Vec<(Pair, Score)>,
    below: Vec<(Pair, Score)>,
}

impl Neighbours {
    fn of(matcher: &dyn Matcher, papers: usize, lambda: Score, shown: usize) -> Result<Neighbours, MethodError> {
        let mut from = lambda;
        loop {
            // A little further down each time, until there are enough pairs below λ to show.
            from = Score::from_millionths((from.millionths() - 50_000).max(0)).unwrap_or(Score::ZERO).min(lambda);
            let mut sets = UnionFind::new(papers);
            let (mut pairs, mut largest) = (0, 1);
            // The heaps hold the pairs nearest to λ, the farthest of them on top; of equal ones the earlier pair is nearer.
            let mut above: BinaryHeap<(Score, Pair)> = BinaryHeap::new();
            let mut below: BinaryHeap<Reverse<(Score, Reverse<Pair>)>> = BinaryHeap::new();
            matcher.scan(from, &mut |pair: Pair, score: Score| {
                if score >= lambda {
                    pairs += 1;
                    sets.join(pair.first().0, pair.second().0);
                    largest = largest.max(sets.size_of(pair.first().0));
                    above.push((score, pair));
                    if above.len() > shown {
                        above.pop();
                    }
                } else {
                    below.push(Reverse((score, Reverse(pair))));
                    if below.len() > shown {
                        below.pop();
                    }
                }
                ControlFlow::Continue(())
            })?;
            if below.len() < shown && from > Score::ZERO {
                continue;
            }
            let removed = papers - sets.into_partition().group_count();
            return Ok(Neighbours {
                pairs,
                removed,
                largest: largest as usize,
                above: above.into_sorted_vec().into_iter().map(|(score, pair)| (pair, score)).collect(),
                below: below.into_sorted_vec().into_iter().map(|Reverse((s, Reverse(pair)))| (pair, s)).collect(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Paper;
    use crate::methods::{TfIdf, WholeFile};

    fn corpus(papers: usize) -> Corpus {
        let mut stream = Seed(5).stream("recommend/test");
        let mut words = |count: usize| (0..count).map(|_| format!("w{} ", stream.below(200))).collect::<String>();
        let paper =
            |id: usize| Paper { id: id.to_string(), title: words(5), abstract_text: words(30), ..Paper::default() };
        Corpus::new((0..papers).map(paper).collect())
    }

    #[test]
    fn lambda_is_the_lowest_that_keeps_the_precision_and_holds_on_draws_not_seen() {
        let corpus = corpus(120);
        let tf_idf = TfIdf::default();
        let fields = [Field::Title, Field::Abstract];
        let at = |precision| {
            let params = RecommendParams { precision, ..RecommendParams::default() };
            recommend(&corpus, &tf_idf, None, &fields, &params, &Run::default()).unwrap()
        };
        let (sure, loose) = (at(1.0), at(0.5));
        assert!(loose.lambda < sure.lambda, "{} {}", loose.lambda, sure.lambda);
        assert!(sure.range.0 <= sure.lambda && sure.lambda <= sure.range.1 && sure.without == 0);
        let mean = |interval: Option<Interval>| interval.unwrap().mean;
        assert!(mean(sure.precision) > 0.9 && mean(loose.recall) > mean(sure.recall));
        // Nothing in this corpus is a duplicate: hardly a pair reaches λ, and what is nearest lies below it.
        assert!(sure.pairs <= 2 && sure.removed as u64 <= sure.pairs && loose.pairs > sure.pairs);
        assert_eq!((sure.below.len(), sure.papers), (10, 120));
        assert!(sure.below.windows(2).all(|w| (w[0].1, Reverse(w[0].0)) > (w[1].1, Reverse(w[1].0))));
        assert!(sure.below[0].1 < sure.lambda && sure.warning().is_none());
    }

    #[test]
    fn a_corpus_of_copies_is_called_unusual_and_an_impossible_wish_is_refused() {
        let mut papers = corpus(30).into_papers();
        for copy in 0..60 {
            papers.push(Paper { id: format!("copy {copy}"), ..papers[copy % 3].clone() });
        }
        let corpus = Corpus::new(papers);
        let fields = [Field::Title, Field::Abstract];
        let params = RecommendParams { shown: 3, ..RecommendParams::default() };
        let run = Run::default();
        let found = recommend(&corpus, &TfIdf::default(), None, &fields, &params, &run).unwrap();
        assert_eq!((found.removed, found.largest, found.pairs), (60, 21, 3 * 210));
        assert_eq!((found.above.len(), found.above[0].1), (3, Score::MAX));
        assert!(found.warning().unwrap().contains("60 of 90"));
        let refused = |params: RecommendParams| {
            recommend(&corpus, &WholeFile::default(), None, &fields, &params, &run).unwrap_err().to_string()
        };
        assert!(refused(RecommendParams { precision: 1.5, ..params.clone() }).contains("wanted a number above 0"));
        assert!(refused(RecommendParams { draws: 1, ..params.clone() }).contains("at least 2"));
        assert!(refused(RecommendParams { rate: Share::NONE, ..params.clone() }).contains("no copy"));
        let edits = vec!["garble=1".parse().unwrap()];
        let error = refused(RecommendParams { edits, ..params });
        assert!(error.contains("no λ reaches a precision of 0.99"), "{error}");
    }
}
