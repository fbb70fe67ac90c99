//! Laws of all pairs, against brute force by the definition.

use std::ops::ControlFlow;

use ndarray::Array2;

use super::screen::Plan;
use super::*;
use crate::corpus::{Pair, PaperId};
use crate::matrix::Matrix;
use crate::progress::Run;
use crate::seed::Seed;

/// Rows in clusters, with copies, near copies, rows of zeros and rows of equal numbers among them.
pub(crate) fn rows(m: usize, width: usize, seed: u64) -> Matrix {
    let mut stream = Seed(seed).stream("test/rows");
    let mut draw = |scale: f64| ((0..6).map(|_| stream.unit()).sum::<f64>() - 3.0) * scale;
    let mut rows: Matrix = Array2::zeros((m, width));
    for i in 0..m {
        for k in 0..width {
            let center = ((i % 7) as f64 * 1.3 + k as f64 * 0.7).sin();
            rows[[i, k]] = (center + draw(0.3)) as f32;
        }
        match i % 10 {
            3 if i >= 3 => {
                let (from, by) = (rows.row(i - 3).to_owned(), 1.0 + i as f32);
                rows.row_mut(i).assign(&(from * by));
            }
            5 if i >= 5 => {
                let near = rows.row(i - 5).mapv(|x| x + draw(0.001) as f32);
                rows.row_mut(i).assign(&near);
            }
            _ if i % 23 == 11 => rows.row_mut(i).fill(0.0),
            _ if i % 29 == 17 => rows.row_mut(i).fill(2.5),
            _ => {}
        }
    }
    rows
}

fn brute(pairs: &AllPairs<'_>, lambda: Score) -> Vec<(Pair, Score)> {
    let mut found = Vec::new();
    for x in 0..pairs.len() as u32 {
        for y in x + 1..pairs.len() as u32 {
            let pair = Pair::new(PaperId(x), PaperId(y)).unwrap();
            let score = pairs.score(pair);
            if pairs.is_present(pair) && score >= lambda {
                found.push((pair, score));
            }
        }
    }
    found
}

fn scan(pairs: &AllPairs<'_>, lambda: Score) -> Vec<(Pair, Score)> {
    let mut sink = Collect::default();
    let report = pairs.scan(lambda, &mut sink, &Run::default());
    assert_eq!((report.found, report.pairs), (sink.pairs.len() as u64, Pair::count(pairs.len())));
    sink.pairs
}

const LAMBDAS: [&str; 7] = ["-1", "-0.25", "0", "0.4", "0.8", "0.999", "1"];

#[test]
fn a_scan_is_brute_force_for_every_measure_kernel_and_width() {
    for (m, width) in [(0, 4), (1, 4), (2, 1), (90, 1), (90, 3), (151, 25), (151, 100), (20, 0)] {
        let rows = rows(m, width, 3);
        for measure in Measure::ALL {
            for &kernel in Kernel::ALL {
                let pairs = AllPairs::of(&rows, measure).with_kernel(kernel);
                for lambda in LAMBDAS.map(|l| l.parse().unwrap()) {
                    let found = scan(&pairs, lambda);
                    assert!(found == brute(&pairs, lambda), "{measure} {kernel} {m} x {width} at {lambda}");
                }
            }
        }
    }
}

#[test]
fn a_tally_counts_what_brute_force_counts() {
    for (m, width) in [(0, 3), (90, 2), (211, 40)] {
        let rows = rows(m, width, 8);
        for measure in Measure::ALL {
            for &kernel in Kernel::ALL {
                let pairs = AllPairs::of(&rows, measure).with_kernel(kernel);
                let all = brute(&pairs, Score::MIN);
                let mut watched: Vec<Pair> = all.iter().step_by(37).map(|&(p, _)| p).collect();
                if m > 12 {
                    watched.push(Pair::new(PaperId(11), PaperId(12)).unwrap());
                }
                let grid: Vec<Score> = LAMBDAS.iter().map(|l| l.parse().unwrap()).collect();
                let tally = pairs.tally(&watched, &grid, &Run::default());
                assert_eq!((tally.pairs(), tally.findable()), (Pair::count(m), all.len() as u64));
                for (&pair, &score) in watched.iter().zip(tally.watched()) {
                    assert_eq!(score, pairs.is_present(pair).then(|| pairs.score(pair)));
                    if let Some(score) = score {
                        let count = all.iter().filter(|&&(_, s)| s > score).count() as u64;
                        assert_eq!(tally.above(score), count, "{measure} {kernel} above {score}");
                    }
                }
                for edge in Tally::edges(tally.watched(), &grid) {
                    let count = all.iter().filter(|&&(_, s)| s >= edge).count() as u64;
                    assert_eq!(tally.at_or_above(edge), count, "{measure} {kernel} {m} x {width} at {edge}");
                }
            }
        }
    }
}

