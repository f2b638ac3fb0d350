//! Every number that `pidstat` printed is in its column: rows are cut up here by themselves, and each
//! number is looked up by a list of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use heldup_import::Import;

use crate::table_text::{import, told, value};

/// Heading, table of processes, column there, table of threads, column there; how it is multiplied:
/// by seconds (`s`), by seconds and a hundredth (`%`), by 1,024 (`k`), by both (`ks`), not at all.
const COLUMNS: &[(&str, &str, &str, &str)] = &[
    ("%system", "process.system_s", "thread.system_s", "%"),
    ("%wait", "thread.run_delay_s", "thread.run_delay_s", "%"),
    ("CPU", "thread.cpu_idx", "thread.cpu_idx", ""),
    ("minflt/s", "process.minor_faults", "thread.minor_faults", "s"),
    ("majflt/s", "process.major_faults", "thread.major_faults", "s"),
    ("VSZ", "process.virtual_bytes", "", "k"),
    ("RSS", "process.resident_bytes", "", "k"),
    ("kB_rd/s", "process.read_bytes", "thread.device_read_bytes", "ks"),
    ("kB_wr/s", "process.write_bytes", "thread.device_write_bytes", "ks"),
    ("kB_ccwr/s", "process.cancelled_write_bytes", "", "ks"),
    ("iodelay", "", "thread.block_io_delay_s", "%."),
    ("cswch/s", "thread.voluntary_switches", "thread.voluntary_switches", "s"),
    ("nvcswch/s", "thread.involuntary_switches", "thread.involuntary_switches", "s"),
    ("threads", "process.threads", "", ""),
    ("prio", "thread.realtime_priority", "thread.realtime_priority", ""),
    ("UID", "process.uid", "", ""),
];
/// Headings that are checked otherwise or have no column: %usr and %guest are one column, %CPU and %MEM
/// follow from others, no table has the stack's sizes and the number of open files.
const OTHERS: [&str; 9] =
    ["%usr", "%guest", "%CPU", "%MEM", "StkSize", "StkRef", "fd-nr", "policy", "Command"];

fn recording(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pidstat");
    fs::read_to_string(folder.join(format!("debian-12-6.18.44-sysstat-12.6.1-{name}.txt"))).expect("fixture")
}

/// Values by table, time of day and number.
fn index(import: &Import) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (table, id) in [("process", "pid"), ("thread", "tid")] {
        for batch in &import.capture.as_ref().expect("a capture").tables[table] {
            for row in 0..batch.num_rows() {
                let cell = |column: &str| value(batch, column, row);
                let ms: i64 = cell("time").and_then(|text| text.parse().ok()).expect("a time");
                let place = format!("{} {}", ms / 1000 % 86_400, cell(id).expect("a number"));
                for field in batch.schema().fields() {
                    if let Some(there) = cell(field.name()) {
                        values.insert(format!("{table}.{} {place}", field.name()), there);
                    }
                }
            }
        }
    }
    values
}

fn second_of_day(time: &str) -> i64 {
    let parts: Vec<i64> = time.split(':').map(|part| part.parse().expect("a number")).collect();
    parts[0] * 3600 + parts[1] * 60 + parts[2]
}

