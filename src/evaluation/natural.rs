//! Duplicates that a corpus holds before any are injected.

use std::collections::BTreeMap;

use crate::corpus::{Corpus, Truth};
use crate::methods::records::normal::doi;
use crate::partition::UnionFind;
use crate::text::normal::fold;

/// The pairs of papers that are duplicates by what their records say: an equal title and an equal abstract, both not
/// empty, compared by their letters and digits alone (folded); or one DOI, however it is written
/// ([`doi`]). Whatever is connected by these is one group, and all pairs of a group count.
///
/// ```
/// use papertwin::corpus::{Corpus, Paper};
/// let paper = |id: &str, doi: &str| Paper { id: id.into(), doi: doi.into(), ..Paper::default() };
/// let corpus = Corpus::new(vec![paper("a", "10.5555/X"), paper("b", "n/a"), paper("c", "https://doi.org/10.5555/x")]);
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
        if let Some(doi) = doi(&paper.doi) {
            let &mut first = dois.entry(doi).or_insert(id.0);
            sets.join(first, id.0);
        }
    }
    Truth::from_partition(&sets.into_partition())
}

/// Letters and digits, folded.
fn letters(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
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
            paper("salt in the valley", "and the price of bread", "10.5555/a"),
            paper("Salt in the valley", "", ""),
            paper("Salt in the valley", "", ""),
            paper("", "", ""),
            paper("", "", ""),
            paper("Other", "words", "doi:10.5555/A"),
        ]);
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        assert_eq!(natural_duplicates(&corpus).pairs(), [pair(0, 1), pair(0, 6), pair(1, 6)]);
    }
}
