//! Generated papers.

use serde::{Deserialize, Serialize};

use super::words::{Topics, Words, Zipf, capital, pick};
use super::{GenerateError, wanted};
use crate::corpus::Paper;
use crate::seed::{Seed, Stream};

/// What generated papers are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct PapersParams {
    /// How many papers there are.
    pub papers: u64,
    /// How many topics.
    pub topics: usize,
    /// How many invented words, about; function words not counted.
    pub vocabulary: usize,
    /// The exponent of Zipf's law.
    pub exponent: f64,
    /// The shortest abstract, in words, about.
    pub shortest: u64,
    /// The longest abstract, in words, about.
    pub longest: u64,
    /// The share of papers without an abstract.
    pub without_abstract: f64,
}

impl Default for PapersParams {
    fn default() -> PapersParams {
        PapersParams {
            papers: 10_000,
            topics: 40,
            vocabulary: 30_000,
            exponent: 1.0,
            shortest: 60,
            longest: 220,
            without_abstract: 0.0,
        }
    }
}

impl PapersParams {
    /// The papers of these parameters.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn check(self, seed: Seed) -> Result<Papers, GenerateError> {
        wanted(self.papers < u64::from(u32::MAX), "papers", self.papers, "fewer than 2^32 - 1")?;
        wanted((1..=10_000).contains(&self.topics), "topics", self.topics, "1 to 10,000")?;
        let room = (100..=5_000_000).contains(&self.vocabulary);
        wanted(room, "vocabulary", self.vocabulary, "100 to 5,000,000 words")?;
        wanted(self.exponent > 0.0 && self.exponent <= 3.0, "exponent", self.exponent, "more than 0, at most 3")?;
        wanted(self.shortest >= 5, "shortest", self.shortest, "at least 5 words")?;
        let longest = self.longest >= self.shortest && self.longest <= 100_000;
        wanted(longest, "longest", self.longest, "at least `shortest`, at most 100,000 words")?;
        let share = (0.0..=1.0).contains(&self.without_abstract);
        wanted(share, "without-abstract", self.without_abstract, "a share from 0 to 1")?;
        Ok(Papers::new(self, seed))
    }
}

/// Generated papers, made one at a time.
pub struct Papers {
    params: PapersParams,
    seed: Seed,
    topics: Topics,
    topic_law: Zipf,
    families: Vec<String>,
    givens: Vec<String>,
    author_law: Zipf,
    venues: Vec<Vec<(String, &'static str)>>,
}

impl Papers {
    fn new(params: PapersParams, seed: Seed) -> Papers {
        let topics = Topics::new(seed, "papers/words", params.topics, params.vocabulary, params.exponent);
        let mut names = Words::new(seed, "papers/names");
        let families = (0..3_000).map(|_| capital(&names.word(2))).collect();
        let givens = (0..300).map(|_| capital(&names.word(2))).collect();
        // Some authors write much, most write little: Lotka's law is Zipf's with another exponent.
        let authors = (params.papers as usize).clamp(50, 200_000);
        let mut stream = seed.stream("papers/venues");
        let venues = (0..params.topics)
            .map(|topic| {
                (0..3 + stream.below(5) as usize)
                    .map(|rank| {
                        let (first, second) = (topics.word(topic, rank * 2), topics.word(topic, rank * 2 + 1));
                        let field = format!("{} {}", capital(first), capital(second));
                        match stream.below(3) {
                            0 => (format!("Proceedings of the Conference on {field}"), "inproceedings"),
                            1 => (format!("Journal of {field}"), "article"),
                            _ => (format!("{field} Letters"), "article"),
                        }
                    })
                    .collect()
            })
            .collect();
        let topic_law = Zipf::new(params.topics, 0.5);
        Papers { author_law: Zipf::new(authors, 0.7), params, seed, topics, topic_law, families, givens, venues }
    }

    /// How many papers there are.
    pub fn len(&self) -> u64 {
        self.params.papers
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.params.papers == 0
    }

    /// All papers in order, one at a time.
    pub fn iter(&self) -> impl Iterator<Item = Paper> + '_ {
        (0..self.params.papers).map(|number| self.paper(number))
    }

    /// Paper `number`, from 0. Its topic is told in `extra`.
    pub fn paper(&self, number: u64) -> Paper {
        let stream = &mut self.seed.stream(&format!("papers/{number}"));
        let topic = self.topic_law.draw(stream);
        let count = 5 + stream.below(6) as usize;
        let voice = self.topics.voice(topic, count, stream);
        let title = self.title(&voice, stream);
        let mut abstract_text = String::new();
        if !stream.chance(self.params.without_abstract) {
            let wanted = self.params.shortest + stream.below(self.params.longest - self.params.shortest + 1);
            let mut words = 0;
            while words < wanted {
                let length = (8 + stream.below(18)).min((wanted - words).max(4));
                if words > 0 {
                    abstract_text.push(' ');
                }
                voice.sentence(length, stream, &mut abstract_text);
                words += length;
            }
        }
        // The literature grows: later years are likelier.
        let year = 1990 + stream.below(35).max(stream.below(35));
        let (venue, kind) = {
            let venues = &self.venues[topic];
            &venues[stream.below(venues.len() as u64).min(stream.below(venues.len() as u64)) as usize]
        };
        let first = 1 + stream.below(900);
        let last = first + 3 + stream.below(20);
        let mut keywords: Vec<String> = voice.focus().iter().take(6).map(|word| (*word).to_owned()).collect();
        keywords.sort();
        keywords.dedup();
        let authors = (0..1 + stream.below(4) + stream.below(3)).map(|_| self.author(stream)).collect();
        Paper {
            id: format!("g{number:07}"),
            title,
            abstract_text,
            authors,
            year: year.to_string(),
            venue: venue.clone(),
            volume: (year - 1980).to_string(),
            number: (1 + stream.below(12)).to_string(),
            pages: format!("{first}-{last}"),
            doi: format!("10.5555/papertwin.{}.{number}", self.seed),
            keywords,
            kind: (*kind).to_owned(),
            language: "en".into(),
            extra: [("topic".to_owned(), topic.into())].into_iter().collect(),
            ..Paper::default()
        }
    }

