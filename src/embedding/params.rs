//! The parameters of word2vec training, as written and as checked.

use serde::{Deserialize, Serialize};

use super::EmbeddingError;

/// What is predicted from what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Architecture {
    /// Continuous bag of words: a word from the mean of the words around it. What the paper's experiments use.
    #[default]
    Cbow,
    /// A word from each single word around it.
    SkipGram,
}

/// How a prediction is turned into a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// Tell the word from `negative` drawn ones (Mikolov et al. 2013b, section 2.2).
    #[default]
    NegativeSampling,
    /// The word's path through a Huffman tree (Mikolov et al. 2013b, section 2.1).
    HierarchicalSoftmax,
    /// Softmax over the whole vocabulary with cross-entropy, exactly: V output rows a window, for small vocabularies
    /// and as the measure of the other two.
    Softmax,
}

macro_rules! names {
    ($type:ident, $what:literal, $($variant:ident = $name:literal),+) => {
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($type::$variant => $name),+ })
            }
        }
        impl std::str::FromStr for $type {
            type Err = String;
            fn from_str(name: &str) -> Result<$type, String> {
                match name {
                    $($name => Ok($type::$variant),)+
                    _ => Err(format!(concat!("{:?} is no ", $what, "; wanted one of: ", $($name, " "),+), name)),
                }
            }
        }
    };
}
names!(Architecture, "architecture", Cbow = "cbow", SkipGram = "skip-gram");
names!(
    Loss,
    "loss",
    NegativeSampling = "negative-sampling",
    HierarchicalSoftmax = "hierarchical-softmax",
    Softmax = "softmax"
);

/// The parameters of word2vec, unchecked. The names are those of the command line's flags.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Word2VecParams {
    /// What is predicted from what.
    pub architecture: Architecture,
    /// How a prediction is turned into a loss.
    pub loss: Loss,
    /// N, the numbers of a vector.
    pub dims: usize,
    /// The words looked at on each side are drawn from 1 to this, anew for every place of the text.
    pub window: usize,
    /// How often the text is gone through. 0 leaves the vectors as they are drawn at first.
    pub epochs: usize,
    /// A word that occurs less often has no vector.
    pub min_count: u64,
    /// Subsampling of frequent words: a word with share f of the text is kept with probability
    /// (sqrt(f / sample) + 1) sample / f. 0 keeps every word.
    pub sample: f64,
    /// Vectors begin as numbers drawn evenly between -init / N and init / N: 1 is gensim's, 0.5 word2vec.c's. Rare words
    /// keep much of it, and a portrait is made of rare words: from 0.5 to 4 more edited copies are found with each step,
    /// and the loss falls too.
    pub init: f64,
    /// The step at the beginning.
    pub learning_rate: f64,
    /// The step at the end; it falls linearly with the words gone through.
    pub min_learning_rate: f64,
    /// Drawn words a window; negative sampling only.
    pub negative: usize,
    /// Words are drawn with probability proportional to count to this power.
    pub ns_exponent: f64,
    /// The most words that get a vector, the most frequent ones; `None` is no limit.
    pub max_vocabulary: Option<usize>,
    /// How many places of the text are trained on side by side. Part of the result: more of them let more threads
    /// work, up to that number.
    pub shards: usize,
    /// Windows whose gradients are computed against the same numbers before any is applied, over all shards. `None`:
    /// as many as move no row blindly by more than [`Word2Vec::STALE_STEPS`], 2048 at most, 512 with a `group` of 1.
    pub block: Option<usize>,
    /// Neighbouring windows that share their drawn words, so that their work becomes small matrix products. 1 draws anew
    /// for each window, as word2vec.c does: half as fast, and edited copies are found a tenth less often. Negative
    /// sampling only; the other losses take each window by itself.
    pub group: usize,
    /// Threads write over each other as they come (Niu et al. 2011): the result is another one each time, and says so.
    pub hogwild: bool,
}

impl Default for Word2VecParams {
    fn default() -> Word2VecParams {
        Word2VecParams {
            architecture: Architecture::Cbow,
            loss: Loss::NegativeSampling,
            dims: 100,
            window: 5,
            epochs: 5,
            min_count: 5,
            sample: 1e-3,
            init: 2.0,
            learning_rate: 0.025,
            min_learning_rate: 1e-4,
            negative: 5,
            ns_exponent: 0.75,
            max_vocabulary: None,
            shards: 16,
            block: None,
            group: 8,
            hogwild: false,
        }
    }
}

