//! Room 10: how well a method finds duplicates.

mod counts;
mod partitions;

pub use counts::Confusion;
pub use partitions::{Agreement, BCubed};
