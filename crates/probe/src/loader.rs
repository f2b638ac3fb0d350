//! The only door to aya: objects, programs, maps and iterators.
//!
//! It is thin so that another loader can take its place. Each object is a parameter: who loads one
//! gives its bytes and the types that it needs.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use aya::maps::Map;
use aya::programs::tp_btf::BtfTracePointLinkId;
use aya::programs::{BtfTracePoint, Iter, Program, ProgramError};
use aya::sys::{Stats, enable_stats};
use aya::{Btf, Ebpf, EbpfError, EbpfLoader, Pod, VerifierLogLevel};
use heldup_hostfs::{monotonic_ns, without_opening_files};

use crate::error::ProbeError;
use crate::iterator;
use crate::needed_types::attach_points;
use crate::overhead::{Counted, Overhead, ProgramTime};

/// A constant of the object (`const volatile`) with its value for this run.
pub(crate) struct Constant<'a> {
    /// Name in the C source.
    pub(crate) name: &'static str,
    /// Value, in the machine's byte order and of the constant's size.
    pub(crate) bytes: &'a [u8],
}

/// aya's loader (0.14) reads and parses all of the kernel's types when it is made, asked to or
/// not, and goes on without when it cannot: some 20 ms of CPU and 30 MB, in vain, because each
/// object brings its own. So it is made where no file can be read, and once.
static LOADER: Mutex<Option<EbpfLoader<'static>>> = Mutex::new(None);

fn loader() -> EbpfLoader<'static> {
    without_opening_files(EbpfLoader::new).unwrap_or_default()
}

/// Whether a symbol of this name is in an object's table of names.
fn names(object: &[u8], symbol: &str) -> bool {
    object.windows(symbol.len() + 1).any(|bytes| bytes.strip_suffix(b"\0") == Some(symbol.as_bytes()))
}

/// Readings by which it is learnt what a run takes that is not timed, and for how long at the most: a machine
/// that gives us no CPU is not waited for.
const LEARNED_FROM: usize = 16;
const LEARNED_FOR_NS: u64 = 20_000_000;

