//! The commands on words, keywords and explanations, as a user runs them.

use assert_cmd::Command;
use predicates::prelude::*;
use std::path::PathBuf;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn papertwin() -> Command {
    Command::new(assert_cmd::cargo::cargo_bin!("papertwin"))
}

/// The lines of the CSV on standard output, without its header.
fn keywords(folder: &Folder, records: &str, flags: &[&str]) -> (Vec<String>, String) {
    let corpus = folder.file("corpus.jsonl", records);
    let output = papertwin().arg("keywords").arg(corpus).args(flags).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    assert_eq!(lines.next().as_deref(), Some("id,rank,word,weight"));
    (lines.collect(), said)
}

fn words(lines: &[String], id: &str) -> Vec<String> {
    let of = lines.iter().filter(|line| line.starts_with(&format!("{id},")));
    of.map(|line| line.split(',').nth(2).unwrap().to_owned()).collect()
}

#[test]
fn o_057_o_058_keywords_of_ligatures_and_decomposed_accents() {
    let folder = Folder::new();
    let records = "{\"id\":1,\"title\":\"E\u{fb03}cient \u{fb02}ax \u{fb01}bres\"}\n{\"id\":2,\"title\":\"Efficient flax fibres\"}\n\
                   {\"id\":3,\"title\":\"CO\u{2082} at 10\u{b2} Pa\"}\n{\"id\":4,\"title\":\"Cafe\u{301}  noise\"}\n{\"id\":5,\"title\":\"CAF\u{c9}\u{a0}noise\"}\n";
    let (lines, _) = keywords(&folder, records, &["-k", "3"]);
    assert_eq!(words(&lines, "1"), ["efficient", "fibres", "flax"]);
    assert_eq!(words(&lines, "1"), words(&lines, "2"));
    assert_eq!(words(&lines, "3"), ["102", "co2", "pa"]);
    assert_eq!(words(&lines, "4"), words(&lines, "5"));
}

#[test]
fn o_060_chinese_texts_have_keywords() {
    let folder = Folder::new();
    let records = "{\"id\":1,\"abstract\":\"本研究测量了电车轨道附近蜜蜂的活动时间。\"}\n\
                   {\"id\":2,\"abstract\":\"本研究测量了电车轨道附近蜜蜂的活动时间和距离。\"}\n\
                   {\"id\":3,\"abstract\":\"港口灰尘的价格在冬季明显上升。\"}\n\
                   {\"id\":4,\"abstract\":\"Bees near tramlines were active for longer.\"}\n";
    let (lines, _) = keywords(&folder, records, &["-k", "5"]);
    assert!(["1", "2", "3", "4"].iter().all(|id| words(&lines, id).len() == 5), "{lines:?}");
    assert!(words(&lines, "3").contains(&"港口".to_owned()));
}

#[test]
fn o_062_papers_without_keywords_are_named() {
    let folder = Folder::new();
    let records = "{\"id\":1,\"abstract\":\"1 2\"}\n{\"id\":2,\"abstract\":\"3 4\"}\n\
                   {\"id\":3,\"abstract\":\"vitamin C and K in tram bells\"}\n{\"id\":4,\"abstract\":\"\"}\n";
    let (lines, said) = keywords(&folder, records, &["-k", "9"]);
    assert_eq!(words(&lines, "3"), ["bells", "c", "k", "tram", "vitamin"]);
    assert_eq!(words(&lines, "1"), ["1", "2"]);
    assert!(said.contains("1 of 4 papers have no keywords: 4"), "{said}");
    let (lines, said) = keywords(&folder, records, &["--digits", "drop", "--min-chars", "2"]);
    assert_eq!(words(&lines, "3"), ["bells", "tram", "vitamin"]);
    assert!(said.contains("3 of 4 papers have no keywords: 1, 2, 4"), "{said}");
    papertwin().args(["keywords", "--help"]).assert().success().stdout(predicate::str::contains("--min-chars"));
}

