//! The walk over the upper triangle: strips of rows against tiles of later rows, on all cores, never the whole matrix.

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::rows::{AllPairs, Side};
use super::{PairSink, Scan, Score, Tally};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;

/// Rows of a strip, the left side of the products.
const STRIP: usize = 2048;
/// Rows of the left side in one tile: the tile's values stay in a core's second-level cache.
const TILE_ROWS: usize = 256;
/// Rows of the right side in one tile.
const TILE_COLUMNS: usize = 512;
/// Pairs found that may be held before they go to the sink: 24 MiB.
const BUDGET: u64 = 1 << 21;

/// Buffers that workers take and give back, so that there are never more of them than threads at work.
struct Shelf<T> {
    kept: Mutex<Vec<T>>,
}

impl<T> Shelf<T> {
    fn new() -> Shelf<T> {
        Shelf { kept: Mutex::new(Vec::new()) }
    }

    fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let kept = self.kept.lock().expect("no worker panicked").pop();
        let mut item = kept.unwrap_or_else(make);
        let result = work(&mut item);
        self.kept.lock().expect("no worker panicked").push(item);
        result
    }

    fn into_items(self) -> Vec<T> {
        self.kept.into_inner().expect("no worker panicked")
    }
}

/// What one worker needs for a tile.
struct Bench {
    right: Vec<f32>,
    values: Vec<f32>,
}

impl Bench {
    fn new(width: usize) -> Bench {
        Bench { right: vec![0.0; TILE_COLUMNS * width], values: vec![0.0; TILE_ROWS * TILE_COLUMNS] }
    }
}

