//! `papertwin news`: story groups in one go, and daily batches with a durable state.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, Subcommand};
use papertwin::corpus::{Corpus, Field, Fields};
use papertwin::graph::Gain;
use papertwin::news::{
    Articles, BatchParams, BatchStatistics, EventKind, GraphFormat, GroupBy, Groups, MltParams, Pairs, SameSource,
    SimilarityGraph, State, TermLimit, TextField, agreement, figure, write_graph, write_page,
};
use papertwin::output::Output;
use papertwin::similarity::Score;
use papertwin::table::{Cell, Table};
use papertwin::text::{LanguageChoice, StopList, StopWords};

use super::communities::gain;
use super::corpus_args::ReadingArgs;
use super::method_args::{MethodArgs, lambda, tell_unmatchable};
use super::{Context, Outcome};

/// The subcommands of `news`.
#[derive(Args)]
pub struct News {
    #[command(subcommand)]
    command: NewsCommand,
}

#[derive(Subcommand)]
enum NewsCommand {
    /// Group articles into stories
    #[command(after_help = GROUP_EXAMPLES)]
    Group(Box<Group>),
    /// Add a batch of articles to a durable state and say what became of the groups
    #[command(after_help = ADVANCE_EXAMPLES)]
    Advance(Box<Advance>),
    /// Write the groups that a state holds
    #[command(after_help = "EXAMPLE\n  papertwin news groups --state archive -o groups.csv")]
    Groups(ListGroups),
}

/// `--help` shows these.
pub const EXAMPLES: &str = "EXAMPLES
  papertwin news group articles.jsonl -o groups.csv --graph edges.csv --page groups.html
  papertwin news advance monday.jsonl --state archive
  papertwin news groups --state archive -o groups.csv";

const GROUP_EXAMPLES: &str = "EXAMPLES
  papertwin news group articles.jsonl -o groups.csv
  papertwin news group feed.xml crawl.warc.gz -o groups.csv --page groups.html
  papertwin news group articles.jsonl -o groups.csv --graph edges.graphml --figure graph.svg
  papertwin news group labelled.jsonl -o groups.csv --label story
  papertwin news group reuters.jsonl -o groups.csv --same-source keep
  papertwin news group articles.jsonl -o groups.csv --method minhash --lambda 0.5

Articles are JSON lines, CSV and what else `convert` reads, RSS, Atom, JSON Feed, WARC and WET. A date with a zone is an
instant; without a zone it is UTC, without a time noon UTC. The window is inclusive. Articles without a date or an outlet
are named and not filtered by what they lack. Groups, components and communities are numbered from 1 by size.";

const ADVANCE_EXAMPLES: &str = "EXAMPLES
  papertwin news advance 2024-05-01.jsonl --state archive
  papertwin news advance 2024-05-02.jsonl --state archive --json > report.json
  papertwin news advance first.jsonl --state other --statistics live --threshold 0.25

A batch is added whole or not at all, also when the program is killed. A batch given again changes nothing. The parameters
of the first batch are kept in the state; later batches need none. With frozen statistics a batch is worked off day by day.";

