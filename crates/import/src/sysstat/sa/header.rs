//! The head of a binary file of sysstat: which version wrote it on what machine, and which activities
//! its records have.
//!
//! Five layouts have been in use since 8.1.3, told by the format's magic number; the last one (11.7)
//! describes itself. Every number of it is checked before anything is read by it, since each is a
//! size. Sources: `sa.h` and `sa_conv.h` of sysstat 9.1.5 to 12.7.8. The 9.0.4 of RHEL 6 has structures of its own
//! under both numbers of its format, 0x2170 and later 0x1170: worked out from its files and their `sadf -x`.

use std::io::Read;

use jiff::civil::Date;

use super::layouts::RED_HAT;
use crate::document::banner::Banner;
use crate::error::ImportError;
use crate::text::bytes::Bytes;

/// What stops the reading of a file, in words.
pub type Stopped = String;

/// How numbers stand in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Order {
    /// The first byte is the highest.
    pub is_big: bool,
    /// Bytes of a `long` that count, of the eight that it has.
    pub long_bytes: usize,
}

/// One activity as the file announces it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Announced {
    /// Its number.
    pub id: u32,
    /// The form of its structure; none before 9.1.6.
    pub magic: Option<u32>,
    /// Items of a record that does not say how many it has.
    pub items: u32,
    /// Parts of each item: interrupts of a CPU.
    pub parts: u32,
    /// Each record says how many items it has.
    pub is_counted: bool,
    /// Bytes of an item.
    pub size: usize,
    /// Numbers of 64 bits, `long` and of 32 bits that an item begins with; none before 11.7.
    pub types: Option<[usize; 3]>,
}

/// The head of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// How numbers stand in it.
    pub order: Order,
    /// Version of sysstat.
    pub version: String,
    /// Host, kernel, machine, day, CPUs.
    pub banner: Banner,
    /// Activities, in the order of each record.
    pub activities: Vec<Announced>,
    /// Bytes of a record's head.
    pub record_bytes: usize,
    /// Where the kind of a record stands in it, the hour and what follows behind it.
    pub kind_at: usize,
    /// Whether further structures follow the head of a record, and where that is said.
    pub extra_at: Option<usize>,
    /// The layout of before 11.7: times in ticks of 1/100 s, no counts in records.
    pub is_early: bool,
    /// How many activities a record of a restart tells anew (0x2173).
    pub changing: usize,
}

const MAGIC: u16 = 0xd596;
/// Names of the machine.
const NAME_BYTES: usize = 65;
/// What sysstat itself takes for damaged above this.
const MOST_HEADER: usize = 8192;
const MOST_ACTIVITIES: usize = 256;
const MOST_ANNOUNCED: usize = 1024;
const MOST_RECORD: usize = 512;
const MOST_ITEM: usize = 1024;
const MOST_PARTS: u32 = 4096;
/// More items no activity has.
pub const MOST_ITEMS: u32 = 1 << 28;
const MOST_EXTRA: u32 = 8192;
/// Bytes of an activity in a record of a restart.
const CHANGED_BYTES: usize = 20;
const A_IO: u32 = 6;
const A_DISK: u32 = 11;
/// Five sums of 64 bits, each aligned to 16 bytes.
const WIDE_SUMS_BYTES: usize = 80;

/// Numbers of some bytes.
#[derive(Clone, Copy)]
pub struct View<'b> {
    /// The bytes.
    pub bytes: &'b [u8],
    /// How they stand.
    pub order: Order,
}

impl View<'_> {
    /// A number of so many bytes.
    pub fn number(&self, at: usize, width: usize) -> Option<u64> {
        let bytes = self.bytes.get(at..at.checked_add(width)?)?;
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.order.is_big { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) })
    }

    fn small(&self, at: usize) -> usize {
        self.number(at, 4).unwrap_or(0) as usize
    }

    fn types(&self, at: usize) -> [usize; 3] {
        [self.small(at), self.small(at + 4), self.small(at + 8)]
    }

    /// A text that ends with its first zero.
    pub fn text(&self, at: usize, most: usize) -> String {
        let bytes = self.bytes.get(at..self.bytes.len().min(at + most)).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}

