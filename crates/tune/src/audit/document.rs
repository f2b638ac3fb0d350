//! Files of settings that somebody brings along, read line by line whatever system they are of.

use crate::outlived::System;

/// A line that gives a setting a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenLine {
    /// From 1.
    pub line: usize,
    /// The setting as it stands there.
    pub name: String,
    /// The value, one blank between words.
    pub value: String,
}

/// What a file says.
#[derive(Clone, Debug)]
pub struct Document {
    /// Whose settings they are.
    pub system: System,
    /// Whether it is what a tool listed of a running machine (`sysctl -a`), and nobody's choice.
    pub is_listing: bool,
    /// Its assignments.
    pub lines: Vec<GivenLine>,
    /// Lines that are neither assignments nor known to mean something else.
    pub malformed: Vec<(usize, String)>,
}

/// So many assignments without one comment are what a tool listed.
const LISTING: usize = 200;

/// Reads a file. Which system it is of follows from its lines: `set` and comments with `*` are of
/// Solaris, names without dots of AIX, others of Linux.
pub fn read(text: &str) -> Document {
    let said = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    let system = system_of(said.clone());
    let mut document = Document { system, is_listing: false, lines: Vec::new(), malformed: Vec::new() };
    let mut comments = 0;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty()
            || line.starts_with(['#', ';'])
            || (system != System::Linux && line.starts_with('*'))
        {
            comments += usize::from(!line.is_empty());
            continue;
        }
        match assignments(system, line) {
            Some(given) => document.lines.extend(given.into_iter().map(|(name, value)| GivenLine {
                line: at + 1,
                name,
                value: value.split_whitespace().collect::<Vec<_>>().join(" "),
            })),
            None => document.malformed.push((at + 1, line.to_owned())),
        }
    }
    document.is_listing = comments == 0 && document.lines.len() >= LISTING;
    document
}

/// Words with which lines of `/etc/system` begin, besides `set`.
const SYSTEM_WORDS: [&str; 6] = ["exclude:", "forceload:", "include:", "moddir:", "rootdev:", "rootfs:"];

fn system_of<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> System {
    let solaris = |line: &str| {
        line.starts_with("set ")
            || line.starts_with('*')
            || line.starts_with("ndd ")
            || SYSTEM_WORDS.iter().any(|word| line.starts_with(word))
    };
    if lines.clone().any(solaris) {
        return System::Solaris;
    }
    let names: Vec<&str> = lines.filter_map(|line| Some(line.split_once('=')?.0.trim())).collect();
    let dotless = |name: &&str| {
        AIX_COMMANDS.iter().any(|command| name.starts_with(command)) || !name.contains(['.', '/'])
    };
    if !names.is_empty() && names.iter().all(dotless) { System::Aix } else { System::Linux }
}

const AIX_COMMANDS: [&str; 5] = ["ioo ", "nfso ", "no ", "schedo ", "vmo "];

/// What a line assigns; an empty list where it says something else, none where it says nothing known.
fn assignments(system: System, line: &str) -> Option<Vec<(String, String)>> {
    match system {
        System::Solaris => of_system(line),
        System::Aix => of_aix(line),
        System::Linux => of_sysctl(line),
    }
}

/// `set module:name=value` (also `set name = value`, and bits: `|`, `&`), `ndd -set /dev/tcp name value`.
fn of_system(line: &str) -> Option<Vec<(String, String)>> {
    if SYSTEM_WORDS.iter().any(|word| line.starts_with(word)) {
        return Some(Vec::new());
    }
    if let Some(rest) = line.strip_prefix("ndd ") {
        let mut words = rest.split_whitespace();
        let ("-set", device, name, value) = (words.next()?, words.next()?, words.next()?, words.next()?)
        else {
            return None;
        };
        let module = device.strip_prefix("/dev/").unwrap_or(device);
        return Some(vec![(format!("{module}:{name}"), value.to_owned())]);
    }
    let rest = line.strip_prefix("set ")?;
    let at = rest.find(['=', '|', '&'])?;
    let (name, value) = (rest[..at].trim(), rest[at + 1..].trim());
    let value = value.split('*').next().unwrap_or_default().trim();
    (!name.is_empty() && !value.is_empty()).then(|| vec![(name.to_owned(), value.to_owned())])
}

