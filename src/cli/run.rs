//! `papertwin run`: one experiment, wherever it is written.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use papertwin::error::FileError;
use papertwin::experiment::{self, Results, Sources, Spec, run};

use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin run experiments/first.toml
  papertwin run mine.toml --output results-of-mine

AN EXPERIMENT
  title = \"Which k?\"
  [data]
  files = [\"papers.jsonl\"]        # or dataset = \"arxiv\", or generate = 2000
  [inject]
  edits = [\"garble=0.1\"]
  [embedding]
  dims = 100
  [method.portrait]
  [sweep]                         # every combination is a row
  \"method.portrait.keywords.k\" = [5, 10, 20]
  seed = [1, 2, 3]
  [[figure]]
  name = \"k\"
  from = \"summary\"
  draw = { x = \"k\", y = [\"average_precision\"], error = \"average_precision_half\" }";

/// Runs.
#[derive(Args)]
pub struct RunExperiment {
    /// The experiment
    experiment: PathBuf,
    /// Folder for its tables and figures [default: out/NAME]
    #[arg(long, short, value_name = "FOLDER")]
    output: Option<PathBuf>,
}

impl RunExperiment {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let path = self.experiment.display().to_string();
        let text = std::fs::read_to_string(&self.experiment).map_err(FileError::at(&self.experiment))?;
        let spec = Spec::from_toml(&text, &path)?;
        let name = self.experiment.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let folder = self.output.unwrap_or_else(|| PathBuf::from("out").join(&name));
        std::fs::create_dir_all(&folder).map_err(FileError::at(&folder))?;
        let outcome = run(&spec, &Sources::from_environment(), &context.run()).with_context(|| path.clone())?;
        Results::at(&folder, "").write(&spec, &outcome)?;
        print(&outcome);
        let figures = spec.figures.iter().map(|f| folder.join(format!("{}.svg", f.name)).display().to_string());
        context.say(format_args!(
            "written: {}",
            std::iter::once(folder.join("table.csv").display().to_string())
                .chain(figures)
                .collect::<Vec<_>>()
                .join(", ")
        ));
        Ok(Outcome::Clean)
    }
}

/// The axes and the headline measures as a table for people.
fn print(outcome: &experiment::Outcome) {
    let shown = ["papers", "positives", "auc", "average_precision", "best_f1", "best_lambda", "b_cubed_f1"];
    let columns: Vec<usize> = outcome
        .axes
        .iter()
        .map(String::as_str)
        .chain(shown)
        .filter_map(|name| outcome.table.column(name).ok())
        .filter(|&c| outcome.table.rows().iter().any(|row| !row[c].to_string().is_empty()))
        .collect();
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header(columns.iter().map(|&c| outcome.table.columns()[c].replace('_', " ")));
    for row in outcome.table.rows() {
        table.add_row(columns.iter().map(|&c| row[c].to_string()));
    }
    println!("{table}");
}
