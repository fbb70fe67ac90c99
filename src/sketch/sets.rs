//! Sets whose elements are numbered from the rarest to the commonest: what exact joins work on.
//!
//! An element that only one set has can be common to no two sets: it counts in the set's size and is kept nowhere else.
//! In word 3-shingles of abstracts these are most elements, so the ranked sets are far smaller than the hashed ones.

use rayon::prelude::*;

use crate::corpus::PaperId;
use crate::text::ShingleSets;

/// The sets of a corpus with elements as ranks: 0 is the rarest that two sets share, ties by hash.
#[derive(Clone, Debug, Default)]
pub struct RankedSets {
    /// All elements of each set, shared or not.
    sizes: Vec<u32>,
    starts: Vec<usize>,
    /// Shared elements of each set, ascending: rarest first.
    ranks: Vec<u32>,
    /// In how many sets each shared element is.
    frequencies: Vec<u32>,
}

/// Elements that at least two sets have, ascending by hash, with the number of sets.
struct Shared {
    hashes: Vec<u64>,
    frequencies: Vec<u32>,
    /// Where the hashes with these leading bits begin.
    index: Vec<u32>,
    shift: u32,
}

impl Shared {
    fn of(sets: &ShingleSets) -> Shared {
        let all = sets.hashes();
        // Partitions of about a thousand hashes sort in the first cache.
        let bits = (all.len() / 1024).max(2).ilog2().clamp(1, 16);
        let part = |hash: u64| (hash >> (64 - bits)) as usize;
        let mut ends = vec![0usize; (1 << bits) + 1];
        for &hash in all {
            ends[part(hash) + 1] += 1;
        }
        for p in 1..ends.len() {
            ends[p] += ends[p - 1];
        }
        let mut next = ends.clone();
        let mut sorted = vec![0u64; all.len()];
        for &hash in all {
            let place = &mut next[part(hash)];
            sorted[*place] = hash;
            *place += 1;
        }
        let mut parts = Vec::with_capacity(1 << bits);
        let mut rest = sorted.as_mut_slice();
        for bounds in ends.windows(2) {
            let (one, others) = rest.split_at_mut(bounds[1] - bounds[0]);
            parts.push(one);
            rest = others;
        }
        let found: Vec<Vec<(u64, u32)>> = parts
            .into_par_iter()
            .map(|part| {
                part.sort_unstable();
                part.chunk_by(|x, y| x == y).filter(|run| run.len() > 1).map(|run| (run[0], run.len() as u32)).collect()
            })
            .collect();
        drop(sorted);
        let total = found.iter().map(Vec::len).sum();
        let (mut hashes, mut frequencies) = (Vec::with_capacity(total), Vec::with_capacity(total));
        for (hash, frequency) in found.into_iter().flatten() {
            hashes.push(hash);
            frequencies.push(frequency);
        }
        // About four hashes under each entry of the index.
        let bits = (hashes.len() / 4).max(2).ilog2();
        let shift = 64 - bits;
        let mut index = vec![0u32; (1 << bits) + 1];
        for &hash in &hashes {
            index[(hash >> shift) as usize + 1] += 1;
        }
        for p in 1..index.len() {
            index[p] += index[p - 1];
        }
        Shared { hashes, frequencies, index, shift }
    }

    fn place(&self, hash: u64) -> Option<usize> {
        let part = (hash >> self.shift) as usize;
        let start = self.index[part] as usize;
        let found = self.hashes[start..self.index[part + 1] as usize].binary_search(&hash);
        found.ok().map(|at| start + at)
    }

    /// The rank of each place: rarest first, ties by hash. Counting sort, so time linear in the elements.
    fn ranks(&self) -> (Vec<u32>, Vec<u32>) {
        let most = self.frequencies.iter().max().map_or(0, |&f| f as usize);
        let mut next = vec![0u32; most + 2];
        for &frequency in &self.frequencies {
            next[frequency as usize + 1] += 1;
        }
        for f in 1..next.len() {
            next[f] += next[f - 1];
        }
        let mut frequencies = vec![0; self.frequencies.len()];
        let ranks = self
            .frequencies
            .iter()
            .map(|&frequency| {
                let rank = next[frequency as usize];
                next[frequency as usize] += 1;
                frequencies[rank as usize] = frequency;
                rank
            })
            .collect();
        (ranks, frequencies)
    }
}

