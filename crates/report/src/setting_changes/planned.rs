//! What a change would do, for people.

use std::fmt::Write;

use heldup_model::PlannedChange;

use crate::harmless;

/// The changes of a plan in lines of at most `width` characters; `how` says what makes it.
pub fn planned(changes: &[PlannedChange], how: &str, width: usize) -> String {
    let mut out: String = changes.iter().map(|change| page(change, width)).collect();
    let refused: Vec<&str> = changes.iter().flat_map(|change| &change.refused).map(String::as_str).collect();
    let changing = changes.iter().any(|change| change.is_change);
    let end = match (refused.is_empty(), changing) {
        (true, false) => "Nothing to change: every setting has its value.".to_owned(),
        (true, true) => format!("Nothing was changed; {how}."),
        (false, _) => format!("cannot be applied: {}", refused.join("; ")),
    };
    let _ = writeln!(out, "{}", textwrap::fill(&harmless(&end), textwrap::Options::new(width)));
    out
}

/// One setting of a plan.
fn page(change: &PlannedChange, width: usize) -> String {
    let from = change.from.as_deref().unwrap_or("cannot be read");
    let already = if change.is_change { "" } else { " (already set)" };
    let head = format!("{}: {from} → {}{already}", change.setting, change.to);
    let mut out = format!("{}\n", harmless(&head));
    let mut line = |title: &str, text: &str| {
        let options = textwrap::Options::new(width).subsequent_indent("              ");
        let _ = writeln!(out, "{}", textwrap::fill(&format!("  {title:<10}  {}", harmless(text)), options));
    };
    for objection in &change.objections {
        line(if objection.refuses { "refused" } else { "warning" }, &objection.what);
    }
    for other in &change.coupled {
        let how = other.how.as_ref().map_or(String::new(), |how| format!(": {how}"));
        let now = other.value.as_deref().unwrap_or("no value");
        line("coupled", &format!("{} ({now}){how}", other.setting));
    }
    if let (true, Some(level), Some(risk)) = (change.is_change, &change.risk_level, &change.risk) {
        line("risk", &format!("{level}: {risk}"));
        line("not for", change.leave.as_deref().unwrap_or_default());
    }
    if let (Some(file), Some(text)) = (&change.at_boot_by, &change.at_boot_line) {
        line("at boot", &format!("{file}: {text}"));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use heldup_model::{ChangeObjection, CoupledSetting};

    use super::*;

    fn change() -> PlannedChange {
        PlannedChange {
            setting: "vm.dirty_bytes".to_owned(),
            tunable: "vm.dirty_bytes".to_owned(),
            path: "/proc/sys/vm/dirty_bytes".to_owned(),
            from: Some("0".to_owned()),
            to: "4096".to_owned(),
            is_change: true,
            persist: true,
            coupled: vec![CoupledSetting {
                setting: "vm.dirty_ratio".to_owned(),
                value: Some("20".to_owned()),
                how: Some("the one or the other".to_owned()),
            }],
            refused: Vec::new(),
            warnings: vec!["a file\u{1b} sets it".to_owned()],
            objections: vec![ChangeObjection { refuses: false, what: "a file\u{1b} sets it".to_owned() }],
            risk_level: Some("low".to_owned()),
            risk: Some("stalls".to_owned()),
            leave: Some("nobody".to_owned()),
            at_boot_by: Some("/etc/sysctl.d/x.conf".to_owned()),
            at_boot_line: Some("vm.dirty_bytes = 4096".to_owned()),
        }
    }

    #[test]
    fn a_plan_says_what_is_coupled_and_its_risk() {
        assert_eq!(
            planned(&[change()], "apply makes it", 100),
            "vm.dirty_bytes: 0 → 4096\n\
             \x20 warning     a file\\x1b sets it\n\
             \x20 coupled     vm.dirty_ratio (20): the one or the other\n\
             \x20 risk        low: stalls\n\
             \x20 not for     nobody\n\
             \x20 at boot     /etc/sysctl.d/x.conf: vm.dirty_bytes = 4096\n\
             \nNothing was changed; apply makes it.\n"
        );
    }

    #[test]
    fn the_end_says_what_becomes_of_it() {
        let done = PlannedChange { is_change: false, ..change() };
        assert!(planned(&[done], "", 100).ends_with("\nNothing to change: every setting has its value.\n"));
        let refused = PlannedChange { refused: vec!["no".to_owned()], ..change() };
        assert!(planned(&[refused], "", 100).ends_with("\ncannot be applied: no\n"));
    }
}
