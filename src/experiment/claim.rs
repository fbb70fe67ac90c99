//! What the reproduced paper says, beside what came out here.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::table::{Cell, Table};

/// One claim: a number of the table, at the rows that match, compared with a bound. Claims are shown, they never fail a
/// run: a claim that does not hold is a finding.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The claim in words, with its place in the paper.
    pub says: String,
    /// The column that it is about.
    pub column: String,
    /// The rows that it is about: column = value.
    #[serde(default, rename = "where")]
    pub only: BTreeMap<String, String>,
    /// The claimed value is at least this.
    pub at_least: Option<f64>,
    /// The claimed value is at most this.
    pub at_most: Option<f64>,
    /// The claimed value is the greatest over this axis, at this value of it: the claim holds for a group of rows alike in
    /// all other axes where the row with this value is the best.
    pub best: Option<Best>,
    /// The value grows along this axis, in the order of its values.
    pub grows_with: Option<String>,
}

/// Which value of which axis is claimed to be best.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Best {
    /// The axis.
    pub axis: String,
    /// The value.
    pub value: String,
}

impl Claim {
    /// How many groups of rows the claim could be tried on, on how many it held, and the least and greatest value seen.
    ///
    /// # Errors
    /// If the table has no such column.
    pub fn tried(&self, table: &Table, axes: &[String]) -> Result<Tried, crate::table::TableError> {
        let column = table.column(&self.column)?;
        let only = self.only.iter().map(|(c, v)| table.column(c).map(|c| (c, v))).collect::<Result<Vec<_>, _>>()?;
        let rows: Vec<&Vec<Cell>> =
            table.rows().iter().filter(|row| only.iter().all(|(c, v)| row[*c].to_string() == **v)).collect();
        let values: Vec<f64> = rows.iter().filter_map(|row| row[column].number()).collect();
        let mut tried = Tried {
            groups: 0,
            held: 0,
            least: values.iter().copied().reduce(f64::min),
            greatest: values.iter().copied().reduce(f64::max),
        };
        if let Some(axis) = self.grows_with.as_ref().or(self.best.as_ref().map(|b| &b.axis)) {
            let axis_column = table.column(axis)?;
            let others: Vec<usize> = axes.iter().filter(|a| *a != axis).filter_map(|a| table.column(a).ok()).collect();
            let mut groups: BTreeMap<Vec<String>, Vec<(String, f64)>> = BTreeMap::new();
            for row in rows {
                if let Some(value) = row[column].number() {
                    let key = others.iter().map(|&c| row[c].to_string()).collect();
                    groups.entry(key).or_default().push((row[axis_column].to_string(), value));
                }
            }
            for group in groups.into_values().filter(|g| g.len() > 1) {
                tried.groups += 1;
                let holds = match &self.best {
                    Some(best) => group
                        .iter()
                        .find(|(at, _)| *at == best.value)
                        .is_some_and(|(_, claimed)| group.iter().all(|(_, other)| other <= claimed)),
                    None => group.windows(2).all(|w| w[0].1 < w[1].1),
                };
                tried.held += u64::from(holds);
            }
        } else {
            tried.groups = values.len() as u64;
            let holds = |v: &&f64| {
                self.at_least.is_none_or(|bound| **v >= bound) && self.at_most.is_none_or(|bound| **v <= bound)
            };
            tried.held = values.iter().filter(holds).count() as u64;
        }
        Ok(tried)
    }
}

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// Rows, or groups of rows, that it was tried on.
    pub groups: u64,
    /// Of these, where it held.
    pub held: u64,
    /// The least value seen.
    pub least: Option<f64>,
    /// The greatest value seen.
    pub greatest: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        Table::read_csv(
            "edit,k,auc\nexact,5,1.0\nexact,10,1.0\ngarble,5,0.90\ngarble,10,0.95\ngarble,20,0.97\n".as_bytes(),
        )
        .unwrap()
    }

    fn claim(text: &str) -> Tried {
        let claim: Claim = toml::from_str(&format!("says = 's'\ncolumn = 'auc'\n{text}")).unwrap();
        claim.tried(&table(), &["edit".to_owned(), "k".to_owned()]).unwrap()
    }

    #[test]
    fn bounds_best_values_and_growth_are_tried_by_group() {
        let bound = claim("at_least = 0.98");
        assert_eq!((bound.groups, bound.held, bound.least, bound.greatest), (5, 2, Some(0.9), Some(1.0)));
        let best = claim("best = { axis = 'k', value = '10' }");
        assert_eq!((best.groups, best.held), (2, 1));
        let grows = claim("grows_with = 'k'");
        assert_eq!((grows.groups, grows.held), (2, 1));
        let some = claim("at_most = 0.96\nwhere = { edit = 'garble' }");
        assert_eq!((some.groups, some.held), (3, 2));
    }
}
