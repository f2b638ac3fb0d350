//! What a finding, a rule or a class of time means.

use std::path::PathBuf;

use heldup_diagnose::{Rule, Ruleset};
use heldup_hostfs::Stopper;
use heldup_model::{Class, EXPLAIN_SCHEMA, Examination, ExplainAnswer, ExplainedClass, Group};

use crate::cancel::Cancel;
use crate::error::{EngineError, Result};
use crate::examine::{ExamineRequest, Examined, examine};
use crate::nearest;
use crate::progress::Progress;
use crate::rules::{in_words, ruleset, say_flaws};
use crate::source::examinations::{Examinations, Reference};

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct ExplainRequest {
    /// `1`, `@41 1`, an id of a rule, a key of a finding, or a class of time.
    pub words: Vec<String>,
    /// Further rules: a folder.
    pub rules: Option<PathBuf>,
}

/// What it means.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The answer.
    pub answer: ExplainAnswer,
    /// The rule, for its page.
    pub rule: Option<Rule>,
}

/// Explains.
pub fn explain(request: &ExplainRequest, progress: &dyn Progress) -> Result<Explained> {
    let set = ruleset(request.rules.as_deref());
    say_flaws(&set, progress);
    let asked = Asked::parse(&request.words)?;
    match asked {
        Asked::Finding { of, number } => finding(&set, of, number, progress),
        Asked::All { of } => all(of, progress),
        Asked::Name(name) => named(&set, name),
    }
}

/// What words mean.
enum Asked<'a> {
    Finding { of: &'a str, number: usize },
    All { of: &'a str },
    Name(&'a str),
}

impl Asked<'_> {
    fn parse(words: &[String]) -> Result<Asked<'_>> {
        match words {
            [word] if word.starts_with('@') => Ok(Asked::All { of: word }),
            [word] => Ok(match word.parse() {
                Ok(number) => Asked::Finding { of: "@last", number },
                Err(_) => Asked::Name(word),
            }),
            [of, number] if of.starts_with('@') => match number.parse() {
                Ok(number) => Ok(Asked::Finding { of, number }),
                Err(_) => {
                    Err(EngineError::usage(format!("expected the number of a finding, not `{number}`")))
                }
            },
            _ => Err(EngineError::usage("expected a finding (1, or @41 1), a rule or a class of time")),
        }
    }
}

fn finding(set: &Ruleset, of: &str, number: usize, progress: &dyn Progress) -> Result<Explained> {
    let examination = examination(of, progress)?;
    let groups = &examination.groups;
    let Some(group) = number.checked_sub(1).and_then(|at| groups.get(at)) else {
        let there = match groups.len() {
            0 => "it has no findings".to_owned(),
            1 => "it has one finding".to_owned(),
            count => format!("it has findings 1 to {count}"),
        };
        return Err(EngineError::unknown_name(format!("{of}: no finding {number}; {there}")));
    };
    let rule = set.find(&group.id);
    let of_group = examination.findings.iter().filter(|finding| group.members.contains(&finding.key));
    Ok(Explained {
        answer: ExplainAnswer {
            examination: examination.number,
            number: Some(number),
            findings: of_group.cloned().collect(),
            rule: rule.map(in_words),
            ..bare()
        },
        rule: rule.cloned(),
    })
}

/// The examination as it was given; where its answer is not there, it is judged again.
fn examination(of: &str, progress: &dyn Progress) -> Result<Examination> {
    let Some(reference) = Reference::parse(of) else {
        return Err(EngineError::usage(format!(
            "`{of}` is no saved examination; expected @last, @last~1 or @41"
        )));
    };
    let found = Examinations::here()?.find(reference);
    let (saved, note) = found.map_err(|error| EngineError::of(error.kind(), format!("{of}: {error}")))?;
    note.iter().for_each(|note| progress.note(note));
    if let Some(answer) = saved.answer() {
        return Ok(answer);
    }
    let request = ExamineRequest { sources: vec![of.to_owned()], ..ExamineRequest::default() };
    match examine(&request, progress, &Cancel::By(Stopper::default()))? {
        Examined::Window { examination, .. } => Ok(*examination),
        Examined::Timeline(_) => Err(EngineError::failed(format!("{of} has no findings of one window"))),
    }
}

/// All findings of an examination.
fn all(of: &str, progress: &dyn Progress) -> Result<Explained> {
    let examination = examination(of, progress)?;
    let answer = ExplainAnswer { examination: examination.number, findings: examination.findings, ..bare() };
    Ok(Explained { answer, rule: None })
}

