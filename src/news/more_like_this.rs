//! More-Like-This: an article's own best terms as a query against all the others.

use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Article, ArticleAnalyzer, ArticleTerms, NewsError, TextField};
use crate::similarity::Score;
use crate::text::AnalyzerParams;

/// A term in no more articles than this is never too common: in ten articles every word is in a large share of them.
const COMMON: u64 = 20;

/// How the number of query terms is shared out among the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermLimit {
    /// `max-query-terms` of each field, as Elasticsearch does for documents.
    #[default]
    PerField,
    /// `max-query-terms` of all fields together, as Lucene does since version 7.
    Shared,
}

/// Whether a hit of the article's own outlet counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SameSource {
    /// It does not: an outlet's own follow-ups and templates are not other people's stories.
    #[default]
    Drop,
    /// It does.
    Keep,
}

/// The parameters of [`MoreLikeThis`]. Names and meanings are Elasticsearch's where it has the parameter; the
/// defaults were chosen on labelled news (README) and differ from Elasticsearch's, which leave short texts without a
/// query.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MltParams {
    /// The fields that terms are taken from and searched in; not empty.
    pub fields: Vec<TextField>,
    /// How texts become terms: language, stop words, stems.
    pub analyzer: AnalyzerParams,
    /// The most terms of a query (Elasticsearch: 25); at least 1.
    pub max_query_terms: u32,
    /// What the limit is of.
    pub terms: TermLimit,
    /// A term must occur so often in the article's body (Elasticsearch: 2).
    pub min_term_freq: u32,
    /// A term must occur so often in the article's title. Hardly a title repeats a word: 2 would make titles dead.
    pub min_term_freq_title: u32,
    /// A term must be in so many articles (Elasticsearch: 5), the article itself included. 5 drops the very words that only
    /// the few articles of one story share.
    pub min_doc_freq: u32,
    /// A term may be in at most this share of the articles, but in 20 always; `None` and 1 are no limit (Elasticsearch).
    pub max_doc_freq: Option<f64>,
    /// A term must have so many characters; 0 is no limit.
    pub min_word_length: u32,
    /// A term may have so many characters; 0 is no limit.
    pub max_word_length: u32,
    /// The words of these texts are never query terms.
    pub unlike: Vec<String>,
    /// The share of a query's terms that a hit must have (Elasticsearch: 0.3), rounded down, at least one term.
    pub minimum_should_match: f64,
    /// With a factor, the best terms of a query weigh more: factor times the term's selection score over the lowest of the
    /// query. `None`: all weigh alike (Elasticsearch, Lucene).
    pub boost_terms: Option<f64>,
    /// How much more a term in the title weighs.
    pub title_boost: f64,
    /// BM25's saturation.
    pub k1: f64,
    /// BM25's share of length normalisation, 0 ..= 1.
    pub b: f64,
    /// Hits kept for an article; `None` is all.
    pub neighbours: Option<u32>,
    /// The least score of a hit over the article's own, which is 1.
    pub threshold: Score,
    /// Whether a hit of the article's own outlet counts. An article without an outlet has no own outlet.
    pub same_source: SameSource,
    /// The greatest distance in time, in hours, inclusive; `None` is no limit. An article without a date is near to all.
    pub window_hours: Option<u32>,
}

impl Default for MltParams {
    fn default() -> MltParams {
        MltParams {
            fields: TextField::ALL.to_vec(),
            analyzer: AnalyzerParams { stem: true, ..AnalyzerParams::default() },
            max_query_terms: 50,
            terms: TermLimit::PerField,
            min_term_freq: 1,
            min_term_freq_title: 1,
            min_doc_freq: 2,
            max_doc_freq: Some(0.2),
            min_word_length: 0,
            max_word_length: 0,
            unlike: Vec::new(),
            minimum_should_match: 0.0,
            boost_terms: Some(1.0),
            title_boost: 3.0,
            k1: 1.2,
            b: 0.75,
            neighbours: Some(10),
            threshold: Score::of(0.2),
            same_source: SameSource::Drop,
            window_hours: Some(5 * 24),
        }
    }
}

impl MltParams {
    /// Whether the filters let two articles be neighbours: near in time, and of two outlets unless one will do. What an
    /// article lacks filters nothing.
    pub fn may_meet(&self, a: &Article, b: &Article) -> bool {
        let near = match (self.window_hours, a.published, b.published) {
            (Some(hours), Some(x), Some(y)) => {
                (x.as_nanosecond() - y.as_nanosecond()).abs() <= i128::from(hours) * 3_600_000_000_000
            }
            _ => true,
        };
        let one = !a.source.is_empty() && a.source.to_lowercase() == b.source.to_lowercase();
        near && (self.same_source == SameSource::Keep || !one)
    }

