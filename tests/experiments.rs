//! `inject`, `plot`, `run` and `reproduce` as a person uses them.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

fn papertwin(folder: &Path, arguments: &[&str]) -> std::process::Output {
    Command::cargo_bin("papertwin")
        .unwrap()
        .current_dir(folder)
        .env_remove("PAPERTWIN_DATA")
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A folder with 40 papers.
fn papers() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: String = (1..=40)
        .map(|i| format!("{{\"id\":{i},\"title\":\"Harbour {i}\",\"abstract\":\"text number {i} about harbour {i} and its lamps\"}}\n"))
        .collect();
    fs::write(folder.path().join("papers.jsonl"), lines).unwrap();
    folder
}

const EXPERIMENT: &str = r#"
title = "Copies by hash"
about = "Exact copies are found, edited ones are not."
[data]
files = ["papers.jsonl"]
[method.whole-file]
[sweep]
"inject.edits" = [["exact"], ["garble=1"]]
seed = [1, 2]
[[figure]]
name = "recall"
from = "summary"
draw = { x = "edits", y = ["auc"] }
[[claim]]
says = "every copy is found"
column = "auc"
at_least = 0.98
"#;

/// The same with an experiment, results and a README.
fn project() -> tempfile::TempDir {
    let folder = papers();
    fs::create_dir(folder.path().join("experiments")).unwrap();
    fs::write(folder.path().join("experiments/copies.toml"), EXPERIMENT).unwrap();
    let readme = "# P\n<!-- results copies: edits, auc -->\n<!-- end -->\n";
    fs::write(folder.path().join("README.md"), readme).unwrap();
    folder
}

#[test]
fn o_081_injected_copies_are_counted_and_the_same_seed_gives_the_same_files() {
    let folder = papers();
    let run = |out: &str, seed: &str| {
        let truth = format!("{out}.csv");
        let done = papertwin(
            folder.path(),
            &["inject", "papers.jsonl", "-o", out, "--truth", &truth, "--edit", "garble=0.5", "--seed", seed],
        );
        assert!(done.status.success(), "{}", text(&done.stderr));
        (fs::read_to_string(folder.path().join(out)).unwrap(), fs::read_to_string(folder.path().join(truth)).unwrap())
    };
    let (first, second, other) = (run("a.jsonl", "4"), run("b.jsonl", "4"), run("c.jsonl", "5"));
    assert_eq!(first, second);
    assert_ne!(first, other);
    assert_eq!((first.0.lines().count(), first.1.lines().count()), (48, 9));
    assert_eq!(first.0.matches("injected_from").count(), 8);
    let refused =
        papertwin(folder.path(), &["inject", "papers.jsonl", "-o", "d.jsonl", "--truth", "d.csv", "--rate", "1.5"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("wanted a number from 0 to 1"), "{}", text(&refused.stderr));
    assert!(!folder.path().join("d.jsonl").exists());
}

#[test]
fn o_082_papers_that_were_equal_before_are_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let line = |id: u32, about: &str| format!("{{\"id\":{id},\"title\":\"t {about}\",\"abstract\":\"{about}\"}}\n");
    let lines = line(1, "salt in the valley")
        + &line(2, "salt in the valley")
        + &line(3, "tram bells")
        + &line(4, "owls")
        + &line(5, "reed pipes");
    fs::write(folder.path().join("p.jsonl"), lines).unwrap();
    let done = papertwin(folder.path(), &["inject", "p.jsonl", "-o", "i.jsonl", "--truth", "t.csv", "--seed", "1"]);
    assert!(done.status.success());
    assert!(text(&done.stderr).contains("1 groups of papers with equal texts"), "{}", text(&done.stderr));
}

