//! Rows laid out for the kernels, and the workers' buffers.

use std::ops::Range;
use std::sync::Mutex;

use rayon::prelude::*;

use super::Score;
use super::kernels::{LEFT, RIGHT};
use super::rows::{AllPairs, Side};
use super::screen::Along;

/// Rows of a strip, the left side of the products: they stay in a core's second-level cache. Whole panels of both sides.
pub(super) const STRIP: usize = 2016;
/// Rows of the right side that are laid out at a time.
pub(super) const TILE: usize = 512;

/// The tiles of right rows that a strip beginning at `start` meets: whole panels, so that rows before the strip may be
/// among the first.
pub(super) fn tiles(start: usize, m: usize) -> Vec<Range<usize>> {
    (start / RIGHT * RIGHT..m).step_by(TILE).map(|from| from..(from + TILE).min(m)).collect()
}

/// Left panels that are gone through again for each right panel: with a tile's right rows they stay in a core's second-level
/// cache, as the panels hold them and as they were given.
const AGAIN: usize = 16;

/// Which panels of a strip and a tile hold a pair of the upper triangle, `(left panel, first row, right panel, first column)`:
/// for some left panels all right panels, then for the next ones, so that the columns of each row ascend.
pub(super) fn micro_tiles(
    strip: &Range<usize>,
    tile: &Range<usize>,
) -> impl Iterator<Item = (usize, usize, usize, usize)> + use<> {
    let (strip, tile) = (strip.clone(), tile.clone());
    let lefts = strip.len().div_ceil(LEFT);
    (0..lefts).step_by(AGAIN).flat_map(move |from| {
        let (strip, tile) = (strip.clone(), tile.clone());
        (0..tile.len().div_ceil(RIGHT)).flat_map(move |right| {
            let column = tile.start + right * RIGHT;
            // The last column of the panel must lie beyond the first row.
            let upper = (column + RIGHT - 1).saturating_sub(strip.start).div_ceil(LEFT).min(lefts);
            let top = strip.start;
            (from..upper.min(from + AGAIN)).map(move |left| (left, top + left * LEFT, right, column))
        })
    })
}

/// What the panels hold of each row.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    pub pairs: &'a AllPairs<'a>,
    /// Only its numbers along some directions.
    pub along: Option<&'a Along<'a>>,
}

impl<'a> Numbers<'a> {
    /// All numbers of a row.
    pub fn all(pairs: &'a AllPairs<'a>) -> Numbers<'a> {
        Numbers { pairs, along: None }
    }

    /// How many numbers a row has.
    pub fn width(&self) -> usize {
        self.along.map_or(self.pairs.kernel_width(), Along::width)
    }

    /// The least value of a pair that can reach λ.
    pub fn least(&self, lambda: Score) -> f32 {
        let least = match self.along {
            Some(along) => along.least(self.pairs, lambda),
            None => self.pairs.least_value(lambda) - self.pairs.value_error(),
        };
        (least as f32).next_down()
    }

    /// Rows in panels, the numbers of one coordinate side by side. What fills up the last panel is left as it is.
    fn pack(&self, places: Range<usize>, side: Side, out: &mut [f32]) {
        let rows = if side == Side::Left { LEFT } else { RIGHT };
        let width = self.width();
        let mut put = |place: usize, numbers: &[f32]| {
            let panel = &mut out[place / rows * rows * width..];
            for (k, &number) in numbers.iter().enumerate() {
                panel[k * rows + place % rows] = number;
            }
        };
        let ids = &self.pairs.present()[places];
        match self.along {
            Some(along) => along.rows(self.pairs, ids, side, put),
            None => {
                let mut numbers = vec![0.0; width];
                for (place, &id) in ids.iter().enumerate() {
                    self.pairs.kernel_row(id, side, &mut numbers);
                    put(place, &numbers);
                }
            }
        }
    }
}

/// Right rows laid out: all of them once where that takes little memory, else tile by tile as they are met.
pub(super) struct Rights<'a> {
    numbers: Numbers<'a>,
    all: Option<Vec<f32>>,
    shelf: Shelf<Vec<f32>>,
}

/// Memory that all right rows may take as kernels want them.
pub(super) const ROOM: usize = 40 << 20;

impl<'a> Rights<'a> {
    pub fn new(numbers: Numbers<'a>) -> Rights<'a> {
        let m = numbers.pairs.present().len();
        let width = numbers.width();
        let all = (m * width * size_of::<f32>() <= numbers.pairs.room()).then(|| {
            let mut all = vec![0.0; m.div_ceil(RIGHT) * RIGHT * width];
            let parts = all.par_chunks_mut((TILE * width).max(1));
            parts.zip(tiles(0, m)).for_each(|(part, tile)| numbers.pack(tile, Side::Right, part));
            all
        });
        Rights { numbers, all, shelf: Shelf::new() }
    }

    /// How much memory the layout takes.
    pub fn bytes(rows: usize, width: usize, threads: u64) -> u64 {
        let row = (width * size_of::<f32>()) as u64;
        let all = rows as u64 * row;
        if all <= ROOM as u64 { all } else { threads * TILE as u64 * row }
    }

    /// Does some work on the panels of a tile.
    pub fn with<R>(&self, tile: Range<usize>, work: impl FnOnce(&[f32]) -> R) -> R {
        match &self.all {
            Some(all) => work(&all[tile.start * self.numbers.width()..]),
            None => self.shelf.with(Vec::new, |right| {
                right.clear();
                right.resize(tile.len().div_ceil(RIGHT) * RIGHT * self.numbers.width(), 0.0);
                self.numbers.pack(tile, Side::Right, right);
                work(right)
            }),
        }
    }
}

/// A strip on all threads.
pub(super) fn pack_strip(numbers: Numbers<'_>, strip: Range<usize>, out: &mut Vec<f32>) {
    let at_once = LEFT * 16;
    out.clear();
    out.resize(strip.len().div_ceil(LEFT) * LEFT * numbers.width(), 0.0);
    let parts = out.par_chunks_mut((at_once * numbers.width()).max(1));
    parts.enumerate().for_each(|(part, out)| {
        let from = strip.start + part * at_once;
        numbers.pack(from..(from + at_once).min(strip.end), Side::Left, out);
    });
}

/// Buffers that workers take and give back, so that there are never more of them than threads at work.
pub(super) struct Shelf<T> {
    kept: Mutex<Vec<T>>,
}

impl<T> Shelf<T> {
    pub fn new() -> Shelf<T> {
        Shelf { kept: Mutex::new(Vec::new()) }
    }

    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let kept = self.kept.lock().expect("no worker panicked").pop();
        let mut item = kept.unwrap_or_else(make);
        let result = work(&mut item);
        self.kept.lock().expect("no worker panicked").push(item);
        result
    }

    pub fn into_items(self) -> Vec<T> {
        self.kept.into_inner().expect("no worker panicked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micro_tiles_cover_the_upper_triangle() {
        for (m, starts) in [(100, vec![0, 37, 96]), (1300, vec![0, 40, 700])] {
            for start in starts {
                let strip = start..(start + 61).min(m);
                let mut seen = vec![0u8; m * m];
                for tile in tiles(start, m) {
                    for (_, row, _, column) in micro_tiles(&strip, &tile) {
                        for x in row..(row + LEFT).min(strip.end) {
                            (column.max(x + 1)..(column + RIGHT).min(tile.end)).for_each(|y| seen[x * m + y] += 1);
                        }
                    }
                }
                for x in strip {
                    assert!((x + 1..m).all(|y| seen[x * m + y] == 1), "{m} {start} {x}");
                }
            }
        }
    }
}
