//! `papertwin pairs`: every pair at or above λ.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::{Corpus, Fields, Pair};
use papertwin::matrix::Matrix;
use papertwin::methods::Matcher;
use papertwin::output::Output;
use papertwin::partition::Partition;
use papertwin::similarity::{Score, identical_rows};

use super::corpus_args::ReadingArgs;
use super::method_args::{MethodArgs, lambda, tell_unmatchable};
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin pairs papers.jsonl --method portrait --embedding words.fifu -k 10 --lambda 0.9 -o pairs.csv
  papertwin pairs papers.jsonl --method whole-file --lambda 1 -o -
  papertwin pairs --vectors portraits.npy --lambda 0.95 -o pairs.csv
  papertwin pairs papers.jsonl --vectors portraits.npy --lambda 0.95 --groups copies.csv -o pairs.csv

The table has the columns first, second (places in the corpus, from 0), first_id, second_id, score, and ascends. A score
is rounded to six decimals before it is compared with λ.";

/// The arguments of `pairs`.
#[derive(Args)]
pub struct Pairs {
    /// Records in any known format; may be left out with --vectors
    #[arg(value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    method: MethodArgs,
    /// Pairs with at least this similarity, from -1 to 1
    #[arg(long, value_name = "λ", value_parser = lambda, allow_negative_numbers = true)]
    lambda: Score,
    /// Where the pairs go; - is standard output
    #[arg(long, short, value_name = "CSV", default_value = "-")]
    output: PathBuf,
    /// At most so many pairs are written
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    max_pairs: u64,
    /// Write identical rows of --vectors as groups (columns group, row, id), and pairs of each group's first row only
    #[arg(long, value_name = "CSV", requires = "vectors")]
    groups: Option<PathBuf>,
}

impl Pairs {
    /// Reads, compares, writes.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        if !self.method.is_given() {
            self.method.spec()?;
        }
        let mut out = Output::create(&self.output)?;
        let groups_out = self.groups.as_ref().map(Output::create).transpose()?;
        let (corpus, mut outcome) = match self.corpus.is_empty() {
            true if self.method.vectors.is_none() => anyhow::bail!("no corpus; name its files, or give --vectors"),
            true => (None, Outcome::Clean),
            false => {
                let (loaded, outcome) = self.reading.load_over(&self.corpus, Fields::All, context)?;
                (Some(loaded.corpus), outcome)
            }
        };
        let id = |place: usize| match &corpus {
            Some(corpus) => corpus.papers()[place].id.clone(),
            None => place.to_string(),
        };
        let complete = if let Some(rows) = self.method.load_vectors(corpus.as_ref())? {
            let same = identical_rows(&rows);
            tell_identical(&same, context);
            match groups_out {
                Some(groups) => {
                    write_groups(groups, &same, &id)?;
                    let (rows, firsts) = firsts_of(&rows, &same);
                    let matcher = self.method.rows_matcher(&rows, context);
                    context.say(matcher.pairs().estimate(self.lambda));
                    self.write(&matcher, &mut out, |place| firsts[place], &id, context)?
                }
                None => {
                    let matcher = self.method.rows_matcher(&rows, context);
                    context.say(matcher.pairs().estimate(self.lambda));
                    self.write(&matcher, &mut out, |place| place, &id, context)?
                }
            }
        } else {
            let empty = Corpus::default();
            let corpus = corpus.as_ref().unwrap_or(&empty);
            let embedding = self.method.load_embedding(context)?;
            let matcher = self.method.prepare(corpus, embedding.as_ref(), context)?;
            self.write(matcher.as_ref(), &mut out, |place| place, &id, context)?
        };
        out.commit()?;
        if !complete {
            outcome = Outcome::NotClean;
        }
        Ok(outcome)
    }

    /// `false` if there are more pairs than may be written.
    fn write(
        &self,
        matcher: &dyn Matcher,
        out: &mut Output,
        place: impl Fn(usize) -> usize,
        id: &dyn Fn(usize) -> String,
        context: &Context,
    ) -> anyhow::Result<bool> {
        tell_unmatchable(matcher, |row| id(place(row)), context);
        if let Some(rate) = matcher.expected_miss_rate(self.lambda) {
            context.say(format_args!(
                "a pair at λ = {} is missed with an expected probability of {rate:.6}, pairs above it less often",
                self.lambda
            ));
        }
        let mut writer = csv::Writer::from_writer(&mut *out);
        writer.write_record(["first", "second", "first_id", "second_id", "score"])?;
        let mut failure = None;
        let mut written = 0;
        let report = matcher.scan(self.lambda, &mut |pair: Pair, score: Score| {
            if written == self.max_pairs {
                return ControlFlow::Break(());
            }
            let (x, y) = (place(pair.first().index()), place(pair.second().index()));
            match writer.write_record([x.to_string(), y.to_string(), id(x), id(y), score.to_string()]) {
                Ok(()) => {
                    written += 1;
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure.into());
        }
        writer.flush()?;
        drop(writer);
        out.flush()?;
        if report.stopped {
            context.progress.warn(&format!(
                "stopped after {written} pairs: there are more at λ = {}; raise --max-pairs or λ, or give --groups",
                self.lambda
            ));
        } else {
            context.say(format_args!("{written} of {} pairs at or above λ = {}", report.pairs, self.lambda));
        }
        Ok(!report.stopped)
    }
}

fn tell_identical(same: &Partition, context: &Context) {
    let sizes: Vec<u32> = same.sizes().into_iter().filter(|&size| size > 1).collect();
    if let Some(largest) = sizes.iter().max() {
        context.say(format_args!(
            "{} groups of identical rows, the largest of {largest}: they make {} pairs by themselves",
            sizes.len(),
            same.pair_count()
        ));
    }
}

fn write_groups(mut out: Output, same: &Partition, id: &dyn Fn(usize) -> String) -> anyhow::Result<()> {
    {
        let mut writer = csv::Writer::from_writer(&mut out);
        writer.write_record(["group", "row", "id"])?;
        let groups = same.groups();
        for (number, group) in groups.iter().filter(|group| group.len() > 1).enumerate() {
            for &row in group {
                writer.write_record([(number + 1).to_string(), row.to_string(), id(row as usize)])?;
            }
        }
        writer.flush()?;
    }
    Ok(out.commit()?)
}

/// The first row of each group, and where it was.
fn firsts_of(rows: &Matrix, same: &Partition) -> (Matrix, Vec<usize>) {
    let firsts: Vec<usize> = same.groups().iter().map(|group| group[0] as usize).collect();
    let mut kept = Matrix::zeros((firsts.len(), rows.ncols()));
    for (mut row, &from) in kept.outer_iter_mut().zip(&firsts) {
        row.assign(&rows.row(from));
    }
    (kept, firsts)
}
