//! Folding: one text, whatever a database, an export or a wrong encoding made of it, becomes plain lower-case words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Undoes text that was written as UTF-8 and read as Windows-1252 or Latin-1 (`KÃ¶nig` for `König`), up to twice.
/// Only places that form a valid UTF-8 sequence are changed, so text that never was damaged stays as it is.
pub fn repair_mojibake(text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..2 {
        // Every damaged letter starts with one of the characters that a UTF-8 lead byte is read as.
        if !text.chars().any(|c| ('\u{c2}'..='\u{f4}').contains(&c)) {
            break;
        }
        let chars: Vec<char> = text.chars().collect();
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        while at < chars.len() {
            match damaged(&chars[at..]) {
                Some((letter, used)) => {
                    out.push(letter);
                    at += used;
                }
                None => {
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        if out == text {
            break;
        }
        text = out;
    }
    text
}

/// The letter that the first characters are the bytes of, and how many they are.
fn damaged(chars: &[char]) -> Option<(char, usize)> {
    let lead = byte_of(*chars.first()?)?;
    let length = match lead {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let mut bytes = [0u8; 4];
    for (slot, &c) in bytes.iter_mut().zip(chars.get(..length)?) {
        *slot = byte_of(c)?;
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
pub fn strip_markup(text: &str) -> String {
    let mut text = text.to_owned();
    if text.contains("$\\less$") || text.contains("$\\greater$") || text.contains("$<$") || text.contains("$>$") {
        text = text.replace("$\\less$", "<").replace("$\\greater$", ">").replace("$<$", "<").replace("$>$", ">");
    }
    if text.contains('&') {
        // Twice: exports encode what was encoded already (`&amp;lt;`).
        text = html_escape::decode_html_entities(&html_escape::decode_html_entities(&text)).into_owned();
    }
    if text.contains('<') {
        text = strip_tags(&text);
    }
    if text.contains('\\') || text.contains('{') || text.contains('$') {
        text = strip_latex(&text);
    }
    text
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
    if text.bytes().all(|b| b.is_ascii() && !matches!(b, b'&' | b'<' | b'\\' | b'{' | b'$')) {
        return ascii_words(text);
    }
    let text = repair_mojibake(&strip_markup(text));
    let mut plain = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c) || is_letter_mark(*c)) {
        for c in c.to_lowercase() {
            match spelled(c) {
                Some(spelling) => plain.push_str(spelling),
                None => plain.push(c),
            }
        }
    }
    words(plain.chars())
}

/// Marks that are vowels, not accents: without them Devanagari, Thai and their like lose their words.
fn is_letter_mark(c: char) -> bool {
    (c as u32) >= 0x0900 && (c as u32) < 0x1ab0
}

/// [`words`] of a text that is nothing but ASCII, as most are.
fn ascii_words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.push(char::from(byte.to_ascii_lowercase()));
        } else if !matches!(byte, b'\'' | b'`') {
            gap = true;
        }
    }
    out
}

fn words(chars: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    let mut gap = false;
    for c in chars {
        if c.is_alphanumeric() || is_letter_mark(c) && is_combining_mark(c) {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.push(c.to_ascii_lowercase());
        } else if !matches!(c, '\'' | '’' | '‘' | '`' | '´' | 'ʼ' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{feff}')
        {
            gap = true;
        }
    }
    out
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
    folded.chars().filter(|c| *c != ' ').collect()
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
            assert_eq!(ascii_words(text), words(text.chars()), "{text}");
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
