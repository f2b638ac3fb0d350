//! `heldup tune`: what it says of settings is what sysctl(8) and the files themselves say.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::Need;
use heldup_testkit::scratch::Scratch;
use heldup_testkit::settings_file::SettingsFile;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::json_schema;

pub fn trials() -> Vec<Trial> {
    vec![
        crate::trial("tune::values".to_owned(), &[Need::Tool("sysctl")], values_are_those_of_the_machine),
        crate::trial(
            "tune::set-by".to_owned(),
            &[Need::Root, Need::Tool("unshare"), Need::Tool("sysctl"), Need::File("/etc/sysctl.d")],
            the_line_that_set_a_value_is_named,
        ),
        crate::trial("tune::lines-of-files".to_owned(), &[Need::Root], lines_are_those_of_the_files),
        crate::trial("tune::audit".to_owned(), &[Need::Tool("sysctl")], what_the_kernel_has_is_not_refused),
    ]
}

/// The answer of `heldup tune … --format json`.
fn asked(heldup: &Heldup, words: &[&str]) -> Result<Value> {
    let words: Vec<&OsStr> =
        [&["tune"], words, &["--format", "json"]].concat().into_iter().map(OsStr::new).collect();
    let output = heldup.run(&words)?;
    ensure!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).with_context(|| format!("{words:?}: no JSON"))
}

/// What a file holds: of words with one in brackets that one, and one blank between words.
fn content(path: &str) -> Option<String> {
    let text = fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let marked = |open, close| {
        let mut all = words.iter().filter_map(|word| word.strip_prefix(open)?.strip_suffix(close));
        all.next().filter(|_| all.next().is_none()).map(str::to_owned)
    };
    Some(marked('[', ']').or_else(|| marked('(', ')')).unwrap_or_else(|| words.join(" ")))
}

/// What `sysctl -n` says of a key; none where it cannot read it.
fn by_sysctl(key: &str) -> Result<Option<String>> {
    let output = Command::new("sysctl").args(["-n", "--", key]).output().context("run sysctl")?;
    let text = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(output.status.success().then_some(text))
}

/// Every value of the list is in its file; every one of sysctl's is what sysctl says too. What moves by
/// itself is asked before and after.
fn values_are_those_of_the_machine() -> Result<()> {
    let heldup = Heldup::found()?;
    let (mut files, mut by_tool, mut moved) = (0, 0, Vec::new());
    let (answer, again) = (asked(&heldup, &["list"])?, asked(&heldup, &["list"])?);
    json_schema::is_an_answer_about_settings(&answer)?;
    let instances = |answer: &Value| -> Vec<Value> {
        let settings = answer["settings"].as_array().cloned().unwrap_or_default();
        settings.iter().filter_map(|setting| setting["instances"].as_array().cloned()).flatten().collect()
    };
    let after = instances(&again);
    for told in instances(&answer) {
        let (key, path) =
            (told["key"].as_str().unwrap_or_default(), told["path"].as_str().unwrap_or_default());
        let Some(value) = told["value"].as_str() else {
            ensure!(content(path).is_none(), "{key}: {path} can be read, and {}", told["unread"]);
            continue;
        };
        let later = after.iter().find(|other| other["key"] == key).and_then(|other| other["value"].as_str());
        if later != Some(value) {
            moved.push(key.to_owned());
            continue;
        }
        // What is asked of the kernel by a call has no file; `changes` holds it against the tools.
        if !path.starts_with('/') {
            continue;
        }
        ensure!(content(path).as_deref() == Some(value), "{key}: {value}, {path} {:?}", content(path));
        files += 1;
        if path.starts_with("/proc/sys/")
            && let Some(said) = by_sysctl(key)?
        {
            ensure!(said == value, "{key}: {value}, sysctl {said}");
            by_tool += 1;
        }
    }
    ensure!(files > 100 && by_tool > 60, "{files} files, {by_tool} of sysctl");
    ensure!(moved.len() * 20 < files, "too many move by themselves: {moved:?}");
    let shown = asked(&heldup, &["show", "vm.swappiness"])?;
    json_schema::is_an_answer_about_settings(&shown)?;
    let one = &shown["settings"][0];
    ensure!(one["id"] == "vm.swappiness" && one["default"] == "60", "{one}");
    ensure!(one["instances"][0]["value"].as_str() == content("/proc/sys/vm/swappiness").as_deref(), "{one}");
    Ok(())
}

