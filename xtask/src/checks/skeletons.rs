//! What `cargo xtask new` makes is complete: one unit of each kind in a copy of the tree compiles there, and leaves
//! few files to be touched by hand.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::program::cargo;
use crate::tree::Tree;
use crate::units::{Unit, make};

/// The check.
pub const CHECK: Check = Check {
    name: "skeletons",
    policy: "each unit of `cargo xtask new` compiles as it is made, with at most three files to fill in",
    look,
};

/// Where the copy is: below the folder of what is built, so that it is built once.
const COPY: &str = "target/skeletons";
/// Files with something to answer: of code, and of data.
const MOST_OF_CODE: usize = 3;
const MOST_OF_DATA: usize = 1;

fn look(tree: &Tree) -> Result<Outcome> {
    let copy = copied(tree)?;
    let mut complaints = Vec::new();
    for (unit, most) in units() {
        // A unit may stand on one before it.
        let before = Tree::at_root(copy.root())?;
        let known = questions(&before);
        make(&before, &unit).with_context(|| format!("{unit:?}"))?;
        let after = questions(&Tree::at_root(copy.root())?);
        let answers = after.iter().filter(|one| !known.contains(one)).count();
        if answers > most {
            complaints.push(format!("{unit:?}: {answers} files are to be filled in by hand; at most {most}"));
        }
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| tree.at("target"), Into::into);
    let mut check = cargo(&copy, &["check", "--quiet", "--locked", "--package", "heldup"]);
    let status = check.env("CARGO_TARGET_DIR", target).stdin(Stdio::null()).status()?;
    if !status.success() {
        complaints
            .push("what `cargo xtask new` makes does not compile; see the compiler's words above".to_owned());
    }
    Ok(Outcome::Looked(complaints))
}

/// One of each kind.
fn units() -> Vec<(Unit, usize)> {
    let own = str::to_owned;
    vec![
        (Unit::Table { name: own("new_unit") }, MOST_OF_CODE),
        (Unit::Source { name: own("proc_new_unit"), table: own("new_unit") }, MOST_OF_CODE),
        (Unit::Importer { vendor: own("procps"), name: own("new_unit") }, MOST_OF_CODE),
        (Unit::Report { name: own("new_answer") }, MOST_OF_CODE),
        (Unit::Command { name: own("new-command") }, MOST_OF_CODE),
        // A rule is its page and its cases.
        (Unit::Rule { id: own("disk.new-unit") }, 2 * MOST_OF_DATA),
        (Unit::Tunable { file: own("mount"), id: own("mount.new-unit") }, MOST_OF_DATA),
        (Unit::Profile { name: own("new-unit") }, MOST_OF_DATA),
    ]
}

/// Files with questions, and how many there are in each.
fn questions(tree: &Tree) -> Vec<(String, usize)> {
    let ours = ["crates/", "profiles/", "rules/", "tests/", "tunables/"];
    let files = tree.files().filter(|file| ours.iter().any(|folder| file.starts_with(folder)));
    let of_units = files.filter(|file| file.ends_with(".rs") || file.ends_with(".toml"));
    let counted = of_units.map(|file| {
        let text = tree.read(file).unwrap_or_default();
        (file.to_owned(), text.matches('…').count())
    });
    counted.filter(|(_, questions)| *questions > 0).collect()
}

/// A copy of the files that a build needs; what is the same there already is left, so that it is not built again.
fn copied(tree: &Tree) -> Result<Tree> {
    let root = tree.at(COPY);
    // Recordings are for tests; some of their files are links to nowhere.
    for file in tree.files().filter(|file| !file.contains("/fixtures/")) {
        let there = root.join(file);
        let bytes = fs::read(tree.at(file)).with_context(|| format!("read {file}"))?;
        if fs::read(&there).is_ok_and(|before| before == bytes) {
            continue;
        }
        if let Some(folder) = there.parent() {
            fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
        }
        fs::write(&there, bytes).with_context(|| format!("write {}", there.display()))?;
    }
    without_others(&root, &root, tree)?;
    Tree::at_root(&root)
}

/// Removes what the tree does not have: units that were made before.
fn without_others(root: &Path, folder: &Path, tree: &Tree) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let path = entry?.path();
        let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
        if path.is_dir() {
            without_others(root, &path, tree)?;
        } else if !tree.has(&inside) {
            fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
        }
    }
    Ok(())
}
