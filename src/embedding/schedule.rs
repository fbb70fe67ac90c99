//! The training schedule that repeats exactly: blocks of windows, computed against frozen rows, applied in one order.
//!
//! Sequential word2vec changes rows after each window, Hogwild (Niu et al. 2011) lets threads write over each other.
//! Here the text is cut into a fixed number of shards, and a block takes the next few windows of every shard:
//!
//! 1. *Compute.* Threads share the shards. Each shard reads its next windows, computes their gradients against the rows
//!    as they are, and notes for each row that is to change: which vector to add, times what.
//! 2. *Apply.* Threads share the rows (by their low bits). Each row adds what the shards noted, in the order of shards,
//!    windows and places.
//!
//! A row's sum has one order whoever computes it, random numbers belong to the shard, and the kernels give the same
//! bits with every set of instructions: so the result depends on the text, the parameters and the seed alone. A block
//! is small enough that even the most frequent word's row gets only so many updates that do not know of each
//! other ([`super::Word2Vec::STALE_STEPS`]); they come from distant places of the text, not from one paper that
//! repeats its words.
//!
//! Differences from word2vec.c and gensim: drawn words are shared by neighbouring windows (Ji et al. 2016 share them
//! within one), which makes their work small matrix products; the sigmoid is computed, not looked up, and has no cut-off
//! at 6. As there, the error of a CBOW window goes to each word around it undivided.
//!
//! Time O(words x N x (1 + negative)) in two barriers a block (skip-gram: O(words x N x (window + negative))); space two
//! matrices V x N and the block.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock};

use super::Word2VecParams;
use super::kernels::{self, Instructions, Lanes, Simd, Work};
use super::pieces::{Both, Change, Compute, Notes, Room, Source};
use super::rows::{Rows, View};
use super::windows::{Cursor, Place, Text, Windows};
use crate::progress::Task;
use crate::seed::Seed;

/// One shard: where it is, and what it noted in the last block.
struct Shard {
    cursor: Cursor,
    windows: Windows,
    notes: Notes,
    loss: f64,
    loss_windows: u64,
    broken: bool,
}

/// What one epoch did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Epoch {
    pub words: u64,
    pub words_known: u64,
    pub words_kept: u64,
    pub loss: f64,
    pub loss_windows: u64,
    /// A loss was no number.
    pub broken: bool,
}

impl Epoch {
    pub fn add(&mut self, other: &Epoch) {
        self.words += other.words;
        self.words_known += other.words_known;
        self.words_kept += other.words_kept;
        self.loss += other.loss;
        self.loss_windows += other.loss_windows;
        self.broken |= other.broken;
    }
}

/// What an epoch is given.
pub(super) struct Plan<'a> {
    pub params: &'a Word2VecParams,
    pub text: &'a Text<'a>,
    pub parts: &'a [(Place, Place)],
    /// Windows a shard and block.
    pub share: usize,
    pub seed: Seed,
    pub threads: usize,
    pub instructions: Instructions,
}

/// How many parts the rows are cut into for this many threads; it does not change the result.
pub(super) fn row_parts(threads: usize) -> usize {
    if threads.is_power_of_two() { threads } else { (4 * threads).next_power_of_two() }
}

