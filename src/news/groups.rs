//! From a similarity graph to groups: a component and a community in one.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::{Article, Hit, MltParams, NewsError};
use crate::corpus::Pair;
use crate::graph::{Communities, Digraph, Graph, Scd, ScdParams, number_by_size};
use crate::methods::{Matcher, MethodError};
use crate::partition::{Partition, UnionFind};
use crate::similarity::Score;

/// One article is like another: found by its query, or by a method that compares pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The asking article.
    pub from: u32,
    /// The one found.
    pub to: u32,
    /// How like it is.
    pub score: Score,
}

/// Articles as nodes, likeness as directed edges.
#[derive(Clone, Debug, Default)]
pub struct SimilarityGraph {
    edges: Vec<Edge>,
    digraph: Digraph,
}

impl SimilarityGraph {
    /// The graph of the hits of each article: A -> B if A's query found B.
    pub fn from_hits(hits: &[Vec<Hit>]) -> SimilarityGraph {
        let edges = (0..)
            .zip(hits)
            .flat_map(|(from, hits)| hits.iter().map(move |hit| Edge { from, to: hit.article, score: hit.score }))
            .collect();
        SimilarityGraph::of(hits.len(), edges)
    }

    /// The graph of pairs of a symmetric method: each pair is an edge both ways.
    ///
    /// # Panics
    /// If a pair names an article that is not below `articles`.
    pub fn from_pairs(articles: usize, pairs: &[(Pair, Score)]) -> SimilarityGraph {
        let mut edges: Vec<Edge> = pairs
            .iter()
            .flat_map(|&(pair, score)| {
                let (a, b) = (pair.first().0, pair.second().0);
                [Edge { from: a, to: b, score }, Edge { from: b, to: a, score }]
            })
            .collect();
        edges.sort_unstable_by_key(|e| (e.from, std::cmp::Reverse(e.score), e.to));
        SimilarityGraph::of(articles, edges)
    }

    /// The graph of any method: every pair at or above λ that the filters of `params` let meet (window, outlet) is an edge both
    /// ways, of which each article keeps the best `neighbours`. Articles are the papers of the matcher, in its order.
    ///
    /// # Errors
    /// If the method cannot work at this λ.
    ///
    /// # Panics
    /// If the matcher is not of these articles.
    pub fn from_matcher(
        articles: &[Article],
        matcher: &dyn Matcher,
        lambda: Score,
        params: &MltParams,
    ) -> Result<SimilarityGraph, MethodError> {
        let mut pairs = Vec::new();
        matcher.scan(lambda, &mut |pair: Pair, score: Score| {
            if params.may_meet(&articles[pair.first().index()], &articles[pair.second().index()]) {
                pairs.push((pair, score));
            }
            ControlFlow::Continue(())
        })?;
        let mut graph = SimilarityGraph::from_pairs(articles.len(), &pairs);
        if let Some(most) = params.neighbours {
            let mut kept = 0;
            let mut from = None;
            graph.edges.retain(|edge| {
                kept = if from == Some(edge.from) { kept + 1 } else { 1 };
                from = Some(edge.from);
                kept <= most
            });
            graph = SimilarityGraph::of(articles.len(), graph.edges);
        }
        Ok(graph)
    }

    fn of(articles: usize, edges: Vec<Edge>) -> SimilarityGraph {
        let digraph = Digraph::from_edges(articles, edges.iter().map(|e| (e.from, e.to)));
        SimilarityGraph { edges, digraph }
    }

    /// The edges by asking article, the best first.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The same without scores.
    pub fn digraph(&self) -> &Digraph {
        &self.digraph
    }

    /// How many articles there are.
    pub fn articles(&self) -> usize {
        self.digraph.nodes()
    }
}

/// What makes a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupBy {
    /// One strongly connected component and one community in common.
    #[default]
    Both,
    /// The component alone, for comparison: on loose graphs components grow together.
    Components,
    /// The community alone, for comparison: it ignores directions.
    Communities,
}

/// What becomes of articles that SCD leaves alone because they close no triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pairs {
    /// Those that cite each other are together: pairs first of all, and chains of mutual citations.
    #[default]
    Keep,
    /// They stay alone: the literal reading, which loses most groups of two.
    Drop,
}

/// The parameters of grouping.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GroupParams {
    /// What makes a group.
    pub by: GroupBy,
    /// What becomes of pairs.
    pub pairs: Pairs,
    /// The search for communities. Its `alpha` is 0.2 here, not 1: a story whose articles are not all alike stays one.
    pub scd: ScdParams,
}

impl Default for GroupParams {
    fn default() -> GroupParams {
        GroupParams { by: GroupBy::Both, pairs: Pairs::Keep, scd: ScdParams { alpha: 0.2, ..ScdParams::default() } }
    }
}

