//! tuned itself beside `heldup tune profile apply tuned/NAME`: each profile of the package is applied by both to
//! the same files, which must then hold the same, setting by setting.
//!
//! The files stand for a machine that has what most machines lack: in namespaces of their own, with which they
//! go, they lie where `/sys`, `/proc/sys` and `/proc/cpuinfo` are, of which only those of `/proc/sys` are this
//! machine's; one with processors of Intel, and for a few profiles one with AMD's. Nothing of this
//! machine is changed, and what only a kernel does when it is written (a limit, a coupling) is not seen here.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread::{self, ScopedJoinHandle};

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::{Need, cpus};
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

/// How many profiles, and settings that tuned changed in all, make it a test.
const LEAST: [usize; 2] = [30, 400];
/// Run as root in namespaces: FOLDER TUNED COMMAND…
const INSIDE: &str = r#"set -e
files=$1 tuned=$2; shift 2
mount --make-rprivate /
mkdir "$files/mine"; mount -t tmpfs none "$files/mine"; mkdir "$files/mine/etc" "$files/mine/work"
mount -t overlay -o "lowerdir=$tuned/etc:/etc,upperdir=$files/mine/etc,workdir=$files/mine/work" none /etc
mount -t overlay -o "lowerdir=$tuned/usr:/usr" none /usr
for folder in /run /var/log; do mount -t tmpfs none $folder; mkdir $folder/tuned; done
printf 'daemon = 0\nreapply_sysctl = 1\n' >/etc/tuned/tuned-main.conf
mount --bind "$files/sys" /sys
mount -t proc proc /proc
mount --bind "$files/proc/sys" /proc/sys
mount --bind "$files/proc/cpuinfo" /proc/cpuinfo
mount -t tmpfs none /proc/irq
# The program asks the processor itself, which is this machine's.
mount --bind "$files/virt-what" /usr/sbin/virt-what
# What holds it open asks the kernel for something: that is this machine's.
: >"$files/mine/latency"; [ ! -e /dev/cpu_dma_latency ] || mount --bind "$files/mine/latency" /dev/cpu_dma_latency
# Else libudev looks at nothing but what the kernel's own sysfs has.
export SYSTEMD_DEVICE_VERIFY_SYSFS=0 PYTHONPATH=/usr/lib/python3/dist-packages
exec "$@"
"#;

