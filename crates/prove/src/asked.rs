//! The changes of the command line: settings by name, and the values to try.

use heldup_hostfs::Host;
use heldup_tune::{Catalogue, Plan, PlanError, Planned};

/// Instances that an error names.
const MOST_NAMED: usize = 5;

/// Why a word is no change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskedError {
    /// It has no value.
    #[error("{0}: expected SETTING=VALUE, as in vm.swappiness=10")]
    NoValue(String),
    /// It is no setting of this machine.
    #[error(transparent)]
    NoSetting(PlanError),
    /// It is here several times.
    #[error("{name} matches {count} settings: name one, such as {some}")]
    Several {
        /// As it was given.
        name: String,
        /// How often.
        count: usize,
        /// Some of their keys.
        some: String,
    },
    /// It would be refused.
    #[error("{key}: {what}")]
    Refused {
        /// The setting.
        key: String,
        /// Why.
        what: String,
    },
    /// It has the value.
    #[error("{key} is already {value}: nothing to test")]
    Same {
        /// The setting.
        key: String,
        /// The value.
        value: String,
    },
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The changes, in the order in which they were named.
    pub changes: Vec<Planned>,
    /// Settings with a value that is named and that they have already: the others are tried against it.
    pub already: Vec<(String, String)>,
}

/// The changes of words such as `vm.dirty_ratio=10,20,40`: one for each value, but for the one that the
/// setting has.
pub fn asked(catalogue: &Catalogue, host: &Host, words: &[String]) -> Result<Asked, AskedError> {
    let mut all = Asked::default();
    for word in words {
        let (name, values) = word
            .split_once('=')
            .filter(|(name, values)| !name.is_empty() && !values.is_empty())
            .ok_or_else(|| AskedError::NoValue(word.clone()))?;
        let several = values.contains(',');
        let before = all.changes.len();
        for value in values.split(',') {
            match one(catalogue, host, name.trim(), value.trim()) {
                Err(AskedError::Same { key, value }) if several => all.already.push((key, value)),
                change => all.changes.push(change?),
            }
        }
        if let Some((key, value)) = all.already.last().filter(|_| all.changes.len() == before) {
            return Err(AskedError::Same { key: key.clone(), value: value.clone() });
        }
    }
    Ok(all)
}

fn one(catalogue: &Catalogue, host: &Host, name: &str, value: &str) -> Result<Planned, AskedError> {
    let plan = Plan::from_assignments(catalogue, host, [(name, value)], false);
    let mut plan = plan.map_err(|errors| {
        let first = errors.into_iter().next();
        first.map_or_else(|| AskedError::NoValue(name.to_owned()), AskedError::NoSetting)
    })?;
    if plan.changes.len() > 1 {
        let some: Vec<&str> =
            plan.changes.iter().take(MOST_NAMED).map(|at| at.instance.key.as_str()).collect();
        let (name, count, some) = (name.to_owned(), plan.changes.len(), some.join(", "));
        return Err(AskedError::Several { name, count, some });
    }
    if let Some((change, objection)) = plan.refused().next() {
        return Err(AskedError::Refused { key: change.instance.key.clone(), what: objection.what.clone() });
    }
    match plan.changes.pop() {
        Some(change) if change.is_change() => Ok(change),
        Some(change) => Err(AskedError::Same { key: change.instance.key, value: change.to }),
        None => Err(AskedError::NoValue(name.to_owned())),
    }
}

/// A word such as `vm.dirty_ratio=5..80` with the values that are searched: from the first on twice as
/// much each time, and the last. Other words stay as they are.
pub fn values(word: &str) -> String {
    let range = || {
        let (name, values) = word.split_once('=')?;
        let (low, high) = values.split_once("..")?;
        let (low, high): (u64, u64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        let doubled =
            std::iter::successors(Some(low), |at| at.max(&1).checked_mul(if *at == 0 { 1 } else { 2 }));
        let below: Vec<String> = doubled.take_while(|at| *at < high).map(|at| at.to_string()).collect();
        (low < high).then(|| format!("{name}={},{high}", below.join(",")))
    };
    range().unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A tree with two disks and two settings; removed when dropped.
    struct Tree(PathBuf);

    impl Tree {
        fn new(name: &str) -> Tree {
            let root = std::env::temp_dir().join(format!("heldup-asked-{name}-{}", std::process::id()));
            for (file, text) in [
                ("proc/sys/vm/swappiness", "60\n"),
                ("sys/block/vda/queue/read_ahead_kb", "128\n"),
                ("sys/block/vdb/queue/read_ahead_kb", "0\n"),
                ("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ] {
                let path = root.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Tree(root)
        }

        fn asked(&self, word: &str) -> Result<Vec<(String, String, String)>, AskedError> {
            let catalogue = Catalogue::builtin();
            let all = asked(&catalogue, &Host::recorded(&self.0), &[word.to_owned()])?.changes;
            Ok(all.into_iter().map(|one| (one.instance.key, one.from.unwrap(), one.to)).collect())
        }
    }

    impl Drop for Tree {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn each_value_is_a_change() {
        let tree = Tree::new("values");
        let found = tree.asked("vm.swappiness=10,20").unwrap();
        let wanted = [("10", 0), ("20", 1)];
        for (value, at) in wanted {
            assert_eq!(found[at], ("vm.swappiness".to_owned(), "60".to_owned(), value.to_owned()));
        }
        let by_path = tree.asked("/sys/block/vdb/queue/read_ahead_kb=128").unwrap();
        assert_eq!(by_path[0].0, "block.vdb.queue.read_ahead_kb");
        let word = tree.asked("kernel.mm.transparent_hugepage.enabled=never").unwrap();
        assert_eq!((word[0].1.as_str(), word[0].2.as_str()), ("madvise", "never"));
    }

    /// The examples of the manual name the default among the values.
    #[test]
    fn the_value_that_is_there_is_what_others_are_tried_against() {
        let tree = Tree::new("there");
        let found = tree.asked("vm.swappiness=10,60,80").unwrap();
        assert_eq!(found.iter().map(|(_, _, to)| to.as_str()).collect::<Vec<_>>(), ["10", "80"]);
        let words = ["vm.swappiness=60,80".to_owned()];
        let all = asked(&Catalogue::builtin(), &Host::recorded(&tree.0), &words).unwrap();
        assert_eq!(all.already, [("vm.swappiness".to_owned(), "60".to_owned())]);
        let error = tree.asked("vm.swappiness=60,60").unwrap_err().to_string();
        assert_eq!(error, "vm.swappiness is already 60: nothing to test");
    }

    #[test]
    fn what_is_no_change_says_why() {
        let tree = Tree::new("refused");
        for (word, said) in [
            ("vm.swappiness", "expected SETTING=VALUE"),
            ("vm.swappyness=1", "unknown setting `vm.swappyness`"),
            ("vm.swappiness=60", "vm.swappiness is already 60"),
            ("vm.swappiness=1000", "out of range"),
            ("vm.dirty_ratio=5", "not on this machine"),
            ("block.*.queue.read_ahead_kb=64", "matches 2 settings: name one, such as block.vda"),
        ] {
            let error = tree.asked(word).unwrap_err().to_string();
            assert!(error.contains(said), "{word}: {error}");
        }
    }

    #[test]
    fn ranges_are_doubled() {
        for (word, wanted) in [
            ("a=5..40", "a=5,10,20,40"),
            ("a=0..6", "a=0,1,2,4,6"),
            ("a=64..65", "a=64,65"),
            ("a=8..8", "a=8..8"),
            ("a=1,2", "a=1,2"),
        ] {
            assert_eq!(values(word), wanted);
        }
    }
}
