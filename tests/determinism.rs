//! O-104: every command gives the same bytes in every process and on any number of threads.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;

/// Runs the commands one after another in a folder of their own and gives what they wrote, by file and command.
fn outputs(threads: &str) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let mut papers = String::new();
    for i in 1..=300 {
        let (title, horn, lamp) = (i % 97, i % 7, i % 13);
        let _ = writeln!(
            papers,
            "{{\"id\":{i},\"title\":\"Story {title} about fog\",\"abstract\":\"fog horn {horn} lamp {lamp} tram\",\"source\":\"outlet {}\",\"published\":\"2026-03-{:02}T10:00:00Z\",\"body\":\"fog horn {horn} lamp {lamp} tram in harbour {title} at night\"}}",
            i % 4,
            1 + i % 9
        );
    }
    fs::write(folder.path().join("many.jsonl"), papers).unwrap();
    fs::write(folder.path().join("edges.txt"), "1 2\n2 3\n3 1\n3 4\n4 5\n5 6\n6 4\n2 1\n").unwrap();
    let run = |arguments: &str| {
        let done = Command::cargo_bin("papertwin")
            .unwrap()
            .current_dir(folder.path())
            .env_remove("PAPERTWIN_DATA")
            .args(arguments.split(' '))
            .args(["--threads", threads, "--seed", "3", "--quiet"])
            .output()
            .unwrap();
        assert!(matches!(done.status.code(), Some(0 | 1)), "{arguments}: {}", String::from_utf8_lossy(&done.stderr));
        (arguments.to_owned(), done.stdout)
    };
    let mut all: Vec<(String, Vec<u8>)> = [
        "convert many.jsonl --to many.csv",
        "inject many.jsonl -o injected.jsonl --truth truth.csv --edit garble=0.2",
        "keywords many.jsonl -k 3 -o keywords.csv",
        "train injected.jsonl -o words.txt --dims 8 --min-count 1 --epochs 2",
        "vectors injected.jsonl --embedding words.txt -k 5 -o vectors.npy",
        "pairs injected.jsonl --method portrait --embedding words.txt --lambda 0.99 -o portrait.csv",
        "pairs injected.jsonl --method minhash --lambda 0.8 -o minhash.csv",
        "pairs injected.jsonl --method tf-idf --lambda 0.9 -o tfidf.csv",
        "pairs injected.jsonl --method simhash --lambda 0.9 -o simhash.csv",
        "evaluate injected.jsonl --method tf-idf --truth truth.csv --curve curve.csv --json",
        "plot curve.csv -x recall -y precision -o curve.svg",
        "dedup injected.jsonl -o clean.jsonl --report report.csv --review review.csv",
        "news group many.jsonl -o groups.csv --graph graph.csv --page page.html",
        "communities edges.txt -o communities.csv --json",
        "datasets generate generated-papers --papers 50 -o papers.jsonl",
    ]
    .into_iter()
    .map(run)
    .collect();
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    all.extend(names.into_iter().map(|name| {
        let bytes = fs::read(Path::new(folder.path()).join(&name)).unwrap();
        (name, bytes)
    }));
    all
}

#[test]
fn o_104_every_command_repeats_to_the_byte_in_another_process_and_on_other_threads() {
    let first = outputs("1");
    assert!(first.len() > 30, "outputs of all commands");
    for threads in ["1", "8"] {
        let again = outputs(threads);
        assert_eq!(again.len(), first.len());
        for ((name, bytes), (_, now)) in first.iter().zip(&again) {
            assert!(bytes == now, "{name}: other bytes with {threads} threads");
        }
    }
}
