//! The ledger on the running machine. These tests need root and say so when they are skipped.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's own helpers fail the test")]

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use heldup_hostfs::{Host, is_root, monotonic_ns, own_pid};
use heldup_model::{Cells, RowSet};
use heldup_probe::{Ledger, LedgerOptions, LedgerReading};

/// One ledger at a time: two of them would measure each other.
static ONE: Mutex<()> = Mutex::new(());

fn skipped() -> bool {
    if !is_root() {
        heldup_skip::skipped("loading eBPF programs needs root");
    }
    !is_root()
}

fn ints(set: &RowSet, column: &str) -> Vec<i64> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Int(v) => v.iter().map(|value| value.expect(column)).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn floats(set: &RowSet, column: &str) -> Vec<f64> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Float(v) => v.iter().map(|value| value.expect(column)).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn texts(set: &RowSet, column: &str) -> Vec<String> {
    match &set.cells[set.def.position(column).expect(column)] {
        Cells::Text(v) => v.iter().map(|t| t.as_deref().unwrap_or("").to_owned()).collect(),
        other => panic!("{column}: {other:?}"),
    }
}

fn table<'a>(reading: &'a LedgerReading, name: &str) -> &'a RowSet {
    reading.rows.iter().find(|set| set.def.name == name).expect(name)
}

#[test]
fn time_is_conserved_for_every_task_and_cpu() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    let before_base = monotonic_ns();
    let base = ledger.read().expect("base");
    let after_base = monotonic_ns();
    assert_eq!(table(&base, "task_time").len, 0);
    assert!(table(&base, "thread").len > 10);
    sleep(Duration::from_secs(2));
    let before_end = monotonic_ns();
    let reading = ledger.read().expect("reading");
    // Each task is read at its own moment between these.
    let longest = (monotonic_ns() - before_base) as f64 / 1e9;
    let shortest = (before_end - after_base) as f64 / 1e9;
    let window = shortest * 0.999..=longest * 1.001;

    let set = table(&reading, "task_time");
    let mut tasks: HashMap<(i64, i64), f64> = HashMap::new();
    let ids = ints(set, "tid").into_iter().zip(ints(set, "start_ms"));
    for (id, seconds) in ids.zip(floats(set, "seconds")) {
        *tasks.entry(id).or_default() += seconds;
    }
    let threads = table(&base, "thread");
    let old: Vec<(i64, i64)> = ints(threads, "tid").into_iter().zip(ints(threads, "start_ms")).collect();
    for (id, seconds) in &tasks {
        assert!(*seconds <= *window.end(), "task {id:?} has {seconds} s in {window:?}");
    }
    // Of those that were there at the start and are not gone, none may have less.
    let now = table(&reading, "thread");
    let alive: Vec<(i64, i64)> = ints(now, "tid").into_iter().zip(ints(now, "start_ms")).collect();
    for id in old.iter().filter(|id| alive.contains(id)) {
        let seconds = tasks.get(id).copied().unwrap_or(0.0);
        assert!(window.contains(&seconds), "task {id:?} has {seconds} s in {window:?}");
    }
    assert!(tasks.keys().any(|(tid, _)| *tid == own_pid()), "the test itself is there");

    let cpus = table(&reading, "cpu_time");
    assert!(cpus.len > 0);
    for (busy, idle) in floats(cpus, "busy_s").into_iter().zip(floats(cpus, "idle_s")) {
        let sum = busy + idle;
        assert!(window.contains(&sum), "busy {busy} + idle {idle} of {window:?}");
    }
    assert!((0.9..=1.0).contains(&reading.coverage), "{:?} {}", reading.gaps, reading.coverage);
}

/// A thread that does one thing again and again until it is let go.
struct Lives {
    name: &'static str,
    /// Before it was made, and when it was there.
    born: (Instant, Instant),
    thread: JoinHandle<()>,
}

