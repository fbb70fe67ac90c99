//! Locality-sensitive hashing by bands: documents whose signatures agree in one whole band become candidates.
//!
//! Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, 3.4. A signature of n components is cut into b bands of r;
//! a pair of similarity s agrees in at least one with probability `1 - (1 - s^r)^b`.

use rayon::prelude::*;

use super::kernels::mix;
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

/// Which documents share a band: every bucket of at least two, and for each document the buckets that it is in.
///
/// Time linear in documents and bands, besides sorting what shares buckets. Space: 8 bytes a document, 12 for each bucket that
/// it shares with another. A document without a signature is in no bucket.
#[derive(Debug)]
pub struct BandIndex {
    /// The documents of bucket b are `members[buckets[b] .. buckets[b + 1]]`, ascending.
    members: Vec<u32>,
    buckets: Vec<usize>,
    /// Document d is in the buckets of `places[starts[d] .. starts[d + 1]]`, each with the place after its own.
    places: Vec<(u32, u32)>,
    starts: Vec<usize>,
}

impl BandIndex {
    /// Puts every document into a bucket of each band.
    ///
    /// # Panics
    /// If the bands need more components than the signatures have.
    pub fn new(signatures: &Signatures, bands: Bands) -> BandIndex {
        assert!(bands.components() <= signatures.components(), "more rows than the signatures have");
        let documents = signatures.documents();
        let shared: Vec<Vec<(u64, u32)>> = (0..bands.bands)
            .into_par_iter()
            .map_init(Default::default, |space, band| shared_keys(signatures, bands, band, space))
            .collect();
        let mut index = BandIndex {
            members: Vec::with_capacity(shared.iter().map(Vec::len).sum()),
            buckets: vec![0],
            places: Vec::new(),
            starts: vec![0; documents + 1],
        };
        for bucket in shared.iter().flat_map(|keys| keys.chunk_by(|x, y| x.0 == y.0)).filter(|b| b.len() > 1) {
            for &(_, document) in bucket {
                index.members.push(document);
                index.starts[document as usize + 1] += 1;
            }
            index.buckets.push(index.members.len());
        }
        for document in 0..documents {
            index.starts[document + 1] += index.starts[document];
        }
        let mut next = index.starts.clone();
        index.places = vec![(0, 0); index.members.len()];
        for (bucket, bounds) in index.buckets.windows(2).enumerate() {
            for (place, &document) in index.members[bounds[0]..bounds[1]].iter().enumerate() {
                index.places[next[document as usize]] = (bucket as u32, place as u32 + 1);
                next[document as usize] += 1;
            }
        }
        index
    }

    /// The documents after this one that share a bucket with it, ascending, each once.
    pub fn later(&self, document: u32, found: &mut Vec<u32>) {
        found.clear();
        let document = document as usize;
        for &(bucket, from) in &self.places[self.starts[document]..self.starts[document + 1]] {
            let members = &self.members[self.buckets[bucket as usize]..self.buckets[bucket as usize + 1]];
            found.extend_from_slice(&members[from as usize..]);
        }
        found.sort_unstable();
        found.dedup();
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        self.buckets.windows(2).map(|bounds| bounds[1] - bounds[0])
    }

    /// How many documents the fullest bucket of all bands holds.
    pub fn largest_bucket(&self) -> usize {
        self.sizes().max().unwrap_or(0)
    }

    /// How many pairs share buckets, those in several bands counted several times.
    pub fn bucket_pairs(&self) -> u64 {
        self.sizes().map(|size| size as u64 * (size as u64 - 1) / 2).sum()
    }
}

/// The keys of one band that several documents have, with their documents, ascending; a few others are among them.
///
/// Most keys are a document's own. They are told by counting all of them by some of their bits, in a table that is small
/// enough for the cache, so that only the others are sorted.
fn shared_keys(
    signatures: &Signatures,
    bands: Bands,
    band: usize,
    (keys, counts): &mut (Vec<(u64, u32)>, Vec<u8>),
) -> Vec<(u64, u32)> {
    let of = |document: u32| {
        let signature = signatures.of(document)?;
        Some(key(&signature[band * bands.rows..][..bands.rows], band))
    };
    let documents = signatures.documents();
    let bits = (8 * documents).max(1024).ilog2();
    let place = |key: u64| (key >> (64 - bits)) as usize;
    counts.clear();
    counts.resize(1 << bits, 0);
    keys.clear();
    keys.extend((0..documents as u32).filter_map(|d| Some((of(d)?, d))));
    for &(key, _) in &*keys {
        let count = &mut counts[place(key)];
        *count = count.saturating_add(1);
    }
    let mut shared: Vec<(u64, u32)> = keys.iter().copied().filter(|&(key, _)| counts[place(key)] > 1).collect();
    shared.sort_unstable();
    shared
}

/// The bucket of a band's components: 64 bits, mixed from two components at a time.
fn key(components: &[u32], band: usize) -> u64 {
    let (pairs, last) = components.as_chunks::<2>();
    let start = mix(band as u64 + 1);
    let key = pairs.iter().fold(start, |key, pair| mix(key ^ (u64::from(pair[0]) << 32 | u64::from(pair[1]))));
    last.iter().fold(key, |key, &component| mix(key ^ u64::from(component)))
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
    fn buckets_hold_the_documents_whose_bands_are_equal() {
        use crate::seed::Seed;
        use crate::sketch::minhash::{Family, MinHash};
        use crate::sketch::sets::tests::random_sets;
        let sets = random_sets(300, 40, 3);
        let signatures = MinHash::new(Family::Rounds, 24, Seed(1)).signatures(&sets);
        let bands = Bands { bands: 8, rows: 3 };
        let index = BandIndex::new(&signatures, bands);
        let (mut found, mut pairs, mut largest) = (Vec::new(), 0, 0);
        for x in 0..300 {
            let equal = |y: u32| {
                let (Some(a), Some(b)) = (signatures.of(x), signatures.of(y)) else { return 0 };
                a.chunks(3).zip(b.chunks(3)).filter(|(a, b)| a == b).count()
            };
            index.later(x, &mut found);
            let expected: Vec<u32> = (x + 1..300).filter(|&y| equal(y) > 0).collect();
            assert_eq!(found, expected, "document {x}");
            pairs += (x + 1..300).map(equal).sum::<usize>();
            for band in 0..8 {
                let part = |d: u32| signatures.of(d).map(|s| &s[band * 3..band * 3 + 3]);
                largest = largest.max((0..300).filter(|&y| part(x).is_some() && part(y) == part(x)).count());
            }
        }
        assert!(pairs > 100, "{pairs}");
        assert_eq!((index.bucket_pairs(), index.largest_bucket()), (pairs as u64, largest));
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
