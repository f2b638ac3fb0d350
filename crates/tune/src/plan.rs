//! A plan of changes: each setting with its current and its new value, coupled settings, and
//! objections.

use heldup_hostfs::{Host, HostError};

use crate::assignment::{Applier, Assignments};
use crate::call_door::CallDoor;
use crate::called::{self, Place};
use crate::catalogue::Catalogue;
use crate::change_log::ChangeId;
use crate::changer::{Applied, ChangeError, Door, Foreign, Wanted, Writer};
use crate::coupling::coupled_instances;
use crate::instance::Instance;
use crate::objection::Objection;
use crate::persistence::BootFile;
use crate::profile::{Outcome, Step};
use crate::setting_path::fits;
use crate::standing::{read, read_value, release};
use crate::tunable::{Kind, Tunable};
use crate::value::canonical_of;

/// Files that one assignment may match: more is a mistake.
const MOST_INSTANCES: usize = 256;

/// Settings without an effect on a machine without swap.
const OF_SWAP: [&str; 2] = ["vm.page-cluster", "vm.swappiness"];

/// Changes in the order in which they are made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Each setting; also those that have their value already.
    pub changes: Vec<Planned>,
}

/// A setting of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Id of the catalogue; empty where that does not have it.
    pub tunable: String,
    /// Which file.
    pub instance: Instance,
    /// Its value now; none where it cannot be read.
    pub from: Option<String>,
    /// The new value.
    pub to: String,
    /// Whether it is to last over a boot.
    pub persist: bool,
    /// What a write of it may change too.
    pub coupled: Vec<Coupled>,
    /// What speaks against it.
    pub objections: Vec<Objection>,
}

/// A setting that may move with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupled {
    /// Id of the catalogue.
    pub tunable: String,
    /// Which file.
    pub instance: Instance,
    /// Its value now; none where it has none.
    pub value: Option<String>,
}

/// A name that is no setting of this machine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The catalogue does not know it.
    #[error("unknown setting `{name}`{} (see `heldup tune list`)", hint(.close))]
    Unknown {
        /// As it was given.
        name: String,
        /// Ids that look like it.
        close: Vec<String>,
    },
    /// The catalogue knows it, and this machine does not have it.
    #[error("{name}: not on this machine{}", .only.as_ref().map_or_else(String::new, |only| format!(" (only {only})")))]
    Absent {
        /// As it was given.
        name: String,
        /// Who has it.
        only: Option<String>,
    },
    /// It is set by a call that this program does not make.
    #[error("{name} cannot be set by heldup: it has no file (use {call})")]
    Call {
        /// As it was given.
        name: String,
        /// How it is set.
        call: String,
    },
    /// It is a process's or a control group's, and none is named.
    #[error("{name} needs a process or control group, as in {example}")]
    NoOwner {
        /// As it was given.
        name: String,
        /// How one is named.
        example: String,
    },
    /// It matches more files than anybody means.
    #[error("{name} matches {count} files; name those to change")]
    TooMany {
        /// As it was given.
        name: String,
        /// How many.
        count: usize,
    },
}

fn hint(close: &[String]) -> String {
    if close.is_empty() { String::new() } else { format!("; did you mean {}?", close.join(", ")) }
}

/// Why a plan was not carried out.
#[derive(Debug)]
pub struct PlanFailure {
    /// What went wrong; none where somebody asked to stop.
    pub error: Option<ChangeError>,
    /// The changes that had been made and are undone.
    pub undone: Vec<Applied>,
    /// What could not be undone; the next run tries again.
    pub left: Vec<ChangeError>,
}

/// A plan that was carried out, and is complete once its writer commits it ([`Writer::commit`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its number; none where there was nothing to do.
    pub plan: Option<ChangeId>,
    /// What became of each change.
    pub changes: Vec<Applied>,
}

