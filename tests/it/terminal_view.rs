//! `heldup top` in a real terminal, live: it comes up, answers keys, and leaves nothing behind however it ends.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;
use heldup_testkit::needs::Need;
use libtest_mimic::Trial;

/// How long each step may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub fn trials() -> Vec<Trial> {
    let needs = [Need::Tool("tmux")];
    vec![
        crate::trial("terminal_view::keys-and-the-end".to_owned(), &needs, keys_and_the_end),
        crate::trial("terminal_view::killed".to_owned(), &needs, killed),
    ]
}

/// A terminal of 80 columns and 24 rows, with `heldup top` in it.
struct Terminal {
    heldup: Heldup,
    name: String,
}

impl Terminal {
    fn open(name: &str) -> Result<Terminal> {
        let terminal = Terminal { heldup: Heldup::found()?, name: format!("{name}-{}", std::process::id()) };
        fs::create_dir(terminal.archives())?;
        let home = terminal.heldup.home().display();
        let line = format!(
            "HOME={home} HELDUP_STATE_DIR={home}/state XDG_RUNTIME_DIR={} LC_ALL=C.UTF-8 {} top; echo ended $?; \
             exec sleep 600",
            terminal.archives().display(),
            terminal.heldup.program().display()
        );
        terminal.tmux(&["new-session", "-d", "-x", "80", "-y", "24", &line])?;
        Ok(terminal)
    }

    /// Where temporary archives are.
    fn archives(&self) -> std::path::PathBuf {
        self.heldup.home().join("run")
    }

    /// With a server of its own, which no other terminal of the machine has anything to do with.
    fn tmux(&self, words: &[&str]) -> Result<String> {
        let output = Command::new("tmux").args(["-L", &self.name, "-f", "/dev/null"]).args(words).output()?;
        ensure!(output.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn press(&self, key: &str) -> Result<()> {
        self.tmux(&["send-keys", key]).map(drop)
    }

    /// The screen, as soon as it is so.
    fn await_screen(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.tmux(&["capture-pane", "-p"])?;
            if is_so(&screen) {
                return Ok(screen);
            }
            if Instant::now() > until {
                bail!("not within {} s: {what}\n{screen}", PATIENCE.as_secs());
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// Until no temporary archive is left.
    fn await_nothing_left(&self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = fs::read_dir(self.archives())?.count();
            if left == 0 {
                return Ok(());
            }
            ensure!(Instant::now() < until, "{left} archives are left in {}", self.archives().display());
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

fn keys_and_the_end() -> Result<()> {
    let terminal = Terminal::open("keys")?;
    let screen = terminal.await_screen("a live overview", |screen| {
        screen.contains("live") && screen.contains("PID PROCESS")
    })?;
    ensure!(screen.lines().all(|line| line.chars().count() <= 80), "{screen}");
    ensure!(fs::read_dir(terminal.archives())?.count() == 1, "it records into an archive of its own");
    terminal.press("w")?;
    terminal.await_screen("who", |screen| screen.contains("processes, by active time"))?;
    terminal.press("H")?;
    terminal.await_screen("threads", |screen| screen.contains("threads, by active time"))?;
    terminal.press("?")?;
    terminal.await_screen("keys", |screen| screen.contains("go to a time"))?;
    terminal.press("Escape")?;
    terminal.press("Space")?;
    terminal.await_screen("frozen", |screen| screen.contains("frozen"))?;
    terminal.press("q")?;
    // What stood in the terminal before is there again.
    terminal.await_screen("the end", |screen| screen.starts_with("ended 0"))?;
    terminal.await_nothing_left()
}

/// Who is killed can tidy up nothing: the recorder sees it.
fn killed() -> Result<()> {
    let terminal = Terminal::open("killed")?;
    terminal.await_screen("a live overview", |screen| screen.contains("PID PROCESS"))?;
    let entry = fs::read_dir(terminal.archives())?.next().context("an archive")??;
    let name = entry.file_name().to_string_lossy().into_owned();
    let pid: libc::pid_t = name.split('-').nth(2).context("its number")?.parse()?;
    // SAFETY: the number is that of the program which this test started and which has not ended.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    terminal.await_nothing_left()
}
