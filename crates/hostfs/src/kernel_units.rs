//! Units that kernel files count in but do not name: clock ticks and pages.
//!
//! The kernel tells every process both in its auxiliary vector. Of a recorded tree the
//! vector of the process that recorded it counts, `/proc/self/auxv`; a tree without one
//! is taken for x86-64, where both have one value only.

use std::sync::OnceLock;

use crate::files::Host;

/// `/usr/include/elf.h`.
const AT_PAGESZ: u64 = 6;
const AT_CLKTCK: u64 = 17;

/// Units of a machine's kernel files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelUnits {
    /// USER_HZ: clock ticks in a second, the unit of `/proc/stat` and `/proc/PID/stat`.
    pub ticks_per_s: u64,
    /// Bytes in a page.
    pub page_bytes: u64,
    /// Whether they were assumed, because a recorded tree does not say them.
    pub assumed: bool,
}

/// USER_HZ is 100 everywhere but on alpha and ia64; pages of 4096 bytes are x86-64's.
const ASSUMED: KernelUnits = KernelUnits { ticks_per_s: 100, page_bytes: 4096, assumed: true };

/// Of the running machine: they do not change.
static LIVE: OnceLock<KernelUnits> = OnceLock::new();

impl Host {
    /// Units that the machine's kernel files count in.
    pub fn units(&self) -> KernelUnits {
        if self.is_live() { *LIVE.get_or_init(|| self.read_units()) } else { self.read_units() }
    }

    fn read_units(&self) -> KernelUnits {
        self.read("/proc/self/auxv").ok().and_then(|vector| from_auxv(&vector)).unwrap_or(ASSUMED)
    }

    /// Machine type as `uname -m` prints it; of a recorded tree where its kernel, 6.1 or
    /// later, has it as a file.
    pub fn machine(&self) -> Option<String> {
        if let Ok(arch) = self.read_text("/proc/sys/kernel/arch") {
            return Some(arch);
        }
        self.is_live().then(|| {
            // SAFETY: utsname is plain data; zero is a valid value of it.
            let mut name: libc::utsname = unsafe { std::mem::zeroed() };
            // SAFETY: `name` is a valid place to write to; the call fails for no other reason.
            unsafe { libc::uname(&mut name) };
            name.machine.iter().take_while(|c| **c != 0).map(|c| char::from(*c as u8)).collect()
        })
    }
}

/// Pairs of 64-bit words, type and value; none when one of the two is absent or absurd.
fn from_auxv(vector: &[u8]) -> Option<KernelUnits> {
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).ok();
    let find = |wanted: u64| {
        vector.chunks_exact(16).find_map(|pair| {
            let (kind, value) = pair.split_at(8);
            (word(kind)? == wanted).then(|| word(value)).flatten()
        })
    };
    let (ticks_per_s, page_bytes) = (find(AT_CLKTCK)?, find(AT_PAGESZ)?);
    let plausible = (1..=1_000_000).contains(&ticks_per_s) && page_bytes.is_power_of_two();
    plausible.then_some(KernelUnits { ticks_per_s, page_bytes, assumed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vector_says_what_the_system_says() {
        let units = Host::live().units();
        // SAFETY: sysconf takes a number and touches no memory of ours.
        let (ticks, page) = unsafe { (libc::sysconf(libc::_SC_CLK_TCK), libc::sysconf(libc::_SC_PAGESIZE)) };
        let expected = KernelUnits { ticks_per_s: ticks as u64, page_bytes: page as u64, assumed: false };
        assert_eq!(units, expected);
    }

    #[test]
    fn a_tree_without_a_vector_is_assumed() {
        assert_eq!(Host::recorded("/no-such-tree").units(), ASSUMED);
        assert_eq!(from_auxv(b"short"), None);
        assert_eq!(from_auxv(&[0xff; 64]), None);
    }

    #[test]
    fn the_machine_has_a_type() {
        assert_eq!(Host::live().machine().as_deref(), Some(std::env::consts::ARCH));
    }
}
