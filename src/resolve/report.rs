//! The report, one line an input record, and the list of pairs to review.

use std::io::Write;

use super::{Resolution, conflicts, content_key};
use crate::corpus::{Corpus, Paper, Rejected};

fn place(paper: &Paper) -> [String; 2] {
    let line = if paper.place.line > 0 { paper.place.line.to_string() } else { String::new() };
    [paper.place.file.to_string(), line]
}

/// Writes the report as CSV, one line an input record in input order, those that could not be read at the end (each with
/// a cluster of its own, not kept, and the reason). Columns: id, cluster, kept, score, reason, file,
/// line, record (its number in the file), source, kept_id (the record that stays), smallest and weakest (of the cluster:
/// the smallest score of two members, and of the link that holds it together), related, differs (the values that the
/// merged record does not have).
///
/// # Errors
/// If the writer fails.
pub fn write_report<'p>(
    corpus: &Corpus,
    resolution: &Resolution,
    merged: &dyn Fn(usize) -> &'p Paper,
    rejected: &[Rejected],
    out: impl Write,
) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "id", "cluster", "kept", "score", "reason", "file", "line", "record", "source", "kept_id", "smallest",
        "weakest", "related", "differs",
    ])?;
    for (paper, row) in corpus.papers().iter().zip(&resolution.rows) {
        let [file, line] = place(paper);
        let record = if paper.place.record > 0 { paper.place.record.to_string() } else { String::new() };
        let related: Vec<String> = row
            .related
            .iter()
            .map(|(other, relation)| format!("{}: {}", relation.name(), corpus.paper(*other).id))
            .collect();
        let differs = if row.kept {
            String::new()
        } else {
            let lost = conflicts(merged(row.survivor.index()), paper);
            lost.iter().map(|(field, value)| format!("{field}={value}")).collect::<Vec<_>>().join(" | ")
        };
        let text = |score: Option<crate::similarity::Score>| score.map_or_else(String::new, |s| s.to_string());
        writer.write_record([
            paper.id.as_str(),
            &row.cluster.to_string(),
            if row.kept { "true" } else { "false" },
            &text(row.score),
            &row.reason,
            &file,
            &line,
            &record,
            &paper.source,
            &corpus.paper(row.survivor).id,
            &text(row.tightness.map(|t| t.smallest)),
            &text(row.tightness.map(|t| t.weakest)),
            &related.join(" | "),
            &differs,
        ])?;
    }
    let clusters = resolution.rows.iter().map(|row| row.cluster).max().unwrap_or(0);
    for (one, cluster) in rejected.iter().zip(clusters + 1..) {
        let number = |n: u64| if n == 0 { String::new() } else { n.to_string() };
        let (line, record) = (number(one.place.line), number(one.place.record));
        let (cluster, reason) = (cluster.to_string(), format!("rejected: {}", one.reason));
        let file: &str = &one.place.file;
        writer.write_record(["", &cluster, "false", "", &reason, file, &line, &record, "", "", "", "", "", ""])?;
    }
    writer.flush()?;
    Ok(())
}

/// Writes the pairs to review as CSV, the most alike first; fill the column `decision` (same, different) and give the
/// file back with `--decisions`. The keys bind a decision to what the records say, so it holds when ids are made anew.
///
/// # Errors
/// If the writer fails.
pub fn write_review(corpus: &Corpus, resolution: &Resolution, out: impl Write) -> Result<(), csv::Error> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "first_id",
        "second_id",
        "decision",
        "score",
        "reason",
        "first_title",
        "second_title",
        "first_file",
        "first_line",
        "second_file",
        "second_line",
        "first_key",
        "second_key",
    ])?;
    for review in &resolution.review {
        let (a, b) = (corpus.paper(review.pair.first()), corpus.paper(review.pair.second()));
        let ([first_file, first_line], [second_file, second_line]) = (place(a), place(b));
        writer.write_record([
            a.id.as_str(),
            &b.id,
            "",
            &review.score.to_string(),
            &review.reason,
            &a.title,
            &b.title,
            &first_file,
            &first_line,
            &second_file,
            &second_line,
            &content_key(a),
            &content_key(b),
        ])?;
    }
    writer.flush()?;
    Ok(())
}
