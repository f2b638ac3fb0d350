//! What recording costs beside 100 and beside 2,000 processes, and what others take for theirs.
//!
//! One in eight processes wakes once a second, as on a machine that does something. The tools take
//! turns, so that each looks at the same machine, and a second of each is compared: what loading eBPF programs
//! costs is paid once in months.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::crowd::{Crowd, Ends};
use super::resources::cpu_seconds_of;
use super::{Bench, Figure, Setting, median, words_of};
use crate::program::is_here;

/// The bench.
pub const BENCH: Bench = Bench {
    name: "record",
    question: "what recording costs each second beside 100 and 2,000 processes, and what others take for theirs",
    looks: true,
    measure,
};

/// Turns of each tool; the median counts.
const TIMES: usize = 3;
/// Length of a turn of ours: what is read once a minute is in it once.
const OUR_SECONDS: u64 = 60;
/// Length of a turn of the others, which do the same each second.
const SECONDS: u32 = 30;
/// Length of the recording by which the size of a day is told, in seconds.
const RECORDED: &str = "HELDUP_BENCH_RECORD_SECONDS";
/// Below this the beginning of a segment is most of it, and no rate can be told.
const LONG_ENOUGH: u64 = 600;
/// Segments of a day.
const SEGMENTS: f64 = 24.0;
/// Length of a day.
const DAY_S: f64 = 86_400.0;
/// Length of a segment.
const HOUR_S: u64 = 3600;
/// What starting and ending a recording may take beside it.
const SPARE_S: u64 = 30;

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (processes, limit) in [(100, 0.2), (2_000, 0.8)] {
        let _crowd = Crowd::up_to(processes)?;
        let folder = std::env::temp_dir().join(format!("heldup-bench-record-{}", std::process::id()));
        let mut ours = Vec::new();
        let mut others: Vec<(&str, Vec<f64>)> =
            rivals(&folder).iter().map(|(name, _)| (*name, Vec::new())).collect();
        for _ in 0..TIMES {
            ours.push(record(setting, &folder, OUR_SECONDS)?);
            for ((_, shares), (_, rival)) in others.iter_mut().zip(rivals(&folder)) {
                shares.extend(rival.map(share_of).transpose()?);
            }
        }
        let beside = format!("beside {processes} processes");
        let cpu: Vec<f64> = ours.iter().map(|ours| ours.cpu + ours.bpf).collect();
        let bpf: Vec<f64> = ours.iter().map(|ours| ours.bpf).collect();
        let what = format!("recorder {beside}, eBPF programs included, of one CPU");
        figures.push(Figure::at_most(what, median(&cpu), limit, "%", 3));
        figures.push(Figure::shown("of that, eBPF programs", format!("{:.3} %", median(&bpf))));
        let memory = ours.iter().map(|ours| ours.memory).fold(0.0, f64::max);
        figures.push(Figure::at_most(format!("resident {beside}"), memory / 1e6, 40.0, "MB", 0));
        for (name, shares) in &others {
            let said = if shares.is_empty() {
                "not installed".to_owned()
            } else {
                format!("{:.2} %", median(shares))
            };
            figures.push(Figure::shown(format!("{name} {beside}, of one CPU"), said));
        }
        if processes == 100 {
            figures.extend(a_day(setting, &folder)?);
        }
    }
    Ok(figures)
}

/// What a recorder used each second, in percent of one CPU, and bytes.
struct Used {
    cpu: f64,
    bpf: f64,
    memory: f64,
}

