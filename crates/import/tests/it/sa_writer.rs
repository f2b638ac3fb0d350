//! Writes a recording of sysstat 12.6 anew as other machines and other versions would have: of the other
//! byte order, of 32 bits, in the layouts of sysstat 8.1.3 to 12.0.
//!
//! Offsets are written down here by hand, from the structures as C compilers lay them out, and know
//! nothing of the tables that the importer goes by.

/// Where bytes come from in a structure of 12.6 and where they go.
#[derive(Clone, Copy)]
pub enum Move {
    /// 64 bits to 64 bits.
    Wide(usize, usize),
    /// 64 bits, or a `long`, to a `long`.
    Long(usize, usize),
    /// 32 bits to a `long`.
    IntToLong(usize, usize),
    /// 64 bits to 32.
    WideToInt(usize, usize),
    /// 32 bits to 32.
    Int(usize, usize),
    /// So many bytes of text.
    Text(usize, usize, usize),
}

/// How numbers are written.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub is_big: bool,
    pub long_bytes: usize,
}

impl Machine {
    pub fn int(self, value: u64) -> Vec<u8> {
        let bytes = (value as u32).to_le_bytes();
        if self.is_big { bytes.iter().rev().copied().collect() } else { bytes.to_vec() }
    }

    pub fn wide(self, value: u64) -> Vec<u8> {
        let bytes = value.to_le_bytes();
        if self.is_big { bytes.iter().rev().copied().collect() } else { bytes.to_vec() }
    }

    /// Eight bytes, of which a machine of 32 bits uses the first four.
    pub fn long(self, value: u64) -> Vec<u8> {
        if self.long_bytes == 8 {
            return self.wide(value);
        }
        let mut bytes = self.int(value);
        // What the compiler leaves between is not always zero.
        bytes.extend([0xa5; 4]);
        bytes
    }

