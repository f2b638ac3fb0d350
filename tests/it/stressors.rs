//! Stressors of stress-ng that no rule was written for, and what is said about them.
//!
//! Which ones is decided by a rule and not by their names: of the sorted list of all stressors
//! every so many-th, so that ten come out, or else the next one after it that runs here as an
//! ordinary user. They are no trouble makers: some only burn CPU. What was said is written down
//! for a person to judge, and nothing fails. They run when `HELDUP_IT_STRESSORS` names the file
//! to write, which is what `cargo xtask soak --stressors` does.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use heldup_model::{Examination, Finding, Severity};
use heldup_testkit::condition::until;
use heldup_testkit::control_group::{ControlGroup, Controller};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::host_figures::cpu_ticks;
use heldup_testkit::needs::{Need, cpus};
use heldup_testkit::ordinary_user::{self, AS_USER};
use heldup_testkit::running::Running;
use heldup_testkit::scratch::Scratch;
use heldup_testkit::sysv::SysvLeftovers;
use libtest_mimic::Trial;

/// How many are tried.
const WANTED: usize = 10;
/// Seconds to look for.
const SECONDS: u32 = 6;
/// What all workers together may hold: some grow until they are stopped.
const MEMORY_BYTES: u64 = 1 << 30;
const NEEDS: &[Need] = &[
    Need::Root,
    Need::File("/sys/kernel/btf/vmlinux"),
    Need::Tool("stress-ng"),
    Need::Tool("setpriv"),
    Need::Controller(Controller::Memory),
];

pub fn trials() -> Vec<Trial> {
    let Some(file) = std::env::var_os("HELDUP_IT_STRESSORS") else { return Vec::new() };
    let trial = crate::trial("stressors".to_owned(), NEEDS, move || record(Path::new(&file)));
    vec![trial]
}

fn record(file: &Path) -> Result<()> {
    let all = said(Command::new("stress-ng").arg("--stressors"))?;
    let mut all: Vec<&str> = all.split_whitespace().collect();
    all.sort_unstable();
    let step = all.len() / WANTED;
    let mut text = format!(
        "Of {} stressors in order of their names the {}th and every {step}th after it, or the next one that runs as \
         an ordinary user; {} workers each, at most {} MiB together, looked at for {SECONDS} s. In brackets: found, but of others than the stressor or of nobody in particular.\n\n\
         | stressor | what it does (stress-ng --help) | named, warning or worse | information | where the machine's time went |\n\
         |---|---|---|---|---|\n",
        all.len(),
        step / 2 + 1,
        cpus(),
        MEMORY_BYTES >> 20,
    );
    for number in 0..WANTED {
        let from = number * step + step / 2;
        let end = ((number + 1) * step + step / 2).min(all.len());
        let runs = |name: &&&str| runs_here(name).unwrap_or(false);
        let name = all[from..end].iter().find(runs).context("no stressor runs here")?;
        let row = row(name).with_context(|| format!("stressor {name}"))?;
        println!("{row}");
        text += &row;
    }
    fs::write(file, text).with_context(|| format!("write {}", file.display()))
}

/// A stressor that is run as an ordinary user.
fn stressor(name: &str, workers: usize, seconds: u32, folder: &Path) -> Command {
    let mut command = Command::new(AS_USER[0]);
    command.args(&AS_USER[1..]).args(["stress-ng", "--metrics-brief", "--temp-path"]).arg(folder);
    command.args([format!("--{name}"), workers.to_string(), "--timeout".to_owned(), format!("{seconds}s")]);
    command.current_dir(folder);
    command
}

/// A folder that everybody may write.
fn open_folder() -> Result<Scratch> {
    use std::os::unix::fs::PermissionsExt;
    let folder = Scratch::new("stressor")?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777))?;
    Ok(folder)
}

