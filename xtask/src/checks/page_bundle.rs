//! The committed page is what the pinned tools make of its sources, and no text of a machine can become markup in it.
//!
//! It is committed so that `cargo build` needs no node; this is what keeps it honest.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::page_tools::{missing, node, packaged};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "page-bundle",
    policy: "web/dist and web/src/generated are what the pinned tools make, of bounded size; no text becomes markup",
    look,
};

/// What makes markup, code or a style of a text.
const MARKUP: [&str; 14] = [
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "dangerouslySetInnerHTML",
    "document.write",
    "createContextualFragment",
    "DOMParser",
    "setHTMLUnsafe",
    "srcdoc",
    "javascript:",
    "eval(",
    "new Function",
    "style=\"",
    "setAttribute(\"style\"",
];
/// What the sources are made into.
const BUILT: [&str; 4] = ["app.js", "app.css", "index.html", "icon.svg"];
/// Endings of what a browser reads.
const SOURCES: [&str; 5] = [".ts", ".tsx", ".html", ".css", ".svg"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = markup(tree)?;
    // Which registry packages come from is each machine's own choice.
    let lock = tree.read("web/package-lock.json")?;
    let resolved = lock.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("\"resolved\""));
    complaints.extend(
        resolved.map(|(at, _)| format!("web/package-lock.json:{}: names a registry; expected none", at + 1)),
    );
    if let Some(why) = missing(tree)? {
        if complaints.is_empty() {
            return Ok(Outcome::Skipped(why));
        }
        return Ok(Outcome::Looked(complaints));
    }
    let place = std::env::temp_dir().join(format!("heldup-page-{}", std::process::id()));
    let made = made_again(tree, &place);
    let _ = fs::remove_dir_all(&place);
    complaints.extend(made?);
    let looks: [(&str, &[&str]); 3] = [
        ("tsc", &["--noEmit"]),
        ("tsc", &["--noEmit", "-p", "tests"]),
        ("biome", &["ci", "--colors=off", "--error-on-warnings", "."]),
    ];
    for (program, arguments) in looks {
        let output = packaged(tree, program, arguments).output().with_context(|| format!("run {program}"))?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            complaints.push(format!("{program}: {}", String::from_utf8_lossy(&said).trim()));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// Sources in which a text becomes more than text.
fn markup(tree: &Tree) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    for file in tree.below("web/src/", "").filter(|file| SOURCES.iter().any(|ending| file.ends_with(ending)))
    {
        for (at, line) in tree.read(file)?.lines().enumerate() {
            let found = MARKUP.into_iter().find(|word| line.contains(word));
            complaints.extend(found.map(|word| format!("{file}:{}: {word}; expected text nodes", at + 1)));
        }
    }
    Ok(complaints)
}

/// Makes everything once more, elsewhere, and compares it.
fn made_again(tree: &Tree, place: &Path) -> Result<Vec<String>> {
    let mut complaints = Vec::new();
    let (dist, types) = (place.join("dist"), place.join("generated"));
    for (script, into) in [("build.mjs", &dist), ("types.mjs", &types)] {
        let into = into.to_str().context("a path of text")?;
        let output = node(tree, &[script, "--into", into]).output().context("run node")?;
        if !output.status.success() {
            complaints.push(format!("web/{script}: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
    }
    for name in BUILT {
        complaints.extend(differs(tree, &format!("web/dist/{name}"), &dist.join(name)));
    }
    for entry in fs::read_dir(&types).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        complaints.extend(differs(tree, &format!("web/src/generated/{name}"), &entry.path()));
    }
    Ok(complaints)
}

fn differs(tree: &Tree, committed: &str, made: &Path) -> Option<String> {
    let (committed_bytes, made) = (fs::read(tree.at(committed)), fs::read(made));
    let same = matches!((committed_bytes, made), (Ok(a), Ok(b)) if a == b);
    (!same).then(|| format!("{committed}: not what its sources make; run `cargo xtask web`"))
}
