//! Settings of the running machine, changed and undone: as root, else skipped aloud.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use heldup_hostfs::{Host, SyncedLog, is_root};
use heldup_tune::{Catalogue, Changer, Foreign, LoggedHost, Wanted, coupled_instances, read};

#[test]
fn a_setting_and_what_it_is_coupled_with_come_back() {
    if !is_root() {
        return heldup_skip::skipped("changing settings needs root");
    }
    let host = Host::live();
    let catalogue = Catalogue::builtin();
    let folder = std::env::temp_dir().join(format!("heldup-tune-live-{}", std::process::id()));
    let log = SyncedLog::at(folder.join("changes"));
    let changer = Changer::new(&catalogue, LoggedHost { host: &host, log });
    let mut wrong = Vec::new();
    for (id, to) in [
        ("vm.dirty_background_bytes", "67108864"),
        ("vm.dirty_background_ratio", "9"),
        ("net.unix.max_dgram_qlen", "77"),
    ] {
        let tunable = catalogue.find(id).unwrap();
        let Some(instance) = tunable.instances(&host).pop() else {
            heldup_skip::partly_skipped(&format!("{id} is not on this machine"));
            continue;
        };
        let coupled = coupled_instances(&catalogue, &host, tunable, &instance);
        let paths: Vec<_> =
            std::iter::once((tunable, &instance)).chain(coupled.iter().map(|(t, i)| (*t, i))).collect();
        let all = || paths.iter().map(|(t, i)| read(&host, t, &i.path).unwrap()).collect::<Vec<_>>();
        let before = all();
        let writer = changer.writer().unwrap();
        let wanted =
            Wanted { tunable: Some(tunable), instance: &instance, to, coupled: &coupled, persist: None };
        let applied = writer.apply(&wanted);
        let during = all();
        // Undone before anything is judged.
        let undo = |id| writer.undo(&[id], Foreign::Stays).unwrap().remove(0).1;
        let undone = applied.as_ref().ok().and_then(|applied| applied.id).map(undo);
        if !matches!(undone, Some(Ok(_))) || during[0] != to || all() != before {
            wrong.push(format!("{id}: {before:?}, {during:?}, {:?}: {applied:?} {undone:?}", all()));
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
