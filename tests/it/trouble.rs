//! Every trouble of the catalogue that can be made is found, ranked and put down to who did it.

use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::trouble::ALL;
use libtest_mimic::Trial;

/// Seconds to look for.
const SECONDS: u32 = 8;

pub fn trials() -> Vec<Trial> {
    let one = |maker: &'static heldup_testkit::trouble::TroubleMaker| {
        crate::trial(format!("trouble::{}", maker.name), maker.needs, || {
            let heldup = Heldup::found()?;
            let_settle()?;
            let trouble = (maker.make)()?;
            let answer = heldup.examine(SECONDS)?;
            expect::finding(&answer.examination, &trouble.expected)
        })
    };
    ALL.iter().map(one).collect()
}
