//! Questions that an experiment settles, answered in sentences whose numbers are read from its table.

use serde::Deserialize;

use crate::table::{Cell, Table, TableError};

/// A question with its answer in words. Numbers stand in the answer as what is to be read: `{mean auc; unit=pair}` is the
/// mean of the column `auc` over the rows whose `unit` is `pair`; `least`, `most` and `rows` (their number) work alike.
/// `{best auc by k}` tells in how many groups of rows, alike in all axes but `k`, each value of `k` was best.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The question.
    pub asks: String,
    /// The answer.
    pub says: String,
}

/// Why an answer cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// The table has no such column.
    #[error(transparent)]
    Table(#[from] TableError),
    /// What stands in braces is not understood, or is about no number.
    #[error(
        "{{{0}}}: wanted mean, least, most or rows and a column, or best, a column, by and an axis; then \"; column=value\" for the rows that count, which must have numbers"
    )]
    Written(String),
}

impl Answer {
    /// The answer with its numbers.
    ///
    /// # Errors
    /// Names what cannot be read from the table.
    pub fn with_numbers(&self, table: &Table, axes: &[String]) -> Result<String, AnswerError> {
        let mut out = String::new();
        let mut rest = self.says.trim();
        while let Some((before, after)) = rest.split_once('{') {
            let (asked, after) = after.split_once('}').ok_or_else(|| AnswerError::Written(after.to_owned()))?;
            out.push_str(before);
            out.push_str(&number(asked, table, axes)?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// What stands in one pair of braces.
fn number(asked: &str, table: &Table, axes: &[String]) -> Result<String, AnswerError> {
    let wrong = || AnswerError::Written(asked.to_owned());
    let mut parts = asked.split(';').map(str::trim);
    let (statistic, column) = parts.next().and_then(|first| first.split_once(' ')).ok_or_else(wrong)?;
    let (column, axis) = column.split_once(" by ").map_or((column, None), |(column, axis)| (column, Some(axis.trim())));
    let column = table.column(column.trim())?;
    let mut only = Vec::new();
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        only.push((table.column(name)?, value));
    }
    let rows = table.rows().iter().filter(|row| only.iter().all(|(c, value)| row[*c].to_string() == *value));
    let rows: Vec<(&Vec<Cell>, f64)> = rows.filter_map(|row| Some((row, row[column].number()?))).collect();
    match (statistic, axis) {
        ("best", Some(axis)) => return best(&rows, table, axis, axes)?.ok_or_else(wrong),
        ("best", None) | (_, Some(_)) => return Err(wrong()),
        _ => {}
    }
    let values: Vec<f64> = rows.into_iter().map(|(_, value)| value).collect();
    let found = match statistic {
        "rows" => return Ok(values.len().to_string()),
        "mean" => (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        "least" => values.iter().copied().reduce(f64::min),
        "most" => values.iter().copied().reduce(f64::max),
        _ => None,
    };
    found.map(|x| format!("{x:.3}")).ok_or_else(wrong)
}

/// How often each value of an axis was best, the most frequent first; the first of equal values counts.
fn best(rows: &[(&Vec<Cell>, f64)], table: &Table, axis: &str, axes: &[String]) -> Result<Option<String>, AnswerError> {
    let at = table.column(axis)?;
    let others: Vec<usize> = axes.iter().filter(|other| *other != axis).filter_map(|a| table.column(a).ok()).collect();
    let mut groups: Vec<(Vec<String>, String, f64)> = Vec::new();
    for (row, value) in rows {
        let key: Vec<String> = others.iter().map(|&c| row[c].to_string()).collect();
        match groups.iter_mut().find(|(known, ..)| *known == key) {
            Some((.., most)) if *most >= *value => {}
            Some((_, at_most, most)) => (*at_most, *most) = (row[at].to_string(), *value),
            None => groups.push((key, row[at].to_string(), *value)),
        }
    }
    let mut wins: Vec<(String, usize)> = Vec::new();
    for (_, winner, _) in &groups {
        match wins.iter_mut().find(|(known, _)| known == winner) {
            Some((_, count)) => *count += 1,
            None => wins.push((winner.clone(), 1)),
        }
    }
    wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let told: Vec<String> =
        wins.iter().map(|(value, count)| format!("{value} ({count} of {})", groups.len())).collect();
    Ok((!told.is_empty()).then(|| told.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_the_rows_that_are_asked_for() {
        let csv = "edits,k,auc\nexact,5,1.0\ngarble=0.1,5,0.90\ngarble=0.1,10,0.95\n";
        let table = Table::read_csv(csv.as_bytes()).unwrap();
        let axes = ["edits".to_owned(), "k".to_owned()];
        let says = |says: &str| Answer { asks: "?".into(), says: says.into() }.with_numbers(&table, &axes);
        assert_eq!(
            says("It is {mean auc; edits=garble=0.1} ({least auc} to {most auc; k=5}, {rows auc}).").unwrap(),
            "It is 0.925 (0.900 to 1.000, 3)."
        );
        assert_eq!(says("{best auc by k}").unwrap(), "5 (1 of 2), 10 (1 of 2)");
        assert_eq!(says("No number.").unwrap(), "No number.");
        for wrong in [
            "{mean auc; k=7}",
            "{median auc}",
            "{auc}",
            "{best auc}",
            "{mean auc by k}",
            "{mean auc; k}",
            "{mean auc",
            "{mean recall}",
        ] {
            assert!(says(wrong).is_err(), "{wrong}");
        }
    }
}
