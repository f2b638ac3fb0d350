//! What is mounted where and how, in our mount namespace and in those of containers and
//! services (table `mount`). How full file systems are is in [`crate::filesystem`].
//!
//! A host's mounts are repeated in almost every namespace: of others only those that ours
//! does not have in the same way are kept. Read once; no file system is asked anything.

use std::collections::HashSet;

use heldup_hostfs::Host;
use heldup_model::tables::MountRow;
use heldup_model::{Missing, Record, RowSet, TableDef, Text};

use crate::filesystem::device;
use crate::mountinfo::{self, Mount};
use crate::namespaces;
use crate::process_owner::ProcessOwners;
use crate::source::{ReadContext, Reading, Schedule, Source};

const PATH: &str = "/proc/self/mountinfo";
/// At most so many mounts are kept; each costs about 5 µs.
const MAX_MOUNTS: usize = 5000;

/// The source.
#[derive(Debug, Default)]
pub struct Mounts {
    text: Vec<u8>,
}

/// What makes a mount of another namespace worth a row.
#[derive(PartialEq, Eq, Hash)]
struct Likeness {
    dev_id: String,
    root: String,
    point: String,
    options: String,
}

impl Likeness {
    fn of(mount: &Mount) -> Likeness {
        Likeness {
            dev_id: mount.dev_id.clone(),
            root: mount.root.clone(),
            point: mount.point.clone(),
            options: mount.options.clone(),
        }
    }
}

impl Source for Mounts {
    fn name(&self) -> &'static str {
        "mount"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[MountRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if let Err(error) = host.read_into(PATH, &mut self.text) {
            reading.lacks("mount", &error, "mount proc on /proc");
            return reading;
        }
        let ours = reading.take(PATH, mountinfo::parse(&self.text));
        let known: HashSet<Likeness> = ours.iter().map(Likeness::of).collect();
        let mntns = namespaces::own(host, "mnt");
        let mut cut = ours.len() > MAX_MOUNTS;
        let mut rows: Vec<MountRow> =
            ours.iter().take(MAX_MOUNTS).map(|mount| row(host, mount, mntns)).collect();
        let others = context.namespaces.others(host, "mnt");
        let mut owners = ProcessOwners::default();
        for namespace in &others.namespaces {
            let path = format!("/proc/{}/mountinfo", namespace.pid);
            // A process that has ended meanwhile takes its namespace with it, as far as we can tell.
            if host.read_into(&path, &mut self.text).is_err() {
                continue;
            }
            let theirs = reading.take(&path, mountinfo::parse(&self.text));
            let owner = owners.of(host, namespace.pid);
            for mount in theirs.iter().filter(|mount| !known.contains(&Likeness::of(mount))) {
                if rows.len() >= MAX_MOUNTS {
                    cut = true;
                    break;
                }
                rows.push(MountRow {
                    pid: Some(namespace.pid),
                    name: owner.name.clone(),
                    unit: owner.unit.clone(),
                    container: owner.container.clone(),
                    ..row(host, mount, Some(namespace.inode))
                });
            }
        }
        reading.missing.extend(namespaces::unseen(&others, "mount", "mount.mntns"));
        if cut {
            reading.missing.push(Missing {
                what: "mount".to_owned(),
                why: format!("more than {MAX_MOUNTS} mounts; the first were read"),
                how: "look inside the container in question: findmnt -N PID".to_owned(),
            });
        }
        reading.rows.push(RowSet::totals(rows));
        reading
    }
}

fn row(host: &Host, mount: &Mount, mntns: Option<i64>) -> MountRow {
    let text = |text: &str| Some(Text::from(text));
    let device = device(host, mount);
    let is_read_only = |options: &str| options.split(',').any(|option| option == "ro");
    MountRow {
        mntns,
        mount_id: mount.mount_id,
        parent_id: mount.parent_id,
        mount: text(&mount.point),
        fs_type: text(&mount.fs_type),
        source: text(&mount.source),
        // Where there is no device the source stands for it.
        device: (device != mount.source).then(|| device.into()),
        dev_id: text(&mount.dev_id),
        root: text(&mount.root),
        options: text(&mount.options),
        super_options: text(&mount.super_options),
        read_only: Some(is_read_only(&mount.options) || is_read_only(&mount.super_options)),
        propagation: text(&propagation(&mount.optional)),
        ..MountRow::default()
    }
}

/// `shared:2 master:1` → `shared,slave`.
fn propagation(optional: &str) -> String {
    let has = |name: &str| optional.split(' ').any(|field| field.split(':').next() == Some(name));
    let mut words = vec![if has("shared") { "shared" } else { "private" }];
    words.extend(has("master").then_some("slave"));
    words.extend(has("unbindable").then_some("unbindable"));
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn propagation_is_told_as_findmnt_does() {
        for (optional, expected) in [
            ("", "private"),
            ("shared:2", "shared"),
            ("master:7", "private,slave"),
            ("shared:2 master:7 propagate_from:3", "shared,slave"),
            ("unbindable", "private,unbindable"),
        ] {
            assert_eq!(propagation(optional), expected, "{optional}");
        }
    }
}
