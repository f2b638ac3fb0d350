//! Embeds every `tunables/*.toml`, so that adding a tunable is adding lines to one file; so for
//! `tunables/other/*.toml`, what is known of settings of other systems and times, and `profiles/*.toml`.
//!
//! Writes `embedded_tunables.rs` and the like into OUT_DIR: sorted lists of (path from
//! the root, text). The text is JSON, which is smaller and read in a tenth of the time that TOML takes.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    embed("tunables", "embedded_tunables.rs")?;
    embed("tunables/other", "embedded_other.rs")?;
    embed("profiles", "embedded_profiles.rs")
}

/// Writes the list of a folder's documents.
fn embed(folder: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..").join(folder);
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(&root)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let place = format!("{folder}/{}", file.strip_prefix(&root)?.display());
        let document: toml::Value =
            toml::from_str(&fs::read_to_string(file)?).map_err(|error| format!("{place}: {error}"))?;
        writeln!(list, "    ({place:?}, {:?}),", serde_json::to_string(&document)?)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join(name), list)?;
    Ok(())
}
