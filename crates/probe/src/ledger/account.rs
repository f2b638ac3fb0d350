//! From two readings of a task's account to the classes that its time went into.
//!
//! Pure arithmetic: no kernel, no names. Whatever is unsure is divided, never added:
//! the classes of an interval always sum to its length.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use heldup_model::Class;

use super::kind::{self, FUTEX_PARK, FUTEX_TWO, KINDS, LATE, QUEUE_IDLE};
use super::record::{Header, KindTime, Record};

/// Number of public classes.
pub(crate) const CLASSES: usize = Class::ALL.len();
const PF_KTHREAD: u32 = 0x0020_0000;
const PF_IO_WORKER: u32 = 0x10;
/// After this long an open futex wait for the value 2 is no longer believed to be a lock: a
/// condition variable that was notified twice, or one of musl, looks the same, and its
/// threads wait for minutes, while locks that are held for as long are rare.
const BELIEVED_LOCK_NS: u64 = 2_000_000_000;

/// What names a task for good: ids are used again, ids with their start are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TaskId {
    pub(crate) tid: u32,
    pub(crate) start_ns: u64,
}

/// Something about each task.
pub(crate) type TaskMap<V> = HashMap<TaskId, V, BuildHasherDefault<TaskHasher>>;

/// Mixes the two numbers of a task: every task is looked up at every reading, and nobody
/// chooses start times to the nanosecond to make them meet.
#[derive(Default)]
pub(crate) struct TaskHasher(u64);

impl Hasher for TaskHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }

    /// Multiplication moves differences up, the rotation brings them down (2^64 / golden ratio).
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// A stack or an object said what time of a kind was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    pub(crate) kind: u8,
    pub(crate) class: Class,
    pub(crate) ns: u64,
    /// The wait is open; `ns` is its length so far.
    pub(crate) open: bool,
}

/// A task's account at its last reading.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    now: u64,
    on_cpu: u64,
    utime_ns: u64,
    stime_ns: u64,
    repaired: u64,
    /// Of the kinds that it has had. Few ever: a place for each would be half of all that is
    /// kept of a task, and is gone through at every reading.
    times: Vec<KindTime>,
    /// The class of futex waits that are no known lock: what parks everything may mean any.
    pub(crate) park: Class,
    /// What evidence said before, for intervals without any.
    shares: Vec<Evidence>,
    /// The open wait of the last reading: once it has ended, its late record reports all of it.
    open: Option<Evidence>,
}

/// Where one task's time went between two readings.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) elapsed_ns: u64,
    /// Part that missed events left to repair.
    pub(crate) repaired_ns: u64,
    /// Part of the time in the run queue while a CPU that the task may use was idle.
    pub(crate) queue_idle_ns: u64,
    pub(crate) ns: [u64; CLASSES],
    pub(crate) waits: [u32; CLASSES],
}

impl Header {
    pub(crate) fn id(&self) -> TaskId {
        TaskId { tid: self.tid, start_ns: self.start_ns }
    }

    pub(crate) fn is_kernel_thread(&self) -> bool {
        self.flags & PF_KTHREAD != 0
    }
}

impl Account {
    /// The account of a task that was born at `start_ns`: nothing yet.
    pub(crate) fn born(start_ns: u64) -> Account {
        Account {
            now: start_ns,
            on_cpu: 0,
            utime_ns: 0,
            stime_ns: 0,
            repaired: 0,
            times: Vec::new(),
            park: Class::Park,
            shares: Vec::new(),
            open: None,
        }
    }

    /// The account as a record reports it, to difference the next one with.
    pub(crate) fn read(record: &Record) -> Account {
        let mut account = Account::born(record.header.start_ns);
        account.take(record);
        account
    }

    /// What a kind has had at the last reading: nanoseconds, and waits that ended.
    pub(crate) fn of_kind(&self, kind: u8) -> (u64, u32) {
        let had = self.times.iter().find(|time| time.kind == u32::from(kind));
        had.map_or((0, 0), |time| (time.ns, time.waits))
    }

    /// Time on a CPU by then.
    pub(crate) fn on_cpu(&self) -> u64 {
        self.on_cpu
    }

