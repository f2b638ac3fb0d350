//! The counters of one activity in two records, and the rows of `sar` that they make.

use std::io::Read;

use heldup_model::Record;
use heldup_model::tables::{DiskRow, FilesystemRow};

use super::devices::device_name;
use super::header::{Announced, Order, View};
use super::layouts::{ACTIVITIES, Activity, Items, UNREAD};
use super::shows::{How, Show};
use super::structure::{Place, Structure};
use crate::document::Document;
use crate::error::ImportError;
use crate::sysstat::sar_fields::{Rows, Section};
use crate::sysstat::sar_rows::{Listing, section};
use crate::table::sheets::{Key, When};
use crate::text::bytes::Bytes;
use crate::text::number::Cell;

/// How long ago the record before was.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Seconds; none where it is the first, or of another start of the machine.
    pub secs: Option<f64>,
}

/// The ticks that a CPU's time is made of; guests are in `user` and `nice`.
const TICKS: [&str; 8] = ["user", "nice", "sys", "idle", "iowait", "steal", "hardirq", "softirq"];
const FORMAT: &str = super::NAME;

/// One activity.
pub struct Counters {
    /// As the file announced it.
    pub announced: Announced,
    known: Option<Known>,
    now: Block,
    before: Block,
}

/// What is known of an activity that is read.
struct Known {
    activity: &'static Activity,
    structure: Structure,
    listing: Listing,
    shows: Vec<Shown>,
}

/// A heading, resolved.
struct Shown {
    show: &'static Show,
    of: Place,
    without: Option<Place>,
}

/// Its items in one record.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    items: usize,
}

/// What a rate is against.
#[derive(Clone, Copy)]
enum Before<'b> {
    /// Nothing: there is no record before.
    Nothing,
    /// The thing was not there: its counters began from zero.
    Zero,
    /// The same thing in the record before.
    Item(&'b [u8]),
}

impl Counters {
    /// Of an activity that a file announces; what is not read of it is noted.
    pub fn of(announced: &Announced, order: Order, document: &mut Document) -> Counters {
        let activity = ACTIVITIES.iter().find(|activity| activity.id == announced.id);
        let known = activity.and_then(|activity| {
            let structure = Structure::of(activity.forms, announced, order);
            if structure.is_none() {
                let magic = announced.magic.unwrap_or(0);
                let what = format!("activity {} in unknown format {magic:#x}", announced.id);
                document.leave_out(FORMAT, &[what]);
            }
            Known::of(activity, structure?, document)
        });
        if activity.is_none() {
            let name = UNREAD.iter().find(|(id, _)| *id == announced.id).map(|(_, name)| (*name).to_owned());
            document.leave_out(FORMAT, &[name.unwrap_or_else(|| format!("activity {}", announced.id))]);
        }
        Counters { announced: announced.clone(), known, now: Block::default(), before: Block::default() }
    }

    /// Takes this record's items; false where the file ends within them.
    pub fn take<R: Read>(
        &mut self,
        items: u32,
        length: u64,
        bytes: &mut Bytes<R>,
    ) -> Result<bool, ImportError> {
        self.now.items = items as usize;
        if self.known.is_none() {
            return bytes.pass(length);
        }
        bytes.take(length as usize, &mut self.now.bytes)?;
        Ok(self.now.bytes.len() as u64 == length)
    }

    /// What is now is what was before.
    pub fn age(&mut self) {
        std::mem::swap(&mut self.now, &mut self.before);
    }

