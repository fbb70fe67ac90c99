//! The kernels that propose pairs: micro-tiles whose sums stay in registers, with the comparison or the count inside.
//!
//! Left rows come in panels of [`LEFT`], right rows in panels of [`RIGHT`], the numbers of one coordinate side by side;
//! the last panel of either is filled up with zeros. A micro-tile is one left panel against one right panel: its 24 sums
//! fit the registers of AVX-512, and those of AVX2 in four parts.
//!
//! No kernel decides anything: `AllPairs` holds the bounds of their errors. Each has a plain twin here that it is tested
//! against, at run time, on whatever the machine has.

#![allow(unsafe_code)]

use super::Kernel;

/// Rows of a left panel.
pub(super) const LEFT: usize = 12;
/// Rows of a right panel.
pub(super) const RIGHT: usize = 32;
/// Pairs of a micro-tile.
pub(super) const CELLS: usize = LEFT * RIGHT;

/// The values of a micro-tile, row by row.
pub(super) type Values = [f32; CELLS];

/// Bins of a count, margins at both ends included.
pub(super) const BINS: usize = (1 << 15) + 16;
/// Bins to one unit of value: a power of two, so that the product is exact and a bin does not depend on fused operations.
pub(super) const BINS_PER_UNIT: f32 = (1 << 14) as f32;
/// The mark of a bin whose cells are to be listed.
pub(super) const MARK: u32 = 1 << 31;

/// The bin of a value: `low` is the place of the bin that 0 falls into.
#[inline(always)]
pub(super) fn bin(value: f32, zero: f32) -> usize {
    // `as` turns what is below 0 into 0.
    ((value * BINS_PER_UNIT + zero) as u32).min(BINS as u32 - 1) as usize
}

/// The bins of a micro-tile that wait to be counted, and its values.
pub(super) struct Waiting {
    /// Always below [`BINS`].
    cells: [u32; CELLS],
    pub values: Values,
    /// Places of cells in marked bins.
    pub marked: [u16; CELLS + 1],
}

impl Waiting {
    /// Nothing waits: all cells are in the last bin, which no value falls into.
    pub fn nothing() -> Waiting {
        Waiting { cells: [BINS as u32 - 1; CELLS], values: [0.0; CELLS], marked: [0; CELLS + 1] }
    }

    /// Counts what waits; nothing waits after it. Returns how many places of `marked` are filled.
    pub fn drain(&mut self, bins: &mut [u32; BINS]) -> usize {
        let mut listed = 0;
        for place in 0..CELLS {
            self.tick(place, bins, &mut listed);
        }
        self.cells.fill(BINS as u32 - 1);
        listed
    }

    #[inline(always)]
    fn tick(&mut self, place: usize, bins: &mut [u32; BINS], listed: &mut usize) {
        let count = &mut bins[self.cells[place] as usize];
        *count = count.wrapping_add(1);
        self.marked[*listed] = place as u16;
        *listed += (*count >> 31) as usize;
    }
}

/// Whether any value of a micro-tile reaches `least`; if so, `out` holds all values. `distance`: minus the sum of absolute
/// differences instead of the sum of products.
pub(super) fn reach(
    kernel: Kernel,
    distance: bool,
    width: usize,
    left: &[f32],
    right: &[f32],
    least: f32,
    out: &mut Values,
) -> bool {
    assert!(left.len() == width * LEFT && right.len() == width * RIGHT, "whole panels");
    #[cfg(target_arch = "x86_64")]
    if kernel.is_available() {
        // SAFETY: the kernel is available, so the machine has its instructions; the panels are whole.
        unsafe {
            match (kernel, distance) {
                (Kernel::Avx512, false) => return x86::reach_512::<false>(width, left, right, least, out),
                (Kernel::Avx512, true) => return x86::reach_512::<true>(width, left, right, least, out),
                (Kernel::Avx2, false) => return x86::reach_256::<false>(width, left, right, least, out),
                (Kernel::Avx2, true) => return x86::reach_256::<true>(width, left, right, least, out),
                _ => {}
            }
        }
    }
    reach_plain(distance, width, left, right, least, out)
}

