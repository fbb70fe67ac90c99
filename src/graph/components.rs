//! Strongly connected components without recursion: a chain of a million articles must not overflow a stack.

use super::Digraph;
use crate::partition::{Partition, UnionFind};

impl Digraph {
    /// The strongly connected components: two nodes are together if each can be reached from the other.
    ///
    /// Tarjan (1972) with an explicit stack instead of recursion; O(n + m) time, 16 bytes a node. A low-link is only
    /// lowered by nodes that are still on the stack of open components, so an edge into a closed component joins nothing.
    pub fn components(&self) -> Partition {
        const UNSEEN: u32 = u32::MAX;
        let n = self.nodes();
        let mut number = vec![UNSEEN; n];
        let mut low = vec![0u32; n];
        let mut component = vec![UNSEEN; n];
        let mut open: Vec<u32> = Vec::new();
        // A node under way, and how many of its successors were looked at.
        let mut path: Vec<(u32, u32)> = Vec::new();
        let mut next_number = 0;
        let mut next_component = 0;
        for root in 0..n as u32 {
            if number[root as usize] != UNSEEN {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (v, ref mut looked)) = path.last_mut() {
                let at = v as usize;
                if *looked == 0 {
                    number[at] = next_number;
                    low[at] = next_number;
                    next_number += 1;
                    open.push(v);
                }
                let successors = self.successors(v);
                let mut deeper = None;
                while let Some(&w) = successors.get(*looked as usize) {
                    *looked += 1;
                    if number[w as usize] == UNSEEN {
                        deeper = Some(w);
                        break;
                    }
                    if component[w as usize] == UNSEEN {
                        low[at] = low[at].min(number[w as usize]);
                    }
                }
                if let Some(w) = deeper {
                    path.push((w, 0));
                    continue;
                }
                path.pop();
                if let Some(&(above, _)) = path.last() {
                    low[above as usize] = low[above as usize].min(low[at]);
                }
                if low[at] == number[at] {
                    while let Some(w) = open.pop() {
                        component[w as usize] = next_component;
                        if w == v {
                            break;
                        }
                    }
                    next_component += 1;
                }
            }
        }
        Partition::from_labels(&component)
    }

    /// The weakly connected components: directions do not count.
    pub fn weak_components(&self) -> Partition {
        let mut sets = UnionFind::new(self.nodes());
        for (a, b) in self.iter() {
            sets.join(a, b);
        }
        sets.into_partition()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    fn oracle(graph: &Digraph) -> Partition {
        let mut other = petgraph::graph::DiGraph::<(), ()>::new();
        let nodes: Vec<_> = (0..graph.nodes()).map(|_| other.add_node(())).collect();
        for (a, b) in graph.iter() {
            other.add_edge(nodes[a as usize], nodes[b as usize], ());
        }
        let mut labels = vec![0; graph.nodes()];
        for (label, members) in petgraph::algo::kosaraju_scc(&other).iter().enumerate() {
            for v in members {
                labels[v.index()] = label;
            }
        }
        Partition::from_labels(&labels)
    }

    #[test]
    fn random_graphs_agree_with_kosaraju() {
        let mut stream = Seed(4).stream("components");
        for round in 0..300 {
            let n = 1 + stream.below(40) as usize;
            let edges = stream.below(3 * n as u64);
            let graph = Digraph::from_edges(
                n,
                (0..edges).map(|_| (stream.below(n as u64) as u32, stream.below(n as u64) as u32)).collect::<Vec<_>>(),
            );
            assert_eq!(graph.components(), oracle(&graph), "round {round}: {graph:?}");
        }
    }

    #[test]
    fn o_097_chains_and_rings_of_a_million_on_a_small_stack() {
        let work = || {
            let n = 1_000_000u32;
            let chain = Digraph::from_edges(n as usize, (1..n).map(|i| (i - 1, i)));
            assert_eq!(chain.components().group_count(), n as usize);
            assert_eq!(chain.weak_components().group_count(), 1);
            let ring = Digraph::from_edges(n as usize, (0..n).map(|i| (i, (i + 1) % n)));
            assert_eq!(ring.components().sizes(), [n]);
        };
        std::thread::Builder::new().stack_size(128 << 10).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn o_098_an_edge_into_a_closed_component_joins_nothing() {
        let mut edges = vec![
            (0, 1),
            (1, 2),
            (2, 0),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 3),
            (4, 1),
            (5, 6),
            (6, 7),
            (7, 6),
            (0, 6),
            (8, 6),
            (8, 0),
            (9, 8),
        ];
        for _ in 0..20 {
            Seed(2).stream("order").shuffle(&mut edges);
            let components = Digraph::from_edges(10, edges.iter().copied()).components();
            assert_eq!(components.groups(), vec![vec![0, 1, 2, 3, 4, 5], vec![6, 7], vec![8], vec![9]]);
        }
    }
}
