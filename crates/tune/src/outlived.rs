//! Settings of other systems and other times: what became of them, and what they would be on Linux.
//!
//! `tunables/other/*.toml`, one document a system. It is for judging files that somebody brings along,
//! and knows less of each than the catalogue: no setting of it is ever written.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// Documents of the program: path from the root of its sources, and text as JSON.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_other.rs"));

/// Which system a setting is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum System {
    /// IBM AIX: vmo, ioo, no, schedo and nfso.
    Aix,
    /// Linux, of any time.
    Linux,
    /// Sun's and Oracle's Solaris: `/etc/system` and ndd.
    Solaris,
}

impl System {
    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            System::Aix => "AIX",
            System::Linux => "Linux",
            System::Solaris => "Solaris",
        }
    }
}

/// A release of any system: numbers that are compared one by one, `2.6 < 9 < 11.1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Version(Vec<u16>);

/// Text that is no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid release {0} (expected numbers such as 6.1, 9 or 2.6.32)")]
pub struct NoVersion(String);

impl FromStr for Version {
    type Err = NoVersion;

    fn from_str(text: &str) -> Result<Version, NoVersion> {
        let numbers: Result<Vec<u16>, _> = text.split('.').map(str::parse::<u16>).collect();
        numbers.map(Version).map_err(|_| NoVersion(text.to_owned()))
    }
}

impl TryFrom<String> for Version {
    type Error = NoVersion;

    fn try_from(text: String) -> Result<Version, NoVersion> {
        text.parse()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.0.iter().map(u16::to_string).collect();
        f.write_str(&numbers.join("."))
    }
}

/// A default from a release on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlivedDefault {
    /// First release with it; none for the oldest.
    pub since: Option<Version>,
    /// The value.
    pub value: String,
}

/// A setting of another system or time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outlived {
    /// As it stands in files.
    pub name: String,
    /// First release that has it.
    pub since: Option<Version>,
    /// Last release in which it has an effect.
    pub until: Option<Version>,
    /// Whether it is still there after that, and does nothing.
    #[serde(default)]
    pub kept: bool,
    /// What took its place on the same system.
    pub instead: Option<String>,
    /// What it is for, or why it went.
    pub why: String,
    /// The default of every release that has it.
    pub default: Option<String>,
    /// Defaults that changed, oldest first.
    #[serde(default)]
    pub defaults: Vec<OutlivedDefault>,
    /// Least value.
    pub min: Option<i64>,
    /// Largest value.
    pub max: Option<i64>,
    /// Ids of the catalogue that are nearest to it on Linux.
    #[serde(default)]
    pub linux: Vec<String>,
    /// Where to read more; those of the document where it has none.
    #[serde(default)]
    pub references: Vec<String>,
}

impl Outlived {
    /// Why a release has outlived it; none where it has not.
    pub fn gone_in(&self, release: &Version) -> Option<String> {
        let until = self.until.as_ref().filter(|until| *until < release)?;
        let after = if self.kept { "no effect" } else { "removed" };
        let instead = self.instead.as_ref().map_or_else(String::new, |instead| format!("; see {instead}"));
        Some(format!("{after} after {until}: {}{instead}", self.why))
    }

    /// The default in a release, where it is known.
    pub fn default_in(&self, release: &Version) -> Option<&str> {
        let held =
            self.defaults.iter().rev().find(|held| held.since.as_ref().is_none_or(|since| since <= release));
        self.default.as_deref().or(held.map(|held| held.value.as_str()))
    }
}

/// All that is known of one system.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlivedSystem {
    /// Which one.
    pub system: System,
    /// The newest release that the document knows of.
    pub newest: Version,
    /// Where most of it is from.
    pub references: Vec<String>,
    /// What to do with such a file as a whole.
    pub advice: Option<String>,
    /// Its settings.
    pub setting: Vec<Outlived>,
}

impl OutlivedSystem {
    /// What the program came with of a system; none where its document cannot be read, which a
    /// test sees to.
    pub fn builtin(system: System) -> Option<OutlivedSystem> {
        let read = |(_, json): &(&str, &str)| serde_json::from_str::<OutlivedSystem>(json).ok();
        let mut document = EMBEDDED.iter().filter_map(read).find(|document| document.system == system)?;
        for setting in &mut document.setting {
            if setting.references.is_empty() {
                setting.references.clone_from(&document.references);
            }
        }
        Some(document)
    }

    /// The setting of a name.
    pub fn find(&self, name: &str) -> Option<&Outlived> {
        self.setting.iter().find(|setting| setting.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn version(text: &str) -> Version {
        text.parse().expect("a release")
    }

    #[test]
    fn releases_are_compared_number_by_number() {
        assert!(
            version("2.6") < version("9") && version("9") < version("11") && version("11") < version("11.1")
        );
        assert!(version("5.3") < version("6.1") && version("2.6.9") < version("2.6.32"));
        assert!("six".parse::<Version>().is_err() && "".parse::<Version>().is_err());
    }

    /// Each document is read, each name stands there once, each counterpart exists, and what the
    /// catalogue knows is not told twice.
    #[test]
    fn every_document_holds_to_its_form() {
        let catalogue = Catalogue::builtin();
        for system in [System::Aix, System::Linux, System::Solaris] {
            let document = OutlivedSystem::builtin(system).expect("a document");
            let mut names: Vec<&str> = document.setting.iter().map(|setting| setting.name.as_str()).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{system:?}: {names:?}");
            for setting in &document.setting {
                let name = &setting.name;
                assert!(!setting.why.is_empty() && !setting.references.is_empty(), "{name}");
                let releases = [&setting.since, &setting.until].into_iter().flatten();
                assert!(releases.into_iter().all(|release| *release <= document.newest), "{name}");
                for id in &setting.linux {
                    assert!(catalogue.find(id).is_some(), "{name}: {id} is not in the catalogue");
                }
                if system == System::Linux {
                    let path = format!("/proc/sys/{}", name.replace('.', "/"));
                    assert!(!catalogue.tunables.iter().any(|tunable| tunable.covers(&path)), "{name}: twice");
                    assert!(setting.until.is_some(), "{name}: until when?");
                }
            }
        }
    }
}
