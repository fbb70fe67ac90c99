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
#[cfg(feature = "hnsw")]
use papertwin::similarity::NearestParams;
use papertwin::similarity::{PairSink, Score, identical_rows};
use rayon::prelude::*;

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
            self.tell_identical(&same, context);
            let mut matcher = self.method.rows_matcher(&rows, context);
            if let Some(groups) = groups_out {
                write_groups(groups, &same, &ids)?;
                matcher = matcher.only(&firsts_of(rows.nrows(), &same));
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

    /// Says what equal rows alone make, so that nobody waits for a table that cannot hold it.
    fn tell_identical(&self, same: &[Vec<u32>], context: &Context) {
        let Some(largest) = same.iter().map(Vec::len).max() else { return };
        let pairs: u64 = same.iter().map(|group| Pair::count(group.len())).sum();
        context.say(format_args!(
            "{} groups of identical rows, the largest of {largest}: they make {pairs} pairs by themselves",
            same.len()
        ));
        if self.groups.is_none() && pairs > self.max_pairs {
            context.progress.warn(&format!(
                "identical rows alone make {pairs} pairs, more than the {} that may be written; give --groups to write them \
                 as groups",
                self.max_pairs
            ));
        }
    }

    /// `false` if there are more pairs than may be written.
    fn write(&self, matcher: &dyn Matcher, out: &mut Output, ids: &Ids<'_>, context: &Context) -> anyhow::Result<bool> {
        let papers = if let Ids::Of(corpus) = ids { corpus.len() } else { usize::MAX };
        tell_unmatchable(matcher, papers, |row| ids.name(row), context);
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
        let mut table = Table { out, ids, most: self.max_pairs, written: 0, failure: None, parts: Vec::new() };
        let report = matcher.scan(self.lambda, &mut table)?;
        let written = table.written;
        if let Some(failure) = table.failure {
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

    /// Appends a pair's line.
    fn push_line(&self, pair: Pair, score: Score, lines: &mut Vec<u8>) {
        let (first, second) = (pair.first(), pair.second());
        let mut end = Tail::default();
        end.push_score(score);
        if let Ids::Of(corpus) = self {
            let mut begin = Tail::default();
            begin.push_numbers(first.0, second.0);
            begin.append_to(lines);
            for id in [first, second] {
                push_quoted(&corpus.papers()[id.index()].id, lines);
                lines.push(b',');
            }
        } else {
            end.push_numbers(first.0, second.0);
            end.push_numbers(first.0, second.0);
        }
        end.append_to(lines);
    }
}

/// The table of pairs. Lines are made on all threads and written in their order.
struct Table<'t> {
    out: &'t mut Output,
    ids: &'t Ids<'t>,
    /// At most so many pairs are written.
    most: u64,
    written: u64,
    failure: Option<std::io::Error>,
    /// Lines under construction, kept for their memory.
    parts: Vec<Vec<u8>>,
}

/// Lines that one thread makes at a time: 256 KiB where ids are short.
const LINES: usize = 8192;

impl Table<'_> {
    fn try_pairs(&mut self, pairs: &[(Pair, Score)]) -> std::io::Result<()> {
        self.parts.resize(2 * rayon::current_num_threads(), Vec::new());
        for wave in pairs.chunks(LINES * self.parts.len()) {
            let ids = self.ids;
            let write = |(pairs, lines): (&[(Pair, Score)], &mut Vec<u8>)| {
                lines.clear();
                pairs.iter().for_each(|&(pair, score)| ids.push_line(pair, score, lines));
            };
            match wave.len() {
                ..=LINES => write((wave, &mut self.parts[0])),
                _ => wave.par_chunks(LINES).zip(&mut self.parts).for_each(write),
            }
            for lines in &self.parts[..wave.len().div_ceil(LINES)] {
                self.out.write_all(lines)?;
            }
            self.written += wave.len() as u64;
        }
        Ok(())
    }
}

