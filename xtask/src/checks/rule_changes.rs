//! What a rule proposes to change is a setting that the catalogue knows, so that it can be planned,
//! tried and taken back; or it says that it is advice for a person.

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "rule-changes",
    policy: "each change of a rule names a tunable of the catalogue, or says `advice = true`",
    look,
};

/// A key that a table of the answer brings.
const FROM_A_TABLE: &str = "{setting_key}";

fn look(tree: &Tree) -> Result<Outcome> {
    let mut ids = Vec::new();
    for file in tree.below("tunables/", ".toml") {
        let document = read(tree, file)?;
        ids.extend(names(&document, "tunable", "id"));
        ids.extend(keys_of_places(&document));
    }
    let mut complaints = Vec::new();
    for file in tree.below("rules/", ".toml").filter(|file| !file.ends_with(".cases.toml")) {
        let rule = read(tree, file)?;
        complaints.extend(wrong(&rule, &ids).into_iter().map(|what| format!("{file}: {what}")));
    }
    Ok(Outcome::Looked(complaints))
}

fn read(tree: &Tree, file: &str) -> Result<Table> {
    tree.read(file)?.parse().with_context(|| file.to_owned())
}

/// One key of each table of a list.
fn names(document: &Table, list: &str, key: &str) -> Vec<String> {
    let entries = document.get(list).and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| entry.get(key)?.as_str().map(str::to_owned)).collect()
}

/// Keys of settings without a file, `*` for what they are of: `ethtool.*.ring.rx`, `cgroup:*/cpu.quota`.
fn keys_of_places(document: &Table) -> Vec<String> {
    let entries = document.get("tunable").and_then(Value::as_array).into_iter().flatten();
    let with_door = entries.filter(|entry| entry.get("door").is_some());
    let key = |id: &str| match id.strip_prefix("cgroup.") {
        Some(setting) => format!("cgroup:*/{setting}"),
        None => id.replacen('.', ".*.", 1),
    };
    with_door.filter_map(|entry| Some(key(entry.get("id")?.as_str()?))).collect()
}

/// What is wrong with the changes of a rule.
fn wrong(rule: &Table, ids: &[String]) -> Vec<String> {
    let changes = rule.get("changes").and_then(Value::as_array).into_iter().flatten();
    let mut wrong = Vec::new();
    for change in changes {
        let name = change.get("tunable").and_then(Value::as_str).unwrap_or_default();
        let advice = change.get("advice").and_then(Value::as_bool).unwrap_or(false);
        let known = name == FROM_A_TABLE || ids.iter().any(|id| meet(&pattern(name), id));
        match (advice, known) {
            (false, false) => wrong.push(format!(
                "`{name}` is no id of tunables/*.toml; what is no setting of this system says advice = true"
            )),
            (true, true) => wrong.push(format!("`{name}` is a tunable, and no advice alone")),
            _ => {}
        }
    }
    wrong
}

/// A template with `*` for each of its columns.
fn pattern(template: &str) -> String {
    let mut parts = template.split('{');
    let mut pattern = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        pattern.push('*');
        pattern.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    pattern
}

/// Whether some text is what both patterns describe.
fn meet(one: &str, other: &str) -> bool {
    let (mut first, mut second) = (one.chars(), other.chars());
    match (first.next(), second.next()) {
        (None, None) => true,
        (Some('*'), _) => meet(first.as_str(), other) || (!other.is_empty() && meet(one, after_first(other))),
        (_, Some('*')) => meet(one, second.as_str()) || (!one.is_empty() && meet(after_first(one), other)),
        (Some(a), Some(b)) => a == b && meet(first.as_str(), second.as_str()),
        _ => false,
    }
}

fn after_first(text: &str) -> &str {
    let mut characters = text.chars();
    characters.next();
    characters.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(changes: &str) -> Vec<String> {
        let ids = ["vm.swappiness", "block.*.queue.scheduler"].map(str::to_owned);
        wrong(&changes.parse().expect("TOML"), &ids)
    }

    #[test]
    fn what_calls_reach_is_named_with_what_it_is_of() {
        let document = "[[tunable]]\nid = 'process.rlimit.nofile'\ndoor = 'process'\n[[tunable]]\nid = 'cgroup.cpu.quota'\ndoor = 'cgroup'\n[[tunable]]\nid = 'vm.x'";
        let keys = keys_of_places(&document.parse().expect("TOML"));
        assert_eq!(keys, ["process.*.rlimit.nofile", "cgroup:*/cpu.quota"]);
        let rule = "[[changes]]\ntunable = 'cgroup:{path}/cpu.quota'".parse().expect("TOML");
        assert!(wrong(&rule, &keys).is_empty());
        let rule = "[[changes]]\ntunable = 'process.{pid}.rlimit.nofile'".parse().expect("TOML");
        assert!(wrong(&rule, &keys).is_empty() && wrong(&rule, &[]).len() == 1);
    }

    #[test]
    fn what_is_no_tunable_is_advice() {
        assert!(of("[[changes]]\ntunable = 'vm.swappiness'").is_empty());
        assert!(of("[[changes]]\ntunable = 'block.{device}.queue.scheduler'").is_empty());
        assert!(of("[[changes]]\ntunable = '{setting_key}'").is_empty());
        assert_eq!(of("[[changes]]\ntunable = 'vm.swapiness'").len(), 1);
        assert_eq!(of("[[changes]]\ntunable = 'block.{device}.queue'").len(), 1);
        assert!(of("[[changes]]\ntunable = 'files of {pid}'\nadvice = true").is_empty());
        assert_eq!(of("[[changes]]\ntunable = 'vm.swappiness'\nadvice = true").len(), 1);
    }
}
