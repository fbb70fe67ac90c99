//! A Jaccard similarity that pairs must reach, as an exact ratio: no float decides which sets are compared.

use crate::similarity::Score;

/// A threshold `part / whole` in (0, 1].
///
/// In f64, `floor((1 - J) L) + 1` is wrong for 265 of 24,950 pairs of J in .50 ..= .99 and L < 500 (J = .9, L = 10 gives
/// 1, not 2), and each of them loses pairs. All bounds here are integer arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    part: u64,
    whole: u64,
}

impl Threshold {
    /// The threshold `part / whole`; `None` unless `0 < part <= whole <= 2^31`.
    pub fn new(part: u64, whole: u64) -> Option<Threshold> {
        (part > 0 && part <= whole && whole <= 1 << 31).then_some(Threshold { part, whole })
    }

    /// The least ratio of counts whose [`Score::ratio`] is at least λ: `(2 λ - 1 millionth) / 2`. `None` for λ <= 0,
    /// which every pair reaches.
    pub fn at(lambda: Score) -> Option<Threshold> {
        let millionths = u64::try_from(lambda.millionths()).ok().filter(|&m| m > 0)?;
        Threshold::new(2 * millionths - 1, 2 * Score::UNIT as u64)
    }

    /// The threshold as a number, for estimates.
    pub fn value(self) -> f64 {
        self.part as f64 / self.whole as f64
    }

    /// Whether `common / all` reaches the threshold; 0/0 does not.
    pub fn reached(self, common: u64, all: u64) -> bool {
        all > 0 && common * self.whole >= self.part * all
    }

    /// How many common elements two sets of these sizes need: the least o with `o / (x + y - o)` at the threshold.
    pub fn overlap(self, x: usize, y: usize) -> usize {
        (self.part * (x + y) as u64).div_ceil(self.part + self.whole) as usize
    }

    /// How many common elements two sets need whose smaller one has this size, for containment in the smaller one.
    pub fn contained(self, smaller: usize) -> usize {
        (self.part * smaller as u64).div_ceil(self.whole) as usize
    }

    /// The size of the smallest set that can reach the threshold with a set of this size.
    pub fn least_size(self, size: usize) -> usize {
        (self.part * size as u64).div_ceil(self.whole) as usize
    }

    /// The size of the largest set that can reach the threshold with a set of this size: `floor(size / J)`.
    pub fn greatest_size(self, size: usize) -> usize {
        (self.whole * size as u64 / self.part) as usize
    }

    /// How many of a set's rarest elements any similar set must share one of: `floor((1 - J) size) + 1`, at most the
    /// size (3.9.4 of the book).
    pub fn prefix(self, size: usize) -> usize {
        (((self.whole - self.part) * size as u64 / self.whole) as usize + 1).min(size)
    }

    /// The size of the largest set that a set of this size can still reach if their first common element is at
    /// `position` (from 0) in this set: all elements before it are unshared.
    pub fn greatest_size_at(self, size: usize, position: usize) -> usize {
        // overlap(size, y) <= size - position  <=>  y <= (size - position) (whole + part) / part - size
        (((size - position) as u64 * (self.whole + self.part) / self.part) as usize).saturating_sub(size)
    }

    /// The last position (from 1) at which a set with the same symbol can be met, if this set of size `size` has it at
    /// `position` (from 1): the greatest j with `(size - i + 1) / (size + j - 1)` at the threshold (3.9.5 of the book). 0 if
    /// there is none.
    pub fn last_position(self, size: usize, position: usize) -> usize {
        let rest = (size + 1 - position) as u64;
        ((rest * self.whole / self.part + 1) as usize).saturating_sub(size)
    }

