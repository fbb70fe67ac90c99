//! Compares what came out with what stands in `results/`, in both directions.

use std::collections::BTreeMap;
use std::fmt;

use crate::table::{Cell, Table};

/// What became of an experiment's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// They stand as they are.
    Same,
    /// A number moved by more than its tolerance, up or down.
    Moved,
    /// The experiment, its data or the program changed since they were written.
    Stale,
    /// There are none.
    Missing,
    /// There are results of an experiment that does not exist.
    Extra,
    /// The data is not on this machine; nothing was compared.
    NotPresent,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Verdict::Same => "SAME",
            Verdict::Moved => "MOVED",
            Verdict::Stale => "STALE",
            Verdict::Missing => "MISSING",
            Verdict::Extra => "EXTRA",
            Verdict::NotPresent => "NOT PRESENT",
        })
    }
}

/// One cell that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The row, by its first columns.
    pub row: String,
    /// The column.
    pub column: String,
    /// What stands in `results/`.
    pub before: String,
    /// What came out.
    pub now: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| if text.is_empty() { "(undefined)".to_owned() } else { text.to_owned() };
        write!(f, "{}: {} was {}, is {}", self.row, self.column, shown(&self.before), shown(&self.now))
    }
}

/// The cells in which two tables differ by more than the tolerance of their column (none: not at all). Columns and rows
/// must be the same and in the same order.
pub(super) fn differences(
    before: &Table,
    now: &Table,
    axes: usize,
    tolerance: &BTreeMap<String, f64>,
) -> Vec<Difference> {
    let whole = |what: &str, before: String, now: String| {
        vec![Difference { row: "the table".to_owned(), column: what.to_owned(), before, now }]
    };
    if before.columns() != now.columns() {
        return whole("columns", before.columns().join(", "), now.columns().join(", "));
    }
    if before.rows().len() != now.rows().len() {
        return whole("rows", before.rows().len().to_string(), now.rows().len().to_string());
    }
    let mut found = Vec::new();
    for (old, new) in before.rows().iter().zip(now.rows()) {
        for ((column, a), b) in now.columns().iter().zip(old).zip(new) {
            if !same(a, b, tolerance.get(column).copied().unwrap_or(0.0)) {
                let row = now
                    .columns()
                    .iter()
                    .zip(new)
                    .take(axes)
                    .map(|(c, v)| format!("{c} = {v}"))
                    .collect::<Vec<_>>()
                    .join(", ");
                found.push(Difference { row, column: column.clone(), before: a.to_string(), now: b.to_string() });
            }
        }
    }
    found
}

fn same(a: &Cell, b: &Cell, tolerance: f64) -> bool {
    if a.to_string() == b.to_string() {
        return true;
    }
    match (a.number(), b.number()) {
        // Six decimals are written: half a unit of the last one is no difference beyond the tolerance.
        (Some(x), Some(y)) => tolerance > 0.0 && (x - y).abs() <= tolerance + 5e-7,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        Table::read_csv(text.as_bytes()).unwrap()
    }

    #[test]
    fn moves_up_and_down_are_both_moves() {
        let before = table("k,auc,papers\n5,0.900000,10\n10,0.950000,10\n");
        let now = table("k,auc,papers\n5,0.910000,10\n10,0.940000,10\n");
        let tolerance = |t: f64| BTreeMap::from([("auc".to_owned(), t)]);
        assert_eq!(differences(&before, &now, 1, &tolerance(0.0)).len(), 2);
        assert_eq!(differences(&before, &now, 1, &tolerance(0.01)).len(), 0);
        let first = &differences(&before, &now, 1, &tolerance(0.005))[0];
        assert_eq!(first.to_string(), "k = 5: auc was 0.900000, is 0.910000");
        let counts = table("k,auc,papers\n5,0.900000,11\n10,,10\n");
        let found = differences(&before, &counts, 1, &tolerance(0.5));
        assert_eq!(found.iter().map(|d| d.column.as_str()).collect::<Vec<_>>(), ["papers", "auc"]);
        assert_eq!(found[1].to_string(), "k = 10: auc was 0.950000, is (undefined)");
        assert_eq!(differences(&before, &table("k,auc,papers\n5,1,1\n"), 1, &tolerance(9.0))[0].column, "rows");
    }
}
