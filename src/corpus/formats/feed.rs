//! RSS, Atom and JSON Feed.

use std::io::Cursor;

use super::html::plain_text;
use super::xml::Elements;
use super::{Confidence, Format, FormatReader, Head, RecordReader, Source};
use crate::corpus::lines::{LONGEST, Text};
use crate::corpus::{Paper, Rejected};

/// The format.
///
/// An entry takes its outlet from its own source or the feed's title, its instant from `published`, else `updated`, its body from the
/// content, else the summary, without markup. Its identifier is its own, else its address, else made from its
/// text: the same entry in tomorrow's feed has the same. A date that is none is kept as it is written, for whoever reads
/// dates to name. Every entry is read on its own, so a broken one costs no other.
pub(super) struct Feed;

impl FormatReader for Feed {
    fn format(&self) -> Format {
        Format::Feed
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let text = head.text.trim_start();
        let has = |mark: &str| text.contains(mark);
        let xml = has("<rss") || has("<feed") && has("w3.org/2005/Atom") || has("<rdf:RDF") && has("purl.org/rss/");
        if text.starts_with('<') && xml || text.starts_with('{') && has("jsonfeed.org/version") {
            Confidence::Certain
        } else {
            Confidence::No
        }
    }

    fn open(&self, mut source: Source) -> Result<Box<dyn RecordReader>, String> {
        let text = source.text.rest(LONGEST).map_err(|error| error.to_string())?;
        Ok(Box::new(Entries(entries(&text, &source).into_iter())))
    }
}

struct Entries(std::vec::IntoIter<Result<Paper, Rejected>>);

impl Iterator for Entries {
    type Item = Result<Paper, Rejected>;
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

impl RecordReader for Entries {}

/// The elements that are entries.
const ENTRIES: &[&str] = &["item", "entry"];

fn entries(text: &str, source: &Source) -> Vec<Result<Paper, Rejected>> {
    let none = |reason: String| vec![Err(Rejected { place: source.place(1, 1), reason })];
    if text.trim_start().starts_with('{') {
        return match parse(text) {
            Err(reason) => none(reason),
            Ok(feed) => {
                let outlet = outlet(&feed);
                (1..)
                    .zip(feed.entries)
                    .map(|(record, entry)| paper(entry, &outlet, feed.language.as_ref(), None, source, record, 0))
                    .collect()
            }
        };
    }
    // The text is UTF-8 by now, whatever its declaration says.
    let start = text.trim_start();
    let text_after = match start.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        Some((_, rest)) => rest,
        None => start,
    };
    let before_lines = text[..text.len() - text_after.len()].matches('\n').count() as u64;
    let (root, close) = match () {
        () if text_after.contains("<rdf:RDF") => ("</rdf:RDF>", ""),
        () if text_after.contains("<rss") => ("</rss>", "</channel>"),
        () => ("</feed>", ""),
    };
    let mut elements = Elements::new(Text::new(Box::new(Cursor::new(text_after.as_bytes().to_vec()))), ENTRIES);
    let (mut found, mut head, mut record) = (Vec::new(), None, 0);
    loop {
        let piece = match elements.next() {
            Ok(Some(piece)) => piece,
            Ok(None) => break,
            Err(error) => {
                found.push(Err(Rejected::cut(&source.place(record + 1, elements.line() + before_lines), &error)));
                break;
            }
        };
        record += 1;
        let line = piece.line + before_lines;
        let head: &str = head.get_or_insert_with(|| {
            let skipped: usize = text_after.split_inclusive('\n').take(piece.line as usize - 1).map(str::len).sum();
            let from = text_after[skipped..].find(&piece.text).map_or(text_after.len(), |at| skipped + at);
            &text_after[..from]
        });
        let place = source.place(record, line);
        if !piece.whole {
            found.push(Err(Rejected { place, reason: "the entry does not end".into() }));
            continue;
        }
        match parse(&format!("{head}{}{close}{root}", piece.text)) {
            Err(reason) => found.push(Err(Rejected { place, reason })),
            Ok(feed) => {
                let outlet = outlet(&feed);
                match feed.entries.into_iter().next() {
                    Some(entry) => {
                        let raw = Some(piece.text.as_str());
                        found.push(paper(entry, &outlet, feed.language.as_ref(), raw, source, record, line));
                    }
                    None => found.push(Err(Rejected { place, reason: "the entry has neither title nor text".into() })),
                }
            }
        }
    }
    if record == 0
        && let Err(reason) = parse(text_after)
    {
        return none(reason);
    }
    found
}

