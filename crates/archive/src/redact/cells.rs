//! What is left of one text, by what its column holds.

use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Range;

use heldup_model::Holds;

use super::patterns::{Named, Patterns, says_something};
use super::pseudonyms::{Kind, Pseudonyms};
use super::words::Words;

/// Collects names first, then replaces them.
pub(super) struct Cells {
    pub(super) words: Words,
    patterns: Patterns,
    pseudonyms: Pseudonyms,
    /// Answers so far: tables repeat the same texts.
    known: HashMap<(Holds, String), String>,
}

/// A text in parts: what may still name something, and what is done.
enum Piece<'a> {
    Raw(&'a str),
    Done(String),
}

impl Cells {
    pub(super) fn new() -> Result<Cells, String> {
        Ok(Cells {
            words: Words::default(),
            patterns: Patterns::new().map_err(|error| error.to_string())?,
            pseudonyms: Pseudonyms::default(),
            known: HashMap::new(),
        })
    }

    /// Notes names that a text shows to be names.
    pub(super) fn collect(&mut self, holds: Holds, text: &str) {
        match holds {
            Holds::Host => self.words.host(text),
            Holds::Mounted => {
                if let Some(remote) = self.remote(text) {
                    remote.hosts.iter().for_each(|host| self.words.host(host));
                    remote.user.iter().for_each(|user| self.words.user(user));
                }
            }
            Holds::Options => {
                for (name, value) in text.split(',').filter_map(|option| option.split_once('=')) {
                    match option_kind(name) {
                        Some(Kind::User) => self.words.user(value),
                        Some(Kind::Domain) => self.words.domain(value),
                        Some(Kind::Host) => self.words.host(value),
                        _ => {}
                    }
                }
            }
            Holds::Message | Holds::Command => {
                for Named { kind, name, .. } in self.patterns.names(text) {
                    match kind {
                        Kind::User => self.words.user(&name),
                        Kind::Host => self.words.host(&name),
                        Kind::Domain => self.words.domain(&name),
                        _ => {}
                    }
                }
            }
            Holds::Unsaid | Holds::Word | Holds::Name | Holds::Path | Holds::Setting | Holds::Address => {}
        }
        if !matches!(holds, Holds::Unsaid | Holds::Word | Holds::Address) {
            for (_, user) in self.patterns.homes(text) {
                user.into_iter().for_each(|user| self.words.user(user));
            }
        }
    }

    /// What is left of a text.
    pub(super) fn redacted(&mut self, holds: Holds, text: &str) -> String {
        if holds == Holds::Word || text.is_empty() {
            return text.to_owned();
        }
        if let Some(known) = self.known.get(&(holds, text.to_owned())) {
            return known.clone();
        }
        let redacted = match holds {
            Holds::Word => text.to_owned(),
            Holds::Unsaid => self.pseudonyms.of(Kind::Text, text),
            Holds::Name => self.name(text),
            Holds::Path => self.path(text),
            Holds::Setting => self.setting(text),
            Holds::Host => self.host(text),
            Holds::Address => self.address(text),
            Holds::Command => self.command(text),
            Holds::Options => self.options(text),
            Holds::Mounted => self.mounted(text),
            Holds::Message => self.message(text),
        };
        self.known.insert((holds, text.to_owned()), redacted.clone());
        redacted
    }

    fn name(&mut self, text: &str) -> String {
        if let Some(cut) = self.words.cut_off(text) {
            let (start, pseudonym) = (cut.range.start, self.pseudonyms.of(cut.kind, cut.name));
            return self.path(&text[..start]) + &pseudonym;
        }
        self.path(text)
    }

    fn path(&mut self, text: &str) -> String {
        let pieces = self.without_homes(text, true);
        let pieces = self.without_addresses(pieces);
        self.without_words(pieces)
    }

    /// A host called `vm` must not take the name of `vm.swappiness`: what is the kernel's stays.
    fn setting(&mut self, text: &str) -> String {
        let kernels = !text.starts_with("class.net.")
            && !text.starts_with("/sys/class/net/")
            && (text.starts_with("/proc/sys/") || text.starts_with("/sys/") || !text.contains(['/', ' ']));
        if kernels { text.to_owned() } else { self.path(text) }
    }

    /// A host by its name alone, so that it is the same with and without its domain.
    pub(super) fn host(&mut self, text: &str) -> String {
        match text.split_once('.') {
            _ if text == "localhost" => text.to_owned(),
            _ if text.parse::<IpAddr>().is_ok() => self.address(text),
            Some((label, _)) => self.pseudonyms.of(Kind::Host, label),
            None => self.pseudonyms.of(Kind::Host, text),
        }
    }

