//! Headings of `nmon`, resolved, and its rows on their way into tables. Knows nothing of when a snapshot was.

use std::collections::{BTreeMap, HashMap};

use heldup_model::Record;
use heldup_model::tables::{NetIfRow, ProcessRow};

use super::sections::{CPU_FIELDS, DISK, DISKS, INTERFACES, MACHINE, NET, TOP, TOP_OF_AIX, TOP_OF_LINUX};
use super::{NAME, Row};
use crate::document::Document;
use crate::table::columns::{Amount, Around, Field, Layout};
use crate::table::sheets::{Key, When};
use crate::text::number::{Cell, cell};

/// The sections of one run.
#[derive(Default)]
pub struct Rows {
    sections: HashMap<String, Section>,
    /// Milliseconds of a request at each disk, before it, and requests a second, by snapshot. Rows may come of
    /// them, in their order, which is the same each time.
    requests: BTreeMap<u64, BTreeMap<String, [Option<f64>; 3]>>,
    /// Largest packet and speed of interfaces.
    interfaces: HashMap<String, (f64, Option<f64>)>,
    /// Command lines of processes.
    commands: HashMap<i64, String>,
}

/// The headings of a section.
enum Section {
    /// Of the machine.
    Machine(Layout),
    /// Of one CPU, or of all.
    Cpu { key: Key<'static>, layout: Layout, cpus_at: Option<usize> },
    /// A value for each device; which of the three values of a request it is.
    Disks { devices: Vec<String>, column: usize, amount: Amount, request: Option<usize> },
    /// A value for each interface and direction.
    Interfaces(Vec<(String, usize, f64)>),
    /// A row for each process.
    Processes { headings: Vec<String>, layout: Layout, command_at: Option<usize> },
    /// Command lines.
    Arguments { pid_at: usize, command_at: usize },
    /// No column takes it.
    Unread,
}

impl Rows {
    /// Takes the headings of a section: `CPU_ALL,CPU Total host,User%,…`.
    pub fn take_headings(&mut self, row: &Row<'_>, document: &mut Document) {
        // Old versions have two commas between the names of interfaces.
        let named: Vec<&str> = row.fields.iter().skip(1).copied().filter(|word| !word.is_empty()).collect();
        let known = match row.tag {
            "TOP" => processes(&row.fields),
            "UARG" => arguments(&row.fields),
            tag => section(tag, &named),
        };
        let Some(found) = known else {
            // "TOP,%CPU Utilisation" is a title.
            if row.tag != "TOP" {
                document.leave_out(NAME, &[format!("the section {}", row.tag)]);
                self.sections.insert(row.tag.to_owned(), Section::Unread);
            }
            return;
        };
        if let Section::Machine(layout) | Section::Cpu { layout, .. } | Section::Processes { layout, .. } =
            &found
        {
            document.leave_out(NAME, &layout.unkept);
        }
        self.sections.insert(row.tag.to_owned(), found);
    }

    /// `BBBN,001,en0,1500,1024,…`: an interface. The rest is what commands said of the machine.
    pub fn take_configuration(&mut self, row: &Row<'_>, document: &mut Document) {
        match (row.tag, row.fields.as_slice()) {
            ("BBBN", [_, name, mtu, megabits, ..]) => {
                let (Ok(mtu), Ok(megabits)) = (mtu.parse::<f64>(), megabits.parse::<f64>()) else { return };
                // 10240 stands for all that is faster too, 0 for what has no speed.
                let speed = (megabits > 0.0 && megabits < 10_240.0).then_some(megabits * 1e6);
                self.interfaces.insert((*name).to_owned(), (mtu, speed));
            }
            ("BBBP", [.., text]) => {
                if let Some((_, name)) = text.split_once("PRETTY_NAME=") {
                    // nmon writes Q for a quotation mark within its own.
                    let name = name.trim_matches(['"', '\'', ' ']);
                    let name = name.strip_prefix('Q').and_then(|name| name.strip_suffix('Q')).unwrap_or(name);
                    document.facts.row.os = Some(name.into()).filter(|_| !name.is_empty());
                }
            }
            _ => {}
        }
    }

