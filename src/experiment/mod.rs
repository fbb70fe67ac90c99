//! Room 15: a TOML file conducts the other rooms.
