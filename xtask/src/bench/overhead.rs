//! Whether the overhead that an answer shows is what the kernel measures: own CPU and eBPF programs, from an
//! idle machine to one that does nothing but switch.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};

use super::{Bench, Figure, Setting, examination, words_of};
use crate::program::output;

/// The bench.
pub const BENCH: Bench = Bench {
    name: "overhead",
    question: "how far the overhead shown is from what the kernel measures",
    looks: true,
    measure,
};

/// How long each load is examined, and how long it runs.
const WINDOW: &str = "5s";
const LOAD_SECONDS: &str = "8";
/// What a load needs to come to its pace.
const BEGINS: Duration = Duration::from_millis(500);
/// Pairs of tasks that wake each other, one after the other on the same CPU.
const PAIRS: [usize; 3] = [0, 1, 8];

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let source = setting.tree.at("crates/testkit/programs/pingpong.c");
    let program = std::env::temp_dir().join(format!("heldup-overhead-{}", std::process::id()));
    output(Command::new("cc").args(["-std=gnu11", "-O2", "-pthread", "-o"]).args([&program, &source]))?;
    let figures = PAIRS.iter().map(|pairs| beside(setting, &program, *pairs)).collect::<Result<Vec<_>>>();
    std::fs::remove_file(&program)?;
    Ok(figures?.into_iter().flatten().collect())
}

fn beside(setting: &Setting, program: &std::path::Path, pairs: usize) -> Result<Vec<Figure>> {
    let start = |_| Command::new(program).arg(LOAD_SECONDS).stdout(Stdio::null()).spawn();
    let load = Load((0..pairs).map(start).collect::<std::io::Result<_>>().context("run pingpong")?);
    std::thread::sleep(BEGINS);
    let words = words_of(setting.examine(WINDOW).arg("--measure-overhead"))?;
    drop(load);
    let cost = &examination(&words)?["overhead"];
    let of = |key: &str| cost[key].as_f64().with_context(|| format!("overhead has no {key}"));
    let (cpu, measured, estimated) = (of("cpu_seconds")?, of("bpf_seconds")?, of("bpf_estimated_seconds")?);
    let off = |estimated: f64, measured: f64| 100.0 * (estimated / measured - 1.0);
    let beside =
        if pairs == 0 { "on an idle machine".to_owned() } else { format!("beside {pairs} × ping-pong") };
    Ok(vec![
        Figure::at_most(
            format!("overhead shown {beside}, off by"),
            off(cpu + estimated, cpu + measured).abs(),
            20.0,
            "%",
            1,
        ),
        Figure::shown(
            format!("of that, eBPF programs {beside}"),
            format!("{:.1} ms, off by {:+.1} %", 1e3 * measured, off(estimated, measured)),
        ),
    ])
}

/// Programs that run until they are dropped.
struct Load(Vec<Child>);

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
