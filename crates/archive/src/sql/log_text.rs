//! What a message of a system's log says of storage: which device failed and how; and for how many messages a line stands.
//! For rules, which would otherwise take hundreds of messages apart in SQL.
//!
//! One line is one pattern of [`PATTERNS`]: the first that fits decides.

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Result};

/// Makes the functions known.
pub(super) fn register(connection: &Connection, flags: FunctionFlags) -> Result<()> {
    connection.create_scalar_function("storage_device", 1, flags, |context| {
        let text = context.get_raw(0).as_str_or_null().ok().flatten();
        Ok(text.and_then(storage_trouble).map(|(_, device)| device.to_owned()))
    })?;
    connection.create_scalar_function("storage_trouble", 1, flags, |context| {
        let text = context.get_raw(0).as_str_or_null().ok().flatten();
        Ok(text.and_then(storage_trouble).map(|(trouble, _)| trouble))
    })?;
    connection.create_scalar_function("log_count", 2, flags, |context| {
        let text = |at: usize| context.get_raw(at).as_str_or_null().ok().flatten().unwrap_or("");
        Ok(log_count(text(0), text(1)))
    })
}

/// Where a pattern has the name of the device.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At the beginning, up to a colon or blank.
    First,
    /// At the beginning behind a bracket: `(da0:ahcich0:0:0:0): …`.
    Bracket,
    /// Behind this text.
    Behind(&'static str),
    /// `sd 2:0:0:1: [sdb] …`: the name in brackets, else the address.
    Scsi,
}

use Place::{Behind, Bracket, First, Scsi};