/// `name = value` of `vmo -a`, `-o name=value` of the commands, stanzas of `/etc/tunables`.
fn of_aix(line: &str) -> Option<Vec<(String, String)>> {
    if AIX_COMMANDS.iter().any(|command| line.starts_with(command)) {
        let options: Vec<&str> = line.split_whitespace().collect();
        let given =
            options.windows(2).filter(|pair| pair[0] == "-o").filter_map(|pair| pair[1].split_once('='));
        return Some(given.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
    }
    if line.ends_with(':') {
        return Some(Vec::new());
    }
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches('"');
    (!name.trim().is_empty()).then(|| vec![(name.trim().to_owned(), value.to_owned())])
}

/// `name = value` of sysctl.conf(5) and `sysctl -a`; `sysctl -w name=value` and
/// `echo value > /proc/sys/name` of scripts.
fn of_sysctl(line: &str) -> Option<Vec<(String, String)>> {
    if let Some(rest) = line.strip_prefix("sysctl ") {
        let given = rest.split_whitespace().filter(|word| !word.starts_with('-'));
        let pairs = given.filter_map(|word| word.split_once('='));
        return Some(pairs.map(|(name, value)| (name.to_owned(), unquoted(value))).collect());
    }
    if let Some((said, path)) = line.strip_prefix("echo ").and_then(|rest| rest.split_once('>')) {
        let path = path.trim_start_matches('>').split_whitespace().next()?;
        let known = path.starts_with("/proc/") || path.starts_with("/sys/");
        return known.then(|| vec![(path.to_owned(), unquoted(said.trim().trim_start_matches("-n ")))]);
    }
    let lenient = line.strip_prefix('-');
    match lenient.unwrap_or(line).split_once('=') {
        Some((name, value)) if !name.trim().is_empty() && !name.trim().contains(' ') => {
            Some(vec![(name.trim().to_owned(), value.trim().to_owned())])
        }
        // A name by itself is left out of globs.
        None if lenient.is_some() => Some(Vec::new()),
        _ => None,
    }
}

fn unquoted(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(text: &str) -> (System, Vec<(usize, String, String)>, Vec<usize>) {
        let read = read(text);
        let lines = read.lines.into_iter().map(|line| (line.line, line.name, line.value)).collect();
        (read.system, lines, read.malformed.into_iter().map(|(line, _)| line).collect())
    }

    fn line(at: usize, name: &str, value: &str) -> (usize, String, String) {
        (at, name.to_owned(), value.to_owned())
    }

    #[test]
    fn files_of_linux() {
        let text = "# ours\nvm.swappiness=10\n-net/ipv4/tcp_rmem = 4096\t87380  6291456\n-vm.x\nwhat is this\n\
                    sysctl -w vm.dirty_ratio=40\necho 1 > /proc/sys/vm/overcommit_memory\n";
        let lines = vec![
            line(2, "vm.swappiness", "10"),
            line(3, "net/ipv4/tcp_rmem", "4096 87380 6291456"),
            line(6, "vm.dirty_ratio", "40"),
            line(7, "/proc/sys/vm/overcommit_memory", "1"),
        ];
        assert_eq!(given(text), (System::Linux, lines, vec![5]));
    }

    #[test]
    fn files_of_solaris() {
        let text = "* ours\nset shmsys:shminfo_shmmax=4294967295\nset maxusers = 40\nforceload: sys/shmsys\n\
                    set moddebug & ~0x880\nndd -set /dev/tcp tcp_xmit_hiwat 65536\nnonsense\n";
        let lines = vec![
            line(2, "shmsys:shminfo_shmmax", "4294967295"),
            line(3, "maxusers", "40"),
            line(5, "moddebug", "~0x880"),
            line(6, "tcp:tcp_xmit_hiwat", "65536"),
        ];
        assert_eq!(given(text), (System::Solaris, lines, vec![7]));
    }

    #[test]
    fn lists_of_aix() {
        let text =
            "vmo:\n\tminperm% = \"20\"\n     maxclient% = 80\nvmo -p -o lru_file_repage=1 -o minfree=960\n";
        let lines = vec![
            line(2, "minperm%", "20"),
            line(3, "maxclient%", "80"),
            line(4, "lru_file_repage", "1"),
            line(4, "minfree", "960"),
        ];
        assert_eq!(given(text), (System::Aix, lines, vec![]));
    }

    #[test]
    fn what_a_tool_listed_is_nobodys_choice() {
        let listing: String = (0..300).map(|at| format!("net.ipv4.x{at} = 1\n")).collect();
        assert!(read(&listing).is_listing && !read(&format!("# ours\n{listing}")).is_listing);
        assert!(!read("vm.swappiness = 60\n").is_listing);
    }
}
