//! Two rivals that hash pieces of the normalised text: fixed blocks and content-defined chunks.
//!
//! Both come from storage systems, where equal pieces are stored once. One letter put in at the front moves every fixed
//! block and leaves all but one content-defined chunk alone (Muthitacharoen, Chen and Mazières, SOSP 2001; FastCDC: Xia and
//! others, USENIX ATC 2016).

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::sets::{Measure, PIECES, SetMatcher};
use super::{Input, Matcher, Method, MethodError};
use crate::progress::Run;
use crate::sketch::joins::Join;
use crate::text::{ShingleSets, plain_words};

/// The share of common blocks of a fixed number of letters; the last one may be shorter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct FixedBlocks {
    /// Letters of a block; at least 1.
    pub letters: u32,
    /// How common blocks become a score.
    pub measure: Measure,
}

impl Default for FixedBlocks {
    fn default() -> FixedBlocks {
        FixedBlocks { letters: 64, measure: Measure::Jaccard }
    }
}

impl Method for FixedBlocks {
    fn name(&self) -> &'static str {
        "fixed-blocks"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let method = self.name();
        if self.letters == 0 {
            return Err(MethodError::Parameter { method, reason: "letters is 0; wanted at least 1".into() });
        }
        let sets = ShingleSets::make(input.corpus.len(), |paper| {
            fixed_blocks(&plain_words(&input.corpus.papers()[paper].text(input.fields)), self.letters as usize)
        });
        Ok(Box::new(SetMatcher::new(method, PIECES, &sets, self.measure, Join::Best, &run, "a text")))
    }
}

/// Hashes of the blocks of a text, in order.
fn fixed_blocks(text: &str, letters: usize) -> Vec<u64> {
    let mut starts: Vec<usize> = text.char_indices().step_by(letters).map(|(at, _)| at).collect();
    starts.push(text.len());
    starts.windows(2).map(|w| xxh3_64(&text.as_bytes()[w[0]..w[1]])).collect()
}

/// The share of common content-defined chunks: a chunk ends where a rolling hash of the last bytes says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Chunks {
    /// No chunk but the last is shorter, in bytes; from 64.
    pub least: u32,
    /// The length aimed at, in bytes; from 256.
    pub average: u32,
    /// No chunk is longer, in bytes; from 1024.
    pub most: u32,
    /// How common chunks become a score.
    pub measure: Measure,
}

impl Default for Chunks {
    /// The shortest chunks that FastCDC cuts: an abstract of 1,200 bytes has about five.
    fn default() -> Chunks {
        Chunks { least: 64, average: 256, most: 1024, measure: Measure::Jaccard }
    }
}

impl Chunks {
    fn check(&self, method: &'static str) -> Result<(), MethodError> {
        use fastcdc::v2020::{AVERAGE_MAX, AVERAGE_MIN, MAXIMUM_MAX, MAXIMUM_MIN, MINIMUM_MAX, MINIMUM_MIN};
        let limits = [
            ("least", self.least, MINIMUM_MIN, MINIMUM_MAX),
            ("average", self.average, AVERAGE_MIN, AVERAGE_MAX),
            ("most", self.most, MAXIMUM_MIN, MAXIMUM_MAX),
        ];
        for (name, found, from, to) in limits {
            if !(from..=to).contains(&found) {
                let reason = format!("{name} is {found} bytes; wanted {from} to {to}");
                return Err(MethodError::Parameter { method, reason });
            }
        }
        if !(self.least <= self.average && self.average <= self.most) {
            let reason =
                format!("wanted least <= average <= most, found {} {} {}", self.least, self.average, self.most);
            return Err(MethodError::Parameter { method, reason });
        }
        Ok(())
    }

    fn hashes(&self, text: &str) -> Vec<u64> {
        fastcdc::v2020::FastCDC::new(text.as_bytes(), self.least, self.average, self.most)
            .map(|chunk| xxh3_64(&text.as_bytes()[chunk.offset..chunk.offset + chunk.length]))
            .collect()
    }
}

impl Method for Chunks {
    fn name(&self) -> &'static str {
        "chunks"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        self.check(self.name())?;
        let sets = ShingleSets::make(input.corpus.len(), |paper| {
            self.hashes(&plain_words(&input.corpus.papers()[paper].text(input.fields)))
        });
        Ok(Box::new(SetMatcher::new(self.name(), PIECES, &sets, self.measure, Join::Best, &run, "a text")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::tests::story;

    #[test]
    fn one_letter_in_front_moves_fixed_blocks_and_not_chunks() {
        let text = story(3, 600);
        let moved = format!("x{text}");
        let shared = |one: Vec<u64>, other: Vec<u64>| (one.iter().filter(|h| other.contains(h)).count(), one.len());
        assert_eq!(shared(fixed_blocks(&text, 64), fixed_blocks(&moved, 64)).0, 0);
        let chunks = Chunks::default();
        let (common, all) = shared(chunks.hashes(&text), chunks.hashes(&moved));
        assert!(all > 6 && common + 2 >= all, "{common} of {all}");
    }

    #[test]
    fn blocks_hold_letters_not_bytes_and_the_last_is_short() {
        assert_eq!(fixed_blocks("äöüäöüx", 3).len(), 3);
        assert_eq!(fixed_blocks("äöüäöü", 3), vec![xxh3_64("äöü".as_bytes()); 2]);
        assert!(fixed_blocks("", 3).is_empty());
    }
}
