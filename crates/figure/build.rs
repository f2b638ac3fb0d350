//! Embeds every `figures/**/*.toml`, so that adding a figure is adding one file.
//!
//! Writes `embedded_figures.rs` into OUT_DIR: a sorted list of (path below the repository, text as JSON,
//! which is read in a tenth of the time that TOML takes).

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../figures");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let place = format!("figures/{}", file.strip_prefix(&root)?.display());
        let figure: toml::Value =
            toml::from_str(&fs::read_to_string(file)?).map_err(|error| format!("{place}: {error}"))?;
        writeln!(list, "    ({place:?}, {:?}),", serde_json::to_string(&figure)?)?;
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("embedded_figures.rs"), list)?;
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    Ok(())
}
