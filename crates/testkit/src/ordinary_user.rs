//! Loads that run as a user without rights, so that one can be looked at by its own owner.
//!
//! A switch for the thread that makes them: while it is on, programs start as that user and
//! scratch folders are that user's. What is set up for a load (mounts, control groups, settings)
//! stays root's.

use std::cell::Cell;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The id of the user and of its group: nobody's.
pub const ID: u32 = 65534;

/// A command in front of another one that runs it as the user, without a way back.
pub const AS_USER: &[&str] =
    &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--pdeathsig=KILL"];

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Loads of this thread run as the user until this is dropped.
pub struct OrdinaryUser(PhantomData<*const ()>);

impl OrdinaryUser {
    /// From now on.
    pub fn runs_loads() -> OrdinaryUser {
        IS_ON.set(true);
        OrdinaryUser(PhantomData)
    }
}

impl Drop for OrdinaryUser {
    fn drop(&mut self) {
        IS_ON.set(false);
    }
}

/// What has to stand before a load.
pub(crate) fn before_loads() -> &'static [&'static str] {
    if IS_ON.get() { AS_USER } else { &[] }
}

/// The same command, as the user when loads are the user's.
pub(crate) fn load(command: Command) -> Command {
    let Some((first, rest)) = before_loads().split_first() else { return command };
    let mut under = Command::new(first);
    under.args(rest).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        under.env(name, value.unwrap_or_else(|| OsStr::new("")));
    }
    under
}

/// Makes a folder the user's when loads are.
pub(crate) fn may_write(folder: &Path) -> Result<()> {
    if before_loads().is_empty() {
        return Ok(());
    }
    chown(folder, Some(ID), Some(ID)).with_context(|| format!("give away {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_the_users_only_while_it_is_said() {
        let program = |command: &Command| command.get_program().to_owned();
        let user = OrdinaryUser::runs_loads();
        let mut wanted = Command::new("spin");
        wanted.arg("1").env("HELDUP_CLOCKED", "x");
        let under = load(wanted);
        assert_eq!(program(&under), "setpriv");
        let words: Vec<&OsStr> = under.get_args().collect();
        assert!(words.ends_with(&[OsStr::new("spin"), OsStr::new("1")]));
        assert!(under.get_envs().any(|(name, _)| name == "HELDUP_CLOCKED"));
        drop(user);
        assert_eq!(program(&load(Command::new("spin"))), "spin");
    }
}
