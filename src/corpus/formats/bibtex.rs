//! BibTeX and biblatex.
//!
//! Own rules read the entries, because one bad entry must not cost any other, and because the fields must come back as
//! they were: a strict parser gives up the file. LaTeX becomes Unicode in [`super::latex`].
//!
//! * An entry ends where its braces close. If a new entry begins before that, a brace was left open: the entry ends
//!   there, its fields are cut where the next `name =` begins, and a warning says so. If the entry closes and a comma and
//!   `name =` follow, it was closed too early, and goes on.
//! * `@string` names and month names are resolved, also in concatenations; a name that is not defined stays as it is.
//!   Fields missing in an entry with `crossref` come from the entry it names, its title as the book's.
//! * Keys are not keys: two entries with one key are two papers. When written, the second becomes `key-2`, the next
//!   `key-3`; blanks and signs that cannot be in a key become `_`.
//! * Names are split at `and`; a name that is in braces as a whole is a body and keeps them. `others` is nobody.
//! * `@comment` and `@preamble` are passed over.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;

use super::dates::{iso, iso_parts, month, year_in};
use super::extra::{add_extra, body, extras, is_missing};
use super::latex::{Kind as As, decode, encode};
use super::ris::{clean_range, one_line};
use super::tagged::{Part, Tag, Tagged, own_id, paper_of, tags_of};
use super::{Confidence, Format, FormatReader, FormatWriter, Head, RecordReader, Source};
use crate::corpus::{Kind, Layout, Paper, Rejected};

/// The format.
pub(super) struct Bibtex;

/// The names under which the type and the key of an entry stand among its fields.
const TYPE: &str = "@type";
const KEY: &str = "@key";

/// A file larger than this is not read: the entries may refer to each other, so all of them are in memory.
const LARGEST: usize = 4 << 30;

/// Fields for the values that papers have under other names: the name in the paper, the fields that hold it, the first
/// is the one that is written.
const EXTRAS: &[(&str, &[&str], As)] = &[
    ("publisher", &["publisher"], As::Text),
    ("place", &["address", "location"], As::Text),
    ("edition", &["edition"], As::Text),
    ("series", &["series"], As::Text),
    ("institution", &["school", "institution", "organization"], As::Text),
    ("isbn", &["isbn"], As::Verbatim),
    ("issn", &["issn"], As::Verbatim),
    ("pmid", &["pmid"], As::Verbatim),
    ("pmcid", &["pmcid", "pmc"], As::Verbatim),
    ("accessed", &["urldate"], As::Verbatim),
];

fn lower(name: &str) -> std::borrow::Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) { name.to_ascii_lowercase().into() } else { name.into() }
}

impl Tagged for Bibtex {
    const FORM: &'static str = "record.bib";

    fn is_name(name: &str) -> bool {
        name == TYPE
            || name == KEY
            || (name.starts_with(|c: char| c.is_alphabetic())
                && !name.contains(|c: char| c.is_whitespace() || c.is_control() || "{}\"#%,=@'()\\~".contains(c)))
    }

    fn part(name: &str, _: Option<&str>) -> Part {
        match &*lower(name) {
            TYPE => Part::Kind,
            KEY => Part::Id,
            "title" | "subtitle" => Part::Title,
            "author" => Part::Authors,
            "year" | "month" | "day" | "date" => Part::Date,
            "journal" | "journaltitle" | "booktitle" | "fjournal" => Part::Venue,
            "volume" => Part::Volume,
            "number" | "issue" => Part::Number,
            "pages" | "eid" | "article-number" | "articleno" => Part::Pages,
            "doi" => Part::Doi,
            "abstract" => Part::Abstract,
            "keywords" | "author_keywords" | "keyword" => Part::Keywords,
            "source" => Part::Source,
            "url" | "link" => Part::Url,
            "language" | "langid" => Part::Language,
            "editor" => Part::Extra(&["editors"]),
            "eprint" | "archiveprefix" | "eprinttype" => Part::Extra(&["arxiv"]),
            "publisher" => Part::Extra(&["publisher"]),
            "address" | "location" => Part::Extra(&["place"]),
            "edition" => Part::Extra(&["edition"]),
            "series" => Part::Extra(&["series"]),
            "school" | "institution" | "organization" => Part::Extra(&["institution"]),
            "isbn" => Part::Extra(&["isbn"]),
            "issn" => Part::Extra(&["issn"]),
            "pmid" => Part::Extra(&["pmid"]),
            "pmcid" | "pmc" => Part::Extra(&["pmcid"]),
            "urldate" => Part::Extra(&["accessed"]),
            _ => Part::Other,
        }
    }

