//! Settings: the answer of `heldup tune list|show --json`.

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
    /// The value as written, one blank between words.
    pub value: String,
    /// Applied by: kernel, sysctl, tmpfiles, udev, sysctl.conf.
    pub applied_by: String,
}

/// One file of a setting, as it is on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingNow {
    /// The id with names in place of `*`, as in table `setting`.
    pub key: String,
    /// The file.
    pub path: String,
    /// Its value as canonical text; null if it cannot be read.
    pub value: Option<String>,
    /// Reason why it cannot be read.
    pub unread: Option<String>,
    /// Origin: kernel, file, since_file (changed after the file was applied), run_time, unknown.
    pub set_by: String,
    /// The line that set it, or that was applied before it was changed.
    pub line: Option<SettingLine>,
    /// Whether lines of files assign different values.
    pub disputed: bool,
    /// Every line that assigns it, in the order of application; the last wins.
    pub assigned: Vec<SettingLine>,
    /// Rules of udev that may assign it.
    pub by_udev: Vec<SettingLine>,
}

/// A former place of a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingFormer {
    /// The file.
    pub path: String,
    /// First release, where known.
    pub since: Option<String>,
    /// Last release.
    pub until: String,
}

/// Range of a setting since a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingRange {
    /// First release with it; null for the oldest.
    pub since: Option<String>,
    /// Minimum; null with `max` and without words if not verified.
    pub min: Option<i64>,
    /// Maximum.
    pub max: Option<i64>,
    /// The words.
    pub choices: Vec<String>,
}

/// Default since a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingDefault {
    /// First release with it; null for the oldest.
    pub since: Option<String>,
    /// The value.
    pub value: String,
}

/// A related setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingInteraction {
    /// The other one's id.
    pub id: String,
    /// Their relation.
    pub how: String,
    /// Whether writing the one may change the other.
    pub couples: bool,
}

/// A setting of the catalogue, and its state here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingPage {
    /// Public id, with `*` for what differs between devices.
    pub id: String,
    /// Area of the machine.
    pub area: String,
    /// Its file; null if it is set by a call.
    pub path: Option<String>,
    /// How it is set without a file.
    pub call: Option<String>,
    /// Former places.
    pub was: Vec<SettingFormer>,
    /// Type: integer, integers, switch, choice, word, cpu_mask, cpu_list, flag.
    pub kind: String,
    /// Unit of a number.
    pub unit: Option<String>,
    /// Minimum in this kernel's release.
    pub min: Option<i64>,
    /// Maximum in this kernel's release.
    pub max: Option<i64>,
    /// Count of numbers, if there are several.
    pub count: Option<u64>,
    /// Ranges that changed between releases, oldest first.
    #[serde(default)]
    pub ranges: Vec<SettingRange>,
    /// The words of this kernel's release.
    pub choices: Vec<String>,
    /// Default in this kernel's release, if it is one known value.
    pub default: Option<String>,
    /// Defaults that changed, oldest first.
    pub defaults: Vec<SettingDefault>,
    /// The default in words, if it depends on the machine or the kernel build.
    pub default_is: Option<String>,
    /// Value that is read while a coupled setting decides.
    pub unset: Option<String>,
    /// First release with it in this place.
    pub since: Option<String>,
    /// Last release with it.
    pub until: Option<String>,
    /// Machines that have it, if not all.
    pub only: Option<String>,
    /// Meaning.
    pub meaning: String,
    /// Effect of a higher value (of a switch: 1).
    pub up: Option<String>,
    /// Effect of a lower value (of a switch: 0).
    pub down: Option<String>,
    /// Recommended words, by use.
    pub choose: Option<String>,
    /// Related settings.
    pub interacts: Vec<SettingInteraction>,
    /// Risk level: low, some, high.
    pub level: String,
    /// Risk.
    pub risk: String,
    /// Who should not change it.
    pub leave: String,
    /// Further reading.
    pub references: Vec<String>,
    /// An example key, if each process or group has its own value; else null.
    #[serde(default)]
    pub example: Option<String>,
    /// Its files here; null in `list` for settings of processes and groups.
    pub instances: Option<Vec<SettingNow>>,
}

/// Schema `heldup/settings/1`: settings, their effect, and their state here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SettingsAnswer {
    /// `heldup/settings/1`.
    pub schema: String,
    /// The kernel release of the defaults; null if it could not be read.
    pub release: Option<String>,
    /// The settings, sorted by id.
    pub settings: Vec<SettingPage>,
    /// Files that could not be read, and lines that assign nothing, with their place.
    pub notes: Vec<String>,
}
