//! The generated blocks of README: tables that only `reproduce` writes.

use crate::table::{Table, TableError};

/// A block's first line is `<!-- results NAME: COLUMN, COLUMN -->`, its last `<!-- end -->`.
const OPEN: &str = "<!-- results ";
const CLOSE: &str = "<!-- end -->";

/// Rewrites every block of a text. `table` gives the table of an experiment, `None` if there are no results; then the
/// block stays as it is.
///
/// # Errors
/// With the block's first line, if it is not closed or asks for a column that is not there.
pub fn rewrite_blocks(text: &str, table: impl Fn(&str) -> Option<Table>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(OPEN) {
        let (before, block) = rest.split_at(start);
        out.push_str(before);
        let (head, after) = block.split_once('\n').ok_or_else(|| format!("README: {block:?} has no lines after it"))?;
        let inside = head[OPEN.len()..]
            .trim_end()
            .strip_suffix("-->")
            .ok_or_else(|| format!("README: {head:?} does not end with -->"))?;
        let (name, columns) = inside
            .split_once(':')
            .ok_or_else(|| format!("README: {head:?} names no columns; wanted NAME: COLUMN, COLUMN"))?;
        let end = after.find(CLOSE).ok_or_else(|| format!("README: {head:?} has no line {CLOSE}"))?;
        out.push_str(head);
        out.push('\n');
        match table(name.trim()) {
            Some(table) => {
                let columns: Vec<&str> = columns.split(',').map(str::trim).collect();
                out.push_str(&table_block(&table, &columns).map_err(|e| format!("README: {head:?}: {e}"))?);
            }
            None => out.push_str(&after[..end]),
        }
        rest = &after[end..];
    }
    out.push_str(rest);
    Ok(out)
}

/// These columns of a table as Markdown; numbers with four decimals, what is undefined as a dash.
///
/// # Errors
/// If a column is not there.
pub fn table_block(table: &Table, columns: &[&str]) -> Result<String, TableError> {
    let places = columns.iter().map(|c| table.column(c)).collect::<Result<Vec<_>, _>>()?;
    let mut out = format!("| {} |\n", columns.iter().map(|c| c.replace('_', " ")).collect::<Vec<_>>().join(" | "));
    out.push_str(&format!("|{}\n", "---|".repeat(columns.len())));
    for row in table.rows() {
        let cells = places.iter().map(|&c| {
            let text = row[c].to_string();
            match row[c].number() {
                Some(x) if text.contains('.') => format!("{x:.4}"),
                _ if text.is_empty() => "–".to_owned(),
                _ => text.replace('|', "\\|"),
            }
        });
        out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_rewritten_and_the_rest_is_left_alone() {
        let table = Table::read_csv("edit,auc,n\nexact,0.9999999,12\ngarble,,3\n".as_bytes()).unwrap();
        let text = "# A\n<!-- results quick: edit, auc, n -->\nold\n<!-- end -->\ntail\n<!-- results none: x -->\nkept\n<!-- end -->\n";
        let now = rewrite_blocks(text, |name| (name == "quick").then(|| table.clone())).unwrap();
        let wanted = "# A\n<!-- results quick: edit, auc, n -->\n| edit | auc | n |\n|---|---|---|\n| exact | 1.0000 | 12 |\n| garble | – | 3 |\n<!-- end -->\ntail\n<!-- results none: x -->\nkept\n<!-- end -->\n";
        assert_eq!(now, wanted);
        assert_eq!(rewrite_blocks(&now, |name| (name == "quick").then(|| table.clone())).unwrap(), now);
        assert!(rewrite_blocks("<!-- results quick: edit -->\nno end", |_| None).unwrap_err().contains("has no line"));
        assert!(
            rewrite_blocks("<!-- results quick: zz -->\n<!-- end -->", |_| Some(table.clone()))
                .unwrap_err()
                .contains("zz")
        );
    }
}
