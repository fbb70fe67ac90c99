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
    /// The values that it is not below; none means all others.
    #[serde(default)]
    pub over: Vec<String>,
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
            where_held: None,
        };
        // Of each value of each axis: on how many groups the claim was tried, on how many it held.
        let mut readings: Vec<(&str, Vec<(String, u64, u64)>)> =
            axes.iter().map(String::as_str).filter(|axis| *axis != "seed").map(|axis| (axis, Vec::new())).collect();
        let mut note = |row: &[Cell], holds: bool| {
            for (axis, values) in &mut readings {
                let Ok(value) = table.column(axis).map(|c| row[c].to_string()) else { continue };
                if !values.iter().any(|(known, ..)| *known == value) {
                    values.push((value.clone(), 0, 0));
                }
                if let Some((_, tried, held)) = values.iter_mut().find(|(known, ..)| *known == value) {
                    *tried += 1;
                    *held += u64::from(holds);
                }
            }
        };
        if let Some(axis) = self.grows_with.as_ref().or(self.best.as_ref().map(|b| &b.axis)) {
            let axis_column = table.column(axis)?;
            let others: Vec<usize> = axes.iter().filter(|a| *a != axis).filter_map(|a| table.column(a).ok()).collect();
            let mut groups: Vec<(Vec<String>, &[Cell], Vec<(String, f64)>)> = Vec::new();
            for row in rows {
                if let Some(value) = row[column].number() {
                    let key: Vec<String> = others.iter().map(|&c| row[c].to_string()).collect();
                    let member = (row[axis_column].to_string(), value);
                    match groups.iter_mut().find(|(known, ..)| *known == key) {
                        Some((.., group)) => group.push(member),
                        None => groups.push((key, row, vec![member])),
                    }
                }
            }
            for (_, row, group) in groups.into_iter().filter(|(.., g)| g.len() > 1) {
                tried.groups += 1;
                let holds = match &self.best {
                    Some(best) => group.iter().find(|(at, _)| *at == best.value).is_some_and(|(_, claimed)| {
                        let rival = |at: &String| best.over.is_empty() || best.over.contains(at);
                        group.iter().filter(|(at, _)| rival(at)).all(|(_, other)| other <= claimed)
                    }),
                    None => group.windows(2).all(|w| w[0].1 < w[1].1),
                };
                tried.held += u64::from(holds);
                note(row, holds);
            }
        } else {
            for (row, value) in rows.into_iter().filter_map(|row| Some((row, row[column].number()?))) {
                let holds =
                    self.at_least.is_none_or(|bound| value >= bound) && self.at_most.is_none_or(|bound| value <= bound);
                tried.groups += 1;
                tried.held += u64::from(holds);
                note(row, holds);
            }
        }
        let own = self.grows_with.as_deref().or(self.best.as_ref().map(|best| best.axis.as_str()));
        let told =
            readings.iter().filter(|(axis, values)| values.len() > 1 && Some(*axis) != own).map(|(axis, values)| {
                let values = values.iter().map(|(value, tried, held)| format!("{value} {held}/{tried}"));
                format!("{}: {}", axis.replace('_', " "), values.collect::<Vec<_>>().join(", "))
            });
        tried.where_held = Some(told.collect::<Vec<_>>().join("; ")).filter(|told| !told.is_empty());
        Ok(tried)
    }
}

/// How a claim fared.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Rows, or groups of rows, that it was tried on.
    pub groups: u64,
    /// Of these, where it held.
    pub held: u64,
    /// The least value seen.
    pub least: Option<f64>,
    /// The greatest value seen.
    pub greatest: Option<f64>,
    /// For each axis but the claim's own and the seed, of each of its values: on how many groups the claim held and was
    /// tried. `None` where no axis has two values.
    pub where_held: Option<String>,
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
        assert_eq!(bound.where_held.unwrap(), "edit: exact 2/2, garble 0/3; k: 5 1/2, 10 1/2, 20 0/1");
        let best = claim("best = { axis = 'k', value = '10' }");
        assert_eq!((best.groups, best.held), (2, 1));
        assert_eq!(best.where_held.unwrap(), "edit: exact 1/1, garble 0/1");
        let over = claim("best = { axis = 'k', value = '10', over = ['5'] }");
        assert_eq!((over.groups, over.held), (2, 2));
        let grows = claim("grows_with = 'k'");
        assert_eq!((grows.groups, grows.held), (2, 1));
        let some = claim("at_most = 0.96\nwhere = { edit = 'garble' }");
        assert_eq!((some.groups, some.held), (3, 2));
    }
}
