//! Generated news articles: stories told by several outlets, wire texts that several outlets print, and what stands
//! around an article on its page.
//!
//! A story is an event of one topic with its own names and facts. Every article about it tells some of the facts in its
//! own words and order, with background of its topic. A **wire** text is printed almost unchanged: such articles are near
//! duplicates of each other, while the other articles of the story are not. The page furniture (menu, advertisements,
//! newsletter box, links to other articles) belongs to the outlet: it is the same around unrelated articles and differs
//! around the same wire text, which is what makes near duplicates of whole pages hard to see.

use serde::{Deserialize, Serialize};

use super::words::{Topics, Voice, Words, capital, pick};
use super::{GenerateError, wanted};
use crate::corpus::Paper;
use crate::seed::{Seed, Stream};

/// What generated news are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct NewsParams {
    /// How many articles there are, about: the last story is told to its end.
    pub articles: u64,
    /// How many outlets.
    pub outlets: usize,
    /// How many topics.
    pub topics: usize,
    /// How many invented words, about.
    pub vocabulary: usize,
    /// How many days the articles are spread over, from 2024-01-01.
    pub days: u64,
    /// The share of articles that print the wire text of their story.
    pub wire: f64,
    /// Whether pages have their furniture.
    pub furniture: bool,
}

impl Default for NewsParams {
    fn default() -> NewsParams {
        NewsParams {
            articles: 2_000,
            outlets: 12,
            topics: 20,
            vocabulary: 15_000,
            days: 60,
            wire: 0.3,
            furniture: true,
        }
    }
}

impl NewsParams {
    /// The articles of these parameters.
    ///
    /// # Errors
    /// If a parameter is outside its range.
    pub fn check(self, seed: Seed) -> Result<News, GenerateError> {
        wanted(self.articles < u64::from(u32::MAX), "articles", self.articles, "fewer than 2^32 - 1")?;
        wanted((1..=1_000).contains(&self.outlets), "outlets", self.outlets, "1 to 1,000")?;
        wanted((1..=10_000).contains(&self.topics), "topics", self.topics, "1 to 10,000")?;
        let room = (100..=5_000_000).contains(&self.vocabulary);
        wanted(room, "vocabulary", self.vocabulary, "100 to 5,000,000 words")?;
        wanted((1..=366).contains(&self.days), "days", self.days, "1 to 366")?;
        wanted((0.0..=1.0).contains(&self.wire), "wire", self.wire, "a share from 0 to 1")?;
        Ok(News::new(self, seed))
    }
}

/// What stands around the articles of one outlet.
struct Outlet {
    name: String,
    host: String,
    menu: String,
    boxes: Vec<String>,
}

/// Generated articles, made a story at a time.
pub struct News {
    params: NewsParams,
    seed: Seed,
    topics: Topics,
    outlets: Vec<Outlet>,
}

impl News {
    fn new(params: NewsParams, seed: Seed) -> News {
        let topics = Topics::new(seed, "news/words", params.topics, params.vocabulary, 1.0);
        let mut names = Words::new(seed, "news/names");
        let mut stream = seed.stream("news/outlets");
        let outlets = (0..params.outlets)
            .map(|_| {
                let word = names.word(2);
                let kind = pick(&mut stream, &["Times", "Post", "Herald", "Gazette", "Courier", "Online"]);
                let sections = ["World", "Politics", "Business", "Sport", "Culture", "Weather", "Science", "Opinion"];
                let shown = stream.sample(sections.len(), 6);
                let menu = shown.iter().map(|place| sections[*place]).collect::<Vec<_>>().join(" | ");
                let boxes = (0..8).map(|_| advertisement(&topics, &mut names, &mut stream)).collect();
                Outlet { name: format!("{} {kind}", capital(&word)), host: format!("www.{word}.example"), menu, boxes }
            })
            .collect();
        News { params, seed, topics, outlets }
    }

    /// How many articles there are at least.
    pub fn articles(&self) -> u64 {
        self.params.articles
    }

