//! Two records, field by field: what each field says about them.

use super::fold::{compact, is_among, is_compactly_equal};
use super::normal::{Kind, Name, Notice, Page, Pages, Record, Title, Venue, same_person, sketch_similarity};
use super::words::{Taken, Token, are_opposed, is_numbered, known, tokens};

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
    /// Whether they are written in two scripts, so that they cannot be compared.
    pub two_scripts: bool,
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
    if have_nothing_in_common(a, b) { fields(a, b, TitleMatch::other()) } else { compare_related(a, b) }
}

/// [`compare`] for records that [`have_nothing_in_common`] does not part.
pub(super) fn compare_related(a: &Record, b: &Record) -> Comparison {
    let mut comparison = fields(a, b, titles(a, b));
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
    // One abstract on one page of one issue is one paper, however its title was transcribed.
    let c = &comparison;
    let one_print = c.pages == Agreement::Same && c.volume == Agreement::Same && c.number == Agreement::Same;
    if matches!(c.title.level, TitleLevel::Contained | TitleLevel::Similar)
        && one_print
        && one_year
        && c.doi != Agreement::Different
        && c.names.agreement != Agreement::Different
        && c.abstracts.is_some_and(|share| share >= 0.5)
    {
        comparison.title =
            TitleMatch { level: TitleLevel::Close, telling: false, numbers_differ: false, ..comparison.title };
    }
    comparison
}

fn fields(a: &Record, b: &Record, title: TitleMatch) -> Comparison {
    Comparison {
        title,
        names: names(a, b),
        years: a.year.zip(b.year).map(|(x, y)| x.abs_diff(y)),
        venue: venues(&a.venue, &b.venue),
        volume: counts(&a.volume, &b.volume),
        number: counts(&a.number, &b.number),
        pages: match pages(a.pages.as_ref(), b.pages.as_ref()) {
            // An update under another title is told apart by its year.
            Agreement::Missing if title.level == TitleLevel::Same && (holds_page(a, b) || holds_page(b, a)) => {
                Agreement::Same
            }
            pages => pages,
        },
        whole_range: a.pages.as_ref().is_some_and(|pages| pages.last.is_some()) && a.pages == b.pages,
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
    let stands = |token: &&Token| long.tokens.iter().any(|other| other.hash == token.hash);
    let common = short.tokens.iter().filter(stands).count();
    common * 3 < short.tokens.len() && !(short.words.as_bytes()[..3] == long.words.as_bytes()[..3])
}

fn titles(a: &Record, b: &Record) -> TitleMatch {
    let mut best = one_title(whole(&a.title), whole(&b.title));
    // A title that ends in dots is the beginning of the other, up to a word that is cut off.
    let begins = |short: &Title, long: &Title| {
        short.cut && short.saying >= 5 && long.words.len() >= short.words.len() && long.words.starts_with(&*short.words)
    };
    if best.level != TitleLevel::Same && (begins(&a.title, &b.title) || begins(&b.title, &a.title)) {
        best = TitleMatch { level: TitleLevel::Close, telling: false, numbers_differ: false, stray: false, ..best };
    }
    if matches!(best.level, TitleLevel::Same | TitleLevel::Close)
        || a.title.translation.is_empty() && b.title.translation.is_empty()
    {
        return best;
    }
    // A translation in brackets on one side can be the title of the other.
    let tokens = [tokens(&a.title.translation), tokens(&b.title.translation)];
    let ta = Taken { text: &a.title.translation, tokens: &tokens[0] };
    let tb = Taken { text: &b.title.translation, tokens: &tokens[1] };
    [(ta, whole(&b.title)), (whole(&a.title), tb), (ta, tb)]
        .into_iter()
        .filter(|(x, y)| x.len() > 0 && y.len() > 0)
        .map(|(x, y)| one_title(x, y))
        .filter(|other| matches!(other.level, TitleLevel::Same | TitleLevel::Close))
        .fold(
            best,
            |best, other| {
                if best.level <= TitleLevel::Close && best.level != TitleLevel::Missing { best } else { other }
            },
        )
}

fn whole(title: &Title) -> Taken<'_> {
    Taken { text: &title.words, tokens: &title.tokens }
}

/// Longer titles are compared by their first words.
const WORDS: usize = 64;

/// Some of the first 64 words of a title, one bit each.
type Places = u64;

