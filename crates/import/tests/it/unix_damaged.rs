//! Listings of Solaris, AIX and HP-UX that are damaged, cut off, or no listings at all.

use std::fs;
use std::path::Path;

use crate::table_text::{import, told};

#[test]
fn damaged_rows_are_said_with_their_line() {
    for (text, line, expected) in [
        (
            "SunOS h 5.10 g sun4u 03/18/2004\n\n10:00:00 %usr %sys %wio %idle\n10:00:10 1 2 0\n10:00:20 1 2 0 97\n",
            4,
            "sar: 3 words; expected %usr %sys",
        ),
        (
            "CPU minf mjf xcal  intr ithr  csw icsw migr smtx  srw syscl  usr sys  wt idl\n\
             \x20 0    1   0    0   345  244   60    1    4    5    0   112    1   1   0  98\n\
             \x20 1    0   0   12   103  100   4x    0    4    6    0    98    0   1   0\n",
            3,
            "expected CPU minf mjf",
        ),
        (
            "r/s w/s kr/s kw/s wait actv wsvc_t asvc_t %w %b device\n0.2 0.4 1.9 3.1 0.0 0.0 0.5 11.0 0 0 sd0\n0.2 0.4 1.9 3.1 0.0 0.0 0.5 sd1\n",
            3,
            "expected r/s w/s",
        ),
        (
            "PID USERNAME SIZE RSS STATE PRI NICE TIME CPU PROCESS/NLWP\n1 root 4832K 3456K sleep 59 0 0:00:12 0.0% init/1\n421 root 4832K\n",
            3,
            "prstat: 3 words",
        ),
        (
            "%user %sys %wait %idle physc\n----- ---- ----- ----- -----\n1.0 2.0 0.0 97.0 0.1\n1.0 2.0 0.0\n1.0 2.0 0.0 97.0 0.1\n",
            4,
            "lparstat: 3 numbers; expected %user",
        ),
        (
            "size inuse free pin virtual\nmemory 1048576 425275 623301 66521 159191\npg space 262144 x\n",
            3,
            "svmon: expected numbers",
        ),
        (
            "swapfile dev swaplo blocks free\n/dev/dsk/c0t0d0s1 32,1 16 2097632 2000000\n/dev/dsk/c0t1d0s1 32,9 16 20\n",
            3,
            "swap: a damaged row; expected swapfile, dev",
        ),
        (
            "syscall seconds calls errors\nread .024 140\nwrite .110 12 1 9\nsys totals: .1 152 0\nelapsed: 1.0\n",
            3,
            "truss: expected a call",
        ),
        (
            "Extent Fragmentation Report\n9293 115 1 149352\n% Free blocks in extents smaller than 64 blks: 104.0\n",
            3,
            "expected percent of free blocks",
        ),
        (
            "  node       mounted        mounted over    vfs       date        options\n/dev/hd4 / jfs2 Jun 03 12:51 rw\n/dev/hd1 /home jfs2 rw\n",
            3,
            "expected what is mounted",
        ),
        (
            "Disks: % tm_act Kbps tps Kb_read Kb_wrtn\nhdisk0 0.8 11.1 0.8 10 20\nhdisk1 0.8 11.1 0.8\n",
            3,
            "iostat: 3 numbers; expected 5",
        ),
    ] {
        let read = import(text.as_bytes());
        assert_eq!(read.flaws.len(), 1, "{text}{:?}", read.flaws);
        assert!(read.flaws[0].place.ends_with(&format!(":{line}")), "{text}{:?}", read.flaws);
        assert!(read.flaws[0].what.contains(expected), "{text}{:?}", read.flaws);
        assert!(read.file.is_known, "{text}{}", told(&read));
    }
}

#[test]
fn every_beginning_of_a_listing_is_read_without_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folders = [
        "fsadm", "iostat", "kstat", "lparstat", "lsattr", "lsfs", "lsps", "mount", "mpstat", "prstat",
        "svmon", "swap", "swapinfo", "truss", "tunables",
    ];
    for folder in folders {
        for file in fs::read_dir(root.join(folder)).expect("folder") {
            let path = file.expect("file").path();
            if path.extension().is_some_and(|end| end == "txt") {
                let text = fs::read(&path).expect("recording");
                (0..text.len()).step_by(7).for_each(|end| drop(import(&text[..end])));
            }
        }
    }
}

#[test]
fn prose_about_unix_is_no_recording() {
    let text = "AIX is a system of IBM, SunOS one of Sun, and HP-UX B.11.31 U too.\nSystem load was high at 10:00:00.\n\
                The device was busy: r/s and w/s of it were high, said the disk team.\n\
                sd0 has Soft Errors and Hard Errors\nsize, inuse and free are headings\nThis is not True\n\
                total: 5k of it were used, 3 available\nnode by node we mounted it\nName it, Mount it\nUnit: MB\nmodule: none\nfsadm -E /home was run\n\
                12:30:01 nobody %usr knows\nmaxfree is a setting = large\nlsattr -El hdisk0 gave nothing that was True\n\
                strategy is all: device by device\n";
    let read = import(text.as_bytes());
    assert_eq!(read.file.what, "unknown format", "{}", told(&read));
}
