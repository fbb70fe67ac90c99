//! Folding: one text, whatever a database, an export or a wrong encoding made of it, becomes plain lower-case words.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Undoes text that was written as UTF-8 and read as Windows-1252 or Latin-1 (`KÃ¶nig` for `König`), up to twice.
/// Only places that form a valid UTF-8 sequence are changed, so text that never was damaged stays as it is.
pub fn repair_mojibake(text: &str) -> Cow<'_, str> {
    match repaired_once(text) {
        None => Cow::Borrowed(text),
        Some(once) => Cow::Owned(repaired_once(&once).unwrap_or(once)),
    }
}

/// The text with its damaged letters undone once; `None` if it has none.
fn repaired_once(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut out: Option<String> = None;
    let mut rest = text.char_indices();
    let mut kept = 0;
    while let Some((at, c)) = rest.next() {
        if c.is_ascii() {
            continue;
        }
        let Some((letter, used)) = damaged(&text[at..]) else { continue };
        let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
        out.push_str(&text[kept..at]);
        out.push(letter);
        (1..used).for_each(|_| {
            rest.next();
        });
        kept = rest.offset();
    }
    out.map(|mut out| {
        out.push_str(&text[kept..]);
        out
    })
}

/// The letter that the first characters are the bytes of, and how many they are.
fn damaged(text: &str) -> Option<(char, usize)> {
    let mut chars = text.chars();
    let lead = byte_of(chars.next()?)?;
    let length = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let mut bytes = [lead; 4];
    for slot in &mut bytes[1..length] {
        *slot = byte_of(chars.next()?)?;
    }
    let letter = std::str::from_utf8(&bytes[..length]).ok()?.chars().next()?;
    Some((letter, length))
}

/// The byte that Windows-1252, or Latin-1 where that has nothing, shows as this character.
fn byte_of(c: char) -> Option<u8> {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘',
        '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
    ];
    match c as u32 {
        0x80..=0xff => Some(c as u32 as u8),
        0..=0x7f => None,
        _ => HIGH.iter().position(|&h| h == c).map(|place| 0x80 + place as u8),
    }
}

/// Takes markup away: HTML entities and tags, LaTeX commands, braces and dollar signs. What a tag or a command encloses
/// stays. `10 < 20` and `R&D` stay as they are.
pub fn strip_markup(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if !text.bytes().any(is_markup) {
        return text;
    }
    if text.contains('$')
        && (text.contains("$\\less$") || text.contains("$\\greater$") || text.contains("$<$") || text.contains("$>$"))
    {
        let signs = text.replace("$\\less$", "<").replace("$\\greater$", ">").replace("$<$", "<").replace("$>$", ">");
        text = signs.into();
    }
    if text.contains('&') {
        // Twice: exports encode what was encoded already (`&amp;lt;`).
        if let Cow::Owned(once) = html_escape::decode_html_entities(&text) {
            text = html_escape::decode_html_entities(&once).into_owned().into();
        }
    }
    if text.contains('<') {
        text = strip_tags(&text).into();
    }
    if text.contains(['\\', '{', '$']) {
        text = strip_latex(&text).into();
    }
    text
}

/// The bytes without which a text has no markup.
fn is_markup(byte: u8) -> bool {
    matches!(byte, b'&' | b'<' | b'\\' | b'{' | b'$')
}

fn strip_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let inside = &rest[open + 1..];
        let name = inside.strip_prefix('/').unwrap_or(inside);
        let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic());
        match inside.find('>').filter(|&close| is_tag && close <= 80) {
            Some(close) => {
                // Tags that stand inside a word (H<sub>2</sub>O) leave no gap; those that end a line do.
                let word = name[..name.find(['>', ' ', '/']).unwrap_or(name.len())].to_ascii_lowercase();
                if matches!(word.as_str(), "br" | "p" | "div" | "li" | "title" | "sec") {
                    out.push(' ');
                }
                rest = &inside[close + 1..];
            }
            None => {
                out.push('<');
                rest = inside;
            }
        }
    }
    out.push_str(rest);
    out
}

