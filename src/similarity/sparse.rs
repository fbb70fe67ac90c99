//! All pairs of sparse rows under the cosine, exactly: an inverted index with bounds.
//!
//! # The algorithm
//! After Bayardo, Ma and Srikant ("Scaling up all pairs similarity search", 2007: index only what can decide) and
//! Anastasiu and Karypis ("L2AP", 2014: bound what is left by Cauchy and Schwarz). Rows are scaled to length 1, their
//! entries stand in one order of the dimensions, the rare ones first.
//!
//! 1. The *tail* of a row is its longest end whose length is below λ. Two rows with cosine λ or more share a dimension in
//!    front of both tails, because the rest of the sum is at most the length of a tail. So only the heads are indexed and
//!    only the heads ask.
//! 2. Asking with a head sums the products over the dimensions that both heads have, in f64, in the order of the
//!    definition. What is missing of the sum lies behind the shorter head; Cauchy and Schwarz bound it by the lengths of
//!    the two ends there. The length of an end is read from a small table at a few cuts of the dimensions.
//! 3. Pairs that the bound cannot exclude are finished: the sum goes on over the ends. It is the same sum in the same
//!    order as the definition's, so nothing is computed twice and no rounding differs.
//!
//! Where λ is so low that bounds do not help (and for counts of all scores) whole rows are indexed, every sum is the
//! definition's, and a row's sums are read off at once. Either way rows are worked on in blocks on all cores, and the sink
//! is given whole blocks in order: memory is O(entries + threads * m), and the pairs of at most 64 blocks.
//!
//! Time: the sum over dimensions of (rows with it in the head)^2 / 2 products, which falls steeply as λ rises; without
//! bounds the same over whole rows, and m^2 / 2 sums read off.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::{PairSink, Scan, Score, Tally};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;

/// What rounding can take from the bounds, relatively and in all: rows have length 1 to within some 1e-7 (f32 entries).
const SLACK: f64 = 2e-6;

/// At so many cuts of the dimensions the length of what follows is known.
const CUTS: usize = 32;

/// A block of rows holds at most that many pairs, or those of one row.
const BLOCK_PAIRS: usize = 1 << 18;

/// So many blocks are held at most.
const WINDOW: usize = 64;

/// Rows of numbers, most of them 0, none negative, scaled to length 1.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    /// The entries of row r are `starts[r] .. starts[r + 1]`; dimensions ascend.
    starts: Vec<usize>,
    dims: Vec<u32>,
    weights: Vec<f32>,
    /// The length of each row as it is stored, 1 but for rounding; 0 for a row without entries.
    lengths: Vec<f64>,
    missing: Vec<PaperId>,
    width: usize,
}

impl SparseRows {
    /// Makes rows from their entries: `row` is given a row's number and fills the list with (dimension, weight). Entries
    /// of weight 0 are left out; a row without others is missing and matches nothing.
    ///
    /// Dimensions are below `width`. The order of their numbers is the order of every sum, and decides the speed: rare
    /// dimensions should have small numbers.
    ///
    /// # Panics
    /// If a weight is negative or not finite, a dimension comes twice in a row or is not below `width`.
    pub fn build(rows: usize, width: usize, row: impl Fn(PaperId, &mut Vec<(u32, f64)>) + Sync) -> SparseRows {
        let ids: Vec<u32> = (0..rows as u32).collect();
        let blocks: Vec<(Vec<usize>, Vec<u32>, Vec<f32>)> = ids
            .par_chunks(512)
            .map(|ids| {
                let (mut ends, mut dims, mut weights) = (Vec::new(), Vec::new(), Vec::new());
                let mut entries = Vec::new();
                for &id in ids {
                    entries.clear();
                    row(PaperId(id), &mut entries);
                    entries.sort_unstable_by_key(|entry| entry.0);
                    assert!(entries.windows(2).all(|w| w[0].0 < w[1].0), "a dimension comes once in a row");
                    assert!(
                        entries.iter().all(|e| (e.0 as usize) < width && e.1 >= 0.0 && e.1.is_finite()),
                        "weights are lengths"
                    );
                    // Scaled by the greatest first: no square overflows or vanishes.
                    let most = entries.iter().map(|e| e.1).fold(0.0, f64::max);
                    let length = entries.iter().map(|e| (e.1 / most) * (e.1 / most)).sum::<f64>().sqrt();
                    for &(dim, weight) in entries.iter().filter(|_| most > 0.0) {
                        let weight = (weight / most / length) as f32;
                        if weight > 0.0 {
                            dims.push(dim);
                            weights.push(weight);
                        }
                    }
                    ends.push(dims.len());
                }
                (ends, dims, weights)
            })
            .collect();
        let total = blocks.iter().map(|block| block.1.len()).sum();
        let mut all = SparseRows { starts: vec![0], width, ..SparseRows::default() };
        all.dims.reserve_exact(total);
        all.weights.reserve_exact(total);
        for (ends, dims, weights) in blocks {
            let before = all.dims.len();
            all.starts.extend(ends.into_iter().map(|end| before + end));
            all.dims.extend(dims);
            all.weights.extend(weights);
        }
        all.lengths = (0..rows)
            .map(|r| all.row(r).weights.iter().map(|&w| f64::from(w) * f64::from(w)).sum::<f64>().sqrt())
            .collect();
        all.missing = (0..rows).filter(|&r| all.row(r).dims.is_empty()).map(|r| PaperId(r as u32)).collect();
        all
    }

