//! Screening by bytes: each row as a few whole numbers whose products bound the similarity from above.
//!
//! # The bound
//! Let y be a row as [`AllPairs::even_row`] gives it, less one vector that is the same for all (their mean). For unit rows
//! the cosine is 1 - |y - z|²/2; for distances the kernel's value is -|y - z|²/2. So a pair can reach λ only if
//! `y·z >= t + |y|²/2 + |z|²/2`, where t is the least value at λ, less 1 for unit rows.
//!
//! 1. *Directions.* p orthonormal directions are taken, those in which a sample of the rows varies most. With the
//!    coordinates p(y) and the length r(y) of the rest, Cauchy and Schwarz give y·z <= p(y)·p(z) + r(y) r(z). So (p(y), r(y))
//!    is a vector of p + 1 numbers whose products bound those of y, and it has the length of y.
//! 2. *Bytes.* The p coordinates are turned once more by the cosine transform, which spreads them evenly, so that the greatest
//!    is small and few steps of a byte are wasted. Each vector v is scaled by S and rounded to whole numbers q from -127 to
//!    127; what is beyond is cut, which pays where it is rare: S is tried on a sample of rows. With the error
//!    e = |v - q/S| of the row, measured, v·w <= q·u/S² + e(v) |w| + e(w) |v| + e(v) e(w), and with L the greatest length,
//!    the last three are at most (e(v) L + e(v)²/2) + (e(w) L + e(w)²/2): one number a row.
//! 3. *Whole numbers.* A pair can reach λ only if q·u - S²(|z|²/2 - err(z)) >= S²(t + |y|²/2 - err(y)). The left side begins at a
//!    whole number of the right row, the right side is a whole number of the left row; both are rounded to the safe side.
//!
//! The rotation is an f32 product: its rounding, at most √p (N + 4) roundings of the length of y, is part of e, and so is
//! what the directions lack in being orthonormal, which is measured. r is taken large enough for both.

use std::ops::Range;

use linfa_linalg::eigh::{EigSort, Eigh};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, s};
use rayon::prelude::*;

use super::kernels::{LANES, LEFT, RIGHT, STEP, fold};
use super::panels::{STRIP, Shelf};
use super::rows::{AllPairs, ROUNDING, Side};
use super::{Kernel, Measure, Score};

/// Rows from which directions and scale are taken.
const SAMPLE: usize = 2048;
/// Rows that are worked on at a time.
const BLOCK: usize = 1024;
/// Rows of a strip where right rows are turned again for each: turning one takes as long as comparing it with some thousand.
const HIGH: usize = 8 * STRIP;
/// Rows wider than this are not screened: sums must fit 32 bits, and a decomposition takes N³.
const WIDEST: usize = 1024;
/// Directions may miss orthonormality by so much.
const CROOKED: f64 = 1e-9;

/// Rows as bytes, at one λ: those of all rows are kept where that takes little memory, else they are made again tile by tile.
pub(super) struct Screen<'a> {
    pairs: &'a AllPairs<'a>,
    turn: Turn<'a>,
    scale: f64,
    /// What λ asks of two rows.
    product: f64,
    pub steps: usize,
    all: Option<Codes>,
    shelf: Shelf<Codes>,
}

/// The bytes of some rows, the first of which begins a panel.
#[derive(Default)]
pub(super) struct Codes {
    /// Panels of 32 rows; in a panel step by step, in a step four bytes a row.
    codes: Vec<i8>,
    /// Where the sum of each right row begins.
    start: Vec<i32>,
    /// What a sum must exceed, for each left row.
    least: Vec<i32>,
}

/// The directions of the rows, by falling variance.
#[derive(Debug)]
pub(super) struct Directions {
    /// The mean of a sample of the rows.
    mean: Vec<f64>,
    /// N x N, a direction a column.
    axes: Array2<f64>,
    /// The greatest length of a row less the mean.
    longest: f64,
}

/// Rows evenly spread over all.
pub(super) fn sample(pairs: &AllPairs<'_>, count: usize) -> Vec<u32> {
    let m = pairs.present().len();
    let count = count.min(m);
    (0..count).map(|i| pairs.present()[(i as u128 * m as u128 / count as u128) as usize]).collect()
}

