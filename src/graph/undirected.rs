//! A simple undirected graph in compressed rows.

use super::Digraph;

/// Nodes `0..n` and undirected edges, each once, without loops; the neighbours of a node ascend.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Graph {
    /// Both directions of every edge.
    both: Digraph,
}

impl Graph {
    /// The graph of these edges, given in either direction, or in both. Loops and repeats are left out.
    ///
    /// # Panics
    /// If an edge names a node that is not below `nodes`.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
        Graph { both: Digraph::from_edges(nodes, edges.into_iter().flat_map(|(a, b)| [(a, b), (b, a)])) }
    }

    /// A directed graph without its directions: A -> B and B -> A are one edge.
    pub fn of(digraph: &Digraph) -> Graph {
        Graph::from_edges(digraph.nodes(), digraph.iter())
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.both.nodes()
    }

    /// How many edges there are, each counted once.
    pub fn edges(&self) -> usize {
        self.both.edges() / 2
    }

    /// The neighbours of a node, ascending.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn neighbours(&self, node: u32) -> &[u32] {
        self.both.successors(node)
    }

    /// How many neighbours a node has.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn degree(&self, node: u32) -> usize {
        self.neighbours(node).len()
    }

    /// The edges as `(a, b)` with `a < b`, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.both.iter().filter(|(a, b)| a < b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_one_edge() {
        let graph = Graph::of(&Digraph::from_edges(4, [(0, 1), (1, 0), (3, 1), (2, 2)]));
        assert_eq!(graph.iter().collect::<Vec<_>>(), [(0, 1), (1, 3)]);
        assert_eq!((graph.edges(), graph.degree(1), graph.degree(2)), (2, 2, 0));
    }
}
