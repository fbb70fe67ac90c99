//! The experiments on shingles, MinHash and exact joins: each gives a table that does not depend on the machine, and where
//! time is the question a second one with the measurements.
//!
//! The story is the Stanford news case in Mining of Massive Datasets (3.2.4, 3.3.5, 3.9): stop-word shingles let the article
//! outweigh the page around it; buckets of lengths were the students' first substitute for hashing; hashing won below 80 %,
//! exact methods above; their first MinHash was slow because it went column by column.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::corpus::PaperId;
use crate::progress::Run;
use crate::seed::{Seed, Stream};
use crate::similarity::Score;
use crate::sketch::Threshold;
use crate::sketch::bands::{BandIndex, Bands};
use crate::sketch::joins::{Join, join_all, merge};
use crate::sketch::minhash::{Family, MinHash};
use crate::sketch::sets::RankedSets;
use crate::table::Table;
use crate::text::{ShingleKind, ShingleParams, ShingleSets, Shingling, WordRule};

/// English function words with their rough shares in prose, in thousandths of all words.
const FUNCTION_WORDS: [(&str, u32); 40] = [
    ("the", 62),
    ("of", 33),
    ("and", 28),
    ("to", 26),
    ("a", 22),
    ("in", 21),
    ("that", 11),
    ("is", 10),
    ("was", 10),
    ("it", 9),
    ("for", 9),
    ("on", 7),
    ("with", 7),
    ("as", 7),
    ("he", 7),
    ("be", 6),
    ("at", 5),
    ("by", 5),
    ("this", 5),
    ("had", 5),
    ("not", 5),
    ("are", 4),
    ("but", 4),
    ("from", 4),
    ("or", 4),
    ("have", 4),
    ("they", 4),
    ("which", 4),
    ("you", 3),
    ("were", 3),
    ("her", 3),
    ("all", 3),
    ("she", 3),
    ("there", 3),
    ("would", 3),
    ("their", 3),
    ("we", 3),
    ("him", 3),
    ("been", 3),
    ("has", 3),
];

/// Writes made-up prose: function words as often as in English or less, other words by Zipf's law from a vocabulary of 20,000.
struct Writer {
    stream: Stream,
}

impl Writer {
    fn new(seed: Seed, name: &str) -> Writer {
        Writer { stream: seed.stream(name) }
    }

    /// So many words, a share of them function words (prose: .4), the others of one topic.
    fn text(&mut self, words: usize, function_words: f64, out: &mut String) {
        let total: u32 = FUNCTION_WORDS.iter().map(|w| w.1).sum();
        for _ in 0..words {
            if !out.is_empty() {
                out.push(' ');
            }
            if self.stream.chance(function_words) {
                let mut draw = self.stream.below(total.into()) as u32;
                let word = FUNCTION_WORDS.iter().find(|(_, share)| {
                    let here = draw < *share;
                    draw = draw.saturating_sub(*share);
                    here
                });
                out.push_str(word.expect("the draw is below the sum").0);
            } else {
                // Ranks that fall as 1/rank.
                let rank = libm::exp(self.stream.unit() * libm::log(20_000.0)) as u32;
                content_word(rank, out);
            }
        }
    }
}

/// The word of a rank: syllables that no function word is made of.
fn content_word(rank: u32, out: &mut String) {
    const SYLLABLES: [&str; 32] = [
        "bak", "del", "fim", "gor", "huk", "jan", "kem", "lip", "mox", "nur", "pav", "rez", "siv", "tok", "vun", "wak",
        "zel", "bim", "cor", "duk", "fan", "gem", "hip", "jox", "kur", "lav", "mez", "niv", "pok", "run", "sak", "tel",
    ];
    let mut rest = rank;
    loop {
        out.push_str(SYLLABLES[(rest % 32) as usize]);
        rest /= 32;
        if rest == 0 {
            break;
        }
    }
}

