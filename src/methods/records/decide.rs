//! The evidence of all fields combined: same, review or different, with what speaks against it whatever the sum.

use super::compare::{Agreement, Comparison, TitleLevel};
use super::normal::Kind;
use crate::similarity::Score;

/// What becomes of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Two papers.
    Different,
    /// A person should look.
    Review,
    /// One paper.
    Same,
}

/// What speaks against a pair whatever its fields sum up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Veto {
    /// Two DOIs, neither of them damaged.
    Doi,
    /// Two PubMed, PubMed Central or arXiv numbers of one kind.
    Identifier,
    /// Digits, parts or editions of the titles differ.
    Numbers,
    /// One is an erratum, a retraction, a comment; the other is not.
    Notice,
    /// A conference paper and a journal paper.
    Kinds,
    /// Parts of one book.
    Chapters,
    /// One DOI, other titles: one of the records is wrong.
    TitleOfDoi,
    /// A heading that many papers have, and nothing else that ties the two together.
    Heading,
    /// The same place in a journal and another title, or another place and a thin title.
    Place,
    /// Years apart, and in no one place.
    Years,
    /// Neither titles nor identifiers to compare.
    NoTitle,
    /// Both are of one source that is said to hold no duplicates.
    OneSource,
}

impl Veto {
    /// The reason as reports write it.
    pub fn reason(self) -> &'static str {
        match self {
            Veto::Doi => "different DOIs",
            Veto::Identifier => "different identifiers of one kind",
            Veto::Numbers => "numbers in the titles differ",
            Veto::Notice => "one is a notice about the other",
            Veto::Kinds => "conference and journal",
            Veto::Chapters => "parts of one book",
            Veto::TitleOfDoi => "one DOI, other titles",
            Veto::Heading => "a heading that many papers have",
            Veto::Place => "other volume, issue and pages",
            Veto::Years => "years apart and not in one place",
            Veto::NoTitle => "no title to compare",
            Veto::OneSource => "of one source without duplicates",
        }
    }
}

/// Two records that are not one and belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// A preprint and the article that it became.
    Version,
    /// A conference paper and the journal paper of the same title.
    Extended,
    /// A notice and the paper that it is about.
    Notice,
}

/// What was decided about a pair, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// Same, review or different.
    pub verdict: Verdict,
    /// The evidence in natural logarithms of odds.
    pub points: f64,
    /// The evidence as a probability, capped below one half by a veto.
    pub score: Score,
    /// What overrode the evidence.
    pub veto: Option<Veto>,
    /// What the two are to each other, if they are not one.
    pub relation: Option<Relation>,
}

/// The pieces of evidence, by name, in the order of [`WEIGHTS`].
pub const FEATURES: [&str; 47] = [
    "bias",
    "title-same-long",
    "title-same-short",
    "title-same-heading",
    "title-close-long",
    "title-close-short",
    "title-contained-long",
    "title-contained-short",
    "title-similar",
    "title-different",
    "title-missing",
    "title-telling",
    "names-same-several",
    "names-same-one",
    "names-compatible",
    "names-different",
    "names-missing",
    "first-author-differs",
    "year-same",
    "year-one",
    "year-few",
    "year-far",
    "venue-same",
    "venue-compatible",
    "venue-different",
    "volume-same",
    "volume-different",
    "number-same",
    "number-different",
    "pages-same",
    "pages-compatible",
    "pages-different",
    "volume-and-pages-same",
    "volume-same-pages-differ",
    "doi-same",
    "doi-different",
    "identifier-same",
    "identifier-different",
    "abstract-high",
    "abstract-middle",
    "abstract-low",
    "place-unknown",
    "place-differs",
    "one-range-other-title",
    "other-title-without-place",
    "other-title-in-one-issue",
    "close-title-in-another-venue",
];

/// The weights of the evidence, in natural logarithms of odds.
pub const WEIGHTS: [f64; 47] = [
    -5.0, 6.0, 4.5, 1.0, 5.5, 3.5, 3.5, 0.5, -1.0, -5.0, -2.0, -4.0, 3.0, 1.5, 0.6, -4.0, 0.0, -1.0, 1.0, 0.0, -2.0,
    -3.5, 1.0, 0.7, -1.0, 1.0, -1.0, 0.5, -1.0, 2.0, 1.0, -2.0, 2.0, -1.5, 7.0, -2.5, 6.0, -3.0, 3.0, 0.5, -2.0, 0.0,
    0.0, 4.0, -2.0, 2.5, -1.5,
];

