//! `papertwin lab`: the experiments on shingles, MinHash and exact joins, as tables.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use papertwin::corpus::Field;
use papertwin::experiment::near_duplicates::{self, Measured, Ways};
use papertwin::output::Output;
use papertwin::similarity::Score;
use papertwin::sketch::bands::{BandIndex, Bands};
use papertwin::sketch::minhash::{Family, MinHash};
use papertwin::text::{LanguageChoice, ShingleKind, ShingleParams, ShingleSets, Shingling, ShortText, WordRule, Words};
use rayon::prelude::*;

use super::corpus_args::CorpusArgs;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin lab pages -o pages.csv
  papertwin lab joins news.jsonl --text-fields body -o joins.csv --measurements joins-measurements.csv
  papertwin lab families --measurements families-measurements.csv
  papertwin lab orders papers.jsonl --measurements orders-measurements.csv
  papertwin lab candidates papers.jsonl --threads 1
  papertwin lab growth --sizes 10000,100000,1000000 --measurements growth-measurements.csv
  papertwin lab shingles news.jsonl --kind stop-word --size 2 --text-fields body";

#[derive(clap::Args)]
pub struct Lab {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(clap::Subcommand)]
enum Experiment {
    /// Stop-word against word and letter shingles on articles wrapped in generated menus and advertisements
    Pages {
        /// Articles; three pairs of pages each
        #[arg(long, default_value_t = 200)]
        articles: u64,
        /// The table; - is standard output
        #[arg(short, long, value_name = "CSV", default_value = "-")]
        output: PathBuf,
    },
    /// Buckets of lengths, MinHash and every exact join at thresholds .5 to .95
    Joins {
        #[command(flatten)]
        corpus: CorpusArgs,
        #[command(flatten)]
        shingles: Cut,
        /// Thresholds
        #[arg(long, value_delimiter = ',', default_value = "0.5,0.6,0.7,0.75,0.8,0.85,0.9,0.95")]
        thresholds: Vec<Score>,
        #[command(flatten)]
        tables: Tables,
    },
    /// How well and how fast n functions, one permutation and rounds estimate, on sets of known similarity
    Families {
        /// Components of a signature
        #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
        components: u32,
        /// Pairs of sets for each size and similarity
        #[arg(long, default_value_t = 1000)]
        pairs: u64,
        #[command(flatten)]
        tables: Tables,
    },
    /// MinHash row by row and column by column, with a cheap and with a dear hash
    Orders {
        #[command(flatten)]
        corpus: CorpusArgs,
        #[command(flatten)]
        shingles: Cut,
        /// Components of a signature
        #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
        components: u32,
        #[command(flatten)]
        tables: Tables,
    },
    /// MinHash candidates of a corpus, with times and memory as one line of JSON, as other programs are measured
    Candidates {
        #[command(flatten)]
        corpus: CorpusArgs,
        #[command(flatten)]
        shingles: Cut,
        /// Components of a signature
        #[arg(long, default_value_t = 128, value_parser = clap::value_parser!(u32).range(1..=65536))]
        components: u32,
        /// Bands
        #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
        bands: u32,
        /// How components are made
        #[arg(long, default_value = "rounds", value_parser = family)]
        family: Family,
    },
    /// How work grows with generated documents
    Growth {
        /// Numbers of documents
        #[arg(long, value_delimiter = ',', default_value = "10000,30000,100000")]
        sizes: Vec<usize>,
        /// minhash, exact, or both: one alone shows its memory
        #[arg(long, default_value = "both", value_parser = ways)]
        ways: Ways,
        #[command(flatten)]
        tables: Tables,
    },
    /// The shingles of every record, as CSV: id, shingle
    Shingles {
        #[command(flatten)]
        corpus: CorpusArgs,
        #[command(flatten)]
        shingles: Cut,
        /// Where to write; - is standard output
        #[arg(short, long, value_name = "CSV", default_value = "-")]
        output: PathBuf,
    },
}

/// How texts are cut.
#[derive(clap::Args)]
struct Cut {
    /// The fields that a text is made of
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', default_value = "title,abstract")]
    text_fields: Vec<Field>,
    /// What a shingle is: letters, words, stop-word
    #[arg(long, default_value = "words", value_parser = name::<ShingleKind>)]
    kind: ShingleKind,
    /// Letters, words, or words after the stop word
    #[arg(long, default_value_t = 3)]
    size: u32,
    /// What a word is: unicode, ascii, regex
    #[arg(long, default_value = "unicode", value_parser = name::<WordRule>)]
    words: WordRule,
    /// The language of the stop words, or auto
    #[arg(long, default_value = "auto")]
    language: LanguageChoice,
    /// A text too short for one shingle is one: whole, or has none: none
    #[arg(long, default_value = "whole", value_parser = name::<ShortText>)]
    short: ShortText,
    /// A text with fewer shingles has none
    #[arg(long, default_value_t = 1)]
    min_set: u32,
}

impl Cut {
    fn shingling(&self) -> anyhow::Result<Shingling> {
        let params = ShingleParams {
            kind: self.kind,
            size: self.size,
            words: self.words,
            language: self.language,
            short: self.short,
            min_set: self.min_set,
            ..ShingleParams::default()
        };
        Ok(params.check()?)
    }
}

/// Where tables go.
#[derive(clap::Args)]
struct Tables {
    /// The table of counts; - is standard output
    #[arg(short, long, value_name = "CSV", default_value = "-")]
    output: PathBuf,
    /// The table of seconds
    #[arg(long, value_name = "CSV")]
    measurements: Option<PathBuf>,
}