    /// The query maker with these parameters.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(self) -> Result<MoreLikeThis, NewsError> {
        let refuse = |name, found: String, wanted| Err(NewsError::Parameter { name, found, wanted });
        if self.fields.is_empty() {
            return refuse("fields", "none".into(), "title, body or both");
        }
        if self.max_query_terms == 0 {
            return refuse("max-query-terms", "0".into(), "at least 1");
        }
        let shares = [
            ("max-doc-freq", self.max_doc_freq),
            ("minimum-should-match", Some(self.minimum_should_match)),
            ("b", Some(self.b)),
        ];
        for (name, share) in shares {
            if share.is_some_and(|x| !(0.0..=1.0).contains(&x)) {
                return refuse(name, share.unwrap_or_default().to_string(), "a share, 0 to 1");
            }
        }
        let factors = [("boost-terms", self.boost_terms), ("title-boost", Some(self.title_boost))];
        for (name, factor) in factors {
            if factor.is_some_and(|x| !(x.is_finite() && x > 0.0)) {
                return refuse(name, factor.unwrap_or_default().to_string(), "a finite number above 0");
            }
        }
        if !(self.k1.is_finite() && self.k1 >= 0.0) {
            return refuse("k1", self.k1.to_string(), "a finite number, at least 0");
        }
        if self.threshold <= Score::ZERO {
            return refuse("threshold", self.threshold.to_string(), "a score above 0");
        }
        if self.neighbours == Some(0) {
            return refuse("neighbours", "0".into(), "at least 1");
        }
        let analyzer = ArticleAnalyzer::new(&self.analyzer)?;
        let mut unlike = BTreeSet::new();
        for text in &self.unlike {
            let article = Article { body: text.clone(), ..Article::default() };
            let [_, body] = analyzer.terms(&article).fields;
            unlike.extend(body.into_iter().map(|t| t.0));
        }
        Ok(MoreLikeThis { params: self, analyzer, unlike })
    }
}

/// More-Like-This as Lucene and Elasticsearch define it, with what makes it fit for comparison.
///
/// For each article and field the terms are counted; those outside the limits are dropped; the rest are ordered by
/// `tf * (1 + ln((N + 1) / (df + 1)))`, ties by the term, and the best make the query. A hit's score is the sum of
/// `boost * idf * tf / (tf + k1 (1 - b + b * length / mean length))` over the query's terms (BM25, idf = `ln(1 + (N - df + 0.5) /
/// (df + 0.5))`), divided by the same sum for the article itself, and no more than 1: a shorter article with the same terms would
/// score higher.
///
/// It runs on postings of its own, not on tantivy's. Statistics are those of the whole collection or of a frozen day, never of a
/// segment; lengths are exact, not one byte; sums are f64 in the order of the query: so scores do not depend on threads, segments
/// or commits. Postings lie in the order of time, so a query walks only the articles inside its window: a search engine would walk all of them
/// and filter, and its required-terms count turns off its shortcuts.
///
/// Measured beside tantivy 0.27 with the same terms, queries and filters (`benches/peers/tantivy`; 19,779 articles of reuters21578, two
/// threads): 13,900 queries a second against 3,400 (one segment) and 1,700 (eight); an index of 30 MiB against 76. 98 % of the hits are the same;
/// 60 % of the lists are in another order, as one byte for a length moves scores by up to 0.034, and with eight segments instead of one 0.7 % of
/// the search engine's own lists change.
///
/// Differences from Elasticsearch: word lengths count characters; `df` never counts deleted articles; the text of
/// an article is analysed in its own language.
#[derive(Clone, Debug)]
pub struct MoreLikeThis {
    params: MltParams,
    analyzer: ArticleAnalyzer,
    unlike: BTreeSet<String>,
}

/// Document frequencies and lengths that queries are made and scored with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By field: how many articles have at least one term in it.
    pub articles: [u64; 2],
    /// By field: how many tokens all articles have in it.
    pub tokens: [u64; 2],
    /// How many articles there are.
    pub all: u64,
}

/// One article found by another's query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The article found.
    pub article: u32,
    /// Its score over the asking article's own; at most 1.
    pub score: Score,
}

/// A term of a query and what it weighs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Clause {
    field: TextField,
    term: u32,
    weight: f64,
}

/// The postings of one field.
#[derive(Clone, Debug, Default)]
struct FieldIndex {
    /// The postings of term t are `starts[t] .. starts[t + 1]`.
    starts: Vec<usize>,
    /// Articles by their place in time, ascending.
    places: Vec<u32>,
    /// `tf / (tf + norm)` for the article.
    parts: Vec<f64>,
    /// How many articles of the statistics have the term.
    df: Vec<u64>,
}

