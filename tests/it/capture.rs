//! `heldup capture`: one file of everything, and that nobody is named in what is made for others.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use anyhow::{Context, Result, ensure};
use heldup_archive::{Database, store};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::kernel_setting::KernelSetting;
use heldup_testkit::needs::Need;
use heldup_testkit::running::Running;
use libtest_mimic::Trial;
use serde_json::Value;

/// Names that no machine has by itself. Two are too long for the kernel's names of programs.
const HOST: &str = "quillwort-7";
const USER: &str = "zephyrine";
const ADDRESS: &str = "198.51.100.77";
const ADDRESS_6: &str = "2001:db8:77::5";
const HARDWARE: &str = "52:54:00:7a:7b:7c";
const ARGUMENT: &str = "--token=marzipan";
const FOLDER: &str = "thesis-draft";
const NAMES: [&str; 7] = ["quillwort", USER, ADDRESS, ADDRESS_6, HARDWARE, "marzipan", FOLDER];

/// Puts the names wherever a machine has such, within namespaces of its own, then runs `heldup`. The
/// kernel's log has no namespace: a line stays in it.
const SCRIPT: &str = r#"
set -e
hostname quillwort-7
mount -t tmpfs home /home
mkdir -p /home/zephyrine/thesis-draft
cp "$(command -v sleep)" /home/zephyrine/thesis-draft/zephyrine-job
cp /etc/passwd /home/passwd
echo 'zephyrine:x:4242:4242:Zephyrine:/home/zephyrine:/bin/sh' >>/home/passwd
mount --bind /home/passwd /etc/passwd
ip link set lo up
ip addr add 198.51.100.77/32 dev lo
echo "heldup test: session 3 of user zephyrine from 198.51.100.77 (2001:db8:77::5), MAC=52:54:00:7a:7b:7c on quillwort-7, /home/zephyrine/thesis-draft/x" >/dev/kmsg
exec 5<>/dev/udp/198.51.100.77/4711
/home/zephyrine/thesis-draft/zephyrine-job 60 &
job=$!
sh -c 'while :; do sleep 0.1; done' --token=marzipan &
other=$!
trap 'kill $job $other' EXIT
"$0" "$@"
"#;

pub fn trials() -> Vec<Trial> {
    let namespaces = &[Need::Root, Need::Tool("unshare"), Need::Tool("ip"), Need::Tool("bash")];
    vec![
        crate::trial("capture::one-file".to_owned(), crate::LEDGER, one_file),
        crate::trial(
            "capture::drift".to_owned(),
            &[Need::Root, Need::File("/proc/sys/vm/page_lock_unfairness")],
            drift,
        ),
        crate::trial("capture::names-nobody".to_owned(), namespaces, names_nobody),
    ]
}

