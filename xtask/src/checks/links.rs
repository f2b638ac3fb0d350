//! Links between documents lead somewhere.

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "links", policy: "relative links in documents lead to files of the tree", look };

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.below("", ".md").filter(|file| !file.contains("/fixtures/")) {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (line, target) in links(&tree.read(file)?) {
            let path = resolved(folder, &target);
            let leads = tree.has(&path) || tree.files().any(|there| there.starts_with(&format!("{path}/")));
            if !leads {
                complaints.push(format!("{file}:{line}: nothing at {target}"));
            }
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// Relative targets of `[text](target)`, without anchors, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for part in line.split("](").skip(1) {
            let target = part.split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.contains(' ') {
                found.push((at + 1, target.to_owned()));
            }
        }
    }
    found
}

/// The path from the root of a target in a document of `folder`.
fn resolved(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_are_found_and_resolved() {
        let text = "[a](b.md#c) and ![d](docs/e.svg)\n[f](https://example.org) [g](#h)";
        assert_eq!(links(text), [(1, "b.md".to_owned()), (1, "docs/e.svg".to_owned())]);
        assert_eq!(resolved("docs/decisions", "../measured/"), "docs/measured");
        assert_eq!(resolved("", "./README.md"), "README.md");
    }
}
