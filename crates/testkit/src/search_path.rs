//! Programs of the search path.

use std::path::PathBuf;

/// Where a program of the search path is.
pub(crate) fn in_search_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // Administrators' tools are outside the search path of ordinary users.
    let more = ["/usr/sbin", "/sbin"].map(Into::into);
    std::env::split_paths(&path).chain(more).map(|folder| folder.join(name)).find(|path| path.exists())
}