impl AllPairs<'_> {
    /// Gives the sink every pair whose score is at or above λ: ascending, each once, with the score of the definition.
    ///
    /// Time O(m² N), on all threads of the current pool; memory O(m) beyond the rows and at most some 100 MiB more,
    /// however many pairs are found: where they are many, strips become lower.
    pub fn scan(&self, lambda: Score, sink: &mut dyn PairSink, run: &Run) -> Scan {
        let mut scan = Scan { pairs: Pair::count(self.len()), ..Scan::default() };
        let m = self.present().len();
        let task = run.progress.start("all pairs", Some(Pair::count(m)), "pairs");
        let least = (self.least_value(lambda) - self.value_error()) as f32;
        let least = least.next_down();
        let benches = Shelf::new();
        let mut left = Vec::new();
        let (mut start, mut height) = (0, STRIP);
        while start < m {
            let strip = start..(start + height).min(m);
            self.pack(strip.clone(), Side::Left, &mut left);
            let (held, verified, full) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
            let tiles: Vec<usize> = (start..m).step_by(TILE_COLUMNS).collect();
            let found: Vec<Vec<(Pair, Score)>> = tiles
                .into_par_iter()
                .map(|column| {
                    let columns = column..(column + TILE_COLUMNS).min(m);
                    let mut found = Vec::new();
                    let mut tried = 0;
                    benches.with(
                        || Bench::new(self.kernel_width()),
                        |bench| {
                            self.tile(&left, strip.clone(), columns, bench, |row, first, values| {
                                if full.load(Relaxed) {
                                    return;
                                }
                                let before = found.len();
                                for (place, &value) in values.iter().enumerate() {
                                    if value >= least {
                                        tried += 1;
                                        let (x, y) = (self.present()[row], self.present()[first + place]);
                                        let score = self.score_of(x, y);
                                        if score >= lambda {
                                            let pair = Pair::new(PaperId(x), PaperId(y)).expect("x < y");
                                            found.push((pair, score));
                                        }
                                    }
                                }
                                let more = (found.len() - before) as u64;
                                if more > 0 && held.fetch_add(more, Relaxed) + more > BUDGET && strip.len() > 1 {
                                    full.store(true, Relaxed);
                                }
                            });
                        },
                    );
                    verified.fetch_add(tried, Relaxed);
                    found
                })
                .collect();
            if full.into_inner() {
                height = (strip.len() / 2).max(1);
                continue;
            }
            let mut found = found.concat();
            found.par_sort_unstable();
            scan.verified += verified.into_inner();
            for &(pair, score) in &found {
                if sink.pair(pair, score) == ControlFlow::Break(()) {
                    scan.stopped = true;
                    return scan;
                }
                scan.found += 1;
            }
            task.advance(strip.clone().map(|row| (m - 1 - row) as u64).sum());
            start = strip.end;
            if (found.len() as u64) < BUDGET / 4 {
                height = (height * 2).min(STRIP);
            }
        }
        scan
    }

    /// Counts the pairs at or above each score that a curve needs: the scores of the watched pairs, the next score after
    /// each, and the grid. One pass over all pairs; the counts are exact.
    ///
    /// Values of a kernel fall into bins. A bin in which no limit lies within the kernel's proven error belongs to one
    /// interval between limits; a pair in any other bin is put into its interval by its value where that is farther from
    /// every limit than the error, and by the definition where it is not. Memory: O(m) and the bins of each thread.
    pub fn tally(&self, watched: &[Pair], grid: &[Score], run: &Run) -> Tally {
        let scores: Vec<Option<Score>> =
            watched.par_iter().map(|&pair| self.is_present(pair).then(|| self.score(pair))).collect();
        let edges = Tally::edges(&scores, grid);
        let m = self.present().len();
        let limits = Limits::new(self, &edges);
        let task = run.progress.start("counting all pairs", Some(Pair::count(m)), "pairs");
        let counters = Shelf::new();
        let benches = Shelf::new();
        let mut left = Vec::new();
        for start in (0..m).step_by(STRIP) {
            let strip = start..(start + STRIP).min(m);
            self.pack(strip.clone(), Side::Left, &mut left);
            let tiles: Vec<usize> = (start..m).step_by(TILE_COLUMNS).collect();
            tiles.into_par_iter().for_each(|column| {
                let columns = column..(column + TILE_COLUMNS).min(m);
                benches.with(
                    || Bench::new(self.kernel_width()),
                    |bench| {
                        counters.with(
                            || Counter::new(&limits),
                            |counter| {
                                self.tile(&left, strip.clone(), columns, bench, |row, first, values| {
                                    counter.count(self, &limits, row, first, values);
                                });
                            },
                        );
                    },
                );
            });
            task.advance(strip.map(|row| (m - 1 - row) as u64).sum());
        }
        let mut between = vec![0u64; edges.len() + 1];
        for counter in counters.into_items() {
            counter.add_to(&limits, &mut between);
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
        Tally::new(Pair::count(self.len()), Pair::count(m), edges, at_or_above, scores)
    }

    /// The greatest score of each paper to any other, pairs of `left_out` (ascending) not counted; `None` where there is
    /// no other or the paper is missing.
    pub fn best(&self, left_out: &[Pair], run: &Run) -> Vec<Option<Score>> {
        let m = self.present().len();
        let task = run.progress.start("best matches", Some(Pair::count(m)), "pairs");
        let error = 2.0 * self.value_error();
        // Below the value of a pair whose score is this, less twice the error, nothing can be better.
        let least_for = |score: Score| ((self.least_value(score) - error) as f32).next_down();
        let (shelf, benches) = (Shelf::new(), Shelf::new());
        let mut left = Vec::new();
        for start in (0..m).step_by(STRIP) {
            let strip = start..(start + STRIP).min(m);
            self.pack(strip.clone(), Side::Left, &mut left);
            let tiles: Vec<usize> = (start..m).step_by(TILE_COLUMNS).collect();
            tiles.into_par_iter().for_each(|column| {
                let columns = column..(column + TILE_COLUMNS).min(m);
                benches.with(
                    || Bench::new(self.kernel_width()),
                    |bench| {
                        shelf.with(
                            || (vec![None::<Score>; m], vec![f32::NEG_INFINITY; m]),
                            |(best, least)| {
                                self.tile(&left, strip.clone(), columns, bench, |row, first, values| {
                                    for (place, &value) in values.iter().enumerate() {
                                        let other = first + place;
                                        if value < least[row] && value < least[other] {
                                            continue;
                                        }
                                        let (x, y) = (self.present()[row], self.present()[other]);
                                        let pair = Pair::new(PaperId(x), PaperId(y)).expect("x < y");
                                        if left_out.binary_search(&pair).is_ok() {
                                            continue;
                                        }
                                        let score = self.score_of(x, y);
                                        for place in [row, other] {
                                            if best[place].is_none_or(|b| score > b) {
                                                best[place] = Some(score);
                                                least[place] = least_for(score);
                                            }
                                        }
                                    }
                                });
                            },
                        );
                    },
                );
            });
            task.advance(strip.map(|row| (m - 1 - row) as u64).sum());
        }
        let mut all = vec![None; self.len()];
        for (best, _) in shelf.into_items() {
            for (&id, best) in self.present().iter().zip(best) {
                all[id as usize] = all[id as usize].max(best);
            }
        }
        all
    }

    /// Rows for a kernel, one after the other.
    fn pack(&self, places: Range<usize>, side: Side, out: &mut Vec<f32>) {
        let width = self.kernel_width();
        out.resize(places.len() * width, 0.0);
        if width > 0 {
            out.par_chunks_exact_mut(width)
                .zip(&self.present()[places])
                .with_min_len(256)
                .for_each(|(row, &id)| self.kernel_row(id, side, row));
        }
    }

    /// Computes the values of a strip's rows with the columns after them and gives each row's to `take`:
    /// `(row, first column, values)`, in places of `present`.
    fn tile(
        &self,
        left: &[f32],
        strip: Range<usize>,
        columns: Range<usize>,
        bench: &mut Bench,
        mut take: impl FnMut(usize, usize, &[f32]),
    ) {
        let width = self.kernel_width();
        for (row, &id) in bench.right.chunks_exact_mut(width.max(1)).zip(&self.present()[columns.clone()]) {
            self.kernel_row(id, Side::Right, &mut row[..width]);
        }
        let right = &bench.right[..columns.len() * width];
        for top in strip.clone().step_by(TILE_ROWS) {
            let rows = top..(top + TILE_ROWS).min(strip.end);
            if rows.start + 1 >= columns.end {
                break;
            }
            let left = &left[(rows.start - strip.start) * width..(rows.end - strip.start) * width];
            let values = &mut bench.values[..rows.len() * columns.len()];
            super::tiles::values(self.measure(), width, left, right, values);
            for (row, values) in rows.zip(values.chunks_exact(columns.len())) {
                let first = columns.start.max(row + 1);
                if first < columns.end {
                    take(row, first, &values[first - columns.start..]);
                }
            }
        }
    }
}

