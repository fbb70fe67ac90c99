//! Training as Hogwild (Niu, Recht, Re, Wright 2011) has it: each thread goes its own way through its own share of the
//! text and changes rows after every few windows, without locks. Threads may overwrite each other, so the result is
//! another one each time and with each number of threads; the model says so.
//!
//! Rows are relaxed atomics, so a race loses a change and is nothing worse.

use super::kernels::{self, Lanes, SharedLanes, Simd, Work};
use super::pieces::{Both, Compute, Notes, Room, Source};
use super::rows::Rows;
use super::schedule::{Epoch, Plan};
use super::windows::{Cursor, Windows};
use crate::progress::Task;

/// Rows that all threads read and write.
struct Shared<'a> {
    lanes: &'a [SharedLanes],
    width: usize,
}

impl Shared<'_> {
    #[inline(always)]
    fn row(&self, row: u32) -> &[SharedLanes] {
        &self.lanes[row as usize * self.width..][..self.width]
    }
}

impl Source for &Shared<'_> {
    #[inline(always)]
    fn copy<S: Simd>(self, simd: S, row: u32, out: &mut [Lanes]) {
        kernels::copy_shared(simd, self.row(row), out);
    }
    #[inline(always)]
    fn prefetch(self, row: u32) {
        kernels::prefetch(self.row(row));
    }
}

/// Goes through the text once. The plan has one part of the text a thread; the rows are all in one part.
pub(super) fn epoch(plan: &Plan, epoch: usize, input: &Rows, output: &Rows, task: &dyn Task) -> Epoch {
    let mut lanes = [input, output].map(|rows| rows.part(0).write().expect("no writer panics"));
    let [input_lanes, output_lanes] = &mut lanes;
    let shared = (
        Shared { lanes: kernels::shared(input_lanes), width: input.width() },
        Shared { lanes: kernels::shared(output_lanes), width: output.width() },
    );
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
                    rows: Both { input: &shared.0, output: &shared.1 },
                    outputs: output.count(),
                    task,
                    done,
                };
                kernels::with(plan.instructions, walk);
            });
        }
    });
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
    rows: Both<&'a Shared<'a>>,
    outputs: usize,
    task: &'a dyn Task,
    done: &'a mut Epoch,
}

impl Work for Walk<'_> {
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let mut windows = Windows::default();
        let mut room = Room::default();
        let mut notes = Notes::new(1);
        let mut told = 0;
        loop {
            windows.clear();
            self.cursor.fill(self.plan.text, self.plan.share, &mut windows);
            if windows.count() == 0 {
                break;
            }
            let compute = Compute {
                params: self.plan.params,
                targets: &self.plan.text.targets,
                rows: self.rows,
                width: self.rows.input.width,
                outputs: self.outputs,
                group: self.plan.text.group,
                rate: self.plan.rate(self.epoch, self.cursor.words(), self.length),
            };
            let loss = compute.run(simd, &windows, &mut room, &mut notes);
            self.done.loss += loss;
            self.done.loss_windows += 1;
            self.done.broken |= !loss.is_finite();
            for (changes, rows) in [(&notes.inputs[0], self.rows.input), (&notes.outputs[0], self.rows.output)] {
                for change in changes {
                    let vector = &notes.vectors()[change.vector as usize * rows.width..][..rows.width];
                    kernels::add_scaled_shared(simd, rows.row(change.place), change.scale, vector);
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