    fn interpret(tags: &[Tag]) -> Paper {
        let mut paper = Paper::default();
        let first = |names: &[&str]| {
            let of = |name: &&str| tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name) && !empty(&tag.value));
            names.iter().find_map(of).map_or("", |tag| inner(&tag.value))
        };
        let text = |names: &[&str]| present(decode(first(names), As::Text));
        let plain = |names: &[&str]| present(decode(first(names), As::Verbatim));
        paper.kind = first(&[TYPE]).to_owned();
        paper.id = first(&[KEY]).to_owned();
        paper.title = text(&["title"]);
        let subtitle = text(&["subtitle"]);
        if !subtitle.is_empty() {
            paper.title = if paper.title.is_empty() { subtitle } else { format!("{}: {subtitle}", paper.title) };
        }
        paper.authors = names(first(&["author"]));
        let date = plain(&["date"]);
        let year = text(&["year"]);
        let found = year_in(&year).or(year_in(&date)).unwrap_or(if year.is_empty() { &date } else { &year });
        paper.year = found.to_owned();
        paper.published = published(&paper.year, &date, &text(&["month"]), &text(&["day"]));
        let venues: &[&str] = match Kind::of(&paper.kind) {
            Kind::ConferencePaper | Kind::Chapter => &["booktitle", "journaltitle", "journal", "fjournal"],
            _ => &["journaltitle", "journal", "fjournal", "booktitle"],
        };
        paper.venue = text(venues);
        paper.volume = text(&["volume"]);
        paper.number = text(&["number", "issue"]);
        let pages = first(&["pages", "eid", "article-number", "articleno"]);
        let single = if pages.contains("--") { pages.replace("---", "-").replace("--", "-") } else { pages.to_owned() };
        paper.pages = present(decode(&single, As::Verbatim));
        paper.doi = plain(&["doi"]);
        paper.abstract_text = text(&["abstract"]);
        for name in ["keywords", "author_keywords", "keyword"] {
            let words = text(&[name]);
            let separator = if words.contains(';') { ';' } else { ',' };
            let words = words.split(separator).map(str::trim).filter(|word| !word.is_empty());
            for word in words {
                if !paper.keywords.iter().any(|known| known == word) {
                    paper.keywords.push(word.to_owned());
                }
            }
        }
        paper.source = text(&["source"]);
        paper.url = plain(&["url", "link"]);
        paper.language = text(&["language", "langid"]);
        for editor in names(first(&["editor"])) {
            add_extra(&mut paper, "editors", editor);
        }
        let eprint = plain(&["eprint"]);
        let prefix = plain(&["archiveprefix", "eprinttype"]);
        if prefix.eq_ignore_ascii_case("arxiv") && !eprint.is_empty() {
            add_extra(&mut paper, "arxiv", eprint);
        }
        for (name, fields, kind) in EXTRAS {
            for tag in tags.iter().filter(|tag| fields.iter().any(|field| tag.name.eq_ignore_ascii_case(field))) {
                add_extra(&mut paper, name, present(decode(inner(&tag.value), *kind)));
            }
        }
        paper
    }

    fn canonical(paper: &Paper) -> Vec<Tag> {
        let mut tags = Vec::with_capacity(16);
        let kind = Kind::of(&paper.kind);
        let own = ENTRY_TYPES.iter().any(|known| paper.kind.eq_ignore_ascii_case(known));
        let kind = match kind {
            Kind::Unknown if !paper.venue.is_empty() => "article",
            _ if own => &paper.kind,
            kind => kind.bibtex(),
        };
        tags.push(Tag::new(TYPE, kind));
        tags.push(Tag::new(KEY, key(own_id(paper))));
        let mut push = |name: &'static str, value: &str, kind: As| {
            let value = one_line(value);
            if !value.is_empty() {
                tags.push(Tag::new(name, format!("{{{}}}", encode(&value, kind))));
            }
        };
        push("title", &paper.title, As::Text);
        let list = |names: &[&str]| names.iter().map(|name| name_out(name)).collect::<Vec<_>>().join(" and ");
        let authors: Vec<&str> = paper.authors.iter().map(String::as_str).collect();
        let (authors, editors) = (list(&authors), list(&extras(paper, "editors")));
        let venue = match Kind::of(kind) {
            Kind::ConferencePaper | Kind::Chapter => "booktitle",
            _ => "journal",
        };
        push(venue, &paper.venue, As::Text);
        push("volume", &paper.volume, As::Text);
        push("number", &paper.number, As::Text);
        let dated = iso_parts(&paper.published).filter(|parts| parts.len() > 1 && parts[0] == paper.year);
        push("year", &paper.year, As::Text);
        if dated.is_none() {
            push("date", &paper.published, As::Verbatim);
        }
        push("doi", &paper.doi, As::Verbatim);
        push("url", &paper.url, As::Verbatim);
        push("abstract", &paper.abstract_text, As::Text);
        push("keywords", &keywords(&paper.keywords), As::Text);
        push("language", &paper.language, As::Text);
        push("source", &paper.source, As::Text);
        for (name, fields, kind) in EXTRAS {
            for value in extras(paper, name) {
                push(fields[0], value, *kind);
            }
        }
        if let Some(number) = extras(paper, "arxiv").first() {
            push("eprint", number, As::Verbatim);
            push("archiveprefix", "arXiv", As::Verbatim);
        }
        let mut raw = |place: usize, name: &'static str, value: String| tags.insert(place, Tag::new(name, value));
        let after_title = if one_line(&paper.title).is_empty() { 2 } else { 3 };
        let pages = one_line(&paper.pages);
        if let Some((start, end)) = clean_range(&pages) {
            raw(after_title, "pages", format!("{{{}--{}}}", encode(start, As::Verbatim), encode(end, As::Verbatim)));
        } else if !pages.is_empty() {
            // Two dashes are read as one, unless something is between them.
            let mut whole = encode(&pages, As::Verbatim);
            while whole.contains("--") {
                whole = whole.replace("--", "-{}-");
            }
            raw(after_title, "pages", format!("{{{whole}}}"));
        }
        if let Some(parts) = dated {
            const MONTHS: [&str; 12] =
                ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
            let number: usize = parts[1].parse().unwrap_or(0);
            match (MONTHS.get(number.wrapping_sub(1)), parts.get(2)) {
                (Some(name), Some(day)) => {
                    raw(after_title, "day", format!("{{{}}}", day.trim_start_matches('0')));
                    raw(after_title, "month", (*name).to_owned());
                }
                (Some(name), None) => raw(after_title, "month", (*name).to_owned()),
                (None, _) => raw(after_title, "date", format!("{{{}}}", paper.published)),
            }
        }
        if !editors.is_empty() {
            raw(after_title, "editor", format!("{{{editors}}}"));
        }
        if !authors.is_empty() {
            raw(after_title, "author", format!("{{{authors}}}"));
        }
        tags
    }
}

