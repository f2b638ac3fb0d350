//! Processes for a bench, which end with it.

use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A child that is killed when it is no longer wanted.
pub struct Ends(pub Child);

impl Ends {
    /// Ends it now.
    pub fn end(&mut self) {
        // One that cannot be ended has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.end();
    }
}

/// As many processes as are missing to a number.
pub struct Crowd(Vec<Ends>);

impl Crowd {
    /// Starts them. One in eight wakes once a second.
    pub fn up_to(processes: usize) -> Result<Crowd> {
        let numbers =
            std::fs::read_dir("/proc")?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let there = numbers.filter(|name| name.bytes().all(|byte| byte.is_ascii_digit())).count();
        let mut crowd = Crowd(Vec::new());
        for at in there..processes {
            let mut one = match at % 8 {
                0 => Command::new("perl"),
                _ => Command::new("sleep"),
            };
            match at % 8 {
                0 => one.args(["-e", "while (1) { select(undef, undef, undef, 1); $n++ for 1 .. 1000 }"]),
                _ => one.arg("infinity"),
            };
            let one = one.stdin(Stdio::null()).stdout(Stdio::null()).spawn().context("start a process")?;
            crowd.0.push(Ends(one));
        }
        Ok(crowd)
    }
}
