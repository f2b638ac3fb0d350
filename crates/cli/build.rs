//! Links the program with packed relocations, which are a hundredth as large: 1.5 MB of it.
//!
//! Only a C library that knows them starts such a program: glibc since 2.36, musl since 1.2.4 (the one
//! that comes with the compiler is newer).

use std::env;
use std::process::Command;

const PACKED: &str = "-Wl,-z,pack-relative-relocs";
/// Major and minor version.
const GLIBC_SINCE: (u32, u32) = (2, 36);

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let knows_packed = match of("CARGO_CFG_TARGET_ENV").as_str() {
        "musl" => true,
        // That of another machine is not known here.
        "gnu" => of("HOST") == of("TARGET") && glibc_here().is_some_and(|version| version >= GLIBC_SINCE),
        _ => false,
    };
    if of("CARGO_CFG_TARGET_OS") == "linux" && knows_packed {
        println!("cargo:rustc-link-arg-bins={PACKED}");
    }
}

/// The version that `getconf` tells: `glibc 2.36`.
fn glibc_here() -> Option<(u32, u32)> {
    let said = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let said = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = said.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
