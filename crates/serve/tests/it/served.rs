//! A server in this process, and a client that knows no more of HTTP than it needs.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread::JoinHandle;
use std::time::Duration;

use heldup_engine::ViewRequest;
use heldup_serve::{Listen, ServeRequest, Server};
use serde_json::Value;
use tokio::sync::oneshot::{Sender, channel};

/// A server for as long as it is held.
pub struct Served {
    pub port: u16,
    pub token: String,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    fn read(bytes: &[u8]) -> Option<Answer> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let status = head.split(' ').nth(1)?.parse().ok()?;
        let body = &bytes[end + 4..];
        let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_vec() };
        Some(Answer { status, head, body })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        assert!(self.head.contains("content-type: application/json"), "{}", self.head);
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16).expect("a length");
        if length == 0 {
            break;
        }
        whole.extend(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
    whole
}

/// The capture that tests look at, and its window.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../top/fixtures/sync-and-lock.heldup")
}

/// One server of the fixture for all tests that only ask.
pub fn shared() -> &'static Served {
    static SHARED: OnceLock<Served> = OnceLock::new();
    SHARED.get_or_init(|| of(&[fixture()]))
}

pub fn of(sources: &[PathBuf]) -> Served {
    let listen = "127.0.0.1:0".parse().expect("an address");
    start(sources, listen)
}

pub fn start(sources: &[PathBuf], listen: Listen) -> Served {
    let sources = sources.iter().map(|path| path.to_str().expect("text").to_owned()).collect();
    let view = ViewRequest { sources, ..ViewRequest::default() };
    let server = Server::open(ServeRequest { view, listen, assets: None }).expect("a server");
    let address = server.serving().address.clone();
    let (at, token) = address.split_once("/#token=").expect("a token");
    let port = at.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let (stop, stopped) = channel::<()>();
    let run = move || {
        let until = || Ok(async { stopped.await.unwrap_or_default() });
        server.run(until, &mut |_| {}).expect("served");
    };
    let thread = std::thread::spawn(run);
    Served { port, token: token.to_owned(), stop: Some(stop), thread: Some(thread) }
}

impl Served {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        stream
    }

    /// Sends bytes as they are and reads to the end; none where the connection was closed without an answer.
    pub fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // What is refused early is not read to its end.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::read(&answer)
    }

    /// A request with its own headers.
    pub fn with(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        headers.iter().for_each(|header| head.push_str(&format!("{header}\r\n")));
        if !body.is_empty() {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        self.raw(format!("{head}\r\n{body}").as_bytes()).expect("an answer")
    }

    pub fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    pub fn bearer(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    /// As the page asks.
    pub fn get(&self, path: &str) -> Answer {
        self.with("GET", path, &[&self.host(), &self.bearer()], "")
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        let json = "Content-Type: application/json";
        self.with("POST", path, &[&self.host(), &self.bearer(), json], &body.to_string())
    }

    /// The window of all that is served, as an address has it and as a body does.
    pub fn window(&self) -> (String, i64, i64) {
        let state = self.get("/api/state").json();
        let time = |name: &str| state["all"][name].as_i64().expect("a time");
        let (since_ms, until_ms) = (time("since_ms"), time("until_ms"));
        (format!("since_ms={since_ms}&until_ms={until_ms}"), since_ms, until_ms)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            if !std::thread::panicking() {
                ended.expect("the server has ended");
            }
        }
    }
}
