//! A share of something, from 0 to 1, as it was written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::InjectError;

/// A share from 0 to 1 in whole millionths, so that a dose of 0.1 is the same number wherever it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Share(u32);

impl Share {
    /// Nothing.
    pub const NONE: Share = Share(0);
    /// All of it.
    pub const ALL: Share = Share(1_000_000);

    /// The share as a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    /// The share of a count, rounded half up.
    pub fn of(self, count: usize) -> usize {
        ((count as u128 * u128::from(self.0) + 500_000) / 1_000_000) as usize
    }
}

impl FromStr for Share {
    type Err = InjectError;
    fn from_str(text: &str) -> Result<Share, InjectError> {
        let error = || InjectError::Share(text.to_owned());
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole)
            || !digits(decimals)
            || whole.len() > 1
            || decimals.len() > 6
            || whole.len() + decimals.len() == 0
        {
            return Err(error());
        }
        let millionths: u32 = format!("{whole:0>1}{decimals:0<6}").parse().map_err(|_| error())?;
        if millionths > Share::ALL.0 { Err(error()) } else { Ok(Share(millionths)) }
    }
}

/// The shortest form: `0.2`, `1`.
impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_exact_decimals() {
        for (text, shown) in [("0.2", "0.2"), ("1", "1"), (".05", "0.05"), ("0.100000", "0.1"), ("0", "0")] {
            assert_eq!(text.parse::<Share>().unwrap().to_string(), shown);
        }
        for text in ["1.5", "-0.1", "", ".", "20%", "0,2", "nan", "0.1234567"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
        let fifth: Share = "0.2".parse().unwrap();
        assert_eq!([fifth.of(10), fifth.of(7), fifth.of(1), fifth.of(3), fifth.of(0)], [2, 1, 0, 1, 0]);
    }
}
