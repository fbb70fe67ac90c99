//! The experiments on shingles, MinHash and exact joins: each gives a table that does not depend on the machine, and where
//! time is the question a second one with the measurements.
//!
//! The story is the Stanford news case in Mining of Massive Datasets (3.2.4, 3.3.5, 3.9): stop-word shingles let the article
//! outweigh the page around it; buckets of lengths were the students' first substitute for hashing; hashing won below 80 %,
//! exact methods above; their first MinHash was slow because it went column by column.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::time::Instant;

use rayon::prelude::*;

use crate::corpus::PaperId;
use crate::progress::Run;
use crate::seed::{Seed, Stream};
use crate::similarity::Score;
use crate::sketch::Threshold;
use crate::sketch::bands::{BandIndex, Bands};
use crate::sketch::joins::{Join, join_all, merge};
use crate::sketch::minhash::{Family, MinHash, Rows};
use crate::sketch::sets::RankedSets;
use crate::table::{Cell, Table};
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
pub fn wrapped_pages(articles: u64, run: &Run) -> Measured {
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
    Measured { table, keys: 3, measurements: Table::default() }
}

/// Results that every machine gives, and times that only this one does.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Counts and rates.
    pub table: Table,
    /// The first so many columns of the table say what a row is about.
    pub keys: usize,
    /// Seconds, on the threads of the caller's pool; without columns where time is not the question.
    pub measurements: Table,
}

/// The seconds of what needs less than one of them are the least of three runs: other work on the machine only adds.
fn timed<T>(work: impl Fn() -> T) -> (T, f64) {
    let once = || {
        let start = Instant::now();
        let found = work();
        (found, start.elapsed().as_secs_f64())
    };
    let (found, mut least) = once();
    for _ in 0..if least < 1.0 { 2 } else { 0 } {
        least = once().1.min(least);
    }
    (found, least)
}

/// Buckets of lengths, MinHash and every exact join on the same sets, at each threshold: pairs found, recall, candidates
/// offered, sets merged; and their times. Preparing is what does not depend on the threshold: the numbering of the sets'
/// elements for joins, signatures for MinHash.
///
/// MinHash has 128 components and bands for a recall of .95 and of .99 at the threshold; its classical form has as many
/// independent functions.
///
/// Columns: threshold, method, pairs, recall, candidates, verified; and threshold, method, preparing_seconds, seconds (all).
pub fn joins(sets: &ShingleSets, thresholds: &[Score], run: &Run) -> Measured {
    let mut table = Table::new(["threshold", "method", "pairs", "recall", "candidates", "verified"]);
    let mut measurements = Table::new(["threshold", "method", "preparing_seconds", "seconds"]);
    let hashed = [
        ("minhash .95", Family::Rounds, 0.95),
        ("minhash .99", Family::Rounds, 0.99),
        ("minhash, classical, .99", Family::Universal, 0.99),
    ];
    let runs = thresholds.len() * (Join::ALL.len() + hashed.len());
    let task = run.progress.start("joins", Some(runs as u64), "runs");
    let (ranked, numbering) = timed(|| RankedSets::new(sets));
    let sign = |family| timed(|| MinHash::new(family, 128, run.seed).signatures(sets));
    let signed = [sign(Family::Rounds), sign(Family::Universal)];
    for &lambda in thresholds {
        let Some(threshold) = Threshold::at(lambda) else { continue };
        let truth = join_all(&ranked, threshold, Join::Bitmap).0.len();
        let mut row = |name: &str, pairs: usize, candidates: u64, verified: u64, preparing: f64, seconds: f64| {
            let recall = (truth > 0).then(|| pairs as f64 / truth as f64);
            let first = || vec![lambda.to_string().into(), name.into()];
            table.push([first(), vec![pairs.into(), recall.into(), candidates.into(), verified.into()]].concat());
            measurements.push([first(), vec![preparing.into(), (preparing + seconds).into()]].concat());
            task.advance(1);
        };
        for join in Join::ALL {
            let ((pairs, cost), seconds) = timed(|| join_all(&ranked, threshold, join));
            // Lengths need no numbers, but sets of shared elements are merged faster.
            row(join.name(), pairs.len(), cost.candidates, cost.verified, numbering, seconds);
        }
        for (name, family, recall) in hashed {
            let (signatures, preparing) = &signed[usize::from(family == Family::Universal)];
            let bands = Bands::choose(128, lambda.value(), recall);
            let ((pairs, candidates), seconds) =
                timed(|| verified_pairs(sets, &BandIndex::new(signatures, bands), threshold));
            row(name, pairs, candidates, candidates, *preparing, seconds);
        }
    }
    Measured { table, keys: 2, measurements }
}

