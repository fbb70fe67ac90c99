//! News grouped and compared with known stories: what a point of such an experiment measures, and nested cross-validation over
//! the points.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::Point;
use super::spec::{Folds, Settings};
use super::stages::{Failed, Stages};
use crate::methods::Input;
use crate::news::{
    Article, ArticleTerms, Articles, GroupParams, Hit, MltParams, SimilarityGraph, agreement, agreement_of_stories,
};
use crate::partition::Partition;
use crate::progress::Run;
use crate::seed::Seed;
use crate::similarity::Score;
use crate::table::{Cell, Table};

/// How news are grouped at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct NewsSettings {
    /// The extra value of a record that holds the known story.
    pub label: String,
    /// The queries; with `[method.NAME]` only their filters: window, outlet, neighbours.
    pub more_like_this: MltParams,
    /// The groups.
    pub groups: GroupParams,
    /// With `[method.NAME]`: two articles of at least this similarity are neighbours.
    pub lambda: Option<Score>,
}

impl Default for NewsSettings {
    fn default() -> NewsSettings {
        NewsSettings {
            label: "story".into(),
            more_like_this: MltParams::default(),
            groups: GroupParams::default(),
            lambda: None,
        }
    }
}

/// The measures of a row, after its axes.
pub(super) const MEASURES: [&str; 15] = [
    "articles",
    "labelled",
    "edges",
    "groups",
    "grouped",
    "largest_group",
    "largest_component",
    "pair_precision",
    "pair_recall",
    "pair_f1",
    "b_cubed_precision",
    "b_cubed_recall",
    "b_cubed_f1",
    "nmi",
    "ari",
];

/// What points share, so that it is done once.
#[derive(Default)]
pub(super) struct Shared {
    articles: Option<(String, Articles)>,
    terms: Option<(String, Vec<ArticleTerms>)>,
    hits: Option<(String, Vec<Vec<Hit>>)>,
}

/// The groups of one point, for cross-validation.
pub(super) struct Found {
    groups: Partition,
    /// The known story of each article; empty where none is known.
    stories: Vec<String>,
}

/// The measures of one point.
pub(super) fn measure(
    news: &NewsSettings,
    settings: &Settings,
    stages: &mut Stages<'_>,
    shared: &mut Shared,
    run: &Run,
) -> Result<(Vec<Cell>, Found), Failed> {
    let run = Run { seed: settings.seed, ..run.clone() };
    let key = format!("{:?} {} {}", settings.data, settings.seed, news.label);
    if shared.articles.as_ref().is_none_or(|(known, _)| *known != key) {
        let corpus = stages.corpus(settings, &run)?.clone();
        shared.articles = Some((key.clone(), Articles::of(corpus, Some(&news.label))));
    }
    let Some((_, articles)) = &shared.articles else { return Err("no articles".into()) };
    let all = articles.as_slice();
    let graph = match &settings.method {
        None => {
            let mlt = news.more_like_this.clone().check()?;
            let terms_key = format!("{key} {:?}", news.more_like_this.analyzer);
            if shared.terms.as_ref().is_none_or(|(known, _)| *known != terms_key) {
                shared.terms = Some((terms_key, mlt.analyzer().terms_of(all)));
            }
            let hits_key = format!("{key} {:?}", news.more_like_this);
            if let Some((_, terms)) = &shared.terms
                && shared.hits.as_ref().is_none_or(|(known, _)| *known != hits_key)
            {
                shared.hits = Some((hits_key, mlt.index(all, terms, None).all_hits()));
            }
            SimilarityGraph::from_hits(shared.hits.as_ref().map_or(&[], |(_, hits)| hits))
        }
        Some(method) => {
            let lambda = news.lambda.ok_or("news: lambda: wanted the least similarity of neighbours")?;
            let (papers, embedding) = stages.at(settings, &run)?;
            let input = Input { corpus: &papers.corpus, embedding, fields: &papers.fields };
            let matcher = method.method().prepare(input, run)?;
            SimilarityGraph::from_matcher(all, matcher.as_ref(), lambda, &news.more_like_this)?
        }
    };
    let groups = news.groups.clone().check()?.groups(&graph);
    let counts = groups.counts(&graph);
    let agreement = agreement(&groups.groups, all).ok_or_else(|| {
        format!("no article has a value {}; news.label names the one with the known story", news.label)
    })?;
    let cubed = agreement.b_cubed;
    let row = vec![
        counts.articles.into(),
        all.iter().filter(|a| !a.story.is_empty()).count().into(),
        counts.edges.into(),
        counts.groups.into(),
        counts.grouped.into(),
        Cell::Count(counts.largest_group.into()),
        Cell::Count(counts.largest_component.into()),
        agreement.pairs.precision().into(),
        agreement.pairs.recall().into(),
        agreement.pairs.f1().into(),
        cubed.map(|b| b.precision).into(),
        cubed.map(|b| b.recall).into(),
        cubed.map(|b| b.f1()).into(),
        agreement.nmi.into(),
        agreement.ari.into(),
    ];
    Ok((row, Found { groups: groups.groups, stories: all.iter().map(|a| a.story.clone()).collect() }))
}

