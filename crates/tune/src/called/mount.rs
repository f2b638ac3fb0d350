//! Options of mounts that can be changed while they are mounted.
//!
//! The mount table says only what differs from the file system's own defaults, so that an option that
//! is not there has its default.

use heldup_hostfs::{Host, HostError};

use super::{gone, unfit};

/// File systems whose options these are, by setting; the first that begins it decides.
const TYPES: [(&str, &[&str]); 6] = [
    ("atime", &["ext4", "xfs", "btrfs", "f2fs"]),
    ("barrier", &["ext4"]),
    ("discard", &["ext4"]),
    ("ext4.", &["ext4"]),
    ("lazytime", &["ext4", "f2fs"]),
    ("tmpfs.", &["tmpfs"]),
];
/// Flags of a mount alone.
const OF_MOUNT: [&str; 3] = ["noatime", "relatime", "nodiratime"];

/// Of tmpfs without a size, which the table does not tell.
const HALF_OF_MEMORY: &str = "50%";

/// A line of the mount table.
struct Mount<'t> {
    /// As the kernel writes it, with `\040` for blanks.
    point: &'t str,
    device: &'t str,
    kind: &'t str,
    flags: Vec<&'t str>,
    options: Vec<&'t str>,
}

pub(super) fn owners(host: &Host, setting: &str) -> Vec<String> {
    let Ok(table) = host.mount_table() else { return Vec::new() };
    let table = String::from_utf8_lossy(&table).into_owned();
    let types = types(setting);
    let mounts = table.lines().filter_map(parsed).filter(|mount| types.contains(&mount.kind));
    let mut owners: Vec<String> =
        mounts.map(|mount| format!("{}@{}", unescaped(mount.point), mount.device)).collect();
    owners.sort_unstable();
    owners.dedup();
    owners
}

pub(super) fn read(host: &Host, owner: &str, setting: &str) -> Result<String, HostError> {
    let table = host.mount_table()?;
    let table = String::from_utf8_lossy(&table);
    let mount = find(&table, owner)?;
    let has = |word: &str| mount.flags.contains(&word) || mount.options.contains(&word);
    let value = |name: &str| {
        mount
            .options
            .iter()
            .find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
            .map(str::to_owned)
    };
    let flag = |is_set: bool| if is_set { "on" } else { "off" }.to_owned();
    Ok(match setting {
        "atime" if has("noatime") => "noatime".to_owned(),
        "atime" if has("relatime") => "relatime".to_owned(),
        "atime" => "strictatime".to_owned(),
        "barrier" if has("nobarrier") || has("barrier=0") => "0".to_owned(),
        "barrier" => "1".to_owned(),
        "discard" | "lazytime" => flag(has(setting)),
        "ext4.commit" => value("commit").unwrap_or_else(|| "5".to_owned()),
        "tmpfs.huge" => value("huge").unwrap_or_else(|| "never".to_owned()),
        "tmpfs.size" => value("size").unwrap_or_else(|| HALF_OF_MEMORY.to_owned()),
        _ => return Err(gone(setting)),
    })
}

pub(super) fn write(host: &Host, owner: &str, setting: &str, value: &str) -> Result<(), HostError> {
    let table = host.mount_table()?;
    let table = String::from_utf8_lossy(&table);
    let mount = find(&table, owner)?;
    let point = unescaped(mount.point);
    // What is read-only, synchronous or lazy is the file system's; the rest the mount's.
    let of_system = |word: &&&str| !OF_MOUNT.contains(word) && !matches!(**word, "rw");
    let system = mount.options.iter().filter(|word| matches!(**word, "ro" | "sync" | "dirsync" | "lazytime"));
    let mut flags: Vec<&str> = mount.flags.iter().chain(system).filter(of_system).copied().collect();
    let times: Vec<&str> = mount.flags.iter().filter(|word| OF_MOUNT.contains(word)).copied().collect();
    let options = match setting {
        "atime" => {
            flags.extend(times.into_iter().filter(|word| *word == "nodiratime"));
            flags.extend(OF_MOUNT.iter().filter(|word| **word == value));
            return host.remount(&point, &flags, "", true);
        }
        "lazytime" => {
            flags.retain(|word| *word != "lazytime");
            flags.extend(is_on(owner, value)?.then_some("lazytime"));
            String::new()
        }
        "discard" => if is_on(owner, value)? { "discard" } else { "nodiscard" }.to_owned(),
        "barrier" => format!("barrier={value}"),
        "ext4.commit" => format!("commit={value}"),
        "tmpfs.huge" => format!("huge={value}"),
        "tmpfs.size" => format!("size={value}"),
        _ => return Err(gone(setting)),
    };
    flags.extend(times);
    host.remount(&point, &flags, &options, false)
}

