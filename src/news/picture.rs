//! The graph as a figure: every component in its colour, and one component with the communities that cross it.

use std::fmt::Write;

use super::export::xml;
use super::{Articles, Groups, SimilarityGraph};
use crate::seed::Seed;

/// Colours that differ for people who see colours differently too (after Okabe and Ito 2008, then darker and lighter).
const COLOURS: [&str; 14] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c6d00", "#004c78", "#7a4a00", "#00634a",
    "#8a4a70", "#8a3c00", "#2e7ba6", "#b3a300",
];
const ALONE: &str = "#b8b8b8";

/// The width of one panel in pixels.
const PANEL: f64 = 760.0;
/// The room above a panel for its title.
const HEAD: f64 = 44.0;
/// The most nodes that are drawn in a panel: more is a grey cloud and a file of many megabytes.
const MOST: usize = 4000;

struct Drawn {
    node: u32,
    x: f64,
    y: f64,
}

/// Draws two panels beside each other as SVG, the same bytes on every machine.
///
/// Left: the articles that have a neighbour, coloured by strongly connected component (those alone in theirs are grey). Where there
/// are more than 4,000, the largest components are drawn. Right: the component with the most communities of at least two (then the
/// largest), coloured by community. Every connected piece of the graph is laid out on its own by springs
/// (Fruchterman and Reingold 1991, from a fixed start), and the pieces are packed in rows, the largest first.
pub fn figure(articles: &Articles, graph: &SimilarityGraph, groups: &Groups, seed: Seed) -> String {
    let [_, component, community] = groups.numbers();
    let sizes = |partition: &crate::partition::Partition| -> Vec<u32> {
        let sizes = partition.sizes();
        partition.labels().iter().map(|&l| sizes[l as usize]).collect()
    };
    let component_size = sizes(&groups.components);
    let community_size = sizes(&groups.communities.partition);
    let n = articles.len();
    let mut touched = vec![false; n];
    for (a, b) in graph.digraph().iter() {
        touched[a as usize] = true;
        touched[b as usize] = true;
    }
    let mut all: Vec<u32> = (0..n as u32).filter(|&v| touched[v as usize]).collect();
    let with_neighbour = all.len();
    if all.len() > MOST {
        all.sort_by_key(|&v| (component[v as usize], v));
        all.truncate(MOST);
        all.sort_unstable();
    }
    // The component that the most communities cross.
    let mut crossing: std::collections::BTreeMap<u32, (std::collections::BTreeSet<u32>, usize)> = Default::default();
    for v in 0..n {
        let entry = crossing.entry(component[v]).or_default();
        entry.1 += 1;
        if community_size[v] > 1 {
            entry.0.insert(community[v]);
        }
    }
    let chosen = crossing
        .iter()
        .filter(|c| c.1.1 > 1)
        .max_by_key(|(number, (communities, size))| (communities.len(), *size, std::cmp::Reverse(**number)))
        .map(|(number, (communities, size))| (*number, communities.len(), *size));
    let one: Vec<u32> = match chosen {
        Some((number, _, _)) => (0..n as u32).filter(|&v| component[v as usize] == number).take(MOST).collect(),
        None => Vec::new(),
    };

    let left = layout(graph, &all, seed);
    let right = layout(graph, &one, seed);
    let mut svg = String::new();
    let (width, height) = (2.0 * PANEL + 60.0, PANEL + HEAD + 30.0);
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let joined = crossing.values().filter(|c| c.1 > 1).count();
    let shown = if all.len() < with_neighbour { format!(", {} drawn", all.len()) } else { String::new() };
    let title = format!("{with_neighbour} of {n} articles have a neighbour{shown}; {joined} components of two or more");
    panel(&mut svg, 20.0, &title, articles, graph, &left, |v| {
        (component_size[v as usize] > 1).then_some(component[v as usize])
    });
    let title = match chosen {
        Some((number, communities, size)) => {
            format!("Component {number}: {size} articles, {communities} communities of two or more")
        }
        None => "No component of two or more".to_owned(),
    };
    panel(&mut svg, PANEL + 40.0, &title, articles, graph, &right, |v| {
        (community_size[v as usize] > 1).then_some(community[v as usize])
    });
    svg.push_str("</svg>\n");
    svg
}