/// How articles are compared and grouped. Flags go before what --params says.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Comparing and grouping")]
struct ParamArgs {
    /// A TOML file with the tables [more-like-this], [groups] and statistics
    #[arg(long, value_name = "TOML")]
    params: Option<PathBuf>,
    /// The least score of a neighbour; the article's own is 1 [default: 0.2]
    #[arg(long, value_name = "SCORE")]
    threshold: Option<Score>,
    /// Neighbours kept for an article; all keeps all [default: 10]
    #[arg(long, value_name = "N")]
    neighbours: Option<String>,
    /// The greatest distance in time: 5d, 36h, or none [default: 5d]
    #[arg(long, value_name = "TIME")]
    window: Option<String>,
    /// Whether neighbours of the article's own outlet count: drop or keep [default: drop]
    #[arg(long, value_name = "WHICH")]
    same_source: Option<String>,
    /// Fields that query terms are taken from and searched in [default: title,body]
    #[arg(long, value_name = "title,body")]
    query_fields: Option<String>,
    /// The most terms of a query [default: 50]
    #[arg(long, value_name = "N")]
    max_query_terms: Option<u32>,
    /// What that limit is of: per-field or shared [default: per-field]
    #[arg(long, value_name = "HOW")]
    terms: Option<String>,
    /// A term must occur so often in the article's body [default: 1]
    #[arg(long, value_name = "N")]
    min_term_freq: Option<u32>,
    /// A term must be in so many articles [default: 2]
    #[arg(long, value_name = "N")]
    min_doc_freq: Option<u32>,
    /// A term may be in at most this share of the articles; none is no limit [default: 0.2]
    #[arg(long, value_name = "SHARE")]
    max_doc_freq: Option<String>,
    /// The share of a query's terms that a neighbour must have [default: 0]
    #[arg(long, value_name = "SHARE")]
    minimum_should_match: Option<f64>,
    /// How much more a term in the title weighs [default: 3]
    #[arg(long, value_name = "X")]
    title_boost: Option<f64>,
    /// Language of all articles, or auto [default: auto]
    #[arg(long, value_name = "CODE")]
    language: Option<LanguageChoice>,
    /// Whether words are cut to their stems [default: true]
    #[arg(long, value_name = "BOOL")]
    stem: Option<bool>,
    /// Stop words: nltk or none [default: nltk]
    #[arg(long, value_name = "LIST")]
    stop_words: Option<String>,
    /// What makes a group: both (component and community), components, communities [default: both]
    #[arg(long, value_name = "WHAT")]
    by: Option<String>,
    /// Whether two articles that cite each other are a group though they close no triangle: keep or drop [default: keep]
    #[arg(long, value_name = "WHICH")]
    pairs: Option<String>,
    /// SCD's weight of members without a common triangle [default: 0.2]
    #[arg(long, value_name = "X")]
    alpha: Option<f64>,
    /// SCD's gain: authors or theorem [default: authors]
    #[arg(long, value_name = "NAME", value_parser = gain)]
    gain: Option<Gain>,
}

impl ParamArgs {
    fn is_empty(&self) -> bool {
        let ParamArgs {
            params,
            threshold,
            neighbours,
            window,
            same_source,
            query_fields,
            max_query_terms,
            terms,
            min_term_freq,
            min_doc_freq,
            max_doc_freq,
            minimum_should_match,
            title_boost,
            language,
            stem,
            stop_words,
            by,
            pairs,
            alpha,
            gain,
        } = self;
        params.is_none()
            && threshold.is_none()
            && neighbours.is_none()
            && window.is_none()
            && same_source.is_none()
            && query_fields.is_none()
            && max_query_terms.is_none()
            && terms.is_none()
            && min_term_freq.is_none()
            && min_doc_freq.is_none()
            && max_doc_freq.is_none()
            && minimum_should_match.is_none()
            && title_boost.is_none()
            && language.is_none()
            && stem.is_none()
            && stop_words.is_none()
            && by.is_none()
            && pairs.is_none()
            && alpha.is_none()
            && gain.is_none()
    }

    fn params(&self) -> anyhow::Result<BatchParams> {
        let mut params = match &self.params {
            Some(path) => {
                let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
                toml::from_str(&text).with_context(|| path.display().to_string())?
            }
            None => BatchParams::default(),
        };
        let mlt = &mut params.more_like_this;
        if let Some(threshold) = self.threshold {
            mlt.threshold = threshold;
        }
        if let Some(text) = &self.neighbours {
            mlt.neighbours = match text.as_str() {
                "all" | "none" => None,
                n => Some(n.parse().with_context(|| format!("--neighbours {n}: wanted a whole number or all"))?),
            };
        }
        if let Some(text) = &self.window {
            mlt.window_hours = hours(text)?;
        }
        if let Some(which) = &self.same_source {
            mlt.same_source =
                one_of("--same-source", which, &[("drop", SameSource::Drop), ("keep", SameSource::Keep)])?;
        }
        if let Some(names) = &self.query_fields {
            mlt.fields = names
                .split(',')
                .map(|name| {
                    one_of("--query-fields", name.trim(), &[("title", TextField::Title), ("body", TextField::Body)])
                })
                .collect::<anyhow::Result<_>>()?;
        }
        if let Some(n) = self.max_query_terms {
            mlt.max_query_terms = n;
        }
        if let Some(how) = &self.terms {
            mlt.terms = one_of("--terms", how, &[("per-field", TermLimit::PerField), ("shared", TermLimit::Shared)])?;
        }
        if let Some(n) = self.min_term_freq {
            mlt.min_term_freq = n;
        }
        if let Some(n) = self.min_doc_freq {
            mlt.min_doc_freq = n;
        }
        if let Some(text) = &self.max_doc_freq {
            mlt.max_doc_freq = match text.as_str() {
                "none" => None,
                x => Some(x.parse().with_context(|| format!("--max-doc-freq {x}: wanted a share or none"))?),
            };
        }
        if let Some(share) = self.minimum_should_match {
            mlt.minimum_should_match = share;
        }
        if let Some(boost) = self.title_boost {
            mlt.title_boost = boost;
        }
        if let Some(language) = self.language {
            mlt.analyzer.language = language;
        }
        if let Some(stem) = self.stem {
            mlt.analyzer.stem = stem;
        }
        if let Some(list) = &self.stop_words {
            let list = one_of("--stop-words", list, &[("nltk", StopList::Nltk), ("none", StopList::None)])?;
            mlt.analyzer.stop_words = StopWords::List(list);
        }
        let groups = &mut params.groups;
        if let Some(by) = &self.by {
            let kinds =
                [("both", GroupBy::Both), ("components", GroupBy::Components), ("communities", GroupBy::Communities)];
            groups.by = one_of("--by", by, &kinds)?;
        }
        if let Some(pairs) = &self.pairs {
            groups.pairs = one_of("--pairs", pairs, &[("keep", Pairs::Keep), ("drop", Pairs::Drop)])?;
        }
        if let Some(alpha) = self.alpha {
            groups.scd.alpha = alpha;
        }
        if let Some(gain) = self.gain {
            groups.scd.gain = gain;
            if gain == Gain::Theorem && self.alpha.is_none() {
                groups.scd.alpha = 1.0;
            }
        }
        Ok(params)
    }
}

