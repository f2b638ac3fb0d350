//! Settings without a file: of processes, mounts and interfaces that the tests make.

use std::fs;
use std::process::{Child, Command, Output};
use std::sync::mpsc::channel;

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::{Backing, Journal, LoopDevice, said};
use heldup_testkit::scratch::{Scratch, unique_name};

/// A process that waits; ended when dropped.
pub struct Sleeper(Child);

impl Sleeper {
    pub fn new() -> Result<Sleeper> {
        Ok(Sleeper(Command::new("sleep").arg("600").spawn().context("sleep")?))
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// A file of it in `/proc`.
    pub fn file(&self, name: &str) -> Result<String> {
        let path = format!("/proc/{}/{name}", self.pid());
        fs::read_to_string(&path).context(path)
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// `heldup tune …` that must succeed; all that it said.
pub fn tune(heldup: &Heldup, words: &[&str]) -> Result<String> {
    let words: Vec<&str> = ["tune"].iter().chain(words).copied().collect();
    let Output { status, stdout, stderr } = heldup.run(&words)?;
    let said = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    if status.success() { Ok(said) } else { bail!("{}: {status}\n{said}", words.join(" ")) }
}

/// Nice value and policy of a thread: fields 19 and 41 of its record.
fn scheduling(tid: i64) -> Result<(String, String)> {
    let stat = fs::read_to_string(format!("/proc/{tid}/stat"))?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    Ok((fields[16].to_owned(), fields[38].to_owned()))
}

/// Everything of a process is changed and as it was, also of threads that differ and of one that came in
/// between; a number that another process has by now is not touched.
pub fn processes() -> Result<()> {
    let heldup = Heldup::found()?;
    let sleeper = Sleeper::new()?;
    let of = |files: &[&str]| files.iter().map(|file| sleeper.file(file)).collect::<Result<Vec<_>>>();
    let files = ["limits", "oom_score_adj", "timerslack_ns"];
    let before = (of(&files)?, scheduling(sleeper.pid().into())?);
    let cpus =
        |status: &str| status.lines().find(|line| line.starts_with("Cpus_allowed_list")).map(str::to_owned);
    let cpus_before = cpus(&sleeper.file("status")?);
    let name = |setting: &str| format!("process.{}.{setting}", sleeper.pid());
    let wanted = [
        ("nice", "5"),
        ("policy", "batch"),
        ("affinity", "0"),
        ("ionice", "idle"),
        ("rlimit.nofile", "321"),
        ("oom_score_adj", "200"),
    ];
    let words: Vec<String> = wanted.iter().map(|(setting, to)| format!("{}={to}", name(setting))).collect();
    tune(&heldup, &[&["apply"], &words.iter().map(String::as_str).collect::<Vec<_>>()[..]].concat())?;
    let batch = libc::SCHED_BATCH.to_string();
    ensure!(
        scheduling(sleeper.pid().into())? == ("5".to_owned(), batch),
        "{:?}",
        scheduling(sleeper.pid().into())?
    );
    ensure!(cpus(&sleeper.file("status")?).is_some_and(|line| line.ends_with("\t0")), "not on CPU 0");
    ensure!(sleeper.file("oom_score_adj")?.trim() == "200", "{}", sleeper.file("oom_score_adj")?);
    let limits = sleeper.file("limits")?;
    let files_line = limits.lines().find(|line| line.starts_with("Max open files")).context("limits")?;
    ensure!(files_line.split_whitespace().nth(3) == Some("321"), "{files_line}");
    let shown = tune(&heldup, &["show", &name("ionice")])?;
    ensure!(shown.contains("idle"), "{shown}");
    tune(&heldup, &["undo"])?;
    ensure!((of(&files)?, scheduling(sleeper.pid().into())?) == before, "not as before");
    ensure!(cpus(&sleeper.file("status")?) == cpus_before, "not where it was");
    threads_that_differ(&heldup)?;
    // Gone: told, and nothing is left to do.
    let id = name("nice");
    tune(&heldup, &["apply", &format!("{id}=7")])?;
    drop(sleeper);
    let said = tune(&heldup, &["undo"])?;
    ensure!(said.contains("is gone"), "{said}");
    ensure!(tune(&heldup, &["status"])? == "No changes in effect.\n", "a change is in effect");
    Ok(())
}

/// Threads of this process, one nicer than the others.
fn threads_that_differ(heldup: &Heldup) -> Result<()> {
    let thread = || {
        let (send, told) = channel();
        let (end, wait) = channel::<()>();
        std::thread::spawn(move || {
            // SAFETY: takes nothing.
            let _ = send.send(unsafe { libc::syscall(libc::SYS_gettid) });
            let _ = wait.recv();
        });
        told.recv().map(|tid| (tid, end)).context("a thread")
    };
    let pid = i64::from(std::process::id());
    let own = scheduling(pid)?;
    let (nicer, _first) = thread()?;
    // SAFETY: numbers alone.
    unsafe { libc::setpriority(libc::PRIO_PROCESS, nicer as libc::id_t, 3) };
    tune(heldup, &["apply", &format!("process.{pid}.nice=6")])?;
    let (later, _second) = thread()?;
    let during = [pid, nicer, later].map(|tid| scheduling(tid).map(|(nice, _)| nice).unwrap_or_default());
    tune(heldup, &["undo"])?;
    let after = [pid, nicer, later].map(|tid| scheduling(tid).map(|(nice, _)| nice).unwrap_or_default());
    ensure!(during == ["6", "6", "6"], "{during:?}");
    ensure!(after == [own.0.as_str(), "3", own.0.as_str()], "{after:?}");
    Ok(())
}

/// Options of a file system and of its mount, changed and as they were; a device that is mounted in its
/// place is not touched.
pub fn mounts() -> Result<()> {
    let heldup = Heldup::found()?;
    let mounted = LoopDevice::new("mounts", 64 << 20, Backing::Cached)?.with_ext4(Journal::With)?;
    let point = mounted.path().to_str().context("a name")?.to_owned();
    let line = || -> Result<String> {
        let table = fs::read_to_string("/proc/self/mountinfo")?;
        let own = table.lines().find(|line| line.contains(&format!(" {point} "))).context("not mounted")?;
        Ok(own.to_owned())
    };
    let before = line()?;
    let name = |setting: &str, to: &str| format!("mount.{point}.{setting}={to}");
    let (commit, atime) = (name("ext4.commit", "30"), name("atime", "noatime"));
    tune(&heldup, &["apply", &commit, &atime, &name("barrier", "0"), &name("lazytime", "on")])?;
    let during = line()?;
    for option in ["commit=30", "noatime", "nobarrier", "lazytime"] {
        ensure!(during.contains(option), "{option}: {during}");
    }
    tune(&heldup, &["undo"])?;
    ensure!(line()? == before, "{} is not {before}", line()?);
    tmpfs(&heldup)
}

fn tmpfs(heldup: &Heldup) -> Result<()> {
    let folder = Scratch::new("tmpfs")?;
    let point = folder.path().to_str().context("a name")?;
    let mount = || said(Command::new("mount").args(["-t", "tmpfs", "-o", "size=8m,nosuid", "tmpfs", point]));
    let blocks = || said(Command::new("stat").args(["-f", "-c", "%b %S", point]));
    mount()?;
    let tried = (|| -> Result<()> {
        let before = blocks()?;
        tune(heldup, &["apply", &format!("mount.{point}.tmpfs.size=4096k")])?;
        ensure!(blocks()? != before, "as large as before");
        let table = fs::read_to_string("/proc/self/mountinfo")?;
        let own = table.lines().find(|line| line.contains(point)).unwrap_or_default();
        ensure!(own.contains("nosuid"), "a flag is lost: {own}");
        tune(heldup, &["undo"])?;
        ensure!(blocks()? == before, "{} is not {before}", blocks()?);
        tune(heldup, &["apply", &format!("mount.{point}.tmpfs.size=4096k")])?;
        Ok(())
    })();
    said(Command::new("umount").arg(point))?;
    tried?;
    // Another file system in its place.
    mount()?;
    let fresh = blocks();
    let undone = tune(heldup, &["undo"]);
    let after = blocks();
    said(Command::new("umount").arg(point))?;
    // Its device number may be the former one's again, and then it cannot be told apart.
    let told = undone?;
    ensure!(told.contains("is gone") || told.contains("again"), "{told}");
    ensure!(fresh? == after?, "the other one was changed");
    Ok(())
}

/// Offloads of an interface in a network namespace of its own.
pub fn interfaces() -> Result<()> {
    let namespace = unique_name("interfaces");
    said(Command::new("ip").args(["netns", "add", &namespace]))?;
    let tried = in_namespace(&namespace);
    said(Command::new("ip").args(["netns", "delete", &namespace]))?;
    tried
}

fn in_namespace(namespace: &str) -> Result<()> {
    said(
        Command::new("ip").args(["-n", namespace, "link", "add", "hold0", "type", "veth", "peer", "hold1"]),
    )?;
    let net = format!("--net=/run/netns/{namespace}");
    let heldup = Heldup::found()?.under(&["nsenter", &net]);
    let by_tool = || said(Command::new("nsenter").args([&net, "ethtool", "-k", "hold0"]));
    let before = by_tool()?;
    let name = |setting: &str, to: &str| format!("ethtool.hold0.offload.{setting}={to}");
    tune(&heldup, &["apply", &name("tso", "off"), &name("gro", "on")])?;
    let during = by_tool()?;
    ensure!(during.contains("tcp-segmentation-offload: off"), "{during}");
    ensure!(during.contains("generic-receive-offload: on"), "{during}");
    tune(&heldup, &["undo"])?;
    ensure!(by_tool()? == before, "{} is not {before}", by_tool()?);
    // What moves with it comes back too.
    tune(&heldup, &["apply", &name("gso", "off")])?;
    ensure!(by_tool()?.contains("generic-segmentation-offload: off"), "{}", by_tool()?);
    tune(&heldup, &["undo"])?;
    ensure!(by_tool()? == before, "{} is not {before}", by_tool()?);
    // What the driver does not have is not there.
    let refused = heldup.run(&["tune", "apply", "ethtool.hold0.ring.rx=64"])?;
    ensure!(refused.status.code() == Some(2), "{refused:?}");
    Ok(())
}
