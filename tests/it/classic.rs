//! The same numbers as the classic tools, for the same time, under a steady load.
//!
//! Counters are held between two bounds that no tuning is in: the tool is read before the
//! window, at the begin and at the end of a command that the window is opened for, and after
//! it. What the command's readings differ by lies within our window, what the outer ones
//! differ by holds it; a counter that only grows must be between. On a quiet machine the outer
//! ones span little more than the inner ones; a wrong unit cannot hide on any.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::{Backing, LoopDevice, said};
use heldup_testkit::needs::Need;
use heldup_testkit::running::Running;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;
use serde_json::Value;

/// Numbers by name.
pub type Numbers = BTreeMap<String, f64>;

/// Name, needs and body.
type ClassicTest = (&'static str, &'static [Need], crate::Run);

pub fn trials() -> Vec<Trial> {
    let tests: [ClassicTest; 9] = [
        ("ethtool", &[Need::Root, Need::Tool("ethtool")], ethtool),
        ("free", &[Need::Tool("free")], free),
        (
            "iostat",
            &[
                Need::Root,
                Need::Tool("iostat"),
                Need::Tool("fio"),
                Need::Tool("losetup"),
                Need::File("/dev/loop-control"),
            ],
            iostat,
        ),
        ("mpstat", &[Need::Tool("mpstat")], mpstat),
        ("nstat", &[Need::Tool("nstat")], nstat),
        ("numastat", &[Need::Tool("numastat"), Need::File("/sys/devices/system/node/node0")], numastat),
        ("slabtop", &[Need::Root, Need::Tool("slabtop")], slabtop),
        ("ss", &[Need::Tool("ss")], ss),
        ("vmstat", &[Need::Tool("vmstat")], vmstat),
    ];
    let one = |(name, needs, run): ClassicTest| crate::trial(format!("classic::{name}"), needs, run);
    tests.into_iter().map(one).collect()
}

/// How much wider the outer readings may be than the inner ones where there is load. On a quiet
/// machine start-up and end of an examination take less than the command of three seconds; units
/// that are mixed up differ by a hundred or by 1024.
const OUTER_AT_MOST: f64 = 20.0;

/// What a tool printed at four moments, and an examination between the outer two.
struct Readings {
    heldup: Heldup,
    /// Before the window, at the begin and the end of the command, after the window.
    texts: [String; 4],
}

impl Readings {
    fn of(tool: &[&str]) -> Result<Readings> {
        let heldup = Heldup::found()?;
        let folder = Scratch::new("classic")?;
        let print = || said(Command::new(tool[0]).args(&tool[1..]).env("LC_ALL", "C"));
        // The first argument is the folder, the others are the tool.
        let script = "export LC_ALL=C; \"$@\" > \"$0/began\" && sleep 3 && \"$@\" > \"$0/ended\"";
        let mut command: Vec<&OsStr> = ["sh", "-c", script].map(OsStr::new).to_vec();
        command.push(folder.path().as_os_str());
        command.extend(tool.iter().map(OsStr::new));
        let before = print()?;
        heldup.examine_command(&command)?;
        let after = print()?;
        let inner =
            |name: &str| fs::read_to_string(folder.path().join(name)).with_context(|| name.to_owned());
        let texts = [before, inner("began")?, inner("ended")?, after];
        Ok(Readings { heldup, texts })
    }

    /// The query's values by the text in its first column.
    fn ours(&self, query: &str) -> Result<BTreeMap<String, f64>> {
        let rows = self.heldup.sql_last(query)?;
        let pair = |row: Vec<Value>| Some((row.first()?.as_str()?.to_owned(), row.get(1)?.as_f64()?));
        Ok(rows.into_iter().filter_map(pair).collect())
    }

    /// What the tool's counters grew by, within the command and around the window.
    fn growth(&self, read: impl Fn(&str) -> BTreeMap<String, f64>) -> BTreeMap<String, (f64, f64)> {
        growth([0, 1, 2, 3].map(|at: usize| read(&self.texts[at])))
    }
}

