//! Binary files of other machines and other versions say the same as the one that they were made from.

use std::collections::BTreeMap;

use heldup_import::Import;

use crate::sa_writer::{Earlier, Format, Machine, Move, in_format, on_machine, taken_apart};
use crate::table_text::{import, value};
use crate::twin::{Exact, compare, fixture, twin};

const MACHINES: [Machine; 4] = [
    Machine { is_big: false, long_bytes: 8 },
    Machine { is_big: false, long_bytes: 4 },
    Machine { is_big: true, long_bytes: 8 },
    Machine { is_big: true, long_bytes: 4 },
];

/// What a row is about.
const KEYS: [&str; 8] = ["cpu_idx", "policy_idx", "device", "name", "irq", "limit_name", "resource", "mount"];
/// What was known of memory when its structure had eight numbers.
const EARLY_MEMORY: [&str; 10] = [
    "secs",
    "free_bytes",
    "buffers_bytes",
    "cached_bytes",
    "total_bytes",
    "swap_free_bytes",
    "swap_total_bytes",
    "swap_used_bytes",
    "swap_cached_bytes",
    "committed_bytes",
];

/// Every value, by where it is.
fn values(import: &Import) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (table, batches) in &import.capture.as_ref().expect("a capture").tables {
        for batch in batches {
            for row in 0..batch.num_rows() {
                let cell = |column: &str| value(batch, column, row);
                // The name of a host or of a mount may be what differs.
                let keys: Vec<String> = match table.as_str() {
                    "host" => Vec::new(),
                    "filesystem" => cell("device").into_iter().collect(),
                    _ => KEYS.iter().filter_map(|key| cell(key)).collect(),
                };
                let place = format!("{table} {} {}", cell("time").unwrap_or_default(), keys.join(" "));
                let is_value = |column: &str| !matches!(column, "time" | "host") && !KEYS.contains(&column);
                for field in batch.schema().fields().iter().filter(|field| is_value(field.name())) {
                    if let Some(there) = cell(field.name()) {
                        values.insert(format!("{place} {}", field.name()), there);
                    }
                }
            }
        }
    }
    values
}

/// All that `now` says, `other` says too, but for places that it cannot know of.
fn assert_says(other: &Import, now: &Import, what: &str, is_unknown: impl Fn(&str) -> bool) {
    assert!(other.flaws.is_empty(), "{what}: {:?}", other.flaws);
    let (there, wanted) = (values(other), values(now));
    let mut compared = 0;
    for (place, value) in &wanted {
        if is_unknown(place) {
            continue;
        }
        assert_eq!(there.get(place), Some(value), "{what}: {place}");
        compared += 1;
    }
    assert!(compared > 1000, "{what}: {compared} of {}", wanted.len());
}

#[test]
fn a_file_of_another_machine_is_read() {
    let file = fixture("sadf", "sa");
    let recording = taken_apart(&file);
    let now = import(&file);
    assert_eq!(on_machine(&recording, MACHINES[0]), file, "the writer writes what sysstat wrote");
    for machine in MACHINES {
        let other = import(&on_machine(&recording, machine));
        assert_says(&other, &now, &format!("{machine:?}"), |_| false);
        compare(&other, &twin(), Exact::Rounded);
    }
}

/// `count` parts of 64 bits each, moved by a rule.
fn each(count: usize, to: impl Fn(usize) -> Move) -> Vec<Move> {
    (0..count).map(to).collect()
}

fn form(id: u32, magic: u32, size: usize, moves: Vec<Move>) -> Earlier {
    Earlier { id, magic, size, moves }
}

fn with(mut moves: Vec<Move>, more: &[Move]) -> Vec<Move> {
    moves.extend(more);
    moves
}

/// 9.1.6 to 10.1: nearly everything is a `long`.
fn forms_of_nine() -> Vec<Earlier> {
    let long = |at: usize| Move::Long(at * 8, at * 8);
    vec![
        form(1, 0x8a, 160, each(10, |at| Move::Wide(at * 8, at * 16))),
        form(2, 0x8a, 32, vec![Move::Wide(0, 0), Move::Long(8, 16)]),
        form(5, 0x8a, 64, each(8, long)),
        form(6, 0x8a, 20, each(5, |at| Move::WideToInt(at * 8, at * 4))),
        form(7, 0x8a, 136, each(17, long)),
        form(8, 0x8a, 16, each(4, |at| Move::WideToInt(at * 8, at * 4))),
        form(
            9,
            0x8a,
            24,
            vec![
                Move::Long(0, 0),
                Move::Int(24, 8),
                Move::Int(28, 12),
                Move::Int(32, 16),
                Move::WideToInt(16, 20),
            ],
        ),
        form(
            11,
            0x8a,
            80,
            vec![
                Move::Wide(24, 0),
                Move::Wide(32, 16),
                Move::IntToLong(48, 32),
                Move::IntToLong(52, 40),
                Move::IntToLong(56, 48),
                Move::IntToLong(60, 56),
                Move::Long(0, 64),
                Move::Int(64, 72),
                Move::Int(68, 76),
            ],
        ),
        form(12, 0x8a, 72, with(each(7, long), &[Move::Text(60, 56, 16)])),
        form(13, 0x8a, 88, with(each(9, long), &[Move::Text(72, 72, 16)])),
        form(17, 0x8a, 64, each(8, long)),
        form(18, 0x8a, 64, each(8, long)),
        form(25, 0x8a, 80, each(10, long)),
        form(26, 0x8a, 88, each(11, long)),
        form(34, 0x8a, 136, each(2, long)),
    ]
}