    /// How many rows there are, missing ones included.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// How many entries are not 0.
    pub fn entries(&self) -> usize {
        self.dims.len()
    }

    /// The rows without entries, ascending. They match nothing.
    pub fn missing(&self) -> &[PaperId] {
        &self.missing
    }

    /// A row: its dimensions, ascending, and their weights.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn entries_of(&self, paper: PaperId) -> impl Iterator<Item = (u32, f32)> + '_ {
        let row = self.row(paper.index());
        row.dims.iter().copied().zip(row.weights.iter().copied())
    }

    /// The score of a pair by its definition: the products over the dimensions of both rows, summed in f64 in the order of
    /// the dimensions, over the lengths of the rows. 0 if one of the two is missing.
    ///
    /// # Panics
    /// If the pair names a row that there is not.
    pub fn score(&self, pair: Pair) -> Score {
        let (x, y) = (pair.first().index(), pair.second().index());
        self.finish(x, y, products(0.0, self.row(x), self.row(y)))
    }

    /// What each shared dimension adds to the cosine of a pair, ascending by dimension. The parts sum to the cosine.
    ///
    /// # Panics
    /// If the pair names a row that there is not.
    pub fn parts(&self, pair: Pair) -> Vec<(u32, f64)> {
        let (x, y) = (pair.first().index(), pair.second().index());
        let whole = self.lengths[x] * self.lengths[y];
        let mut parts = Vec::new();
        shared(self.row(x), self.row(y), |dim, product| parts.push((dim, product / whole)));
        parts
    }

    fn finish(&self, x: usize, y: usize, sum: f64) -> Score {
        // 0/0 where a row is missing: not a number, and so 0 by the rule of `Score::of`.
        Score::of(sum / (self.lengths[x] * self.lengths[y]))
    }

    fn row(&self, row: usize) -> Row<'_> {
        let range = self.starts[row]..self.starts[row + 1];
        Row { dims: &self.dims[range.clone()], weights: &self.weights[range] }
    }

    /// Gives the sink every pair of rows with entries whose score is at or above λ, ascending, each once.
    pub fn scan(&self, lambda: Score, sink: &mut dyn PairSink, run: &Run) -> Scan {
        self.scan_with(&Heads::at(self, lambda), lambda, sink, run)
    }

    fn scan_with(&self, heads: &Heads, lambda: Score, sink: &mut dyn PairSink, run: &Run) -> Scan {
        let mut scan = Scan { pairs: Pair::count(self.len()), ..Scan::default() };
        let index = Index::of(self, &heads.heads);
        let task = run.progress.start("comparing papers", Some(self.len() as u64), "papers");
        let block = (BLOCK_PAIRS / self.len().max(1)).clamp(1, 256);
        let starts: Vec<usize> = (0..self.len()).step_by(block).collect();
        for window in starts.chunks(WINDOW) {
            let blocks: Vec<Found> = window
                .par_iter()
                .map_init(
                    || vec![0.0; self.len()],
                    |sums, &start| {
                        let mut found = Found::default();
                        for row in start..(start + block).min(self.len()) {
                            if heads.is_whole {
                                self.whole_row(row, &index, sums, |other, score| {
                                    found.verified += 1;
                                    if score >= lambda {
                                        found.pairs.push((row as u32, other, score));
                                    }
                                });
                            } else {
                                self.bounded_row(row, &index, heads, sums, lambda, &mut found);
                            }
                        }
                        found
                    },
                )
                .collect();
            for found in blocks {
                scan.verified += found.verified;
                for (x, y, score) in found.pairs {
                    let pair = Pair::new(PaperId(x), PaperId(y)).expect("the second row is a later one");
                    if sink.pair(pair, score) == ControlFlow::Break(()) {
                        scan.stopped = true;
                        return scan;
                    }
                    scan.found += 1;
                }
            }
            task.advance((window.len() * block) as u64);
        }
        scan
    }

    /// Counts the pairs at or above the scores that a curve needs, in one pass over all pairs: see [`Tally`]. `watched` are
    /// ascending pairs.
    pub fn tally(&self, watched: &[Pair], grid: &[Score], run: &Run) -> Tally {
        let present = |paper: PaperId| self.missing.binary_search(&paper).is_err();
        let scores: Vec<Option<Score>> = watched
            .par_iter()
            .map(|&pair| (present(pair.first()) && present(pair.second())).then(|| self.score(pair)))
            .collect();
        let edges = Tally::edges(&scores, grid);
        // Scores are not negative, so each is a place in a list: counting needs no search.
        let positive = Score::UNIT as usize + 1;
        let counts = self.each_row(
            run,
            || vec![0u64; positive],
            |counts, _, _, score| counts[score.millionths() as usize] += 1,
            |mut sum, more| {
                sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
                sum
            },
        );
        let mut at_or_above: Vec<u64> = vec![0; edges.len()];
        let mut reached = 0;
        let mut edge = edges.len();
        for place in (0..positive).rev() {
            reached += counts[place];
            while edge > 0 && edges[edge - 1].millionths() == place as i32 {
                edge -= 1;
                at_or_above[edge] = reached;
            }
        }
        let findable = Pair::count(self.len() - self.missing.len());
        at_or_above[..edge].fill(findable);
        Tally::new(Pair::count(self.len()), findable, edges, at_or_above, scores)
    }

    /// The greatest score of each row to any other, the ascending pairs of `left_out` not counted; `None` for a row
    /// without entries or without another.
    pub fn best(&self, left_out: &[Pair], run: &Run) -> Vec<Option<Score>> {
        self.each_row(
            run,
            || vec![None; self.len()],
            |best: &mut Vec<Option<Score>>, x, y, score| {
                let pair = Pair::new(PaperId(x), PaperId(y)).expect("two rows");
                if (best[x as usize] < Some(score) || best[y as usize] < Some(score))
                    && left_out.binary_search(&pair).is_err()
                {
                    best[x as usize] = best[x as usize].max(Some(score));
                    best[y as usize] = best[y as usize].max(Some(score));
                }
            },
            |x, y| x.into_iter().zip(y).map(|(x, y)| x.max(y)).collect(),
        )
    }

    /// Takes every pair of rows with entries, once, in no order, into one value a thread.
    fn each_row<T: Send>(
        &self,
        run: &Run,
        start: impl Fn() -> T + Sync + Send,
        take: impl Fn(&mut T, u32, u32, Score) + Sync + Send,
        join: impl Fn(T, T) -> T + Sync + Send,
    ) -> T {
        let whole: Vec<usize> = (0..self.len()).map(|row| self.row(row).dims.len()).collect();
        let index = Index::of(self, &whole);
        let task = run.progress.start("comparing papers", Some(self.len() as u64), "papers");
        // A few pieces a thread: each holds a value of its own.
        let piece = self.len().div_ceil(8 * rayon::current_num_threads()).max(1);
        (0..self.len())
            .into_par_iter()
            .with_min_len(piece)
            .fold(
                || (start(), vec![0.0; self.len()]),
                |(mut value, mut sums), row| {
                    self.whole_row(row, &index, &mut sums, |other, score| take(&mut value, row as u32, other, score));
                    task.advance(1);
                    (value, sums)
                },
            )
            .map(|(value, _)| value)
            .reduce(&start, join)
    }

    /// Every later row with entries and its score, ascending. `sums` is zero before and after.
    fn whole_row(&self, row: usize, index: &Index, sums: &mut [f64], mut take: impl FnMut(u32, Score)) {
        let asked = self.row(row);
        if asked.dims.is_empty() {
            return;
        }
        for (&dim, &weight) in asked.dims.iter().zip(asked.weights) {
            let weight = f64::from(weight);
            for &(other, theirs) in index.after(dim, row) {
                sums[other as usize] += weight * f64::from(theirs);
            }
        }
        let length = self.lengths[row];
        for (other, sum) in sums.iter_mut().enumerate().skip(row + 1) {
            if self.lengths[other] > 0.0 {
                take(other as u32, Score::of(*sum / (length * self.lengths[other])));
                *sum = 0.0;
            }
        }
    }

    /// Later rows at or above λ, by the bounds.
    fn bounded_row(
        &self,
        row: usize,
        index: &Index,
        heads: &Heads,
        sums: &mut [f64],
        lambda: Score,
        found: &mut Found,
    ) {
        let asked = self.row(row);
        let (head, edge) = (heads.heads[row], heads.edges[row]);
        found.touched.clear();
        for (&dim, &weight) in asked.dims.iter().zip(asked.weights).take(head) {
            let weight = f64::from(weight);
            for &(other, theirs) in index.after(dim, row) {
                let sum = &mut sums[other as usize];
                if *sum == 0.0 {
                    found.touched.push(other);
                }
                *sum += weight * f64::from(theirs);
            }
        }
        let ours = heads.ends_of(asked);
        let theirs = heads.ends_at(edge);
        let first = found.pairs.len();
        for &other in &found.touched {
            let place = other as usize;
            let sum = std::mem::take(&mut sums[place]);
            // What is left of the sum lies behind the shorter head.
            let rest = if heads.edges[place] < edge {
                heads.tails[place] * ours[heads.cuts_of[place] as usize]
            } else {
                heads.tails[row] * theirs[place]
            };
            if f64::from(rest) + sum < heads.least {
                continue;
            }
            let from = edge.min(heads.edges[place]);
            let sum = products(sum, asked.behind(from), self.row(place).behind(from));
            let score = self.finish(row, place, sum);
            found.verified += 1;
            if score >= lambda {
                found.pairs.push((row as u32, other, score));
            }
        }
        found.pairs[first..].sort_unstable_by_key(|pair| pair.1);
    }
}

