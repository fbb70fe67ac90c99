//! The weighted words and letter grams of each paper: what the sparse cosine and the hashed portrait are made of.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Input, MethodError};
use crate::corpus::{Field, PaperId};
use crate::keywords::{
    DocumentFrequencies, InverseFrequency, K, Keyword, KeywordParams, Keywording, TermFrequency, Weigher, WordCount,
};
use crate::progress::Run;
use crate::text::{AnalyzerParams, Tokens, letter_grams};

/// What a text is taken apart into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Units {
    /// Its words.
    #[default]
    Words,
    /// The letter n-grams of its words, a blank at either end of each.
    Letters,
    /// Both, each scaled to its share of the whole.
    Both,
}

/// How texts become weighted features.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FeatureParams<'p> {
    pub text: &'p AnalyzerParams,
    pub units: Units,
    pub gram: u32,
    pub letter_share: f64,
    pub tf: TermFrequency,
    pub idf: InverseFrequency,
    /// The length of the title's own part, added to that of the whole text, which is 1.
    pub title_weight: f64,
    /// The factor of a feature that no other paper has.
    pub lone: f64,
}

/// Words, letter grams or both, of every paper.
pub(super) struct Features {
    pub parts: Vec<Part>,
    keywording: Keywording,
    title_weight: f64,
}

/// One kind of feature.
pub(super) struct Part {
    pub tokens: Tokens,
    pub frequencies: DocumentFrequencies,
    /// The part of the cosine that this kind makes.
    share: f64,
    /// 1, or what a feature of one paper alone is multiplied by; by its number in `tokens`.
    factors: Vec<f64>,
    /// The features of the titles alone, where these count by themselves.
    titles: Option<Titles>,
}

/// The features of the titles alone.
struct Titles {
    tokens: Tokens,
    /// The number in the whole text's tokens of each of them; `None` for one that is there no word of its own, because
    /// the whole text was taken for another language than the title, with other stop words or stems.
    places: Vec<Option<u32>>,
}

impl Titles {
    fn of(tokens: Tokens, whole: &Tokens) -> Titles {
        let known: FxHashMap<&str, u32> = whole.words().iter().map(String::as_str).zip(0..).collect();
        let place = |word: &String| known.get(word.as_str()).copied();
        Titles { places: tokens.words().iter().map(place).collect(), tokens }
    }
}

/// Weighs the features of one kind.
pub(super) struct PartWeigher<'f> {
    whole: Weigher<'f>,
    titles: Option<Weigher<'f>>,
}

impl FeatureParams<'_> {
    pub fn features(&self, method: &'static str, input: Input<'_>, run: &Run) -> Result<Features, MethodError> {
        let parameter = |reason: String| MethodError::Parameter { method, reason };
        if self.gram == 0 {
            return Err(parameter("gram = 0: wanted letter grams of at least one letter".into()));
        }
        if !(0.0..=1.0).contains(&self.letter_share) {
            return Err(parameter(format!("letter-share = {}: wanted a share from 0 to 1", self.letter_share)));
        }
        if !(0.0..=100.0).contains(&self.title_weight) {
            return Err(parameter(format!("title-weight = {}: wanted a number from 0 to 100", self.title_weight)));
        }
        if !(0.0..=1.0).contains(&self.lone) {
            return Err(parameter(format!("lone = {}: wanted a factor from 0 to 1", self.lone)));
        }
        let analyzer = self.text.clone().check().map_err(|error| parameter(error.to_string()))?;
        let params = KeywordParams { k: K::All, tf: self.tf, idf: self.idf };
        let keywording = params.check().map_err(|error| parameter(error.to_string()))?;
        let grams = |words: &Tokens| words.pieces(|word, visit| letter_grams(word, self.gram as usize, visit));
        let kinds = |words: Tokens| match self.units {
            Units::Words => vec![words],
            Units::Letters => vec![grams(&words)],
            Units::Both => {
                let letters = grams(&words);
                vec![words, letters]
            }
        };
        let whole = kinds(Tokens::of_corpus(input.corpus, input.fields, &analyzer, run));
        // A text of nothing but the title has no other part that it could be weighed against.
        let apart = self.title_weight > 0.0 && input.fields.contains(&Field::Title) && input.fields.len() > 1;
        let titles: Vec<Option<Tokens>> = match apart {
            true => {
                kinds(Tokens::of_corpus(input.corpus, &[Field::Title], &analyzer, run)).into_iter().map(Some).collect()
            }
            false => whole.iter().map(|_| None).collect(),
        };
        let shares = match self.units {
            Units::Both => vec![1.0 - self.letter_share, self.letter_share],
            Units::Words | Units::Letters => vec![1.0],
        };
        let parts = whole.into_iter().zip(titles).zip(shares).map(|((tokens, titles), share)| {
            let frequencies = DocumentFrequencies::of(&tokens);
            let lone = |count: Option<WordCount>| if count.is_some_and(|c| c.papers == 1) { self.lone } else { 1.0 };
            Part {
                factors: frequencies.aligned(&tokens).into_iter().map(lone).collect(),
                titles: titles.map(|titles| Titles::of(titles, &tokens)),
                frequencies,
                tokens,
                share,
            }
        });
        Ok(Features { parts: parts.collect(), keywording, title_weight: self.title_weight })
    }
}

