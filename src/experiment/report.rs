//! `results/REPORT.md`: every experiment with its question, its claims, its numbers and its figures, from `results/` alone.

use std::fmt::Write as _;
use std::path::Path;

use super::spec::Spec;
use super::{ExperimentError, Results, Tier, table_block};
use crate::table::{Cell, Table};

/// The report on all experiments that have results.
///
/// # Errors
/// If results cannot be read.
pub fn report(experiments: &[(String, Spec)], results: &Path) -> Result<String, ExperimentError> {
    let mut out = String::from(
        "# What was measured\n\nThis page is written by `papertwin reproduce` from the tables beside it. Every figure and number is made by the experiment of its name in `experiments/`.\n",
    );
    for (name, spec) in experiments {
        let folder = Results::at(results, name);
        if !folder.exist() {
            continue;
        }
        let table_error = |source| ExperimentError::Table { path: format!("results/{name}"), source };
        let data = match spec.tier {
            Tier::Full if spec.base.contains_key("data") => "real data",
            _ => "generated data",
        };
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {}\n\n`papertwin reproduce --only {name}` ({data})\n", spec.title);
        if !spec.about.trim().is_empty() {
            let _ = write!(out, "\n{}\n", spec.about.trim());
        }
        let claims = folder.table("claims")?;
        if !claims.rows().is_empty() {
            let _ = write!(out, "\n{}", claim_block(&claims));
        }
        for figure in &spec.figures {
            let _ = write!(out, "\n![{}]({name}/{}.svg)\n", figure_title(spec, &figure.name), figure.name);
        }
        let (table, columns) = match folder.table("summary") {
            Ok(table) => {
                let columns = shown(
                    &table,
                    &[
                        "seeds",
                        "auc",
                        "auc_half",
                        "average_precision",
                        "average_precision_half",
                        "best_f1",
                        "fold",
                        "stories",
                        "pair_f1",
                        "b_cubed_f1",
                        "setting",
                    ],
                    &folder.axes()?,
                );
                (table, columns)
            }
            Err(_) if spec.is_laboratory() => {
                let table = folder.table("table")?;
                let columns = table.columns().to_vec();
                (table, columns)
            }
            Err(_) => {
                let table = folder.table("table")?;
                let columns = shown(
                    &table,
                    &[
                        "auc",
                        "average_precision",
                        "best_f1",
                        "best_lambda",
                        "precision_at_recall_90",
                        "groups",
                        "largest_component",
                        "pair_precision",
                        "pair_recall",
                        "pair_f1",
                        "b_cubed_f1",
                        "nmi",
                    ],
                    &folder.axes()?,
                );
                (table, columns)
            }
        };
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let _ = write!(out, "\n{}", table_block(&table, &columns).map_err(table_error)?);
    }
    Ok(out)
}

/// The axes and those of the wanted columns that have a value somewhere.
fn shown(table: &Table, wanted: &[&str], axes: &[String]) -> Vec<String> {
    let has = |name: &str| table.column(name).is_ok_and(|c| table.rows().iter().any(|row| row[c] != Cell::Empty));
    axes.iter().map(String::as_str).chain(wanted.iter().copied()).filter(|name| has(name)).map(str::to_owned).collect()
}

fn figure_title<'s>(spec: &'s Spec, name: &'s str) -> &'s str {
    spec.figures.iter().find(|f| f.name == name).map_or(name, |f| f.title(name))
}

fn claim_block(claims: &Table) -> String {
    let mut out = String::from("| claim of the paper | held | values seen |\n|---|---|---|\n");
    for row in claims.rows() {
        let number = |n: usize| row[n].number().map_or("–".to_owned(), |x| format!("{x:.4}"));
        let _ = writeln!(out, "| {} | {} of {} | {} to {} |", row[0], row[3], row[2], number(4), number(5));
    }
    out
}
