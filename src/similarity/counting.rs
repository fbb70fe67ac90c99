//! Counting all scores in one pass: the values of a kernel fall into bins, and only what lies near a limit is looked at.

use rayon::prelude::*;

use super::kernels::{self, BINS, BINS_PER_UNIT, CELLS, LEFT, MARK, RIGHT, Values, Waiting};
use super::panels::{Numbers, Rights, STRIP, Shelf, micro_tiles, pack_strip, tiles};
use super::rows::AllPairs;
use super::{Measure, Score, Tally};
use crate::corpus::Pair;
use crate::progress::Run;

impl AllPairs<'_> {
    /// Counts the pairs at or above each score that a curve needs: the scores of the watched pairs, the next score after
    /// each, and the grid. One pass over all pairs; the counts are exact.
    ///
    /// Values of a kernel fall into bins. A bin in which no limit lies within the kernel's proven error belongs to one
    /// interval between limits; a pair in any other bin is put into its interval by its value where that is farther from
    /// every limit than the error, and by the definition where it is not. Time O(m² N); memory O(m) and 128 KiB of bins for
    /// each thread.
    pub fn tally(&self, watched: &[Pair], grid: &[Score], run: &Run) -> Tally {
        let scores: Vec<Option<Score>> =
            watched.par_iter().map(|&pair| self.is_present(pair).then(|| self.score(pair))).collect();
        let edges = Tally::edges(&scores, grid);
        let m = self.present().len();
        let limits = Limits::new(self, &edges);
        let task = run.progress.start("counting all pairs", Some(Pair::count(m)), "pairs");
        let (counters, rights) = (Shelf::new(), Rights::new(Numbers::all(self)));
        let mut left = Vec::new();
        for start in (0..m).step_by(STRIP) {
            let strip = start..(start + STRIP).min(m);
            pack_strip(Numbers::all(self), strip.clone(), &mut left);
            tiles(start, m).into_par_iter().for_each(|tile| {
                rights.with(tile.clone(), |right| {
                    counters.with(
                        || Counter::new(self, &limits),
                        |counter| {
                            let (size_l, size_r) = (LEFT * counter.width, RIGHT * counter.width);
                            for (panel_l, row, panel_r, column) in micro_tiles(&strip, &tile) {
                                let l = &left[panel_l * size_l..][..size_l];
                                let r = &right[panel_r * size_r..][..size_r];
                                let whole =
                                    column >= row + LEFT && row + LEFT <= strip.end && column + RIGHT <= tile.end;
                                if whole {
                                    counter.count(l, r, row, column);
                                } else {
                                    counter.count_part(l, r, row..strip.end, column..tile.end);
                                }
                            }
                            counter.finish_tile();
                        },
                    );
                });
            });
            task.advance(strip.map(|row| (m - 1 - row) as u64).sum());
        }
        let mut between = vec![0u64; edges.len() + 1];
        for mut counter in counters.into_items() {
            counter.empty_bins();
            between.iter_mut().zip(&counter.between).for_each(|(sum, &count)| *sum += count);
        }
        let mut above = 0;
        let mut at_or_above: Vec<u64> = between[1..]
            .iter()
            .rev()
            .map(|&count| {
                above += count;
                above
            })
            .collect();
        at_or_above.reverse();
        Tally::new(Pair::count(self.asked()), Pair::count(m), edges, at_or_above, scores)
    }
}

/// Where the limits of a tally lie among the bins of a kernel's values.
struct Limits {
    edges: Vec<Score>,
    /// The values of the edges, ascending.
    values: Vec<f64>,
    error: f64,
    /// The place of the bin that 0 falls into.
    zero: f32,
    /// For each bin the interval that it belongs to, or `MIXED`.
    interval: Vec<u32>,
    /// The first edge that can be within the error of a value in the bin.
    first: Vec<u32>,
}

/// A bin with a limit in it.
const MIXED: u32 = u32::MAX;
/// So many values are counted before the bins' counters, which have 31 bits, are emptied.
const FULL: u64 = 1 << 30;

impl Limits {
    fn new(pairs: &AllPairs<'_>, edges: &[Score]) -> Limits {
        let values: Vec<f64> = edges.iter().map(|&edge| pairs.least_value(edge)).collect();
        let (low, _) = pairs.value_range();
        // The lowest value falls into bin 8: the error of a value is far smaller than 8 bins.
        let zero = 8.0 - low as f32 * BINS_PER_UNIT;
        let error = pairs.value_error();
        // A bin is a monotone function of the value, so every value within the error of a limit falls between the bins
        // of the two ends, which are mixed.
        let (mut interval, mut first) = (vec![0u32; BINS], vec![0u32; BINS]);
        let mut next = 0;
        for (edge, &value) in values.iter().enumerate() {
            let from = kernels::bin(((value - error) as f32).next_down(), zero).max(next);
            let to = kernels::bin(((value + error) as f32).next_up(), zero);
            interval[next..from].fill(edge as u32);
            if from <= to {
                interval[from..=to].fill(MIXED);
                (from..=to).for_each(|bin| first[bin] = first_near(&values, error, bin, zero));
                next = to + 1;
            }
        }
        interval[next..].fill(values.len() as u32);
        Limits { edges: edges.to_vec(), values, error, zero, interval, first }
    }

