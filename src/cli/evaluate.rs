//! `papertwin evaluate`: a method, vectors or a scored list against the truth.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;
use papertwin::corpus::{Corpus, Fields, Pair, Paper, Truth};
use papertwin::error::FileError;
use papertwin::evaluation::{
    Area, Confusion, Evaluation, EvaluationParams, Interval, Natural, Ranking, RecommendParams, Recommendation, Unit,
    evaluate, natural_duplicates, parse_lambdas, recommend,
};
use papertwin::inject::Edit;
use papertwin::methods::Matcher;
use papertwin::output::Output;
use papertwin::similarity::Score;
use papertwin::table::Table;
use serde_json::{Value, json};

use super::corpus_args::ReadingArgs;
use super::method_args::{MethodArgs, tell_unmatchable};
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin evaluate papers.jsonl --method portrait --embedding words.fifu --truth truth.csv --curve curve.csv
  papertwin evaluate papers.jsonl --method whole-file --truth truth.csv --unit cluster --lambda 1
  papertwin evaluate --vectors portraits.npy --truth truth.csv --lambda 0.80:0.99:0.01 --json
  papertwin evaluate --pairs scored.csv --roc roc.csv
  papertwin evaluate papers.jsonl --method hashed-portrait --recommend 0.99

Conventions: items of one score become predicted together (a tie counts one half in the ROC area); the ROC curve runs from
(0,0) to (1,1); average precision is the step sum without interpolation; 0/0 is undefined and an empty cell; areas of one
class only are undefined. A paper without a vector is found at no λ. All counts are exact.";

/// The arguments of `evaluate`.
#[derive(Args)]
pub struct Evaluate {
    /// Records in any known format; may be left out with --vectors and --pairs
    #[arg(value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// A scored list instead of a method: CSV with a column score, and two columns of ids before it or a column label
    #[arg(long, value_name = "CSV", conflicts_with_all = ["method", "vectors"])]
    pairs: Option<PathBuf>,
    /// The true pairs: CSV, the first two columns are ids or row numbers
    #[arg(long, value_name = "CSV")]
    truth: Option<PathBuf>,
    /// What is classified: pair, paper or cluster
    #[arg(long, value_name = "UNIT", default_value = "pair")]
    unit: Unit,
    /// Duplicates that the corpus holds by itself: count, ignore or positive
    #[arg(long, value_name = "HOW", default_value = "count")]
    natural: Natural,
    /// λ at which counts are wanted: numbers and ranges FROM:TO:STEP, separated by commas [default for clusters: 0.50:1:0.01]
    #[arg(long, value_name = "λ,…", value_parser = lambdas, allow_hyphen_values = true)]
    lambda: Option<Lambdas>,
    /// Write the curve: counts and rates at every λ asked for and at every positive's score
    #[arg(long, value_name = "CSV")]
    curve: Option<PathBuf>,
    /// Write the ROC curve with both of its ends: columns lambda, fpr, tpr
    #[arg(long, value_name = "CSV")]
    roc: Option<PathBuf>,
    /// Recommend λ for this precision instead: edited copies are laid into the corpus itself, so no truth is needed
    #[arg(
        long,
        value_name = "PRECISION",
        requires = "method",
        conflicts_with_all = ["truth", "pairs", "vectors", "lambda", "curve", "roc"]
    )]
    recommend: Option<f64>,
    /// What is done to the copies of --recommend, one of them drawn for each [default: garble=0.1, drop-words=0.3,
    /// truncate=0.5, keep-fields=title, keep-fields=abstract]
    #[arg(long, value_name = "NAME[=DOSE]", requires = "recommend")]
    edit: Vec<Edit>,
    /// How many times --recommend draws copies
    #[arg(long, value_name = "N", default_value_t = 5, requires = "recommend")]
    draws: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// λ asked for.
#[derive(Clone, Debug)]
struct Lambdas(Vec<Score>);

fn lambdas(text: &str) -> Result<Lambdas, String> {
    parse_lambdas(text).map(Lambdas).map_err(|e| e.to_string())
}

