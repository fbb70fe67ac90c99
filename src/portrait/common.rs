//! What all portraits have in common, and its removal.
//!
//! Vectors that were trained together bunch: after a few epochs every cosine is above .99, because all vectors share a
//! mean and a few strong directions. Mu and Viswanath ("All-but-the-top", 2018) and Arora, Liang and Ma ("A simple but
//! tough-to-beat baseline for sentence embeddings", 2017, section 3) remove them. Here both are options, off by default,
//! and applied to the portraits, not to the words.

use linfa_linalg::eigh::{EigSort, Eigh};
use ndarray::Array2;
use rayon::prelude::*;

use crate::matrix::Matrix;

/// The mean and the strongest directions of rows. Zero rows are no rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Common {
    /// The mean of the rows; zeros where it was not asked for.
    mean: Vec<f64>,
    /// Orthonormal, the strongest first, the entry of greatest size positive.
    directions: Vec<Vec<f64>>,
}

impl Common {
    /// The mean of the rows, if `centre`, and the `count` strongest directions of what is left: the first eigenvectors of
    /// the N x N Gram matrix. Time O(m N^2 + N^3), on all cores; the sums run in one order whatever the threads.
    ///
    /// Fewer directions come back where the rows span fewer.
    pub fn of(rows: &Matrix, centre: bool, count: usize) -> Common {
        let dims = rows.ncols();
        // Blocks depend on the number of rows alone, so the order of the sums does too.
        let block = rows.nrows().div_ceil(64).max(256);
        let starts: Vec<usize> = (0..rows.nrows()).step_by(block).collect();
        let lines = |start: usize| {
            (start..(start + block).min(rows.nrows()))
                .filter_map(|row| rows.row(row).to_slice())
                .filter(|row| row.iter().any(|&x| x != 0.0))
        };
        let mut mean = vec![0.0; dims];
        if centre {
            let sums: Vec<(u64, Vec<f64>)> = starts
                .par_iter()
                .map(|&start| {
                    let mut sum = vec![0.0; dims];
                    let mut papers = 0;
                    for row in lines(start) {
                        papers += 1;
                        sum.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
                    }
                    (papers, sum)
                })
                .collect();
            let papers: u64 = sums.iter().map(|part| part.0).sum();
            for (_, part) in &sums {
                mean.iter_mut().zip(part).for_each(|(mean, x)| *mean += x / papers.max(1) as f64);
            }
        }
        let directions = if count == 0 { Vec::new() } else { strongest(&gram(&starts, &mean, lines), count) };
        Common { mean, directions }
    }

    /// The mean.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The directions, orthonormal, the strongest first.
    pub fn directions(&self) -> &[Vec<f64>] {
        &self.directions
    }

    /// Removes mean and directions from a row. A row of which nothing but rounding is left becomes zero, which is no
    /// portrait.
    pub fn remove(&self, row: &mut [f32]) {
        let before: f64 = row.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        let mut rest: Vec<f64> = row.iter().zip(&self.mean).map(|(&x, mean)| f64::from(x) - mean).collect();
        for direction in &self.directions {
            let along: f64 = rest.iter().zip(direction).map(|(x, d)| x * d).sum();
            rest.iter_mut().zip(direction).for_each(|(x, d)| *x -= along * d);
        }
        let after: f64 = rest.iter().map(|x| x * x).sum();
        // f32 holds seven digits: a rest a millionth as long as the row is noise.
        if after <= before * 1e-12 {
            row.fill(0.0);
        } else {
            row.iter_mut().zip(rest).for_each(|(x, rest)| *x = rest as f32);
        }
    }
}

/// The sum of x x^T over the rows, each less the mean.
fn gram<'r, I: Iterator<Item = &'r [f32]>>(
    starts: &[usize],
    mean: &[f64],
    lines: impl Fn(usize) -> I + Sync,
) -> Array2<f64> {
    let dims = mean.len();
    let parts: Vec<Vec<f64>> = starts
        .par_iter()
        .map(|&start| {
            let mut sum = vec![0.0; dims * dims];
            let mut line = vec![0.0; dims];
            for row in lines(start) {
                line.iter_mut().zip(row).zip(mean).for_each(|((x, &value), mean)| *x = f64::from(value) - mean);
                for (place, &x) in line.iter().enumerate() {
                    let sums = &mut sum[place * dims..][place..dims];
                    sums.iter_mut().zip(&line[place..]).for_each(|(sum, &y)| *sum += x * y);
                }
            }
            sum
        })
        .collect();
    let mut gram = Array2::zeros((dims, dims));
    for part in parts {
        for x in 0..dims {
            for y in x..dims {
                gram[(x, y)] += part[x * dims + y];
            }
        }
    }
    for x in 0..dims {
        for y in 0..x {
            gram[(x, y)] = gram[(y, x)];
        }
    }
    gram
}