fn places(open: Places) -> impl Iterator<Item = usize> {
    let mut rest = open;
    std::iter::from_fn(move || {
        let place = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (place < WORDS).then_some(place)
    })
}

/// The one place that is open, if there is only one.
fn only(open: Places) -> Option<usize> {
    (open.count_ones() == 1).then_some(open.trailing_zeros() as usize)
}

fn says(title: Taken<'_>) -> u32 {
    title.tokens.iter().map(Token::says).sum()
}

fn one_title(a: Taken<'_>, b: Taken<'_>) -> TitleMatch {
    let none = TitleMatch {
        level: TitleLevel::Missing,
        similarity: 0.0,
        words: 0,
        numbers_differ: false,
        telling: false,
        stray: false,
    };
    if a.len() == 0 || b.len() == 0 {
        return none;
    }
    if a.text == b.text {
        return TitleMatch { level: TitleLevel::Same, similarity: 1.0, words: says(a), ..none };
    }
    // The result must not depend on which record comes first.
    let (a, b) = if (a.text.len(), a.text) <= (b.text.len(), b.text) { (a, b) } else { (b, a) };
    let words = says(a).min(says(b));
    let first = |title: Taken<'_>| title.len().min(WORDS);
    let left = Taken { tokens: &a.tokens[..first(a)], ..a };
    let right = Taken { tokens: &b.tokens[..first(b)], ..b };
    let (mut open_left, mut open_right) = unmatched(left, right);
    join_parted(left, &mut open_left, right, &mut open_right);
    join_parted(right, &mut open_right, left, &mut open_left);
    // Spelling.
    for x in places(open_left) {
        if let Some(y) = places(open_right).find(|&y| spelled_alike(left, x, right, y)) {
            open_left &= !(1 << x);
            open_right &= !(1 << y);
        }
    }
    drop_footnote_mark(left, &mut open_left);
    drop_footnote_mark(right, &mut open_right);
    drop_glued_mark(left, &mut open_left, right, &mut open_right);
    drop_glued_mark(right, &mut open_right, left, &mut open_left);
    let total = |title: Taken<'_>| title.tokens.iter().map(Token::weight).sum::<f64>();
    let rest = |open: Places, title: Taken<'_>| places(open).map(|at| title.tokens[at].weight()).sum::<f64>();
    let has = |open: Places, title: Taken<'_>, bits: u8| places(open).any(|at| title.tokens[at].is(bits));
    let (whole_left, whole_right) = (total(left), total(right));
    let (rest_left, rest_right) = (rest(open_left, left), rest(open_right, right));
    let similarity = 1.0 - (rest_left + rest_right) / (whole_left + whole_right);
    let (digits_left, digits_right) = (has(open_left, left, known::DIGIT), has(open_right, right, known::DIGIT));
    let parts = |open: Places, title: Taken<'_>| {
        places(open).any(|at| at > 0 && is_numbered(title.word(at - 1)) && title.word(at).chars().count() == 1)
    };
    let around =
        open_left == 0 && is_around(open_right, right.len()) || open_right == 0 && is_around(open_left, left.len());
    // What stands before or behind a whole title is a subtitle, a series or a label: fewer words there make another paper.
    let words_that_tell = if around { known::NOTICE } else { known::TELLING };
    let differing = rest_left + rest_right;
    let part = parts(open_left, left) || parts(open_right, right);
    let is_telling = part
        || (digits_left || digits_right) && !(around && open_left.count_ones() + open_right.count_ones() >= 3)
        || has(open_left, left, words_that_tell)
        || has(open_right, right, words_that_tell);
    // One word in the place of another: rats and cats, before and after, vitamin A and D. Words that begin alike can be
    // one word that was read badly.
    let replaced = match (only(open_left), only(open_right)) {
        (Some(x), Some(y)) => {
            let begin = left.word(x).bytes().zip(right.word(y).bytes()).take_while(|(one, other)| one == other).count();
            is_thing(left, x) && is_thing(right, y) && (begin < 3 || are_opposed(left.word(x), right.word(y)))
        }
        _ => false,
    };
    let is_telling = is_telling || replaced;
    let same_digits = digits_left && digits_right && digit_runs(a.text) == digit_runs(b.text);
    let is_telling = is_telling && !(same_digits && !part);
    let numbers_differ =
        digits_left && digits_right && !same_digits || parts(open_left, left) && parts(open_right, right);
    let number_alone = |one: Places, other: Places, title: Taken<'_>| match only(other) {
        Some(at) => {
            let numbered = at > 0
                && is_numbered(title.word(at - 1))
                && !(at + 1 == title.len() && matches!(title.word(at - 1), "study" | "paper"));
            one == 0 && !numbered && title.word(at).bytes().all(|c| c.is_ascii_digit())
        }
        None => false,
    };
    let stray = words >= 2 && (number_alone(open_left, open_right, right) || number_alone(open_right, open_left, left));
    // HIV and HCV: two short words that differ are two things, however long the titles around them are.
    let short = |title: Taken<'_>, at: usize| title.word(at).chars().count() <= 5 && is_thing(title, at);
    let short_words_differ =
        matches!((only(open_left), only(open_right)), (Some(x), Some(y)) if short(left, x) && short(right, y));
    // Women and men are few letters apart, and so are the words of a script that writes one with two letters.
    let opposed =
        matches!((only(open_left), only(open_right)), (Some(x), Some(y)) if are_opposed(left.word(x), right.word(y)));
    let other_words = opposed
        || has(open_left, left, known::TELLING | known::UNPARTED)
        || has(open_right, right, known::TELLING | known::UNPARTED);
    // One or two neighbouring words that only one of two long titles has, and that say no other population or part.
    let inserted = |one: Places, other: Places, title: Taken<'_>| {
        let neighbours = other >> (other.trailing_zeros() & 63);
        one == 0 && matches!(neighbours, 0b1 | 0b11) && !has(other, title, known::DIGIT)
    };
    let inserted =
        words >= 4 && !is_telling && (inserted(open_left, open_right, right) || inserted(open_right, open_left, left));
    let level = if differing < 0.05 {
        if is_compactly_equal(a.text, b.text) { TitleLevel::Same } else { TitleLevel::Close }
    } else if !is_telling && differing <= 0.65 && whole_left >= 3.0 {
        TitleLevel::Close
    } else if around || inserted || rest_left < 0.5 && is_around(open_right, right.len()) {
        TitleLevel::Contained
    } else if !numbers_differ && !short_words_differ && !other_words && nearly_equal(a.text, b.text) {
        TitleLevel::Close
    } else if similarity >= 0.6 {
        TitleLevel::Similar
    } else {
        TitleLevel::Different
    };
    TitleMatch { level, similarity, words, numbers_differ, telling: is_telling && level != TitleLevel::Same, stray }
}

