//! A kernel and a disk that may end the program at every step, and what the tests do with them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};

use heldup_hostfs::HostError;
use heldup_tune::{
    Applied, Catalogue, ChangeError, Changer, Coupled, Door, Foreign, Instance, Plan, Planned, Tunable,
    Wanted, Writer,
};

/// How the program ends at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Before,
    /// Of a line of the log half is there.
    Middle,
    /// All of it but its end.
    Unended,
    After,
}

/// A kernel and a disk.
#[derive(Default)]
pub struct Kernel {
    pub settings: RefCell<BTreeMap<String, i64>>,
    pub files: RefCell<BTreeMap<String, String>>,
    pub log: RefCell<Vec<u8>>,
    pub steps: Cell<usize>,
    pub boots: Cell<u32>,
    pub now_ns: Cell<u64>,
    pub namespace: Cell<u32>,
    pub last: Cell<Option<(usize, End)>>,
}

fn killed() -> HostError {
    HostError::from_io("/killed", Error::new(ErrorKind::Interrupted, "the program ended here"))
}

impl Kernel {
    pub fn new() -> Kernel {
        let kernel = Kernel::default();
        let start = [("dirty_ratio", 20), ("dirty_bytes", 0), ("swappiness", 60), ("nr_hugepages", 0)];
        for (name, value) in start {
            kernel.settings.borrow_mut().insert(format!("/proc/sys/vm/{name}"), value);
        }
        kernel
    }

    pub fn all(&self) -> BTreeMap<String, i64> {
        self.settings.borrow().clone()
    }

    pub fn set(&self, path: &str, value: i64) {
        self.settings.borrow_mut().insert(path.to_owned(), value);
    }

    /// Counts a step that changes something; how the program ends at it. Afterwards it is dead.
    fn step(&self) -> Result<Option<End>, HostError> {
        let step = self.steps.get();
        self.steps.set(step + 1);
        match self.last.get() {
            Some((last, _)) if step > last => Err(killed()),
            Some((last, End::Before)) if step == last => Err(killed()),
            Some((last, end)) if step == last => Ok(Some(end)),
            _ => Ok(None),
        }
    }

    fn take(&self, path: &str, value: i64) -> Result<(), HostError> {
        let refuse = || Err(HostError::from_io(path, Error::from(ErrorKind::InvalidInput)));
        match path {
            "/proc/sys/vm/dirty_bytes" if value < 8192 => return refuse(),
            "/proc/sys/vm/dirty_bytes" => self.set("/proc/sys/vm/dirty_ratio", 0),
            "/proc/sys/vm/dirty_ratio" => self.set("/proc/sys/vm/dirty_bytes", 0),
            "/proc/sys/vm/swappiness" if value == 13 => return refuse(),
            _ => {}
        }
        // No more huge pages than memory has room for.
        let room = if path.ends_with("nr_hugepages") { value.min(100) } else { value };
        self.set(path, room);
        Ok(())
    }
}

impl Door for &Kernel {
    type Lock = ();

    fn lock(&self) -> Result<(), HostError> {
        Ok(())
    }

    fn wait_for_lock(&self) -> Result<(), HostError> {
        Ok(())
    }

    fn read(&self, path: &str) -> Result<String, HostError> {
        let setting = self.settings.borrow().get(path).map(i64::to_string);
        let text = setting.or_else(|| self.files.borrow().get(path).cloned());
        text.ok_or_else(|| HostError::NotFound { path: path.into() })
    }

    fn replace(&self, path: &str, text: Option<&str>) -> Result<(), HostError> {
        let end = self.step()?;
        // A file is replaced at once.
        if !matches!(end, Some(End::Middle | End::Unended)) {
            match text {
                Some(text) => _ = self.files.borrow_mut().insert(path.to_owned(), text.to_owned()),
                None => _ = self.files.borrow_mut().remove(path),
            }
        }
        if end.is_some() { Err(killed()) } else { Ok(()) }
    }

    fn now_ns(&self) -> u64 {
        self.now_ns.get()
    }

    fn namespace(&self, kind: &str) -> Option<String> {
        Some(format!("{kind}:[{}]", self.namespace.get()))
    }

    fn write(&self, path: &str, value: &str) -> Result<(), HostError> {
        let end = self.step()?;
        // A setting has no middle.
        if !matches!(end, Some(End::Middle | End::Unended)) {
            self.take(path, value.parse().unwrap())?;
        }
        if end.is_some() { Err(killed()) } else { Ok(()) }
    }

    fn boot(&self) -> Result<String, HostError> {
        Ok(format!("boot {}", self.boots.get()))
    }

    fn log(&self) -> Result<Vec<u8>, HostError> {
        Ok(self.log.borrow().clone())
    }

    fn replace_log(&self, text: &str) -> Result<(), HostError> {
        let end = self.step()?;
        // It is replaced at once.
        if !matches!(end, Some(End::Middle | End::Unended)) {
            *self.log.borrow_mut() = text.as_bytes().to_vec();
        }
        if end.is_some() { Err(killed()) } else { Ok(()) }
    }

