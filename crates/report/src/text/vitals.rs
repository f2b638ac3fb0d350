//! One line with one number for each resource: what the machine does, before what is wrong with it.

use heldup_model::{
    CpuState, DatabaseVitals, DiskVitals, EventShare, Examination, LoadVitals, NetworkVitals, Vitals,
};

use super::{profile, waits};
use crate::layout::{Ink, Page};
use crate::quantity::{bytes, count, fixed, percent, seconds};

/// A state of the CPUs from this share on is printed.
const LEAST_STATE: f64 = 0.005;
/// Traffic from this on is printed: bytes a second.
const LEAST_TRAFFIC: f64 = 1000.0;
/// Packets a second from which they are printed too: where each costs 5 µs, a quarter of a CPU.
const LEAST_PACKETS: f64 = 50_000.0;
/// Tasks in uninterruptible wait from this on are printed, and swap in use from this share on.
const LEAST_BLOCKED: f64 = 0.5;
const LEAST_SWAP: f64 = 0.1;
/// A resource's pressure from this share on is printed beside that of the CPUs.
const LEAST_PRESSURE: f64 = 0.005;

/// Writes the line; nothing where nothing was measured. An imported report of a database and a
/// profile have their own lines.
pub(crate) fn write(page: &mut Page, examination: &Examination) {
    lines(examination).into_iter().for_each(|line| page.paragraph(&[(Ink::Plain, line)], 0));
}

/// Its lines: parts are set apart by a no-break space and a blank.
pub(crate) fn lines(examination: &Examination) -> Vec<String> {
    let database = examination.vitals.database.as_ref().map(of_database);
    let profile = examination.vitals.profile.as_ref().map(|profile| joined(&profile::vitals(profile)));
    let waits = examination.vitals.waits.as_ref().map(|waits| joined(&waits::vitals(waits)));
    let others = [database, profile, waits].map(Option::unwrap_or_default);
    std::iter::once(joined(&parts(examination))).chain(others).filter(|line| !line.is_empty()).collect()
}

/// The first of these lines.
pub(crate) fn line(examination: &Examination) -> String {
    joined(&parts(examination))
}

/// A number stays with its name; a part of the line ends at two blanks.
fn joined(parts: &[String]) -> String {
    parts
        .iter()
        .filter(|part| !part.is_empty())
        .map(|part| unbroken(part))
        .collect::<Vec<_>>()
        .join("\u{a0} ")
}

fn unbroken(part: &str) -> String {
    part.replace(' ', "\u{a0}")
}

/// `DB time 4,210 s  DB CPU 812 s  AAS 11.7 on 8 CPUs  top: log file sync 12 %, latch free 3 %`
fn of_database(database: &DatabaseVitals) -> String {
    let mut parts: Vec<String> = database.instance.iter().cloned().collect();
    parts.extend(database.db_time_s.map(|spent| format!("DB time {}", seconds(spent))));
    parts.extend(database.db_cpu_s.map(|spent| format!("DB CPU {}", seconds(spent))));
    if let Some(sessions) = database.average_active_sessions {
        let cpus = database.cpus.map(|cpus| match cpus as i64 {
            1 => " on 1 CPU".to_owned(),
            cpus => format!(" on {} CPUs", count(cpus)),
        });
        parts.push(format!("AAS {}{}", fixed(sessions, 1), cpus.unwrap_or_default()));
    }
    let event = |one: &EventShare| unbroken(&format!("{} {}", one.event, percent(one.share)));
    let top = database.events.iter().map(event).collect::<Vec<_>>().join(", ");
    match (parts.is_empty(), top.is_empty()) {
        (_, true) => joined(&parts),
        (true, false) => format!("top:\u{a0}{top}"),
        (false, false) => format!("{}\u{a0} top:\u{a0}{top}", joined(&parts)),
    }
}

fn parts(examination: &Examination) -> Vec<String> {
    let vitals = &examination.vitals;
    let mut parts = Vec::new();
    if let Some(busy) = vitals.cpu_busy {
        let states = states(examination);
        match is_listed(examination) {
            true => {
                parts.extend([format!("CPU {} by the listing", whole(busy)), states.trim_start().to_owned()])
            }
            false => parts.push(format!("CPU {}{states}", whole(busy))),
        }
    }
    if let Some(queue) = vitals.queue {
        parts.push(format!("queue {}", fixed(queue, 1)));
    }
    if let Some(runnable) = vitals.runnable {
        parts.push(format!("runnable {}", short(runnable)));
    }
    parts.extend(vitals.load.as_ref().map(load));
    if let Some(blocked) = vitals.blocked.filter(|blocked| *blocked >= LEAST_BLOCKED) {
        parts.push(format!("blocked {}", short(blocked)));
    }
    parts.extend(memory(vitals));
    if let Some(used) = vitals.swap_used.filter(|used| *used >= LEAST_SWAP) {
        parts.push(format!("swap {}", whole(used)));
    }
    parts.extend(vitals.disk.as_ref().and_then(disk));
    parts.extend(vitals.network.as_ref().and_then(network));
    parts.extend(pressure(vitals));
    parts
}

/// `load 7.2 2.8 1.9`; of several samples `load 3.8 (at most 9.1)`.
fn load(load: &LoadVitals) -> String {
    let others = match load.most {
        Some(most) => format!(" (at most {})", short(most)),
        None => {
            [load.five, load.fifteen].into_iter().flatten().map(|one| format!(" {}", short(one))).collect()
        }
    };
    format!("load {}{others}", short(load.one))
}

