//! RSS, Atom, JSON Feed and web archives (WARC, WET) as records.

use std::cell::RefCell;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use flate2::read::{GzDecoder, MultiGzDecoder, ZlibDecoder};
use warc::{RecordType, WarcHeader, WarcReader};

use crate::corpus::{Paper, Rejected};
use crate::error::{FileError, Place};

/// What a file of news that is no table of records holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedFormat {
    /// RSS, Atom or JSON Feed.
    Feed,
    /// WARC, or WET with plain text.
    Warc,
}

/// The records of a feed or a web archive.
#[derive(Debug, Default)]
pub struct Feed {
    /// The articles.
    pub papers: Vec<Paper>,
    /// What is none, with the reason.
    pub rejected: Vec<Rejected>,
    /// Records of a web archive that are no documents: requests, metadata, pictures.
    pub passed: u64,
}

/// The largest document of a web archive that is read, and the most that one is unpacked to: 64 MiB.
const LARGEST: u64 = 64 << 20;

/// What a file holds, by its beginning, plain or gzip; `None` if neither feed nor web archive. Standard input (`-`) is not looked at.
///
/// # Errors
/// If the file cannot be read.
pub fn feed_format(path: &Path) -> Result<Option<FeedFormat>, FileError> {
    if path == Path::new("-") {
        return Ok(None);
    }
    let mut head = Vec::new();
    // A file cut short in its first block is left to the reader that will be chosen.
    let _ = unpacked(path)?.take(2048).read_to_end(&mut head);
    Ok(sniff(&head))
}

fn sniff(head: &[u8]) -> Option<FeedFormat> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let has = |mark: &str| text.contains(mark);
    if text.starts_with("WARC/") {
        Some(FeedFormat::Warc)
    } else if text.starts_with('<') && (has("<rss") || has("<feed") || has("<rdf:RDF"))
        || text.starts_with('{') && has("jsonfeed.org/version")
    {
        Some(FeedFormat::Feed)
    } else {
        None
    }
}

fn unpacked(path: &Path) -> Result<Box<dyn BufRead>, FileError> {
    let mut raw = BufReader::with_capacity(1 << 16, File::open(path).map_err(FileError::at(path))?);
    let packed = raw.fill_buf().map_err(FileError::at(path))?.starts_with(&[0x1f, 0x8b]);
    Ok(if packed { Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(raw))) } else { Box::new(raw) })
}

/// Reads a feed or a web archive.
///
/// A feed's entry takes its outlet from the entry's own source or the feed's title, its instant from `published`, else `updated`, its
/// body from the content, else the summary, without markup. A page of a web archive takes its outlet from its host, its instant
/// from what the page itself says (`article:published_time` and the like; the time of the crawl is no date of publication and
/// is kept as the extra value `crawled`), its body from its paragraphs.
///
/// # Errors
/// If the file cannot be opened, or a feed is none.
pub fn read_feed(path: &Path, format: FeedFormat) -> Result<Feed, FileError> {
    let name = path.display().to_string();
    let input = unpacked(path)?;
    match format {
        FeedFormat::Feed => entries(input, &name).map_err(|e| FileError::new(path, e)),
        FeedFormat::Warc => Ok(pages(input, &name)),
    }
}

