//! `pairs` and `evaluate` as a user runs them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;

fn papertwin() -> Command {
    Command::cargo_bin("papertwin").unwrap()
}

/// Rows as a .npy file.
fn save(path: &Path, rows: &[Vec<f32>]) {
    let width = rows[0].len();
    let matrix = ndarray::Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap();
    papertwin::matrix::write_npy(&matrix, fs::File::create(path).unwrap()).unwrap();
}

/// Four directions, a copy, a near copy and a row of zeros.
fn small() -> Vec<Vec<f32>> {
    vec![
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![2.0, 0.0, 0.0],
        vec![0.1, 0.9, 0.1],
        vec![0.0, 0.0, 0.0],
        vec![1.0, 1.0, 1.0],
        vec![1.0, 0.0, 0.0],
    ]
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn vectors_give_pairs_on_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    save(&path, &small());
    let text = stdout(papertwin().args(["pairs", "--lambda", "0.95", "--vectors"]).arg(&path));
    assert_eq!(
        text,
        "first,second,first_id,second_id,score\n\
         0,2,0,2,1.000000\n0,6,0,6,1.000000\n1,3,1,3,0.987878\n2,6,2,6,1.000000\n"
    );
    // Distances know no lengths: the double is far.
    let text = stdout(papertwin().args(["pairs", "--lambda", "0.9", "--measure", "manhattan", "--vectors"]).arg(&path));
    assert_eq!(text, "first,second,first_id,second_id,score\n0,6,0,6,1.000000\n");
    papertwin()
        .args(["pairs", "--lambda", "0.95", "--vectors"])
        .arg(&path)
        .assert()
        .success()
        .stderr(contains("1 papers match nothing (4)"))
        .stderr(contains("1 groups of identical rows, the largest of 2"));
}

#[test]
fn identical_rows_become_groups_and_output_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let (path, groups) = (folder.path().join("x.npy"), folder.path().join("groups.csv"));
    let mut rows = vec![vec![1.0, 2.0]; 300];
    rows.extend([vec![1.0, -2.0], vec![1.0, 2.01]]);
    save(&path, &rows);
    let text =
        stdout(papertwin().args(["pairs", "--lambda", "0.99", "--vectors"]).arg(&path).arg("--groups").arg(&groups));
    assert_eq!(text, "first,second,first_id,second_id,score\n0,301,0,301,0.999998\n");
    assert_eq!(fs::read_to_string(&groups).unwrap().lines().count(), 301);
    let out = folder.path().join("pairs.csv");
    papertwin()
        .args(["pairs", "--lambda", "0.99", "--max-pairs", "1000", "--vectors"])
        .arg(&path)
        .arg("-o")
        .arg(&out)
        .assert()
        .code(1)
        .stderr(contains("identical rows alone make 44850 pairs").and(contains("give --groups")))
        .stderr(contains("stopped after 1000 pairs").and(contains("--max-pairs")));
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 1001);
}

/// Out of range: a usage error that names the range, exit 2, nothing written.
#[test]
fn o_080_a_lambda_out_of_range_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("x.npy"), folder.path().join("out.csv"));
    save(&path, &small());
    for lambda in ["1.2", "nan", "0,9", "90%", "0.8:0.9:0.05", "-1.5"] {
        papertwin()
            .args(["pairs", "--vectors"])
            .arg(&path)
            .arg("-o")
            .arg(&out)
            .args(["--lambda", lambda])
            .assert()
            .code(2)
            .stderr(contains("from -1 to 1"));
        assert!(!out.exists(), "{lambda}");
    }
    for (lambda, pairs) in [("1.0", 3), ("-0.5", 15), ("-1", 15)] {
        let text = stdout(papertwin().args(["pairs", "--vectors"]).arg(&path).args(["--lambda", lambda]));
        assert_eq!(text.lines().count(), pairs + 1, "{lambda}");
    }
    let truth = folder.path().join("truth.csv");
    fs::write(&truth, "a,b\n0,2\n").unwrap();
    let json = stdout(
        papertwin()
            .args(["evaluate", "--json", "--lambda", "0.8:0.9:0.05", "--vectors"])
            .arg(&path)
            .arg("--truth")
            .arg(&truth),
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let at: Vec<&str> = json["at"].as_array().unwrap().iter().map(|p| p["lambda"].as_str().unwrap()).collect();
    assert_eq!(at, ["0.800000", "0.850000", "0.900000"]);
}

