//! Which packages are installed, as rows `package.<name>` of the table `setting`: what was upgraded is what
//! most often changed between two days.
//!
//! Read are the lists that package managers keep as text: dpkg's status, apk's list of what is installed, and
//! the names of pacman's folders. rpm's database is none, and that is said. It takes milliseconds, and no rule
//! needs it: it is read for who asks for the table, and once a segment by a recorder.

use std::collections::{BTreeMap, BTreeSet};

use heldup_model::tables::SettingRow;
use heldup_model::{Missing, Record, RowSet, TableDef};

use crate::source::{ReadContext, Reading, Schedule, Source};

/// Paragraphs of `Field: value`; deb-control(5), dpkg(1) for the states of a package.
const DPKG: &str = "/var/lib/dpkg/status";
/// Paragraphs of `P:name` and `V:version`; the second since apk 3.
const APK: [&str; 2] = ["/lib/apk/db/installed", "/usr/lib/apk/db/installed"];
/// A folder `name-version-release` for each package, as libalpm takes it apart (`_alpm_splitname`).
const PACMAN: &str = "/var/lib/pacman/local";
/// SQLite, Berkeley DB or a form of its own, with binary headers (rpm's `lib/backend`).
const RPM: [&str; 5] = [
    "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/rpm/Packages.db",
    "/usr/lib/sysimage/rpm/Packages.db",
    "/var/lib/rpm/Packages",
];
/// How the setting of a package begins.
const KEY: &str = "package.";
/// A distribution has some ten times as many; more in one machine is no list of packages.
const MAX_PACKAGES: usize = 20_000;
/// Longer ones are no versions.
const MAX_VERSION_BYTES: usize = 256;

/// Versions by package. Of one name there are several for several architectures.
pub type Installed = BTreeMap<String, BTreeSet<String>>;

/// The source.
#[derive(Debug, Default)]
pub struct Package {
    text: Vec<u8>,
}

impl Source for Package {
    fn name(&self) -> &'static str {
        "package"
    }

    fn tables(&self) -> &'static [&'static TableDef] {
        &[SettingRow::DEF]
    }

    fn schedule(&self) -> Schedule {
        Schedule::once()
    }

    fn read(&mut self, context: &ReadContext) -> Reading {
        let host = context.host;
        let mut reading = Reading::default();
        if !context.asked && !context.continuous {
            return reading;
        }
        let mut rows = Vec::new();
        let mut file = |path: &str, parse: fn(&[u8]) -> Installed, reading: &mut Reading| match host
            .read_into(path, &mut self.text)
        {
            Ok(()) => rows.extend(rows_of(parse(&self.text), path)),
            Err(error) if error.is_absent() => {}
            Err(error) => reading.lacks("setting.package", &error, ""),
        };
        file(DPKG, dpkg, &mut reading);
        APK.iter().for_each(|path| file(path, apk, &mut reading));
        let folders = host.list(PACMAN).unwrap_or_default();
        rows.extend(rows_of(pacman(&folders), PACMAN));
        if let Some(path) = RPM.iter().find(|path| rows.is_empty() && host.exists(path)) {
            reading.missing.push(Missing {
                what: "setting.package".to_owned(),
                why: format!("could not be read: rpm keeps its packages in a database, {path}"),
                how: "compare what `rpm -qa` prints".to_owned(),
            });
        }
        if !rows.is_empty() {
            rows.truncate(MAX_PACKAGES);
            reading.rows.push(RowSet::totals(rows));
        }
        reading
    }
}

/// Several versions of one name are one value, as there is one setting of each name.
fn rows_of(installed: Installed, path: &str) -> impl Iterator<Item = SettingRow> {
    installed.into_iter().map(move |(name, versions)| SettingRow {
        setting_key: Some(format!("{KEY}{name}").into()),
        setting_value: Some(versions.into_iter().collect::<Vec<_>>().join(" ").into()),
        path: Some(path.into()),
    })
}

/// Packages of dpkg's list whose files are there, wholly or in part.
pub fn dpkg(text: &[u8]) -> Installed {
    paragraphs(text, ["Package", "Version", "Status"], |status| {
        let state = status.and_then(|status| status.split_whitespace().last());
        state.is_some_and(|state| !matches!(state, "not-installed" | "config-files"))
    })
}

