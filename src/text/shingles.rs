//! Shingles: a text as a set of short overlapping pieces, each a 64-bit hash.
//!
//! Three kinds (Broder 1997; Manber 1994; for the third Theobald, Siddharth and Paepcke, SIGIR 2008, and Leskovec,
//! Rajaraman and Ullman, Mining of Massive Datasets, 3.2.4): k letters, k words, or a stop word and the words after it.
//! A set has no counts. Two different shingles have the same hash with probability 2^-64, so a corpus of 10^8
//! different ones has a collision with probability below 0.0003.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

use super::normal;
use super::segment::Cut;
use super::{Language, LanguageChoice};
use crate::corpus::{Corpus, Field, PaperId};

/// What one shingle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShingleKind {
    /// `size` letters in a row, blanks between words counted as one letter each.
    Letters,
    /// `size` words in a row.
    Words,
    /// A stop word and the next `size` words, whatever they are. Prose has many stop words, advertisements few.
    StopWord,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WordRule {
    /// Words by the Unicode rules (UAX 29) of the folded text ([`normal::fold`]). Each Han character is a word: a shingle of
    /// three does not depend on how a dictionary cuts the sentence, and Chinese needs no blanks.
    Unicode,
    /// `[a-z0-9]+` of the lower-cased text: the rule of the published counts. Loses all other scripts.
    Ascii,
    /// `\w+` of the lower-cased text (letters, digits, marks, underscore): the rule of Python's `re`.
    Regex,
}

/// What becomes of a text too short for one whole shingle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ShortText {
    /// The whole text is its one shingle, so two equal titles of two words are found.
    Whole,
    /// It has no shingle and matches nothing.
    None,
}

/// How texts are cut into shingles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShingleParams {
    /// What one shingle is.
    pub kind: ShingleKind,
    /// Letters, words, or words after the stop word; at least 1.
    pub size: u32,
    /// What a word is.
    pub words: WordRule,
    /// For stop-word shingles: the language of the stop list, or `auto` to ask each text (English where it is too short
    /// to tell, or its language has no list).
    pub language: LanguageChoice,
    /// For stop-word shingles: these stop words instead of a language's.
    pub stop_words: Option<Vec<String>>,
    /// For stop-word shingles: whether a stop word with fewer than `size` words after it is a shingle too.
    pub keep_incomplete: bool,
    /// What becomes of a text with fewer than `size` words or letters (word and letter shingles).
    pub short: ShortText,
    /// A text with fewer different shingles has none and matches nothing: very short briefs with one or two stop-word
    /// shingles are equal by chance.
    pub min_set: u32,
}

impl Default for ShingleParams {
    /// Word 3-shingles.
    fn default() -> ShingleParams {
        ShingleParams {
            kind: ShingleKind::Words,
            size: 3,
            words: WordRule::Unicode,
            language: LanguageChoice::Auto,
            stop_words: None,
            keep_incomplete: false,
            short: ShortText::Whole,
            min_set: 1,
        }
    }
}

impl ShingleParams {
    /// A stop word and the next two words; at least four of them in a text.
    pub fn stop_word() -> ShingleParams {
        ShingleParams { kind: ShingleKind::StopWord, size: 2, min_set: 4, ..ShingleParams::default() }
    }

    /// Letter 9-shingles.
    pub fn letters() -> ShingleParams {
        ShingleParams { kind: ShingleKind::Letters, size: 9, ..ShingleParams::default() }
    }

    /// Makes the parameters ready for use.
    ///
    /// # Errors
    /// If the size or the least set is 0, the language has no stop list, or a parameter of stop-word shingles is given for
    /// others.
    pub fn check(&self) -> Result<Shingling, ShingleError> {
        if self.size == 0 {
            return Err(ShingleError::Zero("size"));
        }
        if self.min_set == 0 {
            return Err(ShingleError::Zero("min-set"));
        }
        if self.kind != ShingleKind::StopWord {
            let given = [
                ("stop-words", self.stop_words.is_some()),
                ("language", self.language != LanguageChoice::Auto),
                ("keep-incomplete", self.keep_incomplete),
            ];
            if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
                return Err(ShingleError::OnlyStopWord(name));
            }
        }
        let stops = match (self.kind, &self.stop_words, self.language) {
            (ShingleKind::StopWord, Some(words), _) => {
                Stops::Given(words.iter().map(|w| self.words.fold(w).into_owned()).collect())
            }
            (ShingleKind::StopWord, None, LanguageChoice::Auto) => Stops::Auto,
            (ShingleKind::StopWord, None, LanguageChoice::Only(language)) => {
                Stops::Of(language.stop_words().ok_or(ShingleError::NoStopList(language))?)
            }
            _ => Stops::None,
        };
        Ok(Shingling { params: self.clone(), stops })
    }
}