#[test]
fn best_matches_are_brute_forces_and_leave_out_what_they_are_told() {
    let rows = rows(211, 20, 5);
    for measure in Measure::ALL {
        for &kernel in Kernel::ALL {
            let pairs = AllPairs::of(&rows, measure).with_kernel(kernel);
            let all = brute(&pairs, Score::MIN);
            for left_out in [vec![], all.iter().filter(|&&(_, s)| s == Score::MAX).map(|&(p, _)| p).collect()] {
                let mut best = vec![None; pairs.len()];
                for &(pair, score) in all.iter().filter(|(p, _)| left_out.binary_search(p).is_err()) {
                    for paper in [pair.first(), pair.second()] {
                        best[paper.index()] = best[paper.index()].max(Some(score));
                    }
                }
                assert_eq!(pairs.best(&left_out, &Run::default()), best, "{measure} {kernel}");
            }
        }
    }
}

/// Rows whose cosines are all above 0.99, rows of very different lengths, and rows that a sample does not show.
#[test]
fn screening_by_bytes_loses_no_pair() {
    let mut bunched = rows(700, 24, 12);
    bunched.mapv_inplace(|x| if x == 0.0 { 0.0 } else { 30.0 + x });
    let mut lengths = rows(700, 24, 13);
    lengths.outer_iter_mut().enumerate().for_each(|(i, mut row)| row *= 10f32.powi(i as i32 % 9 - 4));
    let mut odd = rows(700, 24, 14);
    (1..700).step_by(97).for_each(|i| (0..24).for_each(|k| odd[[i, k]] = if k == i % 24 { 1e6 } else { 0.0 }));
    for rows in [bunched, lengths, odd] {
        for measure in [Measure::Cosine, Measure::Pearson, Measure::Euclidean] {
            let pairs = AllPairs::of(&rows, measure).with_kernel(Kernel::Int8);
            for lambda in ["-0.5", "0.001", "0.5", "0.9", "0.999", "0.999999", "1"].map(|l| l.parse().unwrap()) {
                assert!(pairs.estimate(lambda).directions.is_some(), "bytes are forced");
                let mut sink = Collect::default();
                let report = pairs.scan(lambda, &mut sink, &Run::default());
                assert!(sink.pairs == brute(&pairs, lambda), "{measure} at {lambda}");
                assert!(report.verified >= report.found);
            }
        }
    }
    let spread = rows(700, 24, 15);
    let pairs = AllPairs::of(&spread, Measure::Cosine).with_kernel(Kernel::Int8);
    let report = pairs.scan("0.98".parse().unwrap(), &mut Collect::default(), &Run::default());
    assert!(report.verified < report.pairs / 4, "bytes leave out most pairs: {report:?}");
}

#[test]
fn screening_by_numbers_loses_no_pair() {
    let mut lengths = rows(400, 24, 13);
    lengths.outer_iter_mut().enumerate().for_each(|(i, mut row)| row *= 10f32.powi(i as i32 % 9 - 4));
    for rows in [rows(400, 24, 12), lengths] {
        for measure in [Measure::Cosine, Measure::Pearson, Measure::Euclidean] {
            for lambda in ["-0.5", "0.001", "0.5", "0.9", "0.999", "0.999999", "1"].map(|l| l.parse().unwrap()) {
                let expected = brute(&AllPairs::of(&rows, measure), lambda);
                for kernel in [Kernel::Portable, Kernel::Avx2, Kernel::Avx512] {
                    for directions in [1, 7, 24] {
                        let plan = Plan { screen: Some(directions), bytes: false, nanoseconds: 1.0 };
                        let pairs = AllPairs::of(&rows, measure).with_kernel(kernel).with_plan(lambda, plan);
                        assert!(scan(&pairs, lambda) == expected, "{measure} {kernel} at {lambda}");
                    }
                }
            }
        }
    }
    let spread = rows(700, 24, 15);
    let lambda = "0.98".parse().unwrap();
    let plan = Plan { screen: Some(8), bytes: false, nanoseconds: 1.0 };
    let pairs = AllPairs::of(&spread, Measure::Cosine).with_plan(lambda, plan);
    let report = pairs.scan(lambda, &mut Collect::default(), &Run::default());
    assert!(report.verified < report.pairs / 4, "numbers leave out most pairs: {report:?}");
}

