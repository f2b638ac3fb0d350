//! The last window of an archive that goes on, examined again and again: only what came since is read, and what rules
//! ask is planned once. The answer is that of [`super::Viewer::look`] for the same window.

use std::sync::{Mutex, MutexGuard, PoisonError};

use heldup_archive::kept::Following;
use heldup_diagnose::{Diagnoser, Options, Ruleset, without_process};
use heldup_hostfs::{monotonic_ns, realtime_ms};
use heldup_model::{Span, View};

use crate::error::{Context, EngineError, Result};
use crate::examine::assemble;
use crate::ignored::Ignored;
use crate::seen;
use crate::source::archive::{ArchiveSource, live_tables};

/// What was read so short a time ago is not read again: samples are a second apart.
const FRESH_NS: u64 = 200_000_000;
/// Who looks at the end of an archive, for all who ask.
#[derive(Default)]
pub struct Follower(Mutex<End>);

/// The end, as far as it was read.
#[derive(Default)]
struct End {
    following: Option<Following>,
    read_ns: u64,
    /// The recorder whose rows are left out.
    own_pid: Option<i64>,
    diagnoser: Diagnoser,
}

impl Follower {
    /// The last so many milliseconds, examined.
    pub fn look(
        &self,
        archive: &ArchiveSource,
        name: &str,
        length_ms: i64,
        ruleset: &Ruleset,
        ignored: &Ignored,
    ) -> Result<View> {
        let end = &mut *self.end();
        end.read(archive, length_ms)?;
        let capture = end.following.as_ref().map(Following::capture).transpose()?.flatten();
        let capture =
            capture.ok_or_else(|| EngineError::not_found(format!("{} has no data", archive.name)))?;
        let options = Options { own_pid: end.own_pid, focus: None, clock: None };
        let mut diagnosis = end.diagnoser.diagnose(&capture, ruleset, &options);
        ignored.leave_out(&mut diagnosis.findings);
        let examination = assemble::of(&capture, diagnosis, name)?;
        let database = end.diagnoser.database().context("cannot read the window")?;
        let (tasks, processes) = seen::seen_in(database)?;
        Ok(View { span: capture.span, examination, tasks, processes })
    }

    /// All that there is by now; none where nobody follows yet.
    pub fn all(&self, archive: &ArchiveSource) -> Result<Option<Span>> {
        let end = &mut *self.end();
        let Some(length_ms) = end.following.as_ref().map(Following::length_ms) else { return Ok(None) };
        end.read(archive, length_ms)
    }

