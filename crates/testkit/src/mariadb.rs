//! A MariaDB of our own: started by hand, reached by a socket in its folder alone, gone when dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::condition::until_within;
use crate::loop_device::said;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;

/// What it needs of the machine.
pub const NEEDS: &[Need] =
    &[Need::Root, Need::Tool("mariadbd"), Need::Tool("mariadb-install-db"), Need::Tool("mariadb")];

/// Longest time to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs.
pub struct MariaDb {
    server: Running,
    socket: PathBuf,
    _scratch: Scratch,
}

impl MariaDb {
    /// Starts a server whose data lie in `data`, a folder that is made.
    pub fn start(data: &Path, settings: &[&str]) -> Result<MariaDb> {
        let scratch = Scratch::new("mariadb")?;
        let socket = scratch.path().join("socket");
        let data_option = format!("--datadir={}", data.display());
        let mut install = Command::new("mariadb-install-db");
        install.args(["--no-defaults", "--user=root", "--auth-root-authentication-method=normal"]);
        said(install.args(["--skip-test-db", &data_option]))?;
        let mut server = Command::new("mariadbd");
        server.args(["--no-defaults", "--user=root", "--skip-networking", &data_option]);
        server.arg(format!("--socket={}", socket.display())).args(settings);
        server.arg(format!("--pid-file={}", scratch.path().join("pid").display()));
        server.stderr(fs::File::create(scratch.path().join("log"))?);
        let server = Running::start(server)?;
        let mut started = MariaDb { server, socket, _scratch: scratch };
        until_within(PATIENCE, "the server answers", || {
            started.server.still_runs()?;
            Ok(started.client().arg("--execute=select 1").output()?.status.success())
        })?;
        Ok(started)
    }

    /// Process id of the server.
    pub fn pid(&self) -> i64 {
        self.server.pid()
    }

    /// Runs statements as its administrator; the answer without headings.
    pub fn run(&self, statements: &str) -> Result<String> {
        said(self.client().arg(format!("--execute={statements}")))
    }

    /// Inserts that it was sent since it started.
    pub fn inserted(&self) -> Result<u64> {
        let answer = self.run("show global status like 'Com_insert'")?;
        let number = answer.split_whitespace().nth(1).context("no Com_insert")?;
        Ok(number.parse()?)
    }

    /// Starts a client that sends the statement again and again, or so many times a second.
    pub fn client_that_repeats(&self, statement: &str, per_s: Option<u32>) -> Result<Running> {
        let feed = match per_s {
            None => "yes \"$1\"".to_owned(),
            Some(per_s) => {
                let pause = 1.0 / f64::from(per_s);
                format!(
                    "/usr/bin/python3 -c 'import sys, time\nwhile True: print(sys.argv[1], flush=True); time.sleep({pause})' \"$1\""
                )
            }
        };
        let script = format!(
            "{feed} | exec mariadb --no-defaults --user=root --unbuffered --socket=\"$0\" test >/dev/null"
        );
        ensure!(!statement.contains('\n'), "a statement of one line");
        let mut client = Command::new("sh");
        client.args(["-c", &script]).arg(&self.socket).arg(statement);
        Running::start(client)
    }

    fn client(&self) -> Command {
        let mut client = Command::new("mariadb");
        client.args(["--no-defaults", "--user=root", "--batch", "--skip-column-names"]);
        client.arg(format!("--socket={}", self.socket.display()));
        client
    }
}
