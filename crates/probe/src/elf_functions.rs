//! Names of the functions at some places of a program or library, from its symbol table.
//!
//! The table is gone through once for all places and not kept: it may have a million
//! entries, of which a few dozen are wanted. Only the tables are read, never the whole
//! file, and only up to a size: the file may be large, and it may lie about itself.

use std::io::{Read, Seek};
use std::sync::Arc;

use object::{
    Object, ObjectSection, ObjectSegment, ObjectSymbol, ObjectSymbolTable, ReadCache, SymbolIndex, SymbolKind,
};

/// Bytes of symbols that are read of one file: 700,000 symbols of 24 bytes each.
pub(crate) const TABLE_BYTES: u64 = 16 << 20;
/// Functions without a size end where the next begins, but not later than this.
const LONGEST_UNSIZED: u64 = 64 << 10;
/// Longest name that is shown; templates go on for kilobytes.
const LONGEST_NAME: usize = 200;

/// What one file said.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// A name, or none, for each place that was asked for.
    pub(crate) names: Vec<Option<Arc<str>>>,
    /// Bytes of symbols that were gone through.
    pub(crate) table_bytes: u64,
    /// A table was not gone through for its size; a smaller one may have been.
    pub(crate) too_large: bool,
}

/// Names the functions at offsets of a file; no names where it is no ELF file or its tables are cut short.
pub(crate) fn name_functions(file: impl Read + Seek, offsets: &[u64]) -> Named {
    let mut named = Named { names: vec![None; offsets.len()], ..Named::default() };
    let cache = ReadCache::new(file);
    let Ok(elf) = object::File::parse(&cache) else { return named };
    let mut wanted: Vec<(u64, usize)> = offsets
        .iter()
        .enumerate()
        .filter_map(|(at, offset)| Some((address_of(elf.segments(), *offset)?, at)))
        .collect();
    wanted.sort_unstable();
    let size = |name: &str| elf.section_by_name(name).map_or(0, |section| section.size());
    let (full, dynamic) = (size(".symtab"), size(".dynsym"));
    let (table, bytes) = match full > 0 && full <= TABLE_BYTES {
        true => (elf.symbol_table(), full),
        false => (elf.dynamic_symbol_table(), dynamic),
    };
    named.too_large = full > TABLE_BYTES || bytes > TABLE_BYTES;
    if let Some(table) = table.filter(|_| bytes <= TABLE_BYTES) {
        named.table_bytes = bytes;
        name_from(&table, &wanted, &mut named.names);
    }
    named
}

/// Where an offset of the file is, as the symbols count addresses.
fn address_of<'data>(
    mut segments: impl Iterator<Item = impl ObjectSegment<'data>>,
    offset: u64,
) -> Option<u64> {
    segments.find_map(|segment| {
        let (start, len) = segment.file_range();
        let inside = offset.checked_sub(start).filter(|inside| *inside < len)?;
        segment.address().checked_add(inside)
    })
}

/// `wanted` holds addresses in order, each with its place in `names`.
fn name_from<'data>(
    table: &impl ObjectSymbolTable<'data>,
    wanted: &[(u64, usize)],
    names: &mut [Option<Arc<str>>],
) {
    let (Some((lowest, _)), Some((highest, _))) = (wanted.first(), wanted.last()) else { return };
    // A symbol with a size says that it holds the address; of several the one that starts last
    // is the closest. One without a size holds what comes after it until another says better.
    let mut best: Vec<Option<(bool, u64, SymbolIndex)>> = vec![None; wanted.len()];
    for symbol in table.symbols() {
        let (start, size) = (symbol.address(), symbol.size());
        let end = start.saturating_add(if size > 0 { size } else { LONGEST_UNSIZED });
        if start > *highest || end <= *lowest || start == 0 {
            continue;
        }
        let first = wanted.partition_point(|(address, _)| *address < start);
        let after = wanted.partition_point(|(address, _)| *address < end);
        if first >= after || symbol.kind() != SymbolKind::Text || symbol.is_undefined() {
            continue;
        }
        for held in &mut best[first..after] {
            if held.is_none_or(|(sized, held_start, _)| (sized, held_start) < (size > 0, start)) {
                *held = Some((size > 0, start, symbol.index()));
            }
        }
    }
    for ((_, at), found) in wanted.iter().zip(best) {
        let symbol = found.and_then(|(_, _, index)| table.symbol_by_index(index).ok());
        let name = symbol.and_then(|symbol| symbol.name().ok().map(written_name));
        names[*at] = name.filter(|name| !name.is_empty()).map(Arc::from);
    }
}

/// Rust and C++ names as written in the source, without hashes and parameters, cut to a length.
fn written_name(symbol: &str) -> String {
    let mut name = match rustc_demangle::try_demangle(symbol) {
        Ok(rust) => format!("{rust:#}"),
        Err(_) => cpp_name(symbol).unwrap_or_else(|| symbol.to_owned()),
    };
    // Semicolons part the frames of a stack.
    name = name.replace(';', ",");
    if let Some((cut, _)) = name.char_indices().nth(LONGEST_NAME) {
        name.truncate(cut);
        name.push('…');
    }
    name
}

fn cpp_name(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") {
        return None;
    }
    let options = cpp_demangle::DemangleOptions::new().no_params().no_return_type();
    cpp_demangle::Symbol::new(symbol).ok()?.demangle_with_options(&options).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn names_are_as_written() {
        for (symbol, written) in [
            ("main", "main"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_ZN5mysql4find3rowEi", "mysql::find::row"),
            ("_Zbroken", "_Zbroken"),
        ] {
            assert_eq!(written_name(symbol), written);
        }
        assert_eq!(written_name(&"é".repeat(500)).chars().count(), LONGEST_NAME + 1);
    }

    #[test]
    fn what_is_no_elf_file_has_no_functions() {
        for bytes in [&b""[..], b"\x7fELF", &[0x7f; 4096]] {
            assert_eq!(name_functions(Cursor::new(bytes), &[100, 0]).names, [None, None]);
        }
    }

    /// The headers of a real program, broken at one place after the other.
    #[test]
    fn a_broken_elf_file_does_no_harm() {
        let whole = std::fs::read("/proc/self/exe").expect("this test");
        let head = &whole[..whole.len().min(64 << 10)];
        for at in (0..head.len().min(1024)).step_by(7) {
            let mut broken = head.to_vec();
            broken[at] ^= 0xff;
            name_functions(Cursor::new(broken), &[at as u64, u64::MAX]);
        }
    }
}
