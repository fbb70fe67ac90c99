//! `papertwin convert` and `papertwin datasets` from the outside, and the readers on genuine files where
//! `PAPERTWIN_DATA` names them.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use papertwin::corpus::formats::Format;
use papertwin::corpus::{ReadOptions, load};
use papertwin::progress::Run;

struct Ran {
    code: i32,
    out: String,
    talk: String,
}

fn papertwin(folder: &Path, arguments: &[&str]) -> Ran {
    let output = Command::cargo_bin("papertwin")
        .unwrap()
        .current_dir(folder)
        .env_remove("PAPERTWIN_DATA")
        .args(arguments)
        .output()
        .unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        talk: String::from_utf8(output.stderr).unwrap(),
    }
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

#[test]
fn o_026_o_030_rejected_records_are_named_counted_and_written_down() {
    let folder = folder_with(&[(
        "q.csv",
        "id,title,abstract\n1,Soil maps,Good\n2,Dust maps,\"Broken\n3,Ash maps,Fine\n4,Salt maps,Fine\n",
    )]);
    let ran = papertwin(folder.path(), &["convert", "q.csv", "--to", "out.jsonl", "--rejects", "bad.csv"]);
    assert_eq!(ran.code, 1, "{}", ran.talk);
    assert!(ran.talk.contains("q.csv, line 3") && ran.talk.contains("4 seen = 3 kept + 1 rejected"), "{}", ran.talk);
    let out = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    assert_eq!(out.lines().count(), 3);
    let bad = std::fs::read_to_string(folder.path().join("bad.csv")).unwrap();
    assert!(bad.starts_with("file,line,record,reason\nq.csv,3,2,"), "{bad}");
    let lenient = papertwin(folder.path(), &["convert", "q.csv", "--to", "out.jsonl", "--lenient"]);
    assert_eq!(lenient.code, 0);
}

#[test]
fn a_file_that_cannot_be_read_leaves_the_old_output() {
    let folder = folder_with(&[("out.jsonl", "old"), ("x.pdf", "%PDF-1.7"), ("t.csv", "c1,c2\n1,2\n3,4\n")]);
    for (input, told) in [("x.pdf", "is a PDF"), ("t.csv", "--map title="), ("none.csv", "none.csv")] {
        let ran = papertwin(folder.path(), &["convert", input, "--to", "out.jsonl"]);
        assert_eq!(ran.code, 2);
        assert!(ran.talk.contains(told), "{}", ran.talk);
        assert_eq!(std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap(), "old");
    }
    let ran = papertwin(folder.path(), &["convert", "t.csv", "--map", "title=c2", "--to", "-"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (
            0,
            "{\"id\":\"record-1\",\"title\":\"2\",\"extra\":{\"c1\":\"1\"}}\n{\"id\":\"record-2\",\"title\":\"4\",\"extra\":{\"c1\":\"3\"}}\n"
        )
    );
    let ran = papertwin(folder.path(), &["convert", "t.csv", "--to", "out.docx"]);
    assert!(ran.code == 2 && ran.talk.contains(".jsonl") && ran.talk.contains(".ris"), "{}", ran.talk);
}

#[test]
fn several_inputs_become_one_over_their_common_fields_and_standard_input_is_one_of_them() {
    let folder = folder_with(&[("a.csv", "title,year,doi\nA,1999,10.5555/a\n")]);
    let output = Command::cargo_bin("papertwin")
        .unwrap()
        .current_dir(folder.path())
        .args(["convert", "a.csv", "-", "--to", "-"])
        .write_stdin("{\"id\":\"b\",\"title\":\"B\",\"year\":2000}\n")
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        out,
        "{\"id\":\"record-1\",\"title\":\"A\",\"year\":1999,\"extra\":{\"doi\":\"10.5555/a\"}}\n{\"id\":\"b\",\"title\":\"B\",\"year\":2000}\n"
    );
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(talk.contains("fields in every input: title, year; moved to extra"), "{talk}");
}

#[test]
fn plain_text_is_an_option_that_keeps_the_original() {
    let folder = folder_with(&[(
        "t.jsonl",
        "{\"id\":1,\"title\":\"CO<sub>2</sub> &amp; p&lt;0.1\",\"year\":2001}\n{\"id\":2,\"title\":\"As it is\"}\n",
    )]);
    let ran = papertwin(folder.path(), &["convert", "t.jsonl", "--to", "-", "--plain-text"]);
    assert_eq!(
        ran.out,
        "{\"id\":\"1\",\"title\":\"CO2 & p<0.1\",\"year\":2001,\"extra\":{\"title_original\":\"CO<sub>2</sub> &amp; p&lt;0.1\"}}\n{\"id\":\"2\",\"title\":\"As it is\"}\n"
    );
}

#[test]
fn generated_sets_are_the_same_for_the_same_seed_and_read_back() {
    let folder = folder_with(&[]);
    let make = |seed: &str, out: &str, threads: &str| {
        let arguments = [
            "datasets",
            "generate",
            "generated-papers",
            "--papers",
            "200",
            "-o",
            out,
            "--seed",
            seed,
            "--threads",
            threads,
        ];
        let ran = papertwin(folder.path(), &arguments);
        assert_eq!(ran.code, 0, "{}", ran.talk);
        std::fs::read_to_string(folder.path().join(out)).unwrap()
    };
    assert_eq!(make("5", "a.jsonl", "1"), make("5", "b.jsonl", "3"));
    assert_ne!(make("5", "a.jsonl", "1"), make("6", "c.jsonl", "2"));
    make("5", "a.csv", "1");
    let ran = papertwin(folder.path(), &["convert", "a.csv", "--to", "back.jsonl"]);
    assert!(ran.code == 0 && ran.talk.contains("200 seen = 200 kept + 0 rejected"), "{}", ran.talk);
    let news = papertwin(folder.path(), &["datasets", "generate", "generated-news", "--papers", "50", "-o", "-"]);
    assert!(news.out.lines().count() >= 50 && news.out.lines().all(|line| line.contains("\"published\":\"2024-")));
    let real = papertwin(folder.path(), &["datasets", "generate", "arxiv", "-o", "x.jsonl"]);
    assert!(real.code == 2 && real.talk.contains("datasets fetch arxiv"), "{}", real.talk);
}

