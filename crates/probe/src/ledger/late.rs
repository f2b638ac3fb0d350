//! Late records: what a stack or an object says about waits that the kernel's marks leave open.
//!
//! They come in two ways. Waits that ended are gathered by the BPF half in a map, which
//! is emptied at every reading; a wait that is still open comes with the task's own
//! record. Both become evidence for the interval and, over the window, rows of `stack`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use aya::maps::{HashMap as BpfHashMap, MapData};
use heldup_hostfs::Host;
use heldup_model::{Class, Group, StackTable, Text};

use super::account::{Evidence, TaskId, TaskMap};
use super::kind::{self, FUTEX_TWO, LATE, PEER, STACKED};
use super::object::{Listening, OBJECT_TCP4, OBJECT_TCP6, OBJECT_UNIX};
use super::record::{FRAMES, Header, Late, LateKey, Object};
use crate::error::ProbeError;
use crate::kernel_symbols::KernelSymbols;
use crate::map_drain::DrainedMap;

/// Distinct records kept for a window; a machine with more has its smaller ones left out.
const MAX_TOTALS: usize = 50_000;
/// Stacks from which the map in the kernel (4,096 of them) is emptied when a window ends.
const MANY_STACKS: usize = 2_048;
/// Stacks whose functions are remembered over windows: some 1 kB each.
const STACKS_REMEMBERED: usize = 8_192;

/// What one record stands for over the window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Total {
    pub(crate) ns: u64,
    pub(crate) waits: u64,
}

/// What a task has waited since the reading before, as one record says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waited {
    pub(crate) key: LateKey,
    pub(crate) class: Class,
    pub(crate) time: Total,
}

/// What has been reported of a wait that was open.
#[derive(Clone, Copy, Debug)]
struct ToldOpen {
    kind: u8,
    /// What no record of its end has reported again yet.
    ns: u64,
    has_ended: bool,
}

/// Late records of the window, with the class of each.
pub(crate) struct LateBook {
    processes: Host,
    drained: DrainedMap<LateKey, Late>,
    stacks: BpfHashMap<MapData, u64, [u64; FRAMES]>,
    symbols: KernelSymbols,
    table: StackTable,
    listening: Listening,
    /// Functions of each stack, innermost first.
    functions: HashMap<u64, Vec<Arc<str>>>,
    classes: HashMap<(u8, u64), Class>,
    totals: HashMap<(LateKey, Class), Total>,
    /// Waits that were open at the last reading.
    open: Vec<(LateKey, Class, u64)>,
    /// Waits that were open when the window began, or at the first reading of their task: their kind, and what
    /// they had had by then.
    carried: TaskMap<(u8, u64)>,
    /// What has been reported of waits that were open at a reading.
    told_open: TaskMap<ToldOpen>,
    /// Waits of classes with objects since they were taken last.
    waited: Vec<Waited>,
    /// Task time of waiting that records have reported since the window began.
    waiting_ns: u64,
    /// Stacks that the map in the kernel may hold.
    in_kernel: Vec<u64>,
    evidence: TaskMap<Vec<Evidence>>,
    wakers: HashMap<u32, Option<Text>>,
    wanted_wakers: HashSet<u32>,
    /// Objects of this reading that had not been seen before, with a process that has them.
    new_objects: Vec<(Object, u32)>,
    pub(crate) dropped: u64,
    /// Records that the BPF half had made when its map was emptied last; none before.
    recorded: Option<u64>,
}

impl LateBook {
    pub(crate) fn new(
        host: &Host,
        processes: &Host,
        drained: DrainedMap<LateKey, Late>,
        stacks: BpfHashMap<MapData, u64, [u64; FRAMES]>,
    ) -> Result<LateBook, ProbeError> {
        Ok(LateBook {
            processes: processes.clone(),
            drained,
            stacks,
            symbols: KernelSymbols::new(host),
            table: StackTable::builtin()?,
            listening: Listening::default(),
            functions: HashMap::new(),
            classes: HashMap::new(),
            totals: HashMap::new(),
            open: Vec::new(),
            carried: TaskMap::default(),
            told_open: TaskMap::default(),
            waited: Vec::new(),
            waiting_ns: 0,
            in_kernel: Vec::new(),
            evidence: TaskMap::default(),
            wakers: HashMap::new(),
            wanted_wakers: HashSet::new(),
            new_objects: Vec::new(),
            dropped: 0,
            recorded: None,
        })
    }

