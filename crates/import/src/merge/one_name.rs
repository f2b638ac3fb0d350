//! One name for one disk: `sar` calls by their numbers (`dev8-0`) what `iostat` calls by names (`sda`), and both may call a
//! device of device mapper by the name that an administrator gave it. Where a given file says which
//! number is whose (`lsblk`, `/proc/diskstats`, `/proc/partitions`, `ls -l /dev`), all get the kernel's name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use heldup_model::batch::filter_rows;
use heldup_model::tables::{DiskRow, HostRow, PartitionRow};
use heldup_model::{Capture, ColumnKind, Record, TableDef};

use crate::Import;
use crate::error::ImportError;

const DISK: &TableDef = DiskRow::DEF;
const PARTITION: &TableDef = PartitionRow::DEF;
/// Names that a note says.
const MOST_NAMED: usize = 4;

/// The kernel's name for every other that is told; none where two are.
type Named = BTreeMap<String, Option<String>>;

/// Gives every disk the kernel's name, with a note where a recording had another.
pub fn name_disks_once(imports: &mut [Import]) -> Result<(), ImportError> {
    let mut named = Named::new();
    for capture in imports.iter().filter_map(|import| import.capture.as_ref()) {
        learn(capture, &mut named);
    }
    if named.is_empty() {
        return Ok(());
    }
    for import in imports {
        let Some(capture) = import.capture.as_mut().filter(|capture| numbers_are_devices(capture)) else {
            continue;
        };
        leave_out_coarser(capture, &named)
            .map_err(|source| ImportError::Table { table: DISK.name, source })?;
        let mut given = BTreeSet::new();
        for batch in capture.tables.get_mut(DISK.name).into_iter().flatten() {
            let mut name = |told: &str| {
                let kernel = named.get(told)?.as_deref()?;
                let is_renamed = kernel != told;
                is_renamed.then(|| given.insert(format!("{told} is {kernel}")));
                is_renamed.then_some(kernel)
            };
            if let Some(other) = renamed(batch, &mut name) {
                *batch = other.map_err(|source| ImportError::Table { table: DISK.name, source })?;
            }
        }
        if !given.is_empty() {
            let first: Vec<&str> = given.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = if given.len() > MOST_NAMED { " …" } else { "" };
            import
                .file
                .notes
                .push(format!("disks are named by the numbers in other files: {}{more}", first.join(", ")));
        }
    }
    Ok(())
}

/// What a recording says of names: by number in `disk`, by device mapper's name in `partition`.
fn learn(capture: &Capture, named: &mut Named) {
    let mut tell = |told: String, kernel: &str| {
        let there = named.entry(told).or_insert_with(|| Some(kernel.to_owned()));
        if there.as_deref() != Some(kernel) {
            *there = None;
        }
    };
    each_pair(capture, DISK, "dev_id", |kernel, number| {
        if let Some((major, minor)) = number.split_once(':') {
            tell(format!("dev{major}-{minor}"), kernel);
        }
    });
    each_pair(capture, PARTITION, "dm_name", |kernel, name| tell(name.to_owned(), kernel));
}

/// Each device of a table with what a column says of it.
fn each_pair(capture: &Capture, def: &TableDef, column: &str, mut tell: impl FnMut(&str, &str)) {
    for batch in capture.tables.get(def.name).into_iter().flatten() {
        let columns = batch.column_by_name("device").zip(batch.column_by_name(column));
        let Some((devices, told)) = columns else { continue };
        for row in 0..batch.num_rows() {
            if let Some((device, told)) = word(devices, row).zip(word(told, row)) {
                tell(device, told);
            }
        }
    }
}

/// Before 2.6 the second number in a name of `sar` was no minor number.
fn numbers_are_devices(capture: &Capture) -> bool {
    let host = capture.tables.get(HostRow::DEF.name).into_iter().flatten();
    let mut kernels = host.filter_map(|batch| word(batch.column_by_name("kernel")?, 0));
    !kernels.any(|kernel| kernel.starts_with("2.2.") || kernel.starts_with("2.4."))
}

/// When a recording tells increases of each disk: from, to, in milliseconds.
type Spans = BTreeMap<String, Vec<(i64, i64)>>;

