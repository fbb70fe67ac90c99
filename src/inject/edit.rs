//! The edits that a copy can be given: what happens to records on their way through databases, scanners and people.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_segmentation::UnicodeSegmentation;

use super::{InjectError, Share};
use crate::corpus::{Field, Paper};
use crate::seed::Stream;

/// One edit with its dose. Doses are shares; where a dose is a chance per word, the words that a small dose hits are
/// among those that a larger one hits (the same seed draws the same numbers).
///
/// Edits change title, abstract and body. A word is a Unicode word (UAX 29) with a letter or digit in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Edit {
    /// Nothing is changed.
    Exact,
    /// Of title, abstract, body and keywords only these fields are kept.
    KeepFields(Vec<Field>),
    /// Each word is left out with this chance.
    DropWords(Share),
    /// Each word gets one wrong letter with this chance.
    Garble(Share),
    /// Each word is damaged by a wrong decoding with this chance: UTF-8 read as Windows-1252 where the word is not
    /// ASCII, else one letter lost to U+FFFD.
    Mojibake(Share),
    /// Each word gets one confusion of letters of like shape (rn for m, 1 for l, 0 for O …) with this chance.
    Ocr(Share),
    /// The end of abstract and body is cut off: this share of their words, rounded half up. The title is cut only
    /// where there is nothing else.
    Truncate(Share),
    /// Each sentence changes places with the next one with this chance.
    SwapSentences(Share),
    /// Each word is set anew with this chance: in capitals, hyphenated over a line end, with ligatures, with another
    /// dash or apostrophe, or followed by two blanks.
    Reformat(Share),
}

impl Edit {
    /// The edit's name without its dose.
    pub fn name(&self) -> &'static str {
        match self {
            Edit::Exact => "exact",
            Edit::KeepFields(_) => "keep-fields",
            Edit::DropWords(_) => "drop-words",
            Edit::Garble(_) => "garble",
            Edit::Mojibake(_) => "mojibake",
            Edit::Ocr(_) => "ocr",
            Edit::Truncate(_) => "truncate",
            Edit::SwapSentences(_) => "swap-sentences",
            Edit::Reformat(_) => "reformat",
        }
    }

    /// Edits the copy of a paper.
    pub(super) fn apply(&self, paper: &mut Paper, random: &mut Stream) {
        match self {
            Edit::Exact => {}
            Edit::KeepFields(fields) => keep_fields(paper, fields),
            Edit::DropWords(dose) => each_text(paper, |text| words(text, *dose, random, |_, _, out| out.clear())),
            Edit::Garble(dose) => each_text(paper, |text| words(text, *dose, random, garble)),
            Edit::Mojibake(dose) => each_text(paper, |text| words(text, *dose, random, mojibake)),
            Edit::Ocr(dose) => each_text(paper, |text| words(text, *dose, random, ocr)),
            Edit::Reformat(dose) => each_text(paper, |text| words(text, *dose, random, reformat)),
            Edit::SwapSentences(dose) => each_text(paper, |text| swap_sentences(text, *dose, random)),
            Edit::Truncate(dose) => {
                let only_title = paper.abstract_text.is_empty() && paper.body.is_empty();
                paper.abstract_text = truncate(&paper.abstract_text, *dose);
                paper.body = truncate(&paper.body, *dose);
                if only_title {
                    paper.title = truncate(&paper.title, *dose);
                }
            }
        }
    }
}

/// As on the command line: `garble=0.1`, `keep-fields=title+abstract`, `exact`.
impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Edit::Exact => Ok(()),
            Edit::KeepFields(fields) => {
                for (place, field) in fields.iter().enumerate() {
                    f.write_str(if place == 0 { "=" } else { "+" })?;
                    f.write_str(field.name())?;
                }
                Ok(())
            }
            Edit::DropWords(dose)
            | Edit::Garble(dose)
            | Edit::Mojibake(dose)
            | Edit::Ocr(dose)
            | Edit::Truncate(dose)
            | Edit::SwapSentences(dose)
            | Edit::Reformat(dose) => write!(f, "={dose}"),
        }
    }
}

