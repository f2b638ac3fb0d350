//! What `heldup top` costs beside 100 and beside 2,000 processes, with its rivals beside it in the same time; and how soon
//! it answers keys on a day of 2,000 processes.
//!
//! All run at once, each in a terminal of 80 × 24, so that each looks at the same machine. What `heldup top` records for itself
//! is counted apart.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::crowd::Crowd;
use super::pty::InTerminal;
use super::{Bench, Figure, Setting, median};
use crate::program::{cargo, is_here, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "top",
    question: "what `heldup top` costs at 1 s beside 100 and 2,000 processes, and how soon it answers",
    looks: true,
    measure,
};

/// Rounds; the median counts.
const ROUNDS: usize = 3;
/// Before that a machine is judged more often.
const WARM: Duration = Duration::from_secs(25);
/// How long is measured: six judgements.
const MEASURED: Duration = Duration::from_secs(60);
/// The hidden command that records for `heldup top`.
const RECORDER: &str = "live-archive";
/// Times that each key is measured.
const TIMES: usize = 20;
/// After so long without a change the screen is what it becomes.
const SILENCE: Duration = Duration::from_millis(1200);
const PATIENCE: Duration = Duration::from_secs(120);
/// A folder with the day, where it was made before.
const DAY: &str = "HELDUP_BENCH_DAY";
/// Said of a program that is not there.
const MISSING: &str = "not installed";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for processes in [100, 2_000] {
        figures.extend(beside(setting, processes)?);
    }
    figures.extend(keys(setting)?);
    Ok(figures)
}

/// Other views of a machine that goes on, each as it shows a second.
fn rivals() -> Vec<(&'static str, Vec<&'static str>)> {
    vec![
        ("top", vec!["-d", "1"]),
        ("htop", vec!["-d", "10"]),
        ("atop", vec!["1"]),
        ("btm", vec!["-r", "1000"]),
        ("below", vec!["live"]),
    ]
}

/// What all cost, side by side.
fn beside(setting: &Setting, processes: usize) -> Result<Vec<Figure>> {
    let _crowd = Crowd::up_to(processes)?;
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let mut ours = Command::new(&setting.heldup);
        let ours = InTerminal::start(ours.arg("top"))?;
        let mut others = Vec::new();
        for (name, words) in rivals().into_iter().filter(|(name, _)| is_here(name)) {
            others.push((name, InTerminal::start(Command::new(name).args(words))?));
        }
        sleep(WARM);
        let used = || -> Result<Vec<(&'static str, f64)>> {
            let (viewer, recorder) = cpu_seconds(ours.program.0.id())?;
            let mut used = vec![("heldup top", viewer), ("recorder", recorder)];
            for (name, other) in &others {
                let (seconds, _) =
                    cpu_seconds(other.program.0.id()).with_context(|| format!("{name} has ended"))?;
                used.push((*name, seconds));
            }
            Ok(used)
        };
        let (before, begun) = (used()?, Instant::now());
        sleep(MEASURED);
        let (after, length) = (used()?, begun.elapsed().as_secs_f64());
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            shares.entry(name).or_default().push(100.0 * (after - before) / length);
        }
    }
    let beside = format!("beside {processes} processes");
    let share = |name: &str| shares.get(name).map(|shares| median(shares));
    let ours = share("heldup top").unwrap_or(f64::NAN);
    let what = format!("heldup top {beside}, without what records, of one CPU");
    let mut figures = vec![match processes {
        2_000 => Figure::at_most(what, ours, 0.4, "%", 2),
        _ => Figure::shown(what, format!("{ours:.2} %")),
    }];
    let mut rest = vec![("recorder".to_owned(), share("recorder"))];
    rest.extend(rivals().into_iter().map(|(name, _)| (name.to_owned(), share(name))));
    for (name, share) in rest {
        let said = share.map_or_else(|| MISSING.to_owned(), |share| format!("{share:.2} %"));
        figures.push(Figure::shown(format!("{name} {beside}, of one CPU"), said));
    }
    Ok(figures)
}

