//! Room 15: a TOML file conducts the other rooms; what comes out is compared with `results/`.
//!
//! A [`Spec`] says everything about an experiment; [`Spec::points`] lays out its grid; [`run`] walks the grid and gives
//! tables; [`Results`] writes them below `results/NAME/`, draws the figures from the tables alone, and compares them with
//! what stands there.

mod answer;
mod claim;
mod compare;
mod grid;
mod laboratory;
mod latex;
mod memory;
pub mod near_duplicates;
mod news;
mod readme;
mod report;
mod results;
mod runner;
mod spec;
mod stages;

pub use answer::{Answer, AnswerError};
pub use claim::Claim;
pub use compare::{Difference, Verdict};
pub use grid::Point;
pub use news::NewsSettings;
pub use readme::{rewrite_blocks, table_block};
pub use report::report;
pub use results::Results;
pub use runner::{Cost, Outcome, run};
pub use spec::{Data, Evaluate, FigureOf, Fill, Folds, Settings, Spec, Tier, Variant};
pub use stages::Sources;

/// Why an experiment cannot be read, run or compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// The file is no experiment.
    #[error("{path}: {reason}")]
    Spec {
        /// The file.
        path: String,
        /// What was found and what was wanted, with line and column where the parser knows them.
        reason: String,
    },
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] crate::error::FileError),
    /// Data that is not on this machine.
    #[error("{name} is not present; {way_on}")]
    NotPresent {
        /// The data set.
        name: String,
        /// How to get it.
        way_on: String,
    },
    /// Something below failed at a point of the grid.
    #[error("at {point}: {source}")]
    Point {
        /// The settings of the point.
        point: String,
        /// What failed.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A table could not be read or written.
    #[error("{path}: {source}")]
    Table {
        /// The file.
        path: String,
        /// What was wrong.
        source: crate::table::TableError,
    },
    /// An answer of the report could not be given.
    #[error("experiments/{name}.toml: {source}")]
    Answer {
        /// The experiment.
        name: String,
        /// What was wrong.
        source: AnswerError,
    },
    /// A figure could not be drawn.
    #[error("figure {name}: {reason}")]
    Figure {
        /// The figure.
        name: String,
        /// What was wrong.
        reason: String,
    },
}
