//! Releases of the kernel, as far as they can be compared: `5.13`, `2.6.32`, `6.18.44-fc`.

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

/// A release of the kernel; stable updates (the third number from 3.0 on) are not distinguished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Release {
    major: u16,
    minor: u16,
    /// Only of 2.6 a number of its own: 2.6.32 and 2.6.39 are years apart.
    patch: u16,
}

/// Text that is no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid kernel release {0} (expected one such as 5.13 or 2.6.32)")]
pub struct NoRelease(String);

impl Release {
    /// The oldest supported one: a tunable without `since` was there already.
    pub const OLDEST: Release = Release { major: 4, minor: 18, patch: 0 };
}

impl FromStr for Release {
    type Err = NoRelease;

    /// Reads `uname -r` too: what follows the numbers is left away.
    fn from_str(text: &str) -> Result<Release, NoRelease> {
        let fault = || NoRelease(text.to_owned());
        let numbers = text.split(|c: char| c != '.' && !c.is_ascii_digit()).next().unwrap_or(text);
        let mut parts = numbers.split('.').map(str::parse::<u16>);
        let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else { return Err(fault()) };
        let third = parts.next().and_then(Result::ok).unwrap_or(0);
        Ok(Release { major, minor, patch: if major < 3 { third } else { 0 } })
    }
}

impl TryFrom<String> for Release {
    type Error = NoRelease;

    /// Of a document: nothing may follow the numbers.
    fn try_from(text: String) -> Result<Release, NoRelease> {
        let release: Release = text.parse()?;
        if release.to_string() == text { Ok(release) } else { Err(NoRelease(text)) }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)?;
        if self.major < 3 { write!(f, ".{}", self.patch) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(text: &str) -> Release {
        text.parse().expect("a release")
    }

    #[test]
    fn releases_are_ordered_by_number_not_by_text() {
        assert!(release("5.4") < release("5.13"));
        assert!(release("2.6.32") < release("2.6.39"));
        assert!(release("2.6.39") < release("3.0"));
        assert_eq!(release("6.18.44-fc-v669"), release("6.18"));
        assert_eq!(release("4.18.0-553.el8_10.x86_64"), release("4.18"));
        assert_eq!(release("6.12-rc3"), release("6.12"));
    }

    #[test]
    fn a_document_says_a_release_and_nothing_else() {
        assert!(Release::try_from("5.13".to_owned()).is_ok());
        assert!(Release::try_from("2.6.32".to_owned()).is_ok());
        for wrong in ["5", "5.13 of Red Hat", "5.13.2", "six", ""] {
            assert!(Release::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
