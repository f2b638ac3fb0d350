//! Which files make up a kernel module: its own and those of the modules it depends on.
//!
//! A package has no `modules.dep` (that is made where it is installed), so the dependencies
//! are read where depmod reads them: in the module's own `.modinfo`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Files to load, in an order in which each finds what it depends on.
pub(super) fn in_order(folder: &Path, wanted: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = BTreeMap::new();
    collect(&folder.join("kernel"), &mut files)?;
    let mut ordered = Vec::new();
    for module in wanted {
        add(module, &files, &mut ordered)?;
    }
    Ok(ordered)
}

fn add(module: &str, files: &BTreeMap<String, PathBuf>, ordered: &mut Vec<PathBuf>) -> Result<()> {
    // What is built into a kernel is in another a module: what has no file is there.
    let Some(path) = files.get(&spelled(module)) else { return Ok(()) };
    if ordered.contains(path) {
        return Ok(());
    }
    let content = fs::read(path).with_context(|| format!("read {}", path.display()))?;
    for needed in depends(&content) {
        add(&needed, files, ordered)?;
    }
    ordered.push(path.clone());
    Ok(())
}

/// Modules that a module says it depends on: `depends=a,b` in its `.modinfo`.
fn depends(module: &[u8]) -> Vec<String> {
    let mut words = module.split(|byte| *byte == 0);
    let list = words.find_map(|word| word.strip_prefix(b"depends=")).unwrap_or_default();
    let list = String::from_utf8_lossy(list).into_owned();
    list.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Every module below a folder, by name.
fn collect(folder: &Path, files: &mut BTreeMap<String, PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "ko") {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            files.insert(spelled(&name), path);
        }
    }
    Ok(())
}

/// The kernel takes `-` and `_` in the name of a module for the same.
fn spelled(module: &str) -> String {
    module.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn what_a_module_depends_on_comes_first_and_once() -> Result<()> {
        let folder = Scratch::new("modules")?;
        let drivers = folder.path().join("kernel/drivers");
        fs::create_dir_all(&drivers)?;
        fs::write(drivers.join("dm-mod.ko"), b"\x7fELF\0depends=\0name=dm_mod\0")?;
        fs::write(drivers.join("dm-delay.ko"), b"license=GPL\0depends=dm-mod,builtin\0")?;
        fs::write(drivers.join("loop.ko"), b"depends=\0")?;
        let wanted = ["dm_delay", "loop", "dm-mod", "virtio"].map(str::to_owned);
        let files = in_order(folder.path(), &wanted)?;
        let names: Vec<_> = files.iter().filter_map(|path| path.file_name()).collect();
        assert_eq!(names, ["dm-mod.ko", "dm-delay.ko", "loop.ko"]);
        Ok(())
    }
}
