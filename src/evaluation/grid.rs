//! Lists and ranges of λ, in exact decimals.

use crate::similarity::Score;

/// A text that is no list of λ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?}: {reason}; wanted λ from -1 to 1 with at most 6 decimals, a list such as 0.9,0.95, or a range FROM:TO:STEP such as 0.80:0.90:0.05"
)]
pub struct ParseLambdasError {
    text: String,
    reason: String,
}

/// Reads λ: numbers and ranges `FROM:TO:STEP`, separated by commas; ascending, each once. A range is counted in whole
/// millionths, and both of its ends belong to it where the steps reach them: `0.80:0.90:0.05` is exactly 0.80, 0.85, 0.90.
///
/// # Errors
/// If something is no score from -1 to 1, a range runs backwards, or its step is not above 0.
///
/// ```
/// let lambdas = papertwin::evaluation::parse_lambdas("0.80:0.90:0.05").unwrap();
/// assert_eq!(lambdas.iter().map(|l| l.to_string()).collect::<Vec<_>>(), ["0.800000", "0.850000", "0.900000"]);
/// ```
pub fn parse_lambdas(text: &str) -> Result<Vec<Score>, ParseLambdasError> {
    let error = |reason: String| ParseLambdasError { text: text.to_owned(), reason };
    let score =
        |part: &str| part.trim().parse::<Score>().map_err(|_| error(format!("{part:?} is out of range or no number")));
    let mut lambdas = Vec::new();
    for part in text.split(',') {
        match part.split(':').collect::<Vec<_>>()[..] {
            [one] => lambdas.push(score(one)?),
            [from, to, step] => {
                let (from, to, step) = (score(from)?, score(to)?, score(step)?);
                if step <= Score::ZERO {
                    return Err(error("the step must be above 0".into()));
                }
                if from > to {
                    return Err(error("the range runs backwards".into()));
                }
                let steps = (from.millionths()..=to.millionths()).step_by(step.millionths() as usize);
                lambdas.extend(steps.filter_map(Score::from_millionths));
            }
            _ => return Err(error(format!("{part:?} is neither a number nor FROM:TO:STEP"))),
        }
    }
    lambdas.sort_unstable();
    lambdas.dedup();
    Ok(lambdas)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o_080_ranges_are_exact_and_what_is_out_of_range_is_refused() {
        let texts = |t: &str| parse_lambdas(t).unwrap().iter().map(Score::to_string).collect::<Vec<_>>();
        assert_eq!(texts("0.8:0.9:0.05"), ["0.800000", "0.850000", "0.900000"]);
        assert_eq!(texts("0:1:0.1").len(), 11);
        assert_eq!(texts("0.9,0.5:0.7:0.15"), ["0.500000", "0.650000", "0.900000"]);
        assert_eq!(texts("-0.5"), ["-0.500000"]);
        for text in ["1.2", "nan", "90%", "0.9:0.8:0.1", "0.1:0.2:0", "0.1:0.2", "", "0.1,,0.2", "0.1:0.2:0.05:1"] {
            let error = parse_lambdas(text).unwrap_err().to_string();
            assert!(error.contains("-1 to 1"), "{error}");
        }
        // A decimal comma makes two numbers, of which 9 is none.
        assert!(parse_lambdas("0,9").is_err());
    }
}
