//! The arguments of every subcommand that reads records, and what is said about the reading.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use papertwin::corpus::formats::Format;
use papertwin::corpus::names::{Column, ColumnMap};
use papertwin::corpus::{self, Fields, Loaded, ReadOptions, Rejected};
use papertwin::output::Output;

use super::{Context, Outcome};

/// Inputs and how they are read.
#[derive(Args, Clone, Debug)]
pub struct CorpusArgs {
    /// Files of records in any known format, plain or packed (gz, zst, zip); - is standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// How inputs are read, for commands that name their inputs in another way.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// What columns mean where their names do not say it: FIELD=COLUMN,... (title=TI,abstract=AB)
    #[arg(long, value_name = "FIELD=COLUMN,…")]
    pub map: Vec<ColumnMap>,
    /// Fields that keep their place: all, common (those that every input has), or a list; others move to extra
    #[arg(long, value_name = "FIELDS")]
    pub fields: Option<Fields>,
    /// The format of the inputs, where it is not to be found from the content
    #[arg(long, value_name = "NAME", value_parser = format_names())]
    pub format: Option<Format>,
    /// Exit 0 even if records were rejected
    #[arg(long)]
    pub lenient: bool,
    /// Write the rejected records to a CSV file: file, line, record, reason
    #[arg(long, value_name = "CSV")]
    pub rejects: Option<PathBuf>,
}

/// How many rejected records are told on standard error; all of them go to `--rejects`.
const TOLD: usize = 10;

fn format_names() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::NAMES.iter().map(|(_, name)| *name)).try_map(|name| name.parse::<Format>())
}

impl CorpusArgs {
    /// Reads the inputs with all their fields, unless `--fields` says otherwise; see [`ReadingArgs::load_over`].
    ///
    /// # Errors
    /// If an input cannot be read at all, or the rejects cannot be written.
    pub fn load(&self, context: &Context) -> anyhow::Result<(Loaded, Outcome)> {
        self.reading.load_over(&self.inputs, Fields::All, context)
    }
}

impl ReadingArgs {
    /// Reads the inputs, says `seen = kept + rejected` and the first rejected records, writes `--rejects`. Not clean if
    /// something was rejected without `--lenient`. `fields` holds where `--fields` is not given.
    ///
    /// # Errors
    /// If an input cannot be read at all, or the rejects cannot be written.
    pub fn load_over(
        &self,
        inputs: &[PathBuf],
        fields: Fields,
        context: &Context,
    ) -> anyhow::Result<(Loaded, Outcome)> {
        let rejects = self.rejects.as_ref().map(Output::create).transpose()?;
        let mut map = ColumnMap::default();
        self.map.iter().for_each(|part| map.extend(part.clone()));
        let options = ReadOptions { format: self.format, map, fields: self.fields.clone().unwrap_or(fields) };
        let loaded = corpus::load(inputs, &options, &context.run())?;
        if let Some(rejects) = rejects {
            write_rejects(rejects, &loaded.rejected)?;
        }
        tell(&loaded, &options.fields, context);
        let outcome = if loaded.rejected.is_empty() || self.lenient { Outcome::Clean } else { Outcome::NotClean };
        Ok((loaded, outcome))
    }
}

fn write_rejects(mut out: Output, rejected: &[Rejected]) -> anyhow::Result<()> {
    {
        let mut writer = csv::Writer::from_writer(&mut out);
        writer.write_record(["file", "line", "record", "reason"])?;
        for one in rejected {
            let number = |n: u64| if n == 0 { String::new() } else { n.to_string() };
            writer.write_record([&*one.place.file, &number(one.place.line), &number(one.place.record), &one.reason])?;
        }
        writer.flush()?;
    }
    Ok(out.commit()?)
}

fn tell(loaded: &Loaded, fields: &Fields, context: &Context) {
    for one in loaded.rejected.iter().take(TOLD) {
        context.progress.warn(&format!("rejected: {}: {}", one.place, one.reason));
    }
    if loaded.rejected.len() > TOLD {
        let more = loaded.rejected.len() - TOLD;
        context.progress.warn(&format!("and {more} more rejected records; --rejects FILE writes all of them"));
    }
    if loaded.files.len() > 1 {
        for file in &loaded.files {
            let (kept, rejected) = (file.kept, file.rejected);
            context.say(format!("{} ({}): {kept} kept, {rejected} rejected", file.file, file.format));
        }
        if !loaded.uncommon.is_empty() {
            let names = |columns: &[Column]| columns.iter().map(|c| c.name()).collect::<Vec<_>>().join(", ");
            let what = match fields {
                Fields::All => "not in every input",
                Fields::Common => "moved to extra (--fields all keeps them in place)",
                Fields::Named(_) => "not in every input; --fields names what is kept",
            };
            let (common, others) = (names(&loaded.common), names(&loaded.uncommon));
            context.say(format!("fields in every input: {common}; {what}: {others}"));
        }
    }
    let (seen, kept, rejected) = (loaded.seen(), loaded.kept(), loaded.rejected.len());
    context.say(format!("{seen} seen = {kept} kept + {rejected} rejected"));
}
