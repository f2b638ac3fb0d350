//! The areas of a machine: one vocabulary for rules, findings and filters.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The resource that a rule is about. A view for filters: ids are older than it and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Area {
    /// CPUs: run queue, quotas, frequency, virtual CPUs.
    Cpu,
    /// Memory.
    Mem,
    /// Disks and what is between them and programs.
    Disk,
    /// File systems.
    Fs,
    /// Network.
    Net,
    /// Locks of programs and of the kernel.
    Lock,
    /// Limits and settings.
    Limit,
    /// Databases.
    Db,
}

impl Area {
    /// All areas, in the order in which they are shown.
    pub const ALL: [Area; 8] =
        [Area::Cpu, Area::Mem, Area::Disk, Area::Fs, Area::Net, Area::Lock, Area::Limit, Area::Db];

    /// One word.
    pub const fn name(self) -> &'static str {
        match self {
            Area::Cpu => "cpu",
            Area::Mem => "mem",
            Area::Disk => "disk",
            Area::Fs => "fs",
            Area::Net => "net",
            Area::Lock => "lock",
            Area::Limit => "limit",
            Area::Db => "db",
        }
    }

    /// The area of a rule, by its id. None for what is about the recording or all time (`capture.*`, `time.*`),
    /// which belongs to every area.
    pub fn of_rule(id: &str) -> Option<Area> {
        let prefix = id.split('.').next().unwrap_or_default();
        Some(match (prefix, id) {
            (_, "virt.balloon") => Area::Mem,
            ("cpu" | "power" | "virt", _) => Area::Cpu,
            ("mem", _) => Area::Mem,
            ("disk" | "io", _) => Area::Disk,
            ("fs", _) => Area::Fs,
            ("net", _) => Area::Net,
            ("lock", _) => Area::Lock,
            ("limit" | "config", _) => Area::Limit,
            ("db", _) => Area::Db,
            ("kernel", _) => Area::of_kernel_rule(id),
            _ => return None,
        })
    }

    /// `kernel.*` belongs to the resource that its name begins with; what names none is the CPUs'.
    fn of_kernel_rule(id: &str) -> Area {
        let rest = id.split_once('.').map_or("", |(_, rest)| rest);
        let first = rest.split('-').next().unwrap_or_default();
        match first {
            "memory" | "slab" | "page" => Area::Mem,
            word => Area::ALL.into_iter().find(|area| area.name() == word).unwrap_or(Area::Cpu),
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl FromStr for Area {
    type Err = String;

    fn from_str(text: &str) -> Result<Area, String> {
        let named = Area::ALL.into_iter().find(|area| area.name() == text);
        named.ok_or_else(|| {
            let names: Vec<&str> = Area::ALL.iter().map(|area| area.name()).collect();
            format!("unknown area `{text}` (allowed: {})", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_of_a_rule() {
        for (id, area) in [
            ("io.aio-servers", Some(Area::Disk)),
            ("power.idle-blocked", Some(Area::Cpu)),
            ("virt.steal-io", Some(Area::Cpu)),
            ("virt.balloon", Some(Area::Mem)),
            ("config.drift", Some(Area::Limit)),
            ("kernel.net-backlog", Some(Area::Net)),
            ("kernel.slab-leak", Some(Area::Mem)),
            ("kernel.panic", Some(Area::Cpu)),
            ("capture.poor", None),
            ("time.unexplained", None),
        ] {
            assert_eq!(Area::of_rule(id), area, "{id}");
        }
        assert_eq!("disk".parse(), Ok(Area::Disk));
        assert!("io".parse::<Area>().unwrap_err().contains("allowed: cpu, mem, disk"));
    }
}