impl Evaluate {
    /// Reads, scores, counts, writes.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        if self.pairs.is_none() {
            self.method.check()?;
        }
        let curve_out = self.curve.as_ref().map(Output::create).transpose()?;
        let roc_out = self.roc.as_ref().map(Output::create).transpose()?;
        let (corpus, outcome) = match self.corpus.is_empty() {
            true if self.method.method.is_some() => bail!("no corpus; name its files"),
            true => (None, Outcome::Clean),
            false => {
                let (loaded, outcome) = self.reading.load_over(&self.corpus, Fields::All, context)?;
                (Some(loaded.corpus), outcome)
            }
        };
        if self.natural != Natural::Count && corpus.is_none() {
            bail!("--natural {} needs the corpus, to find what it repeats", self.natural);
        }
        if let Some(precision) = self.recommend {
            let corpus = corpus.context("no corpus; name its files")?;
            self.recommend(precision, &corpus, context)?;
            return Ok(outcome);
        }
        let evaluation = match &self.pairs {
            Some(path) => self.of_list(path, corpus.as_ref(), context)?,
            None => self.of_method(corpus, context)?,
        };
        if let Some(mut out) = curve_out {
            evaluation.curve.table().write_csv(&mut out)?;
            out.commit()?;
        }
        if let Some(mut out) = roc_out {
            let ranking = evaluation.ranking.as_ref().context("--roc: clusters have no ROC curve")?;
            ranking.roc().write_csv(&mut out)?;
            out.commit()?;
        }
        if let Some(ranking) = &evaluation.ranking
            && ranking.auc().is_none()
        {
            let class = if ranking.positives() == 0 { "duplicate" } else { "non-duplicate" };
            context.progress.warn(&format!("there is no {class} {}: some rates and areas are undefined", self.unit));
        }
        let asked = self.asked();
        let mut out = std::io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string_pretty(&as_json(&evaluation, &asked))?)?,
            false => write!(out, "{}", as_text(&evaluation, &asked))?,
        }
        out.flush()?;
        Ok(outcome)
    }

    /// λ for a wanted precision, with the pairs around it.
    fn recommend(&self, precision: f64, corpus: &Corpus, context: &Context) -> anyhow::Result<()> {
        let mut params = RecommendParams { precision, draws: self.draws, ..RecommendParams::default() };
        if !self.edit.is_empty() {
            params.edits = self.edit.clone();
        }
        let embedding = self.method.load_embedding(context)?;
        let method = self.method.spec()?.method();
        let found =
            recommend(corpus, method.as_ref(), embedding.as_ref(), &self.method.text_fields, &params, &context.run())?;
        if let Some(warning) = found.warning() {
            context.progress.warn(&warning);
        }
        let mut out = std::io::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", serde_json::to_string_pretty(&recommended_json(&found, corpus))?)?,
            false => write!(out, "{}", recommended_text(&found, corpus, &params))?,
        }
        Ok(out.flush()?)
    }

    fn asked(&self) -> Vec<Score> {
        match &self.lambda {
            Some(lambdas) => lambdas.0.clone(),
            None if self.unit == Unit::Cluster => parse_lambdas("0.50:1:0.01").expect("a range"),
            None => Vec::new(),
        }
    }

    fn params(&self) -> EvaluationParams {
        EvaluationParams { unit: self.unit, natural: self.natural, lambdas: self.asked() }
    }

    fn of_method(&self, corpus: Option<Corpus>, context: &Context) -> anyhow::Result<Evaluation> {
        let truth_path = self.truth.as_ref().context("no truth; give the true pairs with --truth")?;
        let rows = self.method.load_vectors(corpus.as_ref())?;
        // Without a corpus the papers are called by their row numbers.
        let numbered =
            |m: usize| Corpus::new((0..m).map(|row| Paper { id: row.to_string(), ..Paper::default() }).collect());
        let corpus = match (corpus, &rows) {
            (Some(corpus), _) => corpus,
            (None, Some(rows)) => numbered(rows.nrows()),
            (None, None) => bail!("no corpus; name its files, or give --vectors"),
        };
        let truth = read_truth(truth_path, &corpus, context)?;
        let natural = match self.natural {
            Natural::Count => Truth::from_pairs(corpus.len(), []),
            _ => natural_duplicates(&corpus),
        };
        if self.natural != Natural::Count {
            context.say(format_args!("{} natural duplicate pairs ({})", natural.pairs().len(), self.natural));
        }
        let embedding = self.method.load_embedding(context)?;
        let matcher: Box<dyn Matcher> = match &rows {
            Some(rows) => Box::new(self.method.rows_matcher(rows, context)),
            None => self.method.prepare(&corpus, embedding.as_ref(), context)?,
        };
        tell_unmatchable(matcher.as_ref(), corpus.len(), |place| corpus.papers()[place].id.clone(), context);
        Ok(evaluate(matcher.as_ref(), &truth, &natural, &self.params())?)
    }

    /// A ready list: by its labels, or by the truth.
    fn of_list(&self, path: &Path, corpus: Option<&Corpus>, context: &Context) -> anyhow::Result<Evaluation> {
        if self.unit != Unit::Pair || self.natural != Natural::Count {
            bail!("--pairs is judged pair by pair as it is; leave --unit and --natural out");
        }
        let name = || path.display().to_string();
        let table = Table::read_csv(File::open(path).map_err(FileError::at(path))?).with_context(name)?;
        let score_column = table.column("score").with_context(name)?;
        let mut scores = Vec::new();
        for (place, row) in table.rows().iter().enumerate() {
            let cell = &row[score_column];
            match cell.number().filter(|s| (-1.0..=1.0).contains(s)) {
                Some(score) => scores.push(Score::of(score)),
                None => bail!(
                    "{}, line {}: the score is {:?}; wanted a number from -1 to 1",
                    name(),
                    place + 2,
                    cell.to_string()
                ),
            }
        }
        let ranking = match (&self.truth, table.column("label")) {
            (None, Ok(label)) => {
                let mut items = Vec::new();
                for (place, (row, score)) in table.rows().iter().zip(scores).enumerate() {
                    let duplicate = match row[label].to_string().to_lowercase().as_str() {
                        "1" | "true" | "yes" => true,
                        "0" | "false" | "no" => false,
                        other => bail!("{}, line {}: the label is {other:?}; wanted 0 or 1", name(), place + 2),
                    };
                    items.push((Some(score), duplicate));
                }
                Ranking::of_items(items)
            }
            (None, Err(_)) => bail!("{}: no column label; give the true pairs with --truth", name()),
            (Some(truth), _) => by_truth(&table, &scores, truth, corpus, context).with_context(name)?,
        };
        let every = ranking.points().iter().map(|p| p.lambda);
        Ok(Evaluation {
            unit: self.unit,
            natural: self.natural,
            ignored: 0,
            never_found: ranking.never_found(),
            curve: ranking.curve(every.chain(self.asked())),
            ranking: Some(ranking),
            clusters: Vec::new(),
        })
    }
}

