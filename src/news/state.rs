//! News in batches: what is known lies in one file, and a batch is added to it whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use redb::{Database, ReadableDatabase, ReadableTable, Table, TableDefinition, WriteTransaction};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    Article, ArticleTerms, Articles, GroupParams, Grouping, MltParams, MoreLikeThis, NewsError, SimilarityGraph,
    Statistics, TextField,
};
use crate::error::FileError;
use crate::graph::natural_order;
use crate::progress::Run;

/// Which document frequencies a batch is worked off with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchStatistics {
    /// A batch is worked off day by day, and a day's queries use the statistics at the end of that day. So one batch of ten
    /// days and ten batches of one give the same.
    #[default]
    Frozen,
    /// A batch is one step; its queries use the statistics of everything known, the whole batch included.
    Live,
}

/// How batches are grouped; kept in the state, so that every batch is grouped alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct BatchParams {
    /// The queries.
    pub more_like_this: MltParams,
    /// The groups.
    pub groups: GroupParams,
    /// The statistics.
    pub statistics: BatchStatistics,
}

/// Why a batch could not be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A parameter.
    #[error(transparent)]
    News(#[from] NewsError),
    /// The folder of the state.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file of the state.
    #[error("{}: {source}", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// What the store said.
        source: Box<redb::Error>,
    },
    /// A value in the file that is not what this program writes.
    #[error("{}: {reason}; it was written by another version or damaged", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The state was made with other parameters.
    #[error("{}: the state was made with other parameters: {}; leave the flags away to take those of the state, or start another --state", path.display(), differences.join(", "))]
    OtherParams {
        /// The file.
        path: PathBuf,
        /// What differs, in words.
        differences: Vec<String>,
    },
}

const META: TableDefinition<&str, &str> = TableDefinition::new("meta");
const ARTICLES: TableDefinition<u64, &[u8]> = TableDefinition::new("articles");
const NUMBERS: TableDefinition<&str, u64> = TableDefinition::new("numbers");
const TIMES: TableDefinition<(i128, u64), ()> = TableDefinition::new("times");
/// How many articles have a term: key is the field's digit and the term.
const FREQUENCIES: TableDefinition<&str, u64> = TableDefinition::new("frequencies");
/// By step: as JSON, the counts of its terms that are not in `frequencies` yet.
const WAITING: TableDefinition<u64, &[u8]> = TableDefinition::new("waiting");
const GROUPS: TableDefinition<u64, u64> = TableDefinition::new("groups");
const SIZES: TableDefinition<u64, u64> = TableDefinition::new("sizes");
/// Groups that became part of another.
const MERGED: TableDefinition<u64, u64> = TableDefinition::new("merged");

/// An article as it is kept: its terms instead of its text.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Kept {
    id: String,
    title: String,
    source: String,
    url: String,
    /// As RFC 3339.
    published: Option<String>,
    language: String,
    terms: ArticleTerms,
}

/// The counts of the whole archive.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Totals {
    articles: [u64; 2],
    tokens: [u64; 2],
    all: u64,
    next_group: u64,
    /// The latest instant known, in nanoseconds since 1970.
    latest: Option<i128>,
}

/// What one day of a batch did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepReport {
    /// The day in UTC; with live statistics the last day of the batch. `None` where nothing known has a date.
    pub day: Option<String>,
    /// New articles.
    pub new: usize,
    /// Of them, articles older than a day already worked off, but inside the window.
    pub late: usize,
    /// Of them, articles that are older than the window: kept and counted, compared with nothing.
    pub too_late: Vec<String>,
    /// Of them, articles without a date.
    pub undated: usize,
    /// Articles that were compared: the new ones and those that the window reaches.
    pub compared: usize,
    /// Edges among them.
    pub edges: usize,
    /// What became of the groups.
    pub events: Vec<GroupEvent>,
}

/// What became of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GroupEvent {
    /// What happened.
    pub kind: EventKind,
    /// The group.
    pub group: u64,
    /// How many articles it has now, those outside the window included.
    pub articles: u64,
    /// The articles that joined it.
    pub joined: Vec<String>,
    /// The groups that became part of it.
    pub merged: Vec<u64>,
}