/// The types of entries, of BibTeX and of biblatex.
const ENTRY_TYPES: &[&str] = &[
    "article",
    "book",
    "booklet",
    "collection",
    "conference",
    "dataset",
    "electronic",
    "inbook",
    "incollection",
    "inproceedings",
    "inreference",
    "manual",
    "mastersthesis",
    "misc",
    "mvbook",
    "mvcollection",
    "mvproceedings",
    "online",
    "patent",
    "periodical",
    "phdthesis",
    "proceedings",
    "reference",
    "report",
    "software",
    "suppbook",
    "techreport",
    "thesis",
    "unpublished",
    "www",
];

/// The text of a value without its braces; a bare word as it is.
fn inner(value: &str) -> &str {
    value.strip_prefix('{').and_then(|value| value.strip_suffix('}')).unwrap_or(value)
}

fn empty(value: &str) -> bool {
    inner(value).trim().is_empty()
}

fn present(text: String) -> String {
    if is_missing(&text) { String::new() } else { text }
}

fn published(year: &str, date: &str, month_text: &str, day: &str) -> String {
    if !date.is_empty() {
        return if date == year { String::new() } else { date.to_owned() };
    }
    if let Some(date) = month(month_text).and_then(|_| iso(year, month_text, day)) {
        return date;
    }
    // "9 September" and "September 9", as "9~" # sep gives.
    let parts: Vec<&str> = month_text.split([' ', '~', ',']).filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [one, two] if one.bytes().all(|b| b.is_ascii_digit()) && month(two).is_some() => iso(year, two, one),
        [one, two] if two.bytes().all(|b| b.is_ascii_digit()) && month(one).is_some() => iso(year, one, two),
        _ => None,
    }
    .unwrap_or_default()
}