/// Nested cross-validation by story.
///
/// The stories of every data set are dealt into `count` folds. For each fold, a setting (a point without the axis `over`) is chosen on the
/// other folds alone: each of them is held out in turn, and the setting with the greatest mean of pair-F1 and B-cubed F1 over them and over
/// the data sets is taken, the first where several are equal; no pair with an article of the outer fold is looked at. Then
/// the setting chosen is scored on the outer fold: every pair with at least one of its articles, whatever fold the other is from. So an
/// article of another story that was wrongly joined counts, as it does in use. The last rows are the means over the folds of what was
/// chosen and of the best setting on everything, which has seen the labels that it is scored on.
pub(super) fn cross_validate(folds: &Folds, points: &[Point], found: &[Found], seed: Seed) -> Result<Table, Failed> {
    let axis = |point: &Point, name: &str| point.axes.iter().find(|a| a.0 == name).map(|a| a.1.clone());
    let over = folds.over.as_str();
    if folds.count < 3 {
        return Err(format!(
            "folds.count = {}; wanted at least 3: one held out, one chosen on, one around",
            folds.count
        )
        .into());
    }
    let mut sets: Vec<String> = Vec::new();
    // Settings in the order of the grid, each with its point for each data set.
    let mut settings: Vec<(String, BTreeMap<String, usize>)> = Vec::new();
    for (place, point) in points.iter().enumerate() {
        let set = axis(point, over).ok_or_else(|| format!("folds.over = {over:?} is no axis of the sweep"))?;
        if !sets.contains(&set) {
            sets.push(set.clone());
        }
        let rest: Vec<String> =
            point.axes.iter().filter(|a| a.0 != over).map(|(name, value)| format!("{name} = {value}")).collect();
        let rest = rest.join(", ");
        match settings.iter_mut().find(|s| s.0 == rest) {
            Some(known) => known.1.insert(set, place),
            None => {
                settings.push((rest, [(set, place)].into()));
                None
            }
        };
    }
    let mut fold_of: Vec<BTreeMap<&str, u32>> = Vec::new();
    for set in &sets {
        let place = points.iter().position(|p| axis(p, over).as_ref() == Some(set)).unwrap_or_default();
        let stories: BTreeSet<&str> =
            found[place].stories.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        let mut stories: Vec<&str> = stories.into_iter().collect();
        seed.stream(&format!("folds/{set}")).shuffle(&mut stories);
        fold_of.push(stories.into_iter().zip((0..folds.count).cycle()).collect());
    }
    // Pair-F1 and B-cubed F1 of a setting on a data set: one fold, with some folds around it.
    let score = |setting: usize, set: usize, fold: u32, without: Option<u32>| -> Option<(f64, f64)> {
        let found = &found[*settings[setting].1.get(&sets[set])?];
        let articles: Vec<Article> =
            found.stories.iter().map(|s| Article { story: s.clone(), ..Article::default() }).collect();
        let own = |story: &str| fold_of[set].get(story).copied();
        let (pairs, cubed) = agreement_of_stories(
            &found.groups,
            &articles,
            |story| own(story) == Some(fold),
            |story| own(story) != without,
        )?;
        Some((pairs.f1().unwrap_or(0.0), cubed.f1()))
    };
    let mean = |values: &[(f64, f64)]| -> Option<(f64, f64)> {
        let n = values.len() as f64;
        (!values.is_empty())
            .then(|| (values.iter().map(|v| v.0).sum::<f64>() / n, values.iter().map(|v| v.1).sum::<f64>() / n))
    };
    let choose = |outer: Option<u32>| -> usize {
        use rayon::prelude::*;
        let marks: Vec<f64> = (0..settings.len())
            .into_par_iter()
            .map(|setting| {
                let inner: Vec<(f64, f64)> = (0..folds.count)
                    .filter(|&fold| Some(fold) != outer)
                    .flat_map(|fold| (0..sets.len()).map(move |set| (fold, set)))
                    .map(|(fold, set)| score(setting, set, fold, outer).unwrap_or_default())
                    .collect();
                mean(&inner).map_or(0.0, |(pair, cubed)| pair + cubed)
            })
            .collect();
        // The first of the greatest.
        (0..settings.len()).rev().max_by(|&x, &y| marks[x].total_cmp(&marks[y])).unwrap_or_default()
    };
    let mut table = Table::new([
        "fold".to_owned(),
        over.to_owned(),
        "stories".to_owned(),
        "pair_f1".to_owned(),
        "b_cubed_f1".to_owned(),
        "setting".to_owned(),
    ]);
    let mut chosen: Vec<Vec<(f64, f64)>> = vec![Vec::new(); sets.len()];
    let mut best: Vec<Vec<(f64, f64)>> = vec![Vec::new(); sets.len()];
    let best_of_all = choose(None);
    for fold in 0..folds.count {
        let setting = choose(Some(fold));
        for set in 0..sets.len() {
            best[set].extend(score(best_of_all, set, fold, None));
            let Some((pair, cubed)) = score(setting, set, fold, None) else { continue };
            chosen[set].push((pair, cubed));
            table.push(vec![
                Cell::Count((fold + 1).into()),
                sets[set].as_str().into(),
                fold_of[set].values().filter(|&&f| f == fold).count().into(),
                pair.into(),
                cubed.into(),
                settings[setting].0.as_str().into(),
            ]);
        }
    }
    for (name, all, setting) in
        [("mean, chosen without the fold", &chosen, ""), ("mean, best on all", &best, settings[best_of_all].0.as_str())]
    {
        for set in 0..sets.len() {
            let mean = mean(&all[set]);
            table.push(vec![
                name.into(),
                sets[set].as_str().into(),
                fold_of[set].len().into(),
                mean.map(|m| m.0).into(),
                mean.map(|m| m.1).into(),
                setting.into(),
            ]);
        }
    }
    Ok(table)
}
