//! Room 7: hashes, signatures and indexes that find similar sets without comparing all pairs.
//!
//! A text has become a set of 64-bit hashes ([`crate::text::ShingleSets`]). Signatures ([`minhash`]) estimate how much
//! two sets share, bands ([`bands`]) find pairs that probably share much. Thresholds are exact ratios ([`Threshold`]).
//!
//! ```
//! use papertwin::sketch::Threshold;
//! let nine_tenths = Threshold::new(9, 10).unwrap();
//! assert_eq!(nine_tenths.prefix(10), 2); // in f64, floor((1 - 0.9) * 10) + 1 is 1: the pair would be lost
//! assert_eq!(nine_tenths.overlap(10, 10), 10);
//! ```

pub mod bands;
pub mod bloom;
pub mod joins;
#[allow(unsafe_code)]
mod kernels;
pub mod minhash;
pub mod sets;
pub mod simhash;
mod threshold;

pub use threshold::Threshold;