/// A mount namespace of its own has another sysctl.d, in which two files disagree.
fn the_line_that_set_a_value_is_named() -> Result<()> {
    let heldup = Heldup::found()?;
    let now = content("/proc/sys/vm/page_lock_unfairness").context("no vm.page_lock_unfairness")?;
    let script = format!(
        "set -e; mount -t tmpfs none /etc/sysctl.d; printf '# first\\nvm.page_lock_unfairness = 91\\n' \
         >/etc/sysctl.d/10-a.conf; printf 'vm.page_lock_unfairness = {now}\\n' >/etc/sysctl.d/99-zz-b.conf; \
         exec \"$0\" tune show vm.page_lock_unfairness --format json"
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-c", &script]).arg(heldup.program());
    let output = command.output().context("run unshare")?;
    let answer: Value = match serde_json::from_slice(&output.stdout) {
        Ok(answer) => answer,
        Err(error) => bail!("{error}: {}", String::from_utf8_lossy(&output.stderr)),
    };
    let stands = &answer["settings"][0]["instances"][0];
    ensure!(stands["set_by"] == "file" && stands["disputed"] == true, "{stands}");
    ensure!(
        stands["line"]["file"] == "/etc/sysctl.d/99-zz-b.conf" && stands["line"]["line"] == 1,
        "{stands}"
    );
    let first = &stands["assigned"][0];
    ensure!(
        first["file"] == "/etc/sysctl.d/10-a.conf" && first["line"] == 2 && first["value"] == "91",
        "{first}"
    );
    ensure!(by_sysctl("vm.page_lock_unfairness")? == Some(now), "it was set");
    Ok(())
}

/// Table `setting_line`: each row stands in its file, and its setting is there or not as it says.
fn lines_are_those_of_the_files() -> Result<()> {
    let heldup = Heldup::found()?;
    let now = content("/proc/sys/vm/swappiness").context("no vm.swappiness")?;
    let text = format!("net.ipv4.tcp_tw_recycle = 1\n# now\nvm.swappiness={now}\nheldup.no_such = 7\n");
    let file = SettingsFile::of(&text)?;
    let query = "select file, line, setting_key, line_value, line_status from setting_line";
    let output = heldup.run(&["sql", "--for", "1s", query, "--format", "json"])?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut of_ours = Vec::new();
    for row in String::from_utf8(output.stdout)?.lines() {
        let row: Value = serde_json::from_str(row).with_context(|| format!("no row: {row}"))?;
        let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let (path, key, status) = (word("file"), word("setting_key"), word("line_status"));
        let number = usize::try_from(row["line"].as_u64().context("no line")?)?;
        let text = fs::read_to_string(&path).with_context(|| path.clone())?;
        let line = text.lines().nth(number - 1).context("a line past the end")?;
        let last = key.rsplit(['.', '/']).next().unwrap_or_default();
        ensure!(
            line.contains(last) && line.contains(word("line_value").split(' ').next().unwrap_or_default()),
            "{row}: {line}"
        );
        if path.starts_with("/etc/sysctl") || path.contains("sysctl.d/") {
            let there = fs::exists(format!("/proc/sys/{}", key.replace('.', "/")))?;
            ensure!(
                there == !matches!(status.as_str(), "absent" | "obsolete") || key.contains(['*', '/']),
                "{row}"
            );
        }
        if path == file.path().display().to_string() {
            of_ours.push((number, status));
        }
    }
    let expected =
        [(1, "obsolete"), (3, "in_effect"), (4, "absent")].map(|(line, word)| (line, word.to_owned()));
    ensure!(of_ours == expected, "{of_ours:?}");
    Ok(())
}

/// What `sysctl -a` says of this kernel is what the kernel holds: nothing of it is out of range, gone
/// or not there.
fn what_the_kernel_has_is_not_refused() -> Result<()> {
    let heldup = Heldup::found()?;
    let folder = Scratch::new("audit")?;
    let listed = Command::new("sysctl").arg("-a").output().context("run sysctl")?;
    let file = folder.path().join("listed.conf");
    fs::write(&file, &listed.stdout)?;
    let file = file.to_str().context("a folder with a name")?;
    let answer = asked(&heldup, &["audit", file])?;
    json_schema::is_an_audit(&answer)?;
    ensure!(answer["files"][0]["is_listing"] == true, "{}", answer["files"]);
    let lines = answer["lines"].as_array().context("no lines")?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let assigned = text.lines().filter(|line| line.contains(" = ")).count();
    ensure!(lines.len() * 100 >= assigned * 95, "{} of {assigned} lines", lines.len());
    let refused: Vec<String> = lines
        .iter()
        .filter(|line| {
            let kept = line["remarks"][0]["why"].as_str().is_some_and(|why| why.starts_with("no effect"));
            matches!(line["verdict"].as_str(), Some("out_of_range" | "absent" | "obsolete")) && !kept
        })
        .map(Value::to_string)
        .collect();
    ensure!(refused.is_empty(), "{}", refused.join("\n"));
    ensure!(lines.iter().filter(|line| line["verdict"] == "default").count() > 40, "no defaults");
    // It must be able to find something, and then say so by its exit code.
    let bad = folder.path().join("bad.conf");
    fs::write(&bad, "net.ipv4.tcp_tw_recycle = 1\nvm.dirty_ratio = 150\nvm.swappiness = 60\nnonsense\n")?;
    let bad = bad.to_str().context("a folder with a name")?;
    let output = heldup.run(&[
        "tune",
        "audit",
        bad,
        "--fail-on",
        "warning",
        "--format",
        "json",
        "--release",
        "6.1",
    ])?;
    ensure!(output.status.code() == Some(1), "{}", output.status);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let verdicts: Vec<&str> = answer["lines"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|line| line["verdict"].as_str())
        .collect();
    ensure!(verdicts == ["obsolete", "out_of_range", "default", "malformed"], "{verdicts:?}");
    // One that is not there is said, and the other is judged.
    let missing = folder.path().join("missing.conf");
    let missing = missing.to_str().context("a folder with a name")?;
    let output = heldup.run(&["tune", "audit", missing, bad, "--format", "json", "--release", "6.1"])?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() == Some(3) && said.contains("missing.conf"), "{}: {said}", output.status);
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    ensure!(answer["files"][0]["file"] == bad && answer["lines"][0]["file"] == bad, "{answer}");
    Ok(())
}