impl Features {
    /// A weigher for each kind of feature.
    pub fn weighers(&self) -> Vec<PartWeigher<'_>> {
        let weigher = |part, tokens| Weigher::new(tokens, part, &self.keywording);
        self.parts
            .iter()
            .map(|part| PartWeigher {
                whole: weigher(&part.frequencies, &part.tokens),
                titles: part.titles.as_ref().map(|titles| weigher(&part.frequencies, &titles.tokens)),
            })
            .collect()
    }

    /// Visits the features of a paper that weigh something: kind, number and weight, each once. The weights of each kind
    /// are scaled so that the squares sum to the kind's share, and those of the title alone, likewise, are added; kinds in
    /// order, features by word.
    pub fn visit(&self, weighers: &[PartWeigher<'_>], paper: PaperId, mut visit: impl FnMut(usize, u32, f64)) {
        let mut words: Vec<Keyword> = Vec::new();
        let mut all: Vec<(u32, f64)> = Vec::new();
        for (kind, (part, weigher)) in self.parts.iter().zip(weighers).enumerate().filter(|(_, (p, _))| p.share > 0.0) {
            // By word, not by number: a permuted corpus numbers them differently, and a sum must not change with that.
            let by_word = |x: &(u32, f64), y: &(u32, f64)| part.tokens.word(x.0).cmp(part.tokens.word(y.0));
            let mut add = |words: &[Keyword], place: &dyn Fn(u32) -> Option<u32>, length: f64| {
                let start = all.len();
                let weighed = words.iter().filter_map(|word| {
                    let place = place(word.word)?;
                    Some((place, word.weight * part.factors[place as usize]))
                });
                all.extend(weighed.filter(|word| word.1 > 0.0));
                all[start..].sort_unstable_by(by_word);
                let square: f64 = all[start..].iter().map(|word| word.1 * word.1).sum();
                let scale = length * (part.share / square).sqrt();
                all[start..].iter_mut().for_each(|word| word.1 *= scale);
            };
            weigher.whole.weigh(paper, &mut words);
            add(&words, &Some, 1.0);
            if let (Some(weigher), Some(titles)) = (&weigher.titles, &part.titles) {
                weigher.weigh(paper, &mut words);
                add(&words, &|word| titles.places[word as usize], self.title_weight);
                // Stable: the weight in the whole text stands before that in the title.
                all.sort_by(by_word);
            }
            for same in all.chunk_by(|x, y| x.0 == y.0) {
                visit(kind, same[0].0, same.iter().map(|word| word.1).sum());
            }
            all.clear();
        }
    }
}
