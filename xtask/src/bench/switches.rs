//! The worst case: two tasks that do nothing but wake each other, on one CPU.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::pairs::{Ratio, compare};
use super::{Bench, Figure, Setting, words_of};
use crate::program::{is_here, output};

/// The bench.
pub const BENCH: Bench =
    Bench { name: "switches", question: "what each switch costs when two tasks do nothing else", measure };

/// How long a half of a pair runs.
const SECONDS: &str = "2";
/// The rival that takes a kernel and a user stack at every switch, where it is installed.
const RIVAL: &str = "offcputime-bpfcc";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let source = setting.tree.at("crates/testkit/programs/pingpong.c");
    let program = std::env::temp_dir().join(format!("heldup-pingpong-{}", std::process::id()));
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
    command.arg(SECONDS);
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

/// Nanoseconds a switch by the wall clock, as the program clocks them itself: the first
/// of the three numbers that it prints.
fn per_switch(command: &mut Command) -> Result<f64> {
    let words = words_of(command)?;
    first_of_three(&words).with_context(|| format!("no line of three numbers in: {words}"))
}

fn first_of_three(words: &str) -> Option<f64> {
    words.lines().find_map(|line| {
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        numbers.filter(|numbers| numbers.len() == 3).map(|numbers| numbers[0])
    })
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

#[cfg(test)]
mod tests {
    use super::first_of_three;

    #[test]
    fn the_figure_is_found_beside_an_examination() {
        assert_eq!(first_of_three("{\n  \"a\": 1\n}\n812.5 400.1 2400000\n"), Some(812.5));
        assert_eq!(first_of_three("1 2\n"), None);
    }
}
