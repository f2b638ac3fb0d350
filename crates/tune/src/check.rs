//! What every entry of the catalogue has to hold to, beyond its form.

use std::collections::BTreeSet;

use crate::release::Release;
use crate::tunable::{DefaultSince, Kind, Tunable};

/// What is wrong, (id, words) each.
pub(crate) fn all(tunables: &[Tunable]) -> Vec<(String, String)> {
    let ids: BTreeSet<&str> = tunables.iter().map(|tunable| tunable.id.as_str()).collect();
    let mut found = Vec::new();
    for tunable in tunables {
        let mut complain = |what: String| found.push((tunable.id.clone(), what));
        place(tunable, &mut complain);
        values(tunable, &mut complain);
        words(tunable, &mut complain);
        for other in &tunable.interacts {
            if other.id == tunable.id || !ids.contains(other.id.as_str()) {
                complain(format!("interacts with {}, which is not another tunable", other.id));
            }
        }
    }
    found
}

fn place(tunable: &Tunable, complain: &mut impl FnMut(String)) {
    match (&tunable.path, &tunable.call) {
        (Some(path), None) => {
            if let Some(id) = id_of(path).filter(|id| *id != tunable.id) {
                complain(format!("the id of {path} is {id}"));
            }
        }
        (None, Some(_)) => {}
        _ => complain("expected either path or call".to_owned()),
    }
    if let Some(door) = tunable.door {
        if !door.is_of(&tunable.id) {
            complain(format!("door: the id does not begin with {door:?}"));
        }
        if tunable.path.as_ref().is_some_and(|path| !path.starts_with("/proc/*/")) {
            complain("door: a setting with a file needs none".to_owned());
        }
    }
    if tunable.since.zip(tunable.until).is_some_and(|(since, until)| until < since) {
        complain("until is before since".to_owned());
    }
    for was in &tunable.was {
        if was.since.is_some_and(|since| was.until < since) {
            complain(format!("{}: until is before since", was.path));
        }
        // Without `since` it is there since before the oldest supported release.
        if tunable.since.map_or(Release::OLDEST <= was.until, |since| since <= was.until) {
            complain(format!("{}: in use until {}; since must be later", was.path, was.until));
        }
    }
}

/// The id that a file's tunable has; control groups are found in two trees and have their own.
fn id_of(path: &str) -> Option<String> {
    if path.starts_with("/sys/fs/cgroup/") {
        return None;
    }
    let below = path.strip_prefix("/proc/sys/").or_else(|| path.strip_prefix("/sys/"))?;
    Some(below.replace('/', "."))
}

fn values(tunable: &Tunable, complain: &mut impl FnMut(String)) {
    ranges(tunable, complain);
    let since = |held: &DefaultSince| held.since.or(tunable.since).unwrap_or(Release::OLDEST);
    let held = tunable.defaults.iter().map(|held| (&held.value, Some(since(held))));
    for (value, release) in tunable.default.iter().map(|value| (value, None)).chain(held) {
        if let Some(objection) = tunable.objection(value, release) {
            complain(format!("default: {objection}"));
        }
    }
    if tunable.defaults.windows(2).any(|pair| pair[1].since <= pair[0].since) {
        complain("defaults: expected the oldest first".to_owned());
    }
    if tunable.default.is_some() && !tunable.defaults.is_empty() {
        complain("expected either default or defaults".to_owned());
    }
    for harm in &tunable.harms {
        if harm.from.is_none() && harm.to.is_none() && harm.is.is_empty() {
            complain("harms: expected from, to or is".to_owned());
        }
        if let Some(objection) = harm.better.as_deref().and_then(|better| tunable.objection(better, None)) {
            complain(format!("harms: better: {objection}"));
        }
    }
    let mut defaults = tunable.default.iter().chain(tunable.defaults.iter().map(|held| &held.value));
    if let Some(value) = defaults.find(|value| tunable.harm(value).is_some()) {
        complain(format!("harms: {value} is a default"));
    }
}

