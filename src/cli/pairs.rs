//! `papertwin pairs`: every pair at or above λ.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::{Corpus, Fields, Pair};
use papertwin::methods::Matcher;
#[cfg(feature = "hnsw")]
use papertwin::methods::NearestMatcher;
use papertwin::output::Output;
use papertwin::partition::Partition;
#[cfg(feature = "hnsw")]
use papertwin::similarity::NearestParams;
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
    /// Ask a graph for the neighbours of each row of --vectors instead of comparing all: some pairs are missed, and how many is
    /// measured on a sample and told
    #[cfg(feature = "hnsw")]
    #[arg(long, requires = "vectors", conflicts_with = "kernel")]
    approximate: bool,
    /// The most neighbours of a row that --approximate finds
    #[cfg(feature = "hnsw")]
    #[arg(long, value_name = "N", default_value_t = 64, requires = "approximate")]
    neighbours: usize,
}

impl Pairs {
    /// Reads, compares, writes.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        self.method.check()?;
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
        let ids = match &corpus {
            Some(corpus) => Ids::Of(corpus),
            None => Ids::Places,
        };
        let complete = if let Some(rows) = self.method.load_vectors(corpus.as_ref())? {
            let same = identical_rows(&rows);
            tell_identical(&same, context);
            let mut matcher = self.method.rows_matcher(&rows, context);
            if let Some(groups) = groups_out {
                write_groups(groups, &same, &ids)?;
                matcher = matcher.only(&firsts_of(&same));
            }
            drop(same);
            #[cfg(feature = "hnsw")]
            let matcher: Box<dyn Matcher + '_> = match self.approximate {
                true => {
                    let params = NearestParams { neighbours: self.neighbours, ..NearestParams::default() };
                    Box::new(NearestMatcher::new(matcher.into_pairs(), params, context.run()))
                }
                false => Box::new(matcher),
            };
            #[cfg(not(feature = "hnsw"))]
            let matcher = Box::new(matcher);
            self.write(matcher.as_ref(), &mut out, &ids, context)?
        } else {
            let empty = Corpus::default();
            let corpus = corpus.as_ref().unwrap_or(&empty);
            let embedding = self.method.load_embedding(context)?;
            let matcher = self.method.prepare(corpus, embedding.as_ref(), context)?;
            self.write(matcher.as_ref(), &mut out, &ids, context)?
        };
        out.commit()?;
        if !complete {
            outcome = Outcome::NotClean;
        }
        Ok(outcome)
    }

    /// `false` if there are more pairs than may be written.
    fn write(&self, matcher: &dyn Matcher, out: &mut Output, ids: &Ids<'_>, context: &Context) -> anyhow::Result<bool> {
        tell_unmatchable(matcher, |row| ids.name(row), context);
        if let Some(rate) = matcher.expected_miss_rate(self.lambda) {
            context.say(format_args!(
                "a pair at λ = {} is missed with an expected probability of {rate:.6}, pairs above it less often",
                self.lambda
            ));
        }
        if let Some(estimate) = matcher.estimate(self.lambda) {
            context.say(estimate);
        }
        writeln!(out, "first,second,first_id,second_id,score")?;
        let mut failure = None;
        let mut written = 0;
        let mut line = Vec::new();
        let report = matcher.scan(self.lambda, &mut |pair: Pair, score: Score| {
            if written == self.max_pairs {
                return ControlFlow::Break(());
            }
            line.clear();
            push_number(pair.first().0.into(), &mut line);
            line.push(b',');
            push_number(pair.second().0.into(), &mut line);
            line.push(b',');
            ids.push(pair.first().index(), &mut line);
            line.push(b',');
            ids.push(pair.second().index(), &mut line);
            line.push(b',');
            push_score(score, &mut line);
            line.push(b'\n');
            match out.write_all(&line) {
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

/// What rows are called.
enum Ids<'c> {
    /// By their places.
    Places,
    /// As the papers are.
    Of(&'c Corpus),
}

impl Ids<'_> {
    fn name(&self, row: usize) -> String {
        match self {
            Ids::Places => row.to_string(),
            Ids::Of(corpus) => corpus.papers()[row].id.clone(),
        }
    }

    /// Appends a name as CSV writes it.
    fn push(&self, row: usize, line: &mut Vec<u8>) {
        match self {
            Ids::Places => push_number(row as u64, line),
            Ids::Of(corpus) => push_quoted(&corpus.papers()[row].id, line),
        }
    }
}

fn push_quoted(text: &str, line: &mut Vec<u8>) {
    match text.contains([',', '"', '\n', '\r']) {
        true => line.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes()),
        false => line.extend_from_slice(text.as_bytes()),
    }
}

/// Millions of pairs are written: digits by hand take a fifth of the time of `write!`.
fn push_number(mut number: u64, line: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        digits[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[place..]);
}

fn push_score(score: Score, line: &mut Vec<u8>) {
    let size = score.millionths().unsigned_abs();
    if score < Score::ZERO {
        line.push(b'-');
    }
    line.extend_from_slice(&[b'0' + (size / 1_000_000) as u8, b'.']);
    let mut unit = 100_000;
    while unit > 0 {
        line.push(b'0' + (size / unit % 10) as u8);
        unit /= 10;
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

fn write_groups(mut out: Output, same: &Partition, ids: &Ids<'_>) -> anyhow::Result<()> {
    {
        let mut writer = csv::Writer::from_writer(&mut out);
        writer.write_record(["group", "row", "id"])?;
        let groups = same.groups();
        for (number, group) in groups.iter().filter(|group| group.len() > 1).enumerate() {
            for &row in group {
                writer.write_record([(number + 1).to_string(), row.to_string(), ids.name(row as usize)])?;
            }
        }
        writer.flush()?;
    }
    Ok(out.commit()?)
}

/// The first row of each group, ascending.
fn firsts_of(same: &Partition) -> Vec<u32> {
    // Groups are numbered by first appearance.
    let mut next = 0;
    let labels = same.labels().iter().zip(0u32..);
    labels
        .filter(|&(&group, _)| {
            group == next && {
                next += 1;
                true
            }
        })
        .map(|(_, row)| row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_csv_and_scores_display_themselves() {
        for millionths in [-1_000_000, -999_999, -1, 0, 1, 90_000, 123_456, 1_000_000] {
            let score = Score::from_millionths(millionths).unwrap();
            let mut line = Vec::new();
            push_score(score, &mut line);
            assert_eq!(String::from_utf8(line).unwrap(), score.to_string());
        }
        for number in [0, 7, 10, 999, u64::from(u32::MAX)] {
            let mut line = Vec::new();
            push_number(number, &mut line);
            assert_eq!(String::from_utf8(line).unwrap(), number.to_string());
        }
        for (text, quoted) in [("a\"b,c", "\"a\"\"b,c\""), ("10.1/x", "10.1/x")] {
            let mut line = Vec::new();
            push_quoted(text, &mut line);
            assert_eq!(String::from_utf8(line).unwrap(), quoted);
        }
        assert_eq!(firsts_of(&Partition::from_labels(&[7, 7, 3, 7, 5, 3])), [0, 2, 4]);
    }
}