fn keywords(words: &[String]) -> String {
    if !words.iter().any(|word| word.contains(',')) {
        return words.join(", ");
    }
    // A semicolon anywhere says that commas separate nothing.
    if let [word] = words { format!("{word};") } else { words.join("; ") }
}

/// The names of a list, split at `and` outside of braces.
fn names(list: &str) -> Vec<String> {
    if let Some(all) = body(list.trim()) {
        // The whole list in one more pair of braces, as some exports have it, is still a list.
        let parts: Vec<&str> = split_and(all).collect();
        if parts.len() > 1 && parts.iter().all(|part| part.contains(',')) {
            return parts.into_iter().filter_map(name_in).collect();
        }
    }
    split_and(list).filter_map(name_in).collect()
}

fn split_and(list: &str) -> impl Iterator<Item = &str> {
    let bytes = list.as_bytes();
    let mut depth = 0usize;
    let mut cuts: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'a' | b'A' if depth == 0 && at > 0 && bytes[at - 1].is_ascii_whitespace() => {
                let word = bytes.get(at..at + 3).is_some_and(|word| word == b"and" || word == b"AND");
                if word && bytes.get(at + 3).is_some_and(u8::is_ascii_whitespace) {
                    cuts.push(at..at + 3);
                    at += 2;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let starts = std::iter::once(0).chain(cuts.iter().map(|cut| cut.end).collect::<Vec<_>>());
    let ends = cuts.iter().map(|cut| cut.start).chain(std::iter::once(list.len())).collect::<Vec<_>>();
    starts.zip(ends).map(|(start, end)| list[start..end].trim())
}

fn name_in(name: &str) -> Option<String> {
    let text = decode(name, As::Text);
    if text.is_empty() || text == "others" || is_missing(&text) {
        return None;
    }
    let whole = name.starts_with('{') && closing(name, 0) == Some(name.len() - 1);
    // An accent in braces at the beginning of a one-letter name is no body.
    let whole = whole && !name.starts_with("{\\");
    Some(if whole && !text.contains(['{', '}']) { format!("{{{text}}}") } else { text })
}

fn name_out(name: &str) -> String {
    let name = one_line(name);
    match body(&name) {
        Some(body) => format!("{{{}}}", encode(body, As::Text)),
        None => encode(&name, As::Text),
    }
}

/// An identifier as a key: what cannot stand in one is `_`.
fn key(id: &str) -> String {
    let bad = |c: char| c.is_whitespace() || c.is_control() || "{}\"#%,=@'()\\~".contains(c);
    id.trim().replace(bad, "_")
}

/// The place of the brace that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// What stands in a file, besides text between the entries.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    /// What follows the sign.
    kind: Range<usize>,
    /// What is between the braces.
    inside: Range<usize>,
    line: u64,
    /// Whether its braces did not close where they should.
    broken: bool,
}

/// Finds the blocks of a file one after the other.
struct Blocks<'a> {
    text: &'a str,
    at: usize,
    line: u64,
    counted: usize,
}

