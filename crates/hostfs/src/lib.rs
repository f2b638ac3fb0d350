//! The only door to the host: files under a replaceable root, the clock, child processes.
//!
//! Everything that reads `/proc` or `/sys` goes through [`Host`], so that a recorded
//! tree of another machine can stand in for the live one. What cannot be recorded
//! (netlink, the kernel log, `statvfs`) is offered only where the host is live and
//! answers [`HostError::NotLive`] elsewhere.

mod absent_files;
mod applied_file;
mod background;
mod boot_time;
mod clock;
mod clocked_run;
mod control_group;
mod error;
mod ethtool;
mod ethtool_change;
mod exchange;
mod failed_call;
mod file_facts;
mod file_system_size;
mod files;
mod folder_changes;
mod interrupt;
mod ipc_namespace;
mod kept_files;
mod kept_folders;
mod kernel_btf;
mod kernel_log;
mod kernel_units;
mod memory_tree;
mod mount_table;
mod netlink;
mod network_namespace;
mod own;
mod perf_event;
mod qdisc;
mod random;
mod recorded_bytes;
mod recorded_file;
mod recorded_folder;
mod remount;
mod small_files;
mod sock_diag;
mod spawn_beside;
mod stalled_call;
mod task_setting;
mod task_stats;
mod unmounted;
mod watched;
mod write_setting;

pub use absent_files::without_opening_files;
pub use background::{give_way, is_alive, start_again, start_beside, start_detached, stop_to_background};
pub use boot_time::BootTime;
pub use clock::{
    boottime_ns, cpu_time_ns, monotonic_ns, realtime_ms, recorded_s, sleep_until_boottime, thread_cpu_ns,
};
pub use clocked_run::{ClockedRun, EndedRun};
pub use error::HostError;
pub use ethtool::{Ethtool, EthtoolQuestion};
pub use exchange::exchange;
pub use failed_call::{CallReturn, CallReturns};
pub use file_facts::FileFacts;
pub use files::{FileSystemSize, Host, MAX_FILE_BYTES};
pub use folder_changes::FolderChanges;
pub use interrupt::{
    Acknowledgement, ChildOutput, Interrupts, Stopper, acknowledge_interrupts, children_cpu_s, has_ended,
    reap, spawn,
};
pub use ipc_namespace::FilesRead;
pub use kept_files::{KeptFiles, KeptRecord};
pub use kept_folders::KeptFolders;
pub use kernel_btf::KernelBtf;
pub use kernel_log::{KernelLog, KernelLogPlace};
pub use kernel_units::KernelUnits;
pub use memory_tree::MemoryTree;
pub use netlink::NetlinkDump;

pub use own::{
    MACHINE_CONFIG, ResidentMemory, default_sigpipe, give_back_large_memory, is_root, machine_state_dir,
    most_open_files, own_pid, own_uid, peak_rss_bytes, state_dir, user_config_dir,
};
pub use perf_event::{CpuEvent, EventCount, EventCounter};
pub use random::random_bytes;
pub use recorded_file::RecordedFile;
pub use recorded_folder::{FolderFile, RecordedFolder};
pub use small_files::SmallFiles;
pub use sock_diag::{SockDiag, SocketKind, SocketQuery};
pub use spawn_beside::spawn_beside;
pub use stalled_call::{ThreadState, own_thread_id, waits_in};
pub use task_setting::ProcessLimit;
pub use task_stats::TaskStats;
pub use watched::{watched, watched_in_terminal};
pub use write_setting::{LogLock, SyncedLog};