fn entries(mut input: impl Read, file: &str) -> std::io::Result<Feed> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    // An entry without an id is known by its address, else by its title; never by a random number.
    let parser = feed_rs::parser::Builder::new()
        .id_generator(|links, title, _| {
            let link = links.first().map(|l| l.href.clone());
            link.or_else(|| title.as_ref().map(|t| t.content.clone())).unwrap_or_default()
        })
        .build();
    let feed = parser
        .parse(bytes.as_slice())
        .map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidData, format!("is no feed: {e}")))?;
    let outlet = feed.title.map(|t| plain_text(&t.content)).unwrap_or_default();
    let file: Arc<str> = file.into();
    let mut found = Feed::default();
    for (record, entry) in (1..).zip(feed.entries) {
        let place = Place { file: file.clone(), record, line: 0 };
        let title = entry.title.map(|t| plain_text(&t.content)).unwrap_or_default();
        let body = entry.content.and_then(|c| c.body).or(entry.summary.map(|s| s.content));
        let body = body.map(|b| plain_text(&b)).unwrap_or_default();
        if title.is_empty() && body.is_empty() {
            found.rejected.push(Rejected { place, reason: "the entry has neither title nor text".into() });
            continue;
        }
        let url = entry.links.first().map(|l| l.href.clone()).unwrap_or_default();
        let id = if entry.id.is_empty() { format!("{file}#{record}") } else { entry.id };
        found.papers.push(Paper {
            id,
            title,
            body,
            url,
            source: entry.source.filter(|s| !s.trim().is_empty()).unwrap_or_else(|| outlet.clone()),
            published: entry.published.or(entry.updated).map(|t| t.to_rfc3339()).unwrap_or_default(),
            language: entry.language.or(feed.language.clone()).unwrap_or_default(),
            authors: entry.authors.into_iter().map(|a| a.name).filter(|n| !n.is_empty()).collect(),
            keywords: entry.categories.into_iter().map(|c| c.label.unwrap_or(c.term)).collect(),
            place,
            ..Paper::default()
        });
    }
    Ok(found)
}

fn pages(input: Box<dyn BufRead>, file: &str) -> Feed {
    let file: Arc<str> = file.into();
    let mut found = Feed::default();
    let end = Rc::new(RefCell::new(Vec::new()));
    let mut records = WarcReader::new(BufReader::new(Tail { input, end: end.clone() }));
    let mut records = records.stream_records();
    let mut record = 0;
    loop {
        let next = records.next_item();
        let Some(next) = next else { break };
        record += 1;
        let place = Place { file: file.clone(), record, line: 0 };
        let next = match next {
            Ok(next) => next,
            Err(error) => {
                // Where the next record starts is not known any more.
                found
                    .rejected
                    .push(Rejected { place, reason: format!("broken web archive: {error}; the rest is not read") });
                break;
            }
        };
        let kind = next.warc_type().clone();
        if !matches!(kind, RecordType::Response | RecordType::Conversion | RecordType::Resource) {
            found.passed += 1;
            continue;
        }
        if next.content_length() > LARGEST {
            found.rejected.push(Rejected { place, reason: format!("a document of {} bytes", next.content_length()) });
            continue;
        }
        let next = match next.into_buffered() {
            Ok(next) => next,
            Err(error) => {
                found
                    .rejected
                    .push(Rejected { place, reason: format!("broken web archive: {error}; the rest is not read") });
                break;
            }
        };
        let header = |name| next.header(name).map(|v| v.trim().to_owned()).unwrap_or_default();
        let url = header(WarcHeader::TargetURI).trim_matches(['<', '>']).to_owned();
        let crawled = header(WarcHeader::Date);
        let page = match kind {
            RecordType::Response => response(next.body()),
            _ => document(&header(WarcHeader::ContentType), next.body()),
        };
        match page {
            Ok(Some(mut page)) => {
                page.id = if url.is_empty() { next.warc_id().trim_matches(['<', '>']).to_owned() } else { url.clone() };
                page.source = host(&url);
                page.url = url;
                page.place = place;
                page.extra.insert("crawled".into(), crawled.into());
                found.papers.push(page);
            }
            Ok(None) => found.passed += 1,
            Err(reason) => found.rejected.push(Rejected { place, reason }),
        }
    }
    // Every record ends with two line ends; the reader takes a header that is cut short for the end of the file.
    if !end.borrow().is_empty() && !end.borrow().ends_with(b"\n\r\n") && !end.borrow().ends_with(b"\n\n") {
        let place = Place { file, record: record + 1, line: 0 };
        found.rejected.push(Rejected { place, reason: "broken web archive: it is cut short".into() });
    }
    found
}

/// Remembers the last bytes of what is read.
struct Tail<R> {
    input: R,
    end: Rc<RefCell<Vec<u8>>>,
}

impl<R: Read> Read for Tail<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.input.read(out)?;
        let mut end = self.end.borrow_mut();
        end.extend_from_slice(&out[count.saturating_sub(4)..count]);
        let surplus = end.len().saturating_sub(4);
        end.drain(..surplus);
        Ok(count)
    }
}

fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default().to_lowercase();
    host.strip_prefix("www.").unwrap_or(&host).to_owned()
}

/// The page in an HTTP response; `None` if it is no page (a picture, a redirection).
fn response(bytes: &[u8]) -> Result<Option<Paper>, String> {
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").ok_or("an HTTP response without a header")?;
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default();
    if status.split_whitespace().nth(1).is_none_or(|code| !code.starts_with('2')) {
        return Ok(None);
    }
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':').map(|(k, v)| (k.trim().to_lowercase(), v.trim().to_owned())))
        .collect();
    let value = |name: &str| headers.iter().find(|h| h.0 == name).map_or("", |h| h.1.as_str());
    let mut body = bytes[end + 4..].to_vec();
    if value("transfer-encoding").eq_ignore_ascii_case("chunked") {
        // Archives that keep the header of a body whose chunks they have joined are common.
        body = unchunked(&body).unwrap_or(body);
    }
    let packed = |e: std::io::Error| format!("the page is packed and broken: {e}");
    let mut plain = Vec::new();
    match value("content-encoding").to_lowercase().as_str() {
        "gzip" | "x-gzip" if body.starts_with(&[0x1f, 0x8b]) => {
            GzDecoder::new(body.as_slice()).take(LARGEST).read_to_end(&mut plain).map_err(packed)?;
        }
        "deflate" => {
            ZlibDecoder::new(body.as_slice()).take(LARGEST).read_to_end(&mut plain).map_err(packed)?;
        }
        _ => plain = body,
    }
    document(value("content-type"), &plain)
}

fn unchunked(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = bytes.windows(2).position(|w| w == b"\r\n")?;
        let size = std::str::from_utf8(&bytes[..end]).ok()?.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        bytes = &bytes[end + 2..];
        if size == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(bytes.get(..size)?);
        bytes = bytes.get(size + 2..)?;
    }
}

