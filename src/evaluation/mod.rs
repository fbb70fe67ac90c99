//! Room 10: what a method found against the truth.
