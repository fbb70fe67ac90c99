//! Room 13: articles become story groups, in one go or in daily batches.
//!
//! Every article's own best terms are a query against all the others ([`MoreLikeThis`]); what it finds, from other
//! outlets and inside the window of time, are directed edges ([`SimilarityGraph`]); a group is a strongly connected component and a
//! community in common ([`Grouping`]).
//!
//! ```
//! use papertwin::news::{Article, Articles, GroupParams, MltParams, SimilarityGraph};
//! let article = |id: &str, title: &str| Article { id: id.into(), title: title.into(), ..Article::default() };
//! let articles = Articles::from_articles(vec![
//!     article("1", "Ferry strike halts island crossings"),
//!     article("2", "Island crossings halted by ferry strike"),
//!     article("3", "Salt price doubles in valley"),
//!     article("4", "Valley bakers angry over salt price"),
//! ]);
//! let mlt = MltParams::default().check()?;
//! let terms = mlt.analyzer().terms_of(articles.as_slice());
//! let graph = SimilarityGraph::from_hits(&mlt.index(articles.as_slice(), &terms, None).all_hits());
//! let groups = GroupParams::default().check()?.groups(&graph);
//! assert_eq!(groups.groups.groups(), vec![vec![0, 1], vec![2, 3]]);
//! # Ok::<(), papertwin::news::NewsError>(())
//! ```

mod article;
mod export;
mod groups;
mod labels;
mod more_like_this;
mod page;
mod picture;
mod state;
mod terms;

pub use article::{Article, Articles, Notes, Precision, instant};
pub use export::{GraphFormat, write_graph};
pub use groups::{Edge, GroupBy, GroupCounts, GroupParams, Grouping, Groups, Pairs, SimilarityGraph};
pub use labels::{agreement, agreement_of_stories};
pub use more_like_this::{Hit, Index, MltParams, MoreLikeThis, SameSource, Statistics, TermLimit};
pub use page::write_page;
pub use picture::figure;
pub use state::{
    BatchParams, BatchReport, BatchStatistics, EventKind, GroupEvent, Membership, State, StateError, StepReport,
};
pub use terms::{ArticleAnalyzer, ArticleTerms, TextField};

/// Why news could not be grouped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewsError {
    /// A parameter out of its range.
    #[error("{name} = {found}; wanted {wanted}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What was given.
        found: String,
        /// What is possible.
        wanted: &'static str,
    },
    /// A parameter of the analysis.
    #[error(transparent)]
    Analyzer(#[from] crate::text::AnalyzerError),
    /// A parameter of the communities.
    #[error(transparent)]
    Graph(#[from] crate::graph::GraphError),
}