    /// All articles, by story; in `extra` stand the `story` and, for those that print the wire text, `wire`.
    pub fn iter(&self) -> impl Iterator<Item = Paper> + '_ {
        let mut made = 0;
        (0u64..)
            .map_while(move |story| {
                if made >= self.params.articles {
                    return None;
                }
                let articles = self.story(story);
                made += articles.len() as u64;
                Some(articles)
            })
            .flatten()
    }

    /// The articles of story `number`, from 0: one to as many as there are outlets, most often few.
    pub fn story(&self, number: u64) -> Vec<Paper> {
        let stream = &mut self.seed.stream(&format!("news/story/{number}"));
        let topic = stream.below(self.topics.count() as u64) as usize;
        let voice = self.topics.voice(topic, 8, stream);
        let mut names = Words::new(self.seed.derive(&format!("news/story/{number}")), "names");
        let people: Vec<String> =
            (0..4).map(|_| format!("{} {}", capital(&names.word(2)), capital(&names.word(2)))).collect();
        let facts: Vec<String> = (0..10).map(|_| fact(&voice, &people, stream)).collect();
        let mut wire_body = facts[..6].join(" ");
        for _ in 0..4 {
            wire_body.push(' ');
            voice.sentence(10 + stream.below(12), stream, &mut wire_body);
        }
        let most = self.outlets.len().min(8) as u64;
        let count = 1 + stream.below(most).min(stream.below(most)) as usize;
        let minute = stream.below(self.params.days * 24 * 60);
        let tellers = stream.sample(self.outlets.len(), count);
        tellers
            .into_iter()
            .enumerate()
            .map(|(place, outlet)| {
                let wired = stream.chance(self.params.wire);
                let body = if wired { self.edited(&wire_body, stream) } else { self.told(&facts, &voice, stream) };
                let outlet = &self.outlets[outlet];
                let title = headline(&voice, &people, stream);
                let id = format!("n{number:06}-{place}");
                // Most articles appear within hours of the event.
                let delay = stream.below(36 * 60).min(stream.below(36 * 60));
                let mut extra = serde_json::Map::new();
                extra.insert("story".into(), format!("s{number}").into());
                if wired {
                    extra.insert("wire".into(), format!("w{number}").into());
                }
                Paper {
                    url: format!("https://{}/{}", outlet.host, title.to_lowercase().replace(' ', "-")),
                    body: match self.params.furniture {
                        // A stream of its own, so that the article is the same with furniture and without.
                        true => self.page(outlet, &title, &body, &mut self.seed.stream(&format!("news/page/{id}"))),
                        false => body,
                    },
                    id,
                    title,
                    source: outlet.name.clone(),
                    published: instant(minute + delay),
                    language: "en".into(),
                    extra,
                    ..Paper::default()
                }
            })
            .collect()
    }

    /// Some of the facts in another order, each with some words changed, and background.
    fn told(&self, facts: &[String], voice: &Voice<'_>, stream: &mut Stream) -> String {
        let mut sentences: Vec<String> = Vec::new();
        let count = 5 + stream.below(4) as usize;
        for place in stream.sample(facts.len(), count) {
            let words = facts[place].split(' ').map(|word| {
                let plain = word.chars().all(|c| c.is_ascii_lowercase());
                if plain && stream.chance(0.3) { voice.content(stream).to_owned() } else { word.to_owned() }
            });
            sentences.push(words.collect::<Vec<_>>().join(" "));
        }
        for _ in 0..3 + stream.below(6) {
            let mut sentence = String::new();
            voice.sentence(10 + stream.below(14), stream, &mut sentence);
            sentences.push(sentence);
        }
        let lead = sentences[0].clone();
        stream.shuffle(&mut sentences[1..]);
        sentences[0] = lead;
        paragraphs(&sentences, stream)
    }

    /// The wire text as an editor leaves it: now and then a sentence is cut or a word changed.
    fn edited(&self, text: &str, stream: &mut Stream) -> String {
        let mut sentences: Vec<String> = text.split_inclusive(". ").map(|s| s.trim().to_owned()).collect();
        if sentences.len() > 4 && stream.chance(0.5) {
            sentences.pop();
        }
        if stream.chance(0.5) {
            let place = stream.below(sentences.len() as u64) as usize;
            let word = self.topics.function_word(stream);
            sentences[place] = sentences[place].replacen(" the ", &format!(" {word} "), 1);
        }
        paragraphs(&sentences, stream)
    }

    /// The article on its page.
    fn page(&self, outlet: &Outlet, title: &str, body: &str, stream: &mut Stream) -> String {
        let mut page = format!("{}\n{}\nSign in  Subscribe\n\n{title}\n\n", outlet.name, outlet.menu);
        for (place, paragraph) in body.split("\n\n").enumerate() {
            page.push_str(paragraph);
            page.push_str("\n\n");
            if place % 2 == 0 {
                page.push_str("Advertisement\n");
                page.push_str(&outlet.boxes[stream.below(outlet.boxes.len() as u64) as usize]);
                page.push_str("\n\n");
            }
        }
        page.push_str("Related articles\n");
        for _ in 0..3 {
            let topic = stream.below(self.topics.count() as u64) as usize;
            let other = self.topics.voice(topic, 3, stream);
            page.push_str(&headline(&other, &[], stream));
            page.push('\n');
        }
        page.push_str(&format!("Newsletter: enter email address\n{}\nCopyright {}\n", outlet.menu, outlet.name));
        page
    }
}

