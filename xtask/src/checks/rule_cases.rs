//! A rule has a case in which it speaks and one in which it is silent.

use anyhow::{Context, Result};
use toml::Table;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "rule-cases",
    policy: "each rule lies in its area and has a case that fires and one that does not",
    look,
};

/// Ending of a document of cases.
const CASES: &str = ".cases.toml";

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    for file in tree.below("rules/", ".toml").filter(|file| !file.ends_with(CASES)) {
        let rule: Table = tree.read(file)?.parse().with_context(|| file.to_owned())?;
        let id = rule.get("id").and_then(|id| id.as_str()).unwrap_or_default();
        let area = id.split('.').next().unwrap_or_default();
        let wanted = format!("rules/{area}/{id}.toml");
        if file != wanted {
            complaints.push(format!("{file}: the rule {id:?} belongs in {wanted}"));
        }
        let cases = file.replace(".toml", CASES);
        let text = if tree.has(&cases) { tree.read(&cases)? } else { String::new() };
        complaints.extend(
            lacking(&text).with_context(|| cases.clone())?.into_iter().map(|what| format!("{cases}: {what}")),
        );
    }
    for cases in tree.below("rules/", CASES) {
        if !tree.has(&cases.replace(CASES, ".toml")) {
            complaints.push(format!("{cases}: cases of no rule"));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// What a document of cases lacks.
fn lacking(text: &str) -> Result<Vec<&'static str>> {
    let document: Table = text.parse()?;
    let cases = document.get("case").and_then(|cases| cases.as_array()).map_or(&[][..], Vec::as_slice);
    let some = |words: &[&str]| {
        let mut expects = cases.iter().filter_map(|case| case.get("expect")?.as_str());
        expects.any(|expect| words.contains(&expect))
    };
    let mut lacking = Vec::new();
    if !some(&["found"]) {
        lacking.push("no case with expect = \"found\"");
    }
    if !some(&["quiet", "ruled_out"]) {
        lacking.push("no case with expect = \"quiet\" or \"ruled_out\"");
    }
    Ok(lacking)
}

#[cfg(test)]
mod tests {
    use super::lacking;

    #[test]
    fn both_kinds_of_case_are_asked_for() {
        assert_eq!(lacking("").unwrap().len(), 2);
        assert_eq!(lacking("[[case]]\nexpect = \"found\"").unwrap().len(), 1);
        assert_eq!(lacking("[[case]]\nexpect = \"found\"\n[[case]]\nexpect = \"quiet\"").unwrap().len(), 0);
        assert!(lacking("[[case").is_err());
    }
}
