//! Articles and their instants: what the source says, what was taken for it, and what is missing.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

use crate::corpus::{Corpus, Paper};
use crate::error::Place;
use crate::graph::natural_order;

/// One article. An empty text is unknown and equal to nothing; so is a missing instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Article {
    /// The source's identifier; unique among [`Articles`].
    pub id: String,
    /// The headline.
    pub title: String,
    /// The text.
    pub body: String,
    /// The outlet.
    pub source: String,
    /// The address.
    pub url: String,
    /// When it was published.
    pub published: Option<Timestamp>,
    /// The language as the source writes it.
    pub language: String,
    /// The story that it is known to belong to, for evaluation; never read by anything that groups.
    pub story: String,
    /// Where it was read.
    pub place: Place,
}

/// How much of an instant the source gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// An instant: a time with its zone, or seconds since 1970.
    Instant,
    /// A date and a time without a zone, taken as UTC.
    Naive,
    /// A date, taken as noon UTC.
    Day,
}

/// Reads an instant in the forms that feeds and archives use.
///
/// A time with an offset or a zone (RFC 3339, RFC 9557, RFC 2822), seconds or milliseconds since 1970 (9 to 11 and 12 to 14 digits), a
/// date and a time without a zone (UTC), a date (noon UTC; also `20240501`, `1 May 2024`, `May 1, 2024`, `2024/05/01`). `01/02/2024` is refused: it
/// is January in one country and February in another. So are years before 1500, which stand for "unknown". `Ok(None)` is
/// an empty text.
///
/// # Errors
/// With the reason why the text is no instant.
pub fn instant(text: &str) -> Result<Option<(Timestamp, Precision)>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let found =
        read_instant(text).ok_or_else(|| format!("{text:?} is no date; wanted one such as 2024-05-01T08:00:00Z"))?;
    let year = found.0.to_zoned(TimeZone::UTC).year();
    if year < 1500 {
        return Err(format!("{text:?} is in the year {year}, which is no date of an article"));
    }
    Ok(Some(found))
}

fn read_instant(text: &str) -> Option<(Timestamp, Precision)> {
    let exact = |instant| Some((instant, Precision::Instant));
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        let whole = text.split('.').next().unwrap_or_default();
        return match (whole.len(), whole.parse::<i64>().ok()?) {
            (8, _) => noon(text.parse().ok()?),
            (9..=11, seconds) => exact(Timestamp::from_second(seconds).ok()?),
            (12..=14, millis) => exact(Timestamp::from_millisecond(millis).ok()?),
            _ => None,
        };
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return exact(instant);
    }
    if let Ok(zoned) = text.parse::<jiff::Zoned>() {
        return exact(zoned.timestamp());
    }
    if let Ok(zoned) = jiff::fmt::rfc2822::parse(text) {
        return exact(zoned.timestamp());
    }
    if !text.contains(':') {
        if let Ok(date) = text.parse::<Date>() {
            return noon(date);
        }
        return ["%Y/%m/%d", "%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d.%m.%Y"]
            .iter()
            .find_map(|form| Date::strptime(form, text).ok())
            .and_then(noon);
    }
    if let Ok(time) = text.parse::<DateTime>() {
        return naive(time);
    }
    ["%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%d-%b-%Y %H:%M:%S%.f", "%d %b %Y %H:%M:%S", "%Y-%m-%d %H:%M"]
        .iter()
        .find_map(|form| DateTime::strptime(form, text).ok())
        .and_then(naive)
}

fn noon(date: Date) -> Option<(Timestamp, Precision)> {
    Some((date.at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?.timestamp(), Precision::Day))
}

fn naive(time: DateTime) -> Option<(Timestamp, Precision)> {
    Some((time.to_zoned(TimeZone::UTC).ok()?.timestamp(), Precision::Naive))
}

/// What was noticed while articles were made of records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Records given.
    pub records: usize,
    /// Records left out because an earlier one has the same id: the id, and whether the texts are the same too.
    pub repeated: Vec<(String, bool)>,
    /// Articles with a date without a time, taken as noon UTC.
    pub days: usize,
    /// Articles with a time without a zone, taken as UTC.
    pub naive: usize,
    /// Ids of articles without a date.
    pub undated: Vec<String>,
    /// Articles whose date could not be read (they are undated too): id, place, reason.
    pub broken: Vec<(String, Place, String)>,
    /// Ids of articles without an outlet.
    pub unsourced: Vec<String>,
    /// Ids of articles with neither title nor body.
    pub empty: Vec<String>,
}