/// Whether a word can name something: it does more than to join others, or is a single letter.
fn is_thing(title: Taken<'_>, at: usize) -> bool {
    !title.tokens[at].is(known::FUNCTION) || title.word(at).len() == 1
}

/// The words of each title that are not, letter by letter, in the other. A word is matched once; where one title stands
/// in the other as a whole, its words are matched there.
fn unmatched(left: Taken<'_>, right: Taken<'_>) -> (Places, Places) {
    let mut open_left: Places = 0;
    let mut open_right: Places = if right.len() == WORDS { u64::MAX } else { (1 << right.len()) - 1 };
    let run = longest_start(left, right);
    for (at, token) in left.tokens.iter().enumerate() {
        let free = |place: &usize| open_right & 1 << *place != 0 && right.tokens[*place].hash == token.hash;
        let expected = Some(run + at).filter(|place| *place < right.len()).filter(free);
        match expected.or_else(|| (0..right.len()).find(free)) {
            Some(place) => open_right &= !(1 << place),
            None => open_left |= 1 << at,
        }
    }
    (open_left, open_right)
}

/// Whether these places are the first ones, the last ones, or both and nothing between.
fn is_around(open: Places, words: usize) -> bool {
    let leading = open.trailing_ones();
    let trailing = if words == 0 { 0 } else { (open << (WORDS - words)).leading_ones() };
    open != 0 && leading + trailing >= open.count_ones()
}

/// The place in the longer title from which the shorter one agrees with most words.
fn longest_start(short: Taken<'_>, long: Taken<'_>) -> usize {
    if short.len() >= long.len() {
        return 0;
    }
    let agreeing = |start: usize| {
        let words = short.tokens.iter().zip(&long.tokens[start..]);
        words.filter(|(x, y)| x.hash == y.hash).count()
    };
    (0..=long.len() - short.len()).max_by_key(|&start| (agreeing(start), std::cmp::Reverse(start))).unwrap_or(0)
}

