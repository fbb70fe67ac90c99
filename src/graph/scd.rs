//! SCD: communities of a graph by its triangles.

use std::cmp::Reverse;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::triangles::Measured;
use super::{Graph, Triangles};
use crate::partition::Partition;

/// Why parameters of this room were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A parameter out of its range.
    #[error("{name} = {found}; wanted {wanted}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What was given.
        found: String,
        /// What is possible.
        wanted: &'static str,
    },
}

/// How the gain of a move is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// As the authors' program does it: three places differ from the printed theorem.
    #[default]
    Authors,
    /// As the theorem of the paper is printed.
    Theorem,
}

/// The parameters of [`Scd`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ScdParams {
    /// How the gain of a move is estimated.
    pub gain: Gain,
    /// Weight of the members with which a node closes no triangle; 1 is the definition, more makes communities tighter.
    /// Finite, at least 0. The printed theorem knows only 1.
    pub alpha: f64,
    /// How many more steps are tried after the last one that brought more than `improvement`.
    pub lookahead: u32,
    /// The relative rise of WCC that counts as an improvement: finite, at least 0.
    pub improvement: f64,
}

impl Default for ScdParams {
    fn default() -> ScdParams {
        ScdParams { gain: Gain::Authors, alpha: 1.0, lookahead: 5, improvement: 0.01 }
    }
}

impl ScdParams {
    /// The algorithm with these parameters.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(self) -> Result<Scd, GraphError> {
        let refuse = |name, found: f64, wanted| Err(GraphError::Parameter { name, found: found.to_string(), wanted });
        if !(self.alpha.is_finite() && self.alpha >= 0.0) {
            return refuse("alpha", self.alpha, "a finite number, at least 0");
        }
        if self.gain == Gain::Theorem && self.alpha != 1.0 {
            return refuse("alpha", self.alpha, "1 with gain = \"theorem\"; gain = \"authors\" takes any");
        }
        if !(self.improvement.is_finite() && self.improvement >= 0.0) {
            return refuse("improvement", self.improvement, "a finite number, at least 0");
        }
        Ok(Scd { params: self })
    }
}

/// Scalable Community Detection (Prat-Pérez, Dominguez-Sal, Larriba-Pey: "High quality, scalable and parallel community
/// detection for large real graphs", WWW 2014).
///
/// 1. Edges that close no triangle are dropped ([`Triangles`]).
/// 2. Start: the nodes by local clustering coefficient, then degree, both descending, then node ascending; each node not
///    yet placed makes a community with its neighbours not yet placed.
/// 3. Steps, all nodes at once on the partition of the step before: every node computes the estimated gain in WCC of
///    leaving its community for none, and of a transfer to each community of a neighbour that has more than one member.
///    It transfers if the best transfer gains something and more than leaving does, else leaves if that gains, else stays.
/// 4. The exact WCC is computed after each step. The best partition is kept; the steps end `lookahead` steps after the
///    last one that brought more than `improvement` of relative rise.
///
/// Gains take O(m) a step, the exact WCC the triangles inside communities. Nothing is random, and the result does not
/// depend on the number of threads. It does depend on the order of the nodes where ties are broken: number them in an
/// order of their own (by name), not by the accidents of a file.
///
/// Differences from the paper: the stop rule and the default gain follow the authors' program, whose lookahead finds
/// better partitions than the paper's "stop at the first step with less than 1 %". Communities of two have no triangle
/// and cannot arise; a node without a triangle is alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Scd {
    params: ScdParams,
}

/// The communities of a graph and how they were reached.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// Which community each node belongs to.
    pub partition: Partition,
    /// The WCC of the partition, 0 ..= 1.
    pub wcc: f64,
    /// The WCC of the start and after every step.
    pub history: Vec<f64>,
    /// How many edges close a triangle.
    pub edges_kept: usize,
    /// How many triangles there are.
    pub triangles: u64,
    /// The mean local clustering coefficient (ω).
    pub clustering: f64,
}

