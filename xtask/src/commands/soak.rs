//! `cargo xtask soak`: the tests on the real machine, many times in a row.
//!
//! A trouble that is found nine times of ten is not found. Writes what came out, test by
//! test, to `docs/measured/soak-<date>.md`.
//!
//! With `--method` the troubles alone, once, by a method that sees less, against its own bars:
//! to `docs/measured/soak-<method>-<root|own>-<date>.md`. With `--late` the troubles begin when two
//! thirds of a window are over, with `--beside` a quiet case runs beside them: to
//! `docs/measured/soak-<late|beside-…>-<date>.md`. With `--advice` every change that is proposed is made and
//! taken back as it is printed, once each: to `docs/measured/advice-<date>.md`. With `--stressors` what is
//! said of ten stressors of stress-ng, for a person to judge: to `docs/measured/stressors-<date>.md`.
//! With `--archive` the archive's own tests, its writer killed 200 times: to
//! `docs/measured/soak-archive-<date>.md`. With `--recorder-kills` `heldup record` itself is killed
//! 200 times: to `docs/measured/soak-recorder-kills-<date>.md`.
//! With `--limits` the troubles that are limits somebody set, once each: to `docs/measured/soak-limits-<date>.md`.
//! With `--tune-kills` `heldup tune` is killed 500 times, step after step of what changes settings: to
//! `docs/measured/soak-tune-kills-<date>.md`.
//! With `--fuzz` importers read damaged recordings, and 2 GB of the large ones: to `docs/measured/soak-fuzz-<date>.md`.
//! With `--serve` so many requests at random are sent to the page's server: to `docs/measured/soak-serve-<date>.md`.
//! With `--compare` the machine before twenty of the troubles is compared with the machine with each of
//! them, with `--compare-self` 200 pairs of windows of one steady load: to
//! `docs/measured/soak-<compare|compare-self>-<date>.md`. With `--stories` programs that people run are in
//! trouble and healthy: to `docs/measured/soak-stories-<date>.md`.

mod stories;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::machine;
use crate::program::{cargo, command, heldup, output};
use crate::tree::Tree;

/// Options.
#[derive(Args)]
pub struct Arguments {
    /// How many times in a row
    ///
    /// Ten times, `--stories` five times, and `--compare` once, which takes ten minutes.
    #[arg(long, value_name = "N")]
    times: Option<usize>,
    /// Only tests whose names contain this; may be given several times
    #[arg(long, value_name = "FILTER", default_values_t = ["trouble".to_owned(), "quiet".to_owned(), "known_waits".to_owned()])]
    only: Vec<String>,
    /// The troubles once, by this method instead of the exact ledger, which looks on
    #[arg(long, value_name = "METHOD", conflicts_with_all = ["only", "times"])]
    method: Option<String>,
    /// As an ordinary user, whose own processes suffer the troubles
    #[arg(long, requires = "method")]
    as_user: bool,
    /// The advice once: each change is made and taken back as it is printed, while its trouble lasts, which must
    /// end where it can, and no other finding may get worse unless that is said
    #[arg(long, conflicts_with_all = ["only", "times", "method"])]
    advice: bool,
    /// The troubles, each beginning in the last third of a window of 15 s
    #[arg(long, conflicts_with_all = ["method", "advice", "stressors"])]
    late: bool,
    /// The troubles, with this quiet case beside them: compile, web-server, …
    #[arg(long, value_name = "CASE", conflicts_with_all = ["method", "advice", "stressors"])]
    beside: Option<String>,
    /// What is said of ten stressors of stress-ng, chosen by their place in its list
    #[arg(long, conflicts_with_all = ["only", "times", "method", "advice"])]
    stressors: bool,
    /// Limits that somebody set around a program, each once: at least nine of ten must be named, with what they are a
    /// limit of
    #[arg(long, conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors"])]
    limits: bool,
    /// The archive: its writer killed 200 times, sealing and compaction stopped at every step
    #[arg(long, conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors"])]
    archive: bool,
    /// `heldup record`, killed so many times at random moments in one archive
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = KILLS,
          conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors", "archive"])]
    recorder_kills: Option<u32>,
    /// `heldup tune`, killed so many times at each step of apply, undo, confirm, recover and the guard
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = TUNE_KILLS,
          conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors", "archive", "recorder_kills"])]
    tune_kills: Option<u32>,
    /// `heldup compare`, without and with each of twenty troubles, which must lead what is said
    #[arg(long, conflicts_with_all = ["only", "method", "advice", "late", "beside", "stressors", "archive"])]
    compare: bool,
    /// `heldup compare` of 200 pairs of windows of one steady load that is recorded for so many seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "300",
          conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors", "archive", "compare"])]
    compare_self: Option<u32>,
    /// Importers: damaged recordings of all formats in turn for so many minutes in all, and 2 GB of the large ones
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "60",
          conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors", "archive", "compare"])]
    fuzz: Option<u32>,
    /// `heldup serve`: so many requests at random and damaged ones of the page
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "1000000",
          conflicts_with_all = ["only", "times", "method", "advice", "late", "beside", "stressors", "archive", "compare", "fuzz"])]
    serve: Option<u32>,
    /// `heldup try`: from finding to proof, changes with a known effect (each 20 times, or `--times`), changes
    /// without any (20 in all), the search against a sweep (5 times)
    #[arg(long = "try", value_name = "PART", num_args = 0..=1, default_missing_value = "proofs",
          conflicts_with_all = ["only", "method", "advice", "late", "beside", "stressors", "archive", "compare",
                                "compare_self", "recorder_kills", "tune_kills"])]
    tried: Option<TriedPart>,
    /// Programs that people run, in trouble and healthy, five times
    #[arg(long, conflicts_with_all = ["only", "method", "advice", "late", "beside", "stressors", "archive", "compare",
                                      "compare_self", "recorder_kills", "tune_kills", "tried", "fuzz"])]
    stories: bool,
}

