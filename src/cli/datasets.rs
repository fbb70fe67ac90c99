//! `papertwin datasets`: what data is known, where it comes from, whether the copy here is the right one, and data that
//! is generated.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use papertwin::corpus::dataset::{Copy, Dataset};
use papertwin::corpus::{Layout, writer_for};
use papertwin::output::Output;

use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin datasets list
  papertwin datasets generate generated-papers --papers 100000 -o papers.jsonl
  PAPERTWIN_DATA=/data papertwin datasets verify arxiv
  papertwin datasets fetch cord19";

/// The data sets that the project knows.
#[derive(Args)]
pub struct Datasets {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List the data sets, and whether a copy is here
    List {
        #[command(flatten)]
        data: DataFolder,
        /// Write the descriptions as JSON
        #[arg(long)]
        json: bool,
    },
    /// Say where a data set comes from and how it gets here
    Fetch {
        /// The data sets
        #[arg(required = true)]
        names: Vec<String>,
        #[command(flatten)]
        data: DataFolder,
    },
    /// Compare the copy here with the hashes in the descriptions: OK, DIFFERENT (exit 1) or NOT PRESENT
    Verify {
        /// The data sets [default: all]
        names: Vec<String>,
        #[command(flatten)]
        data: DataFolder,
    },
    /// Generate a data set: papers or news that follow topics and Zipf's law, from the seed
    Generate {
        /// generated-papers or generated-news
        name: String,
        /// The file to write; its ending says the format; - writes JSON lines to standard output
        #[arg(long, short = 'o', value_name = "OUT")]
        output: PathBuf,
        /// How many papers or articles, about [default: as the description says]
        #[arg(long, value_name = "N", alias = "articles")]
        papers: Option<u64>,
    },
}

/// Where the copies lie.
#[derive(Args)]
struct DataFolder {
    /// The folder of the data [default: the environment's PAPERTWIN_DATA]
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
}

impl DataFolder {
    fn find(&self) -> Option<PathBuf> {
        let named = || std::env::var_os("PAPERTWIN_DATA").filter(|name| !name.is_empty()).map(PathBuf::from);
        self.data.clone().or_else(named)
    }
}

impl Datasets {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        match self.action {
            Action::List { data, json } => list(data.find().as_deref(), json),
            Action::Fetch { names, data } => fetch(&names, data.find().as_deref()),
            Action::Verify { names, data } => verify(&names, data.find(), context),
            Action::Generate { name, output, papers } => generate(&name, &output, papers, context),
        }
    }
}

/// Standard output, whose closing by a reader is no failure of ours.
fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

fn list(data: Option<&Path>, json: bool) -> anyhow::Result<Outcome> {
    let sets = Dataset::all()?;
    if json {
        print(&format!("{}\n", serde_json::to_string_pretty(&sets)?))?;
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["name", "for", "records", "pairs", "here", "what"]);
    for column in [2, 3] {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for set in &sets {
        let here = match (data.map(|data| set.present(data)), set.generate.is_some()) {
            (_, true) => "generated".to_owned(),
            (None, _) | (Some((0, _)), _) => "no".to_owned(),
            (Some((found, all)), _) if found == all => "yes".to_owned(),
            (Some((found, all)), _) => format!("{found} of {all} files"),
        };
        let kind = serde_json::to_value(set.kind)?;
        let pairs = if set.pairs == 0 { String::new() } else { set.pairs.to_string() };
        table.add_row([
            &set.name,
            kind.as_str().unwrap_or_default(),
            &set.papers.to_string(),
            &pairs,
            &here,
            &set.title,
        ]);
    }
    let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    match data {
        Some(data) => text.push_str(&format!("\ncopies in {}\n", data.display())),
        None => text.push_str("\nPAPERTWIN_DATA names no folder of copies\n"),
    }
    print(&text)?;
    Ok(Outcome::Clean)
}

fn fetch(names: &[String], data: Option<&Path>) -> anyhow::Result<Outcome> {
    for name in names {
        let set = Dataset::named(name)?;
        let place = data.map_or_else(|| "$PAPERTWIN_DATA".to_owned(), |data| data.display().to_string());
        let mut text = format!(
            "{}: {}\nsource   {}\nlicence  {}\nformat   {}\n\n{}\n\n{}\n",
            set.name,
            set.title,
            set.source,
            set.licence,
            set.format,
            set.about.trim(),
            set.fetch.trim()
        );
        if !set.parts.is_empty() {
            text.push_str("\nfiles of the working copy:\n");
            for part in &set.parts {
                text.push_str(&format!("  {place}/{}  ({})\n", part.path, part.holds));
            }
            text.push_str(&format!("then: papertwin datasets verify {}\n", set.name));
        }
        print(&format!("{text}\n"))?;
    }
    Ok(Outcome::Clean)
}

fn verify(names: &[String], data: Option<PathBuf>, context: &Context) -> anyhow::Result<Outcome> {
    let data = data.ok_or_else(|| anyhow::anyhow!("which copy? set PAPERTWIN_DATA or give --data FOLDER"))?;
    let sets = match names {
        [] => Dataset::all()?,
        names => names.iter().map(|name| Dataset::named(name)).collect::<Result<_, _>>()?,
    };
    let mut outcome = Outcome::Clean;
    for set in &sets {
        for (path, copy) in set.verify(&data, &context.run())? {
            let found = match copy {
                Copy::Same => "OK",
                Copy::Missing => "NOT PRESENT",
                Copy::Different => {
                    outcome = Outcome::NotClean;
                    "DIFFERENT"
                }
            };
            print(&format!("{found:<11}  {}  {}\n", set.name, path.display()))?;
        }
        if set.generate.is_some() && !names.is_empty() {
            print(&format!("GENERATED    {0}  papertwin datasets generate {0} -o FILE\n", set.name))?;
        }
    }
    Ok(outcome)
}

fn generate(name: &str, output: &Path, papers: Option<u64>, context: &Context) -> anyhow::Result<Outcome> {
    let set = Dataset::named(name)?;
    let writer = writer_for(output)?;
    let mut out = Output::create(output)?;
    let generator = set.generator(papers, context.seed)?;
    let made = if writer.extensions().contains(&"jsonl") {
        generator.write_json_lines(&mut out, &context.run())?
    } else {
        let records = generator.records();
        writer.write(&records, &Layout::default(), &mut out)?;
        records.len() as u64
    };
    out.commit()?;
    context.say(format!("{made} records generated, seed {}", context.seed));
    Ok(Outcome::Clean)
}
