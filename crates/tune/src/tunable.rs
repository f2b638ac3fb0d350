//! One tunable: what its entry in `tunables/*.toml` may say.
//!
//! It is a page that somebody reads at three in the morning. Unknown keys are errors, because a
//! misspelt one would be knowledge that nobody sees. A default that is not known is not there:
//! none is better than a wrong one, which somebody would go back to.

use serde::Deserialize;

use crate::call_door::CallDoor;
use crate::release::Release;

/// The word for no limit.
pub(crate) const NO_LIMIT: &str = "max";
/// The unit of limits that need not be whole.
const DIVISIBLE: &str = "CPUs";

/// A setting of the machine.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tunable {
    /// Public id. Of a file below `/proc/sys` and `/sys` it is the key of table `setting`, with
    /// `*` for what differs between devices.
    pub id: String,
    /// Which part of the machine it is of; that of its file.
    #[serde(skip)]
    pub area: String,
    /// File that holds it: `*` stands for (a part of) one name, `**` for folders of any depth.
    pub path: Option<String>,
    /// How it is set where there is no file: a call, a mount option, a boot argument.
    pub call: Option<String>,
    /// By which calls this program reads and writes it: `cgroup`, `ethtool`, `mount` or `process`, with which its id
    /// begins. Without it what has no file is knowledge alone.
    pub door: Option<CallDoor>,
    /// Where it was in other releases.
    #[serde(default)]
    pub was: Vec<Former>,
    /// What values it takes.
    pub kind: Kind,
    /// Unit of a number.
    pub unit: Option<String>,
    /// Least value that the kernel takes; of several numbers, of each.
    pub min: Option<i64>,
    /// Largest value that the kernel takes.
    pub max: Option<i64>,
    /// How many numbers, where there are several.
    pub count: Option<usize>,
    /// The words that it takes.
    #[serde(default)]
    pub choices: Vec<String>,
    /// What it takes where that changed, oldest first, in place of `min`, `max` and `choices`; one without
    /// any of them means that it was not verified.
    #[serde(default)]
    pub ranges: Vec<RangeSince>,
    /// Default of every release that has it.
    pub default: Option<String>,
    /// Defaults that changed, oldest first.
    #[serde(default)]
    pub defaults: Vec<DefaultSince>,
    /// In words, where the default depends on the machine or on how the kernel was built.
    pub default_is: Option<String>,
    /// What is read while another tunable that it is coupled with decides; it cannot be gone back
    /// to by writing it, only by writing the other.
    pub unset: Option<String>,
    /// First release that has it in this place; none for older than the oldest supported (4.18),
    /// or not known.
    pub since: Option<Release>,
    /// Last release that has it.
    pub until: Option<Release>,
    /// Which machines have it, where not all do.
    pub only: Option<String>,
    /// What it is.
    pub meaning: String,
    /// What a higher value does (of a switch: 1).
    pub up: Option<String>,
    /// What a lower value does (of a switch: 0).
    pub down: Option<String>,
    /// Recommended words, by use.
    pub choose: Option<String>,
    /// What else it works with.
    #[serde(default)]
    pub interacts: Vec<Interaction>,
    /// Values that are known to do harm, whoever sets them; the same list as that of rule
    /// `config.risky`.
    #[serde(default)]
    pub harms: Vec<Harm>,
    /// How much can go wrong.
    pub level: Level,
    /// What can go wrong.
    pub risk: String,
    /// Who should leave it alone.
    pub leave: String,
    /// Where to read more: the kernel's documentation by name; those of the file where it has none.
    #[serde(default)]
    pub references: Vec<String>,
}

/// A place of other releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Former {
    /// The file.
    pub path: String,
    /// First release, where known.
    pub since: Option<Release>,
    /// Last release.
    pub until: Release,
}

/// What a tunable takes from a release on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeSince {
    /// First release with it; none for the oldest.
    pub since: Option<Release>,
    /// Least value that the kernel takes.
    pub min: Option<i64>,
    /// Largest value that the kernel takes.
    pub max: Option<i64>,
    /// The words that it takes.
    #[serde(default)]
    pub choices: Vec<String>,
}

/// A default from a release on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DefaultSince {
    /// First release with it; none for the oldest.
    pub since: Option<Release>,
    /// The value.
    pub value: String,
}

