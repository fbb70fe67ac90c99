//! MinHash signatures: components that two sets have in common with the probability of their Jaccard similarity.
//!
//! Broder, "On the resemblance and containment of documents" (1997); Leskovec, Rajaraman and Ullman, Mining of Massive
//! Datasets, 3.3. Three families:
//!
//! * [`Family::Universal`]: n hash functions `(a x + b mod 2^64) >> 32` of the shingle's first 32 bits, a strongly universal
//!   family (Dietzfelbinger 1996); the minimum of each over the set. Time n a shingle.
//! * [`Family::OnePermutation`]: one hash puts each shingle into one of n bins, the minimum of each bin is kept (Li, Owen
//!   and Zhang 2012), empty bins copy another by optimal densification (Shrivastava 2017). Time 1 a shingle. In sets smaller
//!   than n the components depend on each other: their estimates err up to a fifth more (`results/near-families`).
//! * [`Family::Rounds`]: the same in rounds until no bin is empty (fast similarity sketching, Dahlgaard, Knudsen and Thorup
//!   2017): concentrated as well as n independent functions, for sets of any size, in time n log n + 1 a shingle. The default.
//!
//! All are the same bytes on any thread count and on every kernel.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kernels::{self, Kernel, mix};
use crate::corpus::PaperId;
use crate::seed::Seed;
use crate::text::ShingleSets;

/// How the components of a signature are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// n universal hash functions.
    Universal,
    /// One permutation in n bins, empty ones copied from others.
    OnePermutation,
    /// One permutation after the other until all bins are filled.
    Rounds,
}

/// The signatures of all documents. Space: 4 n bytes a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signatures {
    components: usize,
    values: Vec<u32>,
    /// Documents whose set is empty have no signature.
    empty: Vec<bool>,
}

/// Hash functions drawn for one seed.
#[derive(Clone, Debug)]
pub struct MinHash {
    family: Family,
    components: usize,
    multipliers: Vec<u64>,
    addends: Vec<u64>,
    /// One key a round, for the two other families.
    keys: Vec<u64>,
    kernel: Kernel,
}

impl MinHash {
    /// Draws the functions of a family.
    ///
    /// # Panics
    /// If there are no components, or more than 2^16.
    pub fn new(family: Family, components: usize, seed: Seed) -> MinHash {
        use rand::RngCore;
        assert!((1..=1 << 16).contains(&components), "from 1 to 65,536 components");
        let mut stream = seed.stream("sketch/minhash");
        let mut draw = |count: usize| -> Vec<u64> { (0..count).map(|_| stream.next_u64()).collect() };
        match family {
            Family::Universal => MinHash {
                family,
                components,
                multipliers: draw(components).into_iter().map(|a| a | 1).collect(),
                addends: draw(components),
                keys: Vec::new(),
                kernel: Kernel::Fastest,
            },
            _ => MinHash {
                family,
                components,
                multipliers: Vec::new(),
                addends: Vec::new(),
                keys: draw(2 * components),
                kernel: Kernel::Fastest,
            },
        }
    }

    /// The same functions by the plain kernel that every machine has: the same bytes, for measurement.
    pub fn plain(self) -> MinHash {
        MinHash { kernel: Kernel::Plain, ..self }
    }

    /// The signatures of all sets, column by column: one set after the other, on all threads.
    pub fn signatures(&self, sets: &ShingleSets) -> Signatures {
        let fill = |document: usize, set: &mut Vec<u64>| set.extend_from_slice(sets.of(PaperId(document as u32)));
        self.stream(sets.papers(), fill)
    }

