//! Rows of numbers under a measure: the score of a pair by its definition, and what the fast kernels are given.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock};

use rayon::prelude::*;

use super::kernels::{LANES, fold, product, sum_of_two};
use super::screen::{Directions, Plan};
use super::{Measure, Score};
use crate::corpus::{Pair, PaperId};
use crate::matrix::Matrix;

/// Half the distance from 1 to the next f32: what one rounding to f32 can lose, relatively.
pub(super) const ROUNDING: f64 = 1.0 / (1u64 << 24) as f64;

/// Rows whose lengths are kept: 16 MiB.
const KEPT: usize = 1 << 20;

/// What makes a row even: its mean is taken from it and it is divided by its length.
#[derive(Clone, Copy, Debug)]
struct Even {
    mean: f64,
    length: f64,
}

/// All pairs of the rows of a matrix under a measure.
///
/// A row of zeros stands for a paper that has no vector: it is *missing*, and matches nothing at any λ, not even another
/// such row. So is a row that holds a NaN or an infinity and, for [`Measure::Pearson`], a row of equal numbers.
///
/// # The definition
/// [`AllPairs::score`] decides: sums of f64 products in 16 lanes, folded in a fixed order, rounded to six decimals. The
/// kernels that [`AllPairs::scan`], [`AllPairs::tally`] and [`AllPairs::best`] run on work in f32 or in whole numbers and
/// may only propose: each has a proven bound on its error, and every pair nearer to a limit than that bound is decided by
/// the definition. So kernel, thread count and machine change the time and nothing else.
///
/// ```
/// use ndarray::array;
/// use papertwin::progress::Run;
/// use papertwin::similarity::{AllPairs, Collect, Measure};
/// let rows = array![[1.0f32, 2.0], [2.0, 4.0], [0.0, 0.0], [2.0, -1.0]];
/// let pairs = AllPairs::of(&rows, Measure::Cosine);
/// let mut found = Collect::default();
/// pairs.scan("0.9".parse().unwrap(), &mut found, &Run::default());
/// assert_eq!(found.pairs.len(), 1);
/// assert_eq!(found.pairs[0].1.to_string(), "1.000000");
/// assert_eq!(pairs.missing()[0].index(), 2);
/// ```
#[derive(Debug)]
pub struct AllPairs<'m> {
    rows: Cow<'m, Matrix>,
    measure: Measure,
    /// For each row its length (cosine), or its mean and its length less the mean (Pearson). Empty for distances, and where
    /// there are too many rows to keep them.
    even: Vec<Even>,
    /// Memory that all rows may take as kernels want them.
    room: usize,
    /// How many rows were asked for, missing ones included.
    asked: usize,
    /// Rows that take part, ascending.
    present: Vec<u32>,
    missing: Vec<PaperId>,
    /// For distances: the mean row, and the greatest size of a row less it. They make numbers near 1 for the kernels.
    center: Vec<f64>,
    scale: f64,
    kernel: super::Kernel,
    /// Found when a scan first needs them.
    directions: OnceLock<Option<Directions>>,
    /// The last plan made, so that an estimate and the scan after it make one.
    plan: Mutex<Option<(Score, Plan)>>,
}

impl<'m> AllPairs<'m> {
    /// All pairs of these rows.
    pub fn of(rows: &'m Matrix, measure: Measure) -> AllPairs<'m> {
        AllPairs::new(Cow::Borrowed(rows), measure)
    }

    /// All pairs of these rows, which are kept.
    pub fn owning(rows: Matrix, measure: Measure) -> AllPairs<'static> {
        AllPairs::new(Cow::Owned(rows), measure)
    }