impl RankedSets {
    /// Numbers the elements of sets. Time O(n log n) in their total size n, space 8 n bytes while it works.
    pub fn new(sets: &ShingleSets) -> RankedSets {
        const CHUNK: usize = 256;
        let shared = Shared::of(sets);
        let (by_place, frequencies) = shared.ranks();
        let papers = sets.papers();
        let chunks: Vec<(Vec<u32>, Vec<u32>)> = (0..papers.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let (mut ranks, mut lengths) = (Vec::new(), Vec::with_capacity(CHUNK));
                for paper in chunk * CHUNK..((chunk + 1) * CHUNK).min(papers) {
                    let start = ranks.len();
                    let set = sets.of(PaperId(paper as u32));
                    ranks.extend(set.iter().filter_map(|&hash| shared.place(hash).map(|at| by_place[at])));
                    ranks[start..].sort_unstable();
                    lengths.push((ranks.len() - start) as u32);
                }
                ranks.shrink_to_fit();
                (ranks, lengths)
            })
            .collect();
        let mut ranked = RankedSets {
            sizes: (0..papers as u32).map(|p| sets.of(PaperId(p)).len() as u32).collect(),
            starts: vec![0],
            ranks: Vec::with_capacity(chunks.iter().map(|(r, _)| r.len()).sum()),
            frequencies,
        };
        let mut end = 0;
        for (ranks, lengths) in chunks {
            ranked.ranks.extend_from_slice(&ranks);
            for length in lengths {
                end += length as usize;
                ranked.starts.push(end);
            }
        }
        ranked
    }

    /// How many sets there are, empty ones too.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// How many elements a set has.
    pub fn size(&self, set: u32) -> usize {
        self.sizes[set as usize] as usize
    }

    /// The elements that other sets have too, rarest first.
    pub fn shared(&self, set: u32) -> &[u32] {
        &self.ranks[self.starts[set as usize]..self.starts[set as usize + 1]]
    }

    /// In how many sets the shared element of each rank is, ascending.
    pub fn frequencies(&self) -> &[u32] {
        &self.frequencies
    }

    /// How many elements two sets have in common.
    pub fn common(&self, x: u32, y: u32) -> u32 {
        let (mut x, mut y) = (self.shared(x), self.shared(y));
        let mut common = 0;
        while let (Some(&a), Some(&b)) = (x.first(), y.first()) {
            common += u32::from(a == b);
            x = &x[usize::from(a <= b)..];
            y = &y[usize::from(b <= a)..];
        }
        common
    }

    /// Elements that more than half of the sets have, if these are at least four: boilerplate.
    pub fn boilerplate(&self) -> Option<Boilerplate> {
        let sets = self.sizes.iter().filter(|&&s| s > 0).count();
        let common = self.frequencies.len() - self.frequencies.partition_point(|&f| f as usize * 2 <= sets);
        if sets < 4 || common == 0 {
            return None;
        }
        let least = (self.frequencies.len() - common) as u32;
        let inside: usize = self.ranks.iter().filter(|&&r| r >= least).count();
        let all: u64 = self.sizes.iter().map(|&s| u64::from(s)).sum();
        let top = self.frequencies.last().copied().unwrap_or(0);
        Some(Boilerplate { shingles: common, top: top as usize, sets, share: inside as f64 / all as f64 })
    }
}

/// How much of the sets is in most of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boilerplate {
    /// Elements that are in more than half of the sets.
    pub shingles: usize,
    /// How many sets have the commonest one.
    pub top: usize,
    /// Sets that are not empty.
    pub sets: usize,
    /// Their share in all elements of all sets.
    pub share: f64,
}

/// The sets without the elements that are in more than `share` of the sets that are not empty. A set may become empty.
pub fn without_common(sets: &ShingleSets, share: f64) -> ShingleSets {
    let shared = Shared::of(sets);
    let filled = (0..sets.papers() as u32).filter(|&p| !sets.of(PaperId(p)).is_empty()).count();
    let most = (share * filled as f64).floor() as u32;
    ShingleSets::make(sets.papers(), |paper| {
        let keep = |hash: &u64| shared.place(*hash).is_none_or(|at| shared.frequencies[at] <= most);
        sets.of(PaperId(paper as u32)).iter().copied().filter(keep).collect()
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::seed::Seed;

    /// Random sets in which near copies are frequent, some of them empty.
    pub fn random_sets(papers: usize, words: u64, seed: u64) -> ShingleSets {
        let mut stream = Seed(seed).stream("test/sets");
        let mut all: Vec<Vec<u64>> = Vec::new();
        for _ in 0..papers {
            let mut set: Vec<u64> = if all.is_empty() || stream.chance(0.4) {
                (0..stream.below(25)).map(|_| stream.below(words)).collect()
            } else {
                all[stream.below(all.len() as u64) as usize].clone()
            };
            for _ in 0..stream.below(4) {
                if !set.is_empty() && stream.chance(0.5) {
                    set.remove(stream.below(set.len() as u64) as usize);
                } else {
                    set.push(stream.below(words));
                }
            }
            all.push(set);
        }
        let hash = |e: u64| xxhash_rust::xxh3::xxh3_64(&e.to_le_bytes());
        ShingleSets::make(papers, |p| all[p].iter().map(|&e| hash(e)).collect())
    }

    /// The common elements of two sets, counted one by one.
    pub fn common(sets: &ShingleSets, x: u32, y: u32) -> usize {
        sets.of(PaperId(x)).iter().filter(|e| sets.of(PaperId(y)).contains(e)).count()
    }

    #[test]
    fn ranks_keep_sizes_and_common_elements() {
        for words in [6, 60, 4000] {
            let sets = random_sets(80, words, words);
            let ranked = RankedSets::new(&sets);
            assert_eq!(ranked.len(), 80);
            assert!(ranked.frequencies().is_sorted() && ranked.frequencies().iter().all(|&f| f > 1));
            for x in 0..80 {
                assert_eq!(ranked.size(x), sets.of(PaperId(x)).len());
                assert!(ranked.shared(x).is_sorted());
                for y in 0..80 {
                    if x != y {
                        assert_eq!(ranked.common(x, y) as usize, common(&sets, x, y));
                    }
                }
            }
        }
    }

    #[test]
    fn boilerplate_is_seen_and_can_be_taken_out() {
        // Sets of 10 with 6 elements that all have, 1 that three of the five have.
        let sets = ShingleSets::make(5, |p| {
            let own = (0..3).map(|e| 100 * (p as u64 + 1) + e);
            (0..6).chain([if p < 3 { 50 } else { 60 + p as u64 }]).chain(own).map(|e| e << 50 | e).collect()
        });
        let found = RankedSets::new(&sets).boilerplate().unwrap();
        assert_eq!((found.shingles, found.top, found.sets), (7, 5, 5));
        assert!((found.share - 33.0 / 50.0).abs() < 1e-12);
        let left = without_common(&sets, 0.7);
        assert_eq!((left.total(), RankedSets::new(&left).frequencies()), (20, &[3][..]));
        assert!(RankedSets::new(&ShingleSets::make(3, |_| vec![1])).boilerplate().is_none());
    }
}
