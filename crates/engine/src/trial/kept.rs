//! Experiments that were kept: each is a folder of `experiments` in the machine's state folder, named after its begin.

use std::fs;
use std::path::{Path, PathBuf};

use heldup_hostfs::machine_state_dir;
use heldup_model::{Experiment, ListedExperiment, Verdict};

use crate::error::{Context, EngineError, Result};
use crate::nearest::unknown;

/// The file of an experiment's folder that has all of it.
pub const EXPERIMENT_FILE: &str = "experiment.json";

/// Where they are.
pub fn experiments_folder() -> PathBuf {
    machine_state_dir().join("experiments")
}

/// All that were kept, the last one first. What cannot be read is left out.
pub fn experiments() -> Result<Vec<ListedExperiment>> {
    listed(&experiments_folder())
}

/// One of them.
pub fn experiment(id: &str) -> Result<Experiment> {
    read(&experiments_folder(), id)
}

fn listed(folder: &Path) -> Result<Vec<ListedExperiment>> {
    let mut all: Vec<ListedExperiment> = ids(folder)?
        .into_iter()
        .filter_map(|id| of_folder(&folder.join(&id)).ok().map(|found| brief(id, &found)))
        .collect();
    all.sort_by(|a, b| (b.time_ms, &b.id).cmp(&(a.time_ms, &a.id)));
    Ok(all)
}

/// Names of the folders; none where there is no folder of them.
fn ids(folder: &Path) -> Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
    };
    Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
}

fn read(folder: &Path, id: &str) -> Result<Experiment> {
    let ids = ids(folder)?;
    // A name that is in the list leads nowhere else.
    if !ids.iter().any(|known| known == id) {
        return Err(unknown("experiment", id, ids.iter().map(String::as_str), "heldup try --help"));
    }
    of_folder(&folder.join(id))
}

fn of_folder(folder: &Path) -> Result<Experiment> {
    let path = folder.join(EXPERIMENT_FILE);
    let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&text)
        .map_err(|error| EngineError::failed(format!("{}: not an experiment: {error}", path.display())))
}

fn brief(id: String, found: &Experiment) -> ListedExperiment {
    let begun: Option<jiff::Timestamp> = found.from.parse().ok();
    ListedExperiment {
        id,
        time_ms: begun.map(jiff::Timestamp::as_millisecond),
        title: title(found),
        verdict: best(found),
    }
}

/// `vm.swappiness 60 → 10, 20: wall of ./load.sh`.
fn title(found: &Experiment) -> String {
    let mut changes: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for change in &found.changes {
        match changes.iter_mut().find(|(setting, ..)| *setting == change.setting) {
            Some((.., asked)) => asked.push(&change.asked),
            None => changes.push((&change.setting, &change.before, vec![&change.asked])),
        }
    }
    let said =
        changes.iter().map(|(setting, before, asked)| format!("{setting} {before} → {}", asked.join(", ")));
    let what = said.collect::<Vec<_>>().join("; ");
    let what = if what.is_empty() { "no change tested".to_owned() } else { what };
    match &found.asked.workload {
        Some(workload) => format!("{what}: {} of {workload}", found.asked.figure),
        None => format!("{what}: {}", found.asked.figure),
    }
}

/// Of several changes the verdict of that which came out best.
fn best(found: &Experiment) -> Option<Verdict> {
    let order = [Verdict::Helped, Verdict::NoEffect, Verdict::Undecided, Verdict::Harmed];
    order.into_iter().find(|verdict| found.changes.iter().any(|change| change.verdict == Some(*verdict)))
}

#[cfg(test)]
mod tests {
    use heldup_model::{EXPERIMENT_SCHEMA, ExperimentEnd, Goal, Question, TriedChange};

    use super::*;

    fn change(asked: &str, verdict: Verdict) -> TriedChange {
        TriedChange {
            setting: "vm.swappiness".to_owned(),
            before: "60".to_owned(),
            asked: asked.to_owned(),
            now: None,
            moved: Vec::new(),
            verdict: Some(verdict),
            effect: None,
            ci_low: None,
            ci_high: None,
            detection_limit: None,
            pairs_needed: None,
            noise_needed: None,
            pairs: 8,
            why: Vec::new(),
            kept: false,
        }
    }

    fn found(from: &str, changes: Vec<TriedChange>) -> Experiment {
        Experiment {
            schema: EXPERIMENT_SCHEMA.to_owned(),
            host: "box".to_owned(),
            kernel: "6.1.0".to_owned(),
            from: from.to_owned(),
            to: from.to_owned(),
            asked: Question {
                workload: Some("./load.sh".to_owned()),
                prepare: None,
                figure: "wall".to_owned(),
                unit: Some("s".to_owned()),
                goal: Goal::Lower,
                guards: Vec::new(),
                error: 0.01,
                worth: 0.02,
                is_ratio: true,
                seed: 1,
                most_pairs: 100,
            },
            proposed_by: None,
            end: ExperimentEnd::Done,
            reason: None,
            noise: None,
            searched: Vec::new(),
            changes,
            blocks: Vec::new(),
            before: Default::default(),
            changed_after: Default::default(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_last_one_is_first_and_each_is_found_by_its_id() {
        let folder = std::env::temp_dir().join(format!("heldup-experiments-{}", std::process::id()));
        assert_eq!(listed(&folder).expect("no folder"), []);
        let two = vec![change("10", Verdict::Harmed), change("20", Verdict::Helped)];
        for (from, changes) in [("2026-11-20T03:00:00Z", two), ("2026-11-21T03:00:00Z", Vec::new())] {
            let own = folder.join(from.replace(':', ""));
            fs::create_dir_all(&own).expect("made");
            let text = serde_json::to_string(&found(from, changes)).expect("JSON");
            fs::write(own.join(EXPERIMENT_FILE), text).expect("written");
        }
        // What somebody has left half is no experiment.
        fs::create_dir_all(folder.join("half")).expect("made");
        fs::write(folder.join("half").join(EXPERIMENT_FILE), "{").expect("written");
        let all = listed(&folder).expect("listed");
        let of: Vec<_> = all.iter().map(|one| (one.id.as_str(), one.title.as_str(), one.verdict)).collect();
        assert_eq!(
            of,
            [
                ("2026-11-21T030000Z", "no change tested: wall of ./load.sh", None),
                ("2026-11-20T030000Z", "vm.swappiness 60 → 10, 20: wall of ./load.sh", Some(Verdict::Helped)),
            ]
        );
        assert_eq!(all[1].time_ms, Some(1_795_143_600_000));
        assert_eq!(read(&folder, "2026-11-20T030000Z").expect("one").changes.len(), 2);
        for id in ["2026-11-22T030000Z", "..", "../experiments", "half", ""] {
            assert!(read(&folder, id).is_err(), "{id}");
        }
        fs::remove_dir_all(&folder).expect("removed");
    }
}