impl Plan<'_> {
    /// Goes through the text once.
    pub fn epoch(&self, epoch: usize, input: &Rows, output: &Rows, task: &dyn Task) -> Epoch {
        let row_parts = row_parts(self.threads);
        let shards: Vec<RwLock<Shard>> = self
            .parts
            .iter()
            .enumerate()
            .map(|(number, &part)| {
                RwLock::new(Shard {
                    cursor: Cursor::new(self.seed, epoch, number, part),
                    windows: Windows::default(),
                    notes: Notes::new(row_parts),
                    loss: 0.0,
                    loss_windows: 0,
                    broken: false,
                })
            })
            .collect();
        let lengths: Vec<u64> = self.parts.iter().map(|&part| self.length(part)).collect();
        let barrier = Barrier::new(self.threads);
        let told = Mutex::new(0u64);
        let work = |thread: usize| {
            let _alarm = Alarm(&barrier);
            let mut blocks = 0u64;
            let mut room = Room::default();
            loop {
                {
                    let (input_guards, output_guards) = (input.read(), output.read());
                    let input_parts: Vec<&[Lanes]> = input_guards.iter().map(|part| part.as_slice()).collect();
                    let output_parts: Vec<&[Lanes]> = output_guards.iter().map(|part| part.as_slice()).collect();
                    for number in (thread..shards.len()).step_by(self.threads) {
                        let mut shard = shards[number].write().expect("no shard panics");
                        kernels::with(
                            self.instructions,
                            Block {
                                compute: Compute {
                                    params: self.params,
                                    targets: &self.text.targets,
                                    rows: Both {
                                        input: View::new(input, &input_parts),
                                        output: View::new(output, &output_parts),
                                    },
                                    width: input.width(),
                                    outputs: output.count(),
                                    group: self.text.group,
                                    rate: self.rate(epoch, shard.cursor.words(), lengths[number]),
                                },
                                plan: self,
                                shard: &mut shard,
                                room: &mut room,
                            },
                        );
                    }
                }
                if !barrier.wait() {
                    return;
                }
                let guards: Vec<_> = shards.iter().map(|shard| shard.read().expect("no shard panics")).collect();
                for part in (thread..row_parts).step_by(self.threads) {
                    let mut rows = input.part(part).write().expect("no writer panics");
                    let updates =
                        guards.iter().map(|shard| (shard.notes.inputs[part].as_slice(), shard.notes.vectors()));
                    kernels::with(self.instructions, Apply { rows: &mut rows, width: input.width(), updates });
                    let mut rows = output.part(part).write().expect("no writer panics");
                    let updates =
                        guards.iter().map(|shard| (shard.notes.outputs[part].as_slice(), shard.notes.vectors()));
                    kernels::with(self.instructions, Apply { rows: &mut rows, width: input.width(), updates });
                }
                let done = guards.iter().all(|shard| shard.cursor.is_done()) || guards.iter().any(|shard| shard.broken);
                blocks += 1;
                if thread == 0 && (done || blocks.is_multiple_of(256)) {
                    let words: u64 = guards.iter().map(|shard| shard.cursor.words()).sum();
                    let mut told = told.lock().expect("only one thread tells");
                    task.advance(words.saturating_sub(*told));
                    *told = words.max(*told);
                    let loss: f64 = guards.iter().map(|shard| shard.loss).sum();
                    let windows: u64 = guards.iter().map(|shard| shard.loss_windows).sum();
                    task.note(&format!("loss {:.4}", loss / windows.max(1) as f64));
                }
                drop(guards);
                if !barrier.wait() || done {
                    return;
                }
            }
        };
        if self.threads == 1 {
            work(0);
        } else {
            std::thread::scope(|scope| {
                for thread in 1..self.threads {
                    scope.spawn(move || work(thread));
                }
                work(0);
            });
        }
        shards.into_iter().map(|shard| shard.into_inner().expect("no shard panics")).fold(
            Epoch::default(),
            |mut sum, shard| {
                sum.add(&Epoch {
                    words: shard.cursor.words(),
                    words_known: shard.cursor.words_known,
                    words_kept: shard.cursor.words_kept,
                    loss: shard.loss,
                    loss_windows: shard.loss_windows,
                    broken: shard.broken,
                });
                sum
            },
        )
    }

    /// The step of a shard that has gone through so many of its words in this epoch.
    pub fn rate(&self, epoch: usize, words: u64, length: u64) -> f32 {
        let p = self.params;
        let progress = (epoch as f64 + words as f64 / length.max(1) as f64) / p.epochs as f64;
        (p.learning_rate + (p.min_learning_rate - p.learning_rate) * progress).max(p.min_learning_rate) as f32
    }

    pub fn length(&self, (start, end): (Place, Place)) -> u64 {
        let whole: usize = (start.0..end.0).map(|paper| self.text.tokens.of(crate::corpus::PaperId(paper)).len()).sum();
        (whole + end.1).saturating_sub(start.1) as u64
    }
}

/// A matrix while nobody writes it.
impl Source for View<'_> {
    #[inline(always)]
    fn copy<S: Simd>(self, simd: S, row: u32, out: &mut [Lanes]) {
        kernels::copy(simd, self.row(row), out);
    }
    #[inline(always)]
    fn prefetch(self, row: u32) {
        kernels::prefetch(self.row(row));
    }
}

