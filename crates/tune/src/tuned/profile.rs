//! Finding, including and merging: what one profile of tuned is in the end.

use heldup_hostfs::{Host, HostError};

use super::Note;
use super::config::{ConfigOption, Section, parse};
use super::expand::Variables;

/// Includes deeper than this go in a circle.
const DEEPEST: usize = 16;

/// Why a profile cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TunedError {
    /// There is none of that name.
    #[error("unknown tuned profile {name} (no {name}/tuned.conf in {})", .folders.join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// Where it was looked for.
        folders: Vec<String>,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Host(#[from] HostError),
    /// It includes itself.
    #[error("{0} includes itself")]
    Circle(String),
}

/// A section after merging.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its name.
    pub name: String,
    /// The plugin that it is for.
    pub plugin: String,
    /// Whether it counts.
    pub enabled: bool,
    /// Which devices it is for.
    pub devices: String,
    /// Which devices, by their properties in udev.
    pub devices_udev_regex: Option<String>,
    /// Which CPUs it is for.
    pub cpuinfo_regex: Option<String>,
    /// Which kernels and machines it is for.
    pub uname_regex: Option<String>,
    /// Its place.
    pub place: String,
    /// What it sets.
    pub options: Section,
    replace: bool,
    drop: Vec<String>,
}

/// A profile with all that it includes.
pub struct Loaded<'a> {
    /// What it says of itself.
    pub summary: String,
    /// Its files.
    pub files: Vec<String>,
    /// Its sections, merged.
    pub units: Vec<Unit>,
    /// Its variables.
    pub variables: Variables<'a>,
    /// What came up.
    pub notes: Vec<Note>,
}

/// Names of the profiles that a host has, sorted.
pub fn installed(host: &Host, folders: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for folder in folders {
        let here = host.list(folder).unwrap_or_default().into_iter();
        names.extend(here.filter(|name| host.exists(format!("{folder}/{name}/tuned.conf"))));
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// Loads a profile.
pub fn load<'a>(host: &'a Host, folders: &[&str], name: &str) -> Result<Loaded<'a>, TunedError> {
    let mut loaded = Loaded {
        summary: String::new(),
        files: Vec::new(),
        units: Vec::new(),
        variables: Variables::new(host),
        notes: Vec::new(),
    };
    include(host, folders, name, &mut loaded, 0)?;
    define_variables(host, &mut loaded);
    for unit in &mut loaded.units {
        unit.devices = loaded.variables.expand(&unit.devices);
        for regex in [&mut unit.cpuinfo_regex, &mut unit.uname_regex].into_iter().flatten() {
            *regex = loaded.variables.expand(regex);
        }
        loaded.notes.extend(loaded.variables.notes_at(&unit.place));
    }
    Ok(loaded)
}

/// Adds a profile and, before it, what it includes.
fn include(
    host: &Host,
    folders: &[&str],
    name: &str,
    loaded: &mut Loaded,
    depth: usize,
) -> Result<(), TunedError> {
    if depth > DEEPEST {
        return Err(TunedError::Circle(name.to_owned()));
    }
    // `-name` is left out where there is none.
    let (name, may_lack) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    let file_in = |folder: &&str| format!("{folder}/{name}/tuned.conf");
    let all: Vec<String> = folders.iter().map(file_in).filter(|file| host.exists(file)).collect();
    // A profile may include that of its own name which lies in a later folder.
    let Some(file) = all.iter().find(|file| !loaded.files.contains(file)).cloned() else {
        if may_lack || !all.is_empty() {
            return Ok(());
        }
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        return Err(TunedError::Unknown { name: name.to_owned(), folders });
    };
    loaded.files.push(file.clone());
    let text = host.read_text(&file)?;
    let own_folder = file.strip_suffix("/tuned.conf").unwrap_or_default();
    let config = parse(&file, &text.replace("${i:PROFILE_DIR}", own_folder), None);
    let malformed = config.malformed.into_iter();
    loaded.notes.extend(malformed.map(|place| Note { place, what: "expected an option".to_owned() }));
    let mut units = Vec::new();
    for mut section in config.sections {
        if section.name != "main" {
            units.push(unit(section, &file));
            continue;
        }
        if let Some(option) = section.take("include") {
            let names = loaded.variables.expand(&option.value);
            loaded.notes.extend(loaded.variables.notes_at(&option.place));
            for included in names.split([',', ';']).map(str::trim).filter(|name| !name.is_empty()) {
                include(host, folders, included, loaded, depth + 1)?;
            }
        }
        if let Some(summary) = section.take("summary") {
            loaded.summary = summary.value;
        }
    }
    units.into_iter().for_each(|unit| merge(&mut loaded.units, unit));
    Ok(())
}

