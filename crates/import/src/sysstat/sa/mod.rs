//! Binary files of `sadc` (`/var/log/sa/sa21`, `/var/log/sysstat/sa20260121`), read as they are: of
//! sysstat 8.1.3 to 12.7, of either byte order, of machines of 32 and of 64 bits.
//!
//! A file is a head and records; a record has every activity's counters. What `sar` would print of two
//! records in a row is worked out and goes the way of its text, so that the same recording gives the
//! same rows in either form. In memory are two records.

mod devices;
mod header;
mod layouts;
mod rows;
mod shows;
mod structure;

use std::io::Read;

use crate::document::Document;
use crate::error::ImportError;
use crate::table::sheets::{LONGEST_INTERVAL_S, When};
use crate::text::bytes::Bytes;
use header::{Header, View};
use rows::{Counters, Pace};

/// Name of the format.
pub const NAME: &str = "sar's binary file";
/// What one activity of one record may take: 8,192 CPUs with 500 interrupts each, or damage.
const MOST_BLOCK_BYTES: u64 = 64 << 20;
const COMMENT_BYTES: u64 = 64;
/// Before this no machine had a clock that this format knows, and behind this none yet: 2001 to 2199.
const INSTANTS_S: std::ops::Range<u64> = 1_000_000_000..7_258_118_400;

const RESTART: u8 = 2;
const COMMENT: u8 = 4;
/// Records of versions to come, without counters.
const EXTRA: std::ops::RangeInclusive<u8> = 5..=15;

/// Whether a file begins like one.
pub fn is_one(beginning: &[u8]) -> bool {
    beginning.len() >= 4
        && matches!(
            beginning[..4],
            [0x96, 0xd5, 0x70..=0x75, 0x21 | 0x11] | [0xd5, 0x96, 0x21 | 0x11, 0x70..=0x75]
        )
}

/// Reads all of a file; how many records there were.
pub fn read<R: Read>(bytes: &mut Bytes<R>, document: &mut Document) -> Result<u64, ImportError> {
    document.begin(NAME);
    let header = match header::read(bytes)? {
        Ok(header) => header,
        Err(what) => {
            document.flaw_at_byte(bytes.offset(), format!("{NAME}: {what}"));
            return Ok(0);
        }
    };
    document.facts.banner = Some(header.banner.clone());
    document.note_text(format!("written by sysstat {}", header.version));
    let counters = header.activities.iter().map(|announced| Counters::of(announced, header.order, document));
    let counters = counters.collect();
    let mut records = Records { header, counters, before: None, count: 0 };
    while records.next(bytes, document)? {}
    Ok(records.count)
}

struct Records {
    header: Header,
    counters: Vec<Counters>,
    before: Option<Moment>,
    count: u64,
}

/// The head of a record.
#[derive(Clone, Copy)]
struct Moment {
    /// Hundredths of a second since boot.
    uptime_cs: u64,
    /// Seconds since 1970-01-01 UTC.
    instant_s: u64,
    kind: u8,
    has_extra: bool,
    /// Both of its times can be.
    is_timed: bool,
}

impl Records {
    /// Reads a record; false where the file is over, or damaged.
    fn next<R: Read>(&mut self, bytes: &mut Bytes<R>, document: &mut Document) -> Result<bool, ImportError> {
        let mut buffer = Vec::new();
        let offset = bytes.offset();
        bytes.take(self.header.record_bytes, &mut buffer)?;
        if buffer.is_empty() {
            return Ok(false);
        }
        if buffer.len() < self.header.record_bytes {
            return Ok(ends_within(bytes, document));
        }
        let Some(moment) = self.moment(&buffer) else {
            let what = "no head of a record; expected a kind of 1 to 15, a time of day and an instant; the rest is not read";
            document.flaw_at_byte(offset, format!("{NAME}: {what}"));
            return Ok(false);
        };
        if !moment.is_timed {
            let what = "a record of no time; expected a time of day and an instant from 2001 to 2199";
            document.flaw_at_byte(offset, format!("{NAME}: {what}"));
        }
        self.count += 1;
        let is_whole = match moment.kind {
            RESTART => self.restart(bytes, document)? && self.pass_extra(moment, bytes)?,
            COMMENT => bytes.pass(COMMENT_BYTES)? && self.pass_extra(moment, bytes)?,
            kind if EXTRA.contains(&kind) => self.pass_extra(moment, bytes)?,
            _ => self.pass_extra(moment, bytes)? && self.sample(moment, bytes, document)?,
        };
        if !is_whole {
            return Ok(ends_within(bytes, document));
        }
        Ok(true)
    }