/// The entries of one row.
#[derive(Clone, Copy)]
struct Row<'s> {
    dims: &'s [u32],
    weights: &'s [f32],
}

impl<'s> Row<'s> {
    /// The entries from this dimension on.
    fn behind(self, dim: u32) -> Row<'s> {
        let from = self.dims.partition_point(|&d| d < dim);
        Row { dims: &self.dims[from..], weights: &self.weights[from..] }
    }
}

/// Visits the dimensions that two rows share, ascending, with the product of their weights.
fn shared(x: Row<'_>, y: Row<'_>, mut visit: impl FnMut(u32, f64)) {
    let (mut i, mut j) = (0, 0);
    while i < x.dims.len() && j < y.dims.len() {
        let (a, b) = (x.dims[i], y.dims[j]);
        if a == b {
            visit(a, f64::from(x.weights[i]) * f64::from(y.weights[j]));
        }
        i += usize::from(a <= b);
        j += usize::from(b <= a);
    }
}

/// A sum that goes on over the dimensions that two rows share.
fn products(mut sum: f64, x: Row<'_>, y: Row<'_>) -> f64 {
    shared(x, y, |_, product| sum += product);
    sum
}

/// What a block of rows found.
#[derive(Default)]
struct Found {
    pairs: Vec<(u32, u32, Score)>,
    touched: Vec<u32>,
    verified: u64,
}

