//! Which family a system call belongs to: the table of the eBPF half, read from its C source.
//!
//! One table serves both accounts, so that a call cannot mean one thing to the ledger and
//! another to the sampler. It is a C header because the kernel's half needs it as an array;
//! its lines have one form, which a test holds them to.

use std::collections::HashMap;

const HEADER: &str = include_str!("../../../bpf/call_family_x86_64.h");

/// What a wait inside a call can mean; see the header for what its arguments are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallFamily {
    /// None of the others.
    Other,
    Read,
    Write,
    ReadSecond,
    Receive,
    Sync,
    Futex,
    FutexWait,
    FutexWaitv,
    Poll,
    Timer,
    Child,
    Accept,
    Connect,
    Send,
    Async,
    Signal,
    Flock,
    Fcntl,
    Ipc,
    Clone,
    Vfork,
}

impl CallFamily {
    const NAMES: [(&str, CallFamily); 22] = [
        ("CALL_OTHER", CallFamily::Other),
        ("CALL_READ", CallFamily::Read),
        ("CALL_WRITE", CallFamily::Write),
        ("CALL_READ_SECOND", CallFamily::ReadSecond),
        ("CALL_RECEIVE", CallFamily::Receive),
        ("CALL_SYNC", CallFamily::Sync),
        ("CALL_FUTEX", CallFamily::Futex),
        ("CALL_FUTEX_WAIT", CallFamily::FutexWait),
        ("CALL_FUTEX_WAITV", CallFamily::FutexWaitv),
        ("CALL_POLL", CallFamily::Poll),
        ("CALL_TIMER", CallFamily::Timer),
        ("CALL_CHILD", CallFamily::Child),
        ("CALL_ACCEPT", CallFamily::Accept),
        ("CALL_CONNECT", CallFamily::Connect),
        ("CALL_SEND", CallFamily::Send),
        ("CALL_ASYNC", CallFamily::Async),
        ("CALL_SIGNAL", CallFamily::Signal),
        ("CALL_FLOCK", CallFamily::Flock),
        ("CALL_FCNTL", CallFamily::Fcntl),
        ("CALL_IPC", CallFamily::Ipc),
        ("CALL_CLONE", CallFamily::Clone),
        ("CALL_VFORK", CallFamily::Vfork),
    ];

    fn named(name: &str) -> Option<CallFamily> {
        CallFamily::NAMES.iter().find(|(known, _)| *known == name).map(|(_, family)| *family)
    }
}

/// Families by the number of the call.
#[derive(Debug)]
pub(crate) struct CallFamilies(HashMap<i64, CallFamily>);

impl CallFamilies {
    /// The table that the eBPF half was built with; empty on other architectures, where
    /// the numbers mean other calls.
    pub(crate) fn builtin() -> CallFamilies {
        let known = cfg!(target_arch = "x86_64");
        CallFamilies(if known { entries(HEADER).collect() } else { HashMap::new() })
    }

    /// The family of a call; none where the architecture has no table.
    pub(crate) fn of(&self, number: i64) -> Option<CallFamily> {
        let family = || self.0.get(&number).copied().unwrap_or(CallFamily::Other);
        (!self.0.is_empty()).then(family)
    }
}

/// The entries `[NUMBER or MACRO] = NAME,` of the array.
fn entries(header: &str) -> impl Iterator<Item = (i64, CallFamily)> {
    let array = header.split_once("call_family[CALLS] = {").map_or("", |(_, rest)| rest);
    array.split(',').filter_map(move |entry| {
        let (index, name) = entry.trim().strip_prefix('[')?.split_once("] = ")?;
        let number = index.parse().ok().or_else(|| macro_value(header, index))?;
        Some((number, CallFamily::named(name.trim())?))
    })
}

fn macro_value(header: &str, name: &str) -> Option<i64> {
    let lines = header.lines().filter_map(|line| line.strip_prefix("#define "));
    lines.filter_map(|line| line.split_once(' ')).find(|(known, _)| *known == name)?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syscall_names::syscall_name;

    #[test]
    fn every_entry_of_the_header_is_read() {
        let array = HEADER.split_once("call_family[CALLS]").expect("the array").1;
        let written = array.matches("] = CALL_").count();
        assert!(written > 60, "{written}");
        assert_eq!(entries(HEADER).count(), written);
    }

    #[test]
    fn every_family_of_the_header_is_known() {
        let body = HEADER.split("enum call_family {").nth(1).and_then(|rest| rest.split("};").next());
        let names = body.expect("the enumeration").lines().map(str::trim);
        let names = names.filter_map(|line| line.split([' ', ',']).next().filter(|n| n.starts_with("CALL_")));
        for name in names.filter(|name| *name != "CALL_WITH_FILE") {
            assert!(CallFamily::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn calls_are_in_the_family_of_their_name() {
        let families = CallFamilies::builtin();
        let of = |name: &str| {
            let number = (0..500).find(|number| syscall_name(*number) == Some(name)).expect(name);
            families.of(i64::from(number))
        };
        assert_eq!(of("pread64"), Some(CallFamily::Read));
        assert_eq!(of("sendfile"), Some(CallFamily::ReadSecond));
        assert_eq!(of("fdatasync"), Some(CallFamily::Sync));
        assert_eq!(of("clock_nanosleep"), Some(CallFamily::Timer));
        assert_eq!(of("openat"), Some(CallFamily::Other));
    }
}