/// 10.3 to 11.6: 64 bits in sixteen bytes.
fn forms_of_eleven() -> Vec<Earlier> {
    let wide = |at: usize| Move::Wide(at * 8, at * 16);
    let mut forms = forms_of_nine();
    forms.retain(|form| !matches!(form.id, 6 | 9 | 11 | 12 | 13 | 17 | 18 | 25 | 26));
    forms.extend([
        form(6, 0x8b, 48, each(5, |at| Move::Wide(at * 8, at * 8))),
        form(
            9,
            0x8b,
            32,
            vec![
                Move::Long(0, 0),
                Move::Long(8, 8),
                Move::Int(24, 16),
                Move::Int(28, 20),
                Move::Int(32, 24),
                Move::WideToInt(16, 28),
            ],
        ),
        form(
            11,
            0x8b,
            64,
            vec![
                Move::Wide(0, 0),
                Move::Long(24, 16),
                Move::Long(32, 24),
                Move::Int(48, 32),
                Move::Int(52, 36),
                Move::Int(56, 40),
                Move::Int(60, 44),
                Move::Int(64, 48),
                Move::Int(68, 52),
            ],
        ),
        form(
            12,
            0x8c,
            144,
            with(each(7, wide), &[Move::Int(56, 112), Move::Text(60, 116, 16), Move::Text(76, 132, 1)]),
        ),
        form(13, 0x8b, 160, with(each(9, wide), &[Move::Text(72, 144, 16)])),
        form(17, 0x8b, 128, each(8, wide)),
        form(18, 0x8b, 128, each(8, wide)),
        form(25, 0x8b, 160, each(10, wide)),
        form(26, 0x8b, 176, each(11, wide)),
        form(37, 0x8a, 336, with(each(5, wide), &[Move::Text(40, 80, 128), Move::Text(168, 208, 128)])),
        form(39, 0x8a, 20, each(5, |at| Move::Int(at * 4, at * 4))),
    ]);
    forms
}

/// What no version before 11.7 has: which CPU served an interrupt, interrupts with a name, pressure,
/// discards.
fn is_of_later(place: &str) -> bool {
    let mut words = place.split(' ');
    let (table, key) = (words.next().unwrap_or(""), words.nth(1).unwrap_or(""));
    matches!(table, "irq_cpu" | "pressure")
        || (table == "irq" && key.parse::<u32>().is_err())
        || place.ends_with(" discard_bytes")
        || place.ends_with(" backlog_packets")
}

#[test]
fn a_file_of_sysstat_11_is_read() {
    let file = fixture("sadf", "sa");
    let (recording, now) = (taken_apart(&file), import(&file));
    let format = Format { magic: 0x2173, version: [11, 6, 5], announced: 20, tells_restart: true };
    for machine in MACHINES {
        let other = import(&in_format(&recording, &format, &forms_of_eleven(), &[40, 41, 42], machine));
        assert_says(&other, &now, &format!("11.6.5, {machine:?}"), is_of_later);
    }
}

#[test]
fn a_file_of_sysstat_10_is_read() {
    let file = fixture("sadf", "sa");
    let (recording, now) = (taken_apart(&file), import(&file));
    let format = Format { magic: 0x2171, version: [10, 0, 5], announced: 20, tells_restart: false };
    for machine in MACHINES {
        let missing = [37, 39, 40, 41, 42];
        let other = import(&in_format(&recording, &format, &forms_of_nine(), &missing, machine));
        assert_says(&other, &now, &format!("10.0.5, {machine:?}"), |place| {
            is_of_later(place)
                || place.starts_with("filesystem")
                || place.starts_with("softnet")
                || place.ends_with(" blocked")
        });
    }
}

#[test]
fn a_file_of_sysstat_9_is_read_and_that_of_red_hat() {
    let file = fixture("sadf", "sa");
    let (recording, now) = (taken_apart(&file), import(&file));
    let mut forms = forms_of_nine();
    // Guests at lowered priority came later, and so did half of what is known of memory.
    forms.retain(|form| !matches!(form.id, 1 | 7));
    forms.push(form(1, 0, 144, each(9, |at| Move::Wide(at * 8, at * 16))));
    forms.push(form(7, 0, 64, each(8, |at| Move::Long(at * 8, at * 8))));
    let missing = [34, 37, 39, 40, 41, 42];
    let mut of_red_hat = forms.clone();
    of_red_hat.retain(|form| form.id != 11);
    let moves = [
        Move::Wide(24, 0),
        Move::Wide(32, 16),
        Move::Long(0, 32),
        Move::IntToLong(48, 40),
        Move::IntToLong(52, 48),
        Move::IntToLong(56, 56),
        Move::IntToLong(60, 64),
        Move::Int(64, 72),
        Move::Int(68, 76),
    ];
    of_red_hat.push(form(11, 0, 80, moves.to_vec()));
    for (magic, version, forms) in [(0x2170, [9, 0, 6], &forms), (0x1170, [9, 0, 4], &of_red_hat)] {
        let format = Format { magic, version, announced: 12, tells_restart: false };
        for machine in MACHINES {
            let other = import(&in_format(&recording, &format, forms, &missing, machine));
            assert_says(&other, &now, &format!("{magic:#x}, {machine:?}"), |place| {
                let is_of_memory = place.starts_with("memory");
                let column = place.rsplit(' ').next().unwrap_or("");
                is_of_later(place)
                    || place.starts_with("filesystem")
                    || place.starts_with("softnet")
                    || place.ends_with(" blocked")
                    || place.ends_with(" guest_nice_s")
                    || (is_of_memory && !EARLY_MEMORY.contains(&column))
            });
        }
    }
}
