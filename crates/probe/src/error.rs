//! Errors between a BPF object and a running program.

use heldup_hostfs::HostError;
use heldup_model::StackTableError;

/// Why a probe is not running.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The host is a recorded tree: there is no kernel to load into.
    #[error("{what}: only on the running machine, not in a recorded tree")]
    NotLive {
        /// The probe.
        what: &'static str,
    },
    /// The kernel has no type information, which the programs need to find its fields.
    #[error("no BTF in /sys/kernel/btf/vmlinux ({why}); needs a kernel with CONFIG_DEBUG_INFO_BTF=y")]
    NoTypes {
        /// The system's own words.
        why: String,
    },
    /// The machine has no hardware counters for us.
    #[error("no hardware counters (perf_event_open: no such event)")]
    NoCounters,
    /// The rights do not suffice.
    #[error("{what}: permission denied (run as root, or with CAP_BPF and CAP_PERFMON)")]
    Denied {
        /// The object or program.
        what: String,
    },
    /// The object could not be placed in the kernel.
    #[error("{object}: {why}")]
    Load {
        /// The object.
        object: &'static str,
        /// The kernel's or the verifier's words.
        why: String,
    },
    /// A program or map that the object should have is not in it.
    #[error("{object}: no `{name}` in it (the eBPF object is older than this program)")]
    Absent {
        /// The object.
        object: &'static str,
        /// Program or map.
        name: &'static str,
    },
    /// A program was refused.
    #[error("{program}: {why}")]
    Program {
        /// The program.
        program: &'static str,
        /// The kernel's or the verifier's words.
        why: String,
    },
    /// A record with another form than expected.
    #[error("{place}: {what}")]
    Record {
        /// Where the record came from.
        place: &'static str,
        /// What was found and what was expected.
        what: String,
    },
    /// Reading from the kernel failed.
    #[error("{place}: {source}")]
    Io {
        /// What was read.
        place: &'static str,
        /// The system's own error.
        source: std::io::Error,
    },
    /// A file of the host could not be read.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The table of stacks that the program carries is not well-formed.
    #[error(transparent)]
    Stacks(#[from] StackTableError),
}

impl ProbeError {
    /// The remedy.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            ProbeError::NoCounters => "needs bare metal, or a VM with pmu=on",
            _ => "see `heldup doctor`",
        }
    }

    /// Whether more rights would help.
    pub fn is_denied(&self) -> bool {
        match self {
            ProbeError::Denied { .. } => true,
            ProbeError::Host(error) => error.is_denied(),
            _ => false,
        }
    }
}