    /// Takes the values of a snapshot.
    pub fn take(
        &mut self,
        row: &Row<'_>,
        number: u64,
        when: When,
        line: u64,
        is_cut: bool,
        document: &mut Document,
    ) {
        let Some(section) = self.sections.get(row.tag) else {
            document.flaw(line, format!("nmon: a row of {}; expected its headings before it", row.tag));
            return;
        };
        let values = row.fields.get(1..).unwrap_or_default();
        // Some versions end rows with a comma.
        let values = match values {
            [rest @ .., ""] if rest.len() == section.width() => rest,
            values => values,
        };
        let has_room =
            matches!(section, Section::Processes { .. } | Section::Arguments { .. } | Section::Unread);
        if !has_room && (values.len() != section.width() || is_cut && values.is_empty()) {
            let (count, width) = (values.len(), section.width());
            document.flaw(line, format!("nmon: {} has {count} values; expected {width}", row.tag));
            return;
        }
        match section {
            Section::Machine(layout) => {
                let around = Around { when, key: Key::Host, cpus: 1.0 };
                layout.write(&cells(values), around, &mut document.sheets);
            }
            Section::Cpu { key, layout, cpus_at } => {
                let cells = cells(values);
                let told = cpus_at.and_then(|at| cells.get(at)).and_then(|cell| cell.value());
                if let Some(cpus) = told.filter(|cpus| *cpus >= 1.0) {
                    document.facts.row.cpus.get_or_insert(cpus as i64);
                }
                let cpus = told.or(document.cpus().map(|cpus| cpus as f64)).unwrap_or(1.0);
                layout.write(&cells, Around { when, key: *key, cpus }, &mut document.sheets);
            }
            Section::Disks { devices, column, amount, request } => {
                for (device, value) in devices.iter().zip(values) {
                    let Some(value) = amount_of(value) else { continue };
                    if let Some(at) = request {
                        let of_snapshot = self.requests.entry(number).or_default();
                        of_snapshot.entry(device.clone()).or_default()[*at] = Some(value);
                    }
                    let Some(increase) = increase(*amount, value, when) else { continue };
                    let at = document.sheets.row(DISK, when, Key::Name(device));
                    document.sheets.set(at, *column, increase);
                }
            }
            Section::Interfaces(places) => self.put_interfaces(places, values, when, document),
            Section::Processes { headings, layout, command_at } => {
                let Some(process) = Process::of(row, headings.len(), *command_at) else {
                    let (count, expected) = (row.fields.len(), headings.join(","));
                    document.flaw(line, format!("nmon: a process with {count} values; expected {expected}"));
                    return;
                };
                self.put_process(&process, layout, when, document);
            }
            Section::Arguments { pid_at, command_at } => {
                let pid = row.fields.get(*pid_at).and_then(|pid| pid.parse::<i64>().ok());
                let command = row.fields.get(*command_at..).map(|words| words.join(","));
                if let (Some(pid), Some(command)) = (pid, command.filter(|command| !command.is_empty())) {
                    let at = document.sheets.row(ProcessRow::DEF, when, Key::Number(pid));
                    document.sheets.set_text(at, ProcessRow::DEF.position("command"), &command);
                    self.commands.insert(pid, command);
                }
            }
            Section::Unread => {}
        }
    }

    fn put_interfaces(
        &self,
        places: &[(String, usize, f64)],
        values: &[&str],
        when: When,
        document: &mut Document,
    ) {
        for ((name, column, factor), value) in places.iter().zip(values) {
            let at = document.sheets.row(NET, when, Key::Name(name));
            if let Some((mtu, speed)) = self.interfaces.get(name) {
                let named = [("mtu_bytes", Some(*mtu)), ("speed_bits_per_s", *speed)];
                for (column, value) in named {
                    if let (Some(column), Some(value)) = (NetIfRow::DEF.position(column), value) {
                        document.sheets.set(at, column, value);
                    }
                }
            }
            let value = amount_of(value).and_then(|value| increase(Amount::Rate(*factor), value, when));
            if let Some(value) = value {
                document.sheets.set(at, *column, value);
            }
        }
    }

    fn put_process(&self, process: &Process, layout: &Layout, when: When, document: &mut Document) {
        let around = Around { when, key: Key::Number(process.pid), cpus: 1.0 };
        layout.write(&process.cells, around, &mut document.sheets);
        let at = document.sheets.row(ProcessRow::DEF, when, Key::Number(process.pid));
        document.sheets.set_text(at, ProcessRow::DEF.position("name"), &process.name);
        if let Some(command) = self.commands.get(&process.pid) {
            document.sheets.set_text(at, ProcessRow::DEF.position("command"), command);
        }
    }

