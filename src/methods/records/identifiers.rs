//! Identifiers of papers in one spelling each: DOI, PubMed, PubMed Central, arXiv, ISBN.

use super::fold::is_placeholder;

/// A DOI in lower case without the ways of writing it: addresses, `doi:`, percent signs, LaTeX escapes, what follows it.
/// `None` where there is no `10.NNNN/...` in the text.
///
/// ```
/// use papertwin::methods::records::normal::doi;
/// assert_eq!(doi("https://doi.org/10.5555%2FABC.123"), Some("10.5555/abc.123".into()));
/// assert_eq!(doi("DOI 10.5555/abc.123."), Some("10.5555/abc.123".into()));
/// assert_eq!(doi("10.5555/978-3-0000-0000-0 _5"), Some("10.5555/978-3-0000-0000-0_5".into()));
/// assert_eq!(doi("n/a"), None);
/// ```
pub fn doi(text: &str) -> Option<String> {
    if is_placeholder(text) {
        return None;
    }
    let mut text = percent_decoded(text);
    if text.contains(['\\', '{', '$']) {
        text = text.chars().filter(|c| !matches!(c, '\\' | '{' | '}' | '$')).collect();
    }
    if text.contains('&') {
        text = html_escape::decode_html_entities(&text).into_owned();
    }
    let mut text = text.to_lowercase();
    // "10.1007/978-3-0000-0000-0 _5": a chapter whose number was parted from the book's, which other chapters share.
    while let Some(at) = text.find(" _") {
        text.remove(at);
    }
    let start = text.match_indices("10.").map(|(at, _)| at).find(|&at| {
        let digits = text[at + 3..].bytes().take_while(|b| b.is_ascii_digit() || *b == b'.').count();
        let before = text[..at].chars().next_back();
        (4..=14).contains(&digits)
            && text[at + 3 + digits..].starts_with('/')
            && !before.is_some_and(|c| c.is_ascii_digit() || c == '.')
    })?;
    let rest = &text[start..];
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '|')).unwrap_or(rest.len());
    let mut found = rest[..end].to_owned();
    for tail in ["/full", "/abstract", "/pdf", ".full", ".pdf", "/epdf", "/meta"] {
        if let Some(head) = found.strip_suffix(tail) {
            found = head.to_owned();
        }
    }
    // "10.3779/10.3779/j.x" and "10.10.3779/j.x": the registrant twice.
    if let Some((registrant, rest)) = found.split_once('/')
        && rest.strip_prefix(registrant).is_some_and(|rest| rest.starts_with('/'))
    {
        found = rest.to_owned();
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    if let Some(rest) = found.strip_prefix("10.").filter(|rest| rest.starts_with("10.") && digits(&rest[3..]) >= 4) {
        found = rest.to_owned();
    }
    if let Some(query) = found.find(['?', '#']) {
        found.truncate(query);
    }
    loop {
        let unbalanced = |open: char, close: char| found.matches(open).count() < found.matches(close).count();
        match found.chars().next_back()? {
            '.' | ',' | ';' | ':' | '/' | '\'' | '*' | '[' | '(' | '<' => {
                found.pop();
            }
            ')' if unbalanced('(', ')') => {
                found.pop();
            }
            ']' if unbalanced('[', ']') => {
                found.pop();
            }
            '>' if unbalanced('<', '>') => {
                found.pop();
            }
            _ => break,
        }
    }
    found.split_once('/').is_some_and(|(_, suffix)| !suffix.is_empty()).then_some(found)
}

fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let hex = |b: u8| (b as char).to_digit(16);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = match bytes.get(at..at + 3) {
            Some(&[b'%', high, low]) => hex(high).zip(hex(low)).map(|(h, l)| (h * 16 + l) as u8),
            _ => None,
        };
        match code {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// A PubMed number: digits only, at most eight. `None` for anything else.
pub fn pmid(text: &str) -> Option<u32> {
    let text = text.trim();
    let number = text.rsplit([':', '/', ' ']).find(|part| !part.is_empty())?;
    let named = text.len() == number.len() || text.to_ascii_lowercase().contains("pm") || text.contains("medline");
    (named && (4..=8).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit()))
        .then(|| number.parse().ok())?
}

/// A PubMed Central number, with or without `PMC` before it.
pub fn pmcid(text: &str) -> Option<u32> {
    let upper = text.to_ascii_uppercase();
    let start = upper.find("PMC").map(|at| at + 3)?;
    let digits: String =
        upper[start..].trim_start_matches([' ', ':']).chars().take_while(char::is_ascii_digit).collect();
    (4..=9).contains(&digits.len()).then(|| digits.parse().ok())?
}

