//! A file system that another process serves, and takes 10 ms for every answer.

use anyhow::Result;

use crate::condition::until;
use crate::expect::Expected;
use crate::host_figures::calls_waited_in;
use crate::known_waits::MountPoint;
use crate::needs::Need;
use crate::running::Running;
use crate::scratch::Scratch;
use crate::trouble::{Trouble, TroubleMaker};

pub(super) const MAKER: TroubleMaker =
    TroubleMaker { name: "fs.remote-slow", needs: &[Need::Root, Need::File("/dev/fuse")], make };

fn make() -> Result<Trouble> {
    let point = MountPoint(Scratch::new("remote")?);
    let path = point.0.path().to_owned();
    let program = Running::program("waits_remote", &[&"120", &path, &"fuse"])?;
    let mut seen = 0;
    until("a reader waits for the answer", || {
        let reads = [libc::SYS_read, libc::SYS_pread64];
        seen += usize::from(calls_waited_in(program.pid())?.iter().any(|call| reads.contains(call)));
        Ok(seen >= 5)
    })?;
    let expected = Expected {
        id: "fs.remote-slow",
        subject: vec![path.display().to_string(), "waits_remote".to_owned()],
        culprits: vec![],
    };
    Ok(Trouble::new(expected, vec![Box::new(program), Box::new(point)]))
}
