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

/// A line each, wrapped to a width.
pub fn text(found: &Capabilities, width: usize) -> String {
    let all = &found.capabilities;
    let name_width = all.iter().map(|one| one.name.len()).max().unwrap_or(0);
    let indent = " ".repeat(name_width + 11);
    let options = Options::new(width).subsequent_indent(&indent);
    let mut out = String::new();
    for Capability { name, state, detail, how } in all {
        let head = format!("{:<7}  {name:<name_width$}  ", state.name());
        out.push_str(&fill(detail, options.clone().initial_indent(&head)));
        out.push('\n');
        if let Some(how) = how {
            out.push_str(&fill(&format!("to get it: {how}"), options.clone().initial_indent(&indent)));
            out.push('\n');
        }
    }
    let works = all.iter().filter(|one| one.state == CapabilityState::Works).count();
    out.push_str(&format!("\n{works} of {} work\n", all.len()));
    out
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
        let text = text(&found, 80);
        assert!(text.contains("works    ledger        every switch\n"), "{text}");
        assert!(text.contains("to get it: CONFIG_DEBUG_INFO_BTF=y\n\n1 of 2 work\n"), "{text}");
        assert!(json(&found).contains("\"state\": \"missing\""));
    }
}
