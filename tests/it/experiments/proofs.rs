//! From finding to proof: while a trouble lasts, `heldup try` without a change takes what the top finding
//! proposes, proves that it helps and by how much, lets it stand, and the finding is gone.

use anyhow::{Context, Result, ensure};
use heldup_model::{ExperimentEnd, Verdict};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::programs;
use heldup_testkit::trouble::{ALL as MAKERS, TroubleMaker};
use libtest_mimic::Trial;

use super::answered;
use crate::advice::of_trouble;
use crate::said::say;
use crate::traces::{are_undone, traces};

/// Seconds to look for when the change stands.
const SECONDS: u32 = 4;
/// The trouble is less by this share at least, at the end of the interval that claims least.
const REMOVED: f64 = -0.5;

/// A trouble whose finding proposes a setting.
pub struct Proof {
    /// The maker.
    maker: &'static str,
    /// How the key of the setting that is proposed ends.
    setting: &'static str,
    suffers: Suffers,
}

/// What has a figure of the trouble.
enum Suffers {
    /// The makers' own programs: a query of what is lost.
    Traffic(&'static str),
    /// `at_limit` with a kind and an amount, asked ten times: how many asks fail.
    Asks(&'static str, u64),
}
use Suffers::{Asks, Traffic};

/// Where the maker's own programs go on failing when the change is undone they are the traffic; who is
/// content once, or holds what it was given, is asked anew in each run.
pub const ALL: &[Proof] = &[
    Proof {
        maker: "cpu.throttled",
        setting: "cpu.quota",
        suffers: Traffic("select total(seconds) from task_time where class_name = 'cpu_throttled'"),
    },
    Proof { maker: "limit.aio", setting: "fs.aio-max-nr", suffers: Asks("aio", 5000) },
    Proof { maker: "limit.inotify", setting: "fs.inotify.max_user_instances", suffers: Asks("inotify", 1) },
    Proof { maker: "limit.message-queues", setting: "kernel.msgmni", suffers: Asks("message-queues", 1) },
    Proof { maker: "limit.semaphores", setting: "kernel.sem", suffers: Asks("semaphores", 200) },
    Proof { maker: "limit.shared-memory", setting: "kernel.shmall", suffers: Asks("shared-memory", 1 << 30) },
    Proof {
        maker: "mem.thrashing",
        setting: "memory.limit",
        suffers: Traffic("select total(refault_file_pages) from vmstat"),
    },
    Proof {
        maker: "net.conntrack-full",
        setting: "net.netfilter.nf_conntrack_max",
        suffers: Traffic("select total(drops) + total(early_drops) from conntrack"),
    },
    Proof {
        maker: "net.time-wait",
        setting: "net.ipv4.tcp_max_tw_buckets",
        suffers: Traffic("select total(value) from net_proto where name = 'TcpExtTCPTimeWaitOverflow'"),
    },
];
/// Troubles that another finding explains, which then proposes the change.
const CAUSES: [(&str, &str); 1] = [("mem.thrashing", "mem.cgroup-limit")];
/// Proved in every run: the shortest, of which no other program takes part.
const ALWAYS: &str = "limit.semaphores";

/// What is proved in every run.
pub fn always() -> Vec<&'static Proof> {
    ALL.iter().filter(|proof| proof.maker == ALWAYS).collect()
}

/// A test of each.
pub fn trials(proofs: &[&'static Proof]) -> Vec<Trial> {
    let one = |proof: &&'static Proof| {
        let (proof, maker) = (*proof, MAKERS.iter().find(|maker| maker.name == proof.maker)?);
        let needs: Vec<Need> = [maker.needs, crate::LEDGER].concat();
        let name = format!("experiments::proofs::{}", proof.maker);
        Some(crate::trial(name, &needs, move || is_proved(proof, maker)))
    };
    proofs.iter().filter_map(one).collect()
}

fn is_proved(proof: &Proof, maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let trouble = (maker.make)()?;
    let proved = tried(proof, &heldup).and_then(|line| {
        let after = heldup.examine(SECONDS)?.examination;
        let still = of_trouble(&after, &trouble.expected);
        ensure!(still.is_none(), "it is found still: {:?}", still.map(|finding| &finding.title));
        Ok(line)
    });
    // Before the maker puts back what it has set itself.
    let undone = heldup.run(&["tune", "undo", "--all"])?;
    drop(trouble);
    let clean = are_undone(&before);
    let line = proved?;
    ensure!(undone.status.success(), "{}", String::from_utf8_lossy(&undone.stderr));
    clean?;
    say(&line)
}

/// Tries what the top finding proposes and lets it stand; what came of it, in a line.
fn tried(proof: &Proof, heldup: &Heldup) -> Result<String> {
    let mut words: Vec<String> =
        ["try", "--yes", "--apply-best", "--goal", "lower", "--format", "json"].map(str::to_owned).to_vec();
    match proof.suffers {
        Traffic(query) => {
            words.extend(["--query", query, "--block", "1s", "--settle", "300ms"].map(str::to_owned))
        }
        Asks(kind, amount) => {
            let workload = format!("{} {kind} 0 {amount} 10", programs::built("at_limit")?.display());
            let figure = "regex:failed ([0-9]+)";
            words.extend(["--workload", &workload, "--measure", figure].map(str::to_owned));
        }
    }
    let (code, found) = answered(heldup, &words)?;
    let shown = format!("{:#?}\n{:#?}\n{:?}", found.changes, found.noise, found.notes);
    ensure!((code, found.end) == (Some(0), ExperimentEnd::Done), "{code:?} {:?}\n{shown}", found.reason);
    let [change] = found.changes.as_slice() else { anyhow::bail!("not one change\n{shown}") };
    let by = found.proposed_by.as_ref().context("no finding has proposed it")?;
    let cause = CAUSES.iter().find(|(trouble, _)| *trouble == proof.maker).map(|(_, cause)| *cause);
    let proposer = cause.unwrap_or(proof.maker);
    ensure!(by.key.starts_with(&format!("{proposer}/")), "proposed by {}: {}", by.key, by.title);
    let is_its = change.setting.ends_with(proof.setting);
    ensure!(is_its, "{} was tried, not {}\n{shown}", change.setting, proof.setting);
    ensure!(change.verdict == Some(Verdict::Helped) && change.kept, "{shown}");
    let (size, least) = (change.effect.context("no size")?, change.ci_high.context("no limit of it")?);
    ensure!(found.asked.is_ratio && least <= REMOVED, "{least}\n{shown}");
    let noise = found.noise.context("nothing is known without the change")?;
    let unit = match proof.suffers {
        Traffic(_) => "a second",
        Asks(..) => "of ten asks",
    };
    Ok(format!(
        "- {}: {} {} → {}: {:.3} {unit} without it, {:+.1} % with it ({:+.1} % at the least), {} pairs",
        proof.maker,
        change.setting,
        change.before,
        change.now.as_deref().unwrap_or(&change.asked),
        noise.figure,
        100.0 * size,
        100.0 * least,
        change.pairs
    ))
}
