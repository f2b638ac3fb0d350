//! Rule documents on disk: finding them, reading them, and who may have written them.
//!
//! A rule is a question that can only read, in bounded time and memory. But its words are
//! shown, and the commands in them are pasted, often as root: texts for root must not come
//! from a file that somebody else could write.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::document::RuleError;

/// Largest document that is read; the longest built-in one has 12 kB.
const LARGEST_DOCUMENT_BYTES: u64 = 1 << 20;
/// Depth of folders below the given one: `<area>/<id>.toml` needs one.
const DEEPEST_FOLDER: usize = 3;

/// Whose documents are read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writers {
    /// Anybody's: the user has named them.
    Anybody,
    /// Those of root and of this user.
    RootAnd(u32),
}

/// Documents below a folder.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Files that end in `.toml`.
    pub(crate) paths: Vec<PathBuf>,
    /// Folders that could not be read.
    pub(crate) flaws: Vec<RuleError>,
}

impl Found {
    /// Adds what is in a folder and below.
    pub(crate) fn look_into(&mut self, dir: &Path, writers: &Writers, depth: usize) {
        let listed = fs::metadata(dir).and_then(|about| Ok((about, fs::read_dir(dir)?)));
        let entries = match listed {
            Ok((about, entries)) => match writers.object_to(&about) {
                None => entries,
                Some(why) => return self.flaws.push(fault(dir, why)),
            },
            Err(error) => return self.flaws.push(fault(dir, format!("cannot be listed: {error}"))),
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            // Hidden files are those that editors leave behind.
            let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if hidden {
                continue;
            }
            if path.is_dir() && depth < DEEPEST_FOLDER {
                self.look_into(&path, writers, depth + 1);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                self.paths.push(path);
            }
        }
    }
}

impl Writers {
    /// Why what this is about is not read.
    fn object_to(self, about: &Metadata) -> Option<String> {
        let Writers::RootAnd(uid) = self else { return None };
        objection(about.uid(), about.mode(), uid)
    }
}

/// Why what `owner` may write is not read by the user `uid`. Many distributions give each user
/// a group of their own and let it write: that is an objection only where root reads.
fn objection(owner: u32, mode: u32, uid: u32) -> Option<String> {
    let how = "named by --rules it is read all the same";
    if owner != 0 && owner != uid {
        return Some(format!(
            "belongs to user {owner}: only files of root and of user {uid} are read; {how}"
        ));
    }
    let others = if uid == 0 { 0o022 } else { 0o002 };
    (mode & others != 0).then(|| {
        format!("others may write it (mode {:o}): take that right away with chmod go-w; {how}", mode & 0o7777)
    })
}

/// The text of a document.
pub(crate) fn read(path: &Path, writers: &Writers) -> Result<String, RuleError> {
    let unreadable = |error: std::io::Error| fault(path, format!("cannot be read: {error}"));
    let about = fs::metadata(path).map_err(unreadable)?;
    if let Some(why) = writers.object_to(&about) {
        return Err(fault(path, why));
    }
    if !about.is_file() {
        return Err(fault(path, "is no file".to_string()));
    }
    if about.len() > LARGEST_DOCUMENT_BYTES {
        let what = format!("{} bytes; a rule has at most {LARGEST_DOCUMENT_BYTES}", about.len());
        return Err(fault(path, what));
    }
    fs::read_to_string(path).map_err(unreadable)
}

fn fault(path: &Path, what: String) -> RuleError {
    RuleError { place: path.display().to_string(), what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(owner: u32, mode: u32, uid: u32) -> bool {
        objection(owner, mode, uid).is_some()
    }

    #[test]
    fn root_believes_root_alone() {
        assert!(!refused(0, 0o100644, 0));
        assert!(refused(1000, 0o100644, 0));
        assert!(refused(0, 0o100664, 0), "a group may write it");
        assert!(refused(0, 0o040777, 0), "a folder that everybody may write");
    }

    #[test]
    fn a_user_believes_root_and_oneself() {
        assert!(!refused(0, 0o100644, 1000));
        assert!(!refused(1000, 0o100664, 1000), "the group is the user's own on many distributions");
        assert!(refused(1000, 0o100666, 1000));
        assert!(refused(1001, 0o100644, 1000));
    }
}