    /// Time of a wait that went on and was reported without a look at the account.
    pub(crate) fn wait_on(&mut self, kind: u8, ns: u64) {
        self.now += ns;
        match self.times.iter_mut().find(|time| time.kind == u32::from(kind)) {
            Some(time) => time.ns += ns,
            None => self.times.push(KindTime { ns, waits: 0, kind: kind.into() }),
        }
    }

    fn take(&mut self, record: &Record) {
        let header = record.header;
        self.now = header.now;
        self.on_cpu = header.on_cpu;
        self.utime_ns = header.utime_ns;
        self.stime_ns = header.stime_ns;
        self.repaired = header.repaired;
        if !record.one_kind {
            self.times.clear();
            self.times.extend_from_slice(record.times);
            return;
        }
        for time in record.times {
            match self.times.iter_mut().find(|had| had.kind == time.kind) {
                Some(had) => *had = *time,
                None => self.times.push(*time),
            }
        }
    }

    /// The interval from the last reading to `record`, which becomes the last reading.
    pub(crate) fn advance(&mut self, record: &Record, evidence: &[Evidence]) -> Interval {
        let header = record.header;
        let mut interval = Interval {
            elapsed_ns: header.now.saturating_sub(self.now),
            repaired_ns: header.repaired.saturating_sub(self.repaired),
            queue_idle_ns: 0,
            ns: [0; CLASSES],
            waits: [0; CLASSES],
        };
        let (mut increases, waits) = self.increases(record);
        increases[KINDS] = header.on_cpu as i64 - self.on_cpu as i64;
        settle(&mut increases);
        interval.queue_idle_ns = increases[usize::from(QUEUE_IDLE)] as u64;
        let evidence = &self.of_interval(evidence, interval.elapsed_ns);

        for at in 0..KINDS {
            if increases[at] == 0 && waits[at] == 0 {
                continue;
            }
            if at >= LATE {
                // Only the kind shows the class, and this is what idle tasks do.
                let kind = at as u8;
                let class = if kind == FUTEX_PARK { self.park } else { kind::default_class(kind) } as usize;
                interval.ns[class] += increases[at] as u64;
                interval.waits[class] += waits[at];
            } else {
                let parts = self.parts(header, at as u8, increases[at] as u64, evidence);
                divide(&mut interval, increases[at] as u64, waits[at], &parts);
            }
        }
        let (user, kernel) = self.split_running(header, increases[KINDS] as u64);
        interval.ns[Class::User as usize] += user;
        interval.ns[Class::Kernel as usize] += kernel;

        self.remember(evidence);
        self.take(record);
        interval
    }

    /// By how much each kind has grown, running time apart, and waits that ended. A kind can
    /// have shrunk: an open wait of it has ended as another.
    fn increases(&self, record: &Record) -> ([i64; KINDS + 1], [u32; KINDS]) {
        let (mut increases, mut waits) = ([0_i64; KINDS + 1], [0_u32; KINDS]);
        for had in self.times.iter().filter(|_| !record.one_kind) {
            // What the record no longer has.
            if let Some(increase) = increases.get_mut(had.kind as usize) {
                *increase = -(had.ns as i64);
            }
        }
        for (place, time) in record.times.iter().enumerate() {
            let at = time.kind as usize;
            if at >= KINDS {
                continue;
            }
            // The kernel adds kinds at the end: most are where they were.
            let same = self.times.get(place).filter(|had| had.kind == time.kind);
            let (ns, ended) = same.map_or_else(|| self.of_kind(at as u8), |had| (had.ns, had.waits));
            increases[at] = time.ns as i64 - ns as i64;
            waits[at] = time.waits.saturating_sub(ended);
        }
        (increases, waits)
    }

    /// What evidence says about this interval alone: what a wait had before the last reading
    /// was given out then.
    fn of_interval(&mut self, evidence: &[Evidence], elapsed_ns: u64) -> Vec<Evidence> {
        let before = std::mem::replace(&mut self.open, evidence.iter().copied().find(|e| e.open));
        let mut fresh = evidence.to_vec();
        let mut goes_on = false;
        for open in fresh.iter_mut().filter(|e| e.open && e.ns > elapsed_ns) {
            open.ns = elapsed_ns;
            goes_on = true;
        }
        if let Some(before) = before.filter(|_| !goes_on) {
            let ended = fresh.iter_mut().filter(|e| !e.open && e.kind == before.kind);
            // Its stack may have become another before it ended.
            if let Some(ended) = ended.max_by_key(|e| (e.class == before.class, e.ns)) {
                ended.ns = ended.ns.saturating_sub(before.ns);
            }
        }
        fresh
    }

