//! Generated records: scientific papers whose words follow topics and Zipf's law, and news articles with stories,
//! outlets and page furniture, so that every command runs on a machine without data.
//!
//! Record n is a function of the parameters, the seed and n alone: any part can be made on any thread, in any order, and
//! a corpus of a million papers is never in memory at once.
//!
//! # The model
//!
//! The words are pronounceable inventions, short where they are frequent; function words are English, so that stop lists
//! and stop-word shingles have their work. A **topic** owns words of its own and shares some with its neighbour; a
//! general vocabulary belongs to all. Ranks within each follow Zipf's law, frequency ~ 1 / rank^s. A text has one main
//! topic, sometimes a second, and a few focus words of its topic that come back more often than the topic makes them:
//! these are what tf-idf finds as keywords.

mod news;
mod papers;
mod words;

pub use news::{News, NewsParams};
pub use papers::{Papers, PapersParams};

/// Why parameters cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A parameter is outside its range.
    #[error("{name} = {found}: wanted {wanted}")]
    Parameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        wanted: &'static str,
    },
}

fn wanted(fine: bool, name: &'static str, found: impl ToString, wanted: &'static str) -> Result<(), GenerateError> {
    if fine { Ok(()) } else { Err(GenerateError::Parameter { name, found: found.to_string(), wanted }) }
}
