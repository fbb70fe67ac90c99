//! Normal forms of bibliographic fields. One versioned module: matching, blocking and explanations all read these forms.
//!
//! [`record`] makes the normal form of a whole paper; the functions beside it do one field each.

use xxhash_rust::xxh3::xxh3_64;

use super::fold::is_among;
pub use super::fold::{compact, fold, is_placeholder, repair_mojibake, strip_markup};
pub use super::identifiers::{arxiv, doi, isbn, pmcid, pmid};
pub use super::names::{Name, Names, authors, same_person};
pub use super::pages::{Page, Pages, pages};
use super::words::is_numbered;
pub use super::words::{Token, tokens};
use crate::corpus::Paper;
use crate::text::normal::single_formulas;

/// The version of the normal forms. It changes with every change that can change a decision.
pub const VERSION: u32 = 3;

/// What a record is besides a paper: a notice about one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Notice {
    /// A paper of its own.
    #[default]
    None,
    /// An erratum, corrigendum or correction of another paper.
    Erratum,
    /// The retraction of another paper.
    Retraction,
    /// A comment on, or a reply to, another paper.
    Comment,
}

/// Where a record was published, as far as its type and venue say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Kind {
    /// Not known.
    #[default]
    Unknown,
    /// In a journal or magazine.
    Journal,
    /// In the proceedings of a meeting.
    Conference,
    /// A chapter of a book.
    Chapter,
    /// A book.
    Book,
    /// A report of an institution.
    Report,
    /// A thesis.
    Thesis,
    /// On a preprint server.
    Preprint,
}

/// A title in its normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Title {
    /// Folded words with one blank between; roman numerals and number words are digits; remarks of databases are gone.
    pub words: Box<str>,
    /// A translation or original that stood in brackets behind it, folded.
    pub translation: Box<str>,
    /// Whether it is the title of a notice.
    pub notice: Notice,
    /// A year that stood before the title, as in references that were taken apart badly.
    pub year: Option<u16>,
    /// The words, in their order.
    pub tokens: Box<[Token]>,
    /// How many of them say something: no words that only join others, none of headings, no single letters.
    pub saying: u32,
    /// Whether it ends in dots: it is only the beginning of the title.
    pub cut: bool,
}

/// Journal, conference or book in its normal form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Venue {
    /// Folded words without articles, prepositions, numbers and years.
    pub words: Box<str>,
    /// Another name that stood in brackets or behind an equals sign: an acronym, a translation.
    pub other: Box<str>,
    /// What stands before a colon or a dash, where there is one: the name without its motto.
    pub head: Box<str>,
}

/// A paper's fields in their normal forms. What is missing is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The title.
    pub title: Title,
    /// The authors.
    pub names: Names,
    /// The year of publication.
    pub year: Option<u16>,
    /// Where it was published.
    pub venue: Venue,
    /// Volume: numbers without leading zeros, letters folded.
    pub volume: Box<str>,
    /// Issue, in the same way.
    pub number: Box<str>,
    /// Pages.
    pub pages: Option<Pages>,
    /// DOI.
    pub doi: Option<Box<str>>,
    /// PubMed number.
    pub pmid: Option<u32>,
    /// PubMed Central number.
    pub pmcid: Option<u32>,
    /// arXiv identifier.
    pub arxiv: Option<Box<str>>,
    /// ISBN of the book, or of the book that holds it.
    pub isbn: Option<Box<str>>,
    /// Where it was published, by type and venue.
    pub kind: Kind,
    /// Whether the venue names the meeting whose abstracts fill a supplement of the journal.
    pub abstract_of_meeting: bool,
    /// The least [`SKETCH`] hashes of the word triples of the abstract, ascending; empty for fewer than eight words.
    pub sketch: Box<[u32]>,
    /// Tells headings of one source apart that have nothing else to tell them by; 0 for all others.
    pub serial: u64,
}

/// How many hashes an abstract's sketch has at most.
pub const SKETCH: usize = 24;

impl Record {
    /// Whether there is nothing to compare: no title, no abstract, no identifier, no authors with pages.
    pub fn is_blank(&self) -> bool {
        self.title.words.is_empty()
            && self.sketch.is_empty()
            && self.doi.is_none()
            && self.pmid.is_none()
            && self.pmcid.is_none()
            && self.arxiv.is_none()
            && (self.names.list.is_empty() || self.pages.is_none())
    }
}

