//! Runs this program in a child, so that its end does not depend on the machine.
//!
//! A thread that sleeps in the kernel and cannot be killed (a driver that does not answer, a
//! file server that has taken the request) keeps its process from ending: whoever started it
//! would wait for ever, although the answer is there. So the process that was started only
//! waits for another one, which does the work and tells how it ended; what cannot end stays
//! behind by itself, and ends when the kernel lets it.

use std::io::Write;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use crate::clock::monotonic_ns;

/// How long a child that has said its last may take to end: one that is not delayed needs
/// a millisecond, more where it has much memory to give back.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// The child, for the signal handler; 0: none.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Does `work` in a child, and answers its exit code: within half a second of its end, even
/// where the child cannot end.
///
/// To be called before there are threads. Where there can be no child, the work is done here.
pub fn watched(work: impl FnOnce() -> u8) -> u8 {
    run(work, libc::SIGKILL, || {})
}

/// The same for work that takes the terminal: where it is killed or crashes, the terminal is put in order here; where this
/// process is killed, the child is asked to end, and does it itself.
pub fn watched_in_terminal(work: impl FnOnce() -> u8) -> u8 {
    let terminal = Terminal::now();
    run(work, libc::SIGTERM, move || terminal.restore())
}

/// A terminal as it was.
struct Terminal(Option<libc::termios>);

impl Terminal {
    fn now() -> Terminal {
        // SAFETY: plain data, for which zero is a valid value; the kernel fills it.
        unsafe {
            let mut state: libc::termios = std::mem::zeroed();
            Terminal((libc::tcgetattr(libc::STDIN_FILENO, &mut state) == 0).then_some(state))
        }
    }

    /// Its modes, its cursor and the screen that was there before.
    fn restore(&self) {
        let Some(state) = &self.0 else { return };
        // SAFETY: the state is one that the kernel gave.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, state) };
        let mut out = std::io::stdout();
        // Who has no terminal any more has nothing to put in order.
        let _ = out.write_all(b"\x1b[?25h\x1b[?1049l\x1b[0m").and_then(|()| out.flush());
    }
}

/// `death` is what the child gets when this process is killed; `crashed` is called where the child told no code.
fn run(work: impl FnOnce() -> u8, death: libc::c_int, crashed: impl FnOnce()) -> u8 {
    let mut pipe = [0; 2];
    // SAFETY: `pipe` has room for two descriptors.
    if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return work();
    }
    // SAFETY: takes nothing, cannot fail.
    let parent = unsafe { libc::getpid() };
    // SAFETY: there is one thread, so that nothing of the child's memory is in between.
    match unsafe { libc::fork() } {
        -1 => work(),
        0 => {
            die_with(parent, death);
            let code = work();
            say_and_end(code, pipe[1])
        }
        child => {
            CHILD.store(child, Ordering::Relaxed);
            // SAFETY: ours, and used no more: the end of the child must be the end of the pipe.
            unsafe { libc::close(pipe[1]) };
            forward_signals();
            wait_for(child, pipe[0], crashed)
        }
    }
}

/// Whoever kills the process that was started means the one that works.
fn die_with(parent: libc::pid_t, death: libc::c_int) {
    // SAFETY: takes numbers only.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, death);
        if libc::getppid() != parent {
            libc::_exit(libc::EXIT_FAILURE);
        }
    }
}

/// Lets go of what others may wait for (a pipe is open as long as anybody has it), tells the
/// code, and ends without another word.
fn say_and_end(code: u8, to: libc::c_int) -> ! {
    // A full disk cannot be told to anybody any more.
    let _ = std::io::stdout().flush();
    // SAFETY: the path ends in NUL, `code` outlives the call, the rest are numbers.
    unsafe {
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        for descriptor in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
            libc::dup2(nothing, descriptor);
        }
        libc::write(to, (&raw const code).cast(), 1);
        libc::_exit(code.into())
    }
}

/// A terminal's Ctrl-C reaches both processes; what is sent to this one alone is passed on.
fn forward_signals() {
    extern "C" fn pass_on(signal: libc::c_int, told: *mut libc::siginfo_t, _: *mut libc::c_void) {
        let child = CHILD.load(Ordering::Relaxed);
        // SAFETY: the kernel gives a valid pointer; kill is safe in a handler.
        unsafe {
            if child > 0 && (*told).si_code <= 0 {
                libc::kill(child, signal);
            }
        }
    }
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: plain data, for which zero is a valid value; the handler has the form that
        // SA_SIGINFO asks for and makes only calls that are safe there.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = pass_on as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

fn wait_for(child: libc::pid_t, told: libc::c_int, crashed: impl FnOnce()) -> u8 {
    let mut code = 0u8;
    let said = loop {
        // SAFETY: `code` has room for one byte.
        let read = unsafe { libc::read(told, (&raw mut code).cast(), 1) };
        if read >= 0 || !is_interrupted() {
            break read == 1;
        }
    };
    if !said {
        return ended(child, crashed);
    }
    let until = monotonic_ns() + LAST_WAIT.as_nanos() as u64;
    // SAFETY: no status is asked for.
    while unsafe { libc::waitpid(child, std::ptr::null_mut(), libc::WNOHANG) } == 0 && monotonic_ns() < until
    {
        std::thread::sleep(Duration::from_millis(1));
    }
    code
}

/// The end of a child that told no code: a crash, or a signal, from which this process ends too.
fn ended(child: libc::pid_t, crashed: impl FnOnce()) -> u8 {
    let mut status = 0;
    // SAFETY: `status` has room for the answer.
    while unsafe { libc::waitpid(child, &mut status, 0) } < 0 && is_interrupted() {}
    crashed();
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        // SAFETY: takes numbers only.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
        return 128u8.saturating_add(signal as u8);
    }
    libc::WEXITSTATUS(status) as u8
}

fn is_interrupted() -> bool {
    std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted
}
