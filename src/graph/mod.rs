//! Room 12: directed graphs, components, communities.