impl Word2VecParams {
    /// Neighbouring windows that share their drawn words.
    pub(super) fn group(&self) -> usize {
        match self.loss {
            Loss::NegativeSampling => self.group,
            Loss::HierarchicalSoftmax | Loss::Softmax => 1,
        }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// Names the parameter, its value and what is possible.
    pub fn check(self) -> Result<Word2Vec, EmbeddingError> {
        let wrong = |name, found: String, wanted| Err(EmbeddingError::Parameter { name, found, wanted });
        let p = &self;
        if !(1..=65_536).contains(&p.dims) {
            return wrong("dims", p.dims.to_string(), "1 to 65536");
        }
        if !(1..=1_000).contains(&p.window) {
            return wrong("window", p.window.to_string(), "1 to 1000");
        }
        if p.epochs > 100_000 {
            return wrong("epochs", p.epochs.to_string(), "0 to 100000");
        }
        if p.min_count == 0 {
            return wrong("min-count", "0".into(), "1 or more");
        }
        if !(p.sample >= 0.0 && p.sample <= 1.0) {
            return wrong("sample", p.sample.to_string(), "0 (off) to 1");
        }
        if !(p.init > 0.0 && p.init <= 1e6) {
            return wrong("init", p.init.to_string(), "a number above 0, at most 1000000");
        }
        if !(p.learning_rate > 0.0 && p.learning_rate.is_finite()) {
            return wrong("learning-rate", p.learning_rate.to_string(), "a number above 0");
        }
        if !(p.min_learning_rate >= 0.0 && p.min_learning_rate <= p.learning_rate) {
            return wrong("min-learning-rate", p.min_learning_rate.to_string(), "0 to the learning rate");
        }
        if p.loss == Loss::NegativeSampling && !(1..=1_000).contains(&p.negative) {
            return wrong("negative", p.negative.to_string(), "1 to 1000");
        }
        if !(-4.0..=4.0).contains(&p.ns_exponent) {
            return wrong("ns-exponent", p.ns_exponent.to_string(), "-4 to 4");
        }
        if p.max_vocabulary == Some(0) {
            return wrong("max-vocabulary", "0".into(), "1 or more");
        }
        if !(1..=1_024).contains(&p.shards) {
            return wrong("shards", p.shards.to_string(), "1 to 1024");
        }
        if let Some(block) = p.block.filter(|block| !(1..=1 << 20).contains(block)) {
            return wrong("block", block.to_string(), "1 to 1048576");
        }
        if !(1..=256).contains(&p.group) {
            return wrong("group", p.group.to_string(), "1 to 256");
        }
        Ok(Word2Vec { params: self })
    }
}

/// Word2vec with checked parameters.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Word2Vec {
    params: Word2VecParams,
}

impl Word2Vec {
    /// The longest way that one row may go blindly: updates computed against the same numbers, times the learning rate,
    /// expected for the most frequent row. At the usual learning rate of 0.025 these are 32 updates. In a
    /// `group` the rows of a usual window go so far, and the most frequent row five times.
    pub const STALE_STEPS: f64 = 0.8;

    /// The parameters.
    pub fn params(&self) -> &Word2VecParams {
        &self.params
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_parameter_is_named_with_its_value() {
        let message = |change: fn(&mut Word2VecParams)| {
            let mut params = Word2VecParams::default();
            change(&mut params);
            params.check().unwrap_err().to_string()
        };
        assert_eq!(message(|p| p.learning_rate = f64::NAN), "--learning-rate is NaN; wanted a number above 0");
        assert_eq!(message(|p| p.learning_rate = -0.1), "--learning-rate is -0.1; wanted a number above 0");
        assert_eq!(message(|p| p.dims = 0), "--dims is 0; wanted 1 to 65536");
        assert_eq!(message(|p| p.sample = f64::NAN), "--sample is NaN; wanted 0 (off) to 1");
        assert_eq!(message(|p| p.min_learning_rate = 1.0), "--min-learning-rate is 1; wanted 0 to the learning rate");
    }

    #[test]
    fn an_unknown_field_is_refused_and_names_are_the_flags() {
        let params: Word2VecParams =
            toml::from_str("architecture = \"skip-gram\"\nloss = \"softmax\"\nmin-count = 2\nmax-vocabulary = 9")
                .unwrap();
        assert_eq!((params.architecture, params.loss), (Architecture::SkipGram, Loss::Softmax));
        assert_eq!((params.min_count, params.max_vocabulary), (2, Some(9)));
        let error = toml::from_str::<Word2VecParams>("alpha = 1.0").unwrap_err().to_string();
        assert!(error.contains("unknown field `alpha`"), "{error}");
        assert_eq!("skip-gram".parse(), Ok(Architecture::SkipGram));
        assert_eq!(Loss::HierarchicalSoftmax.to_string(), "hierarchical-softmax");
    }
}
