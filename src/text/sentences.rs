//! A text is cut into sentences.

use unicode_segmentation::UnicodeSegmentation;

/// Abbreviations after which a sentence seldom ends, in lower case and without their full stop.
const ABBREVIATIONS: [&str; 22] = [
    "al", "approx", "ca", "cf", "dr", "e.g", "eq", "eqs", "etc", "fig", "figs", "i.e", "mr", "mrs", "no", "prof",
    "ref", "refs", "resp", "sec", "st", "vs",
];

/// The sentences of a text in order, trimmed, none empty: Unicode's sentence boundaries (UAX #29), mended after
/// abbreviations of scientific prose (`et al.`, `Fig.`) and single initials.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    let mut start = 0;
    let mut end = 0;
    for piece in text.split_sentence_bounds() {
        end += piece.len();
        let sentence = text[start..end].trim();
        let open = sentence.strip_suffix('.').is_some_and(|said| {
            let last = said.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("");
            let initial = last.chars().count() == 1 && last.chars().all(char::is_uppercase);
            initial || ABBREVIATIONS.iter().any(|known| last.eq_ignore_ascii_case(known))
        });
        if !open || end == text.len() {
            found.extend(Some(sentence).filter(|s| !s.is_empty()));
            start = end;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_ends_them() {
        let text = "Fog (cf. Smith et al. 1999) is 3.5 m deep. See Fig. 2! Is it?  本研究。J. Horn says so";
        assert_eq!(
            sentences(text),
            ["Fog (cf. Smith et al. 1999) is 3.5 m deep.", "See Fig. 2!", "Is it?", "本研究。", "J. Horn says so"]
        );
        assert!(sentences(" \n ").is_empty());
        assert_eq!(sentences("Ends with etc."), ["Ends with etc."]);
    }
}
