//! Invented words, Zipf's law, topics, sentences.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use crate::seed::{Seed, Stream};

/// English function words by falling frequency.
pub(super) const FUNCTION_WORDS: &[&str] = &[
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "we", "with", "on", "as", "by", "are", "this", "be",
    "from", "an", "which", "it", "at", "can", "was", "not", "or", "have", "has", "these", "our", "were", "but",
    "their", "between", "also", "its", "than", "such", "been", "more", "into", "both", "when", "where", "they", "may",
    "each", "other", "all", "two", "only", "however", "some", "there", "then", "over", "under", "most", "while",
    "about", "after", "through", "during", "no", "how", "those", "very", "same", "so", "if", "will", "would", "could",
    "before", "because", "any",
];

const ONSETS: &[&str] = &[
    "b", "br", "c", "cl", "cr", "d", "dr", "f", "fl", "fr", "g", "gl", "gr", "h", "j", "k", "l", "m", "n", "p", "pl",
    "pr", "qu", "r", "s", "sc", "sh", "sl", "sp", "st", "str", "t", "th", "tr", "v", "w", "z",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ai", "ea", "io", "ou", "y"];
const CODAS: &[&str] = &["", "", "", "l", "m", "n", "r", "s", "t", "x", "nd", "nt", "rm", "st", "ck", "lt"];

/// Makes words that differ from each other and from the function words.
pub(super) struct Words {
    stream: Stream,
    used: HashSet<String, FxBuildHasher>,
}

impl Words {
    pub fn new(seed: Seed, name: &str) -> Words {
        let used = FUNCTION_WORDS.iter().map(|word| (*word).to_owned()).collect();
        Words { stream: seed.stream(name), used }
    }

    /// A new word of so many syllables, or of more where those are used up.
    pub fn word(&mut self, syllables: u64) -> String {
        let mut tries = 0;
        loop {
            let mut word = String::new();
            for _ in 0..syllables + tries / 20 {
                word.push_str(pick(&mut self.stream, ONSETS));
                word.push_str(pick(&mut self.stream, VOWELS));
            }
            word.push_str(pick(&mut self.stream, CODAS));
            tries += 1;
            if word.len() > 2 && self.used.insert(word.clone()) {
                return word;
            }
        }
    }

    /// So many words, the first ones shorter.
    pub fn words(&mut self, count: usize) -> Vec<String> {
        (0..count)
            .map(|rank| {
                let syllables = match rank {
                    0..30 => 1,
                    30..600 => 2,
                    _ => 2 + self.stream.below(3),
                };
                self.word(syllables)
            })
            .collect()
    }
}

/// One of a list.
pub(super) fn pick<'a>(stream: &mut Stream, list: &[&'a str]) -> &'a str {
    list[stream.below(list.len() as u64) as usize]
}

/// The first letter as a capital.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Ranks 0, 1, 2, ... drawn with probability proportional to 1 / (rank + 1)^s, through a guide table: the place where the
/// search in the cumulative sums begins (Chen and Asau 1974), constant time on average.
pub(super) struct Zipf {
    sums: Vec<f64>,
    guide: Vec<u32>,
}

impl Zipf {
    pub fn new(count: usize, exponent: f64) -> Zipf {
        let mut sum = 0.0;
        let mut sums: Vec<f64> = (1..=count)
            .map(|rank| {
                sum += libm::pow(rank as f64, -exponent);
                sum
            })
            .collect();
        sums.iter_mut().for_each(|value| *value /= sum);
        let guide = (0..count).map(|k| sums.partition_point(|s| *s <= k as f64 / count as f64) as u32).collect();
        Zipf { sums, guide }
    }

    pub fn draw(&self, stream: &mut Stream) -> usize {
        let u = stream.unit();
        let mut rank = self.guide[(u * self.guide.len() as f64) as usize] as usize;
        while rank + 1 < self.sums.len() && self.sums[rank] <= u {
            rank += 1;
        }
        rank
    }
}

/// The vocabulary: general words and the words of each topic.
pub(super) struct Topics {
    pub general: Vec<String>,
    general_law: Zipf,
    topics: Vec<Vec<u32>>,
    topic_words: Vec<String>,
    topic_law: Zipf,
    function_law: Zipf,
}

/// Draws words for one text.
pub(super) struct Voice<'t> {
    topics: &'t Topics,
    main: usize,
    second: usize,
    second_share: f64,
    focus: Vec<&'t str>,
}

