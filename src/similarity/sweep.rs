//! The walk over the upper triangle: strips of rows against tiles of later rows, on all cores, never the whole matrix.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::kernels::{self, CELLS, LEFT, RIGHT, STEP};
use super::panels::{Numbers, Rights, STRIP, Shelf, TILE, micro_tiles, pack_strip, tiles};
use super::rows::AllPairs;
use super::screen::{Along, Codes, MORE, Plan, Screen};
use super::{Measure, PairSink, Scan, Score};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;

/// Pairs found that a strip may hold: 6 MiB, as much while they are put into order, and as much again while the sink takes
/// those of the strip before.
const BUDGET: u64 = 1 << 19;

/// What a scan will take, as far as it can be told before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Pairs to compare.
    pub comparisons: u64,
    /// Seconds on the threads of the current pool; right to a factor of two or three.
    pub seconds: f64,
    /// Memory beyond the rows, in bytes, most of it for the pairs found in a strip.
    pub bytes: u64,
    /// Along how many directions rows are screened; `None` where all their numbers are multiplied.
    pub directions: Option<usize>,
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = match self.seconds {
            s if s < 1.0 => "less than a second".to_owned(),
            s if s < 120.0 => format!("about {s:.0} s"),
            s if s < 7200.0 => format!("about {:.0} min", s / 60.0),
            s => format!("about {:.1} h", s / 3600.0),
        };
        let (pairs, memory) = (self.comparisons, self.bytes.div_ceil(1 << 20));
        write!(f, "{pairs} pairs to compare: {seconds}, {memory} MiB beyond the vectors")
    }
}

/// Pairs that a tile finds between one telling of it to the others and the next.
const TOLD: usize = 256;

/// A pair that was found, by its places among the rows that are present.
#[derive(Clone, Copy, Default)]
struct Found {
    row: u32,
    column: u32,
    score: Score,
}

/// The pairs of a strip, ascending. Tiles come by column and give each row's columns ascending, so that sharing them out to
/// their rows in turn is enough.
fn in_order(present: &[u32], strip: &Range<usize>, tiles: &[Vec<Found>]) -> Vec<(Pair, Score)> {
    let mut next = vec![0usize; strip.len() + 1];
    tiles.iter().flatten().for_each(|found| next[found.row as usize - strip.start + 1] += 1);
    for row in 0..strip.len() {
        next[row + 1] += next[row];
    }
    let Some(two) = present.get(..2) else { return Vec::new() };
    let id = |place: u32| PaperId(present[place as usize]);
    let any = Pair::new(PaperId(two[0]), PaperId(two[1])).expect("rows ascend");
    let mut all = vec![(any, Score::MIN); next[strip.len()]];
    for &Found { row, column, score } in tiles.iter().flatten() {
        let place = &mut next[row as usize - strip.start];
        all[*place] = (Pair::new(id(row), id(column)).expect("x < y"), score);
        *place += 1;
    }
    all
}

/// What a strip holds.
struct Strip {
    rows: Range<usize>,
    /// Ascending.
    found: Vec<(Pair, Score)>,
    verified: u64,
}

/// Strip after strip of a scan.
struct Strips<'a> {
    pairs: &'a AllPairs<'a>,
    lambda: Score,
    numbers: Numbers<'a>,
    screen: Option<Screen<'a>>,
    rights: Option<Rights<'a>>,
    /// The least value of a pair that can reach λ.
    least: f32,
    start: usize,
    height: usize,
    /// No strip is higher.
    highest: usize,
}

