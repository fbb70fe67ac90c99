//! Blocking: which pairs of records are worth comparing. No pass is quadratic: every block is small, or is made small by
//! further keys, or is walked with a narrow window.

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::compare::first_surname;
use super::fold::compact;
use super::normal::Record;
use super::words::{Taken, known};

/// A block of at most so many records is compared as a whole.
const WHOLE: usize = 24;
/// In a block that no key makes smaller, each record is compared with so many that follow it in the order of contents.
const WINDOW: usize = 12;

/// A pair of places, the smaller first.
pub(super) type Candidate = (u32, u32);

/// The pairs of the records `standing` that share at least one key, ascending, each once.
pub(super) fn candidates(records: &[Record], standing: &[u32], order: &[u32]) -> Vec<Candidate> {
    let mut rank = vec![0u32; records.len()];
    for (place, &record) in order.iter().enumerate() {
        rank[record as usize] = place as u32;
    }
    let counts = document_frequencies(records);
    let mut pairs: Vec<Candidate> = Vec::new();
    for family in 0..FAMILIES {
        let mut keyed: Vec<(u64, u32)> = standing
            .par_iter()
            .fold(Vec::new, |mut keyed, &place| {
                keys(family, &records[place as usize], &counts, &mut |hash| keyed.push((hash, place)));
                keyed
            })
            .reduce(Vec::new, |mut all, more| {
                all.extend(more);
                all
            });
        keyed.par_sort_unstable();
        keyed.dedup();
        let blocks: Vec<&[(u64, u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).filter(|block| block.len() > 1).collect();
        let found: Vec<Vec<Candidate>> = blocks
            .par_iter()
            .with_min_len(256)
            .fold(Vec::new, |mut found, block| {
                let members: Vec<u32> = block.iter().map(|&(_, place)| place).collect();
                walk(records, &rank, members, 0, &mut found);
                found
            })
            .collect();
        for more in found {
            pairs.extend(more);
        }
        pairs.par_sort_unstable();
        pairs.dedup();
    }
    pairs
}

/// How many titles have each word.
fn document_frequencies(records: &[Record]) -> FxHashMap<u64, u32> {
    let mut counts = FxHashMap::default();
    let mut seen: Vec<u64> = Vec::new();
    for record in records {
        seen.clear();
        seen.extend(record.title.tokens.iter().filter(|word| !word.is(known::FUNCTION)).map(|word| word.hash));
        seen.sort_unstable();
        seen.dedup();
        for &word in &seen {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    counts
}

const FAMILIES: u32 = 8;

fn hash(parts: &[&[u8]]) -> u64 {
    parts.iter().fold(0, |seed, part| xxh3_64_with_seed(part, seed))
}

/// The keys of one family that a record has.
fn keys(family: u32, record: &Record, counts: &FxHashMap<u64, u32>, give: &mut impl FnMut(u64)) {
    let surname = first_surname(record).unwrap_or("").as_bytes();
    let first_page = record.pages.as_ref().map(|pages| pages.first.number.to_le_bytes());
    match family {
        // Identifiers.
        0 => {
            if let Some(doi) = &record.doi {
                give(hash(&[b"doi", doi.as_bytes()]));
            }
            for (name, id) in [(b"pmid", record.pmid), (b"pmc_", record.pmcid)] {
                if let Some(id) = id {
                    give(hash(&[name, &id.to_le_bytes()]));
                }
            }
            if let Some(id) = &record.arxiv {
                give(hash(&[b"arxiv", id.as_bytes()]));
            }
        }
        // Whole titles and translations, and the beginnings of their words in any order.
        1 => {
            for title in [&record.title.words, &record.title.translation] {
                if !title.is_empty() {
                    give(hash(&[compact(title).as_bytes()]));
                }
            }
            let title = Taken { text: &record.title.words, tokens: &record.title.tokens };
            let mut stems: Vec<&str> = (0..record.title.tokens.len())
                .filter(|&at| !record.title.tokens[at].is(known::FUNCTION))
                .map(|at| title.word(at))
                .map(|w| w.char_indices().nth(4).map_or(w, |(end, _)| &w[..end]))
                .collect();
            stems.sort_unstable();
            if !stems.is_empty() {
                give(hash(&[b"stems", stems.concat().as_bytes()]));
            }
        }
        // Pairs of the rarest words that another title has too.
        2 | 3 => {
            let mut words: Vec<(u32, u64)> = record
                .title
                .tokens
                .iter()
                .filter_map(|word| counts.get(&word.hash).filter(|count| **count > 1).map(|count| (*count, word.hash)))
                .collect();
            words.sort_unstable();
            words.dedup();
            if family == 2 {
                words.truncate(5);
                for (at, x) in words.iter().enumerate() {
                    for y in &words[at + 1..] {
                        give(hash(&[&x.1.min(y.1).to_le_bytes(), &x.1.max(y.1).to_le_bytes()]));
                    }
                }
            } else if !surname.is_empty() {
                for (_, word) in words.iter().take(3) {
                    give(hash(&[&word.to_le_bytes(), surname]));
                }
            }
        }
        // The place in a journal.
        4 => {
            if let Some(page) = first_page {
                if !surname.is_empty() {
                    give(hash(&[b"person", surname, &page]));
                }
                if !record.volume.is_empty() {
                    give(hash(&[b"volume", record.volume.as_bytes(), &page]));
                }
            }
        }
        // People: the first two authors in any order with the year, the first with volume and issue.
        5 => {
            if let [one, two, ..] = &*record.names.list {
                let (x, y) = ((&one.surname).min(&two.surname), (&one.surname).max(&two.surname));
                give(hash(&[b"two", x.as_bytes(), y.as_bytes(), &record.year.unwrap_or(0).to_le_bytes()]));
            }
        }
        6 => {
            if !surname.is_empty() && !record.volume.is_empty() {
                give(hash(&[
                    surname,
                    record.volume.as_bytes(),
                    record.number.as_bytes(),
                    &record.year.unwrap_or(0).to_le_bytes(),
                ]));
            }
        }
        // Abstracts: similar ones share their least hashes.
        _ => {
            for least in record.sketch.iter().take(3) {
                give(u64::from(*least));
            }
        }
    }
}

/// The keys that make a block smaller, in this order.
fn refined(level: u32, record: &Record) -> u64 {
    let surname = first_surname(record).unwrap_or("").as_bytes();
    match level {
        0 => hash(&[compact(&record.title.words).as_bytes()]),
        1 => hash(&[surname, &record.year.unwrap_or(0).to_le_bytes()]),
        2 => hash(&[
            &record.pages.as_ref().map_or(0, |pages| pages.first.number).to_le_bytes(),
            record.volume.as_bytes(),
            record.number.as_bytes(),
        ]),
        _ => hash(&[record.doi.as_deref().unwrap_or("").as_bytes(), record.venue.words.as_bytes()]),
    }
}
const LEVELS: u32 = 4;

fn walk(records: &[Record], rank: &[u32], mut members: Vec<u32>, level: u32, found: &mut Vec<Candidate>) {
    let pair = |x: u32, y: u32| (x.min(y), x.max(y));
    if members.len() <= WHOLE {
        for (at, &x) in members.iter().enumerate() {
            found.extend(members[at + 1..].iter().map(|&y| pair(x, y)));
        }
        return;
    }
    // A narrow window over the order of contents ties together what the finer keys part.
    members.sort_unstable_by_key(|&m| rank[m as usize]);
    let window = if level == LEVELS { WINDOW } else { 2 };
    for (at, &x) in members.iter().enumerate() {
        found.extend(members[at + 1..].iter().take(window).map(|&y| pair(x, y)));
    }
    if level == LEVELS {
        return;
    }
    let mut keyed: Vec<(u64, u32)> = members.iter().map(|&m| (refined(level, &records[m as usize]), m)).collect();
    keyed.sort_unstable_by_key(|&(key, m)| (key, rank[m as usize]));
    for block in keyed.chunk_by(|a, b| a.0 == b.0).filter(|block| block.len() > 1) {
        walk(records, rank, block.iter().map(|&(_, m)| m).collect(), level + 1, found);
    }
}
