//! The vital signs of a window, from its tables. Sums and means; nothing is judged.

use heldup_archive::{Database, SqlError};
use heldup_model::{DiskVitals, NetworkVitals, PressureVitals, Vitals};

use crate::row::Row;

/// One row. Tasks in the run queue are those of the ledger, without kernel threads, as in its lines.
const MACHINE: &str = "
select (select sum(busy_s) / nullif(sum(busy_s) + sum(idle_s), 0) from cpu_busy) as cpu_busy,
       (select total(seconds) from task_time where class_name = 'cpu_queue' and kernel_thread is not 1)
           / (select secs from window_span where exists (select 1 from task_time)) as queue,
       (select avg(runnable) from system) as runnable,
       (select avg(1.0 - 1.0 * available_bytes / total_bytes) from memory
        where available_bytes is not null and total_bytes > 0) as memory_used";

/// One row: the disk that tasks waited for most, and without such waits the one with most requests in flight.
const DISK: &str = "
with waited as materialized (
    select object as device, sum(seconds) as wait_s
    from object_total
    where object_kind = 'device' and object is not null
    group by object)
select d.device as device,
       (total(d.read_s) + total(d.write_s)) / nullif(total(d.reads) + total(d.writes), 0) as latency_s,
       sum(d.queue_s) / sum(d.secs) as depth
from disk d left join waited w using (device)
where d.kind is not 'partition'
group by d.device
having total(d.reads) + total(d.writes) > 0
order by coalesce(max(w.wait_s), 0.0) desc, total(d.queue_s) desc
limit 1";

/// One row: the interface with most traffic; what stays on the machine is none.
const NETWORK: &str = "
select name as interface, (total(rx_bytes) + total(tx_bytes)) / sum(secs) as bytes_per_s
from net_if
where name <> 'lo' and (rx_bytes is not null or tx_bytes is not null)
group by netns, name
order by 2 desc
limit 1";

/// A row for each resource.
const PRESSURE: &str = "
select resource, sum(some_s) / sum(secs) as some from pressure where some_s is not null group by resource";

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
    vitals.disk = rows(DISK)?.first().and_then(|row| {
        Some(DiskVitals {
            device: row.text("device")?,
            latency_s: row.number("latency_s"),
            depth: row.number("depth"),
        })
    });
    vitals.network = rows(NETWORK)?.first().and_then(|row| {
        Some(NetworkVitals { interface: row.text("interface")?, bytes_per_s: row.number("bytes_per_s")? })
    });
    let pressure = rows(PRESSURE)?;
    let some = |resource: &str| {
        let row = pressure.iter().find(|row| row.text("resource").as_deref() == Some(resource))?;
        row.number("some")
    };
    vitals.pressure = PressureVitals { cpu: some("cpu"), io: some("io"), memory: some("memory") };
    Ok(vitals)
}
