//! Normal forms: texts that a reader would call equal become equal bytes. The original is never changed.
//!
//! [`fold`] is what tokens are cut from: Unicode NFKC with full case folding (Unicode 3.13), so that `ﬁ` is `fi`,
//! `CO₂` is `co2`, `10²` is `102`, `Ａ` is `a`, `ß` is `ss`, and composed and decomposed accents are one. On top of that
//! all dashes become `-`, all apostrophes and primes `'`, all double quotes `"`, every blank (no-break, ideographic, tab,
//! line feed) one space; control characters, terminal escape sequences and invisible characters (soft hyphen, zero
//! width, direction marks) are dropped. Accents stay: `café` and `cafe` are two words, unless [`without_marks`] is asked.

use std::borrow::Cow;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

/// Folds a text for comparison, as the head of this file says. A text that is folded already is borrowed.
/// Blanks keep their number; [`comparison_key`] collapses them.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.bytes().all(is_folded) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    Cow::Owned(out)
}

/// [`fold`], appended to a buffer that can be used again.
pub fn fold_into(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        // Neither normal forms nor escape sequences reach across an ASCII blank: each stretch folds alone.
        let end = bytes[start..].iter().position(|b| is_ascii_blank(*b)).map_or(bytes.len(), |n| start + n);
        let stretch = &text[start..end];
        if stretch.bytes().all(|b| is_folded(b) || b.is_ascii_uppercase()) {
            let from = out.len();
            out.push_str(stretch);
            out[from..].make_ascii_lowercase();
        } else {
            fold_stretch(stretch, out);
        }
        if end < bytes.len() {
            out.push(' ');
        }
        start = end + 1;
    }
}

fn is_ascii_blank(byte: u8) -> bool {
    byte == b' ' || (0x09..=0x0d).contains(&byte)
}

/// ASCII that folding leaves as it is.
fn is_folded(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte) && !byte.is_ascii_uppercase() && byte != b'`'
}

fn fold_stretch(text: &str, out: &mut String) {
    let visible = Visible { chars: text.chars() }.filter_map(typed);
    // The second pass of each step is for what the first one brought out: `⁻` is `−` is `-`, folded letters compose.
    out.extend(visible.nfkc().filter_map(typed).default_case_fold().nfkc());
}

/// The characters of a text without terminal escape sequences (ESC [ ... letter).
struct Visible<'t> {
    chars: std::str::Chars<'t>,
}

impl Iterator for Visible<'_> {
    type Item = char;
    fn next(&mut self) -> Option<char> {
        loop {
            match self.chars.next()? {
                '\u{1b}' => {
                    let mut ahead = self.chars.clone();
                    if ahead.next() == Some('[') {
                        // A sequence that never ends is no sequence: only the escape itself is dropped then.
                        if ahead.find(|c| !matches!(c, '\u{20}'..='\u{3f}')).is_some_and(|c| matches!(c, '@'..='~')) {
                            self.chars = ahead;
                        }
                    }
                }
                c => return Some(c),
            }
        }
    }
}

/// The character that a typist would have used, or none for what nobody sees.
fn typed(c: char) -> Option<char> {
    Some(match c {
        '\u{0}'..='\u{8}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' => return None,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => return None,
        '`' | '´' | 'ʹ' | 'ʻ' | 'ʼ' | 'ʽ' | 'ˈ' | '‘' | '’' | '‚' | '‛' | '′' | '‵' | '‹' | '›' | '՚' | '׳' | 'ꞌ' => {
            '\''
        }
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '‶' | '〝' | '〞' | '〟' | '״' => '"',
        '\u{2010}'..='\u{2015}' | '⁃' | '−' | '﹘' | '֊' | '־' | '᠆' | '⸺' | '⸻' => '-',
        'İ' => 'i',
        c if c.is_whitespace() => ' ',
        c => c,
    })
}

/// A text without the second half of doubled formulas (`q=2.05q=2.05`, `40\sigma40\sigma`), which pages leave that show a
/// formula and hold its source beside it. A formula has one of `\ = ^ _` and four bytes at least, and begins a word.
///
/// ```
/// use papertwin::text::normal::single_formulas;
/// assert_eq!(single_formulas(r"Kites at q=2.05q=2.05, 4\sigma4\sigma"), r"Kites at q=2.05, 4\sigma");
/// assert_eq!(single_formulas("bye-bye x=y"), "bye-bye x=y");
/// ```
pub fn single_formulas(text: &str) -> Cow<'_, str> {
    let formula = |part: &str| part.contains(['\\', '=', '^', '_']);
    if !formula(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut begins = true;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let doubled = |&half: &usize| {
            rest.is_char_boundary(half)
                && rest.as_bytes()[..half] == rest.as_bytes()[half..2 * half]
                && formula(&rest[..half])
        };
        // A formula is shorter than a title; so the search stays cheap in a text without blanks.
        let longest = (rest.len() / 2).min(200);
        if begins && let Some(half) = (4..=longest).rev().find(doubled) {
            out.push_str(&rest[..half]);
            at += 2 * half;
            begins = false;
            continue;
        }
        out.push(c);
        begins = c.is_whitespace() || c == '$';
        at += c.len_utf8();
    }
    Cow::Owned(out)
}

