//! The words of greatest weight of each paper.

use rayon::prelude::*;

use super::document_frequencies::DocumentFrequencies;
use super::weighting::{K, KeywordError, KeywordParams, TermFrequency};
use crate::corpus::PaperId;
use crate::text::Tokens;

/// So many papers are weighed by one thread at a time; no result depends on it.
const BLOCK: usize = 1024;

/// Keyword parameters that were checked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Keywording {
    params: KeywordParams,
}

impl KeywordParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If k is 0.
    pub fn check(self) -> Result<Keywording, KeywordError> {
        match self.k {
            K::Best(0) => Err(KeywordError::K("0".into())),
            _ => Ok(Keywording { params: self }),
        }
    }
}

impl Keywording {
    /// What it was made from.
    pub fn params(&self) -> KeywordParams {
        self.params
    }
}

/// A word of a paper with what it weighs there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyword {
    /// Its number in [`Tokens::words`].
    pub word: u32,
    /// How often it stands in the paper.
    pub count: u32,
    /// tf * idf; 0 for a word that stands in every paper, if the scheme says so.
    pub weight: f64,
}

/// Weighs the words of one paper after another; everything that papers share is worked out once.
pub struct Weigher<'t> {
    tokens: &'t Tokens,
    tf: TermFrequency,
    /// The idf of each word.
    factors: Vec<f64>,
    mean_len: f64,
}

impl<'t> Weigher<'t> {
    /// A weigher of the words of these papers by this table.
    pub fn new(tokens: &'t Tokens, frequencies: &DocumentFrequencies, keywording: &Keywording) -> Weigher<'t> {
        let KeywordParams { tf, idf, .. } = keywording.params;
        let (papers, total) = (frequencies.papers(), frequencies.total());
        let counts = frequencies.aligned(tokens);
        Weigher {
            tokens,
            tf,
            factors: counts.into_par_iter().map(|count| idf.factor(papers, total, count)).collect(),
            mean_len: if papers == 0 { 0.0 } else { total as f64 / papers as f64 },
        }
    }

    /// Replaces the list by all distinct words of a paper, ascending by number, with their weights.
    ///
    /// # Panics
    /// If there is no such paper.
    pub fn weigh(&self, paper: PaperId, words: &mut Vec<Keyword>) {
        let text = self.tokens.of(paper);
        let mut sorted = text.to_vec();
        sorted.sort_unstable();
        words.clear();
        words.extend(sorted.chunk_by(|x, y| x == y).map(|same| {
            let (word, count) = (same[0], same.len() as u32);
            let weight = self.tf.factor(count, text.len() as u32, self.mean_len) * self.factors[word as usize];
            Keyword { word, count, weight }
        }));
    }
}

/// Keeps the k words of greatest weight in the order of [`Keywords`].
fn keep_best(tokens: &Tokens, k: usize, words: &mut Vec<Keyword>) {
    let order = |x: &Keyword, y: &Keyword| {
        let by_word = || tokens.word(x.word).cmp(tokens.word(y.word));
        y.weight.total_cmp(&x.weight).then(y.count.cmp(&x.count)).then_with(by_word)
    };
    if k < words.len() {
        words.select_nth_unstable_by(k - 1, order);
        words.truncate(k);
    }
    words.sort_unstable_by(order);
}

/// The keywords of every paper, each paper's by falling weight; equal weights by falling count, then by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keywords {
    keywords: Vec<Keyword>,
    /// The keywords of paper p are `keywords[starts[p] .. starts[p + 1]]`.
    starts: Vec<usize>,
}

