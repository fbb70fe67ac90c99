//! Pages in one spelling: full ranges, lettered pages, article numbers, and what spreadsheets made of them.

use std::borrow::Cow;
use std::fmt;

use super::fold::is_placeholder;

/// A page or article number: the letters before it, the number, the letters after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Page {
    /// Letters before the number, in lower case: `s`, `e`, `cd`.
    pub prefix: Box<str>,
    /// The number.
    pub number: u64,
    /// Letters after the number, in lower case.
    pub suffix: Box<str>,
}

/// The pages of a paper: the first, and the last where it is known. Further ranges are dropped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pages {
    /// The first page, or the article number.
    pub first: Page,
    /// The last page, written in full; `None` where only one page is named.
    pub last: Option<Page>,
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.prefix, self.number, self.suffix)
    }
}

impl fmt::Display for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.last {
            Some(last) => write!(f, "{}-{last}", self.first),
            None => self.first.fmt(f),
        }
    }
}

/// Reads pages in every spelling that databases use: `pp. 123-9` is 123-129, `S231-8` is s231-s238, `06-Oct` (a
/// spreadsheet's reading of 6-10) is 6-10, `e1000217-e1000217` is e1000217. A range whose end is smaller than its start
/// and no abbreviation of a greater one (`100-99`, `A12-B3`) stays as it is written. `None` where there is no number.
///
/// ```
/// use papertwin::methods::records::normal::pages;
/// assert_eq!(pages("pp. 1783–6").unwrap().to_string(), "1783-1786");
/// assert_eq!(pages("100-99").unwrap().to_string(), "100-99");
/// assert!(pages("n/a").is_none());
/// ```
pub fn pages(text: &str) -> Option<Pages> {
    if is_placeholder(text) {
        return None;
    }
    let mut lower = Cow::Borrowed(text);
    if text.contains(char::is_uppercase) {
        lower = text.to_lowercase().into();
    }
    if text.contains('&') {
        lower = lower.replace("&ndash;", "-").replace("&#8211;", "-").into();
    }
    let text = lower.trim();
    if let Some(found) = spreadsheet_date(text) {
        return Some(found);
    }
    let mut rest = text;
    for word in [
        "article number",
        "article no.",
        "article no",
        "article",
        "art. no.",
        "art.",
        "pages",
        "page",
        "pgs.",
        "pp.",
        "pp",
        "pg.",
        "pg",
        "p.",
    ] {
        if let Some(after) = rest.strip_prefix(word) {
            rest = after.trim_start_matches([' ', '.', ':', '~', '#']);
            break;
        }
    }
    // "p123" is page 123; "p" alone stays a prefix only where another letter follows.
    if let Some(after) = rest.strip_prefix('p').filter(|after| after.starts_with(|c: char| c.is_ascii_digit())) {
        rest = after;
    }
    if let Some(found) = roman_pages(rest) {
        return Some(found);
    }
    let (first, rest) = page(rest)?;
    let rest = rest.trim_start();
    let dashed = rest.trim_start_matches(['-', '–', '—', '−', '‐', '‑', '_', ' ', '/']);
    let last = if dashed.len() < rest.len() {
        page(dashed.trim_start_matches("p.").trim_start()).map(|(page, _)| page)
    } else if let Some(after) = rest.strip_prefix("to ") {
        page(after.trim_start()).map(|(page, _)| page)
    } else {
        None
    };
    let last = last.map(|last| completed(&first, last)).filter(|last| *last != first);
    Some(Pages { first, last })
}

/// The page that a text begins with, and what follows it.
fn page(text: &str) -> Option<(Page, &str)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let prefix = &text[..digits];
    // Up to four letters can belong to the number: S12, CD004816, e1000217.
    let letters: String = prefix.chars().filter(|c| c.is_alphanumeric()).collect();
    // "S-647" is a page too; what has a dash and no letters before the number is none.
    let dashed = prefix.contains(['-', '–']);
    if letters.chars().count() > 5 || dashed && !(1..=2).contains(&letters.chars().count()) {
        return None;
    }
    let rest = &text[digits..];
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    // Digits beyond u64 are no page; they are kept apart by their last 18.
    let number = rest[..end].get(end.saturating_sub(18)..).unwrap_or("").parse().ok()?;
    let mut rest = &rest[end..];
    let mut suffix = String::new();
    // "12.e3" and "12.e1-12.e9" carry their letters after a full stop; "24.1" is page 1 of chapter 24.
    let stop = rest.strip_prefix('.').filter(|after| after.starts_with(|c: char| c.is_ascii_alphanumeric()));
    if let Some(after) = stop {
        suffix.push('.');
        rest = after;
    }
    let tail = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    if tail <= 6 {
        suffix.push_str(&rest[..tail]);
        rest = &rest[tail..];
    }
    Some((Page { prefix: letters.into(), number, suffix: suffix.into() }, rest))
}

