//! `papertwin keywords`: the words of greatest tf-idf weight of each paper.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use papertwin::corpus::{Corpus, PaperId};
use papertwin::keywords::{DocumentFrequencies, InverseFrequency, K, KeywordParams, Keywords as Found, TermFrequency};
use papertwin::output::Output;
use papertwin::text::{Tokens, normal};

use super::corpus_args::CorpusArgs;
use super::text_args::{TextArgs, named, open};
use super::{Context, Outcome};

pub const EXAMPLES: &str = "The weight of a word is tf * idf; by default tf = times it stands in the paper / words of the paper, idf = ln (papers /
papers with the word). Equal weights: the more frequent word first, then by word. Words of one letter and numbers
count, unless --min-chars and --digits say otherwise.

EXAMPLES
  papertwin keywords arxiv.jsonl -k 10 -o keywords.csv
  papertwin keywords old.jsonl -k 10 -o old.csv --save-df df.csv
  papertwin keywords new.jsonl -k 10 -o new.csv --df df.csv";

/// Finds keywords.
#[derive(Args)]
pub struct Keywords {
    #[command(flatten)]
    corpus: CorpusArgs,
    #[command(flatten)]
    weights: WeightArgs,
    /// The CSV file to write: id, rank, word, weight; - is standard output
    #[arg(long, short, value_name = "CSV", default_value = "-")]
    output: PathBuf,
    /// Weigh by the document frequencies of this table instead of counting them here; a word that is not in it weighs
    /// as if it stood in one paper more
    #[arg(long, value_name = "CSV")]
    df: Option<PathBuf>,
    /// Write the document frequencies: word, papers, occurrences
    #[arg(long, value_name = "CSV")]
    save_df: Option<PathBuf>,
    #[command(flatten)]
    text: TextArgs,
}

/// Which words are keywords.
#[derive(Args, Clone, Copy, Debug)]
pub struct WeightArgs {
    /// How many words of each paper: a number from 1, or all
    #[arg(short, long, value_name = "K", default_value_t = K::Best(10), allow_hyphen_values = true)]
    pub k: K,
    /// What the number of times in the paper makes: relative, raw, log, binary, bm25
    #[arg(long, value_name = "SCHEME", default_value = "relative", value_parser = named::<TermFrequency>)]
    pub tf: TermFrequency,
    /// What the number of papers with the word makes: plain, smooth, probabilistic, bm25, sif, none
    #[arg(long, value_name = "SCHEME", default_value = "plain", value_parser = named::<InverseFrequency>)]
    pub idf: InverseFrequency,
}

impl WeightArgs {
    /// The parameters that the flags say.
    pub fn params(self) -> KeywordParams {
        KeywordParams { k: self.k, tf: self.tf, idf: self.idf }
    }
}

impl Keywords {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let keywording = self.weights.params().check()?;
        let analyzer = self.text.analyzer()?;
        let table = match &self.df {
            Some(path) => Some(
                DocumentFrequencies::read_csv(open("--df", path)?)
                    .with_context(|| format!("--df {}", path.display()))?,
            ),
            None => None,
        };
        let saved = self.save_df.as_ref().map(Output::create).transpose()?;
        let mut out = Output::create(&self.output)?;
        let (loaded, outcome) = self.corpus.load(context)?;
        let tokens = Tokens::of_corpus(&loaded.corpus, &self.text.text_fields, &analyzer, &context.run());
        let table = table.unwrap_or_else(|| DocumentFrequencies::of(&tokens));
        if let Some(mut saved) = saved {
            let counted = if self.df.is_some() { &DocumentFrequencies::of(&tokens) } else { &table };
            counted.write_csv(&mut saved)?;
            saved.commit()?;
        }
        let keywords = Found::extract(&tokens, &table, &keywording, None);
        write(&loaded.corpus, &tokens, &keywords, &mut out)?;
        out.commit()?;
        tell(&loaded.corpus, &tokens, &keywords, context);
        Ok(outcome)
    }
}

fn write(corpus: &Corpus, tokens: &Tokens, keywords: &Found, out: &mut Output) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(["id", "rank", "word", "weight"])?;
    for (id, paper) in corpus.ids().zip(corpus.papers()) {
        let name = normal::printable(&paper.id);
        for (place, keyword) in keywords.of(id).iter().enumerate() {
            let (rank, weight) = ((place + 1).to_string(), format!("{:.6}", keyword.weight));
            writer.write_record([&name, rank.as_str(), tokens.word(keyword.word), &weight])?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn tell(corpus: &Corpus, tokens: &Tokens, keywords: &Found, context: &Context) {
    let (words, papers) = (tokens.words().len(), corpus.len());
    context.say(format!("{words} different words, {} keywords of {papers} papers", keywords.total()));
    let none: Vec<PaperId> = corpus.ids().filter(|&id| keywords.of(id).is_empty()).collect();
    if !none.is_empty() {
        context.progress.warn(&format!("{} of {papers} papers have no keywords: {}", none.len(), ids(corpus, &none)));
    }
    let weighs = |id| keywords.of(id).iter().any(|keyword| keyword.weight > 0.0);
    if keywords.total() > 0 && !corpus.ids().any(weighs) {
        context.progress.warn(
            "every keyword weighs 0, because it stands in every paper (ln 1 = 0): the keywords are the most frequent words; --idf smooth gives them weight",
        );
    }
}

/// The first few ids of some papers.
pub fn ids(corpus: &Corpus, papers: &[PaperId]) -> String {
    const TOLD: usize = 10;
    let name = |id: &PaperId| normal::printable(&corpus.paper(*id).id).into_owned();
    let mut names: Vec<String> = papers.iter().take(TOLD).map(name).collect();
    if papers.len() > TOLD {
        names.push("…".into());
    }
    names.join(", ")
}