impl Keywords {
    /// Weighs the words of each paper and keeps the k of greatest weight, of those that `known` admits. A paper with
    /// fewer words has fewer keywords, one without words none. Words of weight 0 are kept where there are not k others:
    /// in a corpus of one paper every word weighs 0 (ln 1), and its keywords are its most frequent words.
    ///
    /// Time O(T + sum of n log n over papers of n distinct words), T the number of tokens. The result is the same for any
    /// number of threads.
    ///
    /// ```
    /// use papertwin::corpus::PaperId;
    /// use papertwin::keywords::{DocumentFrequencies, KeywordParams, Keywords};
    /// use papertwin::text::Tokens;
    /// let tokens = Tokens::from_texts([vec!["fog", "horn", "horn"], vec!["fog", "lamp"]]);
    /// let keywording = KeywordParams::default().check()?;
    /// let keywords = Keywords::extract(&tokens, &DocumentFrequencies::of(&tokens), &keywording, None);
    /// let best = keywords.of(PaperId(0))[0];
    /// assert_eq!(tokens.word(best.word), "horn");
    /// assert!((best.weight - 2.0 / 3.0 * 2f64.ln()).abs() < 1e-12);
    /// # Ok::<(), papertwin::keywords::KeywordError>(())
    /// ```
    pub fn extract(
        tokens: &Tokens,
        frequencies: &DocumentFrequencies,
        keywording: &Keywording,
        known: Option<&(dyn Fn(&str) -> bool + Sync)>,
    ) -> Keywords {
        let weigher = Weigher::new(tokens, frequencies, keywording);
        let k = keywording.params.k.limit();
        let admitted: Option<Vec<bool>> =
            known.map(|known| tokens.words().par_iter().map(|word| known(word)).collect());
        let ids: Vec<u32> = (0..tokens.papers() as u32).collect();
        let blocks: Vec<(Vec<Keyword>, Vec<usize>)> = ids
            .par_chunks(BLOCK)
            .map(|ids| {
                let mut found = Vec::new();
                let mut lengths = Vec::with_capacity(ids.len());
                let mut all: Vec<Keyword> = Vec::new();
                for &id in ids {
                    weigher.weigh(PaperId(id), &mut all);
                    if let Some(admitted) = &admitted {
                        all.retain(|keyword| admitted[keyword.word as usize]);
                    }
                    keep_best(tokens, k, &mut all);
                    found.extend_from_slice(&all);
                    lengths.push(all.len());
                }
                (found, lengths)
            })
            .collect();

        let mut keywords = Keywords { keywords: Vec::new(), starts: vec![0] };
        keywords.keywords.reserve_exact(blocks.iter().map(|block| block.0.len()).sum());
        for (found, lengths) in blocks {
            keywords.keywords.extend(found);
            for length in lengths {
                keywords.starts.push(keywords.starts[keywords.starts.len() - 1] + length);
            }
        }
        keywords
    }

    /// How many papers there are.
    pub fn papers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// A paper's keywords, the greatest weight first.
    ///
    /// # Panics
    /// If there is no such paper.
    pub fn of(&self, paper: PaperId) -> &[Keyword] {
        &self.keywords[self.starts[paper.index()]..self.starts[paper.index() + 1]]
    }

    /// How many keywords all papers have together.
    pub fn total(&self) -> usize {
        self.keywords.len()
    }
}

#[cfg(test)]
#[expect(clippy::approx_constant, reason = "weights are worked by hand to six decimals")]
mod tests {
    use super::*;
    use crate::keywords::InverseFrequency;
    use proptest::prelude::*;

    fn named(tokens: &Tokens, keywords: &Keywords, paper: u32) -> Vec<(String, f64)> {
        let of = keywords.of(PaperId(paper));
        of.iter().map(|k| (tokens.word(k.word).to_owned(), (k.weight * 1e6).round() / 1e6)).collect()
    }

    fn extract(tokens: &Tokens, params: KeywordParams) -> Keywords {
        Keywords::extract(tokens, &DocumentFrequencies::of(tokens), &params.check().unwrap(), None)
    }

