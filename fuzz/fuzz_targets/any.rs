//! Any bytes, the format found from them.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| papertwin_fuzz::read(bytes, None));
