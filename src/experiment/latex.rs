//! A table for a report in LaTeX.

use crate::table::{Table, TableError};

/// These columns of a table as a `tabular` with the rules of the package booktabs; numbers with four decimals, what is
/// undefined as a dash. Names are set as text: what LaTeX would read as a command is escaped.
///
/// # Errors
/// If a column is not there.
pub(super) fn tabular(table: &Table, columns: &[&str]) -> Result<String, TableError> {
    let places = columns.iter().map(|c| table.column(c)).collect::<Result<Vec<_>, _>>()?;
    let is_number = |&&place: &&usize| {
        let mut cells = table.rows().iter().map(|row| &row[place]).filter(|cell| !cell.to_string().is_empty());
        cells.all(|cell| cell.number().is_some())
    };
    let kinds: String = places.iter().map(|place| if is_number(&place) { 'r' } else { 'l' }).collect();
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let mut out = format!("\\begin{{tabular}}{{{kinds}}}\n\\toprule\n");
    out += &line(columns.iter().map(|name| escaped(&name.replace('_', " "))).collect());
    out += "\\midrule\n";
    for row in table.rows() {
        let cell = |&place: &usize| {
            let text = row[place].to_string();
            match row[place].number() {
                Some(x) if text.contains('.') => format!("{x:.4}"),
                _ if text.is_empty() => "--".to_owned(),
                _ => escaped(&text),
            }
        };
        out += &line(places.iter().map(cell).collect());
    }
    out += "\\bottomrule\n\\end{tabular}\n";
    Ok(out)
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', letter]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            'λ' => out.push_str("$\\lambda$"),
            '≥' => out.push_str("$\\ge$"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_numbers_stand_right() {
        let table = Table::read_csv("edit_name,k,auc\n10 % & a_b,5,0.98765\nλ ^ ~ \\,10,\n".as_bytes()).unwrap();
        let text = tabular(&table, &["edit_name", "k", "auc"]).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "\\begin{tabular}{lrr}");
        assert_eq!(lines[2], "edit name & k & auc \\\\");
        assert_eq!(lines[4], "10 \\% \\& a\\_b & 5 & 0.9877 \\\\");
        assert_eq!(lines[5], "$\\lambda$ \\textasciicircum{} \\textasciitilde{} \\textbackslash{} & 10 & -- \\\\");
        assert!(tabular(&table, &["f1"]).unwrap_err().to_string().contains("edit_name"));
    }
}
