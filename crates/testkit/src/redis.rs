//! A Redis of our own: started by hand, reached by a socket in its folder alone, gone when dropped.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::control_group::ControlGroup;
use crate::loop_device::said;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;

/// What it needs of the machine.
pub const NEEDS: &[Need] =
    &[Need::Tool("redis-server"), Need::Tool("redis-cli"), Need::Tool("redis-benchmark")];

/// Bytes of each value.
const VALUE_BYTES: usize = 1000;
/// A key of all that are drawn, as redis-benchmark is told; of so many draws two thirds differ.
const KEY: &str = "key:__rand_int__";
const KEYS_A_MIB: u32 = 1300;

fn value() -> String {
    "x".repeat(VALUE_BYTES)
}

/// A server that runs.
pub struct Redis {
    server: Running,
    socket: PathBuf,
    keys: u32,
    _scratch: Scratch,
}

impl Redis {
    /// Starts a server, in a control group where one is given, and fills it with about `mib` MiB.
    pub fn start(group: Option<&ControlGroup>, mib: u32) -> Result<Redis> {
        let scratch = Scratch::new("redis")?;
        let socket = scratch.path().join("socket");
        let script = "exec redis-server --port 0 --unixsocket \"$0\" --dir \"$1\" --save '' --daemonize no >\"$1/log\"";
        let server = match group {
            Some(group) => Running::script_in(group, script, &[&socket, &scratch.path()])?,
            None => {
                let mut command = Command::new("sh");
                Running::start({
                    command.args(["-c", script]).args([socket.as_os_str(), scratch.path().as_os_str()]);
                    command
                })?
            }
        };
        let mut redis = Redis { server, socket, keys: mib * KEYS_A_MIB, _scratch: scratch };
        until("the server answers", || {
            redis.server.still_runs()?;
            Ok(redis.ask(&["ping"]).is_ok_and(|answer| answer == "PONG"))
        })?;
        let times = redis.keys.to_string();
        let fill = ["-q", "-P", "100", "-n", &times, "-r", &times, "set", KEY, &value()];
        said(Command::new("redis-benchmark").arg("-s").arg(&redis.socket).args(fill))?;
        Ok(redis)
    }

    /// Process id of the server.
    pub fn pid(&self) -> i64 {
        self.server.pid()
    }

    /// Asks it one command; the answer.
    pub fn ask(&self, command: &[&str]) -> Result<String> {
        said(Command::new("redis-cli").arg("-s").arg(&self.socket).args(command))
    }

    /// Starts clients that run `command` (`get` or `set`) on keys all over it; `per_s` times a second,
    /// or as fast as it goes.
    pub fn load(&self, command: &str, per_s: Option<u32>) -> Result<Running> {
        let Some(per_s) = per_s else {
            let mut load = Command::new("redis-benchmark");
            load.arg("-s").arg(&self.socket).args(["-q", "-l", "-c", "8", "-r", &self.keys.to_string()]);
            load.args([command, KEY]).args((command == "set").then(value));
            return Running::start(load);
        };
        // Names of keys end as redis-benchmark makes them.
        let feed = "
import random, sys, time
keys, command, per_s, value = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), 'x' * int(sys.argv[4])
sent, start = 0, time.monotonic()
while time.monotonic() < start + 170:
    while sent < per_s * (time.monotonic() - start):
        print(command, 'key:%012d' % random.randrange(keys), value if command == 'set' else '', flush=True)
        sent += 1
    time.sleep(0.01)
";
        let script =
            "/usr/bin/python3 -c \"$1\" \"$2\" \"$3\" \"$4\" \"$5\" | exec redis-cli -s \"$0\" >/dev/null";
        let mut load = Command::new("sh");
        load.args(["-c", script]).arg(&self.socket).arg(feed);
        load.args([&self.keys.to_string(), command, &per_s.to_string(), &VALUE_BYTES.to_string()]);
        Running::start(load)
    }

    /// How many commands it has answered.
    pub fn answered(&self) -> Result<u64> {
        self.figure("stats", "total_commands_processed")
    }

    /// Saves again and again until the answer is dropped.
    pub fn saves_on(&self) -> Result<Running> {
        let script = "while :; do redis-cli -s \"$0\" bgsave >/dev/null; sleep 0.2; done";
        let mut saves = Command::new("sh");
        saves.args(["-c", script]).arg(&self.socket);
        Running::start(saves)
    }

    /// One figure of a section of what it tells of itself.
    pub fn figure(&self, section: &str, name: &str) -> Result<u64> {
        let text = self.ask(&["info", section])?;
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|value| value.trim().parse().ok()).with_context(|| format!("redis tells no {name}"))
    }
}
