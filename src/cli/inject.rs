//! `papertwin inject`: a share of the papers laid in again, edited, with the truth that follows.

use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::writer_for;
use papertwin::evaluation::natural_duplicates;
use papertwin::inject::{Edit, InjectParams, Mix, Share, inject};
use papertwin::output::Output;

use super::corpus_args::CorpusArgs;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin inject papers.jsonl -o injected.jsonl --truth truth.csv
  papertwin inject papers.jsonl -o injected.jsonl --truth truth.csv --edit garble=0.1 --edit truncate=0.5
  papertwin inject papers.jsonl -o injected.jsonl --truth truth.csv --edit keep-fields=abstract --rate 0.1 --seed 7

EDITS (several are done one after the other; doses from 0 to 1)
  exact                nothing is changed (the default)
  keep-fields=F[+F]    of title, abstract, body, keywords only these are kept
  drop-words=DOSE      each word is left out with this chance
  garble=DOSE          each word gets one wrong letter with this chance
  mojibake=DOSE        each word is damaged by a wrong decoding with this chance
  ocr=DOSE             each word gets a confusion of like letters (rn for m, 1 for l) with this chance
  truncate=DOSE        this share of the words of abstract and body is cut off at the end
  swap-sentences=DOSE  each sentence changes places with the next with this chance
  reformat=DOSE        each word is set anew (capitals, hyphenation, ligatures, dashes) with this chance";

/// Injects.
#[derive(Args)]
pub struct Inject {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// The file to write; its ending says the format (jsonl, csv, ...)
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// The pairs of originals and copies: CSV of two ids a line
    #[arg(long, value_name = "CSV")]
    truth: PathBuf,
    /// Copies as a share of the papers, rounded half up; originals are drawn without replacement
    #[arg(long, value_name = "SHARE", default_value_t = InjectParams::default().rate)]
    rate: Share,
    /// What is done to each copy; may be given several times
    #[arg(long = "edit", value_name = "NAME[=DOSE]")]
    edits: Vec<Edit>,
    /// Give each copy one of the edits, drawn at random, instead of all of them
    #[arg(long)]
    one_of: bool,
    /// Leave the order of the papers, copies at the end
    #[arg(long)]
    no_shuffle: bool,
}

impl Inject {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let writer = writer_for(&self.output)?;
        let mut out = Output::create(&self.output)?;
        let mut truth = Output::create(&self.truth)?;
        let (loaded, outcome) = self.corpus.load(context)?;
        let natural = natural_duplicates(&loaded.corpus);
        if !natural.pairs().is_empty() {
            let groups = natural.clusters().sizes().iter().filter(|&&n| n > 1).count();
            context.progress.warn(&format!(
                "{groups} groups of papers with equal texts or one DOI were there before ({} pairs); they are not in the truth, and `evaluate --natural` says how they count",
                natural.pairs().len()
            ));
        }
        let params = InjectParams {
            rate: self.rate,
            edits: self.edits,
            mix: if self.one_of { Mix::One } else { Mix::All },
            shuffle: !self.no_shuffle,
        };
        let injected = inject(&loaded.corpus, &params.check()?, context.seed);
        if injected.missing > 0 {
            context.progress.warn(&format!(
                "{} copies fewer than wanted: no further paper keeps a text under these edits",
                injected.missing
            ));
        }
        let mut layout = loaded.layout;
        layout.made_ids = false;
        if !layout.columns.is_empty() {
            layout.columns.push("injected_from".into());
        }
        writer.write(injected.corpus.papers(), &layout, &mut out)?;
        injected.truth.write_csv(&injected.corpus, &mut truth)?;
        out.commit()?;
        truth.commit()?;
        context.say(format_args!(
            "{} papers, {} copies, {} true pairs",
            injected.corpus.len(),
            injected.copies.len(),
            injected.truth.pairs().len()
        ));
        Ok(outcome)
    }
}
