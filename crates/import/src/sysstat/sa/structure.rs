//! Where the parts of a structure stand in a file: by what the file says of it, or by the rules of C.

use super::header::{Announced, Order, View};
use super::layouts::{Form, Kind, Part, RED_HAT};

/// One part that the file has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Its first byte.
    pub at: usize,
    /// How many count.
    pub width: usize,
    /// A counter of 32 bits, which begins anew above 4,294,967,295.
    pub is_short: bool,
}

/// A structure of a file.
#[derive(Clone, Debug)]
pub struct Structure {
    places: Vec<(&'static str, Place)>,
}

impl Structure {
    /// The parts that an activity has in this file; none where its form is not known.
    pub fn of(forms: &[Form], announced: &Announced, order: Order) -> Option<Structure> {
        let form = match announced.magic {
            Some(magic) => forms.iter().find(|form| form.magic == magic)?,
            // Without a number the oldest that has room for it.
            None => {
                let mut original = forms.iter().filter(|form| form.magic != RED_HAT);
                original.find(|form| end(form.parts) >= announced.size)?
            }
        };
        let places = match announced.types {
            Some(types) => by_kind(form.parts, types, announced.size, order),
            None => by_alignment(form.parts, announced.size, order),
        };
        Some(Structure { places })
    }

    /// Where a part stands; none where this file does not have it.
    pub fn place(&self, name: &str) -> Option<Place> {
        self.places.iter().find(|(there, _)| *there == name).map(|(_, place)| *place)
    }
}

impl Place {
    /// The number that stands there.
    pub fn number(&self, view: View<'_>) -> Option<u64> {
        view.number(self.at, self.width)
    }

    /// By how much a counter increased; none where it was set back.
    pub fn increase(&self, before: u64, now: u64) -> Option<u64> {
        if now >= before {
            return Some(now - before);
        }
        // Less than half its range is a counter that began anew; all else one that was reset.
        let around = (1_u64 << 32).wrapping_add(now).wrapping_sub(before);
        (self.is_short && before >> 32 == 0 && around < 1 << 31).then_some(around)
    }
}

/// A file that describes itself: the parts of a kind stand together, in their order. What it has
/// fewer of than is known it does not have, and what it has more of is not known yet.
fn by_kind(
    parts: &'static [Part],
    types: [usize; 3],
    size: usize,
    order: Order,
) -> Vec<(&'static str, Place)> {
    let begins = [0, types[0] * 8, (types[0] + types[1]) * 8];
    let mut used = [0; 3];
    let mut text_at = begins[2] + types[2] * 4;
    let mut places = Vec::new();
    for part in parts {
        let (kind, step) = match part.kind {
            Kind::U64 => (0, 8),
            Kind::Long => (1, 8),
            Kind::U32 => (2, 4),
            Kind::Text(bytes) => {
                let width = bytes.min(size.saturating_sub(text_at));
                if width > 0 {
                    places.push((part.name, Place { at: text_at, width, is_short: false }));
                }
                text_at += bytes;
                continue;
            }
        };
        let at = begins[kind] + used[kind] * step;
        used[kind] += 1;
        if used[kind] <= types[kind] {
            places.push((part.name, numbered(part, at, order)));
        }
    }
    places
}

/// The layout of C.
fn by_alignment(parts: &'static [Part], size: usize, order: Order) -> Vec<(&'static str, Place)> {
    let mut at = 0_usize;
    let mut places = Vec::new();
    for part in parts {
        at = at.next_multiple_of(part.align);
        let bytes = bytes(part);
        let place = match part.kind {
            Kind::Text(most) => Place { at, width: most.min(size.saturating_sub(at)), is_short: false },
            _ => numbered(part, at, order),
        };
        if at + place.width <= size && place.width > 0 {
            places.push((part.name, place));
        }
        at += bytes;
    }
    places
}

fn numbered(part: &Part, at: usize, order: Order) -> Place {
    let width = match part.kind {
        Kind::U32 => 4,
        Kind::Long => order.long_bytes,
        Kind::U64 | Kind::Text(_) => 8,
    };
    Place { at, width, is_short: width == 4 }
}

fn bytes(part: &Part) -> usize {
    match part.kind {
        Kind::U64 | Kind::Long => 8,
        Kind::U32 => 4,
        Kind::Text(bytes) => bytes,
    }
}

/// Where the last part ends, with what fills it up to its alignment.
fn end(parts: &[Part]) -> usize {
    let align = parts.iter().map(|part| part.align).max().unwrap_or(1);
    let last = parts.iter().fold(0_usize, |at, part| at.next_multiple_of(part.align) + bytes(part));
    last.next_multiple_of(align)
}

#[cfg(test)]
mod tests {
    use super::super::layouts::ACTIVITIES;
    use super::*;

