//! Where a page is served, for other commands of the same user: `examine` and `watch --exec` print the address of their
//! finding. The token is in no file: whoever follows the link is asked for it, or has a tab that knows it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use heldup_hostfs::{is_root, own_pid, own_uid, state_dir};
use serde::{Deserialize, Serialize};

/// The folder below that of the user's running programs.
const FOLDER: &str = "heldup";
/// Files of it that are read at most, and their size.
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 64 << 10;

/// A page that is served.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedPage {
    /// Its address without the token.
    address: String,
    /// What it shows, as absolute paths where it is files; nothing for the running machine.
    sources: Vec<String>,
    /// When it began.
    since_ms: i64,
}

/// The file that says so, for as long as it is held.
#[derive(Debug)]
pub struct Announced {
    path: PathBuf,
    /// Locked: what a killed server leaves is not.
    _file: File,
}

impl Announced {
    /// The folder that it is in.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent()
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        // Without it the file is one that nobody holds.
        let _ = fs::remove_file(&self.path);
    }
}

/// Says that a page is served. Where that cannot be written there are no links, and nothing else is missing.
pub fn announce(address: &str, sources: &[String]) -> Option<Announced> {
    announce_in(&folder()?, address, sources)
}

fn announce_in(folder: &Path, address: &str, sources: &[String]) -> Option<Announced> {
    DirBuilder::new().mode(0o700).recursive(true).create(folder).ok()?;
    if !is_ours(folder) {
        return None;
    }
    for left in pages(folder) {
        if !left.held {
            let _ = fs::remove_file(&left.path);
        }
    }
    let page = ServedPage {
        address: address.to_owned(),
        sources: sources.iter().map(|word| whole(word)).collect(),
        since_ms: heldup_hostfs::realtime_ms(),
    };
    let path = folder.join(format!("serve-{}.json", own_pid()));
    let _ = fs::remove_file(&path);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).ok()?;
    file.try_lock().ok()?;
    file.write_all(serde_json::to_string(&page).ok()?.as_bytes()).ok()?;
    Some(Announced { path, _file: file })
}

/// The address of a finding on a page that shows the same source, of several the newest; times as RFC 3339.
pub fn link_to(
    sources: &[String],
    finding: &str,
    since: Option<&str>,
    until: Option<&str>,
) -> Option<String> {
    let page = served_in(&folder()?, sources)?;
    Some(link(&page.address, finding, since, until))
}

fn served_in(folder: &Path, sources: &[String]) -> Option<ServedPage> {
    if !is_ours(folder) {
        return None;
    }
    let asked: Vec<String> = sources.iter().map(|word| whole(word)).collect();
    let held = pages(folder).into_iter().filter(|page| page.held).map(|page| page.page);
    held.filter(|page| page.sources == asked && is_address(&page.address)).max_by_key(|page| page.since_ms)
}

fn link(address: &str, finding: &str, since: Option<&str>, until: Option<&str>) -> String {
    let mut link = format!("{address}/finding/{}", encoded(finding));
    if let (Some(since), Some(until)) = (since, until) {
        link.push_str(&format!("?since={}&until={}", encoded(since), encoded(until)));
    }
    link
}

/// As an address has it. A slash and a colon may stand where these do.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b':' | b'@' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The folder of the user's running programs.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    let of_user = || Some(PathBuf::from(format!("/run/user/{}", own_uid())));
    let of_root = || is_root().then(|| PathBuf::from("/run"));
    let base = [named, of_root(), of_user()].into_iter().flatten().find(|path| path.is_dir());
    Some(base.or_else(state_dir)?.join(FOLDER))
}

/// Whether nobody else can put files there.
fn is_ours(folder: &Path) -> bool {
    folder
        .symlink_metadata()
        .is_ok_and(|data| data.is_dir() && data.uid() == own_uid() && data.mode() & 0o022 == 0)
}

/// An address of loopback, as it is printed.
fn is_address(address: &str) -> bool {
    ["http://127.0.0.1:", "http://[::1]:"]
        .iter()
        .any(|begin| address.strip_prefix(begin).is_some_and(|port| port.parse::<u16>().is_ok()))
}

/// A file of the folder.
struct PageFile {
    path: PathBuf,
    page: ServedPage,
    /// Its server runs.
    held: bool,
}

fn pages(folder: &Path) -> Vec<PageFile> {
    let read = |path: PathBuf| -> Option<PageFile> {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix("serve-")?.strip_suffix(".json")?.parse::<i64>().ok()?;
        let file = File::open(&path).ok()?;
        let held = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(PageFile { page: serde_json::from_str(&text).ok()?, path, held })
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.take(MOST_FILES).filter_map(|entry| read(entry.path())).collect()
}

/// A word as it is from every folder: of a file its path.
fn whole(word: &str) -> String {
    let path = fs::canonicalize(word).ok();
    path.and_then(|path| path.into_os_string().into_string().ok()).unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("heldup-link-{name}-{}", own_pid()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_page_is_found_by_its_source_while_it_is_served() {
        let folder = scratch("found");
        let address = "http://127.0.0.1:8017";
        let live = announce_in(&folder, address, &[]).expect("announced");
        let path = live.path.clone();
        assert_eq!(path.metadata().expect("there").permissions().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(&path).expect("text").contains("token"));
        assert_eq!(served_in(&folder, &[]).expect("served").address, address);
        assert_eq!(served_in(&folder, &["sar.txt".to_owned()]), None);
        drop(live);
        assert!(!path.exists());
        assert_eq!(served_in(&folder, &[]), None);
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn what_a_killed_server_left_and_what_is_no_address_is_ignored() {
        let folder = scratch("left");
        let live = announce_in(&folder, "http://evil.example:80", &[]).expect("announced");
        let page =
            ServedPage { address: "http://127.0.0.1:1".to_owned(), sources: Vec::new(), since_ms: i64::MAX };
        let left = folder.join("serve-4194305.json");
        fs::write(&left, serde_json::to_string(&page).expect("JSON")).expect("written");
        fs::write(folder.join("serve-1.json"), "{").expect("written");
        assert_eq!(served_in(&folder, &[]), None);
        drop(live);
        drop(announce_in(&folder, "http://[::1]:8017", &[]).expect("announced"));
        assert!(!left.exists(), "it is removed");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("changed");
        assert!(announce_in(&folder, "http://[::1]:8017", &[]).is_none(), "others may write there");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn a_key_of_hostile_names_is_one_address() {
        let key = "fs.full/mount:/a b\u{1b}&x=\"#%é";
        let said = link("http://127.0.0.1:1", key, Some("2026-11-24T14:00:00+01:00"), Some("x"));
        assert_eq!(
            said,
            "http://127.0.0.1:1/finding/fs.full/mount:/a%20b%1B%26x%3D%22%23%25%C3%A9\
             ?since=2026-11-24T14:00:00%2B01:00&until=x"
        );
    }
}
