//! What looking at an idle machine costs, start-up and eBPF run time included.

use std::fs;

use anyhow::{Context, Result};

use super::resources::cpu_seconds_of;
use super::{Bench, Figure, Setting, examination, median};

/// The bench.
pub const BENCH: Bench =
    Bench { name: "idle", question: "what a look of 20 s at an idle machine costs", looks: true, measure };

/// Length of the window.
const SECONDS: f64 = 20.0;
/// Looks; the median counts.
const TIMES: usize = 3;

/// Where the kernel is told to count the run time of eBPF programs (since 5.1).
const BPF_STATS: &str = "/proc/sys/kernel/bpf_stats_enabled";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    // Without the count a part of the cost would be missing from the figure.
    let _counted = BpfStats::on().context("counting the run time of eBPF programs needs root")?;
    let mut shares = Vec::new();
    let mut bpf = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..TIMES {
        let (cpu, words) = cpu_seconds_of(&mut setting.examine("20s"))?;
        let cost = &examination(&words)?["overhead"];
        // eBPF programs run on the time of the tasks that they look at, not on the program's.
        let in_bpf = cost["bpf_seconds"].as_f64();
        shares.push(100.0 * (cpu + in_bpf.unwrap_or(0.0)) / SECONDS);
        bpf.extend(in_bpf);
        memory.push(cost["peak_rss_bytes"].as_f64().unwrap_or(f64::NAN) / 1e6);
    }
    let in_bpf = if bpf.is_empty() { "unknown".to_owned() } else { format!("{:.1} ms", 1e3 * median(&bpf)) };
    Ok(vec![
        Figure::at_most("CPU of the program and its eBPF programs, of one CPU", median(&shares), 1.0, "%", 2),
        Figure::shown("of that, run time of eBPF programs", in_bpf),
        Figure::at_most("peak memory", median(&memory), 100.0, "MB", 0),
    ])
}

/// The kernel counts while this lives; what was set before is set again at its end.
struct BpfStats {
    before: String,
}

impl BpfStats {
    fn on() -> Result<BpfStats> {
        let before = fs::read_to_string(BPF_STATS)?;
        fs::write(BPF_STATS, "1")?;
        Ok(BpfStats { before })
    }
}

impl Drop for BpfStats {
    fn drop(&mut self) {
        if let Err(error) = fs::write(BPF_STATS, self.before.trim()) {
            eprintln!("{BPF_STATS} is no longer {}: {error}", self.before.trim());
        }
    }
}
