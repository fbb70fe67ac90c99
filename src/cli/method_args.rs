//! The arguments of every subcommand that runs a method: which, with what parameters, on what vectors.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::Args;
use papertwin::corpus::{Corpus, Field};
use papertwin::matrix::{Matrix, read_npy};
use papertwin::methods::{Input, Matcher, MethodSpec, NAMES, RowMatcher};
use papertwin::similarity::{AllPairs, Kernel, Measure, Score};

use super::Context;

/// A method and its parameters, or ready vectors.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    /// The way duplicates are found
    #[arg(long, value_name = "NAME", value_parser = method_name)]
    pub method: Option<String>,
    /// A parameter of the method, as its table in an experiment writes it: KEY=VALUE; may be given often
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting, requires = "method")]
    pub set: Vec<(String, toml::Value)>,
    /// Keywords a paper; the same as --set k=N
    #[arg(long, short, value_name = "N", requires = "method")]
    pub k: Option<u32>,
    /// Fields that a paper's text is made of
    #[arg(long, value_name = "FIELD,…", value_delimiter = ',', default_value = "title,abstract")]
    pub text: Vec<Field>,
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

fn method_name(name: &str) -> Result<String, String> {
    match NAMES.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("wanted one of {}", NAMES.join(", "))),
    }
}

/// `KEY=VALUE`, the value as TOML or, where it is none, as text.
fn setting(text: &str) -> Result<(String, toml::Value), String> {
    let (key, value) = text.split_once('=').ok_or("wanted KEY=VALUE")?;
    let parsed = toml::from_str::<toml::Table>(&format!("x = {value}")).ok().and_then(|mut t| t.remove("x"));
    Ok((key.trim().to_owned(), parsed.unwrap_or_else(|| toml::Value::String(value.to_owned()))))
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
        params.extend(self.set.iter().cloned());
        if let Some(k) = self.k {
            params.insert("k".into(), toml::Value::Integer(k.into()));
        }
        let table = toml::Table::from_iter([(name.clone(), toml::Value::Table(params))]);
        table.try_into().with_context(|| format!("--method {name}"))
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
    pub fn prepare<'c>(&'c self, corpus: &'c Corpus, context: &Context) -> anyhow::Result<Box<dyn Matcher + 'c>> {
        let input = Input { corpus, embedding: None, fields: &self.text };
        Ok(self.spec()?.method().prepare(input, context.run())?)
    }
}

/// Says how many papers match nothing.
pub fn tell_unmatchable(matcher: &dyn Matcher, name: impl Fn(usize) -> String, context: &Context) {
    let lost = matcher.unmatchable();
    if !lost.is_empty() {
        let some: Vec<String> = lost.iter().take(5).map(|id| name(id.index())).collect();
        let more = if lost.len() > some.len() { ", …" } else { "" };
        context.say(format_args!("{} papers match nothing ({}{more})", lost.len(), some.join(", ")));
    }
}
