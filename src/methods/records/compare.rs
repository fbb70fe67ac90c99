//! Two records, field by field: what each field says about them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::normal::{Kind, NUMBERED, Name, Notice, Page, Pages, Record, Venue, same_person, sketch_similarity};

/// How two titles stand to each other, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TitleLevel {
    /// One is missing.
    Missing,
    /// The same letters and digits.
    Same,
    /// The same words up to spelling, order, hyphens and abbreviations.
    Close,
    /// One is the other with more words.
    Contained,
    /// Most words are common; each has some of its own.
    Similar,
    /// Other titles.
    Different,
}

/// What two titles have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TitleMatch {
    /// The level.
    pub level: TitleLevel,
    /// The share of the words (function words weigh a fifth) that both have, 0 to 1.
    pub similarity: f64,
    /// How many words that say something (no function words, no words of headings) the shorter title has.
    pub words: u32,
    /// Both have digits that the other lacks.
    pub numbers_differ: bool,
    /// One has a digit, a part or a telling word (reply, protocol, women) more than the other.
    pub telling: bool,
    /// Nothing differs but one number that the other lacks: the mark of a footnote, or the number of a page.
    pub stray: bool,
}

/// How two values of a field stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agreement {
    /// One is missing.
    Missing,
    /// Equal in the normal form.
    Same,
    /// Not equal, but one can be another way of writing the other.
    Compatible,
    /// Different.
    Different,
}

/// How two lists of authors stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NamesMatch {
    /// Agreement as a whole: `Same` where every author of the shorter list is in the longer and the lists begin alike;
    /// `Compatible` where at least half are; `Different` where fewer are.
    pub agreement: Agreement,
    /// Whether the first authors are one person.
    pub first: bool,
    /// How many authors both have.
    pub common: u32,
    /// How many authors the shorter and the longer list have.
    pub counts: (u32, u32),
}

/// Everything that the fields of two records say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Titles.
    pub title: TitleMatch,
    /// Authors.
    pub names: NamesMatch,
    /// Years apart; `None` where one is missing.
    pub years: Option<u16>,
    /// Venues.
    pub venue: Agreement,
    /// Volumes.
    pub volume: Agreement,
    /// Issues.
    pub number: Agreement,
    /// Pages: `Compatible` where only the first page, or a part of the range, is common.
    pub pages: Agreement,
    /// Whether both name the same first and last page.
    pub whole_range: bool,
    /// DOIs: `Compatible` where one is cut off, or has a typing error.
    pub doi: Agreement,
    /// Other identifiers of the paper (PubMed, PubMed Central, arXiv): `Different` where two of a kind differ and none is equal.
    pub identifiers: Agreement,
    /// ISBNs.
    pub isbn: Agreement,
    /// Estimated share of common word triples of the abstracts; `None` where one is missing.
    pub abstracts: Option<f64>,
    /// The kinds of publication.
    pub kinds: (Kind, Kind),
    /// The notices.
    pub notices: (Notice, Notice),
    /// Whether one of them, not both, is an abstract in the supplement of a meeting.
    pub one_of_meeting: bool,
}

impl Comparison {
    /// Whether both name one issue of one journal, and no pages that differ.
    pub fn in_one_issue(&self) -> bool {
        let fits = |agreement| matches!(agreement, Agreement::Same | Agreement::Compatible);
        fits(self.venue) && fits(self.volume) && fits(self.number) && self.pages != Agreement::Different
    }
}

/// Compares two records field by field. Symmetric.
pub fn compare(a: &Record, b: &Record) -> Comparison {
    let mut comparison = fields(a, b);
    // A number that only one title has says nothing where the same people published in the same place.
    let c = &comparison;
    let apart = c.pages == Agreement::Different || c.number == Agreement::Different;
    let one_year = c.years == Some(0) && matches!(c.venue, Agreement::Same | Agreement::Compatible);
    if c.title.stray
        && c.names.agreement == Agreement::Same
        && !apart
        && (c.in_one_issue() || one_year && c.names.common >= 3)
    {
        comparison.title.level = TitleLevel::Close;
        comparison.title.telling = false;
    }
    comparison
}

