//! The gradients of some windows against rows that stand still, as a list of changes to be made.
//!
//! The windows of a piece are neighbours, so they share nearly all that they read: the words' rows are copied side by
//! side, once a piece. A window that draws words of its own is then computed by itself. Where a group of windows shares
//! its drawn words ([`super::Word2VecParams::group`]) they are computed together:
//!
//! 1. The words around a place are two differences of running sums over the rows, however wide the window is.
//! 2. Scores, errors and changes are small matrix products.
//! 3. What the windows say to a word around them is again a running sum: a window adds its error where it begins, and
//!    takes it back where it ends.
//!
//! Skip-gram has a row of its own for each pair. The rows stand still, so a pair's score with a drawn word is the same
//! in all windows of the group that hold the word: it is computed once and counts as often.

use super::kernels::{self, Lanes, Simd};
use super::windows::{Targets, Windows};
use super::{Architecture, Word2VecParams};

/// More outputs than this in a skip-gram window (softmax over a vocabulary): note one change a pair instead of one sum
/// a row.
const MANY_OUTPUTS: usize = 64;

/// Full steps (updates times the learning rate) that one row goes in a piece of grouped windows, at most.
const LONGEST_STEP: f32 = 4.0;

/// Where the rows of a matrix are read from.
pub(super) trait Source: Copy {
    fn copy<S: Simd>(self, simd: S, row: u32, out: &mut [Lanes]);
    fn prefetch(self, row: u32);
}

/// Both matrices.
#[derive(Clone, Copy)]
pub(super) struct Both<R> {
    pub input: R,
    pub output: R,
}

/// "Add `scale` x the vector `vector` to the row at `place` of its part."
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub place: u32,
    pub vector: u32,
    pub scale: f32,
}

/// What is to be changed: for each part of the rows (told by the low bits of a row's number) a list.
pub(super) struct Notes {
    vectors: Vec<Lanes>,
    used: usize,
    bits: u32,
    pub inputs: Vec<Vec<Change>>,
    pub outputs: Vec<Vec<Change>>,
}

impl Notes {
    pub fn new(parts: usize) -> Notes {
        let lists = || (0..parts).map(|_| Vec::new()).collect();
        Notes { vectors: Vec::new(), used: 0, bits: parts.trailing_zeros(), inputs: lists(), outputs: lists() }
    }

    pub fn vectors(&self) -> &[Lanes] {
        &self.vectors
    }

    fn clear(&mut self) {
        self.used = 0;
        self.inputs.iter_mut().chain(&mut self.outputs).for_each(Vec::clear);
    }

    /// The first number of so many new vectors; what stands in them has no meaning.
    #[inline(always)]
    fn take(&mut self, count: usize, width: usize) -> usize {
        let first = self.used;
        self.used += count;
        if self.vectors.len() < self.used * width {
            self.vectors.resize(self.used * width, Lanes::ZERO);
        }
        first
    }

    #[inline(always)]
    fn input(&mut self, row: u32, vector: usize) {
        let part = (row & ((1 << self.bits) - 1)) as usize;
        self.inputs[part].push(Change { place: row >> self.bits, vector: vector as u32, scale: 1.0 });
    }

    #[inline(always)]
    fn output(&mut self, row: u32, vector: usize, scale: f32) {
        let part = (row & ((1 << self.bits) - 1)) as usize;
        self.outputs[part].push(Change { place: row >> self.bits, vector: vector as u32, scale });
    }
}

/// Room for the rows of a piece, used again and again.
#[derive(Default)]
pub(super) struct Room {
    words: Vec<Lanes>,
    sums: Vec<Lanes>,
    errors: Vec<Lanes>,
    own: Vec<Lanes>,
    drawn: Vec<Lanes>,
    spare: Vec<Lanes>,
    scores: Vec<f32>,
    column: Vec<f32>,
    weights: Vec<f32>,
    all: Vec<u32>,
    labels: Vec<f32>,
}

/// The first so many lanes, made if they are not there.
#[inline(always)]
fn room(lanes: &mut Vec<Lanes>, count: usize) -> &mut [Lanes] {
    if lanes.len() < count {
        lanes.resize(count, Lanes::ZERO);
    }
    &mut lanes[..count]
}

