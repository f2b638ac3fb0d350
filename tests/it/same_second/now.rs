//! What is so now: memory by zone, settings, limits, the machine itself.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use heldup_testkit::loop_device::said;
use heldup_testkit::needs::Need;

use super::{Seen, TableTest, by_path};
use crate::classic::{Numbers, held_between, name_first};

/// A test for each table of what is so now.
pub const TESTS: &[TableTest] = &[
    ("balloon", &[Need::Tool("getconf")], balloon),
    ("buddy", &[], buddy),
    ("host", &[Need::Tool("getconf"), Need::Tool("lscpu")], host),
    ("hugepages", &[Need::File("/sys/kernel/mm/hugepages")], hugepages),
    ("ksm", &[Need::File("/sys/kernel/mm/ksm/run")], ksm),
    ("limits", &[Need::Tool("sysctl")], limits),
    ("setting", &[Need::Tool("sysctl")], setting),
    ("zone", &[], zone),
];

/// Names and numbers of each zone that has memory, by `name node zone`.
fn zones(text: &str) -> BTreeMap<String, f64> {
    let (mut zone, mut pages) = (String::new(), Numbers::new());
    for line in text.lines() {
        if let Some((node, name)) = line.strip_prefix("Node ").and_then(|rest| rest.split_once(", zone ")) {
            zone = format!("{node} {}", name.trim());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, number) = match words[..] {
            ["pages", "free", number] => ("free", number),
            [name @ ("min" | "low" | "high" | "spanned" | "present" | "managed"), number] => (name, number),
            _ => continue,
        };
        if let Ok(number) = number.parse() {
            // The counters of CPUs below have a `high` too.
            pages.entry(format!("{name} {zone}")).or_insert(number);
        }
    }
    let of_memory = |name: &String| {
        let zone = name.split_once(' ').map_or("", |(_, zone)| zone);
        pages.get(&format!("present {zone}")).is_some_and(|present| *present > 0.0)
    };
    pages.iter().filter(|(name, _)| of_memory(name)).map(|(name, number)| (name.clone(), *number)).collect()
}

/// Sizes and watermarks are the same (the kernel raises `boost` and with it these for a while:
/// they are compared where they did not move); free pages are within what ours span, give or take
/// what they moved by and 2 % of the zone.
fn zone(seen: &Seen) -> Result<()> {
    let columns = [
        ("min", "min_pages"),
        ("low", "low_pages"),
        ("high", "high_pages"),
        ("spanned", "spanned_pages"),
        ("present", "present_pages"),
        ("managed", "managed_pages"),
    ];
    let one = |(name, column): &(&str, &str)| {
        format!(
            "select '{name} ' || node_idx || ' ' || zone as name, cast(max({column}) as real) from zone group by 1"
        )
    };
    let ours = seen.numbers(&columns.iter().map(one).collect::<Vec<_>>().join(" union all "))?;
    let [before, _, theirs, after] = [0, 1, 2, 3].map(|at: usize| zones(&seen.moments[at]["zoneinfo"]));
    let mut compared = 0;
    for (name, number) in &ours {
        let said = theirs.get(name).with_context(|| format!("{name} is not in {theirs:?}"))?;
        if before.get(name) == after.get(name) {
            ensure!(said == number, "{name}: {number}, zoneinfo {said}");
            compared += 1;
        }
    }
    ensure!(compared >= columns.len() / 2 && theirs.len() == ours.len() * 7 / 6, "{ours:?}\n{theirs:?}");
    free_pages(
        seen,
        "select node_idx || ' ' || zone, min(free_pages), max(free_pages) from zone group by 1",
        |at| {
            let pages = zones(&seen.moments[at]["zoneinfo"]);
            let free = |(name, number): (String, f64)| Some((name.strip_prefix("free ")?.to_owned(), number));
            pages.into_iter().filter_map(free).collect()
        },
    )
}

/// All free blocks of a zone together: which sizes they have changes from moment to moment.
fn buddy(seen: &Seen) -> Result<()> {
    let query = "select zone_name, min(pages), max(pages) from \
                 (select node_idx || ' ' || zone as zone_name, sum(free_blocks << page_order) as pages \
                  from buddy group by 1, time) group by 1";
    let orders = seen.heldup.sql_last("select count(distinct page_order) from buddy")?;
    let columns = seen.text("buddyinfo")?.lines().next().unwrap_or_default().split_whitespace().count() - 4;
    ensure!(orders == [[columns]], "{orders:?} orders, {columns} columns");
    free_pages(seen, query, |at| {
        let of_line = |line: &str| {
            let (node, rest) = line.strip_prefix("Node ")?.split_once(", zone")?;
            let mut words = rest.split_whitespace();
            let zone = words.next()?;
            let blocks = words
                .enumerate()
                .map(|(order, word)| word.parse::<f64>().unwrap_or(0.0) * f64::from(1_u32 << order));
            Some((format!("{node} {zone}"), blocks.sum()))
        };
        seen.moments[at]["buddyinfo"].lines().filter_map(of_line).collect()
    })
}