/// What can become of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// It is new.
    Born,
    /// It has more articles.
    Grown,
    /// Other groups became part of it.
    Merged,
    /// It was a part of another group.
    Split,
    /// Its articles inside the window are no group any more.
    Ended,
}

/// What a batch did.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct BatchReport {
    /// Articles given.
    pub seen: usize,
    /// Articles that are new.
    pub new: usize,
    /// Articles whose ids were known already; nothing was changed for them.
    pub known: usize,
    /// Of these, the ids of articles whose title or words are others now; the first text stays.
    pub changed: Vec<String>,
    /// One entry a day, or one with live statistics.
    pub steps: Vec<StepReport>,
}

impl BatchReport {
    /// How many events of a kind there were.
    pub fn count(&self, kind: EventKind) -> usize {
        self.steps.iter().flat_map(|step| &step.events).filter(|event| event.kind == kind).count()
    }
}

/// An article and its group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The article.
    pub id: String,
    /// Its group; `None` if it is in none.
    pub group: Option<u64>,
    /// When it was published.
    pub published: Option<Timestamp>,
    /// Its outlet.
    pub source: String,
    /// Its headline.
    pub title: String,
}

/// The durable state of a news archive: one file `news.redb` in a folder.
///
/// A batch is one transaction: after a kill at any moment the file holds the state before the batch or the one after it. An article
/// whose id is known changes nothing, so a batch can be given again.
///
/// A step (a day of the batch, or the whole batch with live statistics) adds its articles to the counts, loads the articles that the
/// window reaches from the step's first instant, asks all their queries anew against each other, groups them, and carries the numbers of
/// groups on: a group takes the number of the old group with which it shares most articles. Articles outside the window are left
/// alone; they keep their group. So the time of a step follows the articles inside the window, never the archive.
///
/// What a step writes follows its own articles: the counts of its terms are set down as one piece, and are sorted into the table of
/// all terms only when the pieces that wait have twice as many terms as the window. A day's terms lie all over that table, so
/// adding each day at once would write most of it anew every day.
///
/// An article that comes late is compared on the day on which it comes; one older than the window is kept and named. An
/// article without a date counts as of the latest instant known when it comes, and is near to everything compared with it.
pub struct State {
    database: Database,
    path: PathBuf,
    params: BatchParams,
    mlt: MoreLikeThis,
    grouping: Grouping,
}

type Grouped<'t> = Table<'t, u64, u64>;

impl State {
    /// Opens the state in a folder, or makes it. `params` must be those that the state was made with; `None` takes those.
    ///
    /// # Errors
    /// If the folder cannot be used, another process has the state open, or the parameters are others.
    pub fn open(folder: &Path, params: Option<BatchParams>) -> Result<State, StateError> {
        let path = folder.join("news.redb");
        if !path.exists() {
            if folder.exists() && !folder.is_dir() {
                let source = std::io::Error::new(std::io::ErrorKind::NotADirectory, "is a file; a state is a folder");
                return Err(FileError::new(folder, source).into());
            }
            std::fs::create_dir_all(folder).map_err(FileError::at(folder))?;
            // Made aside and renamed, so that a kill leaves no half-made file.
            let params = params.clone().unwrap_or_default();
            let aside = tempfile::Builder::new()
                .prefix(".news-")
                .suffix(".part")
                .tempfile_in(folder)
                .map_err(FileError::at(folder))?;
            let text = serde_json::to_string(&params).expect("parameters are plain values");
            let store = Store(aside.path());
            {
                let database = Database::create(aside.path()).map_err(|e| store.failed(e))?;
                let mut write = database.begin_write().map_err(|e| store.failed(e))?;
                write.set_quick_repair(true);
                write
                    .open_table(META)
                    .map_err(|e| store.failed(e))?
                    .insert("params", text.as_str())
                    .map_err(|e| store.failed(e))?;
                for table in [GROUPS, SIZES, MERGED] {
                    write.open_table(table).map_err(|e| store.failed(e))?;
                }
                write.open_table(ARTICLES).map_err(|e| store.failed(e))?;
                write.commit().map_err(|e| store.failed(e))?;
            }
            aside.persist_noclobber(&path).map_err(|e| FileError::new(&path, e.error))?;
        }
        let store = Store(&path);
        let database = Database::open(&path).map_err(|e| store.failed(e))?;
        let text = {
            let read = database.begin_read().map_err(|e| store.failed(e))?;
            let meta = read.open_table(META).map_err(|e| store.failed(e))?;
            let text = meta.get("params").map_err(|e| store.failed(e))?;
            text.map(|t| t.value().to_owned()).ok_or_else(|| store.value("no parameters"))?
        };
        let kept: BatchParams = serde_json::from_str(&text).map_err(|e| store.value(&e.to_string()))?;
        if let Some(given) = params.filter(|given| *given != kept) {
            let mut differences = Vec::new();
            let value = |params: &BatchParams| serde_json::to_value(params).expect("parameters are plain values");
            compare("", &value(&kept), &value(&given), &mut differences);
            return Err(StateError::OtherParams { path, differences });
        }
        let mlt = kept.more_like_this.clone().check()?;
        let grouping = kept.groups.clone().check()?;
        Ok(State { database, path, params: kept, mlt, grouping })
    }