impl GroupParams {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If one of SCD's is out of its range.
    pub fn check(self) -> Result<Grouping, NewsError> {
        let scd = self.scd.clone().check()?;
        Ok(Grouping { params: self, scd })
    }
}

/// Makes groups of a similarity graph.
///
/// 1. Strongly connected components of the directed graph.
/// 2. SCD communities of the same graph without directions.
/// 3. A group is a component and a community in common.
/// 4. With [`Pairs::Keep`], articles that are alone after that and that cite each other are joined. Without it a story told by two
///    articles could not be a group, as two articles close no triangle.
///
/// A group of one article is no story; [`Groups::in_groups`] does not count it.
#[derive(Clone, Debug)]
pub struct Grouping {
    params: GroupParams,
    scd: Scd,
}

/// The groups of a similarity graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// The groups, those of one article included.
    pub groups: Partition,
    /// The strongly connected components.
    pub components: Partition,
    /// The communities, and how they were found.
    pub communities: Communities,
}

impl Grouping {
    /// The parameters.
    pub fn params(&self) -> &GroupParams {
        &self.params
    }

    /// The groups of a graph.
    pub fn groups(&self, graph: &SimilarityGraph) -> Groups {
        let digraph = graph.digraph();
        let components = digraph.components();
        let communities = self.scd.communities(&Graph::of(digraph));
        let groups = match self.params.by {
            GroupBy::Components => components.clone(),
            GroupBy::Communities => self.with_pairs(&communities.partition, digraph),
            GroupBy::Both => self.with_pairs(&communities.partition.meet(&components), digraph),
        };
        Groups { groups, components, communities }
    }

    fn with_pairs(&self, groups: &Partition, digraph: &Digraph) -> Partition {
        if self.params.pairs == Pairs::Drop {
            return groups.clone();
        }
        let sizes = groups.sizes();
        let alone = |v: u32| sizes[groups.group_of(v) as usize] == 1;
        let mut sets = UnionFind::new(groups.len());
        let mut first_of = vec![u32::MAX; groups.group_count()];
        for v in 0..groups.len() as u32 {
            let first = &mut first_of[groups.group_of(v) as usize];
            if *first == u32::MAX {
                *first = v;
            }
            sets.join(*first, v);
        }
        for (a, b) in digraph.iter() {
            if a < b && alone(a) && alone(b) && digraph.has_edge(b, a) {
                sets.join(a, b);
            }
        }
        sets.into_partition()
    }
}

/// The counts that the reproduced report gives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupCounts {
    /// Articles.
    pub articles: usize,
    /// Edges of the graph.
    pub edges: usize,
    /// Articles in a group of at least two.
    pub grouped: usize,
    /// Groups of at least two.
    pub groups: usize,
    /// `grouped / articles`.
    pub share_grouped: Option<f64>,
    /// `grouped / groups`.
    pub mean_size: Option<f64>,
    /// Articles of the largest group.
    pub largest_group: u32,
    /// Articles of the largest strongly connected component.
    pub largest_component: u32,
    /// WCC of the communities.
    pub wcc: f64,
}

impl Groups {
    /// Articles in a group of at least two.
    pub fn in_groups(&self) -> usize {
        self.groups.sizes().iter().filter(|&&n| n > 1).map(|&n| n as usize).sum()
    }

    /// The counts.
    pub fn counts(&self, graph: &SimilarityGraph) -> GroupCounts {
        let sizes = self.groups.sizes();
        let groups = sizes.iter().filter(|&&n| n > 1).count();
        let grouped = self.in_groups();
        let ratio = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        GroupCounts {
            articles: self.groups.len(),
            edges: graph.edges().len(),
            grouped,
            groups,
            share_grouped: ratio(grouped, self.groups.len()),
            mean_size: ratio(grouped, groups),
            largest_group: sizes.iter().copied().max().unwrap_or(0),
            largest_component: self.components.sizes().into_iter().max().unwrap_or(0),
            wcc: self.communities.wcc,
        }
    }

    /// The numbers of each article's group, component and community, each from 1 by size, then by the first article.
    pub fn numbers(&self) -> [Vec<u32>; 3] {
        let order: Vec<u32> = (0..self.groups.len() as u32).collect();
        [&self.groups, &self.components, &self.communities.partition].map(|p| number_by_size(p, &order))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: &[(u32, u32)]) -> SimilarityGraph {
        SimilarityGraph::of(n, edges.iter().map(|&(from, to)| Edge { from, to, score: Score::MAX }).collect())
    }

    fn groups(graph: &SimilarityGraph, by: GroupBy, pairs: Pairs) -> Vec<Vec<u32>> {
        let params = GroupParams { by, pairs, ..GroupParams::default() };
        params.check().unwrap().groups(graph).groups.groups().into_iter().filter(|g| g.len() > 1).collect()
    }