/// What it takes: of each release.
fn ranges(tunable: &Tunable, complain: &mut impl FnMut(String)) {
    let bare = tunable.min.is_none() && tunable.max.is_none() && tunable.choices.is_empty();
    if !bare && !tunable.ranges.is_empty() {
        complain("expected either min, max and choices or ranges".to_owned());
    }
    if tunable.ranges.windows(2).any(|pair| pair[1].since <= pair[0].since) {
        complain("ranges: expected the oldest first".to_owned());
    }
    let numbers = matches!(tunable.kind, Kind::Integer | Kind::Integers | Kind::Limit);
    let ranges = tunable.ranges_in(None);
    for range in &ranges {
        if range.min.zip(range.max).is_some_and(|(min, max)| max < min) {
            complain("max is less than min".to_owned());
        }
        if !numbers && (range.min.is_some() || range.max.is_some() || tunable.unit.is_some()) {
            complain("min, max and unit are for numbers".to_owned());
        }
        if tunable.kind != Kind::Choice && !range.choices.is_empty() {
            complain("choices are for kind choice".to_owned());
        }
    }
    if tunable.kind == Kind::Choice && ranges.iter().all(|range| range.choices.is_empty()) {
        complain("kind choice needs choices".to_owned());
    }
}

fn words(tunable: &Tunable, complain: &mut impl FnMut(String)) {
    let both = tunable.up.is_some() && tunable.down.is_some();
    let said = match tunable.kind {
        Kind::Integer | Kind::Integers | Kind::Limit | Kind::Switch => both,
        _ => tunable.choose.is_some(),
    };
    if !said {
        complain("expected up and down for numbers and switches, choose for others".to_owned());
    }
    if tunable.references.is_empty() {
        complain("no references, and none for its file".to_owned());
    }
    let texts = [Some(&tunable.meaning), Some(&tunable.risk), Some(&tunable.leave)];
    if texts.into_iter().flatten().any(|text| text.trim().is_empty()) {
        complain("meaning, risk and leave must not be empty".to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        let base = "id = 'vm.x'\nmeaning = 'm'\nlevel = 'low'\nrisk = 'r'\nleave = 'l'\nreferences = ['d']\n";
        let tunable: Tunable = toml::from_str(&format!("{base}{text}")).expect("a tunable");
        all(&[tunable]).into_iter().map(|(_, what)| what).collect()
    }

    #[test]
    fn each_flaw_is_found() {
        let good = "path = '/proc/sys/vm/x'\nkind = 'integer'\nup = 'u'\ndown = 'd'\n";
        assert_eq!(complaints(good), [""; 0]);
        let cases = [
            ("kind = 'integer'\nup = 'u'\ndown = 'd'", "either path or call"),
            ("path = '/proc/sys/vm/y'\nkind = 'integer'\nup = 'u'\ndown = 'd'", "is vm.y"),
            ("path = '/proc/sys/vm/x'\nkind = 'integer'", "expected up and down"),
            ("path = '/proc/sys/vm/x'\nkind = 'choice'\nchoose = 'c'", "choices"),
            ("path = '/proc/sys/vm/x'\nkind = 'switch'\nmin = 0\nup = 'u'\ndown = 'd'", "for numbers"),
        ];
        for (text, expected) in cases {
            let found = complaints(text);
            assert!(found.iter().any(|what| what.contains(expected)), "{text}: {found:?}");
        }
        let more = [
            ("min = 3\nmax = 2", "max is less"),
            ("default = 'x'", "expected a whole number"),
            ("since = '6.0'\nuntil = '5.0'", "until is before"),
            ("was = [{ path = '/p', until = '5.0' }]", "since must be later"),
            ("interacts = [{ id = 'vm.none', how = 'h' }]", "not another tunable"),
            ("defaults = [{ since = '5.0', value = '1' }, { value = '2' }]", "oldest first"),
            ("ranges = [{ since = '5.0', max = 1 }, { max = 2 }]", "oldest first"),
            ("max = 3\nranges = [{ max = 1 }]", "either min, max"),
            ("ranges = [{ min = 2, max = 1 }]", "max is less"),
            ("ranges = [{ choices = ['a'] }]", "for kind choice"),
            ("ranges = [{ max = 1 }, { since = '5.0', max = 2 }]\ndefaults = [{ value = '2' }]", "in 4.18"),
        ];
        for (text, expected) in more {
            let found = complaints(&format!("{good}{text}"));
            assert!(found.iter().any(|what| what.contains(expected)), "{text}: {found:?}");
        }
    }
}
