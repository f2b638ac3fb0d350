//! Numbers for names, in the order in which they are met.

use std::collections::HashMap;

/// What a pseudonym stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Host,
    Domain,
    User,
    Address,
    Arguments,
    Path,
    Text,
}

impl Kind {
    fn prefix(self) -> &'static str {
        match self {
            Kind::Host => "host",
            Kind::Domain => "domain",
            Kind::User => "user",
            Kind::Address => "addr",
            Kind::Arguments => "args",
            Kind::Path => "path",
            Kind::Text => "text",
        }
    }
}

/// Pseudonyms given so far.
#[derive(Debug, Default)]
pub(super) struct Pseudonyms {
    given: HashMap<(Kind, String), usize>,
    last: HashMap<Kind, usize>,
}

impl Pseudonyms {
    /// The pseudonym of a text. Hosts, users and addresses are the same in capitals.
    pub(super) fn of(&mut self, kind: Kind, text: &str) -> String {
        let text = match kind {
            Kind::Arguments | Kind::Path | Kind::Text => text.to_owned(),
            Kind::Host | Kind::Domain | Kind::User | Kind::Address => text.to_lowercase(),
        };
        let last = self.last.entry(kind).or_default();
        let number = self.given.entry((kind, text)).or_insert_with(|| {
            *last += 1;
            *last
        });
        format!("{}-{number}", kind.prefix())
    }
}
