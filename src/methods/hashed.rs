//! The hashed portrait: tf-idf weights times random word vectors, a fixed number of dimensions a paper.
//!
//! A portrait of word2vec vectors blurs what tells one paper from the next, because related words lie close together. A
//! random vector for each word keeps it: the product of two such portraits is the sparse tf-idf cosine plus an error of
//! mean 0 and standard deviation of about 1 / sqrt(dims) (Achlioptas, "Database-friendly random projections", 2003: signs
//! are enough; Johnson and Lindenstrauss 1984). So it is the tf-idf cosine in a few hundred bytes a paper and one dot
//! product a pair, without a training and without a vocabulary: the signs of a word follow from its hash alone.
//!
//! The steps, for each paper: (1) words and letter 4-grams, each kind weighed by (1 + ln n) ln (N / df) and scaled to
//! length 1; (2) a word that no other paper has is weighed less, because it can agree with nothing, and because a garbled
//! word, being the rarest of all, would lead the portrait; (3) the same for the title alone, whose vector is added to that
//! of the whole, so that a record of which only the title is left stays near; (4) the sum of the weights times the signs of
//! each. Steps 2 and 3 are what carries 200 dimensions past the sparse cosine over words and letter grams; the experiments
//! `better-copies`, `better-revisions` and `better-labelled` measure each by itself.
//!
//! Time O(dims) for each feature of each paper, memory 4 dims bytes a paper and dims bits a distinct feature.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::features::{FeatureParams, Units};
use super::{Input, Matcher, Method, MethodError, RowMatcher};
use crate::corpus::PaperId;
use crate::keywords::{InverseFrequency, TermFrequency};
use crate::matrix::Matrix;
use crate::portrait::{Common, Portraits};
use crate::progress::Run;
use crate::similarity::{AllPairs, Measure};
use crate::text::AnalyzerParams;

/// Random vectors instead of trained ones. A paper without a word of weight above 0 matches nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct HashedPortrait {
    /// How texts become tokens.
    pub text: AnalyzerParams,
    /// Numbers in a portrait; 4 bytes each.
    pub dims: u32,
    /// Words, letter grams or both.
    pub units: Units,
    /// Letters in a gram.
    pub gram: u32,
    /// The part that letter grams make of the cosine where both are used, from 0 to 1.
    pub letter_share: f64,
    /// What the number of times that a word stands in the paper makes.
    pub tf: TermFrequency,
    /// What the number of papers that hold a word makes.
    pub idf: InverseFrequency,
    /// How much the title counts by itself: its own portrait, of this length, is added to that of the whole text, of
    /// length 1. A copy of which only the title is left stays nearer to its original, and so does a record without an
    /// abstract. Without effect where the text is the title alone.
    pub title_weight: f64,
    /// What the weight of a word that no other paper has is multiplied by, from 0 to 1. Such a word can agree with nothing:
    /// it only makes the portrait longer, and a garbled word, being the rarest of all, would lead it.
    pub lone: f64,
    /// Whether the mean of all portraits is taken from each.
    pub centre: bool,
    /// How many of the strongest directions of all portraits are removed.
    pub directions: u32,
}

impl Default for HashedPortrait {
    fn default() -> HashedPortrait {
        HashedPortrait {
            text: AnalyzerParams::default(),
            dims: 200,
            units: Units::Both,
            gram: 4,
            letter_share: 0.5,
            tf: TermFrequency::Log,
            idf: InverseFrequency::Plain,
            title_weight: 0.3,
            lone: 0.2,
            centre: false,
            directions: 0,
        }
    }
}

