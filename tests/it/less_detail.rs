//! The troubles again by a method that sees less, as root or as the user whose processes suffer.
//!
//! Each is looked at by the exact ledger in the same window. What the lesser method calls a
//! warning or worse and the ledger does not know of is *named wrongly*, which is worse than not
//! naming it. A look at all of them takes a quarter of an hour: they run when `HELDUP_IT_METHOD`
//! says a method (and `HELDUP_IT_USER=ordinary`), which is what `cargo xtask soak --method` does;
//! three of them always. That each trouble is undone is seen to by `trouble`.

use std::collections::BTreeSet;
use std::env;
use std::thread;

use anyhow::{Context, Result, bail};
use heldup_model::{Examination, Severity};
use heldup_testkit::expect::{self, Expected};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::let_settle;
use heldup_testkit::ordinary_user::{AS_USER, OrdinaryUser};
use heldup_testkit::trouble::{ALL, TroubleMaker};
use libtest_mimic::Trial;

use crate::robust::for_everybody;

/// Seconds to look for, as long as at the troubles with the ledger.
const SECONDS: u32 = 5;
/// Looked at in every run: one that counters tell, one that samples tell, one that a user has.
const ALWAYS: [(&str, User); 3] = [
    ("cpu.throttled", User::Root),
    ("disk.sync-bound", User::Root),
    ("lock.user-contention", User::Ordinary),
];

/// Who looks; an ordinary user suffers the trouble too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum User {
    Root,
    Ordinary,
}

pub fn trials() -> Vec<Trial> {
    let method = env::var("HELDUP_IT_METHOD").ok();
    let user = if env::var("HELDUP_IT_USER").is_ok_and(|user| user == "ordinary") {
        User::Ordinary
    } else {
        User::Root
    };
    let name = |maker: &TroubleMaker| match user {
        User::Root => format!("less_detail::{}", maker.name),
        User::Ordinary => format!("less_detail::own::{}", maker.name),
    };
    let Some(method) = method else {
        let always = ALL.iter().filter_map(|maker| {
            let (_, user) = ALWAYS.iter().find(|(name, _)| *name == maker.name)?;
            let name = format!("less_detail::{}", maker.name);
            Some(crate::trial(name, &needs(maker), move || is_named("sampling", *user, maker)))
        });
        return always.collect();
    };
    let one = |maker: &'static TroubleMaker| {
        let method = method.clone();
        let why = maker.roots_own().filter(|_| user == User::Ordinary);
        let trial = crate::trial(name(maker), &needs(maker), move || is_named(&method, user, maker));
        match why {
            Some(why) => trial.with_kind(format!("SKIPPED: {why}")).with_ignored_flag(true),
            None => trial,
        }
    };
    ALL.iter().map(one).collect()
}

/// What the maker needs, and what the exact ledger beside it does.
fn needs(maker: &TroubleMaker) -> Vec<heldup_testkit::needs::Need> {
    [maker.needs, crate::LEDGER, &[heldup_testkit::needs::Need::Tool("setpriv")]].concat()
}

fn is_named(method: &str, user: User, maker: &TroubleMaker) -> Result<()> {
    let exact = Heldup::found()?;
    let less = match user {
        User::Root => Heldup::found()?,
        User::Ordinary => for_everybody()?.under(AS_USER),
    };
    let_settle()?;
    let loads = (user == User::Ordinary).then(OrdinaryUser::runs_loads);
    let trouble = (maker.make)()?;
    drop(loads);
    let beside = thread::spawn(move || exact.examine(SECONDS));
    let seen = less.examine_with(SECONDS, &["--method", method]);
    let exact = beside.join().map_err(|_| anyhow::anyhow!("the thread of the ledger panicked"))?;
    let (expected, besides) = (trouble.expected.clone(), trouble.besides);
    drop(trouble);
    let exact = exact.context("the exact ledger beside it")?.examination;
    judge(&seen?.examination, &exact, &expected, besides)
}

fn judge(seen: &Examination, exact: &Examination, expected: &Expected, besides: &[&str]) -> Result<()> {
    let known: BTreeSet<&str> = exact.findings.iter().map(|finding| finding.id.as_str()).collect();
    let wrongly: Vec<String> = seen
        .findings
        .iter()
        .filter(|finding| finding.severity <= Severity::Warning)
        .filter(|finding| finding.id != expected.id && !known.contains(finding.id.as_str()))
        .filter(|finding| !besides.contains(&finding.id.as_str()))
        .map(|finding| format!("{}: {}", finding.key, finding.title))
        .collect();
    // On a machine that is busy with something else the ledger may not name it either.
    let not_named = match expect::finding(exact, expected) {
        Ok(()) => "NOT NAMED",
        Err(_) => "NOT NAMED, nor by the exact ledger",
    };
    let named = expect::finding(seen, expected).context(not_named);
    if wrongly.is_empty() {
        return named;
    }
    let beside = named.err().map_or(String::new(), |error| format!("\n{error:#}"));
    bail!("NAMED WRONGLY: {}{beside}", wrongly.join("; "))
}
