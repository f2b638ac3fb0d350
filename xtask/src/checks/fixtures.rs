//! Recorded files have a birth certificate.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Check, Outcome};
use crate::tree::Tree;

/// The check.
pub const CHECK: Check = Check {
    name: "fixtures",
    policy: "each folder of fixtures has a PROVENANCE.md that names each of its files or their pattern",
    look,
};

fn look(tree: &Tree) -> Result<Outcome> {
    let mut complaints = Vec::new();
    let mut folders: BTreeSet<&str> = BTreeSet::new();
    for file in tree.files() {
        if let Some(folder) = home(file) {
            folders.insert(folder);
        }
    }
    for folder in folders {
        let own = format!("{folder}/PROVENANCE.md");
        // One certificate may serve the folders of several units beside it.
        let above = folder.rsplit_once('/').map(|(above, _)| format!("{above}/PROVENANCE.md"));
        let Some(certificate) = [Some(own), above].into_iter().flatten().find(|file| tree.has(file)) else {
            complaints.push(format!("{folder}: no PROVENANCE.md; say the command, the machine and the date"));
            continue;
        };
        let text = tree.read(&certificate)?;
        if !text.contains("20") || text.trim().lines().count() < 3 {
            complaints.push(format!("{certificate}: expected the command, the machine and the date"));
        }
    }
    Ok(Outcome::Looked(complaints))
}

/// The folder that a fixture's certificate is expected in: the one below `fixtures/`, or
/// `golden/` itself. A recorded tree below it is one fixture.
fn home(file: &str) -> Option<&str> {
    for marker in ["/fixtures/", "/recorded/"] {
        if let Some((before, after)) = file.split_once(marker) {
            let depth = after.split_once('/').map_or(0, |(unit, _)| unit.len() + 1);
            let end = before.len() + marker.len() + depth;
            return Some(file[..end].trim_end_matches('/'));
        }
    }
    file.rsplit_once('/').map(|(folder, _)| folder).filter(|folder| folder.ends_with("/golden"))
}

#[cfg(test)]
mod tests {
    use super::home;

    #[test]
    fn a_fixture_belongs_to_the_folder_of_its_unit() {
        let folder = "crates/sources/tests/fixtures/proc_stat";
        assert_eq!(home(&format!("{folder}/debian12-6.18-idle.txt")), Some(folder));
        assert_eq!(home(&format!("{folder}/tree/proc/1/stat")), Some(folder));
        assert_eq!(home("crates/x/fixtures/a.txt"), Some("crates/x/fixtures"));
        assert_eq!(home("crates/report/golden/idle.json"), Some("crates/report/golden"));
        assert_eq!(home("crates/x/src/lib.rs"), None);
    }
}