fn strip_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' | '$' => {}
            '\\' => match chars.peek().copied() {
                Some(accent) if "\"'`^~=.".contains(accent) => {
                    chars.next();
                }
                Some(letter) if letter.is_ascii_alphabetic() => {
                    let mut command = String::new();
                    while let Some(letter) = chars.next_if(char::is_ascii_alphabetic) {
                        command.push(letter);
                    }
                    let spaced = chars.next_if(|c| *c == ' ').is_some();
                    match command.as_str() {
                        "o" | "O" | "l" | "L" | "i" | "j" | "ss" | "ae" | "AE" | "oe" | "OE" | "aa" | "AA" => {
                            out.push_str(&command)
                        }
                        // Accents over the letter that follows, and font switches, say nothing here.
                        "c" | "v" | "u" | "H" | "k" | "r" | "d" | "b" | "t" => {}
                        "emph" | "textit" | "textbf" | "textrm" | "textsc" | "text" | "mathrm" | "mathcal"
                        | "mathbf" | "mathit" | "mathbb" | "em" | "it" | "bf" | "rm" | "sc" | "url" | "href" => {}
                        // \alpha, \beta and their like are read as their names.
                        _ => {
                            out.push_str(&command);
                            if spaced {
                                out.push(' ');
                            }
                        }
                    }
                }
                Some(other) => {
                    out.push(if other == '\\' { ' ' } else { other });
                    chars.next();
                }
                None => {}
            },
            _ => out.push(c),
        }
    }
    out
}

/// Plain lower-case words with one blank between them: markup gone, encoding damage repaired, compatibility forms and
/// accents resolved, Greek letters by name, apostrophes dropped, everything that is no letter or digit a blank.
/// Letters of other scripts stay. A text without letters and digits folds to nothing.
pub fn fold(text: &str) -> String {
    let text = strip_markup(text);
    if text.is_ascii() {
        return ascii_words(&text);
    }
    words_of(&repair_mojibake(&text))
}

/// Words under construction: what stands between two of them is one blank.
#[derive(Default)]
struct Words {
    out: String,
    gap: bool,
}

impl Words {
    fn letter(&mut self, c: char) {
        if self.gap && !self.out.is_empty() {
            self.out.push(' ');
        }
        self.gap = false;
        self.out.push(c);
    }

    /// A character that is decomposed and in lower case.
    fn plain(&mut self, c: char) {
        if let Some(spelling) = spelled(c) {
            spelling.chars().for_each(|c| self.letter(c));
        } else if c.is_alphanumeric() || is_letter_mark(c) && is_combining_mark(c) {
            self.letter(c.to_ascii_lowercase());
        } else if !is_dropped(c) {
            self.gap = true;
        }
    }
}

/// [`fold`] of a text without markup and damage.
fn words_of(text: &str) -> String {
    let mut words = Words { out: String::with_capacity(text.len()), gap: false };
    // Only marks that are letters are put into another order when they are decomposed together; accents go anyway.
    if text.chars().any(is_letter_mark) {
        text.nfkd().filter(|c| !is_combining_mark(*c) || is_letter_mark(*c)).for_each(|c| {
            c.to_lowercase().for_each(|c| words.plain(c));
        });
        return words.out;
    }
    for c in text.chars() {
        if c.is_ascii() {
            match ASCII[c as usize] {
                GAP => words.gap = true,
                DROPPED => {}
                letter => words.letter(char::from(letter)),
            }
            continue;
        }
        decompose_compatible(c, |c| {
            if c.is_ascii() {
                words.plain(c.to_ascii_lowercase());
            } else if !is_combining_mark(c) || is_letter_mark(c) {
                c.to_lowercase().for_each(|c| words.plain(c));
            }
        });
    }
    words.out
}

/// Marks that are vowels, not accents: without them Devanagari, Thai and their like lose their words.
fn is_letter_mark(c: char) -> bool {
    (c as u32) >= 0x0900 && (c as u32) < 0x1ab0
}

/// What becomes of each ASCII character: its lower-case letter or digit, [`GAP`], or [`DROPPED`].
const ASCII: [u8; 128] = {
    let mut table = [GAP; 128];
    let mut byte = 0;
    while byte < 128 {
        let c = byte as u8;
        if c.is_ascii_alphanumeric() {
            table[byte] = c.to_ascii_lowercase();
        } else if matches!(c, b'\'' | b'`') {
            table[byte] = DROPPED;
        }
        byte += 1;
    }
    table
};
const GAP: u8 = 0;
const DROPPED: u8 = 1;