/// An arXiv identifier without its version: `2101.00001`, `hep-th/9901001`.
pub fn arxiv(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let lower = lower.trim();
    let rest = match lower.find("arxiv") {
        Some(at) => {
            let rest = &lower[at + 5..];
            let rest = rest.strip_prefix(".org").unwrap_or(rest);
            let rest = rest.trim_start_matches([':', '/', '.', ' ']);
            rest.strip_prefix("abs/").or_else(|| rest.strip_prefix("pdf/")).unwrap_or(rest)
        }
        None => lower,
    };
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '-'))).unwrap_or(rest.len());
    let rest = rest[..end].trim_end_matches('.');
    let rest = rest.strip_suffix(".pdf").unwrap_or(rest);
    let base = match rest.rfind('v') {
        Some(at) if at > 0 && at + 1 < rest.len() && rest[at + 1..].bytes().all(|b| b.is_ascii_digit()) => &rest[..at],
        _ => rest,
    };
    let digits = |text: &str, least: usize, most: usize| {
        (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
    };
    let new = base.split_once('.').is_some_and(|(month, number)| digits(month, 4, 4) && digits(number, 4, 5));
    let old = base.split_once('/').is_some_and(|(archive, number)| {
        digits(number, 7, 7) && archive.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    if old {
        // `math.gt/0309136`: the class in an archive is no part of the number.
        let (archive, number) = base.split_once('/')?;
        return Some(format!("{}/{number}", archive.split('.').next().unwrap_or(archive)));
    }
    new.then(|| base.to_owned())
}

/// An ISBN as its 13 digits; ten-digit ones are converted. `None` where the check digit is wrong.
pub fn isbn(text: &str) -> Option<String> {
    let digits: Vec<u32> = text
        .chars()
        .filter(|c| !matches!(c, '-' | ' ' | '–'))
        .skip_while(|c| !c.is_ascii_digit())
        .map_while(|c| c.to_digit(10).or((c == 'X' || c == 'x').then_some(10)))
        .collect();
    let check13 = |first: &[u32]| {
        let sum: u32 = first.iter().enumerate().map(|(at, d)| d * if at % 2 == 0 { 1 } else { 3 }).sum();
        (10 - sum % 10) % 10
    };
    let written = |digits: &[u32]| digits.iter().map(u32::to_string).collect::<String>();
    match digits.as_slice() {
        all @ [first @ .., last] if all.len() == 13 && all.iter().all(|d| *d < 10) => {
            (check13(first) == *last).then(|| written(all))
        }
        all if all.len() == 10 && all[..9].iter().all(|d| *d < 10) => {
            let sum: u32 = all.iter().enumerate().map(|(at, d)| d * (10 - at as u32)).sum();
            let mut first = vec![9, 7, 8];
            first.extend_from_slice(&all[..9]);
            first.push(check13(&first));
            sum.is_multiple_of(11).then(|| written(&first))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o_037_eight_spellings_of_one_doi() {
        for text in [
            "10.5555/ABC.123",
            "https://doi.org/10.5555/abc.123",
            "http://dx.doi.org/10.5555/Abc.123",
            "doi:10.5555/abc.123",
            "DOI 10.5555/abc.123.",
            "https://doi.org/10.5555%2Fabc.123",
            "10.5555/abc.123 [doi]",
            " 10.5555/abc.123 ",
        ] {
            assert_eq!(doi(text).as_deref(), Some("10.5555/abc.123"), "{text}");
        }
        assert_eq!(doi("10.5555/978-1-1{\\_}2-1").as_deref(), Some("10.5555/978-1-1_2-1"));
        assert_eq!(doi("10.1016/s0140-6736(05)17868-5).").as_deref(), Some("10.1016/s0140-6736(05)17868-5"));
        assert_eq!(
            doi("http://dx.doi.org/10.1016/s0140-6736%2805%2917868-5").as_deref(),
            doi("10.1016/S0140-6736(05)17868-5").as_deref()
        );
        for text in ["10.5555/10.5555/abc.123", "10.10.5555/abc.123"] {
            assert_eq!(doi(text).as_deref(), Some("10.5555/abc.123"), "{text}");
        }
        for text in ["NA", "null", "-", "n/a", "110.5555/x", "10.5/x", "S0140-6736", "10.5555/"] {
            assert_eq!(doi(text), None, "{text}");
        }
    }

    #[test]
    fn other_identifiers_have_one_spelling() {
        assert_eq!(
            (pmid("PMID: 12345678"), pmid("https://pubmed.ncbi.nlm.nih.gov/123456/"), pmid("x12")),
            (Some(12345678), None, None)
        );
        assert_eq!((pmid("12345678"), pmid("WOS:000123456")), (Some(12345678), None));
        assert_eq!((pmcid("PMC 1234567"), pmcid("1234567")), (Some(1234567), None));
        assert_eq!(arxiv("arXiv:2101.00001v2 [cs.CL]").as_deref(), Some("2101.00001"));
        assert_eq!(arxiv("https://arxiv.org/abs/hep-th/9901001").as_deref(), Some("hep-th/9901001"));
        assert_eq!(arxiv("https://arxiv.org/pdf/2101.00001v3.pdf").as_deref(), Some("2101.00001"));
        assert_eq!(arxiv("math.GT/0309136").as_deref(), Some("math/0309136"));
        assert_eq!(arxiv("10.1234/5678"), None);
        assert_eq!(isbn("0-306-40615-2").as_deref(), Some("9780306406157"));
        assert_eq!(isbn("ISBN 978-0-306-40615-7").as_deref(), Some("9780306406157"));
        assert_eq!(isbn("978-0-306-40615-8"), None);
    }
}
