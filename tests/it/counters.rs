//! Counters that the kernel does not keep itself agree with those that it does.

use std::ffi::{OsStr, OsString};

use anyhow::{Context, Result, ensure};
use heldup_model::BpfTime;
use heldup_testkit::control_group::{ControlGroup, Controller};
use heldup_testkit::dropped_packets;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::{Backing, LoopDevice};
use heldup_testkit::needs::Need;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;

const BLOCK: &[Need] = &[
    Need::Root,
    Need::File("/sys/kernel/btf/vmlinux"),
    Need::Tool("fio"),
    Need::Tool("losetup"),
    Need::File("/dev/loop-control"),
];

const MEMORY: &[Need] = &[
    Need::Root,
    Need::File("/sys/kernel/btf/vmlinux"),
    Need::File("/proc/sys/vm/compact_memory"),
    Need::Controller(Controller::Memory),
];

const NET: &[Need] = &[
    Need::Root,
    Need::File("/sys/kernel/btf/vmlinux"),
    Need::Tool("ip"),
    Need::Tool("tc"),
    Need::Tool("unshare"),
];

const CALLS: &[Need] = &[Need::Root, Need::File("/sys/kernel/btf/vmlinux")];

pub fn trials() -> Vec<Trial> {
    vec![
        crate::trial("counters::block-latency".to_owned(), BLOCK, requests_are_those_of_the_kernel),
        crate::trial("counters::memory-event".to_owned(), MEMORY, reclaim_is_what_had_to_go),
        crate::trial("counters::net-drop".to_owned(), NET, drops_are_those_of_the_kernel),
        crate::trial("counters::overhead".to_owned(), crate::LEDGER, overhead_is_what_the_kernel_measures),
        crate::trial("counters::system-call".to_owned(), CALLS, failed_calls_are_those_of_the_program),
    ]
}

/// How far the overhead that is shown may be from what the kernel measures.
const OVERHEAD_OFF_BY: f64 = 0.2;

/// What eBPF programs take is estimated always; the kernel counts it while we ask for that, and no longer,
/// and says the same.
fn overhead_is_what_the_kernel_measures() -> Result<()> {
    const SWITCH: &str = "/proc/sys/kernel/bpf_stats_enabled";
    let before = std::fs::read_to_string(SWITCH)?;
    let heldup = Heldup::found()?;
    let measured = heldup.examine_with(2, &["--measure-overhead"])?.examination.overhead;
    ensure!(std::fs::read_to_string(SWITCH)? == before, "{SWITCH} was {before}");
    ensure!(measured.bpf_time == Some(BpfTime::Measured), "{measured:?}");
    let (counted, estimated) =
        measured.bpf_seconds.zip(measured.bpf_estimated_seconds).context("no run time of eBPF programs")?;
    ensure!(counted > 0.0 && estimated > 0.0, "{measured:?}");
    let off = (measured.cpu_seconds + estimated) / (measured.cpu_seconds + counted) - 1.0;
    ensure!(off.abs() <= OVERHEAD_OFF_BY, "off by {off:.2}: {measured:?}");
    let unasked = heldup.examine(1)?.examination.overhead;
    ensure!(unasked.bpf_time == Some(BpfTime::Estimated), "{unasked:?}");
    ensure!(unasked.bpf_seconds.is_some_and(|seconds| seconds > 0.0), "{unasked:?}");
    Ok(())
}

/// One number of each column of a query's only row.
fn numbers(heldup: &Heldup, query: &str) -> Result<Vec<f64>> {
    let rows = heldup.sql_last(query)?;
    let row = rows.first().context("no row")?;
    row.iter().map(|value| value.as_f64().with_context(|| format!("{query}: {value}"))).collect()
}

/// Share of events that may go unseen: a host may hide tasks from eBPF programs, which then do
/// not run in an interrupt that meets one of them. Nothing may be counted that was not there.
const UNSEEN_AT_MOST: f64 = 0.005;

/// Every read that the kernel counts for a device is in the histograms, and their times are
/// those that the kernel adds up.
fn requests_are_those_of_the_kernel() -> Result<()> {
    const READS: f64 = 3000.0;
    let device = LoopDevice::new("latency", 64 << 20, Backing::Direct)?;
    let heldup = Heldup::found()?;
    let options = format!("--filename={} --number_ios={READS}", device.path().display());
    let fio = format!(
        "exec fio --name=reads --rw=randread --bs=4k --direct=1 --ioengine=psync --output=/dev/null {options}"
    );
    heldup.examine_command(&["sh", "-c", &fio].map(OsStr::new))?;
    let name = device.name();
    let counted =
        numbers(&heldup, &format!("select sum(reads), sum(read_s) from disk where device = '{name}'"))?;
    let histograms = numbers(
        &heldup,
        &format!(
            "select sum(case when stage = 'device' then requests end), \
             sum(case when stage = 'queue' then requests end), \
             sum(least_s * requests), sum(below_s * requests) \
             from block_latency where device = '{name}' and operation = 'read'"
        ),
    )?;
    let about = format!("disk {counted:?}, block_latency {histograms:?}");
    ensure!(counted[0] >= READS, "too few reads: {about}");
    ensure!(histograms[0] <= counted[0], "more requests than there were: {about}");
    ensure!(histograms[0] >= counted[0] * (1.0 - UNSEEN_AT_MOST), "requests are missing: {about}");
    ensure!(histograms[1] == histograms[0], "each is in the queue once: {about}");
    // The kernel adds up whole milliseconds, and looks at its clock a little later than we do.
    let seconds = counted[1] * histograms[0] / counted[0];
    ensure!(seconds > histograms[2] - 0.001 && seconds < histograms[3] * 1.02, "times: {about}");
    Ok(())
}

