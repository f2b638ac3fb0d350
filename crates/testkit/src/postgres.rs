//! A PostgreSQL of our own: started by hand, reached by a socket in its folder alone, gone when dropped.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use crate::condition::until_within;
use crate::needs::Need;
use crate::postgres_programs::server_programs;
use crate::running::Running;
use crate::scratch::Scratch;

/// What it needs of the machine.
pub const NEEDS: &[Need] = &[Need::Root, Need::Tool("pgbench"), Need::Tool("setpriv"), Need::PostgresServer];

/// `nobody`: the server refuses to run as root, and its tools look the name up.
const ORDINARY_USER: u32 = 65534;
/// Longest time to start, and until its clients work, also on a slow disk.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// A server that runs.
pub struct Postgres {
    server: Running,
    place: Place,
    _scratch: Scratch,
}

impl Postgres {
    /// Starts a server whose data lie in `data`, a folder that is made.
    pub fn start(data: &Path, settings: &[&str]) -> Result<Postgres> {
        let scratch = Scratch::new("postgres")?;
        for folder in [scratch.path(), data] {
            fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
            chown(folder, Some(ORDINARY_USER), Some(ORDINARY_USER))?;
        }
        let place = Place {
            programs: server_programs().context("no server of PostgreSQL")?,
            folder: scratch.path().to_owned(),
        };
        let initdb = place.programs.join("initdb");
        place.run(initdb, &["--no-sync", "--auth=trust", "--username=test", "--pgdata", text(data)?])?;
        // No port: only a socket in its own folder.
        let mut server = place.command(place.programs.join("postgres"));
        server.arg("-D").arg(data).args([
            "-c",
            "listen_addresses=",
            "-c",
            "logging_collector=off",
            "-c",
            "log_checkpoints=on",
        ]);
        server.args(settings.iter().flat_map(|setting| ["-c", setting]));
        server.arg("-k").arg(&place.folder).stderr(fs::File::create(place.folder.join("log"))?);
        let mut server = Running::start(server)?;
        until_within(PATIENCE, "the server answers", || {
            server.still_runs()?;
            let mut ready = place.command(place.programs.join("pg_isready"));
            Ok(ready.arg("-h").arg(&place.folder).output()?.status.success())
        })?;
        Ok(Postgres { server, place, _scratch: scratch })
    }

    /// Process id of the server.
    pub fn pid(&self) -> i64 {
        self.server.pid()
    }

    /// Fills the tables of pgbench, so many times 15 MB, and writes all of it to the disk.
    pub fn fill(&self, scale: u32) -> Result<()> {
        let scale = format!("--scale={scale}");
        self.run(&["--initialize", "--quiet", &scale])?;
        self.ask("checkpoint")
    }

    /// Checkpoints since it started that began because its log had grown.
    pub fn checkpoints(&self) -> Result<usize> {
        Ok(fs::read_to_string(self.place.folder.join("log"))?.matches("checkpoint starting: wal").count())
    }

    fn ask(&self, statement: &str) -> Result<()> {
        let words = ["--tuples-only", "--no-align", "--command", statement, "postgres"];
        self.place.run("psql".into(), &[&self.client()?[..], &words].concat()).map(drop)
    }

    /// Starts pgbench; returns when it has worked for a second.
    pub fn pgbench(&self, arguments: &[&str]) -> Result<Running> {
        let mut load = self.place.command("pgbench".into());
        load.args(self.client()?).args(["--time=120", "--no-vacuum", "--progress=1"]).args(arguments);
        let progress = self.place.folder.join("progress");
        load.arg("postgres").stderr(fs::File::create(&progress)?);
        let mut load = Running::start(load)?;
        until_within(PATIENCE, "the first second of transactions", || {
            load.still_runs()?;
            Ok(fs::read_to_string(&progress)?.contains("tps"))
        })?;
        Ok(load)
    }

    fn run(&self, arguments: &[&str]) -> Result<Output> {
        self.place.run("pgbench".into(), &[&self.client()?[..], arguments, &["postgres"]].concat())
    }

    fn client(&self) -> Result<[&str; 4]> {
        Ok(["-h", text(&self.place.folder)?, "-U", "test"])
    }
}

/// The programs and the folder that all is in.
struct Place {
    programs: PathBuf,
    folder: PathBuf,
}

impl Place {
    /// A program run as the ordinary user, in the folder.
    fn command(&self, program: PathBuf) -> Command {
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={ORDINARY_USER}"), format!("--regid={ORDINARY_USER}")]);
        command.args(["--clear-groups", "--pdeathsig", "keep"]).arg(program).current_dir(&self.folder);
        command.env("HOME", &self.folder);
        command
    }

    /// Runs a program to its end.
    fn run(&self, program: PathBuf, arguments: &[impl AsRef<OsStr>]) -> Result<Output> {
        let name = program.display().to_string();
        let output = self.command(program).args(arguments).output().with_context(|| format!("run {name}"))?;
        if !output.status.success() {
            bail!("{name}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output)
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not text", path.display()))
}
