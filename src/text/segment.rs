//! Folded text is cut into words.
//!
//! A word is what Unicode's word boundaries (UAX #29) give, cut once more at `_ : , ;` and at a full stop that does not
//! stand between digits: `x_i` is two words, `3.14` and `can't` are one, `10,000` is two, `word2vec` is one. A hyphen
//! separates (`covid-19` is `covid`, `19`; `β-catenin` is `β`, `catenin`) unless hyphens are kept. One letter followed by
//! `++` or `#` is a word with them: `c++`, `c#`.
//!
//! Scripts without blanks are cut by dictionary: Chinese by jieba, Japanese (a text with kana), Thai, Lao, Khmer and
//! Burmese by ICU. ASCII takes a path of its own that gives the same words.

use std::ops::Range;
use std::sync::LazyLock;

use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};
use jieba_rs::Jieba;
use unicode_segmentation::UnicodeSegmentation;

/// The dictionary of Chinese words, loaded at first use.
static CHINESE: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// ICU's dictionaries and models for Japanese and the scripts of South-East Asia.
static COMPLEX: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_auto(WordBreakInvariantOptions::default()));

/// How words are cut, besides what the script says.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cut {
    /// `covid-19` stays one word.
    pub keep_hyphens: bool,
    /// `l'homme` becomes two words.
    pub at_apostrophes: bool,
    /// Han characters are Japanese, because there is kana in the text or the user said so.
    pub japanese: bool,
}

impl Cut {
    /// Visits the words of a folded text in order.
    pub fn words<'t>(self, text: &'t str, visit: &mut impl FnMut(&'t str)) {
        // Nothing joins across a blank, so most of a text that is not all ASCII takes the fast path too.
        for stretch in text.split(' ') {
            if stretch.is_ascii() {
                self.ascii(stretch, visit);
            } else {
                self.unicode(stretch, visit);
            }
        }
    }

    fn ascii<'t>(self, text: &'t str, visit: &mut impl FnMut(&'t str)) {
        let bytes = text.as_bytes();
        let alphanumeric = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        let mut at = 0;
        loop {
            while at < bytes.len() && !bytes[at].is_ascii_alphanumeric() {
                at += 1;
            }
            if at == bytes.len() {
                return;
            }
            let start = at;
            loop {
                while alphanumeric(at) {
                    at += 1;
                }
                if at + 1 < bytes.len() && self.joins(bytes[at - 1].into(), bytes[at].into(), bytes[at + 1].into()) {
                    at += 1;
                } else {
                    break;
                }
            }
            at += sign_after(&text[start..at], &text[at..]);
            visit(&text[start..at]);
        }
    }

    /// Whether a word goes on across this character.
    fn joins(self, before: char, c: char, after: char) -> bool {
        match c {
            '.' => before.is_numeric() && after.is_numeric(),
            '\'' => !self.at_apostrophes && before.is_alphabetic() && after.is_alphabetic(),
            '-' => self.keep_hyphens && before.is_alphanumeric() && after.is_alphanumeric(),
            _ => false,
        }
    }

    fn unicode<'t>(self, text: &'t str, visit: &mut impl FnMut(&'t str)) {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let mut rest = text[start..].char_indices();
            let script = rest.next().map_or(Script::Spaced, |(_, c)| Script::of(c));
            let length = rest.find(|&(_, c)| Script::of(c) != script).map_or(text.len() - start, |(n, _)| n);
            let run = &text[start..start + length];
            match script {
                Script::Spaced => self.spaced(run, start, &mut spans),
                Script::Han if !self.japanese => {
                    let words = CHINESE.cut(run, true);
                    spans.extend(words.iter().map(|w| start + w.byte_start..start + w.byte_end));
                }
                Script::Han | Script::SouthEastAsian => {
                    let edges: Vec<usize> = COMPLEX.segment_str(run).collect();
                    spans.extend(edges.windows(2).map(|edge| start + edge[0]..start + edge[1]));
                }
            }
            start += length;
        }
        spans.retain(|span| text[span.clone()].chars().any(char::is_alphanumeric));
        if self.keep_hyphens {
            spans.dedup_by(|next, kept| {
                let joined = &text[kept.end..next.start] == "-";
                if joined {
                    kept.end = next.end;
                }
                joined
            });
        }
        for span in spans {
            // Only a word that stands alone has a sign, so hyphens come first; another script ends it as a blank does.
            let rest = &text[span.end..];
            let end = rest.find(|c| Script::of(c) != Script::Spaced).unwrap_or(rest.len());
            let sign = sign_after(&text[span.clone()], &rest[..end]);
            visit(&text[span.start..span.end + sign]);
        }
    }

    fn spaced(self, run: &str, start: usize, spans: &mut Vec<Range<usize>>) {
        for (at, word) in run.unicode_word_indices() {
            let mut from = 0;
            let mut before = ' ';
            let mut chars = word.char_indices().peekable();
            while let Some((place, c)) = chars.next() {
                let after = chars.peek().map_or(' ', |&(_, after)| after);
                if matches!(c, '_' | ':' | ',' | ';' | '.' | '\'') && !self.joins(before, c, after) {
                    spans.push(start + at + from..start + at + place);
                    from = place + 1;
                }
                before = c;
            }
            spans.push(start + at + from..start + at + word.len());
        }
    }
}

