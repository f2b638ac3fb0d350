//! The files of a control group in one hierarchy.

use std::collections::HashSet;

use heldup_hostfs::{Host, KeptFiles};

use crate::kernel_text::Parsed;
use crate::source::Reading;

/// Files of one group in one hierarchy.
pub struct GroupFiles<'a> {
    /// The machine.
    pub host: &'a Host,
    /// Files that stay open between readings.
    pub kept: &'a mut KeptFiles,
    /// Files that are not there, which are not looked for again.
    pub absent: &'a mut HashSet<String>,
    /// What is read, with its flaws.
    pub reading: &'a mut Reading,
    /// Room for the text of a file.
    pub text: &'a mut Vec<u8>,
    /// Folder of the group.
    pub folder: &'a str,
    /// Whether what somebody sets is read too; else the row has it from the reading before.
    pub with_settings: bool,
    /// Files that were there.
    pub found: usize,
    /// Clock ticks in a second.
    pub ticks_per_s: f64,
}

impl GroupFiles<'_> {
    /// What a file says; none where it is not there, which an older kernel, the root group
    /// and a group that was removed meanwhile have in common.
    pub fn read<T>(&mut self, file: &str, parse: impl Fn(&[u8]) -> Parsed<T>) -> Option<T> {
        let path = format!("{}/{file}", self.folder);
        if self.absent.contains(&path) {
            return None;
        }
        match self.kept.read_record_into(self.host, &path, self.text) {
            Ok(()) => {
                self.found += 1;
                Some(self.reading.take(&path, parse(self.text)))
            }
            Err(error) => {
                if error.is_absent() {
                    self.absent.insert(path);
                }
                None
            }
        }
    }
}
