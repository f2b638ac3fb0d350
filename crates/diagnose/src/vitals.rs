//! The vital signs of a window, from its tables. Sums and means; nothing is judged.

use heldup_archive::{Database, SqlError};
use heldup_model::{
    DatabaseVitals, DiskVitals, EventShare, LargestProcess, LoadVitals, NetworkVitals, PressureVitals, Vitals,
};

use crate::row::Row;

/// One row. Tasks in the run queue are those of the ledger, without kernel threads, as in its lines. Before 3.14 there was
/// no MemAvailable: used is what `free` printed as used without buffers and cache then.
const MACHINE: &str = "
select (select sum(busy_s) / nullif(sum(busy_s) + sum(idle_s), 0) from cpu_busy) as cpu_busy,
       (select total(seconds) from task_time where class_name = 'cpu_queue' and kernel_thread is not 1)
           / (select secs from window_span where exists (select 1 from task_time)) as queue,
       (select avg(runnable) from system) as runnable,
       (select avg(1.0 - 1.0 * coalesce(available_bytes, free_bytes + buffers_bytes + cached_bytes) / total_bytes) from memory
        where coalesce(available_bytes, free_bytes + buffers_bytes + cached_bytes) is not null and total_bytes > 0) as memory_used";

/// One row, of a recording: the load, tasks that wait uninterruptibly, swap. `blocked` of `vmstat` is the same as state D.
const LISTED: &str = "
with last_process as materialized (select max(time) as time from process where state is not null),
load as materialized (
    select avg(load1) as one, last_at(load5, time) as five, last_at(load15, time) as fifteen,
           case when count(load1) > 1 then max(load1) end as most, avg(blocked) as blocked from system),
swap as materialized (
    select last_at(coalesce(swap_used_bytes, swap_total_bytes - swap_free_bytes), time) as used, last_at(swap_total_bytes, time) as total
    from memory)
select one, five, fifteen, most,
       coalesce(blocked, (select count(*) filter (where p.state = 'D') from last_process l join process p on p.time = l.time
                          having count(*) > 0)) as blocked,
       case when total > 0 then 1.0 * used / total end as swap_used,
       (select 1.0 - idle_share - coalesce(iowait_share, 0.0) from listed_use where subject = 'host') as cpu_listed
from load cross join swap";

/// One row: the process of the last listing that holds most memory. Threads of one process are one row of `process`.
const LARGEST: &str = "
with whole as materialized (
    select coalesce(max(total_bytes), (select max(memory_bytes) from host)) as total_bytes from memory),
owner as materialized (
    select pid, max(name) as name, last_at(resident_bytes, time) as resident_bytes from process group by pid)
select o.name, o.pid, o.resident_bytes, 1.0 * o.resident_bytes / w.total_bytes as share
from owner o cross join whole w
where o.name is not null and o.resident_bytes between 0.25 * w.total_bytes and w.total_bytes
order by o.resident_bytes desc
limit 1";

/// One row: the disk that tasks waited for most, and without such waits the one with most requests in flight.
const DISK: &str = "
with waited as materialized (
    select object as device, sum(seconds) as wait_s
    from object_total
    where object_kind = 'device' and object is not null
    group by object)
select d.device as device,
       case when count(d.read_s) + count(d.write_s) > 0
                then (total(d.read_s) + total(d.write_s)) / nullif(total(d.reads) + total(d.writes), 0)
            else sum(d.queue_s) / nullif(max(total(d.reads) + total(d.writes), total(d.requests)), 0) end as latency_s,
       sum(d.queue_s) / sum(d.secs) as depth
from disk d left join waited w using (device)
where d.kind is not 'partition'
group by d.device
having total(d.reads) + total(d.writes) > 0 or total(d.requests) > 0
order by coalesce(max(w.wait_s), 0.0) desc, total(d.queue_s) desc
limit 1";

/// One row: the interface with most traffic; what stays on the machine is none. A packet has 64 bytes or more, also where a tool
/// prints none.
const NETWORK: &str = "
select name as interface, (total(rx_bytes) + total(tx_bytes)) / sum(secs) as bytes_per_s,
       (sum(rx_packets) + sum(tx_packets)) / sum(secs) as packets_per_s
