//! Another kernel for real: a virtual machine that a test boots in seconds, without root.
//!
//! Its memory disk holds what is to run there, and nothing of the machine under it can be
//! reached; commands and their output go over a virtio port. The CPU is emulated in
//! software, so that this works everywhere, ten times slower and with noisy clocks: no
//! figure of speed may come from here. Killed when dropped.

mod archive;
mod disk;
mod image;
pub mod init;
mod kernel_modules;
mod message;
mod options;
pub mod test_machine;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub use disk::Disk;
pub use message::{Answer, Order};
pub use options::Options;

use crate::running::ends_with_this_thread;
use crate::scratch::Scratch;

/// The emulator.
pub const EMULATOR: &str = "qemu-system-x86_64";

/// Longest time until the guest answers for the first time: many times what it takes alone.
const BOOT_PATIENCE: Duration = Duration::from_secs(120);
/// What a guest may take longer to answer than the time it has granted a command.
const ANSWER_PATIENCE: Duration = Duration::from_secs(30);
/// Lines of the console that an error message shows.
const CONSOLE_LINES: usize = 40;

/// A booted virtual machine.
pub struct Guest {
    emulator: Child,
    orders: ChildStdin,
    answers: Receiver<Answer>,
    console: PathBuf,
    /// From the start of the emulator to the first answer.
    pub booted_in: Duration,
    // Dropped last: image, disks and console lie there.
    _folder: Scratch,
}

impl Guest {
    /// Boots a machine; returns when it takes orders.
    pub fn boot(options: &Options) -> Result<Guest> {
        let started = Instant::now();
        let folder = Scratch::new("guest")?;
        let image = folder.path().join("image");
        image::write(options, &image)?;
        let console = folder.path().join("console");
        let mut command = Command::new(EMULATOR);
        command.args(options.arguments_of_emulator(&image, &console, folder.path())?);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ends_with_this_thread(&mut command);
        let mut emulator = command.spawn().with_context(|| format!("start {EMULATOR}"))?;
        let orders = emulator.stdin.take().context("no way to the guest")?;
        let mut output = emulator.stdout.take().context("no way from the guest")?;
        let (send, answers) = channel();
        // Ends with the emulator.
        thread::spawn(move || {
            while let Ok(answer) = Answer::read(&mut output) {
                if send.send(answer).is_err() {
                    break;
                }
            }
        });
        let mut guest =
            Guest { emulator, orders, answers, console, booted_in: Duration::ZERO, _folder: folder };
        let ready = guest.answer(BOOT_PATIENCE).context("the guest does not boot")?;
        if ready.code != Some(0) {
            bail!("the guest boots in part: {}\n{}", ready.stderr, guest.console());
        }
        guest.booted_in = started.elapsed();
        Ok(guest)
    }

    /// Runs a command there and returns when it ends, or when its time is over.
    pub fn run(&mut self, words: &[&str], limit: Duration) -> Result<Answer> {
        let order = Order {
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            limit_ms: limit.as_millis() as u64,
        };
        order.write(&mut self.orders).with_context(|| format!("{words:?}: the guest takes no orders"))?;
        self.answer(limit + ANSWER_PATIENCE).with_context(|| format!("{words:?} in the guest"))
    }

    /// Runs a shell command there that must succeed; what it printed.
    pub fn shell(&mut self, script: &str, limit: Duration) -> Result<String> {
        let answer = self.run(&["sh", "-c", script], limit)?;
        if answer.code != Some(0) {
            bail!("{script}: {}\n{}\n{}", answer.ending(), answer.stderr, answer.stdout);
        }
        Ok(answer.stdout)
    }

    fn answer(&mut self, patience: Duration) -> Result<Answer> {
        match self.answers.recv_timeout(patience) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                bail!("no answer within {} s\n{}", patience.as_secs(), self.console())
            }
            Err(RecvTimeoutError::Disconnected) => {
                let mut said = String::new();
                if let Some(mut errors) = self.emulator.stderr.take() {
                    let _ = std::io::Read::read_to_string(&mut errors, &mut said);
                }
                bail!("the guest is gone: {said}\n{}", self.console())
            }
        }
    }

    /// The end of what the kernel printed.
    pub fn console(&self) -> String {
        let text = fs::read(&self.console).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(CONSOLE_LINES)..].join("\n")
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.emulator.kill();
        let _ = self.emulator.wait();
    }
}

/// A file of this machine, and where it lies in the guest.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Here.
    pub from: PathBuf,
    /// There; absolute.
    pub to: PathBuf,
}

impl Copied {
    /// Lies at `to` in the guest.
    pub fn new(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Copied {
        Copied { from: from.as_ref().to_owned(), to: to.as_ref().to_owned() }
    }
}
