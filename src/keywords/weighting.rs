//! The schemes that a word is weighed by.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document_frequencies::WordCount;

/// Which words of a paper are its keywords, and what they weigh: weight = tf * idf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KeywordParams {
    /// How many words of greatest weight are kept, 10 by default; `all` keeps every word.
    pub k: K,
    /// What the number of times that the word stands in the paper makes.
    pub tf: TermFrequency,
    /// What the number of papers that hold the word makes.
    pub idf: InverseFrequency,
}

/// How many keywords a paper has at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum K {
    /// The so many words of greatest weight; at least 1.
    Best(u32),
    /// Every word.
    All,
}

impl Default for K {
    fn default() -> K {
        K::Best(10)
    }
}

impl K {
    /// The most words that are kept.
    pub fn limit(self) -> usize {
        match self {
            K::Best(k) => k as usize,
            K::All => usize::MAX,
        }
    }
}

impl fmt::Display for K {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            K::Best(k) => k.fmt(f),
            K::All => f.write_str("all"),
        }
    }
}

/// A whole number from 1, or `all`.
impl FromStr for K {
    type Err = KeywordError;
    fn from_str(text: &str) -> Result<K, KeywordError> {
        match text.parse() {
            Ok(k) if k > 0 => Ok(K::Best(k)),
            _ if text == "all" => Ok(K::All),
            _ => Err(KeywordError::K(text.to_owned())),
        }
    }
}

impl Serialize for K {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            K::Best(k) => serializer.serialize_u32(*k),
            K::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for K {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<K, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(i64),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Parameters out of their range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeywordError {
    /// No number of words.
    #[error("k = {0}: wanted a whole number from 1, or all")]
    K(String),
}

/// What the number of times that a word stands in a paper makes. n is that number, len the number of words of the paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TermFrequency {
    /// n / len, as in the paper.
    #[default]
    Relative,
    /// n.
    Raw,
    /// 1 + ln n.
    Log,
    /// 1.
    Binary,
    /// 2.2 n / (n + 1.2 (0.25 + 0.75 len / mean len)), the saturation of Okapi BM25 with k1 = 1.2, b = 0.75. The mean is
    /// over the papers of the table; where the table does not know it, len / mean len is 1.
    Bm25,
}

/// What the number of papers that hold a word makes. N is the number of papers, df of those with the word.
///
/// A word that is not in a saved table has N + 1 for N and 1 for df, see
/// [`DocumentFrequencies`](super::DocumentFrequencies).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InverseFrequency {
    /// ln (N / df), as in the paper: 0 for a word in every paper.
    #[default]
    Plain,
    /// 1 + ln ((1 + N) / (1 + df)), scikit-learn's default: never 0.
    Smooth,
    /// max (0, ln ((N - df) / df)): 0 for a word in half of the papers or more.
    Probabilistic,
    /// ln (1 + (N - df + 0.5) / (df + 0.5)), Okapi BM25's in its never negative form.
    Bm25,
    /// a / (a + p) with a = 0.001 and p the word's share of all words of the corpus: smooth inverse frequency (Arora,
    /// Liang, Ma 2017). Where a table does not know occurrences, p is df / N.
    Sif,
    /// 1.
    None,
}

impl TermFrequency {
    /// The factor of a word that stands `n` times (at least once) in a paper of `len` words.
    pub fn factor(self, n: u32, len: u32, mean_len: f64) -> f64 {
        let n = f64::from(n);
        match self {
            TermFrequency::Relative => n / f64::from(len),
            TermFrequency::Raw => n,
            TermFrequency::Log => 1.0 + libm::log(n),
            TermFrequency::Binary => 1.0,
            TermFrequency::Bm25 => {
                let ratio = if mean_len > 0.0 { f64::from(len) / mean_len } else { 1.0 };
                2.2 * n / (n + 1.2 * (0.25 + 0.75 * ratio))
            }
        }
    }
}

