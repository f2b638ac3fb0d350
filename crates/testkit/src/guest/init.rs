//! Inside a guest: the first process. Prepares the machine, takes orders over the virtio
//! port, and buries who died without a parent.

use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::guest::message::{Answer, Order};
use crate::loop_device::said;

/// Folder of the kernel modules, named in the order in which they are to be loaded.
pub(super) const MODULES: &str = "/modules";
/// What the name of a file with a module's parameters ends with.
pub(super) const PARAMETERS: &str = "parameters";
/// File with lines of `DEVICE FOLDER`.
pub(super) const MOUNTS: &str = "/mounts";

/// Argument that makes the program take orders instead of preparing the machine.
const TAKES_ORDERS: &str = "orders";
/// The port to the test; the kernel makes its device some time after the driver is loaded.
const PORT: &str = "/dev/vport0p1";
/// How long to wait for a device.
const PATIENCE: Duration = Duration::from_secs(15);
/// What [`Options`](super::Options) name is found before busybox's programs, in `/bin`.
const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Where terminals are; the only folder that the kernel does not make by itself.
const TERMINALS: &str = "/dev/pts";
/// Kernel file systems: kind, folder; those that a kernel has not are left out.
const KERNEL_FILES: [(&str, &str); 9] = [
    ("proc", "/proc"),
    ("sysfs", "/sys"),
    ("devtmpfs", "/dev"),
    ("devpts", TERMINALS),
    ("cgroup2", "/sys/fs/cgroup"),
    ("tracefs", "/sys/kernel/tracing"),
    ("bpf", "/sys/fs/bpf"),
    ("tmpfs", "/tmp"),
    ("tmpfs", "/run"),
];

/// What the first process does; as such it does not come back.
pub fn main() -> Result<()> {
    if std::env::args().nth(1).as_deref() == Some(TAKES_ORDERS) {
        return take_orders();
    }
    let complaints = prepare();
    // On the console too, for the case that the port is what failed.
    complaints.iter().for_each(|complaint| eprintln!("{complaint}"));
    let taker = Command::new("/init")
        .arg(TAKES_ORDERS)
        .env_clear()
        .envs([("PATH", SEARCH_PATH), ("HOME", "/root"), ("COMPLAINTS", &complaints.join("\n"))])
        .spawn()
        .context("start who takes orders")?;
    loop {
        let mut status = 0;
        // SAFETY: writes to the number given only.
        let dead = unsafe { libc::wait(&mut status) };
        if dead == taker.id() as libc::pid_t {
            // What it complained of is on the console; the first process may not just end.
            // SAFETY: takes no pointers; this machine is a guest of a test.
            unsafe { libc::reboot(libc::RB_POWER_OFF) };
        }
    }
}

/// Mounts, loads and sets what a distribution would; what failed.
fn prepare() -> Vec<String> {
    let mut complaints = Vec::new();
    let mut note = |result: Result<String>| complaints.extend(result.err().map(|error| format!("{error:#}")));
    let busybox = |words: &[&str]| said(Command::new("/bin/busybox").args(words));
    for (kind, folder) in KERNEL_FILES {
        if folder == TERMINALS {
            note(fs::create_dir(folder).context(TERMINALS).map(|()| String::new()));
        }
        if Path::new(folder).exists() {
            note(busybox(&["mount", "-t", kind, kind, folder]));
        }
    }
    let mut modules: Vec<PathBuf> =
        fs::read_dir(MODULES).into_iter().flatten().flatten().map(|one| one.path()).collect();
    modules.sort();
    for module in modules.iter().filter(|path| path.extension().is_some_and(|end| end == "ko")) {
        let parameters = fs::read_to_string(module.with_extension(PARAMETERS)).unwrap_or_default();
        let words = ["insmod", &module.display().to_string()].map(str::to_owned);
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(parameters.split_whitespace()).collect();
        note(busybox(&words));
    }
    for line in fs::read_to_string(MOUNTS).unwrap_or_default().lines() {
        let Some((device, folder)) = line.split_once(' ') else { continue };
        note(when_there(Path::new(device)).map(|()| String::new()));
        note(busybox(&["mkdir", "-p", folder]));
        note(busybox(&["mount", "-t", "ext4", device, folder]));
    }
    note(busybox(&["ip", "link", "set", "lo", "up"]));
    note(busybox(&["hostname", "guest"]));
    complaints
}

/// Answers orders, one after the other, until the port is closed.
fn take_orders() -> Result<()> {
    when_there(Path::new(PORT))?;
    let mut port =
        OpenOptions::new().read(true).write(true).open(PORT).with_context(|| format!("open {PORT}"))?;
    let complaints = std::env::var("COMPLAINTS").unwrap_or_default();
    let code = i32::from(!complaints.is_empty());
    Answer { code: Some(code), too_long: false, stdout: String::new(), stderr: complaints }
        .write(&mut port)?;
    loop {
        let order = Order::read(&mut port)?;
        let answer = carry_out(&order).unwrap_or_else(|error| Answer {
            code: Some(127),
            too_long: false,
            stdout: String::new(),
            stderr: format!("{error:#}"),
        });
        answer.write(&mut port)?;
    }
}

fn carry_out(order: &Order) -> Result<Answer> {
    let [program, arguments @ ..] = order.words.as_slice() else { bail!("an order without a program") };
    // Files, because a pipe stays open as long as anybody who was started lives.
    let (stdout, stderr) = (Path::new("/run/stdout"), Path::new("/run/stderr"));
    let mut child = Command::new(program)
        .args(arguments)
        .env_remove("COMPLAINTS")
        .stdin(Stdio::null())
        .stdout(File::create(stdout)?)
        .stderr(File::create(stderr)?)
        .process_group(0)
        .spawn()
        .with_context(|| format!("start {program}"))?;
    let group = -(child.id() as libc::pid_t);
    let (send, ended) = channel();
    let waiter = thread::spawn(move || send.send(child.wait()));
    let in_time = ended.recv_timeout(Duration::from_millis(order.limit_ms));
    // What it left running would be the next command's trouble.
    // SAFETY: takes no pointers; nothing else was started since, so that the number is no other group's.
    unsafe { libc::kill(group, libc::SIGKILL) };
    let too_long = in_time.is_err();
    let status = match in_time {
        Ok(status) => Some(status?),
        Err(_) => ended.recv_timeout(PATIENCE).ok().transpose()?,
    };
    drop(waiter);
    let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok(Answer {
        code: status.filter(|_| !too_long).and_then(|status| status.code()),
        too_long,
        stdout: text(stdout)?,
        stderr: text(stderr)?,
    })
}

/// Waits for a device of a driver that has just been loaded.
fn when_there(device: &Path) -> Result<()> {
    let started = Instant::now();
    while !device.exists() {
        if started.elapsed() > PATIENCE {
            bail!("no {} after {} s", device.display(), PATIENCE.as_secs());
        }
        sleep(Duration::from_millis(5));
    }
    Ok(())
}
