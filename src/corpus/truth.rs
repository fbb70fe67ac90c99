//! Which pairs of a corpus are duplicates.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use super::{Corpus, Pair, PaperId};
use crate::partition::Partition;
use crate::progress::Progress;
use crate::table::delimiter_of;

/// The pairs known to be duplicates, ascending, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    papers: usize,
    pairs: Vec<Pair>,
}

/// Why a file of true pairs could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TruthError {
    /// Not a table.
    #[error("truth file: {0}")]
    Csv(#[from] csv::Error),
    /// An id that the corpus does not have.
    #[error(
        "truth file, line {line}: the corpus has no paper with the id {id:?}; the first two columns must be ids of the corpus, or row numbers from 0"
    )]
    UnknownId {
        /// Line in the file, from 1.
        line: u64,
        /// The id.
        id: String,
    },
    /// An id that several papers have.
    #[error(
        "truth file, line {line}: {count} papers have the id {id:?}; give them different ids, or use row numbers from 0 in every line"
    )]
    AmbiguousId {
        /// Line in the file, from 1.
        line: u64,
        /// The id.
        id: String,
        /// How many have it.
        count: usize,
    },
    /// Fewer than two columns, or a header without them.
    #[error("truth file, line {line}: wanted two columns of ids, found {found}")]
    Columns {
        /// Line in the file, from 1.
        line: u64,
        /// How many columns there are.
        found: usize,
    },
}

impl Truth {
    /// The truth of these pairs among so many papers.
    ///
    /// # Panics
    /// If a pair names a paper that is not below `papers`.
    pub fn from_pairs(papers: usize, pairs: impl IntoIterator<Item = Pair>) -> Truth {
        let mut pairs: Vec<Pair> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert!(pairs.iter().all(|p| p.second().index() < papers), "a pair of papers outside the corpus");
        Truth { papers, pairs }
    }

    /// All pairs within the groups of a partition.
    pub fn from_partition(partition: &Partition) -> Truth {
        let mut pairs = Vec::with_capacity(partition.pair_count() as usize);
        for group in partition.groups() {
            for (place, &x) in group.iter().enumerate() {
                pairs.extend(group[place + 1..].iter().filter_map(|&y| Pair::new(PaperId(x), PaperId(y))));
            }
        }
        Truth::from_pairs(partition.len(), pairs)
    }

    /// How many papers the truth is about.
    pub fn papers(&self) -> usize {
        self.papers
    }

    /// The duplicates, ascending.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Whether this pair is a duplicate.
    pub fn is_duplicate(&self, pair: Pair) -> bool {
        self.pairs.binary_search(&pair).is_ok()
    }

    /// The papers as clusters: whatever is connected by true pairs.
    pub fn clusters(&self) -> Partition {
        Partition::from_pairs(self.papers, self.pairs.iter().map(|p| (p.first().0, p.second().0)))
    }

    /// Reads a CSV file whose first two columns are ids of the corpus, or row numbers from 0 where every value is one and
    /// not every value is an id. The first line is a header unless it names two papers itself. Where a column is called
    /// `label`, lines whose label is `0` or `false` are no duplicates and are left out. A line that names one paper twice
    /// is left out too, and `progress` is told how many there are.
    ///
    /// # Errors
    /// If the file is no table, or names an id that no paper, or more than one paper, has.
    pub fn read_csv(mut input: impl Read, corpus: &Corpus, progress: &dyn Progress) -> Result<Truth, TruthError> {
        let mut bytes = Vec::new();
        input.read_to_end(&mut bytes).map_err(csv::Error::from)?;
        let mut reader = csv::ReaderBuilder::new()
            .flexible(true)
            .has_headers(false)
            .delimiter(delimiter_of(&bytes))
            .from_reader(bytes.as_slice());
        let mut label = None;
        let mut lines = Vec::new();
        for (number, record) in reader.records().enumerate() {
            let record = record?;
            let line = record.position().map_or(0, |p| p.line());
            if number == 0 && !(record.len() >= 2 && corpus.names_both(&record[0], &record[1])) {
                if record.len() < 2 {
                    return Err(TruthError::Columns { line, found: record.len() });
                }
                label = record.iter().position(|h| h == "label");
                continue;
            }
            if record.len() < 2 {
                return Err(TruthError::Columns { line, found: record.len() });
            }
            let denied = label
                .and_then(|c| record.get(c))
                .is_some_and(|l| matches!(l.trim(), "0" | "false" | "FALSE" | "False"));
            if !denied {
                lines.push((line, record[0].to_owned(), record[1].to_owned()));
            }
        }
        let resolved = corpus.resolve_ids(&lines)?;
        let pairs: Vec<Pair> = resolved.iter().filter_map(|&(x, y)| Pair::new(x, y)).collect();
        if pairs.len() < resolved.len() {
            let alone = resolved.len() - pairs.len();
            progress.warn(&format!("truth file: {alone} lines name one paper twice; they are left out"));
        }
        Ok(Truth::from_pairs(corpus.len(), pairs))
    }

    /// Writes the pairs as CSV: `first_id, second_id`; where an id of a paper in a pair is not unique in the corpus, all
    /// lines hold row numbers from 0 instead (`first, second`), so that [`Truth::read_csv`] finds the same pairs again.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_csv(&self, corpus: &Corpus, out: impl Write) -> Result<(), csv::Error> {
        let mut count: BTreeMap<&str, u32> = BTreeMap::new();
        for paper in corpus.papers() {
            *count.entry(&paper.id).or_insert(0) += 1;
        }
        let id = |paper: PaperId| corpus.paper(paper).id.as_str();
        let by_id = self.pairs.iter().all(|p| count[id(p.first())] == 1 && count[id(p.second())] == 1);
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(if by_id { ["first_id", "second_id"] } else { ["first", "second"] })?;
        for pair in &self.pairs {
            if by_id {
                writer.write_record([id(pair.first()), id(pair.second())])?;
            } else {
                writer.write_record([pair.first().0.to_string(), pair.second().0.to_string()])?;
            }
        }
        writer.flush()?;
        Ok(())
    }
}

