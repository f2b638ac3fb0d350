//! Each `--method`, with every right and with none: an answer by that method, or a clear error.

use anyhow::{Result, ensure};
use heldup_model::Method;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

use crate::robust::{NOBODY, for_everybody};

/// Seconds of each window.
const SECONDS: u32 = 2;

pub fn trials() -> Vec<Trial> {
    let nobody = &[Need::Root, Need::Tool("setpriv")];
    vec![
        crate::trial("methods::root".to_owned(), crate::LEDGER, root),
        crate::trial("methods::nobody".to_owned(), nobody, nobody_may),
    ]
}

fn root() -> Result<()> {
    let heldup = Heldup::found()?;
    let expected = [
        ("auto", Method::Ebpf),
        ("ebpf", Method::Ebpf),
        ("sampling", Method::Sampling),
        ("delays", Method::Delays),
    ];
    answers(&heldup, &expected)?;
    ensure!(doctor(&heldup)?.contains("takes ebpf"), "doctor does not say what auto takes");
    Ok(())
}

fn nobody_may() -> Result<()> {
    let heldup = for_everybody()?.under(NOBODY);
    let lesser = [("auto", Method::Sampling), ("sampling", Method::Sampling), ("delays", Method::Delays)];
    answers(&heldup, &lesser)?;
    let Err(error) = heldup.examine_with(SECONDS, &["--method", "ebpf"]) else {
        anyhow::bail!("eBPF was used without the right to");
    };
    let said = format!("{error:#}");
    ensure!(said.contains("run as root") && said.contains("heldup doctor"), "no clear error: {said}");
    ensure!(doctor(&heldup)?.contains("takes sampling"), "doctor does not say what auto takes");
    Ok(())
}

fn answers(heldup: &Heldup, expected: &[(&str, Method)]) -> Result<()> {
    for (method, used) in expected {
        let examination = heldup.examine_with(SECONDS, &["--method", method])?.examination;
        ensure!(examination.host.method == *used, "{method}: {:?}", examination.host.method);
        ensure!(!examination.ledger.classes.is_empty(), "{method}: no time of anybody");
    }
    Ok(())
}

fn doctor(heldup: &Heldup) -> Result<String> {
    let output = heldup.run(&["doctor", "--format", "json"])?;
    ensure!(output.status.success(), "heldup doctor: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
