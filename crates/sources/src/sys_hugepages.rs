//! `/sys/kernel/mm/hugepages` and the same of each NUMA node: pools of huge pages (table
//! `hugepages`).
//!
//! Transparent huge pages are no pool: their settings are in the table `setting`, what came
//! of them in `vmstat` and `memory`.

use heldup_hostfs::{Host, HostError};
use heldup_model::tables::HugepagesRow;
use heldup_model::{Record, RowSet, TableDef};

use crate::kernel_text::{ParseError, count};
use crate::source::{ReadContext, Reading, Schedule, Source};
use crate::sys_node::nodes;

const FOLDER: &str = "/sys/kernel/mm/hugepages";

/// The source.
#[derive(Debug, Default)]
pub struct SysHugepages;

impl Source for SysHugepages {
    fn name(&self) -> &'static str {
        "sys_hugepages"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[HugepagesRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::ends()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        let mut rows = Vec::new();
        match pools(host, &mut reading, FOLDER, None) {
            Ok(pools) => rows.extend(pools),
            Err(error) => reading.lacks("hugepages", &error, "a kernel with CONFIG_HUGETLBFS"),
        }
        // A kernel without nodes has the pools of the machine only, and no more to say.
        for node in nodes(host).unwrap_or_default() {
            let folder = format!("/sys/devices/system/node/node{node}/hugepages");
            rows.extend(pools(host, &mut reading, &folder, Some(node)).unwrap_or_default());
        }
        if !rows.is_empty() {
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

/// The pools in a folder, the smallest pages first.
fn pools(
    host: &Host,
    reading: &mut Reading,
    folder: &str,
    node_idx: Option<i64>,
) -> Result<Vec<HugepagesRow>, HostError> {
    let (mut pools, mut text) = (Vec::new(), Vec::new());
    for name in host.list(folder)? {
        let Some(page_bytes) = page_bytes(&name) else {
            let error =
                ParseError::new(0, "size of a pool", name.as_bytes(), "a name such as hugepages-2048kB");
            reading.flaws.push(error.in_file(folder));
            continue;
        };
        let mut files = host.values_in(format!("{folder}/{name}"));
        let mut number = |file: &str| {
            // What there is differs between machine and node; a file that is not there is NULL.
            files.read_into(file, &mut text).ok()?;
            let number = count(text.trim_ascii());
            if number.is_none() {
                let error = ParseError::new(1, "pages", &text, "a number from 0 to 2^63-1");
                reading.flaws.push(error.in_file(&format!("{folder}/{name}/{file}")));
            }
            number
        };
        pools.push(HugepagesRow {
            page_bytes: Some(page_bytes),
            node_idx,
            pages: number("nr_hugepages"),
            free_pages: number("free_hugepages"),
            reserved_pages: number("resv_hugepages"),
            surplus_pages: number("surplus_hugepages"),
            overcommit_max_pages: number("nr_overcommit_hugepages"),
        });
    }
    pools.sort_by_key(|pool| pool.page_bytes);
    Ok(pools)
}

/// `hugepages-2048kB`.
fn page_bytes(name: &str) -> Option<i64> {
    let kib = name.strip_prefix("hugepages-")?.strip_suffix("kB")?;
    count(kib.as_bytes())?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_stand_in_the_names() {
        assert_eq!(page_bytes("hugepages-1048576kB"), Some(1 << 30));
        assert_eq!(page_bytes("hugepages-2M"), None);
    }
}
