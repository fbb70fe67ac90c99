//! `papertwin plot`: a figure from any table.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use papertwin::error::FileError;
use papertwin::figures::{Figure, Kind, drawn_rows, png, svg};
use papertwin::output::Output;
use papertwin::table::Table;

use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin plot curves.csv -x recall -y precision --series k -o pr.svg
  papertwin plot table.csv -x dims -y average_precision --panel dataset --where edit=garble=0.1 -o dims.png
  papertwin plot sweep.tsv -x lambda -y precision,recall,f1 --x-range 0.5:1 -o sweep.svg";

#[derive(clap::Args)]
pub struct Plot {
    /// The table: CSV or tab-separated, with a header; `-` is standard input. Empty cells and NA are gaps
    table: PathBuf,
    /// The figure; the ending says the kind: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Column along the bottom [default: the first column]
    #[arg(short, long, value_name = "COLUMN")]
    x: Option<String>,
    /// Columns upwards, separated by commas [default: all other columns that hold numbers]
    #[arg(short, long, value_name = "COLUMNS", value_delimiter = ',')]
    y: Vec<String>,
    /// A line for each combination of values of these columns
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    series: Vec<String>,
    /// A panel for each value of this column
    #[arg(long, value_name = "COLUMN")]
    panel: Option<String>,
    /// Only rows in which this column has this value; may be given several times
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    only: Vec<String>,
    /// Column with half the height of an error bar
    #[arg(long, value_name = "COLUMN")]
    error: Option<String>,
    /// The line above the figure
    #[arg(long, default_value = "")]
    title: String,
    /// Text along the bottom
    #[arg(long)]
    x_label: Option<String>,
    /// Text at the side
    #[arg(long)]
    y_label: Option<String>,
    /// From and to along the bottom; may run backwards
    #[arg(long, value_name = "FROM:TO", value_parser = range, allow_hyphen_values = true)]
    x_range: Option<[f64; 2]>,
    /// From and to upwards
    #[arg(long, value_name = "FROM:TO", value_parser = range, allow_hyphen_values = true)]
    y_range: Option<[f64; 2]>,
    /// Logarithmic bottom axis
    #[arg(long)]
    x_log: bool,
    /// A logarithmic axis at the side
    #[arg(long)]
    y_log: bool,
    /// Lines with marks, lines, points, or a table of coloured cells
    #[arg(long, default_value = "line-points", value_parser = ["line-points", "line", "points", "heat-map"])]
    kind: String,
    /// Width of one panel in pixels
    #[arg(long, default_value_t = 440)]
    width: u32,
    /// Height of one panel in pixels
    #[arg(long, default_value_t = 340)]
    height: u32,
    /// Pixels of a PNG for each unit of the figure
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=10))]
    scale: u32,
}

fn range(text: &str) -> Result<[f64; 2], String> {
    let number = |t: &str| t.parse::<f64>().ok().filter(|x| x.is_finite());
    text.split_once(':')
        .and_then(|(from, to)| Some([number(from)?, number(to)?]))
        .ok_or_else(|| format!("{text:?} is no range; wanted FROM:TO, such as 0:1"))
}

impl Plot {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let name = self.output.display().to_string();
        let picture = match self.output.extension().and_then(|e| e.to_str()) {
            Some("svg") => false,
            Some("png") => true,
            _ => bail!("{name}: the ending must be .svg or .png"),
        };
        let table = if self.table.as_os_str() == "-" {
            Table::read_csv(std::io::stdin().lock())
        } else {
            Table::read_csv(File::open(&self.table).map_err(FileError::at(&self.table))?)
        }
        .with_context(|| self.table.display().to_string())?;
        let only = self
            .only
            .iter()
            .map(|text| match text.split_once('=') {
                Some((column, value)) => Ok((column.to_owned(), value.to_owned())),
                None => bail!("--where {text}: wanted COLUMN=VALUE"),
            })
            .collect::<anyhow::Result<BTreeMap<_, _>>>()?;
        let x = match self.x.or_else(|| table.columns().first().cloned()) {
            Some(x) => x,
            None => bail!("{}: the table has no columns", self.table.display()),
        };
        let taken = |c: &String| {
            *c == x || self.series.contains(c) || self.panel.as_ref() == Some(c) || self.error.as_ref() == Some(c)
        };
        let y = if self.y.is_empty() {
            let numeric = |n: usize| table.rows().iter().any(|row| row[n].number().is_some());
            table
                .columns()
                .iter()
                .enumerate()
                .filter(|(n, c)| !taken(c) && numeric(*n))
                .map(|(_, c)| c.clone())
                .collect()
        } else {
            self.y
        };
        if y.is_empty() {
            bail!("{}: no data: no column but {x} holds numbers", self.table.display());
        }
        let kind = match self.kind.as_str() {
            "line" => Kind::Line,
            "points" => Kind::Points,
            "heat-map" => Kind::HeatMap,
            _ => Kind::LinePoints,
        };
        let figure = Figure {
            title: self.title,
            x,
            y,
            series: self.series,
            panel: self.panel,
            only,
            error: self.error,
            x_label: self.x_label,
            y_label: self.y_label,
            x_range: self.x_range,
            y_range: self.y_range,
            x_log: self.x_log,
            y_log: self.y_log,
            kind,
            width: self.width,
            height: self.height,
        };
        let mut out = Output::create(&self.output)?;
        let bytes = if picture { png(&table, &figure, self.scale)? } else { svg(&table, &figure)?.into_bytes() };
        out.write_all(&bytes).map_err(FileError::at(&self.output))?;
        out.commit()?;
        let drawn = drawn_rows(&table, &figure)?;
        context.say(format_args!("{name}: {drawn} rows drawn from {}", self.table.display()));
        if drawn < table.rows().len() {
            context.progress.warn(&format!(
                "{} rows are not drawn: --where leaves them out, or x or y is no number there, or not above 0 on a logarithmic axis",
                table.rows().len() - drawn
            ));
        }
        Ok(Outcome::Clean)
    }
}
