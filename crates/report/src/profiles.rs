//! What `heldup tune profile` says: schema `heldup/profiles/1`, and lines for people.

use std::fmt::Write;

use heldup_model::{PROFILES_SCHEMA, ProfileAnswer, ProfileStep, ProfilesAnswer};
use schemars::generate::SchemaSettings;

use crate::harmless;
use crate::json::escaped;

/// The profiles as pretty JSON, with a newline at its end.
pub fn json(answer: &ProfilesAnswer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<ProfilesAnswer>();
    schema.insert("$id".to_owned(), format!("urn:{}", PROFILES_SCHEMA.replace('/', ":")).into());
    schema.insert(
        "title".to_owned(),
        "What `heldup tune profile list --json`, `show` and `tune plan --profile` answer".into(),
    );
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// Profiles in a line each.
pub fn list(answer: &ProfilesAnswer) -> String {
    let width = answer.profiles.iter().map(|profile| profile.name.chars().count()).max().unwrap_or(0);
    let line = |profile: &ProfileAnswer| {
        let line = format!("{:<width$}  {}", harmless(&profile.name), harmless(&profile.title));
        format!("{}\n", line.trim_end())
    };
    answer.profiles.iter().map(line).collect()
}

/// A profile in lines of at most `width` characters: what it wants and why, and where it was held
/// against this machine what that would change, and what makes it.
pub fn page(profile: &ProfileAnswer, width: usize) -> String {
    let width = width.clamp(60, 160);
    let mut out = format!("{}: {}\n", harmless(&profile.name), harmless(&profile.title));
    let texts = [("for", &profile.for_whom), ("not for", &profile.leave)];
    for (name, text) in texts.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?))) {
        out.push_str(&wrapped(&format!("{name}: {text}"), width, "  "));
    }
    for file in &profile.files {
        let _ = writeln!(out, "  {}", harmless(file));
    }
    for step in &profile.steps {
        out.push('\n');
        out.push_str(&told(step, width));
    }
    if !profile.notes.is_empty() {
        out.push_str("\nNot applied:\n");
    }
    for note in &profile.notes {
        out.push_str(&wrapped(&format!("{}: {}", note.place, note.what), width, "  "));
    }
    out.push_str(&summary(profile));
    if profile.steps.iter().any(|step| step.outcome.as_deref() == Some("change")) {
        let _ = writeln!(out, "Apply: heldup tune apply --profile {}", harmless(&profile.name));
    }
    out
}

fn told(step: &ProfileStep, width: usize) -> String {
    let from = step.from.as_deref().unwrap_or("cannot be read");
    let said = match (step.outcome.as_deref(), &step.to) {
        (Some("change"), Some(to)) => format!("{from} → {to}"),
        (Some("already"), _) => format!("{from}, already set ({})", step.wanted),
        (Some("refused"), _) => format!("{from}; {} would be refused", step.wanted),
        (Some("absent"), _) => format!("{}: not on this machine", step.wanted),
        _ => step.wanted.clone(),
    };
    let mut out = format!("  {} = {}\n", harmless(&step.key), harmless(&said));
    let releases = [
        step.since.as_ref().map(|since| format!("Linux {since} and later")),
        step.until.as_ref().map(|until| format!("up to Linux {until}")),
    ];
    let more = step.reason.iter().chain(&step.why).cloned().chain(releases.into_iter().flatten());
    for text in more {
        out.push_str(&wrapped(&text, width, "      "));
    }
    if step.why.is_none() {
        out.push_str(&wrapped(&step.place, width, "      "));
    }
    out
}

/// How many steps of each outcome.
fn summary(profile: &ProfileAnswer) -> String {
    let count =
        |outcome: &str| profile.steps.iter().filter(|step| step.outcome.as_deref() == Some(outcome)).count();
    let words = [
        ("change", "would change"),
        ("already", "already set"),
        ("refused", "would be refused"),
        ("absent", "not on this machine"),
    ];
    let counts: Vec<String> = words
        .into_iter()
        .map(|(outcome, words)| (count(outcome), words))
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| format!("{count} {words}"))
        .collect();
    if counts.is_empty() { String::new() } else { format!("\n{}. Nothing was changed.\n", counts.join(", ")) }
}

fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let options = textwrap::Options::new(width).initial_indent(indent).subsequent_indent(indent);
    textwrap::fill(&harmless(text), options) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(outcome: Option<&str>) -> ProfileAnswer {
        let step = ProfileStep {
            key: "vm.swappiness".to_owned(),
            path: None,
            id: None,
            wanted: "10".to_owned(),
            why: Some("because".to_owned()),
            since: None,
            until: None,
            place: "oltp, 1".to_owned(),
            from: Some("60".to_owned()),
            to: Some("10".to_owned()),
            outcome: outcome.map(str::to_owned),
            reason: None,
        };
        ProfileAnswer {
            name: "oltp".to_owned(),
            title: "Databases".to_owned(),
            for_whom: None,
            leave: None,
            files: Vec::new(),
            steps: vec![step],
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_profile_that_would_change_something_says_what_makes_it() {
        assert_eq!(
            page(&profile(Some("change")), 100),
            "oltp: Databases\n\n  vm.swappiness = 60 → 10\n      because\n\n1 would change. Nothing was \
             changed.\nApply: heldup tune apply --profile oltp\n"
        );
        assert_eq!(page(&profile(None), 100), "oltp: Databases\n\n  vm.swappiness = 10\n      because\n");
    }
}
