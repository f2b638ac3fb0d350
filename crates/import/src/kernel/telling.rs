//! Messages of a kernel that nobody else writes, copied without what stood before them. Pure.

/// Beginnings of such messages; in them `#` is a number, `*` a word.
const BEGINNINGS: &[&str] = &[
    "sonewconn: pcb ",
    "(*:*:#:#:#): ",
    "ahcich#: Timeout on slot ",
    "*: link state changed to ",
    "g_vfs_done():",
    "swap_pager: ",
    "pid # (*), jid #, uid #: exited on signal ",
    "Buffer I/O error on dev",
    "blk_update_request: ",
    "print_req_error: ",
    "end_request: I/O error, dev ",
    "I/O error, dev ",
    "critical medium error, dev ",
    "critical target error, dev ",
    "EXT#-fs error (device ",
    "EXT#-fs (*): ",
    "BTRFS error (device ",
    "BTRFS: error (device ",
    "BTRFS warning (device ",
    "BTRFS info (device ",
    "XFS (*): ",
    "Aborting journal on device ",
    "device-mapper: ",
    "md/raid",
    "sd #:#:#:#: ",
    "scsi host#: ",
    "nvme nvme#: ",
    "ata#: ",
    "ata#.#: ",
    "usb #-#: USB disconnect, device number ",
    "usb #-#.#: USB disconnect, device number ",
    "nf_conntrack: table full",
    "nf_conntrack: nf_conntrack: table full",
    "ip_conntrack: table full",
    "neighbour: arp_cache: ",
    "neighbour: ndisc_cache: ",
    "Node # active_anon:#kB ",
    "net_ratelimit: # callbacks suppressed",
    "NETDEV WATCHDOG: ",
    "TCP: out of memory -- consider tuning tcp_mem",
    "TCP: too many orphaned sockets",
    "TCP: request_sock_TCP: Possible SYN flooding",
    "TCP: Possible SYN flooding on port ",
    "possible SYN flooding on port ",
    "clocksource: timekeeping watchdog",
    "tsc: Marking TSC unstable",
    "perf: interrupt took too long ",
    "CPU#: Core temperature above threshold",
    "CPU#: Package temperature above threshold",
    "mce: CPU#: Core temperature above threshold",
    "mce: CPU#: Package temperature above threshold",
    "BUG: unable to handle ",
    "BUG: kernel NULL pointer dereference",
    "Unable to handle kernel ",
    "general protection fault",
    "kernel BUG at ",
    "Kernel panic - not syncing: ",
    "*[#]: segfault at ",
    "traps: *[#] ",
    "*: link status definitely down for interface ",
];

/// Whether a line is one of them.
pub fn is_telling(text: &str) -> bool {
    // Of all lines few have a colon, and a bracket or a comma for what follows it.
    text.len() > 12
        && (text.contains("Kernel panic ") && text.contains(" not syncing")
            || BEGINNINGS.iter().any(|beginning| begins(text, beginning)))
}

fn begins(text: &str, beginning: &str) -> bool {
    let (mut rest, mut pattern) = (text.as_bytes(), beginning.as_bytes());
    while let Some((sign, behind)) = pattern.split_first() {
        let length = match sign {
            b'#' => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            b'*' => {
                rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"-_./".contains(byte)).count()
            }
            sign => usize::from(rest.first() == Some(sign)),
        };
        if length == 0 {
            return false;
        }
        (rest, pattern) = (rest.get(length..).unwrap_or_default(), behind);
    }
    true
}

/// Whether a message of a daemon tells of a trouble; the rest of what it writes is no matter of the kernel's log.
pub fn is_told_by_daemon(text: &str) -> bool {
    let Some((name, message)) = text.split_once(": ") else { return false };
    match name.split('[').next().unwrap_or(name) {
        "multipathd" => message.contains("path"),
        "earlyoom" => message.starts_with("sending SIG"),
        "systemd-oomd" => message.starts_with("Killed "),
        _ => message.starts_with("Kill"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_without_times() {
        for text in [
            "sonewconn: pcb 0xfffff804083a3d58 (0.0.0.0:18080 (proto 6)): Listen queue overflow: 193 already",
            "(ada0:ahcich0:0:0:0): CAM status: Command timeout",
            "ahcich0: Timeout on slot 16 port 0",
            "igb1: link state changed to DOWN",
            "sd 2:0:0:1: Device offlined - not ready after error recovery",
            "EXT4-fs (sda1): Remounting filesystem read-only",
            "log-user-sessio[66297]: segfault at 0 ip 0000000000402669",
            "ata1.00: failed command: READ FPDMA QUEUED",
        ] {
            assert!(is_telling(text), "{text}");
        }
        for text in [
            "sd 2 of them",
            "(see: a:0:1:2): b",
            "EXT4-fs is a file system",
            "ata: a word",
            "The log has: sonewconn: pcb 0xff",
            "Possible SYN flooding",
            "",
        ] {
            assert!(!is_telling(text), "{text}");
        }
    }
}