impl Communities {
    /// How many communities have one member.
    pub fn singletons(&self) -> usize {
        self.partition.sizes().iter().filter(|&&n| n == 1).count()
    }
}

/// What a node does in a step.
#[derive(Clone, Copy, PartialEq)]
enum Move {
    Stay,
    Leave,
    To(u32),
}

impl Scd {
    /// The parameters.
    pub fn params(&self) -> &ScdParams {
        &self.params
    }

    /// The communities of a graph.
    pub fn communities(&self, graph: &Graph) -> Communities {
        self.of_triangles(&Triangles::of(graph))
    }

    /// The communities of a graph whose triangles are counted already.
    pub fn of_triangles(&self, triangles: &Triangles) -> Communities {
        let mut labels = start(triangles);
        let mut communities = renumber(&mut labels);
        let mut measured = triangles.measure(&labels, communities, self.params.alpha);
        let mut best = labels.clone();
        let mut best_wcc = measured.wcc;
        let mut history = vec![measured.wcc];
        let mut tries = self.params.lookahead;
        loop {
            let moves = self.moves(triangles, &labels, &measured);
            if moves.iter().any(|&m| m != Move::Stay) {
                for (v, (label, step)) in labels.iter_mut().zip(&moves).enumerate() {
                    match step {
                        Move::Stay => {}
                        Move::Leave => *label = (communities + v) as u32,
                        Move::To(other) => *label = *other,
                    }
                }
                communities = renumber(&mut labels);
                measured = triangles.measure(&labels, communities, self.params.alpha);
            }
            history.push(measured.wcc);
            if measured.wcc > best_wcc {
                if measured.wcc - best_wcc > self.params.improvement * best_wcc {
                    tries = self.params.lookahead;
                }
                best_wcc = measured.wcc;
                best.copy_from_slice(&labels);
            }
            if tries == 0 {
                break;
            }
            tries -= 1;
        }
        Communities {
            partition: Partition::from_labels(&best),
            wcc: best_wcc,
            history,
            edges_kept: triangles.kept().edges(),
            triangles: triangles.count(),
            clustering: triangles.clustering(),
        }
    }

    fn moves(&self, triangles: &Triangles, labels: &[u32], measured: &Measured) -> Vec<Move> {
        let graph = triangles.kept();
        let omega = triangles.clustering();
        (0..labels.len() as u32)
            .into_par_iter()
            .with_min_len(256)
            .map_init(Vec::new, |around: &mut Vec<u32>, v| {
                let neighbours = graph.neighbours(v);
                if neighbours.is_empty() {
                    return Move::Stay;
                }
                around.clear();
                around.extend(neighbours.iter().map(|&w| labels[w as usize]));
                around.sort_unstable();
                let degree = neighbours.len() as f64;
                let own = labels[v as usize];
                let inside = |label: u32| around.iter().filter(|&&l| l == label).count() as f64;
                let size = f64::from(measured.sizes[own as usize]);
                let leave = if measured.sizes[own as usize] == 1 {
                    0.0
                } else {
                    let d_in = inside(own);
                    let d_out = degree - d_in;
                    let left = size - 1.0;
                    let internal = measured.internal[own as usize] as f64 - d_in;
                    let boundary = measured.boundary[own as usize] as f64 + d_in - d_out;
                    -self.gain(left, d_in, d_out, boundary, internal, omega)
                };
                let mut best = None;
                let mut rest = around.as_slice();
                while let Some(&label) = rest.first() {
                    let count = rest.iter().take_while(|&&l| l == label).count();
                    rest = &rest[count..];
                    if label == own || measured.sizes[label as usize] < 2 {
                        continue;
                    }
                    let join = self.gain(
                        f64::from(measured.sizes[label as usize]),
                        count as f64,
                        degree - count as f64,
                        measured.boundary[label as usize] as f64,
                        measured.internal[label as usize] as f64,
                        omega,
                    );
                    let gain = leave + join;
                    if best.is_none_or(|(most, _)| gain > most) {
                        best = Some((gain, label));
                    }
                }
                match best {
                    Some((gain, label)) if gain > 0.0 && gain > leave => Move::To(label),
                    _ if leave > 0.0 => Move::Leave,
                    _ => Move::Stay,
                }
            })
            .collect()
    }

