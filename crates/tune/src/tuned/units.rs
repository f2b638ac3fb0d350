//! What the sections of a profile mean: each plugin's options as settings, or as a note why not.

use heldup_hostfs::Host;

use super::Note;
use super::config::ConfigOption;
use super::cpus;
use super::device_rules::matches;
use super::expand::Variables;
use super::profile::Unit;
use crate::profile::{Aim, Want};

/// Where the sections' aims and notes go.
struct Answer<'a, 'h> {
    host: &'h Host,
    variables: &'a Variables<'h>,
    aims: &'a mut Vec<Aim>,
    notes: &'a mut Vec<Note>,
    /// Devices that a section has taken already, by plugin.
    taken: Vec<(String, String)>,
    /// Whether a section has set the latency of CPUs: the first one does.
    has_latency: bool,
}

/// Options of every section, which are no settings.
const OF_SECTION: [&str; 3] = ["priority", "script_post", "script_pre"];

/// Turns sections into aims, in the order in which tuned would apply them.
pub fn aims(host: &Host, units: &[Unit], variables: &Variables, aims: &mut Vec<Aim>, notes: &mut Vec<Note>) {
    let mut own = variables.again();
    let mut wanted: Vec<(i64, &Unit)> = Vec::new();
    for unit in units {
        if is_for_here(host, unit, &mut own, notes) {
            let priority = unit.options.options.iter().find(|option| option.name == "priority");
            wanted.push((priority.and_then(|option| option.value.parse().ok()).unwrap_or(0), unit));
        }
    }
    wanted.sort_by_key(|(priority, _)| *priority);
    let mut answer = Answer { host, variables: &own, aims, notes, taken: Vec::new(), has_latency: false };
    for (_, unit) in wanted {
        answer.unit(unit);
    }
}

/// Whether a section counts on this machine.
fn is_for_here(host: &Host, unit: &Unit, variables: &mut Variables, notes: &mut Vec<Note>) -> bool {
    if !unit.enabled {
        return false;
    }
    let cpuinfo = || host.read_text("/proc/cpuinfo").unwrap_or_default();
    let fits = |regex: &Option<String>, text: &dyn Fn() -> String, variables: &mut Variables| match regex {
        Some(regex) => variables.finds(regex, &text()).unwrap_or(false),
        None => true,
    };
    let uname = || uname(host);
    let here = fits(&unit.cpuinfo_regex, &cpuinfo, variables) && fits(&unit.uname_regex, &uname, variables);
    notes.extend(variables.notes_at(&unit.place));
    here
}

