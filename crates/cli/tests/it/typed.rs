//! What somebody types, in a folder that goes with the test, and what came of it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Of 2026-11-22 12:12:27 to 12:12:32, in the importers' words.
const SAR: &str = "../import/fixtures/sar/debian-12-6.18.44-sysstat-12.6.1-restart.txt";

/// A folder that goes with the test, with what sar recorded of a saturated machine and what `vmstat 1` printed in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heldup-cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        let head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n \
                    r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n";
        let line = |at: u32| {
            format!(
                " {}  0      0 400000 10240 204800    0    0     0     0  900 1200 90  9  1  0  0\n",
                4 + at % 2
            )
        };
        // Of a saturated machine, with times of its own.
        let sar = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAR);
        std::fs::copy(&sar, path.join("sar.txt")).expect("copied");
        std::fs::write(path.join("vmstat.txt"), head.to_owned() + &(0..40).map(line).collect::<String>())
            .expect("written");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a command came to.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    /// The exit code is this, and what was printed has all of these.
    pub fn is(self, code: i32, parts: &[&str]) -> Said {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        for part in parts {
            assert!(self.out.contains(part), "`{part}` is not in\n{}\n{}", self.out, self.err);
        }
        self
    }

    /// The error has all of these.
    pub fn complains(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        assert!(self.err.starts_with("heldup: ") || self.err.starts_with("error: "), "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is not in\n{}", self.err);
        }
    }

    pub fn json(self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// Runs it in a folder, which also is where it keeps its state.
pub fn heldup(folder: &Folder, words: &[&str]) -> Said {
    let output = command(folder, words).output().expect("started");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// The command, not yet started.
pub fn command(folder: &Folder, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heldup"));
    command.args(words).current_dir(folder.path()).env_remove("COLUMNS");
    command.env("HELDUP_STATE_DIR", folder.path().join("state")).env("HOME", folder.path());
    command
}