/// The normal form of a paper.
pub fn record(paper: &Paper) -> Record {
    let title = title(&paper.title);
    let venue = venue(&paper.venue);
    let mut kind = kind(paper, &venue);
    let extra = |names: &[&str]| -> Option<String> {
        paper
            .extra
            .iter()
            .find(|(key, _)| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
            .and_then(|(_, v)| first_text(v))
    };
    let found_doi = doi(&paper.doi).or_else(|| if paper.url.contains("10.") { doi(&paper.url) } else { None });
    let arxiv_id = extra(&["arxiv", "arxiv_id", "arxivid", "eprint"])
        .and_then(|text| arxiv(&text))
        .or_else(|| paper.url.contains("arxiv.org").then(|| arxiv(&paper.url)).flatten())
        .or_else(|| found_doi.as_deref().and_then(|d| d.strip_prefix("10.48550/")).and_then(arxiv));
    if kind != Kind::Preprint && found_doi.as_deref().is_some_and(is_preprint_doi) {
        kind = Kind::Preprint;
    }
    // "12(3)", "12 (no pagination)": the volume is what stands before the bracket.
    let (volume, issue_in_volume) = match paper.volume.split_once('(') {
        Some((volume, issue)) => {
            let issue = issue.split(')').next().unwrap_or("");
            let counts = paper.number.trim().is_empty() && issue.contains(|c: char| c.is_ascii_digit());
            (volume, if counts { issue } else { "" })
        }
        None => (&*paper.volume, ""),
    };
    // A volume that is the year tells nothing that the year does not.
    let published = year(&paper.year).or_else(|| year(&paper.published));
    let volume = if published.is_some() && volume.trim().parse().ok() == published { "" } else { volume };
    // "Article 178" as an issue is a place in the volume.
    let written_number = fold(&paper.number);
    let article = written_number.strip_prefix("article ").filter(|rest| rest.contains(|c: char| c.is_ascii_digit()));
    let own_pages = pages(&paper.pages).or_else(|| article.and_then(pages));
    let number = if article.is_some() { "" } else { &*paper.number };
    Record {
        year: published.or(title.year),
        names: authors(&paper.authors),
        volume: counted(volume),
        number: if issue_in_volume.is_empty() { counted(number) } else { counted(issue_in_volume) },
        pages: own_pages,
        doi: found_doi.map(Into::into),
        pmid: extra(&["pmid", "pubmed_id", "pubmedid", "pubmed id", "pubmed"]).and_then(|text| pmid(&text)),
        pmcid: extra(&["pmcid", "pmc", "pmc_id"]).and_then(|text| pmcid(&text)),
        arxiv: arxiv_id.map(Into::into),
        isbn: extra(&["isbn", "sn"]).and_then(|text| isbn(&text)).map(Into::into),
        kind,
        sketch: sketch(&paper.abstract_text),
        serial: 0,
        abstract_of_meeting: MEETINGS.iter().any(|mark| paper.venue.contains(mark)),
        title: Title {
            notice: notice_of_kind(&paper.kind, title.notice),
            translation: if title.translation.is_empty() {
                let original = extra(&["original_title", "original title", "translated title", "translated_title"]);
                original.map_or_else(Box::default, |text| self::title(&text).words)
            } else {
                title.translation
            },
            ..title
        },
        venue,
    }
}

/// Where a paper was published, by its type, venue, source and DOI.
pub fn record_kind(paper: &Paper) -> Kind {
    match kind(paper, &venue(&paper.venue)) {
        Kind::Preprint => Kind::Preprint,
        _ if doi(&paper.doi).is_some_and(|found| is_preprint_doi(&found)) => Kind::Preprint,
        other => other,
    }
}

fn first_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Array(items) => items.iter().find_map(first_text),
        _ => None,
    }
}

/// The first run of exactly four digits that is a year from 1500 to 2100.
pub fn year(text: &str) -> Option<u16> {
    text.split(|c: char| !c.is_ascii_digit())
        .filter(|run| run.len() == 4 || run.len() == 8)
        .find_map(|run| run[..4].parse().ok().filter(|year| (1500..=2100).contains(year)))
}

