//! Text without the markup that publishers, scrapers and double escaping leave in titles and abstracts.
//!
//! The rule, for whatever compares texts or counts words ([`Paper::text`](super::Paper::text)); records keep what the
//! source wrote:
//! 1. Character references (`&lt;`, `&eacute;`, `&#x2013;`) are decoded, and decoded once more where the first pass
//!    uncovered others (`&amp;lt;`), never a third time.
//! 2. Tags of HTML, JATS and MathML are taken away: inline ones (`<i>`, `<sub>`, `<jats:italic>`) leave nothing, so
//!    `CO<sub>2</sub>` is one word; those that break a line (`<p>`, `<br/>`, `<jats:title>`) leave a blank; scripts and
//!    styles go with their content. `<` before anything but a known name, well-formed to its `>`, is a letter like any
//!    other: `5 < n < 9` stays.
//! 3. Control characters become blanks.

use std::borrow::Cow;

use super::Paper;

/// Tags that leave nothing.
const INLINE: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "b",
    "bdi",
    "bdo",
    "big",
    "bold",
    "cite",
    "code",
    "em",
    "font",
    "i",
    "inf",
    "ins",
    "italic",
    "kbd",
    "mark",
    "monospace",
    "overline",
    "q",
    "roman",
    "s",
    "samp",
    "sans-serif",
    "sc",
    "scp",
    "small",
    "span",
    "strike",
    "strong",
    "styled-content",
    "sub",
    "sup",
    "tt",
    "u",
    "underline",
    "var",
    "xref",
    "ext-link",
    "named-content",
    "inline-formula",
    "tex-math",
    "math",
    "mi",
    "mo",
    "mn",
    "ms",
    "mtext",
    "mrow",
    "msub",
    "msup",
    "msubsup",
    "mfrac",
    "msqrt",
    "mroot",
    "mover",
    "munder",
    "munderover",
    "mfenced",
    "mstyle",
    "mspace",
    "semantics",
    "annotation",
];

/// Tags that leave a blank.
const BREAKING: &[&str] = &[
    "abstract",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "center",
    "dd",
    "disp-formula",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "img",
    "label",
    "li",
    "list",
    "list-item",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "sec",
    "section",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "wbr",
];

/// The text as a reader would see it. Borrowed where there is nothing to do.
pub fn plain(text: &str) -> Cow<'_, str> {
    let suspicious = |b: u8| b == b'&' || b == b'<' || b == 0x7f || (b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r'));
    if !text.bytes().any(suspicious) {
        return Cow::Borrowed(text);
    }
    let mut text = decoded(decoded(Cow::Borrowed(text)));
    if text.contains('<') {
        text = Cow::Owned(without_tags(&text));
    }
    let control = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    if text.contains(control) {
        text = Cow::Owned(text.chars().map(|c| if control(c) { ' ' } else { c }).collect());
    }
    text
}

impl Paper {
    /// Makes the title, the abstract and the body [`plain`]; the original of one that changes goes to `extra`, as
    /// `title_original` and so on.
    pub fn make_plain(&mut self) {
        let fields = [
            ("title_original", &mut self.title),
            ("abstract_original", &mut self.abstract_text),
            ("body_original", &mut self.body),
        ];
        for (name, text) in fields {
            let new = match plain(text) {
                Cow::Owned(new) if new != *text => new,
                _ => continue,
            };
            let original = std::mem::replace(text, new);
            self.extra.entry(name).or_insert_with(|| original.into());
        }
    }
}

fn decoded(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains('&') {
        return text;
    }
    match html_escape::decode_html_entities(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(new) => Cow::Owned(new),
    }
}

fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let Some(tag) = Tag::at(rest) else {
            out.push('<');
            rest = &rest[1..];
            continue;
        };
        if tag.breaks && !out.is_empty() && !out.ends_with(char::is_whitespace) {
            out.push(' ');
        }
        rest = &rest[tag.length..];
        if let (Some(name), false) = (tag.swallows, tag.closes) {
            let end = format!("</{name}");
            let lower = rest.to_ascii_lowercase();
            rest = match lower.find(&end).and_then(|at| Some(at + lower[at..].find('>')? + 1)) {
                Some(after) => &rest[after..],
                None => "",
            };
        }
    }
    out.push_str(rest);
    out.truncate(out.trim_end().len());
    out
}

