//! What was recorded, and what was tried: how the recorder does, and experiments that were kept.

use heldup_archive::kept::read_recorder_file;
use heldup_model::{Experiment, ListedExperiment, RecorderStatus};

use super::{Film, Viewer};
use crate::error::{EngineError, Result};
use crate::progress::Silent;
use crate::source::archive::ArchiveSource;
use crate::status::{StatusRequest, status};
use crate::trial;

impl Viewer {
    /// How recording goes into the archive that is looked at.
    pub fn status(&self) -> Result<RecorderStatus> {
        let of = |archive: &ArchiveSource| {
            if read_recorder_file(archive.root())?.is_none() {
                let what = format!("{}: no recorder has said here how it does", archive.name);
                return Err(EngineError::not_found(what));
            }
            status(&StatusRequest { archive: Some(archive.root().to_owned()) }, &Silent)
        };
        match &self.film {
            Film::Live(live) => of(&live.archive),
            Film::Archive(archive) => of(archive),
            Film::Whole { name, .. } => {
                Err(EngineError::not_found(format!("{name} is not an archive: nothing is recorded into it")))
            }
        }
    }

    /// Experiments that were kept on this machine, the last one first.
    pub fn experiments(&self) -> Result<Vec<ListedExperiment>> {
        trial::experiments()
    }

    /// One of them.
    pub fn experiment(&self, id: &str) -> Result<Experiment> {
        trial::experiment(id)
    }
}