impl<'a> Blocks<'a> {
    fn new(text: &'a str) -> Blocks<'a> {
        Blocks { text, at: 0, line: 1, counted: 0 }
    }

    fn line_of(&mut self, at: usize) -> u64 {
        let bytes = &self.text.as_bytes()[self.counted..at];
        let feeds = bytes.iter().filter(|&&b| b == b'\n').count();
        let old = if feeds == 0 { bytes.iter().filter(|&&b| b == b'\r').count() } else { 0 };
        self.line += (feeds + old) as u64;
        self.counted = at;
        self.line
    }

    /// The type and the opening sign of a block that begins at this `@`.
    fn opens(&self, at: usize) -> Option<(Range<usize>, usize)> {
        let bytes = self.text.as_bytes();
        let start = skip_blanks(bytes, at + 1);
        let end = start + bytes[start..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let open = skip_blanks(bytes, end);
        (end > start && matches!(bytes.get(open), Some(b'{' | b'('))).then_some((start..end, open))
    }

    /// Whether an entry that begins inside of another one, at this `@`, is meant to be one of its own.
    fn begins_anew(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        let Some((kind, open)) = self.opens(at) else { return false };
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        let line_start = before.is_empty() || before.ends_with(['\n', '\r']);
        let kind = &self.text[kind];
        if !line_start && !(before.ends_with('}') && ENTRY_TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known))) {
            return false;
        }
        if ["string", "comment", "preamble"].iter().any(|known| kind.eq_ignore_ascii_case(known)) {
            return line_start;
        }
        let rest = &bytes[open + 1..];
        let key =
            rest.iter().take(500).position(|b| matches!(b, b',' | b'{' | b'}' | b'=' | b'"' | b'\n')).unwrap_or(0);
        rest.get(key) == Some(&b',')
    }
}

fn skip_blanks(bytes: &[u8], from: usize) -> usize {
    from + bytes.get(from..).unwrap_or(&[]).iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Whether `, name =` is next: a field goes on here.
fn field_follows(bytes: &[u8], at: usize) -> bool {
    let comma = skip_blanks(bytes, at);
    if bytes.get(comma) != Some(&b',') {
        return false;
    }
    let name = skip_blanks(bytes, comma + 1);
    let length =
        bytes[name..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':')).count();
    length > 0 && bytes.get(skip_blanks(bytes, name + length)) == Some(&b'=')
}

impl Iterator for Blocks<'_> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        let bytes = self.text.as_bytes();
        let (at, kind, open) = loop {
            let at = self.at + self.text[self.at..].find('@')?;
            self.at = at + 1;
            if at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'.') {
                continue;
            }
            if let Some((kind, open)) = self.opens(at) {
                break (at, kind, open);
            }
        };
        let round = bytes[open] == b'(';
        let mut depth = usize::from(!round);
        let mut quoted = false;
        let mut broken = false;
        let mut end = open + 1;
        let next = loop {
            match bytes.get(end) {
                None => {
                    broken = true;
                    break end;
                }
                Some(b'{') => depth += 1,
                Some(b'}') if depth > 0 => {
                    depth -= 1;
                    if depth == 0 && !round {
                        if field_follows(bytes, end + 1) {
                            broken = true;
                            depth = 1;
                        } else {
                            break end + 1;
                        }
                    }
                }
                Some(b'"') if round && depth == 0 => quoted = !quoted,
                Some(b')') if round && depth == 0 && !quoted => break end + 1,
                Some(b'@') if self.begins_anew(end) => {
                    broken = true;
                    break end;
                }
                _ => {}
            }
            end += 1;
        };
        self.at = next;
        let line = self.line_of(at);
        Some(Block { kind, inside: open + 1..end, line, broken })
    }
}

/// The fields of an entry, and what was wrong with them.
struct Fields {
    key: String,
    fields: Vec<Tag>,
    mended: bool,
}

/// Names of `@string`, small.
type Strings = BTreeMap<String, String>;

fn month_name(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    if name.len() != 3 {
        return None;
    }
    month(name).map(|number| NAMES[number as usize - 1])
}

struct FieldParser<'a> {
    text: &'a str,
    at: usize,
    strings: &'a Strings,
    broken: bool,
    mended: bool,
}