    fn address(&mut self, text: &str) -> String {
        // Addresses that hold on one link only name its interface behind a percent sign.
        let plain = text.split('%').next().unwrap_or_default().trim_matches(['[', ']']);
        match plain.parse::<IpAddr>().map(|address| address.to_canonical()) {
            Ok(address) if !says_something(address) => text.to_owned(),
            Ok(address) => self.pseudonyms.of(Kind::Address, &address.to_string()),
            Err(_) if text == "*" => text.to_owned(),
            Err(_) => self.pseudonyms.of(Kind::Address, text),
        }
    }

    /// The program stays; its arguments are one pseudonym, so that equal ones stay equal.
    fn command(&mut self, text: &str) -> String {
        let Some((program, arguments)) = text.split_once(char::is_whitespace) else {
            return self.message(text);
        };
        let arguments = self.pseudonyms.of(Kind::Arguments, arguments.trim());
        format!("{} {arguments}", self.message(program))
    }

    fn options(&mut self, text: &str) -> String {
        let options: Vec<String> = text.split(',').map(|option| self.option(option)).collect();
        options.join(",")
    }

    fn option(&mut self, option: &str) -> String {
        let Some((name, value)) = option.split_once('=') else { return self.path(option) };
        let value = match option_kind(name) {
            Some(Kind::Host) if value.parse::<IpAddr>().is_ok() => self.address(value),
            Some(Kind::Host) => self.host(value),
            Some(kind) => self.pseudonyms.of(kind, value),
            None => self.path(value),
        };
        format!("{name}={value}")
    }

    fn mounted(&mut self, text: &str) -> String {
        let Some(remote) = self.remote(text) else { return self.path(text) };
        let hosts: Vec<String> = remote.hosts.iter().map(|host| self.host(host)).collect();
        let user = remote.user.map(|user| self.pseudonyms.of(Kind::User, user) + "@").unwrap_or_default();
        let place = match remote.place.trim_start_matches('/') {
            "" => String::new(),
            _ => self.pseudonyms.of(Kind::Path, text),
        };
        format!("{user}{}{}{}{place}", remote.before, hosts.join(","), remote.between)
    }

    /// Free text.
    pub(super) fn message(&mut self, text: &str) -> String {
        let pieces = self.without_homes(text, false);
        let pieces = self.without_addresses(pieces);
        let pieces = self.without(pieces, |cells, raw| {
            let named = cells.patterns.message(raw);
            named
                .into_iter()
                .map(|Named { range, kind, name }| {
                    let pseudonym = match kind {
                        Kind::Host => cells.host(&name),
                        kind => cells.pseudonyms.of(kind, &name),
                    };
                    (range, pseudonym)
                })
                .collect()
        });
        self.without_words(pieces)
    }

