//! All that is known of one setting, and how it stands.

use std::fmt::Write;

use heldup_model::{SettingNow, SettingPage};

use super::place;
use crate::harmless;

/// Instances that are written one by one; a machine may have thousands of groups.
const MOST_INSTANCES: usize = 40;

/// A setting in lines of at most `width` characters, on a kernel of a release.
pub fn page(setting: &SettingPage, release: Option<&str>, width: usize) -> String {
    let mut out = known(setting, width);
    let instances = setting.instances.as_deref().unwrap_or_default();
    if let Some(example) = setting.example.as_ref().filter(|_| instances.is_empty()) {
        let _ = writeln!(out, "\nEach process or group has its own value: heldup tune show {example}");
    }
    if setting.instances.is_some() {
        out.push('\n');
        if instances.is_empty() {
            let here = release.map_or_else(String::new, |release| format!(" (Linux {release})"));
            let _ = writeln!(out, "Not on this machine{here}.");
        }
        for instance in instances.iter().take(MOST_INSTANCES) {
            out.push_str(&now(instance));
        }
        if instances.len() > MOST_INSTANCES {
            let _ = writeln!(out, "… and {} more (name one to see it)", instances.len() - MOST_INSTANCES);
        }
    }
    out
}

/// What the catalogue says.
fn known(setting: &SettingPage, width: usize) -> String {
    let mut out = String::new();
    let mut line = |title: &str, text: &str| {
        let options = textwrap::Options::new(width).subsequent_indent("               ");
        let _ = writeln!(out, "{}", textwrap::fill(&format!("  {title:<11}  {text}"), options));
    };
    line("what", &setting.meaning);
    line("where", setting.path.as_deref().or(setting.call.as_deref()).unwrap_or_default());
    for was in &setting.was {
        line("", &format!("{} until {}", was.path, was.until));
    }
    let releases = [
        setting.since.as_ref().map(|since| format!("since {since}")),
        setting.until.as_ref().map(|until| format!("until {until}")),
    ];
    let exists: Vec<String> = releases.into_iter().flatten().chain(setting.only.clone()).collect();
    if !exists.is_empty() {
        line("exists", &exists.join(", "));
    }
    line("values", &values(setting));
    for range in &setting.ranges {
        let taken = taken(range.min, range.max, &range.choices).unwrap_or("unknown".to_owned());
        line("", &format!("{}: {taken}", since(range.since.as_deref())));
    }
    line("default", setting.default.as_deref().or(setting.default_is.as_deref()).unwrap_or("unknown"));
    for held in setting.defaults.iter().filter(|_| setting.defaults.len() > 1) {
        line("", &format!("{}: {}", since(held.since.as_deref()), held.value));
    }
    let texts = [("higher", &setting.up), ("lower", &setting.down), ("choose", &setting.choose)];
    for (title, text) in texts {
        if let Some(text) = text {
            line(title, text);
        }
    }
    for other in &setting.interacts {
        line("with", &format!("{}: {}", other.id, other.how));
    }
    line("risk", &format!("{}: {}", setting.level, setting.risk));
    line("not for", &setting.leave);
    line("read", &setting.references.join(", "));
    format!("{} ({})\n\n{out}", setting.id, setting.area)
}

fn since(release: Option<&str>) -> String {
    release.map_or_else(|| "before".to_owned(), |release| format!("since {release}"))
}

/// What is taken, in words; none where there is no bound.
fn taken(min: Option<i64>, max: Option<i64>, choices: &[String]) -> Option<String> {
    match (min, max) {
        _ if !choices.is_empty() => Some(choices.join(", ")),
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("at least {min}")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn values(setting: &SettingPage) -> String {
    let kind = kind(&setting.kind);
    let mut text = match setting.count {
        Some(count) => format!("{count} {kind}"),
        None => kind.to_owned(),
    };
    if let Some(taken) = taken(setting.min, setting.max, &setting.choices) {
        let _ = write!(text, "{}{taken}", if setting.choices.is_empty() { ", " } else { ": " });
    }
    if let Some(unit) = &setting.unit {
        let _ = write!(text, ", {unit}");
    }
    text
}

/// The words of a kind.
fn kind(id: &str) -> &str {
    match id {
        "switch" => "switch (0 or 1)",
        "limit" => "number or max",
        "cpu_mask" => "CPU mask",
        "cpu_list" => "CPU list such as 0-3,8",
        other => other,
    }
}

/// One instance: value and who set it.
fn now(instance: &SettingNow) -> String {
    let value = instance.value.as_deref().unwrap_or_default();
    let by = match (instance.set_by.as_str(), &instance.line) {
        ("kernel", _) => "kernel default".to_owned(),
        ("file", Some(given)) => format!("set by {}", place(given)),
        ("since_file", Some(given)) => {
            format!("{} sets {}: changed since, or not accepted by the kernel", place(given), given.value)
        }
        ("run_time", _) => "not the default, in no file: set at run time or at build time".to_owned(),
        _ => "in no file".to_owned(),
    };
    let told = instance.unread.clone().unwrap_or_else(|| format!("{value}  ({by})"));
    let mut out = format!("  {} = {}\n", harmless(&instance.key), harmless(&told));
    if instance.disputed {
        let _ = writeln!(out, "    files disagree (the last one is in effect):");
        for given in &instance.assigned {
            let _ = writeln!(out, "      {}  {}", harmless(&place(given)), harmless(&given.value));
        }
    }
    for rule in &instance.by_udev {
        let (value, place) = (harmless(&rule.value), harmless(&place(rule)));
        let _ = writeln!(out, "    udev sets {value} where {place} matches");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    #[test]
    fn a_page_says_what_is_known_and_how_it_stands() {
        let answer = samples::answer();
        let text = page(&answer.settings[0], Some("6.1"), 80);
        assert!(
            text.starts_with("vm.swappiness (memory)\n\n  what         How much swapping costs.\n"),
            "{text}"
        );
        assert!(text.contains("\n  values       integer, 0 to 200, parts\n  default      60\n"), "{text}");
        assert!(
            text.ends_with(
                "\n\n  vm.swappiness = 10  (set by /etc/b\\x1b.conf:3)\n    files disagree (the last one is in effect):\n      \
                 /etc/a.conf:3  20\n      /etc/b\\x1b.conf:3  10\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn what_is_not_here_says_so() {
        let mut setting = samples::answer().settings.pop().expect("a setting");
        let text = page(&setting, Some("6.1"), 80);
        assert!(
            text.ends_with(
                "\n\nEach process or group has its own value: heldup tune show process.1234.nice\n"
            ),
            "{text}"
        );
        (setting.example, setting.instances) = (None, Some(Vec::new()));
        let text = page(&setting, Some("6.1"), 80);
        assert!(text.ends_with("\n\nNot on this machine (Linux 6.1).\n"), "{text}");
    }
}
