//! Words that say little or much in a title, and a title taken apart into its words once, so that it can be compared often.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::fold::is_among;

const FUNCTION_WORDS: [&str; 44] = [
    "a", "an", "the", "of", "in", "on", "for", "and", "or", "to", "with", "by", "from", "at", "as", "is", "are", "its",
    "into", "via", "using", "der", "die", "das", "und", "von", "zur", "bei", "de", "la", "le", "les", "des", "du",
    "et", "en", "el", "los", "las", "un", "une", "y", "del", "e",
];

/// Words of headings that many different papers have.
const HEADING_WORDS: [&str; 54] = [
    "editorial",
    "editor",
    "editors",
    "editorials",
    "introduction",
    "preface",
    "foreword",
    "index",
    "contents",
    "content",
    "letter",
    "letters",
    "news",
    "book",
    "books",
    "review",
    "reviews",
    "abstract",
    "abstracts",
    "comment",
    "comments",
    "reply",
    "response",
    "erratum",
    "errata",
    "correction",
    "corrigendum",
    "memoriam",
    "obituary",
    "department",
    "error",
    "guest",
    "special",
    "issue",
    "section",
    "message",
    "chair",
    "chairs",
    "note",
    "notes",
    "announcement",
    "announcements",
    "call",
    "papers",
    "author",
    "authors",
    "reviewers",
    "acknowledgment",
    "acknowledgement",
    "minitrack",
    "remarks",
    "summary",
    "report",
    "conclusion",
];

/// Words that make another paper of a title that lacks them.
const TELLING_WORDS: [&str; 45] = [
    "editorial",
    "update",
    "updated",
    "revisited",
    "extended",
    "women",
    "men",
    "male",
    "female",
    "males",
    "females",
    "children",
    "adults",
    "adolescents",
    "child",
    "adult",
    "infants",
    "elderly",
    "vitro",
    "vivo",
    "rats",
    "mice",
    "rat",
    "mouse",
    "human",
    "humans",
    "dogs",
    "not",
    "without",
    "non",
    "part",
    "parts",
    "continued",
    "introduction",
    "abstract",
    "poster",
    "tutorial",
    "panel",
    "demonstration",
    "demo",
    "keynote",
    "workshop",
    "thesis",
    "dissertation",
    "summary",
];

/// Words that do so also where they stand before or behind the whole other title.
const NOTICE_WORDS: [&str; 15] = [
    "reply",
    "comment",
    "comments",
    "commentary",
    "response",
    "rejoinder",
    "erratum",
    "corrigendum",
    "correction",
    "retraction",
    "protocol",
    "discussion",
    "supplement",
    "supplementary",
    "appendix",
];

/// Words after which a single letter is a numeral or a part.
const NUMBERED: [&str; 22] = [
    "part", "parts", "pt", "phase", "type", "stage", "class", "chapter", "volume", "vol", "section", "book", "no",
    "grade", "level", "teil", "band", "partie", "parte", "act", "paper", "study",
];

/// Whether a single letter behind this word is a numeral or a part.
pub(super) fn is_numbered(word: &str) -> bool {
    is_among(word, &NUMBERED)
}

/// Beginnings that make words of one stem opposites, or other things.
const OPPOSED: [&str; 24] = [
    "hyper", "hypo", "pre", "post", "intra", "inter", "extra", "micro", "macro", "mono", "poly", "uni", "bi", "multi",
    "over", "under", "anti", "pro", "endo", "exo", "ante", "retro", "homo", "hetero",
];

/// Whether two words differ in such a beginning and in nothing else.
pub(super) fn are_opposed(a: &str, b: &str) -> bool {
    let rests = |word| OPPOSED.iter().filter_map(move |front| str::strip_prefix(word, *front));
    a != b && rests(a).any(|rest| rest.len() >= 4 && rests(b).any(|other| other == rest))
}

/// What is known of a word, as bits.
pub(super) mod known {
    /// It only joins others.
    pub const FUNCTION: u8 = 1;
    /// Headings have it.
    pub const HEADING: u8 = 2;
    /// It makes another paper of a title that lacks it.
    pub const TELLING: u8 = 4;
    /// It does so also before or behind a whole title.
    pub const NOTICE: u8 = 8;
    /// It has a digit.
    pub const DIGIT: u8 = 16;
    /// It has letters beyond ASCII.
    pub const WIDE: u8 = 32;
    /// It has letters of a script that puts no blanks between words: it can be a whole sentence.
    pub const UNPARTED: u8 = 64;
}

