//! Control groups: use, limits and stalls of each (table `cgroup`).
//!
//! One row for each path. Version 1 has a tree for each controller; groups of the same
//! path are one row, and where a version 2 tree stands beside them (hybrid hosts) its
//! figures fill what version 1 does not have.
//!
//! About ten small files a group are read. A host with few groups is read at every sample;
//! with more than [`MAX_GROUPS_EVERY_SAMPLE`] the whole table is read at both ends of the
//! window only, so that looking stays cheap: who was throttled in which second is in the
//! ledger anyway.

use std::collections::{BTreeMap, HashSet};

use heldup_hostfs::{Host, KeptFiles, KeptFolders};
use heldup_model::tables::CgroupRow;
use heldup_model::{Missing, Record, RowSet, TableDef, owner_of_cgroup};

use crate::kernel_text::Parsed;
use crate::mountinfo::{self, Mount};
use crate::source::{Cadence, Reading, Source};
use crate::{cgroup_v1, cgroup_v2};

/// A group costs about 60 µs: so many keep a sample within two milliseconds.
const MAX_GROUPS_EVERY_SAMPLE: usize = 32;
/// At most so many groups are read, the ones nearest to the root first.
const MAX_GROUPS: usize = 2000;
/// After so many readings it is seen anew which files a group does not have: those of a controller that is
/// handed down to it later. The root has half of them only, and so has a service of systemd that accounts for
/// nothing but tasks and memory; to look for one in vain takes longer than to read one.
const ABSENT_READINGS: u32 = 16;
/// How deep trees of groups are followed; the deepest known ones (nested containers under
/// systemd) have about a dozen levels.
const MAX_DEPTH: usize = 32;

/// One mounted tree of groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    /// Where it is mounted.
    pub point: String,
    /// Path of the group that the mount shows as its root; empty for the real root.
    pub prefix: String,
    /// Controllers that fill columns.
    pub controllers: Vec<String>,
    /// Version 2.
    pub unified: bool,
}

/// The hierarchies among the mounts, each once, version 1 first.
pub fn hierarchies(mounts: &[Mount]) -> Vec<Hierarchy> {
    let mut found: Vec<Hierarchy> = Vec::new();
    let mut devices: Vec<&str> = Vec::new();
    for mount in mounts.iter().filter(|mount| mount.fs_type == "cgroup" || mount.fs_type == "cgroup2") {
        let unified = mount.fs_type == "cgroup2";
        let options = mount.super_options.split(',').map(str::to_owned);
        let controllers: Vec<String> =
            options.filter(|option| cgroup_v1::CONTROLLERS.contains(&option.as_str())).collect();
        // The same file system may be mounted again elsewhere.
        if devices.contains(&mount.dev_id.as_str()) || (!unified && controllers.is_empty()) {
            continue;
        }
        devices.push(&mount.dev_id);
        // In a namespace of control groups, what lies above its root shows as `/..`.
        let outside = mount.root == "/" || mount.root.starts_with("/..");
        let prefix = if outside { String::new() } else { mount.root.clone() };
        found.push(Hierarchy { point: mount.point.clone(), prefix, controllers, unified });
    }
    found.sort_by_key(|hierarchy| hierarchy.unified);
    found
}

/// Files of one group in one hierarchy.
pub struct GroupFiles<'a> {
    host: &'a Host,
    kept: &'a mut KeptFiles,
    absent: &'a mut HashSet<String>,
    reading: &'a mut Reading,
    text: &'a mut Vec<u8>,
    folder: String,
    /// Clock ticks in a second.
    pub ticks_per_s: f64,
}

impl GroupFiles<'_> {
    /// What a file says; none where it is not there, which an older kernel, the root group
    /// and a group that was removed meanwhile have in common.
    pub fn read<T>(&mut self, file: &str, parse: impl Fn(&[u8]) -> Parsed<T>) -> Option<T> {
        let path = format!("{}/{file}", self.folder);
        if self.absent.contains(&path) {
            return None;
        }
        match self.kept.read_record_into(self.host, &path, self.text) {
            Ok(()) => Some(self.reading.take(&path, parse(self.text))),
            Err(error) => {
                if error.is_absent() {
                    self.absent.insert(path);
                }
                None
            }
        }
    }
}

