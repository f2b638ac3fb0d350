//! A compile whose folder lies on a file system that fills up: object files cannot be written any more.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::condition::until;
use crate::expect::Told;
use crate::loop_device::{self, Backing, Journal, LoopDevice, Mounted};
use crate::needs::Need;
use crate::running::Running;
use crate::story::{Held, Scene, Story};

pub(super) const STORY: Story = Story {
    name: "compile-full-disk",
    needs: &[loop_device::NEEDS, &[Need::Tool("cc"), Need::Tool("make")]],
    quick: false,
    ill,
    healthy,
};

const FILES: usize = 40;
/// Everything again and again, on one CPU; a file that cannot be written is tried in the next round.
const BUILD: &str = "while :; do make -s -k -B all 2>/dev/null; sleep 0.2; done";
const RULES: &str = "all: $(patsubst %.c,%.o,$(wildcard part*.c))\n\n%.o: %.c\n\tcc -g -O1 -c -o $@ $<\n";

fn compile() -> Result<(Mounted, Running)> {
    let mounted = LoopDevice::new("build", 64 << 20, Backing::Cached)?.with_ext4(Journal::Without)?;
    for file in 0..FILES {
        let body: String = (0..100)
            .map(|number| format!("int part{file}_{number}(int x) {{ for (int i = 0; i < {number}; i++) x = x * 31 + i; return x; }}\n"))
            .collect();
        fs::write(mounted.path().join(format!("part{file}.c")), body)?;
    }
    fs::write(mounted.path().join("Makefile"), RULES)?;
    let mut command = Command::new("sh");
    command.args(["-c", BUILD]).current_dir(mounted.path());
    let build = Running::start(command)?;
    let first = mounted.path().join("part0.o");
    until("the first object", || Ok(first.exists()))?;
    Ok((mounted, build))
}

fn free_bytes(mounted: &Mounted) -> Result<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(mounted.path().as_os_str().as_bytes())?;
    // SAFETY: a plain structure of numbers, for which zeros are valid.
    let mut about: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are valid for the call.
    let failed = unsafe { libc::statvfs(path.as_ptr(), &raw mut about) };
    if failed != 0 {
        return Err(std::io::Error::last_os_error()).context("statvfs");
    }
    Ok(about.f_bavail * about.f_frsize)
}

fn ill() -> Result<Scene> {
    let (mounted, build) = compile()?;
    // Somebody else's log takes what is left.
    let log = fs::File::create(mounted.path().join("log"))?;
    while std::io::Write::write_all(&mut &log, &[7; 4096]).is_ok() {}
    until("nothing is left", || Ok(free_bytes(&mounted)? < 64 << 10))?;
    let told = Told::within_three("fs.full", vec![mounted.path().display().to_string()], vec![]);
    Ok(Scene::new(vec![told], vec![Box::new(build), Box::new(mounted)]))
}

fn healthy() -> Result<Held> {
    let (mounted, build) = compile()?;
    Ok(vec![Box::new(build), Box::new(mounted)])
}