    fn new(rows: Cow<'m, Matrix>, measure: Measure) -> AllPairs<'m> {
        let rows = match rows.is_standard_layout() {
            true => rows,
            false => Cow::Owned(rows.as_standard_layout().into_owned()),
        };
        assert!(u32::try_from(rows.nrows()).is_ok(), "more rows than papers can be numbered");
        let mut all = AllPairs {
            rows,
            measure,
            even: Vec::new(),
            room: super::panels::ROOM,
            asked: 0,
            present: Vec::new(),
            missing: Vec::new(),
            center: Vec::new(),
            scale: 1.0,
            kernel: super::Kernel::Auto,
            directions: OnceLock::new(),
            plan: Mutex::new(None),
        };
        all.asked = all.rows.nrows();
        for id in 0..all.rows.nrows() as u32 {
            let row = all.row(id);
            let has_direction = match measure {
                Measure::Pearson => row.iter().any(|&x| x != row[0]),
                _ => row.iter().any(|&x| x != 0.0),
            };
            if has_direction && row.iter().all(|x| x.is_finite()) {
                all.present.push(id);
            } else {
                all.missing.push(PaperId(id));
            }
        }
        match measure {
            Measure::Cosine | Measure::Pearson => {
                if all.rows.nrows() <= KEPT {
                    let ids = 0..all.rows.nrows() as u32;
                    all.even = ids.into_par_iter().map(|id| all.make_even(id)).collect();
                }
            }
            Measure::Euclidean | Measure::Manhattan => all.find_center(),
        }
        all
    }

    /// What makes a row even, by the definition.
    fn make_even(&self, id: u32) -> Even {
        let row = self.row(id);
        match self.measure {
            Measure::Pearson => {
                let mean = sum(row, |&x| f64::from(x)) / row.len() as f64;
                Even { mean, length: products(row, row, mean, mean).sqrt() }
            }
            _ => Even { mean: 0.0, length: product(row, row).sqrt() },
        }
    }

    #[inline]
    fn even(&self, id: u32) -> Even {
        self.even.get(id as usize).copied().unwrap_or_else(|| self.make_even(id))
    }

    /// Memory that is kept for the rows beside them, in bytes.
    pub(super) fn row_memory(&self) -> u64 {
        (self.even.len() * size_of::<Even>() + self.present.len() * size_of::<u32>()) as u64
    }

    /// Keeps nothing of the rows, as where there are very many.
    #[cfg(test)]
    pub(super) fn keeping_nothing(mut self) -> Self {
        self.even = Vec::new();
        self.room = 0;
        self
    }

    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// Distances do not change when all rows are moved: around their mean the numbers are smallest, and the kernels most
    /// exact.
    fn find_center(&mut self) {
        let mut center = vec![0.0; self.rows.ncols()];
        for &id in &self.present {
            center.iter_mut().zip(self.row(id)).for_each(|(c, &x)| *c += f64::from(x));
        }
        center.iter_mut().for_each(|c| *c /= self.present.len().max(1) as f64);
        let size = |id: &u32| {
            let apart = self.row(*id).iter().zip(&center).map(|(&x, c)| f64::from(x) - c);
            match self.measure {
                Measure::Manhattan => apart.map(f64::abs).sum::<f64>(),
                _ => apart.map(|d| d * d).sum::<f64>().sqrt(),
            }
        };
        let scale = self.present.iter().map(size).fold(0.0, f64::max);
        self.scale = if scale > 0.0 { scale } else { 1.0 };
        self.center = center;
    }

    /// Forces a kernel; [`super::Kernel::Auto`] chooses by λ and a small sample. Results do not depend on it.
    pub fn with_kernel(mut self, kernel: super::Kernel) -> Self {
        self.kernel = kernel;
        self.plan = Mutex::new(None);
        self
    }

    /// Only these rows, ascending; the others match nothing, though [`AllPairs::score`] still scores them.
    ///
    /// ```
    /// use ndarray::array;
    /// use papertwin::progress::Run;
    /// use papertwin::similarity::{AllPairs, Collect, Measure};
    /// let rows = array![[1.0f32, 2.0], [1.0, 2.0], [2.0, 4.0]];
    /// let mut found = Collect::default();
    /// AllPairs::of(&rows, Measure::Cosine).only(&[0, 2]).scan("1".parse().unwrap(), &mut found, &Run::default());
    /// assert_eq!(found.pairs.iter().map(|(p, _)| (p.first().0, p.second().0)).collect::<Vec<_>>(), [(0, 2)]);
    /// ```
    ///
    /// # Panics
    /// If they do not ascend.
    pub fn only(mut self, rows: &[u32]) -> Self {
        assert!(rows.is_sorted_by(|a, b| a < b), "rows ascend");
        self.present.retain(|id| rows.binary_search(id).is_ok());
        self.asked = rows.len();
        self.plan = Mutex::new(None);
        self.directions = OnceLock::new();
        self
    }

    /// How many rows were asked for.
    pub(super) fn asked(&self) -> usize {
        self.asked
    }

    /// The kernel that was asked for.
    pub fn kernel(&self) -> super::Kernel {
        self.kernel
    }

    /// How many rows there are, missing ones included.
    pub fn len(&self) -> usize {
        self.rows.nrows()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.nrows() == 0
    }

    /// The measure.
    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// The rows as they were given.
    pub fn rows(&self) -> &Matrix {
        &self.rows
    }

    /// The papers that match nothing, ascending.
    pub fn missing(&self) -> &[PaperId] {
        &self.missing
    }

    /// The score of a pair, by the definition. 0 if one of the two is missing; such a pair is never found by a scan.
    ///
    /// # Panics
    /// If the pair names a row that there is not.
    pub fn score(&self, pair: Pair) -> Score {
        self.score_of(pair.first().0, pair.second().0)
    }

    /// Whether a pair can be found at all: neither row is missing.
    pub fn is_present(&self, pair: Pair) -> bool {
        let has = |id| self.missing.binary_search(&id).is_err();
        has(pair.first()) && has(pair.second())
    }

    #[inline]
    pub(super) fn score_of(&self, first: u32, second: u32) -> Score {
        let (a, b) = (self.row(first), self.row(second));
        Score::of(match self.measure {
            // 0/0 where a row is missing: not a number, and so 0 by the rule of `Score::of`.
            Measure::Cosine => product(a, b) / (self.even(first).length * self.even(second).length),
            Measure::Pearson => {
                let (x, y) = (self.even(first), self.even(second));
                products(a, b, x.mean, y.mean) / (x.length * y.length)
            }
            Measure::Euclidean | Measure::Manhattan if !self.is_both_present(first, second) => 0.0,
            Measure::Euclidean => {
                let squares = sum_of_two(a, b, |x, y| {
                    let d = f64::from(x) - f64::from(y);
                    d * d
                });
                1.0 / (1.0 + squares.sqrt())
            }
            Measure::Manhattan => 1.0 / (1.0 + sum_of_two(a, b, |x, y| (f64::from(x) - f64::from(y)).abs())),
        })
    }

    /// The scores of some pairs, each that of [`AllPairs::score_of`]; many at a time, because a division and a rounding wait
    /// long for one another.
    pub(super) fn scores_of(&self, pairs: &[(u32, u32)], scores: &mut [Score]) {
        if self.measure != Measure::Cosine {
            return scores.iter_mut().zip(pairs).for_each(|(score, &(a, b))| *score = self.score_of(a, b));
        }
        const AT_ONCE: usize = 32;
        for (scores, pairs) in scores.chunks_mut(AT_ONCE).zip(pairs.chunks(AT_ONCE)) {
            let mut terms = [(0.0, 1.0); AT_ONCE];
            for (terms, &(a, b)) in terms.iter_mut().zip(pairs) {
                *terms = (product(self.row(a), self.row(b)), self.even(a).length * self.even(b).length);
            }
            let all = terms.map(|(product, size)| Score::of(product / size));
            scores.copy_from_slice(&all[..scores.len()]);
        }
    }

    fn is_both_present(&self, first: u32, second: u32) -> bool {
        self.missing.is_empty()
            || (self.missing.binary_search(&PaperId(first)).is_err()
                && self.missing.binary_search(&PaperId(second)).is_err())
    }

    pub(super) fn row(&self, id: u32) -> &[f32] {
        let width = self.rows.ncols();
        &self.rows.as_slice().expect("standard layout")[id as usize * width..(id as usize + 1) * width]
    }

    /// The principal directions of the rows; `None` where rows cannot be screened along them.
    pub(super) fn directions(&self) -> Option<&Directions> {
        self.directions.get_or_init(|| Directions::of(self)).as_ref()
    }

    /// How to go about a scan at λ.
    pub(super) fn plan(&self, lambda: Score) -> Plan {
        let mut last = self.plan.lock().expect("no planner panicked");
        match *last {
            Some((of, plan)) if of == lambda => plan,
            _ => last.insert((lambda, Plan::of(self, lambda))).1,
        }
    }

    /// Goes about scans at λ in this way.
    #[cfg(test)]
    pub(super) fn with_plan(self, lambda: Score, plan: Plan) -> Self {
        *self.plan.lock().unwrap() = Some((lambda, plan));
        self
    }

    pub(super) fn present(&self) -> &[u32] {
        &self.present
    }

    /// How many numbers a kernel is given for a row.
    pub(super) fn kernel_width(&self) -> usize {
        self.rows.ncols() + if self.measure == Measure::Euclidean { 2 } else { 0 }
    }

    /// A row as a kernel is given it, as the left or the right side of a product.
    ///
    /// Cosine and Pearson: the (centred) row at unit length, so that a product is the similarity. Euclidean: the row less
    /// the mean row over the greatest length of one, y, and two numbers more, so that the product of a left and a right
    /// side is y·z - |y|²/2 - |z|²/2 = -|y - z|²/2. Manhattan: the same y.
    pub(super) fn kernel_row(&self, id: u32, side: Side, out: &mut [f32]) {
        let (numbers, more) = out.split_at_mut(self.rows.ncols());
        self.even_row(id, |k, y| numbers[k] = y as f32);
        if self.measure == Measure::Euclidean {
            let half = (numbers.iter().map(|&y| f64::from(y) * f64::from(y)).sum::<f64>() / 2.0) as f32;
            (more[0], more[1]) = match side {
                Side::Left => (half, 1.0),
                Side::Right => (-1.0, -half),
            };
        }
    }

    /// The numbers of a row in f64, none above 1: at unit length (cosine), less its mean and at unit length (Pearson),
    /// less the mean row and over the greatest size of one (distances).
    pub(super) fn even_row(&self, id: u32, mut take: impl FnMut(usize, f64)) {
        let row = self.row(id);
        match self.measure {
            Measure::Cosine => {
                let by = 1.0 / self.even(id).length;
                row.iter().enumerate().for_each(|(k, &x)| take(k, f64::from(x) * by));
            }
            Measure::Pearson => {
                let Even { mean, length } = self.even(id);
                let by = 1.0 / length;
                row.iter().enumerate().for_each(|(k, &x)| take(k, (f64::from(x) - mean) * by));
            }
            Measure::Euclidean | Measure::Manhattan => {
                let by = 1.0 / self.scale;
                row.iter().zip(&self.center).enumerate().for_each(|(k, (&x, c))| take(k, (f64::from(x) - c) * by));
            }
        }
    }

    /// The least kernel value, if a kernel were exact, of a pair whose score reaches λ.
    pub(super) fn least_value(&self, lambda: Score) -> f64 {
        match self.measure {
            Measure::Cosine | Measure::Pearson => lambda.lower_edge(),
            Measure::Euclidean => {
                let apart = Measure::farthest(lambda) / self.scale;
                -apart * apart / 2.0
            }
            Measure::Manhattan => -Measure::farthest(lambda) / self.scale,
        }
    }

    /// The range of kernel values.
    pub(super) fn value_range(&self) -> (f64, f64) {
        if self.measure.is_distance() { (-2.0, 0.0) } else { (-1.0, 1.0) }
    }

    /// How far a kernel's f32 value can be from the exact one.
    ///
    /// A product of N terms in any order, with or without fused operations, loses at most N roundings of each term; by
    /// Cauchy and Schwarz the terms' absolute values sum to at most the product of the lengths (Higham 2002, section
    /// 3.1). Unit rows: lengths 1, one rounding of each number of each side: (N + 2) roundings. Euclidean: N + 2 terms
    /// whose absolute values sum to at most 2, the halves are rounded once more, and moving and scaling each row moves
    /// it by a rounding of its length. Manhattan: N terms that sum to at most 2. Some roundings are added for terms of
    /// second order, which need N < 2^20.
    pub(super) fn value_error(&self) -> f64 {
        let width = self.rows.ncols() as f64;
        ROUNDING * if self.measure.is_distance() { 2.0 * width + 24.0 } else { width + 8.0 } * (1.0 + 1e-3)
    }
}

/// Groups of equal rows, at least two in each, ascending, by their first rows.
///
/// ```
/// let rows = ndarray::array![[1.0f32, 0.0], [2.0, 0.0], [1.0, -0.0]];
/// assert_eq!(papertwin::similarity::identical_rows(&rows), [[0, 2]]);
/// ```
///
/// 0 and -0 are one number here. Time O(m N log m); memory 32 MiB at most, whatever m, beside the groups: more rows than that
/// allows are gone through several times, each time those of some hashes.
///
/// # Panics
/// If there are more rows than papers can be numbered.
pub fn identical_rows(rows: &Matrix) -> Vec<Vec<u32>> {
    identical_rows_by(rows, 1 << 22)
}

/// Sorts about so many rows at a time.
pub(super) fn identical_rows_by(rows: &Matrix, at_once: usize) -> Vec<Vec<u32>> {
    let m = u32::try_from(rows.nrows()).expect("a row for each of 2^32 papers at most");
    let key = |row: u32| rows.row(row as usize).into_iter().map(|&x| (x + 0.0).to_bits());
    let turns = rows.nrows().div_ceil(at_once) as u64;
    let turn_of = |row: u32| match turns {
        1 => 0,
        // Multiplication by an odd number near 2^64 over the golden ratio: its upper half depends on all bits.
        _ => {
            (key(row).fold(0u64, |hash, bits| (hash ^ u64::from(bits)).wrapping_mul(0x9e37_79b9_7f4a_7c15)) >> 32)
                % turns
        }
    };
    let mut groups = Vec::new();
    for turn in 0..turns {
        let mut order: Vec<u32> = (0..m).filter(|&row| turn_of(row) == turn).collect();
        order.par_sort_unstable_by(|&a, &b| key(a).cmp(key(b)).then(a.cmp(&b)));
        let equal = order.chunk_by(|&a, &b| key(a).eq(key(b)));
        groups.extend(equal.filter(|group| group.len() > 1).map(<[u32]>::to_vec));
    }
    groups.sort_unstable_by_key(|group| group[0]);
    groups
}

/// Which side of a product a row is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

fn sum(row: &[f32], f: impl Fn(&f32) -> f64) -> f64 {
    let mut lanes = [0.0f64; LANES];
    for chunk in row.chunks(LANES) {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += f(x);
        }
    }
    fold(lanes)
}

/// Σ (a - mean_a)(b - mean_b).
fn products(a: &[f32], b: &[f32], mean_a: f64, mean_b: f64) -> f64 {
    sum_of_two(a, b, |x, y| (f64::from(x) - mean_a) * (f64::from(y) - mean_b))
}