impl Directions {
    /// The directions of the rows of these pairs; `None` where they cannot be screened.
    pub fn of(pairs: &AllPairs<'_>) -> Option<Directions> {
        let width = pairs.rows().ncols();
        let sample = sample(pairs, SAMPLE);
        if pairs.measure() == Measure::Manhattan || width == 0 || width > WIDEST || sample.is_empty() {
            return None;
        }
        let mut rows = Array2::<f64>::zeros((sample.len(), width));
        for (mut row, &id) in rows.outer_iter_mut().zip(&sample) {
            pairs.even_row(id, |k, y| row[k] = y);
        }
        let mean = rows.mean_axis(ndarray::Axis(0))?;
        rows -= &mean;
        let (_, axes) = rows.t().dot(&rows).eigh().ok()?.sort_eig_desc();
        // No orthonormal axes are farther away than this, whatever the decomposition did.
        let crooked = (axes.t().dot(&axes) - Array2::<f64>::eye(width)).mapv(|x| x * x).sum().sqrt();
        let axes = if crooked < CROOKED { axes } else { Array2::eye(width) };
        let mean = mean.to_vec();
        let longest = pairs.present().par_iter().map(|&id| length(pairs, id, &mean)).reduce(|| 0.0, f64::max);
        Some(Directions { mean, axes, longest: longest.max(f64::MIN_POSITIVE) })
    }

    /// The first `count` directions, spread evenly. Rounding them to f32 is part of the error of turning.
    fn first(&self, count: usize) -> Turn<'_> {
        let axes = self.axes.slice(s![.., ..count]).dot(&cosines(count)).mapv(|x| x as f32);
        Turn { of: self, axes }
    }
}

/// The orthonormal cosine transform (DCT-II).
fn cosines(count: usize) -> Array2<f64> {
    let n = count as f64;
    Array2::from_shape_fn((count, count), |(k, i)| {
        let size = if k == 0 { 1.0 / n } else { 2.0 / n };
        size.sqrt() * libm::cos(std::f64::consts::PI / n * (i as f64 + 0.5) * k as f64)
    })
}

/// Some directions to turn rows to.
struct Turn<'d> {
    of: &'d Directions,
    /// N rows, a direction a column.
    axes: Array2<f32>,
}

impl Turn<'_> {
    /// How many roundings of its length a row can lose.
    fn roundings(&self) -> f64 {
        let (width, directions) = self.axes.dim();
        (directions as f64).sqrt() * (width as f64 + 8.0) + 8.0
    }

    /// The scale from numbers to bytes: of some, that which loses least of a sample of rows.
    fn scale(&self, pairs: &AllPairs<'_>) -> f64 {
        let mut vectors = Vec::new();
        self.rows(pairs, &sample(pairs, SAMPLE / 4), |_, vector, _, _| vectors.extend_from_slice(vector));
        let greatest = vectors.iter().fold(1e-30f64, |greatest, x| greatest.max(x.abs()));
        let lost = |&scale: &f64| {
            let rows = vectors.chunks_exact(self.axes.ncols() + 1);
            rows.map(|row| row.iter().map(|&x| byte(x, scale).1.powi(2)).sum::<f64>().sqrt()).sum::<f64>()
        };
        let scales = [1.0, 0.9, 0.8, 0.7, 0.6].map(|share| 127.0 / (share * greatest));
        let least = scales.into_iter().map(|scale| (lost(&scale), scale)).min_by(|a, b| a.0.total_cmp(&b.0));
        least.map_or(1.0, |(_, scale)| scale)
    }

    /// Each row as (coordinates along the axes, the length of the rest): `take(place, row, length, error)` is given its
    /// numbers, the exact length and how far the numbers can be from exact ones.
    fn rows(&self, pairs: &AllPairs<'_>, ids: &[u32], mut take: impl FnMut(usize, &[f64], f64, f64)) {
        let (width, directions) = self.axes.dim();
        let mut rows = Array2::<f32>::zeros((ids.len(), width));
        let mut lengths = Vec::with_capacity(ids.len());
        for (mut row, &id) in rows.outer_iter_mut().zip(ids) {
            let row = row.as_slice_mut().expect("standard layout");
            let mut square = [0.0; LANES];
            pairs.even_row(id, |k, y| {
                let y = y - self.of.mean[k];
                square[k % LANES] += y * y;
                row[k] = y as f32;
            });
            lengths.push(fold(square).sqrt());
        }
        let mut turned = Array2::<f32>::zeros((ids.len(), directions));
        general_mat_mul(1.0, &rows, &self.axes, 0.0, &mut turned);
        let roundings = self.roundings();
        let mut vector = vec![0.0; directions + 1];
        for (place, (row, &length)) in turned.outer_iter().zip(&lengths).enumerate() {
            let error = length * (roundings * ROUNDING + CROOKED) + 1e-30;
            let mut square = 0.0;
            for (out, &x) in vector.iter_mut().zip(row) {
                *out = f64::from(x);
                square += *out * *out;
            }
            // Never less than the true length of the rest.
            vector[directions] =
                ((length * length - square).max(0.0) + (2.0 * length + 3.0 * error) * error).sqrt() * (1.0 + 1e-12);
            take(place, &vector, length, error);
        }
    }
}

