//! What an experiment's TOML file says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

use super::ExperimentError;
use super::answer::Answer;
use super::claim::Claim;
use super::news::NewsSettings;
use crate::corpus::Field;
use crate::embedding::Word2VecParams;
#[cfg(feature = "figures")]
use crate::figures::Figure;
use crate::inject::InjectParams;
use crate::methods::MethodSpec;
use crate::seed::Seed;

/// When an experiment is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// On every machine, on generated data, within seconds.
    #[default]
    Quick,
    /// Where the real data is present; minutes to hours.
    Full,
}

/// An experiment as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    title: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    tier: Tier,
    #[serde(default)]
    sweep: toml::map::Map<String, Value>,
    #[serde(default, rename = "variant")]
    variants: Vec<Variant>,
    #[serde(default, rename = "figure")]
    figures: Vec<FigureOf>,
    #[serde(default, rename = "claim")]
    claims: Vec<Claim>,
    #[serde(default, rename = "answer")]
    answers: Vec<Answer>,
    #[serde(default)]
    tolerance: BTreeMap<String, f64>,
    #[serde(default)]
    data: Part,
    #[serde(default)]
    inject: Part,
    #[serde(default)]
    embedding: Part,
    #[serde(default)]
    method: Part,
    #[serde(default)]
    evaluation: Part,
    #[serde(default)]
    news: Part,
    #[serde(default)]
    folds: Option<Folds>,
    #[serde(default)]
    laboratory: Part,
    #[serde(default)]
    seed: Option<u64>,
}

/// A part of the settings, kept as written until the grid has put its values in.
type Part = Option<Table>;

/// An experiment.
#[derive(Clone, Debug)]
pub struct Spec {
    /// One line.
    pub title: String,
    /// What is asked and how it is answered, for the report.
    pub about: String,
    /// When it is run.
    pub tier: Tier,
    /// Path of a setting -> its values.
    pub sweep: Vec<(String, Vec<Value>)>,
    /// Named sets of settings laid over the others.
    pub variants: Vec<Variant>,
    /// What is drawn.
    pub figures: Vec<FigureOf>,
    /// What the reproduced paper says.
    pub claims: Vec<Claim>,
    /// What it settles, in words.
    pub answers: Vec<Answer>,
    /// By how much a column may move before it counts as moved.
    pub tolerance: BTreeMap<String, f64>,
    /// How the points are chosen from and judged on folds of the stories, for experiments on news.
    pub folds: Option<Folds>,
    /// The settings that all points share.
    pub(super) base: Table,
}

/// A named set of settings.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Its name in the column `variant`.
    pub name: String,
    /// Settings laid over those of the experiment.
    #[serde(default)]
    pub settings: Table,
}

/// Nested cross-validation over the points of an experiment on news.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folds {
    /// How many folds, at least 3.
    pub count: u32,
    /// The axis whose values (data sets) one setting must serve all.
    pub over: String,
}

/// A figure of an experiment.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureOf {
    /// The file's name without its ending.
    pub name: String,
    /// The table that it is drawn from: `table`, `curves`, `summary` or `measurements`.
    #[serde(default = "FigureOf::table")]
    pub from: String,
    /// What is drawn.
    #[cfg(feature = "figures")]
    pub draw: Figure,
    /// What would be drawn by a program with figures.
    #[cfg(not(feature = "figures"))]
    pub draw: Table,
}

impl FigureOf {
    /// The figure's own title, or its name.
    pub(super) fn title<'s>(&'s self, name: &'s str) -> &'s str {
        #[cfg(feature = "figures")]
        if !self.draw.title.is_empty() {
            return &self.draw.title;
        }
        name
    }

    fn table() -> String {
        "table".to_owned()
    }
}

/// Where the papers come from: exactly one of `generate`, `generate-news`, `dataset` and `files`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Data {
    /// So many generated papers.
    pub generate: Option<u32>,
    /// So many generated articles of news, without the furniture of their pages.
    pub generate_news: Option<u32>,
    /// A data set by its name in `datasets/`.
    pub dataset: Option<String>,
    /// Files of any format, relative to the folder that the program is run in.
    pub files: Vec<String>,
    /// Only the first so many papers. Of a data set of pairs of records, both records of a pair count.
    pub limit: Option<usize>,
    /// Papers of another data set laid beside these, as many as are wanted: others for pairs that come without any.
    pub fill: Option<Fill>,
    /// The fields that a paper's text is made of.
    pub fields: Option<Vec<Field>>,
    /// The truth is the labelled pairs of the data set; nothing is injected.
    pub labelled: bool,
    /// Word vectors are trained on this data set instead of the papers themselves.
    pub train_on: Option<String>,
}