/// A volume or an issue: runs of digits without leading zeros, letters only where they mean something (`4 Suppl 1` is
/// `4s1`, `B` is `b`); `18-19` stays a range; `02-Mar` is 2-3. Empty where there is none.
pub fn counted(text: &str) -> Box<str> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return text.trim_start_matches('0').into();
    }
    if is_placeholder(text) || text.trim() == "0" {
        return "".into();
    }
    if let Some(range) =
        text.contains('-').then(|| pages(text)).flatten().filter(|_| text.contains(char::is_alphabetic))
    {
        return range.to_string().into();
    }
    let folded = fold(text);
    const MONTHS: [&str; 24] = [
        "jan",
        "feb",
        "mar",
        "apr",
        "may",
        "jun",
        "jul",
        "aug",
        "sep",
        "oct",
        "nov",
        "dec",
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "sept",
    ];
    // A month in the place of an issue is no issue that can be compared.
    if folded.split(' ').all(|word| MONTHS.contains(&word)) {
        return "".into();
    }
    let mut out = String::new();
    for word in folded.split(' ') {
        if word.bytes().all(|b| b.is_ascii_digit()) {
            let digits = word.trim_start_matches('0');
            if out.ends_with(|c: char| c.is_ascii_digit()) {
                out.push('-');
            }
            out.push_str(digits);
        } else if word.starts_with("suppl") {
            out.push('s');
            out.push_str(word.trim_start_matches(|c: char| c.is_alphabetic()));
        } else if !matches!(
            word,
            "vol"
                | "volume"
                | "no"
                | "number"
                | "issue"
                | "iss"
                | "nr"
                | "num"
                | "v"
                | "n"
                | "pt"
                | "part"
                | "pp"
                | "of"
        ) {
            match roman(word) {
                Some(number) => out.push_str(&number.to_string()),
                None => out.push_str(word),
            }
        }
    }
    out.into()
}

/// Roman numerals from 2 to 39.
fn roman(word: &str) -> Option<u32> {
    if word.len() < 2 || word.len() > 7 || !word.bytes().all(|b| matches!(b, b'i' | b'v' | b'x')) {
        return None;
    }
    let value = |b: u8| match b {
        b'i' => 1,
        b'v' => 5,
        _ => 10,
    };
    let bytes = word.as_bytes();
    let total: i32 = bytes
        .iter()
        .enumerate()
        .map(
            |(at, &b)| if bytes.get(at + 1).is_some_and(|&next| value(next) > value(b)) { -value(b) } else { value(b) },
        )
        .sum();
    let written = |mut n: i32| {
        let mut text = String::new();
        for (size, sign) in [(10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")] {
            while n >= size {
                text.push_str(sign);
                n -= size;
            }
        }
        text
    };
    (total > 1 && total < 40 && written(total) == word).then_some(total as u32)
}

const NUMBER_WORDS: [&str; 11] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// A title in its normal form.
///
/// ```
/// use papertwin::methods::records::normal::title;
/// assert_eq!(&*title("Frost: Part II. Injury rates [Review] [33 refs]").words, "frost part 2 injury rates");
/// assert_eq!(&*title("[Effects of salt].").words, "effects of salt");
/// ```
pub fn title(text: &str) -> Title {
    if is_placeholder(text) {
        return Title::default();
    }
    let text = &*single_formulas(text);
    let plain = strip_markup(text);
    let plain = repair_mojibake(&plain);
    let mut notice = Notice::None;
    let mut translation = String::new();
    let unbracketed = without_labels(plain.trim());
    let (mut rest, year) = without_reference(unbracketed.trim());
    // A title that is whole in brackets is a translation whose original is not given.
    if let Some(inside) = rest.trim_end_matches(['.', ' ']).strip_prefix('[').and_then(|r| r.strip_suffix(']'))
        && !inside.contains('[')
    {
        rest = inside;
    }
    while let Some((head, inside, square)) = trailing_bracket(rest) {
        let folded = fold(inside);
        match remark(&folded) {
            Some(found) => {
                if found != Notice::None {
                    notice = found;
                }
                rest = head;
            }
            None if square && folded.split(' ').count() >= 3 && !fold(head).is_empty() => {
                translation = numerals(&folded);
                rest = head;
            }
            None => break,
        }
    }
    rest = without_language(without_label(rest));
    let folded = fold(rest);
    let (folded, found) = without_notice(&folded, rest);
    if found != Notice::None {
        notice = found;
    }
    let words = numerals(folded);
    let tokens = tokens(&words);
    let saying = tokens.iter().map(Token::says).sum();
    let cut = text.trim_end().ends_with("...") || text.trim_end().ends_with('…');
    Title { words: words.into(), translation: translation.into(), notice, year, tokens, saying, cut }
}

/// What kind of contribution it is, where a programme or a database says so beside the title.
const LABELS: [&str; 22] = [
    "tutorial",
    "tutorial session",
    "tutorial abstract",
    "panel",
    "panel session",
    "panel abstract",
    "panel discussion",
    "demo",
    "demo session",
    "demonstration",
    "demonstration session",
    "demonstration abstract",
    "book review",
    "extended abstract",
    "experience paper",
    "invited paper",
    "invited talk",
    "invited article",
    "industrial session",
    "keynote",
    "short paper",
    "guest editors foreword",
];

/// Longer texts are no label, with all the marks around it.
const LONGEST_LABEL: usize = 30;

/// Takes labels in round brackets out, wherever they stand.
fn without_labels(text: &str) -> std::borrow::Cow<'_, str> {
    let mut from = 0;
    while let Some(open) = text[from..].find('(').map(|at| from + at) {
        let Some(close) = text[open..].find(')').map(|at| open + at) else { break };
        if close - open <= LONGEST_LABEL && LABELS.contains(&fold(&text[open + 1..close]).as_str()) {
            let mut out = text[..open].trim_end().to_owned();
            out.push_str(&text[close + 1..]);
            return out.into();
        }
        from = close + 1;
    }
    text.into()
}

