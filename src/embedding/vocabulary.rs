//! The words that get a vector, with what training needs to know of each: its count, the chance that it is kept, the
//! chance that it is drawn, its path in the Huffman tree.

use rustc_hash::FxHashMap;

use super::{EmbeddingError, Word2VecParams};
use crate::text::Tokens;

/// The mark of a word of the text that has no vector.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Words by falling count, then by the word itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Vocabulary {
    pub words: Vec<String>,
    /// How often each occurs.
    pub counts: Vec<u64>,
    /// For each word of the text: its place here, or [`UNKNOWN`].
    pub places: Vec<u32>,
}

impl Vocabulary {
    /// The words of the text that occur often enough. `kept` words stay whatever their count is and come first, in
    /// their order, with their counts added: that is how training goes on with a grown vocabulary.
    pub fn new(tokens: &Tokens, params: &Word2VecParams, kept: &[(String, u64)]) -> Result<Vocabulary, EmbeddingError> {
        let mut counts = vec![0u64; tokens.words().len()];
        for paper in 0..tokens.papers() as u32 {
            for &id in tokens.of(crate::corpus::PaperId(paper)) {
                counts[id as usize] += 1;
            }
        }
        let mut places = vec![UNKNOWN; counts.len()];
        let mut words: Vec<String> = Vec::new();
        let mut found: Vec<u64> = Vec::new();
        if !kept.is_empty() {
            let ids: FxHashMap<&str, usize> = tokens.words().iter().enumerate().map(|(i, w)| (w.as_str(), i)).collect();
            for (place, (word, count)) in kept.iter().enumerate() {
                let here = ids.get(word.as_str()).map_or(0, |&id| {
                    places[id] = place as u32;
                    counts[id]
                });
                words.push(word.clone());
                found.push(count + here);
            }
        }
        let mut order: Vec<u32> = (0..counts.len() as u32)
            .filter(|&id| places[id as usize] == UNKNOWN && counts[id as usize] >= params.min_count)
            .collect();
        order
            .sort_unstable_by(|&a, &b| (counts[b as usize], tokens.word(a)).cmp(&(counts[a as usize], tokens.word(b))));
        if let Some(most) = params.max_vocabulary {
            order.truncate(most.saturating_sub(words.len()));
        }
        for id in order {
            places[id as usize] = words.len() as u32;
            words.push(tokens.word(id).to_owned());
            found.push(counts[id as usize]);
        }
        if places.iter().all(|&place| place == UNKNOWN) {
            return Err(EmbeddingError::NoVocabulary {
                distinct: counts.len(),
                texts: tokens.papers(),
                total: tokens.total(),
                min_count: params.min_count,
            });
        }
        Ok(Vocabulary { words, counts: found, places })
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// For each word the chance that an occurrence is kept, in units of 2^-32 (2^32 is always).
    pub fn keep(&self, sample: f64) -> Vec<u64> {
        let total: u64 = self.counts.iter().sum();
        self.counts
            .iter()
            .map(|&count| {
                let share = count as f64 / total as f64;
                let chance =
                    if sample > 0.0 && count > 0 { (libm::sqrt(share / sample) + 1.0) * sample / share } else { 1.0 };
                (chance.min(1.0) * 4_294_967_296.0) as u64
            })
            .collect()
    }

    /// The chance of each word to be drawn as a negative one.
    pub fn draw_weights(&self, exponent: f64) -> Vec<f64> {
        let weights: Vec<f64> =
            self.counts.iter().map(|&count| if count == 0 { 0.0 } else { libm::pow(count as f64, exponent) }).collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }
}

/// Draws words by weight in constant time (alias method: Walker 1977, in Vose's 1991 construction).
#[derive(Clone, Debug)]
pub(super) struct Alias {
    /// For each slot: below this 32-bit number the slot itself, else the other word.
    slots: Vec<(u32, u32)>,
}

impl Alias {
    pub fn new(chances: &[f64]) -> Alias {
        let count = chances.len();
        let mut scaled: Vec<f64> = chances.iter().map(|chance| chance * count as f64).collect();
        let mut slots = vec![(u32::MAX, 0u32); count];
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..count).partition(|&place| scaled[place] < 1.0);
        while let (Some(&less), Some(&more)) = (small.last(), large.last()) {
            small.pop();
            slots[less] = ((scaled[less] * 4_294_967_296.0) as u32, more as u32);
            scaled[more] -= 1.0 - scaled[less];
            if scaled[more] < 1.0 {
                large.pop();
                small.push(more);
            }
        }
        // What is left over is 1 but for rounding: the slot itself, always.
        for place in small.into_iter().chain(large) {
            slots[place] = (u32::MAX, place as u32);
        }
        Alias { slots }
    }

    /// The word that belongs to 64 random bits.
    #[inline(always)]
    pub fn draw(&self, bits: u64) -> u32 {
        let slot = ((bits >> 32) * self.slots.len() as u64) >> 32;
        let (below, other) = self.slots[slot as usize];
        if (bits as u32) < below { slot as u32 } else { other }
    }
}

/// The Huffman code of every word: which inner nodes its path passes, and which way it turns there.
#[derive(Clone, Debug)]
pub(super) struct Huffman {
    starts: Vec<u32>,
    nodes: Vec<u32>,
    /// 1 where the path turns to the lighter side, 0 else: what the node's unit is to say.
    labels: Vec<f32>,
}

