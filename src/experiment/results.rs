//! `results/NAME/`: written whole, compared with what came out, drawn from its tables alone.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::ExperimentError;
use super::compare::{Difference, Verdict, differences};
use super::latex::tabular;
use super::runner::Outcome;
use super::spec::Spec;
use crate::error::FileError;
use crate::output::Output;
use crate::table::{Cell, Table};

/// The folder of one experiment's results.
#[derive(Clone, Debug)]
pub struct Results {
    folder: PathBuf,
}

/// `run.toml`: what the results were made from, and on what; only `[made-from]` is compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct RunFile {
    made_from: MadeFrom,
    made_on: MadeOn,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct MadeFrom {
    /// SHA-256 of the experiment's settings, sweep and variants.
    experiment: String,
    /// SHA-256 of the papers, by source.
    data: std::collections::BTreeMap<String, String>,
    /// The program's version.
    version: String,
    /// The columns of the table that are axes of the grid.
    axes: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct MadeOn {
    /// Operating system and processor kind.
    machine: String,
    /// Threads.
    threads: usize,
    /// Seconds for each point of the grid, in the order of the table.
    seconds: Vec<f64>,
    /// Of these, seconds for the method and the evaluation alone.
    #[serde(default)]
    method_seconds: Vec<f64>,
    /// Mebibytes that method and evaluation took at most beyond the papers; 0 where the system does not tell.
    #[serde(default)]
    mebibytes: Vec<f64>,
    /// Seconds for all of it.
    total_seconds: f64,
}

impl Results {
    /// The results of this experiment below a folder.
    pub fn at(results: impl AsRef<Path>, name: &str) -> Results {
        Results { folder: results.as_ref().join(name) }
    }

    /// Whether there are any.
    pub fn exist(&self) -> bool {
        self.folder.join("run.toml").is_file()
    }

    /// One of the tables: `table`, `curves`, `summary`, `claims` or `measurements`.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn table(&self, name: &str) -> Result<Table, ExperimentError> {
        let path = self.folder.join(format!("{name}.csv"));
        let file = File::open(&path).map_err(FileError::at(&path))?;
        Table::read_csv(file).map_err(|source| ExperimentError::Table { path: path.display().to_string(), source })
    }

    /// Writes tables, figures and `run.toml`. Files of an earlier run that are no longer made are removed.
    ///
    /// # Errors
    /// If the folder cannot be written to or a figure cannot be drawn.
    pub fn write(&self, spec: &Spec, outcome: &Outcome) -> Result<(), ExperimentError> {
        fs::create_dir_all(&self.folder).map_err(FileError::at(&self.folder))?;
        let mut names = vec!["run.toml".to_owned()];
        let measurements = outcome.measurements.as_ref().map(|table| ("measurements", table));
        for (name, table) in outcome.tables(spec).into_iter().chain(measurements) {
            let path = self.folder.join(format!("{name}.csv"));
            let mut bytes = Vec::new();
            table
                .write_csv(&mut bytes)
                .map_err(|source| ExperimentError::Table { path: path.display().to_string(), source })?;
            write(&path, &bytes)?;
            names.push(format!("{name}.csv"));
        }
        names.extend(self.draw(spec)?);
        let (table, columns) = self.shown(spec, &outcome.axes)?;
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let path = self.folder.join("table.tex");
        let text = tabular(&table, &columns)
            .map_err(|source| ExperimentError::Table { path: path.display().to_string(), source })?;
        write(&path, text.as_bytes())?;
        names.push("table.tex".to_owned());
        let run = RunFile {
            made_from: made_from(spec, outcome.data.clone(), outcome.axes.clone()),
            made_on: MadeOn {
                machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
                threads: rayon::current_num_threads(),
                total_seconds: thousandths(outcome.costs.iter().map(|cost| cost.seconds).sum()),
                seconds: outcome.costs.iter().map(|cost| thousandths(cost.seconds)).collect(),
                method_seconds: outcome.costs.iter().map(|cost| thousandths(cost.method_seconds)).collect(),
                mebibytes: outcome.costs.iter().map(|cost| cost.mebibytes.round()).collect(),
            },
        };
        let text = toml::to_string(&run).expect("names and numbers can be written as TOML");
        write(&self.folder.join("run.toml"), text.as_bytes())?;
        for entry in fs::read_dir(&self.folder).map_err(FileError::at(&self.folder))? {
            let path = entry.map_err(FileError::at(&self.folder))?.path();
            let ours = matches!(path.extension().and_then(|e| e.to_str()), Some("csv" | "svg" | "tex"));
            if ours && !names.iter().any(|n| path.ends_with(n)) {
                fs::remove_file(&path).map_err(FileError::at(&path))?;
            }
        }
        Ok(())
    }

    /// The table that a reader is shown, means over the seeds where there are several, and the columns of it: axes, and
    /// the headline measures that have a value somewhere. Of an experiment of the laboratory, all columns.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn shown(&self, spec: &Spec, axes: &[String]) -> Result<(Table, Vec<String>), ExperimentError> {
        const OF_SEEDS: &[&str] = &[
            "seeds",
            "auc",
            "auc_half",
            "average_precision",
            "average_precision_half",
            "best_f1",
            "fold",
            "stories",
            "pair_f1",
            "b_cubed_f1",
            "setting",
        ];
        const OF_ONE: &[&str] = &[
            "auc",
            "average_precision",
            "best_f1",
            "best_lambda",
            "precision_at_recall_90",
            "groups",
            "largest_component",
            "pair_precision",
            "pair_recall",
            "pair_f1",
            "b_cubed_f1",
            "nmi",
        ];
        let (table, wanted) = match self.table("summary") {
            Ok(table) => (table, OF_SEEDS),
            Err(_) if spec.is_laboratory() => {
                let table = self.table("table")?;
                let columns = table.columns().to_vec();
                return Ok((table, columns));
            }
            Err(_) => (self.table("table")?, OF_ONE),
        };
        let has = |name: &str| table.column(name).is_ok_and(|c| table.rows().iter().any(|row| row[c] != Cell::Empty));
        let names = axes.iter().map(String::as_str).chain(wanted.iter().copied());
        let columns = names.filter(|name| has(name)).map(str::to_owned).collect();
        Ok((table, columns))
    }

    /// Mean seconds and greatest mebibytes of method and evaluation for each value of an axis, in the order of the table;
    /// nothing where the run did not keep them.
    ///
    /// # Errors
    /// If the results cannot be read.
    pub fn costs(&self, axis: &str) -> Result<Vec<(String, f64, f64)>, ExperimentError> {
        let made = self.run_file()?.made_on;
        let table = self.table("table")?;
        let Ok(column) = table.column(axis) else { return Ok(Vec::new()) };
        let mut groups: Vec<(String, Vec<f64>, f64)> = Vec::new();
        for ((row, &seconds), &mebibytes) in table.rows().iter().zip(&made.method_seconds).zip(&made.mebibytes) {
            let value = row[column].to_string();
            match groups.iter_mut().find(|(known, ..)| *known == value) {
                Some(group) => {
                    group.1.push(seconds);
                    group.2 = group.2.max(mebibytes);
                }
                None => groups.push((value, vec![seconds], mebibytes)),
            }
        }
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        Ok(groups.into_iter().map(|(value, seconds, most)| (value, mean(&seconds), most)).collect())
    }

    /// Draws the figures from the tables in the folder; gives the names of the files.
    ///
    /// # Errors
    /// If a table cannot be read or a figure cannot be drawn or written.
    #[cfg(feature = "figures")]
    pub fn draw(&self, spec: &Spec) -> Result<Vec<String>, ExperimentError> {
        let mut names = Vec::new();
        for figure in &spec.figures {
            let table = self.table(&figure.from)?;
            let failed = |e: crate::figures::FigureError| ExperimentError::Figure {
                name: figure.name.clone(),
                reason: e.to_string(),
            };
            let svg = crate::figures::svg(&table, &figure.draw).map_err(failed)?;
            let name = format!("{}.svg", figure.name);
            write(&self.folder.join(&name), svg.as_bytes())?;
            names.push(name);
        }
        Ok(names)
    }

    /// A program without figures leaves those that are there.
    ///
    /// # Errors
    /// None.
    #[cfg(not(feature = "figures"))]
    pub fn draw(&self, spec: &Spec) -> Result<Vec<String>, ExperimentError> {
        Ok(spec.figures.iter().map(|f| format!("{}.svg", f.name)).collect())
    }

    /// Whether the results were made from this experiment by this version, without running it.
    ///
    /// # Errors
    /// If `run.toml` cannot be read.
    pub fn made_from_this(&self, spec: &Spec) -> Result<bool, ExperimentError> {
        let made = self.run_file()?.made_from;
        Ok(made.experiment == essence_hash(spec) && made.version == env!("CARGO_PKG_VERSION"))
    }

    /// Compares what came out now with what stands here.
    ///
    /// # Errors
    /// If what stands here cannot be read.
    pub fn compare(&self, spec: &Spec, outcome: &Outcome) -> Result<(Verdict, Vec<Difference>), ExperimentError> {
        if !self.exist() {
            return Ok((Verdict::Missing, Vec::new()));
        }
        let mut found = Vec::new();
        for (name, table) in outcome.tables(spec) {
            let mut moved = differences(&self.table(name)?, table, outcome.axes.len(), &spec.tolerance);
            moved.iter_mut().for_each(|d| d.row = format!("{name}: {}", d.row));
            found.append(&mut moved);
        }
        let verdict = if !found.is_empty() {
            Verdict::Moved
        } else if self.run_file()?.made_from != made_from(spec, outcome.data.clone(), outcome.axes.clone()) {
            Verdict::Stale
        } else {
            Verdict::Same
        };
        Ok((verdict, found))
    }

    /// The columns of the table that are axes of the grid.
    ///
    /// # Errors
    /// If `run.toml` cannot be read.
    pub fn axes(&self) -> Result<Vec<String>, ExperimentError> {
        Ok(self.run_file()?.made_from.axes)
    }

    /// Seconds that the run took where it was made.
    ///
    /// # Errors
    /// If `run.toml` cannot be read.
    pub fn seconds(&self) -> Result<f64, ExperimentError> {
        Ok(self.run_file()?.made_on.total_seconds)
    }

    fn run_file(&self) -> Result<RunFile, ExperimentError> {
        let path = self.folder.join("run.toml");
        let text = fs::read_to_string(&path).map_err(FileError::at(&path))?;
        toml::from_str(&text)
            .map_err(|e| ExperimentError::Spec { path: path.display().to_string(), reason: e.to_string() })
    }
}

fn made_from(spec: &Spec, data: std::collections::BTreeMap<String, String>, axes: Vec<String>) -> MadeFrom {
    MadeFrom { experiment: essence_hash(spec), data, version: env!("CARGO_PKG_VERSION").to_owned(), axes }
}

fn essence_hash(spec: &Spec) -> String {
    hex(&Sha256::digest(spec.essence()))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn thousandths(seconds: f64) -> f64 {
    (seconds * 1e3).round() / 1e3
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), ExperimentError> {
    let mut out = Output::create(path)?;
    out.write_all(bytes).map_err(FileError::at(path))?;
    Ok(out.commit()?)
}
