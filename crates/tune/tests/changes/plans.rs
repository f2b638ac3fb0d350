//! Several changes that stand or fall together, that last over a boot, and that wait to be confirmed.

use std::cell::{Cell, RefCell};

use heldup_tune::{Catalogue, ChangeError, Changer, Foreign, State, Why};

use crate::kernel::{Kernel, at_every_step, make, plan, recover, undo};

/// Values that are coupled, clamped and unrelated, made to last.
const SEVERAL: [(&str, &str); 3] =
    [("vm.dirty_bytes", "1048576"), ("vm.nr_hugepages", "500"), ("vm.swappiness", "10")];

#[test]
fn a_plan_that_is_interrupted_is_undone_with_its_lines() {
    let before = Kernel::new().all();
    let foreign = "vm.swappiness = 1\n";
    let file = "/etc/sysctl.d/90-heldup.conf";
    let prepare = |kernel: &Kernel, _: &Catalogue| {
        kernel.files.borrow_mut().insert(file.to_owned(), foreign.to_owned());
    };
    let ends = at_every_step(
        prepare,
        |kernel, catalogue| _ = make(kernel, catalogue, &plan(catalogue, &SEVERAL, true), None),
        |kernel, catalogue, at| {
            recover(kernel, catalogue).unwrap();
            let changes = Changer::new(catalogue, kernel).changes().unwrap();
            let standing: Vec<u64> = changes.iter().filter(|c| !c.is_over()).map(|c| c.id()).collect();
            assert!(standing.is_empty() || standing == [1, 2, 3], "{at}: a part is in effect: {standing:?}");
            if !standing.is_empty() {
                assert_eq!(kernel.files.borrow()[file].matches("# change ").count(), 3, "{at}");
                undo(kernel, catalogue, &standing).unwrap();
            }
            assert_eq!(kernel.all(), before, "{at}");
            assert_eq!(kernel.files.borrow()[file], foreign, "{at}");
        },
    );
    // Three of begin, write, file and done, and that the plan stands.
    assert_eq!(ends, 4 * 13);
}

#[test]
fn taking_a_plan_back_is_finished_by_the_next_run() {
    let before = Kernel::new().all();
    at_every_step(
        |kernel, catalogue| _ = make(kernel, catalogue, &plan(catalogue, &SEVERAL, true), None).unwrap(),
        |kernel, catalogue| _ = undo(kernel, catalogue, &[1, 2, 3]),
        |kernel, catalogue, at| {
            recover(kernel, catalogue).unwrap();
            let changes = Changer::new(catalogue, kernel).changes().unwrap();
            let standing = changes.iter().filter(|change| !change.is_over()).count();
            assert!(standing == 0 || standing == 3, "{at}: a part is in effect");
            if standing > 0 {
                undo(kernel, catalogue, &[1, 2, 3]).unwrap();
            }
            assert_eq!(kernel.all(), before, "{at}");
            assert!(kernel.files.borrow().is_empty(), "{at}: {:?}", kernel.files.borrow());
        },
    );
}

#[test]
fn a_plan_of_which_one_is_refused_changes_nothing() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let settings = [("vm.dirty_bytes", "1048576"), ("vm.swappiness", "13"), ("vm.nr_hugepages", "1")];
    let wanted = plan(&catalogue, &settings, false);
    let changer = Changer::new(&catalogue, &kernel);
    let writer = changer.writer().unwrap();
    let failed = wanted.apply(&writer, &|| false).unwrap_err();
    assert!(matches!(failed.error, Some(ChangeError::Refused { .. })), "{failed:?}");
    assert_eq!((failed.undone.len(), failed.left.len()), (1, 0));
    assert_eq!(kernel.all(), Kernel::new().all());
    // Somebody asks to stop after the second change.
    let asked = Cell::new(0);
    let stop = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    let failed = plan(&catalogue, &SEVERAL, true).apply(&writer, &stop).unwrap_err();
    assert!(failed.error.is_none() && failed.left.is_empty(), "{failed:?}");
    assert_eq!(failed.undone.len(), 2);
    assert_eq!(kernel.all(), Kernel::new().all());
    assert!(kernel.files.borrow().is_empty());
}

#[test]
fn what_nobody_confirms_is_undone_when_its_time_is_over() {
    let catalogue = Catalogue::builtin();
    let wanted = plan(&catalogue, &SEVERAL, true);
    let kernel = Kernel::new();
    kernel.now_ns.set(100);
    make(&kernel, &catalogue, &wanted, Some(200)).unwrap();
    kernel.now_ns.set(199);
    assert_eq!(recover(&kernel, &catalogue).unwrap(), 0, "its time is not over");
    kernel.now_ns.set(200);
    assert_eq!(recover(&kernel, &catalogue).unwrap(), 3);
    assert_eq!(kernel.all(), Kernel::new().all());
    let changes = Changer::new(&catalogue, &kernel).changes().unwrap();
    assert!(changes.iter().all(|change| change.state == State::Undone(Why::NotConfirmed)));
    // Too late.
    let changer = Changer::new(&catalogue, &kernel);
    assert!(matches!(changer.writer().unwrap().confirm(1), Err(ChangeError::NoChange(1))));
}

