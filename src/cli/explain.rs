//! `papertwin explain`: why two papers are alike, field by field and word by word.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use papertwin::corpus::{Corpus, Field, Pair, Paper, PaperId};
use papertwin::keywords::{DocumentFrequencies, Keywords as Found};
use papertwin::methods::{Input, TfIdf};
use papertwin::similarity::Score;
use papertwin::text::{Tokens, normal};
use serde::Serialize;

use super::corpus_args::ReadingArgs;
use super::keywords::WeightArgs;
use super::text_args::TextArgs;
use super::{Context, Outcome};

pub const EXAMPLES: &str = "Weights are those of the whole corpus. The parts of the words sum to the cosine of the tf-idf vectors over all words; a
keyword is one of the k words of greatest weight. A missing value is never equal to anything.

EXAMPLES
  papertwin explain arxiv.jsonl 0704.0001 0704.0002
  papertwin explain a.ris b.bib --first smith2019 --second 10.1000/x --json";

/// Explains a pair.
#[derive(Args)]
pub struct Explain {
    /// The corpus, and behind it the ids of the two papers (or their row numbers from 0)
    #[arg(required = true, num_args = 1.., value_name = "CORPUS ID ID")]
    corpus: Vec<String>,
    /// The id of the first paper, where several files make the corpus
    #[arg(long, value_name = "ID", requires = "second")]
    first: Option<String>,
    /// The id of the second paper
    #[arg(long, value_name = "ID", requires = "first")]
    second: Option<String>,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
    /// How many of the shared words are listed, those that add most first
    #[arg(long, value_name = "N", default_value_t = 20)]
    words: usize,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    reading: ReadingArgs,
}

/// All that is said about a pair.
#[derive(Serialize)]
struct Explanation {
    first: Side,
    second: Side,
    fields: Vec<FieldEvidence>,
    /// The cosine of the tf-idf vectors of the whole texts.
    cosine: Score,
    shared_words: usize,
    words: Vec<WordEvidence>,
}

#[derive(Serialize)]
struct Side {
    id: String,
    title: String,
    keywords: Vec<KeywordEvidence>,
}

#[derive(Serialize)]
struct KeywordEvidence {
    word: String,
    weight: f64,
    shared: bool,
}

#[derive(Serialize)]
struct FieldEvidence {
    field: &'static str,
    verdict: &'static str,
    /// The tf-idf cosine of this field alone, for texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    cosine: Option<Score>,
    first: String,
    second: String,
}

#[derive(Serialize)]
struct WordEvidence {
    word: String,
    /// What it adds to the cosine.
    part: f64,
    keyword_of: &'static str,
}

impl Explain {
    pub fn run(mut self, context: &Context) -> anyhow::Result<Outcome> {
        let keywording = self.weights.params().check()?;
        let (first, second) = match (self.first.take(), self.second.take()) {
            (Some(first), Some(second)) => (first, second),
            _ => match (self.corpus.pop(), self.corpus.pop()) {
                (Some(second), Some(first)) if !self.corpus.is_empty() => (first, second),
                _ => anyhow::bail!("wanted a corpus and the ids of two papers: papertwin explain CORPUS ID ID"),
            },
        };
        let inputs: Vec<PathBuf> = self.corpus.iter().map(PathBuf::from).collect();
        let (loaded, outcome) = self.reading.load_over(&inputs, papertwin::corpus::Fields::All, context)?;
        let corpus = &loaded.corpus;
        let pair = pair_of(corpus, &first, &second)?;
        let analyzer = self.text.analyzer()?;
        let run = context.run();
        let tokens = Tokens::of_corpus(corpus, &self.text.text_fields, &analyzer, &run);
        let keywords = Found::extract(&tokens, &DocumentFrequencies::of(&tokens), &keywording, None);

        let method =
            TfIdf { text: self.text.params()?, tf: self.weights.tf, idf: self.weights.idf, ..TfIdf::default() };
        let (rows, names) = method.rows(Input { fields: &self.text.text_fields, ..Input::of(corpus) }, &run)?;
        let mut parts = rows.parts(pair);
        parts.sort_by(|x, y| y.1.total_cmp(&x.1).then(x.0.cmp(&y.0)));
        let is_keyword = |paper, word: &str| keywords.of(paper).iter().any(|keyword| tokens.word(keyword.word) == word);
        let of_both = |word: &str| match (is_keyword(pair.first(), word), is_keyword(pair.second(), word)) {
            (true, true) => "both",
            (true, false) => "first",
            (false, true) => "second",
            (false, false) => "",
        };
        let words = parts.iter().take(self.words).map(|&(dim, part)| {
            let word = names[dim as usize].clone();
            WordEvidence { keyword_of: of_both(&word), word, part: six(part) }
        });
        let side = |paper, other| {
            let of = keywords.of(paper).iter();
            let evidence = of.map(|keyword| {
                let word = tokens.word(keyword.word).to_owned();
                KeywordEvidence { shared: is_keyword(other, &word), word, weight: six(keyword.weight) }
            });
            let record = corpus.paper(paper);
            Side { id: shown(&record.id), title: shown(&record.title), keywords: evidence.collect() }
        };
        let explanation = Explanation {
            first: side(pair.first(), pair.second()),
            second: side(pair.second(), pair.first()),
            fields: fields(corpus, pair, &method, &run)?,
            cosine: rows.score(pair),
            shared_words: parts.len(),
            words: words.collect(),
        };
        let mut out = std::io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, &explanation)?;
            writeln!(out)?;
        } else {
            explanation.write(&mut out)?;
        }
        Ok(outcome)
    }
}

