//! Walks the grid of an experiment and fills its tables.

use std::collections::BTreeMap;
use std::time::Instant;

use super::laboratory;
use super::memory::Watch;
use super::news;
use super::spec::{Settings, Spec};
use super::stages::{Sources, Stages};
use super::{ExperimentError, Point};
use crate::evaluation::{Evaluation, EvaluationParams, Interval, evaluate};
use crate::methods::Input;
use crate::progress::Run;
use crate::similarity::Score;
use crate::table::{Cell, Table};

/// What an experiment gives.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One row a point: its axes, counts, areas and rates.
    pub table: Table,
    /// One row for each λ of each point's curve; none for groups of news.
    pub curves: Option<Table>,
    /// Where the seed is an axis: means and 95 % intervals over the seeds. Where there are folds: nested cross-validation.
    pub summary: Option<Table>,
    /// One row a claim.
    pub claims: Table,
    /// The columns of the table that are axes.
    pub axes: Vec<String>,
    /// SHA-256 of each source.
    pub data: BTreeMap<String, String>,
    /// Seconds of stages, where time is the question; written beside the tables, and never compared.
    pub measurements: Option<Table>,
    /// What each point took; not part of any table.
    pub costs: Vec<Cost>,
}

/// What one point took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds for all of it: reading, laying in, training, the method, the evaluation.
    pub seconds: f64,
    /// Seconds for the method and the evaluation of all pairs, without what points share.
    pub method_seconds: f64,
    /// Mebibytes that the method and the evaluation took at most beyond the papers; 0 where the system does not tell.
    pub mebibytes: f64,
}

impl Outcome {
    /// The tables that are compared, with their file names; the curves only where a figure is drawn from them, because they are long.
    pub(super) fn tables(&self, spec: &Spec) -> Vec<(&'static str, &Table)> {
        let mut tables = vec![("table", &self.table), ("claims", &self.claims)];
        if spec.figures.iter().any(|figure| figure.from == "curves") {
            tables.extend(self.curves.as_ref().map(|table| ("curves", table)));
        }
        tables.extend(self.summary.as_ref().map(|table| ("summary", table)));
        tables
    }
}

/// The measures of a row, after its axes.
const MEASURES: [&str; 16] = [
    "papers",
    "without_vector",
    "positives",
    "negatives",
    "ignored",
    "auc",
    "average_precision",
    "best_lambda",
    "best_f1",
    "precision_at_best",
    "recall_at_best",
    "precision_at_recall_0",
    "precision_at_recall_50",
    "precision_at_recall_90",
    "precision_at_recall_99",
    "b_cubed_f1",
];

/// Of these an interval over the seeds is given.
const SUMMED: [&str; 6] =
    ["auc", "average_precision", "best_f1", "precision_at_recall_50", "precision_at_recall_90", "b_cubed_f1"];