/// An article as paragraphs of 40 words of prose.
fn article(seed: Seed, number: u64, paragraphs: usize) -> Vec<String> {
    let mut writer = Writer::new(seed, &format!("near-duplicates/article/{number}"));
    (0..paragraphs)
        .map(|_| {
            let mut text = String::new();
            writer.text(40, 0.4, &mut text);
            text
        })
        .collect()
}

/// What stands around an article on a page: a menu and lists of links without function words, advertisements with few (6 %,
/// as the Sudzo advertisement of the book suggests), in this order, so many words.
fn furniture(seed: Seed, number: u64, words: usize) -> [String; 2] {
    let mut writer = Writer::new(seed, &format!("near-duplicates/furniture/{number}"));
    let (mut before, mut after) = (String::new(), String::new());
    writer.text(words / 4, 0.0, &mut before);
    writer.text(words / 4, 0.06, &mut before);
    writer.text(words / 4, 0.06, &mut after);
    writer.text(words - 3 * (words / 4), 0.0, &mut after);
    [before, after]
}

fn page(article: &[String], around: &[String; 2], cut: Option<usize>) -> String {
    let kept = article.iter().enumerate().filter(|(p, _)| Some(*p) != cut).map(|(_, text)| text.as_str());
    let mut parts = vec![around[0].as_str()];
    parts.extend(kept);
    parts.push(&around[1]);
    parts.join("\n")
}

fn jaccard(shingling: &Shingling, x: &str, y: &str) -> Score {
    let (x, y) = (shingling.set(x), shingling.set(y));
    let common = merge(&x, &y, 0).unwrap_or(0);
    Score::ratio(common.into(), (x.len() + y.len()) as u64 - u64::from(common)).unwrap_or(Score::ZERO)
}

/// Stop-word against word and letter shingles on pages: the Jaccard similarity of the same article in different
/// furniture, whole and with one of its eight paragraphs cut, and of different articles in the same furniture. The better
/// kind has the greater gap between the least similar of the former and the most similar of the latter.
///
/// Columns: shingles, furniture (its share of the page's words), case, pairs, mean, least, greatest.
pub fn wrapped_pages(articles: u64, run: &Run) -> Table {
    const PARAGRAPHS: usize = 8;
    let kinds = [
        ("letters 9", ShingleParams::letters()),
        ("words 1", ShingleParams { size: 1, ..ShingleParams::default() }),
        ("words 3", ShingleParams::default()),
        (
            "stop word + 2",
            ShingleParams {
                language: crate::text::LanguageChoice::Only(crate::text::Language::ENGLISH),
                ..ShingleParams::stop_word()
            },
        ),
        ("stop word + 1", ShingleParams { size: 1, ..ShingleParams::stop_word() }),
    ];
    let mut table = Table::new(["shingles", "furniture", "case", "pairs", "mean", "least", "greatest"]);
    for (name, params) in kinds {
        let shingling = params.check().expect("the parameters are fixed");
        for (share, words) in [("0.2", 80), ("0.5", 320), ("0.8", 1280)] {
            let texts: Vec<Vec<String>> = (0..=articles).map(|n| article(run.seed, n, PARAGRAPHS)).collect();
            let around: Vec<[String; 2]> = (0..=2 * articles).map(|n| furniture(run.seed, n, words)).collect();
            let case = |x: u64, y: u64, cut: Option<usize>, furniture: (u64, u64)| {
                let one = page(&texts[x as usize], &around[furniture.0 as usize], None);
                let other = page(&texts[y as usize], &around[furniture.1 as usize], cut);
                jaccard(&shingling, &one, &other)
            };
            let rows: [(&str, Vec<Score>); 3] = [
                ("same article, other furniture", (0..articles).map(|n| case(n, n, None, (n, n + articles))).collect()),
                (
                    "same article with a paragraph cut, other furniture",
                    (0..articles).map(|n| case(n, n, Some(n as usize % PARAGRAPHS), (n, n + articles))).collect(),
                ),
                ("other article, same furniture", (0..articles).map(|n| case(n, n + 1, None, (n, n))).collect()),
            ];
            for (case, scores) in rows {
                let sum: f64 = scores.iter().map(|s| s.value()).sum();
                table.push(vec![
                    name.into(),
                    share.into(),
                    case.into(),
                    scores.len().into(),
                    (!scores.is_empty()).then(|| sum / scores.len() as f64).into(),
                    scores.iter().min().map(|s| s.value()).into(),
                    scores.iter().max().map(|s| s.value()).into(),
                ]);
            }
        }
    }
    table
}