/// What is asked of experiments.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TriedPart {
    /// What the top finding proposes ends the trouble.
    Proofs,
    /// The right verdict in 19 of 20, the sign always.
    Effects,
    /// Few false verdicts.
    Nothing,
    /// As good as the best of a sweep, with a third of its runs.
    Search,
}

impl TriedPart {
    /// As the tests and the file call it.
    fn name(self) -> &'static str {
        match self {
            TriedPart::Proofs => "proofs",
            TriedPart::Effects => "effects",
            TriedPart::Nothing => "nothing",
            TriedPart::Search => "search",
        }
    }
}

/// The archive's tests that stop it, and how often its writer is killed.
const ARCHIVE_TESTS: [&str; 3] = ["journal_ends", "kept", "kept_days"];
/// The troubles that are limits somebody set; with what follows a dot behind the name.
const LIMITS: [&str; 20] = [
    "trouble::cpu.pinned",
    "trouble::cpu.throttled",
    "trouble::disk.readahead-off",
    "trouble::disk.scheduler",
    "trouble::disk.sync-bound",
    "trouble::disk.throttled",
    "trouble::limit.aio",
    "trouble::limit.locked-memory",
    "trouble::limit.map-count",
    "trouble::limit.open-files",
    "trouble::limit.processes",
    "trouble::limit.shared-memory",
    "trouble::mem.cgroup-limit",
    "trouble::mem.dirty-throttle",
    "trouble::mem.exhausted",
    "trouble::mem.oom-kill",
    "trouble::net.listen-overflow",
    "trouble::net.saturated",
    "trouble::net.socket-buffer-drops",
    "trouble::net.throttled",
];
const KILLS: &str = "200";
const TUNE_KILLS: &str = "500";
/// Time that a load may take to settle before it is recorded, and to be looked at behind that.
const LOAD_BEFORE_S: u32 = 120;

/// Least share of the troubles that a method must name which sees less: of the whole machine
/// as root, and of one's own processes.
const LEAST_NAMED: [f64; 2] = [0.9, 0.7];
/// Names the file to which tests add lines that belong into the record.
const SAYS: &str = "HELDUP_IT_SAYS";
/// What the tests say of a trouble where another one was named that was not there.
const WRONGLY: &str = "NAMED WRONGLY";