/// The pieces of evidence of a comparison, each 0 or 1. `heading`: many papers of the corpus have this title.
pub fn evidence(c: &Comparison, heading: bool) -> [bool; 47] {
    use Agreement::*;
    let mut e = [false; 47];
    e[0] = true;
    let long = c.title.words >= 3;
    let several = c.names.agreement == Same && c.names.common >= 2;
    // The same people do not write two papers of one long title in one year's volumes of one journal: a series, a
    // subtitle or a remark stands before or behind it.
    let longer_title = c.title.level == TitleLevel::Contained
        && c.names.agreement == Same
        && c.years == Some(0)
        && matches!(c.venue, Same | Compatible);
    let remarked = longer_title
        && c.title.words >= 6
        && !c.title.telling
        && c.pages != Different
        && c.number != Different
        && c.volume != Different
        && c.doi != Different;
    // A review that is brought up to date by other people under one DOI.
    let updated = c.doi == Compatible && c.title.level == TitleLevel::Same && c.title.words >= 4;
    let title = match c.title.level {
        TitleLevel::Contained if remarked => 4,
        // A heading by the same two people or more is as good as a short title.
        TitleLevel::Same if (heading || c.title.words < 2) && several => 2,
        TitleLevel::Same if heading || c.title.words < 2 => 3,
        TitleLevel::Same if long => 1,
        TitleLevel::Same => 2,
        TitleLevel::Close if long => 4,
        TitleLevel::Close => 5,
        TitleLevel::Contained if long => 6,
        TitleLevel::Contained => 7,
        TitleLevel::Similar => 8,
        TitleLevel::Different => 9,
        TitleLevel::Missing => 10,
    };
    e[title] = true;
    e[11] = c.title.telling;
    let names = match c.names.agreement {
        Same if c.names.common >= 2 => 12,
        Same => 13,
        Compatible => 14,
        Different if updated => 16,
        Different => 15,
        Missing => 16,
    };
    e[names] = true;
    e[17] = c.names.agreement != Missing && !c.names.first && c.names.common < 2 && !updated;
    match c.years {
        Some(2..) if updated => {}
        Some(0) => e[18] = true,
        Some(1) => e[19] = true,
        Some(2..=3) => e[20] = true,
        Some(_) => e[21] = true,
        None => {}
    }
    let mut three = |agreement: Agreement, first: usize, compatible: usize, different: usize| match agreement {
        Same => e[first] = true,
        Compatible => e[compatible] = true,
        Different => e[different] = true,
        Missing => {}
    };
    three(c.venue, 22, 23, 24);
    three(c.volume, 25, 25, 26);
    three(c.number, 27, 27, 28);
    three(c.pages, 29, 30, 31);
    // Another version of a DOI counts as the same one only under the same title.
    let versions = c.doi == Compatible && !matches!(c.title.level, TitleLevel::Same | TitleLevel::Close);
    three(if versions { Missing } else { c.doi }, 34, 34, 35);
    three(c.identifiers, 36, 36, 37);
    let same_volume = matches!(c.volume, Same | Compatible);
    e[32] = same_volume && c.pages == Same;
    e[33] = same_volume && c.pages == Different;
    match c.abstracts {
        Some(share) if share >= 0.5 => e[38] = true,
        Some(share) if share >= 0.12 => e[39] = true,
        Some(share) if share < 0.05 => e[40] = true,
        _ => {}
    }
    e[41] = c.volume == Missing && c.pages == Missing;
    let other_title = matches!(c.title.level, TitleLevel::Contained | TitleLevel::Similar | TitleLevel::Different)
        && c.title.words >= 1;
    // Nobody prints two papers of the same people on the same pages: a translated or a changed title.
    e[43] = other_title
        && c.whole_range
        && c.years == Some(0)
        && matches!(c.venue, Same | Compatible)
        && matches!(c.volume, Same | Compatible | Missing)
        && c.number != Different
        && c.names.agreement == Same
        && (c.names.common >= 2 || c.title.level != TitleLevel::Different || c.volume == Same && c.number == Same);
    let longer_title = longer_title && (c.names.common >= 2 || remarked);
    e[44] = other_title
        && !longer_title
        && e[41]
        && !c.abstracts.is_some_and(|share| share >= 0.5)
        && c.doi != Same
        && c.identifiers != Same;
    e[42] = c.volume == Different && c.pages == Different;
    // One issue does not print two papers of the same people whose titles say the same.
    let alike = match c.title.level {
        TitleLevel::Same => heading || c.title.words < 2,
        TitleLevel::Contained => c.title.words >= 3,
        TitleLevel::Similar => c.title.similarity >= 0.75 && c.names.agreement == Same,
        _ => false,
    };
    e[46] = c.title.level == TitleLevel::Close && c.venue == Different && c.doi != Same && c.pages != Same;
    e[45] = alike
        && c.in_one_issue()
        && !c.title.telling
        && !c.title.numbers_differ
        && c.doi != Different
        && matches!(c.names.agreement, Same | Compatible);
    e
}