fn fields(a: &Record, b: &Record) -> Comparison {
    Comparison {
        title: if have_nothing_in_common(a, b) { TitleMatch::other() } else { titles(a, b) },
        names: names(a, b),
        years: a.year.zip(b.year).map(|(x, y)| x.abs_diff(y)),
        venue: venues(&a.venue, &b.venue),
        volume: counts(&a.volume, &b.volume),
        number: counts(&a.number, &b.number),
        pages: pages(a.pages.as_ref(), b.pages.as_ref()),
        whole_range: a.pages.is_some()
            && a.pages == b.pages
            && a.pages.as_ref().is_some_and(|pages| pages.last.is_some()),
        doi: dois(a.doi.as_deref(), b.doi.as_deref()),
        identifiers: identifiers(a, b),
        isbn: equal(a.isbn.as_ref(), b.isbn.as_ref()),
        abstracts: sketch_similarity(&a.sketch, &b.sketch),
        kinds: (a.kind, b.kind),
        notices: (a.title.notice, b.title.notice),
        one_of_meeting: a.abstract_of_meeting != b.abstract_of_meeting,
    }
}

fn equal<T: PartialEq>(a: Option<T>, b: Option<T>) -> Agreement {
    match a.zip(b) {
        None => Agreement::Missing,
        Some((x, y)) if x == y => Agreement::Same,
        Some(_) => Agreement::Different,
    }
}

