//! Exact joins: every pair of sets whose Jaccard similarity reaches a threshold, without comparing all pairs.
//!
//! The four of Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.9.3 to 3.9.6, as the book has them, for
//! comparison; and one that puts together what is known since: lengths, prefixes and positions as in PPJoin (Xiao, Wang,
//! Lin and Yu, WWW 2008), an upper length for each position of the probing prefix, a bitmap of each set as in Sandes,
//! Teodoro and Melo ("Bitmap filter", Information Systems 2020), and a merge that stops when the threshold is out of reach.
//! For low thresholds, where prefixes are nearly whole sets, elements are counted list by list instead (ScanCount; Li, Lu
//! and Lu, ICDE 2008).
//!
//! All bounds are integers ([`Threshold`]). A set probes for the sets after it in the corpus, shorter or longer, so rows of
//! the upper triangle can be worked out in any order and on any number of threads. Empty sets are in no pair.

use serde::{Deserialize, Serialize};

use super::Threshold;
use super::sets::RankedSets;

/// Which index finds the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// [`Join::Bitmap`], or [`Join::Count`] below a threshold of .2.
    Best,
    /// Sets in the same bucket of lengths, where a bucket ends at the greatest length similar to its least: the students'
    /// substitute for hashing. **Not complete**: similar sets can lie in neighbouring buckets.
    SameBucket,
    /// Sets of lengths L with `J L_s <= L_t <= L_s / J` (3.9.3).
    Length,
    /// Sets with a common element among the rarest `floor((1 - J) L) + 1` of both (3.9.4).
    Prefix,
    /// The same, at positions that allow the threshold (3.9.5).
    Position,
    /// The same, and as many elements behind as the threshold needs (3.9.6, with the bucket that its example misses).
    PositionSuffix,
    /// Lengths, prefixes, positions and bitmaps.
    Bitmap,
    /// Counts common elements over whole lists.
    Count,
}

impl Join {
    /// All that can be compared, in the order of the book.
    pub const ALL: [Join; 7] =
        [Join::SameBucket, Join::Length, Join::Prefix, Join::Position, Join::PositionSuffix, Join::Bitmap, Join::Count];

    /// The name in tables and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Join::Best => "best",
            Join::SameBucket => "same-bucket",
            Join::Length => "length",
            Join::Prefix => "prefix",
            Join::Position => "position",
            Join::PositionSuffix => "position-suffix",
            Join::Bitmap => "bitmap",
            Join::Count => "count",
        }
    }

    /// Whether it finds every pair.
    pub fn is_complete(self) -> bool {
        self != Join::SameBucket
    }
}

/// A place where a set has an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    size: u32,
    set: u32,
    /// Position among all elements of the set, rarest first, from 0.
    position: u32,
}

/// Bits of a set's bitmap.
const BITS: usize = 256;
type Bitmap = [u64; BITS / 64];

/// An index of sets for one threshold.
#[derive(Debug)]
pub struct JoinIndex<'s> {
    sets: &'s RankedSets,
    threshold: Threshold,
    join: Join,
    /// The entries of element e are `entries[starts[e] .. starts[e + 1]]`.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// Sets that are not empty by size, then place.
    by_size: Vec<u32>,
    /// For each size, the first place in `by_size` of that size or more.
    first_of_size: Vec<u32>,
    bitmaps: Vec<Bitmap>,
    /// Whether common elements are compared with the smaller set instead of the union.
    contained: bool,
}

/// What one row needs to work in; one a thread.
#[derive(Debug)]
pub struct Space {
    /// `x + 1` where row x has met a set.
    met: Vec<u32>,
    counts: Vec<u32>,
    candidates: Vec<(u32, u32, u32)>,
    needed: Vec<u32>,
}

/// What a row, or all of them, cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Different pairs that the index offered.
    pub candidates: u64,
    /// Pairs whose sets were merged.
    pub verified: u64,
}