fn parse(text: &str) -> Result<feed_rs::model::Feed, String> {
    // An entry without an id is known by its address; never by a random number.
    let parser = feed_rs::parser::Builder::new()
        .id_generator(|links, _, _| links.first().map(|link| link.href.clone()).unwrap_or_default())
        .build();
    parser.parse(text.as_bytes()).map_err(|error| format!("is no feed that can be read: {error}"))
}

fn outlet(feed: &feed_rs::model::Feed) -> String {
    feed.title.as_ref().map(|title| plain_text(&title.content)).unwrap_or_default()
}

fn paper(
    entry: feed_rs::model::Entry,
    outlet: &str,
    language: Option<&String>,
    raw: Option<&str>,
    source: &Source,
    record: u64,
    line: u64,
) -> Result<Paper, Rejected> {
    let place = source.place(record, line);
    let title = entry.title.map(|t| plain_text(&t.content)).unwrap_or_default();
    let body = entry.content.and_then(|c| c.body).or(entry.summary.map(|s| s.content));
    let body = body.map(|b| plain_text(&b)).unwrap_or_default();
    if title.is_empty() && body.is_empty() {
        return Err(Rejected { place, reason: "the entry has neither title nor text".into() });
    }
    let id = if entry.id.trim().is_empty() {
        format!("text-{:016x}", xxhash_rust::xxh3::xxh3_64(format!("{title}\n{body}").as_bytes()))
    } else {
        entry.id
    };
    let published = entry.published.or(entry.updated).map(|instant| instant.to_rfc3339());
    Ok(Paper {
        id,
        title,
        body,
        url: entry.links.first().map(|link| link.href.clone()).unwrap_or_default(),
        source: entry.source.filter(|s| !s.trim().is_empty()).unwrap_or_else(|| outlet.to_owned()),
        published: published.or_else(|| raw.and_then(written_date)).unwrap_or_default(),
        language: entry.language.or_else(|| language.cloned()).unwrap_or_default(),
        authors: entry.authors.into_iter().map(|a| a.name).filter(|n| !n.is_empty()).collect(),
        keywords: entry.categories.into_iter().map(|c| c.label.unwrap_or(c.term)).collect(),
        place,
        ..Paper::default()
    })
}

