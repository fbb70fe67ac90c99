//! The values of a tile of pairs in plain Rust: the portable kernel.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

use super::Measure;

/// Values of every left row with every right row, row by row: products, or for Manhattan the distances with their sign
/// turned. Both sides hold `width` numbers a row.
pub(super) fn values(measure: Measure, width: usize, left: &[f32], right: &[f32], out: &mut [f32]) {
    if width == 0 {
        return out.fill(0.0);
    }
    let (rows, columns) = (left.len() / width, right.len() / width);
    if measure == Measure::Manhattan {
        for (x, out) in left.chunks_exact(width).zip(out.chunks_exact_mut(columns)) {
            for (y, out) in right.chunks_exact(width).zip(out) {
                *out = -distance(x, y);
            }
        }
        return;
    }
    let left = ArrayView2::from_shape((rows, width), left).expect("whole rows");
    let right = ArrayView2::from_shape((columns, width), right).expect("whole rows");
    let mut out = ArrayViewMut2::from_shape((rows, columns), out).expect("one value a pair");
    general_mat_mul(1.0, &left, &right.t(), 0.0, &mut out);
}

fn distance(x: &[f32], y: &[f32]) -> f32 {
    let mut lanes = [0.0f32; 16];
    let (whole, other) = (x.chunks_exact(16), y.chunks_exact(16));
    let (rest_x, rest_y) = (whole.remainder(), other.remainder());
    for (x, y) in whole.zip(other) {
        for l in 0..16 {
            lanes[l] += (x[l] - y[l]).abs();
        }
    }
    for ((lane, x), y) in lanes.iter_mut().zip(rest_x).zip(rest_y) {
        *lane += (x - y).abs();
    }
    lanes.iter().sum()
}
