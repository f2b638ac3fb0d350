//! Killed at each step of apply, confirm, undo, recover and the guard: everything comes back.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use heldup_testkit::condition::until;

use super::ended::{self, ENDS, Ended};
use super::machine::Changed;

/// How many kills, where `cargo xtask soak --tune-kills` says nothing else.
const KILLS: usize = 20;
const VARIABLE: &str = "HELDUP_IT_TUNE_KILLS";

/// The step of apply at which it is cut off for recover: its last change is begun.
const CUT: usize = 12;

/// What is applied, and killed.
pub struct Applying<'a> {
    /// The words of `heldup tune`: whether it is to last, and until when unless it is confirmed.
    pub words: &'a dyn Fn(bool, Option<&str>) -> Vec<String>,
    /// Whether it lasts: each of these is killed.
    pub lasting: &'a [bool],
    /// The step of apply at which it is cut off for recover.
    pub cut: usize,
    /// How many changes stand when all of it does.
    pub whole: &'a [usize],
}

/// A command that is killed, and what comes before it.
struct Killed {
    /// Who is killed.
    command: &'static str,
    /// What is done first.
    first: Vec<Vec<String>>,
    /// A step of what is done first at which that is killed.
    cut: Option<usize>,
    /// What is run then; it starts who is killed, where that is another.
    words: Vec<String>,
}

/// What is applied: settings of the machine, a device and a namespace; every other time to last.
fn apply(changed: &Changed, lasting: bool, confirm: Option<&str>) -> Vec<String> {
    let mut words = vec!["apply".to_owned(), "vm.dirty_bytes=268435456".to_owned()];
    if lasting {
        words.push("--persist".to_owned());
    } else {
        words.push(format!("{}=64", changed.read_ahead()));
    }
    words.push("net.core.somaxconn=1234".to_owned());
    words.extend(confirm.into_iter().flat_map(|time| ["--confirm".to_owned(), time.to_owned()]));
    words
}

fn scenarios(applying: &Applying, lasting: bool) -> Vec<Killed> {
    let word = |word: &str| vec![word.to_owned()];
    let apply = |confirm| (applying.words)(lasting, confirm);
    let undo = vec!["undo".to_owned(), "--all".to_owned()];
    vec![
        Killed { command: "apply", first: Vec::new(), cut: None, words: apply(None) },
        Killed { command: "undo", first: vec![apply(None)], cut: None, words: undo },
        Killed { command: "confirm", first: vec![apply(Some("2s"))], cut: None, words: word("confirm") },
        Killed {
            command: "recover",
            first: vec![apply(None)],
            cut: Some(applying.cut),
            words: word("recover"),
        },
        Killed { command: "guard", first: Vec::new(), cut: None, words: apply(Some("100ms")) },
    ]
}

pub fn killed_at_every_step() -> Result<()> {
    let kills: usize = match std::env::var(VARIABLE) {
        Ok(kills) => kills.parse().context(VARIABLE)?,
        Err(_) => KILLS,
    };
    let changed = Changed::new()?;
    let words = |lasting, confirm: Option<&str>| apply(&changed, lasting, confirm);
    let applying = Applying { words: &words, lasting: &[false, true], cut: CUT, whole: &[2, 3] };
    killed(&changed, &applying, kills)
}

/// Kills each command at steps that chance says, or at all where there are kills enough.
pub fn killed(changed: &Changed, applying: &Applying, kills: usize) -> Result<()> {
    let mut dice = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos() as usize;
    let mut numbers = Vec::new();
    for lasting in applying.lasting.iter().copied() {
        for killed in scenarios(applying, lasting) {
            numbers.push((lasting, killed.command, steps(changed, applying, &killed)?));
        }
    }
    let mut done = 0;
    for kill in 0..kills {
        let (lasting, command, steps) = numbers[kill % numbers.len()];
        // One after the other where there are enough for that; else wherever it falls.
        let turn = kill / numbers.len();
        let at = if kills >= 200 { turn } else { dice };
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (step, end) = ((at / ENDS.len()) % steps, ENDS[at % ENDS.len()]);
        let killed = scenarios(applying, lasting).into_iter().find(|one| one.command == command);
        let ended = Ended { command, step, end, signal: libc::SIGKILL };
        let killed = killed.context("a scenario")?;
        let seen = once(changed, applying, &killed, ended);
        done += usize::from(seen.with_context(|| format!("kill {kill}: {ended:?}"))?);
    }
    // The guard ends where nobody sees it.
    ensure!(done * 10 >= kills * 7, "only {done} of {kills} were seen to be killed");
    crate::said::say(&format!("- killed {kills} times: {numbers:?}"))
}

/// How many steps there are to be killed at.
fn steps(changed: &Changed, applying: &Applying, killed: &Killed) -> Result<usize> {
    prepare(changed, killed)?;
    let words: Vec<&str> = killed.words.iter().map(String::as_str).collect();
    let mut steps = ended::steps(changed, killed.command, &words)?;
    if killed.command == "guard" {
        until("the guard has ended", || Ok(!changed.is_guarded()?))?;
        steps = ended::count(changed)?;
    }
    clear(changed, applying)?;
    ensure!(steps > 1, "{}: {steps} steps", killed.command);
    Ok(steps)
}

/// Kills it once, and whether it was seen to be.
fn once(changed: &Changed, applying: &Applying, killed: &Killed, ended: Ended) -> Result<bool> {
    prepare(changed, killed)?;
    let words: Vec<&str> = killed.words.iter().map(String::as_str).collect();
    let (status, said) = ended::run(changed, &words, ended)?;
    let seen = !status.success();
    if ended.command == "guard" {
        ensure!(status.success(), "{status}: {said}");
        until("the guard has ended", || Ok(!changed.is_guarded()?))?;
    }
    clear(changed, applying).with_context(|| said)?;
    Ok(seen || ended.command == "guard")
}

fn prepare(changed: &Changed, killed: &Killed) -> Result<()> {
    for words in &killed.first {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match killed.cut {
            None => drop(changed.tune_well(&words)?),
            Some(step) => {
                let ended = Ended { command: "apply", step, end: "after", signal: libc::SIGKILL };
                let (status, said) = ended::run(changed, &words, ended)?;
                ensure!(!status.success(), "it was not cut off: {said}");
            }
        }
    }
    Ok(())
}

/// What a user does after it: the next run finishes what was interrupted, and what is in effect is undone.
fn clear(changed: &Changed, applying: &Applying) -> Result<()> {
    changed.tune_well(&["recover"])?;
    let in_effect =
        changed.status()?.into_iter().filter(|(_, state)| state == "in_effect" || state == "waits");
    let in_effect: Vec<u64> = in_effect.map(|(id, _)| id).collect();
    // All of a plan, or none of it.
    let whole = in_effect.is_empty() || applying.whole.contains(&in_effect.len());
    ensure!(whole, "a part is in effect: {in_effect:?}");
    if !in_effect.is_empty() {
        changed.tune_well(&["undo", "--all"])?;
    }
    changed.is_as_before()
}
