//! A method's scores against the truth, by pair, by paper or by cluster.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Agreement, Curve, Point, Ranking};
use crate::corpus::{Pair, Truth};
use crate::methods::{Matcher, MethodError};
use crate::partition::{Partition, UnionFind};
use crate::similarity::{Score, Tally};

macro_rules! named {
    ($name:ident, $what:literal, $error:ident) => {
        impl $name {
            /// Its name on the command line and in tables.
            pub fn name(self) -> &'static str {
                Self::NAMES.iter().find(|(value, _)| *value == self).map_or("", |(_, name)| name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        #[doc = concat!("A name that is no ", $what, ".")]
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("{found:?} is no {what}; wanted {}", $name::NAMES.map(|(_, name)| name).join(", "), what = $what)]
        pub struct $error {
            found: String,
        }

        impl FromStr for $name {
            type Err = $error;
            fn from_str(text: &str) -> Result<$name, $error> {
                let value = Self::NAMES.iter().find(|(_, name)| *name == text).map(|(value, _)| *value);
                value.ok_or_else(|| $error { found: text.to_owned() })
            }
        }
    };
}

/// What is classified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Every pair of the upper triangle: is it a duplicate?
    #[default]
    Pair,
    /// Every paper: does it have a duplicate? Its score is its greatest similarity to any other paper.
    Paper,
    /// The clusters that the pairs at or above λ connect, against the clusters of the truth.
    Cluster,
}

impl Unit {
    const NAMES: [(Unit, &'static str); 3] = [(Unit::Pair, "pair"), (Unit::Paper, "paper"), (Unit::Cluster, "cluster")];
}

named!(Unit, "unit", ParseUnitError);

/// What becomes of duplicates that the corpus held before any were injected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Natural {
    /// Nothing: where the truth does not name them they count as wrong when they are found.
    #[default]
    Count,
    /// They are left out of both classes. A paper's greatest similarity is that to papers that are not its natural
    /// duplicates; in clusters they link nothing.
    Ignore,
    /// They are duplicates like those of the truth.
    Positive,
}

impl Natural {
    const NAMES: [(Natural, &'static str); 3] =
        [(Natural::Count, "count"), (Natural::Ignore, "ignore"), (Natural::Positive, "positive")];
}

named!(Natural, "treatment of natural duplicates", ParseNaturalError);

/// How to evaluate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvaluationParams {
    /// What is classified.
    pub unit: Unit,
    /// What becomes of natural duplicates.
    pub natural: Natural,
    /// λ at which counts are wanted. For clusters, the only ones.
    pub lambdas: Vec<Score>,
}

/// What came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// What was classified.
    pub unit: Unit,
    /// What became of natural duplicates.
    pub natural: Natural,
    /// Pairs left out of both classes.
    pub ignored: u64,
    /// Pairs (or papers) that no λ finds, duplicates or not.
    pub never_found: u64,
    /// The order of the items with all areas; `None` for clusters.
    pub ranking: Option<Ranking>,
    /// Counts at every λ asked for and at every positive's score; for clusters the counts of pairs of papers that are
    /// together.
    pub curve: Curve,
    /// For clusters, by descending λ; else empty.
    pub clusters: Vec<ClusterPoint>,
}

/// The clusters at one λ against the true ones.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterPoint {
    /// Papers at or above it are linked.
    pub lambda: Score,
    /// Clusters found, papers alone included.
    pub clusters: usize,
    /// The agreement with the clusters of the truth.
    pub agreement: Agreement,
}

/// Evaluates a method on a corpus against the truth: one pass over the scores, O(papers + pairs of the truth) memory
/// beyond the method's own, exact counts.
///
/// `natural` are the duplicates that the corpus holds by itself ([`super::natural_duplicates`]); those that the truth names
/// too are duplicates under every treatment.
///
/// # Errors
/// If the method cannot scan.
///
/// # Panics
/// If the two truths are not about the same number of papers.
pub fn evaluate(
    matcher: &dyn Matcher,
    truth: &Truth,
    natural: &Truth,
    params: &EvaluationParams,
) -> Result<Evaluation, MethodError> {
    assert_eq!(truth.papers(), natural.papers(), "truths of one corpus");
    let papers = truth.papers();
    let others = natural.pairs().iter().copied().filter(|&pair| !truth.is_duplicate(pair));
    let (positives, ignored): (Truth, Vec<Pair>) = match params.natural {
        Natural::Count => (truth.clone(), Vec::new()),
        Natural::Ignore => (truth.clone(), others.collect()),
        Natural::Positive => (Truth::from_pairs(papers, truth.pairs().iter().copied().chain(others)), Vec::new()),
    };
    let mut evaluation = Evaluation {
        unit: params.unit,
        natural: params.natural,
        ignored: ignored.len() as u64,
        never_found: 0,
        ranking: None,
        curve: Curve::default(),
        clusters: Vec::new(),
    };
    match params.unit {
        Unit::Pair => by_pair(matcher, &positives, &ignored, params, &mut evaluation)?,
        Unit::Paper => by_paper(matcher, &positives, &ignored, params, &mut evaluation)?,
        Unit::Cluster => by_cluster(matcher, &positives, &ignored, params, &mut evaluation)?,
    }
    Ok(evaluation)
}