    /// The signatures of documents whose shingles are kept nowhere: `fill` puts those of a document into an empty list, in
    /// any order, some perhaps several times. The same bytes as from their sets.
    pub fn stream(&self, documents: usize, fill: impl Fn(usize, &mut Vec<u64>) + Sync) -> Signatures {
        const CHUNK: usize = 64;
        let mut values = vec![0u32; documents * self.components];
        let mut empty = vec![false; documents];
        let chunks = values.par_chunks_mut(self.components * CHUNK).zip(empty.par_chunks_mut(CHUNK)).enumerate();
        chunks.for_each_init(
            || (Scratch::new(self.components), Vec::new()),
            |(scratch, set), (chunk, (values, empty))| {
                for (place, signature) in values.chunks_exact_mut(self.components).enumerate() {
                    set.clear();
                    fill(chunk * CHUNK + place, set);
                    empty[place] = set.is_empty();
                    if !set.is_empty() {
                        self.one(set, signature, scratch);
                    }
                }
            },
        );
        Signatures { components: self.components, values, empty }
    }

    /// Signs one document after the other on one thread.
    pub fn signer(&self) -> Signer<'_> {
        Signer { minhash: self, scratch: Scratch::new(self.components) }
    }

    /// The same signatures row by row (3.3.5 of the book): each different shingle is hashed once, and its hashes are then
    /// laid against the signature of every document that has it. For [`Family::Universal`] only; on one thread.
    ///
    /// It saves where hashes are dear and documents share many shingles. A hash of one multiplication is cheaper than to
    /// read and write a value of a signature that lies somewhere in memory.
    ///
    /// # Panics
    /// For another family.
    pub fn signatures_by_row(&self, rows: &Rows) -> Signatures {
        assert_eq!(self.family, Family::Universal, "only independent functions are laid row by row");
        let hash = |shingle, hashes: &mut [u32]| {
            kernels::universal(self.kernel, &self.multipliers, &self.addends, shingle, hashes)
        };
        let mut values = rows.lay(self.components, hash);
        for (signature, _) in values.chunks_exact_mut(self.components).zip(&rows.empty).filter(|(_, e)| **e) {
            signature.fill(0);
        }
        Signatures { components: self.components, values, empty: rows.empty.clone() }
    }

    /// The signature of one set that is not empty: shingles in any order, some perhaps several times.
    fn one(&self, set: &[u64], signature: &mut [u32], scratch: &mut Scratch) {
        if self.family == Family::Universal {
            kernels::universal_minima(self.kernel, &self.multipliers, &self.addends, set, signature);
            return;
        }
        signature.fill(FREE);
        self.round(0, set, signature, scratch);
        if self.family == Family::Rounds {
            let mut round = 1;
            while signature.contains(&FREE) {
                self.round(round, set, signature, scratch);
                round += 1;
            }
        } else if signature.contains(&FREE) {
            self.densify(signature);
        }
    }

    /// One round: fills the bins that no earlier round filled. From round n on, round n + i puts every shingle into bin i,
    /// so that there are never more than 2 n rounds.
    ///
    /// All bins take part, without a branch for those that are filled already; then the free ones take what came.
    fn round(&self, round: usize, set: &[u64], signature: &mut [u32], scratch: &mut Scratch) {
        let key = self.keys[round];
        // The greatest value is the mark of a free bin.
        let value = |hash: u64| (hash as u32).min(FREE - 1);
        if let Some(bin) = round.checked_sub(self.components) {
            if signature[bin] == FREE {
                signature[bin] = set.iter().map(|&x| value(mix(x ^ key))).min().expect("the set is not empty");
            }
            return;
        }
        let Scratch { bins, hashes } = scratch;
        bins.fill(FREE);
        for part in set.chunks(hashes.len()) {
            let hashes = &mut hashes[..part.len()];
            kernels::mixed(self.kernel, part, key, hashes);
            for &hash in &*hashes {
                // The upper half chooses the bin, the lower half is the value.
                let bin = (((hash >> 32) * self.components as u64) >> 32) as usize;
                bins[bin] = bins[bin].min(value(hash));
            }
        }
        for (component, &fresh) in signature.iter_mut().zip(&*bins) {
            *component = if *component == FREE { fresh } else { *component };
        }
    }

    /// Each free bin asks bins in a random order of its own, the same for all sets, and copies the first that is filled.
    fn densify(&self, signature: &mut [u32]) {
        let n = self.components as u64;
        let filled = signature.to_vec();
        for (bin, component) in (0u64..).zip(signature).filter(|(_, c)| **c == FREE) {
            let mut asked = (0u64..).map(|attempt| {
                let hash = mix(self.keys[1] ^ (bin << 32) ^ attempt);
                filled[(((hash >> 32) * n) >> 32) as usize]
            });
            *component = asked.find(|&other| other != FREE).expect("some bin is filled");
        }
    }
}

