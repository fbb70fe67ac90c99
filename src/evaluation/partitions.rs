//! How well groups agree with groups: pair counts, B-cubed, normalised mutual information, adjusted Rand index.

use std::collections::BTreeMap;

use super::Confusion;
use crate::partition::Partition;

/// The agreement of found groups with the true ones.
///
/// Computed from the table of group by group overlaps, in O(n log n) time and O(n) space; n (n - 1) / 2 pairs are never
/// walked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Pairs of things: together in both, found only, true only, apart in both.
    pub pairs: Confusion,
    /// B-cubed precision, recall and F1 (Bagga and Baldwin 1998): for each thing the share of its found group that
    /// belongs to its true group, and the reverse, averaged over all things. `None` if there are no things.
    pub b_cubed: Option<BCubed>,
    /// Mutual information over the arithmetic mean of the two entropies, from 0 to 1 (scikit-learn's default). Two
    /// partitions into one group each agree: 1. `None` if there are no things.
    pub nmi: Option<f64>,
    /// The adjusted Rand index (Hubert and Arabie 1985), at most 1 and around 0 for chance. Where both partitions are
    /// one group or all singletons and so are equal: 1. `None` if there are no things.
    pub ari: Option<f64>,
}

/// B-cubed precision and recall, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BCubed {
    /// The mean share of a thing's found group that belongs to its true group.
    pub precision: f64,
    /// The mean share of a thing's true group that was found with it.
    pub recall: f64,
}

impl BCubed {
    /// The harmonic mean of precision and recall; both are above 0 always, as each thing is in both of its groups.
    pub fn f1(self) -> f64 {
        2.0 * self.precision * self.recall / (self.precision + self.recall)
    }
}

