//! The line that sysstat's tools begin with: kernel, host, date, machine, number of CPUs.
//!
//! `Linux 3.10.0-1062.el7.x86_64 (db1)  03/11/2022  _x86_64_  (16 CPU)`; before sysstat 8 it ends
//! with the date, and for other systems the words differ, for which there are other readers.

use crate::civil::{DateOrder, date};
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

#[cfg(test)]
mod tests {
    use super::*;

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
