//! The conformance suite on all methods that compare texts as sets, and what their tests share.

use std::sync::{Arc, Mutex};

use super::conformance::conforms;
use super::*;
use crate::corpus::{Corpus, Pair, Paper, PaperId};
use crate::progress::{Progress, Run, Silent, Task};
use crate::seed::Seed;
use crate::similarity::{Collect, Score};
use crate::sketch::joins::Join;
use crate::sketch::minhash::Family;
use crate::text::{Language, LanguageChoice, ShingleKind, ShingleParams};

/// Keeps what the user would be told.
#[derive(Clone, Default)]
pub struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// What was told so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Progress for Warnings {
    fn start(&self, _: &str, _: Option<u64>, _: &'static str) -> Box<dyn Task> {
        Box::new(Silent)
    }
    fn warn(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

/// A made-up text of so many words.
pub fn story(seed: u64, words: usize) -> String {
    const WORDS: [&str; 32] = [
        "the", "of", "and", "to", "a", "in", "was", "that", "ferry", "fog", "harbour", "lamp", "owl", "meadow", "salt",
        "price", "bridge", "cart", "river", "spring", "valley", "island", "crew", "strike", "signal", "night",
        "keeper", "tower", "storm", "sound", "oil", "bell",
    ];
    let mut stream = Seed(seed).stream("test/story");
    (0..words).map(|_| WORDS[stream.below(32) as usize]).collect::<Vec<_>>().join(" ")
}

/// Stories of several lengths, copies with a few words changed, copies of copies, exact copies, short and empty texts.
fn corpus() -> Corpus {
    let mut texts: Vec<String> = (0..12).map(|i| story(i, 20 + 30 * (i as usize % 4))).collect();
    for copy in 0..24usize {
        let mut words: Vec<String> = texts[copy % 14].split(' ').map(String::from).collect();
        for change in 0..copy % 5 {
            let place = (copy * 7 + change * 13) % words.len();
            words[place] = "changed".into();
        }
        texts.push(words.join(" "));
    }
    texts.extend(["", "fog", "fog", "...", "fog horn"].map(String::from));
    let paper = |(i, text): (usize, String)| Paper { id: format!("p{i}"), abstract_text: text, ..Paper::default() };
    Corpus::new(texts.into_iter().enumerate().map(paper).collect())
}

const LAMBDAS: [&str; 7] = ["0.5", "0.8", "0.000001", "1", "0.333333", "0", "-1"];

#[test]
fn exact_set_methods_conform() {
    for join in
        [Join::Best, Join::Length, Join::Prefix, Join::Position, Join::PositionSuffix, Join::Bitmap, Join::Count]
    {
        conforms(&Shingles { join, ..Shingles::default() }, &corpus(), None, &LAMBDAS);
    }
    conforms(&Shingles { join: Join::SameBucket, ..Shingles::default() }, &corpus(), None, &LAMBDAS);
    for shingle in [ShingleParams::letters(), ShingleParams { size: 1, ..ShingleParams::default() }] {
        conforms(
            &Shingles { shingle, max_share: Some("0.4".parse().unwrap()), ..Shingles::default() },
            &corpus(),
            None,
            &LAMBDAS,
        );
    }
    conforms(&Shingles { measure: Measure::Containment, ..Shingles::default() }, &corpus(), None, &LAMBDAS);
    conforms(&StopWordShingles::default(), &corpus(), None, &LAMBDAS);
    conforms(&FixedBlocks { letters: 16, ..FixedBlocks::default() }, &corpus(), None, &LAMBDAS);
    conforms(&Chunks::default(), &corpus(), None, &LAMBDAS);
    conforms(&Chunks { measure: Measure::Containment, ..Chunks::default() }, &corpus(), None, &LAMBDAS);
}

#[test]
fn sketch_methods_conform() {
    for family in [Family::Universal, Family::OnePermutation, Family::Rounds] {
        conforms(&MinHashLsh { family, ..MinHashLsh::default() }, &corpus(), None, &LAMBDAS);
    }
    conforms(&MinHashLsh { bands: Some(16), ..MinHashLsh::default() }, &corpus(), None, &LAMBDAS);
    conforms(&SimHash::default(), &corpus(), None, &["0.95", "0.8", "0.9", "1", "0.5", "0"]);
    conforms(&Bloom { bits: 512, ..Bloom::default() }, &corpus(), None, &LAMBDAS);
    conforms(&Pattern::default(), &corpus(), None, &LAMBDAS);
    conforms(&Pattern { words: 3, max_share: Some("0.1".parse().unwrap()) }, &corpus(), None, &LAMBDAS);
}

/// The pairs that a method finds.
fn pairs(method: &dyn Method, corpus: &Corpus, lambda: &str) -> Vec<(Pair, Score)> {
    let matcher = method.prepare(Input::of(corpus), Run::silent(Seed(5))).unwrap();
    let mut sink = Collect::default();
    matcher.scan(lambda.parse().unwrap(), &mut sink).unwrap();
    sink.pairs
}

#[test]
fn minhash_finds_what_the_exact_join_finds() {
    let exact = pairs(&Shingles::default(), &corpus(), "0.5");
    let found = pairs(&MinHashLsh::default(), &corpus(), "0.5");
    assert!(exact.len() > 25 && found.len() * 100 >= exact.len() * 97, "{} of {}", found.len(), exact.len());
}

#[test]
fn o_091_a_thousand_empty_articles() {
    let mut texts = vec![""; 1000];
    texts.extend(["the fog on the sound", "the fog on the sound"]);
    let paper = |text: &str| Paper { abstract_text: text.into(), ..Paper::default() };
    let corpus = Corpus::new(texts.into_iter().map(paper).collect());
    let methods: [&dyn Method; 9] = [
        &MinHashLsh::default(),
        &Shingles::default(),
        &StopWordShingles { min_set: 1, ..StopWordShingles::default() },
        &SimHash::default(),
        &Bloom::default(),
        &WholeFile::default(),
        &FixedBlocks::default(),
        &Chunks::default(),
        &Pattern::default(),
    ];
    for method in methods {
        let warnings = Warnings::default();
        let run = Run { seed: Seed(1), progress: Arc::new(warnings.clone()) };
        let matcher = method.prepare(Input::of(&corpus), run).unwrap();
        let mut sink = Collect::default();
        matcher.scan("0.8".parse().unwrap(), &mut sink).unwrap();
        let last = Pair::new(PaperId(1000), PaperId(1001)).unwrap();
        assert_eq!(sink.pairs, [(last, Score::MAX)], "{}", method.name());
        assert_eq!(matcher.unmatchable().len(), 1000);
        let told = warnings.take();
        assert!(told.iter().any(|w| w.contains("1000 papers without")), "{}: {told:?}", method.name());
    }
}

#[test]
fn o_092_boilerplate_dominates_is_told_and_can_be_left_out() {
    let banner = "we use cookies to make this site work and to show you the news that you like please accept all cookies or manage \
                  your settings at the bottom of the page thank you for reading the harbour post";
    let stories = [
        "the ferry was late because of the fog on the sound",
        "a price of salt in the valley has doubled since the spring",
        "the owls of the upper meadow ate all of the voles",
        "an old bridge over the river was closed to the carts",
    ];
    let paper = |story: &&str| Paper { body: format!("{banner} {story} {banner}"), ..Paper::default() };
    let corpus = Corpus::new(stories.iter().map(paper).collect());
    let input = Input { fields: &[crate::corpus::Field::Body], ..Input::of(&corpus) };
    let share = Some("0.5".parse().unwrap());
    let found = |method: &dyn Method, lambda: &str| {
        let warnings = Warnings::default();
        let run = Run { seed: Seed(1), progress: Arc::new(warnings.clone()) };
        let matcher = method.prepare(input, run).unwrap();
        let mut sink = Collect::default();
        matcher.scan(lambda.parse().unwrap(), &mut sink).unwrap();
        (sink.pairs.len(), warnings.take())
    };
    for told in [&SimHash::default() as &dyn Method, &Bloom::default(), &Pattern { words: 4, ..Pattern::default() }] {
        let (_, warnings) = found(told, "0.8");
        assert!(warnings.iter().any(|w| w.contains("the commonest in 100.0 %")), "{}: {warnings:?}", told.name());
    }
    let passages = Pattern { words: 4, max_share: share };
    assert_eq!(found(&passages, "0.000001"), (0, Vec::new()), "passages of the banner are left out");
    for lambda in ["0.5", "0.8"] {
        for (plain, cut) in [
            (&Shingles::default() as &dyn Method, &Shingles { max_share: share, ..Shingles::default() } as &dyn Method),
            (&MinHashLsh::default(), &MinHashLsh { max_share: share, ..MinHashLsh::default() }),
            (
                &StopWordShingles::default(),
                &StopWordShingles { max_share: share, min_set: 1, ..StopWordShingles::default() },
            ),
        ] {
            let (_, told) = found(plain, lambda);
            assert!(told.iter().any(|w| w.contains("the commonest in 100.0 %")), "{}: {told:?}", plain.name());
            assert_eq!(found(cut, lambda).0, 0, "{}", cut.name());
        }
    }
}

#[test]
fn o_060_chinese_texts_share_shingles() {
    let texts = [
        "本研究测量了电车轨道附近蜜蜂的活动时间。",
        "本研究测量了电车轨道附近蜜蜂的活动时间和距离。",
        "港口灰尘的价格在冬季明显上升。",
        "Bees near tramlines were active for longer.",
    ];
    let paper = |text: &&str| Paper { abstract_text: (*text).into(), ..Paper::default() };
    let corpus = Corpus::new(texts.iter().map(paper).collect());
    let expected = Pair::new(PaperId(0), PaperId(1)).unwrap();
    for method in [&Shingles::default() as &dyn Method, &MinHashLsh::default()] {
        let found: Vec<Pair> = pairs(method, &corpus, "0.5").into_iter().map(|p| p.0).collect();
        assert_eq!(found, [expected], "{}", method.name());
    }
}

#[test]
fn parameters_are_checked_and_named() {
    let corpus = corpus();
    let unlisted = Language::all().find(|l| l.stop_words().is_none()).unwrap();
    let refused: [(&dyn Method, &str); 9] = [
        (
            &Shingles { measure: Measure::Containment, join: Join::Prefix, ..Shingles::default() },
            "join = \"prefix\" is for measure = \"jaccard\"",
        ),
        (
            &MinHashLsh {
                shingle: ShingleParams { keep_incomplete: true, ..ShingleParams::default() },
                ..MinHashLsh::default()
            },
            "keep-incomplete is for stop-word shingles only",
        ),
        (&Shingles { max_share: Some(Score::ZERO), ..Shingles::default() }, "max-share is 0.000000"),
        (
            &Shingles { shingle: ShingleParams { size: 0, ..ShingleParams::default() }, ..Shingles::default() },
            "size is 0",
        ),
        (
            &StopWordShingles { language: LanguageChoice::Only(unlisted), ..StopWordShingles::default() },
            "there is no stop list",
        ),
        (&Bloom { hashes: 0, ..Bloom::default() }, "hashes is 0"),
        (&Chunks { least: 1, ..Chunks::default() }, "least is 1"),
        (&FixedBlocks { letters: 0, ..FixedBlocks::default() }, "letters is 0"),
        (&Pattern { words: 0, ..Pattern::default() }, "words is 0"),
    ];
    for (method, reason) in refused {
        let error = method.prepare(Input::of(&corpus), Run::default()).err().unwrap().to_string();
        assert!(error.starts_with(method.name()) && error.contains(reason), "{error}");
    }
}

#[test]
fn parameters_are_written_as_an_experiment_writes_them() {
    let spec: MethodSpec = toml::from_str(
        "[minhash]\ncomponents = 64\nfamily = \"one-permutation\"\nrecall = \"0.95\"\nshingle = { kind = \"stop-word\", size = 2 }",
    )
    .unwrap();
    let MethodSpec::Minhash(method) = &spec else { panic!("{spec:?}") };
    assert_eq!((method.components, method.family), (64, Family::OnePermutation));
    assert_eq!((method.shingle.kind, method.recall.to_string()), (ShingleKind::StopWord, "0.950000".into()));
    assert!(toml::from_str::<MethodSpec>("[minhash]\nshingles = 3").unwrap_err().to_string().contains("shingles"));
}