/// A number of things in words.
fn several(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

fn one_of<T: Copy>(flag: &str, name: &str, known: &[(&str, T)]) -> anyhow::Result<T> {
    known.iter().find(|k| k.0 == name).map(|k| k.1).with_context(|| {
        let names: Vec<&str> = known.iter().map(|k| k.0).collect();
        format!("{flag} {name}: wanted {}", names.join(" or "))
    })
}

fn hours(text: &str) -> anyhow::Result<Option<u32>> {
    if text == "none" {
        return Ok(None);
    }
    let wanted = || format!("--window {text}: wanted days (5d), hours (36h) or none");
    let (number, unit) = match text.strip_suffix('h') {
        Some(number) => (number, 1),
        None => (text.strip_suffix('d').unwrap_or(text), 24),
    };
    let number: u32 = number.parse().with_context(wanted)?;
    Ok(Some(number.checked_mul(unit).with_context(wanted)?))
}

/// Files of articles.
#[derive(Args, Clone, Debug)]
struct ArticleArgs {
    /// Articles: JSON lines, CSV, RSS, Atom, WARC, ..., plain or packed; - is standard input
    #[arg(required = true, value_name = "ARTICLES")]
    inputs: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
}

impl ArticleArgs {
    fn load(&self, label: Option<&str>, ids: Ids, context: &Context) -> anyhow::Result<(Articles, Outcome)> {
        let (loaded, outcome) = self.reading.load_over(&self.inputs, Fields::All, context)?;
        let corpus = match ids {
            Ids::OfThisRun => loaded.corpus,
            Ids::Lasting => lasting(loaded.corpus, context),
        };
        let articles = Articles::of(corpus, label);
        for line in articles.notes().lines() {
            context.progress.warn(&line);
        }
        let (seen, kept) = (articles.notes().records, articles.len());
        context.say(format_args!("{seen} records = {kept} articles + {} of a known id", seen - kept));
        Ok((articles, outcome))
    }
}

/// What articles without an id are called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ids {
    /// By their place in this run: `record-7`.
    OfThisRun,
    /// By what they are, so that another batch does not use the same names for other articles.
    Lasting,
}

/// Gives articles that were only called after their place a name that means the same in every batch: their address, else a digest of
/// outlet, date and text.
fn lasting(corpus: Corpus, context: &Context) -> Corpus {
    let mut papers = corpus.into_papers();
    let mut renamed = 0;
    for (place, paper) in papers.iter_mut().enumerate() {
        if paper.id == format!("record-{}", place + 1) {
            renamed += 1;
            paper.id = if paper.url.is_empty() {
                let text =
                    [&*paper.source, &paper.published, &paper.title, &paper.abstract_text, &paper.body].join("\n");
                format!("text-{:016x}", xxhash_rust::xxh3::xxh3_64(text.as_bytes()))
            } else {
                paper.url.clone()
            };
        }
    }
    if renamed > 0 {
        context.progress.warn(&format!(
            "{renamed} articles have no id; they are known by their address, or by a digest of their text, and another text is another article"
        ));
    }
    Corpus::new(papers)
}

