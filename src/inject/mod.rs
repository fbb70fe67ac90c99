//! Room 9: copies of papers with dosed edits, laid back into the corpus, and the truth that follows.
//!
//! ```
//! use papertwin::corpus::{Corpus, Paper};
//! use papertwin::inject::{InjectParams, inject};
//! use papertwin::seed::Seed;
//! let papers = (0..10).map(|i| Paper { id: i.to_string(), title: format!("Fog signal {i}"), ..Paper::default() });
//! let injection = InjectParams { edits: vec!["garble=0.5".parse()?], ..InjectParams::default() }.check()?;
//! let injected = inject(&Corpus::new(papers.collect()), &injection, Seed(4));
//! assert_eq!((injected.corpus.len(), injected.truth.pairs().len()), (12, 2));
//! # Ok::<(), papertwin::inject::InjectError>(())
//! ```

mod edit;
mod reinsert;
mod share;

pub use edit::Edit;
pub use reinsert::{Copied, InjectParams, Injected, Injection, Mix, inject};
pub use share::Share;

/// Why an injection cannot be done as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InjectError {
    /// A text that is no share.
    #[error("{0:?} is no share; wanted a number from 0 to 1 with at most 6 decimals, such as 0.2")]
    Share(String),
    /// An edit that does not exist.
    #[error(
        "{0:?} is no edit; wanted exact, keep-fields=FIELD[+FIELD], drop-words=DOSE, garble=DOSE, mojibake=DOSE, ocr=DOSE, truncate=DOSE, swap-sentences=DOSE or reformat=DOSE"
    )]
    Edit(String),
    /// A field that does not exist.
    #[error("{0}")]
    Field(String),
    /// An edit without what it needs.
    #[error("the edit {edit} {wanted}")]
    Dose {
        /// The edit's name.
        edit: String,
        /// What it wants.
        wanted: &'static str,
    },
}
