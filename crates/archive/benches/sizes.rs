//! What an archive's files are made of: bytes of each table and of its largest columns, asserts nothing.
//!
//! `cargo bench -p heldup-archive --bench sizes -- ARCHIVE [COLUMNS]`: of each table its rows, bytes, bytes a row, row
//! groups, what its files' ends take (metadata), and so many of its columns, with the encodings that they have.

// Clippy knows tests, not benchmarks.
#![allow(clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::Path;

use parquet::file::metadata::ParquetMetaDataReader;

#[derive(Default)]
struct Table {
    files: usize,
    groups: usize,
    rows: i64,
    bytes: u64,
    columns: BTreeMap<String, Column>,
}

#[derive(Default)]
struct Column {
    bytes: i64,
    unpacked: i64,
    encodings: BTreeSet<String>,
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with('-'));
    let Some(root) = words.next() else {
        println!("no archive named");
        return;
    };
    let shown: usize = words.next().and_then(|word| word.parse().ok()).unwrap_or(8);
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    for table in fs::read_dir(root).expect("an archive").flatten() {
        let name = table.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_prefix("table=") else { continue };
        for day in fs::read_dir(table.path()).expect("a table").flatten() {
            for file in fs::read_dir(day.path()).expect("a day").flatten() {
                if file.path().extension().is_some_and(|extension| extension == "parquet") {
                    add(&file.path(), tables.entry(name.to_owned()).or_default());
                }
            }
        }
    }
    let mut sorted: Vec<(&String, &Table)> = tables.iter().collect();
    sorted.sort_by_key(|(_, table)| std::cmp::Reverse(table.bytes));
    for (name, table) in sorted {
        print(name, table, shown);
    }
    println!("{} bytes in all", tables.values().map(|table| table.bytes).sum::<u64>());
}

fn add(path: &Path, table: &mut Table) {
    let file = File::open(path).expect("a file");
    table.bytes += file.metadata().expect("its length").len();
    table.files += 1;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&file).expect("a Parquet file");
    for group in metadata.row_groups() {
        table.groups += 1;
        table.rows += group.num_rows();
        for chunk in group.columns() {
            let column = table.columns.entry(chunk.column_path().string()).or_default();
            column.bytes += chunk.compressed_size();
            column.unpacked += chunk.uncompressed_size();
            column.encodings.extend(chunk.encodings().map(|encoding| encoding.to_string()));
        }
    }
}

fn print(name: &str, table: &Table, shown: usize) {
    let in_columns: i64 = table.columns.values().map(|column| column.bytes).sum();
    println!(
        "{name}: {} bytes, {} rows ({:.2} bytes each), {} files, {} groups, {} bytes of ends",
        table.bytes,
        table.rows,
        table.bytes as f64 / table.rows.max(1) as f64,
        table.files,
        table.groups,
        table.bytes as i64 - in_columns,
    );
    let mut columns: Vec<(&String, &Column)> = table.columns.iter().collect();
    columns.sort_by_key(|(_, column)| std::cmp::Reverse(column.bytes));
    for (name, column) in columns.into_iter().take(shown) {
        let encodings: Vec<&str> = column.encodings.iter().map(String::as_str).collect();
        println!("    {name}: {} of {} ({})", column.bytes, column.unpacked, encodings.join(" "));
    }
}