/// Papers of another data set, the first ones that are not among the papers already, by their ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Fill {
    /// The data set.
    pub dataset: String,
    /// How many.
    pub papers: usize,
}

/// How an experiment is evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Evaluate {
    /// What is classified.
    pub unit: crate::evaluation::Unit,
    /// What happens to duplicates that the data held already.
    pub natural: crate::evaluation::Natural,
    /// How many steps of λ the curve has between 0 and 1.
    pub steps: u32,
}

impl Default for Evaluate {
    fn default() -> Evaluate {
        Evaluate { unit: Default::default(), natural: Default::default(), steps: 100 }
    }
}

/// The settings of one point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where the papers come from.
    pub data: Data,
    /// The copies.
    #[serde(default)]
    pub inject: InjectParams,
    /// How word vectors are trained, for methods that need some.
    #[serde(default)]
    pub embedding: Word2VecParams,
    /// The method; news are grouped by More-Like-This where there is none.
    #[serde(default)]
    pub method: Option<MethodSpec>,
    /// News are grouped and compared with known stories; nothing is injected.
    #[serde(default)]
    pub news: Option<NewsSettings>,
    /// The evaluation.
    #[serde(default)]
    pub evaluation: Evaluate,
    /// What all random choices follow from.
    #[serde(default)]
    pub seed: Seed,
}

impl Settings {
    pub(super) fn from_table(table: Table) -> Result<Settings, String> {
        Value::Table(table).try_into().map_err(|e: toml::de::Error| e.message().to_owned())
    }
}

impl Spec {
    /// Reads an experiment. `path` is for messages.
    ///
    /// # Errors
    /// With line and column, if the text is no TOML, has an unknown key or a value of the wrong kind.
    pub fn from_toml(text: &str, path: &str) -> Result<Spec, ExperimentError> {
        let error = |reason: String| ExperimentError::Spec { path: path.to_owned(), reason };
        let written: Written = toml::from_str(text).map_err(|e| error(e.to_string()))?;
        let mut base = Table::new();
        for (name, part) in [
            ("data", written.data),
            ("inject", written.inject),
            ("embedding", written.embedding),
            ("method", written.method),
            ("evaluation", written.evaluation),
            ("news", written.news),
            ("laboratory", written.laboratory),
        ] {
            if let Some(part) = part {
                base.insert(name.to_owned(), Value::Table(part));
            }
        }
        if let Some(seed) = written.seed {
            base.insert("seed".to_owned(), Value::Integer(seed as i64));
        }
        let plain = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
                && !name.starts_with('.')
        };
        if let Some(figure) = written.figures.iter().find(|figure| !plain(&figure.name)) {
            return Err(error(format!(
                "figure: {:?} is no name of a file; wanted letters, digits, - and _",
                figure.name
            )));
        }
        let mut sweep = Vec::new();
        for (key, values) in written.sweep {
            match values {
                Value::Array(values) => {
                    if let Some(twice) = (1..values.len()).find(|&n| values[..n].contains(&values[n])) {
                        return Err(error(format!("sweep: {key:?} has {} twice", values[twice])));
                    }
                    sweep.push((key, values));
                }
                _ => return Err(error(format!("sweep: {key:?} must be a list of values"))),
            }
        }
        Ok(Spec {
            title: written.title,
            about: written.about,
            tier: written.tier,
            sweep,
            variants: written.variants,
            figures: written.figures,
            claims: written.claims,
            answers: written.answers,
            tolerance: written.tolerance,
            folds: written.folds,
            base,
        })
    }

    /// The experiment without what does not change its numbers, for the hash that tells whether results are stale.
    pub fn essence(&self) -> String {
        let mut table = self.base.clone();
        table.insert(
            "sweep".to_owned(),
            Value::Table(self.sweep.iter().map(|(k, v)| (k.clone(), Value::Array(v.clone()))).collect()),
        );
        let variants = self.variants.iter().map(|v| {
            Value::Table(
                [
                    ("name".to_owned(), Value::String(v.name.clone())),
                    ("settings".to_owned(), Value::Table(v.settings.clone())),
                ]
                .into_iter()
                .collect(),
            )
        });
        table.insert("variant".to_owned(), Value::Array(variants.collect()));
        if let Some(folds) = &self.folds {
            table.insert("folds".to_owned(), Value::String(format!("{} over {}", folds.count, folds.over)));
        }
        Value::Table(table).to_string()
    }
}
