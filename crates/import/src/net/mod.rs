//! The tools of iproute2, net-tools and ethtool.

pub mod ethtool;
mod ethtool_features;
pub mod ifconfig;
pub mod interfaces;
pub mod json;
pub mod netstat_sums;
pub mod nstat;
pub mod socket_counts;
mod socket_line;
pub mod socket_sums;
pub mod sockets;
mod sum_phrases;
