//! The commands, one file each.

pub mod bench;
pub mod ci;
pub mod generate;
pub mod new;
pub mod picture;
pub mod soak;
pub mod web;