/// Where the limits of a tally lie among the bins of a kernel's values.
struct Limits {
    edges: Vec<Score>,
    /// The values of the edges, ascending.
    values: Vec<f64>,
    error: f64,
    low: f32,
    per_unit: f32,
    /// For each bin the interval that it belongs to, or `MIXED`.
    interval: Vec<u32>,
}

/// Bins of a tally: of a width of 2 / 32,768, and small enough for a core's second-level cache.
const BINS: usize = 1 << 15;
/// A bin with a limit in it.
const MIXED: u32 = u32::MAX;
/// The mark of a mixed bin in its counter.
const MARK: u32 = 1 << 31;
/// So many values are counted before the bins' counters, which have 31 bits, are emptied.
const FLUSH: u64 = 1 << 30;

impl Limits {
    fn new(pairs: &AllPairs<'_>, edges: &[Score]) -> Limits {
        let values: Vec<f64> = edges.iter().map(|&edge| pairs.least_value(edge)).collect();
        let (low, high) = pairs.value_range();
        let mut limits = Limits {
            edges: edges.to_vec(),
            values,
            error: pairs.value_error(),
            low: low as f32,
            per_unit: (BINS as f64 / (high - low)) as f32,
            interval: vec![0; BINS],
        };
        // A bin is a monotone function of the value, so every value within the error of a limit falls between the bins
        // of the two ends, which are mixed.
        let mut next = 0;
        for (interval, &value) in limits.values.iter().enumerate() {
            let from = limits.bin(((value - limits.error) as f32).next_down());
            let to = limits.bin(((value + limits.error) as f32).next_up());
            for bin in next..from.max(next) {
                limits.interval[bin] = interval as u32;
            }
            for bin in from.max(next)..=to {
                limits.interval[bin] = MIXED;
            }
            next = next.max(to + 1);
        }
        for bin in next..BINS {
            limits.interval[bin] = limits.values.len() as u32;
        }
        limits
    }

    #[inline(always)]
    fn bin(&self, value: f32) -> usize {
        // `as` holds the bin within the range of i32; -infinity is the lowest.
        (((value - self.low) * self.per_unit) as i32).clamp(0, BINS as i32 - 1) as usize
    }

    /// The interval of a pair whose bin does not tell.
    #[cold]
    fn decide(&self, pairs: &AllPairs<'_>, row: usize, column: usize, value: f32) -> usize {
        let value = f64::from(value);
        let below = self.values.partition_point(|&edge| edge < value - self.error);
        let near = self.values[below..].iter().take_while(|&&edge| edge <= value + self.error).count();
        if near == 0 {
            return below;
        }
        let score = pairs.score_of(pairs.present()[row], pairs.present()[column]);
        self.edges.partition_point(|&edge| edge <= score)
    }
}

/// The counts of one worker.
struct Counter {
    bins: Vec<u32>,
    counted: u64,
    between: Vec<u64>,
}

impl Counter {
    fn new(limits: &Limits) -> Counter {
        let bins = limits.interval.iter().map(|&i| if i == MIXED { MARK } else { 0 }).collect();
        Counter { bins, counted: 0, between: vec![0; limits.edges.len() + 1] }
    }

    fn count(&mut self, pairs: &AllPairs<'_>, limits: &Limits, row: usize, first: usize, values: &[f32]) {
        for (place, &value) in values.iter().enumerate() {
            let bin = limits.bin(value);
            let count = self.bins[bin].wrapping_add(1);
            self.bins[bin] = count;
            if count & MARK != 0 {
                self.between[limits.decide(pairs, row, first + place, value)] += 1;
            }
        }
        self.counted += values.len() as u64;
        if self.counted > FLUSH {
            self.flush(limits);
        }
    }

    fn flush(&mut self, limits: &Limits) {
        for (bin, &interval) in self.bins.iter_mut().zip(&limits.interval) {
            if interval == MIXED {
                *bin = MARK;
            } else {
                self.between[interval as usize] += u64::from(*bin);
                *bin = 0;
            }
        }
        self.counted = 0;
    }

    fn add_to(mut self, limits: &Limits, between: &mut [u64]) {
        self.flush(limits);
        between.iter_mut().zip(&self.between).for_each(|(sum, &count)| *sum += count);
    }
}
