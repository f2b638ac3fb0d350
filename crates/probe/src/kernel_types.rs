//! The kernel's description of its types (BTF), cut down to what our objects ask for.
//!
//! A kernel describes some 100,000 types; our programs touch fifty. aya compares every
//! type of the kernel with each type of an object, by name, and makes an allocation for
//! most when it reads them. So it is given two small descriptions instead: the structures
//! that our objects name, in numbers of their own, and the places that programs attach to,
//! which the kernel knows by their number, with empty declarations in between.
//!
//! The format is fixed: Documentation/bpf/btf.rst.

use std::collections::{HashMap, HashSet};

const MAGIC: u16 = 0xeb9f;
const HEADER_BYTES: u32 = 24;
const KIND_POINTER: u32 = 2;
const KIND_ARRAY: u32 = 3;
const KIND_STRUCT: u32 = 4;
const KIND_UNION: u32 = 5;
const KIND_ENUM: u32 = 6;
const KIND_FWD: u32 = 7;
const KIND_TYPEDEF: u32 = 8;
const KIND_RESTRICT: u32 = 11;
const KIND_FUNC: u32 = 12;
const KIND_FUNC_PROTO: u32 = 13;
const KIND_VAR: u32 = 14;
const KIND_DATASEC: u32 = 15;
const KIND_DECL_TAG: u32 = 17;
const KIND_TYPE_TAG: u32 = 18;
const KIND_ENUM64: u32 = 19;
/// Bytes that all types begin with: name, kind with number of members, size or type.
const TYPE_BYTES: usize = 12;
/// Trace points are named as type definitions, iterators as functions.
const ATTACHED: [(u32, &[u8]); 2] = [(KIND_TYPEDEF, b"btf_trace_"), (KIND_FUNC, b"bpf_iter_")];
/// Number of the empty declaration among the structures.
const DECLARATION: u32 = 1;

/// A description whose types have been found.
pub(crate) struct KernelTypes<'a> {
    names: &'a [u8],
    types: Vec<Type<'a>>,
}

#[derive(Clone, Copy)]
struct Type<'a> {
    kind: u32,
    bytes: &'a [u8],
}

impl<'a> KernelTypes<'a> {
    /// Finds the types; none when the format is not the one that is known, so that all of it
    /// must be used.
    pub(crate) fn of(btf: &'a [u8]) -> Option<KernelTypes<'a>> {
        if btf.get(..2)? != MAGIC.to_ne_bytes() {
            return None;
        }
        let field = |at: usize| word(btf, at).map(|word| word as usize);
        let first = field(4)? + field(8)?;
        let mut rest = btf.get(first..first + field(12)?)?;
        let names = field(4)? + field(16)?;
        let names = btf.get(names..names + field(20)?)?;
        // Types of Linux 6 have 26 bytes on average.
        let mut types = Vec::with_capacity(rest.len() / 24);
        while !rest.is_empty() {
            let info = word(rest, 4)?;
            let (kind, members) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
            let (bytes, behind) = rest.split_at_checked(TYPE_BYTES + members_bytes(kind, members)?)?;
            types.push(Type { kind, bytes });
            rest = behind;
        }
        Some(KernelTypes { names, types })
    }

    /// The structures that `objects` name and what these are made of, in numbers of their own.
    /// A structure that no object names is an empty declaration.
    pub(crate) fn structures(&self, objects: &[&[u8]]) -> Vec<u8> {
        // Names stand in the objects' own BTF, each ended by NUL; other words do no harm.
        let words = objects.iter().flat_map(|object| object.split(|byte| *byte == 0));
        let wanted: HashSet<&[u8]> = words.map(without_flavor).filter(|name| !name.is_empty()).collect();
        let mut kept = Kept::default();
        for (id, found) in (1..).zip(&self.types) {
            if found.is_layout() && wanted.contains(self.name(found.word(0))) {
                kept.number(id);
            }
        }
        let mut written = Description::default();
        written.declare();
        let mut next = 0;
        // What a type is made of is kept behind it, so the list grows while it is written.
        while let Some(found) = kept.types.get(next).and_then(|id| self.get(*id)) {
            let mut bytes = found.bytes.to_vec();
            for at in found.name_places() {
                let name = written.name(self.name(found.word(at)));
                bytes[at..at + 4].copy_from_slice(&name.to_ne_bytes());
            }
            for at in found.type_places() {
                let part = found.word(at);
                let number = match self.get(part) {
                    None => 0,
                    Some(one) if one.is_kept(|| self.name(one.word(0)), &wanted) => kept.number(part),
                    Some(_) => DECLARATION,
                };
                bytes[at..at + 4].copy_from_slice(&number.to_ne_bytes());
            }
            written.types.extend(bytes);
            next += 1;
        }
        written.finish()
    }

    /// The places that programs attach to, under the kernel's own numbers.
    pub(crate) fn attach_points(&self) -> Vec<u8> {
        let mut written = Description::default();
        let mut declared = 0;
        for found in &self.types {
            let start = ATTACHED.iter().find(|(kind, _)| *kind == found.kind).map(|(_, start)| *start);
            let name = start.map(|start| (start, self.name(found.word(0))));
            let Some((_, name)) = name.filter(|(start, name)| name.starts_with(start)) else {
                declared += 1;
                continue;
            };
            // What follows the last place is left out.
            (0..std::mem::take(&mut declared)).for_each(|_| written.declare());
            let name = written.name(name);
            for word in [name, found.word(4), 0] {
                written.types.extend_from_slice(&word.to_ne_bytes());
            }
        }
        written.finish()
    }

    /// Name and value of each constant of an enumeration; none where the kernel has no such type.
    pub(crate) fn constants(&self, enumeration: &str) -> Option<Vec<(String, u32)>> {
        // Values of an enumeration of 64 bits have another form; what is asked for has none.
        let is_asked =
            |found: &&Type<'_>| found.kind == KIND_ENUM && self.name(found.word(0)) == enumeration.as_bytes();
        let found = self.types.iter().find(is_asked)?;
        let constant =
            |at| (String::from_utf8_lossy(self.name(found.word(at))).into_owned(), found.word(at + 4));
        Some(found.name_places().skip(1).map(constant).collect())
    }

    /// The type of a number; none for `void`, and for one that there is not.
    fn get(&self, id: u32) -> Option<Type<'a>> {
        self.types.get((id as usize).checked_sub(1)?).copied()
    }