    fn append(&self, line: &str) -> Result<(), HostError> {
        let end = self.step()?;
        let length = match end {
            Some(End::Middle) => line.len() / 2,
            Some(End::Unended) => line.len() - 1,
            _ => line.len(),
        };
        self.log.borrow_mut().extend(&line.as_bytes()[..length]);
        if end.is_some() { Err(killed()) } else { Ok(()) }
    }
}

pub fn instance(id: &str) -> Instance {
    Instance { key: id.to_owned(), path: format!("/proc/sys/{}", id.replace('.', "/")) }
}

/// Applies with all that it is coupled with and that this kernel has.
pub fn apply(kernel: &Kernel, catalogue: &Catalogue, id: &str, to: &str) -> Result<Option<u64>, ChangeError> {
    let changer = Changer::new(catalogue, kernel);
    Ok(apply_by(&changer.writer()?, id, to)?.id)
}

pub fn coupled<'c>(kernel: &Kernel, catalogue: &'c Catalogue, id: &str) -> Vec<(&'c Tunable, Instance)> {
    let tunable = catalogue.find(id).unwrap();
    let coupled = tunable.interacts.iter().filter(|other| other.couples);
    coupled
        .filter(|other| kernel.all().contains_key(&instance(&other.id).path))
        .map(|other| (catalogue.find(&other.id).unwrap(), instance(&other.id)))
        .collect()
}

pub fn apply_by(writer: &Writer<'_, '_, &Kernel>, id: &str, to: &str) -> Result<Applied, ChangeError> {
    let catalogue = writer.catalogue();
    let coupled = coupled(&Kernel::new(), catalogue, id);
    let (tunable, instance) = (catalogue.find(id).unwrap(), instance(id));
    writer.apply(&Wanted {
        tunable: Some(tunable),
        instance: &instance,
        to,
        coupled: &coupled,
        persist: None,
    })
}

/// Takes changes back; the first that could not be is the error.
pub fn undo(kernel: &Kernel, catalogue: &Catalogue, ids: &[u64]) -> Result<(), ChangeError> {
    let changer = Changer::new(catalogue, kernel);
    let outcomes = changer.writer()?.undo(ids, Foreign::Stays)?;
    outcomes.into_iter().try_for_each(|(_, outcome)| outcome.map(drop))
}

/// What the next run does before anything else, and how many changes it undoes.
pub fn recover(kernel: &Kernel, catalogue: &Catalogue) -> Result<usize, ChangeError> {
    let changer = Changer::new(catalogue, kernel);
    let writer = changer.writer()?;
    let recovered = writer.recovered();
    let wrong: Vec<String> =
        recovered.iter().filter_map(|one| Some(one.outcome.as_ref().err()?.to_string())).collect();
    assert!(wrong.is_empty() || kernel.last.get().is_some(), "{wrong:?}");
    Ok(recovered.len())
}

/// A plan of settings with all that they are coupled with.
pub fn plan(catalogue: &Catalogue, settings: &[(&str, &str)], persist: bool) -> Plan {
    let planned = |(id, to): &(&str, &str)| Planned {
        tunable: (*id).to_owned(),
        instance: instance(id),
        from: None,
        to: (*to).to_owned(),
        persist,
        coupled: coupled(&Kernel::new(), catalogue, id)
            .into_iter()
            .map(|(other, at)| Coupled { tunable: other.id.clone(), instance: at, value: None })
            .collect(),
        objections: Vec::new(),
    };
    Plan { changes: settings.iter().map(planned).collect() }
}

/// Makes a plan and lets it stand, for good or until a time.
pub fn make(
    kernel: &Kernel,
    catalogue: &Catalogue,
    plan: &Plan,
    until_ns: Option<u64>,
) -> Result<u64, String> {
    let changer = Changer::new(catalogue, kernel);
    let writer = changer.writer().map_err(|error| error.to_string())?;
    let made = plan.apply(&writer, &|| false).map_err(|failed| format!("{failed:?}"))?;
    let id = made.plan.ok_or("nothing to do")?;
    writer.commit(id, until_ns).map_err(|error| error.to_string())?;
    Ok(id)
}

/// Every way in which the program can end: `act` is run with each, then the next run recovers.
pub fn at_every_step(
    prepare: impl Fn(&Kernel, &Catalogue),
    act: impl Fn(&Kernel, &Catalogue),
    check: impl Fn(&Kernel, &Catalogue, &str),
) -> usize {
    let catalogue = Catalogue::builtin();
    let mut ends = 0;
    for end in [End::Before, End::Middle, End::Unended, End::After] {
        for step in 0.. {
            let kernel = Kernel::new();
            prepare(&kernel, &catalogue);
            kernel.steps.set(0);
            kernel.last.set(Some((step, end)));
            act(&kernel, &catalogue);
            let reached = kernel.steps.get() > step;
            kernel.last.set(None);
            check(&kernel, &catalogue, &format!("{end:?} step {step}"));
            if !reached {
                break;
            }
            ends += 1;
        }
    }
    ends
}