impl Topics {
    /// `vocabulary` invented words: a fifth are general, the rest belong to topics, of whose words a fifth are borrowed
    /// from the next topic.
    pub fn new(seed: Seed, name: &str, topics: usize, vocabulary: usize, exponent: f64) -> Topics {
        let mut maker = Words::new(seed, name);
        let general_count = (vocabulary / 5).max(1);
        let own = ((vocabulary - general_count.min(vocabulary)) / topics).max(5);
        let general = maker.words(general_count);
        let topic_words = maker.words(own * topics);
        let borrowed = own / 4;
        let mut order = seed.stream(&format!("{name}/topics"));
        let topic_lists: Vec<Vec<u32>> = (0..topics)
            .map(|topic| {
                let from = |topic: usize| (topic * own) as u32..(topic * own + own) as u32;
                let mut words: Vec<u32> = from(topic).collect();
                let neighbour: Vec<u32> = from((topic + 1) % topics).collect();
                words.extend(order.sample(own, borrowed).into_iter().map(|place| neighbour[place]));
                order.shuffle(&mut words);
                words
            })
            .collect();
        Topics {
            general,
            general_law: Zipf::new(general_count, exponent),
            topic_law: Zipf::new(own + borrowed, exponent),
            topics: topic_lists,
            topic_words,
            function_law: Zipf::new(FUNCTION_WORDS.len(), 1.0),
        }
    }

    pub fn count(&self) -> usize {
        self.topics.len()
    }

    /// The word of this rank in a topic.
    pub fn word(&self, topic: usize, rank: usize) -> &str {
        &self.topic_words[self.topics[topic][rank.min(self.topics[topic].len() - 1)] as usize]
    }

    /// A voice for a text about a topic: a second topic in one of three texts, focus words from the middle ranks.
    pub fn voice(&self, topic: usize, focus: usize, stream: &mut Stream) -> Voice<'_> {
        let second = stream.below(self.count() as u64) as usize;
        let second_share = if stream.chance(1.0 / 3.0) { 0.3 } else { 0.0 };
        let size = self.topics[topic].len();
        let focus = (0..focus)
            .map(|_| self.word(topic, (size / 20 + stream.below((size - size / 20) as u64) as usize).min(size - 1)))
            .collect();
        Voice { topics: self, main: topic, second, second_share, focus }
    }

    pub fn function_word(&self, stream: &mut Stream) -> &'static str {
        FUNCTION_WORDS[self.function_law.draw(stream)]
    }
}

impl<'t> Voice<'t> {
    pub fn focus(&self) -> &[&'t str] {
        &self.focus
    }

    /// A word that carries meaning.
    pub fn content(&self, stream: &mut Stream) -> &'t str {
        let u = stream.unit();
        if u < 0.2 && !self.focus.is_empty() {
            return self.focus[stream.below(self.focus.len() as u64) as usize];
        }
        if u < 0.5 {
            return &self.topics.general[self.topics.general_law.draw(stream)];
        }
        let topic = if stream.chance(self.second_share) { self.second } else { self.main };
        self.topics.word(topic, self.topics.topic_law.draw(stream))
    }

    /// Appends a sentence of so many words, function words among them, with a capital and a full stop.
    pub fn sentence(&self, words: u64, stream: &mut Stream, out: &mut String) {
        let start = out.len();
        let mut function = false;
        for place in 0..words {
            if place > 0 {
                out.push(' ');
            }
            // No two function words end a sentence; else four words in ten are function words.
            function = place + 1 < words && stream.chance(if function { 0.25 } else { 0.5 });
            if function {
                out.push_str(self.topics.function_word(stream));
            } else {
                out.push_str(self.content(stream));
                if place > 2 && place + 2 < words && stream.chance(0.05) {
                    out.push(',');
                }
            }
        }
        // All words are ASCII here.
        if let Some(first) = out.get_mut(start..start + 1) {
            first.make_ascii_uppercase();
        }
        out.push('.');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zipf_draws_as_the_law_says() {
        let law = Zipf::new(1000, 1.0);
        let mut stream = Seed(5).stream("test/zipf");
        let mut counts = vec![0u32; 1000];
        for _ in 0..200_000 {
            counts[law.draw(&mut stream)] += 1;
        }
        let harmonic: f64 = (1..=1000).map(|n| 1.0 / f64::from(n)).sum();
        for rank in [0usize, 1, 9, 99] {
            let expected = 200_000.0 / harmonic / (rank + 1) as f64;
            let deviation = (f64::from(counts[rank]) - expected).abs() / expected.sqrt();
            assert!(deviation < 5.0, "rank {rank}: {} for {expected}", counts[rank]);
        }
    }

    #[test]
    fn words_differ_and_frequent_ones_are_short() {
        let mut words = Words::new(Seed(1), "test/words").words(20_000);
        let mean = |words: &[String]| words.iter().map(String::len).sum::<usize>() as f64 / words.len() as f64;
        assert!(mean(&words[..30]) + 1.0 < mean(&words[600..]));
        words.sort();
        words.dedup();
        assert_eq!(words.len(), 20_000);
    }
}
