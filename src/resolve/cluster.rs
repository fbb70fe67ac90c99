//! Pairs become clusters, without chains: two clusters are joined only if their members agree.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::corpus::{Pair, PaperId};
use crate::methods::records::Verdict;
use crate::partition::{Partition, UnionFind};
use crate::similarity::Score;

/// When two clusters become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Linkage {
    /// At least half of the pairs between them are the same paper, and none contradicts. One false pair cannot glue two
    /// groups, and a record without a title cannot bridge two others.
    #[default]
    Consistent,
    /// One pair is enough: connected components.
    Components,
}

/// What is known about one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// Same, review or different.
    pub verdict: Verdict,
    /// How alike the two are.
    pub score: Score,
    /// The two can never be one: nothing else may bring them into one cluster.
    pub contradicts: bool,
    /// The pair says little, because one has no title: it neither joins nor parts clusters of others.
    pub thin: bool,
}

/// What knows every pair.
pub trait Judge: Sync {
    /// The judgement of a pair.
    fn judge(&self, pair: Pair) -> Judgement;
}

/// A pair that speaks for one paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// The papers.
    pub pair: Pair,
    /// The evidence: links are taken from the strongest down.
    pub strength: f64,
}

/// What people decided, which overrides everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decided {
    /// These are one paper.
    pub same: BTreeSet<Pair>,
    /// These are not.
    pub different: BTreeSet<Pair>,
}

impl Decided {
    /// A pair decided as different whose papers are the same by way of others decided as the same.
    pub fn contradiction(&self, papers: usize) -> Option<Pair> {
        let same = Partition::from_pairs(papers, self.same.iter().map(|pair| (pair.first().0, pair.second().0)));
        let labels = same.labels();
        self.different.iter().copied().find(|pair| labels[pair.first().index()] == labels[pair.second().index()])
    }
}

/// The clusters of a corpus and the links that were refused.
#[derive(Clone, Debug, Default)]
pub struct Clusters {
    /// Which cluster each paper is in.
    pub partition: Partition,
    /// Links of one paper that would have joined clusters whose members disagree, ascending.
    pub refused: Vec<Pair>,
}

/// Between two clusters with more pairs than this, an even sample of so many is judged.
const JUDGED: usize = 128;

/// Joins papers into clusters.
///
/// `standing` names for each paper the one that stands for it (itself, or its twin in contents); `order` is an order of
/// the papers that does not depend on the input's (it breaks ties, so the clusters do not depend on the input order).
/// `links` are between papers that stand for themselves. The strongest links are taken first; a link joins its clusters
/// if `linkage` allows it. Pairs decided as the same are joined before all, and pairs decided as different are never
/// in one cluster unless other decisions say so.
///
/// # Panics
/// If `standing` or `order` is not about the same papers.
pub fn cluster(
    standing: &[u32],
    order: &[u32],
    links: &[Link],
    decided: &Decided,
    linkage: Linkage,
    judge: &dyn Judge,
) -> Clusters {
    let n = standing.len();
    assert_eq!(order.len(), n, "an order of the same papers");
    let mut rank = vec![0u32; n];
    for (place, &paper) in order.iter().enumerate() {
        rank[paper as usize] = place as u32;
    }
    let mut sets = UnionFind::new(n);
    // The papers of each set that are judged: twins are judged once.
    let mut members: Vec<Vec<u32>> = (0..n as u32).map(|paper| vec![paper]).collect();
    let join = |sets: &mut UnionFind, members: &mut Vec<Vec<u32>>, a: u32, b: u32| {
        let (x, y) = (sets.find(a), sets.find(b));
        if sets.join(x, y) {
            let mut all = std::mem::take(&mut members[x as usize]);
            all.append(&mut members[y as usize]);
            members[sets.find(x) as usize] = all;
        }
    };
    for pair in &decided.same {
        join(&mut sets, &mut members, pair.first().0, pair.second().0);
    }
    let mut apart: Vec<Vec<u32>> = vec![Vec::new(); n];
    for pair in &decided.different {
        apart[pair.first().index()].push(pair.second().0);
        apart[pair.second().index()].push(pair.first().0);
    }
    let is_apart = |sets: &mut UnionFind, members: &[Vec<u32>], x: u32, y: u32| {
        let (x, y) = (sets.find(x), sets.find(y));
        members[x as usize].iter().any(|&a| apart[a as usize].iter().any(|&b| sets.find(b) == y))
    };
    for paper in 0..n as u32 {
        let twin = standing[paper as usize];
        if twin != paper && !is_apart(&mut sets, &members, paper, twin) {
            join(&mut sets, &mut members, paper, twin);
        }
    }
    let mut links: Vec<Link> = links.to_vec();
    let ranked = |pair: Pair| {
        let (x, y) = (rank[pair.first().index()], rank[pair.second().index()]);
        (x.min(y), x.max(y))
    };
    links.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| ranked(a.pair).cmp(&ranked(b.pair))));
    let mut refused = Vec::new();
    for link in &links {
        let (x, y) = (sets.find(link.pair.first().0), sets.find(link.pair.second().0));
        if x == y {
            continue;
        }
        let allowed = !is_apart(&mut sets, &members, x, y)
            && (linkage == Linkage::Components
                || agree(&members[x as usize], &members[y as usize], standing, &rank, judge));
        if allowed {
            join(&mut sets, &mut members, x, y);
        } else {
            refused.push(link.pair);
        }
    }
    refused.retain(|pair| sets.find(pair.first().0) != sets.find(pair.second().0));
    refused.sort_unstable();
    Clusters { partition: sets.into_partition(), refused }
}

