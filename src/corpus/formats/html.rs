//! HTML of feeds and web archives: text without markup, and the article in a page.

use crate::corpus::Paper;

/// A piece of HTML: a tag (name in lower case, whole inside, whether it closes) or text.
enum Piece<'h> {
    Tag { name: String, inside: &'h str, closes: bool },
    Text(&'h str),
}

/// The pieces of HTML. Comments, scripts and styles are left out; whatever is broken is text.
fn pieces<'h>(html: &'h str, mut visit: impl FnMut(Piece<'h>)) {
    let mut rest = html;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            visit(Piece::Text(rest));
            return;
        };
        if start > 0 {
            visit(Piece::Text(&rest[..start]));
        }
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let opens = rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!' || c == '?');
        let end = if opens { rest.find('>') } else { None };
        let Some(end) = end else {
            visit(Piece::Text(&rest[..1]));
            rest = &rest[1..];
            continue;
        };
        let inside = &rest[1..end];
        rest = &rest[end + 1..];
        let closes = inside.starts_with('/');
        let name: String = inside
            .trim_start_matches('/')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        if !closes && matches!(name.as_str(), "script" | "style" | "noscript" | "template" | "svg") {
            let close = format!("</{name}");
            let lower = rest.to_ascii_lowercase();
            rest = lower.find(&close).map_or("", |at| &rest[at..]);
            continue;
        }
        visit(Piece::Tag { name, inside, closes });
    }
}

fn attribute<'h>(inside: &'h str, name: &str) -> Option<&'h str> {
    let lower = inside.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = lower[from..].find(name) {
        let start = from + at;
        let after = start + name.len();
        from = after;
        let apart = inside[..start].ends_with(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        let value = inside[after..].trim_start();
        if let (true, Some(value)) = (apart, value.strip_prefix('=')) {
            let value = value.trim_start();
            return match value.chars().next() {
                Some(quote @ ('"' | '\'')) => value[1..].split(quote).next(),
                _ => value.split_whitespace().next(),
            };
        }
    }
    None
}

/// Text without markup: entities decoded, blocks apart by line feeds, blanks joined.
pub(super) fn plain_text(html: &str) -> String {
    let mut lines = vec![String::new()];
    pieces(html, |piece| match piece {
        Piece::Text(text) => lines.last_mut().expect("one at least").push_str(&html_escape::decode_html_entities(text)),
        Piece::Tag { name, .. } => {
            if matches!(
                name.as_str(),
                "p" | "br" | "div" | "li" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "tr" | "blockquote"
            ) {
                lines.push(String::new());
            }
        }
    });
    let lines: Vec<String> = lines.iter().map(|l| joined(l)).filter(|l| !l.is_empty()).collect();
    lines.join("\n")
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Title, text, language and instant of a page. The text is that of its paragraphs, inside `article` where there is
/// one; navigation, headers, footers, forms and what stands beside are left out.
pub(super) fn page(html: &str) -> Paper {
    let mut paper = Paper::default();
    let mut title = String::new();
    let mut heading = String::new();
    let mut in_title = false;
    let (mut beside, mut article) = (0u32, 0u32);
    let mut has_article = false;
    let mut paragraph: Option<String> = None;
    // Whether a paragraph stands inside an article, and its text.
    let mut paragraphs: Vec<(bool, String)> = Vec::new();
    pieces(html, |piece| match piece {
        Piece::Text(text) => {
            let text = html_escape::decode_html_entities(text);
            if in_title {
                title.push_str(&text);
            } else if let Some(paragraph) = &mut paragraph {
                paragraph.push_str(&text);
            }
        }
        Piece::Tag { name, inside, closes } => {
            let step = |depth: &mut u32| *depth = if closes { depth.saturating_sub(1) } else { *depth + 1 };
            match name.as_str() {
                "title" => in_title = !closes && title.is_empty(),
                "html" if !closes => paper.language = attribute(inside, "lang").unwrap_or_default().to_owned(),
                "meta" => {
                    let key =
                        attribute(inside, "property").or(attribute(inside, "name")).or(attribute(inside, "itemprop"));
                    let content = attribute(inside, "content").unwrap_or_default();
                    let content = html_escape::decode_html_entities(content).trim().to_owned();
                    match key.unwrap_or_default().to_lowercase().as_str() {
                        "og:title" => heading = content,
                        "article:published_time"
                        | "datepublished"
                        | "date"
                        | "pubdate"
                        | "dc.date"
                        | "dc.date.issued"
                            if paper.published.is_empty() =>
                        {
                            paper.published = content;
                        }
                        _ => {}
                    }
                }
                "time" if !closes && paper.published.is_empty() && article > 0 => {
                    paper.published = attribute(inside, "datetime").unwrap_or_default().to_owned();
                }
                "nav" | "header" | "footer" | "aside" | "form" => step(&mut beside),
                "article" => {
                    has_article |= !closes;
                    step(&mut article);
                }
                "p" | "h2" | "h3" | "blockquote" | "div" | "li" => {
                    if let Some(text) = paragraph.take() {
                        paragraphs.push((article > 0, joined(&text)));
                    }
                    if name == "p" && !closes && beside == 0 {
                        paragraph = Some(String::new());
                    }
                }
                "br" => {
                    if let Some(paragraph) = &mut paragraph {
                        paragraph.push(' ');
                    }
                }
                _ => {}
            }
        }
    });
    paragraphs.extend(paragraph.map(|text| (article > 0, joined(&text))));
    let inside = has_article && paragraphs.iter().any(|p| p.0 && !p.1.is_empty());
    let kept: Vec<String> =
        paragraphs.into_iter().filter(|p| !p.1.is_empty() && (p.0 || !inside)).map(|p| p.1).collect();
    paper.title = if heading.is_empty() { joined(&title) } else { heading };
    paper.body = kept.join("\n");
    paper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_that_is_none_is_text() {
        assert_eq!(plain_text("2 < 3 &amp; a<b>c</b> <!-- x --> d <"), "2 < 3 & ac d <");
        assert_eq!(attribute("a data-href='x' href=\"y z\"", "href"), Some("y z"));
    }
}