/// Results that every machine gives, and times that only this one does.
pub struct Measured {
    /// Counts.
    pub table: Table,
    /// Seconds, on the threads of the caller's pool.
    pub measurements: Table,
}

/// Buckets of lengths, MinHash and every exact join on the same sets, at each threshold: pairs found, recall, candidates
/// offered, sets merged; and their times, numbering of the sets' elements included where the method needs it.
///
/// MinHash has 128 components and bands for a recall of .95 and of .99 at the threshold.
///
/// Columns: threshold, method, pairs, recall, candidates, verified; and threshold, method, seconds.
pub fn joins(sets: &ShingleSets, thresholds: &[Score], run: &Run) -> Measured {
    let mut table = Table::new(["threshold", "method", "pairs", "recall", "candidates", "verified"]);
    let mut measurements = Table::new(["threshold", "method", "seconds"]);
    let task = run.progress.start("joins", Some(thresholds.len() as u64 * 9), "runs");
    for &lambda in thresholds {
        let Some(threshold) = Threshold::at(lambda) else { continue };
        let truth = join_all(&RankedSets::new(sets), threshold, Join::Bitmap).0.len();
        let mut row = |name: &str, pairs: usize, candidates: u64, verified: u64, seconds: f64| {
            let recall = (truth > 0).then(|| pairs as f64 / truth as f64);
            let first = || vec![lambda.to_string().into(), name.into()];
            table.push([first(), vec![pairs.into(), recall.into(), candidates.into(), verified.into()]].concat());
            measurements.push([first(), vec![seconds.into()]].concat());
            task.advance(1);
        };
        for join in Join::ALL {
            let start = Instant::now();
            let (pairs, cost) = join_all(&RankedSets::new(sets), threshold, join);
            row(join.name(), pairs.len(), cost.candidates, cost.verified, start.elapsed().as_secs_f64());
        }
        for (name, recall) in [("minhash .95", 0.95), ("minhash .99", 0.99)] {
            let start = Instant::now();
            let signatures = MinHash::new(Family::Rounds, 128, run.seed).signatures(sets);
            let index = BandIndex::new(&signatures, Bands::choose(128, lambda.value(), recall));
            let (pairs, candidates) = verified_pairs(sets, &index, threshold);
            row(name, pairs, candidates, candidates, start.elapsed().as_secs_f64());
        }
    }
    Measured { table, measurements }
}

/// The pairs that reach the threshold among those that share a band, and how many share one.
fn verified_pairs(sets: &ShingleSets, index: &BandIndex, threshold: Threshold) -> (usize, u64) {
    use rayon::prelude::*;
    (0..sets.papers() as u32)
        .into_par_iter()
        .map_init(Vec::new, |candidates, x| {
            index.later(x, candidates);
            let own = sets.of(PaperId(x));
            let similar = candidates.iter().filter(|&&y| {
                let other = sets.of(PaperId(y));
                merge(own, other, threshold.overlap(own.len(), other.len()) as u32).is_some()
            });
            (similar.count(), candidates.len() as u64)
        })
        .reduce(|| (0, 0), |x, y| (x.0 + y.0, x.1 + y.1))
}

