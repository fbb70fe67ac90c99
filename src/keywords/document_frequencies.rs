//! In how many papers each word stands.

use std::io::{Read, Write};

use rustc_hash::FxHashMap;

use crate::text::Tokens;

/// How many papers a corpus has, and in how many of them each word stands. It can be saved and used on another corpus:
/// new papers are then weighed as the old ones were.
///
/// **A word that is not in the table** is weighed as if the paper at hand had been added to it: one paper of N + 1. So
/// it weighs a little more than any word of the table, and neither nothing nor infinitely much.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentFrequencies {
    papers: u64,
    total: u64,
    /// Ascending.
    words: Vec<String>,
    counts: Vec<WordCount>,
}

/// Where a word stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordCount {
    /// In so many papers; at least 1.
    pub papers: u64,
    /// So often in all of them together; 0 where the table does not say.
    pub occurrences: u64,
}

/// Why a saved table could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// Not a table.
    #[error("document frequencies: {0}")]
    Csv(#[from] csv::Error),
    /// A line that does not fit.
    #[error("document frequencies, line {line}: {reason}")]
    Line {
        /// Line in the file, from 1.
        line: u64,
        /// What was found and what was wanted.
        reason: String,
    },
}

impl DocumentFrequencies {
    /// Counts the words of a corpus. Papers without words count too.
    pub fn of(tokens: &Tokens) -> DocumentFrequencies {
        let mut counts = vec![WordCount::default(); tokens.words().len()];
        let mut seen = vec![u32::MAX; tokens.words().len()];
        for paper in (0..tokens.papers() as u32).map(crate::corpus::PaperId) {
            for &word in tokens.of(paper) {
                let count = &mut counts[word as usize];
                count.occurrences += 1;
                if seen[word as usize] != paper.0 {
                    seen[word as usize] = paper.0;
                    count.papers += 1;
                }
            }
        }
        let mut order: Vec<u32> = (0..counts.len() as u32).collect();
        order.sort_unstable_by(|&x, &y| tokens.word(x).cmp(tokens.word(y)));
        DocumentFrequencies {
            papers: tokens.papers() as u64,
            total: tokens.total() as u64,
            words: order.iter().map(|&word| tokens.word(word).to_owned()).collect(),
            counts: order.iter().map(|&word| counts[word as usize]).collect(),
        }
    }

    /// N: how many papers were counted.
    pub fn papers(&self) -> u64 {
        self.papers
    }

    /// How many words all papers have together; 0 where the table does not say.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The distinct words, ascending.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Where a word stands; `None` for a word that is not in the table.
    pub fn count(&self, word: &str) -> Option<WordCount> {
        let place = self.words.binary_search_by(|known| known.as_str().cmp(word)).ok()?;
        Some(self.counts[place])
    }

    /// The counts of all words of a corpus, by their numbers there.
    pub fn aligned(&self, tokens: &Tokens) -> Vec<Option<WordCount>> {
        let places: FxHashMap<&str, usize> = self.words.iter().enumerate().map(|(at, w)| (w.as_str(), at)).collect();
        tokens.words().iter().map(|word| places.get(word.as_str()).map(|&at| self.counts[at])).collect()
    }