/// What `uname -a` says of the kernel and the machine, as far as files tell.
fn uname(host: &Host) -> String {
    let of = |name: &str| host.read_text(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
    let names = ["ostype", "hostname", "osrelease", "version", "arch"];
    let words: Vec<String> = names.into_iter().map(|name| of(name).trim().to_owned()).collect();
    words.join(" ")
}

impl Answer<'_, '_> {
    fn unit(&mut self, unit: &Unit) {
        let options: Vec<ConfigOption> = unit
            .options
            .options
            .iter()
            .filter(|option| !OF_SECTION.contains(&option.name.as_str()))
            .map(|option| self.expanded(option))
            .collect();
        match unit.plugin.as_str() {
            "sysctl" => self.sysctl(&options),
            "sysfs" => options.iter().for_each(|option| self.aim(&option.name, &option.value, option)),
            "vm" => self.each(&options, vm),
            "cpu" => self.cpu(unit, &options),
            "disk" => self.disk(unit, &options),
            "scheduler" => self.scheduler(&options),
            "net" => self.each(&options, net),
            "audio" => self.each(&audio_options(unit, options), audio),
            "usb" => self.per_device(unit, &options, "/sys/bus/usb/devices", usb),
            "scsi_host" => self.per_device(unit, &options, "/sys/class/scsi_host", scsi_host),
            "selinux" => self.each(&options, selinux),
            other => {
                let what = not_done(other);
                let place = unit.place.clone();
                if options.is_empty() {
                    self.notes.push(Note { place, what: format!("[{}] {what}", unit.name) });
                }
                for option in &options {
                    self.note(option, &format!("[{}] {what}", unit.name));
                }
            }
        }
    }

    /// An option with its variables replaced, and without quotes.
    fn expanded(&mut self, option: &ConfigOption) -> ConfigOption {
        let mut variables = self.variables.again();
        let value = variables.expand(&option.value);
        self.notes.extend(variables.notes_at(&option.place));
        let unquoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        ConfigOption { value: unquoted.unwrap_or(&value).to_owned(), ..option.clone() }
    }

    fn note(&mut self, option: &ConfigOption, what: &str) {
        let what = format!("{} = {}: {what}", option.name, option.value);
        self.notes.push(Note { place: option.place.clone(), what });
    }

    /// What is wanted of a path or name; `>` and `<` before a number compare.
    fn aim(&mut self, setting: &str, value: &str, option: &ConfigOption) {
        if value.contains("${") {
            return self.note(option, "undefined variable");
        }
        let number = |rest: &str| rest.trim().parse::<i128>().is_ok();
        let want = match (value.strip_prefix('>'), value.strip_prefix('<')) {
            (Some(rest), _) if number(rest) => Want::AtLeast(rest.trim().to_owned()),
            (_, Some(rest)) if number(rest) => Want::AtMost(rest.trim().to_owned()),
            _ if value.contains('|') => {
                Want::OneOf(value.split('|').map(|one| one.trim().to_owned()).collect())
            }
            _ => Want::Exactly(value.to_owned()),
        };
        let place = option.place.clone();
        self.aims.push(Aim { setting: setting.to_owned(), want, why: String::new(), place });
    }

    /// Options that stand for one path each.
    fn each(&mut self, options: &[ConfigOption], path: fn(&ConfigOption) -> Result<String, &'static str>) {
        for option in options {
            match path(option) {
                Ok(path) => self.aim(&path, &option.value, option),
                Err(why) => self.note(option, why),
            }
        }
    }

    /// Options that stand for a file of each device that the section is for.
    fn per_device(
        &mut self,
        unit: &Unit,
        options: &[ConfigOption],
        folder: &str,
        file: fn(&ConfigOption) -> Result<&'static str, &'static str>,
    ) {
        let devices = self.devices(unit, self.host.list(folder).unwrap_or_default());
        for option in options {
            match file(option) {
                Ok(file) => {
                    for device in &devices {
                        self.aim(&format!("{folder}/{device}/{file}"), &option.value, option);
                    }
                }
                Err(why) => self.note(option, why),
            }
        }
    }

    /// Devices of a section: those that fit and that no section before it of the same plugin has taken.
    fn devices(&mut self, unit: &Unit, all: Vec<String>) -> Vec<String> {
        if let Some(regex) = &unit.devices_udev_regex {
            let what = format!("devices_udev_regex = {regex}: cannot be evaluated without udev");
            self.notes.push(Note { place: unit.place.clone(), what });
            return Vec::new();
        }
        let is_free = |device: &String| !self.taken.contains(&(unit.plugin.clone(), device.clone()));
        let devices: Vec<String> =
            all.into_iter().filter(|device| matches(&unit.devices, device) && is_free(device)).collect();
        self.taken.extend(devices.iter().map(|device| (unit.plugin.clone(), device.clone())));
        devices
    }

    fn sysctl(&mut self, options: &[ConfigOption]) {
        for option in options {
            self.aim(&option.name, &option.value, option);
        }
        self.put_back(options);
    }

    /// tuned applies the administrator's own files once more after its settings (reapply_sysctl).
    fn put_back(&mut self, options: &[ConfigOption]) {
        let own = crate::assignment::Assignments::of(self.host);
        for option in options {
            let path = crate::setting_path::sysctl_path(&option.name);
            let by_hand = |given: &&&crate::assignment::Assignment| {
                ["/etc/sysctl.d/", "/run/sysctl.d/", "/etc/sysctl.conf"]
                    .iter()
                    .any(|start| given.file.starts_with(start))
            };
            let given = own.to(&path);
            if let Some(given) = given.iter().rev().find(by_hand) {
                let what = format!("{} sets {}, which tuned restores", given.place(), given.value);
                let (value, setting) = (given.value.clone(), option.name.clone());
                self.note(option, &what);
                self.aim(&setting, &value, option);
            }
        }
    }

    fn cpu(&mut self, unit: &Unit, options: &[ConfigOption]) {
        let names = self.host.list("/sys/devices/system/cpu").unwrap_or_default();
        let is_cpu = |name: &String| name.strip_prefix("cpu").is_some_and(|rest| rest.parse::<u32>().is_ok());
        let cpus = self.devices(unit, names.into_iter().filter(is_cpu).collect());
        let first = !self.has_latency;
        self.has_latency = true;
        // tuned sets what only Intel's processors have on any x86 that is not known as another's.
        let other = cpus::not_of_intel(self.host);
        for option in options {
            let folder = "/sys/devices/system/cpu";
            if let Some(vendor) = other.as_deref().filter(|_| cpus::is_of_intel(self.host, &option.name)) {
                self.note(option, &format!("for Intel processors; this one is {vendor}"));
                continue;
            }
            let each = match option.name.as_str() {
                "governor" => Some("cpufreq/scaling_governor"),
                "energy_perf_bias" => Some("power/energy_perf_bias"),
                "energy_performance_preference" => Some("cpufreq/energy_performance_preference"),
                "pm_qos_resume_latency_us" => Some("power/pm_qos_resume_latency_us"),
                _ => None,
            };
            match (each, option.name.as_str()) {
                (Some(file), _) => {
                    let there: Vec<String> = cpus
                        .iter()
                        .map(|cpu| format!("{folder}/{cpu}/{file}"))
                        .filter(|path| self.host.exists(path))
                        .collect();
                    if there.is_empty() {
                        self.aim(&format!("{folder}/cpu*/{file}"), &option.value, option);
                    }
                    for path in there {
                        self.aim(&path, bias(&option.name, &option.value), option);
                    }
                }
                (None, "min_perf_pct" | "max_perf_pct" | "no_turbo") if first => {
                    let value = match option.value.as_str() {
                        "true" | "True" => "1",
                        "false" | "False" => "0",
                        other => other,
                    };
                    self.aim(&format!("{folder}/intel_pstate/{}", option.name), value, option);
                }
                (None, "force_latency") if first => {
                    self.note(option, "tuned holds /dev/cpu_dma_latency open while it runs; pm_qos_resume_latency_us of each CPU does the same");
                }
                (None, "load_threshold" | "latency_low" | "latency_high") => {
                    self.note(option, "for tuned's dynamic tuning, which heldup does not do");
                }
                _ => self.note(option, "unknown option of plugin cpu, or set by an earlier section"),
            }
        }
    }

    fn disk(&mut self, unit: &Unit, options: &[ConfigOption]) {
        let all = self.host.list("/sys/block").unwrap_or_default();
        let disks = all.into_iter().filter(|name| is_disk(self.host, name)).collect();
        let disks = self.devices(unit, disks);
        for option in options {
            let (file, value) = match option.name.as_str() {
                "elevator" => ("queue/scheduler", Ok(option.value.clone())),
                "readahead" => ("queue/read_ahead_kb", kilobytes(&option.value)),
                "scheduler_quantum" => ("queue/iosched/quantum", Ok(option.value.clone())),
                "apm" | "spindown" => {
                    self.note(option, "a drive command (hdparm), which heldup does not send");
                    continue;
                }
                "dynamic" => continue,
                _ => {
                    self.note(option, "unknown option of plugin disk");
                    continue;
                }
            };
            match value {
                Ok(value) => {
                    for disk in &disks {
                        self.aim(&format!("/sys/block/{disk}/{file}"), &value, option);
                    }
                }
                Err(why) => self.note(option, why),
            }
        }
    }

    /// `sched_…` are files of two places; the rest is about processes.
    fn scheduler(&mut self, options: &[ConfigOption]) {
        for option in options {
            let name = option.name.as_str();
            let debug = match name.strip_prefix("sched_") {
                Some(rest) => Some(rest.to_owned()),
                None => name.strip_prefix("numa_balancing_").map(|rest| format!("numa_balancing/{rest}")),
            };
            match debug {
                Some(debug) => {
                    let path = format!("/proc/sys/kernel/{name}");
                    let moved = format!("/sys/kernel/debug/sched/{debug}");
                    let path = if self.host.exists(&moved) { moved } else { path };
                    self.aim(&path, &option.value, option);
                }
                None => self.note(option, "changes processes while tuned runs, which heldup does not do"),
            }
        }
    }
}

/// Why nothing is done of a plugin.
fn not_done(plugin: &str) -> &'static str {
    match plugin {
        "bootloader" => "kernel command line (next boot), which heldup does not write",
        "script" => "a script, which heldup does not run",
        "irqbalance" => "IRQBALANCE_BANNED_CPULIST of irqbalance, which heldup does not write",
        "systemd" => "CPUAffinity of systemd, which heldup does not write",
        "service" => "starts or stops services, which heldup does not do",
        "modules" => "module parameters, which apply when the module is loaded again",
        "mounts" => "mount options, which heldup does not change here",
        "video" => "graphics drivers, which heldup does not support",
        "rtentsk" => "holds a socket open while tuned runs, which heldup does not do",
        "eeepc_she" => "for one laptop model, which heldup does not support",
        _ => "unknown plugin",
    }
}