/// What an entry says in place of a date that could be read.
fn written_date(entry: &str) -> Option<String> {
    ["pubDate", "published", "dc:date", "updated"].iter().find_map(|name| {
        let (_, rest) = entry.split_once(&format!("<{name}"))?;
        let (_, rest) = rest.split_once('>')?;
        let (inside, _) = rest.split_once("</")?;
        let text = plain_text(inside);
        (!text.is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<Paper>, Vec<Rejected>) {
        let source = Source::of_text("feed.xml", "");
        let (mut papers, mut rejected) = (Vec::new(), Vec::new());
        for record in entries(text, &source) {
            match record {
                Ok(paper) => papers.push(paper),
                Err(bad) => rejected.push(bad),
            }
        }
        (papers, rejected)
    }

    const RSS: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?><rss version="2.0"><channel><title>Harbour Post</title><language>en</language>
<item><title>Ferry strike &amp;amp; fog</title><link>http://example.org/1</link><guid>g1</guid><pubDate>Wed, 01 May 2024 08:00:00 +0200</pubDate><description>&lt;p&gt;Crossings &lt;b&gt;halted&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Talks fail.&lt;/p&gt;</description></item>
<item><title>Fähre</title><link>http://example.org/2</link><pubDate>yesterday</pubDate></item>
<item><guid>empty</guid></item>
<item><title>broken <b></item>
<item><description>after it</description></item>
<item><title>cut sh"#;

    #[test]
    fn an_rss_feed_becomes_records_and_broken_entries_cost_no_other() {
        let (papers, rejected) = read(RSS);
        assert_eq!((papers[0].id.as_str(), papers[0].title.as_str()), ("g1", "Ferry strike & fog"));
        assert_eq!(papers[0].body, "Crossings halted.\nTalks fail.");
        assert_eq!(
            (papers[0].source.as_str(), papers[0].published.as_str(), papers[0].language.as_str()),
            ("Harbour Post", "2024-05-01T06:00:00+00:00", "en")
        );
        assert!(papers[1].id.starts_with("http://example.org/2"), "{}", papers[1].id);
        assert_eq!((papers[1].title.as_str(), papers[1].published.as_str()), ("Fähre", "yesterday"));
        assert_eq!((papers[2].body.as_str(), papers[2].id.as_str()), ("after it", read(RSS).0[2].id.as_str()));
        assert!(papers[2].id.starts_with("text-"), "{}", papers[2].id);
        let named: Vec<(u64, u64)> = rejected.iter().map(|r| (r.place.record, r.place.line)).collect();
        assert_eq!(named, [(3, 4), (4, 5), (6, 7)], "{rejected:?}");
        assert_eq!(rejected[0].reason, "the entry has neither title nor text");
        assert!(rejected[1].reason.starts_with("is no feed that can be read"), "{}", rejected[1].reason);
        assert_eq!(rejected[2].reason, "the entry does not end");
        let (none, rejected) = read("<rss");
        assert!(none.is_empty() && rejected.len() == 1);
    }

    #[test]
    fn an_atom_feed_falls_back_on_updated_and_summary() {
        let atom = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title>Vale News</title><id>x</id><updated>2024-05-02T00:00:00Z</updated>
<entry><id>urn:1</id><title>Salt price</title><updated>2024-05-01T08:00:00Z</updated><summary>Doubles in the valley</summary><link href="http://v.example/1"/></entry></feed>"#;
        let (papers, rejected) = read(atom);
        assert_eq!((papers[0].id.as_str(), papers[0].body.as_str()), ("urn:1", "Doubles in the valley"));
        assert_eq!(
            (papers[0].published.as_str(), papers[0].source.as_str(), rejected.len()),
            ("2024-05-01T08:00:00+00:00", "Vale News", 0)
        );
        assert_eq!(read("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>t</title></feed>"), (vec![], vec![]));
    }

    #[test]
    fn a_json_feed_and_rdf_are_feeds_too() {
        let json = r#"{"version":"https://jsonfeed.org/version/1.1","title":"Vale News","items":[{"id":"1","title":"Salt price","content_text":"doubles","date_published":"2024-05-01T08:00:00+02:00"},{"id":"2"}]}"#;
        let (papers, rejected) = read(json);
        assert_eq!((papers.len(), rejected.len()), (1, 1));
        assert_eq!(
            (papers[0].title.as_str(), papers[0].published.as_str()),
            ("Salt price", "2024-05-01T06:00:00+00:00")
        );
        let rdf = r#"<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="http://v.example/"><title>Vale News</title><link>http://v.example/</link><description>d</description></channel>
<item rdf:about="http://v.example/1"><title>Salt price</title><link>http://v.example/1</link><dc:date>2024-05-01T08:00:00Z</dc:date></item></rdf:RDF>"#;
        let (papers, rejected) = read(rdf);
        assert_eq!((papers.len(), rejected.len()), (1, 0), "{rejected:?}");
        assert_eq!((papers[0].title.as_str(), papers[0].source.as_str()), ("Salt price", "Vale News"));
    }
}