/// Whether the members of two clusters are, by most pairs, one paper.
fn agree(a: &[u32], b: &[u32], standing: &[u32], rank: &[u32], judge: &dyn Judge) -> bool {
    let judged = |members: &[u32]| {
        let mut judged: Vec<u32> = members.iter().copied().filter(|&m| standing[m as usize] == m).collect();
        judged.sort_unstable_by_key(|&m| rank[m as usize]);
        judged
    };
    let (a, b) = (judged(a), judged(b));
    if a.len() <= 1 && b.len() <= 1 {
        return true;
    }
    let total = a.len() * b.len();
    let step = total.div_ceil(JUDGED).max(1);
    let (mut same, mut all, mut thin_same) = (0usize, 0usize, 0usize);
    for place in (0..total).step_by(step) {
        let Some(pair) = Pair::new(PaperId(a[place / b.len()]), PaperId(b[place % b.len()])) else { continue };
        let judgement = judge.judge(pair);
        if judgement.contradicts {
            return false;
        }
        let is_same = judgement.verdict == Verdict::Same;
        if judgement.thin {
            thin_same += usize::from(is_same);
        } else {
            all += 1;
            same += usize::from(is_same);
        }
    }
    // Where only records without a title tie the two, a bridge has to hold on both sides.
    if all == 0 { thin_same * 2 >= total.div_ceil(step) } else { same * 2 >= all }
}

/// How firmly a cluster holds together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tightness {
    /// The smallest score of any pair of members.
    pub smallest: Score,
    /// The smallest score of a strongest tree that connects the members: the link that holds the cluster together.
    pub weakest: Score,
}

impl Tightness {
    /// Whether some members are alike only through others.
    pub fn is_chained(self, lambda: Score) -> bool {
        self.smallest < lambda
    }
}

