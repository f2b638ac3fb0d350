//! Devices that come, go and come back under the same name while they are recorded.

use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use heldup_model::GapReason;
use heldup_testkit::condition::until_within;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::interface_pair::{InterfacePair, PAYLOAD};
use heldup_testkit::loop_device::{Backing, LoopDevice, said};
use heldup_testkit::running::Running;

use super::archive::{Recorder, number};

/// Sealing gives way to everything else.
const SEALED: Duration = Duration::from_secs(60);
const MIB: u64 = 1 << 20;
/// Of it, what a datagram takes beside its payload: UDP, IP and Ethernet headers.
const HEADERS: f64 = 42.0;
/// Neighbours and routers that the kernel asks for at the beginning of an interface.
const OTHERS: f64 = 4096.0;

/// A loop device serves a file, is let go, and serves another: what is recorded of its name is what
/// was read meanwhile, never what it had read before.
pub fn disk_comes_and_goes() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    // The counters of a loop device go on when it gets another file.
    let before = LoopDevice::new("before", 64 * MIB, Backing::Cached)?;
    let name = before.name();
    read_all(&before)?;
    drop(before);
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(2, &archive)?;
    let sum = format!("select total(read_bytes) from disk where device = '{name}'");
    let mut read = 0;
    for size in [16 * MIB, 4 * MIB] {
        let device = LoopDevice::new("served", size, Backing::Cached)?;
        ensure!(device.name() == name, "{} in the place of {name}", device.name());
        recorder.takes(2, &archive)?;
        read_all(&device)?;
        read += size;
        recorder.takes(2, &archive)?;
        drop(device);
        recorder.takes(2, &archive)?;
        let recorded = number(&archive, "disk", &sum)?.context("a sum")?;
        // udev and the kernel look at its partitions and superblocks.
        let most = (read + 4 * MIB) as f64;
        ensure!(recorded <= most, "{recorded} bytes recorded of {name}, {read} read");
        ensure!(recorded >= read as f64 * 0.9, "{recorded} bytes recorded of {name}, {read} read");
    }
    let wrong = "select count(*) from disk where reads < 0 or read_bytes < 0 or busy_s > secs * 1.1 + 0.1";
    ensure!(number(&archive, "disk", wrong)? == Some(0.0), "rates that cannot be");
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    Ok(())
}

fn read_all(device: &LoopDevice) -> Result<()> {
    let from = format!("if={}", device.path().display());
    said(Command::new("dd").args([&from, "of=/dev/null", "bs=1M", "iflag=direct", "status=none"])).map(drop)
}

/// An interface goes, and another comes with the same name, whose counters begin anew.
pub fn interface_comes_and_goes() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(2, &archive)?;
    let name = format!("hi{}", std::process::id() % 1_000_000);
    let sum = format!("select total(tx_bytes) from net_if where name = '{name}'");
    let mut sent = 0.0;
    for datagrams in [1000, 200, 3000] {
        let pair = InterfacePair::new(&name)?;
        recorder.takes(2, &archive)?;
        pair.send(datagrams)?;
        sent += datagrams as f64 * (PAYLOAD as f64 + HEADERS);
        recorder.takes(2, &archive)?;
        let recorded = number(&archive, "net_if", &sum)?.context("a sum")?;
        ensure!(recorded <= sent + 3.0 * OTHERS, "{recorded} bytes recorded of {name}, {sent} sent");
        // The first was there for some samples; the others may begin between two of them.
        ensure!(
            recorded >= 1000.0 * PAYLOAD as f64 * 0.9,
            "{recorded} bytes recorded of {name}, {sent} sent"
        );
    }
    let last = format!("select max(time) from net_if where name = '{name}'");
    let seen = number(&archive, "net_if", &last)?.context("rows")?;
    recorder.takes(3, &archive)?;
    ensure!(number(&archive, "net_if", &last)? == Some(seen), "{name} is gone and still recorded");
    let wrong = "select count(*) from net_if where tx_bytes < 0 or rx_bytes < 0 or tx_packets < 0";
    ensure!(number(&archive, "net_if", wrong)? == Some(0.0), "rates that cannot be");
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    Ok(())
}

