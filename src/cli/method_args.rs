//! The arguments of every subcommand that runs a method: which, with what parameters, on what vectors.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use clap::Args;
use papertwin::corpus::{Corpus, Field};
use papertwin::embedding::{self, Embedding, ReadOptions};
use papertwin::matrix::{Matrix, read_npy};
use papertwin::methods::{Input, Matcher, MethodError, MethodSpec, NAMES, RowMatcher};
use papertwin::similarity::{AllPairs, Kernel, Measure, Score};

use super::Context;

/// A method and its parameters, or ready vectors.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// The way duplicates are found
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(NAMES))]
    pub method: Option<String>,
    /// A parameter of the method (keywords.k=10), may be given often; `papertwin methods NAME` lists them
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, requires = "method")]
    pub set: Vec<toml::Table>,
    /// Keywords a paper; the same as --set keywords.k=N
    #[arg(long, short, value_name = "N", requires = "method")]
    pub k: Option<u32>,
    /// Word vectors: fifu, word2vec binary or text, GloVe, fastText
    #[arg(long, value_name = "MODEL", requires = "method")]
    pub embedding: Option<PathBuf>,
    /// Fields that a paper's text is made of: title, abstract, body, keywords
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', default_value = "title,abstract")]
    pub text_fields: Vec<Field>,
    /// Ready vectors instead of a method: a .npy file of one row a paper; a row of zeros matches nothing
    #[arg(long, value_name = "NPY", conflicts_with = "method")]
    pub vectors: Option<PathBuf>,
    /// How similar two vectors are: cosine, euclidean or manhattan (as 1 / (1 + distance)), pearson
    #[arg(long, value_name = "NAME", default_value = "cosine", requires = "vectors")]
    pub measure: Measure,
    /// What compares vectors: auto, portable, avx2, avx512, int8; the results are the same
    #[arg(long, value_name = "NAME", default_value = "auto", requires = "vectors")]
    pub kernel: Kernel,
}

/// `KEY=VALUE`, the value as TOML or, where it is none, as text. Dots in the key go into tables.
fn setting(text: &str) -> Result<toml::Table, String> {
    let (key, value) = text.split_once('=').ok_or("wanted KEY=VALUE")?;
    let as_text = || toml::from_str(&format!("{key} = {}", toml::Value::String(value.to_owned())));
    toml::from_str(text).or_else(|_| as_text()).map_err(|error| error.message().to_owned())
}

/// The method of this name with these parameters, all others at their defaults.
///
/// # Errors
/// If there is no such method, or a parameter is unknown or of the wrong kind.
pub fn spec_of(name: &str, params: toml::Table) -> anyhow::Result<MethodSpec> {
    let table = toml::Table::from_iter([(name.to_owned(), toml::Value::Table(params))]);
    table.try_into().map_err(|error: toml::de::Error| {
        let told = error.message();
        // The names of our types mean nothing to a user, and what serde calls a field is a parameter here.
        anyhow!(match told.split_once(", expected struct ") {
            Some((told, _)) => format!("{told} where KEY.PARAMETER=VALUE is wanted"),
            None => told.replacen("unknown field", "unknown parameter", 1),
        })
    })
}

/// Lays one table over another.
fn lay(over: toml::Table, params: &mut toml::Table) {
    for (key, value) in over {
        match (params.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => lay(above, below),
            (_, value) => {
                params.insert(key, value);
            }
        }
    }
}

/// For clap: λ, which may be negative.
pub fn lambda(text: &str) -> Result<Score, String> {
    text.parse().map_err(|e: papertwin::similarity::ParseScoreError| e.to_string())
}

impl MethodArgs {
    /// Whether there is something to run.
    pub fn is_given(&self) -> bool {
        self.method.is_some() || self.vectors.is_some()
    }

