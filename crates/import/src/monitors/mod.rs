//! Tools that print everything about a machine, or about its containers, in one line or one screen.

pub mod atopsar;
pub mod docker_stats;
pub mod dstat;
pub mod iotop;