impl Arguments {
    fn filters(&self) -> Vec<String> {
        if self.limits {
            return LIMITS.map(str::to_owned).to_vec();
        }
        if self.recorder_kills.is_some() {
            return vec!["record::survives::kills".to_owned()];
        }
        if self.tune_kills.is_some() {
            return vec!["changes::kills".to_owned()];
        }
        if self.compare {
            return vec!["comparison::".to_owned()];
        }
        if self.compare_self.is_some() {
            return vec!["comparison-with-itself".to_owned()];
        }
        if self.tried.is_some() {
            return vec!["experiments::".to_owned()];
        }
        if self.stories {
            return vec![stories::TESTS.to_owned()];
        }
        match (&self.method, self.advice) {
            (Some(_), _) => vec!["less_detail".to_owned()],
            (None, true) => vec!["advice".to_owned()],
            // Quiet cases and known waits have nothing that could begin late.
            (None, false) if self.circumstances().is_some() && self.only.len() > 1 => {
                vec!["trouble::".to_owned()]
            }
            (None, false) => self.only.clone(),
        }
    }

    /// Under which circumstances the troubles are made, where not the usual ones.
    fn circumstances(&self) -> Option<String> {
        let beside = self.beside.as_ref().map(|case| format!("beside-{case}"));
        let words: Vec<String> = self.late.then(|| "late".to_owned()).into_iter().chain(beside).collect();
        (!words.is_empty()).then(|| words.join("-"))
    }

    fn rounds(&self) -> usize {
        let once = [
            self.method.is_some(),
            self.advice,
            self.archive,
            self.limits,
            self.recorder_kills.is_some(),
            self.tune_kills.is_some(),
            self.compare_self.is_some(),
            // It repeats by itself.
            self.tried.is_some(),
            self.fuzz.is_some(),
            self.serve.is_some(),
        ];
        let usual = match (self.compare, self.stories) {
            (true, _) => 1,
            (_, true) => stories::ROUNDS,
            _ => 10,
        };
        if once.contains(&true) { 1 } else { self.times.unwrap_or(usual) }
    }

    /// What tells the tests which of them run, and how.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let yes = |asked: bool| asked.then(|| "1".to_owned());
        let seconds = self.compare_self.map(|seconds| seconds.to_string());
        // Programs end by themselves, as a rule before that.
        let load_seconds = self.compare_self.map(|seconds| (seconds + LOAD_BEFORE_S).to_string());
        let all = [
            ("HELDUP_IT_METHOD", self.method.clone()),
            ("HELDUP_IT_ADVICE", yes(self.advice)),
            ("HELDUP_IT_LATE", yes(self.late)),
            ("HELDUP_IT_BESIDE", self.beside.clone()),
            ("HELDUP_IT_USER", self.as_user.then(|| "ordinary".to_owned())),
            ("HELDUP_IT_KILLS", self.recorder_kills.map(|kills| kills.to_string())),
            ("HELDUP_IT_TUNE_KILLS", self.tune_kills.map(|kills| kills.to_string())),
            ("HELDUP_IT_COMPARE", yes(self.compare)),
            ("HELDUP_IT_COMPARE_SELF", seconds),
            ("HELDUP_TEST_LOAD_SECONDS", load_seconds),
            ("HELDUP_IT_STORIES", self.stories.then(|| "all".to_owned())),
            ("HELDUP_IT_TRY", self.tried.map(|part| part.name().to_owned())),
            (
                "HELDUP_IT_TRY_TIMES",
                self.times.filter(|_| self.tried.is_some()).map(|times| times.to_string()),
            ),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }

    fn command_line(&self) -> String {
        if self.advice {
            return "cargo xtask soak --advice".to_owned();
        }
        if self.archive {
            return "cargo xtask soak --archive".to_owned();
        }
        if self.limits {
            return "cargo xtask soak --limits".to_owned();
        }
        if self.stories {
            return format!("cargo xtask soak --stories --times {}", self.rounds());
        }
        if let Some(minutes) = self.fuzz {
            return format!("cargo xtask soak --fuzz {minutes}");
        }
        if let Some(requests) = self.serve {
            return format!("cargo xtask soak --serve {requests}");
        }
        if let Some(kills) = self.recorder_kills {
            return format!("cargo xtask soak --recorder-kills {kills}");
        }
        if let Some(kills) = self.tune_kills {
            return format!("cargo xtask soak --tune-kills {kills}");
        }
        if let Some(seconds) = self.compare_self {
            return format!("cargo xtask soak --compare-self {seconds}");
        }
        if self.compare {
            return format!("cargo xtask soak --compare --times {}", self.rounds());
        }
        if let Some(part) = self.tried {
            let times = self.times.map_or(String::new(), |times| format!(" --times {times}"));
            return format!("cargo xtask soak --try {}{times}", part.name());
        }
        let Some(method) = &self.method else {
            let late = if self.late { " --late" } else { "" };
            let beside = self.beside.as_ref().map_or(String::new(), |case| format!(" --beside {case}"));
            return format!("cargo xtask soak --times {}{late}{beside}", self.rounds());
        };
        format!("cargo xtask soak --method {method}{}", if self.as_user { " --as-user" } else { "" })
    }