    /// The estimated gain (times |V|) of a node joining a community that it is not in: of `r` members, with `internal`
    /// edges inside and `boundary` edges to outside, `d_in` of them from the node, which has `d_out` others.
    fn gain(&self, r: f64, d_in: f64, d_out: f64, boundary: f64, internal: f64, w: f64) -> f64 {
        let over = |above: f64, below: f64| if below == 0.0 { 0.0 } else { above / below };
        let d = if r < 2.0 { 0.0 } else { 2.0 * internal / (r * (r - 1.0)) };
        let q = if r == 0.0 { 0.0 } else { (boundary - d_in) / r };
        let a = self.params.alpha;
        let closed = (r - 1.0) * (r - 2.0) * d * d * d;
        // A member that is a neighbour of the node, one that is not, and the node itself.
        let neighbour = match self.params.gain {
            Gain::Authors => {
                let new = 2.0 * (d_in - 1.0) * d;
                let all = closed + new + q * (r - 1.0) * d * w + q * (q - 1.0) * w + d_out * w;
                let around = (r - 1.0) * d + 1.0 + q;
                over(new * around, all * (around + a * (r - (r - 1.0) * d - 1.0)))
            }
            Gain::Theorem => {
                let new = (d_in - 1.0) * d;
                let all = closed + new + q * (q - 1.0) * d * w + q * (q - 1.0) * w + d_out * w;
                over(((r - 1.0) * d + 1.0 + q) * new, (r + q) * all)
            }
        };
        let stranger = {
            let all = closed + q * (q - 1.0) * w + q * (r - 1.0) * d * w;
            let around = (r - 1.0) * d + q;
            let missing = r - (r - 1.0) * d;
            -over(closed, all) * over(around * a, (around + a * missing) * (around + a * (missing - 1.0)))
        };
        let node = {
            let new = d_in * (d_in - 1.0) * d;
            let all = new + d_out * (d_out - 1.0) * w + d_out * d_in * w;
            let below = match self.params.gain {
                Gain::Authors => d_in + d_out + a * (r - 1.0 - d_in),
                Gain::Theorem => r + d_out,
            };
            over(new, all) * over(d_in + d_out, below)
        };
        d_in * neighbour + (r - d_in) * stranger + node
    }
}

/// Every node placed with its neighbours that are not placed yet, the most clustered nodes first.
fn start(triangles: &Triangles) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let graph = triangles.kept();
    let n = graph.nodes();
    let mut order: Vec<(f64, usize, u32)> =
        (0..n as u32).map(|v| (triangles.clustering_at(v), graph.degree(v), v)).collect();
    order.par_sort_unstable_by(|x, y| y.0.total_cmp(&x.0).then(Reverse(x.1).cmp(&Reverse(y.1))).then(x.2.cmp(&y.2)));
    let mut labels = vec![NONE; n];
    let mut next = 0;
    for (_, _, v) in order {
        if labels[v as usize] != NONE {
            continue;
        }
        labels[v as usize] = next;
        for &w in graph.neighbours(v) {
            if labels[w as usize] == NONE {
                labels[w as usize] = next;
            }
        }
        next += 1;
    }
    labels
}

