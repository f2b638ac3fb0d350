//! Profiles of tuned: small ones written here, and those of the package where it is unpacked.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::path::{Path, PathBuf};

use heldup_hostfs::Host;
use heldup_tune::tuned::{FOLDERS, TunedProfile, installed, read};
use heldup_tune::{Catalogue, Outcome, Want, release, steps};

/// A machine of four CPUs with files, which is removed with it.
struct Machine {
    root: PathBuf,
}

impl Machine {
    fn new(name: &str, files: &[(&str, &str)]) -> Machine {
        let root = std::env::temp_dir().join(format!("heldup-tuned-files-{name}-{}", std::process::id()));
        let machine = Machine { root };
        machine.write("proc/sys/kernel/osrelease", "6.1.0-test\n");
        machine.write("proc/cpuinfo", "vendor_id : GenuineIntel\nmodel name : X\nflags : fpu\n");
        machine.write("sys/devices/system/cpu/online", "0-3\n");
        for cpu in 0..4 {
            machine.write(&format!("sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"), "0\n");
        }
        files.iter().for_each(|(path, text)| machine.write(path, text));
        machine
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn host(&self) -> Host {
        Host::recorded(&self.root)
    }

    fn profile(&self, name: &str) -> TunedProfile {
        read(&self.host(), &FOLDERS, name).unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Settings and what is wanted of them.
fn wanted(profile: &TunedProfile) -> Vec<(String, String)> {
    profile.aims.iter().map(|aim| (aim.setting.clone(), aim.want.words())).collect()
}

fn pair(setting: &str, wanted: &str) -> (String, String) {
    (setting.to_owned(), wanted.to_owned())
}

#[test]
fn a_later_profile_adds_to_what_it_includes() {
    let base = "[main]\nsummary=Base\n[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=40\n[vm]\ntransparent_hugepages=always\n";
    let over = "[main]\nsummary=Over\ninclude=base\n[sysctl]\nvm.dirty_ratio = 30\nnet.core.somaxconn=>2048\n[vm]\nenabled=false\n";
    let machine =
        Machine::new("adds", &[("usr/lib/tuned/base/tuned.conf", base), ("etc/tuned/over/tuned.conf", over)]);
    let profile = machine.profile("over");
    assert_eq!(profile.summary, "Over");
    let expected = [
        pair("vm.swappiness", "10"),
        pair("vm.dirty_ratio", "30"),
        pair("net.core.somaxconn", "at least 2048"),
    ];
    assert_eq!(wanted(&profile), expected);
    assert_eq!(profile.aims[1].place, "/etc/tuned/over/tuned.conf:5");
    assert_eq!(profile.files, ["/etc/tuned/over/tuned.conf", "/usr/lib/tuned/base/tuned.conf"]);
    assert_eq!(installed(&machine.host(), &FOLDERS), ["base", "over"]);
}

#[test]
fn a_profile_may_include_the_one_that_it_hides() {
    let machine = Machine::new(
        "hides",
        &[
            ("usr/lib/tuned/x/tuned.conf", "[sysctl]\nvm.swappiness=10\nvm.dirty_ratio=40\n"),
            ("etc/tuned/x/tuned.conf", "[main]\ninclude=x\n[sysctl]\ndrop=vm.dirty_ratio\nvm.swappiness=1\n"),
        ],
    );
    assert_eq!(wanted(&machine.profile("x")), [pair("vm.swappiness", "1")]);
}

#[test]
fn variables_devices_and_comparisons() {
    let text = "[main]\ninclude=${f:virt_check:none-such:metal}, -not-there\n\
        [variables]\ninclude=/etc/tuned/v.conf\nmask=${f:cpulist2hex:${isolated}}\n\
        [sysfs]\n/sys/devices/virtual/workqueue/cpumask = ${mask}\n\
        [fast]\ntype=disk\ndevices=vd*\nreadahead=>4096\n[slow]\ntype=disk\npriority=5\nreadahead=128 s\nelevator=none\n\
        [arm.sysctl]\ntype=sysctl\nuname_regex=aarch64\nvm.swappiness=1\n\
        [script]\nscript=${i:PROFILE_DIR}/go.sh\n[bootloader]\ncmdline=+nohz=on\n[sysctl]\nx.y=${nobody}\n";
    let mut files = vec![
        ("etc/tuned/v.conf", "# mine\nisolated=1-2\n"),
        ("etc/tuned/p/tuned.conf", text),
        ("etc/tuned/metal/tuned.conf", "[cpu]\ngovernor=schedutil|powersave\nforce_latency=1\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_available_governors", "performance powersave\n"),
        ("sys/devices/virtual/workqueue/cpumask", "f\n"),
    ];
    for (disk, file) in [("sda", "128\n"), ("vda", "8192\n")] {
        for (name, content) in [("removable", "0\n"), ("device/vendor", "x\n"), ("queue/read_ahead_kb", file)]
        {
            files.push((Box::leak(format!("sys/block/{disk}/{name}").into_boxed_str()), content));
        }
    }
    let machine = Machine::new("variables", &files);
    let profile = machine.profile("p");
    let expected = [
        pair("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil or powersave"),
        pair("/sys/devices/virtual/workqueue/cpumask", "00000006"),
        pair("/sys/block/vda/queue/read_ahead_kb", "at least 4096"),
        pair("/sys/block/sda/queue/read_ahead_kb", "64"),
        pair("/sys/block/sda/queue/scheduler", "none"),
    ];
    assert_eq!(wanted(&profile), expected);
    let said: Vec<&str> = profile.notes.iter().map(|note| note.what.as_str()).collect();
    let says = |words: &str| said.iter().any(|what| what.contains(words));
    assert!(says("/etc/tuned/p/go.sh") && says("does not run"), "{said:?}");
    assert!(says("cmdline = +nohz=on") && says("undefined variable") && says("force_latency"), "{said:?}");

    let host = machine.host();
    let steps = steps(&Catalogue::builtin(), &host, release(&host), &profile.aims);
    let told: Vec<_> =
        steps.iter().map(|step| (step.path.as_str(), step.to.as_deref(), &step.outcome)).collect();
    assert_eq!(
        told[0],
        ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", Some("powersave"), &Outcome::Change)
    );
    assert_eq!(told[2], ("/sys/block/vda/queue/read_ahead_kb", None, &Outcome::Already));
    assert_eq!(told[3], ("/sys/block/sda/queue/read_ahead_kb", Some("64"), &Outcome::Change));
    assert!(matches!(steps[4].outcome, Outcome::Absent(_)), "{:?}", steps[4]);
    machine.write("sys/devices/virtual/workqueue/cpumask", "6\n");
    let again = heldup_tune::steps(&Catalogue::builtin(), &host, release(&host), &profile.aims);
    assert_eq!(again[1].outcome, Outcome::Already, "00000006 is 6");
}

#[test]
fn what_only_intel_has_is_left_alone_on_others() {
    let cpu = "sys/devices/system/cpu";
    let text = "[cpu]\ngovernor=performance\nenergy_perf_bias=performance\nmin_perf_pct=100\nno_turbo=1\n";
    let machine = Machine::new("vendor", &[("usr/lib/tuned/p/tuned.conf", text)]);
    for (file, content) in [
        ("cpu0/cpufreq/scaling_governor", "powersave\n"),
        ("cpu0/power/energy_perf_bias", "6\n"),
        ("intel_pstate/min_perf_pct", "20\n"),
        ("intel_pstate/no_turbo", "0\n"),
    ] {
        machine.write(&format!("{cpu}/{file}"), content);
    }
    let set = |vendor: &str, flags: &str| {
        machine
            .write("proc/cpuinfo", &format!("processor\t: 0\nvendor_id\t: {vendor}\nflags\t\t: {flags}\n"));
        let profile = machine.profile("p");
        let told = profile.notes.iter().filter(|note| note.what.contains("for Intel processors")).count();
        let names = wanted(&profile).into_iter().map(|(path, _)| path.rsplit('/').next().unwrap().to_owned());
        (names.collect::<Vec<_>>().join(" "), told)
    };
    let all = "scaling_governor energy_perf_bias min_perf_pct no_turbo";
    assert_eq!(set("GenuineIntel", "fpu"), (all.to_owned(), 0));
    // One that nobody knows counts as Intel's.
    assert_eq!(set("CentaurHauls", "fpu"), (all.to_owned(), 0));
    assert_eq!(set("AuthenticAMD", "fpu hwp"), ("scaling_governor".to_owned(), 3));
    assert_eq!(set("HygonGenuine", "hwp_epp fpu"), ("scaling_governor energy_perf_bias".to_owned(), 2));
}

#[test]
fn what_the_administrator_set_is_put_back() {
    let machine = Machine::new(
        "reapply",
        &[
            ("usr/lib/tuned/p/tuned.conf", "[sysctl]\nvm.swappiness=10\n"),
            ("etc/sysctl.d/90.conf", "vm.swappiness = 1\n"),
            ("proc/sys/vm/swappiness", "60\n"),
        ],
    );
    let profile = machine.profile("p");
    let host = machine.host();
    let steps = steps(&Catalogue::builtin(), &host, release(&host), &profile.aims);
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].to.as_deref(), Some("1"));
    assert!(profile.notes[0].what.contains("/etc/sysctl.d/90.conf:1 sets 1"), "{:?}", profile.notes);
}

#[test]
fn circles_and_unknown_names_are_errors() {
    let machine = Machine::new("circle", &[("etc/tuned/a/tuned.conf", "[main]\ninclude=b\n")]);
    let error = read(&machine.host(), &FOLDERS, "a").unwrap_err().to_string();
    assert!(error.contains("unknown tuned profile b"), "{error}");
}

/// Every profile of the package is read, and what is not done of it is said. `HELDUP_TUNED` names the
/// folder in which the package is unpacked; else it is the one in the target folder (scripts/tuned.sh), or
/// that of this machine.
#[test]
fn every_profile_of_the_package_is_read() {
    let program = std::env::current_exe().unwrap();
    let mut folders = program.ancestors().map(|folder| folder.join("tuned"));
    let unpacked = folders.find(|folder| folder.join("usr/lib/tuned").is_dir());
    let unpacked = unpacked.map_or_else(|| "/".to_owned(), |folder| folder.display().to_string());
    let root = std::env::var("HELDUP_TUNED").unwrap_or(unpacked);
    let package = Path::new(&root).join("usr/lib/tuned");
    if !package.is_dir() {
        return heldup_skip::skipped(&format!("needs {}, which the package tuned has", package.display()));
    }
    // Three of them set nothing but the hosts of SATA.
    let sata = ("sys/class/scsi_host/host0/link_power_management_policy", "max_performance\n");
    let machine = Machine::new("package", &[sata]);
    for folder in ["usr/lib/tuned", "etc/tuned"] {
        for file in files_below(&Path::new(&root).join(folder)) {
            let below = file.strip_prefix(&root).unwrap().to_str().unwrap();
            machine.write(below, &String::from_utf8_lossy(&fs::read(&file).unwrap()));
        }
    }
    let host = machine.host();
    let names = installed(&host, &FOLDERS);
    assert!(names.len() >= 20, "{names:?}");
    for name in &names {
        let profile = read(&host, &FOLDERS, name).unwrap();
        assert!(!profile.summary.is_empty(), "{name}");
        // Three of them have no setting of their own: they are what the daemon does by itself.
        let idle = ["default", "intel-sst"].contains(&name.as_str());
        assert!(idle || !profile.aims.is_empty(), "{name}: {:?}", profile.notes);
        for note in &profile.notes {
            let unknown = ["not known", "no option", "would not load", "cannot be read"];
            assert!(!unknown.iter().any(|words| note.what.contains(words)), "{name}: {note:?}");
        }
        for aim in &profile.aims {
            let text = format!("{:?}", aim.want);
            assert!(
                !text.contains("${") && !matches!(&aim.want, Want::Exactly(value) if value.is_empty()),
                "{name}: {aim:?}"
            );
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files.extend(files_below(&path)),
            path if path.extension().is_some_and(|end| end == "conf") => files.push(path),
            _ => {}
        }
    }
    files
}
