//! `papertwin convert`: any formats in, one corpus out.

use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::{Fields, Paper, writer_for};
use papertwin::output::Output;

use super::corpus_args::CorpusArgs;
use super::losses::tell_losses;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin convert scopus.csv wos.ris --to all.jsonl
  papertwin convert arxiv-metadata-oai-snapshot.json.zip --to arxiv.jsonl
  papertwin convert export.tsv --map title=TI,abstract=AB --to papers.csv --rejects bad.csv";

/// Converts.
#[derive(Args)]
pub struct Convert {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// The file to write; its ending says the format (jsonl, csv, ...); - writes JSON lines to standard output
    #[arg(long, short = 'o', alias = "output", value_name = "OUT")]
    to: PathBuf,
    /// Take markup and character references out of titles, abstracts and bodies; the original goes to extra
    #[arg(long)]
    plain_text: bool,
}

impl Convert {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let writer = writer_for(&self.to)?;
        let mut out = Output::create(&self.to)?;
        let (loaded, outcome) = match self.corpus.inputs.len() {
            1 => self.corpus.load(context)?,
            _ => self.corpus.reading.load_over(&self.corpus.inputs, Fields::Common, context)?,
        };
        let mut papers = loaded.corpus.into_papers();
        if self.plain_text {
            papers.iter_mut().for_each(Paper::make_plain);
        }
        writer.write(&papers, &loaded.layout, &mut out)?;
        out.commit()?;
        tell_losses(&self.to, &papers, context);
        Ok(outcome)
    }
}
