//! Experiments that score no labelled pairs: `[laboratory.NAME]` instead of a method. What they ask is in
//! [`near_duplicates`]; here they are read, given their data and made results like all others.

use std::time::Instant;

use serde::Deserialize;
use toml::{Table as Toml, Value};

use super::near_duplicates::{self, Measured, Ways};
use super::runner::{Outcome, claims};
use super::spec::{Data, Spec};
use super::stages::{Sources, Stages};
use super::{ExperimentError, grid};
use crate::corpus::Field;
use crate::progress::Run;
use crate::seed::Seed;
use crate::similarity::Score;
use crate::table::{Cell, Table};
use crate::text::{ShingleParams, ShingleSets};

/// What is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Laboratory {
    /// [`near_duplicates::wrapped_pages`].
    Pages {
        /// Articles; three pairs of pages each.
        articles: u64,
    },
    /// [`near_duplicates::joins`].
    Joins {
        /// Where pairs begin.
        thresholds: Vec<Score>,
        /// How texts are cut.
        #[serde(default)]
        shingle: ShingleParams,
    },
    /// [`near_duplicates::families`].
    Families {
        /// Components of a signature.
        components: usize,
        /// Pairs of sets for each size and similarity.
        pairs: u64,
    },
    /// [`near_duplicates::orders`].
    Orders {
        /// Components of a signature.
        components: usize,
        /// How texts are cut.
        #[serde(default)]
        shingle: ShingleParams,
    },
    /// [`near_duplicates::growth`].
    Growth {
        /// Numbers of documents.
        sizes: Vec<usize>,
    },
}

/// The settings of a laboratory's point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bench {
    laboratory: Laboratory,
    #[serde(default)]
    data: Data,
    #[serde(default)]
    seed: Seed,
}

impl Spec {
    /// Whether it asks one of the questions of the laboratory instead of evaluating a method.
    pub(super) fn is_laboratory(&self) -> bool {
        self.base.contains_key("laboratory")
    }
}

/// Runs it: once, or once for each variant, whose name is then the first column.
pub(super) fn run(spec: &Spec, sources: &Sources, run: &Run) -> Result<Outcome, ExperimentError> {
    let error = |reason: String| ExperimentError::Spec { path: spec.title.clone(), reason };
    if !spec.sweep.is_empty() {
        return Err(error("sweep: an experiment of the laboratory has none; write variants".to_owned()));
    }
    let plain = [(None, Toml::new())];
    let variants = spec.variants.iter().map(|v| (Some(v.name.as_str()), v.settings.clone()));
    let variants: Vec<(Option<&str>, Toml)> =
        if spec.variants.is_empty() { plain.to_vec() } else { variants.collect() };
    let mut stages = Stages::new(sources);
    let (mut tables, mut seconds): (Vec<(Option<&str>, Measured)>, _) = (Vec::new(), Vec::new());
    for (name, settings) in variants {
        let mut base = spec.base.clone();
        grid::overlay(&mut base, &settings);
        let bench: Bench = Value::Table(base).try_into().map_err(|e: toml::de::Error| error(e.message().to_owned()))?;
        let start = Instant::now();
        let measured = measure(&bench, &mut stages, run).map_err(|source| match source.downcast() {
            Ok(error) => *error,
            Err(source) => ExperimentError::Point { point: name.unwrap_or("the only point").to_owned(), source },
        })?;
        seconds.push(start.elapsed().as_secs_f64());
        tables.push((name, measured));
    }
    let table = joined(tables.iter().map(|(name, m)| (*name, &m.table)));
    let measurements = joined(tables.iter().map(|(name, m)| (*name, &m.measurements)));
    let keys = tables.first().map_or(0, |(name, measured)| usize::from(name.is_some()) + measured.keys);
    let axes = table.columns()[..keys].to_vec();
    Ok(Outcome {
        claims: claims(spec, &table, &axes)?,
        table,
        curves: None,
        summary: None,
        axes,
        data: stages.hashes,
        measurements: (!measurements.columns().is_empty()).then_some(measurements),
        costs: seconds.into_iter().map(|seconds| super::Cost { seconds, ..super::Cost::default() }).collect(),
    })
}

