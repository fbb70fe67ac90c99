//! SimHash: 64 bits a set, where similar sets differ in few; and the search for all pairs within a Hamming distance.
//!
//! Charikar, STOC 2002; Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007 (tables of
//! blocks); Norouzi, Punjani and Fleet, "Fast search in Hamming space with multi-index hashing", CVPR 2012.

use rustc_hash::FxHashMap;

use crate::corpus::PaperId;
use crate::text::ShingleSets;

/// Bits of a hash.
pub const BITS: u32 = 64;

/// The SimHash of a set: bit b is 1 if more than half of the elements' hashes have a 1 there. Of an empty set 0.
pub fn simhash(set: &[u64]) -> u64 {
    let mut ones = [0u32; BITS as usize];
    for &hash in set {
        for (bit, ones) in ones.iter_mut().enumerate() {
            *ones += (hash >> bit & 1) as u32;
        }
    }
    let most = |&(_, &ones): &(usize, &u32)| ones as usize * 2 > set.len();
    ones.iter().enumerate().filter(most).fold(0, |bits, (bit, _)| bits | 1 << bit)
}

/// The SimHash of every set, `None` for empty ones. On all threads.
pub fn simhashes(sets: &ShingleSets) -> Vec<Option<u64>> {
    use rayon::prelude::*;
    (0..sets.papers() as u32)
        .into_par_iter()
        .map(|paper| Some(sets.of(PaperId(paper))).filter(|set| !set.is_empty()).map(simhash))
        .collect()
}

/// Finds all hashes within a distance. Hashes are cut into blocks: of two within k bits of each other, some block differs in
/// at most k / blocks bits, so all values that near are looked up in the block's table. The number of blocks is the one with
/// the least expected work; where looking at every hash is less, there are none. Complete in any case.
#[derive(Debug)]
pub struct HammingIndex<'h> {
    hashes: &'h [Option<u64>],
    distance: u32,
    /// Bits that a block may differ in.
    radius: u32,
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Block {
    shift: u32,
    bits: u32,
    /// Places in `members` of each value of the block.
    places: FxHashMap<u64, (u32, u32)>,
    /// Papers by value, ascending within each.
    members: Vec<u32>,
}

impl Block {
    fn value(&self, hash: u64) -> u64 {
        hash >> self.shift & ((1u128 << self.bits) - 1) as u64
    }
}

impl<'h> HammingIndex<'h> {
    /// Indexes hashes for all pairs at most `distance` bits apart.
    pub fn new(hashes: &'h [Option<u64>], distance: u32) -> HammingIndex<'h> {
        let papers = hashes.len() as f64;
        let mut best = (papers / 2.0, 0, 0);
        for count in 2..=16u32 {
            let (bits, radius) = (BITS / count, distance / count);
            let values: f64 = (0..=radius.min(bits)).map(|ones| binomial(bits, ones)).sum();
            // A lookup costs about as much as looking at ten hashes.
            let work = f64::from(count) * values * (10.0 + papers / libm::exp2(bits.into()));
            if work < best.0 {
                best = (work, count, radius);
            }
        }
        let (_, count, radius) = best;
        let mut blocks = Vec::new();
        for number in 0..count {
            let (shift, end) = (BITS * number / count, BITS * (number + 1) / count);
            let mut block = Block { shift, bits: end - shift, places: FxHashMap::default(), members: Vec::new() };
            let mut order: Vec<(u64, u32)> =
                hashes.iter().zip(0..).filter_map(|(hash, paper)| Some((block.value((*hash)?), paper))).collect();
            order.sort_unstable();
            for same in order.chunk_by(|x, y| x.0 == y.0) {
                let start = block.members.len() as u32;
                block.members.extend(same.iter().map(|&(_, paper)| paper));
                block.places.insert(same[0].0, (start, start + same.len() as u32));
            }
            blocks.push(block);
        }
        HammingIndex { hashes, distance, radius, blocks }
    }

    /// The papers after `x` within the distance, ascending, with their distances; and how many hashes were compared.
    pub fn later(&self, x: u32, found: &mut Vec<(u32, u32)>) -> u64 {
        found.clear();
        let Some(own) = self.hashes[x as usize] else { return 0 };
        let mut compared = 0;
        let mut compare = |paper: u32| {
            if let Some(other) = self.hashes[paper as usize] {
                compared += 1;
                let distance = (own ^ other).count_ones();
                if distance <= self.distance {
                    found.push((paper, distance));
                }
            }
        };
        if self.blocks.is_empty() {
            (x + 1..self.hashes.len() as u32).for_each(compare);
            return compared;
        }
        for block in &self.blocks {
            for_each_within(block.value(own), block.bits, self.radius, &mut |value| {
                if let Some(&(start, end)) = block.places.get(&value) {
                    let members = &block.members[start as usize..end as usize];
                    members[members.partition_point(|&m| m <= x)..].iter().for_each(|&m| compare(m));
                }
            });
        }
        found.sort_unstable();
        found.dedup();
        compared
    }
}

/// All values of `bits` bits at most `radius` bits from `value`.
fn for_each_within(value: u64, bits: u32, radius: u32, visit: &mut impl FnMut(u64)) {
    fn flip(value: u64, from: u32, bits: u32, left: u32, visit: &mut impl FnMut(u64)) {
        visit(value);
        if left > 0 {
            for bit in from..bits {
                flip(value ^ 1 << bit, bit + 1, bits, left - 1, visit);
            }
        }
    }
    flip(value, 0, bits, radius, visit);
}

fn binomial(n: u32, k: u32) -> f64 {
    (0..k).fold(1.0, |product, i| product * f64::from(n - i) / f64::from(i + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    #[test]
    fn bits_are_those_of_most_elements() {
        assert_eq!(simhash(&[0b0011, 0b0101, 0b1001]), 0b0001);
        assert_eq!(simhash(&[0b0011, 0b0101]), 0b0001, "a tie is 0");
        assert_eq!(simhash(&[u64::MAX]), u64::MAX);
        assert_eq!(simhash(&[]), 0);
    }

    #[test]
    fn every_distance_is_searched_completely() {
        use rand::RngCore;
        let mut stream = Seed(8).stream("test/simhash");
        let mut hashes: Vec<Option<u64>> = Vec::new();
        for i in 0..3000 {
            let hash = if i % 3 == 0 || i < 2 {
                Some(stream.next_u64())
            } else {
                hashes[stream.below(i) as usize]
                    .map(|h| (0..stream.below(12)).fold(h, |h, _| h ^ 1 << stream.below(64)))
            };
            hashes.push(hash.filter(|_| i % 50 != 49));
        }
        let mut with_blocks = 0;
        for distance in [0, 1, 3, 4, 7, 9, 20, 64] {
            let index = HammingIndex::new(&hashes, distance);
            with_blocks += usize::from(!index.blocks.is_empty());
            let mut found = Vec::new();
            for x in (0..3000u32).step_by(7) {
                index.later(x, &mut found);
                let truth: Vec<(u32, u32)> = (x + 1..3000)
                    .filter_map(|y| Some((y, (hashes[x as usize]? ^ hashes[y as usize]?).count_ones())))
                    .filter(|&(_, d)| d <= distance)
                    .collect();
                assert_eq!(found, truth, "distance {distance}, row {x}");
            }
        }
        assert!((3..8).contains(&with_blocks), "both ways were tried: {with_blocks}");
    }
}
