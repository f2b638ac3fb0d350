//! What moves the numbers that are compared, and who is asked for them.

use std::any::Any;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use heldup_testkit::condition::until;
use heldup_testkit::control_group::{ControlGroup, Controller};
use heldup_testkit::interface_pair::InterfacePair;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::loop_device::said;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::{Scratch, unique_name};

/// Who is asked for what: name of the text and command; `{…}` is a fact of the [`Load`].
const ASKED: [(&str, &str); 35] = [
    ("buddyinfo", "cat /proc/buddyinfo"),
    ("cgroup", "cat {group}/cpu.stat"),
    ("conntrack", "cat /proc/net/stat/nf_conntrack"),
    ("cpuidle", "grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/usage"),
    ("cpuidle-time", "grep . /sys/devices/system/cpu/cpu*/cpuidle/state*/time"),
    ("df", "df --block-size=1 --output=target,size,itotal,avail"),
    ("dmesg", "dmesg --level=warn --facility=user"),
    ("file-nr", "cat /proc/sys/fs/file-nr"),
    ("findmnt", "findmnt --list -J -o ID,PARENT,MAJ:MIN,FSTYPE,FSROOT,VFS-OPTIONS,FS-OPTIONS"),
    ("fds", "ls /proc/{spin}/fd"),
    ("getconf", "getconf PAGE_SIZE"),
    ("hugepages", "grep . /sys/kernel/mm/hugepages/*/*"),
    ("interrupts", "cat /proc/interrupts"),
    ("ip-link", "ip -j -s link"),
    ("ipcs-m", "ipcs -m"),
    ("ipcs-q", "ipcs -q"),
    ("ipcs-s", "ipcs -s"),
    ("ksm", "grep . /sys/kernel/mm/ksm/*"),
    ("lsblk", "lsblk -J -b -o NAME,SIZE,LOG-SEC,PHY-SEC,MIN-IO,OPT-IO,ALIGNMENT --list"),
    ("lscpu", "lscpu -J"),
    ("lslocks", "lslocks -J -o PID,TYPE,MODE,BLOCKER"),
    ("pressure", "grep . /proc/pressure/*"),
    ("prlimit", "prlimit --pid {spin} --raw --noheadings --output RESOURCE,SOFT,HARD"),
    ("ps", "ps -o ppid=,uid=,ni=,nlwp=,vsz=,rss=,comm= -p {spin}"),
    ("ps-threads", "ps -L -o lwp=,ni=,rtprio=,comm= -p {spin}"),
    ("queues", "grep . /sys/class/net/*/queues/rx-*/rps_cpus"),
    ("schedstat", "grep . /proc/{spin}/task/*/schedstat"),
    ("softirqs", "cat /proc/softirqs"),
    ("softnet_stat", "cat /proc/net/softnet_stat"),
    ("stat", "cat /proc/stat"),
    ("stat-of-forks", "cat /proc/{forks}/stat"),
    ("sysctl", "sysctl -a"),
    ("tc", "tc -s -j qdisc show dev {interface}"),
    ("vmstat", "cat /proc/vmstat"),
    ("zoneinfo", "cat /proc/zoneinfo"),
];

/// What moves the numbers.
pub struct Load {
    /// Let go at its end, in this order.
    running: Vec<Box<dyn Any + Send>>,
    /// The folder of a control group whose processes compute more than they may, of one CPU.
    pub group: String,
    /// A process of that group.
    pub spin: i64,
    /// A process that starts others.
    pub forks: i64,
    /// A process that holds a lock on a file.
    pub locks: i64,
    /// An interface of its own.
    pub interface: String,
    /// What it writes to the kernel's log.
    pub message: String,
    /// Kind as `ipcs` has it, and id, of what it made.
    pub ipc: Vec<(char, String)>,
    data: String,
}

impl Load {
    pub fn begins(folder: &Scratch) -> Result<Load> {
        let mut running: Vec<Box<dyn Any + Send>> = Vec::new();
        let forks = Running::program("fork_storm", &[&"2"])?;
        let forker = forks.pid();
        running.push(Box::new(forks));
        running.push(Box::new(Running::program("send_datagrams", &[&"9"])?));
        let (group, spin) = computes(&mut running)?;
        let interface = format!("hs{}", std::process::id() % 1_000_000);
        sends(&interface, &mut running)?;
        let locks = locks(folder, &mut running)?;
        let ipc = ipc(&mut running)?;
        // As many as are there already and two more; how many there are then is what is compared.
        let pages = "/proc/sys/vm/nr_hugepages";
        if let Ok(text) = fs::read_to_string(pages) {
            let more = text.trim().parse::<u64>().context("a number of huge pages")? + 2;
            running.push(Box::new(KernelSetting::set(pages, &more.to_string())?));
        }
        let data = folder.file_on_disk("data", 4 << 20)?.display().to_string();
        let message = unique_name("message");
        Ok(Load { running, group, spin, forks: forker, locks, interface, message, ipc, data })
    }

