//! Neighbours by a graph instead of all pairs: for as many rows as even the fastest scan is too slow for. Some pairs are
//! missed, and how many is measured.

use std::fmt;

use hnsw_rs::prelude::{DistL1, DistL2, Distance, Hnsw};
use rayon::prelude::*;

use super::screen::sample;
use super::{AllPairs, Measure, PairSink, Scan, Score};
use crate::corpus::{Pair, PaperId};
use crate::progress::Run;

/// How a graph of neighbours is built and asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestParams {
    /// Links of a row to others, from 2 to 256.
    pub links: usize,
    /// Rows looked at where a row is put into the graph: more of them make a better graph, slowly.
    pub construction: usize,
    /// The most neighbours of a row that are found. A row with more of them at or above λ loses some, unless they find it.
    pub neighbours: usize,
    /// Rows whose pairs are found exactly too, to measure the recall.
    pub sampled: usize,
}

impl Default for NearestParams {
    fn default() -> NearestParams {
        NearestParams { links: 24, construction: 200, neighbours: 64, sampled: 256 }
    }
}

/// How many of a sample's pairs were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recall {
    /// Rows of the sample.
    pub rows: usize,
    /// Pairs at or above λ that one of them is in.
    pub pairs: u64,
    /// Those that were found.
    pub found: u64,
}

impl fmt::Display for Recall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recall { rows, pairs, found } = self;
        match Score::ratio(*found, *pairs) {
            Some(recall) => {
                write!(f, "recall {recall}: {found} of the {pairs} pairs of {rows} sampled rows were found")
            }
            None => write!(f, "recall unknown: {rows} sampled rows have no pair"),
        }
    }
}

/// The rows of [`AllPairs`] in a navigable graph.
///
/// Yu. A. Malkov and D. A. Yashunin (2018), "Efficient and robust approximate nearest neighbor search using hierarchical
/// navigable small world graphs", by the crate `hnsw_rs`. Rows are put in one after the other and their levels are drawn
/// from a fixed seed, so that the same rows make the same graph on any number of threads; rows are asked for on all threads.
/// The graph only proposes: [`AllPairs::score`] decides. Time O(m log m) in practice, most of it for building; memory about
/// (4 N + 40 links) bytes a row beside the rows, and 12 bytes for each pair found.
///
/// ```
/// use papertwin::progress::Run;
/// use papertwin::similarity::{AllPairs, Collect, Measure, Nearest, NearestParams};
/// let rows = ndarray::array![[1.0f32, 2.0], [2.0, 4.0], [2.0, -1.0]];
/// let nearest = Nearest::of(AllPairs::of(&rows, Measure::Cosine), NearestParams::default(), &Run::default());
/// let mut found = Collect::default();
/// let (scan, recall) = nearest.scan("0.9".parse().unwrap(), &mut found, &Run::default());
/// assert_eq!((scan.found, recall.pairs, recall.found), (1, 1, 1));
/// ```
pub struct Nearest<'m> {
    pairs: AllPairs<'m>,
    params: NearestParams,
    ask: Ask,
}

/// Finds the places of a row's neighbours.
type Ask = Box<dyn Fn(&[f32]) -> Vec<usize> + Send + Sync>;

impl<'m> Nearest<'m> {
    /// Puts the rows into a graph.
    ///
    /// # Panics
    /// If there are fewer than 2 or more than 256 links.
    pub fn of(pairs: AllPairs<'m>, params: NearestParams, run: &Run) -> Nearest<'m> {
        assert!((2..=256).contains(&params.links), "from 2 to 256 links");
        let ask = match pairs.measure() {
            Measure::Manhattan => graph(&pairs, params, DistL1, run),
            // At unit length the nearest rows are those of greatest cosine.
            _ => graph(&pairs, params, DistL2, run),
        };
        Nearest { pairs, params, ask }
    }

    /// The pairs below.
    pub fn pairs(&self) -> &AllPairs<'m> {
        &self.pairs
    }

    /// Gives the sink the pairs at or above λ that the graph finds, ascending, each once, with the score of the definition.
    pub fn scan(&self, lambda: Score, sink: &mut dyn PairSink, run: &Run) -> (Scan, Recall) {
        let present = self.pairs.present();
        let task = run.progress.start("neighbours", Some(present.len() as u64), "rows");
        let of_row = |&id: &u32| {
            let near = (self.ask)(&row(&self.pairs, id)).into_iter().map(|place| present[place]).filter(|&y| y != id);
            let scored: Vec<_> = near.map(|y| (pair(id, y), self.pairs.score_of(id, y))).collect();
            task.advance(1);
            scored
        };
        let mut scan = Scan { pairs: Pair::count(self.pairs.asked()), ..Scan::default() };
        let (mut found, verified) = present
            .par_iter()
            .map(of_row)
            .fold(Default::default, |(mut found, verified): (Vec<(Pair, Score)>, u64), scored| {
                let verified = verified + scored.len() as u64;
                found.extend(scored.into_iter().filter(|&(_, score)| score >= lambda));
                (found, verified)
            })
            .reduce(Default::default, |(mut all, sum), (more, count)| {
                all.extend(more);
                (all, sum + count)
            });
        found.par_sort_unstable();
        found.dedup();
        scan.verified = verified;
        let recall = self.recall(lambda, &found);
        for &(pair, score) in &found {
            if sink.pair(pair, score).is_break() {
                scan.stopped = true;
                break;
            }
            scan.found += 1;
        }
        (scan, recall)
    }

