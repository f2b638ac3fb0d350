//! Futex words that are counters of notifications, as Rust's condition variables have: one that comes to 2
//! looks like the word of a contended lock.
//!
//! The twin of `counters` in `bpf/ledger_futex.h`. A sample meets few of the values that a word holds, so that any
//! other value than 2 counts here.

use std::collections::HashSet;

use super::wait::{Call, FutexWord, futex_word};
use crate::call_family::CallFamilies;

/// Words that are remembered; a program has a handful that are waited on.
const MOST: usize = 20_000;

/// What the samples have seen so far.
#[derive(Default)]
pub(super) struct Counters(HashSet<(i64, u64)>);

impl Counters {
    /// Learns from a wait of a process. Whether it is for a 2 that is a counter's.
    pub(super) fn is_one(&mut self, pid: i64, call: &Call, families: &CallFamilies) -> bool {
        match futex_word(call, families) {
            Some(FutexWord::Counter(address)) => {
                if self.0.len() >= MOST {
                    self.0.clear();
                }
                self.0.insert((pid, address));
                false
            }
            Some(FutexWord::Two(address)) => self.0.contains(&(pid, address)),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syscall_names::syscall_name;

    const BITSET: u64 = 0x89;
    const BITSET_REAL_TIME: u64 = 0x189;

    fn wait(address: u64, operation: u64, value: u64) -> Call {
        let number = (0..500).find(|number| syscall_name(*number) == Some("futex")).expect("futex");
        let mut call = Call { number: number.into(), stack_pointer: 0x7000_0000, ..Call::default() };
        call.args[..3].copy_from_slice(&[address, operation, value]);
        call
    }

    #[test]
    fn a_word_that_held_another_value_is_a_counter() {
        let (mut counters, families) = (Counters::default(), CallFamilies::builtin());
        let mut is_one = |pid, address, operation, value| {
            counters.is_one(pid, &wait(address, operation, value), &families)
        };
        // Nothing is known of it yet: a lock, as far as known.
        assert!(!is_one(7, 0x9000, BITSET, 2));
        assert!(!is_one(7, 0x9000, BITSET, 1), "no wait for 2");
        assert!(is_one(7, 0x9000, BITSET, 2));
        assert!(!is_one(8, 0x9000, BITSET, 2), "another process has another memory");
        assert!(!is_one(7, 0x9008, BITSET, 2), "another word");
        // Others: a parked thread, a lock with its owner in it, glibc's condition variables.
        for (operation, value) in
            [(BITSET, 0xffff_ffff), (BITSET, 0x8000_0007), (BITSET_REAL_TIME, 0), (0x80, 1)]
        {
            assert!(!is_one(7, 0x9010, operation, value));
            assert!(!is_one(7, 0x9010, BITSET, 2), "{operation:x} {value:x} is no counter of Rust");
        }
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let (mut counters, families) = (Counters::default(), CallFamilies::builtin());
        for at in 0..=MOST as u64 {
            counters.is_one(7, &wait(0x9000 + 8 * at, BITSET, 0), &families);
        }
        assert_eq!(counters.0.len(), 1);
    }
}
