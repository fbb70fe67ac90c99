//! arXiv metadata as JSON lines, as the archive's own snapshot has it.
//!
//! Titles and abstracts are wrapped and indented in the source; here each is one line, without blanks around. Authors
//! are written in natural order. The year is that of the first version, else of the identifier, else of the last update.
//! An identifier that some harvest stored as a number has lost its zeros (`704.1353`); they are put back.

use serde_json::{Map, Value};

use super::super::Paper;
use super::super::names::ColumnMap;
use super::json::{Records, object_of};
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};

/// arXiv metadata.
pub(super) struct Arxiv;

impl FormatReader for Arxiv {
    fn format(&self) -> Format {
        Format::Arxiv
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let Some(first) = head.lines().find(|line| line.trim_start().starts_with('{')) else { return Confidence::No };
        let has = |name: &str| first.contains(&format!("\"{name}\""));
        let own = has("authors_parsed") || has("journal-ref") || has("submitter") || has("update_date");
        if has("categories") && has("abstract") && own { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Records::open_lines(source, paper))
    }
}

fn paper(text: &str, map: &ColumnMap) -> Result<Paper, String> {
    let mut object = object_of(text)?;
    let mut taken = Paper::default();
    let text_of = |object: &mut Map<String, Value>, name: &str| match object.get(name) {
        Some(Value::String(_)) => match object.shift_remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        },
        _ => String::new(),
    };
    taken.title = one_line(&text_of(&mut object, "title"));
    taken.abstract_text = one_line(&text_of(&mut object, "abstract"));
    taken.venue = one_line(&text_of(&mut object, "journal-ref"));
    taken.doi = text_of(&mut object, "doi").trim().to_owned();
    taken.keywords = text_of(&mut object, "categories").split_whitespace().map(str::to_owned).collect();
    taken.id = match object.shift_remove("id") {
        Some(Value::String(id)) => with_zeros(id.trim()),
        Some(Value::Number(number)) => with_zeros(&number.to_string()),
        _ => String::new(),
    };
    if let Some(Value::Array(rows)) = object.get("authors_parsed") {
        taken.authors = rows.iter().filter_map(natural_name).collect();
        let complete = rows.iter().all(|row| row.as_array().is_some_and(|parts| parts.len() <= 3));
        if !taken.authors.is_empty() {
            object.shift_remove("authors");
            if complete {
                object.shift_remove("authors_parsed");
            }
        }
    }
    if taken.authors.is_empty() {
        let line = one_line(&text_of(&mut object, "authors"));
        taken.authors = names(&line);
    }
    let created =
        object.get("versions").and_then(|versions| versions.get(0)?.get("created")?.as_str()).map(str::to_owned);
    let updated = object.get("update_date").and_then(Value::as_str).unwrap_or_default();
    let year = created.as_deref().and_then(year_in).or_else(|| year_of_id(&taken.id)).or_else(|| year_in(updated));
    taken.year = year.unwrap_or_default();
    taken.published = created.unwrap_or_default();
    object.retain(|_, value| !value.is_null());
    let rest = Paper::from_json(object, map);
    Ok(Paper { extra: rest.extra, language: rest.language, kind: rest.kind, url: rest.url, ..taken })
}

/// Text without line ends, runs of blanks and blanks around.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `["Balázs", "C.", ""]` as `C. Balázs`.
fn natural_name(row: &Value) -> Option<String> {
    let part = |place: usize| row.get(place).and_then(Value::as_str).unwrap_or_default().trim();
    let name =
        [part(1), part(0), part(2)].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

/// The names of an author line in natural order, `A. Bee, C. Dee and E. Eff`.
fn names(line: &str) -> Vec<String> {
    line.split(", ")
        .flat_map(|part| part.split(" and "))
        .map(|name| name.trim().trim_start_matches("and ").trim_end_matches(',').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// A year of four digits that stand alone.
fn year_in(date: &str) -> Option<String> {
    date.split(|c: char| !c.is_ascii_digit())
        .find(|part| part.len() == 4 && (part.starts_with("19") || part.starts_with("20")))
        .map(str::to_owned)
}

/// `0704.1353` and `hep-th/9901001` say when they were given.
fn year_of_id(id: &str) -> Option<String> {
    let digits = id.rsplit('/').next()?;
    let year: u32 = digits.get(..2)?.parse().ok()?;
    Some(if year >= 91 { 1900 + year } else { 2000 + year }.to_string())
}

/// Puts back the zeros of an identifier of the form `YYMM.NNNN` that was stored as a number.
fn with_zeros(id: &str) -> String {
    let Some((month, number)) = id.split_once('.') else { return id.to_owned() };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !digits(month) || !digits(number) || month.len() > 4 || number.len() > 5 {
        return id.to_owned();
    }
    let month = format!("{month:0>4}");
    let wide = if month.as_str() >= "1501" && month.as_str() < "9000" { 5 } else { 4 };
    format!("{month}.{number:0<wide$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_get_their_zeros_back() {
        for (stored, true_id) in [("704.1353", "0704.1353"), ("704.135", "0704.1350"), ("1501.0012", "1501.00120")] {
            assert_eq!(with_zeros(stored), true_id);
        }
        for id in ["0704.1353", "1501.00121", "hep-th/9901001", "math.GT/0309136"] {
            assert_eq!(with_zeros(id), id);
        }
        assert_eq!(year_of_id("hep-th/9901001").as_deref(), Some("1999"));
        assert_eq!(year_of_id("0704.1353").as_deref(), Some("2007"));
    }

    #[test]
    fn a_record_is_unwrapped_and_keeps_the_rest() {
        let line = r#"{"id":"0704.0001","submitter":"S","authors":"C. Bee, E. L. Cee","title":"One\n  two","categories":"hep-ph cs.LG","abstract":"  Long\nline.\n","doi":null,"journal-ref":null,"versions":[{"version":"v1","created":"Mon, 2 Apr 2007 19:18:42 GMT"}],"update_date":"2009-01-01","authors_parsed":[["Bee","C.",""],["Cee","E. L.","Jr"]]}"#;
        let paper = paper(line, &ColumnMap::default()).unwrap();
        assert_eq!((paper.title.as_str(), paper.abstract_text.as_str()), ("One two", "Long line."));
        assert_eq!(paper.authors, ["C. Bee", "E. L. Cee Jr"]);
        assert_eq!(paper.keywords, ["hep-ph", "cs.LG"]);
        assert_eq!((paper.year.as_str(), paper.doi.as_str()), ("2007", ""));
        let extra: Vec<&str> = paper.extra.keys().map(String::as_str).collect();
        assert_eq!(extra, ["submitter", "versions", "update_date"]);
    }
}
