//! The inner loops of training, in lanes of 16 numbers, and the one place that compiles them for several processors.
//!
//! Every sum has one fixed order: 16 lanes side by side, each a multiplication and then an addition (never fused), and
//! one tree over the lanes at the end. SSE2, AVX2 and AVX-512 therefore give the same bits; a test runs them all.

#![allow(unsafe_code)]

/// Sixteen numbers: a cache line, and a register of AVX-512.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Lanes(pub [f32; 16]);

impl Lanes {
    pub const ZERO: Lanes = Lanes([0.0; 16]);
}

/// The instructions that the inner loops are compiled for. The results are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    /// What every processor of the target has (SSE2 on x86-64).
    Base,
    Avx2,
    Avx512,
}

impl Instructions {
    /// The widest that this machine has.
    pub fn best() -> Instructions {
        Instructions::all().last().copied().unwrap_or(Instructions::Base)
    }

    /// All that this machine has.
    pub fn all() -> Vec<Instructions> {
        let mut all = vec![Instructions::Base];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                all.push(Instructions::Avx2);
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                all.push(Instructions::Avx512);
            }
        }
        all
    }
}

/// Sixteen lanes side by side in some set of instructions. A value of the type is the proof that the machine has them.
pub(super) trait Simd: Copy {
    /// Sixteen numbers in registers.
    type Sixteen: Copy;
    fn splat(self, x: f32) -> Self::Sixteen;
    fn load(self, from: &Lanes) -> Self::Sixteen;
    fn store(self, x: Self::Sixteen, to: &mut Lanes);
    fn add(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen;
    fn mul(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen;
    /// The sum of the lanes: halves onto each other, 8, 4, 2, 1.
    fn sum(self, x: Self::Sixteen) -> f32;
}

/// The definition, in plain Rust.
#[derive(Clone, Copy)]
pub(super) struct Base;

impl Simd for Base {
    type Sixteen = [f32; 16];
    #[inline(always)]
    fn splat(self, x: f32) -> [f32; 16] {
        [x; 16]
    }
    #[inline(always)]
    fn load(self, from: &Lanes) -> [f32; 16] {
        from.0
    }
    #[inline(always)]
    fn store(self, x: [f32; 16], to: &mut Lanes) {
        to.0 = x;
    }
    #[inline(always)]
    fn add(self, mut a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    }
    #[inline(always)]
    fn mul(self, mut a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        for (a, b) in a.iter_mut().zip(b) {
            *a *= b;
        }
        a
    }
    #[inline(always)]
    fn sum(self, mut x: [f32; 16]) -> f32 {
        for half in [8, 4, 2, 1] {
            for lane in 0..half {
                x[lane] += x[lane + half];
            }
        }
        x[0]
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! The same in AVX2 and AVX-512. The private field is set only where the features were found.

    use super::{Lanes, Simd};
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub struct Avx2(pub(super) ());

    /// The last steps of the tree: 8 lanes onto 4, 2, 1.
    #[inline(always)]
    fn sum8(x: __m256) -> f32 {
        // SAFETY: called only from the two types below, each the proof of AVX and more.
        unsafe {
            let x = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps::<1>(x));
            let x = _mm_add_ps(x, _mm_movehl_ps(x, x));
            _mm_cvtss_f32(_mm_add_ss(x, _mm_shuffle_ps::<1>(x, x)))
        }
    }

    impl Simd for Avx2 {
        type Sixteen = (__m256, __m256);
        #[inline(always)]
        fn splat(self, x: f32) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            let x = unsafe { _mm256_set1_ps(x) };
            (x, x)
        }
        #[inline(always)]
        fn load(self, from: &Lanes) -> Self::Sixteen {
            // SAFETY: as above; 16 numbers at an address divisible by 64.
            unsafe { (_mm256_load_ps(from.0.as_ptr()), _mm256_load_ps(from.0.as_ptr().add(8))) }
        }
        #[inline(always)]
        fn store(self, x: Self::Sixteen, to: &mut Lanes) {
            // SAFETY: as above.
            unsafe {
                _mm256_store_ps(to.0.as_mut_ptr(), x.0);
                _mm256_store_ps(to.0.as_mut_ptr().add(8), x.1);
            }
        }
        #[inline(always)]
        fn add(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            unsafe { (_mm256_add_ps(a.0, b.0), _mm256_add_ps(a.1, b.1)) }
        }
        #[inline(always)]
        fn mul(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            unsafe { (_mm256_mul_ps(a.0, b.0), _mm256_mul_ps(a.1, b.1)) }
        }
        #[inline(always)]
        fn sum(self, x: Self::Sixteen) -> f32 {
            // SAFETY: self is the proof of the feature.
            sum8(unsafe { _mm256_add_ps(x.0, x.1) })
        }
    }

    #[derive(Clone, Copy)]
    pub struct Avx512(pub(super) ());

    impl Simd for Avx512 {
        type Sixteen = __m512;
        #[inline(always)]
        fn splat(self, x: f32) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe { _mm512_set1_ps(x) }
        }
        #[inline(always)]
        fn load(self, from: &Lanes) -> __m512 {
            // SAFETY: as above; 16 numbers at an address divisible by 64.
            unsafe { _mm512_load_ps(from.0.as_ptr()) }
        }
        #[inline(always)]
        fn store(self, x: __m512, to: &mut Lanes) {
            // SAFETY: as above.
            unsafe { _mm512_store_ps(to.0.as_mut_ptr(), x) }
        }
        #[inline(always)]
        fn add(self, a: __m512, b: __m512) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe { _mm512_add_ps(a, b) }
        }
        #[inline(always)]
        fn mul(self, a: __m512, b: __m512) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe { _mm512_mul_ps(a, b) }
        }
        #[inline(always)]
        fn sum(self, x: __m512) -> f32 {
            // SAFETY: self is the proof of the feature.
            unsafe {
                let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(x)));
                sum8(_mm256_add_ps(_mm512_castps512_ps256(x), high))
            }
        }
    }
}

