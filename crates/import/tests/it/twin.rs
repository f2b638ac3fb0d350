//! Every number of a recording is in its column: `sadf -j` of the same binary file is walked, and each
//! number of it is looked up in what the other forms were read as.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use heldup_import::Import;
use serde_json::{Map, Value};

use crate::table_text::{import, told, value};
use crate::twin_columns::{How, ITEMS, LEFT_OUT, PROTOCOLS, TAKEN};

const RECORDING: &str = "debian-12-6.18.44-sysstat-12.6.1-restart";
/// Names that `sadf` looked up on the machine that it ran on, where a binary file has numbers only.
const DEVICES: [(&str, &str); 1] = [("vda", "dev254-0")];

pub fn fixture(folder: &str, ending: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder);
    fs::read(folder.join(format!("{RECORDING}.{ending}"))).expect("fixture")
}

pub fn twin() -> Value {
    serde_json::from_slice(&fixture("sadf", "json")).expect("JSON")
}

/// How exactly a number has to be found.
#[derive(Clone, Copy, PartialEq)]
pub enum Exact {
    /// As it is printed.
    Printed,
    /// As it would be printed: what was read has more digits.
    Rounded,
}

/// The rows of an import by table, time and key.
struct RowIndex<'i> {
    rows: HashMap<(String, i64, String), (&'i RecordBatch, usize)>,
}

impl<'i> RowIndex<'i> {
    fn of(import: &'i Import) -> RowIndex<'i> {
        let mut rows = HashMap::new();
        let capture = import.capture.as_ref().expect("a capture");
        for (table, batches) in &capture.tables {
            for batch in batches {
                let times = batch.column(0).as_primitive::<Int64Type>();
                for row in 0..batch.num_rows() {
                    for key in keys(table, batch, row) {
                        rows.insert((table.clone(), times.value(row), key), (batch, row));
                    }
                }
            }
        }
        RowIndex { rows }
    }

    fn number(&self, table: &str, ms: i64, key: &str, column: &str) -> Option<f64> {
        let (batch, row) = self.rows.get(&(table.to_owned(), ms, key.to_owned()))?;
        let array = batch.column_by_name(column).expect("a column of the table");
        if array.is_null(*row) {
            return None;
        }
        Some(match array.data_type() {
            DataType::Int64 => array.as_primitive::<Int64Type>().value(*row) as f64,
            _ => array.as_primitive::<Float64Type>().value(*row),
        })
    }

    fn is_whole(&self, table: &str, ms: i64, key: &str, column: &str) -> bool {
        let found = self.rows.get(&(table.to_owned(), ms, key.to_owned()));
        let array = found.and_then(|(batch, _)| batch.column_by_name(column));
        array.is_some_and(|array| *array.data_type() == DataType::Int64)
    }
}

/// What a row may be looked up by.
fn keys(table: &str, batch: &RecordBatch, row: usize) -> Vec<String> {
    let text = |column| value(batch, column, row).unwrap_or_default();
    match table {
        "cpu" | "softnet" => vec![text("cpu_idx")],
        "cpufreq" => vec![text("policy_idx")],
        // What is no file of this machine has no names in its twin.
        "disk" => vec![text("device"), format!("dev{}", text("dev_id").replace(':', "-"))],
        "net_if" | "net_proto" => vec![text("name")],
        "irq" => vec![text("irq")],
        "irq_cpu" => vec![format!("{} {}", text("irq"), text("cpu_idx"))],
        "limits" => vec![text("limit_name")],
        "pressure" => vec![text("resource")],
        "filesystem" => vec![text("mount"), text("device")],
        _ => vec![String::new()],
    }
}

/// Walks the JSON and looks each number up.
struct Walk<'i> {
    rows: RowIndex<'i>,
    exact: Exact,
    /// The twin was converted from a release that had less: what that did not have is printed as zero.
    is_converted: bool,
    found: usize,
    wrong: Vec<String>,
    ms: i64,
}

/// How many numbers were found; the others are wrong.
pub fn compare(import: &Import, json: &Value, exact: Exact) -> usize {
    compare_with(import, json, exact, false)
}

