//! Profiles: what `heldup tune profile list|show|plan --format json` answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`ProfilesAnswer`].
pub const PROFILES_SCHEMA: &str = "heldup/profiles/1";

/// What a profile wants of a setting, and what that would be here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileStep {
    /// The setting, as table `setting` names it; of one that is not here as the profile does.
    pub key: String,
    /// Its file; null where it is not here, and where nobody looked (`show`).
    pub path: Option<String>,
    /// Id in the catalogue; null where that does not have it.
    pub id: Option<String>,
    /// What is wanted, in words: `10`, `at least 4096`, `schedutil or powersave`.
    pub wanted: String,
    /// Why, where the profile says so.
    pub why: Option<String>,
    /// First release that has the setting in this place, where that is known.
    pub since: Option<String>,
    /// Last release that has it.
    pub until: Option<String>,
    /// Where it stands: FILE:LINE, or the profile and the number of the setting.
    pub place: String,
    /// Value now.
    pub from: Option<String>,
    /// Value that would be written; null where the one it has will do.
    pub to: Option<String>,
    /// change, already, refused, absent; null where nobody looked.
    pub outcome: Option<String>,
    /// Why it would be refused, or is not here.
    pub reason: Option<String>,
}

/// Something in a profile that is told and not done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileNote {
    /// FILE:LINE.
    pub place: String,
    /// What it is about.
    pub what: String,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProfileAnswer {
    /// Its name; those of tuned begin with `tuned/`.
    pub name: String,
    /// What it is for, in a line.
    pub title: String,
    /// Which machines it is for; null where it does not say.
    pub for_whom: Option<String>,
    /// Who should leave it alone; null where it does not say.
    pub leave: Option<String>,
    /// Files that it is made of; empty of those that the program brings.
    pub files: Vec<String>,
    /// Its settings, in the order in which they are written; empty in `list`.
    pub steps: Vec<ProfileStep>,
    /// What of it is not done, and why.
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
