//! One change, and its undo.

use heldup_tune::{Catalogue, ChangeError, Changer, Foreign, State};

use crate::kernel::{End, Kernel, apply, apply_by, at_every_step, recover, undo};

#[test]
fn a_change_that_is_interrupted_is_undone_by_the_next_run() {
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
                recover(kernel, catalogue).unwrap();
                let changer = Changer::new(catalogue, kernel);
                let standing: Vec<u64> = changer
                    .changes()
                    .unwrap()
                    .iter()
                    .filter(|c| matches!(c.state, State::Done { .. }))
                    .map(|c| c.id())
                    .collect();
                if standing.is_empty() {
                    assert_eq!(kernel.all(), before, "{id}={to}: {at}: not as before");
                }
                for change in standing {
                    assert_ne!(kernel.all(), before, "{id}={to}: {at}: noted and not done");
                    undo(kernel, catalogue, &[change]).unwrap();
                }
                assert_eq!(kernel.all(), before, "{id}={to}: {at}: after undo");
                assert_eq!(recover(kernel, catalogue).unwrap(), 0, "{id}={to}: {at}: recovered twice");
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
        |kernel, catalogue| _ = undo(kernel, catalogue, &[1]),
        |kernel, catalogue, at| {
            recover(kernel, catalogue).unwrap();
            let changer = Changer::new(catalogue, kernel);
            // Cut off before it was even noted: it is still in effect, and can be undone.
            if matches!(changer.changes().unwrap()[0].state, State::Done { .. }) {
                undo(kernel, catalogue, &[1]).unwrap();
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
        |kernel, catalogue| _ = recover(kernel, catalogue),
        |kernel, catalogue, at| {
            recover(kernel, catalogue).unwrap();
            assert_eq!(kernel.all(), before, "{at}");
        },
    );
}

#[test]
fn what_the_kernel_made_of_it_is_told() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let changer = Changer::new(&catalogue, &kernel);
    let writer = changer.writer().unwrap();
    let applied = apply_by(&writer, "vm.nr_hugepages", "500").unwrap();
    assert_eq!((applied.before.as_str(), applied.now.as_str()), ("0", "100"), "clamped");

    let applied = apply_by(&writer, "vm.dirty_bytes", "1048576").unwrap();
    let moved = applied.moved.first().unwrap();
    assert_eq!((moved.0.as_str(), moved.1.as_str(), moved.2.as_str()), ("vm.dirty_ratio", "20", "0"));

    let refused = apply_by(&writer, "vm.swappiness", "13").unwrap_err();
    assert!(matches!(refused, ChangeError::Refused { .. }), "{refused}");
    let unfit = apply_by(&writer, "vm.swappiness", "1000").unwrap_err();
    assert_eq!(unfit.to_string(), "vm.swappiness: 1000 is out of range (allowed: 0 to 200)");
    assert_eq!(apply_by(&writer, "vm.swappiness", "60").unwrap().id, None, "nothing to do");
}

#[test]
fn what_somebody_else_has_set_since_is_left_unless_it_is_to_go() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    let id = apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap().unwrap();
    kernel.set("/proc/sys/vm/swappiness", 33);
    let drifted = undo(&kernel, &catalogue, &[id]).unwrap_err();
    assert!(matches!(drifted, ChangeError::Drifted { .. }), "{drifted}");
    assert_eq!(kernel.all().get("/proc/sys/vm/swappiness"), Some(&33));
    let changer = Changer::new(&catalogue, &kernel);
    changer.writer().unwrap().undo(&[id], Foreign::Goes).unwrap()[0].1.as_ref().unwrap();
    assert_eq!(kernel.all(), Kernel::new().all());
}

#[test]
fn a_change_below_a_later_one_is_not_undone_alone() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    apply(&kernel, &catalogue, "vm.dirty_bytes", "1048576").unwrap();
    apply(&kernel, &catalogue, "vm.dirty_ratio", "5").unwrap();
    apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap();
    let under = undo(&kernel, &catalogue, &[1]).unwrap_err();
    assert!(matches!(under, ChangeError::Under { by: 2, .. }), "{under}");
    undo(&kernel, &catalogue, &[1, 2]).unwrap();
    let before = Kernel::new();
    before.set("/proc/sys/vm/swappiness", 10);
    assert_eq!(kernel.all(), before.all(), "others stay");
    undo(&kernel, &catalogue, &[3]).unwrap();
    assert_eq!(kernel.all(), Kernel::new().all());
}

