//! Settings in the words of schema `heldup/settings/1`.

use heldup_model::{
    SETTINGS_SCHEMA, SettingDefault, SettingFormer, SettingInteraction, SettingLine, SettingNow, SettingPage,
    SettingRange, SettingsAnswer,
};
use heldup_tune::{Assignment, Release, SetBy, Standing, Tunable};

use super::machine::Machine;

/// The answer of settings, each with its files where somebody looked.
pub(super) fn answer(machine: &Machine, listed: &[(&Tunable, Option<Vec<Standing>>)]) -> SettingsAnswer {
    let page = |(tunable, standings): &(&Tunable, Option<Vec<Standing>>)| {
        page(tunable, machine.release, standings.as_deref())
    };
    SettingsAnswer {
        schema: SETTINGS_SCHEMA.to_owned(),
        release: machine.release.map(text),
        settings: listed.iter().map(page).collect(),
        notes: machine.notes().cloned().collect(),
    }
}

fn text(release: Release) -> String {
    release.to_string()
}

fn page(tunable: &Tunable, release: Option<Release>, standings: Option<&[Standing]>) -> SettingPage {
    let (tunable, example) = (tunable.clone(), tunable.example_of_owned());
    let ranges = tunable.ranges.iter().map(|range| SettingRange {
        since: range.since.map(text),
        min: range.min,
        max: range.max,
        choices: range.choices.clone(),
    });
    let ranges = ranges.collect();
    // What is told without a release is of all of them.
    let all = release.is_some() || tunable.ranges.is_empty();
    let here = tunable.ranges_in(release).pop().filter(|_| all).unwrap_or_default();
    SettingPage {
        ranges,
        default: release.and_then(|release| tunable.default_in(release)).map(str::to_owned),
        kind: tunable.kind.id().to_owned(),
        level: tunable.level.word().to_owned(),
        id: tunable.id,
        area: tunable.area,
        path: tunable.path,
        call: tunable.call,
        was: tunable
            .was
            .into_iter()
            .map(|was| SettingFormer {
                path: was.path,
                since: was.since.map(text),
                until: was.until.to_string(),
            })
            .collect(),
        unit: tunable.unit,
        min: here.min,
        max: here.max,
        count: tunable.count.map(|count| count as u64),
        choices: here.choices,
        defaults: tunable
            .defaults
            .into_iter()
            .map(|held| SettingDefault { since: held.since.map(text), value: held.value })
            .collect(),
        default_is: tunable.default_is,
        unset: tunable.unset,
        since: tunable.since.map(text),
        until: tunable.until.map(text),
        only: tunable.only,
        meaning: tunable.meaning,
        up: tunable.up,
        down: tunable.down,
        choose: tunable.choose,
        interacts: tunable
            .interacts
            .into_iter()
            .map(|other| SettingInteraction { id: other.id, how: other.how, couples: other.couples })
            .collect(),
        risk: tunable.risk,
        leave: tunable.leave,
        references: tunable.references,
        example,
        instances: standings.map(|standings| standings.iter().map(now).collect()),
    }
}

fn now(standing: &Standing) -> SettingNow {
    let (set_by, by) = match &standing.set_by {
        SetBy::Kernel => ("kernel", None),
        SetBy::File(given) => ("file", Some(given)),
        SetBy::SinceFile(given) => ("since_file", Some(given)),
        SetBy::RunTime => ("run_time", None),
        SetBy::Unknown => ("unknown", None),
    };
    SettingNow {
        key: standing.instance.key.clone(),
        path: standing.instance.path.clone(),
        value: standing.value.clone(),
        unread: standing.unread.clone(),
        set_by: set_by.to_owned(),
        line: by.map(line),
        disputed: standing.is_disputed(),
        assigned: standing.assigned.iter().map(line).collect(),
        by_udev: standing.by_udev.iter().map(line).collect(),
    }
}

fn line(given: &Assignment) -> SettingLine {
    SettingLine {
        file: given.file.clone(),
        line: given.line as u64,
        value: given.value.clone(),
        applied_by: given.applier.word().to_owned(),
    }
}