    /// A script that asks everybody, each into a file of the folder that it is given.
    pub fn look(&self) -> String {
        let facts = [
            ("{group}", self.group.clone()),
            ("{spin}", self.spin.to_string()),
            ("{forks}", self.forks.to_string()),
            ("{interface}", self.interface.clone()),
        ];
        let mut script = "export LC_ALL=C; mkdir -p \"$1\" && cd \"$1\" || exit 1\n".to_owned();
        for (name, command) in ASKED {
            let command =
                facts.iter().fold(command.to_owned(), |text, (word, fact)| text.replace(word, fact));
            // Who is not there has said nothing, which the test of it needs to be otherwise.
            script += &format!("{command} >{name} 2>/dev/null\n");
        }
        script + "true\n"
    }

    /// What happens once within the window.
    pub fn once(&self) -> String {
        format!(
            "echo '<12>{}' >/dev/kmsg && dd if={} of=/dev/null bs=64k iflag=direct 2>/dev/null",
            self.message, self.data
        )
    }

    /// Ends everything.
    pub fn ends(&mut self) {
        self.running.clear();
    }
}

/// A program that wants a CPU in a group that may use a fifth of one; the group and the program.
fn computes(running: &mut Vec<Box<dyn Any + Send>>) -> Result<(String, i64)> {
    let arguments: [&dyn AsRef<std::ffi::OsStr>; 4] = [&"2", &"1", &"100", &"1000"];
    let (group, spin) = if Controller::Cpu.is_here() {
        let group = ControlGroup::new(Controller::Cpu, "same-second")?;
        group.limit_cpu(20)?;
        let spin = Running::program_in(&group, "spin", &arguments)?;
        (Some(group), spin)
    } else {
        (None, Running::program("spin", &arguments)?)
    };
    let folder = group.as_ref().and_then(|group| Some(group.members_file().parent()?.display().to_string()));
    let pid = spin.pid();
    running.push(Box::new(spin));
    running.push(Box::new(group));
    Ok((folder.unwrap_or_default(), pid))
}

/// Datagrams through an interface with a queue of its own, whose packets both first CPUs may take.
fn sends(interface: &str, running: &mut Vec<Box<dyn Any + Send>>) -> Result<()> {
    let pair = InterfacePair::new(interface)?;
    said(Command::new("tc").args(["qdisc", "add", "dev", interface, "root", "pfifo"]))?;
    let steering = format!("/sys/class/net/{interface}/queues/rx-0/rps_cpus");
    fs::write(&steering, "1").with_context(|| format!("write {steering}"))?;
    running.push(Box::new(pair.send_on()?));
    running.push(Box::new(pair));
    Ok(())
}

/// A lock on a file, which a second process waits for; who holds it.
fn locks(folder: &Scratch, running: &mut Vec<Box<dyn Any + Send>>) -> Result<i64> {
    let file = folder.path().join("locked");
    let locking = |words: &[&str]| {
        let mut command = Command::new("flock");
        command.arg("-x").arg(&file).args(words);
        Running::start(command)
    };
    let mut holder = locking(&["sh", "-c", "echo held; exec sleep 60"])?;
    holder.line()?;
    let waiter = locking(&["true"])?;
    let pid = waiter.pid().to_string();
    until("a second process waits for the lock", || {
        let text = fs::read_to_string("/proc/locks")?;
        Ok(text.lines().any(|line| line.contains("->") && line.split_whitespace().any(|word| word == pid)))
    })?;
    let holds = holder.pid();
    running.push(Box::new(waiter));
    running.push(Box::new(holder));
    Ok(holds)
}

/// System V objects; removed when dropped.
struct Made(Vec<(char, String)>);

impl Drop for Made {
    fn drop(&mut self) {
        for (kind, id) in &self.0 {
            if let Err(error) = said(Command::new("ipcrm").args([&format!("-{kind}"), id])) {
                eprintln!("left behind: {kind} {id} of System V: {error}");
            }
        }
    }
}

/// One object of each kind.
fn ipc(running: &mut Vec<Box<dyn Any + Send>>) -> Result<Vec<(char, String)>> {
    let mut made = Made(Vec::new());
    for (kind, words) in [('m', &["-M", "123456"][..]), ('s', &["-S", "3"]), ('q', &["-Q"])] {
        let answer = said(Command::new("ipcmk").args(words).env("LC_ALL", "C"))?;
        let id = answer.split_whitespace().last().context("ipcmk said no id")?;
        made.0.push((kind, id.to_owned()));
    }
    let known = made.0.clone();
    running.push(Box::new(made));
    Ok(known)
}