/// For each dimension the rows that have it among their first entries, ascending.
struct Index {
    starts: Vec<usize>,
    postings: Vec<(u32, f32)>,
}

impl Index {
    /// Indexes the first `heads[row]` entries of each row.
    fn of(rows: &SparseRows, heads: &[usize]) -> Index {
        let mut starts = vec![0usize; rows.width + 1];
        for (row, &head) in heads.iter().enumerate() {
            rows.row(row).dims[..head].iter().for_each(|&dim| starts[dim as usize + 1] += 1);
        }
        for dim in 0..rows.width {
            starts[dim + 1] += starts[dim];
        }
        let mut next = starts.clone();
        let mut postings = vec![(0, 0.0); starts[rows.width]];
        for (row, &head) in heads.iter().enumerate() {
            let entries = rows.row(row);
            for (&dim, &weight) in entries.dims.iter().zip(entries.weights).take(head) {
                postings[next[dim as usize]] = (row as u32, weight);
                next[dim as usize] += 1;
            }
        }
        Index { starts, postings }
    }

    /// The rows after this one that have the dimension.
    fn after(&self, dim: u32, row: usize) -> &[(u32, f32)] {
        let all = &self.postings[self.starts[dim as usize]..self.starts[dim as usize + 1]];
        &all[all.partition_point(|posting| posting.0 as usize <= row)..]
    }
}

