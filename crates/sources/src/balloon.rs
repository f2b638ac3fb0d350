//! The memory balloon of a guest (table `balloon`): what the kernel counts for every driver,
//! and what Xen and Hyper-V say besides.
//!
//! Where there is neither a driver nor a counter, that is what is said; a machine of its own
//! has none.

use heldup_hostfs::Host;
use heldup_model::tables::BalloonRow;
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::kernel_text::{Parsed, count, fields, lines};
use crate::source::{ReadContext, Reading, Schedule, Source};

const VMSTAT: &str = "/proc/vmstat";
const VIRTIO: &str = "/sys/bus/virtio/drivers/virtio_balloon";
const XEN: &str = "/sys/devices/system/xen_memory/xen_memory0";
/// Since 6.0, in debugfs: root only.
const HYPER_V: &str = "/sys/kernel/debug/hv-balloon";

/// The source.
#[derive(Debug, Default)]
pub struct Balloon {
    buffer: Vec<u8>,
}

impl Source for Balloon {
    fn name(&self) -> &'static str {
        "balloon"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[BalloonRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let page_bytes = host.units().page_bytes as i64;
        let mut row = BalloonRow::default();
        if host.read_into(VMSTAT, &mut self.buffer).is_ok() {
            row = parse_vmstat(&self.buffer, page_bytes);
        }
        let driver = if host.exists(XEN) {
            xen(host, &mut row);
            Some("xen")
        } else if let Ok(text) = host.read(HYPER_V) {
            let pages = reading.take(HYPER_V, parse_hyper_v(&text));
            row.balloon_bytes = pages.and_then(|pages| pages.checked_mul(page_bytes)).or(row.balloon_bytes);
            Some("hyperv")
        } else {
            has_virtio_device(host).then_some("virtio")
        };
        row.driver = driver.map(Into::into);
        if row == BalloonRow::default() {
            reading.missing.push(Missing {
                what: "balloon".to_owned(),
                why: format!("no balloon driver, and {VMSTAT} does not count balloons"),
                how: "a guest with a balloon".to_owned(),
            });
        } else {
            reading.rows.push(RowSet::totals([row]));
        }
        reading
    }
}

/// A driver lists its devices beside its files: `virtio0`.
fn has_virtio_device(host: &Host) -> bool {
    host.list(VIRTIO).unwrap_or_default().iter().any(|name| name.starts_with("virtio"))
}

/// Reads what `/proc/vmstat` says about balloons of any kind. What is damaged in that file
/// says the source of `vmstat`.
pub fn parse_vmstat(text: &[u8], page_bytes: i64) -> BalloonRow {
    let mut row = BalloonRow::default();
    for (_, content) in lines(text) {
        let mut words = fields(content);
        let (name, mut number) = (words.next().unwrap_or_default(), || words.next().and_then(count));
        match name {
            b"nr_balloon_pages" => row.balloon_bytes = number().and_then(|n| n.checked_mul(page_bytes)),
            b"balloon_inflate" => row.inflated_pages = number(),
            b"balloon_deflate" => row.deflated_pages = number(),
            b"balloon_migrate" => row.migrated_pages = number(),
            _ => {}
        }
    }
    row
}

/// Reads `pages_ballooned : 1000` of Hyper-V's file: pages given away.
pub fn parse_hyper_v(text: &[u8]) -> Parsed<Option<i64>> {
    let mut parsed = Parsed::<Option<i64>>::default();
    for (line, content) in lines(parsed.whole_lines(text)) {
        let Some(colon) = content.iter().position(|b| *b == b':') else { continue };
        if content[..colon].trim_ascii() == b"pages_ballooned" {
            parsed.value = parsed.count(line, "pages_ballooned", Some(content[colon + 1..].trim_ascii()));
        }
    }
    parsed
}

fn xen(host: &Host, row: &mut BalloonRow) {
    let kib = |file: &str| {
        let kib = count(host.read(format!("{XEN}/{file}")).ok()?.trim_ascii())?;
        kib.checked_mul(1024)
    };
    row.current_bytes = kib("info/current_kb");
    row.target_bytes = kib("target_kb");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyper_v_counts_pages() {
        let parsed = parse_hyper_v(b"host_version : 2.0\nstate : 1 (Initialized)\npages_ballooned : 77\n");
        assert_eq!((parsed.value, parsed.errors.len()), (Some(77), 0));
        assert_eq!(parse_hyper_v(b"pages_ballooned : x\n").errors.len(), 1);
    }

    #[test]
    fn old_kernels_count_only_what_moved() {
        let row = parse_vmstat(b"balloon_inflate 7\nballoon_deflate 5\npgfault 1\n", 4096);
        assert_eq!((row.balloon_bytes, row.inflated_pages, row.deflated_pages), (None, Some(7), Some(5)));
    }
}
