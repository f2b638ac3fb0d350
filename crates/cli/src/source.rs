//! SOURCE arguments: what they name, and how it is opened.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use heldup_archive::store;
use heldup_model::{Capture, Flaw};

use crate::WrongUsage;

/// A source of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The running machine.
    Live,
    /// A kept capture's folder, or the one file of it.
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
        if word == "@baseline" {
            let folder = baseline_file()?;
            if !folder.exists() {
                bail!(
                    "there is no baseline yet in {}; `heldup capture --baseline` makes it",
                    folder.display()
                );
            }
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        let folder = PathBuf::from(word);
        if folder.join(store::MANIFEST).exists() || store::is_file(&folder) {
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        if folder.is_file() {
            bail!(WrongUsage(format!(
                "{word} is no kept capture: expected a zip file, as `heldup capture` writes"
            )));
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

/// Where the baseline of this machine is kept.
pub fn baseline_file() -> anyhow::Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("nowhere to keep a baseline: neither HELDUP_STATE_DIR nor HOME is set")?;
    Ok(base.join("baseline.heldup"))
}

/// Opens a kept capture. Of a file whose tables are damaged the others are read, and the capture
/// says so.
pub fn load(folder: &Path) -> anyhow::Result<Capture> {
    if folder.is_file() {
        let (mut capture, damaged) = store::load_file(folder).context("cannot read the capture")?;
        for error in damaged {
            capture.flaws.push(Flaw { place: folder.display().to_string(), what: error.to_string() });
        }
        return Ok(capture);
    }
    store::load(folder).with_context(|| format!("cannot read the capture in {}", folder.display()))
}