/// Groups articles.
#[derive(Args)]
struct Group {
    #[command(flatten)]
    articles: ArticleArgs,
    /// Where the groups go: columns id, group, component, community
    #[arg(long, short, value_name = "CSV", default_value = "-", help_heading = "Results")]
    output: PathBuf,
    /// Write the similarity graph: .csv, .graphml, .gexf or .dot
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    graph: Option<PathBuf>,
    /// Draw the graph, coloured by component, and one component with its communities
    #[arg(long, value_name = "SVG", help_heading = "Results")]
    figure: Option<PathBuf>,
    /// Write a page to look at: search, groups by day, scores, shared terms
    #[arg(long, value_name = "HTML", help_heading = "Results")]
    page: Option<PathBuf>,
    /// The value that holds the known story: the groups are compared with it
    #[arg(long, value_name = "NAME", help_heading = "Results")]
    label: Option<String>,
    /// Print the counts and the comparison as JSON; the groups go to --output, if that is a file
    #[arg(long, help_heading = "Results")]
    json: bool,
    #[command(flatten)]
    method: MethodArgs,
    /// With --method: two articles of at least this similarity are neighbours
    #[arg(long, value_name = "λ", value_parser = lambda, allow_negative_numbers = true, requires = "method")]
    lambda: Option<Score>,
    #[command(flatten)]
    params: ParamArgs,
}

/// Adds a batch.
#[derive(Args)]
struct Advance {
    #[command(flatten)]
    articles: ArticleArgs,
    /// The folder of the state; it is made if it is not there
    #[arg(long, value_name = "DIR", help_heading = "State")]
    state: PathBuf,
    /// Print the report as JSON instead of CSV
    #[arg(long, help_heading = "State")]
    json: bool,
    /// Statistics of a batch: frozen (day by day) or live (everything known); for the first batch [default: frozen]
    #[arg(long, value_name = "WHICH", help_heading = "State")]
    statistics: Option<String>,
    #[command(flatten)]
    params: ParamArgs,
}

/// Lists what a state holds.
#[derive(Args)]
struct ListGroups {
    /// The folder of the state
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// Where the groups go: columns id, group, published, source, title
    #[arg(long, short, value_name = "CSV", default_value = "-")]
    output: PathBuf,
}

impl News {
    /// Runs the subcommand.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        match self.command {
            NewsCommand::Group(group) => group.run(context),
            NewsCommand::Advance(advance) => advance.run(context),
            NewsCommand::Groups(list) => list.run(context),
        }
    }
}

impl Group {
    fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let out = (!self.json || self.output != Path::new("-")).then(|| Output::create(&self.output)).transpose()?;
        let graph_out = match &self.graph {
            Some(path) => Some((GraphFormat::of(path)?, Output::create(path)?)),
            None => None,
        };
        let figure_out = self.figure.as_ref().map(Output::create).transpose()?;
        let page_out = self.page.as_ref().map(Output::create).transpose()?;
        if self.method.is_given() && self.lambda.is_none() {
            anyhow::bail!("--method needs --lambda, the least similarity of neighbours");
        }
        let params = self.params.params()?;
        let mlt = params.more_like_this.check()?;
        let grouping = params.groups.check()?;
        let (articles, outcome) = self.articles.load(self.label.as_deref(), Ids::OfThisRun, context)?;