fn vm(option: &ConfigOption) -> Result<String, &'static str> {
    let folder = "/sys/kernel/mm/transparent_hugepage";
    match option.name.as_str() {
        "transparent_hugepages" | "transparent_hugepage" => Ok(format!("{folder}/enabled")),
        "transparent_hugepage.defrag" => Ok(format!("{folder}/defrag")),
        _ => Err("unknown option of plugin vm"),
    }
}

fn net(option: &ConfigOption) -> Result<String, &'static str> {
    match option.name.as_str() {
        "nf_conntrack_hashsize" => Ok("/sys/module/nf_conntrack/parameters/hashsize".to_owned()),
        "features" | "coalesce" | "pause" | "ring" | "channels" | "wake_on_lan" => {
            Err("an ethtool call, which profiles do not make")
        }
        "txqueuelen" | "mtu" => Err("per interface: set it by name"),
        "dynamic" => Err("for tuned's dynamic tuning, which heldup does not do"),
        _ => Err("unknown option of plugin net"),
    }
}

/// A section of audio sets both of its options; tuned's defaults are 0 and false. The kernel reads a switch
/// of a module as Y and N.
fn audio_options(unit: &Unit, mut options: Vec<ConfigOption>) -> Vec<ConfigOption> {
    for (name, value) in [("timeout", "0"), ("reset_controller", "0")] {
        if !options.iter().any(|option| option.name == name) {
            let (name, value, place) = (name.to_owned(), value.to_owned(), unit.place.clone());
            options.push(ConfigOption { name, value, place });
        }
    }
    for option in options.iter_mut().filter(|option| option.name == "reset_controller") {
        let is_on = ["1", "on", "true", "y", "yes"].contains(&option.value.to_lowercase().as_str());
        option.value = if is_on { "Y" } else { "N" }.to_owned();
    }
    options
}