/// What the line begins with, what it has further on (`|` separates alternatives), the trouble, and where its device is.
/// Troubles: `error` and, more exactly, `medium` (unreadable), `timeout`, `offline` (given up by the kernel), `removed`
/// (from its RAID array), `not_mounted` (a file system that could not be), `read_only` (a file system or pool that stopped writing), `no_path` (the last path failed), `path`
/// (one of several), `slow` (a link that is slow to come up), `none` (no trouble, though it looks like one).
#[rustfmt::skip]
const PATTERNS: &[(&str, &str, &str, Place)] = &[
    ("", "not supported error, dev ", "none", Behind("error, dev ")),
    ("", "medium error, dev ", "medium", Behind("error, dev ")),
    ("", "timeout error, dev ", "timeout", Behind("error, dev ")),
    ("", " error, dev ", "error", Behind(" error, dev ")),
    ("Buffer I/O error on dev ", "", "error", Behind("on dev ")),
    ("Buffer I/O error on device ", "", "error", Behind("on device ")),
    ("lost page write due to I/O error on ", "", "error", Behind("error on ")),
    ("", "Detected IO errors while flushing file data on ", "error", Behind("file data on ")),
    ("Aborting journal on device ", "", "read_only", Behind("on device ")),
    ("EXT", "Remounting filesystem read-only", "read_only", Behind("-fs (")),
    ("EXT", "-fs warning (device &I/O error", "error", Behind("(device ")),
    ("EXT", "-fs (&I/O error", "error", Behind("-fs (")),
    ("", "-fs error (device ", "error", Behind("(device ")),
    ("BTRFS error (device ", "open_ctree failed", "not_mounted", Behind("(device ")),
    ("BTRFS", "(device &forced readonly", "read_only", Behind("(device ")),
    ("BTRFS", "error (device ", "error", Behind("(device ")),
    ("BTRFS", "(device &error", "error", Behind("(device ")),
    ("BTRFS critical (device ", "", "error", Behind("(device ")),
    ("XFS (", "hutting down filesystem|has been shut down|Log I/O Error", "read_only", Behind("XFS (")),
    ("XFS (", "log mount failed|log mount/recovery failed|SB validate failed", "not_mounted", Behind("XFS (")),
    ("EXT", "-fs (&error loading journal", "not_mounted", Behind("-fs (")),
    ("btrfs", "no csum found|csum failed", "error", First),
    ("XFS (", "I/O error|orruption|run xfs_repair", "error", Behind("XFS (")),
    ("", "hutting down filesystem: ", "read_only", Behind("filesystem: ")),
    ("", "Disk failure on ", "removed", Behind("failure on ")),
    ("md", "Cannot continue operation", "read_only", Behind(":")),
    ("md", "read error not correctable (sector & on ", "medium", Behind(" on ")),
    ("device-mapper: thin: ", "switching pool to failure mode|switching pool to read-only mode|switching pool to out-of-data-space mode", "read_only", Behind("thin: ")),
    ("WARNING: Pool '", "has been suspended", "read_only", Behind("Pool '")),
    ("nvme nvme", "controller is down|Removing after probe failure|Disabling device after reset failure|evice not ready; aborting reset", "offline", Behind("nvme ")),
    ("nvme nvme", "timeout", "timeout", Behind("nvme ")),
    ("nvme", "Unrecovered Read Error", "medium", First),
    ("nvme", "Resetting controller due to a timeout", "timeout", First),
    ("ata", ": link is slow to respond", "slow", First),
    ("ata", "SRST failed|COMRESET failed|revalidation failed", "timeout", First),
    ("ata", "failed command", "error", First),
    ("ata", ": error: { UNC }", "medium", First),
    ("ata", ": exception Emask&frozen", "timeout", First),
    ("ata", ": disabled|: disable device", "offline", First),
    ("sd ", "Device offlined|rejecting I/O to offline device|rejecting I/O to dead device", "offline", Scsi),
    ("sd ", "attempting task abort|uas_eh_abort_handler|timing out command|attempting device reset|attempting target reset|attempting host reset", "timeout", Scsi),
    ("sd ", "Add. Sense: Unrecovered read error|Sense Key : Medium Error", "medium", Scsi),
    ("mptscsih: ", ": attempting task abort!", "timeout", Behind("mptscsih: ")),
    ("", ": attempting task abort!", "timeout", First),
    ("mmcblk", "error|timed out", "error", First),
    ("session", "session recovery timed out after ", "no_path", First),
    ("connection", "detected conn error", "path", First),
    ("rport-", "blocked FC remote port time out", "path", First),
    ("qla2xxx", "LOOP DOWN detected", "path", First),
    ("device-mapper: multipath: ", "Failing path ", "path", Behind("Failing path ")),
    // Of multipathd.
    ("", ": remaining active paths: 0", "no_path", First),
    ("", ": remaining active paths: ", "path", First),
    ("", " checker reports path is down", "path", First),
    ("checker failed path ", " in map ", "path", Behind("in map ")),
    // FreeBSD.
    ("(", "CAM status: Command timeout", "timeout", Bracket),
    ("(", "MEDIUM ERROR", "medium", Bracket),
    ("(", ": Error 5, ", "error", Bracket),
    ("(", ": lost device", "offline", Bracket),
    ("g_vfs_done():", "]error = ", "error", Behind("g_vfs_done():")),
    ("swap_pager: I/O error", "", "error", First),
];

/// The trouble of a message about storage, and the device.
fn storage_trouble(message: &str) -> Option<(&'static str, &str)> {
    let message = without_pid(message.trim_start());
    let (_, _, trouble, place) = PATTERNS.iter().find(|(start, within, ..)| {
        message.starts_with(start) && within.split('|').any(|words| has_all(message, words))
    })?;
    let device = match place {
        First => message,
        Bracket => message.strip_prefix('(')?,
        Behind(words) => {
            let at = if words.ends_with(" on ") { message.rfind(words) } else { message.find(words) };
            &message[at? + words.len()..]
        }
        Scsi => message.split_once("[sd").map_or(message, |(before, _)| &message[before.len() + 1..]),
    };
    let end = match place {
        // `sd 2:0:0:1: …`: an address has colons in it.
        Scsi if device.starts_with("sd ") => device.match_indices(": ").next().map(|(at, _)| at),
        // Numbers of paths and pools too: `253:3`.
        Behind("Failing path ") => device.find([' ', '.', ',']),
        Behind("thin: ") => device.match_indices(": ").next().map(|(at, _)| at),
        _ => device.find([',', ')', ':', ' ', ']', '\'', '[']),
    };
    let device = without_inode(&device[..end.unwrap_or(device.len())], message).trim_end_matches('.');
    (!device.is_empty() && *trouble != "none").then_some((*trouble, device))
}