/// The lists above as one table.
static WORDS: LazyLock<FxHashMap<&'static str, u8>> = LazyLock::new(|| {
    let lists: [(&[&'static str], u8); 4] = [
        (&FUNCTION_WORDS, known::FUNCTION),
        (&HEADING_WORDS, known::HEADING),
        (&TELLING_WORDS, known::TELLING),
        (&NOTICE_WORDS, known::TELLING | known::NOTICE),
    ];
    let mut words = FxHashMap::default();
    for (list, bit) in lists {
        for word in list {
            *words.entry(*word).or_insert(0) |= bit;
        }
    }
    words
});

/// One word of a title.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Token {
    /// A hash of the word.
    pub hash: u64,
    /// Where it begins in the title, in bytes.
    start: u32,
    /// Where it ends.
    end: u32,
    /// Which letters it has, by their last five bits.
    letters: u32,
    /// What is known of it.
    known: u8,
}

impl Token {
    /// Whether one of these bits is known of the word.
    pub(super) fn is(&self, bits: u8) -> bool {
        self.known & bits != 0
    }

    /// How many words that say something it is: none if it joins others, is one of a heading, or a single letter or
    /// sign. Where a script puts no blanks between words, two letters are one word.
    pub(super) fn says(&self) -> u32 {
        if self.is(known::UNPARTED) {
            return ((self.end - self.start) / 6).max(1);
        }
        let says = !self.is(known::FUNCTION | known::HEADING) && (self.end - self.start > 2 || self.is(known::WIDE));
        u32::from(says)
    }

    /// How much the word counts: one that only joins others a fifth.
    pub(super) fn weight(&self) -> f64 {
        if self.is(known::FUNCTION) { 0.2 } else { 1.0 }
    }

    /// In how many letters, at least, two words without letters beyond ASCII differ that are not one: each edit changes
    /// the set of letters by at most two.
    pub(super) fn letters_apart(&self, other: &Token) -> u32 {
        if (self.known | other.known) & known::WIDE != 0 { 0 } else { (self.letters ^ other.letters).count_ones() }
    }

    fn of(word: &str, start: usize) -> Token {
        // No word of the lists is longer.
        let mut known = if word.len() <= 15 { WORDS.get(word).copied().unwrap_or(0) } else { 0 };
        let mut letters = 0;
        for byte in word.bytes() {
            letters |= 1 << (byte & 31);
            if byte.is_ascii_digit() {
                known |= known::DIGIT;
            } else if !byte.is_ascii() {
                known |= known::WIDE;
            }
        }
        if known & known::WIDE != 0 && word.chars().any(is_unparted) {
            known |= known::UNPARTED;
        }
        let (start, end) = (start as u32, (start + word.len()) as u32);
        Token { hash: xxh3_64(word.as_bytes()), start, end, letters, known }
    }
}

/// Whether a letter is of a script that puts no blanks between words: Han, Kana, Thai, Lao, Myanmar, Khmer.
fn is_unparted(c: char) -> bool {
    matches!(c as u32, 0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x9fff
        | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// The words of a folded title, at most `u32::MAX` bytes of it.
pub fn tokens(title: &str) -> Box<[Token]> {
    let bytes = title.as_bytes();
    let mut tokens = Vec::with_capacity(bytes.len() / 6 + 1);
    let mut start = 0;
    for end in (0..=bytes.len().min(u32::MAX as usize)).filter(|&at| bytes.get(at).is_none_or(|b| *b == b' ')) {
        if end > start {
            tokens.push(Token::of(&title[start..end], start));
        }
        start = end + 1;
    }
    tokens.into()
}

/// A title with its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken<'t> {
    pub text: &'t str,
    pub tokens: &'t [Token],
}

impl<'t> Taken<'t> {
    pub fn word(&self, at: usize) -> &'t str {
        let token = &self.tokens[at];
        &self.text[token.start as usize..token.end as usize]
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }
}