impl Plan {
    /// The plan of some settings (id, key such as `block.vda.queue.scheduler`, path; `*` for several
    /// devices) and their values. What is wrong with a value is an objection of its change.
    pub fn from_assignments<'a>(
        catalogue: &Catalogue,
        host: &Host,
        given: impl IntoIterator<Item = (&'a str, &'a str)>,
        persist: bool,
    ) -> Result<Plan, Vec<PlanError>> {
        let files = persist.then(|| Assignments::of(host));
        let (mut plan, mut errors) = (Plan::default(), Vec::new());
        for (name, value) in given {
            let to = value.split_whitespace().collect::<Vec<_>>().join(" ");
            match resolve(catalogue, host, name) {
                Err(error) => errors.push(error),
                Ok((tunable, instances)) => {
                    for instance in instances {
                        let mut planned = planned(catalogue, host, tunable, instance, &to);
                        if let Some(files) = &files {
                            persisted(&mut planned, host, files);
                        }
                        plan.add(planned);
                    }
                }
            }
        }
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    /// The plan of a profile's steps: those that would change something, in their order. What is not
    /// here, or would be refused, is not in it.
    pub fn from_steps<'a>(
        catalogue: &Catalogue,
        host: &Host,
        steps: impl IntoIterator<Item = &'a Step>,
        persist: bool,
    ) -> Plan {
        let files = persist.then(|| Assignments::of(host));
        let mut plan = Plan::default();
        for step in steps.into_iter().filter(|step| step.outcome == Outcome::Change) {
            let Some(to) = &step.to else { continue };
            let instance = Instance { key: step.key.clone(), path: step.path.clone() };
            let mut planned = match step.id.as_deref().and_then(|id| catalogue.find(id)) {
                Some(tunable) => planned(catalogue, host, tunable, instance, to),
                None => unlisted(host, instance, step.from.clone(), to),
            };
            if let Some(files) = &files {
                persisted(&mut planned, host, files);
            }
            plan.add(planned);
        }
        plan
    }

    /// Adds what a command wants by itself, of a place that no catalogue names.
    pub(crate) fn add_place(&mut self, host: &Host, instance: Instance, to: &str) {
        let from = read_value(host, &instance.path).ok();
        let from = from.map(|text| canonical_of(Kind::Word, &text));
        let planned = unlisted(host, instance, from, to);
        self.add(planned);
    }

    /// Adds a change, and what it has against those before it.
    fn add(&mut self, mut planned: Planned) {
        for earlier in &self.changes {
            if earlier.instance.path == planned.instance.path {
                planned.refuse(format!("{} is in the plan twice", planned.instance.key));
            } else if planned.coupled.iter().any(|other| other.instance.path == earlier.instance.path) {
                planned.warn(format!("may reset {}, which this plan sets earlier", earlier.instance.key));
            }
        }
        self.changes.push(planned);
    }

    /// Changes that will not be made, and why.
    pub fn refused(&self) -> impl Iterator<Item = (&Planned, &Objection)> {
        self.changes.iter().flat_map(|planned| {
            let refusing = planned.objections.iter().filter(|objection| objection.refuses);
            refusing.map(move |objection| (planned, objection))
        })
    }

    /// Makes every change, in order. Where one fails, or somebody asks to stop, those that were made
    /// are undone. Until [`Writer::commit`] is called the next run undoes all of them.
    pub fn apply<D: Door>(
        &self,
        writer: &Writer<'_, '_, D>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Made, Box<PlanFailure>> {
        let mut made = Made { plan: None, changes: Vec::new() };
        if let Some((planned, objection)) = self.refused().next() {
            let (key, what) = (planned.instance.key.clone(), objection.what.clone());
            return Err(failure(writer, made, Some(ChangeError::Unfit { key, what })));
        }
        for planned in &self.changes {
            if stopped() {
                return Err(failure(writer, made, None));
            }
            match planned.make(writer, made.plan) {
                Ok(applied) => {
                    made.plan = made.plan.or(applied.id);
                    made.changes.push(applied);
                }
                Err(error) => return Err(failure(writer, made, Some(error))),
            }
        }
        // Until here all of it can be undone completely.
        if stopped() { Err(failure(writer, made, None)) } else { Ok(made) }
    }
}

