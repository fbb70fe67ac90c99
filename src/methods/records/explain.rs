//! The evidence of a pair, field by field, for people.

use super::compare::{Agreement, Comparison, TitleLevel};
use super::decide::Decision;
use super::normal::{Name, Record};
use super::{RecordMatcher, Relation};
use crate::corpus::Pair;

/// What one field says about two records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldEvidence {
    /// The field.
    pub field: &'static str,
    /// The first record's value in its normal form; empty where it is missing.
    pub first: String,
    /// The second record's.
    pub second: String,
    /// `same`, `close`, `contained`, `similar`, `compatible`, `different`, `N apart` or `missing`.
    pub says: String,
}

/// The evidence of a pair field by field, in the order title, authors, year, venue, volume, number, pages, doi,
/// identifiers, abstract. The decision itself is [`RecordMatcher::decide`].
pub fn explain(matcher: &RecordMatcher, pair: Pair) -> Vec<FieldEvidence> {
    let (a, b) = (matcher.record(pair.first()), matcher.record(pair.second()));
    let comparison = matcher.compare(pair);
    let says = says(&comparison);
    let values = |record: &Record| -> Vec<String> {
        let person = |name: &Name| format!("{} {}", name.surname, name.given).trim().to_owned();
        let identifiers = [
            record.pmid.map(|id| format!("pmid {id}")),
            record.pmcid.map(|id| format!("pmc {id}")),
            record.arxiv.as_ref().map(|id| format!("arxiv {id}")),
        ];
        vec![
            record.title.words.to_string(),
            record.names.list.iter().map(person).collect::<Vec<_>>().join("; "),
            record.year.map_or_else(String::new, |year| year.to_string()),
            record.venue.words.to_string(),
            record.volume.to_string(),
            record.number.to_string(),
            record.pages.as_ref().map_or_else(String::new, ToString::to_string),
            record.doi.as_deref().unwrap_or("").to_owned(),
            identifiers.into_iter().flatten().collect::<Vec<_>>().join("; "),
            if record.sketch.is_empty() {
                String::new()
            } else {
                format!("{} hashes of word triples", record.sketch.len())
            },
        ]
    };
    says.into_iter()
        .zip(values(a).into_iter().zip(values(b)))
        .map(|((field, says), (first, second))| FieldEvidence { field, first, second, says })
        .collect()
}

fn says(c: &Comparison) -> Vec<(&'static str, String)> {
    let agreement = |agreement: Agreement| {
        match agreement {
            Agreement::Missing => "missing",
            Agreement::Same => "same",
            Agreement::Compatible => "compatible",
            Agreement::Different => "different",
        }
        .to_owned()
    };
    let title = match c.title.level {
        TitleLevel::Missing => "missing",
        TitleLevel::Same => "same",
        TitleLevel::Close => "close",
        TitleLevel::Contained => "contained",
        TitleLevel::Similar => "similar",
        TitleLevel::Different => "different",
    };
    let year = match c.years {
        None => "missing".to_owned(),
        Some(0) => "same".to_owned(),
        Some(years) => format!("{years} apart"),
    };
    let abstracts = match c.abstracts {
        None => "missing".to_owned(),
        Some(share) => format!("{:.0} % in common", share * 100.0),
    };
    vec![
        ("title", title.to_owned()),
        ("authors", agreement(c.names.agreement)),
        ("year", year),
        ("venue", agreement(c.venue)),
        ("volume", agreement(c.volume)),
        ("number", agreement(c.number)),
        ("pages", agreement(c.pages)),
        ("doi", agreement(c.doi)),
        ("identifiers", agreement(c.identifiers)),
        ("abstract", abstracts),
    ]
}

/// The evidence in one line, without what is missing: `title same; authors same; year 1 apart; conference and journal`.
pub fn evidence_line(comparison: &Comparison, decision: &Decision) -> String {
    let mut parts: Vec<String> = says(comparison)
        .into_iter()
        .filter(|(_, says)| says != "missing")
        .map(|(field, says)| format!("{field} {says}"))
        .collect();
    if let Some(veto) = decision.veto {
        parts.push(veto.reason().to_owned());
    }
    parts.extend(decision.relation.map(|relation| relation.name().to_owned()));
    parts.join("; ")
}

impl Relation {
    /// The relation as reports write it.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Version => "preprint and article",
            Relation::Extended => "conference paper and journal paper",
            Relation::Notice => "notice about the paper",
        }
    }
}
