//! Reports of troubles in a kernel's log as rows of `kernel_report`; the source of the running machine's log has the same from
//! the same reader.

use heldup_model::tables::KernelReportRow;
use heldup_model::{Record, Text};

use crate::document::Document;
use crate::table::sheets::{Key, When};

/// Puts the reports that have ended.
pub fn put_reports(reports: Vec<KernelReportRow>, floats: bool, document: &mut Document) {
    for report in reports {
        put(report, floats, document);
    }
}

fn put(report: KernelReportRow, floats: bool, document: &mut Document) {
    let (Some(sequence), Some(ms)) = (report.sequence, report.event_ms) else { return };
    let when = When { ms, secs: None, floats };
    // A line of an OOM report may name one process, and the next another.
    let row = document.sheets.row(KernelReportRow::DEF, when, Key::Number(sequence));
    let at = |column| KernelReportRow::DEF.position(column);
    let whole = |number: Option<i64>| number.map(|number| number as f64);
    let numbers = [
        ("event_ms", whole(report.event_ms.filter(|_| !floats))),
        ("pid", whole(report.pid)),
        ("cpu", whole(report.cpu)),
        ("duration_s", report.duration_s),
        ("stalled_jiffies", whole(report.stalled_jiffies)),
        ("holder_pid", whole(report.holder_pid)),
        ("page_order", whole(report.page_order)),
        ("limit_bytes", whole(report.limit_bytes)),
        ("dirty_bytes", whole(report.dirty_bytes)),
        ("anon_bytes", whole(report.anon_bytes)),
        ("errors", whole(report.errors)),
    ];
    for (column, value) in numbers {
        if let (Some(column), Some(value)) = (at(column), value) {
            document.sheets.set(row, column, value);
        }
    }
    let texts: [(&str, Option<Text>); 11] = [
        ("kind", report.kind),
        ("detail", report.detail),
        ("name", report.name),
        ("function_name", report.function_name),
        ("class_name", report.class_name),
        ("kernel_stack", report.kernel_stack),
        ("holder_name", report.holder_name),
        ("flags", report.flags),
        ("requester", report.requester),
        ("cgroup", report.cgroup),
        ("device", report.device),
    ];
    for (column, text) in texts {
        if let Some(text) = text {
            document.sheets.set_text(row, at(column), &text);
        }
    }
    for (column, is_so) in [("in_window", Some(true)), ("panicked", report.panicked)] {
        if let (Some(column), Some(is_so)) = (at(column), is_so) {
            document.sheets.set_bool(row, column, is_so);
        }
    }
}
