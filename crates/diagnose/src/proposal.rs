//! What findings propose: the commands that make a change and undo it, and which other findings of the
//! same answer it makes worse.
//!
//! A change goes back by itself unless somebody confirms it, because it is made by people who read of it for
//! the first time. What it takes and what a finding is short of is declared in the rules; no rule is known here.

use heldup_model::{Finding, Resource, Severity, Vitals, Worsened};

/// How long a change stays unless it is confirmed.
const CONFIRM_WITHIN: &str = "5m";

/// The command that makes a change of a setting.
pub(crate) fn apply(setting: &str, value: &str) -> String {
    format!("heldup tune apply {} --confirm {CONFIRM_WITHIN}", shell_word(&format!("{setting}={value}")))
}

/// The command that undoes it.
pub(crate) fn undo(setting: &str) -> String {
    format!("heldup tune undo {}", shell_word(setting))
}

/// A text as one word of a shell.
fn shell_word(text: &str) -> String {
    // Braces are those of a template, which is shown and not run.
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:,/+-=@%{}".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// CPUs busy from this share on have no time to give.
const FULL_CPUS: f64 = 0.9;

/// Says of each change which other findings need attention for want of what it takes. Of a machine with idle CPUs
/// no change takes CPU time from others: a throttled group has a run queue of its own there, and more CPU is what
/// it needs.
pub(crate) fn hold_against_each_other(findings: &mut [Finding], vitals: &Vitals) {
    let has_cpu_time = vitals.cpu_busy.is_some_and(|busy| busy < FULL_CPUS);
    let short: Vec<Worsened> = findings
        .iter()
        .filter(|finding| finding.severity != Severity::Info)
        .flat_map(|finding| {
            let one = |resource| Worsened { finding: finding.key.clone(), resource };
            let exhausts = finding.exhausts.iter().copied();
            exhausts.filter(|resource| !(has_cpu_time && *resource == Resource::Cpu)).map(one)
        })
        .collect();
    for finding in findings {
        for change in &mut finding.changes {
            let makes_worse =
                |one: &&Worsened| one.finding != finding.key && change.takes.contains(&one.resource);
            change.worsens = short.iter().filter(makes_worse).cloned().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::Change;

    use super::*;

    #[test]
    fn commands_are_words_of_a_shell() {
        assert_eq!(
            apply("cgroup:/system.slice/a@1.service/cpu.quota", "1.5"),
            "heldup tune apply cgroup:/system.slice/a@1.service/cpu.quota=1.5 --confirm 5m"
        );
        assert_eq!(
            apply("net.ipv4.ip_local_port_range", "1024 65535"),
            "heldup tune apply 'net.ipv4.ip_local_port_range=1024 65535' --confirm 5m"
        );
        assert_eq!(undo("cgroup:/a'; reboot/x"), "heldup tune undo 'cgroup:/a'\\''; reboot/x'");
        assert_eq!(undo(r"cgroup:/a\x2db/x"), r"heldup tune undo 'cgroup:/a\x2db/x'");
    }

    fn finding(key: &str, severity: Severity, exhausts: &[Resource], takes: &[&[Resource]]) -> Finding {
        let change = |takes: &&[Resource]| Change {
            tunable: "a".to_owned(),
            from: None,
            to: "1".to_owned(),
            expect: String::new(),
            risk: String::new(),
            takes: takes.to_vec(),
            worsens: Vec::new(),
            command: String::new(),
            undo: None,
        };
        let changes = takes.iter().map(change).collect();
        Finding { key: key.to_owned(), severity, exhausts: exhausts.to_vec(), changes, ..Finding::default() }
    }

    #[test]
    fn a_change_is_held_against_the_other_findings() {
        use Resource::{Cpu, Disk, Memory};
        let mut all = [
            finding("throttled", Severity::Critical, &[], &[&[Cpu], &[]]),
            finding("saturated", Severity::Warning, &[Cpu], &[]),
            finding("full", Severity::Info, &[Memory], &[]),
            finding("thrashing", Severity::Warning, &[Memory], &[&[Memory, Cpu]]),
            finding("slow", Severity::Warning, &[Disk], &[]),
        ];
        hold_against_each_other(&mut all, &Vitals::default());
        let worsens = |at: usize, change: usize| {
            all[at].changes[change].worsens.iter().map(|one| one.finding.as_str()).collect::<Vec<_>>()
        };
        assert_eq!((worsens(0, 0), worsens(0, 1)), (vec!["saturated"], vec![]));
        // Not itself, and nothing that needs no attention.
        assert_eq!(worsens(3, 0), ["saturated"]);
        let busy = |share| Vitals { cpu_busy: Some(share), ..Vitals::default() };
        hold_against_each_other(&mut all, &busy(1.0));
        assert_eq!(all[0].changes[0].worsens.len(), 1, "asked again it is the same");
        hold_against_each_other(&mut all, &busy(0.2));
        assert!(all[0].changes[0].worsens.is_empty(), "CPUs idle");
        assert!(all[3].changes[0].worsens.is_empty(), "and memory is nobody else's want");
    }
}
