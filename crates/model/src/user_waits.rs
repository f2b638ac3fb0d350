//! What threads wait for that a debugger or a dump shows: classes by functions of user space, in
//! `wait_functions.toml`. A kernel's functions are classed by the table of stacks.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::Class;
use crate::code_table::matches;

const BUILTIN: &str = include_str!("../wait_functions.toml");
/// Functions of a stack that are examined, from the innermost.
const DEEPEST: usize = 16;

/// The table, ready to look functions up.
#[derive(Debug)]
pub struct UserWaits {
    /// The class of each entry, and its names, cut at each `*`.
    entries: Vec<(Class, Vec<Vec<String>>)>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    wait: Vec<EntryText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryText {
    class: String,
    functions: Vec<String>,
    #[serde(rename = "source")]
    _source: String,
}

/// What a stack says of its thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserWait<'f> {
    /// The class of the wait.
    pub class: Class,
    /// The function that asked for it: the first one that only this program has.
    pub asker: Option<&'f str>,
}

/// What a thread waits for whose functions are these, innermost first; none where the innermost is no wait.
pub fn user_wait<'f>(functions: &[&'f str]) -> Option<UserWait<'f>> {
    static TABLE: OnceLock<Option<UserWaits>> = OnceLock::new();
    // The table is part of the program and tested there: it is always well-formed.
    TABLE.get_or_init(|| UserWaits::parse(BUILTIN)).as_ref()?.wait(functions)
}

impl UserWaits {
    fn parse(text: &str) -> Option<UserWaits> {
        let document: Document = toml::from_str(text).ok()?;
        let cut = |name: &String| name.split('*').map(str::to_owned).collect();
        let entry = |entry: EntryText| {
            Some((Class::from_name(&entry.class)?, entry.functions.iter().map(cut).collect()))
        };
        let entries: Option<Vec<_>> = document.wait.into_iter().map(entry).collect();
        Some(UserWaits { entries: entries? })
    }

    fn wait<'f>(&self, functions: &[&'f str]) -> Option<UserWait<'f>> {
        let mut best: Option<usize> = None;
        let mut asker = None;
        for function in functions.iter().take(DEEPEST) {
            match self.entry(bare(function)) {
                Some(at) => best = Some(best.map_or(at, |held| held.min(at))),
                None if is_unnamed(function) => {}
                None => {
                    asker = Some(*function);
                    break;
                }
            }
        }
        Some(UserWait { class: self.entries.get(best?)?.0, asker })
    }

    fn entry(&self, name: &str) -> Option<usize> {
        let is_of = |parts: &Vec<String>| match &parts[..] {
            [whole] => whole == name,
            parts => matches(parts, name),
        };
        self.entries.iter().position(|(_, names)| names.iter().any(is_of))
    }
}

/// The name without its version, its library and its parameters: `pthread_cond_wait@@GLIBC_2.3.2`,
/// `nanosleep(libc.so.6)`.
fn bare(function: &str) -> &str {
    let name = function.split_once("@").map_or(function, |(name, _)| name);
    // A method of Go has brackets within: `sync.(*Mutex).Lock`.
    let parameters = name.match_indices('(').map(|(at, _)| at).find(|at| !name[*at..].starts_with("(*"));
    match parameters {
        Some(at) if at > 0 => name[..at].trim_end(),
        _ => name,
    }
}

/// What debuggers print where there is no symbol: `??`, `libstdc++::??`.
fn is_unnamed(function: &str) -> bool {
    function.contains("??") || function.starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stack: &str, expect: Option<(Class, Option<&str>)>) {
        let functions: Vec<&str> = stack.split(',').collect();
        let told = user_wait(&functions).map(|wait| (wait.class, wait.asker));
        assert_eq!(told, expect, "{stack}");
    }

    #[test]
    fn every_entry_is_well_formed_and_can_decide() {
        let table = UserWaits::parse(BUILTIN).expect("the table that the program carries");
        let document: Document = toml::from_str(BUILTIN).expect("parsed before");
        for (at, entry) in document.wait.iter().enumerate() {
            for name in &entry.functions {
                assert_eq!(table.entry(&name.replace('*', "x")), Some(at), "{name}");
            }
        }
    }

    #[test]
    fn waits_of_many_programs() {
        check(
            "__lll_lock_wait,_L_lock_926,pthread_mutex_lock,remove,start_thread",
            Some((Class::LockUser, Some("remove"))),
        );
        check(
            "nanosleep,usleep,spin_lock,spin_wrlock,servers_wrlock",
            Some((Class::LockUser, Some("servers_wrlock"))),
        );
        check("nanosleep(libc.so.6),usleep(libc.so.6),main", Some((Class::Timer, Some("main"))));
        check(
            "pthread_cond_wait@@GLIBC_2.3.2,os_event_wait_low,sync_array_wait_event,rw_lock_s_lock_spin,row_search",
            Some((Class::LockUser, Some("row_search"))),
        );
        check("pthread_cond_wait@@GLIBC_2.3.2,??,worker", Some((Class::Park, Some("worker"))));
        check(
            "jdk.internal.misc.Unsafe.park,java.util.concurrent.locks.LockSupport.park,java.util.concurrent.locks.AbstractQueuedSynchronizer.acquire,java.util.concurrent.locks.ReentrantLock.lock,shop.Cart.add",
            Some((Class::LockUser, Some("shop.Cart.add"))),
        );
        check("row_search_mvcc,pthread_mutex_lock", None);
        check("read,vio_read_buff,??,my_net_read,cli_safe_read,??,work", Some((Class::Peer, Some("work"))));
        check("read,load", Some((Class::Unknown, Some("load"))));
        check(
            "__lll_mutex_lock_wait,_L_mutex_lock_107,pthread_mutex_lock,update",
            Some((Class::LockUser, Some("update"))),
        );
        check("??", None);
    }
}