impl Corpus {
    /// Whether two texts can both be papers of this corpus: ids, or row numbers from 0.
    pub fn names_both(&self, first: &str, second: &str) -> bool {
        let known = |wanted: &str| self.papers().iter().any(|paper| paper.id == wanted);
        let row = |text: &str| text.parse::<u32>().is_ok_and(|n| (n as usize) < self.len());
        known(first) && known(second) || row(first) && row(second)
    }

    /// The papers that lines of two ids name, `(line, first, second)`: by id where each value is the id of exactly one
    /// paper, else by row number from 0 where every value is one.
    ///
    /// # Errors
    /// If an id is unknown or ambiguous.
    pub fn resolve_ids(&self, lines: &[(u64, String, String)]) -> Result<Vec<(PaperId, PaperId)>, TruthError> {
        let mut by_id: BTreeMap<&str, (PaperId, usize)> = BTreeMap::new();
        for (place, paper) in self.ids().zip(self.papers()) {
            by_id.entry(&paper.id).or_insert((place, 0)).1 += 1;
        }
        let find = |line: u64, id: &str| match by_id.get(id) {
            Some(&(place, 1)) => Ok(place),
            Some(&(_, count)) => Err(TruthError::AmbiguousId { line, id: id.to_owned(), count }),
            None => Err(TruthError::UnknownId { line, id: id.to_owned() }),
        };
        let by_name: Result<Vec<_>, _> =
            lines.iter().map(|(line, x, y)| Ok((find(*line, x)?, find(*line, y)?))).collect();
        let row = |text: &str| text.parse::<u32>().ok().filter(|&n| (n as usize) < self.len()).map(PaperId);
        by_name.or_else(|error| {
            let numbers = lines.iter().filter(|(_, x, y)| row(x).is_some() && row(y).is_some()).count();
            let rows = lines.iter().map(|(line, x, y)| {
                let of =
                    |text: &str| row(text).ok_or_else(|| TruthError::UnknownId { line: *line, id: text.to_owned() });
                Ok((of(x)?, of(y)?))
            });
            // Where most lines are numbers of rows, the one that is none is what is wrong.
            rows.collect::<Result<_, TruthError>>()
                .map_err(|wrong| if numbers * 2 > lines.len() { wrong } else { error })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Paper;
    use crate::progress::Silent;

    fn corpus(ids: &[&str]) -> Corpus {
        Corpus::new(ids.iter().map(|id| Paper { id: (*id).into(), ..Paper::default() }).collect())
    }

    #[test]
    fn pairs_are_read_by_id_or_by_row_number() {
        let corpus = corpus(&["a", "b", "c"]);
        let truth = Truth::read_csv("id_a,id_b,label\nc,a,1\nb,a,0\na,a,1\n".as_bytes(), &corpus, &Silent).unwrap();
        assert_eq!(truth.pairs(), [Pair::new(PaperId(0), PaperId(2)).unwrap()]);
        let bare = Truth::read_csv("c,a\na,b\n".as_bytes(), &corpus, &Silent).unwrap();
        assert_eq!(bare.pairs().len(), 2, "a first line that names two papers is no header");
        let bare = Truth::read_csv("0,1\n2,1\n".as_bytes(), &corpus, &Silent).unwrap();
        assert_eq!(bare.pairs().len(), 2);
        let error = Truth::read_csv("first,second\n0,1\n2,9\n0,2\n".as_bytes(), &corpus, &Silent).unwrap_err();
        assert!(error.to_string().contains("line 3") && error.to_string().contains("\"9\""), "{error}");
        let rows = Truth::read_csv("first,second\n2,0\n".as_bytes(), &corpus, &Silent).unwrap();
        assert_eq!(rows, truth);
        let error = Truth::read_csv("x,y\na,zz\n".as_bytes(), &corpus, &Silent).unwrap_err();
        assert!(error.to_string().contains("line 2") && error.to_string().contains("\"zz\""), "{error}");
    }

    #[test]
    fn an_id_that_two_papers_have_is_an_error() {
        let error = Truth::read_csv("x,y\na,b\n".as_bytes(), &corpus(&["a", "b", "a"]), &Silent).unwrap_err();
        assert!(error.to_string().contains("2 papers have the id \"a\""), "{error}");
    }

    #[test]
    fn what_is_written_is_read_back_also_with_ids_that_are_not_unique() {
        for ids in [["a", "b", "c"], ["a", "b", "a"], ["0", "0", "1"]] {
            let corpus = corpus(&ids);
            let truth = Truth::from_pairs(3, Pair::new(PaperId(0), PaperId(2)));
            let mut bytes = Vec::new();
            truth.write_csv(&corpus, &mut bytes).unwrap();
            assert_eq!(Truth::read_csv(bytes.as_slice(), &corpus, &Silent).unwrap(), truth, "{ids:?}");
        }
    }

    #[test]
    fn a_cluster_of_three_has_three_pairs() {
        let truth = Truth::from_partition(&Partition::from_labels(&[0, 1, 0, 0, 2]));
        assert_eq!(truth.pairs().len(), 3);
        assert!(truth.is_duplicate(Pair::new(PaperId(3), PaperId(2)).unwrap()));
        assert!(!truth.is_duplicate(Pair::new(PaperId(0), PaperId(1)).unwrap()));
        assert_eq!(truth.clusters().sizes(), [3, 1, 1]);
    }
}