/// Signs documents one by one: see [`MinHash::signer`].
pub struct Signer<'m> {
    minhash: &'m MinHash,
    scratch: Scratch,
}

impl Signer<'_> {
    /// The signature of a set that is not empty: shingles in any order, some perhaps several times.
    ///
    /// # Panics
    /// If the set is empty, or the signature has not as many components as the functions.
    pub fn sign(&mut self, set: &[u64], signature: &mut [u32]) {
        assert!(!set.is_empty() && signature.len() == self.minhash.components, "a set and room for its signature");
        self.minhash.one(set, signature, &mut self.scratch);
    }
}

/// Sets as rows of the book's matrix: for each shingle the documents that have it.
#[derive(Clone, Debug)]
pub struct Rows {
    rows: Vec<(u64, u32)>,
    empty: Vec<bool>,
}

impl Rows {
    /// Arranges sets as rows. Time O(n log n), space 16 n bytes for sets of n shingles in all.
    pub fn of(sets: &ShingleSets) -> Rows {
        let mut rows: Vec<(u64, u32)> = Vec::with_capacity(sets.total());
        for document in 0..sets.papers() as u32 {
            rows.extend(sets.of(PaperId(document)).iter().map(|&shingle| (shingle, document)));
        }
        rows.sort_unstable();
        Rows { rows, empty: (0..sets.papers() as u32).map(|d| sets.of(PaperId(d)).is_empty()).collect() }
    }

    /// How many different shingles there are.
    pub fn different(&self) -> usize {
        self.rows.chunk_by(|x, y| x.0 == y.0).count()
    }

    /// The minima of `components` hash functions over every set, shingle by shingle: `hash` is called once for each
    /// different shingle. A set without shingles keeps `u32::MAX`.
    pub fn lay(&self, components: usize, hash: impl Fn(u64, &mut [u32])) -> Vec<u32> {
        let mut minima = vec![u32::MAX; self.empty.len() * components];
        let mut hashes = vec![0u32; components];
        for row in self.rows.chunk_by(|x, y| x.0 == y.0) {
            hash(row[0].0, &mut hashes);
            for &(_, document) in row {
                let signature = &mut minima[document as usize * components..][..components];
                for (least, &hash) in signature.iter_mut().zip(&hashes) {
                    *least = hash.min(*least);
                }
            }
        }
        minima
    }
}

/// A bin that no shingle has come to: more than any value.
const FREE: u32 = u32::MAX;

struct Scratch {
    bins: Vec<u32>,
    /// Hashes of some shingles at a time.
    hashes: [u64; 128],
}

impl Scratch {
    fn new(components: usize) -> Scratch {
        Scratch { bins: vec![FREE; components], hashes: [0; 128] }
    }
}

impl Signatures {
    /// Components of a signature.
    pub fn components(&self) -> usize {
        self.components
    }

    /// How many documents there are.
    pub fn documents(&self) -> usize {
        self.empty.len()
    }

