//! The worst case: two tasks that do nothing but wake each other, on one CPU.
//!
//! Beside it, in the same rounds, a program of the known kind that takes a kernel and a user
//! stack at every switch (`crates/testkit/programs/bpf/`). It is our own because bcc's
//! attaches to functions with kprobes, which not every kernel has.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::pairs::{Ratio, Variant, compare_many};
use super::{Bench, Figure, Setting, words_of};
use crate::program::{built, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "switches",
    question: "what each switch costs when two tasks do nothing else",
    looks: true,
    measure,
};

/// How long each variant runs in a round.
const SECONDS: &str = "2";
/// What the rival is, in the table.
const RIVAL: &str = "beside it, off-CPU time by kernel and user stacks at every switch";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let source = setting.tree.at("crates/testkit/programs/pingpong.c");
    let program = std::env::temp_dir().join(format!("heldup-pingpong-{}", std::process::id()));
    output(Command::new("cc").args(["-std=gnu11", "-O2", "-pthread", "-o"]).args([&program, &source]))?;
    let figures = all_figures(setting, &program);
    std::fs::remove_file(&program)?;
    figures
}

fn all_figures(setting: &Setting, program: &Path) -> Result<Vec<Figure>> {
    let rival = rival(setting);
    let mut alone = || per_switch(&mut ping(program));
    let mut ours = || per_switch(&mut setting.looked_at(&ping(program)));
    let mut rivals = || {
        let looking = Rival::start(rival.as_deref().unwrap_or(Path::new("")))?;
        let cost = per_switch(&mut ping(program))?;
        looking.end()?;
        Ok(cost)
    };
    let mut variants: Vec<Variant<'_>> = vec![&mut alone, &mut ours];
    if rival.is_ok() {
        variants.push(&mut rivals);
    }
    let ratios = compare_many(setting.pairs, &mut variants)?;
    let mut figures = ratios.first().map(figures).unwrap_or_default();
    figures.push(match (&rival, ratios.get(1)) {
        (Ok(_), Some(ratio)) => Figure::shown(RIVAL, beside(ratio)),
        (Err(why), _) => Figure::shown(RIVAL, format!("skipped: {why:#}")),
        (Ok(_), None) => Figure::shown(RIVAL, "not measured"),
    });
    Ok(figures)
}

/// The rival, built and proven to attach here; the reason where it cannot.
fn rival(setting: &Setting) -> Result<std::path::PathBuf> {
    let program = built(setting.tree, "heldup-testkit", "offcpu-stacks", "dev")?;
    drop(Rival::start(&program)?);
    Ok(program)
}

fn ping(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.arg(SECONDS);
    command
}

fn figures(ratio: &Ratio) -> Vec<Figure> {
    vec![
        Figure::shown("a switch without looking", format!("{:.0} ns", ratio.without)),
        Figure::at_most("a switch costs more", ratio.without * (ratio.median - 1.0), 250.0, "ns", 0),
        Figure::at_most(format!("in all ({})", bounds(ratio)), 100.0 * (ratio.median - 1.0), 20.0, "%", 1),
    ]
}

fn beside(ratio: &Ratio) -> String {
    let more = ratio.median - 1.0;
    format!("+{:.0} ns, {:+.0} % ({})", ratio.without * more, 100.0 * more, bounds(ratio))
}

fn bounds(ratio: &Ratio) -> String {
    format!("95 %: {:+.1} to {:+.1} %", 100.0 * (ratio.low - 1.0), 100.0 * (ratio.high - 1.0))
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
struct Rival {
    child: Child,
    words: BufReader<std::process::ChildStdout>,
}

impl Rival {
    /// Starts it and waits until it says that it is attached.
    fn start(program: &Path) -> Result<Rival> {
        let mut command = Command::new(program);
        // Its complaint becomes one line of the table.
        command.env("RUST_BACKTRACE", "0");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("run {}", program.display()))?;
        let words = BufReader::new(child.stdout.take().context("the rival has no output")?);
        let mut rival = Rival { child, words };
        if rival.line()? != "attached" {
            bail!("it does not attach, which needs root: {}", rival.complaint());
        }
        Ok(rival)
    }

    /// Ends it; an error when it saw no wait with both stacks, because then its cost is none
    /// of what is asked.
    fn end(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let words = self.line()?;
        let with_both = words.split(' ').nth(1).and_then(|count| count.parse::<u64>().ok());
        match with_both {
            Some(1..) => Ok(()),
            Some(0) => bail!("the rival saw no wait with both stacks: {words}"),
            None => bail!("the rival ended without a word: {}", self.complaint()),
        }
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.words.read_line(&mut line).context("read from the rival")?;
        Ok(line.trim_end().to_owned())
    }

    /// What it complained of, on one line; it has ended or ends now.
    fn complaint(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            let _ = std::io::Read::read_to_string(&mut errors, &mut text);
        }
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Rival {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
