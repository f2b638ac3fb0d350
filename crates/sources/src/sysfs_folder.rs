//! One folder of `/sys` with a value in each file.
//!
//! A file that is not there, or whose driver answers an error (EAGAIN and ENODATA of sensors
//! that sleep), is none; one with something else in it than expected is a flaw.

use heldup_hostfs::{Host, SmallFiles};
use heldup_model::Text;

use crate::kernel_text::{ParseError, count, signed};
use crate::source::Reading;

/// What Linux writes where a driver cannot tell (`<unknown>`, `<unsupported>`), in angle brackets.
const UNTOLD: u8 = b'<';

/// A folder and the buffer that its files are read into.
#[derive(Debug)]
pub struct SysfsFolder<'h> {
    files: SmallFiles<'h>,
    text: Vec<u8>,
}

impl<'h> SysfsFolder<'h> {
    /// A folder by its path.
    pub fn new(host: &'h Host, path: String) -> SysfsFolder<'h> {
        SysfsFolder { files: host.values_in(path), text: Vec::new() }
    }

    fn read(&mut self, file: &str) -> Option<&[u8]> {
        self.files.read_into(file, &mut self.text).ok()?;
        Some(self.text.trim_ascii())
    }

    fn number(&mut self, reading: &mut Reading, file: &str, parse: fn(&[u8]) -> Option<i64>) -> Option<i64> {
        let field = self.read(file)?;
        if field.first() == Some(&UNTOLD) {
            return None;
        }
        let number = parse(field);
        if number.is_none() {
            let error = ParseError::new(1, "value", field, "a whole number");
            reading.flaws.push(error.in_file(&format!("{}/{file}", self.files.path().display())));
        }
        number
    }

    /// A number that is not negative.
    pub fn count(&mut self, reading: &mut Reading, file: &str) -> Option<i64> {
        self.number(reading, file, count)
    }

    /// A number with a sign or without.
    pub fn signed(&mut self, reading: &mut Reading, file: &str) -> Option<i64> {
        self.number(reading, file, signed)
    }

    /// Text; none of an empty file.
    pub fn word(&mut self, file: &str) -> Option<Text> {
        let text = self.read(file)?;
        let told = !text.is_empty() && text[0] != UNTOLD;
        told.then(|| String::from_utf8_lossy(text).as_ref().into())
    }
}

/// At most `most` of the items, evenly chosen; all where there are no more.
pub fn evenly<T: Clone>(items: &[T], most: usize) -> Vec<T> {
    if items.len() <= most {
        return items.to_vec();
    }
    (0..most).map(|at| items[at * items.len() / most].clone()).collect()
}

/// Numbers of names such as `cpu12` in a folder, ascending.
pub fn numbered(names: &[String], prefix: &str) -> Vec<i64> {
    let number = |name: &String| count(name.strip_prefix(prefix)?.as_bytes());
    let mut numbers: Vec<i64> = names.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_chosen_items_reach_from_one_end_to_the_other() {
        let all: Vec<i64> = (0..4096).collect();
        let some = evenly(&all, 128);
        assert_eq!((some.len(), some[0], some[1], some[127]), (128, 0, 32, 4064));
        assert_eq!(evenly(&all[..5], 128), [0, 1, 2, 3, 4]);
        assert_eq!(evenly(&all[..5], 4), [0, 1, 2, 3]);
    }

    #[test]
    fn numbers_of_names() {
        let names = ["cpu10", "cpu2", "cpufreq", "cpu", "power"].map(str::to_owned);
        assert_eq!(numbered(&names, "cpu"), [2, 10]);
    }
}
