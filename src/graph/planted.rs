//! Graphs with known communities, for tests and for showing how work grows.

use serde::{Deserialize, Serialize};

use super::{Graph, GraphError};
use crate::partition::Partition;
use crate::seed::Seed;

/// What a planted graph is like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PlantedParams {
    /// How many nodes, fewer than 2^32 - 1.
    pub nodes: u32,
    /// Communities have at least so many nodes, at least 3.
    pub smallest: u32,
    /// Communities have at most so many nodes. Sizes fall off as one over their square, as those of real communities do.
    pub largest: u32,
    /// How many partners each node draws inside its community.
    pub inside: u32,
    /// How many partners each node draws anywhere.
    pub outside: u32,
}

impl Default for PlantedParams {
    fn default() -> PlantedParams {
        PlantedParams { nodes: 10_000, smallest: 4, largest: 60, inside: 4, outside: 1 }
    }
}

impl PlantedParams {
    /// The graph of these parameters and its communities. The same seed gives the same graph.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn graph(&self, seed: Seed) -> Result<(Graph, Partition), GraphError> {
        let refuse = |name, found: u32, wanted| Err(GraphError::Parameter { name, found: found.to_string(), wanted });
        if self.nodes == u32::MAX {
            return refuse("nodes", self.nodes, "fewer than 2^32 - 1");
        }
        if self.smallest < 3 {
            return refuse("smallest", self.smallest, "at least 3");
        }
        if self.largest < self.smallest {
            return refuse("largest", self.largest, "at least the smallest");
        }
        let mut stream = seed.stream("graph/planted");
        let (low, high) = (f64::from(self.smallest), f64::from(self.largest) + 1.0);
        // Communities are cut from a shuffled list, so that neighbours are not neighbours in number.
        let mut order: Vec<u32> = (0..self.nodes).collect();
        stream.shuffle(&mut order);
        let mut label_of = vec![0u32; self.nodes as usize];
        let mut edges: Vec<(u32, u32)> =
            Vec::with_capacity(self.nodes as usize * (self.inside + self.outside) as usize);
        let (mut start, mut label) = (0usize, 0);
        while start < order.len() {
            // The inverse of the distribution whose density falls as 1 / size^2.
            let u = stream.below(1 << 30) as f64 / f64::from(1 << 30);
            let size = (1.0 / (1.0 / low - u * (1.0 / low - 1.0 / high))) as usize;
            let members = &order[start..(start + size).min(order.len())];
            for (place, &v) in members.iter().enumerate() {
                label_of[v as usize] = label;
                for _ in 0..self.inside.min(members.len() as u32 - 1) {
                    let other = stream.below(members.len() as u64 - 1) as usize;
                    edges.push((v, members[other + usize::from(other >= place)]));
                }
                for _ in 0..self.outside {
                    edges.push((v, stream.below(self.nodes.into()) as u32));
                }
            }
            start += members.len();
            label += 1;
        }
        Ok((Graph::from_edges(self.nodes as usize, edges), Partition::from_labels(&label_of)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ScdParams;

    #[test]
    fn planted_communities_are_found_again_on_any_number_of_threads() {
        let params = PlantedParams { nodes: 4_000, ..PlantedParams::default() };
        let (graph, planted) = params.graph(Seed(3)).unwrap();
        assert_eq!(graph, params.graph(Seed(3)).unwrap().0);
        assert_ne!(graph, params.graph(Seed(4)).unwrap().0);
        let sizes = planted.sizes();
        assert!(sizes.iter().all(|&n| n <= 60) && sizes.iter().filter(|&&n| n < 4).count() <= 1);
        assert!((15_000..17_000).contains(&graph.edges()), "{}", graph.edges());
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ScdParams::default().check().unwrap().communities(&graph))
        };
        let found = run(1);
        assert_eq!(run(2), found);
        assert_eq!(run(7), found);
        // Most of the pairs put together belong together.
        let right = found.partition.meet(&planted).pair_count();
        assert!(right * 10 > found.partition.pair_count() * 8, "{right} of {}", found.partition.pair_count());
        assert!(right * 10 > planted.pair_count() * 2, "{right} of {}", planted.pair_count());
    }

    #[test]
    fn parameters_out_of_range_are_named() {
        let refused = |params: PlantedParams| params.graph(Seed(1)).unwrap_err().to_string();
        let plain = PlantedParams::default;
        assert_eq!(refused(PlantedParams { smallest: 2, ..plain() }), "smallest = 2; wanted at least 3");
        assert_eq!(refused(PlantedParams { largest: 3, ..plain() }), "largest = 3; wanted at least the smallest");
        let none = PlantedParams { nodes: 0, ..plain() }.graph(Seed(1)).unwrap();
        assert_eq!((none.0.nodes(), none.1.len()), (0, 0));
    }
}
