//! How fast all pairs are compared and counted, beside the peak of the machine.
//!
//! `cargo bench --bench all_pairs [-- VECTORS.npy]`: a table of kernels, λ, sizes and widths. Without a file, random rows (nothing
//! to prune) and rows in clusters. Times are CPU seconds of all threads where the system tells them, so that other work on the
//! machine disturbs little.

use std::time::Instant;

use papertwin::matrix::{Matrix, read_npy};
use papertwin::progress::Run;
use papertwin::seed::Seed;
use papertwin::similarity::{AllPairs, Kernel, Measure, Score};

fn main() {
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let peak = peak();
    println!("one core's peak, by a loop of fused products in registers: {peak:.1} GFLOP/s");
    if let Some(file) = file {
        let rows = read_npy(file).unwrap_or_else(|error| panic!("{error}"));
        return measure("the file", &rows, peak);
    }
    for width in [25, 50, 100, 200, 300] {
        measure("random rows", &random(10_000, width, None), peak);
    }
    for m in [10_000, 20_000, 40_000] {
        measure("rows in clusters", &random(m, 100, Some(500)), peak);
    }
}

/// Counts and scans by every kernel of the machine.
fn measure(name: &str, rows: &Matrix, peak: f64) {
    let (m, width) = rows.dim();
    let pairs = m as f64 * (m as f64 - 1.0) / 2.0;
    println!("\n{name}: {m} x {width}, {pairs:.3e} pairs");
    let grid: Vec<Score> = (0..=20).map(|i| Score::of(f64::from(i) / 20.0)).collect();
    for &kernel in Kernel::ALL.iter().filter(|k| k.is_available()) {
        let all = AllPairs::of(rows, Measure::Cosine).with_kernel(kernel);
        if kernel != Kernel::Int8 {
            let seconds = cpu(|| {
                all.tally(&[], &grid, &Run::default());
            });
            let rate = pairs * 2.0 * width as f64 / seconds / 1e9;
            println!(
                "  {kernel:9} count       {seconds:8.3} CPU-s  {rate:7.1} GFLOP/s a core, {:.0} % of the peak",
                rate / peak * 100.0
            );
        }
        for lambda in ["0.5", "0.8", "0.95"].map(|l| l.parse().expect("a score")) {
            let mut found = 0u64;
            let estimate = all.estimate(lambda);
            let seconds = cpu(|| {
                let mut count = |_: papertwin::corpus::Pair, _: Score| {
                    found += 1;
                    std::ops::ControlFlow::Continue(())
                };
                all.scan(lambda, &mut count, &Run::default());
            });
            let how = estimate.directions.map_or("products".to_owned(), |d| format!("bytes along {d} directions"));
            println!(
                "  {kernel:9} λ {lambda} {seconds:8.3} CPU-s  {found} pairs, {:.3} ns a pair, {how}",
                seconds / pairs * 1e9
            );
        }
    }
}

/// Rows from a normal distribution (nearly), around centres if there are some.
fn random(m: usize, width: usize, clusters: Option<u64>) -> Matrix {
    let mut stream = Seed(1).stream("bench/rows");
    let mut normal = || ((0..4).map(|_| stream.unit()).sum::<f64>() - 2.0) as f32;
    let mut centres = Matrix::zeros((clusters.unwrap_or(1) as usize, width));
    centres.indexed_iter_mut().for_each(|((_, k), x)| *x = normal() / (1.0 + k as f32).sqrt());
    let mut rows = Matrix::zeros((m, width));
    rows.iter_mut().for_each(|x| *x = normal());
    if let Some(clusters) = clusters {
        for (i, mut row) in rows.outer_iter_mut().enumerate() {
            let centre = centres.row(i * 7919 % clusters as usize);
            row.iter_mut().enumerate().for_each(|(k, x)| *x = *x * 0.3 / (1.0 + k as f32).sqrt() + centre[k]);
        }
    }
    rows
}

/// CPU seconds of the process during some work, from the system where it tells them, else the time that passed.
fn cpu(work: impl FnOnce()) -> f64 {
    let used = || {
        let stat = std::fs::read_to_string("/proc/self/schedstat").ok();
        let threads = std::fs::read_dir("/proc/self/task").ok();
        match (stat, threads) {
            (Some(_), Some(threads)) => Some(
                threads
                    .filter_map(|t| std::fs::read_to_string(t.ok()?.path().join("schedstat")).ok())
                    .filter_map(|s| s.split(' ').next()?.parse::<f64>().ok())
                    .sum::<f64>()
                    / 1e9,
            ),
            _ => None,
        }
    };
    let (start, before) = (Instant::now(), used());
    work();
    match (before, used()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed().as_secs_f64(),
    }
}

/// GFLOP/s of one core.
fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        let turns = 20_000_000u64;
        let mut sum = 0.0;
        let seconds = cpu(|| {
            // SAFETY: the machine has the instructions.
            sum = unsafe { fused(turns) };
        });
        assert!(sum.is_finite());
        return turns as f64 * 12.0 * 8.0 * 2.0 / seconds / 1e9;
    }
    f64::NAN
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn fused(turns: u64) -> f32 {
    use std::arch::x86_64::*;
    let (by, plus) = (_mm256_set1_ps(0.999_999), _mm256_set1_ps(1e-7));
    let mut sums = [_mm256_set1_ps(1.0); 12];
    for _ in 0..turns {
        sums.iter_mut().for_each(|sum| *sum = _mm256_fmadd_ps(*sum, by, plus));
    }
    let all = sums.iter().fold(_mm256_setzero_ps(), |all, &sum| _mm256_add_ps(all, sum));
    _mm256_cvtss_f32(all)
}
