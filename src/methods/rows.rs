//! Scans that stream: rows of the upper triangle are worked out in blocks on all threads and given to the sink in order,
//! so that no more pairs than those of one block are ever held.

use std::ops::ControlFlow;
use std::sync::Mutex;

use rayon::prelude::*;

use crate::corpus::{Pair, PaperId};
use crate::similarity::{PairSink, Scan, Score};

/// Rows in a block: enough work for all threads, and at most 2^24 pairs to hold even where every pair is found (if there
/// are more than a million papers, 16 rows of them).
fn block(papers: usize) -> usize {
    ((1 << 24) / papers.max(1)).clamp(16, 1024)
}

/// One row's findings: later papers with their scores, and how many scores were computed by the definition.
#[derive(Default)]
pub(super) struct Row {
    /// Later papers at or above λ, ascending.
    pub found: Vec<(PaperId, Score)>,
    /// Pairs whose score was computed.
    pub verified: u64,
}

/// Gives the sink the rows of all papers in order. `row` is given a paper, a space of its own to work in (made by `space`,
/// as many as there are threads, used again for other rows) and what to fill; it must not depend on anything else.
pub(super) fn stream<S: Send>(
    papers: usize,
    sink: &mut dyn PairSink,
    space: impl Fn() -> S + Sync + Send,
    row: impl Fn(PaperId, &mut S, &mut Row) + Sync + Send,
) -> Scan {
    let mut scan = Scan { pairs: Pair::count(papers), ..Scan::default() };
    let spaces = Mutex::new(Vec::new());
    let free = || spaces.lock().expect("nothing panics while it holds the spaces");
    let block = block(papers);
    for start in (0..papers).step_by(block) {
        let rows: Vec<Row> = (start..(start + block).min(papers))
            .into_par_iter()
            .map(|paper| {
                let reused = free().pop();
                let mut own = reused.unwrap_or_else(&space);
                let mut found = Row::default();
                row(PaperId(paper as u32), &mut own, &mut found);
                free().push(own);
                found
            })
            .collect();
        for (place, row) in rows.into_iter().enumerate() {
            let paper = PaperId((start + place) as u32);
            scan.verified += row.verified;
            for (other, score) in row.found {
                let pair = Pair::new(paper, other).expect("a row holds later papers only");
                if sink.pair(pair, score) == ControlFlow::Break(()) {
                    scan.stopped = true;
                    return scan;
                }
                scan.found += 1;
            }
        }
    }
    scan
}

/// Every pair of matchable papers at or above λ by computing each score: for a λ so low that an index cannot help, or a
/// method without one. `unmatchable` ascends.
pub(super) fn stream_all(
    papers: usize,
    unmatchable: &[PaperId],
    lambda: Score,
    sink: &mut dyn PairSink,
    score: impl Fn(Pair) -> Score + Sync + Send,
) -> Scan {
    let lost = |paper: PaperId| unmatchable.binary_search(&paper).is_ok();
    stream(
        papers,
        sink,
        || (),
        |paper, _, row| {
            if lost(paper) {
                return;
            }
            for other in (paper.0 + 1..papers as u32).map(PaperId).filter(|&p| !lost(p)) {
                let score = score(Pair::new(paper, other).expect("the other is later"));
                row.verified += 1;
                if score >= lambda {
                    row.found.push((other, score));
                }
            }
        },
    )
}

/// Tells the user how many papers match nothing, and why.
pub(super) fn warn_unmatchable(run: &crate::progress::Run, method: &str, unmatchable: &[PaperId], want: &str) {
    if !unmatchable.is_empty() {
        let count = unmatchable.len();
        let (papers, them) = if count == 1 { ("paper", "it matches") } else { ("papers", "they match") };
        run.progress.warn(&format!("{method}: {count} {papers} without {want}: {them} nothing"));
    }
}
