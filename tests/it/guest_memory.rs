//! A machine whose memory runs out, and one whose memory is in pieces: troubles of all memory, which
//! no machine with other work on it should be made to suffer.

use anyhow::Result;
use heldup_testkit::expect::{self, Expected, Suspect};
use heldup_testkit::guest::{Guest, test_machine};

use crate::guest::{PATIENCE, examination_in};

/// Fills memory until a sixth is left, of which then somebody takes 8 MB a second. Whoever still
/// runs at the end of a command is ended there.
const RUNS_OUT: &str = "
    set -e
    of() { sed -n \"s/^$1: *\\([0-9]*\\) kB/\\1/p\" /proc/meminfo; }
    mkdir -p /run/full && mount -t tmpfs -o size=100% full /run/full
    trap 'umount /run/full' EXIT
    dd if=/dev/zero of=/run/full/file bs=1M count=$((($(of MemAvailable) - $(of MemTotal) / 6) / 1024)) 2>/dev/null
    $PROGRAMS/leak 8000000 >/run/leak.says & leak=$!
    until grep -q waits /run/leak.says; do kill -0 $leak; sleep 0.1; done
    kill -USR1 $leak
    heldup --format json --for 6s";

/// Leaves every other page free, and asks for huge ones. The kernel puts aside what it needs to make
/// huge pages itself, so that little must be left to it before all others are taken.
const IN_PIECES: &str = "
    set -e
    aside=/proc/sys/vm/min_free_kbytes; before=$(cat $aside)
    trap 'echo $before >$aside' EXIT
    echo 4096 >$aside
    $PROGRAMS/fragment_memory >/run/fragment.says & fragment=$!
    until grep -q fragmented /run/fragment.says; do kill -0 $fragment; sleep 0.1; done
    heldup --format json --for 6s";

/// Memory that is taken until little is left, and goes on being taken.
pub fn memory_runs_out(guest: &mut Guest) -> Result<()> {
    found(guest, RUNS_OUT, "mem.exhausted", vec![Suspect::Named(&["leak"])])
}

/// Memory that is free in single pages, and somebody who wants it in huge ones. Nobody can be named: the
/// kernel soon gives up and hands out small pages, so that nobody waits long.
pub fn memory_in_pieces(guest: &mut Guest) -> Result<()> {
    found(guest, IN_PIECES, "mem.fragmentation", vec![])
}

fn found(guest: &mut Guest, script: &str, id: &'static str, culprits: Vec<Suspect>) -> Result<()> {
    let text = guest.shell(&format!("PROGRAMS={}{script}", test_machine::PROGRAMS), PATIENCE)?;
    let expected = Expected { id, subject: vec![], culprits };
    expect::finding(&examination_in(&text)?, &expected)
}
