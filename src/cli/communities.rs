//! `papertwin communities`: the components and communities of any graph.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use papertwin::error::FileError;
use papertwin::graph::{Digraph, EdgeList, Gain, Graph, ScdParams, Triangles};
use papertwin::output::Output;
use papertwin::partition::Partition;

use super::{Context, Outcome};

/// The arguments of `communities`.
#[derive(clap::Args)]
pub struct Communities {
    /// Edges, one a line: two names and a tab, comma or blanks between them; .gz too; - is standard input
    edges: PathBuf,
    /// Where the table goes [default: standard output, unless --json]
    #[arg(long, short, value_name = "CSV")]
    output: Option<PathBuf>,
    /// Print counts, WCC after every step and the members of each community as JSON
    #[arg(long)]
    json: bool,
    /// Do not search: give the exact WCC of this partition (CSV with the columns id, community)
    #[arg(long, value_name = "CSV", conflicts_with = "components_only")]
    partition: Option<PathBuf>,
    /// Strongly connected components only
    #[arg(long, alias = "scc-only")]
    components_only: bool,
    /// Edges have no direction: components are the connected ones
    #[arg(long)]
    undirected: bool,
    /// How the gain of a move is estimated: authors (as their program does) or theorem (as printed)
    #[arg(long, value_name = "NAME", default_value = "authors", value_parser = gain)]
    gain: Gain,
    /// Weight of the members with which a node closes no triangle
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    alpha: f64,
    /// Steps tried after the last improvement
    #[arg(long, value_name = "N", default_value_t = 5)]
    lookahead: u32,
    /// The relative rise of WCC that counts as an improvement
    #[arg(long, value_name = "X", default_value_t = 0.01)]
    improvement: f64,
}

/// `--help` shows these.
pub const EXAMPLES: &str = "EXAMPLES
  papertwin communities karate.edges --undirected -o karate.csv
  papertwin communities edges.csv --json
  papertwin communities edges.csv --partition labels.csv
  papertwin communities chain.tsv --components-only

The table has the columns id, community, component, group: a group is what is in one component and in one community.
Numbers go by size, the largest is 1, then by the smallest id. Nothing is random and neither the order of the lines nor
the number of threads changes anything. Weights are ignored; edges without a triangle belong to no community.";

/// For clap.
pub fn gain(name: &str) -> Result<Gain, String> {
    match name {
        "authors" => Ok(Gain::Authors),
        "theorem" => Ok(Gain::Theorem),
        _ => Err("wanted authors or theorem".into()),
    }
}

impl Communities {
    /// Reads the graph, searches, writes.
    pub fn run(self, context: &Context) -> anyhow::Result<Outcome> {
        let table = match (&self.output, self.json) {
            (Some(path), _) => Some(Output::create(path)?),
            (None, true) => None,
            (None, false) => Some(Output::create("-")?),
        };
        let params =
            ScdParams { gain: self.gain, alpha: self.alpha, lookahead: self.lookahead, improvement: self.improvement };
        let scd = params.check()?;
        let list = EdgeList::read(open(&self.edges)?).with_context(|| self.edges.display().to_string())?;
        for bad in list.bad.iter().take(20) {
            context.progress.warn(&format!("{}, line {}: {}", self.edges.display(), bad.line, bad.reason));
        }
        if list.weighted > 0 {
            context.say(format_args!("{} lines have more than two columns; weights are ignored", list.weighted));
        }
        context.say(format_args!(
            "{} lines = {} edges + {} repeats + {} loops + {} rejected{}; {} nodes",
            list.lines + list.bad.len() as u64,
            list.edges.len(),
            list.repeats,
            list.loops,
            list.bad.len(),
            if list.header { " (after a header)" } else { "" },
            list.names.len()
        ));
        let digraph = Digraph::from_edges(list.names.len(), list.edges.iter().copied());
        let components = if self.undirected { digraph.weak_components() } else { digraph.components() };
        let mut facts = serde_json::Map::new();
        let communities = if self.components_only {
            None
        } else {
            let graph = Graph::of(&digraph);
            let triangles = Triangles::of(&graph);
            facts.insert("nodes".into(), graph.nodes().into());
            facts.insert("edges".into(), graph.edges().into());
            facts.insert("edges_kept".into(), triangles.kept().edges().into());
            facts.insert("triangles".into(), triangles.count().into());
            facts.insert("clustering".into(), triangles.clustering().into());
            let partition = match &self.partition {
                Some(path) => {
                    let partition = given(path, &list, context)?;
                    facts.insert("wcc".into(), triangles.wcc(&partition, self.alpha).into());
                    partition
                }
                None => {
                    let found = scd.of_triangles(&triangles);
                    facts.insert("wcc".into(), found.wcc.into());
                    facts.insert("steps".into(), (found.history.len() - 1).into());
                    facts.insert("history".into(), found.history.into());
                    found.partition
                }
            };
            facts.insert("communities".into(), partition.group_count().into());
            facts.insert("singletons".into(), partition.sizes().iter().filter(|&&n| n == 1).count().into());
            context.say(format_args!(
                "WCC {:.6}; {} communities, {} of one node; {} of {} edges close a triangle",
                facts["wcc"].as_f64().unwrap_or_default(),
                partition.group_count(),
                facts["singletons"],
                triangles.kept().edges(),
                graph.edges()
            ));
            Some(partition)
        };
        facts.insert("components".into(), components.group_count().into());
        facts.insert("largest_component".into(), components.sizes().iter().max().copied().unwrap_or(0).into());
        context.say(format_args!(
            "{} components, the largest has {} nodes",
            components.group_count(),
            facts["largest_component"]
        ));

        let component_of = list.numbered(&components);
        let mut columns = vec![("component", &component_of)];
        let numbers = communities.map(|c| (list.numbered(&c), list.numbered(&c.meet(&components))));
        if let Some((community_of, group_of)) = &numbers {
            columns.insert(0, ("community", community_of));
            columns.push(("group", group_of));
        }
        if let Some(mut out) = table {
            let mut writer = csv::Writer::from_writer(&mut out);
            writer.write_field("id")?;
            writer.write_record(columns.iter().map(|c| c.0))?;
            for node in list.by_name() {
                writer.write_field(&list.names[node as usize])?;
                writer.write_record(columns.iter().map(|c| c.1[node as usize].to_string()))?;
            }
            writer.flush()?;
            drop(writer);
            out.commit()?;
        }
        if self.json {
            facts.insert("members".into(), members(&list, columns[0].1).into());
            let mut out = Output::create("-")?;
            serde_json::to_writer_pretty(&mut out, &facts).map_err(std::io::Error::from)?;
            writeln!(out)?;
            out.commit()?;
        }
        Ok(if list.bad.is_empty() { Outcome::Clean } else { Outcome::NotClean })
    }
}