    fn file_stem(&self) -> String {
        if let Some(part) = self.tried {
            return format!("soak-try-{}", part.name());
        }
        let usual = match (self.advice, self.archive, self.compare, self.compare_self) {
            (true, ..) => "advice",
            (_, true, ..) => "soak-archive",
            _ if self.recorder_kills.is_some() => "soak-recorder-kills",
            _ if self.tune_kills.is_some() => "soak-tune-kills",
            _ if self.fuzz.is_some() => "soak-fuzz",
            _ if self.serve.is_some() => "soak-serve",
            _ if self.limits => "soak-limits",
            _ if self.stories => "soak-stories",
            (_, _, true, _) => "soak-compare",
            (.., Some(_)) => "soak-compare-self",
            _ => "soak",
        };
        if let Some(circumstances) = self.circumstances() {
            return format!("{usual}-{circumstances}");
        }
        let Some(method) = &self.method else { return usual.to_owned() };
        format!("soak-{method}-{}", if self.as_user { "own" } else { "root" })
    }
}

/// What became of a test over all rounds.
#[derive(Default)]
struct Record {
    right: usize,
    wrong: usize,
    skipped: Option<String>,
    seconds: f64,
    words: Vec<String>,
}

/// Runs the rounds and writes the record; an error when a test was wrong once.
pub fn run(tree: &Tree, arguments: &Arguments) -> Result<()> {
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    if arguments.archive {
        archive(tree, &mut records)?;
        return written(tree, arguments, &records, "");
    }
    if let Some(minutes) = arguments.fuzz {
        let said = imports(tree, minutes, &mut records)?;
        return written(tree, arguments, &records, &said);
    }
    if let Some(requests) = arguments.serve {
        let said = requests_at_random(tree, requests, &mut records)?;
        return written(tree, arguments, &records, &said);
    }
    let program = heldup(tree, "release")?;
    let tests = test_binary(tree)?;
    if arguments.stressors {
        return stressors(tree, &program, &tests);
    }
    let started = Instant::now();
    let filters = arguments.filters();
    let says = std::env::temp_dir().join(format!("soak-{}.txt", std::process::id()));
    for round in 1..=arguments.rounds() {
        println!("round {round} of {}, {:.0} s so far", arguments.rounds(), started.elapsed().as_secs_f64());
        for filter in &filters {
            let mut tests = command(tree, &tests, &[filter]);
            tests.env("HELDUP_BIN", &program).env(SAYS, &says).env("HELDUP_IT_SOAK", "yes");
            tests.envs(arguments.environment());
            one_run(&mut tests, round, &mut records)?;
        }
        let wrong: usize = records.values().map(|record| record.wrong).sum();
        println!("  {wrong} wrong so far");
        // Hours of rounds that are stopped leave what they have seen.
        if round < arguments.rounds() {
            let said = fs::read_to_string(&says).unwrap_or_default();
            keep(tree, arguments, round, &records, &said)?;
        }
    }
    let said = fs::read_to_string(&says).unwrap_or_default();
    // Only who had something to say has made it.
    let _ = fs::remove_file(&says);
    written(tree, arguments, &records, &said)
}

/// Runs the tests that stop the archive in what it does.
fn archive(tree: &Tree, records: &mut BTreeMap<String, Record>) -> Result<()> {
    for test in ARCHIVE_TESTS {
        let mut tests = cargo(tree, &["test", "--quiet", "--package", "heldup-archive", "--test", test]);
        tests.args(["--", "--format", "pretty", "--test-threads", "1"]).env("HELDUP_TEST_KILLS", KILLS);
        one_run(&mut tests, 1, records)?;
    }
    Ok(())
}

/// Runs the tests of what importers may cost and stand; what they say of each format.
fn imports(tree: &Tree, minutes: u32, records: &mut BTreeMap<String, Record>) -> Result<String> {
    let mut tests =
        cargo(tree, &["test", "--quiet", "--release", "--package", "heldup-import", "--test", "limits"]);
    tests.args(["--", "--format", "pretty", "--test-threads", "1"]);
    tests.env("HELDUP_FUZZ_SECONDS", (60 * minutes).to_string()).env("HELDUP_IMPORT_MEGABYTES", "2048");
    said_by(&mut tests, records)
}

