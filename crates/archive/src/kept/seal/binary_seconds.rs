//! Seconds that were counted in nanoseconds or microseconds, as multiples of 2⁻³⁰ s or 2⁻²⁰ s in a file.
//!
//! 0.000123457 as a float has 52 bits that look like noise, of which 17 are information, and no
//! encoding of Parquet for floats finds that out. The nearest multiple of 2⁻³⁰ s has zeros in the
//! place of the rest: a ledger's seconds take half the bytes. The multiples lie 0.93 ns apart, so each
//! nanosecond has its own, and whoever reads can tell the very number: what comes back here is what was
//! written, bit by bit. Another engine sees a time that is at most half a nanosecond off. Microseconds, in which
//! the recorder counts how long intervals are, have the multiples of 2⁻²⁰ s.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::parquet_file::ParquetFile;

/// What seconds were counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kept) enum Counted {
    /// Nanoseconds, written as multiples of 2⁻³⁰ s.
    Nanoseconds,
    /// Microseconds, written as multiples of 2⁻²⁰ s.
    Microseconds,
}

impl Counted {
    /// The coarser first.
    pub(in crate::kept) const ALL: [Counted; 2] = [Counted::Microseconds, Counted::Nanoseconds];

    /// Under which name a file names the columns that are written so, separated by spaces.
    pub(in crate::kept) fn said_as(self) -> &'static str {
        match self {
            Counted::Nanoseconds => "binary_seconds",
            Counted::Microseconds => "binary_microseconds",
        }
    }

    fn per_s(self) -> f64 {
        match self {
            Counted::Nanoseconds => 1e9,
            Counted::Microseconds => 1e6,
        }
    }

    fn steps_per_s(self) -> f64 {
        match self {
            Counted::Nanoseconds => (1_u64 << 30) as f64,
            Counted::Microseconds => (1_u64 << 20) as f64,
        }
    }

    /// Times from here on have no room for the steps in a float's 53 bits.
    fn too_long_s(self) -> f64 {
        (1_u64 << 52) as f64 / self.steps_per_s()
    }

    fn nearest_count(self, value: f64) -> f64 {
        (value * self.per_s()).round() / self.per_s()
    }

    fn nearest_step(self, value: f64) -> f64 {
        (value * self.steps_per_s()).round() / self.steps_per_s()
    }

    fn is_count(self, value: f64) -> bool {
        value.abs() < self.too_long_s() && self.nearest_count(value).to_bits() == value.to_bits()
    }

    fn in_steps(self, value: f64) -> f64 {
        if self.is_count(value) {
            return self.nearest_step(value);
        }
        // No count, but where one would be written: beside it, or it would be taken for that.
        let is_taken = self.in_counts(value).to_bits() != value.to_bits();
        if is_taken { f64::from_bits(value.to_bits() + 1) } else { value }
    }

    fn in_counts(self, value: f64) -> f64 {
        let decimal = self.nearest_count(value);
        let was_counted =
            value.abs() < self.too_long_s() && self.nearest_step(decimal).to_bits() == value.to_bits();
        if was_counted { decimal } else { value }
    }

    /// What all values of a column were counted in; none where that is neither, or it is no column of floats.
    pub(in crate::kept) fn of(array: &ArrayRef) -> Option<Counted> {
        let values = array.as_primitive_opt::<Float64Type>()?;
        Counted::ALL.into_iter().find(|counted| values.iter().flatten().all(|value| counted.is_count(value)))
    }

    /// A column as it is written so; none where it is no column of floats.
    pub(in crate::kept) fn written(self, array: &ArrayRef) -> Option<ArrayRef> {
        let values = array.as_primitive_opt::<Float64Type>()?;
        Some(Arc::new(values.unary::<_, Float64Type>(|value| self.in_steps(value))) as ArrayRef)
    }

    fn restored(self, array: &ArrayRef) -> ArrayRef {
        let values =
            array.as_primitive_opt::<Float64Type>().filter(|values| values.null_count() < values.len());
        let restored = |value| self.in_counts(value);
        values.map_or_else(|| array.clone(), |values| Arc::new(values.unary::<_, Float64Type>(restored)))
    }

    /// The columns of which a file says that they are written so.
    fn columns(self, file: &ParquetFile) -> impl Iterator<Item = &str> {
        file.says(self.said_as()).unwrap_or_default().split(' ').filter(|name| !name.is_empty())
    }
}

/// A batch with the columns of which a file says that they are written so, as they were.
pub(in crate::kept) fn restore(rows: &RecordBatch, file: &ParquetFile) -> Result<RecordBatch, String> {
    let mut arrays = rows.columns().to_vec();
    for counted in Counted::ALL {
        for name in counted.columns(file) {
            let Ok(at) = rows.schema_ref().index_of(name) else { continue };
            arrays[at] = counted.restored(rows.column(at));
        }
    }
    RecordBatch::try_new(rows.schema(), arrays).map_err(|error| error.to_string())
}

/// A column of a file as it was.
pub(in crate::kept) fn restore_column(name: &str, array: ArrayRef, file: &ParquetFile) -> ArrayRef {
    let counted = Counted::ALL.into_iter().find(|counted| counted.columns(file).any(|binary| binary == name));
    counted.map_or_else(|| array.clone(), |counted| counted.restored(&array))
}

#[cfg(test)]
mod tests {
    use arrow_array::Float64Array;

    use super::*;

    #[test]
    fn each_count_comes_back() {
        let counts = (0..2_000_000_000_u64).step_by(7_919).chain([1, 999_999_999, 4_194_303_999_999_999]);
        for count in counts {
            for counted in Counted::ALL {
                let value = count as f64 / counted.per_s();
                let written = counted.in_steps(value);
                assert!((written - value).abs() <= 0.5 / counted.per_s(), "{count} {counted:?}");
                assert_eq!(counted.in_counts(written).to_bits(), value.to_bits(), "{count} {counted:?}");
            }
        }
    }

    #[test]
    fn what_was_not_counted_is_left_as_it_is() {
        for value in [1.0 / 3.0, -0.0, 1e300, 5e-324, 4_294_967_296.1, f64::MAX, 0.1 + 0.2] {
            for counted in Counted::ALL {
                assert_eq!(counted.in_steps(value).to_bits(), value.to_bits(), "{value}");
                assert_eq!(counted.in_counts(value).to_bits(), value.to_bits(), "{value}");
            }
        }
        // 2048 multiples of 2⁻²⁰ s, and no whole number of microseconds.
        let written = Counted::Microseconds.in_steps(0.001_953_125);
        assert!((Counted::Microseconds.in_counts(written) - 0.001_953_125).abs() < 1e-15);
        assert_eq!(Counted::Nanoseconds.in_steps(4_194_304.1).to_bits(), 4_194_304.1_f64.to_bits());
    }

    #[test]
    fn a_column_tells_what_it_was_counted_in() {
        let of = |values: Vec<Option<f64>>| {
            let array: ArrayRef = Arc::new(Float64Array::from(values));
            Counted::of(&array)
        };
        assert_eq!(of(vec![Some(1.000_328), None, Some(0.25)]), Some(Counted::Microseconds));
        assert_eq!(of(vec![Some(1.000_328), Some(0.000_123_457)]), Some(Counted::Nanoseconds));
        assert_eq!(of(vec![Some(1.000_328), Some(1.0 / 3.0)]), None);
    }
}
