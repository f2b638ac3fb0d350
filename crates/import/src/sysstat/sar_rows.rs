//! Rows of sysstat's sections on their way into tables, in whatever form they stand in the file: the
//! text of `sar`, what `sadf` makes of it, or the counters of a binary file.
//!
//! The meaning of headings is in [`crate::sar_fields`]; here it is said once how a row of each kind of
//! section is written. Knows nothing of times and of how a file is laid out.

use heldup_model::tables::{IrqCpuRow, IrqRow, LimitsRow, MemoryRow, NetProtoRow, SystemRow};
use heldup_model::{Record, TableDef};

use crate::document::Document;
use crate::sysstat::sar_fields::{Rows, SECTIONS, Section};
use crate::sysstat::sar_memory::MemorySize;
use crate::table::columns::{Around, Layout};
use crate::table::sheets::{Key, When};
use crate::text::number::Cell;

/// The headings of one section, resolved.
#[derive(Clone)]
pub struct Listing {
    /// As they stand in the file.
    pub headings: Vec<String>,
    /// The section; none where it is not read.
    pub section: Option<&'static Section>,
    /// What goes where.
    pub layout: Layout,
    /// Where the name of the thing stands.
    pub name_at: Option<usize>,
    /// Headings of interrupts on one CPU, and its number.
    cpus: Vec<(usize, i64)>,
    /// Headings that counters of protocols, limits and interrupts stand under.
    counters: Vec<(usize, &'static str)>,
    /// Where the sum over all CPUs stands.
    all_at: Option<usize>,
    /// What the size of memory follows from.
    memory: Option<MemorySize>,
    /// The row's numbers have a unit and few digits.
    pub is_rounded: bool,
}

const KIB: f64 = 1024.0;

impl Listing {
    /// Of headings that tell their section. What no column takes is said of the format.
    pub fn of(words: &[&str], format: &'static str, document: &mut Document) -> Listing {
        let found = section(words);
        if found.is_none() {
            let first: Vec<&str> = words.iter().take(3).copied().collect();
            let more = if words.len() > 3 { " …" } else { "" };
            document.leave_out(format, &[format!("the section \"{}{more}\"", first.join(" "))]);
        }
        Listing::in_section(found, words, format, document)
    }

    /// Of headings whose section is known by other means.
    pub fn in_section(
        section: Option<&'static Section>,
        words: &[&str],
        format: &'static str,
        document: &mut Document,
    ) -> Listing {
        let layout = Layout::of(words, section.map_or(&[], |section| section.fields));
        let mut listing = Listing {
            headings: words.iter().map(|word| (*word).to_owned()).collect(),
            section,
            layout,
            name_at: None,
            cpus: Vec::new(),
            counters: Vec::new(),
            all_at: None,
            memory: MemorySize::of(words),
            is_rounded: false,
        };
        if let Some(section) = section {
            listing.find_places(section.rows, words);
            let is_kept = |word: &&String| !is_own(section, word);
            let unkept: Vec<String> = listing.layout.unkept.iter().filter(is_kept).cloned().collect();
            document.leave_out(format, &unkept);
        }
        listing
    }

    fn find_places(&mut self, rows: Rows, words: &[&str]) {
        let place = |names: &[&str]| words.iter().position(|word| names.contains(word));
        match rows {
            Rows::InterruptsOfCpu => self.name_at = place(&["CPU"]),
            Rows::Cpu => {
                self.name_at = place(&["CPU"]);
                self.all_at = place(&["intr/s"]);
            }
            Rows::Named(names) => self.name_at = place(names),
            Rows::Interrupt => {
                self.name_at = place(&["INTR"]);
                self.all_at = place(&["intr/s", "all"]);
                let numbered =
                    words.iter().enumerate().filter_map(|(at, word)| Some((at, cpu_number(word)?)));
                self.cpus = numbered.collect();
            }
            Rows::Protocol(names) | Rows::Limit(names) => {
                let known = names.iter().filter_map(|(heading, name)| Some((place(&[heading])?, *name)));
                self.counters = known.collect();
            }
            Rows::Machine | Rows::Pressure(_) => {}
        }
    }

    /// Whether a row says anything without an interval.
    pub fn has_levels(&self) -> bool {
        let is_limit = self.section.is_some_and(|section| matches!(section.rows, Rows::Limit(_)));
        is_limit || self.layout.has_levels()
    }

