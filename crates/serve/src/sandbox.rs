//! What the serving process may still do to the machine once it serves: read what it shows, and nothing else.
//!
//! By Landlock, from kernel 5.13 on; on others it serves without. Threads inherit it, so that it is called before the
//! first of them begins. A temporary recorder is another process and began before.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus,
};

/// What is known here of Landlock; an older kernel restricts what it knows.
const KNOWN: ABI = ABI::V5;
/// Zones of time, by their names and by what the machine is set to.
const TIMES: [&str; 3] = ["/usr/share/zoneinfo", "/etc/localtime", "/etc/timezone"];

/// How far the process is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confined {
    /// To reading what is served.
    Fully,
    /// As far as this kernel can.
    Partly,
    /// Not: the kernel has no Landlock.
    Not,
}

impl Confined {
    /// As a sentence.
    pub fn said(self) -> &'static str {
        match self {
            Confined::Fully => "confined by Landlock: it may read what it shows, and nothing else",
            Confined::Partly => "partly confined: this kernel knows an older Landlock",
            Confined::Not => {
                "not confined: this kernel has no Landlock (5.13 or later, CONFIG_SECURITY_LANDLOCK)"
            }
        }
    }
}

/// From now on files below `read` may be read, files in `remove` removed, and nothing else; no connection may be made
/// and no further port be listened at.
pub fn confine(read: &[PathBuf], remove: &[PathBuf]) -> Confined {
    match restricted(read, remove) {
        Ok(RulesetStatus::FullyEnforced) => Confined::Fully,
        Ok(RulesetStatus::PartiallyEnforced) => Confined::Partly,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Confined::Not,
    }
}

fn restricted(read: &[PathBuf], remove: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let readable = AccessFs::ReadFile | AccessFs::ReadDir;
    let times = TIMES.iter().map(Path::new);
    let read = read.iter().map(PathBuf::as_path).chain(times);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .create()?;
    // What is not there cannot be read, now or later.
    for path in read {
        let Ok(place) = PathFd::new(path) else { continue };
        let access = if path.is_dir() { readable } else { AccessFs::ReadFile.into() };
        rules = rules.add_rule(PathBeneath::new(place, access))?;
    }
    for path in remove.iter().filter(|path| path.is_dir()) {
        let Ok(place) = PathFd::new(path) else { continue };
        rules = rules.add_rule(PathBeneath::new(place, AccessFs::RemoveFile))?;
    }
    Ok(rules.restrict_self()?.ruleset)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_not_shown_cannot_be_read_and_nothing_be_written() {
        let base = std::env::temp_dir().join(format!("heldup-sandbox-{}", heldup_hostfs::own_pid()));
        let (shown, other) = (base.join("shown"), base.join("other"));
        for folder in [&shown, &other] {
            fs::create_dir_all(folder).expect("a folder");
            fs::write(folder.join("file"), "text").expect("a file");
        }
        // The restriction is that of this thread.
        let (read, hidden) = (shown.clone(), other.clone());
        let seen = std::thread::spawn(move || {
            let confined = confine(std::slice::from_ref(&read), &[]);
            let writes = fs::write(read.join("file"), "other").is_ok();
            let connects = std::net::TcpListener::bind("127.0.0.1:0").is_ok();
            (
                confined,
                fs::read(read.join("file")).is_ok(),
                fs::read(hidden.join("file")).is_ok(),
                writes,
                connects,
            )
        });
        let (confined, shown, other, writes, binds) = seen.join().expect("no panic");
        fs::remove_dir_all(&base).expect("removed");
        match confined {
            Confined::Fully => assert_eq!((shown, other, writes, binds), (true, false, false, false)),
            Confined::Partly => assert_eq!((shown, other, writes), (true, false, false)),
            Confined::Not => heldup_skip::skipped("the kernel has no Landlock"),
        }
    }
}
