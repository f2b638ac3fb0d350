//! The running machine as an archive that is written to: that of its recorder, else a temporary one.
//!
//! Who looks at now looks at what was recorded until now, so that there is one way for live, replay and recordings.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use heldup_archive::kept::{HouseKeeping, Retention, Tiers, read_recorder_file};
use heldup_hostfs::{
    Stopper, has_ended, machine_state_dir, monotonic_ns, own_pid, own_uid, start_beside, state_dir,
};
use heldup_model::Span;

use crate::cancel::Cancel;
use crate::error::{Context, EngineError, Result};
use crate::progress::Silent;
use crate::record::{RecordRequest, SealBy, record};
use crate::request::MethodChoice;
use crate::source::archive::ArchiveSource;

/// How much of a temporary archive is kept.
const KEPT: Duration = Duration::from_secs(15 * 60);
/// Age at which its journals are closed: a window of a minute never reads more than that.
const SEGMENT: Duration = Duration::from_secs(2 * 60);
/// Bytes of it at most, since it lies in memory.
const MOST_BYTES: u64 = 512 << 20;
/// CPU that recording may cost while somebody looks, as a share of one.
const CPU_BUDGET: f64 = 0.05;
/// How long the first sample may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked for.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long who records may take to clean up.
const FAREWELL: Duration = Duration::from_secs(3);
/// Temporary archives are named so, with the process id of who looks.
const PREFIX: &str = "heldup-live-";
/// The hidden command that records them.
const COMMAND: &str = "live-archive";

/// The running machine, as it is recorded.
pub struct LiveArchive {
    /// What was recorded until now.
    pub archive: ArchiveSource,
    /// What has to be said of it.
    pub note: Option<String>,
    /// Who records, where that is for us.
    recorder: Option<TemporaryRecorder>,
}

impl LiveArchive {
    /// The archive of the machine's recorder, or of the user's own; where nobody records, or with another method than
    /// is asked for, a temporary one.
    pub fn open(method: MethodChoice) -> Result<LiveArchive> {
        let mut note = None;
        for folder in recorders() {
            match read_recorder_file(&folder) {
                Ok(Some((state, true))) if is_by(method, &state.method) => {
                    let name = folder.display().to_string();
                    let archive = ArchiveSource::open(&name, &folder, Some(&state.host))?;
                    return Ok(LiveArchive { archive, note: None, recorder: None });
                }
                Ok(_) => {}
                Err(heldup_archive::store::StoreError::Io { source, .. })
                    if source.kind() == ErrorKind::PermissionDenied =>
                {
                    note = Some(format!(
                        "{} is not readable: this is recorded from now on (run as root to see what was before)",
                        folder.display()
                    ));
                }
                Err(error) => note = Some(error.to_string()),
            }
        }
        let recorder = TemporaryRecorder::start(method)?;
        let archive = recorder.await_archive()?;
        Ok(LiveArchive { archive, note, recorder: Some(recorder) })
    }

    /// What ended the recording, where it has ended.
    pub fn lost(&mut self) -> Option<String> {
        self.recorder.as_mut()?.lost()
    }
}

/// Folders into which the machine's recorder, and the user's own, write.
fn recorders() -> Vec<PathBuf> {
    let mut folders = vec![machine_state_dir().join("archive")];
    folders.extend(state_dir().map(|folder| folder.join("archive")).filter(|own| *own != folders[0]));
    folders
}

/// Whether what a recorder does is what is asked for.
fn is_by(asked: MethodChoice, method: &str) -> bool {
    match asked {
        // Counters of the scheduler say nothing of waits where samples could.
        MethodChoice::Auto => method != heldup_model::Method::Delays.name(),
        MethodChoice::Ebpf => method == heldup_model::Method::Ebpf.name(),
        MethodChoice::Sampling => method == heldup_model::Method::Sampling.name(),
        MethodChoice::Delays => method == heldup_model::Method::Delays.name(),
    }
}

/// A recorder for as long as we live.
struct TemporaryRecorder {
    child: Child,
    folder: PathBuf,
}

impl TemporaryRecorder {
    fn start(method: MethodChoice) -> Result<TemporaryRecorder> {
        let folder = make_folder()?;
        let arguments = [COMMAND.into(), folder.clone().into_os_string(), "--method".into(), word(method)];
        match start_beside(&arguments) {
            Ok(child) => Ok(TemporaryRecorder { child, folder }),
            Err(error) => {
                remove(&folder);
                Err(error).context("cannot start the recorder")
            }
        }
    }

    /// The archive, as soon as something is in it.
    fn await_archive(&self) -> Result<ArchiveSource> {
        let until_ns = monotonic_ns() + PATIENCE.as_nanos() as u64;
        let name = self.folder.display().to_string();
        loop {
            let there = ArchiveSource::open(&name, &self.folder, None);
            let seen = there.and_then(|archive| archive.all().map(|all| (archive, all)));
            match seen {
                Ok((archive, Span { since_ms, until_ms })) if until_ms > since_ms + 1 => return Ok(archive),
                Err(error) if monotonic_ns() > until_ns => return Err(error),
                _ if has_ended(&self.child).unwrap_or(true) => {
                    return Err(EngineError::failed("the recorder has ended (see `heldup doctor`)"));
                }
                _ => std::thread::sleep(LOOK_AGAIN),
            }
        }
    }

