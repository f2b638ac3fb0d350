//! Sources against recorded files of real machines. One binary: linking is what takes time.

// A test that cannot set up its tree has nothing to test.
#![allow(clippy::expect_used, clippy::panic)]

mod damaged;
mod fixtures;
mod hand_made;
mod hypervisor;
mod large_machine;
mod list;
mod many_cpus;
mod other_machines;
mod owners;
mod read_context;
mod recorded;
mod sampler;
mod stalled;
mod trees;
mod wraps;
