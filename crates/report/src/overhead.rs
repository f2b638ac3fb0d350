//! The line that says what heldup itself used.

use heldup_model::{BpfTime, Overhead};

use crate::quantity::{bytes, seconds};

/// The line, without a newline at its end.
pub fn line(cost: &Overhead) -> String {
    let mut line = format!("Overhead {} CPU", seconds(cost.cpu_seconds));
    if let Some(bpf) = cost.bpf_seconds {
        line += &format!(", eBPF{} {}", known_by(cost.bpf_time), seconds(bpf));
    }
    if cost.peak_rss_bytes > 0 {
        line += &format!(", {} memory", bytes(cost.peak_rss_bytes as f64));
    }
    line
}

/// The same for a line that is not broken: with blanks that anybody can search for.
pub fn plain_line(cost: &Overhead) -> String {
    line(cost).replace('\u{a0}', " ")
}

/// How well the time of eBPF programs is known.
pub(crate) fn known_by(time: Option<BpfTime>) -> &'static str {
    match time {
        Some(BpfTime::Estimated) => " about",
        Some(BpfTime::AtLeast) => " at least",
        Some(BpfTime::Measured) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_called_one() {
        let cost = Overhead {
            cpu_seconds: 0.31,
            bpf_seconds: Some(0.062),
            bpf_time: Some(BpfTime::Estimated),
            bpf_estimated_seconds: None,
            peak_rss_bytes: 48_000_000,
        };
        let text = plain_line(&cost);
        assert_eq!(text, "Overhead 310 ms CPU, eBPF about 62 ms, 48 MB memory");
        let none = Overhead { cpu_seconds: 0.02, ..Overhead::default() };
        assert_eq!(plain_line(&none), "Overhead 20 ms CPU");
    }
}
