//! What a recording was, in one line.

use heldup_model::RecordSummary;

use crate::overhead::known_by;

pub use crate::answer_schema::json;

/// The line, for standard error.
pub fn text(summary: &RecordSummary) -> String {
    let bpf = summary
        .bpf_ratio
        .map(|share| format!(" + eBPF{} {:.2} %", known_by(summary.bpf_time), 100.0 * share));
    let RecordSummary { samples, seconds, cpu_ratio, .. } = summary;
    let (cpu, bpf) = (100.0 * cpu_ratio, bpf.unwrap_or_default());
    format!("heldup: {samples} samples in {seconds:.0} s, {cpu:.2} % of one CPU{bpf}\n")
}
