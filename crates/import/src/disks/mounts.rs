//! `mount` of Linux, the BSDs, Solaris and HP-UX, and `findmnt`: what is mounted where, how.
//!
//! Those of Linux print the options of a mount and of its file system in one. Columns of `findmnt` beside the four that it
//! prints by itself are left out.

use std::borrow::Cow;

use heldup_model::Record;
use heldup_model::tables::MountRow;

use crate::disks::df::kernel_name;
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const MOUNT: &str = "mount";
const FINDMNT: &str = "findmnt";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;
/// Headings of `findmnt`.
const HEADINGS: [&str; 4] = ["TARGET", "SOURCE", "FSTYPE", "OPTIONS"];

/// Reads mounts.
#[derive(Default)]
pub struct Mounts {
    listing: Option<(&'static str, When)>,
    last_line: u64,
    rows: u64,
}

struct Mount<'t> {
    source: &'t str,
    mount: &'t str,
    /// Solaris and HP-UX do not tell it.
    fs_type: Option<&'t str>,
    /// Separated by commas.
    options: Cow<'t, str>,
}

impl Importer for Mounts {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let row = mount(line.text).or_else(|| mount_of_bsd(line.text)).or_else(|| mount_of_unix(line.text));
        let format = match row {
            Some(_) => MOUNT,
            None if line.words == HEADINGS => FINDMNT,
            None => return Ok(false),
        };
        let goes_on = self.listing.is_some_and(|(listed, _)| listed == MOUNT && format == MOUNT);
        if !goes_on || line.number > self.last_line + MOST_GAP {
            self.ends(document)?;
            document.begin(format);
            self.listing = Some((format, document.moment(format)));
        }
        self.last_line = line.number;
        if let Some(row) = row {
            self.write(&row, document);
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let is_near = line.number <= self.last_line + MOST_GAP;
        let Some((FINDMNT, _)) = self.listing.filter(|_| is_near) else { return Ok(false) };
        let tree = ['├', '└', '─', '│', '`', '-', '|'];
        let words: Vec<&str> = line
            .words
            .iter()
            .map(|word| word.trim_start_matches(tree))
            .skip_while(|word| word.is_empty())
            .collect();
        let [target, source, fs_type, options] = words[..] else {
            if !words.first().is_some_and(|word| word.starts_with('/')) {
                return Ok(false);
            }
            document.flaw(
                line.number,
                format!("findmnt: {} words; expected {}", words.len(), HEADINGS.join(" ")),
            );
            self.last_line = line.number;
            return Ok(true);
        };
        if !target.starts_with('/') {
            return Ok(false);
        }
        self.last_line = line.number;
        let options = Cow::Borrowed(options);
        self.write(&Mount { source, mount: target, fs_type: Some(fs_type), options }, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some((format, _)) => document.end_sample(format),
            None => Ok(()),
        }
    }
}

impl Mounts {
    fn write(&mut self, row: &Mount<'_>, document: &mut Document) {
        let Some((_, when)) = self.listing else { return };
        self.rows += 1;
        let mut cells = vec![
            ("mount", Put::Text(row.mount)),
            ("source", Put::Text(row.source)),
            ("options", Put::Text(&row.options)),
            (
                "read_only",
                Put::Is(row.options.split(',').any(|it| matches!(it, "ro" | "read-only" | "read only"))),
            ),
        ];
        cells.extend(row.fs_type.map(|fs_type| ("fs_type", Put::Text(fs_type))));
        let device = kernel_name(row.source);
        if device != row.source {
            cells.push(("device", Put::Text(device)));
        }
        // Several may lie upon each other at one place.
        put(document, MountRow::DEF, when, &format!("{} {}", self.rows, row.mount), &cells);
    }
}

/// `/dev/sda1 on / type ext4 (rw,relatime)`, and behind it perhaps a label in brackets.
fn mount(text: &str) -> Option<Mount<'_>> {
    let (source, rest) = text.trim().split_once(" on ")?;
    let (rest, options) = rest.rsplit_once(" (")?;
    let (mount, fs_type) = rest.rsplit_once(" type ")?;
    let (options, label) = options.split_once(')')?;
    let is_one = mount.starts_with('/')
        && !source.is_empty()
        // Of a report that joins lines of df and of mount.
        && !source.contains("% ")
        && !fs_type.contains(' ')
        && (label.is_empty() || label.trim_start().starts_with('['))
        && options.split(',').any(|option| matches!(option, "rw" | "ro"));
    is_one.then_some(Mount { source, mount, fs_type: Some(fs_type), options: options.into() })
}

/// `/dev/ada0p2 on / (ufs, local, soft-updates)`.
fn mount_of_bsd(text: &str) -> Option<Mount<'_>> {
    let (source, rest) = text.trim().split_once(" on ")?;
    let (mount, options) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    let (fs_type, options) = options.split_once(", ")?;
    let is_word = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_known = options.split(", ").any(|option| {
        matches!(
            option,
            "local"
                | "nfs"
                | "read-only"
                | "noatime"
                | "nosuid"
                | "journaled"
                | "soft-updates"
                | "automounted"
        )
    });
    let is_one = is_known && mount.starts_with('/') && !source.contains(' ') && is_word(fs_type);
    is_one.then(|| Mount {
        source,
        mount,
        fs_type: Some(fs_type),
        options: options.replace(", ", ",").into(),
    })
}

/// `/export on /dev/dsk/c0t0d0s7 read/write/setuid/logging on Sat Nov 21 10:11:20 2009`, with commas on HP-UX: the mount
/// comes first.
fn mount_of_unix(text: &str) -> Option<Mount<'_>> {
    let (mount, rest) = text.trim().split_once(" on ")?;
    let (rest, since) = rest.rsplit_once(" on ")?;
    let (source, options) = rest.split_once(' ')?;
    let since: Vec<&str> = since.split_whitespace().collect();
    let [day, month, number, time, year] = since[..] else { return None };
    let is_date = day.len() == 3
        && month.len() == 3
        && number.parse::<u32>().is_ok_and(|number| number <= 31)
        && time.split(':').count() == 3
        && year.len() == 4
        && year.parse::<u32>().is_ok();
    if !is_date || !mount.starts_with('/') {
        return None;
    }
    let options = match options.contains(',') {
        true => Cow::Borrowed(options),
        // Of Solaris `read/write` is one.
        false => {
            Cow::Owned(options.replacen("read/write", "rw", 1).replace('/', ",").replace("read only", "ro"))
        }
    };
    Some(Mount { source, mount, fs_type: None, options })
}

#[cfg(test)]
mod tests {
    use super::mount;

    #[test]
    fn mounts_are_told_from_prose() {
        let check = |line: &str| {
            mount(line).map(|it| [it.source, it.mount, it.fs_type.unwrap_or(""), &it.options].join("|"))
        };
        assert_eq!(
            check("/dev/sda1 on / type ext4 (rw,relatime) [root]").as_deref(),
            Some("/dev/sda1|/|ext4|rw,relatime")
        );
        assert_eq!(
            check("//nas/My Files on /mnt/My Files type cifs (rw,vers=2.1)").as_deref(),
            Some("//nas/My Files|/mnt/My Files|cifs|rw,vers=2.1")
        );
        for line in
            ["it went on / of type ext4 (fast)", "/dev/disk1 on / (apfs, local)", "a on /b type c d (rw)"]
        {
            assert_eq!(check(line), None, "{line}");
        }
    }
}