/// Checks every row; how many numbers there were.
fn compare(text: &str) -> usize {
    let read = import(text.as_bytes());
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    let values = index(&read);
    let number = |place: &str| values.get(place).and_then(|text| text.parse::<f64>().ok());
    let mut headings: Vec<&str> = Vec::new();
    let mut found = 0;
    for line in text.lines().filter(|line| !line.starts_with("Average") && !line.starts_with("Linux")) {
        let words: Vec<&str> = line.trim_start_matches('#').split_whitespace().collect();
        if words.last() == Some(&"Command") {
            headings = words[1..].to_vec();
            continue;
        }
        let Some((time, row)) = words.split_first() else { continue };
        let by: BTreeMap<&str, &str> = headings.iter().copied().zip(row.iter().copied()).collect();
        let is_process = by["TGID"] != "-";
        let id = if is_process { by["TGID"] } else { by["TID"] };
        let second = second_of_day(time);
        let own = if is_process { "process" } else { "thread" };
        let secs = number(&format!("{own}.secs {second} {id}")).unwrap_or_else(|| panic!("{line}: no row"));
        for (heading, printed) in &by {
            let Ok(printed) = printed.parse::<f64>() else { continue };
            if OTHERS.contains(heading) || matches!(*heading, "TGID" | "TID") {
                continue;
            }
            let Some((_, process, thread, how)) = COLUMNS.iter().find(|(known, ..)| known == heading) else {
                panic!("{heading}: neither taken nor left out");
            };
            let column = if is_process { process } else { thread };
            // With -t what is a thread's stands in the thread's own row.
            if column.is_empty() || (is_process && column.starts_with("thread") && by.contains_key("TID")) {
                continue;
            }
            let scale = match *how {
                "s" => secs,
                "%" => secs / 100.0,
                "k" => 1024.0,
                "ks" => 1024.0 * secs,
                "%." => 0.01,
                _ => 1.0,
            };
            let there = number(&format!("{column} {second} {id}"));
            let there = there.unwrap_or_else(|| panic!("{line}: {heading} is NULL in {column}"));
            let is_whole = !column.ends_with("_s");
            let room = if is_whole { 0.5 + 1e-6 } else { 1e-6 };
            assert!((there - printed * scale).abs() <= room, "{line}: {heading} {printed}, {column} {there}");
            found += 1;
        }
        if let (Some(user), Some(guest)) = (by.get("%usr"), by.get("%guest")) {
            let percent: f64 = [user, guest].iter().map(|word| word.parse::<f64>().expect("a number")).sum();
            let there = number(&format!("{own}.user_s {second} {id}")).expect("user_s");
            assert!((there - percent / 100.0 * secs).abs() < 1e-6, "{line}: {there}");
            found += 2;
        }
    }
    found
}

#[test]
fn sections_have_every_number() {
    let text = recording("sections");
    let found = compare(&text);
    assert!(found > 500, "{found}");
    let read = import(text.as_bytes());
    assert_eq!(read.file.what, "pidstat, 2 samples", "{}", told(&read));
    assert!(told(&read).contains("tid=28338 pid=28338 name=rustc"), "{}", told(&read));
}

#[test]
fn one_line_for_each_has_every_number() {
    let text = recording("h");
    let found = compare(&text);
    assert!(found > 500, "{found}");
    assert_eq!(import(text.as_bytes()).file.what, "pidstat, 3 samples");
}

#[test]
fn old_headings_commands_and_midnight() {
    let text = "Linux 2.6.32-220.el6.x86_64 (db1) \t01/31/2012 \t_x86_64_\t(4 CPU)\n\n\
        11:59:50 PM       PID    %usr %system  %guest    %CPU   CPU  Command\n\
        12:00:00 AM      1234   10,50    2,00    0,00   12,50     3  oracle\n\
        12:00:00 AM      1235    1,00    0,00    0,00    1,00     0  /usr/bin/java -jar server.jar --port 80\n\n\
        Average:         1234   10,50    2,00    0,00   12,50     -  oracle\n";
    let read = import(text.as_bytes());
    let values = index(&read);
    let value = |place: &str| values.get(place).map(String::as_str);
    assert_eq!(value("process.user_s 0 1234"), Some("1.05"), "{}", told(&read));
    assert_eq!(value("process.secs 0 1234"), Some("10"));
    assert_eq!(value("thread.cpu_idx 0 1234"), Some("3"));
    assert_eq!(value("process.name 0 1234"), Some("oracle"));
    assert_eq!(value("process.command 0 1235"), Some("/usr/bin/java -jar server.jar --port 80"));
    // The 1st of February.
    assert_eq!(value("process.time 0 1234"), Some("1328054400000"));
}

#[test]
fn a_damaged_row_is_said_and_the_others_are_read() {
    let text = recording("sections").replacen("28338         -", "2x338         -", 1);
    let read = import(text.as_bytes());
    assert_eq!(read.flaws.len(), 1, "{:?}", read.flaws);
    assert!(read.flaws[0].what.contains("expected UID TGID TID"), "{:?}", read.flaws);
    assert_eq!(read.file.what, "pidstat, 2 samples");
}