fn panel(
    svg: &mut String,
    left: f64,
    title: &str,
    articles: &Articles,
    graph: &SimilarityGraph,
    drawn: &[Drawn],
    colour: impl Fn(u32) -> Option<u32>,
) {
    let _ = writeln!(
        svg,
        "<g transform=\"translate({left:.0} {HEAD:.0})\">\n<text x=\"0\" y=\"-16\" font-size=\"17\" fill=\"#222222\">{}</text>",
        xml(title)
    );
    let place: std::collections::BTreeMap<u32, (f64, f64)> = drawn.iter().map(|d| (d.node, (d.x, d.y))).collect();
    let (line, dot) = match drawn.len() {
        0..60 => (1.2, 7.0),
        60..500 => (0.8, 4.0),
        _ => (0.5, 2.2),
    };
    let _ = writeln!(svg, "<g stroke=\"#888888\" stroke-opacity=\"0.55\" stroke-width=\"{line}\">");
    for d in drawn {
        for &other in graph.digraph().successors(d.node) {
            // An edge there and back is drawn once.
            if other < d.node && graph.digraph().has_edge(other, d.node) {
                continue;
            }
            if let Some((x, y)) = place.get(&other) {
                let _ = writeln!(svg, "<path d=\"M{:.1} {:.1}L{x:.1} {y:.1}\"/>", d.x, d.y);
            }
        }
    }
    svg.push_str("</g>\n");
    let colour_of = colours(graph, drawn, &colour);
    for d in drawn {
        let fill = colour(d.node).map_or(ALONE, |number| colour_of[&number]);
        let article = &articles.as_slice()[d.node as usize];
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{dot}\" fill=\"{fill}\"><title>{} {}</title></circle>",
            d.x,
            d.y,
            xml(&article.id),
            xml(&article.title)
        );
    }
    svg.push_str("</g>\n");
}

/// A colour for each number drawn, in turn, but no colour twice in one connected piece as long as there are enough.
fn colours(
    graph: &SimilarityGraph,
    drawn: &[Drawn],
    number: impl Fn(u32) -> Option<u32>,
) -> std::collections::BTreeMap<u32, &'static str> {
    let mut place = vec![u32::MAX; graph.articles()];
    for (at, d) in (0..).zip(drawn) {
        place[d.node as usize] = at;
    }
    let edges = drawn.iter().flat_map(|d| {
        let from = place[d.node as usize];
        graph
            .digraph()
            .successors(d.node)
            .iter()
            .map(|&w| place[w as usize])
            .filter(|&to| to != u32::MAX)
            .map(move |to| (from, to))
    });
    let pieces = crate::partition::Partition::from_pairs(drawn.len(), edges);
    // The piece of each number; a component or a community lies in one.
    let numbers: std::collections::BTreeMap<u32, u32> =
        drawn.iter().zip(pieces.labels()).filter_map(|(d, &piece)| Some((number(d.node)?, piece))).collect();
    let mut used = vec![0u32; pieces.group_count()];
    let mut colour_of = std::collections::BTreeMap::new();
    for (turn, (number, piece)) in numbers.into_iter().enumerate() {
        let used = &mut used[piece as usize];
        let free = (turn..turn + COLOURS.len()).map(|c| c % COLOURS.len()).find(|&c| *used & (1 << c) == 0);
        let chosen = free.unwrap_or(turn % COLOURS.len());
        *used |= 1 << chosen;
        colour_of.insert(number, COLOURS[chosen]);
    }
    colour_of
}