fn paragraphs(sentences: &[String], stream: &mut Stream) -> String {
    let mut body = String::new();
    for (place, sentence) in sentences.iter().enumerate() {
        if place > 0 {
            body.push_str(if stream.chance(0.4) { "\n\n" } else { " " });
        }
        body.push_str(sentence);
    }
    body
}

fn advertisement(topics: &Topics, names: &mut Words, stream: &mut Stream) -> String {
    let brand = capital(&names.word(2));
    let ware = |stream: &mut Stream| topics.general[stream.below(topics.general.len() as u64) as usize].clone();
    let price = 5 + stream.below(95);
    format!(
        "{brand} {} {} {}! {price}.99 free shipping. Buy {brand} today, save {} percent. Click here.",
        ware(stream),
        ware(stream),
        ware(stream),
        10 + stream.below(60)
    )
}

fn fact(voice: &Voice<'_>, people: &[String], stream: &mut Stream) -> String {
    let mut sentence = String::new();
    voice.sentence(9 + stream.below(12), stream, &mut sentence);
    let person = &people[stream.below(people.len() as u64) as usize];
    match stream.below(3) {
        0 => format!("{person} said that {}{}", sentence[..1].to_lowercase(), &sentence[1..]),
        1 => format!("{} {} of them.", sentence.trim_end_matches('.'), 2 + stream.below(98)),
        _ => sentence,
    }
}

fn headline(voice: &Voice<'_>, people: &[String], stream: &mut Stream) -> String {
    let mut words: Vec<String> = Vec::new();
    if !people.is_empty() && stream.chance(0.6) {
        let person = &people[stream.below(people.len() as u64) as usize];
        words.push(person.split(' ').next_back().unwrap_or(person).to_owned());
    }
    for _ in 0..4 + stream.below(4) {
        let focused = stream.chance(0.6) && !voice.focus().is_empty();
        words.push(if focused {
            voice.focus()[stream.below(voice.focus().len() as u64) as usize].to_owned()
        } else {
            voice.content(stream).to_owned()
        });
    }
    capital(&words.join(" "))
}

/// So many minutes after the beginning of 2024, as an instant.
fn instant(minutes: u64) -> String {
    const LENGTHS: [u64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let (mut day, mut year, mut month) = (minutes / (24 * 60), 2024, 0);
    while day >= LENGTHS[month] - u64::from(month == 1 && year != 2024) {
        day -= LENGTHS[month] - u64::from(month == 1 && year != 2024);
        month += 1;
        if month == 12 {
            (month, year) = (0, year + 1);
        }
    }
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:00Z", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn shingles(text: &str) -> BTreeSet<Vec<&str>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.windows(3).map(<[&str]>::to_vec).collect()
    }

    fn jaccard(a: &str, b: &str) -> f64 {
        let (a, b) = (shingles(a), shingles(b));
        a.intersection(&b).count() as f64 / a.union(&b).count() as f64
    }

    #[test]
    fn wire_texts_are_near_duplicates_and_other_articles_of_a_story_are_not() {
        let params = NewsParams { articles: 300, furniture: false, wire: 0.5, ..NewsParams::default() };
        let articles: Vec<Paper> = params.check(Seed(1)).unwrap().iter().collect();
        assert!(articles.len() >= 300);
        let (mut wired, mut told) = (Vec::new(), Vec::new());
        for (place, a) in articles.iter().enumerate() {
            for b in articles[place + 1..].iter().filter(|b| b.extra["story"] == a.extra["story"]) {
                let both = a.extra.contains_key("wire") && b.extra.contains_key("wire");
                if both { &mut wired } else { &mut told }.push(jaccard(&a.body, &b.body));
            }
        }
        assert!(wired.len() > 20 && told.len() > 20);
        assert!(wired.iter().all(|j| *j > 0.7), "{wired:?}");
        assert!(told.iter().all(|j| *j < 0.6), "{told:?}");
    }

    #[test]
    fn furniture_belongs_to_the_outlet() {
        let bare = NewsParams { articles: 100, furniture: false, ..NewsParams::default() }.check(Seed(1)).unwrap();
        let full = NewsParams { articles: 100, ..NewsParams::default() }.check(Seed(1)).unwrap();
        for (bare, full) in bare.iter().zip(full.iter()) {
            assert!(full.body.starts_with(&full.source) && full.body.contains("Advertisement"));
            assert!(full.body.len() > bare.body.len() + 200);
        }
        assert_eq!(full.story(3), full.story(3));
    }

    #[test]
    fn instants_follow_the_calendar() {
        assert_eq!(instant(0), "2024-01-01T00:00:00Z");
        assert_eq!(instant((31 + 28) * 1440 + 61), "2024-02-29T01:01:00Z");
        assert_eq!(instant(366 * 1440), "2025-01-01T00:00:00Z");
        assert_eq!(instant((366 + 59) * 1440), "2025-03-01T00:00:00Z");
    }
}
