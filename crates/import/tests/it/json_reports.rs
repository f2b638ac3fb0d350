//! `iostat -o JSON` and `mpstat -o JSON`: each number of a recording is looked up in the tables, by a walk of its own
//! over the JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use heldup_import::Import;
use serde_json::Value;

use crate::table_text::{import, number, told, value};

fn recording(name: &str) -> (Import, Vec<Value>) {
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).expect("fixture");
    let json: Value = serde_json::from_slice(&text).expect("JSON");
    let samples = json["sysstat"]["hosts"][0]["statistics"].as_array().expect("samples").clone();
    let read = import(&text);
    assert!(read.flaws.is_empty(), "{:?}", read.flaws);
    (read, samples)
}

/// A printed rate, share or sum and what has to be in the column for it: within half of its last digit, or as the
/// nearest whole number.
fn assert_near(is: Option<f64>, expect: f64, what: &str, read: &Import) {
    let is_near = is.is_some_and(|is| (is - expect).abs() <= 0.5 + 1e-6 * expect.abs());
    assert!(is_near, "{what}: {is:?}, expected {expect}\n{}", told(read));
}

/// Members of a disk, their columns, and what a rate of one is.
const DISK: [(&str, &str, f64); 11] = [
    ("r/s", "reads", 1.0),
    ("w/s", "writes", 1.0),
    ("d/s", "discards", 1.0),
    ("f/s", "flushes", 1.0),
    ("rkB/s", "read_bytes", 1024.0),
    ("wkB/s", "write_bytes", 1024.0),
    ("dkB/s", "discard_bytes", 1024.0),
    ("rrqm/s", "reads_merged", 1.0),
    ("wrqm/s", "writes_merged", 1.0),
    ("aqu-sz", "queue_s", 1.0),
    ("util", "busy_s", 0.01),
];

#[test]
fn every_number_of_iostat_is_in_its_column() {
    let (read, samples) = recording("iostat/debian-12-6.18.44-sysstat-12.6.1-xt.json");
    assert_eq!(read.file.what, "iostat, 3 samples");
    let mut numbers = 0;
    for (at, sample) in samples.iter().enumerate() {
        for disk in sample["disk"].as_array().expect("disks") {
            let name = disk["disk_device"].as_str().expect("a name");
            let key = Some(("device", name));
            let secs = number(&read, "disk", "secs", key, at);
            assert_eq!(secs, (at > 0).then_some(1.0), "the first is since boot");
            for (member, column, factor) in DISK {
                let is = number(&read, "disk", column, key, at);
                let Some(secs) = secs else {
                    assert_eq!(is, None, "{member}: since boot");
                    continue;
                };
                let printed = disk[member].as_f64().expect("a number");
                assert_near(is, printed * factor * secs, member, &read);
                numbers += 1;
            }
            if let (Some(secs), Some(each_ms), Some(rate)) =
                (secs, disk["r_await"].as_f64(), disk["r/s"].as_f64())
            {
                let is = number(&read, "disk", "read_s", key, at);
                assert!(is.is_some_and(|is| (is - each_ms / 1000.0 * rate * secs).abs() < 1e-6), "{is:?}");
            }
        }
        let user = sample["avg-cpu"]["user"].as_f64().expect("a share");
        // Two CPUs.
        let expect = (at > 0).then_some(user / 100.0 * 2.0);
        let is = number(&read, "cpu", "user_s", None, at);
        assert!(
            is.zip(expect).map_or(is == expect, |(is, expect)| (is - expect).abs() < 1e-6),
            "{is:?} {expect:?}"
        );
    }
    assert!(numbers >= 44, "{numbers}");
}

const CPU: [(&str, &str); 10] = [
    ("usr", "user_s"),
    ("nice", "nice_s"),
    ("sys", "system_s"),
    ("iowait", "iowait_s"),
    ("irq", "irq_s"),
    ("soft", "softirq_s"),
    ("steal", "steal_s"),
    ("guest", "guest_s"),
    ("gnice", "guest_nice_s"),
    ("idle", "idle_s"),
];

