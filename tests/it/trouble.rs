//! Every trouble of the catalogue that can be made is found, ranked and put down to who did it,
//! and the machine is afterwards as it was before.

use anyhow::{Result, ensure};
use heldup_testkit::advice;
use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::traces::{are_undone, traces};

/// Seconds to look for.
const SECONDS: u32 = 6;

pub fn trials() -> Vec<Trial> {
    let one = |maker: &'static TroubleMaker| {
        crate::trial(format!("trouble::{}", maker.name), maker.needs, || is_found_and_undone(maker))
    };
    ALL.iter().map(one).collect()
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
