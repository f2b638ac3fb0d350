//! Each setting of the catalogue that this machine has: read, set to another value, read back, undone.
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

/// How many are changed at once: each start of the program takes its time in a guest, and of a dozen
/// settings one is refused.
const TOGETHER: usize = 4;
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
    let settings = answer["settings"].as_array().context("settings")?;
    let tried: Vec<Tried> = settings.iter().filter_map(|setting| tried(setting, net)).collect();
    let (mut well, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for together in tried.chunks(TOGETHER) {
        // Where one of them is refused, or moves another one, each by itself tells which and why.
        if matches!(changed_and_back(heldup, net, together), Ok(None)) {
            well += together.len();
            continue;
        }
        for one in together.chunks(1) {
            let change = one[0].change();
            match changed_and_back(heldup, net, one) {
                Ok(None) => well += 1,
                Ok(Some(why)) => refused.push(format!("{change}: {why}")),
                Err(error) => wrong.push(format!("{change}: {error:#}")),
            }
        }
    }
    crate::said::say(&format!("{well} settings came back; refused: {refused:?}"))?;
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(well >= LEAST[usize::from(net.is_none())], "only {well} of them; refused: {refused:#?}");
    Ok(())
}

/// A setting that is tried, its file, and another value than it has.
struct Tried<'a> {
    key: &'a str,
    path: &'a str,
    value: String,
}

fn tried<'a>(setting: &'a Value, net: Option<&str>) -> Option<Tried<'a>> {
    if setting["level"] == "high" || ONE_WAY.contains(&setting["id"].as_str()?) {
        return None;
    }
    // Of devices of a kind one says as much as all.
    let at = setting["instances"].as_array()?.last()?;
    // What has no file has tests of its own (`called`).
    let path = at["path"].as_str()?;
    let here = path.starts_with(if net.is_some() { "/proc/sys/net/" } else { "/" });
    let value = here.then(|| another(setting, at["value"].as_str()?))??;
    Some(Tried { key: at["key"].as_str()?, path, value })
}

impl Tried<'_> {
    fn change(&self) -> String {
        format!("{}={}", self.key, self.value)
    }
}

/// Sets them and undoes them; why the kernel would not have them, where it refused.
fn changed_and_back(heldup: &Heldup, net: Option<&str>, settings: &[Tried<'_>]) -> Result<Option<String>> {
    let before = contents(net, settings)?;
    let changes: Vec<String> = settings.iter().map(Tried::change).collect();
    let words = ["tune", "apply", "--format", "json"].into_iter().chain(changes.iter().map(String::as_str));
    let applied = heldup.run(&words.collect::<Vec<_>>())?;
    let answer: Value = serde_json::from_slice(&applied.stdout).unwrap_or(Value::Null);
    let during = contents(net, settings)?;
    if applied.status.code() != Some(0) {
        ensure!(during == before, "refused and changed: {during:?}, not {before:?}");
        let why = answer["error"].as_str().map(str::to_owned);
        return Ok(Some(why.unwrap_or_else(|| String::from_utf8_lossy(&applied.stderr).into_owned())));
    }
    let undone = heldup.run(&["tune", "undo", "--all"])?;
    let after = contents(net, settings)?;
    ensure!(undone.status.success(), "not undone: {}", String::from_utf8_lossy(&undone.stderr));
    ensure!(after == before, "{after:?} is not {before:?}");
    // What the kernel made of each is what it said it did.
    for (at, (one, during)) in settings.iter().zip(&during).enumerate() {
        let change = &answer["changes"][at];
        ensure!(change["setting"] == one.key, "{} is not told: {answer}", one.key);
        let now = change["now"].as_str().unwrap_or_default();
        let is = during.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = is == now || is.contains(&format!("[{now}]")) || is.contains(&format!("({now})"));
        ensure!(shown, "{now:?} was told of {}, and it was {is:?}", one.key);
    }
    let left = during.iter().zip(&before).find(|(during, before)| during == before);
    Ok(left.map(|(during, _)| format!("the kernel left it at {}", during.trim())))
}

fn contents(net: Option<&str>, settings: &[Tried<'_>]) -> Result<Vec<String>> {
    settings.iter().map(|one| content(net, one.path)).collect()
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