/// The names in each group, groups by number, names in natural order.
fn members(list: &EdgeList, number_of: &[u32]) -> Vec<serde_json::Value> {
    let mut members: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for node in list.by_name() {
        members.entry(number_of[node as usize]).or_default().push(&list.names[node as usize]);
    }
    members.into_values().map(Into::into).collect()
}

/// A partition of the nodes from a file; nodes that it does not name are alone.
fn given(path: &Path, list: &EdgeList, context: &Context) -> anyhow::Result<Partition> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(open(path)?);
    let headers = reader.headers()?.clone();
    let column =
        |names: &[&str], otherwise: usize| headers.iter().position(|h| names.contains(&h.trim())).unwrap_or(otherwise);
    let id = column(&["id"], 0);
    let label = column(&["community", "group", "cluster", "label", "component"], 1);
    let nodes = list.numbers();
    let mut labels: Vec<Option<String>> = vec![None; list.names.len()];
    let mut unknown = 0u64;
    for record in reader.records() {
        let record = record.with_context(|| path.display().to_string())?;
        let line = record.position().map_or(0, |p| p.line());
        let (Some(id), Some(label)) = (record.get(id), record.get(label)) else {
            anyhow::bail!("{}, line {line}: wanted the columns id and community", path.display());
        };
        match nodes.get(id.trim()) {
            Some(&node) => {
                let old = labels[node as usize].replace(label.trim().to_owned());
                anyhow::ensure!(
                    old.is_none_or(|old| old == label.trim()),
                    "{}, line {line}: {id} is in two communities; a partition puts each node in one",
                    path.display()
                );
            }
            None => unknown += 1,
        }
    }
    anyhow::ensure!(
        unknown == 0 || labels.iter().any(Option::is_some),
        "{}: none of its {unknown} ids is in the graph; the columns read are {} and {}",
        path.display(),
        headers.get(id).unwrap_or("-"),
        headers.get(label).unwrap_or("-")
    );
    let alone = labels.iter().filter(|l| l.is_none()).count();
    if alone > 0 || unknown > 0 {
        context.progress.warn(&format!(
            "{}: {unknown} ids are not in the graph; {alone} nodes of the graph are not in the file and stay alone",
            path.display()
        ));
    }
    let labels: Vec<(u32, &str)> = labels
        .iter()
        .enumerate()
        .map(|(node, label)| label.as_deref().map_or((node as u32 + 1, ""), |label| (0, label)))
        .collect();
    Ok(Partition::from_labels(&labels))
}

/// A file, or standard input; unpacked if it is gzip.
fn open(path: &Path) -> Result<Box<dyn Read>, FileError> {
    let mut raw: Box<dyn Read> = match path.to_str() {
        Some("-") => Box::new(std::io::stdin()),
        _ => Box::new(File::open(path).map_err(FileError::at(path))?),
    };
    let mut magic = [0u8; 2];
    let mut got = 0;
    while got < 2 {
        match raw.read(&mut magic[got..]).map_err(FileError::at(path))? {
            0 => break,
            n => got += n,
        }
    }
    let whole = std::io::Cursor::new(magic[..got].to_vec()).chain(raw);
    Ok(if magic == [0x1f, 0x8b] {
        Box::new(flate2::read::MultiGzDecoder::new(std::io::BufReader::new(whole)))
    } else {
        Box::new(whole)
    })
}