fn read_truth(path: &Path, corpus: &Corpus, context: &Context) -> anyhow::Result<Truth> {
    let file = File::open(path).map_err(FileError::at(path))?;
    Truth::read_csv(file, corpus, context.progress.as_ref()).with_context(|| path.display().to_string())
}

/// A list of ids and scores against a file of true pairs. With the corpus, every pair of it that the list does not have
/// was not found; without, only the pairs of the list and of the truth are judged.
fn by_truth(
    table: &Table,
    scores: &[Score],
    truth: &Path,
    corpus: Option<&Corpus>,
    context: &Context,
) -> anyhow::Result<Ranking> {
    if table.columns().len() < 3 {
        bail!("wanted two columns of ids and a score, found {}", table.columns().join(", "));
    }
    let column = |name: &str, otherwise: usize| table.column(name).unwrap_or(otherwise);
    let (first, second) = (column("first_id", 0), column("second_id", 1));
    let lines: Vec<(u64, String, String)> = table
        .rows()
        .iter()
        .enumerate()
        .map(|(place, row)| (place as u64 + 2, row[first].to_string(), row[second].to_string()))
        .collect();
    let listed;
    let all = match corpus {
        Some(corpus) => corpus,
        None => {
            // The papers are those that the list and the truth name.
            let mut ids: BTreeMap<String, ()> = BTreeMap::new();
            let named = Table::read_csv(File::open(truth).map_err(FileError::at(truth))?)?;
            let of_truth = named.rows().iter().flat_map(|row| row.iter().take(2)).map(|cell| cell.to_string());
            ids.extend(lines.iter().flat_map(|(_, x, y)| [x.clone(), y.clone()]).map(|id| (id, ())));
            // A truth without a header begins with a pair that the list has too.
            let head: Vec<String> = named.columns().iter().take(2).cloned().collect();
            let is_pair = head.len() == 2 && head.iter().all(|id| ids.contains_key(id));
            ids.extend(of_truth.chain(head.into_iter().filter(|_| is_pair)).map(|id| (id, ())));
            listed = Corpus::new(ids.into_keys().map(|id| Paper { id, ..Paper::default() }).collect());
            &listed
        }
    };
    let truth = read_truth(truth, all, context)?;
    let mut found: BTreeMap<Pair, Score> = BTreeMap::new();
    let mut alone = 0;
    for ((x, y), &score) in all.resolve_ids(&lines)?.into_iter().zip(scores) {
        let Some(pair) = Pair::new(x, y) else {
            alone += 1;
            continue;
        };
        if found.insert(pair, score).is_some() {
            context.progress.warn(&format!(
                "{} and {} are listed twice; the last score counts",
                all.paper(x).id,
                all.paper(y).id
            ));
        }
    }
    if alone > 0 {
        context.progress.warn(&format!("{alone} lines of the list name one paper twice; they are left out"));
    }
    let missed = truth.pairs().iter().filter(|pair| !found.contains_key(pair)).count() as u64;
    let items = found.iter().map(|(&pair, &score)| (Some(score), truth.is_duplicate(pair)));
    let unlisted = match corpus {
        Some(corpus) => Pair::count(corpus.len()) - found.len() as u64 - missed,
        None => 0,
    };
    Ok(Ranking::of_items(items).with_never_found(missed, unlisted))
}