/// Runs an experiment.
///
/// # Errors
/// If a point's settings do not fit, its data is not present, or its work fails; the error names the point.
pub fn run(spec: &Spec, sources: &Sources, run: &Run) -> Result<Outcome, ExperimentError> {
    if spec.is_laboratory() {
        return laboratory::run(spec, sources, run);
    }
    let points = spec.points().map_err(|reason| ExperimentError::Spec { path: spec.title.clone(), reason })?;
    let axes: Vec<String> =
        points.first().map(|p| p.axes.iter().map(|(name, _)| name.clone()).collect()).unwrap_or_default();
    let on_news = points.first().is_some_and(|p| p.settings.news.is_some());
    if points.iter().any(|p| p.settings.news.is_some() != on_news) {
        let reason = "[news] belongs to all points or to none".to_owned();
        return Err(ExperimentError::Spec { path: spec.title.clone(), reason });
    }
    let measures: &[&str] = if on_news { &news::MEASURES } else { &MEASURES };
    let mut table = Table::new(axes.iter().cloned().chain(measures.iter().map(|&m| m.to_owned())));
    let curve_columns = ["lambda", "tp", "fp", "fn", "tn", "precision", "recall", "f1", "fpr"];
    let mut curves = Table::new(axes.iter().cloned().chain(curve_columns.map(str::to_owned)));
    let mut stages = Stages::new(sources);
    let (mut shared, mut groups) = (news::Shared::default(), Vec::new());
    let mut costs = Vec::new();
    let task = run.progress.start(&spec.title, Some(points.len() as u64), "points");
    for point in &points {
        task.note(&point.describe());
        let start = Instant::now();
        let failed = |source: Box<dyn std::error::Error + Send + Sync>| match source.downcast::<ExperimentError>() {
            Ok(error) => *error,
            Err(source) => ExperimentError::Point { point: point.describe(), source },
        };
        let (row, curve, cost) = match &point.settings.news {
            None => measure(&point.settings, &mut stages, run).map_err(failed)?,
            Some(settings) => {
                let (row, found) =
                    news::measure(settings, &point.settings, &mut stages, &mut shared, run).map_err(failed)?;
                groups.push(found);
                (row, Table::new(curve_columns), Cost::default())
            }
        };
        let labels: Vec<Cell> = point.axes.iter().map(|(_, value)| Cell::from(value.as_str())).collect();
        table.push(labels.iter().cloned().chain(row).collect());
        for cells in curve.rows() {
            curves.push(labels.iter().chain(cells).cloned().collect());
        }
        costs.push(Cost { seconds: start.elapsed().as_secs_f64(), ..cost });
        task.advance(1);
    }
    let claims = claims(spec, &table, &axes)?;
    let summary = match &spec.folds {
        Some(folds) if on_news => {
            let seed = points.first().map(|p| p.settings.seed).unwrap_or_default();
            Some(
                news::cross_validate(folds, &points, &groups, seed)
                    .map_err(|source| ExperimentError::Spec { path: spec.title.clone(), reason: source.to_string() })?,
            )
        }
        Some(_) => {
            let reason = "[folds] are of stories; wanted [news] too".to_owned();
            return Err(ExperimentError::Spec { path: spec.title.clone(), reason });
        }
        None if on_news => None,
        None => summary(&table, &axes, &points),
    };
    let curves = (!on_news).then_some(curves);
    Ok(Outcome { table, curves, summary, claims, axes, data: stages.hashes, measurements: None, costs })
}

/// The measures of one point and its curve.
fn measure(
    settings: &Settings,
    stages: &mut Stages<'_>,
    run: &Run,
) -> Result<(Vec<Cell>, Table, Cost), Box<dyn std::error::Error + Send + Sync>> {
    let run = Run { seed: settings.seed, ..run.clone() };
    let (papers, embedding) = stages.at(settings, &run)?;
    let input = Input { corpus: &papers.corpus, embedding, fields: &papers.fields };
    let method = settings.method.as_ref().ok_or("wanted a table [method.NAME], or [news]")?;
    let (start, watch) = (Instant::now(), Watch::start());
    let matcher = method.method().prepare(input, run)?;
    let steps = settings.evaluation.steps.clamp(1, 10_000);
    let lambdas: Vec<Score> = (0..=steps).map(|n| Score::of(f64::from(n) / f64::from(steps))).collect();
    let params = EvaluationParams {
        unit: settings.evaluation.unit,
        natural: settings.evaluation.natural,
        lambdas: lambdas.clone(),
    };
    let found = evaluate(matcher.as_ref(), &papers.truth, &papers.natural, &params)?;
    let mebibytes = watch.peak().unwrap_or(0) as f64 / f64::from(1 << 20);
    let cost = Cost { method_seconds: start.elapsed().as_secs_f64(), mebibytes, ..Cost::default() };
    let mut row: Vec<Cell> = vec![papers.corpus.len().into(), matcher.unmatchable().len().into()];
    row.extend(measures(&found));
    Ok((row, thinned(&found, &lambdas), cost))
}

