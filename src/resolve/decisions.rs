//! What people decided about pairs, kept in a file and honoured on the next run.

use std::collections::BTreeMap;
use std::io::Read;

use super::cluster::Decided;
use crate::corpus::{Corpus, Pair, PaperId};

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

/// Reads decisions: a CSV file with the columns `first_id`, `second_id` and `decision` (`same`, `different`, `not a
/// duplicate`, or empty for not yet decided); the review list is such a file. Where several papers have an id, the
/// decision holds for all of them. Decisions about ids that the corpus does not have (removed by an earlier run, say) are
/// counted and left out.
///
/// # Errors
/// If the file is no table, lacks a column, or decides something else, or one pair in two ways.
pub fn read_decisions(input: impl Read, corpus: &Corpus) -> Result<(Decided, u64), DecisionsError> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(input);
    let headers = reader.headers()?.clone();
    let column = |wanted: &'static str| {
        headers
            .iter()
            .position(|h| h.trim().eq_ignore_ascii_case(wanted))
            .ok_or_else(|| DecisionsError::Column { wanted, found: headers.iter().collect::<Vec<_>>().join(", ") })
    };
    let (first, second, decision) = (column("first_id")?, column("second_id")?, column("decision")?);
    let mut places: BTreeMap<&str, Vec<PaperId>> = BTreeMap::new();
    for (place, paper) in corpus.ids().zip(corpus.papers()) {
        places.entry(&paper.id).or_default().push(place);
    }
    let mut decided = Decided::default();
    let mut unknown = 0;
    for record in reader.records() {
        let record = record?;
        let line = record.position().map_or(0, |p| p.line());
        let cell = |at: usize| record.get(at).unwrap_or("").trim().to_owned();
        let same = match cell(decision).to_lowercase().as_str() {
            "" => continue,
            "same" | "duplicate" | "duplicates" | "yes" => true,
            "different" | "not a duplicate" | "not duplicate" | "not duplicates" | "no" => false,
            found => return Err(DecisionsError::Decision { line, found: found.to_owned() }),
        };
        let (a, b) = (cell(first), cell(second));
        let (Some(xs), Some(ys)) = (places.get(&*a), places.get(&*b)) else {
            unknown += 1;
            continue;
        };
        for &x in xs {
            for &y in ys {
                let Some(pair) = Pair::new(x, y) else { continue };
                if same { &mut decided.same } else { &mut decided.different }.insert(pair);
                if decided.same.contains(&pair) && decided.different.contains(&pair) {
                    return Err(DecisionsError::Contradiction { line, first: a, second: b });
                }
            }
        }
    }
    Ok((decided, unknown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Paper;

    #[test]
    fn decisions_are_read_and_nonsense_is_named() {
        let corpus =
            Corpus::new(["a", "b", "c", "a"].iter().map(|id| Paper { id: (*id).into(), ..Paper::default() }).collect());
        let text =
            "score,first_id,second_id,decision\n0.4,a,b,same\n0.3,b,c,Not a duplicate\n0.2,c,a,\n0.1,a,gone,same\n";
        let (decided, unknown) = read_decisions(text.as_bytes(), &corpus).unwrap();
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        assert_eq!(decided.same, [pair(0, 1), pair(1, 3)].into());
        assert_eq!(decided.different, [pair(1, 2)].into());
        assert_eq!(unknown, 1);
        let wrong = |text: &str| read_decisions(text.as_bytes(), &corpus).unwrap_err().to_string();
        assert!(wrong("first_id,second_id,decision\na,b,perhaps\n").contains("line 2: \"perhaps\""));
        assert!(wrong("first_id,second\na,b\n").contains("\"second_id\""));
        assert!(wrong("first_id,second_id,decision\na,b,same\nb,a,no\n").contains("line 3"));
    }
}
