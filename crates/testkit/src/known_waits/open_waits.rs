//! Waits that began before the window and end after it: nothing is switched while
//! `heldup` looks, so that only its reader can tell what they are.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::condition::until;
use crate::heldup::Heldup;
use crate::host_figures::calls_waited_in;
use crate::known_waits::MountPoint;
use crate::running::Running;
use crate::scratch::Scratch;

/// Seconds to look for.
const SECONDS: u32 = 3;
/// Share of the window that must be in the right class.
const RIGHT_AT_LEAST: f64 = 0.97;

/// Each open wait is in its class for the whole window.
pub fn check(heldup: &Heldup) -> Result<()> {
    let scratch = Scratch::new("open")?;
    let point = MountPoint(Scratch::new("unanswered")?);
    let locks = waiting(
        "waits_lock",
        scratch.path(),
        &["held-mutex", "held-flock"],
        &[libc::SYS_futex, libc::SYS_flock],
    )?;
    let remote = waiting("waits_remote", point.0.path(), &["unanswered"], &[libc::SYS_pread64])?;
    heldup.examine(SECONDS)?;
    let pids = format!("{}, {}", locks.pid(), remote.pid());
    let rows = heldup.sql_last(&format!(
        "with span as materialized (select sum(secs) as whole from (select distinct time, secs from task_time)) \
         select t.name, t.class_name, sum(t.seconds), s.whole from task_time t cross join span s \
         where t.pid in ({pids}) group by t.tid, t.name, t.class_name"
    ))?;
    let mut wrong = Vec::new();
    for (name, class) in
        [("held-mutex", "lock_user"), ("held-flock", "lock_file"), ("unanswered", "remote_fs")]
    {
        let of_thread = rows.iter().filter(|row| row[0].as_str() == Some(name));
        let right = of_thread.clone().find(|row| row[1].as_str() == Some(class));
        let share = right.and_then(|row| Some(row[2].as_f64()? / row[3].as_f64()?)).unwrap_or(0.0);
        if share < RIGHT_AT_LEAST {
            wrong.push(format!(
                "{name}: {:.0} % is {class}: {:?}",
                share * 100.0,
                of_thread.collect::<Vec<_>>()
            ));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// A file system whose server answers nothing any more, and a reader that waits for it.
pub struct DeadMount {
    // Dropped in this order: the server's end is what frees the reader.
    _reader: Running,
    point: MountPoint,
}

impl DeadMount {
    /// Mounts it, and waits until the server is dead: requests stay where they are, and who
    /// waits for them can be killed.
    pub fn new() -> Result<DeadMount> {
        DeadMount::with_server("dead")
    }

    /// The same with a server that takes each request and forgets it: who waits for that
    /// cannot even be killed.
    pub fn forgetful() -> Result<DeadMount> {
        DeadMount::with_server("forgetful")
    }

    fn with_server(wait: &str) -> Result<DeadMount> {
        let point = MountPoint(Scratch::new(wait)?);
        let reader = waiting("waits_remote", point.0.path(), &[wait], &[libc::SYS_pread64])?;
        Ok(DeadMount { _reader: reader, point })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        self.point.0.path()
    }
}

/// A program of known waits whose threads are all in their calls.
fn waiting(program: &str, folder: &Path, waits: &[&str], calls: &[libc::c_long]) -> Result<Running> {
    let arguments = [&"60" as &dyn AsRef<std::ffi::OsStr>, &folder].into_iter();
    let arguments: Vec<_> =
        arguments.chain(waits.iter().map(|wait| wait as &dyn AsRef<std::ffi::OsStr>)).collect();
    let running = Running::program(program, &arguments)?;
    until("the threads wait", || {
        let now = calls_waited_in(running.pid())?;
        Ok(calls.iter().all(|call| now.contains(call)))
    })?;
    Ok(running)
}