/// One shard's part of a block.
struct Block<'a> {
    compute: Compute<'a, View<'a>>,
    plan: &'a Plan<'a>,
    shard: &'a mut Shard,
    room: &'a mut Room,
}

impl Work for Block<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Shard { cursor, windows, notes, loss, loss_windows, broken } = self.shard;
        windows.clear();
        cursor.fill(self.plan.text, self.plan.share, windows);
        let found = self.compute.run(simd, windows, self.room, notes);
        if windows.count() > 0 {
            *loss += found;
            *loss_windows += 1;
            *broken |= !found.is_finite();
        }
    }
}

/// One part of a matrix adds what the shards noted for it.
struct Apply<'a, U> {
    rows: &'a mut [Lanes],
    width: usize,
    updates: U,
}

impl<'s, U: Iterator<Item = (&'s [Change], &'s [Lanes])>> Work for Apply<'_, U> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let width = self.width;
        for (updates, vectors) in self.updates {
            for (at, update) in updates.iter().enumerate() {
                if let Some(later) = updates.get(at + 4) {
                    kernels::prefetch(&self.rows[later.place as usize * width..][..width]);
                }
                kernels::add_scaled(
                    simd,
                    &mut self.rows[update.place as usize * width..][..width],
                    update.scale,
                    &vectors[update.vector as usize * width..][..width],
                );
            }
        }
    }
}

/// Threads wait here for each other: a short spin, then asleep, so that a machine with other work to do can do it.
struct Barrier {
    threads: usize,
    arrived: AtomicUsize,
    round: AtomicUsize,
    alarm: AtomicBool,
    sleepers: Mutex<()>,
    bell: Condvar,
}

impl Barrier {
    fn new(threads: usize) -> Barrier {
        Barrier {
            threads,
            arrived: AtomicUsize::new(0),
            round: AtomicUsize::new(0),
            alarm: AtomicBool::new(false),
            sleepers: Mutex::new(()),
            bell: Condvar::new(),
        }
    }

