//! What is visible on a host, and how to enable the rest: the answer of `heldup doctor`.
//!
//! This is the public JSON, schema `heldup/doctor/1`: fields may be added, none renamed or removed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of `schema`.
pub const DOCTOR_SCHEMA: &str = "heldup/doctor/1";

/// What is visible on a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capabilities {
    /// Name of this schema.
    #[schemars(extend("const" = DOCTOR_SCHEMA))]
    pub schema: String,
    /// Everything that heldup can use, most important first.
    pub capabilities: Vec<Capability>,
}

/// State of a capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityState {
    /// Works completely.
    Works,
    /// Works in part.
    Limited,
    /// Does not work.
    Missing,
}

impl CapabilityState {
    /// The displayed word.
    pub const fn name(self) -> &'static str {
        match self {
            CapabilityState::Works => "works",
            CapabilityState::Limited => "limited",
            CapabilityState::Missing => "missing",
        }
    }
}

/// One thing that heldup can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capability {
    /// Name.
    pub name: String,
    /// State.
    pub state: CapabilityState,
    /// What was found, and its consequence.
    pub detail: String,
    /// Remedy; none if nothing is missing or nothing can be done.
    pub how: Option<String>,
}

impl Capability {
    /// It works.
    pub fn works(name: &str, detail: impl Into<String>) -> Capability {
        let state = CapabilityState::Works;
        Capability { name: name.to_owned(), state, detail: detail.into(), how: None }
    }

    /// It sees less than it could.
    pub fn limited(name: &str, detail: impl Into<String>, how: &str) -> Capability {
        let how = (!how.is_empty()).then(|| how.to_owned());
        Capability { name: name.to_owned(), state: CapabilityState::Limited, detail: detail.into(), how }
    }

    /// It does not work.
    pub fn missing(name: &str, detail: impl Into<String>, how: &str) -> Capability {
        Capability { state: CapabilityState::Missing, ..Capability::limited(name, detail, how) }
    }
}
