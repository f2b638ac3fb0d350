//! Variables and built-in functions of tuned's profiles: `${name}` and `${f:name:argument:…}`.

use heldup_hostfs::Host;
use regex::RegexBuilder;

use super::Note;
use super::cpus;

/// Values of variables, and what came up while they were expanded.
pub struct Variables<'a> {
    host: &'a Host,
    known: Vec<(String, String)>,
    /// What was not done or went wrong: text without a place, which whoever asks adds.
    said: Vec<String>,
    /// An assertion that failed: tuned would not load the profile.
    pub failed: Option<String>,
}

impl<'a> Variables<'a> {
    /// None yet.
    pub fn new(host: &'a Host) -> Variables<'a> {
        Variables { host, known: Vec::new(), said: Vec::new(), failed: None }
    }

    /// The same variables, of which nothing has come up yet.
    pub fn again(&self) -> Variables<'a> {
        Variables { known: self.known.clone(), ..Variables::new(self.host) }
    }

    /// Defines a variable; what it is made of is known already, or stays as it stands.
    pub fn define(&mut self, name: &str, value: &str) {
        let value = self.expand(value);
        self.known.retain(|(known, _)| known != name);
        self.known.push((name.to_owned(), value));
    }

    /// What came up since this was last asked, at a place.
    pub fn notes_at(&mut self, place: &str) -> Vec<Note> {
        let said = std::mem::take(&mut self.said);
        said.into_iter().map(|what| Note { place: place.to_owned(), what }).collect()
    }

    /// A text with its variables and functions replaced; what is unknown stays as it stands.
    pub fn expand(&mut self, text: &str) -> String {
        let text = self.with_variables(text);
        self.with_functions(&text)
    }

