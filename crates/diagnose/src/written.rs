//! Which file a change's command writes, and what to.
//!
//! Commands are made to be read and typed by people; a program that follows the advice wants
//! the file, and the way back. Two forms of a command say both: `sysctl -w KEY=VALUE` and
//! `echo VALUE > FILE`. Whatever else a command does, nothing is guessed about it.

/// What a command writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: String,
    value: String,
    key: Option<String>,
}

impl Written {
    /// What this command writes; nothing when it has another form.
    pub fn by(command: &str) -> Option<Written> {
        if let Some((key, value)) = command.strip_prefix("sysctl -w ").and_then(|rest| rest.split_once('=')) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            return key.chars().all(plain).then(|| Written {
                path: format!("/proc/sys/{}", key.replace('.', "/")),
                value: value.trim_matches('\'').to_owned(),
                key: Some(key.to_owned()),
            });
        }
        let (value, path) = command.strip_prefix("echo ")?.split_once(" > ")?;
        let is_one_file = path.starts_with('/') && !path.contains(char::is_whitespace);
        is_one_file.then(|| Written { path: path.to_owned(), value: value.to_owned(), key: None })
    }

    /// The command that puts `from` back where this one wrote `to`; nothing when it wrote something
    /// else than the value that people are shown, such as microseconds for a share of a CPU.
    pub fn undone(&self, to: &str, from: &str) -> Option<String> {
        // A value is put into a command line: only what means nothing to a shell.
        let plain = |c: char| c.is_ascii_alphanumeric() || " \t._:,/+-".contains(c);
        if self.value != to || from.is_empty() || !from.chars().all(plain) {
            return None;
        }
        let quote = if from.contains(char::is_whitespace) { "'" } else { "" };
        Some(match &self.key {
            Some(key) => format!("sysctl -w {key}={quote}{from}{quote}"),
            None => format!("echo {from} > {}", self.path),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undone(command: &str, to: &str, from: &str) -> Option<String> {
        Written::by(command)?.undone(to, from)
    }

    #[test]
    fn both_forms_are_read_and_undone() {
        let sem = "sysctl -w kernel.sem='250 32000 32 400'";
        assert_eq!(Written::by(sem).unwrap().path, "/proc/sys/kernel/sem");
        let back = undone(sem, "250 32000 32 400", "250 150 32 400").unwrap();
        assert_eq!(back, "sysctl -w kernel.sem='250 150 32 400'");
        let echo = "echo 128 > /sys/block/sda/queue/read_ahead_kb";
        assert_eq!(Written::by(echo).unwrap().path, "/sys/block/sda/queue/read_ahead_kb");
        assert_eq!(undone(echo, "128", "0").unwrap(), "echo 0 > /sys/block/sda/queue/read_ahead_kb");
    }

    #[test]
    fn nothing_is_guessed_about_other_commands() {
        assert_eq!(Written::by("prlimit --pid 7 --nofile=4096:4096"), None);
        assert_eq!(Written::by("f=$(ls -d /a /b) && echo 5 > $f"), None);
        assert_eq!(Written::by("echo 5 > $f"), None);
        assert_eq!(undone("echo 50000 > /sys/fs/cgroup/a/cpu.max", "0.5", "0.2"), None);
        assert_eq!(undone("echo 1 > /sys/a", "1", "0; reboot"), None);
    }
}