    fn title(&self, voice: &super::words::Voice<'_>, stream: &mut Stream) -> String {
        const FRAMES: &[&str] = &["on", "a study of", "towards", "the role of", "new results on", "", "", ""];
        let mut title = String::new();
        let frame = pick(stream, FRAMES);
        title.push_str(frame);
        let words = 4 + stream.below(7);
        for place in 0..words {
            if !title.is_empty() {
                title.push(' ');
            }
            let focused = stream.chance(0.5) && !voice.focus().is_empty();
            if place > 0 && place + 1 < words && stream.chance(0.25) {
                title.push_str(pick(stream, &["of", "for", "and", "in", "with", "from", "under", "by"]));
                title.push(' ');
            }
            if focused {
                title.push_str(voice.focus()[stream.below(voice.focus().len() as u64) as usize]);
            } else {
                title.push_str(voice.content(stream));
            }
        }
        capital(&title)
    }

    fn author(&self, stream: &mut Stream) -> String {
        // An author is a number; the name follows from it, so that the same author has the same name.
        let author = self.author_law.draw(stream) as u64;
        let mixed = author.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let family = &self.families[(mixed % self.families.len() as u64) as usize];
        let given = &self.givens[((mixed / self.families.len() as u64) % self.givens.len() as u64) as usize];
        format!("{family}, {given}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn papers(count: u64) -> Papers {
        PapersParams { papers: count, topics: 8, vocabulary: 4_000, ..PapersParams::default() }.check(Seed(1)).unwrap()
    }

    #[test]
    fn a_paper_depends_on_its_number_and_the_seed_only() {
        let made = papers(50);
        let all: Vec<Paper> = made.iter().collect();
        assert_eq!(made.paper(17), all[17]);
        assert_ne!(all[16].title, all[17].title);
        let other = PapersParams { papers: 50, ..PapersParams::default() }.check(Seed(2)).unwrap();
        assert_ne!(other.paper(17).abstract_text, all[17].abstract_text);
        assert!(
            all.iter().all(|paper| !paper.title.is_empty() && !paper.authors.is_empty() && paper.keywords.len() > 1)
        );
    }

    #[test]
    fn word_frequencies_follow_zipf_and_topics_have_words_of_their_own() {
        let made = papers(600);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut of_topic: BTreeMap<(u64, String), u32> = BTreeMap::new();
        for paper in made.iter() {
            let topic = paper.extra["topic"].as_u64().unwrap();
            for word in paper.abstract_text.split([' ', '.', ',']).filter(|word| !word.is_empty()) {
                *counts.entry(word.to_lowercase()).or_default() += 1;
                *of_topic.entry((topic, word.to_lowercase())).or_default() += 1;
            }
        }
        let mut ranked: Vec<f64> = counts.values().map(|count| f64::from(*count)).collect();
        ranked.sort_by(|a, b| b.total_cmp(a));
        // The slope of log frequency over log rank between ranks 5 and 500.
        let slope = (ranked[499] / ranked[4]).ln() / (500.0f64 / 5.0).ln();
        assert!((-1.3..-0.7).contains(&slope), "slope {slope}");
        // The most frequent word of a topic is rare elsewhere.
        let own = made.topics.word(0, 0);
        let inside = of_topic.get(&(0, own.to_owned())).copied().unwrap_or_default();
        assert!(inside * 2 > counts[own], "{own}: {inside} of {}", counts[own]);
    }

    #[test]
    fn lengths_and_missing_abstracts_are_as_asked() {
        let params =
            PapersParams { papers: 400, shortest: 20, longest: 30, without_abstract: 0.25, ..PapersParams::default() };
        let made = params.check(Seed(3)).unwrap();
        let lengths: Vec<usize> = made.iter().map(|paper| paper.abstract_text.split_whitespace().count()).collect();
        let missing = lengths.iter().filter(|length| **length == 0).count();
        assert!((70..130).contains(&missing), "{missing}");
        assert!(lengths.iter().all(|length| *length == 0 || (20..=34).contains(length)), "{lengths:?}");
    }

    #[test]
    fn parameters_outside_their_range_are_named() {
        let error = PapersParams { topics: 0, ..PapersParams::default() }.check(Seed(1)).err().unwrap();
        assert_eq!(error.to_string(), "topics = 0: wanted 1 to 10,000");
    }
}
