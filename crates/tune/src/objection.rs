//! What speaks against a change.

/// Something that speaks against a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// It will not be made: what would refuse it.
    pub refuses: bool,
    /// What it is, in words.
    pub what: String,
}
