//! Rows of `object_time`: what processes waited for between two readings.
//!
//! Of a process and class at most 64 objects are named in a minute, so that a program that waits for thousands
//! of files makes no more rows than one that waits for a few. The time of the others is reported in one row.

use std::collections::{HashMap, HashSet};

use heldup_model::tables::ObjectTimeRow;
use heldup_model::{Class, RowSet, Text};

use super::account::{TaskId, TaskMap};
use super::late::{LateBook, Total, Waited};
use super::object::{ObjectName, ObjectNames};
use super::record::Object;
use super::rows::Words;
use super::stack_rows::{ProcessNames, TaskLabel};

/// Objects that are named for a process and class in a minute, whatever their time is; the longest waits first.
const NAMED_FIRST: usize = 48;
/// Objects that are named after these: where they have a quarter of a reading, nobody else has more.
const NAMED_LATER: usize = 16;
const MINUTE_MS: i64 = 60_000;
/// What objects without a name of their own are called.
const OTHERS: &str = "others";

/// What a wait is for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    Unknown,
    /// A block device, of waits for one.
    Device(Text),
    /// A lock of the kernel, by the function that asks for it.
    Lock(Text),
    /// A function of the kernel that waits for the kernel itself.
    Function(Text),
    Object(Object),
    Others,
}

/// Whose time it is.
type Owner = (u32, Class);

/// Which objects have been named in this minute.
#[derive(Default)]
pub(crate) struct ObjectTimes {
    minute: i64,
    named: HashMap<Owner, HashSet<Thing>>,
}

impl ObjectTimes {
    /// The rows of what was waited for since they were made last; none where nothing was. `now_ms` is a time UTC:
    /// minutes are those of the rollups by minute.
    pub(crate) fn rows(
        &mut self,
        now_ms: i64,
        late: &mut LateBook,
        labels: &TaskMap<TaskLabel>,
        objects: &mut ObjectNames,
        words: &Words,
    ) -> Option<RowSet> {
        let minute = now_ms.div_euclid(MINUTE_MS);
        if std::mem::replace(&mut self.minute, minute) != minute {
            self.named.clear();
        }
        let waited = late.take_waited();
        let mut names: HashMap<u32, Text> = HashMap::new();
        let mut times: HashMap<(Owner, Thing), Total> = HashMap::new();
        for Waited { key, class, time } in waited {
            let Some(label) = labels.get(&TaskId { tid: key.tid, start_ns: key.start_ns }) else { continue };
            if label.kernel_thread {
                continue;
            }
            names.entry(key.tgid).or_insert_with(|| label.process_name.clone());
            let thing = match class {
                Class::LockKernel => late.asker(key.stack).map_or(Thing::Unknown, Thing::Lock),
                Class::KernelWait => late.asker(key.stack).map_or(Thing::Unknown, Thing::Function),
                _ if class.waits_for_device() => {
                    objects.device_of(&key.object).map_or(Thing::Unknown, Thing::Device)
                }
                _ if key.object.kind == 0 => Thing::Unknown,
                _ => Thing::Object(key.object),
            };
            let total = times.entry(((key.tgid, class), thing)).or_default();
            total.ns += time.ns;
            total.waits += time.waits;
        }
        if times.is_empty() {
            return None;
        }
        let processes = ProcessNames::new(labels);
        Some(RowSet::increases(self.limited(times).into_iter().map(|((owner, thing), time)| {
            let (pid, class) = owner;
            let object = name_of(&thing, objects, &processes);
            ObjectTimeRow {
                pid: Some(pid.into()),
                process_name: names.get(&pid).cloned(),
                class_name: Some(words.class(class)),
                object_kind: object.kind,
                object_name: object.name,
                object_device: object.device,
                object_inode: object.inode,
                seconds: Some(time.ns as f64 / 1e9),
                waits: Some(time.waits as i64),
            }
        })))
    }

