//! Entries of the journal that are printed over many lines: `journalctl -o export` (`KEY=value`, from `__CURSOR=` on) and
//! `-o json-pretty` (`"KEY" : "value",` between braces). Pure; knows no message.

use crate::kernel::journal_json::Entry;
use crate::text::json_text::quoted;

/// What a line was.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// A line of no entry.
    Not,
    /// A line of an entry that goes on.
    Within,
    /// The last line of an entry, of which this was the first.
    Ended(u64, Entry),
    /// The first line of the next entry; the one before it, and its first line.
    Next(u64, Entry),
}

/// Gathers the lines of entries.
#[derive(Debug, Default)]
pub struct Entries {
    open: Option<(Form, u64, Entry)>,
    /// The last line that was a brace and nothing else.
    brace_line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Export,
    Pretty,
}

impl Entries {
    /// Takes a line.
    pub fn take(&mut self, text: &str, number: u64) -> Taken {
        let text = text.trim();
        match (text.as_bytes().first(), &mut self.open) {
            (Some(b'_'), open) if text.starts_with("__CURSOR=") => {
                match open.replace((Form::Export, number, Entry::default())) {
                    Some((_, line, entry)) => Taken::Next(line, entry),
                    None => Taken::Within,
                }
            }
            (Some(b'{'), None) if text == "{" => {
                self.brace_line = number;
                Taken::Not
            }
            (Some(b'"'), None) if self.brace_line > 0 && number == self.brace_line + 1 => {
                let Some((name, value)) = pair(text).filter(|(name, _)| is_key(name)) else {
                    return Taken::Not;
                };
                let mut entry = Entry::default();
                entry.set(&name, value);
                self.open = Some((Form::Pretty, number, entry));
                Taken::Within
            }
            (_, None) => Taken::Not,
            (_, Some((Form::Export, _, entry))) => match text.split_once('=') {
                Some((name, value)) if is_key(name) => {
                    entry.set(name, value.to_owned());
                    Taken::Within
                }
                // A field whose value has line ends is a name alone, and then bytes that are passed over.
                _ if is_key(text) => Taken::Within,
                _ => self.close(),
            },
            (Some(b'}'), Some((Form::Pretty, ..))) => self.close(),
            (_, Some((Form::Pretty, _, entry))) => {
                if let Some((name, value)) = pair(text) {
                    entry.set(&name, value);
                }
                Taken::Within
            }
        }
    }

    /// The entry that was open, where the file ends or something else begins.
    pub fn close(&mut self) -> Taken {
        self.open.take().map_or(Taken::Not, |(_, line, entry)| Taken::Ended(line, entry))
    }
}

/// `"KEY" : "value",`; no value where it is a list or null.
fn pair(text: &str) -> Option<(String, String)> {
    let (name, behind) = quoted(text)?;
    let value = behind.trim_start().strip_prefix(':')?.trim_start();
    let value = if value.starts_with('"') { quoted(value)?.0 } else { String::new() };
    Some((name, value))
}

/// Names of fields are of capital letters, digits and underscores; those of the journal's own begin with one.
fn is_key(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.bytes().all(is_letter) && (name.contains('_') || matches!(name, "MESSAGE" | "PRIORITY"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::kernel_line::{At, KernelLine};

    /// Every entry of a text, with its first line.
    fn entries(text: &str) -> Vec<(u64, Entry)> {
        let (mut entries, mut found) = (Entries::default(), Vec::new());
        // Empty lines are offered to nobody.
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        for (at, line) in lines {
            match entries.take(line, at as u64 + 1) {
                Taken::Ended(line, entry) | Taken::Next(line, entry) => found.push((line, entry)),
                Taken::Not | Taken::Within => {}
            }
        }
        if let Taken::Ended(line, entry) = entries.close() {
            found.push((line, entry));
        }
        found
    }

    const SAID: KernelLine<'_> = KernelLine {
        at: At::Unix(1_342_540_861.416_351),
        host: Some("epsilon"),
        level: Some(6),
        caller: None,
        is_kernel: true,
        is_daemon: false,
        text: "cfg80211: a=b",
    };

    #[test]
    fn entries_of_an_export() {
        let text = "__CURSOR=s=739ad463348b4ceca5a9e69c95a3c93f;i=4ece7\n__REALTIME_TIMESTAMP=1342540861416351\n\
            PRIORITY=6\n_TRANSPORT=kernel\n_HOSTNAME=epsilon\nMESSAGE=cfg80211: a=b\n\n\
            __CURSOR=s=739ad463348b4ceca5a9e69c95a3c93f;i=4ece8\n__REALTIME_TIMESTAMP=1342540861421465\n\
            _TRANSPORT=syslog\nMESSAGE=not the kernel\n";
        let found = entries(text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 8]);
        assert_eq!(found[0].1.line(), SAID);
        assert!(!found[1].1.line().is_kernel);
    }

    #[test]
    fn entries_of_pretty_json() {
        let text = "{\n\t\"_HOSTNAME\" : \"epsilon\",\n\t\"PRIORITY\" : \"6\",\n\t\"_TRANSPORT\" : \"kernel\",\n\
            \t\"_N\" : [\n\t\t\"a\",\n\t\t\"b\"\n\t],\n\t\"MESSAGE\" : \"cfg80211: a=b\",\n\
            \t\"__REALTIME_TIMESTAMP\" : \"1342540861416351\"\n}\n";
        let found = entries(&text.repeat(2));
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].0, found[0].1.line()), (2, SAID));
    }

    #[test]
    fn other_texts_are_no_entries() {
        for text in [
            "{\n\"name\": \"x\"\n}\n",
            "KEY=value\n_X=1\n",
            "\"MESSAGE\" : \"x\"\n",
            "{ \"MESSAGE\" : \"x\" }\n",
        ] {
            assert_eq!(entries(text), [], "{text}");
        }
    }
}