// Titles

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
const TELLING_WORDS: [&str; 60] = [
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
    "editorial",
    "supplement",
    "supplementary",
    "appendix",
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
    "discussion",
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

/// Whether a word only joins others.
pub(super) fn is_function_word(word: &str) -> bool {
    is(word, word::FUNCTION)
}

/// Those of them that make another paper also where they stand before or behind the whole other title.
const NOTICE_WORDS: [&str; 13] = [
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
];

/// What is known of a word, as bits.
mod word {
    pub const FUNCTION: u8 = 1;
    pub const HEADING: u8 = 2;
    pub const TELLING: u8 = 4;
    pub const NOTICE: u8 = 8;
}

/// The lists above as one table: a title's words are looked up often.
static WORDS: LazyLock<FxHashMap<&'static str, u8>> = LazyLock::new(|| {
    let lists: [(&[&'static str], u8); 4] = [
        (&FUNCTION_WORDS, word::FUNCTION),
        (&HEADING_WORDS, word::HEADING),
        (&TELLING_WORDS, word::TELLING),
        (&NOTICE_WORDS, word::NOTICE),
    ];
    let mut words = FxHashMap::default();
    for (list, bit) in lists {
        for word in list {
            *words.entry(*word).or_insert(0) |= bit;
        }
    }
    words
});

fn is(word: &str, bits: u8) -> bool {
    // No word of the lists is longer.
    word.len() <= 15 && WORDS.get(word).is_some_and(|found| found & bits != 0)
}

fn weight(word: &str) -> f64 {
    if is_function_word(word) { 0.2 } else { 1.0 }
}

impl TitleMatch {
    /// Two titles that have nothing to do with each other.
    fn other() -> TitleMatch {
        TitleMatch {
            level: TitleLevel::Different,
            similarity: 0.0,
            words: 1,
            numbers_differ: false,
            telling: false,
            stray: false,
        }
    }
}

/// Whether neither titles nor identifiers, pages or abstracts tie two records together: they are different whatever else
/// agrees.
pub(super) fn have_nothing_in_common(a: &Record, b: &Record) -> bool {
    share_no_words(a, b)
        && !matches!(dois(a.doi.as_deref(), b.doi.as_deref()), Agreement::Same | Agreement::Compatible)
        && identifiers(a, b) != Agreement::Same
        && pages(a.pages.as_ref(), b.pages.as_ref()) != Agreement::Same
        && sketch_similarity(&a.sketch, &b.sketch).is_none_or(|share| share < 0.12)
}

/// Whether less than a third of the words of the shorter title stand in the longer one, and neither is so short, or has a
/// translation, that this would say little. Such titles are different whatever their spelling; the letters of both are
/// compared where blanks may have been lost.
fn share_no_words(a: &Record, b: &Record) -> bool {
    let (short, long) =
        if a.title.tokens.len() <= b.title.tokens.len() { (&a.title, &b.title) } else { (&b.title, &a.title) };
    if short.tokens.len() < 4 || !short.translation.is_empty() || !long.translation.is_empty() {
        return false;
    }
    let common = short.tokens.iter().filter(|token| long.tokens.contains(token)).count();
    common * 3 < short.tokens.len() && !(short.words.as_bytes()[..3] == long.words.as_bytes()[..3])
}

fn titles(a: &Record, b: &Record) -> TitleMatch {
    let best = one_title(&a.title.words, &b.title.words);
    if matches!(best.level, TitleLevel::Same | TitleLevel::Close) {
        return best;
    }
    // A translation in brackets on one side can be the title of the other.
    let (ta, tb) = (&*a.title.translation, &*b.title.translation);
    [(ta, &*b.title.words), (&*a.title.words, tb), (ta, tb)]
        .into_iter()
        .filter(|(x, y)| !x.is_empty() && !y.is_empty())
        .map(|(x, y)| one_title(x, y))
        .filter(|other| matches!(other.level, TitleLevel::Same | TitleLevel::Close))
        .fold(
            best,
            |best, other| {
                if best.level <= TitleLevel::Close && best.level != TitleLevel::Missing { best } else { other }
            },
        )
}

fn one_title(a: &str, b: &str) -> TitleMatch {
    let none = TitleMatch {
        level: TitleLevel::Missing,
        similarity: 0.0,
        words: 0,
        numbers_differ: false,
        telling: false,
        stray: false,
    };
    if a.is_empty() || b.is_empty() {
        return none;
    }
    if a == b {
        return TitleMatch { level: TitleLevel::Same, similarity: 1.0, words: saying(a), ..none };
    }
    // The result must not depend on which record comes first.
    let (a, b) = if (a.len(), a) <= (b.len(), b) { (a, b) } else { (b, a) };
    let words = saying(a).min(saying(b));
    let (left, right): (Vec<&str>, Vec<&str>) = (a.split(' ').take(64).collect(), b.split(' ').take(64).collect());
    let mut open_left: Vec<usize> = Vec::new();
    let mut used = vec![false; right.len()];
    // Where one title stands in the other as a whole, its words are matched there.
    let run = longest_start(&left, &right);
    for (at, word) in left.iter().enumerate() {
        let free = |place: &usize| !used[*place] && right[*place] == *word;
        let expected = Some(run + at).filter(|place| *place < right.len()).filter(free);
        match expected.or_else(|| (0..right.len()).find(free)) {
            Some(place) => used[place] = true,
            None => open_left.push(at),
        }
    }
    let mut open_right: Vec<usize> = (0..right.len()).filter(|place| !used[*place]).collect();
    join_parted(&left, &mut open_left, &right, &mut open_right);
    join_parted(&right, &mut open_right, &left, &mut open_left);
    // Spelling.
    open_left.retain(|&x| match open_right.iter().position(|&y| spelled_alike(left[x], right[y])) {
        Some(place) => {
            open_right.remove(place);
            false
        }
        None => true,
    });
    drop_footnote_mark(&left, &mut open_left);
    drop_footnote_mark(&right, &mut open_right);
    drop_glued_mark(&left, &mut open_left, &right, &mut open_right);
    drop_glued_mark(&right, &mut open_right, &left, &mut open_left);
    let total = |words: &[&str]| words.iter().map(|w| weight(w)).sum::<f64>();
    let rest = |open: &[usize], words: &[&str]| open.iter().map(|&at| weight(words[at])).sum::<f64>();
    let (whole_left, whole_right) = (total(&left), total(&right));
    let (rest_left, rest_right) = (rest(&open_left, &left), rest(&open_right, &right));
    let similarity = 1.0 - (rest_left + rest_right) / (whole_left + whole_right);
    let digits = |open: &[usize], words: &[&str]| open.iter().any(|&at| words[at].bytes().any(|c| c.is_ascii_digit()));
    let (digits_left, digits_right) = (digits(&open_left, &left), digits(&open_right, &right));
    let parts = |open: &[usize], words: &[&str]| {
        open.iter().any(|&at| at > 0 && NUMBERED.contains(&words[at - 1]) && words[at].chars().count() == 1)
    };
    let around = open_left.is_empty() && is_around(&open_right, right.len())
        || open_right.is_empty() && is_around(&open_left, left.len());
    // What stands before or behind a whole title is a subtitle, a series or a label: fewer words there make another paper.
    let words_that_tell = if around { word::NOTICE } else { word::TELLING };
    let telling = |open: &[usize], words: &[&str]| open.iter().any(|&at| is(words[at], words_that_tell));
    let differing = rest_left + rest_right;
    let part = parts(&open_left, &left) || parts(&open_right, &right);
    let is_telling = part
        || (digits_left || digits_right) && !(around && open_left.len() + open_right.len() >= 3)
        || telling(&open_left, &left)
        || telling(&open_right, &right);
    let same_digits = digits_left && digits_right && digit_runs(a) == digit_runs(b);
    let is_telling = is_telling && !(same_digits && !part);
    let numbers_differ =
        digits_left && digits_right && !same_digits || parts(&open_left, &left) && parts(&open_right, &right);
    let number_alone = |one: &[usize], other: &[usize], words: &[&str]| match other {
        [at] => {
            let numbered = *at > 0
                && NUMBERED.contains(&words[at - 1])
                && !(at + 1 == words.len() && matches!(words[at - 1], "study" | "paper"));
            one.is_empty() && !numbered && words[*at].bytes().all(|c| c.is_ascii_digit())
        }
        _ => false,
    };
    let stray =
        words >= 2 && (number_alone(&open_left, &open_right, &right) || number_alone(&open_right, &open_left, &left));
    // HIV and HCV: two short words that differ are two things, however long the titles around them are.
    let short = |word: &str| word.chars().count() <= 4 && !is_function_word(word);
    let short_words_differ = matches!((&*open_left, &*open_right), ([x], [y]) if short(left[*x]) && short(right[*y]));
    // One or two neighbouring words that only one of two long titles has, and that say no other population or part.
    let inserted = |one: &[usize], other: &[usize], words: &[&str]| {
        one.is_empty()
            && (other.len() == 1 || other.len() == 2 && other[0] + 1 == other[1])
            && other.iter().all(|&at| !words[at].bytes().any(|c| c.is_ascii_digit()))
    };
    let inserted = words >= 4
        && !is_telling
        && (inserted(&open_left, &open_right, &right) || inserted(&open_right, &open_left, &left));
    let level = if differing < 0.05 {
        if super::normal::compact(a) == super::normal::compact(b) { TitleLevel::Same } else { TitleLevel::Close }
    } else if !is_telling && differing <= 0.65 && whole_left >= 3.0 {
        TitleLevel::Close
    } else if around || inserted || rest_left < 0.5 && is_around(&open_right, right.len()) {
        TitleLevel::Contained
    } else if !numbers_differ && !short_words_differ && nearly_equal(a, b) {
        TitleLevel::Close
    } else if similarity >= 0.6 {
        TitleLevel::Similar
    } else {
        TitleLevel::Different
    };
    TitleMatch { level, similarity, words, numbers_differ, telling: is_telling && level != TitleLevel::Same, stray }
}

/// Whether these places are the first ones, the last ones, or both and nothing between.
fn is_around(open: &[usize], words: usize) -> bool {
    let leading = open.iter().enumerate().take_while(|(at, place)| at == *place).count();
    let trailing = open.iter().rev().enumerate().take_while(|(at, place)| at + *place + 1 == words).count();
    !open.is_empty() && leading + trailing >= open.len()
}

/// The place in the longer title from which the shorter one agrees with most words.
fn longest_start(short: &[&str], long: &[&str]) -> usize {
    if short.len() >= long.len() {
        return 0;
    }
    let agreeing = |start: usize| short.iter().zip(&long[start..]).filter(|(x, y)| x == y).count();
    (0..=long.len() - short.len()).max_by_key(|&start| (agreeing(start), std::cmp::Reverse(start))).unwrap_or(0)
}

/// The runs of digits of a title, in order.
fn digit_runs(title: &str) -> Vec<&str> {
    let mut runs: Vec<&str> = title.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    runs.sort_unstable();
    runs
}

/// The mark of a footnote that sticks to the last word: `think1`.
fn drop_glued_mark(one: &[&str], open_one: &mut Vec<usize>, two: &[&str], open_two: &mut Vec<usize>) {
    let (Some(&x), Some(&y)) = (open_one.last(), open_two.last()) else { return };
    let bare = one[x].trim_end_matches(|c: char| c.is_ascii_digit());
    if x + 1 == one.len() && bare.len() >= 4 && bare.len() + 2 >= one[x].len() && bare == two[y] && one[x] != bare {
        open_one.pop();
        open_two.pop();
    }
}

/// A `1` (or `1 2`) at the end of a title is the mark of a footnote where the other title has none.
fn drop_footnote_mark(words: &[&str], open: &mut Vec<usize>) {
    let marks = ["1", "2", "3"];
    for count in (1..=3usize).rev() {
        if words.len() >= count + 4 && open.len() >= count && words[words.len() - count..] == marks[..count] {
            let from = words.len() - count;
            if open[open.len() - count..].iter().enumerate().all(|(at, place)| *place == from + at)
                && !NUMBERED.contains(&words[from - 1])
            {
                open.truncate(open.len() - count);
                return;
            }
        }
    }
}

/// Whether a title has no word that says something: it is a heading.
pub(super) fn is_heading(title: &str) -> bool {
    !title.is_empty() && saying(title) == 0
}

/// How many words of a title say something.
pub(super) fn saying(title: &str) -> u32 {
    title.split(' ').filter(|w| !is(w, word::FUNCTION | word::HEADING) && (w.len() > 2 || !w.is_ascii())).count() as u32
}

/// Takes away words of one title that are two neighbours of the other: `elearning`, `e learning`.
fn join_parted(one: &[&str], open_one: &mut Vec<usize>, two: &[&str], open_two: &mut Vec<usize>) {
    open_one.retain(|&at| {
        let word = one[at];
        let found = (0..open_two.len()).find_map(|start| {
            let mut length = 0;
            for (count, &place) in open_two[start..].iter().enumerate() {
                if count > 0 && place != open_two[start + count - 1] + 1 || !word[length..].starts_with(two[place]) {
                    return None;
                }
                length += two[place].len();
                if length == word.len() {
                    return (count > 0).then_some((start, start + count + 1));
                }
            }
            None
        });
        match found {
            Some((start, end)) => {
                open_two.drain(start..end);
                false
            }
            None => true,
        }
    });
}

/// One word in two spellings, with an ending, with a typing error, or cut off.
fn spelled_alike(a: &str, b: &str) -> bool {
    if a.bytes().chain(b.bytes()).any(|c| c.is_ascii_digit()) {
        return false;
    }
    let lengths = (a.chars().count(), b.chars().count());
    let (short, long) = if lengths.0 <= lengths.1 { (a, b) } else { (b, a) };
    let (short_length, long_length) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
    if short_length < 4 || long_length - short_length > 3 {
        return short_length >= 3 && long_length >= 6 && long.starts_with(short);
    }
    let allowed = if long_length >= 9 { 2 } else { 1 };
    if short_length >= 4 && long.starts_with(short) {
        return true;
    }
    // Each edit changes the set of letters by at most two.
    let letters = |word: &str| word.bytes().fold(0u32, |set, byte| set | 1 << (byte & 31));
    let ascii = short.is_ascii() && long.is_ascii();
    (!ascii || (letters(short) ^ letters(long)).count_ones() <= 2 * allowed)
        && long_length - short_length <= allowed as usize
        && strsim::osa_distance(short, long) <= allowed as usize
}

/// Long titles that differ in a few letters: blanks in the wrong places, letters that an encoding lost. Shorter ones may
/// differ in one letter.
fn nearly_equal(a: &str, b: &str) -> bool {
    if a.len() < 20 || b.len() > a.len() + a.len() / 8 {
        return false;
    }
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    if a.len() < 30 {
        return digits(a) == digits(b) && strsim::osa_distance(a, b) <= 1;
    }
    digits(a) == digits(b)
        && rapidfuzz::distance::indel::normalized_similarity(
            super::normal::compact(a).chars(),
            super::normal::compact(b).chars(),
        ) >= 0.96
}

// Authors

fn names(a: &Record, b: &Record) -> NamesMatch {
    let (short, long) = if a.names.list.len() <= b.names.list.len() {
        (&a.names.list, &b.names.list)
    } else {
        (&b.names.list, &a.names.list)
    };
    let counts = (short.len() as u32, long.len() as u32);
    if short.is_empty() {
        return NamesMatch { agreement: Agreement::Missing, first: false, common: 0, counts };
    }
    let first = same_person(&short[0], &long[0]);
    // Twelve authors tell as much as a hundred.
    let limit = 12;
    let considered = short.len().min(limit);
    let mut used = vec![false; long.len().min(4 * limit)];
    let mut common = 0;
    for (at, name) in short.iter().take(limit).enumerate() {
        let fits = |place: usize, used: &[bool]| !used[place] && same_person(name, &long[place]);
        let found = if at < used.len() && fits(at, &used) {
            Some(at)
        } else {
            (0..used.len()).find(|&place| fits(place, &used))
        };
        if let Some(place) = found {
            used[place] = true;
            common += 1;
        }
    }
    let agreement = if common == considered && (first || considered > 1) {
        Agreement::Same
    } else if common * 2 >= considered && common > 0 {
        Agreement::Compatible
    } else {
        Agreement::Different
    };
    NamesMatch { agreement, first, common: common as u32, counts }
}

/// The first author's surname, for keys.
pub(super) fn first_surname(record: &Record) -> Option<&str> {
    record.names.list.first().map(|name: &Name| &*name.surname)
}

// Venues

fn venues(a: &Venue, b: &Venue) -> Agreement {
    if a.words.is_empty() || b.words.is_empty() {
        return Agreement::Missing;
    }
    if a.words == b.words {
        return Agreement::Same;
    }
    fn names(venue: &Venue) -> [&str; 3] {
        // A name without its motto must say something: "Proceedings:" is none.
        let says = venue.head.split(' ').any(|word| !VENUE_WORDS.contains(&word));
        [&venue.words, &venue.other, if says { &venue.head } else { "" }]
    }
    for x in names(a) {
        for y in names(b) {
            if !x.is_empty() && !y.is_empty() && (x == y || abbreviates(x, y) || abbreviates(y, x)) {
                return Agreement::Compatible;
            }
        }
    }
    Agreement::Different
}

/// Words that many venues have; they do not tell one from another.
const VENUE_WORDS: [&str; 24] = [
    "journal",
    "j",
    "proceedings",
    "proc",
    "conference",
    "conf",
    "international",
    "int",
    "intl",
    "symposium",
    "symp",
    "workshop",
    "transactions",
    "trans",
    "acm",
    "ieee",
    "american",
    "am",
    "british",
    "european",
    "annals",
    "archives",
    "review",
    "bulletin",
];

/// Whether the first name is a short form of the second: the same words cut off or left out, in order, or the initials.
fn abbreviates(short: &str, long: &str) -> bool {
    let (s, l): (Vec<&str>, Vec<&str>) = (short.split(' ').collect(), long.split(' ').collect());
    if s.len() == 1 && s[0].len() >= 2 && s[0].is_ascii() {
        let initials: String = l.iter().filter_map(|w| w.chars().next()).collect();
        if initials.len() >= 2
            && (initials == s[0]
                || initials.len() >= 3 && initials.ends_with(s[0])
                || s[0].len() >= 4 && initials.len() >= 4 && s[0].starts_with(&initials))
        {
            return true;
        }
    }
    if super::normal::compact(short) == super::normal::compact(long) {
        return true;
    }
    // Every word of the short name is the beginning (or the consonants) of a word of the long one, in order.
    let mut place = 0;
    let mut telling = 0;
    for word in &s {
        let Some(found) = l[place..].iter().position(|other| cuts(word, other)) else { return false };
        let other = l[place + found];
        place += found + 1;
        if !VENUE_WORDS.contains(word) && !VENUE_WORDS.contains(&other) {
            telling += 1;
        }
    }
    let left_out = l.iter().filter(|w| !VENUE_WORDS.contains(w)).count();
    // "Journal of X" is no short form of "Journal of Clinical X": whole words leave no more out than they say.
    let whole = s.iter().all(|word| l.contains(word));
    if whole && telling * 2 == left_out {
        return false;
    }
    telling * 2 >= left_out && (telling > 0 || s.len() == l.len())
}

fn cuts(short: &str, long: &str) -> bool {
    if long.starts_with(short) {
        return true;
    }
    let mut letters = long.chars();
    short.len() >= 3
        && short.chars().next() == long.chars().next()
        && short.chars().all(|c| letters.any(|other| other == c))
}

// Volume, issue, pages

fn counts(a: &str, b: &str) -> Agreement {
    if a.is_empty() || b.is_empty() {
        return Agreement::Missing;
    }
    if a == b {
        return Agreement::Same;
    }
    let part = |x: &str, y: &str| {
        x.split('-').any(|piece| piece == y)
            || x.split('s').next() == Some(y)
            || x.strip_prefix(y).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
            || x.strip_suffix(y).is_some_and(|rest| rest.chars().all(|c| c.is_ascii_alphabetic()))
    };
    if part(a, b) || part(b, a) { Agreement::Compatible } else { Agreement::Different }
}

fn pages(a: Option<&Pages>, b: Option<&Pages>) -> Agreement {
    let Some((a, b)) = a.zip(b) else { return Agreement::Missing };
    if a == b {
        return Agreement::Same;
    }
    let same_first = a.first == b.first
        || a.first.number == b.first.number
            && (a.first.prefix.is_empty() || b.first.prefix.is_empty())
            && a.first.number > 9;
    if same_first {
        return if a.last.is_none() || b.last.is_none() { Agreement::Same } else { Agreement::Compatible };
    }
    let within = |page: &Page, range: &Pages| {
        range.last.as_ref().is_some_and(|last| {
            (&page.prefix, &page.suffix) == (&range.first.prefix, &range.first.suffix)
                && range.first.number <= page.number
                && page.number <= last.number
        })
    };
    let same_last = a.last.is_some() && a.last == b.last;
    let nested = within(&a.first, b) && a.last.as_ref().is_none_or(|last| within(last, b))
        || within(&b.first, a) && b.last.as_ref().is_none_or(|last| within(last, a));
    if same_last || nested { Agreement::Compatible } else { Agreement::Different }
}

// Identifiers

fn dois(a: Option<&str>, b: Option<&str>) -> Agreement {
    let Some((a, b)) = a.zip(b) else { return Agreement::Missing };
    if a == b {
        return Agreement::Same;
    }
    if unversioned(a) == unversioned(b) {
        return Agreement::Compatible;
    }
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let (x, y) = (letters(a), letters(b));
    let (short, long) = if x.len() <= y.len() { (&x, &y) } else { (&y, &x) };
    // A typing error in a letter; the last letter can be the only one that tells two apart (`110-b`, `110-c`).
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).collect::<Vec<_>>();
    let mistyped = short.len() >= 12
        && long.len() - short.len() <= 1
        && x.bytes().next_back() == y.bytes().next_back()
        && digits(&x) == digits(&y)
        && strsim::osa_distance(&x, &y) == 1;
    // Cut off inside its last part, or the same letters with other marks between.
    if mistyped || x == y || short.len() >= 14 && long.starts_with(&**short) && long.len() - short.len() >= 2 {
        return Agreement::Compatible;
    }
    Agreement::Different
}

/// A DOI without the number of a version: `.pub3` of reviews that are updated, `/v2` and `.v2` of preprints.
fn unversioned(doi: &str) -> &str {
    let bare = doi.trim_end_matches(|c: char| c.is_ascii_digit());
    if bare.len() == doi.len() {
        return doi;
    }
    [".pub", "/v", ".v"].iter().find_map(|mark| bare.strip_suffix(mark)).unwrap_or(doi)
}

fn identifiers(a: &Record, b: &Record) -> Agreement {
    let all = [equal(a.pmid, b.pmid), equal(a.pmcid, b.pmcid), equal(a.arxiv.as_ref(), b.arxiv.as_ref())];
    if all.contains(&Agreement::Same) {
        Agreement::Same
    } else if all.contains(&Agreement::Different) {
        Agreement::Different
    } else {
        Agreement::Missing
    }
}
