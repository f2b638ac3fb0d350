//! Profiles: the answer of `heldup tune profile list|show --json` and `tune plan --profile --json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`ProfilesAnswer`].
pub const PROFILES_SCHEMA: &str = "heldup/profiles/1";

/// A setting of a profile, and its effect here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileStep {
    /// The setting, as in table `setting`; if it does not exist here, as in the profile.
    pub key: String,
    /// Its file; null if it does not exist here, or with `show`.
    pub path: Option<String>,
    /// Id in the catalogue; null if not in it.
    pub id: Option<String>,
    /// Target, in words: `10`, `at least 4096`, `schedutil or powersave`.
    pub wanted: String,
    /// Reason, if the profile has one.
    pub why: Option<String>,
    /// First release with the setting in this place, if known.
    pub since: Option<String>,
    /// Last release with it.
    pub until: Option<String>,
    /// Place: FILE:LINE, or the profile and the number of the setting.
    pub place: String,
    /// Current value.
    pub from: Option<String>,
    /// Value that would be written; null if the current one fits.
    pub to: Option<String>,
    /// change, already, refused, absent; null with `show`.
    pub outcome: Option<String>,
    /// Reason for refused or absent.
    pub reason: Option<String>,
}

/// A part of a profile that is listed but not applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileNote {
    /// FILE:LINE.
    pub place: String,
    /// Subject.
    pub what: String,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileAnswer {
    /// Its name; those of tuned begin with `tuned/`.
    pub name: String,
    /// Purpose, in a line.
    pub title: String,
    /// Intended machines; null if not given.
    pub for_whom: Option<String>,
    /// Who should not use it; null if not given.
    pub leave: Option<String>,
    /// Its files; empty for built-in profiles.
    pub files: Vec<String>,
    /// Its settings, in the order of writing; empty in `list`.
    pub steps: Vec<ProfileStep>,
    /// Parts that are not applied, with reasons.
    pub notes: Vec<ProfileNote>,
}

/// Schema `heldup/profiles/1`: profiles, and what they would change here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfilesAnswer {
    /// `heldup/profiles/1`.
    pub schema: String,
    /// The profiles.
    pub profiles: Vec<ProfileAnswer>,
}
