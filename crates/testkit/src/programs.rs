//! The C programs in `programs/`, built with the system's compiler when a test needs one.
//!
//! The result lies beside the test binary, in the build folder, and is built again when
//! its source is newer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Where the sources are.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

/// The path of a built program; `name` is its source without `.c`.
pub fn built(name: &str) -> Result<PathBuf> {
    let source = Path::new(SOURCES).join(format!("{name}.c"));
    let folder = build_folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let program = folder.join(name);
    if is_current(&program, &source) {
        return Ok(program);
    }
    // Built under another name and renamed: two test binaries may build at once.
    let unfinished = folder.join(format!("{name}.{}", std::process::id()));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let output = Command::new(&compiler)
        .args(["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-pthread", "-o"])
        .args([&unfinished, &source])
        .output()
        .with_context(|| format!("run {}", compiler.to_string_lossy()))?;
    if !output.status.success() {
        bail!("build {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    fs::rename(&unfinished, &program)?;
    Ok(program)
}

/// `…/target/debug/test-programs` for a test at `…/target/debug/deps/it-0123`.
fn build_folder() -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    let profile = test.ancestors().nth(2).context("a test binary outside a build folder")?;
    Ok(profile.join("test-programs"))
}

/// Whether the program is newer than its source and every header beside it.
fn is_current(program: &Path, source: &Path) -> bool {
    let Ok(built) = fs::metadata(program).and_then(|about| about.modified()) else { return false };
    let headers = fs::read_dir(SOURCES).into_iter().flatten().flatten().map(|entry| entry.path());
    headers
        .filter(|path| path.extension().is_some_and(|end| end == "h"))
        .chain([source.to_owned()])
        .all(|path| fs::metadata(path).and_then(|about| about.modified()).is_ok_and(|when| when < built))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_builds() -> Result<()> {
        for entry in fs::read_dir(SOURCES)? {
            let path = entry?.path();
            let is_program = path.extension().is_some_and(|end| end == "c");
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            if is_program && !name.ends_with(".bpf") {
                assert!(built(&name)?.exists(), "{name}");
            }
        }
        Ok(())
    }
}