#[test]
fn a_confirmation_that_is_cut_off_counts_or_does_not() {
    let mut outcomes = std::collections::BTreeSet::new();
    let seen = RefCell::new(&mut outcomes);
    at_every_step(
        |kernel, catalogue| {
            _ = make(kernel, catalogue, &plan(catalogue, &SEVERAL, true), Some(200)).unwrap();
        },
        |kernel, catalogue| {
            let changer = Changer::new(catalogue, kernel);
            let _ = changer.writer().and_then(|writer| writer.confirm(1));
        },
        |kernel, catalogue, at| {
            kernel.now_ns.set(300);
            let undone = recover(kernel, catalogue).unwrap();
            assert!(undone == 0 || undone == 3, "{at}: {undone}");
            assert_eq!(kernel.all() == Kernel::new().all(), undone == 3, "{at}");
            seen.borrow_mut().insert(undone);
        },
    );
    assert_eq!(outcomes.into_iter().collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn what_lasts_over_a_boot_is_undone_after_it() {
    let catalogue = Catalogue::builtin();
    let file = "/etc/sysctl.d/90-heldup.conf";
    let boot = |kernel: &Kernel, swappiness: i64| {
        kernel.boots.set(kernel.boots.get() + 1);
        kernel.set("/proc/sys/vm/swappiness", swappiness);
    };
    let made = |until| {
        let kernel = Kernel::new();
        make(&kernel, &catalogue, &plan(&catalogue, &[("vm.swappiness", "10")], true), until).unwrap();
        assert!(kernel.files.borrow()[file].ends_with("# change 1\nvm.swappiness = 10\n"));
        kernel
    };
    // It is in effect, and is undone when somebody asks.
    let kernel = made(None);
    boot(&kernel, 10);
    assert_eq!(recover(&kernel, &catalogue).unwrap(), 0);
    undo(&kernel, &catalogue, &[1]).unwrap();
    assert_eq!((kernel.all(), kernel.files.borrow().len()), (Kernel::new().all(), 0));
    // Nobody had confirmed it: its line goes before it is applied, and no other value is touched.
    let kernel = made(Some(200));
    boot(&kernel, 30);
    assert_eq!(recover(&kernel, &catalogue).unwrap(), 1);
    assert_eq!(kernel.all().get("/proc/sys/vm/swappiness"), Some(&30));
    assert!(kernel.files.borrow().is_empty());
    // Its line was edited: that stays, and is told.
    let kernel = made(None);
    let edited = kernel.files.borrow()[file].replace("= 10", "= 11");
    kernel.files.borrow_mut().insert(file.to_owned(), edited.clone());
    let changer = Changer::new(&catalogue, &kernel);
    let outcomes = changer.writer().unwrap().undo(&[1], Foreign::Stays).unwrap();
    assert_eq!(outcomes[0].1.as_ref().unwrap().left.as_deref(), Some(file));
    assert_eq!((kernel.all(), kernel.files.borrow()[file].clone()), (Kernel::new().all(), edited));
}

#[test]
fn what_is_not_confirmed_stays_under_what_stands_on_it() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let swappiness = || kernel.all().get("/proc/sys/vm/swappiness").copied();
    make(&kernel, &catalogue, &plan(&catalogue, &[("vm.swappiness", "10")], false), Some(5)).unwrap();
    make(&kernel, &catalogue, &plan(&catalogue, &[("vm.swappiness", "20")], false), None).unwrap();
    kernel.now_ns.set(9);
    let changer = Changer::new(&catalogue, &kernel);
    let first = changer.writer().unwrap();
    let outcomes: Vec<_> = first.recovered().iter().map(|one| (one.change.id(), &one.outcome)).collect();
    assert!(matches!(outcomes[..], [(1, Err(ChangeError::Under { by: 2, .. }))]), "{outcomes:?}");
    drop(first);
    assert_eq!(swappiness(), Some(20), "what was set on top of it is what somebody wants");
    changer.writer().unwrap().undo(&[2], Foreign::Stays).unwrap()[0].1.as_ref().unwrap();
    recover(&kernel, &catalogue).unwrap();
    assert_eq!(kernel.all(), Kernel::new().all());
}
