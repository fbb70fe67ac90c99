//! The rooms of the library form layers: a room imports only rooms declared before it in `lib.rs`.

use std::fs;
use std::path::Path;

/// `pub mod NAME;` lines of lib.rs, in order.
fn rooms() -> Vec<String> {
    fs::read_to_string("src/lib.rs")
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect()
}

fn rust_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn a_room_imports_only_rooms_before_it() {
    let rooms = rooms();
    let ground = rooms.iter().position(|r| r == "corpus").expect("the first room is the corpus");
    let mut wrong = Vec::new();
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for path in files {
        let inside: Vec<String> = path
            .strip_prefix("src")
            .unwrap()
            .components()
            .map(|c| c.as_os_str().to_string_lossy().replace(".rs", ""))
            .collect();
        let Some(place) = rooms.iter().position(|r| *r == inside[0]) else { continue };
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            if line.trim_start().starts_with("//") {
                continue;
            }
            for (at, _) in line.match_indices("crate::") {
                let name: String = line[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                let Some(other) = rooms.iter().position(|r| *r == name) else { continue };
                let allowed = if place < ground { other < ground } else { other <= place };
                if !allowed {
                    wrong.push(format!("{}:{} imports {name}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "rooms import only what stands before them in lib.rs:\n{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_lives_in_it() {
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    rust_files(Path::new("tests"), &mut files);
    let silent: Vec<_> = files.iter().filter(|p| !fs::read_to_string(p).unwrap().starts_with("//!")).collect();
    assert!(silent.is_empty(), "files begin with //! and what lives there: {silent:?}");
}