/// `multipathd[4554]: …` as `multipathd: …`, borrowed: what the patterns have of such a program begins behind its number.
fn without_pid(message: &str) -> &str {
    match message.strip_prefix("multipathd[").and_then(|rest| rest.split_once("]: ")) {
        Some((pid, rest)) if pid.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => message.strip_prefix("multipathd: ").unwrap_or(message),
    }
}

/// Whether the parts of some words, which `&` separates, are in a message one behind the other.
fn has_all(message: &str, words: &str) -> bool {
    let mut rest = Some(message);
    for part in words.split('&') {
        rest = rest.and_then(|rest| rest.find(part).map(|at| &rest[at + part.len()..]));
    }
    rest.is_some()
}

/// The journal of a file system has the number of its inode behind the device: `sda1-8`, `dm-0-8`.
fn without_inode<'a>(device: &'a str, message: &str) -> &'a str {
    if !message.starts_with("Aborting journal") && !message.starts_with("JBD") {
        return device;
    }
    let device = device.trim_end_matches('.');
    match device.rsplit_once('-') {
        Some((name, inode))
            if name != "dm" && !inode.is_empty() && inode.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => device,
    }
}

/// For how many messages a line stands: what the kernel (`N callbacks suppressed`, in the line before), FreeBSD (`(N
/// occurrences)`) or syslog (`message repeated N times`) left out is counted to it.
fn log_count(message: &str, before: &str) -> i64 {
    let number_before = |text: &str, words: &str| -> Option<i64> {
        let (text, _) = text.split_once(words)?;
        let digits = text.len() - text.bytes().rev().take_while(u8::is_ascii_digit).count();
        text[digits..].parse().ok()
    };
    let own = number_before(message, " occurrences)")
        .or_else(|| number_before(message, " times: [").filter(|_| message.contains("repeated ")))
        .unwrap_or(1);
    own.saturating_add(number_before(before, " callbacks suppressed").unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TROUBLES: &[(&str, &str, &str)] = &[
        ("critical medium error, dev sda, sector 1234 op 0x0:(READ)", "medium", "sda"),
        ("blk_update_request: I/O error, dev vdb, sector 99", "error", "vdb"),
        ("Buffer I/O error on dev sdaj1, logical block 83658496, async page read", "error", "sdaj1"),
        ("Buffer I/O error on device sdb2, logical block 1047375", "error", "sdb2"),
        ("Aborting journal on device dm-0-8.", "read_only", "dm-0"),
        ("Aborting journal on device dm-0.", "read_only", "dm-0"),
        ("JBD2: Detected IO errors while flushing file data on sda1-8", "error", "sda1"),
        ("EXT4-fs (nvme0n1p1): Remounting filesystem read-only", "read_only", "nvme0n1p1"),
        ("EXT4-fs error (device dm-0): ext4_lookup:1856: inode #2: comm ls: bad", "error", "dm-0"),
        ("EXT4-fs warning (device dm-8): ext4_end_bio:316: I/O error -5 writing to inode 2", "error", "dm-8"),
        ("BTRFS: error (device dm-0 state A) in __btrfs_unlink_inode:4144: errno=-2", "error", "dm-0"),
        ("BTRFS info (device sda3: state E): forced readonly", "read_only", "sda3"),
        ("XFS (sdc1): metadata I/O error in \"x\" at daddr 0x1 len 1 error 5", "error", "sdc1"),
        ("XFS (sdc1): Metadata corruption detected at xfs_agi_verify", "error", "sdc1"),
        ("Filesystem \"dm-0\": Log I/O Error Detected.  Shutting down filesystem: dm-0", "read_only", "dm-0"),
        ("XFS (dm-7): log mount/recovery failed: error -5", "not_mounted", "dm-7"),
        ("btrfs no csum found for inode 537 start 16384", "error", "btrfs"),
        ("md/raid:md2: Disk failure on sdb6, disabling device.", "removed", "sdb6"),
        ("md/raid:md2: read error not correctable (sector 2208 on sdb6).", "medium", "sdb6"),
        ("device-mapper: thin: 253:3: switching pool to failure mode", "read_only", "253:3"),
        ("device-mapper: multipath: Failing path 8:16.", "path", "8:16"),
        ("device-mapper: multipath: 253:3: Failing path 65:16.", "path", "65:16"),
        ("multipathd: mpathb: remaining active paths: 0", "no_path", "mpathb"),
        ("multipathd: mpathb: remaining active paths: 3", "path", "mpathb"),
        ("multipathd[4554]: mpathaq: sdak - tur checker reports path is down", "path", "mpathaq"),
        ("nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10", "offline", "nvme0"),
        ("nvme nvme1: I/O 775 QID 2 timeout, aborting", "timeout", "nvme1"),
        ("ata1: link is slow to respond, please be patient (ready=0)", "slow", "ata1"),
        ("ata1.00: failed command: READ FPDMA QUEUED", "error", "ata1.00"),
        ("ata1.00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x6 frozen", "timeout", "ata1.00"),
        ("sd 2:0:0:1: Device offlined - not ready after error recovery", "offline", "sd 2:0:0:1"),
        ("sd 1:0:0:0: [sda] tag#0 uas_eh_abort_handler 0 uas-tag 9 inflight: CMD OUT", "timeout", "sda"),
        (
            "sd 0:1:0:0: [sdb] tag#5 Add. Sense: Unrecovered read error - auto reallocate failed",
            "medium",
            "sdb",
        ),
        ("mptscsih: ioc1: attempting task abort! (sc=ffff88061db32a00)", "timeout", "ioc1"),
        ("(ada0:ahcich0:0:0:0): CAM status: Command timeout", "timeout", "ada0"),
        (
            "(da0:umass-sim0:0:0:0): SCSI sense: MEDIUM ERROR asc:11,0 (Unrecovered read error)",
            "medium",
            "da0",
        ),
        ("(da0:umass-sim0:0:0:0): Error 5, Unretryable error", "error", "da0"),
        ("g_vfs_done():da0s1a[READ(offset=1, length=2)]error = 5", "error", "da0s1a"),
        ("session7: session recovery timed out after 120 secs", "no_path", "session7"),
    ];

    #[test]
    fn each_trouble_has_its_device() {
        for (message, trouble, device) in TROUBLES {
            assert_eq!(storage_trouble(message), Some((*trouble, *device)), "{message}");
        }
        for message in [
            "operation not supported error, dev loop0, sector 0 op 0x3:(DISCARD)",
            "loop0: detected capacity change from 0 to 131072",
            "sd 2:0:0:1: [sdb] 62333952 512-byte logical blocks",
            "EXT4-fs (sda1): mounted filesystem with ordered data mode",
            "multipathd: mpathb: sdk - directio checker reports path is up",
            "(da0:umass-sim0:0:0:0): Retrying command",
            "nvme nvme0: 8/0/0 default/read/poll queues",
            "ata1: SATA link up 6.0 Gbps",
            "",
        ] {
            assert_eq!(storage_trouble(message), None, "{message}");
        }
    }

    #[test]
    fn what_was_left_out_counts() {
        let full = "nf_conntrack: table full, dropping packet";
        assert_eq!(log_count(full, ""), 1);
        assert_eq!(log_count(full, "net_ratelimit: 531 callbacks suppressed"), 532);
        let overflow = "sonewconn: pcb 0xff: Listen queue overflow: 2 already in queue awaiting acceptance (568 occurrences)";
        assert_eq!(log_count(overflow, ""), 568);
        assert_eq!(log_count("message repeated 3 times: [ nf_conntrack: table full]", ""), 3);
        assert_eq!(log_count("it was tried 3 times: [ a]", ""), 1);
    }
}
