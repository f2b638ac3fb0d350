//! What a page says: which of its rows have a value, and these values.

use parquet::basic::Encoding;
use parquet::column::page::Page;

use super::bits::{Run, each_run, number_at};
use super::delta;

/// A data page, taken apart.
pub(super) struct DataPage<'a> {
    pub(super) rows: usize,
    pub(super) encoding: Encoding,
    /// Which rows have a value; none where all have.
    pub(super) levels: Option<Levels>,
    /// The values that are there.
    pub(super) values: &'a [u8],
}

/// Which rows of a page have a value.
pub(super) struct Levels {
    /// So many rows with one, or without.
    pub(super) runs: Vec<(bool, usize)>,
    /// Rows that have one.
    pub(super) present: usize,
}

impl<'a> DataPage<'a> {
    /// Of a column whose values may be missing or not.
    pub(super) fn of(page: &'a Page, optional: bool) -> Result<DataPage<'a>, String> {
        let cut = || "a page without its levels".to_owned();
        let rows = page.num_values() as usize;
        let (levels, values) = match page {
            Page::DictionaryPage { .. } => return Err("a second dictionary".into()),
            Page::DataPage { buf, .. } if !optional => (None, &buf[..]),
            Page::DataPage { buf, def_level_encoding, .. } => {
                if *def_level_encoding != Encoding::RLE {
                    return Err(format!("levels are written as {def_level_encoding}, expected RLE"));
                }
                let (length, rest) = buf.split_first_chunk::<4>().ok_or_else(cut)?;
                let length = u32::from_le_bytes(*length) as usize;
                let (levels, values) = rest.split_at_checked(length).ok_or_else(cut)?;
                (Some(levels), values)
            }
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let rest = buf.get(*rep_levels_byte_len as usize..).ok_or_else(cut)?;
                let (levels, values) =
                    rest.split_at_checked(*def_levels_byte_len as usize).ok_or_else(cut)?;
                (optional.then_some(levels), values)
            }
        };
        let levels = levels.map(|bytes| Levels::of(bytes, rows)).transpose()?;
        let levels = levels.filter(|levels| levels.present < rows);
        Ok(DataPage { rows, encoding: page.encoding(), levels, values })
    }

    /// How many values are there.
    pub(super) fn present(&self) -> usize {
        self.levels.as_ref().map_or(self.rows, |levels| levels.present)
    }

    /// Appends the page's values, with `T::default()` in rows without one.
    pub(super) fn append<T: Copy + Default>(
        &self,
        out: &mut Vec<T>,
        decode: impl FnOnce(&mut Vec<T>) -> Result<(), String>,
    ) -> Result<(), String> {
        let Some(levels) = &self.levels else { return decode(out) };
        let mut dense = Vec::with_capacity(levels.present);
        decode(&mut dense)?;
        let mut rest = &dense[..];
        for (present, times) in &levels.runs {
            if *present {
                let (these, after) = rest.split_at_checked(*times).ok_or("fewer values than rows")?;
                out.extend_from_slice(these);
                rest = after;
            } else {
                out.resize(out.len() + times, T::default());
            }
        }
        Ok(())
    }
}

impl Levels {
    fn of(bytes: &[u8], rows: usize) -> Result<Levels, String> {
        let mut levels = Levels { runs: Vec::new(), present: 0 };
        each_run(bytes, 1, rows, |run, times| {
            match run {
                Run::Same(level) => levels.add(level == 1, times),
                Run::Packed(packed) => (0..times).for_each(|at| levels.add(bit_at(packed, at), 1)),
            }
            Ok(())
        })?;
        Ok(levels)
    }

    fn add(&mut self, present: bool, times: usize) {
        self.present += if present { times } else { 0 };
        match self.runs.last_mut() {
            Some((last, length)) if *last == present => *length += times,
            _ => self.runs.push((present, times)),
        }
    }
}

