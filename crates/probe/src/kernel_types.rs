//! The kernel's description of its types (BTF), cut down to what our objects ask for.
//!
//! A kernel describes some 100,000 types; our programs touch fifty. aya compares every
//! type of the kernel with each type of an object, by name, and makes an allocation for
//! most when it reads them. Types that no object names are therefore replaced by empty
//! declarations before aya sees them: numbers stay the same, most of the work goes away.
//!
//! The format is fixed: Documentation/bpf/btf.rst.

use std::collections::HashSet;

const MAGIC: u16 = 0xeb9f;
const KIND_ARRAY: u32 = 3;
const KIND_STRUCT: u32 = 4;
const KIND_UNION: u32 = 5;
const KIND_ENUM: u32 = 6;
const KIND_FWD: u32 = 7;
const KIND_FUNC: u32 = 12;
const KIND_FUNC_PROTO: u32 = 13;
const KIND_VAR: u32 = 14;
const KIND_DATASEC: u32 = 15;
const KIND_DECL_TAG: u32 = 17;
const KIND_ENUM64: u32 = 19;
/// What programs attach to is named by these.
const ATTACHED: [&[u8]; 2] = [b"bpf_iter_", b"btf_trace_"];

/// `btf` with every type that `objects` do not name made an empty declaration; none when
/// the format is not the one that is known, so that all of it must be used.
pub(crate) fn trimmed(btf: &[u8], objects: &[&[u8]]) -> Option<Vec<u8>> {
    // Names stand in the objects' own BTF, each ended by NUL; other words do no harm.
    let words = objects.iter().flat_map(|object| object.split(|b| *b == 0));
    let wanted: HashSet<&[u8]> = words.map(without_flavor).collect();
    let word = |at: usize| Some(u32::from_ne_bytes(btf.get(at..at + 4)?.try_into().ok()?));
    if btf.get(..2)? != MAGIC.to_ne_bytes() {
        return None;
    }
    let header = word(4)? as usize;
    let types = header + word(8)? as usize;
    let types_end = types + word(12)? as usize;
    let strings = header + word(16)? as usize;
    let strings_end = strings + word(20)? as usize;
    let names = btf.get(strings..strings_end)?;

    let mut cut = Vec::with_capacity(btf.len() / 2);
    let mut at = types;
    while at < types_end {
        let (name, info) = (word(at)?, word(at + 4)?);
        let (kind, members) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
        let next = at + 12 + members_bytes(kind, members)?;
        let name = names.get(name as usize..)?;
        let name = &name[..name.iter().position(|b| *b == 0)?];
        if is_needed(kind, name, &wanted) {
            cut.extend_from_slice(btf.get(at..next)?);
        } else {
            cut.extend_from_slice(&[0; 4]);
            cut.extend_from_slice(&(KIND_FWD << 24).to_ne_bytes());
            cut.extend_from_slice(&[0; 4]);
        }
        at = next;
    }
    let types_length = cut.len() as u32;
    let mut trimmed = Vec::with_capacity(header + cut.len() + names.len());
    trimmed.extend_from_slice(btf.get(..header)?);
    trimmed[8..12].copy_from_slice(&0_u32.to_ne_bytes());
    trimmed[12..16].copy_from_slice(&types_length.to_ne_bytes());
    trimmed[16..20].copy_from_slice(&types_length.to_ne_bytes());
    trimmed.extend_from_slice(&cut);
    trimmed.extend_from_slice(names);
    Some(trimmed)
}

