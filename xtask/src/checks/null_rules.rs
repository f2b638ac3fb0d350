//! What a finding shows was measured.

use std::collections::BTreeSet;
use std::process::Stdio;

use anyhow::{Context, Result};
use toml::{Table, Value};

use super::{Check, Outcome};
use crate::program::{command, heldup};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "null-rules",
    policy: "a column that was not measured becomes no number in a finding (docs/rules.md)",
    look,
};

/// Rules, shown columns and reasons: here a 0 for NULL is what it says.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("cpu.fork-storm", "unseen_s", "a sample without rows of task_time has no time of tasks"),
    ("cpu.hot-thread", "leader_s", "a leader without a row did not run"),
    ("disk.slow", "requests", "a kind of request that a device does not have is not in its row"),
    ("fs.misaligned", "boundary", "the larger of two block sizes, of which one is known"),
    ("mem.exhausted", "left_bytes", "the title says memory alone if swap was not measured"),
    ("mem.leak", "room_bytes", "a lower bound if swap was not measured"),
    ("mem.oom-kill", "kills", "needs oom_kills"),
    ("mem.oom-kill", "kind_of_want", "a word, no number"),
    ("time.unexplained", "rest_s", "a task without a row of accounted has no time that is accounted for"),
];
/// Columns that every row of their table has.
const ALWAYS: [&str; 3] = ["seconds", "secs", "wait_s"];

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    let mut met = BTreeSet::new();
    for file in tree.below("rules/", ".toml").filter(|file| !file.ends_with(".cases.toml")) {
        let rule: Table = tree.read(file)?.parse().with_context(|| file.to_owned())?;
        let id = rule.get("id").and_then(Value::as_str).unwrap_or_default();
        let others = rule.values().filter_map(Value::as_table);
        for column in [&rule].into_iter().chain(others).flat_map(zeros) {
            match ALLOWED.iter().find(|(rule, allowed, _)| *rule == id && *allowed == column) {
                Some(allowed) => _ = met.insert(*allowed),
                None => complaints.push(format!(
                    "{file}: {column} is shown, and is 0 if something is NULL: expected sum() or added()"
                )),
            }
        }
    }
    let unmet = ALLOWED.iter().filter(|allowed| !met.contains(*allowed));
    complaints.extend(
        unmet.map(|(rule, column, _)| format!("{}: {rule} has no such {column}: leave it out", file!())),
    );
    let program = heldup(tree, "dev")?;
    let told = command(tree, &program, &["rules", "test", "--unmeasured"])
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("run {}", program.display()))?;
    let text = String::from_utf8_lossy(&told.stdout);
    let failed: Vec<String> =
        text.lines().filter(|line| line.starts_with("FAILED")).map(str::to_owned).collect();
    if failed.is_empty() && !told.status.success() {
        complaints.push(String::from_utf8_lossy(&told.stderr).trim_end().to_owned());
    }
    complaints.extend(failed);
    Ok(Outcome::Looked(complaints))
}

/// Shown columns of a question whose SQL makes 0 of NULL.
fn zeros(question: &Table) -> BTreeSet<String> {
    let text = |key: &str| question.get(key).and_then(Value::as_str).unwrap_or_default();
    let title = text("title").split('{').skip(1).map(|part| {
        part.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
    });
    let evidence = question.get("evidence").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let evidence = evidence.iter().filter_map(|one| one.get("column")?.as_str());
    let shown: BTreeSet<&str> = title.chain(evidence).collect();
    let lines = text("sql").lines().map(|line| line.split("--").next().unwrap_or_default());
    let sql = lines.collect::<Vec<_>>().join(" ");
    let mut found = BTreeSet::new();
    for (at, _) in sql.match_indices(" as ") {
        let name = sql[at + 4..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
        if let Some(name) = name.filter(|name| shown.contains(name) && makes_zero(expression(&sql[..at]))) {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The expression at the end: back to the comma, parenthesis or word that it begins behind.
fn expression(before: &str) -> &str {
    let mut depth = 0;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' | ',' if depth == 0 => return &before[at + 1..],
            '(' => depth -= 1,
            ' ' if depth == 0 && before[..at].ends_with("select") => return &before[at..],
            _ => {}
        }
    }
    before
}

/// Whether it has a total() of what may be NULL, or 0 in place of NULL.
fn makes_zero(expression: &str) -> bool {
    let arguments = |function: &'static str| {
        expression.match_indices(function).map(move |(at, _)| inside(&expression[at + function.len()..]))
    };
    // Messages of a kind are counted.
    let may_be_null =
        |of: &str| !of.contains(" like ") && !ALWAYS.contains(&of.rsplit('.').next().unwrap_or(of).trim());
    arguments("total(").any(may_be_null)
        || arguments("coalesce(").any(|of| matches!(of.rsplit(',').next().map(str::trim), Some("0" | "0.0")))
}

/// Up to the parenthesis that closes it.
fn inside(rest: &str) -> &str {
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return &rest[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sql: &str, expected: &[&str]) {
        let text =
            format!("title = \"{{drops:n|| }}drops\"\nsql = \"{sql}\"\n[[evidence]]\ncolumn = \"share\"");
        let question: Table = text.parse().expect("a rule");
        assert_eq!(zeros(&question).into_iter().collect::<Vec<_>>(), expected, "{sql}");
    }

    #[test]
    fn zeros_in_shown_columns_are_found() {
        check("select total(rx_drops) as drops from net_if", &["drops"]);
        check("select max(1, coalesce(a, (b), 0)) / 2 as share, sum(c) as drops", &["share"]);
        check("select total(t.seconds) as drops, total(x) as hidden, coalesce(a, b) as share", &[]);
        check("select sum(a) as drops, -- total(x) as share\\nsum(b) as share", &[]);
    }
}