/// A number as a byte, and what is lost.
fn byte(number: f64, scale: f64) -> (i8, f64) {
    let scaled = (number * scale).clamp(-127.0, 127.0);
    // Halves either way: the error is measured.
    let code = (scaled + 0.5_f64.copysign(scaled)) as i8;
    (code, number - f64::from(code) / scale)
}

/// The length of a row less the mean.
fn length(pairs: &AllPairs<'_>, id: u32, mean: &[f64]) -> f64 {
    let mut square = 0.0;
    pairs.even_row(id, |k, y| square += (y - mean[k]) * (y - mean[k]));
    square.sqrt()
}

/// What a λ asks of two rows less their mean: `y·z >= least + |y|²/2 + |z|²/2`.
fn least_product(pairs: &AllPairs<'_>, lambda: Score) -> f64 {
    // f64 sums of up to 1024 terms near 1 are far more exact than this.
    pairs.least_value(lambda) - if pairs.measure().is_distance() { 0.0 } else { 1.0 } - 1e-11
}

impl<'a> Screen<'a> {
    /// The rows at λ along so many directions.
    pub fn new(pairs: &'a AllPairs<'a>, of: &'a Directions, directions: usize, lambda: Score) -> Screen<'a> {
        let mut screen = Screen::of_none(pairs, of, directions, lambda);
        if Screen::is_kept(pairs, directions) {
            let mut all = Codes::default();
            screen.fill(pairs.present(), &mut all);
            screen.all = Some(all);
        }
        screen
    }

    /// Keeps no bytes.
    pub fn of_none(pairs: &'a AllPairs<'a>, of: &'a Directions, directions: usize, lambda: Score) -> Screen<'a> {
        let turn = of.first(directions);
        let scale = turn.scale(pairs);
        let product = least_product(pairs, lambda);
        let steps = (directions + 1).div_ceil(STEP);
        Screen { pairs, turn, scale, product, steps, all: None, shelf: Shelf::new() }
    }

    /// Whether the bytes of all rows are kept.
    pub fn is_kept(pairs: &AllPairs<'_>, directions: usize) -> bool {
        pairs.present().len() * Screen::row_bytes(directions) <= pairs.room()
    }

    /// Memory of a row: bytes along the directions, where its sum begins and what it must exceed.
    pub fn row_bytes(directions: usize) -> usize {
        (directions + 1).div_ceil(STEP) * STEP + 8
    }

    /// The most rows of a strip: where right rows are turned again for each strip, it pays to make few.
    pub fn highest(&self) -> usize {
        if self.all.is_some() { STRIP } else { HIGH }
    }

    /// Turns rows to bytes.
    fn fill(&self, ids: &[u32], out: &mut Codes) {
        let (scale, longest) = (self.scale, self.turn.of.longest);
        let panel = self.steps * STEP * RIGHT;
        let panels = ids.len().div_ceil(RIGHT);
        out.codes.clear();
        out.codes.resize(panels * panel, 0);
        out.start.clear();
        out.start.resize(panels * RIGHT, 0);
        out.least.clear();
        out.least.resize(ids.len(), 0);
        let blocks = out.codes.par_chunks_mut(BLOCK / RIGHT * panel);
        let starts = out.start.par_chunks_mut(BLOCK);
        let leasts = out.least.par_chunks_mut(BLOCK);
        blocks.zip(starts).zip(leasts).zip(ids.par_chunks(BLOCK)).for_each(|(((codes, start), least), ids)| {
            self.turn.rows(self.pairs, ids, |place, vector, length, error| {
                let codes = &mut codes[place / RIGHT * panel..];
                let (mut wrong, mut sum) = (0.0, 0i64);
                for (k, &number) in vector.iter().enumerate() {
                    let (code, apart) = byte(number, scale);
                    wrong += apart * apart;
                    sum += i64::from(code);
                    codes[(k / STEP * RIGHT + place % RIGHT) * STEP + k % STEP] = code;
                }
                let wrong = (wrong.sqrt() + error) * (1.0 + 1e-9);
                // The length of the rest was taken larger by some errors, of which each is below 0.002 lengths.
                let err = wrong * longest * 1.01 + wrong * wrong / 2.0;
                let half = length * length / 2.0;
                // What does not fit lets pairs pass: a start of 1e9 exceeds every limit, less what sums can take away.
                start[place] = (-128 * sum - (scale * scale * (half - err)).floor().clamp(-1e9, 1e9) as i64) as i32;
                let limit = (scale * scale * (self.product + half - err)).floor() - 2.0;
                least[place] = if limit > -9e8 { limit.min(9e8) as i32 } else { i32::MIN };
            });
        });
    }

    /// A strip's codes as left panels.
    pub fn left(&self, strip: Range<usize>) -> (Vec<u8>, Vec<i32>) {
        match &self.all {
            Some(all) => all.left(self.steps, strip),
            None => {
                let mut codes = Codes::default();
                self.fill(&self.pairs.present()[strip.clone()], &mut codes);
                codes.left(self.steps, 0..strip.len())
            }
        }
    }

    /// Does some work with the codes of a tile that begins a panel, and the place of its first row among them.
    pub fn with(&self, tile: Range<usize>, work: impl FnOnce(&Codes, usize)) {
        match &self.all {
            Some(all) => work(all, tile.start),
            None => self.shelf.with(Codes::default, |codes| {
                self.fill(&self.pairs.present()[tile], codes);
                work(codes, 0);
            }),
        }
    }
}

impl Codes {
    /// Some rows as left panels, moved up by 128, and what each row must exceed (rows that fill up the last panel exceed
    /// nothing).
    fn left(&self, steps: usize, rows: Range<usize>) -> (Vec<u8>, Vec<i32>) {
        let panels = rows.len().div_ceil(LEFT);
        let mut codes = vec![0u8; panels * steps * STEP * LEFT];
        let mut least = vec![i32::MAX; panels * LEFT];
        for (place, row) in rows.enumerate() {
            let from = &self.codes[row / RIGHT * steps * STEP * RIGHT..];
            let to = &mut codes[place / LEFT * steps * STEP * LEFT..];
            for step in 0..steps {
                for byte in 0..STEP {
                    let code = from[(step * RIGHT + row % RIGHT) * STEP + byte];
                    to[(step * LEFT + place % LEFT) * STEP + byte] = (i16::from(code) + 128) as u8;
                }
            }
            least[place] = self.least[row];
        }
        (codes, least)
    }

    /// The right panel that begins at a row, and where its sums begin.
    pub fn right(&self, steps: usize, row: usize) -> (&[i8], &[i32; RIGHT]) {
        let size = steps * STEP * RIGHT;
        let start = self.start[row..row + RIGHT].try_into().expect("a panel has 32 rows");
        (&self.codes[row / RIGHT * size..][..size], start)
    }
}

/// Rows as f32 numbers along some directions, for machines that do not multiply bytes. The bound is the same, without bytes:
/// the numbers of a left row v, |y|²/2 and 1, those of a right row w, -1 and -|z|²/2, so that their product is
/// v·w - |y|²/2 - |z|²/2.
pub(super) struct Along<'d> {
    turn: Turn<'d>,
}

/// Numbers of a row besides those along the directions.
pub(super) const MORE: usize = 3;

impl<'d> Along<'d> {
    /// The first so many directions.
    pub fn new(of: &'d Directions, directions: usize) -> Along<'d> {
        Along { turn: of.first(directions) }
    }

    pub fn width(&self) -> usize {
        self.turn.axes.ncols() + MORE
    }

    /// The numbers of some rows.
    pub fn rows(&self, pairs: &AllPairs<'_>, ids: &[u32], side: Side, mut take: impl FnMut(usize, &[f32])) {
        let mut numbers = vec![0.0; self.width()];
        let last = self.width() - 2;
        self.turn.rows(pairs, ids, |place, vector, length, _| {
            numbers.iter_mut().zip(vector).for_each(|(out, &x)| *out = x as f32);
            let half = (length * length / 2.0) as f32;
            (numbers[last], numbers[last + 1]) = match side {
                Side::Left => (half, 1.0),
                Side::Right => (-1.0, -half),
            };
            take(place, &numbers);
        });
    }

    /// The least value of a pair that can reach λ. With L the greatest length, the terms' absolute values sum to little more
    /// than 2 L², each loses at most a rounding for each term and some more for its own numbers, and turning moves a row by its
    /// error.
    pub fn least(&self, pairs: &AllPairs<'_>, lambda: Score) -> f64 {
        let longest = self.turn.of.longest;
        let turning = longest * (self.turn.roundings() * ROUNDING + CROOKED) + 1e-30;
        let products = (self.width() as f64 + 8.0) * ROUNDING * 2.1 * longest * longest;
        least_product(pairs, lambda) - products - 2.1 * turning * longest - turning * turning
    }
}

/// How a scan goes about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Directions to screen along; `None` for products of all numbers.
    pub screen: Option<usize>,
    /// Whether rows along directions are bytes.
    pub bytes: bool,
    /// Nanoseconds of one core for a pair, from figures measured once on one machine: good for choosing and for telling
    /// seconds from hours.
    pub nanoseconds: f64,
}

/// Nanoseconds for one pair and coordinate of an f32 product.
const PRODUCT: f64 = 0.0175;
/// The same for bytes.
const BYTE: f64 = 0.0046;
/// What a pair costs besides.
const PAIR: f64 = 0.06;
/// To decide one proposed pair by the definition.
const DECIDE: f64 = 28.0;

impl Plan {
    /// Chooses, for the kernel asked for.
    pub fn of(pairs: &AllPairs<'_>, lambda: Score) -> Plan {
        let slower = if pairs.kernel().of_products() == Kernel::Portable { 8.0 } else { 1.0 };
        let product = PRODUCT * slower;
        let plain = Plan { screen: None, bytes: false, nanoseconds: product * pairs.kernel_width() as f64 };
        let forced = pairs.kernel() == Kernel::Int8;
        let bytes = forced || pairs.kernel() == Kernel::Auto && super::kernels::has_int8();
        // On a few thousand rows the choice would cost more than it saves.
        if !forced && pairs.present().len() < 3000 {
            return plain;
        }
        let Some(of) = pairs.directions() else { return plain };
        let width = pairs.rows().ncols();
        // The length of the rest takes one place of a multiple of four.
        let choices: Vec<usize> = [15, 23, 31, 47, 63, 95, 191, width].into_iter().filter(|&d| d <= width).collect();
        let passed: Vec<f64> =
            choices.par_iter().map(|&directions| Plan::passed(pairs, of, directions, lambda)).collect();
        let costs = choices.iter().zip(&passed).map(|(&directions, passed)| {
            let compared = match bytes {
                true => BYTE * ((directions + 1).div_ceil(STEP) * STEP) as f64,
                false => product * (directions + MORE) as f64,
            };
            (PAIR + compared + passed * DECIDE, directions)
        });
        let best = costs.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // Products of all numbers let hardly more pass than there are.
        let there = passed.last().map_or(0.0, |passed| passed * DECIDE);
        let plain = Plan { nanoseconds: plain.nanoseconds + there, ..plain };
        match best {
            Some((nanoseconds, directions)) if forced || nanoseconds < plain.nanoseconds => {
                Plan { screen: Some(directions), bytes, nanoseconds }
            }
            _ => plain,
        }
    }

