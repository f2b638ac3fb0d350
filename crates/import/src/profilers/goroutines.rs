//! Goroutines of a Go program: what it prints at a panic or `SIGQUIT`, `debug/pprof/goroutine` (`debug=1` and `debug=2`), and the
//! same put together by tools (`48 goroutines [semacquire, 4 minutes]:`).
//!
//! A goroutine that comes again begins the next dump.

use std::collections::HashSet;

use heldup_model::Class;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::profilers::thread_rows::{DumpedThread, ToldWait};

const NAME: &str = "goroutines";
/// Lines between two of a dump.
const LONGEST_GAP: u64 = 4;

/// Reads goroutines.
#[derive(Default)]
pub struct Goroutines {
    open: Option<DumpedThread>,
    /// What the dump says of its state.
    state: String,
    threads: Vec<DumpedThread>,
    seen: HashSet<i64>,
    /// `goroutine profile: total 115`: stacks with how many have them.
    is_counted: bool,
    dumps: u64,
    last_line: u64,
}

impl Importer for Goroutines {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["goroutine", "profile:", "total", number] = line.words
            && number.parse::<u64>().is_ok()
        {
            self.end_dump(document)?;
            self.begin(line, document);
            self.is_counted = true;
            return Ok(true);
        }
        let Some(head) = Head::of(line.text) else { return Ok(false) };
        self.begin(line, document);
        self.end_open();
        if head.number.is_some_and(|number| !self.seen.insert(number)) {
            self.end_dump(document)?;
            self.seen.extend(head.number);
        }
        self.state = head.state.to_owned();
        self.open = Some(DumpedThread { tid: head.number, threads: head.count, ..DumpedThread::default() });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        if self.dumps == 0 && self.threads.is_empty() && self.open.is_none() && !self.is_counted
            || line.number > self.last_line + LONGEST_GAP
        {
            return Ok(false);
        }
        if self.is_counted {
            return Ok(self.take_counted(line));
        }
        let Some(thread) = self.open.as_mut() else { return Ok(false) };
        let text = line.text.trim();
        // Where the code is, and who began it, below a function.
        let is_place = line.text.starts_with([' ', '\t']) && text.contains(".go:") || text.contains(".s:");
        if is_place || text.starts_with("created by ") || text.starts_with("...") {
            self.last_line = line.number;
            return Ok(true);
        }
        let Some(function) = function(text) else { return Ok(false) };
        thread.functions.push(function.to_owned());
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_dump(document)
    }
}

impl Goroutines {
    fn begin(&mut self, line: &Line<'_>, document: &mut Document) {
        if self.dumps == 0 && self.threads.is_empty() && self.open.is_none() && !self.is_counted {
            document.begin(NAME);
        }
        self.last_line = line.number;
    }

    /// `12 @ 0x43a556 0x4066cf`, and below it `# 0x43a555 sync.runtime_Semacquire+0x24 /usr/go/src/runtime/sema.go:56`.
    fn take_counted(&mut self, line: &Line<'_>) -> bool {
        match line.words {
            [count, "@", addresses @ ..] if !addresses.is_empty() => {
                let Ok(threads) = count.parse() else { return false };
                self.end_open();
                self.open = Some(DumpedThread { threads, ..DumpedThread::default() });
            }
            ["#", address, function, _place] if address.starts_with("0x") => {
                let Some(thread) = self.open.as_mut() else { return false };
                let name = function.rsplit_once("+0x").map_or(*function, |(name, _)| name);
                thread.functions.push(name.to_owned());
            }
            _ => return false,
        }
        self.last_line = line.number;
        true
    }

    fn end_open(&mut self) {
        let Some(mut thread) = self.open.take().filter(|thread| !thread.functions.is_empty()) else { return };
        // At a crash the scheduler's own functions are printed too.
        let own = thread.functions.iter().position(|name| !name.starts_with("runtime.")).unwrap_or(0);
        thread.functions.drain(..own);
        thread.told = told(&self.state, &thread.functions);
        self.state.clear();
        self.threads.push(thread);
    }

    fn end_dump(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_open();
        self.seen.clear();
        self.is_counted = false;
        if self.threads.is_empty() {
            return Ok(());
        }
        let when = document.moment(NAME);
        for (at, thread) in std::mem::take(&mut self.threads).iter().enumerate() {
            thread.write(when, &format!("{} {at}", self.dumps), document);
        }
        self.dumps += 1;
        document.end_sample(NAME)
    }
}

/// `goroutine 43 [semacquire, 4 minutes]:`, `48 goroutines [chan receive]:`, since Go 1.23 with more behind the number.
#[derive(Debug, PartialEq)]
struct Head<'t> {
    number: Option<i64>,
    count: u64,
    state: &'t str,
}