/// The length of the `++` or `#` that belongs to a word of one letter.
fn sign_after(word: &str, rest: &str) -> usize {
    if word.len() != 1 || !word.as_bytes()[0].is_ascii_lowercase() {
        return 0;
    }
    let sign = ["++", "#"].into_iter().find(|sign| rest.starts_with(sign)).map_or(0, str::len);
    if rest[sign..].chars().next().is_some_and(char::is_alphanumeric) { 0 } else { sign }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Words have blanks or marks between them.
    Spaced,
    /// Han and kana.
    Han,
    /// Thai, Lao, Khmer, Burmese.
    SouthEastAsian,
}

impl Script {
    fn of(c: char) -> Script {
        match c {
            '\u{0}'..='\u{dff}' => Script::Spaced,
            '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{19e0}'..='\u{19ff}' => {
                Script::SouthEastAsian
            }
            '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' => Script::SouthEastAsian,
            '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Script::Han,
            '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => Script::Han,
            c if is_kana(c) => Script::Han,
            _ => Script::Spaced,
        }
    }
}

/// Hiragana and katakana: what tells Japanese from Chinese.
pub(super) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}')
}

/// Whether a character is of a script without blanks for which there is no dictionary here: Tibetan, Yi, Tai Le, New Tai
/// Lue, Tai Tham, Tai Viet, Balinese, Javanese, Cham. Their texts come out as syllables or as whole clauses.
pub(super) fn is_unsegmented(c: char) -> bool {
    matches!(c,
        '\u{f40}'..='\u{fbc}' | '\u{1950}'..='\u{19df}' | '\u{1a20}'..='\u{1aaf}' | '\u{1b00}'..='\u{1b7f}'
        | '\u{a000}'..='\u{a4cf}' | '\u{a980}'..='\u{a9df}' | '\u{aa00}'..='\u{aa5f}' | '\u{aa80}'..='\u{aadf}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(cut: Cut, text: &str) -> Vec<&str> {
        let mut found = Vec::new();
        cut.words(text, &mut |word| found.push(word));
        found
    }

    #[test]
    fn words_are_cut_as_the_head_of_the_file_says() {
        let plain = |text| words(Cut::default(), text);
        assert_eq!(
            plain("covid-19 and β-catenin in h2o, 3.14 of 10,000"),
            ["covid", "19", "and", "β", "catenin", "in", "h2o", "3.14", "of", "10", "000"]
        );
        assert_eq!(plain("c++, c# and f# but a++b, cc++"), ["c++", "c#", "and", "f#", "but", "a", "b", "cc"]);
        assert_eq!(
            plain("can't 'quoted' x_i e.g. a:b end. next"),
            ["can't", "quoted", "x", "i", "e", "g", "a", "b", "end", "next"]
        );
        assert_eq!(plain("étude_x é.é é'é ٣.٤"), ["étude", "x", "é", "é", "é'é", "٣.٤"]);
        assert_eq!(plain(" -- ,. "), [""; 0]);
        let kept = Cut { keep_hyphens: true, ..Cut::default() };
        assert_eq!(
            words(kept, "covid-19 β-catenin-x a--b -c- 语言-a"),
            ["covid-19", "β-catenin-x", "a", "b", "c", "语言-a"]
        );
        let cut = Cut { at_apostrophes: true, ..Cut::default() };
        assert_eq!(words(cut, "l'homme d'état"), ["l", "homme", "d", "état"]);
    }

    #[test]
    fn o_060_scripts_without_blanks_are_cut_by_dictionary() {
        let chinese = words(Cut::default(), "本研究测量了电车轨道附近蜜蜂的活动时间。c++语言");
        assert!(chinese.len() >= 10 && chinese.contains(&"蜜蜂") && chinese.contains(&"轨道"), "{chinese:?}");
        assert!(chinese.contains(&"c++") && chinese.contains(&"语言"), "{chinese:?}");
        let japanese = words(Cut { japanese: true, ..Cut::default() }, "東京の電車で蜂の活動時間を測定した。");
        assert!(japanese.contains(&"電車") && japanese.contains(&"時間"), "{japanese:?}");
        let thai = words(Cut::default(), "ทุกสองสัปดาห์");
        assert_eq!(thai, ["ทุก", "สอง", "สัปดาห์"]);
        for text in ["ລາວ", "ភាសាខ្មែរ", "မြန်မာဘာသာ"] {
            assert!(!words(Cut::default(), text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_word_joined_by_hyphens_has_no_sign() {
        let cut = Cut { keep_hyphens: true, ..Cut::default() };
        for (text, wanted) in [("0-a#", vec!["0-a"]), ("c#-x", vec!["c#", "x"]), ("c++", vec!["c++"])] {
            assert_eq!(words(cut, text), wanted);
            let longer = format!("é,{text}");
            assert_eq!(words(cut, &longer)[1..], wanted, "{longer}");
        }
        assert_eq!(words(cut, "c#语言")[0], "c#");
    }

    proptest! {
        /// The fast path and the general one agree on whatever is ASCII.
        #[test]
        fn ascii_is_cut_as_unicode_says(text in "[a-d0-3'._:;,+# -]{0,24}", keep_hyphens: bool, at_apostrophes: bool) {
            let cut = Cut { keep_hyphens, at_apostrophes, japanese: false };
            let mut general = Vec::new();
            text.split(' ').for_each(|stretch| cut.unicode(stretch, &mut |word| general.push(word)));
            prop_assert_eq!(words(cut, &text), general);
        }

        #[test]
        fn any_text_is_cut_at_characters(text in "\\PC{0,40}") {
            for word in words(Cut::default(), &text) {
                prop_assert!(word.chars().any(char::is_alphanumeric) && !word.contains(' '));
            }
        }
    }
}
