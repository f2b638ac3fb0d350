//! SOURCE arguments: what they name, and how it is opened.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldup_archive::store;
use heldup_model::Capture;

use crate::WrongUsage;

/// A source of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The running machine.
    Live,
    /// A kept capture's folder.
    Kept {
        /// What the user called it.
        name: String,
        /// Where it is.
        folder: PathBuf,
    },
}

impl Source {
    /// Reads a SOURCE argument.
    pub fn parse(word: Option<&str>) -> anyhow::Result<Source> {
        let Some(word) = word else { return Ok(Source::Live) };
        if word == "@last" {
            let folder = last_folder()?;
            if !folder.join(store::MANIFEST).exists() {
                bail!("there is no last examination yet in {}; run `heldup` first", folder.display());
            }
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        let folder = PathBuf::from(word);
        if folder.join(store::MANIFEST).exists() {
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        if folder.exists() {
            bail!(WrongUsage(format!("{word} is no kept capture: it has no {}", store::MANIFEST)));
        }
        bail!(WrongUsage(format!(
            "`{word}` is neither a command, nor @last, nor a folder; see heldup --help"
        )))
    }
}

/// Where the last examination is kept.
pub fn last_folder() -> anyhow::Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("nowhere to keep the last examination: neither HELDUP_STATE_DIR nor HOME is set")?;
    Ok(base.join("last"))
}

/// Opens a kept capture.
pub fn load(folder: &Path) -> anyhow::Result<Capture> {
    store::load(folder).with_context(|| format!("cannot read the capture in {}", folder.display()))
}
