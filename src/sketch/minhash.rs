//! MinHash signatures: components that two sets have in common with the probability of their Jaccard similarity.
//!
//! Broder, "On the resemblance and containment of documents" (1997); Leskovec, Rajaraman and Ullman, Mining of Massive
//! Datasets, 3.3. Three families:
//!
//! * [`Family::Universal`]: n hash functions `(a x + b mod 2^64) >> 32` of the shingle's first 32 bits, a strongly universal
//!   family (Dietzfelbinger 1996); the minimum of each over the set. Time n a shingle.
//! * [`Family::OnePermutation`]: one hash puts each shingle into one of n bins, the minimum of each bin is kept (Li, Owen
//!   and Zhang 2012), empty bins copy another by optimal densification (Shrivastava 2017). Time 1 a shingle, but the
//!   components of small sets depend on each other, so that more pairs are missed than the bands' formula says.
//! * [`Family::Rounds`]: the same in rounds until no bin is empty (fast similarity sketching, Dahlgaard, Knudsen and Thorup
//!   2017): concentrated as well as n independent functions, for sets of any size, in time n log n + 1 a shingle. The default.
//!
//! All are the same bytes on any thread count and on every kernel.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::kernels;
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
            },
            _ => {
                MinHash { family, components, multipliers: Vec::new(), addends: Vec::new(), keys: draw(2 * components) }
            }
        }
    }

    /// The signatures of all sets, column by column: one set after the other, on all threads.
    pub fn signatures(&self, sets: &ShingleSets) -> Signatures {
        let documents = sets.papers();
        let mut values = vec![0u32; documents * self.components];
        values.par_chunks_mut(self.components * 64).enumerate().for_each(|(chunk, values)| {
            let mut scratch = Scratch::new(self.components);
            for (place, signature) in values.chunks_exact_mut(self.components).enumerate() {
                let set = sets.of(PaperId((chunk * 64 + place) as u32));
                if !set.is_empty() {
                    self.one(set, signature, &mut scratch);
                }
            }
        });
        let empty = (0..documents as u32).map(|d| sets.of(PaperId(d)).is_empty()).collect();
        Signatures { components: self.components, values, empty }
    }

    /// The same signatures row by row (3.3.5 of the book): each different shingle is hashed once, and its hashes are then
    /// laid against the signature of every document that has it. For [`Family::Universal`] only; on one thread.
    ///
    /// Whether it is quicker depends on what costs more: the n hashes of a shingle, or reading and writing the n values
    /// of a signature that lies somewhere in memory.
    ///
    /// # Panics
    /// For another family.
    pub fn signatures_by_row(&self, sets: &ShingleSets) -> Signatures {
        assert_eq!(self.family, Family::Universal, "only independent functions are laid row by row");
        let hash = |shingle, hashes: &mut [u32]| kernels::universal(&self.multipliers, &self.addends, shingle, hashes);
        let mut minima = lay_rows(sets, self.components, hash);
        let empty: Vec<bool> = (0..sets.papers() as u32).map(|d| sets.of(PaperId(d)).is_empty()).collect();
        for (signature, _) in minima.chunks_exact_mut(self.components).zip(&empty).filter(|(_, e)| **e) {
            signature.fill(0);
        }
        Signatures { components: self.components, values: minima, empty }
    }

    /// The signature of one set that is not empty.
    fn one(&self, set: &[u64], signature: &mut [u32], scratch: &mut Scratch) {
        match self.family {
            Family::Universal => kernels::universal_minima(&self.multipliers, &self.addends, set, signature),
            Family::OnePermutation => {
                let free = self.round(0, set, signature, scratch);
                if free > 0 {
                    self.densify(signature, scratch);
                }
            }
            Family::Rounds => {
                let mut free = self.round(0, set, signature, scratch);
                let mut round = 1;
                while free > 0 {
                    free = self.round(round, set, signature, scratch);
                    round += 1;
                }
            }
        }
    }

    /// One round: fills the bins that no earlier round filled and says how many are left. From round n on, round n + i puts
    /// every shingle into bin i, so that there are never more than 2 n rounds.
    fn round(&self, round: usize, set: &[u64], signature: &mut [u32], scratch: &mut Scratch) -> usize {
        let key = self.keys[round];
        let n = self.components as u64;
        let stamp = round as u32 + 1;
        if round == 0 {
            scratch.filled.fill(0);
        }
        if let Some(bin) = round.checked_sub(self.components) {
            if scratch.filled[bin] == 0 {
                signature[bin] = set.iter().map(|&x| mix(x ^ key) as u32).min().expect("the set is not empty");
                scratch.filled[bin] = stamp;
            }
        } else {
            for &shingle in set {
                let hash = mix(shingle ^ key);
                // The upper half chooses the bin, the lower half is the value.
                let bin = (((hash >> 32) * n) >> 32) as usize;
                let value = hash as u32;
                if scratch.filled[bin] == 0 {
                    scratch.filled[bin] = stamp;
                    signature[bin] = value;
                } else if scratch.filled[bin] == stamp {
                    signature[bin] = signature[bin].min(value);
                }
            }
        }
        scratch.filled.iter().filter(|&&f| f == 0).count()
    }

    /// Each empty bin asks bins in a random order of its own, the same for all sets, and copies the first that is filled.
    fn densify(&self, signature: &mut [u32], scratch: &Scratch) {
        let n = self.components as u64;
        for bin in 0..self.components {
            if scratch.filled[bin] != 0 {
                continue;
            }
            let mut attempt = 0u64;
            loop {
                let hash = mix(self.keys[1] ^ ((bin as u64) << 32) ^ attempt);
                let other = (((hash >> 32) * n) >> 32) as usize;
                if scratch.filled[other] != 0 {
                    signature[bin] = signature[other];
                    break;
                }
                attempt += 1;
            }
        }
    }
}

/// The minima of `components` hash functions over every set, shingle by shingle: `hash` is called once for each different
/// shingle. A set without shingles keeps `u32::MAX`.
fn lay_rows(sets: &ShingleSets, components: usize, hash: impl Fn(u64, &mut [u32])) -> Vec<u32> {
    let mut rows: Vec<(u64, u32)> = Vec::with_capacity(sets.total());
    for document in 0..sets.papers() as u32 {
        rows.extend(sets.of(PaperId(document)).iter().map(|&shingle| (shingle, document)));
    }
    rows.sort_unstable();
    let mut minima = vec![u32::MAX; sets.papers() * components];
    let mut hashes = vec![0u32; components];
    for row in rows.chunk_by(|x, y| x.0 == y.0) {
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

struct Scratch {
    /// The round in which a bin was filled, from 1; 0 is empty.
    filled: Vec<u32>,
}

impl Scratch {
    fn new(components: usize) -> Scratch {
        Scratch { filled: vec![0; components] }
    }
}

/// A bijection of 64 bits in which every bit depends on every bit (the finisher of MurmurHash3).
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
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
        let minima = lay_rows(&sets, 2, |x, hashes| {
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
        assert_eq!(columns, minhash.signatures_by_row(&sets));
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
