//! A command that runs beside this program: it is handed text and nobody waits for it.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::FromRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use crate::error::HostError;

/// Starts a command with further variables in its environment and a text as its input.
///
/// The text lies in memory and not in a pipe: a command that does not read it blocks nobody,
/// and one that ends early ends nobody by SIGPIPE. Its output goes to this program's standard
/// error, because standard output carries the answer. It has a process group of its own, so
/// that Ctrl-C at the terminal does not end it with us.
pub fn spawn_beside(
    command: &[OsString],
    variables: &[(&str, String)],
    input: &[u8],
) -> Result<Child, HostError> {
    let Some((program, args)) = command.split_first() else {
        return Err(HostError::from_io("", io::Error::new(io::ErrorKind::InvalidInput, "no command")));
    };
    let fail = |error| HostError::from_io(program, error);
    let mut child = Command::new(program);
    child.args(args).envs(variables.iter().map(|(name, value)| (name, value)));
    child.stdin(in_memory(input).map_err(fail)?).stdout(io::stderr()).process_group(0);
    child.spawn().map_err(fail)
}

/// A file in memory (memfd_create, since Linux 3.17), to be read from its start.
pub(crate) fn in_memory(text: &[u8]) -> io::Result<File> {
    // SAFETY: the name is a string that ends in NUL; the flags are the call's own.
    let fd = unsafe { libc::memfd_create(c"heldup".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nobody else's.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_and_variables_arrive() {
        let text = "x".repeat(1 << 20);
        let script = "test \"$HELDUP_TEST\" = 'a b' && test $(wc -c) = 1048576";
        let command = ["sh", "-c", script].map(OsString::from);
        let variables = [("HELDUP_TEST", "a b".to_owned())];
        let mut child = spawn_beside(&command, &variables, text.as_bytes()).expect("sh runs");
        assert!(child.wait().expect("it ends").success());
        // Nobody reads.
        let mut child = spawn_beside(&["true".into()], &[], text.as_bytes()).expect("true runs");
        assert!(child.wait().expect("it ends").success());
        let refused = spawn_beside(&["/no/such/program".into()], &[], b"").expect_err("not there");
        assert!(refused.is_absent(), "{refused}");
    }
}
