//! CPU use in a recording of another tool.
//!
//! Sums of what was counted, and no judgement: that CPUs were busy is no trouble, and waits are not in it.

use heldup_archive::{Database, SqlError};
use heldup_model::{CpuState, CpuUse, TaskShare};

use crate::row::Row;

/// How many processes are named.
const MOST_PROCESSES: usize = 5;

/// One row for each state; guests are in user and nice already. What a tool left out is NULL, and no state. A sample in
/// which one of the usual states is missing would make the shares of the others too large.
const STATES: &str = "
with whole as materialized (
    select 1 from cpu where user_s is not null and system_s is not null and idle_s is not null limit 1),
cpu_sum as materialized (
    select sum(user_s) as user_s, sum(nice_s) as nice_s, sum(system_s) as system_s, sum(irq_s) as irq_s,
           sum(softirq_s) as softirq_s, sum(steal_s) as steal_s, sum(iowait_s) as iowait_s, sum(idle_s) as idle_s
    from cpu
    where user_s is not null and system_s is not null and idle_s is not null or not exists (select 1 from whole)),
state as materialized (
    select 'user' as state, user_s as seconds from cpu_sum
    union all select 'nice', nice_s from cpu_sum
    union all select 'kernel', system_s from cpu_sum
    union all select 'interrupts', coalesce(irq_s + softirq_s, irq_s, softirq_s) from cpu_sum
    union all select 'stolen', steal_s from cpu_sum
    union all select 'waiting for I/O', iowait_s from cpu_sum
    union all select 'idle', idle_s from cpu_sum)
select state, max(0.0, seconds) / (select sum(max(0.0, seconds)) from state) as share
from state
where seconds is not null
order by 2 desc";

/// One row for each process with CPU time, largest first. If two tools report one process, one in both modes
/// together, the one with more detail counts. Threads count where no process does (`prstat -Lm`).
const PROCESSES: &str = "
with of_process as materialized (
    select name, pid, max(total(user_s) + total(system_s), total(cpu_s)) as seconds
    from process
    where user_s is not null or system_s is not null or cpu_s is not null
    group by pid, name
    having max(total(user_s) + total(system_s), total(cpu_s)) > 0)
select * from of_process
union all
select name, coalesce(pid, tid), total(coalesce(run_s, user_s + system_s))
from thread
where coalesce(run_s, user_s + system_s) > 0 and not exists (select 1 from of_process)
group by coalesce(pid, tid), name
order by 3 desc
limit 5";

/// The same of a listing, in percent.
const LISTED_STATES: &str = "
with screen as materialized (select * from listed_cpu l where subject = 'host' and time = (select max(time) from listed_cpu where subject = 'host')),
state as materialized (
    select 'user' as state, user_share as share from screen
    union all select 'nice', nice_share from screen
    union all select 'kernel', system_share from screen
    union all select 'interrupts', interrupt_share from screen
    union all select 'stolen', steal_share from screen
    union all select 'waiting for I/O', iowait_share from screen
    union all select 'idle', idle_share from screen)
select state, share from state where share is not null order by 2 desc";

/// One row per name, largest first; those of `ps`, over the life of a process, only where nothing else is listed.
const LISTED_PROCESSES: &str = "
with chosen as materialized (
    select max(subject) as subject from listed_use where subject in ('process', 'thread'))
select u.name, case when count(*) = 1 then max(u.number) end as pid, count(*) as tasks, max(u.covers) as covers,
       sum(u.used_cpus) as used_cpus, sum(u.used_share) as used_share
from chosen c join listed_use u on u.subject = c.subject
group by u.name, u.covers
having coalesce(sum(u.used_cpus), sum(u.used_share)) >= 0.05
order by coalesce(sum(u.used_cpus), sum(u.used_share)) desc
limit 5";

/// CPU use in a recording; none without CPU data.
pub fn of(database: &Database) -> Result<Option<CpuUse>, SqlError> {
    let states: Vec<CpuState> = Row::all(database.query(STATES)?)
        .iter()
        .filter_map(|row| Some(CpuState { state: row.text("state")?, share: row.number("share")? }))
        .collect();
    let processes: Vec<TaskShare> = Row::all(database.query(PROCESSES)?)
        .iter()
        .take(MOST_PROCESSES)
        .map(|row| TaskShare {
            name: row.text("name").unwrap_or_else(|| "unknown".to_owned()),
            pid: row.int("pid"),
            seconds: row.number("seconds"),
            ..TaskShare::default()
        })
        .collect();
    if states.is_empty() && processes.is_empty() {
        return listed(database);
    }
    Ok(Some(CpuUse { states, processes, is_listed: false }))
}

/// What a listing shows in percent.
fn listed(database: &Database) -> Result<Option<CpuUse>, SqlError> {
    let states: Vec<CpuState> = Row::all(database.query(LISTED_STATES)?)
        .iter()
        .filter_map(|row| Some(CpuState { state: row.text("state")?, share: row.number("share")? }))
        .collect();
    let processes: Vec<TaskShare> = Row::all(database.query(LISTED_PROCESSES)?)
        .iter()
        .map(|row| TaskShare {
            name: row.text("name").unwrap_or_else(|| "unknown".to_owned()),
            pid: row.int("pid"),
            tasks: row.int("tasks").filter(|tasks| *tasks > 1),
            role: role(row),
            ..TaskShare::default()
        })
        .collect();
    let knows = !states.is_empty() || !processes.is_empty();
    Ok(knows.then_some(CpuUse { states, processes, is_listed: true }))
}

/// `780 % by the listing`, `100 % since it started`: of one CPU.
fn role(row: &Row) -> Option<String> {
    let share = row.number("used_cpus").map(|used| format!("{:.0} %", 100.0 * used));
    let share =
        share.or_else(|| row.number("used_share").map(|used| format!("{:.0} % of all CPUs", 100.0 * used)));
    let covers =
        if row.text("covers").as_deref() == Some("life") { "since it started" } else { "by the listing" };
    Some(format!("{} {covers}", share?))
}