/// The source.
#[derive(Debug)]
pub struct Cgroup {
    hierarchies: Option<Vec<Hierarchy>>,
    cadence: Cadence,
    ticks_per_s: f64,
    files: KeptFiles,
    /// Files that were not there, and the readings since that was seen first.
    absent: HashSet<String>,
    absent_readings: u32,
    folders: KeptFolders,
    text: Vec<u8>,
}

impl Default for Cgroup {
    fn default() -> Cgroup {
        Cgroup {
            hierarchies: None,
            cadence: Cadence::EverySample,
            ticks_per_s: 0.0,
            files: KeptFiles::default(),
            absent: HashSet::new(),
            absent_readings: 0,
            folders: KeptFolders::default(),
            text: Vec::new(),
        }
    }
}

impl Source for Cgroup {
    fn name(&self) -> &'static str {
        "cgroup"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[CgroupRow::DEF]
    }

    fn cadence(&self) -> Cadence {
        self.cadence
    }

    fn read(&mut self, host: &Host) -> Reading {
        let mut reading = Reading::default();
        let Some(hierarchies) = self.hierarchies(host, &mut reading) else { return reading };
        self.files.next_round();
        self.absent_readings += 1;
        if self.absent_readings > ABSENT_READINGS {
            self.absent.clear();
            self.absent_readings = 0;
        }
        let groups = groups(host, &hierarchies, &mut self.folders);
        if groups.len() >= MAX_GROUPS {
            reading.missing.push(Missing {
                what: "cgroup".to_owned(),
                why: format!("more than {MAX_GROUPS} control groups; the ones nearest to the root were read"),
                how: "look at one group: --focus cgroup:PATH".to_owned(),
            });
        }
        let rows: Vec<CgroupRow> = groups
            .iter()
            .map(|(path, found_in)| {
                let trees = found_in.iter().filter_map(|at| hierarchies.get(*at));
                self.row(host, path, trees, &mut reading)
            })
            .collect();
        // Decided at the first reading, so that each reading has one before it to compare with.
        if self.hierarchies.is_none() && rows.len() > MAX_GROUPS_EVERY_SAMPLE {
            self.cadence = Cadence::Ends;
        }
        self.hierarchies = Some(hierarchies);
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

impl Cgroup {
    fn hierarchies(&mut self, host: &Host, reading: &mut Reading) -> Option<Vec<Hierarchy>> {
        if let Some(known) = &self.hierarchies {
            return Some(known.clone());
        }
        self.ticks_per_s = host.units().ticks_per_s as f64;
        // What is wrong with the file as such is told by the source `filesystem`.
        let mounts = match host.mount_table() {
            Ok(text) => mountinfo::parse(&text).value,
            Err(error) => {
                reading.lacks("cgroup", &error, "mount proc on /proc");
                return None;
            }
        };
        let mut found = hierarchies(&mounts);
        if found.is_empty() {
            reading.missing.push(Missing {
                what: "cgroup".to_owned(),
                why: "no tree of control groups is mounted here".to_owned(),
                how: "mount -t cgroup2 none /sys/fs/cgroup, or run outside the container".to_owned(),
            });
            return None;
        }
        for tree in found.iter_mut().filter(|tree| tree.unified) {
            let names = host.read_text(format!("{}/cgroup.controllers", tree.point)).unwrap_or_default();
            tree.controllers = names.split_ascii_whitespace().map(str::to_owned).collect();
        }
        Some(found)
    }

    fn row<'h>(
        &mut self,
        host: &Host,
        path: &str,
        trees: impl Iterator<Item = &'h Hierarchy>,
        reading: &mut Reading,
    ) -> CgroupRow {
        let owner = owner_of_cgroup(path);
        let mut row = CgroupRow {
            path: Some(path.into()),
            unit: owner.unit,
            container: owner.container,
            ..CgroupRow::default()
        };
        for tree in trees {
            let below = path.strip_prefix(tree.prefix.as_str()).unwrap_or(path);
            let folder = format!("{}{}", tree.point, below.trim_end_matches('/'));
            let (kept, text) = (&mut self.files, &mut self.text);
            let (absent, ticks_per_s) = (&mut self.absent, self.ticks_per_s);
            let mut files = GroupFiles { host, kept, absent, reading, text, folder, ticks_per_s };
            if tree.unified {
                cgroup_v2::fill(&tree.controllers, &mut files, &mut row);
            }
            for controller in tree.controllers.iter().filter(|_| !tree.unified) {
                cgroup_v1::fill(controller, &mut files, &mut row);
            }
            let version = if tree.unified { "v2" } else { "v1" };
            row.version.get_or_insert_with(|| version.into());
        }
        row
    }
}