fn audio(option: &ConfigOption) -> Result<String, &'static str> {
    match option.name.as_str() {
        "timeout" => Ok("/sys/module/snd_hda_intel/parameters/power_save".to_owned()),
        "reset_controller" => Ok("/sys/module/snd_hda_intel/parameters/power_save_controller".to_owned()),
        _ => Err("unknown option of plugin audio"),
    }
}

fn selinux(option: &ConfigOption) -> Result<String, &'static str> {
    match option.name.as_str() {
        "avc_cache_threshold" => Ok("/sys/fs/selinux/avc/cache_threshold".to_owned()),
        _ => Err("unknown option of plugin selinux"),
    }
}

fn usb(option: &ConfigOption) -> Result<&'static str, &'static str> {
    match option.name.as_str() {
        "autosuspend" => Ok("power/autosuspend"),
        _ => Err("unknown option of plugin usb"),
    }
}

fn scsi_host(option: &ConfigOption) -> Result<&'static str, &'static str> {
    match option.name.as_str() {
        "alpm" => Ok("link_power_management_policy"),
        _ => Err("unknown option of plugin scsi_host"),
    }
}

/// Of several words for the bias of a CPU the kernel knows the last: the first is for older tools.
fn bias<'a>(name: &str, value: &'a str) -> &'a str {
    match name {
        "energy_perf_bias" => value.rsplit('|').next().unwrap_or(value).trim(),
        _ => value,
    }
}

/// Disks as tuned takes them: not removable, of a bus that it knows.
fn is_disk(host: &Host, name: &str) -> bool {
    let folder = format!("/sys/block/{name}");
    let fixed = host.read_text(format!("{folder}/removable")).is_ok_and(|text| text.trim() == "0");
    let bus = host.read_link(format!("{folder}/device/subsystem")).unwrap_or_default();
    let bus = bus.rsplit('/').next().unwrap_or_default();
    fixed
        && (bus.is_empty() && host.exists(format!("{folder}/device"))
            || ["nvme", "scsi", "virtio", "xen"].contains(&bus))
}

/// A read-ahead in KiB: `4096`, or `8192 s` for sectors; `>` before it compares.
fn kilobytes(value: &str) -> Result<String, &'static str> {
    let (sign, rest) = match value.strip_prefix(['>', '<']) {
        Some(rest) => (&value[..1], rest),
        None => ("", value),
    };
    let mut words = rest.split_whitespace();
    let number: i64 = words.next().and_then(|word| word.parse().ok()).ok_or("expected a number of KiB")?;
    let number = if words.next().is_some_and(|unit| unit.starts_with('s')) { number / 2 } else { number };
    Ok(format!("{sign}{number}"))
}