#[test]
fn o_063_a_corpus_of_one_paper_and_of_three_alike() {
    let folder = Folder::new();
    let record = "{\"id\":1,\"abstract\":\"ferry ferry ferry fog fog horn\"}\n";
    for records in [record.to_owned(), record.repeat(3)] {
        let (lines, said) = keywords(&folder, &records, &["-k", "2"]);
        assert_eq!(lines[..2], ["1,1,ferry,0.000000", "1,2,fog,0.000000"]);
        assert!(said.contains("--idf smooth"), "{said}");
        let (lines, said) = keywords(&folder, &records, &["-k", "2", "--idf", "smooth"]);
        assert_eq!(lines[..2], ["1,1,ferry,0.500000", "1,2,fog,0.333333"]);
        assert!(!said.contains("--idf smooth"), "{said}");
    }
}

#[test]
fn o_064_new_papers_are_weighed_by_a_saved_table() {
    let folder = Folder::new();
    let table = folder.path("df.csv");
    let old = "{\"id\":1,\"abstract\":\"fog horn\"}\n{\"id\":2,\"abstract\":\"fog horn lamp\"}\n{\"id\":3,\"abstract\":\"fog\"}\n{\"id\":4,\"abstract\":\"fog\"}\n";
    keywords(&folder, old, &["--save-df", table.to_str().unwrap()]);
    let saved = std::fs::read_to_string(&table).unwrap();
    assert_eq!(saved, "word,papers,occurrences\n,4,7\nfog,4,4\nhorn,2,2\nlamp,1,1\n");
    let new = "{\"id\":9,\"abstract\":\"lamp zeppelin fog\"}\n";
    let (lines, _) = keywords(&folder, new, &["-k", "2", "--df", table.to_str().unwrap()]);
    assert_eq!(lines, ["9,1,zeppelin,0.536479", "9,2,lamp,0.462098"]);
    folder.file("df.csv", "word,papers\n,4\nfog,5\n");
    let corpus = folder.path("corpus.jsonl");
    papertwin().arg("keywords").arg(corpus).arg("--df").arg(&table).assert().code(2).stderr(
        predicate::str::contains("df.csv").and(predicate::str::contains("line 3: \"fog\" stands in 5 of 4 papers")),
    );
}

#[test]
fn o_065_k_0_is_an_error_and_leaves_no_file() {
    let folder = Folder::new();
    let corpus =
        folder.file("corpus.jsonl", "{\"id\":1,\"abstract\":\"fog horn fog\"}\n{\"id\":2,\"abstract\":\"lamp\"}\n");
    for k in ["0", "-1", "ten"] {
        let out = folder.path("out.csv");
        let mut command = papertwin();
        command.arg("keywords").arg(&corpus).args(["-k", k, "-o"]).arg(&out);
        command.assert().code(2).stderr(predicate::str::contains("wanted a whole number from 1, or all"));
        assert!(!out.exists());
    }
    papertwin()
        .arg("keywords")
        .arg(&corpus)
        .args(["-k", "all"])
        .assert()
        .success()
        .stdout("id,rank,word,weight\n1,1,fog,0.462098\n1,2,horn,0.231049\n2,1,lamp,0.693147\n");
}

#[test]
fn words_are_cut_as_the_flags_say() {
    let folder = Folder::new();
    let stops = folder.file("stops.txt", "bells\n\ntram\n");
    let record = "{\"id\":1,\"abstract\":\"The tram-bells of Caf\u{e9} measuring\"}\n";
    let flags = ["--stop-words", stops.to_str().unwrap(), "--marks", "drop"];
    assert_eq!(words(&keywords(&folder, record, &flags).0, "1"), ["cafe", "measuring", "of", "the"]);
    let flags = ["--stem", "--hyphens", "keep", "--language", "en"];
    assert_eq!(words(&keywords(&folder, record, &flags).0, "1"), ["café", "measur", "tram-bel"]);
    let corpus = folder.path("corpus.jsonl");
    for (flags, said) in [
        (["--stop-words", "english"], "wanted nltk or none"),
        (["--language", "xx"], "no language that is known here"),
        (["--digits", "maybe"], "unknown variant `maybe`, expected `keep` or `drop`"),
        (["--text-fields", "titel"], "wanted title, abstract, body or keywords"),
    ] {
        papertwin().arg("keywords").arg(&corpus).args(flags).assert().code(2).stderr(predicate::str::contains(said));
    }
}

