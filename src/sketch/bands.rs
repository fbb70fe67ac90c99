//! Locality-sensitive hashing by bands: documents whose signatures agree in one whole band become candidates.
//!
//! Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4. A signature of n components is cut into b bands of r;
//! a pair of similarity s agrees in at least one with probability `1 - (1 - s^r)^b`.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::minhash::Signatures;

/// b bands of r components each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bands {
    /// How many bands; at least 1.
    pub bands: usize,
    /// Components in each; at least 1.
    pub rows: usize,
}

impl Bands {
    /// The widest bands that a signature of `components` allows and that find a pair at the threshold with at least the
    /// probability `recall`: wide bands make few false candidates. Every width r has `components / r` bands, rounded down.
    /// If no width reaches the recall, one component a band, which finds the most.
    ///
    /// # Panics
    /// If there are no components.
    pub fn choose(components: usize, threshold: f64, recall: f64) -> Bands {
        assert!(components > 0, "a signature has components");
        (1..=components)
            .rev()
            .map(|rows| Bands { bands: components / rows, rows })
            .find(|b| 1.0 - b.miss_rate(threshold) >= recall)
            .unwrap_or(Bands { bands: components, rows: 1 })
    }

    /// The probability that a pair of this similarity is a candidate.
    pub fn candidate_rate(self, similarity: f64) -> f64 {
        1.0 - self.miss_rate(similarity)
    }

    /// The probability that a pair of this similarity is missed; the greatest miss rate of all pairs at or above it.
    pub fn miss_rate(self, similarity: f64) -> f64 {
        let band = libm::pow(similarity.clamp(0.0, 1.0), self.rows as f64);
        libm::pow(1.0 - band, self.bands as f64)
    }

    /// Components that are used.
    pub fn components(self) -> usize {
        self.bands * self.rows
    }
}

/// Which documents share a band: for each band, the documents in order of the band's key.
///
/// Space: 12 bytes a document and band. A document without a signature is in no bucket.
#[derive(Debug)]
pub struct BandIndex {
    bands: Vec<Band>,
}

#[derive(Debug)]
struct Band {
    /// Documents by bucket, ascending within each; only buckets of at least two.
    members: Vec<u32>,
    /// The end of the bucket in `members` that each document is in, and the place after its own; `(0, 0)` is no bucket.
    later: Vec<(u32, u32)>,
    largest: u32,
    pairs: u64,
}

impl BandIndex {
    /// Puts every document into a bucket of each band.
    ///
    /// # Panics
    /// If the bands need more components than the signatures have.
    pub fn new(signatures: &Signatures, bands: Bands) -> BandIndex {
        assert!(bands.components() <= signatures.components(), "more rows than the signatures have");
        let index = |band: usize| {
            let mut keys: Vec<(u64, u32)> = Vec::with_capacity(signatures.documents());
            for document in 0..signatures.documents() as u32 {
                if let Some(signature) = signatures.of(document) {
                    keys.push((key(&signature[band * bands.rows..][..bands.rows], band), document));
                }
            }
            keys.sort_unstable();
            Band::of(&keys, signatures.documents())
        };
        BandIndex { bands: (0..bands.bands).into_par_iter().map(index).collect() }
    }

    /// The documents after this one that share a bucket with it, ascending, each once.
    pub fn later(&self, document: u32, found: &mut Vec<u32>) {
        found.clear();
        for band in &self.bands {
            let (from, end) = band.later[document as usize];
            found.extend_from_slice(&band.members[from as usize..end as usize]);
        }
        found.sort_unstable();
        found.dedup();
    }

    /// How many documents the fullest bucket of all bands holds.
    pub fn largest_bucket(&self) -> usize {
        self.bands.iter().map(|b| b.largest as usize).max().unwrap_or(0)
    }

    /// How many pairs share buckets, those in several bands counted several times.
    pub fn bucket_pairs(&self) -> u64 {
        self.bands.iter().map(|b| b.pairs).sum()
    }
}

/// The bucket of a band's components: a 64-bit hash of their bytes, seeded by the band.
fn key(components: &[u32], band: usize) -> u64 {
    let mut bytes = [0u8; 256];
    if components.len() * 4 <= bytes.len() {
        for (place, value) in bytes.chunks_exact_mut(4).zip(components) {
            place.copy_from_slice(&value.to_le_bytes());
        }
        return xxh3_64_with_seed(&bytes[..components.len() * 4], band as u64);
    }
    let bytes: Vec<u8> = components.iter().flat_map(|v| v.to_le_bytes()).collect();
    xxh3_64_with_seed(&bytes, band as u64)
}

impl Band {
    fn of(keys: &[(u64, u32)], documents: usize) -> Band {
        let mut band = Band { members: Vec::new(), later: vec![(0, 0); documents], largest: 0, pairs: 0 };
        for bucket in keys.chunk_by(|x, y| x.0 == y.0).filter(|b| b.len() > 1) {
            let start = band.members.len() as u32;
            let end = start + bucket.len() as u32;
            for (place, &(_, document)) in bucket.iter().enumerate() {
                band.members.push(document);
                band.later[document as usize] = (start + place as u32 + 1, end);
            }
            band.largest = band.largest.max(bucket.len() as u32);
            band.pairs += bucket.len() as u64 * (bucket.len() as u64 - 1) / 2;
        }
        band
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidate_rates_are_those_of_the_book() {
        let table: [(usize, usize, [f64; 9]); 5] = [
            (20, 5, [0.0002, 0.0064, 0.0475, 0.1860, 0.4701, 0.8019, 0.9748, 0.9996, 1.0]),
            (16, 4, [0.0016, 0.0253, 0.1220, 0.3396, 0.6439, 0.8915, 0.9876, 0.9998, 1.0]),
            (50, 4, [0.0050, 0.0769, 0.3341, 0.7266, 0.9603, 0.9990, 1.0, 1.0, 1.0]),
            (25, 4, [0.0025, 0.0392, 0.1840, 0.4771, 0.8008, 0.9689, 0.9990, 1.0, 1.0]),
            (10, 10, [0.0, 0.0, 0.0001, 0.0010, 0.0097, 0.0588, 0.2491, 0.6789, 0.9863]),
        ];
        for (bands, rows, rates) in table {
            for (tenth, rate) in (1..).zip(rates) {
                let ours = Bands { bands, rows }.candidate_rate(f64::from(tenth) / 10.0);
                assert!((ours - rate).abs() < 0.000_06, "b {bands}, r {rows}, .{tenth}: {ours} {rate}");
            }
        }
    }

    #[test]
    fn bands_are_the_widest_that_reach_the_recall() {
        for (threshold, recall) in [(0.5, 0.95), (0.8, 0.99), (0.95, 0.999), (1.0, 1.0)] {
            let chosen = Bands::choose(128, threshold, recall);
            assert!(chosen.candidate_rate(threshold) >= recall && chosen.components() <= 128);
            if chosen.rows < 128 {
                let wider = Bands { bands: 128 / (chosen.rows + 1), rows: chosen.rows + 1 };
                assert!(wider.candidate_rate(threshold) < recall, "{threshold}: {chosen:?}");
            }
        }
        assert_eq!(Bands::choose(128, 1.0, 1.0), Bands { bands: 1, rows: 128 });
        assert_eq!(Bands::choose(128, 0.8, 0.99), Bands { bands: 21, rows: 6 });
        assert_eq!(Bands::choose(1, 0.8, 0.99), Bands { bands: 1, rows: 1 });
    }
}
