//! What every target does: read, write what was read in every format, read that again.

use papertwin::corpus::formats::{Format, writers};
use papertwin::corpus::{Layout, ReadOptions, load_opened, open_reader};
use papertwin::progress::Run;

/// Reads bytes and writes the papers in every format.
///
/// # Panics
/// If a reader or a writer is wrong: that is what is looked for.
pub fn read(bytes: &[u8], format: Option<Format>) {
    let options = ReadOptions { format, ..ReadOptions::default() };
    let run = Run::default();
    let Ok(inputs) = open_reader("fuzz", std::io::Cursor::new(bytes.to_vec()), &options, &run) else { return };
    let Ok(loaded) = load_opened(inputs, &options, &run) else { return };
    for rejected in &loaded.rejected {
        assert!(!rejected.reason.is_empty(), "a rejection without a reason at {}", rejected.place);
    }
    let papers = loaded.corpus.papers();
    for writer in writers() {
        let mut out = Vec::new();
        writer.write(papers, &Layout::default(), &mut out).expect("memory can be written to");
        std::str::from_utf8(&out).expect("what is written is text");
    }
}
