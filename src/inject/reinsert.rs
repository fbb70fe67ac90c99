//! Which papers are copied, and where the copies go.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Edit, InjectError, Share};
use crate::corpus::{Corpus, Field, Pair, Paper, PaperId, Truth};
use crate::seed::Seed;

/// How several edits are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mix {
    /// Every copy gets every edit, in order.
    #[default]
    All,
    /// Every copy gets one of them, each equally likely.
    One,
}

/// What to inject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectParams {
    /// Copies as a share of the papers, rounded half up. The paper takes 0.2.
    pub rate: Share,
    /// The edits of each copy. None means exact copies.
    pub edits: Vec<Edit>,
    /// How several edits are shared out.
    pub mix: Mix,
    /// Whether the order of all papers is shuffled afterwards, as in the paper; else copies stand at the end.
    pub shuffle: bool,
}

impl Default for InjectParams {
    fn default() -> InjectParams {
        InjectParams { rate: "0.2".parse().expect("a share"), edits: Vec::new(), mix: Mix::All, shuffle: true }
    }
}

impl InjectParams {
    /// Makes the parameters ready to run.
    ///
    /// # Errors
    /// None today; parameters of the wrong form cannot be written.
    pub fn check(self) -> Result<Injection, InjectError> {
        Ok(Injection(self))
    }
}

/// Checked parameters.
#[derive(Clone, Debug)]
pub struct Injection(InjectParams);

/// One copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Where the original is in the injected corpus.
    pub original: PaperId,
    /// Where the copy is.
    pub copy: PaperId,
    /// What was done to it.
    pub edits: Vec<Edit>,
}

/// A corpus with copies in it, and which they are.
#[derive(Clone, Debug)]
pub struct Injected {
    /// Originals and copies.
    pub corpus: Corpus,
    /// Each original with its copy.
    pub truth: Truth,
    /// The copies, in the order of their places.
    pub copies: Vec<Copied>,
    /// How many copies were wanted but not made, because no further paper keeps a text under the edits.
    pub missing: usize,
}

/// Draws originals without replacement, copies and edits them, lays the copies back (Bai et al., experiments).
///
/// Papers that would have no text left under `keep-fields` are not drawn. A copy has the id of its original followed by
/// `~copy`, with a number where that is taken, and its `extra` says `injected_from`. The copy of a paper depends on the
/// seed, the paper's place and the edits, not on the rate.
pub fn inject(corpus: &Corpus, injection: &Injection, seed: Seed) -> Injected {
    let params = &injection.0;
    let kept: Vec<&Vec<Field>> = params
        .edits
        .iter()
        .filter_map(|edit| match edit {
            Edit::KeepFields(fields) => Some(fields),
            _ => None,
        })
        .collect();
    let has_text = |id: &PaperId| kept.iter().all(|fields| !corpus.paper(*id).text(fields).trim().is_empty());
    let eligible: Vec<PaperId> = corpus.ids().filter(has_text).collect();
    let wanted = params.rate.of(corpus.len());
    let originals: Vec<PaperId> = seed
        .stream("inject/originals")
        .sample(eligible.len(), wanted)
        .into_iter()
        .map(|place| eligible[place])
        .collect();

    let mut ids = FreshIds::of(corpus);
    let mut papers: Vec<Paper> = corpus.papers().to_vec();
    let mut edits_of = Vec::with_capacity(originals.len());
    for &original in &originals {
        let mut random = seed.derive("inject/edits").stream(&original.0.to_string());
        let edits = match params.mix {
            Mix::All => params.edits.clone(),
            Mix::One if params.edits.is_empty() => Vec::new(),
            Mix::One => vec![params.edits[random.below(params.edits.len() as u64) as usize].clone()],
        };
        let mut copy = corpus.paper(original).clone();
        edits.iter().for_each(|edit| edit.apply(&mut copy, &mut random));
        copy.extra.insert("injected_from".into(), copy.id.clone().into());
        copy.id = ids.copy_of(&copy.id);
        papers.push(copy);
        edits_of.push(edits);
    }

    let mut order: Vec<usize> = (0..papers.len()).collect();
    if params.shuffle {
        seed.stream("inject/order").shuffle(&mut order);
    }
    let mut place_of = vec![PaperId(0); papers.len()];
    for (place, &from) in order.iter().enumerate() {
        place_of[from] = PaperId(place as u32);
    }
    let mut papers: Vec<Option<Paper>> = papers.into_iter().map(Some).collect();
    let shuffled = order.iter().map(|&from| papers[from].take().expect("each paper moves once")).collect();
    let mut copies: Vec<Copied> = originals
        .iter()
        .zip(edits_of)
        .enumerate()
        .map(|(n, (original, edits))| Copied {
            original: place_of[original.index()],
            copy: place_of[corpus.len() + n],
            edits,
        })
        .collect();
    copies.sort_by_key(|copied| copied.copy);
    let truth = Truth::from_pairs(place_of.len(), copies.iter().filter_map(|c| Pair::new(c.original, c.copy)));
    Injected { corpus: Corpus::new(shuffled), truth, missing: wanted - copies.len(), copies }
}

