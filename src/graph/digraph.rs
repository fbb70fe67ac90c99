//! A directed graph in compressed rows: two arrays, no allocation a node.

/// Nodes `0..n` and directed edges, each once, without loops; the successors of a node ascend.
///
/// ```
/// use papertwin::graph::Digraph;
/// let graph = Digraph::from_edges(3, [(0, 2), (0, 1), (0, 2), (1, 1)]);
/// assert_eq!(graph.successors(0), [1, 2]);
/// assert_eq!((graph.nodes(), graph.edges()), (3, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Digraph {
    /// The successors of v are `heads[starts[v] .. starts[v + 1]]`.
    starts: Vec<usize>,
    heads: Vec<u32>,
}

impl Digraph {
    /// The graph of these edges `(from, to)`. Loops and repeated edges are left out. O(n + m log d) time.
    ///
    /// # Panics
    /// If an edge names a node that is not below `nodes`, or if there are more than `u32::MAX` nodes.
    pub fn from_edges(nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Digraph {
        assert!(u32::try_from(nodes).is_ok(), "a graph holds at most 2^32 - 1 nodes");
        let edges: Vec<(u32, u32)> = edges.into_iter().filter(|(from, to)| from != to).collect();
        let mut starts = vec![0usize; nodes + 1];
        for &(from, to) in &edges {
            assert!((to as usize) < nodes, "an edge to node {to} of {nodes}");
            starts[from as usize + 1] += 1;
        }
        for v in 0..nodes {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut heads = vec![0u32; edges.len()];
        for (from, to) in edges {
            let place = &mut next[from as usize];
            heads[*place] = to;
            *place += 1;
        }
        let mut kept = 0;
        let mut row_start = 0;
        for v in 0..nodes {
            let row_end = starts[v + 1];
            heads[row_start..row_end].sort_unstable();
            let first = kept;
            for place in row_start..row_end {
                if kept == first || heads[kept - 1] != heads[place] {
                    heads[kept] = heads[place];
                    kept += 1;
                }
            }
            row_start = row_end;
            starts[v + 1] = kept;
        }
        heads.truncate(kept);
        Digraph { starts, heads }
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.heads.len()
    }

    /// The nodes that edges of this node lead to, ascending.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn successors(&self, node: u32) -> &[u32] {
        &self.heads[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Whether there is an edge from one node to another.
    ///
    /// # Panics
    /// If there is no node `from`.
    pub fn has_edge(&self, from: u32, to: u32) -> bool {
        self.successors(from).binary_search(&to).is_ok()
    }

    /// All edges, ascending by `from`, then `to`.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.nodes() as u32).flat_map(|from| self.successors(from).iter().map(move |&to| (from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_come_out_sorted_once_and_without_loops() {
        let given = [(2, 0), (0, 1), (2, 0), (3, 3), (0, 3), (2, 1), (0, 1)];
        let graph = Digraph::from_edges(5, given);
        assert_eq!(graph.iter().collect::<Vec<_>>(), [(0, 1), (0, 3), (2, 0), (2, 1)]);
        assert!(graph.has_edge(2, 1) && !graph.has_edge(1, 2));
        assert!(graph.successors(4).is_empty());
        assert_eq!(Digraph::from_edges(0, []).nodes(), 0);
    }
}
