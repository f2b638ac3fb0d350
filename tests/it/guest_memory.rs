//! A machine whose memory runs out, one whose memory is in pieces, one whose memory is far away, and
//! one that lets its writes wait for long: troubles of all memory, which no machine with other work on
//! it should be made to suffer.

use anyhow::Result;
use heldup_testkit::expect::{self, Expected, Suspect};
use heldup_testkit::guest::{Guest, test_machine};

use crate::guest::{PATIENCE, examination_in};

/// Fills memory until a sixth is left, of which somebody takes 8 MB a second in the window, and no more
/// behind it: to judge it takes memory too. Whoever is still there at the end of a command is ended.
const RUNS_OUT: &str = "
    set -e
    of() { sed -n \"s/^$1: *\\([0-9]*\\) kB/\\1/p\" /proc/meminfo; }
    mkdir -p /run/full && mount -t tmpfs -o size=100% full /run/full
    trap 'umount /run/full' EXIT
    dd if=/dev/zero of=/run/full/file bs=1M count=$((($(of MemAvailable) - $(of MemTotal) / 6) / 1024)) 2>/dev/null
    $PROGRAMS/leak 8000000 >/run/leak.says & leak=$!
    until grep -q waits /run/leak.says; do kill -0 $leak; sleep 0.1; done
    heldup --format json -- sh -c \"kill -USR1 $leak; sleep 6; kill -STOP $leak\"";

/// Leaves every other page free, and asks for huge ones. The kernel puts aside what it needs to make
/// huge pages itself, so that little must be left to it before all others are taken; and it would go
/// on tidying up unasked, for which an emulated CPU takes minutes.
const IN_PIECES: &str = "
    set -e
    cd /proc/sys/vm; aside=$(cat min_free_kbytes); unasked=$(cat compaction_proactiveness)
    trap 'echo $aside >min_free_kbytes; echo $unasked >compaction_proactiveness' EXIT
    echo 4096 >min_free_kbytes; echo 0 >compaction_proactiveness
    $PROGRAMS/fragment_memory >/run/fragment.says & fragment=$!
    until grep -q fragmented /run/fragment.says; do kill -0 $fragment; sleep 0.1; done
    heldup --format json --for 6s";

/// Who runs on one node and is given the memory of the other. It begins with the window: before,
/// it would fill that node, however long an emulated machine takes to look.
const FAR_AWAY: &str = "
    set -e
    numactl --cpunodebind=0 --membind=1 $PROGRAMS/leak 20000000 >/run/far.says & far=$!
    until grep -q waits /run/far.says; do kill -0 $far; sleep 0.1; done
    heldup --format json -- sh -c \"kill -USR1 $far; sleep 6\"";

/// A node that is full but for less than a twentieth (and more than what the kernel keeps for
/// itself), with what cannot be given back, and somebody who would like more of it: until 80 MB came
/// from the other node, however long an emulated CPU takes for that.
const NODE_IS_FULL: &str = "
    set -e
    of() { sed -n \"s/^Node 0 $1: *\\([0-9]*\\) kB/\\1/p\" /sys/devices/system/node/node0/meminfo; }
    mkdir -p /run/full && mount -t tmpfs -o size=100%,mpol=bind:0 full /run/full
    trap 'umount /run/full' EXIT
    dd if=/dev/zero of=/run/full/file bs=1M count=$((($(of MemFree) - $(of MemTotal) * 45 / 1000) / 1024)) 2>/dev/null
    numactl --cpunodebind=0 --preferred=0 $PROGRAMS/leak 40000000 >/run/wants.says & wants=$!
    until grep -q waits /run/wants.says; do kill -0 $wants; sleep 0.1; done
    cat >/run/until-enough <<'END'
        foreign() { sed -n 's/^numa_foreign //p' /sys/devices/system/node/node0/numastat; }
        enough=$(($(foreign) + 20000))
        kill -USR1 $1
        until [ $(foreign) -ge $enough ]; do kill -0 $1 || exit; sleep 0.2; done
END
    heldup --format json -- sh /run/until-enough $wants";

/// What is written goes to the disk every four seconds, all at once, with readers beside it who ask for a page
/// fifty times a second. They are programs of their own: `dd` for each read took so much of an emulated CPU
/// that on a busy machine it read five times a second, and lost 0.2 s behind the bursts, which is near the
/// least that the rule takes for harm (1 % of active time).
const WRITTEN_AT_ONCE: &str = "
    set -e
    cd /proc/sys/vm; every=$(cat dirty_writeback_centisecs); age=$(cat dirty_expire_centisecs)
    trap 'kill $writer $readers || :; echo $every >dirty_writeback_centisecs; echo $age >dirty_expire_centisecs' EXIT
    for file in read written; do dd if=/dev/zero of=$SLOW/$file bs=1M count=60 conv=fsync 2>/dev/null; done
    echo 10 >dirty_expire_centisecs; echo 400 >dirty_writeback_centisecs
    $PROGRAMS/burst_writer $SLOW/written & writer=$!
    readers=
    for reader in 1 2 3; do $PROGRAMS/steady_reader $SLOW/read & readers=\"$readers $!\"; done
    heldup --format json --for 13s";

/// Memory that is taken until little is left, and goes on being taken.
pub fn memory_runs_out(guest: &mut Guest) -> Result<()> {
    found(guest, RUNS_OUT, "mem.exhausted", vec![Suspect::Named(&["leak"])])
}

/// Memory that is free in single pages, and somebody who wants it in huge ones. Nobody can be named: the
/// kernel soon gives up and hands out small pages, so that nobody waits long.
pub fn memory_in_pieces(guest: &mut Guest) -> Result<()> {
    found(guest, IN_PIECES, "mem.fragmentation", vec![])
}

/// Memory of another node than the one that its owner runs on.
pub fn memory_far_away(guest: &mut Guest) -> Result<()> {
    found(guest, FAR_AWAY, "cpu.numa-remote", vec![Suspect::Named(&["leak"])])
}

/// One node that is full beside one that has room.
pub fn full_node(guest: &mut Guest) -> Result<()> {
    found(guest, NODE_IS_FULL, "mem.numa-imbalance", vec![Suspect::Named(&["leak"])])
}

/// Writes that are sent to a disk in bursts, and a reader behind them.
pub fn writes_in_bursts(guest: &mut Guest) -> Result<()> {
    found(guest, WRITTEN_AT_ONCE, "mem.write-burst", vec![Suspect::Named(&["burst_writer"])])
}

fn found(guest: &mut Guest, script: &str, id: &'static str, culprits: Vec<Suspect>) -> Result<()> {
    let places = format!("PROGRAMS={} SLOW={}", test_machine::PROGRAMS, test_machine::SLOW_DISK);
    let text = guest.shell(&format!("{places}{script}"), PATIENCE)?;
    let expected = Expected { id, subject: vec![], culprits };
    expect::finding(&examination_in(&text)?, &expected)
}
