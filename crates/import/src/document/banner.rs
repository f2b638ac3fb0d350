//! The line that sysstat's tools begin with: kernel, host, date, machine, number of CPUs.
//!
//! `Linux 3.10.0-1062.el7.x86_64 (db1)  03/11/2022  _x86_64_  (16 CPU)`; before sysstat 8 it ends
//! with the date. `sar` of Solaris, AIX and HP-UX begins with what `uname -a` says there, and the date.

use crate::text::civil::{DateOrder, date};
use jiff::civil::Date;

/// What the line says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Banner {
    /// Kernel release; empty where it was not told.
    pub kernel: String,
    /// Host.
    pub host: String,
    /// Day, where it can be read.
    pub date: Option<Date>,
    /// Machine type.
    pub architecture: Option<String>,
    /// CPUs.
    pub cpus: Option<i64>,
    /// The system, where it is not Linux.
    pub system: Option<System>,
}

/// A system that is not Linux.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum System {
    /// Of IBM.
    Aix,
    /// Of Hewlett-Packard.
    HpUx,
    /// Of Sun and Oracle; illumos.
    Solaris,
}

impl Banner {
    /// Bytes of a page, where the machine tells it: 8 KB on SPARC, 4 KB elsewhere, but on Itanium.
    pub fn page_bytes(&self) -> Option<f64> {
        match (self.system?, self.architecture.as_deref()?) {
            (System::Solaris, machine) if machine.starts_with("sun4") => Some(8192.0),
            (System::Solaris, "i86pc") | (System::Aix, _) => Some(4096.0),
            _ => None,
        }
    }
}

/// Reads a banner; none where the line is something else.
pub fn banner(words: &[&str], order: DateOrder) -> Option<Banner> {
    let [system, kernel, rest @ ..] = words else { return None };
    if *system != "Linux" || !kernel.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let host = rest.first()?.strip_prefix('(')?.strip_suffix(')')?;
    let mut told = Banner {
        kernel: (*kernel).to_owned(),
        host: host.to_owned(),
        date: None,
        architecture: None,
        cpus: None,
        system: None,
    };
    for (at, word) in rest.iter().enumerate().skip(1) {
        if told.date.is_none() && told.architecture.is_none() {
            told.date = date(word, order);
        }
        if let Some(machine) = word.strip_prefix('_').and_then(|word| word.strip_suffix('_')) {
            told.architecture = Some(machine.to_owned());
        }
        if let Some(number) = word.strip_prefix('(').and_then(|word| word.parse::<i64>().ok()) {
            // "(16 CPU)", and in Chinese "(16 CPU)" too: the number stands alone.
            told.cpus = rest.get(at + 1).filter(|word| word.ends_with(')')).map(|_| number);
        }
    }
    Some(told)
}

/// What another system says of itself: `SunOS host 5.10 Generic_147440-01 sun4v …`,
/// `AIX host 1 7 00F6E0C14C00`, `HP-UX host B.11.31 U ia64`; a date where `sar` wrote it.
pub fn unix_banner(words: &[&str]) -> Option<Banner> {
    let [system, host, rest @ ..] = words else { return None };
    let is_release = |word: &str| word.contains('.') && word.bytes().any(|byte| byte.is_ascii_digit());
    let is_digits = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let (system, kernel, machine) = match (*system, rest) {
        ("SunOS", [release, _build, machine, ..]) if release.starts_with("5.") => {
            (System::Solaris, (*release).to_owned(), *machine)
        }
        // The release comes before the version: 7.1 is "1 7".
        ("AIX", [release, version, machine, ..])
            if is_digits(release) && is_digits(version) && machine.len() >= 8 =>
        {
            (System::Aix, format!("{version}.{release}"), "powerpc")
        }
        ("HP-UX", [release, _, machine, ..]) if is_release(release) && release.contains(".1") => {
            (System::HpUx, (*release).to_owned(), *machine)
        }
        _ => return None,
    };
    let date = rest.iter().rev().find_map(|word| {
        let is_date = word.matches('/').count() == 2 || word.matches('-').count() == 2;
        if is_date { date(word, DateOrder::MonthFirst) } else { None }
    });
    Some(Banner {
        kernel,
        host: (*host).to_owned(),
        date,
        architecture: Some(machine.to_owned()),
        cpus: None,
        system: Some(system),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banners_of_other_systems() {
        // System, its release, host, day, bytes of a page.
        type Told<'a> = (System, &'a str, &'a str, Option<Date>, Option<f64>);
        let check = |line: &str, expect: Option<Told<'_>>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let told = unix_banner(&words);
            let parts = told.as_ref().and_then(|told| {
                Some((told.system?, &*told.kernel, &*told.host, told.date, told.page_bytes()))
            });
            assert_eq!(parts, expect, "{line}");
        };
        let day = Some(Date::constant(2004, 3, 18));
        check(
            "SunOS balmyday 5.10 s10_51 sun4u 03/18/2004",
            Some((System::Solaris, "5.10", "balmyday", day, Some(8192.0))),
        );
        check(
            "SunOS web1 5.11 11.3 i86pc i386 i86pc",
            Some((System::Solaris, "5.11", "web1", None, Some(4096.0))),
        );
        check(
            "AIX konark 3 4 0002506F4C00    08/26/99",
            Some((System::Aix, "4.3", "konark", Some(Date::constant(1999, 8, 26)), Some(4096.0))),
        );
        check("HP-UX db2 B.11.31 U ia64    03/18/04", Some((System::HpUx, "B.11.31", "db2", day, None)));
        check("AIX is a system of 1 maker", None);
        check("SunOS 5.10 has sar", None);
    }

    fn check(line: &str, expect: Option<(&str, &str, Option<Date>, Option<i64>)>) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let told = banner(&words, DateOrder::MonthFirst);
        let parts = told.as_ref().map(|told| (&*told.kernel, &*told.host, told.date, told.cpus));
        assert_eq!(parts, expect, "{line}");
    }

    #[test]
    fn banners_of_many_versions() {
        let day = |year, month, day| Some(Date::constant(year, month, day));
        check(
            "Linux 3.10.0-1062.1.2.el7.x86_64 (localhost) \t03/11/2022 \t_x86_64_\t(1 CPU)",
            Some(("3.10.0-1062.1.2.el7.x86_64", "localhost", day(2022, 3, 11), Some(1))),
        );
        check(
            "Linux 2.4.21-20.EL (localhost.localdomain)  05/16/2005",
            Some(("2.4.21-20.EL", "localhost.localdomain", day(2005, 5, 16), None)),
        );
        check(
            "Linux 5.4.0 (host) 2024-01-31 _ppc64le_ (128 CPU)",
            Some(("5.4.0", "host", day(2024, 1, 31), Some(128))),
        );
        check("Linux 2.4.21-27.0.2.ELsmp (node1)", Some(("2.4.21-27.0.2.ELsmp", "node1", None, None)));
        check("Linux is a kernel (mostly)", None);
        check("Linux version 5.4.0 (root@host) #1 SMP", None);
    }
}