impl Lives {
    fn begin(name: &'static str, stop: &Arc<AtomicBool>, live: impl Fn() + Send + 'static) -> Lives {
        let (there, is_there) = mpsc::channel();
        let (made, stop) = (Instant::now(), Arc::clone(stop));
        let run = move || {
            let _ = there.send(Instant::now());
            while !stop.load(Ordering::Relaxed) {
                live();
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(run).expect("a thread");
        Lives { name, born: (made, is_there.recv().expect("it runs")), thread }
    }
}

/// Readings that are given as changes, and whole ones between them: on top of each other they are
/// the rows, and no task's time is lost or told twice whether it slept, moved or began.
#[test]
fn rows_told_by_what_changed_are_the_rows() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    let mut before = table(&ledger.follow(true, true).expect("base"), "task_time").clone();
    let stop = Arc::new(AtomicBool::new(false));
    let (let_go, asleep) = mpsc::channel::<()>();
    let asleep = Mutex::new(asleep);
    let computes = || {
        let busy = Instant::now();
        while busy.elapsed() < Duration::from_millis(40) {}
        sleep(Duration::from_millis(350));
    };
    let mut threads = vec![
        Lives::begin("sleeps-on", &stop, move || drop(asleep.lock().map(|asleep| asleep.recv()))),
        Lives::begin("wakes-often", &stop, || sleep(Duration::from_millis(30))),
        Lives::begin("wakes-seldom", &stop, || sleep(Duration::from_millis(700))),
        Lives::begin("computes", &stop, computes),
    ];
    let mut told: HashMap<&str, f64> = HashMap::new();
    let (mut changed, mut last) = (0, (Instant::now(), Instant::now()));
    for number in 0..16 {
        sleep(Duration::from_millis(140));
        if number == 5 {
            threads.push(Lives::begin("begins-later", &stop, || sleep(Duration::from_millis(900))));
        }
        // Whole ones, such with threads, and several by what changed in a row.
        let began = Instant::now();
        let reading = ledger.follow(number % 7 == 4, number % 5 != 2).expect("a reading");
        last = (began, Instant::now());
        let rows = match &reading.changes {
            Some(changes) => changes.on(&before).expect("on the rows before"),
            None => table(&reading, "task_time").clone(),
        };
        changed += usize::from(reading.changes.is_some());
        let ids = ints(&rows, "tid").into_iter().zip(ints(&rows, "start_ms"));
        let unique: HashSet<_> = ids.zip(texts(&rows, "class_name")).collect();
        assert_eq!(unique.len(), rows.len, "reading {number}");
        let alive = reading.who.alive.iter().map(|(pid, _)| *pid);
        assert!(alive.clone().is_sorted() && alive.clone().any(|pid| pid == own_pid()), "{alive:?}");
        assert!(reading.who.ran.contains(&own_pid()), "the test itself ran");
        let seconds = floats(&rows, "seconds");
        for Lives { name, .. } in &threads {
            *told.entry(name).or_default() +=
                rows_of(&rows, name).into_iter().map(|row| seconds[row]).sum::<f64>();
        }
        before = rows;
    }
    assert!(changed >= 11, "{changed}");
    for Lives { name, born: (made, there), .. } in &threads {
        let (most, least) = (last.1.duration_since(*made), last.0.duration_since(*there));
        let right = least.as_secs_f64() * 0.999..=most.as_secs_f64() * 1.001;
        assert!(right.contains(&told[name]), "{name}: {} of {right:?}", told[name]);
    }
    stop.store(true, Ordering::Relaxed);
    drop(let_go);
    threads.into_iter().for_each(|lives| lives.thread.join().expect("it ends"));
}

/// A child that ends with the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        // One that cannot be ended has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn who_ran_and_did_nothing_that_its_files_show_is_left_out() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let wakes = Command::new("perl").args(["-e", "select(undef, undef, undef, 0.02) while 1"]).spawn();
    let Ok(wakes) = wakes.map(Ends) else { return heldup_skip::skipped("needs the program perl") };
    let copies = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut copies = Ends(copies.expect("a child"));
    let mut input = copies.0.stdin.take().expect("its input");
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    ledger.follow(true, false).expect("base");
    let (waker, copier) = (i64::from(wakes.0.id()), i64::from(copies.0.id()));
    let mut left_out = 0;
    for number in 0..20 {
        input.write_all(b"x").expect("it reads");
        sleep(Duration::from_millis(50));
        let reading = ledger.follow(false, false).expect("a reading");
        let rows = table(&reading, "task_time");
        let classes = ints(rows, "pid").into_iter().zip(texts(rows, "class_name"));
        let on_cpu: HashSet<i64> = classes
            .filter(|(_, class)| ["user", "kernel"].contains(&class.as_str()))
            .map(|(pid, _)| pid)
            .collect();
        assert!(reading.who.ran.contains(&copier), "reading {number}: it has read a byte");
        left_out += usize::from(on_cpu.contains(&waker) && !reading.who.ran.contains(&waker));
    }
    assert!(left_out > 5, "left out of {left_out} readings of 20, in which it did nothing but wake");
}