/// Why shingle parameters cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShingleError {
    /// A parameter that counts from 1.
    #[error("{0} is 0; wanted at least 1")]
    Zero(&'static str),
    /// A parameter that does nothing for other kinds.
    #[error("{0} is for stop-word shingles only; choose kind = \"stop-word\" or leave it out")]
    OnlyStopWord(&'static str),
    /// No stop list.
    #[error("there is no stop list for {language}; give the words as stop-words, or choose `auto`", language = .0.name())]
    NoStopList(Language),
}

#[derive(Clone, Debug)]
enum Stops {
    None,
    Given(FxHashSet<String>),
    Of(&'static FxHashSet<String>),
    Auto,
}

impl WordRule {
    /// The text in the form whose words are compared.
    pub fn fold(self, text: &str) -> Cow<'_, str> {
        match self {
            WordRule::Unicode => normal::fold(text),
            WordRule::Ascii | WordRule::Regex => Cow::Owned(text.to_lowercase()),
        }
    }

    /// The words of a text in this form, in order.
    pub fn words(self, folded: &str) -> Vec<&str> {
        let mut words = Vec::with_capacity(folded.len() / 6);
        self.visit(folded, &mut |word| words.push(word));
        words
    }

    /// Visits the words of a text in this form, in order.
    fn visit<'t>(self, folded: &'t str, visit: &mut impl FnMut(&'t str)) {
        match self {
            WordRule::Unicode => unicode_words(folded, visit),
            WordRule::Ascii => runs(folded, |_| false, visit),
            WordRule::Regex => runs(folded, |c| c == '_' || (!c.is_ascii() && c.is_alphanumeric()), visit),
        }
    }
}

/// Visits the longest runs of ASCII letters, ASCII digits and what else belongs to a word.
fn runs<'t>(text: &'t str, more: impl Fn(char) -> bool, visit: &mut impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        if bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let c = text[at..].chars().next().expect("a character begins here");
        let end = at;
        at += c.len_utf8();
        if !more(c) {
            if end > start {
                visit(&text[start..end]);
            }
            start = at;
        }
    }
    if start < bytes.len() {
        visit(&text[start..]);
    }
}

/// Words of a folded text: in ASCII as tokens are cut, elsewhere by Unicode's boundaries without a dictionary.
fn unicode_words<'t>(folded: &'t str, visit: &mut impl FnMut(&'t str)) {
    for stretch in folded.split(' ') {
        if stretch.is_ascii() {
            Cut::default().words(stretch, visit);
        } else {
            stretch.unicode_words().for_each(&mut *visit);
        }
    }
}

/// The words of the folded text with one blank between them: texts that differ only in case, blanks, punctuation,
/// ligatures and kinds of dash become equal. Empty for a text without a letter or digit.
pub fn plain_words(text: &str) -> String {
    let folded = normal::fold(text);
    let mut plain = String::with_capacity(folded.len());
    unicode_words(&folded, &mut |word| {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.push_str(word);
    });
    plain
}

/// Cuts texts into sets of shingles.
///
/// ```
/// use papertwin::text::{ShingleParams, WordRule};
/// let words = ["a", "for", "the", "that", "have", "it", "is", "to"].map(String::from);
/// let params = ShingleParams { stop_words: Some(words.to_vec()), ..ShingleParams::stop_word() };
/// let shingling = params.check().unwrap();
/// assert_eq!(shingling.list("A spokesperson for the Sudzo Corporation")[..2], ["a spokesperson for", "for the sudzo"]);
/// assert!(shingling.set("Buy Sudzo").is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct Shingling {
    params: ShingleParams,
    stops: Stops,
}

/// The words of a text: what shingles are made of, if they are not letters.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The text in the form whose words are compared.
    text: String,
    places: Vec<Range<u32>>,
    /// Which are stop words; empty unless shingles begin with one.
    stop: Vec<bool>,
}