/// `mem 85 % (java 12.1 GB)`
fn memory(vitals: &Vitals) -> Option<String> {
    let largest = vitals.largest.as_ref().map(|one| format!("{} {}", one.name, bytes(one.resident_bytes)));
    match (vitals.memory_used, largest) {
        (Some(used), Some(largest)) => Some(format!("mem {} ({largest})", whole(used))),
        (Some(used), None) => Some(format!("mem {}", whole(used))),
        (None, largest) => largest.map(|largest| format!("mem {largest}")),
    }
}

/// Whether use of the CPUs is what one listing prints in percent.
fn is_listed(examination: &Examination) -> bool {
    examination.cpu_use.as_ref().is_some_and(|cpu_use| cpu_use.is_listed && !cpu_use.states.is_empty())
}

/// ` (user 43 nice 19 kernel 33)`: of a recording, whose CPU time nothing else below divides.
fn states(examination: &Examination) -> String {
    let Some(cpu_use) = &examination.cpu_use else { return String::new() };
    let is_shown = |state: &&CpuState| state.share >= LEAST_STATE && state.state != "idle";
    let shown: Vec<String> = cpu_use
        .states
        .iter()
        .filter(is_shown)
        .map(|state| format!("{} {}", state.state, count((state.share * 100.0).round() as i64)))
        .collect();
    if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(" ")) }
}

/// A share in whole hundredths: this line is for a glance.
fn whole(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, 0))
}

/// A mean number of tasks or milliseconds: whole where it is large.
fn short(number: f64) -> String {
    fixed(number, usize::from(number < 10.0))
}

fn disk(disk: &DiskVitals) -> Option<String> {
    let latency = disk.latency_s.map(|latency| format!(" {} ms", short(1e3 * latency)));
    let depth = disk.depth.map(|depth| format!(" depth {}", short(depth)));
    (latency.is_some() || depth.is_some())
        .then(|| format!("{}{}{}", disk.device, latency.unwrap_or_default(), depth.unwrap_or_default()))
}

/// `eth0 12 MB/s`; of many packets `eth0 12 MB/s 120,000 packets/s`, which may be the limit long before bytes are.
fn network(network: &NetworkVitals) -> Option<String> {
    let traffic = network.bytes_per_s >= LEAST_TRAFFIC;
    let traffic = traffic.then(|| format!(" {}/s", bytes(network.bytes_per_s)));
    let packets = network.packets_per_s.filter(|packets| *packets >= LEAST_PACKETS);
    let packets = packets.map(|packets| format!(" {} packets/s", count(packets.round() as i64)));
    (traffic.is_some() || packets.is_some()).then(|| {
        format!("{}{}{}", network.interface, traffic.unwrap_or_default(), packets.unwrap_or_default())
    })
}

/// `PSI cpu 57 % io 3 %`
fn pressure(vitals: &Vitals) -> Option<String> {
    let of = &vitals.pressure;
    let others = [("io", of.io), ("mem", of.memory)];
    let shown: Vec<String> = std::iter::once(("cpu", of.cpu))
        .chain(others.into_iter().filter(|(_, share)| share.is_some_and(|share| share >= LEAST_PRESSURE)))
        .filter_map(|(name, share)| Some(format!("{name} {}", whole(share?))))
        .collect();
    (!shown.is_empty()).then(|| format!("PSI {}", shown.join(" ")))
}

#[cfg(test)]
mod tests {
    use heldup_model::{DatabaseVitals, EventShare, NetworkVitals};

    use super::{network, of_database};

    #[test]
    fn packets_stand_beside_bytes_where_they_are_many() {
        let of = |bytes_per_s, packets_per_s| NetworkVitals {
            interface: "em1".to_owned(),
            bytes_per_s,
            packets_per_s,
        };
        let line = |vitals: &NetworkVitals| network(vitals).map(|line| line.replace('\u{a0}', " "));
        assert_eq!(line(&of(0.0, Some(84_209.4))).as_deref(), Some("em1 84,209 packets/s"));
        assert_eq!(line(&of(0.0, Some(40.0))), None);
        assert_eq!(line(&of(12e6, Some(9000.0))).as_deref(), Some("em1 12 MB/s"));
    }

    #[test]
    fn a_database_has_its_time_its_sessions_and_its_top_events() {
        let share = |event: &str, share: f64| EventShare { event: event.to_owned(), share };
        let whole = DatabaseVitals {
            instance: None,
            db_time_s: Some(4210.0),
            db_cpu_s: Some(812.0),
            average_active_sessions: Some(11.7),
            cpus: Some(8.0),
            events: vec![share("enq: TX - row lock contention", 0.58), share("log file sync", 0.12)],
        };
        let line = |database: &DatabaseVitals| of_database(database).replace('\u{a0}', " ");
        assert_eq!(
            line(&whole),
            "DB time 4,210 s  DB CPU 812 s  AAS 11.7 on 8 CPUs  top: enq: TX - row lock contention 58 %, log file sync 12 %"
        );
        let old = DatabaseVitals { db_cpu_s: Some(3172.0), ..DatabaseVitals::default() };
        assert_eq!(line(&old), "DB CPU 3,172 s");
        let other = DatabaseVitals { events: whole.events, ..DatabaseVitals::default() };
        assert_eq!(line(&other), "top: enq: TX - row lock contention 58 %, log file sync 12 %");
    }
}
