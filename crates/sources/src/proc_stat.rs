//! `/proc/stat`: what each CPU's time went into, and what the whole machine did since boot.
//!
//! Only the parser: the source `system` reads the file, because its row also takes
//! `/proc/loadavg` and `/proc/uptime`.

use heldup_model::tables::CpuRow;

use crate::kernel_text::{Parsed, fields, lines};

/// The first four columns of a `cpu` line are there since 2.4; the others came later
/// (iowait 2.5.41, irq and softirq 2.6.0, steal 2.6.11, guest 2.6.24, guest_nice 2.6.33).
const COLUMNS_ALWAYS_THERE: usize = 4;
const CPU_COLUMNS: [&str; 10] =
    ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];

/// What `/proc/stat` says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcStat {
    /// Online CPUs; those that are offline have no line.
    pub cpus: Vec<CpuRow>,
    /// Interrupts since boot (`intr`, first number).
    pub interrupts: Option<i64>,
    /// Context switches since boot (`ctxt`).
    pub context_switches: Option<i64>,
    /// Time of boot, seconds since 1970-01-01 UTC (`btime`); moves by a second when the clock is set.
    pub boot_time_s: Option<i64>,
    /// Processes and threads created since boot (`processes`).
    pub forks: Option<i64>,
    /// Tasks running or runnable (`procs_running`).
    pub runnable: Option<i64>,
    /// Tasks waiting for I/O (`procs_blocked`).
    pub blocked: Option<i64>,
    /// Soft interrupts since boot (`softirq`, first number).
    pub softirqs: Option<i64>,
}

/// Reads `/proc/stat`; `ticks_per_s` is USER_HZ, the unit of its times.
pub fn parse(text: &[u8], ticks_per_s: f64) -> Parsed<ProcStat> {
    let mut parsed = Parsed::<ProcStat>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let mut rest = fields(content);
        let name = rest.next().unwrap_or_default();
        match name {
            b"intr" => parsed.value.interrupts = parsed.count(line, "intr", rest.next()),
            b"ctxt" => parsed.value.context_switches = parsed.count(line, "ctxt", rest.next()),
            b"btime" => parsed.value.boot_time_s = parsed.count(line, "btime", rest.next()),
            b"processes" => parsed.value.forks = parsed.count(line, "processes", rest.next()),
            b"procs_running" => parsed.value.runnable = parsed.count(line, "procs_running", rest.next()),
            b"procs_blocked" => parsed.value.blocked = parsed.count(line, "procs_blocked", rest.next()),
            b"softirq" => parsed.value.softirqs = parsed.count(line, "softirq", rest.next()),
            // The sum of all CPUs: theirs are read one by one.
            b"cpu" => {}
            _ if name.starts_with(b"cpu") => {
                let cpu_idx = parsed.count(line, "number of the CPU", Some(&name[3..]));
                let times = cpu_times(&mut parsed, line, rest, ticks_per_s);
                parsed.value.cpus.extend(cpu_idx.map(|cpu_idx| cpu_row(cpu_idx, times)));
            }
            // `page`, `swap` and `disk_io` of 2.4, and whatever comes next.
            _ => {}
        }
    }
    parsed
}

fn cpu_times<'t>(
    parsed: &mut Parsed<ProcStat>,
    line: usize,
    mut rest: impl Iterator<Item = &'t [u8]>,
    ticks_per_s: f64,
) -> [Option<f64>; CPU_COLUMNS.len()] {
    let mut times = [None; CPU_COLUMNS.len()];
    for (at, time) in times.iter_mut().enumerate() {
        let field = rest.next();
        if field.is_none() && at >= COLUMNS_ALWAYS_THERE {
            break;
        }
        *time = parsed.count(line, CPU_COLUMNS[at], field).map(|ticks| ticks as f64 / ticks_per_s);
    }
    times
}

fn cpu_row(cpu_idx: i64, times: [Option<f64>; CPU_COLUMNS.len()]) -> CpuRow {
    let [user_s, nice_s, system_s, idle_s, iowait_s, irq_s, softirq_s, steal_s, guest_s, guest_nice_s] =
        times;
    CpuRow {
        cpu_idx: Some(cpu_idx),
        user_s,
        nice_s,
        system_s,
        idle_s,
        iowait_s,
        irq_s,
        softirq_s,
        steal_s,
        guest_s,
        guest_nice_s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_have_fewer_columns() {
        let parsed = parse(b"cpu  8 0 6 200\ncpu0 8 0 6 200\nctxt 5\n", 100.0);
        assert_eq!(parsed.errors, []);
        assert_eq!(parsed.value.cpus.len(), 1);
        assert_eq!(parsed.value.cpus[0].idle_s, Some(2.0));
        assert_eq!(parsed.value.cpus[0].iowait_s, None);
        assert_eq!(parsed.value.context_switches, Some(5));
    }

    #[test]
    fn a_damaged_line_costs_its_own_values_only() {
        let parsed = parse(b"cpu0 8 -1 6 200\ncpuX 1 2 3 4\nctxt 99999999999999999999\nbtime 7\n", 100.0);
        let items: Vec<_> = parsed.errors.iter().map(|e| (e.line, &*e.item)).collect();
        assert_eq!(items, [(1, "nice"), (2, "number of the CPU"), (3, "ctxt")]);
        assert_eq!(parsed.value.cpus.len(), 1);
        assert_eq!((parsed.value.cpus[0].nice_s, parsed.value.cpus[0].system_s), (None, Some(0.06)));
        assert_eq!((parsed.value.context_switches, parsed.value.boot_time_s), (None, Some(7)));
    }

    #[test]
    fn a_line_that_is_cut_off_is_not_believed() {
        let parsed = parse(b"ctxt 100\nbtime 16", 100.0);
        assert_eq!(parsed.value.boot_time_s, None);
        assert_eq!(parsed.errors.len(), 1);
        assert_eq!(parsed.errors[0].line, 2);
    }
}
