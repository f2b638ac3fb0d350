//! Seconds that were counted in nanoseconds, as multiples of 2⁻³⁰ s in a file.
//!
//! 0.000123457 as a float has 52 bits that look like noise, of which 17 are information, and no
//! encoding of Parquet for floats finds that out. The nearest multiple of 2⁻³⁰ s has zeros in the
//! place of the rest: a ledger's seconds take half the bytes. The multiples lie 0.93 ns apart, so each
//! nanosecond has its own, and whoever reads can tell the very number: what comes back here is what was
//! written, bit by bit. Another engine sees a time that is at most half a nanosecond off.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::parquet_file::ParquetFile;

/// Names the columns that are written so, separated by spaces.
pub(super) const BINARY_SECONDS: &str = "binary_seconds";

const STEPS_PER_S: f64 = (1_u64 << 30) as f64;
const NS_PER_S: f64 = 1e9;
/// Times from here on have no room for 2⁻³⁰ s in a float's 53 bits.
const TOO_LONG_S: f64 = (1_u64 << 22) as f64;

fn nearest_ns(value: f64) -> f64 {
    (value * NS_PER_S).round() / NS_PER_S
}

fn nearest_step(value: f64) -> f64 {
    (value * STEPS_PER_S).round() / STEPS_PER_S
}

fn to_binary(value: f64) -> f64 {
    let counted = value.abs() < TOO_LONG_S && nearest_ns(value).to_bits() == value.to_bits();
    if counted { nearest_step(value) } else { value }
}

fn from_binary(value: f64) -> f64 {
    let decimal = nearest_ns(value);
    let was_counted = value.abs() < TOO_LONG_S && nearest_step(decimal).to_bits() == value.to_bits();
    if was_counted { decimal } else { value }
}

/// A column as it is written so; none where it is no column of floats.
pub(super) fn written(array: &ArrayRef) -> Option<ArrayRef> {
    let values = array.as_primitive_opt::<Float64Type>()?;
    Some(Arc::new(values.unary::<_, Float64Type>(to_binary)) as ArrayRef)
}

/// A batch with the columns of which a file says that they are written so, as they were.
pub(super) fn restore(rows: &RecordBatch, file: &ParquetFile) -> Result<RecordBatch, String> {
    let columns = file.says(BINARY_SECONDS).unwrap_or_default();
    let mut arrays = rows.columns().to_vec();
    for name in columns.split(' ').filter(|name| !name.is_empty()) {
        let Ok(at) = rows.schema_ref().index_of(name) else { continue };
        arrays[at] = restored(rows.column(at));
    }
    RecordBatch::try_new(rows.schema(), arrays).map_err(|error| error.to_string())
}

/// A column of a file as it was.
pub(super) fn restore_column(name: &str, array: ArrayRef, file: &ParquetFile) -> ArrayRef {
    let columns = file.says(BINARY_SECONDS).unwrap_or_default();
    if columns.split(' ').any(|binary| binary == name) { restored(&array) } else { array }
}

fn restored(array: &ArrayRef) -> ArrayRef {
    let values = array.as_primitive_opt::<Float64Type>().filter(|values| values.null_count() < values.len());
    values.map_or_else(|| array.clone(), |values| Arc::new(values.unary::<_, Float64Type>(from_binary)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_nanosecond_comes_back() {
        let counts = (0..2_000_000_000_u64).step_by(7_919).chain([1, 999_999_999, 4_194_303_999_999_999]);
        for count in counts {
            let value = count as f64 / NS_PER_S;
            let written = to_binary(value);
            assert!((written - value).abs() <= 0.5e-9, "{count} ns");
            assert_eq!(from_binary(written).to_bits(), value.to_bits(), "{count} ns");
        }
    }

    #[test]
    fn what_was_not_counted_is_left_as_it_is() {
        for value in [1.0 / 3.0, -0.0, 1e300, 5e-324, 4_194_304.1, f64::MAX, 0.1 + 0.2] {
            assert_eq!(to_binary(value).to_bits(), value.to_bits(), "{value}");
            assert_eq!(from_binary(value).to_bits(), value.to_bits(), "{value}");
        }
    }
}
