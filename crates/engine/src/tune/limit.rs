//! Holding processes, or a command, to limits by a control group of their own.

use heldup_hostfs::{Host, own_pid};
use heldup_tune::{IoLimit, LimitError, Limits, Plan};

use super::wanted::Whom;
use crate::error::{EngineError, Result};

/// Limits, and whose they are.
#[derive(Clone, Debug)]
pub struct LimitRequest {
    /// CPUs that they may use together.
    pub cpus: Option<f64>,
    /// Memory that they may use together, in bytes, page cache included.
    pub memory_bytes: Option<u64>,
    /// Processes and threads that they may be.
    pub tasks: Option<u64>,
    /// Disks by name or file, and the bytes a second that they may read.
    pub read: Vec<(String, u64)>,
    /// The same of what they may write.
    pub write: Vec<(String, u64)>,
    /// Whose they are.
    pub whom: Whom,
}

/// The plan of the group.
pub(super) fn planned(host: &Host, request: &LimitRequest) -> Result<Plan> {
    let mut io: Vec<IoLimit> = Vec::new();
    let reads = request.read.iter().map(|(disk, bytes)| (disk, Some(*bytes), None));
    let writes = request.write.iter().map(|(disk, bytes)| (disk, None, Some(*bytes)));
    for (disk, read_bytes_per_s, written_bytes_per_s) in reads.chain(writes) {
        let device = number(host, disk)?;
        match io.iter_mut().find(|had| had.device == device) {
            Some(had) => had.written_bytes_per_s = had.written_bytes_per_s.or(written_bytes_per_s),
            None => io.push(IoLimit { device, read_bytes_per_s, written_bytes_per_s }),
        }
    }
    let (cpus, memory_bytes, tasks) = (request.cpus, request.memory_bytes, request.tasks);
    let limits = Limits { cpus, memory_bytes, tasks, io };
    let own = [own_pid()];
    let pids: &[i64] = match &request.whom {
        Whom::Processes(pids) => pids,
        Whom::Command(_) => &own,
    };
    // Ours by the program that makes it; two of one number are not at work at once.
    let name = format!("heldup-{}", own_pid());
    Plan::of_limits(host, &name, &limits, pids).map_err(|error| match error {
        LimitError::Nothing | LimitError::Nobody | LimitError::NoProcess { .. } => {
            EngineError::usage(error.to_string())
        }
        other => other.into(),
    })
}

/// The number of a disk, `253:0`, by its name or its file in `/dev`.
fn number(host: &Host, disk: &str) -> Result<String> {
    let name = disk.strip_prefix("/dev/").unwrap_or(disk);
    host.read_text(format!("/sys/block/{name}/dev")).map_err(|_| {
        EngineError::usage(format!("{disk} is not a disk (see `lsblk -d`; partitions cannot be limited)"))
    })
}
