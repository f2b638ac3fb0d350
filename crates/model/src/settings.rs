//! Settings: what `heldup tune list|show --format json` tells of each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`SettingsAnswer`].
pub const SETTINGS_SCHEMA: &str = "heldup/settings/1";

/// A line of a file that assigns a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingLine {
    /// The file.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The value as it stands there, one blank between words.
    pub value: String,
    /// Who applies it: kernel, sysctl, tmpfiles, udev, sysctl.conf.
    pub applied_by: String,
}

/// One file of a setting, as it is on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingNow {
    /// The id with the names that `*` stands for, as in table `setting`.
    pub key: String,
    /// The file.
    pub path: String,
    /// Its value as canonical text; null where it cannot be read.
    pub value: Option<String>,
    /// Why it cannot be read.
    pub unread: Option<String>,
    /// Who set it: kernel, file, since_file (changed after the file was applied), run_time, unknown.
    pub set_by: String,
    /// The line that set it, or that it was changed after.
    pub line: Option<SettingLine>,
    /// Whether lines of files give it different values.
    pub disputed: bool,
    /// Every line that assigns it, in the order in which they are applied; the last wins.
    pub assigned: Vec<SettingLine>,
    /// Rules of udev that may assign it.
    pub by_udev: Vec<SettingLine>,
}

/// Where a setting was in other releases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingFormer {
    /// The file.
    pub path: String,
    /// First release, where known.
    pub since: Option<String>,
    /// Last release.
    pub until: String,
}

/// What a setting takes from a release on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingRange {
    /// First release with it; null for the oldest.
    pub since: Option<String>,
    /// Least value; null with `max` and without words where nobody looked it up.
    pub min: Option<i64>,
    /// Largest value.
    pub max: Option<i64>,
    /// The words.
    pub choices: Vec<String>,
}

/// A default from a release on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDefault {
    /// First release with it; null for the oldest.
    pub since: Option<String>,
    /// The value.
    pub value: String,
}

/// Another setting that one works with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingInteraction {
    /// The other one's id.
    pub id: String,
    /// How they work together.
    pub how: String,
    /// Whether writing the one may change the other.
    pub couples: bool,
}

/// What is known of a setting, and how it stands here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingPage {
    /// Public id, with `*` for what differs between devices.
    pub id: String,
    /// Which part of the machine it is of.
    pub area: String,
    /// File that holds it; null where it is set by a call.
    pub path: Option<String>,
    /// How it is set where there is no file.
    pub call: Option<String>,
    /// Where it was in other releases.
    pub was: Vec<SettingFormer>,
    /// What values it takes: integer, integers, switch, choice, word, cpu_mask, cpu_list, flag.
    pub kind: String,
    /// Unit of a number.
    pub unit: Option<String>,
    /// Least value that this kernel's release takes.
    pub min: Option<i64>,
    /// Largest value that this kernel's release takes.
    pub max: Option<i64>,
    /// How many numbers, where there are several.
    pub count: Option<u64>,
    /// What it takes where that changed between releases, oldest first.
    #[serde(default)]
    pub ranges: Vec<SettingRange>,
    /// The words that this kernel's release takes.
    pub choices: Vec<String>,
    /// Default in this kernel's release, where it is one value and known.
    pub default: Option<String>,
    /// Defaults that changed, oldest first.
    pub defaults: Vec<SettingDefault>,
    /// The default in words, where it depends on the machine or on how the kernel was built.
    pub default_is: Option<String>,
    /// What is read while a coupled setting decides.
    pub unset: Option<String>,
    /// First release that has it in this place.
    pub since: Option<String>,
    /// Last release that has it.
    pub until: Option<String>,
    /// Which machines have it, where not all do.
    pub only: Option<String>,
    /// What it is.
    pub meaning: String,
    /// What a higher value does (of a switch: 1).
    pub up: Option<String>,
    /// What a lower value does (of a switch: 0).
    pub down: Option<String>,
    /// Of words: which for whom.
    pub choose: Option<String>,
    /// What else it works with.
    pub interacts: Vec<SettingInteraction>,
    /// How much can go wrong: low, some, high.
    pub level: String,
    /// What can go wrong.
    pub risk: String,
    /// Who should leave it alone.
    pub leave: String,
    /// Where to read more.
    pub references: Vec<String>,
    /// A key of one process or group, where each has a value of its own; null of other settings.
    #[serde(default)]
    pub example: Option<String>,
    /// Its files here; null where nobody looked: `list` leaves out those of processes and groups.
    pub instances: Option<Vec<SettingNow>>,
}

/// Schema `heldup/settings/1`: settings, what they do, and how they stand here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsAnswer {
    /// `heldup/settings/1`.
    pub schema: String,
    /// The kernel release that defaults are those of; null where it could not be read.
    pub release: Option<String>,
    /// The settings, sorted by id.
    pub settings: Vec<SettingPage>,
    /// Files that could not be read, and lines that assign nothing, with their place.
    pub notes: Vec<String>,
}