/// The last page with the digits and letters that it borrows from the first: 1783-6, s231-8.
fn completed(first: &Page, last: Page) -> Page {
    let borrows_prefix = last.prefix.is_empty() && !first.prefix.is_empty();
    if !(borrows_prefix || last.prefix == first.prefix) {
        return last;
    }
    let mut full = Page { prefix: first.prefix.clone(), ..last.clone() };
    if last.number < first.number {
        let width = 10u64.checked_pow(last.number.max(1).ilog10() + 1).unwrap_or(u64::MAX);
        let number = first.number - first.number % width + last.number;
        // "100-99" is no abbreviation of 100-199: papers are rarely longer than 80 pages.
        if number < first.number || number - first.number > 80 {
            return last;
        }
        full.number = number;
    }
    full
}

/// `xiii-xv`: the pages of front matter, with the prefix `r` for roman.
fn roman_pages(text: &str) -> Option<Pages> {
    let number = |part: &str| {
        let part = part.trim();
        let value = |c: char| {
            Some(match c {
                'i' => 1u64,
                'v' => 5,
                'x' => 10,
                'l' => 50,
                'c' => 100,
                _ => return None,
            })
        };
        let values: Vec<u64> = part.chars().map(value).collect::<Option<_>>()?;
        let sum = values.iter().enumerate().fold(0i64, |sum, (at, &v)| {
            if values.get(at + 1).is_some_and(|&next| next > v) { sum - v as i64 } else { sum + v as i64 }
        });
        (!values.is_empty() && sum > 0).then_some(Page { prefix: "r".into(), number: sum as u64, suffix: "".into() })
    };
    let mut parts = text.split(['-', '–', '—']).filter(|part| !part.trim().is_empty());
    let first = number(parts.next()?)?;
    let last = match parts.next() {
        Some(part) => Some(number(part)?),
        None => None,
    };
    Some(Pages { last: last.filter(|last| *last != first), first })
}

/// `06-Oct`, `Oct-45`, `21-Aug`: two numbers that a spreadsheet took for a date, in their order: 6-10, 10-45, 21-28.
fn spreadsheet_date(text: &str) -> Option<Pages> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let (left, right) = text.split_once(['-', '–', ' ', '.'])?;
    let month = |part: &str| MONTHS.iter().position(|m| *m == part).map(|place| place as u64 + 1);
    let number = |part: &str| (part.len() <= 4).then(|| part.parse::<u64>().ok()).flatten();
    let (a, b) = match (month(left), month(right)) {
        (Some(month), None) => (month, number(right)?),
        (None, Some(month)) => (number(left)?, month),
        _ => return None,
    };
    let plain = |number| Page { prefix: "".into(), number, suffix: "".into() };
    let first = plain(a);
    let last = Some(completed(&first, plain(b))).filter(|last| last.number > a);
    Some(Pages { first, last })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        pages(text).map_or_else(|| "none".into(), |p| p.to_string())
    }

    #[test]
    fn o_038_abbreviated_ranges_are_completed() {
        for (text, full) in [
            ("1783-6", "1783-1786"),
            ("200–3", "200-203"),
            ("200--203", "200-203"),
            ("123-9", "123-129"),
            ("pp. 123-129", "123-129"),
            ("139-54", "139-154"),
            ("998-1002", "998-1002"),
            ("pages 24.1-24.10,", "24.1-24.10"),
            ("288-97; discussion 298", "288-297"),
            ("06-Oct", "6-10"),
            ("Oct-45", "10-45"),
            ("21-Aug", "21-28"),
        ] {
            assert_eq!(written(text), full, "{text}");
        }
    }

    #[test]
    fn o_039_lettered_descending_and_article_numbers() {
        for (text, full) in [
            ("S231-8", "s231-s238"),
            ("S231-S238", "s231-s238"),
            ("e1000217", "e1000217"),
            ("e1000217-e1000217", "e1000217"),
            ("100-99", "100-99"),
            ("A12-B3", "a12-b3"),
            ("A12-A13", "a12-a13"),
            ("CD004816", "cd4816"),
            ("S-647", "s647"),
            ("xiii-xv", "r13-r15"),
            ("", "none"),
            ("in press", "none"),
        ] {
            assert_eq!(written(text), full, "{text}");
        }
        assert_eq!(pages(&"9".repeat(40)).map(|p| p.first.number), Some(999_999_999_999_999_999));
    }
}
