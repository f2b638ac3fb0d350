//! The examinations that are saved: `@last`, `@last~1`, `@41`.
//!
//! Each is a folder of the state folder's `examinations` that is named by its number: the capture, and the answer
//! beside it. A number is given once, under a lock, so that two that end at once have two.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use heldup_archive::store;
use heldup_hostfs::{is_root, machine_state_dir, realtime_ms};
use heldup_model::{Capture, Examination};

use crate::error::{Context, EngineError, Result};

/// The newest that are kept.
const MOST: usize = 20;
/// Bytes of all together, the newest excepted.
const MOST_BYTES: u64 = 200_000_000;
/// The folder of all.
const FOLDER: &str = "examinations";
/// The answer, beside the capture.
const ANSWER: &str = "examination.json";
/// The number that was given last; whoever gives one holds its lock.
const COUNTER: &str = "number";
/// Everybody may see which numbers there are and how old they are; what is in them is the owner's alone.
const FOLDER_MODE: u32 = 0o755;
const FILE_MODE: u32 = 0o600;
/// An examination of root's that is newer by less is of the same time.
const SAME_TIME_S: u64 = 1;

/// A saved examination, by a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// `@last`, `@last~1`: so many before the last one.
    Last(usize),
    /// `@41`.
    Number(u64),
}

impl Reference {
    /// Reads `@last`, `@last~1` or `@41`; none of another word.
    pub fn parse(word: &str) -> Option<Reference> {
        let name = word.strip_prefix('@')?;
        if let Some(back) = name.strip_prefix("last") {
            let back = if back.is_empty() { Some(0) } else { back.strip_prefix('~')?.parse().ok() };
            return back.map(Reference::Last);
        }
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        name.parse().ok().filter(|_| is_number).map(Reference::Number)
    }
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// Its number.
    pub number: u64,
    /// Where its capture is.
    pub folder: PathBuf,
}

impl Saved {
    /// Writes the answer beside the capture.
    pub fn write_answer(&self, examination: &Examination) -> Result<()> {
        let path = self.folder.join(ANSWER);
        let json = serde_json::to_vec(examination).context("the answer cannot be written")?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(FILE_MODE);
        let written = options.open(&path).and_then(|mut file| file.write_all(&json));
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// The answer as it was given; none where it cannot be read, as after a kill.
    pub fn answer(&self) -> Option<Examination> {
        serde_json::from_slice(&fs::read(self.folder.join(ANSWER)).ok()?).ok()
    }

    /// How old it is, in seconds.
    fn age_s(&self) -> Option<u64> {
        let modified = fs::metadata(&self.folder).and_then(|data| data.modified()).ok()?;
        let at_s = modified.duration_since(UNIX_EPOCH).ok()?.as_secs();
        Some(u64::try_from(realtime_ms() / 1000).ok()?.saturating_sub(at_s))
    }

    /// `@41, 3 minutes ago`.
    fn said(&self) -> String {
        let age = self.age_s().map(|age_s| format!(", {} ago", age_in_words(age_s))).unwrap_or_default();
        format!("@{}{age}", self.number)
    }
}

/// The saved examinations of a state folder.
#[derive(Clone, Debug)]
pub struct Examinations {
    folder: PathBuf,
    /// Root's, where these are another user's.
    roots: Option<PathBuf>,
}

impl Examinations {
    /// Those of whoever runs this.
    pub fn here() -> Result<Examinations> {
        let base = heldup_hostfs::state_dir()
            .context("no place to save examinations: neither HELDUP_STATE_DIR nor HOME is set")?;
        let machine = machine_state_dir();
        let roots = (!is_root() && machine != base).then(|| machine.join(FOLDER));
        Ok(Examinations { folder: base.join(FOLDER), roots })
    }

