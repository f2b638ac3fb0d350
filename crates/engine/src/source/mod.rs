//! What SOURCE words name, and how it is opened.

pub mod archive;
pub mod examinations;
pub mod part;
pub mod recordings;
pub mod side;

use std::path::{Path, PathBuf};
use std::time::Duration;

use heldup_archive::kept::ArchiveFolder;
use heldup_archive::store;
use heldup_model::{Capture, FileSummary, Flaw, TimeSource};
use jiff::tz::TimeZone;

use crate::error::{Context, EngineError, Result};
use crate::progress::Progress;
use crate::request::AskedSpan;
use crate::source::archive::{ArchiveSource, default_folder};
use crate::source::examinations::{Examinations, Reference};
use crate::source::recordings::Read;
use crate::source::side::of_host;

/// The baseline, as a word.
const BASELINE: &str = "@baseline";

/// A source of tables.
#[derive(Clone, Debug)]
pub enum Source {
    /// The running machine.
    Live,
    /// A saved examination, a capture's folder, or the one file of it.
    Kept {
        /// What the user called it.
        name: String,
        /// Where it is.
        folder: PathBuf,
        /// Its number, where it is a saved examination.
        number: Option<u64>,
        /// What has to be said of it.
        note: Option<String>,
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
        let Some(word) = word else {
            if !span.is_asked() {
                return Ok(Source::Live);
            }
            let root = default_folder()?;
            let name = root.display().to_string();
            if !is_archive(&root) {
                let what = format!(
                    "nothing is recorded on this machine in {name}; start the recorder: sudo systemctl enable --now \
                     heldup-record"
                );
                return Err(EngineError::not_found(what));
            }
            return Ok(Source::Archive(ArchiveSource::open(&name, &root, host)?));
        };
        if let (archive, Some(named)) = of_host(word)
            && is_archive(Path::new(archive))
        {
            if host.is_some_and(|host| host != named) {
                return Err(EngineError::usage(format!("both {named} and --host say which host is meant")));
            }
            return Ok(Source::Archive(ArchiveSource::open(archive, Path::new(archive), Some(named))?));
        }
        if let Some(reference) = Reference::parse(word) {
            let (saved, note) = Examinations::here()?.find(reference).map_err(|error| named(word, error))?;
            let (folder, number) = (saved.folder, Some(saved.number));
            return Ok(Source::Kept { name: word.to_owned(), folder, number, note });
        }
        let folder = if word == BASELINE { baseline_file()? } else { PathBuf::from(word) };
        if word == BASELINE && !folder.exists() {
            let what = format!("no baseline in {}; `heldup baseline save` writes it", folder.display());
            return Err(EngineError::not_found(what));
        }
        if folder.join(store::MANIFEST).exists() || store::is_file(&folder) {
            return Ok(Source::Kept { name: word.to_owned(), folder, number: None, note: None });
        }
        if is_archive(&folder) {
            return Ok(Source::Archive(ArchiveSource::open(word, &folder, host)?));
        }
        // A folder that is neither a capture nor an archive is one of files that others wrote.
        match std::fs::metadata(&folder).and_then(|data| readable(&folder, &data)) {
            Ok(()) => Ok(Source::Recordings { name: word.to_owned(), files: vec![folder] }),
            Err(error) => Err(unreadable(word, &error)),
        }
    }

    /// As [`Source::parse`]; what has to be said of the source is noted.
    pub fn open(word: Option<&str>, span: &AskedSpan, progress: &dyn Progress) -> Result<Source> {
        let source = Source::parse(word, span)?;
        source.say(progress);
        Ok(source)
    }

    /// Notes what has to be said of it.
    pub fn say(&self, progress: &dyn Progress) {
        if let Source::Kept { note: Some(note), .. } = self {
            progress.note(note);
        }
    }
}