    /// Writes the rows of this record.
    pub fn write(&mut self, when: When, order: Order, is_first: bool, document: &mut Document) {
        let Some(known) = &mut self.known else { return };
        if is_first && !known.listing.has_levels() {
            return;
        }
        let pair = Pair {
            now: &self.now,
            before: (!is_first).then_some(&self.before),
            order,
            size: self.announced.size,
        };
        let row = RowOf { known, pair, when };
        match row.known.activity.items {
            Items::Machine => {
                for at in 0..self.now.items.min(1) {
                    row.write(at, "", pair.at_same_place(at), None, document);
                }
            }
            Items::Cpus if self.announced.id == 1 => row.write_cpu_times(document),
            Items::Cpus => {
                for at in 0..self.now.items {
                    row.write(at, &cpu_name(at), pair.at_same_place(at), None, document);
                }
            }
            Items::Devices => row.write_devices(document),
            Items::Named(part) => row.write_named(part, document),
            Items::Mounts => row.write_mounts(document),
            Items::Interrupts => self.write_interrupts(when, order, is_first, document),
        }
        if self.announced.id == 1 {
            self.keep_offline(order);
        }
    }

    /// A CPU that is offline has no ticks: what it had is kept for when it comes back.
    fn keep_offline(&mut self, order: Order) {
        let Some(known) = &self.known else { return };
        let size = self.announced.size;
        for at in 0..self.now.items.min(self.before.items) {
            let range = at * size..(at + 1) * size;
            let Some(bytes) = self.now.bytes.get_mut(range.clone()) else { continue };
            if ticks(&known.structure, View { bytes, order }) == 0
                && let Some(kept) = self.before.bytes.get(range)
            {
                bytes.copy_from_slice(kept);
            }
        }
    }

    /// Interrupts stand CPU by CPU, or only all of them together.
    fn write_interrupts(&mut self, when: When, order: Order, is_first: bool, document: &mut Document) {
        let Some(known) = &mut self.known else { return };
        let Some(count) = known.structure.place("count").filter(|_| !is_first) else { return };
        let name = known.structure.place("name");
        let (size, parts) = (self.announced.size, self.announced.parts as usize);
        // By name they stand below CPUs, without one they are the items themselves.
        let (rows, cpus) = if name.is_some() { (parts, self.now.items) } else { (self.now.items * parts, 1) };
        known.head_interrupts(cpus, document);
        let count_at = |block: &Block, cpu: usize, row: usize| {
            let bytes = item(&block.bytes, cpu * rows + row, size)?;
            count.number(View { bytes, order })
        };
        for row in 0..rows {
            let mut cells = vec![Cell::Words];
            let mut told = String::new();
            for cpu in 0..cpus {
                let Some(now) = count_at(&self.now, cpu, row) else { break };
                if cpu == 0 {
                    told = match (name, item(&self.now.bytes, row, size)) {
                        (Some(name), Some(bytes)) => View { bytes, order }.text(name.at, name.width),
                        _ if row == 0 => "sum".to_owned(),
                        _ => (row - 1).to_string(),
                    };
                }
                let before = count_at(&self.before, cpu, row).unwrap_or(0);
                let rate =
                    count.increase(before, now).zip(when.secs).map(|(count, secs)| count as f64 / secs);
                cells.push(rate.map_or(Cell::Absent, Cell::Value));
            }
            if !told.is_empty() {
                known.listing.write(&cells, &told, when, document);
            }
        }
    }
}

/// One item among others of its size.
fn item(bytes: &[u8], at: usize, size: usize) -> Option<&[u8]> {
    bytes.get(at.checked_mul(size)?..)?.get(..size)
}

/// `all`, then the number.
fn cpu_name(at: usize) -> String {
    if at == 0 { "all".to_owned() } else { (at - 1).to_string() }
}

/// The sum of a CPU's ticks.
fn ticks(structure: &Structure, view: View<'_>) -> u64 {
    let places = TICKS.iter().filter_map(|name| structure.place(name));
    places.filter_map(|place| place.number(view)).fold(0, u64::saturating_add)
}

impl Known {
    fn of(activity: &'static Activity, structure: Structure, document: &mut Document) -> Option<Known> {
        let section = section(activity.told_by)?;
        let shows: Vec<Shown> = activity
            .shows
            .iter()
            .filter_map(|show| {
                let without = structure.place(show.without);
                Some(Shown { show, of: structure.place(show.of)?, without })
            })
            .collect();
        let mut headings: Vec<&str> = name_heading(section).into_iter().collect();
        headings.extend(shows.iter().map(|shown| shown.show.heading));
        let listing = Listing::in_section(Some(section), &headings, FORMAT, document);
        Some(Known { activity, structure, listing, shows })
    }

