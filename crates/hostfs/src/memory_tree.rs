//! Files of a machine that are held in memory: what came packed is never written to a disk to be read.
//!
//! Names are labels. A link is followed inside the tree only, and what is not in it is not among
//! the given files, which says nothing about the machine.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind};
use std::path::{Component, Path};

use crate::error::HostError;

/// Links in one path; as many as Linux follows (path_resolution(7)).
const MOST_LINKS: usize = 40;
/// Names in one path: no file of a kernel has half as many, and every folder of a path is held.
const MOST_PARTS: usize = 64;
/// What a file, a folder or a link takes beside its path and its content.
const NODE_BYTES: u64 = 128;

/// Files, folders and links by absolute path.
#[derive(Debug, Default)]
pub struct MemoryTree {
    nodes: BTreeMap<String, Node>,
    files: u64,
    paths_bytes: u64,
}

#[derive(Debug)]
enum Node {
    File(Vec<u8>),
    Link(String),
    Folder(BTreeSet<String>),
}

impl MemoryTree {
    /// Adds a file; false where its path is taken already, leads upwards, or has more than 64 names.
    pub fn add_file(&mut self, path: &str, bytes: Vec<u8>) -> bool {
        let is_added = self.add(path, Node::File(bytes));
        self.files += u64::from(is_added);
        is_added
    }

    /// Adds a symbolic link; false where a file would not be added.
    pub fn add_link(&mut self, path: &str, target: &str) -> bool {
        self.add(path, Node::Link(target.to_owned()))
    }

    /// How many files it has.
    pub fn files(&self) -> u64 {
        self.files
    }

    /// Memory of what is not the content of its files: the paths of all that there is.
    pub fn paths_bytes(&self) -> u64 {
        self.paths_bytes
    }

    /// The content of a file; links are followed.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.read(Path::new(path)).ok()
    }

    fn add(&mut self, path: &str, node: Node) -> bool {
        let parts = parts(Path::new(path));
        let Some((name, folders)) = parts.split_last() else { return false };
        if parts.len() > MOST_PARTS || parts.iter().any(|part| part == "..") {
            return false;
        }
        let mut at = String::new();
        for folder in folders {
            self.enter(&at, folder);
            at = format!("{at}/{folder}");
            if let Some(Node::File(_)) = self.nodes.get(&at) {
                return false;
            }
            if !self.nodes.contains_key(&at) {
                self.paths_bytes += NODE_BYTES + at.len() as u64;
                self.nodes.insert(at.clone(), Node::Folder(BTreeSet::new()));
            }
        }
        let path = format!("{at}/{name}");
        if self.nodes.contains_key(&path) {
            return false;
        }
        self.enter(&at, name);
        self.paths_bytes += NODE_BYTES + path.len() as u64;
        self.nodes.insert(path, node);
        true
    }

    /// Notes a name in its folder.
    fn enter(&mut self, folder: &str, name: &str) {
        let node = self.nodes.entry(folder.to_owned()).or_insert_with(|| Node::Folder(BTreeSet::new()));
        if let Node::Folder(names) = node {
            names.insert(name.to_owned());
        }
    }

    /// Where a path leads to, its links followed; the last one where that is wanted.
    fn resolve(&self, path: &Path, follow_last: bool) -> Result<String, HostError> {
        let absent = || HostError::NotRecorded { path: path.to_path_buf() };
        let mut left = parts(path);
        left.reverse();
        let (mut at, mut links) = (String::new(), 0);
        while let Some(name) = left.pop() {
            if name == ".." {
                at.truncate(at.rfind('/').unwrap_or(0));
                continue;
            }
            let next = format!("{at}/{name}");
            match self.nodes.get(&next) {
                None => return Err(absent()),
                Some(Node::Link(target)) if follow_last || !left.is_empty() => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(HostError::from_io(path, Error::from_raw_os_error(libc::ELOOP)));
                    }
                    if target.starts_with('/') {
                        at.clear();
                    }
                    left.extend(parts(Path::new(target)).into_iter().rev());
                }
                Some(_) => at = next,
            }
        }
        Ok(at)
    }

    fn node(&self, path: &Path, follow_last: bool) -> Result<&Node, HostError> {
        let at = self.resolve(path, follow_last)?;
        self.nodes.get(&at).ok_or_else(|| HostError::NotRecorded { path: path.to_path_buf() })
    }

    /// The content of a file.
    pub(crate) fn read(&self, path: &Path) -> Result<&[u8], HostError> {
        match self.node(path, true)? {
            Node::File(bytes) => Ok(bytes),
            _ => Err(HostError::from_io(path, Error::from(ErrorKind::IsADirectory))),
        }
    }

    /// Names in a folder, sorted.
    pub(crate) fn names(&self, path: &Path) -> Result<&BTreeSet<String>, HostError> {
        match self.node(path, true)? {
            Node::Folder(names) => Ok(names),
            _ => Err(HostError::from_io(path, Error::from(ErrorKind::NotADirectory))),
        }
    }

    /// Names of the folders in a folder, sorted; links are not followed.
    pub(crate) fn folders(&self, path: &Path) -> Result<Vec<String>, HostError> {
        let is_folder = |name: &&String| matches!(self.node(&path.join(name), false), Ok(Node::Folder(_)));
        Ok(self.names(path)?.iter().filter(is_folder).cloned().collect())
    }

    /// What a link says.
    pub(crate) fn link(&self, path: &Path) -> Result<&str, HostError> {
        match self.node(path, false)? {
            Node::Link(target) => Ok(target),
            _ => Err(HostError::from_io(path, Error::from_raw_os_error(libc::EINVAL))),
        }
    }

    /// Whether there is something; links are followed.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.node(path, true).is_ok()
    }
}