    /// A document's signature; `None` if its set is empty: empty sets are similar to nothing, not to each other.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn of(&self, document: u32) -> Option<&[u32]> {
        let document = document as usize;
        (!self.empty[document]).then(|| &self.values[document * self.components..][..self.components])
    }

    /// The share of equal components: an unbiased estimate of the Jaccard similarity with variance `J (1 - J) / n`.
    pub fn estimate(&self, x: u32, y: u32) -> Option<f64> {
        let (x, y) = (self.of(x)?, self.of(y)?);
        let equal = x.iter().zip(y).filter(|(x, y)| x == y).count();
        Some(equal as f64 / self.components as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets of `size` shingles, neighbours sharing `common`.
    fn pair_sets(size: u64, common: u64, pairs: u64) -> ShingleSets {
        ShingleSets::make(2 * pairs as usize, |i| {
            let (pair, second) = (i as u64 / 2, i as u64 % 2);
            (0..size).map(|e| mix(pair << 40 | if e < common { e } else { (second + 1) << 20 | e })).collect()
        })
    }

    #[test]
    fn figure_3_4_of_the_book() {
        // Rows 0 to 4, h1 = x + 1 mod 5, h2 = 3 x + 1 mod 5.
        let columns: [&[u64]; 4] = [&[0, 3], &[2], &[1, 3, 4], &[0, 2, 3]];
        let sets = ShingleSets::make(4, |column| columns[column].to_vec());
        let minima = Rows::of(&sets).lay(2, |x, hashes| {
            hashes[0] = (x as u32 + 1) % 5;
            hashes[1] = (3 * x as u32 + 1) % 5;
        });
        assert_eq!(minima, [1, 0, 3, 2, 0, 0, 1, 0]);
    }

    #[test]
    fn estimates_are_unbiased_in_every_family_and_for_small_sets() {
        for family in [Family::Universal, Family::OnePermutation, Family::Rounds] {
            for (size, common) in [(5u64, 3u64), (40, 30), (600, 200)] {
                let sets = pair_sets(size, common, 300);
                let truth = common as f64 / (2 * size - common) as f64;
                let signatures = MinHash::new(family, 128, Seed(3)).signatures(&sets);
                let estimates: Vec<f64> = (0..300).map(|p| signatures.estimate(2 * p, 2 * p + 1).unwrap()).collect();
                let mean = estimates.iter().sum::<f64>() / 300.0;
                // Densified components depend on each other: their variance is that of the set, not of 128 draws.
                let spread = if family == Family::OnePermutation { 0.045 } else { 0.012 };
                assert!((mean - truth).abs() < spread, "{family:?}, {size} shingles: {mean} for {truth}");
                if family != Family::OnePermutation {
                    let variance = estimates.iter().map(|e| (e - truth).powi(2)).sum::<f64>() / 300.0;
                    let theory = truth * (1.0 - truth) / 128.0;
                    assert!(variance < 1.5 * theory, "{family:?}, {size} shingles: variance {variance}, {theory}");
                }
            }
        }
    }

    #[test]
    fn row_by_row_gives_the_same_bytes() {
        let sets = ShingleSets::make(40, |i| (0..i as u64 % 9 * 7).map(|e| mix(e * (1 + i as u64 % 3))).collect());
        let minhash = MinHash::new(Family::Universal, 100, Seed(9));
        let columns = minhash.signatures(&sets);
        assert_eq!(columns, minhash.signatures_by_row(&Rows::of(&sets)));
        assert!(columns.of(0).is_none() && columns.of(1).is_some());
        assert_eq!(columns.estimate(0, 9), None);
    }

    #[test]
    fn signatures_do_not_depend_on_threads() {
        let sets = pair_sets(50, 20, 200);
        for family in [Family::Universal, Family::OnePermutation, Family::Rounds] {
            let minhash = MinHash::new(family, 64, Seed(4));
            let of = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| minhash.signatures(&sets))
            };
            assert_eq!(of(1), of(5));
            assert_eq!(of(1), minhash.clone().plain().signatures(&sets), "on every kernel");
            assert_ne!(of(1), MinHash::new(family, 64, Seed(5)).signatures(&sets));
        }
    }

    #[test]
    fn one_shingle_fills_all_components() {
        let sets = ShingleSets::make(2, |_| vec![77]);
        for family in [Family::Universal, Family::OnePermutation, Family::Rounds] {
            for components in [1, 2, 128] {
                let signatures = MinHash::new(family, components, Seed(1)).signatures(&sets);
                assert_eq!(signatures.estimate(0, 1), Some(1.0));
            }
        }
    }
}