/// The same against what `sadf -c` made of a file of an earlier release.
pub fn compare_converted(import: &Import, json: &Value) -> usize {
    compare_with(import, json, Exact::Rounded, true)
}

fn compare_with(import: &Import, json: &Value, exact: Exact, is_converted: bool) -> usize {
    let rows = RowIndex::of(import);
    let mut walk = Walk { rows, exact, is_converted, found: 0, wrong: Vec::new(), ms: 0 };
    let statistics = json["sysstat"]["hosts"][0]["statistics"].as_array().expect("statistics");
    for sample in statistics {
        let stamp = &sample["timestamp"];
        let instant = format!("{}T{}Z", text(&stamp["date"]), text(&stamp["time"]));
        walk.ms = instant.parse::<jiff::Timestamp>().expect("an instant").as_millisecond();
        for (group, values) in
            sample.as_object().expect("a sample").iter().filter(|(name, _)| *name != "timestamp")
        {
            walk.group(group, values);
        }
    }
    assert!(
        walk.wrong.is_empty(),
        "{} wrong, first: {:#?}",
        walk.wrong.len(),
        &walk.wrong[..walk.wrong.len().min(12)]
    );
    walk.found
}

fn text(value: &Value) -> &str {
    value.as_str().expect("text")
}

impl Walk<'_> {
    fn group(&mut self, name: &str, values: &Value) {
        if LEFT_OUT.iter().any(|(left, _)| *left == name) {
            return;
        }
        match values {
            Value::Array(things) => {
                let several = things.len() > 1;
                for thing in things {
                    self.members(name, thing.as_object().expect("an object"), several);
                }
            }
            Value::Object(members) => self.members(name, members, false),
            other => panic!("{name}: {other} is neither a list nor an object"),
        }
    }

    fn members(&mut self, group: &str, members: &Map<String, Value>, several: bool) {
        let item = members.iter().find(|(name, _)| ITEMS.contains(&name.as_str()));
        let item = item.map_or("", |(_, value)| value.as_str().unwrap_or(""));
        // All CPUs together stand in no row where each of them does.
        if item == "all" && several {
            return;
        }
        for (member, value) in members.iter().filter(|(name, _)| !ITEMS.contains(&name.as_str())) {
            match value {
                Value::Number(number) => {
                    let printed = number.as_f64().expect("a number");
                    let half = if number.is_f64() { 0.005 } else { 0.0 };
                    self.number(group, member, item, printed, half);
                }
                other => self.group(member, other),
            }
        }
    }

    fn number(&mut self, group: &str, member: &str, item: &str, printed: f64, half: f64) {
        let name = format!("{group}.{member}");
        if LEFT_OUT.iter().any(|(left, _)| *left == group || *left == name) {
            return;
        }
        if group == "interrupts" {
            self.interrupt(member, item, printed, half);
            return;
        }
        if let Some((_, prefix, members, names)) = PROTOCOLS.iter().find(|(known, ..)| *known == group) {
            let at = members.split_whitespace().position(|known| known == member);
            let counter = names.split_whitespace().nth(at.expect("a member that is known")).expect("a name");
            let key = format!("{prefix}{counter}");
            self.check(&name, ("net_proto", &key), (&["value"], &[]), How::Rate(1.0), (printed, half));
            return;
        }
        let Some((_, table, key, plus, minus, how)) = TAKEN.iter().find(|(taken, ..)| *taken == name) else {
            self.wrong.push(format!("{name}: neither taken nor left out"));
            return;
        };
        // Sizes of file systems are printed without their decimals.
        let half = if group == "filesystems" && member.starts_with("MB") { 0.5 } else { half };
        self.check(&name, (table, key.unwrap_or(item)), (plus, minus), *how, (printed, half));
    }

    fn interrupt(&mut self, member: &str, item: &str, printed: f64, half: f64) {
        let how = How::Rate(1.0);
        let name = format!("interrupts.{item}.{member}");
        match (member.strip_prefix("CPU"), item) {
            // Of a CPU no table has the sum of its interrupts.
            (Some(_), "sum") => {}
            (None, "sum") => self.check(&name, ("system", ""), (&["interrupts"], &[]), how, (printed, half)),
            (None, _) => self.check(&name, ("irq", item), (&["interrupts"], &[]), how, (printed, half)),
            (Some(cpu), _) => {
                let key = format!("{item} {cpu}");
                if printed > 0.0 {
                    self.check(&name, ("irq_cpu", &key), (&["interrupts"], &[]), how, (printed, half));
                } else if self.rows.number("irq_cpu", self.ms, &key, "interrupts").is_some() {
                    self.wrong.push(format!("{name}: a row of a CPU that served none"));
                }
            }
        }
    }

    fn check(
        &mut self,
        name: &str,
        (table, key): (&str, &str),
        (plus, minus): (&[&str], &[&str]),
        how: How,
        (printed, half): (f64, f64),
    ) {
        let other = DEVICES.iter().find(|(told, _)| *told == key).map_or(key, |(_, number)| *number);
        let is_there = |key: &&str| self.rows.number(table, self.ms, key, plus[0]).is_some();
        let Some(key) = [key, other].into_iter().find(is_there) else {
            if self.is_converted && printed == 0.0 {
                return;
            }
            self.wrong.push(format!("{name} {key} at {}: {printed} is in no row of {table}", self.ms));
            return;
        };
        let sum = |columns: &[&str]| -> Option<f64> {
            columns.iter().map(|column| self.rows.number(table, self.ms, key, column)).sum()
        };
        let secs = self.rows.number(table, self.ms, key, "secs");
        let scale = match how {
            How::Rate(factor) => secs.map(|secs| secs * factor),
            How::Share => secs.map(|secs| secs / 100.0),
            How::Level(factor) => Some(factor),
        };
        let without = sum(minus).or(self.is_converted.then_some(0.0));
        let (Some(plus_value), Some(minus_value), Some(scale)) = (sum(plus), without, scale) else {
            self.wrong.push(format!("{name} {key} at {}: {printed}, and NULL in {table}", self.ms));
            return;
        };
        // A column of whole numbers has the nearest one.
        let columns = plus.iter().chain(minus);
        let whole =
            columns.filter(|column| self.rows.is_whole(table, self.ms, key, column)).count() as f64 * 0.5;
        let half = if self.exact == Exact::Rounded { half } else { 0.0 };
        let room = half * scale + whole + 1e-9 * (printed * scale).abs() + 1e-9;
        let there = plus_value - minus_value;
        if (there - printed * scale).abs() > room {
            self.wrong.push(format!(
                "{name} {key} at {}: printed {printed}, expected {} in {table}, there is {there}",
                self.ms,
                printed * scale
            ));
            return;
        }
        self.found += 1;
    }
}