/// The names of a path. What stands for the folder itself is left out.
fn parts(path: &Path) -> Vec<String> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::ParentDir => Some("..".to_owned()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::files::Host;

    fn tree() -> MemoryTree {
        let mut tree = MemoryTree::default();
        tree.add_file("/proc/stat", b"ctxt 5\n".to_vec());
        tree.add_file("/sys/devices/virtual/block/dm-0/size", b"8\n".to_vec());
        tree.add_link("/sys/block/dm-0", "../devices/virtual/block/dm-0");
        tree.add_link("/sys/class/block/dm-0", "/sys/block/dm-0");
        tree.add_link("/proc/self", "self");
        tree.add_link("/etc/passwd", "../../../../etc/shadow");
        tree
    }

    #[test]
    fn files_are_found_through_links() {
        let tree = tree();
        assert_eq!(tree.file("/proc/stat"), Some(&b"ctxt 5\n"[..]));
        assert_eq!(tree.file("/sys/class/block/dm-0/size"), Some(&b"8\n"[..]));
        assert_eq!(tree.file("/proc/../sys/block/dm-0/size"), Some(&b"8\n"[..]));
        assert_eq!((tree.file("/proc"), tree.files()), (None, 2));
    }

    #[test]
    fn a_tree_cannot_be_left_and_a_loop_ends() {
        let mut tree = tree();
        assert_eq!(tree.file("/etc/passwd"), None);
        let error = tree.read(Path::new("/proc/self/stat")).expect_err("a loop");
        assert!(matches!(error, HostError::Io { .. }), "{error}");
        assert!(!tree.add_file("/../../etc/shadow", b"x".to_vec()), "no path of a tree");
        assert!(!tree.add_file("/proc/stat", b"y".to_vec()), "taken");
        assert!(!tree.add_file("/proc/stat/deeper", b"y".to_vec()), "a file is no folder");
        assert!(!tree.add("", Node::Link(String::new())));
        assert!(!tree.add_file(&"/a".repeat(MOST_PARTS + 1), Vec::new()), "deeper than any");
    }

    #[test]
    fn what_its_paths_take_is_counted_once() {
        let mut tree = MemoryTree::default();
        tree.add_file("/sys/a", b"1".to_vec());
        let folder_and_file = tree.paths_bytes();
        assert_eq!(folder_and_file, 2 * NODE_BYTES + "/sys".len() as u64 + "/sys/a".len() as u64);
        tree.add_link("/sys/b", "a");
        assert_eq!(tree.paths_bytes() - folder_and_file, NODE_BYTES + "/sys/b".len() as u64);
        tree.add_link("/sys/b", "c");
        assert_eq!(tree.paths_bytes() - folder_and_file, NODE_BYTES + "/sys/b".len() as u64, "taken");
    }

    #[test]
    fn a_host_in_memory_answers_as_a_recorded_one() {
        let host = Host::in_memory(Arc::new(tree()));
        assert_eq!(host.read_text("/proc/stat").expect("a file"), "ctxt 5");
        assert_eq!(host.list("/sys").expect("a folder"), ["block", "class", "devices"]);
        assert_eq!(host.folders("/sys/devices/virtual").expect("a folder"), ["block"]);
        assert_eq!(host.folders("/sys/block").expect("a folder"), [""; 0], "a link is none");
        assert_eq!(host.read_link("/sys/block/dm-0").expect("a link"), "../devices/virtual/block/dm-0");
        assert!(host.exists("/sys/block/dm-0/size") && !host.exists("/proc/meminfo"));
        assert_eq!(host.values_in("/sys/block/dm-0").read_text("size").expect("a value"), "8");
        let absent = host.read("/proc/meminfo").expect_err("not handed over");
        // That a file was not given says nothing of the machine.
        assert!(matches!(absent, HostError::NotRecorded { .. }) && !absent.is_absent(), "{absent}");
        assert!(!host.is_live());
    }
}
