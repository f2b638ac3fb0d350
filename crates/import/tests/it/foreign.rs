//! Texts that no tool of the list wrote: none may be claimed. And of what this machine has lying about, nothing by a single
//! line.

use std::fs;
use std::path::{Path, PathBuf};

use heldup_hostfs::monotonic_ns;
use heldup_import::{FileRead, Hints, read};

/// What was taken for something once, or looks like it; short, and of the tools that their names say.
const FOREIGN: [(&str, &str); 14] = [
    (
        "a list of changes",
        "## [0.1.65] - 2026-01-28\n### Changed\n- Add support\n\n## [0.1.64] - 2025-09-12\n\n[0.1.65]: https://example.org/compare/0.1.64...0.1.65\n[0.1.64]: https://example.org/compare/0.1.63...0.1.64\n",
    ),
    (
        "llvm-mca",
        "Resources:\n[0]   - SBDivider\n[1]   - SBFPDivider\n\nResource pressure per iteration:\n[0]    [1]    [2]    [3]    [4]    [5]    [6.0]  [6.1]\n[6.0] - SBPort23\n[6.1] - SBPort23\n",
    ),
    (
        "markdown",
        "By default, packages are fetched from [an index][PyPI], a\n\n[...]\n[PyPI]: https://pypi.org/\n[...]\n",
    ),
    (
        "a program in Python",
        "class jbon(Cluster):\n    packages = None\n    cluster_name = 'Just a Bunch Of Nodes'\n    sos_plugins = []\n    data_directory = '/var/lib'\n",
    ),
    (
        "a program in JavaScript",
        "import fs from 'node:fs';\nfs.readFileSync = () => Buffer.from('Hello, ESM');\nsyncBuiltinESMExports();\nfs.readFile = newAPI;\n",
    ),
    (
        "losetup -a",
        "/dev/loop0: []: (/srv/images/swap.img)\n/dev/loop1: []: (/srv/images/disk.img), offset 100\n",
    ),
    (
        "blkid",
        "/dev/sda1: UUID=\"05d927bb-5875-49e3-ada1-7f46cb31c932\" TYPE=\"xfs\"\n/dev/sda2: UUID=\"3klkIj-w1kk-DkJi-0XBJ-y3i7-i2Ac-vHqWBM\" TYPE=\"LVM2_member\"\n",
    ),
    (
        "vgdisplay",
        "  --- Volume group ---\n  VG Name               vg0\n  System ID             \n  Format                lvm2\n  MAX LV                0\n  Cur LV                0\n  VG Size               2.99 GiB\n  PE Size               4.00 MiB\n  Total PE              766\n  Free  PE / Size       766 / 2.99 GiB\n\n  --- Physical volumes ---\n  PV Name               /dev/sda5     \n  PV Status             allocatable\n",
    ),
    (
        "dmidecode",
        "# dmidecode 3.1\nGetting SMBIOS data from sysfs.\n\nHandle 0x0000, DMI type 0, 24 bytes\nBIOS Information\n\tVendor: Phoenix Technologies LTD\n\tRuntime Size: 88 kB\n\tCharacteristics:\n\t\tISA is supported\n\nHandle 0x0011, DMI type 17, 27 bytes\nMemory Device\n\tTotal Width: 32 bits\n\tSize: 4096 MB\n",
    ),
    (
        "rabbitmqctl report",
        "Reporting server status on {{2016,10,17},{3,42,41}}\n\nStatus of node rabbit@rabbitmq0 ...\n[{pid,5085},\n {vm_memory_high_watermark,0.4},\n {run_queue,0},\n {uptime,5590}]\n\nListing global runtime parameters ...\ncluster_name\t\"rabbit@rabbitmq0\"\n\nPermissions on /:\nuser    configure       write   read\nguest   .*      .*      .*\n",
    ),
    (
        "systemd-analyze dump",
        "-> Unit ssh.service:\n\tDescription: OpenBSD Secure Shell server\n\tInstance: n/a\n\tUnit Load State: loaded\n\tTimer Slack: 50us\n\tMain PID: 712\n\tUnit: ssh.service\nUnit: cron.service\n",
    ),
    (
        "numbers in brackets of a program",
        "    pi = Word(nums).parse(\"3.14159\")\n\n        [3.14159]\n        [2.71828]\n\n    e = 2\n",
    ),
    (
        "mdstat",
        "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      524224 blocks [2/2] [UU]\n\nunused devices: <none>\n",
    ),
    (
        "prose",
        "Of the %CPU a process takes, vmstat shows r and b.\nPID is its number, and Command its name; at 10:00 it was 5 % us.\nThe size inuse free pin of a page is 4 KB.\n",
    ),
];

fn read_text(text: &[u8]) -> FileRead {
    read("text", text, Hints::default()).expect("memory can be read").file
}

#[test]
fn foreign_texts_are_claimed_by_nobody() {
    for (name, text) in FOREIGN {
        let file = read_text(text.as_bytes());
        assert!(!file.is_known && file.what == "unknown format", "{name}: {}", file.what);
    }
}

/// Formats whose listing is one line, which nobody else writes.
const OF_ONE_LINE: [&str; 4] = ["uptime", "dd", "kernel log", "mount"];
/// Where texts of others lie, as far as a machine has them.
const FOLDERS: [&str; 5] =
    ["/usr/share/doc", "/usr/share/perl", "/usr/lib/python3", "/usr/share/misc", "/etc"];
const MOST_BYTES: u64 = 64 << 10;
const MOST_SECONDS: u64 = 10;

fn below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
        if metadata.is_dir() {
            below(&entry.path(), files);
        } else if metadata.is_file() && (1..MOST_BYTES).contains(&metadata.len()) {
            files.push(entry.path());
        }
    }
}

#[test]
fn no_text_of_this_machine_is_claimed_by_one_line() {
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| below(Path::new(folder), &mut files));
    files.sort();
    if files.is_empty() {
        heldup_skip::skipped("no texts of others are here");
        return;
    }
    // Of all of them some, the same ones each time, as far as time allows.
    let begun = monotonic_ns();
    let step = (files.len() / 2000).max(1);
    for file in files.iter().step_by(step) {
        if (monotonic_ns() - begun) / 1_000_000_000 >= MOST_SECONDS {
            break;
        }
        let Ok(bytes) = fs::read(file) else { continue };
        let read = read_text(&bytes);
        let is_one = read.is_known
            && read.lines_read < 2
            && !OF_ONE_LINE.iter().any(|format| read.what.starts_with(format));
        assert!(!is_one, "{}: {} by one line of {}", file.display(), read.what, read.lines);
    }
}
