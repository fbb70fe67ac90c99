//! `papertwin reproduce`: all experiments to `results/`, README and the report; or, aside, a comparison with them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use papertwin::error::FileError;
use papertwin::experiment::{ExperimentError, Results, Sources, Spec, Tier, Verdict, report, rewrite_blocks, run};
use papertwin::output::Output;

use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin reproduce                       all experiments that need no real data
  papertwin reproduce --check               the same aside; nothing is written, exit 1 if anything moved
  papertwin reproduce --tier full           those on real data too (PAPERTWIN_DATA names its folder)
  papertwin reproduce --only fig3-4
  papertwin reproduce --redraw --tier full  figures and report from the tables that are there, after a change of labels";

/// Reproduces.
#[derive(Args)]
pub struct Reproduce {
    /// Compare with results/ instead of writing
    #[arg(long)]
    check: bool,
    /// Run nothing: draw the figures, README's tables and the report anew from the tables in results/
    #[arg(long, conflicts_with = "check")]
    redraw: bool,
    /// quick: generated data; full: real data too
    #[arg(long, value_enum, default_value_t = TierName::Quick)]
    tier: TierName,
    /// Only these experiments, whatever their tier; separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The folder that holds experiments/, results/ and README.md
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TierName {
    Quick,
    Full,
}

/// How many differences of an experiment are shown.
const SHOWN: usize = 20;

impl Reproduce {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let all = experiments(&self.project.join("experiments"))?;
        if let Some(unknown) = self.only.iter().find(|name| !all.iter().any(|(n, _)| n == *name)) {
            let names = all.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>().join(", ");
            bail!("there is no experiment {unknown:?}; the experiments are {names}");
        }
        let results = self.project.join("results");
        let sources = Sources::from_environment();
        let chosen = all.iter().filter(|(name, spec)| match self.only.is_empty() {
            true => spec.tier == Tier::Quick || self.tier == TierName::Full,
            false => self.only.contains(name),
        });
        let mut worst = Outcome::Clean;
        for (name, spec) in chosen {
            let folder = Results::at(&results, name);
            if self.redraw {
                if folder.exist() {
                    println!("DRAWN       {name}: {}", folder.draw(spec)?.join(", "));
                }
                continue;
            }
            let outcome = match run(spec, &sources, &context.run()) {
                Ok(outcome) => outcome,
                Err(ExperimentError::NotPresent { name: data, way_on }) => {
                    let stale = folder.exist() && !folder.made_from_this(spec)?;
                    println!(
                        "{:11} {name}: the data set {data} is not present; {way_on}",
                        if stale { Verdict::Stale } else { Verdict::NotPresent }
                    );
                    if stale {
                        println!("            its results were made from another experiment or version");
                        worst = Outcome::NotClean;
                    }
                    continue;
                }
                Err(error) => return Err(error).with_context(|| format!("experiment {name}")),
            };
            if !self.check {
                folder.write(spec, &outcome)?;
                println!(
                    "WRITTEN     {name}: {} rows, {:.1} s",
                    outcome.table.rows().len(),
                    outcome.costs.iter().map(|cost| cost.seconds).sum::<f64>()
                );
                continue;
            }
            let (verdict, moved) = folder.compare(spec, &outcome)?;
            println!("{verdict:11} {name}: {}", spec.title);
            for difference in moved.iter().take(SHOWN) {
                println!("            {difference}");
            }
            if moved.len() > SHOWN {
                println!("            and {} more", moved.len() - SHOWN);
            }
            if verdict != Verdict::Same {
                println!("            if that is right: papertwin reproduce --only {name}");
                worst = Outcome::NotClean;
            }
        }
        for extra in extras(&results, &all)? {
            println!(
                "{:11} {extra}: results without an experiment; remove results/{extra} or write experiments/{extra}.toml",
                Verdict::Extra
            );
            worst = Outcome::NotClean;
        }
        for (path, now) in self.generated(&all, &results)? {
            let before = fs::read_to_string(&path).unwrap_or_default();
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            if before == now {
                continue;
            }
            if self.check {
                println!(
                    "{:11} {name}: its generated parts are not those of results/; run papertwin reproduce",
                    Verdict::Stale
                );
                worst = Outcome::NotClean;
            } else {
                let mut out = Output::create(&path)?;
                std::io::Write::write_all(&mut out, now.as_bytes()).map_err(FileError::at(&path))?;
                out.commit()?;
                println!("WRITTEN     {name}");
            }
        }
        Ok(worst)
    }

    /// The texts that are made from `results/`: README's blocks and the report.
    fn generated(&self, all: &[(String, Spec)], results: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
        let mut texts = Vec::new();
        let readme = self.project.join("README.md");
        if readme.is_file() {
            let text = fs::read_to_string(&readme).map_err(FileError::at(&readme))?;
            let table = |name: &str| {
                let folder = Results::at(results, name);
                folder.table("summary").or_else(|_| folder.table("table")).ok()
            };
            texts.push((readme, rewrite_blocks(&text, table).map_err(anyhow::Error::msg)?));
        }
        if all.iter().any(|(name, _)| Results::at(results, name).exist()) {
            texts.push((results.join("REPORT.md"), report(all, results)?));
        }
        Ok(texts)
    }
}

/// The experiments of a folder, by name.
fn experiments(folder: &Path) -> anyhow::Result<Vec<(String, Spec)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(FileError::at(folder))? {
        let path = entry.map_err(FileError::at(folder))?.path();
        if path.extension().is_some_and(|e| e == "toml") {
            let text = fs::read_to_string(&path).map_err(FileError::at(&path))?;
            let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            all.push((name, Spec::from_toml(&text, &path.display().to_string())?));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// Folders of results that no experiment makes.
fn extras(results: &Path, all: &[(String, Spec)]) -> anyhow::Result<Vec<String>> {
    let mut extras = Vec::new();
    if results.is_dir() {
        for entry in fs::read_dir(results).map_err(FileError::at(results))? {
            let entry = entry.map_err(FileError::at(results))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().join("run.toml").is_file() && !all.iter().any(|(n, _)| *n == name) {
                extras.push(name);
            }
        }
    }
    extras.sort();
    Ok(extras)
}