impl Words {
    fn bytes(&self, word: usize) -> &[u8] {
        &self.text.as_bytes()[self.places[word].start as usize..self.places[word].end as usize]
    }
}

impl Shingling {
    /// The parameters that it was made from.
    pub fn params(&self) -> &ShingleParams {
        &self.params
    }

    /// The set of a text: hashes of its shingles, ascending, each once. Empty if there are fewer than `min_set`.
    pub fn set(&self, text: &str) -> Vec<u64> {
        let mut set = Vec::new();
        self.hashes(text, &mut set);
        sort_hashes(&mut set);
        set.dedup();
        if set.len() < self.params.min_set as usize {
            set.clear();
        }
        set
    }

    /// The hashes of a text's shingles where their order does not matter: in the order of the text, each as often as it
    /// occurs, appended to `out`. None if fewer than `min_set` are different.
    pub fn fill(&self, text: &str, out: &mut Vec<u64>) {
        if self.params.min_set > 1 {
            out.append(&mut self.set(text));
        } else {
            self.hashes(text, out);
        }
    }

    /// The shingles of a text in words, in order of first appearance, each once; for the eye. `min_set` is not applied.
    pub fn list(&self, text: &str) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let mut list = Vec::new();
        let mut keep = |shingle: String| {
            if seen.insert(shingle.clone()) {
                list.push(shingle);
            }
        };
        if self.params.kind == ShingleKind::Letters {
            let (letters, places) = letter_places(&self.params.words.fold(text));
            for range in windows(places.len() - 1, self.params.size as usize, self.params.short) {
                keep(letters[places[range.start]..places[range.end]].to_owned());
            }
        } else {
            let words = self.words(text);
            self.for_each_run(&words, |run| {
                let words: Vec<&[u8]> = run.map(|word| words.bytes(word)).collect();
                keep(String::from_utf8_lossy(&words.join(&b' ')).into_owned());
            });
        }
        list
    }

    fn hashes(&self, text: &str, out: &mut Vec<u64>) {
        if self.params.kind == ShingleKind::Letters {
            let (letters, places) = letter_places(&self.params.words.fold(text));
            out.extend(
                windows(places.len() - 1, self.params.size as usize, self.params.short)
                    .map(|r| xxh3_64(&letters.as_bytes()[places[r.start]..places[r.end]])),
            );
        } else {
            self.hash_words(&self.words(text), out);
        }
    }

    /// Cuts a text into words. Words beyond its first 4 GiB are left out.
    pub fn words(&self, text: &str) -> Words {
        let folded = self.params.words.fold(text);
        let list = match &self.stops {
            Stops::None => None,
            Stops::Given(list) => Some(list),
            Stops::Of(list) => Some(*list),
            Stops::Auto => Language::detect(&folded)
                .and_then(Language::stop_words)
                .or_else(|| Some(Language::ENGLISH.stop_words().expect("English has a stop list"))),
        };
        let (mut places, mut stop) = (Vec::with_capacity(folded.len() / 6), Vec::new());
        self.params.words.visit(&folded, &mut |word| {
            let start = word.as_ptr() as usize - folded.as_ptr() as usize;
            if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(start + word.len())) {
                places.push(start..end);
                stop.extend(list.map(|list| list.contains(word)));
            }
        });
        Words { text: folded.into_owned(), places, stop }
    }

    /// Appends the hashes of the shingles that these words make, in order, each as often as it occurs. Letters make none.
    pub fn hash_words(&self, words: &Words, out: &mut Vec<u64>) {
        // The hash of a shingle is the hash of its words' hashes: each word is read once.
        let mut bytes = Vec::with_capacity(words.places.len() * 8);
        for word in 0..words.places.len() {
            bytes.extend_from_slice(&xxh3_64(words.bytes(word)).to_le_bytes());
        }
        out.reserve(words.places.len());
        self.for_each_run(words, |run| out.push(xxh3_64(&bytes[run.start * 8..run.end * 8])));
    }

    /// Visits the shingles as ranges of words.
    fn for_each_run(&self, words: &Words, visit: impl FnMut(Range<usize>)) {
        let (size, count) = (self.params.size as usize, words.places.len());
        if self.params.kind != ShingleKind::StopWord {
            return windows(count, size, self.params.short).for_each(visit);
        }
        let begins = |at: &usize| words.stop[*at] && (self.params.keep_incomplete || at + size < count);
        (0..count).filter(begins).map(|at| at..(at + size + 1).min(count)).for_each(visit);
    }
}