/// Numbers near both ends of f32, among rows of usual size: no sum of squares of them is one of f32.
#[test]
fn huge_and_tiny_numbers_have_directions_too() {
    let mut rows = rows(240, 9, 3);
    let sizes = [1e30f32, 1.0, 1e-30, 1e-41, 3e37];
    rows.outer_iter_mut().enumerate().for_each(|(i, mut row)| row *= sizes[i % sizes.len()]);
    for measure in Measure::ALL {
        for &kernel in Kernel::ALL {
            let pairs = AllPairs::of(&rows, measure).with_kernel(kernel);
            for lambda in ["-1", "0", "0.9", "1"].map(|l| l.parse().unwrap()) {
                assert!(scan(&pairs, lambda) == brute(&pairs, lambda), "{measure} {kernel} at {lambda}");
            }
        }
    }
}

/// As where there are millions of rows: nothing is kept beside them, and what kernels want is made again tile by tile.
#[test]
fn what_is_not_kept_is_made_again_and_changes_nothing() {
    let rows = rows(1100, 24, 12);
    let grid = ["0.3".parse().unwrap(), "0.9".parse().unwrap()];
    for measure in Measure::ALL {
        let lambda = if measure == Measure::Manhattan { "0.2" } else { "0.9" }.parse().unwrap();
        for kernel in [Kernel::Portable, Kernel::Auto, Kernel::Int8] {
            let all = || AllPairs::of(&rows, measure).with_kernel(kernel);
            let (kept, made) = (all(), all().keeping_nothing());
            let found = scan(&kept, lambda);
            assert!(found.len() > 100 && found == scan(&made, lambda), "{measure} {kernel}");
            assert_eq!(kept.tally(&[], &grid, &Run::default()), made.tally(&[], &grid, &Run::default()));
            assert!(made.estimate(lambda).bytes < 100 << 20);
        }
    }
}

#[test]
fn identical_rows_are_found_some_hashes_at_a_time_as_all_at_once() {
    let mut rows = rows(400, 3, 6).mapv(|x| (x * 2.0).round());
    rows.row_mut(7).fill(-0.0);
    let mut groups = std::collections::BTreeMap::<Vec<i32>, Vec<u32>>::new();
    for (row, numbers) in rows.outer_iter().enumerate() {
        groups.entry(numbers.iter().map(|&x| x as i32).collect()).or_default().push(row as u32);
    }
    let mut groups: Vec<Vec<u32>> = groups.into_values().filter(|group| group.len() > 1).collect();
    groups.sort();
    assert!(groups.len() > 10 && groups.iter().any(|group| group.contains(&7)));
    assert_eq!(identical_rows(&rows), groups);
    for at_once in [1, 7, 399] {
        assert_eq!(super::rows::identical_rows_by(&rows, at_once), groups);
    }
}

#[test]
fn rows_that_are_not_asked_for_match_nothing() {
    let rows = rows(200, 12, 4);
    let lambda = "0.9".parse().unwrap();
    let some: Vec<u32> = (0..200).filter(|i| i % 3 != 1).collect();
    let all = AllPairs::of(&rows, Measure::Cosine);
    let expected: Vec<_> =
        brute(&all, lambda).into_iter().filter(|(p, _)| p.first().0 % 3 != 1 && p.second().0 % 3 != 1).collect();
    let pairs = all.only(&some);
    let mut found = Collect::default();
    let report = pairs.scan(lambda, &mut found, &Run::default());
    assert!(found.pairs == expected && expected.len() > 20);
    assert_eq!(report.pairs, Pair::count(some.len()));
}

#[test]
fn estimates_grow_with_the_square_of_the_rows() {
    let (few, many) = (rows(100, 8, 1), rows(1000, 8, 1));
    let of = |rows| AllPairs::of(rows, Measure::Cosine).with_kernel(Kernel::Portable).estimate("0.9".parse().unwrap());
    let (few, many) = (of(&few), of(&many));
    assert!(many.seconds > 90.0 * few.seconds && many.bytes < 100 << 20);
    assert!(few.to_string().contains("pairs to compare: less than a second"), "{few}");
}

