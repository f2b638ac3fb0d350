//! A tunnel whose far end has no route: every packet is an error.

use std::fs;

use anyhow::Result;

use crate::condition::until;
use crate::expect::Expected;
use crate::needs::Need;
use crate::running::Running;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "net.errors", needs: &[Need::Root, Need::Tool("ip"), Need::Tool("unshare")], make };

/// In a namespace of its own; the neighbour is named so that nobody asks for it.
const WAY: &str = "ip link set lo up && ip link add vx0 type vxlan id 7 remote 10.99.0.9 dstport 4789 \
    && ip address add 10.98.0.1/24 dev vx0 && ip link set vx0 up \
    && ip neighbour add 10.98.0.2 lladdr 02:00:00:00:00:02 dev vx0 && exec \"$0\" \"$@\"";

fn make() -> Result<Trouble> {
    let mut program = Running::program_under(
        &["unshare", "-n", "sh", "-c", WAY],
        "flood",
        &[&"10.98.0.2", &"7777", &"1000"],
    )?;
    let interfaces = format!("/proc/{}/net/dev", program.pid());
    until("packets cannot be sent", || {
        program.still_runs()?;
        let text = fs::read_to_string(&interfaces)?;
        // Errors while sending are the eleventh number of an interface.
        let errors =
            text.lines().find_map(|line| line.trim_start().strip_prefix("vx0:")?.split_whitespace().nth(10));
        Ok(errors.is_some_and(|errors| errors.len() > 2))
    })?;
    let expected = Expected { id: "net.errors", subject: vec!["vx0".to_owned()], culprits: vec![] };
    Ok(Trouble::new(expected, vec![Box::new(program)]))
}