impl FieldParser<'_> {
    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    fn blanks(&mut self) {
        self.at = skip_blanks(self.bytes(), self.at);
    }

    fn key(&mut self) -> String {
        let stop = self.bytes().iter().position(|b| matches!(b, b',' | b'=' | b'{' | b'"')).unwrap_or(self.text.len());
        if matches!(self.bytes().get(stop), Some(b',') | None) {
            self.at = (stop + 1).min(self.text.len());
            return self.text[..stop].trim().to_owned();
        }
        // `@article{title = ...`: no key at all. `@article{key title = ...`: no comma after it.
        let before = self.text[..stop].trim_end();
        match before.rsplit_once(char::is_whitespace) {
            Some((key, name)) if self.bytes().get(stop) == Some(&b'=') => {
                self.at = before.len() - name.len();
                self.mended = true;
                key.trim().to_owned()
            }
            _ => String::new(),
        }
    }

    fn field(&mut self) -> Option<Tag> {
        loop {
            let skip = |b: &&u8| b.is_ascii_whitespace() || matches!(b, b',' | b'}' | b'{' | b'"' | b')');
            self.at += self.bytes()[self.at..].iter().take_while(skip).count();
            if self.at >= self.text.len() {
                return None;
            }
            let rest = &self.text[self.at..];
            let length = rest.find(|c: char| c.is_whitespace() || "={},\"#".contains(c)).unwrap_or(rest.len());
            let name = &rest[..length];
            self.at += length;
            self.blanks();
            if self.bytes().get(self.at) == Some(&b'=') && Bibtex::is_name(name) && !name.starts_with('@') {
                let name = name.to_owned();
                self.at += 1;
                let value = self.value();
                return Some(Tag::new(name, value));
            }
            // Words that are no field: go on behind them.
            self.mended |= self.at < self.text.len();
            if length == 0 {
                self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    fn value(&mut self) -> String {
        let mut content = String::new();
        let mut bare: Option<String> = None;
        let mut pieces = 0;
        loop {
            self.blanks();
            match self.bytes().get(self.at) {
                Some(b'{' | b'"') => content.push_str(&self.delimited()),
                Some(b',' | b'}') | None if pieces == 0 => break,
                _ => {
                    let rest = &self.text[self.at..];
                    let length = rest.find(|c: char| c.is_whitespace() || "#,{}\"".contains(c)).unwrap_or(rest.len());
                    let word = rest[..length].to_owned();
                    self.at += length;
                    if word.bytes().all(|b| b.is_ascii_digit()) {
                        content.push_str(&word);
                        bare = Some(word);
                    } else if let Some(text) = self.strings.get(&*lower(&word)) {
                        content.push_str(text);
                    } else {
                        content.push_str(month_name(&lower(&word)).unwrap_or(&word));
                        bare = Some(word);
                    }
                }
            }
            pieces += 1;
            self.blanks();
            if self.bytes().get(self.at) != Some(&b'#') {
                break;
            }
            self.at += 1;
        }
        let balanced = balance(&content);
        self.mended |= balanced.len() != content.len();
        match bare {
            Some(word) if pieces == 1 && !word.is_empty() => word,
            _ => format!("{{{}}}", balanced.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }

    /// The text of `{...}` or `"..."` at this place.
    fn delimited(&mut self) -> String {
        let start = self.at + 1;
        let end = if self.bytes()[self.at] == b'{' { closing(self.text, self.at) } else { self.quote(start) };
        // In an entry whose braces do not close, a value that swallows the next field ends before it.
        let cut = if self.broken || end.is_none() { self.cut(start, end.unwrap_or(self.text.len())) } else { None };
        match (cut, end) {
            (Some(cut), end) => {
                self.mended |= end != Some(cut);
                self.at = cut + 1;
                self.text[start..cut].to_owned()
            }
            (None, Some(end)) => {
                self.at = end + 1;
                self.text[start..end].to_owned()
            }
            (None, None) => {
                self.mended = true;
                self.at = self.text.len();
                self.text[start..].trim_end().to_owned()
            }
        }
    }

    fn quote(&self, start: usize) -> Option<usize> {
        let mut depth = 0usize;
        for (at, byte) in self.bytes().iter().enumerate().skip(start) {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                b'"' if depth == 0 => return Some(at),
                _ => {}
            }
        }
        None
    }

    /// The first brace or quotation mark after which a new field begins.
    fn cut(&self, start: usize, end: usize) -> Option<usize> {
        let bytes = self.bytes();
        (start..end).find(|&at| matches!(bytes[at], b'}' | b'"') && field_follows(bytes, at + 1))
    }
}

/// The text without braces that have no partner.
fn balance(text: &str) -> std::borrow::Cow<'_, str> {
    let mut open: Vec<usize> = Vec::new();
    let mut alone: Vec<usize> = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open.push(at),
            b'}' if open.pop().is_none() => alone.push(at),
            _ => {}
        }
    }
    alone.extend(open);
    if alone.is_empty() {
        return text.into();
    }
    let alone: BTreeSet<usize> = alone.into_iter().collect();
    text.char_indices().filter(|(at, _)| !alone.contains(at)).map(|(_, c)| c).collect::<String>().into()
}