    /// The parameters that the state was made with.
    pub fn params(&self) -> &BatchParams {
        &self.params
    }

    /// Adds a batch. All of it is there afterwards, or, on an error or a kill, nothing.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn advance(&self, batch: &Articles, run: &Run) -> Result<BatchReport, StateError> {
        let store = Store(&self.path);
        let mut write = self.database.begin_write().map_err(|e| store.failed(e))?;
        write.set_quick_repair(true);
        let mut report = BatchReport { seen: batch.len(), ..BatchReport::default() };
        let mut fresh: Vec<&Article> = Vec::new();
        {
            let numbers = write.open_table(NUMBERS).map_err(|e| store.failed(e))?;
            let articles = write.open_table(ARTICLES).map_err(|e| store.failed(e))?;
            let analyzer = self.mlt.analyzer();
            for article in batch.as_slice() {
                match numbers.get(article.id.as_str()).map_err(|e| store.failed(e))? {
                    Some(number) => {
                        report.known += 1;
                        let kept = read_kept(&articles, number.value(), store)?;
                        if kept.title != article.title || kept.terms != analyzer.terms(article) {
                            report.changed.push(kept.id);
                        }
                    }
                    None => fresh.push(article),
                }
            }
        }
        report.new = fresh.len();
        if fresh.is_empty() {
            write.abort().map_err(|e| store.failed(e))?;
            return Ok(report);
        }
        let mut totals: Totals =
            match write.open_table(META).map_err(|e| store.failed(e))?.get("totals").map_err(|e| store.failed(e))? {
                Some(text) => serde_json::from_str(text.value()).map_err(|e| store.value(&e.to_string()))?,
                None => Totals::default(),
            };
        let task = run.progress.start("news", Some(fresh.len() as u64), "articles");
        for (now, articles) in self.steps(&fresh, totals.latest) {
            let step = self.step(&write, &mut totals, now, &articles)?;
            task.advance(articles.len() as u64);
            report.steps.push(step);
        }
        {
            let text = serde_json::to_string(&totals).expect("counts are plain values");
            let mut meta = write.open_table(META).map_err(|e| store.failed(e))?;
            meta.insert("totals", text.as_str()).map_err(|e| store.failed(e))?;
        }
        write.commit().map_err(|e| store.failed(e))?;
        Ok(report)
    }

    /// The articles of each step and the first instant that its window counts from.
    fn steps<'b>(&self, fresh: &[&'b Article], latest: Option<i128>) -> Vec<(Option<i128>, Vec<&'b Article>)> {
        let nanos = |article: &Article| article.published.map(|t| t.as_nanosecond());
        let last = fresh.iter().filter_map(|a| nanos(a)).chain(latest).max();
        let mut steps: BTreeMap<Option<i128>, Vec<&Article>> = BTreeMap::new();
        match self.params.statistics {
            BatchStatistics::Frozen => {
                let worked_off = latest.map(day_start);
                for &article in fresh {
                    let day = nanos(article).or(last).map(day_start).max(worked_off);
                    steps.entry(day).or_default().push(article);
                }
            }
            BatchStatistics::Live => {
                let reach = self.reach();
                let old = |t: &i128| latest.is_some_and(|l| reach.is_some_and(|reach| *t < day_start(l) - reach));
                let first = fresh.iter().filter_map(|a| nanos(a)).filter(|t| !old(t)).min().or(last);
                steps.insert(first.map(day_start), fresh.to_vec());
            }
        }
        steps.into_iter().collect()
    }

    /// The window in nanoseconds.
    fn reach(&self) -> Option<i128> {
        self.params.more_like_this.window_hours.map(|hours| i128::from(hours) * 3_600_000_000_000)
    }

    fn step(
        &self,
        write: &WriteTransaction,
        totals: &mut Totals,
        now: Option<i128>,
        fresh: &[&Article],
    ) -> Result<StepReport, StateError> {
        let store = Store(&self.path);
        let from = match (now, self.reach()) {
            (Some(now), Some(reach)) => now - reach,
            _ => i128::MIN,
        };
        let worked_off = totals.latest.map(day_start);
        let owned: Vec<Article> = fresh.iter().map(|&a| a.clone()).collect();
        let terms = self.mlt.analyzer().terms_of(&owned);
        let counted = self.mlt.statistics(&terms);
        let newest = fresh.iter().filter_map(|a| a.published).map(|t| t.as_nanosecond()).max();
        totals.latest = totals.latest.max(newest);
        let mut report = StepReport {
            day: None,
            new: fresh.len(),
            late: 0,
            too_late: Vec::new(),
            undated: 0,
            compared: 0,
            edges: 0,
            events: Vec::new(),
        };
        report.day = match self.params.statistics {
            BatchStatistics::Frozen => now,
            BatchStatistics::Live => totals.latest,
        }
        .and_then(day_name);

        let mut added: BTreeMap<String, u64> = BTreeMap::new();
        {
            let mut articles = write.open_table(ARTICLES).map_err(|e| store.failed(e))?;
            let mut numbers = write.open_table(NUMBERS).map_err(|e| store.failed(e))?;
            let mut times = write.open_table(TIMES).map_err(|e| store.failed(e))?;
            for (article, terms) in fresh.iter().zip(terms) {
                let number = totals.all;
                totals.all += 1;
                let time = article.published.map(|t| t.as_nanosecond());
                match time {
                    None => report.undated += 1,
                    Some(time) if time < from => report.too_late.push(article.id.clone()),
                    Some(time) if worked_off.is_some_and(|day| time < day) => report.late += 1,
                    Some(_) => {}
                }
                for field in TextField::ALL {
                    for (term, _) in &terms.fields[field as usize] {
                        *added.entry(frequency_key(field, term)).or_default() += 1;
                    }
                }
                let kept = Kept {
                    id: article.id.clone(),
                    title: article.title.clone(),
                    source: article.source.clone(),
                    url: article.url.clone(),
                    published: article.published.map(|t| t.to_string()),
                    language: article.language.clone(),
                    terms,
                };
                let bytes = serde_json::to_vec(&kept).expect("an article is plain values");
                articles.insert(number, bytes.as_slice()).map_err(|e| store.failed(e))?;
                numbers.insert(kept.id.as_str(), number).map_err(|e| store.failed(e))?;
                // Where nothing at all has a date, everything stands at one point, which is never shown.
                times.insert((time.or(totals.latest).unwrap_or(0), number), ()).map_err(|e| store.failed(e))?;
            }
        }
        for field in 0..2 {
            totals.articles[field] += counted.articles[field];
            totals.tokens[field] += counted.tokens[field];
        }
        let mut active: Vec<(u64, Kept)> = Vec::new();
        {
            let times = write.open_table(TIMES).map_err(|e| store.failed(e))?;
            let articles = write.open_table(ARTICLES).map_err(|e| store.failed(e))?;
            for entry in times.range((from, 0)..).map_err(|e| store.failed(e))? {
                let (_, number) = entry.map_err(|e| store.failed(e))?.0.value();
                active.push((number, read_kept(&articles, number, store)?));
            }
        }
        active.sort_by(|a, b| natural_order(&a.1.id, &b.1.id));
        let mut known: FxHashMap<String, u64> = FxHashMap::default();
        {
            let mut frequencies = write.open_table(FREQUENCIES).map_err(|e| store.failed(e))?;
            let mut waiting = write.open_table(WAITING).map_err(|e| store.failed(e))?;
            // An archive only grows, so its size is a number that no other step has.
            let piece = serde_json::to_vec(&added).expect("counts are plain values");
            waiting.insert(totals.all, piece.as_slice()).map_err(|e| store.failed(e))?;
            let mut all_waiting: BTreeMap<String, u64> = BTreeMap::new();
            for entry in waiting.iter().map_err(|e| store.failed(e))? {
                let (_, piece) = entry.map_err(|e| store.failed(e))?;
                let piece: BTreeMap<String, u64> =
                    serde_json::from_slice(piece.value()).map_err(|e| store.value(&e.to_string()))?;
                for (key, more) in piece {
                    *all_waiting.entry(key).or_default() += more;
                }
            }
            for (_, kept) in &active {
                for field in TextField::ALL {
                    for (term, _) in &kept.terms.fields[field as usize] {
                        let key = frequency_key(field, term);
                        if !known.contains_key(&key) {
                            let count = frequencies.get(key.as_str()).map_err(|e| store.failed(e))?;
                            let count = count.map_or(0, |n| n.value()) + all_waiting.get(&key).copied().unwrap_or(0);
                            known.insert(key, count);
                        }
                    }
                }
            }
            if all_waiting.len() > 2 * known.len() {
                for (key, more) in &all_waiting {
                    let before = frequencies.get(key.as_str()).map_err(|e| store.failed(e))?.map_or(0, |n| n.value());
                    frequencies.insert(key.as_str(), before + more).map_err(|e| store.failed(e))?;
                }
                waiting.retain(|_, _| false).map_err(|e| store.failed(e))?;
            }
        }
        let numbers: Vec<u64> = active.iter().map(|a| a.0).collect();
        let (articles, terms): (Vec<Article>, Vec<ArticleTerms>) = active
            .into_iter()
            .map(|(_, kept)| {
                let article = Article {
                    id: kept.id,
                    title: kept.title,
                    source: kept.source,
                    url: kept.url,
                    published: kept.published.and_then(|t| t.parse().ok()),
                    language: kept.language,
                    ..Article::default()
                };
                (article, kept.terms)
            })
            .unzip();
        let statistics = Statistics { articles: totals.articles, tokens: totals.tokens, all: totals.all };
        let frequency = |field: TextField, term: &str| known.get(&frequency_key(field, term)).copied().unwrap_or(0);
        let index = self.mlt.index(&articles, &terms, Some((statistics, &frequency)));
        let graph = SimilarityGraph::from_hits(&index.all_hits());
        let groups = self.grouping.groups(&graph);
        report.compared = articles.len();
        report.edges = graph.edges().len();
        let groups: Vec<Vec<u32>> = groups.groups.groups().into_iter().filter(|g| g.len() > 1).collect();
        report.events = self.carry_on(write, totals, &articles, &numbers, &groups)?;
        Ok(report)
    }

    /// Gives the groups of the compared articles the numbers of old groups, writes them, and tells what changed.
    fn carry_on(
        &self,
        write: &WriteTransaction,
        totals: &mut Totals,
        articles: &[Article],
        numbers: &[u64],
        groups: &[Vec<u32>],
    ) -> Result<Vec<GroupEvent>, StateError> {
        let store = Store(&self.path);
        let mut table = write.open_table(GROUPS).map_err(|e| store.failed(e))?;
        let mut sizes = write.open_table(SIZES).map_err(|e| store.failed(e))?;
        let mut merged = write.open_table(MERGED).map_err(|e| store.failed(e))?;
        let mut before: Vec<Option<u64>> = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let raw = table.get(number).map_err(|e| store.failed(e))?.map(|g| g.value());
            before.push(raw.map(|g| resolve(&merged, g, store)).transpose()?);
        }
        let mut overlaps: BTreeMap<(usize, u64), u64> = BTreeMap::new();
        for (group, members) in groups.iter().enumerate() {
            for old in members.iter().filter_map(|&v| before[v as usize]) {
                *overlaps.entry((group, old)).or_default() += 1;
            }
        }
        let mut ranked: Vec<(std::cmp::Reverse<u64>, u64, usize)> =
            overlaps.iter().map(|(&(group, old), &count)| (std::cmp::Reverse(count), old, group)).collect();
        ranked.sort_unstable();
        let mut name_of: Vec<Option<u64>> = vec![None; groups.len()];
        let mut heir_of: BTreeMap<u64, usize> = BTreeMap::new();
        for &(_, old, group) in &ranked {
            if name_of[group].is_none() && !heir_of.contains_key(&old) {
                name_of[group] = Some(old);
                heir_of.insert(old, group);
            }
        }
        let mut kinds: Vec<EventKind> = Vec::with_capacity(groups.len());
        let names: Vec<u64> = name_of
            .iter()
            .zip(groups)
            .map(|(name, members)| match name {
                Some(name) => {
                    kinds.push(EventKind::Grown);
                    *name
                }
                None => {
                    let torn = members.iter().any(|&v| before[v as usize].is_some());
                    kinds.push(if torn { EventKind::Split } else { EventKind::Born });
                    totals.next_group += 1;
                    totals.next_group
                }
            })
            .collect();
        // Old groups that no group carries on: part of the group that took most of them, or ended.
        let mut swallowed: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut ended = Vec::new();
        let olds: BTreeSet<u64> = before.iter().flatten().copied().collect();
        for &old in olds.iter().filter(|old| !heir_of.contains_key(old)) {
            match ranked.iter().find(|r| r.1 == old) {
                Some(&(_, _, group)) => swallowed.entry(names[group]).or_default().push(old),
                None => ended.push(old),
            }
        }

        let mut after: Vec<Option<u64>> = vec![None; numbers.len()];
        for (members, &name) in groups.iter().zip(&names) {
            members.iter().for_each(|&v| after[v as usize] = Some(name));
        }
        let mut change: BTreeMap<u64, i64> = BTreeMap::new();
        let mut joined: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for (place, (old, new)) in before.iter().zip(&after).enumerate() {
            if old == new {
                continue;
            }
            if let Some(old) = old {
                *change.entry(*old).or_default() -= 1;
            }
            match new {
                Some(new) => {
                    *change.entry(*new).or_default() += 1;
                    joined.entry(*new).or_default().push(articles[place].id.clone());
                    table.insert(numbers[place], *new).map_err(|e| store.failed(e))?;
                }
                None => {
                    table.remove(numbers[place]).map_err(|e| store.failed(e))?;
                }
            }
        }
        for (group, change) in change {
            resize(&mut sizes, group, change, store)?;
        }
        for (&name, parts) in &swallowed {
            for &part in parts {
                merged.insert(part, name).map_err(|e| store.failed(e))?;
                let rest = sizes.remove(part).map_err(|e| store.failed(e))?.map_or(0, |n| n.value());
                resize(&mut sizes, name, rest as i64, store)?;
            }
        }
        let mut events = Vec::new();
        for (&name, kind) in names.iter().zip(kinds) {
            let joined = joined.remove(&name).unwrap_or_default();
            let merged = swallowed.remove(&name).unwrap_or_default();
            let kind = match kind {
                EventKind::Grown if !merged.is_empty() => EventKind::Merged,
                EventKind::Grown if joined.is_empty() => continue,
                other => other,
            };
            let articles = sizes.get(name).map_err(|e| store.failed(e))?.map_or(0, |n| n.value());
            events.push(GroupEvent { kind, group: name, articles, joined, merged });
        }
        for group in ended {
            let articles = sizes.get(group).map_err(|e| store.failed(e))?.map_or(0, |n| n.value());
            events.push(GroupEvent { kind: EventKind::Ended, group, articles, joined: Vec::new(), merged: Vec::new() });
        }
        events.sort_by_key(|event| (event.kind, event.group));
        Ok(events)
    }

    /// Every article and its group, in the natural order of the ids. Walks the whole archive.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn memberships(&self) -> Result<Vec<Membership>, StateError> {
        let store = Store(&self.path);
        let read = self.database.begin_read().map_err(|e| store.failed(e))?;
        let articles = read.open_table(ARTICLES).map_err(|e| store.failed(e))?;
        let groups = read.open_table(GROUPS).map_err(|e| store.failed(e))?;
        let merged = read.open_table(MERGED).map_err(|e| store.failed(e))?;
        let mut found = Vec::new();
        for entry in articles.iter().map_err(|e| store.failed(e))? {
            let (number, bytes) = entry.map_err(|e| store.failed(e))?;
            let kept: Kept = serde_json::from_slice(bytes.value()).map_err(|e| store.value(&e.to_string()))?;
            let raw = groups.get(number.value()).map_err(|e| store.failed(e))?.map(|g| g.value());
            found.push(Membership {
                id: kept.id,
                group: raw.map(|g| resolve(&merged, g, store)).transpose()?,
                published: kept.published.and_then(|t| t.parse().ok()),
                source: kept.source,
                title: kept.title,
            });
        }
        // A group whose other articles all left it is none.
        let mut sizes: BTreeMap<u64, u32> = BTreeMap::new();
        found.iter().filter_map(|m| m.group).for_each(|g| *sizes.entry(g).or_default() += 1);
        for membership in &mut found {
            membership.group = membership.group.filter(|g| sizes[g] > 1);
        }
        found.sort_by(|a, b| natural_order(&a.id, &b.id));
        Ok(found)
    }
}