    /// Whether a set with the symbol at position `j` (from 1) and `after` symbols behind it can be similar to a set of size
    /// `size` with the symbol at position `i` (from 1), where it is their first common one (3.9.6 of the book).
    ///
    /// Example 3.28 of the book says that for `acdefghijk`, J = .8 and i = 2 there is no solution with more symbols behind
    /// the other's; there is one, (c, 1, 9), with 9/11, and without it `cdefghijkl` is missed.
    pub fn bucket_possible(self, size: usize, i: usize, j: usize, after: usize) -> bool {
        let own_after = size - i;
        if own_after >= after {
            self.reached(after as u64 + 1, (size + j - 1) as u64)
        } else {
            self.reached(own_after as u64 + 1, (i + j - 1 + after) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hundredths(n: u64) -> Threshold {
        Threshold::new(n, 100).unwrap()
    }

    #[test]
    fn prefixes_are_those_of_exact_arithmetic_where_floats_are_wrong() {
        assert_eq!((hundredths(90).prefix(9), hundredths(90).prefix(10)), (1, 2));
        let mut wrong = 0;
        for j in 50..100 {
            for size in 1..500usize {
                // The greatest p - 1 whose loss still allows the threshold, counted.
                let most = (0..size).take_while(|&lost| 100 * (size - lost) as u64 >= j * size as u64).last().unwrap();
                assert_eq!(hundredths(j).prefix(size), most + 1, "J = .{j}, L = {size}");
                wrong += usize::from(((1.0 - j as f64 / 100.0) * size as f64).floor() as usize != most);
            }
        }
        assert_eq!(wrong, 265, "floats lose this many, says the specification");
    }

    #[test]
    fn overlap_and_sizes_are_the_least_and_greatest_that_reach() {
        for j in [5, 33, 50, 55, 80, 90, 99, 100] {
            let t = hundredths(j);
            for x in 1..60usize {
                assert!(t.reached(t.least_size(x) as u64, x as u64));
                assert!(t.least_size(x) == 1 || !t.reached(t.least_size(x) as u64 - 1, x as u64));
                assert!(t.reached(x as u64, t.greatest_size(x) as u64));
                assert!(!t.reached(x as u64, t.greatest_size(x) as u64 + 1));
                assert!(t.reached(t.contained(x) as u64, x as u64));
                for y in 1..60usize {
                    let o = t.overlap(x, y) as u64;
                    assert!(t.reached(o, (x + y) as u64 - o.min(x as u64)) || o > x.min(y) as u64);
                    assert!(!t.reached(o - 1, (x + y) as u64 + 1 - o));
                    for position in 0..x {
                        let fits = t.overlap(x, y) <= x - position;
                        assert_eq!(fits, y <= t.greatest_size_at(x, position), "J .{j} x {x} y {y} at {position}");
                    }
                }
            }
        }
    }

    #[test]
    fn position_buckets_of_the_book() {
        let t = hundredths(90);
        let size = "acdefghijk".len();
        let mut buckets = Vec::new();
        for i in 1..=t.prefix(size) {
            buckets.extend((1..=t.last_position(size, i)).map(|j| (i, j)));
        }
        assert_eq!(buckets, [(1, 1), (1, 2), (2, 1)]);
    }

    #[test]
    fn position_and_suffix_buckets_of_the_book_with_the_one_that_its_example_misses() {
        let t = hundredths(80);
        let size = "acdefghijk".len();
        let buckets = |i: usize| -> Vec<(usize, usize)> {
            (1..=size)
                .flat_map(|j| (0..40).map(move |after| (j, after)))
                .filter(|&(j, after)| t.bucket_possible(size, i, j, after))
                .collect()
        };
        assert_eq!(t.prefix(size), 3);
        assert_eq!(buckets(1), [(1, 7), (1, 8), (1, 9), (1, 10), (1, 11), (2, 8), (2, 9), (2, 10), (3, 9)]);
        assert_eq!(buckets(2), [(1, 7), (1, 8), (1, 9), (2, 8)], "(1, 9) is what the book's example leaves out");
        assert_eq!(buckets(3), [(1, 7)]);
    }

    #[test]
    fn a_threshold_from_lambda_is_the_edge_of_rounding() {
        for millionths in [1, 2, 333_333, 500_000, 800_000, 999_999, 1_000_000] {
            let lambda = Score::from_millionths(millionths).unwrap();
            let t = Threshold::at(lambda).unwrap();
            for whole in [1u64, 2, 3, 7, 999, 1_000_003] {
                for part in [0, 1, whole / 3, whole * 4 / 5, whole - 1, whole] {
                    let by_score = Score::ratio(part, whole).unwrap() >= lambda;
                    assert_eq!(t.reached(part, whole), by_score, "{part}/{whole} at {lambda}");
                }
            }
        }
        assert_eq!(Threshold::at(Score::ZERO), None);
        assert_eq!(Threshold::new(3, 2), None);
        assert_eq!(Threshold::new(0, 2), None);
    }
}