/// Articles ready to be asked and found.
pub struct Index<'a> {
    mlt: &'a MoreLikeThis,
    /// The terms, ascending.
    words: Vec<&'a str>,
    fields: [FieldIndex; 2],
    /// By article and field: term and frequency, ascending by term.
    rows: Vec<[Vec<(u32, u32)>; 2]>,
    statistics: Statistics,
    /// The articles by time; those without a date last.
    by_place: Vec<u32>,
    place_of: Vec<u32>,
    /// The instants of the dated articles by place, in nanoseconds since 1970.
    instants: Vec<i128>,
    /// The outlet of each article; 0 is none.
    sources: Vec<u32>,
    /// Articles whose query has no term.
    mute: Vec<u32>,
}

impl MoreLikeThis {
    /// The parameters.
    pub fn params(&self) -> &MltParams {
        &self.params
    }

    /// What turns texts into terms.
    pub fn analyzer(&self) -> &ArticleAnalyzer {
        &self.analyzer
    }

    /// Lays out articles with their terms. Numbers of articles are places in the slice; hits of equal score go by them, so
    /// the articles should be in an order of their own ([`Articles`](super::Articles) are).
    ///
    /// `known` gives statistics of a larger collection that these articles are part of: its counts, and the document
    /// frequency of a term in a field. Without it the statistics are those of these articles.
    ///
    /// # Panics
    /// If there is not one set of terms for each article.
    pub fn index<'a>(
        &'a self,
        articles: &'a [Article],
        terms: &'a [ArticleTerms],
        known: Option<(Statistics, &dyn Fn(TextField, &str) -> u64)>,
    ) -> Index<'a> {
        assert_eq!(articles.len(), terms.len(), "the terms of each article");
        let n = articles.len();
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        for (word, _) in terms.iter().flat_map(|t| t.fields.iter().flatten()) {
            let next = numbers.len() as u32;
            numbers.entry(word.as_str()).or_insert(next);
        }
        let mut words: Vec<&str> = numbers.keys().copied().collect();
        words.par_sort_unstable();
        for (place, word) in (0..).zip(&words) {
            numbers.insert(word, place);
        }
        let numbers = &numbers;
        let rows: Vec<[Vec<(u32, u32)>; 2]> = terms
            .par_iter()
            .map(|t| {
                let row = |field: usize| t.fields[field].iter().map(|(w, tf)| (numbers[w.as_str()], *tf)).collect();
                [row(0), row(1)]
            })
            .collect();

        let mut by_place: Vec<u32> = (0..n as u32).collect();
        let time = |v: u32| articles[v as usize].published.map(|t| t.as_nanosecond());
        by_place.sort_by_key(|&v| (time(v).is_none(), time(v), v));
        let mut place_of = vec![0; n];
        for (place, &v) in (0..).zip(&by_place) {
            place_of[v as usize] = place;
        }
        let instants: Vec<i128> = by_place.iter().map_while(|&v| time(v)).collect();

        let own = self.statistics(terms);
        let (statistics, df) = match known {
            Some((statistics, df)) => (statistics, Some(df)),
            None => (own, None),
        };
        let mut fields = [FieldIndex::default(), FieldIndex::default()];
        for &field in &self.params.fields {
            fields[field as usize] = self.postings(field, &words, &rows, &by_place, &statistics, df);
        }
        let mut source_numbers: FxHashMap<String, u32> = FxHashMap::default();
        let sources = articles
            .iter()
            .map(|article| {
                let name = article.source.to_lowercase();
                let next = source_numbers.len() as u32 + 1;
                if name.is_empty() { 0 } else { *source_numbers.entry(name).or_insert(next) }
            })
            .collect();
        let mut index = Index {
            mlt: self,
            words,
            fields,
            rows,
            statistics,
            by_place,
            place_of,
            instants,
            sources,
            mute: Vec::new(),
        };
        index.mute = (0..n as u32).into_par_iter().filter(|&v| index.query(v).is_empty()).collect();
        index
    }

    /// The counts of these articles.
    pub fn statistics(&self, terms: &[ArticleTerms]) -> Statistics {
        let mut statistics = Statistics { all: terms.len() as u64, ..Statistics::default() };
        for field in TextField::ALL {
            for article in terms {
                let length = u64::from(article.length(field));
                statistics.articles[field as usize] += u64::from(length > 0);
                statistics.tokens[field as usize] += length;
            }
        }
        statistics
    }

    fn postings(
        &self,
        field: TextField,
        words: &[&str],
        rows: &[[Vec<(u32, u32)>; 2]],
        by_place: &[u32],
        statistics: &Statistics,
        df: Option<&dyn Fn(TextField, &str) -> u64>,
    ) -> FieldIndex {
        let f = field as usize;
        let mut starts = vec![0usize; words.len() + 1];
        for (term, _) in rows.iter().flat_map(|row| &row[f]) {
            starts[*term as usize + 1] += 1;
        }
        let own_df: Vec<u64> = starts[1..].iter().map(|&n| n as u64).collect();
        for t in 0..words.len() {
            starts[t + 1] += starts[t];
        }
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or_default();
        let mut places = vec![0; total];
        let mut parts = vec![0.0; total];
        let mean = statistics.tokens[f] as f64 / statistics.articles[f].max(1) as f64;
        for (place, &v) in (0..).zip(by_place) {
            let row = &rows[v as usize][f];
            let length: u64 = row.iter().map(|r| u64::from(r.1)).sum();
            for &(term, tf) in row {
                let at = &mut next[term as usize];
                places[*at] = place;
                parts[*at] = self.part(tf, length as f64, mean);
                *at += 1;
            }
        }
        // A collection that these articles are part of cannot know a term of theirs less often than they do.
        let df = match df {
            None => own_df,
            Some(df) => {
                words.iter().zip(&own_df).map(|(w, &own)| if own == 0 { 0 } else { df(field, w).max(own) }).collect()
            }
        };
        FieldIndex { starts, places, parts, df }
    }

    fn part(&self, tf: u32, length: f64, mean: f64) -> f64 {
        let (k1, b) = (self.params.k1, self.params.b);
        let relative = if mean > 0.0 { length / mean } else { 1.0 };
        f64::from(tf) / (f64::from(tf) + k1 * (1.0 - b + b * relative))
    }
}