from net_if
where name <> 'lo' and (rx_bytes is not null or tx_bytes is not null or rx_packets is not null or tx_packets is not null)
group by netns, name
order by max(total(rx_bytes) + total(tx_bytes), 64 * (total(rx_packets) + total(tx_packets))) / sum(secs) desc
limit 1";

/// A row for each resource.
const PRESSURE: &str = "
select resource, sum(some_s) / sum(secs) as some from pressure where some_s is not null group by resource";

/// One row per instance, the one with most time first. Before 10g there is no DB time, and CPU time is among the events.
const DATABASES: &str = "
with times as materialized (
    select coalesce(instance, '') as instance, time, max(secs) as secs,
           max(value) filter (where metric_name in ('db_time_s', 'addm_db_time_s')) as db_time_s,
           max(value) filter (where metric_name = 'db_cpu_s') as db_cpu_s,
           max(value) filter (where metric_name = 'os_num_cpus') as cpus
    from db_metric
    where metric_name in ('db_time_s', 'db_cpu_s', 'os_num_cpus')
       or (metric_name = 'addm_db_time_s' and not exists (select 1 from db_metric where metric_name = 'db_time_s'))
    group by 1, 2),
cpu as materialized (
    select coalesce(instance, '') as instance, time, max(wait_s) as cpu_s
    from db_wait
    where event_name in ('DB CPU', 'CPU time')
    group by 1, 2),
report as materialized (
    select instance, time from times union select instance, time from cpu)
select r.instance as instance, sum(t.db_time_s) as db_time_s, sum(coalesce(t.db_cpu_s, c.cpu_s)) as db_cpu_s,
       sum(t.db_time_s) / sum(t.secs) filter (where t.db_time_s is not null) as sessions,
       coalesce(max(t.cpus), (select max(cpus) from host where cpus > 0)) as cpus
from report r left join times t on t.instance = r.instance and t.time = r.time
    left join cpu c on c.instance = r.instance and c.time = r.time
group by r.instance
having sum(t.db_time_s) is not null or sum(c.cpu_s) is not null
order by coalesce(sum(t.db_time_s), sum(c.cpu_s)) desc";

/// One row per event that has a share in the report: instance, event, share. Background processes have their own list.
const EVENTS: &str = "
select coalesce(w.instance, '') as instance, w.event_name as event, avg(w.wait_share) as share
from db_wait w
where w.side is not 'background' and w.wait_share between 0.01 and 2.0 and w.event_name not in ('DB CPU', 'CPU time', 'unknown')
  and not exists (select 1 from db_idle_event i where w.event_name glob i.pattern)
group by 1, 2
order by 3 desc, 2";

/// Events that are kept.
const MOST_EVENTS: usize = 3;

/// The vital signs.
pub fn of(database: &Database) -> Result<Vitals, SqlError> {
    let rows = |sql: &str| database.query(sql).map(Row::all);
    let mut vitals = Vitals::default();
    if let Some(row) = rows(MACHINE)?.first() {
        vitals.cpu_busy = row.number("cpu_busy");
        vitals.queue = row.number("queue");
        // One of both: a recording without tasks counts those that run together with those that wait.
        vitals.runnable = row.number("runnable").filter(|_| vitals.queue.is_none());
        vitals.memory_used = row.number("memory_used");
    }
    if vitals.queue.is_none() {
        listed(&mut vitals, &rows(LISTED)?, &rows(LARGEST)?);
    }
    vitals.disk = rows(DISK)?.first().and_then(|row| {
        Some(DiskVitals {
            device: row.text("device")?,
            latency_s: row.number("latency_s"),
            depth: row.number("depth"),
        })
    });
    vitals.network = rows(NETWORK)?.first().and_then(|row| {
        let packets_per_s = row.number("packets_per_s");
        let (interface, bytes_per_s) = (row.text("interface")?, row.number("bytes_per_s")?);
        Some(NetworkVitals { interface, bytes_per_s, packets_per_s })
    });
    let pressure = rows(PRESSURE)?;
    let some = |resource: &str| {
        let row = pressure.iter().find(|row| row.text("resource").as_deref() == Some(resource))?;
        row.number("some")
    };
    vitals.pressure = PressureVitals { cpu: some("cpu"), io: some("io"), memory: some("memory") };
    vitals.database = database_vitals(&rows(DATABASES)?, &rows(EVENTS)?);
    Ok(vitals)
}

