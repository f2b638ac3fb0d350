//! What the parquet crate's encoders write comes back, in every form that they have for our columns.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};

use super::{FileWriter, ParquetFile, Sink};

/// Rows of a batch: more than a page, and no round number.
const ROWS: usize = 45_001;

/// Numbers without a pattern (Marsaglia's xorshift64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Columns of every kind: without a pattern, in runs, few words, with and without NULLs.
fn rows() -> RecordBatch {
    let mut numbers = Numbers(0x5EED);
    let mut column = |of: &mut dyn FnMut(u64, usize) -> i64, nulls: bool| -> Vec<Option<i64>> {
        let mut value = |row: usize| {
            let number = numbers.next();
            (!nulls || !number.is_multiple_of(5) && !(row / 1000).is_multiple_of(3)).then(|| of(number, row))
        };
        (0..ROWS).map(&mut value).collect()
    };
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for nulls in [false, true] {
        let any = column(&mut |number, _| number as i64, nulls);
        let rising =
            column(&mut |number, row| 1_763_700_000_000 + row as i64 * 1000 + (number % 3) as i64, nulls);
        let runs = column(&mut |_, row| row as i64 / 700, nulls);
        let few = column(&mut |number, _| (number % 7) as i64, nulls);
        let end = column(&mut |number, _| if number % 2 == 0 { i64::MIN } else { i64::MAX }, nulls);
        let floats = |of: &[Option<i64>]| -> ArrayRef {
            Arc::new(of.iter().map(|v| v.map(|v| v as f64 / 1e9)).collect::<Float64Array>())
        };
        let bools = |of: &[Option<i64>]| -> ArrayRef {
            Arc::new(of.iter().map(|v| v.map(|v| v % 2 == 0)).collect::<BooleanArray>())
        };
        let texts = |of: &[Option<i64>]| -> ArrayRef {
            let words: Vec<Option<String>> = of.iter().map(|v| v.map(|v| format!("wörd {v}"))).collect();
            Arc::new(words.iter().map(Option::as_deref).collect::<DictionaryArray<Int32Type>>())
        };
        for (name, of) in [("any", any), ("rising", rising), ("runs", runs), ("few", few), ("end", end)] {
            columns.push((format!("int {name} {nulls}"), Arc::new(Int64Array::from(of.clone()))));
            columns.push((format!("float {name} {nulls}"), floats(&of)));
            columns.push((format!("bool {name} {nulls}"), bools(&of)));
            columns.push((format!("text {name} {nulls}"), texts(&of)));
        }
    }
    columns.push(("nothing".into(), Arc::new(Float64Array::new_null(ROWS))));
    columns.push((
        "no words".into(),
        Arc::new(std::iter::repeat_n(None::<&str>, ROWS).collect::<DictionaryArray<Int32Type>>()),
    ));
    batch(columns)
}

fn batch(columns: Vec<(String, ArrayRef)>) -> RecordBatch {
    let fields = columns.iter().map(|(name, array)| Field::new(name, array.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    RecordBatch::try_new(schema, columns.into_iter().map(|(_, array)| array).collect()).expect("a batch")
}

fn file(groups: &[&[RecordBatch]], properties: WriterPropertiesBuilder) -> Vec<u8> {
    let schema = groups[0][0].schema();
    let sink = Sink::Memory(Vec::new());
    let mut writer = FileWriter::new(sink, &schema, properties.build()).expect("a writer");
    groups.iter().for_each(|group| writer.write_group(group).expect("written"));
    let Sink::Memory(bytes) = writer.finish().expect("a file") else { panic!("in memory") };
    bytes
}

/// Compares by value: text has other codes.
fn same(found: &RecordBatch, expected: &RecordBatch, form: &str) {
    assert_eq!(found.num_rows(), expected.num_rows(), "{form}");
    for (field, (found, expected)) in
        expected.schema().fields().iter().zip(found.columns().iter().zip(expected.columns()))
    {
        assert_eq!(found, expected, "{form}: {}", field.name());
    }
}

fn comes_back(rows: &RecordBatch, properties: WriterPropertiesBuilder, form: &str) {
    let file = ParquetFile::of_bytes(file(&[std::slice::from_ref(rows)], properties)).expect("a file");
    same(&file.rows(0, &|_| true).expect(form), rows, form);
}

#[test]
fn every_form_comes_back() {
    let rows = rows();
    let zstd = Compression::ZSTD(ZstdLevel::try_new(1).expect("a level"));
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for compression in [Compression::UNCOMPRESSED, zstd] {
            let form = format!("{version:?}, {compression:?}");
            let properties = || {
                let properties = WriterProperties::builder().set_writer_version(version);
                // Dictionaries of version 2 that grow too large go on in an encoding that we do not write.
                let most = if version == WriterVersion::PARQUET_1_0 { 1 << 14 } else { 1 << 24 };
                properties.set_compression(compression).set_dictionary_page_size_limit(most)
            };
            comes_back(&rows, properties(), &form);
        }
    }
}

#[test]
fn every_encoding_of_numbers_comes_back() {
    let all = rows();
    let of = |kind: &str| {
        let schema = all.schema();
        let columns = schema.fields().iter().zip(all.columns());
        let columns = columns.filter(|(field, _)| field.name().starts_with(kind));
        batch(columns.map(|(field, array)| (field.name().clone(), array.clone())).collect())
    };
    let plain = |encoding| WriterProperties::builder().set_dictionary_enabled(false).set_encoding(encoding);
    for encoding in [Encoding::PLAIN, Encoding::DELTA_BINARY_PACKED, Encoding::BYTE_STREAM_SPLIT] {
        comes_back(&of("int"), plain(encoding), &format!("{encoding}"));
    }
    for encoding in [Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT] {
        comes_back(&of("float"), plain(encoding), &format!("{encoding}"));
    }
    comes_back(&of("text"), plain(Encoding::PLAIN), "texts without a dictionary");
}

#[test]
fn batches_of_a_group_follow_each_other_and_groups_have_dictionaries_of_their_own() {
    let all = rows();
    let parts = [all.slice(0, 7), all.slice(7, 0), all.slice(7, 30_000), all.slice(30_007, 14_994)];
    let bytes = file(&[&parts, &parts[2..3]], WriterProperties::builder());
    let file = ParquetFile::of_bytes(bytes).expect("a file");
    assert_eq!((file.groups(), file.rows_of(0), file.rows_of(1)), (2, ROWS as u64, 30_000));
    same(&file.rows(0, &|_| true).expect("rows"), &all, "parts");
    same(&file.rows(1, &|_| true).expect("rows"), &parts[2], "the second group");
    let some = file.rows(1, &|name| name == "int few true").expect("rows");
    assert_eq!(some.num_columns(), 1);
    assert_eq!(file.rows(1, &|_| false).expect("rows").num_rows(), 30_000);
    assert!(file.rows(2, &|_| true).is_err());
}

#[test]
fn damaged_files_are_errors_or_rows_but_never_more() {
    let all = rows().slice(990, 300);
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        let whole =
            file(&[std::slice::from_ref(&all)], WriterProperties::builder().set_writer_version(version));
        for at in (0..whole.len()).step_by(211) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x15;
            let Ok(file) = ParquetFile::of_bytes(bytes) else { continue };
            for group in 0..file.groups() {
                if let Ok(rows) = file.rows(group, &|_| true) {
                    assert_eq!(rows.num_rows() as u64, file.rows_of(group), "byte {at}");
                }
            }
        }
    }
}