impl PairSink for Table<'_> {
    fn pair(&mut self, pair: Pair, score: Score) -> ControlFlow<()> {
        match self.pairs(&[(pair, score)]) {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pairs(&mut self, pairs: &[(Pair, Score)]) -> usize {
        let more = (self.most - self.written).min(pairs.len() as u64) as usize;
        match self.try_pairs(&pairs[..more]) {
            Ok(()) => more,
            Err(error) => {
                self.failure = Some(error);
                0
            }
        }
    }
}

fn push_quoted(text: &str, line: &mut Vec<u8>) {
    match text.contains([',', '"', '\n', '\r']) {
        true => line.extend_from_slice(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes()),
        false => line.extend_from_slice(text.as_bytes()),
    }
}

/// The end of a line, which grows to the left: digits come out of divisions in that order. Millions of pairs are written, and
/// this takes a tenth of the time of `write!`.
struct Tail {
    /// As much again after the line, so that a line is copied as so many bytes always, which is faster.
    bytes: [u8; 2 * Tail::MOST],
    from: usize,
}

impl Default for Tail {
    fn default() -> Tail {
        Tail { bytes: [0; 2 * Tail::MOST], from: Tail::MOST }
    }
}

impl Tail {
    /// No less than four numbers of ten digits, four commas, a score and the end of the line.
    const MOST: usize = 64;

    fn append_to(&self, lines: &mut Vec<u8>) {
        let end = lines.len() + Tail::MOST - self.from;
        lines.extend_from_slice(&self.bytes[self.from..][..Tail::MOST]);
        lines.truncate(end);
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.from -= 1;
        self.bytes[self.from] = byte;
    }

    /// The last two digits of a number.
    #[inline]
    fn push_two(&mut self, number: u32) {
        const DIGITS: [[u8; 2]; 100] = {
            let mut digits = [[0; 2]; 100];
            let mut number = 0;
            while number < 100 {
                digits[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
                number += 1;
            }
            digits
        };
        self.from -= 2;
        self.bytes[self.from..self.from + 2].copy_from_slice(&DIGITS[number as usize % 100]);
    }

    /// A number and a comma after it.
    #[inline]
    fn push_number(&mut self, mut number: u32) {
        self.push(b',');
        while number >= 100 {
            self.push_two(number);
            number /= 100;
        }
        match number {
            10.. => self.push_two(number),
            _ => self.push(b'0' + number as u8),
        }
    }

    /// Two numbers, each with a comma after it.
    #[inline]
    fn push_numbers(&mut self, first: u32, second: u32) {
        self.push_number(second);
        self.push_number(first);
    }

    /// A score and the end of its line.
    #[inline]
    fn push_score(&mut self, score: Score) {
        self.push(b'\n');
        let size = score.millionths().unsigned_abs();
        self.push_two(size);
        self.push_two(size / 100);
        self.push_two(size / 10_000);
        self.push(b'.');
        self.push(b'0' + (size / 1_000_000) as u8);
        if score < Score::ZERO {
            self.push(b'-');
        }
    }
}

fn write_groups(mut out: Output, same: &[Vec<u32>], ids: &Ids<'_>) -> anyhow::Result<()> {
    {
        let mut writer = csv::Writer::from_writer(&mut out);
        writer.write_record(["group", "row", "id"])?;
        for (number, group) in same.iter().enumerate() {
            for &row in group {
                writer.write_record([(number + 1).to_string(), row.to_string(), ids.name(row as usize)])?;
            }
        }
        writer.flush()?;
    }
    Ok(out.commit()?)
}

/// All rows but those that repeat the first one of their group, ascending.
fn firsts_of(rows: usize, same: &[Vec<u32>]) -> Vec<u32> {
    let mut repeats: Vec<u32> = same.iter().flat_map(|group| &group[1..]).copied().collect();
    repeats.sort_unstable();
    let mut repeats = repeats.into_iter().peekable();
    (0..rows as u32).filter(|row| repeats.next_if_eq(row).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use papertwin::corpus::{Paper, PaperId};

    use super::*;

    #[test]
    fn lines_are_written_as_csv_and_scores_display_themselves() {
        let pair = |first, second| Pair::new(PaperId(first), PaperId(second)).unwrap();
        for millionths in [-1_000_000, -999_999, -1, 0, 1, 90_000, 123_456, 1_000_000] {
            let score = Score::from_millionths(millionths).unwrap();
            for (first, second) in [(0, 7), (10, 999), (99_999, 100_000), (u32::MAX - 1, u32::MAX)] {
                let mut line = b"x\n".to_vec();
                Ids::Places.push_line(pair(first, second), score, &mut line);
                let wanted = format!("x\n{first},{second},{first},{second},{score}\n");
                assert_eq!(String::from_utf8(line).unwrap(), wanted);
            }
        }
        let paper = |id: &str| Paper { id: id.into(), ..Paper::default() };
        let corpus = Corpus::new(vec![paper("10.1/x"), paper("a,b")]);
        let mut line = Vec::new();
        Ids::Of(&corpus).push_line(pair(0, 1), Score::MAX, &mut line);
        assert_eq!(String::from_utf8(line).unwrap(), "0,1,10.1/x,\"a,b\",1.000000\n");
        for (text, quoted) in [("a\"b,c", "\"a\"\"b,c\""), ("10.1/x", "10.1/x")] {
            let mut line = Vec::new();
            push_quoted(text, &mut line);
            assert_eq!(String::from_utf8(line).unwrap(), quoted);
        }
        assert_eq!(firsts_of(6, &[vec![0, 1, 3], vec![2, 5]]), [0, 2, 4]);
    }
}