/// The pairs that reach the threshold among those that share a band, and how many share one.
fn verified_pairs(sets: &ShingleSets, index: &BandIndex, threshold: Threshold) -> (usize, u64) {
    verified_pairs_of(sets.papers(), index, threshold, |document| Cow::Borrowed(sets.of(PaperId(document))))
}

/// The same for sets that are made when they are needed.
fn verified_pairs_of<'s>(
    documents: usize,
    index: &BandIndex,
    threshold: Threshold,
    set: impl Fn(u32) -> Cow<'s, [u64]> + Sync,
) -> (usize, u64) {
    (0..documents as u32)
        .into_par_iter()
        .map_init(Vec::new, |candidates, x| {
            index.later(x, candidates);
            if candidates.is_empty() {
                return (0, 0);
            }
            let own = set(x);
            let similar = candidates.iter().filter(|&&y| {
                let other = set(y);
                merge(&own, &other, threshold.overlap(own.len(), other.len()) as u32).is_some()
            });
            (similar.count(), candidates.len() as u64)
        })
        .reduce(|| (0, 0), |x, y| (x.0 + y.0, x.1 + y.1))
}

const FAMILIES: [(&str, Family); 3] =
    [("n functions", Family::Universal), ("one permutation", Family::OnePermutation), ("rounds", Family::Rounds)];

/// How well the families of signatures estimate, on random sets of several sizes with known similarity: mean error and root
/// of the mean square error of the estimate, beside that of n independent components; how many pairs share a band, where
/// bands are those for a recall of .99 at .8, beside the rate that the formula expects.
///
/// Columns: shingles, jaccard, family, pairs, mean_error, root_mean_square_error, expected_error, candidate_rate,
/// expected_rate; and shingles, jaccard, family, nanoseconds a shingle.
pub fn families(components: usize, pairs: u64, run: &Run) -> Measured {
    let mut table = Table::new([
        "shingles",
        "jaccard",
        "family",
        "pairs",
        "mean_error",
        "root_mean_square_error",
        "expected_error",
        "candidate_rate",
        "expected_rate",
    ]);
    let mut measurements = Table::new(["shingles", "jaccard", "family", "nanoseconds"]);
    let bands = Bands::choose(components, 0.8, 0.99);
    // Of two sets of 9 c elements with 8 c in common the similarity is .8, with 6 c it is .5.
    for (size, common) in [(9u64, 8u64), (9, 6), (45, 40), (45, 30), (153, 136), (153, 102), (603, 536), (603, 402)] {
        let truth = common as f64 / (2 * size - common) as f64;
        let sets = ShingleSets::make(2 * pairs as usize, |place| {
            let (pair, second) = (place as u64 / 2, place as u64 % 2);
            let name = |part: &str| format!("near-duplicates/families/{size}/{common}/{pair}/{part}");
            let draw = |part: &str, count: u64| {
                let mut stream = run.seed.stream(&name(part));
                (0..count).map(move |_| stream.below(u64::MAX)).collect::<Vec<u64>>()
            };
            let own = draw(if second == 0 { "first" } else { "second" }, size - common);
            [draw("both", common), own].concat()
        });
        for (name, family) in FAMILIES {
            let minhash = MinHash::new(family, components, run.seed);
            let (signatures, seconds) = timed(|| minhash.signatures(&sets));
            let errors: Vec<f64> = (0..pairs as u32)
                .filter_map(|pair| Some(signatures.estimate(2 * pair, 2 * pair + 1)? - truth))
                .collect();
            let mean = |of: &dyn Fn(f64) -> f64| {
                (!errors.is_empty()).then(|| errors.iter().map(|&e| of(e)).sum::<f64>() / errors.len() as f64)
            };
            let index = BandIndex::new(&signatures, bands);
            let mut later = Vec::new();
            let found = (0..pairs as u32).filter(|pair| {
                index.later(2 * pair, &mut later);
                later.contains(&(2 * pair + 1))
            });
            let found = found.count();
            let first = || vec![size.into(), truth.into(), name.into()];
            let measured = vec![
                errors.len().into(),
                mean(&|e| e).into(),
                mean(&|e| e * e).map(f64::sqrt).into(),
                (truth * (1.0 - truth) / components as f64).sqrt().into(),
                (pairs > 0).then(|| found as f64 / pairs as f64).into(),
                bands.candidate_rate(truth).into(),
            ];
            table.push([first(), measured].concat());
            let all = sets.total() as f64;
            measurements.push([first(), vec![(all > 0.0).then(|| seconds * 1e9 / all).into()]].concat());
        }
    }
    Measured { table, keys: 3, measurements }
}