/// A program that reads a file larger than its control group may hold frees what does not fit,
/// and one that asks for compaction compacts every zone that has memory.
fn reclaim_is_what_had_to_go() -> Result<()> {
    const PAGE: u64 = 4096;
    const FILE: u64 = 128 << 20;
    const LIMIT: u64 = 32 << 20;
    let (scratch, heldup) = (Scratch::new("reclaim")?, Heldup::found()?);
    let file = scratch.file_on_disk("file", FILE)?;
    let group = ControlGroup::new(Controller::Memory, "reclaim")?;
    group.limit_memory(LIMIT)?;
    let (path, members) = (file.display(), group.members_file());
    // The first dd only drops the file out of the page cache.
    let work = format!(
        "dd if={path} iflag=nocache count=0 2>/dev/null; echo 1 >/proc/sys/vm/compact_memory; \
         echo $$ >{} && exec dd if={path} of=/dev/null bs=64k 2>/dev/null",
        members.display()
    );
    heldup.examine_command(&["sh", "-c", &work].map(OsStr::new))?;
    let counted = numbers(
        &heldup,
        "select sum(group_reclaimed_pages), sum(group_reclaims), sum(group_reclaim_s), sum(compactions), \
         sum(compaction_s), max(secs) * count(distinct time) from memory_event where name in ('sh', 'dd')",
    )?;
    let about = format!("memory_event {counted:?}");
    let (most, least) = ((FILE / PAGE) as f64, ((FILE - LIMIT) / PAGE) as f64);
    ensure!(counted[0] >= least * (1.0 - UNSEEN_AT_MOST), "not all that does not fit: {about}");
    // What the program itself and the kernel's objects for it take comes to less than the limit.
    ensure!(counted[0] <= most, "more than there was: {about}");
    ensure!(counted[1] > 0.0 && counted[2] > 0.0 && counted[2] < counted[5], "no time passed: {about}");
    let zones = std::fs::read_to_string("/proc/zoneinfo").context("read /proc/zoneinfo")?;
    let present = zones.lines().filter_map(|line| line.trim().strip_prefix("present "));
    let zones = present.filter(|pages| pages.trim() != "0").count() as f64;
    ensure!(counted[3] == zones && counted[4] > 0.0, "{zones} zones: {about}");
    Ok(())
}

/// Datagrams to nobody, to a socket with a full buffer and through a full queue are counted with
/// their reasons, and as often as the kernel's own counters say.
fn drops_are_those_of_the_kernel() -> Result<()> {
    let (scratch, heldup) = (Scratch::new("drops")?, Heldup::found()?);
    let (this, said) = (std::env::current_exe()?, scratch.path().join("counted"));
    let command = ["unshare".as_ref(), "--net".as_ref(), this.as_os_str()];
    let arguments = [dropped_packets::ARGUMENT.as_ref(), said.as_os_str()];
    heldup.examine_command(&[&command[..], &arguments].concat())?;
    let counted = std::fs::read_to_string(&said).with_context(|| format!("read {}", said.display()))?;
    for line in counted.lines() {
        let (reason, packets) = line.split_once(' ').with_context(|| format!("two words in {line:?}"))?;
        let packets: f64 = packets.parse().with_context(|| format!("a number in {line:?}"))?;
        let seen = numbers(
            &heldup,
            &format!(
                "select coalesce(sum(packets), 0) from net_drop \
                 where reason = '{reason}' and network = 'IPv4' and transport = 'UDP'"
            ),
        )?[0];
        let about = format!("{reason}: the kernel counts {packets}, net_drop {seen}");
        ensure!(packets > 0.0, "nothing was dropped: {about}");
        ensure!(seen >= packets * (1.0 - UNSEEN_AT_MOST), "drops are missing: {about}");
        // Others on the machine may drop some at the same time; counted twice would be more.
        ensure!(seen < packets * 2.0, "more drops than there were: {about}");
    }
    Ok(())
}

/// A program that fails on a limit a known number of times is counted that often, and what it
/// asked for is said.
fn failed_calls_are_those_of_the_program() -> Result<()> {
    const FAILURES: f64 = 10.0;
    const ASKED_BYTES: f64 = 1e6;
    let program = heldup_testkit::programs::built("at_limit")?;
    let heldup = Heldup::found()?;
    let arguments = ["locked-memory", &FAILURES.to_string(), &ASKED_BYTES.to_string()].map(OsString::from);
    let command: Vec<&OsStr> =
        std::iter::once(program.as_os_str()).chain(arguments.iter().map(OsString::as_os_str)).collect();
    heldup.examine_command(&command)?;
    let counted = numbers(
        &heldup,
        "select sum(calls), max(argument_2), max(mappings) from system_call \
         where name = 'at_limit' and syscall = 'mlock' and error_name = 'ENOMEM'",
    )?;
    ensure!(counted[0] == FAILURES, "{} failures of {FAILURES}", counted[0]);
    ensure!(counted[1] == ASKED_BYTES, "asked for {} bytes of {ASKED_BYTES}", counted[1]);
    ensure!(counted[2] > 5.0 && counted[2] < 1000.0, "{} mappings", counted[2]);
    Ok(())
}