/// 20,000 rows, of which the last 100 are copies of the first 100. Not the m x m matrix, which would take 1.6 GB.
#[test]
#[cfg(target_os = "linux")]
fn o_079_all_pairs_do_not_hold_the_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let mut stream = papertwin::seed::Seed(5).stream("test/o_079");
    let mut rows: Vec<Vec<f32>> = (0..19_900)
        .map(|_| (0..50).map(|_| (0..6).map(|_| stream.unit()).sum::<f64>() as f32 - 3.0).collect())
        .collect();
    rows.extend(rows[..100].to_vec());
    save(&path, &rows);
    let out = folder.path().join("pairs.csv");
    let script = format!(
        "ulimit -v 1500000; exec {} --threads 2 pairs --vectors {} --lambda 0.9999 -o {}",
        assert_cmd::cargo::cargo_bin("papertwin").display(),
        path.display(),
        out.display()
    );
    Command::new("bash").args(["-c", &script]).assert().success().stderr(contains("pairs to compare"));
    let mut expected = "first,second,first_id,second_id,score\n".to_owned();
    (0..100).for_each(|i| writeln!(expected, "{i},{0},{i},{0},1.000000", 19_900 + i).unwrap());
    assert_eq!(fs::read_to_string(&out).unwrap(), expected);
}

#[test]
fn a_method_runs_on_a_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, truth) = (folder.path().join("c.jsonl"), folder.path().join("t.csv"));
    let paper = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"title\":\"T {text}\",\"abstract\":\"{text}\"}}\n");
    let lines = [paper("a", "fog on the pier"), paper("b", "owls"), paper("c", "Fog on the pier"), paper("d", "reeds")];
    fs::write(&corpus, lines.concat()).unwrap();
    fs::write(&truth, "first,second\na,c\nb,d\n").unwrap();
    let text = stdout(papertwin().args(["pairs", "--method", "whole-file", "--lambda", "1"]).arg(&corpus));
    assert_eq!(text, "first,second,first_id,second_id,score\n0,2,a,c,1.000000\n");
    let text = stdout(
        papertwin().args(["evaluate", "--method", "whole-file", "--json"]).arg(&corpus).arg("--truth").arg(&truth),
    );
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    // Pairs: a-c at 1, and b-d tied at 0 with the four others: area (4 + 4/2) / 8; step sum 1/2 + 1/2 * 2/6.
    assert_eq!((json["positives"].as_u64(), json["negatives"].as_u64()), (Some(2), Some(4)));
    assert!((json["auc"].as_f64().unwrap() - 0.75).abs() < 1e-9, "{text}");
    assert!((json["average_precision"].as_f64().unwrap() - (0.5 + 1.0 / 6.0)).abs() < 1e-9);
    papertwin()
        .args(["pairs", "--method", "whole-file", "--set", "nonsense=1", "--lambda", "1"])
        .arg(&corpus)
        .assert()
        .code(2)
        .stderr(contains("nonsense"));
    papertwin()
        .args(["pairs", "--method", "magic", "--lambda", "1"])
        .arg(&corpus)
        .assert()
        .code(2)
        .stderr(contains("whole-file"));
    papertwin().args(["pairs", "--lambda", "1"]).arg(&corpus).assert().code(2).stderr(contains("--method"));
}

#[test]
fn o_082_natural_duplicates_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (corpus, truth) = (folder.path().join("c.jsonl"), folder.path().join("t.csv"));
    let paper = |id: u32, text: &str| format!("{{\"id\":\"p{id}\",\"title\":\"{text}\",\"abstract\":\"{text}\"}}\n");
    let texts = ["salt in the valley", "salt in the valley", "tram bells", "owls and voles", "tram bells"];
    fs::write(&corpus, texts.iter().zip(1..).map(|(t, id)| paper(id, t)).collect::<String>()).unwrap();
    fs::write(&truth, "first,second\np3,p5\n").unwrap();
    for (natural, precision) in [("count", 0.5), ("ignore", 1.0), ("positive", 1.0)] {
        let text = stdout(
            papertwin()
                .args(["evaluate", "--method", "whole-file", "--lambda", "0.999", "--json", "--natural", natural])
                .arg(&corpus)
                .arg("--truth")
                .arg(&truth),
        );
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(json["at"][0]["precision"].as_f64(), Some(precision), "{natural}: {text}");
    }
}