/// The eigenvectors of the greatest eigenvalues.
///
/// The iteration of linfa-linalg ends when what is beside the diagonal is small against the diagonal, which never comes
/// where the rows span fewer than N directions: the diagonal is 0 there. Adding the trace to the diagonal moves all
/// eigenvalues by as much and changes no eigenvector.
fn strongest(gram: &Array2<f64>, count: usize) -> Vec<Vec<f64>> {
    let trace: f64 = gram.diag().iter().sum();
    if trace <= 0.0 {
        return Vec::new();
    }
    let mut moved = gram.clone();
    moved.diag_mut().iter_mut().for_each(|value| *value += trace);
    // A symmetric matrix of finite numbers has them; one that is refused has no direction to remove.
    let Ok((values, vectors)) = moved.eigh().map(|pair| pair.sort_eig_desc()) else { return Vec::new() };
    let kept = values.iter().take_while(|&&value| value - trace > trace * 1e-10).count().min(count);
    (0..kept)
        .map(|place| {
            let mut direction = vectors.column(place).to_vec();
            let leader =
                direction.iter().copied().fold(0.0, |most: f64, x| if x.abs() > most.abs() { x } else { most });
            if leader < 0.0 {
                direction.iter_mut().for_each(|x| *x = -*x);
            }
            direction
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn mean_and_directions_are_found_and_removed() {
        let rows = array![[5.0f32, 1.0, 0.0], [5.0, -1.0, 0.1], [5.0, 2.0, 0.0], [5.0, -2.0, -0.1], [0.0, 0.0, 0.0]];
        let common = Common::of(&rows, true, 1);
        assert_eq!(common.mean(), [5.0, 0.0, 0.0]);
        let direction = &common.directions()[0];
        assert!(direction[1] > 0.99 && direction[0].abs() < 1e-9, "{direction:?}");
        let mut row = [5.0f32, 3.0, 1.0];
        common.remove(&mut row);
        assert!(row[0].abs() < 1e-6 && row[1].abs() < 0.1 && row[2] > 0.9, "{row:?}");
        let mut row = [5.0f32, 0.0, 0.0];
        common.remove(&mut row);
        assert_eq!(row, [0.0; 3]);
        // Uncentred, the strongest direction is close to the mean.
        let common = Common::of(&rows, false, 5);
        assert_eq!((common.mean(), common.directions().len()), (&[0.0; 3][..], 3));
        assert!(common.directions()[0][0] > 0.99);
    }

    #[test]
    fn few_rows_of_many_dimensions_have_as_many_directions_as_rows() {
        let rows = Matrix::from_shape_fn((3, 120), |(x, y)| ((x * 37 + y * 11) % 29) as f32 / 7.0 - 2.0);
        let common = Common::of(&rows, false, 50);
        assert_eq!(common.directions().len(), 3);
        let mut row = rows.row(1).to_vec();
        common.remove(&mut row);
        assert!(row.iter().all(|&x| x == 0.0), "{row:?}");
        let dot = |x: usize, y: usize| -> f64 {
            common.directions()[x].iter().zip(&common.directions()[y]).map(|(a, b)| a * b).sum()
        };
        assert!((dot(0, 0) - 1.0).abs() < 1e-9 && dot(0, 1).abs() < 1e-9 && dot(1, 2).abs() < 1e-9);
    }

    #[test]
    fn rows_of_rank_one_have_one_direction_and_none_have_none() {
        let rows = array![[1.0f32, 2.0], [2.0, 4.0]];
        assert_eq!(Common::of(&rows, false, 2).directions().len(), 1);
        assert!(Common::of(&Matrix::zeros((3, 2)), true, 2).directions().is_empty());
        assert!(Common::of(&Matrix::zeros((0, 2)), true, 2).mean().iter().all(|&x| x == 0.0));
    }
}
