//! Settings of a capture beside those of a baseline: the table `baseline_setting`, which the rule
//! `config.drift` reads.
//!
//! Only settings that people make are compared, and only if both sides could read them: the kernel, its
//! modules and devices come and go, what is derived from the size of memory differs a little from
//! boot to boot, and some settings are lowered by the kernel itself.

use std::collections::BTreeSet;

use heldup_archive::{Database, SqlError};
use heldup_model::tables::BaselineSettingRow;
use heldup_model::{Capture, Record, RowSet, Stamp};

use super::inventory::{PACKAGES, PLACES, Place, Values, values};

/// Places of the inventory that are no settings of the machine: groups come and go with what is
/// started, and limits follow from settings.
const LEFT_OUT: [&str; 2] = ["cgroup", "limits"];
/// Columns that change without anybody's doing: with each boot, with each kernel.
const BY_THEMSELVES: [(&str, &str); 2] = [("host", "boot_id"), ("host", "memory_bytes")];
/// What the kernel lowers when it takes too long (kernel/events/core.c).
const LOWERED: [&str; 2] = ["kernel.perf_event_max_sample_rate", "kernel.perf_cpu_time_max_percent"];
/// What the kernel derives from the size of memory, which differs a little from kernel to kernel.
const DERIVED: [&str; 15] = [
    "fs.epoll.max_user_watches",
    "fs.file-max",
    "fs.inotify.max_user_watches",
    "kernel.threads-max",
    "net.ipv4.tcp_max_orphans",
    "net.ipv4.tcp_max_syn_backlog",
    "net.ipv4.tcp_max_tw_buckets",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.udp_mem",
    "net.netfilter.nf_conntrack_buckets",
    "net.netfilter.nf_conntrack_max",
    "vm.min_free_kbytes",
    "vm.user_reserve_kbytes",
];
/// Differences of those up to this are none: a kernel's own size varies by less.
const DERIVED_TOLERANCE: f64 = 0.05;
/// File systems that somebody mounts to stay; others come and go with programs, or are the kernel's.
const LASTING: [&str; 15] = [
    "bcachefs", "btrfs", "ceph", "cifs", "ext2", "ext3", "ext4", "f2fs", "gfs2", "jfs", "nfs", "nfs4",
    "ocfs2", "xfs", "zfs",
];
/// Below these mounts come and go.
const PASSING: [&str; 8] = [
    "/run/",
    "/media/",
    "/proc/",
    "/sys/",
    "/tmp/",
    "/var/lib/containers/",
    "/var/lib/docker/",
    "/var/lib/kubelet/",
];

/// Why a capture cannot be compared with a baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Its settings cannot be asked for.
    #[error("the settings cannot be read: {0}")]
    Sql(#[from] SqlError),
    /// The table cannot be made.
    #[error("the table baseline_setting: {0}")]
    Table(String),
}

/// Adds the table `baseline_setting` to a capture.
pub fn add_baseline(capture: &mut Capture, baseline: &Capture) -> Result<(), BaselineError> {
    let (now, then) = (Database::open(capture)?, Database::open(baseline)?);
    let mut rows = Vec::new();
    // An upgrade is hundreds of packages, each of which would be a finding: `heldup compare` tells them.
    for place in PLACES.iter().filter(|place| !LEFT_OUT.contains(&place.0) && place.1 != PACKAGES) {
        let (before, present) = (values(&then, place)?, values(&now, place)?);
        // What one of them was not asked for cannot differ.
        if !before.is_empty() && !present.is_empty() {
            place_rows(place, &before, &present, &mut rows);
        }
    }
    rows.iter_mut().for_each(|row| row.baseline_ms = Some(baseline.span.until_ms));
    drop(now);
    let stamp = Stamp { time_ms: capture.span.until_ms, secs: None, host: capture.host.as_str().into() };
    let batch = RowSet::totals(rows).to_batch(&stamp);
    let batch = batch.map_err(|error| BaselineError::Table(error.to_string()))?;
    capture.tables.insert(BaselineSettingRow::DEF.name.to_owned(), vec![batch]);
    Ok(())
}

