//! Dumps of a Java VM's threads: `jstack`, `kill -3`, `jcmd Thread.print`. Each dump is a sample.
//!
//! A lock's holder is the thread that says it has locked it; a monitor that a thread waits on by `Object.wait` it has
//! given back. Threads of the VM itself have no Java stack and are left out.

use std::collections::HashMap;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::java_deadlock::{JavaDeadlock, is_title as is_deadlock};
use crate::profilers::thread_rows::{DumpedThread, ToldWait};
use heldup_model::Class;

const NAME: &str = "Java thread dump";
/// Locks of `java.util.concurrent` that have a holder.
const OWNED: [&str; 2] = ["ReentrantLock$", "ReentrantReadWriteLock$"];

/// Reads dumps of threads.
#[derive(Default)]
pub struct Jstack {
    thread: Option<JavaThread>,
    threads: Vec<JavaThread>,
    is_dump: bool,
    dumps: u64,
    deadlock: Option<JavaDeadlock>,
    deadlocks: u64,
}

#[derive(Debug, Default)]
struct JavaThread {
    name: String,
    tid: Option<i64>,
    state: Option<String>,
    functions: Vec<String>,
    /// The lock that it wants: address and type.
    wants: Option<(String, String)>,
    /// What it waits on without wanting to lock it.
    waits_on: Vec<String>,
    /// Address and type of what it has locked.
    has: Vec<(String, String)>,
}

impl Importer for Jstack {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_title = line.text.trim_start().starts_with("Full thread dump ");
        let thread = head(line.text);
        if is_deadlock(line.text) {
            if !self.is_dump {
                document.begin(NAME);
            }
            self.is_dump = true;
            self.end_thread();
            self.end_deadlock(document)?;
            self.deadlock = Some(JavaDeadlock::default());
            return Ok(true);
        }
        if !is_title && thread.is_none() {
            // A fence of Markdown may stand between the title of a deadlock and its threads.
            let text = line.text.trim();
            let is_party = text.starts_with('"') && text.ends_with("\":");
            return Ok(self.deadlock.as_mut().is_some_and(|deadlock| is_party && deadlock.take(text)));
        }
        self.end_deadlock(document)?;
        if is_title {
            self.end_dump(document)?;
        }
        if !self.is_dump {
            document.begin(NAME);
        }
        self.is_dump = true;
        self.end_thread();
        self.thread = thread;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !self.is_dump {
            return Ok(false);
        }
        if self.begins(line, document)? {
            return Ok(true);
        }
        let text = line.text.trim();
        if let Some(deadlock) = self.deadlock.as_mut() {
            if deadlock.take(text) {
                return Ok(true);
            }
            self.end_deadlock(document)?;
            return Ok(text.starts_with("Found ") && text.contains("deadlock"));
        }
        let Some(thread) = self.thread.as_mut() else { return Ok(false) };
        Ok(thread.take(text))
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_deadlock(document)?;
        self.end_dump(document)
    }
}

impl JavaThread {
    fn take(&mut self, text: &str) -> bool {
        if let Some(state) = text.strip_prefix("java.lang.Thread.State: ") {
            self.state = state.split_whitespace().next().map(str::to_owned);
        } else if let Some(function) = text.strip_prefix("at ") {
            let name = function.split_once('(').map_or(function, |(name, _)| name);
            self.functions.push(without_module(name).to_owned());
        } else if let Some((lock, kind)) = text.strip_prefix("- waiting to lock ").and_then(lock) {
            self.wants = Some((lock, monitor_of(&kind)));
        } else if let Some((lock, kind)) = text.strip_prefix("- parking to wait for ").and_then(lock) {
            match OWNED.iter().any(|owned| kind.contains(owned)) {
                true => self.wants = Some((lock, kind)),
                false => self.waits_on.push(lock),
            }
        } else if let Some((lock, _)) = text.strip_prefix("- waiting on ").and_then(lock) {
            self.waits_on.push(lock);
        } else if let Some(lock) = text
            .strip_prefix("- locked ")
            .or_else(|| text.strip_prefix("- <").map(|_| &text[2..]))
            .and_then(lock)
        {
            self.has.push(lock);
        } else {
            return text.starts_with("- ") || text.starts_with("Locked ownable synchronizers");
        }
        true
    }

    /// A thread that is about to enter a monitor is listed as if it had locked it; the state says that it waits.
    fn settle(&mut self) {
        let is_blocked = self.state.as_deref() == Some("BLOCKED");
        if is_blocked && self.wants.is_none() && !self.has.is_empty() {
            let (lock, kind) = self.has.remove(0);
            self.wants = Some((lock, monitor_of(&kind)));
        }
    }

    fn holds(&self, lock: &str) -> bool {
        let is_wanted = self.wants.as_ref().is_some_and(|(wanted, _)| wanted == lock);
        !is_wanted
            && !self.waits_on.iter().any(|on| on == lock)
            && self.has.iter().any(|(has, _)| has == lock)
    }
}

impl Jstack {
    fn end_thread(&mut self) {
        let mut thread = self.thread.take().filter(|thread| !thread.functions.is_empty());
        if let Some(thread) = thread.as_mut() {
            thread.settle();
        }
        self.threads.extend(thread);
    }

    fn end_deadlock(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(deadlock) = self.deadlock.take().and_then(JavaDeadlock::finish) else { return Ok(()) };
        self.deadlocks += 1;
        let when = document.moment_of(NAME, "deadlock");
        deadlock.write(self.deadlocks, when, document);
        if self.threads.is_empty() && self.thread.is_none() {
            document.end_sample(NAME)?;
        }
        Ok(())
    }

