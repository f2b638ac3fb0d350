//! Lines of the machine's own files that assign settings, each with what becomes of it here.

use heldup_hostfs::Host;

use crate::assignment::{Applier, Assignment, Assignments};
use crate::audit::{Remark, Verdict, misplaced};
use crate::catalogue::Catalogue;
use crate::outlived::{OutlivedSystem, System, Version};
use crate::release::Release;
use crate::standing::release;

/// What becomes of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStatus {
    /// It is applied, and nothing after it says otherwise.
    InEffect,
    /// A later line gives the setting another value.
    Overridden,
    /// The setting is gone or moved, or has no effect any more.
    Obsolete,
    /// This kernel does not have it: a module may bring it, or it is misspelt.
    Absent,
    /// It stands in `/etc/sysctl.conf`, which no link leads to: systemd does not read it.
    NotRead,
}

impl LineStatus {
    /// Its public word.
    pub fn word(self) -> &'static str {
        match self {
            LineStatus::InEffect => "in_effect",
            LineStatus::Overridden => "overridden",
            LineStatus::Obsolete => "obsolete",
            LineStatus::Absent => "absent",
            LineStatus::NotRead => "not_read",
        }
    }
}

/// A line of a file.
#[derive(Clone, Debug)]
pub struct FileLine {
    /// What it assigns, and where it stands.
    pub given: Assignment,
    /// What becomes of it.
    pub status: LineStatus,
    /// Why, where there is something to say.
    pub why: Option<String>,
    /// Where this kernel has the setting, of one that moved.
    pub now_at: Option<String>,
    /// The line that wins.
    pub winner: Option<Assignment>,
}

/// What the files of a machine assign, in the order in which they are applied, and what of them
/// could not be read. Rules of udev are left out: which of them match only udev knows.
pub fn file_lines(host: &Host) -> (Vec<FileLine>, Vec<String>) {
    let assignments = Assignments::of(host);
    let mut known = Knowledge { release: release(host), catalogue: None, outlived: None };
    let judged = |given: &Assignment| known.judge(host, &assignments, given);
    let lines = assignments.in_order().map(judged).collect();
    (lines, assignments.unread)
}

/// What is known of settings, read when it is first needed: most machines' lines name what is there.
struct Knowledge {
    release: Option<Release>,
    catalogue: Option<Catalogue>,
    outlived: Option<OutlivedSystem>,
}

impl Knowledge {
    fn judge(&mut self, host: &Host, assignments: &Assignments, given: &Assignment) -> FileLine {
        let mut line = FileLine {
            given: given.clone(),
            status: LineStatus::InEffect,
            why: None,
            now_at: None,
            winner: None,
        };
        if let Some((remark, now_at)) = self.gone(host, &given.path) {
            line.status =
                if remark.verdict == Verdict::Obsolete { LineStatus::Obsolete } else { LineStatus::Absent };
            line.why = Some(remark.why);
            line.now_at = now_at;
        } else if given.applier == Applier::SysctlConf {
            line.status = LineStatus::NotRead;
        } else if let Some(winner) = winner(assignments, given) {
            line.status = LineStatus::Overridden;
            line.winner = Some(winner.clone());
        }
        line
    }

    /// Why a path is not there, or of no use, and where its setting is now.
    fn gone(&mut self, host: &Host, path: &str) -> Option<(Remark, Option<String>)> {
        let release = self.release?;
        if let Some(remark) = self.without_effect(path, release) {
            return Some((remark, None));
        }
        if path.contains('*') || host.exists(path) {
            return None;
        }
        let catalogue = self.catalogue.get_or_insert_with(Catalogue::builtin);
        let tunable = catalogue.tunables.iter().find(|tunable| tunable.covers(path));
        let moved = tunable.and_then(|tunable| {
            let now_at = tunable.path_in(release).map(str::to_owned);
            Some((misplaced(tunable, path, release)?, now_at))
        });
        let why = "this kernel does not have it (module not loaded, or misspelt)".to_owned();
        Some(moved.unwrap_or((Remark { verdict: Verdict::Absent, why }, None)))
    }

    /// A setting of which the catalogue of what is over knows that the release has outlived it.
    fn without_effect(&mut self, path: &str, release: Release) -> Option<Remark> {
        if self.outlived.is_none() {
            self.outlived = OutlivedSystem::builtin(System::Linux);
        }
        let name = path.strip_prefix("/proc/sys/")?.replace('/', ".");
        let setting = self.outlived.as_ref()?.find(&name)?;
        let release: Version = release.to_string().parse().ok()?;
        setting.gone_in(&release).map(|why| Remark { verdict: Verdict::Obsolete, why })
    }
}

/// The line that wins over one, where it gives the setting another value.
fn winner<'a>(assignments: &'a Assignments, given: &Assignment) -> Option<&'a Assignment> {
    if given.path.contains('*') {
        return None;
    }
    let boot = |line: &&&Assignment| line.applier != Applier::SysctlConf;
    let applied = assignments.to(&given.path);
    let last = applied.iter().rev().find(boot)?;
    (last.value != given.value).then_some(*last)
}
