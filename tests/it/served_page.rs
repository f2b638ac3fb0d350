//! `heldup serve`, live, as a process of its own: it records, answers, judges once for all, and leaves nothing behind
//! however it ends.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use heldup_testkit::heldup::Heldup;
use libtest_mimic::Trial;
use serde_json::Value;

/// How long each step may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

pub fn trials() -> Vec<Trial> {
    vec![
        crate::trial("served_page::live".to_owned(), &[], live),
        crate::trial("served_page::killed".to_owned(), &[], killed),
    ]
}

/// A server of the running machine.
struct Serving {
    heldup: Heldup,
    child: Child,
    port: u16,
    token: String,
}

impl Serving {
    fn start() -> Result<Serving> {
        let heldup = Heldup::found()?;
        let run = heldup.home().join("run");
        fs::create_dir(&run)?;
        let mut command = Command::new(heldup.program());
        command.args(["serve", "--port", "0"]).stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.env("HOME", heldup.home()).env("HELDUP_STATE_DIR", heldup.home().join("state"));
        let mut child = command.env("XDG_RUNTIME_DIR", &run).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut line)?;
        let (address, token) = line.trim().split_once("/#token=").context("an address with a token")?;
        let port = address.rsplit(':').next().context("a port")?.parse()?;
        Ok(Serving { heldup, child, port, token: token.to_owned() })
    }

    fn run(&self) -> PathBuf {
        self.heldup.home().join("run")
    }

    fn ask(&self, path: &str) -> Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (port, token) = (self.port, &self.token);
        let head = format!("Host: localhost:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close");
        stream.write_all(format!("GET {path} HTTP/1.1\r\n{head}\r\n\r\n").as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("an answer")?;
        ensure!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
        Ok(serde_json::from_str(body)?)
    }

    fn archives(&self) -> Result<usize> {
        let is_archive = |name: &str| name.starts_with("heldup-live-");
        let names = fs::read_dir(self.run())?.flatten().map(|entry| entry.file_name());
        Ok(names.filter(|name| name.to_str().is_some_and(is_archive)).count())
    }

    fn await_no_archive(&self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        while self.archives()? > 0 {
            ensure!(Instant::now() < until, "an archive is left in {}", self.run().display());
            std::thread::sleep(LOOK_AGAIN);
        }
        Ok(())
    }

    fn signal(&mut self, signal: libc::c_int) -> Result<Option<i32>> {
        // SAFETY: the number is that of the child, which was not waited for yet.
        unsafe { libc::kill(self.child.id() as libc::pid_t, signal) };
        Ok(self.child.wait()?.code())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn live() -> Result<()> {
    let mut serving = Serving::start()?;
    let state = serving.ask("/api/state")?;
    ensure!(state["live"] == true && state["source"]["kind"] == "live", "{state}");
    ensure!(serving.archives()? == 1, "it records into an archive of its own");
    // Two tabs: one judgement.
    let judged = [serving.ask("/api/view")?, serving.ask("/api/view")?];
    let times = judged.each_ref().map(|view| view["judged_ms"].as_i64());
    ensure!(times[0].is_some() && times[0] == times[1], "{times:?}");
    let first = state["all"]["until_ms"].as_i64().context("a time")?;
    let later = serving.ask(&format!("/api/live?after_ms={first}"))?;
    ensure!(later["until_ms"].as_i64() > Some(first), "{later}");
    ensure!(serving.ask("/api/now")?["vitals"].is_object());
    let ended = serving.signal(libc::SIGTERM)?;
    ensure!(ended == Some(0), "it ended with {ended:?}");
    serving.await_no_archive()?;
    let left = fs::read_dir(serving.run().join("heldup"))?.count();
    ensure!(left == 0, "{left} addresses are left");
    Ok(())
}

/// Who is killed can tidy up nothing: the recorder sees it.
fn killed() -> Result<()> {
    let mut serving = Serving::start()?;
    ensure!(serving.archives()? == 1, "it records into an archive of its own");
    serving.signal(libc::SIGKILL)?;
    serving.await_no_archive()
}