    /// The one that a word names, and what has to be said of it.
    pub fn find(&self, reference: Reference) -> Result<(Saved, Option<String>)> {
        let all = listed(&self.folder);
        let found = match reference {
            Reference::Last(back) => all.iter().rev().nth(back),
            Reference::Number(number) => all.iter().find(|saved| saved.number == number),
        };
        match (found, all.as_slice()) {
            (Some(saved), _) => Ok((saved.clone(), self.older_than_roots(saved, reference))),
            (None, []) => Err(EngineError::not_found(self.none_here())),
            (None, [first, .., last]) => {
                let what = format!("no such examination; saved: @{} to @{}", first.number, last.number);
                Err(EngineError::not_found(what))
            }
            (None, [only]) => {
                Err(EngineError::not_found(format!("no such examination; saved: @{}", only.number)))
            }
        }
    }

    /// The last one.
    pub fn last(&self) -> Option<Saved> {
        listed(&self.folder).pop()
    }

    /// Saves a capture under a new number, and removes what is too old or too much.
    pub fn save(&self, capture: &Capture) -> Result<Saved> {
        let number = self.next_number()?;
        let folder = self.folder.join(number.to_string());
        store::save(capture, &folder).with_context(|| format!("cannot write {}", folder.display()))?;
        self.remove_old();
        Ok(Saved { number, folder })
    }

    /// The next number, which nobody else has.
    fn next_number(&self) -> Result<u64> {
        let made = DirBuilder::new().mode(FOLDER_MODE).recursive(true).create(&self.folder);
        made.with_context(|| format!("cannot make {}", self.folder.display()))?;
        let path = self.folder.join(COUNTER);
        let given = counted(&path, listed(&self.folder).last().map_or(0, |saved| saved.number));
        given.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Removes all but the newest ones. Whatever fails here is left for the next time.
    fn remove_old(&self) {
        let mut bytes = 0;
        for (at, saved) in listed(&self.folder).iter().rev().enumerate() {
            bytes += size(&saved.folder);
            if at > 0 && (at >= MOST || bytes > MOST_BYTES) {
                let _ = fs::remove_dir_all(&saved.folder);
            }
        }
    }

    fn none_here(&self) -> String {
        let none = format!("no saved examination in {}", self.folder.display());
        match self.roots.as_deref().map(listed).unwrap_or_default().last() {
            Some(roots) => format!("{none}; root's last is {} (use sudo)", roots.said()),
            None => format!("{none}; run `heldup` first"),
        }
    }

    /// That root's last one is newer, where the last one is asked for.
    fn older_than_roots(&self, saved: &Saved, reference: Reference) -> Option<String> {
        let roots = listed(self.roots.as_deref()?).pop()?;
        let is_newer = roots.age_s()? + SAME_TIME_S < saved.age_s()?;
        (reference == Reference::Last(0) && is_newer).then(|| {
            format!("last examination here: {}; root's is newer: {} (use sudo)", saved.said(), roots.said())
        })
    }
}

/// All of a folder, by number; none where there are none or they cannot be seen.
fn listed(folder: &Path) -> Vec<Saved> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<Saved> = entries
        .filter_map(|entry| {
            let number = entry.file_name().to_str()?.parse().ok()?;
            Some(Saved { number, folder: entry.path() })
        })
        .collect();
    all.sort_unstable_by_key(|saved| saved.number);
    all
}

/// Counts on in a file, from at least `least`.
fn counted(path: &Path, least: u64) -> std::io::Result<u64> {
    let mut options = OpenOptions::new();
    let mut file: File =
        options.read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path)?;
    file.lock()?;
    let mut text = String::new();
    // What is no number counts from the newest that is there.
    let _ = file.read_to_string(&mut text);
    let next = text.trim().parse::<u64>().unwrap_or(0).max(least) + 1;
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(format!("{next}\n").as_bytes())?;
    Ok(next)
}