    fn lost(&mut self) -> Option<String> {
        if !has_ended(&self.child).ok()? {
            return None;
        }
        let mut said = String::new();
        let _ = self.child.stderr.take()?.read_to_string(&mut said);
        let last = said.lines().last().unwrap_or("nobody knows why").to_owned();
        Some(format!("the recorder has ended: {last}"))
    }
}

impl Drop for TemporaryRecorder {
    fn drop(&mut self) {
        // The end of its input.
        drop(self.child.stdin.take());
        let until_ns = monotonic_ns() + FAREWELL.as_nanos() as u64;
        while !has_ended(&self.child).unwrap_or(true) && monotonic_ns() < until_ns {
            std::thread::sleep(LOOK_AGAIN / 5);
        }
        if !has_ended(&self.child).unwrap_or(true) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
        remove(&self.folder);
    }
}

fn word(method: MethodChoice) -> OsString {
    match method {
        MethodChoice::Auto => "auto",
        MethodChoice::Ebpf => "ebpf",
        MethodChoice::Sampling => "sampling",
        MethodChoice::Delays => "delays",
    }
    .into()
}

/// A new folder that only we can read, in memory where there is such a place.
fn make_folder() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_dir());
    let base = base.or_else(|| (own_uid() == 0).then(|| PathBuf::from("/run")).filter(|dir| dir.is_dir()));
    let base = base.unwrap_or_else(std::env::temp_dir);
    sweep(&base);
    let mut builder = DirBuilder::new();
    builder.mode(0o700);
    let mut last = None;
    for attempt in 0..100 {
        let folder = base.join(format!("{PREFIX}{}-{attempt}", own_pid()));
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => last = Some((folder, error)),
        }
    }
    let (folder, error) = last.map_or((base, String::new()), |(folder, error)| (folder, error.to_string()));
    Err(EngineError::failed(format!("cannot make {}: {error}", folder.display())))
}

/// Removes what was left by those that were killed together with their recorder.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)).and_then(|rest| {
            let (pid, _) = rest.split_once('-')?;
            pid.parse::<i64>().ok()
        });
        let is_ours = entry.metadata().is_ok_and(|data| data.is_dir() && data.uid() == own_uid());
        let is_left = pid.is_some_and(|pid| pid != own_pid() && !heldup_hostfs::is_alive(pid));
        let is_recorded = matches!(read_recorder_file(&entry.path()), Ok(Some((_, true))));
        if is_ours && is_left && !is_recorded {
            remove(&entry.path());
        }
    }
}

fn remove(folder: &Path) {
    // Its recorder may have removed it already.
    let _ = fs::remove_dir_all(folder);
}

/// Records into a temporary archive until it is stopped, by `examine`'s method, and removes it.
pub fn record_for_looking(archive: &Path, method: MethodChoice, stopper: &Stopper) -> Result<()> {
    let request = |method| RecordRequest {
        archive: archive.to_owned(),
        interval: Duration::from_secs(1),
        flush: SEGMENT,
        segment: SEGMENT,
        cpu_budget: CPU_BUDGET,
        keeping: HouseKeeping {
            retention: Retention { max_age: KEPT, max_bytes: MOST_BYTES },
            tiers: Tiers { ten_seconds_after: KEPT * 2, minutes_after: KEPT * 2 },
        },
        method,
        measure_overhead: false,
        length: None,
        seal: SealBy::ChildUntilEnd,
    };
    let record_by = |method| record(&request(method), &Silent, &Cancel::By(stopper.clone())).map(drop);
    let done = match method {
        MethodChoice::Auto => record_by(MethodChoice::Ebpf).or_else(|_| record_by(MethodChoice::Sampling)),
        method => record_by(method),
    };
    remove(archive);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorder_without_waits_is_not_what_is_wanted() {
        assert!(is_by(MethodChoice::Auto, "ebpf") && is_by(MethodChoice::Auto, "sampling"));
        assert!(!is_by(MethodChoice::Auto, "delays") && is_by(MethodChoice::Delays, "delays"));
    }

    #[test]
    fn what_a_killed_one_has_left_is_removed_and_nothing_else() {
        let base = std::env::temp_dir().join(format!("heldup-sweep-{}", own_pid()));
        // No process has a number beyond the kernel's greatest.
        let left = base.join(format!("{PREFIX}4194305-0"));
        let (own, other) = (base.join(format!("{PREFIX}{}-0", own_pid())), base.join("heldup-live"));
        for folder in [&left, &own, &other] {
            fs::create_dir_all(folder).expect("a folder");
        }
        sweep(&base);
        assert!(!left.exists() && own.exists() && other.exists());
        fs::remove_dir_all(&base).expect("removed");
    }
}