fn measure(
    bench: &Bench,
    stages: &mut Stages<'_>,
    run: &Run,
) -> Result<Measured, Box<dyn std::error::Error + Send + Sync>> {
    let run = Run { seed: bench.seed, ..run.clone() };
    let mut sets = |shingle: &ShingleParams| -> Result<ShingleSets, Box<dyn std::error::Error + Send + Sync>> {
        let shingling = shingle.check()?;
        let corpus = stages.read(&bench.data, bench.seed, &run)?;
        let fields = bench.data.fields.clone().unwrap_or_else(|| vec![Field::Title, Field::Abstract]);
        Ok(ShingleSets::of_corpus(&corpus, &fields, &shingling))
    };
    Ok(match &bench.laboratory {
        Laboratory::Pages { articles } => near_duplicates::wrapped_pages(*articles, &run),
        Laboratory::Joins { thresholds, shingle } => near_duplicates::joins(&sets(shingle)?, thresholds, &run),
        Laboratory::Families { components, pairs } => near_duplicates::families(*components, *pairs, &run),
        Laboratory::Orders { components, shingle } => near_duplicates::orders(&sets(shingle)?, *components, &run),
        Laboratory::Growth { sizes } => near_duplicates::growth(sizes, Ways::Both, &run),
    })
}

/// Tables of the same columns one below the other, each row after the name of its variant, if it has one.
fn joined<'t>(tables: impl Iterator<Item = (Option<&'t str>, &'t Table)>) -> Table {
    let mut all = Table::default();
    for (name, table) in tables {
        if all.columns().is_empty() {
            let first = name.map(|_| "variant".to_owned()).filter(|_| !table.columns().is_empty());
            all = Table::new(first.into_iter().chain(table.columns().iter().cloned()));
        }
        for row in table.rows() {
            all.push(name.map(Cell::from).into_iter().chain(row.iter().cloned()).collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> Result<Outcome, String> {
        let spec = Spec::from_toml(text, "test.toml").map_err(|e| e.to_string())?;
        run(&spec, &Sources::default(), &Run::default()).map_err(|e| e.to_string())
    }

    #[test]
    fn variants_are_laid_one_below_the_other() {
        let found = outcome(
            "title = \"t\"\n[data]\ngenerate = 60\n[laboratory.orders]\ncomponents = 8\n\
             [[variant]]\nname = \"words 3\"\n\
             [[variant]]\nname = \"words 1\"\nsettings = { laboratory.orders.shingle.size = 1 }\n\
             [[claim]]\nsays = \"each shingle is hashed once\"\ncolumn = \"hashes\"\nat_least = 1\n",
        )
        .unwrap();
        assert_eq!(found.axes, ["variant", "hash", "order"]);
        assert_eq!(found.table.rows().len(), 8);
        assert_eq!(
            (found.table.rows()[0][0].to_string(), found.table.rows()[4][0].to_string()),
            ("words 3".into(), "words 1".into())
        );
        assert_eq!(found.measurements.unwrap().rows().len(), 8);
        assert_eq!(
            (found.claims.rows()[0][2].to_string(), found.claims.rows()[0][3].to_string()),
            ("8".into(), "8".into())
        );
        assert_eq!(found.data.keys().collect::<Vec<_>>(), ["generated"]);
    }

    #[test]
    fn what_does_not_belong_there_is_told() {
        let unknown = outcome("title = \"t\"\n[laboratory.pages]\narticle = 3\n").unwrap_err();
        assert!(unknown.contains("article"), "{unknown}");
        let sweep = outcome("title = \"t\"\n[laboratory.pages]\narticles = 3\n[sweep]\nseed = [1, 2]\n").unwrap_err();
        assert!(sweep.contains("variants"), "{sweep}");
        let data = outcome("title = \"t\"\n[laboratory.orders]\ncomponents = 4\n").unwrap_err();
        assert!(data.contains("exactly one of generate, generate-news, dataset and files"), "{data}");
    }
}