    fn without_addresses<'a>(&mut self, pieces: Vec<Piece<'a>>) -> Vec<Piece<'a>> {
        self.without(pieces, |cells, raw| {
            let named = cells.patterns.addresses(raw);
            named
                .into_iter()
                .map(|named| (named.range, cells.pseudonyms.of(named.kind, &named.name)))
                .collect()
        })
    }

    fn without_words(&mut self, pieces: Vec<Piece<'_>>) -> String {
        let pieces = self.without(pieces, |cells, raw| {
            let found = cells.words.find(raw);
            found
                .into_iter()
                .map(|found| (found.range, cells.pseudonyms.of(found.kind, found.name)))
                .collect()
        });
        let text = pieces.into_iter().map(|piece| match piece {
            Piece::Raw(raw) => raw.to_owned(),
            Piece::Done(done) => done,
        });
        text.collect()
    }

    /// Home folders and what is in them. A path may have blanks, so that it ends where the next one
    /// begins; in a sentence it ends at the first.
    fn without_homes<'a>(&mut self, text: &'a str, is_path: bool) -> Vec<Piece<'a>> {
        self.without(vec![Piece::Raw(text)], |cells, raw| {
            let mut homes: Vec<(Range<usize>, Option<String>)> = Vec::new();
            for (at, _) in raw.match_indices('/') {
                if let Some((home, user)) = cells.words.home_of(&raw[at..]) {
                    homes.push((at..at + home.len(), Some(user.to_owned())));
                }
            }
            let by_form = cells.patterns.homes(raw);
            homes.extend(by_form.into_iter().map(|(range, user)| (range, user.map(str::to_owned))));
            homes.into_iter().map(|(range, user)| cells.home(raw, range, user.as_deref(), is_path)).collect()
        })
    }

    fn home(
        &mut self,
        text: &str,
        range: Range<usize>,
        user: Option<&str>,
        is_path: bool,
    ) -> (Range<usize>, String) {
        let folder = &text[range.clone()];
        let rest = &text[range.end..];
        let length = match is_path {
            true => rest.find(" /").unwrap_or(rest.len()),
            false => rest.find(|c: char| c.is_whitespace() || "\"'()<>;,".contains(c)).unwrap_or(rest.len()),
        };
        let rest = if rest.starts_with('/') { &rest[..length] } else { "" };
        let mut left = match user {
            None => folder.to_owned(),
            // Of a home elsewhere the folders above may name somebody too.
            Some(user) => match folder.strip_suffix(user) {
                Some(above @ ("/home/" | "/run/media/" | "/var/home/" | "/export/home/" | "/usr/home/")) => {
                    format!("{above}{}", self.pseudonyms.of(Kind::User, user))
                }
                _ => format!("/home/{}", self.pseudonyms.of(Kind::User, user)),
            },
        };
        if rest.len() > 1 {
            left.push('/');
            left.push_str(&self.pseudonyms.of(Kind::Path, &format!("{folder}{rest}")));
        }
        (range.start..range.end + rest.len(), left)
    }

    /// The pieces, with what `find` finds in those that are raw replaced. Of what overlaps, the
    /// first counts, then the longest.
    fn without<'a>(
        &mut self,
        pieces: Vec<Piece<'a>>,
        find: impl Fn(&mut Cells, &str) -> Vec<(Range<usize>, String)>,
    ) -> Vec<Piece<'a>> {
        let mut left = Vec::new();
        for piece in pieces {
            let raw = match piece {
                Piece::Raw(raw) => raw,
                done => {
                    left.push(done);
                    continue;
                }
            };
            let mut found = find(self, raw);
            found.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
            let mut at = 0;
            for (range, pseudonym) in found {
                if range.start < at {
                    continue;
                }
                left.push(Piece::Raw(&raw[at..range.start]));
                left.push(Piece::Done(pseudonym));
                at = range.end;
            }
            left.push(Piece::Raw(&raw[at..]));
        }
        left
    }

    fn remote<'a>(&self, text: &'a str) -> Option<Remote<'a>> {
        if let Some(share) = text.strip_prefix("//") {
            let (host, place) = share.split_once('/').unwrap_or((share, ""));
            let between = if share.contains('/') { "/" } else { "" };
            return Some(Remote { user: None, before: "//", hosts: vec![host], between, place });
        }
        let found = self.patterns.remote.captures(text)?;
        let (hosts, place) = (found.get(2)?.as_str(), found.get(3)?.as_str());
        let between = if place.starts_with('/') { ":/" } else { ":" };
        let hosts = hosts.split(',').map(without_port).collect();
        Some(Remote { user: found.get(1).map(|user| user.as_str()), before: "", hosts, between, place })
    }
}

/// A source of a mount that is elsewhere.
struct Remote<'a> {
    user: Option<&'a str>,
    before: &'static str,
    hosts: Vec<&'a str>,
    between: &'static str,
    place: &'a str,
}

/// `10.0.0.1:6789` and `[fe80::1]:6789` without the port.
fn without_port(host: &str) -> &str {
    let bare = match host.rsplit_once(':') {
        Some((bare, port)) if port.chars().all(|c| c.is_ascii_digit()) && !bare.ends_with(':') => {
            if bare.contains(':') && !bare.ends_with(']') { host } else { bare }
        }
        _ => host,
    };
    bare.trim_matches(['[', ']'])
}

/// What the value of a mount option names.
fn option_kind(name: &str) -> Option<Kind> {
    match name {
        "user" | "username" | "cruser" => Some(Kind::User),
        "domain" | "dom" | "workgroup" | "netbiosname" | "servern" => Some(Kind::Domain),
        "pass" | "password" | "password2" | "credentials" | "cred" | "secret" | "secretfile" => {
            Some(Kind::Text)
        }
        "addr" | "clientaddr" | "mountaddr" | "mounthost" | "srcaddr" | "ip" | "server" | "host"
        | "hostname" | "mon_addr" => Some(Kind::Host),
        _ => None,
    }
}
