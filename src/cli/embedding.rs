//! `papertwin embedding`: what is in a file of word vectors.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::{Args, Subcommand};
use papertwin::embedding::{ReadOptions, read, write};

use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin embedding info model.fifu
  papertwin embedding info glove.6B.100d.txt --neighbours horn --count 5
  papertwin embedding info model.bin --json
  papertwin embedding convert model.bin -o model.fifu";

/// Looks at embedding files.
#[derive(Args)]
pub struct Embedding {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Tell the format, the count, the dimensions, what is wrong, the first words, neighbours of words
    Info(Info),
    /// Write an embedding in another format, told by the extension: .fifu, .bin, .txt or .vec, .glove
    Convert(Convert),
}

#[derive(Args)]
struct Info {
    /// The file: finalfusion, word2vec binary or text, GloVe, fastText; plain, gzip or zstd
    file: PathBuf,
    /// Bytes of a word that are not UTF-8 become U+FFFD instead of an error
    #[arg(long)]
    lossy: bool,
    /// Tell the nearest words of this word, by cosine; may be given several times
    #[arg(long, value_name = "WORD")]
    neighbours: Vec<String>,
    /// How many first words and neighbours
    #[arg(long, value_name = "N", default_value_t = 10)]
    count: usize,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct Convert {
    /// The file to read
    file: PathBuf,
    /// The file to write
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Bytes of a word that are not UTF-8 become U+FFFD instead of an error
    #[arg(long)]
    lossy: bool,
}

impl Embedding {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Info(info) => info.run(context),
            Command::Convert(convert) => convert.run(context),
        }
    }
}

impl Info {
    fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let loaded = read(&self.file, &ReadOptions { lossy: self.lossy })?;
        loaded.warnings().iter().for_each(|warning| context.progress.warn(warning));
        let embedding = &loaded.embedding;
        let mut near = Vec::new();
        for word in &self.neighbours {
            match embedding.neighbours(word, self.count) {
                Some(found) => near.push((word, found)),
                None => bail!("{word:?} has no vector in {}", self.file.display()),
            }
        }
        let mut out = std::io::stdout().lock();
        if self.json {
            let near: Vec<serde_json::Value> =
                near.iter().map(|(word, found)| serde_json::json!({ "word": word, "neighbours": found })).collect();
            let about = serde_json::json!({
                "format": loaded.format.name(),
                "words": embedding.len(),
                "dims": embedding.dims(),
                "rows": loaded.rows,
                "not_finite": loaded.not_finite,
                "duplicates": loaded.duplicates,
                "empty": loaded.empty,
                "replaced": loaded.replaced,
                "first": embedding.words().iter().take(self.count).collect::<Vec<_>>(),
                "neighbours": near,
                "model": loaded.provenance,
            });
            writeln!(out, "{about:#}")?;
            return Ok(Outcome::Clean);
        }
        writeln!(out, "format      {}", loaded.format.name())?;
        writeln!(out, "vectors     {}", embedding.len())?;
        writeln!(out, "dimensions  {}", embedding.dims())?;
        writeln!(
            out,
            "rows        {} seen = {} kept + {} not finite + {} duplicates + {} without a word",
            loaded.rows,
            embedding.len(),
            loaded.not_finite,
            loaded.duplicates,
            loaded.empty
        )?;
        for (word, row) in embedding.words().iter().zip(embedding.vectors().rows()).take(self.count) {
            let numbers: Vec<String> = row.iter().take(4).map(|x| x.to_string()).collect();
            let more = if row.len() > 4 { " …" } else { "" };
            writeln!(out, "word        {word:?} ({}{more})", numbers.join(" "))?;
        }
        if let Some(about) = &loaded.provenance {
            let p = &about.parameters;
            writeln!(
                out,
                "trained by  {} {}, seed {}, {} {}, dims {}, window {}, epochs {}, min-count {}, sample {}, learning-rate {}",
                about.tool,
                about.version,
                about.seed,
                p.architecture,
                p.loss,
                p.dims,
                p.window,
                p.epochs,
                p.min_count,
                p.sample,
                p.learning_rate
            )?;
            writeln!(
                out,
                "text        {} words in {} texts, fingerprint {}; reproducible: {}, threads: {}",
                about.corpus.words, about.corpus.texts, about.corpus.xxh3, about.reproducible, about.threads
            )?;
        }
        for (word, found) in near {
            writeln!(out, "near {word:?}")?;
            for (other, cosine) in found {
                writeln!(out, "  {cosine:9.6}  {other}")?;
            }
        }
        Ok(Outcome::Clean)
    }
}

impl Convert {
    fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let loaded = read(&self.file, &ReadOptions { lossy: self.lossy })?;
        loaded.warnings().iter().for_each(|warning| context.progress.warn(warning));
        write(&self.output, &loaded.embedding, loaded.provenance.as_ref())?;
        let (seen, kept) = (loaded.rows, loaded.embedding.len() as u64);
        context.say(format!(
            "{seen} seen = {kept} kept + {} duplicates + {} rejected",
            loaded.duplicates,
            seen - kept - loaded.duplicates
        ));
        Ok(Outcome::Clean)
    }
}