    fn name(&self, offset: u32) -> &'a [u8] {
        let rest = self.names.get(offset as usize..).unwrap_or_default();
        rest.split(|byte| *byte == 0).next().unwrap_or_default()
    }
}

impl Type<'_> {
    fn word(&self, at: usize) -> u32 {
        word(self.bytes, at).unwrap_or(0)
    }

    /// Whether an object looks for types of this kind by name.
    fn is_layout(&self) -> bool {
        matches!(self.kind, KIND_STRUCT | KIND_UNION | KIND_ENUM | KIND_ENUM64)
    }

    /// Whether it is kept where a wanted type has it as a part: unnamed ones are members too.
    fn is_kept<'n>(&self, name: impl Fn() -> &'n [u8], wanted: &HashSet<&[u8]>) -> bool {
        match self.kind {
            KIND_FWD | KIND_FUNC | KIND_FUNC_PROTO | KIND_VAR | KIND_DATASEC | KIND_DECL_TAG => false,
            _ if self.is_layout() => name().is_empty() || wanted.contains(name()),
            _ => true,
        }
    }

    /// Where in its bytes names stand.
    fn name_places(&self) -> impl Iterator<Item = usize> {
        let members = if self.is_layout() { &self.bytes[TYPE_BYTES..] } else { &[] };
        let step = if self.kind == KIND_ENUM { 8 } else { 12 };
        std::iter::once(0).chain((0..members.len()).step_by(step).map(|at| TYPE_BYTES + at))
    }

    /// Where in its bytes numbers of other types stand.
    fn type_places(&self) -> Vec<usize> {
        match self.kind {
            KIND_STRUCT | KIND_UNION => (TYPE_BYTES + 4..self.bytes.len()).step_by(12).collect(),
            // Of an element, and of the index.
            KIND_ARRAY => vec![TYPE_BYTES, TYPE_BYTES + 4],
            KIND_POINTER | KIND_TYPEDEF..=KIND_RESTRICT | KIND_TYPE_TAG => vec![8],
            _ => Vec::new(),
        }
    }
}

/// Types that are kept, in the order of their new numbers.
#[derive(Default)]
struct Kept {
    types: Vec<u32>,
    numbers: HashMap<u32, u32>,
}

impl Kept {
    fn number(&mut self, id: u32) -> u32 {
        *self.numbers.entry(id).or_insert_with(|| {
            self.types.push(id);
            DECLARATION + self.types.len() as u32
        })
    }
}

/// A description that is being written.
struct Description {
    types: Vec<u8>,
    names: Vec<u8>,
}

impl Default for Description {
    /// The first name is the empty one.
    fn default() -> Description {
        Description { types: Vec::new(), names: vec![0] }
    }
}

impl Description {
    fn declare(&mut self) {
        for word in [0, KIND_FWD << 24, 0] {
            self.types.extend_from_slice(&word.to_ne_bytes());
        }
    }

