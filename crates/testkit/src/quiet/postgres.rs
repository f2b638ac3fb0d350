//! PostgreSQL under pgbench, well within the machine: a few transactions a second of two clients.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

use crate::condition::until;
use crate::needs::Need;
use crate::quiet::{Load, QuietCase, SHORT_SECONDS};
use crate::running::Running;
use crate::scratch::Scratch;

pub(super) const CASE: QuietCase = QuietCase {
    name: "postgres",
    needs: &[Need::Root, Need::Tool("pgbench"), Need::Tool("setpriv"), Need::PostgresServer],
    seconds: SHORT_SECONDS,
    make,
};

/// `nobody`: the server refuses to run as root, and its tools look the name up.
const ORDINARY_USER: u32 = 65534;

fn make() -> Result<Load> {
    let scratch = Scratch::new("postgres")?;
    chown(scratch.path(), Some(ORDINARY_USER), Some(ORDINARY_USER))?;
    let place =
        Place { programs: server_programs().context("no server")?, folder: scratch.path().to_owned() };
    let data = place.folder.join("data");
    let initdb = place.programs.join("initdb");
    place.run(initdb, &["--no-sync", "--auth=trust", "--username=test", "--pgdata", text(&data)?])?;
    // No port: only a socket in its own folder.
    let mut server = place.command(place.programs.join("postgres"));
    server.arg("-D").arg(&data).args(["-c", "listen_addresses=", "-c", "logging_collector=off"]);
    server.arg("-k").arg(&place.folder).stderr(fs::File::create(place.folder.join("log"))?);
    let mut server = Running::start(server)?;
    until("the server answers", || {
        server.still_runs()?;
        let mut ready = place.command(place.programs.join("pg_isready"));
        Ok(ready.arg("-h").arg(&place.folder).output()?.status.success())
    })?;
    let client = ["-h", text(&place.folder)?, "-U", "test"];
    place.run("pgbench".into(), &[&client[..], &["--initialize", "--quiet", "postgres"]].concat())?;
    let mut load = place.command("pgbench".into());
    load.args(client).args([
        "--client=2",
        "--rate=20",
        "--time=120",
        "--no-vacuum",
        "--progress=1",
        "postgres",
    ]);
    load.stderr(fs::File::create(place.folder.join("progress"))?);
    let mut load = Running::start(load)?;
    until("the first second of transactions", || {
        load.still_runs()?;
        Ok(fs::read_to_string(place.folder.join("progress"))?.contains("tps"))
    })?;
    Ok(vec![Box::new(load), Box::new(server), Box::new(scratch)])
}

/// Where the server's programs are: outside the search path on Debian.
pub(crate) fn server_programs() -> Option<PathBuf> {
    let of_version = |parent: &Path| {
        let mut all: Vec<PathBuf> =
            fs::read_dir(parent).ok()?.flatten().map(|entry| entry.path().join("bin")).collect();
        all.sort();
        all.into_iter().rev().find(|folder| folder.join("initdb").exists())
    };
    of_version(Path::new("/usr/lib/postgresql"))
        .or_else(|| crate::needs::in_search_path("initdb")?.parent().map(Path::to_owned))
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