impl Agreement {
    /// Compares found groups with the true ones.
    ///
    /// ```
    /// use papertwin::evaluation::Agreement;
    /// use papertwin::partition::Partition;
    /// let found = Partition::from_labels(&[0, 0, 1, 1, 1]);
    /// let truth = Partition::from_labels(&[0, 0, 0, 1, 1]);
    /// let agreement = Agreement::of(&found, &truth);
    /// assert_eq!((agreement.pairs.tp, agreement.pairs.fp), (2, 2));
    /// ```
    ///
    /// # Panics
    /// If the two are not over the same number of things.
    pub fn of(found: &Partition, truth: &Partition) -> Agreement {
        assert_eq!(found.len(), truth.len(), "partitions of different sets");
        let n = found.len() as u64;
        let mut overlaps: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for (&f, &t) in found.labels().iter().zip(truth.labels()) {
            *overlaps.entry((f, t)).or_insert(0) += 1;
        }
        let both: u64 = overlaps.values().map(|&c| c * (c - 1) / 2).sum();
        let (in_found, in_truth) = (found.pair_count(), truth.pair_count());
        let all = n * n.saturating_sub(1) / 2;
        let pairs =
            Confusion { tp: both, fp: in_found - both, fn_: in_truth - both, tn: all - in_found - (in_truth - both) };
        if n == 0 {
            return Agreement { pairs, b_cubed: None, nmi: None, ari: None };
        }

        let (found_sizes, truth_sizes) = (found.sizes(), truth.sizes());
        let total = n as f64;
        let (mut precision, mut recall, mut information) = (0.0, 0.0, 0.0);
        for (&(f, t), &count) in &overlaps {
            let count = count as f64;
            let (f, t) = (f64::from(found_sizes[f as usize]), f64::from(truth_sizes[t as usize]));
            precision += count * count / f;
            recall += count * count / t;
            information += count / total * libm::log(count * total / (f * t));
        }
        let entropy = |sizes: &[u32]| -> f64 {
            sizes.iter().map(|&s| f64::from(s) / total).map(|p| -p * libm::log(p)).sum::<f64>()
        };
        let mean = (entropy(&found_sizes) + entropy(&truth_sizes)) / 2.0;
        let expected = in_found as f64 * in_truth as f64 / all as f64;
        let most = (in_found as f64 + in_truth as f64) / 2.0;
        let equal = found == truth;
        Agreement {
            pairs,
            b_cubed: Some(BCubed { precision: precision / total, recall: recall / total }),
            // Equal partitions agree exactly, whatever the logarithms' last bits say.
            nmi: Some(if equal { 1.0 } else { (information / mean).clamp(0.0, 1.0) }),
            ari: Some(if equal { 1.0 } else { (both as f64 - expected) / (most - expected) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(found: &[u32], truth: &[u32]) -> Agreement {
        Agreement::of(&Partition::from_labels(found), &Partition::from_labels(truth))
    }

    /// Worked by hand: found {0,1} {2,3,4}, true {0,1,2} {3,4}.
    #[test]
    fn five_things_by_hand() {
        let a = of(&[0, 0, 1, 1, 1], &[0, 0, 0, 1, 1]);
        // Together in both: 01, 34. Found only: 23, 24. True only: 02, 12. Apart: 03, 04, 13, 14.
        assert_eq!(a.pairs, Confusion { tp: 2, fp: 2, fn_: 2, tn: 4 });
        // Overlaps 2, 1, 2: precision (4/2 + 1/3 + 4/3) / 5, recall (4/3 + 1/3 + 4/2) / 5.
        let b = a.b_cubed.unwrap();
        assert!((b.precision - 11.0 / 15.0).abs() < 1e-12 && (b.recall - 11.0 / 15.0).abs() < 1e-12);
        assert!((b.f1() - 11.0 / 15.0).abs() < 1e-12);
        // ARI (2 - 4 * 4 / 10) / (4 - 1.6) = 0.4 / 2.4.
        assert!((a.ari.unwrap() - 1.0 / 6.0).abs() < 1e-12);
        // scikit-learn 1.5: normalized_mutual_info_score = 0.4325380677663126.
        assert!((a.nmi.unwrap() - 0.432_538_067_766_312_6).abs() < 1e-12, "{:?}", a.nmi);
    }

    #[test]
    fn naive_counts_agree_with_the_table_of_overlaps() {
        let mut stream = crate::seed::Seed(4).stream("test/partitions");
        for n in [2usize, 7, 40] {
            let draw = |stream: &mut crate::seed::Stream, groups| (0..n).map(|_| stream.below(groups) as u32).collect();
            let (found, truth): (Vec<u32>, Vec<u32>) = (draw(&mut stream, 5), draw(&mut stream, 9));
            let mut naive = Confusion::default();
            let (mut precision, mut recall) = (0.0, 0.0);
            for i in 0..n {
                for j in i + 1..n {
                    naive.add(found[i] == found[j], truth[i] == truth[j]);
                }
                let f: Vec<usize> = (0..n).filter(|&j| found[j] == found[i]).collect();
                let t: Vec<usize> = (0..n).filter(|&j| truth[j] == truth[i]).collect();
                let both = f.iter().filter(|j| t.contains(j)).count() as f64;
                precision += both / f.len() as f64 / n as f64;
                recall += both / t.len() as f64 / n as f64;
            }
            let a = of(&found, &truth);
            assert_eq!(a.pairs, naive);
            let b = a.b_cubed.unwrap();
            assert!((b.precision - precision).abs() < 1e-9 && (b.recall - recall).abs() < 1e-9);
        }
    }

    #[test]
    fn the_edges_are_stated() {
        let same = of(&[0, 0, 0], &[7, 7, 7]);
        assert_eq!((same.nmi, same.ari, same.pairs.tp), (Some(1.0), Some(1.0), 3));
        let apart = of(&[0, 1, 2], &[0, 1, 2]);
        assert_eq!((apart.nmi, apart.ari), (Some(1.0), Some(1.0)));
        assert_eq!(apart.pairs.precision(), None);
        let opposite = of(&[0, 1, 2], &[0, 0, 0]);
        assert_eq!((opposite.nmi, opposite.ari), (Some(0.0), Some(0.0)));
        assert_eq!(of(&[], &[]).b_cubed, None);
        assert_eq!(of(&[3], &[1]).ari, Some(1.0));
    }
}