/// Records for some seconds, and is killed, so that what is sealed can be measured by itself.
fn record(setting: &Setting, folder: &Path, seconds: u64) -> Result<Used> {
    let _ = std::fs::remove_dir_all(folder);
    let mut recorder = Command::new(&setting.heldup);
    recorder
        .args(["record", "-o"])
        .arg(folder)
        .args(["--measure-overhead", "--cpu-budget", "100%"])
        .stderr(Stdio::null());
    let mut recorder = Ends(recorder.spawn().context("start the recorder")?);
    // Its first sample reads what each segment begins with.
    sleep(Duration::from_secs(seconds + 2));
    let status = status(setting, folder)?;
    ensure!(status["running"] == true, "the recorder has ended: {status}");
    ensure!(status["thinned"].is_null(), "it reads less than it declares: {status}");
    recorder.end();
    let _ = std::fs::remove_dir_all(folder);
    let percent = |key: &str| status["cost"][key].as_f64().map(|ratio| 100.0 * ratio);
    Ok(Used {
        cpu: percent("cpu_ratio").with_context(|| format!("no cost: {status}"))?,
        bpf: percent("bpf_ratio").context("the kernel does not count what eBPF programs cost")?,
        memory: status["resident_bytes"].as_f64().unwrap_or(f64::NAN),
    })
}

fn status(setting: &Setting, folder: &Path) -> Result<Value> {
    let mut status = Command::new(&setting.heldup);
    let words = words_of(status.arg("status").arg(folder).args(["--format", "json"]))?;
    let start = words.find('{').with_context(|| format!("no status: {words}"))?;
    Ok(serde_json::from_str(&words[start..])?)
}

/// What a day takes, sealed by the hour and once it is put together, and what sealing costs.
///
/// A segment has a part that does not grow (settings and mounts, the ends of its files) and one that does. So
/// the same recording is sealed as it was after half of its time, and as it is at its end: the difference is
/// what time takes, the rest what each of the day's segments takes once more. Of a day that is put together that is
/// more than it takes: settings that stayed are there once an hour, but in one column.
fn a_day(setting: &Setting, folder: &Path) -> Result<Vec<Figure>> {
    let seconds = match std::env::var(RECORDED) {
        Ok(seconds) => seconds.parse().with_context(|| format!("{RECORDED}={seconds}"))?,
        Err(_) => LONG_ENOUGH,
    };
    let half_folder = folder.with_extension("half");
    let _ = std::fs::remove_dir_all(folder);
    let _ = std::fs::remove_dir_all(&half_folder);
    wait_for_room_in_the_hour(seconds)?;
    let mut recorder = Command::new(&setting.heldup);
    recorder.args(["record", "-o"]).arg(folder).stderr(Stdio::null());
    let mut recorder = Ends(recorder.spawn().context("start the recorder")?);
    sleep(Duration::from_secs(seconds / 2));
    copy_journals(folder, &half_folder)?;
    sleep(Duration::from_secs(seconds - seconds / 2));
    recorder.end();
    let half = sealed(setting, &half_folder)?;
    let whole = sealed(setting, folder)?;
    let day = |bytes: fn(&Sealed) -> f64| {
        let a_second = (bytes(&whole) - bytes(&half)) / (whole.samples - half.samples);
        let once = (bytes(&half) - a_second * half.samples).max(0.0);
        let parts = format!("{a_second:.0} bytes; {:.0} kB", once / 1e3);
        ((SEGMENTS * once + DAY_S * a_second) / 1e6, parts)
    };
    let (by_the_hour, parts_by_the_hour) = day(|sealed| sealed.bytes);
    let (together, parts) = day(|sealed| sealed.together);
    let what = format!("a day, put together, 100 processes, by a recording of {seconds} s");
    let size = match seconds >= LONG_ENOUGH {
        true => Figure::at_most(what, together, 50.0, "MB", 1),
        false => Figure::shown(format!("{what}, too short for its bar"), format!("{together:.0} MB")),
    };
    let sealing = format!("{:.3} %", 100.0 * whole.sealing / whole.samples);
    Ok(vec![
        size,
        Figure::shown("of that a second; and each segment once", parts),
        Figure::shown("the same, sealed by the hour", format!("{by_the_hour:.1} MB ({parts_by_the_hour})")),
        Figure::shown("sealing, of one CPU, apart from the recorder", sealing),
    ])
}