        let task = context.progress.start("news", Some(articles.len() as u64), "articles");
        let (mut index, mut terms) = (None, Vec::new());
        let graph = match self.method.is_given() {
            false => {
                terms.extend(mlt.analyzer().terms_of(articles.as_slice()));
                let index = index.insert(mlt.index(articles.as_slice(), &terms, None));
                SimilarityGraph::from_hits(&index.all_hits())
            }
            true => self.by_method(&articles, mlt.params(), context)?,
        };
        task.advance(articles.len() as u64);
        drop(task);
        let groups = grouping.groups(&graph);
        let mute = index.as_ref().map_or(0, |index| index.mute().len());
        if mute > 0 {
            context.progress.warn(&format!(
                "{mute} of {} articles have no query terms and find nothing; lower --min-doc-freq or --min-term-freq, or raise --max-doc-freq",
                articles.len()
            ));
        }
        let named = articles.as_slice().iter().filter(|a| !a.source.is_empty());
        let outlets: std::collections::BTreeSet<&str> = named.map(|a| a.source.as_str()).collect();
        if graph.edges().is_empty() && articles.len() > 1 {
            let why = match outlets.len() {
                1 => "; all are of one outlet: --same-source keep compares them",
                _ => "; a lower --threshold or a wider --window finds more",
            };
            context.progress.warn(&format!("no article is like another{why}"));
        }
        let counts = groups.counts(&graph);
        let percent = |share: Option<f64>| share.map_or("-".into(), |s| format!("{:.1} %", 100.0 * s));
        context.say(format_args!(
            "{}, {}; {} of them ({}) have a similar one: {} of {} articles on average, the largest has {}; the largest component has {} ({})",
            several(counts.articles, "article"),
            several(counts.edges, "edge"),
            counts.grouped,
            percent(counts.share_grouped),
            several(counts.groups, "group"),
            counts.mean_size.map_or("-".into(), |m| format!("{m:.2}")),
            counts.largest_group,
            counts.largest_component,
            percent((counts.articles > 0).then(|| f64::from(counts.largest_component) / counts.articles as f64))
        ));
        let mut facts = serde_json::Map::new();
        facts.insert("counts".into(), serde_json::to_value(&counts)?);
        if let Some(label) = &self.label {
            facts.insert("agreement".into(), compare(&articles, &groups, label, context)?);
        }

        if let Some(mut out) = out {
            let [group, component, community] = groups.numbers();
            let mut table = Table::new(["id", "group", "component", "community"]);
            for (place, article) in articles.as_slice().iter().enumerate() {
                let number = |numbers: &[u32]| Cell::Count(numbers[place].into());
                table.push(vec![article.id.as_str().into(), number(&group), number(&component), number(&community)]);
            }
            table.write_csv(&mut out)?;
            out.commit()?;
        }
        if let Some((format, mut out)) = graph_out {
            write_graph(format, &articles, &graph, &groups, &mut out)?;
            out.commit()?;
        }
        if let Some(mut out) = figure_out {
            out.write_all(figure(&articles, &graph, &groups, context.seed).as_bytes())?;
            out.commit()?;
        }
        if let Some(mut out) = page_out {
            write_page(&articles, index.as_ref(), &graph, &groups, &mut out)?;
            out.commit()?;
        }
        if self.json {
            let mut out = Output::create("-")?;
            serde_json::to_writer_pretty(&mut out, &facts).map_err(std::io::Error::from)?;
            writeln!(out)?;
            out.commit()?;
        }
        Ok(outcome)
    }
}

impl Group {
    /// The graph of a method, or of ready vectors in the order of the ids.
    fn by_method(
        &self,
        articles: &Articles,
        filters: &MltParams,
        context: &Context,
    ) -> anyhow::Result<SimilarityGraph> {
        let all = articles.as_slice();
        let lambda = self.lambda.context("--method needs --lambda, the least similarity of neighbours")?;
        let corpus = articles.corpus();
        let mut method = self.method.clone();
        if method.text_fields == [Field::Title, Field::Abstract] {
            method.text_fields = vec![Field::Title, Field::Body];
        }
        let embedding = method.load_embedding(context)?;
        let matcher = method.prepare(&corpus, embedding.as_ref(), context)?;
        tell_unmatchable(matcher.as_ref(), all.len(), |place| all[place].id.clone(), context);
        Ok(SimilarityGraph::from_matcher(all, matcher.as_ref(), lambda, filters)?)
    }
}