impl FromStr for Edit {
    type Err = InjectError;
    fn from_str(text: &str) -> Result<Edit, InjectError> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let wants = |wanted| InjectError::Dose { edit: name.to_owned(), wanted };
        let dose = || value.ok_or_else(|| wants("needs a dose, such as garble=0.1"))?.parse();
        match name {
            "exact" if value.is_none() => Ok(Edit::Exact),
            "exact" => Err(wants("has no dose")),
            "keep-fields" => value
                .filter(|fields| !fields.is_empty())
                .ok_or_else(|| wants("needs fields, such as keep-fields=abstract or keep-fields=title+abstract"))?
                .split('+')
                .map(|field| field.parse().map_err(InjectError::Field))
                .collect::<Result<_, _>>()
                .map(Edit::KeepFields),
            "drop-words" => dose().map(Edit::DropWords),
            "garble" => dose().map(Edit::Garble),
            "mojibake" => dose().map(Edit::Mojibake),
            "ocr" => dose().map(Edit::Ocr),
            "truncate" => dose().map(Edit::Truncate),
            "swap-sentences" => dose().map(Edit::SwapSentences),
            "reformat" => dose().map(Edit::Reformat),
            _ => Err(InjectError::Edit(text.to_owned())),
        }
    }
}

impl Serialize for Edit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Edit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Edit, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

fn keep_fields(paper: &mut Paper, fields: &[Field]) {
    if !fields.contains(&Field::Title) {
        paper.title.clear();
    }
    if !fields.contains(&Field::Abstract) {
        paper.abstract_text.clear();
    }
    if !fields.contains(&Field::Body) {
        paper.body.clear();
    }
    if !fields.contains(&Field::Keywords) {
        paper.keywords.clear();
    }
}

fn each_text(paper: &mut Paper, mut edit: impl FnMut(&str) -> String) {
    for text in [&mut paper.title, &mut paper.abstract_text, &mut paper.body] {
        if !text.is_empty() {
            *text = edit(text);
        }
    }
}

fn is_word(piece: &str) -> bool {
    piece.chars().any(char::is_alphanumeric)
}

/// Rewrites each word with the chance of the dose. `change` gets the word and the text to put in its place, which
/// begins as the word itself. A word left out takes the blank before it along.
fn words(
    text: &str,
    dose: Share,
    random: &mut Stream,
    mut change: impl FnMut(&str, &mut Stream, &mut String),
) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut word = String::new();
    for piece in text.split_word_bounds() {
        if !is_word(piece) {
            edited.push_str(piece);
            continue;
        }
        // One draw decides and seeds the details, so that a larger dose changes the same words in the same way.
        let hit = random.unit();
        let mut details = crate::seed::Seed((hit * (1u64 << 53) as f64) as u64).stream("inject/word");
        word.clear();
        word.push_str(piece);
        if hit < dose.value() {
            change(piece, &mut details, &mut word);
        }
        if word.is_empty() && edited.ends_with(' ') {
            edited.pop();
        }
        edited.push_str(&word);
    }
    edited.trim_start().to_owned()
}

fn garble(word: &str, random: &mut Stream, out: &mut String) {
    let mut letters: Vec<char> = word.chars().collect();
    let place = random.below(letters.len() as u64) as usize;
    let wrong = loop {
        let letter = char::from(b'a' + random.below(26) as u8);
        if letter != letters[place].to_ascii_lowercase() {
            break letter;
        }
    };
    letters[place] = wrong;
    out.clear();
    out.extend(letters);
}

fn mojibake(word: &str, random: &mut Stream, out: &mut String) {
    out.clear();
    if word.is_ascii() {
        let place = random.below(word.len() as u64) as usize;
        out.push_str(&word[..place]);
        out.push('\u{FFFD}');
        out.push_str(&word[place + 1..]);
    } else {
        out.push_str(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(word.as_bytes()).0);
    }
}

/// Shapes that scanners take for one another, both ways.
const CONFUSIONS: [(&str, &str); 12] = [
    ("m", "rn"),
    ("l", "1"),
    ("O", "0"),
    ("d", "cl"),
    ("w", "vv"),
    ("e", "c"),
    ("h", "b"),
    ("S", "5"),
    ("B", "8"),
    ("i", "l"),
    ("u", "ii"),
    ("t", "f"),
];

fn ocr(word: &str, random: &mut Stream, out: &mut String) {
    let mut places = Vec::new();
    for (place, _) in word.char_indices() {
        for (x, y) in CONFUSIONS {
            for (seen, read) in [(x, y), (y, x)] {
                if word[place..].starts_with(seen) {
                    places.push((place, seen, read));
                }
            }
        }
    }
    if places.is_empty() {
        return;
    }
    let (place, seen, read) = places[random.below(places.len() as u64) as usize];
    out.clear();
    out.push_str(&word[..place]);
    out.push_str(read);
    out.push_str(&word[place + seen.len()..]);
}