/// Whether a recorder has written into a folder. One that only has a folder `journal` is none.
fn is_archive(folder: &Path) -> bool {
    let archive = ArchiveFolder::at(folder);
    archive.is_there() && archive.hosts().is_ok_and(|hosts| !hosts.is_empty())
}

/// The error with the word that it is about.
fn named(word: &str, error: EngineError) -> EngineError {
    EngineError::of(error.kind(), format!("{word}: {error}"))
}

/// Whether it can be opened.
fn readable(path: &Path, data: &std::fs::Metadata) -> std::io::Result<()> {
    match data.is_dir() {
        true => std::fs::read_dir(path).map(drop),
        // A pipe is not opened to look: whoever writes to it would be heard once.
        false if data.is_file() => std::fs::File::open(path).map(drop),
        false => Ok(()),
    }
}

/// Why a file cannot be read, as the system says it.
fn unreadable(word: &str, error: &std::io::Error) -> EngineError {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::NotFound | Io::NotADirectory => EngineError::not_found(format!("{word}: no such file or folder")),
        Io::PermissionDenied => {
            let kind = crate::error::ErrorKind::NotPermitted;
            EngineError::of(kind, format!("{word}: permission denied (run as root, or as its owner)"))
        }
        _ => EngineError::failed(format!("{word}: {error}")),
    }
}

/// What is read of files.
pub struct Recorded {
    /// The tables, of the part that is asked for.
    pub capture: Capture,
    /// What each file of another tool was.
    pub files: Vec<FileSummary>,
    /// The zone of the times in these files, where all have one.
    pub zone: Option<TimeZone>,
}

impl Source {
    /// What a capture or recordings hold of the part that is asked for; none of the running machine and of archives.
    pub fn recorded(
        &self,
        asked: &AskedSpan,
        length: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Option<Recorded>> {
        let (name, read) = match self {
            Source::Live | Source::Archive(_) => return Ok(None),
            Source::Kept { name, folder, .. } => {
                let capture = load(folder)?;
                (name, Read { capture, files: Vec::new(), zone: None })
            }
            Source::Recordings { name, files } => (name, recordings::read(files, asked.host.as_deref())?),
        };
        // Recordings of which none names its host are of any.
        let asked = match self {
            Source::Recordings { .. } => AskedSpan { host: None, ..asked.clone() },
            _ => asked.clone(),
        };
        let Read { capture, files, zone } = read;
        // Without times only the distance of two samples means something.
        let is_timeless = capture.timing.time == TimeSource::Unknown;
        let is_from_start = asked.since.as_deref().is_some_and(part::is_from_start);
        if is_timeless && !is_from_start && part::span(&asked, length, None, None, progress)?.is_some() {
            let what = format!("{name}: no clock times in the file: --since +2m counts from its start");
            return Err(EngineError::usage(what));
        }
        let capture = part::of(name, capture, &asked, length, zone.as_ref(), progress)?;
        Ok(Some(Recorded { capture, files, zone }))
    }
}

/// Where the baseline of this machine is kept.
pub fn baseline_file() -> Result<PathBuf> {
    let base = heldup_hostfs::state_dir()
        .context("no place for a baseline: neither HELDUP_STATE_DIR nor HOME is set")?;
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

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn what_cannot_be_read_is_said_as_the_system_says_it() {
        let said = |kind: io::ErrorKind| {
            let error = unreadable("x", &io::Error::from(kind));
            (error.kind(), error.to_string())
        };
        let (kind, denied) = said(io::ErrorKind::PermissionDenied);
        assert_eq!(kind, ErrorKind::NotPermitted);
        assert_eq!(denied, "x: permission denied (run as root, or as its owner)");
        assert_eq!(
            said(io::ErrorKind::NotFound),
            (ErrorKind::NotFound, "x: no such file or folder".to_owned())
        );
        assert_eq!(said(io::ErrorKind::NotADirectory).0, ErrorKind::NotFound);
    }
}
