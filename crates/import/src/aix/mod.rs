//! Tools of AIX. `vmstat`, `mpstat` and `sar` are read with those of other systems, `nmon` with Linux'.

pub mod errpt;
pub mod iostat;
pub mod lparstat;
pub mod lparstat_settings;
pub mod mounts;
pub mod oslevel;
pub mod settings;
pub mod svmon;
pub mod vmstat_sums;