    /// Takes what ended since the last reading; `keep` is false before the base. `recorded` is how many
    /// records the BPF half had made by then: to go through a map to which none came takes 20 µs.
    pub(crate) fn begin(&mut self, keep: bool, recorded: u64) -> Result<(), ProbeError> {
        self.evidence.clear();
        self.open.clear();
        self.told_open.retain(|_, told| !told.has_ended);
        self.listening.next_reading();
        if self.recorded.replace(recorded) == Some(recorded) {
            return Ok(());
        }
        let mut taken = Vec::new();
        self.drained.drain(|key, late| taken.push((*key, *late)))?;
        if !keep {
            return Ok(());
        }
        self.learn(taken.iter().map(|(key, _)| key.stack));
        for (mut key, late) in taken {
            let class = self.class_of(&key);
            let id = key.id();
            let evidence = Evidence { kind: key.kind, class, ns: late.ns, open: false };
            self.evidence.entry(id).or_default().push(evidence);
            match waker_matters(class) {
                true => self.want_waker(key.waker_tid),
                false => (key.waker_tid, key.waker_tgid) = (0, 0),
            }
            self.note_waited(&key, class, late);
            let ns = late.ns - self.carried_into(&key, late.ns);
            self.add(key, class, Late { ns, ..late });
        }
        Ok(())
    }

    /// Notes what a task has waited by the first reading that it is in: that time is in no account. Between the
    /// attaching of the programs and the first reading there may be tenths of a second.
    pub(crate) fn carry(&mut self, header: &Header) {
        // What has gathered is reported of a long wait only.
        let ns = header.open_gathered.max(header.open_ns);
        if header.on == 0 && ns > 0 && usize::from(header.open_kind) < LATE {
            self.carried.insert(header.id(), (header.open_kind, ns));
            self.told_open.insert(header.id(), ToldOpen { kind: header.open_kind, ns, has_ended: false });
        }
    }

    /// What a record says of the time since the reading before.
    fn note_waited(&mut self, key: &LateKey, class: Class, late: Late) {
        let told = match self.told_open.get_mut(&key.id()).filter(|told| told.kind == key.kind) {
            None => 0,
            Some(told) => {
                told.has_ended = true;
                let part = told.ns.min(late.ns);
                told.ns -= part;
                part
            }
        };
        self.add_waited(key, class, Total { ns: late.ns - told, waits: late.waits });
    }

    /// What an open wait has had since the reading before.
    fn note_open(&mut self, key: &LateKey, class: Class, ns: u64) {
        let told = ToldOpen { kind: key.kind, ns, has_ended: false };
        let before = self.told_open.insert(key.id(), told).filter(|before| before.kind == key.kind);
        let before = before.map_or(0, |before| before.ns);
        self.add_waited(key, class, Total { ns: ns.saturating_sub(before), waits: 0 });
    }

    fn add_waited(&mut self, key: &LateKey, class: Class, time: Total) {
        if class.group() == Group::Waiting && !kind::is_of_kernel_thread(key.kind) {
            self.waiting_ns += time.ns;
        }
        if class.has_object() && (time.ns > 0 || time.waits > 0) {
            self.waited.push(Waited { key: *key, class, time });
        }
    }

    /// Waits of classes with objects since this was asked last.
    pub(crate) fn take_waited(&mut self) -> Vec<Waited> {
        std::mem::take(&mut self.waited)
    }

    /// Time that user tasks waited since the window began, as far as records report.
    pub(crate) fn waiting_ns(&self) -> u64 {
        self.waiting_ns
    }

    /// What of a wait that has ended lies before the window. It ends once: the second one of the
    /// task began within the window.
    fn carried_into(&mut self, key: &LateKey, ns: u64) -> u64 {
        let id = key.id();
        match self.carried.get(&id) {
            Some((kind, before)) if *kind == key.kind => {
                let before = (*before).min(ns);
                self.carried.remove(&id);
                before
            }
            _ => 0,
        }
    }

