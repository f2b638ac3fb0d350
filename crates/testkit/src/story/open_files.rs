//! A web server that may open a few dozen files, with more clients than that.

use std::net::TcpStream;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::condition::until;
use crate::expect::{Suspect, Told};
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::story::{Held, PYTHON, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "open-files",
    needs: &[&[Need::Root, Need::File("/sys/kernel/btf/vmlinux"), Need::File(PYTHON)]],
    quick: false,
    ill,
    healthy,
};

/// Clients that keep their connection; more than the low limit allows.
const CLIENTS: usize = 60;
const LOW: u32 = 40;
const USUAL: u32 = 1024;
/// Python's own server with a thread for each client; says its port. One that cannot accept waits a
/// moment, as servers that people run do.
const SERVER: &str = "
import http.server, sys, time
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    def get_request(self):
        try:
            return super().get_request()
        except OSError:
            time.sleep(0.02)
            raise
server = Server(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)
print(server.server_port, flush=True)
server.serve_forever()
";

fn server(files: u32) -> Result<(Scratch, Running, u16)> {
    let scratch = Scratch::new("pages")?;
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {files}; exec {PYTHON} -c \"$0\" 2>/dev/null");
    command.args(["-c", &script, SERVER]).current_dir(scratch.path());
    let mut server = Running::start(command)?;
    let port = server.line()?.parse().context("no port")?;
    Ok((scratch, server, port))
}

fn clients(port: u16) -> Result<Vec<TcpStream>> {
    (0..CLIENTS).map(|_| TcpStream::connect(("127.0.0.1", port)).context("connect")).collect()
}

fn open_files(server: &Running) -> Result<usize> {
    Ok(std::fs::read_dir(format!("/proc/{}/fd", server.pid()))?.count())
}

fn ill() -> Result<Scene> {
    let (scratch, server, port) = server(LOW)?;
    let clients = clients(port)?;
    until("the server has all the files that it may have", || Ok(open_files(&server)? >= LOW as usize))?;
    let told = Told::within_three(
        "limit.open-files",
        vec!["python3".to_owned()],
        vec![Suspect::Process(server.pid())],
    );
    Ok(Scene::new(vec![told], vec![Box::new(clients), Box::new(server), Box::new(scratch)]))
}

fn healthy() -> Result<Held> {
    let (scratch, server, port) = server(USUAL)?;
    let clients = clients(port)?;
    until("every client has its connection", || Ok(open_files(&server)? >= CLIENTS))?;
    ensure!(open_files(&server)? < USUAL as usize, "the limit is reached");
    Ok(vec![Box::new(clients), Box::new(server), Box::new(scratch)])
}