    /// Variables in one pass: a value is not expanded again. `\${name}` becomes `${name}`.
    fn with_variables(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at(at);
            let name = from[2..].split('}').next().unwrap_or_default();
            let is_name = from.len() > name.len() + 2 && is_word(name);
            let escaped = before.ends_with('\\');
            let known = self.known.iter().find(|(known, _)| is_name && known == name);
            match (escaped, is_name, known) {
                (true, true, _) => {
                    out.push_str(&before[..before.len() - 1]);
                    out.push_str(&from[..name.len() + 3]);
                    rest = &from[name.len() + 3..];
                }
                (false, true, Some((_, value))) => {
                    out.push_str(before);
                    out.push_str(value);
                    rest = &from[name.len() + 3..];
                }
                _ => {
                    out.push_str(before);
                    out.push_str("${");
                    rest = &from[2..];
                }
            }
        }
        out + rest
    }

    /// Functions from the inside out. `\${f:…}` becomes `${f:…}`.
    fn with_functions(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let mut open: Vec<(usize, bool)> = Vec::new();
        let mut at = 0;
        while let Some(next) = text[at..].find(['$', '}']).map(|found| at + found) {
            at = next + 1;
            if text[next..].starts_with("${") {
                open.push((next, text[..next].ends_with('\\')));
            } else if text[next..].starts_with('}')
                && let Some((from, escaped)) = open.pop()
                && !escaped
                && let Some(value) = self.call(&text[from..next])
            {
                text.replace_range(from..=next, &value);
                at = from + value.len();
            }
        }
        text.replace(r"\${f:", "${f:")
    }

    /// The value of `${f:name:arguments` without its last brace; none where it is left as it stands.
    fn call(&mut self, text: &str) -> Option<String> {
        let mut words = split_at_colons(text.strip_prefix("${f:")?).into_iter();
        let name = words.next()?;
        let arguments: Vec<String> = words.collect();
        let value = self.function(&name, &arguments);
        if value.is_none() && !matches!(name.as_str(), "assertion" | "assertion_non_equal" | "exec") {
            self.said.push(format!("unknown function {name}, or wrong arguments"));
        }
        value
    }

    fn function(&mut self, name: &str, arguments: &[String]) -> Option<String> {
        let first = arguments.first().map(String::as_str).unwrap_or_default();
        let list = || cpus::unpacked(&arguments.join(",,"));
        match (name, arguments.len()) {
            ("cpulist2hex", 1..) => Some(cpus::mask(&list())),
            ("cpulist2hex_invert", 1..) => Some(cpus::mask(&self.inverted(&list()))),
            ("cpulist_invert", 1..) => Some(cpus::listed(&self.inverted(&list()))),
            ("cpulist_online" | "cpulist_present", 1..) => {
                let there = cpus::of_kernel(self.host, name.trim_start_matches("cpulist_"));
                let kept: Vec<u32> = list().into_iter().filter(|cpu| there.contains(cpu)).collect();
                Some(cpus::listed(&kept))
            }
            ("cpulist_pack", 1..) => Some(cpus::packed(&list())),
            ("cpulist_unpack", 1..) => Some(cpus::listed(&list())),
            ("cpulist2devs", 1..) => {
                Some(list().iter().map(|cpu| format!("cpu{cpu}")).collect::<Vec<_>>().join(","))
            }
            ("hex2cpulist", 1) => {
                let mask = format!("0x{}", first.trim_start_matches("0x"));
                Some(cpus::listed(&cpus::unpacked(&mask)))
            }
            ("calc_isolated_cores", 0) => Some(cpus::listed(&cpus::isolated(self.host, 1))),
            ("calc_isolated_cores", 1) => Some(cpus::listed(&cpus::isolated(self.host, first.parse().ok()?))),
            ("kb2s", 1) => Some((first.trim().parse::<i64>().ok()? * 2).to_string()),
            // As Python rounds: to the even number.
            ("s2kb", 1) => Some((first.trim().parse::<f64>().ok()? / 2.0).round_ties_even().to_string()),
            ("strip", 1..) => Some(arguments.concat().trim().to_owned()),
            ("regex_search_ternary", 4) => {
                let found = self.finds(&arguments[1], first)?;
                Some(arguments[if found { 2 } else { 3 }].clone())
            }
            ("cpuinfo_check", 2..) => self.cpuinfo_check(arguments),
            ("check_net_queue_count", 1) => {
                Some(match first.chars().all(|c| c.is_ascii_digit()) && !first.is_empty() {
                    true => first.to_owned(),
                    false => cpus::of_kernel(self.host, "online").len().to_string(),
                })
            }
            ("virt_check", 2) => Some(arguments[usize::from(!self.is_guest())].clone()),
            ("assertion" | "assertion_non_equal", 3) => {
                if (arguments[1] == arguments[2]) != (name == "assertion") {
                    let what = format!("assertion failed: {first} ({:?})", arguments[1]);
                    self.failed.get_or_insert(what);
                }
                None
            }
            ("exec", _) => {
                self.said.push(format!("not run: {}", arguments.join(" ")));
                None
            }
            _ => None,
        }
    }

    fn inverted(&self, list: &[u32]) -> Vec<u32> {
        let online = cpus::of_kernel(self.host, "online");
        online.into_iter().filter(|cpu| !list.contains(cpu)).collect()
    }

    fn cpuinfo_check(&mut self, arguments: &[String]) -> Option<String> {
        let cpuinfo = self.host.read_text("/proc/cpuinfo").unwrap_or_default();
        for pair in arguments.chunks_exact(2) {
            if self.finds(&pair[0], &cpuinfo)? {
                return Some(pair[1].clone());
            }
        }
        let rest = arguments.chunks_exact(2).remainder();
        Some(rest.first().cloned().unwrap_or_default())
    }

    /// Whether an expression matches anywhere in a text; none where it is none.
    pub fn finds(&mut self, expression: &str, text: &str) -> Option<bool> {
        match RegexBuilder::new(expression).multi_line(true).build() {
            Ok(regex) => Some(regex.is_match(text)),
            Err(_) => {
                self.said.push(format!("invalid expression {expression:?}"));
                None
            }
        }
    }

    /// Whether this is a guest: what a hypervisor tells its CPUs, or the kernel of it.
    fn is_guest(&self) -> bool {
        let cpuinfo = self.host.read_text("/proc/cpuinfo").unwrap_or_default();
        let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
        flags.is_some_and(|line| line.split_whitespace().any(|flag| flag == "hypervisor"))
            || self.host.exists("/sys/hypervisor/type")
    }
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Parts between colons; `\:` is a colon of a part.
fn split_at_colons(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, parts.last_mut()) {
            ('\\', Some(part)) if characters.peek() == Some(&':') => {
                characters.next();
                part.push(':');
            }
            (':', _) => parts.push(String::new()),
            (c, Some(part)) => part.push(c),
            (_, None) => {}
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A machine of four CPUs in two packages.
    fn machine(name: &str) -> std::path::PathBuf {
        let root = std::env::temp_dir().join(format!("heldup-tuned-{name}-{}", std::process::id()));
        let cpu = root.join("sys/devices/system/cpu");
        for number in 0..4 {
            let topology = cpu.join(format!("cpu{number}/topology"));
            fs::create_dir_all(&topology).expect("folders");
            fs::write(topology.join("physical_package_id"), format!("{}\n", number / 2)).expect("a file");
        }
        fs::write(cpu.join("online"), "0-3\n").expect("a file");
        fs::create_dir_all(root.join("proc")).expect("a folder");
        fs::write(root.join("proc/cpuinfo"), "vendor_id : X\nmodel name : AMD\nflags : fpu hypervisor\n")
            .expect("a file");
        root
    }

    #[test]
    fn variables_and_functions() {
        let root = machine("expand");
        let host = Host::recorded(&root);
        let mut variables = Variables::new(&host);
        variables.define("isolated", "1-2");
        variables.define("again", "${isolated},3");
        let cases = [
            ("a ${isolated} b", "a 1-2 b"),
            ("${again}", "1-2,3"),
            (r"\${isolated}", "${isolated}"),
            ("${unknown}", "${unknown}"),
            ("${f:cpulist_unpack:${isolated}}", "1,2"),
            ("${f:cpulist2hex:${f:cpulist_invert:${isolated}}}", "00000009"),
            ("${f:cpulist2hex_invert:1-2}", "00000009"),
            ("${f:calc_isolated_cores:1}", "1,3"),
            ("${f:strip: x }", "x"),
            ("${f:s2kb:9}", "4"),
            ("${f:kb2s:4}", "8"),
            ("${f:virt_check:guest:metal}", "guest"),
            (r"${f:regex_search_ternary:1-3:\d:yes:no}", "yes"),
            (r"${f:cpuinfo_check:model name\s+\:.*AMD:amd:other}", "amd"),
            ("${f:cpuinfo_check:nothing:a:other}", "other"),
            ("${f:check_net_queue_count:${netdev_queue_count}}", "4"),
            ("${f:no_such:1}", "${f:no_such:1}"),
            ("a } b", "a } b"),
        ];
        for (text, expected) in cases {
            assert_eq!(variables.expand(text), expected, "{text}");
        }
        assert!(variables.failed.is_none());
        variables.expand("${f:assertion:both are the same:1:2}");
        assert!(variables.failed.as_deref().is_some_and(|what| what.contains("both are the same")));
        assert_eq!(variables.notes_at("f:1").len(), 1, "the unknown function");
        let _ = fs::remove_dir_all(root);
    }

    #[test]
    fn nothing_is_run() {
        let root = machine("exec");
        let host = Host::recorded(&root);
        let mut variables = Variables::new(&host);
        assert_eq!(variables.expand("${f:exec:mktemp:-d}"), "${f:exec:mktemp:-d}");
        assert!(variables.notes_at("f:1")[0].what.contains("mktemp -d"));
        let _ = fs::remove_dir_all(root);
    }
}