struct Tag {
    length: usize,
    breaks: bool,
    closes: bool,
    swallows: Option<&'static str>,
}

impl Tag {
    /// The tag that a text begins with: `<`, perhaps `/`, a known name, attributes with values, `>`.
    fn at(text: &str) -> Option<Tag> {
        if let Some(comment) = text.strip_prefix("<!--") {
            let length = comment.find("-->").map(|end| end + 7)?;
            return Some(Tag { length, breaks: false, closes: false, swallows: None });
        }
        let body = text.strip_prefix('<')?;
        let (closes, body) = match body.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, body),
        };
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == ':' || c == '-')).unwrap_or(body.len());
        let name = body[..end].to_ascii_lowercase();
        let local = ["jats:", "mml:", "m:", "html:", "ce:"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(&name);
        let swallows = ["script", "style"].into_iter().find(|swallowing| *swallowing == local);
        let breaks = BREAKING.contains(&local) || swallows.is_some();
        let foreign = name.starts_with("jats:") || name.starts_with("mml:");
        if !breaks && !foreign && !INLINE.contains(&local) {
            return None;
        }
        let after = attributes_end(&body[end..])?;
        Some(Tag { length: text.len() - after.len(), breaks, closes, swallows })
    }
}

/// What follows the attributes and the `>` of a tag.
fn attributes_end(mut text: &str) -> Option<&str> {
    loop {
        let trimmed = text.trim_start();
        let closed = trimmed.strip_prefix('/').unwrap_or(trimmed);
        if let Some(rest) = closed.strip_prefix('>') {
            return Some(rest);
        }
        if trimmed.len() == text.len() {
            return None;
        }
        let name = trimmed.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')))?;
        let value = trimmed[name..].trim_start().strip_prefix('=')?.trim_start();
        text = match value.chars().next()? {
            quote @ ('"' | '\'') => {
                let end = value[1..].find(quote)?;
                &value[end + 2..]
            }
            _ => &value[value.find(|c: char| c.is_whitespace() || c == '>')?..],
        };
        if name == 0 {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o_032_inline_tags_leave_nothing_and_less_than_stays() {
        assert_eq!(plain("Effect of <i>p</i>53 on CO<sub>2</sub> uptake"), "Effect of p53 on CO2 uptake");
        let marked = "<p>Owls (<i>Strix demo</i>) ate 5 &lt; n &lt; 9 voles.</p><p>R&amp;D cost rose 3&#8201;%.</p>";
        assert_eq!(plain(marked), "Owls (Strix demo) ate 5 < n < 9 voles. R&D cost rose 3\u{2009}%.");
        assert_eq!(plain("a <jats:italic toggle=\"yes\">b</jats:italic>c <br/>d"), "a bc d");
        for kept in ["if a <p and q> 0", "x <5 and y> 3", "a<b", "<title without end", "p<0.05, n<i", "<>"] {
            assert_eq!(plain(kept), kept);
        }
        assert_eq!(plain("ad<script>var x = '<p>';</script>vert<style>p{}</style>s"), "ad vert s");
        assert_eq!(plain("open<script>never closed"), "open");
    }

    #[test]
    fn o_033_entities_are_decoded_twice_at_most() {
        let doubled = "R&amp;amp;D spending &amp;lt;i&amp;gt;in vivo&amp;lt;/i&amp;gt; trials";
        assert_eq!(plain(doubled), "R&D spending in vivo trials");
        assert_eq!(
            plain("Caf&eacute; noise &mdash; a na&iuml;ve model &#x2013; part&nbsp;2"),
            "Café noise — a naïve model – part\u{a0}2"
        );
        assert_eq!(plain("&amp;amp;amp;"), "&amp;");
        assert_eq!(plain("R&D & more &unknown; &#xFFFFFFFF;"), "R&D & more &unknown; &#xFFFFFFFF;");
    }

    #[test]
    fn nothing_to_do_borrows() {
        assert!(matches!(plain("Ash maps of 1999"), Cow::Borrowed(_)));
        assert_eq!(plain("bell\u{7} form\u{c}feed"), "bell  form feed");
    }
}