impl Strips<'_> {
    /// The next strip, on all threads; it is made lower until it holds few enough pairs.
    fn next(&mut self) -> Option<Strip> {
        let m = self.pairs.present().len();
        while self.start < m {
            let rows = self.start..(self.start + self.height).min(m);
            if let Some(strip) = self.strip(rows.clone()) {
                self.start = rows.end;
                if (strip.found.len() as u64) < BUDGET / 4 {
                    self.height = (self.height * 2).min(self.highest);
                }
                return Some(strip);
            }
            self.height = (rows.len() / 2).max(1);
        }
        None
    }

    /// What a strip holds; `None` if that is too much.
    fn strip(&self, strip: Range<usize>) -> Option<Strip> {
        let (pairs, m) = (self.pairs, self.pairs.present().len());
        let mut left = Vec::new();
        if self.screen.is_none() {
            pack_strip(self.numbers, strip.clone(), &mut left);
        }
        let screen = self.screen.as_ref().map(|screen| (screen, screen.left(strip.clone())));
        let (held, verified, full) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let found: Vec<Vec<Found>> = tiles(strip.start, m)
            .into_par_iter()
            .map(|tile| {
                let mut decider = Decider::new(pairs, self.lambda, &held);
                let mut propose = |row, column| {
                    if decider.propose(row, column) && strip.len() > 1 {
                        full.store(true, Relaxed);
                    }
                    full.load(Relaxed)
                };
                if let Some((screen, (left, least))) = &screen {
                    screen.with(tile.clone(), |codes, from| {
                        by_bytes(screen.steps, (left, least), (codes, from), &strip, &tile, &mut propose);
                    });
                }
                if let Some(rights) = &self.rights {
                    rights.with(tile.clone(), |right| {
                        let panels = (left.as_slice(), right);
                        pairs.by_products(self.numbers.width(), self.least, panels, &strip, &tile, &mut propose);
                    });
                }
                decider.decide();
                verified.fetch_add(decider.tried, Relaxed);
                decider.found
            })
            .collect();
        let found = (!full.into_inner()).then(|| in_order(pairs.present(), &strip, &found))?;
        Some(Strip { rows: strip, found, verified: verified.into_inner() })
    }
}

/// Decides what is proposed in a tile. Proposed pairs are scored some at a time, so that the memory that one waits for comes
/// while another is worked on.
struct Decider<'a> {
    pairs: &'a AllPairs<'a>,
    lambda: Score,
    /// Pairs found in the strip so far, in steps of [`TOLD`].
    held: &'a AtomicU64,
    proposed: [(u32, u32); AT_ONCE],
    waiting: usize,
    found: Vec<Found>,
    tried: u64,
    told: usize,
}

/// Pairs that are scored at a time.
const AT_ONCE: usize = 64;

impl<'a> Decider<'a> {
    fn new(pairs: &'a AllPairs<'a>, lambda: Score, held: &'a AtomicU64) -> Decider<'a> {
        let proposed = [(0, 0); AT_ONCE];
        Decider { pairs, lambda, held, proposed, waiting: 0, found: Vec::new(), tried: 0, told: 0 }
    }

    /// `true` if the strip holds too many pairs.
    #[inline]
    fn propose(&mut self, row: usize, column: usize) -> bool {
        self.proposed[self.waiting] = (row as u32, column as u32);
        self.waiting += 1;
        self.waiting == AT_ONCE && self.decide()
    }

    fn decide(&mut self) -> bool {
        let mut scores = [Score::MIN; AT_ONCE];
        let (proposed, present) = (&self.proposed[..self.waiting], self.pairs.present());
        let ids = self.proposed.map(|(row, column)| (present[row as usize], present[column as usize]));
        self.pairs.scores_of(&ids[..self.waiting], &mut scores[..self.waiting]);
        let decided = proposed.iter().zip(scores).filter(|&(_, score)| score >= self.lambda);
        self.found.extend(decided.map(|(&(row, column), score)| Found { row, column, score }));
        self.tried += self.waiting as u64;
        self.waiting = 0;
        // Now and then is often enough, and what all threads write to is slow.
        if self.found.len() - self.told < TOLD {
            return false;
        }
        let more = (self.found.len() - self.told) as u64;
        self.told = self.found.len();
        self.held.fetch_add(more, Relaxed) + more > BUDGET
    }
}

impl AllPairs<'_> {
    /// What [`AllPairs::scan`] at λ will take.
    pub fn estimate(&self, lambda: Score) -> Estimate {
        let plan = self.plan(lambda);
        let m = self.present().len() as u64;
        let comparisons = Pair::count(self.present().len());
        let threads = rayon::current_num_threads() as u64;
        let kept = match plan {
            Plan { screen: Some(directions), bytes: true, .. } if Screen::is_kept(self, directions) => {
                m * Screen::row_bytes(directions) as u64
            }
            Plan { screen: Some(directions), bytes: true, .. } => {
                (8 * STRIP * 2 + threads as usize * TILE) as u64 * Screen::row_bytes(directions) as u64
            }
            Plan { screen: Some(directions), .. } => Rights::bytes(m as usize, directions + MORE, threads),
            _ => Rights::bytes(m as usize, self.kernel_width(), threads),
        };
        let strip = (STRIP * self.kernel_width() * 8) as u64;
        Estimate {
            comparisons,
            seconds: comparisons as f64 * plan.nanoseconds * 1e-9 / threads as f64,
            bytes: kept + strip + 3 * BUDGET * size_of::<Found>() as u64 + self.row_memory(),
            directions: plan.screen,
        }
    }

