//! Columns whose values say nothing: a running counter where an issue number should be.

use std::collections::BTreeMap;

use super::normal::Record;
use crate::corpus::Paper;

/// A field that can hold junk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum JunkField {
    /// The volume.
    Volume,
    /// The issue.
    Number,
    /// The pages.
    Pages,
}

/// A field of one file and source whose values are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Junk {
    /// The field.
    pub field: JunkField,
    /// The file.
    pub file: String,
    /// The source that the records name; empty where they name none.
    pub source: String,
    /// How many records have a value there.
    pub records: usize,
}

/// A column shorter than this is never judged.
const LEAST: usize = 20;

/// Finds fields that hold a running counter (whole numbers, hardly one twice, ascending in the order of the file), clears
/// them in the records and says which they were. A file's sources are judged one by one.
pub(super) fn clear(papers: &[Paper], records: &mut [Record]) -> Vec<Junk> {
    let mut columns: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (place, paper) in papers.iter().enumerate() {
        columns.entry((&paper.place.file, &paper.source)).or_default().push(place);
    }
    let mut junk = Vec::new();
    for ((file, source), places) in columns {
        if places.len() < LEAST {
            continue;
        }
        for field in [JunkField::Volume, JunkField::Number, JunkField::Pages] {
            let written = |place: usize| match field {
                JunkField::Volume => &papers[place].volume,
                JunkField::Number => &papers[place].number,
                JunkField::Pages => &papers[place].pages,
            };
            let present: Vec<&str> =
                places.iter().map(|&place| written(place).trim()).filter(|v| !v.is_empty()).collect();
            if !is_counter(&present) {
                continue;
            }
            for &place in &places {
                match field {
                    JunkField::Volume => records[place].volume = "".into(),
                    JunkField::Number => records[place].number = "".into(),
                    JunkField::Pages => records[place].pages = None,
                }
            }
            junk.push(Junk { field, file: file.into(), source: source.into(), records: present.len() });
        }
    }
    junk
}

fn is_counter(values: &[&str]) -> bool {
    let numbers: Vec<u64> = values.iter().filter_map(|value| value.parse().ok()).collect();
    if values.len() < LEAST || numbers.len() * 20 < values.len() * 19 {
        return false;
    }
    let ascending = numbers.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.len() * 20 >= numbers.len() * 19 && ascending * 10 >= (numbers.len() - 1) * 9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::records::normal::record;

    #[test]
    fn a_running_counter_as_issue_number_is_ignored_and_real_numbers_are_not() {
        let papers: Vec<Paper> = (0..30usize)
            .map(|n| Paper {
                title: format!("Paper {n}"),
                number: (n + 100).to_string(),
                volume: (n / 5 + 1).to_string(),
                pages: format!("{}-{}", (n * 37) % 401 + 1, (n * 37) % 401 + 9),
                ..Paper::default()
            })
            .collect();
        let mut records: Vec<Record> = papers.iter().map(record).collect();
        let junk = clear(&papers, &mut records);
        assert_eq!(junk, [Junk { field: JunkField::Number, file: "".into(), source: "".into(), records: 30 }]);
        assert!(records.iter().all(|r| r.number.is_empty() && !r.volume.is_empty() && r.pages.is_some()));
    }
}
