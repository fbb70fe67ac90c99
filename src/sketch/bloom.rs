//! A Bloom filter for each set, all of one size: sets are compared by their bits.
//!
//! Jain, Dahlin and Tewari, "Using Bloom filters to refine web search results", WebDB 2005: similar sets set similar bits. Two
//! bits that happen to be equal make unrelated sets look a little similar, the more the fuller the filters are.

use fastbloom::BloomFilter;
use rayon::prelude::*;

use super::kernels;
use crate::corpus::PaperId;
use crate::seed::Seed;
use crate::text::ShingleSets;

/// The filters of all sets, one after another. Space: `bits / 8` bytes a set.
#[derive(Clone, Debug)]
pub struct BloomFilters {
    words: usize,
    bits: Vec<u64>,
    /// Bits set in each filter; 0 for an empty set.
    ones: Vec<u32>,
}

impl BloomFilters {
    /// Filters of `bits` bits (rounded up to whole words of 64) with `hashes` bits an element.
    ///
    /// # Panics
    /// If either is 0.
    pub fn new(sets: &ShingleSets, bits: usize, hashes: u32, seed: Seed) -> BloomFilters {
        assert!(bits > 0 && hashes > 0, "a filter has bits, an element sets some");
        let key = u128::from(seed.derive("sketch/bloom").0);
        let filters: Vec<Vec<u64>> = (0..sets.papers() as u32)
            .into_par_iter()
            .map(|paper| {
                let mut filter = BloomFilter::with_num_bits(bits).seed(&key).hashes(hashes);
                for shingle in sets.of(PaperId(paper)) {
                    filter.insert(shingle);
                }
                filter.as_slice().to_vec()
            })
            .collect();
        let words = filters.first().map_or(0, Vec::len);
        let ones = filters.iter().map(|f| f.iter().map(|w| w.count_ones()).sum()).collect();
        BloomFilters { words, bits: filters.concat(), ones }
    }

    /// How many filters there are.
    pub fn len(&self) -> usize {
        self.ones.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ones.is_empty()
    }

    /// Bits set in a filter.
    pub fn ones(&self, set: u32) -> u32 {
        self.ones[set as usize]
    }

    /// Bits set in both of two filters.
    pub fn common(&self, x: u32, y: u32) -> u32 {
        self.filter(x).iter().zip(self.filter(y)).map(|(a, b)| (a & b).count_ones()).sum()
    }

    /// Bits that a filter has in common with every one after it.
    pub fn common_with_later(&self, x: u32, common: &mut Vec<u32>) {
        common.resize(self.len() - x as usize - 1, 0);
        let later = &self.bits[(x as usize + 1) * self.words..];
        kernels::common_bits(self.filter(x), later, common);
    }

    fn filter(&self, set: u32) -> &[u64] {
        &self.bits[set as usize * self.words..][..self.words]
    }
}