/// As many as the recording has of those that have a column: four samples.
const NUMBERS: usize = 1100;

#[test]
fn json_xml_csv_and_lines_of_sadf_have_the_numbers_of_the_json() {
    for ending in ["json", "xml", "csv", "awk"] {
        let read = import(&fixture("sadf", ending));
        assert_eq!(read.file.what, "sadf, 4 samples", "{ending}: {:?}", read.flaws);
        assert!(read.flaws.is_empty(), "{ending}: {:?}", read.flaws);
        let found = compare(&read, &twin(), Exact::Printed);
        assert!(found >= NUMBERS, "{ending}: {found}");
        assert!(told(&read).contains("rebooted during"), "{ending}");
    }
}

/// Some versions print 12-12-28.
#[test]
fn times_with_dashes_are_times() {
    let file = String::from_utf8(fixture("sadf", "xml")).expect("text");
    let with_dashes = |line: &str| match line.split_once(" time=\"") {
        Some((before, rest)) => format!("{before} time=\"{}{}", rest[..8].replace(':', "-"), &rest[8..]),
        None => line.to_owned(),
    };
    let file: Vec<String> = file.lines().map(with_dashes).collect();
    let read = import(file.join("\n").as_bytes());
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    assert!(compare(&read, &twin(), Exact::Printed) >= NUMBERS);
}

