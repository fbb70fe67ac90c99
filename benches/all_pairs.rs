//! How fast all pairs are compared and counted, beside the peak of the machine.
//!
//! `cargo bench --bench all_pairs [-- kernels|growth|widths|threads] [VECTORS.npy]`: the named tables, or all of them. Without a
//! file, random rows (nothing to prune) and rows in clusters; growth takes the first rows of the file. Seconds are those that
//! passed, and CPU seconds of all threads where the system tells them, so that other work on the machine disturbs little.

use std::ops::ControlFlow;
use std::time::Instant;

use ndarray::s;
use papertwin::corpus::Pair;
use papertwin::matrix::{Matrix, read_npy};
use papertwin::progress::Run;
use papertwin::seed::Seed;
use papertwin::similarity::{AllPairs, Kernel, Measure, Score};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let (tables, files): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|a| ["kernels", "growth", "widths", "threads"].contains(&a.as_str()));
    let rows = files.first().map(|file| read_npy(file).unwrap_or_else(|error| panic!("{error}")));
    let wanted = |table: &str| tables.is_empty() || tables.iter().any(|t| t == table);
    println!("one core's peak, by a loop of fused products in registers: {:.1} GFLOP/s", peak());
    if wanted("kernels") {
        match &rows {
            Some(rows) => kernels("the file", rows),
            None => {
                kernels("random rows", &random(10_000, 100, None));
                kernels("rows in clusters", &random(20_000, 100, Some(500)));
            }
        }
    }
    if wanted("widths") {
        println!("\nwidths, 20,000 rows in clusters: N, count, λ 0.95");
        for width in [25, 50, 100, 150, 200, 300] {
            let rows = random(20_000, width, Some(500));
            let all = AllPairs::of(&rows, Measure::Cosine);
            println!("  {width:4}  {}  {}", count(&all), scan(&all, "0.95"));
        }
    }
    if wanted("growth") {
        println!("\ngrowth: rows, λ 0.95, memory of the process beyond the rows");
        for m in [10_000, 30_000, 100_000, 300_000, 1_000_000] {
            let part = match &rows {
                Some(rows) if rows.nrows() < m => break,
                Some(rows) => rows.slice(s![..m, ..]).to_owned(),
                None => random(m, 100, Some(m as u64 / 40)),
            };
            let all = AllPairs::of(&part, Measure::Cosine);
            let report = scan(&all, "0.95");
            let held = rows.as_ref().map_or(0, Matrix::len) + part.len();
            let beyond =
                most_memory().map_or("?".into(), |most| (most.saturating_sub(held as u64 * 4) >> 20).to_string());
            println!("  {m:8}  {report}, {beyond} MiB");
        }
    }
    if wanted("threads") {
        println!("\nthreads: count, λ 0.8, λ 0.95");
        let rows = rows.unwrap_or_else(|| random(20_000, 100, Some(500)));
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads");
            let all = AllPairs::of(&rows, Measure::Cosine);
            pool.install(|| println!("  {threads}  {}  {}  {}", count(&all), scan(&all, "0.8"), scan(&all, "0.95")));
        }
    }
}

/// Counts and scans by every kernel of the machine.
fn kernels(name: &str, rows: &Matrix) {
    println!("\n{name}: {} x {}, {:.3e} pairs", rows.nrows(), rows.ncols(), Pair::count(rows.nrows()) as f64);
    for &kernel in Kernel::ALL.iter().filter(|k| k.is_available()) {
        let all = AllPairs::of(rows, Measure::Cosine).with_kernel(kernel);
        if kernel != Kernel::Int8 {
            println!("  {kernel:9} count       {}", count(&all));
        }
        for lambda in ["0.5", "0.8", "0.95"] {
            println!("  {kernel:9} λ {lambda:5}     {}", scan(&all, lambda));
        }
    }
    let all = AllPairs::of(rows, Measure::Manhattan);
    println!("  manhattan count       {}", count(&all));
}

/// Counts all pairs.
fn count(all: &AllPairs<'_>) -> String {
    let grid: Vec<Score> = (0..=20).map(|i| Score::of(f64::from(i) / 20.0)).collect();
    // The peak of now: what else the machine does changes it.
    let peak = peak();
    let (seconds, cpu) = time(|| {
        all.tally(&[], &grid, &Run::default());
    });
    let rate = Pair::count(all.len()) as f64 * 2.0 * all.rows().ncols() as f64 / cpu / 1e9;
    format!("{seconds:7.3} s {cpu:8.3} CPU-s, {rate:6.1} GFLOP/s a core, {:.0} % of the peak", rate / peak * 100.0)
}

/// Scans, what is planned before it included.
fn scan(all: &AllPairs<'_>, lambda: &str) -> String {
    let lambda = lambda.parse().expect("a score");
    let mut found = 0u64;
    let mut how = None;
    let (seconds, cpu) = time(|| {
        how = all.estimate(lambda).directions;
        let mut count = |_: Pair, _: Score| {
            found += 1;
            ControlFlow::Continue(())
        };
        all.scan(lambda, &mut count, &Run::default());
    });
    let pair = cpu / Pair::count(all.len()) as f64 * 1e9;
    let how = how.map_or("all numbers".to_owned(), |d| format!("{d} directions"));
    format!("{seconds:7.3} s {cpu:8.3} CPU-s, {pair:.3} ns a pair, {found} pairs, {how}")
}

/// The most memory that the process ever took, in bytes.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
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

/// Seconds that pass during some work, and the CPU seconds of the process, from the system where it tells them.
fn time(work: impl FnOnce()) -> (f64, f64) {
    let used = || {
        let threads = std::fs::read_dir("/proc/self/task").ok()?;
        let nanoseconds = threads
            .filter_map(|t| std::fs::read_to_string(t.ok()?.path().join("schedstat")).ok())
            .filter_map(|s| s.split(' ').next()?.parse::<f64>().ok())
            .sum::<f64>();
        (nanoseconds > 0.0).then_some(nanoseconds / 1e9)
    };
    let (start, before) = (Instant::now(), used());
    work();
    let passed = start.elapsed().as_secs_f64();
    (passed, before.zip(used()).map_or(passed, |(before, after)| after - before))
}

/// GFLOP/s of one core: of some runs the fastest, because whatever disturbs one makes it slower.
fn peak() -> f64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        let turns = 2_000_000u64;
        let run = |_| {
            let start = Instant::now();
            // SAFETY: the machine has the instructions.
            let sum = unsafe { fused(turns) };
            assert!(sum.is_finite());
            start.elapsed().as_secs_f64()
        };
        let least = (0..20).map(run).fold(f64::INFINITY, f64::min);
        return turns as f64 * 12.0 * 8.0 * 2.0 / least / 1e9;
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