/// Gives copies ids that nothing else has.
struct FreshIds {
    taken: BTreeSet<String>,
    copies: BTreeMap<String, u64>,
}

impl FreshIds {
    fn of(corpus: &Corpus) -> FreshIds {
        FreshIds { taken: corpus.papers().iter().map(|paper| paper.id.clone()).collect(), copies: BTreeMap::new() }
    }

    fn copy_of(&mut self, id: &str) -> String {
        let count = self.copies.entry(id.to_owned()).or_insert(0);
        loop {
            *count += 1;
            let fresh = if *count == 1 { format!("{id}~copy") } else { format!("{id}~copy{count}") };
            if self.taken.insert(fresh.clone()) {
                return fresh;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(papers: usize) -> Corpus {
        Corpus::new(
            (1..=papers)
                .map(|i| Paper {
                    id: i.to_string(),
                    abstract_text: format!("text number {i} about harbour {i}"),
                    title: if i % 2 == 0 { format!("Harbour {i}") } else { String::new() },
                    ..Paper::default()
                })
                .collect(),
        )
    }

    fn injected(papers: usize, rate: &str, edits: &[&str], seed: u64) -> Injected {
        let edits = edits.iter().map(|e| e.parse().unwrap()).collect();
        let params = InjectParams { rate: rate.parse().unwrap(), edits, ..InjectParams::default() };
        inject(&corpus(papers), &params.check().unwrap(), Seed(seed))
    }

    #[test]
    fn o_081_copies_and_pairs_are_counted_by_a_stated_rule() {
        for (papers, rate, copies) in [(10, "0.2", 2), (7, "0.2", 1), (1, "0.2", 0), (10, "0", 0), (10, "1", 10)] {
            let made = injected(papers, rate, &[], 4);
            assert_eq!(
                (made.corpus.len(), made.truth.pairs().len()),
                (papers + copies, copies),
                "{papers} papers at {rate}"
            );
            let ids: BTreeSet<_> = made.corpus.papers().iter().map(|p| &p.id).collect();
            assert_eq!(ids.len(), papers + copies);
        }
        assert!("1.5".parse::<Share>().is_err());
    }

    #[test]
    fn the_same_seed_gives_the_same_corpus_and_the_truth_names_the_copies() {
        let (a, b) = (injected(40, "0.2", &["garble=0.5"], 9), injected(40, "0.2", &["garble=0.5"], 9));
        assert_eq!(a.corpus.papers(), b.corpus.papers());
        assert_ne!(a.corpus.papers(), injected(40, "0.2", &["garble=0.5"], 10).corpus.papers());
        for copied in &a.copies {
            let (original, copy) = (a.corpus.paper(copied.original), a.corpus.paper(copied.copy));
            assert_eq!(copy.id, format!("{}~copy", original.id));
            assert_eq!(copy.extra["injected_from"], original.id.as_str());
            assert!(a.truth.is_duplicate(Pair::new(copied.original, copied.copy).unwrap()));
        }
    }

    #[test]
    fn only_papers_that_keep_a_text_are_drawn() {
        let made = injected(20, "0.8", &["keep-fields=title"], 1);
        assert_eq!((made.copies.len(), made.missing), (10, 6));
        assert!(made.copies.iter().all(|c| !made.corpus.paper(c.copy).title.is_empty()));
        assert!(made.copies.iter().all(|c| made.corpus.paper(c.copy).abstract_text.is_empty()));
    }

    #[test]
    fn originals_of_one_id_get_copies_of_different_ids() {
        let twins =
            Corpus::new((0..4).map(|i| Paper { id: "x".into(), title: i.to_string(), ..Paper::default() }).collect());
        let made = inject(
            &twins,
            &InjectParams { rate: Share::ALL, shuffle: false, ..InjectParams::default() }.check().unwrap(),
            Seed(1),
        );
        let ids: Vec<_> = made.corpus.papers()[4..].iter().map(|p| p.id.as_str()).collect();
        assert_eq!(ids, ["x~copy", "x~copy2", "x~copy3", "x~copy4"]);
    }

    #[test]
    fn one_of_several_edits_is_drawn_for_each_copy() {
        let edits = vec!["truncate=1".parse().unwrap(), Edit::Exact];
        let params = InjectParams { rate: Share::ALL, edits, mix: Mix::One, ..InjectParams::default() };
        let made = inject(&corpus(60), &params.check().unwrap(), Seed(2));
        let cut = made.copies.iter().filter(|c| made.corpus.paper(c.copy).abstract_text.is_empty()).count();
        assert!((15..45).contains(&cut), "{cut}");
        assert!(made.copies.iter().all(|c| c.edits.len() == 1));
    }
}
