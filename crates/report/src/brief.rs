//! Findings in a line each, for `-q`.

use heldup_model::Finding;

use crate::harmless;

/// Severity, key and title of each; nothing where there are none.
pub fn findings<'a>(all: impl Iterator<Item = &'a Finding>) -> String {
    let line = |finding: &Finding| {
        let text = format!("{:<8}  {}  {}", finding.severity.name(), finding.key, finding.title.trim());
        harmless(&text.replace('\u{a0}', " ")) + "\n"
    };
    all.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_each() {
        let finding = Finding {
            key: "disk.slow/device:vda".to_owned(),
            title: "vda: 17\u{a0}ms per request".to_owned(),
            ..Finding::default()
        };
        let text = findings([&finding].into_iter());
        assert!(text.ends_with("  disk.slow/device:vda  vda: 17 ms per request\n"), "{text}");
        assert_eq!(findings([].into_iter()), "");
    }
}
