//! Every entry of `tunables/*.toml`: its form, and that what it speaks of exists.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::Path;

use heldup_tune::{Catalogue, Tunable};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tunables")
}

fn documents() -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |file: std::path::PathBuf| {
        let name = format!("tunables/{}", file.file_name().unwrap().to_string_lossy());
        (name, fs::read_to_string(file).unwrap())
    };
    files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "toml")).map(read).collect()
}

#[test]
fn every_entry_holds_to_its_form() {
    let documents = documents();
    let pairs = documents.iter().map(|(place, text)| (place.as_str(), text.as_str()));
    let catalogue = Catalogue::of_documents(pairs);
    let flaws: Vec<String> = catalogue.flaws.iter().map(ToString::to_string).collect();
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(catalogue.tunables.len() >= 150, "{} tunables", catalogue.tunables.len());
}

#[test]
fn what_is_built_in_is_what_the_documents_say() {
    let documents = documents();
    let read = Catalogue::of_documents(documents.iter().map(|(place, text)| (place.as_str(), text.as_str())));
    let builtin = Catalogue::builtin();
    assert!(builtin.flaws.is_empty(), "{:?}", builtin.flaws);
    let text =
        |catalogue: &Catalogue| catalogue.tunables.iter().map(|t| format!("{t:?}")).collect::<Vec<_>>();
    assert_eq!(text(&read), text(&builtin));
}

/// A path is in the recorded list of a machine, or the entry says which machines or releases have it.
#[test]
fn every_path_exists_or_says_where() {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/paths/debian12-6.18-guest.txt");
    let list = fs::read_to_string(list).unwrap();
    let recorded: Vec<&str> = list.lines().collect();
    let builtin = Catalogue::builtin();
    let unknown: Vec<String> = builtin
        .tunables
        .iter()
        .filter(|tunable| !says_where(tunable))
        .filter_map(|tunable| tunable.path.as_deref())
        .filter(|path| !recorded.iter().any(|there| fits(path, there)))
        .map(str::to_owned)
        .collect();
    assert!(unknown.is_empty(), "neither recorded nor with since, until or only:\n{}", unknown.join("\n"));
}

fn says_where(tunable: &Tunable) -> bool {
    tunable.only.is_some() || tunable.until.is_some() || tunable.since.is_some()
}

/// `*` is a part of one name, `**` any number of folders.
fn fits(pattern: &str, path: &str) -> bool {
    match (pattern.split_once('/').unwrap_or((pattern, "")), path.split_once('/').unwrap_or((path, ""))) {
        (("", ""), ("", "")) => true,
        (("**", rest), (_, below)) => fits(rest, path) || (!below.is_empty() && fits(pattern, below)),
        ((name, rest), (there, below)) => {
            let same = match name.split_once('*') {
                None => name == there,
                Some((start, end)) => {
                    there.len() >= start.len() + end.len() && there.starts_with(start) && there.ends_with(end)
                }
            };
            same && rest.is_empty() == below.is_empty() && (rest.is_empty() || fits(rest, below))
        }
    }
}
