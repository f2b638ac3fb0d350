//! Settings of this machine that harm nobody: thresholds of writing back, read-ahead of a loop device
//! of our own, a queue length in a network namespace of our own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::{Backing, LoopDevice, said};
use heldup_testkit::scratch::unique_name;
use serde_json::Value;

/// Coupled settings that nothing else of the tests sets.
const MACHINE: [&str; 4] = [
    "/proc/sys/vm/dirty_bytes",
    "/proc/sys/vm/dirty_ratio",
    "/proc/sys/vm/dirty_background_bytes",
    "/proc/sys/vm/dirty_background_ratio",
];
pub const SOMAXCONN: &str = "/proc/sys/net/core/somaxconn";
/// What `--persist` writes, and what a cut may leave beside it.
const FILES: [&str; 4] = [
    "/etc/sysctl.d/90-heldup.conf",
    "/etc/sysctl.d/90-heldup.conf.new",
    "/etc/udev/rules.d/90-heldup.rules",
    "/etc/tmpfiles.d/90-heldup.conf",
];

/// The program, what it changes, and how all of that was. Dropped, it is so again.
pub struct Changed {
    pub heldup: Heldup,
    pub device: LoopDevice,
    namespace: Namespace,
    /// Other files of the machine that a test changes.
    also: Vec<PathBuf>,
    before: BTreeMap<PathBuf, Option<String>>,
}

/// A network namespace with a name, which is removed when dropped.
struct Namespace {
    name: String,
}

impl Namespace {
    fn new() -> Result<Namespace> {
        let name = unique_name("changes");
        said(Command::new("ip").args(["netns", "add", &name]))?;
        Ok(Namespace { name })
    }

    fn file(&self) -> String {
        format!("--net=/run/netns/{}", self.name)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        if let Err(error) = said(Command::new("ip").args(["netns", "delete", &self.name])) {
            eprintln!("left behind: {error:#}");
        }
    }
}

impl Changed {
    pub fn new() -> Result<Changed> {
        let namespace = Namespace::new()?;
        let heldup = Heldup::found()?.under(&["nsenter", &namespace.file()]);
        let device = LoopDevice::new("changes", 1 << 20, Backing::Cached)?;
        let mut changed = Changed { heldup, device, namespace, also: Vec::new(), before: BTreeMap::new() };
        changed.before = changed.all()?;
        let files = FILES.iter().find(|file| Path::new(file).exists());
        ensure!(files.is_none(), "{files:?} is there: somebody uses --persist on this machine");
        Ok(changed)
    }

    /// Files of the machine beside those of all tests, which have to be as they are now.
    pub fn and(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Result<Changed> {
        self.also.extend(paths);
        self.before = self.all()?;
        Ok(self)
    }

    /// `block.loop0.queue.read_ahead_kb`.
    pub fn read_ahead(&self) -> String {
        format!("block.{}.queue.read_ahead_kb", self.device.name())
    }

    /// Everything that the tests change, as it is now; none of files that are not there.
    pub fn all(&self) -> Result<BTreeMap<PathBuf, Option<String>>> {
        let bdi = format!("/sys/class/bdi/{}/read_ahead_kb", self.device.number()?);
        let ahead = format!("/sys/block/{}/queue/read_ahead_kb", self.device.name());
        let paths = MACHINE.iter().chain(&FILES).map(PathBuf::from).chain([bdi.into(), ahead.into()]);
        let paths = paths.chain(self.also.iter().cloned());
        let mut all: BTreeMap<PathBuf, Option<String>> =
            paths.map(|path| (path.clone(), fs::read_to_string(path).ok())).collect();
        all.insert(SOMAXCONN.into(), Some(self.in_namespace("cat", SOMAXCONN)?));
        Ok(all)
    }

    /// Fails unless everything is as it was, also files.
    pub fn is_as_before(&self) -> Result<()> {
        let now = self.all()?;
        let differs = |path: &&PathBuf| now.get(*path) != self.before.get(*path);
        let wrong: Vec<String> = now
            .keys()
            .filter(differs)
            .map(|path| format!("{}: {:?}, it was {:?}", path.display(), now[path], self.before[path]))
            .collect();
        ensure!(wrong.is_empty(), "not as before: {}", wrong.join("; "));
        Ok(())
    }

    /// What a setting is, canonical enough for numbers.
    pub fn value(&self, path: &str) -> Result<String> {
        let text = if path == SOMAXCONN {
            self.in_namespace("cat", SOMAXCONN)?
        } else {
            fs::read_to_string(path).with_context(|| path.to_owned())?
        };
        Ok(text.trim().to_owned())
    }

    fn in_namespace(&self, program: &str, path: &str) -> Result<String> {
        said(Command::new("nsenter").args([&self.namespace.file(), program, path]))
    }

    /// `heldup tune …` with its exit code.
    pub fn tune(&self, arguments: &[&str]) -> Result<(i32, String, String)> {
        let words: Vec<&str> = ["tune"].iter().chain(arguments).copied().collect();
        let Output { status, stdout, stderr } = self.heldup.run(&words)?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((status.code().context("ended by a signal")?, text(stdout), text(stderr)))
    }

    /// As [`Changed::tune`], where anything but success is a failure of the test.
    pub fn tune_well(&self, arguments: &[&str]) -> Result<String> {
        match self.tune(arguments)? {
            (0, stdout, _) => Ok(stdout),
            (code, stdout, stderr) => bail!("tune {}: {code}\n{stdout}{stderr}", arguments.join(" ")),
        }
    }

    /// Whether a guard of ours is there, which no run waits for.
    pub fn is_guarded(&self) -> Result<bool> {
        let home = self.heldup.home().as_os_str().as_encoded_bytes();
        for entry in fs::read_dir("/proc")?.flatten() {
            let has = |file: &str, text: &[u8]| {
                let bytes = fs::read(entry.path().join(file)).unwrap_or_default();
                bytes.windows(text.len()).any(|part| part == text)
            };
            if has("cmdline", b"tune\0guard\0") && has("environ", home) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What `heldup tune status` says of each change: number and state.
    pub fn status(&self) -> Result<Vec<(u64, String)>> {
        let text = self.tune_well(&["status", "--format", "json"])?;
        let status: Value = serde_json::from_str(&text)?;
        let changes = status["changes"].as_array().context("changes")?.iter();
        let one = |change: &Value| Some((change["change"].as_u64()?, change["state"].as_str()?.to_owned()));
        changes.map(one).collect::<Option<_>>().context("number and state")
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        // A test that failed in the middle leaves nothing.
        let undone = self.tune(&["undo", "--all", "--force"]);
        if let Err(error) = self.is_as_before() {
            eprintln!("left behind: {error:#}: {undone:?}");
        }
    }
}
