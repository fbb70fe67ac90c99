//! `papertwin convert`: any formats in, one corpus out.

use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::{Fields, writer_for};
use papertwin::output::Output;

use super::corpus_args::CorpusArgs;
use super::{Context, Outcome};

/// Converts.
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// The file to write; its ending says the format (jsonl, csv, ...); - writes JSON lines to standard output
    #[arg(long, short = 'o', alias = "output", value_name = "OUT")]
    to: PathBuf,
}

impl Convert {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let writer = writer_for(&self.to)?;
        let mut out = Output::create(&self.to)?;
        let fields = if self.corpus.inputs.len() > 1 { Fields::Common } else { Fields::All };
        let (loaded, outcome) = self.corpus.reading.load_over(&self.corpus.inputs, fields, context)?;
        writer.write(loaded.corpus.papers(), &loaded.layout, &mut out)?;
        out.commit()?;
        Ok(outcome)
    }
}
