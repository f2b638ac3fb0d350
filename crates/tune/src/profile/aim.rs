//! What a profile wants of a setting.

/// A setting and what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aim {
    /// Id of the catalogue, name as sysctl(8) has it, or a path; `*` for several files.
    pub setting: String,
    /// What it should be.
    pub want: Want,
    /// Why; empty where the profile does not say.
    pub why: String,
    /// Where it stands: `FILE:LINE`, or the profile and the number of the setting.
    pub place: String,
}

/// What a setting should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// This.
    Exactly(String),
    /// This, unless the number is larger already.
    AtLeast(String),
    /// This, unless the number is smaller already.
    AtMost(String),
    /// The first of these that the machine offers.
    OneOf(Vec<String>),
}

impl Want {
    /// The value to write, given what it is now; none where that will do.
    pub fn value(&self, now: &str, offered: Option<&[String]>) -> Option<String> {
        let beyond = |wanted: &str, larger: bool| match (wanted.parse::<i128>(), now.parse::<i128>()) {
            (Ok(wanted), Ok(now)) => {
                if larger {
                    wanted > now
                } else {
                    wanted < now
                }
            }
            // What is no number is not compared: it is set.
            _ => true,
        };
        match self {
            Want::Exactly(value) => Some(value.clone()),
            Want::AtLeast(value) => beyond(value, true).then(|| value.clone()),
            Want::AtMost(value) => beyond(value, false).then(|| value.clone()),
            Want::OneOf(values) => {
                let offers = |value: &&String| offered.is_none_or(|offered| offered.contains(value));
                values.iter().find(offers).cloned()
            }
        }
    }

    /// In words, for a list.
    pub fn words(&self) -> String {
        match self {
            Want::Exactly(value) => value.clone(),
            Want::AtLeast(value) => format!("at least {value}"),
            Want::AtMost(value) => format!("at most {value}"),
            Want::OneOf(values) => values.join(" or "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_do_is_left_alone() {
        let least = Want::AtLeast("2048".to_owned());
        assert_eq!(least.value("128", None).as_deref(), Some("2048"));
        assert_eq!(least.value("4096", None), None);
        let most = Want::AtMost("10".to_owned());
        assert_eq!((most.value("60", None).as_deref(), most.value("1", None)), (Some("10"), None));
        let one = Want::OneOf(vec!["conservative".to_owned(), "powersave".to_owned()]);
        let offered = ["performance".to_owned(), "powersave".to_owned()];
        assert_eq!(one.value("performance", Some(&offered)).as_deref(), Some("powersave"));
        assert_eq!(one.value("performance", Some(&offered[..1])), None);
    }
}
