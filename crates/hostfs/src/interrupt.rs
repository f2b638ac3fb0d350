//! Waiting, so that a signal ends the wait at once: Ctrl-C cuts a window short, and the
//! end of a child ends the window that was opened for it.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signal_hook::SigId;

use crate::clock::monotonic_ns;
use crate::error::HostError;

/// Signals that end a wait. They are watched until it is dropped.
#[derive(Debug)]
pub struct Interrupts {
    stop: Arc<AtomicBool>,
    child: Arc<AtomicBool>,
    /// Each of the signals leaves a byte here, so that one which arrives between the look at the flags
    /// and the sleep ends the sleep all the same.
    bell: UnixStream,
    /// Its other end, for further signals.
    rope: UnixStream,
    /// What is done at signals: undone with this, because a byte for a bell that is gone is a broken pipe.
    actions: Vec<SigId>,
}

impl Interrupts {
    /// From now on SIGINT and SIGTERM are remembered instead of ending the program.
    pub fn watch() -> Result<Interrupts, HostError> {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let mut all = Interrupts::silent(Arc::default())?;
        let stop = Arc::clone(&all.stop);
        register_acknowledgement().map_err(|error| HostError::from_io("sigaction", error))?;
        for signal in [SIGINT, SIGTERM] {
            all.add(signal, &stop).map_err(|error| HostError::from_io("sigaction", error))?;
        }
        Ok(all)
    }

    /// What this process is sent stays as it is: another part of it asks to stop.
    pub fn by(stopper: &Stopper) -> Result<Interrupts, HostError> {
        let all = Interrupts::silent(Arc::clone(&stopper.stop))?;
        let rope = all.rope.try_clone().map_err(|error| HostError::from_io("dup", error))?;
        stopper.ropes.lock().unwrap_or_else(PoisonError::into_inner).push(rope);
        Ok(all)
    }

    /// Only the end of a child is heard of.
    fn silent(stop: Arc<AtomicBool>) -> Result<Interrupts, HostError> {
        let fail = |error| HostError::from_io("sigaction", error);
        let (bell, rope) = UnixStream::pair().map_err(fail)?;
        bell.set_nonblocking(true).map_err(fail)?;
        let mut all = Interrupts { stop, child: Arc::default(), bell, rope, actions: Vec::new() };
        let child = Arc::clone(&all.child);
        all.add(signal_hook::consts::SIGCHLD, &child).map_err(fail)?;
        Ok(all)
    }

    /// The flag first: what the bell wakes looks at it.
    fn add(&mut self, signal: libc::c_int, flag: &Arc<AtomicBool>) -> io::Result<()> {
        self.actions.push(signal_hook::flag::register(signal, Arc::clone(flag))?);
        self.actions.push(signal_hook::low_level::pipe::register(signal, self.rope.try_clone()?)?);
        Ok(())
    }

    /// As [`Interrupts::watch`], and the end of the terminal (SIGHUP) is a request to stop too: for
    /// who has something to undo. Who ignores it (nohup) goes on.
    pub fn watch_with_hangup() -> Result<Interrupts, HostError> {
        use signal_hook::consts::SIGHUP;
        let mut all = Interrupts::watch()?;
        // SAFETY: plain data, for which zero is a valid value, and a valid place to write to.
        let ignored = unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(SIGHUP, std::ptr::null(), &raw mut action) == 0
                && action.sa_sigaction == libc::SIG_IGN
        };
        if !ignored {
            let stop = Arc::clone(&all.stop);
            all.add(SIGHUP, &stop).map_err(|error| HostError::from_io("sigaction", error))?;
        }
        Ok(all)
    }

    /// Whether the user asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Waits until a time of the monotonic clock, a request to stop or the end of a child.
    pub fn wait_until(&self, monotonic: u64) {
        self.sleep(monotonic, || self.stopped());
    }

    /// As [`Interrupts::wait_until`] when the request to stop has been seen: for the end of a
    /// child that was asked to stop too.
    pub fn wait_for_child(&self, monotonic: u64) {
        self.sleep(monotonic, || false);
    }

    fn sleep(&self, monotonic: u64, stopped: impl Fn() -> bool) {
        while !stopped() && !self.child.swap(false, Ordering::Relaxed) {
            let now = monotonic_ns();
            if now >= monotonic {
                return;
            }
            self.sleep_for(monotonic - now);
        }
    }

    /// Sleeps until a signal or for so long, and takes what rang.
    fn sleep_for(&self, ns: u64) {
        const SECOND_NS: u64 = 1_000_000_000;
        // Without the name of its type, which is to become another one with musl.
        let time =
            libc::timespec { tv_sec: (ns / SECOND_NS) as _, tv_nsec: (ns % SECOND_NS) as libc::c_long };
        let mut bell = libc::pollfd { fd: self.bell.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one descriptor and a time that are valid for the call; no mask is given.
        let rang = unsafe { libc::ppoll(&raw mut bell, 1, &raw const time, std::ptr::null()) };
        if rang > 0 {
            // What does not fit rings again; that there is nothing is no error.
            let _ = (&self.bell).read(&mut [0; 64]);
        }
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        for action in self.actions.drain(..) {
            signal_hook::low_level::unregister(action);
        }
    }
}