    fn words(tokens: &Tokens, keywords: &Keywords, paper: u32) -> Vec<String> {
        named(tokens, keywords, paper).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn weights_are_worked_by_hand() {
        let tokens = Tokens::from_texts([
            vec!["fog", "horn", "horn", "bell"],
            vec!["fog", "lamp"],
            vec!["fog", "lamp", "bell"],
            vec!["fog"],
        ]);
        let keywords = extract(&tokens, KeywordParams { k: K::Best(2), ..KeywordParams::default() });
        // horn 2/4 ln 4, bell 1/4 ln 2, fog 0.
        assert_eq!(named(&tokens, &keywords, 0), [("horn".into(), 0.693147), ("bell".into(), 0.173287)]);
        // bell and lamp weigh the same: by word.
        assert_eq!(words(&tokens, &keywords, 2), ["bell", "lamp"]);
        let log = KeywordParams { k: K::All, tf: TermFrequency::Log, idf: InverseFrequency::Smooth };
        let keywords = extract(&tokens, log);
        assert_eq!(
            named(&tokens, &keywords, 0),
            [("horn".into(), 3.244562), ("bell".into(), 1.510826), ("fog".into(), 1.0)]
        );
        assert_eq!(keywords.total(), 9);
    }

    #[test]
    fn o_063_one_document_or_a_term_in_every_document() {
        let text = ["ferry", "ferry", "ferry", "fog", "fog", "horn"];
        for copies in [1, 3] {
            let tokens = Tokens::from_texts(std::iter::repeat_n(text, copies));
            let keywords = extract(&tokens, KeywordParams { k: K::Best(2), ..KeywordParams::default() });
            for paper in 0..copies as u32 {
                assert_eq!(named(&tokens, &keywords, paper), [("ferry".into(), 0.0), ("fog".into(), 0.0)]);
            }
        }
    }

    #[test]
    fn o_064_a_word_missing_from_the_saved_table_weighs_most() {
        let table = DocumentFrequencies::read_csv("word,papers\n,4\nfog,4\nhorn,2\nlamp,1\n".as_bytes()).unwrap();
        let tokens = Tokens::from_texts([["lamp", "zeppelin", "fog"]]);
        use InverseFrequency::*;
        for idf in [Plain, Smooth, Probabilistic, Bm25, Sif] {
            let params = KeywordParams { idf, k: K::All, ..KeywordParams::default() };
            let keywords = Keywords::extract(&tokens, &table, &params.check().unwrap(), Option::None);
            let found = named(&tokens, &keywords, 0);
            assert_eq!(found.iter().map(|f| f.0.as_str()).collect::<Vec<_>>(), ["zeppelin", "lamp", "fog"], "{idf:?}");
            assert!(found[0].1 > 0.0 && found[0].1.is_finite());
        }
        let params = KeywordParams { k: K::Best(2), ..KeywordParams::default() };
        let keywords = Keywords::extract(&tokens, &table, &params.check().unwrap(), Option::None);
        assert_eq!(named(&tokens, &keywords, 0), [("zeppelin".into(), 0.536479), ("lamp".into(), 0.462098)]);
    }

    #[test]
    fn o_065_k_larger_than_the_number_of_words_and_0() {
        let tokens = Tokens::from_texts([vec!["fog", "horn", "fog"], vec!["fog"], vec!["lamp"], vec![]]);
        let keywords = extract(&tokens, KeywordParams { k: K::Best(5), ..KeywordParams::default() });
        assert_eq!(words(&tokens, &keywords, 0), ["fog", "horn"]);
        assert_eq!([1, 2, 3].map(|p| keywords.of(PaperId(p)).len()), [1, 1, 0]);
        assert!(KeywordParams { k: K::Best(0), ..KeywordParams::default() }.check().is_err());
    }

    #[test]
    fn words_that_are_not_admitted_leave_their_place_to_the_next() {
        let tokens = Tokens::from_texts([vec!["fog", "fog", "fog", "horn", "horn", "lamp"], vec!["bell"]]);
        let params = KeywordParams { k: K::Best(2), ..KeywordParams::default() };
        let known = |word: &str| word != "fog";
        let keywords =
            Keywords::extract(&tokens, &DocumentFrequencies::of(&tokens), &params.check().unwrap(), Some(&known));
        assert_eq!(words(&tokens, &keywords, 0), ["horn", "lamp"]);
        // Its weight is still 2 of 6 words.
        assert_eq!(named(&tokens, &keywords, 0)[0].1, 0.231049);
    }

    proptest! {
        /// Against a second, naive implementation; and the order of the papers does not matter.
        #[test]
        fn keywords_are_what_the_formula_says(texts in prop::collection::vec(prop::collection::vec("[a-e]", 0..12), 1..8), k in 1u32..4) {
            let tokens = Tokens::from_texts(&texts);
            let keywords = extract(&tokens, KeywordParams { k: K::Best(k), ..KeywordParams::default() });
            for (paper, text) in texts.iter().enumerate() {
                let mut wanted: Vec<(f64, usize, &String)> = Vec::new();
                let distinct: std::collections::BTreeSet<&String> = text.iter().collect();
                for word in distinct {
                    let count = text.iter().filter(|w| *w == word).count();
                    let df = texts.iter().filter(|t| t.contains(word)).count();
                    wanted.push((count as f64 / text.len() as f64 * libm::log(texts.len() as f64 / df as f64), count, word));
                }
                wanted.sort_by(|x, y| y.0.total_cmp(&x.0).then(y.1.cmp(&x.1)).then(x.2.cmp(y.2)));
                wanted.truncate(k as usize);
                let found: Vec<_> = keywords.of(PaperId(paper as u32)).iter().map(|f| (f.weight, f.count as usize, tokens.word(f.word).to_owned())).collect();
                prop_assert_eq!(found, wanted.into_iter().map(|(w, c, t)| (w, c, t.clone())).collect::<Vec<_>>());
            }
        }
    }
}
