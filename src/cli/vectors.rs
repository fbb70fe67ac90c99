//! `papertwin vectors`: the portraits of papers as a .npy file.

use std::path::PathBuf;

use clap::Args;
use papertwin::embedding;
use papertwin::keywords::DocumentFrequencies;
use papertwin::matrix::write_npy;
use papertwin::output::Output;
use papertwin::portrait::{Oov, PortraitParams, Portraits, Weighting};
use papertwin::text::Tokens;

use super::corpus_args::CorpusArgs;
use super::keywords::{WeightArgs, ids};
use super::text_args::{TextArgs, named};
use super::{Context, Outcome};

pub const EXAMPLES: &str = "A portrait is the mean of the word vectors of a paper's keywords. Rows are f32 in the order of the corpus; a row of zeros
is a paper without a known keyword. Texts must be cut into words as they were for the training.

EXAMPLES
  papertwin vectors arxiv.jsonl --embedding arxiv.fifu -k 10 -o arxiv.npy
  papertwin vectors arxiv.jsonl --embedding wiki.vec.bin --weighting tf-idf --oov next --directions 2 -o x.npy";

/// Makes portraits.
#[derive(Args)]
pub struct Vectors {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// Word vectors: fifu, word2vec binary or text, GloVe, fastText
    #[arg(long, value_name = "MODEL")]
    embedding: PathBuf,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    portrait: PortraitArgs,
    /// The .npy file to write
    #[arg(long, short, value_name = "NPY")]
    output: PathBuf,
    #[command(flatten)]
    text: TextArgs,
}

/// How keywords become a portrait.
#[derive(Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Portraits")]
pub struct PortraitArgs {
    /// What each keyword counts: mean (all alike) or tf-idf
    #[arg(long, value_name = "HOW", default_value = "mean", value_parser = named::<Weighting>)]
    pub weighting: Weighting,
    /// A keyword without a vector: skip it, or take the next best word that has one
    #[arg(long, value_name = "WHAT", default_value = "skip", value_parser = named::<Oov>)]
    pub oov: Oov,
    /// Scale word vectors to length 1 first
    #[arg(long)]
    pub unit: bool,
    /// Take the mean of all portraits from each
    #[arg(long)]
    pub centre: bool,
    /// Remove so many of the strongest directions of all portraits
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub directions: u32,
}

impl PortraitArgs {
    /// The parameters that the flags say.
    pub fn params(self) -> PortraitParams {
        PortraitParams {
            weighting: self.weighting,
            oov: self.oov,
            unit: self.unit,
            centre: self.centre,
            directions: self.directions,
        }
    }
}

impl Vectors {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let keywording = self.weights.params().check()?;
        let analyzer = self.text.analyzer()?;
        let mut out = Output::create(&self.output)?;
        let model = embedding::read(&self.embedding, &embedding::ReadOptions::default())?;
        model.warnings().iter().for_each(|warning| context.progress.warn(warning));
        let (loaded, outcome) = self.corpus.load(context)?;
        let corpus = &loaded.corpus;
        let tokens = Tokens::of_corpus(corpus, &self.text.text_fields, &analyzer, &context.run());
        let table = DocumentFrequencies::of(&tokens);
        let portraying = self.portrait.params().check();
        let portraits = Portraits::paint(&tokens, &table, &keywording, &model.embedding, &portraying)?;
        write_npy(portraits.rows(), &mut out)?;
        out.commit()?;
        let (papers, missing) = (corpus.len(), portraits.missing());
        if !missing.is_empty() {
            context.progress.warn(&format!(
                "{} of {papers} papers have no vector: {}",
                missing.len(),
                ids(corpus, missing)
            ));
        }
        context.say(format!("{papers} rows of {} numbers, {} of them zero", portraits.rows().ncols(), missing.len()));
        Ok(outcome)
    }
}