fn pair_of(corpus: &Corpus, first: &str, second: &str) -> anyhow::Result<Pair> {
    let named = |id: &str| {
        let mut places = corpus.ids().filter(|&place| corpus.paper(place).id == id);
        match (places.next(), places.count()) {
            (Some(place), 0) => Ok(place),
            (Some(_), more) => {
                anyhow::bail!("{} papers have the id {id:?}; name them by row number from 0", more + 1)
            }
            (None, _) => match id.parse::<u32>() {
                Ok(row) if (row as usize) < corpus.len() => Ok(PaperId(row)),
                _ => anyhow::bail!("the corpus has no paper with the id {id:?}, nor a row of that number"),
            },
        }
    };
    let (x, y) = (named(first)?, named(second)?);
    Pair::new(x, y).ok_or_else(|| anyhow::anyhow!("{first:?} and {second:?} are one paper"))
}

/// What each field that one of the two has says.
fn fields(
    corpus: &Corpus,
    pair: Pair,
    method: &TfIdf,
    run: &papertwin::progress::Run,
) -> anyhow::Result<Vec<FieldEvidence>> {
    type Value = fn(&Paper) -> String;
    let values: [(&'static str, Option<Field>, Value); 11] = [
        ("title", Some(Field::Title), |p| p.title.clone()),
        ("abstract", Some(Field::Abstract), |p| p.abstract_text.clone()),
        ("body", Some(Field::Body), |p| p.body.clone()),
        ("authors", None, |p| p.authors.join("; ")),
        ("year", None, |p| p.year.clone()),
        ("venue", None, |p| p.venue.clone()),
        ("volume", None, |p| p.volume.clone()),
        ("number", None, |p| p.number.clone()),
        ("pages", None, |p| p.pages.clone()),
        ("doi", None, |p| p.doi.clone()),
        ("keywords", Some(Field::Keywords), |p| p.keywords.join("; ")),
    ];
    let (x, y) = (corpus.paper(pair.first()), corpus.paper(pair.second()));
    let mut evidence = Vec::new();
    for (field, text, value) in values {
        let (first, second) = (value(x), value(y));
        let keys = (normal::comparison_key(&first), normal::comparison_key(&second));
        let verdict = match (keys.0.is_empty(), keys.1.is_empty()) {
            (true, true) => continue,
            (true, false) => "missing in the first",
            (false, true) => "missing in the second",
            (false, false) if first == second => "equal",
            (false, false) if keys.0 == keys.1 => "equal but for typography",
            (false, false) => "different",
        };
        let cosine = match text {
            Some(field) if verdict == "different" => {
                let (rows, _) = method.rows(Input { fields: &[field], ..Input::of(corpus) }, run)?;
                Some(rows.score(pair))
            }
            _ => None,
        };
        evidence.push(FieldEvidence { field, verdict, cosine, first: shown(&first), second: shown(&second) });
    }
    Ok(evidence)
}

fn shown(text: &str) -> String {
    normal::printable(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn six(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}

impl Explanation {
    fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        for (which, side) in [("first", &self.first), ("second", &self.second)] {
            writeln!(out, "{which:7} {}  {}", side.id, short(&side.title))?;
        }
        writeln!(out, "\nfields")?;
        for field in &self.fields {
            let cosine = field.cosine.map_or(String::new(), |cosine| format!(", tf-idf cosine {cosine}"));
            writeln!(out, "  {:9} {}{cosine}", field.field, field.verdict)?;
            if field.verdict != "equal" {
                for value in [&field.first, &field.second].into_iter().filter(|value| !value.is_empty()) {
                    writeln!(out, "            {}", short(value))?;
                }
            }
        }
        writeln!(out, "\nkeywords (* in both)")?;
        for (which, side) in [("first", &self.first), ("second", &self.second)] {
            let mark = |keyword: &KeywordEvidence| {
                format!("{}{} {:.6}", if keyword.shared { "*" } else { "" }, keyword.word, keyword.weight)
            };
            writeln!(out, "  {which:7} {}", side.keywords.iter().map(mark).collect::<Vec<_>>().join(", "))?;
        }
        writeln!(out, "\ntf-idf cosine {} from {} shared words", self.cosine, self.shared_words)?;
        for word in &self.words {
            let keyword = match word.keyword_of {
                "" => String::new(),
                of => format!("  keyword of {of}"),
            };
            writeln!(out, "  {:.6} {}{keyword}", word.part, word.word)?;
        }
        if self.words.len() < self.shared_words {
            writeln!(out, "  … {} more", self.shared_words - self.words.len())?;
        }
        Ok(())
    }
}

/// A line's worth of a text.
fn short(text: &str) -> String {
    const WIDTH: usize = 90;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
