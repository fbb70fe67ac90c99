//! Room 5: keywords and their vectors become one vector a paper.
