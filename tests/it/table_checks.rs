//! Every table has rows where its declaration says so, or word of why it has none; and the tests
//! that its declaration names are there (`table_checks.toml`).

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use heldup_testkit::guest::Guest;
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;
use toml::Table;

use crate::guest;
use crate::same_second::{Seen, with_seen};

/// The declarations.
const DECLARED: &str = include_str!("table_checks.toml");

pub fn trials() -> Vec<Trial> {
    let cost = || with_seen(sources_cost_less_than_all);
    vec![
        crate::trial("table_checks::cost".to_owned(), &[Need::Root], cost),
        crate::trial("table_checks::rows".to_owned(), &[Need::Root], || with_seen(rows_here)),
    ]
}

/// A test that fails where a declaration names one that is not among those of the suite.
pub fn of_names(trials: &[Trial]) -> Trial {
    let there: BTreeSet<String> = trials.iter().map(|one| one.name().to_owned()).collect();
    crate::trial("table_checks::names".to_owned(), &[], move || {
        for (table, entry) in declared()? {
            let named = entry.get("by").and_then(|by| by.as_array()).into_iter().flatten();
            for name in named.filter_map(|name| name.as_str()) {
                ensure!(there.contains(name), "[{table}] names {name}, which is no test");
            }
        }
        Ok(())
    })
}

fn declared() -> Result<Table> {
    DECLARED.parse().context("table_checks.toml")
}

/// One query for the number of rows of each table.
fn numbers_of_rows() -> Result<String> {
    let one = |name: &String| format!("select '{name}' as name, count(*) as rows from {name}");
    Ok(declared()?.keys().map(one).collect::<Vec<_>>().join(" union all "))
}

/// Tables without rows that are not declared to have none under `key`.
fn without(with_rows: &BTreeSet<String>, key: &str) -> Result<Vec<String>> {
    let declared = declared()?;
    let expected = declared.iter().filter(|(_, entry)| entry.get(key).is_none());
    Ok(expected.map(|(name, _)| name.clone()).filter(|name| !with_rows.contains(name)).collect())
}

/// A machine may lack what the tests' have: then the examination says so.
fn rows_here(seen: &Seen) -> Result<()> {
    let rows = seen.heldup.sql_last(&numbers_of_rows()?)?;
    let with_rows: BTreeSet<String> = rows
        .iter()
        .filter(|row| row[1].as_i64().is_some_and(|rows| rows > 0))
        .filter_map(|row| row[0].as_str().map(str::to_owned))
        .collect();
    let said: BTreeSet<&str> = seen
        .examination
        .errors
        .iter()
        .map(|error| error.place.split('.').next().unwrap_or_default())
        .collect();
    let mut silent = without(&with_rows, "not_here")?;
    silent.retain(|table| !said.contains(table.as_str()));
    ensure!(silent.is_empty(), "no rows, and nothing said, of {silent:?}; said is {said:?}");
    Ok(())
}

/// What the sources' accounts of themselves add up to is part of what all of us took.
fn sources_cost_less_than_all(seen: &Seen) -> Result<()> {
    let rows = seen.heldup.sql_last("select sum(cpu_s), count(*) from source_cost where reads > 0")?;
    let number = |at: usize| rows.first().and_then(|row| row[at].as_f64()).context("no cost of any source");
    let (sources, all) = (number(0)?, seen.examination.overhead.cpu_seconds);
    ensure!(number(1)? > 10.0 && sources > 0.0, "{rows:?}");
    ensure!(sources <= all, "sources took {sources} s, everything {all} s");
    Ok(())
}

/// The guest is the same everywhere: rows of all that it is declared to have.
pub fn rows_there(guest: &mut Guest) -> Result<()> {
    // Ten ticks for each request: reading waits for the disk, however fast the processor is.
    let slowly = "cd /sys/bus/pseudo/drivers/scsi_debug; was=$(cat delay); echo 10 >delay; \
                  dd if=/dev/sda of=/dev/null bs=64k count=20; echo $was >delay";
    let others = "ip link set lo up; ping -q -c 2 127.0.0.1";
    let examination = guest::examine(guest, &format!("-- sh -c '{slowly}; {others}; true'"))?;
    let rows = guest::rows(guest, &numbers_of_rows()?)?;
    let with_rows: BTreeSet<String> = rows
        .iter()
        .filter(|row| row["rows"].as_i64().is_some_and(|rows| rows > 0))
        .filter_map(|row| row["name"].as_str().map(str::to_owned))
        .collect();
    let silent = without(&with_rows, "not_in_guest")?;
    ensure!(silent.is_empty(), "no rows of {silent:?}; errors: {:?}", examination.errors);
    Ok(())
}
