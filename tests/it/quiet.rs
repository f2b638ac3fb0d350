//! Nothing of severity warning or worse is found on a healthy machine.

use heldup_testkit::expect;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::quiet::{ALL, QuietCase};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let one = |case: &'static QuietCase| {
        crate::trial(format!("quiet::{}", case.name), case.needs, || {
            let heldup = Heldup::found()?;
            let_settle()?;
            let load = (case.make)()?;
            let answer = heldup.examine(case.seconds)?;
            drop(load);
            expect::quiet(&answer.examination)
        })
    };
    ALL.iter().map(one).collect()
}
