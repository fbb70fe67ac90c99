//! `papertwin dedup`: several exports in, one clean file out, with a reason for every removed record.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use papertwin::corpus::{Corpus, Fields, Paper, Rejected, writer_for};
use papertwin::embedding::Embedding;
use papertwin::evaluation::{RecommendParams, recommend};
use papertwin::methods::{Input, MethodSpec, NAMES};
use papertwin::output::Output;
use papertwin::resolve::{self, Combine, Linkage, Options, Resolution, Survivor, Versions, resolve};
use papertwin::similarity::Score;

use super::corpus_args::CorpusArgs;
use super::losses::tell_losses;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "EXAMPLES
  papertwin dedup wos.ris scopus.csv pubmed.nbib -o clean.ris --report report.csv --review review.csv
  papertwin dedup wos.ris scopus.csv -o clean.ris --decisions review.csv      (after filling its column `decision`)
  papertwin dedup new.ris --against clean.ris -o additions.ris
  papertwin dedup all.jsonl -o clean.jsonl --method records --method whole-file@1 --combine intersection
  papertwin dedup all.jsonl -o clean.jsonl --method hashed-portrait --precision 0.99

Nothing is lost: seen = kept + duplicates + rejected, and the report has one line for every record that was read.
Records are one paper where their fields agree; different DOIs, parts, numbers, errata and comments keep them apart.";

