//! The line that says what heldup itself used.

use heldup_model::{BpfTime, Overhead};

use crate::quantity::{bytes, seconds};

/// The line, without a newline at its end.
pub fn line(cost: &Overhead) -> String {
    let mut line = format!("overhead: {} CPU", seconds(cost.cpu_seconds));
    if let Some(bpf) = cost.bpf_seconds {
        line += &format!(" + {} in eBPF programs{}", seconds(bpf), known_by(cost.bpf_time));
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

/// What stands behind the time of eBPF programs.
pub(crate) fn known_by(time: Option<BpfTime>) -> &'static str {
    match time {
        Some(BpfTime::Estimated) => " (estimated)",
        Some(BpfTime::AtLeast) => " (estimated, at least)",
        Some(BpfTime::Measured) => " (measured)",
        None => "",
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
        assert_eq!(text, "overhead: 310 ms CPU + 62 ms in eBPF programs (estimated), 48 MB memory");
        let none = Overhead { cpu_seconds: 0.02, ..Overhead::default() };
        assert_eq!(plain_line(&none), "overhead: 20 ms CPU");
    }
}
