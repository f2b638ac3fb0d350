//! The worst case: two tasks that do nothing but wake each other, on one CPU.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::pairs::{Ratio, compare};
use super::{Bench, Figure, Setting, words_of};
use crate::program::{is_here, output};

/// The bench.
pub const BENCH: Bench =
    Bench { name: "switches", question: "what each switch costs when two tasks do nothing else", measure };

/// Round trips over the pipes; about two seconds.
const ROUNDS: &str = "400000";
/// The rival that takes a kernel and a user stack at every switch, where it is installed.
const RIVAL: &str = "offcputime-bpfcc";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let source = setting.tree.at("crates/testkit/programs/ping_pong.c");
    let program = std::env::temp_dir().join(format!("heldup-ping-pong-{}", std::process::id()));
    output(Command::new("cc").args(["-std=gnu11", "-O2", "-pthread", "-o"]).args([&program, &source]))?;
    let alone = || per_switch(&mut ping(&program));
    let ours = compare(setting.pairs, alone, || per_switch(&mut setting.looked_at(&ping(&program))));
    let rival = is_here(RIVAL).then(|| {
        compare(setting.pairs.min(6), alone, || {
            let _looking = Rival::start()?;
            alone()
        })
    });
    std::fs::remove_file(&program)?;
    let mut figures = figures(&ours?);
    figures.push(match rival.transpose()? {
        Some(ratio) => Figure::shown(
            format!("beside it, {RIVAL} with kernel and user stacks"),
            format!("+{:.0} ns, {:+.0} %", ratio.with - ratio.without, 100.0 * (ratio.median - 1.0)),
        ),
        None => Figure::shown(format!("beside it, {RIVAL}"), "not installed here"),
    });
    Ok(figures)
}

fn ping(program: &std::path::Path) -> Command {
    let mut command = Command::new(program);
    command.arg(ROUNDS);
    command
}

fn figures(ratio: &Ratio) -> Vec<Figure> {
    let bounds = format!("95 %: {:+.1} to {:+.1} %", 100.0 * (ratio.low - 1.0), 100.0 * (ratio.high - 1.0));
    vec![
        Figure::shown("a switch without looking", format!("{:.0} ns", ratio.without)),
        Figure::at_most("a switch costs more", ratio.without * (ratio.median - 1.0), 250.0, "ns", 0),
        Figure::at_most(format!("in all ({bounds})"), 100.0 * (ratio.median - 1.0), 20.0, "%", 1),
    ]
}

/// Nanoseconds a switch, as the program clocks them itself.
fn per_switch(command: &mut Command) -> Result<f64> {
    let words = words_of(command)?;
    let number = words.lines().find_map(|line| line.trim().strip_suffix(" ns/switch"));
    number.and_then(|number| number.trim().parse().ok()).with_context(|| format!("no ns/switch in: {words}"))
}

/// The rival while it looks.
struct Rival(Child);

impl Rival {
    fn start() -> Result<Rival> {
        let mut child = Command::new(RIVAL).args(["-f", "3600"]).stdout(Stdio::null()).spawn()?;
        // It says nothing when it is attached: wait until its programs are loaded.
        for _ in 0..100 {
            std::thread::sleep(std::time::Duration::from_millis(100));
            let maps = std::fs::read_dir(format!("/proc/{}/fd", child.id()))?;
            let links = maps.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok());
            if links.filter(|link| link.to_string_lossy().contains("bpf-prog")).count() > 0 {
                return Ok(Rival(child));
            }
        }
        child.kill()?;
        anyhow::bail!("{RIVAL} did not attach within 10 s")
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
