//! The committed BPF objects are what the pinned compiler makes of their sources.
//!
//! They are committed so that `cargo build` needs no clang; this is what keeps them honest.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{Check, Outcome};
use crate::program::{command, is_here, output};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check =
    Check { name: "bpf-objects", policy: "bpf/*.bpf.o are what the pinned clang makes of bpf/*.bpf.c", look };

/// The compiler whose output is committed; another makes other code of the same source.
const CLANG: &str = "clang-14";
/// Strips DWARF and leaves BTF.
const STRIP: &str = "llvm-strip-14";
/// `-g` for BTF; v3 has 32-bit jumps and atomics and is known to every kernel from 5.12.
const FLAGS: [&str; 8] =
    ["-g", "-O2", "-Wall", "-Werror", "-target", "bpf", "-mcpu=v3", "-D__TARGET_ARCH_x86"];

fn look(tree: &Tree) -> Result<Outcome> {
    let sources: Vec<&str> = tree.below("bpf/", ".bpf.c").collect();
    let mut complaints: Vec<String> = sources
        .iter()
        .filter(|source| !tree.has(&object_of(source)))
        .map(|source| format!("{source}: {} is not committed", object_of(source)))
        .collect();
    for program in [CLANG, STRIP] {
        if complaints.is_empty() && !is_here(program) {
            return Ok(Outcome::Skipped(format!("{program} is not installed; the objects were not rebuilt")));
        }
    }
    let scratch = std::env::temp_dir().join(format!("heldup-bpf-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    for source in sources.iter().filter(|source| tree.has(&object_of(source))) {
        complaints.extend(differs(tree, source, &scratch).with_context(|| (*source).to_owned())?);
    }
    fs::remove_dir_all(&scratch)?;
    Ok(Outcome::Looked(complaints))
}

fn object_of(source: &str) -> String {
    source.replace(".bpf.c", ".bpf.o")
}

/// A complaint when the committed object is not what the compiler makes now.
fn differs(tree: &Tree, source: &str, scratch: &Path) -> Result<Option<String>> {
    let rebuilt = scratch.join("rebuilt.o");
    let rebuilt_name = rebuilt.to_string_lossy();
    let mut compile = command(tree, CLANG, &FLAGS);
    output(compile.args(["-I", "bpf", "-c", source, "-o", &rebuilt_name]))?;
    output(&mut command(tree, STRIP, &["-g", &rebuilt_name]))?;
    let same = fs::read(&rebuilt)? == fs::read(tree.at(&object_of(source)))?;
    Ok((!same).then(|| format!("{}: not what {CLANG} makes of {source}", object_of(source))))
}