/// Takes a label before a colon, or behind a dash or colon, away where a title of at least two words is left.
fn without_label(text: &str) -> &str {
    let left = |rest: &str| fold(rest).contains(' ');
    if let Some((head, rest)) = text.split_once([':', '-'])
        && head.len() <= LONGEST_LABEL
        && LABELS.contains(&fold(head).as_str())
        && left(rest)
    {
        return rest.trim();
    }
    for mark in [" - ", ": ", ", ", "? "] {
        if let Some((head, tail)) = text.rsplit_once(mark)
            && tail.len() <= LONGEST_LABEL
            && LABELS.contains(&fold(tail).as_str())
            && left(head)
        {
            return head;
        }
    }
    text
}

/// Languages as databases name them beside a title.
const LANGUAGES: [&str; 16] = [
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "chinese",
    "japanese",
    "russian",
    "portuguese",
    "korean",
    "turkish",
    "polish",
    "dutch",
    "danish",
    "swedish",
    "czech",
];

/// Takes the name of a language away that stands behind the title as a sentence of its own: `Salt and sleep. German`.
fn without_language(text: &str) -> &str {
    let trimmed = text.trim_end_matches(['.', ' ']);
    match trimmed.rsplit_once(['.', '?']) {
        Some((head, tail))
            if tail.len() <= LONGEST_LABEL && LANGUAGES.contains(&fold(tail).as_str()) && fold(head).contains(' ') =>
        {
            head
        }
        _ => text,
    }
}

/// Takes away what a badly parted reference left before the title, up to a year in brackets: `(1995) `, `Lowe (1996), `.
fn without_reference(text: &str) -> (&str, Option<u16>) {
    let nothing = (text, None);
    let Some(open) = text.find('(').filter(|&at| at <= 24) else { return nothing };
    let before = text[..open].trim();
    let inside = text[open + 1..].split(')').next().unwrap_or("");
    let bare = inside.trim_end_matches(|c: char| c.is_ascii_lowercase());
    let rest = text.get(open + inside.len() + 2..).unwrap_or("");
    let marked = before.is_empty() || rest.starts_with(['.', ',', ':']);
    let rest = rest.trim_start_matches(['.', ',', ':', ' ']);
    if bare.len() != 4
        || inside.len() > 5
        || !marked
        || before.split(' ').count() > 2
        || fold(rest).split(' ').count() < 3
    {
        return nothing;
    }
    match year(bare) {
        Some(year) => (rest, Some(year)),
        None => nothing,
    }
}