impl Planned {
    /// Whether it would change anything.
    pub fn is_change(&self) -> bool {
        self.persist || self.from.as_deref() != Some(self.to.as_str())
    }

    fn refuse(&mut self, what: String) {
        self.objections.push(Objection { refuses: true, what });
    }

    fn warn(&mut self, what: String) {
        self.objections.push(Objection { refuses: false, what });
    }

    fn make<D: Door>(
        &self,
        writer: &Writer<'_, '_, D>,
        plan: Option<ChangeId>,
    ) -> Result<Applied, ChangeError> {
        let catalogue = writer.catalogue();
        let unfit = |what: String| ChangeError::Unfit { key: self.instance.key.clone(), what };
        let tunable = catalogue.find(&self.tunable);
        let coupled = self.coupled.iter();
        let coupled: Vec<(&Tunable, Instance)> = coupled
            .filter_map(|other| Some((catalogue.find(&other.tunable)?, other.instance.clone())))
            .collect();
        let file = self.persist.then(|| BootFile::of(&self.instance, &self.to)).transpose();
        let file = file.map_err(unfit)?;
        let wanted = Wanted {
            tunable,
            instance: &self.instance,
            to: &self.to,
            coupled: &coupled,
            persist: file.as_ref(),
        };
        writer.apply_in(&wanted, plan)
    }
}

/// Undoes what was made of a plan.
fn failure<D: Door>(writer: &Writer<'_, '_, D>, made: Made, error: Option<ChangeError>) -> Box<PlanFailure> {
    let mut left = Vec::new();
    if let Some(plan) = made.plan {
        match writer.undo_plan(plan, Foreign::Goes) {
            Ok(outcomes) => left.extend(outcomes.into_iter().filter_map(|(_, outcome)| outcome.err())),
            Err(error) => left.push(error),
        }
    }
    let undone = made.changes.into_iter().filter(|applied| applied.id.is_some()).collect();
    Box::new(PlanFailure { error, undone, left })
}

/// The tunable of a name and the files that are meant.
fn resolve<'c>(
    catalogue: &'c Catalogue,
    host: &Host,
    name: &str,
) -> Result<(&'c Tunable, Vec<Instance>), PlanError> {
    let Some(tunable) = catalogue.named(name) else {
        let close = catalogue.close_to(name).into_iter().map(str::to_owned).collect();
        return Err(PlanError::Unknown { name: name.to_owned(), close });
    };
    let name = name.to_owned();
    match (tunable.owned_instances(host, &name), tunable.example_of_owned()) {
        (Some(Ok(instances)), _) => return Ok((tunable, instances)),
        (Some(Err(_)), _) => {
            let is_group = tunable.door == Some(CallDoor::Cgroup);
            let only = if is_group { "while the group exists" } else { "while the process runs" };
            return Err(PlanError::Absent { name, only: Some(only.to_owned()) });
        }
        (None, Some(example)) => return Err(PlanError::NoOwner { name, example }),
        (None, None) => {}
    }
    if let (None, None, Some(call)) = (&tunable.path, tunable.door, &tunable.call) {
        return Err(PlanError::Call { name, call: call.clone() });
    }
    let mut instances = tunable.instances(host);
    if name != tunable.id {
        instances.retain(|instance| fits(&name, &instance.key) || fits(&name, &instance.path));
    }
    match instances.len() {
        0 => Err(PlanError::Absent { name, only: tunable.only.clone() }),
        count if count > MOST_INSTANCES => Err(PlanError::TooMany { name, count }),
        _ => Ok((tunable, instances)),
    }
}

