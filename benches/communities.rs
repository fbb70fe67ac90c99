//! How SCD grows with the edges: generated graphs with known communities, 10,000 to 10,000,000 edges, on one thread and on two.
//!
//! `cargo bench --bench communities [-- EDGES...]`. Time is wall time; memory is the most that the process had so far, the graph included.

use std::time::Instant;

use papertwin::graph::{PlantedParams, ScdParams, Triangles};
use papertwin::seed::Seed;

fn main() {
    let given: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let wanted = if given.is_empty() { vec![10_000, 100_000, 1_000_000, 10_000_000] } else { given };
    println!(
        "threads      edges       kept  triangles communities    wcc steps triangles_s search_s us_an_edge most_mib"
    );
    for edges in wanted {
        let plain = PlantedParams::default();
        // A node draws so many partners; about one in five draws repeats an edge.
        let nodes = (f64::from(edges) / (0.79 * f64::from(plain.inside + plain.outside))) as u32;
        let graph = match (PlantedParams { nodes, ..plain }).graph(Seed(2)) {
            Ok((graph, _)) => graph,
            Err(error) => {
                eprintln!("{edges} edges: {error}");
                continue;
            }
        };
        let mut before = None;
        for threads in [1, 2] {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            pool.install(|| {
                let start = Instant::now();
                let triangles = Triangles::of(&graph);
                let counted = start.elapsed().as_secs_f64();
                let scd = ScdParams::default().check().expect("the defaults are valid");
                let found = scd.of_triangles(&triangles);
                let all = start.elapsed().as_secs_f64();
                println!(
                    "{threads:>7} {:>10} {:>10} {:>10} {:>11} {:.4} {:>5} {counted:>11.3} {:>8.3} {:>10.3} {:>8}",
                    graph.edges(),
                    found.edges_kept,
                    found.triangles,
                    found.partition.group_count(),
                    found.wcc,
                    found.history.len() - 1,
                    all - counted,
                    1e6 * all / graph.edges() as f64,
                    most_memory().map_or("-".into(), |mib| mib.to_string())
                );
                let same = before.get_or_insert_with(|| found.clone());
                assert!(*same == found, "the number of threads changed the result");
            });
        }
    }
}

/// The most memory that this process had, in MiB, where the system tells it.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib / 1024)
}