/// The text before a bracket at the end, what is inside, and whether it is a square one.
fn trailing_bracket(text: &str) -> Option<(&str, &str, bool)> {
    let text = text.trim_end_matches(['.', ' ', ',']);
    let (open, square) = match text.chars().next_back()? {
        ']' => ('[', true),
        ')' => ('(', false),
        _ => return None,
    };
    let start = text.rfind(open)?;
    let head = text[..start].trim_end();
    (!head.is_empty()).then(|| (head, &text[start + 1..text.len() - 1], square))
}

/// What a database adds behind a title: nothing of the title itself. `None` if it is part of the title.
fn remark(folded: &str) -> Option<Notice> {
    if LABELS.contains(&folded) || LANGUAGES.contains(&folded) {
        return Some(Notice::None);
    }
    const PLAIN: [&str; 25] = [
        "review",
        "editorial",
        "letter",
        "letter to the editor",
        "see comment",
        "see comments",
        "abstract",
        "news",
        "news item",
        "historical article",
        "electronic resource",
        "internet",
        "clinical trial",
        "meeting abstract",
        "poster",
        "poster abstract",
        "conference abstract",
        "review article",
        "article",
        "print",
        "corrected",
        "proceedings",
        "conference paper",
        "retracted",
        "withdrawn",
    ];
    if PLAIN.contains(&folded) {
        return Some(Notice::None);
    }
    let words: Vec<&str> = folded.split(' ').collect();
    let refs = words.len() <= 3 && matches!(words.last(), Some(&("refs" | "references" | "ref")));
    let language = words.len() <= 3 && (folded.starts_with("in ") || folded.starts_with("article in "));
    const ABOUT: [&str; 10] = [
        "published erratum appears",
        "erratum appears",
        "erratum in",
        "correction appears",
        "published correction",
        "corrected and republished",
        "corrected version",
        "retracted article",
        "retraction in",
        "see vol",
    ];
    // "(vol 17, pg 461, 2020)": the place of the paper that a correction is about.
    if words.len() >= 4 && words[0] == "vol" && matches!(words[2], "pg" | "p" | "pp") {
        return Some(Notice::Erratum);
    }
    if refs || language || ABOUT.iter().any(|start| folded.starts_with(start)) {
        return Some(Notice::None);
    }
    match folded {
        "retraction" | "retraction notice" => Some(Notice::Retraction),
        "erratum" | "correction" | "corrigendum" | "errata" => Some(Notice::Erratum),
        "reply" | "comment" | "comments" | "authors reply" | "author reply" | "response" | "commentary" => {
            Some(Notice::Comment)
        }
        _ => None,
    }
}

/// Takes the words of a notice from the front of a folded title and says which it is. Words that are the whole title stay.
fn without_notice<'t>(folded: &'t str, raw: &str) -> (&'t str, Notice) {
    const FRONT: [(&str, Notice); 29] = [
        ("errata notes ", Notice::Erratum),
        ("errata note ", Notice::Erratum),
        ("erratum to ", Notice::Erratum),
        ("erratum for ", Notice::Erratum),
        ("erratum ", Notice::Erratum),
        ("errata ", Notice::Erratum),
        ("corrigendum to ", Notice::Erratum),
        ("corrigendum ", Notice::Erratum),
        ("correction to ", Notice::Erratum),
        ("corrections to ", Notice::Erratum),
        ("publisher correction ", Notice::Erratum),
        ("author correction ", Notice::Erratum),
        ("addendum to ", Notice::Erratum),
        ("expression of concern ", Notice::Retraction),
        ("retraction of ", Notice::Retraction),
        ("retraction note to ", Notice::Retraction),
        ("retraction notice to ", Notice::Retraction),
        ("retraction ", Notice::Retraction),
        ("retracted article ", Notice::None),
        ("retracted ", Notice::None),
        ("withdrawn ", Notice::None),
        ("comment on ", Notice::Comment),
        ("comments on ", Notice::Comment),
        ("commentary on ", Notice::Comment),
        ("reply to ", Notice::Comment),
        ("response to ", Notice::Comment),
        ("re ", Notice::Comment),
        ("authors reply to ", Notice::Comment),
        ("author reply to ", Notice::Comment),
    ];
    for (front, notice) in FRONT {
        if let Some(rest) = folded.strip_prefix(front) {
            let ends_with_colon =
                raw.chars().take_while(|c| *c != ':').count() <= front.chars().count() + 2 && raw.contains(':');
            let marked = match front {
                // "Correction methods for ..." is a title; "Correction: ..." is a notice.
                "erratum " | "errata " | "corrigendum " | "retraction " | "retracted " | "withdrawn " | "re "
                | "retracted article " => {
                    ends_with_colon || raw.get(front.len() - 1..).is_some_and(|r| r.starts_with('.'))
                }
                _ => true,
            };
            if marked && rest.contains(' ') {
                return (rest, notice);
            }
        }
    }
    if raw.get(..11).is_some_and(|front| front.eq_ignore_ascii_case("correction:")) {
        return (folded.strip_prefix("correction ").unwrap_or(folded), Notice::Erratum);
    }
    // ": reply", ". Reply" at the end.
    for (tail, notice) in [
        (" reply", Notice::Comment),
        (" comment", Notice::Comment),
        (" comments", Notice::Comment),
        (" authors reply", Notice::Comment),
        (" author reply", Notice::Comment),
        (" erratum", Notice::Erratum),
        (" corrigendum", Notice::Erratum),
        (" retraction", Notice::Retraction),
    ] {
        if let Some(rest) = folded.strip_suffix(tail) {
            let mark = raw
                .trim_end_matches(['.', ' '])
                .char_indices()
                .rev()
                .find(|(_, c)| matches!(c, ':' | '.' | '-' | '–' | '—' | ';'));
            let close = mark.is_some_and(|(at, _)| fold(&raw[at..]) == tail.trim_start());
            if close && rest.contains(' ') {
                return (rest, notice);
            }
        }
    }
    (folded, Notice::None)
}

