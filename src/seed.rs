//! Named random streams: everything random in the program comes from one seed, by name.
//!
//! A stream depends on the seed and its name alone, never on what other streams drew before, so adding a consumer
//! moves no result. The draws are written here, not taken from a library whose algorithms may change between versions.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The number that every random choice of a run follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Default for Seed {
    fn default() -> Seed {
        Seed(1)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Seed {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Seed, Self::Err> {
        text.parse().map(Seed)
    }
}

impl Seed {
    /// The stream of this name: ChaCha8 keyed by SHA-256 of the seed and the name.
    pub fn stream(self, name: &str) -> Stream {
        Stream(ChaCha8Rng::from_seed(self.key(name)))
    }

    /// A seed of its own for a part of the work (one document, one shard), by name.
    pub fn derive(self, name: &str) -> Seed {
        let key = self.key(name);
        Seed(u64::from_le_bytes(key[..8].try_into().expect("a digest has 32 bytes")))
    }

    fn key(self, name: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.0.to_le_bytes());
        hash.update(name.as_bytes());
        hash.finalize().into()
    }
}

/// One stream of random numbers. It is also a [`RngCore`], for libraries that want one.
#[derive(Clone, Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// A number in `0..bound`, every one equally likely (multiply and reject, Lemire 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a draw from an empty range");
        loop {
            let wide = u128::from(self.0.next_u64()) * u128::from(bound);
            if (wide as u64) >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number in `[0, 1)`, a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Puts the items in a random order (Fisher and Yates, from the last place down).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// `count` different numbers of `0..total` in the order drawn; all of them if `count >= total`.
    pub fn sample(&mut self, total: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..total).collect();
        let count = count.min(total);
        for place in 0..count {
            let other = place + self.below((total - place) as u64) as usize;
            all.swap(place, other);
        }
        all.truncate(count);
        all
    }
}

impl RngCore for Stream {
    fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_chacha::rand_core::Error> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_seed_and_name_only() {
        let first = |seed, name| Seed(seed).stream(name).next_u64();
        assert_eq!(first(7, "a"), first(7, "a"));
        assert_ne!(first(7, "a"), first(7, "b"));
        assert_ne!(first(7, "a"), first(8, "a"));
        // Frozen: a change of this number changes every published result.
        assert_eq!(first(1, "test/frozen"), 2_889_283_605_614_761_569);
    }

    #[test]
    fn draws_are_even_and_samples_have_no_repeats() {
        let mut stream = Seed(3).stream("test");
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[stream.below(3) as usize] += 1;
        }
        assert!(counts.iter().all(|&c| (9_700..10_300).contains(&c)), "{counts:?}");
        let mut drawn = stream.sample(50, 20);
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 20);
        assert_eq!(stream.sample(3, 9).len(), 3);
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Seed(1).stream("s").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