/// Compares groups, components alone and communities alone with the known stories, over the articles that have one.
fn compare(articles: &Articles, groups: &Groups, label: &str, context: &Context) -> anyhow::Result<serde_json::Value> {
    let mut all = serde_json::Map::new();
    let ways = [
        ("groups", &groups.groups),
        ("components", &groups.components),
        ("communities", &groups.communities.partition),
    ];
    for (name, partition) in ways {
        let agreement = agreement(partition, articles.as_slice())
            .with_context(|| format!("no article has a value {label}; --label names the one with the known story"))?;
        let values: BTreeMap<&str, Option<f64>> = [
            ("pair_precision", agreement.pairs.precision()),
            ("pair_recall", agreement.pairs.recall()),
            ("pair_f1", agreement.pairs.f1()),
            ("b_cubed_precision", agreement.b_cubed.map(|b| b.precision)),
            ("b_cubed_recall", agreement.b_cubed.map(|b| b.recall)),
            ("b_cubed_f1", agreement.b_cubed.map(|b| b.f1())),
            ("nmi", agreement.nmi),
            ("ari", agreement.ari),
        ]
        .into();
        let shown = |key: &str| values[key].map_or("-".into(), |x| format!("{x:.4}"));
        context.say(format_args!(
            "{name} against {label}: pairs P {} R {} F1 {}; B-cubed P {} R {} F1 {}; NMI {}; ARI {}",
            shown("pair_precision"),
            shown("pair_recall"),
            shown("pair_f1"),
            shown("b_cubed_precision"),
            shown("b_cubed_recall"),
            shown("b_cubed_f1"),
            shown("nmi"),
            shown("ari")
        ));
        all.insert(name.into(), serde_json::to_value(values)?);
    }
    Ok(all.into())
}

impl Advance {
    fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let mut out = Output::create("-")?;
        let params = if self.params.is_empty() && self.statistics.is_none() {
            None
        } else {
            let mut params = self.params.params()?;
            if let Some(which) = &self.statistics {
                let known = [("frozen", BatchStatistics::Frozen), ("live", BatchStatistics::Live)];
                params.statistics = one_of("--statistics", which, &known)?;
            }
            Some(params)
        };
        let state = State::open(&self.state, params)?;
        let (articles, outcome) = self.articles.load(None, Ids::Lasting, context)?;
        let report = state.advance(&articles, &context.run())?;
        for step in report.steps.iter().filter(|s| !s.too_late.is_empty()) {
            context.progress.warn(&format!(
                "{} articles are older than the window; they are kept and compared with nothing: {}",
                step.too_late.len(),
                step.too_late.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ")
            ));
        }
        if !report.changed.is_empty() {
            context.progress.warn(&format!(
                "{} articles are known with another title or text; the first one stays: {}",
                report.changed.len(),
                report.changed.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ")
            ));
        }
        context.say(format_args!(
            "{} seen = {} new + {} known; {}; groups: {} born, {} grown, {} merged, {} split, {} ended",
            report.seen,
            report.new,
            report.known,
            several(report.steps.len(), "day"),
            report.count(EventKind::Born),
            report.count(EventKind::Grown),
            report.count(EventKind::Merged),
            report.count(EventKind::Split),
            report.count(EventKind::Ended)
        ));
        if self.json {
            serde_json::to_writer_pretty(&mut out, &report).map_err(std::io::Error::from)?;
            writeln!(out)?;
        } else {
            let mut table = Table::new(["day", "event", "group", "articles", "joined", "merged"]);
            for step in &report.steps {
                for event in &step.events {
                    let kind = serde_json::to_value(event.kind)?;
                    let merged: Vec<String> = event.merged.iter().map(u64::to_string).collect();
                    table.push(vec![
                        step.day.clone().into(),
                        kind.as_str().unwrap_or_default().into(),
                        event.group.into(),
                        event.articles.into(),
                        event.joined.join(" ").into(),
                        merged.join(" ").into(),
                    ]);
                }
            }
            table.write_csv(&mut out)?;
        }
        out.commit()?;
        Ok(outcome)
    }
}

impl ListGroups {
    fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let mut out = Output::create(&self.output)?;
        let file = self.state.join("news.redb");
        anyhow::ensure!(file.exists(), "{}: there is no state; `news advance` makes one", self.state.display());
        let memberships = State::open(&self.state, None)?.memberships()?;
        let mut table = Table::new(["id", "group", "published", "source", "title"]);
        for one in &memberships {
            table.push(vec![
                one.id.as_str().into(),
                one.group.into(),
                one.published.map(|t| t.to_string()).into(),
                one.source.as_str().into(),
                one.title.as_str().into(),
            ]);
        }
        table.write_csv(&mut out)?;
        out.commit()?;
        let groups: std::collections::BTreeSet<u64> = memberships.iter().filter_map(|m| m.group).collect();
        let grouped = memberships.iter().filter(|m| m.group.is_some()).count();
        context.say(format_args!(
            "{}, {grouped} of them in {}",
            several(memberships.len(), "article"),
            several(groups.len(), "group")
        ));
        Ok(Outcome::Clean)
    }
}
