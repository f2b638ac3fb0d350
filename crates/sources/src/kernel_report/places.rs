//! Where a task waits or a CPU runs, by the functions of a whole stack, as the kernel prints it.

use std::sync::OnceLock;

use heldup_model::{Class, StackTable};

/// The class of a wait by a whole stack, as the kernel prints it: a lock is one only where a function takes it. `exit_mm` alone
/// waits for a core dump.
pub fn class_of_whole_stack(innermost_first: &[&str]) -> Option<Class> {
    let table = stack_table()?;
    let class = table.classify(innermost_first, Class::Unknown).filter(|class| *class != Class::Unknown)?;
    let is_lock = matches!(class, Class::LockKernel | Class::LockMmap);
    (!is_lock || table.takes_lock(innermost_first)).then_some(class)
}

fn stack_table() -> Option<&'static StackTable> {
    static TABLE: OnceLock<Option<StackTable>> = OnceLock::new();
    // The table is part of the program and tested there: it is always well-formed.
    TABLE.get_or_init(|| StackTable::builtin().ok()).as_ref()
}

/// Beginnings of functions that print a stack or lead to it, where nothing marks the interrupt's end.
const WATCHDOG: [&str; 26] = [
    "dump_stack",
    "__dump_stack",
    "show_",
    "sched_show_task",
    "rcu_",
    "__rcu_",
    "print_cpu_stall",
    "check_cpu_stall",
    "watchdog",
    "nmi_",
    "arch_trigger",
    "trigger_",
    "update_process_times",
    "tick_",
    "hrtimer_",
    "__hrtimer_",
    "__run_hrtimer",
    "warn_alloc",
    "apic_timer_interrupt",
    "smp_apic",
    "sysvec_",
    "asm_",
    "irq_",
    "softlockup",
    "dump_backtrace",
    "panic",
];

/// The function in which a task waits: the first outside of the scheduler and the locks.
pub fn waits<'a>(innermost_first: &[&'a str]) -> Option<&'a str> {
    stack_table().and_then(|table| table.place(innermost_first))
}

/// The function that a CPU ran when it was found: the first that does not print its stack.
pub fn runs<'a>(innermost_first: &[&'a str]) -> Option<&'a str> {
    let is_of_watchdog = |name: &str| WATCHDOG.iter().any(|start| name.starts_with(start));
    innermost_first.iter().copied().find(|name| !is_of_watchdog(name))
}