/// Runs `wait` again and again in a thread of that name until the time is over.
fn waiting(name: &str, until: Instant, mut wait: impl FnMut() + Send + 'static) -> JoinHandle<()> {
    let run = move || {
        while Instant::now() < until {
            wait();
        }
    };
    thread::Builder::new().name(name.to_owned()).spawn(run).expect("a thread")
}

/// Rows of a thread of this process: the same test may run elsewhere at the same time.
fn rows_of(set: &RowSet, name: &str) -> Vec<usize> {
    let ids = ints(set, "pid").into_iter().zip(texts(set, "name")).enumerate();
    ids.filter(|(_, (pid, of))| *pid == own_pid() && of == name).map(|(row, _)| row).collect()
}

/// Of the time that a thread of this name did not run and was not queued, the share of `class`.
fn share_of(reading: &LedgerReading, name: &str, class: &str) -> f64 {
    let set = table(reading, "task_time");
    let (classes, all_seconds) = (texts(set, "class_name"), floats(set, "seconds"));
    let mut waited = 0.0;
    let mut right = 0.0;
    for (found, seconds) in rows_of(set, name).into_iter().map(|row| (&classes[row], all_seconds[row])) {
        if !["user", "kernel", "cpu_queue"].contains(&found.as_str()) {
            waited += seconds;
            right += if found == class { seconds } else { 0.0 };
        }
    }
    assert!(waited > 0.0, "{name} never waited");
    right / waited
}

/// The testkit has the large suite; these are the kinds whose telling needs the most code here.
#[test]
fn threads_that_wait_are_told_by_what_they_wait_for() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    ledger.read().expect("base");
    let until = Instant::now() + Duration::from_secs(1);
    let lock = Arc::new(Mutex::new(()));
    let hold = |lock: Arc<Mutex<()>>| {
        move || {
            let held = lock.lock();
            sleep(Duration::from_millis(8));
            drop(held);
        }
    };
    let (mut receiver, mut sender) = std::io::pipe().expect("a pipe");
    let wanted = lock.clone();
    let threads = [
        waiting("t-holds", until, hold(lock.clone())),
        // Drops the lock at once, so that it waits for nothing else.
        waiting("t-wants", until, move || drop(wanted.lock())),
        waiting("t-sleeps", until, || sleep(Duration::from_millis(4))),
        waiting("t-parks", until, || thread::park_timeout(Duration::from_millis(4))),
        waiting("t-writes", until, move || {
            sleep(Duration::from_millis(4));
            sender.write_all(b"x").expect("the reader is there");
        }),
        thread::Builder::new()
            .name("t-reads".to_owned())
            .spawn(move || drop(receiver.read_to_end(&mut Vec::new())))
            .expect("a thread"),
    ];
    for thread in threads {
        thread.join().expect("it ends");
    }
    let reading = ledger.read().expect("reading");
    for (name, class) in
        [("t-wants", "lock_user"), ("t-sleeps", "timer"), ("t-parks", "park"), ("t-reads", "read")]
    {
        let share = share_of(&reading, name, class);
        assert!(share >= 0.97, "{name}: {share} of its waits are {class}");
    }
    let stacks = ledger.stacks();
    let kinds = texts(&stacks, "object_kind");
    let kinds: Vec<&str> = rows_of(&stacks, "t-wants").into_iter().map(|row| kinds[row].as_str()).collect();
    assert!(kinds.contains(&"futex"), "{kinds:?}");
}

