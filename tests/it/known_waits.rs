//! What programs clocked themselves is what the ledger says, class by class.

use heldup_testkit::heldup::Heldup;
use heldup_testkit::known_waits::{ALL, KnownWaits, UNTOLD, open_waits};
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

/// What the waits that outlast the window need: one of them mounts.
const OPEN: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::File("/dev/fuse")];

pub fn trials() -> Vec<Trial> {
    let one = |waits: &'static KnownWaits| {
        let run = || waits.check(&Heldup::found()?);
        let test = crate::trial(format!("known_waits::{}", waits.name), waits.needs, run);
        // Said aloud at every run; `--ignored` runs it.
        if waits.name == UNTOLD { test.with_kind("KNOWN GAP").with_ignored_flag(true) } else { test }
    };
    let open = crate::trial("known_waits::open".to_owned(), OPEN, || open_waits::check(&Heldup::found()?));
    ALL.iter().map(one).chain([open]).collect()
}