/// Bytes of the numbers that a structure says it begins with.
fn numbers_bytes(types: [usize; 3]) -> usize {
    let bytes = |count: usize, width| count.saturating_mul(width);
    bytes(types[0], 8).saturating_add(bytes(types[1], 8)).saturating_add(bytes(types[2], 4))
}

/// Reads the head of a file; in words why not.
pub fn read<R: Read>(bytes: &mut Bytes<R>) -> Result<Result<Header, Stopped>, ImportError> {
    let mut buffer = Vec::new();
    bytes.take(8, &mut buffer)?;
    let is_big = buffer.starts_with(&MAGIC.to_be_bytes());
    let order = Order { is_big, long_bytes: 8 };
    let view = View { bytes: &buffer, order };
    let format = view.number(2, 2).unwrap_or(0);
    let part = |at: usize| buffer.get(at).copied().unwrap_or(0);
    let version = format!("{}.{}.{}", part(4), part(5), part(6));
    let header = Header { order, version, ..Header::default() };
    match format {
        0x2175 => read_described(header, bytes),
        0x2173 => read_early(header, bytes, Early { format, has_size: true, activity_bytes: 20 }),
        0x2171 => read_early(header, bytes, Early { format, has_size: false, activity_bytes: 20 }),
        0x2170 | 0x1170 => read_early(header, bytes, Early { format, has_size: false, activity_bytes: 12 }),
        _ => Ok(Err(format!(
            "format {format:#06x} of sysstat {}; expected one of 0x2170 to 0x2175 (8.1.3 and later)",
            header.version
        ))),
    }
}

/// What differs between the layouts before 11.7.
struct Early {
    /// The format's number.
    format: u64,
    /// The size of the file's header is in the file.
    has_size: bool,
    /// Bytes of an announced activity.
    activity_bytes: usize,
}

/// 11.7 and later.
fn read_described<R: Read>(
    mut header: Header,
    bytes: &mut Bytes<R>,
) -> Result<Result<Header, Stopped>, ImportError> {
    let mut buffer = Vec::new();
    // The rest of the magic structure, of which the most is kept free.
    bytes.take(68, &mut buffer)?;
    let view = View { bytes: &buffer, order: header.order };
    let (size, types) = (view.small(0), view.types(8));
    let numbers = numbers_bytes(types);
    if buffer.len() < 68
        || size > MOST_HEADER
        || numbers > size
        || types[0] < 1
        || types[1] < 1
        || types[2] < 11
    {
        return Ok(Err(format!(
            "a header of {size} bytes with {types:?} numbers; expected at most {MOST_HEADER}"
        )));
    }
    bytes.take(size, &mut buffer)?;
    if buffer.len() < size {
        return Ok(Err("the file ends within its header".to_owned()));
    }
    let view = View { bytes: &buffer, order: header.order };
    let ints = (types[0] + types[1]) * 8;
    header.order.long_bytes = usize::from(buffer.get(numbers + 2).copied().unwrap_or(8));
    let (count, act_types, rec_types) = (view.small(ints + 4), view.types(ints + 12), view.types(ints + 24));
    let (act_bytes, rec_bytes) = (view.small(ints + 36), view.small(ints + 40));
    let has_extra = types[2] > 11 && view.small(ints + 44) != 0;
    header.banner = banner(view, numbers + 3, date(view, numbers, view.small(ints + 8)));
    header.banner.cpus = cpus(view.small(ints));
    let is_sound = count <= MOST_ACTIVITIES
        && (36..=MOST_ANNOUNCED).contains(&act_bytes)
        && rec_bytes <= MOST_RECORD
        && numbers_bytes(act_types) <= act_bytes
        && act_types == [0, 0, act_types[2]]
        && act_types[2] >= 9
        && numbers_bytes(rec_types) + 4 <= rec_bytes
        && rec_types[0] >= 2
        && matches!(header.order.long_bytes, 4 | 8);
    if !is_sound {
        return Ok(Err(format!(
            "a header that announces {count} activities of {act_bytes} bytes and records of {rec_bytes}; \
             expected at most {MOST_ACTIVITIES}, {MOST_ANNOUNCED} and {MOST_RECORD}"
        )));
    }
    header.record_bytes = rec_bytes;
    header.kind_at = numbers_bytes(rec_types);
    header.extra_at = (rec_types[2] > 0).then_some((rec_types[0] + rec_types[1]) * 8);
    for _ in 0..count {
        bytes.take(act_bytes, &mut buffer)?;
        let view = View { bytes: &buffer, order: header.order };
        let announced = Announced {
            id: view.small(0) as u32,
            magic: Some(view.small(4) as u32),
            items: view.small(8) as u32,
            parts: view.small(12) as u32,
            is_counted: view.small(16) != 0,
            size: view.small(20),
            types: Some(view.types(24)),
        };
        if let Err(what) = check(&announced, buffer.len() == act_bytes) {
            return Ok(Err(what));
        }
        header.activities.push(announced);
    }
    if has_extra && !pass_extra(bytes, header.order)? {
        return Ok(Err("the file ends within its header".to_owned()));
    }
    Ok(Ok(header))
}