/// Processors: `vendor_id`, model and flags.
#[derive(Clone, Copy)]
struct Processors([&'static str; 3]);

/// They take hints by file, as newer ones do.
const OF_INTEL: Processors =
    Processors(["GenuineIntel", "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", "fpu hypervisor hwp hwp_epp"]);
/// On which tuned leaves alone what is Intel's.
const OF_AMD: Processors =
    Processors(["AuthenticAMD", "AMD EPYC 7763 64-Core Processor", "fpu hypervisor svm"]);
/// Profiles that are applied to those too: with a section for AMD's, and with each option of Intel's.
const ON_AMD_TOO: [&str; 3] = ["cpu-partitioning-powersave", "powersave", "throughput-performance"];
/// The machine is a guest, as its processors say.
const VIRT_WHAT: &str = "#!/bin/sh\necho kvm";

const CPU: &str = "sys/devices/system/cpu";
const PCI: &str = "sys/devices/pci0000:00";
/// Files of each CPU.
const OF_CPU: [(&str, &str); 12] = [
    ("cpufreq/energy_performance_available_preferences", "default performance balance_performance power"),
    ("cpufreq/energy_performance_preference", "balance_performance"),
    ("cpufreq/scaling_available_governors", "performance powersave"),
    ("cpufreq/scaling_driver", "intel_pstate"),
    ("cpufreq/scaling_governor", "powersave"),
    ("cpuidle/state0/latency", "0"),
    ("cpuidle/state0/name", "POLL"),
    ("cpuidle/state1/latency", "2"),
    ("cpuidle/state1/name", "C1"),
    ("power/energy_perf_bias", "6"),
    ("power/pm_qos_resume_latency_us", "0"),
    ("topology/physical_package_id", "0"),
];
/// Files of which there is one.
const SINGLE: [(&str, &str); 21] = [
    ("devices/system/cpu/intel_pstate/max_perf_pct", "100"),
    ("devices/system/cpu/intel_pstate/min_perf_pct", "20"),
    ("devices/system/cpu/intel_pstate/no_turbo", "0"),
    ("devices/system/cpu/online", "0-3"),
    ("devices/system/cpu/possible", "0-3"),
    ("devices/system/cpu/present", "0-3"),
    ("devices/system/machinecheck/machinecheck0/ignore_ce", "0"),
    ("devices/virtual/workqueue/cpumask", "f"),
    ("devices/virtual/workqueue/writeback/cpumask", "f"),
    ("kernel/debug/sched/latency_ns", "24000000"),
    ("kernel/debug/sched/migration_cost_ns", "500000"),
    ("kernel/debug/sched/min_granularity_ns", "3000000"),
    ("kernel/debug/sched/nr_migrate", "32"),
    ("kernel/debug/sched/numa_balancing/scan_delay_ms", "1000"),
    ("kernel/debug/sched/tunable_scaling", "1"),
    ("kernel/debug/sched/wakeup_granularity_ns", "4000000"),
    ("kernel/mm/ksm/run", "0"),
    ("kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never"),
    ("kernel/mm/transparent_hugepage/enabled", "always [madvise] never"),
    ("module/snd_hda_intel/parameters/power_save", "0"),
    ("module/snd_hda_intel/parameters/power_save_controller", "Y"),
];

pub fn trials() -> Vec<Trial> {
    let mut trial = crate::trial(
        "tune::beside-tuned".to_owned(),
        &[Need::Root, Need::Tool("unshare"), Need::Tool("mount"), Need::Tool("python3")],
        every_profile_as_tuned_has_it,
    );
    if unpacked().is_none() {
        let why = "SKIPPED: needs tuned, which scripts/tuned.sh unpacks";
        trial = trial.with_kind(why).with_ignored_flag(true);
    }
    vec![trial]
}

/// The folder in which tuned is unpacked: in the target folder, of which this program is.
fn unpacked() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?;
    let mut folders = program.ancestors().map(|folder| folder.join("tuned"));
    folders.find(|folder| folder.join("usr/lib/tuned").is_dir())
}

fn every_profile_as_tuned_has_it() -> Result<()> {
    let tuned = unpacked().context("no tuned")?;
    let mut names: Vec<String> = fs::read_dir(tuned.join("usr/lib/tuned"))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join("tuned.conf").is_file())
        .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    let on_intel = names.iter().map(|name| (name.as_str(), OF_INTEL));
    let all: Vec<(&str, Processors)> = on_intel.chain(ON_AMD_TOO.map(|name| (name, OF_AMD))).collect();
    let both = Both { tuned: &tuned, of_kernel: &of_kernel() };
    // Each has files of its own, and none measures anything: as many at a time as there are CPUs.
    let part = all.len().div_ceil(cpus());
    let compared: Vec<Result<Compared>> = thread::scope(|scope| {
        let threads: Vec<_> = all.chunks(part).map(|part| scope.spawn(|| both.compared(part))).collect();
        let joined = |thread: ScopedJoinHandle<'_, Result<Compared>>| match thread.join() {
            Ok(compared) => compared,
            Err(_) => bail!("the thread of some profiles panicked"),
        };
        threads.into_iter().map(joined).collect()
    });
    let compared = compared.into_iter().collect::<Result<Vec<Compared>>>()?;
    let settings: usize = compared.iter().map(|one| one.settings).sum();
    let wrong: Vec<String> = compared.into_iter().flat_map(|one| one.wrong).collect();
    println!("{} profiles, {settings} settings as tuned has them", all.len());
    ensure!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(all.len() >= LEAST[0] && settings >= LEAST[1], "{} profiles, {settings} settings", all.len());
    Ok(())
}

/// The folder of tuned, and what the kernel's files hold: read once, since some of it moves by itself.
struct Both<'a> {
    tuned: &'a Path,
    of_kernel: &'a BTreeMap<String, String>,
}

/// What came of some profiles.
#[derive(Default)]
struct Compared {
    /// Settings that tuned changed.
    settings: usize,
    /// Settings that are not the same, in words.
    wrong: Vec<String>,
}