#[test]
fn a_pair_is_explained_field_by_field() {
    let folder = Folder::new();
    let records = "{\"id\":\"a\",\"title\":\"Fog horns \u{2013} old\",\"abstract\":\"bells and lamps\",\"doi\":\"10.1/x\",\"year\":\"1999\"}\n\
                   {\"id\":\"b\",\"title\":\"Fog horns - old\",\"abstract\":\"bells and trams\",\"year\":\"1998\"}\n{\"id\":\"c\",\"title\":\"Dust \u{1b}[31mprices\"}\n";
    let corpus = folder.file("corpus.jsonl", records);
    let explain = |ids: &[&str]| {
        let output = papertwin().arg("explain").arg(&corpus).args(ids).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text, _) = explain(&["b", "a"]);
    assert_eq!(code, Some(0));
    for line in [
        "  title     equal but for typography",
        "  abstract  different, tf-idf cosine ",
        "  year      different",
        "  doi       missing in the second",
        "tf-idf cosine ",
        "  keyword of both",
    ] {
        assert!(text.contains(line), "{line}:\n{text}");
    }
    let (_, json, _) = explain(&["a", "b", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let parts: f64 = json["words"].as_array().unwrap().iter().map(|word| word["part"].as_f64().unwrap()).sum();
    let cosine: f64 = json["cosine"].as_str().unwrap().parse().unwrap();
    assert!((parts - cosine).abs() < 1e-5 && cosine > 0.1, "{json}");
    assert_eq!(json["shared_words"], 4);
    let (code, text, _) = explain(&["a", "2"]);
    assert!(code == Some(0) && !text.contains('\u{1b}') && text.contains("tf-idf cosine 0.000000"), "{text}");
    for (ids, said) in [(["a", "z"], "no paper with the id \"z\""), (["a", "a"], "are one paper")] {
        let (code, _, error) = explain(&ids);
        assert!(code == Some(2) && error.contains(said), "{error}");
    }
}

fn npy(path: &PathBuf) -> Vec<Vec<f32>> {
    papertwin::matrix::read_npy(path).unwrap().rows().into_iter().map(|row| row.to_vec()).collect()
}

#[test]
fn o_065_o_076_o_077_vectors_are_means_and_papers_without_one_are_named() {
    let folder = Folder::new();
    let model = folder.file("two.vec", "3 2\nfog 2 0\nhorn 0 2\npad 0 0\n");
    let records = "{\"id\":1,\"abstract\":\"fog horn fog\"}\n{\"id\":2,\"abstract\":\"fog\"}\n{\"id\":3,\"abstract\":\"lamp\"}\n\
                   {\"id\":4,\"abstract\":\"\"}\n{\"id\":5,\"abstract\":\"pad\"}\n{\"id\":6,\"abstract\":\"pad fog\"}\n";
    let corpus = folder.file("corpus.jsonl", records);
    let out = folder.path("out.npy");
    let vectors = |flags: &[&str]| {
        let mut command = papertwin();
        command.arg("vectors").arg(&corpus).arg("--embedding").arg(&model).arg("-o").arg(&out).args(flags);
        command.assert()
    };
    let said = predicate::str::contains("3 of 6 papers have no vector: 3, 4, 5")
        .and(predicate::str::contains("6 rows of 2 numbers, 3 of them zero"));
    vectors(&["-k", "5"]).success().stderr(said);
    let zero = vec![0.0, 0.0];
    assert_eq!(npy(&out), [vec![1.0, 1.0], vec![2.0, 0.0], zero.clone(), zero.clone(), zero.clone(), vec![1.0, 0.0]]);
    // horn weighs 1/3 ln 6, fog 2/3 ln 2.
    vectors(&["--weighting", "tf-idf", "-k", "1"]).success();
    assert_eq!(npy(&out)[0], [0.0, 2.0]);
    vectors(&["--centre"]).success();
    assert_eq!(npy(&out)[2], zero);
    std::fs::remove_file(&out).unwrap();
    vectors(&["--directions", "2"]).code(2).stderr(predicate::str::contains("2 directions cannot be removed"));
    vectors(&["-k", "0"]).code(2);
    assert!(!out.exists());
}