fn planned(catalogue: &Catalogue, host: &Host, tunable: &Tunable, instance: Instance, to: &str) -> Planned {
    let now = read(host, tunable, &instance.path);
    let completed = called::completed(&instance.path, now.as_deref().ok(), to);
    let wanted = called::judged(&instance.path, &completed).to_owned();
    let wanted = wanted.as_str();
    let coupled = coupled_instances(catalogue, host, tunable, &instance);
    let coupled = coupled.into_iter().map(|(other, at)| Coupled {
        tunable: other.id.clone(),
        value: read(host, other, &at.path).ok(),
        instance: at,
    });
    let mut planned = Planned {
        tunable: tunable.id.clone(),
        to: completed,
        persist: false,
        coupled: coupled.collect(),
        objections: Vec::new(),
        from: None,
        instance,
    };
    let writable = may_write(host, &planned.instance.path);
    for refusal in
        [tunable.objection(wanted, None), now.as_ref().err().map(words), writable.as_ref().err().map(words)]
    {
        if let Some(what) = refusal.filter(|what| !planned.objections.iter().any(|had| had.what == *what)) {
            planned.refuse(what);
        }
    }
    let late = tunable.objection(wanted, release(host)).filter(|_| tunable.objection(wanted, None).is_none());
    if let Some(what) = late {
        planned.warn(format!("{what}; the kernel refuses it unless the distribution has backported it"));
    }
    if planned.objections.is_empty() {
        planned.objections = called::objections(host, &planned.instance.path, &planned.to);
    }
    if let Some(what) = without_effect(host, tunable) {
        planned.warn(what.to_owned());
    }
    planned.from = now.ok();
    planned
}

/// Why a setting has no effect on this machine; none if it has one, or that is unknown.
fn without_effect(host: &Host, tunable: &Tunable) -> Option<&'static str> {
    if !OF_SWAP.contains(&tunable.id.as_str()) {
        return None;
    }
    // Below its heading one line for each area.
    let swaps = host.read_text("/proc/swaps").ok()?;
    (swaps.lines().count() <= 1).then_some("no effect here: no swap configured")
}

/// A file or place that the catalogue does not have: what it does and what it takes only the kernel knows.
fn unlisted(host: &Host, instance: Instance, from: Option<String>, to: &str) -> Planned {
    let writable = may_write(host, &instance.path);
    let (tunable, coupled, objections) = (String::new(), Vec::new(), Vec::new());
    let mut planned =
        Planned { tunable, to: to.to_owned(), persist: false, coupled, objections, from, instance };
    if let Err(error) = writable {
        planned.refuse(words(&error));
    }
    planned
}

fn may_write(host: &Host, path: &str) -> Result<(), HostError> {
    Place::of(path).map_or_else(|| host.may_write_setting(path), |place| place.may_write(host))
}

fn words(error: &HostError) -> String {
    match error {
        HostError::Denied { path } => format!("{}: permission denied (run as root)", path.display()),
        other => other.to_string(),
    }
}

/// Makes a change persistent, and warns of a file that overrides it.
fn persisted(planned: &mut Planned, host: &Host, files: &Assignments) {
    planned.persist = true;
    let file = match BootFile::of(&planned.instance, &planned.to) {
        Ok(file) => file,
        Err(what) => return planned.refuse(what),
    };
    // /etc/udev is where udev is.
    if let Some(folder) = file.path.rsplitn(3, '/').last().filter(|folder| !host.exists(folder)) {
        planned.refuse(format!("{folder} does not exist: nothing would set it at boot"));
    }
    let after = files.to(&planned.instance.path).into_iter().rfind(|given| {
        // A file's name decides, wherever it lies; what tmpfiles sets comes after sysctl.
        let later = given.applier == Applier::Tmpfiles && !file.path.contains("tmpfiles");
        given.file != file.path && (later || name(&given.file) > name(file.path))
    });
    if let Some(given) = after.filter(|given| given.value != planned.to) {
        planned.warn(format!("{}:{} overrides it with {} at each boot", given.file, given.line, given.value));
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
