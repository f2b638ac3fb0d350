//! `/proc/self/mountinfo`: what is mounted where. Only the parser: the source `filesystem`
//! asks for sizes, others look for the device below a file and for control groups.

use crate::kernel_text::{ParseError, Parsed, count, fields, lines};

/// One mount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mount {
    /// Number of the mount.
    pub mount_id: Option<i64>,
    /// Number of the mount that it lies on.
    pub parent_id: Option<i64>,
    /// major:minor of the file system.
    pub dev_id: String,
    /// Folder of the file system that is mounted: `/` unless a bind mount or a subvolume.
    pub root: String,
    /// Mount point.
    pub point: String,
    /// Options of the mount.
    pub options: String,
    /// Optional fields, separated by blanks: `shared:2 master:1`.
    pub optional: String,
    /// File system type, with its subtype: `ext4`, `fuse.sshfs`.
    pub fs_type: String,
    /// What is mounted: a device, a server's path, or a word without meaning.
    pub source: String,
    /// Options of the file system.
    pub super_options: String,
}

/// Reads the file; a line that is not as proc(5) has it is left out.
pub fn parse(text: &[u8]) -> Parsed<Vec<Mount>> {
    let mut parsed: Parsed<Vec<_>> = Parsed::default();
    for (number, line) in lines(parsed.whole_lines(text)) {
        match mount(line) {
            Some(mount) => parsed.value.push(mount),
            None => parsed.error(ParseError::new(number, "mount", line, MOUNT_FIELDS)),
        }
    }
    parsed
}

const MOUNT_FIELDS: &str = "six fields, optional ones, \"-\", type, source and options";

fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = fields(line);
    let (mount_id, parent_id) = (count(fields.next()?), count(fields.next()?));
    let mut next = || fields.next().map(unescape);
    let mut mount = Mount {
        mount_id,
        parent_id,
        dev_id: next()?,
        root: next()?,
        point: next()?,
        options: next()?,
        ..Mount::default()
    };
    let mut optional = Vec::new();
    loop {
        match fields.next()? {
            b"-" => break,
            field => optional.push(unescape(field)),
        }
    }
    mount.optional = optional.join(" ");
    mount.fs_type = fields.next().map(unescape)?;
    // A source may be an empty string, which leaves two blanks beside each other: then the
    // options are the last field that there is.
    let rest: Vec<&[u8]> = fields.take(2).collect();
    if let [source, options, ..] = rest[..] {
        mount.source = unescape(source);
        mount.super_options = unescape(options);
    } else {
        mount.super_options = rest.first().copied().map(unescape)?;
    }
    Some(mount)
}

/// Undoes the kernel's `\040` for blanks, tabs, newlines, `#` and backslashes in paths.
pub(crate) fn unescape(field: &[u8]) -> String {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, after)) = rest.split_first() {
        let octal = (first == b'\\').then(|| after.get(..3).and_then(octal_byte)).flatten();
        bytes.push(octal.unwrap_or(first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn octal_byte(digits: &[u8]) -> Option<u8> {
    let value = digits.iter().try_fold(0u16, |sum, digit| {
        matches!(digit, b'0'..=b'7').then(|| sum * 8 + u16::from(digit - b'0'))
    })?;
    u8::try_from(value).ok()
}

/// The mount that a path lies on: the longest mount point above it, the last one if several.
pub fn mount_of<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    let above = |mount: &&Mount| {
        let rest = path.strip_prefix(mount.point.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    mounts.iter().filter(above).max_by_key(|mount| mount.point.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_unescaped() {
        for (field, expected) in [
            ("/mnt/my\\040disk", "/mnt/my disk"),
            ("/a\\134b", "/a\\b"),
            ("/cut\\04", "/cut\\04"),
            ("/no\\999", "/no\\999"),
            ("/over\\777", "/over\\777"),
        ] {
            assert_eq!(unescape(field.as_bytes()), expected);
        }
    }

    #[test]
    fn optional_fields_may_be_absent_or_many() {
        let text = b"22 27 0:21 / /proc rw - proc proc rw\n\
            36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue\n\
            40 27 0:40 / /srv rw shared:9 - tmpfs  rw,size=4k\n";
        let parsed = parse(text);
        assert_eq!(parsed.errors, []);
        let mounts: Vec<_> =
            parsed.value.iter().map(|m| (m.point.as_str(), m.fs_type.as_str(), m.source.as_str())).collect();
        assert_eq!(
            mounts,
            [("/proc", "proc", "proc"), ("/mnt2", "ext3", "/dev/root"), ("/srv", "tmpfs", "")]
        );
        assert_eq!(parsed.value[1].root, "/mnt1");
        assert_eq!((parsed.value[1].mount_id, parsed.value[1].parent_id), (Some(36), Some(35)));
        assert_eq!(
            (parsed.value[0].optional.as_str(), parsed.value[1].optional.as_str()),
            ("", "master:1 shared:2")
        );
        assert_eq!(parsed.value[2].super_options, "rw,size=4k");
    }

    #[test]
    fn a_garbled_line_is_named_and_the_rest_is_read() {
        let parsed = parse(b"22 27 0:21 / /proc rw proc\n23 27 0:22 / /sys rw - sysfs sysfs rw\n");
        assert_eq!(parsed.value.len(), 1);
        assert_eq!(parsed.errors[0].line, 1);
    }

    #[test]
    fn the_deepest_mount_holds_a_path() {
        let at = |point: &str| Mount { point: point.into(), ..Mount::default() };
        let mounts = [at("/"), at("/var"), at("/var/lib"), at("/variable")];
        let point = |path| mount_of(&mounts, path).map(|mount| mount.point.as_str());
        assert_eq!(point("/var/lib/db/x"), Some("/var/lib"));
        assert_eq!(point("/variant"), Some("/"));
        assert_eq!(point("/var"), Some("/var"));
    }
}