    fn end(&self) -> MutexGuard<'_, End> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl End {
    /// Reads what came since.
    fn read(&mut self, archive: &ArchiveSource, length_ms: i64) -> Result<Option<Span>> {
        let now_ns = monotonic_ns();
        if let Some(following) = &self.following
            && following.length_ms() == length_ms
            && now_ns.saturating_sub(self.read_ns) < FRESH_NS
        {
            return Ok(following.all());
        }
        let now_ms = realtime_ms();
        let own_pid = archive.own_pid_in(Span { since_ms: now_ms, until_ms: now_ms });
        // What was read is without the rows of the one that recorded then.
        if own_pid != self.own_pid
            || self.following.as_ref().is_some_and(|known| known.length_ms() != length_ms)
        {
            self.following = None;
            self.own_pid = own_pid;
        }
        self.read_ns = now_ns;
        let following = self.following.get_or_insert_with(|| archive.following(length_ms, live_tables()));
        Ok(following.read(&|table, batch| match own_pid {
            Some(pid) => without_process(table, batch, pid),
            None => batch,
        })?)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
    use heldup_archive::kept::{ArchiveFolder, seal};
    use heldup_model::RowSet;
    use heldup_model::tables::{CpuTimeRow, HostRow, ProcessRow, SystemRow, TaskTimeRow};

    use super::*;
    use crate::progress::Silent;
    use crate::view::{ViewRequest, Viewer};

    const BEGIN_MS: i64 = 1_763_700_000_000;
    const LENGTH_MS: i64 = 60_000;

    struct Folder(PathBuf);

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn time(pid: i64, program: &str, class_name: &str, group: &str, seconds: f64) -> TaskTimeRow {
        TaskTimeRow {
            tid: Some(pid),
            pid: Some(pid),
            start_ms: Some(5),
            name: Some(program.into()),
            process_name: Some(program.into()),
            class_name: Some(class_name.into()),
            group_name: Some(group.into()),
            seconds: Some(seconds),
            kernel_thread: Some(false),
            waits: Some(10),
            ..TaskTimeRow::default()
        }
    }

    /// A machine whose CPUs are contended for two minutes, and not for the next two.
    fn sample(second: i64) -> Sample {
        let of = |rows| Reading { rows, secs: Some(1.0) };
        let queued = if second / 120 % 2 == 0 { 0.6 } else { 0.01 };
        let varied = queued * (1.0 + (second * 7 % 5 - 2) as f64 / 50.0);
        let tasks = (1..=6).flat_map(|pid| {
            [
                time(pid, &format!("worker{}", pid % 3), "user", "running", 1.0 - varied),
                time(pid, &format!("worker{}", pid % 3), "cpu_queue", "waiting", varied),
            ]
        });
        let idle = (10..40).map(|pid| time(pid, "sleeper", "timer", "idle", 1.0));
        let cpu = |cpu| CpuTimeRow {
            cpu_idx: Some(cpu),
            busy_s: Some(1.0),
            idle_s: Some(0.0),
            ..CpuTimeRow::default()
        };
        let process = |pid: i64| ProcessRow {
            pid: Some(pid),
            start_ms: Some(5),
            name: Some(format!("worker{}", pid % 3).into()),
            user_s: Some(0.25),
            resident_bytes: Some(1000 * pid + second),
            anon_bytes: Some(500 * pid + second),
            ..ProcessRow::default()
        };
        let mut readings = vec![
            of(RowSet::increases(tasks.chain(idle))),
            of(RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }])),
            of(RowSet::increases((0..4).map(cpu))),
        ];
        if second % 5 == 0 {
            readings.push(Reading { rows: RowSet::increases((1..=6).map(process)), secs: Some(5.0) });
        }
        if second % 120 == 1 {
            let host = HostRow { name: Some("box".into()), cpus: Some(4), ..HostRow::default() };
            readings.push(Reading { rows: RowSet::increases([host]), secs: None });
        }
        Sample {
            time_ms: BEGIN_MS + second * 1000,
            monotonic_ns: (second as u64 + 1) * 1_000_000_000,
            readings,
        }
    }

    fn begin(archive: &ArchiveFolder, second: i64) -> JournalWriter {
        let header = SegmentHeader {
            host: "box".into(),
            boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
            realtime_ms: BEGIN_MS + second * 1000,
            monotonic_ns: (second as u64 + 1) * 1_000_000_000,
        };
        JournalWriter::create(&archive.journals(), &header, JournalSettings::default()).expect("a journal")
    }

    #[test]
    fn what_is_followed_is_judged_as_what_is_looked_at() {
        let folder =
            Folder(std::env::temp_dir().join(format!("heldup-followed-{}", heldup_hostfs::own_pid())));
        let archive = ArchiveFolder::at(&folder.0);
        let mut writer = begin(&archive, 0);
        let mut second = 0;
        let mut write = |writer: &mut JournalWriter, count: i64| {
            for _ in 0..count {
                second += 1;
                writer.append(sample(second)).expect("appended");
            }
            second
        };
        write(&mut writer, 25);
        let request = ViewRequest {
            sources: vec![folder.0.display().to_string()],
            window: Some(Duration::from_millis(LENGTH_MS as u64)),
            ..ViewRequest::default()
        };
        let viewer = Viewer::open(&request, &Silent).expect("an archive");
        let mut found = Vec::new();
        for step in 0..24 {
            let last = write(&mut writer, 10 + step % 3);
            if step == 14 {
                let closed = writer.close().expect("closed");
                writer = begin(&archive, last);
                write(&mut writer, 1);
                viewer.follower.end().read_ns = 0;
                viewer.now().expect("a window");
                seal(&closed, &folder.0).expect("sealed");
            }
            // Samples come faster here than seconds go by.
            viewer.follower.end().read_ns = 0;
            let now = viewer.now().expect("a window");
            let until_ms = now.span.until_ms;
            let since_ms = (BEGIN_MS + 999).max(until_ms - LENGTH_MS);
            let looked = viewer.look(Span { since_ms, until_ms }).expect("a window");
            found.push(now.examination.findings.len());
            if !(14..=20).contains(&step) {
                assert_eq!(format!("{now:#?}"), format!("{looked:#?}"), "step {step}");
            }
            // Sealed rows are in another order, in which sums of floats end in other digits.
            let keys = |view: &View| -> Vec<String> {
                view.examination
                    .findings
                    .iter()
                    .map(|finding| format!("{} {}", finding.key, finding.title))
                    .collect()
            };
            assert_eq!(keys(&now), keys(&looked), "step {step}");
            assert_eq!(now.examination.ruled_out, looked.examination.ruled_out, "step {step}");
            assert_eq!(now.examination.not_checked, looked.examination.not_checked, "step {step}");
        }
        assert!(found.contains(&0) && found.iter().any(|count| *count > 0), "{found:?}");
    }
}
