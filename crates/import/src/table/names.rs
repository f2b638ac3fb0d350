//! Names of things and words of columns, each kept once and known by a number.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use heldup_model::Text;

use crate::table::sheets::Key;

/// Numbers of things that are numbers themselves have this bit, those of two parts the next lower one.
const IS_NUMBER: u32 = 1 << 31;
const IS_PAIR: u32 = 1 << 30;

/// Every name that a recording has told.
#[derive(Debug)]
pub struct Names {
    names: Vec<Text>,
    numbers: HashMap<Text, u32>,
    /// Which name came after each the last time: things stand in the same order sample for sample.
    after: Vec<u32>,
    last: u32,
    /// Things that are not told by a name or a small number alone.
    pairs: HashMap<(u32, i64), u32, Mixed>,
}

impl Default for Names {
    fn default() -> Names {
        let none: Text = Arc::from("");
        Names {
            numbers: HashMap::from([(none.clone(), 0)]),
            names: vec![none],
            after: vec![0],
            last: 0,
            pairs: HashMap::default(),
        }
    }
}

impl Names {
    /// The number of a name.
    pub fn number(&mut self, name: &str) -> u32 {
        let next = self.after.get(self.last as usize).copied().unwrap_or(0);
        for guess in [next, self.last] {
            if self.names.get(guess as usize).is_some_and(|there| **there == *name) {
                self.last = guess;
                return guess;
            }
        }
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let (text, number): (Text, u32) = (Arc::from(name), self.names.len() as u32);
            self.names.push(text.clone());
            self.after.push(number);
            self.numbers.insert(text, number);
            number
        });
        if let Some(after) = self.after.get_mut(self.last as usize) {
            *after = number;
        }
        self.last = number;
        number
    }

    /// The name of a number.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", |name| &**name)
    }

    /// The number of a thing among all of its table, and that of its name.
    pub fn thing(&mut self, key: Key<'_>) -> (u32, Option<u32>) {
        match key {
            Key::Host | Key::All => (0, None),
            Key::Number(number) | Key::Nth(number) => match u32::try_from(number) {
                Ok(small) if small < IS_PAIR => (IS_NUMBER | small, None),
                _ => (self.pair(0, number), None),
            },
            Key::Name(name) | Key::Identity(name) => {
                let name = self.number(name);
                (name, Some(name))
            }
            Key::NameOn(name, number) => {
                let name = self.number(name);
                (self.pair(name, number), Some(name))
            }
        }
    }

    fn pair(&mut self, name: u32, number: i64) -> u32 {
        let next = IS_PAIR | self.pairs.len() as u32;
        *self.pairs.entry((name, number)).or_insert(next)
    }
}

/// Hashes numbers that a recording's order or its tool has given, of which nobody can make collisions that
/// hurt more than a large file does.
#[derive(Debug, Default)]
pub struct Mixer(u64);

/// Maps with such keys.
pub type Mixed = BuildHasherDefault<Mixer>;

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The table takes its place from both ends.
        self.0 ^ self.0 >> 29
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(26) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_has_a_number_of_its_own() {
        let mut names = Names::default();
        let keys = [
            Key::Host,
            Key::Number(0),
            Key::Number(1),
            Key::Number(-1),
            Key::Number(i64::MAX),
            Key::Number(1 << 30),
            Key::Name("a"),
            Key::Name("b"),
            Key::NameOn("a", 0),
            Key::NameOn("a", 1),
            Key::NameOn("b", 0),
        ];
        let numbers: Vec<u32> = keys.iter().map(|key| names.thing(*key).0).collect();
        let again: Vec<u32> = keys.iter().map(|key| names.thing(*key).0).collect();
        assert_eq!(numbers, again);
        for (at, number) in numbers.iter().enumerate() {
            assert!(!numbers[..at].contains(number), "{:?}", keys[at]);
        }
    }

    #[test]
    fn names_keep_their_numbers_in_any_order() {
        let mut names = Names::default();
        let order = ["sda", "sdb", "sda", "sda", "sdc", "", "sdb", "sda"];
        let numbers: Vec<u32> = order.iter().map(|name| names.number(name)).collect();
        for (name, number) in order.iter().zip(&numbers) {
            assert_eq!(names.name(*number), *name);
            assert_eq!(names.number(name), *number);
        }
    }
}
