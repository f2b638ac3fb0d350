//! A recording whose machine gives names that want to be more than names, and a hundred thousand processes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use heldup_archive::store::{load_file, save_file};
use heldup_model::tables::{ProcessRow, TaskTimeRow};
use heldup_model::{Capture, Column, Holds, Record, RowSet, Stamp, Text, tables};

/// A real one, of which the numbers are.
const RECORDING: &str = "../figure/fixtures/debian-12-6.18.44-live.heldup";
/// Processes that are added.
const PROCESSES: i64 = 100_000;
/// Bytes of the longest names.
const LONG: usize = 1 << 20;

/// What stands behind names.
const BEHIND: [&str; 9] = [
    "<img src=x onerror=alert(1)>",
    "\"><script>alert(2)</script>",
    "' onmouseover='alert(3)'",
    "\u{202e}gnp.\u{2066}exe",
    "\u{1b}[2J\u{1b}]0;title\u{7}\r\n\t",
    "javascript:alert(4)//${alert(5)}{{6*7}}",
    "\u{0}\u{8}\u{200b}\u{feff}\u{2028}\u{2029}",
    "Z\u{351}\u{36b}\u{343}\u{36a}\u{302}\u{36b}\u{33d}\u{34f}\u{334}\u{319}\u{324}\u{31e}\u{349}\u{35a}",
    "%2F..%2F?token=x&since=1#\\'\"`;drop table process;--",
];

/// Writes it.
pub fn write(to: &Path) -> Result<()> {
    let (mut capture, damaged) = load_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDING))?;
    ensure!(damaged.is_empty(), "{damaged:?}");
    let mut names = Names::default();
    for (table, batches) in &mut capture.tables {
        let def = tables::find(table).context("a table")?;
        for batch in batches {
            *batch =
                renamed(batch, &|name| def.all_columns().find(|column| column.name == name), &mut names)?;
        }
    }
    let long: Text = format!("long<b>{}", "\u{202e}<i>ü".repeat(LONG / 8)).into();
    crowd(&mut capture, &long)?;
    save_file(&capture, to, true)?;
    Ok(())
}

/// The same name is the same everywhere.
#[derive(Default)]
struct Names(HashMap<String, String>);

impl Names {
    fn of(&mut self, name: &str) -> &str {
        let at = self.0.len();
        self.0.entry(name.to_owned()).or_insert_with(|| format!("{name}{}", BEHIND[at % BEHIND.len()]))
    }
}

fn renamed(
    batch: &RecordBatch,
    column: &dyn Fn(&str) -> Option<&'static Column>,
    names: &mut Names,
) -> Result<RecordBatch> {
    let schema = batch.schema();
    let fields = schema.fields().iter().zip(batch.columns());
    let arrays = fields.map(|(field, array)| -> Result<ArrayRef> {
        let gives_names = column(field.name()).is_some_and(|column| {
            matches!(column.holds, Holds::Name | Holds::Path | Holds::Command | Holds::Message)
        });
        let Some(texts) = array.as_dictionary_opt::<Int32Type>().filter(|_| gives_names) else {
            return Ok(array.clone());
        };
        let texts = texts.downcast_dict::<StringArray>().context("texts")?;
        let texts: Vec<Option<String>> =
            texts.into_iter().map(|text| text.map(|text| names.of(text).to_owned())).collect();
        let texts: DictionaryArray<Int32Type> = texts.iter().map(Option::as_deref).collect();
        Ok(Arc::new(texts))
    });
    Ok(RecordBatch::try_new(batch.schema(), arrays.collect::<Result<_>>()?)?)
}

/// Processes that wait a little each, two of them with very long names.
fn crowd(capture: &mut Capture, long: &Text) -> Result<()> {
    let stamp = Stamp { time_ms: capture.span.until_ms, secs: Some(1.0), host: capture.host.as_str().into() };
    let start_ms = Some(capture.span.since_ms - 60_000);
    let name = |at: i64| -> Text {
        match at {
            0 => long.clone(),
            _ => format!("worker-{at}{}", BEHIND[at as usize % BEHIND.len()]).into(),
        }
    };
    let processes = (0..PROCESSES).map(|at| ProcessRow {
        pid: Some(1_000_000 + at),
        start_ms,
        name: Some(name(at)),
        command: Some(if at == 1 { long.clone() } else { name(at) }),
        parent_pid: Some(1),
        resident_bytes: Some(4096 * at),
        user_s: Some(0.001),
        ..ProcessRow::default()
    });
    let times = (0..PROCESSES).map(|at| TaskTimeRow {
        tid: Some(1_000_000 + at),
        start_ms,
        pid: Some(1_000_000 + at),
        name: Some(name(at)),
        process_name: Some(name(at)),
        class_name: Some("disk_sync".into()),
        group_name: Some("waiting".into()),
        seconds: Some(0.0001 * (at % 1000) as f64),
        ..TaskTimeRow::default()
    });
    add(capture, &stamp, processes)?;
    add(capture, &stamp, times)
}

fn add<R: Record>(capture: &mut Capture, stamp: &Stamp, rows: impl Iterator<Item = R>) -> Result<()> {
    let batch = RowSet::increases(rows).to_batch(stamp)?;
    capture.tables.entry(R::DEF.name.to_owned()).or_default().push(batch);
    Ok(())
}
