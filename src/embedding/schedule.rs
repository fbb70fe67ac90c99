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
//! is small enough that even the most frequent word's row gets only some tens of updates that do not know of each
//! other ([`super::Word2Vec::STALE_STEPS`]); they come from distant places of the text, not from one paper that
//! repeats its words.
//!
//! Differences from word2vec.c and gensim: the drawn words of a skip-gram window are shared by all its pairs (Ji et al.
//! 2016), which makes a window one small matrix product; the sigmoid is computed, not looked up, and has no cut-off at
//! 6. As there, the error of a CBOW window goes to each word around it undivided.
//!
//! Time O(words x window x N x (1 + negative)) in two barriers a block; space two matrices V x N and the block.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError, RwLock};

use super::kernels::{self, Instructions, Lanes, Simd, Work};
use super::rows::{Rows, View};
use super::windows::{Cursor, Place, Targets, Text, Windows};
use super::{Architecture, Word2VecParams};
use crate::progress::Task;
use crate::seed::Seed;

/// More outputs than this in a skip-gram window (softmax over a vocabulary): note one update a pair instead of one sum
/// a row.
const MANY_OUTPUTS: usize = 64;

/// "Add `scale` x the shard's vector `vector` to the row at `place` of its part."
#[derive(Clone, Copy)]
struct Update {
    place: u32,
    vector: u32,
    scale: f32,
}