    fn moment(&self, buffer: &[u8]) -> Option<Moment> {
        let view = View { bytes: buffer, order: self.header.order };
        let (uptime_at, instant_at, instant_bytes) =
            if self.header.is_early { (16, 32, self.header.order.long_bytes) } else { (0, 8, 8) };
        let at = self.header.kind_at;
        let [kind, hour, minute, second] = *buffer.get(at..at + 4)?.first_chunk()?;
        let instant_s = view.number(instant_at, instant_bytes)?;
        let is_of_day = hour < 24 && minute < 60 && second <= 60;
        let is_instant = INSTANTS_S.contains(&instant_s);
        // One of two times may be damaged; where neither can be, no record begins here.
        let is_sound = (1..=*EXTRA.end()).contains(&kind) && (is_of_day || is_instant);
        is_sound.then_some(Moment {
            uptime_cs: view.number(uptime_at, 8)?,
            instant_s,
            kind,
            has_extra: self.header.extra_at.and_then(|at| view.number(at, 4)).is_some_and(|next| next != 0),
            is_timed: is_of_day && is_instant,
        })
    }

    fn pass_extra<R: Read>(&self, moment: Moment, bytes: &mut Bytes<R>) -> Result<bool, ImportError> {
        if moment.has_extra { header::pass_extra(bytes, self.header.order) } else { Ok(true) }
    }

    /// The machine was started anew: its counters begin from nothing, and it may have other CPUs.
    fn restart<R: Read>(
        &mut self,
        bytes: &mut Bytes<R>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        self.before = None;
        document.note_text("the machine was rebooted during the recording".to_owned());
        let mut cpus = None;
        if self.header.is_early {
            for _ in 0..self.header.changing {
                let Some((id, items)) = header::read_changed(bytes, self.header.order)? else {
                    return Ok(false);
                };
                // A slot that is not in use has no number.
                if id == 0 || !(1..=header::MOST_ITEMS).contains(&items) {
                    continue;
                }
                if let Some(counters) = self.counters.iter_mut().find(|counters| counters.announced.id == id)
                {
                    counters.announced.items = items;
                }
                cpus = if id == 1 { header::cpus(items as usize) } else { cpus };
            }
        } else {
            let mut buffer = Vec::new();
            bytes.take(4, &mut buffer)?;
            let Some(count) = (View { bytes: &buffer, order: self.header.order }).number(0, 4) else {
                return Ok(false);
            };
            cpus = header::cpus(count as usize);
        }
        if let (Some(cpus), Some(banner)) = (cpus, document.facts.banner.as_mut()) {
            banner.cpus = Some(cpus);
        }
        Ok(true)
    }

    /// The counters of all activities; false where the file ends within them.
    fn sample<R: Read>(
        &mut self,
        moment: Moment,
        bytes: &mut Bytes<R>,
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let order = self.header.order;
        let mut buffer = Vec::new();
        for counters in &mut self.counters {
            let mut items = counters.announced.items;
            if counters.announced.is_counted {
                bytes.take(4, &mut buffer)?;
                let Some(count) = (View { bytes: &buffer, order }).number(0, 4) else { return Ok(false) };
                items = count as u32;
            }
            let parts = u64::from(counters.announced.parts);
            let length =
                u64::from(items).saturating_mul(parts).saturating_mul(counters.announced.size as u64);
            if length > MOST_BLOCK_BYTES {
                let what = format!(
                    "{NAME}: {length} bytes of activity {}; expected at most {MOST_BLOCK_BYTES}",
                    counters.announced.id
                );
                document.flaw_at_byte(bytes.offset(), what);
                return Ok(false);
            }
            if !counters.take(items, length, bytes)? {
                return Ok(false);
            }
        }
        if !moment.is_timed {
            self.before = None;
            return Ok(true);
        }
        let mut pace = self.pace(moment);
        if let Some(secs) = pace.secs.filter(|secs| *secs > LONGEST_INTERVAL_S) {
            let what = format!("{NAME}: a record {secs:.0} s after the one before; its rates are not used");
            document.flaw_at_byte(bytes.offset(), what);
            pace.secs = None;
        }
        let is_first = pace.secs.is_none();
        let when = When { ms: (moment.instant_s * 1000) as i64, secs: pace.secs, floats: false };
        for counters in &mut self.counters {
            counters.write(when, order, is_first, document);
            counters.age();
        }
        self.before = Some(moment);
        document.end_sample(NAME)?;
        Ok(true)
    }

    /// How long ago the record before was, if that can be told.
    fn pace(&self, moment: Moment) -> Pace {
        let Some(before) = self.before else { return Pace { secs: None } };
        let by_clock = moment.instant_s.checked_sub(before.instant_s).map(|secs| secs as f64);
        let by_ticks = moment.uptime_cs.checked_sub(before.uptime_cs).map(|ticks| ticks as f64 / 100.0);
        let secs = match (by_ticks, by_clock) {
            // Before 11.7 these were ticks of the kernel, 100 a second but on few machines, and nobody says
            // on which.
            (Some(ticks), Some(clock))
                if self.header.is_early && (ticks - clock).abs() > 2.0 + clock / 5.0 =>
            {
                Some(clock)
            }
            (ticks, _) => ticks,
        };
        Pace { secs: secs.filter(|secs| *secs > 0.0) }
    }
}

fn ends_within<R: Read>(bytes: &Bytes<R>, document: &mut Document) -> bool {
    document
        .flaw_at_byte(bytes.offset(), format!("{NAME}: the file ends within a record, or is damaged there"));
    false
}