/// What two titles or texts must have in common to be called equal: the folded text, blanks collapsed and trimmed,
/// two apostrophes (TeX quotes) as one double quote, a run of dashes as one. Punctuation and accents count.
///
/// ```
/// use papertwin::text::normal::comparison_key;
/// assert_eq!(comparison_key("O’Dell′s  ﬁeld — ``view''"), comparison_key("O'Dell's field --- \"view\" "));
/// assert_ne!(comparison_key("Café"), comparison_key("Cafe"));
/// ```
pub fn comparison_key(text: &str) -> String {
    let folded = fold(text);
    let mut key = String::with_capacity(folded.len());
    let mut chars = folded.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' if key.is_empty() || key.ends_with(' ') => {}
            '-' if key.ends_with('-') => {}
            '\'' if chars.peek() == Some(&'\'') => {
                chars.next();
                key.push('"');
            }
            c => key.push(c),
        }
    }
    key.truncate(key.trim_end().len());
    key
}

/// The text without accents: combining marks of Latin, Greek and Cyrillic are dropped, and letters with a stroke or
/// joined letters are written with plain ones (`ø` o, `ł` l, `æ` ae). Marks of other scripts are vowels and stay.
pub fn without_marks(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c)) {
        match c {
            'ø' => out.push('o'),
            'Ø' => out.push('O'),
            'ł' => out.push('l'),
            'Ł' => out.push('L'),
            'đ' | 'ð' => out.push('d'),
            'Đ' | 'Ð' => out.push('D'),
            'ı' => out.push('i'),
            'ħ' => out.push('h'),
            'ŧ' => out.push('t'),
            'æ' => out.push_str("ae"),
            'Æ' => out.push_str("AE"),
            'œ' => out.push_str("oe"),
            'Œ' => out.push_str("OE"),
            'þ' => out.push_str("th"),
            'Þ' => out.push_str("Th"),
            'ß' => out.push_str("ss"),
            c => out.push(c),
        }
    }
    Cow::Owned(out.nfc().collect())
}

/// A text that can be shown on a terminal or written to a table: no control characters but tab and line feed, no
/// terminal escape sequences. Everything else stays as it is.
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| !c.is_control() || c == '\t' || c == '\n';
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let blank = |c: char| if matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}') { ' ' } else { c };
    Cow::Owned(Visible { chars: text.chars() }.map(blank).filter(|&c| harmless(c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn o_057_ligatures_and_raised_figures_fold_to_what_is_typed() {
        assert_eq!(fold("E\u{fb03}cient \u{fb02}ax \u{fb01}bres"), "efficient flax fibres");
        assert_eq!(fold("CO₂ at 10² Pa"), "co2 at 102 pa");
        assert_eq!(fold("Ǆ Ĳssel ½ № ℓ Å"), "dž ijssel 1⁄2 no l å");
    }

    #[test]
    fn o_058_composed_decomposed_blanks_and_capitals_are_one_and_accents_count() {
        let key = comparison_key("Caf\u{e9} noise");
        assert_eq!(comparison_key("Cafe\u{301}  noise"), key);
        assert_eq!(comparison_key("CAF\u{c9}\u{a0}noise"), key);
        assert_eq!(comparison_key("\u{3000}cafe\u{301}\u{2009}\t\nnoise\u{feff} "), key);
        assert_ne!(comparison_key("Cafe noise"), key);
        assert_eq!(without_marks(&key), "cafe noise");
        assert_eq!(without_marks("Łódź Ærø straße й हिन्दी"), "Lodz AEro strasse и हिन्दी");
    }

    #[test]
    fn o_059_dashes_quotes_and_apostrophes_are_one_each() {
        let key = comparison_key("O'Dell's rule - a cost-benefit view of 1990-2000");
        for other in [
            "O’Dell’s rule – a cost‐benefit view of 1990–2000",
            "OʼDell′s rule — a cost−benefit view of 1990‑2000",
            "O´Dell`s rule --- a cost﹣benefit view of 1990\u{207b}2000",
        ] {
            assert_eq!(comparison_key(other), key, "{other}");
        }
        assert_eq!(comparison_key("“fog” «horn» „lamp‟ 5″"), comparison_key("\"fog\" ``horn'' ''lamp'' 5\""));
    }

    #[test]
    fn o_061_control_characters_go_and_what_follows_them_stays() {
        assert_eq!(fold("O\u{0}ce hours of lock keepers"), "oce hours of lock keepers");
        let key = comparison_key("bell\u{7} form\u{c} feed \u{1b}[31mred");
        assert_eq!(key, "bell form feed red");
        assert_eq!(printable("O\u{0}ce \u{1b}[1;31mred\u{1b}[0m\r\n\u{85}é"), "Oce red \n é");
        assert!(matches!(printable("plain\té\n"), Cow::Borrowed(_)));
        // An escape that starts no sequence loses nothing but itself.
        assert_eq!(fold("a\u{1b}[12"), "a[12");
        assert_eq!(fold("a\u{1b}b"), "ab");
    }

    #[test]
    fn what_is_folded_is_borrowed() {
        assert!(matches!(fold("plain text, 3.5 %"), Cow::Borrowed(_)));
        assert_eq!(fold("Straße ΣΊΣΥΦΟΣ İstanbul so\u{ad}ft"), "strasse σίσυφοσ istanbul soft");
        assert_eq!(fold(""), "");
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}") {
            let once = fold(&text).into_owned();
            prop_assert_eq!(fold(&once).into_owned(), once.clone());
            let key = comparison_key(&text);
            prop_assert_eq!(comparison_key(&key), key.clone());
            prop_assert!(!key.contains("  ") && key.trim() == key);
            let shown = printable(&text).into_owned();
            prop_assert!(!shown.bytes().any(|b| b == 0x1b));
        }
    }
}