/// The least probability for which two records are one.
pub const SAME: f64 = 0.9;
/// The least probability for which a person should look.
pub const REVIEW: f64 = 0.3;

/// Combines the evidence of a pair. `heading`: many papers of the corpus have this title.
pub fn decide(c: &Comparison, heading: bool) -> Decision {
    let evidence = evidence(c, heading);
    let points: f64 = evidence.iter().zip(WEIGHTS).filter(|(on, _)| **on).map(|(_, weight)| weight).sum();
    let veto = veto(c, heading);
    let relation = relation(c, points);
    let probability = 1.0 / (1.0 + libm::exp(-points));
    let capped = match veto {
        Some(_) => probability * 0.499,
        None if matches!(relation, Some(Relation::Version)) => probability * 0.499,
        // Whether the people are the same is for a person to see who reads both scripts.
        None if c.names.two_scripts && c.doi != Agreement::Same && c.identifiers != Agreement::Same => {
            probability.min(SAME - 0.01)
        }
        None => probability,
    };
    let verdict = if capped >= SAME && veto.is_none() {
        Verdict::Same
    } else if capped >= REVIEW || veto == Some(Veto::TitleOfDoi) {
        Verdict::Review
    } else {
        Verdict::Different
    };
    Decision { verdict, points, score: Score::of(capped), veto, relation }
}

fn relation(c: &Comparison, points: f64) -> Option<Relation> {
    let title = matches!(c.title.level, TitleLevel::Same | TitleLevel::Close);
    let people = matches!(c.names.agreement, Agreement::Same | Agreement::Compatible);
    if !title || !people || c.title.numbers_differ {
        return None;
    }
    let one_is = |kind: Kind| (c.kinds.0 == kind) != (c.kinds.1 == kind);
    if c.notices.0 != c.notices.1 {
        return Some(Relation::Notice);
    }
    if one_is(Kind::Preprint)
        && c.doi != Agreement::Same
        && c.venue != Agreement::Same
        && c.title.words >= 2
        && points > -3.0
    {
        return Some(Relation::Version);
    }
    is_conference_and_journal(c).then_some(Relation::Extended)
}

fn is_conference_and_journal(c: &Comparison) -> bool {
    let pair = [c.kinds.0, c.kinds.1];
    pair.contains(&Kind::Conference) && pair.contains(&Kind::Journal)
}