/// 8.1.3 to 11.6.
fn read_early<R: Read>(
    mut header: Header,
    bytes: &mut Bytes<R>,
    early: Early,
) -> Result<Result<Header, Stopped>, ImportError> {
    let mut buffer = Vec::new();
    let mut size = 280;
    if early.has_size {
        bytes.take(68, &mut buffer)?;
        size = View { bytes: &buffer, order: header.order }.small(0);
        if !(288..=MOST_HEADER).contains(&size) {
            return Ok(Err(format!("a header of {size} bytes; expected 288 to {MOST_HEADER}")));
        }
    }
    bytes.take(size, &mut buffer)?;
    let view = View { bytes: &buffer, order: header.order };
    // The number of activities; behind it, since 10.3, how many change at a restart.
    let (count_at, names_at) = if early.has_size { (12, 24) } else { (8, 16) };
    let count = view.small(count_at);
    header.changing = if early.has_size { view.small(16) } else { 0 };
    header.order.long_bytes = usize::from(buffer.get(names_at - 1).copied().unwrap_or(8));
    if buffer.len() < size || count > MOST_ACTIVITIES || header.changing > MOST_ACTIVITIES {
        return Ok(Err(format!(
            "a header that announces {count} activities; expected at most {MOST_ACTIVITIES}"
        )));
    }
    if !matches!(header.order.long_bytes, 4 | 8) {
        return Ok(Err(format!("a long of {} bytes; expected 4 or 8", header.order.long_bytes)));
    }
    let year = usize::from(buffer.get(names_at - 2).copied().unwrap_or(0));
    header.banner = banner(view, names_at, date(view, names_at - 4, year));
    header.is_early = true;
    header.record_bytes = 48;
    header.kind_at = 40;
    for _ in 0..count {
        let announced = match read_announced(bytes, header.order, early.activity_bytes)? {
            Ok(announced) => announced,
            Err(what) => return Ok(Err(what)),
        };
        if announced.id == 1 {
            header.banner.cpus = cpus(announced.items as usize);
        }
        header.activities.push(announced);
    }
    if is_red_hat(early.format, &header) {
        let disks = header.activities.iter_mut().filter(|announced| announced.id == A_DISK);
        disks.for_each(|announced| announced.magic = Some(RED_HAT));
    }
    Ok(Ok(header))
}

/// Whether a file is of the sysstat 9.0.4 of Red Hat, which widened the sums over all disks to 64 bits.
fn is_red_hat(format: u64, header: &Header) -> bool {
    let sums = header.activities.iter().find(|announced| announced.id == A_IO);
    match format {
        0x1170 => true,
        0x2170 => sums.map_or(header.version == "9.0.4", |sums| sums.size == WIDE_SUMS_BYTES),
        _ => false,
    }
}