fn by_pair(
    matcher: &dyn Matcher,
    positives: &Truth,
    ignored: &[Pair],
    params: &EvaluationParams,
    evaluation: &mut Evaluation,
) -> Result<(), MethodError> {
    let mut watched: Vec<Pair> = positives.pairs().iter().chain(ignored).copied().collect();
    watched.sort_unstable();
    let tally = matcher.tally(positives.papers(), &watched, &params.lambdas)?;
    let (mut of_positives, mut of_ignored) = (Vec::new(), Vec::new());
    for (&pair, &score) in watched.iter().zip(tally.watched()) {
        let class = if positives.is_duplicate(pair) { &mut of_positives } else { &mut of_ignored };
        class.extend(score);
    }
    of_positives.sort_unstable();
    of_ignored.sort_unstable();
    let reach = |scores: &[Score], lambda| (scores.len() - scores.partition_point(|&s| s < lambda)) as u64;
    // Every edge of the tally, and a last point that holds what a scan at -1 finds.
    let mut edges = Tally::edges(tally.watched(), &params.lambdas);
    edges.reverse();
    let mut reached: Vec<(Score, u64, u64)> = edges
        .into_iter()
        .map(|edge| {
            let tp = reach(&of_positives, edge);
            (edge, tp, tally.at_or_above(edge) - tp - reach(&of_ignored, edge))
        })
        .collect();
    if reached.last().is_none_or(|&(edge, _, _)| edge > Score::MIN) {
        let tp = of_positives.len() as u64;
        reached.push((Score::MIN, tp, tally.findable() - tp - of_ignored.len() as u64));
    }
    let negatives = tally.pairs() - (positives.pairs().len() + ignored.len()) as u64;
    let ranking = Ranking::of_reached(positives.pairs().len() as u64, negatives, reached);
    evaluation.never_found = tally.pairs() - tally.findable() - (ignored.len() - of_ignored.len()) as u64;
    evaluation.curve = ranking.curve(of_positives.into_iter().chain(params.lambdas.iter().copied()));
    evaluation.ranking = Some(ranking);
    Ok(())
}

fn by_paper(
    matcher: &dyn Matcher,
    positives: &Truth,
    ignored: &[Pair],
    params: &EvaluationParams,
    evaluation: &mut Evaluation,
) -> Result<(), MethodError> {
    let mut duplicate = vec![false; positives.papers()];
    for pair in positives.pairs() {
        duplicate[pair.first().index()] = true;
        duplicate[pair.second().index()] = true;
    }
    let best = matcher.best(positives.papers(), ignored)?;
    evaluation.never_found = best.iter().filter(|b| b.is_none()).count() as u64;
    let of_positives: Vec<Score> = best.iter().zip(&duplicate).filter(|(_, d)| **d).filter_map(|(b, _)| *b).collect();
    let ranking = Ranking::of_items(best.into_iter().zip(duplicate));
    evaluation.curve = ranking.curve(of_positives.into_iter().chain(params.lambdas.iter().copied()));
    evaluation.ranking = Some(ranking);
    Ok(())
}