impl HashedPortrait {
    /// The portraits themselves, one row a paper: for other programs, and for [`Method::prepare`].
    ///
    /// # Errors
    /// If a parameter is out of its range.
    pub fn portraits(&self, input: Input<'_>, run: &Run) -> Result<Portraits, MethodError> {
        let method = self.name();
        let parameter = |reason: &str| MethodError::Parameter { method, reason: reason.to_owned() };
        if self.dims == 0 || self.dims > 1 << 16 {
            return Err(parameter("dims: wanted a number of dimensions from 1 to 65536"));
        }
        if self.directions >= self.dims {
            return Err(parameter("directions: wanted fewer than dims"));
        }
        let params = FeatureParams {
            text: &self.text,
            units: self.units,
            gram: self.gram,
            letter_share: self.letter_share,
            tf: self.tf,
            idf: self.idf,
            title_weight: self.title_weight,
            lone: self.lone,
        };
        let features = params.features(method, input, run)?;
        let signs: Vec<Signs> = (0u64..)
            .zip(&features.parts)
            .map(|(kind, part)| Signs::of(part.tokens.words(), kind, self.dims as usize))
            .collect();
        let weighers = features.weighers();
        let dims = self.dims as usize;
        let mut rows = Matrix::zeros((input.corpus.len(), dims));
        let all = rows.as_slice_mut().expect("a matrix made in standard layout is in one piece");
        all.par_chunks_mut(dims).enumerate().for_each_init(
            || vec![0.0; dims.next_multiple_of(64)],
            |sum, (paper, row)| {
                sum.fill(0.0);
                features
                    .visit(&weighers, PaperId(paper as u32), |kind, word, weight| signs[kind].add(word, weight, sum));
                row.iter_mut().zip(sum).for_each(|(x, sum)| *x = *sum as f32);
            },
        );
        if self.centre || self.directions > 0 {
            let common = Common::of(&rows, self.centre, self.directions as usize);
            let all = rows.as_slice_mut().expect("a matrix made in standard layout is in one piece");
            all.par_chunks_mut(dims).filter(|row| row.iter().any(|&x| x != 0.0)).for_each(|row| common.remove(row));
        }
        Ok(Portraits::from_rows(rows))
    }
}

/// The signs of words: one bit a dimension.
struct Signs {
    bits: Vec<u64>,
    /// Numbers of 64 bits a word.
    width: usize,
    /// 1 / sqrt(dims): what makes a word's vector one of length 1.
    unit: f64,
}

impl Signs {
    fn of(words: &[String], kind: u64, dims: usize) -> Signs {
        let width = dims.div_ceil(64);
        let mut bits = vec![0; words.len() * width];
        bits.par_chunks_mut(width).zip(words).for_each(|(bits, word)| {
            // Kind and place seed the hash: words and grams written alike have nothing in common.
            (0u64..)
                .zip(bits)
                .for_each(|(place, bits)| *bits = xxh3_64_with_seed(word.as_bytes(), (kind << 32) + place));
        });
        Signs { bits, width, unit: 1.0 / (dims as f64).sqrt() }
    }

    /// Adds the word's vector, `weight` times. `sum` is as long as the bits; what lies behind the dimensions is not used.
    fn add(&self, word: u32, weight: f64, sum: &mut [f64]) {
        let weight = (weight * self.unit).to_bits();
        let bits = &self.bits[word as usize * self.width..][..self.width];
        for (&bits, sums) in bits.iter().zip(sum.chunks_exact_mut(64)) {
            // The lowest bit in front of the sign: added or taken away without a branch.
            sums.iter_mut().enumerate().for_each(|(place, sum)| *sum += f64::from_bits(weight ^ (bits >> place << 63)));
        }
    }
}