/// The families of signatures: row by row against column by column, and the fast ones; with the error of their estimates
/// over the pairs that the exact join finds at .5, and what bands for a recall of .99 at .8 find.
///
/// Columns: family, components, pairs, mean_error, root_mean_square_error, recall_at_0.8; and family, components, seconds.
pub fn families(sets: &ShingleSets, components: usize, run: &Run) -> Measured {
    let mut table =
        Table::new(["family", "components", "pairs", "mean_error", "root_mean_square_error", "recall_at_0.8"]);
    let mut measurements = Table::new(["family", "components", "seconds"]);
    let ranked = RankedSets::new(sets);
    let half = join_all(&ranked, Threshold::new(1, 2).expect("it is within 0 and 1"), Join::Bitmap).0;
    let most = Threshold::new(4, 5).expect("it is within 0 and 1");
    let similar = join_all(&ranked, most, Join::Bitmap).0.len();
    let ways: [(&str, Family, bool); 4] = [
        ("universal, column by column", Family::Universal, false),
        ("universal, row by row", Family::Universal, true),
        ("one permutation, densified", Family::OnePermutation, false),
        ("rounds", Family::Rounds, false),
    ];
    for (name, family, by_row) in ways {
        let start = Instant::now();
        let minhash = MinHash::new(family, components, run.seed);
        let signatures = if by_row { minhash.signatures_by_row(sets) } else { minhash.signatures(sets) };
        measurements.push(vec![name.into(), components.into(), start.elapsed().as_secs_f64().into()]);
        let errors: Vec<f64> = half
            .iter()
            .filter_map(|&(x, y, common)| {
                let truth = f64::from(common) / (ranked.size(x) + ranked.size(y) - common as usize) as f64;
                Some(signatures.estimate(x, y)? - truth)
            })
            .collect();
        let mean = |of: &dyn Fn(f64) -> f64| {
            (!errors.is_empty()).then(|| errors.iter().map(|&e| of(e)).sum::<f64>() / errors.len() as f64)
        };
        let index = BandIndex::new(&signatures, Bands::choose(components, 0.8, 0.99));
        let found = verified_pairs(sets, &index, most).0;
        table.push(vec![
            name.into(),
            components.into(),
            errors.len().into(),
            mean(&|e| e).into(),
            mean(&|e| e * e).map(f64::sqrt).into(),
            (similar > 0).then(|| found as f64 / similar as f64).into(),
        ]);
    }
    for (name, by_row) in [("a slow hash, column by column", false), ("a slow hash, row by row", true)] {
        let start = Instant::now();
        let least = slow_minima(sets, components, by_row);
        let seconds = start.elapsed().as_secs_f64();
        measurements.push(vec![name.into(), components.into(), seconds.into()]);
        table.push(vec![
            name.into(),
            components.into(),
            crate::table::Cell::Empty,
            crate::table::Cell::Empty,
            crate::table::Cell::Empty,
            crate::table::Cell::Empty,
        ]);
        // Used, so that no compiler leaves their computation out.
        std::hint::black_box(least);
    }
    Measured { table, measurements }
}

/// Signatures with a hash function that costs as much as hashing a string anew for each component (the students' first way),
/// for the sets' first thousand papers: what is compared is the order of the two loops.
fn slow_minima(sets: &ShingleSets, components: usize, by_row: bool) -> Vec<u64> {
    let papers = sets.papers().min(1000);
    let hash = |shingle: u64, component: usize| {
        // 24 bytes, as long as a shingle of three short words.
        let mut text = [0u8; 24];
        text.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&shingle.to_le_bytes()));
        xxhash_rust::xxh3::xxh3_64_with_seed(&text, component as u64)
    };
    let mut minima = vec![u64::MAX; sets.papers() * components];
    let mut hashes = vec![0u64; components];
    if by_row {
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for paper in 0..papers as u32 {
            rows.extend(sets.of(PaperId(paper)).iter().map(|&s| (s, paper)));
        }
        rows.sort_unstable();
        for row in rows.chunk_by(|x, y| x.0 == y.0) {
            hashes.iter_mut().enumerate().for_each(|(c, h)| *h = hash(row[0].0, c));
            for &(_, paper) in row {
                let own = &mut minima[paper as usize * components..][..components];
                own.iter_mut().zip(&hashes).for_each(|(least, &h)| *least = h.min(*least));
            }
        }
    } else {
        for paper in 0..papers {
            let own = &mut minima[paper * components..][..components];
            for &shingle in sets.of(PaperId(paper as u32)) {
                own.iter_mut().enumerate().for_each(|(c, least)| *least = hash(shingle, c).min(*least));
            }
        }
    }
    minima
}

