//! Hostile trees: nothing there, files cut off, garbled, absurd. No source may panic, and
//! none may be silent where nothing is there.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use heldup_hostfs::Host;
use heldup_sources::{Reading, live};

use crate::fixtures::recordings;
use crate::recorded::{Tree, read, show};

#[test]
fn an_empty_tree_is_missing_not_wrong() {
    let tree = Tree::empty();
    let mut said = BTreeSet::new();
    for mut source in live() {
        let reading = read(source.as_mut(), &Host::recorded(&tree.root));
        let name = source.name();
        let rows: usize = reading.rows.iter().map(|set| set.len).sum();
        assert_eq!(rows, 0, "{name}: {}", show(&reading));
        assert!(reading.flaws.is_empty(), "{name}: absence is no flaw: {:?}", reading.flaws);
        for missing in &reading.missing {
            assert!(!missing.why.is_empty() && !missing.how.is_empty(), "{name}: {missing:?}");
            said.extend(missing.what.split('.').next().map(str::to_owned));
        }
    }
    for source in live() {
        for def in source.tables() {
            assert!(said.contains(def.name), "nobody says that {} is missing", def.name);
        }
    }
}

/// A generator of numbers (xorshift64): the same damage in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

type Damage = fn(&mut Dice, Vec<u8>) -> Vec<u8>;

const DAMAGES: [(&str, Damage); 8] = [
    ("emptied", |_, _| Vec::new()),
    ("cut off", |dice, mut content| {
        content.truncate(dice.below(content.len()));
        content
    }),
    ("bits flipped", |dice, mut content| {
        for _ in 0..=content.len() / 50 {
            let at = dice.below(content.len());
            if let Some(byte) = content.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
        content
    }),
    ("negative", |_, content| {
        let mut changed = Vec::new();
        let mut last = b' ';
        for byte in content {
            if byte.is_ascii_digit() && !last.is_ascii_alphanumeric() {
                changed.push(b'-');
            }
            changed.push(byte);
            last = byte;
        }
        changed
    }),
    ("absurdly large", |_, content| {
        let large = |byte: u8| if byte.is_ascii_digit() { vec![b'9'; 12] } else { vec![byte] };
        content.into_iter().flat_map(large).collect()
    }),
    ("without blanks", |_, mut content| {
        content.retain(|byte| *byte != b' ' && *byte != b'\t');
        content
    }),
    ("noise", |dice, _| (0..65_536).map(|_| dice.below(256) as u8).collect()),
    ("lines in disorder", |dice, content| {
        let mut lines: Vec<&[u8]> = content.split(|byte| *byte == b'\n').collect();
        for at in (1..lines.len()).rev() {
            lines.swap(at, dice.below(at + 1));
        }
        lines.join(&b'\n')
    }),
];

fn check(recording: &Path, dice: &mut Dice) {
    let tree = Tree::of(&fs::read(recording).expect("the recording"));
    let originals = tree.contents();
    let host = Host::recorded(&tree.root);
    let source_name = recording.parent().and_then(Path::file_name).unwrap_or_default();
    for (damage_name, damage) in DAMAGES {
        for (path, content) in &originals {
            fs::write(path, damage(dice, content.clone())).expect("a file of the tree");
        }
        let mut sources = live();
        let source = sources.iter_mut().find(|source| source.name() == source_name).expect("its source");
        let result = catch_unwind(AssertUnwindSafe(|| read(source.as_mut(), &host)));
        let at = format!("{}, {damage_name}", recording.display());
        let reading: Reading = result.unwrap_or_else(|_| panic!("{at}: panicked"));
        // A garbled file must not fill the memory with complaints.
        assert!(reading.flaws.len() < 5000, "{at}: {} flaws", reading.flaws.len());
    }
}

#[test]
fn damaged_recordings_never_panic() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for source in live() {
        for recording in recordings(source.name()) {
            check(&recording, &mut dice);
        }
    }
}