fn measures(found: &Evaluation) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::with_capacity(MEASURES.len());
    match &found.ranking {
        Some(ranking) => {
            cells.extend([Cell::from(ranking.positives()), ranking.negatives().into(), found.ignored.into()]);
            cells.push(ranking.auc().map(|a| a.value()).into());
            cells.push(ranking.average_precision().map(|a| a.value()).into());
            let best = ranking.best();
            cells.push(best.as_ref().map(|p| p.lambda.to_string()).into());
            cells.push(best.as_ref().and_then(|p| p.counts.f1()).into());
            cells.push(best.as_ref().and_then(|p| p.counts.precision()).into());
            cells.push(best.as_ref().and_then(|p| p.counts.recall()).into());
            cells.extend([0.0, 0.5, 0.9, 0.99].map(|r| Cell::from(ranking.precision_at_recall(r))));
            cells.push(Cell::Empty);
        }
        None => {
            let f1 = |p: &crate::evaluation::ClusterPoint| p.agreement.pairs.f1().unwrap_or(0.0);
            let best = found.clusters.iter().max_by(|a, b| f1(a).total_cmp(&f1(b)).then(a.lambda.cmp(&b.lambda)));
            let counts = best.map(|p| p.agreement.pairs);
            cells.push(counts.map(|c| c.tp + c.fn_).into());
            cells.push(counts.map(|c| c.fp + c.tn).into());
            cells.push(found.ignored.into());
            cells.extend([Cell::Empty, Cell::Empty]);
            cells.push(best.map(|p| p.lambda.to_string()).into());
            cells.push(counts.and_then(|c| c.f1()).into());
            cells.push(counts.and_then(|c| c.precision()).into());
            cells.push(counts.and_then(|c| c.recall()).into());
            cells.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
            cells.push(best.and_then(|p| p.agreement.b_cubed).map(|b| b.f1()).into());
        }
    }
    cells
}

/// The curve at the λ asked for and at no more than 200 of the positives' scores, so that tables stay readable.
fn thinned(found: &Evaluation, lambdas: &[Score]) -> Table {
    const MOST: usize = 200;
    let table = found.curve.table();
    let step = table.rows().len().div_ceil(MOST).max(1);
    let mut thin = Table::new(table.columns().iter().cloned());
    for (number, row) in table.rows().iter().enumerate() {
        let asked = row[0].to_string().parse().is_ok_and(|lambda: Score| lambdas.contains(&lambda));
        if asked || number % step == 0 || number + 1 == table.rows().len() {
            thin.push(row.clone());
        }
    }
    thin
}

/// One row a claim, tried on the table.
pub(super) fn claims(spec: &Spec, table: &Table, axes: &[String]) -> Result<Table, ExperimentError> {
    let failed = |source| ExperimentError::Table { path: format!("{}: claims", spec.title), source };
    let mut claims = Table::new(["claim", "column", "tried", "held", "least", "greatest", "where_held"]);
    for claim in &spec.claims {
        let tried = claim.tried(table, axes).map_err(failed)?;
        claims.push(vec![
            claim.says.as_str().into(),
            claim.column.as_str().into(),
            tried.groups.into(),
            tried.held.into(),
            tried.least.into(),
            tried.greatest.into(),
            tried.where_held.into(),
        ]);
    }
    Ok(claims)
}

/// Mean and 95 % interval over the seeds, for rows alike in all other axes.
fn summary(table: &Table, axes: &[String], points: &[Point]) -> Option<Table> {
    let seed = axes.iter().position(|a| a == "seed")?;
    let others: Vec<usize> = (0..axes.len()).filter(|&c| c != seed).collect();
    let mut columns: Vec<String> = others.iter().map(|&c| axes[c].clone()).collect();
    columns.push("seeds".to_owned());
    for name in SUMMED {
        columns.extend([
            name.to_owned(),
            format!("{name}_low"),
            format!("{name}_high"),
            format!("{name}_half"),
            format!("{name}_undefined"),
        ]);
    }
    let mut groups: Vec<(Vec<&str>, Vec<usize>)> = Vec::new();
    for (row, point) in points.iter().enumerate() {
        let key: Vec<&str> = others.iter().map(|&c| point.axes[c].1.as_str()).collect();
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    let mut summary = Table::new(columns);
    for (key, rows) in groups {
        let mut cells: Vec<Cell> = key.into_iter().map(Cell::from).collect();
        cells.push(rows.len().into());
        for name in SUMMED {
            let column = table.column(name).expect("a measure is a column of the table");
            let values: Vec<Option<f64>> = rows.iter().map(|&r| table.rows()[r][column].number()).collect();
            let undefined = values.iter().filter(|v| v.is_none()).count();
            let interval = Interval::of(values);
            let bounds = interval.as_ref().and_then(|i| i.bounds);
            cells.push(interval.as_ref().map(|i| i.mean).into());
            cells.push(bounds.map(|b| b.0).into());
            cells.push(bounds.map(|b| b.1).into());
            cells.push(bounds.map(|b| (b.1 - b.0) / 2.0).into());
            cells.push(undefined.into());
        }
        summary.push(cells);
    }
    Some(summary)
}
