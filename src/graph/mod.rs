//! Room 12: directed graphs, strongly connected components, triangle-based communities.
//!
//! A [`Digraph`] holds edges as they are found (A cites B); its [`Digraph::components`] are the strongly connected
//! ones. A [`Graph`] is the same without directions, loops and repeats; [`Scd`] finds its communities by triangles, and
//! [`Triangles`] gives the exact value (WCC) of any partition of it.
//!
//! ```
//! use papertwin::graph::{Digraph, Graph, ScdParams};
//! // Two triangles joined by one edge, each edge given in both directions.
//! let pairs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)];
//! let digraph = Digraph::from_edges(6, pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]));
//! assert_eq!(digraph.components().group_count(), 1);
//! let found = ScdParams::default().check().unwrap().communities(&Graph::of(&digraph));
//! assert_eq!(found.partition.groups(), vec![vec![0, 1, 2], vec![3, 4, 5]]);
//! ```

mod components;
mod digraph;
mod edge_list;
mod planted;
mod scd;
mod triangles;
mod undirected;

pub use digraph::Digraph;
pub use edge_list::{BadLine, EdgeList, EdgeListError, natural_order, number_by_size};
pub use planted::PlantedParams;
pub use scd::{Communities, Gain, GraphError, Scd, ScdParams};
pub use triangles::Triangles;
pub use undirected::Graph;