    /// How the time of a kind is to be divided: by this interval's evidence, else by earlier
    /// evidence, else by what the kind is taken for.
    fn parts(&self, header: &Header, kind: u8, increase: u64, evidence: &[Evidence]) -> Vec<(Class, u64)> {
        let of_kind = |all: &[Evidence]| -> Vec<(Class, u64)> {
            let some = all.iter().filter(|e| e.kind == kind && e.ns > 0);
            // A wait that began long ago speaks for no more than this interval.
            some.map(|e| (e.class, e.ns.min(increase.max(1)))).collect()
        };
        let mut parts = of_kind(evidence);
        if parts.is_empty() {
            parts = of_kind(&self.shares);
        }
        let off = header.on == 0 && header.open_kind == kind;
        if kind == FUTEX_TWO && off && header.open_ns > BELIEVED_LOCK_NS {
            parts.push((Class::Unknown, header.open_ns.min(increase)));
        }
        if parts.is_empty() {
            parts.push((kind::default_class(kind), 1));
        }
        parts
    }

    fn remember(&mut self, evidence: &[Evidence]) {
        for new in evidence {
            match self.shares.iter_mut().find(|e| (e.kind, e.class) == (new.kind, new.class)) {
                Some(known) => known.ns = known.ns.saturating_add(new.ns),
                None => self.shares.push(*new),
            }
        }
    }

    /// Time on a CPU as (user, kernel), by ticks: of the interval, else of the task's life.
    fn split_running(&self, header: &Header, ns: u64) -> (u64, u64) {
        if header.flags & (PF_KTHREAD | PF_IO_WORKER) != 0 {
            return (0, ns);
        }
        let mut user = header.utime_ns.saturating_sub(self.utime_ns);
        let mut kernel = header.stime_ns.saturating_sub(self.stime_ns);
        if user + kernel == 0 {
            (user, kernel) = (header.utime_ns, header.stime_ns);
        }
        if user + kernel == 0 {
            // Never met by a tick. A task that leaves the CPU by its own calls spends most of
            // such short turns in them; one that does not is computing.
            (user, kernel) = if header.called != 0 { (0, 1) } else { (1, 0) };
        }
        let user_ns = (u128::from(ns) * u128::from(user) / u128::from(user + kernel)) as u64;
        (user_ns, ns - user_ns)
    }
}

/// Takes what shrank out of what grew most. An open wait is counted as what it looked like;
/// when it closes it may turn out as something else, and the part that was already given
/// to the first kind must come out of the second.
fn settle(increases: &mut [i64]) {
    let mut debt: i64 = 0;
    for increase in increases.iter_mut() {
        if *increase < 0 {
            debt -= *increase;
            *increase = 0;
        }
    }
    while debt > 0 {
        let Some(largest) = increases.iter_mut().max() else { return };
        if *largest == 0 {
            return;
        }
        let paid = debt.min(*largest);
        *largest -= paid;
        debt -= paid;
    }
}

