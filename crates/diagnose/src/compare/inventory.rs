//! Settings that are not the same on both sides: the "what changed?" of every problem.
//!
//! Which columns are settings is said here, because a label may also be a name of the day (the
//! state of a process, the peer of a socket).

use std::collections::BTreeMap;

use heldup_archive::{Database, SqlError};
use heldup_model::{ErrorNote, SettingDifference};

use super::side::Side;
use crate::row::Row;

/// Where settings stand: table, condition, columns that name one, and columns that are it.
pub(super) type Place = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

pub(super) const PLACES: &[Place] = &[
    ("setting", "setting_key not like 'package.%'", &["setting_key"], &["setting_value"]),
    (
        "host",
        "1",
        &[],
        &[
            "kernel",
            "command_line",
            "architecture",
            "os",
            "cpu_model",
            "hypervisor",
            "cpus",
            "nodes",
            "memory_bytes",
            "boot_id",
        ],
    ),
    (
        "disk",
        "1",
        &["device"],
        &["scheduler", "write_cache", "nr_requests", "read_ahead_bytes", "max_request_bytes"],
    ),
    (
        "net_setting",
        "1",
        &["netns", "name"],
        &[
            "driver",
            "driver_version",
            "firmware",
            "speed_bits_per_s",
            "duplex",
            "rx_ring",
            "tx_ring",
            "rx_channels",
            "tx_channels",
            "combined_channels",
            "features_on",
        ],
    ),
    (
        "cgroup",
        "1",
        &["path"],
        &[
            "cpu_quota",
            "cpu_period_s",
            "cpu_weight",
            "memory_limit_bytes",
            "memory_high_bytes",
            "processes_max",
        ],
    ),
    ("cpufreq", "1", &["policy_idx"], &["driver", "governor", "preference", "boost", "min_hz", "max_hz"]),
    ("cpuidle", "1", &["cpu_idx", "state_name"], &["disabled"]),
    ("limits", "1", &["limit_name"], &["max"]),
    (
        "mount",
        // Of our own namespace; others come and go with their processes.
        "pid is null",
        &["mount"],
        &["source", "fs_type", "options", "super_options"],
    ),
    // A place of their own: a side that did not read them was not asked for them. The last, for they are many.
    ("setting", PACKAGES, &["setting_key"], &["setting_value"]),
];

/// The rows of the table `setting` that are packages.
pub(super) const PACKAGES: &str = "setting_key like 'package.%'";
/// Packages that stand first: who asks what changed thinks of these. How their names begin.
const FIRST_PACKAGES: &[&str] = &[
    "package.linux-image",
    "package.kernel",
    "package.linux",
    "package.libc6",
    "package.glibc",
    "package.systemd",
];

/// Settings of things that come and go: what stands before the thing's name in the name of the
/// setting. All settings of a loop device are there when it is made, and none has changed.
const OF_THINGS: &[&str] = &["block.", "class.net.", "devices.system.cpu.cpufreq."];

/// Values by subject and column.
pub type Values = BTreeMap<(String, &'static str), Option<String>>;

/// What differs, in the order of the places.
pub fn compare(first: &Side, second: &Side, errors: &mut Vec<ErrorNote>) -> Vec<SettingDifference> {
    let [one, other] = [first, second].map(|side| inventory(side, errors));
    between(&one, &other)
}

/// The settings of a side, place by place.
pub fn inventory(side: &Side, errors: &mut Vec<ErrorNote>) -> Vec<Values> {
    let read = |place: &Place| {
        values(&side.database, place).unwrap_or_else(|error| {
            errors.push(ErrorNote { place: place.0.to_owned(), what: error.to_string() });
            Values::new()
        })
    };
    PLACES.iter().map(read).collect()
}

/// What differs between two inventories.
pub fn between(one: &[Values], other: &[Values]) -> Vec<SettingDifference> {
    let mut all = Vec::new();
    for (place, (one, other)) in PLACES.iter().zip(one.iter().zip(other)) {
        // A side without the table was not asked for it: nothing differs.
        if !one.is_empty() && !other.is_empty() {
            differing(place, one, other, &mut all);
        }
    }
    // The sort is stable.
    all.sort_by_key(package_rank);
    all
}

/// Settings first, then the packages that explain most.
pub(super) fn package_rank(one: &SettingDifference) -> usize {
    let rank = || FIRST_PACKAGES.iter().position(|start| one.subject.starts_with(start));
    one.package().map_or(0, |_| 1 + rank().unwrap_or(FIRST_PACKAGES.len()))
}

/// The thing that a setting is of, as the beginning of the setting's name.
fn thing(setting: &str) -> Option<&str> {
    let start = OF_THINGS.iter().find(|start| setting.starts_with(**start))?;
    let end = setting[start.len()..].find('.')?;
    setting.get(..start.len() + end + 1)
}

pub(super) fn values(
    database: &Database,
    (table, condition, subject, columns): &Place,
) -> Result<Values, SqlError> {
    let names: Vec<&str> = subject.iter().chain(*columns).copied().collect();
    // The last reading of each counts.
    let sql = format!("select {} from {table} where {condition} order by time", names.join(", "));
    let mut values = Values::new();
    for row in Row::all(database.query(&sql)?) {
        let parts: Vec<String> = subject.iter().map(|name| row.text(name).unwrap_or_default()).collect();
        for column in *columns {
            values.insert((parts.join(" "), *column), row.text(column));
        }
    }
    Ok(values)
}

fn differing(place: &Place, one: &Values, other: &Values, all: &mut Vec<SettingDifference>) {
    let (table, _, _, columns) = place;
    let known = |values: &Values, subject: &str| {
        values.range((subject.to_owned(), "")..).next().is_some_and(|(key, _)| key.0 == subject)
    };
    let mut keys: Vec<_> = one.keys().chain(other.keys()).collect();
    keys.sort_by_key(|(subject, column)| (subject, columns.iter().position(|known| known == column)));
    keys.dedup();
    for key in keys {
        let (subject, column) = key;
        // A control group or a disk that came or went is no setting.
        let both = known(one, subject) && known(other, subject);
        if !both && !matches!(*table, "setting" | "mount") {
            continue;
        }
        let came = |values: &Values, thing: &str| !values.keys().any(|(name, _)| name.starts_with(thing));
        if *table == "setting" && thing(subject).is_some_and(|of| came(one, of) || came(other, of)) {
            continue;
        }
        let values = [one, other].map(|values| values.get(key).cloned().flatten());
        let [first, second] = values;
        if first != second {
            all.push(SettingDifference {
                table: (*table).to_owned(),
                subject: subject.clone(),
                column: (*column).to_owned(),
                first,
                second,
                second_members: None,
            });
        }
    }
}

/// Whether a column is compared here and not as a metric.
pub fn is_setting(table: &str, column: &str) -> bool {
    PLACES.iter().any(|place| place.0 == table && place.3.contains(&column))
}
