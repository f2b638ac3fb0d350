//! What a profile would change on a host: each file with its current and its new value.

use heldup_hostfs::Host;

use super::{Aim, Want};
use crate::catalogue::Catalogue;
use crate::instance::Instance;
use crate::instances::expanded;
use crate::release::Release;
use crate::setting_path::{key_of_path, sysctl_path};
use crate::standing::read;
use crate::tunable::{Kind, Tunable};

/// Longer values are no settings.
const MAX_VALUE_BYTES: usize = 1024;

/// What becomes of an aim at one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It would be written.
    Change,
    /// It is so already, or better.
    Already,
    /// It would be refused: why.
    Refused(String),
    /// It is not on this machine: why, where that is known.
    Absent(String),
}

/// An aim at one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The setting, as table `setting` names it; of an absent one as the profile does.
    pub key: String,
    /// The file; empty where it is not here.
    pub path: String,
    /// Id of the catalogue, where that has it.
    pub id: Option<String>,
    /// Value now.
    pub from: Option<String>,
    /// New value; none if the current one fits.
    pub to: Option<String>,
    /// What becomes of it.
    pub outcome: Outcome,
    /// What it is for.
    pub aim: Aim,
}

/// What aims mean on a host. A later one of a file takes the place of an earlier one.
pub fn steps(catalogue: &Catalogue, host: &Host, release: Option<Release>, aims: &[Aim]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for aim in aims {
        for step in of_aim(catalogue, host, release, aim) {
            let same = |had: &Step| had.key == step.key && had.path == step.path;
            match steps.iter_mut().find(|had| same(had)) {
                Some(had) => *had = step,
                None => steps.push(step),
            }
        }
    }
    steps
}

fn of_aim(catalogue: &Catalogue, host: &Host, release: Option<Release>, aim: &Aim) -> Vec<Step> {
    let exact = catalogue.find(&aim.setting);
    let path = if aim.setting.starts_with('/') { aim.setting.clone() } else { sysctl_path(&aim.setting) };
    let tunable = exact.or_else(|| catalogue.tunables.iter().find(|tunable| tunable.covers(&path)));
    let instances = match exact {
        Some(tunable) => tunable.instances(host),
        None => {
            expanded(host, &path).into_iter().map(|path| Instance { key: key_of_path(&path), path }).collect()
        }
    };
    if instances.is_empty() {
        let outcome = Outcome::Absent(absent(tunable, &path, release));
        let id = tunable.map(|tunable| tunable.id.clone());
        let key = aim.setting.clone();
        return vec![Step { key, path: String::new(), id, from: None, to: None, outcome, aim: aim.clone() }];
    }
    // What stacks on others, or is in memory, has no queue of its own to set.
    let own = |instance: &Instance| exact.is_none() || !is_stacked(&instance.key);
    instances.into_iter().filter(own).map(|instance| of_file(host, tunable, instance, aim)).collect()
}

fn is_stacked(key: &str) -> bool {
    let device = key.strip_prefix("block.").unwrap_or_default();
    ["dm-", "loop", "md", "ram", "zram"].iter().any(|start| device.starts_with(start))
}

fn absent(tunable: Option<&Tunable>, path: &str, release: Option<Release>) -> String {
    let misplaced = tunable.zip(release).and_then(|(tunable, release)| {
        crate::audit::misplaced(tunable, tunable.path.as_deref().unwrap_or(path), release)
    });
    match (misplaced, tunable.and_then(|tunable| tunable.only.as_ref())) {
        (Some(remark), _) => remark.why,
        (None, Some(only)) => format!("not on this machine (only {only})"),
        (None, None) => "not on this machine".to_owned(),
    }
}

fn of_file(host: &Host, tunable: Option<&Tunable>, instance: Instance, aim: &Aim) -> Step {
    let mut step = Step {
        key: instance.key,
        path: instance.path,
        id: tunable.map(|tunable| tunable.id.clone()),
        from: None,
        to: None,
        outcome: Outcome::Already,
        aim: aim.clone(),
    };
    let (now, offered) = match content(host, tunable, &step.path) {
        Ok(content) => content,
        Err(why) => {
            step.outcome = Outcome::Refused(why);
            return step;
        }
    };
    step.from = Some(now.clone());
    let Some(to) = aim.want.value(&now, offered.as_deref()) else {
        if let (Want::OneOf(values), Some(offered)) = (&aim.want, &offered) {
            let why = format!("not available: {} (allowed: {})", values.join(", "), offered.join(", "));
            step.outcome = Outcome::Refused(why);
        }
        return step;
    };
    let to = to.split_whitespace().collect::<Vec<_>>().join(" ");
    let unoffered = offered.filter(|offered| !offered.contains(&to));
    let objection = unoffered
        .map(|offered| format!("invalid value {to} (allowed: {})", offered.join(", ")))
        .or_else(|| tunable.and_then(|tunable| tunable.objection(&to, None)));
    step.outcome = match objection {
        _ if to == now || same_mask(&step.path, &to, &now) => Outcome::Already,
        Some(objection) => Outcome::Refused(objection),
        None => Outcome::Change,
    };
    step.to = Some(to);
    step
}

/// The value of a file, and the words that it offers where it says so: itself, with the chosen one in
/// brackets, or the file beside it that cpufreq has.
type Content = (String, Option<Vec<String>>);

fn content(host: &Host, tunable: Option<&Tunable>, path: &str) -> Result<Content, String> {
    let text = host.read_text(path).map_err(|error| error.to_string())?;
    if text.len() > MAX_VALUE_BYTES {
        return Err("too long for a setting".to_owned());
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &&str| word.trim_matches(['[', ']']).to_owned();
    let marked: Vec<&&str> =
        words.iter().filter(|word| word.starts_with('[') && word.ends_with(']')).collect();
    let is_choice = tunable.is_none_or(|tunable| matches!(tunable.kind, Kind::Choice | Kind::Word));
    if let ([chosen], true) = (marked.as_slice(), is_choice) {
        return Ok((bare(chosen), Some(words.iter().map(bare).collect())));
    }
    let now = match tunable {
        Some(tunable) => read(host, tunable, path).map_err(|error| error.to_string())?,
        None => words.join(" "),
    };
    let beside = match path.rsplit_once('/') {
        Some((folder, "scaling_governor")) => Some(format!("{folder}/scaling_available_governors")),
        Some((folder, "energy_performance_preference")) => {
            Some(format!("{folder}/energy_performance_available_preferences"))
        }
        _ => None,
    };
    let offered = beside.and_then(|beside| host.read_text(beside).ok());
    Ok((now, offered.map(|text| text.split_whitespace().map(str::to_owned).collect())))
}

/// Whether two masks of CPUs name the same ones: the kernel writes fewer zeroes than tuned.
fn same_mask(path: &str, one: &str, other: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let digits = |mask: &str| mask.replace(',', "").trim_start_matches('0').to_ascii_lowercase();
    let is_mask = |mask: &str| mask.chars().all(|c| c == ',' || c.is_ascii_hexdigit());
    let is_file = name.ends_with("cpumask") || name.ends_with("_cpus") || name.ends_with("affinity");
    is_file && is_mask(one) && is_mask(other) && digits(one) == digits(other)
}