    /// Gives the sink every pair whose score is at or above λ: ascending, each once, with the score of the definition.
    ///
    /// Time O(m² N) at worst, on all threads of the current pool. Memory beyond the rows: 4 bytes a row for the numbers of
    /// those that take part; at most 40 MiB, whatever m, for rows as the kernels want them (where all would take more, they
    /// are made again tile by tile); at most 16 MiB for the lengths of rows (beyond 2^20 rows they are computed again as they
    /// are needed); and some 20 MiB for what is found, however much that is: where it is much, strips become lower.
    pub fn scan(&self, lambda: Score, sink: &mut dyn PairSink, run: &Run) -> Scan {
        let mut scan = Scan { pairs: Pair::count(self.asked()), ..Scan::default() };
        let m = self.present().len();
        let task = run.progress.start("all pairs", Some(Pair::count(m)), "pairs");
        let plan = self.plan(lambda);
        let along = plan.screen.zip(self.directions());
        let screen = along.filter(|_| plan.bytes).map(|(directions, of)| Screen::new(self, of, directions, lambda));
        let along = along.filter(|_| !plan.bytes).map(|(directions, of)| Along::new(of, directions));
        let numbers = Numbers { pairs: self, along: along.as_ref() };
        let rights = screen.is_none().then(|| Rights::new(numbers));
        let least = numbers.least(lambda);
        let highest = screen.as_ref().map_or(STRIP, Screen::highest);
        let (pairs, start, height) = (self, 0, highest);
        let mut strips = Strips { pairs, lambda, numbers, screen, rights, least, start, height, highest };
        let mut next = strips.next();
        // The sink takes what one strip holds while the next strip is worked on.
        while let Some(Strip { rows, found, verified }) = next {
            scan.verified += verified;
            let (taken, later) = rayon::join(|| sink.pairs(&found), || strips.next());
            scan.found += taken as u64;
            scan.stopped = taken < found.len();
            if scan.stopped {
                return scan;
            }
            task.advance(rows.map(|row| (m - 1 - row) as u64).sum());
            next = later;
        }
        scan
    }

    /// Gives `propose` every pair of a strip and a tile whose f32 value is at least `least`, until it says that there are too
    /// many. `panels` are left and right rows of so many numbers.
    fn by_products(
        &self,
        width: usize,
        least: f32,
        (left, right): (&[f32], &[f32]),
        strip: &Range<usize>,
        tile: &Range<usize>,
        propose: &mut impl FnMut(usize, usize) -> bool,
    ) {
        let kernel = self.kernel().of_products();
        let distance = self.measure() == Measure::Manhattan;
        let (size_l, size_r) = (LEFT * width, RIGHT * width);
        let mut values = [0.0; CELLS];
        for (panel_l, row, panel_r, column) in micro_tiles(strip, tile) {
            let (l, r) = (&left[panel_l * size_l..][..size_l], &right[panel_r * size_r..][..size_r]);
            if !kernels::reach(kernel, distance, width, l, r, least, &mut values) {
                continue;
            }
            for (row, values) in (row..strip.end).zip(values.chunks_exact(RIGHT)) {
                for (column, &value) in (column..tile.end).zip(values) {
                    if value >= least && column > row && propose(row, column) {
                        return;
                    }
                }
            }
        }
    }

