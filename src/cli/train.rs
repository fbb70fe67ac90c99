//! `papertwin train`: word2vec from corpora or token files to a model file.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use papertwin::corpus::{Field, Fields};
use papertwin::embedding::{
    Architecture, Loss, ModelOutput, ReadOptions, TrainOptions, Word2VecParams, checkpoint_dims, read, read_tokens,
    train_from,
};
use papertwin::text::{AnalyzerParams, Tokens};

use super::corpus_args::ReadingArgs;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin train papers.jsonl -o papers.fifu
  papertwin train arxiv.jsonl.gz cord19.csv -o both.bin --dims 200 --min-count 2 --epochs 10
  papertwin train --tokens tokens.txt -o model.txt --architecture skip-gram --window 10
  papertwin train papers.jsonl -o papers.fifu --checkpoint state.ckpt      (interrupted)
  papertwin train papers.jsonl -o papers.fifu --resume state.ckpt          (the same bytes)
  papertwin train new.jsonl -o grown.fifu --continue state.ckpt

The same text, parameters and seed give the same file on any number of threads, unless --hogwild.
The parameters, the seed and a fingerprint of the text are stored in a .fifu file, and in MODEL.json beside others.";

/// Trains word vectors.
#[derive(Args)]
pub struct Train {
    /// Files of records in any known format, plain or packed; - is standard input
    #[arg(value_name = "CORPUS", required_unless_present = "tokens", conflicts_with = "tokens")]
    inputs: Vec<PathBuf>,
    /// Ready tokens instead: one text a line, blanks between tokens, plain or gzip; may be given several times
    #[arg(long, value_name = "FILE")]
    tokens: Vec<PathBuf>,
    /// The model to write; the extension says the format: .fifu, .bin (word2vec), .txt or .vec, .glove (no header)
    #[arg(long, short, value_name = "MODEL")]
    output: PathBuf,
    /// The fields whose text is trained on
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', default_value = "title,abstract")]
    text_fields: Vec<Field>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    params: Word2VecArgs,
    /// Write the whole state here after every epoch
    #[arg(long, value_name = "FILE", help_heading = "Interrupted and continued")]
    checkpoint: Option<PathBuf>,
    /// Go on from a checkpoint of the same training
    #[arg(long, value_name = "FILE", conflicts_with = "start", help_heading = "Interrupted and continued")]
    resume: Option<PathBuf>,
    /// Begin with the words and vectors of a checkpoint (best) or of any embedding file, and grow it
    #[arg(long = "continue", id = "start", value_name = "MODEL", help_heading = "Interrupted and continued")]
    start: Option<PathBuf>,
}

/// A flag for each of [`Word2VecParams`].
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "word2vec")]
struct Word2VecArgs {
    /// A TOML file with any of the parameters below (min-count = 2); flags win over it
    #[arg(long, value_name = "TOML")]
    config: Option<PathBuf>,
    /// cbow or skip-gram [default: cbow]
    #[arg(long)]
    architecture: Option<Architecture>,
    /// negative-sampling, hierarchical-softmax or softmax (exact, for small vocabularies) [default: negative-sampling]
    #[arg(long)]
    loss: Option<Loss>,
    /// Numbers of a vector [default: 100, or as the model of --continue has]
    #[arg(long, value_name = "N")]
    dims: Option<usize>,
    /// Words looked at on each side, at most [default: 5]
    #[arg(long, value_name = "N")]
    window: Option<usize>,
    /// Times that the text is gone through [default: 5]
    #[arg(long, value_name = "N")]
    epochs: Option<usize>,
    /// Rarer words have no vector [default: 5]
    #[arg(long, value_name = "N")]
    min_count: Option<u64>,
    /// Subsampling of frequent words; 0 keeps every word [default: 0.001]
    #[arg(long, alias = "subsample", value_name = "SHARE")]
    sample: Option<f64>,
    /// Vectors begin between -init / dims and init / dims [default: 2]
    #[arg(long, value_name = "X")]
    init: Option<f64>,
    /// The step at the beginning [default: 0.025]
    #[arg(long, alias = "alpha", value_name = "STEP", allow_negative_numbers = true)]
    learning_rate: Option<f64>,
    /// The step at the end [default: 0.0001]
    #[arg(long, value_name = "STEP", allow_negative_numbers = true)]
    min_learning_rate: Option<f64>,
    /// Drawn words a window [default: 5]
    #[arg(long, value_name = "N")]
    negative: Option<usize>,
    /// Words are drawn by count to this power [default: 0.75]
    #[arg(long, value_name = "POWER", allow_negative_numbers = true)]
    ns_exponent: Option<f64>,
    /// The most words that get a vector [default: no limit]
    #[arg(long, value_name = "N")]
    max_vocabulary: Option<usize>,
    /// Places of the text trained on side by side; part of the result [default: 16]
    #[arg(long, value_name = "N")]
    shards: Option<usize>,
    /// Windows computed against the same numbers; part of the result [default: by the most frequent word]
    #[arg(long, value_name = "N")]
    block: Option<usize>,
    /// Neighbouring windows that share their drawn words; 1 draws anew for each window, at half the speed; part of the
    /// result [default: 8]
    #[arg(long, value_name = "N")]
    group: Option<usize>,
    /// Let threads write over each other: another result each time, said so in the model
    #[arg(long)]
    hogwild: bool,
}

