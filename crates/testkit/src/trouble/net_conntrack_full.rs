//! A firewall that tracks connections, and may track no more than five hundred.
//!
//! In a network namespace of its own: there the limit holds too, and nobody else's
//! connections are tracked by it.

use std::fs;

use anyhow::Result;

use crate::condition::until;
use crate::expect::Expected;
use crate::kernel_setting::KernelSetting;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker = TroubleMaker {
    name: "net.conntrack-full",
    needs: &[Need::Root, Need::File(LIMIT), Need::Tool("ip"), Need::Tool("nft"), Need::Tool("unshare")],
    make,
};

const LIMIT: &str = "/proc/sys/net/netfilter/nf_conntrack_max";
/// The rule alone makes the kernel track, whatever it says.
const FIREWALL: &str = "ip link set lo up && nft add table ip t \
    && nft add chain ip t c '{ type filter hook output priority 0; }' \
    && nft add rule ip t c ct state new accept && exec \"$0\" \"$@\"";

fn make() -> Result<Trouble> {
    let limit = KernelSetting::set(LIMIT, "500")?;
    let mut program =
        Running::program_under(&["unshare", "-n", "sh", "-c", FIREWALL], "many_peers", &[&"1000"])?;
    let counters = format!("/proc/{}/net/stat/nf_conntrack", program.pid());
    until("packets are dropped at the full table", || {
        program.still_runs()?;
        let text = fs::read_to_string(&counters)?;
        // A row a CPU of hexadecimal numbers; the eleventh is drop, the next early_drop.
        let drops = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(10));
        Ok(drops.filter_map(|word| u64::from_str_radix(word, 16).ok()).sum::<u64>() > 100)
    })?;
    let expected = Expected { id: "net.conntrack-full", subject: vec![], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(limit)]))
}