/// How much of each row must be looked at for a λ, and what the rest can add.
struct Heads {
    /// So many entries of each row are its head.
    heads: Vec<usize>,
    /// The first dimension behind each head; above all dimensions for a row that has no tail.
    edges: Vec<u32>,
    /// The length of each tail.
    tails: Vec<f32>,
    /// Ascending dimensions at which the lengths of ends are known; the first is 0.
    cuts: Vec<u32>,
    /// The last cut that is not behind each edge.
    cuts_of: Vec<u8>,
    /// The length of the end of each row at each cut: `ends[cut * rows + row]`.
    ends: Vec<f32>,
    /// The least sum of products of a pair at λ.
    least: f64,
    /// Whether bounds do not pay: every head is the whole row.
    is_whole: bool,
}

impl Heads {
    /// The heads for a λ: whole rows where bounds do not pay.
    fn at(rows: &SparseRows, lambda: Score) -> Heads {
        let least = lambda.lower_edge() - SLACK;
        if least > 0.0 {
            let heads = Heads::bounded(rows, least);
            // Products with bounds cost about three times as much: each may be of a new pair, whose bound is worked out.
            let bounded = products_of(rows, |row| heads.heads[row]);
            let whole = products_of(rows, |row| rows.row(row).dims.len());
            if 3 * bounded < whole + Pair::count(rows.len()) {
                return heads;
            }
        }
        Heads {
            heads: (0..rows.len()).map(|row| rows.row(row).dims.len()).collect(),
            edges: Vec::new(),
            tails: Vec::new(),
            cuts: Vec::new(),
            cuts_of: Vec::new(),
            ends: Vec::new(),
            least,
            is_whole: true,
        }
    }

    /// The shortest heads for a least sum above 0.
    fn bounded(rows: &SparseRows, least: f64) -> Heads {
        let (lengths, tails): (Vec<usize>, Vec<f32>) =
            (0..rows.len()).into_par_iter().map(|row| head(rows.row(row), least)).unzip();
        let edges: Vec<u32> =
            (0..rows.len()).map(|row| rows.row(row).dims.get(lengths[row]).copied().unwrap_or(u32::MAX)).collect();
        let mut sorted = edges.clone();
        sorted.sort_unstable();
        let mut cuts = vec![0];
        if let Some(last) = sorted.len().checked_sub(1) {
            cuts.extend((1..CUTS).map(|part| sorted[part * last / CUTS]));
        }
        cuts.dedup();
        let mut heads =
            Heads { heads: lengths, edges, tails, cuts, cuts_of: Vec::new(), ends: Vec::new(), least, is_whole: false };
        let ends: Vec<Vec<f32>> = (0..rows.len()).into_par_iter().map(|row| heads.ends_of(rows.row(row))).collect();
        heads.ends = (0..heads.cuts.len()).flat_map(|cut| ends.iter().map(move |row| row[cut])).collect();
        heads.cuts_of = heads.edges.iter().map(|&edge| heads.cut_before(edge) as u8).collect();
        heads
    }