/// The article in a document; `None` if it is neither HTML nor plain text.
fn document(content_type: &str, bytes: &[u8]) -> Result<Option<Paper>, String> {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let html = matches!(kind.as_str(), "text/html" | "application/xhtml+xml" | "");
    if !html && kind != "text/plain" {
        return Ok(None);
    }
    let said =
        content_type.to_lowercase().split("charset=").nth(1).map(|c| c.trim_matches(['"', '\'', ' ', ';']).to_owned());
    let in_page = || {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(2048)]).to_lowercase();
        let label = head.split("charset=").nth(1)?.trim_start_matches(['"', '\'']).to_owned();
        Some(label.split(['"', '\'', ' ', ';', '>', '/']).next()?.to_owned())
    };
    let label = said.or_else(in_page).unwrap_or_else(|| "utf-8".into());
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let text = encoding.decode(bytes).0;
    let page = if html {
        page(&text)
    } else {
        let (title, body) = text.trim().split_once('\n').unwrap_or((text.trim(), ""));
        Paper { title: title.trim().into(), body: body.trim().into(), ..Paper::default() }
    };
    if page.title.is_empty() && page.body.is_empty() {
        return Err("the page holds no text".into());
    }
    Ok(Some(page))
}

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
fn page(html: &str) -> Paper {
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

    const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour Post</title><language>en</language>
<item><title>Ferry strike &amp;amp; fog</title><link>http://example.org/1</link><guid>g1</guid><pubDate>Wed, 01 May 2024 08:00:00 +0200</pubDate><description>&lt;p&gt;Crossings &lt;b&gt;halted&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Talks fail.&lt;/p&gt;</description></item>
<item><title>No id, no date</title><link>http://example.org/2</link></item><item><guid>empty</guid></item></channel></rss>"#;

    #[test]
    fn an_rss_feed_becomes_records_and_empty_entries_are_named() {
        assert_eq!(sniff(RSS.as_bytes()), Some(FeedFormat::Feed));
        let feed = entries(RSS.as_bytes(), "feed.xml").unwrap();
        let first = &feed.papers[0];
        assert_eq!((first.id.as_str(), first.title.as_str()), ("g1", "Ferry strike & fog"));
        assert_eq!(first.body, "Crossings halted.\nTalks fail.");
        assert_eq!((first.source.as_str(), first.published.as_str()), ("Harbour Post", "2024-05-01T06:00:00+00:00"));
        assert!(feed.papers[1].id.starts_with("http://example.org/2") && feed.papers[1].published.is_empty());
        assert_eq!(feed.rejected.len(), 1);
        assert_eq!(
            (feed.rejected[0].place.record, feed.rejected[0].reason.as_str()),
            (3, "the entry has neither title nor text")
        );
        assert!(entries("<rss".as_bytes(), "x").is_err());
    }

    #[test]
    fn an_atom_feed_falls_back_on_updated_and_summary() {
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Vale News</title><id>x</id><updated>2024-05-02T00:00:00Z</updated>
<entry><id>urn:1</id><title>Salt price</title><updated>2024-05-01T08:00:00Z</updated><summary>Doubles in the valley</summary><link href="http://v.example/1"/></entry></feed>"#;
        assert_eq!(sniff(atom.as_bytes()), Some(FeedFormat::Feed));
        let feed = entries(atom.as_bytes(), "a.xml").unwrap();
        let paper = &feed.papers[0];
        assert_eq!((paper.id.as_str(), paper.body.as_str()), ("urn:1", "Doubles in the valley"));
        assert_eq!((paper.published.as_str(), paper.source.as_str()), ("2024-05-01T08:00:00+00:00", "Vale News"));
    }

    fn record(kind: &str, url: &str, content_type: &str, body: &str) -> String {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{}>\r\nWARC-Date: 2024-05-03T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            url.len(),
            body.len()
        )
    }

    #[test]
    fn a_web_archive_becomes_records_without_what_stands_around() {
        let html = "<html lang='en'><head><title>Ferry | Post</title><meta property=\"og:title\" content=\"Ferry strike\"><meta property='article:published_time' content='2024-05-01T08:00:00+02:00'><script>var p = '<p>no</p>';</script></head><body><nav><p>Home</p></nav><article><p>Crossings &amp; talks</p><p>fail <b>again</b>.</p></article><p>Related</p><footer><p>Imprint</p></footer></body></html>";
        let http = |status: &str, body: &str| {
            format!(
                "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
                body.len()
            )
        };
        let archive = [
            record("warcinfo", "", "application/warc-fields", "software: test"),
            record("response", "https://www.post.example/ferry", "application/http", &http("200 OK", html)),
            record(
                "response",
                "https://www.post.example/gone",
                "application/http",
                &http("404 Not Found", "<p>no</p>"),
            ),
            record("response", "https://a.example/empty", "application/http", &http("200 OK", "<div></div>")),
            record("conversion", "https://b.example/wet", "text/plain", "Salt price\nDoubles in the valley"),
        ]
        .concat();
        assert_eq!(sniff(archive.as_bytes()), Some(FeedFormat::Warc));
        let feed = pages(Box::new(std::io::Cursor::new(archive.clone())), "x.warc");
        let first = &feed.papers[0];
        assert_eq!((first.title.as_str(), first.body.as_str()), ("Ferry strike", "Crossings & talks\nfail again."));
        assert_eq!((first.id.as_str(), first.source.as_str()), ("https://www.post.example/ferry", "post.example"));
        assert_eq!((first.published.as_str(), first.language.as_str()), ("2024-05-01T08:00:00+02:00", "en"));
        assert_eq!(
            (feed.papers[1].title.as_str(), feed.papers[1].body.as_str()),
            ("Salt price", "Doubles in the valley")
        );
        assert_eq!((feed.papers.len(), feed.passed, feed.rejected.len()), (2, 2, 1));
        assert_eq!(feed.rejected[0].reason, "the page holds no text");
        let cut = pages(Box::new(std::io::Cursor::new(archive[..archive.len() - 200].to_owned())), "x.warc");
        assert!(cut.papers.len() == 1 && cut.rejected.last().unwrap().reason.contains("broken web archive"));
    }

    #[test]
    fn markup_that_is_none_is_text() {
        assert_eq!(plain_text("2 < 3 &amp; a<b>c</b> <!-- x --> d <"), "2 < 3 & ac d <");
        assert_eq!(attribute("a data-href='x' href=\"y z\"", "href"), Some("y z"));
    }
}
