//! The folders in folders of control groups, kept while there are as many.
//!
//! To list a folder of some forty files and a few folders takes the kernel 20 µs, and to ask how many links
//! it has 1 µs. One that was removed and another that was made meanwhile leave their number as it
//! was: whoever goes on to each of them finds that one has gone, and calls [`KeptFolders::forget`].

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;

use crate::error::HostError;
use crate::files::Host;

/// Lists by path.
#[derive(Debug, Default)]
pub struct KeptFolders {
    /// With the links that the folder had.
    known: HashMap<String, (u64, Vec<String>)>,
}

impl KeptFolders {
    /// Names of the folders in a folder, sorted, as [`Host::folders`] gives them. Of a recorded tree
    /// nothing is kept: other file systems do not count links.
    pub fn folders(&mut self, host: &Host, path: &str) -> Result<&[String], HostError> {
        let links = match host.is_live() {
            true => std::fs::metadata(path).map_err(|error| HostError::from_io(path, error))?.nlink(),
            false => 0,
        };
        let known = links >= 2 && self.known.get(path).is_some_and(|(then, _)| *then == links);
        if !known {
            // One that is made between the two is found next time: the links were counted before.
            let names = host.folders(path)?;
            self.known.insert(path.to_owned(), (links, names));
        }
        Ok(self.known.get(path).map_or(&[], |(_, names)| names))
    }

    /// Lists all folders anew.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_comes_or_goes_is_seen() {
        let root = std::env::temp_dir().join(format!("heldup-kept-folders-{}", std::process::id()));
        let make = |name: &str| std::fs::create_dir_all(root.join(name)).expect("a folder");
        make("b");
        let (mut kept, path) = (KeptFolders::default(), root.to_str().expect("a name"));
        let mut list = || kept.folders(&Host::live(), path).map(<[String]>::to_vec).expect("a list");
        assert_eq!(list(), ["b"]);
        make("a");
        assert_eq!(list(), ["a", "b"]);
        std::fs::remove_dir(root.join("b")).expect("removed");
        assert_eq!(list(), ["a"]);
        std::fs::remove_dir(root.join("a")).expect("removed");
        assert_eq!(list(), [""; 0]);
        make("c");
        kept.forget();
        assert_eq!(kept.folders(&Host::live(), path).expect("a list"), ["c"]);
        std::fs::remove_dir_all(&root).expect("removed");
        assert!(kept.folders(&Host::live(), path).is_err());
    }
}