    pub fn short(self, value: u16) -> Vec<u8> {
        if self.is_big { value.to_be_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
    }
}

/// A recording of 12.6 on x86-64, taken apart.
pub struct Recording {
    pub header: Vec<u8>,
    pub activities: Vec<Announced>,
    pub records: Vec<Record>,
}

/// An activity: its number, magic, items, parts, whether they are counted, size, kinds of numbers.
#[derive(Clone, Debug)]
pub struct Announced {
    pub id: u32,
    pub magic: u32,
    pub items: u32,
    pub parts: u32,
    pub is_counted: bool,
    pub size: usize,
    pub types: [usize; 3],
}

pub struct Record {
    pub uptime_cs: u64,
    pub instant_s: u64,
    pub kind: u8,
    pub time: [u8; 3],
    /// Of a restart CPUs, of a comment its text.
    pub behind: Vec<u8>,
    /// Items of each activity.
    pub blocks: Vec<Vec<Vec<u8>>>,
}

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes[at..at + width].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Takes a file of 12.6 apart.
pub fn taken_apart(file: &[u8]) -> Recording {
    let header = file[76..76 + 336].to_vec();
    let mut at = 76 + 336;
    let mut activities = Vec::new();
    for _ in 0..number(&header, 20, 4) {
        let field = |place: usize| number(file, at + place * 4, 4);
        activities.push(Announced {
            id: field(0) as u32,
            magic: field(1) as u32,
            items: field(2) as u32,
            parts: field(3) as u32,
            is_counted: field(4) != 0,
            size: field(5) as usize,
            types: [field(6) as usize, field(7) as usize, field(8) as usize],
        });
        at += 36;
    }
    let mut records = Vec::new();
    while at < file.len() {
        let head = &file[at..at + 24];
        at += 24;
        let mut record = Record {
            uptime_cs: number(head, 0, 8),
            instant_s: number(head, 8, 8),
            kind: head[20],
            time: [head[21], head[22], head[23]],
            behind: Vec::new(),
            blocks: Vec::new(),
        };
        let behind = match record.kind {
            2 => 4,
            4 => 64,
            _ => 0,
        };
        record.behind = file[at..at + behind].to_vec();
        at += behind;
        for activity in activities.iter().filter(|_| behind == 0) {
            let mut items = activity.items;
            if activity.is_counted {
                items = number(file, at, 4) as u32;
                at += 4;
            }
            let count = (items * activity.parts) as usize;
            record.blocks.push(
                file[at..at + count * activity.size].chunks(activity.size).map(<[u8]>::to_vec).collect(),
            );
            at += count * activity.size;
        }
        records.push(record);
    }
    Recording { header, activities, records }
}

/// A structure in the same layout on another machine.
fn same(item: &[u8], types: [usize; 3], machine: Machine) -> Vec<u8> {
    let mut bytes = Vec::new();
    for at in 0..types[0] {
        bytes.extend(machine.wide(number(item, at * 8, 8)));
    }
    for at in types[0]..types[0] + types[1] {
        bytes.extend(machine.long(number(item, at * 8, 8)));
    }
    let ints = (types[0] + types[1]) * 8;
    for at in 0..types[2] {
        bytes.extend(machine.int(number(item, ints + at * 4, 4)));
    }
    bytes.extend(&item[ints + types[2] * 4..]);
    bytes
}

/// The file as the same version wrote it on another machine.
pub fn on_machine(recording: &Recording, machine: Machine) -> Vec<u8> {
    let mut file = [machine.short(0xd596), machine.short(0x2175), vec![12, 6, 1, 0]].concat();
    for value in [336, 0, 1, 1, 12] {
        file.extend(machine.int(value));
    }
    file.extend([0; 48]);
    let mut header = same(&recording.header, [1, 1, 12], machine);
    header[66] = machine.long_bytes as u8;
    file.extend(header);
    for activity in &recording.activities {
        let types = activity.types.map(|count| count as u64);
        let fields = [activity.id, activity.magic, activity.items, activity.parts].map(u64::from);
        let counted = u64::from(activity.is_counted);
        for value in fields.into_iter().chain([counted, activity.size as u64]).chain(types) {
            file.extend(machine.int(value));
        }
    }
    for record in &recording.records {
        file.extend(machine.wide(record.uptime_cs));
        file.extend(machine.wide(record.instant_s));
        file.extend(machine.int(0));
        file.push(record.kind);
        file.extend(record.time);
        if record.kind == 2 {
            file.extend(machine.int(number(&record.behind, 0, 4)));
        } else {
            file.extend(&record.behind);
        }
        for (activity, items) in recording.activities.iter().zip(&record.blocks) {
            if activity.is_counted {
                file.extend(machine.int(items.len() as u64 / u64::from(activity.parts)));
            }
            items.iter().for_each(|item| file.extend(same(item, activity.types, machine)));
        }
    }
    file
}

/// A structure of an earlier version: its activity, magic, size and where its parts come from.
#[derive(Clone)]
pub struct Earlier {
    pub id: u32,
    pub magic: u32,
    pub size: usize,
    pub moves: Vec<Move>,
}

/// What differs between the formats of before 11.7.
pub struct Format {
    pub magic: u16,
    pub version: [u8; 3],
    /// Bytes of an announced activity: without a magic number before 9.1.6.
    pub announced: usize,
    /// The size of the header is in the file, and a restart tells of CPUs anew (10.3).
    pub tells_restart: bool,
}

/// The file as an earlier version wrote it. Activities without an earlier form are as they were;
/// those that it did not have are left out.
pub fn in_format(
    recording: &Recording,
    format: &Format,
    earlier: &[Earlier],
    missing: &[u32],
    machine: Machine,
) -> Vec<u8> {
    let kept: Vec<usize> = (0..recording.activities.len())
        .filter(|at| !missing.contains(&recording.activities[*at].id))
        .collect();
    let blocks: Vec<Vec<Vec<Vec<u8>>>> = recording
        .records
        .iter()
        .map(|record| {
            let written =
                |at: &usize| written(&recording.activities[*at], &record.blocks[*at], earlier, machine);
            if record.blocks.is_empty() { Vec::new() } else { kept.iter().map(written).collect() }
        })
        .collect();
    // As many items in each record as there ever were.
    let most =
        |place: usize| blocks.iter().filter_map(|record| record.get(place)).map(Vec::len).max().unwrap_or(1);
    let announced = |place: usize, file: &mut Vec<u8>| {
        let activity = &recording.activities[kept[place]];
        let form = earlier.iter().find(|form| form.id == activity.id);
        let magic = if activity.id == 3 { 0x8a } else { form.map_or(activity.magic, |form| form.magic) };
        let size = if activity.id == 3 { 16 } else { form.map_or(activity.size, |form| form.size) };
        file.extend(machine.int(u64::from(activity.id)));
        if format.announced == 20 {
            file.extend(machine.int(u64::from(magic)));
        }
        file.extend(machine.int(most(place) as u64));
        if format.announced == 20 {
            file.extend(machine.int(1));
        }
        file.extend(machine.int(size as u64));
    };
    let changing: Vec<usize> =
        (0..kept.len()).filter(|place| matches!(recording.activities[kept[*place]].id, 1 | 30)).collect();
    let mut file = head(recording, format, kept.len(), changing.len(), machine);
    (0..kept.len()).for_each(|place| announced(place, &mut file));
    for (record, written) in recording.records.iter().zip(&blocks) {
        file.extend([machine.wide(record.uptime_cs * 2), vec![0; 8]].concat());
        file.extend([machine.wide(record.uptime_cs), vec![0; 8]].concat());
        file.extend(machine.long(record.instant_s));
        file.push(record.kind);
        file.extend(record.time);
        file.extend([0; 4]);
        match record.kind {
            2 if format.tells_restart => changing.iter().for_each(|place| announced(*place, &mut file)),
            2 => {}
            _ => file.extend(&record.behind),
        }
        for (place, items) in written.iter().enumerate() {
            let size = items.first().map_or(0, Vec::len);
            items.iter().for_each(|item| file.extend(item));
            file.extend(vec![0; (most(place) - items.len()) * size]);
        }
    }
    file
}

fn head(
    recording: &Recording,
    format: &Format,
    activities: usize,
    changing: usize,
    machine: Machine,
) -> Vec<u8> {
    let mut file =
        [machine.short(0xd596), machine.short(format.magic), format.version.to_vec(), vec![0]].concat();
    if format.tells_restart {
        file.extend(machine.int(288));
        file.extend([0; 64]);
    }
    let header = &recording.header;
    let begin = file.len();
    file.extend(machine.long(number(header, 0, 8)));
    if format.tells_restart {
        file.extend(machine.int(number(header, 16, 4)));
    }
    file.extend(machine.int(activities as u64));
    if format.tells_restart {
        file.extend(machine.int(changing as u64));
    }
    // Day, month, years since 1900, bytes of a long, four names.
    file.extend([header[64], header[65], number(header, 24, 4) as u8, machine.long_bytes as u8]);
    file.extend(&header[67..67 + 4 * 65]);
    let length: usize = if format.tells_restart { 288 } else { 280 };
    file.resize(begin + length, 0);
    file
}

/// The items of an activity in an earlier form.
fn written(activity: &Announced, items: &[Vec<u8>], earlier: &[Earlier], machine: Machine) -> Vec<Vec<u8>> {
    if activity.id == 3 {
        return interrupts_by_number(activity, items, machine);
    }
    let Some(form) = earlier.iter().find(|form| form.id == activity.id) else {
        return items.iter().map(|item| same(item, activity.types, machine)).collect();
    };
    items.iter().map(|item| moved(item, form, machine)).collect()
}

fn moved(item: &[u8], form: &Earlier, machine: Machine) -> Vec<u8> {
    let mut bytes = vec![0; form.size];
    for part in &form.moves {
        let (to, written) = match *part {
            Move::Wide(from, to) => (to, machine.wide(number(item, from, 8))),
            Move::Long(from, to) => (to, machine.long(number(item, from, 8))),
            Move::IntToLong(from, to) => (to, machine.long(number(item, from, 4))),
            Move::WideToInt(from, to) => (to, machine.int(number(item, from, 8))),
            Move::Int(from, to) => (to, machine.int(number(item, from, 4))),
            Move::Text(from, to, length) => (to, item[from..from + length].to_vec()),
        };
        bytes[to..to + written.len()].copy_from_slice(&written);
    }
    bytes
}

/// First the sum, then interrupt 0 and so on; those with a name are not counted.
fn interrupts_by_number(activity: &Announced, items: &[Vec<u8>], machine: Machine) -> Vec<Vec<u8>> {
    let mut counts = vec![0; 257];
    for item in &items[..activity.parts as usize] {
        let name: String =
            item[4..].iter().take_while(|byte| **byte != 0).map(|byte| char::from(*byte)).collect();
        let place = if name == "sum" { Some(0) } else { name.parse::<usize>().ok().map(|number| number + 1) };
        if let Some(place) = place {
            counts[place] = number(item, 0, 4);
        }
    }
    counts.into_iter().map(|count| [machine.wide(count), vec![0; 8]].concat()).collect()
}