/// Divides time and waits over classes by weight; rounding goes to the heaviest.
fn divide(interval: &mut Interval, ns: u64, waits: u32, parts: &[(Class, u64)]) {
    let total: u128 = parts.iter().map(|(_, weight)| u128::from(*weight)).sum();
    let Some((heaviest, _)) = parts.iter().max_by_key(|(_, weight)| *weight) else { return };
    let (mut ns_left, mut waits_left) = (ns, waits);
    for (class, weight) in parts {
        let share = (u128::from(ns) * u128::from(*weight) / total.max(1)) as u64;
        let ended = (u128::from(waits) * u128::from(*weight) / total.max(1)) as u32;
        interval.ns[*class as usize] += share;
        interval.waits[*class as usize] += ended;
        ns_left -= share;
        waits_left -= ended;
    }
    interval.ns[*heaviest as usize] += ns_left;
    interval.waits[*heaviest as usize] += waits_left;
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_IO: u8 = 0;
    const WRITE_BLOCKED: u8 = 7;
    const POLL: u8 = 22;
    const QUEUE: u8 = 37;

    fn header(now: u64, on_cpu: u64) -> Header {
        Header { tid: 7, start_ns: 100, now, on_cpu, ..Header::default() }
    }

    fn check(interval: &Interval, expected: &[(Class, u64)]) {
        let found: Vec<(Class, u64)> = Class::ALL
            .into_iter()
            .map(|class| (class, interval.ns[class as usize]))
            .filter(|(_, ns)| *ns > 0)
            .collect();
        assert_eq!(found, expected);
        assert_eq!(interval.ns.iter().sum::<u64>(), interval.elapsed_ns, "conservation");
    }

    #[test]
    fn classes_sum_to_the_time_between_two_readings() {
        let mut account = Account::read(&Record::with(header(1_000, 500), &[(POLL, 400, 3)]));
        let next = Record::with(header(2_000, 700), &[(POLL, 1_100, 5), (QUEUE, 100, 2)]);
        let interval = account.advance(&next, &[]);
        check(&interval, &[(Class::User, 200), (Class::CpuQueue, 100), (Class::Poll, 700)]);
        assert_eq!(interval.waits[Class::Poll as usize], 2);
        assert_eq!(interval.waits[Class::CpuQueue as usize], 2);
    }

    #[test]
    fn the_run_queue_is_one_class_and_says_how_much_of_it_a_cpu_was_idle() {
        let mut account = Account::born(0);
        // An open wait that looked as if it had nothing but busy CPUs …
        check(
            &account.advance(&Record::with(header(1_000, 200), &[(QUEUE, 800, 1)]), &[]),
            &[(Class::User, 200), (Class::CpuQueue, 800)],
        );
        let next = Record::with(header(2_000, 700), &[(QUEUE, 1_000, 3), (QUEUE_IDLE, 300, 0)]);
        let interval = account.advance(&next, &[]);
        check(&interval, &[(Class::User, 500), (Class::CpuQueue, 500)]);
        assert_eq!((interval.queue_idle_ns, interval.waits[Class::CpuQueue as usize]), (300, 2));
        // … turns out otherwise at its end: never more than the class has.
        let next = Record::with(header(2_500, 700), &[(QUEUE, 900, 4), (QUEUE_IDLE, 900, 0)]);
        let interval = account.advance(&next, &[]);
        check(&interval, &[(Class::CpuQueue, 500)]);
        assert_eq!(interval.queue_idle_ns, 500);
    }

    #[test]
    fn a_task_born_in_the_interval_counts_from_its_birth() {
        let record = Record::with(header(350, 200), &[(QUEUE, 50, 1)]);
        check(&Account::born(100).advance(&record, &[]), &[(Class::User, 200), (Class::CpuQueue, 50)]);
    }

    #[test]
    fn ticks_divide_running_time() {
        let mut account = Account::born(0);
        let ticked = Header { utime_ns: 12, stime_ns: 4, ..header(1_000, 1_000) };
        check(&account.advance(&Record::with(ticked, &[]), &[]), &[(Class::User, 750), (Class::Kernel, 250)]);
        // No tick in the second interval: as in the task's life.
        let still = Header { utime_ns: 12, stime_ns: 4, ..header(1_100, 1_100) };
        check(&account.advance(&Record::with(still, &[]), &[]), &[(Class::User, 75), (Class::Kernel, 25)]);
    }

    #[test]
    fn evidence_divides_a_kind_and_is_remembered() {
        let mut account = Account::born(0);
        let evidence = [
            Evidence { kind: WRITE_BLOCKED, class: Class::LockInode, ns: 300, open: false },
            Evidence { kind: WRITE_BLOCKED, class: Class::DiskSync, ns: 100, open: false },
        ];
        let record = Record::with(header(800, 0), &[(WRITE_BLOCKED, 800, 8)]);
        let interval = account.advance(&record, &evidence);
        check(&interval, &[(Class::DiskSync, 200), (Class::LockInode, 600)]);
        assert_eq!(interval.waits[Class::LockInode as usize], 6);
        let record = Record::with(header(1_200, 0), &[(WRITE_BLOCKED, 1_200, 12)]);
        check(&account.advance(&record, &[]), &[(Class::DiskSync, 100), (Class::LockInode, 300)]);
    }

    #[test]
    fn evidence_of_another_kind_changes_nothing() {
        let evidence = [Evidence { kind: WRITE_BLOCKED, class: Class::LockInode, ns: 300, open: false }];
        let record = Record::with(header(500, 0), &[(READ_IO, 500, 1)]);
        check(&Account::born(0).advance(&record, &evidence), &[(Class::DiskRead, 500)]);
    }

    #[test]
    fn what_was_told_of_an_open_wait_is_not_told_again_when_it_ends() {
        let of = |class, ns, open| Evidence { kind: WRITE_BLOCKED, class, ns, open };
        let mut account = Account::born(0);
        let open = Header { open_kind: WRITE_BLOCKED, open_ns: 800, ..header(1_000, 200) };
        let throttled = [of(Class::DiskThrottle, 800, true)];
        check(
            &account.advance(&Record::with(open, &[(WRITE_BLOCKED, 800, 0)]), &throttled),
            &[(Class::User, 200), (Class::DiskThrottle, 800)],
        );
        // It ends after 100 ns more; then one of another class begins and is open.
        let open = Header { open_kind: WRITE_BLOCKED, open_ns: 900, ..header(2_000, 200) };
        let both = [of(Class::DiskThrottle, 900, false), of(Class::DiskSync, 900, true)];
        check(
            &account.advance(&Record::with(open, &[(WRITE_BLOCKED, 1_800, 1)]), &both),
            &[(Class::DiskSync, 900), (Class::DiskThrottle, 100)],
        );
        // That one goes on and has the whole interval.
        let open = Header { open_ns: 1_900, ..open };
        let open = Header { now: 3_000, ..open };
        check(
            &account.advance(
                &Record::with(open, &[(WRITE_BLOCKED, 2_800, 1)]),
                &[of(Class::DiskSync, 1_900, true)],
            ),
            &[(Class::DiskSync, 1_000)],
        );
    }

    #[test]
    fn an_open_wait_that_turns_out_otherwise_is_not_counted_twice() {
        let mut account = Account::born(0);
        // Open for 900 ns as a futex wait for 2 …
        let open = Header { open_kind: FUTEX_TWO, open_ns: 900, ..header(900, 0) };
        check(&account.advance(&Record::with(open, &[(FUTEX_TWO, 900, 0)]), &[]), &[(Class::LockUser, 900)]);
        // … and closed as a parked thread: 1,000 ns in all, of which 900 are given out. The
        // first kind is reported no more, because nothing of it ever ended.
        let closed = Record::with(header(1_050, 50), &[(FUTEX_PARK, 1_000, 1)]);
        check(&account.advance(&closed, &[]), &[(Class::User, 50), (Class::Park, 100)]);
        let next = Record::with(header(1_150, 50), &[(FUTEX_PARK, 1_100, 2)]);
        check(&account.advance(&next, &[]), &[(Class::Park, 100)]);
    }

    #[test]
    fn a_very_long_wait_for_two_is_no_lock() {
        let second = 1_000_000_000;
        let mut account = Account::born(0);
        let mut reading = |s: u64| {
            let open = Header { open_kind: FUTEX_TWO, open_ns: s * second, ..header(s * second, 0) };
            account.advance(&Record::with(open, &[(FUTEX_TWO, s * second, 0)]), &[])
        };
        check(&reading(1), &[(Class::LockUser, second)]);
        check(&reading(2), &[(Class::LockUser, second)]);
        check(&reading(3), &[(Class::Unknown, second)]);
    }

    #[test]
    fn parks_of_what_parks_everything_are_unknown() {
        let mut account = Account::born(0);
        account.park = Class::Unknown;
        let record = Record::with(header(700, 0), &[(FUTEX_PARK, 500, 5), (POLL, 200, 1)]);
        let interval = account.advance(&record, &[]);
        check(&interval, &[(Class::Poll, 200), (Class::Unknown, 500)]);
        assert_eq!(interval.waits[Class::Unknown as usize], 5);
    }

    #[test]
    fn kernel_threads_run_in_the_kernel() {
        let kernel = Header { flags: PF_KTHREAD, ..header(100, 100) };
        check(&Account::born(0).advance(&Record::with(kernel, &[]), &[]), &[(Class::Kernel, 100)]);
    }
}