fn unit(mut section: Section, file: &str) -> Unit {
    let place = section.options.first().map_or_else(|| file.to_owned(), |option| option.place.clone());
    let mut text = |name: &str| section.take(name).map(|option: ConfigOption| option.value);
    let is_true = |value: Option<String>| value.map(|value| matches!(value.as_str(), "True" | "true" | "1"));
    let (plugin, enabled, replace) = (text("type"), is_true(text("enabled")), is_true(text("replace")));
    let drop = text("drop").unwrap_or_default();
    Unit {
        plugin: plugin.unwrap_or_else(|| section.name.clone()),
        enabled: enabled.unwrap_or(true),
        replace: replace.unwrap_or(false),
        drop: drop.split([',', ';']).map(|name| name.trim().to_owned()).collect(),
        devices: section.take("devices").map_or_else(|| "*".to_owned(), |option| option.value),
        devices_udev_regex: section.take("devices_udev_regex").map(|option| option.value),
        cpuinfo_regex: section.take("cpuinfo_regex").map(|option| option.value),
        uname_regex: section.take("uname_regex").map(|option| option.value),
        name: section.name.clone(),
        place,
        options: section,
    }
}

/// A later section of a name adds to an earlier one, unless it replaces that.
fn merge(units: &mut Vec<Unit>, unit: Unit) {
    let Some(had) = units.iter_mut().find(|had| had.name == unit.name) else { return units.push(unit) };
    if unit.replace {
        *had = unit;
        return;
    }
    had.plugin = unit.plugin;
    had.enabled = unit.enabled;
    had.devices = unit.devices;
    had.devices_udev_regex = unit.devices_udev_regex.or(had.devices_udev_regex.take());
    had.cpuinfo_regex = unit.cpuinfo_regex.or(had.cpuinfo_regex.take());
    had.uname_regex = unit.uname_regex.or(had.uname_regex.take());
    had.options.options.retain(|option| !unit.drop.contains(&option.name));
    for option in unit.options.options {
        had.options.set(option);
    }
}

/// Variables are defined in the order of the merged section; `include` brings a file of them.
fn define_variables(host: &Host, loaded: &mut Loaded) {
    let Some(at) = loaded.units.iter().position(|unit| unit.name == "variables") else { return };
    for option in loaded.units.remove(at).options.options {
        if option.name == "include" {
            match host.read_text(&option.value) {
                Ok(text) => {
                    for section in parse(&option.value, &text, Some("variables")).sections {
                        section.options.iter().for_each(|option| define(loaded, option));
                    }
                }
                Err(error) => {
                    let what = format!("cannot read its variables: {error}");
                    loaded.notes.push(Note { place: option.place.clone(), what });
                }
            }
        } else {
            define(loaded, &option);
        }
    }
}

fn define(loaded: &mut Loaded, option: &ConfigOption) {
    loaded.variables.define(&option.name, &option.value);
    loaded.notes.extend(loaded.variables.notes_at(&option.place));
    if let Some(what) = loaded.variables.failed.take() {
        let what = format!("tuned would not load this profile here: {what}");
        loaded.notes.push(Note { place: option.place.clone(), what });
    }
}
