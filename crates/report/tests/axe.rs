//! Pages as axe sees them in Chromium, on light and on dark paper: no violation.
//!
//! `npm pack axe-core` has axe.min.js; HELDUP_AXE names it.

#![expect(
    clippy::expect_used,
    reason = "clippy's allowance for tests does not reach functions beside #[test]"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const BEGIN: &str = "<title>AXE:";

fn browser() -> Option<&'static str> {
    let is_here =
        |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    BROWSERS.into_iter().find(is_here)
}

/// What axe finds wrong with a page: the ids of its rules.
fn violations(browser: &str, axe: &str, page: &str, is_dark: bool, scratch: &Path) -> String {
    // The page's own policy allows no script; who checks it is none of its readers.
    let (before, rest) = page.split_once("<meta http-equiv=\"Content-Security-Policy\"").expect("a policy");
    let (_, after) = rest.split_once('>').expect("its end");
    let run = "axe.run(document).then(found=>{document.title='AXE:'+found.violations.map(one=>one.id+' \
               '+one.nodes[0].target).join('; ')+'.'})";
    let axe = axe.replace("</script", "<\\/script");
    let checked = format!("{before}{after}")
        .replace("</body>", &format!("<script>{axe}</script><script>{run}</script></body>"));
    std::fs::write(scratch, checked).expect("written");
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1280,900",
        "--virtual-time-budget=60000",
    ]);
    if is_dark {
        command.arg("--blink-settings=preferredColorScheme=0");
    }
    let output =
        command.arg("--dump-dom").arg(format!("file://{}", scratch.display())).output().expect("started");
    let document = String::from_utf8_lossy(&output.stdout).into_owned();
    let found = document.split_once(BEGIN).and_then(|(_, rest)| rest.split_once("</title>"));
    found.expect("axe's answer").0.trim_end_matches('.').to_owned()
}

#[test]
fn axe_finds_no_violation() {
    let Some(browser) = browser() else { return heldup_skip::skipped("needs the program chromium") };
    let Some(axe) = std::env::var_os("HELDUP_AXE").and_then(|path| std::fs::read_to_string(path).ok()) else {
        return heldup_skip::skipped("needs axe-core; HELDUP_AXE names its axe.min.js");
    };
    let scratch = std::env::temp_dir().join(format!("heldup-axe-{}.html", std::process::id()));
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut pages: Vec<PathBuf> = std::fs::read_dir(golden.join("pages"))
        .expect("pages")
        .map(|entry| entry.expect("a page").path())
        .collect();
    pages.push(golden.join("figures/page.html"));
    let mut wrong = Vec::new();
    for path in pages {
        let page = std::fs::read_to_string(&path).expect("a page");
        // Dark differs by its colours alone.
        let is_coloured = path.ends_with("three.html") || path.ends_with("experiment.html");
        for is_dark in if is_coloured { vec![false, true] } else { vec![false] } {
            let found = violations(browser, &axe, &page, is_dark, &scratch);
            if !found.is_empty() {
                wrong.push(format!("{}, dark {is_dark}: {found}", path.display()));
            }
        }
        // The check sees what is wrong.
        if path.ends_with("healthy.html") {
            let broken = page.replace("<html lang=\"en\">", "<html>");
            assert!(violations(browser, &axe, &broken, false, &scratch).contains("html-has-lang"));
        }
    }
    let _ = std::fs::remove_file(&scratch);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