impl InverseFrequency {
    /// The factor of a word: never negative, never infinite, never NaN. `papers` is N, `total` the number of all words
    /// or 0 where it is not known, `count` the word's counts or `None` for a word that is not in the table.
    pub fn factor(self, papers: u64, total: u64, count: Option<WordCount>) -> f64 {
        let known = count.is_some();
        let WordCount { papers: df, occurrences } = count.unwrap_or(WordCount { papers: 1, occurrences: 1 });
        let n = (papers + u64::from(!known)) as f64;
        let df = df as f64;
        match self {
            InverseFrequency::Plain => libm::log(n / df),
            InverseFrequency::Smooth => 1.0 + libm::log((1.0 + n) / (1.0 + df)),
            // At df = N the ratio is 0, whose logarithm `max` turns into 0.
            InverseFrequency::Probabilistic => libm::log((n - df) / df).max(0.0),
            InverseFrequency::Bm25 => libm::log(1.0 + (n - df + 0.5) / (df + 0.5)),
            InverseFrequency::Sif => {
                let share = match total {
                    0 => df / n,
                    total => occurrences as f64 / total as f64,
                };
                0.001 / (0.001 + share)
            }
            InverseFrequency::None => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_their_formulas() {
        let word = Some(WordCount { papers: 2, occurrences: 6 });
        let idf = |scheme: InverseFrequency| (scheme.factor(10, 200, word) * 1e6).round() / 1e6;
        assert_eq!(idf(InverseFrequency::Plain), 1.609438);
        assert_eq!(idf(InverseFrequency::Smooth), 2.299283);
        assert_eq!(idf(InverseFrequency::Probabilistic), 1.386294);
        assert_eq!(idf(InverseFrequency::Bm25), 1.481605);
        assert_eq!(idf(InverseFrequency::Sif), 0.032258);
        assert_eq!((InverseFrequency::Sif.factor(10, 0, word) * 1e6).round(), 4975.0);
        assert_eq!(idf(InverseFrequency::None), 1.0);
        let tf = |scheme: TermFrequency| (scheme.factor(3, 12, 10.0) * 1e6).round() / 1e6;
        assert_eq!(tf(TermFrequency::Relative), 0.25);
        assert_eq!(tf(TermFrequency::Raw), 3.0);
        assert_eq!(tf(TermFrequency::Log), 2.098612);
        assert_eq!(tf(TermFrequency::Binary), 1.0);
        assert_eq!(tf(TermFrequency::Bm25), 1.506849);
        assert_eq!((TermFrequency::Bm25.factor(3, 12, 0.0) * 1e6).round(), 1_571_429.0);
    }

    #[test]
    fn no_scheme_is_negative_or_infinite_at_its_ends() {
        use InverseFrequency::*;
        for scheme in [Plain, Smooth, Probabilistic, Bm25, Sif, None] {
            for (papers, count) in [(1, Some(1)), (4, Some(4)), (0, Option::None), (4, Option::None)] {
                let count = count.map(|df| WordCount { papers: df, occurrences: df });
                let factor = scheme.factor(papers, papers, count);
                assert!(factor.is_finite() && factor >= 0.0, "{scheme:?} {papers} {count:?}: {factor}");
            }
        }
        assert_eq!(Plain.factor(4, 4, Some(WordCount { papers: 4, occurrences: 4 })), 0.0);
    }

    #[test]
    fn o_065_k_is_a_number_from_1_or_all() {
        assert_eq!("12".parse::<K>().unwrap(), K::Best(12));
        assert_eq!("all".parse::<K>().unwrap().limit(), usize::MAX);
        for text in ["0", "-1", "", "1.5", "All"] {
            assert!(text.parse::<K>().unwrap_err().to_string().contains("from 1, or all"), "{text}");
        }
        let params: KeywordParams = toml::from_str("k = 'all'\ntf = 'log'\nidf = 'smooth'").unwrap();
        let back: KeywordParams = toml::from_str(&toml::to_string(&params).unwrap()).unwrap();
        assert_eq!(back, KeywordParams { k: K::All, tf: TermFrequency::Log, idf: InverseFrequency::Smooth });
        assert!(toml::from_str::<KeywordParams>("k = 0").is_err());
        assert_eq!(toml::from_str::<KeywordParams>("k = 5").unwrap().k, K::Best(5));
    }
}
