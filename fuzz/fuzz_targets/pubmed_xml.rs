//! Any bytes, read as PubmedXml.

#![no_main]

use papertwin::corpus::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| papertwin_fuzz::read(bytes, Some(Format::PubmedXml)));
