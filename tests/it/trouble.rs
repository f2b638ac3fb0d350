//! Every trouble of the catalogue that can be made is found, ranked and put down to who did it,
//! and the machine is afterwards as it was before.

use anyhow::{Result, ensure};
use heldup_testkit::advice;
use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::needs::Need;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::traces::{are_undone, traces};

/// Seconds to look for.
const SECONDS: u32 = 6;

/// Troubles that are there at once and have nothing to do with each other.
const TOGETHER: &[[&str; 2]] =
    &[["disk.sync-bound", "limit.open-files"], ["fs.full", "lock.user-contention"]];
/// Both must be among so many: each may have one symptom.
const RANK_OF_BOTH: usize = 4;

pub fn trials() -> Vec<Trial> {
    let one = |maker: &'static TroubleMaker| {
        crate::trial(format!("trouble::{}", maker.name), maker.needs, || is_found_and_undone(maker))
    };
    let two = |pair: &'static [&'static str; 2]| {
        let makers: Vec<&TroubleMaker> = ALL.iter().filter(|maker| pair.contains(&maker.name)).collect();
        let needs: Vec<Need> = makers.iter().flat_map(|maker| maker.needs).copied().collect();
        let name = format!("two-at-once::{}+{}", pair[0], pair[1]);
        crate::trial(name, &needs, move || both_are_found(&makers))
    };
    ALL.iter().map(one).chain(TOGETHER.iter().map(two)).collect()
}

fn is_found_and_undone(maker: &TroubleMaker) -> Result<()> {
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let trouble = (maker.make)()?;
    ensure!(traces()? != before, "{}: made nothing that could be seen", maker.name);
    let answer = heldup.examine(SECONDS)?;
    let found = expect::finding(&answer.examination, &trouble.expected);
    let advice = advice::sound(&answer.examination);
    drop(trouble);
    are_undone(&before)?;
    found?;
    advice
}

/// One trouble does not hide the other.
fn both_are_found(makers: &[&TroubleMaker]) -> Result<()> {
    ensure!(makers.len() == 2, "{} of two makers are there", makers.len());
    let heldup = Heldup::found()?;
    let_settle()?;
    let before = traces()?;
    let troubles: Vec<_> = makers.iter().map(|maker| (maker.make)()).collect::<Result<_>>()?;
    let answer = heldup.examine(SECONDS)?;
    let found = troubles
        .iter()
        .try_for_each(|trouble| expect::finding_within(&answer.examination, &trouble.expected, RANK_OF_BOTH));
    drop(troubles);
    found.and(are_undone(&before))
}