    /// Waits for all; false if one of them panicked and will never come.
    fn wait(&self) -> bool {
        let round = self.round.load(Ordering::Acquire);
        let waits = || self.round.load(Ordering::Acquire) == round && !self.alarm.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Release);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            self.ring();
        } else {
            let mut spins = 0;
            while spins < 1_000 && waits() {
                spins += 1;
                std::hint::spin_loop();
            }
            if waits() {
                let mut sleep = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
                while waits() {
                    sleep = self.bell.wait(sleep).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
        !self.alarm.load(Ordering::Acquire)
    }

    /// Wakes all. The lock makes sure that nobody is between the look at the round and the sleep.
    fn ring(&self) {
        drop(self.sleepers.lock().unwrap_or_else(PoisonError::into_inner));
        self.bell.notify_all();
    }
}

/// Rings when its thread panics, so that the others do not wait for it.
struct Alarm<'a>(&'a Barrier);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.alarm.store(true, Ordering::Release);
            self.0.ring();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedding::vocabulary::Vocabulary;
    use crate::embedding::windows::{Targets, block_size, cut};
    use crate::embedding::{Architecture, Loss};
    use crate::progress::Silent;
    use crate::text::Tokens;

    const DIMS: usize = 5;

    type Rows64 = Vec<Vec<f64>>;

    fn numbers(rows: &Rows) -> Rows64 {
        let mut all = Vec::new();
        rows.each(DIMS, |row| all.push(row.iter().map(|&x| f64::from(x)).collect()));
        all
    }

    /// Each window written out: its word, the words around, its output rows, what they are to say.
    fn listed(windows: &Windows, text: &Text) -> Vec<(u32, Vec<u32>, Vec<u32>, Vec<f32>)> {
        let mut all = Vec::new();
        let (mut words, mut reaches, mut drawn) = (0, 0, 0);
        for piece in &windows.pieces {
            let own = &windows.words[words..piece.words];
            for (number, &reach) in windows.reaches[reaches..piece.reaches].iter().enumerate() {
                let at = piece.first + number;
                let mut context = own[at.saturating_sub(reach as usize)..at].to_vec();
                context.extend(own[at + 1..].iter().take(reach as usize));
                let (mut outputs, mut labels) = (vec![own[at]], vec![1.0]);
                match &text.targets {
                    Targets::Negative { negative, .. } => {
                        let group = &windows.drawn[drawn + number / text.group * negative..][..*negative];
                        outputs.extend(group.iter().filter(|&&row| row != own[at]));
                        labels.resize(outputs.len(), 0.0);
                    }
                    Targets::Hierarchical(huffman) => {
                        (outputs, labels) = (huffman.path(own[at]).0.to_vec(), huffman.path(own[at]).1.to_vec());
                    }
                    Targets::Softmax => {}
                }
                all.push((own[at], context, outputs, labels));
            }
            (words, reaches, drawn) = (piece.words, piece.reaches, piece.drawn);
        }
        all
    }

    /// The loss of one window, from the papers' formulas, in f64.
    fn loss(text: &Text, cbow: bool, window: (u32, &[u32], &[u32], &[f32]), input: &Rows64, output: &Rows64) -> f64 {
        let (word, context, outputs, labels) = window;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let of_hidden = |hidden: &[f64]| match text.targets {
            Targets::Softmax => {
                let total: f64 = output.iter().map(|row| dot(hidden, row).exp()).sum();
                total.ln() - dot(hidden, &output[word as usize])
            }
            _ => outputs
                .iter()
                .zip(labels)
                .map(|(&row, &label)| {
                    let x = dot(hidden, &output[row as usize]);
                    (1.0 + (if label == 1.0 { -x } else { x }).exp()).ln()
                })
                .sum(),
        };
        if cbow {
            let mean: Vec<f64> = (0..DIMS)
                .map(|d| context.iter().map(|&c| input[c as usize][d]).sum::<f64>() / context.len() as f64)
                .collect();
            of_hidden(&mean)
        } else {
            context.iter().map(|&c| of_hidden(&input[c as usize])).sum()
        }
    }

    #[test]
    fn a_block_steps_down_the_gradient_of_every_kind() {
        // Small enough that no piece is damped.
        let rate = 1.0 / 64.0;
        let words = ["a", "b", "c", "a", "d", "e", "b", "f", "g", "c", "a"];
        let tokens = Tokens::from_texts([&words[..], &words[3..8]]);
        for architecture in [Architecture::Cbow, Architecture::SkipGram] {
            for (kind, group) in [
                (Loss::NegativeSampling, 1),
                (Loss::NegativeSampling, 3),
                (Loss::HierarchicalSoftmax, 1),
                (Loss::Softmax, 1),
            ] {
                let params = Word2VecParams {
                    architecture,
                    loss: kind,
                    dims: DIMS,
                    window: 3,
                    epochs: 1,
                    min_count: 1,
                    sample: 0.0,
                    learning_rate: rate,
                    group,
                    ..Default::default()
                };
                let vocabulary = Vocabulary::new(&tokens, &params, &[]).unwrap();
                let text = Text {
                    tokens: &tokens,
                    places: &vocabulary.places,
                    keep: vocabulary.keep(0.0),
                    targets: Targets::new(&params, &vocabulary),
                    window: 3,
                    group: params.group(),
                };
                let parts = cut(&tokens, 1);
                let plan = Plan {
                    params: &params,
                    text: &text,
                    parts: &parts,
                    share: 100,
                    seed: Seed(4),
                    threads: 1,
                    instructions: Instructions::best(),
                };
                let mut random = Seed(8).stream("test");
                let rows = if kind == Loss::HierarchicalSoftmax { vocabulary.len() - 1 } else { vocabulary.len() };
                let mut fill = |_: usize, row: &mut [f32]| row.fill_with(|| random.unit() as f32 * 2.0 - 1.0);
                let input = Rows::new(vocabulary.len(), DIMS, 1, &mut fill);
                let output = Rows::new(rows, DIMS, 1, &mut fill);
                let before = [numbers(&input), numbers(&output)];
                plan.epoch(0, &input, &output, &Silent);
                let after = [numbers(&input), numbers(&output)];
                let mut windows = Windows::default();
                Cursor::new(Seed(4), 0, 0, parts[0]).fill(&text, 100, &mut windows);
                let listed = listed(&windows, &text);
                assert_eq!(listed.len(), 16);
                let cbow = architecture == Architecture::Cbow;
                for matrix in 0..2 {
                    for row in 0..before[matrix].len() {
                        for d in 0..DIMS {
                            let mut wanted = 0.0;
                            for (word, context, outputs, labels) in &listed {
                                let window = (*word, context.as_slice(), outputs.as_slice(), labels.as_slice());
                                let slope = |step: f64| {
                                    let mut moved = before.clone();
                                    moved[matrix][row][d] += step;
                                    loss(&text, cbow, window, &moved[0], &moved[1])
                                };
                                // The error of a CBOW window goes to each word around it undivided.
                                let factor = if cbow && matrix == 0 { context.len() as f64 } else { 1.0 };
                                wanted -= factor * (slope(1e-5) - slope(-1e-5)) / 2e-5;
                            }
                            let got = (after[matrix][row][d] - before[matrix][row][d]) / rate;
                            assert!(
                                (got - wanted).abs() < 2e-5,
                                "{architecture} {kind}, matrix {matrix}, row {row}, dim {d}: {got} {wanted}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Softmax on a tiny text against the same training written plainly, one window after the other, in f64.
    #[test]
    fn exact_softmax_is_plain_gradient_descent() {
        let tokens = Tokens::from_texts(vec![["a", "b", "c", "d", "a", "c"]; 40]);
        let params = Word2VecParams {
            loss: Loss::Softmax,
            dims: DIMS,
            window: 2,
            group: 1,
            epochs: 3,
            min_count: 1,
            sample: 0.0,
            learning_rate: 0.1,
            min_learning_rate: 0.1,
            shards: 1,
            block: Some(1),
            ..Default::default()
        };
        let vocabulary = Vocabulary::new(&tokens, &params, &[]).unwrap();
        assert!(block_size(&params, &vocabulary, 0.4) < 16, "a tiny vocabulary has tiny blocks");
        let trained =
            crate::embedding::train(&tokens, &params.clone().check().unwrap(), &crate::progress::Run::silent(Seed(4)))
                .unwrap();
        let mut random = Seed(4).stream("word2vec/init");
        let mut input: Rows64 = (0..vocabulary.len())
            .map(|_| (0..DIMS).map(|_| (2.0 * random.unit() - 1.0) * params.init / DIMS as f64).collect())
            .collect();
        let mut output: Rows64 = vec![vec![0.0; DIMS]; vocabulary.len()];
        let text = Text {
            tokens: &tokens,
            places: &vocabulary.places,
            keep: vocabulary.keep(0.0),
            targets: Targets::Softmax,
            window: 2,
            group: 1,
        };
        for epoch in 0..3 {
            let mut cursor = Cursor::new(Seed(4), epoch, 0, ((0, 0), (40, 0)));
            let mut windows = Windows::default();
            cursor.fill(&text, 10_000, &mut windows);
            for (word, context, _, _) in listed(&windows, &text) {
                let context: Vec<usize> = context.iter().map(|&c| c as usize).collect();
                let hidden: Vec<f64> = (0..DIMS)
                    .map(|d| context.iter().map(|&c| input[c][d]).sum::<f64>() / context.len() as f64)
                    .collect();
                let scores: Vec<f64> =
                    output.iter().map(|row| row.iter().zip(&hidden).map(|(a, b)| a * b).sum::<f64>().exp()).collect();
                let total: f64 = scores.iter().sum();
                let steps: Vec<f64> = (0..output.len())
                    .map(|row| 0.1 * (f64::from(u8::from(row == word as usize)) - scores[row] / total))
                    .collect();
                let error: Vec<f64> =
                    (0..DIMS).map(|d| steps.iter().zip(&output).map(|(step, row)| step * row[d]).sum()).collect();
                for (row, step) in output.iter_mut().zip(&steps) {
                    row.iter_mut().zip(&hidden).for_each(|(x, h)| *x += step * h);
                }
                for c in context {
                    input[c].iter_mut().zip(&error).for_each(|(x, e)| *x += e);
                }
            }
        }
        for (word, row) in vocabulary.words.iter().zip(&input) {
            let got = trained.embedding.vector(word).unwrap();
            assert!(
                row.iter().zip(got).all(|(a, &b)| (a - f64::from(b)).abs() < 1e-4 * a.abs().max(1.0)),
                "{word}: {got:?} {row:?}"
            );
        }
    }
}
