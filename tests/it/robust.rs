//! What is missing is said, and everything else still works: rights, eBPF, BTF, parts of
//! `/proc`, processes that end while they are read, a CPU that goes away, ten thousand tasks.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::{Examination, Method};
use heldup_testkit::heldup::{Answer, Heldup};
use heldup_testkit::known_waits::open_waits::DeadMount;
use heldup_testkit::needs::Need;
use heldup_testkit::ordinary_user::AS_USER;
use heldup_testkit::programs;
use heldup_testkit::running::Running;
use libtest_mimic::Trial;

/// Seconds to look for: these tests are about answering at all.
const SECONDS: u32 = 2;
/// Start-up and end of an examination on a small machine.
const AROUND: Duration = Duration::from_secs(3);

/// Name, needs and body.
type RobustTest = (&'static str, &'static [Need], crate::Run);

pub fn trials() -> Vec<Trial> {
    let namespaces = &[Need::Root, Need::Tool("unshare"), Need::Tool("setpriv")];
    let tests: [RobustTest; 12] = [
        (
            "cpu-offline",
            &[Need::Root, Need::Cpus(2), Need::File("/sys/devices/system/cpu/cpu1/online")],
            cpu_offline,
        ),
        ("dead-mount", &[Need::Root, Need::File("/dev/fuse")], dead_mount),
        ("delays-by-choice", &[], delays_by_choice),
        ("forgetful-mount", &[Need::Root, Need::File("/dev/fuse")], forgetful_mount),
        ("hidden-processes", namespaces, hidden_processes),
        ("many-tasks", crate::LEDGER, many_tasks),
        ("masked-proc", namespaces, masked_proc),
        ("no-bpf", namespaces, no_bpf),
        ("no-btf", namespaces, no_btf),
        ("process-churn", crate::LEDGER, process_churn),
        (
            "stuck-thread",
            &[Need::Root, Need::Tool("unshare"), Need::File("/dev/fuse")],
            a_thread_that_cannot_end_keeps_nobody_waiting,
        ),
        ("unprivileged", namespaces, unprivileged),
    ];
    let one = |(name, needs, run): RobustTest| crate::trial(format!("robust::{name}"), needs, run);
    tests.into_iter().map(one).collect()
}

/// The program as a user without rights: nobody, who owns its home.
pub const NOBODY: &[&str] = AS_USER;

/// `heldup` in a place where everybody may read it, with a home that everybody may write.
pub fn for_everybody() -> Result<Heldup> {
    let heldup = Heldup::found()?;
    fs::set_permissions(heldup.home(), fs::Permissions::from_mode(0o777))?;
    heldup.copied_to_home()
}

/// It answered by a lesser method, and said what is missing.
fn says_what_is_missing(answer: &Answer) -> Result<()> {
    let examination = &answer.examination;
    ensure!(examination.host.method != Method::Ebpf, "eBPF was used without the right to");
    ensure!(says(examination).next().is_some(), "nothing is said to be missing");
    has_a_ledger(examination)
}

fn has_a_ledger(examination: &Examination) -> Result<()> {
    ensure!(!examination.ledger.classes.is_empty(), "no ledger: {:?}", examination.errors);
    Ok(())
}

/// All that an examination says about what it could not see.
fn says(examination: &Examination) -> impl Iterator<Item = String> {
    let errors = examination.errors.iter().map(|one| format!("{}: {}", one.place, one.what));
    let not_checked =
        examination.not_checked.iter().map(|one| format!("{}: {} ({})", one.id, one.missing, one.how));
    errors.chain(not_checked)
}

/// A remote file system whose server answers nothing: whoever asks it hangs.
fn dead_mount() -> Result<()> {
    names_the_mount_in_time(DeadMount::new()?)
}

/// The same with a server that has taken the requests: not even SIGKILL ends who asks it.
fn forgetful_mount() -> Result<()> {
    names_the_mount_in_time(DeadMount::forgetful()?)
}