    /// Writes the table as CSV: `word, papers, occurrences`, words ascending; the first line, whose word is empty, holds
    /// the number of papers and of all words.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write_csv(&self, out: impl Write) -> Result<(), csv::Error> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(["word", "papers", "occurrences"])?;
        writer.write_record(["", &self.papers.to_string(), &self.total.to_string()])?;
        for (word, count) in self.words.iter().zip(&self.counts) {
            writer.write_record([word, &count.papers.to_string(), &count.occurrences.to_string()])?;
        }
        writer.flush()?;
        Ok(())
    }

    /// Reads what [`DocumentFrequencies::write_csv`] wrote. The column `occurrences` may be missing, and the order of
    /// the words is free.
    ///
    /// # Errors
    /// If the file is no table, a number is none, a word stands twice or in more papers than there are.
    pub fn read_csv(input: impl Read) -> Result<DocumentFrequencies, TableError> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(input);
        let header = reader.headers()?.clone();
        let wanted = |reason: String| TableError::Line { line: 1, reason };
        let column = |name: &str| header.iter().position(|found| found == name);
        let (Some(word), Some(papers)) = (column("word"), column("papers")) else {
            let found = header.iter().collect::<Vec<_>>().join(", ");
            return Err(wanted(format!("the columns are {found}; wanted word, papers and, where known, occurrences")));
        };
        let occurrences = column("occurrences");
        let mut whole = None;
        let mut rows: Vec<(String, WordCount, u64)> = Vec::new();
        for record in reader.records() {
            let record = record?;
            let line = record.position().map_or(0, csv::Position::line);
            let number = |column: usize| {
                let text = record.get(column).unwrap_or("").trim();
                text.parse::<u64>().map_err(|_| TableError::Line {
                    line,
                    reason: format!("{text:?} is no count; wanted a whole number"),
                })
            };
            let count = WordCount {
                papers: number(papers)?,
                occurrences: occurrences.map(number).transpose()?.unwrap_or_default(),
            };
            match record.get(word).unwrap_or("") {
                "" => whole = Some(count),
                word => rows.push((word.to_owned(), count, line)),
            }
        }
        let Some(whole) = whole else {
            return Err(wanted("no line has an empty word; that line must hold the number of papers".into()));
        };
        rows.sort_by(|x, y| x.0.cmp(&y.0));
        for (at, (word, count, line)) in rows.iter().enumerate() {
            let reason = if at > 0 && rows[at - 1].0 == *word {
                format!("the word {word:?} stands twice")
            } else if count.papers == 0 || count.papers > whole.papers {
                format!(
                    "{word:?} stands in {} of {} papers; wanted at least 1 and at most all",
                    count.papers, whole.papers
                )
            } else {
                continue;
            };
            return Err(TableError::Line { line: *line, reason });
        }
        Ok(DocumentFrequencies {
            papers: whole.papers,
            total: whole.occurrences,
            counts: rows.iter().map(|row| row.1).collect(),
            words: rows.into_iter().map(|row| row.0).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_and_occurrences_are_counted_saved_and_read_back() {
        let tokens = Tokens::from_texts([vec!["fog", "horn", "fog"], vec!["fog"], vec![]]);
        let table = DocumentFrequencies::of(&tokens);
        assert_eq!((table.papers(), table.total()), (3, 4));
        assert_eq!(table.count("fog"), Some(WordCount { papers: 2, occurrences: 3 }));
        assert_eq!(table.count("lamp"), None);
        let mut file = Vec::new();
        table.write_csv(&mut file).unwrap();
        assert_eq!(String::from_utf8_lossy(&file), "word,papers,occurrences\n,3,4\nfog,2,3\nhorn,1,1\n");
        assert_eq!(DocumentFrequencies::read_csv(&file[..]).unwrap(), table);
        let other = Tokens::from_texts([["lamp", "fog"]]);
        assert_eq!(table.aligned(&other), [None, table.count("fog")]);
    }

    #[test]
    fn a_table_that_cannot_be_is_named_by_line() {
        let error = |text: &str| DocumentFrequencies::read_csv(text.as_bytes()).unwrap_err().to_string();
        assert!(error("word,papers\n,4\nfog,5\n").contains("line 3: \"fog\" stands in 5 of 4 papers"));
        assert!(error("word,papers\n,4\nfog,1\nfog,2\n").contains("line 4: the word \"fog\" stands twice"));
        assert!(error("word,papers\nfog,1\n").contains("no line has an empty word"));
        assert!(error("word,papers\n,x\n").contains("line 2: \"x\" is no count"));
        assert!(error("term,df\n,1\n").contains("the columns are term, df"));
        let least = DocumentFrequencies::read_csv("papers,word\n4,\n2,horn\n4,fog\n".as_bytes()).unwrap();
        assert_eq!(least.count("horn"), Some(WordCount { papers: 2, occurrences: 0 }));
    }
}