impl Method for HashedPortrait {
    fn name(&self) -> &'static str {
        "hashed-portrait"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        let portraits = self.portraits(input, &run)?;
        super::rows::warn_unmatchable(&run, self.name(), portraits.missing(), "a word of weight above 0");
        Ok(Box::new(RowMatcher::new(AllPairs::owning(portraits.into_rows(), Measure::Cosine), run)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Corpus, Pair, Paper};
    use crate::methods::TfIdf;
    use crate::methods::conformance::conforms;
    use crate::seed::Seed;

    fn corpus(texts: &[(&str, &str)]) -> Corpus {
        let paper = |&(title, text): &(&str, &str)| Paper {
            id: text.into(),
            title: title.into(),
            abstract_text: text.into(),
            ..Paper::default()
        };
        Corpus::new(texts.iter().map(paper).collect())
    }

    #[test]
    fn it_conforms() {
        let texts = [
            ("fog horn", "on the ferry"),
            ("the ferry", "has a fog horn"),
            ("lamp", "bell bell"),
            ("tram lines", ""),
            ("", "tram line bees"),
            ("", ""),
            ("the", "of"),
            ("bell lamp", "bell"),
            ("fog horn ferry", ""),
        ];
        conforms(&HashedPortrait::default(), &corpus(&texts), None, &["1", "0.6", "0", "-1"]);
        let other =
            HashedPortrait { dims: 70, units: Units::Words, title_weight: 3.0, lone: 1.0, ..HashedPortrait::default() };
        conforms(&other, &corpus(&texts), None, &["0.9", "0.2"]);
    }

    #[test]
    fn products_are_the_sparse_cosine_but_for_a_small_error() {
        let mut stream = Seed(2).stream("hashed/test");
        let words: Vec<String> = (0..300).map(|n| format!("w{n}")).collect();
        let texts: Vec<String> = (0..60)
            .map(|_| (0..40).map(|_| words[stream.below(300) as usize].clone() + " ").collect::<String>())
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|text| ("", text.as_str())).collect();
        let corpus = corpus(&texts);
        let hashed = HashedPortrait { dims: 4096, tf: TermFrequency::Relative, ..HashedPortrait::default() };
        let sparse = TfIdf { units: Units::Both, ..TfIdf::default() };
        let prepare =
            |method: &dyn Method| method.prepare(Input::of(&corpus), Run::default()).map_err(|e| e.to_string());
        let (Ok(hashed), Ok(sparse)) = (prepare(&hashed), prepare(&sparse)) else { panic!("both can be prepared") };
        let mut square = 0.0;
        for x in 0..60 {
            for y in x + 1..60 {
                let pair = Pair::new(PaperId(x), PaperId(y)).unwrap();
                square += (hashed.score(pair).value() - sparse.score(pair).value()).powi(2);
            }
        }
        let deviation = (square / (60.0 * 59.0 / 2.0f64)).sqrt();
        assert!(deviation < 1.2 / 64.0 && deviation > 0.2 / 64.0, "{deviation}");
    }

    #[test]
    fn the_title_counts_as_often_as_it_is_told_and_common_parts_go() {
        let corpus =
            corpus(&[("fog horn", "harbour lamp signals"), ("fog horn", ""), ("dust", "winter prices of ferry trams")]);
        let score = |method: HashedPortrait| {
            let matcher = method.prepare(Input::of(&corpus), Run::default()).unwrap();
            matcher.score(Pair::new(PaperId(0), PaperId(1)).unwrap())
        };
        let plain = HashedPortrait { dims: 96, ..HashedPortrait::default() };
        assert!(score(HashedPortrait { title_weight: 5.0, ..plain.clone() }) > score(plain.clone()));
        let without = HashedPortrait { centre: true, directions: 1, ..plain.clone() };
        let portraits = without.portraits(Input::of(&corpus), &Run::default()).unwrap();
        // Three rows less their mean span a plane; without its first direction one line is left.
        let common = Common::of(portraits.rows(), false, 3);
        assert_eq!(common.directions().iter().filter(|d| d.iter().any(|&x| x != 0.0)).count(), 1);
        for wrong in [
            HashedPortrait { dims: 0, ..plain.clone() },
            HashedPortrait { title_weight: f64::NAN, ..plain.clone() },
            HashedPortrait { lone: 1.5, ..plain.clone() },
            HashedPortrait { directions: 96, ..plain.clone() },
        ] {
            assert!(wrong.prepare(Input::of(&corpus), Run::default()).err().unwrap().to_string().contains("wanted"));
        }
    }
}
