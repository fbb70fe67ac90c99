//! The weighted words and letter grams of each paper: what the sparse cosine and the hashed portrait are made of.

use serde::{Deserialize, Serialize};

use super::{Input, MethodError};
use crate::corpus::PaperId;
use crate::keywords::{
    DocumentFrequencies, InverseFrequency, K, Keyword, KeywordParams, Keywording, TermFrequency, Weigher,
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
}

/// Words, letter grams or both, of every paper.
pub(super) struct Features {
    pub parts: Vec<Part>,
    keywording: Keywording,
}

/// One kind of feature.
pub(super) struct Part {
    pub tokens: Tokens,
    pub frequencies: DocumentFrequencies,
    /// The part of the cosine that this kind makes.
    share: f64,
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
        let analyzer = self.text.clone().check().map_err(|error| parameter(error.to_string()))?;
        let params = KeywordParams { k: K::All, tf: self.tf, idf: self.idf };
        let keywording = params.check().map_err(|error| parameter(error.to_string()))?;
        let words = Tokens::of_corpus(input.corpus, input.fields, &analyzer, run);
        let grams = |words: &Tokens| words.pieces(|word, visit| letter_grams(word, self.gram as usize, visit));
        let kinds = match self.units {
            Units::Words => vec![(words, 1.0)],
            Units::Letters => vec![(grams(&words), 1.0)],
            Units::Both => {
                let letters = grams(&words);
                vec![(words, 1.0 - self.letter_share), (letters, self.letter_share)]
            }
        };
        let part = |(tokens, share)| Part { frequencies: DocumentFrequencies::of(&tokens), tokens, share };
        Ok(Features { parts: kinds.into_iter().map(part).collect(), keywording })
    }
}

impl Features {
    /// A weigher for each kind of feature.
    pub fn weighers(&self) -> Vec<Weigher<'_>> {
        self.parts.iter().map(|part| Weigher::new(&part.tokens, &part.frequencies, &self.keywording)).collect()
    }

    /// Visits the features of a paper that weigh something: kind, number and weight. The weights of each kind are scaled
    /// so that the squares sum to the kind's share; kinds in order, numbers ascending.
    pub fn visit(&self, weighers: &[Weigher<'_>], paper: PaperId, mut visit: impl FnMut(usize, u32, f64)) {
        let mut words: Vec<Keyword> = Vec::new();
        for (kind, (part, weigher)) in self.parts.iter().zip(weighers).enumerate() {
            weigher.weigh(paper, &mut words);
            words.retain(|word| word.weight > 0.0);
            // By word, not by number: a permuted corpus numbers them differently, and a sum must not change with that.
            words.sort_unstable_by(|x, y| part.tokens.word(x.word).cmp(part.tokens.word(y.word)));
            let square: f64 = words.iter().map(|word| word.weight * word.weight).sum();
            let scale = (part.share / square).sqrt();
            words.iter().filter(|_| part.share > 0.0).for_each(|word| visit(kind, word.word, word.weight * scale));
        }
    }
}
