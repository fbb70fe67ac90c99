//! Room 9: copies of papers with dosed edits, and the truth that follows.
