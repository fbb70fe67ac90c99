//! JSON lines: one object a line. Our own records, and every other file of objects that have a title.

use std::io::{self, Write};

use super::super::json::parse_paper;
use super::super::lines::Text;
use super::super::names::{Column, ColumnMap};
use super::super::{Layout, Paper, Rejected};
use super::json::no_object;
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::error::Place;

/// JSON lines, read and written.
pub(super) struct Jsonl;

impl FormatReader for Jsonl {
    fn format(&self) -> Format {
        Format::Jsonl
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if head.text.trim_start().starts_with('[') {
            return Confidence::No;
        }
        // A broken first line must not hide the format of the others.
        let mut objects = 0;
        for line in head.lines().take(20) {
            let line = line.trim();
            if !line.starts_with('{') {
                continue;
            }
            let Ok(paper) = parse_paper(line, head.map) else { continue };
            objects += 1;
            if !paper.lacks(Column::Title) || !paper.lacks(Column::Abstract) || !paper.lacks(Column::Body) {
                return Confidence::Likely;
            }
        }
        let long = head.text.trim_start().starts_with('{') && !head.whole && !head.text.contains('\n');
        if objects > 0 || long { Confidence::Possible } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        Ok(Box::new(Lines { place: source.place(0, 0), text: source.text, map: source.map, ended: false }))
    }
}

struct Lines {
    place: Place,
    text: Text,
    map: ColumnMap,
    ended: bool,
}

impl Iterator for Lines {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let read = self
                .text
                .next_line()
                .map(|line| line.map(|line| (line.trim().is_empty(), parse_paper(line, &self.map))));
            self.place.line = self.text.line();
            match read {
                Ok(Some((true, _))) => {}
                Ok(Some((false, parsed))) => {
                    self.place.record += 1;
                    return Some(match parsed {
                        Ok(mut paper) => {
                            paper.place = self.place.clone();
                            Ok(paper)
                        }
                        Err(error) => Err(Rejected::new(&self.place, no_object(&error))),
                    });
                }
                Ok(None) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(Rejected::cut(&self.place, &error)));
                }
            }
        }
        None
    }
}

impl RecordReader for Lines {}

impl FormatWriter for Jsonl {
    fn extensions(&self) -> &'static [&'static str] {
        &["jsonl", "ndjson"]
    }

    fn write(&self, papers: &[Paper], _layout: &Layout, out: &mut dyn Write) -> io::Result<()> {
        papers.iter().try_for_each(|paper| write_json_line(paper, out))
    }
}

/// Writes one paper as a JSON line.
///
/// # Errors
/// If the output cannot be written to.
pub fn write_json_line(paper: &Paper, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, paper)?;
    out.write_all(b"\n")
}