    /// The last cut that is not behind a dimension: an end from there holds the end from the dimension.
    fn cut_before(&self, dim: u32) -> usize {
        self.cuts.partition_point(|&cut| cut <= dim) - 1
    }

    /// The length of the end of every row from about this dimension, never too small.
    fn ends_at(&self, dim: u32) -> &[f32] {
        let rows = self.heads.len();
        &self.ends[self.cut_before(dim) * rows..][..rows]
    }

    /// The length of the end of a row at each cut, rounded up.
    fn ends_of(&self, row: Row<'_>) -> Vec<f32> {
        let mut ends = vec![0.0; self.cuts.len()];
        let mut square = 0.0;
        let mut at = row.dims.len();
        for (cut, end) in self.cuts.iter().zip(&mut ends).rev() {
            while at > 0 && row.dims[at - 1] >= *cut {
                at -= 1;
                square += f64::from(row.weights[at]) * f64::from(row.weights[at]);
            }
            *end = up(square.sqrt());
        }
        ends
    }
}

/// How many entries stand in front of a row's tail, and the length of the tail.
fn head(row: Row<'_>, least: f64) -> (usize, f32) {
    let mut square = 0.0;
    let mut head = row.dims.len();
    while head > 0 {
        let weight = f64::from(row.weights[head - 1]);
        let next = square + weight * weight;
        // A little below, for the length of the other row, which is 1 but for rounding.
        if next.sqrt() >= least * (1.0 - SLACK) {
            break;
        }
        square = next;
        head -= 1;
    }
    (head, up(square.sqrt()))
}

/// To f32, not below.
fn up(length: f64) -> f32 {
    (length * (1.0 + 1e-6)) as f32
}

