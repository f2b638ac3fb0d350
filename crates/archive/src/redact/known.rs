//! Names that a machine knows: its own, those of its users and of the hosts it has written down.

use heldup_hostfs::Host;

/// First number of ordinary users; below are the system's own, whose names say nothing
/// (login.defs: UID_MIN).
const FIRST_USER: u32 = 1000;
/// `nobody`, on every distribution.
const NOBODY: u32 = 65534;

/// Names that a machine knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// Host names, with domain or without.
    pub hosts: Vec<String>,
    /// Domains that names are searched in.
    pub domains: Vec<String>,
    /// Ordinary users.
    pub users: Vec<String>,
    /// Home folders of ordinary users, and whose.
    pub homes: Vec<(String, String)>,
}

impl KnownNames {
    /// The names that this machine knows. What cannot be read is not known; a directory of users
    /// on the network is not asked.
    pub fn of(host: &Host) -> KnownNames {
        let text = |path: &str| host.read_text(path).unwrap_or_default();
        let mut known = KnownNames::default();
        known.hosts.extend([text("/proc/sys/kernel/hostname"), text("/etc/hostname")]);
        known.domains.push(text("/proc/sys/kernel/domainname"));
        known.read_hosts(&text("/etc/hosts"));
        known.read_resolver(&text("/etc/resolv.conf"));
        known.read_users(&text("/etc/passwd"));
        for home in host.list("/home").unwrap_or_default() {
            known.homes.push((format!("/home/{home}"), home.clone()));
            known.users.push(home);
        }
        known
    }

    /// Lines of `/etc/hosts`: an address and its names.
    fn read_hosts(&mut self, text: &str) {
        for line in text.lines().map(|line| line.split('#').next().unwrap_or_default()) {
            self.hosts.extend(line.split_whitespace().skip(1).map(str::to_owned));
        }
    }

    /// `search` and `domain` of `/etc/resolv.conf`.
    fn read_resolver(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            if matches!(words.next(), Some("search" | "domain")) {
                self.domains.extend(words.map(str::to_owned));
            }
        }
    }

    /// Lines of `/etc/passwd`: `name:x:uid:gid:full name:home:shell`.
    fn read_users(&mut self, text: &str) {
        for line in text.lines() {
            let fields: Vec<&str> = line.split(':').collect();
            let [name, _, uid, _, full_name, home, ..] = fields.as_slice() else { continue };
            let Ok(uid) = uid.parse::<u32>() else { continue };
            if uid < FIRST_USER || uid == NOBODY {
                continue;
            }
            self.users.push((*name).to_owned());
            // The full name stands before room and telephone.
            self.users.extend(full_name.split(',').next().map(str::to_owned));
            if home.matches('/').count() > 1 {
                self.homes.push(((*home).to_owned(), (*name).to_owned()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_users_with_their_homes() {
        let mut known = KnownNames::default();
        known.read_users(
            "root:x:0:0:root:/root:/bin/sh\npostgres:x:105:110::/var/lib/postgresql:/bin/sh\n\
             nobody:x:65534:65534::/nonexistent:/bin/false\nbroken\n\
             jdoe:x:1001:1001:Jane Doe,12,,:/srv/people/jdoe:/bin/sh\nx:x:1002:1002::/:/bin/sh\n",
        );
        assert_eq!(known.users, ["jdoe", "Jane Doe", "x", ""]);
        assert_eq!(known.homes, [("/srv/people/jdoe".to_owned(), "jdoe".to_owned())]);
    }

    #[test]
    fn hosts_and_domains() {
        let mut known = KnownNames::default();
        known.read_hosts("127.0.0.1 localhost\n# 10.0.0.9 old\n10.0.0.5 nas nas.example.org # storage\n\n");
        assert_eq!(known.hosts, ["localhost", "nas", "nas.example.org"]);
        known.read_resolver("nameserver 10.0.0.1\nsearch example.org corp.example.org\n");
        assert_eq!(known.domains, ["example.org", "corp.example.org"]);
    }
}
