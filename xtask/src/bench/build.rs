//! How long a build takes from nothing and after a change, and how large the program is.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::Result;

use super::{Bench, Figure, Setting};
use crate::program::{cargo, output};

/// The bench.
pub const BENCH: Bench = Bench {
    name: "build",
    question: "how long a release build takes, and how large the program is",
    looks: false,
    measure,
};

/// The target of the one file that runs on any machine.
const MUSL: &str = "x86_64-unknown-linux-musl";
/// A source whose change must not rebuild much.
const CHANGED: &str = "crates/sources/src/proc_meminfo.rs";

fn measure(setting: &Setting) -> Result<Vec<Figure>> {
    let folder = std::env::temp_dir().join(format!("heldup-build-{}", std::process::id()));
    let figures = builds(setting, &folder);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    figures
}

fn builds(setting: &Setting, folder: &Path) -> Result<Vec<Figure>> {
    let mut figures = vec![
        Figure::at_most("clean release build", build(setting, folder, &[])? / 60.0, 5.0, "min", 1),
        size(&folder.join("release/heldup"), "binary, stripped")?,
    ];
    // A file with a newer time is a changed file to cargo.
    File::options().append(true).open(setting.tree.at(CHANGED))?.set_modified(SystemTime::now())?;
    figures.push(Figure::at_most(
        "build after a change in one source",
        build(setting, folder, &[])?,
        15.0,
        "s",
        1,
    ));
    match build(setting, folder, &["--target", MUSL]) {
        Ok(_) => figures.push(size(&folder.join(MUSL).join("release/heldup"), "binary, static musl")?),
        Err(error) => {
            let why = format!("{error:#}").lines().nth(1).unwrap_or("it does not build here").to_owned();
            figures.push(Figure::shown("binary, static musl", why));
        }
    }
    Ok(figures)
}

/// Seconds of a release build of the program into a folder of its own.
fn build(setting: &Setting, folder: &Path, more: &[&str]) -> Result<f64> {
    let started = Instant::now();
    let mut command =
        cargo(setting.tree, &["build", "--quiet", "--release", "--locked", "--package", "heldup"]);
    output(command.args(more).env("CARGO_TARGET_DIR", folder))?;
    Ok(started.elapsed().as_secs_f64())
}

fn size(binary: &Path, what: &str) -> Result<Figure> {
    Ok(Figure::at_most(what, fs::metadata(binary)?.len() as f64 / 1e6, 40.0, "MB", 1))
}
