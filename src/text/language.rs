//! Languages: which one a text is in, its stop list and its stemmer.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::normal;

/// ISO 639-1 code, ISO 639-3 code, English name, Snowball algorithm.
type Entry = (&'static str, &'static str, &'static str, Option<Algorithm>);

const LANGUAGES: [Entry; 40] = [
    ("ar", "ara", "Arabic", Some(Algorithm::Arabic)),
    ("az", "aze", "Azerbaijani", None),
    ("be", "bel", "Belarusian", None),
    ("bn", "ben", "Bengali", None),
    ("ca", "cat", "Catalan", None),
    ("da", "dan", "Danish", Some(Algorithm::Danish)),
    ("de", "deu", "German", Some(Algorithm::German)),
    ("el", "ell", "Greek", Some(Algorithm::Greek)),
    ("en", "eng", "English", Some(Algorithm::English)),
    ("es", "spa", "Spanish", Some(Algorithm::Spanish)),
    ("eu", "eus", "Basque", None),
    ("fi", "fin", "Finnish", Some(Algorithm::Finnish)),
    ("fr", "fra", "French", Some(Algorithm::French)),
    ("he", "heb", "Hebrew", None),
    ("hu", "hun", "Hungarian", Some(Algorithm::Hungarian)),
    ("id", "ind", "Indonesian", None),
    ("it", "ita", "Italian", Some(Algorithm::Italian)),
    ("ja", "jpn", "Japanese", None),
    ("kk", "kaz", "Kazakh", None),
    ("km", "khm", "Khmer", None),
    ("ko", "kor", "Korean", None),
    ("lo", "lao", "Lao", None),
    ("my", "mya", "Burmese", None),
    ("ne", "nep", "Nepali", None),
    ("nl", "nld", "Dutch", Some(Algorithm::Dutch)),
    ("no", "nob", "Norwegian", Some(Algorithm::Norwegian)),
    ("pl", "pol", "Polish", None),
    ("pt", "por", "Portuguese", Some(Algorithm::Portuguese)),
    ("ro", "ron", "Romanian", Some(Algorithm::Romanian)),
    ("ru", "rus", "Russian", Some(Algorithm::Russian)),
    ("sl", "slv", "Slovenian", None),
    ("sq", "sqi", "Albanian", None),
    ("sv", "swe", "Swedish", Some(Algorithm::Swedish)),
    ("ta", "tam", "Tamil", Some(Algorithm::Tamil)),
    ("tg", "tgk", "Tajik", None),
    ("th", "tha", "Thai", None),
    ("tr", "tur", "Turkish", Some(Algorithm::Turkish)),
    ("uk", "ukr", "Ukrainian", None),
    ("uz", "uzb", "Uzbek", None),
    ("zh", "cmn", "Chinese", None),
];

/// Particles, pronouns, prepositions and conjunctions as jieba cuts them.
const CHINESE_WORDS: [&str; 84] = [
    "的", "了", "在", "是", "和", "与", "及", "或", "对", "为", "以", "于", "从", "到", "由", "被", "把", "将", "而",
    "但", "并", "且", "也", "都", "又", "就", "才", "只", "还", "很", "更", "最", "这", "那", "其", "该", "此", "之",
    "等", "个", "我", "我们", "你", "你们", "他", "她", "它", "他们", "她们", "它们", "这些", "那些", "这个", "那个",
    "有", "所", "着", "过", "地", "得", "吗", "呢", "吧", "以及", "因为", "所以", "如果", "虽然", "但是", "而且",
    "并且", "或者", "通过", "对于", "关于", "根据", "由于", "其中", "之间", "可以", "就是", "不是", "还是", "一个",
];

/// Particles, auxiliaries and demonstratives as ICU cuts them.
const JAPANESE_WORDS: [&str; 52] = [
    "の",
    "に",
    "は",
    "を",
    "が",
    "と",
    "で",
    "て",
    "た",
    "も",
    "な",
    "し",
    "れ",
    "さ",
    "る",
    "へ",
    "や",
    "か",
    "ら",
    "だ",
    "ば",
    "ず",
    "から",
    "まで",
    "より",
    "こと",
    "もの",
    "する",
    "した",
    "して",
    "され",
    "いる",
    "い",
    "ある",
    "あり",
    "です",
    "ます",
    "まし",
    "である",
    "この",
    "その",
    "あの",
    "これ",
    "それ",
    "ため",
    "など",
    "よう",
    "また",
    "および",
    "について",
    "において",
    "として",
];

/// A language that the program knows something about: a stop list (NLTK), a stemmer (Snowball), or a segmenter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

impl Language {
    /// English.
    pub const ENGLISH: Language = Language::constant("en");
    /// Chinese.
    pub const CHINESE: Language = Language::constant("zh");
    /// Japanese.
    pub const JAPANESE: Language = Language::constant("ja");

    const fn constant(code: &str) -> Language {
        let mut place = 0;
        while place < LANGUAGES.len() {
            let (known, wanted) = (LANGUAGES[place].0.as_bytes(), code.as_bytes());
            if known[0] == wanted[0] && known[1] == wanted[1] {
                return Language(place as u8);
            }
            place += 1;
        }
        panic!("the code stands in the table above")
    }

    /// How many there are; [`Language::place`] is below it.
    pub(crate) const COUNT: usize = LANGUAGES.len();

    /// A dense number, in the order of the codes.
    pub(crate) fn place(self) -> usize {
        self.0.into()
    }

    /// All of them, in the order of their codes.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..LANGUAGES.len() as u8).map(Language)
    }

    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        LANGUAGES[self.place()].0
    }

    /// Its English name.
    pub fn name(self) -> &'static str {
        LANGUAGES[self.place()].2
    }

    /// Its Snowball stemmer, for words in lower case; `None` where there is none.
    pub fn stemmer(self) -> Option<Stemmer> {
        LANGUAGES[self.place()].3.map(Stemmer::create)
    }

    /// Its function words, folded: the NLTK list, `None` where there is none. The English one has 198 words. Chinese and
    /// Japanese have short lists of our own: NLTK's Chinese one holds content words (clear, rise), Japanese has none.
    pub fn stop_words(self) -> Option<&'static FxHashSet<String>> {
        static LISTS: [OnceLock<Option<FxHashSet<String>>>; Language::COUNT] =
            [const { OnceLock::new() }; Language::COUNT];
        LISTS[self.place()]
            .get_or_init(|| {
                let words = match self {
                    Language::CHINESE => &CHINESE_WORDS[..],
                    Language::JAPANESE => &JAPANESE_WORDS[..],
                    other => stop_words::lookup(other.code())?,
                };
                Some(words.iter().map(|word| normal::comparison_key(word)).collect())
            })
            .as_ref()
    }

    /// Whether articles and pronouns are joined to the next word by an apostrophe (l'homme): words are cut there.
    pub(crate) fn elides(self) -> bool {
        matches!(self.code(), "fr" | "it" | "ca")
    }

    /// The language of a text, where it can be told reliably: title and abstract together usually suffice, a title
    /// alone seldom does. Plain English is known by its function words; everything else is asked of whatlang
    /// (trigrams), which is believed only where it says that it is sure.
    pub fn detect(text: &str) -> Option<Language> {
        if is_plain_english(text) {
            return Some(Language::ENGLISH);
        }
        let found = whatlang::detect(text)?;
        if !found.is_reliable() {
            return None;
        }
        let code = found.lang().code();
        LANGUAGES.iter().position(|entry| entry.1 == code).map(|place| Language(place as u8))
    }
}