/// Sends requests at random to the page's server; other ones each day.
fn requests_at_random(tree: &Tree, requests: u32, records: &mut BTreeMap<String, Record>) -> Result<String> {
    let mut tests =
        cargo(tree, &["test", "--quiet", "--release", "--package", "heldup-serve", "--test", "it"]);
    tests.args(["fuzz", "--", "--format", "pretty", "--test-threads", "1"]);
    let seed = machine::today().bytes().fold(0_u64, |seed, digit| seed * 10 + u64::from(digit & 15));
    tests.env("HELDUP_FUZZ_REQUESTS", requests.to_string()).env("HELDUP_FUZZ_SEED", seed.to_string());
    said_by(&mut tests, records)
}

/// Runs tests once; what they say for the record.
fn said_by(tests: &mut std::process::Command, records: &mut BTreeMap<String, Record>) -> Result<String> {
    let says = std::env::temp_dir().join(format!("soak-{}.txt", std::process::id()));
    one_run(tests.env(SAYS, &says), 1, records)?;
    let said = fs::read_to_string(&says).unwrap_or_default();
    let _ = fs::remove_file(&says);
    Ok(said)
}

/// Writes the record; an error where it is not good enough.
fn written(tree: &Tree, arguments: &Arguments, records: &BTreeMap<String, Record>, said: &str) -> Result<()> {
    let file = keep(tree, arguments, arguments.rounds(), records, said)?;
    println!("wrote {file}");
    if arguments.method.is_some() || arguments.limits {
        return meets_its_bar(records, LEAST_NAMED[usize::from(arguments.as_user)]);
    }
    let wrong: Vec<&str> =
        records.iter().filter(|(_, r)| r.wrong > 0).map(|(name, _)| name.as_str()).collect();
    if !wrong.is_empty() {
        bail!("not right every time: {}", wrong.join(", "));
    }
    Ok(())
}

/// Writes the record of the rounds that are done; the file.
fn keep(
    tree: &Tree,
    arguments: &Arguments,
    rounds: usize,
    records: &BTreeMap<String, Record>,
    said: &str,
) -> Result<String> {
    let said = if arguments.stories { stories::newest(said) } else { said.to_owned() };
    let report = report(&machine::description(tree)?, arguments, rounds, records, &said);
    let file = format!("docs/measured/{}-{}.md", arguments.file_stem(), machine::today());
    tree.write(&file, &report)?;
    Ok(file)
}

/// Runs the stressors and writes what was said of them.
fn stressors(tree: &Tree, program: &Path, tests: &str) -> Result<()> {
    let rows = std::env::temp_dir().join(format!("stressors-{}.md", std::process::id()));
    let mut tests = command(tree, tests, &["stressors"]);
    tests.env("HELDUP_BIN", program).env("HELDUP_IT_STRESSORS", &rows);
    let _ = fs::remove_file(&rows);
    let status = tests.stdin(Stdio::null()).status().context("run the tests")?;
    let rows =
        fs::read_to_string(&rows).with_context(|| format!("the stressors wrote nothing ({status})"))?;
    let file = format!("docs/measured/stressors-{}.md", machine::today());
    let head = format!("# Stressors\n\n{}\n`cargo xtask soak --stressors`\n\n", machine::description(tree)?);
    tree.write(&file, &(head + &rows))?;
    println!("wrote {file}; judge it");
    Ok(())
}

/// Enough is named, and nothing wrongly.
fn meets_its_bar(records: &BTreeMap<String, Record>, least: f64) -> Result<()> {
    let (named, all) = named(records);
    let wrongly = wrongly(records);
    if !wrongly.is_empty() {
        bail!("named wrongly: {}", wrongly.join(", "));
    }
    if (named as f64) < least * all as f64 {
        bail!("{named} of {all} are named, wanted {:.0} %", least * 100.0);
    }
    Ok(())
}

/// How many troubles were named, and of how many.
fn named(records: &BTreeMap<String, Record>) -> (usize, usize) {
    let all = records.values().filter(|record| record.skipped.is_none());
    all.fold((0, 0), |(named, all), record| (named + usize::from(record.wrong == 0), all + 1))
}

