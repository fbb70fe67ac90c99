//! Room 7: hashes, signatures and indexes that find similar sets without comparing all pairs.
