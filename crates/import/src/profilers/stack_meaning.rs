//! What the functions say in which a task of somebody's kernel log stands: the class of its wait, the system
//! call, and whether the task is the kernel's own. By the same table as stacks of a running machine.

use std::sync::OnceLock;

use heldup_model::{Class, StackTable};

/// What a stack of a wait means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meaning<'a> {
    /// Class of the wait; none where the table has no entry for it.
    pub class: Option<Class>,
    /// The function that asks for the lock, of a wait for one of the kernel.
    pub asker: Option<&'a str>,
    /// The system call without what stands before its name: `fsync`.
    pub syscall: Option<&'a str>,
    /// Whether it is a task of the kernel; none where the end of the stack is not to be seen.
    pub is_kernel: Option<bool>,
}

/// What stands before a system call's name, by kernel: `SyS_` 3.10 to 4.16, `__x64_sys_` and its like from 4.17 on.
const CALLS: [&str; 9] = [
    "__x64_sys_",
    "__ia32_sys_",
    "__arm64_sys_",
    "__s390x_sys_",
    "__se_sys_",
    "__do_sys_",
    "SyS_",
    "SYSC_",
    "sys_",
];

/// Functions that only a thread of the kernel begins with.
const OF_KERNEL: [&str; 5] =
    ["kthread", "kernel_thread", "kernel_thread_helper", "child_rip", "worker_thread"];

/// Beginnings of functions by which a program comes into the kernel.
const ENTRIES: [&str; 9] = [
    "entry_",
    "do_syscall_",
    "system_call",
    "sysenter_",
    "syscall_",
    "el0_",
    "ret_fast_syscall",
    "page_fault",
    "asm_exc_page_fault",
];

/// Whether a task with this innermost function has left its CPU.
pub fn is_switch(innermost: &str) -> bool {
    const SWITCHES: [&str; 6] = [
        "__schedule",
        "schedule",
        "finish_task_switch",
        "schedule_timeout",
        "io_schedule",
        "__traceiter_sched_switch",
    ];
    SWITCHES.contains(&innermost.split('.').next().unwrap_or(innermost))
}

/// What functions mean, innermost first.
pub fn meaning<'a>(functions: &[&'a str]) -> Meaning<'a> {
    static TABLE: OnceLock<Option<StackTable>> = OnceLock::new();
    // The table is part of the program and tested there: it is always well-formed.
    let table = TABLE.get_or_init(|| StackTable::builtin().ok()).as_ref();
    let class = table.and_then(|table| table.classify(functions, Class::Unknown));
    let is_lock = matches!(class, Some(Class::LockKernel | Class::KernelWait));
    let outermost_first = || functions.iter().rev();
    let is_of_kernel = outermost_first().any(|name| OF_KERNEL.contains(name));
    let is_entered =
        outermost_first().take(3).any(|name| ENTRIES.iter().any(|entry| name.starts_with(entry)));
    let syscall = outermost_first().find_map(|name| {
        let call = CALLS.iter().find_map(|before| name.strip_prefix(before))?;
        let is_name =
            call.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        is_name.then_some(call)
    });
    Meaning {
        class: class.filter(|class| *class != Class::Unknown),
        asker: table.filter(|_| is_lock).and_then(|table| table.place(functions)),
        syscall: syscall.filter(|_| !is_of_kernel),
        is_kernel: (is_of_kernel || is_entered || syscall.is_some()).then_some(is_of_kernel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stack: &str, expect: Meaning<'_>) {
        let functions: Vec<&str> = stack.split(';').collect();
        assert_eq!(meaning(&functions), expect, "{stack}");
    }

    #[test]
    fn waits_of_every_age() {
        check(
            "schedule;log_wait_commit;ext3_sync_file;do_fsync;sys_fsync;system_call_fastpath",
            Meaning {
                class: Some(Class::DiskSync),
                asker: None,
                syscall: Some("fsync"),
                is_kernel: Some(false),
            },
        );
        check(
            "__schedule;schedule;io_schedule;bit_wait_io;__wait_on_bit;out_of_line_wait_on_bit;__wait_on_buffer;jbd2_journal_commit_transaction;kjournald2;kthread;ret_from_fork",
            Meaning { class: Some(Class::DiskSync), asker: None, syscall: None, is_kernel: Some(true) },
        );
        check(
            "__schedule;schedule;schedule_preempt_disabled;__mutex_lock;rtnl_lock;devinet_ioctl;__x64_sys_ioctl;do_syscall_64;entry_SYSCALL_64_after_hwframe",
            Meaning {
                class: Some(Class::LockKernel),
                asker: Some("rtnl_lock"),
                syscall: Some("ioctl"),
                is_kernel: Some(false),
            },
        );
    }

    #[test]
    fn a_stack_that_nobody_knows() {
        check("brand_new_wait", Meaning { class: None, asker: None, syscall: None, is_kernel: None });
    }
}