/// One shard: where it is, and what it noted in the last block.
struct Shard {
    cursor: Cursor,
    windows: Windows,
    vectors: Vec<Lanes>,
    inputs: Vec<Vec<Update>>,
    outputs: Vec<Vec<Update>>,
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
                    vectors: Vec::new(),
                    inputs: vec![Vec::new(); row_parts],
                    outputs: vec![Vec::new(); row_parts],
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
            loop {
                {
                    let (input_guards, output_guards) = (input.read(), output.read());
                    let input_parts: Vec<&[Lanes]> = input_guards.iter().map(|part| part.as_slice()).collect();
                    let output_parts: Vec<&[Lanes]> = output_guards.iter().map(|part| part.as_slice()).collect();
                    for number in (thread..shards.len()).step_by(self.threads) {
                        let mut shard = shards[number].write().expect("no shard panics");
                        kernels::with(
                            self.instructions,
                            Compute {
                                plan: self,
                                rate: self.rate(epoch, shard.cursor.words(), lengths[number]),
                                shard: &mut shard,
                                input: View::new(input, &input_parts),
                                output: View::new(output, &output_parts),
                                rows: (input, output),
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
                    let updates = guards.iter().map(|shard| (shard.inputs[part].as_slice(), shard.vectors.as_slice()));
                    kernels::with(self.instructions, Apply { rows: &mut rows, width: input.width(), updates });
                    let mut rows = output.part(part).write().expect("no writer panics");
                    let updates = guards.iter().map(|shard| (shard.outputs[part].as_slice(), shard.vectors.as_slice()));
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

/// One shard's part of a block.
struct Compute<'a> {
    plan: &'a Plan<'a>,
    rate: f32,
    shard: &'a mut Shard,
    input: View<'a>,
    output: View<'a>,
    rows: (&'a Rows, &'a Rows),
}

impl Work for Compute<'_> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Compute { plan, rate, shard, input, output, rows } = self;
        let width = rows.0.width();
        shard.vectors.clear();
        shard.inputs.iter_mut().chain(&mut shard.outputs).for_each(Vec::clear);
        shard.windows.clear();
        shard.cursor.fill(plan.text, plan.share, &mut shard.windows);
        let Shard { windows, vectors, inputs, outputs, .. } = shard;
        let softmax = matches!(plan.text.targets, Targets::Softmax);
        let all: Vec<u32> = if softmax { (0..rows.1.count() as u32).collect() } else { Vec::new() };
        let mut context_rows: Vec<&[Lanes]> = Vec::new();
        let mut output_rows: Vec<&[Lanes]> = Vec::new();
        let mut scores: Vec<f32> = Vec::new();
        let mut column: Vec<f32> = Vec::new();
        let (mut context_start, mut output_start) = (0, 0);
        let mut first = true;
        let mut loss = 0.0;
        for &(word, context_end, output_end) in &windows.ends {
            let context = &windows.context[context_start..context_end as usize];
            let (targets, labels) = match softmax {
                true => (all.as_slice(), [].as_slice()),
                false => (
                    &windows.outputs[output_start..output_end as usize],
                    &windows.labels[output_start..output_end as usize],
                ),
            };
            (context_start, output_start) = (context_end as usize, output_end as usize);
            context_rows.clear();
            for &row in context {
                context_rows.push(input.row(row));
            }
            output_rows.clear();
            for &row in targets {
                output_rows.push(output.row(row));
            }
            // The next window's rows are on their way while this one is computed.
            for &row in windows.context[context_start..].iter().take(context.len()) {
                kernels::prefetch(input.row(row));
            }
            for &row in windows.outputs[output_start..].iter().take(if softmax { 0 } else { targets.len() }) {
                kernels::prefetch(output.row(row));
            }
            let base = (vectors.len() / width) as u32;
            match plan.params.architecture {
                Architecture::Cbow => {
                    vectors.resize(vectors.len() + 2 * width, Lanes::ZERO);
                    let (hidden, error) = vectors[base as usize * width..].split_at_mut(width);
                    kernels::scaled_sum(simd, 1.0 / context.len() as f32, &context_rows, hidden);
                    scores.resize(targets.len().next_multiple_of(16), 0.0);
                    kernels::dots(simd, hidden, &output_rows, &mut scores);
                    loss += match softmax {
                        true => soften(&mut scores[..targets.len()], word, rate, first),
                        false => activate(&mut scores, labels, 1, rate, first),
                    };
                    kernels::weighted_sum(simd, &scores, &output_rows, error);
                    for &row in context {
                        let (part, place) = rows.0.place(row);
                        inputs[part].push(Update { place, vector: base + 1, scale: 1.0 });
                    }
                    for (&row, &scale) in targets.iter().zip(&scores) {
                        let (part, place) = rows.1.place(row);
                        outputs[part].push(Update { place, vector: base, scale });
                    }
                }
                Architecture::SkipGram => {
                    let (pairs, count) = (context.len(), targets.len());
                    let many = count > MANY_OUTPUTS;
                    let noted = pairs + if many { pairs } else { count };
                    vectors.resize(vectors.len() + noted * width, Lanes::ZERO);
                    let mine = &mut vectors[base as usize * width..];
                    scores.resize((pairs * count).next_multiple_of(16), 0.0);
                    for (at, row) in context_rows.iter().enumerate() {
                        let scores = &mut scores[at * count..][..count];
                        kernels::dots(simd, row, &output_rows, scores);
                        if softmax {
                            loss += soften(scores, word, rate, first) / pairs as f64;
                        }
                    }
                    if !softmax {
                        loss += activate(&mut scores, labels, pairs, rate, first);
                    }
                    for (at, error) in mine.chunks_exact_mut(width).take(pairs).enumerate() {
                        kernels::weighted_sum(simd, &scores[at * count..][..count], &output_rows, error);
                    }
                    for (at, &row) in context.iter().enumerate() {
                        let (part, place) = rows.0.place(row);
                        inputs[part].push(Update { place, vector: base + at as u32, scale: 1.0 });
                    }
                    for (at, &row) in targets.iter().enumerate() {
                        let (part, place) = rows.1.place(row);
                        if many {
                            for pair in 0..pairs {
                                let vector = base + (pairs + pair) as u32;
                                outputs[part].push(Update { place, vector, scale: scores[pair * count + at] });
                            }
                        } else {
                            column.clear();
                            column.extend((0..pairs).map(|pair| scores[pair * count + at]));
                            let change = &mut mine[(pairs + at) * width..][..width];
                            kernels::weighted_sum(simd, &column, &context_rows, change);
                            outputs[part].push(Update { place, vector: base + (pairs + at) as u32, scale: 1.0 });
                        }
                    }
                    if many {
                        for (copy, row) in mine[pairs * width..].chunks_exact_mut(width).zip(&context_rows) {
                            copy.copy_from_slice(row);
                        }
                    }
                }
            }
            first = false;
        }
        if !windows.ends.is_empty() {
            shard.loss += loss;
            shard.loss_windows += 1;
            shard.broken |= !loss.is_finite();
        }
    }
}

/// Turns the scores of `pairs` times the same units into steps: rate x (label - prediction). Gives the mean loss of the
/// pairs if asked to, else 0. Scores are filled up to whole lanes; what stands there is of no meaning before and after.
#[inline(always)]
pub(super) fn activate(scores: &mut [f32], labels: &[f32], pairs: usize, rate: f32, ask: bool) -> f64 {
    kernels::sigmoids(scores);
    let mut loss = 0.0;
    for scores in scores.chunks_exact_mut(labels.len().max(1)).take(pairs) {
        for (score, &label) in scores.iter_mut().zip(labels) {
            if ask {
                loss -= natural_log(if label == 1.0 { *score } else { 1.0 - *score });
            }
            *score = rate * (label - *score);
        }
    }
    loss / pairs as f64
}

/// The same for softmax over all rows, of which `word` is the one to predict.
#[inline(always)]
pub(super) fn soften(scores: &mut [f32], word: u32, rate: f32, ask: bool) -> f64 {
    kernels::softmax(scores);
    let loss = if ask { -natural_log(scores[word as usize]) } else { 0.0 };
    for (row, score) in scores.iter_mut().enumerate() {
        *score = rate * (f32::from(row == word as usize) - *score);
    }
    loss
}

/// ln p; a prediction that rounded to 0 counts as 1e-30, a NaN stays one.
fn natural_log(p: f32) -> f64 {
    if p < 1e-30 { libm::log(1e-30) } else { libm::log(f64::from(p)) }
}

/// One part of a matrix adds what the shards noted for it.
struct Apply<'a, U> {
    rows: &'a mut [Lanes],
    width: usize,
    updates: U,
}

impl<'s, U: Iterator<Item = (&'s [Update], &'s [Lanes])>> Work for Apply<'_, U> {
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
    use crate::embedding::Loss;
    use crate::embedding::vocabulary::Vocabulary;
    use crate::embedding::windows::{block_size, cut};
    use crate::progress::Silent;
    use crate::text::Tokens;

    const DIMS: usize = 5;

    type Rows64 = Vec<Vec<f64>>;

    fn numbers(rows: &Rows) -> Rows64 {
        let mut all = Vec::new();
        rows.each(DIMS, |row| all.push(row.iter().map(|&x| f64::from(x)).collect()));
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
        let words = ["a", "b", "c", "a", "d", "e", "b", "f", "g", "c", "a"];
        let tokens = Tokens::from_texts([&words[..], &words[3..8]]);
        for architecture in [Architecture::Cbow, Architecture::SkipGram] {
            for kind in [Loss::NegativeSampling, Loss::HierarchicalSoftmax, Loss::Softmax] {
                let params = Word2VecParams {
                    architecture,
                    loss: kind,
                    dims: DIMS,
                    window: 3,
                    epochs: 1,
                    min_count: 1,
                    sample: 0.0,
                    learning_rate: 1.0,
                    ..Default::default()
                };
                let vocabulary = Vocabulary::new(&tokens, &params, &[]).unwrap();
                let text = Text {
                    tokens: &tokens,
                    places: &vocabulary.places,
                    keep: vocabulary.keep(0.0),
                    targets: Targets::new(&params, &vocabulary),
                    window: 3,
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
                assert_eq!(windows.ends.len(), 16);
                let cbow = architecture == Architecture::Cbow;
                for matrix in 0..2 {
                    for row in 0..before[matrix].len() {
                        for d in 0..DIMS {
                            let (mut wanted, mut from, mut outputs_from) = (0.0, 0, 0);
                            for &(word, end, outputs_end) in &windows.ends {
                                let context = &windows.context[from..end as usize];
                                let outputs = outputs_from..outputs_end as usize;
                                let window =
                                    (word, context, &windows.outputs[outputs.clone()], &windows.labels[outputs]);
                                (from, outputs_from) = (end as usize, outputs_end as usize);
                                let slope = |step: f64| {
                                    let mut moved = before.clone();
                                    moved[matrix][row][d] += step;
                                    loss(&text, cbow, window, &moved[0], &moved[1])
                                };
                                // The error of a CBOW window goes to each word around it undivided.
                                let factor = if cbow && matrix == 0 { context.len() as f64 } else { 1.0 };
                                wanted -= factor * (slope(1e-5) - slope(-1e-5)) / 2e-5;
                            }
                            let got = after[matrix][row][d] - before[matrix][row][d];
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
        };
        for epoch in 0..3 {
            let mut cursor = Cursor::new(Seed(4), epoch, 0, ((0, 0), (40, 0)));
            let mut windows = Windows::default();
            cursor.fill(&text, 10_000, &mut windows);
            let mut from = 0;
            for &(word, end, _) in &windows.ends {
                let context: Vec<usize> = windows.context[from..end as usize].iter().map(|&c| c as usize).collect();
                from = end as usize;
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
