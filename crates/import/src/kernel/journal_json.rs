//! A line of `journalctl -o json`: an entry of the journal as an object with texts. Pure; knows no message.
//!
//! Texts that are no UTF-8 the journal writes as lists of bytes, those of more than 4 KB as null: such a
//! message is not read.

use crate::kernel::kernel_line::{At, DAEMONS, KernelLine, is_time};
use crate::text::json_text::quoted;

/// What an entry says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    unix_s: Option<f64>,
    host: Option<String>,
    level: Option<usize>,
    is_kernel: bool,
    message: String,
    /// One of [`DAEMONS`], and its message behind its name, as system logs have it.
    daemon: Option<String>,
    told: String,
}

impl Entry {
    /// Takes a line apart; none where it is no entry of a journal.
    pub fn of(line: &str) -> Option<Entry> {
        let text = line.trim();
        if !text.starts_with('{') || !text.contains("\"__REALTIME_TIMESTAMP\"") {
            return None;
        }
        let mut entry = Entry::default();
        let mut rest = text.strip_prefix('{')?;
        while let Some(at) = rest.find('"') {
            let (name, behind) = quoted(&rest[at..])?;
            let behind = behind.trim_start().strip_prefix(':')?.trim_start();
            let (value, behind) = match behind.as_bytes().first()? {
                b'"' => quoted(behind)?,
                // A list of bytes, or of the texts of a name that is there several times.
                b'[' => (String::new(), &behind[behind.find(']')?..]),
                _ => (String::new(), behind),
            };
            entry.set(&name, value);
            rest = behind;
        }
        Some(entry)
    }

    /// Takes a field.
    pub fn set(&mut self, name: &str, value: String) {
        match name {
            "__REALTIME_TIMESTAMP" => {
                self.unix_s = value.parse::<f64>().ok().map(|us| us / 1e6).filter(is_time);
            }
            "_HOSTNAME" => self.host = Some(value),
            "PRIORITY" => self.level = value.parse().ok().filter(|level| *level < 8),
            "_TRANSPORT" | "SYSLOG_IDENTIFIER" => {
                self.is_kernel |= value == "kernel";
                if DAEMONS.contains(&value.as_str()) {
                    self.daemon = Some(value);
                }
            }
            "MESSAGE" => self.message = value,
            _ => return,
        }
        if let Some(daemon) = self.daemon.as_ref().filter(|_| !self.message.is_empty()) {
            self.told = format!("{daemon}: {}", self.message);
        }
    }

    /// The entry as a line of a log; of one that is not the kernel's the text is left out.
    pub fn line(&self) -> KernelLine<'_> {
        let is_daemon = !self.is_kernel && !self.told.is_empty();
        KernelLine {
            at: self.unix_s.map_or(At::Nothing, At::Unix),
            host: self.host.as_deref().filter(|_| self.is_kernel || is_daemon),
            level: self.level,
            caller: None,
            is_kernel: self.is_kernel && !self.message.is_empty(),
            is_daemon,
            text: if self.is_kernel { &self.message } else { &self.told },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_the_kernel() {
        let line = r#"{ "__CURSOR" : "s=1;i=2", "PRIORITY":"3","_HOSTNAME":"web","MESSAGE":"task \"a\\b\" \u0041\r \ud83d\ude00","_TRANSPORT":"kernel","_SELINUX":null,"_N":["a","b"],"__REALTIME_TIMESTAMP":"1795325999250000"}"#;
        let entry = Entry::of(line).expect("an entry");
        assert_eq!(
            entry.line(),
            KernelLine {
                at: At::Unix(1_795_325_999.25),
                host: Some("web"),
                level: Some(3),
                caller: None,
                is_kernel: true,
                is_daemon: false,
                text: "task \"a\\b\" A\r \u{1f600}",
            }
        );
    }

    #[test]
    fn what_is_not_the_kernel_s() {
        let entry = Entry::of(
            r#"{"__REALTIME_TIMESTAMP":"1795325999250000","SYSLOG_IDENTIFIER":"sshd","MESSAGE":"Out of memory: Killed process 7 (a)"}"#,
        );
        let line = entry.as_ref().map(Entry::line);
        assert!(line.is_some_and(|line| !line.is_kernel && line.text.is_empty()));
        let entry = Entry::of(
            r#"{"__REALTIME_TIMESTAMP":"1795325999250000","_HOSTNAME":"web","MESSAGE":"a: sdb - path down","SYSLOG_IDENTIFIER":"multipathd"}"#,
        );
        let line = entry.as_ref().map(Entry::line).expect("an entry");
        assert_eq!(
            (line.is_daemon, line.host, line.text),
            (true, Some("web"), "multipathd: a: sdb - path down")
        );
        let bytes = Entry::of(
            r#"{"__REALTIME_TIMESTAMP":"1","_TRANSPORT":"kernel","MESSAGE":[27,91],"PRIORITY":"6"}"#,
        );
        assert!(bytes.is_some_and(|entry| !entry.line().is_kernel && entry.level == Some(6)));
        for line in ["{", r#"{"MESSAGE":"x"}"#, r#"{"__REALTIME_TIMESTAMP":"1"#, "[1] 2"] {
            assert_eq!(Entry::of(line), None, "{line}");
        }
    }
}
