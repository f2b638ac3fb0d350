//! Programs that ask for one thing more than a limit allows, fifty times a second.
//!
//! Limits of the process or of its user are set by the program itself. For those of the whole
//! machine the setting is lowered below what is in use and asked for, so that nothing is made
//! that could be left behind.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::control_group::{ControlGroup, Controller};
use crate::expect::{Expected, Suspect};
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

const NEEDS: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux")];
const SYSV: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::File("/proc/sysvipc/shm")];
const AIO: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::File("/proc/sys/fs/aio-nr")];

pub(super) const AIO_REQUESTS: TroubleMaker = TroubleMaker {
    name: "limit.aio",
    needs: AIO,
    make: || {
        let used = number("/proc/sys/fs/aio-nr")?;
        let setting = KernelSetting::set("/proc/sys/fs/aio-max-nr", &(used + 1000).to_string())?;
        at_limit("limit.aio", "aio", 5000, Some(setting))
    },
};

pub(super) const INOTIFY: TroubleMaker = TroubleMaker {
    name: "limit.inotify",
    needs: NEEDS,
    make: || at_limit("limit.inotify", "inotify", 1, None),
};

pub(super) const LOCKED_MEMORY: TroubleMaker = TroubleMaker {
    name: "limit.locked-memory",
    needs: NEEDS,
    make: || at_limit("limit.locked-memory", "locked-memory", 1_000_000, None),
};

pub(super) const MAP_COUNT: TroubleMaker = TroubleMaker {
    name: "limit.map-count",
    needs: NEEDS,
    make: || at_limit("limit.map-count", "map-count", 1, None),
};

pub(super) const MESSAGE_QUEUES: TroubleMaker = TroubleMaker {
    name: "limit.message-queues",
    needs: SYSV,
    make: || {
        let used = fs::read_to_string("/proc/sysvipc/msg")?.lines().skip(1).count();
        let setting = KernelSetting::set("/proc/sys/kernel/msgmni", &used.to_string())?;
        at_limit("limit.message-queues", "message-queues", 1, Some(setting))
    },
};

pub(super) const OPEN_FILES: TroubleMaker = TroubleMaker {
    name: "limit.open-files",
    needs: NEEDS,
    make: || at_limit("limit.open-files", "open-files", 1, None),
};

pub(super) const PROCESSES: TroubleMaker = TroubleMaker {
    name: "limit.processes",
    needs: NEEDS,
    make: || at_limit("limit.processes", "processes", 1, None),
};

/// The limit is that of a control group; of version 1 in a tree of its own, where the program is
/// in a group of no other tree.
pub(super) const PROCESSES_OF_GROUP: TroubleMaker = TroubleMaker {
    name: "limit.processes.group",
    needs: &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::Controller(Controller::Pids)],
    make: || {
        let group = ControlGroup::new(Controller::Pids, "few")?;
        group.limit_tasks(8)?;
        let mut program = Running::program_in(&group, "at_limit", &[&"group-processes", &"0", &"1"])?;
        let said = program.line()?;
        ensure!(said == "at the limit", "at_limit said {said}");
        ensure!(group.figure("pids.events", "max")? > 0, "no refusal is counted");
        let expected = Expected {
            id: "limit.processes",
            subject: vec!["at_limit".to_owned()],
            culprits: vec![Suspect::Process(program.pid())],
        };
        Ok(Trouble::new(expected, vec![Box::new(program), Box::new(group)]))
    },
};

pub(super) const SEMAPHORES: TroubleMaker = TroubleMaker {
    name: "limit.semaphores",
    needs: SYSV,
    make: || {
        let now = fs::read_to_string("/proc/sys/kernel/sem")?;
        let numbers: Vec<&str> = now.split_whitespace().collect();
        ensure!(numbers.len() == 4, "kernel.sem is {now}");
        let lower = format!("{} 150 {} {}", numbers[0], numbers[2], numbers[3]);
        let setting = KernelSetting::set("/proc/sys/kernel/sem", &lower)?;
        at_limit("limit.semaphores", "semaphores", 200, Some(setting))
    },
};

pub(super) const SHARED_MEMORY: TroubleMaker = TroubleMaker {
    name: "limit.shared-memory",
    needs: SYSV,
    make: || {
        let setting = KernelSetting::set("/proc/sys/kernel/shmall", "4096")?;
        at_limit("limit.shared-memory", "shared-memory", 1 << 30, Some(setting))
    },
};

/// Starts the program and waits until it says that it fails.
fn at_limit(id: &'static str, kind: &str, amount: u64, setting: Option<KernelSetting>) -> Result<Trouble> {
    let mut program = Running::program("at_limit", &[&kind, &"0", &amount.to_string()])?;
    let said = program.line()?;
    ensure!(said == "at the limit", "at_limit said {said}");
    let culprits = vec![Suspect::Process(program.pid())];
    let expected = Expected { id, subject: vec!["at_limit".to_owned()], culprits };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(setting)]))
}

fn number(path: &str) -> Result<u64> {
    let text = fs::read_to_string(path)?;
    text.trim().parse().with_context(|| format!("{path} holds {text}"))
}