fn counts_json(lambda: Score, counts: Confusion) -> Value {
    json!({
        "lambda": lambda.to_string(), "tp": counts.tp, "fp": counts.fp, "fn": counts.fn_, "tn": counts.tn,
        "precision": counts.precision(), "recall": counts.recall(), "f1": counts.f1(), "fpr": counts.fpr(),
    })
}

const RECALLS: [(&str, f64); 3] = [("0.5", 0.5), ("0.9", 0.9), ("0.99", 0.99)];

fn as_json(evaluation: &Evaluation, asked: &[Score]) -> Value {
    let area = |area: Option<Area>| area.map(Area::value);
    let bounds = |area: Option<Area>| area.map(|a| [a.lower, a.upper]);
    let mut out = json!({
        "unit": evaluation.unit.name(), "natural": evaluation.natural.name(),
        "ignored": evaluation.ignored, "never_found": evaluation.never_found,
    });
    let fields = out.as_object_mut().expect("an object");
    if let Some(ranking) = &evaluation.ranking {
        fields.insert("positives".into(), ranking.positives().into());
        fields.insert("negatives".into(), ranking.negatives().into());
        fields.insert("positives_never_found".into(), ranking.positives_never_found().into());
        fields.insert("auc".into(), json!(area(ranking.auc())));
        fields.insert("auc_bounds".into(), json!(bounds(ranking.auc())));
        fields.insert("average_precision".into(), json!(area(ranking.average_precision())));
        fields.insert("average_precision_bounds".into(), json!(bounds(ranking.average_precision())));
        fields.insert("best".into(), ranking.best().map_or(Value::Null, |p| counts_json(p.lambda, p.counts)));
        for (name, recall) in RECALLS {
            fields.insert(format!("precision_at_recall_{name}"), json!(ranking.precision_at_recall(recall)));
        }
    }
    let at = asked.iter().filter_map(|&lambda| evaluation.curve.at(lambda));
    fields.insert("at".into(), at.map(|p| counts_json(p.lambda, p.counts)).collect());
    if evaluation.unit == Unit::Cluster {
        let clusters = evaluation.clusters.iter().rev().map(|point| {
            let b = point.agreement.b_cubed;
            json!({
                "lambda": point.lambda.to_string(), "clusters": point.clusters,
                "b_cubed_precision": b.map(|b| b.precision), "b_cubed_recall": b.map(|b| b.recall),
                "b_cubed_f1": b.map(|b| b.f1()), "nmi": point.agreement.nmi, "ari": point.agreement.ari,
            })
        });
        fields.insert("clusters".into(), clusters.collect());
    }
    out
}

