//! A terminal with `heldup top` in it, made by tmux with a server of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use heldup_testkit::heldup::Heldup;

/// How long each step may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How the terminal is, and what runs in it.
pub struct Setup<'a> {
    /// Columns and rows.
    pub size: (u16, u16),
    /// Before the program in its line: variables, another user.
    pub before: &'a str,
    /// Behind `top`.
    pub arguments: &'a str,
    /// The locale; it is set last.
    pub locale: &'a str,
}

impl Default for Setup<'_> {
    fn default() -> Self {
        Setup { size: (80, 24), before: "", arguments: "", locale: "C.UTF-8" }
    }
}

/// A terminal.
pub struct Terminal {
    heldup: Heldup,
    name: String,
}

impl Terminal {
    /// Opens one and starts the view in it; when that has ended the screen says how, and what the modes of the terminal
    /// were before and after.
    pub fn open(name: &str, setup: &Setup<'_>) -> Result<Terminal> {
        let terminal = Terminal::empty(name)?;
        // Who is killed gives the terminal back a little later.
        let settled =
            "for i in $(seq 300); do [ \"$(stty -g)\" = \"$(cat $H/before)\" ] && break; sleep 0.1; done";
        let line = format!(
            "H={}; stty -g > $H/before; {}; echo ended $?; {settled}; stty -g > $H/after; exec sleep 600",
            terminal.heldup.home().display(),
            terminal.line(setup)
        );
        terminal.start(setup.size, &["sh", "-c", &line])?;
        Ok(terminal)
    }

    /// One with a shell that has job control.
    pub fn shell(name: &str) -> Result<Terminal> {
        let terminal = Terminal::empty(name)?;
        terminal.start((80, 24), &["env", "PS1=ready ", "bash", "--norc", "--noprofile", "-i"])?;
        Ok(terminal)
    }

    fn empty(name: &str) -> Result<Terminal> {
        let terminal = Terminal { heldup: Heldup::found()?, name: format!("{name}-{}", std::process::id()) };
        fs::create_dir(terminal.archives())?;
        Ok(terminal)
    }

    fn start(&self, (columns, rows): (u16, u16), program: &[&str]) -> Result<()> {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let words =
            ["new-session", "-d", "-x", &columns, "-y", &rows].into_iter().chain(program.iter().copied());
        self.tmux(&words.collect::<Vec<_>>()).map(drop)
    }

    /// What is typed to start the view.
    pub fn line(&self, setup: &Setup<'_>) -> String {
        let home = self.heldup.home().display();
        format!(
            "{} env HOME={home} HELDUP_STATE_DIR={home}/state XDG_RUNTIME_DIR={} TZ=UTC LC_ALL={} {} top {}",
            setup.before,
            self.archives().display(),
            setup.locale,
            self.heldup.program().display(),
            setup.arguments
        )
    }

    /// A folder that goes with the terminal.
    pub fn home(&self) -> &Path {
        self.heldup.home()
    }

    /// Where temporary archives are.
    pub fn archives(&self) -> PathBuf {
        self.heldup.home().join("run")
    }

    /// With a server of its own, which no other terminal of the machine has anything to do with.
    pub fn tmux(&self, words: &[&str]) -> Result<String> {
        let output =
            Command::new("tmux").args(["-u", "-L", &self.name, "-f", "/dev/null"]).args(words).output()?;
        ensure!(output.status.success(), "tmux {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    pub fn press(&self, key: &str) -> Result<()> {
        self.tmux(&["send-keys", key]).map(drop)
    }

    /// Types a text as it is.
    pub fn enter(&self, text: &str) -> Result<()> {
        self.tmux(&["send-keys", "-l", text]).map(drop)
    }

    /// The screen, as soon as it is so.
    pub fn await_screen(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        self.await_capture(&["capture-pane", "-p"], what, is_so)
    }

    /// The same with the sequences that colour it.
    pub fn await_colours(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        self.await_capture(&["capture-pane", "-p", "-e"], what, is_so)
    }

    fn await_capture(&self, words: &[&str], what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        let until = Instant::now() + PATIENCE;
        loop {
            let screen = self.tmux(words)?;
            if is_so(&screen) {
                return Ok(screen);
            }
            if Instant::now() > until {
                bail!("not within {} s: {what}\n{screen}", PATIENCE.as_secs());
            }
            std::thread::sleep(LOOK_AGAIN);
        }
    }

    /// The modes of the terminal are those that it had before.
    pub fn ensure_modes_as_before(&self) -> Result<()> {
        let read = |name: &str| fs::read_to_string(self.home().join(name)).with_context(|| name.to_owned());
        let until = Instant::now() + PATIENCE;
        while read("after").map_or(true, |after| after.is_empty()) && Instant::now() < until {
            std::thread::sleep(LOOK_AGAIN);
        }
        let (before, after) = (read("before")?, read("after")?);
        ensure!(before == after, "the terminal's modes were {before}and are {after}");
        let state = "#{alternate_on} #{cursor_flag}";
        let state = self.tmux(&["display-message", "-p", state])?;
        ensure!(state.trim() == "0 1", "the terminal is left on its other screen or without cursor: {state}");
        Ok(())
    }

    /// Until no temporary archive is left.
    pub fn await_nothing_left(&self) -> Result<()> {
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

    /// The process that shows the view: its temporary archive is named after it.
    pub fn viewer(&self) -> Result<libc::pid_t> {
        let entry = fs::read_dir(self.archives())?.next().context("an archive")??;
        let name = entry.file_name().to_string_lossy().into_owned();
        Ok(name.split('-').nth(2).context("its number")?.parse()?)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}
