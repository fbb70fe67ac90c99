//! Any bytes, read as EndnoteXml.

#![no_main]

use papertwin::corpus::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| papertwin_fuzz::read(bytes, Some(Format::EndnoteXml)));