fn place_rows(place: &Place, before: &Values, present: &Values, rows: &mut Vec<BaselineSettingRow>) {
    let (table, ..) = *place;
    let keys: BTreeSet<_> = before.keys().chain(present.keys()).collect();
    for key @ (subject, column) in keys {
        let [then, now] = [before, present].map(|values| values.get(key).cloned().flatten());
        let known = [before, present].map(|values| values.contains_key(key));
        let lasting = table == "mount" && is_lasting(subject, before) && is_lasting(subject, present);
        let differs = match (&then, &now) {
            (Some(then), Some(now)) if table == "mount" => then != now && lasting,
            (Some(then), Some(now)) => then != now && !by_itself(table, subject, column, then, now),
            // A mount that came or went, told once.
            _ => known[0] != known[1] && lasting && *column == "source",
        };
        // Of what is new only mounts can have been somebody's doing.
        if !known[0] && !differs {
            continue;
        }
        rows.push(BaselineSettingRow {
            setting_table: Some(table.into()),
            subject: Some(subject.as_str().into()),
            setting_column: Some((*column).into()),
            words_changed: then.as_deref().zip(now.as_deref()).and_then(words_changed).map(Into::into),
            baseline_value: then.map(Into::into),
            present_value: now.map(Into::into),
            differs: Some(differs),
            baseline_ms: None,
        });
    }
}

/// Whether a mount is one to stay, as far as a side has it.
fn is_lasting(mount: &str, values: &Values) -> bool {
    let lasting = match values.get(&(mount.to_owned(), "fs_type")) {
        Some(Some(fs_type)) => LASTING.contains(&fs_type.as_str()),
        Some(None) => false,
        None => true,
    };
    lasting && !PASSING.iter().any(|passing| mount.starts_with(passing))
}

fn by_itself(table: &str, subject: &str, column: &str, then: &str, now: &str) -> bool {
    let derived = table == "setting" && DERIVED.contains(&subject);
    BY_THEMSELVES.contains(&(table, column))
        || (table == "setting" && LOWERED.contains(&subject))
        || (derived && nearly_same(then, now))
}

/// Whether two lists of numbers are the same but for [`DERIVED_TOLERANCE`].
fn nearly_same(then: &str, now: &str) -> bool {
    let numbers =
        |text: &str| text.split_whitespace().map(|word| word.parse::<f64>().ok()).collect::<Option<Vec<_>>>();
    let (Some(then), Some(now)) = (numbers(then), numbers(now)) else { return false };
    let near = |(then, now): (&f64, &f64)| (then - now).abs() <= DERIVED_TOLERANCE * then.abs();
    then.len() == now.len() && then.iter().zip(&now).all(near)
}