fn notice_of_kind(kind: &str, by_title: Notice) -> Notice {
    if by_title != Notice::None {
        return by_title;
    }
    let kind = fold(kind);
    match kind.as_str() {
        "published erratum" | "erratum" | "corrigendum" | "correction" => Notice::Erratum,
        "retraction of publication" | "retraction" | "retraction notice" => Notice::Retraction,
        _ => by_title,
    }
}

/// Roman numerals and number words as digits, in a folded text.
fn numerals(folded: &str) -> String {
    let mut out = String::with_capacity(folded.len());
    let mut before = "";
    let count = folded.split(' ').count();
    for (at, word) in folded.split(' ').enumerate() {
        if !out.is_empty() {
            out.push(' ');
        }
        let single = match word {
            "i" if is_numbered(before) || at + 1 == count && at > 0 => Some(1),
            "v" if is_numbered(before) => Some(5),
            "x" if is_numbered(before) => Some(10),
            "one" if is_numbered(before) => Some(1),
            _ => None,
        };
        let spelled = || {
            let place = is_among(word, &NUMBER_WORDS).then(|| NUMBER_WORDS.iter().position(|w| *w == word));
            place.flatten().map(|place| place as u32 + 2)
        };
        match single.or_else(|| roman(word)).or_else(spelled) {
            Some(number) => out.push_str(&number.to_string()),
            None => out.push_str(word),
        }
        before = word;
    }
    out
}

/// What stands between a journal and the meeting whose abstracts fill a supplement of it.
const MEETINGS: [&str; 3] = [". Conference", ". Meeting:", " Conference Publication:"];

/// A journal, conference or book in its normal form.
pub fn venue(text: &str) -> Venue {
    if is_placeholder(text) {
        return Venue::default();
    }
    // "Journal. Conference: the meeting whose abstracts fill a supplement".
    let text = MEETINGS.iter().find_map(|mark| text.split_once(mark)).map_or(text, |(main, _)| main);
    let (main, other) = match text.split_once(['[', '(', '=']) {
        Some((main, other)) if !fold(main).is_empty() => (main, other.trim_end_matches([']', ')', ' ', '.', ','])),
        _ => (text, ""),
    };
    let head = [": ", " : ", " - ", " – ", " — ", " &mdash; "].iter().filter_map(|mark| main.find(mark)).min();
    let head = head.map_or_else(String::new, |at| venue_words(&main[..at]));
    Venue { words: venue_words(main).into(), other: venue_words(other).into(), head: head.into() }
}

