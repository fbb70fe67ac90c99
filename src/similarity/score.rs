//! A similarity in whole millionths: what is compared with λ, on every machine alike.

use std::fmt;
use std::str::FromStr;

/// A similarity from -1 to 1 in whole millionths. λ is a score too. Never NaN.
///
/// Cosines are rounded to six decimals before the comparison with λ, because in f32 about three in ten unit vectors
/// have a self-cosine below 1: an unrounded comparison at λ = 1 would lose a third of the exact copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(i32);

impl Score {
    /// One millionth of the whole is the unit.
    pub const UNIT: i32 = 1_000_000;
    /// -1.
    pub const MIN: Score = Score(-Score::UNIT);
    /// 0.
    pub const ZERO: Score = Score(0);
    /// 1.
    pub const MAX: Score = Score(Score::UNIT);

    /// A number rounded to six decimals, half away from zero, and clamped to -1 ..= 1. NaN becomes 0, which is what
    /// the similarity to something without a direction is.
    pub fn of(similarity: f64) -> Score {
        let millionths = similarity.clamp(-1.0, 1.0) * f64::from(Score::UNIT);
        // `as` cuts the fraction off and turns NaN into 0; what it cut off is exact. (`f64::round` is a call on machines
        // that are only known to have SSE2, and millions of pairs are decided.)
        let whole = millionths as i32;
        let fraction = millionths - f64::from(whole);
        Score(whole + i32::from(fraction >= 0.5) - i32::from(fraction <= -0.5))
    }

    /// The ratio of two counts, rounded to six decimals by integer arithmetic; `None` for 0/0.
    ///
    /// # Panics
    /// If `part` exceeds `whole`.
    pub fn ratio(part: u64, whole: u64) -> Option<Score> {
        assert!(part <= whole, "a part greater than the whole");
        let unit = Score::UNIT as u128;
        (whole > 0).then(|| Score(((u128::from(part) * unit * 2 + u128::from(whole)) / (2 * u128::from(whole))) as i32))
    }

    /// A score from whole millionths; `None` outside -1 ..= 1.
    pub fn from_millionths(millionths: i32) -> Option<Score> {
        (-Score::UNIT..=Score::UNIT).contains(&millionths).then_some(Score(millionths))
    }

    /// Whole millionths.
    pub fn millionths(self) -> i32 {
        self.0
    }

    /// The score as a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(Score::UNIT)
    }

    /// The least number that rounds to this score: a similarity is at or above λ exactly if it is not below this.
    pub fn lower_edge(self) -> f64 {
        (f64::from(self.0) - 0.5) / f64::from(Score::UNIT)
    }
}

/// Six decimals always: `0.900000`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        write!(f, "{sign}{}.{:06}", size / 1_000_000, size % 1_000_000)
    }
}

/// A text that is no score.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no score; wanted a number from -1 to 1 with at most 6 decimals, such as 0.95")]
pub struct ParseScoreError(String);

impl FromStr for Score {
    type Err = ParseScoreError;
    fn from_str(text: &str) -> Result<Score, ParseScoreError> {
        let error = || ParseScoreError(text.to_owned());
        let (negative, size) = match text.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, text),
        };
        let (whole, decimals) = size.split_once('.').unwrap_or((size, ""));
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        if !digits(whole)
            || !digits(decimals)
            || decimals.len() > 6
            || whole.len() > 1
            || whole.len() + decimals.len() == 0
        {
            return Err(error());
        }
        let number: i32 = format!("{whole:0>1}{decimals:0<6}").parse().map_err(|_| error())?;
        Score::from_millionths(if negative { -number } else { number }).ok_or_else(error)
    }
}

impl serde::Serialize for Score {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// From a text, or from a number as a person writes it in TOML: with its shortest decimals.
impl<'de> serde::Deserialize<'de> for Score {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        struct Written;
        impl serde::de::Visitor<'_> for Written {
            type Value = Score;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number from -1 to 1 with at most 6 decimals, such as 0.95")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Score, E> {
                text.parse().map_err(E::custom)
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Score, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Score, E> {
                self.visit_str(&number.to_string())
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Score, E> {
                self.visit_str(&number.to_string())
            }
        }
        deserializer.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_parsed_strictly_and_written_with_six_decimals() {
        for (text, millionths) in
            [("0.9", 900_000), ("1", 1_000_000), ("-.5", -500_000), ("1.000000", 1_000_000), ("0.", 0)]
        {
            assert_eq!(text.parse::<Score>().unwrap().millionths(), millionths, "{text}");
        }
        for text in ["1.2", "nan", "0,9", "90%", "", "-", ".", "0.1234567", "+1", "1e-1", " 0.5", "10", "--1"] {
            assert!(text.parse::<Score>().is_err(), "{text}");
        }
        assert_eq!(Score::of(-0.25).to_string(), "-0.250000");
        assert_eq!(Score::of(-0.000_000_1).to_string(), "0.000000");
    }

    #[test]
    fn a_setting_is_a_text_or_a_number() {
        #[derive(serde::Deserialize)]
        struct Setting {
            share: Score,
        }
        for (text, millionths) in
            [("\"0.5\"", 500_000), ("0.5", 500_000), ("0.1", 100_000), ("1", 1_000_000), ("-1", -1_000_000)]
        {
            let setting: Setting = toml::from_str(&format!("share = {text}")).unwrap();
            assert_eq!(setting.share.millionths(), millionths, "{text}");
        }
        for text in ["1.5", "2", "nan", "inf", "0.1234567", "true", "\"half\""] {
            assert!(toml::from_str::<Setting>(&format!("share = {text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn rounding_is_half_away_from_zero_and_never_nan() {
        assert_eq!(Score::of(1.000_000_1), Score::MAX);
        assert_eq!(Score::of(0.999_999_5), Score::MAX);
        assert_eq!(Score::of(f64::NAN), Score::ZERO);
        assert_eq!(Score::of(f64::INFINITY), Score::MAX);
        for i in 0..4_000_000 {
            let similarity = f64::from(i) * 5e-7 - 1.0;
            for near in [similarity.next_down(), similarity, similarity.next_up()].map(|s| s.clamp(-1.0, 1.0)) {
                assert_eq!(Score::of(near).millionths(), (near * 1e6).round() as i32, "{near:e}");
            }
        }
        assert_eq!(Score::ratio(2, 3).unwrap().millionths(), 666_667);
        assert_eq!(Score::ratio(0, 0), None);
        let lambda: Score = "0.8".parse().unwrap();
        assert!(Score::of(lambda.lower_edge()) == lambda && Score::of(lambda.lower_edge() - 1e-12) < lambda);
    }
}