fn bit_at(bytes: &[u8], at: usize) -> bool {
    bytes.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1)
}

/// Appends numbers of eight bytes, as these bytes.
pub(super) fn eight_bytes(page: &DataPage<'_>, dictionary: &[u64], out: &mut Vec<u64>) -> Result<(), String> {
    let (bytes, count) = (page.values, page.present());
    match page.encoding {
        Encoding::PLAIN => {
            let values = bytes.as_chunks::<8>().0.get(..count).ok_or("values are cut off")?;
            out.extend(values.iter().map(|eight| u64::from_le_bytes(*eight)));
            Ok(())
        }
        Encoding::BYTE_STREAM_SPLIT => {
            if bytes.len() < count.saturating_mul(8) {
                return Err("values are cut off".into());
            }
            let begin = out.len();
            out.resize(begin + count, 0);
            for (place, stream) in bytes.chunks_exact(count.max(1)).take(8).enumerate() {
                for (value, byte) in out[begin..].iter_mut().zip(stream) {
                    *value |= u64::from(*byte) << (8 * place);
                }
            }
            Ok(())
        }
        Encoding::DELTA_BINARY_PACKED => delta::decode(bytes, count, out),
        _ => by_dictionary(page, dictionary, out),
    }
}

/// Appends what the codes of a page stand for.
pub(super) fn by_dictionary<T: Copy>(
    page: &DataPage<'_>,
    dictionary: &[T],
    out: &mut Vec<T>,
) -> Result<(), String> {
    #[allow(deprecated)] // What version 1 calls the same.
    let is_it = matches!(page.encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    if !is_it {
        return Err(format!("written as {}, which is not read", page.encoding));
    }
    if page.present() == 0 {
        return Ok(());
    }
    let (width, codes) = page.values.split_first().ok_or("a page without its codes")?;
    let of = |code: u64| {
        let value = usize::try_from(code).ok().and_then(|code| dictionary.get(code));
        value.copied().ok_or_else(|| format!("code {code} of a dictionary of {}", dictionary.len()))
    };
    let width = u32::from(*width);
    each_run(codes, width, page.present(), |run, times| {
        match run {
            Run::Same(code) => out.extend(std::iter::repeat_n(of(code)?, times)),
            Run::Packed(packed) => {
                for at in 0..times {
                    out.push(of(number_at(packed, at * width as usize, width))?);
                }
            }
        }
        Ok(())
    })
}

/// Appends yes and no.
pub(super) fn bools(page: &DataPage<'_>, out: &mut Vec<bool>) -> Result<(), String> {
    match page.encoding {
        Encoding::PLAIN if page.values.len() * 8 < page.present() => Err("values are cut off".into()),
        Encoding::PLAIN => {
            out.extend((0..page.present()).map(|at| bit_at(page.values, at)));
            Ok(())
        }
        Encoding::RLE => {
            let (_, runs) = page.values.split_first_chunk::<4>().ok_or("values are cut off")?;
            each_run(runs, 1, page.present(), |run, times| {
                match run {
                    Run::Same(value) => out.extend(std::iter::repeat_n(value == 1, times)),
                    Run::Packed(packed) => out.extend((0..times).map(|at| bit_at(packed, at))),
                }
                Ok(())
            })
        }
        other => Err(format!("written as {other}, which is not read")),
    }
}

/// Hands over texts that follow each other, each after its length.
pub(super) fn each_text<'a>(
    bytes: &'a [u8],
    count: usize,
    mut take: impl FnMut(&'a [u8]) -> Result<(), String>,
) -> Result<(), String> {
    let mut rest = bytes;
    for _ in 0..count {
        let (length, after) = rest.split_first_chunk::<4>().ok_or("texts are cut off")?;
        let length = u32::from_le_bytes(*length) as usize;
        let (text, after) = after.split_at_checked(length).ok_or("a text is cut off")?;
        take(text)?;
        rest = after;
    }
    Ok(())
}