/// Names the file in errors.
#[derive(Clone, Copy)]
struct Store<'p>(&'p Path);

impl Store<'_> {
    fn failed(&self, error: impl Into<redb::Error>) -> StateError {
        StateError::Store { path: self.0.to_owned(), source: Box::new(error.into()) }
    }

    fn value(&self, reason: &str) -> StateError {
        StateError::Value { path: self.0.to_owned(), reason: reason.to_owned() }
    }
}

/// What differs between the parameters of a state and those given, one phrase each.
fn compare(name: &str, kept: &serde_json::Value, given: &serde_json::Value, differences: &mut Vec<String>) {
    use serde_json::Value;
    let word = |value: &Value| match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match (kept, given) {
        (Value::Object(kept), Value::Object(given)) => {
            let names: BTreeSet<&String> = kept.keys().chain(given.keys()).collect();
            for name in names {
                let of = |values: &serde_json::Map<String, Value>| values.get(name).cloned().unwrap_or(Value::Null);
                compare(name, &of(kept), &of(given), differences);
            }
        }
        _ if kept != given => differences.push(format!("{name} is {} there and {} here", word(kept), word(given))),
        _ => {}
    }
}

fn frequency_key(field: TextField, term: &str) -> String {
    format!("{}{term}", field as u8)
}