    /// The interval of a pair whose bin does not tell.
    fn decide(&self, pairs: &AllPairs<'_>, row: usize, column: usize, value: f32) -> usize {
        let from = self.first[kernels::bin(value, self.zero)] as usize;
        let value = f64::from(value);
        let below = from + self.values[from..].iter().take_while(|&&edge| edge < value - self.error).count();
        if self.values.get(below).is_none_or(|&edge| edge > value + self.error) {
            return below;
        }
        let score = pairs.score_of(pairs.present()[row], pairs.present()[column]);
        self.edges.partition_point(|&edge| edge <= score)
    }
}

/// The first edge that is not below every value of a bin by more than the error.
fn first_near(values: &[f64], error: f64, bin: usize, zero: f32) -> u32 {
    // A bin and one more below it, for the rounding of the bin's own place.
    let low = (bin as f64 - 1.0 - f64::from(zero)) / f64::from(BINS_PER_UNIT) - error;
    values.partition_point(|&edge| edge < low) as u32
}

/// The counts of one worker.
struct Counter<'a> {
    pairs: &'a AllPairs<'a>,
    limits: &'a Limits,
    width: usize,
    bins: Box<[u32; BINS]>,
    counted: u64,
    between: Vec<u64>,
    waiting: Box<Waiting>,
    before: Box<Values>,
    /// The first row and column of the micro-tile that waits.
    place: (usize, usize),
}

impl<'a> Counter<'a> {
    fn new(pairs: &'a AllPairs<'a>, limits: &'a Limits) -> Counter<'a> {
        let mut counter = Counter {
            pairs,
            limits,
            width: pairs.kernel_width(),
            bins: Box::new([0; BINS]),
            counted: 0,
            between: vec![0; limits.edges.len() + 1],
            waiting: Box::new(Waiting::nothing()),
            before: Box::new([0.0; CELLS]),
            place: (0, 0),
        };
        counter.empty_bins();
        counter
    }

    fn count(&mut self, left: &[f32], right: &[f32], row: usize, column: usize) {
        let listed = kernels::count(
            self.pairs.kernel().of_products(),
            self.pairs.measure() == Measure::Manhattan,
            self.width,
            left,
            right,
            self.limits.zero,
            &mut self.bins,
            &mut self.waiting,
            &mut self.before,
        );
        for at in 0..listed {
            let cell = self.waiting.marked[at] as usize;
            self.decide(cell, self.before[cell]);
        }
        self.place = (row, column);
        self.counted += CELLS as u64;
        if self.counted > FULL {
            self.finish_tile();
            self.empty_bins();
        }
    }

    fn decide(&mut self, cell: usize, value: f32) {
        let (row, column) = (self.place.0 + cell / RIGHT, self.place.1 + cell % RIGHT);
        self.between[self.limits.decide(self.pairs, row, column, value)] += 1;
    }

    /// A micro-tile of which only some cells are pairs.
    fn count_part(
        &mut self,
        left: &[f32],
        right: &[f32],
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
    ) {
        let mut values = [0.0; CELLS];
        let distance = self.pairs.measure() == Measure::Manhattan;
        let kernel = self.pairs.kernel().of_products();
        kernels::reach(kernel, distance, self.width, left, right, f32::NEG_INFINITY, &mut values);
        for (row, values) in rows.zip(values.chunks_exact(RIGHT)) {
            for (column, &value) in columns.clone().zip(values).filter(|&(column, _)| column > row) {
                let interval = match self.limits.interval[kernels::bin(value, self.limits.zero)] {
                    MIXED => self.limits.decide(self.pairs, row, column, value),
                    interval => interval as usize,
                };
                self.between[interval] += 1;
            }
        }
    }

    /// Counts what still waits.
    fn finish_tile(&mut self) {
        let listed = self.waiting.drain(&mut self.bins);
        for at in 0..listed {
            let cell = self.waiting.marked[at] as usize;
            self.decide(cell, self.waiting.values[cell]);
        }
    }

    fn empty_bins(&mut self) {
        // The last bin holds what `Waiting::nothing` counted.
        self.bins[BINS - 1] = 0;
        for (bin, &interval) in self.bins.iter_mut().zip(&self.limits.interval) {
            if interval == MIXED {
                *bin = MARK;
            } else {
                self.between[interval as usize] += u64::from(*bin);
                *bin = 0;
            }
        }
        self.counted = 0;
    }
}
