//! `sysctl -a`, and files of settings: lines `key = value`.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "sysctl";
/// Folders of `/proc/sys`: no other file of settings has a key that begins so.
const FOLDERS: [&str; 9] = ["abi", "crypto", "debug", "dev", "fs", "kernel", "net", "sunrpc", "vm"];

/// Reads settings.
#[derive(Default)]
pub struct Sysctl {
    when: Option<When>,
}

impl Importer for Sysctl {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((key, value)) = setting(line.words) else { return Ok(false) };
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(NAME);
                *self.when.insert(document.moment(NAME))
            }
        };
        let cells = [("setting_key", Put::Text(key)), ("setting_value", Put::Text(&value))];
        put(document, SettingRow::DEF, when, key, &cells);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

/// Key and value of a line.
fn setting<'w>(words: &[&'w str]) -> Option<(&'w str, String)> {
    let [key, "=", value @ ..] = words else { return None };
    let (folder, rest) = key.split_once('.')?;
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b'@' | b':');
    let is_key = FOLDERS.contains(&folder) && !rest.is_empty() && key.bytes().all(is_plain);
    is_key.then(|| (*key, value.join(" ")))
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
        for line in ["Free swap = 4kB", "x.y = 1", "kernel. = 1", "vm.swappiness=10", "kernel (vm.x) = 1"] {
            assert_eq!(check(line), None, "{line}");
        }
    }
}