#[test]
fn o_083_to_085_a_scored_list_is_judged_by_its_labels() {
    let folder = tempfile::tempdir().unwrap();
    let (list, curve, roc) = (folder.path().join("s.tsv"), folder.path().join("c.csv"), folder.path().join("r.csv"));
    fs::write(&list, "pair\tscore\tlabel\n1-2\t0.9\t0\n1-3\t0.8\t0\n2-3\t0.1\t0\n").unwrap();
    let run = |list: &Path| {
        let assert = papertwin()
            .args(["evaluate", "--json", "--pairs"])
            .arg(list)
            .arg("--curve")
            .arg(&curve)
            .arg("--roc")
            .arg(&roc)
            .assert()
            .success();
        let output = assert.get_output().clone();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (json, String::from_utf8(output.stderr).unwrap())
    };
    let (json, talk) = run(&list);
    assert!(json["auc"].is_null() && json["average_precision"].is_null() && json["best"].is_null());
    assert!(talk.contains("no duplicate pair") && talk.contains("undefined"), "{talk}");
    fs::write(&list, "pair\tscore\tlabel\na\t0.99\t1\nb\t0.95\t1\nc\t0.60\t0\nd\t0.30\t0\ne\t0.20\t0\n").unwrap();
    let (json, _) = run(&list);
    assert_eq!(json["auc"].as_f64(), Some(1.0));
    assert_eq!(fs::read_to_string(&curve).unwrap().lines().count(), 6);
    let text = fs::read_to_string(&roc).unwrap();
    assert!(text.starts_with("lambda,fpr,tpr\n,0.000000,0.000000\n") && text.ends_with("\n,1.000000,1.000000\n"));
    fs::write(&list, "pair,score,label\na,0.2,0\nb,0.4,1\nc,0.6,1\nd,1.0,1\ne,1.0,0\nf,1.0,0\n").unwrap();
    let (json, _) = run(&list);
    assert!((json["auc"].as_f64().unwrap() - 4.0 / 9.0).abs() < 1e-12);
    fs::write(&list, "pair,score,label\na,1.7,0\n").unwrap();
    papertwin()
        .args(["evaluate", "--pairs"])
        .arg(&list)
        .assert()
        .code(2)
        .stderr(contains("line 2").and(contains("-1 to 1")));
}

#[test]
fn a_list_of_ids_is_judged_by_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let (list, truth, corpus) =
        (folder.path().join("s.csv"), folder.path().join("t.csv"), folder.path().join("c.jsonl"));
    fs::write(&list, "first,second,score\na,b,0.9\nc,b,0.5\n").unwrap();
    fs::write(&truth, "x,y\nb,a\nc,d\n").unwrap();
    let run = |more: &[&Path]| {
        let text = stdout(
            papertwin().args(["evaluate", "--json", "--pairs"]).arg(&list).arg("--truth").arg(&truth).args(more),
        );
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let json = run(&[]);
    let counts =
        |json: &serde_json::Value| ["positives", "negatives", "never_found"].map(|name| json[name].as_u64().unwrap());
    assert_eq!(counts(&json), [2, 1, 1]);
    let papers: String = ["a", "b", "c", "d", "e"].map(|id| format!("{{\"id\":\"{id}\",\"title\":\"t\"}}\n")).concat();
    fs::write(&corpus, papers).unwrap();
    assert_eq!(counts(&run(&[&corpus])), [2, 8, 8]);
}

