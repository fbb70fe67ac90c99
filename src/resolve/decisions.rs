//! What people decided about pairs, kept in a file and honoured on the next run.

use std::collections::BTreeMap;
use std::io::Read;

use xxhash_rust::xxh3::xxh3_64;

use super::cluster::Decided;
use crate::corpus::names::Column;
use crate::corpus::{Corpus, Pair, Paper, PaperId};
use crate::methods::records::normal::fold;
use crate::table::delimiter_of;

/// Why a file of decisions could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionsError {
    /// Not a table.
    #[error("decisions file: {0}")]
    Csv(#[from] csv::Error),
    /// A column is missing.
    #[error("decisions file: there is no column {wanted:?}; wanted first_id, second_id, decision; found {found}")]
    Column {
        /// The column.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// A decision that is none.
    #[error("decisions file, line {line}: {found:?} is no decision; wanted same, different, or nothing")]
    Decision {
        /// Line in the file.
        line: u64,
        /// What stands there.
        found: String,
    },
    /// One record stands on both sides.
    #[error("decisions file, line {line}: {id:?} is decided about with itself; wanted two records")]
    Alone {
        /// Line in the file.
        line: u64,
        /// Its id.
        id: String,
    },
    /// One pair is decided in two ways.
    #[error("decisions file, line {line}: {first:?} and {second:?} are decided as same and as different")]
    Contradiction {
        /// Line in the file.
        line: u64,
        /// An id.
        first: String,
        /// The other.
        second: String,
    },
}

/// The decisions of a file, and which of them could not be applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    /// What holds for papers of the corpus.
    pub decided: Decided,
    /// The ids that are not here of decisions whose other record is: an earlier run removed them, or nobody ever had them.
    pub gone: Vec<String>,
    /// The first ids of decisions of which no record is here.
    pub unknown: Vec<String>,
    /// Decisions about an id that another record has now; they are not applied: line, and the id.
    pub mismatched: Vec<(u64, String)>,
    /// Decisions that name records by their place in the input (`record-5`) and say nothing else about them.
    pub unchecked: u64,
}

/// A key of what a record says, whatever its id, source and place: decisions are bound to it.
pub fn content_key(paper: &Paper) -> String {
    use Column::{Abstract, Authors, Doi, Number, Pages, Title, Type, Venue, Volume, Year};
    let mut text = String::new();
    for column in [Title, Authors, Year, Venue, Volume, Number, Pages, Doi, Type, Abstract] {
        text.push_str(paper.value(column).trim());
        text.push('\0');
    }
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// A record as a decision names it.
enum Named {
    Here(Vec<PaperId>),
    /// An id is here, but it is another record's.
    Mismatched,
    Gone,
}

/// The papers of a corpus by id and by content.
struct Names<'c> {
    corpus: &'c Corpus,
    by_id: BTreeMap<&'c str, Vec<PaperId>>,
    by_key: BTreeMap<String, Vec<PaperId>>,
}

