//! `heldup tune`: settings, what they do, what they are, who set them; judging and changing them. One file
//! a command.

mod apply;
mod args;
mod audit;
mod change_args;
mod guard;
mod limit;
mod list;
mod pin;
mod plan;
mod profile;
mod show;
mod status;
mod undo;
mod whom;

pub use args::TuneCommand;

use heldup_report::harmless::ascii;

use change_args::ChangeCommand;

use crate::exit::Exit;
use crate::terminal;

/// Does what was asked of settings.
pub fn run(command: &TuneCommand) -> anyhow::Result<Exit> {
    match command {
        TuneCommand::List(args) => list::run(args),
        TuneCommand::Show(args) => show::run(args),
        TuneCommand::Audit(args) => audit::run(args),
        TuneCommand::Profile(command) => profile::run(command),
        TuneCommand::Change(command) => change(command),
    }
}

fn change(command: &ChangeCommand) -> anyhow::Result<Exit> {
    match command {
        ChangeCommand::Plan(args) => plan::run(args),
        ChangeCommand::Apply(args) => apply::run(args),
        ChangeCommand::Confirm(args) => undo::confirm(args),
        ChangeCommand::Limit(args) => limit::run(args),
        ChangeCommand::Pin(args) => pin::run(args),
        ChangeCommand::Undo(args) => undo::run(args),
        ChangeCommand::Status(output) => status::run(output),
        ChangeCommand::Recover(output) => undo::recover(output),
        ChangeCommand::Guard { plan } => guard::run(*plan),
    }
}

/// Prints an answer as this terminal can show it.
fn print(text: &str) {
    if terminal::unicode() { print!("{text}") } else { print!("{}", ascii(text)) }
}