    fn end_dump(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_thread();
        let threads = std::mem::take(&mut self.threads);
        if threads.is_empty() {
            return Ok(());
        }
        let mut holders: HashMap<&str, &JavaThread> = HashMap::new();
        for thread in &threads {
            for (lock, _) in thread.has.iter().filter(|(lock, _)| thread.holds(lock)) {
                holders.insert(lock, thread);
            }
        }
        let when = document.moment(NAME);
        for (at, thread) in threads.iter().enumerate() {
            let told = told(thread, &holders);
            let row = DumpedThread {
                tid: thread.tid,
                name: thread.name.clone(),
                program: "java",
                functions: thread.functions.clone(),
                threads: 1,
                told,
            };
            row.write(when, &format!("{} {at}", self.dumps), document);
        }
        self.dumps += 1;
        document.end_sample(NAME)
    }
}

/// What the dump says of a wait: a lock by its line, another wait by the state.
fn told(thread: &JavaThread, holders: &HashMap<&str, &JavaThread>) -> Option<ToldWait> {
    if let Some((lock, kind)) = &thread.wants {
        let holder = holders.get(lock.as_str()).and_then(|holder| Some((holder.tid?, holder.name.clone())));
        let lock = Some(format!("{kind} {lock}"));
        return Some(ToldWait { class_name: Class::LockUser.name(), lock, holder, asker: None });
    }
    let functions: Vec<&str> = thread.functions.iter().map(String::as_str).collect();
    let is_waiting = thread.state.as_deref().is_some_and(|state| state.contains("WAITING"));
    // Without a known function the state says at least that it waits.
    (is_waiting && heldup_model::user_wait(&functions).is_none()).then(|| ToldWait {
        class_name: Class::Park.name(),
        lock: None,
        holder: None,
        asker: None,
    })
}

/// `"B" #12 prio=5 os_prio=0 tid=0x00 nid=0x20f0 waiting for monitor entry [0x00]`.
fn head(text: &str) -> Option<JavaThread> {
    let rest = text.trim_end().strip_prefix('"')?;
    let (name, rest) = rest.rsplit_once('"')?;
    let field = |name: &str| rest.split_whitespace().find_map(|word| word.strip_prefix(name));
    field("tid=0x")?;
    let nid = field("nid=")?;
    let tid = match nid.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => nid.parse().ok(),
    };
    Some(JavaThread { name: name.to_owned(), tid, ..JavaThread::default() })
}

/// What a lock of an object's own is called.
fn monitor_of(kind: &str) -> String {
    format!("monitor of {kind}")
}

/// Address and type of `<0x00000000d64018e0> (a java.lang.Object)`.
fn lock(text: &str) -> Option<(String, String)> {
    let (address, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    let kind = rest.trim().strip_prefix("(a ").and_then(|rest| rest.strip_suffix(')')).unwrap_or("");
    Some((address.to_owned(), kind.to_owned()))
}

/// `java.base@17/java.lang.Object.wait` and `app//shop.Cart.add` without what stands before the class.
fn without_module(name: &str) -> &str {
    match name.split_once('/') {
        Some((module, rest)) if !module.contains('$') => rest.trim_start_matches('/'),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_and_their_locks() {
        let mut thread =
            head("\"B \\\"x\\\"\" #12 prio=5 tid=0x0018 nid=0x20f0 waiting for monitor entry [0x1]").unwrap();
        assert_eq!(thread.tid, Some(0x20f0));
        for line in [
            "java.lang.Thread.State: BLOCKED (on object monitor)",
            "at java.base@17/com.song.DeadLockDemo.lambda$main$1(DeadLockDemo.java:33)",
            "- waiting to lock <0x0e> (a java.lang.Object)",
            "- locked <0x0f> (a java.lang.Object)",
            "at com.song.DeadLockDemo$$Lambda$2/1324119927.run(Unknown Source)",
        ] {
            assert!(thread.take(line), "{line}");
        }
        assert_eq!(
            thread.functions,
            ["com.song.DeadLockDemo.lambda$main$1", "com.song.DeadLockDemo$$Lambda$2/1324119927.run"]
        );
        assert!(thread.holds("0x0f") && !thread.holds("0x0e"));
        assert!(!thread.take("some other text"));
        assert!(head("\"quoted\" prose").is_none());
    }

    #[test]
    fn a_thread_that_is_about_to_enter_a_monitor_waits_for_it() {
        let mut thread = JavaThread::default();
        for line in [
            "java.lang.Thread.State: BLOCKED (on object monitor)",
            "at log.Appender.append(Appender.java:1)",
            "- locked <0x05> (a log.Manager)",
            "- locked <0x06> (a log.Other)",
        ] {
            assert!(thread.take(line), "{line}");
        }
        thread.settle();
        assert_eq!(thread.wants, Some(("0x05".to_owned(), "monitor of log.Manager".to_owned())));
        assert!(!thread.holds("0x05") && thread.holds("0x06"));
    }

    #[test]
    fn a_monitor_that_is_waited_on_is_not_held() {
        let mut thread = JavaThread::default();
        for line in ["- waiting on <0x01> (a java.lang.Object)", "- locked <0x01> (a java.lang.Object)"] {
            assert!(thread.take(line));
        }
        assert!(!thread.holds("0x01"));
    }
}
