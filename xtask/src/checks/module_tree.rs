//! Every source file is part of a program: what no `mod` line names is not compiled, and nobody hears of it.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "module-tree",
    policy: "every source file is named by a `mod` line of the file above it",
    look,
};

/// Folders of which Cargo takes each file for a program of its own.
const PROGRAMS: [&str; 4] = ["benches", "bin", "examples", "tests"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    let by_path = named_by_path(tree)?;
    for file in tree.files().filter(|file| file.ends_with(".rs") && !file.contains("/fixtures/")) {
        let Some((name, folder)) = module(file) else { continue };
        let above: Vec<String> = parents(tree, folder);
        let mut is_named = by_path.contains(file);
        for parent in &above {
            is_named |= names(&tree.read(parent)?, name);
        }
        if !is_named {
            complaints
                .push(format!("{file}: not compiled; expected `mod {name};` in {folder} or {folder}.rs"));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// Files that a `#[path = "../recordings/mod.rs"]` names.
fn named_by_path(tree: &Tree) -> Result<BTreeSet<String>> {
    let mut named = BTreeSet::new();
    for file in tree.files().filter(|file| file.ends_with(".rs")) {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let text = tree.read(file)?;
        let paths =
            text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("\"]"));
        named.extend(paths.map(|path| joined(folder, path)));
    }
    Ok(named)
}

/// A path from a folder, without `..`.
fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').collect();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

/// The module that a file is, and the folder of those beside it; none of the root of a program or a library.
fn module(file: &str) -> Option<(&str, &str)> {
    let (folder, leaf) = file.rsplit_once('/')?;
    let (above, last) = folder.rsplit_once('/').unwrap_or(("", folder));
    match leaf.strip_suffix(".rs")? {
        "lib" | "main" | "build" => None,
        "mod" => Some((last, above)),
        _ if PROGRAMS.contains(&last) => None,
        stem => Some((stem, folder)),
    }
}

/// The files that may name the modules of a folder: its own root, or each program that lies in it.
fn parents(tree: &Tree, folder: &str) -> Vec<String> {
    let roots = ["lib.rs", "main.rs", "mod.rs"].map(|root| format!("{folder}/{root}"));
    let mut parents: Vec<String> =
        roots.into_iter().chain([format!("{folder}.rs")]).filter(|file| tree.has(file)).collect();
    if folder.rsplit('/').next().is_some_and(|last| PROGRAMS.contains(&last)) {
        let prefix = format!("{folder}/");
        let programs = tree.below(&prefix, ".rs").filter(|file| !file[prefix.len()..].contains('/'));
        parents.extend(programs.map(str::to_owned));
    }
    parents
}

fn names(parent: &str, module: &str) -> bool {
    let line = format!("mod {module};");
    parent.lines().any(|text| {
        let text = text.trim();
        text == line
            || (text.ends_with(&format!(" {line}")) && (text.starts_with("pub") || text.starts_with("#[")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_in_its_folder() {
        for (file, expected) in [
            ("crates/a/src/disk/slow.rs", Some(("slow", "crates/a/src/disk"))),
            ("crates/a/src/disk/mod.rs", Some(("disk", "crates/a/src"))),
            ("crates/a/tests/scratch/mod.rs", Some(("scratch", "crates/a/tests"))),
            ("tests/it/quiet.rs", Some(("quiet", "tests/it"))),
            ("crates/a/src/lib.rs", None),
            ("crates/a/src/bin/guest.rs", None),
            ("crates/a/tests/read.rs", None),
            ("crates/a/benches/rows.rs", None),
        ] {
            assert_eq!(module(file), expected, "{file}");
        }
    }

    #[test]
    fn a_path_may_go_up() {
        assert_eq!(joined("crates/a/tests/it", "../recordings/mod.rs"), "crates/a/tests/recordings/mod.rs");
    }

    #[test]
    fn a_module_may_be_public_or_have_a_condition() {
        for line in
            ["mod slow;", "pub mod slow;", "pub(crate) mod slow;", "    mod slow;", "#[cfg(test)] mod slow;"]
        {
            assert!(names(&format!("//! Disks.\n\n{line}\n"), "slow"), "{line}");
        }
        for line in ["mod slower;", "// mod slow;", "use slow;"] {
            assert!(!names(line, "slow"), "{line}");
        }
    }
}