/// Buffers of one thread.
struct Scratch {
    scores: Vec<f64>,
    matched: Vec<u16>,
    touched: Vec<u32>,
}

impl Index<'_> {
    /// How many articles there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Articles whose query has no term under these parameters: they can be found but find nothing.
    pub fn mute(&self) -> &[u32] {
        &self.mute
    }

    /// What turned the texts into terms.
    pub fn analyzer(&self) -> &ArticleAnalyzer {
        &self.mlt.analyzer
    }

    /// The statistics that scores are made with.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The terms of an article's query with their weights, the best first, title before body where they are equal.
    fn query(&self, article: u32) -> Vec<Clause> {
        let params = &self.mlt.params;
        let mut found: Vec<(f64, TextField, u32)> = Vec::new();
        let mut chosen = Vec::new();
        for &field in &params.fields {
            let index = &self.fields[field as usize];
            let articles = self.statistics.articles[field as usize].max(1);
            let n = self.statistics.all.max(articles) as f64;
            let least = match field {
                TextField::Title => params.min_term_freq_title,
                TextField::Body => params.min_term_freq,
            };
            let most = params.max_doc_freq.map(|share| ((share * n).floor() as u64).max(COMMON));
            for &(term, tf) in &self.rows[article as usize][field as usize] {
                let df = index.df[term as usize];
                if tf < least || df < u64::from(params.min_doc_freq) || most.is_some_and(|most| df > most) {
                    continue;
                }
                let word = self.words[term as usize];
                let (short, long) = (params.min_word_length as usize, params.max_word_length as usize);
                if short > 0 || long > 0 {
                    let length = word.chars().count();
                    if length < short || long > 0 && length > long {
                        continue;
                    }
                }
                if self.mlt.unlike.contains(word) {
                    continue;
                }
                let idf = 1.0 + libm::log((n + 1.0) / (df as f64 + 1.0));
                found.push((f64::from(tf) * idf, field, term));
            }
            if params.terms == TermLimit::PerField {
                chosen.append(&mut best(std::mem::take(&mut found), params.max_query_terms));
            }
        }
        if params.terms == TermLimit::Shared {
            chosen = best(found, params.max_query_terms);
        }
        let lowest = chosen.iter().map(|c| c.0).fold(f64::INFINITY, f64::min);
        chosen
            .into_iter()
            .map(|(score, field, term)| {
                let df = self.fields[field as usize].df[term as usize] as f64;
                let n = (self.statistics.articles[field as usize] as f64).max(df);
                let mut weight = libm::log(1.0 + (n - df + 0.5) / (df + 0.5));
                if field == TextField::Title {
                    weight *= params.title_boost;
                }
                if let Some(factor) = params.boost_terms {
                    weight *= factor * score / lowest;
                }
                Clause { field, term, weight }
            })
            .collect()
    }

    /// What a term adds to the score of an article: 0 if the article does not have it.
    fn part(&self, clause: &Clause, article: u32) -> f64 {
        let index = &self.fields[clause.field as usize];
        let range = index.starts[clause.term as usize]..index.starts[clause.term as usize + 1];
        match index.places[range.clone()].binary_search(&self.place_of[article as usize]) {
            Ok(at) => clause.weight * index.parts[range.start + at],
            Err(_) => 0.0,
        }
    }

    /// Places of the dated articles inside the window of an article.
    fn near(&self, article: u32) -> Range<u32> {
        let place = self.place_of[article as usize] as usize;
        match (self.mlt.params.window_hours, self.instants.get(place)) {
            (Some(hours), Some(&instant)) => {
                let reach = i128::from(hours) * 3_600_000_000_000;
                let first = self.instants.partition_point(|&t| t < instant - reach);
                let end = self.instants.partition_point(|&t| t <= instant + reach);
                first as u32..end as u32
            }
            _ => 0..self.instants.len() as u32,
        }
    }

    /// Whether two articles may be neighbours at all: not one, near in time, not of one outlet.
    fn may_meet(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.sources[a as usize], self.sources[b as usize]);
        a != b && (self.mlt.params.same_source == SameSource::Keep || x == 0 || x != y)
    }

    fn scratch(&self) -> Scratch {
        Scratch { scores: vec![0.0; self.len()], matched: vec![0; self.len()], touched: Vec::new() }
    }

    /// The articles that are like this one, the best first, then by number.
    ///
    /// # Panics
    /// If there is no such article.
    pub fn hits(&self, article: u32) -> Vec<Hit> {
        self.ask(article, &mut self.scratch())
    }

    fn ask(&self, article: u32, scratch: &mut Scratch) -> Vec<Hit> {
        let params = &self.mlt.params;
        let query = self.query(article);
        if query.is_empty() {
            return Vec::new();
        }
        let own: f64 = query.iter().map(|clause| self.part(clause, article)).sum();
        let needed = ((query.len() as f64 * params.minimum_should_match + 1e-9).floor() as u16).max(1);
        let near = self.near(article);
        let undated = self.instants.len() as u32;
        for clause in &query {
            let index = &self.fields[clause.field as usize];
            let all = index.starts[clause.term as usize]..index.starts[clause.term as usize + 1];
            let places = &index.places[all.clone()];
            let first = places.partition_point(|&p| p < near.start);
            let end = first + places[first..].partition_point(|&p| p < near.end);
            let tail = places.partition_point(|&p| p < undated).max(end);
            for at in (first..end).chain(tail..places.len()) {
                let place = places[at] as usize;
                if scratch.matched[place] == 0 {
                    scratch.touched.push(place as u32);
                }
                scratch.matched[place] += 1;
                scratch.scores[place] += clause.weight * index.parts[all.start + at];
            }
        }
        let mut hits: Vec<(f64, u32)> = Vec::new();
        // The threshold on the rounded score, asked of the sum.
        let least = params.threshold.lower_edge() * own * (1.0 - 1e-9);
        for place in scratch.touched.drain(..) {
            let score = std::mem::take(&mut scratch.scores[place as usize]);
            let matched = std::mem::take(&mut scratch.matched[place as usize]);
            let other = self.by_place[place as usize];
            if matched >= needed && score >= least && self.may_meet(article, other) {
                hits.push((score / own, other));
            }
        }
        hits.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
        let mut hits: Vec<Hit> =
            hits.into_iter().map(|(score, article)| Hit { article, score: Score::of(score) }).collect();
        hits.retain(|hit| hit.score >= params.threshold);
        if let Some(most) = params.neighbours {
            hits.truncate(most as usize);
        }
        hits
    }

    /// The hits of every article, by article. In parallel; the same for any number of threads.
    pub fn all_hits(&self) -> Vec<Vec<Hit>> {
        let pieces = (self.len() / 64).max(1);
        (0..self.len() as u32)
            .collect::<Vec<_>>()
            .par_chunks(self.len().div_ceil(pieces).max(1))
            .flat_map_iter(|articles| {
                let mut scratch = self.scratch();
                articles.iter().map(|&v| self.ask(v, &mut scratch)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// Why one article is a hit of another: the terms of the asking article's query that the other has, with their share of the
    /// asking article's own score, the greatest first.
    ///
    /// # Panics
    /// If there is no such article.
    pub fn why(&self, asking: u32, found: u32) -> Vec<(&str, TextField, f64)> {
        let query = self.query(asking);
        let own: f64 = query.iter().map(|clause| self.part(clause, asking)).sum();
        let mut shared: Vec<(&str, TextField, f64)> = query
            .iter()
            .map(|clause| (self.words[clause.term as usize], clause.field, self.part(clause, found) / own))
            .filter(|shared| shared.2 > 0.0)
            .collect();
        shared.sort_by(|x, y| y.2.total_cmp(&x.2).then(x.1.cmp(&y.1)).then(x.0.cmp(y.0)));
        shared
    }

    /// The terms of an article's query, the best first within each field.
    ///
    /// # Panics
    /// If there is no such article.
    pub fn query_terms(&self, article: u32) -> Vec<(TextField, &str)> {
        self.query(article).iter().map(|clause| (clause.field, self.words[clause.term as usize])).collect()
    }
}

/// The terms of greatest score, ties by field and term.
fn best(mut found: Vec<(f64, TextField, u32)>, most: u32) -> Vec<(f64, TextField, u32)> {
    found.sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(&y.2)));
    found.truncate(most as usize);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use crate::text::{StopList, StopWords};

    fn plain() -> MltParams {
        let analyzer = AnalyzerParams { stop_words: StopWords::List(StopList::None), ..AnalyzerParams::default() };
        MltParams {
            analyzer,
            max_query_terms: 25,
            min_doc_freq: 1,
            max_doc_freq: None,
            boost_terms: None,
            title_boost: 1.0,
            threshold: Score::of(1e-6),
            neighbours: None,
            window_hours: None,
            ..MltParams::default()
        }
    }

    fn article(id: usize, title: &str, body: &str) -> Article {
        Article {
            id: id.to_string(),
            title: title.into(),
            body: body.into(),
            language: "en".into(),
            ..Article::default()
        }
    }

    fn random(n: usize, seed: u64) -> Vec<Article> {
        let words = ["fog", "horn", "salt", "owl", "ferry", "lamp", "reed", "tram", "bell", "kiln", "mill", "quay"];
        let mut stream = Seed(seed).stream("mlt");
        (0..n)
            .map(|id| {
                let text = |stream: &mut crate::seed::Stream, most: u64| -> String {
                    let count = stream.below(most);
                    (0..count)
                        .map(|_| words[stream.below(12).min(stream.below(12)) as usize])
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                let mut article = article(id, &text(&mut stream, 4), &text(&mut stream, 20));
                article.source = ["", "a", "A", "b"][stream.below(4) as usize].into();
                let hour = stream.below(400) as i64;
                article.published = (stream.below(6) > 0).then(|| jiff::Timestamp::from_second(hour * 3600).unwrap());
                article
            })
            .collect()
    }

    fn hits(params: MltParams, articles: &[Article]) -> Vec<Vec<Hit>> {
        let mlt = params.check().unwrap();
        let terms = mlt.analyzer().terms_of(articles);
        mlt.index(articles, &terms, None).all_hits()
    }

    fn found(params: MltParams, articles: &[Article]) -> Vec<Vec<u32>> {
        hits(params, articles).iter().map(|h| h.iter().map(|h| h.article).collect()).collect()
    }

    /// The definition, pair by pair, from the texts.
    fn naive(params: &MltParams, articles: &[Article]) -> Vec<Vec<Hit>> {
        use std::collections::BTreeMap;
        let fields: Vec<[Vec<&str>; 2]> = articles
            .iter()
            .map(|a| [a.title.split_whitespace().collect(), a.body.split_whitespace().collect()])
            .collect();
        let n = articles.len() as f64;
        let df = |f: usize, w: &str| fields.iter().filter(|d| d[f].contains(&w)).count() as f64;
        let tf = |d: usize, f: usize, w: &str| fields[d][f].iter().filter(|t| **t == w).count() as f64;
        let with: Vec<f64> = (0..2).map(|f| fields.iter().filter(|d| !d[f].is_empty()).count() as f64).collect();
        let mean: Vec<f64> =
            (0..2).map(|f| fields.iter().map(|d| d[f].len()).sum::<usize>() as f64 / with[f].max(1.0)).collect();
        let part = |d: usize, f: usize, w: &str| {
            let tf = tf(d, f, w);
            if tf == 0.0 {
                return 0.0;
            }
            tf / (tf + params.k1 * (1.0 - params.b + params.b * fields[d][f].len() as f64 / mean[f]))
        };
        let near = |a: &Article, b: &Article| match (a.published, b.published, params.window_hours) {
            (Some(x), Some(y), Some(hours)) => (x.as_second() - y.as_second()).abs() <= i64::from(hours) * 3600,
            _ => true,
        };
        (0..articles.len())
            .map(|a| {
                let mut chosen: Vec<(f64, usize, &str)> = Vec::new();
                let mut pool = Vec::new();
                for f in 0..2 {
                    let words: BTreeMap<&str, ()> = fields[a][f].iter().map(|w| (*w, ())).collect();
                    for w in words.into_keys() {
                        if df(f, w) >= f64::from(params.min_doc_freq) {
                            pool.push((tf(a, f, w) * (1.0 + ((n + 1.0) / (df(f, w) + 1.0)).ln()), f, w));
                        }
                    }
                    if params.terms == TermLimit::PerField || f == 1 {
                        pool.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)).then(x.2.cmp(y.2)));
                        pool.truncate(params.max_query_terms as usize);
                        chosen.append(&mut pool);
                    }
                }
                let score = |d: usize| -> f64 {
                    chosen
                        .iter()
                        .map(|&(_, f, w)| {
                            let idf = (1.0 + (with[f] - df(f, w) + 0.5) / (df(f, w) + 0.5)).ln();
                            idf * part(d, f, w) * if f == 0 { params.title_boost } else { 1.0 }
                        })
                        .sum()
                };
                let needed = ((chosen.len() as f64 * params.minimum_should_match).floor() as usize).max(1);
                let own = score(a);
                let mut hits: Vec<Hit> = (0..articles.len())
                    .filter(|&d| {
                        let (x, y) = (articles[a].source.to_lowercase(), articles[d].source.to_lowercase());
                        let matched = chosen.iter().filter(|c| tf(d, c.1, c.2) > 0.0).count();
                        d != a && (x.is_empty() || x != y) && near(&articles[a], &articles[d]) && matched >= needed
                    })
                    .map(|d| Hit { article: d as u32, score: Score::of(score(d) / own) })
                    .filter(|h| h.score >= params.threshold)
                    .collect();
                hits.sort_by_key(|h| (std::cmp::Reverse(h.score), h.article));
                hits
            })
            .collect()
    }

    #[test]
    fn hits_are_those_of_the_definition() {
        for (seed, change) in [
            (1, plain()),
            (2, MltParams { terms: TermLimit::Shared, max_query_terms: 4, ..plain() }),
            (3, MltParams { max_query_terms: 2, title_boost: 3.0, min_doc_freq: 5, ..plain() }),
            (4, MltParams { window_hours: Some(48), k1: 2.0, b: 0.3, ..plain() }),
            (5, MltParams { minimum_should_match: 0.5, threshold: Score::of(0.3), ..plain() }),
        ] {
            let articles = random(40, seed);
            let mut ours = hits(change.clone(), &articles);
            // The order among equal rounded scores is decided by the sums; here only the sets are compared.
            ours.iter_mut().for_each(|h| h.sort_by_key(|h| (std::cmp::Reverse(h.score), h.article)));
            let expected = naive(&change, &articles);
            assert!(expected.iter().map(Vec::len).sum::<usize>() > 60, "seed {seed}: the sample finds something");
            for (a, (x, y)) in ours.iter().zip(&expected).enumerate() {
                assert_eq!(x.len(), y.len(), "seed {seed}, article {a}");
                for (x, y) in x.iter().zip(y) {
                    let apart = (x.score.millionths() - y.score.millionths()).abs();
                    assert!(x.article == y.article && apart <= 1, "seed {seed}, article {a}: {x:?}, {y:?}");
                }
            }
        }
    }

    #[test]
    fn threads_and_other_articles_orders_do_not_change_hits() {
        let articles = random(150, 9);
        let params = MltParams { boost_terms: Some(2.0), neighbours: Some(5), window_hours: Some(72), ..plain() };
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| hits(params.clone(), &articles))
        };
        let one = run(1);
        assert!(one.iter().any(|h| h.len() == 5));
        assert_eq!(one, run(2));
        assert_eq!(one, run(7));
    }

    #[test]
    fn every_limit_of_terms_does_what_it_says() {
        let articles = vec![
            article(0, "fog fog horn", "salt salt quay x"),
            article(1, "fog horn", "salt quay x"),
            article(2, "lamp", "reed x"),
        ];
        let terms = |params: MltParams| -> Vec<String> {
            let mlt = params.check().unwrap();
            let terms = mlt.analyzer().terms_of(&articles);
            let index = mlt.index(&articles, &terms, None);
            index
                .query_terms(0)
                .iter()
                .map(|(f, w)| format!("{}{w}", if *f == TextField::Title { "t:" } else { "" }))
                .collect()
        };
        assert_eq!(terms(plain()), ["t:fog", "t:horn", "salt", "quay", "x"]);
        assert_eq!(terms(MltParams { max_query_terms: 1, ..plain() }), ["t:fog", "salt"]);
        // Of both fields together: fog and salt tie, the title goes first.
        let shared = MltParams { max_query_terms: 3, terms: TermLimit::Shared, ..plain() };
        assert_eq!(terms(shared), ["t:fog", "salt", "t:horn"]);
        assert_eq!(terms(MltParams { min_term_freq: 2, ..plain() }), ["t:fog", "t:horn", "salt"]);
        assert_eq!(terms(MltParams { min_term_freq_title: 2, ..plain() }), ["t:fog", "salt", "quay", "x"]);
        assert_eq!(terms(MltParams { min_doc_freq: 3, ..plain() }), ["x"]);
        assert_eq!(terms(MltParams { min_word_length: 4, ..plain() }), ["t:horn", "salt", "quay"]);
        assert_eq!(terms(MltParams { max_word_length: 3, ..plain() }), ["t:fog", "x"]);
        assert_eq!(terms(MltParams { unlike: vec!["Fog, salt!".into()], ..plain() }), ["t:horn", "quay", "x"]);
        assert_eq!(terms(MltParams { fields: vec![TextField::Body], ..plain() }), ["salt", "quay", "x"]);
        // Three articles of three are a share of one, but no more than 20: never too common.
        assert_eq!(terms(MltParams { max_doc_freq: Some(0.5), ..plain() }).len(), 5);
        let many: Vec<Article> = (0..42).map(|i| article(i, "", if i < 22 { "salt quay" } else { "quay" })).collect();
        let mlt = MltParams { max_doc_freq: Some(0.6), ..plain() }.check().unwrap();
        let all = mlt.analyzer().terms_of(&many);
        let index = mlt.index(&many, &all, None);
        assert_eq!(index.query_terms(0), [(TextField::Body, "salt")]);
        assert_eq!((index.query_terms(30), index.mute().len()), (Vec::new(), 20));
    }

    #[test]
    fn filters_hold_inside_the_query_and_a_missing_value_filters_nothing() {
        let with = |id, source: &str, hour: Option<i64>| Article {
            source: source.into(),
            published: hour.map(|h| jiff::Timestamp::from_second(h * 3600).unwrap()),
            ..article(id, "", "fog horn salt")
        };
        let articles = vec![
            with(0, "Post", Some(0)),
            with(1, "post", Some(0)),
            with(2, "Herald", Some(5)),
            with(3, "", Some(6)),
            with(4, "Herald", None),
        ];
        let near = |same_source| MltParams { window_hours: Some(5), same_source, neighbours: Some(3), ..plain() };
        let found_by = found(near(SameSource::Drop), &articles);
        assert_eq!(found_by, [vec![2, 4], vec![2, 4], vec![0, 1, 3], vec![2, 4], vec![0, 1, 3]]);
        assert_eq!(found(near(SameSource::Keep), &articles)[0], [1, 2, 4]);
        // One slot is not eaten by what the filters drop.
        assert_eq!(found(MltParams { neighbours: Some(1), ..near(SameSource::Drop) }, &articles)[0], [2]);
    }

    #[test]
    fn scores_are_relative_clamped_and_explained() {
        let articles = vec![
            article(0, "", "fog horn salt quay owl reed"),
            article(1, "", "fog horn"),
            article(2, "", "fog horn salt quay owl reed"),
            article(3, "", "lamp"),
        ];
        let all = hits(plain(), &articles);
        assert_eq!((all[0][0].article, all[0][0].score), (2, Score::MAX));
        // The longer articles hold all of 1's terms in a longer text.
        assert!(all[1][0].score < Score::MAX && all[1][0].article == 0 && all[1][1].article == 2);
        let more = vec![
            article(0, "", "fog horn salt salt salt salt salt"),
            article(1, "", "fog horn salt"),
            article(2, "", "owl"),
        ];
        let params = MltParams { max_query_terms: 2, unlike: vec!["salt".into()], ..plain() };
        assert_eq!(hits(params, &more)[0][0].score, Score::MAX, "a shorter article cannot score above 1");
        let mlt = plain().check().unwrap();
        let terms = mlt.analyzer().terms_of(&articles);
        let index = mlt.index(&articles, &terms, None);
        let why = index.why(0, 1);
        assert_eq!(why.iter().map(|w| w.0).collect::<Vec<_>>(), ["fog", "horn"]);
        let sum: f64 = why.iter().map(|w| w.2).sum();
        assert_eq!(Score::of(sum), all[0].iter().find(|h| h.article == 1).unwrap().score);
    }

    #[test]
    fn statistics_of_a_larger_collection_are_used() {
        let articles = vec![article(0, "", "fog horn salt"), article(1, "", "fog horn quay")];
        let mlt = plain().check().unwrap();
        let terms = mlt.analyzer().terms_of(&articles);
        let alone = mlt.index(&articles, &terms, None).hits(0)[0].score;
        let statistics = Statistics { articles: [0, 1000], tokens: [0, 3000], all: 1000 };
        let common = |_: TextField, word: &str| if word == "salt" { 2 } else { 900 };
        let among = mlt.index(&articles, &terms, Some((statistics, &common))).hits(0)[0].score;
        assert!(among < alone, "fog and horn are common there: {among}, {alone}");
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let refused = |params: MltParams| params.check().unwrap_err().to_string();
        assert_eq!(refused(MltParams { max_query_terms: 0, ..plain() }), "max-query-terms = 0; wanted at least 1");
        assert_eq!(refused(MltParams { fields: Vec::new(), ..plain() }), "fields = none; wanted title, body or both");
        assert_eq!(refused(MltParams { b: 1.5, ..plain() }), "b = 1.5; wanted a share, 0 to 1");
        assert_eq!(
            refused(MltParams { max_doc_freq: Some(-0.1), ..plain() }),
            "max-doc-freq = -0.1; wanted a share, 0 to 1"
        );
        assert_eq!(refused(MltParams { k1: f64::NAN, ..plain() }), "k1 = NaN; wanted a finite number, at least 0");
        assert_eq!(
            refused(MltParams { title_boost: 0.0, ..plain() }),
            "title-boost = 0; wanted a finite number above 0"
        );
        assert_eq!(refused(MltParams { neighbours: Some(0), ..plain() }), "neighbours = 0; wanted at least 1");
        assert!(refused(MltParams { threshold: Score::ZERO, ..plain() }).starts_with("threshold = 0.000000"));
        let params = MltParams { k1: 1.5, terms: TermLimit::Shared, ..MltParams::default() };
        let written = toml::to_string(&params).unwrap();
        assert_eq!(toml::from_str::<MltParams>(&written).unwrap(), params);
    }
}