/// CPU seconds of a process and all below it that are there or were waited for; those of what records apart.
fn cpu_seconds(pid: u32) -> Result<(f64, f64)> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some((parent, _)) = stat(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    stat(pid).context("it has ended")?;
    let (mut own, mut recorded) = (0.0, 0.0);
    let mut open = vec![(pid, false)];
    while let Some((pid, records)) = open.pop() {
        let records =
            records || std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| has(&words, RECORDER));
        let seconds = stat(pid).map_or(0.0, |(_, seconds)| seconds);
        *(if records { &mut recorded } else { &mut own }) += seconds;
        open.extend(children.get(&pid).into_iter().flatten().map(|child| (*child, records)));
    }
    Ok((own, recorded))
}

fn has(words: &[u8], word: &str) -> bool {
    words.split(|byte| *byte == 0).any(|one| one == word.as_bytes())
}

/// The parent of a process, and CPU seconds of it and of its children that have ended.
fn stat(pid: u32) -> Option<(u32, f64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // SAFETY: it only answers.
    let ticks = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
    fields(&text, ticks)
}

fn fields(stat: &str, ticks: f64) -> Option<(u32, f64)> {
    // A name may have brackets and spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let times = fields.get(11..15)?.iter().filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>();
    Some((fields.get(1)?.parse().ok()?, times / ticks))
}

/// How soon the screen is what a key makes of it.
fn keys(setting: &Setting) -> Result<Vec<Figure>> {
    let day = match std::env::var_os(DAY) {
        Some(day) => PathBuf::from(day),
        None => made_day(setting)?,
    };
    let folder = day.to_str().context("a path of text")?;
    let start = || {
        let begun = Instant::now();
        let mut command = Command::new(&setting.heldup);
        InTerminal::start(command.args(["top", folder])).map(|terminal| (begun, terminal))
    };
    let mut first = Vec::new();
    // The first reads the files from the disk.
    for time in 0..=TIMES {
        let (begun, terminal) = start()?;
        let seconds = terminal.until_text(begun, "Active time", PATIENCE)?;
        first.extend((time > 0).then_some(seconds));
    }
    let mut figures = answered("first screen", &first, 0.3);
    let (begun, mut terminal) = start()?;
    // What was found in the day comes last.
    terminal.until_text(begun, "Active time", PATIENCE)?;
    terminal.until_silence(begun, SILENCE * 5, PATIENCE)?;
    let mut pressed = |keys: &mut dyn FnMut(usize) -> String| -> Result<Vec<f64>> {
        let mut taken = Vec::new();
        for time in 0..TIMES {
            let begun = Instant::now();
            terminal.press(&keys(time))?;
            taken.extend(terminal.until_silence(begun, SILENCE, PATIENCE)?);
        }
        Ok(taken)
    };
    let left = "\u{1b}[D";
    figures.extend(answered("a step back", &pressed(&mut |_| left.to_owned())?, 0.1));
    figures.extend(answered(
        "a jump by an hour",
        &pressed(&mut |time| format!("b{:02}:30\r", 2 + time))?,
        0.3,
    ));
    pressed(&mut |_| "w".to_owned())?;
    figures.extend(answered("another order of the rows", &pressed(&mut |_| ">".to_owned())?, 0.1));
    Ok(figures)
}

/// The day of the bench `show`, which is made where it is not there.
fn made_day(setting: &Setting) -> Result<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| setting.tree.root().join("target"), PathBuf::from);
    let day = target.join("show/day");
    let folder = day.to_str().context("a path of text")?;
    output(&mut cargo(
        setting.tree,
        &["bench", "--quiet", "--package", "heldup-archive", "--bench", "busy_day", "--", folder],
    ))?;
    Ok(day)
}

fn answered(what: &str, taken: &[f64], bar: f64) -> Vec<Figure> {
    let name = format!("{what} of a day of 2,000 processes, median of {}", taken.len());
    let most = taken.iter().copied().fold(f64::NAN, f64::max);
    vec![
        Figure::at_most(name, median(taken), bar, "s", 3),
        Figure::shown(format!("{what}, the slowest"), format!("{most:.3} s")),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_process_are_found_behind_any_name() {
        let stat = "12 (a) b) c) S 7 12 12 0 -1 4194304 100 0 0 0 150 50 20 30 20 0 1 0 100 0 0";
        assert_eq!(fields(stat, 100.0), Some((7, 2.5)));
        assert_eq!(fields("12 (a", 100.0), None);
        assert!(has(b"heldup\0live-archive\0/run", RECORDER) && !has(b"heldup\0top", RECORDER));
    }
}