#[test]
fn reproduce_writes_and_its_check_tells_same_moved_stale_missing_and_extra() {
    let folder = project();
    let results = folder.path().join("results/copies");
    let check = || {
        let done = papertwin(folder.path(), &["reproduce", "--check"]);
        (done.status.code().unwrap(), text(&done.stdout))
    };
    let (code, told) = check();
    assert!(code == 1 && told.starts_with("MISSING"), "{told}");
    assert!(!results.exists(), "a check writes nothing");

    let done = papertwin(folder.path(), &["reproduce"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let readme = fs::read_to_string(folder.path().join("README.md")).unwrap();
    assert!(readme.contains("| exact | 1.0000 |") && readme.contains("| garble=1 | 0.5000 |"), "{readme}");
    assert!(fs::read_to_string(results.join("recall.svg")).unwrap().contains("<svg"));
    let claims = fs::read_to_string(results.join("claims.csv")).unwrap();
    assert!(claims.contains("every copy is found,auc,4,2,"), "{claims}");
    let report = fs::read_to_string(folder.path().join("results/REPORT.md")).unwrap();
    assert!(report.contains("## Copies by hash") && report.contains("copies/recall.svg"));
    let (code, told) = check();
    assert!(code == 0 && told.starts_with("SAME"), "{told}");

    let table = fs::read_to_string(results.join("table.csv")).unwrap();
    fs::write(results.join("table.csv"), table.replacen(",48,", ",47,", 1)).unwrap();
    let (code, told) = check();
    assert!(code == 1 && told.starts_with("MOVED") && told.contains("papers was 47, is 48"), "{told}");
    fs::write(results.join("table.csv"), table).unwrap();

    let run = fs::read_to_string(results.join("run.toml")).unwrap();
    fs::write(results.join("run.toml"), run.replacen("version = \"", "version = \"0.0.", 1)).unwrap();
    let (code, told) = check();
    assert!(code == 1 && told.starts_with("STALE"), "{told}");
    fs::write(results.join("run.toml"), &run).unwrap();

    fs::create_dir(folder.path().join("results/gone")).unwrap();
    fs::write(folder.path().join("results/gone/run.toml"), &run).unwrap();
    let (code, told) = check();
    assert!(code == 1 && told.contains("EXTRA") && told.contains("gone"), "{told}");
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let folder = project();
    let mut tables = Vec::new();
    for threads in ["1", "5"] {
        let done =
            papertwin(folder.path(), &["run", "experiments/copies.toml", "--output", threads, "--threads", threads]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        let all = ["table.csv", "table.tex", "summary.csv", "claims.csv", "recall.svg"];
        tables.push(all.map(|name| fs::read(folder.path().join(threads).join(name)).unwrap()));
    }
    assert!(tables[0] == tables[1]);
}

#[test]
fn an_experiment_with_an_error_names_file_line_and_key() {
    let folder = project();
    fs::write(folder.path().join("bad.toml"), "title = \"t\"\n[data]\ngenerate = 5\n[metod.whole-file]\n").unwrap();
    let done = papertwin(folder.path(), &["run", "bad.toml"]);
    assert_eq!(done.status.code(), Some(2));
    let told = text(&done.stderr);
    assert!(told.contains("bad.toml") && told.contains("line 4") && told.contains("metod"), "{told}");
    let done = papertwin(folder.path(), &["reproduce", "--only", "nothing"]);
    assert!(text(&done.stderr).contains("the experiments are copies"), "{}", text(&done.stderr));
}

#[test]
fn an_experiment_on_data_that_is_not_here_is_told_and_not_failed() {
    let folder = project();
    let absent = EXPERIMENT.replace("files = [\"papers.jsonl\"]", "dataset = \"arxiv\"");
    fs::write(folder.path().join("experiments/copies.toml"), format!("tier = \"full\"\n{absent}")).unwrap();
    let done = papertwin(folder.path(), &["reproduce", "--check", "--tier", "full"]);
    let told = text(&done.stdout);
    assert!(done.status.success() && told.starts_with("NOT PRESENT") && told.contains("PAPERTWIN_DATA"), "{told}");
}

#[test]
fn o_087_o_088_plot_survives_constants_gaps_and_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let plot = |name: &str, table: &str, more: &[&str]| {
        fs::write(folder.path().join(name), table).unwrap();
        let figure = format!("{name}.svg");
        let done = papertwin(folder.path(), &[&["plot", name, "-o", &figure], more].concat());
        (done.status.code().unwrap(), text(&done.stderr), folder.path().join(figure).exists())
    };
    assert_eq!(plot("flat.tsv", "k\tF1\n5\t1.0\n10\t1.0\n20\t1.0\n", &[]).0, 0);
    assert_eq!(plot("one.tsv", "k\tF1\n5\t1.0\n", &[]).0, 0);
    let sweep = "lambda\tprecision\trecall\n1.00\tNA\t0.0\n0.95\tNA\t0.0\n0.90\t1.0\t0.5\n0.80\t0.5\t1.0\n";
    assert_eq!(plot("sweep.tsv", sweep, &["-x", "recall", "-y", "precision"]).0, 0);
    for (name, table) in [("head.tsv", "a\tb\n"), ("na.tsv", "a\tb\nNA\tNA\n")] {
        let (code, told, written) = plot(name, table, &[]);
        assert!(code == 2 && told.contains("no data") && !written, "{name}: {told}");
    }
    let (code, told, _) = plot("wrong.csv", "a,b\n1,2\n", &["-x", "c"]);
    assert!(code == 2 && told.contains("there is no column \"c\"") && told.contains("a, b"), "{told}");
}
