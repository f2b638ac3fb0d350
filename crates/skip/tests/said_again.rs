//! What a test says by this crate is what `scripts/said-again.sh` reads: named, and counted once.

#![allow(clippy::expect_used, reason = "a test says what it finds by failing")]

use std::fs;
use std::process::Command;

/// Two binaries: one with several tests at once, one with one at a time; then `it`, and `cargo xtask ci`.
const LOG: &str = "     Running unittests src/lib.rs (target/debug/deps/one)
SKIPPED tests::of_root: needs root
test tests::of_root ... ok
PARTLY SKIPPED tests::tools: needs the program free
PARTLY SKIPPED tests::tools: needs the program free
test tests::tools ... ok
test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
     Running unittests src/lib.rs (target/debug/deps/two)
test tests::of_root ... SKIPPED a test: a kernel of old: it has none
ok
test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
test [SKIPPED: needs root] known_waits::go ... ignored
test z ... FAILED
---- z ----
it says SKIPPED
test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 3 filtered out
right in the second run only: x::y: the first failure
fine     links                0.1 s
skipped  other-libc           no musl
";

fn again(what: &str) -> String {
    let log = std::env::temp_dir().join(format!("heldup-said-{what}-{}", std::process::id()));
    fs::write(&log, LOG).expect("a file");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/said-again.sh");
    let output = Command::new(script).arg(what).arg(&log).output().expect("bash");
    fs::remove_file(&log).expect("removed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn who_was_skipped_is_named_with_the_reason() {
    let expected = "skipped (needs root): tests::of_root known_waits::go\n\
                    skipped in part (needs the program free): tests::tools\n\
                    skipped (a kernel of old: it has none): tests::of_root\n\
                    skipped (no musl): check:other-libc\n";
    assert_eq!(again("skipped"), expected);
    assert_eq!(again("second"), "right in the second run only: x::y: the first failure\n");
    assert_eq!(again("failed"), "---- z ----\n    it says SKIPPED\n");
}

#[test]
fn who_was_skipped_did_not_pass() {
    assert_eq!(again("count"), "3 passed, 1 failed, 4 skipped\n");
}
