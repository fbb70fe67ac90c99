//! The page of groups in a real browser, where there is one: the search filters, days stand apart, shared terms are shown.

use std::path::Path;
use std::process::Command;

/// A browser that can be asked for the document as it stands after scripts ran.
fn browser() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome", "chrome"]
        .into_iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success()))
}

/// The document of a page after this script ran at its end.
fn document(browser: &str, folder: &Path, page: &str, script: &str) -> String {
    let file = folder.join("shown.html");
    std::fs::write(&file, page.replace("</body>", &format!("<script>{script}</script></body>"))).unwrap();
    let out = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let document = String::from_utf8_lossy(&out.stdout).into_owned();
    let main = document.split_once("<main id=\"list\">").unwrap_or_else(|| panic!("no page: {document}")).1;
    let counts = document.split_once("id=\"counts\"").unwrap().1.split_once('>').unwrap().1;
    format!("{}\n{}", counts.split_once('<').unwrap().0, main.split_once("</main>").unwrap().0)
}

#[test]
fn the_page_searches_and_explains_in_a_real_browser() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no browser (chromium, google-chrome) is here");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let articles = r#"{"id":"f1","title":"Ferry strike halts island crossings","source":"Post","published":"2024-05-01T08:00:00Z","url":"https://post.example/1"}
{"id":"f2","title":"Island crossings halted by ferry <b>strike</b> </script>","source":"Herald","published":"2024-05-01T09:00:00Z","url":"javascript:alert(1)"}
{"id":"s1","title":"Salt price doubles in valley","source":"Post","published":"2024-05-02T08:00:00Z"}
{"id":"s2","title":"Valley bakers angry over salt price","source":"Herald","published":"2024-05-02T09:00:00Z"}
{"id":"o1","title":"港口罢工导致渡轮停运","source":"甲报"}
{"id":"o2","title":"渡轮因港口罢工停运","source":"乙报"}
"#;
    std::fs::write(folder.path().join("a.jsonl"), articles).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_papertwin"))
        .args(["news", "group", "a.jsonl", "-o", "groups.csv", "--page", "page.html"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let shown = |script: &str| document(browser, folder.path(), &page, script);
    let typed = |words: &str| {
        shown(&format!("search.value = {words:?}; search.dispatchEvent(new Event('input', {{bubbles: true}}));"))
    };
    // The whole list: days from the latest, those without one last, everything closed.
    let all = shown("");
    assert!(all.starts_with("3 groups, 6 articles\n"), "{all}");
    let places: Vec<usize> = ["2024-05-02", "2024-05-01", "Without a date"]
        .iter()
        .map(|day| all.find(&format!("<h2>{day}")).unwrap_or_else(|| panic!("{day}: {all}")))
        .collect();
    assert!(places.is_sorted(), "{all}");
    assert!(all.matches("<details").count() == 3 && !all.contains("class=\"term\""), "{all}");
    assert!(shown("document.getElementById('unfold').click();").matches("<details open").count() == 3);
    // Typing filters, and what is found opens with its scores and shared terms.
    let ferry = typed("FERRY herald");
    assert!(ferry.starts_with("1 group, 2 articles\n") && ferry.matches("<details").count() == 1, "{ferry}");
    assert!(ferry.contains("<mark>Ferry</mark> strike halts"), "{ferry}");
    assert!(ferry.contains("class=\"score\"") && ferry.matches("class=\"term\"").count() >= 8, "{ferry}");
    // Titles are text, addresses that run scripts are no links.
    assert!(ferry.contains("&lt;b&gt;strike&lt;/b&gt; &lt;/script&gt;"), "{ferry}");
    assert!(ferry.contains("href=\"https://post.example/1\"") && !ferry.contains("javascript:"), "{ferry}");
    assert!(typed("罢工").starts_with("1 group, 2 articles\n"));
    let none = typed("owls");
    assert!(none.starts_with("0 groups, 0 articles\n") && none.contains("No group holds"), "{none}");
    // A group opens by a click on it.
    let opened = shown("document.querySelector('summary').click();");
    assert_eq!(opened.matches("<details open").count(), 1, "{opened}");
}