/// By which a part of this process asks another to stop: whoever waits at [`Interrupts::by`] is woken.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    stop: Arc<AtomicBool>,
    ropes: Arc<Mutex<Vec<UnixStream>>>,
}

impl Stopper {
    /// Asks to stop; there is no way back.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        for mut rope in self.ropes.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // Who waited may be gone.
            let _ = rope.write(&[0]);
        }
    }
}

/// What a request to stop is answered with at once, before anything else is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Written to standard error at the first signal, with a newline at its end.
    pub text: &'static str,
    /// What a second signal ends the process with at once; none where it has something to undo.
    pub second_ends_with: Option<i32>,
}

/// What [`Interrupts::watch`] acknowledges signals with; none until it is set.
static ACKNOWLEDGEMENT: OnceLock<Acknowledgement> = OnceLock::new();
/// Signals that came since somebody listens.
static REQUESTS: AtomicU32 = AtomicU32::new(0);

/// Has requests to stop acknowledged from the moment at which somebody listens for them. The first call counts.
pub fn acknowledge_interrupts(how: Acknowledgement) {
    let _ = ACKNOWLEDGEMENT.set(how);
}

/// Registers the acknowledgement once. It stays when nobody listens any more: a signal that comes while the answer is
/// put together ends the process no sooner and no later than one before.
fn register_acknowledgement() -> io::Result<()> {
    static REGISTERED: AtomicBool = AtomicBool::new(false);
    if ACKNOWLEDGEMENT.get().is_none() || REGISTERED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // SAFETY: it counts, writes bytes that are there for ever and may end the process: all of it is allowed in
        // a handler. (`OnceLock::get` of one that is set is a load.)
        unsafe { signal_hook::low_level::register(signal, acknowledge)? };
    }
    Ok(())
}

fn acknowledge() {
    let Some(how) = ACKNOWLEDGEMENT.get() else { return };
    if REQUESTS.fetch_add(1, Ordering::Relaxed) == 0 {
        // Who reads standard error may be gone; the answer goes elsewhere.
        // SAFETY: a pointer with its length, and numbers; what was not written cannot be said elsewhere. Each of the
        // calls is allowed in a handler.
        unsafe {
            let before = libc::signal(libc::SIGPIPE, libc::SIG_IGN);
            libc::write(libc::STDERR_FILENO, how.text.as_ptr().cast(), how.text.len());
            libc::signal(libc::SIGPIPE, before);
        }
        return;
    }
    if let Some(code) = how.second_ends_with {
        // SAFETY: takes a number.
        unsafe { libc::_exit(code) };
    }
}

/// Where the output of a command that is run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildOutput {
    /// To this program's standard output.
    Shared,
    /// To this program's standard error, because standard output carries the answer.
    ToStandardError,
}

/// Starts a command with this program's own input and standard error.
pub fn spawn(command: &[OsString], output: ChildOutput) -> Result<Child, HostError> {
    let Some((program, args)) = command.split_first() else {
        return Err(HostError::from_io("", io::Error::new(io::ErrorKind::InvalidInput, "no command")));
    };
    let mut child = Command::new(program);
    child.args(args);
    if output == ChildOutput::ToStandardError {
        child.stdout(io::stderr());
    }
    child.spawn().map_err(|e| HostError::from_io(program, e))
}

/// Whether the child has ended; it can still be read as a task until [`reap`] is called.
pub fn has_ended(child: &Child) -> Result<bool, HostError> {
    // SAFETY: siginfo is plain data; zero is a valid value of it.
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `info` is a valid place to write to; WNOWAIT leaves the child to be waited for.
    let done = unsafe { libc::waitid(libc::P_PID, child.id(), &mut info, flags) };
    if done != 0 {
        return Err(HostError::from_io("waitid", io::Error::last_os_error()));
    }
    // SAFETY: waitid filled it in; without an ended child the id stays zero.
    Ok(unsafe { info.si_pid() } != 0)
}

/// How the child ended, where it did; never waits. Its process id is free from then on.
pub fn reap(child: &mut Child) -> Result<Option<ExitStatus>, HostError> {
    child.try_wait().map_err(|e| HostError::from_io("waitpid", e))
}

/// CPU seconds in user mode and in the kernel of this program's children that have ended and
/// were waited for, with those that they had waited for.
pub fn children_cpu_s() -> (f64, f64) {
    // SAFETY: rusage is plain data; zero is a valid value of it.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` is a valid place to write to.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}
