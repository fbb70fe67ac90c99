//! Shingling: papers are duplicates if they have enough shingles in common. Exact, by the best exact join.

use serde::{Deserialize, Serialize};

use super::sets::{Measure, SetMatcher, check_share, parameter, shingle_sets};
use super::{Input, Matcher, Method, MethodError};
use crate::progress::Run;
use crate::similarity::Score;
use crate::sketch::joins::Join;
use crate::text::{LanguageChoice, ShingleKind, ShingleParams, WordRule};

/// Whole lists are counted for containment, whatever join is asked for: one that cannot be had is refused.
fn check_join(method: &'static str, measure: Measure, join: Join) -> Result<(), MethodError> {
    if measure == Measure::Containment && !matches!(join, Join::Best | Join::Count) {
        let reason =
            format!("join = {:?} is for measure = \"jaccard\"; containment is counted: count, or best", join.name());
        return Err(MethodError::Parameter { method, reason });
    }
    Ok(())
}

/// The share of common shingles, letters or words (Broder 1997).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Shingles {
    /// How texts are cut.
    pub shingle: ShingleParams,
    /// How common shingles become a score.
    pub measure: Measure,
    /// Which index finds the pairs; all but `same-bucket` find the same. For containment `best` or `count`.
    pub join: Join,
    /// Shingles in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Default for Shingles {
    fn default() -> Shingles {
        Shingles { shingle: ShingleParams::default(), measure: Measure::default(), join: Join::Best, max_share: None }
    }
}

impl Method for Shingles {
    fn name(&self) -> &'static str {
        "shingles"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        check_share(self.name(), self.max_share)?;
        check_join(self.name(), self.measure, self.join)?;
        let shingling = self.shingle.check().map_err(parameter(self.name()))?;
        let sets = shingle_sets(input, &shingling, self.max_share);
        Ok(Box::new(SetMatcher::new(self.name(), "shingles", &sets, self.measure, self.join, &run, "enough shingles")))
    }
}

/// The share of common stop-word shingles: a stop word and the words after it (Theobald, Siddharth and Paepcke 2008). Prose
/// has many stop words, advertisements and menus few, so the article outweighs the page around it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct StopWordShingles {
    /// Words after the stop word.
    pub following: u32,
    /// What a word is.
    pub words: WordRule,
    /// The language of the stop list, or `auto` to ask each text.
    pub language: LanguageChoice,
    /// These stop words instead of a language's.
    pub stop_words: Option<Vec<String>>,
    /// Whether a stop word with fewer words after it is a shingle too.
    pub keep_incomplete: bool,
    /// A text with fewer different shingles matches nothing.
    pub min_set: u32,
    /// How common shingles become a score.
    pub measure: Measure,
    /// Which index finds the pairs; all but `same-bucket` find the same. For containment `best` or `count`.
    pub join: Join,
    /// Shingles in more than this share of the papers are left out; `None` keeps all.
    pub max_share: Option<Score>,
}

impl Default for StopWordShingles {
    fn default() -> StopWordShingles {
        let shingle = ShingleParams::stop_word();
        StopWordShingles {
            following: shingle.size,
            words: shingle.words,
            language: shingle.language,
            stop_words: shingle.stop_words,
            keep_incomplete: shingle.keep_incomplete,
            min_set: shingle.min_set,
            measure: Measure::default(),
            join: Join::Best,
            max_share: None,
        }
    }
}

impl StopWordShingles {
    fn shingle(&self) -> ShingleParams {
        ShingleParams {
            kind: ShingleKind::StopWord,
            size: self.following,
            words: self.words,
            language: self.language,
            stop_words: self.stop_words.clone(),
            keep_incomplete: self.keep_incomplete,
            min_set: self.min_set,
            ..ShingleParams::default()
        }
    }
}

impl Method for StopWordShingles {
    fn name(&self) -> &'static str {
        "stop-word-shingles"
    }

    fn prepare<'c>(&self, input: Input<'c>, run: Run) -> Result<Box<dyn Matcher + 'c>, MethodError> {
        check_share(self.name(), self.max_share)?;
        check_join(self.name(), self.measure, self.join)?;
        let shingling = self.shingle().check().map_err(parameter(self.name()))?;
        let sets = shingle_sets(input, &shingling, self.max_share);
        let want = "enough stop-word shingles (another language? give it, or use `shingles` or `whole-file` too)";
        Ok(Box::new(SetMatcher::new(self.name(), "shingles", &sets, self.measure, self.join, &run, want)))
    }
}