/// Articles with different ids, in the natural order of their ids: whole numbers by value, then names.
///
/// So nothing that is made of them depends on the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Articles {
    articles: Vec<Article>,
    notes: Notes,
}

impl Articles {
    /// The articles of these records. Of several records with one id the first in the corpus is taken. Where there is no
    /// body, the abstract stands for it. `label` is the extra value that holds the known story, if any.
    pub fn of(corpus: Corpus, label: Option<&str>) -> Articles {
        let mut notes = Notes { records: corpus.len(), ..Notes::default() };
        let mut found: BTreeMap<String, Article> = BTreeMap::new();
        for paper in corpus.into_papers() {
            let (article, date) = article(paper, label);
            if let Some(first) = found.get(&article.id) {
                let same = (&first.title, &first.body) == (&article.title, &article.body);
                notes.repeated.push((article.id, same));
                continue;
            }
            match date {
                Ok(Some(Precision::Instant)) => {}
                Ok(Some(Precision::Naive)) => notes.naive += 1,
                Ok(Some(Precision::Day)) => notes.days += 1,
                Ok(None) => {}
                Err(reason) => notes.broken.push((article.id.clone(), article.place.clone(), reason)),
            }
            found.insert(article.id.clone(), article);
        }
        Articles::sorted(found.into_values().collect(), notes)
    }

    /// These articles.
    ///
    /// # Panics
    /// If two have one id.
    pub fn from_articles(articles: Vec<Article>) -> Articles {
        let notes = Notes { records: articles.len(), ..Notes::default() };
        let articles = Articles::sorted(articles, notes);
        assert!(articles.articles.windows(2).all(|w| w[0].id != w[1].id), "two articles with one id");
        articles
    }

    fn sorted(mut articles: Vec<Article>, mut notes: Notes) -> Articles {
        articles.sort_by(|a, b| natural_order(&a.id, &b.id));
        let ids = |wanted: &dyn Fn(&Article) -> bool| -> Vec<String> {
            articles.iter().filter(|a| wanted(a)).map(|a| a.id.clone()).collect()
        };
        notes.undated = ids(&|a| a.published.is_none());
        notes.unsourced = ids(&|a| a.source.is_empty());
        notes.empty = ids(&|a| a.title.is_empty() && a.body.is_empty());
        notes.broken.sort_by(|a, b| natural_order(&a.0, &b.0));
        Articles { articles, notes }
    }

    /// The articles.
    pub fn as_slice(&self) -> &[Article] {
        &self.articles
    }

    /// The articles as papers in the same order, for methods that compare papers.
    pub fn corpus(&self) -> Corpus {
        let paper = |a: &Article| Paper {
            id: a.id.clone(),
            title: a.title.clone(),
            body: a.body.clone(),
            source: a.source.clone(),
            language: a.language.clone(),
            ..Paper::default()
        };
        Corpus::new(self.articles.iter().map(paper).collect())
    }

    /// What was noticed.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.articles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.articles.is_empty()
    }
}

impl Notes {
    /// One line for each thing that a person should know; ids are cut to the first few.
    pub fn lines(&self) -> Vec<String> {
        let few = |ids: &[String]| {
            let shown = ids.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
            if ids.len() > 5 { format!("{shown}, ...") } else { shown }
        };
        let mut lines = Vec::new();
        for (id, place, reason) in self.broken.iter().take(20) {
            lines.push(format!("{place}: article {id}: {reason}; it counts as undated"));
        }
        if self.broken.len() > 20 {
            lines.push(format!("{} more dates could not be read", self.broken.len() - 20));
        }
        let changed: Vec<String> = self.repeated.iter().filter(|r| !r.1).map(|r| r.0.clone()).collect();
        if !changed.is_empty() {
            lines.push(format!(
                "{} records have the id of an earlier one and another text; the first is kept: {}",
                changed.len(),
                few(&changed)
            ));
        }
        if self.days > 0 {
            lines.push(format!("{} dates without a time are taken as noon UTC", self.days));
        }
        if self.naive > 0 {
            lines.push(format!("{} times without a zone are taken as UTC", self.naive));
        }
        if !self.undated.is_empty() {
            lines.push(format!("{} articles have no date: {}", self.undated.len(), few(&self.undated)));
        }
        if !self.unsourced.is_empty() {
            lines.push(format!("{} articles have no outlet: {}", self.unsourced.len(), few(&self.unsourced)));
        }
        if !self.empty.is_empty() {
            lines.push(format!("{} articles have no text: {}", self.empty.len(), few(&self.empty)));
        }
        lines
    }
}

