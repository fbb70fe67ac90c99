//! Four counts and the rates that follow.

/// How many items were predicted and are duplicates, and the three other ways it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Predicted and true.
    pub tp: u64,
    /// Predicted and not true.
    pub fp: u64,
    /// Not predicted though true.
    pub fn_: u64,
    /// Neither.
    pub tn: u64,
}

impl Confusion {
    /// Counts one item.
    pub fn add(&mut self, predicted: bool, duplicate: bool) {
        *match (predicted, duplicate) {
            (true, true) => &mut self.tp,
            (true, false) => &mut self.fp,
            (false, true) => &mut self.fn_,
            (false, false) => &mut self.tn,
        } += 1;
    }

    /// TP / (TP + FP); `None` if nothing was predicted.
    pub fn precision(self) -> Option<f64> {
        ratio(self.tp, self.tp + self.fp)
    }

    /// TP / (TP + FN), the true positive rate; `None` if nothing is true.
    pub fn recall(self) -> Option<f64> {
        ratio(self.tp, self.tp + self.fn_)
    }

    /// 2 TP / (2 TP + FP + FN): the harmonic mean of precision and recall where both are defined, 0 where duplicates
    /// exist and nothing was predicted; `None` if there are no duplicates and nothing was predicted.
    pub fn f1(self) -> Option<f64> {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }

    /// FP / (FP + TN), the false positive rate; `None` if everything is true.
    pub fn fpr(self) -> Option<f64> {
        ratio(self.fp, self.fp + self.tn)
    }

    /// All items.
    pub fn total(self) -> u64 {
        self.tp + self.fp + self.fn_ + self.tn
    }
}

/// A share; 0/0 is undefined.
pub(super) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_by_hand_and_undefined_ones() {
        let c = Confusion { tp: 3, fp: 1, fn_: 2, tn: 10 };
        assert_eq!((c.precision(), c.recall(), c.fpr()), (Some(0.75), Some(0.6), Some(1.0 / 11.0)));
        assert!((c.f1().unwrap() - 2.0 * 0.75 * 0.6 / 1.35).abs() < 1e-12);
        let none = Confusion { tp: 0, fp: 0, fn_: 2, tn: 3 };
        assert_eq!((none.precision(), none.recall(), none.f1()), (None, Some(0.0), Some(0.0)));
        let negative = Confusion { tp: 0, fp: 0, fn_: 0, tn: 5 };
        assert_eq!(
            (negative.precision(), negative.recall(), negative.f1(), negative.fpr()),
            (None, None, None, Some(0.0))
        );
    }
}
