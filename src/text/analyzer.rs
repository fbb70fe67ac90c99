//! From a text to its tokens: folded, cut, stopped, stemmed.

use std::borrow::Cow;

use rust_stemmers::Stemmer;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::language::{Language, LanguageChoice};
use super::normal;
use super::segment::{Cut, is_kana, is_unsegmented};

/// What becomes of a text on its way to tokens.
///
/// The default follows the paper: words in one case without function words, not stemmed. Numbers and words of one letter
/// stay (vitamin C, the languages R and C): there is no hidden least length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct AnalyzerParams {
    /// `auto`, or the code of the one language that all texts are in. Decides stop list and stemmer.
    pub language: LanguageChoice,
    /// Which words are left out.
    pub stop_words: StopWords,
    /// Whether words are cut to their Snowball stems, where the language has a stemmer.
    pub stem: bool,
    /// Words of fewer characters are left out; 0 and 1 leave out none.
    pub min_chars: u32,
    /// What becomes of words without a letter.
    pub digits: Digits,
    /// What a hyphen does.
    pub hyphens: Hyphens,
    /// What becomes of accents.
    pub marks: Marks,
}

/// Which words are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StopWords {
    /// A list by name.
    List(StopList),
    /// These; they are folded as the texts are.
    Words(Vec<String>),
}

impl Default for StopWords {
    fn default() -> StopWords {
        StopWords::List(StopList::Nltk)
    }
}

/// A stop list by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopList {
    /// No word is left out.
    None,
    /// NLTK's list of the text's language (198 English words); no word where the language has no list. Chinese and
    /// Japanese have short lists of our own, see [`Language::stop_words`].
    Nltk,
}

/// What becomes of words without a letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Digits {
    /// `19` and `3.14` are words.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// What a hyphen between letters or digits does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hyphens {
    /// It separates: copies of one paper differ in hyphens.
    #[default]
    Split,
    /// It joins: `covid-19`, `β-catenin`.
    Keep,
}

/// What becomes of accents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marks {
    /// `café` is not `cafe`.
    #[default]
    Keep,
    /// It is ([`normal::without_marks`]).
    Drop,
}

/// Parameters that do not go together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnalyzerError {
    /// A stop word that no text can hold.
    #[error("stop word {0:?} has no letter or digit, so no text can hold it")]
    NoWord(String),
    /// Stems asked for a language that has none.
    #[error("there is no stemmer for {0:?}; leave out --stem, or name another language with --language")]
    NoStemmer(Language),
}

impl AnalyzerParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If stems are asked of a language without a stemmer, or a stop word is none.
    pub fn check(self) -> Result<Analyzer, AnalyzerError> {
        if let LanguageChoice::Only(language) = self.language
            && self.stem
            && language.stemmer().is_none()
        {
            return Err(AnalyzerError::NoStemmer(language));
        }
        let mut own = FxHashSet::default();
        if let StopWords::Words(words) = &self.stop_words {
            for word in words {
                if !word.chars().any(char::is_alphanumeric) {
                    return Err(AnalyzerError::NoWord(word.clone()));
                }
                own.insert(normal::comparison_key(word));
            }
        }
        Ok(Analyzer { params: self, own })
    }
}

/// Makes tokens of texts.
///
/// ```
/// use papertwin::text::AnalyzerParams;
/// let analyzer = AnalyzerParams::default().check()?;
/// assert_eq!(analyzer.tokens("The E\u{fb03}cient use of Vitamin C"), ["efficient", "use", "vitamin", "c"]);
/// # Ok::<(), papertwin::text::AnalyzerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Analyzer {
    params: AnalyzerParams,
    /// The user's own stop words, folded.
    own: FxHashSet<String>,
}

impl Default for Analyzer {
    fn default() -> Analyzer {
        AnalyzerParams::default().check().expect("the default parameters go together")
    }
}

/// A text made ready to be cut: folded, and its language known.
pub(super) struct Readied<'t> {
    folded: Cow<'t, str>,
    language: Option<Language>,
    japanese: bool,
    /// Whether it holds a script that cannot be cut here.
    pub unsegmented: bool,
}

impl Readied<'_> {
    /// The language it was found or said to be in, for lookups of one per language.
    pub fn language(&self) -> Option<Language> {
        self.language
    }
}

impl Analyzer {
    /// What it was made from.
    pub fn params(&self) -> &AnalyzerParams {
        &self.params
    }