/// An interface comes in from another network namespace, with all that it has counted there.
pub fn interface_moves_in() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let name = format!("hi{}", std::process::id() % 1_000_000);
    let pair = InterfacePair::new(&name)?;
    pair.send(3000)?;
    let mut elsewhere = Command::new("unshare");
    elsewhere.args(["--net", "sleep", "600"]);
    let elsewhere = Running::start(elsewhere)?;
    let pid = elsewhere.pid().to_string();
    let own = std::fs::read_link("/proc/self/ns/net")?;
    until_within(SEALED, "there is another namespace", || {
        Ok(std::fs::read_link(format!("/proc/{pid}/ns/net"))? != own)
    })?;
    said(Command::new("ip").args(["link", "set", &name, "netns", &pid]))?;
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(3, &archive)?;
    let back = ["--net", "--target", &pid, "ip", "link", "set", &name, "netns", "1"];
    said(Command::new("nsenter").args(back))?;
    recorder.takes(3, &archive)?;
    said(Command::new("ip").args(["link", "set", &name, "up"]))?;
    recorder.takes(3, &archive)?;
    let sums = format!(
        "select total(tx_bytes), count(tx_bytes) from net_if where name = '{name}' and netns = {}",
        namespace_inode(&own)?
    );
    let seen = super::archive::ask(&archive, "net_if", &sums)?;
    let numbers: Vec<f64> = seen.iter().flatten().filter_map(heldup_archive::Value::as_f64).collect();
    ensure!(numbers.len() == 2 && numbers[1] >= 3.0, "it was not recorded here: {seen:?}");
    ensure!(numbers[0] <= 3.0 * OTHERS, "{} bytes are said to be sent here", numbers[0]);
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    drop(pair);
    Ok(())
}

/// The number in `net:[4026531840]`.
fn namespace_inode(link: &std::path::Path) -> Result<i64> {
    let text = link.to_string_lossy();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().with_context(|| format!("no namespace: {text}"))
}

/// A recorder that is stopped for a while says afterwards that it was late, and has no rates of less time.
pub fn stopped() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = Recorder::start(&heldup, &archive, &[])?;
    recorder.takes(2, &archive)?;
    recorder.stop(true)?;
    until_within(SEALED, "samples are missed", || {
        Ok(super::archive::status(&heldup, &archive)?.last_age_s.is_some_and(|age_s| age_s > 3.0))
    })?;
    recorder.stop(false)?;
    recorder.takes(2, &archive)?;
    let gaps = super::archive::status(&heldup, &archive)?.gaps;
    let late = gaps.iter().any(|gap| gap.why == Some(GapReason::Late) && gap.seconds > 3.0);
    ensure!(late, "the gap is not named: {gaps:?}");
    super::archive::no_false_rates(&archive)?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    Ok(())
}

/// Everything of an archive is there for a reader while segments end, are sealed and put together.
pub fn read_while_written() -> Result<()> {
    let heldup = Heldup::found()?;
    let archive = heldup.home().join("archive");
    let mut recorder = Recorder::start(&heldup, &archive, &["--segment", "2s"])?;
    recorder.takes(1, &archive)?;
    let (mut known, mut readings) = (super::archive::times(&archive)?, 0);
    until_within(SEALED, "two segments are sealed", || {
        let there = super::archive::times(&archive)?;
        let lost: Vec<_> = known.difference(&there).collect();
        ensure!(lost.is_empty(), "reading {readings}: not there any more: {lost:?}");
        known = there;
        readings += 1;
        let days = std::fs::read_dir(archive.join("table=recorder")).into_iter().flatten().flatten();
        let files = days.filter_map(|day| std::fs::read_dir(day.path()).ok()).flatten().flatten();
        Ok(files.filter(|file| file.path().extension().is_some_and(|end| end == "parquet")).count() >= 2)
    })?;
    ensure!(recorder.interrupt()?.success(), "it ends when it is asked to: {}", recorder.said()?);
    ensure!(super::archive::times(&archive)?.is_superset(&known), "samples were lost by sealing");
    super::archive::no_false_rates(&archive)
}
