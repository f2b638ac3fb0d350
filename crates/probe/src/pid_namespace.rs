//! Process numbers inside a PID namespace, such as that of a container.
//!
//! BPF programs know a task by the machine's number; `/proc` in a namespace knows it by
//! another one. Asking `/proc` there for the machine's number would describe somebody else,
//! so that nothing is queried: its data is unknown.

use heldup_hostfs::{Host, own_pid};

/// Where to ask for the processes that BPF programs name. `number` is how they know this program.
pub(crate) fn processes(host: &Host, number: i64) -> Host {
    // A tree in which no process is.
    if numbers_differ(number) { Host::recorded("/dev/null") } else { host.clone() }
}

/// Whether this program has another number than `number`, by which BPF programs know it.
pub(crate) fn numbers_differ(number: i64) -> bool {
    number != own_pid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_asked_about_another_namespaces_numbers() {
        let status = |host: &Host| host.read_text("/proc/1/status").is_ok();
        assert!(status(&processes(&Host::live(), own_pid())));
        assert!(!status(&processes(&Host::live(), own_pid() + 1)));
    }
}