fn by_cluster(
    matcher: &dyn Matcher,
    positives: &Truth,
    ignored: &[Pair],
    params: &EvaluationParams,
    evaluation: &mut Evaluation,
) -> Result<(), MethodError> {
    let mut lambdas = params.lambdas.clone();
    lambdas.sort_unstable_by(|a, b| b.cmp(a));
    lambdas.dedup();
    let Some(&lowest) = lambdas.last() else { return Ok(()) };
    let mut forest = Forest::new(positives.papers());
    matcher.scan(lowest, &mut |pair: Pair, score: Score| {
        if ignored.binary_search(&pair).is_err() {
            forest.add(pair, score);
        }
        ControlFlow::Continue(())
    })?;
    let links = forest.finish();
    let truth = positives.clusters();
    let mut sets = UnionFind::new(positives.papers());
    let mut next = 0;
    for lambda in lambdas {
        while let Some(&(score, pair)) = links.get(next).filter(|(score, _)| *score >= lambda) {
            debug_assert!(score >= lambda);
            sets.join(pair.first().0, pair.second().0);
            next += 1;
        }
        let found: Partition = sets.clone().into_partition();
        let agreement = Agreement::of(&found, &truth);
        evaluation.curve.points.push(Point { lambda, counts: agreement.pairs });
        evaluation.clusters.push(ClusterPoint { lambda, clusters: found.group_count(), agreement });
    }
    Ok(())
}

/// The links that matter for clusters at any λ: a spanning forest of the greatest scores (Kruskal), so that however many
/// pairs come, fewer than the papers and a buffer are kept.
struct Forest {
    papers: usize,
    links: Vec<(Score, Pair)>,
}

/// Links that may wait before those that close a circle are dropped.
const WAITING: usize = 1 << 21;

impl Forest {
    fn new(papers: usize) -> Forest {
        Forest { papers, links: Vec::new() }
    }

    fn add(&mut self, pair: Pair, score: Score) {
        if self.links.len() >= WAITING + self.papers {
            self.thin();
        }
        self.links.push((score, pair));
    }

    fn thin(&mut self) {
        self.links.sort_unstable_by(|a, b| b.cmp(a));
        let mut sets = UnionFind::new(self.papers);
        self.links.retain(|(_, pair)| sets.join(pair.first().0, pair.second().0));
    }

