//! Room 3: the words that tell a paper from the others.