/// Places for these nodes in a panel: each connected piece by springs, pieces packed in rows.
fn layout(graph: &SimilarityGraph, nodes: &[u32], seed: Seed) -> Vec<Drawn> {
    let mut local = vec![u32::MAX; graph.articles()];
    for (place, &v) in (0..).zip(nodes) {
        local[v as usize] = place;
    }
    let mut edges = Vec::new();
    for &v in nodes {
        for &w in graph.digraph().successors(v) {
            if local[w as usize] != u32::MAX {
                edges.push((local[v as usize], local[w as usize]));
            }
        }
    }
    let pieces = crate::partition::Partition::from_pairs(nodes.len(), edges.iter().copied());
    let labels = pieces.labels();
    let mut edges_of: Vec<Vec<(u32, u32)>> = vec![Vec::new(); pieces.group_count()];
    let mut within = vec![0u32; nodes.len()];
    let groups = pieces.groups();
    for members in &groups {
        for (place, &v) in (0..).zip(members) {
            within[v as usize] = place;
        }
    }
    for (a, b) in edges {
        edges_of[labels[a as usize] as usize].push((within[a as usize], within[b as usize]));
    }
    // A disc for each piece, the largest first.
    let mut discs: Vec<(f64, &[u32], Vec<(f64, f64)>)> = groups
        .iter()
        .zip(&edges_of)
        .map(|(members, edges)| {
            let points = springs(members.len(), edges, seed);
            ((members.len() as f64).sqrt(), members.as_slice(), points)
        })
        .collect();
    discs.sort_by(|x, y| y.0.total_cmp(&x.0).then(x.1[0].cmp(&y.1[0])));
    let mut scale = PANEL / 2.0;
    let mut corners = Vec::new();
    // Shrink until the rows fit.
    while !discs.is_empty() {
        corners.clear();
        let (mut x, mut y, mut row) = (0.0, 0.0, 0.0);
        for (radius, _, _) in &discs {
            let side = 2.0 * radius * scale;
            if x > 0.0 && x + side > PANEL {
                x = 0.0;
                y += row;
                row = 0.0;
            }
            corners.push((x, y));
            x += side;
            row = f64::max(row, side);
        }
        if y + row <= PANEL && 2.0 * discs[0].0 * scale <= PANEL {
            break;
        }
        scale *= 0.97;
    }
    let mut drawn = Vec::with_capacity(nodes.len());
    for ((radius, members, points), (x, y)) in discs.iter().zip(&corners) {
        let half = radius * scale;
        for (&v, point) in members.iter().zip(points) {
            drawn.push(Drawn {
                node: nodes[v as usize],
                x: x + half + point.0 * half * 0.86,
                y: y + half + point.1 * half * 0.86,
            });
        }
    }
    drawn.sort_by_key(|d| d.node);
    drawn
}