/// The runs of digits of a title, in order.
fn digit_runs(title: &str) -> Vec<&str> {
    let mut runs: Vec<&str> = title.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty()).collect();
    runs.sort_unstable();
    runs
}

/// The mark of a footnote that sticks to the last word: `think1`.
fn drop_glued_mark(one: Taken<'_>, open_one: &mut Places, two: Taken<'_>, open_two: &mut Places) {
    if *open_one == 0 || *open_two == 0 {
        return;
    }
    let (x, y) = (open_one.ilog2() as usize, open_two.ilog2() as usize);
    let (marked, other) = (one.word(x), two.word(y));
    let bare = marked.trim_end_matches(|c: char| c.is_ascii_digit());
    if x + 1 == one.len() && bare.len() >= 4 && bare.len() + 2 >= marked.len() && bare == other && marked != bare {
        *open_one &= !(1 << x);
        *open_two &= !(1 << y);
    }
}

/// A `1` (or `1 2`) at the end of a title is the mark of a footnote where the other title has none.
fn drop_footnote_mark(title: Taken<'_>, open: &mut Places) {
    let marks = ["1", "2", "3"];
    for count in (1..=3usize).rev() {
        if title.len() < count + 4 {
            continue;
        }
        let from = title.len() - count;
        let last: Places = ((1 << count) - 1) << from;
        if *open & last == last
            && (0..count).all(|at| title.word(from + at) == marks[at])
            && !is_numbered(title.word(from - 1))
        {
            *open &= !last;
            return;
        }
    }
}

/// Whether a title has no word that says something: it is a heading.
pub(super) fn is_heading(title: &Title) -> bool {
    !title.words.is_empty() && title.saying == 0
}

/// Takes away words of one title that are two neighbours of the other: `elearning`, `e learning`.
fn join_parted(one: Taken<'_>, open_one: &mut Places, two: Taken<'_>, open_two: &mut Places) {
    for at in places(*open_one) {
        let word = one.word(at);
        let found = places(*open_two).find_map(|start| {
            let (mut length, mut joined) = (0, 0);
            for place in start..two.len() {
                let part = two.word(place);
                if *open_two & 1 << place == 0 || !word[length..].starts_with(part) {
                    return None;
                }
                length += part.len();
                joined |= 1u64 << place;
                if length == word.len() {
                    return (place > start).then_some(joined);
                }
            }
            None
        });
        if let Some(joined) = found {
            *open_one &= !(1 << at);
            *open_two &= !joined;
        }
    }
}

/// One word in two spellings, with an ending, with a typing error, or cut off.
fn spelled_alike(left: Taken<'_>, x: usize, right: Taken<'_>, y: usize) -> bool {
    let (a, b) = (left.word(x), right.word(y));
    let (token, other) = (&left.tokens[x], &right.tokens[y]);
    if token.is(known::DIGIT | known::UNPARTED) || other.is(known::DIGIT | known::UNPARTED) {
        return false;
    }
    let count = |word: &str, token: &Token| if token.is(known::WIDE) { word.chars().count() } else { word.len() };
    let lengths = (count(a, token), count(b, other));
    let (short, long) = if lengths.0 <= lengths.1 { (a, b) } else { (b, a) };
    let (short_length, long_length) = (lengths.0.min(lengths.1), lengths.0.max(lengths.1));
    if short_length < 4 || long_length - short_length > 3 {
        return short_length >= 3 && long_length >= 6 && long.starts_with(short);
    }
    let allowed = if long_length >= 9 { 2 } else { 1 };
    if long.starts_with(short) {
        return true;
    }
    // Rats and cats, hypertension and hypotension are no two spellings of one word.
    let other_word = long_length <= 5 && a.as_bytes()[0] != b.as_bytes()[0];
    if other_word || token.is(known::TELLING) || other.is(known::TELLING) || are_opposed(a, b) {
        return false;
    }
    token.letters_apart(other) <= 2 * allowed
        && long_length - short_length <= allowed as usize
        && strsim::osa_distance(short, long) <= allowed as usize
}