/// Tests in which something was named that was not there.
fn wrongly(records: &BTreeMap<String, Record>) -> Vec<&str> {
    let wrong = |record: &Record| record.words.iter().any(|word| word.contains(WRONGLY));
    records.iter().filter(|(_, record)| wrong(record)).map(|(name, _)| name.as_str()).collect()
}

/// The built test binary `it`.
fn test_binary(tree: &Tree) -> Result<String> {
    let arguments = [
        "test",
        "--quiet",
        "--package",
        "heldup-testkit",
        "--test",
        "it",
        "--no-run",
        "--message-format",
        "json-render-diagnostics",
    ];
    let messages = output(cargo(tree, &arguments).stderr(Stdio::inherit()))?;
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "it")
        .find_map(|message| message["executable"].as_str().map(str::to_owned))
        .context("cargo named no test binary `it`")
}

/// Runs the tests once and adds what their lines say, with the time from line to line.
fn one_run(
    tests: &mut std::process::Command,
    round: usize,
    records: &mut BTreeMap<String, Record>,
) -> Result<()> {
    let mut child = tests.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("run the tests")?;
    let lines = BufReader::new(child.stdout.take().context("no output of the tests")?).lines();
    let mut last = Instant::now();
    let mut failing: Option<String> = None;
    let (mut told, mut wrong) = (0, 0);
    let mut open: Option<String> = None;
    for line in lines {
        let line = closed(&mut open, line?);
        if let Some((name, kind, word)) = outcome(&line) {
            told += 1;
            let record = records.entry(name.to_owned()).or_default();
            match word {
                "ok" => record.right += 1,
                word if word.starts_with("ignored") => {
                    record.skipped = Some(kind.unwrap_or("listed as ignored").to_owned())
                }
                _ => (record.wrong, wrong) = (record.wrong + 1, wrong + 1),
            }
            record.seconds += last.elapsed().as_secs_f64();
            last = Instant::now();
            if !word.starts_with("ignored") {
                println!("  {word:6} {name}");
            }
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.split_whitespace().next())
        {
            failing = Some(name.to_owned());
        } else if let Some(record) = failing.as_ref().and_then(|name| records.get_mut(name)) {
            if !line.trim().is_empty() && line != "failures:" && !line.starts_with("test result") {
                record.words.push(format!("round {round}: {}", line.trim()));
            } else if line == "failures:" {
                failing = None;
            }
        }
    }
    let status = child.wait()?;
    // One that crashed, or was not built, says of no test that it was wrong.
    if !status.success() && wrong == 0 {
        bail!("the tests ended early ({status})");
    }
    // Each of several filters has to find its tests.
    if told == 0 {
        bail!("no test has the name that was asked for: {tests:?}");
    }
    Ok(())
}

/// A line, or where it is the outcome alone of a test that has printed something itself, that test's whole
/// line. `open` is the test whose outcome is awaited.
fn closed(open: &mut Option<String>, line: String) -> String {
    if outcome(&line).is_some() {
        *open = None;
    } else if let Some((name, _)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... ")) {
        *open = Some(name.to_owned());
    } else if ["ok", "FAILED"].contains(&line.trim()) {
        return open.take().map_or(line.clone(), |name| format!("test {name} ... {}", line.trim()));
    }
    line
}

/// Name, kind and outcome of a line `test [kind] name ... outcome`.
fn outcome(line: &str) -> Option<(&str, Option<&str>, &str)> {
    let rest = line.strip_prefix("test ")?;
    let (name, word) = rest.rsplit_once(" ... ")?;
    let word = word.trim();
    // Else it is what a test printed before it ended.
    if !["ok", "FAILED", "ignored"].iter().any(|known| word.starts_with(known)) {
        return None;
    }
    match name.strip_prefix('[').and_then(|named| named.split_once("] ")) {
        Some((kind, name)) => Some((name.trim(), Some(kind), word)),
        None => Some((name.trim(), None, word)),
    }
}

