//! What the tests do to a machine and ask of `heldup`: trouble makers, quiet cases and
//! programs that clock their own waits.
//!
//! Everything made here is undone when its value is dropped, also when a test panics,
//! and every trouble maker first proves with the kernel's own counters that the trouble
//! is there. Nothing here may be used by the product.

pub mod advice;
pub mod condition;
pub mod control_group;
pub mod dropped_packets;
pub mod expect;
pub mod guest;
pub mod guest_kernel;
pub mod heldup;
pub mod host_figures;
pub mod interface_pair;
pub mod kernel_setting;
pub mod known_waits;
pub mod loop_device;
pub mod mariadb;
pub mod needs;
pub mod ordinary_user;
pub mod postgres;
mod postgres_programs;
pub mod programs;
pub mod quiet;
pub mod redis;
pub mod running;
pub mod scratch;
mod search_path;
pub mod settings_file;
pub mod slow_disk;
pub mod story;
pub mod swap_file;
pub mod sweep;
pub mod sysv;
pub mod trouble;