impl<'c> Names<'c> {
    fn new(corpus: &'c Corpus, keyed: bool) -> Names<'c> {
        let mut names = Names { corpus, by_id: BTreeMap::new(), by_key: BTreeMap::new() };
        for (place, paper) in corpus.ids().zip(corpus.papers()) {
            names.by_id.entry(&paper.id).or_default().push(place);
            if keyed {
                names.by_key.entry(content_key(paper)).or_default().push(place);
            }
        }
        names
    }

    fn find(&self, id: &str, key: &str, title: &str) -> Named {
        let with_id = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        if let Some(alike) = self.by_key.get(key).filter(|_| !key.is_empty()) {
            let both: Vec<PaperId> = alike.iter().copied().filter(|place| with_id.contains(place)).collect();
            return Named::Here(if both.is_empty() { alike.clone() } else { both });
        }
        if with_id.is_empty() {
            return Named::Gone;
        }
        if key.is_empty() && title.is_empty() {
            return Named::Here(with_id.to_vec());
        }
        // A record whose gaps were filled says more than it did; its title is still the same.
        let title = fold(title);
        let alike = with_id.iter().copied().filter(|place| fold(&self.corpus.paper(*place).title) == title).collect();
        match alike {
            alike if Vec::is_empty(&alike) => Named::Mismatched,
            alike => Named::Here(alike),
        }
    }
}

/// Reads decisions: a CSV file with the columns `first_id`, `second_id` and `decision` (`same`, `different`, `not a
/// duplicate`, or empty for not yet decided); the review list is such a file. Its columns `first_key`, `second_key`,
/// `first_title` and `second_title` bind a decision to what the records say: it holds wherever they stand now, and is not
/// applied to another record that has got the id. Where several papers have an id, the decision holds for all of them
/// that fit.
///
/// # Errors
/// If the file is no table, lacks a column, or decides something else, or one pair in two ways.
pub fn read_decisions(mut input: impl Read, corpus: &Corpus) -> Result<Decisions, DecisionsError> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).map_err(csv::Error::from)?;
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).delimiter(delimiter_of(&bytes)).from_reader(bytes.as_slice());
    let headers = reader.headers()?.clone();
    let optional = |wanted: &str| headers.iter().position(|h| h.trim().eq_ignore_ascii_case(wanted));
    let column = |wanted: &'static str| {
        optional(wanted)
            .ok_or_else(|| DecisionsError::Column { wanted, found: headers.iter().collect::<Vec<_>>().join(", ") })
    };
    let (first, second, decision) = (column("first_id")?, column("second_id")?, column("decision")?);
    let keys = [optional("first_key"), optional("second_key")];
    let titles = [optional("first_title"), optional("second_title")];
    let names = Names::new(corpus, keys.iter().any(Option::is_some));
    let mut found = Decisions::default();
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, |p| p.line());
        let cell = |at: usize| record.get(at).unwrap_or("").trim().to_owned();
        let said = |at: Option<usize>| at.map(cell).unwrap_or_default();
        let same = match cell(decision).to_lowercase().as_str() {
            "" => continue,
            "same" | "duplicate" | "duplicates" | "yes" => true,
            "different" | "not a duplicate" | "not duplicate" | "not duplicates" | "no" => false,
            text => return Err(DecisionsError::Decision { line, found: text.to_owned() }),
        };
        let ids = [cell(first), cell(second)];
        let told = [0, 1].map(|side| (said(keys[side]), said(titles[side])));
        let [x, y] = [0, 1].map(|side| names.find(&ids[side], &told[side].0, &told[side].1));
        let (xs, ys) = match (x, y) {
            (Named::Here(xs), Named::Here(ys)) => (xs, ys),
            (Named::Mismatched, _) => {
                found.mismatched.push((line, ids[0].clone()));
                continue;
            }
            (_, Named::Mismatched) => {
                found.mismatched.push((line, ids[1].clone()));
                continue;
            }
            (Named::Gone, Named::Gone) => {
                found.unknown.push(ids[0].clone());
                continue;
            }
            (Named::Gone, _) => {
                found.gone.push(ids[0].clone());
                continue;
            }
            (_, Named::Gone) => {
                found.gone.push(ids[1].clone());
                continue;
            }
        };
        let by_place = |side: usize| told[side].0.is_empty() && told[side].1.is_empty() && is_place(&ids[side]);
        found.unchecked += u64::from(by_place(0) || by_place(1));
        if xs == ys && xs.len() == 1 {
            return Err(DecisionsError::Alone { line, id: ids[0].clone() });
        }
        let decided = &mut found.decided;
        for &x in &xs {
            for &y in &ys {
                let Some(pair) = Pair::new(x, y) else { continue };
                if same { &mut decided.same } else { &mut decided.different }.insert(pair);
                if decided.same.contains(&pair) && decided.different.contains(&pair) {
                    let [first, second] = ids;
                    return Err(DecisionsError::Contradiction { line, first, second });
                }
            }
        }
    }
    Ok(found)
}

