//! Room 5: a paper's keywords and their word vectors become one vector, its portrait.
//!
//! The portrait is the mean of the vectors of the paper's k keywords, weighted alike (step 6 of the paper) or by tf-idf
//! (its formula 5): the text says both, so [`Weighting`] is a parameter. A paper none of whose keywords has a vector, or
//! whose vectors sum to zero, has **no portrait**: it is counted, named, and matches nothing.
//!
//! ```
//! use ndarray::array;
//! use papertwin::corpus::PaperId;
//! use papertwin::embedding::Embedding;
//! use papertwin::keywords::{DocumentFrequencies, KeywordParams};
//! use papertwin::portrait::{PortraitParams, Portraits};
//! use papertwin::text::Tokens;
//! let tokens = Tokens::from_texts([vec!["fog", "horn", "fog"], vec!["lamp"]]);
//! let table = DocumentFrequencies::of(&tokens);
//! let embedding = Embedding::new(vec!["fog".into(), "horn".into()], array![[2.0, 0.0], [0.0, 2.0]]);
//! let (keywording, portraying) = (KeywordParams::default().check()?, PortraitParams::default().check());
//! let portraits = Portraits::paint(&tokens, &table, &keywording, &embedding, &portraying)?;
//! assert_eq!(portraits.of(PaperId(0)), Some(&[1.0, 1.0][..]));
//! assert_eq!(portraits.missing(), [PaperId(1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod common;
mod portraits;

pub use common::Common;
pub use portraits::{Oov, PortraitError, PortraitParams, Portraits, Portraying, Weighting};