    /// The greatest score of each paper to any other, pairs of `left_out` (ascending) not counted; `None` where there is
    /// no other or the paper is missing. Time O(m² N), memory O(m) for each thread.
    pub fn best(&self, left_out: &[Pair], run: &Run) -> Vec<Option<Score>> {
        let m = self.present().len();
        let task = run.progress.start("best matches", Some(Pair::count(m)), "pairs");
        let (kernel, width) = (self.kernel().of_products(), self.kernel_width());
        let distance = self.measure() == Measure::Manhattan;
        let (size_l, size_r) = (LEFT * width, RIGHT * width);
        let error = 2.0 * self.value_error();
        // Below the least value of a pair of this score, less twice the error, nothing can be better.
        let least_for = |score: Score| ((self.least_value(score) - error) as f32).next_down();
        let (shelf, rights) = (Shelf::new(), Rights::new(Numbers::all(self)));
        let mut left = Vec::new();
        for start in (0..m).step_by(STRIP) {
            let strip = start..(start + STRIP).min(m);
            pack_strip(Numbers::all(self), strip.clone(), &mut left);
            tiles(start, m).into_par_iter().for_each(|tile| {
                rights.with(tile.clone(), |right| {
                    shelf.with(
                        // One place more than rows, so that panels that are filled up have one too.
                        || (vec![None::<Score>; m], vec![f32::NEG_INFINITY; m + LEFT + RIGHT]),
                        |(best, least)| {
                            let mut values = [0.0; CELLS];
                            for (panel_l, row, panel_r, column) in micro_tiles(&strip, &tile) {
                                let (l, r) =
                                    (&left[panel_l * size_l..][..size_l], &right[panel_r * size_r..][..size_r]);
                                let lowest = |places: &[f32]| places.iter().copied().fold(f32::INFINITY, f32::min);
                                let rows = row..(row + LEFT).min(strip.end);
                                let columns = column..(column + RIGHT).min(tile.end);
                                let any = lowest(&least[rows.clone()]).min(lowest(&least[columns.clone()]));
                                if !kernels::reach(kernel, distance, width, l, r, any, &mut values) {
                                    continue;
                                }
                                for (row, values) in rows.zip(values.chunks_exact(RIGHT)) {
                                    for (column, &value) in columns.clone().zip(values) {
                                        let worse = value < least[row] && value < least[column];
                                        if worse || column <= row {
                                            continue;
                                        }
                                        let (x, y) = (self.present()[row], self.present()[column]);
                                        let pair = Pair::new(PaperId(x), PaperId(y)).expect("x < y");
                                        if left_out.binary_search(&pair).is_ok() {
                                            continue;
                                        }
                                        let score = self.score_of(x, y);
                                        for place in [row, column] {
                                            if best[place].is_none_or(|b| score > b) {
                                                best[place] = Some(score);
                                                least[place] = least_for(score);
                                            }
                                        }
                                    }
                                }
                            }
                        },
                    );
                });
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
}

/// Gives `propose` every pair of a strip and a tile that the screen lets pass (`from`: the place of the tile's first row among
/// the codes), until it says that there are too many.
fn by_bytes(
    steps: usize,
    (left, least): (&[u8], &[i32]),
    (codes, from): (&Codes, usize),
    strip: &Range<usize>,
    tile: &Range<usize>,
    propose: &mut impl FnMut(usize, usize) -> bool,
) {
    let size = steps * STEP * LEFT;
    let mut bits = [0; LEFT];
    for (panel, row, _, column) in micro_tiles(strip, tile) {
        let (right, start) = codes.right(steps, column - tile.start + from);
        let limits = least[panel * LEFT..][..LEFT].try_into().expect("a panel has 12 rows");
        if !kernels::screen(steps, &left[panel * size..][..size], right, start, limits, &mut bits) {
            continue;
        }
        for (row, &bits) in (row..strip.end).zip(&bits) {
            let mut rest = bits;
            while rest != 0 {
                let column = column + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                if column > row && column < tile.end && propose(row, column) {
                    return;
                }
            }
        }
    }
}