impl Both<'_> {
    fn compared(&self, profiles: &[(&str, Processors)]) -> Result<Compared> {
        // With a log of changes of its own: one run at a time writes to it.
        let (heldup, mut all) = (Heldup::found()?, Compared::default());
        for (name, processors) in profiles {
            self.compare(&heldup, name, *processors, &mut all)?;
        }
        Ok(all)
    }

    /// Lets both apply a profile, each to files of its own.
    fn compare(&self, heldup: &Heldup, name: &str, processors: Processors, all: &mut Compared) -> Result<()> {
        let theirs = Machine::new(self.of_kernel, processors)?;
        let before = theirs.settings()?;
        let said =
            theirs.run(self.tuned, Command::new("python3").args(["/usr/sbin/tuned", "--profile", name]))?;
        let log = String::from_utf8_lossy(&said.stderr).into_owned() + &String::from_utf8_lossy(&said.stdout);
        ensure!(log.contains(&format!("static tuning from profile '{name}' applied")), "{name}: {log}");
        let ours = Machine::new(self.of_kernel, processors)?;
        let profile = format!("tuned/{name}");
        let said = ours.run(self.tuned, &heldup.command(&["tune", "apply", "--profile", &profile]))?;
        ensure!(said.status.success(), "{name}: {}", String::from_utf8_lossy(&said.stderr));
        let (theirs, ours) = (theirs.settings()?, ours.settings()?);
        for (path, value) in &theirs {
            let (was, is) = (before.get(path), ours.get(path));
            all.settings += usize::from(was != Some(value));
            if is != Some(value) && !is_known(name, path, value, is) {
                let vendor = processors.0[0];
                all.wrong.push(format!("{name} ({vendor}): {path}: {was:?}, tuned {value}, here {is:?}"));
            }
        }
        Ok(())
    }
}

/// What differs for a reason.
fn is_known(profile: &str, path: &str, tuned: &str, here: Option<&String>) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    match (file, tuned, here.map_or("", String::as_str)) {
        // The same switch: a kernel shows Y and N, whatever was written.
        ("power_save_controller", "0", "N") | ("power_save_controller", "1", "Y") => true,
        // The kernel takes a number alone there (store_no_turbo), and refuses tuned's word.
        ("no_turbo", "true", "1") => profile == "cpu-partitioning-powersave",
        // Of `powersave|power` the kernel knows only the second, which tuned then writes; a file takes the first.
        ("energy_perf_bias", "powersave", "power") => true,
        _ => false,
    }
}

/// What can be read below `/proc/sys`, but for the hundreds of files of single interfaces.
fn of_kernel() -> BTreeMap<String, String> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![PathBuf::from("/proc/sys")]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.extend((!path.ends_with("conf") && !path.ends_with("neigh")).then_some(path));
            } else if let (Ok(content), Some(below)) =
                (fs::read_to_string(&path), path.to_str().and_then(|path| path.strip_prefix('/')))
            {
                files.insert(below.to_owned(), content.trim_end().to_owned());
            }
        }
    }
    files
}

/// Files that stand for a machine.
struct Machine(Scratch);