/// Long titles that differ in a few letters: blanks in the wrong places, letters that an encoding lost. Shorter ones may
/// differ in one letter.
fn nearly_equal(a: &str, b: &str) -> bool {
    if a.len() < 20 || b.len() > a.len() + a.len() / 8 {
        return false;
    }
    fn digits(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(u8::is_ascii_digit)
    }
    if !digits(a).eq(digits(b)) {
        return false;
    }
    if a.len() < 30 {
        return strsim::osa_distance(a, b) <= 1;
    }
    // Each letter that one has more often than the other is an edit of its own.
    if a.is_ascii() && b.is_ascii() {
        let mut more = [0i32; 128];
        a.bytes().for_each(|byte| more[usize::from(byte & 127)] += 1);
        b.bytes().for_each(|byte| more[usize::from(byte & 127)] -= 1);
        more[usize::from(b' ')] = 0;
        let edits: u32 = more.iter().map(|count| count.unsigned_abs()).sum();
        if f64::from(edits) > 0.045 * (a.len() + b.len()) as f64 {
            return false;
        }
    }
    rapidfuzz::distance::indel::normalized_similarity(compact(a).chars(), compact(b).chars()) >= 0.96
}

// Authors

fn names(a: &Record, b: &Record) -> NamesMatch {
    let (short, long) = if a.names.list.len() <= b.names.list.len() {
        (&a.names.list, &b.names.list)
    } else {
        (&b.names.list, &a.names.list)
    };
    let counts = (short.len() as u32, long.len() as u32);
    // Names in two scripts cannot be compared by their letters.
    let latin = |names: &[Name]| names.iter().any(|name| name.surname.bytes().any(|b| b.is_ascii_alphabetic()));
    let two_scripts = !short.is_empty() && latin(short) != latin(long);
    if short.is_empty() || two_scripts {
        return NamesMatch { agreement: Agreement::Missing, first: false, common: 0, counts, two_scripts };
    }
    let first = same_person(&short[0], &long[0]);
    // Twelve authors tell as much as a hundred.
    let limit = 12;
    let considered = short.len().min(limit);
    let looked_at = long.len().min(4 * limit);
    let mut used = 0u64;
    let mut common = 0;
    for (at, name) in short.iter().take(limit).enumerate() {
        let fits = |place: usize| used & 1 << place == 0 && same_person(name, &long[place]);
        let found = if at < looked_at && fits(at) { Some(at) } else { (0..looked_at).find(|&place| fits(place)) };
        if let Some(place) = found {
            used |= 1 << place;
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
    NamesMatch { agreement, first, common: common as u32, counts, two_scripts }
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
        let says = venue.head.split(' ').any(|word| !is_among(word, &VENUE_WORDS));
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
    if is_compactly_equal(short, long) {
        return true;
    }
    // Every word of the short name is the beginning (or the consonants) of a word of the long one, in order.
    let mut place = 0;
    let mut telling = 0;
    for word in &s {
        let Some(found) = l[place..].iter().position(|other| cuts(word, other)) else { return false };
        let other = l[place + found];
        place += found + 1;
        if !is_among(word, &VENUE_WORDS) && !is_among(other, &VENUE_WORDS) {
            telling += 1;
        }
    }
    let left_out = l.iter().filter(|w| !is_among(w, &VENUE_WORDS)).count();
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

/// Whether the DOI of a record without pages names the article number of the other: `cd004816` in `10.5555/5.cd004816.pub2`.
fn holds_page(without: &Record, with: &Record) -> bool {
    let (None, Some(doi), Some(pages)) = (&without.pages, &without.doi, &with.pages) else { return false };
    let page = &pages.first;
    page.prefix.len() >= 2
        && page.number >= 100
        && doi.match_indices(&*page.prefix).any(|(at, prefix)| {
            let rest = &doi[at + prefix.len()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            rest[..digits].parse() == Ok(page.number)
        })
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
    if !begin_alike(a, b) {
        return Agreement::Different;
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

/// Whether two DOIs can be one that is cut off or has a typing error: where their letters and digits part, one of them
/// ends, or both have a letter there or the same digits further on.
fn begin_alike(a: &str, b: &str) -> bool {
    let mut x = a.chars().filter(|c| c.is_alphanumeric());
    let mut y = b.chars().filter(|c| c.is_alphanumeric());
    loop {
        match (x.next(), y.next()) {
            (Some(one), Some(other)) if one == other => {}
            // Two digits that differ are no typing error in a letter.
            (Some(one), Some(other)) => return !(one.is_ascii_digit() && other.is_ascii_digit()),
            _ => return true,
        }
    }
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