/// The tightness of a cluster of at least two members; `None` for fewer. Of a cluster of more than 200 members the first
/// 200 are looked at.
pub fn tightness(members: &[u32], judge: &dyn Judge) -> Option<Tightness> {
    let members = &members[..members.len().min(200)];
    let mut pairs: Vec<(Score, u32, u32)> = Vec::new();
    for (at, &x) in members.iter().enumerate() {
        for (other, &y) in members.iter().enumerate().skip(at + 1) {
            let pair = Pair::new(PaperId(x), PaperId(y))?;
            pairs.push((judge.judge(pair).score, at as u32, other as u32));
        }
    }
    let smallest = pairs.iter().map(|p| p.0).min()?;
    pairs.sort_unstable_by_key(|&(score, x, y)| (Reverse(score), x, y));
    let mut tree = UnionFind::new(members.len());
    let mut weakest = Score::MAX;
    for (score, x, y) in pairs {
        if tree.join(x, y) {
            weakest = score;
        }
    }
    Some(Tightness { smallest, weakest })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges by a table of scores and a least score; what is not in the table is 0.
    struct Scores(Vec<(u32, u32, f64)>, f64);

    impl Judge for Scores {
        fn judge(&self, pair: Pair) -> Judgement {
            let score =
                self.0.iter().find(|(x, y, _)| (*x, *y) == (pair.first().0, pair.second().0)).map_or(0.0, |s| s.2);
            let verdict = if score >= self.1 { Verdict::Same } else { Verdict::Different };
            Judgement { verdict, score: Score::of(score), contradicts: score < 0.0, thin: false }
        }
    }

    fn links(scores: &Scores) -> Vec<Link> {
        scores
            .0
            .iter()
            .filter(|s| s.2 >= scores.1)
            .map(|&(x, y, strength)| Link { pair: Pair::new(PaperId(x), PaperId(y)).unwrap(), strength })
            .collect()
    }

    fn run(n: u32, scores: &Scores, linkage: Linkage, decided: &Decided) -> Clusters {
        let all: Vec<u32> = (0..n).collect();
        cluster(&all, &all, &links(scores), decided, linkage, scores)
    }

    #[test]
    fn o_052_a_chain_is_the_same_in_every_order() {
        // A~B and B~C at 0.9063, A and C at 0.6428.
        let angle = [0.0f64, 25.0, 50.0];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for order in orders {
            let mut table = Vec::new();
            for x in 0..3 {
                for y in x + 1..3 {
                    table.push((x as u32, y as u32, (angle[order[x]] - angle[order[y]]).to_radians().cos()));
                }
            }
            let scores = Scores(table, 0.9);
            let all: Vec<u32> = vec![0, 1, 2];
            let by_contents: Vec<u32> =
                (0..3).map(|paper| order.iter().position(|&o| o == paper).unwrap() as u32).collect();
            let clusters =
                cluster(&all, &by_contents, &links(&scores), &Decided::default(), Linkage::Components, &scores);
            assert_eq!(clusters.partition.group_count(), 1);
            let tight = tightness(&[0, 1, 2], &scores).unwrap();
            assert_eq!((tight.smallest.to_string(), tight.weakest.to_string()), ("0.642788".into(), "0.906308".into()));
            assert!(tight.is_chained("0.9".parse().unwrap()));
        }
    }

    #[test]
    fn o_053_one_weak_link_does_not_glue_two_tight_groups() {
        let angle = [0.0f64, 5.0, 30.0, 35.0];
        let mut table = Vec::new();
        for x in 0..4u32 {
            for y in x + 1..4 {
                table.push((x, y, (angle[x as usize] - angle[y as usize]).to_radians().cos()));
            }
        }
        let scores = Scores(table, 0.9);
        assert_eq!(links(&scores).len(), 3);
        let loose = run(4, &scores, Linkage::Components, &Decided::default());
        assert_eq!(loose.partition.groups(), [vec![0, 1, 2, 3]]);
        let tight = tightness(&[0, 1, 2, 3], &scores).unwrap();
        assert_eq!((tight.weakest.to_string(), tight.smallest.to_string()), ("0.906308".into(), "0.819152".into()));
        let firm = run(4, &scores, Linkage::Consistent, &Decided::default());
        assert_eq!(firm.partition.groups(), [vec![0, 1], vec![2, 3]]);
        assert_eq!(firm.refused, [Pair::new(PaperId(1), PaperId(2)).unwrap()]);
    }

    #[test]
    fn decisions_override_and_contradictions_part() {
        let pair = |x, y| Pair::new(PaperId(x), PaperId(y)).unwrap();
        let scores = Scores(vec![(0, 1, 0.95), (1, 2, 0.94), (0, 2, 0.91)], 0.9);
        let chain = Decided { same: [pair(0, 1), pair(1, 2)].into(), different: [pair(0, 2), pair(0, 3)].into() };
        assert_eq!(chain.contradiction(4), Some(pair(0, 2)));
        assert_eq!(Decided { different: [pair(0, 3)].into(), ..chain }.contradiction(4), None);
        let decided = Decided { same: [pair(3, 4)].into(), different: [pair(0, 1)].into() };
        let clusters = run(5, &scores, Linkage::Consistent, &decided);
        assert_eq!(clusters.partition.groups(), [vec![0], vec![1, 2], vec![3, 4]]);
        let contradicted = Scores(vec![(0, 1, 0.95), (1, 2, 0.94), (0, 2, -1.0)], 0.9);
        let clusters = run(3, &contradicted, Linkage::Consistent, &Decided::default());
        assert_eq!(clusters.partition.groups(), [vec![0, 1], vec![2]]);
        // A chain of a thousand: components glue it, consistency does not.
        let chain = Scores((1..1000).map(|y| (y - 1, y, 0.95)).collect(), 0.9);
        assert_eq!(run(1000, &chain, Linkage::Components, &Decided::default()).partition.group_count(), 1);
        let sizes = run(1000, &chain, Linkage::Consistent, &Decided::default()).partition.sizes();
        assert!(sizes.iter().all(|&size| size <= 3), "{sizes:?}");
    }
}