fn report(
    machine: &str,
    arguments: &Arguments,
    rounds: usize,
    records: &BTreeMap<String, Record>,
    said: &str,
) -> String {
    let mut text = format!("# Soak: {rounds} rounds\n\n{machine}\n`{}`\n\n", arguments.command_line());
    if arguments.method.is_some() {
        let (named, all) = named(records);
        text += &format!("{named} of {all} named, {} with a wrong name beside.\n\n", wrongly(records).len());
    }
    said.lines().for_each(|line| text += &format!("{line}\n"));
    if !said.is_empty() {
        text += "\n";
    }
    text += "| test | right | wrong | mean time |\n|---|---:|---:|---:|\n";
    for (name, record) in records.iter().filter(|(_, record)| record.skipped.is_none()) {
        let runs = (record.right + record.wrong).max(1);
        let mean = record.seconds / runs as f64;
        text += &format!("| {name} | {} | {} | {mean:.1} s |\n", record.right, record.wrong);
    }
    let skipped: Vec<String> = records
        .iter()
        .filter_map(|(name, record)| Some(format!("- {name}: {}\n", record.skipped.as_ref()?)))
        .collect();
    if !skipped.is_empty() {
        text += &format!("\nNot run here:\n\n{}", skipped.concat());
    }
    let words: Vec<String> = records
        .iter()
        .flat_map(|(name, record)| record.words.iter().map(move |word| format!("- {name}, {word}\n")))
        .collect();
    if !words.is_empty() {
        text += &format!("\nWhat was wrong:\n\n{}", words.concat());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_test_binary_are_read() {
        assert_eq!(
            outcome("test trouble::disk_saturated  ... ok"),
            Some(("trouble::disk_saturated", None, "ok"))
        );
        let skipped = "test [SKIPPED: needs root] trouble::fs_full ... ignored";
        assert_eq!(outcome(skipped), Some(("trouble::fs_full", Some("SKIPPED: needs root"), "ignored")));
        assert_eq!(outcome("test result: ok. 3 passed"), None);
        assert_eq!(outcome("test comparison-with-itself ... 3 of 200 pairs differ"), None);
        let reason = "test journal::a ... ignored, needs a disk";
        assert_eq!(outcome(reason), Some(("journal::a", None, "ignored, needs a disk")));
    }

    #[test]
    fn a_test_that_prints_is_counted() {
        let mut open = None;
        let lines = [
            "test changes::kills ... killed 5 times: [",
            "    (false, 7),",
            "]",
            "ok",
            "test a ... ok",
            "ok",
        ];
        let read: Vec<String> = lines.iter().map(|line| closed(&mut open, (*line).to_owned())).collect();
        let seen: Vec<_> = read.iter().filter_map(|line| outcome(line)).collect();
        assert_eq!(seen, [("changes::kills", None, "ok"), ("a", None, "ok")]);
    }

    #[test]
    fn the_report_shows_what_was_wrong() {
        let arguments = Arguments {
            times: Some(2),
            only: Vec::new(),
            method: None,
            as_user: false,
            advice: false,
            late: false,
            beside: None,
            stressors: false,
            archive: false,
            recorder_kills: None,
            tune_kills: None,
            compare: false,
            compare_self: None,
            tried: None,
            fuzz: None,
            serve: None,
            limits: false,
            stories: false,
        };
        let record =
            Record { right: 1, wrong: 1, seconds: 5.0, words: vec!["round 2: x".to_owned()], skipped: None };
        let records = BTreeMap::from([("trouble::a".to_owned(), record)]);
        let text = report("- a machine\n", &arguments, 2, &records, "2 of 200 pairs differ\n");
        assert!(text.contains("| trouble::a | 1 | 1 | 2.5 s |"), "{text}");
        assert!(text.contains("\n2 of 200 pairs differ\n\n| test |"), "{text}");
        assert!(text.contains("- trouble::a, round 2: x"), "{text}");
    }

    #[test]
    fn a_lesser_method_must_name_enough_and_nothing_wrongly() {
        let record = |words: &str| Record {
            right: usize::from(words.is_empty()),
            wrong: usize::from(!words.is_empty()),
            words: vec![words.to_owned()],
            ..Record::default()
        };
        let mut records: BTreeMap<String, Record> =
            (0..9).map(|at| (format!("less_detail::{at}"), record(""))).collect();
        records.insert("less_detail::x".to_owned(), record("round 1: NOT NAMED: x"));
        assert!(meets_its_bar(&records, 0.9).is_ok());
        assert!(meets_its_bar(&records, 0.95).is_err());
        records.insert("less_detail::x".to_owned(), record("round 1: NAMED WRONGLY: y"));
        assert!(meets_its_bar(&records, 0.5).is_err());
    }
}