    /// The headings above interrupts, which are as many as there are CPUs.
    fn head_interrupts(&mut self, cpus: usize, document: &mut Document) {
        if self.listing.headings.len() == cpus + 1 {
            return;
        }
        let mut headings = vec!["INTR".to_owned(), "all".to_owned()];
        headings.extend((1..cpus).map(|at| format!("CPU{}", at - 1)));
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        self.listing = Listing::in_section(self.listing.section, &headings, FORMAT, document);
    }
}

/// What stands above the names of a section's things.
fn name_heading(section: &Section) -> Option<&'static str> {
    match section.rows {
        Rows::Cpu | Rows::InterruptsOfCpu => Some("CPU"),
        Rows::Named(names) => names.first().copied(),
        Rows::Interrupt => Some("INTR"),
        Rows::Machine | Rows::Protocol(_) | Rows::Pressure(_) | Rows::Limit(_) => None,
    }
}

/// Two records of one activity.
#[derive(Clone, Copy)]
struct Pair<'b> {
    now: &'b Block,
    before: Option<&'b Block>,
    order: Order,
    size: usize,
}

impl<'b> Pair<'b> {
    fn item(&self, block: &'b Block, at: usize) -> Option<&'b [u8]> {
        block.bytes.get(at * self.size..(at + 1) * self.size)
    }

    fn now(&self, at: usize) -> Option<View<'b>> {
        self.item(self.now, at).map(|bytes| View { bytes, order: self.order })
    }

    /// Things that keep their place.
    fn at_same_place(&self, at: usize) -> Before<'b> {
        let there = self.before.filter(|before| at < before.items).and_then(|before| self.item(before, at));
        there.map_or(Before::Nothing, Before::Item)
    }

    /// Things that are recognised by something in them, and mostly keep their place.
    fn of_same<K: PartialEq>(&self, at: usize, key: impl Fn(View<'_>) -> K) -> Before<'b> {
        let (Some(before), Some(now)) = (self.before, self.now(at)) else { return Before::Nothing };
        let wanted = key(now);
        let is_it = |bytes: &&'b [u8]| key(View { bytes, order: self.order }) == wanted;
        let there = self.item(before, at).filter(|_| at < before.items).filter(is_it);
        let there = there.or_else(|| (0..before.items).filter_map(|at| self.item(before, at)).find(is_it));
        there.map_or(Before::Zero, Before::Item)
    }
}

/// What is needed to write a row.
struct RowOf<'b> {
    known: &'b Known,
    pair: Pair<'b>,
    when: When,
}