fn names_the_mount_in_time(mount: DeadMount) -> Result<()> {
    let heldup = Heldup::found()?;
    let answer = heldup.examine(SECONDS);
    let point = mount.path().display().to_string();
    drop(mount);
    let answer = answer?;
    let took = answer.took.as_secs_f64();
    ensure!(answer.took < Duration::from_secs(SECONDS.into()) + AROUND, "took {took:.2} s");
    let errors = &answer.examination.errors;
    let named = errors.iter().any(|error| error.place == point && error.what.contains("no answer"));
    ensure!(named, "{point} is not named: {errors:?}");
    has_a_ledger(&answer.examination)
}

/// A file of `/proc` whose reader cannot even be killed: the answer comes, and heldup ends.
fn a_thread_that_cannot_end_keeps_nobody_waiting() -> Result<()> {
    let mount = DeadMount::forgetful()?;
    let script = format!("mount --bind {}/file /proc/loadavg && exec \"$0\" \"$@\"", mount.path().display());
    let heldup = Heldup::found()?.under(&["unshare", "--mount", "sh", "-c", &script]);
    let answer = heldup.examine(SECONDS);
    drop(mount);
    let answer = answer?;
    // The thread would have been waited for as long as the mount is there.
    ensure!(answer.took < 5 * AROUND, "took {:?}", answer.took);
    let said =
        says(&answer.examination).any(|text| text.contains("/proc/loadavg") && text.contains("left behind"));
    ensure!(said, "nothing about the file: {:?}", says(&answer.examination).collect::<Vec<_>>());
    has_a_ledger(&answer.examination)
}

fn delays_by_choice() -> Result<()> {
    let answer = Heldup::found()?.examine_with(SECONDS, &["--method", "delays"])?;
    ensure!(answer.examination.host.method == Method::Delays, "{:?}", answer.examination.host.method);
    has_a_ledger(&answer.examination)
}

fn unprivileged() -> Result<()> {
    let heldup = for_everybody()?.under(NOBODY);
    says_what_is_missing(&heldup.examine(SECONDS)?)
}

/// `/proc` shows an ordinary user only its own processes (hidepid=2): they are accounted
/// for, and that there are others is said.
fn hidden_processes() -> Result<()> {
    let script = "mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$0\" \"$@\"";
    let heldup = for_everybody()?.under(&["unshare", "--mount", "sh", "-c", script]);
    let own =
        fs::copy(programs::built("spin")?, heldup.home().join("spin")).map(|_| heldup.home().join("spin"))?;
    let mut command = Command::new(NOBODY[0]);
    command.args(&NOBODY[1..]).arg(own).args(["1", "1", "50", "100"]);
    let _own = Running::start(command)?;
    let answer = heldup.examine(SECONDS)?;
    says_what_is_missing(&answer)?;
    let said = says(&answer.examination).any(|text| text.contains("hidepid") || text.contains("hidden"));
    ensure!(said, "nothing about hidden processes: {:?}", says(&answer.examination).collect::<Vec<_>>());
    Ok(())
}

/// Files that containers mask: empty, or a folder without entries.
fn masked_proc() -> Result<()> {
    let script = "for f in diskstats vmstat pressure/cpu net/netstat; do \
                  [ -e /proc/$f ] && mount --bind /dev/null /proc/$f; done; \
                  mount -t tmpfs none /proc/scsi 2>/dev/null; exec \"$0\" \"$@\"";
    let heldup = Heldup::found()?.under(&["unshare", "--mount", "sh", "-c", script]);
    let answer = heldup.examine(SECONDS)?;
    // An empty `diskstats` is what a machine without disks has: nothing need be said.
    for file in ["pressure", "vmstat"] {
        let said = says(&answer.examination).any(|text| text.contains(file));
        ensure!(said, "nothing about {file}: {:?}", says(&answer.examination).collect::<Vec<_>>());
    }
    has_a_ledger(&answer.examination)
}

/// Root without the capabilities that eBPF asks for.
fn no_bpf() -> Result<()> {
    let heldup =
        Heldup::found()?.under(&["setpriv", "--bounding-set=-bpf,-sys_admin,-perfmon", "--no-new-privs"]);
    says_what_is_missing(&heldup.examine(SECONDS)?)
}

