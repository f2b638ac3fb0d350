//! `--exec`: a command for each new finding, which never holds up the look.
//!
//! It is started and left alone. Whether it failed is told when it has ended, and never waited
//! for. While several still run, further ones stand in a line; one too long is cut, and that is
//! told too.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::process::Child;

use heldup_hostfs::{has_ended, reap, spawn_beside};
use heldup_model::{Finding, WatchLine};
use heldup_report::{harmless, watch};
use heldup_serve::link_to;

/// Calls that may run at once: a command that hangs must not fill the machine.
const MOST_AT_ONCE: usize = 4;
/// Calls that wait for others to end: later ones would tell of what is long over.
const MOST_WAITING: usize = 100;

/// The command and its calls.
pub struct ExecHook {
    command: Vec<OsString>,
    running: Vec<(Child, String)>,
    waiting: VecDeque<Call>,
    /// Calls that were made.
    pub run: u64,
    /// Calls that could not be made or failed.
    pub failed: u64,
}

/// One call.
struct Call {
    key: String,
    variables: [(&'static str, String); 7],
    input: String,
}

impl ExecHook {
    /// A program, or a line for `sh`; none where nothing is to be called.
    pub fn new(program: Option<&OsString>, shell: Option<&OsString>) -> ExecHook {
        let command = match (program, shell) {
            (Some(program), _) => vec![program.clone()],
            (None, Some(line)) => vec!["sh".into(), "-c".into(), line.clone()],
            (None, None) => Vec::new(),
        };
        ExecHook { command, running: Vec::new(), waiting: VecDeque::new(), run: 0, failed: 0 }
    }

    /// Calls it for a new finding, unless that is explained by another one, for which it is
    /// called. Says what went wrong.
    pub fn call(&mut self, line: &WatchLine) -> Vec<String> {
        let explained = |finding: &&Finding| !finding.because.is_empty();
        let Some(finding) = line.finding.as_ref().filter(|finding| !explained(finding)) else {
            return Vec::new();
        };
        if self.command.is_empty() {
            return Vec::new();
        }
        let key = line.key.as_ref().unwrap_or(&finding.key).clone();
        if self.waiting.len() >= MOST_WAITING {
            self.failed += 1;
            return vec![format!("is not called for {key}: {MOST_WAITING} others wait")];
        }
        self.waiting.push_back(Call {
            key: key.clone(),
            variables: [
                ("HELDUP_EVENT", line.event.name().to_owned()),
                ("HELDUP_HOST", harmless(&line.host)),
                ("HELDUP_ID", finding.id.clone()),
                ("HELDUP_KEY", harmless(&key)),
                ("HELDUP_LINK", link(line, finding)),
                ("HELDUP_SEVERITY", finding.severity.name().to_owned()),
                ("HELDUP_TITLE", harmless(&finding.title)),
            ],
            input: watch::json_line(line),
        });
        self.start()
    }

    /// Starts what waits, as far as others have ended.
    fn start(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        while self.running.len() < MOST_AT_ONCE {
            let Some(call) = self.waiting.pop_front() else { break };
            match spawn_beside(&self.command, &call.variables, call.input.as_bytes()) {
                Ok(child) => {
                    self.run += 1;
                    self.running.push((child, call.key));
                }
                Err(error) => {
                    self.failed += 1;
                    said.push(format!("is not called for {}: {error}", call.key));
                }
            }
        }
        said
    }

    /// Says which calls have failed since the last call.
    pub fn ended(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        self.running.retain_mut(|(child, key)| {
            let ended = match has_ended(child) {
                Ok(false) => return true,
                Ok(true) => reap(child),
                Err(error) => Err(error),
            };
            let wrong = match ended {
                Ok(Some(status)) if status.success() => return false,
                Ok(status) => status.map_or("it is gone".to_owned(), |status| status.to_string()),
                Err(error) => error.to_string(),
            };
            said.push(format!("failed for {key}: {wrong}"));
            false
        });
        self.failed += said.len() as u64;
        said.extend(self.start());
        said
    }

    /// Calls that still run, and calls that wait for them.
    pub fn not_ended(&self) -> (usize, usize) {
        (self.running.len(), self.waiting.len())
    }
}

/// The address of the finding where a page of this machine is served, else nothing.
fn link(line: &WatchLine, finding: &Finding) -> String {
    link_to(&[], &finding.key, line.since.as_deref(), Some(&line.time)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use heldup_model::{WATCH_SCHEMA, WatchEvent};

    use super::*;

    fn line(because: &[&str]) -> WatchLine {
        let finding = serde_json::json!({
            "key": "cpu.saturated/host:box", "id": "cpu.saturated", "severity": "critical", "confidence": 1.0,
            "impact": { "kind": "time", "amount": 3.0, "unit": "s" }, "cost": 0.5,
            "subject": { "kind": "host", "name": "box" }, "culprits": [], "victims": [],
            "title": "a $(b) \u{1b}[2J", "because": because, "explains": [], "evidence": [], "query": "",
            "next": [], "changes": []
        });
        let finding: Finding = serde_json::from_value(finding).expect("a finding");
        WatchLine {
            schema: WATCH_SCHEMA.to_owned(),
            event: WatchEvent::Appeared,
            time: "2026-11-21T00:00:00Z".to_owned(),
            host: "box".to_owned(),
            key: Some(finding.key.clone()),
            since: None,
            until: None,
            worst: None,
            changes: Vec::new(),
            group: None,
            finding: Some(finding),
            error: None,
            summary: None,
        }
    }

    fn all_said(hook: &mut ExecHook) -> Vec<String> {
        let until = Instant::now() + Duration::from_secs(20);
        let mut said = Vec::new();
        while hook.not_ended() != (0, 0) && Instant::now() < until {
            said.extend(hook.ended());
            std::thread::sleep(Duration::from_millis(5));
        }
        said
    }

    #[test]
    fn a_title_is_data_also_for_a_shell() {
        let test = "test \"$HELDUP_TITLE\" = 'a $(b) \\x1b[2J' && grep -q '\"id\":\"cpu.saturated\"'";
        let mut hook = ExecHook::new(None, Some(&test.into()));
        assert_eq!(hook.call(&line(&[])), [""; 0]);
        assert_eq!(all_said(&mut hook), [""; 0]);
        assert_eq!((hook.run, hook.failed), (1, 0));
    }

    #[test]
    fn what_fails_is_said_and_symptoms_are_not_called_for() {
        let mut hook = ExecHook::new(Some(&"false".into()), None);
        assert_eq!(hook.call(&line(&["disk.saturated/device:sda"])), [""; 0]);
        assert_eq!(hook.run, 0);
        hook.call(&line(&[]));
        assert_eq!(all_said(&mut hook), ["failed for cpu.saturated/host:box: exit status: 1"]);
        let mut hook = ExecHook::new(Some(&"/no/such/program".into()), None);
        assert!(hook.call(&line(&[]))[0].contains("/no/such/program"));
        assert_eq!((hook.run, hook.failed), (0, 1));
    }

    #[test]
    fn commands_that_hang_are_not_waited_for_and_not_heaped_up() {
        let mut hook = ExecHook::new(None, Some(&"exec sleep 60".into()));
        let said: Vec<_> = (0..105).flat_map(|_| hook.call(&line(&[]))).collect();
        assert_eq!((hook.run, hook.failed, said.len()), (4, 1, 1), "{said:?}");
        assert_eq!((hook.not_ended(), hook.ended().len()), ((4, 100), 0));
        let (first, _) = &mut hook.running[0];
        first.kill().expect("ours");
        let until = Instant::now() + Duration::from_secs(20);
        while hook.run == 4 && Instant::now() < until {
            hook.ended();
        }
        assert_eq!((hook.run, hook.not_ended()), (5, (4, 99)), "the next one has its place");
        for (child, _) in &mut hook.running {
            child.kill().expect("ours");
            child.wait().expect("ended");
        }
    }
}