impl Machine {
    fn new(of_kernel: &BTreeMap<String, String>, processors: Processors) -> Result<Machine> {
        let machine = Machine(Scratch::new("beside-tuned")?);
        for (path, content) in of_kernel {
            machine.file(path, content)?;
        }
        let Processors([vendor, model, flags]) = processors;
        let one = |cpu: i32| {
            format!(
                "processor\t: {cpu}\nvendor_id\t: {vendor}\nmodel name\t: {model}\nphysical id\t: 0\n\
                 cpu cores\t: 4\nflags\t\t: {flags}\n"
            )
        };
        machine.file("proc/cpuinfo", &(0..4).map(one).collect::<Vec<_>>().join("\n"))?;
        machine.file("virt-what", VIRT_WHAT)?;
        fs::set_permissions(machine.0.path().join("virt-what"), Permissions::from_mode(0o755))?;
        for (path, content) in SINGLE {
            machine.file(&format!("sys/{path}"), content)?;
        }
        for cpu in 0..4 {
            let folder = format!("{CPU}/cpu{cpu}");
            for (path, content) in OF_CPU {
                machine.file(&format!("{folder}/{path}"), content)?;
            }
            if cpu > 0 {
                machine.file(&format!("{folder}/online"), "1")?;
            }
            machine.device(&folder, "bus/cpu", "")?;
        }
        for disk in ["vda", "vdb"] {
            let folder = format!("{PCI}/virtio-{disk}/block/{disk}");
            machine.file(&format!("{PCI}/virtio-{disk}/vendor"), "0x1af4")?;
            machine.file(&format!("{folder}/removable"), "0")?;
            machine.file(&format!("{folder}/queue/scheduler"), "[none] mq-deadline kyber bfq")?;
            machine.file(&format!("{folder}/queue/read_ahead_kb"), "128")?;
            machine.device(&folder, "class/block", &format!("DEVNAME={disk}\nDEVTYPE=disk"))?;
            machine.link(&format!("{PCI}/virtio-{disk}"), &format!("{folder}/device"))?;
            machine.link(&folder, &format!("sys/block/{disk}"))?;
        }
        for host in ["host0", "host1"] {
            machine.device(&format!("{PCI}/ata-{host}/{host}"), "bus/scsi", "DEVTYPE=scsi_host")?;
            let folder = format!("{PCI}/ata-{host}/{host}/scsi_host/{host}");
            machine.file(&format!("{folder}/link_power_management_policy"), "max_performance")?;
            machine.device(&folder, "class/scsi_host", "")?;
        }
        machine.file("sys/bus/pci/drivers/snd_hda_intel/uevent", "")?;
        machine.device(&format!("{PCI}/audio"), "bus/pci", "DRIVER=snd_hda_intel")?;
        machine.link("sys/bus/pci/drivers/snd_hda_intel", &format!("{PCI}/audio/driver"))?;
        machine.device(&format!("{PCI}/audio/sound/card0"), "class/sound", "")?;
        machine.file(&format!("{PCI}/usb1/1-1/power/autosuspend"), "2")?;
        machine.device(&format!("{PCI}/usb1/1-1"), "bus/usb", "DEVTYPE=usb_device")?;
        machine.link("sys/devices/virtual/workqueue/writeback", "sys/bus/workqueue/devices/writeback")?;
        Ok(machine)
    }

    fn at(&self, path: &str) -> Result<PathBuf> {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        Ok(path)
    }

    fn file(&self, path: &str, content: &str) -> Result<()> {
        fs::write(self.at(path)?, format!("{content}\n")).with_context(|| path.to_owned())
    }

    /// A link below `sys` to another path there, as sysfs has them: relative.
    fn link(&self, to: &str, path: &str) -> Result<()> {
        let up = "../".repeat(path.split('/').count() - 2);
        let to = to.strip_prefix("sys/").context("not below sys")?;
        symlink(format!("{up}{to}"), self.at(path)?).with_context(|| path.to_owned())
    }

    /// What makes a folder a device of a bus or class.
    fn device(&self, folder: &str, subsystem: &str, uevent: &str) -> Result<()> {
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let list = if subsystem.starts_with("bus/") { "devices/" } else { "" };
        self.file(&format!("{folder}/uevent"), uevent)?;
        self.link(&format!("sys/{subsystem}"), &format!("{folder}/subsystem"))?;
        self.link(folder, &format!("sys/{subsystem}/{list}{name}"))
    }

    /// A command for which these are the machine's.
    fn run(&self, tuned: &Path, command: &Command) -> Result<Output> {
        let mut inside = Command::new("unshare");
        inside.args(["--mount", "--pid", "--fork", "--net", "--ipc", "--uts", "sh", "-c", INSIDE, "sh"]);
        inside.arg(self.0.path()).arg(tuned).arg(command.get_program()).args(command.get_args());
        inside.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        inside.output().context("run unshare")
    }

    /// First lines of all files, by path. Who does not cut a file, which sysfs does not ask for, leaves
    /// the end of what was longer.
    fn settings(&self) -> Result<BTreeMap<String, String>> {
        let (mut settings, mut folders) = (BTreeMap::new(), vec![PathBuf::from("proc/sys"), "sys".into()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.0.path().join(&folder))? {
                let path = folder.join(entry?.file_name());
                let full = self.0.path().join(&path);
                if full.is_symlink() {
                    continue;
                }
                if full.is_dir() {
                    folders.push(path);
                } else {
                    let text = fs::read_to_string(&full).with_context(|| full.display().to_string())?;
                    let line = text.lines().next().unwrap_or_default();
                    let words: Vec<&str> = line.split_whitespace().collect();
                    settings.insert(path.display().to_string(), words.join(" "));
                }
            }
        }
        Ok(settings)
    }
}
