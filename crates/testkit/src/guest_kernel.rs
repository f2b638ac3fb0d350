//! Kernels for guests: distribution packages, unpacked into a cache folder.
//!
//! `scripts/guest-kernels.sh` fetches them; nothing here asks a network for anything.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Says where else the kernels are.
const CACHE: &str = "HELDUP_GUEST_CACHE";

/// A kernel and its modules.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What `uname -r` says there, such as `6.1.0-50-amd64`.
    pub release: String,
    /// The image to boot.
    pub image: PathBuf,
    /// The folder of its modules.
    pub modules: PathBuf,
}

impl Kernel {
    /// The kernel of a series, such as `6.1`; of several the last by name.
    pub fn found(series: &str) -> Result<Kernel> {
        let cache = cache_folder().context("no home and no cache folder")?;
        let wanted = format!("{series}.");
        let mut kernels = kernels_below(&cache);
        kernels.retain(|kernel| kernel.release.starts_with(&wanted));
        kernels.sort_by(|one, other| one.release.cmp(&other.release));
        kernels.pop().with_context(|| {
            format!("a kernel {series} in {}: scripts/guest-kernels.sh fetches it", cache.display())
        })
    }
}

fn cache_folder() -> Option<PathBuf> {
    let own = std::env::var_os(CACHE).map(PathBuf::from);
    let user = || std::env::var_os("XDG_CACHE_HOME").map(|cache| PathBuf::from(cache).join("heldup/guest"));
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/heldup/guest"));
    own.or_else(user).or_else(home)
}

/// Every package there: `<suite>/boot/vmlinuz-<release>` and its modules.
fn kernels_below(cache: &Path) -> Vec<Kernel> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path());
    let mut kernels = Vec::new();
    for package in entries(cache) {
        for image in entries(&package.join("boot")) {
            let name = image.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let Some(release) = name.strip_prefix("vmlinuz-") else { continue };
            // Where /lib is a link, packages have the modules below /usr.
            let folders = ["lib/modules", "usr/lib/modules"].map(|place| package.join(place).join(release));
            if let Some(modules) = folders.into_iter().find(|folder| folder.exists()) {
                // Unpacked, where that was done: it boots in half of the time.
                let unpacked = image.with_file_name(format!("vmlinux-{release}"));
                let image = if unpacked.exists() { unpacked } else { image.clone() };
                kernels.push(Kernel { release: release.to_owned(), image, modules });
            }
        }
    }
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_kernel_without_its_modules_is_none() -> Result<()> {
        let cache = Scratch::new("kernels")?;
        for folder in
            ["old/boot", "old/lib/modules/5.10.0-1", "new/boot", "new/usr/lib/modules/6.1.0-2", "bare/boot"]
        {
            fs::create_dir_all(cache.path().join(folder))?;
        }
        for image in ["old/boot/vmlinuz-5.10.0-1", "new/boot/vmlinuz-6.1.0-2", "bare/boot/vmlinuz-6.2.0-1"] {
            fs::write(cache.path().join(image), "")?;
        }
        let mut found: Vec<String> = kernels_below(cache.path()).into_iter().map(|one| one.release).collect();
        found.sort();
        assert_eq!(found, ["5.10.0-1", "6.1.0-2"]);
        Ok(())
    }
}