/// [`words_of`] a text that is nothing but ASCII, as most are.
fn ascii_words(text: &str) -> String {
    let mut out = vec![b' '; text.len()];
    let mut length = 0;
    let mut gap = false;
    for byte in text.bytes() {
        match ASCII[usize::from(byte & 127)] {
            GAP => gap = length > 0,
            DROPPED => {}
            letter => {
                // A gap stands for at least one byte of the text, so there is always room.
                length += usize::from(gap);
                out[length] = letter;
                length += 1;
                gap = false;
            }
        }
    }
    out.truncate(length);
    String::from_utf8(out).unwrap_or_default()
}

/// Marks that leave no gap: apostrophes, soft hyphens, joiners.
fn is_dropped(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`' | '´' | 'ʼ' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}')
}

/// Letters that decomposition leaves, in the spelling that others use for them.
fn spelled(c: char) -> Option<&'static str> {
    Some(match c {
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'þ' => "th",
        'ı' => "i",
        'ħ' => "h",
        'α' => "alpha",
        'β' => "beta",
        'γ' => "gamma",
        'δ' => "delta",
        'ε' => "epsilon",
        'ζ' => "zeta",
        'η' => "eta",
        'θ' => "theta",
        'κ' => "kappa",
        'λ' => "lambda",
        'μ' => "mu",
        'ν' => "nu",
        'ξ' => "xi",
        'π' => "pi",
        'ρ' => "rho",
        'σ' | 'ς' => "sigma",
        'τ' => "tau",
        'φ' => "phi",
        'χ' => "chi",
        'ψ' => "psi",
        'ω' => "omega",
        _ => return None,
    })
}

/// The words of a folded text, without the blanks: equal where only hyphens, blanks and marks differ.
pub fn compact(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    out.extend(folded.split(' '));
    out
}

/// Whether two folded texts are equal but for their blanks.
pub fn is_compactly_equal(a: &str, b: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(|byte| *byte != b' ')
    }
    a == b || letters(a).eq(letters(b))
}

/// Whether a word stands in a short list. Most words differ from all of them in length or first letter.
pub(super) fn is_among(word: &str, list: &[&str]) -> bool {
    let first = word.as_bytes().first();
    list.iter().any(|other| other.len() == word.len() && other.as_bytes().first() == first && *other == word)
}

/// A value that only says that there is none: `NA`, `n/a`, `null`, `-`, `unknown`.
pub fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || text.chars().all(|c| matches!(c, '-' | '–' | '—' | '.' | '?' | '*' | '_' | '/'))
        || ["na", "n/a", "n.a.", "null", "none", "nan", "nil", "unknown", "not available", "undefined", "[no title]"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_damage_is_undone_where_there_is_some() {
        assert_eq!(repair_mojibake("KÃ¶nig"), "König");
        assert_eq!(repair_mojibake("KÃƒÂ¶nig"), "König");
        assert_eq!(repair_mojibake("donâ€™t"), "don’t");
        assert_eq!(repair_mojibake("São Paulo, Ângela, naïve"), "São Paulo, Ângela, naïve");
    }

    #[test]
    fn texts_fold_to_the_same_words() {
        assert_eq!(fold("The  Naïve–Bayes&nbsp;Method:<i>H<sub>2</sub>O</i>"), "the naive bayes method h2o");
        assert_eq!(fold("{\\\"U}ber \\emph{die} $\\alpha$-Helix"), "uber die alpha helix");
        assert_eq!(fold("Über die α-Helix"), "uber die alpha helix");
        assert_eq!(fold("O’Dell's ﬁsh"), "odells fish");
        assert_eq!(fold("A & B <5 or > 7"), "a b 5 or 7");
        assert_eq!(fold("воздух"), "воздух");
        for text in ["It's  a `plain' TITLE, of 2 (two) parts.", "", "--", "x", " A-b "] {
            assert_eq!(ascii_words(text), words_of(text), "{text}");
        }
        assert_eq!(fold("???"), "");
        assert_eq!(compact("e learning"), "elearning");
    }

    #[test]
    fn placeholders_are_missing_values() {
        for text in ["", "NA", "n/a", "null", "-", " – ", "None"] {
            assert!(is_placeholder(text), "{text}");
        }
        assert!(!is_placeholder("Nanotubes"));
    }
}