/// Another tunable that this one works with.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interaction {
    /// The other one's id.
    pub id: String,
    /// How they work together.
    pub how: String,
    /// Whether writing this one may change the other: undo has to check both.
    #[serde(default)]
    pub couples: bool,
    /// Whether this one's number has to be below the other's.
    #[serde(default)]
    pub below: bool,
}

/// Values that do harm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Harm {
    /// The least number of them.
    pub from: Option<i64>,
    /// The largest number of them.
    pub to: Option<i64>,
    /// The words of them.
    #[serde(default)]
    pub is: Vec<String>,
    /// A value that does not.
    pub better: Option<String>,
    /// What they do.
    pub why: String,
}

/// What values a tunable takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A whole number.
    Integer,
    /// Several whole numbers.
    Integers,
    /// 0 or 1.
    Switch,
    /// One of a list of words; the file may show all and mark the chosen one.
    Choice,
    /// A number, or `max` for no limit; a part of one where the unit can be divided (CPUs).
    Limit,
    /// A word that is not from a list.
    Word,
    /// A set of CPUs as a hexadecimal mask.
    CpuMask,
    /// A set of numbers (CPUs, nodes, ports) as a list: `0-3,8`.
    CpuList,
    /// It is there or not: an option of a mount, an argument at boot.
    Flag,
}

/// How much a change can do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Slower or faster, nothing else.
    Low,
    /// Programs may fail or stall, until it is undone.
    Some,
    /// Data, or the machine, may be lost.
    High,
}

impl Level {
    /// One word for lists.
    pub fn word(self) -> &'static str {
        match self {
            Level::Low => "low",
            Level::Some => "some",
            Level::High => "high",
        }
    }
}

impl Kind {
    /// The word of a document, which is public in JSON.
    pub fn id(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Integers => "integers",
            Kind::Switch => "switch",
            Kind::Choice => "choice",
            Kind::Limit => "limit",
            Kind::Word => "word",
            Kind::CpuMask => "cpu_mask",
            Kind::CpuList => "cpu_list",
            Kind::Flag => "flag",
        }
    }

    /// One word for lists.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Integers => "integers",
            Kind::Switch => "switch (0 or 1)",
            Kind::Choice => "choice",
            Kind::Limit => "number or max",
            Kind::Word => "word",
            Kind::CpuMask => "mask of CPUs",
            Kind::CpuList => "list such as 0-3,8",
            Kind::Flag => "flag",
        }
    }
}