fn read_kept(
    table: &impl ReadableTable<u64, &'static [u8]>,
    number: u64,
    store: Store<'_>,
) -> Result<Kept, StateError> {
    let bytes = table.get(number).map_err(|e| store.failed(e))?;
    let bytes = bytes.ok_or_else(|| store.value("an article is missing"))?;
    serde_json::from_slice(bytes.value()).map_err(|e| store.value(&e.to_string()))
}

/// The group that a group is part of now.
fn resolve(merged: &impl ReadableTable<u64, u64>, mut group: u64, store: Store<'_>) -> Result<u64, StateError> {
    while let Some(larger) = merged.get(group).map_err(|e| store.failed(e))? {
        group = larger.value();
    }
    Ok(group)
}

fn resize(sizes: &mut Grouped<'_>, group: u64, change: i64, store: Store<'_>) -> Result<(), StateError> {
    let before = sizes.get(group).map_err(|e| store.failed(e))?.map_or(0, |n| n.value());
    let after = before.saturating_add_signed(change);
    if after == 0 {
        sizes.remove(group).map_err(|e| store.failed(e))?;
    } else {
        sizes.insert(group, after).map_err(|e| store.failed(e))?;
    }
    Ok(())
}

/// The first instant of a UTC day, in nanoseconds since 1970.
fn day_start(nanos: i128) -> i128 {
    nanos.div_euclid(86_400_000_000_000) * 86_400_000_000_000
}

fn day_name(nanos: i128) -> Option<String> {
    let date: Date = Timestamp::from_nanosecond(nanos).ok()?.to_zoned(TimeZone::UTC).date();
    Some(date.to_string())
}