/// Numbers labels below 2n by first appearance and gives their number.
fn renumber(labels: &mut [u32]) -> usize {
    const NONE: u32 = u32::MAX;
    let mut new = vec![NONE; 2 * labels.len()];
    let mut next = 0;
    for label in labels {
        let number = &mut new[*label as usize];
        if *number == NONE {
            *number = next;
            next += 1;
        }
        *label = *number;
    }
    next as usize
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::graph::{Digraph, EdgeList};
    use crate::seed::Seed;

    fn scd(gain: Gain) -> Scd {
        ScdParams { gain, ..ScdParams::default() }.check().unwrap()
    }

    fn golden_graph(folder: &std::path::Path, name: &str) -> Graph {
        let mut text = Vec::new();
        match std::fs::read(folder.join(format!("{name}.edges"))) {
            Ok(bytes) => text = bytes,
            Err(_) => {
                let file = std::fs::File::open(folder.join(format!("{name}.edges.gz"))).unwrap();
                flate2::read::GzDecoder::new(file).read_to_end(&mut text).unwrap();
            }
        }
        let list = EdgeList::read(text.as_slice()).unwrap();
        Graph::from_edges(list.names.len(), list.edges)
    }

    /// The graphs whose WCC after every step is known from the authors' program and from the printed theorem.
    #[test]
    fn golden_graphs_step_by_step() {
        let Some(data) = std::env::var_os("PAPERTWIN_DATA") else {
            eprintln!("skipped: PAPERTWIN_DATA is not set");
            return;
        };
        let folder = std::path::Path::new(&data).join("graphs");
        let golden: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("golden.json")).unwrap()).unwrap();
        let mut checked = 0;
        for (name, expected) in golden.as_object().unwrap() {
            let graph = golden_graph(&folder, name);
            let found = scd(Gain::Authors).communities(&graph);
            let count = |key: &str| expected[key].as_u64().unwrap() as usize;
            assert_eq!(graph.nodes(), count("nodes"), "{name}");
            assert_eq!(graph.edges(), count("edges"), "{name}");
            assert_eq!(found.edges_kept, count("edges_after_pruning"), "{name}");
            assert_eq!(found.triangles as usize, count("triangles"), "{name}");
            assert!((found.clustering - expected["omega"].as_f64().unwrap()).abs() < 1e-12, "{name}");
            let same_steps = |history: &[f64], key: &str| {
                let expected: Vec<f64> =
                    expected[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
                assert_eq!(history.len(), expected.len(), "{name}, {key}: {history:?} and {expected:?}");
                for (step, (x, y)) in history.iter().zip(&expected).enumerate() {
                    assert!((x - y).abs() < 1e-12, "{name}, {key}, step {step}: {x} and {y}");
                }
            };
            same_steps(&found.history, "wcc_history_cpp");
            assert!((found.wcc - expected["wcc"].as_f64().unwrap()).abs() < 1e-12, "{name}");
            assert_eq!(found.partition.group_count(), count("communities"), "{name}");
            assert_eq!(found.singletons(), count("singletons"), "{name}");
            let theorem = scd(Gain::Theorem).communities(&graph);
            same_steps(&theorem.history, "wcc_history_theorem");
            assert!((theorem.wcc - expected["wcc_theorem"].as_f64().unwrap()).abs() < 1e-12, "{name}");
            assert_eq!(theorem.partition.group_count(), count("communities_theorem"), "{name}");
            let all_in_one = Partition::from_labels(&vec![0; graph.nodes()]);
            let wcc = Triangles::of(&graph).wcc(&all_in_one, 1.0);
            let known = match name.as_str() {
                "karate" => 0.119430,
                "football" => 0.078871,
                "lesmis" => 0.079289,
                "dolphins" => 0.063987,
                _ => continue,
            };
            assert!((wcc - known).abs() < 5e-7, "{name}: everything in one community");
            checked += 1;
        }
        assert_eq!(checked, 4);
    }

    fn random_graph(n: usize, edges: usize, name: &str) -> Graph {
        let mut stream = Seed(6).stream(name);
        // Near neighbours on a ring, so that there are triangles.
        let edges: Vec<(u32, u32)> = (0..edges)
            .map(|_| {
                let a = stream.below(n as u64);
                (a as u32, ((a + 1 + stream.below(8)) % n as u64) as u32)
            })
            .collect();
        Graph::from_edges(n, edges)
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let graph = random_graph(5_000, 12_000, "threads");
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| scd(Gain::Authors).communities(&graph))
        };
        let one = run(1);
        assert!(one.partition.sizes().iter().any(|&n| n > 2) && one.history.len() > 6);
        assert_eq!(run(2), one);
        assert_eq!(run(7), one);
    }

    #[test]
    fn the_wcc_reported_is_that_of_the_partition_and_never_below_the_start() {
        let graph = random_graph(300, 900, "wcc");
        let triangles = Triangles::of(&graph);
        for (gain, alpha) in [(Gain::Authors, 1.0), (Gain::Theorem, 1.0), (Gain::Authors, 0.25), (Gain::Authors, 3.0)] {
            let found = ScdParams { gain, alpha, ..ScdParams::default() }.check().unwrap().communities(&graph);
            assert_eq!(found.wcc, triangles.wcc(&found.partition, alpha));
            assert!(found.history.iter().all(|&w| w <= found.wcc && (0.0..=1.0).contains(&w)));
        }
        let loose = ScdParams { alpha: 0.1, ..ScdParams::default() }.check().unwrap().communities(&graph);
        let tight = ScdParams { alpha: 8.0, ..ScdParams::default() }.check().unwrap().communities(&graph);
        assert!(loose.partition.group_count() < tight.partition.group_count(), "alpha makes communities tighter");
    }

    #[test]
    fn the_stop_rule_counts_steps_after_the_last_improvement() {
        let clique = |from: u32| (from..from + 4).flat_map(move |a| (a + 1..from + 4).map(move |b| (a, b)));
        let graph = Graph::from_edges(8, clique(0).chain(clique(4)));
        let steps = |lookahead, improvement| {
            let params = ScdParams { lookahead, improvement, ..ScdParams::default() };
            params.check().unwrap().communities(&graph).history.len() - 1
        };
        assert_eq!((steps(0, 0.01), steps(2, 0.01), steps(5, 0.01)), (1, 3, 6));
        let error = ScdParams { alpha: f64::NAN, ..ScdParams::default() }.check().unwrap_err().to_string();
        assert_eq!(error, "alpha = NaN; wanted a finite number, at least 0");
        assert!(ScdParams { gain: Gain::Theorem, alpha: 2.0, ..ScdParams::default() }.check().is_err());
    }

    #[test]
    fn o_099_components_and_communities_meet() {
        let edges = [
            (1, 2),
            (2, 3),
            (3, 1),
            (4, 5),
            (5, 6),
            (6, 4),
            (3, 4),
            (4, 3),
            (7, 8),
            (8, 9),
            (7, 9),
            (10, 11),
            (11, 10),
        ];
        let digraph = Digraph::from_edges(11, edges.iter().map(|&(a, b)| (a - 1, b - 1)));
        let components = digraph.components();
        let communities = scd(Gain::Authors).communities(&Graph::of(&digraph)).partition;
        let names =
            |p: &Partition| -> Vec<Vec<u32>> { p.groups().iter().map(|g| g.iter().map(|v| v + 1).collect()).collect() };
        assert_eq!(names(&components), vec![vec![1, 2, 3, 4, 5, 6], vec![7], vec![8], vec![9], vec![10, 11]]);
        assert_eq!(names(&communities), vec![vec![1, 2, 3], vec![4, 5, 6], vec![7, 8, 9], vec![10], vec![11]]);
        assert_eq!(
            names(&components.meet(&communities)),
            vec![vec![1, 2, 3], vec![4, 5, 6], vec![7], vec![8], vec![9], vec![10], vec![11]]
        );
    }

    #[test]
    fn a_graph_without_nodes_or_triangles_is_all_singletons() {
        let none = scd(Gain::Authors).communities(&Graph::default());
        assert_eq!((none.partition.len(), none.wcc), (0, 0.0));
        let path = scd(Gain::Authors).communities(&Graph::from_edges(4, [(0, 1), (1, 2), (2, 3)]));
        assert_eq!((path.singletons(), path.wcc, path.edges_kept), (4, 0.0, 0));
    }
}