    fn name(&mut self, name: &[u8]) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let at = self.names.len() as u32;
        self.names.extend_from_slice(name);
        self.names.push(0);
        at
    }

    fn finish(self) -> Vec<u8> {
        let (types, names) = (self.types.len() as u32, self.names.len() as u32);
        let mut whole = Vec::with_capacity(HEADER_BYTES as usize + self.types.len() + self.names.len());
        whole.extend_from_slice(&MAGIC.to_ne_bytes());
        // Version 1, no flags.
        whole.extend_from_slice(&[1, 0]);
        for word in [HEADER_BYTES, 0, types, types, names] {
            whole.extend_from_slice(&word.to_ne_bytes());
        }
        whole.extend_from_slice(&self.types);
        whole.extend_from_slice(&self.names);
        whole
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Bytes after the first three words of a type; none for a kind that is not known.
fn members_bytes(kind: u32, members: usize) -> Option<usize> {
    Some(match kind {
        // Int, variable and declaration tag carry one word, an array three.
        1 | KIND_VAR | KIND_DECL_TAG => 4,
        KIND_ARRAY => 12,
        KIND_STRUCT | KIND_UNION | KIND_DATASEC | KIND_ENUM64 => 12 * members,
        KIND_ENUM | KIND_FUNC_PROTO => 8 * members,
        KIND_POINTER | KIND_FWD..=KIND_FUNC | 16 | KIND_TYPE_TAG => 0,
        _ => return None,
    })
}

/// `task_struct___before_5_14` in an object means the kernel's `task_struct`.
fn without_flavor(name: &[u8]) -> &[u8] {
    name.windows(3).position(|three| three == b"___").map_or(name, |end| &name[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Header, then `types`, then the names.
    fn btf(types: &[u32], names: &[u8]) -> Vec<u8> {
        let types = types.iter().flat_map(|word| word.to_ne_bytes()).collect();
        Description { types, names: names.to_vec() }.finish()
    }

    const DECLARED: [u32; 3] = [0, KIND_FWD << 24, 0];

    #[test]
    fn structures_that_an_object_names_are_kept_with_their_parts() {
        let names = b"\0kept\0gone\0part\0";
        // 1: struct gone { 3 }; 2: typedef of 3, unused; 3: pointer to 1; 4: struct kept { 3 part; 5 };
        // 5: struct { } without a name.
        let whole = btf(
            &[
                &[6, KIND_STRUCT << 24 | 1, 8, 0, 3, 0][..],
                &[6, KIND_TYPEDEF << 24, 3],
                &[0, KIND_POINTER << 24, 1],
                &[1, KIND_STRUCT << 24 | 2, 16, 11, 3, 0, 0, 5, 64],
                &[0, KIND_STRUCT << 24, 0],
            ]
            .concat(),
            names,
        );
        let expected = btf(
            &[
                &DECLARED[..],
                &[1, KIND_STRUCT << 24 | 2, 16, 6, 3, 0, 0, 4, 64],
                &[0, KIND_POINTER << 24, DECLARATION],
                &[0, KIND_STRUCT << 24, 0],
            ]
            .concat(),
            b"\0kept\0part\0",
        );
        let found = KernelTypes::of(&whole).expect("types").structures(&[b"x\0kept___v6\0"]);
        assert_eq!(found, expected);
    }

    #[test]
    fn places_to_attach_to_keep_their_numbers() {
        let names = b"\0btf_trace_a\0bpf_iter_b\0other\0";
        let whole = btf(
            &[
                &[24, KIND_TYPEDEF << 24, 2][..],
                &[0, KIND_POINTER << 24, 1],
                &[1, KIND_TYPEDEF << 24, 2],
                &[13, KIND_FUNC << 24 | 1, 2],
                &[24, KIND_STRUCT << 24 | 1, 8, 0, 2, 0],
            ]
            .concat(),
            names,
        );
        let expected = btf(
            &[&DECLARED[..], &DECLARED, &[1, KIND_TYPEDEF << 24, 0], &[13, KIND_FUNC << 24 | 1, 0]].concat(),
            b"\0btf_trace_a\0bpf_iter_b\0",
        );
        assert_eq!(KernelTypes::of(&whole).expect("types").attach_points(), expected);
    }

    #[test]
    fn a_structure_may_be_part_of_itself() {
        let names = b"\0list\0";
        let types = [1, KIND_STRUCT << 24 | 1, 8, 0, 2, 0, 0, KIND_POINTER << 24, 1];
        let found = btf(&types, names);
        let found = KernelTypes::of(&found).expect("types").structures(&[b"list"]);
        let kept = [1, KIND_STRUCT << 24 | 1, 8, 0, 3, 0, 0, KIND_POINTER << 24, 2];
        assert_eq!(found, btf(&[&DECLARED[..], &kept].concat(), names));
    }

    #[test]
    fn constants_of_an_enumeration() {
        let names = b"\0color\0RED\0BLUE\0";
        let pointer = [0, KIND_POINTER << 24, 1];
        let whole = btf(&[&pointer[..], &[1, KIND_ENUM << 24 | 2, 4, 7, 0, 11, 65536]].concat(), names);
        let expected = vec![("RED".to_owned(), 0), ("BLUE".to_owned(), 65536)];
        let types = KernelTypes::of(&whole).expect("types");
        assert_eq!(types.constants("color"), Some(expected));
        assert_eq!(types.constants("shape"), None);
        assert!(KernelTypes::of(&whole[..whole.len() - 30]).is_none(), "cut short");
    }

    #[test]
    fn what_is_not_understood_is_left_whole() {
        assert!(KernelTypes::of(b"").is_none());
        assert!(KernelTypes::of(&btf(&[0, 31 << 24, 0], b"\0")).is_none());
        assert!(KernelTypes::of(&btf(&[0, KIND_STRUCT << 24 | 9, 0], b"\0")).is_none());
    }
}
