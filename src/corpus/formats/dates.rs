//! Dates as records write them: the year of anything, and an ISO date where one is meant.

/// The first run of digits that can be a year, 1000 to 2999; a longer run gives its first four digits (`20201105`).
pub(super) fn year_in(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |n| at + n);
        if matches!(end - at, 4 | 8) && matches!(bytes[at], b'1' | b'2') {
            return Some(&text[at..at + 4]);
        }
        at = end;
    }
    None
}

/// The number of an English month: full or shortened to three letters and more, with or without a full stop, or its
/// digits.
pub(super) fn month(text: &str) -> Option<u32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let text = text.trim().trim_end_matches('.').to_ascii_lowercase();
    if !text.is_empty() && text.len() <= 2 && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok().filter(|month| (1..=12).contains(month));
    }
    if text.len() < 3 {
        return None;
    }
    MONTHS.iter().position(|name| name.starts_with(&text)).map(|place| place as u32 + 1)
}

/// The date of these parts as ISO writes it, as far as it goes: `2016`, `2016-03`, `2016-03-05`. `None` without a year of
/// four digits; what follows the first part that is missing or wrong is left out.
pub(super) fn iso(year: &str, month_text: &str, day: &str) -> Option<String> {
    let year = year.trim();
    if year.len() != 4 || !year.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let Some(month) = month(month_text) else { return Some(year.to_owned()) };
    match day.trim().parse::<u32>() {
        Ok(day) if (1..=31).contains(&day) => Some(format!("{year}-{month:02}-{day:02}")),
        _ => Some(format!("{year}-{month:02}")),
    }
}

/// The parts of an ISO date, as many as there are: year, month, day. `None` if it is none.
pub(super) fn iso_parts(text: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = text.split('-').collect();
    let lengths = [4, 2, 2];
    let fits = parts.len() <= 3
        && parts.iter().zip(lengths).all(|(part, n)| part.len() == n && part.bytes().all(|b| b.is_ascii_digit()));
    fits.then_some(parts)
}
