//! The graph for other tools: CSV, GraphML, GEXF, DOT.

use std::io::{self, Write};
use std::path::Path;

use super::{Articles, Groups, NewsError, SimilarityGraph};

/// A form in which a graph can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    /// `from, to, score, rank`: by asking article, its hits from the best.
    Csv,
    /// GraphML (yEd, Gephi, NetworkX, igraph).
    GraphMl,
    /// GEXF 1.3 (Gephi).
    Gexf,
    /// DOT (Graphviz).
    Dot,
}

impl GraphFormat {
    /// The form that a file name asks for.
    ///
    /// # Errors
    /// If its ending is none of csv, graphml, gexf, dot, gv.
    pub fn of(path: &Path) -> Result<GraphFormat, NewsError> {
        let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "csv" | "" => Ok(GraphFormat::Csv),
            "graphml" => Ok(GraphFormat::GraphMl),
            "gexf" => Ok(GraphFormat::Gexf),
            "dot" | "gv" => Ok(GraphFormat::Dot),
            _ => Err(NewsError::Parameter { name: "graph", found: ending, wanted: ".csv, .graphml, .gexf or .dot" }),
        }
    }
}

/// Writes a similarity graph; nodes carry title, group, component and community where the form can hold them.
///
/// # Errors
/// If the writer fails.
pub fn write_graph(
    format: GraphFormat,
    articles: &Articles,
    graph: &SimilarityGraph,
    groups: &Groups,
    mut out: impl Write,
) -> io::Result<()> {
    let [group, component, community] = groups.numbers();
    let all = articles.as_slice();
    let id = |v: u32| all[v as usize].id.as_str();
    let nodes = || (0..).zip(all).map(|(v, a)| (a, [group[v], component[v], community[v]]));
    match format {
        GraphFormat::Csv => {
            let mut writer = csv::Writer::from_writer(out);
            let failed = |e: csv::Error| io::Error::from(e);
            writer.write_record(["from", "to", "score", "rank"]).map_err(failed)?;
            let mut rank = 0;
            let mut before = None;
            for edge in graph.edges() {
                rank = if before == Some(edge.from) { rank + 1 } else { 1 };
                before = Some(edge.from);
                writer
                    .write_record([id(edge.from), id(edge.to), &edge.score.to_string(), &rank.to_string()])
                    .map_err(failed)?;
            }
            writer.flush()
        }
        GraphFormat::GraphMl => {
            writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
            writeln!(out, r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#)?;
            for (name, kind) in [("title", "string"), ("group", "int"), ("component", "int"), ("community", "int")] {
                writeln!(out, r#"  <key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>"#)?;
            }
            writeln!(out, r#"  <key id="score" for="edge" attr.name="score" attr.type="double"/>"#)?;
            writeln!(out, r#"  <graph edgedefault="directed">"#)?;
            for (article, [group, component, community]) in nodes() {
                writeln!(
                    out,
                    r#"    <node id="{}"><data key="title">{}</data><data key="group">{group}</data><data key="component">{component}</data><data key="community">{community}</data></node>"#,
                    xml(&article.id),
                    xml(&article.title)
                )?;
            }
            for edge in graph.edges() {
                writeln!(
                    out,
                    r#"    <edge source="{}" target="{}"><data key="score">{}</data></edge>"#,
                    xml(id(edge.from)),
                    xml(id(edge.to)),
                    edge.score
                )?;
            }
            writeln!(out, "  </graph>\n</graphml>")
        }
        GraphFormat::Gexf => {
            writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
            writeln!(out, r#"<gexf xmlns="http://gexf.net/1.3" version="1.3">"#)?;
            writeln!(out, r#"  <graph defaultedgetype="directed">"#)?;
            writeln!(out, r#"    <attributes class="node">"#)?;
            for name in ["group", "component", "community"] {
                writeln!(out, r#"      <attribute id="{name}" title="{name}" type="integer"/>"#)?;
            }
            writeln!(out, "    </attributes>\n    <nodes>")?;
            for (article, [group, component, community]) in nodes() {
                writeln!(
                    out,
                    r#"      <node id="{}" label="{}"><attvalues><attvalue for="group" value="{group}"/><attvalue for="component" value="{component}"/><attvalue for="community" value="{community}"/></attvalues></node>"#,
                    xml(&article.id),
                    xml(&article.title)
                )?;
            }
            writeln!(out, "    </nodes>\n    <edges>")?;
            for (number, edge) in graph.edges().iter().enumerate() {
                writeln!(
                    out,
                    r#"      <edge id="{number}" source="{}" target="{}" weight="{}"/>"#,
                    xml(id(edge.from)),
                    xml(id(edge.to)),
                    edge.score
                )?;
            }
            writeln!(out, "    </edges>\n  </graph>\n</gexf>")
        }
        GraphFormat::Dot => {
            writeln!(out, "digraph news {{")?;
            for (article, [group, component, community]) in nodes() {
                writeln!(
                    out,
                    "  {} [label={}, group={group}, component={component}, community={community}];",
                    quoted(&article.id),
                    quoted(&article.title)
                )?;
            }
            for edge in graph.edges() {
                writeln!(out, "  {} -> {} [weight={}];", quoted(id(edge.from)), quoted(id(edge.to)), edge.score)?;
            }
            writeln!(out, "}}")
        }
    }
}

/// Text inside XML, also inside an attribute; characters that XML cannot hold are left out.
pub(super) fn xml(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\t' | '\n' | '\r' => safe.push(' '),
            c if c < ' ' || c == '\u{fffe}' || c == '\u{ffff}' => {}
            c => safe.push(c),
        }
    }
    safe
}

fn quoted(text: &str) -> String {
    let mut safe = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => safe.push_str("\\\""),
            '\\' => safe.push_str("\\\\"),
            '\n' | '\r' => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe.push('"');
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::news::{Article, GroupParams, MltParams};

    /// An element of parsed XML: its name, attributes and the text directly inside.
    struct Element {
        name: String,
        attributes: Vec<(String, String)>,
        text: String,
    }

    impl Element {
        fn value(&self, name: &str) -> String {
            self.attributes.iter().find(|a| a.0 == name).map(|a| a.1.clone()).unwrap()
        }
    }

    fn parse(xml: &str) -> Vec<Element> {
        use quick_xml::events::{BytesStart, Event};
        let element = |start: &BytesStart<'_>| Element {
            name: String::from_utf8(start.name().as_ref().to_vec()).unwrap(),
            attributes: start
                .attributes()
                .map(|a| a.unwrap())
                .map(|a| {
                    let raw = String::from_utf8(a.value.to_vec()).unwrap();
                    let value = quick_xml::escape::unescape(&raw).unwrap().into_owned();
                    (String::from_utf8(a.key.as_ref().to_vec()).unwrap(), value)
                })
                .collect(),
            text: String::new(),
        };
        let mut reader = quick_xml::Reader::from_str(xml);
        let (mut found, mut open): (Vec<Element>, Vec<usize>) = (Vec::new(), Vec::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(start) => {
                    open.push(found.len());
                    found.push(element(&start));
                }
                Event::Empty(start) => found.push(element(&start)),
                Event::End(_) => assert!(open.pop().is_some(), "{xml}"),
                Event::Text(text) => {
                    if let Some(&place) = open.last() {
                        found[place].text.push_str(std::str::from_utf8(&text).unwrap());
                    }
                }
                Event::GeneralRef(name) => {
                    let name = std::str::from_utf8(&name).unwrap();
                    let whole = format!("&{name};");
                    if let Some(&place) = open.last() {
                        found[place].text.push_str(&quick_xml::escape::unescape(&whole).unwrap());
                    }
                }
                _ => {}
            }
        }
        assert!(open.is_empty(), "everything that opens closes: {xml}");
        found
    }

    #[test]
    fn every_form_is_well_formed_whatever_the_titles_hold() {
        let article = |id: &str, title: &str| Article { id: id.into(), title: title.into(), ..Article::default() };
        let articles = Articles::from_articles(vec![
            article("a\"1", "Ferry \u{1}& <strike> halts crossings \\"),
            article("b", "Crossings halted \"ferry\" strike"),
        ]);
        let mlt = MltParams::default().check().unwrap();
        let terms = mlt.analyzer().terms_of(articles.as_slice());
        let graph = SimilarityGraph::from_hits(&mlt.index(articles.as_slice(), &terms, None).all_hits());
        let groups = GroupParams::default().check().unwrap().groups(&graph);
        let text = |format| {
            let mut out = Vec::new();
            write_graph(format, &articles, &graph, &groups, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(graph.edges().len(), 2);
        let csv = text(GraphFormat::Csv);
        assert!(csv.starts_with("from,to,score,rank\n\"a\"\"1\",b,"), "{csv}");
        // Parsed back: the same nodes with their titles and groups, the same edges with their scores.
        let titles = ["Ferry & <strike> halts crossings \\", "Crossings halted \"ferry\" strike"];
        for format in [GraphFormat::GraphMl, GraphFormat::Gexf] {
            let xml = text(format);
            let parsed = parse(&xml);
            let nodes: Vec<&Element> = parsed.iter().filter(|e| e.name == "node").collect();
            assert_eq!(nodes.iter().map(|n| n.value("id")).collect::<Vec<_>>(), ["a\"1", "b"], "{xml}");
            let of = |what: &str| -> Vec<String> {
                match format {
                    GraphFormat::GraphMl => {
                        let data = parsed.iter().filter(|e| e.name == "data" && e.value("key") == what);
                        data.map(|e| e.text.clone()).collect()
                    }
                    _ if what == "title" => nodes.iter().map(|n| n.value("label")).collect(),
                    _ => {
                        let values = parsed.iter().filter(|e| e.name == "attvalue" && e.value("for") == what);
                        values.map(|e| e.value("value")).collect()
                    }
                }
            };
            assert_eq!(of("title"), titles, "{xml}");
            assert_eq!(of("group"), ["1", "1"]);
            assert_eq!((of("component"), of("community").len()), (vec!["1".to_owned(), "1".to_owned()], 2));
            let edges: Vec<&Element> = parsed.iter().filter(|e| e.name == "edge").collect();
            let ends: Vec<(String, String)> = edges.iter().map(|e| (e.value("source"), e.value("target"))).collect();
            assert_eq!(ends, [("a\"1".into(), "b".into()), ("b".into(), "a\"1".into())], "{xml}");
            let scores: Vec<String> = match format {
                GraphFormat::GraphMl => of("score"),
                _ => edges.iter().map(|e| e.value("weight")).collect(),
            };
            assert_eq!(scores, graph.edges().iter().map(|e| e.score.to_string()).collect::<Vec<_>>());
            // What is referred to is declared.
            let declared: Vec<String> = parsed
                .iter()
                .filter(|e| matches!(e.name.as_str(), "key" | "attribute"))
                .map(|e| e.value("id"))
                .collect();
            for used in parsed.iter().filter(|e| matches!(e.name.as_str(), "data" | "attvalue")) {
                let key = if used.name == "data" { used.value("key") } else { used.value("for") };
                assert!(declared.contains(&key), "{key} is not declared in {xml}");
            }
        }
        let dot = text(GraphFormat::Dot);
        assert!(dot.contains(r#""a\"1" -> "b""#) && dot.contains(r#"crossings \\""#), "{dot}");
        assert!(GraphFormat::of(Path::new("x.xlsx")).is_err());
    }
}