impl Tunable {
    /// Whether a release has it, in this place; none of an entry without releases says that it
    /// does not.
    pub fn is_in(&self, release: Release) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| release <= until)
    }

    /// Whether it is the machine's or a device's: those of processes and groups are too many to list.
    pub fn is_machines(&self) -> bool {
        match (&self.path, self.door) {
            (Some(path), _) => !path.contains("**") && !path.starts_with("/proc/*"),
            (None, door) => door.is_some_and(|door| !matches!(door, CallDoor::Cgroup | CallDoor::Process)),
        }
    }

    /// The default in a release, where it is one value and known.
    pub fn default_in(&self, release: Release) -> Option<&str> {
        if let Some(default) = &self.default {
            return Some(default);
        }
        let held = self.defaults.iter().rev().find(|held| held.since.is_none_or(|since| since <= release));
        held.map(|held| held.value.as_str())
    }

    /// Where a release has it: this place, or a former one.
    pub fn path_in(&self, release: Release) -> Option<&str> {
        let here = self.path.as_deref().filter(|_| self.is_in(release));
        here.or_else(|| {
            let has = |was: &&Former| was.since.is_none_or(|since| since <= release) && release <= was.until;
            self.was.iter().find(has).map(|was| was.path.as_str())
        })
    }

    /// The harm that a value is known to do.
    pub fn harm(&self, value: &str) -> Option<&Harm> {
        let number = value.parse::<i64>().ok();
        let within = |harm: &&Harm| {
            let bounded = harm.from.is_some() || harm.to.is_some();
            let fits = |number: i64| {
                harm.from.is_none_or(|from| from <= number) && harm.to.is_none_or(|to| number <= to)
            };
            harm.is.iter().any(|word| word == value) || (bounded && number.is_some_and(fits))
        };
        self.harms.iter().find(within)
    }

    /// What it takes: in a release, or in each of the entry if the release is unknown.
    pub fn ranges_in(&self, release: Option<Release>) -> Vec<RangeSince> {
        if self.ranges.is_empty() {
            let (min, max, choices) = (self.min, self.max, self.choices.clone());
            return vec![RangeSince { since: None, min, max, choices }];
        }
        let held = |release: Release| {
            let of_it = |range: &&RangeSince| range.since.is_none_or(|since| since <= release);
            self.ranges.iter().rev().find(of_it).into_iter()
        };
        release.map_or_else(|| self.ranges.clone(), |release| held(release).cloned().collect())
    }

    /// What is wrong with a value in a release, in words; none where it fits. Where the release is not
    /// known a value has to fit one of those that have it.
    pub fn objection(&self, value: &str, release: Option<Release>) -> Option<String> {
        let ranges = self.ranges_in(release);
        let wrong: Option<Vec<String>> = ranges.iter().map(|range| self.objection_in(range, value)).collect();
        let latest = wrong?.pop()?;
        let differs = release.filter(|_| ranges.first().is_some_and(|range| !self.is_everywhere(range)));
        Some(differs.map_or_else(|| latest.clone(), |release| format!("{latest} in {release}")))
    }

    /// Whether a range is that of all releases.
    fn is_everywhere(&self, range: &RangeSince) -> bool {
        self.ranges.iter().all(|other| other == range)
    }

    fn objection_in(&self, range: &RangeSince, value: &str) -> Option<String> {
        let number = |word: &str| number_objection(range, self.unit.as_deref(), word);
        match self.kind {
            Kind::Integer => number(value),
            Kind::Limit if value == NO_LIMIT => None,
            Kind::Limit if self.unit.as_deref() == Some(DIVISIBLE) => share_objection(value),
            Kind::Limit => number(value).map(|what| match what.strip_suffix(')') {
                Some(what) => format!("{what}, or {NO_LIMIT})"),
                None => what,
            }),
            Kind::Integers => {
                let words: Vec<&str> = value.split_whitespace().collect();
                match self.count {
                    Some(count) if count != words.len() => {
                        Some(format!("{} numbers; expected {count}", words.len()))
                    }
                    _ => words.into_iter().find_map(number),
                }
            }
            Kind::Flag if !matches!(value, "on" | "off") => Some(invalid(value, "allowed: on, off")),
            Kind::Switch if !matches!(value, "0" | "1") => Some(invalid(value, "allowed: 0, 1")),
            Kind::Choice
                if !range.choices.is_empty() && !range.choices.iter().any(|choice| choice == value) =>
            {
                Some(invalid(value, &format!("allowed: {}", range.choices.join(", "))))
            }
            Kind::CpuMask if !is_mask(value) => {
                Some(invalid(value, "expected a CPU mask such as ff or 3,ffffffff"))
            }
            Kind::CpuList if !is_list(value) => Some(invalid(value, "expected a CPU list such as 0-3,8")),
            Kind::Word if value.is_empty() => Some("empty; expected a word".to_owned()),
            _ => None,
        }
    }
}

impl RangeSince {
    /// The numbers that it takes, in words; none where there is no bound.
    pub fn words(&self) -> Option<String> {
        match (self.min, self.max) {
            (Some(min), Some(max)) => Some(format!("{min} to {max}")),
            (Some(min), None) => Some(format!("at least {min}")),
            (None, Some(max)) => Some(format!("at most {max}")),
            (None, None) => None,
        }
    }
}

/// A value that is refused, and what is taken.
fn invalid(value: &str, expected: &str) -> String {
    format!("invalid value {value} ({expected})")
}

fn number_objection(range: &RangeSince, unit: Option<&str>, word: &str) -> Option<String> {
    // The kernel's largest unsigned numbers do not fit into i64.
    let Ok(number) = word.parse::<i128>() else {
        let of = unit.map_or_else(String::new, |unit| format!(" of {unit}"));
        return Some(invalid(word, &format!("expected a whole number{of}")));
    };
    let (min, max) = (range.min.map(i128::from), range.max.map(i128::from));
    let fits = min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max);
    let expected = || range.words().unwrap_or_else(|| "a number".to_owned());
    (!fits).then(|| format!("{number} is out of range (allowed: {})", expected()))
}

/// Part of a unit that can be divided.
fn share_objection(value: &str) -> Option<String> {
    let is_share = value.parse::<f64>().is_ok_and(|number| number.is_finite() && number > 0.0);
    (!is_share).then(|| invalid(value, &format!("expected {DIVISIBLE} above 0 such as 1.5, or {NO_LIMIT}")))
}

