//! What SOURCE words name, and how it is opened.

pub mod archive;
pub mod recordings;
pub mod side;

use std::path::{Path, PathBuf};

use heldup_archive::kept::ArchiveFolder;
use heldup_archive::store;
use heldup_model::{Capture, Flaw};

use crate::error::{Context, EngineError, Result};
use crate::request::AskedSpan;
use crate::source::archive::{ArchiveSource, default_folder};
use crate::source::side::of_host;

/// A source of tables.
#[derive(Clone, Debug)]
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
    /// What a recorder wrote.
    Archive(ArchiveSource),
    /// What other tools wrote.
    Recordings {
        /// What the user called them.
        name: String,
        /// The files.
        files: Vec<PathBuf>,
    },
}

impl Source {
    /// Reads SOURCE arguments: one of any kind, or several recordings of other tools.
    pub fn parse_all(words: &[String], span: &AskedSpan) -> Result<Source> {
        let [_, _, ..] = words else { return Source::parse(words.first().map(String::as_str), span) };
        let mut names = Vec::new();
        let mut all = Vec::new();
        for word in words {
            match Source::parse(Some(word), span)? {
                Source::Recordings { name, files } => {
                    names.push(name);
                    all.extend(files);
                }
                _ => {
                    return Err(EngineError::usage(format!(
                        "several sources are for recordings of other tools, and {word} is none; \
                     see heldup compare for two captures"
                    )));
                }
            }
        }
        Ok(Source::Recordings { name: names.join(", "), files: all })
    }

    /// Reads a SOURCE argument. Without one it is the machine's own archive where a time that has
    /// been is asked for, else the running machine.
    pub fn parse(word: Option<&str>, span: &AskedSpan) -> Result<Source> {
        let host = span.host.as_deref();
        if let Some((archive, Some(named))) = word.map(of_host)
            && ArchiveFolder::at(archive).is_there()
        {
            if host.is_some_and(|host| host != named) {
                return Err(EngineError::usage(format!("both {named} and --host say which host is meant")));
            }
            return Ok(Source::Archive(ArchiveSource::open(archive, Path::new(archive), Some(named))?));
        }
        let Some(word) = word else {
            if !span.is_asked() {
                return Ok(Source::Live);
            }
            let root = default_folder()?;
            let name = root.display().to_string();
            return Ok(Source::Archive(ArchiveSource::open(&name, &root, host)?));
        };
        let folder = PathBuf::from(word);
        if word != "@last" && !folder.join(store::MANIFEST).exists() && ArchiveFolder::at(&folder).is_there()
        {
            return Ok(Source::Archive(ArchiveSource::open(word, &folder, host)?));
        }
        if span.is_asked() {
            return Err(EngineError::usage(format!(
                "--since, --until and --host are for archives, and {word} is none"
            )));
        }
        if word == "@last" {
            let folder = last_folder()?;
            if !folder.join(store::MANIFEST).exists() {
                return Err(EngineError::failed(format!(
                    "there is no last examination yet in {}; run `heldup` first",
                    folder.display()
                )));
            }
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        if word == "@baseline" {
            let folder = baseline_file()?;
            if !folder.exists() {
                return Err(EngineError::failed(format!(
                    "there is no baseline yet in {}; `heldup capture --baseline` makes it",
                    folder.display()
                )));
            }
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        if folder.join(store::MANIFEST).exists() || store::is_file(&folder) {
            return Ok(Source::Kept { name: word.to_owned(), folder });
        }
        // A folder that is neither a capture nor an archive is one of files that others wrote.
        if folder.exists() {
            return Ok(Source::Recordings { name: word.to_owned(), files: vec![folder] });
        }
        Err(EngineError::usage(format!(
            "`{word}` is neither a command, nor @last, nor a folder; see heldup --help"
        )))
    }
}

/// Where the last examination is kept.
pub fn last_folder() -> Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("nowhere to keep the last examination: neither HELDUP_STATE_DIR nor HOME is set")?;
    Ok(base.join("last"))
}

/// Where the baseline of this machine is kept.
pub fn baseline_file() -> Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("nowhere to keep a baseline: neither HELDUP_STATE_DIR nor HOME is set")?;
    Ok(base.join("baseline.heldup"))
}

/// Opens a kept capture. Of a file whose tables are damaged the others are read, and the capture
/// says so.
pub fn load(folder: &Path) -> Result<Capture> {
    if folder.is_file() {
        let (mut capture, damaged) = store::load_file(folder).context("cannot read the capture")?;
        for error in damaged {
            capture.flaws.push(Flaw { place: folder.display().to_string(), what: error.to_string() });
        }
        return Ok(capture);
    }
    store::load(folder).with_context(|| format!("cannot read the capture in {}", folder.display()))
}