/// CPUs that are offline have no value in a line of `-d`, which names none of those that are online.
#[test]
fn interrupts_are_of_the_cpus_that_were_online() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/sadf");
    let file = |ending| {
        fs::read(folder.join(format!("simulated-sysstat-12.7.5-offline.{ending}"))).expect("fixture")
    };
    let twin = serde_json::from_slice(&file("json")).expect("JSON");
    let lines = file("csv");
    let read = import(&lines);
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let found = compare(&read, &twin, Exact::Printed);
    assert!(found > 500, "{found}");
    // Without the rows of CPUs nobody knows whose the numbers are.
    let text = String::from_utf8(lines).expect("text");
    let at = text.find("# hostname;interval;timestamp;INTR").expect("interrupts");
    let alone = import(&text.as_bytes()[at..]);
    assert!(told(&alone).contains("no row says which CPUs were online"), "{}", told(&alone));
    assert!(!told(&alone).contains("irq_cpu ") && told(&alone).contains("irq time="), "{}", told(&alone));
}

#[test]
fn the_text_of_sar_has_the_numbers_of_the_json() {
    let text = String::from_utf8(fixture("sar", "txt")).expect("text");
    for (how, text) in [
        ("as it is", text.clone()),
        ("with decimal commas", with_commas(&text)),
        ("with AM and PM", with_halves_of_days(&text, ["AM", "PM"])),
        ("with 上午 and 下午", with_halves_of_days(&text, ["上午", "下午"])),
        ("with the date of ISO 8601", text.replacen("11/22/26", "2026-11-22", 1)),
        ("with the date of Germany", text.replacen("11/22/26", "22.11.2026", 1)),
        ("with a word for the mean", text.replace("Average:", "Durchschn.:")),
        ("as Windows saves it", text.replace('\n', "\r\n")),
    ] {
        let read = import(text.as_bytes());
        assert!(read.flaws.is_empty(), "{how}: {:?}", read.flaws);
        let found = compare(&read, &twin(), Exact::Printed);
        assert!(found >= NUMBERS, "{how}: {found}");
    }
}

/// 0.50 as 0,50; dates and the version of the kernel have more than one point.
fn with_commas(text: &str) -> String {
    let comma = |word: &str| {
        let is_decimal = word.split_once('.').is_some_and(|(whole, part)| {
            !whole.is_empty() && (whole.to_owned() + part).bytes().all(|byte| byte.is_ascii_digit())
        });
        if is_decimal { word.replace('.', ",") } else { word.to_owned() }
    };
    let line = |line: &str| line.split(' ').map(comma).collect::<Vec<_>>().join(" ");
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

/// 11:58:16 as 11:58:16 AM.
fn with_halves_of_days(text: &str, halves: [&str; 2]) -> String {
    let line = |line: &str| {
        let hour = line.get(..8).filter(|time| time.as_bytes()[2] == b':' && time.as_bytes()[5] == b':');
        let hour = hour.and_then(|time| time.get(..2)?.parse::<u32>().ok());
        hour.map_or(line.to_owned(), |hour| {
            let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
            format!("{twelve:02}{} {}{}", &line[2..8], halves[usize::from(hour >= 12)], &line[8..])
        })
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn the_binary_file_has_the_numbers_of_the_json() {
    let read = import(&fixture("sadf", "sa"));
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let found = compare(&read, &twin(), Exact::Rounded);
    assert!(found >= NUMBERS, "{found}");
}

/// No form prints the size of memory, but all let it be known; the machine had 24,684,092 kB.
#[test]
fn every_form_tells_how_large_memory_is() {
    let others = ["sa", "json", "xml", "csv", "awk"].map(|ending| fixture("sadf", ending));
    for file in others.into_iter().chain([fixture("sar", "txt")]) {
        let read = import(&file);
        let rows = RowIndex::of(&read);
        let size = rows.number("memory", 1_795_349_549_000, "", "total_bytes");
        assert_eq!(size, Some(24_684_092.0 * 1024.0), "{}", told(&read));
    }
}
