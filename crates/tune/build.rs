//! Embeds every `tunables/*.toml`, so that adding a tunable is adding lines to one file.
//!
//! Writes `embedded_tunables.rs` into OUT_DIR: a sorted list of (path from the root, text). The
//! text is JSON, which is smaller and read in a tenth of the time that TOML takes.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../tunables");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(&root)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let place = format!("tunables/{}", file.strip_prefix(&root)?.display());
        let document: toml::Value =
            toml::from_str(&fs::read_to_string(file)?).map_err(|error| format!("{place}: {error}"))?;
        writeln!(list, "    ({place:?}, {:?}),", serde_json::to_string(&document)?)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("embedded_tunables.rs"), list)?;
    Ok(())
}