fn free_pages(seen: &Seen, query: &str, read: impl Fn(usize) -> Numbers) -> Result<()> {
    let said = [0, 1, 2, 3].map(read);
    let sizes = zones(seen.text("zoneinfo")?);
    let rows = seen.heldup.sql_last(query)?;
    for row in &rows {
        let name = row[0].as_str().context("no name of a zone")?;
        let theirs: Vec<f64> = said.iter().filter_map(|pages| pages.get(name).copied()).collect();
        ensure!(theirs.len() == 4, "{name} is not in {said:?}");
        let (least, most) = (row[1].as_f64().context("no pages")?, row[2].as_f64().context("no pages")?);
        let moved =
            theirs.iter().copied().fold(f64::MIN, f64::max) - theirs.iter().copied().fold(f64::MAX, f64::min);
        let slack = moved + 0.02 * sizes.get(&format!("present {name}")).copied().unwrap_or(0.0);
        for free in &theirs[1..3] {
            ensure!(
                (least - slack..=most + slack).contains(free),
                "{name}: {free} pages are free, ours {least} to {most}, give or take {slack}"
            );
        }
    }
    ensure!(!rows.is_empty(), "no zone");
    Ok(())
}

/// Pages set aside for the machine as a whole, of each size.
fn hugepages(seen: &Seen) -> Result<()> {
    let columns = [
        ("nr_hugepages", "pages"),
        ("free_hugepages", "free_pages"),
        ("resv_hugepages", "reserved_pages"),
        ("surplus_hugepages", "surplus_pages"),
        ("nr_overcommit_hugepages", "overcommit_max_pages"),
    ];
    let one = |(name, column): &(&str, &str)| {
        format!(
            "select 'hugepages-' || (page_bytes / 1024) || 'kB {name}' as name, cast(max({column}) as real) \
             from hugepages where node_idx is null group by 1"
        )
    };
    let ours = seen.numbers(&columns.iter().map(one).collect::<Vec<_>>().join(" union all "))?;
    let of_line = |(path, number): (&str, &str)| {
        let parts: Vec<&str> = path.split('/').collect();
        let column = columns.iter().find(|(name, _)| *name == parts[6])?;
        Some((format!("{} {}", parts[5], column.0), number.parse().ok()?))
    };
    let theirs: Numbers = by_path(seen.text("hugepages")?).filter_map(of_line).collect();
    ensure!(ours == theirs, "hugepages {ours:?}\nfiles {theirs:?}");
    ensure!(ours.values().any(|pages| *pages > 0.0), "no page is set aside: {ours:?}");
    Ok(())
}

/// What KSM shares and how it is set: `run` has a word here, milliseconds are seconds.
fn ksm(seen: &Seen) -> Result<()> {
    let ours = seen.numbers(
        "select 'pages_to_scan', cast(max(scan_pages) as real) from ksm \
         union all select 'sleep_millisecs', round(1000 * max(sleep_s)) from ksm \
         union all select 'merge_across_nodes', cast(max(merge_across_nodes) as real) from ksm \
         union all select 'pages_shared', cast(max(shared_pages) as real) from ksm \
         union all select 'pages_sharing', cast(max(sharing_pages) as real) from ksm \
         union all select 'run', max(case run when 'stopped' then 0.0 when 'running' then 1.0 else 2.0 end) from ksm",
    )?;
    let read = |(path, number): (&str, &str)| {
        Some((path.rsplit('/').next()?.to_owned(), number.trim().parse::<f64>().ok()?))
    };
    let theirs: Numbers = by_path(seen.text("ksm")?).filter_map(read).collect();
    for (name, number) in &ours {
        ensure!(theirs.get(name) == Some(number), "{name}: {number}, the file says {:?}", theirs.get(name));
    }
    ensure!(ours.len() >= 5, "only {ours:?}");
    Ok(())
}