/// Packages of apk's list.
pub fn apk(text: &[u8]) -> Installed {
    paragraphs(text, ["P", "V", ""], |_| true)
}

/// Packages of pacman's folders.
pub fn pacman(folders: &[String]) -> Installed {
    let mut installed = Installed::new();
    for folder in folders {
        let mut parts = folder.rsplitn(3, '-');
        if let (Some(release), Some(version), Some(name)) = (parts.next(), parts.next(), parts.next()) {
            add(&mut installed, name, &format!("{version}-{release}"));
        }
    }
    installed
}

/// Name and version of each paragraph that a third field allows. What lacks one of them is left out.
fn paragraphs(text: &[u8], fields: [&str; 3], is_there: fn(Option<&str>) -> bool) -> Installed {
    let text = String::from_utf8_lossy(text);
    let mut installed = Installed::new();
    let mut found: [Option<&str>; 3] = [None; 3];
    // The last paragraph need not be followed by an empty line.
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            if let [Some(name), Some(version), state] = found
                && is_there(state)
            {
                add(&mut installed, name, version);
            }
            found = [None; 3];
            continue;
        }
        let Some((field, value)) = line.split_once(':') else { continue };
        // A line that goes on with the field before begins with a blank.
        if let Some(at) = fields.iter().position(|known| !known.is_empty() && *known == field) {
            found[at] = Some(value.trim());
        }
    }
    installed
}

fn add(installed: &mut Installed, name: &str, version: &str) {
    if !name.is_empty() && !version.is_empty() && version.len() <= MAX_VERSION_BYTES {
        installed.entry(name.to_owned()).or_default().insert(version.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use heldup_hostfs::Host;

    use super::*;
    use crate::namespaces::Namespaces;

    fn shown(installed: Installed) -> Vec<String> {
        let line = |(name, versions): (String, BTreeSet<String>)| {
            format!("{name} {}", versions.into_iter().collect::<Vec<_>>().join("+"))
        };
        installed.into_iter().map(line).collect()
    }

    #[test]
    fn what_was_removed_is_not_installed() {
        let text =
            b"Package: bash\nStatus: install ok installed\nVersion: 5.2.15-2+b2\nDescription: a shell\n \
            Package: no field\n\nPackage: old\nStatus: deinstall ok config-files\nVersion: 1\n\n\
            Package: half\nStatus: install ok half-configured\nVersion: 2\n\n\
            Package: libc6\nArchitecture: i386\nStatus: install ok installed\nVersion: 2.36-9\n\n\
            Package: libc6\nArchitecture: amd64\nStatus: hold ok installed\nVersion: 2.36-9+deb12u9";
        assert_eq!(shown(dpkg(text)), ["bash 5.2.15-2+b2", "half 2", "libc6 2.36-9+2.36-9+deb12u9"]);
    }

    #[test]
    fn lists_of_other_distributions() {
        let text = b"C:Q1abc=\nP:musl\nV:1.2.5-r0\nF:lib\nR:ld-musl-x86_64.so.1\n\nP:zlib\nV:1.3.1-r1\n\n";
        assert_eq!(shown(apk(text)), ["musl 1.2.5-r0", "zlib 1.3.1-r1"]);
        let folders =
            ["ALPM_DB_VERSION", "gcc-libs-14.2.1+r753-1", "xorg-server-1:21.1-2"].map(str::to_owned);
        assert_eq!(shown(pacman(&folders)), ["gcc-libs 14.2.1+r753-1", "xorg-server 1:21.1-2"]);
    }

    #[test]
    fn garbage_is_no_package() {
        let long = format!("Package: x\nStatus: a installed\nVersion: {}\n", "9".repeat(300));
        for text in
            [&b""[..], b"\xff\xfe\n\n:\n", b"Package:\nVersion: 1\nStatus: installed\n", long.as_bytes()]
        {
            assert_eq!(shown(dpkg(text)), [""; 0]);
        }
    }

    #[test]
    fn nobody_pays_for_it_who_does_not_ask() {
        let mut source = Package::default();
        let reading = source.read(&ReadContext::new(&Host::live(), &Namespaces::default()));
        assert!(reading.rows.is_empty() && reading.missing.is_empty());
    }
}