impl Tables {
    /// Opens the outputs before the work begins.
    fn write(&self, work: impl FnOnce() -> Measured) -> anyhow::Result<()> {
        let mut out = Output::create(&self.output)?;
        let measurements = self.measurements.as_ref().map(Output::create).transpose()?;
        let found = work();
        found.table.write_csv(&mut out)?;
        out.commit()?;
        if let Some(mut out) = measurements {
            found.measurements.write_csv(&mut out)?;
            out.commit()?;
        }
        Ok(())
    }
}

/// The value of a kebab-case name.
fn name<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(serde_json::Value::String(text.into())).map_err(|error| error.to_string())
}

fn ways(text: &str) -> Result<Ways, String> {
    match text {
        "minhash" => Ok(Ways::MinHash),
        "exact" => Ok(Ways::Exact),
        "both" => Ok(Ways::Both),
        _ => Err("wanted minhash, exact or both".into()),
    }
}

fn family(text: &str) -> Result<Family, String> {
    name(text)
}

impl Lab {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let run = context.run();
        match self.experiment {
            Experiment::Pages { articles, output } => {
                Tables { output, measurements: None }.write(|| near_duplicates::wrapped_pages(articles, &run))?;
                Ok(Outcome::Clean)
            }
            Experiment::Joins { corpus, shingles, thresholds, tables } => {
                let (sets, outcome) = sets(&corpus, &shingles, context)?;
                tables.write(|| near_duplicates::joins(&sets, &thresholds, &run))?;
                Ok(outcome)
            }
            Experiment::Families { components, pairs, tables } => {
                tables.write(|| near_duplicates::families(components as usize, pairs, &run))?;
                Ok(Outcome::Clean)
            }
            Experiment::Orders { corpus, shingles, components, tables } => {
                let (sets, outcome) = sets(&corpus, &shingles, context)?;
                tables.write(|| near_duplicates::orders(&sets, components as usize, &run))?;
                Ok(outcome)
            }
            Experiment::Growth { sizes, ways, tables } => {
                tables.write(|| near_duplicates::growth(&sizes, ways, &run))?;
                context.say(format_args!("peak memory: {} MiB", peak_memory().map_or("?".into(), |m| m.to_string())));
                Ok(Outcome::Clean)
            }
            Experiment::Candidates { corpus, shingles, components, bands, family } => {
                candidates(&corpus, &shingles, components as usize, bands as usize, family, context)
            }
            Experiment::Shingles { corpus, shingles, output } => {
                let mut out = Output::create(&output)?;
                let shingling = shingles.shingling()?;
                let (loaded, outcome) = corpus.load(context)?;
                let mut table = csv::Writer::from_writer(&mut out);
                table.write_record(["id", "shingle"])?;
                let mut without = 0;
                for paper in loaded.corpus.papers() {
                    let list = shingling.list(&paper.text(&shingles.text_fields));
                    without += usize::from(list.len() < shingles.min_set as usize);
                    for shingle in list {
                        table.write_record([&paper.id, &shingle])?;
                    }
                }
                table.flush()?;
                drop(table);
                out.commit()?;
                context
                    .say(format!("{without} of {} records have no shingle, or fewer than wanted", loaded.corpus.len()));
                Ok(outcome)
            }
        }
    }
}

fn sets(corpus: &CorpusArgs, cut: &Cut, context: &Context) -> anyhow::Result<(ShingleSets, Outcome)> {
    let shingling = cut.shingling()?;
    let (loaded, outcome) = corpus.load(context)?;
    Ok((ShingleSets::of_corpus(&loaded.corpus, &cut.text_fields, &shingling), outcome))
}

/// As other programs are measured: the clock starts when all texts have been cut into words.
fn candidates(
    corpus: &CorpusArgs,
    cut: &Cut,
    components: usize,
    bands: usize,
    family: Family,
    context: &Context,
) -> anyhow::Result<Outcome> {
    if bands > components {
        bail!("--bands {bands} of --components {components}: wanted at most one band a component");
    }
    if cut.kind == ShingleKind::Letters || cut.min_set > 1 {
        bail!("candidates are measured on words: --kind words or stop-word, without --min-set");
    }
    let shingling = cut.shingling()?;
    let clock = Instant::now();
    let (loaded, outcome) = corpus.load(context)?;
    let read = clock.elapsed();
    let papers = loaded.corpus.papers();
    let texts: Vec<Words> = papers.par_iter().map(|paper| shingling.words(&paper.text(&cut.text_fields))).collect();
    drop(loaded);
    let ready = clock.elapsed();
    let signatures = MinHash::new(family, components, context.seed).stream(texts.len(), |document, hashes| {
        shingling.hash_words(&texts[document], hashes);
    });
    let signed = clock.elapsed();
    let index = BandIndex::new(&signatures, Bands { bands, rows: components / bands });
    let mut found = Vec::new();
    let mut pairs = 0;
    for document in 0..texts.len() as u32 {
        index.later(document, &mut found);
        pairs += found.len();
    }
    let done = clock.elapsed();
    let seconds = |time: Duration| (time.as_secs_f64() * 1e4).round() / 1e4;
    let line = serde_json::json!({
        "documents": texts.len(),
        "candidates": pairs,
        "read_seconds": seconds(read),
        "cut_seconds": seconds(ready - read),
        "signature_seconds": seconds(signed - ready),
        "seconds": seconds(done - ready),
        "all_seconds": seconds(done),
        "peak_rss_mib": peak_memory(),
    });
    let mut out = Output::create("-")?;
    std::io::Write::write_all(&mut out, format!("{line}\n").as_bytes()).context("standard output")?;
    out.commit()?;
    Ok(outcome)
}

/// The most memory that this process had, in MiB, where the system tells it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib / 1024)
}
