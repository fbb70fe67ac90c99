//! Training as Hogwild (Niu, Recht, Re, Wright 2011) has it: each thread goes its own way through its own share of the
//! text and changes rows at once, without locks. Threads may overwrite each other, so the result is another one each
//! time and with each number of threads; the model says so.
//!
//! Rows are relaxed atomics of two numbers each, so a race loses an update and is nothing worse. A row is copied into
//! lanes, computed on, and changed by its difference.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Architecture;
use super::kernels::{self, Lanes, Simd, Work};
use super::rows::Rows;
use super::schedule::{Epoch, Plan, activate, soften};
use super::windows::{Cursor, Targets, Windows};
use crate::progress::Task;

/// Windows read from the text at a time.
const BATCH: usize = 64;

/// Rows that all threads read and write.
struct Shared {
    pairs: Vec<AtomicU64>,
    /// Pairs in a row: eight a lane.
    width: usize,
}

impl Shared {
    fn of(rows: &Rows) -> Shared {
        let mut pairs = Vec::with_capacity(rows.count() * rows.width() * 8);
        rows.each_lanes(|row| {
            for lanes in row {
                pairs.extend(lanes.0.chunks_exact(2).map(|pair| AtomicU64::new(packed(pair[0], pair[1]))));
            }
        });
        Shared { pairs, width: rows.width() * 8 }
    }

    fn back(&self, rows: &Rows) {
        let mut place = 0;
        rows.each_lanes_mut(|row| {
            self.copy(place, row);
            place += 1;
        });
    }

    #[inline(always)]
    fn row(&self, row: u32) -> &[AtomicU64] {
        &self.pairs[row as usize * self.width..][..self.width]
    }

    #[inline(always)]
    fn copy(&self, row: u32, out: &mut [Lanes]) {
        for (lanes, pairs) in out.iter_mut().zip(self.row(row).chunks_exact(8)) {
            for (numbers, pair) in lanes.0.chunks_exact_mut(2).zip(pairs) {
                let pair = pair.load(Ordering::Relaxed);
                numbers[0] = f32::from_bits(pair as u32);
                numbers[1] = f32::from_bits((pair >> 32) as u32);
            }
        }
    }

    /// row += scale x vector
    #[inline(always)]
    fn add<S: Simd>(&self, simd: S, row: u32, scale: f32, vector: &[Lanes], spare: &mut [Lanes]) {
        self.copy(row, spare);
        kernels::add_scaled(simd, spare, scale, vector);
        for (lanes, pairs) in spare.iter().zip(self.row(row).chunks_exact(8)) {
            for (numbers, pair) in lanes.0.chunks_exact(2).zip(pairs) {
                pair.store(packed(numbers[0], numbers[1]), Ordering::Relaxed);
            }
        }
    }
}

#[inline(always)]
fn packed(low: f32, high: f32) -> u64 {
    u64::from(low.to_bits()) | u64::from(high.to_bits()) << 32
}

/// Goes through the text once. The plan has one part a thread.
pub(super) fn epoch(plan: &Plan, epoch: usize, input: &Rows, output: &Rows, task: &dyn Task) -> Epoch {
    let shared = (Shared::of(input), Shared::of(output));
    let mut done: Vec<Epoch> = vec![Epoch::default(); plan.parts.len()];
    std::thread::scope(|scope| {
        for (thread, done) in done.iter_mut().enumerate() {
            let shared = &shared;
            scope.spawn(move || {
                let walk = Walk {
                    plan,
                    epoch,
                    cursor: Cursor::new(plan.seed, epoch, thread, plan.parts[thread]),
                    length: plan.length(plan.parts[thread]),
                    input: &shared.0,
                    output: &shared.1,
                    lanes: input.width(),
                    outputs: output.count() as u32,
                    task,
                    done,
                };
                kernels::with(plan.instructions, walk);
            });
        }
    });
    shared.0.back(input);
    shared.1.back(output);
    done.into_iter().fold(Epoch::default(), |mut sum, part| {
        sum.add(&part);
        sum
    })
}

/// One thread's way through its part.
struct Walk<'a> {
    plan: &'a Plan<'a>,
    epoch: usize,
    cursor: Cursor,
    length: u64,
    input: &'a Shared,
    output: &'a Shared,
    lanes: usize,
    outputs: u32,
    task: &'a dyn Task,
    done: &'a mut Epoch,
}

