//! CORD-19 `metadata.csv`: read by its header, because the columns changed on 2020-05-26. The year is that of
//! `publish_time`; `cord_uid` is the id and not unique.

use super::super::Paper;
use super::table::Rows;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};

/// CORD-19 metadata.
pub(super) struct Cord19;

impl FormatReader for Cord19 {
    fn format(&self) -> Format {
        Format::Cord19
    }

    fn reads_tables(&self) -> bool {
        true
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let header = head.lines().next().unwrap_or_default();
        let has = |name: &str| header.split(',').any(|column| column.trim().trim_matches('"') == name);
        if has("cord_uid") && has("title") && (has("source_x") || has("publish_time")) {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Rows::open(source, b',', |paper: &mut Paper| {
            let year = paper.published.get(..4).filter(|year| year.bytes().all(|b| b.is_ascii_digit()));
            if paper.year.is_empty()
                && let Some(year) = year
            {
                paper.year = year.to_owned();
            }
        })?))
    }
}
