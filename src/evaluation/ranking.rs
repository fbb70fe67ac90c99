//! Items from the greatest score down, and everything that follows from their order: areas, best λ, curves.
//!
//! # Conventions
//! * Predicted at λ is every item whose score is at or above λ.
//! * Items of one score form one step: they become predicted together. So in the ROC area a tie counts one half.
//! * The ROC curve starts at (0, 0), where nothing is predicted, and ends at (1, 1), where everything is.
//! * Items that no λ finds (a paper without a vector, a pair that an approximate search missed) are the last step of
//!   the areas, all tied, and are never predicted in a curve's counts.
//! * Average precision is the sum over the steps of (recall gained) x (precision there), without interpolation: what
//!   scikit-learn calls `average_precision_score`; the ROC area is its `roc_auc_score`.
//! * 0/0 is undefined, not 0: the ROC area needs both classes, average precision needs a positive.

use super::Confusion;
use super::counts::ratio;
use crate::similarity::Score;
use crate::table::{Cell, Table};

/// An area between two bounds that are proven: exact counts go in, and the bounds hold all roundings of the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// The true value is not below this.
    pub lower: f64,
    /// The true value is not above this.
    pub upper: f64,
}

impl Area {
    /// The middle of the bounds.
    pub fn value(self) -> f64 {
        self.lower + (self.upper - self.lower) / 2.0
    }

    /// A sum with at most so many roundings, each at most half of f64's epsilon, relatively.
    fn around(value: f64, roundings: f64) -> Area {
        let error = value * roundings * f64::EPSILON;
        Area { lower: (value - error).max(0.0), upper: (value + error).min(1.0) }
    }
}

/// The counts at one λ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Everything at or above it is predicted.
    pub lambda: Score,
    /// The counts.
    pub counts: Confusion,
}

/// Points by descending λ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    /// The points, the greatest λ first.
    pub points: Vec<Point>,
}

impl Curve {
    /// A table with one row a point: `lambda, tp, fp, fn, tn, precision, recall, f1, fpr`. An undefined rate is an empty
    /// cell.
    pub fn table(&self) -> Table {
        let mut table = Table::new(["lambda", "tp", "fp", "fn", "tn", "precision", "recall", "f1", "fpr"]);
        for Point { lambda, counts } in &self.points {
            let mut row = vec![Cell::from(lambda.to_string())];
            row.extend([counts.tp, counts.fp, counts.fn_, counts.tn].map(Cell::from));
            row.extend([counts.precision(), counts.recall(), counts.f1(), counts.fpr()].map(Cell::from));
            table.push(row);
        }
        table
    }

    /// The point at a λ, if it is one of the curve's.
    pub fn at(&self, lambda: Score) -> Option<&Point> {
        self.points.iter().find(|p| p.lambda == lambda)
    }
}

/// Items of two classes in the order of their scores.
///
/// ```
/// use papertwin::evaluation::Ranking;
/// use papertwin::similarity::Score;
/// let of = |s: f64, duplicate| (Some(Score::of(s)), duplicate);
/// let ranking = Ranking::of_items([of(0.9, true), of(0.7, false), of(0.7, true), of(0.1, false)]);
/// assert!((ranking.auc().unwrap().value() - 0.875).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    positives: u64,
    negatives: u64,
    /// By descending score; between two neighbours lie items of one score only, or of one class only.
    points: Vec<Point>,
}