/// Waits for the next hour where this one ends too soon: what is sealed at its end is in no journal any more, and
/// the half would lack what the whole has.
fn wait_for_room_in_the_hour(seconds: u64) -> Result<()> {
    let into = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() % HOUR_S;
    let needed = seconds + SPARE_S;
    if needed < HOUR_S && into + needed > HOUR_S {
        let left = HOUR_S - into + 1;
        eprintln!("a recording of {seconds} s has to lie within an hour: the next begins in {left} s");
        sleep(Duration::from_secs(left));
    }
    Ok(())
}

/// An archive that was sealed.
struct Sealed {
    /// Bytes of its files.
    bytes: f64,
    /// The same once its day is over.
    together: f64,
    /// Samples in them, one a second.
    samples: f64,
    /// CPU seconds that it took.
    sealing: f64,
}

/// Seals an archive whose recorder has ended, and removes it.
fn sealed(setting: &Setting, folder: &Path) -> Result<Sealed> {
    let keep_house = |words: &[&str]| -> Result<(f64, f64)> {
        let mut keep_house = Command::new(&setting.heldup);
        let (cpu_s, _) = cpu_seconds_of(keep_house.arg("keep-house").arg(folder).args(words))?;
        Ok((cpu_s, bytes_below(folder)? as f64))
    };
    let (sealing, bytes) = keep_house(&[])?;
    let mut count = Command::new(&setting.heldup);
    count.args(["sql", "-s"]).arg(folder).arg("select count(distinct time) as n from system");
    let samples = words_of(count.args(["--format", "csv"]))?;
    let samples = samples.lines().filter_map(|line| line.trim().parse().ok()).next_back();
    // A day later the day is over, and its rows are not made coarser yet.
    let (_, together) = keep_house(&["--later", "1d"])?;
    let _ = std::fs::remove_dir_all(folder);
    Ok(Sealed { bytes, together, samples: samples.context("no samples")?, sealing })
}

/// Bytes of all files in a folder and those below it.
fn bytes_below(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)?.flatten() {
        bytes += match entry.file_type()?.is_dir() {
            true => bytes_below(&entry.path())?,
            false => entry.metadata()?.len(),
        };
    }
    Ok(bytes)
}

/// Copies the journals of an archive, as far as they are written.
fn copy_journals(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.join("journal"))?;
    for journal in std::fs::read_dir(from.join("journal"))?.flatten() {
        std::fs::copy(journal.path(), to.join("journal").join(journal.file_name()))?;
    }
    Ok(())
}

/// Other recorders, each with what it records a second; none where it is not installed.
fn rivals(folder: &Path) -> Vec<(&'static str, Option<Command>)> {
    let seconds = SECONDS.to_string();
    let command = |program: &str, words: &[&str]| {
        (is_here(program) || Path::new(program).exists()).then(|| {
            let mut command = Command::new(program);
            command.args(words);
            command
        })
    };
    let file = |name: &str| folder.with_extension(name).display().to_string();
    vec![
        ("atop", command("atop", &["-w", &file("atop"), "1", &seconds])),
        ("pidstat -dru", command("pidstat", &["-dru", "-h", "1", &seconds])),
        ("top", command("top", &["-b", "-d", "1", "-n", &seconds])),
        // Without processes.
        ("sadc -S ALL", command("/usr/lib/sysstat/sadc", &["-S", "ALL", "1", &seconds, &file("sadc")])),
    ]
}

/// Percent of one CPU.
fn share_of(mut command: Command) -> Result<f64> {
    let (cpu, _) = cpu_seconds_of(&mut command)?;
    if let Some(file) = command.get_args().find(|word| Path::new(word).is_absolute()) {
        let _ = std::fs::remove_file(file);
    }
    Ok(100.0 * cpu / f64::from(SECONDS))
}