#[test]
fn evaluation_by_paper_and_by_cluster() {
    let folder = tempfile::tempdir().unwrap();
    let (path, truth) = (folder.path().join("x.npy"), folder.path().join("t.csv"));
    save(&path, &small());
    fs::write(&truth, "first,second\n0,2\n0,6\n1,5\n").unwrap();
    let run = |unit: &str, lambda: &str| {
        let text = stdout(
            papertwin()
                .args(["evaluate", "--json", "--unit", unit, "--lambda", lambda, "--vectors"])
                .arg(&path)
                .arg("--truth")
                .arg(&truth),
        );
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let paper = run("paper", "0.95");
    // 0, 2, 6, 1, 3 have a twin at .95; duplicates are 0, 2, 6, 1, 5.
    assert_eq!(["tp", "fp", "fn", "tn"].map(|n| paper["at"][0][n].as_u64().unwrap()), [4, 1, 1, 1]);
    let cluster = run("cluster", "0.95,1");
    // At .95: {0, 2, 6} {1, 3} {4} {5}; true: {0, 2, 6} {1, 5} {3} {4}.
    assert_eq!(["tp", "fp", "fn", "tn"].map(|n| cluster["at"][0][n].as_u64().unwrap()), [3, 1, 1, 16]);
    assert_eq!(cluster["clusters"][0]["clusters"].as_u64(), Some(4));
    let text = stdout(papertwin().args(["evaluate", "--vectors"]).arg(&path).arg("--truth").arg(&truth));
    assert!(text.contains("ROC area") && text.contains("found at no λ             6, 0 of them duplicates"), "{text}");
}

#[test]
fn threads_and_kernels_write_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let mut stream = papertwin::seed::Seed(8).stream("test/bytes");
    let rows: Vec<Vec<f32>> =
        (0..3500).map(|i| (0..20).map(|_| stream.unit() as f32 + (i % 3) as f32).collect()).collect();
    save(&path, &rows);
    let run = |threads: &str, kernel: &str| {
        stdout(
            papertwin()
                .args(["pairs", "--lambda", "0.995", "--threads", threads, "--kernel", kernel, "--vectors"])
                .arg(&path),
        )
    };
    let one = run("1", "portable");
    assert!(one.lines().count() > 1000);
    for (threads, kernel) in [("2", "auto"), ("5", "int8"), ("1", "int8"), ("2", "portable")] {
        assert_eq!(run(threads, kernel), one, "{threads} {kernel}");
    }
    #[cfg(target_arch = "x86_64")]
    for (kernel, has) in [
        ("avx2", is_x86_feature_detected!("fma") && is_x86_feature_detected!("avx2")),
        ("avx512", is_x86_feature_detected!("avx512f")),
    ] {
        match has {
            true => assert_eq!(run("2", kernel), one, "{kernel}"),
            false => println!("this machine has no {kernel}"),
        }
    }
}

#[test]
fn lambda_is_recommended_from_copies_of_the_users_own_papers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("papers.jsonl");
    let mut lines = String::new();
    for paper in 0..40u64 {
        let words = |from: u64, count: u64| {
            (0..count).map(|n| format!("w{} ", (paper * 37 + (from + n) * (paper + 11) * 13) % 241)).collect::<String>()
        };
        let (title, text) = (words(0, 6), words(6, 30));
        writeln!(lines, "{{\"id\":\"p{paper}\",\"title\":\"{title}\",\"abstract\":\"{text}\"}}").unwrap();
    }
    fs::write(&path, lines).unwrap();
    let recommend = |more: &[&str]| {
        let mut command = papertwin();
        command.arg("evaluate").arg(&path).args(["--method", "hashed-portrait", "--recommend", "0.9"]).args(more);
        command
    };
    let found: serde_json::Value = serde_json::from_str(&stdout(&mut recommend(&["--json", "--draws", "3"]))).unwrap();
    let number = |name: &str| found[name].as_str().and_then(|text| text.parse::<f64>().ok()).unwrap();
    assert!((0.0..1.0).contains(&number("lambda")), "{found}");
    assert_eq!((found["papers"].as_u64(), found["precision"]["draws"].as_u64()), (Some(40), Some(3)));
    assert_eq!(found["below"].as_array().map(Vec::len), Some(10));
    let text = stdout(&mut recommend(&["--edit", "exact"]));
    assert!(text.starts_with("λ") && text.contains("just below λ              10\n"), "{text}");
    recommend(&["--truth", "t.csv"]).assert().code(2).stderr(contains("--truth"));
    recommend(&["--draws", "1"]).assert().code(2).stderr(contains("at least 2"));
}
