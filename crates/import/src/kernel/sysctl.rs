//! `sysctl -a`, and files of settings: lines `key = value`. One such line may be a program's; two near each other, or one
//! below the command, are not.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "sysctl";
/// Lines between the first two, comments among them.
const MOST_GAP: u64 = 20;
/// Folders of `/proc/sys`: no other file of settings has a key that begins so.
const FOLDERS: [&str; 9] = ["abi", "crypto", "debug", "dev", "fs", "kernel", "net", "sunrpc", "vm"];

/// Keys that no program has for a thing of its own: of these a line counts alone.
const OWN: [&str; 10] = [
    "fs.aio-max-nr",
    "fs.file-max",
    "kernel.pid_max",
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.threads-max",
    "vm.nr_hugepages",
    "vm.swappiness",
];

/// Reads settings.
#[derive(Default)]
pub struct Sysctl {
    when: Option<When>,
    /// A first line, which the next may prove to be one.
    pending: Option<(u64, String, String)>,
    /// The line before was a command of this name.
    is_called: bool,
    /// Lines so far: one that is all of a file needs no other.
    lines: u64,
}

impl Importer for Sysctl {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.lines += 1;
        let Some((key, value)) = setting(line.words) else { return Ok(false) };
        let is_called = std::mem::take(&mut self.is_called);
        let before = self.pending.take().filter(|(number, ..)| line.number <= number + MOST_GAP);
        if self.when.is_none() && before.is_none() && !is_called && !OWN.contains(&key) {
            self.pending = Some((line.number, key.to_owned(), value));
            return Ok(false);
        }
        if let Some((_, key, value)) = before {
            document.take_held(1);
            self.write(&key, &value, document);
        }
        self.write(key, &value, document);
        Ok(true)
    }

    fn command(&mut self, words: &[&str]) {
        self.is_called = words.iter().any(|word| word.ends_with("sysctl"));
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some((_, key, value)) = self.pending.take().filter(|_| self.lines == 1) {
            self.write(&key, &value, document);
        }
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Sysctl {
    fn write(&mut self, key: &str, value: &str, document: &mut Document) {
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(NAME);
                *self.when.insert(document.moment(NAME))
            }
        };
        let cells = [("setting_key", Put::Text(key)), ("setting_value", Put::Text(value))];
        put(document, SettingRow::DEF, when, key, &cells);
    }
}

/// Key and value of a line.
fn setting<'w>(words: &[&'w str]) -> Option<(&'w str, String)> {
    let [key, "=", value @ ..] = words else { return None };
    let (folder, rest) = key.split_once('.')?;
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b':');
    let is_key = FOLDERS.contains(&folder) && !rest.is_empty() && key.bytes().all(is_plain);
    // A statement of a program ends with its sign.
    let is_value = value.last().is_none_or(|last| !last.ends_with(';'));
    (is_key && is_value).then(|| (*key, value.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::setting;

    #[test]
    fn settings_are_told_from_prose() {
        let check = |line: &str| {
            setting(&line.split_whitespace().collect::<Vec<_>>()).map(|(key, value)| format!("{key}={value}"))
        };
        assert_eq!(check("kernel.sem = 250 32000 100 128").as_deref(), Some("kernel.sem=250 32000 100 128"));
        assert_eq!(
            check("net.ipv4.conf.eth0/1.rp_filter = 0").as_deref(),
            Some("net.ipv4.conf.eth0/1.rp_filter=0")
        );
        for line in [
            "Free swap = 4kB",
            "x.y = 1",
            "kernel. = 1",
            "vm.swappiness=10",
            "kernel (vm.x) = 1",
            "fs.readFile = newAPI;",
        ] {
            assert_eq!(check(line), None, "{line}");
        }
    }
}
