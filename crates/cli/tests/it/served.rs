//! `heldup serve` as it is typed: one line with the address, links of other commands to it, an end that leaves nothing.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::typed::{Folder, command, heldup};

/// On a machine that builds beside it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that runs.
struct Serving {
    child: Child,
    port: String,
    token: String,
}

impl Serving {
    fn start(folder: &Folder, runtime: &Path, source: &str) -> Serving {
        let mut command = command(folder, &["serve", source, "--port", "0"]);
        command.env("XDG_RUNTIME_DIR", runtime).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("started");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let (address, token) = line.trim().split_once("/#token=").expect("an address with a token");
        let port = address.rsplit(':').next().expect("a port").to_owned();
        Serving { child, port, token: token.to_owned() }
    }

    fn get(&self, path: &str, token: &str) -> String {
        let mut stream = TcpStream::connect(format!("127.0.0.1:{}", self.port)).expect("connected");
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n",
            self.port
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    fn end(&mut self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill").success());
        let until = Instant::now() + PATIENCE;
        while self.child.try_wait().expect("asked").is_none() {
            assert!(Instant::now() < until, "it goes on after {signal}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fixture() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../top/fixtures/sync-and-lock.heldup").display().to_string()
}

/// The folder of running programs, as a session has it.
fn runtime(folder: &Folder) -> PathBuf {
    let runtime = folder.path().join("run");
    fs::create_dir(&runtime).expect("made");
    runtime
}

fn linked(folder: &Folder, runtime: &Path, source: &str) -> Option<String> {
    let output = command(folder, &["examine", source]).env("XDG_RUNTIME_DIR", runtime).output().expect("run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    said.lines().find_map(|line| line.strip_prefix("heldup: on the page: ")).map(str::to_owned)
}

#[test]
fn an_examination_links_to_its_finding_while_a_page_shows_the_same() {
    let folder = Folder::new();
    let runtime = runtime(&folder);
    let mut serving = Serving::start(&folder, &runtime, &fixture());
    let link = linked(&folder, &runtime, &fixture()).expect("a link");
    let begin = format!("http://127.0.0.1:{}/finding/", serving.port);
    assert!(link.starts_with(&begin) && link.contains("?since=") && !link.contains(&serving.token), "{link}");
    assert_eq!(linked(&folder, &runtime, "vmstat.txt"), None, "another source");
    let view = &link[link.find("/finding").expect("a path")..];
    assert!(serving.get(view, "").starts_with("HTTP/1.1 200"));
    serving.end("-TERM");
    assert_eq!(linked(&folder, &runtime, &fixture()), None);
    assert_eq!(fs::read_dir(runtime.join("heldup")).expect("the folder").count(), 0);
}

#[test]
fn who_has_the_token_reads_and_nobody_else() {
    let folder = Folder::new();
    let runtime = runtime(&folder);
    let mut serving = Serving::start(&folder, &runtime, &fixture());
    let answer = serving.get("/api/state", &serving.token);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"kind\":\"capture\""), "{answer}");
    assert!(serving.get("/api/state", "guessed").starts_with("HTTP/1.1 401"));
    serving.end("-INT");
    // A server that was killed leaves a file that nobody believes, and the next one removes it.
    let mut killed = Serving::start(&folder, &runtime, &fixture());
    killed.end("-KILL");
    assert_eq!(fs::read_dir(runtime.join("heldup")).expect("the folder").count(), 1);
    assert_eq!(linked(&folder, &runtime, &fixture()), None);
    let next = Serving::start(&folder, &runtime, &fixture());
    assert_eq!(fs::read_dir(runtime.join("heldup")).expect("the folder").count(), 1);
    drop(next);
}

#[test]
fn where_it_may_not_listen_is_said_with_what_to_do() {
    let folder = Folder::new();
    heldup(&folder, &["serve", "vmstat.txt", "--address", "0.0.0.0"]).complains(2, &["ssh -L", "--socket"]);
    heldup(&folder, &["serve", "vmstat.txt", "--socket", "x", "--port", "1"]).complains(2, &["--port"]);
    heldup(&folder, &["serve", "no-such-file", "--port", "0"]).complains(3, &["no-such-file"]);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    heldup(&folder, &["serve", "vmstat.txt", "--port", &port]).complains(3, &["is taken", "--port 0"]);
}
