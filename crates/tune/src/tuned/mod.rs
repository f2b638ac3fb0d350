//! Profiles of tuned(8), read as they are installed: sections, includes, variables and built-in
//! functions, merged as tuned merges them, and turned into aims.
//!
//! Nothing is run: neither scripts nor `${f:exec:…}`; what is not understood is a note with its place.
//! How tuned reads its files is described in tuned.conf(5) and tuned-profiles(7).

mod config;
mod cpus;
mod device_rules;
mod expand;
mod profile;
mod units;

use heldup_hostfs::Host;

use crate::profile::Aim;

pub use profile::{TunedError, installed};

/// Folders of profiles: those of an earlier one win.
pub const FOLDERS: [&str; 2] = ["/etc/tuned", "/usr/lib/tuned"];

/// A part of a profile that is listed but not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// `FILE:LINE`.
    pub place: String,
    /// What it is about.
    pub what: String,
}

/// A profile with all that it includes.
#[derive(Clone, Debug, Default)]
pub struct TunedProfile {
    /// Its name.
    pub name: String,
    /// What it says of itself.
    pub summary: String,
    /// Files that it is made of, the first included first.
    pub files: Vec<String>,
    /// What it wants, in the order in which tuned would set it.
    pub aims: Vec<Aim>,
    /// What is not done, and why.
    pub notes: Vec<Note>,
}

/// Reads a profile for a host: variables and functions may ask for its CPUs.
pub fn read(host: &Host, folders: &[&str], name: &str) -> Result<TunedProfile, TunedError> {
    let loaded = profile::load(host, folders, name)?;
    let mut read = TunedProfile {
        name: name.to_owned(),
        summary: loaded.summary,
        files: loaded.files,
        aims: Vec::new(),
        notes: loaded.notes,
    };
    units::aims(host, &loaded.units, &loaded.variables, &mut read.aims, &mut read.notes);
    read.notes.dedup();
    Ok(read)
}
