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
    let there = || experiments.iter().filter(|(name, _)| Results::at(results, name).exist());
    let mut answers = String::new();
    for (name, spec) in there().filter(|(_, spec)| !spec.answers.is_empty()) {
        let folder = Results::at(results, name);
        let (table, axes) = (folder.table("table")?, folder.axes()?);
        for answer in &spec.answers {
            let says = answer
                .with_numbers(&table, &axes)
                .map_err(|source| ExperimentError::Answer { name: name.clone(), source })?;
            let _ = write!(answers, "\n**{}** {says} ([{name}](#{}))\n", answer.asks, anchor(name));
        }
    }
    if !answers.is_empty() {
        let _ = write!(out, "\n## Questions and answers\n{answers}");
    }
    out.push_str("\n## The claims, one by one\n\nA claim holds or not at each row of its table, or at each group of rows that differ in its own axis alone; the last column says at which readings.\n\n| claim | experiment | held | values seen | held / tried at |\n|---|---|---|---|---|\n");
    for (name, _) in there() {
        for row in Results::at(results, name).table("claims")?.rows() {
            let at = row.get(6).map(Cell::to_string).unwrap_or_default();
            let (held, seen) = (of(row), seen(row));
            let _ = writeln!(out, "| {} | [{name}](#{}) | {held} | {seen} | {at} |", row[0], anchor(name));
        }
    }
    for (name, spec) in there() {
        let folder = Results::at(results, name);
        let table_error =
            |source: crate::table::TableError| ExperimentError::Table { path: format!("results/{name}"), source };
        let data = match spec.tier {
            Tier::Full if spec.base.contains_key("data") => "real data",
            _ => "generated data",
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "\n<a id=\"{}\"></a>\n## {}\n\n`papertwin reproduce --only {name}` ({data})\n",
            anchor(name),
            spec.title
        );
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
        let (table, columns) = folder.shown(spec, &folder.axes()?)?;
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let _ = write!(out, "\n{}", table_block(&table, &columns).map_err(table_error)?);
        let costs = folder.costs("variant")?;
        if costs.len() > 1 {
            out.push_str("\nOn the machine of the run, for the method and the evaluation of all pairs:\n\n");
            out.push_str("| variant | seconds, mean | memory, most |\n|---|---|---|\n");
            for (variant, seconds, mebibytes) in costs {
                let memory = if mebibytes > 0.0 { format!("{mebibytes:.0} MiB") } else { "–".to_owned() };
                let _ = writeln!(out, "| {variant} | {seconds:.2} | {memory} |");
            }
        }
    }
    Ok(out)
}

fn figure_title<'s>(spec: &'s Spec, name: &'s str) -> &'s str {
    spec.figures.iter().find(|f| f.name == name).map_or(name, |f| f.title(name))
}

fn claim_block(claims: &Table) -> String {
    let mut out = String::from("| claim | held | values seen |\n|---|---|---|\n");
    for row in claims.rows() {
        let _ = writeln!(out, "| {} | {} | {} |", row[0], of(row), seen(row));
    }
    out
}

/// On how many of the tried groups a claim held.
fn of(row: &[Cell]) -> String {
    format!("{} of {}", row[3], row[2])
}

/// The least and the greatest value that a claim was tried on.
fn seen(row: &[Cell]) -> String {
    let number = |n: usize| row[n].number().map_or("–".to_owned(), |x| format!("{x:.4}"));
    format!("{} to {}", number(4), number(5))
}

/// The name by which a section is linked to.
fn anchor(name: &str) -> String {
    format!("experiment-{name}")
}