/// Of a disk that one recording counts by both names, takes out what the coarser samples tell of a time of which the finer tell too.
fn leave_out_coarser(capture: &mut Capture, named: &Named) -> Result<(), ArrowError> {
    let spans = spans(capture);
    let both = named.iter().filter_map(|(told, kernel)| {
        let kernel = kernel.as_deref().filter(|kernel| kernel != told)?;
        let (one, other) = (spans.get(told)?, spans.get(kernel)?);
        let is_finer = mean_ms(one) < mean_ms(other);
        Some(if is_finer { (kernel, one) } else { (told.as_str(), other) })
    });
    // Those whose coarser name it is, with the times that are told better.
    let coarser: BTreeMap<&str, &Vec<(i64, i64)>> = both.collect();
    if coarser.is_empty() {
        return Ok(());
    }
    for batch in capture.tables.get_mut(DISK.name).into_iter().flatten() {
        let Some(devices) = batch.column_by_name("device") else { continue };
        *batch = filter_rows(batch, |row| {
            let finer = word(devices, row).and_then(|device| coarser.get(device));
            let (since, until) = span(batch, row);
            !finer.is_some_and(|finer| finer.iter().any(|(from, to)| since < *to && *from < until))
        })?;
    }
    Ok(())
}

/// When increases of each disk are told.
fn spans(capture: &Capture) -> Spans {
    let mut spans = Spans::new();
    for batch in capture.tables.get(DISK.name).into_iter().flatten() {
        let counters = DISK.columns.iter().filter(|column| column.kind == ColumnKind::Counter);
        let counters: Vec<&ArrayRef> =
            counters.filter_map(|column| batch.column_by_name(column.name)).collect();
        let Some(devices) = batch.column_by_name("device") else { continue };
        for row in (0..batch.num_rows()).filter(|row| counters.iter().any(|values| values.is_valid(*row))) {
            if let Some(device) = word(devices, row) {
                spans.entry(device.to_owned()).or_default().push(span(batch, row));
            }
        }
    }
    spans
}

/// The interval of a row, from its stamp.
fn span(batch: &RecordBatch, row: usize) -> (i64, i64) {
    let time = batch.column_by_name("time").and_then(|times| times.as_primitive_opt::<Int64Type>());
    let until = time.map_or(0, |times| times.value(row));
    let secs = batch.column_by_name("secs").and_then(|secs| secs.as_primitive_opt::<Float64Type>());
    let secs = secs.filter(|secs| secs.is_valid(row)).map_or(0.0, |secs| secs.value(row));
    (until - (secs * 1000.0) as i64, until)
}

fn mean_ms(spans: &[(i64, i64)]) -> i64 {
    spans.iter().map(|(since, until)| until - since).sum::<i64>() / (spans.len() as i64).max(1)
}

/// A batch in which devices have other names; none where none of them has.
fn renamed<'n>(
    batch: &RecordBatch,
    name: &mut impl FnMut(&str) -> Option<&'n str>,
) -> Option<Result<RecordBatch, ArrowError>> {
    let (at, _) = batch.schema().column_with_name("device")?;
    let words = batch.column(at).as_dictionary_opt::<Int32Type>()?;
    let told = words.values().as_string_opt::<i32>()?;
    let given: Vec<Option<&str>> = told.iter().map(|word| word.and_then(&mut *name)).collect();
    if given.iter().all(Option::is_none) {
        return None;
    }
    let names: StringArray = told.iter().zip(given).map(|(told, given)| given.or(told)).collect();
    let mut columns = batch.columns().to_vec();
    Some(DictionaryArray::try_new(words.keys().clone(), Arc::new(names)).and_then(|column| {
        if let Some(there) = columns.get_mut(at) {
            *there = Arc::new(column);
        }
        RecordBatch::try_new(batch.schema(), columns)
    }))
}

