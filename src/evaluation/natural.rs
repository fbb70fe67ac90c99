//! Duplicates that a corpus holds before any are injected.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use crate::corpus::{Corpus, Truth};
use crate::partition::UnionFind;

/// The pairs of papers that are duplicates by what their records say: an equal title and an equal abstract, both not
/// empty, compared by their letters and digits alone (NFKC, case folded); or one DOI (letter case, `doi:` and the
/// resolver's address do not matter). Whatever is connected by these is one group, and all pairs of a group count.
///
/// ```
/// use papertwin::corpus::{Corpus, Paper};
/// let paper = |id: &str, doi: &str| Paper { id: id.into(), doi: doi.into(), ..Paper::default() };
/// let corpus = Corpus::new(vec![paper("a", "10.1/X"), paper("b", ""), paper("c", "https://doi.org/10.1/x")]);
/// assert_eq!(papertwin::evaluation::natural_duplicates(&corpus).pairs().len(), 1);
/// ```
pub fn natural_duplicates(corpus: &Corpus) -> Truth {
    let mut sets = UnionFind::new(corpus.len());
    let mut texts: BTreeMap<(String, String), u32> = BTreeMap::new();
    let mut dois: BTreeMap<String, u32> = BTreeMap::new();
    for (id, paper) in corpus.ids().zip(corpus.papers()) {
        let text = (letters(&paper.title), letters(&paper.abstract_text));
        if !text.0.is_empty() && !text.1.is_empty() {
            let &mut first = texts.entry(text).or_insert(id.0);
            sets.join(first, id.0);
        }
        let doi = bare_doi(&paper.doi);
        if !doi.is_empty() {
            let &mut first = dois.entry(doi).or_insert(id.0);
            sets.join(first, id.0);
        }
    }
    Truth::from_partition(&sets.into_partition())
}

/// Letters and digits, folded.
fn letters(text: &str) -> String {
    caseless::default_case_fold_str(&text.nfkc().collect::<String>()).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn bare_doi(doi: &str) -> String {
    let doi = doi.trim().to_lowercase();
    let from = ["https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi.org/", "doi:"];
    from.iter().find_map(|start| doi.strip_prefix(start)).unwrap_or(&doi).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Pair, Paper, PaperId};

    #[test]
    fn o_082_texts_and_dois_make_groups_and_missing_ones_do_not() {
        let paper = |title: &str, text: &str, doi: &str| Paper {
            title: title.into(),
            abstract_text: text.into(),
            doi: doi.into(),
            ..Paper::default()
        };
        let corpus = Corpus::new(vec![
            paper("Salt, in the valley", "And the price of BREAD.", ""),
            paper("salt in the valley", "and the price of bread", "10.1/a"),
            paper("Salt in the valley", "", ""),
            paper("Salt in the valley", "", ""),
            paper("", "", ""),
            paper("", "", ""),
            paper("Other", "words", "doi:10.1/A"),
        ]);
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        assert_eq!(natural_duplicates(&corpus).pairs(), [pair(0, 1), pair(0, 6), pair(1, 6)]);
    }
}