fn is_on(owner: &str, value: &str) -> Result<bool, HostError> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(unfit(owner, format!("invalid value {other} (allowed: on, off)"))),
    }
}

fn types(setting: &str) -> &'static [&'static str] {
    TYPES.iter().find(|(start, _)| setting.starts_with(start)).map_or(&[], |(_, types)| *types)
}

/// The mount of a point and a device; of several at one point the last hides the others.
fn find<'t>(table: &'t str, owner: &str) -> Result<Mount<'t>, HostError> {
    let (point, device) = owner.rsplit_once('@').ok_or_else(|| gone(owner))?;
    let mut here = table.lines().filter_map(parsed).filter(|mount| unescaped(mount.point) == point);
    here.next_back().filter(|mount| mount.device == device).ok_or_else(|| gone(owner))
}

/// `36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/sda rw,errors=continue` (proc_pid_mountinfo(5)).
fn parsed(line: &str) -> Option<Mount<'_>> {
    let (own, system) = line.split_once(" - ")?;
    let own: Vec<&str> = own.split(' ').collect();
    let system: Vec<&str> = system.split(' ').collect();
    Some(Mount {
        device: own.get(2)?,
        point: own.get(4)?,
        flags: own.get(5)?.split(',').collect(),
        kind: system.first()?,
        options: system.get(2)?.split(',').collect(),
    })
}

/// Blanks, tabs, line ends and backslashes stand there in octal.
fn unescaped(text: &str) -> String {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    codes.iter().fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "21 1 253:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro,commit=30\n\
        40 21 7:0 / /srv/a\\040b rw,nosuid,noatime - ext4 /dev/loop0 rw,lazytime,discard,nobarrier\n\
        41 21 0:33 / /tmp rw,nosuid - tmpfs tmpfs rw,size=1024k,huge=advise\n\
        42 21 0:34 / /tmp rw - tmpfs tmpfs rw\n";

    fn host(name: &str) -> (std::path::PathBuf, Host) {
        let root = std::env::temp_dir().join(format!("heldup-mounts-{name}-{}", std::process::id()));
        std::fs::create_dir_all(root.join("proc/self")).expect("made");
        std::fs::write(root.join("proc/self/mountinfo"), TABLE).expect("written");
        (root.clone(), Host::recorded(root))
    }

    #[test]
    fn options_are_read_with_their_defaults() {
        let (root, host) = host("options");
        let of = |owner: &str, setting: &str| read(&host, owner, setting).expect(setting);
        let other = "/srv/a b@7:0";
        assert_eq!((of("/@253:1", "atime"), of(other, "atime")), ("relatime".into(), "noatime".into()));
        assert_eq!((of("/@253:1", "ext4.commit"), of(other, "ext4.commit")), ("30".into(), "5".into()));
        assert_eq!((of("/@253:1", "barrier"), of(other, "barrier")), ("1".into(), "0".into()));
        assert_eq!((of("/@253:1", "lazytime"), of(other, "lazytime")), ("off".into(), "on".into()));
        assert_eq!((of("/@253:1", "discard"), of(other, "discard")), ("off".into(), "on".into()));
        assert_eq!(
            (of("/tmp@0:34", "tmpfs.size"), of("/tmp@0:34", "atime")),
            ("50%".into(), "strictatime".into())
        );
        assert_eq!(owners(&host, "ext4.commit"), ["/@253:1", "/srv/a b@7:0"]);
        // Hidden by the one above it, or another device by now.
        for gone in ["/tmp@0:33", "/@7:0", "/none@7:0"] {
            assert!(read(&host, gone, "atime").expect_err("gone").is_absent(), "{gone}");
        }
        std::fs::remove_dir_all(root).expect("removed");
    }
}