/// A BPF object whose maps exist in the kernel; its programs are loaded one by one.
pub(crate) struct Object {
    name: &'static str,
    ebpf: Ebpf,
    /// What its programs time of themselves; none where it has none but iterators.
    overhead: Option<Overhead>,
    /// Links of the iterators that have run.
    iterators: Vec<(&'static str, OwnedFd)>,
}

impl Object {
    /// Creates the maps and fits the programs to this kernel's types.
    ///
    /// `types` is none for objects that read no kernel structure.
    pub(crate) fn open(
        name: &'static str,
        bytes: &[u8],
        types: Option<&'static Btf>,
        constants: &[Constant<'_>],
    ) -> Result<Object, ProbeError> {
        allow_locked_memory();
        let mut held = LOADER.lock().unwrap_or_else(PoisonError::into_inner);
        let loader = held.get_or_insert_with(loader);
        // Task storage is a map type that aya does not open from user space; nothing here needs to.
        loader.btf(types).allow_unsupported_maps().verifier_log_level(VerifierLogLevel::DISABLE);
        for constant in constants {
            debug_assert!(names(bytes, constant.name), "{name} has no constant {}", constant.name);
            // The loader outlives the call; what is lost is a few bytes for each object.
            let value: &'static [u8] = Box::leak(constant.bytes.into());
            // Not "must exist": the loader still knows the constants of other objects.
            loader.override_global(constant.name, value, false);
        }
        let ebpf = loader.load(bytes).map_err(|error| refused_object(name, &error))?;
        let mut object = Object { name, ebpf, overhead: None, iterators: Vec::new() };
        if object.ebpf.map(Overhead::MAP).is_some() {
            object.overhead = Some(Overhead::new(object.take_map(Overhead::MAP)?));
        }
        Ok(object)
    }

    /// Loads a `tp_btf` program and attaches it to a trace point until the object is dropped.
    pub(crate) fn attach_trace_point(
        &mut self,
        program: &'static str,
        point: &str,
    ) -> Result<(), ProbeError> {
        self.load_trace_point(program, point)?;
        // Attached until the object is dropped, which also owns the link.
        self.attach_loaded(program).map(drop)
    }

    /// Loads a `tp_btf` program without attaching it.
    pub(crate) fn load_trace_point(&mut self, program: &'static str, point: &str) -> Result<(), ProbeError> {
        let points = attach_points()?;
        self.trace_point(program)?.load(point, points).map_err(|e| refused(program, &e))
    }

    /// Attaches a loaded `tp_btf` program until the object is dropped or [`Object::detach`].
    pub(crate) fn attach_loaded(&mut self, program: &'static str) -> Result<BtfTracePointLinkId, ProbeError> {
        self.trace_point(program)?.attach().map_err(|e| refused(program, &e))
    }

    /// Detaches a `tp_btf` program; it stays loaded.
    pub(crate) fn detach(
        &mut self,
        program: &'static str,
        link: BtfTracePointLinkId,
    ) -> Result<(), ProbeError> {
        self.trace_point(program)?.detach(link).map_err(|e| refused(program, &e))
    }

    fn trace_point(&mut self, program: &'static str) -> Result<&mut BtfTracePoint, ProbeError> {
        self.program(program)?.try_into().map_err(|e| refused(program, &e))
    }

    /// Loads an iterator program over `target` (`task`); run it with [`Object::iterate`].
    pub(crate) fn load_iterator(&mut self, program: &'static str, target: &str) -> Result<(), ProbeError> {
        let points = attach_points()?;
        let found: &mut Iter = self.program(program)?.try_into().map_err(|e| refused(program, &e))?;
        found.load(target, points).map_err(|e| refused(program, &e))
    }

    /// Runs a loaded iterator once over everything; what it wrote is put into `bytes`, emptied first.
    pub(crate) fn iterate(&mut self, program: &'static str, bytes: &mut Vec<u8>) -> Result<(), ProbeError> {
        bytes.clear();
        if !self.iterators.iter().any(|(name, _)| *name == program) {
            let found: &mut Iter = self.program(program)?.try_into().map_err(|e| refused(program, &e))?;
            let link = found.fd().map_err(|e| refused(program, &e)).and_then(|fd| {
                let link = iterator::attach(fd.as_fd());
                link.map_err(|source| ProbeError::Io { place: program, source })
            })?;
            self.iterators.push((program, link));
        }
        let Some((_, link)) = self.iterators.iter().find(|(name, _)| *name == program) else { return Ok(()) };
        iterator::run(link.as_fd(), bytes).map_err(|source| ProbeError::Io { place: program, source })
    }

    /// Takes a program by name, to load and attach it as its kind needs.
    pub(crate) fn program(&mut self, name: &'static str) -> Result<&mut Program, ProbeError> {
        let object = self.name;
        self.ebpf.program_mut(name).ok_or(ProbeError::Absent { object, name })
    }

    /// Takes a map out of the object, typed as its kind (`HashMap`, `RingBuf`, `Array`, …).
    pub(crate) fn take_map<M>(&mut self, name: &'static str) -> Result<M, ProbeError>
    where
        M: TryFrom<Map>,
        M::Error: std::fmt::Display,
    {
        let map = self.ebpf.take_map(name).ok_or(ProbeError::Absent { object: self.name, name })?;
        M::try_from(map)
            .map_err(|error| ProbeError::Load { object: self.name, why: format!("{name}: {error}") })
    }

    /// Run time of the object's programs, but for iterators.
    pub(crate) fn program_time(&self) -> ProgramTime {
        ProgramTime {
            estimated_ns: self.overhead.as_ref().and_then(Overhead::estimated_ns),
            counted_ns: self.counted_ns(),
        }
    }

    /// Learns what a run takes beside what the programs time of themselves, from runs that `burst` causes again
    /// and again for at most 20 ms. Where the kernel refuses to count, estimates leave that out.
    pub(crate) fn learn_untimed(&mut self, mut burst: impl FnMut()) {
        let Ok(_counting) = RunTimeCount::start() else { return };
        let until_ns = monotonic_ns() + LEARNED_FOR_NS;
        let mut readings = Vec::with_capacity(LEARNED_FROM);
        while readings.len() < LEARNED_FROM && monotonic_ns() < until_ns {
            burst();
            let totals = self.overhead.as_ref().and_then(Overhead::runs_and_timed_ns).zip(self.counted_ns());
            readings.extend(totals.map(|((runs, timed_ns), counted_ns)| Counted {
                runs,
                counted_ns,
                timed_ns,
            }));
        }
        if let Some(overhead) = &mut self.overhead {
            overhead.learn_untimed(&readings);
        }
    }

    /// As the kernel counts it, about 34 ns of its own for each run with it.
    fn counted_ns(&self) -> Option<u64> {
        let runs = self.ebpf.programs().filter(|(_, program)| !matches!(program, Program::Iter(_)));
        let runs = runs.filter_map(|(_, program)| program.info().ok());
        let total: u64 = runs.map(|info| info.run_time().as_nanos() as u64).sum();
        (total > 0).then_some(total)
    }
}

/// The kernel counts the run time of all BPF programs while this lives (since 5.8).
///
/// It reads its clock twice more for each run: some 250 ns for each switch of a task that
/// the ledger sees (docs/decisions/0002-ledger.md), so it is started only when asked for.
#[derive(Debug)]
pub struct RunTimeCount {
    _held: OwnedFd,
}

impl RunTimeCount {
    /// Starts to count, beside whoever else asked for it.
    pub fn start() -> Result<RunTimeCount, ProbeError> {
        let program = "the count of run times";
        let held = enable_stats(Stats::RunTime).map_err(|error| match denied(&error) {
            true => ProbeError::Denied { what: program.to_owned() },
            false => ProbeError::Program { program, why: with_causes(&error) },
        })?;
        Ok(RunTimeCount { _held: held })
    }
}

/// Reads plain data that BPF programs share with us.
pub(crate) trait Plain: Pod {
    /// The value at the start of `bytes`, wherever it lies; none when it is cut short.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < size_of::<Self>() {
            return None;
        }
        // SAFETY: the bytes suffice, alignment is not asked for, and of `Pod` every pattern is valid.
        Some(unsafe { bytes.as_ptr().cast::<Self>().read_unaligned() })
    }
}

impl<T: Pod> Plain for T {}

/// Kernels before 5.11 charge maps to the limit on locked memory, 64 KiB by default.
fn allow_locked_memory() {
    let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid value to read. Failing is harmless: later kernels do not charge it.
    unsafe { libc::setrlimit(libc::RLIMIT_MEMLOCK, &limit) };
}

fn refused_object(object: &'static str, error: &EbpfError) -> ProbeError {
    match denied(error) {
        true => ProbeError::Denied { what: object.to_owned() },
        false => ProbeError::Load { object, why: with_causes(error) },
    }
}

/// Says which program the kernel refused, and whether rights are what is missing.
pub(crate) fn refused(program: &'static str, error: &ProgramError) -> ProbeError {
    match denied(error) {
        true => ProbeError::Denied { what: program.to_owned() },
        false => ProbeError::Program { program, why: with_causes(error) },
    }
}

/// Whether EPERM is the cause: the verifier answers EACCES or EINVAL for a program
/// that it refuses, and only EPERM means that rights are missing.
fn denied(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            return io.raw_os_error() == Some(libc::EPERM);
        }
        next = cause.source();
    }
    false
}

fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        next = cause.source();
    }
    text
}
