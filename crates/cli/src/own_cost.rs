//! What the examination itself cost: said with every answer, because looking is not free.

use heldup_model::CostOfLooking;

/// Cost of this program up to now.
pub fn so_far(bpf_run_time_ns: Option<u64>) -> CostOfLooking {
    CostOfLooking {
        cpu_seconds: heldup_hostfs::cpu_time_ns() as f64 / 1e9,
        bpf_seconds: bpf_run_time_ns.map(|ns| ns as f64 / 1e9),
        peak_rss_bytes: heldup_hostfs::peak_rss_bytes(),
    }
}