fn fields(inside: &str, strings: &Strings, broken: bool) -> Fields {
    let mut parser = FieldParser { text: inside, at: 0, strings, broken, mended: false };
    let key = parser.key();
    let mut fields = Vec::new();
    while let Some(field) = parser.field() {
        fields.push(field);
    }
    Fields { key, fields, mended: parser.mended || broken }
}

impl FormatReader for Bibtex {
    fn format(&self) -> Format {
        Format::Bibtex
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if head.lines().next().is_some_and(super::ris::is_type) {
            return Confidence::No;
        }
        let blocks = Blocks::new(head.text);
        let mut any = false;
        for line in head.lines() {
            let line = line.trim_start();
            if let Some(rest) = line.strip_prefix('@') {
                let kind: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
                let opens = rest[kind.len()..].trim_start().starts_with(['{', '(']);
                let known = ENTRY_TYPES.iter().chain(&["string", "preamble", "comment"]);
                if opens && known.into_iter().any(|known| kind.eq_ignore_ascii_case(known)) {
                    return Confidence::Certain;
                }
                any |= opens && !kind.is_empty();
            }
        }
        if any && blocks.count() > 0 { Confidence::Likely } else { Confidence::No }
    }

    fn open(&self, mut source: Source) -> Result<Box<dyn RecordReader>, String> {
        let text = source.text.rest(LARGEST).map_err(|error| error.to_string())?;
        Ok(Box::new(Records::new(source, text)))
    }
}

/// The records of a text.
struct Records {
    source: Source,
    text: String,
    blocks: std::vec::IntoIter<Block>,
    strings: Strings,
    /// The entries that others may refer to; empty if nobody refers to any.
    parents: BTreeMap<String, Block>,
    records: u64,
    entries: bool,
    done: bool,
}

impl Records {
    fn new(source: Source, text: String) -> Records {
        let blocks: Vec<Block> = Blocks::new(&text).collect();
        let mut parents = BTreeMap::new();
        if find_ignoring_case(&text, "crossref") {
            for block in &blocks {
                let key = text[block.inside.clone()].split(',').next().unwrap_or("").trim();
                parents.entry(key.to_owned()).or_insert_with(|| block.clone());
            }
        }
        let entries = !blocks.is_empty();
        let blocks = blocks.into_iter();
        Records { source, text, blocks, strings: Strings::new(), parents, records: 0, entries, done: false }
    }

    /// Takes what the entry does not have from the entry that it refers to.
    fn inherit(&self, paper: &mut Paper, fields_of: &[Tag]) {
        let Some(parent) = fields_of.iter().find(|tag| tag.name.eq_ignore_ascii_case("crossref")) else { return };
        let Some(block) = self.parents.get(inner(&parent.value).trim()) else { return };
        let parent = fields(&self.text[block.inside.clone()], &self.strings, block.broken);
        let parent = Bibtex::interpret(&parent.fields);
        let give = |to: &mut String, from: &[&String]| {
            if to.is_empty()
                && let Some(from) = from.iter().find(|from| !from.is_empty())
            {
                to.clone_from(from);
            }
        };
        give(&mut paper.venue, &[&parent.venue, &parent.title]);
        give(&mut paper.year, &[&parent.year]);
        give(&mut paper.published, &[&parent.published]);
        give(&mut paper.volume, &[&parent.volume]);
        for name in ["editors", "publisher", "place", "series", "isbn", "issn"] {
            if !paper.extra.contains_key(name)
                && let Some(value) = parent.extra.get(name)
            {
                paper.extra.insert(name.to_owned(), value.clone());
            }
        }
    }

    fn entry(&mut self, block: &Block) -> Result<Paper, Rejected> {
        self.records += 1;
        let place = self.source.place(self.records, block.line);
        let Fields { key, fields, mended } = fields(&self.text[block.inside.clone()], &self.strings, block.broken);
        if fields.iter().all(|field| empty(&field.value)) {
            let reason =
                if block.broken { "the entry does not end and has no field" } else { "the entry has no field" };
            return Err(Rejected::new(&place, reason));
        }
        if mended {
            let message = format!(
                "{place}: the braces or commas of entry {key:?} are wrong; its fields were told apart by their names"
            );
            self.source.run.progress.warn(&message);
        }
        let mut tags = vec![Tag::new(TYPE, &self.text[block.kind.clone()]), Tag::new(KEY, key)];
        tags.extend(fields);
        let mut paper = paper_of::<Bibtex>(&tags);
        self.inherit(&mut paper, &tags);
        paper.place = place;
        Ok(paper)
    }
}