/// `-relatime +noatime`: what went and came of a list of words, separated by commas or blanks;
/// none for single values and lists of numbers.
fn words_changed((then, now): (&str, &str)) -> Option<String> {
    let words = |text: &str| -> BTreeSet<String> {
        text.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (before, present) = (words(then), words(now));
    let numbers = before.iter().chain(&present).all(|word| word.parse::<f64>().is_ok());
    if before == present || numbers || before.len().max(present.len()) < 2 {
        return None;
    }
    let went = before.difference(&present).map(|word| format!("-{word}"));
    let came = present.difference(&before).map(|word| format!("+{word}"));
    Some(went.chain(came).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{HostRow, MountRow, NetSettingRow, SettingRow};

    use super::*;
    use crate::captures::{Sample, Setting, capture_of, small_capture};
    use crate::row::Row;

    fn once(rows: RowSet) -> Sample {
        Sample { at: 0, secs: None, rows }
    }

    fn setting(key: &str, value: &str) -> SettingRow {
        SettingRow { setting_key: Some(key.into()), setting_value: Some(value.into()), path: None }
    }

    fn mount(mount: &str, fs_type: &str, options: &str) -> MountRow {
        MountRow {
            mount: Some(mount.into()),
            fs_type: Some(fs_type.into()),
            source: Some("/dev/x".into()),
            options: Some(options.into()),
            ..MountRow::default()
        }
    }

    /// What differs: subject, column and text.
    fn drift(before: [RowSet; 2], now: [RowSet; 2]) -> Vec<(String, String)> {
        let baseline = capture_of(before.map(once));
        let mut capture = small_capture(Setting::default(), now.map(once));
        add_baseline(&mut capture, &baseline).expect("settings that SQL reads");
        let database = Database::open(&capture).expect("a database");
        let sql = "select subject, coalesce(words_changed, baseline_value, '') || '|' || coalesce(present_value, '') as said \
                   from baseline_setting where differs order by setting_table, subject, setting_column";
        let rows = Row::all(database.query(sql).expect("rows"));
        rows.iter()
            .map(|row| (row.text("subject").unwrap_or_default(), row.text("said").unwrap_or_default()))
            .collect()
    }

    #[test]
    fn what_somebody_set_is_told_and_what_changes_by_itself_is_not() {
        let before = [
            setting("vm.swappiness", "60"),
            setting("fs.file-max", "100000"),
            setting("net.ipv4.tcp_mem", "100 200 300"),
            setting("vm.min_free_kbytes", "67584"),
            setting("kernel.perf_event_max_sample_rate", "100000"),
            setting("block.sda.queue.nr_requests", "64"),
        ];
        let now = [
            setting("vm.swappiness", "10"),
            setting("fs.file-max", "100400"),
            setting("net.ipv4.tcp_mem", "101 199 300"),
            // More than another kernel explains.
            setting("vm.min_free_kbytes", "1024"),
            setting("kernel.perf_event_max_sample_rate", "63000"),
            setting("block.sdb.queue.nr_requests", "64"),
        ];
        let boot = |id: &str, kernel: &str| HostRow {
            boot_id: Some(id.into()),
            kernel: Some(kernel.into()),
            ..HostRow::default()
        };
        let found = drift(
            [RowSet::totals(before), RowSet::totals([boot("a", "6.1")])],
            [RowSet::totals(now), RowSet::totals([boot("b", "6.1")])],
        );
        let said = |subject: &str, said: &str| (subject.to_owned(), said.to_owned());
        assert_eq!(found, [said("vm.min_free_kbytes", "67584|1024"), said("vm.swappiness", "60|10")]);
    }

    #[test]
    fn mounts_that_stay_and_lists_of_words() {
        let net = |features: &str| NetSettingRow {
            netns: Some(1),
            name: Some("eth0".into()),
            features_on: Some(features.into()),
            ..NetSettingRow::default()
        };
        let before =
            [mount("/", "ext4", "rw,relatime"), mount("/old", "xfs", "rw"), mount("/run/x", "ext4", "rw")];
        let now = [
            mount("/", "ext4", "rw,noatime"),
            mount("/new", "xfs", "rw"),
            mount("/run/user/0", "tmpfs", "rw"),
            mount("/var/lib/docker/overlay2/1", "overlay", "rw"),
        ];
        let found = drift(
            [RowSet::totals(before), RowSet::totals([net("tso gro")])],
            [RowSet::totals(now), RowSet::totals([net("gro rx-gro-hw")])],
        );
        let said = |subject: &str, said: &str| (subject.to_owned(), said.to_owned());
        assert_eq!(
            found,
            [
                said("/", "-relatime +noatime|rw,noatime"),
                said("/new", "|/dev/x"),
                said("/old", "/dev/x|"),
                said("1 eth0", "-tso +rx-gro-hw|gro rx-gro-hw"),
            ]
        );
    }

    #[test]
    fn a_side_without_the_table_differs_in_nothing() {
        let found = drift(
            [RowSet::totals([setting("vm.swappiness", "60")]), RowSet::totals([mount("/", "ext4", "rw")])],
            [RowSet::totals(Vec::<SettingRow>::new()), RowSet::totals([mount("/", "ext4", "rw")])],
        );
        assert_eq!(found, []);
    }
}