/// Sorts hashes: spread by their leading bits into as many parts as there are hashes, so that nearly every part has one or
/// two. Hashes that are not spread evenly are sorted as anything else is.
fn sort_hashes(hashes: &mut Vec<u64>) {
    const FEW: usize = 24;
    const MANY: usize = 4096;
    if !(FEW..=MANY).contains(&hashes.len()) {
        return hashes.sort_unstable();
    }
    let bits = hashes.len().ilog2();
    let part = |hash: u64| (hash >> (64 - bits)) as usize;
    let mut ends = [0u16; MANY + 1];
    let ends = &mut ends[..=1 << bits];
    for &hash in &*hashes {
        ends[part(hash) + 1] += 1;
    }
    if ends.iter().any(|&size| size > FEW as u16) {
        return hashes.sort_unstable();
    }
    for part in 1..ends.len() {
        ends[part] += ends[part - 1];
    }
    let mut sorted = vec![0; hashes.len()];
    for &hash in &*hashes {
        let place = &mut ends[part(hash)];
        sorted[*place as usize] = hash;
        *place += 1;
    }
    // What is left to do is within the parts: each hash moves past a few at most.
    for at in 1..sorted.len() {
        let hash = sorted[at];
        let mut free = at;
        while free > 0 && sorted[free - 1] > hash {
            sorted[free] = sorted[free - 1];
            free -= 1;
        }
        sorted[free] = hash;
    }
    *hashes = sorted;
}

/// All runs of `size` of `count` things.
fn windows(count: usize, size: usize, short: ShortText) -> impl Iterator<Item = Range<usize>> {
    let whole = short == ShortText::Whole && count > 0 && count < size;
    let runs = if whole { 1 } else { (count + 1).saturating_sub(size) };
    (0..runs).map(move |at| at..(at + size).min(count))
}

/// The text with every run of blanks one blank, none at the ends, and the byte places of its letters with the end.
fn letter_places(folded: &str) -> (String, Vec<usize>) {
    let mut letters = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !letters.is_empty() {
            letters.push(' ');
        }
        letters.push_str(word);
    }
    let mut places: Vec<usize> = letters.char_indices().map(|(at, _)| at).collect();
    places.push(letters.len());
    (letters, places)
}

/// The shingle set of every paper, one after another: hashes ascending, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShingleSets {
    hashes: Vec<u64>,
    /// The set of paper p is `hashes[starts[p] .. starts[p + 1]]`.
    starts: Vec<usize>,
}

impl ShingleSets {
    /// The sets of a corpus over these fields, made on all threads.
    pub fn of_corpus(corpus: &Corpus, fields: &[Field], shingling: &Shingling) -> ShingleSets {
        ShingleSets::make(corpus.len(), |paper| {
            let paper = &corpus.papers()[paper];
            shingling.set(&paper.text(fields))
        })
    }