/// Row by row against column by column (3.3.5 of the book), with a hash of one multiplication and with one that reads a
/// string, on one thread. Row by row computes the hashes of each different shingle once, and pays for it: the shingles
/// have to be arranged, and for each occurrence n values are read and written somewhere in memory, which column by column
/// stay in registers.
///
/// Columns: hash, order, documents, occurrences, different, hashes (computed), values (laid against a signature in memory);
/// and hash, order, arranging_seconds, seconds (all).
pub fn orders(sets: &ShingleSets, components: usize, run: &Run) -> Measured {
    let mut table = Table::new(["hash", "order", "documents", "occurrences", "different", "hashes", "values"]);
    let mut measurements = Table::new(["hash", "order", "arranging_seconds", "seconds"]);
    let (rows, arranging) = timed(|| Rows::of(sets));
    let (occurrences, different, n) = (sets.total(), rows.different(), components);
    let minhash = MinHash::new(Family::Universal, components, run.seed);
    let hash_string = |shingle: u64, hashes: &mut [u32]| {
        // 24 bytes, as long as a shingle of three short words.
        let mut text = [0u8; 24];
        text.chunks_exact_mut(8).for_each(|part| part.copy_from_slice(&shingle.to_le_bytes()));
        for (seed, hash) in hashes.iter_mut().enumerate() {
            *hash = (xxhash_rust::xxh3::xxh3_64_with_seed(&text, seed as u64) >> 32) as u32;
        }
    };
    let by_column = || {
        let mut signer = minhash.signer();
        let mut signature = vec![0; n];
        let filled = (0..sets.papers() as u32).map(|d| sets.of(PaperId(d))).filter(|set| !set.is_empty());
        filled.for_each(|set| signer.sign(set, &mut signature));
        signature
    };
    let strings_by_column = || {
        let mut hashes = vec![0; n];
        let mut signature = vec![u32::MAX; n];
        for document in 0..sets.papers() as u32 {
            signature.fill(u32::MAX);
            for &shingle in sets.of(PaperId(document)) {
                hash_string(shingle, &mut hashes);
                signature.iter_mut().zip(&hashes).for_each(|(least, &hash)| *least = hash.min(*least));
            }
        }
        signature
    };
    let mut row = |hash: &str, order: &str, by_row: bool, seconds: f64| {
        let first = || vec![hash.into(), order.into()];
        let hashes = n * if by_row { different } else { occurrences };
        let laid = if by_row { n * occurrences } else { n * sets.papers() };
        let counts = [sets.papers(), occurrences, different, hashes, laid];
        table.push(first().into_iter().chain(counts.map(Cell::from)).collect());
        let arranging = if by_row { arranging } else { 0.0 };
        measurements.push([first(), vec![arranging.into(), (arranging + seconds).into()]].concat());
    };
    row("a multiplication", "column by column", false, timed(by_column).1);
    row("a multiplication", "row by row", true, timed(|| minhash.signatures_by_row(&rows)).1);
    row("of a string", "column by column", false, timed(strings_by_column).1);
    row("of a string", "row by row", true, timed(|| rows.lay(n, hash_string)).1);
    Measured { table, keys: 2, measurements }
}

/// Which ways are followed as a corpus grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ways {
    /// MinHash alone: no set is kept, those of candidates are made anew.
    MinHash,
    /// The exact join alone.
    Exact,
    /// Both, and the recall of the first.
    Both,
}

