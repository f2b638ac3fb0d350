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
