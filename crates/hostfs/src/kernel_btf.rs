//! The kernel's description of its own types, `/sys/kernel/btf/vmlinux`: 5 MB.
//!
//! Since Linux 6.16 it can be mapped, which copies nothing (0.3 ms of CPU where reading takes 2 to
//! 5); before, it is read. Only this file is mapped: it never changes and never becomes shorter,
//! which nobody can promise of others.

use std::fs::File;
use std::ops::Deref;
use std::os::fd::AsRawFd;

use crate::error::HostError;
use crate::files::{Host, MAX_FILE_BYTES};

const PATH: &str = "/sys/kernel/btf/vmlinux";

/// The description's bytes.
#[derive(Debug)]
pub struct KernelBtf(Bytes);

#[derive(Debug)]
enum Bytes {
    Mapped(Mapping),
    Read(Vec<u8>),
}

/// Memory that belongs to the kernel's file.
#[derive(Debug)]
struct Mapping {
    at: *mut libc::c_void,
    length: usize,
}

impl Host {
    /// The description of the kernel's types.
    pub fn kernel_btf(&self) -> Result<KernelBtf, HostError> {
        let mapped = self.is_live().then(map).flatten();
        match mapped {
            Some(mapped) => Ok(KernelBtf(Bytes::Mapped(mapped))),
            None => self.read(PATH).map(|bytes| KernelBtf(Bytes::Read(bytes))),
        }
    }
}

/// None where the kernel does not let it be mapped; whatever else is wrong, reading it says.
fn map() -> Option<Mapping> {
    let file = File::open(PATH).ok()?;
    let length = usize::try_from(file.metadata().ok()?.len()).ok()?;
    if length == 0 || length > MAX_FILE_BYTES {
        return None;
    }
    // SAFETY: a new mapping at a place of the kernel's choice; it outlives the descriptor.
    let at = unsafe {
        libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
    };
    (at != libc::MAP_FAILED).then_some(Mapping { at, length })
}

impl Deref for KernelBtf {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.0 {
            // SAFETY: the mapping is readable, that long, lives as long as `self`, and its file never changes.
            Bytes::Mapped(map) => unsafe { std::slice::from_raw_parts(map.at.cast(), map.length) },
            Bytes::Read(bytes) => bytes,
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody can have borrowed it any more.
        unsafe { libc::munmap(self.at, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mapped_is_what_the_file_holds() {
        let host = Host::live();
        let (Ok(whole), Ok(bytes)) = (host.kernel_btf(), host.read(PATH)) else {
            return heldup_skip::skipped("needs a kernel with BTF");
        };
        assert!(bytes.len() > 4096 && *whole == bytes[..]);
    }

    #[test]
    fn a_recorded_tree_has_its_own_or_none() {
        assert!(Host::recorded("/no-such-tree").kernel_btf().expect_err("none").is_absent());
    }
}
