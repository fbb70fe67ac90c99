//! Groups against known stories: over all labelled articles, and over those of some stories with everything around them.

use std::collections::BTreeMap;

use super::Article;
use crate::evaluation::{Agreement, BCubed, Confusion};
use crate::partition::Partition;

/// How groups agree with the stories of the articles that have one; the others are left out. `None` if no article has one.
///
/// # Panics
/// If the groups are not of these articles.
pub fn agreement(groups: &Partition, articles: &[Article]) -> Option<Agreement> {
    let (found, truth, _) = labelled(groups, articles, |_| true)?;
    Some(Agreement::of(&found, &truth))
}

/// Pairs with at least one article of the chosen stories, and the means of B-cubed over the articles of the chosen stories; the
/// other articles stay in their groups, so that a group of a chosen and another story counts against both. `None` if no chosen
/// story has an article.
///
/// # Panics
/// If the groups are not of these articles.
pub fn agreement_of_stories(
    groups: &Partition,
    articles: &[Article],
    chosen: impl Fn(&str) -> bool,
    around: impl Fn(&str) -> bool,
) -> Option<(Confusion, BCubed)> {
    let (found, truth, inside) = labelled(groups, articles, |story| chosen(story) || around(story))?;
    let mut both: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let (found_sizes, true_sizes) = (found.sizes(), truth.sizes());
    let place = |v: usize| (found.labels()[v], truth.labels()[v]);
    for v in 0..inside.len() {
        *both.entry(place(v)).or_default() += 1;
    }
    let (mut precision, mut recall, mut articles_inside) = (0.0, 0.0, 0u64);
    for v in (0..inside.len()).filter(|&v| chosen(&articles[inside[v]].story)) {
        let together = both[&place(v)] as f64;
        precision += together / f64::from(found_sizes[found.labels()[v] as usize]);
        recall += together / f64::from(true_sizes[truth.labels()[v] as usize]);
        articles_inside += 1;
    }
    if articles_inside == 0 {
        return None;
    }
    let n = articles_inside as f64;
    // Pairs with an article of the chosen stories are all pairs without those among the others.
    let all = Agreement::of(&found, &truth).pairs;
    let others = labelled(groups, articles, |story| !chosen(story) && around(story))
        .map_or(Confusion::default(), |(found, truth, _)| Agreement::of(&found, &truth).pairs);
    let pairs =
        Confusion { tp: all.tp - others.tp, fp: all.fp - others.fp, fn_: all.fn_ - others.fn_, tn: all.tn - others.tn };
    Some((pairs, BCubed { precision: precision / n, recall: recall / n }))
}

/// Found and true groups of the articles whose stories are wanted, and their places.
fn labelled(
    groups: &Partition,
    articles: &[Article],
    wanted: impl Fn(&str) -> bool,
) -> Option<(Partition, Partition, Vec<usize>)> {
    assert_eq!(groups.len(), articles.len(), "a group for each article");
    let inside: Vec<usize> =
        (0..articles.len()).filter(|&v| !articles[v].story.is_empty() && wanted(&articles[v].story)).collect();
    let stories: Vec<&str> = inside.iter().map(|&v| articles[v].story.as_str()).collect();
    let labels: Vec<u32> = inside.iter().map(|&v| groups.group_of(v as u32)).collect();
    (!inside.is_empty()).then(|| (Partition::from_labels(&labels), Partition::from_labels(&stories), inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_of_other_stories_count_against_the_chosen_ones() {
        let articles: Vec<Article> = ["a", "a", "a", "b", "b", "c", ""]
            .iter()
            .map(|story| Article { story: (*story).into(), ..Article::default() })
            .collect();
        // {a a b} {a} {b c} and one without a story among the first.
        let groups = Partition::from_labels(&[0, 0, 1, 0, 2, 2, 0]);
        let all = agreement(&groups, &articles).unwrap().pairs;
        assert_eq!((all.tp, all.fp, all.fn_, all.tn), (1, 3, 3, 8));
        let (pairs, cubed) = agreement_of_stories(&groups, &articles, |s| s == "a", |_| true).unwrap();
        // a-a found; a-b twice wrong; a-a twice missed; the rest of the 12 pairs with an a.
        assert_eq!((pairs.tp, pairs.fp, pairs.fn_, pairs.tn), (1, 2, 2, 7));
        let expected = ((2.0 / 3.0 + 2.0 / 3.0 + 1.0) / 3.0, (2.0 / 3.0 + 2.0 / 3.0 + 1.0 / 3.0) / 3.0);
        assert!((cubed.precision - expected.0).abs() < 1e-12 && (cubed.recall - expected.1).abs() < 1e-12);
        // With only c around it nothing else counts.
        let (pairs, _) = agreement_of_stories(&groups, &articles, |s| s == "a", |s| s == "c").unwrap();
        assert_eq!((pairs.tp, pairs.fp, pairs.fn_, pairs.tn), (1, 0, 2, 3));
        assert_eq!(agreement_of_stories(&groups, &articles, |s| s == "d", |_| true), None);
        assert_eq!(agreement(&Partition::singletons(1), &articles[6..]), None);
    }
}