/// Bytes of the files of a folder.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// `3 days`, `5 minutes`.
fn age_in_words(age_s: u64) -> String {
    let (count, unit) = match age_s {
        s if s < 120 => (s, "second"),
        s if s < 2 * 3600 => (s / 60, "minute"),
        s if s < 2 * 86_400 => (s / 3600, "hour"),
        s => (s / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use heldup_diagnose::{Setting, small_capture};

    use super::*;

    fn of(name: &str) -> Examinations {
        let base = std::env::temp_dir().join(format!("heldup-saved-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        Examinations { folder: base.join("own"), roots: Some(base.join("roots")) }
    }

    fn capture() -> Capture {
        small_capture(Setting::default(), [])
    }

    #[test]
    fn words_of_saved_examinations() {
        assert_eq!(Reference::parse("@last"), Some(Reference::Last(0)));
        assert_eq!(Reference::parse("@last~2"), Some(Reference::Last(2)));
        assert_eq!(Reference::parse("@41"), Some(Reference::Number(41)));
        for other in ["last", "@", "@lastly", "@last~", "@last~x", "@baseline", "@+1", "@4x"] {
            assert_eq!(Reference::parse(other), None, "{other}");
        }
    }

    #[test]
    fn numbers_go_on_and_the_newest_are_kept() {
        let all = of("kept");
        for number in 1..=22 {
            assert_eq!(all.save(&capture()).expect("saved").number, number);
        }
        let numbers: Vec<u64> = listed(&all.folder).iter().map(|saved| saved.number).collect();
        assert_eq!(numbers, (3..=22).collect::<Vec<_>>());
        let find = |reference| all.find(reference).map(|(saved, _)| saved.number);
        assert_eq!(find(Reference::Last(0)).expect("there"), 22);
        assert_eq!(find(Reference::Last(1)).expect("there"), 21);
        assert_eq!(find(Reference::Number(3)).expect("there"), 3);
        let gone = find(Reference::Number(2)).expect_err("removed").to_string();
        assert_eq!(gone, "no such examination; saved: @3 to @22");
        // Deleted by hand: a number is not given twice.
        fs::remove_dir_all(all.folder.join("22")).expect("removed");
        assert_eq!(all.save(&capture()).expect("saved").number, 23);
        fs::remove_dir_all(all.folder.parent().expect("a folder")).expect("removed");
    }

    #[test]
    fn numbers_are_given_once_by_many_at_once() {
        let all = of("once");
        let numbers = std::thread::scope(|scope| {
            let give =
                || scope.spawn(|| (0..5).map(|_| all.next_number().expect("given")).collect::<Vec<_>>());
            let threads: Vec<_> = (0..4).map(|_| give()).collect();
            let mut numbers: Vec<u64> =
                threads.into_iter().flat_map(|thread| thread.join().expect("ended")).collect();
            numbers.sort_unstable();
            numbers
        });
        assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
        fs::remove_dir_all(all.folder.parent().expect("a folder")).expect("removed");
    }

    #[test]
    fn a_user_is_told_of_roots() {
        let all = of("roots");
        let none = all.find(Reference::Last(0)).expect_err("none").to_string();
        assert!(none.contains("no saved examination in") && none.ends_with("run `heldup` first"), "{none}");
        fs::create_dir_all(all.roots.as_ref().expect("root's").join("41")).expect("made");
        let roots = all.find(Reference::Last(0)).expect_err("none").to_string();
        assert!(roots.contains("root's last is @41, ") && roots.ends_with("ago (use sudo)"), "{roots}");
        // One of the user's own that is older.
        let own = all.save(&capture()).expect("saved").folder;
        let hour_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
        File::open(&own).and_then(|folder| folder.set_modified(hour_ago)).expect("set");
        let (saved, note) = all.find(Reference::Last(0)).expect("there");
        let note = note.expect("root's is newer");
        assert_eq!(saved.number, 1);
        assert!(
            note.starts_with("last examination here: @1, 60 minutes ago; root's is newer: @41, "),
            "{note}"
        );
        assert_eq!(all.find(Reference::Number(1)).expect("there").1, None);
        fs::remove_dir_all(all.folder.parent().expect("a folder")).expect("removed");
    }

    #[test]
    fn ages() {
        for (age_s, words) in [
            (1, "1 second"),
            (119, "119 seconds"),
            (120, "2 minutes"),
            (86_400, "24 hours"),
            (260_000, "3 days"),
        ] {
            assert_eq!(age_in_words(age_s), words);
        }
    }
}
