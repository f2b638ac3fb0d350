//! Each setting of the catalogue that this machine has: read, set to another value, read back, taken back.
//!
//! In a guest all of them, but for those with which data or the machine may be lost; elsewhere those of a
//! network namespace that is made for it.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use heldup_testkit::guest::test_machine;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::said;
use heldup_testkit::scratch::unique_name;
use serde_json::Value;

/// How many have to come back for the test to have tested anything: of a namespace, of a guest.
const LEAST: [usize; 2] = [25, 100];
/// What only ever goes one way, or does something when it is written.
const ONE_WAY: [&str; 6] = [
    "kernel.kexec_load_disabled",
    "kernel.modules_disabled",
    "kernel.unprivileged_bpf_disabled",
    "kernel.yama.ptrace_scope",
    "vm.compact_memory",
    "vm.drop_caches",
];

pub fn every_setting() -> Result<()> {
    if Path::new(test_machine::TESTS).exists() {
        return each(&Heldup::found()?, None);
    }
    let namespace = unique_name("every-setting");
    said(Command::new("ip").args(["netns", "add", &namespace]))?;
    let net = format!("--net=/run/netns/{namespace}");
    let tried = Heldup::found().and_then(|heldup| each(&heldup.under(&["nsenter", &net]), Some(&net)));
    said(Command::new("ip").args(["netns", "delete", &namespace]))?;
    tried
}

fn each(heldup: &Heldup, net: Option<&str>) -> Result<()> {
    let answer = heldup.run(&["tune", "list", "--format", "json"])?;
    let answer: Value = serde_json::from_slice(&answer.stdout).context("no JSON")?;
    let (mut well, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for setting in answer["settings"].as_array().context("settings")? {
        let id = setting["id"].as_str().unwrap_or_default();
        if setting["level"] == "high" || ONE_WAY.contains(&id) {
            continue;
        }
        // Of devices of a kind one says as much as all.
        let Some(at) = setting["instances"].as_array().and_then(|all| all.last()) else { continue };
        let path = at["path"].as_str().unwrap_or_default();
        // What has no file has tests of its own (`called`).
        if !path.starts_with(if net.is_some() { "/proc/sys/net/" } else { "/" }) {
            continue;
        }
        let (Some(key), Some(now)) = (at["key"].as_str(), at["value"].as_str()) else { continue };
        let Some(other) = another(setting, now) else { continue };
        match changed_and_back(heldup, net, (key, path), &other) {
            Ok(None) => well += 1,
            Ok(Some(why)) => refused.push(format!("{key}={other}: {why}")),
            Err(error) => wrong.push(format!("{key}: {now} → {other}: {error:#}")),
        }
    }
    println!("{well} settings came back; refused: {refused:#?}");
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(well >= LEAST[usize::from(net.is_none())], "only {well} of them; refused: {refused:#?}");
    Ok(())
}

/// Sets it and takes it back; why the kernel would not have it, where it refused.
fn changed_and_back(
    heldup: &Heldup,
    net: Option<&str>,
    (key, path): (&str, &str),
    other: &str,
) -> Result<Option<String>> {
    let before = content(net, path)?;
    let applied = heldup.run(&["tune", "apply", &format!("{key}={other}"), "--format", "json"])?;
    let answer: Value = serde_json::from_slice(&applied.stdout).unwrap_or(Value::Null);
    if applied.status.code() != Some(0) {
        ensure!(content(net, path)? == before, "refused and changed: {}", content(net, path)?);
        let why = answer["error"].as_str().map(str::to_owned);
        return Ok(Some(why.unwrap_or_else(|| String::from_utf8_lossy(&applied.stderr).into_owned())));
    }
    let during = content(net, path)?;
    let undone = heldup.run(&["tune", "undo", "--all"])?;
    let after = content(net, path)?;
    ensure!(undone.status.success(), "not taken back: {}", String::from_utf8_lossy(&undone.stderr));
    ensure!(after == before, "{after:?} is not {before:?}");
    // What the kernel made of it is what it said it did.
    let now = answer["changes"][0]["now"].as_str().unwrap_or_default();
    let is = during.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = is == now || is.contains(&format!("[{now}]")) || is.contains(&format!("({now})"));
    ensure!(shown, "{now:?} was told, and it was {is:?}");
    if during == before {
        return Ok(Some(format!("the kernel left it at {now}")));
    }
    Ok(None)
}

fn content(net: Option<&str>, path: &str) -> Result<String> {
    match net {
        Some(net) => said(Command::new("nsenter").args([net, "cat", path])),
        None => fs::read_to_string(path).with_context(|| path.to_owned()),
    }
}

/// Another value than the one now that the catalogue allows.
fn another(setting: &Value, now: &str) -> Option<String> {
    let (min, max) = (setting["min"].as_i64(), setting["max"].as_i64());
    let fits = |number: &i64| min.is_none_or(|min| min <= *number) && max.is_none_or(|max| *number <= max);
    let other = |text: &str| {
        let now = text.parse::<i64>().ok()?;
        [now.checked_add(1)?, now - 1, now.checked_mul(2)?]
            .into_iter()
            .find(|number| *number != now && fits(number))
    };
    match setting["kind"].as_str()? {
        "integer" => other(now).map(|number| number.to_string()),
        "integers" => {
            let mut words: Vec<String> = now.split_whitespace().map(str::to_owned).collect();
            let last = words.last_mut()?;
            *last = other(last)?.to_string();
            Some(words.join(" "))
        }
        "switch" => Some(if now == "0" { "1" } else { "0" }.to_owned()),
        "choice" => {
            let choices = setting["choices"].as_array()?.iter().filter_map(Value::as_str);
            choices.into_iter().find(|choice| *choice != now).map(str::to_owned)
        }
        "flag" => Some(if now == "on" { "off" } else { "on" }.to_owned()),
        _ => None,
    }
}