/// A wait that lasts longer than a window has no more of it than it is long.
#[test]
fn a_second_window_is_about_itself_alone() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    ledger.read().expect("base");
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock().expect("nobody has it");
    let wanted = lock.clone();
    let lasts = thread::Builder::new().name("t-lasts".to_owned());
    let thread = lasts.spawn(move || drop(wanted.lock())).expect("a thread");
    sleep(Duration::from_millis(600));
    let turn = Instant::now();
    ledger.read().expect("the turn");
    let of_thread = |stacks: &RowSet| -> f64 {
        let seconds = floats(stacks, "seconds");
        rows_of(stacks, "t-lasts").into_iter().map(|row| seconds[row]).sum()
    };
    let first = of_thread(&ledger.stacks());
    ledger.next_window();
    sleep(Duration::from_millis(200));
    ledger.read().expect("within");
    let open = of_thread(&ledger.stacks());
    drop(held);
    thread.join().expect("it ends");
    let second = ledger.read().expect("the end");
    let ended = of_thread(&ledger.stacks());
    let length = turn.elapsed().as_secs_f64();
    assert!(first >= 0.5, "{first} s in the first window");
    assert!((0.15..length).contains(&open), "{open} s while it waits, {length} s after the turn");
    assert!((0.15..length).contains(&ended), "{ended} s when it has ended, {length} s after the turn");
    assert!(second.coverage > 0.9 && second.coverage <= 1.0);
}

/// A wait that began after the programs were attached and before the first reading, open at both ends of
/// the window: what its stack stands for is what the account has of it.
#[test]
fn what_a_task_had_waited_before_the_first_reading_is_in_no_stack() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    let lock = Arc::new(Mutex::new(()));
    let held = lock.lock().expect("nobody has it");
    let wanted = lock.clone();
    let lasts = thread::Builder::new().name("t-before".to_owned());
    let thread = lasts.spawn(move || drop(wanted.lock())).expect("a thread");
    sleep(Duration::from_millis(700));
    ledger.read().expect("base");
    sleep(Duration::from_millis(300));
    let reading = ledger.read().expect("the end");
    let seconds = |set: &RowSet| -> f64 {
        let all = floats(set, "seconds");
        rows_of(set, "t-before").into_iter().map(|row| all[row]).sum()
    };
    let (account, stacks) = (seconds(table(&reading, "task_time")), seconds(&ledger.stacks()));
    drop(held);
    thread.join().expect("it ends");
    assert!(account >= 0.25, "{account} s in the account");
    assert!((0.25..=account + 0.005).contains(&stacks), "stacks for {stacks} s of {account} s");
}

/// A task is out of the list of tasks before its last switch, and a reading may fall between.
///
/// How long a thread waits for a CPU is the machine's: what is known of each is that it slept once, for
/// as long as it asked for, and that no more of it can be told than there was time since it was made.
#[test]
fn who_ends_while_accounts_are_read_is_counted_once_and_whole() {
    const LIVES: Duration = Duration::from_millis(100);
    const TOGETHER: usize = 100;
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    ledger.read().expect("base");
    let until = Instant::now() + Duration::from_secs(1);
    // Thread id, when it was about to be made, and when it had slept.
    let makers: Vec<JoinHandle<Vec<(i64, Instant, f64)>>> = (0..TOGETHER)
        .map(|_| {
            thread::spawn(move || {
                let mut lives = Vec::new();
                while Instant::now() < until {
                    let named = thread::Builder::new().name("mayfly".to_owned());
                    let born = Instant::now();
                    let lives_on = || {
                        let falls_asleep = Instant::now();
                        sleep(LIVES);
                        // SAFETY: takes and gives numbers.
                        (i64::from(unsafe { libc::gettid() }), falls_asleep.elapsed().as_secs_f64())
                    };
                    let (tid, slept) = named.spawn(lives_on).expect("a thread").join().expect("it ends");
                    lives.push((tid, born, slept));
                }
                lives
            })
        })
        .collect();
    let mut told: HashMap<(i64, i64), Mayfly> = HashMap::new();
    let mut take = |reading: &LedgerReading| {
        let (set, now) = (table(reading, "task_time"), Instant::now());
        let (tids, starts, seconds) = (ints(set, "tid"), ints(set, "start_ms"), floats(set, "seconds"));
        let classes = texts(set, "class_name");
        for row in rows_of(set, "mayfly") {
            let mayfly = told.entry((tids[row], starts[row])).or_insert(Mayfly { all: 0.0, slept: 0.0, now });
            mayfly.all += seconds[row];
            mayfly.slept += if classes[row] == "timer" { seconds[row] } else { 0.0 };
            mayfly.now = now;
        }
    };
    while !makers.iter().all(JoinHandle::is_finished) {
        take(&ledger.read_without_threads().expect("a reading"));
    }
    take(&ledger.read().expect("the last reading"));
    let made: Vec<_> = makers.into_iter().flat_map(|maker| maker.join().expect("a maker")).collect();
    let by_tid: HashMap<i64, (Instant, f64)> =
        made.iter().map(|(tid, born, slept)| (*tid, (*born, *slept))).collect();
    assert_eq!(by_tid.len(), made.len(), "a thread id was given twice within two seconds");
    let least = 0.99 * LIVES.as_secs_f64();
    let wrong: Vec<String> = told
        .iter()
        .filter_map(|((tid, _), mayfly)| {
            let (born, slept) = by_tid.get(tid)?;
            let most = mayfly.now.duration_since(*born).as_secs_f64();
            // It clocked its sleep from before to after, with what it then waited for a CPU.
            let right = mayfly.slept >= least && mayfly.slept <= *slept && mayfly.all >= mayfly.slept;
            (!right || mayfly.all > most).then(|| format!("{mayfly:?}: slept {slept} s, at most {most} s"))
        })
        .collect();
    eprintln!("{} of {} mayflies were told, {} wrongly", told.len(), made.len(), wrong.len());
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(told.len(), made.len());
}

