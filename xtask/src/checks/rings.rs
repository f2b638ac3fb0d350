//! Modules of a crate use each other in one direction: what goes round can be read, tested and moved only as a whole.
//!
//! An edge is a path from the crate's root, `crate::module::…`, in the code of a top-level module; a name that
//! the root hands on (`pub use module::Name`) is one of its module. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "rings", policy: "modules of a crate use each other in one direction", look };

/// Modules, and what each uses.
type Edges = BTreeMap<String, BTreeSet<String>>;

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    let crates = tree.folders("crates/").into_iter().map(|name| format!("crates/{name}/src/"));
    for folder in crates.chain(["xtask/src/".to_owned()]) {
        let edges = edges(tree, &folder)?;
        complaints
            .extend(rings(&edges).into_iter().map(|ring| format!("{folder}: a ring of {}", ring.join(", "))));
    }
    Ok(Outcome::Looked(complaints))
}

/// The edges between the top-level modules of a crate.
fn edges(tree: &Tree, folder: &str) -> Result<Edges> {
    let mut texts: BTreeMap<String, Vec<(bool, String)>> = BTreeMap::new();
    let mut root = String::new();
    for file in tree.below(folder, ".rs") {
        let below = &file[folder.len()..];
        if below.starts_with("bin/") {
            continue;
        }
        let text = tree.read(file)?;
        match below.split_once('/') {
            None if below == "lib.rs" || below == "main.rs" => root = text,
            None => texts.entry(below.trim_end_matches(".rs").to_owned()).or_default().push((true, text)),
            Some((_, rest)) if rest.ends_with("tests.rs") => {}
            Some((module, rest)) => {
                texts.entry(module.to_owned()).or_default().push((rest == "mod.rs", text));
            }
        }
    }
    let modules: BTreeSet<&str> = texts.keys().map(String::as_str).collect();
    let handed_on = handed_on(&root, &modules);
    let used = |module: &str, texts: &[(bool, String)]| {
        let names = texts.iter().flat_map(|(is_top, text)| names(text, *is_top));
        let of_module = |name: String| {
            let own = modules.get(name.as_str()).map(|name| (*name).to_owned());
            own.or_else(|| handed_on.get(&name).cloned())
        };
        names.filter_map(of_module).filter(|other| other != module).collect::<BTreeSet<String>>()
    };
    Ok(texts.iter().map(|(module, texts)| (module.clone(), used(module, texts))).collect())
}

/// Names that the root of a crate hands on, and whose they are.
fn handed_on(root: &str, modules: &BTreeSet<&str>) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for statement in root.split(';') {
        let Some((_, path)) = statement.split_once("use ") else { continue };
        let path = path.trim().trim_start_matches("crate::");
        let Some((module, names)) = path.split_once("::") else { continue };
        if !modules.contains(module) {
            continue;
        }
        let words = names.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        all.extend(words.map(|word| (word.to_owned(), module.to_owned())));
    }
    all
}

/// First names of the paths that begin at the crate's root, outside tests and comments; a top-level module's
/// `super` is the root too.
fn names(text: &str, is_top: bool) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .take_while(|line| !line.trim_start().starts_with("#[cfg(test)]"))
        .map(|line| without_texts(line.split("//").next().unwrap_or(line)))
        .collect::<Vec<_>>()
        .join("\n");
    let mut all = BTreeSet::new();
    let starts = ["crate::", "super::"].into_iter().take(if is_top { 2 } else { 1 });
    for start in starts {
        for (at, _) in code.match_indices(start) {
            // `$crate::` of a macro, and names that only end so.
            let before = code[..at].chars().next_back();
            let is_word = before.is_some_and(|c| c.is_alphanumeric() || "_:$".contains(c));
            if !is_word {
                all.extend(first_names(&code[at + start.len()..]));
            }
        }
    }
    all
}

/// A line without what stands between its quotation marks: paths in there are words.
fn without_texts(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// `a` of `a::b`, and of `{a::b, c}` both.
fn first_names(path: &str) -> Vec<String> {
    let word =
        |text: &str| -> String { text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
    let Some(group) = path.strip_prefix('{') else { return vec![word(path)] };
    let (mut depth, mut all, mut begins) = (0_usize, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                all.push(word(group[begins..at].trim()));
                begins = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    all.retain(|name| !name.is_empty());
    all
}

/// Modules that reach each other, in groups.
fn rings(edges: &Edges) -> Vec<Vec<String>> {
    let reached = |from: &str| {
        let (mut all, mut todo) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(module) = todo.pop() {
            let next = edges.get(&module).into_iter().flatten();
            todo.extend(next.filter(|other| all.insert((*other).clone())).cloned());
        }
        all
    };
    let reach: BTreeMap<&String, BTreeSet<String>> =
        edges.keys().map(|module| (module, reached(module))).collect();
    let mut rings: Vec<Vec<String>> = Vec::new();
    for (module, all) in &reach {
        if !all.contains(*module) || rings.iter().any(|ring| ring.contains(module)) {
            continue;
        }
        let back = |other: &&String| reach.get(*other).is_some_and(|theirs| theirs.contains(*module));
        rings.push(all.iter().filter(back).cloned().collect());
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn paths_from_the_root_are_edges() {
        let text = "use crate::a::{B, c::D};\nuse crate::{e::{F, g}, h};\nlet x = crate::i::j();\n// crate::k\n\
                    use super::l;\nlet s = \"use crate::n;\";\n#[cfg(test)]\nuse crate::m;\n";
        assert_eq!(names(text, true), set(&["a", "e", "h", "i", "l"]));
        assert_eq!(names(text, false), set(&["a", "e", "h", "i"]));
        let modules = BTreeSet::from(["a", "b"]);
        let handed_on = handed_on("mod a;\npub use a::{One, Two};\npub use std::fmt;", &modules);
        assert_eq!(handed_on.get("Two").map(String::as_str), Some("a"));
        assert!(!handed_on.contains_key("fmt"));
    }

    #[test]
    fn what_goes_round_is_one_ring() {
        let edges = Edges::from([
            ("a".to_owned(), set(&["b"])),
            ("b".to_owned(), set(&["c"])),
            ("c".to_owned(), set(&["a", "d"])),
            ("d".to_owned(), set(&[])),
        ]);
        assert_eq!(rings(&edges), [["a", "b", "c"]]);
    }
}