/// How work grows with the corpus: generated documents of 60 words, one in five a copy of an earlier one with two words
/// changed, through MinHash (128 components, bands for a recall of .99) and the exact join at .8.
///
/// Columns: documents, shingles, candidates, minhash_pairs, exact_pairs, recall; and documents, stage, seconds.
pub fn growth(sizes: &[usize], run: &Run) -> Measured {
    let mut table = Table::new(["documents", "shingles", "candidates", "minhash_pairs", "exact_pairs", "recall"]);
    let mut measurements = Table::new(["documents", "stage", "seconds"]);
    let lambda = Score::from_millionths(800_000).expect("it is within 0 and 1");
    let threshold = Threshold::at(lambda).expect("it is above 0");
    let shingling = ShingleParams::default().check().expect("the parameters are fixed");
    for &size in sizes {
        let mut stage = |name: &str, start: Instant| {
            measurements.push(vec![size.into(), name.into(), start.elapsed().as_secs_f64().into()]);
        };
        let start = Instant::now();
        let sets = ShingleSets::make(size, |document| shingling.set(&document_of_growth(run.seed, document as u64)));
        stage("write and cut", start);
        let start = Instant::now();
        let signatures = MinHash::new(Family::Rounds, 128, run.seed).signatures(&sets);
        stage("signatures", start);
        let start = Instant::now();
        let index = BandIndex::new(&signatures, Bands::choose(128, lambda.value(), 0.99));
        stage("index", start);
        let start = Instant::now();
        let (found, candidates) = verified_pairs(&sets, &index, threshold);
        stage("verified candidates", start);
        drop((signatures, index));
        let start = Instant::now();
        let exact = join_all(&RankedSets::new(&sets), threshold, Join::Bitmap).0.len();
        stage("exact join", start);
        table.push(vec![
            size.into(),
            sets.total().into(),
            candidates.into(),
            found.into(),
            exact.into(),
            (exact > 0).then(|| found as f64 / exact as f64).into(),
        ]);
    }
    Measured { table, measurements }
}

fn document_of_growth(seed: Seed, number: u64) -> String {
    let mut own = seed.stream(&format!("near-duplicates/growth/{number}"));
    if number < 5 || !own.chance(0.2) {
        let mut text = String::new();
        Writer::new(seed, &format!("near-duplicates/growth-text/{number}")).text(60, 0.4, &mut text);
        return text;
    }
    // A copy of one of the originals; a copy of a copy would be followed back to its start.
    let mut original = own.below(number);
    while original >= 5 && seed.stream(&format!("near-duplicates/growth/{original}")).chance(0.2) {
        original -= 1;
    }
    let text = document_of_growth(seed, original);
    let changed: BTreeSet<u64> = (0..2).map(|_| own.below(60)).collect();
    let word = |(place, word): (u64, &str)| if changed.contains(&place) { "zzz".to_owned() } else { word.to_owned() };
    (0..).zip(text.split(' ')).map(word).collect::<Vec<_>>().join(" ")
}