    /// Two triangles that cite each other once each way, a mutual pair, a one-way pair, a mutual chain of three.
    fn sample() -> SimilarityGraph {
        let mut edges = Vec::new();
        for (a, b) in [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3), (6, 7), (10, 11), (11, 12)] {
            edges.extend([(a, b), (b, a)]);
        }
        edges.push((8, 9));
        graph(13, &edges)
    }

    #[test]
    fn groups_are_what_components_and_communities_have_in_common() {
        let graph = sample();
        let triangles = [vec![0, 1, 2], vec![3, 4, 5]];
        assert_eq!(groups(&graph, GroupBy::Both, Pairs::Drop), triangles);
        assert_eq!(
            groups(&graph, GroupBy::Both, Pairs::Keep),
            [triangles.to_vec(), vec![vec![6, 7], vec![10, 11, 12]]].concat()
        );
        assert_eq!(
            groups(&graph, GroupBy::Components, Pairs::Keep),
            [vec![0, 1, 2, 3, 4, 5], vec![6, 7], vec![10, 11, 12]]
        );
        // A triangle in one direction only is a community but no component.
        let one_way = self::graph(3, &[(0, 1), (1, 2), (0, 2)]);
        assert_eq!(groups(&one_way, GroupBy::Communities, Pairs::Keep), [[0, 1, 2]]);
        assert!(groups(&one_way, GroupBy::Both, Pairs::Keep).is_empty());
    }

    #[test]
    fn counts_and_numbers_go_by_size() {
        let graph = sample();
        let found = GroupParams::default().check().unwrap().groups(&graph);
        let counts = found.counts(&graph);
        assert_eq!((counts.articles, counts.edges, counts.grouped, counts.groups), (13, 21, 11, 4));
        assert_eq!((counts.mean_size, counts.largest_component, counts.largest_group), (Some(11.0 / 4.0), 6, 3));
        let [group, component, community] = found.numbers();
        assert_eq!(group, [1, 1, 1, 2, 2, 2, 4, 4, 5, 6, 3, 3, 3]);
        assert_eq!(component, [1, 1, 1, 1, 1, 1, 3, 3, 4, 5, 2, 2, 2]);
        assert_eq!(community[..7], [1, 1, 1, 2, 2, 2, 3]);
        let none = GroupParams::default().check().unwrap().groups(&SimilarityGraph::default());
        assert_eq!(none.counts(&SimilarityGraph::default()).share_grouped, None);
    }

    #[test]
    fn pairs_of_a_method_are_edges_both_ways() {
        let pair = |a, b| Pair::new(crate::corpus::PaperId(a), crate::corpus::PaperId(b)).unwrap();
        let graph = SimilarityGraph::from_pairs(3, &[(pair(0, 1), Score::of(0.5)), (pair(0, 2), Score::of(0.9))]);
        let edges: Vec<(u32, u32)> = graph.edges().iter().map(|e| (e.from, e.to)).collect();
        assert_eq!(edges, [(0, 2), (0, 1), (1, 0), (2, 0)]);
        assert_eq!(graph.articles(), 3);
    }

    #[test]
    fn a_method_makes_a_graph_under_the_same_filters() {
        use crate::corpus::{Corpus, Field, Paper};
        use crate::methods::{Input, Method, Shingles};
        use crate::progress::Run;
        let text = "the ferry strike halts every island crossing for a third day as talks with the union fail again";
        let article = |id: &str, source: &str, hour: i64| Article {
            id: id.into(),
            body: text.into(),
            source: source.into(),
            published: Some(jiff::Timestamp::from_second(hour * 3600).unwrap()),
            ..Article::default()
        };
        let articles =
            vec![article("0", "a", 0), article("1", "b", 100), article("2", "a", 110), article("3", "c", 200)];
        let paper = |a: &Article| Paper { id: a.id.clone(), body: a.body.clone(), ..Paper::default() };
        let corpus = Corpus::new(articles.iter().map(paper).collect());
        let method = Shingles::default();
        let input = Input { corpus: &corpus, embedding: None, fields: &[Field::Title, Field::Body] };
        let matcher = method.prepare(input, Run::default()).unwrap();
        let edges = |params: MltParams| -> Vec<(u32, u32)> {
            let graph = SimilarityGraph::from_matcher(&articles, matcher.as_ref(), Score::of(0.9), &params).unwrap();
            graph.edges().iter().map(|e| (e.from, e.to)).collect()
        };
        let day5 = MltParams::default();
        assert_eq!(edges(day5.clone()), [(0, 1), (1, 0), (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)]);
        assert_eq!(edges(MltParams { neighbours: Some(1), ..day5.clone() }), [(0, 1), (1, 0), (2, 1), (3, 1)]);
        assert_eq!(edges(MltParams { window_hours: None, ..day5 }).len(), 10);
    }
}
