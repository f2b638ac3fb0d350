//! Embeds every `rules/**/*.toml`, so that adding a rule is adding one file.
//!
//! Writes `embedded_rules.rs` into OUT_DIR: a sorted list of (path below `rules/`, text). Rules
//! are embedded as JSON, which is read in a tenth of the time that TOML takes: every
//! examination reads them all. Cases stay TOML; only `heldup rules test` reads them.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../rules");
    println!("cargo:rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&root)?.display().to_string();
        let place = format!("rules/{name}");
        if name.ends_with(".cases.toml") {
            writeln!(
                list,
                "    ({place:?}, include_str!({:?})),",
                file.canonicalize()?.display().to_string()
            )?;
        } else {
            let text = fs::read_to_string(file)?;
            let rule: toml::Value = toml::from_str(&text).map_err(|error| format!("{place}: {error}"))?;
            writeln!(list, "    ({place:?}, {:?}),", serde_json::to_string(&rule)?)?;
        }
    }
    list.push_str("]\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("embedded_rules.rs"), list)?;
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
