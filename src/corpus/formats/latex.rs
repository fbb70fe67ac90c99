//! LaTeX as it stands in bibliographies: to plain Unicode, and back.
//!
//! Decoding never fails: what is not known loses its backslash, braces vanish, a dollar sign without a partner stays.
//! The result is in NFC with single blanks; characters that were combined already are not touched by an accent nearby.

use std::iter::Peekable;
use std::str::CharIndices;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Words: dashes and quotation marks are made of several signs, `~` is a blank.
    Text,
    /// Identifiers and addresses: only escapes and braces mean something.
    Verbatim,
}

/// Commands that are a character.
const SYMBOLS: &[(&str, &str)] = &[
    ("AA", "Å"),
    ("AE", "Æ"),
    ("DH", "Ð"),
    ("DJ", "Đ"),
    ("Delta", "Δ"),
    ("Gamma", "Γ"),
    ("L", "Ł"),
    ("Lambda", "Λ"),
    ("NG", "Ŋ"),
    ("O", "Ø"),
    ("OE", "Œ"),
    ("Omega", "Ω"),
    ("P", "¶"),
    ("Phi", "Φ"),
    ("Pi", "Π"),
    ("Psi", "Ψ"),
    ("S", "§"),
    ("SS", "ẞ"),
    ("Sigma", "Σ"),
    ("TH", "Þ"),
    ("Theta", "Θ"),
    ("Upsilon", "Υ"),
    ("Xi", "Ξ"),
    ("aa", "å"),
    ("ae", "æ"),
    ("alpha", "α"),
    ("approx", "≈"),
    ("backslash", "\\"),
    ("beta", "β"),
    ("bullet", "•"),
    ("cdot", "·"),
    ("cdots", "…"),
    ("chi", "χ"),
    ("circ", "°"),
    ("copyright", "©"),
    ("dag", "†"),
    ("dagger", "†"),
    ("ddag", "‡"),
    ("deg", "°"),
    ("degree", "°"),
    ("delta", "δ"),
    ("dh", "ð"),
    ("div", "÷"),
    ("dj", "đ"),
    ("dots", "…"),
    ("ell", "ℓ"),
    ("epsilon", "ε"),
    ("equiv", "≡"),
    ("eta", "η"),
    ("euro", "€"),
    ("gamma", "γ"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("gg", "≫"),
    ("greater", ">"),
    ("gt", ">"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("i", "ı"),
    ("in", "∈"),
    ("infty", "∞"),
    ("int", "∫"),
    ("iota", "ι"),
    ("j", "ȷ"),
    ("kappa", "κ"),
    ("l", "ł"),
    ("lambda", "λ"),
    ("langle", "⟨"),
    ("lbrace", "{"),
    ("ldots", "…"),
    ("le", "≤"),
    ("leftarrow", "←"),
    ("leq", "≤"),
    ("less", "<"),
    ("ll", "≪"),
    ("lt", "<"),
    ("mathsection", "§"),
    ("mu", "μ"),
    ("nabla", "∇"),
    ("ne", "≠"),
    ("neq", "≠"),
    ("ng", "ŋ"),
    ("nu", "ν"),
    ("o", "ø"),
    ("oe", "œ"),
    ("omega", "ω"),
    ("partial", "∂"),
    ("phi", "φ"),
    ("pi", "π"),
    ("pm", "±"),
    ("pounds", "£"),
    ("prime", "′"),
    ("psi", "ψ"),
    ("qquad", " "),
    ("quad", " "),
    ("quotedblbase", "„"),
    ("quotesinglbase", "‚"),
    ("rangle", "⟩"),
    ("rbrace", "}"),
    ("rho", "ρ"),
    ("rightarrow", "→"),
    ("sigma", "σ"),
    ("sim", "∼"),
    ("simeq", "≃"),
    ("slash", "/"),
    ("space", " "),
    ("sqrt", "√"),
    ("ss", "ß"),
    ("sum", "∑"),
    ("tau", "τ"),
    ("textasciicircum", "^"),
    ("textasciigrave", "`"),
    ("textasciitilde", "~"),
    ("textbackslash", "\\"),
    ("textbar", "|"),
    ("textbraceleft", "{"),
    ("textbraceright", "}"),
    ("textbullet", "•"),
    ("textcent", "¢"),
    ("textcopyright", "©"),
    ("textdegree", "°"),
    ("textdollar", "$"),
    ("textellipsis", "…"),
    ("textemdash", "—"),
    ("textendash", "–"),
    ("texteuro", "€"),
    ("textexclamdown", "¡"),
    ("textgreater", ">"),
    ("textless", "<"),
    ("textmu", "µ"),
    ("textordfeminine", "ª"),
    ("textordmasculine", "º"),
    ("textperiodcentered", "·"),
    ("textquestiondown", "¿"),
    ("textquotedbl", "\""),
    ("textquotedblleft", "“"),
    ("textquotedblright", "”"),
    ("textquoteleft", "‘"),
    ("textquoteright", "’"),
    ("textquotesingle", "'"),
    ("textregistered", "®"),
    ("textsection", "§"),
    ("textsterling", "£"),
    ("texttrademark", "™"),
    ("textunderscore", "_"),
    ("th", "þ"),
    ("theta", "θ"),
    ("times", "×"),
    ("to", "→"),
    ("upsilon", "υ"),
    ("varepsilon", "ε"),
    ("varphi", "φ"),
    ("xi", "ξ"),
    ("zeta", "ζ"),
];

/// Commands that change how their argument looks, or nothing that can be seen.
const INVISIBLE: &[&str] = &[
    "bf",
    "bfseries",
    "bibinfo",
    "boldsymbol",
    "bm",
    "cal",
    "displaystyle",
    "em",
    "emph",
    "enquote",
    "ensuremath",
    "footnotesize",
    "hbox",
    "it",
    "itshape",
    "large",
    "left",
    "mathbb",
    "mathbf",
    "mathcal",
    "mathfrak",
    "mathit",
    "mathrm",
    "mathsf",
    "mathtt",
    "mbox",
    "natexlab",
    "noopsort",
    "normalfont",
    "operatorname",
    "protect",
    "relax",
    "right",
    "rm",
    "rmfamily",
    "sc",
    "scshape",
    "sf",
    "sl",
    "small",
    "text",
    "textbf",
    "textit",
    "textmd",
    "textnormal",
    "textrm",
    "textsc",
    "textsf",
    "textsl",
    "textsubscript",
    "textsuperscript",
    "texttt",
    "textup",
    "tiny",
    "tt",
    "ttfamily",
    "uppercase",
    "url",
    "path",
];

/// The combining character of an accent command.
fn combining(command: &str) -> Option<char> {
    Some(match command {
        "`" => '\u{300}',
        "'" => '\u{301}',
        "^" => '\u{302}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "u" => '\u{306}',
        "." => '\u{307}',
        "\"" => '\u{308}',
        "r" => '\u{30A}',
        "H" => '\u{30B}',
        "v" => '\u{30C}',
        "d" => '\u{323}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "b" => '\u{331}',
        "t" => '\u{361}',
        _ => return None,
    })
}

/// The text that LaTeX would print, without the layout.
pub(super) fn decode(latex: &str, kind: Kind) -> String {
    let special = |b: u8| match kind {
        Kind::Text => matches!(b, b'\\' | b'{' | b'}' | b'$' | b'~' | b'-' | b'`' | b'\''),
        Kind::Verbatim => matches!(b, b'\\' | b'{' | b'}'),
    };
    let decoded = if latex.bytes().any(special) {
        let mut decoder =
            Decoder { latex, chars: latex.char_indices().peekable(), kind, math: false, out: String::new(), depth: 0 };
        decoder.all();
        decoder.out
    } else {
        latex.to_owned()
    };
    let spaced = if decoded.bytes().any(|b| matches!(b, b'\n' | b'\t' | b'\r')) || decoded.contains("  ") {
        decoded.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        let trimmed = decoded.trim();
        if trimmed.len() == decoded.len() { decoded } else { trimmed.to_owned() }
    };
    if is_nfc(&spaced) { spaced } else { spaced.nfc().collect() }
}

/// The deepest nesting of arguments that is followed; what is deeper is read flat.
const DEEPEST: u32 = 64;

struct Decoder<'a> {
    latex: &'a str,
    chars: Peekable<CharIndices<'a>>,
    kind: Kind,
    math: bool,
    out: String,
    depth: u32,
}

impl Decoder<'_> {
    fn all(&mut self) {
        while self.one() {}
    }

    fn peek(&mut self) -> Option<char> {
        self.chars.peek().map(|(_, c)| *c)
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.chars.next_if(|(_, c)| *c == wanted).is_some()
    }

    fn blanks(&mut self) -> bool {
        let mut any = false;
        while self.chars.next_if(|(_, c)| c.is_whitespace()).is_some() {
            any = true;
        }
        any
    }

    /// Decodes one thing; false at the end.
    fn one(&mut self) -> bool {
        let Some((at, c)) = self.chars.next() else { return false };
        let text = self.kind == Kind::Text;
        match c {
            '\\' => self.command(),
            '{' | '}' => {}
            '$' if text => {
                if self.math || self.closes(at + 1) {
                    self.math = !self.math;
                } else {
                    self.out.push('$');
                }
            }
            '^' | '_' if self.math => {}
            '~' if text => self.out.push(' '),
            '-' if text && !self.math && self.eat('-') => {
                let dash = if self.eat('-') { '—' } else { '–' };
                self.out.push(dash);
            }
            '`' if text && !self.math => {
                let mark = if self.eat('`') { '“' } else { '‘' };
                self.out.push(mark);
            }
            '\'' if text && !self.math && self.eat('\'') => self.out.push('”'),
            c => self.out.push(c),
        }
        true
    }

    /// Whether a dollar sign follows that is not escaped.
    fn closes(&self, from: usize) -> bool {
        let mut escaped = false;
        for byte in self.latex.as_bytes().iter().skip(from) {
            match byte {
                b'$' if !escaped => return true,
                b'\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        false
    }

    fn command(&mut self) {
        let Some((start, c)) = self.chars.next() else {
            self.out.push('\\');
            return;
        };
        if !c.is_ascii_alphabetic() {
            let name = &self.latex[start..start + c.len_utf8()];
            match c {
                '~' if self.kind == Kind::Verbatim => {
                    self.out.push('~');
                }
                '`' | '\'' | '^' | '"' | '~' | '=' | '.' => self.accent(name),
                '-' | '/' | '!' | '@' | '(' | ')' | '[' | ']' => {}
                ',' | ';' | ':' | '\\' => self.out.push(' '),
                c if c.is_whitespace() => self.out.push(' '),
                c => self.out.push(c),
            }
            return;
        }
        let mut end = start + 1;
        while self.chars.next_if(|(_, c)| c.is_ascii_alphabetic()).is_some() {
            end += 1;
        }
        let name = &self.latex[start..end];
        if combining(name).is_some() {
            return self.accent(name);
        }
        let blank = self.blanks();
        if let Ok(at) = SYMBOLS.binary_search_by_key(&name, |(known, _)| known) {
            self.out.push_str(SYMBOLS[at].1);
            // The blank that ends the command's name sets a sign of a formula apart from what follows.
            if self.math && blank {
                self.out.push(' ');
            }
        } else if matches!(name, "begin" | "end" | "href" | "vspace" | "hspace") {
            self.argument();
        } else if !INVISIBLE.contains(&name) && self.peek() != Some('{') {
            self.out.push_str(name);
            if blank {
                self.out.push(' ');
            }
        }
    }

    /// The decoded argument of a command: a group, a command or a character.
    fn argument(&mut self) -> String {
        self.blanks();
        let outer = std::mem::take(&mut self.out);
        self.depth += 1;
        if self.depth > DEEPEST || self.peek() != Some('{') {
            if self.depth <= DEEPEST {
                self.one();
            }
        } else {
            self.chars.next();
            let mut open = 1;
            while open > 0 {
                match self.peek() {
                    None => break,
                    Some('{') => open += 1,
                    Some('}') => open -= 1,
                    _ => {}
                }
                self.one();
            }
        }
        self.depth -= 1;
        std::mem::replace(&mut self.out, outer)
    }

    fn accent(&mut self, name: &str) {
        let argument = self.argument();
        let mut chars = argument.chars();
        match (chars.next(), combining(name)) {
            (None, _) => {
                if matches!(name, "^" | "~" | "`") {
                    self.out.push_str(name);
                }
            }
            (Some(base), Some(mark)) if base.is_alphabetic() => {
                self.out.push(match base {
                    'ı' => 'i',
                    'ȷ' => 'j',
                    base => base,
                });
                self.out.push(mark);
                self.out.push_str(chars.as_str());
            }
            _ => self.out.push_str(&argument),
        }
    }
}

/// LaTeX that [`decode`] reads as this text. Letters stay as they are, in UTF-8; only signs that mean something are
/// escaped.
pub(super) fn encode(text: &str, kind: Kind) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut last = '\0';
    for c in text.chars() {
        match (c, kind) {
            ('\\', _) => out.push_str("\\textbackslash{}"),
            ('{', _) => out.push_str("\\textbraceleft{}"),
            ('}', _) => out.push_str("\\textbraceright{}"),
            ('$' | '&' | '%' | '#' | '_', Kind::Text) => {
                out.push('\\');
                out.push(c);
            }
            ('~', Kind::Text) => out.push_str("\\textasciitilde{}"),
            ('^', Kind::Text) => out.push_str("\\textasciicircum{}"),
            ('`', Kind::Text) => out.push_str("\\textasciigrave{}"),
            ('-' | '\'', Kind::Text) if last == c => {
                out.push_str("{}");
                out.push(c);
            }
            _ => out.push(c),
        }
        last = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(latex: &str) -> String {
        decode(latex, Kind::Text)
    }

    #[test]
    fn symbols_are_sorted() {
        assert!(SYMBOLS.is_sorted_by(|one, two| one.0 < two.0));
    }

    #[test]
    fn accents_of_all_kinds() {
        for (latex, plain) in [
            (r#"M{\"u}ller"#, "Müller"),
            (r#"M\"uller"#, "Müller"),
            (r"Erd\H{o}s and Erd\H os", "Erdős and Erdős"),
            (r"{\AA}ke \AA ke \aa{}", "Åke Åke å"),
            (r"\'{\i}\'\i\'i {\'{\i}}", "ííí í"),
            (r"\c{c}\c c{\c c}", "ççç"),
            (r"\v{s} \u{g} \k{a} \r{u} \=o \.z \d{h} \b{k}", "š ğ ą ů ō ż ḥ ḵ"),
            (r#"stra{\ss}e \o re \O{}re na{\"\i}ve"#, "straße øre Øre naïve"),
            (r"\^{}x \~{}y", "^x ~y"),
            (r"{\i}", "ı"),
        ] {
            assert_eq!(text(latex), plain, "{latex}");
        }
    }

    #[test]
    fn signs_and_layout() {
        for (latex, plain) in [
            (r"a \& b \% \$ \# \_", "a & b % $ # _"),
            ("1--9 --- ``so'' `x' it's", "1–9 — “so” ‘x' it's"),
            (r"\emph{one} {\bf two} \textit{thr\'ee}", "one two thrée"),
            (r"H$_2$O and $^{13}$C, $\alpha$-helix $x \leq y$", "H2O and 13C, α-helix x ≤ y"),
            ("$12.40", "$12.40"),
            (r"a\$b$c$", "a$bc"),
            (r"\unknown{kept} and \other stays", "kept and other stays"),
            (r"\href{http://x.org}{words}", "words"),
            (r"What {Makes} {{Ice}} {S}ing\\now", "What Makes Ice Sing now"),
            ("a~b\n  c", "a b c"),
            ("\\", "\\"),
            ("{{{", ""),
        ] {
            assert_eq!(text(latex), plain, "{latex}");
        }
        assert_eq!(decode(r"10.5555/a{\_}b\_c~d%20$--", Kind::Verbatim), "10.5555/a_b_c~d%20$--");
    }

    #[test]
    fn combined_characters_stay_where_they_are() {
        assert_eq!(text("Pin\u{303}ata in S\\~{a}o Tom\\'e"), "Piñata in São Tomé");
    }

    #[test]
    fn deep_nesting_ends() {
        let deep = format!("{}a{}", r"\'{".repeat(5000), "}".repeat(5000));
        assert!(text(&deep).contains(['a', 'á']), "{}", text(&deep));
    }

    #[test]
    fn agrees_with_biblatex_on_names() {
        for latex in [r#"{\AA}ngstr{\"o}m"#, r"Ren\'e", r"Fran\c{c}ois", r"{\L}uk", r"J{\o}rn", r"{\v C}apek"] {
            let file = format!("@misc{{k, title = {{{latex}}}}}");
            let parsed = biblatex::Bibliography::parse(&file).unwrap();
            let title = parsed.get("k").unwrap().title().unwrap();
            let other: String = biblatex::ChunksExt::format_verbatim(title).nfc().collect();
            assert_eq!(text(latex), other, "{latex}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_comes_back(words in r"[ -~äøß“–]{0,40}") {
            let plain: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(decode(&encode(&plain, Kind::Text), Kind::Text), plain.clone());
            prop_assert_eq!(decode(&encode(&plain, Kind::Verbatim), Kind::Verbatim), plain);
        }

        #[test]
        fn nothing_makes_it_fail(latex in r"(\\|\{|\}|\$|[a-zA-Z]|~|'|`|\^|é|̃| ){0,60}") {
            let plain = decode(&latex, Kind::Text);
            prop_assert!(is_nfc(&plain));
            decode(&latex, Kind::Verbatim);
        }
    }
}