impl<'t> Head<'t> {
    fn of(text: &'t str) -> Option<Head<'t>> {
        let text = text.trim();
        let (before, state) = text.strip_suffix("]:")?.split_once('[')?;
        let mut words = before.split_whitespace();
        let (number, count) = match (words.next()?, words.next()?) {
            ("goroutine", number) => (Some(number.parse().ok()?), 1),
            (count, "goroutines") => (None, count.parse().ok()?),
            _ => return None,
        };
        let is_known = words.all(|word| ["gp=", "m=", "mp="].iter().any(|key| word.starts_with(key)));
        (is_known && !state.is_empty()).then_some(Head { number, count, state })
    }
}

/// `sync.(*Mutex).lockSlow(0x72a788)` without its parameters.
fn function(text: &str) -> Option<&str> {
    let name = text.strip_suffix(')')?;
    let (name, _) = name.rsplit_once('(')?;
    let is_name = name.contains('.') && !name.contains(char::is_whitespace) || name == "panic";
    is_name.then_some(name)
}

/// What the state says of the wait, where the functions do not.
fn told(state: &str, functions: &[String]) -> Option<ToldWait> {
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let seen = heldup_model::user_wait(&names);
    let class = match state.split(',').next().unwrap_or("").trim() {
        "" | "running" | "runnable" => return None,
        "sync.Mutex.Lock" | "sync.RWMutex.Lock" | "sync.RWMutex.RLock" => Class::LockUser,
        "syscall" => match seen {
            Some(_) => return None,
            // A short call is no wait; of one that has lasted for minutes nobody knows for what.
            None if !state.contains("minute") => return None,
            None => Class::Unknown,
        },
        _ if seen.is_some() => return None,
        "IO wait" => Class::Read,
        "sleep" => Class::Timer,
        _ => Class::Park,
    };
    let is_own = |name: &&&str| {
        !["sync.", "internal/", "runtime.", "time.Sleep"].iter().any(|prefix| name.starts_with(prefix))
    };
    let asker = names.iter().find(is_own).map(|name| (*name).to_owned());
    Some(ToldWait { class_name: class.name(), lock: None, holder: None, asker })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_all_releases() {
        let head = |number, count, state| Some(Head { number, count, state });
        assert_eq!(
            Head::of("goroutine 1 [semacquire, 5 minutes]:"),
            head(Some(1), 1, "semacquire, 5 minutes")
        );
        assert_eq!(
            Head::of("goroutine 1 gp=0xc0000061c0 m=0 mp=0x5a1f20 [running]:"),
            head(Some(1), 1, "running")
        );
        assert_eq!(Head::of("48 goroutines [chan send, 4 minutes]:"), head(None, 48, "chan send, 4 minutes"));
        for text in [
            "goroutine 1 is [stuck]:",
            "goroutine x [running]:",
            "a goroutines [b]:",
            "goroutine 1 [running]",
        ] {
            assert_eq!(Head::of(text), None, "{text}");
        }
    }

    #[test]
    fn functions_without_parameters() {
        assert_eq!(function("sync.(*Mutex).lockSlow(0x72a788)"), Some("sync.(*Mutex).lockSlow"));
        assert_eq!(function("main.init.0.func1.1()"), Some("main.init.0.func1.1"));
        assert_eq!(function("sync.(*Mutex).Lock(...)"), Some("sync.(*Mutex).Lock"));
        assert_eq!(function("a text (see below)"), None);
        assert_eq!(function("exit status 2"), None);
    }

    #[test]
    fn waits_by_functions_and_by_state() {
        let class = |state: &str, functions: &[&str]| {
            let functions: Vec<String> = functions.iter().map(|name| (*name).to_owned()).collect();
            let names: Vec<&str> = functions.iter().map(String::as_str).collect();
            let told = told(state, &functions);
            told.map(|told| told.class_name).or(heldup_model::user_wait(&names).map(|wait| wait.class.name()))
        };
        let lock = ["sync.runtime_Semacquire", "sync.(*RWMutex).RLock", "main.(*Model).Request"];
        assert_eq!(class("semacquire, 4 minutes", &lock), Some("lock_user"));
        assert_eq!(
            class("semacquire", &["sync.runtime_Semacquire", "sync.(*WaitGroup).Wait", "main.main"]),
            Some("park")
        );
        assert_eq!(class("chan receive, 5 minutes", &["main.xfidctl"]), Some("park"));
        assert_eq!(class("running", &["main.main"]), None);
        assert_eq!(class("syscall", &["syscall.Syscall", "main.main"]), None);
        assert_eq!(class("", &lock), Some("lock_user"));
    }
}
