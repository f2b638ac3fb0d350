//! What names somebody by its form: addresses, homes, users and hosts in what the kernel logs.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use regex::Regex;

use super::pseudonyms::Kind;

/// The patterns, compiled.
#[derive(Debug)]
pub(super) struct Patterns {
    hardware: Regex,
    named_by_hardware: Regex,
    six: Regex,
    four: Regex,
    homes: Regex,
    /// Those of [`MESSAGES`], then those of [`ANYBODY`].
    messages: Vec<(Kind, Regex)>,
    /// `[user@]host[:port][,host]:path`.
    pub(super) remote: Regex,
}

/// Part of a text that names something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    pub(super) name: String,
}

/// Fields that name users, hosts and arguments in audit records, and phrases of the kernel, of its
/// file systems and of systemd, which logs there while it starts. The first bracket is the name.
const MESSAGES: [(Kind, &str); 8] = [
    (Kind::User, r#"(?i)\b(?:user|username|acct|ruser|login|owner)=["']?([^\s"',;)]+)"#),
    (Kind::User, r"(?i)\bsession \S+ of user ([\w.-]*\w)"),
    (Kind::Host, r#"(?i)\b(?:host|hostname|rhost|server)=["']?([^\s"',;)]+)"#),
    (Kind::Domain, r#"(?i)\b(?:domain|workgroup)=["']?([^\s"',;)]+)"#),
    (Kind::Host, r"(?i)\bnfs: server ([\w.-]*\w)"),
    (Kind::Host, r"\bHostname set to <([^>]+)>"),
    (Kind::Host, r"\\\\([\w.-]+)\\"),
    (Kind::Arguments, r"\b(?:proctitle|cmdline|cmd|a\d+)=(\S+)"),
];

/// Where a host or a user is named that may be anybody's: the word is not looked for elsewhere.
/// A host in an address of the web; user and host as ssh and mail write them, which units of
/// systemd (`getty@tty1.service`) are not.
const ANYBODY: [(Kind, &str); 2] = [
    (Kind::Host, r"\b[a-z][a-z0-9+]*://(?:[^/\s@]*@)?([\w-][\w.-]*)"),
    (Kind::User, r"\b([\w.+-]+)@([\w-]+(?:\.[\w-]+)+)"),
];
const UNITS: [&str; 9] =
    [".service", ".socket", ".slice", ".scope", ".mount", ".target", ".timer", ".device", ".path"];

impl Patterns {
    pub(super) fn new() -> Result<Patterns, regex::Error> {
        let mut messages = Vec::new();
        for (kind, pattern) in MESSAGES.into_iter().chain(ANYBODY) {
            messages.push((kind, Regex::new(pattern)?));
        }
        Ok(Patterns {
            // Six bytes and more: InfiniBand's has twenty, and netfilter logs two and a type in one.
            hardware: Regex::new(r"(?i)\b(?:[0-9a-f]{2}[:-]){5,}[0-9a-f]{2}\b")?,
            // systemd.net-naming-scheme: interfaces that have no better name.
            named_by_hardware: Regex::new(r"(?i)\b(?:enx|wlx|wwx|slx|ibx)([0-9a-f]{12})")?,
            six: Regex::new(r"[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")?,
            four: Regex::new(r"\d{1,3}(?:\.\d{1,3}){3}")?,
            homes: Regex::new(
                r#"(?:/var|/export|/usr)?/home/([^/\s:;,"'()<>]+)|/run/media/([^/\s]+)|/root\b"#,
            )?,
            messages,
            remote: Regex::new(r"^(?:([^@/\s]+)@)?([\w.\-,:\[\]]*[\w\]]):(/.*|[\w.-]+)$")?,
        })
    }

    /// Addresses in a text, not sorted.
    pub(super) fn addresses(&self, text: &str) -> Vec<Named> {
        let named = |range: Range<usize>, name: String| Named { range, kind: Kind::Address, name };
        let mut all: Vec<Named> = Vec::new();
        for found in self.hardware.find_iter(text) {
            all.push(named(found.range(), found.as_str().to_lowercase().replace('-', ":")));
        }
        for digits in self.named_by_hardware.captures_iter(text).filter_map(|found| found.get(1)) {
            let bytes: Vec<&str> = (0..6).map(|at| &digits.as_str()[2 * at..2 * at + 2]).collect();
            all.push(named(digits.range(), bytes.join(":").to_lowercase()));
        }
        for found in self.six.find_iter(text) {
            if let Some((range, address)) = six_within(text, found.range()) {
                all.push(named(range, address));
            }
        }
        for found in self.four.find_iter(text) {
            let digit_before = text[..found.start()].ends_with(|c: char| c.is_ascii_digit());
            let digit_after = text[found.end()..].starts_with(|c: char| c.is_ascii_digit());
            let bytes: Vec<u8> = found.as_str().split('.').filter_map(|part| part.parse().ok()).collect();
            if let (false, false, &[a, b, c, d]) = (digit_before, digit_after, bytes.as_slice())
                && let address = Ipv4Addr::new(a, b, c, d)
                && says_something(IpAddr::V4(address))
            {
                all.push(named(found.range(), address.to_string()));
            }
        }
        all
    }

    /// Home folders in a text: where they stand, how long what names the folder is, and whose it is
    /// (none: root's).
    pub(super) fn homes<'a>(&self, text: &'a str) -> Vec<(Range<usize>, Option<&'a str>)> {
        let homes = self.homes.captures_iter(text).filter_map(|found| {
            let user = found.get(1).or_else(|| found.get(2)).map(|user| user.as_str());
            Some((found.get(0)?.range(), user))
        });
        homes.collect()
    }

    /// Names in a message of the log that are worth looking for elsewhere too.
    pub(super) fn names(&self, text: &str) -> Vec<Named> {
        named(&self.messages[..MESSAGES.len()], text)
    }

    /// All names in a message of the log, not sorted.
    pub(super) fn message(&self, text: &str) -> Vec<Named> {
        named(&self.messages, text)
    }
}

fn named(patterns: &[(Kind, Regex)], text: &str) -> Vec<Named> {
    let mut all = Vec::new();
    for (kind, pattern) in patterns {
        for found in pattern.captures_iter(text) {
            let whole = found.get(0).map(|whole| whole.as_str()).unwrap_or_default();
            if found.len() > 2 && UNITS.iter().any(|unit| whole.ends_with(unit)) {
                continue;
            }
            let kinds = [*kind, Kind::Host];
            for (group, kind) in found.iter().skip(1).zip(kinds) {
                if let Some(group) =
                    group.filter(|group| kind == Kind::Arguments || says_a_name(group.as_str()))
                {
                    all.push(Named { range: group.range(), kind, name: group.as_str().to_owned() });
                }
            }
        }
    }
    all
}

/// An address of the sixth version within a run of its characters, which may begin or end with
/// some that are not of it (`IPv6:fe80::1:`).
fn six_within(text: &str, range: Range<usize>) -> Option<(Range<usize>, String)> {
    let after = text[range.end..].chars().next();
    let end = range.start + text[range.clone()].trim_end_matches(['.']).len();
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    if end == range.end && after.is_some_and(in_word) {
        return None;
    }
    let mut starts = vec![range.start];
    starts.extend(text[range.clone()].match_indices(':').map(|(at, _)| range.start + at + 1));
    for start in starts {
        if text[..start].chars().next_back().is_some_and(in_word) {
            continue;
        }
        for end in [end, end.saturating_sub(1)] {
            let Some(candidate) = text.get(start..end) else { continue };
            if let Ok(address) = candidate.parse::<Ipv6Addr>() {
                let address = IpAddr::V6(address).to_canonical();
                return says_something(address).then(|| (start..end, address.to_string()));
            }
        }
    }
    None
}

/// Loopback, no address, and masks are the same on every machine.
pub(super) fn says_something(address: IpAddr) -> bool {
    let mask = matches!(address, IpAddr::V4(four) if four.octets()[0] == 255);
    !(address.is_loopback() || address.is_unspecified() || mask)
}

/// What stands where a name would: `(none)`, `?`, a number.
fn says_a_name(text: &str) -> bool {
    let none = ["none", "null", "unset", "unknown", "root", "localhost"].contains(&text);
    !none && text.chars().any(char::is_alphabetic) && !text.starts_with('(')
}
