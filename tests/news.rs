//! News on the command line, and batches as they really come: late, twice, killed.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use papertwin::news::{
    Article, Articles, BatchParams, BatchStatistics, EventKind, Membership, MltParams, SameSource, State,
};
use papertwin::progress::Run;
use papertwin::seed::Seed;

struct Ran {
    code: i32,
    out: String,
    talk: String,
}

fn papertwin(folder: &Path, args: &[&str]) -> Ran {
    let out = Command::new(env!("CARGO_BIN_EXE_papertwin")).args(args).current_dir(folder).output().unwrap();
    Ran {
        code: out.status.code().unwrap(),
        out: String::from_utf8(out.stdout).unwrap(),
        talk: String::from_utf8(out.stderr).unwrap(),
    }
}

fn folder_with(name: &str, text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    folder
}

/// The edges of `--graph`, as from -> to.
fn edges(folder: &Path, args: &[&str]) -> (BTreeSet<(String, String)>, Ran) {
    let mut all = vec!["news", "group"];
    all.extend(args);
    all.extend(["-o", "groups.csv", "--graph", "edges.csv"]);
    let ran = papertwin(folder, &all);
    assert_eq!(ran.code, 0, "{}", ran.talk);
    let mut reader = csv::Reader::from_path(folder.join("edges.csv")).unwrap();
    let edges = reader.records().map(|r| r.unwrap()).map(|r| (r[0].to_owned(), r[1].to_owned())).collect();
    (edges, ran)
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.to_owned(), b.to_owned())
}

/// id -> group
fn groups(folder: &Path) -> Vec<(String, String)> {
    let mut reader = csv::Reader::from_path(folder.join("groups.csv")).unwrap();
    reader.records().map(|r| r.unwrap()).map(|r| (r[0].to_owned(), r[1].to_owned())).collect()
}

#[test]
fn o_094_headlines_alone_find_each_other_with_the_defaults() {
    let folder = folder_with(
        "small.jsonl",
        r#"{"id":1,"title":"Ferry strike halts island crossings"}
{"id":2,"title":"Island crossings halted by ferry strike"}
{"id":3,"title":"Salt price doubles in valley"}
{"id":4,"title":"Valley bakers angry over salt price"}
"#,
    );
    let (found, ran) = edges(folder.path(), &["small.jsonl"]);
    assert_eq!(found, [pair("1", "2"), pair("2", "1"), pair("3", "4"), pair("4", "3")].into());
    assert!(
        ran.talk.contains("4 of them (100.0 %) have a similar one: 2 groups of 2.00 articles on average"),
        "{}",
        ran.talk
    );
    let (none, ran) = edges(folder.path(), &["small.jsonl", "--min-doc-freq", "5"]);
    assert!(none.is_empty());
    assert!(
        ran.talk.contains("4 of 4 articles have no query terms and find nothing; lower --min-doc-freq"),
        "{}",
        ran.talk
    );
}

#[test]
fn o_095_an_article_is_never_its_own_neighbour_and_its_twin_always_is() {
    let twins = r#"{"id":"a","title":"Ferry strike","text":"ferry strike halts island crossings for third day ferry strike talks fail"}
{"id":"b","title":"Ferry strike","text":"ferry strike halts island crossings for third day ferry strike talks fail"}
{"id":"c","title":"Ferry fares","text":"ferry fares rise on island routes after ferry strike talks"}
{"id":"d","title":"Owls","text":"owls and voles in the upper meadow owls owls voles"}
"#;
    let folder = folder_with("twins.jsonl", twins);
    let loose = ["twins.jsonl", "--min-doc-freq", "1", "--min-term-freq", "1", "--threshold", "0.01", "--neighbours"];
    let (one, _) = edges(folder.path(), &[&loose[..], &["1"]].concat());
    assert_eq!(one, [pair("a", "b"), pair("b", "a"), pair("c", "a")].into());
    let (two, _) = edges(folder.path(), &[&loose[..], &["2"]].concat());
    assert_eq!(two.iter().filter(|e| e.0 == "a").count(), 2);
    assert!(two.contains(&pair("a", "c")) && !two.contains(&pair("a", "a")) && two.iter().all(|e| e.0 != "d"));
}

