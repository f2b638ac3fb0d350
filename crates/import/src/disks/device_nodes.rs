//! `ls -l /dev`, alone, recursive (as sos keeps it) or of some of its files: numbers of block devices, and what device mapper's
//! names stand for. Everything else that it lists is passed over.

use heldup_model::tables::{DiskRow, PartitionRow};
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "ls -l /dev";
const DISK: &TableDef = DiskRow::DEF;
const PARTITION: &TableDef = PartitionRow::DEF;
/// Where device mapper's names are; since udev as links, before as devices.
const MAPPER: &str = "/dev/mapper";
/// What a name of device mapper leads to.
const MAPPED: &str = "../dm-";
/// Signs of a mode: `brw-rw----`, with one more for an ACL or a context.
const MODE_SIGNS: std::ops::RangeInclusive<usize> = 10..=11;
/// The least number of words before the name: mode, links, owner, two numbers, three of a date.
const BEFORE_NAME: usize = 7;

/// Reads `ls -l /dev`.
#[derive(Default)]
pub struct DeviceNodes {
    /// The last folder that was named, `/dev/mapper:`.
    folder: String,
    when: Option<When>,
}

/// What one line tells.
#[derive(Debug, PartialEq)]
enum Node<'w> {
    /// A block device, with its numbers.
    Block { path: &'w str, major: u32, minor: u32 },
    /// A link, and what it leads to.
    Link { path: &'w str, target: &'w str },
    /// Another file, or a line that counts blocks.
    Other,
}

impl Importer for DeviceNodes {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let [folder] = line.words
            && let Some(folder) = folder.strip_suffix(':').filter(|folder| folder.starts_with("/dev"))
        {
            folder.trim_end_matches('/').clone_into(&mut self.folder);
            return Ok(false);
        }
        if !matches!(node(line.words), Some(Node::Block { .. })) {
            return Ok(false);
        }
        if self.when.is_none() {
            document.begin(NAME);
            self.when = Some(document.moment(NAME));
        }
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((node, when)) = node(line.words).zip(self.when) else { return Ok(false) };
        match node {
            Node::Block { path, major, minor } => {
                let is_mapped = self.is_mapped(path);
                let name = name_of(path);
                let kernel = if is_mapped { format!("dm-{minor}") } else { name.to_owned() };
                let number = format!("{major}:{minor}");
                let row = [("dev_id", Put::Text(&number))];
                put_row(document, DISK, when, Key::Name(&kernel), &row);
                if is_mapped {
                    put_row(document, PARTITION, when, Key::Name(&kernel), &[("dm_name", Put::Text(name))]);
                }
            }
            Node::Link { path, target } if self.is_mapped(path) && target.starts_with(MAPPED) => {
                let row = [("dm_name", Put::Text(name_of(path)))];
                put_row(document, PARTITION, when, Key::Name(target.trim_start_matches("../")), &row);
            }
            Node::Link { .. } | Node::Other => {}
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl DeviceNodes {
    fn is_mapped(&self, path: &str) -> bool {
        match path.rsplit_once('/') {
            Some((folder, _)) => folder == MAPPER,
            None => self.folder == MAPPER,
        }
    }
}

/// The name below `/dev`, as the kernel calls what is there: `sda`, `cciss/c0d0`.
fn name_of(path: &str) -> &str {
    let name = path.strip_prefix(MAPPER).or_else(|| path.strip_prefix("/dev")).unwrap_or(path);
    name.trim_start_matches('/')
}

fn node<'w>(words: &[&'w str]) -> Option<Node<'w>> {
    let mode = words.first()?;
    if matches!(words, ["total", _]) {
        return Some(Node::Other);
    }
    let is_mode = MODE_SIGNS.contains(&mode.len())
        && mode.bytes().skip(1).all(|sign| b"rwxsStT-.+@".contains(&sign))
        && words.len() > BEFORE_NAME;
    let kind = mode.bytes().next().filter(|_| is_mode)?;
    let last = *words.last()?;
    Some(match kind {
        b'b' => {
            let at = words.iter().position(|word| word.ends_with(','))?;
            let major = words.get(at)?.trim_end_matches(',').parse().ok()?;
            Node::Block { path: last, major, minor: words.get(at + 1)?.parse().ok()? }
        }
        b'l' if words.len() > BEFORE_NAME + 2 && words.get(words.len() - 2) == Some(&"->") => {
            Node::Link { path: words.get(words.len() - 3)?, target: last }
        }
        b'-' | b'c' | b'd' | b'l' | b'p' | b's' => Node::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_folder() {
        let check = |line: &str, expect| {
            assert_eq!(node(&line.split_whitespace().collect::<Vec<_>>()), expect, "{line}");
        };
        let sda = |path| Some(Node::Block { path, major: 8, minor: 0 });
        check("brw-rw---- 1 root disk 8, 0 Nov 22 10:00 sda", sda("sda"));
        check("brw-rw----. 1 0 6 8,   0 2026-11-22 10:00 /dev/sda", sda("/dev/sda"));
        check("crw-rw-rw- 1 root root 1, 3 Nov 22 10:00 null", Some(Node::Other));
        let (path, target) = ("rhel-root", "../dm-0");
        check(
            "lrwxrwxrwx. 1 root root 7 Nov 22 10:00 rhel-root -> ../dm-0",
            Some(Node::Link { path, target }),
        );
        check("big disks are 8, 0 and so on, as anybody may say here", None);
        check("brw-rw----", None);
    }
}
