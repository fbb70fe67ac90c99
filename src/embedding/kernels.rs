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

    #[inline(always)]
    fn plus_product(self, a: &Lanes, b: &Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] + a.0[lane] * b.0[lane]))
    }

    #[inline(always)]
    fn plus_scaled(self, scale: f32, b: &Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] + scale * b.0[lane]))
    }

    #[inline(always)]
    fn plus(self, b: &Lanes) -> Lanes {
        Lanes(std::array::from_fn(|lane| self.0[lane] + b.0[lane]))
    }

    #[inline(always)]
    fn sum(self) -> f32 {
        let x = self.0;
        let x: [f32; 8] = std::array::from_fn(|lane| x[lane] + x[lane + 8]);
        let x: [f32; 4] = std::array::from_fn(|lane| x[lane] + x[lane + 4]);
        (x[0] + x[2]) + (x[1] + x[3])
    }
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

/// A piece of work that is compiled once for each of [`Instructions`]. `run` and all it calls must be
/// `#[inline(always)]`, else they are compiled for the base instructions (and give the same result, slower).
pub(super) trait Work {
    fn run(self);
}

/// Does the work with these instructions.
pub(super) fn with<W: Work>(instructions: Instructions, work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn avx2<W: Work>(work: W) {
            work.run();
        }
        #[target_feature(enable = "avx2,avx512f,avx512vl")]
        fn avx512<W: Work>(work: W) {
            work.run();
        }
        assert!(Instructions::all().contains(&instructions), "instructions that the machine does not have");
        match instructions {
            Instructions::Base => work.run(),
            // SAFETY: the assertion above has found the feature on this machine.
            Instructions::Avx2 => unsafe { avx2(work) },
            // SAFETY: as above.
            Instructions::Avx512 => unsafe { avx512(work) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = instructions;
        work.run();
    }
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
fn dots_of<const G: usize>(vector: &[Lanes], rows: &[&[Lanes]], out: &mut [f32]) {
    let rows: [&[Lanes]; G] = std::array::from_fn(|j| &rows[j][..vector.len()]);
    let mut sums = [Lanes::ZERO; G];
    for (at, v) in vector.iter().enumerate() {
        sums = std::array::from_fn(|j| sums[j].plus_product(v, &rows[j][at]));
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        *out = sum.sum();
    }
}

/// The scalar products of a vector with rows.
#[inline(always)]
pub(super) fn dots(vector: &[Lanes], rows: &[&[Lanes]], out: &mut [f32]) {
    let mut done = 0;
    while rows.len() - done >= 6 {
        dots_of::<6>(vector, &rows[done..], &mut out[done..]);
        done += 6;
    }
    let (rows, out) = (&rows[done..], &mut out[done..]);
    match rows.len() {
        1 => dots_of::<1>(vector, rows, out),
        2 => dots_of::<2>(vector, rows, out),
        3 => dots_of::<3>(vector, rows, out),
        4 => dots_of::<4>(vector, rows, out),
        5 => dots_of::<5>(vector, rows, out),
        _ => {}
    }
}

/// out = sum of scale x row, in the order of the rows.
#[inline(always)]
pub(super) fn weighted_sum(scales: &[f32], rows: &[&[Lanes]], out: &mut [Lanes]) {
    for (at, out) in out.iter_mut().enumerate() {
        let mut sum = Lanes::ZERO;
        for (&scale, row) in scales.iter().zip(rows) {
            sum = sum.plus_scaled(scale, &row[at]);
        }
        *out = sum;
    }
}

/// out = factor x sum of the rows, in their order.
#[inline(always)]
pub(super) fn scaled_sum(factor: f32, rows: &[&[Lanes]], out: &mut [Lanes]) {
    for (at, out) in out.iter_mut().enumerate() {
        let mut sum = Lanes::ZERO;
        for row in rows {
            sum = sum.plus(&row[at]);
        }
        *out = Lanes::ZERO.plus_scaled(factor, &sum);
    }
}

/// row += scale x vector.
#[inline(always)]
pub(super) fn add_scaled(row: &mut [Lanes], scale: f32, vector: &[Lanes]) {
    for (row, vector) in row.iter_mut().zip(vector) {
        *row = row.plus_scaled(scale, vector);
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

/// 1 / (1 + e^-x) of each number; a NaN stays one.
#[inline(always)]
pub(super) fn sigmoids(numbers: &mut [f32]) {
    let one = |x: f32| {
        1.0 / (1.0
            + exp(if x > 30.0 {
                -30.0
            } else if x < -80.0 {
                80.0
            } else {
                -x
            }))
    };
    let mut chunks = numbers.chunks_exact_mut(8);
    for chunk in &mut chunks {
        for x in chunk {
            *x = one(*x);
        }
    }
    for x in chunks.into_remainder() {
        *x = one(*x);
    }
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
            fn run(self) {
                let rows: Vec<&[Lanes]> = self.rows.iter().map(Vec::as_slice).collect();
                let mut scores = vec![0.0; rows.len()];
                dots(rows[0], &rows, &mut scores);
                let mut sum = vec![Lanes::ZERO; rows[0].len()];
                weighted_sum(&scores, &rows, &mut sum);
                let mut mean = vec![Lanes::ZERO; rows[0].len()];
                scaled_sum(1.0 / 3.0, &rows, &mut mean);
                add_scaled(&mut mean, 0.3, &sum);
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
        dots(&rows[0], &rows.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut scores);
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