/// What is shown of a recording alone: with the account of time it says nothing more.
fn listed(vitals: &mut Vitals, states: &[Row], owners: &[Row]) {
    if let Some(row) = states.first() {
        vitals.load = row.number("one").map(|one| LoadVitals {
            one,
            five: row.number("five"),
            fifteen: row.number("fifteen"),
            most: row.number("most"),
        });
        vitals.blocked = row.number("blocked");
        vitals.swap_used = row.number("swap_used");
        vitals.cpu_busy = vitals.cpu_busy.or_else(|| row.number("cpu_listed"));
    }
    vitals.largest = owners.first().and_then(|row| {
        Some(LargestProcess {
            name: row.text("name")?,
            pid: row.int("pid"),
            resident_bytes: row.number("resident_bytes")?,
            share: row.number("share")?,
        })
    });
}

/// The database with most time.
fn database_vitals(databases: &[Row], events: &[Row]) -> Option<DatabaseVitals> {
    let first = databases.first()?;
    let instance = first.text("instance")?;
    let is_its = |row: &&Row| row.text("instance").as_deref() == Some(instance.as_str());
    let shares = events
        .iter()
        .filter(is_its)
        .take(MOST_EVENTS)
        .filter_map(|row| Some(EventShare { event: row.text("event")?, share: row.number("share")? }));
    Some(DatabaseVitals {
        db_time_s: first.number("db_time_s"),
        db_cpu_s: first.number("db_cpu_s"),
        average_active_sessions: first.number("sessions"),
        cpus: first.number("cpus"),
        events: shares.collect(),
        instance: (databases.len() > 1).then_some(instance),
    })
}

#[cfg(test)]
mod tests {
    use heldup_archive::Database;
    use heldup_model::RowSet;
    use heldup_model::tables::{DbMetricRow, DbWaitRow};

    use super::of;
    use crate::captures::{Sample, Setting, small_capture};

    #[test]
    fn the_time_of_a_database_is_that_of_its_reports() {
        let metric = |instance: &str, name: &str, value: f64| DbMetricRow {
            instance: Some(instance.into()),
            metric_name: Some(name.into()),
            value: Some(value),
        };
        let wait = |event: &str, side: &str, share: Option<f64>| DbWaitRow {
            instance: Some("a".into()),
            event_name: Some(event.into()),
            side: Some(side.into()),
            wait_s: Some(10.0),
            wait_share: share,
            ..DbWaitRow::default()
        };
        let report = |rows| Sample { at: 10, secs: Some(10.0), rows };
        let metrics = RowSet::increases([
            metric("a", "db_time_s", 60.0),
            metric("a", "os_num_cpus", 4.0),
            metric("b", "db_time_s", 20.0),
        ]);
        let waits = RowSet::increases([
            wait("DB CPU", "foreground", Some(0.2)),
            wait("latch free", "foreground", Some(0.5)),
            wait("SQL*Net message from client", "foreground", None),
            wait("log file parallel write", "background", Some(0.9)),
        ]);
        let capture =
            small_capture(Setting { samples: 10, ..Setting::default() }, [report(metrics), report(waits)]);
        let database = Database::open(&capture).expect("tables");
        let found = of(&database).expect("vitals").database.expect("a database");
        assert_eq!((found.instance.as_deref(), found.db_time_s), (Some("a"), Some(60.0)));
        assert_eq!((found.db_cpu_s, found.cpus), (Some(10.0), Some(4.0)));
        assert_eq!(found.average_active_sessions, Some(6.0));
        let events: Vec<&str> = found.events.iter().map(|one| one.event.as_str()).collect();
        assert_eq!(events, ["latch free"]);
    }
}
