//! Room 13: articles become story groups, in daily batches.
