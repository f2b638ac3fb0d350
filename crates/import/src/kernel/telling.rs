//! Messages of a kernel that nobody else writes, copied without what stood before them. Pure.

use std::sync::LazyLock;

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
    static BY_FIRST: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
        let of = |first: u8| BEGINNINGS.iter().copied().filter(move |one| one.starts_with(char::from(first)));
        (0..=u8::MAX).map(|first| of(first).collect()).collect()
    });
    // Every line of a large log is asked: few patterns have its first letter, and few lines a word with such a sign behind it.
    let bytes = text.as_bytes();
    let Some(first) = bytes.first().filter(|_| bytes.len() > 12) else { return false };
    let any = |first: u8| {
        BY_FIRST
            .get(usize::from(first))
            .is_some_and(|all| all.iter().any(|beginning| begins(text, beginning)))
    };
    let has_name = || bytes.iter().find(|byte| !is_of_name(byte)).is_some_and(|byte| b":[".contains(byte));
    any(*first) || (has_name() && any(b'*')) || (bytes.contains(&b'K') && is_panic(text))
}

fn is_of_name(byte: &&u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./".contains(byte)
}

/// A panic in any spelling of its dash, behind what is left of a time that was typed from a photograph, and behind no prose.
fn is_panic(text: &str) -> bool {
    let Some((before, behind)) = text.split_once("Kernel panic ") else { return false };
    let is_word = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    behind.contains(" not syncing") && !before.split(|sign: char| !sign.is_ascii_alphanumeric()).any(is_word)
}

fn begins(text: &str, beginning: &str) -> bool {
    let (mut rest, mut pattern) = (text.as_bytes(), beginning.as_bytes());
    while let Some((sign, behind)) = pattern.split_first() {
        let length = match sign {
            b'#' => rest.iter().take_while(|byte| byte.is_ascii_digit()).count(),
            b'*' => rest.iter().take_while(is_of_name).count(),
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
            "I 663.903269] Kernel panic — not syncing: NMI: Not continuing",
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
            "It ends in a Kernel panic - not syncing: VFS",
            "",
        ] {
            assert!(!is_telling(text), "{text}");
        }
    }
}