#[test]
fn datasets_are_listed_described_and_verified() {
    let folder = folder_with(&[]);
    let list = papertwin(folder.path(), &["datasets", "list"]);
    assert!(list.code == 0 && list.out.contains("citeulike-a") && list.out.contains("generated"), "{}", list.out);
    let json: serde_json::Value =
        serde_json::from_str(&papertwin(folder.path(), &["datasets", "list", "--json"]).out).unwrap();
    assert!(json.as_array().unwrap().iter().any(|set| set["name"] == "dblp-acm" && set["pairs"] == 2224));
    let fetch = papertwin(folder.path(), &["datasets", "fetch", "cord19"]);
    assert!(fetch.out.contains("https://github.com/allenai/cord19") && fetch.out.contains("licence"), "{}", fetch.out);
    let no_folder = papertwin(folder.path(), &["datasets", "verify"]);
    assert!(no_folder.code == 2 && no_folder.talk.contains("PAPERTWIN_DATA"), "{}", no_folder.talk);
    let absent = papertwin(folder.path(), &["datasets", "verify", "arxiv", "--data", "."]);
    assert!(absent.code == 0 && absent.out.starts_with("NOT PRESENT"), "{}", absent.out);
    std::fs::create_dir(folder.path().join("papers")).unwrap();
    std::fs::write(folder.path().join("papers/arxiv.jsonl.gz"), "something else").unwrap();
    let wrong = papertwin(folder.path(), &["datasets", "verify", "arxiv", "--data", "."]);
    assert!(wrong.code == 1 && wrong.out.starts_with("DIFFERENT"), "{}", wrong.out);
}

/// The folder of real data, or a printed line.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("PAPERTWIN_DATA").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: PAPERTWIN_DATA names no folder of real data");
    }
    folder
}

#[test]
fn genuine_files_are_read_whole() {
    let Some(data) = data() else { return };
    let files: [(&str, Format, u64, u64); 12] = [
        ("papers/original/arxiv/arxiv-metadata-oai-snapshot.json", Format::Arxiv, 200, 0),
        ("papers/original/cord19/metadata.csv", Format::Cord19, 1000, 0),
        ("papers/original/aminer/dblp.v12.json", Format::Aminer, 276, 0),
        ("papers/original/citeulike-a/titles.txt.gz", Format::Citeulike, 16_980, 0),
        ("papers/cord19.jsonl.gz", Format::Jsonl, 7_387, 0),
        ("labelled/cora-1295.jsonl.gz", Format::Jsonl, 1_295, 0),
        ("labelled/dblp-acm.jsonl.gz", Format::Jsonl, 4_910, 0),
        ("labelled/diabetes.jsonl.gz", Format::Jsonl, 1_845, 0),
        ("labelled/covid-multisource.jsonl.gz", Format::Jsonl, 14_083, 0),
        ("news/basil.jsonl.gz", Format::Jsonl, 300, 0),
        ("news/lee.jsonl.gz", Format::Jsonl, 350, 0),
        // The description before the example has tags without an index.
        ("papers/original/aminer/v5-text-example.txt", Format::AminerText, 1, 1),
    ];
    for (file, format, kept, rejected) in files {
        let loaded = load(&[data.join(file)], &ReadOptions::default(), &Run::default()).unwrap();
        assert_eq!(
            (loaded.files[0].format, loaded.kept(), loaded.rejected.len() as u64),
            (format, kept, rejected),
            "{file}"
        );
    }
}

#[test]
fn originals_agree_with_the_records_made_from_them() {
    let Some(data) = data() else { return };
    let read =
        |file: &str| load(&[data.join(file)], &ReadOptions::default(), &Run::default()).unwrap().corpus.into_papers();
    let made = read("papers/aminer.jsonl.gz");
    let mut compared = 0;
    for paper in read("papers/original/aminer/dblp.v12.json") {
        let id = format!("aminer-v12:{}", paper.id);
        let Some(other) = made.iter().find(|other| other.id == id) else { continue };
        assert_eq!(
            (&paper.title, &paper.authors, &paper.year, &paper.doi),
            (&other.title, &other.authors, &other.year, &other.doi)
        );
        // The copy has kept the escapes that lost their backslash.
        let lost = [("u0022", "\""), ("u0026", "&"), ("u0027", "'"), ("u003c", "<"), ("u003d", "="), ("u003e", ">")];
        let decoded = lost.iter().fold(other.abstract_text.clone(), |text, (from, to)| text.replace(from, to));
        assert_eq!(paper.abstract_text, decoded, "{id}");
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
    let made = read("papers/citeulike-a.jsonl.gz");
    let originals = read("papers/original/citeulike-a/titles.txt.gz");
    let mut equal = 0;
    for (paper, other) in originals.iter().zip(&made) {
        assert_eq!(paper.keywords, other.keywords, "{}", other.id);
        equal += usize::from(paper.title.replace(['{', '}'], "") == other.title);
    }
    // The copy has no braces of BibTeX and has repaired titles that the original holds in a wrong encoding.
    assert!(equal * 100 > originals.len() * 95, "{equal} of {} titles", originals.len());
}