fn reformat(word: &str, random: &mut Stream, out: &mut String) {
    match random.below(5) {
        0 => *out = word.to_uppercase(),
        1 => {
            let letters: Vec<char> = word.chars().collect();
            if letters.len() >= 6 {
                let half = letters.len() / 2;
                *out = letters[..half].iter().chain(&['-', '\n']).chain(&letters[half..]).collect();
            }
        }
        2 => {
            *out = word
                .replace("ffi", "\u{FB03}")
                .replace("fi", "\u{FB01}")
                .replace("fl", "\u{FB02}")
                .replace("ff", "\u{FB00}")
        }
        3 => *out = word.replace('-', "\u{2013}").replace('\'', "\u{2019}"),
        _ => out.push(' '),
    }
}

fn truncate(text: &str, dose: Share) -> String {
    let ends: Vec<usize> = text
        .split_word_bound_indices()
        .filter(|(_, piece)| is_word(piece))
        .map(|(at, piece)| at + piece.len())
        .collect();
    let kept = ends.len() - dose.of(ends.len());
    match kept.checked_sub(1) {
        _ if kept == ends.len() => text.to_owned(),
        Some(last) => text[..ends[last]].to_owned(),
        None => String::new(),
    }
}

fn swap_sentences(text: &str, dose: Share, random: &mut Stream) -> String {
    let mut sentences: Vec<&str> = text.split_sentence_bounds().map(str::trim).filter(|s| !s.is_empty()).collect();
    for place in 1..sentences.len() {
        if random.chance(dose.value()) {
            sentences.swap(place - 1, place);
        }
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn edited(edit: &str, text: &str) -> String {
        let mut paper = Paper { abstract_text: text.into(), ..Paper::default() };
        edit.parse::<Edit>().unwrap().apply(&mut paper, &mut Seed(3).stream("t"));
        paper.abstract_text
    }

    const TEXT: &str = "One fog horn, two lamps. Three bells ring at night! Four owls answer; nobody sleeps.";

    #[test]
    fn edits_are_written_as_they_are_read() {
        for text in [
            "exact",
            "garble=0.1",
            "keep-fields=title+abstract",
            "truncate=0.5",
            "swap-sentences=1",
            "reformat=0.25",
            "ocr=0.3",
        ] {
            assert_eq!(text.parse::<Edit>().unwrap().to_string(), text);
        }
        for text in ["", "garble", "garble=2", "exact=1", "keep-fields=", "keep-fields=titel", "rot13=1"] {
            assert!(text.parse::<Edit>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_full_dose_hits_every_word_and_no_dose_none() {
        for name in ["garble", "drop-words", "mojibake", "ocr", "reformat", "truncate", "swap-sentences"] {
            assert_eq!(edited(&format!("{name}=0"), TEXT), TEXT, "{name}");
        }
        assert_eq!(edited("drop-words=1", "one two three").trim(), "");
        let wrong = edited("garble=1", TEXT);
        let differ = TEXT.split(' ').zip(wrong.split(' ')).filter(|(a, b)| a != b).count();
        assert_eq!((wrong.split(' ').count(), differ), (15, 15), "{wrong}");
        assert!(edited("mojibake=1", "Müller fog").contains("MÃ¼ller"));
        assert_eq!(edited("truncate=0.5", "one two three four."), "one two");
        assert_eq!(edited("truncate=1", TEXT), "");
        assert_ne!(edited("swap-sentences=1", TEXT), TEXT);
        assert_eq!(edited("swap-sentences=1", TEXT).len(), TEXT.len());
    }

    #[test]
    fn a_larger_dose_contains_the_smaller() {
        let text: String = (0..400).map(|i| format!("word{i} ")).collect();
        let (small, large) = (edited("garble=0.1", &text), edited("garble=0.3", &text));
        let hits = |copy: &str| {
            text.split(' ')
                .zip(copy.split(' '))
                .enumerate()
                .filter(|(_, (a, b))| a != b)
                .map(|(n, (_, b))| (n, b.to_owned()))
                .collect::<Vec<_>>()
        };
        let (small, large) = (hits(&small), hits(&large));
        assert!((20..60).contains(&small.len()) && (90..150).contains(&large.len()), "{} {}", small.len(), large.len());
        assert!(small.iter().all(|hit| large.contains(hit)));
    }

    #[test]
    fn any_script_survives_every_edit() {
        for text in ["", " ", "雾笛在夜里响", "Ω ≤ λ", "\u{0}\u{FFFD}", "e\u{301}e\u{301}"] {
            for name in ["garble", "drop-words", "mojibake", "ocr", "reformat", "truncate", "swap-sentences"] {
                edited(&format!("{name}=1"), text);
                edited(&format!("{name}=0.5"), text);
            }
        }
    }
}
