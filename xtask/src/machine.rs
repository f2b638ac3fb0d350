//! The machine and the moment of a measurement, for the head of `docs/measured/`.

use std::fs;

use anyhow::Result;
use jiff::Zoned;

use crate::program::{command, output};
use crate::tree::Tree;

/// What a reader must know to judge figures, as Markdown lines. No host name, no path.
pub fn description(tree: &Tree) -> Result<String> {
    let cpus = std::thread::available_parallelism()?;
    let kernel = first_words("/proc/sys/kernel/osrelease");
    let model = value_of("/proc/cpuinfo", "model name");
    let memory = value_of("/proc/meminfo", "MemTotal");
    let guest =
        if value_of("/proc/cpuinfo", "flags").contains("hypervisor") { ", a virtual machine" } else { "" };
    let commit = output(&mut command(tree, "git", &["rev-parse", "--short", "HEAD"])).unwrap_or_default();
    let changed = output(&mut command(tree, "git", &["status", "--porcelain", "--untracked-files=no"]));
    let changed = if changed.is_ok_and(|files| !files.trim().is_empty()) { ", with changes" } else { "" };
    Ok(format!(
        "- {cpus} CPUs ({model}), {memory} of memory{guest}\n- Linux {kernel}\n- heldup at commit {}{changed}\n- {}\n",
        commit.trim(),
        Zoned::now().strftime("%Y-%m-%d %H:%M %Z"),
    ))
}

/// Today, for the name of a file.
pub fn today() -> String {
    Zoned::now().strftime("%Y-%m-%d").to_string()
}

fn first_words(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// The value of the first `name : value` line.
fn value_of(path: &str, name: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_once(':'))
        .map_or("unknown".to_owned(), |(_, value)| value.trim().to_owned())
}
