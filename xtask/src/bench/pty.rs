//! A program in a terminal of 80 columns and 24 lines, which nobody sees.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::crowd::Ends;

/// How often is looked whether something was written.
const AGAIN: Duration = Duration::from_millis(2);

/// A program and its terminal.
pub struct InTerminal {
    /// The program.
    pub program: Ends,
    terminal: File,
    written: Arc<Mutex<Written>>,
}

/// What the program wrote.
struct Written {
    text: Vec<u8>,
    /// When something was written that is seen.
    last: Instant,
}

/// Where in what is written we are.
#[derive(Clone, Copy)]
enum Parser {
    Text,
    /// Behind an escape.
    Escape,
    /// In a sequence, until its letter.
    Sequence,
}

impl Parser {
    /// Whether something is seen of these bytes: each frame hides the cursor and resets the colours, also where nothing has
    /// changed.
    fn shows(&mut self, bytes: &[u8]) -> bool {
        let mut shows = false;
        for byte in bytes {
            *self = match (*self, byte) {
                (_, 0x1b) => Parser::Escape,
                (Parser::Escape, b'[') => Parser::Sequence,
                (Parser::Sequence, 0x40..=0x7e) | (Parser::Escape, _) => Parser::Text,
                (Parser::Sequence, _) => Parser::Sequence,
                (Parser::Text, byte) => {
                    shows |= *byte >= b' ';
                    Parser::Text
                }
            };
        }
        shows
    }
}

impl InTerminal {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<InTerminal> {
        let (master, slave) = open()?;
        let stdio = || slave.try_clone().map(Stdio::from);
        command.env("TERM", "xterm-256color").stdin(stdio()?).stdout(stdio()?).stderr(stdio()?);
        // SAFETY: both calls may be made between fork and exec, and touch nothing of ours.
        unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY, 0) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                Ok(())
            });
        }
        let name = command.get_program().to_string_lossy().into_owned();
        let program = Ends(command.spawn().with_context(|| format!("start {name}"))?);
        // The terminal ends when the last that holds it does.
        drop(slave);
        let written = Arc::new(Mutex::new(Written { text: Vec::new(), last: Instant::now() }));
        let (mut reader, seen) = (master.try_clone()?, written.clone());
        std::thread::spawn(move || {
            let mut buffer = [0; 1 << 16];
            let mut parser = Parser::Text;
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.text.extend_from_slice(&buffer[..count]);
                if parser.shows(&buffer[..count]) {
                    seen.last = Instant::now();
                }
            }
        });
        Ok(InTerminal { program, terminal: master, written })
    }

    /// Types keys.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        self.terminal.write_all(keys.as_bytes()).context("type a key")
    }

    /// Seconds from a time until a text is written.
    pub fn until_text(&self, begun: Instant, text: &str, patience: Duration) -> Result<f64> {
        loop {
            let is_there = {
                let seen = self.written.lock().unwrap_or_else(PoisonError::into_inner);
                seen.text.windows(text.len()).any(|bytes| bytes == text.as_bytes())
            };
            if is_there {
                return Ok(begun.elapsed().as_secs_f64());
            }
            ensure!(begun.elapsed() < patience, "{text:?} was not written");
            sleep(AGAIN);
        }
    }

    /// Seconds from a time until the last that was to be seen before so long a silence. None where nothing was.
    pub fn until_silence(
        &self,
        begun: Instant,
        silence: Duration,
        patience: Duration,
    ) -> Result<Option<f64>> {
        loop {
            let last = self.written.lock().unwrap_or_else(PoisonError::into_inner).last;
            if last.max(begun).elapsed() >= silence {
                return Ok((last > begun).then(|| last.duration_since(begun).as_secs_f64()));
            }
            ensure!(begun.elapsed() < patience, "it does not stop writing");
            sleep(AGAIN);
        }
    }
}

/// Both ends of a new terminal.
fn open() -> Result<(File, OwnedFd)> {
    let (mut master, mut slave) = (-1, -1);
    let size = libc::winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the pointers are of this frame or null, which means that nothing is wanted or set.
    let done = unsafe {
        libc::openpty(
            &raw mut master,
            &raw mut slave,
            std::ptr::null_mut(),
            std::ptr::null(),
            &raw const size,
        )
    };
    ensure!(done == 0, "no terminal: {}", std::io::Error::last_os_error());
    // SAFETY: both were just opened and are nobody else's.
    let (master, slave) = unsafe { (File::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) };
    // SAFETY: the program is not to inherit our end.
    unsafe { libc::fcntl(master.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC) };
    Ok((master, slave))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_moves_or_resets_shows_nothing() {
        let mut parser = Parser::Text;
        assert!(!parser.shows(b"\x1b[?25l\x1b[39m\x1b[49m\x1b[0m"));
        assert!(parser.shows(b"\x1b[3;1Hx"));
        assert!(!parser.shows(b"\x1b[3") && !parser.shows(b"8;5m") && parser.shows(b"y"));
    }
}
