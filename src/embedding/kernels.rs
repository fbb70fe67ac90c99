//! The inner loops of training, in lanes of 16 numbers, and the one place that compiles them for several processors.
//!
//! Every sum has one fixed order: 16 lanes side by side, each a multiplication and then an addition (never fused), and
//! one tree over the lanes at the end. SSE2, AVX2 and AVX-512 therefore give the same bits; a test runs them all.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

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
    fn sub(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen;
    /// The sum of each of sixteen: halves onto each other, 8, 4, 2, 1.
    fn sums(self, x: &[Self::Sixteen; 16]) -> Self::Sixteen;
    /// Sixteen numbers that other threads may write meanwhile: each is an old or a new one.
    fn load_shared(self, from: &SharedLanes) -> Self::Sixteen;
    fn store_shared(self, x: Self::Sixteen, to: &SharedLanes);
}

/// Sixteen numbers that several threads read and write without locks.
#[repr(C, align(64))]
pub(super) struct SharedLanes([AtomicU32; 16]);

/// Rows that are lent to several threads at once, in place.
pub(super) fn shared(lanes: &mut [Lanes]) -> &[SharedLanes] {
    let (first, count) = (lanes.as_mut_ptr().cast::<SharedLanes>(), lanes.len());
    // SAFETY: both are sixteen times 4 bytes at an address divisible by 64, every bit pattern is a number of either
    // kind, and the exclusive borrow lasts as long as what is given back.
    unsafe { std::slice::from_raw_parts(first, count) }
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
    fn sub(self, mut a: [f32; 16], b: [f32; 16]) -> [f32; 16] {
        for (a, b) in a.iter_mut().zip(b) {
            *a -= b;
        }
        a
    }
    #[inline(always)]
    fn sums(self, x: &[[f32; 16]; 16]) -> [f32; 16] {
        x.map(|mut x| {
            for half in [8, 4, 2, 1] {
                for lane in 0..half {
                    x[lane] += x[lane + half];
                }
            }
            x[0]
        })
    }
    #[inline(always)]
    fn load_shared(self, from: &SharedLanes) -> [f32; 16] {
        std::array::from_fn(|lane| f32::from_bits(from.0[lane].load(Ordering::Relaxed)))
    }
    #[inline(always)]
    fn store_shared(self, x: [f32; 16], to: &SharedLanes) {
        for (x, to) in x.into_iter().zip(&to.0) {
            to.store(x.to_bits(), Ordering::Relaxed);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! The same in AVX2 and AVX-512. The private field is set only where the features were found.

    use super::{Lanes, SharedLanes, Simd};
    use std::arch::asm;
    use std::arch::x86_64::*;

    #[derive(Clone, Copy)]
    pub struct Avx2(pub(super) ());

    // Rows that other threads write are read and written by instructions of their own: what such an instruction does
    // to 64 aligned bytes is what sixteen relaxed loads or stores of 4 bytes each may do, in some order.

    #[target_feature(enable = "avx")]
    #[inline]
    fn load_shared_256(from: &SharedLanes) -> (__m256, __m256) {
        let (low, high);
        // SAFETY: 64 bytes of a live reference at an address divisible by 64.
        unsafe {
            asm!("vmovaps {low}, [{from}]", "vmovaps {high}, [{from} + 32]", from = in(reg) from.0.as_ptr(),
                low = lateout(ymm_reg) low, high = lateout(ymm_reg) high,
                options(nostack, preserves_flags, readonly));
        }
        (low, high)
    }

    #[target_feature(enable = "avx")]
    #[inline]
    fn store_shared_256(x: (__m256, __m256), to: &SharedLanes) {
        // SAFETY: as above; the numbers are atomics, so a shared reference may write.
        unsafe {
            asm!("vmovaps [{to}], {low}", "vmovaps [{to} + 32], {high}", to = in(reg) to.0.as_ptr(),
                low = in(ymm_reg) x.0, high = in(ymm_reg) x.1, options(nostack, preserves_flags));
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load_shared_512(from: &SharedLanes) -> __m512 {
        let x;
        // SAFETY: as above.
        unsafe {
            asm!("vmovaps {x}, [{from}]", from = in(reg) from.0.as_ptr(), x = lateout(zmm_reg) x,
                options(nostack, preserves_flags, readonly));
        }
        x
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn store_shared_512(x: __m512, to: &SharedLanes) {
        // SAFETY: as above.
        unsafe {
            asm!("vmovaps [{to}], {x}", to = in(reg) to.0.as_ptr(), x = in(zmm_reg) x,
                options(nostack, preserves_flags));
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
        fn sub(self, a: Self::Sixteen, b: Self::Sixteen) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            unsafe { (_mm256_sub_ps(a.0, b.0), _mm256_sub_ps(a.1, b.1)) }
        }
        #[inline(always)]
        fn sums(self, x: &[Self::Sixteen; 16]) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            unsafe {
                // 8 lanes of each of two onto 4: theirs side by side. (Macros: a closure has no target feature, so it
                // would be called, and call each instruction.)
                macro_rules! two {
                    ($a:expr, $b:expr) => {{
                        let (a, b) = (_mm256_add_ps(x[$a].0, x[$a].1), _mm256_add_ps(x[$b].0, x[$b].1));
                        _mm256_add_ps(_mm256_permute2f128_ps::<0x20>(a, b), _mm256_permute2f128_ps::<0x31>(a, b))
                    }};
                }
                // In each half 4 lanes of each of four onto 1.
                macro_rules! eight {
                    ($first:expr) => {{
                        let (a, b) = (two!($first, $first + 4), two!($first + 1, $first + 5));
                        let (c, d) = (two!($first + 2, $first + 6), two!($first + 3, $first + 7));
                        let ab = _mm256_add_ps(_mm256_shuffle_ps::<0x44>(a, b), _mm256_shuffle_ps::<0xEE>(a, b));
                        let cd = _mm256_add_ps(_mm256_shuffle_ps::<0x44>(c, d), _mm256_shuffle_ps::<0xEE>(c, d));
                        _mm256_add_ps(_mm256_shuffle_ps::<0x88>(ab, cd), _mm256_shuffle_ps::<0xDD>(ab, cd))
                    }};
                }
                (eight!(0), eight!(8))
            }
        }
        #[inline(always)]
        fn load_shared(self, from: &SharedLanes) -> Self::Sixteen {
            // SAFETY: self is the proof of the feature.
            unsafe { load_shared_256(from) }
        }
        #[inline(always)]
        fn store_shared(self, x: Self::Sixteen, to: &SharedLanes) {
            // SAFETY: self is the proof of the feature.
            unsafe { store_shared_256(x, to) }
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
        fn sub(self, a: __m512, b: __m512) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe { _mm512_sub_ps(a, b) }
        }
        #[inline(always)]
        fn sums(self, x: &[__m512; 16]) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe {
                // 16 lanes of each of two onto 8, theirs side by side; then 8 of each of four onto 4.
                macro_rules! two {
                    ($a:expr, $b:expr) => {{
                        let (a, b) = (x[$a], x[$b]);
                        _mm512_add_ps(_mm512_shuffle_f32x4::<0x44>(a, b), _mm512_shuffle_f32x4::<0xEE>(a, b))
                    }};
                }
                macro_rules! four {
                    ($at:expr) => {{
                        let (a, b) = (two!($at, $at + 4), two!($at + 8, $at + 12));
                        _mm512_add_ps(_mm512_shuffle_f32x4::<0x88>(a, b), _mm512_shuffle_f32x4::<0xDD>(a, b))
                    }};
                }
                // In each quarter 4 lanes of each of four onto 1.
                let (a, b, c, d) = (four!(0), four!(1), four!(2), four!(3));
                let ab = _mm512_add_ps(_mm512_shuffle_ps::<0x44>(a, b), _mm512_shuffle_ps::<0xEE>(a, b));
                let cd = _mm512_add_ps(_mm512_shuffle_ps::<0x44>(c, d), _mm512_shuffle_ps::<0xEE>(c, d));
                _mm512_add_ps(_mm512_shuffle_ps::<0x88>(ab, cd), _mm512_shuffle_ps::<0xDD>(ab, cd))
            }
        }
        #[inline(always)]
        fn load_shared(self, from: &SharedLanes) -> __m512 {
            // SAFETY: self is the proof of the feature.
            unsafe { load_shared_512(from) }
        }
        #[inline(always)]
        fn store_shared(self, x: __m512, to: &SharedLanes) {
            // SAFETY: self is the proof of the feature.
            unsafe { store_shared_512(x, to) }
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
pub(super) fn prefetch<L>(row: &[L]) {
    #[cfg(target_arch = "x86_64")]
    for line in row {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch of any address is allowed, and this one is of a live reference.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(line).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = row;
}

/// The scalar products of `A` vectors with `B` others, up to 16: out[a x stride + b].
#[inline(always)]
fn products_of<S: Simd, const A: usize, const B: usize>(
    simd: S,
    a: &[Lanes],
    b: &[Lanes],
    width: usize,
    out: &mut [f32],
    stride: usize,
) {
    assert!(a.len() == A * width && b.len() == B * width, "rows of one width");
    let mut sums = [simd.splat(0.0); 16];
    for at in 0..width {
        let mut column = [simd.splat(0.0); B];
        for (row, x) in column.iter_mut().enumerate() {
            // SAFETY: row x width + at is below rows x width, the length (asserted above).
            *x = simd.load(unsafe { b.get_unchecked(row * width + at) });
        }
        for row in 0..A {
            // SAFETY: as above.
            let a = simd.load(unsafe { a.get_unchecked(row * width + at) });
            for (sum, b) in sums[row * B..(row + 1) * B].iter_mut().zip(&column) {
                *sum = simd.add(*sum, simd.mul(a, *b));
            }
        }
    }
    let mut found = Lanes::ZERO;
    simd.store(simd.sums(&sums), &mut found);
    for (row, found) in found.0.chunks_exact(B).take(A).enumerate() {
        out[row * stride..][..B].copy_from_slice(found);
    }
}

/// The scalar products of all vectors of `a` with all of `b`: out[a x stride + b].
#[inline(always)]
pub(super) fn products<S: Simd>(simd: S, a: &[Lanes], b: &[Lanes], width: usize, out: &mut [f32], stride: usize) {
    let count = b.len() / width;
    let mut done = 0;
    while done < count {
        // Tiles of 3 x 5 or, for the usual word and its five drawn ones, of 2 x 6. Few sizes: each is compiled anew
        // wherever this is used.
        let (high, wide) = match count - done {
            6 => (2, 6),
            5.. => (3, 5),
            rest => (1, rest),
        };
        let b = &b[done * width..(done + wide) * width];
        for (at, a) in a.chunks(high * width).enumerate() {
            let out = &mut out[at * high * stride + done..];
            match (a.len() / width, wide) {
                (2, 6) => products_of::<S, 2, 6>(simd, a, b, width, out, stride),
                (1, 6) => products_of::<S, 1, 6>(simd, a, b, width, out, stride),
                (3, 5) => products_of::<S, 3, 5>(simd, a, b, width, out, stride),
                (2, 5) => products_of::<S, 2, 5>(simd, a, b, width, out, stride),
                (1, 5) => products_of::<S, 1, 5>(simd, a, b, width, out, stride),
                _ => {
                    for (b, out) in b.chunks_exact(width).zip(out) {
                        products_of::<S, 1, 1>(simd, a, b, width, std::slice::from_mut(out), 1);
                    }
                }
            }
        }
        done += wide;
    }
}

/// The scalar product of each vector of `a` with its fellow of `b`: out[a x stride].
#[inline(always)]
pub(super) fn pair_products<S: Simd>(simd: S, a: &[Lanes], b: &[Lanes], width: usize, out: &mut [f32], stride: usize) {
    for (at, (a, b)) in a.chunks(8 * width).zip(b.chunks(8 * width)).enumerate() {
        let mut sums = [simd.splat(0.0); 16];
        let rows = a.len() / width;
        for ((sum, a), b) in sums.iter_mut().zip(a.chunks_exact(width)).zip(b.chunks_exact(width)) {
            for (a, b) in a.iter().zip(b) {
                *sum = simd.add(*sum, simd.mul(simd.load(a), simd.load(b)));
            }
        }
        let mut found = Lanes::ZERO;
        simd.store(simd.sums(&sums), &mut found);
        for row in 0..rows {
            out[(at * 8 + row) * stride] = found.0[row];
        }
    }
}

/// `G` neighbouring lanes of [`weighted_sum`], kept in registers while the rows pass.
#[inline(always)]
fn weighted_sum_of<S: Simd, const G: usize>(
    simd: S,
    first: (f32, Option<&[Lanes]>),
    scales: &[f32],
    rows: &[Lanes],
    at: usize,
    out: &mut [Lanes],
) {
    let width = out.len();
    let mut sums = [simd.splat(0.0); G];
    let start = simd.splat(first.0);
    match first.1 {
        Some(row) => {
            for (sum, x) in sums.iter_mut().zip(&row[at..at + G]) {
                *sum = simd.mul(start, simd.load(x));
            }
        }
        None => {
            for (sum, x) in sums.iter_mut().zip(&out[at..at + G]) {
                *sum = simd.load(x);
            }
        }
    }
    for (&scale, row) in scales.iter().zip(rows.chunks_exact(width)) {
        let scale = simd.splat(scale);
        for (sum, x) in sums.iter_mut().zip(&row[at..at + G]) {
            *sum = simd.add(*sum, simd.mul(scale, simd.load(x)));
        }
    }
    for (out, sum) in out[at..at + G].iter_mut().zip(sums) {
        simd.store(sum, out);
    }
}

/// Calls a kernel over `G` columns from a place on until all of `out` is done: four at a time, the last up to seven at once.
macro_rules! by_columns {
    ($kernel:ident($($argument:expr),*), $out:ident) => {{
        let mut at = 0;
        while $out.len() - at >= 8 {
            $kernel::<S, 4>($($argument),*, at, $out);
            at += 4;
        }
        match $out.len() - at {
            1 => $kernel::<S, 1>($($argument),*, at, $out),
            2 => $kernel::<S, 2>($($argument),*, at, $out),
            3 => $kernel::<S, 3>($($argument),*, at, $out),
            4 => $kernel::<S, 4>($($argument),*, at, $out),
            5 => $kernel::<S, 5>($($argument),*, at, $out),
            6 => $kernel::<S, 6>($($argument),*, at, $out),
            7 => $kernel::<S, 7>($($argument),*, at, $out),
            _ => {}
        }
    }};
}

/// out = first scale x first row + sum of scale x row, in the order of the rows; without a first row what is in `out`
/// already is the first summand.
#[inline(always)]
pub(super) fn weighted_sum<S: Simd>(
    simd: S,
    first: (f32, Option<&[Lanes]>),
    scales: &[f32],
    rows: &[Lanes],
    out: &mut [Lanes],
) {
    by_columns!(weighted_sum_of(simd, first, scales, rows), out);
}

/// out = row
#[inline(always)]
pub(super) fn copy<S: Simd>(simd: S, row: &[Lanes], out: &mut [Lanes]) {
    for (row, out) in row.iter().zip(out) {
        simd.store(simd.load(row), out);
    }
}

/// out = row, of a row that other threads write meanwhile.
#[inline(always)]
pub(super) fn copy_shared<S: Simd>(simd: S, row: &[SharedLanes], out: &mut [Lanes]) {
    for (row, out) in row.iter().zip(out) {
        simd.store(simd.load_shared(row), out);
    }
}

/// out = a + b
#[inline(always)]
pub(super) fn add<S: Simd>(simd: S, a: &[Lanes], b: &[Lanes], out: &mut [Lanes]) {
    for ((a, b), out) in a.iter().zip(b).zip(out) {
        simd.store(simd.add(simd.load(a), simd.load(b)), out);
    }
}

/// `G` neighbouring lanes of [`scaled_sum`], kept in registers while the rows pass.
#[inline(always)]
fn scaled_sum_of<S: Simd, const G: usize>(
    simd: S,
    factor: f32,
    before: &[Lanes],
    after: &[Lanes],
    at: usize,
    out: &mut [Lanes],
) {
    let width = out.len();
    let mut sums = [simd.splat(0.0); G];
    for row in before.chunks_exact(width).chain(after.chunks_exact(width)) {
        for (sum, x) in sums.iter_mut().zip(&row[at..at + G]) {
            *sum = simd.add(*sum, simd.load(x));
        }
    }
    let factor = simd.splat(factor);
    for (out, sum) in out[at..at + G].iter_mut().zip(sums) {
        simd.store(simd.mul(factor, sum), out);
    }
}

/// out = factor x sum of the rows, those of `before` first.
#[inline(always)]
pub(super) fn scaled_sum<S: Simd>(simd: S, factor: f32, before: &[Lanes], after: &[Lanes], out: &mut [Lanes]) {
    by_columns!(scaled_sum_of(simd, factor, before, after), out);
}

/// out = factor x (a - b - c)
#[inline(always)]
pub(super) fn scaled_difference<S: Simd>(simd: S, factor: f32, [a, b, c]: [&[Lanes]; 3], out: &mut [Lanes]) {
    let factor = simd.splat(factor);
    for (((a, b), c), out) in a.iter().zip(b).zip(c).zip(out) {
        let rest = simd.sub(simd.sub(simd.load(a), simd.load(b)), simd.load(c));
        simd.store(simd.mul(factor, rest), out);
    }
}

/// Row after row: sum += the row, and the row becomes that sum less its fellow of `own`.
#[inline(always)]
pub(super) fn running_sums<S: Simd>(simd: S, rows: &mut [Lanes], own: &[Lanes], sum: &mut [Lanes]) {
    for (row, own) in rows.chunks_exact_mut(sum.len()).zip(own.chunks_exact(sum.len())) {
        for ((x, own), sum) in row.iter_mut().zip(own).zip(sum.iter_mut()) {
            let all = simd.add(simd.load(sum), simd.load(x));
            simd.store(all, sum);
            simd.store(simd.sub(all, simd.load(own)), x);
        }
    }
}

/// row += scale x vector of a row that other threads write meanwhile: some of their changes are lost.
#[inline(always)]
pub(super) fn add_scaled_shared<S: Simd>(simd: S, row: &[SharedLanes], scale: f32, vector: &[Lanes]) {
    let scale = simd.splat(scale);
    for (row, vector) in row.iter().zip(vector) {
        simd.store_shared(simd.add(simd.load_shared(row), simd.mul(scale, simd.load(vector))), row);
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
                let width = self.rows[0].len();
                let rows = self.rows.concat();
                let mut scores = vec![0.0; 16 * 16];
                for count in 1..=7 {
                    products(simd, &rows[..4 * width], &rows[..count * width], width, &mut scores[count..], 16);
                    self.out.extend(&scores);
                }
                pair_products(simd, &rows, &rows[width..], width, &mut scores, 3);
                let mut sum = vec![Lanes::ZERO; width];
                weighted_sum(simd, (0.7, Some(&rows[..width])), &scores[..9], &rows, &mut sum);
                let mut mean = vec![Lanes::ZERO; width];
                scaled_sum(simd, 0.2, &rows[..3 * width], &rows[5 * width..], &mut mean);
                self.out.extend(mean.iter().flat_map(|lanes| lanes.0));
                scaled_difference(simd, 1.0 / 3.0, [&rows[..width], &rows[width..], &sum], &mut mean);
                add_scaled(simd, &mut mean, 0.3, &sum);
                let mut running = rows.clone();
                running_sums(simd, &mut running, &rows[width..], &mut mean);
                let mut lent = running.clone();
                let lent = shared(&mut lent);
                add_scaled_shared(simd, lent, 0.9, &rows);
                copy_shared(simd, lent, &mut running);
                add(simd, &running[..width], &running[width..], &mut sum);
                sigmoids(&mut scores);
                self.out.extend(running.iter().chain(&sum).flat_map(|lanes| lanes.0));
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
        products(Base, &rows[0], &rows.concat(), 7, &mut scores, rows.len());
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