#[test]
fn every_share_of_mpstat_is_in_its_column() {
    let (read, samples) = recording("mpstat/debian-12-6.18.44-sysstat-12.6.1-A.json");
    assert_eq!(read.file.what, "mpstat, 3 samples");
    assert!(told(&read).contains("the length of the next is used"), "{}", told(&read));
    let mut numbers = 0;
    for (at, sample) in samples.iter().enumerate() {
        for cpu in sample["cpu-load"].as_array().expect("CPUs").iter().filter(|cpu| cpu["cpu"] != "all") {
            let key = Some(("cpu_idx", cpu["cpu"].as_str().expect("a number")));
            assert_eq!(number(&read, "cpu", "secs", key, at), Some(1.0));
            let both = cpu["usr"].as_f64().expect("a share") + cpu["guest"].as_f64().expect("a share");
            for (member, column) in CPU {
                let share = if member == "usr" { both } else { cpu[member].as_f64().expect("a share") };
                let is = number(&read, "cpu", column, key, at);
                assert!(
                    is.is_some_and(|is| (is - share / 100.0).abs() < 1e-6),
                    "{member} {share}: {is:?}\n{}",
                    told(&read)
                );
                numbers += 1;
            }
        }
        for cpu in sample["soft-interrupts"].as_array().expect("CPUs") {
            let key = Some(("cpu_idx", cpu["cpu"].as_str().expect("a number")));
            for one in cpu["intr"].as_array().expect("a list") {
                let name = one["name"].as_str().expect("a name").to_lowercase();
                let rate = one["value"].as_f64().expect("a rate");
                assert_near(number(&read, "softirq", &name, key, at), rate, &name, &read);
                numbers += 1;
            }
        }
        numbers += interrupts(&read, sample, at);
        let all = sample["sum-interrupts"][0]["intr"].as_f64().expect("a rate");
        assert_near(number(&read, "system", "interrupts", None, at), all, "sum", &read);
    }
    assert!(numbers >= 250, "{numbers}");
}

/// Interrupts by line and CPU, of which a table has those that a CPU served; how many there are.
fn interrupts(read: &Import, sample: &Value, at: usize) -> usize {
    let capture = read.capture.as_ref().expect("a capture");
    let mut served: BTreeMap<(String, String, String), String> = BTreeMap::new();
    for batch in capture.tables.get("irq_cpu").into_iter().flatten() {
        for row in 0..batch.num_rows() {
            let of = |column| value(batch, column, row).expect("a value");
            served.insert((of("time"), of("irq"), of("cpu_idx")), of("interrupts"));
        }
    }
    let mut times: Vec<&String> = served.keys().map(|(time, ..)| time).collect();
    times.dedup();
    let mut numbers = 0;
    for cpu in sample["individual-interrupts"].as_array().expect("CPUs") {
        for one in cpu["intr"].as_array().expect("a list") {
            let word = |of: &Value| of.as_str().expect("a name").to_owned();
            let key = (times[at].clone(), word(&one["name"]), word(&cpu["cpu"]));
            let rate = one["value"].as_f64().expect("a rate");
            let is = served.get(&key).map(|text| text.parse::<f64>().expect("a number"));
            match rate > 0.0 {
                true => assert_near(is, rate, &key.1, read),
                false => assert_eq!(is, None, "{key:?}"),
            }
            numbers += 1;
        }
    }
    numbers
}

#[test]
fn a_file_that_ends_within_a_sample_is_read_up_to_there() {
    let name = "iostat/debian-12-6.18.44-sysstat-12.6.1-xt.json";
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).expect("fixture");
    for end in (400..text.len() - 8).step_by(61) {
        let read = import(&text[..end]);
        assert!(!read.flaws.is_empty(), "{end}");
    }
    let whole = import(&text[..text.len() - 60]);
    assert_eq!(whole.file.what, "iostat, 3 samples");
    assert_eq!(whole.flaws.len(), 1, "{:?}", whole.flaws);
}
