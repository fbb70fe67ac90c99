//! The text as windows: which shard reads which part of it, which words are kept, what is predicted from what.

use rand_chacha::rand_core::RngCore;

use super::vocabulary::{Alias, Huffman, UNKNOWN, Vocabulary};
use super::{Architecture, Loss, Word2VecParams};
use crate::corpus::PaperId;
use crate::seed::{Seed, Stream};
use crate::text::Tokens;

/// A text of more words than this may be cut between two shards; shorter ones stay whole.
const WHOLE: usize = 10_000;

/// What a window's word is told from.
pub(super) enum Targets {
    Negative {
        alias: Alias,
        negative: usize,
    },
    Hierarchical(Huffman),
    /// All rows.
    Softmax,
}

impl Targets {
    pub fn new(params: &Word2VecParams, vocabulary: &Vocabulary) -> Targets {
        match params.loss {
            Loss::NegativeSampling => Targets::Negative {
                alias: Alias::new(&vocabulary.draw_weights(params.ns_exponent)),
                negative: params.negative,
            },
            Loss::HierarchicalSoftmax => Targets::Hierarchical(Huffman::new(&vocabulary.counts)),
            Loss::Softmax => Targets::Softmax,
        }
    }
}

/// The text and all that does not change while it is read.
pub(super) struct Text<'a> {
    pub tokens: &'a Tokens,
    pub places: &'a [u32],
    pub keep: Vec<u64>,
    pub targets: Targets,
    pub window: u32,
    /// Neighbouring windows that share their drawn words.
    pub group: usize,
}

/// A place in the text: a paper, and a token of it.
pub(super) type Place = (u32, usize);