/// Our own later change of a setting is no somebody else's.
#[test]
fn a_change_over_another_is_ours_and_goes_first() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    apply(&kernel, &catalogue, "vm.swappiness", "10").unwrap();
    apply(&kernel, &catalogue, "vm.swappiness", "20").unwrap();
    let changer = Changer::new(&catalogue, &kernel);
    let under = |at: usize| {
        let changes = changer.changes().unwrap();
        changes[at].under(&changes).map(|change| change.id())
    };
    assert_eq!((under(0), under(1)), (Some(2), None));
    assert!(matches!(undo(&kernel, &catalogue, &[1]), Err(ChangeError::Under { by: 2, .. })));
    assert_eq!(kernel.all().get("/proc/sys/vm/swappiness"), Some(&20), "neither is touched");
    undo(&kernel, &catalogue, &[2]).unwrap();
    assert_eq!((under(0), kernel.all().get("/proc/sys/vm/swappiness")), (None, Some(&10)));
    undo(&kernel, &catalogue, &[1]).unwrap();
    assert_eq!(kernel.all(), Kernel::new().all());

    // Another setting that moved with a change is covered too, and what did not move is not.
    apply(&kernel, &catalogue, "vm.dirty_ratio", "5").unwrap();
    apply(&kernel, &catalogue, "vm.dirty_bytes", "1048576").unwrap();
    apply(&kernel, &catalogue, "vm.swappiness", "30").unwrap();
    assert_eq!((under(2), under(3), under(4)), (Some(4), None, None));
    undo(&kernel, &catalogue, &[3, 4, 5]).unwrap();
    assert_eq!(kernel.all(), Kernel::new().all());
}

#[test]
fn settings_of_another_namespace_are_not_touched() {
    let (kernel, catalogue) = (Kernel::new(), Catalogue::builtin());
    kernel.set("/proc/sys/net/core/somaxconn", 4096);
    apply(&kernel, &catalogue, "net.core.somaxconn", "512").unwrap();
    kernel.namespace.set(7);
    kernel.set("/proc/sys/net/core/somaxconn", 512);
    let elsewhere = undo(&kernel, &catalogue, &[1]).unwrap_err();
    assert!(matches!(elsewhere, ChangeError::Elsewhere { .. }), "{elsewhere}");
    assert_eq!(kernel.all().get("/proc/sys/net/core/somaxconn"), Some(&512));
    kernel.namespace.set(0);
    undo(&kernel, &catalogue, &[1]).unwrap();
    assert_eq!(kernel.all().get("/proc/sys/net/core/somaxconn"), Some(&4096));
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
fn what_a_boot_has_undone_is_not_written_again() {
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
    assert_eq!(recover(&kernel, &catalogue).unwrap(), 0);
    let changer = Changer::new(&catalogue, &kernel);
    assert!(changer.changes().unwrap().iter().all(|change| change.state == State::Gone));
    assert!(matches!(undo(&kernel, &catalogue, &[1]), Err(ChangeError::NoChange(1))));
    assert_eq!(kernel.all(), after_boot);
}

/// A log with many changes that are over, of which the next run leaves most out.
fn long_log(kernel: &Kernel, catalogue: &Catalogue) {
    apply(kernel, catalogue, "vm.swappiness", "10").unwrap();
    let line = |id: u64| {
        format!(
            "{{\"step\":\"begin\",\"change\":{id},\"boot\":\"boot 0\",\"setting\":{{\"key\":\"vm.nr_hugepages\",\
             \"path\":\"/proc/sys/vm/nr_hugepages\",\"before\":\"0\"}},\"to\":\"1\",\"coupled\":[]}}\n\
             {{\"step\":\"undone\",\"change\":{id},\"why\":\"asked\"}}\n"
        )
    };
    let lines: String = (2..=300).map(line).collect();
    kernel.log.borrow_mut().extend(lines.as_bytes());
}

#[test]
fn a_log_that_is_shortened_and_cut_off_tells_the_same() {
    let ends = at_every_step(
        long_log,
        |kernel, catalogue| _ = apply(kernel, catalogue, "vm.dirty_ratio", "5"),
        |kernel, catalogue, at| {
            recover(kernel, catalogue).unwrap();
            let changes = Changer::new(catalogue, kernel).changes().unwrap();
            assert!(changes.len() <= 66, "{at}: {}", changes.len());
            let standing: Vec<u64> = changes.iter().filter(|c| !c.is_over()).map(|c| c.id()).collect();
            assert!(standing == [1] || standing == [1, 301], "{at}: {standing:?}");
            undo(kernel, catalogue, &standing).unwrap();
            assert_eq!(kernel.all(), Kernel::new().all(), "{at}");
            // No number is given away twice.
            let next = apply(kernel, catalogue, "vm.swappiness", "20").unwrap().unwrap();
            assert!(next > *changes.iter().map(|c| c.id()).max().as_ref().unwrap(), "{at}: {next}");
        },
    );
    assert!(ends >= 12, "only {ends} ends");
}
