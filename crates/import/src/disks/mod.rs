//! Listings of disks, of file systems and of where they are mounted: util-linux, coreutils, hdparm, sdparm.

pub mod bonnie;
pub mod device_nodes;
pub mod df;
pub mod disk_settings;
pub mod fio;
pub mod lsblk;
pub mod lsblk_pairs;
pub mod mounts;
pub mod partitions;
pub mod smart;
pub mod speeds;
pub mod vxfs;
pub mod zpool;