    /// The share of a sample's pairs that a screen lets pass.
    fn passed(pairs: &AllPairs<'_>, of: &Directions, directions: usize, lambda: Score) -> f64 {
        let ids = sample(pairs, 768);
        let screen = Screen::of_none(pairs, of, directions, lambda);
        let mut codes = Codes::default();
        screen.fill(&ids, &mut codes);
        let (left, least) = codes.left(screen.steps, 0..ids.len());
        let size = screen.steps * STEP * LEFT;
        let mut passed = 0u64;
        let mut bits = [0; LEFT];
        for (_, row, _, column) in super::panels::micro_tiles(&(0..ids.len()), &(0..ids.len())) {
            let (right, start) = codes.right(screen.steps, column);
            let panel = row / LEFT;
            let least = least[row..row + LEFT].try_into().expect("a panel has 12 rows");
            if super::kernels::screen(screen.steps, &left[panel * size..][..size], right, start, least, &mut bits) {
                for (place, bits) in bits.iter().enumerate() {
                    let row = row + place;
                    passed += (column..column + RIGHT)
                        .filter(|&c| bits >> (c - column) & 1 == 1 && c > row && c < ids.len())
                        .count() as u64;
                }
            }
        }
        passed as f64 / crate::corpus::Pair::count(ids.len()).max(1) as f64
    }
}