    /// The set that `set` gives for each of `papers` papers, made on all threads. Sets need not be sorted.
    pub fn make(papers: usize, set: impl Fn(usize) -> Vec<u64> + Sync) -> ShingleSets {
        const CHUNK: usize = 256;
        let chunks: Vec<(Vec<u64>, Vec<usize>)> = (0..papers.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut hashes = Vec::new();
                let mut lengths = Vec::with_capacity(CHUNK);
                for paper in chunk * CHUNK..((chunk + 1) * CHUNK).min(papers) {
                    let mut one = set(paper);
                    if !one.is_sorted_by(|x, y| x < y) {
                        sort_hashes(&mut one);
                        one.dedup();
                    }
                    lengths.push(one.len());
                    hashes.extend(one);
                }
                hashes.shrink_to_fit();
                (hashes, lengths)
            })
            .collect();
        let mut sets = ShingleSets { hashes: Vec::new(), starts: Vec::with_capacity(papers + 1) };
        sets.hashes.reserve_exact(chunks.iter().map(|(h, _)| h.len()).sum());
        sets.starts.push(0);
        let mut end = 0;
        for (hashes, lengths) in chunks {
            sets.hashes.extend_from_slice(&hashes);
            for length in lengths {
                end += length;
                sets.starts.push(end);
            }
        }
        sets
    }

    /// How many papers there are.
    pub fn papers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// A paper's set, ascending.
    ///
    /// # Panics
    /// If there is no such paper.
    pub fn of(&self, paper: PaperId) -> &[u64] {
        &self.hashes[self.starts[paper.index()]..self.starts[paper.index() + 1]]
    }

    /// How many shingles all sets have together.
    pub fn total(&self) -> usize {
        self.hashes.len()
    }

    /// All hashes, set after set.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The papers without a shingle: they match nothing.
    pub fn empty(&self) -> Vec<PaperId> {
        (0..self.papers() as u32).map(PaperId).filter(|&p| self.of(p).is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stops(list: &str) -> Option<Vec<String>> {
        Some(list.split(' ').map(String::from).collect())
    }

    #[test]
    fn the_book_has_nine_stop_word_shingles() {
        let params = ShingleParams { stop_words: stops("a for the that have it is to"), ..ShingleParams::stop_word() };
        let list = params.check().unwrap().list(
            "A spokesperson for the Sudzo Corporation revealed today that studies have shown it is good for people to buy Sudzo products",
        );
        assert_eq!(
            list.join(" | "),
            "a spokesperson for | for the sudzo | the sudzo corporation | that studies have | have shown it | it is good | is good for | for people to | to buy sudzo"
        );
    }

    #[test]
    fn o_093_stop_word_shingles_what_is_produced() {
        let given =
            ShingleParams { stop_words: stops("a and of on the to was"), min_set: 1, ..ShingleParams::stop_word() };
        let shingling = given.check().unwrap();
        let ferry = "The ferry to the island was late and the crew of the ferry went on strike";
        assert_eq!(
            shingling.list(ferry).join(" | "),
            "the ferry to | to the island | the island was | was late and | and the crew | the crew of | of the ferry | the ferry went"
        );
        assert_eq!(shingling.set(ferry).len(), 8);
        let danish = "Færgen til øen var forsinket og besætningen strejkede i dag";
        assert!(shingling.set("Buy Sudsy ferry tickets cheap today").is_empty());
        assert!(shingling.set(danish).is_empty());
        let kept = ShingleParams { keep_incomplete: true, ..given };
        assert_eq!(kept.check().unwrap().list(ferry).last().unwrap(), "on strike");
        let language = ShingleParams { language: "da".parse().unwrap(), min_set: 1, ..ShingleParams::stop_word() };
        assert_eq!(language.check().unwrap().list(danish)[0], "til øen var");
        let unlisted = Language::all().find(|l| l.stop_words().is_none()).expect("some language has no list");
        let params = ShingleParams { language: LanguageChoice::Only(unlisted), ..ShingleParams::stop_word() };
        assert!(params.check().unwrap_err().to_string().contains(unlisted.name()));
    }

    #[test]
    fn a_language_is_asked_of_the_text() {
        let auto = ShingleParams { min_set: 1, ..ShingleParams::stop_word() }.check().unwrap();
        let german = "Die Fähre zu der Insel war verspätet und die Mannschaft der Fähre hat gestreikt, weil der Nebel auf dem Sund nicht weichen wollte";
        assert!(auto.list(german).contains(&"die fähre zu".to_owned()), "{:?}", auto.list(german));
    }

    #[test]
    fn words_letters_and_short_texts() {
        let words = ShingleParams { size: 2, ..ShingleParams::default() };
        assert_eq!(words.check().unwrap().list("Fog horn, fog HORN fog"), ["fog horn", "horn fog"]);
        assert_eq!(words.check().unwrap().list("fog"), ["fog"]);
        let none = ShingleParams { short: ShortText::None, ..words.clone() };
        assert!(none.check().unwrap().set("fog").is_empty());
        let letters = ShingleParams { size: 4, ..ShingleParams::letters() };
        assert_eq!(letters.check().unwrap().list("Ab \n cd"), ["ab c", "b cd"]);
        assert!(letters.check().unwrap().set(" \t ").is_empty());
        let many = ShingleParams { min_set: 3, ..words };
        assert!(many.check().unwrap().set("fog horn fog").is_empty());
        assert_eq!(many.check().unwrap().set("fog horn lamp oil").len(), 3);
        assert_eq!(ShingleParams { size: 0, ..many.clone() }.check().unwrap_err(), ShingleError::Zero("size"));
        let ignored = ShingleParams { stop_words: stops("a the"), ..many };
        assert_eq!(ignored.check().unwrap_err(), ShingleError::OnlyStopWord("stop-words"));
    }

    #[test]
    fn hashes_are_sorted_however_they_are_spread() {
        let mut stream = crate::seed::Seed(6).stream("test/hashes");
        for count in [0, 1, 2, 23, 24, 25, 137, 1000, 4096, 4097] {
            for bits in [64, 60, 5] {
                let mut hashes: Vec<u64> = (0..count).map(|_| stream.below(u64::MAX) >> (64 - bits)).collect();
                let mut expected = hashes.clone();
                expected.sort();
                sort_hashes(&mut hashes);
                assert_eq!(hashes, expected, "{count} hashes of {bits} bits");
            }
        }
    }

    #[test]
    fn shingles_are_the_same_in_words_in_lists_and_as_sets() {
        let text = "Fog horn, fog HORN café; a 3.14 to the Ärger fog horn";
        for params in [ShingleParams::default(), ShingleParams::letters(), ShingleParams::stop_word()] {
            for words in [WordRule::Unicode, WordRule::Ascii, WordRule::Regex] {
                let shingling = ShingleParams { words, size: 2, min_set: 1, ..params.clone() }.check().unwrap();
                let mut hashes = vec![7];
                shingling.fill(text, &mut hashes);
                assert_eq!(hashes.remove(0), 7);
                if params.kind != ShingleKind::Letters {
                    let mut again = Vec::new();
                    shingling.hash_words(&shingling.words(text), &mut again);
                    assert_eq!(hashes, again);
                }
                hashes.sort();
                hashes.dedup();
                assert_eq!(shingling.set(text), hashes);
                assert_eq!(shingling.list(text).len(), hashes.len());
            }
        }
        let many = ShingleParams { min_set: 99, ..ShingleParams::default() }.check().unwrap();
        let mut none = Vec::new();
        many.fill(text, &mut none);
        assert!(none.is_empty());
    }

    #[test]
    fn rules_differ_on_what_a_word_is() {
        let folded = WordRule::Ascii.fold("Café 2-fold a_b");
        assert_eq!(WordRule::Ascii.words(&folded), ["caf", "2", "fold", "a", "b"]);
        assert_eq!(WordRule::Regex.words(&folded), ["café", "2", "fold", "a_b"]);
    }

    #[test]
    fn o_057_to_o_061_unicode_forms_give_equal_sets() {
        let shingling = ShingleParams { size: 1, ..ShingleParams::default() }.check().unwrap();
        let equal = |x: &str, y: &str| assert_eq!(shingling.list(x), shingling.list(y));
        equal("E\u{fb03}cient \u{fb02}ax \u{fb01}bres", "Efficient flax fibres");
        equal("Caf\u{e9} noise", "Cafe\u{301}  noise");
        equal("CAF\u{c9}\u{a0}noise", "café noise");
        equal("O'Dell's rule - a cost-benefit view of 1990-2000", "O’Dell’s rule – a cost‐benefit view of 1990–2000");
        equal("O'Dell's rule - a cost-benefit view of 1990-2000", "OʼDell′s rule — a cost−benefit view of 1990‑2000");
        equal("bell\u{7} form\u{c} feed \u{1b}[31mred", "bell form feed red");
        assert_eq!(shingling.list("O\0ce hours of"), ["oce", "hours", "of"]);
        let bees = "本研究测量了电车轨道附近蜜蜂的活动时间。";
        let words = ShingleParams::default().check().unwrap();
        assert!(words.set(bees).len() >= 5, "{:?}", words.list(bees));
        assert_eq!(words.list("Bees near tramlines were active for longer.").len(), 5);
    }

    #[test]
    fn sets_of_a_corpus_are_those_of_its_texts() {
        let texts: Vec<String> = (0..700).map(|i| format!("lamp {} oil {} and {}", i % 7, i % 5, i % 3)).collect();
        let shingling = ShingleParams::default().check().unwrap();
        let sets = ShingleSets::make(texts.len(), |i| shingling.set(&texts[i]));
        assert_eq!(sets.papers(), 700);
        for (i, text) in texts.iter().enumerate() {
            assert_eq!(sets.of(PaperId(i as u32)), shingling.set(text));
        }
        assert_eq!(sets.total(), 700 * 4);
        assert!(sets.empty().is_empty());
    }
}