/// Paths of all groups and the hierarchies (by position) that have them, level by level, so
/// that the limit cuts off the deepest ones.
pub(crate) fn groups(
    host: &Host,
    hierarchies: &[Hierarchy],
    folders: &mut KeptFolders,
) -> BTreeMap<String, Vec<usize>> {
    let (found, gone) = groups_by(host, hierarchies, folders);
    if !gone {
        return found;
    }
    // Another may be there in its place.
    folders.forget();
    groups_by(host, hierarchies, folders).0
}

/// The groups by the lists that are known, and whether one in them has gone.
fn groups_by(
    host: &Host,
    hierarchies: &[Hierarchy],
    folders: &mut KeptFolders,
) -> (BTreeMap<String, Vec<usize>>, bool) {
    let mut gone = false;
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut level: Vec<(usize, String)> =
        hierarchies.iter().enumerate().map(|(at, tree)| (at, tree.prefix.clone())).collect();
    for _ in 0..MAX_DEPTH {
        let mut next = Vec::new();
        for (at, path) in level {
            let shown = if path.is_empty() { "/" } else { path.as_str() };
            if found.len() >= MAX_GROUPS && !found.contains_key(shown) {
                continue;
            }
            found.entry(shown.to_owned()).or_default().push(at);
            let below = path.strip_prefix(hierarchies[at].prefix.as_str()).unwrap_or(&path);
            match folders.folders(host, &format!("{}{below}", hierarchies[at].point)) {
                Ok(names) => next.extend(names.iter().map(|name| (at, format!("{path}/{name}")))),
                Err(error) => gone |= error.is_absent(),
            }
        }
        level = next;
    }
    (found, gone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Vec<String> {
        let mounts = mountinfo::parse(text.as_bytes()).value;
        let shown = |tree: Hierarchy| format!("{} {}{}", tree.point, tree.controllers.join(","), tree.prefix);
        hierarchies(&mounts).into_iter().map(shown).collect()
    }

    #[test]
    fn what_a_group_does_not_have_is_looked_for_again() {
        let folder = std::env::temp_dir().join(format!("heldup-cgroup-{}", std::process::id()));
        let point = folder.join("group");
        std::fs::create_dir_all(&point).expect("a folder");
        let tree = Hierarchy {
            point: point.to_str().expect("a name").to_owned(),
            prefix: String::new(),
            controllers: vec!["pids".to_owned()],
            unified: true,
        };
        let (host, mut source) =
            (Host::live(), Cgroup { hierarchies: Some(vec![tree]), ..Cgroup::default() });
        let mut current = || source.read(&host).rows.remove(0).ints("processes")[0];
        assert_eq!(current(), None);
        std::fs::write(point.join("pids.current"), "7\n").expect("written");
        let seen: Vec<Option<i64>> = (0..=ABSENT_READINGS).map(|_| current()).collect();
        assert_eq!((seen[0], seen.last().copied().flatten()), (None, Some(7)), "{seen:?}");
        std::fs::write(point.join("pids.current"), "8\n").expect("written");
        assert_eq!(current(), Some(8), "what is there is read each time");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn hierarchies_among_the_mounts() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
            41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
            32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
            33 31 0:29 / /mnt/again rw - cgroup cgroup rw,cpu,cpuacct\n\
            36 31 0:33 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n\
            35 31 0:32 /docker/a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
        assert_eq!(
            points(hybrid),
            [
                "/sys/fs/cgroup/cpu,cpuacct cpu,cpuacct",
                "/sys/fs/cgroup/memory memory/docker/a",
                "/sys/fs/cgroup/unified "
            ]
        );
        assert_eq!(points("1 1 0:9 / /proc rw - proc proc rw\n"), [""; 0]);
    }
}
