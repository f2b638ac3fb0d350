//! A column's pages as an Arrow array.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::BooleanBufferBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use parquet::basic::{Encoding, Type};
use parquet::column::page::Page;

use super::decode::{DataPage, bools, by_dictionary, each_text, eight_bytes};

/// A column that is being read.
pub(super) struct Column {
    optional: bool,
    rows: usize,
    valid: BooleanBufferBuilder,
    values: Values,
}

/// What was read of it; rows without a value have 0.
enum Values {
    /// Integers and floats, as their bytes, and the dictionary's.
    Eight {
        is_float: bool,
        values: Vec<u64>,
        dictionary: Vec<u64>,
    },
    Bool(Vec<bool>),
    Text {
        codes: Vec<i32>,
        words: Words,
    },
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Eight { values, .. } => values.len(),
            Values::Bool(values) => values.len(),
            Values::Text { codes, .. } => codes.len(),
        }
    }
}

impl Column {
    /// Without a row yet, of so many.
    pub(super) fn new(ty: Type, optional: bool, rows: usize) -> Result<Column, String> {
        let eight = |is_float| Values::Eight { is_float, values: Vec::new(), dictionary: Vec::new() };
        let values = match ty {
            Type::INT64 => eight(false),
            Type::DOUBLE => eight(true),
            Type::BOOLEAN => Values::Bool(Vec::new()),
            Type::BYTE_ARRAY => Values::Text { codes: Vec::new(), words: Words::default() },
            other => return Err(format!("holds {other}, expected INT64, DOUBLE, BOOLEAN or BYTE_ARRAY")),
        };
        Ok(Column { optional, rows, valid: BooleanBufferBuilder::new(0), values })
    }

    /// Takes in the next page.
    pub(super) fn add(&mut self, page: &Page) -> Result<(), String> {
        if let Page::DictionaryPage { buf, num_values, encoding, .. } = page {
            return self.add_dictionary(buf, *num_values as usize, *encoding);
        }
        let page = DataPage::of(page, self.optional)?;
        if self.valid.len() + page.rows > self.rows {
            return Err(format!("more than {} rows", self.rows));
        }
        match &page.levels {
            None => self.valid.append_n(page.rows, true),
            Some(levels) => levels.runs.iter().for_each(|(valid, n)| self.valid.append_n(*n, *valid)),
        }
        match &mut self.values {
            Values::Eight { values, dictionary, .. } => {
                page.append(values, |out| eight_bytes(&page, dictionary, out))
            }
            Values::Bool(values) => page.append(values, |out| bools(&page, out)),
            Values::Text { codes, words } => page.append(codes, |out| match page.encoding {
                Encoding::PLAIN => each_text(page.values, page.present(), |text| {
                    out.push(words.code(text)?);
                    Ok(())
                }),
                _ => by_dictionary(&page, &words.dictionary, out),
            }),
        }
    }

    fn add_dictionary(&mut self, bytes: &[u8], count: usize, encoding: Encoding) -> Result<(), String> {
        #[allow(deprecated)] // What version 1 calls the same.
        let is_plain = matches!(encoding, Encoding::PLAIN | Encoding::PLAIN_DICTIONARY);
        if !is_plain || !self.valid.is_empty() {
            return Err(format!("a dictionary written as {encoding}, or not before its codes"));
        }
        match &mut self.values {
            Values::Eight { dictionary, .. } => {
                let values = bytes.as_chunks::<8>().0.get(..count).ok_or("a dictionary is cut off")?;
                dictionary.extend(values.iter().map(|eight| u64::from_le_bytes(*eight)));
                Ok(())
            }
            Values::Bool(_) => Err("a dictionary of yes and no".into()),
            Values::Text { words, .. } => each_text(bytes, count, |text| {
                let code = words.push(text)?;
                words.dictionary.push(code);
                Ok(())
            }),
        }
    }

    /// The column, of as many rows as was said.
    pub(super) fn finish(mut self) -> Result<ArrayRef, String> {
        if self.valid.len() != self.rows {
            return Err(format!("{} rows, expected {}", self.valid.len(), self.rows));
        }
        if self.values.len() != self.rows {
            return Err(format!("{} values, expected {}", self.values.len(), self.rows));
        }
        let nulls = NullBuffer::new(self.valid.finish());
        let nulls = (nulls.null_count() > 0).then_some(nulls);
        let array: Result<ArrayRef, _> = match self.values {
            Values::Eight { is_float: false, values, .. } => {
                let values: Vec<i64> = values.into_iter().map(u64::cast_signed).collect();
                Int64Array::try_new(values.into(), nulls).map(|array| Arc::new(array) as ArrayRef)
            }
            Values::Eight { values, .. } => {
                let values: Vec<f64> = values.into_iter().map(f64::from_bits).collect();
                Float64Array::try_new(values.into(), nulls).map(|array| Arc::new(array) as ArrayRef)
            }
            Values::Bool(values) => {
                return Ok(Arc::new(BooleanArray::new(values.into(), nulls)));
            }
            Values::Text { codes, words } => Int32Array::try_new(codes.into(), nulls)
                .and_then(|codes| DictionaryArray::<Int32Type>::try_new(codes, Arc::new(words.finish()?)))
                .map(|array| Arc::new(array) as ArrayRef),
        };
        array.map_err(|error| error.to_string())
    }
}

/// Words of a column, each once: the dictionary's, and those that pages hold beside it, where it was too
/// large to be gone on with.
#[derive(Default)]
struct Words {
    /// The code of each word of the dictionary.
    dictionary: Vec<i32>,
    bytes: Vec<u8>,
    ends: Vec<i32>,
    /// Made when a page holds words.
    known: HashMap<Vec<u8>, i32>,
}

impl Words {
    fn push(&mut self, word: &[u8]) -> Result<i32, String> {
        self.bytes.extend_from_slice(word);
        let end = i32::try_from(self.bytes.len()).map_err(|_| "more than 2 GB of words in a column")?;
        self.ends.push(end);
        Ok(self.ends.len() as i32 - 1)
    }

    fn code(&mut self, word: &[u8]) -> Result<i32, String> {
        if self.known.is_empty() {
            let begins = std::iter::once(0).chain(self.ends.iter().copied());
            let words = begins.zip(&self.ends).map(|(begin, end)| &self.bytes[begin as usize..*end as usize]);
            self.known = words.map(<[u8]>::to_vec).zip(0..).collect();
        }
        if let Some(code) = self.known.get(word) {
            return Ok(*code);
        }
        let code = self.push(word)?;
        self.known.insert(word.to_vec(), code);
        Ok(code)
    }

    fn finish(self) -> Result<StringArray, arrow_schema::ArrowError> {
        let offsets: Vec<i32> = std::iter::once(0).chain(self.ends).collect();
        StringArray::try_new(OffsetBuffer::new(offsets.into()), Buffer::from_vec(self.bytes), None)
    }
}