fn find_ignoring_case(text: &str, word: &str) -> bool {
    let first = word.as_bytes()[0];
    let bytes = text.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| {
        byte.eq_ignore_ascii_case(&first)
            && bytes.get(at..at + word.len()).is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    })
}

impl Iterator for Records {
    type Item = Result<Paper, Rejected>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(block) = self.blocks.next() {
            match &*lower(&self.text[block.kind.clone()]) {
                "comment" | "preamble" => {}
                "string" => {
                    let inside = &self.text[block.inside.clone()];
                    let mut parser = FieldParser {
                        text: inside,
                        at: 0,
                        strings: &self.strings,
                        broken: block.broken,
                        mended: false,
                    };
                    if let Some(tag) = parser.field() {
                        let text = match month_name(&tag.value) {
                            Some(name) => name.to_owned(),
                            None => inner(&tag.value).to_owned(),
                        };
                        self.strings.insert(tag.name.to_ascii_lowercase(), text);
                    }
                }
                _ => return Some(self.entry(&block)),
            }
        }
        if !self.entries && !self.done {
            self.done = true;
            let reason = "no entry: nothing like \"@article{key, ...}\"";
            return Some(Err(Rejected::new(&self.source.place(0, 1), reason)));
        }
        None
    }
}

impl RecordReader for Records {}

impl FormatWriter for Bibtex {
    fn extensions(&self) -> &'static [&'static str] {
        &["bib", "bibtex"]
    }

    fn write(&self, papers: &[Paper], _: &Layout, out: &mut dyn Write) -> io::Result<()> {
        let mut used: BTreeSet<String> = BTreeSet::new();
        for (number, paper) in papers.iter().enumerate() {
            let tags = tags_of::<Bibtex>(paper);
            let value = |name: &str| tags.iter().find(|tag| tag.name == name).map(|tag| tag.value.as_str());
            let wanted = match value(KEY).map(key) {
                Some(key) if !key.is_empty() => key,
                _ => Some(key(&paper.id))
                    .filter(|key| !key.is_empty())
                    .unwrap_or_else(|| format!("record-{}", number + 1)),
            };
            let mut key = wanted.clone();
            let mut copy = 1u64;
            // Keys that differ only in case are one key for BibTeX.
            while !used.insert(key.to_lowercase()) {
                copy += 1;
                key = format!("{wanted}-{copy}");
            }
            let kind = value(TYPE).filter(|kind| kind.bytes().all(|b| b.is_ascii_alphabetic()) && !kind.is_empty());
            write!(out, "@{}{{{key}", kind.unwrap_or("misc"))?;
            for tag in tags.iter().filter(|tag| tag.name != KEY && tag.name != TYPE) {
                write!(out, ",\n  {} = {}", tag.name, source_of(&tag.value))?;
            }
            writeln!(out, "\n}}\n")?;
        }
        Ok(())
    }
}

/// A value as it can stand in a file, whatever a form says that somebody else wrote.
fn source_of(value: &str) -> String {
    let value = value.replace('\n', " ");
    let bare =
        !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b':'));
    let whole = value.starts_with('{') && closing(&value, 0) == Some(value.len() - 1);
    if bare || whole {
        return value;
    }
    format!("{{{}}}", balance(inner(&value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_outside_of_braces() {
        let split = |list: &str| names(list);
        assert_eq!(split("A and B {and} C and {D and E}"), ["A", "B and C", "{D and E}"]);
        assert_eq!(split("Smith, J. AND\n Doe, A. and others"), ["Smith, J.", "Doe, A."]);
        assert_eq!(split("{Smith, J. and Doe, A.}"), ["Smith, J.", "Doe, A."]);
        assert_eq!(split(r"{\'E}. Anders and Sand, R. and {\O}rsted"), ["É. Anders", "Sand, R.", "Ørsted"]);
        assert_eq!(split(""), Vec::<String>::new());
    }

    #[test]
    fn a_brace_alone_is_dropped() {
        assert_eq!(balance("a{b}c}d{"), "a{b}cd");
    }
}
