//! The programs in `programs/`, built with the system's compilers when a test needs one: in C,
//! and a few in Go and Java, whose waits look like nobody else's.
//!
//! The result lies beside the test binary, in the build folder, and is built again when
//! its source is newer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Where the sources are.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

/// The path of a built C program; `name` is its source without `.c`.
pub fn built(name: &str) -> Result<PathBuf> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-pthread", "-o"]);
    built_by(command, &format!("{name}.c"), name)
}

/// The path of a built library to preload; `name` is its source without `.so.c`.
pub fn built_library(name: &str) -> Result<PathBuf> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-shared", "-fPIC", "-o"]);
    built_by(command, &format!("{name}.so.c"), &format!("{name}.so"))
}

/// The path of a built Go program; `name` is its source without `.go`.
pub fn built_go(name: &str) -> Result<PathBuf> {
    let mut command = Command::new("go");
    // Whatever is there builds it: nothing may be fetched.
    command.env("GOTOOLCHAIN", "local").args(["build", "-o"]);
    built_by(command, &format!("{name}.go"), &format!("{name}.go.bin"))
}

/// The folder to give to `java -cp`; `name` is the class.
pub fn built_java(name: &str) -> Result<PathBuf> {
    let mut command = Command::new("javac");
    command.arg("-d");
    built_by(command, &format!("{name}.java"), &format!("{name}.classes"))
}

/// What `command OUTPUT SOURCE` makes of a source.
fn built_by(mut command: Command, source: &str, made: &str) -> Result<PathBuf> {
    let source = Path::new(SOURCES).join(source);
    let folder = build_folder()?;
    fs::create_dir_all(&folder).with_context(|| format!("make {}", folder.display()))?;
    let program = folder.join(made);
    // In a guest there are the programs, and neither sources nor a compiler.
    if !source.exists() && program.exists() {
        return Ok(program);
    }
    if is_current(&program, &source) {
        return Ok(program);
    }
    // Built under another name and renamed: two test binaries may build at once.
    let unfinished = folder.join(format!("{made}.{}", std::process::id()));
    let output = command.args([&unfinished, &source]).output().with_context(|| format!("run {command:?}"))?;
    if !output.status.success() {
        bail!("build {}: {}", source.display(), String::from_utf8_lossy(&output.stderr));
    }
    if program.is_dir() {
        fs::remove_dir_all(&program)?;
    }
    fs::rename(&unfinished, &program)?;
    Ok(program)
}

/// The paths of all C programs, built.
pub fn all_built() -> Result<Vec<PathBuf>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(SOURCES).with_context(|| format!("read {SOURCES}"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".c").filter(|stem| !stem.contains('.')).map(str::to_owned));
    }
    names.sort();
    names.iter().map(|name| built(name)).collect()
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
        let programs = all_built()?;
        assert!(!programs.is_empty());
        for program in programs {
            assert!(program.exists(), "{}", program.display());
        }
        Ok(())
    }
}