fn article(mut paper: Paper, label: Option<&str>) -> (Article, Result<Option<Precision>, String>) {
    let found = instant(&paper.published);
    let body = if paper.body.trim().is_empty() { &mut paper.abstract_text } else { &mut paper.body };
    let story = label.and_then(|name| paper.extra.get(name)).map_or(String::new(), |value| match value {
        serde_json::Value::String(text) => text.trim().to_owned(),
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    });
    let article = Article {
        id: paper.id,
        title: paper.title.trim().to_owned(),
        body: body.trim().to_owned(),
        source: paper.source.trim().to_owned(),
        url: paper.url.trim().to_owned(),
        published: found.as_ref().ok().and_then(|f| f.map(|f| f.0)),
        language: paper.language.trim().to_owned(),
        story,
        place: paper.place,
    };
    (article, found.map(|f| f.map(|f| f.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> (String, Precision) {
        let (instant, precision) = instant(text).unwrap().unwrap();
        (instant.to_string(), precision)
    }

    #[test]
    fn o_101_offsets_are_kept() {
        assert_eq!(at("2024-03-01T01:10:00+03:00"), ("2024-02-29T22:10:00Z".into(), Precision::Instant));
        assert_eq!(at("2024-03-05T17:10:00-05:00").0, "2024-03-05T22:10:00Z");
        assert_eq!(at("2024-07-01T12:00:00+02:00[Europe/Berlin]").0, "2024-07-01T10:00:00Z");
        assert_eq!(at("Wed, 01 May 2024 08:00:00 +0200").0, "2024-05-01T06:00:00Z");
        assert_eq!(at("Wed, 01 May 2024 08:00:00 GMT").0, "2024-05-01T08:00:00Z");
    }

    #[test]
    fn o_102_naive_broken_and_missing_dates() {
        assert_eq!(at("2024-05-01 08:00:00"), ("2024-05-01T08:00:00Z".into(), Precision::Naive));
        assert_eq!(at("2024-05-01T08:00"), ("2024-05-01T08:00:00Z".into(), Precision::Naive));
        assert_eq!(at("2024-05-01"), ("2024-05-01T12:00:00Z".into(), Precision::Day));
        assert_eq!(at("1714550400"), ("2024-05-01T08:00:00Z".into(), Precision::Instant));
        assert_eq!(at("1714550400000").0, "2024-05-01T08:00:00Z");
        for day in ["20240501", "1 May 2024", "May 1, 2024", "2024/05/01", "01-May-2024"] {
            assert_eq!(at(day), ("2024-05-01T12:00:00Z".into(), Precision::Day), "{day}");
        }
        for broken in ["yesterday", "0000-00-00", "01/02/2024", "2024-13-01", "2024-05", "12", "0001-01-01T00:00:00Z"] {
            assert!(instant(broken).is_err(), "{broken}");
        }
        assert_eq!(instant("  "), Ok(None));
    }

    fn record(id: &str, body: &str, published: &str) -> Paper {
        Paper { id: id.into(), body: body.into(), published: published.into(), ..Paper::default() }
    }

    #[test]
    fn repeated_ids_and_gaps_are_named() {
        let records = vec![
            record("10", "fog", "2024-05-01"),
            record("9", "fog", "yesterday"),
            record("b", "", ""),
            record("9", "other", "2024-05-01"),
            record("10", "fog", ""),
        ];
        let articles = Articles::of(Corpus::new(records), None);
        let ids: Vec<&str> = articles.as_slice().iter().map(|a| a.id.as_str()).collect();
        assert_eq!(ids, ["9", "10", "b"]);
        let notes = articles.notes();
        assert_eq!((notes.records, notes.days, notes.naive), (5, 1, 0));
        assert_eq!(notes.repeated, [("9".to_owned(), false), ("10".to_owned(), true)]);
        assert_eq!(
            (notes.undated.as_slice(), notes.empty.as_slice()),
            (&["9".into(), "b".into()][..], &["b".into()][..])
        );
        let lines = notes.lines().join("\n");
        assert!(lines.contains("article 9: \"yesterday\" is no date"), "{lines}");
        assert!(lines.contains("1 dates without a time are taken as noon UTC"), "{lines}");
        assert!(lines.contains("1 records have the id of an earlier one and another text"), "{lines}");
    }
}
