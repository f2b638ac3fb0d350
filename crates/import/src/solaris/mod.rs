//! Tools of Solaris and illumos. `vmstat`, `mpstat` and `sar` are read with those of other systems, `cpustat` with
//! counters of the processor, `lockstat` with profiles.

pub mod iostat;
pub mod iostat_groups;
pub mod kstat;
pub mod prstat;
pub mod tnf;
pub mod truss;
