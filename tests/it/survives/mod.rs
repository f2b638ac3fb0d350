//! What may happen to a recorder and its archive: it is killed, has no room to write, its
//! devices come and go. Recording goes on, what was written is there, and nothing false is.

pub mod archive;
mod devices;
mod disks;
mod kills;
pub mod machine;

use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

/// Name, needs and body.
type Survival = (&'static str, &'static [Need], crate::Run);

pub fn trials() -> Vec<Trial> {
    let disk = &[Need::Root, Need::Tool("losetup"), Need::Tool("mkfs.ext4"), Need::File("/dev/loop-control")];
    let tests: [Survival; 8] = [
        ("disk-comes-and-goes", disk, devices::disk_comes_and_goes),
        ("full-disk", disk, disks::full),
        ("interface-comes-and-goes", &[Need::Root, Need::Tool("ip")], devices::interface_comes_and_goes),
        (
            "interface-moves-in",
            &[Need::Root, Need::Tool("ip"), Need::Tool("nsenter")],
            devices::interface_moves_in,
        ),
        ("kills", crate::LEDGER, kills::killed_at_any_moment),
        ("read-only-disk", disk, disks::read_only),
        ("read-while-written", &[], devices::read_while_written),
        ("stopped", &[], devices::stopped),
    ];
    let one = |(name, needs, run): Survival| crate::trial(format!("record::survives::{name}"), needs, run);
    tests.into_iter().map(one).chain(machine::trials()).collect()
}