    /// How many of all pairs of some rows are among those found.
    fn recall(&self, lambda: Score, found: &[(Pair, Score)]) -> Recall {
        let rows = sample(&self.pairs, self.params.sampled);
        let of_row = |&x: &u32| {
            // A pair of two sampled rows counts once.
            let others = self.pairs.present().iter().filter(|&&y| y != x && !(y < x && rows.binary_search(&y).is_ok()));
            let there = others.filter(|&&y| self.pairs.score_of(x, y) >= lambda).map(|&y| pair(x, y));
            there.fold((0, 0), |(pairs, hits), pair| {
                (pairs + 1, hits + u64::from(found.binary_search_by_key(&pair, |f| f.0).is_ok()))
            })
        };
        let (pairs, found) = rows.par_iter().map(of_row).reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        Recall { rows: rows.len(), pairs, found }
    }
}

impl fmt::Debug for Nearest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nearest").field("pairs", &self.pairs).field("params", &self.params).finish_non_exhaustive()
    }
}

fn pair(x: u32, y: u32) -> Pair {
    Pair::new(PaperId(x), PaperId(y)).expect("a row is not its own neighbour")
}

/// A row as the graph holds it.
fn row(pairs: &AllPairs<'_>, id: u32) -> Vec<f32> {
    let mut numbers = vec![0.0; pairs.rows().ncols()];
    pairs.even_row(id, |k, y| numbers[k] = y as f32);
    numbers
}

/// The highest level of a graph; more are not drawn among 2^32 rows.
const LEVELS: usize = 16;

fn graph<D>(pairs: &AllPairs<'_>, params: NearestParams, distance: D, run: &Run) -> Ask
where
    D: Distance<f32> + Send + Sync + 'static,
{
    let present = pairs.present();
    let task = run.progress.start("graph of neighbours", Some(present.len() as u64), "rows");
    let mut graph = Hnsw::<f32, D>::new(params.links, present.len().max(1), LEVELS, params.construction, distance);
    for (place, &id) in present.iter().enumerate() {
        graph.insert_slice((&row(pairs, id), place));
        task.advance(1);
    }
    graph.set_searching_mode(true);
    // The row itself is among its neighbours.
    let count = params.neighbours + 1;
    let width = count + params.links;
    Box::new(move |row| graph.search(row, count, width).into_iter().map(|near| near.d_id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::similarity::tests::rows;
    use crate::similarity::{Collect, Kernel};

    #[test]
    fn a_graph_finds_nearly_all_pairs_and_measures_how_many() {
        let rows = rows(1500, 24, 21);
        for (measure, lambda) in [(Measure::Cosine, "0.98"), (Measure::Euclidean, "0.5"), (Measure::Manhattan, "0.2")] {
            let lambda = lambda.parse().unwrap();
            let all = || AllPairs::of(&rows, measure).with_kernel(Kernel::Portable);
            let mut exact = Collect::default();
            all().scan(lambda, &mut exact, &Run::default());
            assert!(exact.pairs.len() > 100, "{measure}");
            let params = NearestParams { neighbours: 40, sampled: 5000, ..NearestParams::default() };
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let mut found = Collect::default();
                    let nearest = Nearest::of(all(), params, &Run::default());
                    let (scan, recall) = nearest.scan(lambda, &mut found, &Run::default());
                    assert!(scan.verified >= scan.found);
                    (found.pairs, recall)
                })
            };
            let (found, recall) = run(1);
            assert!(found.is_sorted() && found.iter().all(|pair| exact.pairs.binary_search(pair).is_ok()), "{measure}");
            // All rows are sampled, so what is measured is what is.
            assert_eq!((recall.pairs, recall.found), (exact.pairs.len() as u64, found.len() as u64), "{measure}");
            assert!(recall.found * 100 >= recall.pairs * 90, "{measure}: {recall}");
            assert!((found, recall) == run(3), "{measure}: threads change nothing");
        }
    }

    #[test]
    fn too_few_neighbours_lose_pairs_and_it_is_told() {
        let rows = crate::matrix::Matrix::from_shape_fn((300, 2), |(i, k)| (1.0 + i as f32 * 1e-4).powi(k as i32));
        let params = NearestParams { neighbours: 3, sampled: 20, ..NearestParams::default() };
        let nearest = Nearest::of(AllPairs::of(&rows, Measure::Cosine), params, &Run::default());
        let (_, recall) = nearest.scan("0.9".parse().unwrap(), &mut Collect::default(), &Run::default());
        // Each of 20 rows has 299 pairs, and 190 pairs are of two of them.
        assert_eq!((recall.rows, recall.pairs), (20, 20 * 299 - 190));
        assert!(recall.found < recall.pairs / 10 && recall.to_string().starts_with("recall 0.0"), "{recall}");
        let none = Recall { rows: 4, pairs: 0, found: 0 };
        assert_eq!(none.to_string(), "recall unknown: 4 sampled rows have no pair");
    }
}