/// How many products an index of heads costs.
fn products_of(rows: &SparseRows, head: impl Fn(usize) -> usize) -> u64 {
    let mut counts = vec![0u64; rows.width];
    for row in 0..rows.len() {
        rows.row(row).dims[..head(row)].iter().for_each(|&dim| counts[dim as usize] += 1);
    }
    counts.iter().map(|&count| count * count.saturating_sub(1) / 2).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use crate::similarity::Collect;
    use proptest::prelude::*;

    fn rows(entries: &[Vec<(u32, f64)>], width: usize) -> SparseRows {
        SparseRows::build(entries.len(), width, |row, list| list.extend_from_slice(&entries[row.index()]))
    }

    /// Rows whose dimensions follow Zipf's law, with copies that lost some entries.
    fn zipf(count: usize, width: usize, seed: u64) -> Vec<Vec<(u32, f64)>> {
        let mut stream = Seed(seed).stream("sparse/test");
        let mut all: Vec<Vec<(u32, f64)>> = Vec::new();
        for row in 0..count {
            if row % 4 == 3 {
                let origin = all[stream.below(row as u64) as usize].clone();
                all.push(origin.into_iter().filter(|_| stream.chance(0.8)).collect());
                continue;
            }
            let mut entries = std::collections::BTreeMap::new();
            for _ in 0..stream.below(30) {
                let dim = (width as f64).powf(1.0 - stream.unit()) as u32 % width as u32;
                *entries.entry(width as u32 - 1 - dim).or_insert(0.0) += 1.0 + f64::from(dim).sqrt();
            }
            all.push(entries.into_iter().collect());
        }
        all
    }

    fn brute(rows: &SparseRows, lambda: Score) -> Vec<(Pair, Score)> {
        let mut pairs = Vec::new();
        for x in 0..rows.len() as u32 {
            for y in x + 1..rows.len() as u32 {
                let pair = Pair::new(PaperId(x), PaperId(y)).unwrap();
                let here = |paper| !rows.missing().contains(&paper);
                if here(pair.first()) && here(pair.second()) && rows.score(pair) >= lambda {
                    pairs.push((pair, rows.score(pair)));
                }
            }
        }
        pairs
    }

    #[test]
    fn cosines_are_worked_by_hand() {
        let rows = rows(
            &[vec![(0, 3.0), (2, 4.0)], vec![(2, 2.0)], vec![], vec![(1, 0.0)], vec![(0, 1e-200), (2, 1e-200)]],
            3,
        );
        let score = |x, y| rows.score(Pair::new(PaperId(x), PaperId(y)).unwrap()).to_string();
        assert_eq!(score(0, 1), "0.800000");
        assert_eq!(score(0, 4), "0.989949");
        assert_eq!(score(0, 2), "0.000000");
        assert_eq!(rows.missing(), [PaperId(2), PaperId(3)]);
        let parts = rows.parts(Pair::new(PaperId(0), PaperId(4)).unwrap());
        let rounded: Vec<(u32, f64)> = parts.iter().map(|p| (p.0, (p.1 * 1e4).round() / 1e4)).collect();
        assert_eq!(rounded, [(0, 0.4243), (2, 0.5657)]);
    }

    #[test]
    fn scans_tallies_and_best_equal_brute_force() {
        let rows = rows(&zipf(300, 400, 3), 400);
        let mut bounded = 0;
        for lambda in ["-1", "0", "0.000001", "0.05", "0.3", "0.5", "0.8", "0.95", "1"] {
            let lambda: Score = lambda.parse().unwrap();
            bounded += usize::from(!Heads::at(&rows, lambda).is_whole);
            let mut found = Collect::default();
            let scan = rows.scan(lambda, &mut found, &Run::default());
            assert_eq!(found.pairs, brute(&rows, lambda), "λ = {lambda}");
            assert_eq!((scan.found, scan.pairs), (found.pairs.len() as u64, 300 * 299 / 2));
        }
        assert!((2..9).contains(&bounded), "both ways were tried: {bounded}");
        let all = brute(&rows, Score::MIN);
        let watched: Vec<Pair> = all.iter().map(|p| p.0).step_by(97).collect();
        let grid = ["-0.5", "0", "0.2", "1"].map(|l| l.parse().unwrap());
        let tally = rows.tally(&watched, &grid, &Run::default());
        for score in grid.iter().copied().chain(tally.watched().iter().flatten().copied()) {
            assert_eq!(tally.at_or_above(score), all.iter().filter(|p| p.1 >= score).count() as u64, "{score}");
        }
        let best = rows.best(&watched, &Run::default());
        for paper in (0..300).map(PaperId) {
            let of = |p: &&(Pair, Score)| (p.0.first() == paper || p.0.second() == paper) && !watched.contains(&p.0);
            assert_eq!(best[paper.index()], all.iter().filter(of).map(|p| p.1).max(), "{paper:?}");
        }
    }

    #[test]
    fn a_sink_stops_the_scan() {
        let rows = rows(&vec![vec![(0, 1.0)]; 5], 1);
        let mut found = Collect { limit: Some(3), ..Collect::default() };
        let scan = rows.scan(Score::MAX, &mut found, &Run::default());
        assert!(scan.stopped && found.pairs.len() == 3);
        assert!(SparseRows::build(0, 0, |_, _| ()).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
        #[test]
        fn bounded_scans_miss_nothing(seed: u64, width in 5usize..200, lambda in 1i32..1_000_000) {
            let rows = rows(&zipf(60, width, seed), width);
            let lambda = Score::from_millionths(lambda).unwrap();
            let mut found = Collect::default();
            rows.scan(lambda, &mut found, &Run::default());
            prop_assert_eq!(found.pairs, brute(&rows, lambda));
            // The bounds hold also where a scan would do without them.
            let heads = Heads::bounded(&rows, lambda.lower_edge().max(1e-9));
            let mut bounded = Collect::default();
            rows.scan_with(&heads, lambda, &mut bounded, &Run::default());
            prop_assert_eq!(bounded.pairs, brute(&rows, lambda));
        }
    }
}