    /// The tokens of a text, in order.
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.visit(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    /// Visits the tokens of a text in order; nothing is allocated for a token that is written as in the text.
    pub fn visit(&self, text: &str, mut visit: impl FnMut(&str)) {
        let readied = self.ready(text);
        let terms = self.terms(readied.language);
        self.words(&readied, &mut |word| {
            if let Some(term) = terms.term(word) {
                visit(&term);
            }
        });
    }

    pub(super) fn ready<'t>(&self, text: &'t str) -> Readied<'t> {
        let asks = self.params.stem || self.params.stop_words == StopWords::List(StopList::Nltk);
        let language = match self.params.language {
            LanguageChoice::Only(language) => Some(language),
            LanguageChoice::Auto if asks => Some(Language::detect(text).unwrap_or(Language::ENGLISH)),
            LanguageChoice::Auto => None,
        };
        let folded = normal::fold(text);
        if folded.is_ascii() {
            return Readied { folded, language, japanese: false, unsegmented: false };
        }
        let japanese = language == Some(Language::JAPANESE) || folded.chars().any(is_kana);
        let unsegmented = folded.chars().any(is_unsegmented);
        Readied { folded, language, japanese, unsegmented }
    }

    /// Visits the words of a text before any is left out or stemmed.
    pub(super) fn words<'t>(&self, text: &'t Readied<'_>, visit: &mut impl FnMut(&'t str)) {
        let cut = Cut {
            keep_hyphens: self.params.hyphens == Hyphens::Keep,
            at_apostrophes: text.language.is_some_and(Language::elides),
            japanese: text.japanese,
        };
        cut.words(&text.folded, visit);
    }

    /// What becomes of the words of texts in this language.
    pub(super) fn terms(&self, language: Option<Language>) -> Terms<'_> {
        let listed = match &self.params.stop_words {
            StopWords::List(StopList::Nltk) => language.and_then(Language::stop_words),
            _ => None,
        };
        let stemmer = if self.params.stem { language.and_then(Language::stemmer) } else { None };
        Terms { analyzer: self, listed, stemmer }
    }
}

/// Decides what becomes of a word.
pub(super) struct Terms<'a> {
    analyzer: &'a Analyzer,
    listed: Option<&'static FxHashSet<String>>,
    stemmer: Option<Stemmer>,
}