/// What counters grew by between the inner two and the outer two of four moments.
pub fn growth([before, began, ended, after]: [Numbers; 4]) -> BTreeMap<String, (f64, f64)> {
    let grown = |from: &Numbers, to: &Numbers, name: &str| Some(to.get(name)? - from.get(name)?);
    let both = |name: &String| {
        let inner = grown(&began, &ended, name)?;
        Some((name.clone(), (inner, grown(&before, &after, name)?)))
    };
    before.keys().filter_map(both).collect()
}

/// Our counters lie between the tool's. `loaded` are those that the load moves.
pub fn held_between(
    ours: &Numbers,
    growth: &BTreeMap<String, (f64, f64)>,
    loaded: &[&str],
    slack: f64,
) -> Result<()> {
    let mut wrong = Vec::new();
    for (name, (inner, outer)) in growth {
        let Some(value) = ours.get(name) else { continue };
        // What fell within the time is no counter, whatever it stands among.
        if *inner >= 0.0 && outer >= inner && !(inner - slack..=outer + slack).contains(value) {
            wrong.push(format!("{name}: {value} is not within {inner} and {outer}"));
        }
    }
    for name in loaded {
        match (ours.get(*name), growth.get(*name)) {
            (Some(_), Some((inner, outer))) if *inner > 0.0 && *outer <= inner * OUTER_AT_MOST => {}
            (value, bounds) => wrong.push(format!("{name}: {value:?} and {bounds:?} prove nothing")),
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The numbers of a text whose lines are a number and a name.
fn number_first(text: &str) -> BTreeMap<String, f64> {
    let pair = |line: &str| {
        let (number, name) = line.trim().split_once(' ')?;
        Some((name.trim().to_owned(), number.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// The numbers of a text whose lines are a name and a number, with more behind them.
pub fn name_first(text: &str) -> BTreeMap<String, f64> {
    let pair = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        Some((fields.next()?.trim_end_matches(':').to_owned(), fields.next()?.parse().ok()?))
    };
    text.lines().filter_map(pair).collect()
}

/// `vmstat -s` prints what the kernel has counted since boot.
fn vmstat() -> Result<()> {
    let _forks = Running::program("fork_storm", &[&"2"])?;
    let readings = Readings::of(&["vmstat", "-s"])?;
    // The tool's names; ticks are hundredths of a second, pages paged are KiB.
    let ours = readings.ours(
        "select 'non-nice user cpu ticks', 100 * sum(user_s) from cpu \
         union all select 'system cpu ticks', 100 * sum(system_s) from cpu \
         union all select 'softirq cpu ticks', 100 * sum(softirq_s) from cpu \
         union all select 'stolen cpu ticks', 100 * sum(steal_s) from cpu \
         union all select 'interrupts', sum(interrupts) from system \
         union all select 'CPU context switches', sum(context_switches) from system \
         union all select 'forks', sum(forks) from system \
         union all select 'K paged in', sum(page_in_bytes) / 1024 from vmstat \
         union all select 'K paged out', sum(page_out_bytes) / 1024 from vmstat",
    )?;
    let loaded = ["system cpu ticks", "interrupts", "CPU context switches", "forks"];
    // The line `cpu` that the tool prints is the sum of finer times, cut to ticks once; ours is
    // the sum of the CPUs' lines, each cut: at most a tick a CPU and reading less.
    let slack = 2.0 * heldup_testkit::needs::online_cpus() as f64;
    held_between(&ours, &readings.growth(number_first), &loaded, slack)
}

/// `mpstat` prints the shares of one interval: its seconds lie within ours, and what we have
/// more fits into the rest of our window.
fn mpstat() -> Result<()> {
    const SECONDS: f64 = 3.0;
    let _load = Running::program("spin", &[&"1", &"1", &"50", &"100"])?;
    let heldup = Heldup::found()?;
    let folder = Scratch::new("mpstat")?;
    let script = "LC_ALL=C exec mpstat -P ALL -o JSON 3 1 > \"$0/shares\"";
    let folder_argument = folder.path().as_os_str();
    heldup.examine_command(&[OsStr::new("sh"), OsStr::new("-c"), OsStr::new(script), folder_argument])?;
    let rows = heldup.sql_last(
        "select cpu_idx, sum(secs), sum(user_s - guest_s), sum(nice_s - guest_nice_s), sum(system_s), sum(steal_s) \
         from cpu group by cpu_idx",
    )?;
    let text = fs::read_to_string(folder.path().join("shares"))?;
    let shares: Value = serde_json::from_str(&text).context("the answer of mpstat")?;
    let cpus = &shares["sysstat"]["hosts"][0]["statistics"][0]["cpu-load"];
    let mut wrong = Vec::new();
    let mut busy = 0.0;
    for row in &rows {
        let number = |at: usize| row[at].as_f64().with_context(|| format!("{row:?}"));
        let cpu_idx = number(0)?.to_string();
        let of_cpu = cpus.as_array().into_iter().flatten().find(|cpu| cpu["cpu"] == cpu_idx.as_str());
        let of_cpu = of_cpu.with_context(|| format!("CPU {cpu_idx} is not in {text}"))?;
        for (at, kind) in [(2, "usr"), (3, "nice"), (4, "sys"), (5, "steal")] {
            let theirs = of_cpu[kind].as_f64().context("a share")? / 100.0 * SECONDS;
            let (ours, rest) = (number(at)?, number(1)? - SECONDS);
            busy += theirs;
            // Two decimals of a share of ticks, of an interval that is a few ticks longer.
            let slack = 0.05;
            if ours < theirs - slack || ours > theirs + rest + slack {
                wrong.push(format!("CPU {cpu_idx} {kind}: {ours:.2} s, mpstat {theirs:.2} s of {SECONDS} s"));
            }
        }
    }
    ensure!(busy > 0.3 * SECONDS, "no load: {text}");
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Reads of a device that nobody else uses, all within the interval of `iostat` and within ours:
/// numbers, bytes and times are the same.
fn iostat() -> Result<()> {
    const READS: f64 = 2000.0;
    let device = LoopDevice::new("classic", 512 << 20, Backing::Direct)?;
    let (heldup, folder) = (Heldup::found()?, Scratch::new("iostat")?);
    // The first look of iostat must be before the first read, and nothing says when it was.
    let script = format!(
        "LC_ALL=C iostat -x -y -o JSON {name} 5 1 > \"$0/rates\" & sleep 1.5; \
         fio --name=reads --rw=randread --bs=128k --direct=1 --ioengine=psync --number_ios={READS} --runtime=2 \
         --filename={path} --output=/dev/null && wait",
        name = device.name(),
        path = device.path().display()
    );
    let folder_argument = folder.path().as_os_str();
    heldup.examine_command(&[OsStr::new("sh"), OsStr::new("-c"), OsStr::new(&script), folder_argument])?;
    let rows = heldup.sql_last(&format!(
        "select sum(reads), sum(read_bytes) / 1024.0, 1000 * sum(read_s), sum(busy_s) from disk where device = '{}'",
        device.name()
    ))?;
    let number =
        |at: usize| rows.first().and_then(|row| row.get(at)?.as_f64()).context("no row of the device");
    let ours = [number(0)?, number(1)?, number(2)? / number(0)?, number(3)?];
    let text = fs::read_to_string(folder.path().join("rates"))?;
    let answer: Value = serde_json::from_str(&text).context("the answer of iostat")?;
    let disk = &answer["sysstat"]["hosts"][0]["statistics"][0]["disk"][0];
    let theirs = |name: &str| disk[name].as_f64().with_context(|| format!("{name}: {text}"));
    // Rates over an interval that is up to 1 % longer than it was asked to be, with two decimals.
    let expected =
        [5.0 * theirs("r/s")?, 5.0 * theirs("rkB/s")?, theirs("r_await")?, 5.0 * theirs("util")? / 100.0];
    let slack = [25.0, 3200.0, 0.01, 0.05];
    let names = ["reads", "KiB read", "ms a read", "seconds busy"];
    ensure!(ours[0] > 200.0, "too few reads to tell: {ours:?}");
    for at in 0..names.len() {
        let off = (ours[at] - expected[at]).abs();
        ensure!(
            off <= expected[at] * 0.015 + slack[at],
            "{}: {:.2}, iostat {:.2}",
            names[at],
            ours[at],
            expected[at]
        );
    }
    Ok(())
}

/// Between a look of ours and one of `free` lies up to a second, in which programs take and
/// give memory: each of its numbers is within what ours span, give or take what it moved by
/// itself meanwhile, and 2 % of the memory.
fn free() -> Result<()> {
    let readings = Readings::of(&["free", "-b", "-w"])?;
    let rows = readings.heldup.sql_last(
        "select total_bytes, min(free_bytes), max(free_bytes), min(available_bytes), max(available_bytes), \
         min(buffers_bytes), max(buffers_bytes), min(cached_bytes + slab_reclaimable_bytes), \
         max(cached_bytes + slab_reclaimable_bytes), swap_total_bytes from memory",
    )?;
    let row: Vec<f64> = rows.first().context("no row")?.iter().filter_map(Value::as_f64).collect();
    let [total, ranges @ .., swap_total] = row.as_slice() else { bail!("{rows:?}") };
    let said: Vec<[f64; 6]> = readings.texts.iter().map(|text| free_said(text)).collect::<Result<_>>()?;
    for (at, range) in ranges.chunks(2).enumerate() {
        let theirs = said.iter().map(|numbers| numbers[at + 2]);
        let moved = theirs.clone().fold(f64::MIN, f64::max) - theirs.clone().fold(f64::MAX, f64::min);
        let slack = total * 0.02 + moved;
        for number in theirs.skip(1).take(2) {
            let within = range[0] - slack <= number && number <= range[1] + slack;
            ensure!(within, "{number} is not within {range:?}, give or take {slack}: {:?}", readings.texts);
        }
    }
    let totals = [*total, *swap_total];
    ensure!(said.iter().all(|numbers| numbers[..2] == totals), "{totals:?}: {:?}", readings.texts);
    Ok(())
}

/// Memory, swap space, then free, available, buffers and cache (with slab that can be
/// reclaimed), bytes.
fn free_said(text: &str) -> Result<[f64; 6]> {
    let line = |name: &str| -> Result<Vec<f64>> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).with_context(|| text.to_owned())?;
        Ok(line.split_ascii_whitespace().filter_map(|field| field.parse().ok()).collect())
    };
    let (memory, swap) = (line("Mem:")?, line("Swap:")?);
    let [total, _used, free, _shared, buffers, cache, available] = memory[..] else { bail!("{text}") };
    Ok([total, *swap.first().context("no swap line")?, free, available, buffers, cache])
}

/// `numastat` prints pages since boot, a column for each node.
fn numastat() -> Result<()> {
    let _forks = Running::program("fork_storm", &[&"2"])?;
    let readings = Readings::of(&["numastat"])?;
    let ours = readings.ours(&of_nodes())?;
    let theirs = readings.growth(by_node);
    ensure!(ours.keys().eq(theirs.keys()), "{ours:?} and {theirs:?}");
    held_between(&ours, &theirs, &["numa_hit node0", "local_node node0"], 0.0)
}

/// What `numastat` prints, as the table `numa` has it.
pub fn of_nodes() -> String {
    let columns = ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];
    let one = |name| {
        format!(
            "select '{name} node' || node_idx as name, cast(sum({name}) as real) as pages from numa group by node_idx"
        )
    };
    columns.map(one).join(" union all ")
}

/// The numbers below a line of nodes, each named by its line and its node.
pub fn by_node(text: &str) -> BTreeMap<String, f64> {
    let mut lines = text.lines();
    let nodes: Vec<&str> = lines.next().unwrap_or_default().split_ascii_whitespace().collect();
    let of_line = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let name = fields.next().unwrap_or_default().to_owned();
        let named = nodes.iter().zip(fields);
        named
            .filter_map(|(node, value)| Some((format!("{name} {node}"), value.parse().ok()?)))
            .collect::<Vec<_>>()
    };
    lines.flat_map(of_line).collect()
}

/// `nstat -a` prints counters of our own network namespace since boot.
fn nstat() -> Result<()> {
    // A port that nobody listens at: each datagram is answered by ICMP, which is counted too.
    let _load = Running::program("send_datagrams", &[&"9"])?;
    let readings = Readings::of(&["nstat", "-a", "-s", "-z"])?;
    let link = fs::read_link("/proc/self/ns/net")?.to_string_lossy().into_owned();
    let netns = link.trim_start_matches("net:[").trim_end_matches(']');
    let ours = readings
        .ours(&format!("select name, sum(value) from net_proto where netns = {netns} group by name"))?;
    let theirs = readings.growth(name_first);
    let untold: Vec<&String> = theirs.keys().filter(|name| !ours.contains_key(*name)).collect();
    // Of what nstat knows nearly all must be there, or the names differ.
    ensure!(untold.len() * 10 < theirs.len(), "not in net_proto: {untold:?}");
    held_between(&ours, &theirs, &["UdpOutDatagrams", "IpOutRequests", "UdpNoPorts"], 0.0)
}

/// `slabtop` prints what the kernel's caches hold now; sizes are fixed, numbers move little.
fn slabtop() -> Result<()> {
    let readings = Readings::of(&["slabtop", "-o", "-s", "c"])?;
    let rows = readings.heldup.sql_last(
        "select name, min(objects), max(objects), min(object_bytes), min(objects_per_slab) from slab group by name",
    )?;
    let mut compared = 0;
    for line in readings.texts[2].lines() {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [objects, _, _, size, _, per_slab, _, name] = fields[..] else { continue };
        let Ok(objects) = objects.parse::<f64>() else { continue };
        // Caches without memory have no row.
        if objects == 0.0 {
            continue;
        }
        let row = rows.iter().find(|row| row[0] == name).with_context(|| format!("no row of {name}"))?;
        let number = |at: usize| row[at].as_f64().with_context(|| format!("{row:?}"));
        let kib: f64 = size.trim_end_matches('K').parse()?;
        ensure!((number(3)? / 1024.0 - kib).abs() <= 0.006, "{name}: {} bytes, slabtop {size}", number(3)?);
        ensure!(number(4)? == per_slab.parse::<f64>()?, "{name}: {} a slab, slabtop {per_slab}", number(4)?);
        // Ours are of moments between the first and the last of slabtop's, and a cache may have
        // grown and shrunk a little between them.
        let (least, most) = (number(1)? * 0.9 - 1000.0, number(2)? * 1.1 + 1000.0);
        let theirs = readings.texts.iter().filter_map(|text| slab_objects(text, name));
        let (fewest, largest) =
            theirs.fold((objects, objects), |(least, most), one| (one.min(least), one.max(most)));
        ensure!(
            fewest <= most && least <= largest,
            "{name}: slabtop {fewest} to {largest}, ours {least} to {most}"
        );
        compared += 1;
    }
    ensure!(compared >= 5, "only {compared} caches in\n{}", readings.texts[2]);
    Ok(())
}

/// Objects of the cache in a text of `slabtop`.
fn slab_objects(text: &str, cache: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.split_ascii_whitespace().last() == Some(cache))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// A listener that never accepts and the connections that wait at it, as `ss` prints them.
fn ss() -> Result<()> {
    let mut listener = Running::program("deaf_listener", &[])?;
    let port: u16 = listener.line()?.parse()?;
    // The backlog of 1 holds two connections; both ends stay open while `_waiting` lives.
    let connect = || std::net::TcpStream::connect(("127.0.0.1", port));
    let _waiting = [connect()?, connect()?];
    let readings = Readings::of(&["ss", "-H", "-t", "-a", "-n"])?;
    let ours = readings.heldup.sql_last(&format!(
        "select state, receive_queue, coalesce(backlog_max, send_queue), local_port, peer_port from socket \
         where (local_port = {port} or peer_port = {port}) and protocol = 'tcp' \
         and time = (select max(time) from socket)"
    ))?;
    let shown = |row: &Vec<Value>| {
        let words: Vec<String> =
            row.iter().map(|cell| cell.as_str().map_or(cell.to_string(), str::to_owned)).collect();
        words.join(" ")
    };
    let ours: BTreeSet<String> = ours.iter().map(shown).collect();
    let theirs: BTreeSet<String> = readings.texts[2].lines().filter_map(|line| socket(line, port)).collect();
    ensure!(theirs.len() == 5, "a listener and two connections from both ends: {theirs:?}");
    ensure!(ours == theirs, "socket {ours:?}\nss {theirs:?}");
    Ok(())
}

/// State, queues and ports of a line of `ss` about a port.
fn socket(line: &str, port: u16) -> Option<String> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let [state, receive, send, local, peer, ..] = fields[..] else { return None };
    let of = |address: &str| address.rsplit(':').next()?.replace('*', "0").parse::<u16>().ok();
    let (local, peer) = (of(local)?, of(peer)?);
    let state = match state {
        "ESTAB" => "established".to_owned(),
        other => other.to_lowercase(),
    };
    (local == port || peer == port).then(|| format!("{state} {receive} {send} {local} {peer}"))
}

/// What drivers count and how they are set, of every interface of ours.
fn ethtool() -> Result<()> {
    let (heldup, interfaces) = (Heldup::found()?, interfaces()?);
    heldup.examine(1)?;
    let link = fs::read_link("/proc/self/ns/net")?.to_string_lossy().into_owned();
    let netns = link.trim_start_matches("net:[").trim_end_matches(']').to_owned();
    let (mut features, mut statistics) = (0, 0);
    for name in &interfaces {
        let answer = said(Command::new("ethtool").args(["-k", name]))?;
        let rows = heldup.sql_last(&format!(
            "select coalesce(features_on, ''), coalesce(features_off, '') from net_setting \
             where name = '{name}' and netns = {netns}"
        ))?;
        let row = rows.first().with_context(|| format!("no settings of {name}"))?;
        for (at, word) in [(0, "on"), (1, "off")] {
            for feature in row[at].as_str().unwrap_or_default().split_ascii_whitespace() {
                // `tx-x: off [requested on]` is what a feature may wait for.
                let line = answer.lines().find_map(|line| line.trim().strip_prefix(&format!("{feature}:")));
                // Names that the tool prints in a word of its own (rx-checksumming) have no line.
                let Some(said) = line else { continue };
                ensure!(
                    said.split_ascii_whitespace().next() == Some(word),
                    "{name} {feature}: {word}\n{answer}"
                );
                features += 1;
            }
        }
        // No statistics: the tool fails.
        let Ok(answer) = said(Command::new("ethtool").args(["-S", name])) else { continue };
        let theirs: BTreeSet<&str> =
            answer.lines().skip(1).filter_map(|line| Some(line.trim().rsplit_once(':')?.0)).collect();
        let ours = heldup.sql_last(&format!(
            "select distinct statistic from net_driver where name = '{name}' and netns = {netns}"
        ))?;
        // A name that comes twice has a number behind it.
        let ours: BTreeSet<&str> =
            ours.iter().filter_map(|row| row[0].as_str()?.split(" #").next()).collect();
        ensure!(ours == theirs, "{name}: {ours:?}\nethtool {theirs:?}");
        statistics += theirs.len();
    }
    ensure!(features > 0, "no feature could be compared on {interfaces:?}");
    if statistics == 0 {
        eprintln!("no driver of {interfaces:?} counts anything: statistics were not compared");
    }
    Ok(())
}

fn interfaces() -> Result<Vec<String>> {
    let names = fs::read_dir(Path::new("/sys/class/net"))?.flatten();
    Ok(names.filter_map(|entry| entry.file_name().into_string().ok()).collect())
}
