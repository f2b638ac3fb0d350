//! `heldup doctor`: what can be seen on this machine, what cannot, and what would let it.

use clap::Args;
use heldup_engine::doctor;
use heldup_hostfs::Host;
use heldup_report::capabilities;

use crate::args::Format;
use crate::exit::Exit;
use crate::terminal;

/// Options of `doctor`.
#[derive(Args, Clone, Debug)]
pub struct DoctorArgs {
    /// How to write the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Prints the capability table.
pub fn run(args: &DoctorArgs) -> anyhow::Result<Exit> {
    let found = doctor(&Host::live());
    match args.format {
        Format::Text => print!("{}", capabilities::text(&found, terminal::width())),
        Format::Json => print!("{}", capabilities::json(&found)),
    }
    Ok(Exit::DONE)
}
