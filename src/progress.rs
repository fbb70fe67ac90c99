//! What a run tells the person who waits for it. The library reports; the command line draws.

use std::sync::Arc;

use crate::seed::Seed;

/// Receives the progress and the warnings of a run.
pub trait Progress: Send + Sync {
    /// A piece of work begins. `total` is in `unit`s (plural: "papers", "words"), `None` if it cannot be known.
    /// The work ends when the task is dropped.
    fn start(&self, name: &str, total: Option<u64>, unit: &'static str) -> Box<dyn Task>;

    /// Something that the user should know and that does not stop the run.
    fn warn(&self, message: &str);
}

/// A piece of work under way.
pub trait Task: Send + Sync {
    /// So many more units are done.
    fn advance(&self, units: u64);
    /// A short note beside the bar (a rate, a loss).
    fn note(&self, text: &str);
}

/// Says nothing, for libraries and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn Task> {
        Box::new(Silent)
    }
    fn warn(&self, _: &str) {}
}

impl Task for Silent {
    fn advance(&self, _: u64) {}
    fn note(&self, _: &str) {}
}

/// What one run of anything is given besides its data and parameters: the seed, and whom to tell.
///
/// Threads are not part of it: work runs on the rayon pool of the caller, and results never depend on its size.
#[derive(Clone)]
pub struct Run {
    /// The seed that all random streams are derived from.
    pub seed: Seed,
    /// Who is told.
    pub progress: Arc<dyn Progress>,
}

impl Run {
    /// A run that says nothing.
    pub fn silent(seed: Seed) -> Run {
        Run { seed, progress: Arc::new(Silent) }
    }
}

impl Default for Run {
    fn default() -> Run {
        Run::silent(Seed::default())
    }
}