fn veto(c: &Comparison, heading: bool) -> Option<Veto> {
    use Agreement::*;
    let title = matches!(c.title.level, TitleLevel::Same | TitleLevel::Close);
    // Versions of one DOI under one title are one paper too.
    let versions =
        c.doi == Compatible && title && c.years.is_none_or(|years| years < 2 || c.title.level == TitleLevel::Same);
    let identified = c.doi == Same || c.identifiers == Same || versions;
    if c.notices.0 != c.notices.1 && !identified {
        return Some(Veto::Notice);
    }
    if c.identifiers == Different && c.doi != Same {
        return Some(Veto::Identifier);
    }
    let venue = matches!(c.venue, Same | Compatible);
    let one_place = c.pages == Same && matches!(c.volume, Same | Compatible) && venue;
    let one_abstract = c.abstracts.is_some_and(|share| share >= 0.9);
    // Two DOIs for the same pages of the same volume, or for the same pages and abstract in one year: one is wrong.
    let one_print = one_place || one_abstract && c.pages == Same && venue && c.years == Some(0);
    let people = match c.names.agreement {
        Same => true,
        Compatible => c.names.common >= 2 || c.number == Same && c.whole_range,
        Missing => c.number == Same && c.whole_range,
        Different => false,
    };
    let one_title = title || c.title.level == TitleLevel::Contained && one_place && !c.title.telling;
    if c.doi == Different && c.identifiers != Same && !(one_title && one_print && people && !heading) {
        return Some(Veto::Doi);
    }
    if c.title.numbers_differ
        && !identified
        && !(one_abstract && c.names.agreement == Same && c.pages != Different)
        && !(c.whole_range && one_place && c.names.agreement == Same && c.title.similarity >= 0.8)
    {
        return Some(Veto::Numbers);
    }
    // A longer title, or one of other small words, by the same people in the same issue is one paper under its DOI,
    // whatever the pages say.
    let longer = (c.title.level == TitleLevel::Contained
        || c.title.level == TitleLevel::Similar && c.title.similarity >= 0.75)
        && !c.title.telling
        && c.names.agreement == Same
        && c.volume == Same
        && c.number == Same;
    let one_abstract_half = c.abstracts.is_some_and(|share| share >= 0.5);
    let other_title = c.title.level == TitleLevel::Different && !(c.names.agreement == Same && c.pages == Same)
        || c.title.level == TitleLevel::Similar && c.title.similarity < 0.75 && c.pages != Same && !one_abstract_half;
    if identified
        && (other_title
            || !title && !longer && c.pages == Different
            || !title && c.title.numbers_differ && c.pages != Same)
    {
        return Some(Veto::TitleOfDoi);
    }
    if c.isbn == Same
        && c.doi != Same
        && matches!(c.title.level, TitleLevel::Different | TitleLevel::Similar | TitleLevel::Contained)
    {
        return Some(Veto::Chapters);
    }
    if is_conference_and_journal(c)
        && !identified
        && c.pages != Same
        && !(matches!(c.volume, Same | Compatible) && venue)
        && !one_abstract
        && (c.years != Some(0) || c.venue == Different)
    {
        return Some(Veto::Kinds);
    }
    if c.one_of_meeting && c.venue == Different && c.pages != Same && !identified {
        return Some(Veto::Kinds);
    }
    if c.title.level == TitleLevel::Missing && !identified && c.abstracts.is_none_or(|share| share < 0.5) {
        let placed = c.pages == Same && matches!(c.volume, Same | Compatible) && c.names.agreement == Same;
        if !placed {
            return Some(Veto::NoTitle);
        }
    }
    let thin = heading || c.title.words < 2;
    if thin && !identified {
        let people = c.names.agreement == Same && c.names.common >= 2 && c.years == Some(0) && venue;
        let tied = people
            || c.pages == Same
            || c.abstracts.is_some_and(|share| share >= 0.5)
            || matches!(c.volume, Same | Compatible) && matches!(c.number, Same | Compatible);
        let apart = c.pages == Different
            || c.number == Different
            || c.volume == Different
            || c.years.is_some_and(|years| years > 0);
        if apart && !(c.pages == Same && c.volume != Different) || heading && !tied {
            return Some(Veto::Heading);
        }
    }
    // Another issue of the volume: only a long title by the same people is no column that every issue has.
    let column = c.title.words < 5 || !title || c.names.agreement != Same;
    if matches!(c.volume, Same | Compatible)
        && c.number == Different
        && c.pages != Same
        && !identified
        && (column && !one_abstract || c.pages == Different)
    {
        return Some(Veto::Place);
    }
    if column && c.volume == Different && c.years.is_some_and(|years| years > 0) && c.pages != Same && !identified {
        return Some(Veto::Place);
    }
    // Printed in two places: another volume on other pages, or another volume of another journal.
    let other_pages = c.volume == Different && c.pages == Different;
    let other_venue = c.volume == Different && c.venue == Different && c.pages != Same;
    let other_journal = c.venue == Different && c.pages == Different;
    // One DOI and one long title are one paper also where a second journal printed it, and no abstract says otherwise: the
    // abstract of a talk is often filed under the DOI of the paper.
    let printed_twice = c.doi == Same
        && c.title.level == TitleLevel::Same
        && c.title.words >= 4
        && c.names.agreement != Different
        && c.abstracts.is_none_or(|share| share >= 0.5);
    if (other_pages || other_venue || other_journal) && !identified
        || other_pages && c.venue == Different && !printed_twice
    {
        return Some(Veto::Place);
    }
    // Two years or more between them, and nothing that ties them to one place.
    let years_apart = c.years.is_some_and(|years| years >= 2);
    if years_apart && !identified && c.pages != Same && !(c.venue == Same && (one_abstract || c.volume == Same)) {
        return Some(Veto::Years);
    }
    // A year apart in venues that are not one: a meeting and the journal that printed its best papers.
    let by_kind = c.kinds.0 != c.kinds.1 && (c.kinds.0 == Kind::Journal || c.kinds.1 == Kind::Journal);
    if c.years == Some(1)
        && !identified
        && !matches!(c.pages, Same | Compatible)
        && (c.venue == Different || c.venue == Compatible && by_kind)
        && !one_abstract
    {
        return Some(Veto::Years);
    }
    None
}