/// An activity that a record of a restart tells anew: its number and how many items it has. What else stands there
/// is not set.
pub fn read_changed<R: Read>(bytes: &mut Bytes<R>, order: Order) -> Result<Option<(u32, u32)>, ImportError> {
    let mut buffer = Vec::new();
    bytes.take(CHANGED_BYTES, &mut buffer)?;
    let view = View { bytes: &buffer, order };
    let told = view.number(0, 4).zip(view.number(8, 4)).filter(|_| buffer.len() == CHANGED_BYTES);
    Ok(told.map(|(id, items)| (id as u32, items as u32)))
}

/// One activity of before 11.7.
fn read_announced<R: Read>(
    bytes: &mut Bytes<R>,
    order: Order,
    length: usize,
) -> Result<Result<Announced, Stopped>, ImportError> {
    let mut buffer = Vec::new();
    bytes.take(length, &mut buffer)?;
    let view = View { bytes: &buffer, order };
    let announced = if length == 12 {
        Announced {
            id: view.small(0) as u32,
            items: view.small(4) as u32,
            parts: 1,
            size: view.small(8),
            ..Announced::default()
        }
    } else {
        Announced {
            id: view.small(0) as u32,
            magic: Some(view.small(4) as u32),
            items: view.small(8) as u32,
            parts: view.small(12) as u32,
            size: view.small(16),
            ..Announced::default()
        }
    };
    Ok(check(&announced, buffer.len() == length).map(|()| announced))
}

/// Whether an activity can be as it is announced.
fn check(announced: &Announced, is_whole: bool) -> Result<(), Stopped> {
    let numbers = announced.types.map_or(0, numbers_bytes);
    let is_sound = is_whole
        && (1..=MOST_ITEMS).contains(&announced.items)
        && (1..=MOST_PARTS).contains(&announced.parts)
        && (1..=MOST_ITEM).contains(&announced.size)
        && numbers <= announced.size;
    if is_sound {
        return Ok(());
    }
    Err(format!(
        "activity {} of {} × {} items of {} bytes; expected what sysstat writes",
        announced.id, announced.items, announced.parts, announced.size
    ))
}

/// Passes over structures that versions to come may add; false where the file ends within them.
pub fn pass_extra<R: Read>(bytes: &mut Bytes<R>, order: Order) -> Result<bool, ImportError> {
    let mut buffer = Vec::new();
    loop {
        bytes.take(24, &mut buffer)?;
        let view = View { bytes: &buffer, order };
        let (count, size, next) = (view.small(0) as u32, view.small(4), view.small(8));
        if buffer.len() < 24 || count > MOST_EXTRA || size > MOST_ITEM {
            return Ok(false);
        }
        if !bytes.pass(u64::from(count) * size as u64)? {
            return Ok(false);
        }
        if next == 0 {
            return Ok(true);
        }
    }
}

/// The number counts all of them together too, but on kernels for one CPU.
pub fn cpus(count: usize) -> Option<i64> {
    (count > 0).then(|| (count.max(2) - 1) as i64)
}

/// Day, month from 0 on, years since 1900.
fn date(view: View<'_>, at: usize, year: usize) -> Option<Date> {
    let (day, month) = (view.number(at, 1)?, view.number(at + 1, 1)?);
    Date::new(i16::try_from(year + 1900).ok()?, i8::try_from(month + 1).ok()?, i8::try_from(day).ok()?).ok()
}

/// System, host, release and machine.
fn banner(view: View<'_>, at: usize, date: Option<Date>) -> Banner {
    let name = |number: usize| view.text(at + number * NAME_BYTES, NAME_BYTES);
    let architecture = Some(name(3)).filter(|machine| !machine.is_empty());
    Banner { kernel: name(2), host: name(1), date, architecture, cpus: None, system: None }
}