impl RowOf<'_> {
    /// One item.
    fn write(&self, at: usize, name: &str, before: Before<'_>, ticks: Option<u64>, document: &mut Document) {
        let Some(now) = self.pair.now(at) else { return };
        let has_name = self.known.listing.name_at.is_some();
        let mut cells: Vec<Cell> = if has_name { vec![Cell::Words] } else { Vec::new() };
        cells.extend(self.known.shows.iter().map(|shown| {
            let value = self.value(shown, now, before, ticks);
            value.map_or(Cell::Absent, Cell::Value)
        }));
        self.known.listing.write(&cells, name, self.when, document);
    }

    fn value(&self, shown: &Shown, now: View<'_>, before: Before<'_>, ticks: Option<u64>) -> Option<f64> {
        let of = shown.of.number(now)?;
        let less = |view: View<'_>| shown.without.and_then(|place| place.number(view)).unwrap_or(0);
        let earlier = |place: Place| match before {
            Before::Nothing => None,
            Before::Zero => Some(0),
            Before::Item(bytes) => place.number(View { bytes, order: self.pair.order }),
        };
        match shown.show.how {
            // Some file systems say that more is free than there is.
            How::Level => of.checked_sub(less(now)).map(|left| left as f64 * shown.show.factor),
            How::Rate => {
                let increase = shown.of.increase(earlier(shown.of)?, of)?;
                Some(increase as f64 / self.when.secs? * shown.show.factor)
            }
            How::Share => {
                let Before::Item(bytes) = before else { return None };
                let then = View { bytes, order: self.pair.order };
                let was = shown.of.number(then)?.saturating_sub(less(then));
                let increase = of.saturating_sub(less(now)).saturating_sub(was);
                match ticks? {
                    // A CPU that slept all the time may count nothing.
                    0 => Some(if shown.show.heading == "%idle" { 100.0 } else { 0.0 }),
                    ticks => Some(increase as f64 / ticks as f64 * 100.0),
                }
            }
        }
    }

    /// Shares of each CPU's own ticks; one that is or was offline has none.
    fn write_cpu_times(&self, document: &mut Document) {
        for at in 0..self.pair.now.items {
            let (Some(now), Before::Item(bytes)) = (self.pair.now(at), self.pair.at_same_place(at)) else {
                continue;
            };
            let then = View { bytes, order: self.pair.order };
            let (sum, was) = (ticks(&self.known.structure, now), ticks(&self.known.structure, then));
            if sum == 0 || was == 0 {
                continue;
            }
            let passed = sum.saturating_sub(was) + self.fallen_guests(now, then);
            self.write(at, &cpu_name(at), Before::Item(bytes), Some(passed), document);
        }
    }

    /// Guests are counted a little later than the time that they are part of: what is left without them
    /// may fall, and is then not part of the whole.
    fn fallen_guests(&self, now: View<'_>, then: View<'_>) -> u64 {
        let rest = |view: View<'_>, of: &str, without: &str| {
            let number = |name: &str| self.known.structure.place(name).and_then(|place| place.number(view));
            number(of).unwrap_or(0).saturating_sub(number(without).unwrap_or(0))
        };
        let fallen = |of, without| rest(then, of, without).saturating_sub(rest(now, of, without));
        fallen("user", "guest") + fallen("nice", "guest_nice")
    }

    fn write_devices(&self, document: &mut Document) {
        let place = |name| self.known.structure.place(name);
        let (Some(major), Some(minor)) = (place("major"), place("minor")) else { return };
        let numbers = |view: View<'_>| (major.number(view), minor.number(view));
        for at in 0..self.pair.now.items {
            let Some((Some(major), Some(minor))) = self.pair.now(at).map(numbers) else { continue };
            // Slots that are not in use.
            if major == 0 && minor == 0 {
                continue;
            }
            let name = device_name(major, minor);
            self.write(at, &name, self.pair.of_same(at, numbers), None, document);
            let row = document.sheets.row(DiskRow::DEF, self.when, Key::Name(&name));
            document.sheets.set_text(row, DiskRow::DEF.position("dev_id"), &format!("{major}:{minor}"));
        }
    }

    fn write_named(&self, part: &str, document: &mut Document) {
        let Some(place) = self.known.structure.place(part) else { return };
        let name = |view: View<'_>| view.text(place.at, place.width);
        for at in 0..self.pair.now.items {
            let Some(told) = self.pair.now(at).map(name).filter(|name| !name.is_empty()) else { continue };
            self.write(at, &told, self.pair.of_same(at, name), None, document);
        }
    }

    fn write_mounts(&self, document: &mut Document) {
        let text = |view: View<'_>, part| {
            let place: Option<Place> = self.known.structure.place(part);
            place.map(|place| view.text(place.at, place.width)).unwrap_or_default()
        };
        for at in 0..self.pair.now.items {
            let Some(now) = self.pair.now(at) else { continue };
            let (device, mount) = (text(now, "device"), text(now, "mount"));
            if device.is_empty() {
                continue;
            }
            // Before 11.1.4 nobody wrote down where it was mounted.
            let name = if mount.is_empty() { &device } else { &mount };
            self.write(at, name, Before::Nothing, None, document);
            let row = document.sheets.row(FilesystemRow::DEF, self.when, Key::Name(name));
            document.sheets.set_text(row, FilesystemRow::DEF.position("device"), &device);
        }
    }
}