/// How many sets are not empty, their mean size, and how many pairs reach .5, .7, .8, .9, .95 and 1.
pub fn counts(sets: &ShingleSets) -> (usize, f64, Vec<usize>) {
    let filled = sets.papers() - sets.empty().len();
    let ranked = RankedSets::new(sets);
    let half = Threshold::new(1, 2).expect("it is within 0 and 1");
    let pairs = join_all(&ranked, half, Join::Best).0;
    let reached = |part: u64| {
        let threshold = Threshold::new(part, 100).expect("it is within 0 and 1");
        let all = |x: u32, y: u32, common: u32| (ranked.size(x) + ranked.size(y)) as u64 - u64::from(common);
        pairs.iter().filter(|&&(x, y, common)| threshold.reached(common.into(), all(x, y, common))).count()
    };
    (filled, sets.total() as f64 / filled.max(1) as f64, [50, 70, 80, 90, 95, 100].map(reached).to_vec())
}

/// The shingles of the published counts: `[a-z0-9]+` of the lower-cased text, short texts have none; three words, or one of
/// these stop words and two words.
///
/// # Errors
/// Never for word shingles or a list that is not empty.
pub fn published(stop_words: Option<Vec<String>>) -> Result<Shingling, crate::text::ShingleError> {
    let (kind, size) = if stop_words.is_some() { (ShingleKind::StopWord, 2) } else { (ShingleKind::Words, 3) };
    ShingleParams {
        kind,
        size,
        words: WordRule::Ascii,
        stop_words,
        short: crate::text::ShortText::None,
        min_set: 1,
        ..ShingleParams::default()
    }
    .check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_word_shingles_tell_articles_from_furniture_and_word_shingles_do_not() {
        let table = wrapped_pages(12, &Run::default());
        let cell = |kind: &str, share: &str, case: &str, column: &str| {
            let column = table.column(column).unwrap();
            let row = table.rows().iter().find(|row| {
                [kind, share, case].iter().zip(&row[..3]).all(|(wanted, cell)| cell.to_string().starts_with(wanted))
            });
            row.unwrap()[column].number().unwrap()
        };
        // Half of the page is furniture.
        assert!(cell("stop word + 2", "0.5", "same article, other", "least") > 0.75);
        assert!(cell("stop word + 2", "0.5", "other article", "greatest") < 0.2);
        assert!(cell("words 3", "0.5", "same article, other", "greatest") < 0.5);
        assert!(cell("words 3", "0.5", "other article", "least") > 0.25);
        assert_eq!(table.rows().len(), 5 * 3 * 3);
    }

    #[test]
    fn joins_agree_and_their_recall_is_told() {
        let run = Run::default();
        let shingling = ShingleParams::default().check().unwrap();
        let sets = ShingleSets::make(300, |d| shingling.set(&document_of_growth(run.seed, d as u64)));
        let lambdas: Vec<Score> = ["0.5", "0.8", "0"].iter().map(|l| l.parse().unwrap()).collect();
        let found = joins(&sets, &lambdas, &run);
        assert_eq!((found.table.rows().len(), found.measurements.rows().len()), (18, 18));
        let recall = |name: &str| {
            let row = found.table.rows().iter().find(|r| r[0].to_string() == "0.500000" && r[1].to_string() == name);
            row.unwrap()[3].number().unwrap()
        };
        for join in Join::ALL.into_iter().filter(|j| j.is_complete()) {
            assert_eq!(recall(join.name()), 1.0, "{join:?}");
        }
        assert!(recall("minhash .99") >= 0.95);
    }

    #[test]
    fn growth_and_families_give_the_same_tables_again() {
        let run = Run::default();
        let once = growth(&[200, 400], &run).table;
        assert_eq!(once, growth(&[200, 400], &run).table);
        let pairs = once.rows()[1][4].number().unwrap();
        assert!(pairs > 20.0, "copies are found: {pairs}");
        let shingling = ShingleParams::default().check().unwrap();
        let sets = ShingleSets::make(300, |d| shingling.set(&document_of_growth(run.seed, d as u64)));
        let families = families(&sets, 64, &run);
        assert_eq!(families.table.rows().len(), 6);
        for row in &families.table.rows()[..4] {
            assert!(row[3].number().unwrap().abs() < 0.05, "{row:?}");
        }
    }
}