/// Whether the first words hold "the" and two more function words that no other language of the list writes so.
/// Saves four fifths of the time of detection on English corpora.
fn is_plain_english(text: &str) -> bool {
    const MARKERS: [&str; 10] = ["the", "of", "and", "with", "that", "this", "which", "from", "are", "these"];
    let mut seen = 0u32;
    for word in text.split_ascii_whitespace().take(60) {
        if let Some(place) = MARKERS.iter().position(|marker| word.eq_ignore_ascii_case(marker)) {
            seen |= 1 << place;
            if seen & 1 == 1 && seen.count_ones() >= 3 {
                return true;
            }
        }
    }
    false
}

/// A language that is not in the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is no language that is known here; wanted one of {}", known())]
pub struct UnknownLanguage {
    found: String,
}

fn known() -> String {
    LANGUAGES.iter().map(|entry| entry.0).collect::<Vec<_>>().join(", ")
}

/// By ISO 639-1 or 639-3 code or English name, in any case.
impl FromStr for Language {
    type Err = UnknownLanguage;
    fn from_str(text: &str) -> Result<Language, UnknownLanguage> {
        LANGUAGES
            .iter()
            .position(|(code, long, name, _)| [code, long, name].iter().any(|known| known.eq_ignore_ascii_case(text)))
            .map(|place| Language(place as u8))
            .ok_or_else(|| UnknownLanguage { found: text.to_owned() })
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The language that texts are in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LanguageChoice {
    /// Each text is asked; one that does not say reliably is taken for English.
    #[default]
    Auto,
    /// All texts are in this one.
    Only(Language),
}

impl FromStr for LanguageChoice {
    type Err = UnknownLanguage;
    fn from_str(text: &str) -> Result<LanguageChoice, UnknownLanguage> {
        match text {
            "auto" => Ok(LanguageChoice::Auto),
            code => code.parse().map(LanguageChoice::Only),
        }
    }
}

impl fmt::Display for LanguageChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LanguageChoice::Auto => f.write_str("auto"),
            LanguageChoice::Only(language) => language.fmt(f),
        }
    }
}