/// How work grows with the corpus: generated documents of 60 words, one in five a copy of an earlier one with two words
/// changed, through MinHash (128 components, bands for a recall of .99) and the exact join at .8.
///
/// Columns: documents, candidates, minhash_pairs, exact_pairs, recall; and documents, stage, seconds.
pub fn growth(sizes: &[usize], ways: Ways, run: &Run) -> Measured {
    let mut table = Table::new(["documents", "candidates", "minhash_pairs", "exact_pairs", "recall"]);
    let mut measurements = Table::new(["documents", "stage", "seconds"]);
    let lambda = Score::from_millionths(800_000).expect("it is within 0 and 1");
    let threshold = Threshold::at(lambda).expect("it is above 0");
    let shingling = ShingleParams::default().check().expect("the parameters are fixed");
    for &size in sizes {
        let texts: Vec<String> =
            (0..size as u64).into_par_iter().map(|number| document_of_growth(run.seed, number)).collect();
        let mut stage = |name: &str, start: Instant| {
            measurements.push(vec![size.into(), name.into(), start.elapsed().as_secs_f64().into()]);
        };
        let hashed = (ways != Ways::Exact).then(|| {
            let start = Instant::now();
            let minhash = MinHash::new(Family::Rounds, 128, run.seed);
            let signatures = minhash.stream(size, |document, set| shingling.fill(&texts[document], set));
            stage("minhash: cut and sign", start);
            let start = Instant::now();
            let index = BandIndex::new(&signatures, Bands::choose(128, lambda.value(), 0.99));
            stage("minhash: index", start);
            let start = Instant::now();
            let set = |document: u32| Cow::Owned(shingling.set(&texts[document as usize]));
            let found = verified_pairs_of(size, &index, threshold, set);
            stage("minhash: verify", start);
            found
        });
        let exact = (ways != Ways::MinHash).then(|| {
            let start = Instant::now();
            let sets = ShingleSets::make(size, |document| shingling.set(&texts[document]));
            stage("exact join: cut", start);
            let start = Instant::now();
            let ranked = RankedSets::new(&sets);
            drop(sets);
            stage("exact join: number", start);
            let start = Instant::now();
            let found = join_all(&ranked, threshold, Join::Bitmap).0.len();
            stage("exact join: join", start);
            found
        });
        let recall = hashed.zip(exact).filter(|(_, exact)| *exact > 0);
        table.push(vec![
            size.into(),
            hashed.map(|(_, candidates)| candidates).into(),
            hashed.map(|(pairs, _)| pairs).into(),
            exact.into(),
            recall.map(|((pairs, _), exact)| pairs as f64 / exact as f64).into(),
        ]);
    }
    Measured { table, keys: 1, measurements }
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
        let table = wrapped_pages(12, &Run::default()).table;
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
        assert_eq!((found.table.rows().len(), found.measurements.rows().len()), (20, 20));
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
    fn growth_gives_the_same_table_again_and_each_way_its_part() {
        let run = Run::default();
        let once = growth(&[200, 400], Ways::Both, &run).table;
        assert_eq!(once, growth(&[200, 400], Ways::Both, &run).table);
        let cell = |table: &Table, column: &str| table.rows()[1][table.column(column).unwrap()].number();
        let pairs = cell(&once, "exact_pairs").unwrap();
        assert!(pairs > 20.0, "copies are found: {pairs}");
        assert!(cell(&once, "recall").unwrap() > 0.9);
        for (ways, there, missing) in
            [(Ways::MinHash, "minhash_pairs", "exact_pairs"), (Ways::Exact, "exact_pairs", "minhash_pairs")]
        {
            let alone = growth(&[200, 400], ways, &run).table;
            assert_eq!((cell(&alone, there), cell(&alone, missing)), (cell(&once, there), None));
            assert_eq!(cell(&alone, "recall"), None);
        }
    }

    #[test]
    fn families_err_as_expected_and_densified_small_sets_more() {
        let found = families(128, 300, &Run::default()).table;
        assert_eq!(found.rows().len(), 8 * 3);
        let number = |row: &[Cell], column: &str| row[found.column(column).unwrap()].number().unwrap();
        for row in found.rows() {
            let (error, expected) = (number(row, "root_mean_square_error"), number(row, "expected_error"));
            let (rate, formula) = (number(row, "candidate_rate"), number(row, "expected_rate"));
            let densified = row[2].to_string() == "one permutation" && number(row, "shingles") < 128.0;
            assert!(error < if densified { 1.5 } else { 1.2 } * expected, "{row:?}");
            assert!((rate - formula).abs() < 0.1, "{row:?}");
        }
        let error = |row: usize| number(&found.rows()[row], "root_mean_square_error");
        assert!(error(1) > error(0) && error(0) > error(2), "one permutation, n functions, rounds on sets of 9");
    }

    #[test]
    fn rows_save_hashes_where_documents_share_shingles() {
        let shingling = ShingleParams { size: 1, ..ShingleParams::default() }.check().unwrap();
        let sets = ShingleSets::make(100, |d| shingling.set(&document_of_growth(Seed(1), d as u64)));
        let found = orders(&sets, 16, &Run::default());
        let numbers =
            |row: usize| -> Vec<f64> { found.table.rows()[row][2..].iter().map(|c| c.number().unwrap()).collect() };
        let (column, row) = (numbers(0), numbers(1));
        assert_eq!(column[..3], row[..3]);
        assert_eq!((column[3], row[3]), (16.0 * column[1], 16.0 * column[2]));
        assert!(row[3] * 1.5 < column[3] && row[4] > column[4]);
        assert_eq!(found.measurements.rows().len(), 4);
    }
}