    /// The links by descending score.
    fn finish(mut self) -> Vec<(Score, Pair)> {
        self.thin();
        self.links
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::PaperId;
    use crate::evaluation::Confusion;
    use crate::matrix::Matrix;
    use crate::methods::RowMatcher;
    use crate::progress::Run;
    use crate::seed::Seed;
    use crate::similarity::{AllPairs, Measure};

    fn pair(x: u32, y: u32) -> Pair {
        Pair::new(PaperId(x), PaperId(y)).unwrap()
    }

    /// 40 rows: some near copies, two missing.
    fn rows() -> Matrix {
        let mut stream = Seed(6).stream("test/evaluate");
        let mut rows = Matrix::zeros((40, 6));
        rows.iter_mut().for_each(|x| *x = stream.unit() as f32 - 0.4);
        for (copy, of, noise) in [(9, 2, 0.05), (17, 2, 0.2), (21, 20, 0.0), (30, 4, 0.5), (33, 7, 0.02)] {
            for k in 0..6 {
                rows[[copy, k]] = rows[[of, k]] + (stream.unit() - 0.5) as f32 * noise;
            }
        }
        rows.row_mut(12).fill(0.0);
        rows.row_mut(38).fill(0.0);
        rows
    }

    fn truths() -> (Truth, Truth) {
        let truth = Truth::from_pairs(40, [pair(2, 9), pair(2, 17), pair(9, 17), pair(4, 30), pair(12, 13)]);
        let natural = Truth::from_pairs(40, [pair(20, 21), pair(7, 33), pair(2, 9), pair(37, 38)]);
        (truth, natural)
    }

    fn run(unit: Unit, natural: Natural, lambdas: &[&str]) -> Evaluation {
        let rows = rows();
        let matcher = RowMatcher::new(AllPairs::of(&rows, Measure::Cosine), Run::default());
        let (truth, known) = truths();
        let lambdas = lambdas.iter().map(|l| l.parse().unwrap()).collect();
        evaluate(&matcher, &truth, &known, &EvaluationParams { unit, natural, lambdas }).unwrap()
    }

    /// All items one by one, as the words of the documentation say.
    fn naive(unit: Unit, natural: Natural) -> Ranking {
        let rows = rows();
        let pairs = AllPairs::of(&rows, Measure::Cosine);
        let (truth, known) = truths();
        let mut items = Vec::new();
        let mut papers = vec![(None, false); 40];
        for x in 0..40 {
            for y in x + 1..40 {
                let pair = pair(x, y);
                let is_natural = known.is_duplicate(pair) && !truth.is_duplicate(pair);
                let duplicate = truth.is_duplicate(pair) || (is_natural && natural == Natural::Positive);
                if is_natural && natural == Natural::Ignore {
                    continue;
                }
                let score = pairs.is_present(pair).then(|| pairs.score(pair));
                items.push((score, duplicate));
                for paper in [x, y] {
                    papers[paper as usize].0 = papers[paper as usize].0.max(score);
                    papers[paper as usize].1 |= duplicate;
                }
            }
        }
        Ranking::of_items(if unit == Unit::Pair { items } else { papers })
    }

    #[test]
    fn pairs_and_papers_are_those_of_the_naive_walk_under_every_treatment() {
        for unit in [Unit::Pair, Unit::Paper] {
            for natural in [Natural::Count, Natural::Ignore, Natural::Positive] {
                let found = run(unit, natural, &["-1", "0", "0.95", "1"]);
                let naive = naive(unit, natural);
                let ranking = found.ranking.unwrap();
                assert_eq!((ranking.positives(), ranking.negatives()), (naive.positives(), naive.negatives()));
                assert_eq!(ranking.auc(), naive.auc(), "{unit} {natural}");
                assert_eq!(ranking.average_precision(), naive.average_precision(), "{unit} {natural}");
                assert_eq!(ranking.best(), naive.best(), "{unit} {natural}");
                for recall in [0.2, 0.5, 0.8, 0.9, 1.0] {
                    assert_eq!(ranking.precision_at_recall(recall), naive.precision_at_recall(recall));
                }
                for point in &found.curve.points {
                    assert_eq!(point.counts, naive.curve([point.lambda]).points[0].counts, "{unit} {natural}");
                }
                assert_eq!(
                    found.curve.at(Score::MAX).unwrap().counts.total(),
                    ranking.positives() + ranking.negatives()
                );
            }
        }
    }

    #[test]
    fn o_082_natural_duplicates_are_counted_ignored_or_positive() {
        let at = |natural| run(Unit::Pair, natural, &["0.999"]).curve.at("0.999".parse().unwrap()).unwrap().counts;
        let (count, ignore, positive) = (at(Natural::Count), at(Natural::Ignore), at(Natural::Positive));
        assert_eq!((count.fp - ignore.fp, positive.tp - ignore.tp), (2, 2));
        assert_eq!(count.total() - ignore.total(), 3);
        assert_eq!(run(Unit::Pair, Natural::Ignore, &[]).ignored, 3);
        assert_eq!(ignore.precision(), Some(1.0));
    }

    /// Pairs with a paper that has no vector: 38 + 37 + ... each of the two with all others, once.
    #[test]
    fn o_076_pairs_without_a_vector_are_found_at_no_lambda() {
        let found = run(Unit::Pair, Natural::Count, &["-1"]);
        assert_eq!(found.never_found, 39 + 38);
        let all = found.curve.at(Score::MIN).unwrap().counts;
        assert_eq!((all.tp, all.fn_, all.tn), (4, 1, 39 + 38 - 1));
        assert_eq!(run(Unit::Paper, Natural::Count, &[]).never_found, 2);
    }

    #[test]
    fn clusters_close_what_pairs_link() {
        let found = run(Unit::Cluster, Natural::Count, &["1", "0.999", "0.9"]);
        assert_eq!(
            found.clusters.iter().map(|p| p.lambda.to_string()).collect::<Vec<_>>(),
            ["1.000000", "0.999000", "0.900000"]
        );
        let rows = rows();
        let pairs = AllPairs::of(&rows, Measure::Cosine);
        for point in &found.clusters {
            let mut links = Vec::new();
            for x in 0..40 {
                for y in x + 1..40 {
                    if pairs.is_present(pair(x, y)) && pairs.score(pair(x, y)) >= point.lambda {
                        links.push((x, y));
                    }
                }
            }
            let naive = Partition::from_pairs(40, links);
            assert_eq!(point.agreement, Agreement::of(&naive, &truths().0.clusters()), "{}", point.lambda);
            assert_eq!(point.clusters, naive.group_count());
        }
        assert!(found.clusters[0].clusters > found.clusters[2].clusters);
        assert_eq!(found.curve.points[0].counts, Confusion { tp: 0, fp: 1, fn_: 5, tn: 774 });
    }

    #[test]
    fn a_forest_keeps_what_clusters_need() {
        let mut forest = Forest::new(4);
        for (x, y, s) in [(0, 1, "0.5"), (0, 2, "0.9"), (1, 2, "0.7"), (2, 3, "0.1")] {
            forest.add(pair(x, y), s.parse().unwrap());
        }
        let kept: Vec<String> = forest.finish().iter().map(|(s, _)| s.to_string()).collect();
        assert_eq!(kept, ["0.900000", "0.700000", "0.100000"]);
    }
}