/// 0.1 0.2 0.3 and its like have self-cosines on both sides of 1 in f32.
#[test]
fn o_078_identical_rows_score_exactly_one() {
    let rows = ndarray::array![
        [0.1f32, 0.2, 0.3],
        [0.1, 0.2, 0.3],
        [0.2, 0.3, 0.5],
        [0.2, 0.3, 0.5],
        [0.5, 0.7, 0.8],
        [0.5, 0.7, 0.8]
    ];
    for measure in Measure::ALL {
        let found = scan(&AllPairs::of(&rows, measure), Score::MAX);
        let ids: Vec<_> = found.iter().map(|(p, _)| (p.first().0, p.second().0)).collect();
        assert_eq!(ids, [(0, 1), (2, 3), (4, 5)], "{measure}");
        assert!(found.iter().all(|(_, s)| s.to_string() == "1.000000"));
    }
}

#[test]
fn the_definitions_by_hand() {
    let rows = ndarray::array![[1.0f32, 2.0, 2.0], [2.0, 4.0, 5.0], [3.0, 0.0, -4.0]];
    let score =
        |measure, x, y| AllPairs::of(&rows, measure).score(Pair::new(PaperId(x), PaperId(y)).unwrap()).to_string();
    // 20 / (3 sqrt 45); -5 / (3 * 5).
    assert_eq!(score(Measure::Cosine, 0, 1), "0.993808");
    assert_eq!(score(Measure::Cosine, 0, 2), "-0.333333");
    // Distances sqrt(1 + 4 + 9) and 1 + 2 + 3.
    assert_eq!(score(Measure::Euclidean, 0, 1), "0.210897");
    assert_eq!(score(Measure::Manhattan, 0, 1), "0.142857");
    // Less the means: (-2, 1, 1)/3 and (-5, 1, 4)/3: 15 / sqrt(6 * 42).
    assert_eq!(score(Measure::Pearson, 0, 1), "0.944911");
}

#[test]
fn missing_rows_match_nothing_at_any_lambda() {
    let rows = ndarray::array![[0.0f32, 0.0], [1.0, 1.0], [0.0, 0.0], [f32::NAN, 1.0], [1.0, 0.0]];
    for measure in [Measure::Cosine, Measure::Euclidean, Measure::Manhattan] {
        let pairs = AllPairs::of(&rows, measure);
        assert_eq!(pairs.missing(), [PaperId(0), PaperId(2), PaperId(3)]);
        let found = scan(&pairs, Score::MIN);
        assert_eq!(found.iter().map(|(p, _)| (p.first().0, p.second().0)).collect::<Vec<_>>(), [(1, 4)]);
        assert_eq!(pairs.score(Pair::new(PaperId(0), PaperId(2)).unwrap()), Score::ZERO);
    }
}

/// Far more pairs than a strip may hold: strips become lower, and the order stays.
#[test]
fn many_pairs_come_in_order_and_a_sink_can_stop_them() {
    let rows: Matrix = Array2::from_elem((2600, 3), 1.0);
    let pairs = AllPairs::of(&rows, Measure::Cosine);
    let (mut last, mut count) = (None, 0u64);
    let report = pairs.scan(
        Score::MAX,
        &mut |pair: Pair, _| {
            assert!(last < Some(pair));
            last = Some(pair);
            count += 1;
            ControlFlow::Continue(())
        },
        &Run::default(),
    );
    assert_eq!((count, report.stopped), (Pair::count(2600), false));
    let mut few = Collect { limit: Some(5), ..Collect::default() };
    assert!(pairs.scan(Score::MAX, &mut few, &Run::default()).stopped);
    assert_eq!(few.pairs.len(), 5);
}

#[test]
fn threads_and_kernels_change_nothing() {
    let rows = rows(3300, 30, 2);
    let grid = ["0.3".parse().unwrap()];
    let lambda = "0.9".parse().unwrap();
    let run = |threads, kernel, screen: Option<usize>| {
        let mut pairs = AllPairs::of(&rows, Measure::Cosine).with_kernel(kernel);
        if screen.is_some() {
            pairs = pairs.with_plan(lambda, Plan { screen, bytes: kernel == Kernel::Int8, nanoseconds: 1.0 });
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| (scan(&pairs, lambda), pairs.tally(&[], &grid, &Run::default())))
    };
    let one = run(1, Kernel::Portable, None);
    assert!(one.0.len() > 1000);
    for &kernel in Kernel::ALL {
        assert!(one == run(2, kernel, None) && one == run(5, kernel, Some(11)), "{kernel}");
    }
}