/// A rule by its id, or by the key of a finding of it; or a class of time.
fn named(set: &Ruleset, name: &str) -> Result<Explained> {
    let id = name.split('/').next().unwrap_or(name);
    if let Some(rule) = set.find(id) {
        let answer = ExplainAnswer { rule: Some(in_words(rule)), ..bare() };
        return Ok(Explained { answer, rule: Some(rule.clone()) });
    }
    if let Some(class) = Class::ALL.into_iter().find(|class| class.name() == name) {
        let class = ExplainedClass {
            name: class.name().to_owned(),
            group: group_name(class.group()).to_owned(),
            meaning: meaning(class).to_owned(),
        };
        return Ok(Explained { answer: ExplainAnswer { class: Some(class), ..bare() }, rule: None });
    }
    let rules = set.rules.iter().map(|rule| rule.id.as_str());
    let names = rules.chain(Class::ALL.iter().map(|class| class.name()));
    Err(nearest::unknown("rule or class of time", name, names, "heldup rules list"))
}

fn bare() -> ExplainAnswer {
    ExplainAnswer { schema: EXPLAIN_SCHEMA.to_owned(), ..ExplainAnswer::default() }
}

fn group_name(group: Group) -> &'static str {
    match group {
        Group::Running => "running",
        Group::Waiting => "waiting",
        Group::Peer => "peer",
        Group::Idle => "idle",
        Group::Other => "other",
    }
}

/// What a task does whose time is of a class.
fn meaning(class: Class) -> &'static str {
    match class {
        Class::User => "Runs on a CPU in user mode.",
        Class::Kernel => "Runs on a CPU in the kernel: system calls, page faults.",
        Class::Irq => {
            "A CPU serves interrupts and soft interrupts; this time belongs to the machine, not to a task."
        }
        Class::CpuQueue => "Runnable, waits for a CPU.",
        Class::CpuThrottled => "Runnable, but its control group has used up its CPU quota.",
        Class::DiskRead => "Waits for a block device to read.",
        Class::DiskWrite => "Waits for a block device to write.",
        Class::DiskSync => "Waits for fsync, a synchronous write or a journal commit.",
        Class::DiskFault => "Page fault on a file: waits until the page is read from the device.",
        Class::DiskAsync => "Waits for io_uring or AIO with block requests in flight.",
        Class::DiskThrottle => "Delayed by a limit on block I/O (blk-throttle, wbt, iocost).",
        Class::MemReclaim => "Frees or compacts memory before it gets any (direct reclaim).",
        Class::MemSwapIn => "Waits for a page to be read back from swap.",
        Class::MemDirty => "Delayed until dirty pages are written (dirty throttling).",
        Class::LockUser => "Waits for a lock of its program (futex).",
        Class::LockKernel => "Waits for a lock inside the kernel.",
        Class::LockInode => "Waits for the lock of an inode.",
        Class::LockMmap => "Waits for the lock of an address space (mmap_lock).",
        Class::LockFile => "Waits for a file lock (flock, fcntl).",
        Class::KernelWait => {
            "Waits until the kernel has finished work: an RCU grace period, a flush, a stopped queue."
        }
        Class::RemoteFs => "Waits for a remote file system (NFS, CIFS, FUSE).",
        Class::Peer => "Waits for the answer of a connected peer.",
        Class::Timer => "Sleeps until a time.",
        Class::Poll => "Waits for any of several files (poll, select, epoll).",
        Class::Accept => "Waits for a connection.",
        Class::Read => "Reads a socket, pipe or terminal, without a request of its own.",
        Class::Child => "Waits for a child process.",
        Class::Park => "Parked: a condition variable, a signal, a kernel thread without work.",
        Class::Stopped => "Stopped or traced.",
        Class::Unknown => "Not classified; shown, never ranked.",
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::Area;

    use super::*;
    use crate::error::ErrorKind;
    use crate::progress::Silent;

    fn explained(words: &[&str]) -> Result<Explained> {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        explain(&ExplainRequest { words, rules: None }, &Silent)
    }

    #[test]
    fn rules_classes_and_keys_are_explained() {
        let rule = explained(&["disk.saturated"]).expect("a rule").answer.rule.expect("in words");
        assert_eq!((rule.id.as_str(), rule.area), ("disk.saturated", Some(Area::Disk)));
        let by_key = explained(&["disk.saturated/device:vda"]).expect("a rule");
        assert_eq!(by_key.answer.rule.map(|rule| rule.id).as_deref(), Some("disk.saturated"));
        let class = explained(&["disk_read"]).expect("a class").answer.class.expect("in words");
        assert_eq!(class.group, "waiting");
    }

    #[test]
    fn names_that_are_none_are_refused_with_near_ones() {
        for (words, near) in [(["disk.saturate"], "disk.saturated"), (["disk_red"], "disk_read")] {
            let error = explained(&words).expect_err("no such name");
            assert_eq!(error.kind(), ErrorKind::UnknownName);
            assert!(error.to_string().contains(near), "{error}");
        }
        for words in [["@41", "x"], ["1", "2"], ["a", "b"]] {
            assert_eq!(explained(&words).expect_err("no usage").kind(), ErrorKind::Usage, "{words:?}");
        }
    }
}