    /// The times with no more objects than may be named; in one order at every reading.
    fn limited(&mut self, times: HashMap<(Owner, Thing), Total>) -> Vec<((Owner, Thing), Total)> {
        let mut of_owner: HashMap<Owner, u64> = HashMap::new();
        for ((owner, _), time) in &times {
            *of_owner.entry(*owner).or_default() += time.ns;
        }
        let mut times: Vec<((Owner, Thing), Total)> = times.into_iter().collect();
        times.sort_unstable_by(|(one, a), (other, b)| b.ns.cmp(&a.ns).then_with(|| one.cmp(other)));
        let mut limited: Vec<((Owner, Thing), Total)> = Vec::with_capacity(times.len());
        let mut others: HashMap<Owner, Total> = HashMap::new();
        for ((owner, thing), time) in times {
            let named = self.named.entry(owner).or_default();
            let has_place = named.len() < NAMED_FIRST
                || (named.len() < NAMED_FIRST + NAMED_LATER
                    && time.ns * 4 >= of_owner.get(&owner).copied().unwrap_or(0));
            if thing == Thing::Unknown || named.contains(&thing) || has_place {
                if thing != Thing::Unknown {
                    named.insert(thing.clone());
                }
                limited.push(((owner, thing), time));
            } else {
                let sum = others.entry(owner).or_default();
                sum.ns += time.ns;
                sum.waits += time.waits;
            }
        }
        limited.extend(others.into_iter().map(|(owner, time)| ((owner, Thing::Others), time)));
        limited.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        limited
    }
}

fn name_of(thing: &Thing, objects: &mut ObjectNames, processes: &ProcessNames<'_>) -> ObjectName {
    let of_kind = |kind: &str, name: Option<Text>| ObjectName {
        kind: Some(kind.into()),
        name,
        ..ObjectName::default()
    };
    match thing {
        Thing::Unknown => ObjectName::default(),
        Thing::Device(device) => {
            ObjectName { device: Some(device.clone()), ..of_kind("device", Some(device.clone())) }
        }
        Thing::Lock(asker) => of_kind("lock", Some(asker.clone())),
        Thing::Function(asker) => of_kind("function", Some(asker.clone())),
        Thing::Object(object) => objects.name(object, |pid| processes.name(pid)),
        Thing::Others => of_kind(OTHERS, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Owner = (7, Class::LockFile);

    fn file(inode: u64) -> (Owner, Thing) {
        (OWNER, Thing::Object(Object { kind: 1, a: inode, ..Object::default() }))
    }

    fn reading(times: &mut ObjectTimes, files: impl IntoIterator<Item = (u64, u64)>) -> Vec<(Thing, u64)> {
        let all = files.into_iter().map(|(inode, ns)| (file(inode), Total { ns, waits: 1 })).collect();
        times.limited(all).into_iter().map(|((_, thing), time)| (thing, time.ns)).collect()
    }

    fn named(rows: &[(Thing, u64)]) -> usize {
        rows.iter().filter(|(thing, _)| *thing != Thing::Others).count()
    }

    #[test]
    fn no_more_than_64_objects_are_named_in_a_minute_and_no_time_is_lost() {
        let mut times = ObjectTimes::default();
        let mut seen = HashSet::new();
        for second in 0..60 {
            let rows = reading(&mut times, (0..100).map(|file| (second * 1_000 + file, 10 + file)));
            assert_eq!(
                rows.iter().map(|(_, ns)| ns).sum::<u64>(),
                (0..100).map(|file| 10 + file).sum::<u64>()
            );
            seen.extend(rows.into_iter().map(|(thing, _)| thing).filter(|thing| *thing != Thing::Others));
        }
        assert_eq!(seen.len(), NAMED_FIRST, "the longest of the first second");
        assert!(seen.contains(&file(99).1) && !seen.contains(&file(0).1));
    }

    #[test]
    fn what_comes_late_and_is_much_is_named_all_the_same() {
        let mut times = ObjectTimes::default();
        assert_eq!(named(&reading(&mut times, (0..60).map(|file| (file, 5)))), NAMED_FIRST);
        let rows = reading(&mut times, [(5_000, 100), (5_001, 20), (5_002, 20)]);
        assert_eq!(rows, [(file(5_000).1, 100), (Thing::Others, 40)]);
        let of_minute = times.named[&OWNER].len();
        assert!(of_minute <= NAMED_FIRST + NAMED_LATER);
        for one in 0..100 {
            reading(&mut times, [(6_000 + one, 100)]);
        }
        assert_eq!(times.named[&OWNER].len(), NAMED_FIRST + NAMED_LATER);
    }

    #[test]
    fn what_is_not_known_takes_no_place() {
        let mut times = ObjectTimes::default();
        let unknown = ((OWNER, Thing::Unknown), Total { ns: 9, waits: 1 });
        let rows = times.limited([unknown].into());
        assert_eq!(rows.len(), 1);
        assert!(times.named[&OWNER].is_empty());
    }
}