impl Serialize for LanguageChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LanguageChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LanguageChoice, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_code_and_name() {
        for text in ["de", "deu", "German", "GERMAN"] {
            assert_eq!(text.parse::<Language>().unwrap().code(), "de");
        }
        let error = "xx".parse::<Language>().unwrap_err().to_string();
        assert!(error.contains("\"xx\"") && error.contains("ar, az"), "{error}");
        assert!(LANGUAGES.windows(2).all(|w| w[0].0 < w[1].0), "the table is sorted by code");
        assert_eq!("auto".parse(), Ok(LanguageChoice::Auto));
        assert_eq!("auto".parse::<LanguageChoice>().unwrap().to_string(), "auto");
    }

    #[test]
    fn a_language_is_believed_only_where_it_is_sure() {
        let code = |text: &str| Language::detect(text).map(Language::code);
        assert_eq!(code("The bells of the old harbour are heard from afar"), Some("en"));
        assert_eq!(code("Deep learning"), None);
        assert_eq!(
            code(
                "Die Glocken des alten Hafens sind bei Nebel noch in großer Entfernung zu hören, und niemand weiß, warum das so ist."
            ),
            Some("de")
        );
        assert_eq!(code("本研究测量了电车轨道附近蜜蜂的活动时间。"), Some("zh"));
        assert_eq!(code("これは電車の線路の近くで蜂の活動時間を測った研究です。"), Some("ja"));
        assert_eq!(code(""), None);
    }

    #[test]
    fn stop_lists_hold_function_words_and_no_content_words() {
        let english = Language::ENGLISH.stop_words().unwrap();
        assert!(["the", "of", "don't"].iter().all(|w| english.contains(*w)));
        assert!(["novel", "system", "research", "c", "k"].iter().all(|w| !english.contains(*w)));
        assert!("ko".parse::<Language>().unwrap().stop_words().is_none());
        assert!(!Language::CHINESE.stop_words().unwrap().contains("明显"));
        assert_eq!(Language::all().filter(|l| l.stop_words().is_some()).count(), 33);
    }
}