/// Cuts the text into shards of as many tokens each as can be.
pub(super) fn cut(tokens: &Tokens, shards: usize) -> Vec<(Place, Place)> {
    let total = tokens.total();
    let mut bounds: Vec<Place> = vec![(0, 0)];
    let mut before = 0;
    for paper in 0..tokens.papers() as u32 {
        let length = tokens.of(PaperId(paper)).len();
        while bounds.len() < shards {
            let at = (total as u128 * bounds.len() as u128 / shards as u128) as usize;
            if at >= before + length {
                break;
            }
            let offset = at - before;
            bounds.push(if offset == 0 || length > WHOLE { (paper, offset) } else { (paper + 1, 0) });
        }
        before += length;
    }
    let end = (tokens.papers() as u32, 0);
    bounds.resize(shards, end);
    bounds.push(end);
    bounds.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// A run of neighbouring words of one text whose windows are computed together.
pub(super) struct Piece {
    /// Where its words end in [`Windows::words`]: those to predict, and those around them.
    pub words: usize,
    /// The place among its words of the first one to predict.
    pub first: usize,
    /// Where its reaches end in [`Windows::reaches`]: one for each word to predict.
    pub reaches: usize,
    /// Where its drawn words end in [`Windows::drawn`]: so many for each group of windows.
    pub drawn: usize,
}

/// Some windows, ready to be computed.
#[derive(Default)]
pub(super) struct Windows {
    pub words: Vec<u32>,
    /// How far each window goes to either side of its word, within the piece.
    pub reaches: Vec<u32>,
    /// Negative sampling only.
    pub drawn: Vec<u32>,
    pub pieces: Vec<Piece>,
}

impl Windows {
    pub fn clear(&mut self) {
        self.words.clear();
        self.reaches.clear();
        self.drawn.clear();
        self.pieces.clear();
    }

    /// How many windows there are.
    pub fn count(&self) -> usize {
        self.reaches.len()
    }
}

/// One shard's way through its part of the text in one epoch.
pub(super) struct Cursor {
    random: Stream,
    at: Place,
    end: Place,
    /// The kept words of the text at hand, and the next of them.
    kept: Vec<u32>,
    next: usize,
    /// Words of this shard gone through before the text at hand, and words of that.
    before: u64,
    length: u64,
    pub words_kept: u64,
    pub words_known: u64,
}

impl Cursor {
    pub fn new(seed: Seed, epoch: usize, shard: usize, part: (Place, Place)) -> Cursor {
        Cursor {
            random: seed.stream(&format!("word2vec/epoch-{epoch}/shard-{shard}")),
            at: part.0,
            end: part.1,
            kept: Vec::new(),
            next: 0,
            before: 0,
            length: 0,
            words_kept: 0,
            words_known: 0,
        }
    }

    /// Words of the text gone through, about to the word.
    pub fn words(&self) -> u64 {
        match self.kept.len() {
            0 => self.before + self.length,
            kept => self.before + self.length * self.next as u64 / kept as u64,
        }
    }

    pub fn is_done(&self) -> bool {
        self.next >= self.kept.len() && self.at >= self.end
    }

    /// Reads the next text, or the piece of it that is the shard's.
    #[inline(always)]
    fn read(&mut self, text: &Text) {
        let tokens = text.tokens.of(PaperId(self.at.0));
        let last = self.at.0 == self.end.0;
        let piece = &tokens[self.at.1..if last { self.end.1 } else { tokens.len() }];
        self.before += self.length;
        self.length = piece.len() as u64;
        self.at = if last { self.end } else { (self.at.0 + 1, 0) };
        self.kept.clear();
        self.next = 0;
        for &token in piece {
            let place = text.places[token as usize];
            if place == UNKNOWN {
                continue;
            }
            self.words_known += 1;
            let keep = text.keep[place as usize];
            if keep == 1 << 32 || u64::from(self.random.next_u32()) < keep {
                self.kept.push(place);
            }
        }
        self.words_kept += self.kept.len() as u64;
    }

    /// Adds up to `count` windows; fewer only at the end of the part.
    #[inline(always)]
    pub fn fill(&mut self, text: &Text, count: usize, windows: &mut Windows) {
        while windows.count() < count {
            if self.next >= self.kept.len() {
                if self.at >= self.end {
                    return;
                }
                self.read(text);
                if self.kept.len() < 2 {
                    self.next = self.kept.len();
                }
                continue;
            }
            let range = self.next..self.kept.len().min(self.next + count - windows.count());
            self.next = range.end;
            let (mut low, mut high) = (range.start, range.end);
            for (number, at) in range.clone().enumerate() {
                let reach = 1 + ((u64::from(self.random.next_u32()) * u64::from(text.window)) >> 32) as usize;
                windows.reaches.push(reach as u32);
                low = low.min(at.saturating_sub(reach));
                high = high.max(at + 1 + reach);
                if let Targets::Negative { alias, negative } = &text.targets
                    && number % text.group == 0
                {
                    for _ in 0..*negative {
                        windows.drawn.push(alias.draw(self.random.next_u64()));
                    }
                }
            }
            windows.words.extend_from_slice(&self.kept[low..high.min(self.kept.len())]);
            windows.pieces.push(Piece {
                words: windows.words.len(),
                first: range.start - low,
                reaches: windows.reaches.len(),
                drawn: windows.drawn.len(),
            });
        }
    }
}

/// The row that is changed most often may be changed so many times more than the rows of a usual window.
const MOST_FREQUENT: f64 = 5.0;

/// How many windows a block holds over all shards: as many as update the rows of a window by `stale` full steps,
/// expected over the windows, and the most frequent row by no more (grouped: by [`MOST_FREQUENT`] times that). In a vocabulary of a few words
/// all rows of a window are frequent and move together, in a large one hardly any. A step of a sigmoid unit counts as
/// one; one of softmax is up to four times as steep.
pub(super) fn block_size(params: &Word2VecParams, vocabulary: &Vocabulary, stale: f64) -> usize {
    let kept: Vec<f64> = vocabulary
        .counts
        .iter()
        .zip(vocabulary.keep(params.sample))
        .map(|(&count, keep)| count as f64 * (keep as f64 / 4_294_967_296.0))
        .collect();
    let total: f64 = kept.iter().sum();
    let around = params.window as f64 + 1.0;
    let pairs = match params.architecture {
        Architecture::Cbow => 1.0,
        Architecture::SkipGram => around,
    };
    let drawn = match params.loss {
        Loss::NegativeSampling => vocabulary.draw_weights(params.ns_exponent),
        Loss::HierarchicalSoftmax | Loss::Softmax => vec![0.0; kept.len()],
    };
    let (mut usual, mut most) = (0.0f64, 0.0f64);
    for (&kept, drawn) in kept.iter().zip(drawn) {
        let share = kept / total;
        let steep = if params.loss == Loss::Softmax { 4.0 } else { 1.0 };
        let updates = (share * around).max((share * steep + params.negative as f64 * drawn) * pairs);
        usual += share * updates;
        most = most.max(updates);
    }
    if params.loss == Loss::HierarchicalSoftmax {
        // The root of the Huffman tree is on every path.
        (usual, most) = (usual.max(pairs), most.max(pairs));
    }
    let steps = stale / params.learning_rate;
    match params.group() {
        1 => ((steps / most) as usize).clamp(1, 512),
        _ => ((steps / usual).min(MOST_FREQUENT * steps / most) as usize).clamp(1, 2048),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_cover_the_text_and_cut_only_long_papers() {
        let long: Vec<String> = (0..25_000).map(|i| format!("w{}", i % 9)).collect();
        let short: Vec<String> = (0..50).map(|i| format!("w{}", i % 9)).collect();
        let tokens = Tokens::from_texts([&short, &long, &short, &short]);
        let parts = cut(&tokens, 4);
        assert_eq!(parts.len(), 4);
        assert_eq!((parts[0].0, parts[3].1), ((0, 0), (4, 0)));
        assert!(parts.windows(2).all(|pair| pair[0].1 == pair[1].0 && pair[0].0 <= pair[0].1));
        assert_eq!(parts[1].0, (1, 25_150 / 4 - 50));
        let parts = cut(&Tokens::from_texts([&short, &short, &short]), 2);
        assert_eq!(parts, [((0, 0), (2, 0)), ((2, 0), (3, 0))]);
        assert_eq!(cut(&Tokens::from_texts([&short]), 3), [((0, 0), (1, 0)), ((1, 0), (1, 0)), ((1, 0), (1, 0))]);
    }

    #[test]
    fn windows_stay_inside_a_text_and_within_reach() {
        let tokens = Tokens::from_texts([vec!["a", "b", "c", "d"], vec!["x"], vec!["y", "z"]]);
        let vocabulary = Vocabulary::new(&tokens, &Word2VecParams { min_count: 1, ..Default::default() }, &[]).unwrap();
        let text = Text {
            tokens: &tokens,
            places: &vocabulary.places,
            keep: vocabulary.keep(0.0),
            targets: Targets::Softmax,
            window: 2,
            group: 1,
        };
        let mut cursor = Cursor::new(Seed(1), 0, 0, ((0, 0), (3, 0)));
        let mut windows = Windows::default();
        cursor.fill(&text, 100, &mut windows);
        assert!(cursor.is_done());
        assert_eq!((cursor.words(), cursor.words_kept), (7, 7));
        let name = |place: &u32| vocabulary.words[*place as usize].as_str();
        let mut seen = Vec::new();
        let (mut words, mut reaches) = (windows.words.as_slice(), windows.reaches.iter());
        let mut before = (0, 0);
        for piece in &windows.pieces {
            let own = words.split_off(..piece.words - before.0).unwrap();
            for at in piece.first..piece.first + piece.reaches - before.1 {
                let reach = *reaches.next().unwrap() as usize;
                let around = own[at.saturating_sub(reach)..at].iter().chain(own[at + 1..].iter().take(reach));
                seen.push(format!("{}:{}", name(&own[at]), around.map(name).collect::<String>()));
            }
            before = (piece.words, piece.reaches);
        }
        let possible: [&[&str]; 6] =
            [&["a:b", "a:bc"], &["b:ac", "b:acd"], &["c:bd", "c:abd"], &["d:c", "d:bc"], &["y:z"], &["z:y"]];
        assert_eq!(seen.len(), 6);
        assert!(seen.iter().zip(possible).all(|(seen, possible)| possible.contains(&seen.as_str())), "{seen:?}");
    }

    #[test]
    fn a_small_vocabulary_makes_small_blocks() {
        let vocabulary =
            |counts: Vec<u64>| Vocabulary { words: vec![String::new(); counts.len()], counts, places: vec![] };
        let params = Word2VecParams { sample: 0.0, group: 1, ..Default::default() };
        // Half of the windows' words: seen 3 times a window among the words around, or as an output.
        assert_eq!(block_size(&params, &vocabulary(vec![10, 10]), 0.8), 10);
        assert_eq!(block_size(&params, &vocabulary(vec![10; 10_000]), 0.8), 512);
        let grouped = Word2VecParams { group: 8, ..params.clone() };
        assert_eq!(block_size(&grouped, &vocabulary(vec![10, 10]), 0.8), 10);
        // One word in ten is the same one, the others are all different: 15 windows by that word alone.
        let mixed = vocabulary([vec![1000], vec![1; 9_000]].concat());
        assert_eq!(block_size(&params, &mixed, 0.8), 53);
        assert_eq!(block_size(&grouped, &mixed, 0.8), 266);
    }
}
