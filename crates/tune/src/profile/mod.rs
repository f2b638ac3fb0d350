//! Profiles: settings for a kind of work, each with its reason. Ours are `profiles/*.toml`; those of
//! tuned are read as they are installed (`tuned.rs`).
//!
//! A profile becomes a list of aims, and those with a host a list of steps: what would be written where,
//! what has its value already, what is not here. Nothing is written here.

mod aim;
mod step;

use serde::Deserialize;

pub use aim::{Aim, Want};
pub use step::{Outcome, Step, steps};

/// Documents of the program: path from the root of its sources, and text as JSON.
const EMBEDDED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/embedded_profiles.rs"));

/// A profile of ours.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// What it is called by.
    pub name: String,
    /// What it is for, in a line.
    pub title: String,
    /// Which machines it is for.
    pub for_whom: String,
    /// Who should leave it alone.
    pub leave: String,
    /// Its settings, in the order in which they are written.
    pub set: Vec<ProfileSetting>,
}

/// A setting of a profile: one of `value`, `at_least`, `at_most` and `one_of`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileSetting {
    /// Id of the catalogue.
    pub setting: String,
    /// The value.
    pub value: Option<String>,
    /// The value, unless it is larger already.
    pub at_least: Option<String>,
    /// The value, unless it is smaller already.
    pub at_most: Option<String>,
    /// The first of these that the machine offers.
    #[serde(default)]
    pub one_of: Vec<String>,
    /// Why.
    pub why: String,
}

impl Profile {
    /// What the program came with, sorted by name.
    pub fn builtin() -> Vec<Profile> {
        // A document that cannot be read is left out, which a test sees to.
        EMBEDDED.iter().filter_map(|(_, json)| serde_json::from_str(json).ok()).collect()
    }

    /// What it wants; `place` is its name and the number of the setting.
    pub fn aims(&self) -> Vec<Aim> {
        let aim = |(at, set): (usize, &ProfileSetting)| Aim {
            setting: set.setting.clone(),
            want: set.want(),
            why: set.why.clone(),
            place: format!("{}, {}", self.name, at + 1),
        };
        self.set.iter().enumerate().map(aim).collect()
    }
}

impl ProfileSetting {
    fn want(&self) -> Want {
        match (&self.value, &self.at_least, &self.at_most) {
            (Some(value), ..) => Want::Exactly(value.clone()),
            (_, Some(value), _) => Want::AtLeast(value.clone()),
            (_, _, Some(value)) => Want::AtMost(value.clone()),
            _ => Want::OneOf(self.one_of.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    #[test]
    fn every_profile_holds_to_its_form() {
        let (catalogue, profiles) = (Catalogue::builtin(), Profile::builtin());
        assert_eq!(profiles.len(), EMBEDDED.len(), "a document cannot be read");
        assert!(profiles.windows(2).all(|pair| pair[0].name < pair[1].name));
        for profile in &profiles {
            let of = |place: &str| format!("profiles/{}.toml: {place}", profile.name);
            let embedded =
                EMBEDDED.iter().any(|(path, _)| *path == format!("profiles/{}.toml", profile.name));
            assert!(embedded, "{}", of("the file has another name"));
            let texts = [&profile.title, &profile.for_whom, &profile.leave];
            assert!(texts.into_iter().all(|text| !text.is_empty()), "{}", of("says nothing"));
            let mut seen = Vec::new();
            for set in &profile.set {
                let tunable = catalogue.find(&set.setting).unwrap_or_else(|| panic!("{}", of(&set.setting)));
                assert!(tunable.path.is_some() && !set.why.is_empty(), "{}", of(&set.setting));
                assert!(!seen.contains(&&set.setting), "{}: twice", of(&set.setting));
                seen.push(&set.setting);
                let single = [&set.value, &set.at_least, &set.at_most].into_iter().flatten();
                let values: Vec<&String> = single.chain(&set.one_of).collect();
                assert!(values.len() == 1 || set.one_of.len() == values.len(), "{}", of(&set.setting));
                for value in values {
                    assert_eq!(tunable.objection(value, None), None, "{}", of(&set.setting));
                    assert!(tunable.harm(value).is_none(), "{}: {value} does harm", of(&set.setting));
                }
            }
        }
    }
}