    /// Writes a row about the thing of this name.
    pub fn write(&self, cells: &[Cell], name: &str, when: When, document: &mut Document) {
        let Some(section) = self.section else { return };
        let cpus = document.cpus().unwrap_or(1) as f64;
        let around = |key| Around { when, key, cpus };
        match section.rows {
            Rows::Machine => {
                self.layout.write(cells, around(Key::Host), &mut document.sheets);
                self.write_memory_size(cells, when, document);
            }
            Rows::Cpu => {
                // sadf calls all of them together -1.
                let number = name.parse().ok().filter(|number: &i64| *number >= 0);
                let key = number.map_or(Key::All, Key::Number);
                self.layout.write(cells, around(key), &mut document.sheets);
                // mpstat: of a CPU no table has the sum of its interrupts.
                if let Some(count) = self.increase(self.all_at, cells, when).filter(|_| key == Key::All) {
                    put(document, SystemRow::DEF, when, Key::Host, "interrupts", count);
                }
            }
            Rows::Named(_) => self.layout.write(cells, around(Key::Name(name)), &mut document.sheets),
            Rows::Pressure(resource) => {
                let around = Around { when, key: Key::Name(resource), cpus: 1.0 };
                self.layout.write(cells, around, &mut document.sheets);
            }
            Rows::Interrupt => self.write_interrupt(cells, name, when, document),
            Rows::InterruptsOfCpu => self.write_interrupts_of(cells, name, when, document),
            Rows::Protocol(_) => {
                for (at, counter) in &self.counters {
                    let Some(count) = self.increase(Some(*at), cells, when) else { continue };
                    put(document, NetProtoRow::DEF, when, Key::Name(counter), "value", count);
                }
            }
            Rows::Limit(_) => {
                for (at, limit) in &self.counters {
                    let Some(used) = cells.get(*at).and_then(|cell| cell.value()) else { continue };
                    put(document, LimitsRow::DEF, when, Key::Name(limit), "used", used);
                }
            }
        }
    }

    fn write_memory_size(&self, cells: &[Cell], when: When, document: &mut Document) {
        let memory = self.memory.filter(|_| !self.is_rounded);
        let Some((size, is_exact)) = memory.and_then(|memory| memory.kilobytes(cells)) else { return };
        if !is_exact {
            document.note("memory size computed from kbmemused and %memused (within 0.1 %)");
        }
        put(document, MemoryRow::DEF, when, Key::Host, "total_bytes", size * KIB);
    }

    fn write_interrupt(&self, cells: &[Cell], name: &str, when: When, document: &mut Document) {
        if let Some(count) = self.increase(self.all_at, cells, when) {
            if name == "sum" {
                put(document, SystemRow::DEF, when, Key::Host, "interrupts", count);
                return;
            }
            put(document, IrqRow::DEF, when, Key::Name(name), "interrupts", count);
        }
        for (at, cpu) in self.cpus.iter().filter(|_| name != "sum") {
            // The table has no row where a CPU served none.
            let Some(count) = self.increase(Some(*at), cells, when).filter(|count| *count > 0.0) else {
                continue;
            };
            put(document, IrqCpuRow::DEF, when, Key::NameOn(name, *cpu), "interrupts", count);
        }
    }

    /// What one CPU served, by interrupt; the table has no row where it served none.
    fn write_interrupts_of(&self, cells: &[Cell], cpu: &str, when: When, document: &mut Document) {
        let Ok(cpu) = cpu.parse::<i64>() else { return };
        for (at, heading) in self.headings.iter().enumerate() {
            let Some(line) = heading.strip_suffix("/s") else { continue };
            let Some(count) = self.increase(Some(at), cells, when).filter(|count| *count > 0.0) else {
                continue;
            };
            put(document, IrqCpuRow::DEF, when, Key::NameOn(line, cpu), "interrupts", count);
        }
    }

    /// The rate at a place, as an increase.
    fn increase(&self, at: Option<usize>, cells: &[Cell], when: When) -> Option<f64> {
        let rate = cells.get(at?)?.value()?;
        when.secs.map(|secs| rate * secs)
    }
}

/// What mpstat prints of each interrupt: its headings are the interrupts of the machine.
static INTERRUPTS_OF_CPU: Section = Section { told_by: &["CPU"], rows: Rows::InterruptsOfCpu, fields: &[] };

/// The section of a line of headings.
pub fn section(words: &[&str]) -> Option<&'static Section> {
    let of_all = || are_interrupts(words).then_some(&INTERRUPTS_OF_CPU);
    SECTIONS
        .iter()
        .find(|section| section.told_by.iter().all(|heading| words.contains(heading)))
        .or_else(of_all)
}

/// `CPU 24/s 25/s NMI/s LOC/s`: numbers, and what a kernel calls those without one.
fn are_interrupts(words: &[&str]) -> bool {
    let ["CPU", lines @ ..] = words else { return false };
    let is_one = |word: &&str| {
        let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        word.strip_suffix("/s").is_some_and(|line| !line.is_empty() && line.bytes().all(is_letter))
    };
    !lines.is_empty() && lines.iter().all(is_one)
}

/// `CPU0`, `cpu12`: the number.
fn cpu_number(word: &str) -> Option<i64> {
    word.strip_prefix("CPU").or_else(|| word.strip_prefix("cpu"))?.parse().ok()
}

fn put(document: &mut Document, def: &'static TableDef, when: When, key: Key<'_>, column: &str, value: f64) {
    let row = document.sheets.row(def, when, key);
    if let Some(column) = def.position(column) {
        document.sheets.set(row, column, value);
    }
}

/// Whether a section reads a heading otherwise than by its fields.
fn is_own(section: &Section, word: &str) -> bool {
    match section.rows {
        Rows::Cpu => matches!(word, "CPU" | "intr/s"),
        Rows::InterruptsOfCpu => true,
        Rows::Interrupt => matches!(word, "INTR" | "intr/s" | "all") || cpu_number(word).is_some(),
        Rows::Named(names) => names.contains(&word),
        Rows::Protocol(names) | Rows::Limit(names) => names.iter().any(|(heading, _)| *heading == word),
        Rows::Machine => matches!(word, "kbmemused" | "%memused"),
        Rows::Pressure(_) => false,
    }
}