/// Whether it ends well within a second and was neither skipped nor without effect.
fn runs_here(name: &str) -> Result<bool> {
    let _left = SysvLeftovers::of(ordinary_user::ID);
    let folder = open_folder()?;
    let group = ControlGroup::new(Controller::Memory, "stressor")?;
    group.limit_memory(MEMORY_BYTES)?;
    let members = group.members_file();
    let inner = stressor(name, 1, 1, folder.path());
    let mut command = Command::new("sh");
    command.args(["-c", "echo 0 > \"$0\" && exec timeout -s KILL 10 \"$@\""]).arg(members);
    command.arg(inner.get_program()).args(inner.get_args());
    let output = command.output()?;
    let words = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    Ok(output.status.success() && words.contains("bogo ops") && !words.contains("skipped: 1"))
}

/// Runs it, looks at it, and writes down what was said.
fn row(name: &str) -> Result<String> {
    let heldup = Heldup::found()?;
    let _left = SysvLeftovers::of(ordinary_user::ID);
    let folder = open_folder()?;
    let group = ControlGroup::new(Controller::Memory, "stressor")?;
    group.limit_memory(MEMORY_BYTES)?;
    let inner = stressor(name, cpus(), 60, folder.path());
    let mut command = Command::new("sh");
    command.args(["-c", "echo 0 > \"$0\" && exec \"$@\" 2>/dev/null"]).arg(group.members_file());
    command.arg(inner.get_program()).args(inner.get_args());
    let load = Running::start(command)?;
    until("it has begun", || Ok(cpu_ticks(load.pid())? > 0 || has_children(load.pid())))?;
    let answer = heldup.examine(SECONDS)?;
    drop(load);
    // Workers that left the process group of their parent.
    let rest = Command::new("sh").args(["-c", "kill -9 $(cat \"$0\")"]).arg(group.members_file()).output();
    rest.context("end what is left")?;
    Ok(format!("| {name} | {} | {} |\n", described(name)?, outcome(&answer.examination)))
}

fn has_children(pid: i64) -> bool {
    fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).is_ok_and(|text| !text.trim().is_empty())
}

/// What its help says of it.
fn described(name: &str) -> Result<String> {
    let help = said(Command::new("stress-ng").arg("--help"))?;
    let option = format!("--{name} N");
    let line = help.lines().find(|line| line.split("  ").any(|part| part.trim().ends_with(&option)));
    let text = line.and_then(|line| line.split(&option).nth(1)).unwrap_or("not said");
    Ok(text.trim().replace("start N workers ", "").replace('|', "/"))
}

/// Findings by severity, and the classes of time that are a twentieth of active time or more.
fn outcome(examination: &Examination) -> String {
    let (mut worse, mut info) = (Vec::new(), Vec::new());
    for finding in &examination.findings {
        let list = if finding.severity <= Severity::Warning { &mut worse } else { &mut info };
        let id =
            if is_of_stressor(finding) { format!("`{}`", finding.id) } else { format!("(`{}`)", finding.id) };
        if !list.contains(&id) {
            list.push(id);
        }
    }
    let ledger = &examination.ledger;
    let mut time = format!("{:.1} s wanted:", ledger.active_seconds);
    let counted = ["running", "waiting", "peer", "other"];
    for class in ledger.classes.iter().filter(|class| counted.contains(&class.group.as_str())) {
        if class.seconds >= 0.05 * ledger.active_seconds && class.seconds >= 0.05 {
            let _ = write!(time, " {} {:.1}", class.class_name, class.seconds);
        }
    }
    let words = |list: &[String]| if list.is_empty() { "–".to_owned() } else { list.join(", ") };
    format!("{} | {} | {time}", words(&worse), words(&info))
}

/// Whether a stressor is its subject or among its culprits.
fn is_of_stressor(finding: &Finding) -> bool {
    let names = finding.culprits.iter().map(|one| &one.name);
    names.chain([&finding.subject.name]).any(|name| name.starts_with("stress-ng"))
}

fn said(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("run {command:?}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