fn as_text(evaluation: &Evaluation, asked: &[Score]) -> String {
    let number = |x: Option<f64>| x.map_or("undefined".to_owned(), |x| format!("{x:.6}"));
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<26}{value}\n"));
    line("unit", evaluation.unit.to_string());
    if let Some(ranking) = &evaluation.ranking {
        line("duplicates", ranking.positives().to_string());
        line("others", ranking.negatives().to_string());
        if evaluation.ignored > 0 {
            line("left out", evaluation.ignored.to_string());
        }
        if evaluation.never_found > 0 {
            let of = ranking.positives_never_found();
            line("found at no λ", format!("{}, {of} of them duplicates", evaluation.never_found));
        }
        line("ROC area", number(ranking.auc().map(Area::value)));
        line("average precision", number(ranking.average_precision().map(Area::value)));
        for (name, recall) in RECALLS {
            line(&format!("precision at recall {name}"), number(ranking.precision_at_recall(recall)));
        }
        if let Some(best) = ranking.best() {
            line("best λ", best.lambda.to_string());
            line("  precision, recall, F1", rates(best.counts));
        }
    }
    for point in asked.iter().filter_map(|&lambda| evaluation.curve.at(lambda)) {
        line(&format!("λ = {}", point.lambda), rates(point.counts));
    }
    for point in &evaluation.clusters {
        let b = point.agreement.b_cubed;
        let (p, r, f) = (b.map(|b| b.precision), b.map(|b| b.recall), b.map(|b| b.f1()));
        line(
            &format!("  B-cubed at {}", point.lambda),
            format!("{} {} {}, {} clusters", number(p), number(r), number(f), point.clusters),
        );
    }
    text
}

fn recommended_json(found: &Recommendation, corpus: &Corpus) -> Value {
    let interval = |interval: Option<Interval>| {
        interval.map(|i| json!({ "mean": i.mean, "bounds": i.bounds.map(|b| [b.0, b.1]), "draws": i.runs }))
    };
    let pairs = |pairs: &[(Pair, Score)]| -> Value {
        let id = |place| corpus.paper(place).id.as_str();
        pairs.iter().map(|&(p, s)| json!([id(p.first()), id(p.second()), s.to_string()])).collect()
    };
    json!({
        "lambda": found.lambda.to_string(),
        "range": [found.range.0.to_string(), found.range.1.to_string()],
        "draws_without": found.without,
        "precision": interval(found.precision), "recall": interval(found.recall),
        "pairs": found.pairs, "removed": found.removed, "papers": found.papers, "largest_group": found.largest,
        "warning": found.warning(), "above": pairs(&found.above), "below": pairs(&found.below),
    })
}

fn recommended_text(found: &Recommendation, corpus: &Corpus, params: &RecommendParams) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<26}{value}\n"));
    line("λ", format!("{} ({} to {} over {} draws)", found.lambda, found.range.0, found.range.1, params.draws));
    if found.without > 0 {
        line("", format!("{} of the draws reach {} at no λ", found.without, params.precision));
    }
    let interval = |interval: Option<Interval>| match interval {
        Some(Interval { mean, bounds: Some((low, high)), .. }) => {
            format!("{mean:.4} ({:.4} to {:.4}, 95 %)", low.max(0.0), high.min(1.0))
        }
        Some(Interval { mean, .. }) => format!("{mean:.4}"),
        None => "undefined".to_owned(),
    };
    line("precision, other draws", interval(found.precision));
    line("recall of the copies", interval(found.recall));
    line("pairs of the corpus", format!("{} at or above λ", found.pairs));
    line("papers it would remove", format!("{} of {}, largest group {}", found.removed, found.papers, found.largest));
    for (name, pairs) in [("just above λ", &found.above), ("just below λ", &found.below)] {
        line(name, pairs.len().to_string());
        for (pair, score) in pairs {
            let (x, y) = (corpus.paper(pair.first()), corpus.paper(pair.second()));
            line(&format!("  {score}"), format!("{} | {}", x.id, x.title));
            line("", format!("{} | {}", y.id, y.title));
        }
    }
    text
}

fn rates(c: Confusion) -> String {
    let number = |x: Option<f64>| x.map_or("undefined".to_owned(), |x| format!("{x:.6}"));
    format!(
        "{} {} {} (TP {}, FP {}, FN {}, TN {})",
        number(c.precision()),
        number(c.recall()),
        number(c.f1()),
        c.tp,
        c.fp,
        c.fn_,
        c.tn
    )
}
