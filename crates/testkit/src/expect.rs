//! What an examination must say, and a message that shows what it said instead.

use std::fmt::Write;

use anyhow::{Result, bail};
use heldup_model::{Examination, Finding, Severity, TaskShare};

/// The finding must be among the first three.
pub const RANK_AT_MOST: usize = 3;

/// A finding that must be there.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Its id.
    pub id: &'static str,
    /// Text that the name of its subject must contain; the first that matches is enough.
    pub subject: Vec<String>,
    /// Who must be among its culprits (or be its subject).
    pub culprits: Vec<Suspect>,
}

/// What must be said of a trouble: a finding of one of these ids, warning or worse.
#[derive(Clone, Debug)]
pub struct Told {
    /// Ids that name the cause rightly; one of them is enough.
    pub ids: Vec<&'static str>,
    /// As in [`Expected`].
    pub subject: Vec<String>,
    /// As in [`Expected`].
    pub culprits: Vec<Suspect>,
    /// It must be among the first so many.
    pub within: usize,
}

impl Told {
    /// The finding must stand first.
    pub fn first(id: &'static str, subject: Vec<String>, culprits: Vec<Suspect>) -> Told {
        Told { ids: vec![id], subject, culprits, within: 1 }
    }

    /// The finding must be among the first three.
    pub fn within_three(id: &'static str, subject: Vec<String>, culprits: Vec<Suspect>) -> Told {
        Told { ids: vec![id], subject, culprits, within: RANK_AT_MOST }
    }

    /// Another id names the cause as rightly.
    #[must_use]
    pub fn or(mut self, id: &'static str) -> Told {
        self.ids.push(id);
        self
    }
}

/// Somebody who can be named as a culprit.
#[derive(Clone, Debug)]
pub enum Suspect {
    /// A process, one of its threads, or a process that it started.
    Process(i64),
    /// A process or thread of one of these names (comm).
    Named(&'static [&'static str]),
    /// A control group whose path ends in this.
    ControlGroup(String),
    /// Processes of one program: one entry, which is about one of them and counts a task of each.
    Together(Vec<i64>),
}

impl Suspect {
    fn is(&self, pid: Option<i64>, name: &str, cgroup: Option<&str>) -> bool {
        match self {
            Suspect::Process(own) => pid.is_some_and(|pid| pid == *own || parent_of(pid) == Some(*own)),
            Suspect::Named(names) => names.contains(&name),
            Suspect::ControlGroup(own) => {
                name.ends_with(own) || cgroup.is_some_and(|path| path.ends_with(own))
            }
            Suspect::Together(own) => pid.is_some_and(|pid| own.contains(&pid)),
        }
    }

    fn is_in(&self, finding: &Finding) -> bool {
        if let Suspect::Together(own) = self {
            let is_whole = |tasks: Option<i64>| tasks.is_some_and(|tasks| tasks as usize >= own.len());
            let mut entries = finding.culprits.iter().filter(|one| is_whole(one.tasks));
            return entries.any(|one| self.is(one.pid, &one.name, one.cgroup.as_deref()));
        }
        let subject = &finding.subject;
        self.is(subject.pid, &subject.name, subject.cgroup.as_deref())
            || finding.culprits.iter().any(|one| self.is(one.pid, &one.name, one.cgroup.as_deref()))
    }
}

/// The finding is there, ranks among the first three, and names who did it.
pub fn finding(examination: &Examination, expected: &Expected) -> Result<()> {
    finding_within(examination, expected, RANK_AT_MOST)
}

/// As [`finding`], among the first `most`.
pub fn finding_within(examination: &Examination, expected: &Expected, most: usize) -> Result<()> {
    let rank = examination.findings.iter().position(|finding| {
        let subject = &finding.subject.name;
        finding.id == expected.id
            && (expected.subject.is_empty() || expected.subject.iter().any(|part| subject.contains(part)))
    });
    let Some(rank) = rank else {
        bail!(
            "{}: no finding about {:?}\n{}",
            expected.id,
            expected.subject,
            shown(examination, expected.id)
        );
    };
    if rank >= most {
        bail!("{}: rank {}, wanted {most}\n{}", expected.id, rank + 1, shown(examination, expected.id));
    }
    let found = &examination.findings[rank];
    for suspect in &expected.culprits {
        if !suspect.is_in(found) {
            bail!("{}: {suspect:?} is not named\n{}", expected.id, shown(examination, expected.id));
        }
    }
    Ok(())
}

/// One of the ids is found, warning or worse, among the first, and names who did it.
pub fn told(examination: &Examination, told: &Told) -> Result<()> {
    let mut wrong = Vec::new();
    for id in &told.ids {
        let expected = Expected { id, subject: told.subject.clone(), culprits: told.culprits.clone() };
        let found =
            finding_within(examination, &expected, told.within).and_then(|()| is_warning(examination, id));
        match found {
            Ok(()) => return Ok(()),
            Err(error) => wrong.push(format!("{error:#}")),
        }
    }
    bail!("{}", wrong.join("\nnor "))
}

fn is_warning(examination: &Examination, id: &str) -> Result<()> {
    let mut of_id = examination.findings.iter().filter(|finding| finding.id == id);
    if !of_id.any(|finding| finding.severity <= Severity::Warning) {
        bail!("{id}: information only\n{}", shown(examination, id));
    }
    Ok(())
}

/// Nothing of severity warning or worse.
pub fn quiet(examination: &Examination) -> Result<()> {
    if examination.findings.iter().any(|finding| finding.severity <= Severity::Warning) {
        bail!("not quiet\n{}", shown(examination, ""));
    }
    Ok(())
}

/// The examination in a few lines: ledger, findings, and what was said about `id`.
fn shown(examination: &Examination, id: &str) -> String {
    let mut text = String::new();
    let ledger = &examination.ledger;
    let _ =
        writeln!(text, "  wanted {:.2} s, held up {:.2} s", ledger.active_seconds, ledger.waiting_seconds);
    for class in ledger.classes.iter().filter(|class| class.seconds >= 0.05) {
        let _ = writeln!(text, "  {:13} {:8.2} s  {}", class.class_name, class.seconds, names(&class.tasks));
    }
    for finding in &examination.findings {
        let cost = finding.cost.map_or("-".to_owned(), |cost| format!("{cost:.3}"));
        let who = names(&finding.culprits);
        let _ =
            writeln!(text, "  {:?} {} cost {cost}: {} | {who}", finding.severity, finding.key, finding.title);
        for one in &finding.evidence {
            let _ = writeln!(text, "      {} = {:?} {}", one.name, one.value, one.unit);
        }
    }
    for one in examination.ruled_out.iter().filter(|one| one.id == id) {
        let _ = writeln!(text, "  ruled out: {}", one.why);
    }
    for one in examination.not_checked.iter().filter(|one| one.id == id) {
        let _ = writeln!(text, "  not_checked: {} ({})", one.missing, one.how);
    }
    for error in &examination.errors {
        let _ = writeln!(text, "  error: {}: {}", error.place, error.what);
    }
    text
}

fn names(tasks: &[TaskShare]) -> String {
    let shown = tasks.iter().take(4).map(|task| {
        let who = task.tid.or(task.pid).map_or(String::new(), |id| format!("({id})"));
        let seconds = task.seconds.map_or(String::new(), |seconds| format!(" {seconds:.2}"));
        format!("{}{who}{seconds}", task.name)
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The parent of a process that still runs.
fn parent_of(pid: i64) -> Option<i64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