/// What all pieces are computed with.
pub(super) struct Compute<'a, R> {
    pub params: &'a Word2VecParams,
    pub targets: &'a Targets,
    pub rows: Both<R>,
    /// Lanes of a row.
    pub width: usize,
    /// Rows of the output matrix.
    pub outputs: usize,
    /// Windows that share their drawn words.
    pub group: usize,
    pub rate: f32,
}

/// A piece at hand.
#[derive(Clone, Copy)]
struct Part<'a> {
    words: &'a [u32],
    first: usize,
    reaches: &'a [u32],
    drawn: &'a [u32],
}

impl Part<'_> {
    /// The words of a window, its own among them.
    #[inline(always)]
    fn window(&self, number: usize) -> std::ops::Range<usize> {
        let (at, reach) = (self.first + number, self.reaches[number] as usize);
        at.saturating_sub(reach)..(at + reach + 1).min(self.words.len())
    }

    /// The word that a window predicts.
    #[inline(always)]
    fn word(&self, number: usize) -> u32 {
        self.words[self.first + number]
    }
}

impl<R: Source> Compute<'_, R> {
    /// Notes the changes of all windows (what was noted before is gone). Gives the loss of the first window.
    #[inline(always)]
    pub fn run<S: Simd>(&self, simd: S, windows: &Windows, room: &mut Room, notes: &mut Notes) -> f64 {
        notes.clear();
        let mut loss = None;
        let (mut words, mut reaches, mut drawn) = (0, 0, 0);
        for piece in &windows.pieces {
            let part = Part {
                words: &windows.words[words..piece.words],
                first: piece.first,
                reaches: &windows.reaches[reaches..piece.reaches],
                drawn: &windows.drawn[drawn..piece.drawn],
            };
            (words, reaches, drawn) = (piece.words, piece.reaches, piece.drawn);
            let ask = loss.is_none();
            let first = match (self.targets, self.group) {
                (Targets::Negative { negative, .. }, 2..) => {
                    let calm = Compute { rate: self.rate * self.damping(part), ..*self };
                    match self.params.architecture {
                        Architecture::Cbow => calm.cbow(simd, part, *negative, room, notes, ask),
                        Architecture::SkipGram => calm.skip_gram(simd, part, *negative, room, notes, ask),
                    }
                }
                _ => self.each(simd, part, room, notes, ask),
            };
            loss = loss.or(Some(first));
        }
        loss.unwrap_or(0.0)
    }

    /// Below 1 where a piece would move one row by more than [`LONGEST_STEP`] full steps: a text that says the same few
    /// words again and again, however rare they are elsewhere. Such a row would overshoot, and more with each piece.
    #[inline(always)]
    fn damping(&self, part: Part) -> f32 {
        let count = |rows: &[u32], row: u32| rows.iter().map(|&other| u32::from(other == row)).sum::<u32>();
        let (mut said, mut asked) = (0, 0);
        for &row in part.words.iter().chain(part.drawn) {
            let own = count(part.words, row);
            said = said.max(own);
            asked = asked.max(own + self.group as u32 * count(part.drawn, row));
        }
        let around = self.params.window as f32 + 1.0;
        let updates = match self.params.architecture {
            Architecture::Cbow => (said as f32 * around).max(asked as f32),
            Architecture::SkipGram => asked as f32 * around,
        };
        (LONGEST_STEP / (updates * self.rate)).min(1.0)
    }

    /// Copies the rows of the words.
    #[inline(always)]
    fn fetch_words<S: Simd>(&self, simd: S, part: Part, words: &mut Vec<Lanes>) {
        let rows = room(words, part.words.len() * self.width);
        for (at, out) in rows.chunks_exact_mut(self.width).enumerate() {
            if let Some(&later) = part.words.get(at + 6) {
                self.rows.input.prefetch(later);
            }
            self.rows.input.copy(simd, part.words[at], out);
        }
    }

    /// Copies rows of outputs.
    #[inline(always)]
    fn fetch_outputs<S: Simd>(&self, simd: S, rows: &[u32], out: &mut Vec<Lanes>) {
        let out = room(out, rows.len() * self.width);
        for (at, out) in out.chunks_exact_mut(self.width).enumerate() {
            self.rows.output.copy(simd, rows[at], out);
        }
    }

    /// The rows of the group that begins at a window are on their way.
    #[inline(always)]
    fn prefetch_group(&self, part: Part, start: usize, negative: usize) {
        if negative == 0 {
            return;
        }
        for number in start..(start + self.group).min(part.reaches.len()) {
            self.rows.output.prefetch(part.word(number));
        }
        for &row in part.drawn.iter().skip(start / self.group * negative).take(negative) {
            self.rows.output.prefetch(row);
        }
    }

    #[inline(always)]
    fn cbow<S: Simd>(
        &self,
        simd: S,
        part: Part,
        negative: usize,
        room_: &mut Room,
        notes: &mut Notes,
        ask: bool,
    ) -> f64 {
        let (width, count) = (self.width, part.reaches.len());
        self.prefetch_group(part, 0, negative);
        self.fetch_words(simd, part, &mut room_.words);
        let Room { words, sums, errors, own, drawn, spare, scores, column, .. } = room_;
        let words = &words[..part.words.len() * width];
        // sums[i] is the sum of the words before i.
        let sums = room(sums, (part.words.len() + 1) * width);
        sums[..width].fill(Lanes::ZERO);
        for (at, word) in words.chunks_exact(width).enumerate() {
            let (before, after) = sums[at * width..].split_at_mut(width);
            kernels::add(simd, before, word, &mut after[..width]);
        }
        let hidden = notes.take(count, width);
        for number in 0..count {
            let window = part.window(number);
            kernels::scaled_difference(
                simd,
                1.0 / (window.len() - 1) as f32,
                [
                    &sums[window.end * width..][..width],
                    &sums[window.start * width..][..width],
                    &words[(part.first + number) * width..][..width],
                ],
                &mut notes.vectors[(hidden + number) * width..][..width],
            );
        }
        // Errors have rows for all words, so that those before and after the windows have zeros.
        let errors = room(errors, part.words.len() * width);
        errors[..part.first * width].fill(Lanes::ZERO);
        errors[(part.first + count) * width..].fill(Lanes::ZERO);
        let errors_of = |number: usize| (part.first + number) * width;
        let mut loss = 0.0;
        {
            let outputs = negative + 1;
            for start in (0..count).step_by(self.group) {
                let group = self.group.min(count - start);
                let drawn_words = &part.drawn[start / self.group * negative..][..negative];
                self.prefetch_group(part, start + self.group, negative);
                self.fetch_outputs(simd, &part.words[part.first + start..][..group], own);
                self.fetch_outputs(simd, drawn_words, drawn);
                let (own, drawn) = (&own[..group * width], &drawn[..negative * width]);
                let changes = notes.take(negative, width);
                let (vectors, new) = notes.vectors.split_at_mut(changes * width);
                let vectors = &vectors[(hidden + start) * width..][..group * width];
                scores.resize((group * outputs).next_multiple_of(16), 0.0);
                kernels::pair_products(simd, vectors, own, width, scores, outputs);
                kernels::products(simd, vectors, drawn, width, &mut scores[1..], outputs);
                kernels::sigmoids(scores);
                if ask && start == 0 {
                    loss = -natural_log(scores[0]);
                    for (&score, &word) in scores[1..outputs].iter().zip(drawn_words) {
                        loss -= if word == part.word(0) { 0.0 } else { natural_log(1.0 - score) };
                    }
                }
                for (number, scores) in scores.chunks_exact_mut(outputs).take(group).enumerate() {
                    let word = part.word(start + number);
                    scores[0] = self.rate * (1.0 - scores[0]);
                    for (score, &drawn) in scores[1..].iter_mut().zip(drawn_words) {
                        *score = if drawn == word { 0.0 } else { -self.rate * *score };
                    }
                    kernels::weighted_sum(
                        simd,
                        (scores[0], Some(&own[number * width..][..width])),
                        &scores[1..],
                        drawn,
                        &mut errors[errors_of(start + number)..][..width],
                    );
                }
                for (at, new) in new.chunks_exact_mut(width).take(negative).enumerate() {
                    column.clear();
                    column.extend(scores.chunks_exact(outputs).take(group).map(|scores| scores[1 + at]));
                    kernels::weighted_sum(
                        simd,
                        (column[0], Some(&vectors[..width])),
                        &column[1..],
                        &vectors[width..],
                        new,
                    );
                }
                for number in 0..group {
                    notes.output(part.word(start + number), hidden + start + number, scores[number * outputs]);
                }
                for (at, &row) in drawn_words.iter().enumerate() {
                    notes.output(row, changes + at, 1.0);
                }
            }
        }
        let said = notes.take(part.words.len(), width);
        let rows = &mut notes.vectors[said * width..][..part.words.len() * width];
        rows.fill(Lanes::ZERO);
        for number in 0..count {
            let window = part.window(number);
            let error = &errors[errors_of(number)..][..width];
            kernels::add_scaled(simd, &mut rows[window.start * width..][..width], 1.0, error);
            if window.end < part.words.len() {
                kernels::add_scaled(simd, &mut rows[window.end * width..][..width], -1.0, error);
            }
        }
        let spare = room(spare, width);
        spare.fill(Lanes::ZERO);
        kernels::running_sums(simd, rows, errors, spare);
        for (at, &row) in part.words.iter().enumerate() {
            notes.input(row, said + at);
        }
        loss
    }

    #[inline(always)]
    fn skip_gram<S: Simd>(
        &self,
        simd: S,
        part: Part,
        negative: usize,
        room_: &mut Room,
        notes: &mut Notes,
        ask: bool,
    ) -> f64 {
        let (width, count) = (self.width, part.reaches.len());
        self.prefetch_group(part, 0, negative);
        self.fetch_words(simd, part, &mut room_.words);
        let Room { words, own, drawn, scores, column, weights, .. } = room_;
        let words = &words[..part.words.len() * width];
        let said = notes.take(part.words.len(), width);
        notes.vectors[said * width..][..part.words.len() * width].fill(Lanes::ZERO);
        let mut loss = 0.0;
        {
            let pairs_of = 2 * self.params.window + 1;
            for start in (0..count).step_by(self.group) {
                let group = self.group.min(count - start);
                let drawn_words = &part.drawn[start / self.group * negative..][..negative];
                self.prefetch_group(part, start + self.group, negative);
                self.fetch_outputs(simd, &part.words[part.first + start..][..group], own);
                self.fetch_outputs(simd, drawn_words, drawn);
                let (own, drawn) = (&own[..group * width], &drawn[..negative * width]);
                // The words of the group's windows, and how many of its windows hold each.
                let (mut low, mut high) = (part.words.len(), 0);
                for number in start..start + group {
                    let window = part.window(number);
                    (low, high) = (low.min(window.start), high.max(window.end));
                }
                let held = high - low;
                column.clear();
                column.resize(held, 0.0);
                for number in start..start + group {
                    let (window, center) = (part.window(number), part.first + number);
                    column[window.start - low..center - low].iter_mut().for_each(|held| *held += 1.0);
                    column[center + 1 - low..window.end - low].iter_mut().for_each(|held| *held += 1.0);
                }
                weights.clear();
                weights.extend(column.iter().flat_map(|&held| (0..negative).map(move |_| held)));
                // A window's own word, drawn by chance, is not denied there.
                for number in start..start + group {
                    for (drawn, _) in drawn_words.iter().enumerate().filter(|&(_, &word)| word == part.word(number)) {
                        for at in part.window(number).filter(|&at| at != part.first + number) {
                            weights[(at - low) * negative + drawn] -= 1.0;
                        }
                    }
                }
                let held_rows = &words[low * width..high * width];
                // The scores of the pairs stand first, then those with the drawn words.
                let pairs = (group * pairs_of).next_multiple_of(16);
                scores.resize(pairs + (held * negative).next_multiple_of(16), 0.0);
                for number in 0..group {
                    let window = part.window(start + number);
                    let rows = &words[window.start * width..window.end * width];
                    kernels::products(
                        simd,
                        &own[number * width..][..width],
                        rows,
                        width,
                        &mut scores[number * pairs_of..][..window.len()],
                        window.len(),
                    );
                }
                kernels::products(simd, held_rows, drawn, width, &mut scores[pairs..], negative);
                kernels::sigmoids(scores);
                let (near, far) = scores.split_at_mut(pairs);
                if ask && start == 0 {
                    let window = part.window(0);
                    for (place, at) in window.clone().enumerate().filter(|&(_, at)| at != part.first) {
                        loss -= natural_log(near[place]);
                        for (&score, &word) in far[(at - low) * negative..].iter().zip(drawn_words) {
                            loss -= if word == part.word(0) { 0.0 } else { natural_log(1.0 - score) };
                        }
                    }
                    loss /= (window.len() - 1) as f64;
                }
                for (score, weight) in far.iter_mut().zip(weights.iter()) {
                    *score *= -self.rate * weight;
                }
                let changes = notes.take(group + negative, width);
                for number in 0..group {
                    let window = part.window(start + number);
                    let own_place = part.first + start + number - window.start;
                    let scores = &mut near[number * pairs_of..][..window.len()];
                    scores.iter_mut().for_each(|score| *score = self.rate * (1.0 - *score));
                    scores[own_place] = 0.0;
                    let rows = &words[window.start * width..window.end * width];
                    let new = &mut notes.vectors[(changes + number) * width..][..width];
                    kernels::weighted_sum(simd, (scores[0], Some(&rows[..width])), &scores[1..], &rows[width..], new);
                    notes.output(part.word(start + number), changes + number, 1.0);
                }
                for at in low..high {
                    // The windows that may hold this word are neighbours; those that do not reach it have no weight.
                    let first = at.saturating_sub(self.params.window + part.first).max(start);
                    let end = (at + self.params.window + 1).saturating_sub(part.first).min(start + group);
                    column.clear();
                    for number in first..end {
                        let window = part.window(number);
                        let score = if window.contains(&at) {
                            near[(number - start) * pairs_of + at - window.start]
                        } else {
                            0.0
                        };
                        column.push(score);
                    }
                    let row = &mut notes.vectors[(said + at) * width..][..width];
                    kernels::weighted_sum(simd, (0.0, None), column, &own[(first - start) * width..], row);
                    kernels::weighted_sum(simd, (0.0, None), &far[(at - low) * negative..][..negative], drawn, row);
                }
                for (at, &row) in drawn_words.iter().enumerate() {
                    column.clear();
                    column.extend((0..held).map(|held| far[held * negative + at]));
                    let new = &mut notes.vectors[(changes + group + at) * width..][..width];
                    kernels::weighted_sum(
                        simd,
                        (column[0], Some(&held_rows[..width])),
                        &column[1..],
                        &held_rows[width..],
                        new,
                    );
                    notes.output(row, changes + group + at, 1.0);
                }
            }
        }
        for (at, &row) in part.words.iter().enumerate() {
            notes.input(row, said + at);
        }
        loss
    }

    /// Each window by itself, its drawn words its own.
    #[inline(always)]
    fn each<S: Simd>(&self, simd: S, part: Part, room_: &mut Room, notes: &mut Notes, ask: bool) -> f64 {
        let width = self.width;
        let negative = if let Targets::Negative { negative, .. } = self.targets { *negative } else { 0 };
        let softmax = matches!(self.targets, Targets::Softmax);
        self.prefetch_group(part, 0, negative);
        self.fetch_words(simd, part, &mut room_.words);
        let Room { words, own, spare, scores, column, all, labels, .. } = room_;
        let words = &words[..part.words.len() * width];
        if softmax {
            all.clear();
            all.extend(0..self.outputs as u32);
            self.fetch_outputs(simd, all, own);
        }
        let mut loss = 0.0;
        for number in 0..part.reaches.len() {
            let (window, center, word) = (part.window(number), part.first + number, part.word(number));
            let (targets, labels) = match self.targets {
                Targets::Negative { .. } => {
                    all.clear();
                    all.push(word);
                    all.extend(part.drawn[number * negative..][..negative].iter().filter(|&&drawn| drawn != word));
                    labels.clear();
                    labels.push(1.0);
                    labels.resize(all.len(), 0.0);
                    (all.as_slice(), labels.as_slice())
                }
                Targets::Hierarchical(huffman) => huffman.path(word),
                Targets::Softmax => (all.as_slice(), [].as_slice()),
            };
            let outputs = targets.len();
            self.prefetch_group(part, number + 1, negative);
            if !softmax {
                self.fetch_outputs(simd, targets, own);
            }
            let own = &own[..outputs * width];
            let before = &words[window.start * width..center * width];
            let after = &words[(center + 1) * width..window.end * width];
            let pairs = window.len() - 1;
            let ask = ask && number == 0;
            // What is told from: the mean of the words around, or each of them.
            let cbow = self.params.architecture == Architecture::Cbow;
            let tellers = if cbow { 1 } else { pairs };
            let told_from = room(spare, tellers * width);
            if cbow {
                kernels::scaled_sum(simd, 1.0 / pairs as f32, before, after, told_from);
            } else {
                told_from[..before.len()].copy_from_slice(before);
                told_from[before.len()..].copy_from_slice(after);
            }
            scores.resize((tellers * outputs).next_multiple_of(16), 0.0);
            kernels::products(simd, told_from, own, width, scores, outputs);
            loss += self.step(scores, word, labels, outputs, tellers, ask);
            match self.params.architecture {
                Architecture::Cbow => {
                    let hidden = notes.take(2, width);
                    let (vector, error) = notes.vectors[hidden * width..][..2 * width].split_at_mut(width);
                    vector.copy_from_slice(told_from);
                    error.fill(Lanes::ZERO);
                    kernels::weighted_sum(simd, (0.0, None), &scores[..outputs], own, error);
                    for at in window.filter(|&at| at != center) {
                        notes.input(part.words[at], hidden + 1);
                    }
                    for (&row, &score) in targets.iter().zip(scores.iter()) {
                        notes.output(row, hidden, score);
                    }
                }
                Architecture::SkipGram => {
                    let errors = notes.take(pairs, width);
                    let new = &mut notes.vectors[errors * width..][..pairs * width];
                    new.fill(Lanes::ZERO);
                    for (new, scores) in new.chunks_exact_mut(width).zip(scores.chunks_exact(outputs)) {
                        kernels::weighted_sum(simd, (0.0, None), scores, own, new);
                    }
                    for (pair, at) in window.filter(|&at| at != center).enumerate() {
                        notes.input(part.words[at], errors + pair);
                    }
                    let many = outputs > MANY_OUTPUTS;
                    let changes = notes.take(if many { pairs } else { outputs }, width);
                    if many {
                        notes.vectors[changes * width..][..pairs * width].copy_from_slice(told_from);
                    }
                    for (at, &row) in targets.iter().enumerate() {
                        column.clear();
                        column.extend((0..pairs).map(|pair| scores[pair * outputs + at]));
                        if many {
                            for (pair, &score) in column.iter().enumerate() {
                                notes.output(row, changes + pair, score);
                            }
                        } else {
                            let new = &mut notes.vectors[(changes + at) * width..][..width];
                            new.fill(Lanes::ZERO);
                            kernels::weighted_sum(simd, (0.0, None), column, told_from, new);
                            notes.output(row, changes + at, 1.0);
                        }
                    }
                }
            }
        }
        loss
    }

    /// Turns the scores of `pairs` times the same `outputs` units into steps: rate x (label - prediction). Gives the mean
    /// loss of the pairs if asked to, else 0. Scores are filled up to whole lanes; what stands there has no meaning
    /// before and after.
    #[inline(always)]
    fn step(&self, scores: &mut [f32], word: u32, labels: &[f32], outputs: usize, pairs: usize, ask: bool) -> f64 {
        let softmax = matches!(self.targets, Targets::Softmax);
        let mut loss = 0.0;
        if !softmax {
            kernels::sigmoids(scores);
        }
        for scores in scores.chunks_exact_mut(outputs.max(1)).take(pairs) {
            if softmax {
                kernels::softmax(scores);
                if ask {
                    loss -= natural_log(scores[word as usize]) / pairs as f64;
                }
                for (row, score) in scores.iter_mut().enumerate() {
                    *score = self.rate * (f32::from(row == word as usize) - *score);
                }
            } else {
                for (score, &label) in scores.iter_mut().zip(labels) {
                    if ask {
                        loss -= natural_log(if label == 1.0 { *score } else { 1.0 - *score });
                    }
                    *score = self.rate * (label - *score);
                }
            }
        }
        if softmax { loss } else { loss / pairs as f64 }
    }
}

/// ln p; a prediction that rounded to 0 counts as 1e-30, a NaN stays one.
fn natural_log(p: f32) -> f64 {
    if p < 1e-30 { libm::log(1e-30) } else { libm::log(f64::from(p)) }
}