    /// Nothing of a snapshot comes any more: what takes several of its sections is written.
    pub fn end_snapshot(&mut self, number: u64, when: When, document: &mut Document) {
        let (Some(devices), Some(secs)) = (self.requests.remove(&number), when.secs) else { return };
        let Some(column) = DISK.position("queue_s") else { return };
        for (device, told) in devices {
            if let [Some(served_ms), Some(waited_ms), Some(rate)] = told {
                let at = document.sheets.row(DISK, when, Key::Name(&device));
                document.sheets.set(at, column, (served_ms + waited_ms) / 1000.0 * rate * secs);
            }
        }
    }
}

impl Section {
    /// How many values a row has.
    fn width(&self) -> usize {
        match self {
            Section::Machine(layout) | Section::Cpu { layout, .. } => layout.width,
            Section::Disks { devices, .. } => devices.len(),
            Section::Interfaces(places) => places.len(),
            Section::Processes { headings, .. } => headings.len(),
            Section::Arguments { .. } | Section::Unread => 0,
        }
    }
}

/// The section of a tag, where a column takes any of it.
fn section(tag: &str, headings: &[&str]) -> Option<Section> {
    if let Some((_, fields)) = MACHINE.iter().find(|(name, _)| *name == tag) {
        return Some(Section::Machine(Layout::of(headings, fields)));
    }
    if let Some(cpu) = tag.strip_prefix("CPU") {
        // Counted from one, all of them as `CPU_ALL`.
        let key = match cpu.parse::<i64>() {
            Ok(number) => Key::Number(number - 1),
            Err(_) if cpu == "_ALL" => Key::All,
            Err(_) => return None,
        };
        let cpus_at = headings.iter().position(|word| matches!(*word, "CPUs" | "PhysicalCPUs"));
        let without: Vec<&str> =
            headings.iter().map(|word| if *word == "PhysicalCPUs" { "CPUs" } else { word }).collect();
        return Some(Section::Cpu { key, layout: Layout::of(&without, &CPU_FIELDS), cpus_at });
    }
    if matches!(tag, "NET" | "NETPACKET") {
        let places: Option<Vec<(String, usize, f64)>> = headings.iter().map(|word| interface(word)).collect();
        return places.map(Section::Interfaces);
    }
    // More disks than fit into a line have sections DISKBUSY1, DISKBUSY2 ….
    let base = tag.trim_end_matches(|sign: char| sign.is_ascii_digit());
    let (name, column, amount) = DISKS.iter().find(|(name, ..)| *name == base)?;
    Some(Section::Disks {
        devices: headings.iter().map(|word| (*word).to_owned()).collect(),
        column: DISK.position(column)?,
        amount: *amount,
        request: ["DISKSERV", "DISKWAIT", "DISKXFER"].iter().position(|wanted| wanted == name),
    })
}

/// `en0-read-KB/s`: name, column and factor.
fn interface(heading: &str) -> Option<(String, usize, f64)> {
    INTERFACES.iter().find_map(|(end, column, factor)| {
        let name = heading.strip_suffix(end)?.trim();
        Some((name.to_owned(), NET.position(column)?, *factor))
    })
}

/// `TOP,+PID,Time,%CPU,…`.
fn processes(fields: &[&str]) -> Option<Section> {
    fields.first().filter(|first| **first == "+PID")?;
    let fields: Vec<&str> = fields.iter().copied().filter(|word| !word.is_empty()).collect();
    let own: &[Field] = if fields.contains(&"ResSet") { &TOP_OF_LINUX } else { &TOP_OF_AIX };
    let meanings: Vec<Field> = TOP.iter().chain(own).copied().collect();
    Some(Section::Processes {
        headings: fields.iter().map(|word| (*word).to_owned()).collect(),
        layout: Layout::of(&fields, &meanings),
        command_at: fields.iter().position(|word| *word == "Command"),
    })
}

/// `UARG,+Time,PID,…,FullCommand`.
fn arguments(fields: &[&str]) -> Option<Section> {
    let pid_at = fields.iter().position(|word| *word == "PID")?;
    let command_at = fields.iter().position(|word| word.starts_with("Full"))?;
    Some(Section::Arguments { pid_at, command_at })
}

/// A row of `TOP`.
struct Process {
    pid: i64,
    name: String,
    cells: Vec<Cell>,
}

impl Process {
    /// A name may have commas in it, so that a row may have more values than headings.
    fn of(row: &Row<'_>, width: usize, command_at: Option<usize>) -> Option<Process> {
        let pid = row.fields.first()?.parse().ok()?;
        let mut fields = row.fields.clone();
        while fields.len() > width && fields.last() == Some(&"") {
            fields.pop();
        }
        let more = fields.len().checked_sub(width)?;
        let at = command_at?;
        let name = fields.get(at..=at + more)?.join(",");
        fields.drain(at..at + more);
        Some(Process { pid, name, cells: cells(&fields) })
    }
}

fn cells(values: &[&str]) -> Vec<Cell> {
    values.iter().map(|value| amount_of(value).map_or(Cell::Absent, Cell::Value)).collect()
}

/// A value; none where it is -1, by which nmon says that the system does not tell it.
fn amount_of(word: &str) -> Option<f64> {
    cell(word).value().filter(|value| *value >= 0.0)
}

/// A counter's increase.
fn increase(amount: Amount, value: f64, when: When) -> Option<f64> {
    let secs = when.secs?;
    match amount {
        Amount::Rate(factor) => Some(value * factor * secs),
        Amount::Share => Some(value / 100.0 * secs),
        _ => None,
    }
}
