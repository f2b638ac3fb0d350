//! A change is taken back whatever ends the program, at every step of it.
//!
//! A small kernel stands in for the machine: its dirty thresholds are coupled as the real ones
//! are, it clamps one setting and refuses values. Every call to it may be the last that the
//! program makes: before it has its effect, after it, or, of the log, in the middle of a line.

#![allow(clippy::unwrap_used, reason = "a test says what it finds by failing")]

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};

use heldup_hostfs::HostError;
use heldup_tune::{Catalogue, ChangeError, Changer, Door, Instance, State, Tunable};

/// How the program ends at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Before,
    Middle,
    After,
}

/// A kernel and a disk.
#[derive(Default)]
struct Kernel {
    settings: RefCell<BTreeMap<String, i64>>,
    log: RefCell<Vec<u8>>,
    steps: Cell<usize>,
    boots: Cell<u32>,
    last: Cell<Option<(usize, End)>>,
}

fn killed() -> HostError {
    HostError::from_io("/killed", Error::new(ErrorKind::Interrupted, "the program ended here"))
}

impl Kernel {
    fn new() -> Kernel {
        let kernel = Kernel::default();
        let start = [("dirty_ratio", 20), ("dirty_bytes", 0), ("swappiness", 60), ("nr_hugepages", 0)];
        for (name, value) in start {
            kernel.settings.borrow_mut().insert(format!("/proc/sys/vm/{name}"), value);
        }
        kernel
    }

    fn all(&self) -> BTreeMap<String, i64> {
        self.settings.borrow().clone()
    }