fn venue_words(text: &str) -> String {
    const EMPTY: [&str; 30] = [
        "the", "of", "and", "in", "on", "for", "a", "an", "to", "de", "la", "le", "les", "der", "die", "das", "und",
        "fur", "et", "des", "du", "di", "del", "el", "y", "annual", "ann", "vol", "no", "e",
    ];
    let folded = fold(text);
    let mut out = String::with_capacity(folded.len());
    for word in folded.split(' ') {
        let number = word.starts_with(|c: char| c.is_ascii_digit());
        if number || is_among(word, &EMPTY) || word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    if out.is_empty() { folded } else { out }
}

/// DOI prefixes of preprint servers, by registrant.
fn is_preprint_doi(doi: &str) -> bool {
    const SERVERS: [&str; 14] = [
        "10.1101/",
        "10.48550/",
        "10.21203/rs",
        "10.2139/ssrn",
        "10.20944/preprints",
        "10.31234/",
        "10.31219/",
        "10.26434/chemrxiv",
        "10.36227/techrxiv",
        "10.22541/au",
        "10.31235/",
        "10.64898/",
        "10.1590/scielopreprints",
        "10.35542/",
    ];
    // 10.1101 is also the prefix of a publisher's journals; server numbers are dates or six digits.
    SERVERS.iter().any(|server| doi.starts_with(server))
        && (!doi.starts_with("10.1101/") || doi[8..].starts_with(|c: char| c.is_ascii_digit()))
        || doi.contains("preprint")
}

fn kind(paper: &Paper, venue: &Venue) -> Kind {
    let by_type = fold(&paper.kind);
    let has = |words: &[&str]| {
        venue.words.split(' ').any(|w| words.contains(&w)) || venue.other.split(' ').any(|w| words.contains(&w))
    };
    let preprint_venue = venue.words.split(' ').any(|w| w.contains("rxiv") || w.starts_with("preprint"))
        || has(&["ssrn", "corr", "osf"])
        || venue.words.starts_with("research square")
        || venue.words.starts_with("arxiv");
    let source = fold(&paper.source);
    let preprint_source =
        source.split(' ').any(|w| w.contains("rxiv")) && !source.contains("pmc") && !source.contains("medline");
    if preprint_venue
        || preprint_source && venue.words.is_empty()
        || matches!(by_type.as_str(), "preprint" | "posted content" | "posted_content")
    {
        return Kind::Preprint;
    }
    match by_type.as_str() {
        "inproceedings"
        | "conference"
        | "conf"
        | "cpaper"
        | "proceedings"
        | "conference paper"
        | "proceedings article"
        | "paper conference" => return Kind::Conference,
        "incollection" | "chap" | "inbook" | "chapter" | "book chapter" | "book section" => return Kind::Chapter,
        "book" | "edbook" | "monograph" => return Kind::Book,
        "techreport" | "rprt" | "report" => return Kind::Report,
        "phdthesis" | "mastersthesis" | "thes" | "thesis" | "dissertation" => return Kind::Thesis,
        _ => {}
    }
    if has(&["thesis", "dissertation"]) {
        Kind::Thesis
    } else if venue.words.contains("tech rep")
        || venue.words.contains("technical report")
        || venue.words.contains("working paper")
    {
        Kind::Report
    } else if has(&["conference", "conf", "symposium", "symp", "workshop", "workshops"]) {
        Kind::Conference
    } else if has(&["journal", "j", "transactions", "trans", "magazine", "quarterly", "annals", "archives"])
        || matches!(by_type.as_str(), "article" | "jour" | "journal article" | "article journal" | "jfull" | "mgzn")
    {
        Kind::Journal
    } else {
        Kind::Unknown
    }
}

/// The least hashes of the word triples of a text, ascending.
pub fn sketch(text: &str) -> Box<[u32]> {
    if is_placeholder(text) {
        return Box::default();
    }
    let folded = fold(text);
    let mut starts: Vec<usize> = Vec::with_capacity(folded.len() / 5 + 1);
    starts.push(0);
    starts.extend(folded.bytes().enumerate().filter(|(_, byte)| *byte == b' ').map(|(at, _)| at + 1));
    if starts.len() < 8 {
        return Box::default();
    }
    // The least hashes are kept as they come: a heap would cost more than this short sorted list.
    let mut least: Vec<u32> = Vec::with_capacity(SKETCH + 1);
    for (at, &start) in starts.iter().enumerate().take(starts.len() - 2) {
        let end = starts.get(at + 3).map_or(folded.len(), |next| next - 1);
        let hash = (xxh3_64(&folded.as_bytes()[start..end]) >> 32) as u32;
        if least.len() == SKETCH && hash >= least[SKETCH - 1] {
            continue;
        }
        if let Err(place) = least.binary_search(&hash) {
            least.insert(place, hash);
            least.truncate(SKETCH);
        }
    }
    least.into()
}

/// The estimated share of word triples that two abstracts have in common (Jaccard, by the least hashes of the union).
/// `None` where one is missing.
pub fn sketch_similarity(a: &[u32], b: &[u32]) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let (mut i, mut j, mut both, mut union) = (0, 0, 0u32, 0u32);
    while union < SKETCH as u32 && (i < a.len() || j < b.len()) {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => {
                both += 1;
                i += 1;
                j += 1;
            }
            (Some(x), Some(y)) if x < y => i += 1,
            (Some(_), None) => i += 1,
            _ => j += 1,
        }
        union += 1;
    }
    Some(f64::from(both) / f64::from(union))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_what_databases_add_and_keep_what_tells_papers_apart() {
        let words = |text: &str| title(text).words.to_string();
        assert_eq!(words("RETRACTED: Warm milk and sleep"), "warm milk and sleep");
        assert_eq!(words("Correction methods for milk"), "correction methods for milk");
        assert_eq!(words("World War II at sea"), "world war 2 at sea");
        assert_eq!(words("Three men in a boat (Review)"), "3 men in a boat");
        assert_eq!(words("Salt I"), "salt 1");
        assert_eq!(words("Trial of salt [ISRCTN123]"), "trial of salt isrctn123");
        assert_eq!(words("воздух"), "воздух");
        assert_eq!(words("???"), "");
        let both = title("Wirkung von Meersalz auf alte Brücken [Effects of sea salt on old bridges]");
        assert_eq!(
            (&*both.words, &*both.translation),
            ("wirkung von meersalz auf alte brucken", "effects of sea salt on old bridges")
        );
    }

    #[test]
    fn o_042_notices_are_told_by_title_or_type() {
        for (text, notice) in [
            ("Erratum: Warm milk and sleep", Notice::Erratum),
            ("Warm milk and sleep [Retraction]", Notice::Retraction),
            ("Warm milk and sleep: reply", Notice::Comment),
            ("Comment on warm milk and sleep", Notice::Comment),
            ("Warm milk and sleep", Notice::None),
            ("Warm milk [Erratum appears in Salt 2001;3:4]", Notice::None),
        ] {
            assert_eq!(title(text).notice, notice, "{text}");
            assert!(title(text).words.starts_with("warm milk"), "{text}");
        }
        let paper = Paper { title: "Warm milk".into(), kind: "Published Erratum".into(), ..Paper::default() };
        assert_eq!(record(&paper).title.notice, Notice::Erratum);
    }

    #[test]
    fn counts_and_years_are_read_from_what_stands_around_them() {
        assert_eq!(year("c. 1998"), Some(1998));
        assert_eq!(year("1995,"), Some(1995));
        assert_eq!(year("20200317"), Some(2020));
        assert_eq!(year("n.d."), None);
        for (text, wanted) in [
            ("Vol. 07", "7"),
            ("18-19", "18-19"),
            ("4 Suppl 1", "4s1"),
            ("02-Mar", "2-3"),
            ("XII", "12"),
            ("C7", "c7"),
            ("-", ""),
        ] {
            assert_eq!(&*counted(text), wanted, "{text}");
        }
        let paper = Paper { volume: "12(3)".into(), ..Paper::default() };
        assert_eq!((&*record(&paper).volume, &*record(&paper).number), ("12", "3"));
    }

    #[test]
    fn sketches_estimate_the_share_of_triples() {
        let text = "one two three four five six seven eight nine ten";
        let other = "alpha beta gamma delta epsilon zeta eta theta iota kappa";
        assert_eq!(sketch_similarity(&sketch(text), &sketch(text)), Some(1.0));
        assert_eq!(sketch_similarity(&sketch(text), &sketch(other)), Some(0.0));
        assert_eq!(sketch_similarity(&sketch(text), &sketch("")), None);
        // 8 triples against 7 of them: 7 of 8.
        assert_eq!(
            sketch_similarity(&sketch(text), &sketch("one two three four five six seven eight nine")),
            Some(7.0 / 8.0)
        );
    }
}
