//! What this program itself cost: said with every answer, because measuring is not free.

use heldup_model::{BpfTime, Overhead};
use heldup_probe::{ProgramTime, estimates_are_whole};

/// Cost of this program up to now. `measured`: the kernel was asked to count what eBPF programs run for as long as
/// there are any; else they have estimated it themselves, whoever else asks the kernel to count meanwhile.
pub fn so_far(programs: ProgramTime, measured: bool) -> Overhead {
    let (bpf_ns, bpf_time) = of_programs(programs, measured);
    Overhead {
        cpu_seconds: heldup_hostfs::cpu_time_ns() as f64 / 1e9,
        bpf_seconds: bpf_ns.map(|ns| ns as f64 / 1e9),
        bpf_time: bpf_ns.map(|_| bpf_time),
        bpf_estimated_seconds: programs.estimated_ns.map(|ns| ns as f64 / 1e9),
        peak_rss_bytes: heldup_hostfs::peak_rss_bytes(),
    }
}

/// Run time of eBPF programs, and how it is known.
pub fn of_programs(programs: ProgramTime, measured: bool) -> (Option<u64>, BpfTime) {
    match programs.counted_ns.filter(|_| measured) {
        Some(counted_ns) => (Some(counted_ns), BpfTime::Measured),
        None if estimates_are_whole() => (programs.estimated_ns, BpfTime::Estimated),
        None => (programs.estimated_ns, BpfTime::AtLeast),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_count_is_taken_where_it_was_asked_for() {
        let both = ProgramTime { estimated_ns: Some(7), counted_ns: Some(9) };
        assert_eq!(of_programs(both, true), (Some(9), BpfTime::Measured));
        // Somebody else may have asked the kernel in the middle.
        assert_eq!(of_programs(both, false), (Some(7), BpfTime::AtLeast));
        let refused = ProgramTime { counted_ns: None, ..both };
        assert_eq!(
            of_programs(refused, true),
            (Some(7), BpfTime::AtLeast),
            "no program has run to learn from"
        );
        assert_eq!(of_programs(ProgramTime::default(), false).0, None);
    }
}
