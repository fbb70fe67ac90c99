//! Shingles, MinHash and exact joins on real news (where it is present) and on the command line.

use std::path::PathBuf;

use assert_cmd::Command;
use papertwin::corpus::{self, Field, ReadOptions};
use papertwin::experiment::near_duplicates::{counts, published};
use papertwin::progress::Run;
use papertwin::sketch::Threshold;
use papertwin::sketch::joins::{Join, join_all};
use papertwin::sketch::sets::RankedSets;
use papertwin::text::ShingleSets;

/// The folder of real data; `None`, and a line that says so, where it is not present.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PAPERTWIN_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: PAPERTWIN_DATA is not set");
    }
    folder
}

fn bodies(name: &str, stop_words: bool) -> Option<ShingleSets> {
    let news = data()?.join("news");
    let words = std::fs::read_to_string(news.join("stop-words-of-the-counts.txt")).unwrap();
    let words = stop_words.then(|| words.split_whitespace().map(String::from).collect());
    let loaded =
        corpus::load(&[news.join(format!("{name}.jsonl.gz"))], &ReadOptions::default(), &Run::default()).unwrap();
    Some(ShingleSets::of_corpus(&loaded.corpus, &[Field::Body], &published(words).unwrap()))
}

fn check(name: &str, stop_words: bool, sets: usize, mean: f64, expected: [usize; 6]) {
    let Some(found) = bodies(name, stop_words) else { return };
    let (filled, size, pairs) = counts(&found);
    assert_eq!((filled, pairs), (sets, expected.to_vec()), "{name}, stop words: {stop_words}");
    assert!((size - mean).abs() < 0.051, "{name}: mean size {size}");
}

#[test]
fn the_published_counts_of_reuters() {
    check("reuters21578", false, 19_777, 132.1, [1248, 704, 581, 459, 415, 372]);
    check("reuters21578", true, 17_874, 48.1, [2427, 1295, 1162, 1047, 1015, 974]);
}

#[test]
fn the_published_counts_of_ecbplus_and_lee() {
    check("ecbplus", false, 980, 315.9, [45, 26, 20, 15, 8, 1]);
    check("ecbplus", true, 979, 124.6, [56, 32, 22, 19, 17, 9]);
    check("lee", false, 350, 181.6, [11, 8, 8, 8, 7, 7]);
    check("lee", true, 350, 73.8, [10, 9, 9, 8, 8, 7]);
}

#[test]
fn every_join_finds_the_same_pairs_of_real_news() {
    let Some(sets) = bodies("ecbplus", false) else { return };
    let ranked = RankedSets::new(&sets);
    for (part, whole) in [(1, 5), (1, 2), (4, 5), (19, 20)] {
        let threshold = Threshold::new(part, whole).unwrap();
        let (truth, _) = join_all(&ranked, threshold, Join::Length);
        for join in Join::ALL.into_iter().filter(|j| j.is_complete()) {
            assert_eq!(join_all(&ranked, threshold, join).0, truth, "{join:?} at {part}/{whole}");
        }
    }
}

fn papertwin() -> Command {
    Command::cargo_bin("papertwin").unwrap()
}

#[test]
fn the_laboratory_writes_tables() {
    let folder = tempfile::tempdir().unwrap();
    let records = folder.path().join("n.jsonl");
    let lines = [
        r#"{"id":"1","body":"The ferry to the island was late and the crew of the ferry went on strike"}"#,
        r#"{"id":"2","body":"Buy Sudsy ferry tickets cheap today"}"#,
        r#"{"id":"3","body":"The ferry to the island was late and the crew of the ferry went on strike again"}"#,
    ];
    std::fs::write(&records, lines.join("\n")).unwrap();
    let out = |arguments: &[&str]| {
        let run =
            papertwin().arg("lab").args(arguments).arg(&records).args(["--text-fields", "body"]).assert().success();
        String::from_utf8(run.get_output().stdout.clone()).unwrap()
    };
    let shingles = out(&["shingles", "--kind", "stop-word", "--size", "2"]);
    assert!(shingles.starts_with("id,shingle\n1,the ferry to\n1,to the island\n"), "{shingles}");
    assert!(!shingles.contains("\n2,"), "an advertisement has no stop-word shingle: {shingles}");

    let times = folder.path().join("times.csv");
    let joins = out(&["joins", "--thresholds", "0.8", "--measurements", times.to_str().unwrap()]);
    assert!(joins.contains("\n0.800000,position-suffix,1,1.000000,"), "{joins}");
    assert_eq!(std::fs::read_to_string(times).unwrap().lines().count(), 11);

    let line: serde_json::Value = serde_json::from_str(&out(&["candidates", "--bands", "32"])).unwrap();
    assert_eq!((&line["documents"], &line["candidates"]), (&3.into(), &1.into()));

    let orders = out(&["orders", "--components", "16"]);
    assert!(orders.contains("\na multiplication,row by row,3,33,19,304,528\n"), "{orders}");
    let found = papertwin()
        .args(["pairs", "--method", "minhash", "--set", "shingle.size=2", "--text-fields", "body", "--lambda", "0.8"])
        .arg(&records)
        .assert()
        .success();
    let (pairs, told) = (&found.get_output().stdout, &found.get_output().stderr);
    assert_eq!(String::from_utf8_lossy(pairs), "first,second,first_id,second_id,score\n0,2,1,3,0.933333\n");
    assert!(String::from_utf8_lossy(told).contains("missed with an expected probability of 0.00"));
    papertwin().args(["lab", "candidates", "--bands", "200"]).arg(&records).assert().code(2);
}

#[test]
fn pages_and_growth_need_no_data_and_repeat() {
    let run =
        |arguments: &[&str]| papertwin().arg("lab").args(arguments).assert().success().get_output().stdout.clone();
    let pages = run(&["pages", "--articles", "2"]);
    assert_eq!(pages, run(&["pages", "--articles", "2", "--threads", "3"]));
    assert_ne!(pages, run(&["pages", "--articles", "2", "--seed", "2"]));
    let families = String::from_utf8(run(&["families", "--components", "16", "--pairs", "10"])).unwrap();
    assert!(families.contains("\n9,0.800000,one permutation,10,"), "{families}");
    let growth = String::from_utf8(run(&["growth", "--sizes", "50,100"])).unwrap();
    assert_eq!(growth.lines().count(), 3);
}
