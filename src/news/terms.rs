//! The terms of an article: what is left of its title and body after analysis in its language.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Article, NewsError};
use crate::text::{Analyzer, AnalyzerParams, Language, LanguageChoice};

/// A field that terms are taken from and searched in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextField {
    /// The headline.
    Title,
    /// The text.
    Body,
}

impl TextField {
    /// Both.
    pub const ALL: [TextField; 2] = [TextField::Title, TextField::Body];

    pub(super) fn of(self, article: &Article) -> &str {
        match self {
            TextField::Title => &article.title,
            TextField::Body => &article.body,
        }
    }
}

/// How often each term occurs in each field of one article.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArticleTerms {
    /// By [`TextField`]: the terms, ascending, each with the number of its occurrences.
    pub fields: [Vec<(String, u32)>; 2],
}

impl ArticleTerms {
    /// How many tokens a field has.
    pub fn length(&self, field: TextField) -> u32 {
        self.fields[field as usize].iter().map(|t| t.1).sum()
    }
}

/// Turns texts into terms, each article in its own language.
#[derive(Clone, Debug)]
pub struct ArticleAnalyzer {
    choice: LanguageChoice,
    by_language: BTreeMap<Language, Analyzer>,
}

impl ArticleAnalyzer {
    /// With these parameters for every language; stems are made where the language has a stemmer.
    ///
    /// # Errors
    /// If the parameters do not go together.
    pub fn new(params: &AnalyzerParams) -> Result<ArticleAnalyzer, NewsError> {
        let languages: Vec<Language> = match params.language {
            LanguageChoice::Only(language) => {
                params.clone().check()?;
                vec![language]
            }
            LanguageChoice::Auto => Language::all().collect(),
        };
        let mut by_language = BTreeMap::new();
        for language in languages {
            let own = AnalyzerParams {
                language: LanguageChoice::Only(language),
                stem: params.stem && language.stemmer().is_some(),
                ..params.clone()
            };
            by_language.insert(language, own.check()?);
        }
        Ok(ArticleAnalyzer { choice: params.language, by_language })
    }

    /// The language that an article is analysed in: the one of the parameters, else what the source says, else what title
    /// and body look like, else English.
    pub fn language(&self, article: &Article) -> Language {
        match self.choice {
            LanguageChoice::Only(language) => language,
            LanguageChoice::Auto => {
                let said = article.language.split(['-', '_']).next().unwrap_or_default();
                said.parse().ok().unwrap_or_else(|| {
                    let start = article.body.char_indices().nth(1000).map_or(article.body.len(), |(place, _)| place);
                    Language::detect(&format!("{}\n{}", article.title, &article.body[..start]))
                        .unwrap_or(Language::ENGLISH)
                })
            }
        }
    }

    /// The terms of one article.
    pub fn terms(&self, article: &Article) -> ArticleTerms {
        self.terms_in(article, self.language(article))
    }

    /// The terms of one article in a language that [`ArticleAnalyzer::language`] gave.
    ///
    /// # Panics
    /// If the parameters name another language.
    pub fn terms_in(&self, article: &Article, language: Language) -> ArticleTerms {
        let analyzer = &self.by_language[&language];
        let mut terms = ArticleTerms::default();
        for field in TextField::ALL {
            let mut counts: FxHashMap<String, u32> = FxHashMap::default();
            analyzer.visit(field.of(article), |token| match counts.get_mut(token) {
                Some(count) => *count += 1,
                None => {
                    counts.insert(token.to_owned(), 1);
                }
            });
            let sorted = &mut terms.fields[field as usize];
            sorted.extend(counts);
            sorted.sort_unstable();
        }
        terms
    }

    /// The terms of many, in parallel.
    pub fn terms_of(&self, articles: &[Article]) -> Vec<ArticleTerms> {
        articles.par_iter().with_min_len(16).map(|article| self.terms(article)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_article_is_analysed_in_its_language() {
        let analyzer = ArticleAnalyzer::new(&AnalyzerParams { stem: true, ..AnalyzerParams::default() }).unwrap();
        let words = |title: &str, body: &str, language: &str| {
            let article =
                Article { title: title.into(), body: body.into(), language: language.into(), ..Article::default() };
            analyzer.terms(&article).fields
        };
        let english = words("The ferries", "Ferries and the ferry strike", "eng");
        assert_eq!(english[0], [("ferri".to_owned(), 1)]);
        assert_eq!(english[1], [("ferri".to_owned(), 2), ("strike".to_owned(), 1)]);
        let chinese = words("港口罢工", "渡轮罢工使岛屿之间的交通中断。罢工持续三天。", "");
        assert!(chinese[1].iter().any(|t| t.0 == "罢工" && t.1 == 2), "{chinese:?}");
        let japanese = words("", "島へのフェリーがストライキで止まった。ストライキは三日続いた。", "ja-JP");
        assert!(japanese[1].iter().any(|t| t.0.contains("ストライキ") && t.1 == 2), "{japanese:?}");
        let german = words("Die Häfen", "Die Fähren und die Häfen", "German");
        assert_eq!(german[0].len(), 1, "die is a stop word: {german:?}");
    }
}
