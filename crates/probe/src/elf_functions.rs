//! The functions of a program or library, from its symbol table.
//!
//! Only the tables are read, never the whole file, and only up to a size: the file may be
//! large, and it may lie about itself.

use std::io::{Read, Seek};
use std::sync::Arc;

use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};

/// Bytes of symbols and names that are read of one file: 700,000 symbols of 24 bytes each.
const TABLE_BYTES: u64 = 16 << 20;
/// Bytes of names that are read of one file; C++ names are long.
const NAME_BYTES: u64 = 32 << 20;
/// Functions without a size end where the next begins, but not later than this.
const LONGEST_UNSIZED: u64 = 64 << 10;
/// Longest name that is shown; templates go on for kilobytes.
const LONGEST_NAME: usize = 200;

/// Functions of one file, sorted by address.
#[derive(Debug, Default)]
pub(crate) struct ElfFunctions {
    functions: Vec<Function>,
    names: String,
    segments: Vec<Segment>,
}

#[derive(Debug)]
struct Function {
    start: u64,
    end: u64,
    name_at: u32,
    name_len: u32,
}

/// Part of the file that is mapped when the program is loaded.
#[derive(Debug)]
struct Segment {
    file_offset: u64,
    file_len: u64,
    address: u64,
}

impl ElfFunctions {
    /// Reads the functions of a file; nothing where it is no ELF file or its tables are cut short.
    pub(crate) fn read(file: impl Read + Seek) -> ElfFunctions {
        let cache = ReadCache::new(file);
        let Ok(elf) = object::File::parse(&cache) else { return ElfFunctions::default() };
        let mut found = ElfFunctions::default();
        for segment in elf.segments() {
            let (file_offset, file_len) = segment.file_range();
            found.segments.push(Segment { file_offset, file_len, address: segment.address() });
        }
        let small = |name: &str, limit: u64| elf.section_by_name(name).is_some_and(|s| s.size() <= limit);
        if small(".symtab", TABLE_BYTES) && small(".strtab", NAME_BYTES) {
            found.add(elf.symbols());
        } else if small(".dynsym", TABLE_BYTES) && small(".dynstr", NAME_BYTES) {
            found.add(elf.dynamic_symbols());
        }
        found.sort();
        found
    }

    fn add<'data>(&mut self, symbols: impl Iterator<Item = impl ObjectSymbol<'data>>) {
        for symbol in symbols {
            if symbol.kind() != SymbolKind::Text || symbol.is_undefined() || symbol.address() == 0 {
                continue;
            }
            let Ok(name) = symbol.name() else { continue };
            if name.is_empty() || self.names.len() + name.len() > NAME_BYTES as usize {
                continue;
            }
            let (start, name_at) = (symbol.address(), self.names.len() as u32);
            self.names.push_str(name);
            let end = start.saturating_add(symbol.size());
            self.functions.push(Function { start, end, name_at, name_len: name.len() as u32 });
        }
    }

    fn sort(&mut self) {
        // Of several names for one address the longest span comes last, where the search finds it.
        self.functions.sort_by_key(|function| (function.start, function.end));
        self.functions.shrink_to_fit();
        self.names.shrink_to_fit();
    }

    /// The function at an offset of the file, as a person wrote its name.
    pub(crate) fn at_file_offset(&self, offset: u64) -> Option<Arc<str>> {
        let segment =
            self.segments.iter().find(|s| offset >= s.file_offset && offset - s.file_offset < s.file_len)?;
        let address = segment.address.checked_add(offset - segment.file_offset)?;
        let after = self.functions.partition_point(|function| function.start <= address);
        let function = self.functions.get(after.checked_sub(1)?)?;
        let end = match function.end > function.start {
            true => function.end,
            false => function.start.saturating_add(LONGEST_UNSIZED),
        };
        let name = self.names.get(function.name_at as usize..)?.get(..function.name_len as usize)?;
        (address < end).then(|| written_name(name).into())
    }

    /// Memory that the tables take, in bytes.
    pub(crate) fn size_bytes(&self) -> usize {
        self.names.len() + self.functions.len() * size_of::<Function>()
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
            assert_eq!(ElfFunctions::read(Cursor::new(bytes)).at_file_offset(100), None);
        }
    }

    /// Every byte of the headers and tables of a real program, broken one at a time.
    #[test]
    fn a_broken_elf_file_does_no_harm() {
        let whole = std::fs::read("/proc/self/exe").expect("this test");
        let head = &whole[..whole.len().min(64 << 10)];
        for at in (0..head.len().min(1024)).step_by(7) {
            let mut broken = head.to_vec();
            broken[at] ^= 0xff;
            ElfFunctions::read(Cursor::new(broken)).at_file_offset(at as u64);
        }
    }
}