impl Huffman {
    /// Counts must fall. Two queues, O(V); of equal weights the leaf comes first, so the tree depends on nothing else.
    pub fn new(counts: &[u64]) -> Huffman {
        let count = counts.len();
        let mut order: Vec<u32> = (0..count as u32).collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(counts[word as usize]), word));
        let mut weight: Vec<u64> = order.iter().map(|&word| counts[word as usize]).collect();
        let mut parent = vec![0u32; (2 * count).saturating_sub(1)];
        let mut light = vec![false; parent.len()];
        let (mut leaf, mut inner) = (count, count);
        for node in count..parent.len() {
            let take = |weight: &[u64], leaf: &mut usize, inner: &mut usize| {
                if *leaf > 0 && (*inner >= node || weight[*leaf - 1] <= weight[*inner]) {
                    *leaf -= 1;
                    *leaf
                } else {
                    *inner += 1;
                    *inner - 1
                }
            };
            let first = take(&weight, &mut leaf, &mut inner);
            let second = take(&weight, &mut leaf, &mut inner);
            weight.push(weight[first] + weight[second]);
            (parent[first], parent[second]) = (node as u32, node as u32);
            light[first] = true;
        }
        let mut ranks = vec![0usize; count];
        for (rank, &word) in order.iter().enumerate() {
            ranks[word as usize] = rank;
        }
        let (mut starts, mut nodes, mut labels) = (vec![0], Vec::new(), Vec::new());
        for &rank in &ranks {
            let start = nodes.len();
            let mut at = rank;
            while at + 1 < parent.len() {
                nodes.push(parent[at] - count as u32);
                labels.push(if light[at] { 1.0 } else { 0.0 });
                at = parent[at] as usize;
            }
            nodes[start..].reverse();
            labels[start..].reverse();
            starts.push(nodes.len() as u32);
        }
        Huffman { starts, nodes, labels }
    }

    /// The inner nodes from the root down and the side taken at each.
    #[inline(always)]
    pub fn path(&self, word: u32) -> (&[u32], &[f32]) {
        let range = self.starts[word as usize] as usize..self.starts[word as usize + 1] as usize;
        (&self.nodes[range.clone()], &self.labels[range])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use rand_chacha::rand_core::RngCore;

    fn tokens() -> Tokens {
        Tokens::from_texts([vec!["b", "a", "b", "rare"], vec!["c", "a", "b", "c"]])
    }

    #[test]
    fn words_come_by_falling_count_then_by_name() {
        let params = Word2VecParams { min_count: 2, ..Word2VecParams::default() };
        let vocabulary = Vocabulary::new(&tokens(), &params, &[]).unwrap();
        assert_eq!(vocabulary.words, ["b", "a", "c"]);
        assert_eq!(vocabulary.counts, [3, 2, 2]);
        assert_eq!(vocabulary.places, [0, 1, UNKNOWN, 2]);
        let capped = Word2VecParams { max_vocabulary: Some(2), ..params.clone() };
        assert_eq!(Vocabulary::new(&tokens(), &capped, &[]).unwrap().words, ["b", "a"]);
        let kept = [("old".to_owned(), 9), ("c".to_owned(), 4)];
        let grown = Vocabulary::new(&tokens(), &params, &kept).unwrap();
        assert_eq!(grown.words, ["old", "c", "b", "a"]);
        assert_eq!(grown.counts, [9, 6, 3, 2]);
    }

    #[test]
    fn subsampling_follows_the_formula() {
        let vocabulary = Vocabulary { words: vec![String::new(); 2], counts: vec![900, 100], places: vec![] };
        // f = .9 and .1, sample .05: (sqrt(18) + 1) / 18 and (sqrt(2) + 1) / 2 > 1
        let keep = vocabulary.keep(0.05);
        assert!((keep[0] as f64 / 2f64.powi(32) - (18f64.sqrt() + 1.0) / 18.0).abs() < 1e-9);
        assert_eq!(keep[1], 1 << 32);
        assert_eq!(vocabulary.keep(0.0), [1 << 32; 2]);
    }

    #[test]
    fn words_are_drawn_by_their_chance() {
        let chances = [0.5, 0.3, 0.15, 0.05, 0.0];
        let alias = Alias::new(&chances);
        let mut stream = Seed(5).stream("test");
        let mut counts = [0u32; 5];
        for _ in 0..200_000 {
            counts[alias.draw(stream.next_u64()) as usize] += 1;
        }
        for (count, chance) in counts.iter().zip(chances) {
            assert!((f64::from(*count) / 200_000.0 - chance).abs() < 0.005, "{counts:?}");
        }
    }

    #[test]
    fn huffman_codes_are_those_of_the_textbook() {
        // Weights 5 2 1 1: depths 1 2 3 3; Kraft's sum is 1.
        let huffman = Huffman::new(&[5, 2, 1, 1]);
        let depths: Vec<usize> = (0..4).map(|word| huffman.path(word).0.len()).collect();
        assert_eq!(depths, [1, 2, 3, 3]);
        let paths: std::collections::BTreeSet<String> =
            (0..4).map(|word| format!("{:?}", huffman.path(word).1)).collect();
        assert_eq!(paths.len(), 4, "codes differ");
        assert_eq!(huffman.path(3).0[0], 2, "the root is the last inner node");
        assert!(Huffman::new(&[7]).path(0).0.is_empty());
    }
}