/// Whether an id was made from the place of a record in the input.
fn is_place(id: &str) -> bool {
    id.strip_prefix("record-").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_are_read_and_nonsense_is_named() {
        let corpus =
            Corpus::new(["a", "b", "c", "a"].iter().map(|id| Paper { id: (*id).into(), ..Paper::default() }).collect());
        let text =
            "score,first_id,second_id,decision\n0.4,a,b,same\n0.3,b,c,Not a duplicate\n0.2,c,a,\n0.1,a,gone,same\n";
        let found = read_decisions(text.as_bytes(), &corpus).unwrap();
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        assert_eq!(found.decided.same, [pair(0, 1), pair(1, 3)].into());
        assert_eq!(found.decided.different, [pair(1, 2)].into());
        assert_eq!((found.gone, found.unknown, found.unchecked), (vec!["gone".to_owned()], vec![], 0));
        assert!(read_decisions("first_id,second_id,decision\nb,b,same\n".as_bytes(), &corpus).is_err());
        let spreadsheet = "first_id;second_id;decision\r\na;b;same\r\n";
        assert_eq!(read_decisions(spreadsheet.as_bytes(), &corpus).unwrap().decided.same.len(), 2);
        let wrong = |text: &str| read_decisions(text.as_bytes(), &corpus).unwrap_err().to_string();
        assert!(wrong("first_id,second_id,decision\na,b,perhaps\n").contains("line 2: \"perhaps\""));
        assert!(wrong("first_id,second\na,b\n").contains("\"second_id\""));
        assert!(wrong("first_id,second_id,decision\na,b,same\nb,a,no\n").contains("line 3"));
    }

    #[test]
    fn decisions_follow_the_records_and_not_their_places() {
        let paper = |id: &str, title: &str| Paper { id: id.into(), title: title.into(), ..Paper::default() };
        let titles = ["Salt", "Salty", "Fog", "Fogs"];
        let corpus = |order: [usize; 4]| {
            let papers = order.iter().enumerate();
            Corpus::new(papers.map(|(at, &title)| paper(&format!("record-{}", at + 1), titles[title])).collect())
        };
        let before = corpus([0, 1, 2, 3]);
        let key = |place: usize| content_key(&before.papers()[place]);
        let line = |x: usize, y: usize, decision: &str| {
            format!("record-{},record-{},{decision},{},{},{},{}\n", x + 1, y + 1, key(x), key(y), titles[x], titles[y])
        };
        let head = "first_id,second_id,decision,first_key,second_key,first_title,second_title\n";
        let text = format!("{head}{}{}", line(0, 1, "different"), line(2, 3, "same"));
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        let turned = read_decisions(text.as_bytes(), &corpus([3, 2, 1, 0])).unwrap();
        assert_eq!(turned.decided.different, [pair(2, 3)].into());
        assert_eq!(turned.decided.same, [pair(0, 1)].into());
        // The id is here, the record is not.
        let other = Corpus::new(vec![paper("record-1", "Dew"), paper("record-2", "Salty")]);
        let found = read_decisions(text.as_bytes(), &other).unwrap();
        assert_eq!(found.mismatched, [(2, "record-1".to_owned())]);
        assert_eq!((found.decided, found.unknown.len()), (Decided::default(), 1));
        // By hand, and by place alone.
        let bare = "first_id,second_id,decision\nrecord-1,record-2,same\n";
        assert_eq!(read_decisions(bare.as_bytes(), &before).unwrap().unchecked, 1);
        // A record whose gaps were filled keeps its title.
        let mut filled = before.papers().to_vec();
        filled[0].year = "1999".into();
        let found = read_decisions(text.as_bytes(), &Corpus::new(filled)).unwrap();
        assert_eq!(found.decided.different, [pair(0, 1)].into());
    }
}
