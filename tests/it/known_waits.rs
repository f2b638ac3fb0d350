//! What programs clocked themselves is what the ledger says, class by class.

use heldup_testkit::heldup::Heldup;
use heldup_testkit::known_waits::{ALL, KnownWaits};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let one = |waits: &'static KnownWaits| {
        crate::trial(format!("known_waits::{}", waits.name), waits.needs, || waits.check(&Heldup::found()?))
    };
    ALL.iter().map(one).collect()
}
