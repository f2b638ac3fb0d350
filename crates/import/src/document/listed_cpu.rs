//! CPU use in percent, as one listing prints it: rows of `listed_cpu`.

use heldup_model::Record;
use heldup_model::tables::ListedCpuRow;

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// More CPUs than any machine that runs these tools has.
const MOST_CPUS: f64 = 8192.0;
/// Percentages are rounded, each for itself.
const SLACK: f64 = 0.02;
/// Columns of table `cpu`, and the share of all CPUs that is in each.
const SHARES: [(&str, &str); 8] = [
    ("user_s", "user_share"),
    ("nice_s", "nice_share"),
    ("system_s", "system_share"),
    ("irq_s", "interrupt_share"),
    ("softirq_s", "interrupt_share"),
    ("steal_s", "steal_share"),
    ("iowait_s", "iowait_share"),
    ("idle_s", "idle_share"),
];

/// What the percentages of a listing cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covers {
    /// The time since the screen before.
    Interval,
    /// The last seconds or minute: a mean that fades.
    Recent,
    /// The first screen: since boot, since the start of each process, or an instant; that depends on the release.
    First,
    /// The time since the process started.
    Life,
}

/// What a hundred percent are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PercentOf {
    /// One CPU.
    OneCpu,
    /// All CPUs.
    AllCpus,
}

/// CPU use of one process or thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedTask<'a> {
    /// Process.
    pub pid: Option<i64>,
    /// Thread, if it is one.
    pub tid: Option<i64>,
    /// Its name.
    pub name: Option<&'a str>,
    /// Percent.
    pub percent: f64,
}

impl Covers {
    const fn name(self) -> &'static str {
        match self {
            Covers::Interval => "interval",
            Covers::Recent => "recent",
            Covers::First => "first",
            Covers::Life => "life",
        }
    }
}

/// Writes the CPU use of one task; who used nothing is left out.
pub fn put_task(document: &mut Document, when: When, covers: Covers, of: PercentOf, task: ListedTask<'_>) {
    let used = task.percent / 100.0;
    let most = if of == PercentOf::OneCpu { MOST_CPUS } else { 1.0 + SLACK };
    let Some(number) = task.tid.or(task.pid).filter(|_| used > 0.0 && used <= most) else { return };
    let subject = if task.tid.is_some() { "thread" } else { "process" };
    let column = if of == PercentOf::OneCpu { "used_cpus" } else { "used_share" };
    let mut cells = vec![
        ("subject", Put::Text(subject)),
        ("number", Put::Number(Some(number as f64))),
        ("pid", Put::Number(task.pid.map(|pid| pid as f64))),
        ("covers", Put::Text(covers.name())),
        (column, Put::Number(Some(used))),
    ];
    cells.extend(task.name.map(|name| ("name", Put::Text(name))));
    put(document, ListedCpuRow::DEF, when, &format!("{subject} {number}"), &cells);
}

/// Writes the states of all CPUs together, in percent by columns of table `cpu`; nothing where they are no shares of one whole.
pub fn put_host(document: &mut Document, when: When, covers: Covers, percents: &[(&'static str, f64)]) {
    let mut shares: Vec<(&'static str, f64)> = Vec::new();
    for (column, percent) in percents {
        let Some((_, share)) = SHARES.iter().find(|(known, _)| known == column) else { continue };
        match shares.iter_mut().find(|(name, _)| name == share) {
            Some((_, sum)) => *sum += percent / 100.0,
            None => shares.push((share, percent / 100.0)),
        }
    }
    let whole: f64 = shares.iter().map(|(_, share)| share).sum();
    if !shares.iter().any(|(name, _)| *name == "idle_share") || (whole - 1.0).abs() > 2.0 * SLACK {
        return;
    }
    let mut cells = vec![("subject", Put::Text("host")), ("covers", Put::Text(covers.name()))];
    cells.extend(shares.into_iter().map(|(name, share)| (name, Put::Number(Some(share)))));
    put(document, ListedCpuRow::DEF, when, "host", &cells);
}

#[cfg(test)]
mod tests {
    use heldup_model::Record;
    use heldup_model::tables::{CpuRow, ListedCpuRow};

    use super::SHARES;

    #[test]
    fn columns_exist() {
        for (counted, listed) in SHARES {
            assert!(CpuRow::DEF.position(counted).is_some(), "{counted}");
            assert!(ListedCpuRow::DEF.position(listed).is_some(), "{listed}");
        }
    }
}