/// What was told of a thread, and when the last of it was.
#[derive(Debug)]
struct Mayfly {
    all: f64,
    slept: f64,
    now: Instant,
}

/// Seconds in the run queue, and of them while a CPU was idle, of rows whose process is one of `pids`.
fn queued(reading: &LedgerReading, of: impl Fn(usize) -> bool) -> (f64, f64) {
    let set = table(reading, "task_time");
    let Cells::Float(idle) = &set.cells[set.def.position("idle_elsewhere_s").expect("a column")] else {
        panic!("floats");
    };
    let (classes, seconds) = (texts(set, "class_name"), floats(set, "seconds"));
    let mut sum = (0.0, 0.0);
    for row in 0..set.len {
        assert_eq!(idle[row].is_some(), classes[row] == "cpu_queue", "row {row}, {}", classes[row]);
        let Some(idle) = idle[row] else { continue };
        assert!((0.0..=seconds[row]).contains(&idle), "{idle} of {} s", seconds[row]);
        if of(row) {
            sum = (sum.0 + seconds[row], sum.1 + idle);
        }
    }
    sum
}

/// What waits for the one CPU that it may use waits for no idle one, whatever the others do; who wakes
/// up on an idle machine does.
#[test]
fn a_wait_for_a_cpu_says_whether_one_was_idle() {
    if skipped() {
        return;
    }
    let _one = ONE.lock();
    let hog = || Command::new("taskset").args(["-c", "0", "perl", "-e", "1 while 1"]).spawn();
    let (Ok(one), Ok(other)) = (hog().map(Ends), hog().map(Ends)) else {
        return heldup_skip::skipped("needs taskset and perl");
    };
    let hogs = [i64::from(one.0.id()), i64::from(other.0.id())];
    // They have become perl, and no CPU is idle by more than what the others leave.
    sleep(Duration::from_millis(200));
    let mut ledger = Ledger::start(&Host::live(), LedgerOptions::default()).expect("start");
    ledger.read().expect("base");
    waiting("t-naps", Instant::now() + Duration::from_millis(800), || sleep(Duration::from_millis(1)))
        .join()
        .expect("it ends");
    let reading = ledger.read().expect("a reading");
    let pids = ints(table(&reading, "task_time"), "pid");
    let (seconds, idle) = queued(&reading, |row| hogs.contains(&pids[row]));
    assert!(seconds > 0.5, "two that compute on one CPU waited {seconds} s");
    assert!(idle < 0.02 * seconds, "{idle} of {seconds} s, though they may use no other CPU");
    drop((one, other));
    waiting("t-naps", Instant::now() + Duration::from_millis(800), || sleep(Duration::from_millis(1)))
        .join()
        .expect("it ends");
    let reading = ledger.read().expect("a reading");
    let naps = rows_of(table(&reading, "task_time"), "t-naps");
    let (seconds, idle) = queued(&reading, |row| naps.contains(&row));
    assert!(seconds > 0.0 && idle > 0.0, "{idle} of {seconds} s, with hundreds of wake-ups");
}
