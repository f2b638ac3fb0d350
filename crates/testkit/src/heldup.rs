//! Runs the program under test the way a user does, and reads its JSON.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use heldup_model::Examination;
use serde_json::Value;

use crate::scratch::Scratch;

/// Longest time from start to answer: several times the longest window of the tests, also on the
/// emulated CPU of a guest when the machine under it is busy.
const PATIENCE: Duration = Duration::from_secs(150);

/// The program, with a home of its own, so that a test never touches the last
/// examination of the user who runs it.
pub struct Heldup {
    program: PathBuf,
    wrapper: Vec<OsString>,
    home: Scratch,
}

/// What one examination said.
pub struct Answer {
    /// The parsed JSON.
    pub examination: Examination,
    /// Notes.
    pub stderr: String,
    /// From start to answer, the window included.
    pub took: Duration,
}

impl Heldup {
    /// The program named by `HELDUP_BIN`, else the newest build beside this test.
    pub fn found() -> Result<Heldup> {
        let program = match std::env::var_os("HELDUP_BIN") {
            Some(path) => PathBuf::from(path),
            None => newest_build()?,
        };
        if !program.exists() {
            bail!("{} does not exist: build it, or set HELDUP_BIN", program.display());
        }
        Ok(Heldup { program, wrapper: Vec::new(), home: Scratch::new("home")? })
    }

    /// Runs it under another command, such as `setpriv --reuid=65534`.
    #[must_use]
    pub fn under(mut self, wrapper: &[&str]) -> Heldup {
        self.wrapper = wrapper.iter().map(OsString::from).collect();
        self
    }

    /// A copy of the program in its own home, for users who may not read the original.
    pub fn copied_to_home(mut self) -> Result<Heldup> {
        let copy = self.home.path().join("heldup");
        std::fs::copy(&self.program, &copy).with_context(|| format!("copy to {}", copy.display()))?;
        self.program = copy;
        Ok(self)
    }

    /// A copy of the program under a name that no other process of the machine has, by which its own are told
    /// from those of any other heldup: a recorder, say, that is installed.
    pub fn copied_under_own_name(mut self) -> Result<Heldup> {
        // The kernel keeps 15 characters of it.
        let copy = self.home.path().join(format!("heldup-{}", std::process::id()));
        std::fs::copy(&self.program, &copy).with_context(|| format!("copy to {}", copy.display()))?;
        self.program = copy;
        Ok(self)
    }

    /// The name that its processes have.
    pub fn process_name(&self) -> String {
        self.program.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The folder that stands for the home of the user.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Where the program is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Examines the machine for `seconds`.
    pub fn examine(&self, seconds: u32) -> Result<Answer> {
        self.examine_with(seconds, &[])
    }

    /// Examines the machine for `seconds`, with more options.
    pub fn examine_with(&self, seconds: u32, options: &[&str]) -> Result<Answer> {
        let window = format!("{seconds}s");
        let mut arguments = vec!["examine", "--for", &window, "--format", "json"];
        arguments.extend(options);
        self.answer(&arguments)
    }

    /// Examines a command from its start to its end.
    pub fn examine_command(&self, command: &[&OsStr]) -> Result<Answer> {
        let mut arguments: Vec<&OsStr> = ["--format", "json", "--"].map(OsStr::new).to_vec();
        arguments.extend(command);
        self.answer(&arguments)
    }

    fn answer(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Answer> {
        let started = Instant::now();
        let output = self.run(arguments)?;
        let took = started.elapsed();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            bail!("{}: {}\n{stderr}", self.program.display(), output.status);
        }
        // What an examined command printed comes before the answer.
        let text = String::from_utf8_lossy(&output.stdout);
        let start = text.find("{\n").or_else(|| text.find('{')).unwrap_or(0);
        let examination = serde_json::from_str(&text[start..])
            .with_context(|| format!("the answer is not heldup/examination/1:\n{text}\n{stderr}"))?;
        Ok(Answer { examination, stderr, took })
    }

    /// Asks the tables of the last examination; each row in the order of the columns asked.
    pub fn sql_last(&self, query: &str) -> Result<Vec<Vec<Value>>> {
        let output = self.run(&["sql", query, "--json"])?;
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            bail!("heldup sql: {}\n{query}", String::from_utf8_lossy(&output.stderr));
        }
        text.lines().map(|line| row_of(line).with_context(|| format!("not a row: {line}"))).collect()
    }

    /// Runs it with arguments to its end.
    pub fn run(&self, arguments: &[impl AsRef<OsStr>]) -> Result<Output> {
        let command = self.command(arguments);
        let program = command.get_program().to_string_lossy().into_owned();
        output_in_time(command).with_context(|| format!("run {program}"))
    }

    /// The command that runs it with arguments, in its own home.
    pub fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut words: Vec<&OsStr> = self.wrapper.iter().map(OsString::as_os_str).collect();
        words.push(self.program.as_os_str());
        words.extend(arguments.iter().map(AsRef::as_ref));
        let home = self.home.path();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_STATE_HOME", home.join("state"))
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // Root's is elsewhere than in its home.
            .env("HELDUP_STATE_DIR", home.join("state/heldup"));
        // Tests that are run by nohup ignore the end of a terminal; the program is to be as users start it.
        // SAFETY: signal is async-signal-safe and takes numbers.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGHUP, libc::SIG_DFL);
                Ok(())
            });
        }
        command
    }
}

/// Runs a command to its end, or kills it when that does not come.
fn output_in_time(mut command: Command) -> Result<Output> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let pid = child.id();
    let (send, ended) = channel();
    // Not joined when the time is over: a process can hang in a call that no signal ends.
    thread::spawn(move || send.send(child.wait_with_output()));
    match ended.recv_timeout(PATIENCE) {
        Ok(output) => Ok(output?),
        Err(_) => {
            // SAFETY: the child has not been waited for, so that its number is still its own.
            unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
            bail!("no answer within {} s", PATIENCE.as_secs())
        }
    }
}

/// The values of one JSON object, in the order of its columns.
fn row_of(line: &str) -> Result<Vec<Value>> {
    let columns: serde_json::Map<String, Value> = serde_json::from_str(line)?;
    Ok(columns.into_iter().map(|(_, value)| value).collect())
}

/// The newest `heldup` in the build folder, release or debug.
fn newest_build() -> Result<PathBuf> {
    let test = std::env::current_exe()?;
    // A test lies one folder deeper than a program of the test kit.
    let folders = test.ancestors().skip(2).take(2);
    folders
        .flat_map(|folder| ["release", "debug"].map(|profile| folder.join(profile).join("heldup")))
        .filter_map(|path| Some((path.metadata().ok()?.modified().ok()?, path)))
        .max()
        .map(|(_, path)| path)
        .context("heldup is not built: cargo build --release -p heldup")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_keeps_the_order_of_its_columns() -> Result<()> {
        assert_eq!(row_of(r#"{"z": 1, "a": "x", "m": null}"#)?, [json!(1), json!("x"), Value::Null]);
        assert!(row_of("[1]").is_err());
        Ok(())
    }
}
