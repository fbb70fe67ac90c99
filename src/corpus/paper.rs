//! One paper, and the corpus as a list of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::markup::plain;
use crate::error::Place;

/// A paper's dense place in its corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PaperId(pub u32);

impl PaperId {
    /// The place as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One bibliographic record. What the source does not have is empty: an empty value is unknown, equal to nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Paper {
    /// The source's own identifier, or one made from the place; not necessarily unique.
    pub id: String,
    /// The title as the source writes it.
    pub title: String,
    /// The abstract.
    pub abstract_text: String,
    /// One entry an author, in the order and spelling of the source.
    pub authors: Vec<String>,
    /// The year of publication as the source writes it.
    pub year: String,
    /// Journal, conference or book.
    pub venue: String,
    /// Volume.
    pub volume: String,
    /// Issue.
    pub number: String,
    /// Pages or article number.
    pub pages: String,
    /// Digital object identifier, as written.
    pub doi: String,
    /// Keywords, tags or categories.
    pub keywords: Vec<String>,
    /// Kind of publication, as written.
    pub kind: String,
    /// The database or outlet that the record comes from.
    pub source: String,
    /// Address.
    pub url: String,
    /// The full text, or an article's body.
    pub body: String,
    /// Instant or date of publication, as written.
    pub published: String,
    /// Language, as written.
    pub language: String,
    /// Whatever else the source had, in its order; written back.
    pub extra: serde_json::Map<String, serde_json::Value>,
    /// Where the record was read.
    pub place: Place,
}

/// A field that texts are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// The title.
    Title,
    /// The abstract.
    Abstract,
    /// The full text.
    Body,
    /// Keywords, tags or categories.
    Keywords,
}

impl Field {
    /// Its name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Field::Title => "title",
            Field::Abstract => "abstract",
            Field::Body => "body",
            Field::Keywords => "keywords",
        }
    }
}

impl std::str::FromStr for Field {
    type Err = String;
    fn from_str(name: &str) -> Result<Field, String> {
        match name {
            "title" => Ok(Field::Title),
            "abstract" => Ok(Field::Abstract),
            "body" => Ok(Field::Body),
            "keywords" => Ok(Field::Keywords),
            _ => Err(format!("{name:?} is no text field; wanted title, abstract, body or keywords")),
        }
    }
}

impl Paper {
    /// The text of these fields, in this order, a line feed between them, without markup and character references as
    /// [`markup`](super::markup) says. Empty fields add nothing.
    pub fn text(&self, fields: &[Field]) -> Cow<'_, str> {
        let part = |field: &Field| -> Cow<'_, str> {
            match field {
                Field::Title => plain(&self.title),
                Field::Abstract => plain(&self.abstract_text),
                Field::Body => plain(&self.body),
                Field::Keywords => Cow::Owned(plain(&self.keywords.join("\n")).into_owned()),
            }
        };
        let mut parts = fields.iter().map(part).filter(|text| !text.is_empty());
        let Some(first) = parts.next() else { return Cow::Borrowed("") };
        parts.fold(first, |mut all, next| {
            let text = all.to_mut();
            text.push('\n');
            text.push_str(&next);
            all
        })
    }
}

/// Papers in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    papers: Vec<Paper>,
}

impl Corpus {
    /// A corpus of these papers.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` papers.
    pub fn new(papers: Vec<Paper>) -> Corpus {
        assert!(u32::try_from(papers.len()).is_ok(), "a corpus holds at most 2^32 - 1 papers");
        Corpus { papers }
    }

    /// Adds a paper and says where it is.
    ///
    /// # Panics
    /// If there are `u32::MAX` papers already.
    pub fn push(&mut self, paper: Paper) -> PaperId {
        let id = PaperId(u32::try_from(self.papers.len()).expect("a corpus holds at most 2^32 - 1 papers"));
        self.papers.push(paper);
        id
    }

    /// How many papers there are.
    pub fn len(&self) -> usize {
        self.papers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.papers.is_empty()
    }

    /// The paper at this place.
    ///
    /// # Panics
    /// If the id is of another corpus and too large.
    pub fn paper(&self, id: PaperId) -> &Paper {
        &self.papers[id.index()]
    }

    /// All papers in order.
    pub fn papers(&self) -> &[Paper] {
        &self.papers
    }

    /// The papers, taken out.
    pub fn into_papers(self) -> Vec<Paper> {
        self.papers
    }

    /// All places in order.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = PaperId> + use<> {
        (0..self.papers.len() as u32).map(PaperId)
    }
}