impl Ranking {
    /// Ranks single items: each has a score, or none if no λ finds it, and is a duplicate or not.
    pub fn of_items(items: impl IntoIterator<Item = (Option<Score>, bool)>) -> Ranking {
        let mut found = Vec::new();
        let (mut positives, mut negatives) = (0, 0);
        for (score, duplicate) in items {
            *if duplicate { &mut positives } else { &mut negatives } += 1;
            if let Some(score) = score {
                found.push((score, duplicate));
            }
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        let (mut tp, mut fp) = (0, 0);
        let mut reached = Vec::new();
        for step in found.chunk_by(|a, b| a.0 == b.0) {
            let more = step.iter().filter(|(_, duplicate)| *duplicate).count() as u64;
            tp += more;
            fp += step.len() as u64 - more;
            reached.push((step[0].0, tp, fp));
        }
        Ranking::of_reached(positives, negatives, reached)
    }

    /// A ranking from how many positives and negatives are at or above each λ of a descending list. Between two
    /// neighbours of the list there may be items of one score, or of one class; of anything else the areas would depend
    /// on an order that is not known.
    ///
    /// # Panics
    /// If the list does not descend or counts exceed the classes.
    pub(super) fn of_reached(
        positives: u64,
        negatives: u64,
        reached: impl IntoIterator<Item = (Score, u64, u64)>,
    ) -> Ranking {
        let points: Vec<Point> = reached
            .into_iter()
            .map(|(lambda, tp, fp)| {
                assert!(tp <= positives && fp <= negatives, "no more items than there are");
                Point { lambda, counts: Confusion { tp, fp, fn_: positives - tp, tn: negatives - fp } }
            })
            .collect();
        assert!(points.windows(2).all(|w| w[0].lambda > w[1].lambda), "λ descends");
        Ranking { positives, negatives, points }
    }

    /// Items that are duplicates.
    pub fn positives(&self) -> u64 {
        self.positives
    }

    /// Items that are not.
    pub fn negatives(&self) -> u64 {
        self.negatives
    }

    /// Duplicates that no λ finds.
    pub fn positives_never_found(&self) -> u64 {
        self.positives - self.points.last().map_or(0, |p| p.counts.tp)
    }

    /// Items that no λ finds, duplicates or not.
    pub fn never_found(&self) -> u64 {
        let found = self.points.last().map_or(0, |p| p.counts.tp + p.counts.fp);
        self.positives + self.negatives - found
    }

    /// The same ranking with so many more duplicates and others that no λ finds.
    pub fn with_never_found(self, positives: u64, negatives: u64) -> Ranking {
        let reached = self.points.into_iter().map(|p| (p.lambda, p.counts.tp, p.counts.fp));
        Ranking::of_reached(self.positives + positives, self.negatives + negatives, reached)
    }

    /// The ROC curve: a row a step, `lambda, fpr, tpr`. It begins at (0, 0) and ends at (1, 1); both ends have no λ, and
    /// the last row is the same as the one before where everything is found at some λ. A rate that is undefined is an empty
    /// cell.
    pub fn roc(&self) -> Table {
        let mut table = Table::new(["lambda", "fpr", "tpr"]);
        let mut row = |lambda: Option<Score>, tp, fp| {
            let rates = [ratio(fp, self.negatives), ratio(tp, self.positives)];
            table.push(vec![lambda.map(|l| l.to_string()).into(), rates[0].into(), rates[1].into()]);
        };
        row(None, 0, 0);
        self.points.iter().for_each(|p| row(Some(p.lambda), p.counts.tp, p.counts.fp));
        row(None, self.positives, self.negatives);
        table
    }

    /// The counts at every known λ, descending.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The counts at these λ, in descending order, each once. The counts at a λ that is not known are those of the next
    /// known one above it.
    pub fn curve(&self, lambdas: impl IntoIterator<Item = Score>) -> Curve {
        let mut lambdas: Vec<Score> = lambdas.into_iter().collect();
        lambdas.sort_unstable_by(|a, b| b.cmp(a));
        lambdas.dedup();
        let none = Confusion { tp: 0, fp: 0, fn_: self.positives, tn: self.negatives };
        let points = lambdas.into_iter().map(|lambda| {
            let above = self.points.partition_point(|p| p.lambda >= lambda);
            Point { lambda, counts: if above == 0 { none } else { self.points[above - 1].counts } }
        });
        Curve { points: points.collect() }
    }

    /// Points, then the last step to everything.
    fn steps(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.points.iter().map(|p| (p.counts.tp, p.counts.fp)).chain([(self.positives, self.negatives)])
    }

    /// The area under the ROC curve: the share of (positive, negative) couples in which the positive scores more, a tie
    /// counting one half. `None` unless there are both.
    pub fn auc(&self) -> Option<Area> {
        if self.positives == 0 || self.negatives == 0 {
            return None;
        }
        // Twice the number of couples, in whole numbers.
        let mut doubled = 0u128;
        let (mut before, mut passed) = (0, 0);
        for (tp, fp) in self.steps() {
            doubled += u128::from(fp - passed) * (u128::from(tp) + u128::from(before));
            (before, passed) = (tp, fp);
        }
        let couples = 2 * u128::from(self.positives) * u128::from(self.negatives);
        Some(if doubled == couples {
            Area { lower: 1.0, upper: 1.0 }
        } else {
            Area::around(doubled as f64 / couples as f64, 3.0)
        })
    }

    /// The sum of (recall gained) x (precision) over the steps. `None` if there are no positives.
    pub fn average_precision(&self) -> Option<Area> {
        if self.positives == 0 {
            return None;
        }
        let mut sum = 0.0;
        let mut steps = 0.0;
        let mut before = 0;
        for (tp, fp) in self.steps() {
            if tp > before {
                sum += (tp - before) as f64 * tp as f64 / (tp + fp) as f64;
                steps += 1.0;
            }
            before = tp;
        }
        // Counts below 2^53 are exact in f64; a term has three roundings, and each addition one more.
        Some(Area::around(sum / self.positives as f64, steps + 4.0))
    }

    /// The point of the greatest F1, of several the one of the greatest λ. `None` without positives or points. The
    /// greatest F1 of all λ is at the score of a positive, and those are known.
    pub fn best(&self) -> Option<Point> {
        let mut best: Option<(f64, Point)> = None;
        for point in self.points.iter().filter(|_| self.positives > 0) {
            if let Some(f1) = point.counts.f1()
                && best.is_none_or(|(most, _)| f1 > most)
            {
                best = Some((f1, *point));
            }
        }
        best.map(|(_, point)| point)
    }

    /// The greatest precision at a λ whose recall is at least this; `None` if no λ reaches it.
    pub fn precision_at_recall(&self, recall: f64) -> Option<f64> {
        let reached = |p: &&Point| ratio(p.counts.tp, self.positives).is_some_and(|r| r >= recall);
        self.points.iter().filter(reached).filter_map(|p| p.counts.precision()).reduce(f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(items: &[(&str, u8)]) -> Ranking {
        Ranking::of_items(items.iter().map(|&(s, label)| ((s != "-").then(|| s.parse().unwrap()), label == 1)))
    }

    fn close(area: Option<Area>, value: f64) {
        let area = area.expect("defined");
        assert!(area.lower <= value + 1e-15 && value <= area.upper + 1e-15, "{area:?} {value}");
        assert!(area.upper - area.lower < 1e-9);
    }

    #[test]
    fn o_083_one_class_only_is_undefined() {
        let negative = ranking(&[("0.9", 0), ("0.8", 0), ("0.1", 0)]);
        assert_eq!((negative.auc(), negative.average_precision(), negative.best()), (None, None, None));
        assert_eq!(negative.points()[0].counts.recall(), None);
        let positive = ranking(&[("0.9", 1), ("0.8", 1), ("0.1", 1)]);
        assert_eq!((positive.auc(), positive.points()[0].counts.fpr()), (None, None));
        close(positive.average_precision(), 1.0);
        assert_eq!(positive.best().unwrap().lambda.to_string(), "0.100000");
        let nothing = ranking(&[]);
        assert_eq!((nothing.auc(), nothing.best(), nothing.precision_at_recall(0.0)), (None, None, None));
    }

    #[test]
    fn o_084_a_point_for_every_threshold() {
        let r = ranking(&[("0.99", 1), ("0.95", 1), ("0.60", 0), ("0.30", 0), ("0.20", 0)]);
        let rates: Vec<_> =
            r.points().iter().map(|p| (p.counts.precision().unwrap(), p.counts.recall().unwrap())).collect();
        assert_eq!(rates, [(1.0, 0.5), (1.0, 1.0), (2.0 / 3.0, 1.0), (0.5, 1.0), (0.4, 1.0)]);
        assert_eq!(r.auc(), Some(Area { lower: 1.0, upper: 1.0 }));
        assert_eq!(r.best().unwrap().lambda.to_string(), "0.950000");
        let roc = r.roc();
        let ends = [&roc.rows()[0], roc.rows().last().unwrap()].map(|row| (row[1].number(), row[2].number()));
        assert_eq!(ends, [(Some(0.0), Some(0.0)), (Some(1.0), Some(1.0))]);
        assert_eq!(roc.rows().len(), 7);
    }

    #[test]
    fn o_085_ties_at_one_count_one_half() {
        let r = ranking(&[("0.2", 0), ("0.4", 1), ("0.6", 1), ("1.0", 1), ("1.0", 0), ("1.0", 0)]);
        close(r.auc(), 4.0 / 9.0);
        let first = r.points()[0].counts;
        assert_eq!((first.fpr(), first.recall()), (Some(2.0 / 3.0), Some(1.0 / 3.0)));
        // scikit-learn's step sum: 1/3 * 1/3 + 1/3 * 2/4 + 1/3 * 3/5.
        close(r.average_precision(), (1.0 / 3.0 + 0.5 + 0.6) / 3.0);
        let grid: Vec<Score> = (0..=10).map(|i| Score::of(f64::from(i) / 10.0)).collect();
        let curve = r.curve(grid);
        assert_eq!(curve.points.len(), 11);
        assert_eq!(curve.points[0].counts, first);
        assert_eq!(curve.points[10].counts, Confusion { tp: 3, fp: 3, fn_: 0, tn: 0 });
    }

    #[test]
    fn o_086_nothing_predicted_has_no_precision() {
        let r = ranking(&[("0.93", 1), ("0.5", 0), ("0.2", 0)]);
        let table = r.curve(["0.90", "0.95", "0.99"].map(|l| l.parse().unwrap())).table();
        let mut csv = Vec::new();
        table.write_csv(&mut csv).unwrap();
        assert_eq!(
            String::from_utf8(csv).unwrap(),
            "lambda,tp,fp,fn,tn,precision,recall,f1,fpr\n\
             0.990000,0,0,1,2,,0.000000,0.000000,0.000000\n\
             0.950000,0,0,1,2,,0.000000,0.000000,0.000000\n\
             0.900000,1,0,0,2,1.000000,1.000000,1.000000,0.000000\n"
        );
    }

    /// Worked by hand: two positives and one negative are found at no λ, and tie as the last step.
    #[test]
    fn what_no_lambda_finds_comes_last() {
        let r = ranking(&[("0.9", 1), ("0.8", 0), ("-", 1), ("-", 0)]);
        // Couples: (.9, .8) 1, (.9, -) 1, (-, .8) 0, (-, -) 1/2.
        close(r.auc(), 2.5 / 4.0);
        close(r.average_precision(), 0.5 * 1.0 + 0.5 * 0.5);
        assert_eq!(r.positives_never_found(), 1);
        assert_eq!(r.precision_at_recall(0.5), Some(1.0));
        assert_eq!(r.precision_at_recall(0.9), None);
        assert_eq!(r.points().last().unwrap().counts.fn_, 1);
        assert_eq!((r.never_found(), ranking(&[("0.9", 1), ("0.8", 0)]).with_never_found(1, 1)), (2, r));
    }

    /// A naive second implementation: every couple, and every item as a threshold.
    #[test]
    fn areas_are_those_of_naive_sums() {
        let mut stream = crate::seed::Seed(9).stream("test/ranking");
        for n in [5usize, 30, 200] {
            let items: Vec<(Option<Score>, bool)> = (0..n)
                .map(|_| {
                    let duplicate = stream.chance(0.3);
                    let score = stream.below(12) as f64 / 12.0 + if duplicate { 0.05 } else { -0.1 };
                    (Some(Score::of(score)), duplicate)
                })
                .chain([(Some(Score::ZERO), true), (Some(Score::MAX), false)])
                .collect();
            let r = Ranking::of_items(items.iter().copied());
            let (mut won, mut couples) = (0.0, 0.0);
            for &(p, _) in items.iter().filter(|i| i.1) {
                for &(q, _) in items.iter().filter(|i| !i.1) {
                    couples += 1.0;
                    won += if p > q {
                        1.0
                    } else if p == q {
                        0.5
                    } else {
                        0.0
                    };
                }
            }
            close(r.auc(), won / couples);
            let mut thresholds: Vec<Score> = items.iter().filter_map(|i| i.0).collect();
            thresholds.sort_unstable();
            thresholds.dedup();
            let (mut ap, mut recall) = (0.0, 0.0);
            for &t in thresholds.iter().rev() {
                let mut c = Confusion::default();
                items.iter().for_each(|&(s, d)| c.add(s >= Some(t), d));
                ap += (c.recall().unwrap() - recall) * c.precision().unwrap();
                recall = c.recall().unwrap();
                assert_eq!(r.curve([t]).points[0].counts, c);
            }
            close(r.average_precision(), ap);
        }
    }
}