    const LITTLE: Order = Order { is_big: false, long_bytes: 8 };

    fn announced(magic: u32, size: usize, types: Option<[usize; 3]>) -> Announced {
        Announced { magic: Some(magic), size, types, ..Announced::default() }
    }

    /// Sizes as `sadf -H` and `sizeof` tell them.
    #[test]
    fn forms_have_the_sizes_that_sysstat_writes() {
        for (id, sizes) in [
            (1, &[160, 80][..]),
            (2, &[32, 16]),
            (3, &[16, 8, 12]),
            (7, &[136, 144]),
            (9, &[24, 32, 40]),
            (11, &[80, 80, 64, 80]),
            (12, &[72, 128, 144, 80]),
            (13, &[88, 160, 88]),
            (17, &[64, 128, 64]),
            (26, &[88, 176, 88]),
            (37, &[336, 296]),
            (42, &[64]),
        ] {
            let activity = ACTIVITIES.iter().find(|activity| activity.id == id).unwrap();
            // The interface's structure ends with a letter, filled up to eight bytes.
            let ends: Vec<usize> = activity.forms.iter().map(|form| end(form.parts)).collect();
            assert_eq!(ends, sizes, "activity {id}");
        }
    }

    #[test]
    fn every_heading_is_made_of_parts_that_some_form_has() {
        for activity in ACTIVITIES {
            let last = activity.forms.last().unwrap();
            for show in activity.shows {
                let has = |name: &str| last.parts.iter().any(|part| part.name == name);
                assert!(has(show.of), "{}: {}", activity.id, show.heading);
                assert!(show.without.is_empty() || has(show.without), "{}: {}", activity.id, show.heading);
            }
        }
    }

    #[test]
    fn parts_stand_where_a_file_says() {
        let disk = ACTIVITIES.iter().find(|activity| activity.id == 11).unwrap();
        let place = |announced: &Announced, order, name: &str| {
            Structure::of(disk.forms, announced, order)
                .unwrap()
                .place(name)
                .map(|place| (place.at, place.width))
        };
        let now = announced(0x8c, 80, Some([3, 3, 8]));
        assert_eq!(place(&now, LITTLE, "rd_sect"), Some((24, 8)));
        assert_eq!(place(&now, LITTLE, "major"), Some((64, 4)));
        // 12.0 had neither the name of the disk nor discards.
        let before = announced(0x8c, 48, Some([1, 2, 6]));
        assert_eq!(place(&before, LITTLE, "rd_sect"), Some((8, 8)));
        assert_eq!(place(&before, LITTLE, "dc_sect"), None);
        assert_eq!(place(&before, LITTLE, "minor"), Some((44, 4)));
        let half = Order { is_big: true, long_bytes: 4 };
        assert_eq!(place(&now, half, "wr_sect"), Some((32, 4)));
        // 10.1.1 to 11.6, by the rules of C.
        let early = announced(0x8b, 64, None);
        assert_eq!(place(&early, LITTLE, "rd_sect"), Some((16, 8)));
        assert_eq!(place(&early, LITTLE, "minor"), Some((52, 4)));
    }

    #[test]
    fn counters_begin_anew() {
        let short = Place { at: 0, width: 4, is_short: true };
        let wide = Place { at: 0, width: 8, is_short: false };
        assert_eq!(short.increase(5, 9), Some(4));
        assert_eq!(short.increase(0xffff_fff0, 0x10), Some(0x20));
        assert_eq!(short.increase(1000, 0), None);
        assert_eq!(wide.increase(0xffff_fff0, 0x10), None);
    }
}