impl Work for Walk<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let width = self.lanes;
        let softmax = matches!(self.plan.text.targets, Targets::Softmax);
        let all: Vec<u32> = if softmax { (0..self.outputs).collect() } else { Vec::new() };
        let mut windows = Windows::default();
        let (mut around, mut units): (Vec<Lanes>, Vec<Lanes>) = (Vec::new(), Vec::new());
        let (mut scores, mut column): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
        let mut hidden = vec![Lanes::ZERO; width];
        let mut change = vec![Lanes::ZERO; width];
        let mut spare = vec![Lanes::ZERO; width];
        let mut told = 0;
        loop {
            windows.clear();
            self.cursor.fill(self.plan.text, BATCH, &mut windows);
            if windows.ends.is_empty() {
                break;
            }
            let rate = self.plan.rate(self.epoch, self.cursor.words(), self.length);
            let (mut context_start, mut output_start) = (0, 0);
            for (number, &(word, context_end, output_end)) in windows.ends.iter().enumerate() {
                let context = &windows.context[context_start..context_end as usize];
                let (targets, labels) = match softmax {
                    true => (all.as_slice(), [].as_slice()),
                    false => (
                        &windows.outputs[output_start..output_end as usize],
                        &windows.labels[output_start..output_end as usize],
                    ),
                };
                (context_start, output_start) = (context_end as usize, output_end as usize);
                around.resize(context.len() * width, Lanes::ZERO);
                for (row, lanes) in context.iter().zip(around.chunks_exact_mut(width)) {
                    self.input.copy(*row, lanes);
                }
                units.resize(targets.len() * width, Lanes::ZERO);
                for (row, lanes) in targets.iter().zip(units.chunks_exact_mut(width)) {
                    self.output.copy(*row, lanes);
                }
                let context_rows: Vec<&[Lanes]> = around.chunks_exact(width).collect();
                let output_rows: Vec<&[Lanes]> = units.chunks_exact(width).collect();
                let ask = number == 0;
                let count = targets.len();
                let cbow = self.plan.params.architecture == Architecture::Cbow;
                let pairs = if cbow { 1 } else { context.len() };
                scores.resize((pairs * count).next_multiple_of(16), 0.0);
                let mut loss = 0.0;
                if cbow {
                    kernels::scaled_sum(simd, 1.0 / context.len() as f32, &context_rows, &mut hidden);
                }
                for pair in 0..pairs {
                    let vector = if cbow { hidden.as_slice() } else { context_rows[pair] };
                    let scores = &mut scores[pair * count..][..count];
                    kernels::dots(simd, vector, &output_rows, scores);
                    if softmax {
                        loss += soften(scores, word, rate, ask) / pairs as f64;
                    }
                }
                if !softmax {
                    loss += activate(&mut scores, labels, pairs, rate, ask);
                }
                if cbow {
                    kernels::weighted_sum(simd, &scores, &output_rows, &mut change);
                    for &row in context {
                        self.input.add(simd, row, 1.0, &change, &mut spare);
                    }
                    for (&row, &scale) in targets.iter().zip(&scores) {
                        self.output.add(simd, row, scale, &hidden, &mut spare);
                    }
                } else {
                    for (pair, &row) in context.iter().enumerate() {
                        kernels::weighted_sum(simd, &scores[pair * count..][..count], &output_rows, &mut change);
                        self.input.add(simd, row, 1.0, &change, &mut spare);
                    }
                    for (at, &row) in targets.iter().enumerate() {
                        column.clear();
                        for pair in 0..pairs {
                            column.push(scores[pair * count + at]);
                        }
                        kernels::weighted_sum(simd, &column, &context_rows, &mut change);
                        self.output.add(simd, row, 1.0, &change, &mut spare);
                    }
                }
                if ask {
                    self.done.loss += loss;
                    self.done.loss_windows += 1;
                    self.done.broken |= !loss.is_finite();
                }
            }
            let words = self.cursor.words();
            if words - told > 50_000 {
                self.task.advance(words - told);
                told = words;
            }
            if self.done.broken {
                break;
            }
        }
        self.done.words = self.cursor.words();
        self.done.words_known = self.cursor.words_known;
        self.done.words_kept = self.cursor.words_kept;
        self.task.advance(self.done.words - told);
    }
}
