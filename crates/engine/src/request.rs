//! Words that several requests have.

/// How time is to be accounted for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodChoice {
    /// The best that the machine and the rights allow: ebpf, else sampling.
    #[default]
    Auto,
    /// Every switch, by eBPF; an error where that is not allowed.
    Ebpf,
    /// The kernel's counters, and looks at each thread.
    Sampling,
    /// The kernel's counters only.
    Delays,
}

/// Which window of an archive, as people write times.
#[derive(Clone, Debug, Default)]
pub struct AskedSpan {
    /// From when.
    pub since: Option<String>,
    /// Until when.
    pub until: Option<String>,
    /// Of an archive with the files of several hosts, which.
    pub host: Option<String>,
}

impl AskedSpan {
    /// Whether any of them was given: an archive is meant.
    pub fn is_asked(&self) -> bool {
        self.since.is_some() || self.until.is_some() || self.host.is_some()
    }
}