fn reach_plain(distance: bool, width: usize, left: &[f32], right: &[f32], least: f32, out: &mut Values) -> bool {
    // Parts of 4 x 8 sums, which fit the registers of any machine with vectors of 4.
    for (top, side) in (0..LEFT).step_by(4).flat_map(|top| (0..RIGHT).step_by(8).map(move |side| (top, side))) {
        let mut sums = [[0.0f32; 8]; 4];
        for (left, right) in left.chunks_exact(LEFT).zip(right.chunks_exact(RIGHT)).take(width) {
            let (left, right) = (&left[top..top + 4], &right[side..side + 8]);
            for (sums, &l) in sums.iter_mut().zip(left) {
                for (sum, &r) in sums.iter_mut().zip(right) {
                    *sum += if distance { -(l - r).abs() } else { l * r };
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            out[(top + row) * RIGHT + side..][..8].copy_from_slice(sums);
        }
    }
    out.iter().any(|&value| value >= least)
}

/// Computes a micro-tile, and counts the one before it meanwhile: scalar counting and vector sums use different parts of a
/// core, so that one hides behind the other. The new values and their bins wait then; returned is how many places of
/// `marked` are filled, and these and the values that they point to belong to the tile before, in `before`.
#[expect(clippy::too_many_arguments, reason = "a kernel takes what it works on")]
pub(super) fn count(
    kernel: Kernel,
    distance: bool,
    width: usize,
    left: &[f32],
    right: &[f32],
    zero: f32,
    bins: &mut [u32; BINS],
    waiting: &mut Waiting,
    before: &mut Values,
) -> usize {
    #[cfg(target_arch = "x86_64")]
    if kernel == Kernel::Avx512 && kernel.is_available() {
        assert!(left.len() == width * LEFT && right.len() == width * RIGHT, "whole panels");
        // SAFETY: the machine has the instructions, and the panels are whole.
        return unsafe {
            match distance {
                false => x86::count_512::<false>(width, left, right, zero, bins, waiting, before),
                true => x86::count_512::<true>(width, left, right, zero, bins, waiting, before),
            }
        };
    }
    let listed = waiting.drain(bins);
    if listed > 0 {
        *before = waiting.values;
    }
    reach(kernel, distance, width, left, right, f32::NEG_INFINITY, &mut waiting.values);
    for (cell, &value) in waiting.cells.iter_mut().zip(&waiting.values) {
        *cell = bin(value, zero) as u32;
    }
    listed
}

/// Codes of one step: four coordinates of every row of a panel.
pub(super) const STEP: usize = 4;

/// Screens a micro-tile by whole-number products: `out` has a bit for each right row whose sum, begun at `start`, exceeds
/// the left row's `least`. False if none does. `left` holds codes moved up by 128.
pub(super) fn screen(
    steps: usize,
    left: &[u8],
    right: &[i8],
    start: &[i32; RIGHT],
    least: &[i32; LEFT],
    out: &mut [u32; LEFT],
) -> bool {
    assert!(left.len() == steps * STEP * LEFT && right.len() == steps * STEP * RIGHT, "whole panels");
    #[cfg(target_arch = "x86_64")]
    if has_int8() {
        // SAFETY: the machine has the instructions, and the panels are whole.
        return unsafe { x86::screen_512(steps, left, right, start, least, out) };
    }
    screen_plain(steps, left, right, start, least, out)
}

fn screen_plain(
    steps: usize,
    left: &[u8],
    right: &[i8],
    start: &[i32; RIGHT],
    least: &[i32; LEFT],
    out: &mut [u32; LEFT],
) -> bool {
    for (row, bits) in out.iter_mut().enumerate() {
        let mut sums = *start;
        for step in 0..steps {
            let l = &left[(step * LEFT + row) * STEP..][..STEP];
            for (sum, r) in sums.iter_mut().zip(right[step * RIGHT * STEP..].chunks_exact(STEP)) {
                *sum += l.iter().zip(r).map(|(&l, &r)| i32::from(l) * i32::from(r)).sum::<i32>();
            }
        }
        *bits = sums.iter().enumerate().map(|(place, &sum)| u32::from(sum > least[row]) << place).sum();
    }
    out.iter().any(|&bits| bits != 0)
}

/// Lanes of the defining sums: fixed, so that the sum of a row is the same number on every machine.
pub(super) const LANES: usize = 16;

/// Folds 16 lanes in a fixed order: halves are added to halves.
pub(super) fn fold(mut lanes: [f64; LANES]) -> f64 {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] += lanes[l + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// The sum of products of two rows as the definition has it: in 16 lanes of f64, folded in order. A fast way gives it bit for
/// bit: the product of two f32 is exact in f64, so that a fused addition rounds like one after a product.
#[inline]
pub(super) fn product(a: &[f32], b: &[f32]) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") && a.len() == b.len() {
        // SAFETY: the machine has the instructions, and the rows are of one length.
        return unsafe { x86::product_512(a, b) };
    }
    product_plain(a, b)
}

fn product_plain(a: &[f32], b: &[f32]) -> f64 {
    sum_of_two(a, b, |x, y| f64::from(x) * f64::from(y))
}

/// The sum of a function of each two numbers, in 16 lanes folded in order.
#[inline(always)]
pub(super) fn sum_of_two(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f64) -> f64 {
    let mut lanes = [0.0f64; LANES];
    let (whole, other) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let (rest_a, rest_b) = (whole.remainder(), other.remainder());
    for (x, y) in whole.zip(other) {
        for l in 0..LANES {
            lanes[l] += f(x[l], y[l]);
        }
    }
    for (lane, (&x, &y)) in lanes.iter_mut().zip(rest_a.iter().zip(rest_b)) {
        *lane += f(x, y);
    }
    fold(lanes)
}

/// Whether the machine multiplies bytes four at a time.
pub(super) fn has_int8() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BINS, BINS_PER_UNIT, CELLS, LANES, LEFT, RIGHT, STEP, Values, Waiting};

    /// The walk over a micro-tile, for one kind of vectors: parts of `$rows` left rows by two vectors of right rows, whose sums
    /// stay in registers.
    macro_rules! walk {
        ($reach:ident, $add:ident, $features:literal, $vector:ty, $lanes:literal, $rows:literal, $zero:ident, $set:ident,
         $load:ident, $store:ident, $fused:ident, $apart:ident, $max:ident, $reaches:ident) => {
            /// Adds one coordinate of both panels to the sums.
            ///
            /// # Safety
            /// `left` points to as many numbers as there are rows, `right` to two vectors.
            #[target_feature(enable = $features)]
            #[inline]
            unsafe fn $add<const DISTANCE: bool>(
                sums: &mut [[$vector; 2]; $rows],
                left: *const f32,
                right: *const f32,
            ) {
                // SAFETY: the caller promised the numbers.
                let (r0, r1) = unsafe { ($load(right), $load(right.add($lanes))) };
                for (row, sum) in sums.iter_mut().enumerate() {
                    // SAFETY: there is a number for each row.
                    let l = $set(unsafe { *left.add(row) });
                    *sum = match DISTANCE {
                        true => [$apart(sum[0], l, r0), $apart(sum[1], l, r1)],
                        false => [$fused(l, r0, sum[0]), $fused(l, r1, sum[1])],
                    };
                }
            }

            /// # Safety
            /// The panels have `width` coordinates.
            #[target_feature(enable = $features)]
            pub unsafe fn $reach<const DISTANCE: bool>(
                width: usize,
                left: &[f32],
                right: &[f32],
                least: f32,
                out: &mut Values,
            ) -> bool {
                const WHOLE: bool = $rows == LEFT && 2 * $lanes == RIGHT;
                let mut most = $set(f32::NEG_INFINITY);
                let sides = (0..RIGHT).step_by(2 * $lanes);
                for (top, side) in (0..LEFT).step_by($rows).flat_map(|top| sides.clone().map(move |side| (top, side))) {
                    let mut sums = [[$zero(); 2]; $rows];
                    for k in 0..width {
                        // SAFETY: k is below the width; the rows from `top` and two vectors from `side` are within the panels.
                        unsafe {
                            let (l, r) = (left.as_ptr().add(k * LEFT + top), right.as_ptr().add(k * RIGHT + side));
                            $add::<DISTANCE>(&mut sums, l, r);
                        }
                    }
                    for sum in &sums {
                        most = $max(most, $max(sum[0], sum[1]));
                    }
                    if WHOLE && !$reaches(most, least) {
                        return false;
                    }
                    for (row, sum) in sums.iter().enumerate() {
                        // SAFETY: two vectors from this place on are within the micro-tile.
                        unsafe {
                            let place = out.as_mut_ptr().add((top + row) * RIGHT + side);
                            $store(place, sum[0]);
                            $store(place.add($lanes), sum[1]);
                        }
                    }
                }
                $reaches(most, least)
            }
        };
    }

    walk!(
        reach_512,
        add_512,
        "avx512f",
        __m512,
        16,
        12,
        _mm512_setzero_ps,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_fmadd_ps,
        apart_512,
        _mm512_max_ps,
        reaches_512
    );
    walk!(
        reach_256,
        add_256,
        "avx2,fma",
        __m256,
        8,
        6,
        _mm256_setzero_ps,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_fmadd_ps,
        apart_256,
        _mm256_max_ps,
        reaches_256
    );

    /// The sum less how far two numbers are apart.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn apart_512(sum: __m512, l: __m512, r: __m512) -> __m512 {
        _mm512_sub_ps(sum, _mm512_abs_ps(_mm512_sub_ps(l, r)))
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn apart_256(sum: __m256, l: __m256, r: __m256) -> __m256 {
        _mm256_sub_ps(sum, _mm256_andnot_ps(_mm256_set1_ps(-0.0), _mm256_sub_ps(l, r)))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn reaches_512(most: __m512, least: f32) -> bool {
        _mm512_cmp_ps_mask::<_CMP_GE_OQ>(most, _mm512_set1_ps(least)) != 0
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn reaches_256(most: __m256, least: f32) -> bool {
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(most, _mm256_set1_ps(least))) != 0
    }

    /// Cells counted with every coordinate: 96 coordinates count a whole micro-tile.
    const AT_ONCE: usize = 4;

    /// # Safety
    /// The panels have `width` coordinates.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn count_512<const DISTANCE: bool>(
        width: usize,
        left: &[f32],
        right: &[f32],
        zero: f32,
        bins: &mut [u32; BINS],
        waiting: &mut Waiting,
        before: &mut Values,
    ) -> usize {
        let mut sums = [[_mm512_setzero_ps(); 2]; LEFT];
        let mut listed = 0;
        let (bins, cells) = (bins.as_mut_ptr(), waiting.cells.as_ptr());
        let marked = waiting.marked.as_mut_ptr();
        let tick = |place: usize, listed: &mut usize| {
            // SAFETY: `place` is below CELLS, a cell is below BINS, and no more are listed than were counted.
            unsafe {
                let count = bins.add(*cells.add(place) as usize);
                let more = (*count).wrapping_add(1);
                *count = more;
                *marked.add(*listed) = place as u16;
                *listed += (more >> 31) as usize;
            }
        };
        let (l, r) = (left.as_ptr(), right.as_ptr());
        let together = width.min(CELLS / AT_ONCE);
        for k in 0..together {
            // SAFETY: k is below the width, and the panels have that many coordinates.
            unsafe { add_512::<DISTANCE>(&mut sums, l.add(k * LEFT), r.add(k * RIGHT)) };
            for place in k * AT_ONCE..(k + 1) * AT_ONCE {
                tick(place, &mut listed);
            }
        }
        for k in together..width {
            // SAFETY: as above.
            unsafe { add_512::<DISTANCE>(&mut sums, l.add(k * LEFT), r.add(k * RIGHT)) };
        }
        for place in together * AT_ONCE..CELLS {
            tick(place, &mut listed);
        }
        if listed > 0 {
            *before = waiting.values;
        }
        let (per_unit, zero) = (_mm512_set1_ps(BINS_PER_UNIT), _mm512_set1_ps(zero));
        let last = _mm512_set1_epi32(BINS as i32 - 1);
        for (row, sum) in sums.iter().enumerate() {
            for (half, &value) in sum.iter().enumerate() {
                let place = row * RIGHT + half * 16;
                let bin = _mm512_cvttps_epi32(_mm512_fmadd_ps(value, per_unit, zero));
                // SAFETY: 12 x 32 places; the bin is held below BINS.
                unsafe {
                    _mm512_storeu_ps(waiting.values.as_mut_ptr().add(place), value);
                    let cell = waiting.cells.as_mut_ptr().add(place);
                    _mm512_storeu_si512(cell.cast(), _mm512_min_epu32(bin, last));
                }
            }
        }
        listed
    }

    /// # Safety
    /// The rows are of one length.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub unsafe fn product_512(a: &[f32], b: &[f32]) -> f64 {
        let mut sums = [_mm512_setzero_pd(); 2];
        let (a, b, width) = (a.as_ptr(), b.as_ptr(), a.len());
        let whole = width / LANES * LANES;
        for k in (0..whole).step_by(LANES) {
            for (half, sum) in sums.iter_mut().enumerate() {
                let k = k + half * 8;
                // SAFETY: eight numbers from k on are within both rows.
                let (x, y) = unsafe { (_mm256_loadu_ps(a.add(k)), _mm256_loadu_ps(b.add(k))) };
                *sum = _mm512_fmadd_pd(_mm512_cvtps_pd(x), _mm512_cvtps_pd(y), *sum);
            }
        }
        if whole < width {
            let rest = (1u16 << (width - whole)) - 1;
            // SAFETY: no number beyond the rows is read. The others count as zeros, and no lane is ever -0, so that adding
            // 0 changes none.
            let (x, y) =
                unsafe { (_mm512_maskz_loadu_ps(rest, a.add(whole)), _mm512_maskz_loadu_ps(rest, b.add(whole))) };
            let low = |x| _mm512_cvtps_pd(_mm512_castps512_ps256(x));
            let high = |x| _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(x))));
            sums[0] = _mm512_fmadd_pd(low(x), low(y), sums[0]);
            sums[1] = _mm512_fmadd_pd(high(x), high(y), sums[1]);
        }
        // As `fold` does: halves are added to halves.
        let eight = _mm512_add_pd(sums[0], sums[1]);
        let four = _mm256_add_pd(_mm512_castpd512_pd256(eight), _mm512_extractf64x4_pd::<1>(eight));
        let two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd::<1>(four));
        _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)))
    }

    /// # Safety
    /// The panels have `steps` steps.
    #[target_feature(enable = "avx512f,avx512vnni")]
    pub unsafe fn screen_512(
        steps: usize,
        left: &[u8],
        right: &[i8],
        start: &[i32; RIGHT],
        least: &[i32; LEFT],
        out: &mut [u32; LEFT],
    ) -> bool {
        // SAFETY: there are 32 starts.
        let begin =
            unsafe { [_mm512_loadu_si512(start.as_ptr().cast()), _mm512_loadu_si512(start.as_ptr().add(16).cast())] };
        let mut sums = [begin; LEFT];
        for step in 0..steps {
            // SAFETY: the step is below the number of steps that the panels have.
            unsafe {
                let r = right.as_ptr().add(step * RIGHT * STEP);
                let (r0, r1) = (_mm512_loadu_si512(r.cast()), _mm512_loadu_si512(r.add(64).cast()));
                let l = left.as_ptr().add(step * LEFT * STEP).cast::<i32>();
                for (row, sum) in sums.iter_mut().enumerate() {
                    let l = _mm512_set1_epi32(l.add(row).read_unaligned());
                    sum[0] = _mm512_dpbusd_epi32(sum[0], l, r0);
                    sum[1] = _mm512_dpbusd_epi32(sum[1], l, r1);
                }
            }
        }
        let mut any = 0;
        for (sum, &least) in sums.iter().zip(least) {
            any |= _mm512_cmpgt_epi32_mask(_mm512_max_epi32(sum[0], sum[1]), _mm512_set1_epi32(least));
        }
        if any == 0 {
            return false;
        }
        for ((bits, sum), &least) in out.iter_mut().zip(&sums).zip(least) {
            let least = _mm512_set1_epi32(least);
            let low = u32::from(_mm512_cmpgt_epi32_mask(sum[0], least));
            *bits = low | u32::from(_mm512_cmpgt_epi32_mask(sum[1], least)) << 16;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn panels(width: usize) -> (Vec<f32>, Vec<f32>) {
        let mut stream = Seed(width as u64).stream("test/panels");
        let mut draw = |n| (0..n).map(|_| (stream.unit() - 0.5) as f32 * 0.3).collect::<Vec<f32>>();
        (draw(width * LEFT), draw(width * RIGHT))
    }

    #[test]
    fn every_kernel_of_this_machine_computes_what_the_plain_one_does() {
        let kernels: Vec<Kernel> = Kernel::ALL.iter().copied().filter(|k| k.is_available()).collect();
        for width in [0, 1, 5, 96, 100, 130] {
            let (left, right) = panels(width);
            for distance in [false, true] {
                let mut plain = [0.0; CELLS];
                reach_plain(distance, width, &left, &right, f32::NEG_INFINITY, &mut plain);
                let most = plain.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                for &kernel in &kernels {
                    let mut out = [9.0; CELLS];
                    assert!(reach(kernel, distance, width, &left, &right, most - 1e-4, &mut out), "{kernel} {width}");
                    for (a, b) in out.iter().zip(&plain) {
                        assert!((a - b).abs() <= 1e-4, "{kernel} {width} {distance}: {a} {b}");
                    }
                    assert!(!reach(kernel, distance, width, &left, &right, most + 1e-4, &mut out), "{kernel} {width}");
                }
            }
        }
    }

    #[test]
    fn counting_behind_the_next_tile_counts_every_cell_once() {
        for width in [1, 40, 100, 130] {
            for &kernel in Kernel::ALL.iter().filter(|k| k.is_available()) {
                let mut bins = Box::new([0u32; BINS]);
                bins[bin(0.0, 16392.0)] = MARK;
                let (mut waiting, mut before) = (Waiting::nothing(), [0.0; CELLS]);
                let (left, right) = panels(width);
                let mut listed = 0;
                for _ in 0..3 {
                    listed = count(kernel, false, width, &left, &right, 16392.0, &mut bins, &mut waiting, &mut before);
                }
                let marked: Vec<u16> = waiting.marked[..listed].to_vec();
                let again = waiting.drain(&mut bins);
                assert_eq!(marked, waiting.marked[..again], "{kernel} {width}");
                let mut expected = vec![0u32; BINS];
                for value in waiting.values {
                    expected[bin(value, 16392.0)] += 3;
                }
                expected[bin(0.0, 16392.0)] |= MARK;
                expected[BINS - 1] = CELLS as u32;
                assert_eq!(bins[..], expected[..], "{kernel} {width}");
                let zero: Vec<u16> =
                    (0..CELLS as u16).filter(|&c| bin(waiting.values[c as usize], 16392.0) == 16392).collect();
                assert_eq!(marked, zero, "{kernel} {width}");
            }
        }
    }

    #[test]
    fn the_fast_sum_is_the_defining_one_bit_for_bit() {
        let mut stream = Seed(3).stream("test/products");
        for width in [0, 1, 7, 8, 15, 16, 17, 31, 100, 300] {
            let mut draw = || ((stream.unit() - 0.5) * 10f64.powi(stream.below(30) as i32 - 15)) as f32;
            let (a, b): (Vec<f32>, Vec<f32>) = (0..width).map(|_| (draw(), draw())).unzip();
            assert_eq!(product(&a, &b).to_bits(), product_plain(&a, &b).to_bits(), "{width}");
        }
    }

    #[test]
    fn screening_is_exact_in_whole_numbers() {
        let mut stream = Seed(2).stream("test/screen");
        for steps in [0, 1, 8, 25] {
            let left: Vec<u8> = (0..steps * STEP * LEFT).map(|_| stream.below(256) as u8).collect();
            let right: Vec<i8> = (0..steps * STEP * RIGHT).map(|_| stream.below(256) as u8 as i8).collect();
            let start = std::array::from_fn(|_| stream.below(1000) as i32 - 500);
            for base in [i32::MIN, -20_000, 0, 30_000, i32::MAX] {
                let least = std::array::from_fn(|row| base.saturating_add(row as i32 * 100));
                let (mut a, mut b) = ([0; LEFT], [0; LEFT]);
                let any = screen_plain(steps, &left, &right, &start, &least, &mut a);
                assert_eq!(screen(steps, &left, &right, &start, &least, &mut b), any, "{steps} {base}");
                assert!(!any || a == b, "{steps} {base}");
            }
        }
    }
}
