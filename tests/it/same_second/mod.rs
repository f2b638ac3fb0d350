//! Tables beside what the kernel and its tools say of the same seconds.
//!
//! One examination serves all of these tests, under a load that moves as much as it can: it takes
//! seconds, and each test asks it for one table. What the kernel and the tools said is taken at
//! four moments, as in `classic`: before the window, at the begin and the end of a command that
//! the window is opened for, and after it. Counters must lie between what the inner and what the
//! outer ones differ by, and what does not move must be the same.

mod counters;
mod lists;
mod load;
mod network;
mod now;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use heldup_model::Examination;
use heldup_testkit::heldup::Heldup;
use heldup_testkit::loop_device::said;
use heldup_testkit::needs::Need;
use heldup_testkit::scratch::Scratch;
use libtest_mimic::Trial;
use serde_json::Value;

use crate::classic::{Numbers, growth, held_between};
use load::Load;

/// What the load and every look at it need.
const ALWAYS: [Need; 5] =
    [Need::Root, Need::Tool("ip"), Need::Tool("tc"), Need::Tool("flock"), Need::Tool("ipcmk")];

/// Name of the table, what else its test needs, and its body.
type TableTest = (&'static str, &'static [Need], fn(&Seen) -> Result<()>);

/// The moments at which the kernel and the tools are asked.
const MOMENTS: [&str; 4] = ["before", "began", "ended", "after"];

pub fn trials() -> Vec<Trial> {
    let tests = [counters::TESTS, lists::TESTS, network::TESTS, now::TESTS];
    let one = |(table, needs, test): &TableTest| {
        let needs: Vec<Need> = ALWAYS.into_iter().chain(needs.iter().copied()).collect();
        let test = *test;
        crate::trial(format!("same_second::{table}"), &needs, move || with_seen(test))
    };
    tests.into_iter().flatten().map(one).collect()
}

/// What the last examination and the others saw.
static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

/// Removes what is kept for further tests.
pub fn shut_down() {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Asks what was seen, and sees it first where nothing was. What a test failed on is not asked
/// again: a second run looks anew.
pub fn with_seen(test: impl Fn(&Seen) -> Result<()>) -> Result<()> {
    let mut kept = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let seen = match kept.take() {
        Some(seen) => seen,
        None => Seen::now()?,
    };
    test(&seen)?;
    *kept = Some(seen);
    Ok(())
}

/// An examination, and what the kernel and the tools said before, within and after it.
pub struct Seen {
    /// Holds the examination as its last.
    pub heldup: Heldup,
    /// The same as it was answered.
    pub examination: Examination,
    load: Load,
    /// Texts by name, for each of [`MOMENTS`].
    moments: [BTreeMap<String, String>; 4],
}

impl Seen {
    fn now() -> Result<Seen> {
        let (heldup, folder) = (Heldup::found()?, Scratch::new("same-second")?);
        let mut load = Load::begins(&folder)?;
        let look = folder.path().join("look.sh");
        fs::write(&look, load.look())?;
        let ask = |moment: &str| {
            said(Command::new("sh").arg(&look).arg(moment).current_dir(folder.path())).map(drop)
        };
        ask(MOMENTS[0])?;
        let script = format!(
            "cd \"$0\" && sh look.sh {} && {} && sleep 2 && sh look.sh {}",
            MOMENTS[1],
            load.once(),
            MOMENTS[2]
        );
        let words = ["sh".as_ref(), "-c".as_ref(), OsStr::new(&script), folder.path().as_os_str()];
        let examination = heldup.examine_command(&words)?.examination;
        ask(MOMENTS[3])?;
        load.ends();
        let mut moments = [const { BTreeMap::new() }; 4];
        for (texts, name) in moments.iter_mut().zip(MOMENTS) {
            *texts = texts_in(&folder.path().join(name))?;
        }
        Ok(Seen { heldup, examination, load, moments })
    }

    /// What was said under a name at the end of the command.
    fn text(&self, name: &str) -> Result<&str> {
        self.moments[2].get(name).map(String::as_str).with_context(|| format!("nobody was asked for {name}"))
    }

    /// The same as JSON.
    fn json(&self, name: &str) -> Result<Value> {
        let text = self.text(name)?;
        serde_json::from_str(text).with_context(|| format!("{name} said no JSON: {text}"))
    }

    /// The counters of a query, whose columns are a name and a number, lie between those that
    /// `read` finds in a text. `loaded` have moved; where it is empty, some have.
    fn counted(&self, query: &str, name: &str, read: fn(&str) -> Numbers, loaded: &[&str]) -> Result<()> {
        self.counted_within(query, name, read, loaded, 1e-5)
    }

    /// The same, with so much slack for what is rounded.
    fn counted_within(
        &self,
        query: &str,
        name: &str,
        read: fn(&str) -> Numbers,
        loaded: &[&str],
        slack: f64,
    ) -> Result<()> {
        let (ours, theirs) = (self.numbers(query)?, self.growth(name, read));
        let moved = |name: &&String| theirs.get(*name).is_some_and(|(inner, _)| *inner > 0.0);
        ensure!(ours.keys().any(|name| moved(&name)), "nothing moved of {ours:?} in {theirs:?}");
        held_between(&ours, &theirs, loaded, slack)
    }

    /// What the counters of a text grew by, within the command and around the window.
    fn growth(&self, name: &str, read: fn(&str) -> Numbers) -> BTreeMap<String, (f64, f64)> {
        growth(
            [0, 1, 2, 3]
                .map(|at: usize| self.moments[at].get(name).map(|text| read(text)).unwrap_or_default()),
        )
    }

    /// A query's numbers by the text in its first column.
    fn numbers(&self, query: &str) -> Result<Numbers> {
        let rows = self.heldup.sql_last(query)?;
        let pair = |row: Vec<Value>| Some((row.first()?.as_str()?.to_owned(), row.get(1)?.as_f64()?));
        Ok(rows.into_iter().filter_map(pair).collect())
    }

    /// A query's rows as words: NULL is `-`.
    fn words(&self, query: &str) -> Result<Vec<Vec<String>>> {
        let rows = self.heldup.sql_last(query)?;
        Ok(rows.iter().map(|row| row.iter().map(word).collect()).collect())
    }
}

/// A cell as a word.
fn word(cell: &Value) -> String {
    match cell {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(yes) => i64::from(*yes).to_string(),
        other => other.to_string(),
    }
}

/// The files of a folder by name.
fn texts_in(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        texts.insert(name, String::from_utf8_lossy(&fs::read(&path)?).into_owned());
    }
    Ok(texts)
}

/// A query for sums of columns, named `THEIRS KEY` by what another calls the column.
fn sums(table: &str, key: &str, columns: &[(&str, &str)]) -> String {
    let one = |(theirs, column): &(&str, &str)| {
        format!(
            "select '{theirs} ' || {key} as name, cast(sum({column}) as real) as value from {table} group by 1"
        )
    };
    columns.iter().map(one).collect::<Vec<_>>().join(" union all ")
}

/// `path:text` of `grep . FILE...` by the path.
fn by_path(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| line.split_once(':'))
}

/// The inode of a namespace of ours: every table that has several says whose it is.
fn own_namespace(kind: &str) -> Result<String> {
    let link = fs::read_link(format!("/proc/self/ns/{kind}"))?.to_string_lossy().into_owned();
    Ok(link.trim_end_matches(']').rsplit('[').next().unwrap_or_default().to_owned())
}