impl Word2VecArgs {
    fn params(&self, dims: Option<usize>) -> anyhow::Result<Word2VecParams> {
        let mut p = match &self.config {
            None => Word2VecParams::default(),
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                toml::from_str(&text).with_context(|| path.display().to_string())?
            }
        };
        macro_rules! set {
            ($($field:ident),*) => { $(if let Some(value) = self.$field { p.$field = value; })* };
        }
        set!(architecture, loss, window, epochs, min_count, sample, learning_rate, min_learning_rate, negative);
        set!(ns_exponent, shards, init, group);
        if let Some(dims) = self.dims.or(dims) {
            p.dims = dims;
        }
        if self.max_vocabulary.is_some() {
            p.max_vocabulary = self.max_vocabulary;
        }
        if self.block.is_some() {
            p.block = self.block;
        }
        // A step below the usual last one means a constant step, not an error.
        if self.min_learning_rate.is_none() && p.learning_rate < p.min_learning_rate && p.learning_rate > 0.0 {
            p.min_learning_rate = p.learning_rate;
        }
        p.hogwild |= self.hogwild;
        Ok(p)
    }
}

impl Train {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let dims = match &self.start {
            None => None,
            Some(path) => Some(match checkpoint_dims(path)? {
                Some(dims) => dims,
                None => read(path, &ReadOptions::default())?.embedding.dims(),
            }),
        };
        let word2vec = self.params.params(dims)?.check()?;
        if self.text_fields.is_empty() {
            bail!("--text-fields names no field");
        }
        let output = ModelOutput::create(&self.output)?;
        let run = context.run();
        let begin = Instant::now();
        let (tokens, outcome) = if self.tokens.is_empty() {
            let (loaded, outcome) = self.reading.load_over(&self.inputs, Fields::All, context)?;
            let analyzer = AnalyzerParams::default().check()?;
            (Tokens::of_corpus(&loaded.corpus, &self.text_fields, &analyzer, &run), outcome)
        } else {
            (read_tokens(&self.tokens)?, Outcome::Clean)
        };
        let read_seconds = begin.elapsed().as_secs_f64();
        context.say(format!(
            "{} words in {} texts, {} different, read in {read_seconds:.2} s",
            tokens.total(),
            tokens.papers(),
            tokens.words().len()
        ));
        if word2vec.params().hogwild {
            context.progress.warn("--hogwild: the vectors are not reproducible; the model says so");
        }
        let begin = Instant::now();
        let options = TrainOptions { checkpoint: self.checkpoint, resume: self.resume, start: self.start };
        let trained = train_from(&tokens, &word2vec, &run, &options)?;
        let seconds = begin.elapsed().as_secs_f64();
        drop(tokens);
        output.write(&trained.embedding, Some(&trained.provenance))?;
        let report = &trained.report;
        context.say(format!(
            "trained {} vectors of {} numbers: {} words gone through, {} of them trained on, {seconds:.2} s, {:.0} words/s",
            report.vocabulary,
            trained.embedding.dims(),
            report.words,
            report.words_trained,
            report.words as f64 / seconds.max(1e-9)
        ));
        let losses: Vec<String> = report.losses.iter().map(|loss| format!("{loss:.4}")).collect();
        context.say(format!("loss by epoch: {}", losses.join(" ")));
        Ok(outcome)
    }
}
