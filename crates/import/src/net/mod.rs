//! The tools of iproute2, net-tools and ethtool.

pub mod ethtool;
mod ethtool_features;
pub mod ifconfig;
pub mod interfaces;
pub mod json;
pub mod netstat_sums;
pub mod nstat;
mod socket_line;
pub mod socket_sums;
pub mod sockets;
mod sum_phrases;

use crate::importer::Importer;

/// Their formats.
pub fn formats() -> Vec<Box<dyn Importer>> {
    vec![
        Box::<ethtool::Ethtool>::default(),
        Box::<ifconfig::Ifconfig>::default(),
        Box::<interfaces::Interfaces>::default(),
        Box::<json::NetJson>::default(),
        Box::<netstat_sums::NetstatSums>::default(),
        Box::<nstat::Nstat>::default(),
        Box::<socket_sums::SocketSums>::default(),
        Box::<sockets::Sockets>::default(),
    ]
}