/// Points in the unit disc for a connected graph. Repulsion acts over a limited distance through a grid, so a step is about linear.
/// Only +, -, *, / and square roots: the same points on every machine.
fn springs(n: usize, edges: &[(u32, u32)], seed: Seed) -> Vec<(f64, f64)> {
    if n <= 1 {
        return vec![(0.0, 0.0); n];
    }
    if n == 2 {
        return vec![(-0.5, 0.0), (0.5, 0.0)];
    }
    let mut stream = seed.stream("news/figure");
    let side = (n as f64).sqrt();
    let mut points: Vec<(f64, f64)> = (0..n).map(|_| (stream.unit() * side, stream.unit() * side)).collect();
    let steps = if n > 1000 { 120 } else { 260 };
    let reach = if n < 300 { side * 2.0 } else { 4.0 };
    for step in 0..steps {
        let heat = 0.35 * side.min(6.0) * (1.0 - f64::from(step) / f64::from(steps)) + 0.01;
        let mut force = vec![(0.0, 0.0); n];
        let mut cells: std::collections::BTreeMap<(i64, i64), Vec<usize>> = Default::default();
        let cell = |p: &(f64, f64)| ((p.0 / reach).floor() as i64, (p.1 / reach).floor() as i64);
        for (v, point) in points.iter().enumerate() {
            cells.entry(cell(point)).or_default().push(v);
        }
        for (v, point) in points.iter().enumerate() {
            let (cx, cy) = cell(point);
            for near in (cx - 1..=cx + 1).flat_map(|x| (cy - 1..=cy + 1).map(move |y| (x, y))) {
                for &w in cells.get(&near).into_iter().flatten().filter(|&&w| w != v) {
                    let (dx, dy) = (point.0 - points[w].0, point.1 - points[w].1);
                    let square = dx * dx + dy * dy;
                    if square > reach * reach {
                        continue;
                    }
                    // Two points at one place are driven apart along a line of their own.
                    let (dx, dy) = if square < 1e-9 { (if v < w { 1e-3 } else { -1e-3 }, 0.0) } else { (dx, dy) };
                    let square = square.max(1e-6);
                    force[v].0 += dx / square;
                    force[v].1 += dy / square;
                }
            }
        }
        for &(a, b) in edges {
            let (a, b) = (a as usize, b as usize);
            let (dx, dy) = (points[a].0 - points[b].0, points[a].1 - points[b].1);
            let length = (dx * dx + dy * dy).sqrt();
            force[a].0 -= dx * length * 0.5;
            force[a].1 -= dy * length * 0.5;
            force[b].0 += dx * length * 0.5;
            force[b].1 += dy * length * 0.5;
        }
        for (point, force) in points.iter_mut().zip(&force) {
            let length = (force.0 * force.0 + force.1 * force.1).sqrt();
            if length > 0.0 {
                let step = length.min(heat) / length;
                point.0 += force.0 * step;
                point.1 += force.1 * step;
            }
        }
    }
    let middle = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n as f64, sum.1 + p.1 / n as f64));
    let reach = points
        .iter()
        .map(|p| ((p.0 - middle.0) * (p.0 - middle.0) + (p.1 - middle.1) * (p.1 - middle.1)).sqrt())
        .fold(1e-9, f64::max);
    points.iter().map(|p| ((p.0 - middle.0) / reach, (p.1 - middle.1) / reach)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{Pair, PaperId};
    use crate::news::{Article, GroupParams};
    use crate::similarity::Score;

    #[test]
    fn components_of_one_piece_have_different_colours() {
        // A chain of two articles each, joined by edges of one direction, then pairs alone: 40 components.
        let hits: Vec<Vec<crate::news::Hit>> = (0..80u32)
            .map(|v| {
                let mut to = vec![v ^ 1];
                if v % 2 == 1 && v < 25 {
                    to.push(v + 1);
                }
                to.into_iter().map(|article| crate::news::Hit { article, score: Score::MAX }).collect()
            })
            .collect();
        let graph = SimilarityGraph::from_hits(&hits);
        let drawn: Vec<Drawn> = (0..80).rev().map(|node| Drawn { node, x: 0.0, y: 0.0 }).collect();
        let found = colours(&graph, &drawn, |v| Some(v / 2));
        assert_eq!(found.len(), 40);
        let chain: std::collections::BTreeSet<&str> = (0..13).map(|number| found[&number]).collect();
        assert_eq!(chain.len(), 13);
        assert_eq!(found.values().collect::<std::collections::BTreeSet<_>>().len(), COLOURS.len());
    }

    #[test]
    fn every_article_with_a_neighbour_is_drawn_inside_its_panel_in_the_colour_of_its_component() {
        let articles = Articles::from_articles(
            (0..9).map(|i| Article { id: i.to_string(), title: "<Fog & horn>".into(), ..Article::default() }).collect(),
        );
        let pair = |a, b| (Pair::new(PaperId(a), PaperId(b)).unwrap(), Score::MAX);
        let pairs = [pair(0, 1), pair(1, 2), pair(0, 2), pair(2, 3), pair(3, 4), pair(4, 5), pair(3, 5), pair(6, 7)];
        let graph = SimilarityGraph::from_pairs(9, &pairs);
        let groups = GroupParams::default().check().unwrap().groups(&graph);
        let svg = figure(&articles, &graph, &groups, Seed(1));
        assert_eq!(svg, figure(&articles, &graph, &groups, Seed(1)));
        let mut reader = quick_xml::Reader::from_str(&svg);
        let (mut circles, mut colours) = (0, std::collections::BTreeSet::new());
        loop {
            match reader.read_event().unwrap() {
                quick_xml::events::Event::Eof => break,
                quick_xml::events::Event::Start(e) if e.name().as_ref() == b"circle" => {
                    circles += 1;
                    let value = |name: &str| -> String {
                        let found = e.try_get_attribute(name).unwrap().unwrap();
                        String::from_utf8(found.value.into_owned()).unwrap()
                    };
                    colours.insert(value("fill"));
                    for place in [value("cx"), value("cy")] {
                        assert!((0.0..=PANEL).contains(&place.parse::<f64>().unwrap()), "{place}");
                    }
                }
                _ => {}
            }
        }
        // Eight with a neighbour on the left, the component of six on the right.
        assert_eq!((circles, colours.len()), (14, 2));
        assert!(svg.contains("8 of 9 articles have a neighbour; 2 components of two or more"), "{svg}");
        assert!(svg.contains("Component 1: 6 articles, 2 communities of two or more"), "{svg}");
        let none = Articles::from_articles(Vec::new());
        let empty = SimilarityGraph::default();
        let groups = GroupParams::default().check().unwrap().groups(&empty);
        assert!(figure(&none, &empty, &groups, Seed(1)).contains("No component of two or more"));
    }
}
