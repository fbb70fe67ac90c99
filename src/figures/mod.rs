//! Room 14: a table becomes a figure.
