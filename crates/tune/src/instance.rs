//! One place of a tunable on a host.

/// One file of a tunable, or one place that calls reach.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instance {
    /// Its path; of what has no file its place, `DOOR:OWNER:SETTING`.
    pub path: String,
    /// The id with the names that `*` stands for: a key of table `setting`.
    pub key: String,
}