/// Finds duplicates and resolves them.
#[derive(Args)]
pub struct Dedup {
    #[command(flatten)]
    corpus: CorpusArgs,
    /// The clean file; its ending says the format; - writes JSON lines to standard output
    #[arg(long, short = 'o', visible_alias = "to", value_name = "OUT")]
    output: PathBuf,
    /// One line for every record read: id, cluster, kept, score, reason, file, line, ...
    #[arg(long, value_name = "CSV")]
    report: Option<PathBuf>,
    /// The pairs that a person should look at; fill its column `decision` and give it back with --decisions
    #[arg(long, value_name = "CSV")]
    review: Option<PathBuf>,
    /// What people decided: first_id, second_id, decision (same, different)
    #[arg(long, value_name = "CSV")]
    decisions: Vec<PathBuf>,
    /// Records, kept and duplicates of each source, and the papers that two sources share, as a table
    #[arg(long, value_name = "CSV")]
    counts: Option<PathBuf>,
    /// A clean base: its records stay as they are; only what it does not have is written
    #[arg(long, value_name = "BASE")]
    against: Vec<PathBuf>,
    /// A preprint and the article that it became
    #[arg(long, value_enum, default_value_t = VersionsArg::Link)]
    versions: VersionsArg,
    /// No two records of one source (the field `source`, else the file) are one paper
    #[arg(long)]
    unique_within_source: bool,
    /// Which record of a cluster stays
    #[arg(long, value_enum, default_value_t = SurvivorArg::MostComplete)]
    survivor: SurvivorArg,
    /// The order of sources, or of files, for --survivor source-priority
    #[arg(long, value_name = "SOURCE,…", value_delimiter = ',')]
    sources: Vec<String>,
    /// When two clusters become one: consistent (their members agree) or components (one pair is enough)
    #[arg(long, value_enum, default_value_t = LinkageArg::Consistent)]
    linkage: LinkageArg,
    /// A method by name, with its least score behind @ (whole-file@1); may be given several times [default: records]
    #[arg(long, value_name = "NAME[@λ]")]
    method: Vec<MethodArg>,
    /// The least score of methods without @λ: the one that reaches this precision on edited copies laid into the inputs
    /// [default: 0.9 as least score]
    #[arg(long, value_name = "PRECISION", requires = "method")]
    precision: Option<f64>,
    /// Word vectors for the methods that want some (portrait); `papertwin train` makes them
    #[arg(long, value_name = "MODEL")]
    embedding: Option<PathBuf>,
    /// How several methods are combined
    #[arg(long, value_enum, default_value_t = CombineArg::Union)]
    combine: CombineArg,
    /// Warn if a greater share of the records would be removed
    #[arg(long, value_name = "SHARE", default_value = "0.5", value_parser = share)]
    most_removed: Score,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum VersionsArg {
    /// Both stay; the report names them as related
    Link,
    /// One paper; the article stays
    Merge,
    /// Both stay, nothing is said
    Ignore,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SurvivorArg {
    /// The one with most fields
    MostComplete,
    /// The one of the first source in --sources
    SourcePriority,
    /// The one of the earliest year
    PublishedFirst,
    /// The first in the input
    First,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LinkageArg {
    /// At least half of the pairs between two clusters are one paper, and none contradicts
    Consistent,
    /// Connected components
    Components,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum CombineArg {
    /// One paper if any method says so
    Union,
    /// One paper if all methods say so
    Intersection,
}

/// A method and its λ.
#[derive(Clone, Debug)]
struct MethodArg {
    spec: MethodSpec,
    lambda: Option<Score>,
}

impl MethodArg {
    /// Record matching decides by itself and has no λ.
    fn is_records(&self) -> bool {
        matches!(self.spec, MethodSpec::Records(_))
    }
}

impl std::str::FromStr for MethodArg {
    type Err = String;
    fn from_str(text: &str) -> Result<MethodArg, String> {
        let (name, lambda) = match text.split_once('@') {
            Some((name, lambda)) => (name, Some(lambda.parse().map_err(|error| format!("{error}"))?)),
            None => (text, None),
        };
        let with_defaults = serde_json::json!({ name: {} });
        let spec = serde_json::from_value(with_defaults)
            .map_err(|_| format!("there is no method {name:?}; the methods are {}", NAMES.join(", ")))?;
        Ok(MethodArg { spec, lambda })
    }
}

impl Dedup {
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let writer = writer_for(&self.output)?;
        let mut out = Output::create(&self.output)?;
        let open = |path: &Option<PathBuf>| path.as_ref().map(Output::create).transpose();
        let (report, review, counts) = (open(&self.report)?, open(&self.review)?, open(&self.counts)?);
        if matches!(self.survivor, SurvivorArg::SourcePriority) && self.sources.is_empty() {
            bail!("--survivor source-priority wants --sources A,B,...: the sources in their order");
        }

        let mut papers: Vec<Paper> = Vec::new();
        if !self.against.is_empty() {
            let (base, _) = self.corpus.reading.load_over(&self.against, Fields::All, context)?;
            papers = base.corpus.into_papers();
        }
        let base = papers.len();
        let (loaded, mut outcome) = self.corpus.load(context)?;
        papers.extend(loaded.corpus.into_papers());
        let corpus = Corpus::new(papers);
        check_fields(&corpus)?;
        self.check_sources(&corpus)?;

        let mut options = self.options(base);
        options.embedding = self.load_embedding(context)?.map(Arc::new);
        options.methods = self.methods(&corpus, options.embedding.as_deref(), context)?;
        for path in &self.decisions {
            let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
            let found = resolve::read_decisions(file, &corpus).with_context(|| path.display().to_string())?;
            if !tell_decisions(context, &path.display().to_string(), &found) {
                outcome = Outcome::NotClean;
            }
            options.decided.same.extend(found.decided.same);
            options.decided.different.extend(found.decided.different);
        }
        if let Some(pair) = options.decided.contradiction(corpus.len()) {
            let [first, second] = [pair.first(), pair.second()].map(|place| corpus.paper(place).id.clone());
            bail!(
                "{first:?} and {second:?} are decided as different, but other decisions make them the same; change one of them"
            );
        }
        let resolution = resolve(&corpus, &options, &context.run())?;
        let clean = resolution.clean(&corpus, base);

        writer.write(&clean, &loaded.layout, &mut out)?;
        if let Some(mut report) = report {
            write_report(&corpus, &resolution, &clean, base, &loaded.rejected, &mut report)?;
            report.commit()?;
        }
        if let Some(mut review) = review {
            resolve::write_review(&corpus, &resolution, &mut review)?;
            review.commit()?;
        }
        if let Some(mut counts) = counts {
            resolve::overlaps(&corpus, &resolution).write_csv(&mut counts)?;
            counts.commit()?;
        }
        out.commit()?;
        tell_losses(&self.output, &clean, context);
        if !self.tell(context, &corpus, &resolution, &loaded.rejected, base) {
            outcome = Outcome::NotClean;
        }
        Ok(outcome)
    }

    /// The methods beside record matching with their λ: the one given, the one that `--precision` asks for, or 0.9.
    fn methods(
        &self,
        corpus: &Corpus,
        embedding: Option<&Embedding>,
        context: &Context,
    ) -> anyhow::Result<Vec<(MethodSpec, Score)>> {
        let mut methods = Vec::new();
        for method in self.method.iter().filter(|method| !method.is_records()) {
            let lambda = match (method.lambda, self.precision) {
                (Some(lambda), _) => lambda,
                (None, None) => Score::of(0.9),
                (None, Some(precision)) => {
                    let params = RecommendParams { precision, ..RecommendParams::default() };
                    let (way, fields) = (method.spec.method(), Input::of(corpus).fields);
                    let found = recommend(corpus, way.as_ref(), embedding, fields, &params, &context.run())?;
                    context.say(format!(
                        "{}: λ = {} for precision {precision} ({} to {} in {} draws; {} pairs at or above it)",
                        way.name(),
                        found.lambda,
                        found.range.0,
                        found.range.1,
                        params.draws,
                        found.pairs
                    ));
                    if let Some(warning) = found.warning() {
                        context.progress.warn(&warning);
                    }
                    found.lambda
                }
            };
            methods.push((method.spec.clone(), lambda));
        }
        Ok(methods)
    }

    fn load_embedding(&self, context: &Context) -> anyhow::Result<Option<Embedding>> {
        let wanting: Vec<&str> = self
            .method
            .iter()
            .filter(|method| matches!(method.spec, MethodSpec::Portrait(_) | MethodSpec::HashedPortrait(_)))
            .map(|method| method.spec.method().name())
            .collect();
        if let (None, Some(name)) = (&self.embedding, wanting.first()) {
            let inputs: Vec<String> = self.corpus.inputs.iter().map(|path| path.display().to_string()).collect();
            bail!(
                "--method {name} wants word vectors: make some with `papertwin train {} -o words.fifu` (better from more \
                 papers of the same kind) and name them with --embedding words.fifu",
                inputs.join(" ")
            );
        }
        super::method_args::read_embedding(self.embedding.as_deref(), context)
    }

    /// A name in --sources that no record has would silently do nothing.
    fn check_sources(&self, corpus: &Corpus) -> anyhow::Result<()> {
        for name in &self.sources {
            if !corpus.papers().iter().any(|paper| resolve::is_of(paper, name)) {
                let known: BTreeSet<&str> = corpus
                    .papers()
                    .iter()
                    .flat_map(|paper| [paper.source.trim(), &*paper.place.file])
                    .filter(|known| !known.is_empty())
                    .collect();
                let known: Vec<&str> = known.into_iter().collect();
                bail!("--sources: no record is of {name:?}; the sources and files are {}", known.join(", "));
            }
        }
        Ok(())
    }

    /// Says which fields the format of the clean file has no place for, by reading it again.
    fn options(&self, base: usize) -> Options {
        Options {
            unique_within_source: self.unique_within_source,
            versions: match self.versions {
                VersionsArg::Link => Versions::Link,
                VersionsArg::Merge => Versions::Merge,
                VersionsArg::Ignore => Versions::Ignore,
            },
            linkage: match self.linkage {
                LinkageArg::Consistent => Linkage::Consistent,
                LinkageArg::Components => Linkage::Components,
            },
            survivor: match self.survivor {
                SurvivorArg::MostComplete => Survivor::MostComplete,
                SurvivorArg::SourcePriority => Survivor::SourcePriority(self.sources.clone()),
                SurvivorArg::PublishedFirst => Survivor::PublishedFirst,
                SurvivorArg::First => Survivor::First,
            },
            without_records: !self.method.is_empty() && !self.method.iter().any(MethodArg::is_records),
            combine: match self.combine {
                CombineArg::Union => Combine::Union,
                CombineArg::Intersection => Combine::Intersection,
            },
            base,
            ..Options::default()
        }
    }

    /// Says what was done; `false` if something needs a look.
    fn tell(
        &self,
        context: &Context,
        corpus: &Corpus,
        resolution: &Resolution,
        rejected: &[Rejected],
        base: usize,
    ) -> bool {
        for junk in &resolution.junk {
            let source = if junk.source.is_empty() { String::new() } else { format!(" ({})", junk.source) };
            context.progress.warn(&format!(
                "{}{source}: the {} is a running counter in {} records; it is ignored",
                junk.file,
                format!("{:?}", junk.field).to_lowercase(),
                junk.records
            ));
        }
        let missing = absent_fields(corpus);
        if !missing.is_empty() {
            context.say(format!("fields that no record has: {}", missing.join(", ")));
        }
        let counts = resolve::source_counts(corpus, resolution);
        if counts.len() > 1 {
            for count in &counts {
                context.say(format!(
                    "{}: {} records, {} kept, {} duplicates; {} papers, {} of them nowhere else",
                    count.source, count.records, count.kept, count.duplicates, count.papers, count.only_here
                ));
            }
        }
        let (read, duplicates) = ((corpus.len() - base) as u64, resolution.duplicates());
        let kept = resolution.kept(base);
        let share = Score::ratio(duplicates, read.max(1).max(duplicates)).unwrap_or(Score::ZERO);
        if share > self.most_removed {
            context.progress.warn(&format!(
                "{duplicates} of {read} records are removed, more than --most-removed {}; look at the report before you go on",
                self.most_removed
            ));
        }
        if !resolution.review.is_empty() {
            let hint = if self.review.is_some() { "" } else { " (--review FILE lists them)" };
            context.say(format!("{} pairs to review{hint}", resolution.review.len()));
        }
        let seen = read + rejected.len() as u64;
        context.say(format!("{seen} seen = {kept} kept + {duplicates} duplicates + {} rejected", rejected.len()));
        share <= self.most_removed
    }
}

/// A share of all records.
fn share(text: &str) -> Result<Score, String> {
    let share = text.parse::<Score>().ok().filter(|share| *share >= Score::ZERO);
    share.ok_or_else(|| format!("{text:?} is no share; wanted a number from 0 to 1, such as 0.5"))
}

/// The first few of some ids.
fn some_of(ids: &[String]) -> String {
    let shown = ids.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    if ids.len() > 5 { format!("{shown} and {} more", ids.len() - 5) } else { shown }
}

/// Says which decisions could not be applied; `false` if they need a look.
fn tell_decisions(context: &Context, file: &str, found: &resolve::Decisions) -> bool {
    if !found.gone.is_empty() {
        context.say(format!(
            "{file}: {} decisions of which one record is not here (removed before, or never there): {}",
            found.gone.len(),
            some_of(&found.gone)
        ));
    }
    if found.unchecked > 0 {
        context.progress.warn(&format!(
            "{file}: {} decisions name records by their place (record-5) and nothing else, so they hold only for the same \
             inputs in the same order; the columns first_key and second_key of a review list bind them to the records",
            found.unchecked
        ));
    }
    for (line, id) in found.mismatched.iter().take(10) {
        context.progress.warn(&format!(
            "{file}, line {line}: the record with the id {id:?} is another one than was decided about, and that one is not \
             here; the decision is left out"
        ));
    }
    if found.mismatched.len() > 10 {
        context.progress.warn(&format!("{file}: and {} more such decisions", found.mismatched.len() - 10));
    }
    if !found.unknown.is_empty() {
        let (count, ids) = (found.unknown.len(), some_of(&found.unknown));
        context.progress.warn(&format!("{file}: {count} decisions about ids that are not here: {ids}"));
    }
    found.unknown.is_empty() && found.mismatched.is_empty()
}

/// The report, with the clean records at hand to say which values they do not have.
fn write_report(
    corpus: &Corpus,
    resolution: &Resolution,
    clean: &[Paper],
    base: usize,
    rejected: &[Rejected],
    out: &mut Output,
) -> anyhow::Result<()> {
    let mut place = vec![usize::MAX; corpus.len()];
    let kept = resolution.rows.iter().enumerate().skip(base).filter(|(_, row)| row.kept);
    kept.enumerate().for_each(|(at, (record, _))| place[record] = at);
    let merged = |record: usize| clean.get(place[record]).unwrap_or(&corpus.papers()[record]);
    Ok(resolve::write_report(corpus, resolution, &merged, rejected, out)?)
}

type Reader = fn(&Paper) -> bool;

/// The fields that records are matched by, and whether a paper has them.
const MATCHED: [(&str, Reader); 9] = [
    ("title", |p| !p.title.trim().is_empty()),
    ("abstract", |p| !p.abstract_text.trim().is_empty()),
    ("authors", |p| !p.authors.is_empty()),
    ("year", |p| !p.year.trim().is_empty()),
    ("venue", |p| !p.venue.trim().is_empty()),
    ("volume", |p| !p.volume.trim().is_empty()),
    ("number", |p| !p.number.trim().is_empty()),
    ("pages", |p| !p.pages.trim().is_empty()),
    ("doi", |p| !p.doi.trim().is_empty()),
];

fn absent_fields(corpus: &Corpus) -> Vec<&'static str> {
    MATCHED.iter().filter(|(_, has)| !corpus.papers().iter().any(has)).map(|(name, _)| *name).collect()
}

/// Records without anything to compare would all stay, or all go: that is a misnamed column, not a clean file.
fn check_fields(corpus: &Corpus) -> anyhow::Result<()> {
    let text = |p: &Paper| {
        !(p.title.trim().is_empty()
            && p.abstract_text.trim().is_empty()
            && p.doi.trim().is_empty()
            && p.body.trim().is_empty())
    };
    if corpus.is_empty() || corpus.papers().iter().any(text) {
        return Ok(());
    }
    let found: Vec<&str> = corpus.papers()[0].extra.keys().map(String::as_str).collect();
    bail!(
        "title, abstract, body and doi are missing in {n} of {n} records (other columns found: {}); name them with --map title=COLUMN,...",
        found.join(", "),
        n = corpus.len()
    )
}
