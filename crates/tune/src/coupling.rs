//! Which other settings of a host a write to one may change: those that have to be saved with it.

use heldup_hostfs::Host;

use crate::called::Place;
use crate::catalogue::Catalogue;
use crate::instance::Instance;
use crate::tunable::Tunable;

/// The settings of a host that a write to an instance may change too.
pub fn coupled_instances<'c>(
    catalogue: &'c Catalogue,
    host: &Host,
    tunable: &Tunable,
    instance: &Instance,
) -> Vec<(&'c Tunable, Instance)> {
    let ids = tunable.interacts.iter().filter(|other| other.couples).map(|other| other.id.as_str());
    let mut found = Vec::new();
    let place = Place::of(&instance.path);
    for other in ids.filter_map(|id| catalogue.find(id)) {
        if let (Some(place), Some(door)) = (place, other.door) {
            found.extend(place.beside(host, other, door).map(|at| (other, at)));
            continue;
        }
        let same = |at: &Instance| match (tunable.path.as_deref(), other.path.as_deref()) {
            (Some(own), Some(theirs)) => is_same_device(host, (own, &instance.path), (theirs, &at.path)),
            _ => true,
        };
        found.extend(other.instances(host).into_iter().filter(same).map(|at| (other, at)));
    }
    found
}

/// Whether two files, each with its pattern, are of one device; all are of one where a pattern names none.
fn is_same_device(host: &Host, own: (&str, &str), theirs: (&str, &str)) -> bool {
    let folder = |pattern: &str| pattern.split_once('*').map(|(folder, _)| folder.to_owned());
    let (Some(own_folder), Some(their_folder)) = (folder(own.0), folder(theirs.0)) else { return true };
    let (Some(own_name), Some(their_name)) =
        (name_behind(own.1, &own_folder), name_behind(theirs.1, &their_folder))
    else {
        return true;
    };
    if own_folder == their_folder {
        return own_name == their_name;
    }
    // Writing back is a device's by its number: 7:0.
    let number = |folder: &str, name: &str| match folder {
        "/sys/block/" => host.read_text(format!("{folder}{name}/dev")).ok(),
        "/sys/class/bdi/" => Some(name.to_owned()),
        _ => None,
    };
    match (number(&own_folder, own_name), number(&their_folder, their_name)) {
        (Some(own), Some(theirs)) => own == theirs,
        _ => true,
    }
}

fn name_behind<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    path.strip_prefix(folder)?.split('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_other_devices_are_not_coupled() {
        let root = std::env::temp_dir().join(format!("heldup-coupled-{}", std::process::id()));
        let files = [
            ("sys/block/loop0/dev", "7:0\n"),
            ("sys/block/loop0/queue/read_ahead_kb", "128\n"),
            ("sys/block/loop0/queue/scheduler", "[none] bfq\n"),
            ("sys/block/loop0/queue/nr_requests", "128\n"),
            ("sys/block/loop1/queue/nr_requests", "128\n"),
            ("sys/class/bdi/7:0/read_ahead_kb", "128\n"),
            ("sys/class/bdi/7:1/read_ahead_kb", "128\n"),
        ];
        for (file, text) in files {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        let (host, catalogue) = (Host::recorded(&root), Catalogue::builtin());
        let coupled = |id: &str| {
            let tunable = catalogue.find(id).expect("a tunable");
            let instance = tunable.instances(&host).remove(0);
            let found = coupled_instances(&catalogue, &host, tunable, &instance);
            found.into_iter().map(|(_, at)| at.key).collect::<Vec<_>>()
        };
        assert_eq!(coupled("block.*.queue.read_ahead_kb"), ["class.bdi.7:0.read_ahead_kb"]);
        assert_eq!(coupled("block.*.queue.scheduler"), ["block.loop0.queue.nr_requests"]);
        std::fs::remove_dir_all(&root).expect("removed");
    }
}
