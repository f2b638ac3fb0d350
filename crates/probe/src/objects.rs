//! The compiled BPF objects that are part of the program.
//!
//! Whoever loads one gives it to the loader. They are listed because the kernel's types are read
//! once, for all of them.

use aya::include_bytes_aligned;

/// Every object; one that is not here finds no type of the kernel.
pub(crate) const ALL: [&[u8]; 8] = [BLOCK, CALL, LEDGER, MEMORY, NETDROP, PMU, PROFILE, SYMBOLS];

/// Latencies of block requests.
pub(crate) const BLOCK: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/block.x86_64.bpf.o"));
/// System calls.
pub(crate) const CALL: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/call.x86_64.bpf.o"));
/// The ledger.
pub(crate) const LEDGER: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/ledger.x86_64.bpf.o"));
/// Memory events.
pub(crate) const MEMORY: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/memory.x86_64.bpf.o"));
/// Packets that are dropped.
pub(crate) const NETDROP: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/netdrop.x86_64.bpf.o"));
/// Hardware counters.
pub(crate) const PMU: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/pmu.x86_64.bpf.o"));
/// Samples of the CPUs.
pub(crate) const PROFILE: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/profile.x86_64.bpf.o"));
/// Names of kernel functions.
pub(crate) const SYMBOLS: &[u8] =
    include_bytes_aligned!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bpf/symbols.x86_64.bpf.o"));