    /// Another window begins at the last reading: its records are about what comes.
    pub(crate) fn next_window(&mut self) {
        self.totals.clear();
        self.wakers.clear();
        self.wanted_wakers.clear();
        let open = self.open.iter().map(|(key, _, ns)| (key.id(), (key.kind, *ns)));
        self.carried = open.collect();
        // Of who waits no more less than 5 ms has been reported that a record would report again.
        let carried = &self.carried;
        self.told_open.retain(|id, _| carried.contains_key(id));
        self.waiting_ns = 0;
        self.listening.next_window();
        self.dropped = 0;
        if self.in_kernel.len() >= MANY_STACKS {
            // One that is met again is written again; a stack that is gone already is no error.
            for hash in std::mem::take(&mut self.in_kernel) {
                let _ = self.stacks.remove(&hash);
            }
        }
        if self.functions.len() >= STACKS_REMEMBERED {
            self.functions.clear();
            self.classes.clear();
        }
    }

    /// Reads the stacks of open waits, all at once, before their records are taken.
    pub(crate) fn learn(&mut self, hashes: impl Iterator<Item = u64>) {
        let mut new: Vec<(u64, Vec<u64>)> = Vec::new();
        for hash in hashes.filter(|hash| *hash != 0) {
            if self.functions.contains_key(&hash) || new.iter().any(|(known, _)| *known == hash) {
                continue;
            }
            let Ok(frames) = self.stacks.get(&hash, 0) else { continue };
            self.in_kernel.push(hash);
            new.push((hash, frames.into_iter().take_while(|address| *address != 0).collect()));
        }
        let addresses: Vec<u64> = new.iter().flat_map(|(_, frames)| frames.iter().copied()).collect();
        if addresses.is_empty() {
            return;
        }
        let mut names = self.symbols.resolve(&addresses).into_iter();
        for (hash, frames) in new {
            self.functions.insert(hash, names.by_ref().take(frames.len()).collect());
        }
    }

    /// Evidence for one task's interval, its open wait included.
    pub(crate) fn evidence(&mut self, header: &Header, keep: bool) -> Vec<Evidence> {
        let none = self.evidence.is_empty();
        let mut evidence =
            if none { Vec::new() } else { self.evidence.remove(&header.id()).unwrap_or_default() };
        let speaks = header.on == 0 && header.open_gathered > 0 && usize::from(header.open_kind) < LATE;
        if speaks && header.dead == 0 && keep {
            let key = LateKey::of_open(header);
            let class = self.class_of(&key);
            self.open.push((key, class, header.open_gathered));
            self.note_open(&key, class, header.open_gathered);
            // How long such a wait is believed is for the account to say.
            if header.open_kind != FUTEX_TWO {
                let (kind, ns) = (header.open_kind, header.open_ns);
                evidence.push(Evidence { kind, class, ns, open: true });
            }
        }
        evidence
    }

    /// Whether waits of a task that have ended since the last reading were recorded.
    pub(crate) fn speaks_of(&self, id: TaskId) -> bool {
        !self.evidence.is_empty() && self.evidence.contains_key(&id)
    }

    /// Whether the task whose evidence was asked for last waits, with a record of its own: one
    /// that waits for a lock has that and no evidence.
    pub(crate) fn has_open(&self, header: &Header) -> bool {
        let last = self.open.last();
        last.is_some_and(|(key, _, _)| (key.tid, key.start_ns) == (header.tid, header.start_ns))
    }

    /// Notes the name of a task that a late record names as waker.
    pub(crate) fn note_waker(&mut self, tid: u32, name: impl FnOnce() -> Text) {
        if !self.wanted_wakers.is_empty() && self.wanted_wakers.remove(&tid) {
            self.wakers.insert(tid, Some(name()));
        }
    }

    /// The name of a waker, if it was alive at a reading.
    pub(crate) fn waker_name(&self, tid: u32) -> Option<Text> {
        self.wakers.get(&tid).cloned().flatten()
    }

    /// The functions of a stack, outermost first, separated by semicolons.
    pub(crate) fn stack_text(&self, hash: u64) -> Option<Text> {
        let functions = self.functions.get(&hash)?;
        let names: Vec<&str> = functions.iter().rev().map(|name| &**name).collect();
        Some(names.join(";").into())
    }

