//! The two matrices of a network while they are trained: rows of lanes in parts, each part under its own lock.
//!
//! A row belongs to the part of its low bits, so that frequent words (low numbers) spread over all parts. While
//! gradients are computed every thread reads all parts, while they are applied each part has one writer: the locks are
//! never waited for, they only tell the compiler so.

use std::sync::{RwLock, RwLockReadGuard};

use super::kernels::Lanes;

/// Rows of `width` lanes, cut into a power of two parts.
pub(super) struct Rows {
    parts: Vec<RwLock<Vec<Lanes>>>,
    bits: u32,
    width: usize,
    count: usize,
}

impl Rows {
    /// `count` rows for `dims` numbers each (filled up to whole lanes with zeros); `fill` gives the numbers of a row.
    pub fn new(count: usize, dims: usize, parts: usize, mut fill: impl FnMut(usize, &mut [f32])) -> Rows {
        assert!(parts.is_power_of_two(), "parts are told by low bits");
        let width = dims.div_ceil(16);
        let mut filled: Vec<Vec<Lanes>> =
            (0..parts).map(|part| Vec::with_capacity((count + parts - 1 - part) / parts * width)).collect();
        let mut numbers = vec![0.0f32; width * 16];
        for row in 0..count {
            fill(row, &mut numbers[..dims]);
            let lanes = numbers.chunks_exact(16).map(|c| Lanes(c.try_into().expect("chunks of 16")));
            filled[row % parts].extend(lanes);
        }
        Rows { parts: filled.into_iter().map(RwLock::new).collect(), bits: parts.trailing_zeros(), width, count }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn width(&self) -> usize {
        self.width
    }

    /// The part of a row and its place there.
    #[inline(always)]
    pub fn place(&self, row: u32) -> (usize, u32) {
        ((row & ((1 << self.bits) - 1)) as usize, row >> self.bits)
    }

    pub fn part(&self, part: usize) -> &RwLock<Vec<Lanes>> {
        &self.parts[part]
    }

    /// All parts for reading.
    pub fn read(&self) -> Vec<RwLockReadGuard<'_, Vec<Lanes>>> {
        self.parts.iter().map(|part| part.read().expect("no writer panics")).collect()
    }

    /// Gives the lanes of each row in order.
    pub fn each_lanes(&self, mut row: impl FnMut(&[Lanes])) {
        let guards = self.read();
        for number in 0..self.count as u32 {
            let (part, place) = self.place(number);
            row(&guards[part][place as usize * self.width..][..self.width]);
        }
    }

    /// Gives the first `dims` numbers of each row in order.
    pub fn each(&self, dims: usize, mut row: impl FnMut(&[f32])) {
        let mut numbers = vec![0.0f32; self.width * 16];
        self.each_lanes(|lanes| {
            for (to, from) in numbers.chunks_exact_mut(16).zip(lanes) {
                to.copy_from_slice(&from.0);
            }
            row(&numbers[..dims]);
        });
    }
}

/// Rows seen by one reader.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    parts: &'a [&'a [Lanes]],
    bits: u32,
    width: usize,
}

impl<'a> View<'a> {
    pub fn new(rows: &Rows, parts: &'a [&'a [Lanes]]) -> View<'a> {
        View { parts, bits: rows.bits, width: rows.width }
    }

    #[inline(always)]
    pub fn row(&self, row: u32) -> &'a [Lanes] {
        let part = self.parts[(row & ((1 << self.bits) - 1)) as usize];
        &part[(row >> self.bits) as usize * self.width..][..self.width]
    }
}