/// What the balloon took and gave; how much it holds is told since 6.16 only.
fn balloon(seen: &Seen) -> Result<()> {
    let ours = seen.numbers(
        "select 'balloon_inflate', cast(sum(inflated_pages) as real) from balloon \
         union all select 'balloon_deflate', cast(sum(deflated_pages) as real) from balloon \
         union all select 'balloon_migrate', cast(sum(migrated_pages) as real) from balloon",
    )?;
    let theirs = seen.growth("vmstat", name_first);
    ensure!(ours.keys().all(|name| theirs.contains_key(name)), "{ours:?} is not in /proc/vmstat");
    held_between(&ours, &theirs, &[], 0.0)?;
    let held = name_first(seen.text("vmstat")?).get("nr_balloon_pages").copied();
    let page: f64 = seen.text("getconf")?.trim().parse()?;
    let ours = seen.heldup.sql_last("select max(balloon_bytes) from balloon")?;
    let bytes = ours.first().and_then(|row| row[0].as_f64());
    ensure!(bytes == held.map(|pages| pages * page), "{bytes:?} bytes, the kernel has {held:?} pages");
    Ok(())
}

/// The processor and how many of it, the kernel, the size of a page, the name.
fn host(seen: &Seen) -> Result<()> {
    let answer = seen.json("lscpu")?;
    let field = |name: &str| {
        let fields = answer["lscpu"].as_array().into_iter().flatten();
        // With a hierarchy (2.37) a field may have children.
        let mut all = fields.flat_map(|one| {
            let children = one["children"].as_array().into_iter().flatten();
            let grandchildren =
                children.clone().flat_map(|one| one["children"].as_array().into_iter().flatten());
            [one].into_iter().chain(children).chain(grandchildren)
        });
        all.find(|one| one["field"] == name).and_then(|one| one["data"].as_str()).unwrap_or("-").to_owned()
    };
    let uname = |option| Ok::<_, anyhow::Error>(said(Command::new("uname").arg(option))?.trim().to_owned());
    let row = seen.words("select cpus, cpu_model, kernel, architecture, page_bytes, name from host")?;
    let theirs = [
        field("CPU(s):"),
        field("Model name:"),
        uname("-r")?,
        uname("-m")?,
        seen.text("getconf")?.trim().to_owned(),
        uname("-n")?,
    ];
    ensure!(row == [theirs.clone()], "host {row:?}\nlscpu, uname and getconf {theirs:?}");
    Ok(())
}

/// Where the most is a setting of one number it is what `sysctl` prints.
fn limits(seen: &Seen) -> Result<()> {
    let rows = seen.words("select distinct setting_key, max from limits where max is not null")?;
    let mut compared = 0;
    for row in &rows {
        let text = said(Command::new("sysctl").args(["-n", &row[0]]))?;
        if let [number] = text.split_whitespace().collect::<Vec<_>>()[..] {
            ensure!(number == row[1], "{}: {}, sysctl {number}", row[0], row[1]);
            compared += 1;
        }
    }
    ensure!(compared > 5, "only {compared} of {rows:?}");
    let files = seen.heldup.sql_last("select used from limits where limit_name = 'open_files'")?;
    let used: Vec<f64> = files.iter().filter_map(|row| row[0].as_f64()).collect();
    let said = [1, 2].map(|at: usize| {
        let text = &seen.moments[at]["file-nr"];
        text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0)
    });
    // The kernel frees them in batches, and others open files.
    let near = |ours: &f64| said.iter().any(|theirs| (ours - theirs).abs() < 0.25 * theirs + 500.0);
    ensure!(!used.is_empty() && used.iter().all(near), "{used:?} files are open, file-nr {said:?}");
    Ok(())
}

/// Every setting that `sysctl` shows too.
fn setting(seen: &Seen) -> Result<()> {
    let rows = seen.words("select setting_key, setting_value from setting where path like '/proc/sys/%'")?;
    let one_blank = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ours: BTreeMap<&str, String> = rows.iter().map(|row| (row[0].as_str(), one_blank(&row[1]))).collect();
    let mut compared = 0;
    for line in seen.text("sysctl")?.lines() {
        let Some((key, value)) = line.split_once(" = ") else { continue };
        let Some(known) = ours.get(key) else { continue };
        let value = one_blank(value);
        ensure!(*known == value, "{key}: {known}, sysctl {value}");
        compared += 1;
    }
    ensure!(compared > 50 && compared * 10 >= ours.len() * 9, "{compared} of {} settings", ours.len());
    Ok(())
}