impl Terms<'_> {
    /// The token of a word, if it is one.
    pub fn term<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        if self.stops(word) {
            return None;
        }
        // Parkinson's disease and Parkinson disease.
        let bare = word.strip_suffix("'s").unwrap_or(word);
        if bare.len() < word.len() && self.stops(bare) {
            return None;
        }
        let params = &self.analyzer.params;
        let short = bare.len() < 4 * params.min_chars as usize && bare.chars().count() < params.min_chars as usize;
        if short || params.digits == Digits::Drop && !bare.chars().any(char::is_alphabetic) {
            return None;
        }
        // Snowball's Arabic can leave nothing of a word.
        let stem = self.stemmer.as_ref().map(|stemmer| stemmer.stem(bare)).filter(|stem| !stem.is_empty());
        let term = stem.unwrap_or(Cow::Borrowed(bare));
        // Stop lists and stemmers know words by their accents, so these go last.
        Some(match params.marks {
            Marks::Drop if !term.is_ascii() => Cow::Owned(normal::without_marks(&term).into_owned()),
            _ => term,
        })
    }

    fn stops(&self, word: &str) -> bool {
        self.listed.is_some_and(|list| list.contains(word)) || self.analyzer.own.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analyzer(params: AnalyzerParams) -> Analyzer {
        params.check().unwrap()
    }

    #[test]
    fn o_057_o_058_tokens_of_ligatures_and_decomposed_accents() {
        let analyzer = Analyzer::default();
        assert_eq!(analyzer.tokens("E\u{fb03}cient \u{fb02}ax \u{fb01}bres"), analyzer.tokens("Efficient flax fibres"));
        assert_eq!(analyzer.tokens("CO₂ at 10² Pa"), ["co2", "102", "pa"]);
        for text in ["Caf\u{e9} noise", "Cafe\u{301}  noise", "CAF\u{c9}\u{a0}noise"] {
            assert_eq!(analyzer.tokens(text), ["caf\u{e9}", "noise"]);
        }
        let bare = self::analyzer(AnalyzerParams { marks: Marks::Drop, ..AnalyzerParams::default() });
        assert_eq!(bare.tokens("Cafe\u{301} noise"), ["cafe", "noise"]);
        assert_eq!(Analyzer::default().tokens("O\u{0}ce hours"), ["oce", "hours"]);
    }

    #[test]
    fn o_062_one_letter_and_digit_tokens_stay_unless_told() {
        let text = "vitamin C and K in 3 tram bells";
        assert_eq!(Analyzer::default().tokens(text), ["vitamin", "c", "k", "3", "tram", "bells"]);
        assert_eq!(Analyzer::default().tokens("1 2"), ["1", "2"]);
        let strict = analyzer(AnalyzerParams { min_chars: 2, digits: Digits::Drop, ..AnalyzerParams::default() });
        assert_eq!(strict.tokens("vitamin C and K in 33 tram bells öl ö"), ["vitamin", "tram", "bells", "öl"]);
    }

    #[test]
    fn stop_words_are_none_a_list_or_the_users_own() {
        let text = "The owner\u{2019}s dog doesn\u{2019}t bark, it\u{2019}s Caf\u{e9}-trained";
        assert_eq!(Analyzer::default().tokens(text), ["owner", "dog", "bark", "café", "trained"]);
        let all = analyzer(AnalyzerParams { stop_words: StopWords::List(StopList::None), ..AnalyzerParams::default() });
        assert_eq!(all.tokens(text), ["the", "owner", "dog", "doesn't", "bark", "it", "café", "trained"]);
        let own = StopWords::Words(vec!["CAF\u{c9}".into(), "the".into()]);
        let own = analyzer(AnalyzerParams { stop_words: own, hyphens: Hyphens::Keep, ..AnalyzerParams::default() });
        assert_eq!(own.tokens(text), ["owner", "dog", "doesn't", "bark", "it", "café-trained"]);
        let none = AnalyzerParams { stop_words: StopWords::Words(vec!["--".into()]), ..AnalyzerParams::default() };
        assert_eq!(none.check().unwrap_err(), AnalyzerError::NoWord("--".into()));
    }

    #[test]
    fn stems_and_stop_lists_follow_the_language_of_the_text() {
        let analyzer = analyzer(AnalyzerParams { stem: true, ..AnalyzerParams::default() });
        assert_eq!(
            analyzer.tokens("The measured bells of the ferries and their horns"),
            ["measur", "bell", "ferri", "horn"]
        );
        let german =
            "Die Glocken der alten Häfen sind bei Nebel noch in großer Entfernung zu hören, und niemand weiß warum.";
        let tokens = analyzer.tokens(german);
        assert!(tokens.starts_with(&["glock".into(), "alt".into(), "haf".into(), "nebel".into()]), "{tokens:?}");
        let french = AnalyzerParams { language: "fr".parse().unwrap(), ..AnalyzerParams::default() }.check().unwrap();
        assert_eq!(
            french.tokens("L\u{2019}homme d\u{e9}j\u{e0} vu par l'\u{e9}cole"),
            ["homme", "déjà", "vu", "école"]
        );
        let greek = AnalyzerParams { language: "pl".parse().unwrap(), stem: true, ..AnalyzerParams::default() };
        assert!(greek.check().unwrap_err().to_string().contains("--language"));
    }

    #[test]
    fn o_060_no_text_without_blanks_yields_few_tokens() {
        let analyzer = Analyzer::default();
        for text in [
            "本研究测量了电车轨道附近蜜蜂的活动时间。",
            "本研究测量了电车轨道附近蜜蜂的活动时间和距离。",
            "港口灰尘的价格在冬季明显上升。",
            "Bees near tramlines were active for longer.",
            "これは電車の線路の近くで蜂の活動時間を測った研究です。",
        ] {
            let tokens = analyzer.tokens(text);
            assert!(tokens.len() >= 5, "{text}: {tokens:?}");
            assert!(!tokens.iter().any(|t| t == "の"), "{tokens:?}");
        }
    }

    #[test]
    fn parameters_are_written_as_in_an_experiment() {
        let params: AnalyzerParams =
            toml::from_str("language = 'de'\nstop-words = ['und']\nstem = true\nmin-chars = 2\ndigits = 'drop'")
                .unwrap();
        assert_eq!(params.stop_words, StopWords::Words(vec!["und".into()]));
        assert_eq!((params.min_chars, params.digits), (2, Digits::Drop));
        let params: AnalyzerParams = toml::from_str("stop-words = 'none'").unwrap();
        assert_eq!(params.stop_words, StopWords::List(StopList::None));
        assert!(toml::from_str::<AnalyzerParams>("stopwords = 'none'").is_err());
        let back: AnalyzerParams = toml::from_str(&toml::to_string(&params).unwrap()).unwrap();
        assert_eq!(back, params);
    }
}
