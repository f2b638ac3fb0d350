//! What can be seen on a host, and what would let it: `heldup doctor`.

use heldup_model::{Capabilities, Capability, CapabilityState, DOCTOR_SCHEMA};
use schemars::generate::SchemaSettings;
use textwrap::{Options, fill};

use crate::json::escaped;

/// The capabilities as pretty JSON, with a newline at its end.
pub fn json(found: &Capabilities) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(found).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Capabilities>();
    schema.insert("$id".to_owned(), format!("urn:{}", DOCTOR_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup doctor --json` answers".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// What is missing, each remedy once with all that it brings; with `all` a line for everything, what works too.
pub fn text(found: &Capabilities, width: usize, all: bool) -> String {
    let shown = |one: &&Capability| all || one.state != CapabilityState::Works;
    let shown: Vec<&Capability> = found.capabilities.iter().filter(shown).collect();
    let name_width = shown.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(name_width + 11);
    let mut out = String::new();
    for Capability { name, state, detail, .. } in &shown {
        let head = format!("{:<7}  {name:<name_width$}  ", state.name());
        let options = Options::new(width).initial_indent(&head).subsequent_indent(&indent);
        out.push_str(&fill(detail, options));
        out.push('\n');
    }
    let remedies = remedies(&shown);
    out.push_str(if remedies.is_empty() { "" } else { "\n" });
    for (how, names) in remedies {
        let text = format!("To get {}: {how}", names.join(", "));
        out.push_str(&fill(&text, Options::new(width).subsequent_indent("  ")));
        out.push('\n');
    }
    let works = found.capabilities.iter().filter(|one| one.state == CapabilityState::Works).count();
    let gap = if shown.is_empty() { "" } else { "\n" };
    let more = if all || works == 0 { "" } else { " (--all shows them)" };
    out.push_str(&format!("{gap}{works} of {} work{more}\n", found.capabilities.len()));
    out
}

/// What would help, with the names of all that it helps, in the order of the list.
fn remedies<'a>(all: &[&'a Capability]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for one in all {
        let Some(how) = one.how.as_deref() else { continue };
        match found.iter_mut().find(|(known, _)| *known == how) {
            Some((_, names)) => names.push(&one.name),
            None => found.push((how, vec![&one.name])),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_says_how_to_get_it() {
        let capabilities = vec![
            Capability::works("ledger", "every switch"),
            Capability::missing("kernel types", "no /sys/kernel/btf/vmlinux", "CONFIG_DEBUG_INFO_BTF=y"),
        ];
        let found = Capabilities { schema: DOCTOR_SCHEMA.to_owned(), capabilities };
        let all = text(&found, 80, true);
        assert!(all.contains("works    ledger        every switch\n"), "{all}");
        assert!(all.contains("To get kernel types: CONFIG_DEBUG_INFO_BTF=y\n\n1 of 2 work\n"), "{all}");
        let missing = text(&found, 80, false);
        assert!(
            !missing.contains("ledger") && missing.ends_with("1 of 2 work (--all shows them)\n"),
            "{missing}"
        );
        assert!(json(&found).contains("\"state\": \"missing\""));
    }
}
