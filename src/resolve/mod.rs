//! Room 11: pairs become clusters, survivors and merged records, each with its reason.