/// A word of a column of text.
fn word(column: &ArrayRef, row: usize) -> Option<&str> {
    let words = column.as_dictionary_opt::<Int32Type>()?;
    let at = usize::try_from(words.keys().value(row)).ok().filter(|_| words.is_valid(row))?;
    let all = words.values().as_string_opt::<i32>()?;
    (at < all.len()).then(|| all.value(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::{Merged, merge};
    use crate::{Hints, read};

    const SAR: &str = "Linux 4.18.0 (db1) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n\
        10:00:00          DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     svctm     %util\n\
        10:10:00       dev8-0     10.00    100.00    200.00     30.00      0.10     10.00      1.00      1.00\n\
        10:10:00     dev253-0      5.00     50.00    100.00     30.00      0.10     10.00      1.00      1.00\n";
    const IOSTAT: &str = "Linux 4.18.0 (db1) \t03/03/2022 \t_x86_64_\t(4 CPU)\n\n\
        03/03/2022 10:00:00\n\
        Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
        sda              10.00       100.00       200.00       1000       2000\n\
        rhel-root         5.00        50.00       100.00        500       1000\n\n\
        03/03/2022 10:10:00\n\
        Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n\
        sda              10.00       100.00       200.00      60000     120000\n\
        rhel-root         5.00        50.00       100.00      30000      60000\n";
    const NODES: &str = "/dev:\ntotal 0\n\
        brw-rw----. 1 0 6 8, 0 Mar  3 09:00 sda\n\
        brw-rw----. 1 0 6 253, 0 Mar  3 09:00 dm-0\n\n\
        /dev/mapper:\ntotal 0\n\
        lrwxrwxrwx. 1 0 0 7 Mar  3 09:00 rhel-root -> ../dm-0\n";
    const PARTITIONS: &str =
        "major minor  #blocks  name\n\n   8        0  488386584 sda\n 253        0   52428800 dm-0\n";

    /// Bytes written, by device; and the notes of the first file.
    fn written(files: &[&str]) -> (BTreeMap<String, f64>, Vec<String>) {
        let one = |(at, text): (usize, &&str)| {
            read(&format!("file {at}"), text.as_bytes(), Hints::default()).expect("memory can be read")
        };
        let mut imports: Vec<Import> = files.iter().enumerate().map(one).collect();
        let Ok(Merged::One(capture)) = merge(&mut imports) else { panic!("one host") };
        let mut written = BTreeMap::new();
        for batch in &capture.tables["disk"] {
            let values = batch.column_by_name("write_bytes").expect("a column");
            let values = values.as_primitive::<Int64Type>();
            for row in (0..batch.num_rows()).filter(|row| values.is_valid(*row)) {
                let device = word(batch.column_by_name("device").expect("a column"), row).expect("a name");
                *written.entry(device.to_owned()).or_default() += values.value(row) as f64;
            }
        }
        (written, imports[0].file.notes.clone())
    }

    #[test]
    fn two_names_of_a_disk_are_one_where_something_tells_so() {
        let once = BTreeMap::from([("dm-0".to_owned(), 61_440_000.0), ("sda".to_owned(), 122_880_000.0)]);
        let (told, notes) = written(&[SAR, IOSTAT, NODES]);
        assert_eq!(told, once);
        let note = "disks are named by the numbers in other files: dev253-0 is dm-0, dev8-0 is sda";
        assert!(notes.iter().any(|there| there == note), "{notes:?}");
        let (told, _) = written(&[SAR, PARTITIONS]);
        assert_eq!(told, once);
        // Nothing tells whose the numbers are.
        let (told, _) = written(&[SAR, IOSTAT]);
        let names: Vec<&str> = told.keys().map(String::as_str).collect();
        assert_eq!(names, ["dev253-0", "dev8-0", "rhel-root", "sda"]);
    }

    #[test]
    fn a_disk_that_one_file_counts_by_both_names_counts_once() {
        // Twenty minutes of sar, the first ten of which iostat tells as finely.
        let later = "10:20:00       dev8-0     10.00    100.00    300.00     30.00      0.10     10.00      1.00      1.00\n";
        let both = format!("{SAR}{later}\n{IOSTAT}");
        let (told, _) = written(&[&both, NODES]);
        assert_eq!(told["sda"], 122_880_000.0 + 300.0 * 1024.0 * 600.0);
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn numbers_of_which_two_things_are_told_stay() {
        let other = PARTITIONS.replace("sda", "sdb");
        let (told, _) = written(&[SAR, PARTITIONS, &other]);
        assert_eq!(told.keys().map(String::as_str).collect::<Vec<_>>(), ["dev8-0", "dm-0"]);
    }

    #[test]
    fn before_2_6_the_numbers_are_of_disks_one_after_the_other() {
        let old = SAR.replace("4.18.0", "2.4.21");
        let (told, _) = written(&[&old, PARTITIONS]);
        assert!(told.contains_key("dev8-0"), "{told:?}");
    }
}
