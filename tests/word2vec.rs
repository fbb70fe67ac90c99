//! `papertwin train` and `papertwin embedding` from the command line.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;

fn papertwin(folder: &Path, line: &str) -> Output {
    Command::cargo_bin("papertwin").unwrap().current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn data(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A folder with a file of these bytes.
fn folder(name: &str, bytes: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    folder
}

#[test]
fn o_066_one_thread_and_four_write_the_same_file() {
    let text: String = (1..=200)
        .map(|i| format!("fog horn sounds over the harbour at night and the lamp answers {}\n", i % 7))
        .collect();
    let folder = folder("c.txt", text.as_bytes());
    for architecture in ["cbow", "skip-gram", "cbow --group 1"] {
        for extension in ["fifu", "bin"] {
            let mut files = Vec::new();
            for (run, threads) in [1, 1, 4, 4].into_iter().enumerate() {
                let model = format!("{}{run}.{extension}", architecture.replace(' ', ""));
                let line = format!(
                    "train --tokens c.txt -o {model} --seed 7 --threads {threads} --dims 20 --architecture {architecture}"
                );
                let output = papertwin(folder.path(), &line);
                assert!(output.status.success(), "{}", talk(&output));
                files.push(std::fs::read(folder.path().join(model)).unwrap());
            }
            assert!(files.iter().all(|file| *file == files[0]), "{architecture} {extension}");
        }
        let info = papertwin(folder.path(), &format!("embedding info {}0.fifu --json", architecture.replace(' ', "")));
        let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
        let model = &info["model"];
        assert_eq!((&model["seed"], &model["threads"]), (&7.into(), &"any".into()));
        assert_eq!((&model["reproducible"], &model["corpus"]["texts"]), (&true.into(), &200.into()));
        assert_eq!((&model["parameters"]["dims"], &model["parameters"]["min-count"]), (&20.into(), &5.into()));
        assert_eq!(model["parameters"]["group"], if architecture.contains("group") { 1 } else { 8 });
    }
    let hogwild = papertwin(folder.path(), "train --tokens c.txt -o h.bin --hogwild --threads 2 --dims 20");
    assert!(talk(&hogwild).contains("the vectors are not reproducible"), "{}", talk(&hogwild));
    let about = std::fs::read_to_string(folder.path().join("h.bin.json")).unwrap();
    assert!(about.contains("\"reproducible\": false") && about.contains("\"threads\": \"2\""), "{about}");
}

#[test]
fn o_067_an_empty_vocabulary_leaves_no_file() {
    let folder = folder("two.txt", b"fog horn\nlamp bell\n");
    std::fs::write(folder.path().join("empty.txt"), "").unwrap();
    std::fs::write(folder.path().join("blank.txt"), "\n \n\n").unwrap();
    for (file, message) in [
        ("two.txt", "4 distinct words in 2 texts (4 in all), none occurs 50 times or more; lower --min-count"),
        ("empty.txt", "0 distinct words in 0 texts"),
        ("blank.txt", "0 distinct words in 0 texts"),
    ] {
        let output = papertwin(folder.path(), &format!("train --tokens {file} -o m.fifu --min-count 50"));
        assert_eq!(output.status.code(), Some(2));
        assert!(talk(&output).contains(message), "{}", talk(&output));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
}

#[test]
fn o_068_every_token_of_a_long_line_counts() {
    let mut words: Vec<String> = (0..20_000).map(|i| format!("w{}", i % 50)).collect();
    words.extend((0..2_500).flat_map(|_| ["tailword".to_owned(), "tailmate".to_owned()]));
    let folder = folder("long.txt", words.join(" ").as_bytes());
    let line =
        "train --tokens long.txt -o m.txt --architecture skip-gram --min-count 1 --subsample 0 --seed 3 --dims 40";
    let output = papertwin(folder.path(), line);
    assert!(talk(&output).contains("125000 words gone through, 125000 of them trained on"), "{}", talk(&output));
    let near = papertwin(folder.path(), "embedding info m.txt --neighbours tailword --count 1");
    assert!(data(&near).trim_end().ends_with("tailmate"), "{}", data(&near));
}

#[test]
fn o_069_a_wild_learning_rate_is_refused_or_told() {
    let folder = folder("ab.txt", "a b a b a b a b\n".repeat(500).as_bytes());
    for (rate, message) in [("nan", "--learning-rate is NaN"), ("-1", "--learning-rate is -1")] {
        let output = papertwin(folder.path(), &format!("train --tokens ab.txt -o m.bin --min-count 1 --alpha {rate}"));
        assert_eq!(output.status.code(), Some(2));
        assert!(talk(&output).contains(message), "{}", talk(&output));
    }
    let output =
        papertwin(folder.path(), "train --tokens ab.txt -o m.bin --min-count 1 --alpha 1000 --epochs 50 --dims 10");
    if output.status.success() {
        let info = papertwin(folder.path(), "embedding info m.bin");
        assert!(info.status.success() && talk(&info).is_empty(), "{}", talk(&info));
    } else {
        assert!(talk(&output).contains("training diverged in epoch"), "{}", talk(&output));
        assert!(!folder.path().join("m.bin").exists());
    }
}

#[test]
fn a_checkpoint_leads_to_the_same_bytes_and_a_corpus_is_read_like_tokens() {
    let records: String = (0..60)
        .map(|i| {
            format!("{{\"id\":\"{i}\",\"title\":\"Fog signals\",\"abstract\":\"Horns near harbour {}\"}}\n", i % 3)
        })
        .collect();
    let folder = folder("papers.jsonl", records.as_bytes());
    let train = "train papers.jsonl --dims 12 --epochs 3 --min-count 2";
    let whole = papertwin(folder.path(), &format!("{train} -o whole.fifu --checkpoint state"));
    assert!(whole.status.success(), "{}", talk(&whole));
    assert!(talk(&whole).contains("60 seen = 60 kept + 0 rejected"), "{}", talk(&whole));
    let again = papertwin(folder.path(), &format!("{train} -o again.fifu --resume state --threads 3"));
    assert!(again.status.success(), "{}", talk(&again));
    let file = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(file("whole.fifu") == file("again.fifu"));
    let other = papertwin(folder.path(), &format!("{train} -o again.fifu --resume state --window 2"));
    assert!(talk(&other).contains("its parameters differ"), "{}", talk(&other));
    let grown = papertwin(folder.path(), "train papers.jsonl -o grown.txt --continue state --min-count 2 --epochs 1");
    assert!(grown.status.success(), "{}", talk(&grown));
    let info = papertwin(folder.path(), "embedding info grown.txt");
    assert!(data(&info).contains("dimensions  12"), "{}", data(&info));
    let wrong = papertwin(folder.path(), "train papers.jsonl -o model.xyz");
    assert!(talk(&wrong).contains("wanted .fifu, .bin (word2vec)"), "{}", talk(&wrong));
}

#[test]
fn o_072_duplicates_are_warned_about() {
    let folder = folder("dup.txt", b"4 2\ntram 1 0\ntram 0 1\nbus 1 1\nTram 2 2\n");
    let info = papertwin(folder.path(), "embedding info dup.txt");
    assert!(talk(&info).contains("1 of 4 vectors dropped: their words have come before"), "{}", talk(&info));
    assert!(
        data(&info).contains("4 seen = 3 kept + 0 not finite + 1 duplicates + 0 without a word"),
        "{}",
        data(&info)
    );
    assert!(data(&info).contains("\"tram\" (1 0)"));
    let converted = papertwin(folder.path(), "embedding convert dup.txt -o dup.fifu");
    assert!(converted.status.success(), "{}", talk(&converted));
    assert!(data(&papertwin(folder.path(), "embedding info dup.fifu")).contains("vectors     3"));
}
