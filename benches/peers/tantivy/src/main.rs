//! More-Like-This on tantivy beside papertwin's own postings: the same articles, terms, queries and filters; what differs is who
//! finds and scores the hits.
//!
//! `cargo run --release --manifest-path benches/peers/tantivy/Cargo.toml -- ARTICLES [THREADS]`
//!
//! Queries are papertwin's own (tantivy's `MoreLikeThisQuery` ignores frequencies when it scores and breaks ties by chance): a union of
//! the article's terms scored by BM25, the window as a range that adds no score, the outlet as an exclusion, the ten best over the
//! article's own score. Boosts are off, so that both define one score; tantivy keeps lengths in one byte and sums in f32.

use std::collections::HashMap;
use std::ops::Bound;
use std::path::PathBuf;
use std::time::Instant;

use papertwin::news::{Article, ArticleTerms, Articles, Hit, Index as OwnIndex, MltParams, SameSource, TextField};
use papertwin::progress::Run;
use papertwin::similarity::Score;
use rayon::prelude::*;
use tantivy::collector::TopDocs;
use tantivy::indexer::NoMergePolicy;
use tantivy::query::{BooleanQuery, ConstScoreQuery, EnableScoring, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{DocAddress, Index, IndexWriter, Searcher, TantivyDocument, Term};

type Failed = Box<dyn std::error::Error + Send + Sync>;

struct Fields {
    number: Field,
    source: Field,
    published: Field,
    text: [Field; 2],
}

struct Engine {
    fields: Fields,
    searcher: Searcher,
    /// Address of each article.
    address: Vec<DocAddress>,
    /// Article of each address, by segment.
    article: Vec<Vec<u32>>,
}

impl Engine {
    fn new(articles: &[Article], terms: &[ArticleTerms], segments: usize) -> Result<Engine, Failed> {
        let mut schema = Schema::builder();
        let text = TextOptions::default().set_indexing_options(
            TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs).set_fieldnorms(true),
        );
        let fields = Fields {
            number: schema.add_u64_field("number", FAST),
            source: schema.add_text_field("source", STRING),
            published: schema.add_i64_field("published", FAST | INDEXED),
            text: [schema.add_text_field("title", text.clone()), schema.add_text_field("body", text)],
        };
        let index = Index::create_in_ram(schema.build());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 200 << 20)?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let portion = articles.len().div_ceil(segments).max(1);
        for (place, (article, terms)) in articles.iter().zip(terms).enumerate() {
            let mut document = TantivyDocument::new();
            document.add_u64(fields.number, place as u64);
            document.add_text(fields.source, article.source.to_lowercase());
            if let Some(published) = article.published {
                document.add_i64(fields.published, published.as_second());
            }
            for field in TextField::ALL {
                let mut tokens = Vec::new();
                for (word, count) in &terms.fields[field as usize] {
                    for _ in 0..*count {
                        let position = tokens.len();
                        tokens.push(Token { position, text: word.clone(), ..Token::default() });
                    }
                }
                let text = PreTokenizedString { text: String::new(), tokens };
                document.add_pre_tokenized_text(fields.text[field as usize], text);
            }
            writer.add_document(document)?;
            if (place + 1) % portion == 0 {
                writer.commit()?;
            }
        }
        writer.commit()?;
        let searcher = index.reader()?.searcher();
        let mut address = vec![DocAddress::new(0, 0); articles.len()];
        let mut article = Vec::new();
        for (segment, reader) in searcher.segment_readers().iter().enumerate() {
            let numbers = reader.fast_fields().u64("number")?;
            let of: Vec<u32> = (0..reader.max_doc()).filter_map(|doc| numbers.first(doc).map(|n| n as u32)).collect();
            for (doc, &number) in of.iter().enumerate() {
                address[number as usize] = DocAddress::new(segment as u32, doc as u32);
            }
            article.push(of);
        }
        Ok(Engine { fields, searcher, address, article })
    }

    fn hits(&self, own: &OwnIndex<'_>, articles: &[Article], asking: u32, params: &MltParams) -> Result<Vec<Hit>, Failed> {
        let words: Vec<(Occur, Box<dyn Query>)> = own
            .query_terms(asking)
            .iter()
            .map(|(field, word)| {
                let term = Term::from_field_text(self.fields.text[*field as usize], word);
                (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)) as Box<dyn Query>)
            })
            .collect();
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let words = BooleanQuery::new(words);
        let address = self.address[asking as usize];
        let weight = words.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut scorer = weight.scorer(self.searcher.segment_reader(address.segment_ord), 1.0)?;
        if scorer.doc() < address.doc_id {
            scorer.seek(address.doc_id);
        }
        let self_score = f64::from(scorer.score());
        let article = &articles[asking as usize];
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = vec![(Occur::Must, Box::new(words))];
        if params.same_source == SameSource::Drop && !article.source.is_empty() {
            let term = Term::from_field_text(self.fields.source, &article.source.to_lowercase());
            clauses.push((Occur::MustNot, Box::new(TermQuery::new(term, IndexRecordOption::Basic))));
        }
        if let (Some(hours), Some(published)) = (params.window_hours, article.published) {
            let bound = |sign: i64| {
                let second = published.as_second() + sign * i64::from(hours) * 3600;
                Bound::Included(Term::from_field_i64(self.fields.published, second))
            };
            let range = RangeQuery::new(bound(-1), bound(1));
            clauses.push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(range), 0.0))));
        }
        let most = params.neighbours.unwrap_or(10) as usize;
        // The article itself takes a place where its outlet is not excluded.
        let found = self.searcher.search(&BooleanQuery::new(clauses), &TopDocs::with_limit(most + 1).order_by_score())?;
        Ok(found
            .into_iter()
            .map(|(score, at)| (score, self.article[at.segment_ord as usize][at.doc_id as usize]))
            .filter(|&(_, number)| number != asking)
            .take(most)
            .map(|(score, article)| Hit { article, score: Score::of((f64::from(score) / self_score).min(1.0)) })
            .filter(|hit| hit.score >= params.threshold)
            .collect())
    }
}