/// Name and value of each constant of an enumeration; none where the kernel has no such type.
pub(crate) fn constants(btf: &[u8], enumeration: &str) -> Option<Vec<(String, u32)>> {
    let word = |at: usize| Some(u32::from_ne_bytes(btf.get(at..at + 4)?.try_into().ok()?));
    let header = word(4)? as usize;
    let (mut at, length) = (header + word(8)? as usize, word(12)? as usize);
    let (types_end, strings) = (at + length, header + word(16)? as usize);
    let name = |offset: u32| {
        let rest = btf.get(strings + offset as usize..)?;
        rest.split(|byte| *byte == 0).next()
    };
    while at < types_end {
        let info = word(at + 4)?;
        let (kind, members) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
        // Values of an enumeration of 64 bits have another form; what is asked for has none.
        if kind == KIND_ENUM && name(word(at)?)? == enumeration.as_bytes() {
            let constant =
                |at: usize| Some((String::from_utf8_lossy(name(word(at)?)?).into_owned(), word(at + 4)?));
            return (0..members).map(|member| constant(at + 12 + 8 * member)).collect();
        }
        at += 12 + members_bytes(kind, members)?;
    }
    None
}

/// Bytes after the first three words of a type; none for a kind that is not known.
fn members_bytes(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        // Int, variable and declaration tag carry one word, an array three.
        1 | KIND_VAR | KIND_DECL_TAG => 4,
        KIND_ARRAY => 12,
        KIND_STRUCT | KIND_UNION | KIND_DATASEC | KIND_ENUM64 => 12 * members,
        KIND_ENUM | KIND_FUNC_PROTO => 8 * members,
        2 | 7..=12 | 16 | 18 => 0,
        _ => return None,
    })
}

/// `task_struct___before_5_14` in an object means the kernel's `task_struct`.
fn without_flavor(name: &[u8]) -> &[u8] {
    name.windows(3).position(|three| three == b"___").map_or(name, |end| &name[..end])
}

/// Unnamed types may be members of wanted ones; what is small is kept as it is.
fn is_needed(kind: u32, name: &[u8], wanted: &HashSet<&[u8]>) -> bool {
    match kind {
        KIND_STRUCT | KIND_UNION | KIND_ENUM | KIND_ENUM64 => name.is_empty() || wanted.contains(name),
        KIND_FUNC => ATTACHED.iter().any(|start| name.starts_with(start)),
        KIND_FUNC_PROTO | KIND_VAR | KIND_DATASEC | KIND_DECL_TAG => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header, then `types`, then the names.
    fn btf(types: &[u32], names: &[u8]) -> Vec<u8> {
        let mut bytes = [MAGIC.to_ne_bytes(), [1, 0]].concat();
        let length = types.len() as u32 * 4;
        for word in [24, 0, length, length, names.len() as u32].iter().chain(types) {
            bytes.extend_from_slice(&word.to_ne_bytes());
        }
        bytes.extend_from_slice(names);
        bytes
    }

    #[test]
    fn types_without_use_become_declarations_and_keep_their_numbers() {
        let names = b"\0kept\0gone\0";
        let structure = |name: u32| [name, KIND_STRUCT << 24 | 1, 8, 0, 3, 0];
        let pointer = [0, 2 << 24, 1];
        let whole = btf(&[&structure(6)[..], &structure(1), &pointer].concat(), names);
        let declaration = [0, KIND_FWD << 24, 0];
        let expected = btf(&[&declaration[..], &structure(1), &pointer].concat(), names);
        assert_eq!(trimmed(&whole, &[b"x\0kept\0"]), Some(expected));
    }

    #[test]
    fn constants_of_an_enumeration() {
        let names = b"\0color\0RED\0BLUE\0";
        let pointer = [0, 2 << 24, 1];
        let whole = btf(&[&pointer[..], &[1, KIND_ENUM << 24 | 2, 4, 7, 0, 11, 65536]].concat(), names);
        let expected = vec![("RED".to_owned(), 0), ("BLUE".to_owned(), 65536)];
        assert_eq!(constants(&whole, "color"), Some(expected));
        assert_eq!(constants(&whole, "shape"), None);
        assert_eq!(constants(&whole[..whole.len() - 30], "color"), None, "cut short");
    }

    #[test]
    fn what_is_not_understood_is_left_whole() {
        assert_eq!(trimmed(b"", &[]), None);
        assert_eq!(trimmed(&btf(&[0, 31 << 24, 0], b"\0"), &[]), None);
        assert_eq!(trimmed(&btf(&[0, KIND_STRUCT << 24 | 9, 0], b"\0"), &[]), None);
    }
}