/// A piece of work that is compiled once for each of [`Instructions`]. `run` and all it calls must be
/// `#[inline(always)]`, else they are compiled for the base instructions (and give the same result, slower).
pub(super) trait Work {
    fn run<S: Simd>(self, simd: S);
}

/// Does the work with these instructions.
pub(super) fn with<W: Work>(instructions: Instructions, work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2<W: Work>(work: W) {
            work.run(wide::Avx2(()));
        }
        #[target_feature(enable = "avx2,avx512f,avx512vl")]
        fn avx512<W: Work>(work: W) {
            work.run(wide::Avx512(()));
        }
        match instructions {
            Instructions::Avx2 if is_x86_feature_detected!("avx2") => {
                // SAFETY: the guard has found the feature.
                return unsafe { avx2(work) };
            }
            Instructions::Avx512 if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") => {
                // SAFETY: the guard has found the features (AVX-512 includes AVX2).
                return unsafe { avx512(work) };
            }
            _ => {}
        }
    }
    let _ = instructions;
    work.run(Base);
}

/// Asks for a row before it is needed.
#[inline(always)]
pub(super) fn prefetch(row: &[Lanes]) {
    #[cfg(target_arch = "x86_64")]
    for line in row {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is allowed, and this one is of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// `G` scalar products of one vector.
#[inline(always)]
fn dots_of<S: Simd, const G: usize>(simd: S, vector: &[Lanes], rows: &[&[Lanes]], out: &mut [f32]) {
    let mut chosen = [vector; G];
    for (chosen, row) in chosen.iter_mut().zip(rows) {
        assert!(row.len() == vector.len(), "rows of one width");
        *chosen = row;
    }
    let mut sums = [simd.splat(0.0); G];
    for (at, v) in vector.iter().enumerate() {
        let v = simd.load(v);
        for (sum, row) in sums.iter_mut().zip(&chosen) {
            // SAFETY: `at` is below the vector's length, which is the row's (asserted above).
            let product = simd.mul(v, simd.load(unsafe { row.get_unchecked(at) }));
            *sum = simd.add(*sum, product);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = simd.sum(sum);
    }
}

/// The scalar products of a vector with rows.
#[inline(always)]
pub(super) fn dots<S: Simd>(simd: S, vector: &[Lanes], rows: &[&[Lanes]], out: &mut [f32]) {
    let mut done = 0;
    while rows.len() - done >= 6 {
        dots_of::<S, 6>(simd, vector, &rows[done..], &mut out[done..]);
        done += 6;
    }
    let (rows, out) = (&rows[done..], &mut out[done..]);
    match rows.len() {
        1 => dots_of::<S, 1>(simd, vector, rows, out),
        2 => dots_of::<S, 2>(simd, vector, rows, out),
        3 => dots_of::<S, 3>(simd, vector, rows, out),
        4 => dots_of::<S, 4>(simd, vector, rows, out),
        5 => dots_of::<S, 5>(simd, vector, rows, out),
        _ => {}
    }
}

/// `G` neighbouring lanes of [`weighted_sum`], kept in registers while the rows pass.
#[inline(always)]
fn weighted_sum_of<S: Simd, const G: usize>(simd: S, scales: &[f32], rows: &[&[Lanes]], at: usize, out: &mut [Lanes]) {
    let mut sums = [simd.splat(0.0); G];
    for (&scale, row) in scales.iter().zip(rows) {
        let scale = simd.splat(scale);
        for (sum, x) in sums.iter_mut().zip(&row[at..at + G]) {
            *sum = simd.add(*sum, simd.mul(scale, simd.load(x)));
        }
    }
    for (out, sum) in out[at..at + G].iter_mut().zip(sums) {
        simd.store(sum, out);
    }
}

/// out = sum of scale x row, in the order of the rows.
#[inline(always)]
pub(super) fn weighted_sum<S: Simd>(simd: S, scales: &[f32], rows: &[&[Lanes]], out: &mut [Lanes]) {
    let mut at = 0;
    while out.len() - at >= 4 {
        weighted_sum_of::<S, 4>(simd, scales, rows, at, out);
        at += 4;
    }
    match out.len() - at {
        1 => weighted_sum_of::<S, 1>(simd, scales, rows, at, out),
        2 => weighted_sum_of::<S, 2>(simd, scales, rows, at, out),
        3 => weighted_sum_of::<S, 3>(simd, scales, rows, at, out),
        _ => {}
    }
}

/// `G` neighbouring lanes of [`scaled_sum`].
#[inline(always)]
fn scaled_sum_of<S: Simd, const G: usize>(simd: S, factor: f32, rows: &[&[Lanes]], at: usize, out: &mut [Lanes]) {
    let mut sums = [simd.splat(0.0); G];
    for row in rows {
        for (sum, x) in sums.iter_mut().zip(&row[at..at + G]) {
            *sum = simd.add(*sum, simd.load(x));
        }
    }
    let factor = simd.splat(factor);
    for (out, sum) in out[at..at + G].iter_mut().zip(sums) {
        simd.store(simd.mul(factor, sum), out);
    }
}

/// out = factor x sum of the rows, in their order.
#[inline(always)]
pub(super) fn scaled_sum<S: Simd>(simd: S, factor: f32, rows: &[&[Lanes]], out: &mut [Lanes]) {
    let mut at = 0;
    while out.len() - at >= 4 {
        scaled_sum_of::<S, 4>(simd, factor, rows, at, out);
        at += 4;
    }
    match out.len() - at {
        1 => scaled_sum_of::<S, 1>(simd, factor, rows, at, out),
        2 => scaled_sum_of::<S, 2>(simd, factor, rows, at, out),
        3 => scaled_sum_of::<S, 3>(simd, factor, rows, at, out),
        _ => {}
    }
}

/// row += scale x vector.
#[inline(always)]
pub(super) fn add_scaled<S: Simd>(simd: S, row: &mut [Lanes], scale: f32, vector: &[Lanes]) {
    let scale = simd.splat(scale);
    for (row, vector) in row.iter_mut().zip(vector) {
        simd.store(simd.add(simd.load(row), simd.mul(scale, simd.load(vector))), row);
    }
}

/// e^x for -87 < x < 88, to 2e-7 relative: 2^n by the exponent, the rest by a polynomial (the series to the 7th power
/// on |r| <= ln 2 / 2). Operations that are exactly rounded everywhere, so the same bits on every machine.
#[inline(always)]
fn exp(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let turns = x * std::f32::consts::LOG2_E + ROUND;
    let n = turns - ROUND;
    let r = x - n * 0.693_359_4;
    let r = r - n * -2.121_944_4e-4;
    let p = 1.0 / 5040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    let p = p * r + 0.5;
    let p = p * r + 1.0;
    let p = p * r + 1.0;
    let exponent = turns.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    p * f32::from_bits(exponent)
}

/// 1 / (1 + e^-x) of each number; a NaN stays one. Fastest on whole lanes of 16.
#[inline(always)]
pub(super) fn sigmoids(numbers: &mut [f32]) {
    let mut chunks = numbers.chunks_exact_mut(16);
    for chunk in &mut chunks {
        for x in chunk {
            *x = sigmoid(*x);
        }
    }
    for x in chunks.into_remainder() {
        *x = sigmoid(*x);
    }
}

#[inline(always)]
fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0
        + exp(if x > 30.0 {
            -30.0
        } else if x < -80.0 {
            80.0
        } else {
            -x
        }))
}

/// Softmax of the numbers in place: e^(x - largest) over their sum, summed in f64.
#[inline(always)]
pub(super) fn softmax(numbers: &mut [f32]) {
    let largest = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut total = 0.0f64;
    for x in numbers.iter_mut() {
        let below = *x - largest;
        *x = if below < -87.0 { 0.0 } else { exp(below) };
        total += f64::from(*x);
    }
    let factor = (1.0 / total) as f32;
    for x in numbers {
        *x *= factor;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigmoid_and_softmax_are_those_of_f64() {
        let xs: Vec<f32> = (-4000..4000).map(|i| i as f32 * 0.01).collect();
        let mut ys = xs.clone();
        sigmoids(&mut ys);
        for (&x, &y) in xs.iter().zip(&ys) {
            let want = 1.0 / (1.0 + (-f64::from(x)).exp());
            assert!((f64::from(y) - want).abs() <= 3e-7 * want.max(1e-6), "{x}: {y} {want}");
        }
        let mut odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
        sigmoids(&mut odd);
        assert!(odd[0].is_nan() && odd[1] == 1.0 && odd[2] > 0.0 && odd[2] < 1e-30, "{odd:?}");
        let mut p = [1.0f32, 2.0, 4.0, -300.0];
        softmax(&mut p);
        let total = 1f64.exp() + 2f64.exp() + 4f64.exp();
        for (p, x) in p.iter().zip([1.0f64, 2.0, 4.0]) {
            assert!((f64::from(*p) - x.exp() / total).abs() < 1e-7);
        }
        assert_eq!(p[3], 0.0);
    }

    #[test]
    fn all_instructions_give_the_bits_of_the_plain_loops() {
        struct Try<'a> {
            rows: &'a [Vec<Lanes>],
            out: &'a mut Vec<f32>,
        }
        impl Work for Try<'_> {
            #[inline(always)]
            fn run<S: Simd>(self, simd: S) {
                let rows: Vec<&[Lanes]> = self.rows.iter().map(Vec::as_slice).collect();
                let mut scores = vec![0.0; rows.len()];
                dots(simd, rows[0], &rows, &mut scores);
                let mut sum = vec![Lanes::ZERO; rows[0].len()];
                weighted_sum(simd, &scores, &rows, &mut sum);
                let mut mean = vec![Lanes::ZERO; rows[0].len()];
                scaled_sum(simd, 1.0 / 3.0, &rows, &mut mean);
                add_scaled(simd, &mut mean, 0.3, &sum);
                sigmoids(&mut scores);
                self.out.extend(&scores);
                self.out.extend(mean.iter().flat_map(|lanes| lanes.0));
                softmax(&mut scores);
                self.out.extend(&scores);
            }
        }
        let mut x = 0.1f32;
        let rows: Vec<Vec<Lanes>> = (0..11)
            .map(|_| {
                (0..7)
                    .map(|_| {
                        Lanes(std::array::from_fn(|_| {
                            x = (x * 37.7 + 0.31) % 1.0;
                            x - 0.5
                        }))
                    })
                    .collect()
            })
            .collect();
        // The same sums written out lane by lane.
        let plain: Vec<f32> = rows
            .iter()
            .map(|row| {
                let mut lanes = [0.0f32; 16];
                for (a, b) in rows[0].iter().zip(row) {
                    for lane in 0..16 {
                        lanes[lane] += a.0[lane] * b.0[lane];
                    }
                }
                for half in [8, 4, 2, 1] {
                    for lane in 0..half {
                        lanes[lane] += lanes[lane + half];
                    }
                }
                lanes[0]
            })
            .collect();
        let mut scores = vec![0.0; rows.len()];
        dots(Base, &rows[0], &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut scores);
        assert_eq!(scores, plain);
        let results: Vec<Vec<u32>> = Instructions::all()
            .into_iter()
            .map(|instructions| {
                let mut out = Vec::new();
                with(instructions, Try { rows: &rows, out: &mut out });
                out.into_iter().map(f32::to_bits).collect()
            })
            .collect();
        println!("tried {:?}", Instructions::all());
        assert!(results.iter().all(|bits| *bits == results[0]));
    }
}