impl<'s> JoinIndex<'s> {
    /// Indexes the sets for a threshold. Space: 12 bytes for each shared element of a prefix.
    pub fn new(sets: &'s RankedSets, threshold: Threshold, join: Join) -> JoinIndex<'s> {
        let join = match join {
            Join::Best if threshold.value() < 0.2 => Join::Count,
            Join::Best => Join::Bitmap,
            other => other,
        };
        let mut by_size: Vec<u32> = (0..sets.len() as u32).filter(|&s| sets.size(s) > 0).collect();
        by_size.sort_by_key(|&s| (sets.size(s), s));
        let longest = by_size.last().map_or(0, |&s| sets.size(s));
        let mut first_of_size = vec![0u32; longest + 2];
        for &set in &by_size {
            first_of_size[sets.size(set) + 1] += 1;
        }
        for size in 1..first_of_size.len() {
            first_of_size[size] += first_of_size[size - 1];
        }
        let mut index = JoinIndex {
            sets,
            threshold,
            join,
            starts: Vec::new(),
            entries: Vec::new(),
            by_size,
            first_of_size,
            bitmaps: Vec::new(),
            contained: false,
        };
        match join {
            Join::SameBucket | Join::Length => {}
            Join::Count => index.post(&(0..sets.len() as u32).collect::<Vec<_>>(), |size| size),
            _ => {
                let order = std::mem::take(&mut index.by_size);
                index.post(&order, |size| threshold.prefix(size));
                index.by_size = order;
                index.arrange();
            }
        }
        if join == Join::Bitmap {
            index.bitmaps = (0..sets.len() as u32).map(|s| bitmap(sets.shared(s))).collect();
        }
        index
    }

    /// Indexes the sets for containment instead: common elements over the elements of the smaller set. Whole lists are
    /// counted, since lengths and prefixes of the larger set say nothing.
    pub fn contained(sets: &'s RankedSets, threshold: Threshold) -> JoinIndex<'s> {
        JoinIndex { contained: true, ..JoinIndex::new(sets, threshold, Join::Count) }
    }

    /// Which join it is after [`Join::Best`] has decided.
    pub fn join(&self) -> Join {
        self.join
    }

    /// Space for rows.
    pub fn space(&self) -> Space {
        Space {
            met: vec![0; self.sets.len()],
            counts: if self.join == Join::Count { vec![0; self.sets.len()] } else { Vec::new() },
            candidates: Vec::new(),
            needed: Vec::new(),
        }
    }

    /// Posts the shared elements among the first `prefix(size)` of every set, in the order given.
    fn post(&mut self, order: &[u32], prefix: impl Fn(usize) -> usize) {
        let sets = self.sets;
        let posted = |set: u32| {
            let (size, shared) = (sets.size(set), sets.shared(set));
            let alone = size - shared.len();
            &shared[..prefix(size).saturating_sub(alone).min(shared.len())]
        };
        let mut starts = vec![0usize; sets.frequencies().len() + 1];
        for &set in order {
            for &element in posted(set) {
                starts[element as usize + 1] += 1;
            }
        }
        for e in 1..starts.len() {
            starts[e] += starts[e - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![Entry { size: 0, set: 0, position: 0 }; starts[starts.len() - 1]];
        for &set in order {
            let size = sets.size(set) as u32;
            let alone = size - sets.shared(set).len() as u32;
            for (place, &element) in posted(set).iter().enumerate() {
                let at = &mut next[element as usize];
                entries[*at] = Entry { size, set, position: alone + place as u32 };
                *at += 1;
            }
        }
        (self.starts, self.entries) = (starts, entries);
    }

    /// The book's buckets (x, j) and (x, j, q) as ranges of x's list: sorted by j, then q.
    fn arrange(&mut self) {
        if !matches!(self.join, Join::Position | Join::PositionSuffix) {
            return;
        }
        for bounds in self.starts.windows(2) {
            self.entries[bounds[0]..bounds[1]].sort_unstable_by_key(|e| (e.position, e.size, e.set));
        }
    }

    fn list(&self, element: u32) -> &[Entry] {
        &self.entries[self.starts[element as usize]..self.starts[element as usize + 1]]
    }

    /// The sets of a range of sizes.
    fn of_sizes(&self, least: usize, most: usize) -> &[u32] {
        let place = |size: usize| self.first_of_size[size.min(self.first_of_size.len() - 1)] as usize;
        &self.by_size[place(least)..place(most.saturating_add(1)).max(place(least))]
    }

    /// The sets after `x` that reach the threshold with it, ascending, each with the number of common elements.
    pub fn later(&self, x: u32, space: &mut Space, found: &mut Vec<(u32, u32)>) -> Cost {
        found.clear();
        let size = self.sets.size(x);
        if size == 0 {
            return Cost::default();
        }
        match self.join {
            Join::Count => self.count(x, space, found),
            Join::Bitmap | Join::Best => self.bitmap_row(x, space, found),
            _ => self.book_row(x, space, found),
        }
    }

    fn book_row(&self, x: u32, space: &mut Space, found: &mut Vec<(u32, u32)>) -> Cost {
        let (sets, threshold) = (self.sets, self.threshold);
        let (size, shared) = (sets.size(x), sets.shared(x));
        let alone = size - shared.len();
        space.candidates.clear();
        let mut meet = |set: u32| {
            if set > x && space.met[set as usize] != x + 1 {
                space.met[set as usize] = x + 1;
                space.candidates.push((set, 0, 0));
            }
        };
        match self.join {
            Join::SameBucket => {
                let (least, most) = bucket(threshold, size);
                self.of_sizes(least, most).iter().for_each(|&set| meet(set));
            }
            Join::Length => {
                let (least, most) = (threshold.least_size(size), threshold.greatest_size(size));
                self.of_sizes(least, most).iter().for_each(|&set| meet(set));
            }
            _ => {
                let probes = threshold.prefix(size).saturating_sub(alone).min(shared.len());
                for (place, &element) in shared[..probes].iter().enumerate() {
                    // The book counts positions from 1.
                    let i = alone + place + 1;
                    let list = self.list(element);
                    match self.join {
                        Join::Prefix => list.iter().for_each(|e| meet(e.set)),
                        Join::Position => {
                            let last = threshold.last_position(size, i);
                            list.iter()
                                .take_while(|e| e.position as usize <= last.saturating_sub(1) && last > 0)
                                .for_each(|e| meet(e.set));
                        }
                        _ => {
                            for same in list.chunk_by(|a, b| (a.position, a.size) == (b.position, b.size)) {
                                let j = same[0].position as usize + 1;
                                if threshold.bucket_possible(size, i, j, same[0].size as usize - j) {
                                    same.iter().for_each(|e| meet(e.set));
                                }
                            }
                        }
                    }
                }
            }
        }
        for &(set, _, _) in &space.candidates {
            let needed = threshold.overlap(size, sets.size(set)) as u32;
            found.extend(merge(shared, sets.shared(set), needed).map(|common| (set, common)));
        }
        found.sort_unstable();
        let met = space.candidates.len() as u64;
        Cost { candidates: met, verified: met }
    }

    fn bitmap_row(&self, x: u32, space: &mut Space, found: &mut Vec<(u32, u32)>) -> Cost {
        let (sets, threshold) = (self.sets, self.threshold);
        let (size, shared) = (sets.size(x), sets.shared(x));
        let alone = size - shared.len();
        let (least, most) = (threshold.least_size(size), threshold.greatest_size(size));
        let longest = self.first_of_size.len().saturating_sub(2);
        space.needed.clear();
        space.needed.extend((least..=most.min(longest)).map(|y| threshold.overlap(size, y) as u32));
        space.candidates.clear();
        let mut cost = Cost::default();
        let probes = threshold.prefix(size).saturating_sub(alone).min(shared.len());
        for (place, &element) in shared[..probes].iter().enumerate() {
            let position = alone + place;
            // A set of this size or more needs more common elements than x has left.
            let most = threshold.greatest_size_at(size, position);
            let list = self.list(element);
            let start = list.partition_point(|e| (e.size as usize) < least);
            for entry in &list[start..] {
                if entry.size as usize > most {
                    break;
                }
                if entry.set <= x || space.met[entry.set as usize] == x + 1 {
                    continue;
                }
                // The first common element of both: if it comes too late here, no other can come early enough.
                space.met[entry.set as usize] = x + 1;
                let needed = space.needed[entry.size as usize - least];
                let left = (size - position).min((entry.size - entry.position) as usize);
                if left >= needed as usize {
                    space.candidates.push((entry.set, place as u32, entry.position));
                }
                cost.candidates += 1;
            }
        }
        let own = &self.bitmaps[x as usize];
        for &(set, place, position) in &space.candidates {
            let other_size = sets.size(set);
            let needed = space.needed[other_size - least];
            let other = sets.shared(set);
            let differing: u32 = own.iter().zip(&self.bitmaps[set as usize]).map(|(a, b)| (a ^ b).count_ones()).sum();
            // Each differing bit is an element that only one of them has.
            if (shared.len() + other.len()) as u32 - differing < 2 * needed {
                continue;
            }
            cost.verified += 1;
            let other_place = position as usize - (other_size - other.len());
            if let Some(common) = merge(&shared[place as usize..], &other[other_place..], needed) {
                found.push((set, common));
            }
        }
        found.sort_unstable();
        cost
    }

    fn count(&self, x: u32, space: &mut Space, found: &mut Vec<(u32, u32)>) -> Cost {
        let size = self.sets.size(x);
        space.candidates.clear();
        for &element in self.sets.shared(x) {
            let list = self.list(element);
            for entry in &list[list.partition_point(|e| e.set <= x)..] {
                let count = &mut space.counts[entry.set as usize];
                if *count == 0 {
                    space.candidates.push((entry.set, entry.size, 0));
                }
                *count += 1;
            }
        }
        for &(set, other, _) in &space.candidates {
            let common = std::mem::take(&mut space.counts[set as usize]);
            let of = if self.contained {
                u64::from(other).min(size as u64)
            } else {
                (size + other as usize) as u64 - u64::from(common)
            };
            if self.threshold.reached(common.into(), of) {
                found.push((set, common));
            }
        }
        found.sort_unstable();
        Cost { candidates: space.candidates.len() as u64, verified: 0 }
    }
}

/// The sizes of the bucket that a size lies in: each bucket ends at the greatest size similar to its least.
fn bucket(threshold: Threshold, size: usize) -> (usize, usize) {
    let mut least = 1;
    loop {
        let most = threshold.greatest_size(least);
        if size <= most {
            return (least, most);
        }
        least = most + 1;
    }
}

/// The number of common elements of two ascending lists, or `None` as soon as fewer than `needed` are certain.
pub fn merge<T: Ord>(x: &[T], y: &[T], needed: u32) -> Option<u32> {
    let (mut i, mut j, mut common) = (0, 0, 0u32);
    // So many elements of each may go by without a partner.
    let mut spare_x = x.len() as i64 - i64::from(needed);
    let mut spare_y = y.len() as i64 - i64::from(needed);
    while i < x.len() && j < y.len() {
        match x[i].cmp(&y[j]) {
            std::cmp::Ordering::Equal => {
                common += 1;
                i += 1;
                j += 1;
            }
            std::cmp::Ordering::Less => {
                i += 1;
                spare_x -= 1;
            }
            std::cmp::Ordering::Greater => {
                j += 1;
                spare_y -= 1;
            }
        }
        if spare_x < 0 || spare_y < 0 {
            return None;
        }
    }
    (common >= needed).then_some(common)
}

fn bitmap(shared: &[u32]) -> Bitmap {
    let mut bits = Bitmap::default();
    for &element in shared {
        let place = (element.wrapping_mul(0x9e37_79b1) >> 24) as usize;
        bits[place / 64] ^= 1 << (place % 64);
    }
    bits
}

/// All pairs that a join finds, ascending, with the numbers of common elements, and what it cost. On all threads; holds all
/// pairs, for experiments and tests.
pub fn join_all(sets: &RankedSets, threshold: Threshold, join: Join) -> (Vec<(u32, u32, u32)>, Cost) {
    use rayon::prelude::*;
    let index = JoinIndex::new(sets, threshold, join);
    let rows: Vec<(Vec<(u32, u32)>, Cost)> = (0..sets.len() as u32)
        .into_par_iter()
        .map_init(
            || index.space(),
            |space, x| {
                let mut found = Vec::new();
                let cost = index.later(x, space, &mut found);
                (found, cost)
            },
        )
        .collect();
    let mut all = Cost::default();
    let mut pairs = Vec::new();
    for (x, (found, cost)) in rows.into_iter().enumerate() {
        all.candidates += cost.candidates;
        all.verified += cost.verified;
        pairs.extend(found.into_iter().map(|(y, common)| (x as u32, y, common)));
    }
    (pairs, all)
}

#[cfg(test)]
mod tests {
    use super::super::sets::tests::{common, random_sets};
    use super::*;
    use crate::corpus::PaperId;
    use crate::text::ShingleSets;

    fn brute_force(sets: &ShingleSets, threshold: Threshold) -> Vec<(u32, u32, u32)> {
        let papers = sets.papers() as u32;
        let mut pairs = Vec::new();
        for x in 0..papers {
            for y in x + 1..papers {
                let both = common(sets, x, y);
                let all = sets.of(PaperId(x)).len() + sets.of(PaperId(y)).len() - both;
                if threshold.reached(both as u64, all as u64) {
                    pairs.push((x, y, both as u32));
                }
            }
        }
        pairs
    }

    #[test]
    fn every_join_finds_every_pair() {
        for seed in 0..40 {
            let sets = random_sets(60, [8, 40, 300][seed as usize % 3], seed);
            let ranked = RankedSets::new(&sets);
            for (part, whole) in [(1, 10), (1, 3), (1, 2), (2, 3), (4, 5), (9, 10), (11, 20), (99, 100), (1, 1)] {
                let threshold = Threshold::new(part, whole).unwrap();
                let truth = brute_force(&sets, threshold);
                for join in Join::ALL.into_iter().chain([Join::Best]) {
                    let (pairs, cost) = join_all(&ranked, threshold, join);
                    if join.is_complete() {
                        assert_eq!(pairs, truth, "{join:?} at {part}/{whole}, sets {seed}");
                    } else {
                        assert!(pairs.iter().all(|p| truth.contains(p)));
                    }
                    assert!(cost.candidates >= pairs.len() as u64);
                }
            }
        }
    }

    #[test]
    fn the_pair_that_the_example_of_the_book_misses_is_found() {
        // acdefghijk and cdefghijkl: J = 9/11; letters are ranked by the alphabet, so the sets are laid by hand.
        let letters = |text: &str| -> Vec<u64> { text.bytes().map(|b| u64::from(b) << 56).collect() };
        let texts = ["acdefghijk", "cdefghijkl", "a", "l"];
        let sets = ShingleSets::make(4, |p| letters(texts[p]));
        let ranked = RankedSets::new(&sets);
        for join in [Join::Position, Join::PositionSuffix, Join::Bitmap] {
            let (pairs, _) = join_all(&ranked, Threshold::new(8, 10).unwrap(), join);
            assert_eq!(pairs, [(0, 1, 9)], "{join:?}");
        }
    }

    #[test]
    fn each_index_offers_fewer_candidates_than_the_one_before() {
        let sets = random_sets(400, 60, 77);
        let ranked = RankedSets::new(&sets);
        let threshold = Threshold::new(4, 5).unwrap();
        let offered = |join| join_all(&ranked, threshold, join).1;
        let (prefix, position, suffix) =
            (offered(Join::Prefix), offered(Join::Position), offered(Join::PositionSuffix));
        assert!(prefix.candidates > position.candidates && position.candidates > suffix.candidates);
        let best = offered(Join::Bitmap);
        assert!(best.verified <= suffix.verified, "{best:?} {suffix:?}");
    }
}