fn done(output: Output) -> Result<String> {
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// What is seen is in it, and every command that takes a kept capture takes it.
fn one_file() -> Result<()> {
    let heldup = Heldup::found()?;
    let path = heldup.home().join("box.heldup");
    let file = path.to_str().context("a path")?;
    // On a machine where nobody does anything there would be no stack and nothing to trace.
    let load = Running::program("mutex_fight", &[&"3", &"2000", &"spin"])?;
    let said = done(heldup.run(&["capture", "--for", "2s", "-o", file])?)?;
    ensure!(said.contains("--redact"), "{said}");
    drop(load);
    ensure!(fs::metadata(&path)?.permissions().mode() & 0o777 == 0o600, "others may read it");
    let again = heldup.run(&["capture", "--for", "2s", "-o", file])?;
    let why = String::from_utf8_lossy(&again.stderr).into_owned();
    ensure!(!again.status.success() && why.contains("--force"), "it was replaced: {why}");
    let rows = done(heldup.run(&[
        "sql",
        "-s",
        file,
        "select count(*) n, sum(seconds) s from stack",
        "--format",
        "json",
    ])?)?;
    let stacks: Value = serde_json::from_str(&rows)?;
    ensure!(stacks["n"].as_i64() > Some(0), "no stack: {rows}");
    for table in ["setting", "slab", "event", "host", "numa", "task_time", "mount"] {
        let count = done(heldup.run(&[
            "sql",
            "-s",
            file,
            &format!("select count(*) from {table}"),
            "--format",
            "csv",
        ])?)?;
        ensure!(count.lines().nth(1).is_some_and(|count| count != "0"), "{table} is empty: {count}");
    }
    packages(&heldup, file)?;
    let examined = done(heldup.run(&["examine", file, "--format", "json"])?)?;
    let examined: Value = serde_json::from_str(&examined)?;
    ensure!(examined["host"]["source"] == *file, "{}", examined["host"]);
    let compared = done(heldup.run(&["compare", file, file, "--format", "json"])?)?;
    let compared: Value = serde_json::from_str(&compared)?;
    ensure!(compared["settings"].as_array().is_some_and(Vec::is_empty), "{}", compared["settings"]);
    traced(&heldup, file, stacks["s"].as_f64())?;
    // As a baseline of itself nothing has drifted.
    let examined = done(heldup.run(&["examine", file, "--baseline", file, "--format", "json"])?)?;
    ensure!(examined.contains("\"config.drift\""), "the rule did not run");
    let examined: Value = serde_json::from_str(&examined)?;
    let ruled_out =
        examined["ruled_out"].as_array().is_some_and(|all| all.iter().any(|one| one["id"] == "config.drift"));
    ensure!(ruled_out, "config.drift: {}", examined["findings"]);
    Ok(())
}

/// A drill tells who was on a CPU, and its folded stacks are of waits that the file has.
fn traced(heldup: &Heldup, file: &str, all_s: Option<f64>) -> Result<()> {
    let told = done(heldup.run(&["breakdown", "cpu", file])?)?;
    ensure!(["Who", "When", "user", "mutex_fight"].iter().all(|word| told.contains(word)), "{told}");
    let folded = done(heldup.run(&["breakdown", "wait", file, "--folded"])?)?;
    ensure!(folded.contains("mutex_fight"), "who waited is in no stack: {folded}");
    let mut us = 0.0;
    for line in folded.lines() {
        let (stack, count) = line.rsplit_once(' ').context("no count")?;
        ensure!(stack.split(';').count() >= 2, "no program and class: {line}");
        us += count.parse::<f64>().with_context(|| format!("no number: {line}"))?;
    }
    // Each line is rounded to a microsecond.
    let most_us = all_s.unwrap_or(0.0) * 1e6 + folded.lines().count() as f64;
    ensure!(us <= most_us, "{us} µs of {most_us}");
    let picture = done(heldup.run(&["breakdown", "wait", file, "--format", "svg"])?)?;
    ensure!(picture.starts_with("<?xml") && picture.trim_end().ends_with("</svg>"), "no picture: {picture}");
    ensure!(picture.contains("<title>mutex_fight\n"), "who waited is in no box");
    let same = done(heldup.run(&["breakdown", "wait", file, "--baseline", file, "--format", "csv"])?)?;
    let differs = |line: &str| line.rsplit_once(',').is_none_or(|(_, change)| change.parse() != Ok(0.0));
    ensure!(!same.lines().skip(1).any(differs), "a file differs from itself: {same}");
    Ok(())
}

/// Packages and their versions are those that dpkg names, where there is one.
fn packages(heldup: &Heldup, file: &str) -> Result<()> {
    let mut dpkg = std::process::Command::new("dpkg-query");
    let Ok(listed) = dpkg.args(["-W", "-f", "${db:Status-Status} ${Package} ${Version}\\n"]).output() else {
        return Ok(());
    };
    let listed = done(listed)?;
    let theirs: BTreeSet<&str> = listed.lines().filter_map(|line| line.strip_prefix("installed ")).collect();
    let query = "select substr(setting_key, 9) || ' ' || setting_value from setting where setting_key like 'package.%'";
    let ours = done(heldup.run(&["sql", "-s", file, query, "--format", "csv"])?)?;
    // One name may have a version for each architecture.
    let each = ours.lines().skip(1).flat_map(|line| {
        let (name, versions) = line.split_once(' ').unwrap_or((line, ""));
        versions.split(' ').map(move |version| format!("{name} {version}"))
    });
    let ours: BTreeSet<String> = each.collect();
    let missing: Vec<_> = theirs.iter().filter(|one| !ours.contains(**one)).collect();
    ensure!(
        missing.is_empty() && ours.len() >= theirs.len(),
        "{} of {}: {missing:?}",
        ours.len(),
        theirs.len()
    );
    // Who examines the machine pays nothing for them.
    heldup.examine_with(1, &["--method", "delays"])?;
    let without = heldup.sql_last("select count(*) from setting where setting_key like 'package.%'")?;
    ensure!(without[0][0].as_i64() == Some(0), "packages were read for an examination: {without:?}");
    Ok(())
}

/// A setting that is not as the baseline has it is told, with both values, and nothing else is.
fn drift() -> Result<()> {
    let heldup = Heldup::found()?;
    done(heldup.run(&["baseline", "save", "--for", "1s", "--method", "delays"])?)?;
    let changed = KernelSetting::set("/proc/sys/vm/page_lock_unfairness", "7")?;
    let options = ["--method", "delays"];
    let found = heldup.examine_with(1, &options);
    drop(changed);
    let back = heldup.examine_with(1, &options)?;
    let found = found?.examination.findings;
    let drifted: Vec<_> = found.iter().filter(|finding| finding.id == "config.drift").collect();
    ensure!(drifted.len() == 1, "not one finding: {drifted:?}");
    ensure!(drifted[0].key == "config.drift/setting:vm.page_lock_unfairness", "{}", drifted[0].key);
    ensure!(drifted[0].title.contains(", now 7)"), "{}", drifted[0].title);
    let back = back.examination;
    ensure!(
        back.ruled_out.iter().any(|one| one.id == "config.drift"),
        "it is still said: {:?}",
        back.findings
    );
    Ok(())
}

/// A machine with known names, looked at as it is and redacted: in the first each name is found,
/// which shows that the search finds, and in the second none, neither in the bytes nor in a cell.
fn names_nobody() -> Result<()> {
    let wrapper = ["unshare", "--uts", "--mount", "--net", "--ipc", "bash", "-c", SCRIPT];
    let heldup = Heldup::found()?.under(&wrapper);
    let (plain, redacted) = (heldup.home().join("plain.heldup"), heldup.home().join("redacted.heldup"));
    let (plain, redacted) = (plain.to_str().context("a path")?, redacted.to_str().context("a path")?);
    done(heldup.run(&["capture", "--for", "2s", "--method", "sampling", "-o", plain])?)?;
    done(heldup.run(&["capture", "--for", "2s", "--method", "sampling", "--redact", "-o", redacted])?)?;
    let heldup = Heldup::found()?;
    let of_plain = cells(&heldup, plain)?;
    for name in NAMES {
        ensure!(of_plain.contains(name), "{name} was not captured: the test looks for nothing");
    }
    let public = cells(&heldup, redacted)?;
    let bytes = String::from_utf8_lossy(&fs::read(redacted)?).to_lowercase();
    for name in NAMES {
        let line = public.lines().find(|line| line.contains(name));
        ensure!(line.is_none(), "{name} is in a cell: {line:?}");
        ensure!(!bytes.contains(name), "{name} is in the file's bytes");
    }
    ensure!(public.contains("host-1") && public.contains("user-1"), "no pseudonyms");
    ensure!(!public.contains(ARGUMENT) && !public.contains(HOST), "an argument or the host is in it");
    // What was kept with names loses them later too, without what the machine knows of names.
    let later = heldup.home().join("later.heldup");
    let later = later.to_str().context("a path")?;
    done(heldup.run(&["capture", "--redact", "-o", later, plain])?)?;
    let later = cells(&heldup, later)?;
    for name in NAMES {
        let line = later.lines().find(|line| line.contains(name));
        ensure!(line.is_none(), "{name} is in a cell of what was redacted later: {line:?}");
    }
    Ok(())
}

/// All cells of all tables of a file, a row a line, and its examination, in small letters.
fn cells(heldup: &Heldup, file: &str) -> Result<String> {
    let mut all = done(heldup.run(&["examine", file, "--format", "json"])?)?;
    let (capture, damaged) = store::load_file(Path::new(file))?;
    ensure!(damaged.is_empty(), "{damaged:?}");
    all.push_str(&format!("{} {:?} {:?}\n", capture.host, capture.missing, capture.flaws));
    let database = Database::open(&capture)?;
    for table in capture.tables.keys() {
        for row in database.query(&format!("select * from {table}"))?.rows {
            all.push_str(&format!("{table} {row:?}\n"));
        }
    }
    Ok(all.to_lowercase())
}
