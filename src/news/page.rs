//! The groups as one HTML page that needs nothing else: search, groups by day, scores, and why.

use std::io::{self, Write};

use jiff::tz::TimeZone;
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{Article, ArticleAnalyzer, Articles, Groups, Index, SimilarityGraph};
use crate::text::Language;

/// The page around the data.
const PAGE: &str = include_str!("page.html");
/// How many neighbours of an article are told, and how many shared terms of each.
const NEIGHBOURS: usize = 5;
const TERMS: usize = 8;

#[derive(Serialize)]
struct ShownGroup<'a> {
    number: u32,
    day: Option<String>,
    articles: Vec<ShownArticle<'a>>,
}

#[derive(Serialize)]
struct ShownArticle<'a> {
    id: &'a str,
    title: &'a str,
    source: &'a str,
    url: &'a str,
    published: Option<String>,
    like: Vec<ShownEdge>,
}

#[derive(Serialize)]
struct ShownEdge {
    to: usize,
    score: String,
    terms: Vec<(String, f64)>,
}

/// Writes the page: the groups of at least two by the UTC day of their first article, the latest day first; in each article the neighbours
/// of its own group with their scores and the terms they share, the weightiest first. With an index of the articles the
/// shared terms are told; a graph of another method has none.
///
/// # Errors
/// If the writer fails.
pub fn write_page(
    articles: &Articles,
    index: Option<&Index<'_>>,
    graph: &SimilarityGraph,
    groups: &Groups,
    mut out: impl Write,
) -> io::Result<()> {
    let [number, _, _] = groups.numbers();
    let all = articles.as_slice();
    let mut shown: Vec<ShownGroup<'_>> = Vec::new();
    let edges = graph.edges();
    let mut words = WordForms::default();
    for mut members in groups.groups.groups() {
        if members.len() < 2 {
            continue;
        }
        members.sort_by_key(|&v| (all[v as usize].published.is_none(), all[v as usize].published, v));
        let day = all[members[0] as usize].published.map(|t| t.to_zoned(TimeZone::UTC).date().to_string());
        let shown_articles = members
            .iter()
            .map(|&v| {
                let article = &all[v as usize];
                let forms = index.map(|i| words.of(article, i.analyzer())).unwrap_or_default();
                let own = edges.partition_point(|e| e.from < v)..edges.partition_point(|e| e.from <= v);
                let like = edges[own]
                    .iter()
                    .filter_map(|edge| Some((edge, members.iter().position(|&w| w == edge.to)?)))
                    .take(NEIGHBOURS)
                    .map(|(edge, to)| {
                        let mut terms: Vec<(&str, f64)> = Vec::new();
                        for (term, _, share) in index.map(|i| i.why(v, edge.to)).unwrap_or_default() {
                            match terms.iter_mut().find(|t| t.0 == term) {
                                // The same word in title and body.
                                Some(known) => known.1 += share,
                                None => terms.push((term, share)),
                            }
                        }
                        terms.truncate(TERMS);
                        let terms = terms
                            .into_iter()
                            .map(|(term, share)| {
                                let written = forms.get(term).map_or(term, String::as_str);
                                (written.to_owned(), (share * 1e4).round() / 1e4)
                            })
                            .collect();
                        ShownEdge { to, score: format!("{:.3}", edge.score.value()), terms }
                    })
                    .collect();
                ShownArticle {
                    id: &article.id,
                    title: &article.title,
                    source: &article.source,
                    url: &article.url,
                    published: article.published.map(|t| t.strftime("%Y-%m-%d %H:%M UTC").to_string()),
                    like,
                }
            })
            .collect();
        shown.push(ShownGroup { number: number[members[0] as usize], day, articles: shown_articles });
    }
    shown.sort_by(|x, y| y.day.cmp(&x.day).then(x.number.cmp(&y.number)));
    // `</script>` in a title must not end the data.
    let data = serde_json::to_string(&shown)?.replace("</", "<\\/").replace("<!--", "<\\u0021--");
    let (before, after) = PAGE.split_once("@DATA@").expect("the page has a place for the data");
    out.write_all(before.as_bytes())?;
    out.write_all(data.as_bytes())?;
    out.write_all(after.as_bytes())
}

/// How terms are written in the articles: nobody knows that `ferri` is a ferry.
#[derive(Default)]
struct WordForms {
    /// By language and word in lower case: its term, if it is one.
    term_of: FxHashMap<(Language, String), Option<String>>,
}

impl WordForms {
    /// By term: the first word of the article that it was made of. Languages without blanks between words have terms as they are written.
    fn of(&mut self, article: &Article, analyzer: &ArticleAnalyzer) -> FxHashMap<String, String> {
        let language = analyzer.language(article);
        let mut forms = FxHashMap::default();
        let text = format!("{} {}", article.title, article.body);
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            let key = (language, word);
            if !self.term_of.contains_key(&key) {
                let alone = Article { body: key.1.clone(), language: article.language.clone(), ..Article::default() };
                let [_, mut terms] = analyzer.terms_in(&alone, language).fields;
                let term = (terms.len() == 1).then(|| terms.remove(0).0);
                self.term_of.insert(key.clone(), term);
            }
            if let Some(Some(term)) = self.term_of.get(&key)
                && !forms.contains_key(term)
            {
                forms.insert(term.clone(), key.1);
            }
        }
        forms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::news::{Article, GroupParams, MltParams};

    #[test]
    fn the_page_holds_groups_by_day_with_scores_and_shared_terms() {
        let article = |id: &str, title: &str, published: &str| Article {
            id: id.into(),
            title: title.into(),
            published: published.parse().ok(),
            ..Article::default()
        };
        let articles = Articles::from_articles(vec![
            article("1", "Ferry strike halts island crossings </script><b>", "2024-05-02T01:00:00Z"),
            article("2", "Island crossings halted by ferry strike", "2024-05-01T23:00:00Z"),
            article("3", "Salt price doubles in valley", ""),
            article("4", "Valley bakers angry over salt price", ""),
            article("5", "Owls", ""),
        ]);
        let mlt = MltParams::default().check().unwrap();
        let terms = mlt.analyzer().terms_of(articles.as_slice());
        let index = mlt.index(articles.as_slice(), &terms, None);
        let graph = SimilarityGraph::from_hits(&index.all_hits());
        let groups = GroupParams::default().check().unwrap().groups(&graph);
        let mut out = Vec::new();
        write_page(&articles, Some(&index), &graph, &groups, &mut out).unwrap();
        let page = String::from_utf8(out).unwrap();
        assert_eq!(page.matches("</script>").count(), 2, "the title ends no script");
        let data = page.split_once("application/json\">").unwrap().1.split_once("</script>").unwrap().0;
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(data.as_array().unwrap().len(), 2);
        assert_eq!((data[0]["day"].as_str(), data[1]["day"].as_str()), (Some("2024-05-01"), None));
        let first = &data[0]["articles"][0];
        assert_eq!(first["id"], "2");
        assert_eq!(first["like"][0]["to"], 1);
        let shared: Vec<&str> =
            first["like"][0]["terms"].as_array().unwrap().iter().map(|t| t[0].as_str().unwrap()).collect();
        assert_eq!(shared.len(), 5, "{shared:?}");
        assert!(shared.contains(&"ferry") && shared.contains(&"halted"), "{shared:?}");
    }
}
