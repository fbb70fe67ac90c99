//! The mean of a measure over several seeds, and how sure it is.

/// Mean, standard deviation and 95 % interval over the runs in which a measure is defined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation (n - 1); `None` for one run.
    pub sd: Option<f64>,
    /// Student's 95 % interval for the mean, lower and upper; `None` for one run.
    pub bounds: Option<(f64, f64)>,
    /// Over how many runs it was taken.
    pub runs: usize,
    /// How many runs were left out because the measure is undefined in them.
    pub undefined: usize,
}

impl Interval {
    /// Over these runs, undefined ones skipped and counted. `None` if the measure is defined in none.
    ///
    /// ```
    /// use papertwin::evaluation::Interval;
    /// let auc = Interval::of([Some(0.9), None, Some(0.8)]).unwrap();
    /// assert_eq!((auc.runs, auc.undefined), (2, 1));
    /// assert!((auc.mean - 0.85).abs() < 1e-12);
    /// ```
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Interval> {
        let mut defined = Vec::new();
        let mut undefined = 0;
        for value in values {
            match value {
                Some(value) if value.is_finite() => defined.push(value),
                _ => undefined += 1,
            }
        }
        let runs = defined.len();
        if runs == 0 {
            return None;
        }
        let mean = defined.iter().sum::<f64>() / runs as f64;
        let sd = (runs > 1)
            .then(|| (defined.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (runs - 1) as f64).sqrt());
        let bounds = sd.map(|sd| {
            let half = student(runs - 1) * sd / (runs as f64).sqrt();
            (mean - half, mean + half)
        });
        Some(Interval { mean, sd, bounds, runs, undefined })
    }
}

/// The 0.975 quantile of Student's t: from a table up to 30 degrees of freedom, beyond by the expansion of Cornish and
/// Fisher around the normal quantile z (Abramowitz and Stegun 26.7.5), which is right to four decimals there.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 30] = [
        12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281, 2.2010, 2.1788, 2.1604,
        2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518,
        2.0484, 2.0452, 2.0423,
    ];
    if let Some(&t) = freedom.checked_sub(1).and_then(|place| TABLE.get(place)) {
        return t;
    }
    let (z, n) = (1.959_963_985, freedom as f64);
    let (z3, z5) = (z * z * z, z * z * z * z * z);
    z + (z3 + z) / (4.0 * n) + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * n * n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_by_hand() {
        let i = Interval::of([Some(1.0), Some(2.0), Some(6.0)]).unwrap();
        let sd = 7.0f64.sqrt();
        assert!((i.mean - 3.0).abs() < 1e-12 && (i.sd.unwrap() - sd).abs() < 1e-12);
        let (low, high) = i.bounds.unwrap();
        let half = 4.3027 * sd / 3.0f64.sqrt();
        assert!((low - (3.0 - half)).abs() < 1e-9 && (high - (3.0 + half)).abs() < 1e-9);
        // scipy.stats.t.ppf(0.975, [40, 100, 1000]).
        for (freedom, t) in [(40, 2.021_075), (100, 1.983_972), (1000, 1.962_339)] {
            assert!((student(freedom) - t).abs() < 5e-5, "{freedom}");
        }
    }

    #[test]
    fn o_083_undefined_runs_are_skipped_and_counted() {
        let i = Interval::of([Some(0.5), None, Some(f64::NAN)]).unwrap();
        assert_eq!((i.mean, i.sd, i.bounds, i.runs, i.undefined), (0.5, None, None, 1, 2));
        assert_eq!(Interval::of([None, None]), None);
    }
}
