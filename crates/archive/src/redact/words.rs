//! Names as words of a text: of hosts, domains and users.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::known::KnownNames;
use super::pseudonyms::Kind;

/// Words from this length are replaced inside other words too (`jdoe` is not in `jdoes`, `janedoe`
/// is in `janedoes`): shorter ones are found by accident.
const LEAST_INSIDE: usize = 5;
/// Shorter ones are no words: a host `a` would be found in every path.
const LEAST: usize = 2;
/// Names that say nothing, or that every machine has.
const COMMON: [&str; 17] = [
    "localhost",
    "localdomain",
    "local",
    "lan",
    "home",
    "internal",
    "arpa",
    "none",
    "unknown",
    "root",
    "nobody",
    "broadcasthost",
    "com",
    "net",
    "org",
    "test",
    "example",
];
/// Longest comm: the kernel cuts it there, in the middle of a name.
const LONGEST_COMM: usize = 15;

/// The words, and what they are found with once all are known.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// By word, in small letters: what it names, and under which name.
    entries: BTreeMap<String, (Kind, String)>,
    /// Home folders by path, and whose.
    homes: BTreeMap<String, String>,
    finder: Option<(AhoCorasick, Vec<(Kind, String)>)>,
}

/// Where a word stands, and what it names.
pub(super) struct Found<'a> {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
    pub(super) name: &'a str,
}

impl Words {
    /// Takes in what a machine knows.
    pub(super) fn learn(&mut self, known: &KnownNames) {
        known.hosts.iter().for_each(|name| self.host(name));
        known.domains.iter().for_each(|name| self.domain(name));
        known.users.iter().for_each(|name| self.user(name));
        self.homes.extend(known.homes.iter().cloned());
    }

    /// A host: its name alone, the whole, and its domain.
    pub(super) fn host(&mut self, name: &str) {
        let name = name.trim().trim_end_matches('.');
        if name.parse::<IpAddr>().is_ok() {
            return;
        }
        let (label, domain) = name.split_once('.').unwrap_or((name, ""));
        if !is_word(label) {
            return;
        }
        self.add(name, Kind::Host, label);
        self.add(label, Kind::Host, label);
        self.domain(domain);
    }

    /// A domain, and those above it but for the last part.
    pub(super) fn domain(&mut self, name: &str) {
        let mut name = name.trim().trim_matches('.');
        if is_word(name) {
            self.add(name, Kind::Domain, name);
        }
        while let Some((_, above)) = name.split_once('.') {
            name = above;
            if above.contains('.') {
                self.add(above, Kind::Domain, above);
            }
        }
    }

    /// A user, by login name or full name.
    pub(super) fn user(&mut self, name: &str) {
        if is_word(name.trim()) {
            self.add(name.trim(), Kind::User, name.trim());
        }
    }

    fn add(&mut self, word: &str, kind: Kind, name: &str) {
        self.entries.entry(word.to_lowercase()).or_insert_with(|| (kind, name.to_lowercase()));
    }

    /// No further word comes.
    pub(super) fn close(&mut self) -> Result<(), String> {
        let finder = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(self.entries.keys())
            .map_err(|error| format!("{} names are too many: {error}", self.entries.len()))?;
        self.finder = Some((finder, self.entries.values().cloned().collect()));
        Ok(())
    }

    /// The words in a text, from left to right.
    pub(super) fn find(&self, text: &str) -> Vec<Found<'_>> {
        let Some((finder, named)) = &self.finder else { return Vec::new() };
        let (mut all, mut at) = (Vec::new(), 0);
        while let Some(found) = finder.find(Input::new(text).range(at..)) {
            let range = found.range();
            if range.len() < LEAST_INSIDE && !stands_alone(text, &range) {
                at = range.start + 1;
                continue;
            }
            at = range.end;
            let (kind, name) = &named[found.pattern().as_usize()];
            all.push(Found { range, kind: *kind, name });
        }
        all
    }

    /// The name whose beginning ends a text that was cut.
    pub(super) fn cut_off<'a>(&'a self, text: &str) -> Option<Found<'a>> {
        if text.len() != LONGEST_COMM {
            return None;
        }
        let starts = text.char_indices().map(|(at, _)| at).take_while(|at| at + LEAST_INSIDE <= text.len());
        starts.into_iter().find_map(|at| {
            let tail = text[at..].to_lowercase();
            let (_, (kind, name)) =
                self.entries.range(tail.clone()..).next().filter(|(word, _)| word.starts_with(&tail))?;
            Some(Found { range: at..text.len(), kind: *kind, name })
        })
    }

    /// The longest home folder that a text begins with, and whose it is.
    pub(super) fn home_of<'a>(&'a self, text: &str) -> Option<(&'a str, &'a str)> {
        let below = |home: &str| {
            text.strip_prefix(home).is_some_and(|rest| {
                !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '-' | '.'))
            })
        };
        let homes = self.homes.iter().filter(|(home, _)| below(home));
        homes.max_by_key(|(home, _)| home.len()).map(|(home, user)| (home.as_str(), user.as_str()))
    }
}

fn is_word(name: &str) -> bool {
    let common = COMMON.iter().any(|common| name.eq_ignore_ascii_case(common));
    let letters = name.chars().any(char::is_alphabetic);
    let shape = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' '));
    name.chars().count() >= LEAST && letters && shape && !common && !name.starts_with("ip6-")
}

fn stands_alone(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    ![before, after].into_iter().flatten().any(char::is_alphanumeric)
}
