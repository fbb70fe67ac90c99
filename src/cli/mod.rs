//! The command line: one file a subcommand; `main` parses, plans and turns the outcome into an exit code.
//!
//! Standard output is data, standard error is talk. Exit 0: done; 1: not clean (a check moved, records were rejected);
//! 2: error.

mod communities;
mod news;
mod inject;
#[cfg(feature = "figures")]
mod plot;
mod reproduce;
mod run;
mod convert;
mod corpus_args;
mod explain;
mod keywords;
mod dedup;
mod evaluate;
mod method_args;
mod methods;
mod pairs;
mod datasets;
mod lab;
mod losses;
mod talk;
mod text_args;
mod embedding;
mod train;
mod vectors;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use papertwin::progress::{Progress, Run};
use papertwin::seed::Seed;

/// Finds duplicate papers and news stories, and measures how well each way of finding them works.
#[derive(Parser)]
#[command(name = "papertwin", version, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    everywhere: Everywhere,
}

#[derive(Args, Clone, Debug)]
struct Everywhere {
    /// Threads to work with; results do not depend on it [default: one a core]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The number that all random choices follow from
    #[arg(long, global = true, value_name = "N", default_value_t = Seed::default())]
    seed: Seed,
    /// No progress, no summaries on standard error; warnings and errors stay
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Find the duplicates among several exports and write one clean file, with a reason for every removed record
    #[command(after_help = dedup::EXAMPLES)]
    Dedup(dedup::Dedup),
    /// Read records in any formats, lay them into one corpus, and write it in another format
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::Convert),
    /// Train word vectors (word2vec) on the texts of papers, or on ready tokens
    #[command(after_help = train::EXAMPLES)]
    Train(Box<train::Train>),
    /// Find the words of greatest tf-idf weight of each paper
    #[command(after_help = keywords::EXAMPLES)]
    Keywords(keywords::Keywords),
    /// Make the portrait of each paper: the mean of the word vectors of its keywords
    #[command(after_help = vectors::EXAMPLES)]
    Vectors(vectors::Vectors),
    /// Find every pair at or above λ, by any method or on ready vectors
    #[command(after_help = pairs::EXAMPLES)]
    Pairs(Box<pairs::Pairs>),
    /// Say why two papers are alike: fields, shared words and what each adds
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::Explain),
    /// Lay a share of the papers in again, edited, and write which they are
    #[command(after_help = inject::EXAMPLES)]
    Inject(inject::Inject),
    /// Measure how well a method finds the true duplicates: precision, recall, F1, areas, best λ, curves
    #[command(after_help = evaluate::EXAMPLES)]
    Evaluate(Box<evaluate::Evaluate>),
    /// List the methods, or the parameters of one with their defaults
    #[command(after_help = methods::EXAMPLES)]
    Methods(methods::Methods),
    /// Draw a figure, SVG or PNG, from any table
    #[cfg(feature = "figures")]
    #[command(after_help = plot::EXAMPLES)]
    Plot(plot::Plot),
    /// Group news into stories, in one go or in daily batches
    #[command(after_help = news::EXAMPLES)]
    News(news::News),
    /// Find the strongly connected components and the triangle communities (SCD) of a graph
    #[command(after_help = communities::EXAMPLES)]
    Communities(communities::Communities),
    /// Run one experiment: tables and figures of every point of its grid
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunExperiment),
    /// Run all experiments to results/, or compare with it
    #[command(after_help = reproduce::EXAMPLES)]
    Reproduce(reproduce::Reproduce),
    /// List, fetch, verify and generate data sets
    #[command(after_help = datasets::EXAMPLES)]
    Datasets(datasets::Datasets),
    /// Look into files of word vectors, and convert them
    #[command(after_help = embedding::EXAMPLES)]
    Embedding(embedding::Embedding),
    /// Experiments on shingles, MinHash and exact joins, as tables
    #[command(after_help = lab::EXAMPLES)]
    Lab(lab::Lab),
    /// Write a shell completion script to standard output
    #[command(after_help = "EXAMPLE\n  papertwin completions bash > /etc/bash_completion.d/papertwin")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Whether a command that did its work found everything as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Exit 0.
    Clean,
    /// Exit 1: the work was done, and something needs a look.
    NotClean,
}

/// What every subcommand is given.
pub struct Context {
    /// The seed of the run.
    pub seed: Seed,
    /// Where progress and warnings go.
    pub progress: Arc<dyn Progress>,
    /// Whether summaries are unwanted.
    pub quiet: bool,
}

impl Context {
    /// A run of the library under this context.
    pub fn run(&self) -> Run {
        Run { seed: self.seed, progress: self.progress.clone() }
    }