/// A kernel whose type information cannot be read.
fn no_btf() -> Result<()> {
    let script = "mount -t tmpfs none /sys/kernel/btf && exec \"$0\" \"$@\"";
    let heldup = Heldup::found()?.under(&["unshare", "--mount", "sh", "-c", script]);
    let answer = heldup.examine(SECONDS)?;
    let said = says(&answer.examination).any(|text| text.to_lowercase().contains("btf"));
    ensure!(said, "nothing about BTF: {:?}", says(&answer.examination).collect::<Vec<_>>());
    has_a_ledger(&answer.examination)
}

/// Thousands of processes start and end within the window: their time is not lost.
fn process_churn() -> Result<()> {
    let heldup = Heldup::found()?;
    let storm = Running::program("fork_storm", &[&"4"])?;
    let answer = heldup.examine(SECONDS)?;
    drop(storm);
    let examination = &answer.examination;
    ensure!(examination.host.coverage > 0.97, "coverage {}", examination.host.coverage);
    let rows = heldup.sql_last(
        "select count(distinct tid), sum(seconds) from task_time where name = 'fork_storm' and group_name = 'running'",
    )?;
    let tasks = rows.first().and_then(|row| row.first()?.as_f64()).unwrap_or(0.0);
    let seconds = rows.first().and_then(|row| row.get(1)?.as_f64()).unwrap_or(0.0);
    ensure!(tasks > 100.0, "only {tasks} of the storm's tasks are in the ledger");
    // Forking without pause keeps about one CPU busy.
    ensure!(seconds > 0.5 * f64::from(SECONDS), "the storm ran for {seconds:.2} s only");
    Ok(())
}

/// Ten thousand sleeping tasks: answered within 2 s of the window's end.
fn many_tasks() -> Result<()> {
    let heldup = Heldup::found()?;
    let mut tasks = Running::program("many_tasks", &[&"100", &"100"])?;
    ensure!(tasks.line()? == "ready", "many_tasks is not ready");
    let answer = heldup.examine(SECONDS)?;
    let after = answer.took.saturating_sub(Duration::from_secs(SECONDS.into()));
    ensure!(after < AROUND + Duration::from_secs(2), "start-up and answer took {:.2} s", after.as_secs_f64());
    let rows = heldup.sql_last("select count(distinct tid) from task_time")?;
    let seen = rows.first().and_then(|row| row.first()?.as_i64()).unwrap_or(0);
    ensure!(seen >= 10_000, "{seen} tasks seen");
    Ok(())
}

/// A CPU that is switched off, and on again when dropped.
struct Offline {
    switch: PathBuf,
}

impl Offline {
    fn new(cpu: u32) -> Result<Offline> {
        let switch = PathBuf::from(format!("/sys/devices/system/cpu/cpu{cpu}/online"));
        fs::write(&switch, "0").with_context(|| format!("{}", switch.display()))?;
        Ok(Offline { switch })
    }
}

impl Drop for Offline {
    fn drop(&mut self) {
        if let Err(error) = fs::write(&self.switch, "1") {
            eprintln!("left behind: {}: {error}", self.switch.display());
        }
    }
}

/// A CPU goes away while the machine is looked at.
fn cpu_offline() -> Result<()> {
    let heldup = Heldup::found()?;
    let watcher = std::thread::spawn(move || heldup.examine(SECONDS));
    // Somewhere in the window: where exactly must not matter.
    std::thread::sleep(Duration::from_secs(1));
    ensure!(!watcher.is_finished(), "answered before the end of its window");
    let offline = Offline::new(1)?;
    let answer = watcher.join().map_err(|_| anyhow::anyhow!("the watcher panicked"))??;
    drop(offline);
    has_a_ledger(&answer.examination)?;
    ensure!(answer.examination.host.coverage > 0.9, "coverage {}", answer.examination.host.coverage);
    Ok(())
}