    fn set(&self, path: &str, value: i64) {
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
    fn read(&self, path: &str) -> Result<String, HostError> {
        self.settings.borrow().get(path).map(i64::to_string).ok_or_else(killed)
    }

    fn write(&self, path: &str, value: &str) -> Result<(), HostError> {
        let end = self.step()?;
        // A setting has no middle.
        if end != Some(End::Middle) {
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

    fn append(&self, line: &str) -> Result<(), HostError> {
        let end = self.step()?;
        let length = if end == Some(End::Middle) { line.len() / 2 } else { line.len() };
        self.log.borrow_mut().extend(&line.as_bytes()[..length]);
        if end.is_some() { Err(killed()) } else { Ok(()) }
    }
}

fn instance(id: &str) -> Instance {
    Instance { key: id.to_owned(), path: format!("/proc/sys/{}", id.replace('.', "/")) }
}

/// Applies with all that it is coupled with and that this kernel has.
fn apply(kernel: &Kernel, catalogue: &Catalogue, id: &str, to: &str) -> Result<Option<u64>, ChangeError> {
    let tunable = catalogue.find(id).unwrap();
    let coupled = tunable.interacts.iter().filter(|other| other.couples);
    let coupled: Vec<(&Tunable, Instance)> = coupled
        .filter(|other| kernel.all().contains_key(&instance(&other.id).path))
        .map(|other| (catalogue.find(&other.id).unwrap(), instance(&other.id)))
        .collect();
    let applied = Changer::new(catalogue, kernel).apply(tunable, &instance(id), to, &coupled)?;
    Ok(applied.id)
}

/// Every way in which the program can end: `act` is run with each, then the next run recovers.
fn at_every_step(
    prepare: impl Fn(&Kernel, &Catalogue),
    act: impl Fn(&Kernel, &Catalogue),
    check: impl Fn(&Kernel, &Catalogue, &str),
) -> usize {
    let catalogue = Catalogue::builtin();
    let mut ends = 0;
    for end in [End::Before, End::Middle, End::After] {
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

#[test]
fn a_change_that_is_cut_off_is_taken_back_by_the_next_run() {
    for (id, to) in [
        ("vm.swappiness", "10"),
        ("vm.dirty_bytes", "1048576"),
        ("vm.dirty_ratio", "5"),
        ("vm.nr_hugepages", "500"),
        ("vm.swappiness", "13"),
    ] {
        let before = Kernel::new().all();
        let ends = at_every_step(
            |_, _| {},
            |kernel, catalogue| _ = apply(kernel, catalogue, id, to),
            |kernel, catalogue, at| {
                let changer = Changer::new(catalogue, kernel);
                changer.recover().unwrap();
                let standing: Vec<u64> = changer
                    .changes()
                    .unwrap()
                    .iter()
                    .filter(|c| matches!(c.state, State::Done { .. }))
                    .map(|c| c.id)
                    .collect();
                if standing.is_empty() {
                    assert_eq!(kernel.all(), before, "{id}={to}: {at}: not as before");
                }
                for change in standing {
                    assert_ne!(kernel.all(), before, "{id}={to}: {at}: noted and not done");
                    changer.undo(change).unwrap();
                }
                assert_eq!(kernel.all(), before, "{id}={to}: {at}: after undo");
                assert!(changer.recover().unwrap().is_empty(), "{id}={to}: {at}: recovered twice");
            },
        );
        assert!(ends >= 9, "{id}: only {ends} ends");
    }
}

#[test]
fn an_undo_that_is_cut_off_is_finished_by_the_next_run() {
    let before = Kernel::new().all();
    at_every_step(
        |kernel, catalogue| _ = apply(kernel, catalogue, "vm.dirty_bytes", "1048576").unwrap(),
        |kernel, catalogue| _ = Changer::new(catalogue, kernel).undo(1),
        |kernel, catalogue, at| {
            let changer = Changer::new(catalogue, kernel);
            changer.recover().unwrap();
            // Cut off before it was even noted: it still stands, and can be taken back.
            if matches!(changer.changes().unwrap()[0].state, State::Done { .. }) {
                changer.undo(1).unwrap();
            }
            assert_eq!(kernel.all(), before, "{at}");
        },
    );
}

#[test]
fn a_recovery_that_is_cut_off_is_finished_by_the_one_after() {
    let before = Kernel::new().all();
    at_every_step(
        |kernel, catalogue| {
            // Killed between the setting and the note that it stands.
            kernel.last.set(Some((1, End::After)));
            assert!(apply(kernel, catalogue, "vm.dirty_bytes", "1048576").is_err());
            assert_ne!(kernel.all(), before);
        },
        |kernel, catalogue| _ = Changer::new(catalogue, kernel).recover(),
        |kernel, catalogue, at| {
            Changer::new(catalogue, kernel).recover().unwrap();
            assert_eq!(kernel.all(), before, "{at}");
        },
    );
}

#[test]
fn what_the_kernel_made_of_it_is_told() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let changer = Changer::new(&catalogue, &kernel);
    let huge = catalogue.find("vm.nr_hugepages").unwrap();
    let applied = changer.apply(huge, &instance("vm.nr_hugepages"), "500", &[]).unwrap();
    assert_eq!((applied.before.as_str(), applied.now.as_str()), ("0", "100"), "clamped");

    let (bytes, ratio) =
        (catalogue.find("vm.dirty_bytes").unwrap(), catalogue.find("vm.dirty_ratio").unwrap());
    let coupled = [(ratio, instance("vm.dirty_ratio"))];
    let applied = changer.apply(bytes, &instance("vm.dirty_bytes"), "1048576", &coupled).unwrap();
    let moved = applied.moved.first().unwrap();
    assert_eq!((moved.0.as_str(), moved.1.as_str(), moved.2.as_str()), ("vm.dirty_ratio", "20", "0"));

    let swappiness = catalogue.find("vm.swappiness").unwrap();
    let refused = changer.apply(swappiness, &instance("vm.swappiness"), "13", &[]).unwrap_err();
    assert!(matches!(refused, ChangeError::Refused { .. }), "{refused}");
    let unfit = changer.apply(swappiness, &instance("vm.swappiness"), "1000", &[]).unwrap_err();
    assert_eq!(unfit.to_string(), "vm.swappiness: 1000 is out of range; expected 0 to 200");
    assert_eq!(
        changer.apply(swappiness, &instance("vm.swappiness"), "60", &[]).unwrap().id,
        None,
        "nothing to do"
    );
}

#[test]
fn what_somebody_else_has_set_since_is_left() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let id = apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap().unwrap();
    kernel.set("/proc/sys/vm/swappiness", 33);
    let drifted = Changer::new(&catalogue, &kernel).undo(id).unwrap_err();
    assert!(matches!(drifted, ChangeError::Drifted { .. }), "{drifted}");
    assert_eq!(kernel.all().get("/proc/sys/vm/swappiness"), Some(&33));
}

#[test]
fn a_log_that_is_not_ours_is_refused() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    kernel.log.borrow_mut().extend(b"vm.swappiness = 1\n");
    let fault = apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap_err();
    assert!(fault.to_string().starts_with("line 1 of the log of changes: "), "{fault}");
    assert_eq!(kernel.all(), Kernel::new().all());
}

#[test]
fn what_a_boot_has_taken_back_is_not_written_again() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap();
    kernel.steps.set(0);
    kernel.last.set(Some((1, End::After)));
    apply(&kernel, &catalogue, "vm.dirty_ratio", "5").unwrap_err();
    kernel.last.set(None);
    // A file of the machine sets another value at boot than there was before.
    kernel.boots.set(1);
    kernel.set("/proc/sys/vm/swappiness", 30);
    kernel.set("/proc/sys/vm/dirty_ratio", 15);
    let after_boot = kernel.all();
    let changer = Changer::new(&catalogue, &kernel);
    assert!(changer.recover().unwrap().is_empty());
    assert!(changer.changes().unwrap().iter().all(|change| change.state == State::Gone));
    assert!(matches!(changer.undo(1), Err(ChangeError::NoChange(1))));
    assert_eq!(kernel.all(), after_boot);
}