fn is_mask(value: &str) -> bool {
    !value.is_empty()
        && value
            .split(',')
            .all(|part| (1..=8).contains(&part.len()) && part.chars().all(|c| c.is_ascii_hexdigit()))
}

/// An empty list is one too: no CPU.
fn is_list(value: &str) -> bool {
    value.is_empty()
        || value.split(',').all(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            matches!((first.parse::<u32>(), last.parse::<u32>()), (Ok(first), Ok(last)) if first <= last)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tunable(text: &str) -> Tunable {
        let rest = "id = 'a.b'\nmeaning = 'm'\nlevel = 'low'\nrisk = 'r'\nleave = 'l'\n";
        toml::from_str(&format!("{rest}{text}")).expect("a tunable")
    }

    #[test]
    fn values_are_judged_by_kind_and_range() {
        let number = tunable("kind = 'integer'\nmin = 0\nmax = 100");
        assert_eq!(number.objection("100", None), None);
        assert_eq!(number.objection("101", None).as_deref(), Some("101 is out of range (allowed: 0 to 100)"));
        assert!(number.objection("ten", None).is_some());
        let bytes = tunable("kind = 'integer'\nunit = 'bytes'");
        assert_eq!(
            bytes.objection("256MB", None).as_deref(),
            Some("invalid value 256MB (expected a whole number of bytes)")
        );
        let large = tunable("kind = 'integer'\nmin = 0");
        assert_eq!(large.objection("18446744073692774399", None), None);
        let three = tunable("kind = 'integers'\ncount = 3\nmin = 1");
        assert_eq!(three.objection("4096\t131072 6291456", None), None);
        assert!(three.objection("4096 131072", None).is_some() && three.objection("0 1 2", None).is_some());
        let choice = tunable("kind = 'choice'\nchoices = ['none', 'bfq']");
        assert_eq!(choice.objection("cfq", None).as_deref(), Some("invalid value cfq (allowed: none, bfq)"));
        let (mask, list) = (tunable("kind = 'cpu_mask'"), tunable("kind = 'cpu_list'"));
        assert_eq!((mask.objection("3,ffffffff", None), list.objection("0-3,8", None)), (None, None));
        assert!(mask.objection("0-3", None).is_some() && list.objection("3-0", None).is_some());
    }

    #[test]
    fn a_place_and_a_default_are_those_of_the_release() {
        let moved = tunable(
            "kind = 'integer'\npath = '/new'\nsince = '6.6'\n\
             was = [{ path = '/old', until = '5.12' }, { path = '/debug', since = '5.13', until = '6.5' }]\n\
             defaults = [{ value = '128' }, { since = '5.4', value = '4096' }]",
        );
        let at = |release: &str| {
            let release = release.parse().expect("a release");
            (moved.path_in(release), moved.default_in(release))
        };
        assert_eq!(at("4.18"), (Some("/old"), Some("128")));
        assert_eq!(at("5.13"), (Some("/debug"), Some("4096")));
        assert_eq!(at("6.18"), (Some("/new"), Some("4096")));
    }

    #[test]
    fn a_range_is_that_of_the_release() {
        let grown = tunable(
            "kind = 'integer'\nranges = [{ min = 0, max = 100 }, { since = '5.8', min = 0, max = 200 }, { since = '7.1', min = 0 }]",
        );
        let at =
            |value: &str, release: &str| grown.objection(value, Some(release.parse().expect("a release")));
        assert_eq!(at("150", "5.7").as_deref(), Some("150 is out of range (allowed: 0 to 100) in 5.7"));
        assert_eq!((at("150", "5.8"), at("100", "4.18")), (None, None));
        assert!(at("201", "7.0").is_some() && at("201", "7.1").is_none() && at("-1", "7.1").is_some());
        // One of the releases takes it.
        assert_eq!(grown.objection("150", None), None);
        assert_eq!(grown.objection("-1", None).as_deref(), Some("-1 is out of range (allowed: at least 0)"));
        let words = tunable(
            "kind = 'choice'\nranges = [{ choices = ['noop'] }, { since = '5.0', choices = ['none'] }]",
        );
        assert_eq!(words.objection("noop", "4.18".parse().ok()), None);
        assert_eq!(
            words.objection("noop", "5.0".parse().ok()).as_deref(),
            Some("invalid value noop (allowed: none) in 5.0")
        );
    }
}