    /// Says something on standard error, unless `--quiet`.
    pub fn say(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            self.progress_line(&text.to_string());
        }
    }

    fn progress_line(&self, text: &str) {
        use std::io::Write;
        // Nobody reads a closed standard error; the work goes on.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// The exit code of a process that was told to end, as shells count it.
const INTERRUPTED: i32 = 130;

/// A number below zero is a value everywhere, so that the message about it tells which values are meant.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    command.allow_negative_numbers(true).mut_subcommands(with_negative_numbers)
}

/// Options that name a file to be written; every other path is read.
const WRITTEN: [&str; 15] = [
    "output",
    "to",
    "truth",
    "rejects",
    "report",
    "review",
    "counts",
    "curve",
    "roc",
    "groups",
    "save_df",
    "graph",
    "figure",
    "page",
    "measurements",
];

/// Refuses a file that would be read and replaced in one run, and standard input that is named twice.
fn check_paths(matches: &clap::ArgMatches) -> anyhow::Result<()> {
    let (mut command, mut at) = ("", matches);
    while let Some((name, below)) = at.subcommand() {
        (command, at) = (name, below);
    }
    let is_written = |id: &str| WRITTEN.contains(&id) && (id != "truth" || command == "inject");
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for id in at.ids().map(clap::Id::as_str) {
        // What is no path says so here.
        let Ok(Some(paths)) = at.try_get_many::<std::path::PathBuf>(id) else { continue };
        if is_written(id) { &mut written } else { &mut read }.extend(paths);
    }
    if read.iter().filter(|path| path.as_os_str() == "-").count() > 1 {
        anyhow::bail!("-: standard input is named twice; it can be read once");
    }
    for path in written.into_iter().filter(|path| path.as_os_str() != "-") {
        let Ok(place) = path.canonicalize() else { continue };
        if place.is_file() && read.iter().any(|input| input.canonicalize().is_ok_and(|input| input == place)) {
            anyhow::bail!("{}: is an input and an output; write to another file", path.display());
        }
    }
    Ok(())
}

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    let matches = with_negative_numbers(Cli::command()).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    // What is half written goes with the process. Without a handler the process ends all the same.
    let _ = ctrlc::set_handler(|| {
        papertwin::output::abandon();
        std::process::exit(INTERRUPTED);
    });
    let quiet = cli.everywhere.quiet;
    let context = Context { seed: cli.everywhere.seed, progress: Arc::new(talk::Talk::new(quiet)), quiet };
    let mut pool = rayon::ThreadPoolBuilder::new();
    if let Some(threads) = cli.everywhere.threads {
        pool = pool.num_threads(threads.into());
    }
    if let Err(error) = pool.build_global() {
        eprintln!("error: no threads: {error}");
        return ExitCode::from(2);
    }
    match check_paths(&matches).and_then(|()| run(cli.command, &context)) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::NotClean) => ExitCode::from(1),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", told_once(&error));
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, context: &Context) -> anyhow::Result<Outcome> {
    match command {
        Command::Communities(command) => command.run(context),
        Command::News(command) => command.run(context),
        Command::Inject(command) => command.run(context),
        Command::Run(command) => command.run(context),
        Command::Reproduce(command) => command.run(context),
        #[cfg(feature = "figures")]
        Command::Plot(command) => command.run(context),
        Command::Keywords(command) => command.run(context),
        Command::Vectors(command) => command.run(context),
        Command::Explain(command) => command.run(context),
        Command::Convert(command) => command.run(context),
        Command::Dedup(command) => command.run(context),
        Command::Pairs(command) => command.run(context),
        Command::Evaluate(command) => command.run(context),
        Command::Methods(command) => command.run(context),
        Command::Datasets(command) => command.run(context),
        Command::Lab(command) => command.run(context),
        Command::Train(command) => command.run(context),
        Command::Embedding(command) => command.run(context),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "papertwin", &mut script);
            std::io::Write::write_all(&mut std::io::stdout(), &script)?;
            Ok(Outcome::Clean)
        }
    }
}

/// The chain of causes, without those that the error before has told already.
fn told_once(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(|cause| cause.to_string()) {
        if told.is_empty() {
            told = cause;
        } else if !told.ends_with(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

/// A reader that closed the pipe has seen enough: that is success.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match cause.downcast_ref::<std::io::Error>() {
        Some(io) => io.kind() == std::io::ErrorKind::BrokenPipe,
        None => matches!(cause.downcast_ref::<csv::Error>().map(csv::Error::kind), Some(csv::ErrorKind::Io(io)) if io.kind() == std::io::ErrorKind::BrokenPipe),
    })
}