    /// The method with its parameters.
    ///
    /// # Errors
    /// If a parameter is unknown or of the wrong kind.
    pub fn spec(&self) -> anyhow::Result<MethodSpec> {
        let Some(name) = &self.method else {
            bail!("no method; give --method with one of {}, or --vectors", NAMES.join(", "))
        };
        let mut params = toml::Table::new();
        self.set.iter().for_each(|over| lay(over.clone(), &mut params));
        if let Some(k) = self.k {
            let keywords = toml::Table::from_iter([("k".to_owned(), toml::Value::Integer(k.into()))]);
            lay(toml::Table::from_iter([("keywords".to_owned(), toml::Value::Table(keywords))]), &mut params);
        }
        spec_of(name, params)
            .map_err(|error| anyhow!("--method {name}: {error}; `papertwin methods {name}` lists the parameters"))
    }

    /// Finds what is wrong with the method before anything is read; fine where there are ready vectors.
    ///
    /// # Errors
    /// If there is nothing to run, a parameter is unknown or of the wrong kind, or word vectors are missing or not needed.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.vectors.is_some() {
            return Ok(());
        }
        let method = self.spec()?;
        match (method.embedding_text(), &self.embedding) {
            (Some(_), None) => Err(MethodError::NoEmbedding { method: method.method().name() }.into()),
            (None, Some(_)) => bail!(
                "--embedding: {} needs no word vectors; leave it out, or choose --method portrait",
                method.method().name()
            ),
            _ => Ok(()),
        }
    }

    /// The word vectors, if any are named.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn load_embedding(&self, context: &Context) -> anyhow::Result<Option<Embedding>> {
        read_embedding(self.embedding.as_deref(), context)
    }

    /// The rows of `--vectors`, if given: one for each paper of the corpus, where there is one.
    ///
    /// # Errors
    /// If the file cannot be read, or has not as many rows as there are papers.
    pub fn load_vectors(&self, corpus: Option<&Corpus>) -> anyhow::Result<Option<Matrix>> {
        let Some(path) = &self.vectors else { return Ok(None) };
        if !self.kernel.is_available() {
            bail!("--kernel {}: this machine cannot run it; --kernel auto chooses one that it can", self.kernel);
        }
        let rows = read_npy(path)?;
        if let Some(corpus) = corpus.filter(|corpus| corpus.len() != rows.nrows()) {
            bail!("{}: {} rows for {} papers; wanted one row a paper", path.display(), rows.nrows(), corpus.len());
        }
        Ok(Some(rows))
    }

    /// Rows as a matcher.
    pub fn rows_matcher<'m>(&self, rows: &'m Matrix, context: &Context) -> RowMatcher<'m> {
        RowMatcher::new(AllPairs::of(rows, self.measure).with_kernel(self.kernel), context.run())
    }

    /// The method made ready for a corpus.
    ///
    /// # Errors
    /// If a parameter is out of range or word vectors are missing.
    pub fn prepare<'c>(
        &'c self,
        corpus: &'c Corpus,
        embedding: Option<&'c Embedding>,
        context: &Context,
    ) -> anyhow::Result<Box<dyn Matcher + 'c>> {
        let input = Input { corpus, embedding, fields: &self.text_fields };
        Ok(self.spec()?.method().prepare(input, context.run())?)
    }
}

/// Says how many papers match nothing.
pub fn tell_unmatchable(matcher: &dyn Matcher, papers: usize, name: impl Fn(usize) -> String, context: &Context) {
    let lost = matcher.unmatchable();
    if !lost.is_empty() {
        let some: Vec<String> = lost.iter().take(5).map(|id| name(id.index())).collect();
        let more = if lost.len() > some.len() { ", …" } else { "" };
        context.say(format_args!("{} papers match nothing ({}{more})", lost.len(), some.join(", ")));
        if lost.len() == papers {
            context.progress.warn(
                "no paper has anything to be compared; --text-fields names the fields that are read (title, abstract, body, keywords)",
            );
        }
    }
}

/// Reads the word vectors of `--embedding`, if it is given, and says what is odd about them.
///
/// # Errors
/// If they cannot be read.
pub fn read_embedding(path: Option<&Path>, context: &Context) -> anyhow::Result<Option<Embedding>> {
    let Some(path) = path else { return Ok(None) };
    let loaded = embedding::read(path, &ReadOptions::default())?;
    for warning in loaded.warnings() {
        context.progress.warn(&format!("{}: {warning}", path.display()));
    }
    Ok(Some(loaded.embedding))
}