/// How two lists of hits agree.
fn compare(name: &str, x: &[Vec<Hit>], y: &[Vec<Hit>]) {
    let (mut same, mut common, mut most, mut apart) = (0usize, 0usize, 0usize, 0.0f64);
    for (x, y) in x.iter().zip(y) {
        let scores: HashMap<u32, f64> = y.iter().map(|h| (h.article, h.score.value())).collect();
        same += usize::from(x.iter().map(|h| h.article).eq(y.iter().map(|h| h.article)));
        most += x.len().max(y.len());
        for hit in x {
            if let Some(score) = scores.get(&hit.article) {
                common += 1;
                apart = apart.max((score - hit.score.value()).abs());
            }
        }
    }
    println!(
        "{name}: {:.2} % of the lists are the same in the same order, {:.2} % of the hits are in both, scores differ by {apart:.4} at most",
        100.0 * same as f64 / x.len().max(1) as f64,
        100.0 * common as f64 / most.max(1) as f64
    );
}

fn timed<T>(name: &str, articles: usize, work: impl FnOnce() -> T) -> T {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let made = work();
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!("{name}: {wall:.2} s wall, {cpu:.2} s CPU, {:.0} articles/s wall, {:.0} a CPU second", articles as f64 / wall, articles as f64 / cpu);
    made
}

/// CPU seconds of this process, 0 where the system does not tell.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
}

fn main() -> Result<(), Failed> {
    let mut arguments = std::env::args().skip(1);
    let path: PathBuf = arguments.next().ok_or("wanted a file of articles")?.into();
    let threads: usize = arguments.next().map_or(Ok(2), |n| n.parse())?;
    let corpus = papertwin::corpus::load(&[path], &Default::default(), &Run::default())?.corpus;
    let kept = corpus.into_papers().into_iter().filter(|p| !p.body.is_empty()).collect();
    let articles = Articles::of(papertwin::corpus::Corpus::new(kept), None);
    let articles = articles.as_slice();
    let outlets: std::collections::BTreeSet<&str> = articles.iter().map(|a| a.source.as_str()).collect();
    let params = MltParams {
        boost_terms: None,
        title_boost: 1.0,
        threshold: Score::of(1e-6),
        same_source: if outlets.len() > 1 { SameSource::Drop } else { SameSource::Keep },
        ..MltParams::default()
    };
    let mlt = params.clone().check()?;
    let n = articles.len();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    println!("{n} articles, {threads} threads");
    pool.install(|| -> Result<(), Failed> {
        let terms = timed("terms (both)", n, || mlt.analyzer().terms_of(articles));
        let before = resident_mib();
        let own = timed("papertwin index", n, || mlt.index(articles, &terms, None));
        println!("papertwin index: {} MiB more in memory", resident_mib().saturating_sub(before));
        let ours = timed("papertwin queries", n, || own.all_hits());
        let mut all = Vec::new();
        for segments in [1, 8] {
            let before = resident_mib();
            let engine = timed(&format!("tantivy index, {segments} segments"), n, || Engine::new(articles, &terms, segments))?;
            println!("tantivy index: {} MiB more in memory, {} segments", resident_mib().saturating_sub(before), engine.article.len());
            let hits = timed(&format!("tantivy queries, {segments} segments"), n, || {
                (0..n as u32)
                    .into_par_iter()
                    .map(|v| engine.hits(&own, articles, v, &params))
                    .collect::<Result<Vec<_>, Failed>>()
            })?;
            compare(&format!("papertwin and tantivy with {segments} segments"), &ours, &hits);
            all.push(hits);
        }
        compare("tantivy with 1 segment and with 8", &all[0], &all[1]);
        Ok(())
    })
}