#[test]
fn o_096_threads_and_the_order_of_the_lines_change_nothing() {
    let words = ["fog", "horn", "salt", "owl", "ferry", "lamp", "reed", "tram", "bell", "kiln"];
    let mut lines: Vec<String> = (0..600)
        .map(|i| {
            let text: Vec<&str> = (1..8).map(|j| words[(i * j + j) % 10]).collect();
            format!(r#"{{"id":{i},"text":"{}"}}"#, text.join(" "))
        })
        .collect();
    let mut all = Vec::new();
    for (threads, seed) in [("1", 0), ("8", 1), ("3", 2)] {
        Seed(seed).stream("lines").shuffle(&mut lines);
        let folder = folder_with("n.jsonl", &lines.join("\n"));
        let args = ["n.jsonl", "--neighbours", "5", "--max-doc-freq", "none", "--threads", threads];
        let (found, _) = edges(folder.path(), &args);
        assert_eq!(found.len(), 3000);
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        all.push((read("edges.csv"), read("groups.csv")));
    }
    assert!(all[0] == all[1] && all[0] == all[2]);
}

#[test]
fn o_100_communities_are_numbered_alike_whatever_the_order() {
    let mut lines: Vec<&str> = "a b|b a|b c|c b|a c|c a|c d|d c|d e|e d|e f|f e|d f|f d".split('|').collect();
    let mut first = None;
    for (round, threads) in ["1", "8", "2", "1"].iter().enumerate() {
        Seed(round as u64).stream("lines").shuffle(&mut lines);
        let folder = folder_with("g.tsv", &lines.join("\n").replace(' ', "\t"));
        let ran = papertwin(folder.path(), &["communities", "g.tsv", "--threads", threads]);
        assert_eq!(ran.code, 0, "{}", ran.talk);
        assert_eq!(ran.out, *first.get_or_insert(ran.out.clone()));
    }
    let expected = "id,community,component,group\na,1,1,1\nb,1,1,1\nc,1,1,1\nd,2,1,2\ne,2,1,2\nf,2,1,2\n";
    assert_eq!(first.unwrap(), expected);
}

#[test]
fn communities_of_a_file_with_bad_lines_and_of_a_given_partition() {
    let folder = folder_with("g.csv", "from,to,weight\n1,2,0.5\n2,3,1\n1,3,1\n4,,1\n3,4,2\n4,4,1\n");
    std::fs::write(folder.path().join("p.csv"), "id,community\n1,x\n2,x\n3,x\n9,y\n").unwrap();
    let ran = papertwin(folder.path(), &["communities", "g.csv", "--json", "--partition", "p.csv"]);
    assert_eq!(ran.code, 1, "a bad line is not clean");
    assert!(ran.talk.contains("g.csv, line 5: wanted two names, found an empty one"), "{}", ran.talk);
    assert!(ran.talk.contains("1 ids are not in the graph; 1 nodes of the graph are not in the file"), "{}", ran.talk);
    assert!(
        ran.talk.contains("6 lines = 4 edges + 0 repeats + 1 loops + 1 rejected (after a header); 4 nodes"),
        "{}",
        ran.talk
    );
    let facts: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!((facts["wcc"].as_f64(), facts["triangles"].as_u64()), (Some(0.75), Some(1)));
    assert_eq!(facts["members"], serde_json::json!([["1", "2", "3"], ["4"]]));
    let ran = papertwin(folder.path(), &["communities", "g.csv", "-o", "./g.csv"]);
    assert!(ran.code == 2 && ran.talk.contains("is an input and an output"), "{}", ran.talk);
    let ran = papertwin(folder.path(), &["communities", "absent.csv"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    let ran = papertwin(folder.path(), &["communities", "g.csv", "--gain", "theorem", "--alpha", "2"]);
    assert!(ran.code == 2 && ran.talk.contains("alpha = 2; wanted 1 with gain"), "{}", ran.talk);
}

#[test]
fn o_101_the_window_is_inclusive_and_counts_instants() {
    let lines = r#"{"id":1,"text":"the ferry was late because of the fog","published":"2024-03-01T01:10:00+03:00"}
{"id":2,"text":"the ferry was late because of the fog","published":"2024-03-05T22:40:00Z"}
{"id":3,"text":"the ferry was late because of the fog","published":"2024-03-05T22:10:00Z"}
{"id":4,"text":"the ferry was late because of the fog","published":"2024-03-05T17:10:00-05:00"}
"#;
    let folder = folder_with("w.jsonl", lines);
    for zone in ["UTC", "Asia/Tokyo", "America/Anchorage"] {
        let out = Command::new(env!("CARGO_BIN_EXE_papertwin"))
            .args(["news", "group", "w.jsonl", "--window", "5d", "-o", "groups.csv", "--graph", "edges.csv"])
            .env("TZ", zone)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(out.status.success());
        let edges = std::fs::read_to_string(folder.path().join("edges.csv")).unwrap();
        assert!(edges.contains("\n1,3,") && edges.contains("\n1,4,") && edges.contains("\n4,1,"), "{zone}: {edges}");
        assert!(!edges.contains("\n1,2,") && !edges.contains("\n2,1,"), "{zone}: {edges}");
    }
    let (none, _) = edges(folder.path(), &["w.jsonl", "--window", "none"]);
    assert!(none.contains(&pair("1", "2")));
    let bad = papertwin(folder.path(), &["news", "group", "w.jsonl", "--window", "5w"]);
    assert!(bad.code == 2 && bad.talk.contains("--window 5w: wanted days (5d), hours (36h) or none"), "{}", bad.talk);
}

#[test]
fn o_102_naive_missing_and_broken_dates_are_counted_and_named() {
    let text = "salt price doubles in the valley";
    let dates = [
        r#""2024-05-01 08:00:00""#,
        r#""2024-05-01T08:00:00Z""#,
        "null",
        "",
        r#""yesterday""#,
        "1714550400",
        r#""0000-00-00""#,
    ];
    let mut lines = String::new();
    for (i, date) in dates.iter().enumerate() {
        let published = if date.is_empty() { String::new() } else { format!(r#","published":{date}"#) };
        lines += &format!("{{\"id\":{},\"text\":\"{text}\"{published}}}\n", i + 1);
    }
    let folder = folder_with("d.jsonl", &lines);
    let (found, ran) = edges(folder.path(), &["d.jsonl", "--window", "5d"]);
    assert!(ran.talk.contains("7 records = 7 articles"), "{}", ran.talk);
    assert!(ran.talk.contains("4 articles have no date: 3, 4, 5, 7"), "{}", ran.talk);
    assert!(ran.talk.contains("1 times without a zone are taken as UTC"), "{}", ran.talk);
    assert!(ran.talk.contains("article 5: \"yesterday\" is no date"), "{}", ran.talk);
    assert!(ran.talk.contains("article 7: \"0000-00-00\" is no date"), "{}", ran.talk);
    assert!(found.contains(&pair("1", "2")) && found.contains(&pair("1", "6")) && found.contains(&pair("3", "5")));
    let of: Vec<String> = groups(folder.path()).into_iter().map(|g| g.1).collect();
    assert_eq!(of, ["1"; 7]);
}

#[test]
fn o_103_missing_media_make_no_neighbours() {
    let folder = folder_with(
        "m.jsonl",
        r#"{"id":1,"text":"ferry strike halts crossings","image":"http://example.org/a.jpg"}
{"id":2,"text":"owls return to the meadow","image":null}
{"id":3,"text":"salt price doubles in the valley","image":""}
{"id":4,"text":"tram bells stolen at night","media":[]}
{"id":5,"text":"kiln fire put out by rain"}
"#,
    );
    let (found, _) = edges(folder.path(), &["m.jsonl", "--min-doc-freq", "1"]);
    assert!(found.is_empty());
    let of: Vec<String> = groups(folder.path()).into_iter().map(|g| g.1).collect();
    assert_eq!(of, ["1", "2", "3", "4", "5"]);
}

#[test]
fn labels_are_compared_and_every_output_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let articles = generated(3, 12, 7);
    write_articles(&folder.path().join("a.jsonl"), &articles);
    let args = [
        "news",
        "group",
        "a.jsonl",
        "-o",
        "groups.csv",
        "--label",
        "story",
        "--json",
        "--graph",
        "g.gexf",
        "--figure",
        "g.svg",
        "--page",
        "g.html",
    ];
    let ran = papertwin(folder.path(), &args);
    assert_eq!(ran.code, 0, "{}", ran.talk);
    let facts: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let f1 = |what: &str| facts["agreement"][what]["pair_f1"].as_f64().unwrap();
    assert!(f1("groups") > 0.9, "{facts}");
    assert_eq!(facts["counts"]["articles"], articles.len());
    for (name, start) in [("g.gexf", "<?xml"), ("g.svg", "<svg"), ("g.html", "<!DOCTYPE html>")] {
        assert!(std::fs::read_to_string(folder.path().join(name)).unwrap().starts_with(start), "{name}");
    }
    let ran = papertwin(folder.path(), &["news", "group", "a.jsonl", "--label", "event"]);
    assert!(ran.code == 2 && ran.talk.contains("no article has a value event"), "{}", ran.talk);
    std::fs::write(folder.path().join("p.toml"), "[more-like-this]\nneighbors = 3\n").unwrap();
    let ran = papertwin(folder.path(), &["news", "group", "a.jsonl", "--params", "p.toml"]);
    assert!(ran.code == 2 && ran.talk.contains("neighbors"), "{}", ran.talk);
}

/// Stories of three to five articles of different outlets over two days, so many a day, and as many articles alone.
fn generated(days: u32, stories: u32, seed: u64) -> Vec<Article> {
    let mut stream = Seed(seed).stream("news/generated");
    let word = |stream: &mut papertwin::seed::Stream| -> String {
        (0..3)
            .map(|_| ["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"][stream.below(10) as usize])
            .collect()
    };
    let common: Vec<String> = (0..60).map(|_| word(&mut stream)).collect();
    let mut articles = Vec::new();
    for day in 0..days {
        for story in 0..2 * stories {
            let alone = story >= stories;
            let own: Vec<String> = (0..12).map(|_| word(&mut stream)).collect();
            let count = if alone { 1 } else { 3 + stream.below(3) };
            for outlet in 0..count {
                let mut text = Vec::new();
                for _ in 0..60 {
                    let list = if stream.chance(0.5) { &own } else { &common };
                    text.push(list[stream.below(list.len() as u64) as usize].clone());
                }
                let hour = 24 * i64::from(day) + stream.below(if alone { 24 } else { 40 }) as i64;
                let start: jiff::Timestamp = "2024-02-20T00:00:00Z".parse().unwrap();
                articles.push(Article {
                    id: format!("{day}-{story}-{outlet}"),
                    title: format!("{} {}", own[0], own[1 + stream.below(3) as usize]),
                    body: text.join(" "),
                    source: format!("outlet {outlet}"),
                    published: Some(start + jiff::SignedDuration::from_hours(hour)),
                    story: format!("{day}-{story}"),
                    ..Article::default()
                });
            }
        }
    }
    articles
}

fn write_articles(path: &Path, articles: &[Article]) {
    let mut file = std::fs::File::create(path).unwrap();
    for a in articles {
        let line = serde_json::json!({"id": a.id, "title": a.title, "body": a.body, "source": a.source,
            "published": a.published.map(|t| t.to_string()), "story": a.story});
        writeln!(file, "{line}").unwrap();
    }
}

fn day_of(article: &Article) -> String {
    article.published.unwrap().to_string()[..10].to_owned()
}

/// The articles of each day, in order.
fn by_day(articles: &[Article]) -> Vec<Vec<Article>> {
    let mut days: std::collections::BTreeMap<String, Vec<Article>> = Default::default();
    for article in articles.iter().filter(|a| a.published.is_some()) {
        days.entry(day_of(article)).or_default().push(article.clone());
    }
    days.into_values().collect()
}

fn advance(state: &State, articles: &[Article]) -> papertwin::news::BatchReport {
    state.advance(&Articles::from_articles(articles.to_vec()), &Run::default()).unwrap()
}

fn after(folder: &Path, params: &BatchParams, batches: &[Vec<Article>]) -> Vec<Membership> {
    let state = State::open(folder, Some(params.clone())).unwrap();
    for batch in batches {
        advance(&state, batch);
    }
    state.memberships().unwrap()
}

/// Day by day, all at once and anything between give the same groups with the same numbers.
fn day_by_day_is_all_at_once(articles: &[Article], params: &BatchParams) -> Vec<Membership> {
    let days = by_day(articles);
    assert!(days.len() > 2);
    let folder = tempfile::tempdir().unwrap();
    let one = after(&folder.path().join("days"), params, &days);
    let all = after(&folder.path().join("all"), params, &[days.concat()]);
    assert!(one == all, "day by day and all at once differ");
    let (first, second) = days.split_at(days.len() / 2);
    let halves = after(&folder.path().join("halves"), params, &[first.concat(), second.concat()]);
    assert!(one == halves, "day by day and two halves differ");
    one
}

#[test]
fn frozen_batches_give_the_same_day_by_day_and_all_at_once() {
    let articles = generated(9, 4, 1);
    let found = day_by_day_is_all_at_once(&articles, &BatchParams::default());
    let grouped = found.iter().filter(|m| m.group.is_some()).count();
    let together = articles.iter().filter(|a| articles.iter().filter(|b| b.story == a.story).count() > 1).count();
    assert!(grouped * 10 > together * 9, "{grouped} of {together}");
    // Live statistics know the future of a batch that comes at once, but its groups are of the same stories.
    let live = BatchParams { statistics: BatchStatistics::Live, ..BatchParams::default() };
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(folder.path(), Some(live)).unwrap();
    let report = advance(&state, &articles);
    assert_eq!((report.steps.len(), report.steps[0].compared), (1, articles.len()));
    assert!(state.memberships().unwrap().iter().filter(|m| m.group.is_some()).count() * 10 > together * 9);
}

#[test]
fn real_dates_give_the_same_day_by_day_and_all_at_once() {
    let Some(data) = std::env::var_os("PAPERTWIN_DATA").map(PathBuf::from) else {
        eprintln!("skipped: PAPERTWIN_DATA is not set");
        return;
    };
    let found = day_by_day_is_all_at_once(&real(&data, "basil"), &BatchParams::default());
    assert!(found.iter().filter(|m| m.group.is_some()).count() > 250);
}

fn real(data: &Path, name: &str) -> Vec<Article> {
    let path = data.join("news").join(format!("{name}.jsonl.gz"));
    let loaded = papertwin::corpus::load(&[path], &Default::default(), &Run::default()).unwrap();
    Articles::of(loaded.corpus, Some("story")).as_slice().to_vec()
}

/// One outlet, so its own hits count.
fn reuters_params() -> BatchParams {
    BatchParams {
        more_like_this: MltParams { same_source: SameSource::Keep, ..MltParams::default() },
        ..BatchParams::default()
    }
}

#[test]
#[ignore = "takes a minute; needs PAPERTWIN_DATA"]
fn reuters_day_by_day_is_all_at_once() {
    let Some(data) = std::env::var_os("PAPERTWIN_DATA").map(PathBuf::from) else {
        eprintln!("skipped: PAPERTWIN_DATA is not set");
        return;
    };
    let articles: Vec<Article> =
        real(&data, "reuters21578").into_iter().filter(|a| a.published.is_some() && !a.body.is_empty()).collect();
    let found = day_by_day_is_all_at_once(&articles, &reuters_params());
    assert!(found.iter().filter(|m| m.group.is_some()).count() > 1000);
}

#[test]
fn a_day_costs_its_window_not_the_archive() {
    let articles = generated(30, 2, 3);
    let days = by_day(&articles);
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(folder.path(), None).unwrap();
    let mut compared = Vec::new();
    for (place, day) in days.iter().enumerate() {
        let report = advance(&state, day);
        let within: usize = days[place.saturating_sub(5)..=place].iter().map(Vec::len).sum();
        compared.push(report.steps[0].compared);
        assert_eq!(report.steps[0].compared, within, "day {place}");
    }
    assert!(compared[29] < articles.len() / 3, "{compared:?}");
}

#[test]
fn batches_given_twice_late_or_without_a_date() {
    let articles = generated(8, 3, 5);
    let days = by_day(&articles);
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(folder.path(), None).unwrap();
    let late: Vec<Article> = days[6].iter().take(2).cloned().collect();
    let old: Vec<Article> = days[0].iter().take(1).cloned().collect();
    for (place, day) in days.iter().enumerate() {
        let skip = if place == 6 { 2 } else { usize::from(place == 0) };
        let report = advance(&state, &day[skip..]);
        assert_eq!((report.new, report.known), (day.len() - skip, 0));
    }
    let before = state.memberships().unwrap();
    let again = advance(&state, &days[4]);
    assert_eq!((again.new, again.known, again.steps.len()), (0, days[4].len(), 0));
    assert_eq!(state.memberships().unwrap(), before);
    let report = advance(&state, &[late.clone(), old.clone()].concat());
    assert_eq!((report.new, report.steps.len(), report.steps[0].late), (3, 1, 2));
    assert_eq!(report.steps[0].too_late, [old[0].id.clone()]);
    let after = state.memberships().unwrap();
    assert_eq!(after.len(), articles.len());
    let group = |id: &str| after.iter().find(|m| m.id == id).unwrap().group;
    assert_eq!(group(&old[0].id), None);
    for article in late.iter().filter(|a| articles.iter().filter(|b| b.story == a.story).count() > 1) {
        assert!(group(&article.id).is_some(), "{} joins its story", article.id);
    }
    let mut undated = late[0].clone();
    undated.id = "undated".into();
    undated.source = "another outlet".into();
    undated.published = None;
    let report = advance(&state, &[undated]);
    assert_eq!((report.steps[0].undated, report.steps[0].day.is_some()), (1, true));
    assert_eq!(state.memberships().unwrap().iter().find(|m| m.id == "undated").unwrap().published, None);
    drop(state);
    let other = BatchParams { statistics: BatchStatistics::Live, ..BatchParams::default() };
    let error = State::open(folder.path(), Some(other)).err().unwrap().to_string();
    assert!(error.contains("made with other parameters"), "{error}");
}

#[test]
fn groups_are_born_grow_merge_and_keep_their_numbers() {
    let start: jiff::Timestamp = "2024-05-01T10:00:00Z".parse().unwrap();
    let article = |id: &str, day: i64, body: &str| Article {
        id: id.into(),
        body: body.into(),
        source: format!("outlet of {id}"),
        published: Some(start + jiff::SignedDuration::from_hours(24 * day)),
        ..Article::default()
    };
    let ferry = "ferry strike island crossing harbour union talks";
    let salt = "salt price valley baker mill market doubles";
    let filler = |n: i64, day: i64| article(&format!("z{n}"), day, &format!("alone{n} lonely{n} single{n}"));
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(folder.path(), None).unwrap();
    let kinds = |report: &papertwin::news::BatchReport| -> Vec<(EventKind, u64, u64)> {
        report.steps.iter().flat_map(|s| &s.events).map(|e| (e.kind, e.group, e.articles)).collect()
    };
    let first = advance(
        &state,
        &[
            article("f1", 0, ferry),
            article("f2", 0, ferry),
            article("f3", 0, ferry),
            article("s1", 0, salt),
            article("s2", 0, salt),
            filler(0, 0),
        ],
    );
    assert_eq!(kinds(&first), [(EventKind::Born, 1, 3), (EventKind::Born, 2, 2)]);
    let second = advance(&state, &[article("f4", 1, ferry), filler(1, 1)]);
    assert_eq!(kinds(&second), [(EventKind::Grown, 1, 4)]);
    assert_eq!(second.steps[0].events[0].joined, ["f4"]);
    // Ten days later nobody is left of it; a new group is born.
    let third = advance(&state, &[article("f8", 11, ferry), article("f9", 11, ferry), filler(2, 11)]);
    assert_eq!(kinds(&third), [(EventKind::Born, 3, 2)]);
    // Articles that tell both stories make one group of two.
    let both = format!("{ferry} {salt}");
    let more: Vec<Article> = (0..2).map(|i| article(&format!("g{i}"), 12, salt)).collect();
    assert_eq!(kinds(&advance(&state, &more)), [(EventKind::Born, 4, 2)]);
    let bridge: Vec<Article> = (0..6).map(|i| article(&format!("h{i}"), 13, &both)).collect();
    let report = advance(&state, &bridge);
    let event = &report.steps[0].events[0];
    assert_eq!(
        (event.kind, event.group, event.merged.as_slice(), event.articles),
        (EventKind::Merged, 3, &[4][..], 10)
    );
    let of = |id: &str| state.memberships().unwrap().into_iter().find(|m| m.id == id).unwrap().group;
    assert_eq!((of("f1"), of("s1"), of("g0"), of("h0"), of("z0")), (Some(1), Some(2), Some(3), Some(3), None));
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_day_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let articles = generated(4, 40, 11);
    let days = by_day(&articles);
    write_articles(&folder.path().join("old.jsonl"), &days[..2].concat());
    write_articles(&folder.path().join("new.jsonl"), &days[2..].concat());
    let listing = |state: &str| {
        let ran = papertwin(folder.path(), &["news", "groups", "--state", state]);
        assert_eq!(ran.code, 0, "{}", ran.talk);
        ran.out
    };
    assert_eq!(papertwin(folder.path(), &["news", "advance", "old.jsonl", "--state", "old"]).code, 0);
    let copy = |to: &str| {
        let to = folder.path().join(to);
        std::fs::create_dir_all(&to).unwrap();
        std::fs::copy(folder.path().join("old/news.redb"), to.join("news.redb")).unwrap();
    };
    copy("new");
    let start = std::time::Instant::now();
    assert_eq!(papertwin(folder.path(), &["news", "advance", "new.jsonl", "--state", "new"]).code, 0);
    let whole = start.elapsed();
    let (old, new) = (listing("old"), listing("new"));
    assert_ne!(old, new);
    for twelfth in 0..12 {
        let state = format!("killed-{twelfth}");
        copy(&state);
        let mut child = Command::new(env!("CARGO_BIN_EXE_papertwin"))
            .args(["news", "advance", "new.jsonl", "--state", &state, "-q"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole * twelfth / 11 + Duration::from_millis(1));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = listing(&state);
        assert!(found == old || found == new, "killed after {twelfth} elevenths: neither the old day nor the new one");
        assert_eq!(papertwin(folder.path(), &["news", "advance", "new.jsonl", "--state", &state]).code, 0);
        assert_eq!(listing(&state), new, "the batch given again completes it");
    }
}

/// One set of defaults for both labelled sets. How much of it is fitted is asked by `experiments/news-folds.toml`.
#[test]
#[ignore = "takes a minute; needs PAPERTWIN_DATA"]
fn the_defaults_reach_their_targets() {
    use papertwin::news::{GroupParams, SimilarityGraph, agreement};
    let Some(data) = std::env::var_os("PAPERTWIN_DATA").map(PathBuf::from) else {
        eprintln!("skipped: PAPERTWIN_DATA is not set");
        return;
    };
    let mlt = MltParams::default().check().unwrap();
    for (name, least_pair, least_cubed) in [("basil", 0.98, 0.99), ("ecbplus", 0.83, 0.87)] {
        let articles = real(&data, name);
        let terms = mlt.analyzer().terms_of(&articles);
        let graph = SimilarityGraph::from_hits(&mlt.index(&articles, &terms, None).all_hits());
        let groups = GroupParams::default().check().unwrap().groups(&graph).groups;
        let agreement = agreement(&groups, &articles).unwrap();
        let (pair, cubed) = (agreement.pairs.f1().unwrap(), agreement.b_cubed.unwrap().f1());
        assert!(pair >= least_pair && cubed >= least_cubed, "{name}: pair-F1 {pair}, B-cubed F1 {cubed}");
    }
}

const FEED: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0"><channel><title>Harbour Post</title>
<item><title>Ferry strike halts island crossings</title><guid>p1</guid><pubDate>Wed, 01 May 2024 08:00:00 +0200</pubDate></item>
<item><title>Salt price doubles in valley</title><guid>p2</guid><pubDate>some day</pubDate></item>
<item><title>never ends</item>
</channel></rss>"#;

fn warc(url: &str, page: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2024-05-03T00:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
    .into_bytes()
}

#[test]
fn feeds_and_web_archives_are_read_by_every_command_and_bad_entries_are_named() {
    let folder = folder_with("feed.xml", FEED);
    let page = "<html lang='en'><title>Island crossings halted by ferry strike</title><meta property='article:published_time' content='2024-05-01T09:00:00Z'><p>Fähren</p></html>";
    let archive = warc("https://www.vale.example/ferry", page);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&archive).unwrap();
    std::fs::write(folder.path().join("crawl.warc.gz"), packed.finish().unwrap()).unwrap();
    let both = ["feed.xml", "crawl.warc.gz"];
    let ran = papertwin(folder.path(), &[&["news", "group"], &both[..], &["-o", "groups.csv"]].concat());
    assert_eq!(ran.code, 1, "a rejected entry is not clean: {}", ran.talk);
    assert!(ran.talk.contains("rejected: feed.xml, line 5, record 3: is no feed that can be read"), "{}", ran.talk);
    assert!(ran.talk.contains("article p2: \"some day\" is no date"), "{}", ran.talk);
    assert!(ran.talk.contains("4 seen = 3 kept + 1 rejected"), "{}", ran.talk);
    let found = groups(folder.path());
    let of = |id: &str| found.iter().find(|g| g.0 == id).unwrap().1.clone();
    assert_eq!(of("p1"), of("https://www.vale.example/ferry"), "{found:?}");
    let ran = papertwin(folder.path(), &[&["convert"], &both[..], &["--lenient", "--to", "all.jsonl"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.talk);
    let lines = std::fs::read_to_string(folder.path().join("all.jsonl")).unwrap();
    assert!(lines.contains("\"source\":\"vale.example\"") && lines.contains("Fähren"), "{lines}");
    let ran = papertwin(folder.path(), &[&["news", "advance"], &both[..], &["--lenient", "--state", "state"]].concat());
    assert!(ran.code == 0 && ran.talk.contains("3 seen = 3 new + 0 known"), "{}", ran.talk);
    // From standard input too.
    let mut child = Command::new(env!("CARGO_BIN_EXE_papertwin"))
        .args(["news", "group", "-", "--lenient"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(FEED.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(out.stdout).unwrap().lines().count(), 3);
}

#[test]
fn chinese_and_japanese_articles_are_grouped_by_their_words() {
    let lines = r#"{"id":"z1","title":"港口罢工导致渡轮停运","body":"渡轮公司的工人周三在港口罢工,岛屿之间的交通中断。","source":"甲报"}
{"id":"z2","title":"渡轮因港口罢工停运","body":"由于港口工人罢工,渡轮停运,岛上居民无法出行。","source":"乙报"}
{"id":"z3","title":"山谷盐价翻倍","body":"面包师抱怨山谷里的盐价格翻了一倍。","source":"甲报"}
{"id":"z4","title":"盐价上涨令山谷面包师不满","body":"盐的价格上涨,山谷的面包师表示不满。","source":"乙报"}
{"id":"j1","title":"フェリーのストライキで島の航路が停止","body":"港の労働者のストライキでフェリーが止まり、島の航路が停止した。","source":"甲新聞"}
{"id":"j2","title":"島のフェリー、ストライキで欠航","body":"フェリーの労働者がストライキを行い、島への航路は欠航となった。","source":"乙新聞"}
{"id":"j3","title":"谷で塩の価格が二倍に","body":"谷のパン職人は塩の価格が二倍になったと話した。","source":"甲新聞"}
{"id":"j4","title":"塩の価格高騰、谷のパン職人が抗議","body":"塩の価格の高騰に谷のパン職人が抗議した。","source":"乙新聞"}
{"id":"e1","title":"Ferry strike halts island crossings","body":"","source":"Post"}
{"id":"e2","title":"Island crossings halted by ferry strike","body":"","source":"Herald"}
"#;
    let folder = folder_with("three.jsonl", lines);
    let (_, ran) = edges(folder.path(), &["three.jsonl"]);
    let found = groups(folder.path());
    let of = |id: &str| found.iter().find(|g| g.0 == id).unwrap().1.clone();
    let groups: BTreeSet<BTreeSet<String>> =
        found.iter().map(|(_, group)| found.iter().filter(|g| g.1 == *group).map(|g| g.0.clone()).collect()).collect();
    let expected = [["z1", "z2"], ["z3", "z4"], ["j1", "j2"], ["j3", "j4"], ["e1", "e2"]];
    let expected: BTreeSet<BTreeSet<String>> =
        expected.iter().map(|pair| pair.iter().map(|id| (*id).to_owned()).collect()).collect();
    assert_eq!(groups, expected, "{}", ran.talk);
    assert_ne!(of("z1"), of("j1"));
}

#[test]
fn other_parameters_than_those_of_the_state_are_named_in_words() {
    let folder = folder_with("a.jsonl", "{\"id\":1,\"title\":\"Ferry strike\"}\n");
    assert_eq!(papertwin(folder.path(), &["news", "advance", "a.jsonl", "--state", "s"]).code, 0);
    let ran = papertwin(
        folder.path(),
        &["news", "advance", "a.jsonl", "--state", "s", "--threshold", "0.25", "--window", "none", "--pairs", "drop"],
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.talk.contains("the state was made with other parameters: pairs is keep there and drop here, ")
            && ran.talk.contains("threshold is 0.200000 there and 0.250000 here, ")
            && ran.talk.contains("window-hours is 120 there and none here; leave the flags away"),
        "{}",
        ran.talk
    );
    assert!(!ran.talk.contains('{'), "no dump: {}", ran.talk);
    let ran = papertwin(folder.path(), &["news", "advance", "a.jsonl", "--state", "a.jsonl"]);
    assert!(ran.code == 2 && ran.talk.contains("a.jsonl: is a file; a state is a folder"), "{}", ran.talk);
}

#[test]
fn help_says_the_defaults_that_hold() {
    let help = papertwin(Path::new("."), &["news", "group", "--help"]).out;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let params = BatchParams::default();
    let (mlt, groups) = (&params.more_like_this, &params.groups);
    for (flag, value) in [
        ("--threshold", mlt.threshold.value().to_string()),
        ("--neighbours", mlt.neighbours.unwrap().to_string()),
        ("--window", format!("{}d", mlt.window_hours.unwrap() / 24)),
        ("--max-query-terms", mlt.max_query_terms.to_string()),
        ("--min-term-freq", mlt.min_term_freq.to_string()),
        ("--min-doc-freq", mlt.min_doc_freq.to_string()),
        ("--max-doc-freq", mlt.max_doc_freq.unwrap().to_string()),
        ("--minimum-should-match", mlt.minimum_should_match.to_string()),
        ("--title-boost", mlt.title_boost.to_string()),
        ("--stem", mlt.analyzer.stem.to_string()),
        ("--alpha", groups.scd.alpha.to_string()),
    ] {
        let after = help.split_once(&format!("{flag} <")).unwrap_or_else(|| panic!("{flag}")).1;
        let own = after.split(" --").next().unwrap();
        assert!(own.contains(&format!("[default: {value}]")), "{flag}: {own}, wanted {value}");
    }
}

#[test]
fn articles_without_ids_keep_one_name_over_batches() {
    let folder = folder_with("mon.jsonl", "{\"title\":\"Ferry strike halts island crossings\"}\n");
    std::fs::write(
        folder.path().join("tue.jsonl"),
        "{\"title\":\"Island crossings halted by ferry strike\"}\n{\"title\":\"Ferry strike halts island crossings\"}\n{\"title\":\"Owls\",\"url\":\"http://o.example/\"}\n",
    )
    .unwrap();
    let advance = |file: &str| papertwin(folder.path(), &["news", "advance", file, "--state", "s"]);
    let first = advance("mon.jsonl");
    assert!(first.talk.contains("1 articles have no id") && first.talk.contains("1 seen = 1 new"), "{}", first.talk);
    let second = advance("tue.jsonl");
    assert!(second.talk.contains("3 seen = 2 new + 1 known"), "{}", second.talk);
    let listed = papertwin(folder.path(), &["news", "groups", "--state", "s"]).out;
    assert!(listed.contains("\nhttp://o.example/,"), "{listed}");
}

#[test]
fn what_is_no_edge_list_is_refused_in_words() {
    let folder = folder_with("notes.txt", "Ferry strike halts crossings\nSalt price doubles in the valley\n");
    std::fs::write(folder.path().join("noise.bin"), [0x7f, b'E', b'L', b'F', 2, 1, 0, 0, 255, 3]).unwrap();
    for (name, reason) in [
        ("notes.txt", "notes.txt: is no list of edges: 2 of 2 lines"),
        ("noise.bin", "noise.bin: is no text: byte 0 is 0x7f"),
    ] {
        let ran = papertwin(folder.path(), &["communities", name, "-o", "out.csv"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""));
        assert!(ran.talk.contains(reason), "{}", ran.talk);
        assert!(!folder.path().join("out.csv").exists());
    }
    std::fs::write(folder.path().join("g.csv"), "1,2\n2,3\n1,3\n").unwrap();
    std::fs::write(folder.path().join("p.csv"), "id,community\na,1\nb,1\n").unwrap();
    let ran = papertwin(folder.path(), &["communities", "g.csv", "--partition", "p.csv"]);
    assert!(ran.code == 2 && ran.talk.contains("none of its 2 ids is in the graph"), "{}", ran.talk);
}

#[test]
fn an_article_that_comes_again_with_another_text_is_named() {
    let line = |id: &str, text: &str| {
        format!("{{\"id\":\"{id}\",\"text\":\"{text}\",\"published\":\"2024-03-01T00:00:00Z\"}}")
    };
    let first = [line("a", "the ferry was late because of fog"), line("b", "the bell rang twice at noon")].join("\n");
    let folder = folder_with("one.jsonl", &first);
    let second = [line("a", "the ferry was on time after all"), line("b", "the bell rang twice at noon")].join("\n");
    std::fs::write(folder.path().join("two.jsonl"), second).unwrap();
    let ran = papertwin(folder.path(), &["news", "advance", "one.jsonl", "--state", "kept"]);
    assert!(ran.code == 0 && !ran.talk.contains("another title or text"), "{}", ran.talk);
    let ran = papertwin(folder.path(), &["news", "advance", "two.jsonl", "--state", "kept"]);
    assert!(ran.talk.contains("2 seen = 0 new + 2 known"), "{}", ran.talk);
    assert!(
        ran.talk.contains("1 articles are known with another title or text; the first one stays: a"),
        "{}",
        ran.talk
    );
}