    /// Who asked for the kernel's lock that a stack waits for: the first function outside the locks.
    pub(crate) fn asker(&self, hash: u64) -> Option<Text> {
        let frames: Vec<&str> = self.functions.get(&hash)?.iter().map(|name| &**name).collect();
        self.table.place(&frames).map(Into::into)
    }

    /// Objects that turned up since the last call, each with a process that may still live.
    pub(crate) fn new_objects(&mut self) -> Vec<(Object, u32)> {
        self.new_objects.extend(self.open.iter().map(|(key, _, _)| (key.object, key.tgid)));
        std::mem::take(&mut self.new_objects)
    }

    /// All records of the window, open waits included, each with its class.
    pub(crate) fn totals(&self) -> HashMap<(LateKey, Class), Total> {
        let mut totals = self.totals.clone();
        for (key, class, ns) in &self.open {
            let before = self.carried.get(&key.id()).filter(|(kind, _)| *kind == key.kind);
            let total = totals.entry((*key, *class)).or_default();
            total.ns += ns.saturating_sub(before.map_or(0, |(_, before)| *before));
            total.waits += 1;
        }
        totals
    }

    fn add(&mut self, key: LateKey, class: Class, late: Late) {
        if self.totals.len() >= MAX_TOTALS && !self.totals.contains_key(&(key, class)) {
            self.dropped += 1;
            return;
        }
        let new_objects = &mut self.new_objects;
        let total = self.totals.entry((key, class)).or_insert_with(|| {
            new_objects.push((key.object, key.tgid));
            Total::default()
        });
        total.ns += late.ns;
        total.waits += late.waits;
    }

    fn want_waker(&mut self, tid: u32) {
        if tid != 0 && !self.wakers.contains_key(&tid) {
            self.wakers.insert(tid, None);
            self.wanted_wakers.insert(tid);
        }
    }

    fn class_of(&mut self, key: &LateKey) -> Class {
        let hint = kind::default_class(key.kind);
        if key.kind == PEER {
            return self.class_of_peer(key, hint);
        }
        if usize::from(key.kind) >= STACKED || key.stack == 0 {
            return hint;
        }
        if let Some(class) = self.classes.get(&(key.kind, key.stack)) {
            return *class;
        }
        let Some(functions) = self.functions.get(&key.stack) else { return hint };
        let frames: Vec<&str> = functions.iter().map(|name| &**name).collect();
        let class = self.table.classify(&frames, hint).unwrap_or(hint);
        self.classes.insert((key.kind, key.stack), class);
        class
    }

    /// A server reads from its clients too: there the local port listens. Where connect() chose
    /// it, it cannot; somebody who has bound one and has ended was a server, as nearly all are.
    fn class_of_peer(&mut self, key: &LateKey, hint: Class) -> Class {
        match key.object.kind {
            OBJECT_UNIX => Class::Peer,
            OBJECT_TCP4 | OBJECT_TCP6 if key.object.local_port == 0 => Class::Peer,
            OBJECT_TCP4 | OBJECT_TCP6 => {
                match self.listening.listens(&self.processes, key.tgid, key.object.local_port) {
                    Some(false) => Class::Peer,
                    Some(true) | None => Class::Read,
                }
            }
            _ => hint,
        }
    }
}

impl LateKey {
    fn id(&self) -> TaskId {
        TaskId { tid: self.tid, start_ns: self.start_ns }
    }

    fn of_open(header: &Header) -> LateKey {
        LateKey {
            start_ns: header.start_ns,
            stack: header.open_stack,
            object: header.open_object,
            tid: header.tid,
            tgid: header.tgid,
            syscall: header.open_syscall,
            kind: header.open_kind,
            ..LateKey::default()
        }
    }
}

/// Whether the task that ends such a wait is the one that held the thing waited for. The
/// wake-up after I/O comes from an interrupt that met any task at all.
fn waker_matters(class: Class) -> bool {
    use Class::{LockFile, LockInode, LockKernel, LockMmap, LockUser, Peer, RemoteFs};
    matches!(class, LockUser | LockKernel | LockInode | LockMmap | LockFile | Peer | RemoteFs)
}
