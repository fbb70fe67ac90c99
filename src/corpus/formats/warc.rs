//! Web archives: WARC with whole responses, WET with plain text.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read};
use std::rc::Rc;
use std::sync::Arc;

use flate2::read::{GzDecoder, ZlibDecoder};
use warc::{RecordType, WarcHeader, WarcReader};

use super::html::page;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::{Paper, Rejected};
use crate::error::Place;

/// The format. It is not text: [`Input`](crate::corpus::input) leaves its bytes as they are, each document is decoded on its own.
///
/// A page takes its outlet from its host, its instant from what the page itself says (`article:published_time` and the
/// like; the time of the crawl is no date of publication and is kept as the extra value `crawled`), its body from its
/// paragraphs. Requests, metadata, pictures and redirections are passed over; a warning counts them.
pub(super) struct Warc;

/// How a web archive begins.
pub(in crate::corpus) const MARK: &[u8] = b"WARC/";

/// The largest document that is read, and the most that one is unpacked to: 64 MiB.
const LARGEST: u64 = 64 << 20;

impl FormatReader for Warc {
    fn format(&self) -> Format {
        Format::Warc
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        if head.text.as_bytes().starts_with(MARK) { Confidence::Certain } else { Confidence::No }
    }

    fn open(&self, source: Source) -> Result<Box<dyn RecordReader>, String> {
        let Source { text, file, run, .. } = source;
        let (records, passed) = pages(text.into_bytes(), file.clone());
        if passed > 0 {
            run.progress.warn(&format!(
                "{file}: {passed} records are no documents (requests, metadata, pictures, redirections) and are passed over"
            ));
        }
        Ok(Box::new(Pages(records.into_iter())))
    }
}

struct Pages(std::vec::IntoIter<Result<Paper, Rejected>>);

impl Iterator for Pages {
    type Item = Result<Paper, Rejected>;
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl RecordReader for Pages {}

/// The documents in their order, and how many records are none.
fn pages(input: Box<dyn BufRead + Send>, file: Arc<str>) -> (Vec<Result<Paper, Rejected>>, u64) {
    let (mut found, mut passed) = (Vec::new(), 0);
    let end = Rc::new(RefCell::new(Vec::new()));
    let mut records = WarcReader::new(BufReader::new(Tail { input, end: end.clone() }));
    let mut records = records.stream_records();
    let mut record = 0;
    // Where the next record starts is not known any more then.
    let broken = |place: Place, error: &dyn std::fmt::Display| {
        Err(Rejected { place, reason: format!("broken web archive: {error}; the rest is not read") })
    };
    loop {
        let next = records.next_item();
        let Some(next) = next else { break };
        record += 1;
        let place = Place { file: file.clone(), record, line: 0 };
        let next = match next {
            Ok(next) => next,
            Err(error) => {
                found.push(broken(place, &error));
                break;
            }
        };
        let kind = next.warc_type().clone();
        if !matches!(kind, RecordType::Response | RecordType::Conversion | RecordType::Resource) {
            passed += 1;
            continue;
        }
        if next.content_length() > LARGEST {
            found.push(Err(Rejected { place, reason: format!("a document of {} bytes", next.content_length()) }));
            continue;
        }
        let next = match next.into_buffered() {
            Ok(next) => next,
            Err(error) => {
                found.push(broken(place, &error));
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
                found.push(Ok(page));
            }
            Ok(None) => passed += 1,
            Err(reason) => found.push(Err(Rejected { place, reason })),
        }
    }
    // Every record ends with two line ends; the reader takes a header that is cut short for the end of the file.
    if !end.borrow().is_empty() && !end.borrow().ends_with(b"\n\r\n") && !end.borrow().ends_with(b"\n\n") {
        let place = Place { file, record: record + 1, line: 0 };
        found.push(Err(Rejected { place, reason: "broken web archive: it is cut short".into() }));
    }
    (found, passed)
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

#[cfg(test)]
mod tests {
    use super::*;

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
        let read = |text: &str| pages(Box::new(std::io::Cursor::new(text.to_owned())), "x.warc".into());
        let (records, passed) = read(&archive);
        let papers: Vec<&Paper> = records.iter().flatten().collect();
        let rejected: Vec<&Rejected> = records.iter().filter_map(|r| r.as_ref().err()).collect();
        let first = papers[0];
        assert_eq!((first.title.as_str(), first.body.as_str()), ("Ferry strike", "Crossings & talks\nfail again."));
        assert_eq!((first.id.as_str(), first.source.as_str()), ("https://www.post.example/ferry", "post.example"));
        assert_eq!((first.published.as_str(), first.language.as_str()), ("2024-05-01T08:00:00+02:00", "en"));
        assert_eq!((papers[1].title.as_str(), papers[1].body.as_str()), ("Salt price", "Doubles in the valley"));
        assert_eq!((papers.len(), passed, rejected.len()), (2, 2, 1));
        assert_eq!(rejected[0].reason, "the page holds no text");
        let (cut, _) = read(&archive[..archive.len() - 200]);
        assert_eq!(cut.iter().flatten().count(), 1);
        assert!(cut.last().unwrap().as_ref().unwrap_err().reason.contains("broken web archive"));
    }
}
